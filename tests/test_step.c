// test_step: training steps that are captured: N runs of the program give the weights of N steps that are built anew, to
// the bit, whatever the step keeps in memory: moments, counters, averages, statistics, scales, random numbers.
#include "../src/all.c"
#include "test.h"

enum { ROWS = 6, IN = 5, HIDDEN = 7, STEPS = 6, MOST = 24 };
typedef struct network {
  tiny_ctx *t;
  tiny_tensor *w[4], *mean, *var, *rate;   // w: weights of two layers, scale and shift of the norm between them
  tiny_optim optim; tiny_ema ema; tiny_scaler scaler;
} network;

typedef struct variant {
  const char *name; tiny_optim_kind kind; double lr, momentum, dampening, decay, dropout; int norm, scaled, averaged, clipped, rate;
} variant;
static const variant variants[] = {
  {"sgd",               TINY_SGD,   0.1,  0,   0,   0,   0,   0, 0, 0, 0, 0},
  {"momentum",          TINY_SGD,   0.1,  0.9, 0.5, 0,   0,   0, 0, 0, 0, 0},
  {"adam",              TINY_ADAM,  0.01, 0,   0,   0,   0,   0, 0, 0, 1, 0},
  {"adam, dropout",     TINY_ADAM,  0.01, 0,   0,   0,   0.4, 0, 0, 0, 0, 0},
  {"adamw, norm, rate", TINY_ADAMW, 0.01, 0,   0,   0.1, 0,   1, 0, 0, 0, 1},
  {"all",               TINY_ADAM,  0.02, 0,   0,   0,   0.3, 1, 1, 1, 1, 1},
};

static void network_open(network *n, const char *device, const char *cache, const variant *v) {
  const int64_t rows[2] = {IN, HIDDEN}, columns[2] = {HIDDEN, 1};
  tiny_desc d;
  memset(&d, 0, sizeof d);
  memset(n, 0, sizeof *n);
  d.device = device; d.cache_dir = cache; d.seed = 77;
  n->t = tiny_open(&d);
  n->optim.kind = v->kind; n->optim.lr = v->lr; n->optim.momentum = v->momentum;
  n->optim.dampening = v->dampening; n->optim.weight_decay = v->decay;
  for (int i = 0; i < 2; i++) n->w[i] = tiny_mul(tiny_randn(n->t, TINY_SHAPE(rows[i], columns[i])), tiny_like(tiny_scalar(n->t, 0, TINY_F32), 0.3));
  for (int i = 2; i < 4; i++) n->w[i] = tiny_full(n->t, 3 - i, TINY_F32, TINY_SHAPE(HIDDEN));
  n->mean = tiny_zeros(n->t, TINY_F32, TINY_SHAPE(HIDDEN));
  n->var = tiny_ones(n->t, TINY_F32, TINY_SHAPE(HIDDEN));
  n->rate = tiny_full(n->t, 0.01, TINY_F32, TINY_SHAPE());
  tiny_tensor *all[7] = {n->w[0], n->w[1], n->w[2], n->w[3], n->mean, n->var, n->rate};
  CHECK_EQ(tiny_realize(all, 7), TINY_OK);
}

// Builds a step, whose loss this is.
static tiny_tensor *step(network *n, const variant *v, tiny_tensor *x, tiny_tensor *y) {
  tiny_tensor *h = tiny_matmul(x, n->w[0]), *g[4];
  const int nw = v->norm ? 4 : 2;
  if (v->norm) {
    tiny_batch_norm_state s;
    memset(&s, 0, sizeof s);
    s.mean = n->mean; s.var = n->var; s.weight = n->w[2]; s.bias = n->w[3];
    h = tiny_batch_norm(h, &s, 1);
  }
  h = tiny_dropout(tiny_tanh(h), v->dropout, 1);
  tiny_tensor *loss = tiny_mse_loss(tiny_matmul(h, n->w[1]), y, TINY_MEAN);
  n->optim.rate = v->rate ? n->rate : NULL;
  CHECK_EQ(tiny_grad(v->scaled ? tiny_scaler_scale(&n->scaler, loss) : loss, n->w, nw, g), TINY_OK);
  if (v->scaled) tiny_scaler_unscale(&n->scaler, g, nw);
  if (v->clipped) tiny_clip_grad_norm(g, nw, 0.5, 0);
  if (v->scaled) {
    CHECK_EQ(tiny_scaler_step(&n->scaler, &n->optim, n->w, g, nw), TINY_OK);
    CHECK_EQ(tiny_scaler_update(&n->scaler), TINY_OK);
  } else CHECK_EQ(tiny_optim_step(&n->optim, n->w, g, nw), TINY_OK);
  if (v->averaged) CHECK_EQ(tiny_ema_step(&n->ema, n->w, nw), TINY_OK);
  CHECK_EQ(tiny_status(n->t), TINY_OK);
  return loss;
}

// Data of step i.
static void data_of(network *n, int i, tiny_tensor **in) {
  float x[ROWS * IN], y[ROWS];
  for (int k = 0; k < ROWS * IN; k++) x[k] = (float)((k * 7 + i * 13) % 11) / 5 - 1;
  for (int k = 0; k < ROWS; k++) y[k] = (float)((k * 3 + i) % 5) / 4;
  in[0] = tiny_from(n->t, x, TINY_F32, TINY_SHAPE(ROWS, IN));
  in[1] = tiny_from(n->t, y, TINY_F32, TINY_SHAPE(ROWS, 1));
}
static void rate_of(network *n, int i) {
  const float rate = 0.01f * (float)(i + 1);
  CHECK_EQ(tiny_write(n->rate, &rate, sizeof rate), TINY_OK);
}

// What a network keeps in memory, one after the other.
static int contents(network *n, const variant *v, float *out) {
  tiny_tensor *x[MOST];
  int nx = 0, at = 0;
  for (int i = 0; i < 4; i++) x[nx++] = n->w[i];
  x[nx++] = n->mean; x[nx++] = n->var;
  for (int i = 0; n->optim.state && i < TN_SLOTS * n->optim.n; i++) if (n->optim.state[i]) x[nx++] = n->optim.state[i];
  if (n->optim.left) x[nx++] = n->optim.left;
  for (int i = 0; i < n->ema.n; i++) x[nx++] = n->ema.average[i];
  if (v->scaled) x[nx++] = n->scaler.state;
  for (int i = 0; i < nx; at += (int)tiny_nelem_of(x[i++]))
    CHECK_EQ(tiny_read(x[i], out + at, (size_t)tiny_nelem_of(x[i]) * 4), TINY_OK);
  return at;
}

// `ahead` steps before the capture are built anew as well. After `between` runs comes one step that is built anew.
static void check_variant(const char *device, const variant *v, int ahead, int between) {
  static float want[1024], got[1024];
  float want_loss[STEPS], got_loss[STEPS];
  network n;
  memset(want_loss, 0, sizeof want_loss); memset(got_loss, 0, sizeof got_loss);
  for (int captured = 0; captured < 2; captured++) {
    tiny_program *p = NULL;
    network_open(&n, device, "", v);
    for (int i = 0; i < STEPS; i++) {
      tiny_tensor *in[2], *loss = NULL;
      if (v->rate) rate_of(&n, i);
      tiny_begin(n.t);
      data_of(&n, i, in);
      if (captured && i == ahead) {
        tiny_begin(n.t);
        loss = step(&n, v, in[0], in[1]);
        p = tiny_capture(n.t, in, 2, &loss, 1);
        CHECK(p != NULL);
        CHECK_EQ(tiny_end(n.t), TINY_OK);
      }
      if (p && i != between) CHECK_EQ(tiny_run(p, in, &loss), TINY_OK);
      else loss = step(&n, v, in[0], in[1]);
      if (!tiny_ok(loss)) fprintf(stderr, "  %s, step %d: %s\n", v->name, i, tiny_error(n.t));
      (captured ? got_loss : want_loss)[i] = (float)tiny_item(loss);
      CHECK_EQ(tiny_end(n.t), TINY_OK);
    }
    const int nelem = contents(&n, v, captured ? got : want);
    CHECK(nelem <= 1024);
    if (captured) {
      const int same = !memcmp(want, got, (size_t)nelem * sizeof *got);
      if (!same) fprintf(stderr, "  %s on %s, %d steps ahead: weights differ\n", v->name, device, ahead);
      CHECK(same);
      CHECK(!memcmp(want_loss, got_loss, sizeof want_loss));
    }
    CHECK_EQ(tiny_status(n.t), TINY_OK);
    if (tiny_status(n.t) != TINY_OK) fprintf(stderr, "  %s on %s: %s\n", v->name, device, tiny_error(n.t));
    tiny_optim_free(&n.optim);
    tiny_ema_free(&n.ema);
    tiny_scaler_free(&n.scaler);
    tiny_close(n.t);
  }
}

// A step that gives nothing: what it assigns is all.
static void without_outputs(const char *device) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = device; d.cache_dir = "";
  tiny_ctx *t = tiny_open(&d);
  tiny_tensor *w = tiny_ones(t, TINY_F32, TINY_SHAPE(3)), *x = tiny_ones(t, TINY_F32, TINY_SHAPE(3)), *both[2] = {w, x};
  tiny_realize(both, 2);
  CHECK(!tiny_capture(t, &x, 1, NULL, 0));
  CHECK_STR(tiny_error(t), "capture: there are neither outputs nor pending assignments");
  tiny_clear(t);
  tiny_begin(t);
  tiny_assign(w, tiny_add(w, x));
  tiny_program *p = tiny_capture(t, &x, 1, NULL, 0);
  CHECK(p != NULL);
  CHECK_EQ(tiny_end(t), TINY_OK);
  CHECK(tiny_item(tiny_sum(w, 0, 0)) == 3);
  for (int i = 0; i < 3; i++) CHECK_EQ(tiny_run(p, &x, NULL), TINY_OK);
  CHECK(tiny_item(tiny_sum(w, 0, 0)) == 12);
  tiny_close(t);
}

int main(void) {
  static const char *const devices[] = {"INTERP", "CPU"};
  for (int d = 0; d < 2; d++)
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
      check_variant(devices[d], &variants[i], 0, -1);
      check_variant(devices[d], &variants[i], 2, 4);
    }
  for (int d = 0; d < 2; d++) without_outputs(devices[d]);
  return test_report();
}
