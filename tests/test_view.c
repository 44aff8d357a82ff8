// view: random chains of movement ops against arrays of indices that are moved by brute force; merges that must give one
// view; expressions against tiny_views_at; bad arguments.
#include "../src/shape/view.c"
#include "test.h"

enum { MOST = 1 << 10 };

// What a chain of views must mean: for every element, row-major, the flat element of memory, or -1.
typedef struct { int ndim; int64_t dim[TINY_MAX_DIMS]; int64_t n, at[MOST]; } model;

static uint64_t random_state;
static int64_t random_below(int64_t n) {
  random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
  return (int64_t)((random_state >> 33) % (uint64_t)n);
}

static int64_t count(const tiny_shape *s) {
  int64_t n = 1;
  for (int d = 0; d < s->ndim; d++) n *= s->dim[d];
  return n;
}
static tiny_shape shape_of(const model *m) {
  tiny_shape s = TINY_SHAPE();
  s.ndim = m->ndim;
  memcpy(s.dim, m->dim, sizeof s.dim);
  return s;
}
static void unflatten(const tiny_shape *s, int64_t flat, int64_t *index) {
  for (int d = s->ndim - 1; d >= 0; d--) { index[d] = flat % s->dim[d]; flat /= s->dim[d]; }
}

// Element `index` of the result comes from this index before the op; 0: it is made by a pad.
static int source_of(char op, const tiny_shape *arg, const tiny_shape *was, const int64_t *index, int64_t *from) {
  for (int d = 0; d < was->ndim; d++) {
    if (op == 'p') from[arg->dim[d]] = index[d];
    if (op == 'e') from[d] = was->dim[d] == 1 ? 0 : index[d];
    if (op == 's') from[d] = index[d] + arg->dim[2 * d];
    if (op == '+') from[d] = index[d] - arg->dim[2 * d];
    if (op == 'f') {
      from[d] = index[d];
      for (int i = 0; i < arg->ndim; i++) if (arg->dim[i] == d) from[d] = was->dim[d] - 1 - index[d];
    }
    if (op == '+' && (from[d] < 0 || from[d] >= was->dim[d])) return 0;
  }
  return 1;
}

static void model_apply(model *m, char op, tiny_shape arg) {
  static model made;
  const tiny_shape was = shape_of(m);
  tiny_shape now = was;
  if (op == 'r' || op == 'e') now = arg;
  for (int d = 0; d < was.ndim; d++) {
    if (op == 'p') now.dim[d] = was.dim[arg.dim[d]];
    if (op == 's') now.dim[d] = arg.dim[2 * d + 1] - arg.dim[2 * d];
    if (op == '+') now.dim[d] = was.dim[d] + arg.dim[2 * d] + arg.dim[2 * d + 1];
  }
  made.ndim = now.ndim;
  memcpy(made.dim, now.dim, sizeof made.dim);
  made.n = count(&now);
  for (int64_t e = 0; e < made.n; e++) {
    int64_t index[TINY_MAX_DIMS], from[TINY_MAX_DIMS], flat = 0;
    if (op == 'r') { made.at[e] = m->at[e]; continue; }
    unflatten(&now, e, index);
    const int exists = source_of(op, &arg, &was, index, from);
    for (int d = 0; exists && d < was.ndim; d++) flat = flat * was.dim[d] + from[d];
    made.at[e] = exists ? m->at[flat] : -1;
  }
  *m = made;
}

static tiny_code views_apply(tiny_views *v, char op, tiny_shape arg) {
  switch (op) {
    case 'p': return tiny_views_permute(v, arg);
    case 'e': return tiny_views_expand(v, arg);
    case 's': return tiny_views_shrink(v, arg);
    case '+': return tiny_views_pad(v, arg);
    case 'f': return tiny_views_flip(v, arg);
    default:  return tiny_views_reshape(v, arg);
  }
}

// A shape of n elements, with dims of 1 thrown in.
static tiny_shape random_factors(int64_t n) {
  tiny_shape s = TINY_SHAPE();
  while (s.ndim < 6) {
    if (random_below(5) == 0) s.dim[s.ndim++] = 1;
    if (n == 1 && random_below(2)) break;
    int64_t f = 1 + random_below(6);
    while (f > 1 && n % f) f--;
    if (n == 0) f = random_below(4);
    if (f == 1) continue;
    s.dim[s.ndim++] = f;
    n = f ? n / f : 1;
  }
  if (n != 1) s.dim[s.ndim++] = n;
  return s;
}

static tiny_shape random_arg(char op, const model *m) {
  tiny_shape a = shape_of(m);
  if (op == 'r') return random_factors(m->n);
  if (op == 'p') {
    for (int d = 0; d < a.ndim; d++) a.dim[d] = d;
    for (int d = a.ndim - 1; d > 0; d--) {
      const int o = (int)random_below(d + 1);
      const int64_t x = a.dim[d]; a.dim[d] = a.dim[o]; a.dim[o] = x;
    }
  }
  if (op == 'e') for (int d = 0; d < a.ndim; d++) if (a.dim[d] == 1 && random_below(2)) a.dim[d] = random_below(12) ? 1 + random_below(4) : 0;
  if (op == 'f') {
    a.ndim = 0;
    for (int d = 0; d < m->ndim; d++) if (random_below(2)) a.dim[a.ndim++] = d;
  }
  if (op == 's' || op == '+') {
    a.ndim = 2 * m->ndim;
    for (int d = 0; d < m->ndim; d++) {
      const int64_t b = random_below(3) ? 0 : op == '+' ? random_below(3) : random_below(m->dim[d] + 1);
      const int64_t e = random_below(3) ? m->dim[d] : b + random_below(m->dim[d] - (op == 's' ? b : 0) + 1);
      a.dim[2 * d] = b;
      a.dim[2 * d + 1] = op == '+' ? random_below(3) / 2 * random_below(3) : e < b ? b : e;
    }
  }
  return a;
}

static int same(const tiny_views *v, const model *m) {
  const tiny_shape s = shape_of(m);
  const tiny_view *top = &v->v[v->n - 1];
  if (top->ndim != s.ndim || memcmp(top->dim, s.dim, (size_t)s.ndim * sizeof s.dim[0])) return 0;
  for (int64_t e = 0; e < m->n; e++) {
    int64_t index[TINY_MAX_DIMS];
    unflatten(&s, e, index);
    if (tiny_views_at(v, index) != m->at[e]) return 0;
  }
  return 1;
}

// ** expressions **

static void context_open(tiny_ctx *t) {
  memset(t, 0, sizeof *t);
  t->alloc.fn = tn_default_alloc;
  CHECK(tn_ir_open(t));
}

static int64_t value(const tiny_uop *u, const int64_t *var) {
  int64_t v[3] = {0};
  if (u->op == TINY_OP_CONST) return u->k;
  if (u->op == TINY_OP_RANGE) return var[u->k >> 8];
  for (uint32_t i = 0; i < u->nsrc; i++) v[i] = value(u->src[i], var);
  return tn_alu(u->op, u->dtype, u->src[0]->dtype, u->k, v, (int)u->nsrc);
}

static int expr_same(tiny_ctx *t, const tiny_views *v, const model *m) {
  const tiny_shape s = shape_of(m);
  tiny_uop *index[TINY_MAX_DIMS], *flat, *valid;
  for (int d = 0; d < s.ndim; d++) {
    tiny_uop *extent = tn_index(t, s.dim[d]);
    index[d] = tn_uop_make(t, TINY_OP_RANGE, TINY_INDEX, 1, 1, &extent, d << 8 | TN_LOOP, 0, NULL);
  }
  if (tiny_views_expr(t, v, index, &flat, &valid)) return 0;
  int masked = 0;
  for (int64_t e = 0; e < m->n; e++) {
    int64_t i[TINY_MAX_DIMS];
    unflatten(&s, e, i);
    const int exists = (int)value(valid, i);
    if (exists != (m->at[e] >= 0) || (exists && value(flat, i) != m->at[e])) return 0;
    masked += !exists;
  }
  return masked || v->n > 1 || !m->n || tn_is_k(valid, 1);
}

// Could one view say the same? The elements that exist must fill a box and be affine in their indices.
static int one_view_would_do(const model *m) {
  const tiny_shape s = shape_of(m);
  int64_t index[TINY_MAX_DIMS], lo[TINY_MAX_DIMS], hi[TINY_MAX_DIMS], stride[TINY_MAX_DIMS] = {0}, first = -1, unit = 1;
  for (int64_t e = 0; e < m->n; e++) {
    if (m->at[e] < 0) continue;
    unflatten(&s, e, index);
    for (int d = 0; d < s.ndim; d++) {
      if (first < 0 || index[d] < lo[d]) lo[d] = index[d];
      if (first < 0 || index[d] > hi[d]) hi[d] = index[d];
    }
    if (first < 0) first = e;
  }
  if (first < 0) return s.ndim > 0;
  for (int d = s.ndim - 1; d >= 0; unit *= s.dim[d--]) if (lo[d] < hi[d]) stride[d] = m->at[first + unit] - m->at[first];
  for (int64_t e = 0; e < m->n; e++) {
    int inside = 1;
    int64_t at = m->at[first];
    unflatten(&s, e, index);
    for (int d = 0; d < s.ndim; d++) { inside &= index[d] >= lo[d] && index[d] <= hi[d]; at += (index[d] - lo[d]) * stride[d]; }
    if (m->at[e] != (inside ? at : -1) || (inside && at < 0)) return 0;
  }
  return 1;
}

static void test_random_chains(void) {
  static model m;
  const char ops[] = "pes+frrr";
  tiny_ctx t;
  int64_t steps = 0, stacks = 0, missed = 0;
  context_open(&t);
  for (int chain = 0; chain < 6000; chain++) {
    random_state = (uint64_t)chain * 7919 + 1;
    const tiny_shape s = random_factors(random_below(30) ? 1 + random_below(60) : 0);
    tiny_views v = tiny_views_of(s);
    m.ndim = s.ndim; m.n = count(&s);
    memcpy(m.dim, s.dim, sizeof m.dim);
    for (int64_t e = 0; e < m.n; e++) m.at[e] = e;
    int ok = same(&v, &m) && tiny_views_contiguous(&v);
    for (int step = (int)random_below(10); ok && step >= 0; step--) {
      const char op = ops[random_below(8)];
      const tiny_shape arg = random_arg(op, &m);
      const tiny_views before = v;
      const tiny_code code = views_apply(&v, op, arg);
      if (code == TINY_E_STATE) { ok = !memcmp(&before, &v, sizeof v); break; }
      if (tn_view_nelem(v.v[v.n - 1].ndim, v.v[v.n - 1].dim) > MOST) break;
      model_apply(&m, op, arg);
      steps++;
      if (v.n > 1) { stacks++; missed += one_view_would_do(&m); }
      ok = code == TINY_OK && same(&v, &m) && expr_same(&t, &v, &m);
      if (!ok) fprintf(stderr, "chain %d, op %c: code %d, %d views\n", chain, op, (int)code, v.n);
    }
    CHECK(ok);
  }
  CHECK(stacks > 1000 && missed * 200 < stacks);           // what is missed are coincidences of tiny sizes
  printf("%lld steps, %lld left a stack of views, %lld of those could be one\n", (long long)steps, (long long)stacks, (long long)missed);
  tn_ir_close(&t);
}

// ** merges **

// "p 1 0 | r 6": ops and their arguments, applied to a plain view of the first list.
static tiny_views chain_of(const char *text) {
  tiny_views v = tiny_views_of(TINY_SHAPE());
  for (const char *p = text; *p;) {
    char op = *p == ' ' ? p[1] : *p, *end;
    tiny_shape arg = TINY_SHAPE();
    p += strcspn(p, "0123456789|");
    for (; *p && *p != '|'; p = end + strspn(end, " ")) arg.dim[arg.ndim++] = strtoll(p, &end, 10);
    if (*p == '|') p++;
    if (op == '=') v = tiny_views_of(arg);
    else CHECK_EQ(views_apply(&v, op, arg), TINY_OK);
  }
  return v;
}

static void test_merges(void) {
  static const char *const one[] = {
    "= 2 3 4 | r 6 4 | r 24 | r 4 3 2",
    "= 2 3 4 | p 2 0 1 | r 4 6",                            // neighbours that stay neighbours
    "= 6 4 | p 1 0 | r 4 2 3",                              // splitting a permuted dim
    "= 6 4 | p 1 0 | r 2 2 6",
    "= 2 3 | p 1 0 | r 6 | r 3 2 | p 1 0",                  // there and back
    "= 2 3 4 | p 1 0 2 | r 12 2 | r 3 2 4 | p 1 0 2 | r 24",
    "= 1 | e 12 | r 3 4 | p 1 0 | r 12",                    // runs of stride 0
    "= 4 1 | e 4 5 | r 2 2 5 1",
    "= 4 1 3 | e 4 5 3 | r 2 2 5 3",
    "= 24 | f 0 | r 4 6",                                   // negative strides
    "= 4 6 | f 0 1 | r 24 | f 0 | r 2 12",
    "= 4 6 | f 1 | r 2 2 3 2",
    "= 4 6 | s 1 3 0 6 | r 12",                             // rows of a matrix
    "= 4 6 | s 1 2 2 5 | r 3 1",
    "= 4 6 | s 0 4 2 4 | r 2 2 2 1",
    "= 4 6 | + 1 1 0 0 | r 36",                             // masks on the outer of two that join
    "= 4 6 | + 1 1 0 0 | r 2 3 6 | r 6 6",
    "= 4 6 | + 0 0 2 4 | r 4 6 2 | r 4 12",                 // masks that a split keeps
    "= 4 | + 2 2 | r 4 2", "= 4 | + 4 0 | r 2 2 2",
    "= 1 6 | + 2 1 0 0 | r 24", "= 1 6 | + 2 1 1 0 | r 28", // one row of many
    "= 1 | + 5 6 | r 3 4", "= 1 | + 5 6 | r 3 4 | r 2 6",   // one element of many
    "= 3 | + 0 3 | r 6 1 | e 6 2",
    "= 5 5 | r 25 | + 0 5 | r 5 6 | s 0 5 0 1 | r 5",       // the diagonal, by the usual trick
    "= 5 5 | r 25 | s 4 24 | r 5 4 | s 0 5 0 1 | r 5",      // the other diagonal
    "= 2 3 | s 0 0 0 3 | r 3 0 | + 1 1 2 0 | r 10",         // nothing exists
    "= 0 3 | p 1 0 | r 0 7 | e 0 7", "= 4 5 | s 2 2 0 5 | r 0", "= 4 6 | p 1 0 | s 3 3 1 2 | r 0 2",
    "= 4 6 | p 1 0 | r 24 | s 4 8", "= 4 6 | p 1 0 | r 24 | s 3 4", // within one row of what did not merge
    "= 4 6 | p 1 0 | r 24 | r 6 4 | + 1 0 0 0", "= 2 2 2 2 | p 3 1 2 0 | r 4 4 | r 2 2 4 | r 2 2 2 2",
    "= 8 | r 2 4 | + 1 0 0 0 | r 12 | s 4 12 | r 8",        // the pad is cut off again
    "= 1 3 1 | e 4 3 2 | r 4 3 2 1 | r 2 2 1 3 2",
    "=", "= 1 1 1 | r", "= 7 | s 3 4 | r",
  };
  for (size_t i = 0; i < sizeof one / sizeof *one; i++) {
    const tiny_views v = chain_of(one[i]);
    CHECK_EQ(v.n, 1);
    if (v.n != 1) fprintf(stderr, "    %s\n", one[i]);
  }
  static const char *const two[] = {"= 2 3 | p 1 0 | r 6", "= 4 | + 1 1 | r 2 3", "= 2 1 | e 2 2 | r 4", "= 3 3 | f 0 | r 9"};
  for (size_t i = 0; i < sizeof two / sizeof *two; i++) CHECK_EQ(chain_of(two[i]).n, 2);
  static const char *const plain[] = {"= 2 3 4 | p 2 0 1 | p 1 2 0 | r 24", "= 4 6 | f 0 1 | r 24 | f 0", "= 8 | + 4 4 | r 2 8 | r 16 | s 4 12",
                                      "= 2 3 | p 1 0 | r 6 | r 3 2 | p 1 0", "= 1 5 1 | p 2 1 0", "= 0 4 | p 1 0", "="};
  for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) { const tiny_views v = chain_of(plain[i]); CHECK(tiny_views_contiguous(&v)); }
  static const char *const other[] = {"= 2 3 | p 1 0", "= 3 | s 1 3", "= 3 | + 0 1", "= 3 | f 0", "= 1 | e 2", "= 2 3 | p 1 0 | r 6", "= 1 1 | s 0 0 0 1 | + 1 0 0 0"};
  for (size_t i = 0; i < sizeof other / sizeof *other; i++) { const tiny_views v = chain_of(other[i]); CHECK(!tiny_views_contiguous(&v)); }
}

static void test_strided(void) {
  const int64_t pitch[2] = {100, 1}, back[2] = {-3, 7};
  const int64_t at[2] = {2, 3};
  tiny_views v = tiny_views_strided(TINY_SHAPE(4, 5), pitch, 7);
  CHECK_EQ(tiny_views_at(&v, at), 210);
  CHECK(!tiny_views_contiguous(&v));
  CHECK_EQ(tiny_views_reshape(&v, TINY_SHAPE(2, 2, 5)), TINY_OK);
  CHECK_EQ(v.n, 1);
  CHECK_EQ(tiny_views_reshape(&v, TINY_SHAPE(20)), TINY_OK);
  CHECK_EQ(v.n, 2);
  v = tiny_views_strided(TINY_SHAPE(4, 5), back, 9);
  CHECK_EQ(tiny_views_at(&v, at), 24);
  const int64_t rows[2] = {5, 1}, huge[2] = {INT64_MAX, 1};
  v = tiny_views_strided(TINY_SHAPE(4, 5), rows, 0);
  CHECK(tiny_views_contiguous(&v));
  v = tiny_views_strided(TINY_SHAPE(4, 5), huge, 0);
  CHECK_EQ(v.n, 0);
}

// ** bad arguments: the code, and *v as it was **

static void check_refused(char op, tiny_shape arg) {
  tiny_views v = chain_of("= 2 3 | + 0 0 1 1 | p 1 0"), before = v;
  CHECK_EQ(views_apply(&v, op, arg), TINY_E_SHAPE);
  CHECK(!memcmp(&before, &v, sizeof v));
}

static void test_bad_arguments(void) {
  tiny_shape many = TINY_SHAPE();
  many.ndim = TINY_MAX_DIMS + 1;
  const char ops[] = "pes+fr";
  for (int i = 0; ops[i]; i++) {
    check_refused(ops[i], many);
    if (ops[i] != 'f') check_refused(ops[i], TINY_SHAPE());
    check_refused(ops[i], TINY_SHAPE(-1, 2));
    tiny_views none = tiny_views_of(TINY_SHAPE(-2));
    CHECK_EQ(none.n, 0);
    CHECK_EQ(views_apply(&none, ops[i], TINY_SHAPE(1)), TINY_E_ARG);
    CHECK_EQ(views_apply(NULL, ops[i], TINY_SHAPE(1)), TINY_E_ARG);
  }
  check_refused('p', TINY_SHAPE(0, 0)); check_refused('p', TINY_SHAPE(0, 2)); check_refused('p', TINY_SHAPE(0, (int64_t)1 << 40));
  check_refused('e', TINY_SHAPE(5, 4)); check_refused('e', TINY_SHAPE(1, 2)); check_refused('f', TINY_SHAPE(2)); check_refused('f', TINY_SHAPE(1, 1));
  check_refused('s', TINY_SHAPE(0, 6, 0, 1)); check_refused('s', TINY_SHAPE(3, 2, 0, 1)); check_refused('s', TINY_SHAPE(-1, 2, 0, 1));
  check_refused('+', TINY_SHAPE(-1, 0, 0, 0)); check_refused('+', TINY_SHAPE(INT64_MAX, 0, 0, 0)); check_refused('+', TINY_SHAPE((int64_t)1 << 60, (int64_t)1 << 60, 0, 0));
  check_refused('r', TINY_SHAPE(11)); check_refused('r', TINY_SHAPE(-2, -5)); check_refused('r', TINY_SHAPE((int64_t)1 << 32, (int64_t)1 << 32));
  CHECK_EQ(tiny_views_at(NULL, NULL), -1);
  const tiny_views v = chain_of("= 2 3");
  const int64_t outside[2] = {2, 0}, negative[2] = {0, -1};
  CHECK_EQ(tiny_views_at(&v, outside), -1);
  CHECK_EQ(tiny_views_at(&v, negative), -1);
}

// A reshape that keeps splitting what a permute tore apart needs a view each; the ninth is refused.
static void test_full_stack(void) {
  tiny_views v = tiny_views_of(TINY_SHAPE(2, 3));
  tiny_code code = TINY_OK;
  for (int i = 0; i < 20 && code == TINY_OK; i++) {
    const tiny_views before = v;
    const int64_t a = v.v[v.n - 1].dim[0], b = v.v[v.n - 1].dim[1];
    code = tiny_views_pad(&v, TINY_SHAPE(0, 1, 0, 1));
    if (code == TINY_OK) code = tiny_views_permute(&v, TINY_SHAPE(1, 0));
    const tiny_views padded = v;
    if (code == TINY_OK) code = tiny_views_reshape(&v, TINY_SHAPE(a + 1, b + 1));
    if (code) CHECK(!memcmp(&padded, &v, sizeof v) && before.n == TINY_MAX_VIEWS);
  }
  CHECK_EQ(code, TINY_E_STATE);
}

static void test_expressions(void) {
  tiny_ctx t;
  context_open(&t);
  const tiny_views v = chain_of("= 4 | + 1 1");
  tiny_uop *flat = NULL, *valid = NULL, *i = tn_range(&t, 6, TN_LOOP), *inside = tn_u2(&t, TINY_OP_ADD, tn_range(&t, 4, TN_LOOP), tn_index(&t, 1));
  CHECK_EQ(tiny_views_expr(&t, &v, &i, &flat, &valid), TINY_OK);
  CHECK_EQ(valid->op, TINY_OP_AND);
  CHECK_EQ(tiny_views_expr(&t, &v, &inside, &flat, &valid), TINY_OK);
  CHECK(tn_is_k(valid, 1));                // its bounds prove both comparisons
  CHECK_EQ(tiny_views_expr(&t, &v, NULL, &flat, &valid), TINY_E_ARG);
  CHECK_EQ(tiny_views_expr(NULL, &v, &i, &flat, &valid), TINY_E_ARG);
  tn_ir_close(&t);
}

int main(void) {
  test_random_chains();
  test_merges();
  test_strided();
  test_bad_arguments();
  test_full_stack();
  test_expressions();
  return test_report();
}
