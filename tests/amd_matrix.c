// amd_matrix: what goes from lane to lane by itself: reads and writes of one lane, permutations, swaps; and matrix
// instructions, WMMA of gfx11 and gfx12, SWMMAC of gfx12, MFMA of one block and many and SMFMAC of gfx942.
//
// Layouts: AMD, matrix instruction calculator 1.3.2. Sums: f16, bf16 and fp8 products are exact in double, summed
// there, and rounded once, which is as near as any order the hardware takes. gfx11 reads A and B from both halves of
// the lanes: they have to hold the same. All lanes have to be on. Included by amd_time.c.
#ifndef AMD_MATRIX_C
#define AMD_MATRIX_C
#include "amd_memory.c"

// ** one lane **

static int amd_first_lane(const amd_wave *w) {
  const int l = amd_lowest(amd_exec(w));
  return l == 64 ? 0 : l;
}
static int amd_lane_of(amd_wave *w, const amd_ins *i, const amd_operand *o) {
  return (int)(amd_value(w, i, o, 'u', AMD_SR_LANE) & (uint64_t)(w->lanes - 1));
}
// arg: 1: of the first lane that is on.
static void amd_readlane(amd_wave *w, const amd_ins *i) {
  amd_exec_hazard(w, i, 4, "a lane read");
  const int l = i->rule->arg ? amd_first_lane(w) : amd_lane_of(w, i, &i->s[1]);
  if (i->s[0].where != AMD_V) { amd_sput(w, i, i->d.reg, 1, amd_value(w, i, &i->s[0], 'u', AMD_SR_VALU), 1); return; }
  amd_reads(w, i, i->s[0].reg, 1, 1ull << l, AMD_R_LANE, 0);
  amd_sput(w, i, i->d.reg, 1, amd_v(w, i->s[0].reg)[l], 1);
}
static void amd_writelane(amd_wave *w, const amd_ins *i) {
  amd_exec_hazard(w, i, 4, "a lane write");
  const uint32_t x = (uint32_t)amd_value(w, i, &i->s[0], 'u', AMD_SR_VALU);
  const int l = amd_lane_of(w, i, &i->s[1]);
  amd_writes(w, i, i->d.reg, 1, 1ull << l, AMD_W_VALU);
  amd_v(w, i->d.reg)[l] = x;
}

// gfx12: a transcendental of a scalar.
static void amd_scalar_trans(amd_wave *w, const amd_ins *i) {
  uint32_t x = (uint32_t)amd_value(w, i, &i->s[0], 'f', AMD_SR_VALU);
  if (i->s[0].abs) x &= 0x7FFFFFFF;
  if (i->s[0].neg) x ^= 0x80000000;
  const double a = (double)amd_f32(amd_flush32(x));
  const double r = i->rule->arg == 0 ? exp2(a) : i->rule->arg == 1 ? log2(a) : i->rule->arg == 2 ? 1 / a
                 : i->rule->arg == 3 ? 1 / sqrt(a) : sqrt(a);
  amd_sput(w, i, i->d.reg, 1, amd_flush32(amd_b32((float)r)), 1);
}

// ** lanes of rows **

// Each lane of a row picks a lane by 4 bits of s[1] (lanes 0 to 7) or s[2]; arg: 1 of the other row of the pair; 2: by
// the low bits of s[1], a VGPR. op_sel[0]: lanes that are off are read; [1]: else they are 0, not kept.
static void amd_permlane16(amd_wave *w, const amd_ins *i) {
  const uint64_t exec = amd_exec(w);
  const int var = i->rule->arg & 2, fi = i->s[0].sel, bound = i->s[1].sel;
  uint64_t low = 0, high = 0, written = exec, read = 0;
  uint32_t r[AMD_LANES];
  amd_cmpx_hazard(w, i);
  if (var) amd_reads(w, i, i->s[1].reg, 1, exec, AMD_R_VALU, 0);
  else { low = amd_value(w, i, &i->s[1], 'u', AMD_SR_LANE); high = amd_value(w, i, &i->s[2], 'u', AMD_SR_LANE); }
  for (int l = 0; l < w->lanes; l++) {
    const int at = l & 15;
    const uint64_t pick = var ? amd_v(w, i->s[1].reg)[l] : (at < 8 ? low >> 4 * at : high >> 4 * (at - 8));
    const int s = ((l & ~15) ^ (i->rule->arg & 1 ? 16 : 0)) | (int)(pick & 15), is = fi || (exec >> s & 1);
    if (!is && !bound) written &= ~(1ull << l);
    r[l] = is ? amd_v(w, i->s[0].reg)[s] : 0;
    if (is && (exec >> l & 1)) read |= 1ull << s;
  }
  amd_reads(w, i, i->s[0].reg, 1, read, AMD_R_VALU, 0);
  amd_writes(w, i, i->d.reg, 1, written, AMD_W_VALU);
  amd_blend(w, i->d.reg, r, written);
}
static void amd_permlane64(amd_wave *w, const amd_ins *i) {
  const uint64_t exec = amd_exec(w);
  uint32_t r[AMD_LANES];
  amd_cmpx_hazard(w, i);
  amd_reads(w, i, i->s[0].reg, 1, exec, AMD_R_VALU, 0);
  for (int l = 0; l < w->lanes; l++) r[l] = amd_v(w, i->s[0].reg)[w->lanes == 64 ? l ^ 32 : l];
  amd_writes(w, i, i->d.reg, 1, exec, AMD_W_VALU);
  amd_blend(w, i->d.reg, r, exec);
}

// ** registers by M0, swaps: arg 1 the source is relative, 2 the destination **

static void amd_move(amd_wave *w, const amd_ins *i, int from, int to) {
  const uint64_t exec = amd_exec(w);
  amd_reads(w, i, from, 1, exec, AMD_R_VALU, 0);
  amd_writes(w, i, to, 1, exec, AMD_W_VALU);
  amd_blend(w, to, amd_v(w, from), exec);
}
static void amd_vmovrel(amd_wave *w, const amd_ins *i) {
  const int m0 = (int)amd_sget(w, i, AMD_M0, 1, AMD_SR_SALU), to = i->d.reg + (i->rule->arg & 2 ? m0 : 0);
  const int from = i->s[0].reg + (i->rule->arg & 1 ? m0 : 0);
  if (from < 0 || to < 0 || from >= AMD_AGPR || to >= AMD_AGPR) amd_stop(w, i, "M0 is %d, which leaves the VGPRs", m0);
  if (i->s[0].where == AMD_V) { amd_move(w, i, from, to); return; }
  uint32_t r[AMD_LANES];
  amd_broadcast(r, w->lanes, (uint32_t)amd_value(w, i, &i->s[0], 'u', AMD_SR_VALU));
  amd_writes(w, i, to, 1, amd_exec(w), AMD_W_VALU);
  amd_blend(w, to, r, amd_exec(w));
}
static void amd_swap(amd_wave *w, const amd_ins *i) {
  uint32_t keep[AMD_LANES];
  const uint64_t exec = amd_exec(w);
  amd_reads(w, i, i->d.reg, 1, exec, AMD_R_VALU, 0);
  memcpy(keep, amd_v(w, i->d.reg), (size_t)w->lanes * 4);
  amd_move(w, i, i->s[0].reg, i->d.reg);
  amd_writes(w, i, i->s[0].reg, 1, exec, AMD_W_VALU);
  amd_blend(w, i->s[0].reg, keep, exec);
}

// ** matrices **

enum { AMD_T_F16, AMD_T_BF16, AMD_T_F32, AMD_T_F64, AMD_T_I8, AMD_T_U4, AMD_T_FP8, AMD_T_BF8, AMD_T_XF32, AMD_T_I32 };
static const int amd_t_bits[] = {16, 16, 32, 64, 8, 4, 8, 8, 32, 32};
// m = n, k; a, b, d: types; passes: of MFMA, cycles of WMMA; blocks: products that stand side by side; sparse: A has
// two of every four, D is C, and the third source says which two.
typedef struct amd_shape { uint16_t op; uint8_t m, k, a, b, d, passes, blocks, sparse; } amd_shape;
enum { AMD_MOST_M = 32, AMD_MOST_K = 64, AMD_MOST_D = 32 };

// Element e (in order of bits) of lane l's operand, as a number. is_signed: of whole numbers.
static double amd_element(amd_wave *w, int reg, int l, int e, int type, int is_signed) {
  const int bits = amd_t_bits[type], at = e * bits;
  if (type == AMD_T_F64) return amd_f64(amd_lane_value(w, reg + 2 * e, l, 8));
  const uint32_t x = amd_v(w, reg + at / 32)[l], field = bits == 32 ? x : x >> at % 32 & ((1u << (bits & 31)) - 1);
  const int nine = w->family == AMD_9;
  switch (type) {
    case AMD_T_F16: return (double)amd_of_f16(field);
    case AMD_T_BF16: return (double)amd_of_bf16(field);
    case AMD_T_F32: return (double)amd_f32(x);
    case AMD_T_I32: return (double)(int32_t)x;
    case AMD_T_XF32: return (double)amd_f32(x & 0xFFFFE000);
    case AMD_T_FP8: return amd_decode(field, nine ? &amd_e4m3_fnuz : &amd_e4m3_format);
    case AMD_T_BF8: return amd_decode(field, nine ? &amd_e5m2_fnuz : &amd_e5m2_format);
    default: return (double)amd_field(x, at % 32, bits, is_signed);
  }
}
typedef struct amd_spot { int lane, element; } amd_spot;
// What a side has of k: of a sparse A every other.
static int amd_depth(const amd_shape *s, int side) { return s->sparse && !side ? s->k / 2 : s->k; }
// Where A[i][k] of a block is (side 0), and B[k][i].
static amd_spot amd_spot_of(const amd_wave *w, const amd_shape *s, int side, int block, int i, int k) {
  if (w->family == AMD_11) return (amd_spot){i, k};
  if (w->family == AMD_12 && amd_t_bits[s->a] == 16) {     // by turns of the two halves of the lanes
    const int run = s->sparse && side ? 8 : 4;
    return (amd_spot){i + 16 * (k / run % 2), k % run + run * (k / (2 * run))};
  }
  // k that a lane holds, one after another
  const int run = amd_depth(s, side) / (w->lanes / (s->m * s->blocks));
  return (amd_spot){i + s->m * (block + s->blocks * (k / run)), k % run};
}
// gfx942: the block of A, and the lane of B, that cbsz and abid, and blgp, put in the place of those.
static int amd_block_of(const amd_ins *ins, const amd_shape *s, int block) {
  return s->sparse ? block : (block >> ins->cbsz << ins->cbsz) + ins->abid;
}
static int amd_lane_by(int blgp, int lane) {
  if (blgp == 1 || blgp == 2) return lane % 32 + 32 * (blgp - 1);
  if (blgp == 3) return (lane + 16) % 64;
  return blgp > 3 ? lane % 16 + 16 * (blgp - 4) : lane;
}
// Which of its four the element of a sparse A is: 4 bits of two elements, in the part of the word that abid, or
// index_key, names.
static int amd_index_of(amd_wave *w, const amd_ins *ins, const amd_shape *s, amd_spot at) {
  const int bits = 2 * amd_depth(s, 0) / (w->lanes / s->m), part = ins->cbsz ? 0 : ins->abid;
  return (int)(amd_v(w, ins->s[2].reg)[at.lane] >> (part * bits % 32 + 2 * at.element) & 3);
}
// Where D[i][j] of a block is: a register, of f16 and bf16 a half of it.
static amd_spot amd_spot_d(const amd_wave *w, const amd_shape *s, const amd_ins *ins, int block, int i, int j) {
  const int halves = amd_t_bits[s->d] == 16;
  if (w->family == AMD_11) return (amd_spot){j + 16 * (i % 2), halves ? i / 2 * 2 + ins->s[2].sel : i / 2};
  if (w->family == AMD_12) return (amd_spot){j + 16 * (i / 8), i % 8};
  if (s->d == AMD_T_F64) return s->m == 4 ? (amd_spot){16 * i + 4 * block + j, 0} : (amd_spot){j + 16 * (i % 4), i / 4};
  if (s->m == 4) return (amd_spot){4 * block + j, i};
  if (s->m == 32) return (amd_spot){j + 32 * (i / 4 % 2), 16 * block + 4 * (i / 8) + i % 4};
  return (amd_spot){j + 16 * (i / 4), 4 * block + i % 4};
}
static int amd_regs_of(const amd_wave *w, const amd_shape *s, int side) {
  const int lanes = w->family == AMD_11 ? 16 : w->lanes;
  return (amd_t_bits[side ? s->b : s->a] * amd_depth(s, side) * s->m * s->blocks / lanes + 31) / 32;
}
static int amd_regs_d(const amd_wave *w, const amd_shape *s) {
  const int bits = w->family == AMD_11 ? 32 : amd_t_bits[s->d];
  return bits * s->m * s->m * s->blocks / w->lanes / 32;
}

typedef struct amd_tile { double a[AMD_MOST_M][AMD_MOST_K], b[AMD_MOST_M][AMD_MOST_K]; } amd_tile;
static double amd_input(amd_wave *w, const amd_ins *ins, const amd_shape *s, int side, amd_spot at) {
  const int whole = s->d == AMD_T_I32, nine = w->family == AMD_9, type = side ? s->b : s->a;
  const amd_operand *o = &ins->s[side];
  const int lane = nine && side && s->d != AMD_T_F64 ? amd_lane_by(ins->blgp, at.lane) : at.lane;
  const double x = amd_element(w, o->reg, lane, at.element, type, nine || o->neg);
  if (!whole && !nine && (at.element & 1 ? o->abs : o->neg)) return -x;
  return type == AMD_T_F64 && ins->blgp >> side & 1 ? -x : x;
}
static void amd_tile_load(amd_wave *w, const amd_ins *ins, const amd_shape *s, int block, amd_tile *t) {
  const int from = w->family == AMD_9 ? amd_block_of(ins, s, block) : block;
  if (s->sparse) memset(t->a, 0, sizeof t->a);
  for (int i = 0; i < s->m; i++) {
    for (int k = 0; k < amd_depth(s, 0); k++) {
      const amd_spot at = amd_spot_of(w, s, 0, from, i, k);
      t->a[i][s->sparse ? k / 2 * 4 + amd_index_of(w, ins, s, at) : k] = amd_input(w, ins, s, 0, at);
    }
    for (int k = 0; k < s->k; k++) t->b[i][k] = amd_input(w, ins, s, 1, amd_spot_of(w, s, 1, block, i, k));
  }
}
static const amd_operand *amd_added(const amd_ins *ins, const amd_shape *s) { return s->sparse ? &ins->d : &ins->s[2]; }
static double amd_c_of(amd_wave *w, const amd_ins *ins, const amd_shape *s, amd_spot at) {
  const amd_operand *o = amd_added(ins, s);
  double c;
  if (o->where != AMD_V) {
    const char type = s->d == AMD_T_F64 ? 'd' : amd_t_bits[s->d] == 16 ? 'h' : 'u';
    const uint64_t bits = amd_value(w, ins, o, type, AMD_SR_VALU);
    c = s->d == AMD_T_F64 ? amd_f64(bits) : s->d == AMD_T_I32 ? (double)(int32_t)bits
      : s->d == AMD_T_F32 ? (double)amd_f32((uint32_t)bits)
      : s->d == AMD_T_F16 ? (double)amd_of_f16((uint32_t)bits) : (double)amd_of_bf16((uint32_t)bits);
  } else {
    c = amd_element(w, o->reg, at.lane, at.element, s->d, 1);
  }
  if (s->d == AMD_T_I32 || w->family == AMD_9) return ins->blgp & 4 && s->d == AMD_T_F64 ? -c : c;
  if (o->abs) c = fabs(c);
  return o->neg ? -c : c;
}
static double amd_product(const amd_tile *t, const amd_shape *s, int i, int j, double c) {
  double sum = s->d == AMD_T_F64 ? c : 0;
  for (int k = 0; k < s->k; k++)
    sum = s->d == AMD_T_F64 ? fma(t->a[i][k], t->b[j][k], sum) : sum + t->a[i][k] * t->b[j][k];
  return s->d == AMD_T_F64 ? sum : amd_add_odd(sum, c);
}
static void amd_d_put(uint32_t (*r)[AMD_LANES], const amd_shape *s, amd_spot at, double x, int clamp) {
  if (s->d == AMD_T_F64) {
    r[2 * at.element][at.lane] = (uint32_t)amd_b64(x);
    r[2 * at.element + 1][at.lane] = (uint32_t)(amd_b64(x) >> 32);
  } else if (s->d == AMD_T_I32) {
    r[at.element][at.lane] = clamp ? amd_saturate_i32((int64_t)x) : (uint32_t)(int64_t)x;
  } else if (s->d == AMD_T_F32) {
    r[at.element][at.lane] = amd_b32((float)x);
  } else {
    const uint32_t h = s->d == AMD_T_F16 ? amd_to_f16(x, AMD_NEAREST) : amd_to_bf16(x);
    const int shift = 16 * (at.element & 1);
    uint32_t *to = &r[at.element / 2][at.lane];
    *to = (*to & ~(0xFFFFu << shift)) | h << shift;
  }
}
// gfx11: both halves of the lanes hold A, and B.
static void amd_twice(amd_wave *w, const amd_ins *i, int reg, int n) {
  char room[16];
  for (int r = reg; r < reg + n; r++)
    for (int l = 0; l < 16; l++)
      if (amd_v(w, r)[l] != amd_v(w, r)[l + 16])
        amd_stop(w, i, "%s differs between lanes %d and %d, where a matrix operand has to stand twice",
                 amd_vname(r, room), l, l + 16);
}
static void amd_matrix_checks(amd_wave *w, const amd_ins *i, const amd_shape *s) {
  const amd_operand *c = amd_added(i, s);
  const int n = amd_regs_d(w, s);
  const int same = c->where == AMD_V && w->wrote[c->reg].first == c->reg && w->wrote[c->reg].n == n;
  if (amd_exec(w) != amd_all(w)) amd_stop(w, i, "a matrix instruction without all lanes");
  amd_exec_hazard(w, i, 4, "a matrix instruction");
  for (int side = 0; side < 2 + s->sparse; side++) {
    const int reg = i->s[side].reg, k = side == 2 ? 1 : amd_regs_of(w, s, side);
    if (w->family != AMD_9 && w->wmma_at && w->wmma_at == w->valus && reg < w->wmma_first + w->wmma_n &&
        w->wmma_first < reg + k)
      amd_stop(w, i, "hazard: the matrix instruction right before it writes its A or B%s",
               s->sparse ? ", or its indices" : "");
    amd_reads(w, i, reg, k, amd_all(w), AMD_R_AB, 0);
    if (w->family == AMD_11) amd_twice(w, i, reg, k);
  }
  if (c->where == AMD_V) amd_reads(w, i, c->reg, n, amd_all(w), AMD_R_C, same);
}
// gfx942: which blocks of A and lanes of B are read can be said where there are blocks, or f32.
static void amd_modifiers_pass(amd_wave *w, const amd_ins *i, const amd_shape *s) {
  const int f64 = s->d == AMD_T_F64, blocks = s->blocks > 1 && !f64;
  const int part = amd_t_bits[s->a] == 16 ? 4 : 2;
  if (w->family != AMD_9) return;
  if (s->sparse ? !i->cbsz && i->abid >= part : (i->cbsz || i->abid) && (!blocks || 1 << i->cbsz > s->blocks ||
                                                                           i->abid >> i->cbsz))
    amd_stop(w, i, "cbsz and abid that the instruction does not have");
  if (i->blgp && !f64 && !blocks && s->a != AMD_T_F32) amd_stop(w, i, "blgp, which the instruction does not have");
}
static void amd_matrix_time(amd_wave *w, const amd_shape *s);
static void amd_block_run(amd_wave *w, const amd_ins *ins, const amd_shape *s, int block, uint32_t (*r)[AMD_LANES]) {
  amd_tile t;
  amd_tile_load(w, ins, s, block, &t);
  for (int i = 0; i < s->m; i++) {
    for (int j = 0; j < s->m; j++) {
      const amd_spot at = amd_spot_d(w, s, ins, block, i, j);
      amd_d_put(r, s, at, amd_product(&t, s, i, j, amd_c_of(w, ins, s, at)), ins->clamp);
    }
  }
}
static void amd_matrix_run(amd_wave *w, const amd_ins *ins, const amd_shape *s) {
  uint32_t r[AMD_MOST_D][AMD_LANES];
  const int n = amd_regs_d(w, s);
  amd_modifiers_pass(w, ins, s);
  amd_matrix_checks(w, ins, s);
  if (amd_t_bits[s->d] == 16)              // gfx11 keeps the other half
    for (int k = 0; k < n; k++) memcpy(r[k], amd_v(w, ins->d.reg + k), (size_t)w->lanes * 4);
  for (int block = 0; block < s->blocks; block++) amd_block_run(w, ins, s, block, r);
  amd_writes(w, ins, ins->d.reg, n, amd_all(w), AMD_W_MATRIX);
  for (int k = 0; k < n; k++) {
    amd_written *at = &w->wrote[ins->d.reg + k];
    amd_blend(w, ins->d.reg + k, r[k], amd_all(w));
    at->first = ins->d.reg; at->n = (uint8_t)n; at->passes = s->passes;
    at->xdl = (uint8_t)(s->d == AMD_T_F64 ? 2 : s->a != AMD_T_F32);
  }
  w->wmma_at = w->valus + 1; w->wmma_first = ins->d.reg; w->wmma_n = (uint16_t)n;
  w->m->r->matrix_flop += 2ull * s->m * s->m * s->k * s->blocks;
  amd_matrix_time(w, s);
}
#endif
