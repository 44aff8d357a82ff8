// amd_address: where an element of memory is, in what an access of AMD's GPUs adds by itself.
//
// In:  an INDEX. Out: a buffer's descriptor, or an address, an offset in a vector register, one in a scalar register,
//      and a number; of memory of 2 GiB and more an address of 64 bits.
// Holds:
//  - Offsets are bytes modulo 2^32: a valid element's is exact, as memory is smaller. The vector register's alone is no
//    less than 0, so that the bounds of a buffer, which it and the number are compared with, pass what is valid.
//  - What is masked is given an offset beyond the bounds: loads give 0, stores are left out.
//  - Sums begin with what is outermost; a sum stands in the innermost loop in which something of it changes.
// Source: AMD's ISA guides (amd.c), "Memory Buffer Instructions", "Memory Buffer Load Data Formats", addressing.
#ifndef TN_ISA_AMD_ADDRESS
#define TN_ISA_AMD_ADDRESS
#ifndef TINY_AMALGAMATED
#include "amd_fused.c"
#endif

enum { TN_AMD_TERMS = 8 };
enum { TN_AMD_STEPS = 1 << 10 };           // of sums that are remembered
typedef struct tn_amd_term { const tiny_uop *u; int64_t k; } tn_amd_term;
// offset and k times u, each
typedef struct tn_amd_sum { int64_t offset; int n; tn_amd_term term[TN_AMD_TERMS + 1]; } tn_amd_sum;
// A sum that is there: `from` and k times u.
typedef struct tn_amd_step {
  tn_amd_operand from, to; const tiny_uop *u; int64_t k; int level, serial;
} tn_amd_step;

// ** levels: loops and IFs that are open, whose lines are put together when they end **

// opened: RANGE or IF; counter: of a RANGE; kept: EXEC as it was; body: where its nodes begin in the list
typedef struct tn_amd_level {
  tn_amd_line *line; int n, cap, serial, again, end;
  const tiny_uop *opened; tn_amd_operand counter, kept;
} tn_amd_level;

// Lines go to that level from now on; the one they went to.
static int tn_amd_go_to(tn_amd_selection *x, int depth) {
  tn_amd_list *const l = x->l;
  const int before = x->at;
  tn_amd_level *const from = &x->level[before], *const to = &x->level[depth];
  from->line = l->line; from->n = l->n; from->cap = l->cap;
  l->line = to->line; l->n = to->n; l->cap = to->cap;
  x->at = depth;
  return before;
}

// ** what an index is the sum of **

static int tn_amd_is_in_32(const tiny_uop *u) {
  return u->dtype != TINY_U64 && u->vmin >= INT32_MIN && u->vmax <= INT32_MAX;
}
static int tn_amd_widens(const tiny_uop *u) {
  const tiny_uop *s = u->nsrc ? u->src[0] : u;
  return u->op == TINY_OP_CAST && (u->dtype == TINY_I64 || u->dtype == TINY_I32) && u->lanes == 1 &&
      (s->dtype == TINY_I32 || (s->dtype == TINY_I64 && tn_amd_is_in_32(s)));
}
// Of a RANGE whose body stands there several times the iterations that this copy is ahead.
static int64_t tn_amd_ahead(const tn_amd_selection *x, const tiny_uop *u) { return u == x->copied ? x->copy : 0; }
static void tn_amd_flatten(const tn_amd_selection *x, const tiny_uop *u, int64_t k, int depth, tn_amd_sum *s) {
  const int op = u->op, number = u->nsrc == 2 && u->src[1]->op == TINY_OP_CONST;
  const tn_amd_operand known = tn_amd_element(x, u, 0);
  if (op == TINY_OP_CONST) { s->offset = tn_wrapped_sum(s->offset, tn_wrapped_product(k, u->k)); return; }
  if (op == TINY_OP_RANGE && known.kind == TN_AMD_INLINE) {
    s->offset = tn_wrapped_sum(s->offset, tn_wrapped_product(k, (int32_t)known.value));
    return;
  }
  if (s->n > TN_AMD_TERMS) return;
  if (depth < 2 * TN_AMD_TERMS && tn_amd_widens(u)) tn_amd_flatten(x, u->src[0], k, depth + 1, s);
  else if (depth < 2 * TN_AMD_TERMS && (op == TINY_OP_ADD || op == TINY_OP_SUB) && tn_is_sum_exact(u)) {
    tn_amd_flatten(x, u->src[0], k, depth + 1, s);
    tn_amd_flatten(x, u->src[1], op == TINY_OP_ADD ? k : tn_wrapped_product(k, -1), depth + 1, s);
  } else if (depth < 2 * TN_AMD_TERMS && (op == TINY_OP_MUL || op == TINY_OP_SHL) && number && tn_is_sum_exact(u))
    tn_amd_flatten(x, u->src[0], tn_wrapped_product(k, tn_factor_of(u)), depth + 1, s);
  else {
    s->term[s->n].u = u; s->term[s->n++].k = k;
    s->offset = tn_wrapped_sum(s->offset, tn_wrapped_product(k, tn_amd_ahead(x, u)));
  }
}
// Outermost first. An index of more terms than are known is its own only one.
static void tn_amd_sum_of(const tn_amd_selection *x, const tiny_uop *u, int64_t size, tn_amd_sum *s) {
  s->n = 0; s->offset = 0;
  tn_amd_flatten(x, u, size, 0, s);
  if (s->n > TN_AMD_TERMS) { s->n = 1; s->offset = 0; s->term[0].u = u; s->term[0].k = size; }
  for (int i = 1; i < s->n; i++)
    for (int j = i; j > 0 && x->inside[s->term[j - 1].u->seq] > x->inside[s->term[j].u->seq]; j--) {
      const tn_amd_term a = s->term[j - 1];
      s->term[j - 1] = s->term[j]; s->term[j] = a;
    }
}

// ** steps **

static tn_amd_step *tn_amd_step_at(tn_amd_selection *x, tn_amd_operand from, const tiny_uop *u, int64_t k) {
  const uint64_t key = ((uint64_t)from.reg << 16 ^ (uint64_t)from.kind << 8 ^ from.sub) * 0x9E3779B97F4A7C15u ^
      (uint64_t)k * 0xC2B2AE3D27D4EB4Fu ^ (u ? (uint64_t)u->seq + 1 : 0) * 0x165667B19E3779F9u;
  const uint32_t first = (uint32_t)(key >> 32 ^ key);
  for (uint32_t i = 0; i < 8; i++) {
    tn_amd_step *const s = &x->step[(first + i) % TN_AMD_STEPS];
    const int same = s->from.kind == from.kind && s->from.reg == from.reg && s->from.sub == from.sub && s->u == u &&
        s->k == k;
    const int free = !s->serial || s->level > x->depth || x->level[s->level].serial != s->serial;
    if (!same && !free) continue;
    if (!same) s->serial = 0;
    s->from = from; s->u = u; s->k = k;
    return s;
  }
  tn_amd_step *const s = &x->step[first % TN_AMD_STEPS];      // what was remembered there is made anew
  s->from = from; s->u = u; s->k = k; s->serial = 0;
  return s;
}
static int tn_amd_is_there(const tn_amd_selection *x, const tn_amd_step *s) {
  return s->serial && s->level <= x->depth && x->level[s->level].serial == s->serial;
}
static int tn_amd_log2(int64_t k) {        // -1: it is no power of two
  int n = 0;
  while (n < 31 && (int64_t)1 << n < k) n++;
  return k > 0 && (int64_t)1 << n == k ? n : -1;
}
static tn_amd_operand tn_amd_no_sum(void) { return tn_amd_register(TN_AMD_NONE, 0, 0); }
// o times k, and `from`, which may be no sum, modulo 2^32.
static tn_amd_operand tn_amd_times_plus(tn_amd_selection *x, tn_amd_operand o, const tiny_uop *u, int64_t k,
                                        tn_amd_operand from) {
  const int uniform = tn_amd_is_uniform(&o) && (from.kind == TN_AMD_NONE || tn_amd_is_uniform(&from));
  const int shift = tn_amd_log2(k), few = u->vmin >= 0 && u->vmax < 1 << 24 && k >= 0 && k < 1 << 24;
  const tn_amd_operand by = tn_amd_k32((uint32_t)k);
  if (uniform) {
    const tn_amd_operand product = k == 1 ? o : shift > 0 ? tn_amd_s2(x, TN_AMD_S_LSHL_B32, o, tn_amd_int(shift)) :
                                                            tn_amd_s2(x, TN_AMD_S_MUL_I32, o, by);
    return from.kind == TN_AMD_NONE ? product : tn_amd_s2(x, TN_AMD_S_ADD_U32, from, product);
  }
  if (from.kind == TN_AMD_NONE) {
    if (k == 1) return o;
    if (shift > 0) return tn_amd_v2(x, TN_AMD_V_LSHLREV_B32, tn_amd_int(shift), o);
    return tn_amd_v2(x, few ? TN_AMD_V_MUL_U32_U24 : TN_AMD_V_MUL_LO_U32, by, o);
  }
  if (k == 1) return tn_amd_v2(x, TN_AMD_V_ADD_NC_U32, from, o);
  if (tn_amd_is_uniform(&o)) {             // its product is scalar
    const tn_amd_operand product = shift > 0 ? tn_amd_s2(x, TN_AMD_S_LSHL_B32, o, tn_amd_int(shift)) :
                                               tn_amd_s2(x, TN_AMD_S_MUL_I32, o, by);
    return tn_amd_v2(x, TN_AMD_V_ADD_NC_U32, product, from);
  }
  if (shift > 0) return tn_amd_v3(x, TN_AMD_V_LSHL_ADD_U32, o, tn_amd_int(shift), from);
  if (few) return tn_amd_v3(x, TN_AMD_V_MAD_U32_U24, o, by, from);
  return tn_amd_v2(x, TN_AMD_V_ADD_NC_U32, from, tn_amd_v2(x, TN_AMD_V_MUL_LO_U32, o, by));
}
static int tn_amd_level_of(const tn_amd_selection *x, const tiny_uop *u, int level) {
  const int inside = u ? x->inside[u->seq] : 0;
  return inside > level ? inside : level;
}
static tn_amd_operand tn_amd_step_on(tn_amd_selection *x, tn_amd_operand from, int *level, const tiny_uop *u,
                                     int64_t k) {
  tn_amd_step *const s = tn_amd_step_at(x, from, u, k);
  if (!tn_amd_is_there(x, s)) {
    s->level = tn_amd_level_of(x, u, *level);
    s->serial = x->level[s->level].serial;
    const int at = tn_amd_go_to(x, s->level);
    const tn_amd_operand o = !u ? tn_amd_no_sum() : u == x->copied ? x->counter : tn_amd_element(x, u, 0);
    if (u) s->to = tn_amd_times_plus(x, tn_amd_slice(o, 0, 1), u, k, from);
    else if (from.kind == TN_AMD_NONE) s->to = tn_amd_in_sgprs(x->l, tn_amd_k32((uint32_t)k));
    else if (tn_amd_is_uniform(&from)) s->to = tn_amd_s2(x, TN_AMD_S_ADD_U32, from, tn_amd_k32((uint32_t)k));
    else s->to = tn_amd_v2(x, TN_AMD_V_ADD_NC_U32, tn_amd_k32((uint32_t)k), from);
    tn_amd_go_to(x, at);
  }
  *level = s->level;
  return s->to;
}

// A constant in a vector register, once for the whole kernel.
static tn_amd_operand tn_amd_held(tn_amd_selection *x, uint32_t bits) {
  const int64_t key = (int64_t)1 << 40 | bits;               // as no sum is
  tn_amd_step *const s = tn_amd_step_at(x, tn_amd_no_sum(), NULL, key);
  if (tn_amd_is_there(x, s)) return s->to;
  s->level = 0; s->serial = x->level[0].serial;
  const int at = tn_amd_go_to(x, 0);
  s->to = tn_amd_in_vgprs(x->l, tn_amd_k32(bits));
  tn_amd_go_to(x, at);
  return s->to;
}

// ** an address **

// base: a buffer's descriptor, 4 scalar registers, or its address, 2; of LDS and scratch NONE. v: bytes in a vector
// register, NONE: 0, or an address of 64 bits; s: in a scalar one, NONE: 0
typedef struct tn_amd_address { tn_amd_operand base, v, s; int64_t offset; int level; } tn_amd_address;

// How many bytes an instruction adds: of buffers, of LDS.
static int64_t tn_amd_most_offset(const tn_amd_selection *x, int lds) {
  return lds ? 65535 : x->family == TN_AMD_GFX12 ? (1 << 23) - 1 : 4095;
}
// The least and the most of the sum of terms in vector registers, or of the others.
typedef struct tn_amd_bounds { double least, most; } tn_amd_bounds;
static tn_amd_bounds tn_amd_bounds_of(const tn_amd_selection *x, const tn_amd_sum *s, int uniform) {
  tn_amd_bounds b = {0, 0};
  for (int i = 0; i < s->n; i++) {
    const tn_amd_term *t = &s->term[i];
    const tn_amd_operand o = tn_amd_element(x, t->u, 0);
    if (tn_amd_is_uniform(&o) != uniform) continue;
    const double p = (double)t->k * (double)t->u->vmin, q = (double)t->k * (double)t->u->vmax;
    b.least += p < q ? p : q;
    b.most += p < q ? q : p;
  }
  return b;
}
// What of the sum is no number: vector parts into v, scalar ones into s, or all into v.
static void tn_amd_add_terms(tn_amd_selection *x, const tn_amd_sum *s, int apart, tn_amd_address *a) {
  int levels[2] = {0, 0};
  for (int pass = 0; pass < 2; pass++)     // scalars last where they are added to v, unless they are outermost
    for (int i = 0; i < s->n; i++) {
      const tn_amd_operand o = tn_amd_element(x, s->term[i].u, 0);
      const int scalar = tn_amd_is_uniform(&o) && apart;
      if (scalar != pass) continue;
      tn_amd_operand *const to = scalar ? &a->s : &a->v;
      *to = tn_amd_step_on(x, *to, &levels[scalar], s->term[i].u, s->term[i].k);
    }
  a->level = levels[0] > levels[1] ? levels[0] : levels[1];
}
// An offset that the instruction does not take: what it does stays, the rest is added to one of the sums.
static void tn_amd_add_rest(tn_amd_selection *x, tn_amd_operand *to, int64_t most, tn_amd_address *a) {
  int level = a->level;
  const int64_t rest = a->offset >= 0 ? a->offset / (most + 1) * (most + 1) : a->offset;
  if (!rest) return;
  *to = tn_amd_step_on(x, *to, &level, NULL, rest);
  a->offset -= rest;
  a->level = level;
}
static int64_t tn_amd_memory_nbytes(const tiny_uop *m) {
  return m->nv ? m->v[m->op == TINY_OP_DEFINE] * (int64_t)tiny_dtype_nbytes((tiny_dtype)m->dtype) * m->lanes :
                 (int64_t)1 << 62;
}
// at + low * k, of 64 bits; high: of what low is the low half of.
static tn_amd_operand tn_amd_wide_times(tn_amd_selection *x, tn_amd_operand low, tn_amd_operand high, int64_t k,
                                        tn_amd_operand at) {
  const tn_amd_operand by = tn_amd_k32((uint32_t)k), more = tn_amd_k32((uint32_t)((uint64_t)k >> 32));
  const tn_amd_operand sum = tn_amd_wide_product(x, TN_AMD_V_MAD_U64_U32, low, tn_amd_in_vgprs(x->l, by), at);
  tn_amd_operand top = tn_amd_slice(sum, 1, 1);
  if (!tn_amd_is_zero(&more))
    top = tn_amd_v2(x, TN_AMD_V_ADD_NC_U32, top, tn_amd_v2(x, TN_AMD_V_MUL_LO_U32, more, low));
  if (!tn_amd_is_zero(&high))
    top = tn_amd_v2(x, TN_AMD_V_ADD_NC_U32, top, tn_amd_v2(x, TN_AMD_V_MUL_LO_U32, by, high));
  return tn_amd_joined(x, tn_amd_slice(sum, 0, 1), top);
}
// at + u * k, of 64 bits. One instruction, where both are of 32.
static tn_amd_operand tn_amd_wide_step(tn_amd_selection *x, const tiny_uop *u, int64_t k, tn_amd_operand at) {
  const tn_amd_operand o = tn_amd_element(x, u, 0), low = tn_amd_slice(o, 0, 1);
  const int in_32 = tn_amd_is_in_32(u), narrow = u->dtype == TINY_U32;
  if (in_32 && k == (int32_t)k)
    return tn_amd_wide_product(x, TN_AMD_V_MAD_I64_I32, low, tn_amd_in_vgprs(x->l, tn_amd_k32((uint32_t)k)), at);
  if (o.dwords == 2) return tn_amd_wide_times(x, low, tn_amd_slice(o, 1, 1), k, at);
  if (narrow) return tn_amd_wide_times(x, low, tn_amd_int(0), k, at);
  return tn_amd_wide_times(x, low, tn_amd_v2(x, TN_AMD_V_ASHRREV_I32, tn_amd_int(31), low), k, at);
}
static void tn_amd_wide_address(tn_amd_selection *x, const tiny_uop *m, const tn_amd_sum *s, tn_amd_address *a) {
  tn_amd_operand at = tn_amd_slice(tn_amd_element(x, m, 0), 0, 2);
  for (int i = 0; i < s->n; i++) at = tn_amd_wide_step(x, s->term[i].u, s->term[i].k, at);
  if (s->offset == (int32_t)s->offset)
    at = tn_amd_wide_product(x, TN_AMD_V_MAD_I64_I32, tn_amd_int(1),
                             tn_amd_in_vgprs(x->l, tn_amd_k32((uint32_t)s->offset)), at);
  else at = tn_amd_wide_times(x, tn_amd_in_vgprs(x->l, tn_amd_int(1)), tn_amd_int(0), s->offset, at);
  a->v = at; a->base = tn_amd_no_sum();
}
// All of it in one register, beside the memory's address; scalars alone stay apart, for scalar loads.
static void tn_amd_plain_address(tn_amd_selection *x, const tn_amd_sum *s, int exact, tn_amd_address *a) {
  int scalar = 1;
  for (int i = 0; i < s->n; i++) {
    const tn_amd_operand o = tn_amd_element(x, s->term[i].u, 0);
    scalar &= tn_amd_is_uniform(&o);
  }
  a->base = tn_amd_slice(a->base, 0, 2);
  tn_amd_add_terms(x, s, scalar, a);
  tn_amd_operand *const to = scalar ? &a->s : &a->v;
  int level = a->level;
  if (exact && a->offset >= 0 && a->offset <= tn_amd_most_offset(x, 0)) return;
  *to = tn_amd_step_on(x, *to, &level, NULL, a->offset);
  a->offset = 0; a->level = level;
}
static tn_amd_address tn_amd_address_of(tn_amd_selection *x, const tiny_uop *index) {
  const tiny_uop *m = tn_memory_behind(index->src[0]);
  const int param = m->op == TINY_OP_PARAM, size = (int)tiny_dtype_nbytes((tiny_dtype)m->dtype);
  tn_amd_sum sum;
  tn_amd_address a;
  tn_amd_sum_of(x, index->src[1], (int64_t)size * (param ? 1 : m->lanes), &sum);
  a.base = a.v = a.s = tn_amd_no_sum();
  a.level = 0;
  a.offset = sum.offset;
  if (!param) {                            // LDS and scratch: one sum, and where the memory begins
    tn_amd_add_terms(x, &sum, 0, &a);
    const tn_amd_bounds some = tn_amd_bounds_of(x, &sum, 0), others = tn_amd_bounds_of(x, &sum, 1);
    const int local = m->v[0] == TN_SPACE_LOCAL, whole = !local && some.least + others.least < 0;
    a.offset += x->place[m->seq];
    if (whole && a.offset) {               // of scratch the register alone is no less than 0
      a.v = tn_amd_step_on(x, a.v, &a.level, NULL, a.offset);
      a.offset = 0;
    } else if (a.offset < 0 || a.offset > tn_amd_most_offset(x, local))
      tn_amd_add_rest(x, &a.v, tn_amd_most_offset(x, local), &a);
    return a;
  }
  if (tn_amd_memory_nbytes(m) >= INT32_MAX) { tn_amd_wide_address(x, m, &sum, &a); a.offset = 0; return a; }
  a.base = tn_amd_element(x, m, 0);
  const tn_amd_bounds v = tn_amd_bounds_of(x, &sum, 0), u = tn_amd_bounds_of(x, &sum, 1);
  const int64_t most = tn_amd_most_offset(x, 0);
  if (!x->buffer[m->seq]) { tn_amd_plain_address(x, &sum, v.least + u.least >= 0, &a); return a; }
  const int apart = v.least >= 0 && v.most < 2147483648.0 && u.least + (double)a.offset >= 0;
  tn_amd_add_terms(x, &sum, apart, &a);
  tn_amd_operand *const to = apart || a.v.kind == TN_AMD_NONE ? &a.s : &a.v;
  if (!apart || u.least < 0 || a.offset < 0) {               // right only as a whole
    int level = a.level;
    if (a.offset) *to = tn_amd_step_on(x, *to, &level, NULL, a.offset);
    a.offset = 0; a.level = level;
  } else if (a.offset > most) tn_amd_add_rest(x, &a.s, most, &a);
  return a;
}
#endif
