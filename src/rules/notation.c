// notation: the algebra that bodies of rules are written in. Macros, so that bodies read as formulas; t is the body's
// context. The room notation_end.c takes all of them back.
#ifndef TN_RULES_NOTATION
#define TN_RULES_NOTATION
#ifndef TINY_AMALGAMATED
#include "../ir/match.c"
#endif

// Constants: K an integer of x's dtype, N a number of x's dtype, B a bool, X an INDEX.
#define K(x, v)        tn_int(t, (x)->dtype, v)
#define N(x, v)        tn_number(t, (x)->dtype, v)
#define B(v)           tn_bool(t, v)
#define X(v)           tn_index(t, v)

#define op2(op, x, y)  tn_u2(t, op, x, y)
#define add(x, y)      tn_u2(t, TINY_OP_ADD, x, y)
#define sub(x, y)      tn_u2(t, TINY_OP_SUB, x, y)
#define mul(x, y)      tn_u2(t, TINY_OP_MUL, x, y)
#define fdiv(x, y)     tn_u2(t, TINY_OP_FDIV, x, y)
#define shl(x, y)      tn_u2(t, TINY_OP_SHL, x, y)
#define shr(x, y)      tn_u2(t, TINY_OP_SHR, x, y)
#define idiv(x, y)     tn_u2(t, TINY_OP_IDIV, x, y)
#define mod(x, y)      tn_u2(t, TINY_OP_MOD, x, y)
#define max_(x, y)     tn_u2(t, TINY_OP_MAX, x, y)
#define lt(x, y)       tn_u2(t, TINY_OP_LT, x, y)
#define ne(x, y)       tn_u2(t, TINY_OP_NE, x, y)
#define and_(x, y)     tn_u2(t, TINY_OP_AND, x, y)
#define or_(x, y)      tn_u2(t, TINY_OP_OR, x, y)
#define xor_(x, y)     tn_u2(t, TINY_OP_XOR, x, y)
#define not_(x)        tn_not(t, x)
#define where(p, x, y) tn_u3(t, TINY_OP_WHERE, p, x, y)
#define cast(x, d)     tn_cast(t, x, d)
#endif
