// amd_matrix: what goes from lane to lane by itself: reads and writes of one lane, permutations, swaps; and matrix
// instructions, WMMA of gfx11 and gfx12, SWMMAC, MFMA of gfx942.
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
// m = n, k; a, b, d: types; passes: of MFMA, cycles of WMMA.
typedef struct amd_shape { uint16_t op; uint8_t m, k, a, b, d, passes; } amd_shape;
enum { AMD_MOST_M = 32, AMD_MOST_K = 32 };

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
// Where A[i][k] is, and B[k][i].
static amd_spot amd_spot_a(const amd_wave *w, const amd_shape *s, int i, int k) {
  if (w->family == AMD_11) return (amd_spot){i, k};
  if (w->family == AMD_12 && amd_t_bits[s->a] == 16) return (amd_spot){i + 16 * (k / 4 % 2), k % 4 + 4 * (k / 8)};
  const int run = s->k / (w->lanes / s->m);                // k that a lane holds, one after another
  return (amd_spot){i + s->m * (k / run), k % run};
}
// Where D[i][j] is: a register, of f16 and bf16 a half of it.
static amd_spot amd_spot_d(const amd_wave *w, const amd_shape *s, const amd_ins *ins, int i, int j) {
  const int halves = amd_t_bits[s->d] == 16;
  if (w->family == AMD_11) return (amd_spot){j + 16 * (i % 2), halves ? i / 2 * 2 + ins->s[2].sel : i / 2};
  if (w->family == AMD_12) return (amd_spot){j + 16 * (i / 8), i % 8};
  if (s->d == AMD_T_F64) return (amd_spot){j + 16 * (i % 4), i / 4};
  if (s->m == 32) return (amd_spot){j + 32 * (i / 4 % 2), 4 * (i / 8) + i % 4};
  return (amd_spot){j + 16 * (i / 4), i % 4};
}
static int amd_regs_a(const amd_wave *w, const amd_shape *s, int type) {
  const int bits = amd_t_bits[type] * s->k * s->m / (w->family == AMD_11 ? 16 : w->lanes);
  return (bits + 31) / 32;
}
static int amd_regs_d(const amd_wave *w, const amd_shape *s) {
  const int bits = w->family == AMD_11 ? 32 : amd_t_bits[s->d];
  return bits * s->m * s->m / w->lanes / 32;
}

typedef struct amd_tile { double a[AMD_MOST_M][AMD_MOST_K], b[AMD_MOST_M][AMD_MOST_K]; } amd_tile;
static void amd_tile_load(amd_wave *w, const amd_ins *ins, const amd_shape *s, amd_tile *t) {
  const int whole = s->d == AMD_T_I32, nine = w->family == AMD_9;
  for (int i = 0; i < s->m; i++) {
    for (int k = 0; k < s->k; k++) {
      const amd_spot at = amd_spot_a(w, s, i, k);
      for (int side = 0; side < 2; side++) {
        const amd_operand *o = &ins->s[side];
        const int type = side ? s->b : s->a;
        double x = amd_element(w, o->reg, at.lane, at.element, type, nine || o->neg);
        if (!whole && !nine && (at.element & 1 ? o->abs : o->neg)) x = -x;
        if (type == AMD_T_F64 && ins->blgp >> side & 1) x = -x;
        if (side) t->b[i][k] = x;
        else t->a[i][k] = x;
      }
    }
  }
}
static double amd_c_of(amd_wave *w, const amd_ins *ins, const amd_shape *s, amd_spot at) {
  const amd_operand *o = &ins->s[2];
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
  const amd_operand *c = &i->s[2];
  const int n = amd_regs_d(w, s);
  const int same = c->where == AMD_V && w->wrote[c->reg].first == c->reg && w->wrote[c->reg].n == n;
  if (amd_exec(w) != amd_all(w)) amd_stop(w, i, "a matrix instruction without all lanes");
  amd_exec_hazard(w, i, 4, "a matrix instruction");
  for (int side = 0; side < 2; side++) {
    const int reg = i->s[side].reg, k = amd_regs_a(w, s, side ? s->b : s->a);
    if (w->family != AMD_9 && w->wmma_at && w->wmma_at == w->valus && reg < w->wmma_first + w->wmma_n &&
        w->wmma_first < reg + k)
      amd_stop(w, i, "hazard: the matrix instruction right before it writes its A or B");
    amd_reads(w, i, reg, k, amd_all(w), AMD_R_AB, 0);
    if (w->family == AMD_11) amd_twice(w, i, reg, k);
  }
  if (c->where == AMD_V) amd_reads(w, i, c->reg, n, amd_all(w), AMD_R_C, same);
  if (w->family == AMD_9 && (i->cbsz || i->abid || (i->blgp && s->d != AMD_T_F64)))
    amd_stop(w, i, "the emulator has no cbsz, abid and blgp");
}
static void amd_matrix_time(amd_wave *w, int passes);
static void amd_matrix_run(amd_wave *w, const amd_ins *ins, const amd_shape *s) {
  uint32_t r[16][AMD_LANES];
  amd_tile t;
  const int n = amd_regs_d(w, s);
  amd_matrix_checks(w, ins, s);
  amd_tile_load(w, ins, s, &t);
  if (amd_t_bits[s->d] == 16)              // gfx11 keeps the other half
    for (int k = 0; k < n; k++) memcpy(r[k], amd_v(w, ins->d.reg + k), (size_t)w->lanes * 4);
  for (int i = 0; i < s->m; i++) {
    for (int j = 0; j < s->m; j++) {
      const amd_spot at = amd_spot_d(w, s, ins, i, j);
      amd_d_put(r, s, at, amd_product(&t, s, i, j, amd_c_of(w, ins, s, at)), ins->clamp);
    }
  }
  amd_writes(w, ins, ins->d.reg, n, amd_all(w), AMD_W_MATRIX);
  for (int k = 0; k < n; k++) {
    amd_written *at = &w->wrote[ins->d.reg + k];
    amd_blend(w, ins->d.reg + k, r[k], amd_all(w));
    at->first = ins->d.reg; at->n = (uint8_t)n; at->passes = s->passes;
    at->xdl = (uint8_t)(s->d == AMD_T_F64 ? 2 : s->a != AMD_T_F32);
  }
  w->wmma_at = w->valus + 1; w->wmma_first = ins->d.reg; w->wmma_n = (uint16_t)n;
  w->m->r->matrix_flop += 2ull * s->m * s->m * s->k;
  amd_matrix_time(w, s->passes);
}
#endif
