// test_random: random tensor programs, the same on every device, against the interpreter of graphs.
// also: outside
//
// The generator is random.h. What a program is (the interpreter of graphs, as tiny_reference) is compared with kernels
// for work items and with the CPU's kernels, both with the optimisation moves and without, and both interpreted and, of
// every fifth batch, compiled: compilers are slow.
// TEST_ROUNDS=n: n batches instead of the usual. TEST_SEED=s: one program alone. TEST_FROM=s: start there.
// TEST_ON=name: on that device alone. TEST_CPU=CPU:avx2: what is CPU there. TEST_DEBUG: letters as in TINY_DEBUG. A failure is made shorter and printed.
#ifndef TINY_ALL
#include "../src/all.c"
#endif
#include "test.h"
#include "random.h"

#if defined(__has_feature)
  #if __has_feature(address_sanitizer)
    #define SANITIZED 1
  #endif
#endif
#ifdef SANITIZED
  enum { BATCHES = 4 };
#else
  enum { BATCHES = 20 };                   // 500 programs
#endif

// ** running and comparing **


// LANES: kernels as the CPU's are, with lanes, tiles and tasks, but interpreted: no compiler takes its time. LANES:64
// has registers of 64 bytes.
static void *lanes_open(tiny_ctx *t, const char *which, tiny_limits *limits) {
  memset(limits, 0, sizeof *limits);
  limits->host_memory = limits->threads = 1;
  limits->vector_nbytes = which && *which ? atoi(which) : 32;
  limits->vector_registers = limits->vector_nbytes == 64 ? 32 : 16;
  limits->cache_nbytes = 1 << 20;
  return t;
}
static tiny_ctx *open_device(const char *device, const char *debug) {
  static tiny_backend lanes;
  lanes = tn_interp_backend;
  tiny_desc d;
  memset(&d, 0, sizeof d);
  char letters[32];
  snprintf(letters, sizeof letters, "%s%s", debug, getenv("TEST_DEBUG") ? getenv("TEST_DEBUG") : "");
  lanes.name = "LANES"; lanes.open = lanes_open;
  d.backends[0] = &lanes;
  d.device = getenv("TEST_CPU") && !strcmp(device, "CPU") ? getenv("TEST_CPU") : device; d.debug = letters;
  return tiny_open(&d);
}

static double shown(int dtype, const char *p, int64_t i) { return tn_to_f64(tn_dtype_convert(TINY_F64, dtype, tn_dtype_load(dtype, p + i * tn_dtypes[dtype].nbytes))); }

typedef struct device { const char *name, *device, *debug; int every, from; } device;     // one batch of so many
static const device devices[] = {{"INTERP", "INTERP", "", 1, 0}, {"INTERP without moves", "INTERP", "0", 4, 1}, {"LANES", "LANES", "", 1, 0}, {"LANES of 64", "LANES:64", "", 2, 0},
  {"CPU", "CPU", "", 5, 0}, {"CPU without moves", "CPU", "0", 10, 2}, {"three devices", "CPU,INTERP,CPU", "", 10, 4}, {"three kinds", "INTERP,LANES,INTERP", "", 2, 1}};
enum { DEVICES = sizeof devices / sizeof *devices };

static void print_root(tiny_ctx *t, tiny_uop *u) {
  const size_t n = tiny_uop_print(t, u, NULL, 0) + 1;
  char *text = (char *)malloc(n);
  tiny_uop_print(t, u, text, n);
  fprintf(stderr, "%s\n", text);
  free(text);
}

// The programs of seeds first..first+n-1, cut to nops, in one context each device. Returns the first seed that is wrong, 0: none.
typedef struct batch { gen g[BATCH]; item *root[BATCH][MAX_ROOTS]; int nroot[BATCH]; char *want[BATCH][MAX_ROOTS]; } batch;
static int refused;                        // programs that a device without f64 says that it does not take
static uint64_t run_batch(batch *b, uint64_t first, int n, int nops, const device *d, int loud) {
  uint64_t bad = 0;
  tiny_ctx *t = open_device(d->device, d->debug);
  tiny_uop *graph[BATCH][MAX_ROOTS];
  int alone = 0;                           // some want f64, and the device has none
  memset(b, 0, sizeof *b);
  for (int i = 0; i < n; i++) {
    if (!make_program(&b->g[i], t, first + (uint64_t)i, nops) && !bad) bad = first + (uint64_t)i;
    b->nroot[i] = roots_of(&b->g[i], b->root[i]);
  }
  for (int i = 0; i < n; i++) for (int j = 0; j < b->nroot[i]; j++) {    // before anything runs: updates change memory
    const item *a = b->root[i][j];
    b->want[i][j] = (char *)calloc(1, nbytes_of(a) + 1);
    graph[i][j] = tn_uop_of(a->x);
    if (tn_eval_graph(t, tn_uop_of(a->x), b->want[i][j], tn_reference_buffer) != TINY_OK && loud) fprintf(stderr, "seed %llu: %s\n", (unsigned long long)(first + (uint64_t)i), tiny_error(t));
  }
  static tiny_tensor *all[BATCH * MAX_ROOTS];
  for (int part = 0; part < 2; part++) {   // half of the roots first: the others need what updates overwrite
    int m = 0;
    for (int i = 0; i < n; i++) for (int j = 0; j < b->nroot[i]; j++) if (((first + (uint64_t)i + (uint64_t)j) % 3 == 0) == part) all[m++] = b->root[i][j]->x;
    if (m && tiny_realize(all, m) != TINY_OK) {
      if (t->without_f64 && strstr(tiny_error(t), " has no f64")) {
        alone = n > 1;
        refused += n == 1;
        goto done;
      }
      if (loud) fprintf(stderr, "%s, seed %llu..%llu: %s\n", d->name, (unsigned long long)first, (unsigned long long)first + (unsigned)n - 1, tiny_error(t));
      if (loud && n == 1) for (int i = 0; i < m; i++) print_root(t, graph[0][i]);
      bad = first;
      goto done;
    }
  }
  for (int i = 0; i < n; i++) for (int j = 0; j < b->nroot[i]; j++) {
    const item *a = b->root[i][j];
    char *got = (char *)calloc(1, nbytes_of(a) + 1);
    const int ok = tiny_read(a->x, got, nbytes_of(a)) == TINY_OK;
    const int64_t at = ok ? differs(a, got, b->want[i][j]) : 0;
    if (at >= 0) {
      if (!bad) bad = first + (uint64_t)i;
      if (loud) {
        fprintf(stderr, "%s, seed %llu, root %d, element %lld of %lld: got %.9g, want %.9g, tolerance %.3g %s\n", d->name, (unsigned long long)(first + (uint64_t)i), j, (long long)at,
                (long long)nelem(a), nelem(a) ? shown(a->dtype, got, at) : 0, nelem(a) ? shown(a->dtype, b->want[i][j], at) : 0, 3 * a->err, tiny_error(t));
        if (n == 1) print_root(t, graph[i][j]);
      }
    }
    free(got);
  }
done:
  for (int i = 0; i < n; i++) for (int j = 0; j < b->nroot[i]; j++) free(b->want[i][j]);
  tiny_close(t);
  for (int i = 0; i < n && alone && !bad; i++) bad = run_batch(b, first + (uint64_t)i, 1, nops, d, loud);
  return bad;
}

// The shortest wrong program of a seed is printed.
static void shrink(batch *b, uint64_t seed, const device *d) {
  int nops = 0;
  while (nops <= MAX_OPS && !run_batch(b, seed, 1, nops, d, 0)) nops++;
  fprintf(stderr, "-- seed %llu on %s is wrong with %d operators:\n", (unsigned long long)seed, d->name, nops);
  run_batch(b, seed, 1, nops, d, 1);
}

// ** networks: values and gradients of what people build **

static tiny_tensor *weights(tiny_ctx *t, tiny_shape s) { return tiny_mul(tiny_sub(tiny_rand(t, s), tiny_full(t, 0.5, TINY_F32, TINY_SHAPE())), tiny_full(t, 0.8, TINY_F32, TINY_SHAPE())); }
static tiny_tensor *labels_of(tiny_ctx *t, int n, int classes) {
  int32_t v[64];
  for (int i = 0; i < n; i++) v[i] = i * 7 % classes;
  return tiny_from(t, v, TINY_I32, TINY_SHAPE(n));
}
static tiny_tensor *convolutions(tiny_ctx *t, tiny_tensor **p, int *n) {
  tiny_conv_desc pad;
  tiny_batch_norm_state bn;
  memset(&pad, 0, sizeof pad);
  memset(&bn, 0, sizeof bn);
  pad.pad[0] = pad.pad[1] = 1;
  tiny_tensor *x = weights(t, TINY_SHAPE(4, 1, 8, 8));
  p[0] = weights(t, TINY_SHAPE(6, 1, 3, 3)); p[1] = weights(t, TINY_SHAPE(6)); p[2] = weights(t, TINY_SHAPE(8, 6, 3, 3)); p[3] = weights(t, TINY_SHAPE(32, 5));
  p[4] = tiny_add(weights(t, TINY_SHAPE(6)), tiny_full(t, 1, TINY_F32, TINY_SHAPE()));
  *n = 5;
  tiny_realize(p, *n);
  bn.mean = tiny_zeros(t, TINY_F32, TINY_SHAPE(6)); bn.var = tiny_ones(t, TINY_F32, TINY_SHAPE(6)); bn.weight = p[4];
  x = tiny_max_pool2d(tiny_relu(tiny_batch_norm(tiny_conv2d(x, p[0], p[1], &pad), &bn, 1)), 2, 0, 0);
  x = tiny_avg_pool2d(tiny_silu(tiny_conv2d(x, p[2], NULL, &pad)), 2, 0, 0);
  return tiny_cross_entropy(tiny_matmul(tiny_flatten(x, 1, 3), p[3]), labels_of(t, 4, 5), NULL);
}
static tiny_tensor *attention(tiny_ctx *t, tiny_tensor **p, int *n) {
  tiny_tensor *x = weights(t, TINY_SHAPE(2, 6, 8)), *qkv[3];
  for (int i = 0; i < 3; i++) p[i] = weights(t, TINY_SHAPE(8, 8));
  p[3] = weights(t, TINY_SHAPE(8)); p[4] = weights(t, TINY_SHAPE(16, 8));
  *n = 5;
  tiny_realize(p, *n);
  x = tiny_add(x, tiny_index_select(p[4], 0, labels_of(t, 6, 16)));
  tiny_tensor *y = tiny_layer_norm(x, 1, p[3], NULL, 1e-2);
  for (int i = 0; i < 3; i++) qkv[i] = tiny_permute(tiny_reshape(tiny_matmul(y, p[i]), TINY_SHAPE(2, 6, 2, 4)), TINY_SHAPE(0, 2, 1, 3));
  tiny_tensor *scores = tiny_matmul(qkv[0], tiny_transpose(qkv[1], 2, 3)), *row = tiny_arange(t, 0, 6, 1, TINY_I32);
  scores = tiny_where(tiny_lt(tiny_reshape(row, TINY_SHAPE(6, 1)), row), tiny_like(scores, -1e9), scores);
  y = tiny_add(x, tiny_reshape(tiny_permute(tiny_matmul(tiny_softmax(scores, -1), qkv[2]), TINY_SHAPE(0, 2, 1, 3)), TINY_SHAPE(2, 6, 8)));
  return tiny_mean(tiny_square(tiny_gelu(y)), TINY_ALL, 0);
}
static tiny_tensor *dense(tiny_ctx *t, tiny_tensor **p, int *n) {
  tiny_tensor *x = weights(t, TINY_SHAPE(16, 12));
  for (int i = 0; i < 3; i++) p[i] = weights(t, TINY_SHAPE(12, 12));
  p[3] = weights(t, TINY_SHAPE(12));
  *n = 4;
  tiny_realize(p, *n);
  for (int i = 0; i < 3; i++) x = tiny_tanh(tiny_linear(x, p[i], p[3]));
  x = tiny_add(tiny_logsumexp(x, 1, 0), tiny_sum(tiny_cumsum(tiny_mul(x, x), 1), 1, 0));
  return tiny_add(tiny_var(x, 0, 0, 1), tiny_amax(x, 0, 0));
}

static void test_net(const device *d, tiny_tensor *(*net)(tiny_ctx *t, tiny_tensor **p, int *n), const char *name) {
  tiny_tensor *p[8], *out[9];
  static float got[1024], want[9][1024];
  int n = 0, bad = 0;
  tiny_ctx *t = open_device(d->device, d->debug);
  out[0] = net(t, p, &n);
  tiny_grad(out[0], p, n, out + 1);
  for (int i = 0; i <= n; i++) CHECK_EQ(tn_eval_graph(t, tn_uop_of(out[i]), want[i], tn_reference_buffer), TINY_OK);
  CHECK_EQ(tiny_realize(out, n + 1), TINY_OK);
  for (int i = 0; i <= n; i++) {
    const int64_t m = tiny_nelem_of(out[i]);
    double most = 0.1;                    // what cancels leaves noise
    CHECK_EQ(tiny_read(out[i], got, (size_t)m * 4), TINY_OK);
    for (int64_t j = 0; j < m; j++) most = fmax(most, fabs((double)want[i][j]));
    for (int64_t j = 0; j < m; j++) bad += !(fabs((double)got[j] - (double)want[i][j]) <= 2e-5 * most);
  }
  if (bad) fprintf(stderr, "%s on %s: %d values differ; %s\n", name, d->name, bad, tiny_error(t));
  CHECK_EQ(bad, 0);
  tiny_close(t);
}

// Sums that depend on no loop beside sums that do, in one nest of loops.
static void test_sums_of_constants(const device *d) {
  int64_t data[182], got[56], want[56];
  tiny_ctx *t = open_device(d->device, d->debug);
  for (int i = 0; i < 182; i++) data[i] = i % 5;
  tiny_tensor *x = tiny_pad(tiny_from(t, data, TINY_I64, TINY_SHAPE(1, 7, 2, 13)), TINY_SHAPE(1, 0, 0, 2, 0, 0, 0, 1), 1);
  x = tiny_sum(x, 1, 0);
  CHECK_EQ(tn_eval_graph(t, tn_uop_of(x), (char *)want, tn_reference_buffer), TINY_OK);
  CHECK_EQ(tiny_read(x, got, sizeof got), TINY_OK);
  CHECK(!memcmp(got, want, sizeof got));
  tiny_close(t);
}

// A range that grows to a multiple of the lanes, and positions that are loaded by it: none beyond the last.
static void test_padded_scatter(const device *d) {
  static unsigned char data[3400], got[3400];
  int32_t at[68];
  const tiny_shape s = TINY_SHAPE(2, 2, 17);
  tiny_ctx *t = open_device(d->device, d->debug);
  for (int i = 0; i < 68; i++) at[i] = i % 7;
  tiny_tensor *x = tiny_permute(tiny_from(t, data, TINY_F8E4M3, TINY_SHAPE(2, 17, 100)), TINY_SHAPE(0, 2, 1));
  x = tiny_scatter_reduce(x, 1, tiny_from(t, at, TINY_I32, s), tiny_from(t, data, TINY_F8E4M3, s), TINY_REDUCE_AMAX, 1);
  CHECK_EQ(tiny_read(x, got, sizeof got), TINY_OK);
  CHECK_STR(tiny_error(t), "");
  tiny_close(t);
}

// ** gradients, whatever was read before **

enum { LOOK_ROWS = 8, LOOK_COLS = 12, LOOK_OPS = 10 };
// One of several operators on a and b of (rows, columns), that neither grows nor vanishes; w (columns).
static tiny_tensor *look_step(tiny_ctx *t, int k, tiny_tensor *a, tiny_tensor *b, tiny_tensor *w) {
  tiny_tensor *c, *y, *i;
  switch (k) {
    case 0: return tiny_tanh(tiny_add(a, b));
    case 1: c = tiny_sub(a, tiny_mean(a, TINY_ALL, 0)); return tiny_mul(c, tiny_rsqrt(tiny_add(tiny_mean(tiny_square(c), TINY_ALL, 0), tiny_scalar(t, 0.1, TINY_F32))));
    case 2: return tiny_sub(tiny_relu(a), tiny_scalar(t, 0.1, TINY_F32));
    case 3: return tiny_mul(a, w);
    case 4: return tiny_maximum(a, tiny_mul(b, w));
    case 5: return tiny_sub(a, tiny_amax(a, 0, 1));
    case 6: return tiny_div(a, tiny_add(tiny_norm(a, HUGE_VAL, 1, 1), tiny_scalar(t, 1, TINY_F32)));
    case 7: return tiny_clone(tiny_mul(a, w));
    case 8: return tiny_contiguous(tiny_sin(a));
    case 9: return tiny_tanh(tiny_cummax(a, 1, &i));
    case 10: return tiny_max_pool1d(a, 3, 1, 1);
    case 11: return tiny_add(tiny_softmax(a, 1), b);
    case 12: y = tiny_zeros(t, TINY_F32, TINY_SHAPE(LOOK_ROWS, LOOK_COLS)); return tiny_assign(y, tiny_sin(tiny_mul(a, w)));
    case 13: return tiny_sort(a, 1, 0, &i);
    case 14: return tiny_add(tiny_abs(a), tiny_amin(b, 1, 1));
    default: return tiny_add(tiny_clamp(a, -0.7, 0.9), tiny_max(a, 0, 1, &i));
  }
}
// Gradients by x and w of the program of a seed, with or without looks at inner values.
static int look_gradients(tiny_ctx *t, uint64_t seed, int looks, float (*out)[LOOK_ROWS * LOOK_COLS]) {
  static float v[LOOK_ROWS * LOOK_COLS];
  gen choose, eyes;
  memset(&choose, 0, sizeof choose); memset(&eyes, 0, sizeof eyes);
  choose.rng = seed; eyes.rng = seed + 1;
  for (int i = 0; i < LOOK_ROWS * LOOK_COLS; i++) v[i] = (float)rnd(&choose, 1 << 20) / (1 << 19) - 1;
  tiny_tensor *item[2 + LOOK_OPS], *w = tiny_from(t, v, TINY_F32, TINY_SHAPE(LOOK_COLS)), *grad[2];
  item[0] = tiny_from(t, v, TINY_F32, TINY_SHAPE(LOOK_ROWS, LOOK_COLS));
  const int n = 2 + (int)rnd(&choose, LOOK_OPS - 1);
  for (int i = 1; i <= n; i++) {
    item[i] = look_step(t, (int)rnd(&choose, 16), item[rnd(&choose, 3) ? i - 1 : (int)rnd(&choose, (uint32_t)i)], item[rnd(&choose, (uint32_t)i)], w);
    if (looks && chance(&eyes, 30)) tiny_read(item[rnd(&eyes, (uint32_t)i + 1)], v, sizeof v);
  }
  tiny_tensor *loss = tiny_sum(tiny_square(tiny_add(item[n], item[n / 2])), TINY_ALL, 0), *by[2] = {item[0], w};
  if (looks && chance(&eyes, 50)) tiny_item(loss);
  if (tiny_grad(loss, by, 2, grad) != TINY_OK) return 0;
  if (looks && chance(&eyes, 50)) tiny_read(item[rnd(&eyes, (uint32_t)n + 1)], v, sizeof v);
  memset(out, 0, 2 * sizeof *out);
  return tiny_read(grad[0], out[0], sizeof *out) == TINY_OK && tiny_read(grad[1], out[1], LOOK_COLS * 4) == TINY_OK;
}
static void test_looks(const device *d, uint64_t from, int n) {
  static float got[2][2][LOOK_ROWS * LOOK_COLS];
  const char *one = getenv("TEST_LOOKS");  // the program of this seed alone
  if (one) { from = strtoull(one, NULL, 10); n = 1; }
  for (int i = 0; i < n; i++) {
    case_seeded(from + (uint64_t)i * 7919, "TEST_ROUNDS=0 TEST_LOOKS=%llu");
    for (int looks = 0; looks < 2; looks++) {
      tiny_ctx *t = open_device(d->device, d->debug);
      const int ok = look_gradients(t, from + (uint64_t)i * 7919, looks, got[looks]);
      if (!ok) fprintf(stderr, "looks, seed %llu: %s\n", (unsigned long long)(from + (uint64_t)i * 7919), tiny_error(t));
      CHECK(ok);
      tiny_close(t);
    }
    int bad = 0;
    for (int k = 0; k < 2; k++) {
      double most = 1e-3;
      for (int j = 0; j < LOOK_ROWS * LOOK_COLS; j++) most = fmax(most, fabs((double)got[0][k][j]));
      for (int j = 0; j < LOOK_ROWS * LOOK_COLS; j++) bad += !(fabs((double)got[0][k][j] - (double)got[1][k][j]) <= 2e-4 * most);
    }
    if (bad) fprintf(stderr, "looks on %s, seed %llu: %d elements of the gradients differ\n", d->name, (unsigned long long)(from + (uint64_t)i * 7919), bad);
    CHECK_EQ(bad, 0);
  }
  case_end();
}

static batch work;

// Programs that were wrong once: opts that heuristics chose and that were not legal, one of them without end, and a sum
// of equal narrow floats.
static void test_found(void) {
  static const uint64_t found[] = {700403, 700568, 700905, 701225, 804475, 806260, 808145, 902328, 950019};
  for (size_t i = 0; i < sizeof found / sizeof *found; i++)
    for (int k = 0; k < DEVICES; k++) {
      case_seeded(found[i], "TEST_SEED=%llu");
      test_check(!run_batch(&work, found[i], 1, MAX_OPS, &devices[k], 0), __FILE__, __LINE__, devices[k].name);
    }
  case_end();
}

int main(void) {
  const char *one = getenv("TEST_SEED"), *on = getenv("TEST_ON");
  const int batches = test_rounds(BATCHES);
  int nbad = 0;
  if (one) {
    for (int k = 0; k < DEVICES; k++) if ((!on || !strcmp(on, devices[k].name)) && run_batch(&work, (uint64_t)atoll(one), 1, MAX_OPS, &devices[k], 1)) { shrink(&work, (uint64_t)atoll(one), &devices[k]); nbad++; }
    CHECK(!nbad);
    if (refused) printf("refused: it wants f64, which the device has not\n");
    return test_report();
  }
  for (int r = 0; r < batches && nbad < 5; r++) {
    const uint64_t first = test_from(1) + (uint64_t)r * BATCH;
    case_seeded(first, "TEST_FROM=%llu TEST_ROUNDS=1");
    for (int k = 0; k < DEVICES; k++) {
      const int turn = (int)((first - 1) / BATCH % (uint64_t)devices[k].every);      // the same for a batch that is run alone
      if (on ? strcmp(on, devices[k].name) != 0 : turn != devices[k].from) continue;
      const uint64_t bad = run_batch(&work, first, BATCH, MAX_OPS, &devices[k], 0);
      test_check(!bad, __FILE__, __LINE__, devices[k].name);
      if (!bad) continue;
      nbad++;
      int alone = 0;
      for (uint64_t s = first; s < first + BATCH; s++) if (run_batch(&work, s, 1, MAX_OPS, &devices[k], 0)) { shrink(&work, s, &devices[k]); alone++; }
      if (!alone) { fprintf(stderr, "-- seeds %llu.. on %s are wrong only together:\n", (unsigned long long)first, devices[k].name); run_batch(&work, first, BATCH, MAX_OPS, &devices[k], 1); }
    }
  }
  case_end();
  if (!on) test_found();
  for (int i = 0; i < MAKERS && !on && batches >= BATCHES; i++) CHECK(made_by[i] > 0);
  for (int k = 0; k < DEVICES; k++) {
    if (on && strcmp(on, devices[k].name)) continue;
    test_net(&devices[k], convolutions, "convolutions");
    test_net(&devices[k], attention, "attention");
    test_net(&devices[k], dense, "dense");
    test_sums_of_constants(&devices[k]);
    test_padded_scatter(&devices[k]);
    test_looks(&devices[k], 1, on ? batches * 4 : test_some(!strcmp(devices[k].device, "CPU") ? BATCHES / 4 : BATCHES * 4));
  }
  if (refused) printf("refused: %d programs want f64, which the device has not\n", refused);
  return test_report();
}
