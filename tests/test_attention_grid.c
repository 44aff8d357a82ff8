// test_attention_grid: attention and its gradients on GPUs that are not here, whose products units of warps do: against
// what they are by definition, in doubles; and what of it is stored: no value for each query and key.
// brief: plain asan
#include "../src/all.c"
#include "test.h"
#include "kernel_test.h"
#include "gpu_test.h"
#include "../src/render/lang_hip.c"

static tiny_ctx *open_on(const char *gpu, int tf32) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.cache_dir = "";
  d.tf32 = tf32;
  return open_gpu(gpu, &d);
}

// ** attention by definition **

// mask: 1 bool, 2 numbers; some rows see nothing; 3 bool, of positions, with a window. again: values are computed by how many kernels; 0: stored.
// shared: how many heads share one of keys and values; 0: none do. flow: what flows into the result, times so much; 0: 1.
typedef struct shape { const char *name; int heads, L, S, E, V, dtype, causal, mask, window; float large; int again, shared; double flow; } shape;
enum { MOST = 1 << 17, KEYS = 512 };
enum { QUERY, KEY, VALUE, FLOW, MASK, GIVEN };               // FLOW: what flows into the result
static float given[GIVEN][MOST];
static double wanted[4][MOST];             // the result; gradients of queries, keys, values

static int keys_of(const shape *s, int head) { return s->shared ? head / s->shared : head; }
static int size_of(const shape *s, int i) {
  return i == QUERY ? s->heads * s->L * s->E : i == KEY ? keys_of(s, s->heads) * s->S * s->E : i == VALUE ? keys_of(s, s->heads) * s->S * s->V :
         i == FLOW ? s->heads * s->L * s->V : s->L * s->S;
}
static void fill(const shape *s) {
  for (int i = 0; i < MASK; i++) for (int j = 0; j < size_of(s, i); j++)
    given[i][j] = (float)tn_to_f64(tn_dtype_value(s->dtype, (i == FLOW && s->flow > 0 ? s->flow : s->large) * ((double)(((unsigned)j * 2654435761u + (unsigned)i * 77u) >> 8 & 1023) / 512 - 1)));
  for (int l = 0; l < s->L; l++) for (int k = 0; k < s->S; k++) {
    float *m = &given[MASK][l * s->S + k];
    const int seen = s->window ? k >= l - s->window && k <= l : l % 7 != 2 && (l + k) % 3 != 0;
    *m = s->mask & 1 ? (float)seen : seen ? (float)((l * 3 + k) % 5) / 4 : -HUGE_VALF;
  }
}
static double score_of(const shape *s, const float *q, const float *k, int l, int j) {
  double x = 0;
  for (int e = 0; e < s->E; e++) x += (double)q[l * s->E + e] * (double)k[j * s->E + e];
  x /= sqrt((double)s->E);
  if (s->mask == 2) x += (double)given[MASK][l * s->S + j];
  return ((s->mask & 1) && given[MASK][l * s->S + j] == 0) || (s->causal && j > l) ? -HUGE_VAL : x;
}
// One row of a head: its weights p and, with g = what flows into them, what flows into its scores.
static void define_row(const shape *s, int h, int l) {
  static double p[KEYS], g[KEYS];
  const float *q = &given[QUERY][h * s->L * s->E], *k = &given[KEY][keys_of(s, h) * s->S * s->E], *v = &given[VALUE][keys_of(s, h) * s->S * s->V],
              *flow = &given[FLOW][(h * s->L + l) * s->V];
  double max = -HUGE_VAL, sum = 0, mean = 0;
  for (int j = 0; j < s->S; j++) if ((p[j] = score_of(s, q, k, l, j)) > max) max = p[j];
  for (int j = 0; j < s->S; j++) sum += p[j] = max == -HUGE_VAL ? 0 : exp(p[j] - max);
  for (int j = 0; j < s->S; j++) {
    p[j] = sum > 0 ? p[j] / sum : 0;
    g[j] = 0;
    for (int d = 0; d < s->V; d++) {
      wanted[0][(h * s->L + l) * s->V + d] += p[j] * (double)v[j * s->V + d];
      wanted[3][(keys_of(s, h) * s->S + j) * s->V + d] += p[j] * (double)flow[d];
      g[j] += (double)flow[d] * (double)v[j * s->V + d];
    }
    mean += p[j] * g[j];
  }
  for (int j = 0; j < s->S; j++) for (int e = 0; e < s->E; e++) {
    const double score = p[j] * (g[j] - mean) / sqrt((double)s->E);
    wanted[1][(h * s->L + l) * s->E + e] += score * (double)k[j * s->E + e];
    wanted[2][(keys_of(s, h) * s->S + j) * s->E + e] += score * (double)q[l * s->E + e];
  }
}

// ** the same, as tensors **

static void build(tiny_ctx *t, const shape *s, tiny_tensor **out, int gradients) {
  const tiny_shape dims[FLOW + 1] = {TINY_SHAPE(1, s->heads, s->L, s->E), TINY_SHAPE(1, keys_of(s, s->heads), s->S, s->E),
                                     TINY_SHAPE(1, keys_of(s, s->heads), s->S, s->V), TINY_SHAPE(1, s->heads, s->L, s->V)};
  tiny_tensor *in[FLOW + 1], *mask = NULL;
  tiny_attention_desc d;
  for (int i = 0; i <= FLOW; i++) in[i] = tiny_cast(tiny_from(t, given[i], TINY_F32, dims[i]), (tiny_dtype)s->dtype);
  if (s->mask == 1 || s->mask == 2) mask = tiny_from(t, given[MASK], TINY_F32, TINY_SHAPE(s->L, s->S));
  if (s->mask == 1) mask = tiny_cast(mask, TINY_BOOL);
  if (mask) tiny_realize(&mask, 1);
  if (s->mask == 3) {                      // j <= l and j + window >= l
    tiny_tensor *l = tiny_reshape(tiny_arange(t, 0, s->L, 1, TINY_I32), TINY_SHAPE(s->L, 1)),
                *j = tiny_reshape(tiny_arange(t, 0, s->S, 1, TINY_I32), TINY_SHAPE(1, s->S));
    mask = tiny_logical_and(tiny_le(j, l), tiny_ge(tiny_add_scalar(j, s->window), l));
  }
  tiny_realize(in, FLOW + 1);
  memset(&d, 0, sizeof d);
  d.causal = s->causal; d.mask = mask;
  out[0] = tiny_attention(in[QUERY], in[KEY], in[VALUE], &d);
  if (!gradients) return;
  tiny_tensor *loss = tiny_sum(tiny_mul(tiny_cast(out[0], TINY_F32), tiny_cast(in[FLOW], TINY_F32)), TINY_ALL, 0);
  CHECK_EQ(tiny_grad(loss, in, 3, out + 1), TINY_OK);
}

// The kernels that compute these on such a device.
static const tn_kernel **planned(tiny_ctx *t, tiny_tensor *const *out, int n, const tiny_limits *limits, tn_draft *d) {
  tn_visit v;
  const tn_kernel **kernels = NULL;
  tn_targets targets;
  tiny_uop *roots[4];
  for (int i = 0; i < n; i++) roots[i] = root_of(out[i]);
  memset(&v, 0, sizeof v); memset(&targets, 0, sizeof targets);
  targets.limits[0] = limits; targets.n = 1;
  tn_visit_graph(t, &v, roots, n);
  CHECK_EQ(tn_draft_plan(t, &targets, &v, roots, n, d, &kernels), TINY_OK);
  return kernels;
}
// The largest value that all of a plan's kernels store, of intermediate ones and results; how many of the kernels have a
// loop that does not run through all of its range.
typedef struct looked { tiny_tensor **out; int n; int64_t most; int shortened; } looked;
static int is_shortened(const tn_lowered *low) {
  for (int i = 0; i < low->n; i++)
    if (low->list[i]->op == TINY_OP_RANGE && (low->list[i]->nsrc > 1 || !tn_is_const(low->list[i]->src[0]))) return 1;
  return 0;
}
static tiny_code look_guarded(tiny_ctx *t, void *arg) {
  looked *x = (looked *)arg;
  const tn_target target = {NULL, &t->device[0]->limits};
  tn_draft d;
  const tn_kernel **kernels = planned(t, x->out, x->n, target.limits, &d);
  for (int i = 0; kernels && i < d.plan.nplace; i++)
    if (d.plan.place[i].kind != TN_PLACE_LEAF && d.plan.place[i].nbytes > x->most) x->most = d.plan.place[i].nbytes;
  for (int i = 0; kernels && i < d.plan.nstep; i++) {
    tn_lowered low;
    memset(&low, 0, sizeof low);
    t->ir->serial = TN_PIPELINE_SERIAL;
    if (tn_pipeline_run(t, kernels[i]->ast, &target, NULL, 0, &low) != TINY_OK) return t->code;
    x->shortened += is_shortened(&low);
  }
  return t->code;
}

static double tolerance_of(const shape *s) { return s->dtype == TINY_BF16 ? 1.6e-2 : 2e-3; }
// As near as it has to be, beside the largest of all that is wanted.
static int wrongs(const shape *s, const char *name, const float *got, const double *want, int n) {
  double most = 0;
  int wrong = 0;
  for (int i = 0; i < n; i++) if (fabs(want[i]) > most) most = fabs(want[i]);
  for (int i = 0; i < n; i++)
    if (!(fabs((double)got[i] - want[i]) <= tolerance_of(s) * most) && !wrong++)
      fprintf(stderr, "  %s, %s: element %d is %g, not %g\n", test_state.name, name, i, (double)got[i], want[i]);
  return wrong;
}

static void check_shape(const char *gpu, const shape *s) {
  static const char *const names[4] = {"result", "queries", "keys", "values"};
  static float got[MOST];
  if (!case_named("%s on %s", s->name, gpu)) return;
  tiny_ctx *t = open_on(gpu, s->dtype == TINY_F32);
  tiny_tensor *out[4];
  fill(s);
  memset(wanted, 0, sizeof wanted);
  for (int h = 0; h < s->heads; h++) for (int l = 0; l < s->L; l++) define_row(s, h, l);
  build(t, s, out, 0);
  const uint64_t before = tiny_stats_of(t).kernels;          // without gradients: one kernel
  CHECK_EQ(tiny_realize(out, 1), TINY_OK);
  CHECK_EQ((int)(tiny_stats_of(t).kernels - before), 1);
  CHECK_EQ(tiny_read(tiny_cast(out[0], TINY_F32), got, (size_t)size_of(s, FLOW) * sizeof *got), TINY_OK);
  CHECK_EQ(wrongs(s, "result alone", got, wanted[0], size_of(s, FLOW)), 0);
  build(t, s, out, 1);
  looked x = {out, 4, 0, 0};
  CHECK_EQ(tn_guard(t, look_guarded, &x), TINY_OK);
  const int again = x.most < (int64_t)s->heads * s->L * s->S * tn_dtypes[s->dtype].nbytes;
  CHECK_EQ(again, s->again);
  if (again) CHECK_EQ(x.shortened, s->causal || s->mask == 3 ? 7 : 0);         // masks leave out keys, or queries
  CHECK_EQ(tiny_realize(out, 4), TINY_OK);
  for (int i = 0; i < 4; i++) {
    const int n = size_of(s, i ? i - 1 : FLOW);
    CHECK_EQ(tiny_read(tiny_cast(out[i], TINY_F32), got, (size_t)n * sizeof *got), TINY_OK);
    CHECK_EQ(wrongs(s, names[i], got, wanted[i], n), 0);
  }
  if (tiny_status(t)) fprintf(stderr, "  %s\n", tiny_error(t));
  tiny_close(t);
  case_end();
}

// ** text: what the languages write, for compilers that are here; $TEST_UNITS: a folder for it **

typedef struct text_trial { const char *machine; const shape *s; int arch, gradients, n, units; } text_trial;

static void write_text(tiny_ctx *t, const text_trial *r, const tiny_renderer *renderer, const char *text) {
  FILE *f = getenv("TEST_UNITS") ? fopen(tn_text_of_format(t, "%s/%s.%s", getenv("TEST_UNITS"), r->machine, renderer->file), "ab") : NULL;
  if (!f) return;
  if (!r->n) {
    tiny_bytes prelude = {t, NULL, 0, 0};
    renderer->module(t, renderer, NULL, 0, &prelude);
    CHECK(fputs(prelude.data, f) >= 0);
  }
  CHECK(fputs(text, f) >= 0);
  fclose(f);
}
static tiny_code text_guarded(tiny_ctx *t, void *arg) {
  text_trial *r = (text_trial *)arg;
  tiny_tensor *out[4];
  tiny_limits limits;
  tiny_renderer renderer;
  tn_draft d;
  memset(&renderer, 0, sizeof renderer);
  if (r->arch) tn_lang_cuda(&renderer, r->arch);
  else tn_lang_hip(&renderer, r->machine);
  tn_cstyle(&renderer);
  tn_gpu_limits(r->machine, &limits);
  limits.dtypes = TN_CUDA_ARITHMETIC;
  fill(r->s);
  build(t, r->s, out, r->gradients);
  const tn_target target = {&renderer, &limits};
  const tn_kernel **kernels = tiny_status(t) ? NULL : planned(t, out, r->gradients ? 4 : 1, &limits, &d);
  for (int i = 0; kernels && i < d.plan.nstep; i++) {
    tn_lowered low;
    char name[32];
    uint64_t uses = 0;
    tiny_bytes text = {t, NULL, 0, 0};
    memset(&low, 0, sizeof low);
    t->ir->serial = TN_PIPELINE_SERIAL;
    if (tn_pipeline_run(t, kernels[i]->ast, &target, NULL, 0, &low) != TINY_OK) return t->code;
    snprintf(name, sizeof name, "k%d", r->n);
    const tiny_listing listing = {name, low.list, low.n, low.hints, low.local, low.local_nbytes};
    if (renderer.kernel(t, &renderer, &listing, &text, &uses) != TINY_OK) return t->code;
    CHECK(text.data && strstr(text.data, "?(") == NULL);
    r->units += text.data && strstr(text.data, "matrix_") != NULL;
    write_text(t, r, &renderer, text.data ? text.data : "");
    r->n++;
  }
  return t->code;
}
static void check_text(const char *machine, int arch) {
  static const shape some[] = {{.name = "f16", .heads = 1, .L = 192, .S = 160, .E = 64, .V = 64, .dtype = TINY_F16},
                               {.name = "bf16", .heads = 1, .L = 131, .S = 145, .E = 40, .V = 32, .dtype = TINY_BF16, .causal = 1}};
  text_trial r = {machine, NULL, arch, 0, 0, 0};
  for (int i = 0; i < (arch == 75 ? 1 : 2); i++) for (int g = 0; g < 2; g++) {
    tiny_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.device = "INTERP"; desc.cache_dir = "";
    tiny_ctx *t = tiny_open(&desc);
    r.s = &some[i]; r.gradients = g; r.units = 0;
    CHECK_EQ(tn_guard(t, text_guarded, &r), TINY_OK);
    CHECK_EQ(r.units, g ? 7 : 1);          // maxima, sums, the result, what the maximum takes of a gradient, gradients
    if (tiny_status(t)) fprintf(stderr, "  %s %s: %s\n", machine, some[i].name, tiny_error(t));
    tiny_close(t);
  }
}

static const shape shapes[] = {
  {.name = "plain", .heads = 2, .L = 128, .S = 128, .E = 64, .V = 64, .again = 1},
  {.name = "odd", .heads = 1, .L = 131, .S = 145, .E = 40, .V = 24, .again = 1},
  {.name = "causal", .heads = 1, .L = 160, .S = 160, .E = 32, .V = 64, .causal = 1, .again = 1},
  {.name = "masked", .heads = 2, .L = 96, .S = 130, .E = 32, .V = 32, .mask = 1, .again = 1},
  {.name = "added", .heads = 1, .L = 130, .S = 128, .E = 64, .V = 32, .mask = 2, .again = 1},
  {.name = "window", .heads = 1, .L = 192, .S = 192, .E = 16, .V = 16, .mask = 1, .window = 20, .again = 1},
  {.name = "causal, more keys", .heads = 2, .L = 200, .S = 330, .E = 40, .V = 64, .causal = 1, .again = 1},
  {.name = "causal, fewer keys", .heads = 1, .L = 330, .S = 200, .E = 64, .V = 40, .causal = 1, .again = 1},
  {.name = "band", .heads = 2, .L = 300, .S = 280, .E = 64, .V = 32, .mask = 3, .window = 50, .again = 1},
  {.name = "shared keys", .heads = 4, .L = 128, .S = 96, .E = 64, .V = 64, .shared = 2, .again = 1},
  {.name = "shared keys, causal", .heads = 6, .L = 100, .S = 100, .E = 40, .V = 32, .causal = 1, .shared = 3, .again = 1},
  {.name = "bf16", .heads = 1, .L = 128, .S = 192, .E = 64, .V = 64, .dtype = TINY_BF16, .again = 1},
  {.name = "wide", .heads = 1, .L = 144, .S = 300, .E = 128, .V = 128, .again = 1},
  {.name = "wider", .heads = 1, .L = 250, .S = 270, .E = 64, .V = 140, .again = 1},
  {.name = "widest", .heads = 1, .L = 300, .S = 400, .E = 192, .V = 160, .again = 1},
  {.name = "far apart", .heads = 1, .L = 128, .S = 128, .E = 64, .V = 64, .large = 8, .again = 1},
  {.name = "long heads", .heads = 1, .L = 128, .S = 128, .E = 144, .V = 32, .again = 0},
  {.name = "small flows", .heads = 1, .L = 160, .S = 500, .E = 64, .V = 64, .again = 1, .flow = 1.0 / 1024},
  {.name = "tf32", .heads = 2, .L = 128, .S = 160, .E = 64, .V = 64, .dtype = TINY_F32, .again = 1},
  {.name = "tf32, causal, odd", .heads = 1, .L = 150, .S = 131, .E = 40, .V = 24, .dtype = TINY_F32, .causal = 1, .again = 1},
  {.name = "tf32, shared keys", .heads = 4, .L = 130, .S = 96, .E = 32, .V = 64, .dtype = TINY_F32, .shared = 2, .again = 1},
  {.name = "few", .heads = 1, .L = 64, .S = 64, .E = 32, .V = 32, .again = 0},
};
// nests: units do what is made of products. bf16 has none before sm_80; f32 has those of TF32 there.
static const struct { const char *name; int nests, bf16, tf32; } gpus[] = {{"sm_90", 1, 1, 1}, {"gfx1100", 1, 1, 0}, {"gfx942", 1, 1, 0}, {"gfx1201", 1, 1, 0}, {"sm_75", 1, 0, 0}};

static const struct { const char *name; int arch; } texts[] = {
  {"sm_75", 75}, {"sm_80", 80}, {"sm_90", 90}, {"sm_120", 120}, {"gfx1100", 0}, {"gfx1201", 0}, {"gfx942", 0}};

int main(void) {
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) check_text(texts[i].name, texts[i].arch);
  if (getenv("TEST_UNITS")) return test_report();
  const size_t n = getenv("TEST_BRIEF") ? 2 : sizeof gpus / sizeof *gpus;
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) for (size_t g = 0; g < n; g++) {
    shape s = shapes[i];
    if (n == 2 ? (i + g) % 2 : g > 1 && i % 3 != g % 3) continue;
    if (!s.dtype) s.dtype = TINY_F16;
    if (s.large == 0) s.large = 1;
    s.again &= s.dtype == TINY_BF16 ? gpus[g].bf16 : s.dtype == TINY_F32 ? gpus[g].tf32 : gpus[g].nests;
    check_shape(gpus[g].name, &s);
  }
  return test_report();
}
