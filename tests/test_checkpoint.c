// test_checkpoint: what lies between checkpoints is computed again for the backward pass: the same gradients from less memory.
#include "../src/all.c"
#include "test.h"

enum { LAYERS = 36, WIDTH = 8, ROWS = 512, NW = WIDTH * WIDTH };

// A chain of n layers tanh(x w), cut into segments of `each` layers (0: none). Gradients of the weights, and memory.
static double chain(const char *device, int n, int each, int random, float *out, tiny_stats *stats) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = device; d.seed = 7;
  tiny_ctx *t = tiny_open(&d);
  tiny_tensor *w[LAYERS], *g[LAYERS];
  float *data = (float *)malloc(sizeof(float) * ROWS * WIDTH);
  double loss = 0;
  if (!data) return 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < NW; j++) data[j] = (float)((i * 31 + j * 17) % 23 - 11) / 40;
    w[i] = tiny_from(t, data, TINY_F32, TINY_SHAPE(WIDTH, WIDTH));
  }
  for (int j = 0; j < ROWS * WIDTH; j++) data[j] = (float)(j * 13 % 29 - 14) / 14;
  tiny_tensor *x = tiny_from(t, data, TINY_F32, TINY_SHAPE(ROWS, WIDTH)), *from = x;
  free(data);
  for (int i = 0; i < n; i++) {
    x = tiny_tanh(tiny_matmul(x, w[i]));
    if (random) x = tiny_dropout(x, 0.25, 1);
    if (each && (i + 1) % each == 0) from = x = tiny_checkpoint(x, &from, 1);
  }
  tiny_tensor *l = tiny_mean(tiny_square(x), TINY_ALL, 0);
  CHECK_EQ(tiny_grad(l, w, n, g), TINY_OK);
  tiny_tensor *all[LAYERS + 1];
  for (int i = 0; i < n; i++) all[i] = g[i];
  all[n] = l;
  CHECK_EQ(tiny_realize(all, n + 1), TINY_OK);
  for (int i = 0; i < n; i++) CHECK_EQ(tiny_read(g[i], out + i * NW, NW * sizeof *out), TINY_OK);
  loss = tiny_item(l);
  CHECK_STR(tiny_error(t), "");
  *stats = tiny_stats_of(t);
  tiny_close(t);
  return loss;
}

static uint64_t same_gradients_less_memory(const char *device, int n, int random, uint64_t *without) {
  static float want[LAYERS * NW], got[LAYERS * NW];
  tiny_stats plain, cut;
  const double a = chain(device, n, 0, random, want, &plain), b = chain(device, n, (int)sqrt(n), random, got, &cut);
  CHECK(fabs(a - b) <= 1e-6 * a && a > 0);
  double far = 0, most = 0;
  for (int i = 0; i < n * NW; i++) {
    far = fmax(far, fabs((double)got[i] - want[i]));
    most = fmax(most, fabs((double)want[i]));
  }
  CHECK(far <= 1e-5 * most);
  printf("%s, %d layers%s: peak %llu bytes without, %llu with checkpoints; kernels %llu, %llu\n", device, n, random ? ", dropout" : "",
         (unsigned long long)plain.nbytes_peak, (unsigned long long)cut.nbytes_peak, (unsigned long long)plain.kernels,
         (unsigned long long)cut.kernels);
  *without = plain.nbytes_peak;
  return cut.nbytes_peak;
}
// Four times the layers: more than three times the memory without, and about twice with checkpoints.
static void check_memory(void) {
  uint64_t few, many;
  const uint64_t few_cut = same_gradients_less_memory("CPU", 9, 0, &few), many_cut = same_gradients_less_memory("CPU", 36, 0, &many);
  CHECK(many > few * 2.8 && many_cut < few_cut * 2.2 && many_cut < many / 2);
  CHECK(same_gradients_less_memory("CPU", 9, 1, &few) < few * 0.75);
  CHECK(same_gradients_less_memory("INTERP", 4, 0, &few) < few * 1.1);
}

// Every way in which a segment can hang together with the rest of the graph. look: what is read before the gradient is
// asked for: 1: the checkpoint, 2: what it was made of, 3: inner values too, 4: the loss; none of it changes a gradient.
static void shapes_of_segments(int look) {
  tiny_ctx *t = tiny_open(NULL);
  for (int kind = 0; kind < 7; kind++) {
    double grads[2][3];
    for (int cut = 0; cut < 2; cut++) {
      const double v[4] = {0.5, -1.25, 0.75, 2};
      tiny_tensor *p[3], *g[3], *in[2];
      for (int i = 0; i < 3; i++) p[i] = tiny_from(t, v + i % 2, TINY_F64, TINY_SHAPE(3));
      tiny_tensor *x = tiny_sin(p[0]), *y = NULL, *out = NULL;
      in[0] = x; in[1] = p[1];
      if (kind == 0) y = tiny_mul(tiny_exp(x), p[1]);        // p[1] is no input: part of the segment, and a parameter
      if (kind == 1) y = tiny_mul(tiny_mul(x, p[1]), p[0]);  // a parameter inside, whose value the input is made of
      if (kind == 2) y = tiny_add(x, tiny_sin(p[2]));        // work inside that needs no input
      if (kind == 3) y = x;                                  // nothing at all
      if (kind == 4) y = tiny_mul(p[1], p[2]);               // does not need its input
      if (kind == 5) {                                       // a segment in a segment
        tiny_tensor *z = tiny_exp(tiny_mul(x, p[1]));
        if (cut) z = tiny_checkpoint(z, in, 2);
        y = tiny_sin(tiny_mul(z, x));
      }
      if (kind == 6) y = tiny_mul(tiny_sin(tiny_mul(x, p[1])), tiny_sum(tiny_square(p[1]), 0, 0));
      tiny_tensor *looks[5] = {y, tiny_exp(x), tiny_mul(x, p[1]), tiny_sin(p[2]), tiny_square(p[1])};
      if (look == 2 || look == 3) CHECK_EQ(tiny_realize(looks, look == 3 ? 5 : 1), TINY_OK);
      if (cut) y = tiny_checkpoint(y, in, kind == 6 || kind == 5 ? 2 : 1);
      out = tiny_sum(tiny_mul(tiny_square(y), tiny_add(x, tiny_like(x, 2))), 0, 0);
      if (look == 1 || look == 4) CHECK_EQ(tiny_realize(look == 1 ? &y : &out, 1), TINY_OK);
      CHECK_EQ(tiny_grad(out, p, 3, g), TINY_OK);
      for (int i = 0; i < 3; i++) grads[cut][i] = tiny_item(tiny_sum(tiny_mul(g[i], tiny_arange(t, 1, 4, 1, TINY_F64)), 0, 0));
    }
    for (int i = 0; i < 3; i++) CHECK(fabs(grads[0][i] - grads[1][i]) <= 1e-12 * (1 + fabs(grads[0][i])));
  }
  CHECK_STR(tiny_error(t), "");
  tiny_close(t);
}

static void second_derivative(void) {
  tiny_ctx *t = tiny_open(NULL);
  double d2[2];
  for (int cut = 0; cut < 2; cut++) {
    const double v = 0.7;
    tiny_tensor *p = tiny_from(t, &v, TINY_F64, TINY_SHAPE(1)), *g, *h, *x = tiny_exp(p), *y = tiny_sin(tiny_mul(x, p));
    if (cut) y = tiny_checkpoint(y, &x, 1);
    tiny_grad(tiny_sum(y, 0, 0), &p, 1, &g);
    tiny_grad(tiny_sum(g, 0, 0), &p, 1, &h);
    d2[cut] = tiny_item(tiny_sum(h, 0, 0));
  }
  CHECK(fabs(d2[0] - d2[1]) < 1e-12);
  CHECK_STR(tiny_error(t), "");
  tiny_close(t);
}

// The loss is a checkpoint, its input a parameter; and the interpreter of graphs knows both kinds of node.
static void loss_of_one_segment(void) {
  tiny_ctx *t = tiny_open(NULL);
  const float v[3] = {1, 2, 3};
  float got[3] = {0}, want[3] = {0};
  tiny_tensor *p = tiny_from(t, v, TINY_F32, TINY_SHAPE(3)), *g;
  tiny_tensor *loss = tiny_checkpoint(tiny_sum(tiny_mul(tiny_square(p), p), 0, 0), &p, 1);
  CHECK_EQ(tiny_grad(loss, &p, 1, &g), TINY_OK);
  CHECK_EQ(tiny_reference(g, want, sizeof want), TINY_OK);
  CHECK_EQ(tiny_read(g, got, sizeof got), TINY_OK);
  for (int i = 0; i < 3; i++) CHECK(got[i] == 3 * v[i] * v[i] && want[i] == got[i]);
  CHECK(tiny_item(loss) == 36);
  CHECK_STR(tiny_error(t), "");
  tiny_close(t);
}

// A training loop over checkpoints replays its plan, and parameters are updated after all that reads them.
static void trains(void) {
  double losses[2] = {0, 0};
  for (int cut = 0; cut < 2; cut++) {
    tiny_ctx *t = tiny_open(NULL);
    float v[64];
    tiny_tensor *w[4], *g[4];
    tiny_optim o;
    memset(&o, 0, sizeof o);
    o.kind = TINY_SGD; o.lr = 0.1; o.momentum = 0.9;
    for (int i = 0; i < 64; i++) v[i] = (float)(i * 13 % 17 - 8) / 20;
    for (int i = 0; i < 4; i++) w[i] = tiny_from(t, v, TINY_F32, TINY_SHAPE(8, 8));
    tiny_tensor *x = tiny_from(t, v, TINY_F32, TINY_SHAPE(8, 8));
    for (int step = 0; step < 6; step++) {
      tiny_begin(t);
      tiny_tensor *y = x, *from = x;
      for (int i = 0; i < 4; i++) {
        y = tiny_tanh(tiny_matmul(y, w[i]));
        if (cut) from = y = tiny_checkpoint(y, &from, 1);
      }
      tiny_tensor *loss = tiny_mean(tiny_square(tiny_sub(y, tiny_like(y, 0.5))), TINY_ALL, 0);
      CHECK_EQ(tiny_grad(loss, w, 4, g), TINY_OK);
      CHECK_EQ(tiny_optim_step(&o, w, g, 4), TINY_OK);
      tiny_keep(loss);
      CHECK_EQ(tiny_end(t), TINY_OK);
      losses[cut] = tiny_item(loss);
      tiny_free(loss);
    }
    CHECK(tiny_stats_of(t).schedules <= 5);
    CHECK_STR(tiny_error(t), "");
    tiny_optim_free(&o);
    tiny_close(t);
  }
  CHECK(fabs(losses[0] - losses[1]) <= 1e-6 && losses[0] > 0);
}

static void errors(void) {
  tiny_ctx *t = tiny_open(NULL);
  const float v[2] = {1, 2};
  tiny_tensor *x = tiny_from(t, v, TINY_F32, TINY_SHAPE(2)), *none = NULL, *g;
  CHECK(!tiny_ok(tiny_checkpoint(x, NULL, 0)));
  CHECK_STR(tiny_error(t), "checkpoint: 0 inputs; there are 1 to 63");
  tiny_clear(t);
  CHECK(!tiny_ok(tiny_checkpoint(x, &none, 1)));
  CHECK_STR(tiny_error(t), "checkpoint: tensor argument 2 is NULL");
  tiny_clear(t);
  CHECK(tiny_checkpoint(NULL, &x, 1) == NULL || !tiny_ok(tiny_checkpoint(NULL, &x, 1)));
  tiny_clear(t);
  tiny_kernel_desc k;
  memset(&k, 0, sizeof k);
  k.name = "twice"; k.source = "void twice(void *const *m, const long long *a, long long i) { ((float *)m[0])[i] = 2 * ((float *)m[1])[i]; }";
  k.inputs = &x; k.n = 1; k.shape = TINY_SHAPE(2); k.dtype = TINY_F32; k.global[0] = 2;
  CHECK_EQ(tiny_grad(tiny_sum(tiny_kernel(t, &k), 0, 0), &x, 1, &g), TINY_E_ARG);
  CHECK_STR(tiny_error(t), "grad: CUSTOM of (2,) has no gradient: a kernel of your own (tiny_kernel) tells no derivative; tiny_detach its result");
  tiny_close(t);
}

int main(void) {
  check_memory();
  for (int look = 0; look < 5; look++) shapes_of_segments(look);
  second_derivative();
  loss_of_one_segment();
  trains();
  errors();
  return test_report();
}
