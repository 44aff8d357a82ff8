// test_warp_matrix: products that units of warps do, on GPUs that are not here: values are those of the kernel without
// opts, by the interpreter, which executes WMMAs lane by lane; the schedule is printed, parsed, and applied again.
// brief: plain asan
#include "../src/all.c"
#include "test.h"
#include "kernel_test.h"
#include "../bench/gpu.h"
#include "../src/render/lang_hip.c"
#include "../src/render/lang_metal.c"

// ** kernels: small whole numbers, so that sums are exact in any order **

static tiny_tensor *narrow(tiny_ctx *t, tiny_shape s, int dtype) {
  tiny_tensor *x = tiny_cast(ints(t, s), dtype);
  tiny_realize(&x, 1);
  return x;
}
// turned & 1: x as its transpose lies in memory, & 2: y.
static tiny_tensor *product(tiny_ctx *t, int64_t b, int64_t m, int64_t k, int64_t n, int dtype, int turned) {
  tiny_tensor *x = narrow(t, turned & 1 ? TINY_SHAPE(b, k, m) : TINY_SHAPE(b, m, k), dtype),
              *y = narrow(t, turned & 2 ? TINY_SHAPE(n, k) : TINY_SHAPE(k, n), dtype);
  const int wide = dtype == TINY_I8 ? TINY_I32 : TINY_F32;
  x = tiny_cast(x, wide);
  y = tiny_cast(y, wide);
  return tiny_matmul(turned & 1 ? tiny_transpose(x, 1, 2) : x, turned & 2 ? tiny_transpose(y, 0, 1) : y);
}

// What else is a sum of products of two matrices: after >= AFTERS.
static tiny_tensor *other(tiny_ctx *t, int which, int dtype) {
  const int wide = dtype == TINY_I8 ? TINY_I32 : TINY_F32;
  tiny_tensor *x = narrow(t, TINY_SHAPE(66, 64), dtype), *y = narrow(t, TINY_SHAPE(64, 72), dtype), *z;
  switch (which) {
    case 0: z = tiny_matmul(tiny_cast(x, wide), tiny_cast(tiny_transpose(x, 0, 1), wide)); break;
    case 1: z = tiny_matmul(tiny_tril(tiny_cast(x, wide), 0), tiny_cast(y, wide)); break;
    case 2: z = tiny_einsum("abk,bkc->bac", TINY_ARRAY(tiny_cast(narrow(t, TINY_SHAPE(34, 3, 64), dtype), wide),
                                                       tiny_cast(narrow(t, TINY_SHAPE(3, 64, 40), dtype), wide))); break;
    default: z = tiny_matmul(tiny_cast(tiny_shrink(x, TINY_SHAPE(1, 65, 0, 64)), wide), tiny_cast(tiny_flip(y, TINY_SHAPE(1)), wide));
  }
  return tiny_cast(z, TINY_F32);
}
enum { OTHERS = 4 };

typedef struct shape { int64_t b, m, k, n; int turned, after; } shape;
enum { PLAIN, BIAS, HALF, SCALED, RESIDUAL, HALF_BIAS, HALF_RESIDUAL, BYTES, OWN, AFTERS };
static tiny_tensor *make(tiny_ctx *t, const shape *c, int dtype) {
  if (c->after >= AFTERS) return other(t, c->after - AFTERS, dtype);
  tiny_tensor *y = product(t, c->b, c->m, c->k, c->n, dtype, c->turned);
  if (dtype == TINY_I8) y = tiny_cast(y, TINY_F32);
  switch (c->after) {
    case BIAS: return tiny_relu(tiny_add(y, ints(t, TINY_SHAPE(c->n))));
    case HALF: return tiny_cast(y, TINY_F16);
    case SCALED: return tiny_add(tiny_mul_scalar(y, 0.5), tiny_reshape(ints(t, TINY_SHAPE(c->m)), TINY_SHAPE(c->m, 1)));
    case HALF_BIAS: return tiny_relu(tiny_add(tiny_cast(y, TINY_F16), tiny_cast(ints(t, TINY_SHAPE(c->n)), TINY_F16)));
    case HALF_RESIDUAL: return tiny_cast(tiny_add(tiny_mul_scalar(y, 0.5), ints(t, TINY_SHAPE(c->b, c->m, c->n))), TINY_BF16);
    case BYTES: return tiny_cast(tiny_clamp(y, -100, 100), TINY_I8);
    case OWN: return tiny_cast(y, (tiny_dtype)dtype);
    case RESIDUAL: return tiny_add(y, ints(t, TINY_SHAPE(c->b, c->m, c->n)));
    default: return y;
  }
}

static const shape shapes[] = {
  {1, 64, 64, 64, 0, PLAIN}, {1, 64, 64, 64, 1, PLAIN}, {1, 64, 64, 64, 2, PLAIN}, {1, 64, 128, 64, 3, HALF},
  {1, 64, 128, 128, 2, BIAS}, {2, 33, 65, 70, 0, BIAS}, {1, 77, 97, 45, 2, SCALED}, {3, 40, 64, 24, 1, RESIDUAL},
  {1, 130, 72, 131, 0, HALF}, {1, 16, 200, 16, 3, PLAIN},
  {1, 64, 64, 128, 0, HALF_BIAS}, {2, 70, 64, 136, 2, HALF_BIAS}, {1, 128, 64, 64, 2, HALF_RESIDUAL},
  {1, 65, 72, 67, 1, HALF_RESIDUAL}, {1, 66, 68, 68, 0, HALF}, {1, 70, 70, 70, 0, HALF}, {2, 69, 69, 69, 2, HALF_BIAS},
  {1, 68, 68, 132, 3, HALF}, {1, 130, 65, 70, 0, BYTES}, {1, 64, 64, 64, 2, BYTES}, {1, 96, 64, 72, 0, BYTES},
  {1, 100, 72, 60, 0, OWN}, {1, 65, 64, 134, 2, OWN}, {1, 64, 64, 64, 1, OWN}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

typedef struct trial { shape c; int dtype, wanted; tiny_limits limits; const char *machine; } trial;

static tiny_code trial_guarded(tiny_ctx *t, void *arg) {
  static float want[1 << 16], got[1 << 16];
  const trial *r = (const trial *)arg;
  size_t nbytes = 0;
  tn_kernel_state *s = (tn_kernel_state *)tn_scratch(t, sizeof *s);
  char line[4096] = "", again[4096] = "";
  tiny_tensor *x = make(t, &r->c, r->dtype);
  if (tiny_status(t)) return t->code;
  const tn_kernel *k = kernel_of(t, x, &nbytes);
  const tn_target plain = {NULL, &t->device[0]->limits}, target = {NULL, &r->limits};
  CHECK(k != NULL && nbytes <= sizeof want);
  if (!k) return t->code;
  tiny_uop *sink = tn_prepare(t, k->ast, &target);
  memset(want, 1, nbytes); memset(got, 2, nbytes);
  CHECK_EQ(run_kernel(t, k, sink, &plain, want), TINY_OK);
  const int64_t serial = t->ir->serial;
  tn_state_open(s, t, sink, &target);
  tn_optimize(s);
  tiny_bytes text = {t, NULL, 0, 0};
  tn_schedule_print(&text, &s->done);
  snprintf(line, sizeof line, "%.*s", (int)text.n, (const char *)text.data);
  const int units = strstr(line, "WMMA") != NULL;
  if (r->wanted >= 0) CHECK_EQ(units, r->wanted);
  CHECK_EQ(tn_verify(t, s->sink, TN_SPEC_KERNEL), TINY_OK);
  CHECK(tn_staged_nbytes(s) <= (int64_t)r->limits.shared_nbytes);
  const tiny_uop *made = s->sink;
  tn_list products = {NULL, 0, 0};
  tn_collect_op(t, s->sink, TINY_OP_WMMA, &products);
  for (int i = 0; i < products.n; i++)     // all columns of a warp at once, or a tile
    CHECK_EQ(products.u[i]->lanes > tn_layout_elements(&tn_warp_unit_of(products.u[i]->k)->layout[2]), r->limits.unit_tiles > 0);
  const tiny_code code = run_kernel(t, k, s->sink, &target, got);
  const int same = code == TINY_OK && !memcmp(want, got, nbytes);
  CHECK(same);
  if (!same || (r->wanted >= 0 && units != r->wanted) || getenv("TEST_SHOW"))
    fprintf(stderr, "  %s %lldx%lldx%lldx%lld turned %d after %d on %s: %s\n  %s\n", tn_dtypes[r->dtype].name,
            (long long)r->c.b, (long long)r->c.m, (long long)r->c.k, (long long)r->c.n, r->c.turned, r->c.after,
            r->machine, line, code ? tiny_error(t) : "other values");
  tn_schedule parsed;
  CHECK(tn_schedule_parse(line, &parsed));
  t->ir->serial = serial;
  tn_state_open(s, t, sink, &target);
  CHECK(tn_schedule_apply(s, &parsed) && s->sink == made);
  tiny_bytes text_again = {t, NULL, 0, 0};
  tn_schedule_print(&text_again, &s->done);
  snprintf(again, sizeof again, "%.*s", (int)text_again.n, (const char *)text_again.data);
  CHECK_STR(again, line);
  return t->code;
}

// shared: bytes of memory of a group, of a machine with one unit, which takes the largest tiles; 0: the machine's own.
static void test_shape_in(const char *machine, const shape *c, int dtype, int wanted, size_t shared) {
  trial r;
  tiny_desc d;
  memset(&r, 0, sizeof r); memset(&d, 0, sizeof d);
  r.c = *c; r.dtype = dtype; r.wanted = wanted; r.machine = machine;
  if (!tn_gpu_limits(machine, &r.limits)) { CHECK(0); return; }
  r.limits.tf32 = dtype == TINY_F32;
  if (shared) { r.limits.shared_nbytes = shared; r.limits.compute_units = 1; }
  d.device = "INTERP"; d.cache_dir = "";
  tiny_ctx *t = tiny_open(&d);
  CHECK_EQ(tn_guard(t, trial_guarded, &r), TINY_OK);
  if (tiny_status(t)) fprintf(stderr, "  %s: %s\n", machine, tiny_error(t));
  tiny_close(t);
}

static void test_shape(const char *machine, const shape *c, int dtype, int wanted) {
  test_shape_in(machine, c, dtype, wanted, 0);
}

// ** tiles of any size, and whatever opts are legal around them **

static tiny_uop *any_part(tn_kernel_state *s, tiny_uop *r, int64_t unit) {
  int64_t f[8];
  int n = 0;
  for (int64_t d = unit; d <= tn_range_extent(r) && n < 8; d += unit) if (tn_range_extent(r) % d == 0) f[n++] = d;
  return tn_do_split(s, TN_OPT_SPLIT, r, f[rnd(n)], NULL);
}
static tn_opt any_opt(const tn_kernel_state *s) {
  tn_opt o;
  memset(&o, 0, sizeof o);
  o.kind = (uint8_t)rnd(TN_OPT_KINDS);
  const int has = tn_opt_kinds[o.kind].has;
  o.naxes = (uint8_t)(tn_opt_kinds[o.kind].least + rnd(tn_opt_kinds[o.kind].most - tn_opt_kinds[o.kind].least + 1));
  for (int i = 0; i < o.naxes; i++) o.axis[i] = (int16_t)rnd(s->naxes);
  if (has & TN_OPT_HAS_OPERAND) { o.op = rnd(2) ? TINY_OP_LOAD : TINY_OP_REDUCE; o.number = (int16_t)rnd(4); }
  if (has & TN_OPT_HAS_UNIT) o.number = (int16_t)rnd(4);
  if (has & TN_OPT_HAS_AMOUNT && rnd(2)) o.amount = 1 + rnd(8);
  if (has & TN_OPT_HAS_SPACE) o.space = TN_SPACE_LOCAL;
  return o;
}

typedef struct any_trial { tiny_limits limits; shape c; int turned, applied; } any_trial;
static tiny_code any_guarded(tiny_ctx *t, void *arg) {
  static float want[1 << 15], got[1 << 15];
  any_trial *r = (any_trial *)arg;
  size_t nbytes = 0;
  tn_kernel_state *s = (tn_kernel_state *)tn_scratch(t, sizeof *s);
  tiny_tensor *x = make(t, &r->c, TINY_F16);
  const tn_kernel *k = tiny_status(t) ? NULL : kernel_of(t, x, &nbytes);
  const tn_target plain = {NULL, &t->device[0]->limits}, target = {NULL, &r->limits};
  CHECK(k != NULL && nbytes <= sizeof want);
  if (!k) return t->code;
  tiny_uop *sink = tn_prepare(t, k->ast, &target);
  CHECK_EQ(run_kernel(t, k, sink, &plain, want), TINY_OK);
  tn_state_open(s, t, sink, &target);
  const tn_profile p = tn_profile_of(s);
  const int side = tn_unit_last(&r->limits.units[0]), swapped = (side == 1) != (tn_stride_in(t, p.store->src[1], p.out[p.nout - 1]) == 1);
  tiny_uop *axis[2] = {p.out[p.nout - 2], p.out[p.nout - 1]}, *part[4];
  for (int i = 0; i < 2; i++) {
    const int64_t unit = i ? r->limits.units[0].n : r->limits.units[0].m;
    tiny_uop *block = any_part(s, axis[i ^ swapped], unit);
    part[2 * i + 1] = any_part(s, block, unit);
    part[2 * i] = block == part[2 * i + 1] ? NULL : block;
    if (part[2 * i] && tn_axis_of(s, part[2 * i]) < 0) part[2 * i] = NULL;
    for (int a = 0; a < s->naxes && block != part[2 * i + 1]; a++)             // what is left of the block
      if (tn_range_extent(s->axis[a]) * tn_range_extent(part[2 * i + 1]) == tn_range_extent(block) && a > 1 && s->axis[a] != part[1] && s->axis[a] != part[3] && s->axis[a] != part[0]) part[2 * i] = s->axis[a];
  }
  for (int i = 0; i < rnd(3); i++) { const tn_opt o = any_opt(s); tn_opt_apply(s, &o); }
  tn_opt o = tn_opt_of(s, TN_OPT_WMMA, 4, part, 0);
  r->applied += tn_opt_apply(s, &o);
  for (int i = 0; i < 12; i++) { o = any_opt(s); tn_opt_apply(s, &o); }
  char line[4096] = "";
  tiny_bytes text = {t, NULL, 0, 0};
  tn_schedule_print(&text, &s->done);
  snprintf(line, sizeof line, "%.*s", (int)text.n, (const char *)text.data);
  const int right = tn_verify(t, s->sink, TN_SPEC_KERNEL) == TINY_OK;
  const tiny_code code = right ? run_kernel(t, k, s->sink, &target, got) : t->code;
  const int same = code == TINY_OK && !memcmp(want, got, nbytes);
  CHECK(same);
  if (!same) fprintf(stderr, "  %s: %s\n", line, code ? tiny_error(t) : "other values");
  return TINY_OK;
}
static void test_any(const char *machine, int n) {
  int applied = 0;
  for (int i = 0; i < n; i++) {
    any_trial r;
    tiny_desc d;
    memset(&r, 0, sizeof r); memset(&d, 0, sizeof d);
    r.c.b = 1; r.c.m = 16 * (1 + rnd(4)); r.c.n = 16 * (1 + rnd(4)); r.c.k = 32 * (1 + rnd(3)); r.c.turned = rnd(4); r.c.after = rnd(AFTERS);
    if (!tn_gpu_limits(machine, &r.limits)) return;
    d.device = "INTERP"; d.cache_dir = "";
    tiny_ctx *t = tiny_open(&d);
    CHECK_EQ(tn_guard(t, any_guarded, &r), TINY_OK);
    applied += r.applied;
    tiny_close(t);
  }
  CHECK(applied > n / 4);
}

// ** text: what the languages write, for compilers that are here; $TEST_UNITS: a folder for it **

typedef struct text_trial { const char *machine; int dtype; shape c; tiny_renderer renderer; tiny_bytes *out; int n; } text_trial;

static tiny_code text_guarded(tiny_ctx *t, void *arg) {
  text_trial *r = (text_trial *)arg;
  tn_kernel_state *s = (tn_kernel_state *)tn_scratch(t, sizeof *s);
  tiny_limits limits;
  tn_lowered low;
  size_t nbytes = 0;
  char name[32];
  uint64_t uses = 0;
  tiny_tensor *x = make(t, &r->c, r->dtype);
  const tn_kernel *k = tiny_status(t) ? NULL : kernel_of(t, x, &nbytes);
  CHECK(k != NULL);
  if (!k) return t->code;
  tn_gpu_limits(r->machine, &limits);
  limits.tf32 = 1;
  limits.dtypes = TN_CUDA_ARITHMETIC;
  const tn_target target = {&r->renderer, &limits};
  memset(&low, 0, sizeof low);
  tn_state_open(s, t, tn_prepare(t, k->ast, &target), &target);
  tn_optimize(s);
  if (tn_lower(t, s->sink, &target, &low) != TINY_OK) return t->code;
  snprintf(name, sizeof name, "k%d", r->n++);
  const tiny_listing listing = {name, low.list, low.n, low.hints, low.local, low.local_nbytes};
  tiny_bytes text = {t, NULL, 0, 0};
  if (r->renderer.kernel(t, &r->renderer, &listing, &text, &uses) != TINY_OK) return t->code;
  CHECK(text.data && strstr(text.data, "matrix_") != NULL);
  CHECK(text.data && strstr(text.data, "?(") == NULL);
  FILE *f = getenv("TEST_UNITS") ? fopen(tn_text_of_format(t, "%s/%s.%s", getenv("TEST_UNITS"), r->machine, r->renderer.file), "ab") : NULL;
  if (f) {
    if (r->n == 1) {
      tiny_bytes prelude = {t, NULL, 0, 0};
      r->renderer.module(t, &r->renderer, NULL, 0, &prelude);
      CHECK(fputs(prelude.data, f) >= 0);
    }
    CHECK(fputs(text.data, f) >= 0);
    fclose(f);
  }
  return t->code;
}
static void test_text(const char *machine, int arch) {
  static const shape some[] = {{1, 64, 64, 64, 0, BIAS}, {1, 77, 97, 45, 2, HALF}, {2, 70, 64, 72, 1, PLAIN}, {1, 1024, 1024, 1024, 0, HALF}};
  static const int dtypes[] = {TINY_F16, TINY_BF16, TINY_I8, TINY_F8E4M3, TINY_F8E5M2, TINY_F32};
  int n = 0, kernels = 0;
  const tiny_warp_unit *units = tiny_warp_units(machine, &n);
  for (int d = 0; d < 6; d++) for (int i = 0; i < 4; i++) {
    text_trial r;
    tiny_desc desc;
    int has = 0;
    for (int k = 0; k < n; k++) has |= units[k].a == dtypes[d];
    if (!has) continue;
    memset(&r, 0, sizeof r); memset(&desc, 0, sizeof desc);
    r.machine = machine; r.dtype = dtypes[d]; r.c = some[i]; r.n = kernels;
    if (!strncmp(machine, "apple", 5)) tn_lang_metal(&r.renderer, arch, TN_METAL_LANES | TN_METAL_MATRICES);
    else if (arch) tn_lang_cuda(&r.renderer, arch);
    else tn_lang_hip(&r.renderer, machine);
    tn_cstyle(&r.renderer);
    desc.device = "INTERP"; desc.cache_dir = "";
    tiny_ctx *t = tiny_open(&desc);
    CHECK_EQ(tn_guard(t, text_guarded, &r), TINY_OK);
    if (tiny_status(t)) fprintf(stderr, "  %s %s: %s\n", machine, tn_dtypes[dtypes[d]].name, tiny_error(t));
    kernels = r.n;
    tiny_close(t);
  }
}

// ** f32 rounded to TF32, if the caller says so **

static double rounded(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  bits = (bits + 0x1000) & 0xFFFFE000u;
  memcpy(&x, &bits, sizeof x);
  return x;
}
static void test_tf32(int asked) {
  enum { SIDE = 64 };
  static float x[SIDE][SIDE], y[SIDE][SIDE], got[SIDE][SIDE];
  const uint32_t nan = 0x7F800001u;        // its mantissa is in the bits that are left out
  double worst[2] = {0, 0};
  tiny_ctx *t = tiny_open(&(tiny_desc){.device = "INTERP", .cache_dir = "", .tf32 = asked});
  const tiny_limits own = t->device[0]->limits;
  CHECK(tn_gpu_limits("sm_80", &t->device[0]->limits));
  t->device[0]->limits.host_memory = own.host_memory; t->device[0]->limits.tf32 = own.tf32;
  for (int i = 0; i < SIDE; i++) for (int j = 0; j < SIDE; j++) {
    x[i][j] = (float)(rnd(2000001) - 1000000) / 1000003;
    y[i][j] = (float)(rnd(2000001) - 1000000) / 1000003;
  }
  memcpy(&x[3][5], &nan, sizeof nan);
  tiny_tensor *z = tiny_matmul(tiny_from(t, x, TINY_F32, TINY_SHAPE(SIDE, SIDE)), tiny_from(t, y, TINY_F32, TINY_SHAPE(SIDE, SIDE)));
  CHECK_EQ(tiny_read(z, got, sizeof got), TINY_OK);
  for (int i = 0; i < SIDE; i++) for (int j = 0; j < SIDE; j++) {
    double sum[2] = {0, 0};
    for (int k = 0; k < SIDE; k++) {
      sum[0] += (double)x[i][k] * y[k][j];
      sum[1] += rounded(x[i][k]) * rounded(y[k][j]);
    }
    if (i == 3) CHECK(got[i][j] != got[i][j]);
    for (int r = 0; r < 2 && i != 3; r++) if (fabs(got[i][j] - sum[r]) > worst[r]) worst[r] = fabs(got[i][j] - sum[r]);
  }
  CHECK(worst[asked] < 2e-5);
  CHECK(worst[!asked] > 1e-4 && worst[!asked] < 2e-2);
  tiny_close(t);
}

// ** rows that begin anywhere **

// Of a product of n x n halves, each access of memory has so many elements at most as rows are multiples of.
typedef struct widths { int64_t n; int wide, turned; tiny_limits limits; } widths;
static tiny_code widths_guarded(tiny_ctx *t, void *arg) {
  const widths *w = (const widths *)arg;
  const shape c = {1, w->n, w->n, w->n, w->turned, HALF};
  size_t nbytes = 0;
  tn_kernel_state s;
  tn_lowered low;
  const tn_target target = {NULL, &w->limits};
  const tn_kernel *k = kernel_of(t, make(t, &c, TINY_F16), &nbytes);
  if (!k) return t->code;
  tn_state_open(&s, t, tn_prepare(t, k->ast, &target), &target);
  tn_optimize(&s);
  CHECK_EQ(tn_kernel_collect(&s, TINY_OP_WHERE).n, 0);
  memset(&low, 0, sizeof low);
  if (tn_lower(t, s.sink, &target, &low) != TINY_OK) return t->code;
  int accesses = 0;
  for (int i = 0; i < low.n; i++) {
    const tiny_uop *u = low.list[i];
    if ((u->op != TINY_OP_LOAD && u->op != TINY_OP_STORE) || tn_memory_behind(u->src[0]->src[0])->op != TINY_OP_PARAM)
      continue;
    accesses++;
    CHECK_EQ(u->op == TINY_OP_LOAD ? u->lanes : u->src[1]->lanes, w->wide);
    CHECK(u->src[0]->nsrc < 3 || u->src[0]->src[2]->lanes == 1);
  }
  CHECK(accesses > 2);
  return t->code;
}
static void test_widths(void) {
  static const widths all[] = {{128, 8, 0, {0}}, {72, 8, 2, {0}}, {68, 4, 0, {0}}, {100, 4, 2, {0}}, {70, 2, 0, {0}},
                               {69, 1, 0, {0}}, {77, 1, 2, {0}}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    widths w = all[i];
    tiny_desc d;
    memset(&d, 0, sizeof d);
    if (!tn_gpu_limits("sm_90", &w.limits)) return;
    d.device = "INTERP"; d.cache_dir = "";
    tiny_ctx *t = tiny_open(&d);
    const int failed = test_failed;
    CHECK_EQ(tn_guard(t, widths_guarded, &w), TINY_OK);
    if (test_failed > failed) fprintf(stderr, "  %lld, turned %d\n", (long long)w.n, w.turned);
    tiny_close(t);
  }
}

int main(void) {
  test_widths();
  test_tf32(0);
  test_tf32(1);
  static const char *const machines[] = {"sm_75", "sm_80", "sm_90", "sm_90a", "sm_100a", "gfx1100", "gfx1201", "gfx942", "apple8"};
  enum { MACHINES = sizeof machines / sizeof *machines };
  const int brief = test_brief(1, 0);
  static const int dtypes[] = {TINY_F16, TINY_BF16, TINY_I8, TINY_F8E4M3, TINY_F8E5M2, TINY_F32};
  for (int m = 0; m < MACHINES && !getenv("TEST_UNITS"); m++) for (int d = 0; d < 6; d++) {
    tiny_limits limits;
    int wanted = 0;
    if (!tn_gpu_limits(machines[m], &limits)) continue;
    for (int i = 0; i < limits.nunits; i++) wanted |= limits.units[i].a == dtypes[d];
    for (int i = 0; i < SHAPES; i++)
      if (wanted && (brief ? (i + d + m) % 4 == 0 : m == 1 || m == 3 || m == 4 || m == 8 || (i + d) % 3 == 0)) test_shape(machines[m], &shapes[i], dtypes[d], wanted);
  }
  for (int m = 1; m < MACHINES && !getenv("TEST_UNITS"); m++) for (int i = 0; i < OTHERS; i++) {
    const shape c = {1, 0, 0, 0, 0, AFTERS + i};
    if (brief && (m + i) % 3) continue;
    test_shape(machines[m], &c, TINY_F16, 1);
    if (m < 5) test_shape(machines[m], &c, TINY_I8, -1);
  }
  for (int m = 1; m < MACHINES && !getenv("TEST_UNITS"); m++) test_any(machines[m], test_brief(8, 24));
  for (size_t kib = 28; kib <= 56 && !getenv("TEST_UNITS"); kib += 14) {       // room for shallow K blocks, and for deep ones
    const shape c = {1, 128, 128, 256, 0, HALF};
    test_shape_in("sm_90a", &c, TINY_F16, 1, kib << 10);
  }
  static const struct { const char *name; int arch; } texts[] = {
    {"sm_75", 75}, {"sm_80", 80}, {"sm_90", 90}, {"sm_120", 120}, {"gfx1100", 0}, {"gfx1201", 0}, {"gfx942", 0}, {"apple7", 31},
    {"apple9", 32}};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) test_text(texts[i].name, texts[i].arch);
  return test_report();
}
