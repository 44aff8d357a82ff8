// ptx: a program -> PTX, NVIDIA's virtual machine code, for sm_75 and later.
//
// In:  the list of a lowered kernel, verified, of what tn_lang_ptx says can be done. Out: an entry; of such entries a
//      module, of the least version that its instructions and its target have.
// Holds:
//  - A kernel's parameters are those of lang_cuda.c: 128 words, memory of PARAM k the k-th, ARG k the k-th from the
//    end; a module has the variable tiny_values. Items of a group are numbered in dim 0 alone.
//  - A loop asks at its end whether it goes on, and before it begins only if it may not run at all.
// What is what: NVIDIA, Parallel Thread Execution ISA.
#ifndef TN_RENDER_PTX
#define TN_RENDER_PTX
#ifndef TINY_AMALGAMATED
#include "ptx_producer.c"
#include "ptx_box_stores.c"
#endif

enum { TN_PTX_PARAMETERS = 128 };

// ** values of vectors **

static void tn_ptx_bitcast(tn_ptx *x, const tiny_uop *u) {
  const tiny_uop *s = u->src[0];
  if (s->lanes == u->lanes && !(tn_ptx_packs(u) && x->words[s->seq] >= 0 && x->elements[s->seq] < 0)) {
    const int first = x->elements[u->seq] = tn_ptx_take(x, u->lanes);
    for (int i = 0; i < u->lanes; i++) {
      const tn_ptx_operand o = tn_ptx_bits_as(x, s->dtype, u->dtype, tn_ptx_element(x, s, i));
      tn_ptx_put(x, first + i, o);
    }
    return;
  }
  if (tn_ptx_packs(u) && tn_ptx_packs(s)) { x->words[u->seq] = x->words[s->seq]; return; }
  const int n = tn_ptx_nwords(u), words = tn_ptx_take(x, n), wide = tn_ptx_bits(u->dtype) == 64;
  for (int i = 0; i < n; i++) { const tn_ptx_operand o = tn_ptx_word(x, s, i); tn_ptx_put(x, words + i, o); }
  if (tn_ptx_packs(u)) { x->words[u->seq] = words; return; }
  const int first = x->elements[u->seq] = tn_ptx_take(x, u->lanes);
  for (int i = 0; i < u->lanes && !x->failed; i++) {
    const tn_ptx_operand *word = &x->pool.of[words + (wide ? 2 * i : i)];
    tn_ptx_put(x, first + i, tn_ptx_of_words(x, u->dtype, word[0], word[wide]));
  }
}

// Two at a time (PTX ISA, cvt: .f16x2 and .bf16x2 of f32 from sm_80 on).
static void tn_ptx_cast_pairs(tn_ptx *x, const tiny_uop *u) {
  const int n = tn_ptx_nwords(u), first = x->words[u->seq] = tn_ptx_take(x, n);
  for (int i = 0; i < n; i++)
    tn_ptx_put(x, first + i, tn_ptx_do2(x, 'r', u->dtype == TINY_F16 ? "cvt.rn.f16x2.f32" : "cvt.rn.bf16x2.f32",
                                        tn_ptx_element(x, u->src[0], 2 * i + 1), tn_ptx_element(x, u->src[0], 2 * i)));
}
// Words of fp8: two conversions each (PTX ISA, cvt, .e4m3x2 and .e5m2x2). What lies beyond e4m3 is NaN before; of e5m2
// elements go one by one.
static void tn_ptx_cast_codes(tn_ptx *x, const tiny_uop *u) {
  const tn_ptx_operand nan = {'F', 0x7FC00000};
  const int n = tn_ptx_nwords(u), first = x->words[u->seq] = tn_ptx_take(x, n);
  for (int i = 0; i < 2 * n; i += 2) {
    tn_ptx_operand half[2], f[2];
    for (int j = 0; j < 4; j++) {
      f[j & 1] = tn_ptx_held(x, tn_ptx_element(x, u->src[0], 2 * i + j), 'f');
      f[j & 1] = tn_ptx_do(x, 'f', "selp.f32", nan, f[j & 1], tn_ptx_beyond_fp8(x, u->dtype, f[j & 1]));
      if (j & 1) half[j / 2] = tn_ptx_do2(x, 'h', "cvt.rn.satfinite.e4m3x2.f32", f[1], f[0]);
    }
    tn_ptx_put(x, first + i / 2, tn_ptx_join(x, 'r', "mov.b32", half));
  }
}
// Elements of words of fp8: f32 of f16, of which an instruction gives two.
static void tn_ptx_cast_of_codes(tn_ptx *x, const tiny_uop *u) {
  const tiny_uop *s = u->src[0];
  const int first = x->elements[u->seq] = tn_ptx_take(x, u->lanes);
  tn_ptx_operand pair[2], half[2];
  for (int i = 0; i < u->lanes && !x->failed; i += 2) {
    if (i % 4 == 0) {
      pair[0] = tn_ptx_register(x, 'h'); pair[1] = tn_ptx_register(x, 'h');
      tn_ptx_split(x, "mov.b32", pair, x->pool.of[x->words[s->seq] + i / 4]);
    }
    half[0] = tn_ptx_register(x, 'h'); half[1] = tn_ptx_register(x, 'h');
    tn_ptx_split(x, "mov.b32", half, tn_ptx_halves_of_fp8(x, s->dtype, pair[i / 2 % 2]));
    for (int j = 0; j < 2; j++)
      tn_ptx_put(x, first + i + j, tn_ptx_float_to_float(x, TINY_F16, u->dtype, half[j]));
  }
}
static void tn_ptx_cast_all(tn_ptx *x, const tiny_uop *u) {
  const tiny_uop *s = u->src[0];
  const int narrows = s->dtype == TINY_F32 && tn_ptx_class(u->dtype) == 'h', words = x->wants[u->seq] & TN_PTX_WORDS;
  if (x->sm >= 80 && narrows && words && tn_ptx_packs(u)) { tn_ptx_cast_pairs(x, u); return; }
  if (s->dtype == TINY_F32 && u->dtype == TINY_F8E4M3 && words && tn_ptx_packs(u)) { tn_ptx_cast_codes(x, u); return; }
  if (tn_ptx_is_fp8(s->dtype) && x->words[s->seq] >= 0 && tn_ptx_is_float(u->dtype)) {
    tn_ptx_cast_of_codes(x, u);
    return;
  }
  const int first = x->elements[u->seq] = tn_ptx_take(x, u->lanes);
  const int pairs = s->dtype == TINY_BF16 && x->words[s->seq] >= 0;
  for (int i = 0; i < u->lanes && !x->failed; i++) {
    if (!pairs) { tn_ptx_put(x, first + i, tn_ptx_cast(x, s, u->dtype, tn_ptx_element(x, s, i))); continue; }
    const tn_ptx_operand word = x->pool.of[x->words[s->seq] + i / 2];
    tn_ptx_operand f = tn_ptx_do2(x, 'r', i & 1 ? "and.b32" : "shl.b32", word, tn_ptx_k(i & 1 ? -65536 : 16));
    f = tn_ptx_do1(x, 'f', "mov.b32", f);
    tn_ptx_put(x, first + i, tn_ptx_float_to_float(x, TINY_F32, u->dtype, f));
  }
}

static void tn_ptx_pick(tn_ptx *x, const tiny_uop *u) {
  const tiny_uop *s = u->src[0];
  if (x->elements[s->seq] >= 0) x->elements[u->seq] = x->elements[s->seq] + (s->lanes > 1 ? (int)u->k : 0);
  if (x->words[s->seq] >= 0 && u->lanes > 1 && tn_ptx_packs(u) && u->k * tn_ptx_bits(u->dtype) % 32 == 0)
    x->words[u->seq] = x->words[s->seq] + (int)u->k * tn_ptx_bits(u->dtype) / 32;
}
static void tn_ptx_lanes(tn_ptx *x, const tiny_uop *u) {
  const int first = x->elements[u->seq] = tn_ptx_take(x, u->lanes), all = u->op != TINY_OP_STACK;
  for (int n = 0; all && n < u->lanes; n++)
    tn_ptx_put(x, first + n, u->op == TINY_OP_LANE ? tn_ptx_k(n) : tn_ptx_element(x, u->src[0], n % u->src[0]->lanes));
  for (int n = 0, j = 0; !all && j < (int)u->nsrc; j++)
    for (int i = 0; i < u->src[j]->lanes && n < u->lanes; i++)
      tn_ptx_put(x, first + n++, tn_ptx_element(x, u->src[j], i));
}

// Of what is there only under a condition more of that kind is made.
static void tn_ptx_guard_partial(tn_ptx *x, const tiny_uop *u) {
  for (uint32_t j = 0; j < u->nsrc; j++)
    if (u->src[j]->op != TINY_OP_INDEX && x->partial[u->src[j]->seq]) {
      x->partial[u->seq] = 1;
      x->guard = tn_ptx_element(x, x->under[u->seq], 0);
    }
}
static void tn_ptx_elementwise(tn_ptx *x, const tiny_uop *u) {
  if (tn_ptx_is_narrow(u)) { tn_ptx_narrow_all(x, u); return; }
  if (tn_ptx_is_paired(x, u)) { tn_ptx_paired_all(x, u); return; }
  const int first = x->elements[u->seq] = tn_ptx_take(x, u->lanes);
  for (int i = 0; i < u->lanes && !x->failed; i++) {
    tn_ptx_operand o[4];
    for (uint32_t j = 0; j < u->nsrc && j < 4; j++) o[j] = tn_ptx_element(x, u->src[j], i);
    tn_ptx_put(x, first + i, tn_ptx_alu(x, u, o));
  }
}

// ** what warps do together **

static tn_ptx_operand tn_ptx_exchange(tn_ptx *x, tn_ptx_operand word, int64_t mask, char kind) {
  const tn_ptx_operand y = tn_ptx_register(x, kind);
  tn_ptx_begin(x, "shfl.sync.bfly.b32");
  tn_ptx_operand_text(tn_ptx_body(x), y);
  tn_ptx_text(tn_ptx_body(x), ", ");
  tn_ptx_operand_text(tn_ptx_body(x), word);
  tn_ptx_text(tn_ptx_body(x), ", %lld, 31, -1;\n", (long long)mask);
  return y;
}
static void tn_ptx_shuffle(tn_ptx *x, const tiny_uop *u) {
  const char kind = tn_ptx_class(u->dtype);
  const int first = x->elements[u->seq] = tn_ptx_take(x, 1);
  tn_ptx_operand o = tn_ptx_held(x, tn_ptx_element(x, u->src[0], 0), kind);
  if (kind == 'd' || kind == 'g') {
    tn_ptx_operand half[2] = {tn_ptx_register(x, 'r'), tn_ptx_register(x, 'r')};
    tn_ptx_split(x, "mov.b64", half, o);
    for (int i = 0; i < 2; i++) half[i] = tn_ptx_exchange(x, half[i], u->k, 'r');
    o = tn_ptx_join(x, kind, "mov.b64", half);
  } else if (kind == 'h') {
    o = tn_ptx_exchange(x, tn_ptx_do1(x, 'r', "cvt.u32.u16", o), u->k, 'r');
    o = tn_ptx_do1(x, 'h', "cvt.u16.u32", o);
  } else if (kind == 'p') {
    o = tn_ptx_exchange(x, tn_ptx_do(x, 'r', "selp.b32", tn_ptx_k(1), tn_ptx_k(0), o), u->k, 'r');
    o = tn_ptx_do2(x, 'p', "setp.ne.s32", o, tn_ptx_k(0));
  } else o = tn_ptx_exchange(x, o, u->k, kind);
  tn_ptx_put(x, first, o);
}

// Of operands: f32 is read as TF32.
static const char *tn_ptx_unit_type(int dtype) {
  switch (dtype) {
    case TINY_F32: return "tf32";
    case TINY_F8E4M3: return "e4m3";
    case TINY_F8E5M2: return "e5m2";
    case TINY_I8: return "s8";
    default: return tn_ptx_type(dtype);
  }
}
// A row of tn_warp_units; the first one is the first of sm_75.
static void tn_ptx_matrix(tn_ptx *x, const tiny_uop *u) {
  int n;
  const tiny_warp_unit *unit = tiny_warp_units("sm_75", &n) + (u->k >> TN_WMMA_UNIT) - 1;
  char name[96];
  const char *type[2] = {tn_ptx_unit_type(unit->a), tn_ptx_unit_type(unit->b)};
  const int own = u->k >> TN_WMMA_UNIT >= 1 && !strncmp(unit->name, "sm", 2);
  if (own && tn_ptx_is_whole(u)) { tn_ptx_tcgen05(x, u, unit); return; }
  if (own && tn_ptx_is_by_unit(u->src[1])) { tn_ptx_wgmma(x, u, unit, type); return; }
  const int first = tn_ptx_take(x, u->lanes);
  if (!own || u->lanes != 4) { tn_ptx_fail(x, "WMMA"); return; }
  snprintf(name, sizeof name, "mma.sync.aligned.m%dn%dk%d.row.col.%s.%s.%s.%s", unit->m, unit->n, unit->k,
           tn_ptx_type(unit->c), type[0], type[1], tn_ptx_type(unit->c));
  tn_ptx_wants_version(x, unit->a >= TINY_F8E4M3 && unit->a <= TINY_F8E5M2 ? 84 : 65);           // PTX ISA, mma
  const char kind = tn_ptx_class(u->dtype);
  tn_ptx_operand o[3][4];
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < u->src[j]->lanes && i < 4; i++)
      o[j][i] = tn_ptx_held(x, tn_ptx_element(x, u->src[j], i), j < 2 ? 'r' : kind);
  for (int i = 0; i < 4; i++) tn_ptx_put(x, first + i, tn_ptx_register(x, kind));
  if (x->failed) return;
  tn_ptx_begin(x, name);
  tn_ptx_group(tn_ptx_body(x), &x->pool.of[first], 4);
  for (int j = 0; j < 3; j++) {
    tn_ptx_text(tn_ptx_body(x), u->src[j]->lanes == 1 ? ", {" : ", ");
    tn_ptx_group(tn_ptx_body(x), o[j], u->src[j]->lanes);
    if (u->src[j]->lanes == 1) tn_ptx_text(tn_ptx_body(x), "}");
  }
  tn_ptx_text(tn_ptx_body(x), ";\n");
  x->elements[u->seq] = first;
}

static void tn_ptx_barrier(tn_ptx *x, const tiny_uop *u) {
  const int64_t stores = u->k & ~(int64_t)TN_BOXES;
  if (u->k & TN_BOXES) tn_ptx_wait_boxes(x, u->src[0]);
  x->overlaps = u->k ? tn_ptx_overlaps(x, u) : NULL;
  if (x->overlaps && x->tensor) tn_ptx_tensor_goes_on(x, u);
  if (x->overlaps && !stores) return;
  if (stores && x->sm >= 80) {
    tn_ptx_text(tn_ptx_body(x), "\tcp.async.commit_group;\n");
    tn_ptx_text(tn_ptx_body(x), "\tcp.async.wait_group %lld;\n", (long long)stores - 1);
  }
  if (x->fences || tn_ptx_is_before_boxes(x, u)) tn_ptx_text(tn_ptx_body(x), "\tfence.proxy.async.shared::cta;\n");
  x->met = 1;
  if (x->tensor) tn_ptx_fences(x, "\tbar.sync 0;\n");
  else tn_ptx_meet(x, tn_ptx_body(x));
}

// ** loops and conditions **

static tn_ptx_level *tn_ptx_open(tn_ptx *x, const tiny_uop *u) {
  tn_ptx_level *l = &x->level[++x->depth];
  l->body.t = l->tail.t = x->t;
  l->body.n = l->tail.n = 0;
  l->opened = u; l->label = ++x->labels; l->serial = ++x->serial;
  x->at = x->depth;
  return l;
}
// Back to the level around it; the one that ends.
static tn_ptx_level *tn_ptx_close(tn_ptx *x) {
  tn_ptx_level *l = &x->level[x->depth];
  x->at = --x->depth;
  return l;
}
static void tn_ptx_branch(tn_ptx *x, tn_ptx_operand on, int unless, const char *label, int number) {
  char to[32];
  x->guard = on; x->unless = unless;
  snprintf(to, sizeof to, "bra $%s%d", label, number);
  tn_ptx_line(x, to, NULL, 0);
  tn_ptx_unguard(x);
}

static const char *tn_ptx_compares(const char *op, int dtype, char *out, size_t nbytes) {
  return tn_ptx_name(out, nbytes, op, tn_ptx_type(dtype));
}
static void tn_ptx_range(tn_ptx *x, const tiny_uop *u) {
  char op[16];
  const char kind = tn_ptx_class(u->dtype);
  const tiny_uop *from = u->nsrc > 1 ? u->src[1] : NULL;
  const tn_ptx_operand start = from ? tn_ptx_element(x, from, 0) : tn_ptx_k(0), end = tn_ptx_element(x, u->src[0], 0),
                       counter = tn_ptx_do1(x, kind, kind == 'd' ? "mov.b64" : "mov.b32", start);
  const int runs = u->src[0]->vmin > (from ? from->vmax : 0) && u->dtype != TINY_U64;
  tn_ptx_operand skips = tn_ptx_none;
  x->elements[u->seq] = tn_ptx_take(x, 1);
  tn_ptx_put(x, x->elements[u->seq], counter);
  if (!runs) skips = tn_ptx_do2(x, 'p', tn_ptx_compares("setp.ge", u->dtype, op, sizeof op), counter, end);
  tn_ptx_level *l = tn_ptx_open(x, u);
  l->counter = counter; l->skips = skips;
}
// Are copies of the loop's iterations more than they save? ptxas makes them of what has few instructions, too, at the
// price of registers (bench/sass.md).
static int tn_ptx_is_rolled(const tn_ptx *x, const tn_ptx_level *l) {
  enum { MOST = 96 };                      // lines
  int lines = 0;
  for (size_t i = 0; i < l->body.n; i++) lines += l->body.data[i] == '\n';
  return x->by_unit || lines >= MOST || (x->k->hints[l->opened->seq] & TINY_HINT_ROLLED) != 0;
}
static void tn_ptx_end(tn_ptx *x) {
  char op[16];
  tn_ptx_level *l = tn_ptx_close(x);
  if (l->skips.kind) tn_ptx_branch(x, l->skips, 0, "E", l->label);
  tn_ptx_text(tn_ptx_body(x), "$L%d:\n", l->label);
  if (tn_ptx_is_rolled(x, l)) tn_ptx_text(tn_ptx_body(x), "\t.pragma \"nounroll\";\n");
  if (l->body.n) tiny_bytes_add(tn_ptx_body(x), l->body.data, l->body.n);
  if (l->tail.n) tiny_bytes_add(tn_ptx_body(x), l->tail.data, l->tail.n);
  const tn_ptx_operand next[3] = {l->counter, l->counter, tn_ptx_k(1)};
  tn_ptx_line(x, l->counter.kind == 'd' ? "add.s64" : "add.s32", next, 3);
  const tn_ptx_operand on = tn_ptx_do2(x, 'p', tn_ptx_compares("setp.lt", l->opened->dtype, op, sizeof op), l->counter,
                                       tn_ptx_element(x, l->opened->src[0], 0));
  tn_ptx_branch(x, on, 0, "L", l->label);
  if (x->tensor && x->overlaps == l->opened) tn_ptx_tensor_drain(x);
  if (l->skips.kind) tn_ptx_text(tn_ptx_body(x), "$E%d:\n", l->label);
  if (!x->overlaps || x->overlaps != l->opened) return;
  if (x->tensor) { tn_ptx_tensor_ends(x); return; }
  tn_ptx_text(tn_ptx_body(x), "\twgmma.wait_group.sync.aligned 0;\n");
  if (x->role == TN_PTX_CONSUMES) tn_ptx_release(x, tn_ptx_k(-1));
  x->overlaps = NULL;
}
static void tn_ptx_if(tn_ptx *x, const tiny_uop *u) {
  const tn_ptx_operand on = tn_ptx_held(x, tn_ptx_element(x, u->src[0], 0), 'p');
  tn_ptx_open(x, u)->counter = on;
}
static void tn_ptx_endif(tn_ptx *x) {
  tn_ptx_level *l = tn_ptx_close(x);
  tn_ptx_branch(x, l->counter, 1, "E", l->label);
  if (l->body.n) tiny_bytes_add(tn_ptx_body(x), l->body.data, l->body.n);
  tn_ptx_text(tn_ptx_body(x), "$E%d:\n", l->label);
}

// ** a kernel **

static void tn_ptx_parameter(tn_ptx *x, const tiny_uop *u) {
  const int buffer = u->op == TINY_OP_PARAM, first = x->elements[u->seq] = tn_ptx_take(x, 1);
  const char kind = buffer ? 'd' : tn_ptx_class(u->dtype);
  const int64_t at = buffer ? u->k : TN_PTX_PARAMETERS - 1 - u->k;
  tn_ptx_operand o = tn_ptx_register(x, kind);
  tn_ptx_text(tn_ptx_body(x), "\tld.param.%s ", buffer ? "u64" : tn_ptx_stored(u->dtype));
  tn_ptx_operand_text(tn_ptx_body(x), o);
  tn_ptx_text(tn_ptx_body(x), ", [v+%lld];\n", (long long)(8 * at));
  tn_ptx_put(x, first, buffer ? tn_ptx_do1(x, 'd', "cvta.to.global.u64", o) : o);
}
// o / n, or what is left; powers of two by bits.
static tn_ptx_operand tn_ptx_divided(tn_ptx *x, tn_ptx_operand o, int64_t n, int left) {
  int64_t k = 0;
  while ((int64_t)1 << k < n) k++;
  if ((int64_t)1 << k != n) return tn_ptx_do2(x, 'r', left ? "rem.u32" : "div.u32", o, tn_ptx_k(n));
  return left ? tn_ptx_do2(x, 'r', "and.b32", o, tn_ptx_k(n - 1)) : tn_ptx_do2(x, 'r', "shr.u32", o, tn_ptx_k(k));
}
// Of items of a group the number along a dim, by their number in all.
static tn_ptx_operand tn_ptx_item(tn_ptx *x, int dim) {
  const int64_t *n = x->k->local;
  int64_t below = 1, above = 1;
  for (int i = 0; i < dim; i++) below *= n[i];
  for (int i = dim + 1; i < 3; i++) above *= n[i];
  if (n[dim] == 1) return tn_ptx_k(0);
  if (x->role == TN_PTX_PRODUCES) tn_ptx_fail(x, "a box that moves with items");
  tn_ptx_operand o = tn_ptx_read_special(x, "tid.x");
  if (below > 1) o = tn_ptx_divided(x, o, below, 0);
  return above > 1 ? tn_ptx_divided(x, o, n[dim], 1) : o;
}
static void tn_ptx_special(tn_ptx *x, const tiny_uop *u) {
  static const char *const groups[] = {"ctaid.x", "ctaid.y", "ctaid.z"};
  const int dim = (int)(u->k & 15), first = x->elements[u->seq] = tn_ptx_take(x, 1);
  tn_ptx_operand o = u->k & 16 ? tn_ptx_item(x, dim) : tn_ptx_read_special(x, groups[dim]);
  if (tn_ptx_bits(u->dtype) == 64 && !tn_ptx_is_number(o)) o = tn_ptx_do1(x, 'd', "cvt.u64.u32", o);
  tn_ptx_put(x, first, o);
}
static void tn_ptx_constant(tn_ptx *x, const tiny_uop *u) {
  const int first = x->elements[u->seq] = tn_ptx_take(x, u->lanes),
            half = tn_ptx_class(u->dtype) == 'h' || tn_ptx_is_fp8(u->dtype);
  for (int i = 0; i < u->lanes; i++)
    tn_ptx_put(x, first + i, half ? tn_ptx_k(tn_const_narrow(u->dtype, u->k)) : tn_ptx_number(u->dtype, u->k));
}

static void tn_ptx_node(tn_ptx *x, const tiny_uop *u) {
  switch (u->op) {
    case TINY_OP_PARAM: case TINY_OP_ARG: tn_ptx_parameter(x, u); return;
    case TINY_OP_CONST: tn_ptx_constant(x, u); return;
    case TINY_OP_SPECIAL: tn_ptx_special(x, u); return;
    case TINY_OP_DEFINE: tn_ptx_define(x, u); return;
    case TINY_OP_AFTER:
      x->elements[u->seq] = x->elements[u->src[0]->seq];
      x->words[u->seq] = x->words[u->src[0]->seq];
      return;
    case TINY_OP_LOAD:
      if (tn_ptx_in_registers(x, u->src[0])) tn_ptx_load_register(x, u);
      else if (u->k) tn_ptx_load_rows(x, u);
      else tn_ptx_load(x, u);
      return;
    case TINY_OP_STORE:
      if (tn_ptx_in_registers(x, u->src[0])) tn_ptx_store_register(x, u);
      else if (tn_ptx_copies(x, u)) tn_ptx_copy(x, u);
      else tn_ptx_store(x, u);
      return;
    case TINY_OP_PREFETCH: tn_ptx_prefetch(x, u); return;
    case TINY_OP_BULK: tn_ptx_produce(x, u); return;
    case TINY_OP_BULKSTORE: tn_ptx_box_store(x, u); return;
    case TINY_OP_RANGE: tn_ptx_range(x, u); return;
    case TINY_OP_IF: tn_ptx_if(x, u); return;
    case TINY_OP_PICK: tn_ptx_pick(x, u); return;
    case TINY_OP_LANE: case TINY_OP_BROADCAST: case TINY_OP_STACK: tn_ptx_lanes(x, u); return;
    case TINY_OP_SHUFFLE: tn_ptx_shuffle(x, u); return;
    case TINY_OP_WMMA: tn_ptx_matrix(x, u); return;
    default: break;
  }
  tn_ptx_guard_partial(x, u);
  switch (u->op) {
    case TINY_OP_BITCAST: tn_ptx_bitcast(x, u); break;
    case TINY_OP_CAST: tn_ptx_cast_all(x, u); break;
    default: tn_ptx_elementwise(x, u);
  }
  tn_ptx_unguard(x);
}
// Do products wait while u is done? Not for what they give, nor where memory or the place changes.
static int tn_ptx_leaves_batch(const tn_ptx *x, const tiny_uop *u) {
  const int reg = (u->op == TINY_OP_LOAD || u->op == TINY_OP_STORE) && tn_is_reg(u->src[0]->src[0]);
  const int last = x->last[u->seq];
  switch (u->op) {
    case TINY_OP_WMMA: case TINY_OP_INDEX: return 1;
    case TINY_OP_LOAD: return !reg || (last < x->k->n && x->k->list[last]->op == TINY_OP_WMMA);    // a sum so far
    case TINY_OP_STORE:                    // of one that was added to in place
      return reg && tn_ptx_in_registers(x, u->src[0]) && u->src[1]->op == TINY_OP_WMMA &&
          x->elements[u->src[1]->seq] == tn_ptx_reg_at(x, u->src[0]);
    case TINY_OP_BARRIER: case TINY_OP_RANGE: case TINY_OP_END: case TINY_OP_IF: case TINY_OP_ENDIF: case TINY_OP_BULK:
    case TINY_OP_BULKSTORE: return 0;
    default: break;
  }
  for (uint32_t j = 0; j < u->nsrc; j++) if (u->src[j]->op == TINY_OP_WMMA) return 0;
  return 1;
}
// Where loops and conditions begin and end, and at barriers, products that were started are waited for.
static void tn_ptx_before(tn_ptx *x, const tiny_uop *u) {
  const int op = u->op, begins = op == TINY_OP_RANGE || op == TINY_OP_IF;
  if (x->batch.n && !tn_ptx_leaves_batch(x, u)) tn_ptx_flush(x);
  const int ends = begins || op == TINY_OP_BARRIER || op == TINY_OP_END || op == TINY_OP_ENDIF;
  if (op == TINY_OP_END && x->tensor && x->overlaps == x->level[x->depth].opened) tn_ptx_tensor_turn(x);
  else if (ends) tn_ptx_tensor_wait(x);
  if (ends) tn_ptx_wait_box_stores(x);
  if (begins) x->met = 0;
}
static void tn_ptx_statement(tn_ptx *x, const tiny_uop *u) {
  if (x->idle[u->seq]) return;
  tn_ptx_before(x, u);
  if (tn_ptx_is_by_unit(u)) return;
  switch (u->op) {
    case TINY_OP_INDEX: case TINY_OP_GROUP: case TINY_OP_SINK: return;
    case TINY_OP_BARRIER: tn_ptx_barrier(x, u); return;
    case TINY_OP_END: tn_ptx_end(x); if (x->tensor) tn_ptx_kept_at_end(x, u); return;
    case TINY_OP_ENDIF: tn_ptx_endif(x); return;
    default: break;
  }
  if (!x->needed[u->seq] || (x->tensor && tn_ptx_of_kept(x, u))) return;
  tn_ptx_node(x, u);
  if (u->op == TINY_OP_DEFINE && (x->wants[u->seq] & TN_PTX_KEPT)) tn_ptx_keep(x, u, tn_ptx_kept_product(x, u));
  if (u->dtype != TINY_VOID && u->op != TINY_OP_DEFINE && u->op != TINY_OP_AFTER)
    tn_ptx_complete(x, u);
}

// The tables of a kernel's nodes. 0: there is no memory for them.
static int tn_ptx_tables(tn_ptx *x) {
  const size_t n = (size_t)x->k->n + 1;
  size_t indices = 1, steps = 64;
  for (int i = 0; i < x->k->n; i++) indices += x->k->list[i]->op == TINY_OP_INDEX;
  while (steps < 2 * indices * (TN_PTX_TERMS / 2 + 1)) steps *= 2;
  x->elements = (int *)tn_ptx_scratch(x->t, n * sizeof(int));
  x->words = (int *)tn_ptx_scratch(x->t, n * sizeof(int));
  x->last = (int *)tn_ptx_scratch(x->t, n * sizeof(int));
  x->block = (const tiny_uop **)tn_ptx_scratch(x->t, n * sizeof *x->block);
  x->under = (const tiny_uop **)tn_ptx_scratch(x->t, n * sizeof *x->under);
  x->wants = (uint8_t *)tn_ptx_scratch(x->t, 7 * n);
  x->sum = (tn_ptx_sum *)tn_ptx_scratch(x->t, indices * sizeof *x->sum);
  x->step = (tn_ptx_step *)tn_ptx_scratch(x->t, steps * sizeof *x->step);
  x->level = (tn_ptx_level *)tn_ptx_scratch(x->t, TN_PTX_DEPTH * sizeof *x->level);
  if (!x->elements || !x->words || !x->last || !x->block || !x->under || !x->wants || !x->sum || !x->step || !x->level)
    return 0;
  x->zeros = x->wants + n; x->needed = x->zeros + n; x->inside = x->needed + n; x->constant = x->inside + n;
  x->partial = x->constant + n; x->idle = x->partial + n;
  x->nstep = (int)steps;
  memset(x->constant, 1, n);
  return 1;
}

static void tn_ptx_entry(const tn_ptx *x, const tn_ptx *producer, tiny_bytes *out) {
  static const char kinds[] = "phrdfg";
  const int64_t threads = tn_ptx_items(x) + x->beside;
  tn_ptx_text(out, ".visible .entry %s(.param .align 8 .b8 v[%d]", x->k->name, 8 * TN_PTX_PARAMETERS);
  if (x->nmap) tn_ptx_text(out, ", .param .align 64 .b8 m[%d]", TN_PTX_MAP_NBYTES * x->nmap);
  tn_ptx_text(out, ")\n");
  tn_ptx_text(out, "\t.reqntid %lld, 1, 1\n", (long long)threads);
  if (producer) tn_ptx_text(out, "\t.maxnreg %d\n", tn_ptx_launched_registers(x));
  else tn_ptx_text(out, "\t.minnctapersm 1\n");
  if (x->cluster > 1) tn_ptx_text(out, "\t.reqnctapercluster %d, 1, 1\n", x->cluster);
  tn_ptx_text(out, "{\n");
  for (int i = 0; i < TN_PTX_CLASSES; i++) {
    const long long n = (long long)(producer ? producer : x)->registers[i] + 1;      // they are numbered from 1 on
    if (n > 1) tn_ptx_text(out, "\t.reg .%s %%%c<%lld>;\n", tn_ptx_bare(kinds[i]), kinds[i], n);
  }
  if (x->declares.n) tiny_bytes_add(out, x->declares.data, x->declares.n);
  if (x->level->body.n) tiny_bytes_add(out, x->level->body.data, x->level->body.n);
  tn_ptx_text(out, "\tret;\n");
  if (producer) tiny_bytes_add(out, producer->level->body.data, producer->level->body.n);
  tn_ptx_text(out, "}\n");
  tn_ptx_maps_text(x, out);
}

// The version of PTX that a target came with (PTX ISA, "Release Notes").
static int tn_ptx_version(int sm, int own) {
  static const struct { int sm, plain, own; } versions[] = {
    {75, 63, 63}, {80, 70, 70}, {86, 71, 71}, {87, 74, 74}, {89, 78, 78}, {90, 78, 80}, {100, 86, 86}, {103, 88, 88},
    {110, 90, 90}, {120, 87, 87}, {121, 88, 88}};
  int v = 90;
  for (size_t i = sizeof versions / sizeof *versions; i-- > 0;)
    if (versions[i].sm >= sm) v = own ? versions[i].own : versions[i].plain;
  return v;
}

typedef struct tn_ptx_target { const char *name; int sm, own; } tn_ptx_target;   // own: with what its family has alone

enum { TN_PTX_USES_BOXES = 1 << 16 };      // of what a kernel uses, beside a version

// What is to be known before a line is written, of the warps of a role.
static tiny_code tn_ptx_look(tn_ptx *x, tiny_ctx *t, const tiny_renderer *r, const tiny_listing *k, int role) {
  const tn_ptx_target *target = (const tn_ptx_target *)r->own;
  memset(x, 0, sizeof *x);
  x->t = x->declares.t = x->batch.t = x->copies.t = t; x->k = k; x->sm = target->sm; x->role = role;
  x->version = tn_ptx_version(target->sm, target->own);
  x->beside = tn_producer_threads(k->list, k->n);
  if (!tn_ptx_tables(x)) return TINY_E_MEMORY;
  x->depth = -1;
  tn_ptx_open(x, NULL);
  tn_ptx_place(x);
  for (int i = 0; i < k->n && !x->failed; i++)
    if (k->list[i]->op == TINY_OP_INDEX) tn_ptx_sum_of(x, k->list[i]->src[1], tn_ptx_sum_at(x, k->list[i]));
  tn_ptx_survey_boxes(x);
  tn_ptx_count_box_stores(x);
  for (int i = 0; i < k->n; i++) {
    const tiny_uop *u = k->list[i];
    if (!tn_ptx_loads_matrices(u)) continue;
    x->by_unit = 1;
    x->fences |= !tn_ptx_holds_boxes(x, tn_memory_behind(u->src[0]->src[0]));
  }
  if (role) tn_ptx_survey_role(x);
  if (!x->failed) { tn_ptx_survey(x); tn_ptx_survey_registers(x); }
  return x->failed ? TINY_E_INTERNAL : TINY_OK;
}
// The warps that only copy: registers and labels go on from those of the others.
static int tn_ptx_producer(tn_ptx *p, const tn_ptx *x, const tiny_renderer *r) {
  if (tn_ptx_look(p, x->t, r, x->k, TN_PTX_PRODUCES) != TINY_OK) return 0;
  memcpy(p->registers, x->registers, sizeof p->registers);
  p->labels = x->labels; p->cluster = x->cluster; p->slot_at = x->slot_at;
  tn_ptx_survey_maps(p);
  tn_ptx_begin_producer(p);
  for (int i = 0; i < x->k->n && !p->failed; i++) tn_ptx_statement(p, x->k->list[i]);
  if (!p->failed) tn_ptx_end_producer(p);
  return !p->failed;
}
static tiny_code tn_ptx_kernel(tiny_ctx *t, const tiny_renderer *r, const tiny_listing *k, tiny_bytes *out,
                               uint64_t *uses) {
  tn_ptx x, producer;
  tiny_code code = tn_ptx_look(&x, t, r, k, TN_PTX_ALL);
  if (code != TINY_OK) return code;
  if (x.by_unit) tn_ptx_tensor_survey(&x);
  if (x.tensor && x.beside) tn_ptx_fail(&x, "a producer");
  const int produces = !x.failed && tn_ptx_produces(&x),
            cluster = x.nbulk && !x.failed && (produces || !x.beside) ? tn_ptx_cluster(&x, produces) : 1;
  if (produces) code = tn_ptx_look(&x, t, r, k, TN_PTX_CONSUMES);
  if (code != TINY_OK) return code;
  x.cluster = cluster;
  tn_ptx_survey_maps(&x);
  tn_ptx_survey_box_stores(&x);
  if (x.tensor && !x.failed) tn_ptx_tensor_open(&x);
  tn_ptx_begin_boxes(&x);
  tn_ptx_begin_box_stores(&x);
  if (x.beside && !x.failed) tn_ptx_begin_consumers(&x);
  for (int i = 0; i < k->n && !x.failed; i++) tn_ptx_statement(&x, k->list[i]);
  tn_ptx_wait_box_stores(&x);
  if (x.tensor && !x.failed) tn_ptx_tensor_close(&x);
  if (x.failed || (produces && !tn_ptx_producer(&producer, &x, r))) return TINY_E_INTERNAL;
  tn_ptx_entry(&x, produces ? &producer : NULL, out);
  *uses = (uint64_t)x.version | (x.nbulk || x.box_stores ? TN_PTX_USES_BOXES : 0);
  return TINY_OK;
}
static tiny_code tn_ptx_module(tiny_ctx *t, const tiny_renderer *r, const tiny_rendered *kernels, int n,
                               tiny_bytes *out) {
  const tn_ptx_target *target = (const tn_ptx_target *)r->own;
  uint64_t version = (uint64_t)tn_ptx_version(target->sm, target->own);
  (void)t;
  int align = 16;
  for (int i = 0; i < n; i++) {
    const uint64_t least = kernels[i].uses & (TN_PTX_USES_BOXES - 1);
    if (least > version) version = least;
    if (kernels[i].uses & TN_PTX_USES_BOXES) align = TN_BOX_ALIGN;
  }
  tn_ptx_text(out, ".version %d.%d\n.target %s\n", (int)version / 10, (int)version % 10, target->name);
  tn_ptx_text(out, ".address_size 64\n.visible .global .align 4 .u32 tiny_values = %d;\n", TN_PTX_PARAMETERS);
  tn_ptx_text(out, ".extern .shared .align %d .b8 tiny_shared[];\n", align);
  for (int i = 0; i < n; i++) tiny_bytes_add(out, kernels[i].data, kernels[i].n);
  return TINY_OK;
}

// ** the descriptor **

// limits.dtypes: all but narrow floats. limits.atomics: what red adds to (PTX ISA, red).
#define TN_PTX_ARITHMETIC (~((uint64_t)1 << TINY_F16 | (uint64_t)1 << TINY_BF16 | (uint64_t)1 << TINY_F8E4M3 | \
                             (uint64_t)1 << TINY_F8E5M2))
#define TN_PTX_ATOMICS ((uint64_t)1 << TINY_I32 | (uint64_t)1 << TINY_U32 | (uint64_t)1 << TINY_I64 | \
                        (uint64_t)1 << TINY_U64 | (uint64_t)1 << TINY_F32 | (uint64_t)1 << TINY_F64)

static const tn_ptx_target tn_ptx_targets[] = {
  {"sm_75", 75, 0}, {"sm_80", 80, 0}, {"sm_86", 86, 0}, {"sm_87", 87, 0}, {"sm_89", 89, 0}, {"sm_90", 90, 0},
  {"sm_90a", 90, 1}, {"sm_100", 100, 0}, {"sm_100a", 100, 1}, {"sm_103", 103, 0}, {"sm_103a", 103, 1},
  {"sm_110", 110, 0}, {"sm_110a", 110, 1}, {"sm_120", 120, 0}, {"sm_120a", 120, 1}, {"sm_121", 121, 0},
  {"sm_121a", 121, 1}};

// limits.unit_tiles and .unit_rows of the target: 256 columns (PTX ISA, wgmma.mma_async, which sm_90a alone has,
// tcgen05.mma), of 128 rows of four warps; but for the products of integers that sm_103a has not (there, kind::i8),
// which are done as those of sm_80: limits.unit_dtypes.
static int tn_ptx_unit_rows(const char *target) {
  return strcmp(target, "sm_100a") && strcmp(target, "sm_103a") && strcmp(target, "sm_110a") ? 0 : 2;
}
static uint64_t tn_ptx_unit_dtypes(const char *target) {
  return strcmp(target, "sm_103a") ? 0 : ~((uint64_t)1 << TINY_I8);
}
static int tn_ptx_unit_tiles(const char *target) {
  return strcmp(target, "sm_90a") && !tn_ptx_unit_rows(target) ? 0 : 32;
}

// limits.producers of the target: setmaxnreg, which gives their registers to the others, came with sm_90a.
static int tn_ptx_produces_for(const char *target) { return !strcmp(target, "sm_90a"); }

// target: "sm_90a". 0: it is none of them.
static int tn_lang_ptx(tiny_renderer *r, const char *target) {
  const uint8_t on = TINY_ON_ELEMENTS | TINY_ON_VECTORS;
  static const uint8_t others[] = {TINY_OP_CAST, TINY_OP_BITCAST, TINY_OP_BROADCAST, TINY_OP_PICK, TINY_OP_STACK,
                                   TINY_OP_LOAD, TINY_OP_STORE, TINY_OP_WMMA};
  memset(r, 0, sizeof *r);
  r->name = "PTX"; r->file = "ptx";
  for (size_t i = 0; i < sizeof tn_ptx_targets / sizeof *tn_ptx_targets; i++)
    if (!strcmp(target, tn_ptx_targets[i].name)) r->own = &tn_ptx_targets[i];
  if (!r->own) return 0;
  for (int i = 0; i < TN_PTX_FORMS; i++) r->ops[tn_ptx_forms[i].op] = on;
  for (size_t i = 0; i < sizeof others; i++) r->ops[others[i]] = on;
  r->ops[TINY_OP_SHUFFLE] = TINY_ON_ELEMENTS;
  const int sm = ((const tn_ptx_target *)r->own)->sm;
  for (int d = TINY_BOOL; d <= TINY_F64; d++) r->dtypes |= (uint64_t)(!tn_ptx_is_fp8(d) || sm >= 89) << d;
  r->narrow = tn_ptx_narrow_dtypes(sm);
  r->atomics = TN_PTX_ATOMICS;
  r->dots = 1u << TINY_DOT_U8_I8;          // PTX ISA, dp4a
  r->exp2_ulps = 4;                        // as lang_cuda.c
  r->flags = TINY_TARGET_SATURATES | TINY_TARGET_SHIFTS | TINY_TARGET_STREAMS | TINY_TARGET_TAKES_LOCAL |
      TINY_TARGET_ALIGNED | TINY_TARGET_ROWS;
  if (sm >= 80) r->flags |= TINY_TARGET_COPIES;
  if (sm >= 90) r->flags |= TINY_TARGET_BOXES;
  if (tn_ptx_unit_tiles(target)) r->flags |= TINY_TARGET_MATRICES;
  r->kernel = tn_ptx_kernel;
  r->module = tn_ptx_module;
  return 1;
}
#endif
