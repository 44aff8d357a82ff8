// code: the instructions of a kernel before they have registers, whatever the processor.
//
// In:  what a target's selection says. Out: a list, virtual registers, loops, labels, constants, places on the stack.
// Holds: a virtual register has one class; an operand says whether it is read, written or both; a register that is
//        written twice lives from the first to the last place. Negative registers are the processor's own: -1 - number.
//        What cannot be selected is said once, in `refused`; then nothing of the list is used.
#ifndef TN_ISA_CODE
#define TN_ISA_CODE
#ifndef TINY_AMALGAMATED
#include "address.c"
#include "../base/text.c"
#endif

enum { TN_ISA_CLASSES = 4 };               // of registers: general, vectors, masks, tiles
enum { TN_ISA_GPR, TN_ISA_VEC, TN_ISA_MASK, TN_ISA_TILE };
enum { TN_ISA_USE = 1, TN_ISA_DEF = 2, TN_ISA_BOTH = 3 };
enum { TN_ISA_NONE, TN_ISA_REG, TN_ISA_MEM, TN_ISA_POOL, TN_ISA_FRAME, TN_ISA_NUMBER, TN_ISA_LABEL };   // operands
enum { TN_ISA_NO_REG = INT32_MIN };
enum { TN_ISA_PLACE = 0xFFFF };            // op: a label stands here

typedef struct tn_isa_operand {
  uint8_t kind, role, nbytes, cls, scale, wide;              // wide: bytes of an index that is a vector
  int32_t reg, index;                      // index: of memory, TN_ISA_NO_REG: none
  int64_t imm;                             // number, displacement, offset in the pool or frame, label
} tn_isa_operand;
typedef struct tn_isa_ins {
  uint16_t op; uint8_t n, broadcast, zero;
  int32_t mask;                            // of lanes, TN_ISA_NO_REG: none
  tn_isa_operand o[4];
} tn_isa_ins;

// slot: in the frame, -1: none; hint: a register that it is copied from or to; fixed: the instruction that makes it of
// numbers alone, wherever it is wanted, -1: none; use, nuse, stores: of registers.c, uses, and how often it is written
typedef struct tn_isa_vreg {
  uint8_t cls; int8_t phys; int32_t slot, hint, fixed, use, nuse, piece; double stores;
} tn_isa_vreg;
typedef struct tn_isa_loop { int begin, end, times; } tn_isa_loop;           // times: of its body, 0: not known
// of the frame; end: of the last range in it
typedef struct tn_isa_slot { int32_t at, end, cls; } tn_isa_slot;

enum { TN_ISA_MOST_REGS = 32 };
// Bytes of a frame: LOCAL memory (TN_STACK_NBYTES) and what is spilled, on a thread whose stack may have 64 KiB, as
// tests/test_frames.py adds it up.
enum { TN_ISA_FRAME_MOST = 20 << 10 };
typedef struct tn_isa_code {
  tiny_ctx *t;
  const char *refused;                     // NULL: all of it could be selected
  tn_isa_ins *ins; int n, cap;
  tn_isa_vreg *vreg; int nvreg, capvreg;
  tn_isa_loop *loop; int nloop, caploop;
  tn_isa_slot *slot; int nslot, capslot;
  int labels; int64_t frame;               // bytes of the frame so far
  tiny_bytes pool;                         // constants
  uint32_t used[TN_ISA_CLASSES];           // registers that are written, a bit each
} tn_isa_code;

// ** what a processor's rooms tell of it; a function that is NULL is not asked **

// Of a class: registers in the order they are given out; none is while the list names it. slot_nbytes 0: no spills.
typedef struct tn_isa_class { uint8_t n, reg[TN_ISA_MOST_REGS], slot_nbytes; } tn_isa_class;
typedef struct tn_isa_target {
  tn_isa_class cls[TN_ISA_CLASSES];
  int (*moves)(const tn_isa_ins *ins);     // is it a plain copy of o[1] to o[0]?
  tn_isa_ins (*spill)(int cls, int reg, int64_t slot, int load);
  // Does it make o[0], which it does not read, of numbers, constants and places of the frame alone? NULL: not known.
  int (*fixed)(const tn_isa_ins *ins);
  int (*takes)(const tn_isa_ins *ins);     // is there such an instruction, of any registers? NULL: not known
  int (*pure)(const tn_isa_ins *ins);      // reads it nothing but registers, no flags, and writes o[0]? NULL: not known
} tn_isa_target;

static void tn_isa_refuse(tn_isa_code *c, const char *why) { if (!c->refused) c->refused = why; }
static void tn_isa_refuse_ins(tn_isa_code *c, const char *name) {            // which selection has written
  if (!c->refused) c->refused = tn_text_of_format(c->t, "%s is no instruction with these operands", name);
}

// What no selection knows of a list that is well formed: a scalar that stands for all lanes of a vector beside it,
// lanes of an INDEX that have one element, and REG memory by other lanes than it has. NULL: there is none of it.
static const char *tn_isa_unknown(const tiny_uop *u) {
  const int reaches = u->op == TINY_OP_LOAD || u->op == TINY_OP_STORE;
  if (reaches && tn_is_reg(u->src[0]->src[0])) {
    const tiny_uop *value = u->op == TINY_OP_STORE ? u->src[1] : u;
    return value->lanes != tn_memory_behind(u->src[0]->src[0])->lanes ? "REG memory by other lanes" : NULL;
  }
  if (u->op == TINY_OP_INDEX) return u->lanes != u->src[1]->lanes ? "lanes of an INDEX that have one element" : NULL;
  const uint32_t first = u->op == TINY_OP_WHERE;             // one condition may choose all lanes
  for (uint32_t i = first; i < u->nsrc && tn_op_is_elementwise(u->op) && !tn_regroups(u); i++)
    if (u->src[i]->lanes != u->lanes) return "a scalar among vectors";
  return NULL;
}
static void tn_isa_look_over(tn_isa_code *c, const tiny_listing *k) {
  for (int i = 0; i < k->n && !c->refused; i++) c->refused = tn_isa_unknown(k->list[i]);
}

static int tn_isa_vreg_new(tn_isa_code *c, int cls) {
  tn_isa_vreg *v = TN_PUSH(c->t, c->vreg, c->nvreg, c->capvreg, tn_isa_vreg);
  memset(v, 0, sizeof *v);
  v->cls = (uint8_t)cls; v->phys = -1; v->slot = v->hint = v->fixed = -1;
  return c->nvreg - 1;
}
static tn_isa_ins *tn_isa_add(tn_isa_code *c, int op) {
  tn_isa_ins *i = TN_PUSH(c->t, c->ins, c->n, c->cap, tn_isa_ins);
  memset(i, 0, sizeof *i);
  i->op = (uint16_t)op; i->mask = TN_ISA_NO_REG;
  return i;
}

// ** operands **

static tn_isa_operand tn_isa_reg(int cls, int reg, int nbytes, int role) {
  tn_isa_operand o;
  memset(&o, 0, sizeof o);
  o.kind = TN_ISA_REG; o.role = (uint8_t)role; o.nbytes = (uint8_t)nbytes; o.cls = (uint8_t)cls;
  o.reg = reg; o.index = TN_ISA_NO_REG; o.scale = 1;
  return o;
}
static tn_isa_operand tn_isa_at(int kind, int nbytes, int64_t imm) {
  tn_isa_operand o = tn_isa_reg(TN_ISA_GPR, TN_ISA_NO_REG, nbytes, 0);
  o.kind = (uint8_t)kind; o.imm = imm;
  return o;
}
static tn_isa_operand tn_isa_number(int64_t v) { return tn_isa_at(TN_ISA_NUMBER, 0, v); }

// The registers that an instruction names; a mask may be spent by what it is for.
enum { TN_ISA_NAMES = 9 };
typedef struct tn_isa_name { int32_t cls, reg, role; } tn_isa_name;
static int tn_isa_names(const tn_isa_ins *ins, tn_isa_name out[TN_ISA_NAMES]) {
  int n = 0;
  for (int k = 0; k < ins->n; k++) {
    const tn_isa_operand *o = &ins->o[k];
    const tn_isa_name reg = {o->cls, o->reg, o->role}, base = {TN_ISA_GPR, o->reg, TN_ISA_USE};
    const tn_isa_name index = {o->cls, o->index, TN_ISA_USE};
    if (o->kind != TN_ISA_REG && o->kind != TN_ISA_MEM) continue;
    if (o->reg != TN_ISA_NO_REG) out[n++] = o->kind == TN_ISA_REG ? reg : base;
    if (o->kind == TN_ISA_MEM && o->index != TN_ISA_NO_REG) out[n++] = index;
  }
  const tn_isa_name mask = {TN_ISA_MASK, ins->mask, TN_ISA_USE};
  if (ins->mask != TN_ISA_NO_REG) out[n++] = mask;
  return n;
}

// The place of these bytes among the constants, which a size of theirs divides.
static int64_t tn_isa_constant(tn_isa_code *c, const void *data, size_t nbytes) {
  for (size_t at = 0; at + nbytes <= c->pool.n; at += nbytes)
    if (!memcmp(c->pool.data + at, data, nbytes)) return (int64_t)at;
  static const char zeros[64] = {0};
  if (c->pool.n % nbytes) tiny_bytes_add(&c->pool, zeros, nbytes - c->pool.n % nbytes);
  tiny_bytes_add(&c->pool, data, nbytes);
  return (int64_t)(c->pool.n - nbytes);
}
static int64_t tn_isa_frame(tn_isa_code *c, int64_t nbytes) {
  const int64_t align = nbytes < 8 ? 8 : nbytes > 64 ? 64 : nbytes;
  const int64_t at = (c->frame + align - 1) / align * align;
  c->frame = at + nbytes;
  return at;
}
#endif
