// torch: PyTorch as a racer: child processes (torch_peer.py) that live as long as the bench and are asked by lines,
// so that their passes run between ours. They time themselves; the pipe costs nothing that counts. A part of
// bench.c.
//
// Each kind of child is PyTorch set up in another way, by its environment alone. All have their threads, each bound
// to a core (else both may wait for each other on one), the widest vectors and OpenBLAS's best core type.
enum { TORCH_PLAIN, TORCH_KEEPS, TORCH_YIELDS, TORCH_KINDS };
static const struct { const char *name; const char *settings[8]; } torch_kinds[TORCH_KINDS] = {
  {"as it comes", {NULL}},                   // glibc gives memory of big results back, the next one is faulted in anew
  {"memory kept", {"MALLOC_MMAP_THRESHOLD_", "8589934592", "MALLOC_TRIM_THRESHOLD_", "17179869184", NULL}},
  {"memory kept, little spinning",           // its own threads do not spin while those of OpenBLAS work
   {"MALLOC_MMAP_THRESHOLD_", "8589934592", "MALLOC_TRIM_THRESHOLD_", "17179869184", "GOMP_SPINCOUNT", "1000", NULL}}
};
typedef struct torch_child { pid_t pid; FILE *ask, *answer; int tried; } torch_child;
static torch_child torch[TORCH_KINDS];
static char torch_version[64];

static void torch_end(torch_child *c) {
  if (c->pid <= 0) return;
  fclose(c->ask); fclose(c->answer);
  waitpid(c->pid, NULL, 0);
  c->pid = 0;
}

static int torch_spawn(torch_child *c, char *python) {
  char threads[16], line[256], *argv[] = {python, "-W", "ignore", "bench/torch_peer.py", threads, NULL};
  int in[2], out[2];
  posix_spawn_file_actions_t actions;
  snprintf(threads, sizeof threads, "%d", cores());
  if (pipe(in)) return 0;
  if (pipe(out)) { close(in[0]); close(in[1]); return 0; }
  for (int i = 0; i < 2; i++) { fcntl(in[i], F_SETFD, FD_CLOEXEC); fcntl(out[i], F_SETFD, FD_CLOEXEC); }
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], 0);
  posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  if (posix_spawnp(&c->pid, python, &actions, NULL, argv, environ)) c->pid = 0;
  posix_spawn_file_actions_destroy(&actions);
  close(in[0]); close(out[1]);
  c->ask = fdopen(in[1], "w");
  c->answer = fdopen(out[0], "r");
  if (c->pid && fgets(line, sizeof line, c->answer) && sscanf(line, "torch %63s", torch_version) == 1) return 1;
  if (c->pid) torch_end(c);
  else { fclose(c->ask); fclose(c->answer); }
  return 0;
}

// Is PyTorch there? The first call for a kind starts it.
static int torch_here(int kind) {
  torch_child *c = &torch[kind];
  const char *const *set = torch_kinds[kind].settings;
  if (c->tried++) return c->pid > 0;
  choose_core_type();
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512bw")) setenv("ATEN_CPU_CAPABILITY", "avx512", 0);
#endif
  signal(SIGPIPE, SIG_IGN);
  setenv("OMP_PROC_BIND", "true", 1);
  for (int i = 0; set[i]; i += 2) setenv(set[i], set[i + 1], 1);
  const int here = torch_spawn(c, "/usr/bin/python3") || torch_spawn(c, "python3");
  for (int i = 0; set[i]; i += 2) unsetenv(set[i]);
  unsetenv("OMP_PROC_BIND");
  if (!here && !kind) printf("  PyTorch is not installed (tools/setup.sh bench): left out\n");
  return here;
}

// One line there, one line back, without its end. 0: the child died.
static int torch_say(torch_child *c, char *answer, size_t size, const char *word, const char *rest) {
  fprintf(c->ask, "%s %s\n", word, rest);
  fflush(c->ask);
  if (!fgets(answer, (int)size, c->answer)) { torch_end(c); return 0; }
  answer[strcspn(answer, "\n")] = 0;
  return 1;
}
static double torch_run(void *arg) {
  char answer[256];
  torch_child *c = arg;
  return c->pid > 0 && torch_say(c, answer, sizeof answer, "run", "") ? atof(answer) : (double)NAN;
}

// The racer that runs `what` (a function of torch_peer.py and its numbers) in a child of that kind; it replaces what
// ran there before. 0: none.
static int torch_racer(racer *r, int kind, const char *what) {
  char answer[1024];
  torch_child *c = &torch[kind];
  if (!torch_here(kind) || !torch_say(c, answer, sizeof answer, "load", what)) return 0;
  if (strcmp(answer, "ok")) { printf("  PyTorch, %s: %s\n", what, answer); return 0; }
  *r = (racer){.name = torch_kinds[kind].name, .run = torch_run, .arg = c, .foreign = 1};
  return 1;
}
// Forgets what runs there, and its memory.
static void torch_drop(const racer *r) {
  char answer[256];
  torch_child *c = r->arg;
  if (c->pid > 0) torch_say(c, answer, sizeof answer, "drop", "");
}
// The same in the kind of child that is fastest at it, which is found before the race. as_it_comes: milliseconds
// without any settings; NULL or 0: not asked for, none.
static int torch_best_racer(racer *r, const char *what, double *as_it_comes) {
  racer tries[TORCH_KINDS];
  int n = 0;
  if (!torch_here(0)) return 0;
  for (int kind = 0; kind < TORCH_KINDS; kind++) {
    if (!torch_racer(&tries[n], kind, what)) continue;
    race(&tries[n], 1, 1);
    if (as_it_comes && kind == TORCH_PLAIN) *as_it_comes = 1e3 / median(&tries[n].rate);
    torch_drop(&tries[n++]);
  }
  if (!n) return 0;
  return torch_racer(r, (int)((torch_child *)fastest(tries, n)->arg - torch), what);
}

// How far the first values of a racer's result (at most 1000) are from ours, relative to the greatest of them.
static double torch_apart(const racer *r, const float *ours, int64_t n) {
  static char answer[1 << 16];
  double off = 0, scale = 0;
  char *at = answer;
  torch_child *c = r->arg;
  if (c->pid <= 0 || !torch_say(c, answer, sizeof answer, "out", "")) return (double)NAN;
  for (int64_t i = 0; i < n && i < 1000; i++) {
    char *end;
    const double theirs = strtod(at, &end);
    if (end == at) return (double)NAN;
    at = end;
    off = fmax(off, fabs(theirs - (double)ours[i]));
    scale = fmax(scale, fabs(theirs));
    if (off != off || ours[i] != ours[i]) return (double)NAN;
  }
  return scale > 0 ? off / scale : off;
}
