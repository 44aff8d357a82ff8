// arm64_object: the list of a kernel -> an object file of arm64, by way of arm64_select.c and registers.c.
//
// In:  a tiny_listing. Out: a relocatable ELF64 object with one function, as runtime/elf.c loads it: code, then
//      constants, which it reaches relative to its own place; or why there is none.
// The frame: x29 is the caller's stack, below it sp: temporaries, spilled registers, LOCAL memory, and what AAPCS64
// wants to be kept (6.1: x19 to x28, the low halves of v8 to v15). x18 is the system's on macOS and Windows, and nobody
// gets it. Places in the frame that an instruction does not reach go by x16.
// Not here: code or constants farther than a conditional branch reaches, 1 MiB.
#ifndef TN_ISA_ARM64_OBJECT
#define TN_ISA_ARM64_OBJECT
#ifndef TINY_AMALGAMATED
#include "arm64_text.c"
#include "arm64_peephole.c"
#include "registers.c"
#include "object.c"
#endif

static tn_isa_ins tn_arm64_spill(int cls, int reg, int64_t slot, int load) {
  tn_isa_ins i;
  memset(&i, 0, sizeof i);
  i.op = (uint16_t)(load ? TN_ARM64_LDR : TN_ARM64_STR); i.n = 2; i.mask = TN_ISA_NO_REG;
  i.o[0] = cls == TN_ISA_VEC ? tn_arm64_vec(reg, 16, 0, 0) : tn_arm64_gpr(reg, 8, 0);
  i.o[1] = tn_isa_at(TN_ISA_FRAME, cls == TN_ISA_VEC ? 16 : 8, slot);
  return i;
}
// Does it make o[0] of numbers, constants and places of the frame alone?
static int tn_arm64_fixed(const tn_isa_ins *i) {
  const int makes = i->op == TN_ARM64_MOVZ || i->op == TN_ARM64_MOVN || i->op == TN_ARM64_ORR ||
      i->op == TN_ARM64_MOVI ||
      i->op == TN_ARM64_FMOV || i->op == TN_ARM64_LDR || i->op == TN_ARM64_ADD;
  if (!makes || i->o[0].role != TN_ISA_DEF) return 0;
  for (int k = 1; k < i->n; k++) {
    const tn_isa_operand *o = &i->o[k];
    const int zero = o->kind == TN_ISA_REG && o->reg == -1 - TN_ARM64_ZR;
    if (!zero && o->kind != TN_ISA_NUMBER && o->kind != TN_ISA_POOL && o->kind != TN_ISA_FRAME) return 0;
  }
  return 1;
}
#ifndef TN_ARM64_REGS_GENERAL              // test builds make them few
  #define TN_ARM64_REGS_GENERAL 28
  #define TN_ARM64_REGS_VECTORS 32
#endif
static const tn_isa_target tn_arm64_target = {
  {{TN_ARM64_REGS_GENERAL, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 17, 14, 30,
       19, 20, 21, 22, 23, 24, 25, 26, 27, 28}, 8},
   {TN_ARM64_REGS_VECTORS, {0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
       8, 9, 10, 11, 12, 13, 14, 15}, 16},
   {0, {0}, 8}},
  tn_arm64_moves, tn_arm64_spill, tn_arm64_fixed, NULL, NULL
};
enum { TN_ARM64_KEPT = 0x1FF80000, TN_ARM64_KEPT_VECTORS = 0xFF00, TN_ARM64_FRAME_KEPT = 10 * 8 + 8 * 8,
  TN_ARM64_X16 = 16, TN_ARM64_X29 = 29, TN_ARM64_X30 = 30 };

// ** words **

typedef struct tn_arm64_writer {
  tn_isa_code *c; tiny_bytes code;
  int *place;                              // of labels: in the code
  tn_isa_fix *fix; int nfix, capfix;       // to a label; to a place among the constants, as -1 - place
} tn_arm64_writer;

static void tn_arm64_word(tn_arm64_writer *w, const tn_arm64_ins *x) {
  uint32_t word;
  if (tn_arm64_encode(x, &word)) { tiny_bytes_add(&w->code, &word, 4); return; }
  tn_isa_refuse_ins(w->c, tn_arm64_rows[x->op].name);
}
static void tn_arm64_word_of(tn_arm64_writer *w, int op, int n, tn_arm64_operand a, tn_arm64_operand b,
    tn_arm64_operand d) {
  tn_arm64_ins x;
  memset(&x, 0, sizeof x);
  x.op = (uint16_t)op; x.n = (uint8_t)n; x.o[0] = a; x.o[1] = b; x.o[2] = d;
  tn_arm64_word(w, &x);
}
static tn_arm64_operand tn_arm64_whole(int reg) { return tn_arm64_register(TN_ARM64_GPR, reg, 8, 0); }
// A number that is not negative to x16.
static void tn_arm64_word_number(tn_arm64_writer *w, int64_t v) {
  const tn_arm64_operand x16 = tn_arm64_whole(TN_ARM64_X16);
  tn_arm64_word_of(w, TN_ARM64_MOVZ, 2, x16, tn_arm64_number(v & 0xFFFF, 0), x16);
  if (v >> 16) tn_arm64_word_of(w, TN_ARM64_MOVK, 2, x16, tn_arm64_number(v >> 16 & 0xFFFF, 16), x16);
}
// to = from + v, of sp and others.
static void tn_arm64_word_sum(tn_arm64_writer *w, int op, int to, int from, int64_t v) {
  tn_arm64_operand by = tn_arm64_number(v, 0);
  if (v >= 4096 && v & 4095) {
    tn_arm64_word_number(w, v);
    by = tn_arm64_whole(TN_ARM64_X16);
    by.shift = TN_ARM64_BY_UXTX;
  }
  tn_arm64_word_of(w, op, 3, tn_arm64_whole(to), tn_arm64_whole(from), by);
}

static tn_arm64_operand tn_arm64_real(const tn_isa_operand *o) {
  tn_arm64_operand r;
  memset(&r, 0, sizeof r);
  switch (o->kind) {
    case TN_ISA_REG:
      r.kind = (uint8_t)(o->cls == TN_ISA_GPR ? TN_ARM64_GPR : o->scale ? TN_ARM64_VEC : TN_ARM64_VLANE);
      r.nbytes = o->nbytes; r.reg = (uint8_t)o->reg;
      if (o->cls == TN_ISA_GPR) { r.shift = o->wide; r.amount = o->scale; }
      else { r.element = o->wide; r.lane = o->scale ? 0 : (uint8_t)o->imm; }
      return r;
    case TN_ISA_NUMBER:
      r.kind = TN_ARM64_IMM; r.imm = o->imm; r.amount = o->scale & 0xF8;     // 1: none
      return r;
    case TN_ISA_LABEL: case TN_ISA_POOL: r.kind = TN_ARM64_IMM; return r;
    default: break;
  }
  r.kind = TN_ARM64_MEM; r.imm = o->imm; r.index = TN_ARM64_NO_REG; r.reg = TN_ARM64_SP;
  if (o->kind == TN_ISA_FRAME) return r;
  r.reg = (uint8_t)o->reg;
  r.mode = o->role;                        // as arm64_peephole.c says
  if (o->index != TN_ISA_NO_REG) { r.index = (uint8_t)o->index; r.shift = o->wide; r.amount = o->scale; }
  return r;
}
static void tn_arm64_write(tn_arm64_writer *w, const tn_isa_ins *ins) {
  tn_arm64_ins x;
  if (ins->op == TN_ISA_PLACE) { w->place[ins->o[0].imm] = (int)w->code.n; return; }
  memset(&x, 0, sizeof x);
  x.op = ins->op; x.n = ins->n;
  for (int i = 0; i < ins->n; i++) {
    const tn_isa_operand *o = &ins->o[i];
    x.o[i] = tn_arm64_real(o);
    if (o->kind == TN_ISA_FRAME && ins->op == TN_ARM64_ADD) {                // a place's address
      tn_arm64_word_sum(w, TN_ARM64_ADD, ins->o[0].reg, TN_ARM64_SP, o->imm);
      return;
    }
    if (o->kind == TN_ISA_FRAME && o->imm / o->nbytes >= 4096) {
      tn_arm64_word_number(w, o->imm);
      x.o[i].imm = 0; x.o[i].index = TN_ARM64_X16; x.o[i].shift = TN_ARM64_BY_UXTX;
    }
    if (o->kind == TN_ISA_LABEL || o->kind == TN_ISA_POOL) {
      tn_isa_fix *f = TN_PUSH(w->c->t, w->fix, w->nfix, w->capfix, tn_isa_fix);
      f->at = f->end = (int)w->code.n;
      f->to = o->kind == TN_ISA_LABEL ? o->imm : -1 - o->imm;
    }
  }
  tn_arm64_word(w, &x);
}

// ** the function **

static tn_arm64_operand tn_arm64_stack_at(int base, int mode, int64_t v) {
  tn_arm64_operand o = tn_arm64_register(TN_ARM64_MEM, base, 0, 0);
  o.index = TN_ARM64_NO_REG; o.mode = (uint8_t)mode; o.imm = v;
  return o;
}
// What the convention wants kept goes to below x29, pair by pair, or comes back from there.
static void tn_arm64_keep(tn_arm64_writer *w, int load) {
  static const uint32_t kept[2] = {TN_ARM64_KEPT, TN_ARM64_KEPT_VECTORS};
  int64_t at = 0;
  for (int cls = TN_ISA_GPR; cls <= TN_ISA_VEC; cls++) for (int r = 0; r < 32; r++) {
    const uint32_t mine = kept[cls] & w->c->used[cls];
    if (!(mine >> r & 1)) continue;
    int next = r + 1;
    while (next < 32 && !(mine >> next & 1)) next++;
    const int kind = cls == TN_ISA_VEC ? TN_ARM64_VEC : TN_ARM64_GPR, pair = next < 32;
    const tn_arm64_operand a = tn_arm64_register(kind, r, 8, 0), b = tn_arm64_register(kind, next & 31, 8, 0);
    const tn_arm64_operand o = tn_arm64_stack_at(TN_ARM64_X29, TN_ARM64_OFFSET, at -= pair ? 16 : 8);
    if (pair) tn_arm64_word_of(w, load ? TN_ARM64_LDP : TN_ARM64_STP, 3, a, b, o);
    else tn_arm64_word_of(w, load ? TN_ARM64_LDUR : TN_ARM64_STUR, 2, a, o, o);
    r = next;
  }
}
static void tn_arm64_pair(tn_arm64_writer *w, int op, int mode, int64_t v) {   // x29 and x30
  tn_arm64_word_of(w, op, 3, tn_arm64_whole(TN_ARM64_X29), tn_arm64_whole(TN_ARM64_X30),
                   tn_arm64_stack_at(TN_ARM64_SP, mode, v));
}
// Nothing is kept, and nothing is in the frame.
static int tn_arm64_is_bare(const tn_isa_code *c) {
  return !c->frame && !(c->used[TN_ISA_GPR] & (TN_ARM64_KEPT | 1u << TN_ARM64_X30)) &&
      !(c->used[TN_ISA_VEC] & TN_ARM64_KEPT_VECTORS);
}
// A frame is touched page by page: on Windows a page of the stack is there once the one above has been touched, and no
// guard page is jumped over anywhere.
static void tn_arm64_enter(tn_arm64_writer *w, int64_t frame) {
  const int64_t page = 4096;
  tn_arm64_pair(w, TN_ARM64_STP, TN_ARM64_BEFORE, -16);
  tn_arm64_word_sum(w, TN_ARM64_ADD, TN_ARM64_X29, TN_ARM64_SP, 0);
  for (; frame > page; frame -= page) {
    const tn_arm64_operand at = tn_arm64_stack_at(TN_ARM64_SP, TN_ARM64_OFFSET, 0);
    tn_arm64_word_sum(w, TN_ARM64_SUB, TN_ARM64_SP, TN_ARM64_SP, page);
    tn_arm64_word_of(w, TN_ARM64_STR, 2, tn_arm64_whole(TN_ARM64_ZR), at, at);
  }
  if (frame) tn_arm64_word_sum(w, TN_ARM64_SUB, TN_ARM64_SP, TN_ARM64_SP, frame);
}
static int tn_arm64_patch(tn_arm64_writer *w, const tn_isa_fix *f, int64_t to) {
  tn_arm64_ins x;
  uint32_t word;
  memcpy(&word, w->code.data + f->at, 4);
  if (!tn_arm64_decode(word, &x)) return 0;
  x.o[x.n - 1].imm = to - f->end;
  if (!tn_arm64_encode(&x, &word)) return 0;
  memcpy(w->code.data + f->at, &word, 4);
  return 1;
}
static const char *tn_arm64_write_all(tn_arm64_writer *w) {
  tn_isa_code *c = w->c;
  const int bare = tn_arm64_is_bare(c);
  int reaches = 1;
  w->place = (int *)tn_scratch(c->t, ((size_t)c->labels + 1) * sizeof(int));
  if (!bare) {
    tn_arm64_enter(w, (c->frame + 15) / 16 * 16 + TN_ARM64_FRAME_KEPT);
    tn_arm64_keep(w, 0);
  }
  for (int i = 0; i < c->n; i++) tn_arm64_write(w, &c->ins[i]);
  if (!bare) {
    tn_arm64_keep(w, 1);
    tn_arm64_word_sum(w, TN_ARM64_ADD, TN_ARM64_SP, TN_ARM64_X29, 0);
    tn_arm64_pair(w, TN_ARM64_LDP, TN_ARM64_AFTER, 16);
  }
  const tn_arm64_operand none = tn_arm64_number(0, 0);
  tn_arm64_word_of(w, TN_ARM64_RET, 0, none, none, none);
  if (c->refused || c->t->code != TINY_OK) return c->refused ? c->refused : c->t->message;
  static const char pad[64] = {0};
  if (w->code.n % 64) tiny_bytes_add(&w->code, pad, 64 - w->code.n % 64);
  const int64_t pool = (int64_t)w->code.n;
  if (c->pool.n) tiny_bytes_add(&w->code, c->pool.data, c->pool.n);
  for (int i = 0; i < w->nfix; i++) {
    const tn_isa_fix *f = &w->fix[i];
    reaches &= tn_arm64_patch(w, f, f->to < 0 ? pool - 1 - f->to : w->place[f->to]);
  }
  return reaches ? NULL : "its code is too long for its jumps";
}

// The lines of the code, for debug letter d.
static void tn_arm64_show(tiny_ctx *t, const char *name, const tiny_bytes *code, size_t n) {
  tn_log(t, "%s:", name);
  for (size_t at = 0; at + 4 <= n; at += 4) {
    tn_arm64_ins ins;
    uint32_t word;
    tiny_bytes line = {t, NULL, 0, 0};
    memcpy(&word, code->data + at, 4);
    if (!tn_arm64_decode(word, &ins)) break;
    tn_arm64_print(&line, &ins);
    tn_log(t, "  %4d  %s", (int)at, line.data);
  }
}

// Adds the object to out. NULL: it is there; else why not.
static const char *tn_arm64_object(tiny_ctx *t, const tiny_listing *k, const tn_arm64_level *level, tiny_bytes *out) {
  tn_isa_code c;
  tn_arm64_writer w;
  memset(&c, 0, sizeof c); memset(&w, 0, sizeof w);
  c.t = c.pool.t = w.code.t = t;
  w.c = &c;
  tn_isa_look_over(&c, k);
  if (!c.refused) tn_arm64_select_list(&c, k, level);
  if (!c.refused && t->code == TINY_OK) {
    tn_arm64_fuse_halves(&c);
    tn_arm64_pairs(&c, tn_arm64_reads(&c));
    tn_isa_allocate(&c, &tn_arm64_target);
    tn_arm64_join_accesses(&c);
  }
  if (!c.refused && c.frame + TN_ARM64_FRAME_KEPT > TN_ISA_FRAME_MOST) c.refused = "its frame is too large";
  if (c.refused) return c.refused;
  const char *why = t->code == TINY_OK ? tn_arm64_write_all(&w) : t->message;
  if (why) return why;
  if (tn_debug(t, 'd')) tn_arm64_show(t, k->name, &w.code, w.code.n - c.pool.n);
  tn_isa_elf(out, k->name, &w.code, TN_ELF_ARM64);
  return NULL;
}
#endif
