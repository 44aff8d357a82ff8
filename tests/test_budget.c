// brief: plain asan
// test_budget: runs that are cut at any time give the bits of runs that are not, whatever happens between their parts:
// other runs, writes, frees, errors, refused memory; and calls that another thread cancels may be made again.
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif
#define TN_TILED_LEAST 1024
#define TN_TILED_NBYTES 1024
#include "../src/all.c"
#include "test.h"
#include "memory_test.h"
#include <pthread.h>
#include <signal.h>

enum { ROWS = 32, WIDTH = 64, MOST_IN = 3, MOST_OUT = 3, MOST_STATE = 6, ROUNDS = 4, LONGEST = 64 * 1024 };

// ** programs of every kind **

typedef struct job {
  tiny_ctx *t; tiny_program *p;
  tiny_tensor *in[MOST_IN], *out[MOST_OUT], *state[MOST_STATE];
  int nin, nout, nstate;
  tiny_optim optim;
} job;

static uint64_t die = 88172645463325252u;
static uint64_t roll(uint64_t below) {
  die ^= die << 13; die ^= die >> 7; die ^= die << 17;
  return die % below;
}
static tiny_tensor *wave(tiny_ctx *t, int round, tiny_shape s) {
  float *v = (float *)malloc((size_t)tn_dims_nelem(s.ndim, s.dim) * sizeof *v + 1);
  for (int64_t i = 0; i < tn_dims_nelem(s.ndim, s.dim); i++) v[i] = (float)((i * 7 + round * 13) % 101) / 101 - 0.5f;
  tiny_tensor *x = tiny_from(t, v, TINY_F32, s);
  free(v);
  return x;
}

static void network_inputs(job *j, int round) {
  j->nin = 1;
  j->in[0] = wave(j->t, round, TINY_SHAPE(ROWS, WIDTH));
}
static tiny_tensor *weight(job *j, int i, int64_t rows, int64_t columns) {
  j->state[i] = wave(j->t, 100 + i, TINY_SHAPE(rows, columns));
  if (i >= j->nstate) j->nstate = i + 1;
  return j->state[i];
}
static void network_build(job *j) {        // an inference; sums of weights are kept
  tiny_tensor *a = weight(j, 0, WIDTH, WIDTH), *b = weight(j, 1, WIDTH, WIDTH);
  tiny_tensor *w = tiny_sub(a, tiny_mean(a, 0, 1));
  tiny_tensor *h = tiny_relu(tiny_matmul(j->in[0], tiny_contiguous(tiny_softmax(w, 0))));
  j->out[0] = tiny_softmax(tiny_matmul(h, b), -1);
  j->out[1] = tiny_sum(h, TINY_ALL, 0);
  j->nout = 2;
}
static void step_inputs(job *j, int round) {
  j->nin = 2;
  j->in[0] = wave(j->t, round, TINY_SHAPE(ROWS, WIDTH));
  j->in[1] = wave(j->t, round + 50, TINY_SHAPE(ROWS, 1));
}
static void step_build(job *j) {           // a training step: two layers, dropout, Adam
  tiny_tensor *g[2];
  weight(j, 0, WIDTH, WIDTH); weight(j, 1, WIDTH, 1);
  tiny_tensor *h = tiny_dropout(tiny_tanh(tiny_matmul(j->in[0], j->state[0])), 0.3, 1);
  j->out[0] = tiny_mse_loss(tiny_matmul(h, j->state[1]), j->in[1], TINY_MEAN);
  j->nout = 1;
  CHECK_EQ(tiny_grad(j->out[0], j->state, 2, g), TINY_OK);
  j->optim.kind = TINY_ADAM; j->optim.lr = 0.01;
  CHECK_EQ(tiny_optim_step(&j->optim, j->state, g, 2), TINY_OK);
}
static void tiled_inputs(job *j, int round) {
  j->nin = 3;
  for (int i = 0; i < 3; i++) j->in[i] = wave(j->t, round + i, TINY_SHAPE(1, 2, 100, 8));
}
static void tiled_build(job *j) {
  tiny_attention_desc d;
  memset(&d, 0, sizeof d);
  d.causal = 1;
  j->out[0] = tiny_attention(j->in[0], j->in[1], j->in[2], &d);
  j->nout = 3;
  CHECK_EQ(tiny_grad(tiny_sum(tiny_square(j->out[0]), TINY_ALL, 0), j->in, 2, j->out + 1), TINY_OK);
}
static void random_inputs(job *j, int round) {
  j->nin = 2;
  j->in[0] = wave(j->t, round, TINY_SHAPE(ROWS, WIDTH));
  j->in[1] = tiny_scalar(j->t, 0.25 * round, TINY_F32);
}
static void random_build(job *j) {         // random numbers, a scalar, an input that is given back
  tiny_tensor *noise = tiny_mul(tiny_randn(j->t, TINY_SHAPE(ROWS, WIDTH)), j->in[1]);
  j->out[0] = tiny_sort(tiny_add(j->in[0], noise), -1, 0, NULL);
  j->out[1] = tiny_reshape(j->in[0], TINY_SHAPE(WIDTH, ROWS));
  j->nout = 2;
}
static void counter_inputs(job *j, int round) { (void)round; j->nin = 0; }
static void counter_build(job *j) {        // no inputs and no outputs: memory that is assigned to
  weight(j, 0, WIDTH, WIDTH);
  tiny_assign(j->state[0], tiny_add(tiny_mul(tiny_matmul(j->state[0], j->state[0]), tiny_like(j->state[0], 0.01)),
                                    tiny_roll(j->state[0], TINY_SHAPE(1), TINY_SHAPE(0))));
}
typedef struct kind { const char *name; void (*inputs)(job *j, int round), (*build)(job *j); } kind;
static const kind kinds[] = {
  {"network", network_inputs, network_build}, {"step", step_inputs, step_build}, {"tiled", tiled_inputs, tiled_build},
  {"random", random_inputs, random_build}, {"counter", counter_inputs, counter_build},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

// ** how they are opened, run and compared **

static tiny_ctx *open_on(const char *device, int threads) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = device; d.threads = threads; d.cache_dir = ""; d.seed = 5; d.compiler = "builtin";
  return tiny_open(&d);
}
static void inputs(job *j, const kind *k, int round) {
  k->inputs(j, round);
  for (int i = 0; i < j->nin; i++) tiny_keep(j->in[i]);
}
static void free_inputs(job *j) { for (int i = 0; i < j->nin; i++) tiny_free(j->in[i]); }
static void free_outputs(job *j) { for (int i = 0; i < j->nout; i++) tiny_free(j->out[i]); }
// In a context that may have several.
static void capture(job *j, tiny_ctx *t, const kind *k) {
  memset(j, 0, sizeof *j);
  j->t = t;
  tiny_begin(t);
  inputs(j, k, 0);
  k->build(j);
  for (int i = 0; i < j->nstate; i++) tiny_keep(j->state[i]);
  j->p = tiny_capture(t, j->in, j->nin, j->out, j->nout);
  CHECK(j->p != NULL);
  CHECK_EQ(tiny_end(t), TINY_OK);
  free_inputs(j);
}

// What a run gave, and what it left, as bytes. Frees the outputs.
typedef struct bytes { size_t n; char at[LONGEST * 4]; } bytes;
static void take(job *j, bytes *b) {
  b->n = 0;
  for (int i = 0; i < j->nout + j->nstate; i++) {
    tiny_tensor *x = i < j->nout ? j->out[i] : j->state[i - j->nout];
    const size_t nbytes = (size_t)tiny_nelem_of(x) * 4;
    if (b->n + nbytes > sizeof b->at) { CHECK(!"room"); return; }
    tiny_code code;
    while ((code = tiny_read(x, b->at + b->n, nbytes)) == TINY_E_CANCELLED) {}         // asked for late
    CHECK_EQ(code, TINY_OK);
    b->n += nbytes;
  }
  free_outputs(j);
}
static int is_same(const bytes *a, const bytes *b) { return a->n == b->n && a->n && !memcmp(a->at, b->at, a->n); }

// What ROUNDS runs of each kind give, one after the other, in a context of its own.
static bytes want[KINDS][ROUNDS];
static void wanted(const char *device, int threads) {
  for (int k = 0; k < KINDS; k++) {
    job j;
    tiny_ctx *t = open_on(device, threads);
    capture(&j, t, &kinds[k]);
    for (int r = 0; r < ROUNDS; r++) {
      inputs(&j, &kinds[k], r);
      CHECK_EQ(tiny_run(j.p, j.in, j.out), TINY_OK);
      take(&j, &want[k][r]);
      free_inputs(&j);
    }
    CHECK_EQ(tiny_status(t), TINY_OK);
    tiny_optim_free(&j.optim);
    tiny_close(t);
  }
}
static uint64_t some_ns(int how) { return how == 0 ? 1 : how == 1 ? roll(200000) : (uint64_t)1 << roll(24); }

// Tasks of a run of p, steps without tasks as one.
static int64_t tasks_of(const tiny_program *p) {
  int64_t n = 0;
  for (int i = 0; p->plan && i < p->plan->nstep; i++) {
    const tn_step *s = &p->plan->step[i];
    if (!tn_step_does(s) || (p->kept.done && p->kept.step[i])) continue;
    const struct tn_device *d = p->t->device[s->device];
    n += tn_step_times(p->plan, s) * (s->exe->tasks > 1 && tn_cpu_takes_parts(d->backend, d->dev) ? s->exe->tasks : 1);
  }
  return n;
}

// ** the same bits, however they are cut **

static void check_cut(const char *device, int threads, int how) {
  static bytes got;
  int tiled = 0, kept = 0;
  for (int k = 0; k < KINDS; k++) {
    job j;
    tiny_ctx *t = open_on(device, threads);
    capture(&j, t, &kinds[k]);
    for (int i = 0; i < j.p->plan->nstep; i++) { tiled += j.p->plan->step[i].tiled > 0; kept += j.p->kept.step[i]; }
    for (int r = 0; r < ROUNDS; r++) {
      const int64_t tasks = tasks_of(j.p);
      int64_t calls = 1;
      tiny_code code;
      inputs(&j, &kinds[k], r);
      for (int i = 0; i < j.nout; i++) j.out[i] = NULL;
      tiny_begin(t);
      code = tiny_run_for(j.p, j.in, j.out, some_ns(how));
      for (int i = 0; code == TINY_OK && i < j.nout; i++) tiny_keep(j.out[i]);
      CHECK_EQ(tiny_end(t), TINY_OK);
      free_inputs(&j);                     // nothing looks at them any more
      for (; code == TINY_MORE; calls++) {
        for (int i = 0; i < j.nout; i++) CHECK(j.out[i] == NULL);
        CHECK_EQ(t->runtime->unfinished, 1);
        if (roll(4) == 0) tn_guard(t, tn_collect_all, NULL);
        code = tiny_run_for(j.p, NULL, j.out, some_ns(how));
      }
      CHECK_EQ(code, TINY_OK);
      if (how == 0) CHECK_EQ(calls, tasks ? tasks : 1);
      take(&j, &got);
      CHECK(is_same(&got, &want[k][r]));
      if (!is_same(&got, &want[k][r])) fprintf(stderr, "    %s on %s, run %d\n", kinds[k].name, device, r);
      CHECK_EQ(t->runtime->unfinished, 0);
    }
    CHECK_EQ(tiny_status(t), TINY_OK);
    if (tiny_status(t)) fprintf(stderr, "    %s on %s: %s\n", kinds[k].name, device, tiny_error(t));
    tiny_optim_free(&j.optim);
    tiny_close(t);
  }
  CHECK(tiled && kept);
}

// ** several programs under way, and other calls between: as if each run were whole where it begins **

// The same in two contexts: [0] runs are whole, [1] they are cut.
typedef struct pair { job j[2]; int begun; bytes given; } pair;
typedef struct world { tiny_ctx *t[2]; pair of[KINDS]; int round; } world;

static void outputs_of(job *j, bytes *b) {
  const int nstate = j->nstate;
  j->nstate = 0;
  take(j, b);
  j->nstate = nstate;
}
static void compare(world *w, tiny_tensor *a, tiny_tensor *b) {
  static char x[LONGEST], y[LONGEST];
  const size_t nbytes = (size_t)tiny_nelem_of(a) * 4;
  (void)w;
  CHECK_EQ(tiny_read(a, x, nbytes), TINY_OK);
  CHECK_EQ(tiny_read(b, y, nbytes), TINY_OK);
  CHECK(!memcmp(x, y, nbytes));
}
static void world_begins(world *w, pair *q, const kind *k) {
  w->round++;
  for (int i = 0; i < 2; i++) inputs(&q->j[i], k, w->round);
  CHECK_EQ(tiny_run(q->j[0].p, q->j[0].in, q->j[0].out), TINY_OK);
  outputs_of(&q->j[0], &q->given);
  q->begun = 1;
}
static void world_goes_on(pair *q) {
  static bytes got;
  const tiny_code code = tiny_run_for(q->j[1].p, q->begun == 1 ? q->j[1].in : NULL, q->j[1].out, some_ns((int)roll(3)));
  CHECK(code == TINY_MORE || code == TINY_OK);
  if (q->begun == 1 && roll(2)) {          // what is written to an input now comes too late
    const size_t nbytes = q->j[1].nin ? (size_t)tiny_nelem_of(q->j[1].in[0]) * 4 : 0;
    if (nbytes) CHECK_EQ(tiny_write(q->j[1].in[0], want, nbytes), TINY_OK);
  }
  if (q->begun == 1) for (int i = 0; i < 2; i++) free_inputs(&q->j[i]);
  q->begun = 2;
  if (code != TINY_OK) return;
  q->begun = 0;
  outputs_of(&q->j[1], &got);
  CHECK(got.n == q->given.n && !memcmp(got.at, q->given.at, got.n));
}
static void world_runs_whole(world *w, pair *q, const kind *k) {
  static bytes got[2];
  w->round++;
  for (int i = 0; i < 2; i++) {
    inputs(&q->j[i], k, w->round);
    CHECK_EQ(tiny_run(q->j[i].p, q->j[i].in, q->j[i].out), TINY_OK);
    outputs_of(&q->j[i], &got[i]);
    free_inputs(&q->j[i]);
  }
  CHECK(got[0].n == got[1].n && !memcmp(got[0].at, got[1].at, got[0].n));
}
static void world_writes(world *w, pair *q, int how) {
  if (!q->j[0].nstate) return;
  const int s = (int)roll((uint64_t)q->j[0].nstate);
  tiny_tensor *now[2];
  w->round++;
  for (int i = 0; i < 2; i++) {
    tiny_tensor *x = q->j[i].state[s];
    const int64_t n = tiny_nelem_of(x);
    float *v = (float *)malloc((size_t)n * sizeof *v);
    for (int64_t e = 0; e < n; e++) v[e] = (float)((e + w->round) % 13) / 64 - 0.1f;
    tiny_begin(w->t[i]);
    now[i] = x;
    if (how == 0) CHECK_EQ(tiny_write(x, v, (size_t)n * sizeof *v), TINY_OK);
    if (how == 1) tiny_assign(x, tiny_mul(x, tiny_like(x, 0.5)));
    if (how == 2) { now[i] = tiny_sum(tiny_mul(x, x), -1, 0); CHECK_EQ(tiny_realize(&now[i], 1), TINY_OK); }
    tiny_keep(now[i]);
    CHECK_EQ(tiny_end(w->t[i]), TINY_OK);
    free(v);
  }
  compare(w, now[0], now[1]);
  if (how == 2) for (int i = 0; i < 2; i++) tiny_free(now[i]);
}
static void world_draws(world *w) {
  tiny_tensor *x[2];
  for (int i = 0; i < 2; i++) x[i] = tiny_rand(w->t[i], TINY_SHAPE(7));
  compare(w, x[0], x[1]);
  for (int i = 0; i < 2; i++) tiny_free(x[i]);
}
static void check_world(const char *device, int threads, int turns, unsigned long long seed) {
  static world w;
  memset(&w, 0, sizeof w);
  die = 88172645463325252u + seed * 0x9E3779B97F4A7C15u;
  snprintf(test_state.again, sizeof test_state.again, "TEST_FROM=%llu TEST_ROUNDS=1 TEST_ONLY='%s'", seed,
           test_state.name);
  for (int i = 0; i < 2; i++) w.t[i] = open_on(device, threads);
  for (int k = 0; k < KINDS; k++) for (int i = 0; i < 2; i++) capture(&w.of[k].j[i], w.t[i], &kinds[k]);
  for (int n = 0; n < turns; n++) {
    const int k = (int)roll(KINDS);
    pair *q = &w.of[k];
    switch (roll(24)) {
      case 0: world_writes(&w, q, 0); break;
      case 1: world_writes(&w, q, 1); break;
      case 2: world_writes(&w, q, 2); break;
      case 3: world_draws(&w); break;
      case 4: if (q->begun != 1) world_runs_whole(&w, q, &kinds[k]); break;
      default:
        if (!q->begun) world_begins(&w, q, &kinds[k]);
        world_goes_on(q);
    }
  }
  for (int i = 0; i < 2; i++) {            // with runs under way, one of whose programs goes before
    CHECK_EQ(tiny_status(w.t[i]), TINY_OK);
    if (tiny_status(w.t[i])) fprintf(stderr, "    %s\n", tiny_error(w.t[i]));
    for (int k = 0; k < KINDS; k++) tiny_optim_free(&w.of[k].j[i].optim);
    tiny_program_free(w.of[roll(KINDS)].j[i].p);
    tiny_close(w.t[i]);
  }
}

// ** refused memory: whatever call it meets, nothing is lost, and what is made again is right **

static void check_refused(const char *device) {
  static bytes got;
  for (int k = 0; k < KINDS; k++) for (long at = 0, done = 0; !done && at < 90; at += 2 * (long)test_step() - 1) {
    memory_count m;
    memset(&m, 0, sizeof m);
    tiny_desc d;
    memset(&d, 0, sizeof d);
    d.device = device; d.threads = 2; d.cache_dir = ""; d.seed = 5; d.compiler = "builtin";
    d.alloc.fn = memory_fn; d.alloc.user = &m;
    job j;
    tiny_ctx *t = tiny_open(&d);
    capture(&j, t, &kinds[k]);
    inputs(&j, &kinds[k], 0);
    tiny_code code = tiny_run_for(j.p, j.in, j.out, 1);
    m.fail_at = m.calls + 1 + at;
    if (at & 1 && code == TINY_MORE) {     // a call in between that goes on with it, or one that draws memory
      tiny_tensor *x = j.nstate ? j.state[0] : j.in[0];
      if (tiny_read(x, got.at, (size_t)tiny_nelem_of(x) * 4) == TINY_OK) {}
      if (tiny_status(t) != TINY_OK) tiny_clear(t);
    }
    while (code == TINY_MORE) code = tiny_run_for(j.p, NULL, j.out, 1);
    done = m.calls < m.fail_at;
    m.fail_at = 0;
    CHECK(code == TINY_OK || code == TINY_E_MEMORY);
    CHECK(t->runtime->unfinished == 0 && !j.p->unfinished);
    const int again = code != TINY_OK;
    CHECK_EQ(again, tiny_status(t) != TINY_OK);
    if (again) {
      for (int i = 0; i < j.nout; i++) CHECK(!tiny_ok(j.out[i]));
      tiny_clear(t);
      code = tiny_run(j.p, j.in, j.out);
    }
    CHECK_EQ(code, TINY_OK);
    if (!again || !j.p->updates) { take(&j, &got); CHECK(is_same(&got, &want[k][0])); }
    tiny_optim_free(&j.optim);
    tiny_close(t);
    CHECK(m.live == 0 && m.wrong == 0);
  }
}

// ** cancelled from another thread: the call says so, nothing is poison, and what is made again is right **

typedef struct canceller { tiny_ctx *t; int64_t go, quit, us; pthread_t thread; } canceller;
static void *cancel_work(void *arg) {
  canceller *c = (canceller *)arg;
  while (!tn_os_atomic_load(&c->quit)) {
    if (!tn_os_atomic_load(&c->go)) { tn_os_relax(); continue; }
    const uint64_t from = tn_os_now(), ns = (uint64_t)tn_os_atomic_load(&c->us) * 1000;
    while (tn_os_now() - from < ns && !tn_os_atomic_load(&c->quit)) tn_os_relax();
    tiny_cancel(c->t);
    tn_os_atomic_store(&c->go, 0);
  }
  return NULL;
}
// Asks for a cancel some time from now; waits until it was asked for.
static void cancel_soon(canceller *c) {
  tn_os_atomic_store(&c->us, (int64_t)roll(400));
  tn_os_atomic_store(&c->go, 1);
}
static void cancel_was_asked(canceller *c) { while (tn_os_atomic_load(&c->go)) tn_os_sleep_us(5); }

static float realized[ROWS];                // what the calls below realize
// One call of any that may be cancelled, with its right value; 1: it was cancelled.
static int cancel_call(job *j, const kind *k, int how, const bytes *right) {
  static bytes got;
  tiny_ctx *t = j->t;
  tiny_code code = TINY_OK;
  tiny_tensor *y;
  float sum[ROWS];
  int cancelled = 0;
  if (how < 2) {
    inputs(j, k, 1);
    tiny_tensor *const mark = (tiny_tensor *)(void *)&got;
    for (int i = 0; i < j->nout; i++) j->out[i] = mark;
    if (how == 0) code = tiny_run(j->p, j->in, j->out);
    else while ((code = tiny_run_for(j->p, j->in, j->out, 20000)) == TINY_MORE) {}
    CHECK(code == TINY_OK || code == TINY_E_CANCELLED);
    CHECK_EQ(tiny_status(t), TINY_OK);
    cancelled = code == TINY_E_CANCELLED;
    if (cancelled) {
      for (int i = 0; i < j->nout; i++) CHECK(j->out[i] == mark);
      CHECK(t->runtime->unfinished == 0 && !j->p->unfinished);
      while ((code = tiny_run(j->p, j->in, j->out)) == TINY_E_CANCELLED) {}
      CHECK_EQ(code, TINY_OK);
    }
    free_inputs(j);
    outputs_of(j, &got);
    CHECK(got.n == right->n && !memcmp(got.at, right->at, got.n));
    return cancelled;
  }
  tiny_begin(t);
  tiny_tensor *x = wave(t, 3, TINY_SHAPE(ROWS, WIDTH));
  y = tiny_sum(tiny_matmul(tiny_transpose(x, 0, 1), x), -1, 0);
  y = tiny_shrink(y, TINY_SHAPE(0, ROWS));
  if (!k) CHECK_EQ(tiny_read(y, realized, sizeof realized), TINY_OK);
  if (how == 2) while ((code = tiny_realize(&y, 1)) == TINY_E_CANCELLED) cancelled = 1;
  CHECK_EQ(code, TINY_OK);
  while ((code = tiny_read(y, sum, sizeof sum)) == TINY_E_CANCELLED) cancelled = 1;
  CHECK_EQ(code, TINY_OK);
  CHECK(!memcmp(sum, realized, sizeof sum));
  tiny_tensor *c = wave(t, 4, TINY_SHAPE(ROWS));
  tiny_assign(c, tiny_add(c, y));
  while ((code = tiny_end(t)) == TINY_E_CANCELLED) { cancelled = 1; CHECK(t->tensors->depth == 1); }
  CHECK_EQ(code, TINY_OK);
  CHECK(t->tensors->depth == 0);
  return cancelled;
}
// Calls of every kind are cancelled; a program that assigns is not compared, as it may have done so.
static void check_cancel(const char *device, int threads, int rounds) {
  canceller c;
  memset(&c, 0, sizeof c);
  static bytes right[KINDS];
  int met[4] = {0}, asked = 0;
  job j[KINDS];
  c.t = open_on(device, threads);
  for (int k = 0; k < KINDS; k++) {
    capture(&j[k], c.t, &kinds[k]);
    inputs(&j[k], &kinds[k], 1);
    c.t->tensors->random = 77;
    CHECK_EQ(tiny_run(j[k].p, j[k].in, j[k].out), TINY_OK);
    outputs_of(&j[k], &right[k]);
    free_inputs(&j[k]);
  }
  CHECK_EQ(cancel_call(&j[0], NULL, 3, NULL), 0);
  CHECK_EQ(pthread_create(&c.thread, NULL, cancel_work, &c), 0);
  for (int i = 0; i < rounds; i++) {
    const int how = (int)roll(4), k = (int)roll(KINDS);
    if (j[k].p->updates) continue;
    cancel_soon(&c);
    c.t->tensors->random = 77;
    const int cancelled = cancel_call(&j[k], &kinds[k], how, &right[k]);
    cancel_was_asked(&c);
    met[how] += cancelled;
    asked++;
    CHECK_EQ(tiny_status(c.t), TINY_OK);
    if (roll(2)) tiny_clear(c.t);          // else the next call meets what this one has not
  }
  tn_os_atomic_store(&c.quit, 1);
  pthread_join(c.thread, NULL);
  for (int how = 0; how < 4; how++) CHECK(met[how] > 0);
  if (getenv("TEST_SHOW"))
    printf("%s: %d calls, cancelled %d %d %d %d\n", device, asked, met[0], met[1], met[2], met[3]);
  for (int k = 0; k < KINDS; k++) tiny_optim_free(&j[k].optim);
  tiny_close(c.t);
}

static tiny_ctx *signalled;
static void cancel_by_signal(int number) { (void)number; tiny_cancel(signalled); }

// What is asked for when nothing runs ends the next call; runs under way are told one by one; tiny_clear forgets it.
static void check_cancel_between(const char *device) {
  static bytes got;
  static const int of[2] = {0, 3};         // none that assigns
  job j[2];
  tiny_ctx *t = open_on(device, 1);
  for (int k = 0; k < 2; k++) {
    capture(&j[k], t, &kinds[of[k]]);
    inputs(&j[k], &kinds[of[k]], 0);
  }
  for (int k = 0; k < 2; k++) CHECK_EQ(tiny_run_for(j[k].p, j[k].in, j[k].out, 1), TINY_MORE);
  CHECK_EQ(t->runtime->unfinished, 2);
  const uint32_t drawn = t->tensors->random;
  tiny_cancel(t);
  CHECK_EQ(tiny_run_for(j[0].p, NULL, j[0].out, UINT64_MAX), TINY_E_CANCELLED);
  CHECK_EQ(t->runtime->unfinished, 0);
  CHECK(t->tensors->random < drawn);
  CHECK_EQ(tiny_run_for(j[1].p, NULL, j[1].out, UINT64_MAX), TINY_E_CANCELLED);
  for (int k = 0; k < 2; k++) {            // each was told; now they begin anew
    CHECK_EQ(tiny_run_for(j[k].p, j[k].in, j[k].out, UINT64_MAX), TINY_OK);
    take(&j[k], &got);
    CHECK(is_same(&got, &want[of[k]][0]));
  }
  signalled = t;
  signal(SIGUSR1, cancel_by_signal);
  CHECK_EQ(raise(SIGUSR1), 0);
  signal(SIGUSR1, SIG_DFL);
  CHECK_EQ(tiny_run(j[0].p, j[0].in, j[0].out), TINY_E_CANCELLED);
  tiny_cancel(t);
  tiny_clear(t);
  CHECK_EQ(tiny_run_for(j[0].p, j[0].in, j[0].out, 1), TINY_MORE);
  CHECK_EQ(tiny_run(j[0].p, j[0].in, j[0].out), TINY_OK);    // another one, behind it
  free_outputs(&j[0]);
  CHECK_EQ(t->runtime->unfinished, 0);
  tiny_tensor *same;                       // a program that gives its input back, and has no kernel
  tiny_program *nothing = tiny_capture(t, j[0].in, 1, j[0].in, 1);
  CHECK_EQ(tiny_run_for(nothing, j[0].in, &same, 1), TINY_OK);
  CHECK_EQ(tiny_read(same, got.at, (size_t)tiny_nelem_of(same) * 4), TINY_OK);
  CHECK_EQ(tiny_read(j[0].in[0], got.at + LONGEST, (size_t)tiny_nelem_of(same) * 4), TINY_OK);
  CHECK(!memcmp(got.at, got.at + LONGEST, (size_t)tiny_nelem_of(same) * 4));
  CHECK_EQ(tiny_run_for(j[0].p, NULL, j[0].out, 1), TINY_OK);
  take(&j[0], &got);
  CHECK(is_same(&got, &want[0][0]));
  CHECK_EQ(tiny_run_for(NULL, NULL, NULL, 1), TINY_E_ARG);
  CHECK_EQ(tiny_run_for(j[0].p, NULL, j[0].out, 1), TINY_E_ARG);
  CHECK(!tiny_ok(j[0].out[0]));
  tiny_cancel(NULL);
  CHECK_STR(tiny_code_name(TINY_MORE), "TINY_MORE");
  tiny_close(t);
}

int main(void) {
  static const struct { const char *device; int threads; } on[] = {
    {"CPU", 1}, {"CPU", 3}, {"CPU,CPU", 2}, {"INTERP", 1}, {"INTERP:0,INTERP:6", 1}
  };
  const int late = tiny_backend_named("INTERP")->event != NULL;        // make late: others are as they are elsewhere
  for (size_t d = late ? 3 : 0; d < (late ? 5 : 4); d++) {
    const char *device = on[d].device;
    const int threads = on[d].threads;
    wanted(device, threads);
    for (int how = 0; how < 3; how++)
      if (case_named("%s, %d threads: cut in way %d", device, threads, how)) check_cut(device, threads, how);
    if (case_named("%s, %d threads: between", device, threads)) check_cancel_between(device);
    if (threads == 1 && case_named("%s, %d threads: refused", device, threads)) check_refused(device);
    if (case_named("%s, %d threads: cancelled", device, threads)) check_cancel(device, threads, test_brief(100, 1000));
    for (unsigned long long seed = test_from(1), i = 0; i < (unsigned)test_rounds(10); i++)
      if (case_named("%s, %d threads: several", device, threads)) check_world(device, threads, 100, seed + i);
  }
  case_end();
  return test_report();
}
