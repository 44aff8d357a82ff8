// wasm_memory: addresses, loads and stores, of scalars and of vectors, all lanes of them, some by a mask, or apart.
//
// In:  an INDEX, a LOAD or a STORE of the lanes that are computed now. Out: instructions.
// Holds: REG memory is locals, an element each. An address of 32 bits is a base and an index, kept for what follows in
//        the block; what an access adds to it is never negative, since that sum does not wrap (Core Specification,
//        4.4.7: the effective address has 33 bits). Lanes apart, or by a mask that is not all of them, go one by one.
// Not here: atomic additions, rows of matrices, bools in memory.
#ifndef TN_ISA_WASM_MEMORY
#define TN_ISA_WASM_MEMORY
#ifndef TINY_AMALGAMATED
#include "wasm_values.c"
#endif

// ** REG memory **

// Elements of REG memory are locals; NULL: not of one that is known.
static int *tn_wasm_reg_element(tn_wasm_select *x, const tiny_uop *index) {
  const tiny_uop *m = tn_memory_behind(index->src[0]), *at = index->src[1];
  if (at->op != TINY_OP_CONST || at->k < 0 || at->k >= m->v[1] || m->v[1] > 4096) {
    tn_wasm_refuse(x, "REG memory by a number of the run");
    return NULL;
  }
  if (!x->element[m->seq]) {
    x->element[m->seq] = (int *)tn_scratch(x->t, (size_t)m->v[1] * sizeof(int));
    for (int64_t i = 0; i < m->v[1]; i++) x->element[m->seq][i] = -1;
  }
  int *e = &x->element[m->seq][at->k];
  if (*e < 0) *e = tn_wasm_local_for(x, m);
  return e;
}
static void tn_wasm_store_reg(tn_wasm_select *x, const tiny_uop *value, int to, const tiny_uop *memory) {
  const int parts = tn_wasm_parts(x, memory), n = value->lanes / parts;
  for (int i = 0; i < parts; i++) {
    x->lanes = parts > 1 ? n : 0; x->from = i * n;
    if (value->dtype == TINY_BOOL && value->lanes > 1) tn_wasm_mask(x, value, x->mask[memory->seq]);
    else tn_wasm_value(x, value);
    tn_wasm_set(x, to + i);
  }
  x->lanes = x->from = 0;
}

// ** addresses **

// base + index * element on the stack, where the index is.
static void tn_wasm_scale(tn_wasm_select *x, const tiny_uop *at, int base, int element) {
  if (tn_bits(at->dtype) == 64) tn_wasm_do(x, TN_WASM_I32_WRAP);
  if (element > 1) { tn_wasm_i32(x, tn_wasm_log(element)); tn_wasm_do(x, TN_WASM_I32_SHL); }
  tn_wasm_get(x, base);
  tn_wasm_do(x, TN_WASM_I32_ADD);
}
static void tn_wasm_address_of(tn_wasm_select *x, const tiny_uop *memory, const tiny_uop *at, int element) {
  for (int i = x->addresses - 1; i >= 0; i--)
    if (x->address[i].memory == memory && x->address[i].at == at && x->address[i].element == element) {
      tn_wasm_get(x, x->address[i].reg);
      return;
    }
  tn_wasm_value(x, at);
  tn_wasm_scale(x, at, x->reg[memory->seq], element);
  if (x->addresses == TN_WASM_ADDRESSES || x->fused[at->seq] || x->uses[at->seq] < 2) return;
  const tn_wasm_address known = {memory, at, element, tn_wasm_local(x, TN_WASM_I32)};
  tn_wasm_tee(x, known.reg);
  x->address[x->addresses++] = known;
}
// An INDEX of elements that lie together, lane `from` of it: what is computed, NULL: nothing, and bytes from there.
static const tiny_uop *tn_wasm_computed(const tiny_uop *index, int from, int64_t *v) {
  const tiny_uop *folded = tn_isa_folded(index), *at = folded ? folded->src[0] : index->src[1];
  const int is_number = at->op == TINY_OP_CONST;
  *v = ((folded ? folded->src[1]->k : 0) + (is_number ? at->k : 0) + from) * tn_dtypes[index->dtype].nbytes;
  return is_number ? NULL : at;
}
// The address of that lane on the stack, but for what an access adds to it.
static int64_t tn_wasm_address_at(tn_wasm_select *x, const tiny_uop *index, int from) {
  int64_t v;
  const tiny_uop *at = tn_wasm_computed(index, from, &v), *memory = tn_memory_behind(index->src[0]);
  if (at) tn_wasm_address_of(x, memory, at, tn_dtypes[index->dtype].nbytes);
  else tn_wasm_get(x, x->reg[memory->seq]);
  if (v >= 0 && v <= UINT32_MAX && (!at || at->vmin >= 0 || v < TN_WASM_NBYTES * 4)) return v;
  tn_wasm_i32(x, (int64_t)(int32_t)(uint32_t)(uint64_t)v);
  tn_wasm_do(x, TN_WASM_I32_ADD);
  return 0;
}
// The address of an element of a vector of indices; at: the local that holds those that are computed now.
static void tn_wasm_address_apart(tn_wasm_select *x, const tiny_uop *index, int at, int lane) {
  const tiny_uop *i = index->src[1];
  tn_wasm_get(x, at);
  tn_wasm_extract(x, i->dtype, tn_wasm_is_splat(i) ? 0 : lane);
  tn_wasm_scale(x, i, x->reg[tn_memory_behind(index->src[0])->seq], tn_dtypes[index->dtype].nbytes);
}

// ** whole loads and stores **

// Rows of scalars, by bytes and sign, or as floats.
static int tn_wasm_load_row(const tiny_uop *u) {
  static const uint16_t narrow[2][2] = {{TN_WASM_I32_LOAD8_U, TN_WASM_I32_LOAD8_S},
    {TN_WASM_I32_LOAD16_U, TN_WASM_I32_LOAD16_S}};
  static const uint16_t rows[4] = {TN_WASM_I32_LOAD, TN_WASM_I64_LOAD, TN_WASM_F32_LOAD, TN_WASM_F64_LOAD};
  const int nbytes = tn_dtypes[u->dtype].nbytes;
  return nbytes < 4 ? narrow[nbytes == 2][tn_is_signed(u->dtype)] : rows[tn_wasm_scalar_kind(u->dtype)];
}
static int tn_wasm_store_row(const tiny_uop *u) {
  static const uint16_t rows[4] = {TN_WASM_I32_STORE, TN_WASM_I64_STORE, TN_WASM_F32_STORE, TN_WASM_F64_STORE};
  const int nbytes = tn_dtypes[u->dtype].nbytes;
  if (nbytes < 4) return nbytes == 1 ? TN_WASM_I32_STORE8 : TN_WASM_I32_STORE16;
  return rows[tn_wasm_scalar_kind(u->dtype)];
}
static const uint16_t tn_wasm_load_lane[4] = {TN_WASM_LOAD8_LANE, TN_WASM_LOAD16_LANE, TN_WASM_LOAD32_LANE,
  TN_WASM_LOAD64_LANE};
static const uint16_t tn_wasm_store_lane[4] = {TN_WASM_STORE8_LANE, TN_WASM_STORE16_LANE, TN_WASM_STORE32_LANE,
  TN_WASM_STORE64_LANE};
// The lanes that are computed now, from the address on the stack.
static void tn_wasm_load_at(tn_wasm_select *x, const tiny_uop *u, int64_t v) {
  const int nbytes = tn_wasm_nbytes(x, u), align = tn_wasm_log(tn_dtypes[u->dtype].nbytes);
  if (u->lanes == 1) { tn_wasm_access(x, tn_wasm_load_row(u), v, align, 0); return; }
  if (nbytes < 4) tn_wasm_splat(x, 0, 8);
  tn_wasm_access(x, nbytes == 16 ? TN_WASM_V128_LOAD : nbytes == 8 ? TN_WASM_LOAD64_ZERO :
                 nbytes == 4 ? TN_WASM_LOAD32_ZERO : TN_WASM_LOAD16_LANE, v, align, 0);
}
// To the address that is on the stack, below the value.
static void tn_wasm_store_at(tn_wasm_select *x, const tiny_uop *u, int64_t v) {
  const int nbytes = tn_wasm_nbytes(x, u), align = tn_wasm_log(tn_dtypes[u->dtype].nbytes);
  if (u->lanes == 1) tn_wasm_access(x, tn_wasm_store_row(u), v, align, 0);
  else if (nbytes == 16) tn_wasm_access(x, TN_WASM_V128_STORE, v, align, 0);
  else tn_wasm_access(x, tn_wasm_store_lane[tn_wasm_log(nbytes)], v, align, 0);
}

// ** lane by lane **

// A vector in memory of which lanes go apart. base: local of the address of its first lane, or of the indices; vector:
// local of what is loaded or stored; bits: local of a bit for each lane that does, -1: all do.
typedef struct tn_wasm_apart { const tiny_uop *index, *u; int base, vector, bits; int64_t v; } tn_wasm_apart;

// Leaves a bit of each lane in a local.
static int tn_wasm_bits_of_mask(tn_wasm_select *x, const tiny_uop *valid, const tiny_uop *u) {
  static const uint16_t rows[4] = {TN_WASM_I8X16_BITMASK, TN_WASM_I16X8_BITMASK, TN_WASM_I32X4_BITMASK,
    TN_WASM_I64X2_BITMASK};
  const int element = tn_wasm_element(x, u), lanes = tn_wasm_lanes(x, u);
  tn_wasm_mask(x, valid, element);
  tn_wasm_do(x, rows[tn_wasm_log(element)]);
  if (lanes * element < TN_WASM_NBYTES) { tn_wasm_i32(x, (1 << lanes) - 1); tn_wasm_do(x, TN_WASM_I32_AND); }
  return tn_wasm_kept(x, TN_WASM_I32);
}
static tn_wasm_apart tn_wasm_apart_of(tn_wasm_select *x, const tiny_uop *index, const tiny_uop *u) {
  tn_wasm_apart a;
  memset(&a, 0, sizeof a);
  a.index = index; a.u = u; a.bits = -1;
  if (index->lanes > 1) a.base = tn_wasm_held(x, index->src[1]);
  else {
    a.v = tn_wasm_address_at(x, index, x->from);
    a.base = tn_wasm_kept(x, TN_WASM_I32);
  }
  return a;
}
// Each lane that has its bit, or each, is loaded to the vector or stored.
static void tn_wasm_by_lane(tn_wasm_select *x, const tn_wasm_apart *a, int store) {
  const int element = tn_wasm_element(x, a->u), log = tn_wasm_log(element), apart = a->index->lanes > 1;
  for (int i = 0; i < tn_wasm_lanes(x, a->u); i++) {
    if (a->bits >= 0) {
      tn_wasm_get(x, a->bits);
      tn_wasm_i32(x, (int64_t)1 << i);
      tn_wasm_do(x, TN_WASM_I32_AND);
      tn_wasm_number(x, TN_WASM_IF, TN_WASM_VOID);
    }
    if (apart) tn_wasm_address_apart(x, a->index, a->base, i);
    else tn_wasm_get(x, a->base);
    tn_wasm_get(x, a->vector);
    tn_wasm_access(x, store ? tn_wasm_store_lane[log] : tn_wasm_load_lane[log], apart ? 0 : a->v + i * element, log, i);
    if (!store) tn_wasm_set(x, a->vector);
    if (a->bits >= 0) tn_wasm_do(x, TN_WASM_END);
  }
}
// Have all lanes their bit?
static void tn_wasm_if_all(tn_wasm_select *x, const tn_wasm_apart *a) {
  tn_wasm_get(x, a->bits);
  tn_wasm_i32(x, (1 << tn_wasm_lanes(x, a->u)) - 1);
  tn_wasm_do(x, TN_WASM_I32_EQ);
  tn_wasm_number(x, TN_WASM_IF, TN_WASM_VOID);
}

// ** loads and stores **

static void tn_wasm_otherwise(tn_wasm_select *x, const tiny_uop *u) {
  if (u->nsrc == 2) tn_wasm_value(x, u->src[1]);
  else tn_wasm_zero(x, u);
}
static void tn_wasm_load_lanes(tn_wasm_select *x, const tiny_uop *u, const tiny_uop *valid) {
  const tiny_uop *index = u->src[0];
  tn_wasm_apart a = tn_wasm_apart_of(x, index, u);
  if (valid) a.bits = tn_wasm_bits_of_mask(x, valid, u);
  tn_wasm_otherwise(x, u);
  a.vector = tn_wasm_kept(x, TN_WASM_V);
  if (index->lanes == 1) {
    tn_wasm_if_all(x, &a);
    tn_wasm_get(x, a.base);
    tn_wasm_load_at(x, u, a.v);
    tn_wasm_set(x, a.vector);
    tn_wasm_do(x, TN_WASM_ELSE);
  }
  tn_wasm_by_lane(x, &a, 0);
  if (index->lanes == 1) tn_wasm_do(x, TN_WASM_END);
  tn_wasm_get(x, a.vector);
}
static void tn_wasm_load_here(tn_wasm_select *x, const tiny_uop *u) {
  const tiny_uop *index = u->src[0], *valid = index->nsrc == 3 && index->src[2]->lanes > 1 ? index->src[2] : NULL;
  if (index->lanes > 1 || valid) { tn_wasm_load_lanes(x, u, valid); return; }
  const int64_t v = tn_wasm_address_at(x, index, u->lanes > 1 ? x->from : 0);
  tn_wasm_load_at(x, u, v);
}
static void tn_wasm_load(tn_wasm_select *x, const tiny_uop *u) {
  const tiny_uop *index = u->src[0], *valid = index->nsrc == 3 && index->src[2]->lanes == 1 ? index->src[2] : NULL;
  const int known = x->addresses;
  if (u->k || (u->dtype == TINY_BOOL && u->lanes > 1)) tn_wasm_refuse(x, "rows of matrices, or bools in memory");
  if (!valid) { tn_wasm_load_here(x, u); return; }
  tn_wasm_value(x, valid);
  tn_wasm_number(x, TN_WASM_IF, tn_wasm_type(u));
  tn_wasm_load_here(x, u);
  x->addresses = known;
  tn_wasm_do(x, TN_WASM_ELSE);
  tn_wasm_otherwise(x, u);
  x->addresses = known;
  tn_wasm_do(x, TN_WASM_END);
}
static void tn_wasm_store_lanes(tn_wasm_select *x, const tiny_uop *index, const tiny_uop *value,
                                const tiny_uop *valid) {
  tn_wasm_apart a = tn_wasm_apart_of(x, index, value);
  if (valid) a.bits = tn_wasm_bits_of_mask(x, valid, value);
  a.vector = tn_wasm_held(x, value);
  if (index->lanes == 1) {
    tn_wasm_if_all(x, &a);
    tn_wasm_get(x, a.base);
    tn_wasm_get(x, a.vector);
    tn_wasm_store_at(x, value, a.v);
    tn_wasm_do(x, TN_WASM_ELSE);
  }
  tn_wasm_by_lane(x, &a, 1);
  if (index->lanes == 1) tn_wasm_do(x, TN_WASM_END);
}
static void tn_wasm_store(tn_wasm_select *x, const tiny_uop *u) {
  const tiny_uop *index = u->src[0], *value = u->src[1], *valid = index->nsrc == 3 ? index->src[2] : NULL;
  const int masked = valid && valid->lanes > 1, guarded = valid && !masked, known = x->addresses;
  if (u->k == TN_ADDS) tn_wasm_refuse(x, "atomic additions");
  if (value->dtype == TINY_BOOL && value->lanes > 1) tn_wasm_refuse(x, "bools in memory");
  if (guarded) { tn_wasm_value(x, valid); tn_wasm_number(x, TN_WASM_IF, TN_WASM_VOID); }
  if (value->lanes > 1 && (index->lanes > 1 || masked)) tn_wasm_store_lanes(x, index, value, masked ? valid : NULL);
  else {
    const int64_t v = tn_wasm_address_at(x, index, value->lanes > 1 ? x->from : 0);
    tn_wasm_value(x, value);
    tn_wasm_store_at(x, value, v);
  }
  if (guarded) { tn_wasm_do(x, TN_WASM_END); x->addresses = known; }
}
#endif
