// shipped_make: saves programs, and beside each what it was given and gave, for tests/shipped_play.c, which has them in
// another process, by a build that only runs. Called by tests/test_shipped.sh: shipped_make FOLDER DEVICE [NAME ..]
//   NAME.tiny    the program         NAME.runs   of RUNS runs: all inputs, then all outputs
//   NAME.memory  the bytes of memory w0, w1 .. after the runs
#define TN_TILED_LEAST 4096                // so that attention is done in rounds
#define TN_TILED_NBYTES 2048
#include "../src/all.c"
#include "test.h"

enum { MOST = 4, NAMED = 64, RUNS = 3 };
typedef struct made {
  tiny_ctx *t;
  tiny_tensor *in[MOST], *out[MOST]; int n, m, is_scalar[MOST];
  tiny_tensor *named[NAMED]; char name[NAMED][8]; int nnamed;
  tiny_dtype dtype[MOST]; tiny_shape shape[MOST];            // of in, which are gone when the frame ends
  int salt;
} made;

// Numbers, the same every time.
static tiny_tensor *numbers(made *p, tiny_dtype dtype, tiny_shape s, double size) {
  const int64_t n = tn_dims_nelem(s.ndim, s.dim);
  const int salt = p->salt++;
  float *v = (float *)malloc((size_t)(n + 1) * sizeof *v);
  for (int64_t i = 0; i < n; i++) v[i] = (float)(size * ((double)((i * 7919 + salt * 104729) % 2003) / 1001.0 - 1));
  tiny_tensor *x = tiny_from(p->t, v, TINY_F32, s), *y = dtype == TINY_F32 ? x : tiny_cast(x, dtype);
  tiny_realize(&y, 1);
  free(v);
  return y;
}
static tiny_tensor *takes(made *p, tiny_dtype dtype, tiny_shape s, double size) {
  return p->in[p->n++] = numbers(p, dtype, s, size);
}
static tiny_tensor *takes_scalar(made *p, double value, tiny_dtype dtype) {
  p->is_scalar[p->n] = 1;
  return p->in[p->n++] = tiny_scalar(p->t, value, dtype);
}
static tiny_tensor *weight(made *p, tiny_shape s, double size) {
  snprintf(p->name[p->nnamed], sizeof p->name[0], "w%d", p->nnamed);
  return p->named[p->nnamed++] = tiny_keep(numbers(p, TINY_F32, s, size));
}
static void gives(made *p, tiny_tensor *y) { p->out[p->m++] = y; }

// ** ResNet-18, a quarter as wide **

static tiny_tensor *convolve(made *p, tiny_tensor *x, int64_t out, int kernel, int stride) {
  const int64_t in = tiny_shape_of(x).dim[1];
  tiny_conv_desc d;
  tiny_batch_norm_state s;
  memset(&d, 0, sizeof d); memset(&s, 0, sizeof s);
  d.stride[0] = d.stride[1] = stride; d.pad[0] = d.pad[1] = kernel / 2;
  x = tiny_conv2d(x, numbers(p, TINY_F32, TINY_SHAPE(out, in, kernel, kernel), 3 / sqrt((double)in * kernel * kernel)), NULL, &d);
  s.weight = tiny_add_scalar(numbers(p, TINY_F32, TINY_SHAPE(out), 0.2), 1);
  s.bias = numbers(p, TINY_F32, TINY_SHAPE(out), 0.2);
  s.mean = numbers(p, TINY_F32, TINY_SHAPE(out), 0.2);
  s.var = tiny_add_scalar(numbers(p, TINY_F32, TINY_SHAPE(out), 0.5), 1);
  return tiny_batch_norm(x, &s, 0);
}
static void make_resnet(made *p) {
  tiny_tensor *x = takes(p, TINY_F32, TINY_SHAPE(1, 3, 32, 32), 1);
  x = tiny_max_pool2d(tiny_relu(convolve(p, x, 16, 7, 2)), 3, 2, 1);
  for (int stage = 0; stage < 4; stage++) for (int block = 0; block < 2; block++) {
    const int stride = stage && !block ? 2 : 1;
    tiny_tensor *y = tiny_relu(convolve(p, x, 16 << stage, 3, stride));
    y = convolve(p, y, 16 << stage, 3, 1);
    if (stride > 1) x = convolve(p, x, 16 << stage, 1, stride);
    x = tiny_relu(tiny_add(y, x));
  }
  gives(p, tiny_linear(tiny_mean(tiny_flatten(x, 2, 3), 2, 0), weight(p, TINY_SHAPE(10, 128), 0.3), weight(p, TINY_SHAPE(10), 0.1)));
}

// ** others **

static void make_recurrent(made *p) {
  tiny_recurrent_desc d;
  tiny_recurrent_weights w[2];
  tiny_tensor *h, *c;
  memset(&d, 0, sizeof d);
  d.layers = 2;
  tiny_tensor *x = takes(p, TINY_F32, TINY_SHAPE(12, 2, 8), 1);
  for (int i = 0; i < 2; i++) {
    w[i].w_ih = weight(p, TINY_SHAPE(64, i ? 16 : 8), 0.3); w[i].w_hh = weight(p, TINY_SHAPE(64, 16), 0.3);
    w[i].b_ih = weight(p, TINY_SHAPE(64), 0.1); w[i].b_hh = weight(p, TINY_SHAPE(64), 0.1);
  }
  gives(p, tiny_lstm(x, NULL, NULL, w, &d, &h, &c));
  gives(p, h);
  gives(p, c);
}
static void make_transformer(made *p) {
  enum { B = 2, L = 24, W = 32, H = 4 };
  tiny_attention_desc causal;
  memset(&causal, 0, sizeof causal);
  causal.causal = 1;
  tiny_tensor *at = takes(p, TINY_I32, TINY_SHAPE(B, L), 40);
  tiny_tensor *x = tiny_embedding(tiny_abs(at), weight(p, TINY_SHAPE(64, W), 0.5), -1);
  for (int layer = 0; layer < 2; layer++) {
    tiny_tensor *y = tiny_layer_norm(x, 1, weight(p, TINY_SHAPE(W), 1), weight(p, TINY_SHAPE(W), 0.1), 0), *part[3];
    for (int i = 0; i < 3; i++)
      part[i] = tiny_permute(tiny_reshape(tiny_linear(y, weight(p, TINY_SHAPE(W, W), 0.3), NULL), TINY_SHAPE(B, L, H, W / H)),
                             TINY_SHAPE(0, 2, 1, 3));
    y = tiny_permute(tiny_attention(part[0], part[1], part[2], &causal), TINY_SHAPE(0, 2, 1, 3));
    x = tiny_add(x, tiny_linear(tiny_reshape(y, TINY_SHAPE(B, L, W)), weight(p, TINY_SHAPE(W, W), 0.3), NULL));
    y = tiny_gelu(tiny_linear(x, weight(p, TINY_SHAPE(4 * W, W), 0.3), weight(p, TINY_SHAPE(4 * W), 0.1)));
    x = tiny_add(x, tiny_linear(y, weight(p, TINY_SHAPE(W, 4 * W), 0.2), NULL));
  }
  gives(p, tiny_softmax(tiny_linear(x, weight(p, TINY_SHAPE(64, W), 0.3), NULL), -1));
}
static void make_step(made *p) {           // a step that trains, by momentum, at a rate that it is given
  tiny_tensor *x = takes(p, TINY_F32, TINY_SHAPE(16, 12), 1), *want = takes(p, TINY_I32, TINY_SHAPE(16), 3);
  tiny_tensor *rate = takes_scalar(p, 0.05, TINY_F32), *w[4], *g[4];
  w[0] = weight(p, TINY_SHAPE(20, 12), 0.4); w[1] = weight(p, TINY_SHAPE(20), 0.1);
  w[2] = weight(p, TINY_SHAPE(4, 20), 0.4); w[3] = weight(p, TINY_SHAPE(4), 0.1);
  tiny_tensor *y = tiny_linear(tiny_tanh(tiny_linear(x, w[0], w[1])), w[2], w[3]);
  tiny_tensor *loss = tiny_cross_entropy(y, tiny_abs(want), NULL);
  tiny_grad(loss, w, 4, g);
  for (int i = 0; i < 4; i++) {
    tiny_tensor *v = weight(p, tiny_shape_of(w[i]), 0);
    tiny_assign(v, tiny_add(tiny_mul_scalar(v, 0.9), g[i]));
    tiny_assign(w[i], tiny_sub(w[i], tiny_mul(rate, v)));
  }
  gives(p, loss);
}
static void make_random(made *p) {
  tiny_tensor *x = takes(p, TINY_F32, TINY_SHAPE(50), 1);
  gives(p, tiny_mul(x, tiny_rand(p->t, TINY_SHAPE(50))));
  gives(p, tiny_randn(p->t, TINY_SHAPE(50)));
}
static void make_dtypes(made *p) {
  tiny_tensor *x = takes(p, TINY_F16, TINY_SHAPE(5, 7), 4), *y = takes(p, TINY_I32, TINY_SHAPE(5, 7), 40);
  tiny_tensor *z = takes(p, TINY_U8, TINY_SHAPE(3, 9), 100);
  gives(p, tiny_sum(tiny_mul(x, tiny_cast(y, TINY_F16)), 1, 0));
  gives(p, tiny_cumsum(tiny_add(y, tiny_cast(x, TINY_I32)), 1));
  gives(p, tiny_lt(tiny_cast(x, TINY_BF16), tiny_cast(y, TINY_BF16)));
  gives(p, tiny_add(tiny_exp(tiny_cast(y, TINY_F64)), tiny_sum(tiny_cast(tiny_remainder(z, tiny_like(z, 7)), TINY_F64), TINY_ALL, 0)));
}
static void make_rounds(made *p) {         // attention tile by tile
  tiny_tensor *q = takes(p, TINY_F32, TINY_SHAPE(1, 2, 64, 8), 1), *k = takes(p, TINY_F32, TINY_SHAPE(1, 2, 64, 8), 1);
  gives(p, tiny_attention(q, k, takes(p, TINY_F32, TINY_SHAPE(1, 2, 64, 8), 1), NULL));
}
static void make_million(made *p) {        // a file of about a million bytes
  tiny_tensor *x = takes(p, TINY_F32, TINY_SHAPE(1, 256), 1);
  for (int i = 0; i < 3; i++) x = tiny_relu(tiny_linear(x, weight(p, TINY_SHAPE(256, 256), 0.1), weight(p, TINY_SHAPE(256), 0.1)));
  gives(p, x);
}
static void make_bare(made *p) {           // an input as it is, nothing at all, a number
  tiny_tensor *x = takes(p, TINY_F32, TINY_SHAPE(3, 2), 1);
  gives(p, x);
  gives(p, tiny_sum(takes(p, TINY_F32, TINY_SHAPE(0, 4), 1), 1, 0));
  gives(p, tiny_mul(x, tiny_cast(takes_scalar(p, 3, TINY_I32), TINY_F32)));
  gives(p, tiny_sort(numbers(p, TINY_F32, TINY_SHAPE(3, 17), 5), -1, 0, NULL));
}

// ** as little as can be: seeds of the fuzzers, with SHIPPED_LEVELS=none **

static void make_one(made *p) { gives(p, tiny_neg(takes(p, TINY_F32, TINY_SHAPE(2), 1))); }
static void make_kept(made *p) {           // a sum that is kept, times a number
  tiny_tensor *x = takes(p, TINY_F32, TINY_SHAPE(2, 3), 1), *n = takes_scalar(p, 2, TINY_I32);
  tiny_tensor *w = weight(p, TINY_SHAPE(2), 1);
  tiny_assign(w, tiny_add(w, tiny_sum(x, 1, 0)));
  gives(p, tiny_mul(w, tiny_cast(n, TINY_F32)));
}
static void make_picked(made *p) {         // rows, by numbers that memory holds
  tiny_tensor *at = takes(p, TINY_I32, TINY_SHAPE(3), 3);
  gives(p, tiny_embedding(tiny_abs(at), weight(p, TINY_SHAPE(4, 2), 1), -1));
}
static void make_drawn(made *p) {
  tiny_tensor *x = takes(p, TINY_F16, TINY_SHAPE(3), 1);
  gives(p, tiny_add(x, tiny_cast(tiny_rand(p->t, TINY_SHAPE(3)), TINY_F16)));
}
static void make_two(made *p) {            // one kernel for another, with integers that are divided
  tiny_tensor *x = takes(p, TINY_I32, TINY_SHAPE(4, 4), 9), *y = tiny_matmul(x, x);
  gives(p, tiny_remainder(tiny_cumsum(y, 1), tiny_add_scalar(tiny_abs(x), 1)));
}
static const struct { const char *name; void (*make)(made *p); } makers[] = {
  {"one", make_one}, {"kept", make_kept}, {"picked", make_picked}, {"drawn", make_drawn}, {"two", make_two},
  {"bare", make_bare}, {"dtypes", make_dtypes}, {"random", make_random}, {"rounds", make_rounds}, {"step", make_step},
  {"recurrent", make_recurrent}, {"transformer", make_transformer}, {"resnet", make_resnet},
  {"million", make_million}
};

// ** files **

static FILE *file(const char *folder, const char *name, const char *kind) {
  char path[300];
  snprintf(path, sizeof path, "%s/%s.%s", folder, name, kind);
  FILE *f = fopen(path, "wb");
  CHECK(f != NULL);
  return f;
}
static void put(made *p, FILE *f, tiny_tensor *x, double scalar) {
  char number[8];
  const tiny_dtype dtype = tiny_dtype_of(x);
  const size_t nbytes = (size_t)tiny_nelem_of(x) * tn_dtypes[dtype].nbytes;
  char *data = (char *)malloc(nbytes + 1);
  if (scalar == scalar) {
    tn_dtype_store(dtype, number, tn_dtype_value(dtype, scalar));
    fwrite(number, 1, nbytes, f);
  } else {
    CHECK_EQ(tiny_read(x, data, nbytes), TINY_OK);
    fwrite(data, 1, nbytes, f);
  }
  if (tiny_status(p->t) != TINY_OK) fprintf(stderr, "  %s\n", tiny_error(p->t));
  free(data);
}
static void runs(made *p, tiny_program *program, const char *folder, const char *name) {
  FILE *f = file(folder, name, "runs");
  tiny_seed(p->t, 11);
  for (int run = 0; run < RUNS; run++) {
    tiny_tensor *in[MOST], *out[MOST];
    tiny_begin(p->t);
    for (int i = 0; i < p->n; i++) {
      const double value = 0.25 * run + 1;
      in[i] = p->is_scalar[i] ? tiny_scalar(p->t, value, p->dtype[i]) : numbers(p, p->dtype[i], p->shape[i], 3);
      put(p, f, in[i], p->is_scalar[i] ? value : (double)NAN);
    }
    CHECK_EQ(tiny_run(program, in, out), TINY_OK);
    for (int i = 0; i < p->m; i++) put(p, f, out[i], (double)NAN);
    tiny_end(p->t);
  }
  fclose(f);
  f = file(folder, name, "memory");
  for (int i = 0; i < p->nnamed; i++) put(p, f, p->named[i], (double)NAN);
  fclose(f);
}
static void make(const char *folder, const char *device, int which) {
  made p;
  tiny_desc d;
  tiny_ship_desc s;
  char path[300];
  const char *names[NAMED];
  memset(&p, 0, sizeof p); memset(&d, 0, sizeof d); memset(&s, 0, sizeof s);
  d.device = device; d.cache_dir = ""; d.threads = 2; d.seed = 11; d.compiler = "builtin";
  if (!case_named("%s", makers[which].name)) return;
  p.t = tiny_open(&d);
  tiny_begin(p.t);
  makers[which].make(&p);
  tiny_program *program = tiny_capture(p.t, p.in, p.n, p.out, p.m);
  CHECK(program != NULL);
  for (int i = 0; i < p.n; i++) { p.dtype[i] = tiny_dtype_of(p.in[i]); p.shape[i] = tiny_shape_of(p.in[i]); }
  tiny_end(p.t);
  for (int i = 0; i < p.nnamed; i++) names[i] = p.name[i];
  s.names = names; s.tensors = p.named; s.n = p.nnamed; s.levels = getenv("SHIPPED_LEVELS") ? getenv("SHIPPED_LEVELS") : "all";
  snprintf(path, sizeof path, "%s/%s.tiny", folder, makers[which].name);
  CHECK_EQ(tiny_program_save(program, path, &s), TINY_OK);
  if (tiny_status(p.t) != TINY_OK) fprintf(stderr, "  %s\n", tiny_error(p.t));
  runs(&p, program, folder, makers[which].name);
  tiny_program_free(program);
  tiny_close(p.t);
}
int main(int argc, char **argv) {
  const char *folder = argc > 1 ? argv[1] : ".", *device = argc > 2 ? argv[2] : "CPU";
  for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) {
    int wanted = argc < 4;
    for (int k = 3; k < argc; k++) wanted |= !strcmp(argv[k], makers[i].name);
    if (wanted) make(folder, device, (int)i);
  }
  return test_report();
}
