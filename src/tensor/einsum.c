// einsum: sums of products written as subscripts: "bij,bjk->bik".
//
// In:  the text and its operands. Out: operands contracted two at a time, each time as one broadcast product
// that is      summed (tn_dot), in the order that takes the fewest multiplications.
// A label is a number 0..63 and a set of labels 64 bits. The dims that an ellipsis stands for are labels too,
// counted from the right, so that they broadcast. An operand whose dim is 1 where others have more does not
// have that label.
#ifndef TN_TENSOR_EINSUM
#define TN_TENSOR_EINSUM
#ifndef TINY_AMALGAMATED
#include "matmul.c"
#endif

enum { TN_LABELS = 64, TN_EINSUM_OPERANDS = 16, TN_EINSUM_BEST = 8, TN_ELLIPSIS = 64 };

typedef struct tn_subscript { int n; uint8_t label[TINY_MAX_DIMS + 1]; } tn_subscript;   // with TN_ELLIPSIS
typedef struct tn_operand { tiny_uop *u; int n; uint8_t label[TINY_MAX_DIMS]; } tn_operand;
typedef struct tn_einsum {
  tiny_ctx *t;
  const char *text;
  int n, nlabel, nellipsis;                // operands; labels so far; dims of the widest ellipsis
  uint8_t of_char[128];                    // 1 + label
  uint8_t ellipsis[TINY_MAX_DIMS];         // labels, the last dim's first
  int uses[TN_LABELS];                     // in operands
  int64_t size[TN_LABELS];
  tn_subscript in[TN_EINSUM_OPERANDS], out;
  tn_operand term[TN_EINSUM_OPERANDS], result;
  uint8_t split[1 << TN_EINSUM_BEST];      // a set of operands: the first half of its last contraction
} tn_einsum;

static int tn_einsum_wrong(const tn_einsum *e, const char *at, const char *what) {
  tiny_fail(e->t, TINY_E_ARG, "einsum: %s at position %d of \"%s\"", what, (int)(at - e->text), e->text);
  return 0;
}

static int tn_is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static int tn_einsum_label(tn_einsum *e, const char *at) {
  uint8_t *label = &e->of_char[(int)*at];
  if (*label) return *label - 1;
  *label = (uint8_t)++e->nlabel;
  return *label - 1;
}

// One subscript, from *at to what ends it: ',' or '-' or the end.
static int tn_einsum_subscript(tn_einsum *e, const char **at, tn_subscript *s, int is_output) {
  int dots = 0;
  s->n = 0;
  for (; **at && **at != ',' && **at != '-'; ++*at) {
    if (**at == ' ') continue;
    if (s->n > TINY_MAX_DIMS) return tn_einsum_wrong(e, *at, "more than 16 labels");
    if (strncmp(*at, "...", 3) == 0) {
      if (dots++) return tn_einsum_wrong(e, *at, "a second ellipsis");
      s->label[s->n++] = TN_ELLIPSIS;
      *at += 2;
      continue;
    }
    if (!tn_is_letter(**at)) return tn_einsum_wrong(e, *at, "neither a letter nor an ellipsis");
    if (is_output && !e->of_char[(int)**at]) return tn_einsum_wrong(e, *at, "a label that no operand has");
    const int label = tn_einsum_label(e, *at);
    for (int i = 0; is_output && i < s->n; i++)
      if (s->label[i] == label) return tn_einsum_wrong(e, *at, "a label that was there already");
    s->label[s->n++] = (uint8_t)label;
  }
  return 1;
}

// Labels that one operand has, in the order of their letters, behind the ellipsis.
static void tn_einsum_implicit(tn_einsum *e) {
  e->out.n = 0;
  e->out.label[e->out.n++] = TN_ELLIPSIS;
  for (int c = 0; c < 128 && e->out.n <= TINY_MAX_DIMS; c++)
    if (e->of_char[c] && e->uses[e->of_char[c] - 1] == 1) e->out.label[e->out.n++] = e->of_char[c] - 1;
}

static int tn_einsum_parse(tn_einsum *e) {
  const char *at = e->text;
  for (int i = 0; i < e->n; i++) {
    if (!tn_einsum_subscript(e, &at, &e->in[i], 0)) return 0;
    for (int k = 0; k < e->in[i].n; k++) if (e->in[i].label[k] != TN_ELLIPSIS) e->uses[e->in[i].label[k]]++;
    if (i + 1 < e->n && *at != ',') return tn_einsum_wrong(e, at, "fewer subscripts than operands");
    if (i + 1 < e->n) at++;
  }
  if (*at == ',') return tn_einsum_wrong(e, at, "more subscripts than operands");
  if (!*at) { tn_einsum_implicit(e); return 1; }
  if (at[1] != '>') return tn_einsum_wrong(e, at, "'-' without '>'");
  at += 2;
  if (!tn_einsum_subscript(e, &at, &e->out, 1)) return 0;
  return *at ? tn_einsum_wrong(e, at, "something after the output") : 1;
}

// The dims of an operand get their labels; the labels their sizes.
static int tn_einsum_size(tn_einsum *e, int operand, tiny_uop *u) {
  char a[TN_DIMS_TEXT];
  const tn_subscript *s = &e->in[operand];
  tn_operand *x = &e->term[operand];
  int dots = 0, n = 0;
  for (int i = 0; i < s->n; i++) dots += s->label[i] == TN_ELLIPSIS;
  const int wide = u->ndim - (s->n - dots);
  if (wide < 0 || (wide && !dots)) {
    tiny_fail(e->t, TINY_E_SHAPE, "einsum: operand %d is %s, but \"%s\" names %d dims", operand + 1,
              tn_text_of(u, a), e->text, s->n - dots);
    return 0;
  }
  for (; e->nellipsis < wide; e->nellipsis++) {
    if (e->nlabel == TN_LABELS) { tn_einsum_wrong(e, e->text, "too many labels"); return 0; }
    e->ellipsis[e->nellipsis] = (uint8_t)e->nlabel++;
  }
  for (int i = 0; i < s->n; i++) {
    if (s->label[i] != TN_ELLIPSIS) { x->label[n++] = s->label[i]; continue; }
    for (int k = wide; k-- > 0;) x->label[n++] = e->ellipsis[k];
  }
  x->u = u; x->n = n;
  for (int i = 0; i < n; i++) {
    int64_t *size = &e->size[x->label[i]];
    if (*size < 0 || *size == 1) *size = u->dim[i];
    else if (u->dim[i] != 1 && u->dim[i] != *size) {
      tiny_fail(e->t, TINY_E_SHAPE, "einsum: operand %d is %s, but its dim %d is %lld elsewhere in \"%s\"",
                operand + 1, tn_text_of(u, a), i, (long long)*size, e->text);
      return 0;
    }
  }
  return 1;
}

static int tn_einsum_output(tn_einsum *e) {
  tn_operand *x = &e->result;
  for (int i = 0; i < e->out.n; i++) {
    const int dots = e->out.label[i] == TN_ELLIPSIS, wide = dots ? e->nellipsis : 1;
    if (x->n + wide > TINY_MAX_DIMS) {
      tiny_fail(e->t, TINY_E_SHAPE, "einsum: more than %d dims come from \"%s\"", TINY_MAX_DIMS, e->text);
      return 0;
    }
    for (int k = wide; k-- > 0;) x->label[x->n++] = dots ? e->ellipsis[k] : e->out.label[i];
  }
  return 1;
}

// ** one operand **

static uint64_t tn_operand_labels(const tn_operand *x) {
  uint64_t set = 0;
  for (int i = 0; i < x->n; i++) set |= (uint64_t)1 << x->label[i];
  return set;
}
static void tn_operand_drop(tn_operand *x, int at) {
  for (int i = at; i + 1 < x->n; i++) x->label[i] = x->label[i + 1];
  x->n--;
}

// Repeated labels become their diagonal, dims of 1 that broadcast go, and what only this operand has is
// summed.
static void tn_einsum_reduce(tn_einsum *e, tn_operand *x, uint64_t kept) {
  tiny_ctx *t = e->t;
  for (int i = 0; i < x->n; i++) for (int k = x->n - 1; k > i && !tn_bad(t, x->u); k--) {
    if (x->label[i] != x->label[k]) continue;
    const int n = x->u->ndim;
    if (x->u->dim[i] == x->u->dim[k]) {
      tiny_uop *same = tn_eq(t, tn_iota(t, TINY_INDEX, x->u->dim[i], i, n),
                             tn_iota(t, TINY_INDEX, x->u->dim[k], k, n));
      x->u = tn_sum(t, tn_where(t, same, x->u, tn_k(t, x->u, 0)), 1 << k, 0);
    } else if (x->u->dim[k] == 1) {
      x->u = tn_sum(t, x->u, 1 << k, 0);
    } else {                               // the dim of 1 gives way to the one that it repeats over
      x->u = tn_sum(t, tn_swap(t, x->u, i, k), 1 << k, 0);
    }
    tn_operand_drop(x, k);
  }
  for (int i = x->n - 1; i >= 0 && !tn_bad(t, x->u); i--) {
    const int broadcasts = x->u->dim[i] == 1 && e->size[x->label[i]] != 1;
    if (!broadcasts && kept >> x->label[i] & 1) continue;
    x->u = tn_sum(t, x->u, 1 << i, 0);
    tn_operand_drop(x, i);
  }
}

// x with its dims in the order of a list of labels, 1 where it has none.
static tiny_uop *tn_einsum_align(tiny_ctx *t, const tn_operand *x, int n, const uint8_t *label) {
  int64_t order[TN_MAX_DIMS], dim[TN_MAX_DIMS];
  int m = 0;
  if (tn_bad(t, x->u)) return x->u;
  for (int i = 0; i < n; i++) {
    int at = 0;
    while (at < x->n && x->label[at] != label[i]) at++;
    dim[i] = at < x->n ? x->u->dim[at] : 1;
    if (at < x->n) order[m++] = at;
  }
  return tn_reshape(t, tn_permute(t, x->u, order), n, dim);
}

// ** two operands **

// Multiplications of a contraction of all these labels.
static double tn_einsum_work(const tn_einsum *e, uint64_t labels) {
  TN_FLOAT_MODE;
  double n = 1;
  for (int i = 0; i < e->nlabel; i++) if (labels >> i & 1) n *= (double)e->size[i];
  return n;
}
// The labels of a set of operands that are still wanted once these are contracted.
static uint64_t tn_einsum_left(const tn_einsum *e, unsigned set) {
  uint64_t inside = 0, outside = tn_operand_labels(&e->result);
  for (int i = 0; i < e->n; i++) *(set >> i & 1 ? &inside : &outside) |= tn_operand_labels(&e->term[i]);
  return inside & outside;
}
// The cheapest tree of contractions, for every set from its subsets. Many operands are taken from left to
// right.
static void tn_einsum_plan(tn_einsum *e) {
  TN_FLOAT_MODE;
  double cost[1 << TN_EINSUM_BEST];
  for (unsigned set = 1; set < 1u << e->n; set++) {
    cost[set] = set & (set - 1) ? HUGE_VAL : 0;
    for (unsigned half = (set - 1) & set; half; half = (half - 1) & set) {
      const unsigned other = set ^ half;
      if (half < other) break;
      const double all = cost[half] + cost[other] +
        tn_einsum_work(e, tn_einsum_left(e, half) | tn_einsum_left(e, other));
      if (all < cost[set]) { cost[set] = all; e->split[set] = (uint8_t)half; }
    }
  }
}

static tn_operand tn_einsum_pair(tn_einsum *e, const tn_operand *a, const tn_operand *b, uint64_t kept,
                                 int is_last) {
  uint8_t label[TINY_MAX_DIMS];
  tn_operand y;
  int bits = 0, n = 0;
  const uint64_t both = tn_operand_labels(a) | tn_operand_labels(b);
  memset(&y, 0, sizeof y);
  y.u = &e->t->ir->bad;
  if (is_last) { y.n = e->result.n; memcpy(y.label, e->result.label, sizeof y.label); }
  else for (int i = 0; i < e->nlabel && y.n < TINY_MAX_DIMS; i++)
    if (both & kept & (uint64_t)1 << i) y.label[y.n++] = (uint8_t)i;
  memcpy(label, y.label, sizeof label);
  n = y.n;
  for (int i = 0; i < e->nlabel; i++) if (both & ~kept & (uint64_t)1 << i) {
    if (n == TINY_MAX_DIMS) {
      tiny_fail(e->t, TINY_E_SHAPE, "einsum: a contraction of \"%s\" takes more than %d labels", e->text,
                TINY_MAX_DIMS);
      return y;
    }
    bits |= 1 << n;
    label[n++] = (uint8_t)i;
  }
  tiny_uop *p = tn_einsum_align(e->t, a, n, label), *q = tn_einsum_align(e->t, b, n, label);
  y.u = tn_bad(e->t, p) || tn_bad(e->t, q) ? &e->t->ir->bad : tn_dot(e->t, p, q, NULL, bits, p->dtype);
  return y;
}
static tn_operand tn_einsum_tree(tn_einsum *e, unsigned set, int is_last) {
  if (!(set & (set - 1))) {
    int i = 0;
    while (!(set >> i & 1)) i++;
    return e->term[i];
  }
  const tn_operand a = tn_einsum_tree(e, e->split[set], 0), b = tn_einsum_tree(e, set ^ e->split[set], 0);
  return tn_einsum_pair(e, &a, &b, tn_einsum_left(e, set), is_last);
}
static tn_operand tn_einsum_chain(tn_einsum *e) {
  tn_operand y = e->term[0];
  for (int i = 1; i < e->n; i++)
    y = tn_einsum_pair(e, &y, &e->term[i], tn_einsum_left(e, (2u << i) - 1), i == e->n - 1);
  return y;
}

TINY_API tiny_tensor *tiny_einsum(const char *subscripts, tiny_tensor *const *xs, int n) {
  tiny_tensor *out;
  tn_einsum e;
  if (n <= 0 || !xs) return NULL;
  if (!tn_usable("einsum", n, xs, &out)) return out;
  memset(&e, 0, sizeof e);
  e.t = tn_ctx_of(xs[0]); e.n = n; e.text = subscripts ? subscripts : "";
  if (!subscripts || n > TN_EINSUM_OPERANDS)
    return tn_wrong(e.t, TINY_E_ARG, "einsum: %d operands, at most %d, and subscripts that are not NULL", n,
                    TN_EINSUM_OPERANDS);
  if (!tn_einsum_parse(&e)) return out;
  for (int i = 0; i < TN_LABELS; i++) e.size[i] = -1;
  tiny_dtype dtype = (tiny_dtype)tn_uop_of(xs[0])->dtype;
  for (int i = 0; i < n; i++) {
    if (!tn_einsum_size(&e, i, tn_uop_of(xs[i]))) return out;
    dtype = tiny_promote(dtype, (tiny_dtype)tn_uop_of(xs[i])->dtype);
  }
  if (!tn_einsum_output(&e)) return out;
  for (int i = 0; i < n; i++) {
    uint64_t kept = tn_operand_labels(&e.result);
    for (int k = 0; k < n; k++) if (k != i) kept |= tn_operand_labels(&e.term[k]);
    e.term[i].u = tn_cast(e.t, e.term[i].u, tn_computed_in(dtype));
    tn_einsum_reduce(&e, &e.term[i], kept);
  }
  if (n <= TN_EINSUM_BEST) tn_einsum_plan(&e);
  const tn_operand y = n <= TN_EINSUM_BEST ? tn_einsum_tree(&e, (1u << n) - 1, 1) : tn_einsum_chain(&e);
  tiny_uop *u = tn_einsum_align(e.t, &y, e.result.n, e.result.label);
  return tn_tensor_new(e.t, tn_bad(e.t, u) ? u : tn_cast(e.t, u, dtype));
}
#endif
