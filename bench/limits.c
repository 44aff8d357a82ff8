// limits: what the machine can do at most, by hand-written loops in this process on the library's threads:
// multiply-adds, reading and copying memory. Denominators of all that follows. A part of bench.c.
static struct { double gflops, read, copy; } limits;   // best rounds: GFLOPS of f32, GB/s

static float *big_array(size_t nbytes) {
  const size_t huge = (size_t)2 << 20;
  char *p = mmap(NULL, nbytes + huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return NULL;
  char *aligned = p + huge - (uintptr_t)p % huge;
#ifdef MADV_HUGEPAGE
  madvise(aligned, nbytes, MADV_HUGEPAGE);
#endif
  return (float *)(void *)aligned;
}
static void free_array(float *p, size_t nbytes) { if (p) munmap(p, nbytes); }

// n floats of a hand-written loop, cut into parts that run on the threads of t.
typedef struct hand_job {
  tiny_ctx *t; const hand_loop *loop; hand_args a; size_t n; int parts; float sum[64];
} hand_job;

static void hand_part(void *arg, int i) {
  hand_job *j = arg;
  const size_t from = j->n / (size_t)j->parts * (size_t)i, n = j->n / (size_t)j->parts;
  const hand_args *all = &j->a;
  const hand_args a = {all->y ? all->y + from : NULL, all->x ? all->x + from : NULL, all->z ? all->z + from : NULL};
  j->sum[i] = j->loop->run(a, n);
}
static double hand_run(void *arg) {
  hand_job *j = arg;
  const double start = seconds();
  tiny_parallel(j->t, j->parts, hand_part, j);
  return seconds() - start;
}

// Racers r[0..] for every variant of a loop, in parts for each core and in small parts; returns how many. Each
// part gets a multiple of 256 floats.
static int hand_racers(racer *r, hand_job *job, tiny_ctx *t, const hand_loop *loops, hand_args a, size_t n) {
  int count = 0;
  for (const hand_loop *l = loops; l->name; l++) for (int small = 0; small < 2; small++) {
    const int parts = small ? 64 : cores();
    if (parts > 64 || n % ((size_t)parts * 256)) continue;
    job[count] = (hand_job){.t = t, .loop = l, .a = a, .n = n, .parts = parts};
    r[count] = (racer){.name = l->name, .run = hand_run, .arg = &job[count]};
    count++;
  }
  return count;
}

static double limit(tiny_ctx *t, const char *name, const char *unit, const hand_loop *loops, hand_args a, size_t n,
                    double work) {
  racer r[RACERS];
  hand_job job[RACERS];
  const int count = hand_racers(r, job, t, loops, a, n);
  race(r, count, work);
  const racer *best = fastest(r, count);
  state(name, most(&best->rate), unit, 0, 1, "median %.1f; %s, %d parts", median(&best->rate), best->name,
        ((hand_job *)best->arg)->parts);
  return most(&best->rate);
}

static void measure_limits(void) {
  const size_t n = (size_t)1 << 26;            // floats: 256 MiB
  float *x = big_array(2 * n * 4), *y = x ? x + n : NULL;
  const char *filter = only;
  heading("limits: the best of hand-written loops on this machine's cores");
  if (!x) { printf("  no memory for 512 MiB\n"); return; }
  tiny_ctx *t = tiny_open(&(tiny_desc){.device = device});
  only = NULL;
  for (size_t i = 0; i < 2 * n; i++) x[i] = (float)(i & 1023) * 0.001f;
  const hand_args none = {NULL, NULL, NULL}, a = {y, x, NULL};
  limits.gflops = limit(t, "multiply-adds, f32", "GFLOPS", hand_peak, none, (size_t)192 << 19, 2e-9 * (192 << 19));
  limits.read = limit(t, "read, 256 MiB", "GB/s", hand_sum, a, n, 4e-9 * (double)n);
  limits.copy = limit(t, "copy, 256 MiB to 256 MiB", "GB/s", hand_copy, a, n, 8e-9 * (double)n);
  only = filter;
  tiny_close(t);
  free_array(x, 2 * n * 4);
}
