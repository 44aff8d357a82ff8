// x86_lanes: what moves lanes: BROADCAST, STACK, PICK, LANE; dot products; the parts of vectors wider than a register.
//
// In:  a node. Out: the instructions that write its value to a register, or to several; how many lanes go at once.
// Holds: what no instruction does goes through the shelf, TN_X86_SHELF bytes of the frame.
#ifndef TN_ISA_X86_LANES
#define TN_ISA_X86_LANES
#ifndef TINY_AMALGAMATED
#include "x86_arithmetic.c"
#endif

// ** lanes **

// The lowest element of a vector in all lanes.
static void tn_x86_splat_lowest(tn_x86_select *x, int to, int r, int element, int held) {
  const int type = tn_x86_int_type(element), row = tn_x86_choose(x->level, TN_X86_DO_SPLAT, type);
  if (row) { tn_x86_2(x, row, tn_x86_vec(to, held, TN_ISA_DEF), tn_x86_vec(r, 16, TN_ISA_USE)); return; }
  for (; element < 4; element *= 2) {      // twice, in as many bytes
    const int twice = tn_x86_new(x, TN_ISA_VEC);
    tn_x86_do_3(x, TN_X86_DO_UNPACK, tn_x86_int_type(element), 16, twice, r, r);
    r = twice;
  }
  if (element == 8) tn_x86_do_3(x, TN_X86_DO_UNPACK, TN_X86_I64, 16, to, r, r);
  else tn_x86_do_imm(x, TN_X86_DO_SHUFFLE_4, TN_X86_I32, 16, to, r, 0);
}
static void tn_x86_broadcast(tn_x86_select *x, const tiny_uop *u, int to) {
  static const int of_gpr[4] = {TN_X86_VPBROADCASTB, TN_X86_VPBROADCASTW, TN_X86_VPBROADCASTD, TN_X86_VPBROADCASTQ};
  const tiny_uop *s = u->src[0];
  const int held = tn_x86_held(x, u), element = tn_x86_element(x, u), is_float = tn_is_float(u->dtype);
  if (u->dtype == TINY_BOOL) {
    tn_x86_copy(x, tn_x86_class(x, u), to,
                tn_x86_lanes_of_bool(x, tn_x86_value(x, s), tn_x86_nbytes(x, u), u->lanes), held);
    return;
  }
  if (x->fused[s->seq] && s->op == TINY_OP_LOAD) {           // straight from memory
    const tn_isa_operand o = tn_x86_memory(x, s->src[0], element);
    const int row = tn_x86_choose(x->level, TN_X86_DO_SPLAT, is_float ? tn_x86_type(x, u) : tn_x86_int_type(element));
    if (row) { tn_x86_2(x, row, tn_x86_vec(to, held, TN_ISA_DEF), o); return; }
    const int one = tn_x86_new(x, TN_ISA_VEC);
    tn_x86_load_bytes(x, one, element, o);
    tn_x86_splat_lowest(x, to, one, element, held);
    return;
  }
  const int r = tn_x86_value(x, s), wide = element == 8 ? 8 : 4;
  if (is_float) { tn_x86_splat_lowest(x, to, r, element, held); return; }
  if (x->level->masks) {
    tn_x86_2(x, of_gpr[tn_x86_log(element)], tn_x86_vec(to, held, TN_ISA_DEF), tn_x86_gpr(r, wide, TN_ISA_USE));
    return;
  }
  const int one = tn_x86_new(x, TN_ISA_VEC);
  tn_x86_2(x, tn_x86_best(x, TN_X86_DO_GPR, tn_x86_int_type(wide)), tn_x86_vec(one, 16, TN_ISA_DEF),
           tn_x86_gpr(r, wide, TN_ISA_USE));
  tn_x86_splat_lowest(x, to, one, element, held);
}

// ** STACK **

// Is u a STACK of single lanes of one vector or of two, as wide as they are, for which there are instructions? Then it
// reads those.
// n lanes of `element` bytes: at[i], of the second vector from n on, is what the i-th of the result is.
typedef struct tn_x86_order { const tiny_uop *from[2]; int n, element, at[64]; } tn_x86_order;
// Lanes of less than 4 bytes that move in pairs are lanes of twice the size.
static void tn_x86_pair_lanes(tn_x86_order *order) {
  for (; order->element < 4; order->element *= 2, order->n /= 2) {
    for (int i = 0; i < order->n; i += 2)
      if (order->at[i] % 2 || order->at[i + 1] != order->at[i] + 1) return;
    for (int i = 0; i < order->n / 2; i++) order->at[i] = order->at[2 * i] / 2;
  }
}
// Smaller ones: any words of 2 bytes by AVX-512, else bytes of the same 16.
static int tn_x86_permutes_small(const tn_x86_select *x, const tn_x86_order *order) {
  const int each = 16 / order->element;
  if (order->element == 2 && x->level->masks) return 1;
  for (int i = 0; i < order->n; i++) if (order->at[i] % order->n / each != i / each) return 0;
  return tn_x86_choose(x->level, TN_X86_DO_PERMUTE_16, TN_X86_I8) != 0;
}
static int tn_x86_shuffles(const tn_x86_select *x, const tiny_uop *u, tn_x86_order *order) {
  const int element = u->dtype ? tn_dtypes[u->dtype].nbytes : 0, nbytes = u->lanes * element;
  order->from[0] = order->from[1] = NULL;
  order->n = u->lanes; order->element = element;
  if (u->op != TINY_OP_STACK || (int)u->nsrc != u->lanes || u->dtype == TINY_BOOL) return 0;
  if (nbytes < 16 || nbytes > x->level->nbytes) return 0;
  for (int i = 0; i < u->lanes; i++) {
    const tiny_uop *one = u->src[i], *vector = one->op == TINY_OP_PICK ? one->src[0] : NULL;
    if (!vector || vector->lanes != u->lanes || tn_x86_is_splat(vector)) return 0;
    const int k = order->from[0] && order->from[0] != vector;
    if (order->from[k] && order->from[k] != vector) return 0;
    order->from[k] = vector;
    order->at[i] = (int)one->k + k * u->lanes;
  }
  tn_x86_pair_lanes(order);
  return order->element >= 4 || tn_x86_permutes_small(x, order);
}
// Where each word of 4 bytes comes from, in each: numbers of words, of the second from 32 on.
enum { TN_X86_SECOND = 32 };
static void tn_x86_words(const tn_x86_order *order, uint8_t *of) {
  const int n = order->n, words = order->element / 4;
  for (int i = 0; i < n; i++) for (int w = 0; w < words; w++)
    of[i * words + w] = (uint8_t)(order->at[i] % n * words + w + (order->at[i] >= n ? TN_X86_SECOND : 0));
}
static int tn_x86_pooled_bytes(tn_x86_select *x, const uint8_t *bytes, int nbytes) {
  const int v = tn_x86_new(x, TN_ISA_VEC);
  const int64_t at = tn_isa_constant(x->c, bytes, (size_t)nbytes);
  tn_x86_2(x, tn_x86_best(x, TN_X86_DO_MOVE, TN_X86_V32), tn_x86_vec(v, nbytes, TN_ISA_DEF),
           tn_isa_at(TN_ISA_POOL, nbytes, at));
  return v;
}
// By AVX-512: any lanes of two registers, or of one.
static void tn_x86_permute_any(tn_x86_select *x, const tn_x86_order *order, int to, int a, int b) {
  static const int rows[2][3] = {{TN_X86_VPERMW, TN_X86_VPERMD, TN_X86_VPERMQ},
                                 {TN_X86_VPERMT2W, TN_X86_VPERMT2D, TN_X86_VPERMT2Q}};
  const int nbytes = order->n * order->element, one = !order->from[1] && nbytes > 16;
  const int row = rows[!one][tn_x86_log(order->element) - 1];
  uint8_t index[64] = {0};
  for (int i = 0; i < order->n; i++) index[i * order->element] = (uint8_t)order->at[i];
  const tn_isa_operand by = tn_x86_vec(tn_x86_pooled_bytes(x, index, nbytes), nbytes, TN_ISA_USE);
  if (one) {
    tn_x86_3(x, row, tn_x86_vec(to, nbytes, TN_ISA_DEF), by, tn_x86_vec(a, nbytes, TN_ISA_USE));
    return;
  }
  tn_x86_copy(x, TN_ISA_VEC, to, a, nbytes);
  tn_x86_3(x, row, tn_x86_vec(to, nbytes, TN_ISA_BOTH), by, tn_x86_vec(b, nbytes, TN_ISA_USE));
}
// Of each 16 bytes those of the same 16 of both, with zeros where the other's are (Intel SDM vol. 2, PSHUFB).
static void tn_x86_permute_16(tn_x86_select *x, const tn_x86_order *order, int to, int a, int b) {
  const int element = order->element, nbytes = order->n * element, two = order->from[1] != NULL;
  uint8_t from[2][64];
  int part[2] = {to, to};
  for (int i = 0; i < nbytes; i++) {
    const int lane = order->at[i / element], second = lane >= order->n;
    from[second][i] = (uint8_t)((lane * element + i % element) % 16);
    from[!second][i] = 0x80;
  }
  for (int k = 0; k <= two; k++) {
    const int by = tn_x86_pooled_bytes(x, from[k], nbytes);
    if (two) part[k] = tn_x86_new(x, TN_ISA_VEC);
    tn_x86_do_3(x, TN_X86_DO_PERMUTE_16, TN_X86_I8, nbytes, part[k], k ? b : a, by);
  }
  if (two) tn_x86_do_3(x, TN_X86_DO_OR, TN_X86_I32, nbytes, to, part[0], part[1]);
}
// By AVX2, of 32 bytes: words of each, and one of both word by word.
static void tn_x86_permute_words(tn_x86_select *x, const uint8_t *words, int to, int a, int b) {
  uint8_t index[32] = {0};
  int of_second = 0;
  for (int i = 0; i < 8; i++) {
    index[4 * i] = words[i] % TN_X86_SECOND;
    of_second |= (words[i] >= TN_X86_SECOND) << i;
  }
  const tn_isa_operand by = tn_x86_vec(tn_x86_pooled_bytes(x, index, 32), 32, TN_ISA_USE);
  const int p = of_second ? tn_x86_new(x, TN_ISA_VEC) : to, q = tn_x86_new(x, TN_ISA_VEC);
  tn_x86_3(x, TN_X86_VPERMPS, tn_x86_vec(p, 32, TN_ISA_DEF), by, tn_x86_vec(a, 32, TN_ISA_USE));
  if (!of_second) return;
  tn_x86_3(x, TN_X86_VPERMPS, tn_x86_vec(q, 32, TN_ISA_DEF), by, tn_x86_vec(b, 32, TN_ISA_USE));
  tn_x86_4(x, TN_X86_VBLENDPS, tn_x86_vec(to, 32, TN_ISA_DEF), tn_x86_vec(p, 32, TN_ISA_USE),
           tn_x86_vec(q, 32, TN_ISA_USE), of_second);
}
// Of 16 bytes: two words of one register and two of one are one instruction, which pairs of two make before.
static void tn_x86_shufps(tn_x86_select *x, int to, int a, int b, const int word[4]) {
  tn_x86_4(x, tn_x86_best(x, TN_X86_DO_EVEN, TN_X86_V32), tn_x86_vec(to, 16, TN_ISA_DEF),
           tn_x86_vec(a, 16, TN_ISA_USE), tn_x86_vec(b, 16, TN_ISA_USE),
           word[0] | word[1] << 2 | word[2] << 4 | word[3] << 6);
}
static void tn_x86_shuffle_words(tn_x86_select *x, const uint8_t *words, int to, int a, int b) {
  int of[2], word[4];
  for (int i = 0; i < 2; i++) {
    const int p = words[2 * i] >= TN_X86_SECOND ? b : a, q = words[2 * i + 1] >= TN_X86_SECOND ? b : a;
    word[2 * i] = words[2 * i] & 3; word[2 * i + 1] = words[2 * i + 1] & 3;
    of[i] = p;
    if (p == q) continue;
    const int pair[4] = {word[2 * i], word[2 * i], word[2 * i + 1], word[2 * i + 1]};
    of[i] = tn_x86_new(x, TN_ISA_VEC);
    tn_x86_shufps(x, of[i], p, q, pair);
    word[2 * i] = 0; word[2 * i + 1] = 2;
  }
  tn_x86_shufps(x, to, of[0], of[1], word);
}
// What one instruction does with two vectors, without a table: lane i of its result by the kind, n lanes, `each` of
// them in 128 bits. Halves of those are interleaved, by one or two lanes; or halves of the vectors follow each other.
enum { TN_X86_LOWS, TN_X86_HIGHS, TN_X86_LOW_PAIRS, TN_X86_HIGH_PAIRS, TN_X86_LOW_HALVES, TN_X86_HIGH_HALVES,
  TN_X86_SHUFFLES };
static int tn_x86_shuffled(int kind, int i, int n, int each) {
  const int group = i / each * each, at = i % each, high = kind & 1, half = each / 2;
  if (kind <= TN_X86_HIGHS) return group + high * half + at / 2 + at % 2 * n;
  if (kind <= TN_X86_HIGH_PAIRS) return group + high * half + at % half + at / half * n;
  return high * n / 2 + i % (n / 2) + 2 * i / n * n;
}
static int tn_x86_shuffle_kind(const tn_x86_order *order) {
  const int n = order->n, each = 16 / order->element;
  for (int kind = 0, i; kind < TN_X86_SHUFFLES; kind++) {
    for (i = 0; i < n && tn_x86_shuffled(kind, i, n, each) == order->at[i];) i++;
    if (i == n) return kind;
  }
  return -1;
}
static int tn_x86_shuffle_plainly(tn_x86_select *x, const tn_x86_order *order, int to, int a, int b) {
  const int held = order->n * order->element, kind = order->from[1] ? tn_x86_shuffle_kind(order) : -1;
  if (kind < 0) return 0;
  if (kind < TN_X86_LOW_HALVES) {
    const int unit = order->element << (kind >= TN_X86_LOW_PAIRS);
    const int type = unit >= 8 ? TN_X86_V64 : unit == 4 ? TN_X86_V32 : tn_x86_int_type(unit);
    tn_x86_do_3(x, kind & 1 ? TN_X86_DO_UNPACK_HIGH : TN_X86_DO_UNPACK, type, held, to, a, b);
    return 1;
  }
  if (held == 16) return 0;
  const int high = kind == TN_X86_HIGH_HALVES, masks = x->level->masks, of_64 = high ? 0xEE : 0x44;
  const int of_32 = masks ? (high ? 3 : 0) : high ? 0x31 : 0x20;
  if (held == 32 && !high) {               // the second's is a half already
    tn_x86_4(x, masks ? TN_X86_VINSERTF32X4 : TN_X86_VINSERTF128, tn_x86_vec(to, 32, TN_ISA_DEF),
             tn_x86_vec(a, 32, TN_ISA_USE), tn_x86_vec(b, 16, TN_ISA_USE), 1);
    return 1;
  }
  tn_x86_4(x, masks ? TN_X86_VSHUFF64X2 : TN_X86_VPERM2F128, tn_x86_vec(to, held, TN_ISA_DEF),
           tn_x86_vec(a, held, TN_ISA_USE), tn_x86_vec(b, held, TN_ISA_USE), held == 64 ? of_64 : of_32);
  return 1;
}
static void tn_x86_shuffle(tn_x86_select *x, const tn_x86_order *order, int to) {
  uint8_t words[16];
  const int a = tn_x86_value(x, order->from[0]), b = order->from[1] ? tn_x86_value(x, order->from[1]) : a;
  if (tn_x86_shuffle_plainly(x, order, to, a, b)) return;
  if (x->level->masks && order->element > 1) { tn_x86_permute_any(x, order, to, a, b); return; }
  if (order->element < 4) { tn_x86_permute_16(x, order, to, a, b); return; }
  tn_x86_words(order, words);
  if (order->n * order->element == 16) tn_x86_shuffle_words(x, words, to, a, b);
  else tn_x86_permute_words(x, words, to, a, b);
}

// Bools lie on the shelf as bytes where there are masks, else as elements of 0 and -1.
static void tn_x86_shelve_bool(tn_x86_select *x, const tiny_uop *s, int element, int64_t at) {
  const tn_isa_operand o = tn_x86_frame(x->shelf + at, element);
  const int lanes = tn_x86_lanes(x, s), r = s->lanes > 1 ? tn_x86_mask_as(x, s, element) : tn_x86_value(x, s);
  if (s->lanes == 1) {
    const int all = tn_x86_new(x, TN_ISA_GPR);
    tn_x86_copy(x, TN_ISA_GPR, all, r, 8);
    tn_x86_1(x, TN_X86_NEG, tn_x86_gpr(all, 8, TN_ISA_BOTH));
    tn_x86_2(x, TN_X86_MOV, o, tn_x86_gpr(all, element, TN_ISA_USE));
    return;
  }
  const int v = x->level->masks ? tn_x86_new(x, TN_ISA_VEC) : r;
  if (x->level->masks)
    tn_x86_2(x, TN_X86_VPMOVM2B, tn_x86_vec(v, tn_x86_vector(lanes), TN_ISA_DEF), tn_x86_kreg(r, TN_ISA_USE));
  tn_x86_store_bytes(x, v, lanes * element, o);
}
static void tn_x86_unshelve(tn_x86_select *x, const tiny_uop *u, int to) {
  for (int part = 0, parts = tn_x86_parts_of(x, u); part < parts; part++) {
    x->lanes = parts > 1 ? u->lanes / parts : 0;
    tn_x86_load_bytes(x, to + part, tn_x86_nbytes(x, u), tn_x86_frame(x->shelf + x->level->nbytes * part, 0));
  }
  x->lanes = x->from = 0;
}
static void tn_x86_stack(tn_x86_select *x, const tiny_uop *u, int to) {
  tn_x86_order order;
  const int element = tn_x86_element(x, u);
  if (tn_x86_shuffles(x, u, &order)) { tn_x86_shuffle(x, &order, to); return; }
  int64_t at = 0;
  if (u->lanes * element > TN_X86_SHELF) { tn_isa_refuse(x->c, "a STACK of very many lanes"); return; }
  for (uint32_t i = 0; i < u->nsrc; i++) {
    const tiny_uop *s = u->src[i];
    for (int part = 0, parts = tn_x86_parts_of(x, s); part < parts; part++) {
      x->lanes = parts > 1 ? s->lanes / parts : 0;
      x->from = part * x->lanes;
      if (u->dtype == TINY_BOOL) tn_x86_shelve_bool(x, s, element, at);
      else tn_x86_move_out(x, s, tn_x86_value(x, s), tn_x86_frame(x->shelf + at, 0));
      at += (int64_t)tn_x86_lanes(x, s) * element;
    }
  }
  x->lanes = x->from = 0;
  if (u->dtype != TINY_BOOL || !x->level->masks) { tn_x86_unshelve(x, u, to); return; }
  const int bytes = tn_x86_new(x, TN_ISA_VEC);
  const tn_isa_operand v = tn_x86_vec(bytes, tn_x86_vector(u->lanes), TN_ISA_USE);
  tn_x86_load_bytes(x, bytes, u->lanes, tn_x86_frame(x->shelf, 0));
  tn_x86_3(x, TN_X86_VPTESTMB, tn_x86_kreg(to, TN_ISA_DEF), v, v);
}

// ** PICK, LANE **

static void tn_x86_pick_mask(tn_x86_select *x, const tiny_uop *u, int to) {
  const int r = tn_x86_value(x, u->src[0]);
  if (u->lanes > 1) {
    tn_x86_3(x, TN_X86_KSHIFTRQ, tn_x86_kreg(to, TN_ISA_DEF), tn_x86_kreg(r, TN_ISA_USE), tn_isa_number(u->k));
    return;
  }
  tn_x86_2(x, TN_X86_KMOVQ, tn_x86_gpr(to, 8, TN_ISA_DEF), tn_x86_kreg(r, TN_ISA_USE));
  if (u->k) tn_x86_2(x, TN_X86_SHR, tn_x86_gpr(to, 8, TN_ISA_BOTH), tn_isa_number(u->k));
  tn_x86_2(x, TN_X86_AND, tn_x86_gpr(to, 4, TN_ISA_BOTH), tn_isa_number(1));
}
// One lane, or some of one register, to a register.
static void tn_x86_pick_part(tn_x86_select *x, const tiny_uop *u, int to, int r, int held, int at, int nbytes) {
  const int low = tn_x86_bytes_at(x, r, held, at, nbytes), wide = nbytes == 8 ? 8 : 4;
  if (tn_x86_class(x, u) == TN_ISA_VEC) { tn_x86_copy(x, TN_ISA_VEC, to, low, tn_x86_vector(nbytes)); return; }
  tn_x86_2(x, tn_x86_best(x, TN_X86_DO_GPR, tn_x86_int_type(wide)), tn_x86_gpr(to, wide, TN_ISA_DEF),
           tn_x86_vec(low, 16, TN_ISA_USE));
  if (u->dtype == TINY_BOOL) tn_x86_2(x, TN_X86_AND, tn_x86_gpr(to, 4, TN_ISA_BOTH), tn_isa_number(1));
  else tn_x86_extend(x, u, to);
}
static void tn_x86_pick(tn_x86_select *x, const tiny_uop *u, int to) {
  const tiny_uop *s = u->src[0];
  const int element = tn_x86_element(x, s), most = x->level->nbytes, each = tn_x86_lanes_of_register(x, s);
  if (tn_x86_class(x, s) == TN_ISA_MASK) { tn_x86_pick_mask(x, u, to); return; }
  const int is_splat = tn_x86_is_splat(s), first = is_splat ? tn_x86_value(x, s) : x->reg[s->seq];
  const int held = tn_x86_vector(each * element), parts = tn_x86_parts_of(x, u);
  const int lanes = u->lanes / parts, nbytes = lanes * element;
  if (first < 0) { tn_isa_refuse(x->c, "a value that is nowhere"); return; }
  for (int i = 0; i < parts; i++) {
    const int lane = is_splat ? 0 : (int)u->k + i * lanes, r = is_splat ? first : first + lane / each;
    const int at = lane % each * element;
    if (at + nbytes <= held && (at % 16 + nbytes <= 16 || (at % nbytes == 0 && nbytes >= 16))) {
      tn_x86_pick_part(x, u, to + i, r, held, at, nbytes);
      continue;
    }
    tn_x86_shelve(x, r, held, TN_X86_PARTS_AT, 0);           // across registers
    if (at + nbytes > most) tn_x86_shelve(x, r + 1, held, TN_X86_PARTS_AT + most, 0);
    tn_x86_load_bytes(x, to + i, nbytes, tn_x86_frame(x->shelf + TN_X86_PARTS_AT + at, 0));
  }
}
static void tn_x86_lane_numbers(tn_x86_select *x, const tiny_uop *u, int to) {
  uint8_t data[64];
  const int element = tn_x86_element(x, u), nbytes = tn_x86_nbytes(x, u);
  for (int i = 0; i < tn_x86_lanes(x, u); i++) for (int b = 0; b < element; b++)
    data[i * element + b] = (uint8_t)(b ? 0 : x->from + i);
  tn_x86_move_in(x, u, to, tn_isa_at(TN_ISA_POOL, nbytes, tn_isa_constant(x->c, data, (size_t)nbytes)));
}

// ** dot products **

// Of a scalar, whose words are in general registers, the lowest of a vector's.
static int tn_x86_dot_source(tn_x86_select *x, const tiny_uop *u) {
  const int r = tn_x86_value(x, u);
  if (tn_x86_class(x, u) != TN_ISA_GPR) return r;
  const int v = tn_x86_new(x, TN_ISA_VEC), row = tn_x86_best(x, TN_X86_DO_GPR, TN_X86_I32);
  tn_x86_2(x, row, tn_x86_vec(v, 16, TN_ISA_DEF), tn_x86_gpr(r, 4, TN_ISA_USE));
  return v;
}
static void tn_x86_dot(tn_x86_select *x, const tiny_uop *u, int to) {
  const int general = tn_x86_class(x, u) == TN_ISA_GPR, held = general ? 16 : tn_x86_held(x, u);
  const int dots_i16 = tn_x86_choose(x->level, TN_X86_DO_DOT_I16, TN_X86_I32);
  const int row = u->k == TINY_DOT_BF16 ? TN_X86_VDPBF16PS : u->k == TINY_DOT_I16 ? dots_i16 :
      x->level->masks ? TN_X86_VPDPBUSD : TN_X86_VEXPDPBUSD;
  const int a = tn_x86_dot_source(x, u->src[0]), b = tn_x86_dot_source(x, u->src[1]);
  const int sum = tn_x86_dot_source(x, u->src[2]);
  const int into = general || to == a || to == b ? tn_x86_new(x, TN_ISA_VEC) : to;
  if (row) {
    tn_x86_copy(x, TN_ISA_VEC, into, sum, held);
    tn_x86_3(x, row, tn_x86_vec(into, held, TN_ISA_BOTH), tn_x86_vec(a, held, TN_ISA_USE),
             tn_x86_vec(b, held, TN_ISA_USE));
  } else {                                 // pairs of words of 16 bits
    const int pairs = tn_x86_new(x, TN_ISA_VEC);
    tn_x86_do_3(x, TN_X86_DO_MADD, TN_X86_I32, held, pairs, a, b);
    tn_x86_do_3(x, TN_X86_DO_ADD, TN_X86_I32, held, into, sum, pairs);
  }
  if (!general) tn_x86_copy(x, TN_ISA_VEC, to, into, held);
  else tn_x86_2(x, tn_x86_best(x, TN_X86_DO_GPR, TN_X86_I32), tn_x86_gpr(to, 4, TN_ISA_DEF),
                tn_x86_vec(into, 16, TN_ISA_USE));
}

// ** vectors wider than a register: part by part **

static void tn_x86_copy_all(tn_x86_select *x, const tiny_uop *u, int to, int from) {
  const int parts = tn_x86_parts_of(x, u);
  for (int i = 0; i < parts; i++)
    tn_x86_copy(x, tn_x86_class(x, u), to + i, from + i, parts > 1 ? x->level->nbytes : tn_x86_held(x, u));
}
// Of the widest of a node and what it reads, how many lanes a register holds, if that is not all of them; else 0.
static int tn_x86_fewer_lanes(const tn_x86_select *x, const tiny_uop *s, int lanes) {
  if (!s || s->lanes == 1 || s->dtype == TINY_VOID || tn_x86_parts_of(x, s) == 1) return lanes;
  const int each = tn_x86_lanes_of_register(x, s);
  return !lanes || each < lanes ? each : lanes;
}
static int tn_x86_lanes_at_once(const tn_x86_select *x, const tiny_uop *u) {
  int lanes = u->dtype == TINY_VOID ? 0 : tn_x86_fewer_lanes(x, u, 0);
  if (x->factor[u->seq]) return tn_x86_fewer_lanes(x, x->factor[u->seq], lanes);
  for (uint32_t i = 0; i < u->nsrc; i++) {
    const tiny_uop *s = u->src[i];
    if (s->op == TINY_OP_INDEX) {
      for (uint32_t j = 1; j < s->nsrc; j++) lanes = tn_x86_fewer_lanes(x, s->src[j], lanes);
      continue;
    }
    lanes = tn_x86_fewer_lanes(x, s, lanes);
    const int inner = x->fused[s->seq] ? tn_x86_lanes_at_once(x, s) : 0;
    if (inner && (!lanes || inner < lanes)) lanes = inner;
  }
  return lanes;
}
static void tn_x86_store_all(tn_x86_select *x, const tiny_uop *u) {
  const tiny_uop *value = u->src[1];
  const int each = tn_x86_lanes_at_once(x, u);
  for (int from = 0; from < value->lanes; from += each ? each : value->lanes) {
    x->lanes = each;
    x->from = from;
    tn_x86_store(x, u);
  }
  x->lanes = x->from = 0;
}
// Lanes [at, at + lanes) of a register of u's, which r's first are; they come in order. Those of less than 16 bytes,
// but for halves, meet in memory, from which the last of a register takes all.
static void tn_x86_put_part(tn_x86_select *x, const tiny_uop *u, int into, int r, int at, int lanes) {
  const int element = tn_x86_element(x, u), cls = tn_x86_class(x, u), nbytes = lanes * element;
  if (cls == TN_ISA_MASK) {
    const int k = at ? tn_x86_new(x, cls) : into, all = tn_x86_new(x, cls);
    const tn_isa_operand rest = tn_x86_kreg(into, TN_ISA_USE), part = tn_x86_kreg(k, TN_ISA_USE);
    tn_x86_3(x, TN_X86_KSHIFTLQ, tn_x86_kreg(all, TN_ISA_DEF), tn_x86_kreg(r, TN_ISA_USE), tn_isa_number(64 - lanes));
    tn_x86_3(x, TN_X86_KSHIFTRQ, tn_x86_kreg(k, TN_ISA_DEF), tn_x86_kreg(all, TN_ISA_USE),
             tn_isa_number(64 - lanes - at));
    if (at) tn_x86_3(x, TN_X86_KORQ, tn_x86_kreg(into, TN_ISA_DEF), rest, part);
    return;
  }
  const int each = tn_x86_lanes_of_register(x, u), whole = each * element, held = tn_x86_vector(whole);
  const int halves = nbytes == 8 && whole == 16;
  const tn_isa_operand d = tn_x86_vec(into, held, TN_ISA_DEF), rest = tn_x86_vec(into, held, TN_ISA_USE);
  if (nbytes < 16 && !halves) {
    const int64_t shelf = x->shelf + TN_X86_PARTS_AT;
    tn_x86_store_bytes(x, r, nbytes, tn_x86_frame(shelf + (int64_t)at * element, 0));
    if (at + lanes == each) tn_x86_load_bytes(x, into, whole, tn_x86_frame(shelf, 0));
  } else if (!at) tn_x86_copy(x, cls, into, r, tn_x86_vector(nbytes));
  else if (halves) tn_x86_do_3(x, TN_X86_DO_UNPACK, TN_X86_I64, 16, into, into, r);
  else if (nbytes == 32) tn_x86_4(x, TN_X86_VINSERTF64X4, d, rest, tn_x86_vec(r, 32, TN_ISA_USE), at * element / 32);
  else tn_x86_4(x, x->level->masks ? TN_X86_VINSERTF32X4 : TN_X86_VINSERTF128, d, rest, tn_x86_vec(r, 16, TN_ISA_USE),
                at * element / 16);
}
// To REG memory, whose bools of vectors may be of another width.
static void tn_x86_store_reg(tn_x86_select *x, const tiny_uop *value, const tiny_uop *memory, int to) {
  const int element = tn_x86_element(x, memory), same = element == tn_x86_element(x, value);
  int each = tn_x86_fewer_lanes(x, memory, tn_x86_fewer_lanes(x, value, 0));
  if (!each) each = value->lanes;
  for (int from = 0; from < value->lanes; from += each) {
    x->lanes = each < value->lanes ? each : 0;
    x->from = from;
    const int r = same ? tn_x86_value(x, value) : tn_x86_mask_as(x, value, element);
    const int of_register = tn_x86_lanes_of_register(x, memory);
    if (each == of_register) tn_x86_copy(x, tn_x86_class(x, value), to + from / each, r, tn_x86_held(x, memory));
    else tn_x86_put_part(x, memory, to + from / of_register, r, from % of_register, each);
  }
  x->lanes = x->from = 0;
}
#endif
