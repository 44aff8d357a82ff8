// x86_object: the list of a kernel -> an object file of x86-64, by way of x86_select.c and registers.c.
//
// In:  a tiny_listing. Out: a relocatable ELF64 object with one function, as runtime/elf.c loads it: code, then
//      constants, which it reaches relative to its own place, so that there is nothing to relocate; or why there is
// none. The frame: rbp is the caller's stack, rsp a multiple of 64: temporaries, spilled registers, LOCAL memory, and
// what the convention wants to be kept.
#ifndef TN_ISA_X86_OBJECT
#define TN_ISA_X86_OBJECT
#ifndef TINY_AMALGAMATED
#include "x86_text.c"
#include "x86_select.c"
#include "registers.c"
#include "object.c"
#endif

static tn_isa_ins tn_x86_moved(int op, int cls, int nbytes, int reg, int64_t slot, int load) {
  tn_isa_ins i;
  memset(&i, 0, sizeof i);
  i.op = (uint16_t)op; i.n = 2; i.mask = TN_ISA_NO_REG;
  i.o[!load] = tn_isa_reg(cls, reg, cls == TN_ISA_MASK ? 0 : nbytes, 0);
  i.o[load] = tn_isa_at(TN_ISA_FRAME, nbytes, slot);
  return i;
}
static tn_isa_ins tn_x86_spill_by(int cls, int reg, int64_t slot, int load, int vector, int nbytes) {
  return cls == TN_ISA_VEC ? tn_x86_moved(vector, cls, nbytes, reg, slot, load) :
      tn_x86_moved(cls == TN_ISA_GPR ? TN_X86_MOV : TN_X86_KMOVQ, cls, 8, reg, slot, load);
}
static tn_isa_ins tn_x86_spill_16(int cls, int reg, int64_t slot, int load) {
  return tn_x86_spill_by(cls, reg, slot, load, TN_X86_MOVUPS, 16);
}
static tn_isa_ins tn_x86_spill_32(int cls, int reg, int64_t slot, int load) {
  return tn_x86_spill_by(cls, reg, slot, load, TN_X86_VMOVUPS, 32);
}
static tn_isa_ins tn_x86_spill_64(int cls, int reg, int64_t slot, int load) {
  return tn_x86_spill_by(cls, reg, slot, load, TN_X86_VMOVUPS, 64);
}
// A constant or an address of the frame.
static int tn_x86_fixed(const tn_isa_ins *i) {
  if (i->n < 2 || i->mask != TN_ISA_NO_REG || i->o[0].kind != TN_ISA_REG || i->o[0].role != TN_ISA_DEF) return 0;
  for (int k = 1; k < i->n; k++) {
    const tn_isa_operand *o = &i->o[k];
    const int self = o->kind == TN_ISA_REG && !o->role, place = o->kind == TN_ISA_FRAME && i->op == TN_X86_LEA;
    if (!self && !place && o->kind != TN_ISA_NUMBER && o->kind != TN_ISA_POOL) return 0;
  }
  return 1;
}
// What has VEX or EVEX and no memory knows no flags, but for two that write nothing else.
static int tn_x86_pure(const tn_isa_ins *i) {
  static const uint16_t others[] = {TN_X86_MOVSXD, TN_X86_MOVSX, TN_X86_MOVZX, TN_X86_LEA};
  int pure = i->op != TN_ISA_PLACE && !(tn_x86_spaces(&tn_x86_rows[i->op]) & TN_X86_LEGACY);
  if (i->n < 2 || i->mask != TN_ISA_NO_REG || i->o[0].kind != TN_ISA_REG || i->o[0].role != TN_ISA_DEF) return 0;
  for (size_t k = 0; k < sizeof others / sizeof *others; k++) pure |= i->op == others[k];
  for (int k = 1; k < i->n; k++)
    if (i->o[k].kind == TN_ISA_FRAME || (i->o[k].kind == TN_ISA_MEM && i->op != TN_X86_LEA)) return 0;
  return pure;
}
static tn_x86_operand tn_x86_real(const tn_isa_operand *o) {
  static const uint8_t kinds[TN_ISA_CLASSES] = {TN_X86_GPR, TN_X86_VEC, TN_X86_MASKREG, TN_X86_TMM};
  tn_x86_operand r;
  memset(&r, 0, sizeof r);
  r.nbytes = o->nbytes; r.imm = o->imm;
  if (o->kind == TN_ISA_REG) { r.kind = kinds[o->cls]; r.reg = (uint8_t)o->reg; r.imm = 0; return r; }
  if (o->kind == TN_ISA_NUMBER) { r.kind = TN_X86_IMM; return r; }
  if (o->kind == TN_ISA_LABEL) { r.kind = TN_X86_IMM; r.imm = INT32_MAX; return r; }
  r.kind = TN_X86_MEM; r.index = TN_X86_NO_REG; r.scale = 1;
  if (o->kind == TN_ISA_POOL) { r.reg = TN_X86_RIP; r.imm = 0; return r; }
  if (o->kind == TN_ISA_FRAME) { r.reg = TN_X86_RSP; return r; }
  r.reg = (uint8_t)o->reg; r.scale = o->scale; r.wide = o->wide;
  if (o->index != TN_ISA_NO_REG) r.index = (uint8_t)o->index;
  else r.scale = 1;
  return r;
}
static tn_x86_ins tn_x86_real_ins(const tn_isa_ins *ins) {
  tn_x86_ins x;
  memset(&x, 0, sizeof x);
  x.op = ins->op; x.n = ins->n; x.broadcast = ins->broadcast;
  x.mask = (uint8_t)(ins->mask == TN_ISA_NO_REG ? 0 : ins->mask);
  for (int i = 0; i < ins->n; i++) x.o[i] = tn_x86_real(&ins->o[i]);
  return x;
}
static int tn_x86_is_there_64(const tn_isa_ins *ins) {
  const tn_x86_ins x = tn_x86_real_ins(ins);
  tn_x86_match m;
  return tn_x86_find(&x, &m);
}
// By EVEX alone vpsrld, say, takes memory.
static int tn_x86_is_there(const tn_isa_ins *ins) {
  const tn_x86_ins x = tn_x86_real_ins(ins);
  tn_x86_match m;
  return tn_x86_find(&x, &m) && m.space != TN_X86_EVEX;
}
#ifndef TN_X86_REGS_GENERAL                     // test builds make them few
  #define TN_X86_REGS_GENERAL 14
  #define TN_X86_REGS_VECTORS 32
  #define TN_X86_REGS_MASKS 7
#endif
// Registers by how many bytes a vector has. k0 is none: as a mask it selects all lanes.
#define TN_X86_AT_MOST(n, most) ((n) < (most) ? (n) : (most))
#define TN_X86_CLASS_GENERAL {TN_X86_REGS_GENERAL, {1, 6, 7, 8, 9, 2, 0, 10, 11, 3, 12, 13, 14, 15}, 8}
#define TN_X86_CLASS_MASKS   {TN_X86_REGS_MASKS, {1, 2, 3, 4, 5, 6, 7}, 8}
#define TN_X86_CLASS_TILES   {8, {0, 1, 2, 3, 4, 5, 6, 7}, 0}
#define TN_X86_CLASS_VECTORS(nbytes) \
  {TN_X86_AT_MOST(TN_X86_REGS_VECTORS, 16), {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, nbytes}
static const tn_isa_target tn_x86_target_16 = {
  {TN_X86_CLASS_GENERAL, TN_X86_CLASS_VECTORS(16), TN_X86_CLASS_MASKS},
  tn_x86_moves, tn_x86_spill_16, tn_x86_fixed, tn_x86_is_there, tn_x86_pure
};
static const tn_isa_target tn_x86_target_32 = {
  {TN_X86_CLASS_GENERAL, TN_X86_CLASS_VECTORS(32), TN_X86_CLASS_MASKS},
  tn_x86_moves, tn_x86_spill_32, tn_x86_fixed, tn_x86_is_there, tn_x86_pure
};
static const tn_isa_target tn_x86_target_64 = {
  {TN_X86_CLASS_GENERAL,
   {TN_X86_REGS_VECTORS, {0, 1, 2, 3, 4, 5, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
    6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, 64},
   TN_X86_CLASS_MASKS, TN_X86_CLASS_TILES},
  tn_x86_moves, tn_x86_spill_64, tn_x86_fixed, tn_x86_is_there_64, tn_x86_pure
};
#undef TN_X86_CLASS_VECTORS
#undef TN_X86_CLASS_TILES
#undef TN_X86_CLASS_MASKS
#undef TN_X86_CLASS_GENERAL
#undef TN_X86_AT_MOST
static const tn_isa_target *tn_x86_target_of(const tn_x86_level *l) {
  return l->nbytes == 64 ? &tn_x86_target_64 : l->nbytes == 32 ? &tn_x86_target_32 : &tn_x86_target_16;
}
#ifdef _WIN32
  enum { TN_X86_KEPT = 0xF0C8, TN_X86_KEPT_VECTORS = 0xFFC0 };               // rbx rsi rdi r12-15; xmm6-15
#else
  enum { TN_X86_KEPT = 0xF008, TN_X86_KEPT_VECTORS = 0 };    // rbx r12-15
#endif

enum { TN_X86_FRAME_KEPT = 16 * 8 + 16 * 16 };               // room for what is kept

// ** bytes **

typedef struct tn_x86_writer {
  tn_isa_code *c; const tn_x86_level *level; tiny_bytes code;
  int *place;                              // of labels: in the code
  tn_isa_fix *jump, *constant; int njump, capjump, nconstant, capconstant;
} tn_x86_writer;

static void tn_x86_to_fix(tiny_ctx *t, tn_isa_fix **list, int *n, int *cap, int at, int end, int64_t to) {
  tn_isa_fix *f = TN_PUSH(t, *list, *n, *cap, tn_isa_fix);
  f->at = at; f->end = end; f->to = to;
}
static void tn_x86_write_ins(tn_x86_writer *w, const tn_isa_ins *ins) {
  uint8_t bytes[TN_X86_LONGEST];
  tn_x86_ins x;
  if (ins->op == TN_ISA_PLACE) { w->place[ins->o[0].imm] = (int)w->code.n; return; }
  int immediates = 0;
  for (int i = 0; i < ins->n; i++)         // a fourth register is a byte, too
    immediates += ins->o[i].kind == TN_ISA_NUMBER || i == 3;
  x = tn_x86_real_ins(ins);
  const int n = tn_x86_encode(&x, bytes);
  if (!n) { tn_isa_refuse_ins(w->c, tn_x86_rows[ins->op].name); return; }
  tiny_bytes_add(&w->code, bytes, (size_t)n);
  for (int i = 0; i < ins->n; i++) {       // an immediate, of one byte, stands behind the displacement
    const tn_isa_operand *o = &ins->o[i];
    const int end = (int)w->code.n;
    if (o->kind == TN_ISA_LABEL) tn_x86_to_fix(w->c->t, &w->jump, &w->njump, &w->capjump, end - 4, end, o->imm);
    if (o->kind == TN_ISA_POOL)
      tn_x86_to_fix(w->c->t, &w->constant, &w->nconstant, &w->capconstant, end - 4 - immediates, end, o->imm);
  }
}

static void tn_x86_write_2(tn_x86_writer *w, int op, tn_isa_operand a, tn_isa_operand b) {
  tn_isa_ins i;
  memset(&i, 0, sizeof i);
  i.op = (uint16_t)op; i.n = 2; i.mask = TN_ISA_NO_REG; i.o[0] = a; i.o[1] = b;
  tn_x86_write_ins(w, &i);
}
static void tn_x86_write_1(tn_x86_writer *w, int op, int reg) {
  tn_isa_ins i;
  memset(&i, 0, sizeof i);
  i.op = (uint16_t)op; i.n = (uint8_t)(reg >= 0); i.mask = TN_ISA_NO_REG;
  if (reg >= 0) i.o[0] = tn_isa_reg(TN_ISA_GPR, reg, 8, 0);
  tn_x86_write_ins(w, &i);
}

// What the convention wants kept goes to the frame, or comes back from it.
static void tn_x86_keep(tn_x86_writer *w, int64_t at, int load) {
  for (int r = 0; r < 16; r++) if (TN_X86_KEPT >> r & 1 & (int)(w->c->used[TN_ISA_GPR] >> r)) {
    const tn_isa_ins i = tn_x86_spill_16(TN_ISA_GPR, r, at, load);
    tn_x86_write_ins(w, &i);
    at += 8;
  }
  for (int r = 0; r < 16; r++) if (TN_X86_KEPT_VECTORS >> r & 1 & (int)(w->c->used[TN_ISA_VEC] >> r)) {
    const int op = tn_x86_choose(w->level, TN_X86_DO_MOVE, TN_X86_V32);
    const tn_isa_ins i = tn_x86_moved(op, TN_ISA_VEC, 16, r, at, load);
    tn_x86_write_ins(w, &i);
    at += 16;
  }
}
static void tn_x86_patch(tn_x86_writer *w, const tn_isa_fix *f, int64_t to) {
  const int32_t v = (int32_t)(to - f->end);
  memcpy(w->code.data + f->at, &v, 4);
}

// A frame is touched step by step, each less than a page below what was touched before: a page of the stack is there
// once the one above has been touched (Microsoft, x64 stack usage), and no guard page is jumped over anywhere.
static void tn_x86_enter(tn_x86_writer *w, int64_t frame) {
  enum { STEP = 4096 - 64 };               // rsp may go down by 56 to be aligned
  const tn_isa_operand rsp = tn_isa_reg(TN_ISA_GPR, TN_X86_RSP, 8, 0), rbp = tn_isa_reg(TN_ISA_GPR, TN_X86_RBP, 8, 0);
  tn_x86_write_1(w, TN_X86_PUSH, TN_X86_RBP);
  tn_x86_write_2(w, TN_X86_MOV, rbp, rsp);
  tn_x86_write_2(w, TN_X86_AND, rsp, tn_isa_number(-64));
  for (; frame > STEP; frame -= STEP) {
    tn_x86_write_2(w, TN_X86_SUB, rsp, tn_isa_number(STEP));
    tn_x86_write_2(w, TN_X86_MOV, tn_isa_at(TN_ISA_FRAME, 8, 0), rbp);
  }
  tn_x86_write_2(w, TN_X86_SUB, rsp, tn_isa_number(frame));
}
static void tn_x86_write_all(tn_x86_writer *w) {
  tn_isa_code *c = w->c;
  const int64_t kept = (c->frame + 15) / 16 * 16, frame = (kept + TN_X86_FRAME_KEPT + 63) / 64 * 64;
  const tn_isa_operand rsp = tn_isa_reg(TN_ISA_GPR, TN_X86_RSP, 8, 0), rbp = tn_isa_reg(TN_ISA_GPR, TN_X86_RBP, 8, 0);
  w->place = (int *)tn_scratch(c->t, ((size_t)c->labels + 1) * sizeof(int));
  tn_x86_enter(w, frame);
  tn_x86_keep(w, kept, 0);
  for (int i = 0; i < c->n; i++) tn_x86_write_ins(w, &c->ins[i]);
  tn_x86_keep(w, kept, 1);
  if (c->used[TN_ISA_TILE]) tn_x86_write_1(w, TN_X86_TILERELEASE, -1);
  if (c->used[TN_ISA_VEC] && tn_x86_level_has(w->level, TN_X86_VZEROUPPER)) tn_x86_write_1(w, TN_X86_VZEROUPPER, -1);
  tn_x86_write_2(w, TN_X86_MOV, rsp, rbp);
  tn_x86_write_1(w, TN_X86_POP, TN_X86_RBP);
  tn_x86_write_1(w, TN_X86_RET, -1);
  if (c->refused || c->t->code != TINY_OK) return;
  static const char pad[64] = {0};
  if (w->code.n % 64) tiny_bytes_add(&w->code, pad, 64 - w->code.n % 64);
  const int64_t pool = (int64_t)w->code.n;
  if (c->pool.n) tiny_bytes_add(&w->code, c->pool.data, c->pool.n);
  for (int i = 0; i < w->njump; i++) tn_x86_patch(w, &w->jump[i], w->place[w->jump[i].to]);
  for (int i = 0; i < w->nconstant; i++) tn_x86_patch(w, &w->constant[i], pool + w->constant[i].to);
}

// The lines of the code, for debug letter d.
static void tn_x86_show(tiny_ctx *t, const char *name, const tiny_bytes *code, size_t n) {
  tn_log(t, "%s:", name);
  for (size_t at = 0; at < n;) {
    tn_x86_ins ins;
    tiny_bytes line = {t, NULL, 0, 0};
    const int took = tn_x86_decode((const uint8_t *)code->data + at, n - at, &ins);
    if (!took) break;
    tn_x86_print(&line, &ins, took);
    tn_log(t, "  %4d  %s", (int)at, line.data);
    at += (size_t)took;
  }
}

// Adds the object to out. NULL: it is there; else why not.
static const char *tn_x86_object(tiny_ctx *t, const tiny_listing *k, const tn_x86_level *level, tiny_bytes *out) {
  tn_isa_code c;
  tn_x86_writer w;
  memset(&c, 0, sizeof c); memset(&w, 0, sizeof w);
  c.t = c.pool.t = w.code.t = t;
  w.c = &c; w.level = level;
  tn_isa_look_over(&c, k);
  if (!c.refused) tn_x86_select_list(&c, k, level);
  if (!c.refused) tn_isa_allocate(&c, tn_x86_target_of(level));
  if (!c.refused && c.frame + TN_X86_FRAME_KEPT > TN_ISA_FRAME_MOST) c.refused = "its frame is too large";
  if (c.refused) return c.refused;
  tn_x86_write_all(&w);
  if (c.refused || t->code != TINY_OK) return c.refused ? c.refused : t->message;
  if (!TN_RUNS_ONLY && tn_debug(t, 'd')) tn_x86_show(t, k->name, &w.code, w.code.n - c.pool.n);
  tn_isa_elf(out, k->name, &w.code, TN_ELF_X86);
  return NULL;
}
#endif
