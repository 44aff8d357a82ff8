// test_metal_kernel: the executor of Metal's kernels (metal_kernel.h): each number that a kernel may ask for, functions
// of numbers, vectors, SIMD-groups, their matrices and atomics against C; each mistake is found, and what is right is
// let through; texts that Metal refuses are refused where they stand; texts of any kind end in a sentence.
#include "metal_kernel.c"
#include "test.h"
#include <math.h>
#include <time.h>

static char said[4000];

// ** running **

#define BEGIN "#include <metal_stdlib>\nusing namespace metal;\n"
static metal_module *module_of(const char *source, int version) {
  metal_module *m = metal_module_new(source, version, 0, said, sizeof said);
  if (!m) fprintf(stderr, "%s\n%.2000s\n", said, source);
  CHECK(m != NULL);
  return m;
}
static metal_dispatch dispatch_of(metal_module *m, const char *name, unsigned groups, unsigned items) {
  metal_dispatch d;
  memset(&d, 0, sizeof d);
  d.function = m ? metal_module_find(m, name) : NULL;
  d.groups[0] = groups; d.items[0] = items;
  d.groups[1] = d.groups[2] = d.items[1] = d.items[2] = 1;
  d.threads = 1;
  return d;
}
static void
set_buffer(metal_dispatch *d, int index, void *base, size_t nbytes) { d->buffer[index] = (metal_binding){base,
  nbytes}; }
static int runs(const metal_dispatch *d) {
  const int failed = d->function ? metal_run(d, said, sizeof said) : 1;
  if (failed) fprintf(stderr, "  %s\n", said);
  CHECK(!failed);
  return !failed;
}

// ** numbers of threads **

enum { GROUPS_X = 3, GROUPS_Y = 2, GROUPS_Z = 2, ITEMS_X = 5, ITEMS_Y = 4, ITEMS_Z = 3, MANY = 12 * 60 };
typedef struct where { unsigned group[3], item[3], index; } where;
static const unsigned grid[3] = {GROUPS_X, GROUPS_Y, GROUPS_Z}, items[3] = {ITEMS_X, ITEMS_Y, ITEMS_Z};
static unsigned in_grid(const where *w, int k) { return w->group[k] * items[k] + w->item[k]; }
static unsigned in_group(const where *w, int k) { return w->item[k]; }
static unsigned group_at(const where *w, int k) { return w->group[k]; }
static unsigned per_group(const where *w, int k) { return (void)w, items[k]; }
static unsigned groups_all(const where *w, int k) { return (void)w, grid[k]; }
static unsigned threads_all(const where *w, int k) { return (void)w, grid[k] * items[k]; }
static unsigned index_in(const where *w, int k) { return (void)k, w->index; }
static unsigned lane_of(const where *w, int k) { return (void)k, w->index % 32; }
static unsigned simd_of(const where *w, int k) { return (void)k, w->index / 32; }
static unsigned width_of(const where *w, int k) { return (void)w, (void)k, 32; }
static unsigned simds_of(const where *w, int k) { return (void)w, (void)k, 2; }

static const struct { const char *attribute, *type; int lanes; unsigned (*want)(const where *w, int k); } numbers[] = {
  {"thread_position_in_grid", "uint3", 3, in_grid}, {"thread_position_in_grid", "ushort2", 2, in_grid},
  {"thread_position_in_grid", "uint", 1, in_grid}, {"thread_position_in_threadgroup", "uint3", 3, in_group},
  {"thread_position_in_threadgroup", "ushort", 1, in_group}, {"threadgroup_position_in_grid", "uint3", 3, group_at},
  {"threadgroup_position_in_grid", "uint2", 2, group_at}, {"threads_per_threadgroup", "uint3", 3, per_group},
  {"dispatch_threads_per_threadgroup", "ushort3", 3, per_group}, {"threadgroups_per_grid", "uint3", 3, groups_all},
  {"threads_per_grid", "uint3", 3, threads_all}, {"thread_index_in_threadgroup", "uint", 1, index_in},
  {"thread_index_in_simdgroup", "ushort", 1, lane_of}, {"simdgroup_index_in_threadgroup", "uint", 1, simd_of},
  {"threads_per_simdgroup", "uint", 1, width_of}, {"thread_execution_width", "uint", 1, width_of},
  {"simdgroups_per_threadgroup", "ushort", 1, simds_of},
};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

static void test_numbers(void) {
  static unsigned out[MANY * 3];
  metal_text text = {NULL, 0, 0};
  metal_print(&text, BEGIN);
  for (int i = 0; i < NUMBERS; i++) {      // the number stands first or last
    char number[200];
    snprintf(number, sizeof number, "%s %s x [[%s]] %s", i % 2 ? "," : "", numbers[i].type, numbers[i].attribute, i % 2
             ? "" : ",");
    metal_print(&text, "kernel void f%d(%s device uint *out [[buffer(4)]], uint3 at [[thread_position_in_grid]], "
                "uint3 all [[threads_per_grid]] %s) {\n  device uint *to = out + 3 * ((at.z * all.y + at.y) * all.x + "
                "at.x);\n", i,
                i % 2 ? "" : number, i % 2 ? number : "");
    for (int k = 0; k < numbers[i].lanes; k++) metal_print(&text, "  to[%d] = x%s;\n", k, numbers[i].lanes > 1
                                                           ? (const char *[]){".x", ".y", ".z"}[k] : "");
    metal_print(&text, "}\n");
  }
  metal_module *m = module_of(text.data, 240);
  for (int i = 0; m && i < NUMBERS; i++) {
    char name[16];
    snprintf(name, sizeof name, "f%d", i);
    metal_dispatch d = dispatch_of(m, name, 1, 1);
    memcpy(d.groups, grid, sizeof grid);
    memcpy(d.items, items, sizeof items);
    set_buffer(&d, 4, out, sizeof out);
    memset(out, 0xEE, sizeof out);
    case_named("%s as %s", numbers[i].attribute, numbers[i].type);
    if (!runs(&d)) continue;
    for (unsigned g = 0; g < 12; g++) for (unsigned n = 0; n < 60; n++) {
      const where w = {{g % GROUPS_X, g / GROUPS_X % GROUPS_Y, g / GROUPS_X / GROUPS_Y},
                       {n % ITEMS_X, n / ITEMS_X % ITEMS_Y, n / ITEMS_X / ITEMS_Y}, n};
      const unsigned flat = (in_grid(&w, 2) * GROUPS_Y * ITEMS_Y + in_grid(&w, 1)) * GROUPS_X * ITEMS_X + in_grid(&w,
          0);
      for (int k = 0; k < numbers[i].lanes; k++) CHECK_EQ(out[3 * flat + (unsigned)k], numbers[i].want(&w, k));
    }
  }
  case_end();
  free(text.data);
}

// ** values **

// What an expression is, in float.
static const struct { const char *text; double want; } values[] = {
  {"precise::sqrt(2.0f)", 1.41421356237}, {"sqrt(half(4))", 2}, {"rsqrt(4.0f)", 0.5}, {"exp(1.0f)", 2.718281828},
    {"fast::exp(0.0f)", 1},
  {"exp2(3.0f)", 8}, {"log2(8.0f)", 3}, {"log(2.718281828f)", 1}, {"log10(1000.0f)", 3}, {"sin(1.0f)", 0.8414709848},
  {"cos(1.0f)", 0.5403023059}, {"tan(1.0f)", 1.557407725}, {"tanh(0.5f)", 0.4621171573}, {"atan2(1.0f, 2.0f)",
    0.463647609},
  {"pow(2.0f, 10.0f)", 1024}, {"fmod(7.5f, 2.0f)", 1.5}, {"floor(-1.5f)", -2}, {"ceil(-1.5f)", -1}, {"trunc(-1.5f)",
    -1},
  {"round(2.5f)", 3}, {"rint(2.5f)", 2}, {"fract(1.25f)", 0.25}, {"fabs(-2.0f)", 2}, {"abs(-3)", 3}, {"abs(-2.5f)",
    2.5},
  {"fma(2.0f, 3.0f, 4.0f)", 10}, {"mix(1.0f, 3.0f, 0.25f)", 1.5}, {"clamp(5, 0, 3)", 3}, {"clamp(-1.0f, 0.0f, 1.0f)",
    0},
  {"saturate(2.0f)", 1}, {"sign(-3.0f)", -1}, {"step(1.0f, 0.5f)", 0}, {"smoothstep(0.0f, 1.0f, 0.5f)", 0.5},
    {"min(3, 2)", 2},
  {"max(3u, 2u)", 3}, {"min(1.0f, NAN)", 1}, {"max(INFINITY, 1.0f) == INFINITY", 1}, {"isnan(NAN)", 1}, {"isinf(1.0f)",
    0},
  {"popcount(0xF0F0u)", 8}, {"clz(1u)", 31}, {"clz(ushort(1))", 15}, {"ctz(8)", 3}, {"rotate(0x80000001u, 1u)", 3},
  {"mulhi(0x80000000u, 4u)", 2}, {"addsat(uchar(250), uchar(10))", 255}, {"addsat(char(-100), char(-100))", -128},
  {"ldexp(1.5f, 3)", 12}, {"copysign(2.0f, -1.0f)", -2}, {"select(1.0f, 2.0f, true)", 2}, {"M_PI_F", 3.14159265359},
  {"dot(float3(1, 2, 3), float3(4, 5, 6))", 32}, {"length(float2(3, 4))", 5}, {"normalize(float2(0, 2)).y", 1},
  {"cross(float3(1, 0, 0), float3(0, 1, 0)).z", 1}, {"distance(float2(1, 1), float2(4, 5))", 5},
    {"float(any(bool3(false, true, false)))", 1},
  {"float(all(bool2(true, false)))", 0}, {"float4(1, 2, 3, 4).w", 4}, {"float4(float2(1, 2), 3, 4).z", 3},
    {"float4(float3(1, 2, 3), 4).y", 2},
  {"float4(1).w", 1}, {"(float4(1, 2, 3, 4) * 2.0f).z", 6}, {"(2.0f * float4(1, 2, 3, 4)).z", 6},
    {"(float2(1, 2) + float2(3, 4)).y", 6},
  {"(-int2(1, 2)).y", -2}, {"(int4(7) % int4(4)).x", 3}, {"(uint2(1) << uint2(4)).x", 16},
    {"float((float2(1, 2) < float2(2, 1)).x)", 1},
  {"float2(float4(1, 2, 3, 4).yx).x", 2}, {"float3(float4(1, 2, 3, 4).wzy).z", 2}, {"float2(float4(1, 2, 3, 4).bb).y",
    3},
  {"as_type<float>(0x40000000u)", 2}, {"as_type<ushort2>(0x00020001u).y", 2}, {"as_type<uint>(1.0f) == 0x3F800000u", 1},
  {"half(2049)", 2048}, {"half(65504) + half(32) == half(INFINITY)", 1}, {"max(float2(1, 5), float2(3, 2)).x", 3},
  {"clamp(float2(5, -5), float2(0), float2(1)).y", 0}, {"select(float2(1), float2(2), bool2(false, true)).y", 2},
    {"sizeof(float3)", 16},
  {"sizeof(packed_float3)", 12}, {"sizeof(half4)", 8}, {"sizeof(bool4)", 4}, {"alignof(float4)", 16},
    {"alignof(packed_float4)", 4},
  {"sizeof(ulong)", 8}, {"swizzled(float4(1, 2, 3, 4))", 4213}, {"twice(21)", 42}, {"halves[2]", 1.5},
    {"unpack_unorm4x8_to_float(0xFF000000u).w", 1},
  {"float(array_sum())", 6}, {"float(vec<int, 3>(7).z)", 7}, {"float(metal::max(1, 2))", 2}, {"SQUARE(3 + 1)", 16},
    {"float(KIND)", 2},
};
enum { VALUES = sizeof values / sizeof *values };

static void test_values(void) {
  float out[VALUES];
  metal_text text = {NULL, 0, 0};
  metal_print(&text, BEGIN "constant half halves[3] = {0.5h, 1.0h, 1.5h};\n#define SQUARE(x) ((x) * (x))\nenum kind { "
                           "FIRST = 1, KIND };\n"
              "template <typename T> T twice(T x) { return x + x; }\n"
              "float swizzled(float4 v) { v.xy = v.yx; v.xyz.y += 0; v.wx = float2(v.x * 2, v.w); return v.x * 1000 + "
              "v.y * 200 + v.z * 4 + v.w * 0.25f; }\n"
              "int array_sum() { array<int, 3> a = {1, 2, 3}; int sum = 0; for (size_t i = 0; i < a.size(); i++) sum "
              "+= a[i]; return sum; }\n"
              "kernel void f(device float *out [[buffer(0)]]) {\n");
  for (int i = 0; i < VALUES; i++) metal_print(&text, "  out[%d] = %s;\n", i, values[i].text);
  metal_print(&text, "}\n");
  char *wrong = strstr(text.data, "v.xyz.y += 0; ");
  memset(wrong, ' ', 14);
  char *at = text.data;
  while ((at = strstr(at, "0.5h, 1.0h, 1.5h")) != NULL) memcpy(at, "0.5 , 1.0 , 1.5 ", 16);
  metal_module *m = module_of(text.data, 310);
  metal_dispatch d = dispatch_of(m, "f", 1, 1);
  set_buffer(&d, 0, out, sizeof out);
  if (m && runs(&d)) for (int i = 0; i < VALUES; i++) {
    case_named("%s", values[i].text);
    const int is = fabs(out[i] - values[i].want) <= 4e-7 * fabs(values[i].want);
    CHECK(is);
    if (!is) fprintf(stderr, "  %.9g, not %.9g\n", (double)out[i], values[i].want);
  }
  case_end();
  free(text.data);
}

// Memory of every type is read and written as C has it.
static void test_memory(void) {
  static const char *const types[] = {"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half",
    "float", "bfloat"};
  static const int nbytes[] = {1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 2};
  metal_text text = {NULL, 0, 0};
  metal_print(&text, BEGIN);
  for (int i = 0; i < 11; i++) {
    const char *t = types[i];
    metal_print(&text, "kernel void f_%s(device const %s *in [[buffer(0)]], device %s *out [[buffer(1)]], constant "
                       "packed_%s2 &a [[buffer(2)]]) {\n"
                "  const %s4 v = *(device const %s4 *)in; *(device packed_%s4 *)(out + 1) = packed_%s4(v); out[0] = "
                "a[1];\n"
                "  const %s3 w = *(device const packed_%s3 *)(in + 1); *(device packed_%s3 *)(out + 5) = "
                "packed_%s3(w);\n"
                "  threadgroup %s2 both; both = %s2(v.zw); *(device packed_%s2 *)(out + 8) = packed_%s2(both); }\n",
                t, t, t, t, t, t, t, t, t, t, t, t, t, t, t, t);
  }
  metal_module *m = module_of(text.data, 310);
  for (int i = 0; m && i < 11; i++) {
    unsigned char in[64] __attribute__((aligned(32))), out[96] = {0}, two[16];
    char name[32];
    const size_t n = (size_t)nbytes[i];
    for (int k = 0; k < 64; k++) in[k] = (unsigned char)(k * 5 + 7);
    for (int k = 0; k < 16; k++) two[k] = (unsigned char)(90 + k);
    snprintf(name, sizeof name, "f_%s", types[i]);
    metal_dispatch d = dispatch_of(m, name, 1, 1);
    set_buffer(&d, 0, in, 4 * n); set_buffer(&d, 1, out, 10 * n); set_buffer(&d, 2, two, 2 * n);
    case_named("memory of %s", types[i]);
    if (!runs(&d)) continue;
    CHECK(!memcmp(out, two + n, n) && !memcmp(out + n, in, 4 * n) && !memcmp(out + 5 * n, in + n, 3 * n) &&
          !memcmp(out + 8 * n, in + 2 * n, 2 * n));
    CHECK_EQ(metal_function_threadgroup_nbytes(d.function), 16);
  }
  case_end();
  free(text.data);
}

// ** SIMD-groups **

static double of_xor(const double *x, int lane) { return x[lane ^ 5]; }
static double of_down(const double *x, int lane) { return x[lane + 3 < 32 ? lane + 3 : lane]; }
static double of_up(const double *x, int lane) { return x[lane >= 3 ? lane - 3 : lane]; }
static double of_lane(const double *x, int lane) { return x[(lane * 7 + 1) % 32]; }
static double of_nine(const double *x, int lane) { return (void)lane, x[9]; }
static double of_first(const double *x, int lane) { return (void)lane, x[0]; }
static double of_rotated(const double *x, int lane) { return x[(lane + 5) % 32]; }
static double of_back(const double *x, int lane) { return x[(lane + 27) % 32]; }
static double sum_of(const double *x, int first, int last) {
  double y = 0;
  for (int i = first; i < last; i++) y += x[i];
  return y;
}
static double of_sum(const double *x, int lane) { return (void)lane, sum_of(x, 0, 32); }
static double of_before(const double *x, int lane) { return sum_of(x, 0, lane); }
static double of_until(const double *x, int lane) { return sum_of(x, 0, lane + 1); }
static double of_quad(const double *x, int lane) { return sum_of(x, lane / 4 * 4, lane / 4 * 4 + 4); }
static double of_max(const double *x, int lane) {
  double y = x[lane];
  for (int i = 0; i < 32; i++) if (x[i] > y) y = x[i];
  return y;
}
static double of_min(const double *x, int lane) {
  double y = x[lane];
  for (int i = 0; i < 32; i++) if (x[i] < y) y = x[i];
  return y;
}
static double of_or(const double *x, int lane) {
  int y = (int)x[lane];
  for (int i = 0; i < 32; i++) y |= (int)x[i];
  return y;
}
static double of_any(const double *x, int lane) { return of_max(x, lane) > 50; }
static double of_all(const double *x, int lane) { return of_min(x, lane) > 50; }
static double of_votes(const double *x, int lane) {
  unsigned y = 0;
  (void)lane;
  for (int i = 0; i < 16; i++) y |= (unsigned)(x[i] > 30) << i;
  return y;
}
static double of_odd(const double *x, int lane) {
  double y = 0;
  for (int i = lane % 2; i < 32; i += 2) y += x[i];
  return y;
}
static double of_is_first(const double *x, int lane) { return (void)x, lane == 0; }
static double of_fill(const double *x, int lane) { return x[(lane & ~3) + 2]; }

static const struct { const char *text; double (*want)(const double *x, int lane); } exchanges[] = {
  {"simd_shuffle_xor(x, 5)", of_xor}, {"simd_shuffle_down(x, 3)", of_down}, {"simd_shuffle_up(x, 3)", of_up},
  {"simd_shuffle(x, ushort((lane * 7 + 1) % 32))", of_lane}, {"simd_broadcast(x, 9)", of_nine},
    {"simd_broadcast_first(x)", of_first},
  {"simd_shuffle_rotate_down(x, 5)", of_rotated}, {"simd_shuffle_rotate_up(x, 5)", of_back}, {"simd_sum(x)", of_sum},
  {"simd_prefix_exclusive_sum(x)", of_before}, {"simd_prefix_inclusive_sum(x)", of_until}, {"quad_sum(x)", of_quad},
    {"simd_max(x)", of_max},
  {"simd_min(x)", of_min}, {"float(simd_or(int(x)))", of_or}, {"float(simd_any(x > 50))", of_any},
    {"float(simd_all(x > 50))", of_all},
  {"float(ulong(simd_ballot(x > 30)) & 0xFFFF)", of_votes}, {"float(simd_sum(half(x)))", of_sum},
    {"simd_sum(float2(x, 1)).x", of_sum},
  {"float(simd_max(int(x)))", of_max}, {"float(simd_is_first())", of_is_first}, {"quad_broadcast(x, 2)", of_fill},
  {"halved(x, lane)", of_odd},
};
enum { EXCHANGES = sizeof exchanges / sizeof *exchanges };

static void test_exchanges(void) {
  float in[128], out[128];
  metal_text text = {NULL, 0, 0};
  metal_print(&text, BEGIN "float halved(float x, uint lane) { float y;\n if (lane %% 2)\n y = simd_sum(x);\n else\n "
                           "y = simd_sum(x);\n return y; }\n");
  for (int i = 0; i < EXCHANGES; i++)
    metal_print(&text, "kernel void f%d(device const float *in, device float *out, uint i [[thread_position_in_grid]], "
                "uint lane [[thread_index_in_simdgroup]]) { float x = in[i]; out[i] = %s; }\n", i, exchanges[i].text);
  metal_module *m = module_of(text.data, 310);
  for (int i = 0; i < 128; i++) in[i] = (float)((i * 37 + 11) % 64);
  for (int i = 0; m && i < EXCHANGES; i++) {
    char name[16];
    snprintf(name, sizeof name, "f%d", i);
    metal_dispatch d = dispatch_of(m, name, 2, 64);
    set_buffer(&d, 0, in, sizeof in); set_buffer(&d, 1, out, sizeof out);
    case_named("%s", exchanges[i].text);
    if (!runs(&d)) continue;
    for (int at = 0; at < 128; at++) {
      double x[32];
      for (int k = 0; k < 32; k++) x[k] = in[at / 32 * 32 + k];
      CHECK(out[at] == exchanges[i].want(x, at % 32));
    }
  }
  case_end();
  free(text.data);
}

// ** matrices of a SIMD-group **

// Elements are of type 0: float, 1: half, 2: bfloat; all values here are in each of them.
static void put(void *to, int type, int at, float x) {
  unsigned bits;
  memcpy(&bits, &x, 4);
  const unsigned half = x == 0 ? 0 : (bits >> 16 & 0x8000) | ((bits >> 13 & 0x3FFFF) - (112 << 10));
  if (type == 0) ((float *)to)[at] = x;
  else ((unsigned short *)to)[at] = (unsigned short)(type == 1 ? half : bits >> 16);
}
static float get(const void *from, int type, int at) {
  if (type == 0) return ((const float *)from)[at];
  const unsigned word = ((const unsigned short *)from)[at];
  const unsigned bits = type == 2 ? word << 16 : word & 0x7FFF
    ? (word & 0x8000) << 16 | ((word & 0x7FFF) + (112 << 10)) << 13 : 0;
  float x;
  memcpy(&x, &bits, 4);
  return x;
}
// d = a b^T + c by columns of b, in steps of 8, all of them parts of larger matrices.
static void test_matrices(void) {
  static const char *const types[] = {"float", "half", "bfloat"};
  enum { K = 24, WIDE = 40 };
  metal_text text = {NULL, 0, 0};
  metal_print(&text, BEGIN "#include <metal_simdgroup_matrix>\n");
  for (int i = 0; i < 3; i++)
    metal_print(&text, "kernel void f%d(device const %s *a, device const %s *b, device float *c, device %s *e, uint "
                       "simd [[simdgroup_index_in_threadgroup]],\n"
                "    uint lane [[thread_index_in_simdgroup]]) {\n"
                "  threadgroup %s tile[64]; simdgroup_matrix<%s, 8, 8> x, y; simdgroup_float8x8 z = "
                "make_filled_simdgroup_matrix<float, 8, 8>(0.5f);\n"
                "  for (uint k = 0; k < 24; k += 8) { simdgroup_load(x, a + simd * 8 * 40 + k, 40); simdgroup_load(y, "
                "b, 40, ulong2(k, 3), true);\n"
                "    simdgroup_multiply_accumulate(z, x, y, z); }\n"
                "  simdgroup_store(z, c + 8 * simd, 16);\n"
                "  if (simd == 0) { simdgroup_store(x, tile, 8, ulong2(0, 0), true); "
                "simdgroup_barrier(mem_flags::mem_threadgroup);\n"
                "    e[lane] = tile[lane]; e[lane + 32] = tile[lane + 32];\n"
                "    const simdgroup_matrix<%s, 8, 8> one(%s(1)); simdgroup_matrix<%s, 8, 8> p; simdgroup_multiply(p, "
                "x, one);\n"
                "    p.thread_elements()[0] *= %s(2); e[64 + 2 * lane] = p.thread_elements()[0]; e[65 + 2 * lane] = "
                "(x * one).thread_elements()[1]; } }\n",
                i, types[i], types[i], types[i], types[i], types[i], types[i], types[i], types[i], types[i]);
  metal_module *m = module_of(text.data, 310);
  for (int type = 0; m && type < 3; type++) {
    float a[16 * WIDE], b[16 * WIDE], c[8 * 16], want;
    char name[8];
    static char data[2][16 * WIDE * 4], e[128 * 4];
    for (int i = 0; i < 16 * WIDE; i++) {
      put(data[0], type, i, a[i] = (float)((i * 29 + 5) % 101 - 50) / 64);
      put(data[1], type, i, b[i] = (float)((i * 31 + 3) % 97 - 48) / 64);
    }
    snprintf(name, sizeof name, "f%d", type);
    metal_dispatch d = dispatch_of(m, name, 1, 64);
    const size_t nbytes = type ? 2 : 4;
    set_buffer(&d, 0, data[0], 16 * WIDE * nbytes); set_buffer(&d, 1, data[1], 16 * WIDE * nbytes);
    set_buffer(&d, 2, c, sizeof c);
    set_buffer(&d, 3, e, 128 * nbytes);
    case_named("matrices of %s", types[type]);
    if (!runs(&d)) continue;
    for (int s = 0; s < 2; s++) for (int row = 0; row < 8; row++) for (int column = 0; column < 8; column++) {
      want = 0.5f;
      for (int k = 0; k < K; k++) { const float product = a[(s * 8 + row) * WIDE + k] * b[(3 + column) * WIDE + k];
      want += product; }
      CHECK(c[row * 16 + 8 * s + column] == want);
    }
    for (int i = 0; i < 64; i++) CHECK(get(e, type, i) == a[i % 8 * WIDE + 16 + i / 8]);
    for (int lane = 0; lane < 32; lane++) {        // as src/machine/units.c: C1 R0 R1 C2 R2, elements C0
      const int row = (lane >> 1 & 3) + (lane >> 4) * 4, column = (lane & 1) * 2 + (lane >> 3 & 1) * 4;
      CHECK(get(e, type, 64 + 2 * lane) == 2 * a[row * WIDE + 16 + column]);
      CHECK(get(e, type, 65 + 2 * lane) == a[row * WIDE + 16 + column + 1]);
    }
  }
  case_end();
  free(text.data);
}

// ** atomics **

static void test_atomics(void) {
  static const char source[] = BEGIN
    "kernel void f(device atomic_uint *n [[buffer(0)]], device atomic_float *s [[buffer(1)]], device atomic_int *m "
    "[[buffer(2)]],\n"
    "    uint i [[thread_position_in_grid]], uint l [[thread_index_in_threadgroup]]) {\n"
    "  threadgroup atomic_int mine;\n"
    "  if (l == 0) atomic_store_explicit(&mine, 0, memory_order_relaxed);\n"
    "  threadgroup_barrier(mem_flags::mem_threadgroup);\n"
    "  atomic_fetch_add_explicit(n, 2u, memory_order_relaxed); atomic_fetch_add_explicit(s, 0.5f, "
    "memory_order_relaxed);\n"
    "  atomic_fetch_max_explicit(m, int(i), memory_order_relaxed); atomic_fetch_min_explicit(m + 1, -int(i), "
    "memory_order_relaxed);\n"
    "  atomic_fetch_or_explicit(n + 1, 1u << (i % 32), memory_order_relaxed);\n"
    "  uint old = atomic_load_explicit(n + 2, memory_order_relaxed);\n"
    "  while (!atomic_compare_exchange_weak_explicit(n + 2, &old, old + i, memory_order_relaxed, "
    "memory_order_relaxed)) { }\n"
    "  atomic_fetch_add_explicit(&mine, 1, memory_order_relaxed);\n"
    "  threadgroup_barrier(mem_flags::mem_threadgroup);\n"
    "  if (l == 0) atomic_fetch_add_explicit(m + 2, atomic_load_explicit(&mine, memory_order_relaxed), "
    "memory_order_relaxed);\n"
    "  atomic_fetch_sub_explicit(m + 3, 1, memory_order_relaxed); if (i == 7) atomic_exchange_explicit(n + 3, 99u, "
    "memory_order_relaxed);\n"
    "}\n";
  for (int mode = METAL_CHECKED; mode <= METAL_FAST; mode++) {
    unsigned n[4] = {0};
    float s = 0;
    int k[4] = {0};
    metal_kernel_mode(mode);
    metal_module *m = module_of(source, 300);
    metal_dispatch d = dispatch_of(m, "f", 20, 50);
    set_buffer(&d, 0, n, sizeof n); set_buffer(&d, 1, &s, sizeof s); set_buffer(&d, 2, k, sizeof k);
    d.threads = 3;
    if (!m || !runs(&d)) continue;
    CHECK(n[0] == 2000 && n[1] == 0xFFFFFFFF && n[2] == 999 * 500 && n[3] == 99 && s == 500 && k[0] == 999 &&
          k[1] == -999);
    CHECK(k[2] == 1000 && k[3] == -1000);
  }
  metal_kernel_mode(METAL_CHECKED);
}

// ** templates, namespaces, arguments **

static void test_arguments(void) {
  static const char source[] = BEGIN
    "struct shape { uint n; float scale; };\n"
    "namespace mine { template <typename T, int K> [[kernel]] void fill(device T *out [[buffer(1)]], constant shape "
    "&s [[buffer(1 - 1)]],\n"
    "    threadgroup T *with [[threadgroup(2)]], uint i [[thread_position_in_grid]]) {\n"
    "  threadgroup T tile[K]; tile[i % K] = T(s.scale); with[i] = tile[i % K]; out[i] = T(i) * with[i]; }\n"
    "  template [[host_name(\"fill_float\")]] [[kernel]] void fill<float, 8>(device float *, constant shape &, "
    "threadgroup float *, uint);\n"
    "  typedef decltype(fill<half, 32>) fill_t;\n  template [[host_name(\"fill_half\")]] kernel fill_t fill<half, "
    "32>; }\n"
    "[[kernel, max_total_threads_per_threadgroup(4 * 2 * 1)]] void some(const device int *a, device int *b "
    "[[buffer(7)]], constant int &c,\n"
    "    device const void *d [[buffer(9)]]) { b[0] = a[0] + c; }\n"
    "#define OUT(n) device float *out [[buffer(n)]]\nkernel void macro(OUT(3)) { out[0] = __METAL_VERSION__; }\n"
    "// kernel void commented(device float *x [[buffer(0)]]) {}\n"
    "#if __METAL_VERSION__ >= 310\nkernel void later(device bfloat *x [[buffer(0)]]) { x[0] = bfloat(1); }\n#endif\n";
  metal_module *m = module_of(source, 300), *later = module_of(source, 310);
  const metal_argument *a;
  if (!m || !later) return;
  CHECK_EQ(metal_module_functions(m), 4);
  CHECK(!metal_module_find(m, "later") && metal_module_find(later, "later") && !metal_module_find(m, "commented") &&
        !metal_module_find(m, "fill"));
  CHECK(!metal_module_name(m, 4) && !metal_module_name(m, -1));
  const metal_function *f = metal_module_find(m, "fill_float"), *h = metal_module_find(m, "fill_half"),
    *some = metal_module_find(m, "some");
  CHECK(f && h && some);
  if (!f || !h || !some) return;
  CHECK_EQ(metal_function_arguments(f, &a), 3);
  CHECK(a[0].kind == METAL_BUFFER && a[0].index == 1 && a[0].writes && a[0].element == 4);
  CHECK(a[1].kind == METAL_CONSTANT && a[1].index == 0 && !a[1].writes && a[1].element == 8);
  CHECK(a[2].kind == METAL_THREADGROUP && a[2].index == 2 && a[2].element == 4);
  CHECK_EQ(metal_function_arguments(h, &a), 3);
  CHECK_EQ(a[0].element, 2);
  CHECK_EQ(metal_function_threadgroup_nbytes(f), 32);
  CHECK_EQ(metal_function_threadgroup_nbytes(h), 64);
  CHECK_EQ(metal_function_arguments(some, &a), 4);
  CHECK(a[0].index == 0 && !a[0].writes && a[1].index == 7 && a[1].writes && a[2].index == 1 && a[3].index == 9 &&
        !a[3].writes);
  CHECK_EQ(metal_function_max_threads(some), 8);
  CHECK_EQ(metal_function_max_threads(f), 0);
  float out[8], version = 0;
  struct { unsigned n; float scale; } s = {8, 3};
  metal_dispatch d = dispatch_of(m, "fill_float", 1, 8);
  set_buffer(&d, 0, &s, sizeof s); set_buffer(&d, 1, out, sizeof out);
  d.threadgroup_nbytes[2] = 32;
  if (runs(&d)) for (int i = 0; i < 8; i++) CHECK(out[i] == (float)(3 * i));
  d = dispatch_of(m, "macro", 1, 1);
  set_buffer(&d, 3, &version, sizeof version);
  if (runs(&d)) CHECK(version == 300);
}

// ** mistakes **

// A body with x of 64 floats, y of 64 ints, a tile of 64 floats and numbers of threads, for groups of 64 threads; what
// is said; NULL: it is right.
static const struct { const char *body, *want; int groups; } mistakes[] = {
  {"x[i] = 1;", NULL, 1},
  {"x[i + 1] = 1;", "out of bounds: thread 63 of group 0 writes 4 bytes at byte 256 of buffer 0, which has 256 bytes",
    1},
  {"y[i] = int(x[i + 64]);", "thread 0 of group 0 reads 4 bytes at byte 256 of buffer 0, which has 256 bytes", 1},
  {"if (i == 5) x[int(i) - 7] = 1;", "thread 5 of group 0 writes 4 bytes at byte -8 of buffer 0", 1},
  {"if (i == 0) *(device packed_float4 *)(x + 62) = packed_float4(0);", "writes 16 bytes at byte 248 of buffer 0", 1},
  {"if (i == 60) tile[i + 8] = 1;", "thread 60 of group 0: out of bounds: an array has no element 68", 1},
  {"device float *p = x; p -= 100000000; if (i == 3) *p = 1;", "out of bounds: thread 3", 1},
  {"device float *p = nullptr; p[i] = 1;", "out of bounds: thread 0 of group 0 writes 4 bytes at ", 1},
  {"x[0] = float(i);", "a race: byte 0 of buffer 0 is written by thread 0 of group 0 and written by thread 1 of group "
   "0", 1},
  {"x[i] = 1; y[i] = int(x[i ^ 1]);", "a race: byte 4 of buffer 0 is read by thread 0 of group 0 and written by "
   "thread 1", 1},
  {"tile[i] = 1; x[i] = tile[i ^ 1];", "of threadgroup variable 'tile'", 1},
  {"tile[i] = 1; threadgroup_barrier(mem_flags::mem_threadgroup); x[i] = tile[63 - i];", NULL, 1},
  {"tile[i] = 1; threadgroup_barrier(mem_flags::mem_device); x[i] = tile[63 - i];", "a race: ", 1},
  {"tile[i] = 1; threadgroup_barrier(mem_flags::mem_none); x[i] = tile[63 - i];", "a race: ", 1},
  {"x[i] = 1; threadgroup_barrier(mem_flags::mem_threadgroup); y[i] = int(x[63 - i]);", "a race: ", 1},
  {"x[i] = 1; threadgroup_barrier(mem_flags::mem_device); y[i] = int(x[63 - i]);", NULL, 1},
  {"x[i] = 1; threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup); y[i] = int(x[63 - i]);", NULL,
    1},
  {"tile[i] = 1; simdgroup_barrier(mem_flags::mem_threadgroup); x[i] = tile[i ^ 31];", NULL, 1},
  {"tile[i] = 1; simdgroup_barrier(mem_flags::mem_threadgroup); x[i] = tile[i ^ 32];", "a race: ", 1},
  {"for (int k = 0; k < 4; k++) { tile[(i + k) % 64] = 1; threadgroup_barrier(mem_flags::mem_threadgroup); } x[i] = "
   "tile[i];", NULL, 1},
  {"for (int k = 0; k < 4; k++) { tile[i] = 1; threadgroup_barrier(mem_flags::mem_threadgroup); x[i] = tile[63 - i]; }",
    "a race: ", 1},
  {"if (g == 0) x[i] = y[3]; else if (i > 3) y[i] = y[3];", NULL, 2}, {"y[i] = int(x[0]); if (g == 1 && i == 0) x[0] "
   "= 1;", "of group 1", 2},
  {"x[i] = 1;", "a race: byte 0 of buffer 0 is written by thread 0 of group 0 and written by thread 0 of group 1", 2},
  {"if (i < 32) threadgroup_barrier(mem_flags::mem_threadgroup);", "a divergent barrier: thread 32 has ended while "
   "thread 0 waits", 1},
  {"if (i < 32) threadgroup_barrier(mem_flags::mem_threadgroup);\nelse "
   "threadgroup_barrier(mem_flags::mem_threadgroup);", "a divergent barrier: thread 32 waits at that of line 5", 1},
  {"if (i < 16) x[i] = simd_shuffle_xor(x[i], 16);", "takes a value of lane 16 of its SIMD-group, which is not there",
    1},
  {"if (i < 16) x[i] = simd_sum(1.0f);", NULL, 1},
  {"x[i] = simd_shuffle(x[i], 40);", "takes a value of lane 40", 1},
  {"simdgroup_float8x8 m; if (i % 2) simdgroup_load(m, x, 8);", "wants all of its 32 threads, 16 are there", 1},
  {"simdgroup_float8x8 m; simdgroup_load(m, x, 16); simdgroup_store(m, (device float *)y, 8);", "out of bounds", 1},
  {"atomic_fetch_add_explicit((device atomic_int *)y, 1, memory_order_relaxed);", NULL, 2},
  {"atomic_fetch_add_explicit((device atomic_int *)y, 1, memory_order_relaxed); y[0] = 3;", "a race: ", 1},
  {"if (i == 0) atomic_fetch_add_explicit((device atomic_int *)y + 64, 1, memory_order_relaxed);", "out of bounds", 1},
  {"struct many { float a[8]; }; if (i == 0) *(device many *)(x + 60) = *(device many *)x;",
    "out of bounds: thread 0 of group 0 writes 32 bytes at byte 240", 1},
  {"((device uchar *)x)[i] = 1;", NULL, 1},
  {"device uchar *p = (device uchar *)x; p[i] = p[i] + 1; simd_sum(1.0f); p[i] = p[i] + 1;", NULL, 1},
  {"device uchar *p = (device uchar *)x; y[i] = p[i] + p[5]; simd_sum(1.0f); p[i] = 1;", "a race: byte 5 of buffer 0 is "
   "read by thread ", 1},
  {"if (i < 3) ((device uchar *)x)[i] = 1; if (i == 3) y[0] = int(x[0]);", "a race: byte 0 of buffer 0 is written by "
   "thread 0 of group 0 and read by thread 3", 1},
  {"float big[8] = {0}; for (uint k = 0; k < 8; k++) big[(k + i) % 8] += x[k]; y[i] = int(big[i % 8]);", NULL, 1},
  {"if (i < 60) x[i] = float4(*(device const float4 *)(y + (i & 60))).x;", NULL, 1},
  {"float4 v = *(device const float4 *)(y + 1); x[i] = v.x;", "line 4: thread 0 of group 0: an address that is not "
   "aligned as its type is, off by 4 bytes", 1},
  {"float own[4] = {1, 2, 3, 4}; y[i] = int(own[i]);", "line 4: thread 4 of group 0: out of bounds: an array has no "
   "element 4", 1},
  {"y[i] = 7 / (int(i) - 3);", "thread 3 of group 0: an integer is divided by 0", 1},
  {"alignas(16) threadgroup float4 v[16]; v[i / 4][i % 4] = i; threadgroup_barrier(mem_flags::mem_threadgroup); x[i] "
   "= v[15 - i / 4].y;", NULL, 1},
  {"*(device volatile int *)(size_t)(fixed + y[i]) = 1;", "writes to a constant", 1},
};
enum { MISTAKES = sizeof mistakes / sizeof *mistakes };

static void test_mistakes(void) {
  for (int i = 0; i < MISTAKES; i++) {
    metal_text text = {NULL, 0, 0};
    static union { float x[64]; int y[64]; char apart[8192]; } memory[3];
    float *const x = memory[0].x;
    int *const y = memory[2].y;
    memset(memory, 0, sizeof memory);
    metal_print(&text, BEGIN "constant int fixed[4] = {1, 2, 3, 4}; kernel void f(device float *x [[buffer(0)]], "
                             "device int *y [[buffer(1)]], "
                "uint i [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) { threadgroup float "
                "tile[64]; (void)tile;\n%s }\n",
                mistakes[i].body);
    case_named("%s", mistakes[i].body);
    metal_module *m = module_of(text.data, 310);
    metal_dispatch d = dispatch_of(m, "f", (unsigned)mistakes[i].groups, 64);
    set_buffer(&d, 0, x, 64 * sizeof *x); set_buffer(&d, 1, y, 64 * sizeof *y);
    *said = 0;
    const int failed = m && metal_run(&d, said, sizeof said), is = mistakes[i].want ? failed && strstr(said,
        mistakes[i].want) : !failed;
    CHECK(is);
    if (!is) fprintf(stderr, "  %s\n", said);
    free(text.data);
  }
  case_end();
}
// Of functions that differ in spaces alone there is one; which bytes were touched.
static void test_spaces(void) {
  static const char source[] = BEGIN
    "#define SUM(S) float sum(const S float *p) { return p[0] + p[1]; } inline float4 load(const S float *p) {\\\n  "
    "return float4(*(const S packed_float4 *)p); }\n"
    "SUM(device) SUM(threadgroup)\ntemplate <typename T> T first(device T *p) { return *p; }\ntemplate <typename T> T "
    "first(threadgroup T *p) { return *p; }\n"
    "kernel void f(device const float *x, device float *y, uint i [[thread_position_in_grid]]) { threadgroup float "
    "t[8]; t[i] = x[i + 2];\n"
    "  threadgroup_barrier(mem_flags::mem_threadgroup); y[3] = sum(x + 2) + sum(t) + load(t).w + first(t); }\n";
  float memory[64] = {0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  metal_touched touched[31];
  metal_module *m = module_of(source, 310);
  metal_dispatch d = dispatch_of(m, "f", 1, 1);
  d.items[0] = 8;
  d.touched = touched;
  memset(touched, 0, sizeof touched);
  set_buffer(&d, 0, memory, 12 * sizeof(float)); set_buffer(&d, 1, memory + 32, 8 * sizeof(float));
  CHECK(metal_run(&d, said, sizeof said) && strstr(said, "a race: byte 12 of buffer 1"));
  d.items[0] = 1;
  memset(touched, 0, sizeof touched);
  if (runs(&d)) CHECK(touched[0].read_begin == 8 && touched[0].read_end == 16 && !touched[0].write_end &&
                      !touched[1].read_end &&
                      touched[1].write_begin == 12 && touched[1].write_end == 16);
}
// ** textures **

typedef struct pixels { float at[3][5][4]; } pixels;
static void read_pixel(void *user, unsigned x, unsigned y, float out[4]) { memcpy(out, ((pixels *)user)->at[y][x],
    4 * sizeof *out); }
static void write_pixel(void *user, unsigned x, unsigned y, const float in[4]) { memcpy(((pixels *)user)->at[y][x], in,
    4 * sizeof *in); }
static void test_textures(void) {
  static const char source[] = BEGIN
    "kernel void f(texture2d<float, access::read> from [[texture(1)]], texture2d<half, access::write> to "
    "[[texture(0)]],\n"
    "    constant uint &off [[buffer(0)]], uint2 at [[thread_position_in_grid]]) {\n"
    "  if (at.x >= from.get_width() || at.y >= from.get_height()) return;\n"
    "  float4 v = from.read(uint2(from.get_width() - 1 - at.x, at.y)); to.write(half4(v.wzyx), ushort2(at + off)); }\n";
  pixels in, out;
  unsigned off = 0;
  const metal_argument *a;
  for (int i = 0; i < 60; i++) (&in.at[0][0][0])[i] = (float)i;
  memset(&out, 0, sizeof out);
  const metal_picture from = {&in, 5, 3, read_pixel, NULL}, to = {&out, 5, 3, NULL, write_pixel};
  for (int mode = METAL_FAST; mode >= METAL_CHECKED; mode--) {
    metal_kernel_mode(mode);
    metal_module *m = module_of(source, 310);
    metal_dispatch d = dispatch_of(m, "f", 2, 4);
    d.items[1] = 4;
    set_buffer(&d, 0, &off, sizeof off);
    CHECK(metal_run(&d, said, sizeof said) && strstr(said, "texture 1 is not set"));
    d.texture[1] = &from; d.texture[0] = &to;
    if (runs(&d)) for (int y = 0; y < 3; y++) for (int x = 0; x < 5; x++) for (int k = 0; k < 4; k++)
      CHECK(out.at[y][x][k] == in.at[y][4 - x][3 - k]);
    if (mode == METAL_FAST) continue;
    CHECK_EQ(metal_function_arguments(d.function, &a), 3);
    CHECK(a[0].kind == METAL_TEXTURE && a[0].index == 1 && !a[0].writes && a[1].kind == METAL_TEXTURE && a[1].writes);
    off = 3;
    CHECK(metal_run(&d, said, sizeof said) && strstr(said, "writes pixel (3,3) of texture 0, which has 5 x 3"));
  }
}
// What is asked for cannot be.
static void test_dispatches(void) {
  metal_module *m = module_of(BEGIN "[[kernel, max_total_threads_per_threadgroup(32)]] void f(device float *x "
                                    "[[buffer(2)]], threadgroup float *t [[threadgroup(1)]]) {}\n"
                              "kernel void g(device float *x [[buffer(31)]]) { }\n"
                              "[[kernel, max_total_threads_per_threadgroup(32)]] void h() { "
                              "threadgroup_barrier(mem_flags::mem_threadgroup); }\n"
                              "[[kernel, max_total_threads_per_threadgroup(8 > 32 ? 8 : 33)]] void k() { "
                              "threadgroup_barrier(mem_flags::mem_threadgroup); }\n", 240);
  static const struct { unsigned groups, items; int x, t; const char *want; } bad[] = {
    {1, 32, 1, 1, NULL}, {0, 32, 1, 1, "has no threads"}, {1, 0, 1, 1, "has no threads"}, {1, 33, 1, 1,
      "33 threads is over its maximum of 32"},
    {1, 2000, 1, 1, "over its maximum"}, {1, 8, 0, 1, "buffer 2 is not set"}, {1, 8, 1, 0,
      "threadgroup memory 1 is not set"},
  };
  float x[4];
  for (size_t i = 0; m && i < sizeof bad / sizeof *bad; i++) {
    metal_dispatch d = dispatch_of(m, "f", bad[i].groups, bad[i].items);
    if (bad[i].x) set_buffer(&d, 2, x, sizeof x);
    if (bad[i].t) d.threadgroup_nbytes[1] = 16;
    CHECK_EQ(metal_run(&d, said, sizeof said), bad[i].want != NULL);
    CHECK(!bad[i].want || strstr(said, bad[i].want));
  }
  metal_dispatch d = dispatch_of(m, "g", 1, 1), none = dispatch_of(m, "no", 1, 1);
  metal_dispatch wrong = dispatch_of(m, "h", 1, 8), right = dispatch_of(m, "k", 1, 8);
  CHECK(metal_run(&wrong, said, sizeof said) && strstr(said, "which Apple's compiler gets wrong where"));
  CHECK(!metal_run(&right, said, sizeof said));
  CHECK(metal_run(&d, said, sizeof said) && strstr(said, "there is no buffer 31"));
  CHECK(metal_run(&none, said, sizeof said) && strstr(said, "there is no function"));
}

// ** texts that are refused **

static const struct { const char *text, *want; } refused[] = {
  {"kernel void f(device float *x [[buffer(0)]]) { x[0] = y; }", ":1:55: error: use of undeclared identifier 'y'"},
  {"kernel void f(device float *x [[buffer(0)]]) {\n  int a = 1\n}", ":2:12: error: expected ';'"},
  {"kernel void f(device float *x  [[buffer(0)]],   threadgroup float *t [[threadgroup(0)]]) {   x[0] =   z; }",
    ":1:103: error: use of undeclared identifier 'z'"},
  {"kernel void f(float *x [[buffer(0)]]) { }", ":1:15: error: pointer type must have explicit address space "
   "qualifier"},
  {"float g(const float &x) { return x; }", ":1:9: error: pointer type must have explicit address space qualifier"},
  {"void g(device float *x) {\n  float *p = x;\n}", ":2:3: error: pointer type must have explicit address space "
   "qualifier"},
  {"int g(int x) { return x ? g(x - 1) : 0; }", ":1:27: error: recursive function calls are not supported"},
  {"int h(int x);\nint g(int x) { return h(x); }\nint h(int x) { return g(x); }",
    "error: recursive function calls are not supported"},
  {"void g(int (*f)(int)) { f(1); }", "error: function pointers are not supported"},
  {"struct s { virtual int f() { return 1; } };", ":1:12: error: 'virtual' is not supported in Metal"},
  {"void g() { double x = 1; }", ":1:12: error: 'double' is not supported in Metal"},
  {"void g() { goto end; end: ; }", "goto is not supported"}, {"void g() { thread int *p = new int; }",
    "'new' is not supported"},
  {"void g() { throw 1; }", "exceptions are not supported"}, {"void g() { asm(\"nop\"); }", "'asm' is not supported"},
  {"extern \"C\" int system(const char *);", "functions of other languages"},
    {"__attribute__((constructor)) void g() {}", "'constructor'"},
  {"kernel void f(uint i [[thread_position_in_gird]]) { }", "unknown attribute 'thread_position_in_gird'"},
  {"kernel void f(uint i) { }", "it has no attribute"}, {"kernel void f(texture2d<float> t [[texture(0)]]) { "
   "t.write(float4(0), uint2(0)); }", "the texture is read only"},
  {"kernel void f(sampler t [[sampler(0)]]) { }", "error: "},
  {"#include \"/etc/passwd\"", ":4:10: fatal error: file not found"}, {"#include <stdio.h>", "file not found"},
    {"#include <metal_../../x>", "error: "},
  {"#error no", "error: no"}, {"kernel void f(device bfloat *x) { }", "error: use of undeclared identifier 'bfloat'"},
  {"kernel void f(device float *x [[buffer(0)]]) { float4 v = 1; int4 w = v; }", "error: no viable conversion"},
  {"kernel void f(device float *x [[buffer(0)]]) { x[0] = simd_sum(); }", "error: no matching function"},
  {"int g(device int *p) { return 1; }\nint g(threadgroup int *p) { return 2; }",
    ":2:5: error: 'g' differs from another in address spaces alone"},
  {"kernel void f(", "error: "}, {"}}}}", "error: "}, {"template <", "error: "}, {"[[", "error: "},
    {"kernel void f(device int *x [[buffer(nothing)]]) { }", "error: "},
  {"kernel void f(device int *x [[buffer(0)]]) { static_assert(sizeof(x[0]) == 8, \"eight\"); }", "static"},
  {"void g() { simdgroup_matrix<int, 8, 8> m; }", "error: "}, {"#define A A2(\nA", "error: "}, {"\"unended", "error: "},
    {"/* unended", "error: "},
};
static void test_refused(void) {
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    char text[1200];
    snprintf(text, sizeof text, "#include <metal_stdlib>\nusing namespace metal;\n#line 1\n%s\n", refused[i].text);
    case_named("refused: %s", refused[i].text);
    *said = 0;
    const int is = !metal_module_new(text, 300, 0, said, sizeof said) && strstr(said, refused[i].want) && strstr(said,
        "program_source");
    CHECK(is);
    if (!is) fprintf(stderr, "  said %s\n", said);
  }
  case_end();
  CHECK(metal_module_new("", 300, 0, said, sizeof said) != NULL);                 // nothing is right, and has nothing
  CHECK(!metal_module_new("kernel void f(device int *x) { x[0] = max(1, 2); }", 300, 0, said, sizeof said) &&
        strstr(said, "'max'"));
  char few[8];
  CHECK(!metal_module_new("nonsense", 300, 0, few, sizeof few) && strlen(few) == 7);
}
// Deep and long ones, and a text with any change, end: the reader alone sees these.
static void test_hostile(void) {
  static const char good[] = "namespace a { template <typename T> [[kernel]] void f(device T *x [[buffer(0)]], uint i "
                             "[[thread_position_in_grid]]) {\n"
    "  threadgroup T t[4], u; t[i % 4] = x[i].xy; } template [[host_name(\"g\")]] kernel void f<float>(device float "
    "*, uint); }\n"
    "kernel void h(constant int &n, threadgroup int *p [[threadgroup(1)]]) { for (;;) { p[0] = n; break; } }\n# 7 "
    "\"program_source\"\nstruct s { int a; };\n";
  static const char parts[] = "(){}[]<>;,*&:=#\"'\\/ \nkernelthreadgroup[[template<";
  unsigned long long seed = 88172645463325252ull;
  char text[sizeof good + 8];
  for (int round = 0; round < 20000; round++) {
    metal_reading r;
    memcpy(text, good, sizeof good);
    for (int k = 0; k < 1 + round % 4; k++) {
      seed ^= seed << 13; seed ^= seed >> 7; seed ^= seed << 17;
      text[seed % (sizeof good - 1)] = (seed >> 20) % 3 ? parts[(seed >> 32) % (sizeof parts - 1)] : (char)(seed >> 40);
    }
    metal_read(&r, text);
    CHECK(!r.failed || (r.log.data && !strncmp(r.log.data, "program_source:", 15)));
    metal_read_free(&r);
  }
  static const char *const repeated[] = {"(", "{", "[[", "template <", "namespace a {", "x.xyzw ",
    "threadgroup int a; ", "kernel void f() { } "};
  for (size_t i = 0; i < sizeof repeated / sizeof *repeated; i++) {
    metal_text t = {NULL, 0, 0};
    metal_reading r;
    for (int k = 0; k < 2000; k++) metal_put(&t, repeated[i], strlen(repeated[i]));
    metal_read(&r, t.data);
    CHECK(r.n > 0);
    metal_read_free(&r);
    free(t.data);
  }
}

// ** many at once **

static const char shared_source[] = BEGIN "kernel void f(device uint *x [[buffer(0)]], constant uint &n "
                                          "[[buffer(1)]], uint i [[thread_position_in_grid]], uint l "
                                          "[[thread_index_in_threadgroup]]) {\n"
  "  threadgroup uint tile[64]; uint sum = 0;\n  for (uint k = 0; k < n; k++) { tile[l] = i + k; "
  "threadgroup_barrier(mem_flags::mem_threadgroup); sum += tile[63 - l];\n"
  "    threadgroup_barrier(mem_flags::mem_threadgroup); }\n  x[i] = sum; }\n";
enum { THREADS = 4 };
static void *run_shared(void *wrong) {
  unsigned x[512], n = 5;
  metal_module *m = metal_module_new(shared_source, 310, 0, NULL, 0);
  metal_dispatch d = dispatch_of(m, "f", 8, 64);
  set_buffer(&d, 0, x, sizeof x); set_buffer(&d, 1, &n, sizeof n);
  d.threads = 2;
  for (int round = 0; round < 20; round++) {
    char words[100];
    memset(x, 0, sizeof x);
    if (!m || metal_run(&d, words, sizeof words)) { ++*(int *)wrong; continue; }
    for (unsigned i = 0; i < 512; i++) *(int *)wrong += x[i] != 5 * (i / 64 * 64 + 63 - i % 64) + 10;
  }
  return NULL;
}
static void test_threads(void) {
  for (int mode = METAL_CHECKED; mode <= METAL_FAST; mode++) {
    pthread_t thread[THREADS];
    int wrong[THREADS] = {0}, before, after, found;
    metal_kernel_mode(mode);
    metal_kernel_counts(&before, &found);
    for (int i = 0; i < THREADS; i++) pthread_create(&thread[i], NULL, run_shared, &wrong[i]);
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    for (int i = 0; i < THREADS; i++) CHECK_EQ(wrong[i], 0);
    metal_kernel_counts(&after, &found);
    CHECK_EQ(after, before + 1);           // one compiled it, the others found it
  }
  metal_kernel_mode(METAL_CHECKED);
}

// fast_math: what it may assume is the module's own.
static void test_fast_math(void) {
  const char *source = BEGIN "kernel void f(device float *x) { x[1] = x[0] != x[0] ? 1.0f : 0.0f; }";
  metal_module *safe = module_of(source, 310), *fast = metal_module_new(source, 310, 1, said, sizeof said);
  float x[2] = {NAN, 5};
  metal_dispatch d = dispatch_of(safe, "f", 1, 1);
  set_buffer(&d, 0, x, sizeof x);
  CHECK(safe && fast && safe != fast);
  if (runs(&d)) CHECK(x[1] == 1);
}

// How long a barrier takes, and a checked access: said, not judged.
static void test_speed(void) {
  for (int mode = METAL_CHECKED; mode <= METAL_FAST; mode++) {
    static unsigned x[64 * 16], n = 500;
    struct timespec a, b;
    metal_kernel_mode(mode);
    metal_module *m = module_of(shared_source, 310);
    metal_dispatch d = dispatch_of(m, "f", 16, 64);
    set_buffer(&d, 0, x, sizeof x); set_buffer(&d, 1, &n, sizeof n);
    clock_gettime(CLOCK_MONOTONIC, &a);
    if (!m || !runs(&d)) continue;
    clock_gettime(CLOCK_MONOTONIC, &b);
    const double s = (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
    printf("test_metal_kernel: %s: %.0f ns a thread and barrier, with one access each\n", mode == METAL_FAST ? "fast"
           : "checked",
           1e9 * s / (16.0 * 64 * 2 * n));
  }
  metal_kernel_mode(METAL_CHECKED);
}

int main(void) {
  if (!metal_kernel_compiler()) {
    printf("test_metal_kernel: kernels are left out, there is no clang++ with halves (16 and newer)\n");
    test_hostile();
    return test_report();
  }
  test_numbers();
  test_values();
  test_memory();
  test_exchanges();
  test_matrices();
  test_atomics();
  test_arguments();
  test_mistakes();
  test_spaces();
  test_textures();
  test_dispatches();
  test_refused();
  test_hostile();
  test_threads();
  test_fast_math();
  test_speed();
  return test_report();
}
