// amd_lanes: how a vector instruction comes to its operands and leaves its result: registers and constants as a row of
// lanes of the type that the rule says, through DPP, SDWA, halves and modifiers; and back through clamp, halves and
// EXEC.
//
// A rule's types: the result, '=', sources. f: f32, by MODE's denormals. e: f32, as it is. u: 32 bits. d: f64. q: 64
// bits. v: a pair of f32. h: f16. w: 16 bits. x: two f16 (of packed instructions); y: two of 16 bits; z: f16 or f32
// (v_fma_mix). m: a mask of lanes in SGPRs, a source that is carried in, or a result. c behind the result: a mask that
// is carried out, too. p: f32 without a result that is clamped as one. Capitals: sources that are the destination's old
// value. Included by amd_scalar.c.
#ifndef AMD_LANES_C
#define AMD_LANES_C
#include "amd_check.c"

typedef struct amd_work {
  amd_lanes x;
  uint32_t room[3][AMD_LANES], r[AMD_LANES];
  uint64_t wide[3][AMD_LANES], R[AMD_LANES];
  uint64_t written;                        // lanes
} amd_work;
static const uint32_t amd_zeros[AMD_LANES];
static const uint64_t amd_wide_zeros[AMD_LANES];

// ** constants **

// The value of an inline constant, a code of 1.2's table, as the type has it.
static uint64_t amd_constant(int code, char type) {
  static const double value[] = {0.5, -0.5, 1, -1, 2, -2, 4, -4, 0.15915494309189532};
  if (code >= 128 && code <= 192) return (uint64_t)(code - 128);
  if (code >= 193 && code <= 208) return (uint64_t)(int64_t)(192 - code);
  if (code < 240 || code > 248) return 0;
  const double x = value[code - 240];
  if (type == 'd' || type == 'q') return code == 248 ? 0x3FC45F306DC9C882 : amd_b64(x);
  return type == 'h' || type == 'w' || type == 'x' || type == 'y' ? amd_to_f16(x, AMD_NEAREST) : amd_b32((float)x);
}
static uint64_t amd_value(amd_wave *w, const amd_ins *i, const amd_operand *o, char type, int reader) {
  const int wide = type == 'd' || type == 'q';
  if (o->where == AMD_S) {
    if (o->reg >= AMD_SGPRS) {             // read alone
      switch (o->reg) {
        case 235: return wide ? AMD_LDS_APERTURE : AMD_LDS_APERTURE >> 32;
        case 236: return wide ? AMD_LDS_APERTURE + 0xFFFFFFFF : AMD_LDS_APERTURE >> 32;
        case 237: return wide ? AMD_SCRATCH_APERTURE : AMD_SCRATCH_APERTURE >> 32;
        case 238: return wide ? AMD_SCRATCH_APERTURE + 0xFFFFFFFF : AMD_SCRATCH_APERTURE >> 32;
        case 251: return (w->lanes == 64 ? w->s[AMD_VCC] | w->s[AMD_VCC + 1] : w->s[AMD_VCC]) == 0;
        case 252: return amd_exec(w) == 0;
        case 253:
          if (w->scc > 1) amd_stop(w, i, "SCC is read, which nobody has set");
          return w->scc;
        default: amd_stop(w, i, "a scalar of code %d", o->reg);
      }
    }
    return amd_sget(w, i, o->reg, wide ? 2 : 1, reader);
  }
  if (o->where == AMD_K) return amd_constant((int)o->value, type);
  return type == 'd' ? o->value << 32 : o->value;
}

// ** lanes that read others: DPP **

// Where lane l reads; -1: nowhere.
static int amd_dpp_source(const amd_ins *i, int l, int lanes) {
  const int ctrl = i->ctrl, row = l & ~15, at = l & 15, n = ctrl & 15;
  if (i->dpp == AMD_DPP8) return (l & ~7) | i->select[l & 7];
  if (ctrl < 0x100) return (l & ~3) | (ctrl >> 2 * (l & 3) & 3);
  switch (ctrl & 0x1F0) {
    case 0x100: return at + n < 16 ? l + n : -1;
    case 0x110: return at >= n ? l - n : -1;
    case 0x120: return row | ((at - n) & 15);
    case 0x150: return row | n;
    case 0x160: return row | (at ^ n);
    default: break;
  }
  switch (ctrl) {
    case 0x130: return l + 1 < lanes ? l + 1 : -1;
    case 0x134: return (l + 1) % lanes;
    case 0x138: return l - 1;
    case 0x13C: return (l + lanes - 1) % lanes;
    case 0x140: return row | (15 - at);
    case 0x141: return (l & ~7) | (7 - (l & 7));
    case 0x142: return row - 1;
    default: return l >= 32 ? 31 : -1;     // 0x143: row_bcast31
  }
}
// Source lanes of a DPP operand; lanes that get nothing are not written, or read 0.
static const uint32_t *amd_through_dpp(amd_work *k, const amd_operand *o, uint32_t *room) {
  amd_wave *w = k->x.w;
  const amd_ins *i = k->x.i;
  const uint64_t exec = amd_exec(w);
  const uint32_t *from = amd_v(w, o->reg);
  uint64_t read = 0;
  amd_exec_hazard(w, i, 5, "DPP");
  for (int l = 0; l < w->lanes; l++) {
    int s = amd_dpp_source(i, l, w->lanes);
    if (s >= 0 && !i->fi && !(exec >> s & 1)) s = -1;
    const int masked = i->dpp == AMD_DPP16 && (!(i->row_mask >> (l >> 4) & 1) || !(i->bank_mask >> (l >> 2 & 3) & 1));
    if (masked || (s < 0 && !i->bound && i->dpp == AMD_DPP16)) k->written &= ~(1ull << l);
    room[l] = s < 0 ? 0 : from[s];
    if (s >= 0 && (k->written >> l & 1)) read |= 1ull << s;
  }
  amd_reads(w, i, o->reg, 1, read, AMD_R_DPP, 0);
  return room;
}

// ** sources **

static const uint32_t *amd_broadcast(uint32_t *room, int n, uint32_t x) {
  for (int l = 0; l < n; l++) room[l] = x;
  return room;
}
static int amd_reader_of(const amd_ins *i) {
  return i->rule->kind == AMD_TRANS ? AMD_R_TRANS : i->rule->kind == AMD_MATRIX ? AMD_R_C : AMD_R_VALU;
}
// 32 bits of each lane, as they stand.
static const uint32_t *amd_raw(amd_work *k, const amd_operand *o, int at, char type, uint32_t *room) {
  amd_wave *w = k->x.w;
  if (o->where != AMD_V) return amd_broadcast(room, k->x.n, (uint32_t)amd_value(w, k->x.i, o, type, AMD_SR_VALU));
  if (at == 0 && k->x.i->dpp) return amd_through_dpp(k, o, room);
  amd_reads(w, k->x.i, o->reg, 1, k->x.exec, amd_reader_of(k->x.i), 0);
  return amd_v(w, o->reg);
}
static const uint32_t *amd_select(const amd_operand *o, const uint32_t *from, uint32_t *room, int n) {
  const int sel = o->sdwa - 1, bits = sel < 4 ? 8 : 16, shift = sel < 4 ? 8 * sel : 16 * (sel - 4);
  if (sel < 0 || sel == 6) return from;
  for (int l = 0; l < n; l++) {
    const uint32_t x = from[l] >> shift & ((1u << bits) - 1), top = 1u << (bits - 1);
    room[l] = o->sext ? (x ^ top) - top : x;
  }
  return room;
}
static const uint32_t *amd_signs(const amd_operand *o, const uint32_t *from, uint32_t *room, int n, uint32_t sign) {
  const uint32_t keep = o->abs ? ~sign : ~0u, flip = o->neg ? sign : 0;
  if (!o->abs && !o->neg) return from;
  for (int l = 0; l < n; l++) room[l] = (from[l] & keep) ^ flip;
  return room;
}
static const uint32_t *amd_half(const amd_operand *o, const uint32_t *from, uint32_t *room, int n) {
  const int shift = o->sel && o->where != AMD_K ? 16 : 0;
  for (int l = 0; l < n; l++) room[l] = from[l] >> shift & 0xFFFF;
  return room;
}
// Both halves, as op_sel and op_sel_hi take them, neg and neg_hi change them.
static const uint32_t *amd_packed(const amd_operand *o, const uint32_t *from, uint32_t *room, int n) {
  const int low = o->sel ? 16 : 0, high = o->high ? 16 : 0;
  const uint32_t flip = (o->neg ? 0x8000u : 0) | (o->abs ? 0x80000000u : 0);
  if (!low && high && !flip) return from;
  for (int l = 0; l < n; l++) room[l] = ((from[l] >> low & 0xFFFF) | (from[l] >> high & 0xFFFF) << 16) ^ flip;
  return room;
}
static const uint32_t *amd_mixed(const amd_operand *o, const uint32_t *from, uint32_t *room, int n, int flush) {
  for (int l = 0; l < n; l++) {
    uint32_t x = o->high ? amd_b32(amd_of_f16(from[l] >> (o->sel ? 16 : 0) & 0xFFFF)) : from[l];
    if (o->abs) x &= 0x7FFFFFFF;           // neg_hi is abs here
    if (o->neg) x ^= 0x80000000;
    room[l] = flush && !o->high ? amd_flush32(x) : x;
  }
  return room;
}
static const uint64_t *amd_pairs(amd_work *k, const amd_operand *o, char type, uint64_t *room) {
  amd_wave *w = k->x.w;
  const int n = k->x.n, flush = type == 'd' && !(w->mode >> 6 & 1);
  const int half = type == 'v' && o->sel == o->high;         // one of a pair is taken twice
  amd_operand part = *o;
  part.reg = (uint16_t)(part.reg + (half && o->sel));
  if (o->where == AMD_V) {
    amd_reads(w, k->x.i, o->reg + (half && o->sel), 2 - half, k->x.exec, amd_reader_of(k->x.i), 0);
    const uint32_t *low = amd_v(w, o->reg), *high = amd_v(w, o->reg + 1);
    for (int l = 0; l < n; l++) room[l] = low[l] | (uint64_t)high[l] << 32;
  } else {
    const int f32 = type == 'v' && o->where == AMD_K;
    const char as = type == 'd' ? 'd' : 'q';
    const uint64_t one = half && o->where == AMD_S ? amd_value(w, k->x.i, &part, 'u', AMD_SR_VALU) : 0;
    const uint64_t x = f32 ? amd_constant((int)o->value, 'f') : half && o->where == AMD_S ? one | one << 32 :
        amd_value(w, k->x.i, o, as, AMD_SR_VALU);
    for (int l = 0; l < n; l++) room[l] = x;
  }
  if (type != 'd') return room;
  for (int l = 0; l < n; l++) {
    if (o->abs) room[l] &= 0x7FFFFFFFFFFFFFFF;
    if (o->neg) room[l] ^= 0x8000000000000000;
    if (flush) room[l] = amd_flush64(room[l]);
  }
  return room;
}
static void amd_flush_lanes(const uint32_t **from, uint32_t *room, int n, int half) {
  for (int l = 0; l < n; l++) room[l] = half ? amd_flush16((*from)[l]) : amd_flush32((*from)[l]);
  *from = room;
}
static uint64_t amd_mask(amd_wave *w, const amd_ins *i, const amd_operand *o) {
  const int fmas = i->op == TN_AMD_V_DIV_FMAS_F32 || i->op == TN_AMD_V_DIV_FMAS_F64;
  const int reader = fmas ? AMD_SR_FMAS : AMD_SR_VALU;
  if (o->where != AMD_S) return amd_constant((int)o->value, 'q');
  return amd_sget(w, i, o->reg, amd_mask_n(w), reader);
}
// Source number `at` of the type, for the lanes function.
static void amd_source(amd_work *k, const amd_operand *o, int at, char type) {
  amd_lanes *x = &k->x;
  uint32_t *room = k->room[at];
  const uint32_t **to = at == 0 ? &x->a : at == 1 ? &x->b : &x->c;
  const uint64_t **wide = at == 0 ? &x->A : at == 1 ? &x->B : &x->C;
  if (type == 'm') { x->carry = amd_mask(x->w, x->i, o); return; }
  if (type == 'd' || type == 'q' || type == 'v') { *wide = amd_pairs(k, o, type, k->wide[at]); return; }
  const uint32_t *from = amd_raw(k, o, at, type == 'z' && o->high ? 'h' : type, room);
  if (o->sdwa) from = amd_select(o, from, room, x->n);
  switch (type) {
    case 'f': case 'p': case 'e':
      from = amd_signs(o, from, room, x->n, 0x80000000);
      if (type != 'e' && !(x->w->mode >> 4 & 1)) amd_flush_lanes(&from, room, x->n, 0);
      break;
    case 'h': case 'w':
      from = amd_half(o, from, room, x->n);
      if (type == 'h') from = amd_signs(o, from, room, x->n, 0x8000);
      if (type == 'h' && !(x->w->mode >> 6 & 1)) amd_flush_lanes(&from, room, x->n, 1);
      break;
    case 'x': case 'y': from = amd_packed(o, from, room, x->n); break;
    case 'z': from = amd_mixed(o, from, room, x->n, !(x->w->mode >> 4 & 1)); break;
    default: break;
  }
  *to = from;
}

// ** results **

static void amd_finish32(amd_work *k, int flush) {
  const int omod = k->x.i->omod, clamp = k->x.i->clamp;
  static const float times[] = {1, 2, 4, 0.5f};
  uint32_t *r = k->r;
  if (omod)
    for (int l = 0; l < k->x.n; l++) r[l] = amd_b32(amd_f32(r[l]) * times[omod]);
  if (clamp)
    for (int l = 0; l < k->x.n; l++) { const float v = amd_f32(r[l]); r[l] = amd_b32(v > 0 ? v < 1 ? v : 1 : 0); }
  if (flush)
    for (int l = 0; l < k->x.n; l++) r[l] = amd_flush32(r[l]);
}
static void amd_finish16(amd_work *k, int flush) {
  const int omod = k->x.i->omod, clamp = k->x.i->clamp;
  static const float times[] = {1, 2, 4, 0.5f};
  uint32_t *r = k->r;
  for (int l = 0; l < k->x.n && (omod || clamp); l++) {
    float v = amd_of_f16(r[l]) * times[omod];
    if (clamp) v = v > 0 ? v < 1 ? v : 1 : 0;
    r[l] = amd_to_f16((double)v, AMD_NEAREST);
  }
  if (flush)
    for (int l = 0; l < k->x.n; l++) r[l] = amd_flush16(r[l]);
}
static void amd_finish64(amd_work *k, int flush) {
  static const double times[] = {1, 2, 4, 0.5};
  for (int l = 0; l < k->x.n; l++) {
    double v = amd_f64(k->R[l]) * times[k->x.i->omod];
    if (k->x.i->omod) k->R[l] = amd_b64(v);
    if (k->x.i->clamp) { v = amd_f64(k->R[l]); k->R[l] = amd_b64(v > 0 ? v < 1 ? v : 1 : 0); }
    if (flush) k->R[l] = amd_flush64(k->R[l]);
  }
}
static void amd_finish_packed(amd_work *k, int flush) {
  for (int l = 0; l < k->x.n; l++) {
    uint32_t lo = k->r[l] & 0xFFFF, hi = k->r[l] >> 16;
    if (k->x.i->clamp) {
      const float a = amd_of_f16(lo), b = amd_of_f16(hi);
      lo = amd_to_f16((double)(a > 0 ? a < 1 ? a : 1 : 0), AMD_NEAREST);
      hi = amd_to_f16((double)(b > 0 ? b < 1 ? b : 1 : 0), AMD_NEAREST);
    }
    k->r[l] = flush ? amd_flush16(lo) | amd_flush16(hi) << 16 : lo | hi << 16;
  }
}
// Rows of lanes into a VGPR.
static void amd_blend(amd_wave *w, int reg, const uint32_t *r, uint64_t lanes) {
  uint32_t *to = amd_v(w, reg);
  if (lanes == amd_all(w)) { memcpy(to, r, (size_t)w->lanes * 4); return; }
  for (int l = 0; l < w->lanes; l++)
    if (lanes >> l & 1) to[l] = r[l];
}
// A 16-bit result: gfx11 and gfx12 keep the other half; gfx942 clears it, but where op_sel or SDWA says otherwise.
static void amd_keep_half(amd_work *k, const uint32_t *old) {
  const amd_ins *i = k->x.i;
  const int keeps = k->x.w->family != AMD_9 || i->dsel || i->keeps;
  for (int l = 0; l < k->x.n; l++) {
    const uint32_t x = k->r[l] & 0xFFFF;
    k->r[l] = i->dsel ? (old[l] & 0xFFFF) | x << 16 : keeps ? (old[l] & 0xFFFF0000) | x : x;
  }
}
static void amd_sdwa_result(amd_work *k, const uint32_t *old) {
  const amd_ins *i = k->x.i;
  const int sel = i->sdwa_dst - 1, bits = sel < 4 ? 8 : 16, shift = sel < 4 ? 8 * sel : 16 * (sel - 4);
  if (sel == 6) return;
  const uint32_t field = ((1u << bits) - 1) << shift;
  for (int l = 0; l < k->x.n; l++) {
    const uint32_t x = k->r[l] << shift & field, top = x >> (bits - 1 + shift) & 1;
    const uint32_t above = (uint32_t)(~0ull << (shift + bits));
    k->r[l] = i->sdwa_unused == 2 ? (old[l] & ~field) | x : i->sdwa_unused == 1 && top ? x | above : x;
  }
}
static uint64_t amd_bits_of(const uint32_t *r, int n) {
  uint64_t mask = 0;
  for (int l = 0; l < n; l++) mask |= (uint64_t)(r[l] != 0) << l;
  return mask;
}

// Sources to the result in k.
static void amd_compute(amd_work *k, amd_wave *w, const amd_ins *i) {
  const char *types = strchr(i->rule->types, '=') + 1;
  amd_lanes *x = &k->x;
  x->w = w; x->i = i; x->n = w->lanes;
  x->a = x->b = x->c = amd_zeros; x->A = x->B = x->C = amd_wide_zeros;
  x->r = k->r; x->R = k->R; x->flag = x->carry = 0;
  x->round = (int)(w->mode & 3); x->round16 = (int)(w->mode >> 2 & 3);
  x->ieee = w->family != AMD_12 && (w->mode >> 9 & 1);
  x->exec = k->written = amd_exec(w);
  for (int at = 0, own = 0; types[at]; at++) {
    const int capital = types[at] >= 'A' && types[at] <= 'Z';
    amd_source(k, capital ? &i->d : &i->s[own], at < 3 ? at : 2, (char)(capital ? types[at] + 32 : types[at]));
    own += !capital;
  }
  const int round = i->rule->types[0] == 'd' ? x->round16 : x->round;
  if (round) {
    const int host = fegetround();
    fesetround(amd_host_rounding(round));
    i->rule->lanes(x);
    fesetround(host);
  } else {
    i->rule->lanes(x);
  }
}
static void amd_put_mask(amd_work *k) {
  amd_wave *w = k->x.w;
  const amd_ins *i = k->x.i;
  const uint64_t mask = amd_bits_of(k->r, k->x.n) & k->x.exec;
  if (i->rule->arg & 1) {                  // v_cmpx: EXEC, on gfx942 the mask as well
    amd_sput(w, i, AMD_EXEC, amd_mask_n(w), mask, 1);
    w->cmpx_at = w->valus + 1;
    if (w->family != AMD_9) return;
  }
  amd_sput(w, i, i->e.reg, amd_mask_n(w), mask, 1);
}
// The result in k to where it belongs.
static void amd_result(amd_work *k) {
  amd_wave *w = k->x.w;
  const amd_ins *i = k->x.i;
  const char *types = i->rule->types;
  const int wide = types[0] == 'd' || types[0] == 'q';
  const int keep32 = (int)(w->mode >> 5 & 1), keep16 = (int)(w->mode >> 7 & 1);
  if (types[0] == 'm') { amd_put_mask(k); return; }
  if (types[1] == 'c') amd_sput(w, i, i->e.reg, amd_mask_n(w), k->x.flag & k->x.exec, 1);
  if (!k->written) return;
  switch (types[0]) {
    case 'f': amd_finish32(k, !keep32); break;
    case 'e': amd_finish32(k, 0); break;
    case 'h': amd_finish16(k, !keep16); break;
    case 'd': amd_finish64(k, !keep16); break;
    case 'x': amd_finish_packed(k, !keep16); break;
    default: break;
  }
  const uint32_t *old = amd_v(w, i->d.reg);
  amd_vgpr_exists(w, i, i->d.reg);
  if ((types[0] == 'h' || types[0] == 'w') && !i->sdwa_dst) amd_keep_half(k, old);
  if (i->sdwa_dst) amd_sdwa_result(k, old);
  amd_writes(w, i, i->d.reg, wide ? 2 : 1, k->written, amd_writer_of(i));
  if (!wide) { amd_blend(w, i->d.reg, k->r, k->written); return; }
  for (int l = 0; l < k->x.n; l++) { k->r[l] = (uint32_t)k->R[l]; k->room[0][l] = (uint32_t)(k->R[l] >> 32); }
  amd_blend(w, i->d.reg, k->r, k->written);
  amd_blend(w, i->d.reg + 1, k->room[0], k->written);
}
static void amd_vector(amd_wave *w, const amd_ins *i) {
  amd_work k, y;
  if (!amd_exec(w) && i->rule->types[0] != 'm' && i->rule->types[1] != 'c') return;
  amd_compute(&k, w, i);
  if (i->dual) { amd_compute(&y, w, i->dual); amd_result(&y); }
  amd_result(&k);
}

// What the lanes functions are made of: an expression of a, b, c.
#define AMD_EACH(x) for (int l = 0; l < (x)->n; l++)
#define AMD_U32(name, e)                                                                                               \
  static void amd_##name(amd_lanes *x) {                                                                               \
    AMD_EACH(x) {                                                                                                      \
      const uint32_t a = x->a[l], b = x->b[l], c = x->c[l];                                                            \
      (void)a; (void)b; (void)c;                                                                                       \
      x->r[l] = (uint32_t)(e);                                                                                         \
    }                                                                                                                  \
  }
#define AMD_F32(name, e)                                                                                               \
  static void amd_##name(amd_lanes *x) {                                                                               \
    AMD_EACH(x) {                                                                                                      \
      const float a = amd_f32(x->a[l]), b = amd_f32(x->b[l]), c = amd_f32(x->c[l]);                                    \
      (void)a; (void)b; (void)c;                                                                                       \
      x->r[l] = amd_b32(e);                                                                                            \
    }                                                                                                                  \
  }
#define AMD_F16(name, e)                                                                                               \
  static void amd_##name(amd_lanes *x) {                                                                               \
    AMD_EACH(x) {                                                                                                      \
      const double a = (double)amd_of_f16(x->a[l]), b = (double)amd_of_f16(x->b[l]), c = (double)amd_of_f16(x->c[l]);  \
      (void)a; (void)b; (void)c;                                                                                       \
      x->r[l] = amd_to_f16(e, x->round16);                                                                             \
    }                                                                                                                  \
  }
#define AMD_U64(name, e)                                                                                               \
  static void amd_##name(amd_lanes *x) {                                                                               \
    AMD_EACH(x) {                                                                                                      \
      const uint64_t a = x->A[l], b = x->B[l], c = x->C[l];                                                            \
      (void)a; (void)b; (void)c;                                                                                       \
      x->R[l] = (uint64_t)(e);                                                                                         \
    }                                                                                                                  \
  }
#define AMD_F64(name, e)                                                                                               \
  static void amd_##name(amd_lanes *x) {                                                                               \
    AMD_EACH(x) {                                                                                                      \
      const double a = amd_f64(x->A[l]), b = amd_f64(x->B[l]), c = amd_f64(x->C[l]);                                   \
      (void)a; (void)b; (void)c;                                                                                       \
      x->R[l] = amd_b64(e);                                                                                            \
    }                                                                                                                  \
  }
#endif
