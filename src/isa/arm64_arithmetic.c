// arm64_arithmetic: sums, products and divisions, comparisons and choices, conversions, of scalars and of vectors.
//
// In:  a node of an elementwise op. Out: the instructions that write its value, or the lanes asked for, to a register.
// Holds: an integer of less than 32 bits is extended again after what may leave its type. What is more than one node's
//        work is a rule: tn_rules_arm64, whose bodies write instructions; a node that one of them takes in is fused.
#ifndef TN_ISA_ARM64_ARITHMETIC
#define TN_ISA_ARM64_ARITHMETIC
#ifndef TINY_AMALGAMATED
#include "arm64_memory.c"
#include "../ir/match.c"
#endif

// ** what several nodes say together **

// Is a node used by one other alone, in its block, so that it may be written there?
static int tn_arm64_is_alone(const tn_arm64_select *x, const tiny_uop *u) {
  const tiny_uop *user = x->uses[u->seq] == 1 ? x->user[u->seq] : NULL;
  if (!user || x->fused[user->seq]) return 0;
  for (uint32_t i = u->seq + 1; i < user->seq; i++) {
    const int op = x->k->list[i]->op;
    if (op == TINY_OP_RANGE || op == TINY_OP_END || op == TINY_OP_IF || op == TINY_OP_ENDIF) return 0;
  }
  return 1;
}
// May a rule take the node in? While it surveys, this makes it so.
static int tn_arm64_takes_in(tn_arm64_select *x, const tiny_uop *u) {
  if (x->survey) x->fused[u->seq] = (uint8_t)(x->fused[u->seq] | (tn_arm64_is_alone(x, u) << 1));
  return x->fused[u->seq] != 0;
}
// The register of u, which a rule writes; its operands.
typedef struct tn_arm64_rule { tn_arm64_select *x; const tiny_uop *u; int to; } tn_arm64_rule;
static tn_isa_operand tn_arm64_to(const tn_arm64_rule *s) { return tn_arm64_def(s->x, s->u, s->to); }

static void tn_arm64_extend(tn_arm64_select *x, const tiny_uop *u, int r) {
  const int nbytes = tn_dtypes[u->dtype].nbytes;
  if (u->dtype == TINY_BOOL || nbytes >= 4) return;
  const int row = nbytes == 1 ? (tn_is_signed(u->dtype) ? TN_ARM64_SXTB : TN_ARM64_UXTB) :
                                tn_is_signed(u->dtype) ? TN_ARM64_SXTH : TN_ARM64_UXTH;
  tn_arm64_2(x, row, tn_arm64_gpr(r, 4, TN_ISA_DEF), tn_arm64_gpr(r, 4, TN_ISA_USE));
}

// Of scalar integers, two sources and a third of another node.
static tiny_uop *tn_arm64_write_3(const tn_arm64_rule *s, int op, tiny_uop *a, tiny_uop *b, tiny_uop *d) {
  if (s->x->survey) return a;
  const tn_isa_operand p = tn_arm64_use(s->x, a), q = tn_arm64_use(s->x, b), r = tn_arm64_use(s->x, d);
  tn_arm64_4(s->x, op, tn_arm64_to(s), p, q, r);
  tn_arm64_extend(s->x, s->u, s->to);
  return a;
}
static tiny_uop *tn_arm64_write_2(const tn_arm64_rule *s, int op, tiny_uop *a, tn_isa_operand b) {
  const tn_isa_operand p = tn_arm64_use(s->x, a);
  tn_arm64_3(s->x, op, tn_arm64_to(s), p, b);
  tn_arm64_extend(s->x, s->u, s->to);
  return a;
}
static int tn_arm64_power(int64_t v) {     // of 2; -1: it is none
  int n = 0;
  while (n < 62 && (int64_t)1 << n < v) n++;
  return (int64_t)1 << n == v ? n : -1;
}
// a op (b << n), of general registers.
static tiny_uop *tn_arm64_write_shifted(const tn_arm64_rule *s, int op, tiny_uop *a, tiny_uop *b, int64_t n) {
  const int nbytes = tn_arm64_wide(s->u);
  if (s->x->survey) return a;
  const tn_isa_operand q = tn_arm64_shifted(tn_arm64_value(s->x, b), nbytes, TN_ARM64_BY_LSL, (int)n);
  return tn_arm64_write_2(s, op, a, q);
}
static tiny_uop *tn_arm64_write_not(const tn_arm64_rule *s, int op, tiny_uop *a, tiny_uop *b) {
  if (s->x->survey) return a;
  if (s->u->lanes == 1) return tn_arm64_write_2(s, op, a, tn_arm64_use(s->x, b));
  const int held = tn_arm64_nbytes(s->x, s->u) > 8 ? 16 : 8, is_bool = s->u->dtype == TINY_BOOL;
  const int element = tn_arm64_element(s->x, s->u);
  const int p = is_bool ? tn_arm64_mask(s->x, a, element) : tn_arm64_value(s->x, a);
  const int q = is_bool ? tn_arm64_mask(s->x, b, element) : tn_arm64_value(s->x, b);
  tn_arm64_3(s->x, op, tn_arm64_vec(s->to, held, 1, TN_ISA_DEF), tn_arm64_vec(p, held, 1, TN_ISA_USE),
             tn_arm64_vec(q, held, 1, TN_ISA_USE));
  return a;
}

// ** comparisons of scalars: what a condition of the processor's says **

// Compares, and says the condition under which u is true.
static int tn_arm64_compare_flags(tn_arm64_select *x, const tiny_uop *u) {
  const tiny_uop *s = u->src[0];
  const tn_isa_operand a = tn_arm64_use(x, s);
  if (tn_is_float(s->dtype)) {
    const int zero = u->src[1]->op == TINY_OP_CONST && !tn_arm64_bits(u->src[1]);
    tn_arm64_2(x, TN_ARM64_FCMP, a, zero ? tn_isa_number(0) : tn_arm64_use(x, u->src[1]));
    return u->op == TINY_OP_LT ? TN_ARM64_MI_ : u->op == TINY_OP_EQ ? TN_ARM64_EQ_ : TN_ARM64_NE_;
  }
  const tiny_uop *b = u->src[1];
  const int fits = b->op == TINY_OP_CONST && b->k >= 0 && b->k < 4096;
  tn_arm64_2(x, TN_ARM64_CMP, a, fits ? tn_isa_number(b->k) : tn_arm64_use(x, b));
  const int below = tn_is_unsigned(s->dtype) || s->dtype == TINY_BOOL ? TN_ARM64_LO_ : TN_ARM64_LT_;
  return u->op == TINY_OP_LT ? below : u->op == TINY_OP_EQ ? TN_ARM64_EQ_ : TN_ARM64_NE_;
}
static int tn_arm64_is_compare(const tiny_uop *u) {
  return u->lanes == 1 && (u->op == TINY_OP_LT || u->op == TINY_OP_EQ || u->op == TINY_OP_NE);
}
static int tn_arm64_joins(const tiny_uop *u) {
  return u->lanes == 1 && u->dtype == TINY_BOOL && (u->op == TINY_OP_AND || u->op == TINY_OP_OR) &&
      u->src[0] != u->src[1] && tn_arm64_is_compare(u->src[0]) && tn_arm64_is_compare(u->src[1]);
}
// May who reads the flags take a condition in? Of two comparisons, both.
static void tn_arm64_takes_condition(tn_arm64_select *x, const tiny_uop *u) {
  const int joins = tn_arm64_joins(u) && tn_arm64_is_alone(x, u);
  if (tn_arm64_is_compare(u) || (joins && tn_arm64_is_alone(x, u->src[0]) && tn_arm64_is_alone(x, u->src[1])))
    for (uint32_t i = 0; tn_arm64_takes_in(x, u) && joins && i < 2; i++) x->fused[u->src[i]->seq] |= 2;
}
// Two comparisons: the second is made where the first does not decide; where it does, the flags are as if it had held,
// or had not (C6.2: CCMP, FCCMP). Of the flags N is 8, Z 4, C 2.
static int tn_arm64_joined_flags(tn_arm64_select *x, const tiny_uop *u) {
  const tiny_uop *s = u->src[1], *of = s->src[0];
  const tn_isa_operand a = tn_arm64_use(x, of), b = tn_arm64_use(x, s->src[1]);
  const int first = tn_arm64_compare_flags(x, u->src[0]), is_or = u->op == TINY_OP_OR;
  const int is_float = tn_is_float(of->dtype);
  const int below = tn_is_unsigned(of->dtype) || of->dtype == TINY_BOOL ? TN_ARM64_LO_ : TN_ARM64_LT_;
  const int less = is_float ? TN_ARM64_MI_ : below;
  const int is_true = s->op == TINY_OP_LT ? less : s->op == TINY_OP_EQ ? TN_ARM64_EQ_ : TN_ARM64_NE_;
  const int holds = is_true == TN_ARM64_EQ_ ? 4 : is_true == TN_ARM64_NE_ || is_true == TN_ARM64_LO_ ? 0 : 8;
  const int fails = is_true == TN_ARM64_NE_ ? 4 : is_true == TN_ARM64_LO_ ? 2 : 0;
  tn_arm64_4(x, is_float ? TN_ARM64_FCCMP : TN_ARM64_CCMP, a, b, tn_isa_number(is_or ? holds : fails),
             tn_isa_number(first ^ is_or));
  return is_true;
}
// The condition under which a scalar bool is true: of a comparison that stands here, or of its register.
static int tn_arm64_condition(tn_arm64_select *x, const tiny_uop *u) {
  if (x->fused[u->seq]) return tn_arm64_is_compare(u) ? tn_arm64_compare_flags(x, u) : tn_arm64_joined_flags(x, u);
  tn_arm64_2(x, TN_ARM64_CMP, tn_arm64_gpr(tn_arm64_value(x, u), 4, TN_ISA_USE), tn_isa_number(0));
  return TN_ARM64_NE_;
}
static int tn_arm64_if(tn_arm64_select *x, const tiny_uop *condition) {
  const int label = x->c->labels++;
  if (x->fused[condition->seq]) {          // rows of branches stand in the order of conditions, each by its opposite
    const int is_false = tn_arm64_condition(x, condition) ^ 1;
    tn_arm64_1(x, TN_ARM64_B_EQ + is_false, tn_arm64_label(label));
    return label;
  }
  tn_arm64_2(x, TN_ARM64_CBZ, tn_arm64_gpr(tn_arm64_value(x, condition), 4, TN_ISA_USE), tn_arm64_label(label));
  return label;
}
static tiny_uop *tn_arm64_write_choice(const tn_arm64_rule *s, tiny_uop *condition, tiny_uop *yes, tiny_uop *no) {
  if (s->x->survey) return yes;
  const tn_isa_operand p = tn_arm64_use(s->x, yes), q = tn_arm64_use(s->x, no);
  const int is_true = tn_arm64_condition(s->x, condition);
  tn_arm64_4(s->x, tn_arm64_class(s->u) == TN_ISA_VEC ? TN_ARM64_FCSEL : TN_ARM64_CSEL, tn_arm64_to(s), p, q,
             tn_isa_number(is_true));
  return yes;
}

static void tn_arm64_fma_lanes(const tn_arm64_rule *s, tn_isa_operand p, tn_isa_operand q, tiny_uop *z, int less,
    int taken) {
  const tn_isa_operand sum = tn_arm64_named(s->x, s->u, s->to, TN_ISA_BOTH);
  if (taken) {
    const tn_isa_operand from = tn_arm64_use(s->x, z);
    tn_arm64_2(s->x, TN_ARM64_FNEG, tn_arm64_to(s), from);
  } else tn_arm64_copy(s->x, TN_ISA_VEC, s->to, tn_arm64_value(s->x, z));
  tn_arm64_3(s->x, less ? TN_ARM64_FMLS : TN_ARM64_FMLA, sum, p, q);
}
// A factor that is one lane of a register for all lanes: a BROADCAST, which is then not written.
static int tn_arm64_is_one_lane(const tn_arm64_select *x, const tiny_uop *u) {
  return u->op == TINY_OP_BROADCAST && x->fused[u->seq];
}
static tn_isa_operand tn_arm64_as_lane(tn_arm64_select *x, const tiny_uop *u, int element) {
  int reg, lane;
  if (tn_arm64_is_lane(x, u, &reg, &lane)) return tn_arm64_lane(reg, element, lane, TN_ISA_USE);
  return tn_arm64_lane(tn_arm64_value(x, u), element, 0, TN_ISA_USE);
}
static tiny_uop *tn_arm64_write_counted(const tn_arm64_rule *s, tiny_uop *sum, tiny_uop *condition) {
  tn_arm64_select *x = s->x;
  const int element = tn_arm64_element(x, s->u), nbytes = tn_arm64_nbytes(x, s->u);
  if (x->survey) return sum;
  const tn_isa_operand a = tn_arm64_use(x, sum);
  const int mask = tn_arm64_mask(x, condition, element);
  tn_arm64_3(x, TN_ARM64_SUB, tn_arm64_to(s), a, tn_arm64_arranged(mask, nbytes, element, TN_ISA_USE));
  return sum;
}
// Of vectors of integers, a product that is added to, or taken from, the register that is written.
static tiny_uop *tn_arm64_write_mla(const tn_arm64_rule *s, int op, tiny_uop *sum, tiny_uop *a, tiny_uop *b) {
  tn_arm64_select *x = s->x;
  if (x->survey) return sum;
  const tn_isa_operand p = tn_arm64_use(x, a), q = tn_arm64_use(x, b);
  tn_arm64_copy(x, TN_ISA_VEC, s->to, tn_arm64_value(x, sum));
  tn_arm64_3(x, op, tn_arm64_named(x, s->u, s->to, TN_ISA_BOTH), p, q);
  return sum;
}
// x * y + z, rounded once: sources may be negative. Of vectors it is added to the register that is written.
static tiny_uop *tn_arm64_write_fma(const tn_arm64_rule *s, tiny_uop *a, tiny_uop *b, tiny_uop *z, int less,
    int taken) {
  static const int rows[2][2] = {{TN_ARM64_FMADD, TN_ARM64_FMSUB}, {TN_ARM64_FNMSUB, TN_ARM64_FNMADD}};
  tn_arm64_select *x = s->x;
  if (x->survey) return a;
  if (s->u->lanes == 1) return tn_arm64_write_3(s, rows[taken][less], a, b, z);
  if (tn_arm64_is_one_lane(x, a) && !tn_arm64_is_one_lane(x, b)) { tiny_uop *other = a; a = b; b = other; }
  const int one = tn_arm64_is_one_lane(x, b), element = tn_arm64_element(x, s->u);
  const tn_isa_operand q = one ? tn_arm64_as_lane(x, b->src[0], element) : tn_arm64_use(x, b);
  if (tn_arm64_is_one_lane(x, a)) {        // both are: one of them for all lanes
    const int all = tn_arm64_new(x, TN_ISA_VEC);
    tn_arm64_2(x, TN_ARM64_DUP, tn_arm64_vec(all, 16, element, TN_ISA_DEF), tn_arm64_as_lane(x, a->src[0], element));
    tn_arm64_fma_lanes(s, tn_arm64_named(x, s->u, all, TN_ISA_USE), q, z, less, taken);
  } else tn_arm64_fma_lanes(s, tn_arm64_use(x, a), q, z, less, taken);
  return a;
}

// May a sum of vectors of integers take that product of its sources in? Of 8 bytes there are no products.
static int tn_arm64_sums_product(tn_arm64_select *x, const tiny_uop *u, const tiny_uop *m) {
  return u->dtype != TINY_BOOL && tn_arm64_element(x, u) < 8 && u->src[0] != u->src[1] && tn_arm64_takes_in(x, m);
}

// Is it that number, in all lanes?
static int tn_arm64_is_number(const tiny_uop *u, int64_t k) {
  const tiny_uop *one = u->op == TINY_OP_BROADCAST ? u->src[0] : u;
  return one->op == TINY_OP_CONST && one->k == tn_dtype_wrap(one->dtype, k);
}

#define TN_ARM64_BOUND const tn_arm64_rule *s = (const tn_arm64_rule *)ctx
#define TN_ARM64_TAKES(m) tn_arm64_takes_in(s->x, m)
// What a body returns is only whether it wrote: not r, and of as many lanes.
RULES(tn_rules_arm64, x, y, z, m, p, c)
  RULE("(ADD x:i m=(MUL y c))") {          // x + y * 2^n: the last operand is shifted
    TN_ARM64_BOUND;
    const int n = tn_arm64_power(c->k);
    return r->lanes == 1 && n >= 0 && n < tn_bits(r->dtype) && TN_ARM64_TAKES(m) ?
        tn_arm64_write_shifted(s, TN_ARM64_ADD, x, y, n) : NULL;
  }
  RULE("(ADD x:i m=(SHL y c))") {
    TN_ARM64_BOUND;
    if (r->lanes > 1 || c->k < 0 || c->k >= tn_bits(r->dtype) || !TN_ARM64_TAKES(m)) return NULL;
    return tn_arm64_write_shifted(s, TN_ARM64_ADD, x, y, c->k);
  }
  RULE("(SUB x:i m=(SHL y c))") {
    TN_ARM64_BOUND;
    if (r->lanes > 1 || c->k < 0 || c->k >= tn_bits(r->dtype) || !TN_ARM64_TAKES(m)) return NULL;
    return tn_arm64_write_shifted(s, TN_ARM64_SUB, x, y, c->k);
  }
  RULE("(ADD x:i m=(WHERE p y z))") {      // of vectors: a mask's -1 is taken away
    TN_ARM64_BOUND;
    if (r->lanes == 1 || p->lanes == 1 || s->x->inverted[p->seq] || !tn_arm64_is_number(y, 1) ||
        !tn_arm64_is_number(z, 0) || !TN_ARM64_TAKES(m)) return NULL;
    return tn_arm64_write_counted(s, x, p);
  }
  RULE("(ADD x:i m=(CAST p:b))") {
    TN_ARM64_BOUND;
    if (r->lanes == 1 || s->x->inverted[p->seq] || !TN_ARM64_TAKES(m)) return NULL;
    return tn_arm64_write_counted(s, x, p);
  }
  RULE("(ADD x:i m=(MUL y z))") {
    TN_ARM64_BOUND;
    if (r->lanes > 1) return tn_arm64_sums_product(s->x, r, m) ? tn_arm64_write_mla(s, TN_ARM64_MLA, x, y, z) : NULL;
    return TN_ARM64_TAKES(m) ? tn_arm64_write_3(s, TN_ARM64_MADD, y, z, x) : NULL;
  }
  RULE("(SUB x:i m=(MUL y z))") {
    TN_ARM64_BOUND;
    if (r->lanes > 1) return tn_arm64_sums_product(s->x, r, m) ? tn_arm64_write_mla(s, TN_ARM64_MLS, x, y, z) : NULL;
    return TN_ARM64_TAKES(m) ? tn_arm64_write_3(s, TN_ARM64_MSUB, y, z, x) : NULL;
  }
  RULE("(AND|OR x m=(XOR|NE y z))") {      // with what y is not
    TN_ARM64_BOUND;
    const int is_not = r->dtype == TINY_BOOL ? tn_arm64_is_number(z, 1)
        : m->op == TINY_OP_XOR && tn_arm64_is_number(z, -1);
    if (!is_not || y->dtype != r->dtype || (r->lanes == 1 && r->dtype == TINY_BOOL) || !TN_ARM64_TAKES(m)) return NULL;
    return tn_arm64_write_not(s, r->op == TINY_OP_AND ? TN_ARM64_BIC : TN_ARM64_ORN, x, y);
  }
  RULE("(FMA m=(NEG x) y p=(NEG z))") {
    TN_ARM64_BOUND;
    return m != p && TN_ARM64_TAKES(m) && TN_ARM64_TAKES(p) ? tn_arm64_write_fma(s, x, y, z, 1, 1) : NULL;
  }
  RULE("(FMA m=(NEG x) y z)") {
    TN_ARM64_BOUND;
    return TN_ARM64_TAKES(m) ? tn_arm64_write_fma(s, x, y, z, 1, 0) : NULL;
  }
  RULE("(FMA x m=(NEG y) z)") {
    TN_ARM64_BOUND;
    return TN_ARM64_TAKES(m) ? tn_arm64_write_fma(s, x, y, z, 1, 0) : NULL;
  }
  RULE("(FMA x y m=(NEG z))") {
    TN_ARM64_BOUND;
    return TN_ARM64_TAKES(m) ? tn_arm64_write_fma(s, x, y, z, 0, 1) : NULL;
  }
  RULE("(FMA x y z)") {
    TN_ARM64_BOUND;
    return tn_arm64_write_fma(s, x, y, z, 0, 0);
  }
  RULE("(WHERE p x y)") {                  // of scalars: the flags choose
    TN_ARM64_BOUND;
    if (r->lanes > 1) return NULL;
    if (s->x->survey) tn_arm64_takes_condition(s->x, p);
    return tn_arm64_write_choice(s, p, x, y);
  }
RULES_END
#undef TN_ARM64_BOUND
#undef TN_ARM64_TAKES

// Does a rule write u to a register? 0: none does, and nothing is written.
static int tn_arm64_by_rule(tn_arm64_select *x, const tiny_uop *u, int to) {
  tn_arm64_rule s = {x, u, to};
  int fired, index = tn_rules_find(x->c->t, tn_rules_arm64);
  return index >= 0 && tn_match_apply(x->c->t, index, (tiny_uop *)(uintptr_t)u, &s, &fired) != NULL;
}

// ** arithmetic **

// Rows by op: of general registers, of floats, of vectors of integers; 0: none. A row of a name does for all types.
typedef struct tn_arm64_op { int op, general, floats, ints, bits; } tn_arm64_op;
static const tn_arm64_op tn_arm64_ops[] = {
  {TINY_OP_ADD, TN_ARM64_ADD, TN_ARM64_FADD, TN_ARM64_ADD, 0},
      {TINY_OP_SUB, TN_ARM64_SUB, TN_ARM64_FSUB, TN_ARM64_SUB, 0},
  {TINY_OP_MUL, TN_ARM64_MUL, TN_ARM64_FMUL, TN_ARM64_MUL, 0}, {TINY_OP_FDIV, 0, TN_ARM64_FDIV, 0, 0},
  {TINY_OP_AND, TN_ARM64_AND, 0, 0, TN_ARM64_AND}, {TINY_OP_OR, TN_ARM64_ORR, 0, 0, TN_ARM64_ORR},
  {TINY_OP_XOR, TN_ARM64_EOR, 0, 0, TN_ARM64_EOR}
};
static const tn_arm64_op *tn_arm64_op_of(const tiny_uop *u) {
  for (size_t i = 0; i < sizeof tn_arm64_ops / sizeof *tn_arm64_ops; i++)
    if (tn_arm64_ops[i].op == u->op) return &tn_arm64_ops[i];
  return NULL;
}

// The second source of a scalar: a number where the instruction has a field for it.
static tn_isa_operand tn_arm64_source(tn_arm64_select *x, const tiny_uop *u, int op) {
  const int nbytes = tn_arm64_wide(u);
  const int64_t k = nbytes == 8 ? u->k : (int64_t)(uint32_t)(uint64_t)u->k;
  const int sums = op == TINY_OP_ADD || op == TINY_OP_SUB, logic = op == TINY_OP_AND || op == TINY_OP_OR ||
      op == TINY_OP_XOR;
  if (u->op == TINY_OP_CONST && sums && tn_arm64_adds(k)) return tn_isa_number(k);
  if (u->op == TINY_OP_CONST && logic && tn_arm64_bitmask((uint64_t)k, nbytes) >= 0) return tn_isa_number(k);
  return tn_arm64_use(x, u);
}
static void tn_arm64_divide(tn_arm64_select *x, int is_modulo, int sign, int to, int a, int b, int nbytes) {
  const tn_isa_operand p = tn_arm64_gpr(a, nbytes, TN_ISA_USE), q = tn_arm64_gpr(b, nbytes, TN_ISA_USE);
  const int ratio = is_modulo ? tn_arm64_new(x, TN_ISA_GPR) : to;
  tn_arm64_3(x, sign ? TN_ARM64_SDIV : TN_ARM64_UDIV, tn_arm64_gpr(ratio, nbytes, TN_ISA_DEF), p, q);
  if (is_modulo)
    tn_arm64_4(x, TN_ARM64_MSUB, tn_arm64_gpr(to, nbytes, TN_ISA_DEF), tn_arm64_gpr(ratio, nbytes, TN_ISA_USE), q, p);
}
static void tn_arm64_integer(tn_arm64_select *x, const tiny_uop *u, int to) {
  const int nbytes = tn_arm64_wide(u), sign = tn_is_signed(u->dtype), a = tn_arm64_value(x, u->src[0]);
  const tn_isa_operand d = tn_arm64_gpr(to, nbytes, TN_ISA_DEF), p = tn_arm64_gpr(a, nbytes, TN_ISA_USE);
  const tiny_uop *s = u->src[1];
  if (u->op == TINY_OP_CDIV || u->op == TINY_OP_CMOD)
    tn_arm64_divide(x, u->op == TINY_OP_CMOD, sign, to, a, tn_arm64_value(x, s), nbytes);
  else if (u->op == TINY_OP_SHL || u->op == TINY_OP_SHR) {
    const int row = u->op == TINY_OP_SHL ? TN_ARM64_LSL : sign ? TN_ARM64_ASR : TN_ARM64_LSR;
    const int64_t n = s->op == TINY_OP_CONST ? s->k & (8 * nbytes - 1) : 0;
    if (s->op == TINY_OP_CONST && !n) tn_arm64_2(x, TN_ARM64_MOV, d, p);
    else tn_arm64_3(x, row, d, p, s->op == TINY_OP_CONST ? tn_isa_number(n) :
                    tn_arm64_gpr(tn_arm64_value(x, s), nbytes, TN_ISA_USE));
  } else if (u->op == TINY_OP_MUL && s->op == TINY_OP_CONST && tn_arm64_power(s->k) > 0)
    tn_arm64_3(x, TN_ARM64_LSL, d, p, tn_isa_number(tn_arm64_power(s->k) & (8 * nbytes - 1)));
  else {
    const tn_arm64_op *o = tn_arm64_op_of(u);
    const int less = s->op == TINY_OP_CONST && s->k < 0 && s->k > -4096 && tn_is_signed(u->dtype);
    if (!o || !o->general) { tn_isa_refuse(x->c, "an operation of integers"); return; }
    if (less && (u->op == TINY_OP_ADD || u->op == TINY_OP_SUB))
      tn_arm64_3(x, u->op == TINY_OP_ADD ? TN_ARM64_SUB : TN_ARM64_ADD, d, p, tn_isa_number(-s->k));
    else {
      const tn_isa_operand q = tn_arm64_source(x, s, u->op);
      tn_arm64_3(x, o->general, d, p, q);
    }
  }
  tn_arm64_extend(x, u, to);
}

// ** products of 64 bits **

// Is a factor of 8 bytes one of 4, extended by its sign or by zeros, or a number of that size?
static int tn_arm64_is_widened(const tiny_uop *u, int sign) {
  if (u->op == TINY_OP_CAST) return u->src[0]->dtype == (sign ? TINY_I32 : TINY_U32) && u->lanes > 1;
  const int64_t k = tn_arm64_is_splat(u) ? u->src[0]->k : -1;
  return tn_arm64_is_splat(u) && (sign ? k >= INT32_MIN && k <= INT32_MAX : k >= 0 && k <= UINT32_MAX);
}
// How both factors of a product of vectors are extended: 0 by zeros, 1 by signs; -1: they are not.
static int tn_arm64_widened_product(const tiny_uop *u) {
  if (u->op != TINY_OP_MUL || u->lanes == 1 || tn_bits(u->dtype) != 64 || tn_is_float(u->dtype)) return -1;
  for (int sign = 0; sign < 2; sign++)
    if (tn_arm64_is_widened(u->src[0], sign) && tn_arm64_is_widened(u->src[1], sign)) return sign;
  return -1;
}
// The factor's two lanes of 4 bytes, of a register whose lower half they are, or upper.
static tn_isa_operand tn_arm64_narrow_factor(tn_arm64_select *x, const tiny_uop *u, int upper) {
  int r;
  if (tn_arm64_is_splat(u)) r = tn_arm64_splat(x, u->src[0]->k, 4);
  else if (!tn_arm64_is_splat(u->src[0])) r = x->reg[u->src[0]->seq] + x->from / 4;
  else r = tn_arm64_value(x, u->src[0]);
  return tn_arm64_vec(r, upper ? 16 : 8, 4, TN_ISA_USE);
}
static void tn_arm64_product(tn_arm64_select *x, const tiny_uop *u, int to) {
  const int sign = tn_arm64_widened_product(u), upper = x->lanes && x->from % 4 >= 2;
  const tn_isa_operand d = tn_arm64_vec(to, 16, 8, TN_ISA_DEF);
  if (sign >= 0) {
    const tn_isa_operand p = tn_arm64_narrow_factor(x, u->src[0], upper);
    const tn_isa_operand q = tn_arm64_narrow_factor(x, u->src[1], upper);
    const int row = sign ? (upper ? TN_ARM64_SMULL2 : TN_ARM64_SMULL) : upper ? TN_ARM64_UMULL2 : TN_ARM64_UMULL;
    tn_arm64_3(x, row, d, p, q);
    return;
  }
  const int a = tn_arm64_value(x, u->src[0]), b = tn_arm64_value(x, u->src[1]), sum = tn_arm64_new(x, TN_ISA_VEC);
  int part[3];                             // the products of a low and a high half; the low halves
  for (int i = 0; i < 3; i++) part[i] = tn_arm64_new(x, TN_ISA_VEC);
  const tn_isa_operand cross = tn_arm64_vec(part[0], 16, 4, TN_ISA_USE), def = tn_arm64_vec(part[0], 16, 4, TN_ISA_DEF);
  tn_arm64_2(x, TN_ARM64_REV64, def, tn_arm64_vec(b, 16, 4, TN_ISA_USE));
  tn_arm64_3(x, TN_ARM64_MUL, def, cross, tn_arm64_vec(a, 16, 4, TN_ISA_USE));
  tn_arm64_2(x, TN_ARM64_UADDLP, tn_arm64_vec(sum, 16, 8, TN_ISA_DEF), cross);
  tn_arm64_3(x, TN_ARM64_SHL, tn_arm64_vec(sum, 16, 8, TN_ISA_DEF), tn_arm64_vec(sum, 16, 8, TN_ISA_USE),
             tn_isa_number(32));
  for (int i = 1; i < 3; i++) tn_arm64_2(x, TN_ARM64_XTN, tn_arm64_vec(part[i], 8, 4, TN_ISA_DEF),
                                         tn_arm64_vec(i == 1 ? a : b, 16, 8, TN_ISA_USE));
  tn_arm64_3(x, TN_ARM64_UMLAL, tn_arm64_vec(sum, 16, 8, TN_ISA_BOTH), tn_arm64_vec(part[1], 8, 4, TN_ISA_USE),
             tn_arm64_vec(part[2], 8, 4, TN_ISA_USE));
  tn_arm64_copy(x, TN_ISA_VEC, to, sum);
}

// ** arithmetic of vectors **

// Element by element, what vectors have no instruction for: divisions, and integers of 64 bits as f32, which are
// rounded once.
static void tn_arm64_each_lane(tn_arm64_select *x, const tiny_uop *u, int to) {
  const tiny_uop *s = u->src[0];
  const int element = tn_arm64_element(x, s), sign = tn_is_signed(s->dtype), wide = element == 8 ? 8 : 4;
  const int a = tn_arm64_value(x, s), b = u->nsrc > 1 ? tn_arm64_value(x, u->src[1]) : -1;
  const int get = element < 4 && sign ? TN_ARM64_SMOV : TN_ARM64_UMOV;
  tn_arm64_splat_to(x, to, 0, 8);
  for (int i = 0; i < tn_arm64_lanes(x, u); i++) {
    const int p = tn_arm64_new(x, TN_ISA_GPR), q = tn_arm64_new(x, TN_ISA_GPR), r = tn_arm64_new(x, TN_ISA_GPR);
    tn_arm64_2(x, get, tn_arm64_gpr(p, wide, TN_ISA_DEF), tn_arm64_lane(a, element, i, TN_ISA_USE));
    if (u->op == TINY_OP_CAST) {
      const int f = tn_arm64_new(x, TN_ISA_VEC);
      tn_arm64_2(x, sign ? TN_ARM64_SCVTF : TN_ARM64_UCVTF, tn_arm64_vec(f, 4, 0, TN_ISA_DEF),
          tn_arm64_gpr(p, 8, TN_ISA_USE));
      tn_arm64_2(x, TN_ARM64_INS, tn_arm64_lane(to, 4, i, TN_ISA_BOTH), tn_arm64_lane(f, 4, 0, TN_ISA_USE));
      continue;
    }
    tn_arm64_2(x, get, tn_arm64_gpr(q, wide, TN_ISA_DEF), tn_arm64_lane(b, element, i, TN_ISA_USE));
    tn_arm64_divide(x, u->op == TINY_OP_CMOD, sign, r, p, q, wide);
    tn_arm64_2(x, TN_ARM64_INS, tn_arm64_lane(to, element, i, TN_ISA_BOTH), tn_arm64_gpr(r, wide, TN_ISA_USE));
  }
}
static void tn_arm64_shift_lanes(tn_arm64_select *x, const tiny_uop *u, int to) {
  const tiny_uop *s = u->src[1];
  const int element = tn_arm64_element(x, u), nbytes = tn_arm64_nbytes(x, u), left = u->op == TINY_OP_SHL;
  const int sign = tn_is_signed(u->dtype), a = tn_arm64_value(x, u->src[0]);
  const tn_isa_operand d = tn_arm64_def(x, u, to), p = tn_arm64_arranged(a, nbytes, element, TN_ISA_USE);
  if (tn_arm64_is_splat(s)) {
    const int64_t n = s->src[0]->k & (8 * element - 1);
    if (!n) tn_arm64_copy(x, TN_ISA_VEC, to, a);
    else tn_arm64_3(x, left ? TN_ARM64_SHL : sign ? TN_ARM64_SSHR : TN_ARM64_USHR, d, p, tn_isa_number(n));
    return;
  }
  int by = tn_arm64_value(x, s);
  if (!left) {                             // to the right: as many negative to the left
    const int back = tn_arm64_new(x, TN_ISA_VEC);
    tn_arm64_2(x, TN_ARM64_NEG, tn_arm64_arranged(back, nbytes, element, TN_ISA_DEF),
               tn_arm64_arranged(by, nbytes, element, TN_ISA_USE));
    by = back;
  }
  tn_arm64_3(x, sign ? TN_ARM64_SSHL : TN_ARM64_USHL, d, p, tn_arm64_arranged(by, nbytes, element, TN_ISA_USE));
}
static void tn_arm64_bits_of_lanes(tn_arm64_select *x, int row, int to, int a, int b, int nbytes) {
  const int held = nbytes > 8 ? 16 : 8;
  tn_arm64_3(x, row, tn_arm64_vec(to, held, 1, TN_ISA_DEF), tn_arm64_vec(a, held, 1, TN_ISA_USE),
             tn_arm64_vec(b, held, 1, TN_ISA_USE));
}
// Of two sources, of vectors or floats.
static void tn_arm64_binary(tn_arm64_select *x, const tiny_uop *u, int to) {
  const tn_arm64_op *o = tn_arm64_op_of(u);
  const int is_float = tn_is_float(u->dtype), is_bool = u->dtype == TINY_BOOL;
  if (u->op == TINY_OP_SHL || u->op == TINY_OP_SHR) { tn_arm64_shift_lanes(x, u, to); return; }
  if (u->op == TINY_OP_CDIV || u->op == TINY_OP_CMOD) { tn_arm64_each_lane(x, u, to); return; }
  if (u->op == TINY_OP_MUL && tn_arm64_element(x, u) == 8 && !is_float) { tn_arm64_product(x, u, to); return; }
  if (o && o->bits) {
    const int element = tn_arm64_element(x, u);
    const int a = is_bool ? tn_arm64_mask(x, u->src[0], element) : tn_arm64_value(x, u->src[0]);
    const int b = is_bool ? tn_arm64_mask(x, u->src[1], element) : tn_arm64_value(x, u->src[1]);
    tn_arm64_bits_of_lanes(x, o->bits, to, a, b, tn_arm64_nbytes(x, u));
    return;
  }
  const int row = o && !is_bool ? (is_float ? o->floats : o->ints) : 0;
  if (!row) { tn_isa_refuse(x->c, "an operation of vectors"); return; }
  const tn_isa_operand a = tn_arm64_use(x, u->src[0]), b = tn_arm64_use(x, u->src[1]);
  tn_arm64_3(x, row, tn_arm64_def(x, u, to), a, b);
}
static void tn_arm64_unary(tn_arm64_select *x, const tiny_uop *u, int to) {
  const int is_float = tn_is_float(u->dtype);
  const int row = u->op == TINY_OP_SQRT ? TN_ARM64_FSQRT : u->op == TINY_OP_TRUNC ? TN_ARM64_FRINTZ :
                  is_float ? TN_ARM64_FNEG : TN_ARM64_NEG;
  const tn_isa_operand a = tn_arm64_use(x, u->src[0]);
  tn_arm64_2(x, row, tn_arm64_def(x, u, to), a);
  if (tn_arm64_class(u) == TN_ISA_GPR) tn_arm64_extend(x, u, to);
}

// ** comparisons, choices **

static void tn_arm64_not(tn_arm64_select *x, int to, int r, int nbytes) {
  const int held = nbytes > 8 ? 16 : 8;
  tn_arm64_2(x, TN_ARM64_MVN, tn_arm64_vec(to, held, 1, TN_ISA_DEF), tn_arm64_vec(r, held, 1, TN_ISA_USE));
}
// Lanes of 0 and -1: b > a, which nothing says of nan.
static void tn_arm64_compare_lanes(tn_arm64_select *x, const tiny_uop *u, int to) {
  const tiny_uop *s = u->src[0];
  const int element = tn_arm64_element(x, u), nbytes = tn_arm64_nbytes(x, u);
  if (s->dtype == TINY_BOOL) {             // x < y: not x, and y
    const int a = tn_arm64_mask(x, s, element), b = tn_arm64_mask(x, u->src[1], element);
    tn_arm64_bits_of_lanes(x, u->op == TINY_OP_LT ? TN_ARM64_BIC : TN_ARM64_EOR, to, u->op == TINY_OP_LT ? b : a,
                           u->op == TINY_OP_LT ? a : b, nbytes);
    if (u->op == TINY_OP_EQ) tn_arm64_not(x, to, to, nbytes);
    return;
  }
  const tn_isa_operand a = tn_arm64_use(x, s), b = tn_arm64_use(x, u->src[1]);
  const tn_isa_operand d = tn_arm64_arranged(to, nbytes, element, TN_ISA_DEF);
  const int is_float = tn_is_float(s->dtype);
  if (u->op == TINY_OP_LT)
    tn_arm64_3(x, is_float ? TN_ARM64_FCMGT : tn_is_unsigned(s->dtype) ? TN_ARM64_CMHI : TN_ARM64_CMGT, d, b, a);
  else tn_arm64_3(x, is_float ? TN_ARM64_FCMEQ : TN_ARM64_CMEQ, d, a, b);
  if (u->op == TINY_OP_NE && !x->inverted[u->seq]) tn_arm64_not(x, to, to, nbytes);
}
static void tn_arm64_compare(tn_arm64_select *x, const tiny_uop *u, int to) {
  if (u->lanes > 1) { tn_arm64_compare_lanes(x, u, to); return; }
  const int is_true = tn_arm64_compare_flags(x, u);
  tn_arm64_2(x, TN_ARM64_CSET, tn_arm64_gpr(to, 4, TN_ISA_DEF), tn_isa_number(is_true));
}
static void tn_arm64_where(tn_arm64_select *x, const tiny_uop *u, int to) {
  const tiny_uop *c = u->src[0];
  const int element = tn_arm64_element(x, u), held = tn_arm64_nbytes(x, u) > 8 ? 16 : 8,
      is_bool = u->dtype == TINY_BOOL;
  const tiny_uop *first = u->src[1 + x->inverted[c->seq]], *second = u->src[2 - x->inverted[c->seq]];
  const int yes = is_bool ? tn_arm64_mask(x, first, element) : tn_arm64_value(x, first);
  const int no = is_bool ? tn_arm64_mask(x, second, element) : tn_arm64_value(x, second);
  if (c->lanes > 1 && (to == yes || to == no)) {             // what is chosen otherwise goes there
    const int mask = tn_arm64_mask(x, c, element), kept = to == no;
    tn_arm64_3(x, kept ? TN_ARM64_BIT : TN_ARM64_BIF, tn_arm64_vec(to, held, 1, TN_ISA_BOTH),
               tn_arm64_vec(kept ? yes : no, held, 1, TN_ISA_USE), tn_arm64_vec(mask, held, 1, TN_ISA_USE));
    return;
  }
  const int chosen = tn_arm64_new(x, TN_ISA_VEC);
  if (c->lanes > 1) tn_arm64_copy(x, TN_ISA_VEC, chosen, tn_arm64_mask(x, c, element));
  else tn_arm64_lanes_of_bool(x, chosen, tn_arm64_value(x, c));
  tn_arm64_3(x, TN_ARM64_BSL, tn_arm64_vec(chosen, held, 1, TN_ISA_BOTH), tn_arm64_vec(yes, held, 1, TN_ISA_USE),
             tn_arm64_vec(no, held, 1, TN_ISA_USE));
  tn_arm64_copy(x, TN_ISA_VEC, to, chosen);
}

// ** conversions **

// By steps: to the width of the float, or by its width to that of the integer.
static void tn_arm64_cast_lanes(tn_arm64_select *x, const tiny_uop *u, int to) {
  const tiny_uop *s = u->src[0];
  const int from_float = tn_is_float(s->dtype), to_float = tn_is_float(u->dtype), b = tn_arm64_element(x, u);
  const int lanes = tn_arm64_lanes(x, u), sign = tn_is_signed(s->dtype);
  int a = tn_arm64_element(x, s), r = tn_arm64_value(x, s);
  if (s->dtype == TINY_BOOL) {             // -1 is 1
    const int one = tn_arm64_new(x, TN_ISA_VEC);
    r = tn_arm64_mask(x, s, a = b);
    tn_arm64_2(x, TN_ARM64_NEG, tn_arm64_arranged(one, lanes * a, a, TN_ISA_DEF),
        tn_arm64_arranged(r, lanes * a, a, TN_ISA_USE));
    r = one;
  }
  if (u->dtype == TINY_BOOL) { tn_isa_refuse(x->c, "a cast to bools"); return; }
  if (to_float && !from_float) {
    if (a == 8 && b == 4) { tn_arm64_each_lane(x, u, to); return; }
    r = tn_arm64_resized(x, r, a, b, sign);
    tn_arm64_2(x, sign || a < b || s->dtype == TINY_BOOL ? TN_ARM64_SCVTF : TN_ARM64_UCVTF, tn_arm64_def(x, u, to),
               tn_arm64_arranged(r, lanes * b, b, TN_ISA_USE));
    return;
  }
  while (from_float && a != (to_float || b > a ? b : a)) {                   // between floats: twice or half as wide
    const int next = to_float ? to : tn_arm64_new(x, TN_ISA_VEC), grows = a < b, other = grows ? 2 * a : a / 2;
    tn_arm64_2(x, grows ? TN_ARM64_FCVTL : TN_ARM64_FCVTN, tn_arm64_vec(next, grows ? 16 : 8, other, TN_ISA_DEF),
               tn_arm64_vec(r, grows ? 8 : 16, a, TN_ISA_USE));
    a = other;
    r = next;
  }
  if (from_float && !to_float) {
    const int whole = tn_arm64_new(x, TN_ISA_VEC), is_signed = tn_is_signed(u->dtype) || b < a;
    tn_arm64_2(x, is_signed ? TN_ARM64_FCVTZS : TN_ARM64_FCVTZU, tn_arm64_arranged(whole, lanes * a, a, TN_ISA_DEF),
               tn_arm64_arranged(r, lanes * a, a, TN_ISA_USE));
    r = whole;
  }
  tn_arm64_copy(x, TN_ISA_VEC, to, to_float ? r : tn_arm64_resized(x, r, a, b, sign));
}
static void tn_arm64_cast(tn_arm64_select *x, const tiny_uop *u, int to) {
  const tiny_uop *s = u->src[0];
  if (u->lanes > 1) { tn_arm64_cast_lanes(x, u, to); return; }
  const int to_float = tn_is_float(u->dtype), from_float = tn_is_float(s->dtype);
  const tn_isa_operand a = tn_arm64_use(x, s), d = tn_arm64_def(x, u, to);
  if (to_float && from_float) {
    if (s->dtype == u->dtype) tn_arm64_copy(x, TN_ISA_VEC, to, a.reg);
    else tn_arm64_2(x, TN_ARM64_FCVT, d, a);
  } else if (to_float) tn_arm64_2(x, tn_is_signed(s->dtype) ? TN_ARM64_SCVTF : TN_ARM64_UCVTF, d, a);
  else if (from_float) {
    tn_arm64_2(x, u->dtype == TINY_U32 || u->dtype == TINY_U64 ? TN_ARM64_FCVTZU : TN_ARM64_FCVTZS, d, a);
    tn_arm64_extend(x, u, to);
  } else {
    const int wider = tn_arm64_wide(u) == 8 && tn_arm64_wide(s) == 4;
    if (wider && tn_is_signed(s->dtype)) tn_arm64_2(x, TN_ARM64_SXTW, d, a);
    else tn_arm64_2(x, TN_ARM64_MOV, tn_arm64_gpr(to, wider || tn_arm64_wide(u) == 4 ? 4 : 8, TN_ISA_DEF),
                    tn_arm64_gpr(a.reg, wider || tn_arm64_wide(u) == 4 ? 4 : 8, TN_ISA_USE));
    tn_arm64_extend(x, u, to);
  }
}
static void tn_arm64_bitcast(tn_arm64_select *x, const tiny_uop *u, int to) {
  const tiny_uop *s = u->src[0];
  const int from = x->in_lane[s->seq] ? TN_ISA_VEC : tn_arm64_class(s), cls = tn_arm64_class(u);
  const int r = tn_arm64_value(x, s), nbytes = tn_arm64_nbytes(x, u);
  if (s->dtype == TINY_BOOL || u->dtype == TINY_BOOL || (from != cls && nbytes > 8)) {
    tn_isa_refuse(x->c, "a bitcast of bools");
  } else if (from == cls) {
    tn_arm64_copy(x, cls, to, r);
    if (cls == TN_ISA_GPR) tn_arm64_extend(x, u, to);
  } else if (cls == TN_ISA_VEC) {
    tn_arm64_2(x, TN_ARM64_FMOV, tn_arm64_vec(to, nbytes == 8 ? 8 : 4, 0, TN_ISA_DEF),
        tn_arm64_gpr(r, nbytes == 8 ? 8 : 4, TN_ISA_USE));
  } else {
    tn_arm64_2(x, TN_ARM64_FMOV, tn_arm64_gpr(to, nbytes == 8 ? 8 : 4, TN_ISA_DEF),
        tn_arm64_vec(r, nbytes == 8 ? 8 : 4, 0, TN_ISA_USE));
    tn_arm64_extend(x, u, to);
  }
}
#endif
