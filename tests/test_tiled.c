// tiled: attention and its like tile by tile, against the interpreter; memory that grows with the length, not its square.
#define TN_TILED_LEAST 4096
#define TN_TILED_NBYTES 2048
#define TN_MASKED_LEAST 2
#include "nn_test.h"

typedef struct attention_case {
  int64_t B, H, K, L, S, E;
  int dtype, causal, mask, own, joined;    // mask: 1 bool, 2 float; own: as a user writes it; joined: heads meet
  double dropout;
} attention_case;

static tiny_tensor *number(double x) { return tiny_full(t, x, TINY_F32, TINY_SHAPE(1)); }
static tiny_tensor *wave(int dtype, tiny_shape s, double rate) {
  tiny_tensor *at = tiny_reshape(tiny_arange(t, 1, 1 + (double)tn_dims_nelem(s.ndim, s.dim), 1, TINY_F32), s);
  return tiny_cast(tiny_sin(tiny_mul(at, number(rate))), (tiny_dtype)dtype);
}

// Output, and gradients of queries, keys and values, of one case; in: those three.
static void build(const attention_case *c, tiny_tensor **in, tiny_tensor **out) {
  tiny_attention_desc d;
  memset(&d, 0, sizeof d);
  d.causal = c->causal; d.dropout = c->dropout;
  if (c->mask == 1) d.mask = tiny_gt(wave(TINY_F32, TINY_SHAPE(c->L, c->S), 2.3), number(0));
  if (c->mask == 2) d.mask = wave(TINY_F32, TINY_SHAPE(c->S), 1.7);
  if (c->own) {
    tiny_tensor *scores = tiny_mul(tiny_matmul(in[0], tiny_transpose(in[1], -1, -2)), number(0.3));
    out[0] = tiny_matmul(tiny_softmax(d.mask ? tiny_add(scores, d.mask) : scores, -1), in[2]);
  } else out[0] = tiny_attention(in[0], in[1], in[2], &d);
  tiny_tensor *y = out[0];
  if (c->joined) {
    y = tiny_reshape(tiny_permute(y, TINY_SHAPE(0, 2, 1, 3)), TINY_SHAPE(c->B * c->L, c->H * c->E));
    y = tiny_matmul(y, wave(c->dtype, TINY_SHAPE(c->H * c->E, 5), 0.9));
  }
  CHECK_EQ(tiny_grad(tiny_sum(tiny_square(tiny_cast(y, TINY_F32)), TINY_ALL, 0), in, 3, out + 1), TINY_OK);
}
static void inputs(const attention_case *c, tiny_tensor **in) {
  in[0] = wave(c->dtype, TINY_SHAPE(c->B, c->H, c->L, c->E), 0.7);
  in[1] = wave(c->dtype, TINY_SHAPE(c->B, c->K, c->S, c->E), 1.3);
  in[2] = wave(c->dtype, TINY_SHAPE(c->B, c->K, c->S, c->E), 0.4);
  CHECK_EQ(tiny_realize(in, 3), TINY_OK);
}

static void open_threads(int threads) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "CPU"; d.threads = threads;
  t = tiny_open(&d);
}

// Everything in one graph, so that the gradients' rounds follow those of the output.
static void check_case(const attention_case *c) {
  tiny_tensor *in[3], *out[4];
  tiny_program *p;
  int64_t rounds = 0;
  inputs(c, in);
  build(c, in, out);
  float *want[4], *got[4];
  for (int i = 0; i < 4; i++) {
    out[i] = tiny_cast(out[i], TINY_F32);
    const size_t nbytes = (size_t)tiny_nelem_of(out[i]) * 4;
    want[i] = (float *)malloc(nbytes + 1); got[i] = (float *)malloc(nbytes + 1);
    CHECK_EQ(tiny_reference(out[i], want[i], nbytes), TINY_OK);
  }
  p = tiny_capture(t, in, 3, out, 4);
  CHECK(p != NULL);
  for (int i = 0; p && i < p->plan->nstep; i++) if (p->plan->step[i].tiled) rounds++;
  const int64_t nbytes = 4 * c->B * c->H * c->L * c->S;
  if (nbytes >= TN_TILED_LEAST && c->E * 4 < c->L && c->E * 4 < c->S) CHECK(rounds > 4);
  if (nbytes < TN_TILED_LEAST) CHECK_EQ(rounds, 0);
  CHECK_EQ(tiny_realize(out, 4), TINY_OK);
  const double tol = c->dtype == TINY_F32 ? 2e-4 : 0.06;
  for (int i = 0; i < 4; i++) {
    const int64_t n = tiny_nelem_of(out[i]);
    CHECK_EQ(tiny_read(out[i], got[i], (size_t)n * 4), TINY_OK);
    double most = 0, off = 0;
    for (int64_t j = 0; j < n; j++) {
      if (fabs(want[i][j]) > most) most = fabs(want[i][j]);
      const double e = fabs((double)want[i][j] - got[i][j]);
      if (!(e <= off)) off = e;
    }
    if (!(off <= tol * most)) printf("L %d S %d: output %d is off by %g of %g\n", (int)c->L, (int)c->S, i, off, most);
    CHECK(off <= tol * most);
    free(want[i]); free(got[i]);
  }
  tiny_program_free(p);
}

static const attention_case cases[] = {
  //B H  K  L    S    E  dtype      c  m  o  j  dropout
  {1, 1, 1, 1,   1,   4, TINY_F32,  0, 0, 0, 0, 0}, {1, 2, 2, 7,   7,   4, TINY_F32,  1, 0, 0, 1, 0},
  {1, 2, 2, 33,  33,  4, TINY_F32,  0, 0, 0, 1, 0}, {2, 2, 2, 33,  33,  4, TINY_F32,  1, 0, 0, 1, 0},
  {1, 2, 2, 100, 100, 8, TINY_F32,  1, 0, 0, 0, 0}, {1, 3, 3, 100, 100, 8, TINY_F32,  0, 0, 0, 1, 0},
  {1, 2, 2, 257, 257, 8, TINY_F32,  1, 0, 0, 1, 0}, {1, 2, 2, 64,  257, 8, TINY_F32,  1, 0, 0, 1, 0}, {1, 2, 2, 200, 64, 8, TINY_F32, 1, 0, 0, 1, 0},
  {1, 2, 2, 96,  96,  8, TINY_F32,  1, 0, 0, 1, 0.25}, {1, 2, 2, 96, 96, 8, TINY_F32, 1, 2, 0, 1, 0}, {1, 2, 2, 130, 130, 8, TINY_BF16, 1, 0, 0, 1, 0},
  {1, 1, 1, 257, 64,  8, TINY_F32,  0, 0, 0, 1, 0},
  {1, 2, 2, 64,  100, 8, TINY_F32,  0, 1, 0, 1, 0}, {1, 2, 2, 64,  257, 8, TINY_F32,  0, 2, 0, 1, 0},
  {1, 4, 2, 100, 64,  8, TINY_F32,  0, 0, 0, 1, 0}, {2, 4, 1, 64,  64,  8, TINY_F32,  1, 0, 0, 1, 0},
  {1, 2, 2, 100, 64,  8, TINY_F16,  1, 0, 0, 1, 0}, {1, 2, 2, 100, 64,  8, TINY_BF16, 0, 0, 0, 1, 0},
  {1, 2, 2, 64,  64,  8, TINY_F32,  0, 0, 0, 1, 0.25}, {1, 2, 2, 100, 100, 8, TINY_F32, 0, 0, 1, 1, 0},
  {1, 2, 2, 100, 64,  8, TINY_F32,  0, 2, 1, 0, 0},
};

// Device memory that one run takes on top of what was there.
static double taken(int64_t L) {
  const attention_case c = {1, 2, 2, L, L, 8, TINY_F32, 1, 0, 0, 1, 0};
  tiny_tensor *in[3], *out[4];
  open_threads(1);
  inputs(&c, in);
  const uint64_t before = tiny_stats_of(t).nbytes_live;
  build(&c, in, out);
  CHECK_EQ(tiny_realize(out, 4), TINY_OK);
  const double nbytes = (double)(tiny_stats_of(t).nbytes_peak - before);
  tiny_close(t);
  return nbytes;
}

// The same bits for one thread and two.
static void check_threads(void) {
  const attention_case c = {1, 2, 2, 100, 64, 8, TINY_F32, 1, 0, 0, 1, 0};
  static float got[2][4][2 * 100 * 8];
  memset(got, 0, sizeof got);
  for (int threads = 1; threads <= 2; threads++) {
    tiny_tensor *in[3], *out[4];
    open_threads(threads);
    inputs(&c, in);
    build(&c, in, out);
    CHECK_EQ(tiny_realize(out, 4), TINY_OK);
    for (int i = 0; i < 4; i++)
      CHECK_EQ(tiny_read(out[i], got[threads - 1][i], (size_t)tiny_nelem_of(out[i]) * 4), TINY_OK);
    tiny_close(t);
  }
  CHECK(!memcmp(got[0], got[1], sizeof got[0]));
}

// A loss over many classes: neither its logits nor their gradient exist as a whole. The weights' gradient is folded
// over the rounds and goes into an update.
static void check_classes(int updates) {
  static float want[2][1824], got[1824];
  tiny_tensor *g[2], *in[2];
  open_threads(2);
  in[0] = wave(TINY_F32, TINY_SHAPE(40, 6), 0.7); in[1] = wave(TINY_F32, TINY_SHAPE(6, 304), 1.1);
  CHECK_EQ(tiny_realize(in, 2), TINY_OK);
  tiny_tensor *log_p = tiny_log_softmax(tiny_matmul(in[0], in[1]), -1);
  CHECK_EQ(tiny_grad(tiny_sum(tiny_square(log_p), TINY_ALL, 0), in, 2, g), TINY_OK);
  if (updates) g[1] = tiny_sub(in[1], tiny_mul(g[1], number(0.01)));
  for (int i = 0; i < 2; i++) CHECK_EQ(tiny_reference(g[i], want[i], (size_t)tiny_nelem_of(g[i]) * 4), TINY_OK);
  if (updates) { tiny_assign(in[1], g[1]); g[1] = in[1]; }
  tiny_program *p = updates ? NULL : tiny_capture(t, in, 2, g, 2);
  int rounds = 0;
  for (int i = 0; p && i < p->plan->nstep; i++) rounds += p->plan->step[i].tiled > 0;
  CHECK(updates || rounds > 3);
  CHECK_EQ(tiny_realize(g, 2), TINY_OK);
  for (int i = 0; i < 2; i++) {
    const int64_t n = tiny_nelem_of(g[i]);
    CHECK_EQ(tiny_read(g[i], got, (size_t)n * 4), TINY_OK);
    double off = 0, most = 0;
    for (int64_t j = 0; j < n; j++) {
      off = fmax(off, fabs((double)got[j] - want[i][j]));
      most = fmax(most, fabs(want[i][j]));
    }
    if (!(off <= 1e-4 * most)) printf("classes: output %d is off by %g of %g\n", i, off, most);
    CHECK(off <= 1e-4 * most);
  }
  tiny_close(t);
}

// A kernel that reads one place of an axis, and so has no range of it, between those that go along it.
static void check_one_place(void) {
  static uint8_t got[12];
  open_threads(2);
  tiny_tensor *x = tiny_zeros(t, TINY_U8, TINY_SHAPE(2, 128, 3, 2)), *at;
  x = tiny_nanmedian(x, 1, 0, &at);
  memset(got, 1, sizeof got);
  CHECK_EQ(tiny_read(x, got, sizeof got), TINY_OK);
  for (int i = 0; i < 12; i++) CHECK_EQ(got[i], 0);
  tiny_close(t);
}

int main(void) {
  open_threads(2);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    tiny_begin(t);
    check_case(&cases[i]);
    if (tiny_status(t) != TINY_OK) printf("case %d: %s\n", (int)i, tiny_error(t));
    tiny_clear(t);
    tiny_end(t);
  }
  tiny_close(t);
  const double one = taken(200), two = taken(400), four = taken(800);
  if (four > 2.6 * two) printf("memory: %g, %g, %g bytes\n", one, two, four);
  CHECK(four < 2.6 * two && two < 2.6 * one);
  check_threads();
  check_one_place();
  check_classes(0);
  check_classes(1);
  return test_report();
}
