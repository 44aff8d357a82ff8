// test_amd_foreign: OpenCL C that clang compiles for gfx1100, gfx1201 and gfx942, executed by the emulator of AMD GPUs,
// beside what the same lines say in C. The emulator is as strict on a stranger's code as on ours; undefined registers
// may be copied. brief: asan
#include "amd_test.h"

enum { WORDS = 16384 };    // of each array: o, a, b, c
static uint32_t *array(int k) { return (uint32_t *)(void *)amd_space.m.data + k * WORDS; }
#define O array(0)
#define A array(1)
#define B array(2)
#define C array(3)
static float f32(uint32_t b) {
  float x;
  memcpy(&x, &b, 4);
  return x;
}
static uint32_t b32(float x) {
  uint32_t b;
  memcpy(&b, &x, 4);
  return b;
}
static double f64_at(const uint32_t *p, int i) {
  double x;
  memcpy(&x, p + 2 * i, 8);
  return x;
}
static uint64_t u64_at(const uint32_t *p, int i) {
  uint64_t x;
  memcpy(&x, p + 2 * i, 8);
  return x;
}
static uint16_t u16_at(const uint32_t *p, int i) {
  uint16_t x;
  memcpy(&x, (const char *)p + 2 * i, 2);
  return x;
}
// A half by its definition, and the nearest half by bisection, ties to even.
static double of_half(uint32_t h) {
  const int e = h >> 10 & 31, m = h & 1023;
  const double x = e == 31 ? (m ? (double)NAN : (double)INFINITY) : e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);
  return h & 0x8000 ? -x : x;
}
static uint32_t to_half(double x) {
  const uint32_t sign = signbit(x) ? 0x8000 : 0;
  uint32_t lo = 0, hi = 0x7C00;
  x = fabs(x);
  if (x != x) return 0x7E00 | sign;
  if (x >= 65520) return 0x7C00 | sign;
  while (hi - lo > 1) {
    const uint32_t mid = (lo + hi) / 2;
    if (of_half(mid) <= x) lo = mid;
    else hi = mid;
  }
  const double below = x - of_half(lo), above = (hi == 0x7C00 ? 65536 : of_half(hi)) - x;
  return sign | (below < above || (below == above && !(lo & 1)) ? lo : hi);
}
static uint32_t seed = 1;
static uint32_t rnd(void) {
  seed ^= seed << 13;
  seed ^= seed >> 17;
  return seed ^= seed << 5;
}
static float some_float(void) { return (float)((int)(rnd() % 20001) - 10000) / 64; }

static void floats(uint32_t *p) {
  for (int i = 0; i < WORDS; i++) p[i] = b32(some_float());
}
static void integers(uint32_t *p) {
  for (int i = 0; i < WORDS; i++) p[i] = rnd() >> rnd() % 31;
}
static void halves(uint32_t *p) {
  for (int i = 0; i < WORDS; i++) p[i] = to_half((double)some_float()) | to_half((double)some_float() / 16) << 16;
}

// A kernel k(o, a, b, c, n): what fills a, b, c; what o has to be: 0: wrong at element i. threads: of a group.
typedef struct foreign {
  const char *name, *source;
  void (*fill)(uint32_t *);
  int (*right)(int i);
  int items, threads, checked, chips;    // checked: elements that right looks at
} foreign;
enum { G11 = 1, G12 = 2, G9 = 4, ALL = 7, EVERY = 15 };    // EVERY: and gfx1100 in waves of 64 lanes

// ** arithmetic **

static int add_right(int i) { return O[i] == b32(f32(A[i]) + f32(B[i])); }
static int divide_right(int i) {
  const float want = f32(A[i]) / f32(B[i]);
  return O[i] == b32(want) || (want != want && f32(O[i]) != f32(O[i]));
}
static void any_floats(uint32_t *p) {
  for (int i = 0; i < WORDS; i++) {
    p[i] = rnd();
    if (i % 5 == 1) p[i] &= 0x807FFFFF;
    if (i % 5 == 2) p[i] = (p[i] & 0x80000000) | ((const uint32_t[]){0, 0x7F800000, 0x7FC00000, 1})[rnd() % 4];
    if (i % 5 == 3) p[i] = (p[i] & 0xBFFFFFFF) | 0x3E000000;
  }
}
static int sqrt_right(int i) {
  const float want = sqrtf(f32(A[i]));
  return O[i] == b32(want) || (want != want && f32(O[i]) != f32(O[i]));
}
static void any_doubles(uint32_t *p) {
  for (int i = 0; i < WORDS; i += 2) {
    p[i] = rnd();
    p[i + 1] = rnd();
    if (i % 10 == 2) p[i + 1] &= 0x800FFFFF;
    if (i % 10 == 4) p[i + 1] = (p[i + 1] & 0xBFFFFFFF) | 0x3E000000;
  }
}
static int same64(double got, double want) { return !memcmp(&got, &want, 8) || (got != got && want != want); }
static int divide64_right(int i) { return same64(f64_at(O, i), f64_at(A, i) / f64_at(B, i)); }
static int fma64_right(int i) {
  return same64(f64_at(O, i), sqrt(fabs(fma(f64_at(A, i), f64_at(B, i), f64_at(C, i)))));
}
static int fma32_right(int i) {
  const float want = fmaf(f32(A[i]), f32(B[i]), f32(C[i]));
  return O[i] == b32(want) || (want != want && f32(O[i]) != f32(O[i]));
}
static int quotient_right(int i) {
  const int32_t a = (int32_t)A[i], b = (int32_t)(B[i] | 1);
  if (a == INT32_MIN) return 1;
  return O[i] == (uint32_t)(a / b) * 3 + (uint32_t)(a % b) + A[i] / (B[i] | 1) * 5 + A[i] % (B[i] | 1);
}
static int quotient64_right(int i) {
  return u64_at(O, i) == u64_at(A, i) / (u64_at(B, i) >> 20 | 1) + u64_at(A, i) % (u64_at(B, i) >> 20 | 1);
}
static int multiply64_right(int i) {
  const uint64_t a = u64_at(A, i), b = u64_at(B, i);
  return u64_at(O, i) == a * b + (a >> (b & 63)) + (b << (a & 63)) + (uint64_t)((int64_t)a >> (b & 31)) + (a < b);
}
static int bits_right(int i) {
  uint32_t x = A[i], n = 0, ones = 0, rev = 0;
  for (int k = 0; k < 32; k++) {
    ones += x >> k & 1;
    rev |= (x >> k & 1) << (31 - k);
  }
  while (n < 32 && !(x >> (31 - n) & 1)) n++;
  const uint32_t rot = B[i] << 7 | B[i] >> 25;
  return O[i] == ones + n * 100 + (rev ^ rot) + (A[i] >> 3 & 0x1FF) + ((A[i] & B[i]) | (~A[i] & C[i]));
}
static int median_right(int i) {
  const int32_t a = (int32_t)A[i], b = (int32_t)B[i], c = (int32_t)C[i];
  const int32_t least = a < b ? a : b, most = a < b ? b : a,
                mid = least > (most < c ? most : c) ? least : (most < c ? most : c);
  const uint32_t u = (A[i] > B[i] ? A[i] : B[i]);
  return O[i] == (uint32_t)mid + (u < C[i] ? u : C[i]);
}
static int special_right(int i) {
  const double x = (double)f32(A[i]) / 16, y = fabs((double)f32(B[i])) + 0.01;
  const double want = exp2(x / 8) + log2(y) + 1 / y + 1 / sqrt(y) + sin(x);
  return fabs((double)f32(O[i]) - want) <= 4e-5 * (fabs(exp2(x / 8)) + 1 / y + 12);
}
static int convert_right(int i) {
  const float x = f32(A[i]) * 1000;
  const int32_t s = (int32_t)x;
  const uint32_t u = x > 0 ? (uint32_t)x : 0;
  return O[i] == (uint32_t)s + u * 3 + b32((float)(int32_t)B[i] + (float)B[i]) + (uint32_t)(int32_t)floorf(x) +
                     (uint32_t)(int32_t)rintf(x);
}

// ** narrow numbers **

static int half_right(int i) {
  const double a = of_half(u16_at(A, i)), b = of_half(u16_at(B, i)), c = of_half(u16_at(C, i));
  const double r = of_half(to_half(fma(a, b, c))), s = of_half(to_half(a + b)), m = of_half(to_half(s * c));
  return u16_at(O, i) == to_half(fmin(r, m));
}
static int half2_right(int i) { return half_right(i); }
static int to_half_right(int i) {
  const uint32_t want = to_half((double)f32(A[i]));
  return u16_at(O, i) == want || ((want & 0x7FFF) > 0x7C00 && (u16_at(O, i) & 0x7FFF) > 0x7C00);
}
static int bf16_right(int i) {
  const uint32_t a = A[i], sum = b32(f32(a & 0xFFFF0000) + f32(a << 16));
  return O[i] == (sum + 0x7FFF + (sum >> 16 & 1)) >> 16;
}
static int bytes_right(int i) {
  const uint8_t a = ((const uint8_t *)A)[i];
  const int8_t b = ((const int8_t *)B)[i];
  const int16_t c = (int16_t)u16_at(C, i);
  return ((const uint8_t *)O)[i] == (uint8_t)(a * 3 + b + c / 7);
}
static int dots_right(int i) {
  uint32_t u = C[i];
  for (int k = 0; k < 32; k += 8) u += (A[i] >> k & 255) * (B[i] >> k & 255);
  return O[i] == u;
}
static int dots_half_right(int i) {
  const double sum =
      of_half(A[i] & 0xFFFF) * of_half(B[i] & 0xFFFF) + of_half(A[i] >> 16) * of_half(B[i] >> 16) + (double)f32(C[i]);
  return fabs((double)f32(O[i]) - sum) <= 1e-4 * (fabs(sum) + 1);
}

// ** memory and groups **

static int reduce_right(int i) {
  double sum = 0;
  for (int k = 0; k < 256; k++) sum += (double)f32(A[256 * i + k]);
  return fabs((double)f32(O[i]) - sum) <= 1e-5 * (fabs(sum) + 1000);
}
static int transpose_right(int i) { return O[i] == A[i % 32 * 32 + i / 32]; }
static int collatz_right(int i) {
  uint32_t x = (A[i] & 0xFFFF) + 1, n = 0;
  while (x != 1 && n < 60) {
    x = x & 1 ? 3 * x + 1 : x / 2;
    n++;
  }
  return O[i] == n;
}
static int scratch_right(int i) {
  uint32_t t[16], x = A[i];
  for (int k = 0; k < 16; k++) t[k] = x = x * 1664525 + 1013904223;
  return O[i] == t[B[i] & 15] + t[C[i] & 15];
}
static int call_right(int i) {
  uint32_t r = 0;
  for (uint32_t k = 0; k < (A[i] & 7); k++) r = r * 31 + (B[i] ^ k);
  return O[i] == r;
}
static int histogram_right(int i) {
  uint32_t n = 0;
  for (int k = 0; k < 1024; k++) n += (A[k] & 63) == (uint32_t)i;
  return i >= 64 || O[i] == n;
}
static int atomics_right(int i) {
  (void)i;
  uint32_t sum = 0, least = ~0u, ors = 0, x = 0;
  double f = 0;
  for (int k = 0; k < 256; k++) {
    sum += A[k];
    ors |= A[k];
    x ^= A[k];
    if (A[k] < least) least = A[k];
    f += A[k] & 7;
  }
  return O[0] == sum && O[1] == ~least && O[2] == ors && O[3] == x && (double)f32(O[4]) == f && O[5] == 256;
}
static int flat_right(int i) { return O[i] == (i & 1 ? A[i] : B[i ^ 2]) + 1; }

// A grid of 12 x 10 x 5 in groups of 8 x 4 x 2: the last groups are partial.
static int grid_right(int i) {
  const int x = i % 12, y = i / 12 % 10, z = i / 120;
  return O[i] == (uint32_t)(x * 10000 + y * 100 + z);
}

// ** lanes **

static int chip_now, lanes_now;
static int permute_right(int i) {
  const int n = lanes_now, base = i & ~(n - 1), l = i & (n - 1);
  uint32_t ballot = 0;
  for (int k = 0; k < 32; k++) ballot |= (A[base + k] & 1) << k;
  return O[i] == A[base + (l * 7 + 3) % n] + A[base + (l ^ 1)] + ballot + A[base + 5] + (uint32_t)l;
}
static int dpp_right(int i) {
  double sum = 0;
  for (int k = 0; k < 16; k++) sum += (double)f32(A[(i & ~15) + k]);
  return fabs((double)f32(O[i]) - sum) <= 1e-2;
}
static int wave_right(int i) {
  uint32_t sum = 0;
  for (int k = 0; k < lanes_now; k++) sum += A[(i & ~(lanes_now - 1)) + k];
  return O[i] == sum;
}

// ** matrices: small whole numbers, so that every sum is exact; o row-major 16 x 16 (or 32 x 32) **

static void matrix_halves(uint32_t *p) {
  for (int i = 0; i < WORDS; i++) p[i] = to_half((int)(rnd() % 15) - 7) | to_half((int)(rnd() % 15) - 7) << 16;
}
static void matrix_bf16(uint32_t *p) {
  for (int i = 0; i < WORDS; i++)
    p[i] = b32((float)((int)(rnd() % 15) - 7)) | b32((float)((int)(rnd() % 15) - 7)) >> 16;
}
static double bf(uint32_t h) { return (double)f32(h << 16); }
// A is [i][k], B is [j][k], of 16 bits.
static int product16(int i, int n, int depth, double (*of)(uint32_t)) {
  double sum = 3;
  for (int k = 0; k < depth; k++) sum += of(u16_at(A, i / n * depth + k)) * of(u16_at(B, i % n * depth + k));
  return (double)f32(O[i]) == sum;
}
static int matrix_half_right(int i) { return product16(i, 16, 16, of_half); }
static int matrix_bf_right(int i) { return product16(i, 16, 16, bf); }
static int matrix_32_right(int i) { return product16(i, 32, 8, of_half); }
static int matrix_i8_right(int i) {
  const int depth = chip_now == 942 ? 32 : 16;
  int32_t sum = 3;
  for (int k = 0; k < depth; k++)
    sum += ((const int8_t *)A)[i / 16 * depth + k] * ((const int8_t *)B)[i % 16 * depth + k];
  return O[i] == (uint32_t)sum;
}
static int matrix_f32_right(int i) {
  float sum = 3;
  for (int k = 0; k < 4; k++) sum += f32(A[i / 16 * 4 + k]) * f32(B[i % 16 * 4 + k]);
  return fabsf(f32(O[i]) - sum) <= 1e-3f * (fabsf(sum) + 1000);
}
static int matrix_f64_right(int i) {
  double sum = 3;
  for (int k = 0; k < 4; k++) sum += f64_at(A, i / 16 * 4 + k) * f64_at(B, i % 16 * 4 + k);
  return f64_at(O, i) == sum;
}
// Bytes of fp8, whole numbers -8 .. 8: OCP e4m3 on gfx12, FNUZ on gfx942, whose bias is one more.
static double of_fp8(uint32_t code) {
  const int e = (int)(code >> 3 & 15), m = code & 7, bias = chip_now == 942 ? 8 : 7;
  const double x = e ? ldexp(8 + m, e - bias - 3) : ldexp(m, 1 - bias - 3);
  return code & 128 ? -x : x;
}
static void matrix_fp8(uint32_t *p) {
  for (int i = 0; i < 4 * WORDS; i++) {
    uint32_t code;
    do code = rnd() & 255;
    while (fabs(of_fp8(code)) > 8 || of_fp8(code) != floor(of_fp8(code)) || code == 128);
    ((uint8_t *)p)[i] = (uint8_t)code;
  }
}
static int product8(int i, int n, int depth) {
  double sum = 3;
  for (int k = 0; k < depth; k++)
    sum += of_fp8(((const uint8_t *)A)[i / n * depth + k]) * of_fp8(((const uint8_t *)B)[i % n * depth + k]);
  return (double)f32(O[i]) == sum;
}
static int matrix_fp8_right(int i) { return product8(i, 16, chip_now == 942 ? 32 : 16); }
static int matrix_fp8_32_right(int i) { return product8(i, 32, 16); }
static int matrix_i8_32_right(int i) {
  int32_t sum = 3;
  for (int k = 0; k < 16; k++) sum += ((const int8_t *)A)[i / 32 * 16 + k] * ((const int8_t *)B)[i % 32 * 16 + k];
  return O[i] == (uint32_t)sum;
}
static int matrix_i4_right(int i) {
  int32_t sum = 3;
  for (int k = 0; k < 16; k++) {
    const int a = (int)(((const uint8_t *)A)[i / 16 * 8 + k / 2] >> k % 2 * 4 & 15);
    const int b = (int)(((const uint8_t *)B)[i % 16 * 8 + k / 2] >> k % 2 * 4 & 15);
    sum += (a ^ 8) * b - 8 * b;            // a is signed
  }
  return O[i] == (uint32_t)sum;
}
static int matrix_f16_right(int i) {       // the result of 16 bits
  double sum = 3;
  for (int k = 0; k < 16; k++) sum += of_half(u16_at(A, i / 16 * 16 + k)) * of_half(u16_at(B, i % 16 * 16 + k));
  return u16_at(O, i) == to_half(sum);
}
static void whole_doubles(uint32_t *p) {
  for (int i = 0; i < WORDS; i += 2) {
    const double x = (int)(rnd() % 2001) - 1000;
    memcpy(p + i, &x, 8);
  }
}

static const char head[] =
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
    "#define T ((int)__builtin_amdgcn_workitem_id_x())\n#define I ((int)(__builtin_amdgcn_workgroup_id_x() * THREADS) "
    "+ T)\n"
    "#define BARRIER __builtin_amdgcn_fence(__ATOMIC_RELEASE, \"workgroup\"); __builtin_amdgcn_s_barrier(); "
    "__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, \"workgroup\")\n"
    "typedef unsigned char u8; typedef unsigned short u16; typedef unsigned u32; typedef unsigned long u64;\n"
    "#define K(t) __attribute__((reqd_work_group_size(THREADS, 1, 1))) kernel void k(global t *o, global const t *a, "
    "global const t *b, global const t *c, int n)\n";

static const foreign kernels[] = {
    {"add", "K(float) { int i = I; if (i < n) o[i] = a[i] + b[i]; }", floats, add_right, 250, 64, 250, EVERY},
    {"divide", "K(float) { int i = I; if (i < n) o[i] = a[i] / b[i]; }", any_floats, divide_right, 4096, 256, 4096,
     EVERY},
    {"sqrt", "K(float) { int i = I; if (i < n) o[i] = __builtin_sqrtf(a[i]); }", any_floats, sqrt_right, 4096, 64, 4096,
     ALL},
    {"divide f64", "K(double) { int i = I; if (i < n) o[i] = a[i] / b[i]; }", any_doubles, divide64_right, 4096, 64,
     4096, EVERY},
    {"fma f64",
     "K(double) { int i = I; if (i < n) o[i] = __builtin_sqrt(__builtin_fabs(__builtin_fma(a[i], b[i], c[i]))); }",
     any_doubles, fma64_right, 4096, 64, 4096, ALL},
    {"fma f32", "K(float) { int i = I; if (i < n) o[i] = __builtin_fmaf(a[i], b[i], c[i]); }", any_floats, fma32_right,
     4096, 64, 4096, ALL},
    {"quotients",
     "K(int) { int i = I; u32 x = a[i], y = b[i] | 1; if (i < n) o[i] = (u32)(a[i] / (int)y) * 3 + (u32)(a[i] % "
     "(int)y) + x / y * 5 + x % y; }",
     integers, quotient_right, 4000, 64, 4000, EVERY},
    {"quotients of 64 bits", "K(u64) { int i = I; u64 y = b[i] >> 20 | 1; if (i < n) o[i] = a[i] / y + a[i] % y; }",
     integers, quotient64_right, 1000, 64, 1000, ALL},
    {"products of 64 bits",
     "K(u64) { int i = I; u64 x = a[i], y = b[i]; if (i < n) o[i] = x * y + (x >> (y & 63)) + (y << (x & 63)) + "
     "(u64)((long)x >> (y & 31)) + (x < y); }",
     integers, multiply64_right, 4000, 64, 4000, ALL},
    {"bits",
     "K(u32) { int i = I; u32 x = a[i]; if (i < n) o[i] = __builtin_popcount(x) + (x ? __builtin_clz(x) : 32) * 100 + "
     "(__builtin_bitreverse32(x) ^ (b[i] << 7 | b[i] >> 25)) + (x >> 3 & 0x1ff) + ((x & b[i]) | (~x & c[i])); }",
     integers, bits_right, 4000, 64, 4000, EVERY},
    {"median",
     "static int lo(int x, int y) { return x < y ? x : y; } static int hi(int x, int y) { return x < y ? y : x; }"
     "K(int) { int i = I; u32 x = a[i], y = b[i], z = c[i]; u32 u = x > y ? x : y; if (i < n) o[i] = hi(lo(a[i], "
     "b[i]), "
     "lo(hi(a[i], b[i]), c[i])) + (int)(u < z ? u : z); }",
     integers, median_right, 4000, 64, 4000, ALL},
    {"special functions",
     "K(float) { int i = I; float x = a[i] / 16, y = __builtin_fabsf(b[i]) + 0.01f; float turn = x * 0.15915494f;"
     "if (i < n) o[i] = __builtin_amdgcn_exp2f(x / 8) + __builtin_amdgcn_logf(y) + __builtin_amdgcn_rcpf(y) + "
     "__builtin_amdgcn_rsqf(y) + __builtin_amdgcn_sinf(turn); }",
     floats, special_right, 4000, 64, 4000, ALL},
    {"conversions",
     "K(float) { int i = I; float x = a[i] * 1000; int q = __builtin_bit_cast(int, b[i]); u32 w = q; "
     "float y = (float)q + (float)w; if (i < n) o[i] = __builtin_bit_cast(float, (u32)((int)x + (x > 0 ? (u32)x : 0) * "
     "3 + "
     "__builtin_bit_cast(u32, y) + (u32)(int)__builtin_floorf(x) + (u32)(int)__builtin_rintf(x))); }",
     floats, convert_right, 4000, 64, 4000, ALL},
    {"half",
     "K(half) { int i = I; half r = __builtin_fmaf16(a[i], b[i], c[i]), m = (half)(a[i] + b[i]) * c[i]; "
     "if (i < n) o[i] = __builtin_fminf16(r, m); }",
     halves, half_right, 4000, 64, 4000, ALL},
    {"half2",
     "typedef half h2 __attribute__((ext_vector_type(2))); K(h2) { int i = I; h2 r = __builtin_elementwise_fma(a[i], "
     "b[i], c[i]), "
     "m = (a[i] + b[i]) * c[i]; if (i < n / 2) o[i] = __builtin_elementwise_min(r, m); }",
     halves, half2_right, 4000, 64, 4000, EVERY},
    {"to half", "K(float) { int i = I; if (i < n) ((global half *)o)[i] = (half)a[i]; }", any_floats, to_half_right,
     4000, 64, 4000, ALL},
    {"bf16",
     "K(u32) { int i = I; u32 x = a[i]; u32 s = __builtin_bit_cast(u32, __builtin_bit_cast(float, x & 0xffff0000) + "
     "__builtin_bit_cast(float, x << 16)); if (i < n) o[i] = (s + 0x7fff + (s >> 16 & 1)) >> 16; }",
     matrix_bf16, bf16_right, 4000, 64, 4000, ALL},
    {"bytes",
     "K(void) { int i = I; if (i < n) ((global u8 *)o)[i] = ((global u8 *)a)[i] * 3 + ((global char *)b)[i] + "
     "((global short *)c)[i] / 7; }",
     integers, bytes_right, 8000, 64, 8000, ALL},
    {"dots of bytes", "K(u32) { int i = I; if (i < n) o[i] = DOT; }", integers, dots_right, 4000, 64, 4000, ALL},
    {"dots of halves",
     "typedef half h2 __attribute__((ext_vector_type(2))); K(float) { int i = I; if (i < n) o[i] = "
     "__builtin_amdgcn_fdot2(((global h2 *)a)[i], ((global h2 *)b)[i], c[i], 0); }",
     matrix_halves, dots_half_right, 4000, 64, 4000, ALL},
    {"reduction in LDS",
     "K(float) { local float l[THREADS]; int t = T; l[t] = a[I]; for (int s = THREADS / 2; s; s >>= 1) { BARRIER; "
     "if (t < s) l[t] += l[t + s]; } if (!t) o[I / THREADS] = l[0]; }",
     floats, reduce_right, 4096, 256, 16, EVERY},
    {"transpose in LDS",
     "K(u32) { local u32 l[32][33]; int t = T; for (int y = t / 32; y < 32; y += 8) l[y][t % 32] = a[y * 32 + t % 32]; "
     "BARRIER; for (int y = t / 32; y < 32; y += 8) o[y * 32 + t % 32] = l[t % 32][y]; }",
     integers, transpose_right, 256, 256, 1024, EVERY},
    {"divergent loop",
     "K(u32) { int i = I; u32 x = (a[i] & 0xffff) + 1, m = 0; while (x != 1 && m < 60) { if (x & 1) x = 3 * x + 1; "
     "else x /= 2; m++; } if (i < n) o[i] = m; }",
     integers, collatz_right, 4000, 128, 4000, EVERY},
    {"scratch",
     "K(u32) { u32 t[16]; int i = I; u32 x = a[i]; for (int k = 0; k < 16; k++) t[k] = x = x * 1664525 + 1013904223; "
     "if (i < n) o[i] = t[b[i] & 15] + t[c[i] & 15]; }",
     integers, scratch_right, 4000, 64, 4000, EVERY},
    {"calls",
     "__attribute__((noinline)) u32 f(u32 x, u32 k) { return x ^ k; } K(u32) { int i = I; u32 r = 0; for (u32 k = 0; k "
     "< (a[i] & 7); k++) "
     "r = r * 31 + f(b[i], k); if (i < n) o[i] = r; }",
     integers, call_right, 1000, 64, 1000, EVERY},
    {"histogram in LDS",
     "K(u32) { local u32 l[64]; int t = T; if (t < 64) l[t] = 0; BARRIER; for (int i = t; i < 1024; i += THREADS) "
     "__opencl_atomic_fetch_add((local atomic_uint *)&l[a[i] & 63], 1, memory_order_relaxed, memory_scope_work_group); "
     "BARRIER; if (t < 64) o[t] = l[t]; }",
     integers, histogram_right, 256, 256, 64, EVERY},
    {"atomics",
     "K(u32) { int i = I; global atomic_uint *p = (global atomic_uint *)o; u32 x = a[i]; "
     "__opencl_atomic_fetch_add(p, x, memory_order_relaxed, memory_scope_device); __opencl_atomic_fetch_max(p + 1, ~x, "
     "memory_order_relaxed, memory_scope_device); "
     "__opencl_atomic_fetch_or(p + 2, x, memory_order_relaxed, memory_scope_device); __opencl_atomic_fetch_xor(p + 3, "
     "x, memory_order_relaxed, memory_scope_device); "
     "u32 old = __opencl_atomic_load(p + 4, memory_order_relaxed, memory_scope_device), now; do now = "
     "__builtin_bit_cast(u32, "
     "__builtin_bit_cast(float, old) + (float)(x & 7)); while (!__opencl_atomic_compare_exchange_strong(p + 4, &old, "
     "now, memory_order_relaxed, "
     "memory_order_relaxed, memory_scope_device)); __opencl_atomic_fetch_add(p + 5, 1, memory_order_seq_cst, "
     "memory_scope_device); }",
     integers, atomics_right, 256, 64, 1, EVERY},
    {"flat addresses",
     "K(u32) { local u32 l[THREADS]; int t = T, i = I; l[t] = b[i]; BARRIER; const u32 *p = t & 1 ? (const u32 *)(a + "
     "i) : "
     "(const u32 *)&l[t ^ 2]; o[i] = *p + 1; }",
     integers, flat_right, 256, 64, 256, EVERY},
    {"partial groups in three dimensions",
     "__attribute__((reqd_work_group_size(8, 4, 2))) kernel void k(global u32 *o, global u32 *a, global u32 *b, global "
     "u32 *c, int n) { "
     "int x = __builtin_amdgcn_workgroup_id_x() * 8 + __builtin_amdgcn_workitem_id_x(), y = "
     "__builtin_amdgcn_workgroup_id_y() * 4 + "
     "__builtin_amdgcn_workitem_id_y(), z = __builtin_amdgcn_workgroup_id_z() * 2 + __builtin_amdgcn_workitem_id_z(); "
     "o[(z * 10 + y) * 12 + x] = x * 10000 + y * 100 + z; }",
     integers, grid_right, 600, 64, 600, EVERY},
    {"permutations",
     "K(u32) { int i = I, w = LANES, l = T & (w - 1); int x = a[i]; int d = (i & 1) == 7 ? 0 : x; o[i] = "
     "__builtin_amdgcn_ds_bpermute((l * 7 + 3) % w * 4, x) + __builtin_amdgcn_mov_dpp(d, 0xb1, 15, 15, 1) + "
     "(u32)BALLOT(x & 1) + "
     "__builtin_amdgcn_readlane(x, 5) + __builtin_amdgcn_mbcnt_hi(w == 64 ? -1 : 0, __builtin_amdgcn_mbcnt_lo(-1, 0)); "
     "}",
     integers, permute_right, 512, 64, 512, ALL},
    {"sum of rows",
     "static float add(float x, float y) { return x + y; } K(float) { int i = I; float x = a[i]; "
     "x += __builtin_bit_cast(float, __builtin_amdgcn_mov_dpp(__builtin_bit_cast(int, x), 0x121, 15, 15, 1)); "
     "x += __builtin_bit_cast(float, __builtin_amdgcn_mov_dpp(__builtin_bit_cast(int, x), 0x122, 15, 15, 1)); "
     "x += __builtin_bit_cast(float, __builtin_amdgcn_mov_dpp(__builtin_bit_cast(int, x), 0x124, 15, 15, 1)); "
     "x += __builtin_bit_cast(float, __builtin_amdgcn_mov_dpp(__builtin_bit_cast(int, x), 0x128, 15, 15, 1)); o[i] = "
     "x; }",
     floats, dpp_right, 512, 64, 512, EVERY},
    {"sum of a wave",
     "K(u32) { int i = I, x = a[i]; for (int s = 1; s < LANES; s *= 2) x += __builtin_amdgcn_ds_bpermute(((T ^ s) & "
     "(LANES - 1)) * 4, x); "
     "o[i] = x; }",
     integers, wave_right, 512, 64, 512, ALL},
    {"sum of a wave by swizzles",
     "K(u32) { int i = I, x = a[i]; x += __builtin_amdgcn_ds_swizzle(x, 0x041f); x += __builtin_amdgcn_ds_swizzle(x, "
     "0x081f); "
     "x += __builtin_amdgcn_ds_swizzle(x, 0x101f); x += __builtin_amdgcn_ds_swizzle(x, 0x201f); x += "
     "__builtin_amdgcn_ds_swizzle(x, 0x401f); "
     "if (LANES == 64) x += __builtin_amdgcn_ds_bpermute(((T ^ 32) & 63) * 4, x); o[i] = x; }",
     integers, wave_right, 512, 64, 512, ALL},
    {"sum of a wave by permlanex16",
     "K(u32) { int i = I, x = a[i]; x += __builtin_amdgcn_mov_dpp(x, 0x161, 15, 15, 1); "
     "x += __builtin_amdgcn_mov_dpp(x, 0x162, 15, 15, 1); x += __builtin_amdgcn_mov_dpp(x, 0x164, 15, 15, 1); x += "
     "__builtin_amdgcn_mov_dpp(x, 0x168, 15, 15, 1); "
     "x += __builtin_amdgcn_permlanex16(x, x, 0x76543210, 0xfedcba98, 0, 0); o[i] = x; }",
     integers, wave_right, 512, 64, 512, G11 | G12},
    {"WMMA f16",
     "typedef half h16 __attribute__((ext_vector_type(16))); typedef float f8 __attribute__((ext_vector_type(8))); "
     "K(float) { "
     "int l = T & 31; h16 x = ((global h16 *)a)[l % 16], y = ((global h16 *)b)[l % 16]; f8 d = "
     "__builtin_amdgcn_wmma_f32_16x16x16_f16_w32(x, y, (f8)3.0f); "
     "for (int r = 0; r < 8; r++) o[(2 * r + l / 16) * 16 + l % 16] = d[r]; }",
     matrix_halves, matrix_half_right, 32, 32, 256, G11},
    {"WMMA bf16",
     "typedef short s16 __attribute__((ext_vector_type(16))); typedef float f8 __attribute__((ext_vector_type(8))); "
     "K(float) { "
     "int l = T & 31; s16 x = ((global s16 *)a)[l % 16], y = ((global s16 *)b)[l % 16]; f8 d = "
     "__builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(x, y, (f8)3.0f); "
     "for (int r = 0; r < 8; r++) o[(2 * r + l / 16) * 16 + l % 16] = d[r]; }",
     matrix_bf16, matrix_bf_right, 32, 32, 256, G11},
    {"WMMA iu8",
     "typedef int i4 __attribute__((ext_vector_type(4))); typedef int i8 __attribute__((ext_vector_type(8))); K(int) { "
     "int l = T & 31; i4 x = ((global i4 *)a)[l % 16], y = ((global i4 *)b)[l % 16]; i8 d = "
     "__builtin_amdgcn_wmma_i32_16x16x16_iu8_w32(1, x, 1, y, (i8)3, 0); "
     "for (int r = 0; r < 8; r++) o[(2 * r + l / 16) * 16 + l % 16] = d[r]; }",
     integers, matrix_i8_right, 32, 32, 256, G11},
    {"WMMA f16",
     "typedef half h8 __attribute__((ext_vector_type(8))); typedef half h4 __attribute__((ext_vector_type(4))); "
     "typedef float f8 __attribute__((ext_vector_type(8))); K(float) { int l = T & 31, r = l % 16, h = l / 16; global "
     "h4 *p = (global h4 *)a + r * 4 + h, "
     "*q = (global h4 *)b + r * 4 + h; h8 x = (h8)(p[0], p[2]), y = (h8)(q[0], q[2]); f8 d = "
     "__builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(x, y, (f8)3.0f); "
     "for (int k = 0; k < 8; k++) o[(8 * h + k) * 16 + r] = d[k]; }",
     matrix_halves, matrix_half_right, 32, 32, 256, G12},
    {"WMMA bf16",
     "typedef short h8 __attribute__((ext_vector_type(8))); "
     "typedef float f8 __attribute__((ext_vector_type(8))); K(float) { int l = T & 31, r = l % 16, h = l / 16; h8 x = "
     "((global h8 *)a)[r * 2 + h], "
     "y = ((global h8 *)b)[r * 2 + h]; f8 d = __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32_gfx12(x, y, (f8)3.0f); "
     "for (int k = 0; k < 8; k++) o[(8 * h + k) * 16 + r] = d[k]; }",
     matrix_bf16, matrix_bf_right, 32, 32, 256, G12},
    {"WMMA iu8",
     "typedef int i2 __attribute__((ext_vector_type(2))); typedef int i8 __attribute__((ext_vector_type(8))); K(int) { "
     "int l = T & 31, r = l % 16, h = l / 16; i2 x = ((global i2 *)a)[r * 2 + h], y = ((global i2 *)b)[r * 2 + h]; "
     "i8 d = __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32_gfx12(1, x, 1, y, (i8)3, 0); for (int k = 0; k < 8; k++) o[(8 "
     "* h + k) * 16 + r] = d[k]; }",
     integers, matrix_i8_right, 32, 32, 256, G12},
    {"MFMA f16",
     "typedef half h4 __attribute__((ext_vector_type(4))); typedef float f4 __attribute__((ext_vector_type(4))); "
     "K(float) { "
     "int l = T & 63; h4 x = ((global h4 *)a)[l % 16 * 4 + l / 16], y = ((global h4 *)b)[l % 16 * 4 + l / 16]; "
     "f4 d = __builtin_amdgcn_mfma_f32_16x16x16f16(x, y, (f4)3.0f, 0, 0, 0); for (int r = 0; r < 4; r++) o[(4 * (l / "
     "16) + r) * 16 + l % 16] = d[r]; }",
     matrix_halves, matrix_half_right, 64, 64, 256, G9},
    {"MFMA bf16",
     "typedef short h4 __attribute__((ext_vector_type(4))); typedef float f4 __attribute__((ext_vector_type(4))); "
     "K(float) { "
     "int l = T & 63; h4 x = ((global h4 *)a)[l % 16 * 4 + l / 16], y = ((global h4 *)b)[l % 16 * 4 + l / 16]; "
     "f4 d = __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(x, y, (f4)3.0f, 0, 0, 0); for (int r = 0; r < 4; r++) o[(4 * (l "
     "/ 16) + r) * 16 + l % 16] = d[r]; }",
     matrix_bf16, matrix_bf_right, 64, 64, 256, G9},
    {"MFMA f16 of 32",
     "typedef half h4 __attribute__((ext_vector_type(4))); typedef float f16 __attribute__((ext_vector_type(16))); "
     "K(float) { "
     "int l = T & 63; h4 x = ((global h4 *)a)[l % 32 * 2 + l / 32], y = ((global h4 *)b)[l % 32 * 2 + l / 32]; "
     "f16 d = __builtin_amdgcn_mfma_f32_32x32x8f16(x, y, (f16)3.0f, 0, 0, 0); for (int r = 0; r < 16; r++) "
     "o[(8 * (r / 4) + 4 * (l / 32) + r % 4) * 32 + l % 32] = d[r]; }",
     matrix_halves, matrix_32_right, 64, 64, 1024, G9},
    {"MFMA i8",
     "typedef int i4 __attribute__((ext_vector_type(4))); K(int) { int l = T & 63; long x = ((global long *)a)[l % 16 "
     "* 4 + l / 16], "
     "y = ((global long *)b)[l % 16 * 4 + l / 16]; i4 d = __builtin_amdgcn_mfma_i32_16x16x32_i8(x, y, (i4)3, 0, 0, 0); "
     "for (int r = 0; r < 4; r++) o[(4 * (l / 16) + r) * 16 + l % 16] = d[r]; }",
     integers, matrix_i8_right, 64, 64, 256, G9},
    {"MFMA f32",
     "typedef float f4 __attribute__((ext_vector_type(4))); K(float) { int l = T & 63; float x = a[l % 16 * 4 + l / "
     "16], "
     "y = b[l % 16 * 4 + l / 16]; f4 d = __builtin_amdgcn_mfma_f32_16x16x4f32(x, y, (f4)3.0f, 0, 0, 0); "
     "for (int r = 0; r < 4; r++) o[(4 * (l / 16) + r) * 16 + l % 16] = d[r]; }",
     floats, matrix_f32_right, 64, 64, 256, G9},
    {"WMMA of f16 sums",
     "typedef half h16 __attribute__((ext_vector_type(16))); K(half) { int l = T & 31; h16 x = ((global h16 *)a)[l % "
     "16], y = ((global h16 *)b)[l % 16]; "
     "h16 d = __builtin_amdgcn_wmma_f16_16x16x16_f16_w32(x, y, (h16)3, 0); for (int r = 0; r < 8; r++) o[(2 * r + l / "
     "16) * 16 + l % 16] = d[2 * r]; }",
     matrix_halves, matrix_f16_right, 32, 32, 256, G11},
    {"WMMA iu4",
     "typedef int i2 __attribute__((ext_vector_type(2))); typedef int i8 __attribute__((ext_vector_type(8))); K(int) { "
     "int l = T & 31; i2 x = ((global i2 *)a)[l % 16], y = ((global i2 *)b)[l % 16]; i8 d = "
     "__builtin_amdgcn_wmma_i32_16x16x16_iu4_w32(1, x, 0, y, (i8)3, 0); "
     "for (int r = 0; r < 8; r++) o[(2 * r + l / 16) * 16 + l % 16] = d[r]; }",
     integers, matrix_i4_right, 32, 32, 256, G11},
    {"WMMA fp8",
     "typedef int i2 __attribute__((ext_vector_type(2))); typedef float f8 __attribute__((ext_vector_type(8))); "
     "K(float) { "
     "int l = T & 31, r = l % 16, h = l / 16; i2 x = ((global i2 *)a)[r * 2 + h], y = ((global i2 *)b)[r * 2 + h]; "
     "f8 d = __builtin_amdgcn_wmma_f32_16x16x16_fp8_fp8_w32_gfx12(x, y, (f8)3.0f); for (int k = 0; k < 8; k++) o[(8 * "
     "h + k) * 16 + r] = d[k]; }",
     matrix_fp8, matrix_fp8_right, 32, 32, 256, G12},
    {"MFMA fp8",
     "typedef float f4 __attribute__((ext_vector_type(4))); K(float) { int l = T & 63; long x = ((global long *)a)[l % "
     "16 * 4 + l / 16], "
     "y = ((global long *)b)[l % 16 * 4 + l / 16]; f4 d = __builtin_amdgcn_mfma_f32_16x16x32_fp8_fp8(x, y, (f4)3.0f, "
     "0, 0, 0); "
     "for (int r = 0; r < 4; r++) o[(4 * (l / 16) + r) * 16 + l % 16] = d[r]; }",
     matrix_fp8, matrix_fp8_right, 64, 64, 256, G9},
    {"MFMA fp8 of 32",
     "typedef float f16 __attribute__((ext_vector_type(16))); K(float) { int l = T & 63; long x = ((global long *)a)[l "
     "% 32 * 2 + l / 32], "
     "y = ((global long *)b)[l % 32 * 2 + l / 32]; f16 d = __builtin_amdgcn_mfma_f32_32x32x16_fp8_fp8(x, y, (f16)3.0f, "
     "0, 0, 0); "
     "for (int r = 0; r < 16; r++) o[(8 * (r / 4) + 4 * (l / 32) + r % 4) * 32 + l % 32] = d[r]; }",
     matrix_fp8, matrix_fp8_32_right, 64, 64, 1024, G9},
    {"MFMA i8 of 32",
     "typedef int i16 __attribute__((ext_vector_type(16))); K(int) { int l = T & 63; long x = ((global long *)a)[l % "
     "32 * 2 + l / 32], "
     "y = ((global long *)b)[l % 32 * 2 + l / 32]; i16 d = __builtin_amdgcn_mfma_i32_32x32x16_i8(x, y, (i16)3, 0, 0, "
     "0); "
     "for (int r = 0; r < 16; r++) o[(8 * (r / 4) + 4 * (l / 32) + r % 4) * 32 + l % 32] = d[r]; }",
     integers, matrix_i8_32_right, 64, 64, 1024, G9},
    {"MFMA f64",
     "typedef double d4 __attribute__((ext_vector_type(4))); K(double) { int l = T & 63; double x = a[l % 16 * 4 + l / "
     "16], "
     "y = b[l % 16 * 4 + l / 16]; d4 d = __builtin_amdgcn_mfma_f64_16x16x4f64(x, y, (d4)3.0, 0, 0, 0); "
     "for (int r = 0; r < 4; r++) o[(4 * r + l / 16) * 16 + l % 16] = d[r]; }",
     whole_doubles, matrix_f64_right, 64, 64, 256, G9},
};
enum { KERNELS = sizeof kernels / sizeof *kernels };
#include "amd_foreign_matrix.h"
enum { MATRIX_KERNELS = sizeof matrix_kernels / sizeof *matrix_kernels };

static void run(tiny_ctx *t, const foreign *f, int chip, int lanes) {
  static char text[12000];
  amd_object o;
  amd_dispatch d;
  amd_range range[3];
  const void *args[4] = {O, A, B, C};
  int wrong = -1;
  memset(&o, 0, sizeof o);
  memset(&d, 0, sizeof d);
  chip_now = chip;
  lanes_now = lanes;

  snprintf(text, sizeof text,
           "#define THREADS %d\n#define LANES %d\n#define DOT __builtin_amdgcn_udot4(a[i], b[i], c[i], 0)\n#define "
           "BALLOT __builtin_amdgcn_%s\n%s%s\n",
           f->threads, lanes, lanes == 64 ? "ballot_w64" : "ballot_w32", head, f->source);
  const int done = amd_compile(t, chip, lanes, "cl", text, &o.file) && amd_lay_out(&o, amd_space.m.code);
  CHECK(done);
  if (!done) return;
  memset(O, 0, WORDS * 4);
  f->fill(A);
  f->fill(B);
  f->fill(C);
  memcpy(amd_space.m.kernarg, args, sizeof args);
  memcpy(amd_space.m.kernarg + sizeof args, &f->items, 4);
  amd_ranges(&d, range);
  amd_describe(&d, amd_find(&o, "k.kd"));
  d.chip = chip;
  d.grid[0] = (uint32_t)((f->items + f->threads - 1) / f->threads * f->threads);
  d.group[0] = (uint32_t)f->threads;
  d.max_steps = 50000000;
  d.seed = (uint32_t)chip;
  d.resident = 2;
  d.tolerant = 1;
  if (f->right == grid_right) {
    static const uint32_t grid[3] = {12, 10, 5}, group[3] = {8, 4, 2};
    memcpy(d.grid, grid, sizeof grid);
    memcpy(d.group, group, sizeof group);
  }
  CHECK_EQ(amd_emulate(&d, &report), 0);
  if (*report.error && test_shown()) fprintf(stderr, "    %s\n", report.error);
  for (int i = f->checked - 1; i >= 0 && !*report.error; i--)
    if (!f->right(i)) wrong = i;
  CHECK_EQ(wrong, -1);
  if (wrong >= 0)
    fprintf(stderr, "    o[%d] = %08x, of %08x %08x %08x\n", wrong, O[wrong], A[wrong], B[wrong], C[wrong]);
}
static void run_all(tiny_ctx *t, const foreign *f, int n) {
  static const int chips[] = {1100, 1201, 942, 1100}, lanes[] = {32, 32, 64, 64};
  for (int k = 0; k < n; k++)
    for (int c = 0; c < 4; c++)
      if (f[k].chips >> c & 1 && case_named("%s on gfx%d, %d lanes", f[k].name, chips[c], lanes[c]))
        run(t, &f[k], chips[c], lanes[c]);
}
int main(void) {
  tiny_ctx *t = tiny_open(NULL);
  if (!amd_has_clang(t)) printf("clang 17 or later is not there: nothing was run\n");
  if (*amd_clang) run_all(t, kernels, KERNELS);
  if (*amd_clang) run_all(t, matrix_kernels, MATRIX_KERNELS);
  tiny_close(t);
  return test_report();
}
