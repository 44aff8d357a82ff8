// amd_loads: LOADs and STOREs on AMD's GPUs: memory by buffers, LDS, scratch, and memory in registers.
//
// In:  nodes, addresses (amd_address.c). Out: operands of what is loaded; lines.
// Holds: what is the same for all lanes, and nobody stores, is loaded by scalar loads. Where an access may not be done
//        its lanes are beyond a buffer's bounds; of LDS and memory without a buffer they are off.
// Source: AMD's ISA guides (amd.c), "Scalar Memory", "Memory Buffer Instructions", "Data Share Operations".
#ifndef TN_ISA_AMD_LOADS
#define TN_ISA_AMD_LOADS
#ifndef TINY_AMALGAMATED
#include "amd_address.c"
#endif

// ** pieces: how much an access moves at once **

// Bytes: of accesses that are at least 4, dwords; of a vector in memory, n of them in all.
typedef struct tn_amd_pieces { int nbytes, n, words; } tn_amd_pieces;
static int tn_amd_is_lds(const tiny_uop *m) { return m->op == TINY_OP_DEFINE && m->v[0] == TN_SPACE_LOCAL; }

// The largest power of two that the place of an INDEX is known to be a multiple of, in bytes, 16 at most.
static int tn_amd_alignment(const tn_amd_selection *x, const tiny_uop *index) {
  const tiny_uop *m = tn_memory_behind(index->src[0]);
  const int size = (int)tiny_dtype_nbytes((tiny_dtype)m->dtype) * (m->op == TINY_OP_DEFINE ? m->lanes : 1);
  int n = 16;
  while (n > 1 && ((int64_t)size << x->zeros[index->src[1]->seq]) % n) n /= 2;
  return n;
}
// Dwords of memory may lie anywhere at a multiple of 4; in LDS an access of 8 or 16 bytes is as aligned as large.
static tn_amd_pieces tn_amd_pieces_of(const tn_amd_selection *x, const tiny_uop *index, const tiny_uop *value) {
  const tiny_uop *m = tn_memory_behind(index->src[0]);
  const int size = (int)tiny_dtype_nbytes((tiny_dtype)value->dtype), all = tn_amd_nbytes(value);
  const int align = tn_amd_alignment(x, index), own = tn_amd_is_lds(m) || m->op == TINY_OP_DEFINE;
  tn_amd_pieces p = {size, value->lanes, 0};
  if (value->dtype == TINY_BOOL || all % 4 || (align < 4 && size < 4) || (size < 4 && value->lanes == 1)) return p;
  int most = own ? (align < 4 ? 4 : align) : 16;
  while (all % most) most -= 4;
  if (own && most == 12) most = 4;
  if (size == 8 && most % 8) most = 8;     // a pair is not divided
  p.nbytes = most; p.n = all / most; p.words = 1;
  return p;
}

// ** instructions **

static const struct { uint8_t nbytes, sign; uint16_t buffer, global, lds, scratch; } tn_amd_loads[] = {
  {1, 0, TN_AMD_BUFFER_LOAD_U8, TN_AMD_GLOBAL_LOAD_U8, TN_AMD_DS_LOAD_U8, TN_AMD_SCRATCH_LOAD_U8},
  {1, 1, TN_AMD_BUFFER_LOAD_I8, TN_AMD_GLOBAL_LOAD_I8, TN_AMD_DS_LOAD_I8, TN_AMD_SCRATCH_LOAD_I8},
  {2, 0, TN_AMD_BUFFER_LOAD_U16, TN_AMD_GLOBAL_LOAD_U16, TN_AMD_DS_LOAD_U16, TN_AMD_SCRATCH_LOAD_U16},
  {2, 1, TN_AMD_BUFFER_LOAD_I16, TN_AMD_GLOBAL_LOAD_I16, TN_AMD_DS_LOAD_I16, TN_AMD_SCRATCH_LOAD_I16},
  {4, 0, TN_AMD_BUFFER_LOAD_B32, TN_AMD_GLOBAL_LOAD_B32, TN_AMD_DS_LOAD_B32, TN_AMD_SCRATCH_LOAD_B32},
  {8, 0, TN_AMD_BUFFER_LOAD_B64, TN_AMD_GLOBAL_LOAD_B64, TN_AMD_DS_LOAD_B64, TN_AMD_SCRATCH_LOAD_B64},
  {12, 0, TN_AMD_BUFFER_LOAD_B96, TN_AMD_GLOBAL_LOAD_B96, TN_AMD_DS_LOAD_B96, TN_AMD_SCRATCH_LOAD_B96},
  {16, 0, TN_AMD_BUFFER_LOAD_B128, TN_AMD_GLOBAL_LOAD_B128, TN_AMD_DS_LOAD_B128, TN_AMD_SCRATCH_LOAD_B128}
};
static const struct { uint8_t nbytes; uint16_t buffer, global, lds, scratch; } tn_amd_stores[] = {
  {1, TN_AMD_BUFFER_STORE_B8, TN_AMD_GLOBAL_STORE_B8, TN_AMD_DS_STORE_B8, TN_AMD_SCRATCH_STORE_B8},
  {2, TN_AMD_BUFFER_STORE_B16, TN_AMD_GLOBAL_STORE_B16, TN_AMD_DS_STORE_B16, TN_AMD_SCRATCH_STORE_B16},
  {4, TN_AMD_BUFFER_STORE_B32, TN_AMD_GLOBAL_STORE_B32, TN_AMD_DS_STORE_B32, TN_AMD_SCRATCH_STORE_B32},
  {8, TN_AMD_BUFFER_STORE_B64, TN_AMD_GLOBAL_STORE_B64, TN_AMD_DS_STORE_B64, TN_AMD_SCRATCH_STORE_B64},
  {12, TN_AMD_BUFFER_STORE_B96, TN_AMD_GLOBAL_STORE_B96, TN_AMD_DS_STORE_B96, TN_AMD_SCRATCH_STORE_B96},
  {16, TN_AMD_BUFFER_STORE_B128, TN_AMD_GLOBAL_STORE_B128, TN_AMD_DS_STORE_B128, TN_AMD_SCRATCH_STORE_B128}
};
// Which way an access goes. WIDE: by an address of 64 bits in vector registers; PLAIN: an offset beside a scalar one.
enum { TN_AMD_BY_BUFFER, TN_AMD_BY_WIDE, TN_AMD_BY_PLAIN, TN_AMD_BY_LDS, TN_AMD_BY_SCRATCH };
static int tn_amd_way(const tiny_uop *m, const tn_amd_address *a) {
  if (m->op == TINY_OP_DEFINE) return m->v[0] == TN_SPACE_LOCAL ? TN_AMD_BY_LDS : TN_AMD_BY_SCRATCH;
  return a->base.kind == TN_AMD_NONE ? TN_AMD_BY_WIDE : a->base.dwords == 2 ? TN_AMD_BY_PLAIN : TN_AMD_BY_BUFFER;
}
static int tn_amd_load_op(int way, int nbytes, int sign) {
  for (size_t i = 0; i < sizeof tn_amd_loads / sizeof *tn_amd_loads; i++)
    if (tn_amd_loads[i].nbytes == nbytes && tn_amd_loads[i].sign == (nbytes < 4 && sign))
      return way == TN_AMD_BY_BUFFER ? tn_amd_loads[i].buffer : way == TN_AMD_BY_LDS ? tn_amd_loads[i].lds :
             way == TN_AMD_BY_SCRATCH ? tn_amd_loads[i].scratch : tn_amd_loads[i].global;
  return 0;
}
static int tn_amd_store_op(int way, int nbytes) {
  for (size_t i = 0; i < sizeof tn_amd_stores / sizeof *tn_amd_stores; i++)
    if (tn_amd_stores[i].nbytes == nbytes)
      return way == TN_AMD_BY_BUFFER ? tn_amd_stores[i].buffer : way == TN_AMD_BY_LDS ? tn_amd_stores[i].lds :
             way == TN_AMD_BY_SCRATCH ? tn_amd_stores[i].scratch : tn_amd_stores[i].global;
  return 0;
}
static int32_t tn_amd_memory_number(const tiny_uop *m) {
  if (m->op == TINY_OP_PARAM) return (int32_t)(1 + m->k);
  return (int32_t)((m->v[0] == TN_SPACE_LOCAL ? TN_AMD_OF_LDS : TN_AMD_OF_SCRATCH) + (m->k & 0xFFFF));
}
// Loads to data, or stores it.
static void tn_amd_put_access(tn_amd_selection *x, int op, const tiny_uop *index, const tn_amd_address *a, int64_t more,
                          tn_amd_operand data, int stores) {
  const tiny_uop *m = tn_memory_behind(index->src[0]);
  const int way = tn_amd_way(m, a);
  const tn_amd_operand v = a->v.kind == TN_AMD_NONE ? tn_amd_off() : tn_amd_as_v(x, a->v);
  const tn_amd_operand none = x->family == TN_AMD_GFX12 ? tn_amd_s(TN_AMD_NULL, 1) : tn_amd_int(0);
  const tn_amd_operand s = a->s.kind == TN_AMD_NONE ? none : a->s;
  tn_amd_line *line;
  if (way == TN_AMD_BY_BUFFER) {
    line = tn_amd_do4(x->l, op, data, v, a->base, s);
    line->ins.m[TN_AMD_OFFEN] = v.kind == TN_AMD_VGPR;
  } else if (way == TN_AMD_BY_LDS || way == TN_AMD_BY_PLAIN) {
    const tn_amd_operand at = v.kind == TN_AMD_VGPR ? v : a->s.kind == TN_AMD_NONE ? tn_amd_held(x, 0) :
                                                                                   tn_amd_as_v(x, a->s);
    if (way == TN_AMD_BY_LDS) line = stores ? tn_amd_do2(x->l, op, at, data) : tn_amd_do2(x->l, op, data, at);
    else line = stores ? tn_amd_do3(x->l, op, at, data, a->base) : tn_amd_do3(x->l, op, data, at, a->base);
  } else if (*tn_amd_form_of(op, x->family).operands == 'r')   // an atomic one, of which nothing comes back
    line = tn_amd_do4(x->l, op, tn_amd_no_sum(), v, data, tn_amd_off());
  else line = stores ? tn_amd_do3(x->l, op, v, data, tn_amd_off()) : tn_amd_do3(x->l, op, data, v, tn_amd_off());
  line->ins.m[TN_AMD_OFFSET] = (int32_t)(a->offset + more);
  line->memory = tn_amd_memory_number(m);
  line->index = index;
  line->align = (uint8_t)tn_amd_alignment(x, index);
  while (more % line->align) line->align /= 2;
}
// The offset of the last piece is one that the instruction takes.
static void tn_amd_make_room(tn_amd_selection *x, const tiny_uop *m, tn_amd_address *a, int64_t more) {
  const int own = m->op == TINY_OP_DEFINE;
  const int64_t most = a->base.kind == TN_AMD_NONE && !own ? 0 : tn_amd_most_offset(x, tn_amd_is_lds(m));
  int level = a->level;
  if (a->offset + more <= most || (a->base.kind == TN_AMD_NONE && !own && more <= 4095)) return;
  const int plain = a->base.dwords == 2 && a->v.kind != TN_AMD_NONE;
  tn_amd_operand *const to = own || plain || a->s.kind == TN_AMD_NONE ? &a->v : &a->s;
  *to = tn_amd_step_on(x, *to, &level, NULL, a->offset);
  a->offset = 0;
}

// ** what may not be there **

static tn_amd_operand tn_amd_condition(const tn_amd_selection *x, const tiny_uop *index) {
  const tn_amd_operand o = index->nsrc == 3 ? tn_amd_element(x, index->src[2], 0) : tn_amd_no_sum();
  return tn_amd_is_constant(&o) && o.value ? tn_amd_no_sum() : o;
}
static int tn_amd_scalar_op(const tn_amd_selection *x, int narrow, int wide) { return x->l->mask == 1 ? narrow : wide; }
// v where the mask is on, else what is beyond all bounds; once for each mask and offset.
static tn_amd_operand tn_amd_masked_offset(tn_amd_selection *x, const tiny_uop *condition, tn_amd_operand mask,
                                           tn_amd_operand v, int level) {
  enum { BEYOND = INT32_MIN };
  const int64_t key = (int64_t)1 << 41;                      // as no sum is
  const tn_amd_operand beyond = tn_amd_held(x, (uint32_t)BEYOND), at = v.kind == TN_AMD_NONE ? tn_amd_int(0) : v;
  tn_amd_step *const s = tn_amd_step_at(x, v, condition, key);
  if (tn_amd_is_there(x, s)) return s->to;
  s->level = tn_amd_level_of(x, condition, level);
  s->serial = x->level[s->level].serial;
  const int here = tn_amd_go_to(x, s->level);
  s->to = tn_amd_is_constant(&mask) ? beyond : tn_amd_v3(x, TN_AMD_V_CNDMASK_B32, beyond, at, mask);
  tn_amd_go_to(x, here);
  return s->to;
}
// Of a buffer: lanes that are off are beyond its bounds. EXEC else, as it was in `kept`.
static tn_amd_operand tn_amd_mask_access(tn_amd_selection *x, const tiny_uop *index, tn_amd_address *a) {
  const tn_amd_operand mask = tn_amd_condition(x, index);
  if (mask.kind == TN_AMD_NONE) return mask;
  if (tn_amd_way(tn_memory_behind(index->src[0]), a) != TN_AMD_BY_BUFFER) {
    const tn_amd_operand kept = tn_amd_new_mask(x->l);
    tn_amd_do2(x->l, tn_amd_scalar_op(x, TN_AMD_S_AND_SAVEEXEC_B32, TN_AMD_S_AND_SAVEEXEC_B64), kept, mask);
    return kept;
  }
  a->v = tn_amd_masked_offset(x, index->src[2], mask, a->v, a->level);
  return tn_amd_no_sum();
}
static void tn_amd_unmask(tn_amd_selection *x, tn_amd_operand kept) {
  tn_amd_operand exec = tn_amd_s(TN_AMD_EXEC, x->l->mask);
  if (kept.kind == TN_AMD_SGPR)
    tn_amd_do2(x->l, tn_amd_scalar_op(x, TN_AMD_S_MOV_B32, TN_AMD_S_MOV_B64), exec, kept);
}
// Element i of what is there otherwise, or word i.
static tn_amd_operand tn_amd_otherwise(tn_amd_selection *x, const tiny_uop *u, int words, int i) {
  const tiny_uop *other = u->src[1];
  if (!words || other->lanes > 1) return words ? tn_amd_bits_at(x, other, i) : tn_amd_element(x, other, i);
  const tn_amd_operand one = tn_amd_element(x, other, 0), four[4] = {one, one, one, one};
  return tn_amd_packed(x, u->dtype, four);
}
static int tn_amd_is_zero_otherwise(const tn_amd_selection *x, const tiny_uop *u, int words, int n) {
  int zero = 1;
  if (u->nsrc < 2) return 1;
  if (u->src[1]->lanes == 1) n = 1;
  for (int i = 0; i < n; i++) {
    const tn_amd_operand o = words && u->src[1]->lanes > 1 ? tn_amd_bits_at(x, u->src[1], i) :
                                                             tn_amd_element(x, u->src[1], i);
    zero &= tn_amd_is_zero(&o);
  }
  return zero;
}
// What memory has under the mask, `other` else. Masks of lanes are 0 where nothing was loaded.
static tn_amd_operand tn_amd_else_other(tn_amd_selection *x, int dtype, tn_amd_operand mask, tn_amd_operand memory,
                                        tn_amd_operand other) {
  if (tn_amd_is_constant(&mask)) return other;
  if (dtype == TINY_BOOL) {
    const tn_amd_operand to = tn_amd_new_mask(x->l), rest = tn_amd_new_mask(x->l);
    tn_amd_do3(x->l, tn_amd_scalar_op(x, TN_AMD_S_AND_NOT1_B32, TN_AMD_S_AND_NOT1_B64), rest, other, mask);
    tn_amd_do3(x->l, tn_amd_scalar_op(x, TN_AMD_S_OR_B32, TN_AMD_S_OR_B64), to, memory, rest);
    return to;
  }
  const int n = memory.dwords;
  const tn_amd_operand to = tn_amd_new_v(x->l, n);
  for (int i = 0; i < n; i++)
    tn_amd_do4(x->l, TN_AMD_V_CNDMASK_B32, tn_amd_slice(to, i, 1), n > 1 ? tn_amd_slice(other, i, 1) : other,
               tn_amd_slice(memory, i, 1), mask);
  return to;
}
// n elements or words of memory; they are there under the mask alone, else what is otherwise.
static void tn_amd_choose_otherwise(tn_amd_selection *x, const tiny_uop *u, int words, int first, int n) {
  const tn_amd_operand mask = tn_amd_condition(x, u->src[0]);
  if (mask.kind == TN_AMD_NONE || tn_amd_is_zero_otherwise(x, u, words, n)) return;
  for (int i = 0; i < n; i++) {
    const tn_amd_operand other = tn_amd_otherwise(x, u, words, i);
    const tn_amd_operand chosen = tn_amd_else_other(x, u->dtype, mask, x->pool[first + i], other);
    x->pool[first + i] = chosen;
  }
}

// ** LOAD **

static int tn_amd_reg_at(const tn_amd_selection *x, const tiny_uop *index) {
  const tiny_uop *m = tn_memory_behind(index->src[0]);
  return x->elements[m->seq] + (int)index->src[1]->k * m->lanes;
}
static int tn_amd_in_registers(const tn_amd_selection *x, const tiny_uop *index) {
  return tn_is_reg(index->src[0]) && x->place[tn_memory_behind(index->src[0])->seq] < 0;
}
static tn_amd_operand tn_amd_copied(tn_amd_selection *x, tn_amd_operand from) {
  const tn_amd_operand to = tn_amd_new(x->l, from.kind, from.dwords);
  tn_amd_copy(x->l, to, from);
  return to;
}
// Memory in registers of a tuple is copied as one.
static void tn_amd_load_register(tn_amd_selection *x, const tiny_uop *u) {
  const int from = tn_amd_reg_at(x, u->src[0]), first = x->elements[u->seq] = tn_amd_take(x, u->lanes);
  const tn_amd_operand *const r = &x->pool[from];
  const int each = r->dwords, tuple = u->lanes > 1 && r[0].reg == r[1].reg;
  tn_amd_operand all = r[0];
  if (tuple) {
    all.dwords = (uint8_t)(each * u->lanes);
    all = tn_amd_copied(x, all);
  }
  for (int i = 0; i < u->lanes; i++) {
    const tn_amd_operand one = tuple ? tn_amd_slice(all, i * each, each) : tn_amd_copied(x, x->pool[from + i]);
    x->pool[first + i] = one;
  }
}
// A sum of scalars stands in the scalar's place.
static void tn_amd_move_scalar(tn_amd_address *a) {
  if (a->v.kind != TN_AMD_SGPR || a->base.kind == TN_AMD_NONE || a->s.kind != TN_AMD_NONE) return;
  a->s = a->v;
  a->v = tn_amd_no_sum();
}
// Of one value for all lanes, in memory that nobody stores to: dwords, by a base and an offset.
static int tn_amd_is_scalar_load(const tn_amd_selection *x, const tiny_uop *u, const tn_amd_address *a,
                                 const tn_amd_pieces *p) {
  const tiny_uop *m = tn_memory_behind(u->src[0]->src[0]);
  const int nbytes = tn_amd_nbytes(u);
  return m->op == TINY_OP_PARAM && !x->written[m->seq] && a->base.kind != TN_AMD_NONE && a->v.kind == TN_AMD_NONE &&
      u->src[0]->nsrc < 3 && tn_amd_alignment(x, u->src[0]) >= 4 && nbytes % 4 == 0 && nbytes <= 64 &&
      (p->words || nbytes == 4) && (nbytes & (nbytes - 1)) == 0;
}
static void tn_amd_load_scalar(tn_amd_selection *x, const tiny_uop *u, const tn_amd_address *a) {
  const int n = tn_amd_nbytes(u) / 4, words = tn_amd_packs(u), wide = tn_amd_bits_of(u->dtype) == 64;
  const int op = n == 1 ? TN_AMD_S_LOAD_B32 : n == 2 ? TN_AMD_S_LOAD_B64 : n == 4 ? TN_AMD_S_LOAD_B128 :
                 n == 8 ? TN_AMD_S_LOAD_B256 : TN_AMD_S_LOAD_B512;
  const tn_amd_operand to = tn_amd_new_s(x->l, n);
  // gfx9 and gfx11 add 20 bits and a sign, gfx12 23 and a sign (SMEM, OFFSET)
  tn_amd_operand s = a->s;
  int64_t offset = a->offset;
  if (s.kind == TN_AMD_NONE && offset >= 1 << 20) {
    s = tn_amd_in_sgprs(x->l, tn_amd_k32((uint32_t)offset));
    offset = 0;
  }
  tn_amd_line *const line = tn_amd_do3(x->l, op, to, tn_amd_slice(a->base, 0, 2),
                                       s.kind == TN_AMD_NONE ? tn_amd_off() : s);
  line->ins.m[TN_AMD_OFFSET] = (int32_t)offset;
  line->memory = tn_amd_memory_number(tn_memory_behind(u->src[0]->src[0]));
  line->index = u->src[0];
  const int count = words ? n : u->lanes, first = tn_amd_take(x, count);
  for (int i = 0; i < count; i++) x->pool[first + i] = wide ? tn_amd_slice(to, 2 * i, 2) : tn_amd_slice(to, i, 1);
  if (words) x->words[u->seq] = first;
  else x->elements[u->seq] = first;
}
static void tn_amd_load(tn_amd_selection *x, const tiny_uop *u) {
  const tiny_uop *index = u->src[0], *m = tn_memory_behind(index->src[0]);
  const tn_amd_pieces p = tn_amd_pieces_of(x, index, u);
  const int wide = tn_amd_bits_of(u->dtype) == 64, words = p.words && tn_amd_packs(u);
  const int count = words ? tn_amd_nwords(u) : u->lanes, first = tn_amd_take(x, count);
  tn_amd_address a = tn_amd_address_of(x, index);
  tn_amd_move_scalar(&a);
  if (tn_amd_is_scalar_load(x, u, &a, &p)) { tn_amd_load_scalar(x, u, &a); return; }
  tn_amd_make_room(x, m, &a, (int64_t)(p.n - 1) * p.nbytes);
  const tn_amd_operand kept = tn_amd_mask_access(x, index, &a);
  const int way = tn_amd_way(m, &a), op = tn_amd_load_op(way, p.nbytes, tn_amd_is_signed(u->dtype));
  const int dwords = p.nbytes < 4 ? 1 : p.nbytes / 4, each = wide ? 2 : 1;
  for (int i = 0, at = 0; i < p.n; i++) {
    const tn_amd_operand to = tn_amd_new_v(x->l, dwords);
    if (kept.kind == TN_AMD_SGPR) {        // lanes that are off have zeros, before EXEC was narrowed
      tn_amd_unmask(x, kept);
      tn_amd_copy(x->l, to, tn_amd_int(0));
      tn_amd_operand exec = tn_amd_s(TN_AMD_EXEC, x->l->mask);
      tn_amd_do3(x->l, tn_amd_scalar_op(x, TN_AMD_S_AND_B32, TN_AMD_S_AND_B64), exec, kept, tn_amd_condition(x, index));
    }
    tn_amd_put_access(x, op, index, &a, (int64_t)i * p.nbytes, to, 0);
    for (int j = 0; j < dwords && at < count; j += each) x->pool[first + at++] = tn_amd_slice(to, j, each);
  }
  tn_amd_unmask(x, kept);
  if (words) x->words[u->seq] = first;
  else x->elements[u->seq] = first;
  for (int i = 0; i < count && u->dtype == TINY_BOOL; i++) {
    const tn_amd_operand mask = tn_amd_new_mask(x->l);
    tn_amd_do3(x->l, TN_AMD_V_CMP_NE_U32, mask, tn_amd_int(0), x->pool[first + i]);
    x->pool[first + i] = mask;
  }
  tn_amd_choose_otherwise(x, u, words, first, count);
}

// ** STORE **

// May lanes be off that go on later: in an IF, in a loop that lanes leave one by one?
static int tn_amd_may_be_off(const tn_amd_selection *x) {
  for (int i = 1; i <= x->depth; i++) {
    const tiny_uop *u = x->level[i].opened;
    if (u->op == TINY_OP_IF || x->pool[x->elements[u->seq]].kind == TN_AMD_VGPR) return 1;
  }
  return 0;
}
// A mask keeps its bits of lanes that are off.
static void tn_amd_store_mask(tn_amd_selection *x, tn_amd_operand to, tn_amd_operand from) {
  const tn_amd_operand exec = tn_amd_s(TN_AMD_EXEC, x->l->mask);
  const tn_amd_operand on = tn_amd_new_mask(x->l), off = tn_amd_new_mask(x->l);
  tn_amd_do3(x->l, tn_amd_scalar_op(x, TN_AMD_S_AND_B32, TN_AMD_S_AND_B64), on, from, exec);
  tn_amd_do3(x->l, tn_amd_scalar_op(x, TN_AMD_S_AND_NOT1_B32, TN_AMD_S_AND_NOT1_B64), off, to, exec);
  tn_amd_do3(x->l, tn_amd_scalar_op(x, TN_AMD_S_OR_B32, TN_AMD_S_OR_B64), to, on, off);
}
static void tn_amd_store_register(tn_amd_selection *x, const tiny_uop *u) {
  const int to = tn_amd_reg_at(x, u->src[0]), n = u->src[1]->lanes;
  const tn_amd_operand first = tn_amd_element(x, u->src[1], 0), last = tn_amd_element(x, u->src[1], n - 1);
  const tn_amd_operand r = x->pool[to];
  const int each = r.dwords;
  if (n > 1 && r.reg == x->pool[to + 1].reg && first.kind == r.kind && first.reg == last.reg && first.dwords == each &&
      last.sub == first.sub + (n - 1) * each) {              // from one tuple to another
    tn_amd_operand all = r, from = first;
    all.dwords = from.dwords = (uint8_t)(each * n);
    tn_amd_copy(x->l, all, from);
    return;
  }
  const int keeps = u->src[1]->dtype == TINY_BOOL && tn_amd_may_be_off(x);
  for (int i = 0; i < n; i++) {
    if (keeps) tn_amd_store_mask(x, x->pool[to + i], tn_amd_element(x, u->src[1], i));
    else tn_amd_copy(x->l, x->pool[to + i], tn_amd_element(x, u->src[1], i));
  }
}
static int tn_amd_atomic_op(int dtype, int way) {            // of memory that is the kernel's, there are none
  const int buffer = way == TN_AMD_BY_BUFFER;
  if (!buffer && way != TN_AMD_BY_WIDE) return 0;
  switch (dtype) {
    case TINY_I32: case TINY_U32: return buffer ? TN_AMD_BUFFER_ATOMIC_ADD_U32 : TN_AMD_GLOBAL_ATOMIC_ADD_U32;
    case TINY_I64: case TINY_U64: return buffer ? TN_AMD_BUFFER_ATOMIC_ADD_U64 : TN_AMD_GLOBAL_ATOMIC_ADD_U64;
    case TINY_F32: return buffer ? TN_AMD_BUFFER_ATOMIC_ADD_F32 : TN_AMD_GLOBAL_ATOMIC_ADD_F32;
    case TINY_F64: return buffer ? TN_AMD_BUFFER_ATOMIC_ADD_F64 : TN_AMD_GLOBAL_ATOMIC_ADD_F64;
    default: return 0;
  }
}
// Dwords [at, at + n) of what is stored, in registers beside each other.
static tn_amd_operand tn_amd_stored(tn_amd_selection *x, const tiny_uop *value, const tn_amd_pieces *p, int i) {
  const int wide = tn_amd_bits_of(value->dtype) == 64, n = p->nbytes < 4 ? 1 : p->nbytes / 4;
  if (value->dtype == TINY_BOOL) {
    const tn_amd_operand mask = tn_amd_element(x, value, i);
    if (tn_amd_is_constant(&mask)) return tn_amd_in_vgprs(x->l, tn_amd_int(mask.value != 0));
    return tn_amd_v3(x, TN_AMD_V_CNDMASK_B32, tn_amd_int(0), tn_amd_int(1), mask);
  }
  if (n == 1) return tn_amd_as_v(x, p->words ? tn_amd_bits_at(x, value, i) : tn_amd_element(x, value, i));
  if (wide && n == 2) return tn_amd_as_v(x, tn_amd_element(x, value, i));
  tn_amd_operand first = tn_amd_bits_at(x, value, i * n);
  int beside = first.kind == TN_AMD_VGPR;
  for (int j = 1; j < n && beside; j++) {
    const tn_amd_operand o = tn_amd_bits_at(x, value, i * n + j);
    beside = o.kind == TN_AMD_VGPR && o.reg == first.reg && o.sub == first.sub + j;
  }
  if (beside) { first.dwords = (uint8_t)n; return first; }
  const tn_amd_operand to = tn_amd_new_v(x->l, n);
  for (int j = 0; j < n; j++) tn_amd_copy(x->l, tn_amd_slice(to, j, 1), tn_amd_bits_at(x, value, i * n + j));
  return to;
}
static void tn_amd_store(tn_amd_selection *x, const tiny_uop *u) {
  const tiny_uop *index = u->src[0], *value = u->src[1], *m = tn_memory_behind(index->src[0]);
  const tn_amd_pieces p = tn_amd_pieces_of(x, index, value);
  tn_amd_address a = tn_amd_address_of(x, index);
  tn_amd_operand data[64];
  tn_amd_move_scalar(&a);
  for (int i = 0; i < p.n && i < 64; i++) data[i] = tn_amd_stored(x, value, &p, i);
  tn_amd_make_room(x, m, &a, (int64_t)(p.n - 1) * p.nbytes);
  const tn_amd_operand kept = tn_amd_mask_access(x, index, &a);
  const int way = tn_amd_way(m, &a), adds = u->k == TN_ADDS;
  const int op = adds ? tn_amd_atomic_op(value->dtype, way) : tn_amd_store_op(way, p.nbytes);
  if (!op || p.n > 64 || (adds && p.n > 1)) { tn_amd_refuse_node(x, u); return; }
  for (int i = 0; i < p.n; i++) tn_amd_put_access(x, op, index, &a, (int64_t)i * p.nbytes, data[i], 1);
  tn_amd_unmask(x, kept);
}
#endif
