// amd_scalar: instructions of the scalar unit: integers and masks of one wave, branches, MODE, messages, barriers.
//
// A rule's types: u: 32 bits, q: 64, -: none; capitals: the destination's old value; k: simm16 with its sign, K:
// without.
// Source: AMD, RDNA3 ISA 16.1 to 16.5 ("SOP2" ff.). Included by amd_float_lanes.c.
#ifndef AMD_SCALAR_C
#define AMD_SCALAR_C
#include "amd_lanes.c"

// Conditions of floats, by code: bit 0 less, bit 1 equal, bit 2 greater; 8 and above also where unordered.
static uint32_t amd_ordered(double a, double b, int condition) {
  if (a != a || b != b) return (uint32_t)condition >> 3;
  return (condition & (a < b ? 1 : a == b ? 2 : 4)) != 0;
}
static uint64_t amd_scalar_source(amd_wave *w, const amd_ins *i, char type, int *own) {
  if (type == 'k') return (uint64_t)(int64_t)i->offset;
  if (type == 'K') return (uint16_t)i->offset;
  if (type == 'U' || type == 'Q') return amd_sget(w, i, i->d.reg, type == 'Q' ? 2 : 1, AMD_SR_SALU);
  return amd_value(w, i, &i->s[(*own)++], type == 'q' ? 'q' : 'u', AMD_SR_SALU);
}
static int amd_takes_scc(const amd_ins *i) {
  switch (i->op) {
    case TN_AMD_S_ADDC_U32: case TN_AMD_S_SUBB_U32: case TN_AMD_S_CSELECT_B32: case TN_AMD_S_CSELECT_B64:
    case TN_AMD_S_CMOV_B32: case TN_AMD_S_CMOV_B64: case TN_AMD_S_CMOVK_I32: case TN_AMD_S_CBRANCH_SCC0:
    case TN_AMD_S_CBRANCH_SCC1: return 1;
    default: return 0;
  }
}
static void amd_scc_is_set(amd_wave *w, const amd_ins *i) {
  if (w->scc > 1) amd_stop(w, i, "SCC is read, which nobody has set");
}
static void amd_scalar_run(amd_wave *w, const amd_ins *i) {
  const char *types = i->rule->types;
  int own = 0;
  amd_scalar x = {w, i, 0, 0, 0, w->scc};
  if (amd_takes_scc(i)) amd_scc_is_set(w, i);
  if (types[2]) x.a = amd_scalar_source(w, i, types[2], &own);
  if (types[2] && types[3]) x.b = amd_scalar_source(w, i, types[3], &own);
  if (types[2] == 'u' || types[2] == 'U') x.a = (uint32_t)x.a;
  if (types[3] == 'u' || types[3] == 'U') x.b = (uint32_t)x.b;
  i->rule->scalar(&x);
  w->scc = (uint8_t)x.scc;
  if (types[0] != '-') amd_sput(w, i, i->d.reg, types[0] == 'q' ? 2 : 1, x.d, 0);
}
#define AMD_SCALAR(name, ...)                                                                                          \
  static void amd_s_##name(amd_scalar *x) {                                                                            \
    const uint64_t a = x->a, b = x->b;                                                                                 \
    uint64_t d = 0;                                                                                                    \
    uint32_t scc = x->scc;                                                                                             \
    (void)a; (void)b;                                                                                                  \
    __VA_ARGS__;                                                                                                       \
    x->d = d; x->scc = scc;                                                                                            \
  }
#define AMD_LOGIC(name, e)                                                                                             \
  AMD_SCALAR(name##32, d = (uint32_t)(e); scc = d != 0)                                                                \
  AMD_SCALAR(name##64, d = (e); scc = d != 0)

AMD_SCALAR(add_u32, d = a + b; scc = d >> 32 != 0)
AMD_SCALAR(sub_u32, d = a - b; scc = b > a)
AMD_SCALAR(add_i32, d = (uint32_t)(a + b); scc = (uint32_t)((a ^ d) & (b ^ d)) >> 31)
AMD_SCALAR(sub_i32, d = (uint32_t)(a - b); scc = (uint32_t)((a ^ b) & (a ^ d)) >> 31)
AMD_SCALAR(addc_u32, d = a + b + scc; scc = d >> 32 != 0)
AMD_SCALAR(subb_u32, d = a - b - scc; scc = b + scc > a)
AMD_SCALAR(absdiff, d = (uint32_t)(a - b); d = d >> 31 ? (uint32_t)-(uint32_t)d : d; scc = d != 0)
AMD_SCALAR(lshl, d = (uint32_t)(a << (b & 31)); scc = d != 0)
AMD_SCALAR(lshr, d = a >> (b & 31); scc = d != 0)
AMD_SCALAR(ashr, d = (uint32_t)((int32_t)a >> (b & 31)); scc = d != 0)
AMD_SCALAR(lshl64, d = a << (b & 63); scc = d != 0)
AMD_SCALAR(lshr64, d = a >> (b & 63); scc = d != 0)
AMD_SCALAR(ashr64, d = (uint64_t)((int64_t)a >> (b & 63)); scc = d != 0)
AMD_SCALAR(lshl_add, d = (a << x->i->rule->arg) + b; scc = d >> 32 != 0)
AMD_SCALAR(min_i32, scc = (int32_t)a < (int32_t)b; d = scc ? a : b)
AMD_SCALAR(min_u32, scc = a < b; d = scc ? a : b)
AMD_SCALAR(max_i32, scc = (int32_t)a >= (int32_t)b; d = scc ? a : b)
AMD_SCALAR(max_u32, scc = a >= b; d = scc ? a : b)
AMD_LOGIC(and, a & b) AMD_LOGIC(or, a | b) AMD_LOGIC(xor, a ^ b) AMD_LOGIC(nand, ~(a & b)) AMD_LOGIC(nor, ~(a | b))
AMD_LOGIC(xnor, ~(a ^ b)) AMD_LOGIC(and_not1, a & ~b) AMD_LOGIC(or_not1, a | ~b) AMD_LOGIC(not, ~a)
AMD_SCALAR(bfe_u32, const uint64_t n = b >> 16 & 127; d = n >= 32 ? a >> (b & 31) : a >> (b & 31) & ((1ull << n) - 1);
           scc = d != 0)
AMD_SCALAR(bfe_i32, const uint64_t n = b >> 16 & 127; const int64_t t = (int32_t)a >> (b & 31);
           d = n >= 32 ? (uint32_t)t : n ? (uint32_t)((int64_t)((uint64_t)t << (64 - n)) >> (64 - n)) : 0; scc = d != 0)
AMD_SCALAR(bfe_u64, const uint64_t n = b >> 16 & 127; d = n >= 64 ? a >> (b & 63) : a >> (b & 63) & ((1ull << n) - 1);
           scc = d != 0)
AMD_SCALAR(bfe_i64, const uint64_t n = b >> 16 & 127; const int64_t t = (int64_t)a >> (b & 63);
           d = n >= 64 ? (uint64_t)t : n ? (uint64_t)((int64_t)((uint64_t)t << (64 - n)) >> (64 - n)) : 0; scc = d != 0)
AMD_SCALAR(bfm32, d = (uint32_t)(((1ull << (a & 31)) - 1) << (b & 31)))
AMD_SCALAR(bfm64, d = ((1ull << (a & 63)) - 1) << (b & 63))
AMD_SCALAR(mul_i32, d = (uint32_t)(a * b))
AMD_SCALAR(mul_hi_u32, d = a * b >> 32)
AMD_SCALAR(mul_hi_i32, d = (uint32_t)((uint64_t)((int64_t)(int32_t)a * (int32_t)b) >> 32))
AMD_SCALAR(cselect, d = scc ? a : b)
AMD_SCALAR(pack_ll, d = (a & 0xFFFF) | (b & 0xFFFF) << 16)
AMD_SCALAR(pack_lh, d = (a & 0xFFFF) | (b & 0xFFFF0000))
AMD_SCALAR(pack_hh, d = a >> 16 | (b & 0xFFFF0000))
AMD_SCALAR(pack_hl, d = a >> 16 | (b & 0xFFFF) << 16)
AMD_SCALAR(add_u64, d = a + b)
AMD_SCALAR(sub_u64, d = a - b)
AMD_SCALAR(mul_u64, d = a * b)
#define AMD_SCALAR_F32(name, e)                                                                                        \
  AMD_SCALAR(name, const float fa = amd_f32((uint32_t)a); const float fb = amd_f32((uint32_t)b); (void)fa; (void)fb;   \
             d = (e))
AMD_SCALAR_F32(add_f32, amd_b32(fa + fb)) AMD_SCALAR_F32(sub_f32, amd_b32(fa - fb))
AMD_SCALAR_F32(mul_f32, amd_b32(fa * fb))
AMD_SCALAR(min_f32, d = amd_less32((uint32_t)a, (uint32_t)b, 0, 0))
AMD_SCALAR(max_f32, d = amd_less32((uint32_t)a, (uint32_t)b, 1, 0))
AMD_SCALAR_F32(cvt_pk_rtz, amd_to_f16((double)fa, AMD_ZERO) | amd_to_f16((double)fb, AMD_ZERO) << 16)
AMD_SCALAR(fmac_f32, d = amd_sget(x->w, x->i, x->i->d.reg, 1, AMD_SR_SALU);
           d = amd_b32(amd_fma_near(amd_f32((uint32_t)a), amd_f32((uint32_t)b), amd_f32((uint32_t)d))))
AMD_SCALAR(fmaak_f32, d = amd_value(x->w, x->i, &x->i->s[2], 'u', AMD_SR_SALU);
           d = amd_b32(amd_fma_near(amd_f32((uint32_t)a), amd_f32((uint32_t)b), amd_f32((uint32_t)d))))
AMD_SCALAR(minimum_f32, d = amd_less32_nan((uint32_t)a, (uint32_t)b, x->i->rule->arg))
#define AMD_SCALAR_F16(name, e)                                                                                        \
  AMD_SCALAR(name, const double ha = (double)amd_of_f16(a & 0xFFFF); const double hb = (double)amd_of_f16(b & 0xFFFF); \
             (void)ha; (void)hb; d = (e))
AMD_SCALAR_F16(add_f16, amd_to_f16(ha + hb, AMD_NEAREST)) AMD_SCALAR_F16(sub_f16, amd_to_f16(ha - hb, AMD_NEAREST))
AMD_SCALAR_F16(mul_f16, amd_to_f16(ha * hb, AMD_NEAREST)) AMD_SCALAR_F16(ceil_f16, amd_to_f16(ceil(ha), AMD_NEAREST))
AMD_SCALAR_F16(floor_f16, amd_to_f16(floor(ha), AMD_NEAREST))
AMD_SCALAR_F16(trunc_f16, amd_to_f16(trunc(ha), AMD_NEAREST))
AMD_SCALAR_F16(rndne_f16, amd_to_f16(rint(ha), AMD_NEAREST))
AMD_SCALAR(min_f16, d = amd_less16((uint16_t)a, (uint16_t)b, x->i->rule->arg, 0))
AMD_SCALAR(minimum_f16, d = amd_less16_nan((uint16_t)a, (uint16_t)b, x->i->rule->arg))
AMD_SCALAR(fmac_f16, d = amd_sget(x->w, x->i, x->i->d.reg, 1, AMD_SR_SALU);
           d = amd_fma_f16(a & 0xFFFF, b & 0xFFFF, d & 0xFFFF, AMD_NEAREST))
AMD_SCALAR(cmp_f16, scc = amd_ordered((double)amd_of_f16(a & 0xFFFF), (double)amd_of_f16(b & 0xFFFF), x->i->rule->arg))
AMD_SCALAR_F32(cvt_f16_f32, amd_to_f16((double)fa, (int)(x->w->mode >> 2 & 3)))
AMD_SCALAR(cvt_f32_f16, d = amd_b32(amd_of_f16(a >> x->i->rule->arg & 0xFFFF)))
AMD_SCALAR(cvt_f32_i32, d = amd_b32((float)(int32_t)a))
AMD_SCALAR(cvt_f32_u32, d = amd_b32((float)(uint32_t)a))
AMD_SCALAR_F32(cvt_i32_f32, (uint32_t)amd_to_i32((double)fa))
AMD_SCALAR_F32(cvt_u32_f32, amd_to_u32((double)fa))
AMD_SCALAR_F32(trunc_f32, amd_b32(truncf(fa)))
AMD_SCALAR_F32(floor_f32, amd_b32(floorf(fa)))
AMD_SCALAR_F32(ceil_f32, amd_b32(ceilf(fa)))
AMD_SCALAR_F32(rndne_f32, amd_b32(rintf(fa)))
AMD_SCALAR(cmp_f32,
           scc = amd_ordered((double)amd_f32((uint32_t)a), (double)amd_f32((uint32_t)b), x->i->rule->arg))

AMD_SCALAR(addk, d = (uint32_t)(a + (uint32_t)b); scc = (uint32_t)((a ^ d) & (b ^ d)) >> 31)
AMD_SCALAR(mov, d = a)
AMD_SCALAR(cmov, d = scc ? a : b)
static uint64_t amd_reverse(uint64_t x, int bits) {
  uint64_t r = 0;
  for (int k = 0; k < bits; k++) r |= (x >> k & 1) << (bits - 1 - k);
  return r;
}
static int amd_highest(uint64_t x) {                      // -1: none
  int n = -1;
  for (; x; x >>= 1) n++;
  return n;
}
AMD_SCALAR(brev32, d = amd_reverse(a, 32))
AMD_SCALAR(brev64, d = amd_reverse(a, 64))
AMD_SCALAR(ctz, d = a ? (uint32_t)amd_lowest(a) : 0xFFFFFFFF)
AMD_SCALAR(clz32, d = a ? (uint32_t)(31 - amd_highest(a)) : 0xFFFFFFFF)
AMD_SCALAR(clz64, d = a ? (uint32_t)(63 - amd_highest(a)) : 0xFFFFFFFF)
static uint32_t amd_cls(uint32_t a) {                     // bits that equal the sign from it on; all: -1
  const uint32_t t = a >> 31 ? ~a : a;
  return t ? (uint32_t)(31 - amd_highest(t)) : 0xFFFFFFFF;
}
AMD_SCALAR(cls, d = amd_cls((uint32_t)a))
AMD_SCALAR(sext8, d = (uint32_t)(int8_t)a)
AMD_SCALAR(sext16, d = (uint32_t)(int16_t)a)
AMD_SCALAR(cls64, const uint64_t t = a >> 63 ? ~a : a; d = t ? (uint32_t)(63 - amd_highest(t)) : 0xFFFFFFFF)
AMD_SCALAR(ff0_32, d = (uint32_t)~a ? (uint32_t)amd_lowest((uint32_t)~a) : 0xFFFFFFFF)
AMD_SCALAR(ff0_64, d = ~a ? (uint32_t)amd_lowest(~a) : 0xFFFFFFFF)
AMD_SCALAR(bcnt0_64, d = (uint32_t)(64 - amd_popcount(a)); scc = d != 0)
AMD_SCALAR(bitset0_64, d = a & ~(1ull << (b & 63))) AMD_SCALAR(bitset1_64, d = a | 1ull << (b & 63))
AMD_SCALAR(bitcmp0_64, scc = !(a >> (b & 63) & 1)) AMD_SCALAR(bitcmp1_64, scc = a >> (b & 63) & 1)
AMD_SCALAR(bitreplicate, for (int k = 0; k < 32; k++) d |= (a >> k & 1) * 3ull << 2 * k)
AMD_SCALAR(quadmask, for (int k = 0; k < 64; k += 4) d |= (uint64_t)((a >> k & 15) != 0) << k / 4; scc = d != 0)
AMD_SCALAR(wqm64, for (int k = 0; k < 64; k += 4) d |= (a >> k & 15) ? 15ull << k : 0; scc = d != 0)
AMD_SCALAR(wqm, for (int k = 0; k < 32; k += 4) d |= (a >> k & 15) ? 15ull << k : 0; scc = d != 0)
AMD_SCALAR(abs, d = (int32_t)a < 0 ? (uint32_t)-(uint32_t)a : a; scc = d != 0)
AMD_SCALAR(bcnt0, d = (uint32_t)(32 - amd_popcount(a)); scc = d != 0)
AMD_SCALAR(bcnt1, d = (uint32_t)amd_popcount(a); scc = d != 0)
AMD_SCALAR(bitset0, d = a & ~(1ull << (b & 31)))
AMD_SCALAR(bitset1, d = a | 1ull << (b & 31))
AMD_SCALAR(eq, scc = a == b) AMD_SCALAR(ne, scc = a != b)
AMD_SCALAR(gt_i, scc = (int32_t)a > (int32_t)b) AMD_SCALAR(ge_i, scc = (int32_t)a >= (int32_t)b)
AMD_SCALAR(lt_i, scc = (int32_t)a < (int32_t)b) AMD_SCALAR(le_i, scc = (int32_t)a <= (int32_t)b)
AMD_SCALAR(gt_u, scc = a > b) AMD_SCALAR(ge_u, scc = a >= b) AMD_SCALAR(lt_u, scc = a < b)
AMD_SCALAR(le_u, scc = a <= b)
AMD_SCALAR(bitcmp0, scc = !(a >> (b & 31) & 1)) AMD_SCALAR(bitcmp1, scc = a >> (b & 31) & 1)
AMD_SCALAR(eq_k, scc = (uint32_t)a == (uint32_t)b) AMD_SCALAR(ne_k, scc = (uint32_t)a != (uint32_t)b)

// Old EXEC to the destination, the mask that is made of both to EXEC.
static void amd_saveexec(amd_wave *w, const amd_ins *i) {
  const int n = i->rule->types[0] == 'q' ? 2 : 1;
  const uint64_t a = amd_value(w, i, &i->s[0], n == 2 ? 'q' : 'u', AMD_SR_SALU);
  const uint64_t old = amd_sget(w, i, AMD_EXEC, n, AMD_SR_SALU);
  uint64_t mask = 0;
  switch (i->rule->arg) {
    case 0: mask = a & old; break;
    case 1: mask = a | old; break;
    case 2: mask = a ^ old; break;
    case 3: mask = a & ~old; break;        // not1: EXEC is negated
    case 4: mask = ~a & old; break;        // not0
    case 5: mask = ~(a & old); break;
    case 6: mask = ~(a | old); break;
    case 7: mask = ~(a ^ old); break;
    case 8: mask = a | ~old; break;
    default: mask = ~a | old; break;
  }
  if (n == 1) mask = (uint32_t)mask;
  amd_sput(w, i, i->d.reg, n, old, 0);
  amd_sput(w, i, AMD_EXEC, n, mask, 0);
  w->scc = mask != 0;
}

// ** M0 as an index **

static void amd_movrel(amd_wave *w, const amd_ins *i) {
  amd_m0_hazard(w, i);
  const int m0 = (int)amd_sget(w, i, AMD_M0, 1, AMD_SR_SALU), to = i->rule->arg;
  const int from = i->s[0].reg + (to ? 0 : m0), d = i->d.reg + (to ? m0 : 0);
  if (from >= AMD_VCC || d >= AMD_VCC || d < 0 || from < 0) amd_stop(w, i, "M0 is %d, which leaves the SGPRs", m0);
  const uint64_t x = to ? amd_value(w, i, &i->s[0], 'u', AMD_SR_SALU) : amd_sget(w, i, from, 1, AMD_SR_SALU);
  amd_sput(w, i, d, 1, x, 0);
}

// ** where to go on **

static uint64_t amd_target(const amd_ins *i) {
  return i->pc + 4 * (uint64_t)i->nwords + (uint64_t)((int64_t)i->offset * 4);
}
static void amd_jump(amd_wave *w, uint64_t to) { w->jump = to; w->jumps = 1; }
enum { AMD_IF_ALWAYS, AMD_IF_SCC0, AMD_IF_SCC1, AMD_IF_VCCZ, AMD_IF_VCCNZ, AMD_IF_EXECZ, AMD_IF_EXECNZ };
static void amd_branch(amd_wave *w, const amd_ins *i) {
  int taken = 1;
  if (amd_takes_scc(i)) amd_scc_is_set(w, i);
  if (i->rule->arg == AMD_IF_SCC0 || i->rule->arg == AMD_IF_SCC1) taken = w->scc == (i->rule->arg == AMD_IF_SCC1);
  if (i->rule->arg == AMD_IF_VCCZ || i->rule->arg == AMD_IF_VCCNZ)
    taken = (amd_sget(w, i, AMD_VCC, amd_mask_n(w), AMD_SR_SALU) != 0) == (i->rule->arg == AMD_IF_VCCNZ);
  if (i->rule->arg == AMD_IF_EXECZ || i->rule->arg == AMD_IF_EXECNZ)
    taken = (amd_exec(w) != 0) == (i->rule->arg == AMD_IF_EXECNZ);
  if (taken) amd_jump(w, amd_target(i));
}
static void amd_getpc(amd_wave *w, const amd_ins *i) {
  amd_sput(w, i, i->d.reg, 2, i->pc + 4 * (uint64_t)i->nwords, 0);
}
static void amd_setpc(amd_wave *w, const amd_ins *i) {
  const uint64_t to = amd_value(w, i, &i->s[0], 'q', AMD_SR_SALU);
  if (i->rule->arg) amd_getpc(w, i);       // s_swappc
  amd_jump(w, to);
}
static void amd_call(amd_wave *w, const amd_ins *i) { amd_getpc(w, i); amd_jump(w, amd_target(i)); }
static void amd_endpgm(amd_wave *w, const amd_ins *i) {
  (void)i;
  for (int c = 0; c < AMD_COUNTERS; c++) amd_wait(w, c, 0);
  w->state = AMD_ENDED;
  w->group->alive--;
}
static void amd_nothing(amd_wave *w, const amd_ins *i) { (void)w; (void)i; }
static void amd_nop(amd_wave *w, const amd_ins *i) { w->states += (uint32_t)(i->offset & 15); }
static void amd_trap(amd_wave *w, const amd_ins *i) { amd_stop(w, i, "the kernel traps, %d", i->offset); }
static void amd_no_code(amd_wave *w, const amd_ins *i) { amd_stop(w, i, "the code has run off its end"); }

// ** MODE and other hardware registers **

enum { AMD_HW_MODE = 1, AMD_HW_STATUS = 2, AMD_HW_XCC = 20, AMD_HW_CYCLES = 29 };
static uint32_t amd_hwreg(amd_wave *w, const amd_ins *i, int id) {
  switch (id) {
    case AMD_HW_MODE: return w->mode;
    case AMD_HW_STATUS: return (w->scc & 1) | (uint32_t)(amd_exec(w) == 0) << 9;
    case AMD_HW_XCC: return 0;
    case AMD_HW_CYCLES: return (uint32_t)w->cycle & 0xFFFFF;
    default: amd_stop(w, i, "the emulator has no hardware register %d", id);
  }
}
static void amd_getreg(amd_wave *w, const amd_ins *i) {
  const int id = i->offset & 63, at = i->offset >> 6 & 31, n = (i->offset >> 11 & 31) + 1;
  if (w->family == AMD_9 && w->setreg_at && w->states - w->setreg_at - 1 < 2)
    amd_stop(w, i, "hazard: s_setreg is fewer than 2 wait states before");
  amd_sput(w, i, i->d.reg, 1, amd_hwreg(w, i, id) >> at & ((1ull << n) - 1), 0);
}
static void amd_setreg(amd_wave *w, const amd_ins *i) {
  const int id = i->offset & 63, at = i->offset >> 6 & 31, n = (i->offset >> 11 & 31) + 1;
  const uint32_t field = (uint32_t)(((1ull << n) - 1) << at);
  const uint32_t x = i->rule->arg ? (uint32_t)i->s[0].value : (uint32_t)amd_sget(w, i, i->s[0].reg, 1, AMD_SR_SALU);
  if (id != AMD_HW_MODE) amd_stop(w, i, "the emulator sets MODE alone, not register %d", id);
  if (w->family == AMD_9 && w->setreg_at && w->states - w->setreg_at - 1 < 2)
    amd_stop(w, i, "hazard: s_setreg is fewer than 2 wait states before");
  w->mode = (w->mode & ~field) | (x << at & field);
  w->setreg_at = w->states;
}
static void amd_round_mode(amd_wave *w, const amd_ins *i) { w->mode = (w->mode & ~15u) | (i->offset & 15); }
static void amd_denorm_mode(amd_wave *w, const amd_ins *i) { w->mode = (w->mode & ~0xF0u) | (i->offset & 15) << 4; }

// ** waits **

static void amd_waitcnt(amd_wave *w, const amd_ins *i) {
  const int x = i->offset;
  if (w->family == AMD_9) {
    const int vm = (x & 15) | (x >> 10 & 0x30), lgkm = x >> 8 & 15, exp = x >> 4 & 7;
    if (vm != 63) amd_wait(w, AMD_LOADCNT, vm);
    if (lgkm != 15) amd_wait(w, AMD_DSCNT, lgkm);
    if (exp != 7) amd_wait(w, AMD_EXPCNT, exp);
  } else {
    const int vm = x >> 10 & 63, lgkm = x >> 4 & 63, exp = x & 7;
    if (vm != 63) amd_wait(w, AMD_LOADCNT, vm);
    if (lgkm != 63) amd_wait(w, AMD_DSCNT, lgkm);
    if (exp != 7) amd_wait(w, AMD_EXPCNT, exp);
  }
}
static void amd_wait_one(amd_wave *w, const amd_ins *i) {
  if (i->rule->arg < 8) { amd_wait(w, i->rule->arg, i->offset & 63); return; }
  amd_wait(w, i->rule->arg - 8, i->offset >> 8 & 63);     // gfx12: loads or stores, and LDS
  amd_wait(w, AMD_DSCNT, i->offset & 63);
}
static void amd_wait_all(amd_wave *w, const amd_ins *i) {
  (void)i;
  for (int c = 0; c < AMD_COUNTERS; c++) amd_wait(w, c, 0);
}
// s_waitcnt_depctr, s_wait_alu: fields of at most so many outstanding.
static void amd_depctr(amd_wave *w, const amd_ins *i) {
  const int x = i->offset, sdst = x & 1, vcc = x >> 1 & 1, va_sdst = x >> 9 & 7, va_vdst = x >> 12 & 15;
  if (va_vdst == 0) w->va_mark = w->valus;
  for (int r = 0; r < AMD_SGPRS; r++) {
    if (w->sread[r] == 2 && !sdst) w->sread[r] = 1;
    if (w->sread[r] == 3 && (r == AMD_VCC || r == AMD_VCC + 1 ? !vcc : !va_sdst)) w->sread[r] = 1;
  }
}

// ** barriers: those that have not ended are waited for **

static void amd_barrier_passed(amd_group *g) {
  uint64_t cycle = 0;
  g->epoch++;
  g->arrived = 0;
  for (int k = 0; k < g->nwaves; k++)
    if (g->wave[k]->cycle > cycle) cycle = g->wave[k]->cycle;
  for (int k = 0; k < g->nwaves; k++) {
    amd_wave *w = g->wave[k];
    w->lds_safe = w->state == AMD_ENDED ? w->lds_ops : w->lds_done;
    w->signalled = 0;
    if (w->state == AMD_BARRIER) w->cycle = cycle;
    if (w->state == AMD_BARRIER) w->state = AMD_RUNS;
  }
}
static void amd_barrier(amd_wave *w, const amd_ins *i) {
  if (w->group->alive < w->group->nwaves)
    amd_stop(w, i, "a barrier, where %d of %d waves have ended", w->group->nwaves - w->group->alive, w->group->nwaves);
  w->state = AMD_BARRIER;
  w->group->arrived++;
}
// gfx12: signal, then wait. All waves have to have signalled.
static void amd_barrier_signal(amd_wave *w, const amd_ins *i) {
  const int id = i->s[0].where == AMD_S ? (int)amd_sget(w, i, i->s[0].reg, 1, AMD_SR_SALU)
                                        : (int32_t)amd_constant((int)i->s[0].value, 'u');
  if (id != -1) amd_stop(w, i, "the emulator has the barrier -1 alone, not %d", id);
  if (w->signalled) amd_stop(w, i, "a second signal before the barrier is waited for");
  if (w->group->alive < w->group->nwaves)
    amd_stop(w, i, "a barrier, where %d of %d waves have ended", w->group->nwaves - w->group->alive, w->group->nwaves);
  if (i->rule->arg) {                      // isfirst
    w->scc = 1;
    for (int k = 0; k < w->group->nwaves; k++) w->scc &= !w->group->wave[k]->signalled;
  }
  w->signalled = 1;
}
static void amd_barrier_wait(amd_wave *w, const amd_ins *i) {
  if (i->offset != -1 && (uint16_t)i->offset != 0xFFFF) amd_stop(w, i, "the emulator has the barrier -1 alone");
  if (!w->signalled) amd_stop(w, i, "a wait for a barrier that the wave has not signalled");
  w->state = AMD_BARRIER;
  w->group->arrived++;
}

static void amd_sendmsg(amd_wave *w, const amd_ins *i) {
  if ((i->offset & 255) != 3) amd_stop(w, i, "the emulator takes the message DEALLOC_VGPRS alone, not %d", i->offset);
  for (int k = 0; k < w->nflights; k++)
    if (w->flight[k].scratch) amd_stop(w, i, "VGPRs are given back with scratch under way");
  if (w->family == AMD_11 && w->last != TN_AMD_S_NOP) amd_stop(w, i, "hazard: there is no s_nop right before it");
  memset(w->vdef, 0, sizeof w->vdef);
}
// 0x83: the real time, 100 MHz.
static void amd_sendmsg_rtn(amd_wave *w, const amd_ins *i) {
  const int n = i->rule->arg;
  amd_swrites(w, i, i->d.reg, n, 0);
  w->s[i->d.reg] = (uint32_t)(w->cycle / 20);
  if (n > 1) w->s[i->d.reg + 1] = (uint32_t)(w->cycle / 20 >> 32);
  amd_issue(w, i, 1 << AMD_KMCNT, 0, i->d.reg, n, 1);
}
#endif
