// also: late valgrind
// test_memory: every allocation fails in turn. Whatever the call, it reports TINY_E_MEMORY or did without, nothing leaks, the sizes
// given back are those that were taken, and the context can be cleared, used again and closed.
// The counts are taken from an untroubled run; long scenarios skip evenly. TEST_ROUNDS=1: none are skipped.
#include "../src/all.c"
#include "test.h"
#include "memory_test.h"

typedef struct scenario {
  const char *name, *device;
  void (*run)(tiny_ctx *t);                // checks values only where every call went well
  int most;                                // failures to try
} scenario;

static tiny_tensor *of(tiny_ctx *t, int n, float first) {
  float v[64];
  for (int i = 0; i < n && i < 64; i++) v[i] = first + (float)i;
  return tiny_from(t, v, TINY_F32, TINY_SHAPE(n));
}

// The first element of x must be want, unless something failed.
static void holds(tiny_tensor *x, float want) {
  float got[64];
  tiny_ctx *t = tiny_ctx_of(x);
  const tiny_code code = tiny_read(x, got, (size_t)tiny_nelem_of(x) * 4);
  if (t && tiny_status(t) == TINY_OK) { CHECK_EQ(code, TINY_OK); CHECK(got[0] == want); }
}

static void opens(tiny_ctx *t) { (void)t; }

static void reads(tiny_ctx *t) {
  tiny_tensor *x = of(t, 24, 1), *y = tiny_matmul(tiny_reshape(x, TINY_SHAPE(4, 6)), tiny_reshape(of(t, 24, 0), TINY_SHAPE(6, 4)));
  holds(tiny_reshape(y, TINY_SHAPE(16)), 280);
  holds(tiny_sum(tiny_contiguous(tiny_add(x, tiny_arange(t, 0, 24, 1, TINY_F32))), 0, 0), 576);
}

static void frames(tiny_ctx *t) {
  tiny_tensor *w = of(t, 8, 1);
  for (int i = 0; i < 3; i++) {
    tiny_tensor *g = NULL;
    tiny_begin(t);
    tiny_tensor *loss = tiny_sum(tiny_square(w), 0, 0);
    tiny_grad(loss, &w, 1, &g);
    tiny_assign(w, tiny_sub(w, tiny_mul(g, tiny_scalar(t, 0.25, TINY_F32))));
    tiny_end(t);
  }
  holds(w, 0.125f);
}

// The loss is read before the frame ends. The sum of the weights changes its sign in every step.
static void reads_loss(tiny_ctx *t) {
  tiny_tensor *w = of(t, 8, 1), *g = NULL;
  for (int i = 0; i < 2; i++) {
    tiny_begin(t);
    tiny_tensor *loss = tiny_square(tiny_sum(w, 0, 0));
    tiny_grad(loss, &w, 1, &g);
    tiny_assign(w, tiny_sub(w, tiny_mul(g, tiny_scalar(t, 0.125, TINY_F32))));
    const double got = tiny_item(loss);
    if (tiny_status(t) == TINY_OK) CHECK(got == 1296);
    tiny_end(t);
  }
  holds(w, 1);
}

static void updates(tiny_ctx *t) {
  tiny_tensor *x = of(t, 8, 1), *old = tiny_add(x, tiny_like(x, 1)), *view = tiny_shrink(x, TINY_SHAPE(0, 4));
  tiny_assign(view, tiny_flip(view, TINY_SHAPE(0)));
  tiny_assign(x, tiny_add(tiny_flip(x, TINY_SHAPE(0)), old));
  holds(x, 10);
  holds(old, 2);
}

static void optimisers(tiny_ctx *t) {
  tiny_tensor *w = of(t, 8, 1), *g = NULL;
  tiny_optim a, s;
  memset(&a, 0, sizeof a);
  memset(&s, 0, sizeof s);
  a.kind = TINY_ADAM;
  s.momentum = 0.5; s.lr = 0.5;
  for (int i = 0; i < 2; i++) {
    tiny_begin(t);
    tiny_grad(tiny_sum(tiny_square(w), 0, 0), &w, 1, &g);
    tiny_optim_step(&a, &w, &g, 1);
    tiny_optim_step(&s, &w, &g, 1);
    tiny_end(t);
  }
  tiny_optim_free(&a);
  tiny_optim_free(&s);
}

// A step of mixed precision through a checkpoint, clipped, averaged.
static void trains(tiny_ctx *t) {
  tiny_tensor *w = of(t, 8, 1), *g = NULL;
  tiny_optim o;
  tiny_scaler s;
  tiny_ema e;
  memset(&o, 0, sizeof o);
  memset(&s, 0, sizeof s);
  memset(&e, 0, sizeof e);
  o.kind = TINY_LAMB; o.amsgrad = 1;
  for (int i = 0; i < 2; i++) {
    tiny_begin(t);
    tiny_tensor *x = tiny_sqrt(w), *y = tiny_checkpoint(tiny_square(tiny_tanh(x)), &x, 1);
    tiny_grad(tiny_scaler_scale(&s, tiny_sum(y, 0, 0)), &w, 1, &g);
    tiny_scaler_unscale(&s, &g, 1);
    tiny_clip_grad_norm(&g, 1, 1, 0);
    tiny_scaler_step(&s, &o, &w, &g, 1);
    tiny_scaler_update(&s);
    tiny_ema_step(&e, &w, 1);
    tiny_end(t);
  }
  tiny_optim_free(&o);
  tiny_scaler_free(&s);
  tiny_ema_free(&e);
}

static void captures(tiny_ctx *t) {
  tiny_tensor *x = of(t, 8, 1), *y = tiny_mul(x, tiny_like(x, 3)), *in = of(t, 8, 2), *out = NULL;
  tiny_program *p = tiny_capture(t, &x, 1, &y, 1);
  if (p && tiny_run(p, &in, &out) == TINY_OK) holds(out, 6);
  else CHECK(tiny_status(t) != TINY_OK);
  tiny_program_free(p);
}

static void kernels(tiny_ctx *t) {
  tiny_tensor *x = of(t, 8, 1);
  tiny_kernel_desc d;
  memset(&d, 0, sizeof d);
  d.inputs = &x; d.n = 1; d.shape = TINY_SHAPE(8); d.dtype = TINY_F32;
  d.uops = tiny_uop_parse(t, "%1 = (RANGE:1:loop 8)\n%2 = (MUL:f32 (LOAD:f32 (INDEX:f32 (PARAM:f32:1 8) %1)) 2.0:f32)\n(SINK (END (STORE (INDEX:f32 (PARAM:f32:0 8) %1) %2) %1))");
  if (!d.uops) { CHECK(tiny_status(t) != TINY_OK); return; }
  tiny_tensor *y = tiny_kernel(t, &d);
  if (tiny_ok(y)) holds(tiny_add(y, x), 3);
}

static const scenario scenarios[] = {
  {"open", "INTERP", opens, 400}, {"read", "INTERP", reads, 150}, {"frames", "INTERP", frames, 150}, {"frames that read", "INTERP", reads_loss, 150}, {"updates", "INTERP", updates, 150}, {"optimisers", "INTERP", optimisers, 120}, {"training", "INTERP", trains, 60},
  {"capture", "INTERP", captures, 150}, {"kernel", "INTERP", kernels, 150}, {"open", "CPU", opens, 100}, {"read", "CPU", reads, 40}, {"frames", "CPU", frames, 16}, {"capture", "CPU", captures, 12}};

// Runs a scenario with the n-th allocation refused (0: none); returns how many there were.
static long attempt(const scenario *s, long n) {
  memory_count m;
  tiny_desc d;
  memset(&m, 0, sizeof m);
  memset(&d, 0, sizeof d);
  m.fail_at = n;
  d.device = s->device; d.cache_dir = ""; d.debug = ""; d.threads = 1;
  d.alloc.fn = memory_fn; d.alloc.user = &m;
  tiny_ctx *t = tiny_open(&d);
  CHECK(t || n);
  if (t) {
    const int opened = tiny_status(t) == TINY_OK;
    s->run(t);
    const tiny_code code = tiny_status(t);
    const int fine = code == TINY_OK || (n && code == TINY_E_MEMORY);
    if (!fine) fprintf(stderr, "  %s on %s, allocation %ld: code %d: %s\n", s->name, s->device, n, code, tiny_error(t));
    CHECK(fine);
    if (n && opened && code != TINY_OK) {  // the host goes on
      tiny_clear(t);
      while (tn_frame_close(t)) {}
      s->run(t);
      const int again = tiny_status(t) == TINY_OK;
      if (!again) fprintf(stderr, "  %s on %s, allocation %ld, second time: %s\n", s->name, s->device, n, tiny_error(t));
      CHECK(again);
    }
    tiny_close(t);
  }
  if (m.live || m.wrong) fprintf(stderr, "  %s on %s, allocation %ld: %ld blocks left, %ld wrong sizes\n", s->name, s->device, n, m.live, m.wrong);
  CHECK_EQ(m.live, 0);
  CHECK_EQ(m.wrong, 0);
  return m.calls;
}

// A cap on buffers is respected, and what does not fit says so.
static void test_cap(void) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "INTERP"; d.cache_dir = ""; d.debug = ""; d.max_nbytes = 1 << 16;
  tiny_ctx *t = tiny_open(&d);
  for (int i = 0; i < 100; i++) {          // more than the cap in all, but not at once
    tiny_begin(t);
    tiny_tensor *x = tiny_contiguous(tiny_full(t, i, TINY_F32, TINY_SHAPE(1000)));
    CHECK_EQ(tiny_realize(&x, 1), TINY_OK);
    tiny_end(t);
  }
  CHECK(tiny_stats_of(t).nbytes_peak <= 1 << 16);
  tiny_tensor *big = tiny_contiguous(tiny_full(t, 1, TINY_F32, TINY_SHAPE(100000)));
  CHECK_EQ(tiny_realize(&big, 1), TINY_E_MEMORY);
  CHECK(strstr(tiny_error(t), "65536") != NULL);
  tiny_clear(t);
  holds(of(t, 8, 5), 5);
  CHECK_EQ(tiny_status(t), TINY_OK);
  tiny_close(t);
}

// What was freed makes room for what comes from outside, too, without anything being run in between.
static void test_room(void) {
  static char bytes[300000];
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "INTERP"; d.cache_dir = ""; d.debug = ""; d.max_nbytes = 1 << 20;
  tiny_ctx *t = tiny_open(&d);
  for (int i = 0; i < 50; i++) {
    tiny_tensor *x = tiny_from(t, bytes, TINY_U8, TINY_SHAPE(300000)), *y = tiny_add(x, x);
    CHECK(tiny_ok(x) && tiny_write(x, bytes, sizeof bytes) == TINY_OK);
    tiny_free(y);
    tiny_free(x);
  }
  tiny_tensor *kept[4];
  for (int i = 0; i < 4; i++) kept[i] = tiny_from(t, bytes, TINY_U8, TINY_SHAPE(300000));
  CHECK(tiny_ok(kept[2]) && !tiny_ok(kept[3]));            // what lives stays
  CHECK_EQ(tiny_status(t), TINY_E_MEMORY);
  tiny_close(t);
}

int main(void) {
  const int all = getenv("TEST_ROUNDS") != NULL;
  for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
    const scenario *s = &scenarios[i];
    const long calls = attempt(s, 0), step = all || calls <= s->most ? 1 : (calls + s->most - 1) / s->most;
    for (long n = 1; n <= calls; n += step) attempt(s, n);
  }
  test_cap();
  test_room();
  return test_report();
}
