// test_optim: optimisers and learning rates go where PyTorch's go; clipping, mixed precision, averages; captured steps.
#include "../src/all.c"
#include "test.h"
#include "memory_test.h"

typedef struct optim_case { const char *name; tiny_optim_kind kind; const char *settings; int dim[2]; double want[10]; } optim_case;
#include "vectors/optim.inc"

static tiny_ctx *t;

static int near(double got, double want, double tol) { return fabs(got - want) <= tol * (1 + fabs(want)); }

// "lr=0.1 nesterov=1" into the struct.
static void settings(tiny_optim *o, const char *text) {
  struct { const char *name; double *number; int *flag; } field[] = {
    {"lr", &o->lr, NULL}, {"momentum", &o->momentum, NULL}, {"dampening", &o->dampening, NULL}, {"beta1", &o->beta1, NULL},
    {"beta2", &o->beta2, NULL}, {"eps", &o->eps, NULL}, {"weight_decay", &o->weight_decay, NULL}, {"nesterov", NULL, &o->nesterov},
    {"centered", NULL, &o->centered}, {"amsgrad", NULL, &o->amsgrad}, {"maximize", NULL, &o->maximize}};
  while (*text) {
    const size_t n = strcspn(text, "=");
    char *end;
    const double value = strtod(text + n + 1, &end);
    int known = 0;
    for (size_t i = 0; i < sizeof field / sizeof *field; i++) {
      if (strlen(field[i].name) != n || strncmp(field[i].name, text, n)) continue;
      if (field[i].number) *field[i].number = value; else *field[i].flag = (int)value;
      known = 1;
    }
    CHECK(known);
    text = *end ? end + 1 : end;
  }
}

static tiny_tensor *parameter(const optim_case *c, tiny_dtype dtype, int *n) {
  double start[10];
  *n = c->dim[0] * (c->dim[1] ? c->dim[1] : 1);
  for (int i = 0; i < *n; i++) start[i] = (i * 7 % 5 - 2.0) / 2 + 0.1;
  tiny_tensor *x = tiny_from(t, start, TINY_F64, c->dim[1] ? TINY_SHAPE(c->dim[0], c->dim[1]) : TINY_SHAPE(c->dim[0]));
  x = tiny_cast(x, dtype);
  CHECK_EQ(tiny_realize(&x, 1), TINY_OK);
  return tiny_keep(x);
}
static tiny_tensor *gradient(tiny_tensor *p, int n, int step) {
  tiny_tensor *i = tiny_reshape(tiny_remainder(tiny_arange(t, 0, n, 1, tiny_dtype_of(p)), tiny_scalar(t, 3, tiny_dtype_of(p))), tiny_shape_of(p));
  return tiny_add(tiny_mul(tiny_sub(p, tiny_like(p, 1)), tiny_add(i, tiny_like(p, 1))), tiny_scalar(t, step * 0.01, tiny_dtype_of(p)));
}

static void trajectory(const optim_case *c, tiny_dtype dtype, double tol) {
  tiny_optim o;
  double got[10];
  int n, off = 0;
  memset(&o, 0, sizeof o);
  o.kind = c->kind;
  settings(&o, c->settings);
  tiny_tensor *p = parameter(c, dtype, &n);
  for (int step = 0; step < OPTIM_STEPS; step++) {
    tiny_begin(t);
    tiny_tensor *g = gradient(p, n, step);
    CHECK_EQ(tiny_optim_step(&o, &p, &g, 1), TINY_OK);
    CHECK_EQ(tiny_end(t), TINY_OK);
  }
  CHECK_EQ(tiny_read(tiny_cast(p, TINY_F64), got, (size_t)n * sizeof *got), TINY_OK);
  for (int i = 0; i < n; i++) off += !near(got[i], c->want[i], tol);
  if (off) fprintf(stderr, "%s %s: %.17g, not %.17g\n", c->name, c->settings, got[0], c->want[0]);
  CHECK_EQ(off, 0);
  CHECK_STR(tiny_error(t), "");
  tiny_clear(t);
  tiny_optim_free(&o);
  tiny_free(p);
}

static void check_rates(void) {
#define RATE(...) {__VA_ARGS__}
#define CHECK_RATE(call, list) { const double want[20] = list; for (int i = 0; i < 20; i++) if (!near(call, want[i], 1e-12)) { \
    fprintf(stderr, "%s at %d: %.17g, not %.17g\n", #call, i, call, want[i]); CHECK(0); } else CHECK(1); }
  RATES(CHECK_RATE)
  tiny_plateau s;
  double lr = 0.5;
  memset(&s, 0, sizeof s);
  s.factor = 0.5; s.patience = 2; s.lowest = 0.1;
  for (int i = 0; i < 20; i++) {
    static const double loss[8] = {5, 4, 4, 4, 4, 3.9999, 3, 3};
    lr = tiny_lr_plateau(&s, lr, loss[i < 7 ? i : 7]);
    CHECK(near(lr, plateau_rates[i], 1e-12));
  }
  CHECK(tiny_lr_polynomial(0.5, 10, 10, 1) == TINY_ZERO);   // not the default
  CHECK(tiny_lr_linear(0.5, 0, 0, 0, 1) == 0.5);
  CHECK(tiny_lr_plateau(NULL, 3, 1) == 3);
}

static void check_clipping(void) {
  const double a[3] = {3, -4, 0}, b[2] = {12, 0};
  double got[3];
  const double norms[3] = {13, 12, 19}, ps[3] = {0, HUGE_VAL, 1};
  for (int i = 0; i < 3; i++) {
    tiny_tensor *g[2];
    g[0] = tiny_from(t, a, TINY_F64, TINY_SHAPE(3)); g[1] = tiny_from(t, b, TINY_F64, TINY_SHAPE(2));
    CHECK(near(tiny_item(tiny_clip_grad_norm(g, 2, 6.5, ps[i])), norms[i], 1e-12));
    tiny_read(g[0], got, sizeof got);
    CHECK(near(got[1], -4 * 6.5 / (norms[i] + 1e-6), 1e-12) && got[2] == 0);
    CHECK(near(tiny_item(tiny_clip_grad_norm(g, 2, 100, ps[i])), 6.5, 1e-5));    // below: unchanged
    tiny_read(g[1], got, 16);
    CHECK(near(got[0], 12 * 6.5 / (norms[i] + 1e-6), 1e-12));
    CHECK_EQ(tiny_clip_grad_value(g, 2, 1), TINY_OK);
    tiny_read(g[0], got, sizeof got);
    CHECK(got[0] <= 1 && got[1] == -1);
  }
}

// A step that overflows moves nothing, not even the count of steps; the scale halves, and doubles after three good ones.
static void check_scaler(void) {
  tiny_optim o, plain;
  tiny_scaler s;
  const float start = 0.5f;
  const double scales[9] = {4, 2, 2, 2, 4, 2, 2, 2, 4};
  memset(&o, 0, sizeof o);
  memset(&s, 0, sizeof s);
  o.kind = TINY_ADAM; o.lr = 0.1;
  plain = o;
  s.scale = 8; s.interval = 3;
  tiny_tensor *p = tiny_from(t, &start, TINY_F32, TINY_SHAPE(1)), *q = tiny_from(t, &start, TINY_F32, TINY_SHAPE(1)), *g, *h;
  for (int step = 0; step < 9; step++) {
    const int bad = step == 0 || step == 1 || step == 5;
    const double before = tiny_item(p);
    tiny_begin(t);
    tiny_tensor *loss = tiny_sum(tiny_square(tiny_sub(p, tiny_like(p, 3))), 0, 0);
    CHECK_EQ(tiny_grad(tiny_scaler_scale(&s, loss), &p, 1, &g), TINY_OK);
    if (bad) g = tiny_div(g, tiny_scalar(t, step == 1 ? -0.0 : 0, TINY_F32));
    CHECK_EQ(tiny_scaler_unscale(&s, &g, 1), TINY_OK);
    CHECK_EQ(tiny_scaler_step(&s, &o, &p, &g, 1), TINY_OK);
    CHECK_EQ(tiny_scaler_update(&s), TINY_OK);
    CHECK_EQ(tiny_end(t), TINY_OK);
    if (bad) CHECK(tiny_item(p) == before);
    else {
      tiny_begin(t);
      tiny_grad(tiny_sum(tiny_square(tiny_sub(q, tiny_like(q, 3))), 0, 0), &q, 1, &h);
      CHECK_EQ(tiny_optim_step(&plain, &q, &h, 1), TINY_OK);
      tiny_end(t);
    }
    CHECK(near(tiny_item(p), tiny_item(q), 1e-6));
    float state[2];
    tiny_read(s.state, state, sizeof state);
    CHECK(state[0] == (float)scales[step]);
  }
  CHECK_STR(tiny_error(t), "");
  tiny_scaler_free(&s);
  tiny_scaler_free(NULL);
  tiny_optim_free(&o);
  tiny_optim_free(&plain);
}

static void check_average(void) {
  tiny_ema e;
  memset(&e, 0, sizeof e);
  e.decay = 0.5;
  const double start[2] = {1, 2};
  double got[2];
  tiny_tensor *p = tiny_from(t, start, TINY_F64, TINY_SHAPE(2));
  for (int i = 0; i < 3; i++) {
    tiny_begin(t);
    CHECK_EQ(tiny_ema_step(&e, &p, 1), TINY_OK);
    tiny_assign(p, tiny_mul(p, tiny_like(p, 2)));
    CHECK_EQ(tiny_end(t), TINY_OK);
  }
  tiny_read(e.average[0], got, sizeof got);
  CHECK(got[0] == 2.75 && got[1] == 5.5);                    // 1, (1 + 2) / 2, (1.5 + 4) / 2
  CHECK_EQ(tiny_ema_step(&e, NULL, 1), TINY_E_ARG);
  tiny_ema_free(&e);
  tiny_ema_free(NULL);
}

// Where 0 is the default, TINY_ZERO is 0.
static void check_zero(void) {
  const double start[4] = {1, 2, 3, 4}, slope[4] = {1, 1, 1, -1};
  double got[4];
  for (int i = 0; i < 4; i++) {
    tiny_optim o;
    memset(&o, 0, sizeof o);
    o.kind = i < 2 ? TINY_SGD : TINY_ADAM;
    if (i == 1) o.momentum = TINY_ZERO;    // no state
    if (i == 2) o.lr = TINY_ZERO;
    if (i == 3) { o.lr = 0.5; o.beta1 = o.beta2 = o.eps = TINY_ZERO; }   // steps by the sign of the gradient
    tiny_tensor *p = tiny_from(t, start, TINY_F64, TINY_SHAPE(4)), *g = tiny_from(t, slope, TINY_F64, TINY_SHAPE(4));
    for (int step = 0; step < 2; step++) CHECK_EQ(tiny_optim_step(&o, &p, &g, 1), TINY_OK);
    CHECK_EQ(tiny_read(p, got, sizeof got), TINY_OK);
    const double by = i < 2 ? 2e-2 : i == 2 ? 0 : 1;
    for (int k = 0; k < 4; k++) CHECK(near(got[k], start[k] - by * slope[k], 1e-12));
    tiny_optim_free(&o);
  }
  tiny_ema e;
  memset(&e, 0, sizeof e);
  e.decay = TINY_ZERO;
  tiny_tensor *p = tiny_from(t, start, TINY_F64, TINY_SHAPE(4));
  for (int i = 0; i < 2; i++) { CHECK_EQ(tiny_ema_step(&e, &p, 1), TINY_OK); tiny_assign(p, tiny_mul_scalar(p, 2)); }
  CHECK_EQ(tiny_read(e.average[0], got, sizeof got), TINY_OK);
  CHECK(got[0] == 2);                      // what the second step saw
  tiny_ema_free(&e);
  tiny_plateau s;
  memset(&s, 0, sizeof s);
  s.patience = -1; s.factor = TINY_ZERO; s.lowest = 0.25;
  CHECK(tiny_lr_plateau(&s, 1, 5) == 1);
  CHECK(tiny_lr_plateau(&s, 1, 5) == 0.25);  // at once
}

// Another rate, another step: the same graph, so no new kernels.
static void check_replay(void) {
  tiny_optim o;
  const float start[4] = {1, 2, 3, 4};
  tiny_stats early, late;
  memset(&o, 0, sizeof o);
  memset(&early, 0, sizeof early);
  o.kind = TINY_ADAMW; o.weight_decay = 0.1;
  tiny_tensor *p = tiny_from(t, start, TINY_F32, TINY_SHAPE(4)), *g;
  for (int i = 0; i < 8; i++) {
    tiny_begin(t);
    o.lr = 0.1 / (i + 1);
    tiny_grad(tiny_sum(tiny_square(p), 0, 0), &p, 1, &g);
    tiny_optim_step(&o, &p, &g, 1);
    tiny_end(t);
    if (i == 1) early = tiny_stats_of(t);
  }
  late = tiny_stats_of(t);
  CHECK_EQ(late.schedules, early.schedules);
  CHECK_EQ(late.compiled, early.compiled);
  tiny_optim_free(&o);
}

// ** what a frame reads before it ends: the sums that its assignments need as well are computed once **

enum { READ_AFTER, READ_LOSS, READ_TWICE, READ_AND_KEEP, READ_AND_ASSIGN, READ_WEIGHT, READ_AND_DROP, READ_WAYS };
enum { READ_STEPS = 3, READ_ROWS = 8, READ_WIDTH = 12 };

static tiny_tensor *sines(int rows, int columns, double step) {
  float v[READ_WIDTH * READ_WIDTH];
  for (int i = 0; i < rows * columns; i++) v[i] = (float)sin(i * step + 1);
  return tiny_from(t, v, TINY_F32, TINY_SHAPE(rows, columns));
}

// Steps of two layers; in one of the ways. The weights and losses that come of it, and the kernels of the last step.
static int steps_reading(int way, float weight[2][READ_WIDTH * READ_WIDTH], double loss[READ_STEPS]) {
  tiny_optim o;
  int kernels = 0;
  memset(&o, 0, sizeof o);
  o.kind = TINY_ADAM; o.lr = 0.1;
  tiny_tensor *x = sines(READ_ROWS, READ_WIDTH, 0.7), *g[2], *kept = NULL, *other = sines(1, 1, 1);
  tiny_tensor *w[2] = {sines(READ_WIDTH, READ_WIDTH, 0.3), sines(READ_WIDTH, READ_WIDTH, 1.1)};
  for (int i = 0; i < READ_STEPS; i++) {
    const uint64_t before = tiny_stats_of(t).kernels;
    tiny_begin(t);
    tiny_tensor *h = tiny_relu(tiny_matmul(x, w[0])), *y = tiny_matmul(h, w[1]);
    tiny_tensor *mean = tiny_mean(tiny_square(y), TINY_ALL, 0), *most = tiny_amax(y, TINY_ALL, 0);
    tiny_grad(mean, w, 2, g);
    tiny_optim_step(&o, w, g, 2);
    if (way == READ_AFTER) kept = tiny_keep(mean);
    else if (way == READ_WEIGHT) tiny_realize(&w[1], 1);
    if (way != READ_AFTER) loss[i] = tiny_item(mean);
    if (way == READ_TWICE) CHECK(tiny_item(most) > 0);
    if (way == READ_AND_KEEP) kept = tiny_keep(y);
    if (way == READ_AND_ASSIGN) tiny_assign(other, most);
    if (way == READ_AND_DROP) tiny_realize(&w[0], 1);
    tiny_end(t);
    CHECK(t->runtime->paused == NULL);
    if (way == READ_AFTER) loss[i] = tiny_item(kept);
    if (way == READ_AND_KEEP) {
      float last[READ_ROWS * READ_WIDTH];
      double sum = 0;
      CHECK_EQ(tiny_read(kept, last, sizeof last), TINY_OK);  // of the old weights
      for (int j = 0; j < READ_ROWS * READ_WIDTH; j++) sum += (double)last[j] * (double)last[j] / (READ_ROWS * READ_WIDTH);
      CHECK(near(sum, loss[i], 1e-5));
    }
    tiny_free(kept);
    kept = NULL;
    kernels = (int)(tiny_stats_of(t).kernels - before);
  }
  for (int i = 0; i < 2; i++) CHECK_EQ(tiny_read(w[i], weight[i], sizeof weight[i]), TINY_OK);
  tiny_optim_free(&o);
  tiny_free(x); tiny_free(w[0]); tiny_free(w[1]); tiny_free(other);
  return kernels;
}
static void check_reads(void) {
  static float want[2][READ_WIDTH * READ_WIDTH], got[2][READ_WIDTH * READ_WIDTH];
  double loss[READ_STEPS], same[READ_STEPS];
  const int kernels = steps_reading(READ_AFTER, want, loss);
  for (int way = READ_LOSS; way < READ_WAYS; way++) {
    const int now = steps_reading(way, got, same);
    if (way == READ_LOSS) CHECK_EQ(now, kernels);
    for (int i = 0; i < READ_STEPS; i++) CHECK(near(same[i], loss[i], 1e-5));
    for (int i = 0; i < 2; i++) for (int j = 0; j < READ_WIDTH * READ_WIDTH; j++)
      CHECK(near((double)got[i][j], (double)want[i][j], 1e-4));
  }
  CHECK_EQ(tiny_status(t), TINY_OK);
}

// One call for gradients and step: what the two give, to the bit. Nothing is freed by the caller.
static void check_minimize(void) {
  const float start[4] = {0.5f, -1, 2, 0.25f};
  float got[3][4];
  for (int one = 0; one < 3; one++) {
    tiny_program *captured = NULL;
    tiny_params p;
    tiny_optim adam;
    memset(&p, 0, sizeof p); memset(&adam, 0, sizeof adam);
    adam.kind = TINY_ADAM; adam.lr = 0.1;
    tiny_tensor *w = tiny_from(t, start, TINY_F32, TINY_SHAPE(4)), *g;
    tiny_params_add(&p, NULL, "w", w, 1);
    for (int step = one == 2 ? -1 : 0; step < 5; step++) {    // what is captured has not run
      tiny_begin(t);
      tiny_tensor *loss = captured ? NULL : tiny_sum(tiny_square(tiny_sub_scalar(w, 1)), TINY_ALL, 0);
      if (captured) CHECK_EQ(tiny_run(captured, NULL, NULL), TINY_OK);
      else if (one) CHECK_EQ(tiny_optim_minimize(&adam, loss, &p), TINY_OK);
      else CHECK(tiny_grad(loss, p.trainable, 1, &g) == TINY_OK && tiny_optim_step(&adam, p.trainable, &g, 1) == TINY_OK);
      if (one == 2 && !captured) {
        captured = tiny_capture(t, NULL, 0, NULL, 0);
        CHECK(captured != NULL);
      }
      CHECK_EQ(tiny_end(t), TINY_OK);
    }
    CHECK_EQ(tiny_read(w, got[one], sizeof got[one]), TINY_OK);
    // what cannot be
    tiny_params none;
    memset(&none, 0, sizeof none);
    tiny_tensor *loss = tiny_sum(w, TINY_ALL, 0);
    CHECK_EQ(tiny_optim_minimize(NULL, loss, &p), TINY_E_ARG);
    CHECK_EQ(tiny_optim_minimize(&adam, loss, NULL), TINY_E_ARG);
    CHECK_EQ(tiny_optim_minimize(&adam, NULL, &none), TINY_E_ARG);
    CHECK_EQ(tiny_optim_minimize(&adam, loss, &none), TINY_E_ARG);
    tiny_clear(t);
    CHECK_EQ(tiny_optim_minimize(&adam, w, &p), TINY_E_SHAPE);
    tiny_clear(t);
    tiny_tensor *poison = tiny_reshape(w, TINY_SHAPE(3));
    CHECK_EQ(tiny_optim_minimize(&adam, poison, &p), TINY_E_SHAPE);
    tiny_clear(t);
    CHECK_EQ(tiny_optim_minimize(&adam, poison, &p), TINY_E_STATE);          // its error is forgotten, it did not run
    tiny_free(w);
  }
  CHECK(!memcmp(got[0], got[1], sizeof got[0]) && !memcmp(got[0], got[2], sizeof got[0]));
}
// tiny_close frees what structs of the caller's hold; nothing leaks at whichever allocation is refused.
static void check_owned(void) {
  const float start[4] = {0.5f, -1, 2, 0.25f};
  for (long fail = 0, done = 0; !done; fail++) {
    memory_count m = {0, 0, 0, 0};
    tiny_desc d;
    tiny_params p;
    tiny_optim adam;
    tiny_ema ema;
    memset(&d, 0, sizeof d); memset(&p, 0, sizeof p); memset(&adam, 0, sizeof adam); memset(&ema, 0, sizeof ema);
    d.device = "INTERP"; d.cache_dir = ""; d.alloc.fn = memory_fn; d.alloc.user = &m;
    adam.kind = TINY_ADAM;
    tiny_ctx *own = tiny_open(&d);
    m.fail_at = fail ? m.calls + fail : 0;
    tiny_tensor *w = tiny_from(own, start, TINY_F32, TINY_SHAPE(4));
    tiny_recurrent_layer r = tiny_recurrent_layer_new(own, TINY_GRU, 2, 3, NULL, 1);
    tiny_params_add(&p, NULL, "w", w, 1);
    tiny_recurrent_layer_params(&r, &p, "r");
    tiny_begin(own);
    tiny_optim_minimize(&adam, tiny_sum(tiny_square(w), TINY_ALL, 0), &p);
    tiny_ema_step(&ema, p.trainable, p.ntrainable);
    const tiny_code code = tiny_end(own);
    CHECK(code == TINY_OK || code == TINY_E_MEMORY);
    done = fail && m.calls < m.fail_at;
    if (fail % 2) tiny_close(own);         // nothing is freed by hand; or all is
    else {
      tiny_optim_free(&adam);
      tiny_params_free(&p);
      tiny_recurrent_layer_free(&r);
      tiny_ema_free(&ema);
      tiny_close(own);
    }
    CHECK_EQ(m.live, 0);
    CHECK_EQ(m.wrong, 0);
  }
}

int main(void) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  for (int pass = 0; pass < 2; pass++) {
    d.device = pass ? "CPU" : "INTERP";
    t = tiny_open(&d);
    for (size_t i = 0; i < sizeof optim_cases / sizeof *optim_cases; i++) {
      if (!pass) trajectory(&optim_cases[i], TINY_F64, optim_cases[i].kind == TINY_MUON ? 1e-9 : 1e-12);
      else trajectory(&optim_cases[i], TINY_F32, optim_cases[i].kind == TINY_MUON ? 1e-3 : 2e-5);
    }
    for (int i = 0; i < 7; i++) if (pass) trajectory(&optim_cases[i], TINY_BF16, 0.05);       // state is f32
    check_clipping();
    check_scaler();
    check_average();
    check_zero();
    check_replay();
    check_reads();
    check_minimize();
    tiny_close(t);
  }
  check_rates();
  check_owned();
  return test_report();
}
