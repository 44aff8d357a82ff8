// x86_levels: what selection may take: levels of x86-64, and the instruction for an op, a type and a level, as tables.
//
// In:  an op or one of the moves below, a type, a level. Out: a row of x86.c; 0: the level has none.
// Holds: of a choice's rows the first is taken whose feature the level has: AVX-512's, AVX's, SSE's. A legacy row that
//        has an operand less overwrites its first source: x86_values.c ties it to the result.
// Source: System V ABI, AMD64 supplement 1.0, table 3.1: the levels are x86-64, -v2, -v3 and -v4.
#ifndef TN_ISA_X86_LEVELS
#define TN_ISA_X86_LEVELS
#ifndef TINY_AMALGAMATED
#include "../ir/uop.c"
#include "x86_encode.c"
#endif

// ** levels **

// nbytes: of a vector register. masks: bools of vectors are in mask registers, else elements of 0 and -1 in vectors.
typedef struct tn_x86_level { const char *name; uint32_t has; uint8_t nbytes, masks; } tn_x86_level;
enum { TN_X86_SSE2, TN_X86_SSE4, TN_X86_AVX2, TN_X86_AVX512, TN_X86_AVX512_VNNI, TN_X86_AMX, TN_X86_LEVELS };

#define TN_X86_BIT(f) (1u << TN_X86_HAS_##f)
#define TN_X86_V2 \
  (TN_X86_BIT(N) | TN_X86_BIT(SSSE3) | TN_X86_BIT(SSE41) | TN_X86_BIT(SSE42) | TN_X86_BIT(POPCNT))
#define TN_X86_V3 \
  (TN_X86_V2 | TN_X86_BIT(LZCNT) | TN_X86_BIT(BMI1) | TN_X86_BIT(BMI2) | TN_X86_BIT(AVX) | TN_X86_BIT(AVX2) | \
   TN_X86_BIT(FMA) | TN_X86_BIT(F16C))
#define TN_X86_V4 (TN_X86_V3 | TN_X86_BIT(F) | TN_X86_BIT(BW) | TN_X86_BIT(DQ) | TN_X86_BIT(VL))
static const tn_x86_level tn_x86_levels[TN_X86_LEVELS] = {
  {"sse2", TN_X86_BIT(N), 16, 0}, {"sse4", TN_X86_V2, 16, 0}, {"avx2", TN_X86_V3, 32, 0},
  {"avx512", TN_X86_V4, 64, 1}, {"avx512 with VNNI", TN_X86_V4 | TN_X86_BIT(VNNI), 64, 1},
  {"amx", TN_X86_V4 | TN_X86_BIT(VNNI) | TN_X86_BIT(AMX), 64, 1}
};
#undef TN_X86_V4
#undef TN_X86_V3
#undef TN_X86_V2
#undef TN_X86_BIT

static int tn_x86_level_has(const tn_x86_level *l, int row) {
  const tn_x86_row *r = &tn_x86_rows[row];
  const int spaces = tn_x86_spaces(r);
  return (spaces & (TN_X86_LEGACY | TN_X86_VEX) && l->has >> r->has & 1) ||
         (spaces & TN_X86_EVEX && l->has >> r->has_evex & 1 && r->has_evex);
}

// ** the instruction for an op and a type **

// Types: scalar floats, vectors of floats, vectors of integers, by their size.
enum { TN_X86_S32, TN_X86_S64, TN_X86_V32, TN_X86_V64, TN_X86_I8, TN_X86_I16, TN_X86_I32, TN_X86_I64, TN_X86_TYPES };
enum { TN_X86_ROWS_OF = 3 };
typedef struct tn_x86_choice { uint16_t row[TN_X86_TYPES][TN_X86_ROWS_OF]; } tn_x86_choice;

#define TN_X86_NONE_ {0, 0, 0}
#define TN_X86_E_(e)       {TN_X86_##e, 0, 0}                          // of AVX-512, or of AVX alone
#define TN_X86_VL_(l)      {TN_X86_V##l, TN_X86_##l, 0}                // AVX's and AVX-512's, and SSE's
#define TN_X86_EVL_(e, l)  {TN_X86_##e, TN_X86_V##l, TN_X86_##l}
#define TN_X86_NONE_4_     TN_X86_NONE_, TN_X86_NONE_, TN_X86_NONE_, TN_X86_NONE_
#define TN_X86_FLOATS_(op) TN_X86_VL_(op##SS), TN_X86_VL_(op##SD), TN_X86_VL_(op##PS), TN_X86_VL_(op##PD)
#define TN_X86_INTS_(op)   TN_X86_VL_(op##B), TN_X86_VL_(op##W), TN_X86_VL_(op##D), TN_X86_VL_(op##Q)
#define TN_X86_FMAS_(op) \
  TN_X86_E_(op##SS), TN_X86_E_(op##SD), TN_X86_E_(op##PS), TN_X86_E_(op##PD), TN_X86_NONE_4_
#define TN_X86_SIGNED_(op) \
  TN_X86_VL_(op##SB), TN_X86_VL_(op##SW), TN_X86_VL_(op##SD), TN_X86_E_(V##op##SQ)
#define TN_X86_UNSIGNED_(op) \
  TN_X86_VL_(op##UB), TN_X86_VL_(op##UW), TN_X86_VL_(op##UD), TN_X86_E_(V##op##UQ)
#define TN_X86_FROM_16_(op) TN_X86_NONE_, TN_X86_VL_(op##W), TN_X86_VL_(op##D), TN_X86_VL_(op##Q)
#define TN_X86_BITS_(d, q, op) \
  TN_X86_EVL_(d, op), TN_X86_EVL_(d, op), TN_X86_EVL_(d, op), TN_X86_EVL_(q, op), \
  TN_X86_EVL_(d, op), TN_X86_EVL_(d, op), TN_X86_EVL_(d, op), TN_X86_EVL_(q, op)
#define TN_X86_ALL_(l) \
  TN_X86_VL_(l), TN_X86_VL_(l), TN_X86_VL_(l), TN_X86_VL_(l), TN_X86_VL_(l), TN_X86_VL_(l), TN_X86_VL_(l), TN_X86_VL_(l)
#define TN_X86_ALL_E_(e) \
  TN_X86_E_(e), TN_X86_E_(e), TN_X86_E_(e), TN_X86_E_(e), TN_X86_E_(e), TN_X86_E_(e), TN_X86_E_(e), TN_X86_E_(e)

// SHRU, SHLI ..: unsigned, by an immediate. EQ, LT, NE: to a vector of 0 and -1; of floats by a predicate; LT of
// integers has its sources the other way round. BLEND: by the top bit of bytes. BLEND_4: words of 4 bytes by the bits
// of an immediate. MOVE: from and to memory at any address; COPY: between registers; STREAM: to aligned memory, past
// the caches. GPR: between a general register and the lowest bytes. SPLAT: of the lowest element or of memory.
// BYTES_DOWN, BYTES_UP: by bytes, in each 16. EVEN: two words of 4 bytes of each source, of each 16 bytes. PACK:
// integers of twice the size, saturated as signed ones, by the result's type; PACKU: to unsigned. UNPACK, UNPACK_HIGH:
// the lower and the higher halves of each 16 bytes, element by element. PRODUCT, PRODUCT_SIGNED: of the lower 4 of each
// 8 bytes, 8 bytes. MADD: pairs of 2 bytes. SIGNS: the top bit of each byte. PERMUTE_16: bytes of each 16 by numbers.
// MASKED: from and to memory, elements whose top bit is set.
#define TN_X86_CHOICES(_) \
  _(ADD, TN_X86_FLOATS_(ADD), TN_X86_INTS_(PADD)) \
  _(SUB, TN_X86_FLOATS_(SUB), TN_X86_INTS_(PSUB)) \
  _(MUL, TN_X86_FLOATS_(MUL), TN_X86_NONE_, TN_X86_VL_(PMULLW), TN_X86_VL_(PMULLD), TN_X86_E_(VPMULLQ)) \
  _(FDIV, TN_X86_FLOATS_(DIV), TN_X86_NONE_4_) \
  _(AND, TN_X86_BITS_(VPANDD, VPANDQ, PAND)) \
  _(ANDN, TN_X86_BITS_(VPANDND, VPANDNQ, PANDN)) \
  _(OR, TN_X86_BITS_(VPORD, VPORQ, POR)) \
  _(XOR, TN_X86_BITS_(VPXORD, VPXORQ, PXOR)) \
  _(SHL, TN_X86_NONE_4_, TN_X86_NONE_, TN_X86_E_(VPSLLVW), TN_X86_E_(VPSLLVD), TN_X86_E_(VPSLLVQ)) \
  _(SHR, TN_X86_NONE_4_, TN_X86_NONE_, TN_X86_E_(VPSRAVW), TN_X86_E_(VPSRAVD), TN_X86_E_(VPSRAVQ)) \
  _(SHRU, TN_X86_NONE_4_, TN_X86_NONE_, TN_X86_E_(VPSRLVW), TN_X86_E_(VPSRLVD), TN_X86_E_(VPSRLVQ)) \
  _(SHLI, TN_X86_NONE_4_, TN_X86_FROM_16_(PSLL)) \
  _(SHRI, TN_X86_NONE_4_, TN_X86_NONE_, TN_X86_VL_(PSRAW), TN_X86_VL_(PSRAD), TN_X86_E_(VPSRAQ)) \
  _(SHRUI, TN_X86_NONE_4_, TN_X86_FROM_16_(PSRL)) \
  _(EQ, TN_X86_FLOATS_(CMP), TN_X86_INTS_(PCMPEQ)) \
  _(LT, TN_X86_FLOATS_(CMP), TN_X86_INTS_(PCMPGT)) \
  _(NE, TN_X86_FLOATS_(CMP), TN_X86_NONE_4_) \
  _(SQRT, TN_X86_FLOATS_(SQRT), TN_X86_NONE_4_) \
  _(TRUNC, TN_X86_EVL_(VRNDSCALESS, ROUNDSS), TN_X86_EVL_(VRNDSCALESD, ROUNDSD), \
    TN_X86_EVL_(VRNDSCALEPS, ROUNDPS), TN_X86_EVL_(VRNDSCALEPD, ROUNDPD), TN_X86_NONE_4_) \
  _(MAX, TN_X86_FLOATS_(MAX), TN_X86_SIGNED_(PMAX)) \
  _(MIN, TN_X86_FLOATS_(MIN), TN_X86_SIGNED_(PMIN)) \
  _(MAXU, TN_X86_NONE_4_, TN_X86_UNSIGNED_(PMAX)) \
  _(MINU, TN_X86_NONE_4_, TN_X86_UNSIGNED_(PMIN)) \
  _(FMADD, TN_X86_FMAS_(VFMADD231)) _(FNMADD, TN_X86_FMAS_(VFNMADD231)) \
  _(FMSUB, TN_X86_FMAS_(VFMSUB231)) _(FNMSUB, TN_X86_FMAS_(VFNMSUB231)) \
  _(FMADD_213, TN_X86_FMAS_(VFMADD213)) _(FNMADD_213, TN_X86_FMAS_(VFNMADD213)) \
  _(FMSUB_213, TN_X86_FMAS_(VFMSUB213)) _(FNMSUB_213, TN_X86_FMAS_(VFNMSUB213)) \
  _(BLEND, TN_X86_ALL_E_(VPBLENDVB)) \
  _(BLEND_4, TN_X86_NONE_4_, TN_X86_NONE_, TN_X86_NONE_, {TN_X86_VPBLENDD, TN_X86_BLENDPS, 0}, TN_X86_NONE_) \
  _(MOVE, TN_X86_VL_(MOVSS), TN_X86_VL_(MOVSD), TN_X86_VL_(MOVUPS), TN_X86_VL_(MOVUPS), \
    TN_X86_VL_(MOVUPS), TN_X86_VL_(MOVUPS), TN_X86_VL_(MOVUPS), TN_X86_VL_(MOVUPS)) \
  _(COPY, TN_X86_ALL_(MOVAPS)) \
  _(STREAM, TN_X86_ALL_(MOVNTPS)) \
  _(GPR, TN_X86_VL_(MOVD), TN_X86_VL_(MOVQ), TN_X86_VL_(MOVD), TN_X86_VL_(MOVQ), \
    TN_X86_VL_(MOVD), TN_X86_VL_(MOVD), TN_X86_VL_(MOVD), TN_X86_VL_(MOVQ)) \
  _(SPLAT, TN_X86_E_(VBROADCASTSS), TN_X86_E_(VPBROADCASTQ), TN_X86_E_(VBROADCASTSS), TN_X86_E_(VPBROADCASTQ), \
    TN_X86_E_(VPBROADCASTB), TN_X86_E_(VPBROADCASTW), TN_X86_E_(VPBROADCASTD), TN_X86_E_(VPBROADCASTQ)) \
  _(BYTES_DOWN, TN_X86_ALL_(PSRLDQ)) \
  _(BYTES_UP, TN_X86_ALL_(PSLLDQ)) \
  _(SHUFFLE_4, TN_X86_ALL_(PSHUFD)) \
  _(EVEN, TN_X86_ALL_(SHUFPS)) \
  _(PACK, TN_X86_NONE_4_, TN_X86_VL_(PACKSSWB), TN_X86_VL_(PACKSSDW), TN_X86_NONE_, TN_X86_NONE_) \
  _(PACKU, TN_X86_NONE_4_, TN_X86_VL_(PACKUSWB), TN_X86_NONE_, TN_X86_NONE_, TN_X86_NONE_) \
  _(UNPACK, TN_X86_VL_(UNPCKLPS), TN_X86_VL_(UNPCKLPD), TN_X86_VL_(UNPCKLPS), TN_X86_VL_(UNPCKLPD), \
    TN_X86_VL_(PUNPCKLBW), TN_X86_VL_(PUNPCKLWD), TN_X86_VL_(PUNPCKLDQ), TN_X86_VL_(PUNPCKLQDQ)) \
  _(UNPACK_HIGH, TN_X86_VL_(UNPCKHPS), TN_X86_VL_(UNPCKHPD), TN_X86_VL_(UNPCKHPS), TN_X86_VL_(UNPCKHPD), \
    TN_X86_VL_(PUNPCKHBW), TN_X86_VL_(PUNPCKHWD), TN_X86_VL_(PUNPCKHDQ), TN_X86_VL_(PUNPCKHQDQ)) \
  _(PRODUCT, TN_X86_NONE_4_, TN_X86_NONE_, TN_X86_NONE_, TN_X86_NONE_, TN_X86_VL_(PMULUDQ)) \
  _(PRODUCT_SIGNED, TN_X86_NONE_4_, TN_X86_NONE_, TN_X86_NONE_, TN_X86_NONE_, TN_X86_VL_(PMULDQ)) \
  _(MADD, TN_X86_NONE_4_, TN_X86_NONE_, TN_X86_NONE_, TN_X86_VL_(PMADDWD), TN_X86_NONE_) \
  _(DOT_I16, TN_X86_NONE_4_, TN_X86_NONE_, TN_X86_NONE_, TN_X86_E_(VPDPWSSD), TN_X86_NONE_) \
  _(SIGNS, TN_X86_ALL_(PMOVMSKB)) \
  _(PERMUTE_16, TN_X86_ALL_(PSHUFB)) \
  _(MASKED, TN_X86_NONE_, TN_X86_NONE_, TN_X86_E_(VPMASKMOVD), TN_X86_E_(VPMASKMOVQ), \
    TN_X86_NONE_, TN_X86_NONE_, TN_X86_E_(VPMASKMOVD), TN_X86_E_(VPMASKMOVQ))

enum {
#define TN_X86_CHOICE_ENUM(id, ...) TN_X86_DO_##id,
  TN_X86_CHOICES(TN_X86_CHOICE_ENUM)
#undef TN_X86_CHOICE_ENUM
  TN_X86_DO_COUNT
};
static const tn_x86_choice tn_x86_choices[TN_X86_DO_COUNT] = {
#define TN_X86_CHOICE_ROW(id, ...) {{__VA_ARGS__}},
  TN_X86_CHOICES(TN_X86_CHOICE_ROW)
#undef TN_X86_CHOICE_ROW
};

// The row for one of these and a type; 0: the level has none.
static int tn_x86_choose(const tn_x86_level *l, int what, int type) {
  const uint16_t *row = tn_x86_choices[what].row[type];
  for (int i = 0; i < TN_X86_ROWS_OF && row[i]; i++) if (tn_x86_level_has(l, row[i])) return row[i];
  return 0;
}

// ** conversions, of vectors: the longer side is the instruction's length **

typedef struct tn_x86_conversion { uint8_t from, to; uint16_t row[2]; } tn_x86_conversion;
#define TN_X86_TO_(a, b, l) {TINY_##a, TINY_##b, {TN_X86_V##l, TN_X86_##l}}
#define TN_X86_TO_E_(a, b, e) {TINY_##a, TINY_##b, {TN_X86_##e, 0}}
static const tn_x86_conversion tn_x86_conversions[] = {
  TN_X86_TO_(I32, F32, CVTDQ2PS), TN_X86_TO_(F32, I32, CVTTPS2DQ), TN_X86_TO_(I32, F64, CVTDQ2PD),
  TN_X86_TO_(F64, I32, CVTTPD2DQ), TN_X86_TO_(F32, F64, CVTPS2PD), TN_X86_TO_(F64, F32, CVTPD2PS),
  TN_X86_TO_E_(U32, F32, VCVTUDQ2PS), TN_X86_TO_E_(F32, U32, VCVTTPS2UDQ), TN_X86_TO_E_(U32, F64, VCVTUDQ2PD),
  TN_X86_TO_E_(F64, U32, VCVTTPD2UDQ), TN_X86_TO_E_(I64, F64, VCVTQQ2PD), TN_X86_TO_E_(U64, F64, VCVTUQQ2PD),
  TN_X86_TO_E_(I64, F32, VCVTQQ2PS), TN_X86_TO_E_(U64, F32, VCVTUQQ2PS), TN_X86_TO_E_(F64, I64, VCVTTPD2QQ),
  TN_X86_TO_E_(F64, U64, VCVTTPD2UQQ), TN_X86_TO_E_(F32, I64, VCVTTPS2QQ), TN_X86_TO_E_(F32, U64, VCVTTPS2UQQ),
  TN_X86_TO_E_(F16, F32, VCVTPH2PS), TN_X86_TO_E_(F32, F16, VCVTPS2PH),
  TN_X86_TO_(U8, U16, PMOVZXBW), TN_X86_TO_(U8, U32, PMOVZXBD), TN_X86_TO_(U8, U64, PMOVZXBQ),
  TN_X86_TO_(U16, U32, PMOVZXWD), TN_X86_TO_(U16, U64, PMOVZXWQ), TN_X86_TO_(U32, U64, PMOVZXDQ),
  TN_X86_TO_(I8, I16, PMOVSXBW), TN_X86_TO_(I8, I32, PMOVSXBD), TN_X86_TO_(I8, I64, PMOVSXBQ),
  TN_X86_TO_(I16, I32, PMOVSXWD), TN_X86_TO_(I16, I64, PMOVSXWQ), TN_X86_TO_(I32, I64, PMOVSXDQ),
  TN_X86_TO_E_(I16, I8, VPMOVWB), TN_X86_TO_E_(I32, I8, VPMOVDB), TN_X86_TO_E_(I32, I16, VPMOVDW),
  TN_X86_TO_E_(I64, I8, VPMOVQB), TN_X86_TO_E_(I64, I16, VPMOVQW), TN_X86_TO_E_(I64, I32, VPMOVQD)
};
#undef TN_X86_TO_E_
#undef TN_X86_TO_
static int tn_x86_conversion_row(const tn_x86_level *l, int from, int to) {
  for (size_t i = 0; i < sizeof tn_x86_conversions / sizeof *tn_x86_conversions; i++) {
    const tn_x86_conversion *c = &tn_x86_conversions[i];
    if (c->from != from || c->to != to) continue;
    for (int k = 0; k < 2 && c->row[k]; k++) if (tn_x86_level_has(l, c->row[k])) return c->row[k];
  }
  return 0;
}
#endif
