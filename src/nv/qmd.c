// qmd: launch descriptors, which tell a GPU all about a launch: one table of their fields, a column for each version.
//
// In:    a version, fields, values. Out: words; 256 bytes before Hopper, 384 from there on.
// Holds: what is not set is 0. A value that does not fit its field is cut: who writes it has checked it.
// What is what: NVIDIA/open-gpu-doc, classes/compute/cl{c5,c6,cb,cd}c0qmd.h, whose names stand here; which version goes
// with which class: Mesa, src/nouveau/compiler/nak/qmd.rs.
#ifndef TN_NV_QMD
#define TN_NV_QMD
#include <stdint.h>
#include <string.h>

enum { TN_QMD_WORDS = 96 };                // of the longest
typedef enum tn_qmd_version {              // Turing; Ampere, Ada; Hopper; Blackwell's first and second
  TN_QMD_0203, TN_QMD_0300, TN_QMD_0400, TN_QMD_0401, TN_QMD_0500, TN_QMD_VERSIONS
} tn_qmd_version;

// n bits from lo on, of the i-th lo + i * stride; of the third from `third` on where that is not 0. They hold value >>
// shift. n 0: this version does not have it.
typedef struct tn_qmd_bits { uint16_t lo; uint8_t n, shift; uint16_t stride, third; } tn_qmd_bits;

// _(name, V02_03, V03_00, V04_00, V04_01, V05_00); B: bits hi to lo; E: of several, so far apart; T: of three, the last
// of them elsewhere; NO: there is none.
#define TN_QMD_FIELDS(_, B, S, E, T, NO) \
  _(QMD_MAJOR_VERSION, B(583, 580), B(583, 580), B(583, 580), B(583, 580), B(471, 468)) \
  _(QMD_MINOR_VERSION, B(579, 576), B(579, 576), B(579, 576), B(579, 576), B(467, 464)) \
  _(QMD_TYPE, NO, NO, B(25, 23), B(25, 23), B(153, 151)) \
  _(QMD_GROUP_ID, B(133, 128), B(133, 128), B(21, 16), B(21, 16), B(149, 144)) \
  _(SM_GLOBAL_CACHING_ENABLE, B(134, 134), B(134, 134), NO, NO, NO) \
  _(API_VISIBLE_CALL_LIMIT, B(378, 378), B(378, 378), B(568, 568), B(568, 568), B(456, 456)) \
  _(SAMPLER_INDEX, B(382, 382), B(382, 382), B(569, 569), B(569, 569), B(457, 457)) \
  _(CWD_MEMBAR_TYPE, B(369, 368), B(369, 368), B(1137, 1136), B(1137, 1136), B(625, 624)) \
  _(INVALIDATE_TEXTURE_HEADER_CACHE, B(186, 186), B(186, 186), B(602, 602), B(602, 602), B(472, 472)) \
  _(INVALIDATE_TEXTURE_SAMPLER_CACHE, B(187, 187), B(187, 187), B(603, 603), B(603, 603), B(473, 473)) \
  _(INVALIDATE_TEXTURE_DATA_CACHE, B(188, 188), B(188, 188), B(604, 604), B(604, 604), B(474, 474)) \
  _(INVALIDATE_SHADER_DATA_CACHE, B(189, 189), B(189, 189), B(605, 605), B(605, 605), B(475, 475)) \
  _(INVALIDATE_INSTRUCTION_CACHE, B(190, 190), B(190, 190), B(606, 606), B(606, 606), B(476, 476)) \
  _(INVALIDATE_SHADER_CONSTANT_CACHE, B(191, 191), B(191, 191), B(607, 607), B(607, 607), B(477, 477)) \
  _(GRID_WIDTH, B(415, 384), B(415, 384), B(1055, 1024), B(1055, 1024), B(1279, 1248)) \
  _(GRID_HEIGHT, B(431, 416), B(431, 416), B(1071, 1056), B(1071, 1056), B(1295, 1280)) \
  _(GRID_DEPTH, B(463, 448), B(463, 448), B(1103, 1088), B(1103, 1088), B(1327, 1312)) \
  _(CTA_THREAD_DIMENSION0, B(607, 592), B(607, 592), B(1167, 1152), B(1167, 1152), B(1103, 1088)) \
  _(CTA_THREAD_DIMENSION1, B(623, 608), B(623, 608), B(1183, 1168), B(1183, 1168), B(1119, 1104)) \
  _(CTA_THREAD_DIMENSION2, B(639, 624), B(639, 624), B(1199, 1184), B(1191, 1184), B(1127, 1120)) \
  _(REGISTER_COUNT, B(656, 648), B(656, 648), B(1208, 1200), B(1208, 1200), B(1136, 1128)) \
  _(BARRIER_COUNT, B(959, 955), B(767, 763), B(1215, 1211), B(1215, 1211), B(1141, 1137)) \
  _(PROGRAM_ADDRESS_LOWER, B(1567, 1536), B(1567, 1536), B(1247, 1216), B(1247, 1216), S(1055, 1024, 4)) \
  _(PROGRAM_ADDRESS_UPPER, B(1584, 1568), B(1584, 1568), B(1272, 1248), B(1272, 1248), B(1076, 1056)) \
  _(SHARED_MEMORY_SIZE, B(561, 544), B(561, 544), B(601, 584), B(601, 584), S(1162, 1152, 7)) \
  _(MIN_SM_CONFIG_SHARED_MEM_SIZE, B(568, 562), B(567, 562), B(613, 608), B(613, 608), B(1168, 1163)) \
  _(MAX_SM_CONFIG_SHARED_MEM_SIZE, B(575, 569), B(574, 569), B(619, 614), B(619, 614), B(1174, 1169)) \
  _(TARGET_SM_CONFIG_SHARED_MEM_SIZE, B(663, 657), B(662, 657), B(625, 620), B(625, 620), B(1180, 1175)) \
  _(SHADER_LOCAL_MEMORY_LOW_SIZE, B(951, 928), B(759, 736), B(535, 512), B(535, 512), S(1199, 1184, 4)) \
  _(SHADER_LOCAL_MEMORY_HIGH_SIZE, B(983, 960), B(1623, 1600), B(567, 544), B(567, 544), S(1215, 1200, 4)) \
  _(SASS_VERSION, B(1023, 1016), B(1663, 1656), B(543, 536), B(543, 536), B(455, 448)) \
  _(CONSTANT_BUFFER_VALID, E(640, 640, 1, 0), E(640, 640, 1, 0), E(416, 416, 4, 0), E(416, 416, 4, 0), \
    E(1856, 1856, 4, 0)) \
  _(CONSTANT_BUFFER_ADDR_LOWER, E(1055, 1024, 64, 0), E(1055, 1024, 64, 0), E(1567, 1536, 64, 6), \
    E(1567, 1536, 64, 6), E(1375, 1344, 64, 6)) \
  _(CONSTANT_BUFFER_ADDR_UPPER, E(1072, 1056, 64, 0), E(1072, 1056, 64, 0), E(1586, 1568, 64, 0), \
    E(1586, 1568, 64, 0), E(1394, 1376, 64, 0)) \
  _(CONSTANT_BUFFER_SIZE, E(1087, 1075, 64, 4), E(1087, 1075, 64, 4), E(1599, 1587, 64, 4), E(1599, 1587, 64, 4), \
    E(1407, 1395, 64, 4)) \
  _(CONSTANT_BUFFER_INVALIDATE, E(1074, 1074, 64, 0), E(1074, 1074, 64, 0), E(419, 419, 4, 0), E(419, 419, 4, 0), \
    E(1859, 1859, 4, 0)) \
  _(RELEASE_ENABLE, NO, T(823, 823, 128, 0, 1719), E(320, 320, 16, 0), E(320, 320, 16, 0), E(288, 288, 16, 0)) \
  _(RELEASE_STRUCTURE_SIZE, NO, T(831, 830, 128, 0, 1726), E(322, 321, 16, 0), E(322, 321, 16, 0), E(290, 289, 16, 0)) \
  _(RELEASE_MEMBAR_TYPE, NO, T(819, 819, 128, 0, 1715), E(323, 323, 16, 0), E(323, 323, 16, 0), E(291, 291, 16, 0)) \
  _(RELEASE_PAYLOAD64B, NO, T(829, 829, 128, 0, 1725), E(332, 332, 16, 0), E(332, 332, 16, 0), E(300, 300, 16, 0)) \
  _(RELEASE_ADDR_LOWER, NO, T(799, 768, 128, 0, 1664), E(671, 640, 128, 0), E(671, 640, 128, 0), \
    T(511, 480, 288, 0, 896)) \
  _(RELEASE_ADDR_UPPER, NO, T(807, 800, 128, 0, 1696), E(696, 672, 128, 0), E(696, 672, 128, 0), \
    T(536, 512, 288, 0, 928)) \
  _(RELEASE_PAYLOAD_LOWER, NO, T(863, 832, 128, 0, 1728), E(735, 704, 128, 0), E(735, 704, 128, 0), \
    T(575, 544, 288, 0, 960)) \
  _(RELEASE_PAYLOAD_UPPER, NO, T(895, 864, 128, 0, 1760), E(767, 736, 128, 0), E(767, 736, 128, 0), \
    T(607, 576, 288, 0, 992)) \
  _(DEPENDENT_QMD0_ENABLE, NO, B(512, 512), B(368, 368), B(368, 368), B(336, 336)) \
  _(DEPENDENT_QMD0_ACTION, NO, B(515, 513), B(371, 369), B(371, 369), B(339, 337)) \
  _(DEPENDENT_QMD0_PREFETCH, NO, B(516, 516), B(372, 372), B(372, 372), B(340, 340)) \
  _(DEPENDENT_QMD0_POINTER, NO, S(511, 480, 8), S(479, 448, 8), S(479, 448, 8), S(415, 384, 8)) \
  _(GPC_CGA_WIDTH, NO, NO, B(2149, 2144), B(2149, 2144), B(2053, 2048)) \
  _(GPC_CGA_HEIGHT, NO, NO, B(2157, 2152), B(2157, 2152), B(2061, 2056)) \
  _(GPC_CGA_DEPTH, NO, NO, B(2165, 2160), B(2165, 2160), B(2069, 2064))

#define TN_QMD_NAME(name, ...) TN_QMD_##name,
typedef enum tn_qmd_field { TN_QMD_FIELDS(TN_QMD_NAME, , , , , ) TN_QMD_FIELD_COUNT } tn_qmd_field;
#undef TN_QMD_NAME

#define TN_QMD_B(hi, lo) {lo, (hi) - (lo) + 1, 0, 0, 0}
#define TN_QMD_S(hi, lo, shift) {lo, (hi) - (lo) + 1, shift, 0, 0}
#define TN_QMD_E(hi, lo, stride, shift) {lo, (hi) - (lo) + 1, shift, stride, 0}
#define TN_QMD_T(hi, lo, stride, shift, third) {lo, (hi) - (lo) + 1, shift, stride, third}
#define TN_QMD_NO {0, 0, 0, 0, 0}
#define TN_QMD_ROW(name, ...) {#name, {__VA_ARGS__}},
static const struct tn_qmd_row { const char *name; tn_qmd_bits of[TN_QMD_VERSIONS]; } tn_qmd_rows[] = {
  TN_QMD_FIELDS(TN_QMD_ROW, TN_QMD_B, TN_QMD_S, TN_QMD_E, TN_QMD_T, TN_QMD_NO)
};
#undef TN_QMD_B
#undef TN_QMD_S
#undef TN_QMD_E
#undef TN_QMD_T
#undef TN_QMD_NO
#undef TN_QMD_ROW

static size_t tn_qmd_nbytes(tn_qmd_version v) { return v < TN_QMD_0400 ? 256 : 384; }

// Where the i-th of a field begins.
static unsigned tn_qmd_lo(tn_qmd_bits b, int i) { return i == 2 && b.third ? b.third : b.lo + (unsigned)i * b.stride; }
// The i-th of a field, which may go over the end of a word. A field that the version does not have is left alone.
static void tn_qmd_set_at(uint32_t *q, tn_qmd_version v, tn_qmd_field f, int i, uint64_t value) {
  const tn_qmd_bits b = tn_qmd_rows[f].of[v];
  unsigned at = tn_qmd_lo(b, i);
  value >>= b.shift;
  for (unsigned left = b.n, n; left; left -= n, at += n, value >>= n) {
    n = 32 - at % 32 < left ? 32 - at % 32 : left;
    const uint32_t mask = (uint32_t)((UINT64_C(1) << n) - 1) << at % 32;
    q[at / 32] = (q[at / 32] & ~mask) | ((uint32_t)value << at % 32 & mask);
  }
}
static void tn_qmd_set(uint32_t *q, tn_qmd_version v, tn_qmd_field f, uint64_t value) {
  tn_qmd_set_at(q, v, f, 0, value);
}
// An address whose upper part is what does not fit into the lower one, after its shift.
static void tn_qmd_set_address(uint32_t *q, tn_qmd_version v, tn_qmd_field lower, int i, uint64_t address) {
  const unsigned up = 32 + tn_qmd_rows[lower].of[v].shift;
  tn_qmd_set_at(q, v, lower, i, address);
  tn_qmd_set_at(q, v, (tn_qmd_field)(lower + 1), i, address >> up);
}
static void tn_qmd_set_bank(uint32_t *q, tn_qmd_version v, int bank, uint64_t address, uint64_t nbytes) {
  tn_qmd_set_at(q, v, TN_QMD_CONSTANT_BUFFER_VALID, bank, 1);
  tn_qmd_set_at(q, v, TN_QMD_CONSTANT_BUFFER_INVALIDATE, bank, 1);
  tn_qmd_set_at(q, v, TN_QMD_CONSTANT_BUFFER_SIZE, bank, nbytes + 15);
  tn_qmd_set_address(q, v, TN_QMD_CONSTANT_BUFFER_ADDR_LOWER, bank, address);
}
#endif
