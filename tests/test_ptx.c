// also: golden
// brief: plain asan
// test_ptx: kernels of all kinds in PTX: golden text; ptxas takes those of each kind for each target, where there is
// one; what a machine for PTX executes (ptx_machine.h) is what the interpreter computes; targets, versions, what is none.
//
//   TEST_ROUNDS=1000           all graphs; else a few of each maker's.
//   TEST_PTX=sm_75             the GPU whose values are looked at; else sm_90a, sm_75, sm_89 and sm_90 in turns, and
//                              products of matrices on sm_100a.
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif
#define PTX_NAME "PTX"
#include "../src/all.c"
#include "test.h"
#include "golden.h"
#include "language_graphs.h"
#include "ptx_device.h"
#include <sys/stat.h>

// ** a device that writes, for a target **

typedef struct written { tn_null null; const char *target; char *text; size_t n, cap; int kernels; } written;
static const char *target_now = "sm_80";

static void *written_open(tiny_ctx *t, const char *which, tiny_limits *limits) {
  char gpu[16];
  written *d = (written *)tiny_realloc(t, NULL, 0, sizeof *d);
  (void)which;
  if (!d) return NULL;
  memset(d, 0, sizeof *d);
  d->null.t = t; d->target = target_now;
  snprintf(gpu, sizeof gpu, "%.*s", (int)(strcspn(target_now + 3, "a") + 3), target_now);
  CHECK(tn_gpu_limits(target_now, limits) || tn_gpu_limits(gpu, limits));      // few have a row of their own
  limits->dtypes = TN_PTX_ARITHMETIC; limits->atomics = TN_PTX_ATOMICS;
  return d;
}
static void written_close(void *dev) {
  written *d = (written *)dev;
  free(d->text);
  tiny_realloc(d->null.t, d, sizeof *d, 0);
}
static void written_renderer(void *dev, tiny_renderer *r) { CHECK(tn_lang_ptx(r, ((written *)dev)->target)); }
static void written_add(written *d, const char *text, size_t n) {
  while (d->n + n + 1 > d->cap) { d->cap = 2 * d->cap + 65536; d->text = (char *)realloc(d->text, d->cap); }
  memcpy(d->text + d->n, text, n);
  d->text[d->n += n] = 0;
}
// Modules become one: of the first its head, with the greatest version, of all their kernels, each once.
static tiny_code written_compile(void *dev, int n, const tiny_bytes *source, tiny_bytes *binary, tiny_bytes *log) {
  written *d = (written *)dev;
  static const char entry[] = ".visible .entry ";
  for (int i = 0; i < n; i++) {
    const char *at = strstr(source[i].data, entry), *next;
    CHECK(at != NULL);
    if (!d->n) written_add(d, source[i].data, (size_t)(at - source[i].data));
    if (memcmp(source[i].data, d->text, 12) > 0) memcpy(d->text, source[i].data, 12);          // ".version 7.0"
    for (; at; at = next) {
      char name[120];
      snprintf(name, sizeof name, "%.*s", (int)strcspn(at, "(") + 1, at);
      next = strstr(at + 1, entry);
      if (strstr(d->text, name)) continue;
      written_add(d, at, next ? (size_t)(next - at) : strlen(at));
      d->kernels++;
    }
  }
  return tn_null_compile(dev, n, source, binary, log);
}
static tiny_ctx *written_context(const char *target, golden *log) {
  static tiny_backend b;
  tiny_desc d;
  memset(&d, 0, sizeof d);
  b = *tiny_backend_named("NULL");
  b.name = "PTXTEXT"; b.open = written_open; b.close = written_close; b.renderer = written_renderer;
  b.compile = written_compile;
  target_now = target;
  d.device = "PTXTEXT"; d.backends[0] = &b; d.cache_dir = ""; d.atomics = 1;
  if (log) { d.debug = "c"; d.log.fn = golden_line; d.log.user = log; }
  return tiny_open(&d);
}

// ** golden text **

static tiny_tensor *zeros_of(tiny_ctx *t, tiny_dtype d, tiny_shape s) {
  void *data = calloc((size_t)tn_dims_nelem(s.ndim, s.dim) + 1, tiny_dtype_nbytes(d));
  tiny_tensor *x = tiny_from(t, data, d, s);
  free(data);
  return x;
}
static tiny_tensor *saxpy(tiny_ctx *t) {
  tiny_tensor *x = zeros_of(t, TINY_F32, TINY_SHAPE(1 << 20)), *y = zeros_of(t, TINY_F32, TINY_SHAPE(1 << 20));
  return tiny_add(tiny_mul_scalar(x, 2), y);
}
static tiny_tensor *odd(tiny_ctx *t) {
  return tiny_sqrt(tiny_add(zeros_of(t, TINY_F32, TINY_SHAPE(1001, 3)), zeros_of(t, TINY_F32, TINY_SHAPE(3))));
}
static tiny_tensor *matmul_f32(tiny_ctx *t) {
  return tiny_matmul(zeros_of(t, TINY_F32, TINY_SHAPE(512, 512)), zeros_of(t, TINY_F32, TINY_SHAPE(512, 512)));
}
static tiny_tensor *matmul_f16(tiny_ctx *t) {
  return tiny_matmul(zeros_of(t, TINY_F16, TINY_SHAPE(512, 512)), zeros_of(t, TINY_F16, TINY_SHAPE(512, 512)));
}
static tiny_tensor *softmax_f16(tiny_ctx *t) { return tiny_softmax(zeros_of(t, TINY_F16, TINY_SHAPE(256, 1024)), -1); }
static tiny_tensor *attention_f16(tiny_ctx *t) {
  tiny_tensor *x = zeros_of(t, TINY_F16, TINY_SHAPE(4, 128, 64));
  return tiny_attention(x, x, x, NULL);
}
static void test_golden(void) {
  static const struct { const char *name; tiny_tensor *(*make)(tiny_ctx *t); } subjects[] = {
    {"saxpy", saxpy}, {"elements of odd rows", odd}, {"matmul of f32", matmul_f32}, {"matmul of f16", matmul_f16},
    {"softmax of f16", softmax_f16}, {"attention of f16", attention_f16}};
  golden log, out;
  memset(&log, 0, sizeof log); memset(&out, 0, sizeof out);
  tiny_ctx *t = written_context("sm_80", &log);
  for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
    golden_realize(&log, &out, "// ", subjects[i].name, subjects[i].make(t));
    golden_add(&log, &out);
  }
  golden_check(&out, "kernels.ptx");
  CHECK(strstr(out.text, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32") && strstr(out.text, "cp.async.cg"));
  CHECK(strstr(out.text, "ld.global.nc.v4.f32") && strstr(out.text, "fma.rn.f32") && !strstr(out.text, ".local"));
  golden_free(&out);
  tiny_close(t);
  golden_free(&log);
}

// ** forms that save instructions **

static tiny_tensor *odd_f16(tiny_ctx *t) {
  return tiny_matmul(zeros_of(t, TINY_F16, TINY_SHAPE(777, 777)), zeros_of(t, TINY_F16, TINY_SHAPE(777, 777)));
}
static tiny_tensor *scattered(tiny_ctx *t) {
  tiny_tensor *at = zeros_of(t, TINY_I32, TINY_SHAPE(4096, 64)), *x = zeros_of(t, TINY_F32, TINY_SHAPE(501, 64));
  return tiny_scatter_add(x, 0, at, zeros_of(t, TINY_F32, TINY_SHAPE(4096, 64)));
}
static tiny_tensor *joined(tiny_ctx *t) {              // an address in it has more terms than TN_PTX_TERMS
  tiny_tensor *x = zeros_of(t, TINY_F32, TINY_SHAPE(2, 8, 512, 64)), *part[3];
  for (int i = 0; i < 3; i++) part[i] = tiny_permute(x, TINY_SHAPE(0, 1, 3, 2));
  return tiny_cast(tiny_cat(part, 3, 1), TINY_F16);
}
static tiny_tensor *sums_of(tiny_ctx *t, tiny_dtype d) {
  tiny_tensor *x = zeros_of(t, d, TINY_SHAPE(4096)), *y = zeros_of(t, d, TINY_SHAPE(4096));
  return tiny_add(tiny_mul(x, y), tiny_maximum(x, tiny_neg(y)));
}
static tiny_tensor *sums_f16(tiny_ctx *t) { return sums_of(t, TINY_F16); }
static tiny_tensor *sums_bf16(tiny_ctx *t) { return sums_of(t, TINY_BF16); }
static void test_forms(void) {
  static const struct {
    const char *name, *gpu; tiny_tensor *(*make)(tiny_ctx *t); const char *has, *has_not;
  } forms[] = {
    {"16 bits as they are", "sm_80", odd_f16, "st.shared.b16 [", "cvt.u32.u16"},
    {"within bounds at once", "sm_80", scattered, "setp.lt.u32", "setp.lt.s32 %p1, -1"},
    {"constants of addresses", "sm_80", joined, ", [%d", "add.s32 %r60"},
    {"two halves at once", "sm_80", sums_f16, "add.rn.f16x2", "cvt."},
    {"none of sm_75", "sm_75", sums_f16, "cvt.rn.f16.f32", "f16x2"},
    {"two bf16 at once", "sm_90", sums_bf16, "mul.rn.bf16x2", "f32"},
    {"none of sm_89", "sm_89", sums_bf16, "cvt.rn.bf16x2.f32", "mul.rn.bf16x2"},
    {"two f32 at once", "sm_100", matmul_f32, "fma.rn.f32x2", "fma.rn.f32 "},
    {"none of sm_90", "sm_90", matmul_f32, "fma.rn.f32 ", "f32x2"}};
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    if (!case_named("%s", forms[i].name)) continue;
    tiny_ctx *t = written_context(forms[i].gpu, NULL);
    const written *d = (const written *)t->device[0]->dev;
    tiny_tensor *x = forms[i].make(t);
    CHECK_EQ(tiny_realize(&x, 1), TINY_OK);
    CHECK(d->text && strstr(d->text, forms[i].has) && !strstr(d->text, forms[i].has_not));
    if (d->text && test_shown()) puts(d->text);
    tiny_close(t);
  }
  case_end();
}

// ** ptxas **

static int graph_number(const tiny_dtype *dtypes) { int n = 0; while (dtypes[n] != TINY_VOID) n++; return n; }
static int is_of_few(const graph *g, int at) {
  return test_rounds(0) > 0 || at % (graph_number(g->dtypes) * g->variants / 3 + 1) == 0;
}
static const char *ptxas(void) {
  static const char *const places[] = {"ptxas", "/usr/local/cuda/bin/ptxas"};
  char command[120];
  for (int i = 0; i < 2; i++) {
    snprintf(command, sizeof command, "%s --version >/dev/null 2>&1", places[i]);
    if (!system(command)) return places[i];
  }
  return NULL;
}
static int assembles(const char *with, const char *target, const char *text) {
  char command[200];
  mkdir("build", 0777);
  FILE *f = fopen("build/test_ptx.ptx", "wb");
  CHECK(f && fputs(text, f) >= 0);
  if (f) fclose(f);
  snprintf(command, sizeof command, "%s -arch=%s -O0 -o /dev/null build/test_ptx.ptx >build/test_ptx.txt 2>&1", with,
           target);
  return !system(command);
}
// Graphs of each kind for a target, as one module. The kernels in it.
static int test_assembled(const char *with, const char *target) {
  tiny_ctx *t = written_context(target, NULL);
  written *d = (written *)t->device[0]->dev;
  tiny_tensor *out[GRAPH_OUTPUTS];
  case_named("%s", target);
  for (int i = 0; i < GRAPHS; i++)
    for (int at = 0, n = graph_number(graphs[i].dtypes); at < n * graphs[i].variants; at++) {
      if (!is_of_few(&graphs[i], at)) continue;
      tiny_begin(t);
      const int made = graphs[i].make(t, graphs[i].dtypes[at % n], at / n, out);
      CHECK_EQ(tiny_realize(out, made), TINY_OK);
      tiny_end(t);
    }
  if (tiny_status(t)) fprintf(stderr, "  %s\n", tiny_error(t));
  CHECK(d->text && d->kernels > 50);
  const int taken = d->text && assembles(with, target, d->text), kernels = d->kernels;
  CHECK(taken);
  if (!taken && system("head -5 build/test_ptx.txt >&2")) fprintf(stderr, "  ptxas says nothing\n");
  tiny_close(t);
  case_end();
  return kernels;
}
static void test_ptxas(void) {
  static const char *const targets[] = {"sm_75", "sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_120a"};
  const char *with = ptxas();
  if (!with) { printf("test_ptx: there is no ptxas: nothing is assembled\n"); return; }
  for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) test_assembled(with, targets[i]);
  CHECK(!assembles(with, "sm_80", ".version 7.0\n.target sm_80\n.address_size 64\n.entry k() { add.f32 %f1; }\n"));
}

// ** targets **

static void test_targets(void) {
  static const struct { const char *target, *version; } all[] = {
    {"sm_75", "6.3"}, {"sm_80", "7.0"}, {"sm_86", "7.1"}, {"sm_87", "7.4"}, {"sm_89", "7.8"}, {"sm_90", "7.8"},
    {"sm_90a", "8.0"}, {"sm_100", "8.6"}, {"sm_100a", "8.6"}, {"sm_103", "8.8"}, {"sm_110", "9.0"}, {"sm_120", "8.7"},
    {"sm_120a", "8.7"}, {"sm_121", "8.8"}};
  tiny_ctx *t = tiny_open(NULL);
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    char head[64];
    tiny_renderer r;
    tiny_bytes out = {t, NULL, 0, 0};
    CHECK(tn_lang_ptx(&r, all[i].target));
    CHECK_EQ(r.module(t, &r, NULL, 0, &out), TINY_OK);
    snprintf(head, sizeof head, ".version %s\n.target %s\n", all[i].version, all[i].target);
    CHECK(out.data && !strncmp(out.data, head, strlen(head)));
    const tiny_rendered most = {"", 0, 91};
    out.n = 0;
    CHECK_EQ(r.module(t, &r, &most, 1, &out), TINY_OK);
    CHECK(out.data && !strncmp(out.data, ".version 9.1\n", 13));
  }
  tiny_renderer r;
  CHECK(!tn_lang_ptx(&r, "sm_70") && !tn_lang_ptx(&r, "") && !tn_lang_ptx(&r, "gfx1100") && !tn_lang_ptx(&r, "sm_900"));
  tiny_close(t);
}

// The bits of halves that constants are written as are those of ir/dtype.c.
static void test_halves(void) {
  for (int d = TINY_F8E4M3; d <= TINY_BF16; d++) {
    const int codes = 1 << 8 * tiny_dtype_nbytes((tiny_dtype)d);
    int bad = 0;
    for (int i = 0; i < codes; i++) {
      const uint16_t bits = (uint16_t)i;
      const int64_t k = tn_dtype_load(d, &bits);
      const double v = tn_to_f64(k);
      const int64_t got = tn_const_narrow(d, k);
      const uint16_t back = (uint16_t)got;
      const double w = tn_to_f64(tn_dtype_load(d, &back));
      bad += v == v ? got != i : w == w;
    }
    CHECK_EQ(bad, 0);
  }
}

// What of an index is taken apart, by which every renderer of addresses goes (ir/listing.c): factor 0: it is not.
static void test_sums(void) {
  static const struct { const char *text; int64_t factor; } all[] = {
    {"(SHL:i64 (ARG:i64:0) 3)", 8}, {"(SHL:i64 (ARG:i64:0) 33)", (int64_t)1 << 33}, {"(SHL:i64 (ARG:i64:0) 63)", INT64_MIN},
    {"(SHL:i64 (ARG:i64:0) 64)", 0}, {"(SHL:i64 (ARG:i64:0) (ARG:i64:1))", 0}, {"(SHL:i32 (ARG:i32:0 0 99) 3)", 8},
    {"(SHL:i32 (ARG:i32:0 0 99) 31)", 0}, {"(SHL:i32 (ARG:i32:0 0 99) 30)", 0}, {"(MUL:i64 (ARG:i64:0) -5)", -5},
    {"(MUL:i64 (ARG:i64:0) (ARG:i64:1))", 0}, {"(MUL:i32 (ARG:i32:0 0 99) 7)", 7},
    {"(MUL:i32 (ARG:i32:0 0 99) 1000000000)", 0}, {"(MUL:i8 (ARG:i8:0 0 9) 3)", 0}};
  tiny_ctx *t = tiny_open(NULL);
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    const tiny_uop *u = tiny_uop_parse(t, all[i].text);
    CHECK(u && (u->op == TINY_OP_SHL || u->op == TINY_OP_MUL));
    if (!u) continue;
    const int64_t factor = tn_is_sum_exact(u) ? tn_factor_of(u) : 0;
    CHECK_EQ(factor, all[i].factor);
    if (factor != all[i].factor) fprintf(stderr, "    %s\n", all[i].text);
  }
  CHECK_EQ(tn_wrapped_product(INT64_MIN, -1), INT64_MIN);
  CHECK_EQ(tn_wrapped_sum(INT64_MAX, 1), INT64_MIN);
  tiny_close(t);
}

// ** values **

static tiny_ctx *machine_context(const char *device, int tf32) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = device; d.backends[0] = &ptx_own_backend; d.cache_dir = ""; d.threads = 1; d.atomics = 1; d.tf32 = tf32;
  return tiny_open(&d);
}
// Sums are in another order: gradients of small sums of large terms differ most.
static void compare_outputs(tiny_tensor *const *got, tiny_tensor *const *want, int n) {
  for (int i = 0; i < n; i++) {
    const size_t nbytes = (size_t)tiny_nelem_of(got[i]) * tiny_dtype_nbytes(tiny_dtype_of(got[i]));
    unsigned char *a = (unsigned char *)malloc(nbytes + 1), *b = (unsigned char *)malloc(nbytes + 1);
    const value v = {tiny_dtype_of(want[i]), tiny_shape_of(want[i]), b, NULL};
    int64_t at = 0;
    CHECK_EQ(tiny_read(got[i], a, nbytes), TINY_OK);
    CHECK_EQ(tiny_read(want[i], b, nbytes), TINY_OK);
    const double e = error_of(&v, a, 0, 0, &at);
    CHECK(e <= 512);
    if (e > 512 && test_shown())
      fprintf(stderr, "  output %d, element %lld: %.9g, by the interpreter %.9g\n", i, (long long)at,
              number(v.dtype, a, at), number(v.dtype, b, at));
    free(a); free(b);
  }
}
static void test_graph(const graph *g, int at, const char *gpu) {
  const int dtypes = graph_number(g->dtypes);
  tiny_tensor *got[GRAPH_OUTPUTS], *want[GRAPH_OUTPUTS];
  if (!case_named("%s %s %d, %s", g->name, tiny_dtype_name(g->dtypes[at % dtypes]), at / dtypes, gpu)) return;
  setenv("TEST_PTX", gpu, 1);
  const int tf32 = !strcmp(g->name, "units");                // whose values TF32 holds
  tiny_ctx *t = machine_context("PTX", tf32), *interp = machine_context("INTERP", 0);
  const int n = g->make(t, g->dtypes[at % dtypes], at / dtypes, got);
  CHECK_EQ(g->make(interp, g->dtypes[at % dtypes], at / dtypes, want), n);
  CHECK_EQ(tiny_realize(got, n), TINY_OK);
  if (tiny_status(t)) { if (test_shown()) fprintf(stderr, "  %s\n", tiny_error(t)); }
  else compare_outputs(got, want, n);
  tiny_close(t);
  tiny_close(interp);
}
// fp8: every code, and f32 around every number and beyond, in words and one by one: bits as the interpreter gives them,
// but for those of NaN. less: elements left off the end.
static void test_codes(tiny_dtype d, const char *gpu, int less) {
  enum { CODES = 256, NEAR = 7, MOST = CODES * NEAR };
  static const float far_ones[] = {464.0f, 464.1f, 1e30f, 61440.0f, 61439.9f, 1e-30f, 57344.0f, 448.0f, INFINITY};
  float *x = (float *)calloc(MOST, sizeof *x);
  unsigned char *codes = (unsigned char *)calloc(2 * MOST, 1), *got = codes + MOST, all[CODES];
  float *back[2] = {(float *)calloc(CODES, sizeof **back), (float *)calloc(CODES, sizeof **back)};
  if (!case_named("codes of %s, %s, %d", tiny_dtype_name(d), gpu, less)) return;
  setenv("TEST_PTX", gpu, 1);
  for (int i = 0; i < CODES; i++) {
    const float f = (float)tn_dtype_unpack(d, (uint16_t)i), next = (float)tn_dtype_unpack(d, (uint16_t)(i ^ 1));
    const float near_ones[NEAR] = {f, nextafterf(f, 0), (f + next) / 2, nextafterf((f + next) / 2, 0),
                                   nextafterf((f + next) / 2, 1e30f), far_ones[i % 9], -far_ones[i % 9]};
    memcpy(x + NEAR * i, near_ones, sizeof near_ones);
    all[i] = (unsigned char)i;
  }
  for (int i = 0; i < 2; i++) {
    tiny_ctx *t = machine_context(i ? "INTERP" : "PTX", 0);
    tiny_tensor *y = tiny_cast(tiny_from(t, x, TINY_F32, TINY_SHAPE(MOST - less)), d),
                *z = tiny_cast(tiny_from(t, all, d, TINY_SHAPE(CODES - less)), TINY_F32);
    CHECK_EQ(tiny_read(y, i ? codes : got, (size_t)(MOST - less)), TINY_OK);
    CHECK_EQ(tiny_read(z, back[i], (size_t)(CODES - less) * sizeof **back), TINY_OK);
    tiny_close(t);
  }
  int bad = 0;
  for (int i = 0; i < MOST - less; i++) {
    const double want = tn_dtype_unpack(d, codes[i]), v = tn_dtype_unpack(d, got[i]);
    const int wrong = want == want ? got[i] != codes[i] : v == v;
    bad += wrong;
    if (wrong && bad < 8)
      fprintf(stderr, "  %.9g: %02x, by the interpreter %02x\n", (double)x[i], got[i], codes[i]);
  }
  for (int i = 0; i < CODES - less; i++)
    bad += back[0][i] == back[0][i] ? memcmp(&back[0][i], &back[1][i], 4) != 0 : back[1][i] == back[1][i];
  CHECK_EQ(bad, 0);
  free(x); free(codes); free(back[0]); free(back[1]);
}
static void test_fp8(void) {
  static const char *const gpus[] = {"sm_80", "sm_89", "sm_90a"};           // the first has no such conversions
  for (int i = 0; i < 3; i++)
    for (int less = 0; less < 2; less++) {
      test_codes(TINY_F8E4M3, gpus[i], less);
      test_codes(TINY_F8E5M2, gpus[i], less);
    }
}
// Arithmetic of f16 and bf16: every number with one that is far from it and with its neighbour, in words; few: each
// 17th, one by one. Bits as the interpreter gives them, but for those of NaN.
static tiny_tensor *pairs_of(tiny_tensor *x, tiny_tensor *y, int which) {
  switch (which) {
    case 0: return tiny_add(x, y);
    case 1: return tiny_sub(x, y);
    case 2: return tiny_mul(x, y);
    case 3: return tiny_maximum(tiny_neg(x), tiny_abs(y));
    case 4: return tiny_relu(x);
    default: return tiny_sub(tiny_mul(tiny_add(x, y), tiny_add_scalar(y, 1.5)), tiny_sqrt(tiny_abs(x)));
  }
}
static void test_pairs(tiny_dtype d, const char *gpu, int few) {
  enum { CODES = 1 << 16, KINDS = 6 };
  const int step = few ? 17 : 1, n = CODES / step;           // few: an odd number
  uint16_t *x = (uint16_t *)malloc(4 * CODES * sizeof *x), *y = x + CODES, *got[2] = {y + CODES, y + 2 * CODES};
  if (!case_named("pairs of %s, %s, %d", tiny_dtype_name(d), gpu, n)) { free(x); return; }
  setenv("TEST_PTX", gpu, 1);
  for (int i = 0; i < n; i++) {
    x[i] = (uint16_t)(i * step);
    y[i] = (uint16_t)(i & 2 ? x[i] * 40503u : x[i] ^ 0x8003u);
  }
  for (int which = 0; which < KINDS; which++) {
    for (int i = 0; i < 2; i++) {
      tiny_ctx *t = machine_context(i ? "INTERP" : "PTX", 0);
      tiny_tensor *z = pairs_of(tiny_from(t, x, d, TINY_SHAPE(n)), tiny_from(t, y, d, TINY_SHAPE(n)), which);
      CHECK_EQ(tiny_read(z, got[i], (size_t)n * sizeof *x), TINY_OK);
      tiny_close(t);
    }
    int bad = 0;
    for (int i = 0; i < n; i++) {
      const double v = tn_dtype_unpack(d, got[0][i]), want = tn_dtype_unpack(d, got[1][i]);
      const int wrong = want == want ? got[0][i] != got[1][i] : v == v;
      if (wrong && bad++ < 4)
        fprintf(stderr, "  %d of %04x, %04x: %04x, not %04x\n", which, x[i], y[i], got[0][i], got[1][i]);
    }
    CHECK_EQ(bad, 0);
  }
  free(x);
}
static void test_narrow(void) {
  static const char *const gpus[] = {"sm_75", "sm_80", "sm_90", "sm_100a"};
  for (int i = 0; i < 4; i++)
    for (int few = 0; few < 2; few++) {
      if (!few && i != test_brief(2, i)) continue;
      test_pairs(TINY_F16, gpus[i], few);
      test_pairs(TINY_BF16, gpus[i], few);
    }
}
// dp4a: sums of products of four bytes each, of which the first are unsigned. The notation has no name for a DOT's k.
static tiny_code make_dots(tiny_ctx *t, void *arg) {
  tiny_uop **sink = (tiny_uop **)arg;
  tn_list sums = {NULL, 0, 0};
  tn_collect_op(t, *sink, TINY_OP_ADD, &sums);
  CHECK_EQ(sums.n, 1);
  tiny_uop *from = sums.u[0], *product = from->src[from->src[0]->op != TINY_OP_MUL];
  tiny_uop *to = tn_dot_of(t, TINY_DOT_U8_I8, product->src[0]->src[0], product->src[1]->src[0],
                           from->src[from->src[0] == product]);
  *sink = tn_replace(t, *sink, 1, &from, &to);
  return tiny_status(t);
}
static void test_dots(void) {
  enum { WORDS = 64 };
  static const char text[] = "%1 = (RANGE:1:loop 64)\n(SINK (END (STORE (INDEX:i32 (PARAM:i32:0 64) %1) (ADD:i32 (MUL:i32 "
    "(CAST:i32 (LOAD:u32 (INDEX:u32 (PARAM:u32:1 64) %1))) (CAST:i32 (LOAD:u32 (INDEX:u32 (PARAM:u32:2 64) %1)))) "
    "(LOAD:i32 (INDEX:i32 (PARAM:i32:3 64) %1)))) %1))";
  uint32_t words[3][WORDS];
  int32_t got[2][WORDS];
  if (!case_named("dots")) return;
  setenv("TEST_PTX", "sm_80", 1);
  for (int i = 0; i < 3 * WORDS; i++) words[i / WORDS][i % WORDS] = (uint32_t)(i + 1) * 2654435761u ^ (uint32_t)i << 28;
  for (int i = 0; i < 2; i++) {
    tiny_ctx *t = machine_context(i ? "INTERP" : "PTX", 0);
    tiny_tensor *x[3] = {tiny_from(t, words[0], TINY_U32, TINY_SHAPE(WORDS)),
                         tiny_from(t, words[1], TINY_U32, TINY_SHAPE(WORDS)),
                         tiny_from(t, words[2], TINY_I32, TINY_SHAPE(WORDS))};
    tiny_kernel_desc d;
    memset(&d, 0, sizeof d);
    d.inputs = x; d.n = 3; d.shape = TINY_SHAPE(WORDS); d.dtype = TINY_I32; d.uops = tiny_uop_parse(t, text);
    CHECK(d.uops != NULL);
    if (d.uops) CHECK_EQ(tn_guard(t, make_dots, &d.uops), TINY_OK);
    if (d.uops) CHECK_EQ(tiny_read(tiny_kernel(t, &d), got[i], sizeof got[i]), TINY_OK);
    if (tiny_status(t) && test_shown()) fprintf(stderr, "  %s\n", tiny_error(t));
    tiny_close(t);
  }
  CHECK(!memcmp(got[0], got[1], sizeof *got));
  for (int k = 0; k < WORDS; k++) {
    uint32_t want = words[2][k];
    for (int i = 0; i < 32; i += 8) want += (words[0][k] >> i & 255) * (uint32_t)(int8_t)(words[1][k] >> i);
    CHECK_EQ((uint32_t)got[0][k], want);
  }
}
// Matrix units: each dtype, operands as they lie and transposed, tiles that fit and that do not.
static int g_units(tiny_ctx *t, tiny_dtype d, int v, tiny_tensor **out) {
  const int64_t m = v & 4 ? 100 : 128, k = v & 4 ? 72 : 96, n = v & 4 ? 60 : 128;
  const tiny_dtype sums = d == TINY_I8 ? TINY_I32 : d;
  tiny_tensor *a = tiny_cast(matrix(t, d, m, k, v & 1), sums), *b = tiny_cast(matrix(t, d, k, n, v & 2), sums);
  out[0] = tiny_matmul(a, b);
  return 1;
}
// Units that keep sums themselves: all dtypes, and groups of eight warps of 32 rows each.
static int g_large(tiny_ctx *t, tiny_dtype d, int v, tiny_tensor **out) {
  const tiny_dtype sums = d == TINY_I8 ? TINY_I32 : d;
  t->device[0]->limits.compute_units = 2;  // the more groups are wanted for large tiles
  tiny_tensor *a = tiny_cast(matrix(t, d, 512, 64 << (v & 1), v & 2), sums),
              *b = tiny_cast(matrix(t, d, 64 << (v & 1), 128, !(v & 2)), sums);
  out[0] = tiny_matmul(a, b);
  return 1;
}
// A triangle of a transposed operand: loops of copies come before what the units keep.
static int g_triangle(tiny_ctx *t, tiny_dtype d, int v, tiny_tensor **out) {
  const tiny_dtype sums = d == TINY_I8 ? TINY_I32 : TINY_F32;
  tiny_tensor *a = tiny_cast(tiny_tril(tiny_transpose(matrix(t, d, 136, 65, 0), 0, 1), v), sums),
              *b = tiny_cast(tiny_transpose(matrix(t, d, 72, 136, 0), 0, 1), sums);
  out[0] = tiny_matmul(a, b);
  return 1;
}
static void test_units_that_keep(void) {
  static const tiny_dtype dtypes[] = {TINY_F16, TINY_BF16, TINY_F32, TINY_I8, TINY_VOID},
                          large[] = {TINY_F16, TINY_VOID}, fp8[] = {TINY_F8E4M3, TINY_F8E5M2, TINY_VOID},
                          few[] = {TINY_I8, TINY_F16, TINY_VOID};
  static const graph units = {"units", g_units, dtypes, 8}, bytes = {"units", g_units, fp8, 4},
                     larges = {"large units", g_large, large, 4}, triangles = {"triangle", g_triangle, few, 2};
  const int all = test_rounds(0) > 0;
  for (int at = 0; at < 4 * 8; at += all ? 1 : 3) test_graph(&units, at, "sm_100a");
  for (int at = 0; at < 2 * 4; at += all ? 1 : 3) test_graph(&bytes, at, "sm_100a");
  for (int at = 0; at < 4; at += all ? 1 : 3) test_graph(&larges, at, "sm_100a");
  for (int at = 0; at < 4; at++) test_graph(&triangles, at, "sm_100a");
  case_end();
}
static void test_values(void) {
  static const tiny_dtype dtypes[] = {TINY_F16, TINY_BF16, TINY_F32, TINY_I8, TINY_VOID};
  static const char *const gpus[] = {"sm_90a", "sm_75", "sm_89", "sm_90"};
  enum { GPUS = sizeof gpus / sizeof *gpus };
  static const graph units = {"units", g_units, dtypes, 8};
  const char *one = getenv("TEST_PTX");
  int n = 0;
  for (int i = 0; i < GRAPHS; i++)
    for (int at = 0; at < graph_number(graphs[i].dtypes) * graphs[i].variants; at++)
      if (is_of_few(&graphs[i], at)) test_graph(&graphs[i], at, one ? one : gpus[n++ % GPUS]);
  for (int at = 0; at < 4 * 8; at += test_rounds(0) ? 1 : 3) test_graph(&units, at, one ? one : gpus[n++ % GPUS]);
  case_end();
}

// What is read past coherence is not written: views of one memory are one PARAM, and what is told to be two memories,
// and overlaps, the machine finds.
static void test_overlapping(void) {
  setenv("TEST_PTX", "sm_80", 1);
  for (int turn = 0; turn < 3; turn++) {
    static const char *const names[] = {"a view of what is written", "the same memory told twice", "memories apart"};
    float data[64], out[64];
    tiny_ctx *t = machine_context("PTX", 0);
    if (!case_named("overlapping: %s", names[turn])) { tiny_close(t); continue; }
    for (int i = 0; i < 64; i++) data[i] = (float)i;
    tiny_tensor *x = tiny_from(t, data, TINY_F32, TINY_SHAPE(64));
    tiny_tensor *other = tiny_from(t, data, TINY_F32, TINY_SHAPE(64));
    void *mem = tn_leaf_storage(tn_uop_of(turn == 2 ? other : x))->mem;
    tiny_tensor *y = turn ? tiny_blob_of(t, mem, TINY_F32, TINY_SHAPE(64)) : tiny_flip(x, TINY_SHAPE(0));
    tiny_assign(x, tiny_mul_scalar(y, 2));
    const tiny_code code = tiny_read(x, out, sizeof out);
    CHECK_EQ(code, turn == 1 ? TINY_E_DEVICE : TINY_OK);
    if (turn == 1) CHECK(strstr(tiny_error(t), "past coherence (.nc)") != NULL);
    for (int i = 0; i < 64 && turn != 1; i++) CHECK(out[i] == (float)(turn ? i : 63 - i) * 2);
    tiny_close(t);
  }
  case_end();
}

// ** attention by units: products within a sum **

static int g_attend(tiny_ctx *t, tiny_dtype d, int v, tiny_tensor **out) {
  const int64_t rows = v ? 100 : 128, keys = v ? 131 : 128, each = v ? 40 : 64;
  const tiny_shape s = TINY_SHAPE(2, rows, each), k = TINY_SHAPE(2, keys, each);
  const tiny_attention_desc a = {.causal = v};
  tiny_tensor *in[3] = {given(t, d, s), given(t, d, k), tiny_neg(given(t, d, k))};
  tiny_realize(in, 3);
  out[0] = tiny_attention(in[0], in[1], in[2], &a);
  return with_gradients(t, out[0], in, 3, out);
}
// What is rounded to d differs by so much of the largest.
static void compare_with_largest(tiny_tensor *got, tiny_tensor *want, double most) {
  const size_t n = (size_t)tiny_nelem_of(want), nbytes = n * sizeof(float);
  float *a = (float *)malloc(nbytes), *b = (float *)malloc(nbytes);
  double largest = 0, worst = 0;
  CHECK_EQ(tiny_read(tiny_cast(got, TINY_F32), a, nbytes), TINY_OK);
  CHECK_EQ(tiny_read(tiny_cast(want, TINY_F32), b, nbytes), TINY_OK);
  for (size_t i = 0; i < n; i++) if (fabs((double)b[i]) > largest) largest = fabs((double)b[i]);
  for (size_t i = 0; i < n; i++) {
    const double off = fabs((double)a[i] - (double)b[i]);
    if (!(off <= worst)) worst = off;
  }
  CHECK(largest > 0 && worst <= most * largest);
  if (worst > most * largest) fprintf(stderr, "  %s: %g of %g\n", test_state.name, worst, largest);
  free(a); free(b);
}
static void test_attend(tiny_dtype d, int v, const char *gpu) {
  tiny_tensor *got[GRAPH_OUTPUTS], *want[GRAPH_OUTPUTS];
  if (!case_named("attend %s %d, %s", tiny_dtype_name(d), v, gpu)) return;
  setenv("TEST_PTX", gpu, 1);
  tiny_ctx *t = machine_context("PTX", d == TINY_F32), *interp = machine_context("INTERP", 0);
  const int n = g_attend(t, d, v, got);
  CHECK_EQ(g_attend(interp, d, v, want), n);
  CHECK_EQ(tiny_realize(got, n), TINY_OK);
  if (tiny_status(t)) fprintf(stderr, "  %s\n", tiny_error(t));
  else for (int i = 0; i < n; i++) compare_with_largest(got[i], want[i], d == TINY_BF16 ? 2e-2 : 3e-3);
  tiny_close(t);
  tiny_close(interp);
  case_end();
}
// sm_90a has wgmma for all of its products: none is left to mma.sync.
static void test_attends_text(void) {
  tiny_tensor *out[GRAPH_OUTPUTS];
  tiny_ctx *t = written_context("sm_90a", NULL);
  const char *with = ptxas();
  CHECK_EQ(tiny_realize(out, g_attend(t, TINY_F16, 0, out)), TINY_OK);
  const char *text = ((written *)t->device[0]->dev)->text;
  CHECK(text && strstr(text, "wgmma.mma_async.sync.aligned.m64n32k16") && !strstr(text, "mma.sync"));
  CHECK(!with || (text && assembles(with, "sm_90a", text)));
  tiny_close(t);
}

static void test_attends(void) {
  static const tiny_dtype dtypes[] = {TINY_F16, TINY_BF16, TINY_F32};
  const char *one = getenv("TEST_PTX");
  for (int i = 0; i < 6; i++) test_attend(dtypes[i / 2], i % 2, one ? one : i == 1 ? "sm_89" : "sm_90a");
  test_attends_text();
}

int main(void) {
  test_overlapping();
  test_targets();
  test_halves();
  test_sums();
  test_golden();
  test_forms();
  test_ptxas();
  test_fp8();
  test_narrow();
  test_dots();
  test_units_that_keep();
  test_values();
  test_attends();
  return test_report();
}
