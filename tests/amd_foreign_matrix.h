// amd_foreign_matrix: matrix instructions of many blocks and of sparse matrices, by clang's builtins: programs of
// test_amd_foreign, and what is right. Included there.
//
// Source: AMD, matrix instruction calculator 1.3.2 (by lane and register, where the emulator goes by row and column).
#ifndef AMD_FOREIGN_MATRIX_H
#define AMD_FOREIGN_MATRIX_H
// ** matrices of many blocks, and sparse ones: what each lane holds, one lane after another **

// How a matrix lies: elements of a lane of A and B, and of D; A's sparse: its half, and c is the indices.
typedef struct matrix { int m, blocks, a, b, d, sparse; double (*of)(const uint32_t *, int); } matrix;
static double half_of(const uint32_t *p, int i) { return of_half(u16_at(p, i)); }
static double bf_of(const uint32_t *p, int i) { return bf(u16_at(p, i)); }
static double float_of(const uint32_t *p, int i) { return (double)f32(p[i]); }
static double double_of(const uint32_t *p, int i) { return f64_at(p, i); }
static double fp8_of(const uint32_t *p, int i) { return of_fp8(((const uint8_t *)p)[i]); }
static double i8_of(const uint32_t *p, int i) { return ((const int8_t *)p)[i]; }
static double i4_of(const uint32_t *p, int i) { return (int)((p[i / 8] >> i % 8 * 4 & 15) ^ 8) - 8; }
static void whole_floats(uint32_t *p) {
  for (int i = 0; i < WORDS; i++) p[i] = b32((float)((int)(rnd() % 200) - 100));
}
// Two of four, in order.
static void put_indices(uint32_t *p) {
  static const uint8_t two[] = {4, 8, 12, 9, 13, 14};
  if (p != C) return;
  for (int i = 0; i < 128; i++) {
    p[i] = 0;
    for (int k = 0; k < 8; k++) p[i] |= (uint32_t)two[rnd() % 6] << 4 * k;
  }
}
static void sparse_halves(uint32_t *p) { matrix_halves(p); put_indices(p); }
static void sparse_bf16(uint32_t *p) { matrix_bf16(p); put_indices(p); }
static void sparse_fp8(uint32_t *p) { matrix_fp8(p); put_indices(p); }
static void sparse_bytes(uint32_t *p) { integers(p); put_indices(p); }
// Which k element e of a lane of A (side 0) or B is. part: of the word of indices.
static int k_of(const matrix *x, int side, int lane, int e, int part) {
  const int n = side ? x->b : x->a, group = lane / (x->m * x->blocks), pair = e / 2;
  const int turns = chip_now == 1201 && (x->of == half_of || x->of == bf_of);
  if (!x->sparse) return group * n + e;
  if (side) return turns ? e / 8 * 16 + group * 8 + e % 8 : group * n + e;
  const int from = turns ? pair / 2 * 16 + group * 8 + pair % 2 * 4 : group * 2 * n + 4 * pair;
  return from + (int)(C[lane] >> (part * n * 2 + 2 * e) & 3);
}
static int block_of(const matrix *x, int lane) { return lane / x->m % x->blocks; }
static double dot(const matrix *x, int from, int row, int to, int column, int part) {
  double sum = 3;
  for (int l = row; l < lanes_now; l += x->m)
    for (int e = 0; e < x->a && block_of(x, l) == from; e++)
      for (int r = column; r < lanes_now; r += x->m)
        for (int f = 0; f < x->b && block_of(x, r) == to; f++)
          if (k_of(x, 0, l, e, part) == k_of(x, 1, r, f, part)) sum += x->of(A, l * x->a + e) * x->of(B, r * x->b + f);
  return sum;
}
// abid: the block of A for all, where it is not 0, or part of the indices.
static int lies_right(const matrix *x, int i, int abid) {
  const int lane = i / x->d, r = i % x->d, twelve = chip_now == 1201, f64 = x->of == double_of;
  const int block = x->m == 4 ? block_of(x, lane) : x->m == 16 ? r / 4 % x->blocks : r / 16;
  const int row = twelve ? lane / 16 * 8 + r : f64 ? lane / 16 : x->m == 4 ? r
                : x->m == 16 ? lane / 16 * 4 + r % 4 : r / 4 * 8 % 32 + lane / 32 * 4 + r % 4;
  const double sum = dot(x, abid && !x->sparse ? abid : block, row, block, lane % x->m, abid);
  if (f64) return f64_at(O, i) == sum;
  if (twelve && x->sparse == 2) return u16_at(O, i) == to_half(sum);
  return x->of == i8_of || x->of == i4_of ? (int32_t)O[i] == (int32_t)sum : (double)f32(O[i]) == sum;
}
#define LIES_AT(name, at, ...) \
  static int name##_lies(int i) { const matrix x = {__VA_ARGS__}; return lies_right(&x, i, at); }
#define LIES(name, ...) LIES_AT(name, 0, __VA_ARGS__)
LIES(half32, 32, 2, 4, 4, 32, 0, half_of)
LIES(brain32, 32, 2, 4, 4, 32, 0, bf_of)
LIES(byte32, 32, 2, 4, 4, 32, 0, i8_of)
LIES(float32, 32, 2, 1, 1, 32, 0, float_of)
LIES(half16, 16, 4, 4, 4, 16, 0, half_of)
LIES(brain16, 16, 4, 4, 4, 16, 0, bf_of)
LIES(byte16, 16, 4, 4, 4, 16, 0, i8_of)
LIES(float16, 16, 4, 1, 1, 16, 0, float_of)
LIES(half4, 4, 16, 4, 4, 4, 0, half_of)
LIES(brain4, 4, 16, 4, 4, 4, 0, bf_of)
LIES(byte4, 4, 16, 4, 4, 4, 0, i8_of)
LIES(float4, 4, 16, 1, 1, 4, 0, float_of)
LIES_AT(all, 13, 4, 16, 4, 4, 4, 0, half_of)
LIES(double4, 4, 4, 1, 1, 1, 0, double_of)
LIES_AT(sparse_half16, 3, 16, 1, 4, 8, 4, 1, half_of)
LIES(sparse_brain16, 16, 1, 4, 8, 4, 1, bf_of)
LIES_AT(sparse_byte16, 1, 16, 1, 8, 16, 4, 1, i8_of)
LIES(sparse_fp816_, 16, 1, 8, 16, 4, 1, fp8_of)
LIES_AT(sparse_half32, 3, 32, 1, 4, 8, 16, 1, half_of)
LIES(sparse_brain32, 32, 1, 4, 8, 16, 1, bf_of)
LIES_AT(sparse_byte32, 1, 32, 1, 8, 16, 16, 1, i8_of)
LIES(sparse_fp832_, 32, 1, 8, 16, 16, 1, fp8_of)
LIES(swmmac_half, 16, 1, 8, 16, 8, 1, half_of)
LIES_AT(swmmac_brain, 1, 16, 1, 8, 16, 8, 1, bf_of)
LIES(swmmac_sums, 16, 1, 8, 16, 8, 2, half_of)
LIES(swmmac_byte, 16, 1, 8, 16, 8, 1, i8_of)
LIES(swmmac_four, 16, 1, 8, 16, 8, 1, i4_of)
LIES(swmmac_fours, 16, 1, 16, 32, 8, 1, i4_of)
LIES(swmmac_fp8_, 16, 1, 8, 16, 8, 1, fp8_of)

// A program whose lanes hold x, y and d as they lie.
#define LAID(ta, na, tb, nb, td, nd, t, call) \
  "typedef " ta " X __attribute__((ext_vector_type(" #na "))); typedef " tb " Y __attribute__((ext_vector_type(" #nb \
  "))); typedef " td " D __attribute__((ext_vector_type(" #nd "))); K(" t ") { X x = ((global X *)a)[T]; " \
  "Y y = ((global Y *)b)[T]; D d = (D)3; d = " call "; for (int r = 0; r < " #nd "; r++) o[T * " #nd " + r] = d[r]; }"
static const foreign matrix_kernels[] = {
    {"MFMA f16, 2 blocks of 32",
     LAID("half", 4, "half", 4, "float", 32, "float",
          "__builtin_amdgcn_mfma_f32_32x32x4f16(x, y, d, 0, 0, 0)"),
     matrix_halves, half32_lies, 64, 64, 2048, G9},
    {"MFMA bf16, 2 blocks of 32",
     LAID("short", 4, "short", 4, "float", 32, "float",
          "__builtin_amdgcn_mfma_f32_32x32x4bf16_1k(x, y, d, 0, 0, 0)"),
     matrix_bf16, brain32_lies, 64, 64, 2048, G9},
    {"MFMA i8, 2 blocks of 32",
     LAID("int", 1, "int", 1, "int", 32, "int",
          "__builtin_amdgcn_mfma_i32_32x32x4i8(x.x, y.x, d, 0, 0, 0)"),
     integers, byte32_lies, 64, 64, 2048, G9},
    {"MFMA f32, 2 blocks of 32",
     LAID("float", 1, "float", 1, "float", 32, "float",
          "__builtin_amdgcn_mfma_f32_32x32x1f32(x.x, y.x, d, 0, 0, 0)"),
     whole_floats, float32_lies, 64, 64, 2048, G9},
    {"MFMA f16, 4 blocks of 16",
     LAID("half", 4, "half", 4, "float", 16, "float",
          "__builtin_amdgcn_mfma_f32_16x16x4f16(x, y, d, 0, 0, 0)"),
     matrix_halves, half16_lies, 64, 64, 1024, G9},
    {"MFMA bf16, 4 blocks of 16",
     LAID("short", 4, "short", 4, "float", 16, "float",
          "__builtin_amdgcn_mfma_f32_16x16x4bf16_1k(x, y, d, 0, 0, 0)"),
     matrix_bf16, brain16_lies, 64, 64, 1024, G9},
    {"MFMA i8, 4 blocks of 16",
     LAID("int", 1, "int", 1, "int", 16, "int",
          "__builtin_amdgcn_mfma_i32_16x16x4i8(x.x, y.x, d, 0, 0, 0)"),
     integers, byte16_lies, 64, 64, 1024, G9},
    {"MFMA f32, 4 blocks of 16",
     LAID("float", 1, "float", 1, "float", 16, "float",
          "__builtin_amdgcn_mfma_f32_16x16x1f32(x.x, y.x, d, 0, 0, 0)"),
     whole_floats, float16_lies, 64, 64, 1024, G9},
    {"MFMA f16, 16 blocks of 4",
     LAID("half", 4, "half", 4, "float", 4, "float",
          "__builtin_amdgcn_mfma_f32_4x4x4f16(x, y, d, 0, 0, 0)"),
     matrix_halves, half4_lies, 64, 64, 256, G9},
    {"MFMA bf16, 16 blocks of 4",
     LAID("short", 4, "short", 4, "float", 4, "float",
          "__builtin_amdgcn_mfma_f32_4x4x4bf16_1k(x, y, d, 0, 0, 0)"),
     matrix_bf16, brain4_lies, 64, 64, 256, G9},
    {"MFMA i8, 16 blocks of 4",
     LAID("int", 1, "int", 1, "int", 4, "int",
          "__builtin_amdgcn_mfma_i32_4x4x4i8(x.x, y.x, d, 0, 0, 0)"),
     integers, byte4_lies, 64, 64, 256, G9},
    {"MFMA f32, 16 blocks of 4",
     LAID("float", 1, "float", 1, "float", 4, "float",
          "__builtin_amdgcn_mfma_f32_4x4x1f32(x.x, y.x, d, 0, 0, 0)"),
     whole_floats, float4_lies, 64, 64, 256, G9},
    {"MFMA f16, a block for all",
     LAID("half", 4, "half", 4, "float", 4, "float",
          "__builtin_amdgcn_mfma_f32_4x4x4f16(x, y, d, 4, 13, 0)"),
     matrix_halves, all_lies, 64, 64, 256, G9},
    {"MFMA f64 of 4",
     LAID("double", 1, "double", 1, "double", 1, "double",
          "(D)__builtin_amdgcn_mfma_f64_4x4x4f64(x.x, y.x, d.x, 0, 0, 0)"),
     whole_doubles, double4_lies, 64, 64, 64, G9},
    {"SMFMAC f16 of 16",
     LAID("half", 4, "half", 8, "float", 4, "float",
          "__builtin_amdgcn_smfmac_f32_16x16x32_f16(x, y, d, ((global int *)c)[T], 0, 3)"),
     sparse_halves, sparse_half16_lies, 64, 64, 256, G9},
    {"SMFMAC bf16 of 16",
     LAID("short", 4, "short", 8, "float", 4, "float",
          "__builtin_amdgcn_smfmac_f32_16x16x32_bf16(x, y, d, ((global int *)c)[T], 1, 3)"),
     sparse_bf16, sparse_brain16_lies, 64, 64, 256, G9},
    {"SMFMAC i8 of 16",
     LAID("int", 2, "int", 4, "int", 4, "int",
          "__builtin_amdgcn_smfmac_i32_16x16x64_i8(x, y, d, ((global int *)c)[T], 0, 1)"),
     sparse_bytes, sparse_byte16_lies, 64, 64, 256, G9},
    {"SMFMAC fp8 of 16",
     LAID("int", 2, "int", 4, "float", 4, "float",
          "__builtin_amdgcn_smfmac_f32_16x16x64_fp8_fp8(x, y, d, ((global int *)c)[T], 0, 0)"),
     sparse_fp8, sparse_fp816__lies, 64, 64, 256, G9},
    {"SMFMAC f16 of 32",
     LAID("half", 4, "half", 8, "float", 16, "float",
          "__builtin_amdgcn_smfmac_f32_32x32x16_f16(x, y, d, ((global int *)c)[T], 0, 3)"),
     sparse_halves, sparse_half32_lies, 64, 64, 1024, G9},
    {"SMFMAC bf16 of 32",
     LAID("short", 4, "short", 8, "float", 16, "float",
          "__builtin_amdgcn_smfmac_f32_32x32x16_bf16(x, y, d, ((global int *)c)[T], 1, 3)"),
     sparse_bf16, sparse_brain32_lies, 64, 64, 1024, G9},
    {"SMFMAC i8 of 32",
     LAID("int", 2, "int", 4, "int", 16, "int",
          "__builtin_amdgcn_smfmac_i32_32x32x32_i8(x, y, d, ((global int *)c)[T], 0, 1)"),
     sparse_bytes, sparse_byte32_lies, 64, 64, 1024, G9},
    {"SMFMAC fp8 of 32",
     LAID("int", 2, "int", 4, "float", 16, "float",
          "__builtin_amdgcn_smfmac_f32_32x32x32_fp8_fp8(x, y, d, ((global int *)c)[T], 0, 0)"),
     sparse_fp8, sparse_fp832__lies, 64, 64, 1024, G9},
    {"SWMMAC f16",
     LAID("half", 8, "half", 16, "float", 8, "float",
          "__builtin_amdgcn_swmmac_f32_16x16x32_f16_w32(x, y, d, (short)((global int *)c)[T])"),
     sparse_halves, swmmac_half_lies, 32, 32, 256, G12},
    {"SWMMAC bf16, the upper indices",
     LAID("short", 8, "short", 16, "float", 8, "float",
          "__builtin_amdgcn_swmmac_f32_16x16x32_bf16_w32(x, y, d, (short)(((global int *)c)[T] >> 16))"),
     sparse_bf16, swmmac_brain_lies, 32, 32, 256, G12},
    {"SWMMAC of f16 sums",
     LAID("half", 8, "half", 16, "half", 8, "half",
          "__builtin_amdgcn_swmmac_f16_16x16x32_f16_w32(x, y, d, (short)((global int *)c)[T])"),
     sparse_halves, swmmac_sums_lies, 32, 32, 256, G12},
    {"SWMMAC iu8",
     LAID("int", 2, "int", 4, "int", 8, "int",
          "__builtin_amdgcn_swmmac_i32_16x16x32_iu8_w32(1, x, 1, y, d, (short)((global int *)c)[T], 0)"),
     sparse_bytes, swmmac_byte_lies, 32, 32, 256, G12},
    {"SWMMAC iu4",
     LAID("int", 1, "int", 2, "int", 8, "int",
          "__builtin_amdgcn_swmmac_i32_16x16x32_iu4_w32(1, x.x, 1, y, d, (short)((global int *)c)[T], 0)"),
     sparse_bytes, swmmac_four_lies, 32, 32, 256, G12},
    {"SWMMAC iu4 of 64",
     LAID("int", 2, "int", 4, "int", 8, "int",
          "__builtin_amdgcn_swmmac_i32_16x16x64_iu4_w32(1, x, 1, y, d, ((global int *)c)[T], 0)"),
     sparse_bytes, swmmac_fours_lies, 32, 32, 256, G12},
    {"SWMMAC fp8",
     LAID("int", 2, "int", 4, "float", 8, "float",
          "__builtin_amdgcn_swmmac_f32_16x16x32_fp8_fp8_w32(x, y, d, (short)((global int *)c)[T])"),
     sparse_fp8, swmmac_fp8__lies, 32, 32, 256, G12},
};
#endif
