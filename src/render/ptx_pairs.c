// ptx_pairs: two elements by one instruction.
//
// In:  a sum, a difference, a product of vectors of an even number of lanes. Out: its lines.
// Holds: f16 and bf16 are pairs in the words of memory, and f32 are joined and split again, which is no instruction:
//        ptxas gives both halves registers side by side, and an element that stands twice one of them. What is narrow
//        is rounded once, by .rn, so that nothing is contracted: the bits are those of f32 rounded after each op.
// What is what: PTX ISA, "Half Precision Floating Point Instructions"; add, sub, mul and fma of .f32x2 (sm_100 on).
#ifndef TN_RENDER_PTX_PAIRS
#define TN_RENDER_PTX_PAIRS
#ifndef TINY_AMALGAMATED
#include "ptx_values.c"
#endif

// narrow: of f16 and bf16; wide: of f32
static const struct { uint8_t op; const char *narrow, *wide; } tn_ptx_pairs[] = {
  {TINY_OP_ADD, "add.rn", "add"}, {TINY_OP_SUB, "sub.rn", "sub"}, {TINY_OP_MUL, "mul.rn", "mul"},
  {TINY_OP_NEG, "neg", NULL}, {TINY_OP_MAX, "max.NaN", NULL}, {TINY_OP_FMA, NULL, "fma.rn"}};

static const char *tn_ptx_pair_form(int op, int narrow) {
  for (size_t i = 0; i < sizeof tn_ptx_pairs / sizeof *tn_ptx_pairs; i++)
    if (tn_ptx_pairs[i].op == op) return narrow ? tn_ptx_pairs[i].narrow : tn_ptx_pairs[i].wide;
  return NULL;
}
// The dtypes of tiny_renderer.narrow: max.NaN of f16 and sums of bf16 (PTX ISA).
static uint64_t tn_ptx_narrow_dtypes(int sm) {
  return (uint64_t)(sm >= 80) << TINY_F16 | (uint64_t)(sm >= 90) << TINY_BF16;
}
// Of elements by themselves, too.
static int tn_ptx_is_narrow(const tiny_uop *u) {
  return tn_ptx_class(u->dtype) == 'h' && tn_ptx_pair_form(u->op, 1) != NULL;
}

static void tn_ptx_narrow_all(tn_ptx *x, const tiny_uop *u) {
  char op[32];
  const int packs = tn_ptx_packs(u), n = packs ? tn_ptx_nwords(u) : u->lanes, first = tn_ptx_take(x, n);
  const char kind = packs ? 'r' : 'h';
  snprintf(op, sizeof op, "%s.%s%s", tn_ptx_pair_form(u->op, 1), tn_ptx_type(u->dtype), packs ? "x2" : "");
  for (int i = 0; i < n && !x->failed; i++) {
    tn_ptx_operand o[2] = {{0, 0}, {0, 0}};
    for (uint32_t j = 0; j < u->nsrc && j < 2; j++)
      o[j] = tn_ptx_held(x, packs ? tn_ptx_word(x, u->src[j], i) : tn_ptx_element(x, u->src[j], i), kind);
    tn_ptx_put(x, first + i, u->nsrc == 1 ? tn_ptx_do1(x, kind, op, o[0]) : tn_ptx_do2(x, kind, op, o[0], o[1]));
  }
  *(packs ? &x->words[u->seq] : &x->elements[u->seq]) = first;
}

static int tn_ptx_is_paired(const tn_ptx *x, const tiny_uop *u) {
  return x->sm >= 100 && u->dtype == TINY_F32 && u->lanes > 1 && u->lanes % 2 == 0 &&
      tn_ptx_pair_form(u->op, 0) != NULL;
}
static void tn_ptx_paired_all(tn_ptx *x, const tiny_uop *u) {
  char op[32];
  const int first = x->elements[u->seq] = tn_ptx_take(x, u->lanes);
  snprintf(op, sizeof op, "%s.f32x2", tn_ptx_pair_form(u->op, 0));
  for (int i = 0; i < u->lanes && !x->failed; i += 2) {
    tn_ptx_operand o[3] = {{0, 0}, {0, 0}, {0, 0}}, half[2];
    for (uint32_t j = 0; j < u->nsrc && j < 3; j++) {
      for (int k = 0; k < 2; k++) half[k] = tn_ptx_held(x, tn_ptx_element(x, u->src[j], i + k), 'f');
      o[j] = tn_ptx_join(x, 'd', "mov.b64", half);
    }
    for (int k = 0; k < 2; k++) half[k] = tn_ptx_register(x, 'f');
    tn_ptx_split(x, "mov.b64", half, tn_ptx_do(x, 'd', op, o[0], o[1], o[2]));
    for (int k = 0; k < 2; k++) tn_ptx_put(x, first + i + k, half[k]);
  }
}
#endif
