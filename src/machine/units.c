// units: matrix units that a warp works as one, as data: a row for each shape and dtypes, with who holds what.
//
// In:    the name of a target ("sm_90", "gfx1100", "apple"), or the number that a WMMA names. Out: tiny_warp_units.
// Holds: every element of a tile is held by at least one lane, those of c by exactly one; the interpreter executes
//        products by these layouts (ir/eval.c), renderers write the instruction, codegen/warp_matrix.c makes tiles.
//
// Sources. NVIDIA: PTX ISA, "Matrix Fragments for mma.m16n8k8", ".m16n8k16", ".m16n8k32". AMD: "RDNA3 ISA" and "RDNA4
// ISA", Wave Matrix Multiply Accumulate; "CDNA3 ISA", Matrix Core Instructions; layouts as AMD's matrix instruction
// calculator prints them. Apple: elements of a simdgroup_matrix lie as MLX (steel/gemm/mma.h, get_coord) has them, but
// that its lanes' bits are C1 R0 R1 C2 R2: items of a warp are numbered by columns and rows (render/lang_metal.c).
// CDNA3's fp8 is FNUZ, of another bias than this library's fp8, so it has no row. Nor has Arm's SME: what
// FMOPA adds to is a tile of ZA, which is no value that a compiler keeps (arm_sme.h, "ZA state"), but part of one array
// of the thread, in a mode in which most other vectors are illegal; AMX's tiles are values, and fit tiny_matrix_unit.
#ifndef TN_MACHINE_UNITS
#define TN_MACHINE_UNITS
#ifndef TINY_AMALGAMATED
#include "../ir/dtype.c"
#include "../ir/listing.c"
#endif

// Bits of a row and of a column; 0: lanes that differ in this bit hold the same.
#define TN_R(bit) (1 + (bit))
#define TN_C(bit) (TINY_LAYOUT_COLUMN + 1 + (bit))
#define TN_MMA_C {{TN_C(1), TN_C(2), TN_R(0), TN_R(1), TN_R(2)}, {TN_C(0), TN_R(3)}}
#define TN_MMA_8 {{{TN_C(1), TN_C(2), TN_R(0), TN_R(1), TN_R(2)}, {TN_C(0), TN_R(3)}}, \
  {{TN_R(1), TN_R(2), TN_C(0), TN_C(1), TN_C(2)}, {TN_R(0)}}, TN_MMA_C}
#define TN_MMA_16 {{{TN_C(1), TN_C(2), TN_R(0), TN_R(1), TN_R(2)}, {TN_C(0), TN_R(3), TN_C(3)}}, \
  {{TN_R(1), TN_R(2), TN_C(0), TN_C(1), TN_C(2)}, {TN_R(0), TN_R(3)}}, TN_MMA_C}
#define TN_MMA_TF32 {{{TN_C(0), TN_C(1), TN_R(0), TN_R(1), TN_R(2)}, {TN_R(3), TN_C(2)}}, \
  {{TN_R(0), TN_R(1), TN_C(0), TN_C(1), TN_C(2)}, {TN_R(2)}}, TN_MMA_C}
#define TN_MMA_32 {{{TN_C(2), TN_C(3), TN_R(0), TN_R(1), TN_R(2)}, {TN_C(0), TN_C(1), TN_R(3), TN_C(4)}}, \
  {{TN_R(2), TN_R(3), TN_C(0), TN_C(1), TN_C(2)}, {TN_R(0), TN_R(1), TN_R(4)}}, TN_MMA_C}
// A tile's side of 16 by the low four bits of a lane: of rows of a, of columns of b and c.
#define TN_ROWS TN_R(0), TN_R(1), TN_R(2), TN_R(3)
#define TN_COLUMNS TN_C(0), TN_C(1), TN_C(2), TN_C(3)
#define TN_WMMA_3 {{{TN_ROWS, 0}, {TN_COLUMNS}}, {{TN_COLUMNS, 0}, {TN_ROWS}}, \
  {{TN_COLUMNS, TN_R(0)}, {TN_R(1), TN_R(2), TN_R(3)}}}
#define TN_WMMA_4(e0, e1, e2, lane) {{{TN_ROWS, TN_C(lane)}, {TN_C(e0), TN_C(e1), TN_C(e2)}}, \
  {{TN_COLUMNS, TN_R(lane)}, {TN_R(e0), TN_R(e1), TN_R(e2)}}, {{TN_COLUMNS, TN_R(3)}, {TN_R(0), TN_R(1), TN_R(2)}}}
#define TN_MFMA_C {{TN_COLUMNS, TN_R(2), TN_R(3)}, {TN_R(0), TN_R(1)}}
#define TN_MFMA_16 {{{TN_ROWS, TN_C(2), TN_C(3)}, {TN_C(0), TN_C(1)}}, \
  {{TN_COLUMNS, TN_R(2), TN_R(3)}, {TN_R(0), TN_R(1)}}, TN_MFMA_C}
#define TN_MFMA_32 {{{TN_ROWS, TN_C(3), TN_C(4)}, {TN_C(0), TN_C(1), TN_C(2)}}, \
  {{TN_COLUMNS, TN_R(3), TN_R(4)}, {TN_R(0), TN_R(1), TN_R(2)}}, TN_MFMA_C}
#define TN_SIMD_8 {{TN_C(1), TN_C(2), TN_R(0), TN_R(1), TN_R(2)}, {TN_C(0)}}
#define TN_SIMD {TN_SIMD_8, TN_SIMD_8, TN_SIMD_8}

// Are there devices with a grid at all? What is for them alone stands behind this in every room: compilers leave it out
// of a program for CPUs.
#ifdef TINY_NO_GPU
enum { TN_GPU = 0 };
#else
enum { TN_GPU = 1 };
#endif

static const tiny_warp_unit tn_warp_units[] = {
  {"sm75_m16n8k8_f16", 16, 8, 8, 32, TINY_F16, TINY_F16, TINY_F32, TN_MMA_8},
  {"sm80_m16n8k16_f16", 16, 8, 16, 32, TINY_F16, TINY_F16, TINY_F32, TN_MMA_16},
  {"sm80_m16n8k16_bf16", 16, 8, 16, 32, TINY_BF16, TINY_BF16, TINY_F32, TN_MMA_16},
  {"sm80_m16n8k8_tf32", 16, 8, 8, 32, TINY_F32, TINY_F32, TINY_F32, TN_MMA_TF32},
  {"sm80_m16n8k32_i8", 16, 8, 32, 32, TINY_I8, TINY_I8, TINY_I32, TN_MMA_32},
  {"sm89_m16n8k32_e4m3", 16, 8, 32, 32, TINY_F8E4M3, TINY_F8E4M3, TINY_F32, TN_MMA_32},
  {"sm89_m16n8k32_e5m2", 16, 8, 32, 32, TINY_F8E5M2, TINY_F8E5M2, TINY_F32, TN_MMA_32},
  {"sm89_m16n8k32_e4m3_e5m2", 16, 8, 32, 32, TINY_F8E4M3, TINY_F8E5M2, TINY_F32, TN_MMA_32},
  {"sm89_m16n8k32_e5m2_e4m3", 16, 8, 32, 32, TINY_F8E5M2, TINY_F8E4M3, TINY_F32, TN_MMA_32},
  {"gfx11_16x16x16_f16", 16, 16, 16, 32, TINY_F16, TINY_F16, TINY_F32, TN_WMMA_3},
  {"gfx11_16x16x16_bf16", 16, 16, 16, 32, TINY_BF16, TINY_BF16, TINY_F32, TN_WMMA_3},
  {"gfx11_16x16x16_i8", 16, 16, 16, 32, TINY_I8, TINY_I8, TINY_I32, TN_WMMA_3},
  {"gfx12_16x16x16_f16", 16, 16, 16, 32, TINY_F16, TINY_F16, TINY_F32, TN_WMMA_4(0, 1, 3, 2)},
  {"gfx12_16x16x16_bf16", 16, 16, 16, 32, TINY_BF16, TINY_BF16, TINY_F32, TN_WMMA_4(0, 1, 3, 2)},
  {"gfx12_16x16x16_i8", 16, 16, 16, 32, TINY_I8, TINY_I8, TINY_I32, TN_WMMA_4(0, 1, 2, 3)},
  {"gfx12_16x16x16_e4m3", 16, 16, 16, 32, TINY_F8E4M3, TINY_F8E4M3, TINY_F32, TN_WMMA_4(0, 1, 2, 3)},
  {"gfx12_16x16x16_e5m2", 16, 16, 16, 32, TINY_F8E5M2, TINY_F8E5M2, TINY_F32, TN_WMMA_4(0, 1, 2, 3)},
  {"gfx942_16x16x16_f16", 16, 16, 16, 64, TINY_F16, TINY_F16, TINY_F32, TN_MFMA_16},
  {"gfx942_16x16x16_bf16", 16, 16, 16, 64, TINY_BF16, TINY_BF16, TINY_F32, TN_MFMA_16},
  {"gfx942_16x16x32_i8", 16, 16, 32, 64, TINY_I8, TINY_I8, TINY_I32, TN_MFMA_32},
  {"apple_8x8x8_f16", 8, 8, 8, 32, TINY_F16, TINY_F16, TINY_F32, TN_SIMD},
  {"apple_8x8x8_f32", 8, 8, 8, 32, TINY_F32, TINY_F32, TINY_F32, TN_SIMD},
  {"apple_8x8x8_bf16", 8, 8, 8, 32, TINY_BF16, TINY_BF16, TINY_F32, TN_SIMD}
};
#undef TN_R
#undef TN_C
enum { TN_WARP_UNITS = sizeof tn_warp_units / sizeof *tn_warp_units };

// Does it read ten bits of an f32's mantissa? Of the rows of f32 NVIDIA's do.
static int tn_unit_is_tf32(const tiny_warp_unit *unit) { return unit->a == TINY_F32 && unit->m == 16; }

#ifndef TINY_RUNTIME_ONLY
// Families, by the number behind a target's prefix: those from `least` on have rows first .. first + n - 1.
static const struct { const char *prefix; int least, first, n; } tn_warp_families[] = {
  {"sm_", 75, 0, 1}, {"sm_", 80, 1, 4}, {"sm_", 89, 1, 8}, {"gfx", 1100, 9, 3}, {"gfx", 1200, 12, 5},
  {"gfx", 942, 17, 3}, {"gfx", 943, 0, 0}, {"gfx", 950, 17, 3}, {"gfx", 951, 0, 0}, {"apple", 0, 20, 3}};

// The family with the highest number that is not above the target's.
TINY_API const tiny_warp_unit *tiny_warp_units(const char *target, int *n) {
  int best = -1, first = 0;
  *n = 0;
  for (size_t i = 0; target && i < sizeof tn_warp_families / sizeof *tn_warp_families; i++) {
    const size_t length = strlen(tn_warp_families[i].prefix);
    int number = 0;
    if (strncmp(target, tn_warp_families[i].prefix, length) != 0) continue;
    for (const char *c = target + length; *c >= '0' && *c <= '9' && number < 100000; c++)
      number = 10 * number + *c - '0';
    if (number < tn_warp_families[i].least || tn_warp_families[i].least < best) continue;
    best = tn_warp_families[i].least;
    first = tn_warp_families[i].first;
    *n = tn_warp_families[i].n;
  }
  return *n ? &tn_warp_units[first] : NULL;
}
#endif

// ** what a WMMA names **

static int64_t tn_warp_unit_k(const tiny_warp_unit *unit) {
  return (int64_t)(unit - tn_warp_units + 1) << TN_WMMA_UNIT;
}
// NULL: it is for the unit of one core.
static const tiny_warp_unit *tn_warp_unit_of(int64_t k) {
  const int64_t row = k >> TN_WMMA_UNIT;
  if (!TN_GPU || row < 1 || row > TN_WARP_UNITS || k & (((int64_t)1 << TN_WMMA_UNIT) - 1)) return NULL;
  return &tn_warp_units[row - 1];
}

// ** layouts **

static int tn_layout_bits(const uint8_t *bits, int most) {
  int n = 0;
  while (n < most && bits[n]) n++;
  return n;
}
// Elements of a tile that a lane holds.
static int tn_layout_elements(const tiny_warp_layout *l) {
  return 1 << tn_layout_bits(l->element, TINY_LAYOUT_ELEMENT);
}

// The bits of a row (or column) in a list, which lie beside each other there and in the row: `count` of them from bit
// `place` of the list on are the row's from bit `bit` on. 0: they do not.
typedef struct tn_layout_run { int place, bit, count; } tn_layout_run;
static int tn_layout_run_of(const uint8_t *bits, int most, int column, tn_layout_run *run) {
  memset(run, 0, sizeof *run);
  for (int i = 0; i < most; i++) {
    if (!bits[i] || (bits[i] > TINY_LAYOUT_COLUMN) != column) continue;
    const int bit = bits[i] - 1 - (column ? TINY_LAYOUT_COLUMN : 0);
    if (!run->count) { run->place = i; run->bit = bit; }
    else if (run->place + run->count != i || run->bit + run->count != bit) return 0;
    run->count++;
  }
  return 1;
}

// Are there products of all columns at once of the unit's dtypes?
static int tn_unit_is_large(const tiny_limits *limits, const tiny_warp_unit *unit) {
  return limits->unit_tiles && (!limits->unit_dtypes || limits->unit_dtypes >> unit->a & 1);
}

// Are products of this dtype whose operand is made of products done by the unit? What lanes hold of c is stored as rows
// of a tile's columns, of which the low bits of a lane's number are the low or the next ones. f32: where it may be
// rounded.
static int tn_unit_nests(const tiny_limits *limits, const tiny_warp_unit *unit, int dtype) {
  tn_layout_run lane[2], element[2];
  if (unit->a != dtype || unit->b != dtype || unit->c != TINY_F32 || unit->n % 8) return 0;
  if (tn_bits(dtype) != 16 && (dtype != TINY_F32 || (tn_unit_is_tf32(unit) && !limits->tf32))) return 0;
  for (int i = 0; i < 2; i++)
    if (!tn_layout_run_of(unit->layout[2].lane, TINY_LAYOUT_LANE, i, &lane[i]) ||
        !tn_layout_run_of(unit->layout[2].element, TINY_LAYOUT_ELEMENT, i, &element[i]))
      return 0;
  return lane[1].count && !lane[1].place;
}
#endif
