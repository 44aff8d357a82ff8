// also: tsan
// test_stack: kernels that pack operands run on threads with small stacks, the caller's and those of its pool; memory
// for the panels is asked for before anything runs, and refusing it is an error like others. So do long chains of each
// class of operators, forward and gradient, on INTERP. `make million` runs a million of each, in minutes and 8 GB:
// TEST_CHAIN=1000000 says how many, TEST_CLASS=reshape of which class alone. Then a line says what each has
// taken, of the processor's time and of memory.
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif
#ifdef TEST_WHOLE
  #include "../tiny.h"
#else
  #include "../src/all.c"
#endif
#include "test.h"
#include "stack_test.h"
#include "memory_test.h"
#include <pthread.h>
#include <time.h>

enum { N = 1024, THREADS = 3 };

static size_t stack_nbytes(void) {         // sanitizers need more for themselves; panels are larger all the same
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return 512 << 10;
#elif defined(__has_feature)
  #if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  return 512 << 10;
  #endif
#endif
  return 64 << 10;
}

static pthread_t start(void *(*fn)(void *arg), void *arg) {
  pthread_attr_t attr;
  pthread_t thread;
  pthread_attr_init(&attr);
  pthread_attr_setstacksize(&attr, stack_nbytes());
  if (pthread_create(&thread, &attr, fn, arg)) { perror("pthread_create"); exit(1); }
  pthread_attr_destroy(&attr);
  return thread;
}

// A host's pool: more threads at a time than it says, each takes every THREADS-th task.
typedef struct host_call { int first, n; void (*task)(void *arg, int i); void *arg; } host_call;
static void *host_thread(void *arg) {
  const host_call *c = (const host_call *)arg;
  for (int i = c->first; i < c->n; i += THREADS) c->task(c->arg, i);
  return NULL;
}
static void host_pool(void *user, int n, void (*task)(void *arg, int i), void *arg) {
  pthread_t thread[THREADS];
  host_call call[THREADS];
  (void)user;
  for (int i = 0; i < THREADS; i++) {
    call[i].first = i; call[i].n = n; call[i].task = task; call[i].arg = arg;
    thread[i] = start(host_thread, &call[i]);
  }
  for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
}

typedef struct job { tiny_desc desc; double sum; tiny_code code; } job;

// 1 or 2 @ 2: sums are whole numbers.
static tiny_tensor *product(tiny_ctx *t) {
  tiny_tensor *one = tiny_full(t, 1, TINY_F32, TINY_SHAPE(N, N)), *two = tiny_full(t, 2, TINY_F32, TINY_SHAPE(N, N));
  tiny_tensor *count = tiny_reshape(tiny_arange(t, 0, N * N, 1, TINY_F32), TINY_SHAPE(N, N));
  tiny_tensor *a[2] = {tiny_contiguous(tiny_add(one, tiny_remainder(count, two))), tiny_contiguous(two)};
  tiny_realize(a, 2);
  return tiny_matmul(a[0], a[1]);
}

static void *work(void *arg) {
  job *j = (job *)arg;
  tiny_ctx *t = tiny_open(&j->desc);
  j->sum = tiny_item(tiny_sum(tiny_contiguous(product(t)), TINY_ALL, 0));
  j->code = tiny_status(t);
  if (j->code) fprintf(stderr, "%s\n", tiny_error(t));
  tiny_close(t);
  return NULL;
}

static void test_small(int threads, int hosted) {
  job j;
  memset(&j, 0, sizeof j);
  j.desc.cache_dir = ""; j.desc.threads = threads;
  if (hosted) { j.desc.pool.fn = host_pool; j.desc.pool.threads = hosted; }
  pthread_join(start(work, &j), NULL);
  CHECK_EQ(j.code, TINY_OK);
  CHECK(j.sum == 3.0 * N * N * N);
}

// An allocator that has everything but what the panels want.
typedef struct refusal { memory_count m; size_t nbytes; int refused; } refusal;
static void *refuse(void *user, void *ptr, size_t old_nbytes, size_t new_nbytes) {
  refusal *r = (refusal *)user;
  if (new_nbytes && new_nbytes == r->nbytes) { r->refused++; return NULL; }
  return memory_fn(&r->m, ptr, old_nbytes, new_nbytes);
}

static void test_refused(void) {
  size_t panels = 0;
  for (int round = 0; round < 2; round++) {
    refusal r;
    tiny_desc d;
    memset(&r, 0, sizeof r); memset(&d, 0, sizeof d);
    d.cache_dir = ""; d.threads = 2; d.alloc.fn = refuse; d.alloc.user = &r;
    tiny_ctx *t = tiny_open(&d);
    tiny_tensor *x = product(t);
    r.nbytes = panels;
    CHECK_EQ(tiny_realize(&x, 1), round ? TINY_E_MEMORY : TINY_OK);
    CHECK_EQ(r.refused, round);
    if (!round) {
      int slots = 0;
      CHECK(test_local_nbytes(t, &slots) > 64 << 10);        // too much for the stacks above
      CHECK_EQ(slots, 2);
      panels = test_panels_nbytes(t);
    } else {                               // later it may be there
      tiny_clear(t);
      r.nbytes = 0;
      CHECK_EQ(tiny_realize(&x, 1), TINY_OK);
    }
    tiny_close(t);
    CHECK_EQ(r.m.live, 0); CHECK_EQ(r.m.wrong, 0);
  }
}

// ** chains: x (3,2), n times the same operator; w is what each element of the result counts in the loss **

typedef struct chain_step { tiny_ctx *t; tiny_tensor *x0, *y, *one, *half, *unit, *order; int i; } chain_step;
static tiny_tensor *step_reshape(const chain_step *c) {
  return tiny_reshape(c->y, c->i & 1 ? TINY_SHAPE(3, 2) : TINY_SHAPE(2, 1, 3));
}
static tiny_tensor *step_permute(const chain_step *c) { return tiny_permute(c->y, TINY_SHAPE(1, 0)); }
static tiny_tensor *step_flip(const chain_step *c) { return tiny_flip(c->y, TINY_SHAPE(0)); }
static tiny_tensor *step_turn(const chain_step *c) {         // of order 4 on the corners of a rectangle
  return c->i & 1 ? tiny_permute(c->y, TINY_SHAPE(1, 0)) : tiny_flip(c->y, TINY_SHAPE(0));
}
static tiny_tensor *step_pad(const chain_step *c) {
  return c->i & 1 ? tiny_shrink(c->y, TINY_SHAPE(1, 4, 0, 2)) : tiny_pad(c->y, TINY_SHAPE(1, 1, 0, 0), 0);
}
static tiny_tensor *step_cut(const chain_step *c) {
  return c->i & 1 ? tiny_shrink(c->y, TINY_SHAPE(0, 1, 0, 3, 0, 2)) : tiny_expand(
    tiny_reshape(c->y, TINY_SHAPE(1, 3, 2)), TINY_SHAPE(2, 3, 2));
}
static tiny_tensor *step_shape(const chain_step *c) {        // what no view says: an index for each
  return c->i & 1 ? tiny_permute(tiny_reshape(c->y, TINY_SHAPE(2, 3)), TINY_SHAPE(1, 0))
                  : tiny_reshape(tiny_permute(c->y, TINY_SHAPE(1, 0)), TINY_SHAPE(3, 2));
}
static tiny_tensor *step_cast(const chain_step *c) { return tiny_cast(c->y, c->i & 1 ? TINY_F32 : TINY_F64); }
static tiny_tensor *step_sin(const chain_step *c) { return tiny_sin(c->y); }
static tiny_tensor *step_add(const chain_step *c) { return tiny_add(c->y, c->x0); }
static tiny_tensor *step_where(const chain_step *c) {
  return tiny_where(tiny_lt(c->x0, c->half), c->y, tiny_add(c->y, c->one));
}
static tiny_tensor *step_reduce(const chain_step *c) {       // the mean of rows
  return tiny_mul(tiny_expand(tiny_sum(c->y, 1, 1), TINY_SHAPE(3, 2)), c->half);
}
static tiny_tensor *step_max(const chain_step *c) { return tiny_expand(tiny_amax(c->y, 1, 1), TINY_SHAPE(3, 2)); }
static tiny_tensor *step_matmul(const chain_step *c) { return tiny_matmul(c->y, c->unit); }
static tiny_tensor *step_index(const chain_step *c) { return tiny_index_select(c->y, 0, c->order); }
static tiny_tensor *step_cat(const chain_step *c) {
  tiny_tensor *both[2] = {c->y, c->x0};
  return tiny_shrink(tiny_cat(both, 2, 0), TINY_SHAPE(0, 3, 0, 2));
}
static tiny_tensor *step_contiguous(const chain_step *c) { return tiny_contiguous(c->y); }
static tiny_tensor *step_detach(const chain_step *c) { return tiny_detach(c->y); }
static tiny_tensor *step_assign(const chain_step *c) { return tiny_assign(c->y, tiny_add(c->y, c->one)); }
static tiny_tensor *step_checkpoint(const chain_step *c) {
  return tiny_checkpoint(tiny_mul(tiny_add(c->y, c->y), c->half), &c->y, 1);
}

// What comes of a value after n steps, and the slope there.
static void same(double x, int n, double *y, double *slope) { (void)n; *y = x; *slope = 1; }
static void none(double x, int n, double *y, double *slope) { (void)n; *y = x; *slope = 0; }
static void sines(double x, int n, double *y, double *slope) {
  for (*slope = 1; n > 0; n--) { *slope *= cos(x); x = sin(x); }
  *y = x;
}
static void sums(double x, int n, double *y, double *slope) { *y = x * (n + 1); *slope = 1; }
static void some(double x, int n, double *y, double *slope) { *y = x < 0.5 ? x : x + n; *slope = 1; }
static void counts(double x, int n, double *y, double *slope) { *y = x + n; *slope = 1; }

// own: it changes its operand; rows: x is the same along each row
static const struct chain {
  const char *name;
  tiny_tensor *(*step)(const chain_step *c);
  void (*expected)(double x, int n, double *y, double *slope);
  int own, rows;
} chains[] = {
  {"reshape", step_reshape, same, 0, 0}, {"permute", step_permute, same, 0, 0}, {"flip", step_flip, same, 0, 0},
  {"permute and flip", step_turn, same, 0, 0}, {"pad and shrink", step_pad, same, 0, 0},
  {"expand and shrink", step_cut, same, 0, 0}, {"cast", step_cast, same, 0, 0}, {"sin", step_sin, sines, 0, 0},
  {"add", step_add, sums, 0, 0}, {"where", step_where, some, 0, 0}, {"sum", step_reduce, same, 0, 1},
  {"max", step_max, same, 0, 1}, {"matmul", step_matmul, same, 0, 0}, {"index", step_index, same, 0, 0},
  {"cat", step_cat, same, 0, 0}, {"contiguous", step_contiguous, same, 0, 0}, {"detach", step_detach, none, 0, 0},
  {"assign", step_assign, counts, 1, 0}, {"checkpoint", step_checkpoint, same, 0, 0},
};

typedef struct chain_job { const struct chain *chain; const char *device; int n, gradient, good; } chain_job;

typedef struct chain_memory { size_t now, most; } chain_memory;
static void *chain_alloc(void *user, void *ptr, size_t old_nbytes, size_t new_nbytes) {
  chain_memory *m = (chain_memory *)user;
  void *p = new_nbytes ? realloc(ptr, new_nbytes) : NULL;
  if (!new_nbytes) free(ptr);
  else if (!p) return NULL;
  m->now += new_nbytes - old_nbytes;
  if (m->now > m->most) m->most = m->now;
  return p;
}

static int near(double a, double b) { return fabs(a - b) <= 2e-3 * (fabs(b) > 1e-30 ? fabs(b) : 1); }

static void *chain_work(void *arg) {
  chain_job *j = (chain_job *)arg;
  const struct chain *k = j->chain;
  static const float x[6] = {0, 0.25f, 1, 1, 2, 3}, w[6] = {1, 2, 3, 4, 5, 6}, x_rows[6] = {0, 0, 1, 1, 3, 3};
  const float *in = k->rows ? x_rows : x;
  tiny_desc d;
  memset(&d, 0, sizeof d);
  chain_memory memory = {0, 0};
  d.device = j->device; d.cache_dir = ""; d.threads = 1; d.alloc.fn = chain_alloc; d.alloc.user = &memory;
  const clock_t from = clock();
  chain_step c;
  memset(&c, 0, sizeof c);
  c.t = tiny_open(&d);
  tiny_tensor *p = tiny_from(c.t, in, TINY_F32, TINY_SHAPE(3, 2)), *out;
  c.x0 = tiny_from(c.t, in, TINY_F32, TINY_SHAPE(3, 2));
  c.one = tiny_scalar(c.t, 1, TINY_F32); c.half = tiny_scalar(c.t, 0.5, TINY_F32);
  static const float unit[4] = {1, 0, 0, 1};
  static const int32_t order[3] = {0, 1, 2};
  c.unit = tiny_from(c.t, unit, TINY_F32, TINY_SHAPE(2, 2)); c.order = tiny_from(c.t, order, TINY_I32, TINY_SHAPE(3));
  c.y = k->own ? c.x0 : p;
  for (c.i = 0; c.i < j->n; c.i++) {       // a frame for each: handles of what was inside of a step are gone
    tiny_begin(c.t);
    tiny_tensor *y = tiny_keep(k->step(&c));
    test_frame_close(c.t);
    if (!k->own && c.y != p) tiny_free(c.y);
    c.y = y;
  }
  out = c.y;
  if (j->gradient) {
    tiny_tensor *loss = tiny_sum(tiny_mul(c.y, tiny_from(c.t, w, TINY_F32, TINY_SHAPE(3, 2))), TINY_ALL, 0);
    if (tiny_grad(loss, &p, 1, &out) != TINY_OK) out = NULL;
  }
  float got[6];
  j->good = out && tiny_read(out, got, sizeof got) == TINY_OK;
  for (int i = 0; i < 6 && j->good; i++) {
    double y, slope;
    k->expected(in[i], j->n, &y, &slope);
    const double weight = k->rows ? (w[i & ~1] + w[i | 1]) / 2 : w[i];
    j->good = near(got[i], j->gradient ? slope * weight : y);
    if (!j->good) fprintf(stderr, "element %d: %g, not %g\n", i, got[i], j->gradient ? slope * weight : y);
  }
  if (!j->good) fprintf(stderr, "%s, %d times on %s, gradient %d: %s\n", k->name, j->n, j->device, j->gradient,
                        tiny_error(c.t));
  const unsigned long long kernels = tiny_stats_of(c.t).kernels;
  tiny_close(c.t);
  if (getenv("TEST_CHAIN"))
    printf("%-18s %-8s %8d times: %7llu kernels, %6.2f s, %5zu MB\n", k->name, j->gradient ? "gradient" : "",
           j->n, kernels, (double)(clock() - from) / CLOCKS_PER_SEC, memory.most >> 20);
  return NULL;
}

static void test_chains(const char *device, int n) {
  const char *only = getenv("TEST_CLASS");
  for (size_t i = 0; i < sizeof chains / sizeof *chains; i++) for (int gradient = 0; gradient < 2; gradient++) {
    if (only && *only && strcmp(only, chains[i].name)) continue;
    chain_job j = {&chains[i], device, n, gradient, 0};
    if (gradient && chains[i].own) continue;         // an assignment's own operand: no gradient goes through it
    pthread_join(start(chain_work, &j), NULL);
    CHECK(j.good);
  }
}

// Text and the reference interpreter, of a chain as long.
static void *text_work(void *arg) {
  chain_job *j = (chain_job *)arg;
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "INTERP"; d.cache_dir = "";
  tiny_ctx *t = tiny_open(&d);
  static const float x[6] = {0, 0.25f, 1, 1, 2, 3};
  tiny_tensor *y = tiny_from(t, x, TINY_F32, TINY_SHAPE(3, 2));
  for (int i = 0; i < j->n; i++) {
    tiny_tensor *z = i % 3 ? tiny_neg(y) : tiny_permute(tiny_flip(y, TINY_SHAPE(0)), TINY_SHAPE(0, 1));
    tiny_free(y);
    y = z;
  }
  float got[6], reference[6];
  const size_t length = tiny_uop_print(t, tiny_uop_of(y), NULL, 0);
  char *text = (char *)malloc(length + 1);
  tiny_uop_print(t, tiny_uop_of(y), text, length + 1);
  tiny_uop *again = tiny_uop_parse(t, text);
  j->good = again == tiny_uop_of(y);
  j->good &= tiny_reference(y, reference, sizeof reference) == TINY_OK;
  j->good &= tiny_read(y, got, sizeof got) == TINY_OK && !memcmp(got, reference, sizeof got);
  free(text);
  tiny_close(t);
  return NULL;
}

int main(void) {
  const char *env = getenv("TEST_CHAIN");
  const int n = env ? atoi(env) / 4 * 4 : stack_nbytes() > 64 << 10 ? 400 : 4000;
  chain_job text = {NULL, NULL, n, 0, 0};
  test_chains("INTERP", n);
  test_chains("CPU", 40);
  pthread_join(start(text_work, &text), NULL);
  CHECK(text.good);
  test_small(1, 0);
  test_small(2, 0);
  test_small(0, 2);
  test_refused();
  return test_report();
}
