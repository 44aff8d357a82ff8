// amd_list: the machine instructions of a kernel on their way from selection to bytes.
//
// In:  what selection says: operations of amd_table.c, operands, labels. Out: a list that passes take, in the order
//      that amd_generate.c has.
// Holds: registers from TN_AMD_VIRTUAL on are virtual: a virtual register is a tuple of up to 32 dwords, of which an
//        operand names `dwords` from dword `sub` on. Before amd_waits.c a result is there at once. Conditions are masks
//        of a wave's lanes in scalar registers, whose bits mean nothing for lanes that are not in EXEC.
//        What cannot be selected is said once, in `refused`; then nothing of the list is used.
#ifndef TN_ISA_AMD_LIST
#define TN_ISA_AMD_LIST
#ifndef TINY_AMALGAMATED
#include "amd_operands.c"
#include "../ir/listing.c"
#endif

enum { TN_AMD_VIRTUAL = 1024, TN_AMD_MOST_VIRTUAL = 64000, TN_AMD_MOST_TUPLE = 32, TN_AMD_ROOM = 1 << 16,
  TN_AMD_ROOM_PART = 4 };                  // of the room that is for lines at first

// kind: of registers, TN_AMD_VGPR, TN_AMD_SGPR or TN_AMD_AGPR; fixed: where its first dword has to be, -1: anywhere;
// hint: a virtual register whose dword `at` its first one had best be, -1: none; reg: where it is, -1: not known yet
typedef struct tn_amd_vreg { uint8_t kind, dwords, at; int16_t fixed, reg; int32_t hint; } tn_amd_vreg;

// What stands in a list. COPY: o[0] = o[1], as many dwords, of registers of any kinds, or of a constant, whose dwords
// are all the same. LOOP .. LOOP_END: what is executed again and again, by a branch in front of LOOP_END to a label
// behind LOOP; it is entered and left there alone, or by a branch to a label behind LOOP_END.
enum { TN_AMD_LINE_INS, TN_AMD_LINE_COPY, TN_AMD_LINE_LABEL, TN_AMD_LINE_LOOP, TN_AMD_LINE_LOOP_END };
// label: which, or where a branch goes to; of an access: memory: 1 + the slot of a PARAM, TN_AMD_OF_LDS + the id of a
// DEFINE, TN_AMD_OF_SCRATCH; 0: any; index: by which it is reached, NULL: not known; align: its place is a multiple of
// as many bytes, 0: not known; times: of a LOOP, 0: not known
enum { TN_AMD_OF_LDS = 1 << 16, TN_AMD_OF_SCRATCH = 1 << 24 };
typedef struct tn_amd_line {
  tn_amd_ins ins; uint8_t kind, align; int32_t label, memory, times; const tiny_uop *index;
} tn_amd_line;

typedef struct tn_amd_list {
  tiny_ctx *t; const tn_amd_chip *chip; int family, mask;    // mask: dwords of one
  const char *refused;                     // NULL: all of it could be selected
  tn_amd_line *line; int n, cap;
  tn_amd_vreg *vreg; int nvreg, vregcap;
  int labels, items;                       // items: of a group
  tn_amd_setup setup;                      // what the kernel needs, as far as it is known
  tn_amd_line *spare; int spare_cap;       // lines that a pass had, for the next one
  char *room; size_t room_begin, room_end; // memory that is free
} tn_amd_list;

static void tn_amd_list_refuse(tn_amd_list *l, const char *why) { if (!l->refused) l->refused = why; }

// ** memory of one call, by what everyone may call **

// n elements of zeros; NULL: refused, which the context tells.
static void *tn_amd_scratch(tiny_ctx *t, size_t n, size_t each) {
  tiny_bytes b = {t, NULL, 0, 0};
  const size_t nbytes = n * each + 16;
  tiny_bytes_add(&b, NULL, nbytes);
  return b.n >= nbytes ? b.data : NULL;
}
// Room of a list, as it was left: what stays with the list comes from its end, what one pass needs from its begin.
static char *tn_amd_room_of(tn_amd_list *l, size_t nbytes, int stays) {
  const size_t all = (nbytes + 15) / 16 * 16;
  if (!l->room || l->room_end - l->room_begin < all) {
    const size_t more = all > (size_t)TN_AMD_ROOM ? all : (size_t)TN_AMD_ROOM;
    char *const room = (char *)tn_amd_scratch(l->t, more, 1);
    if (!room) { tn_amd_list_refuse(l, "there is no memory for it"); return NULL; }
    l->room = room; l->room_begin = 0; l->room_end = more;
  }
  if (stays) return l->room + (l->room_end -= all);
  l->room_begin += all;
  return l->room + l->room_begin - all;
}
// n elements of zeros until tn_amd_pass_ends; NULL: refused.
static void *tn_amd_room(tn_amd_list *l, size_t n, size_t each) {
  char *const room = tn_amd_room_of(l, n * each, 0);
  return room ? memset(room, 0, n * each) : NULL;
}
static void tn_amd_pass_ends(tn_amd_list *l) { l->room_begin = 0; }
// An array of n elements that has room for one more; NULL: refused. stays: behind the pass, too.
static void *tn_amd_grown_in(tn_amd_list *l, void *array, int n, int *cap, size_t each, int stays) {
  if (n < *cap) return array;
  char *const more = tn_amd_room_of(l, (2 * (size_t)*cap + 64) * each, stays);
  if (!more) return NULL;
  if (n) memcpy(more, array, (size_t)n * each);
  *cap = 2 * *cap + 64;
  return more;
}
static void *tn_amd_grown(tn_amd_list *l, void *array, int n, int *cap, size_t each) {
  return tn_amd_grown_in(l, array, n, cap, each, 0);
}
// Lines that a pass writes anew: those of the list before, where there are as many; and the list's, when it is done.
static tn_amd_line *tn_amd_other_lines(tn_amd_list *l, int n, int *cap) {
  if (l->spare_cap < n) {
    l->spare_cap = n + n / 4 + 64;
    l->spare = (tn_amd_line *)(void *)tn_amd_room_of(l, (size_t)l->spare_cap * sizeof *l->line, 1);
    if (!l->spare) l->spare_cap = 0;
  }
  *cap = l->spare_cap;
  return l->spare;
}
static void tn_amd_lines_are(tn_amd_list *l, tn_amd_line *line, int n, int cap) {
  l->spare = l->line; l->spare_cap = l->cap;
  l->line = line; l->n = n; l->cap = cap;
}

// ** registers **

// A new virtual register; its number without TN_AMD_VIRTUAL.
static int tn_amd_vreg_new(tn_amd_list *l, int kind, int dwords) {
  if (l->nvreg == TN_AMD_MOST_VIRTUAL) { tn_amd_list_refuse(l, "it has too many values"); return 0; }
  tn_amd_vreg *const all = (tn_amd_vreg *)tn_amd_grown_in(l, l->vreg, l->nvreg, &l->vregcap, sizeof *all, 1);
  if (!all) return 0;
  const tn_amd_vreg fresh = {(uint8_t)kind, (uint8_t)dwords, 0, -1, -1, -1};
  l->vreg = all;
  l->vreg[l->nvreg] = fresh;
  return l->nvreg++;
}
static tn_amd_operand tn_amd_new(tn_amd_list *l, int kind, int dwords) {
  return tn_amd_register(kind, TN_AMD_VIRTUAL + tn_amd_vreg_new(l, kind, dwords), dwords);
}
static tn_amd_operand tn_amd_new_v(tn_amd_list *l, int dwords) { return tn_amd_new(l, TN_AMD_VGPR, dwords); }
static tn_amd_operand tn_amd_new_s(tn_amd_list *l, int dwords) { return tn_amd_new(l, TN_AMD_SGPR, dwords); }
static tn_amd_operand tn_amd_new_mask(tn_amd_list *l) { return tn_amd_new_s(l, l->mask); }
// Dwords [at, at + dwords) of an operand.
static tn_amd_operand tn_amd_slice(tn_amd_operand o, int at, int dwords) {
  if (o.reg >= TN_AMD_VIRTUAL) o.sub = (uint8_t)(o.sub + at);
  else if (o.kind == TN_AMD_VGPR || o.kind == TN_AMD_SGPR || o.kind == TN_AMD_AGPR) o.reg = (uint16_t)(o.reg + at);
  o.dwords = (uint8_t)dwords;
  return o;
}
static int tn_amd_is_register(const tn_amd_operand *o) {
  return o->kind == TN_AMD_VGPR || o->kind == TN_AMD_SGPR || o->kind == TN_AMD_AGPR;
}
static int tn_amd_is_virtual(const tn_amd_operand *o) { return tn_amd_is_register(o) && o->reg >= TN_AMD_VIRTUAL; }

// ** lines **

static tn_amd_line *tn_amd_line_room(tn_amd_list *l) {
  tn_amd_line *const all = (tn_amd_line *)tn_amd_grown_in(l, l->line, l->n, &l->cap, sizeof *all, 1);
  if (all) { l->line = all; l->n++; }      // else the last one is lost, as nothing of a refused list is used
  return &l->line[l->n - 1];
}
static void tn_amd_line_again(tn_amd_list *l, const tn_amd_line *line) { *tn_amd_line_room(l) = *line; }
static tn_amd_line *tn_amd_line_new(tn_amd_list *l, int kind, int label) {
  tn_amd_line *const line = tn_amd_line_room(l);
  memset(line, 0, sizeof *line);
  line->kind = (uint8_t)kind; line->label = label; line->ins.family = (uint8_t)l->family;
  return line;
}
static int tn_amd_label_new(tn_amd_list *l) { return l->labels++; }
// Empty, with memory for what comes, which it is lent; room NULL: it sees to it itself. 0: there is no memory for it.
static int tn_amd_list_open_in(tn_amd_list *l, tiny_ctx *t, const tn_amd_chip *chip, char *room, size_t nbytes) {
  memset(l, 0, sizeof *l);
  l->room = room; l->room_end = nbytes / 16 * 16;
  l->cap = (int)(nbytes / TN_AMD_ROOM_PART / sizeof *l->line);
  l->t = t; l->chip = chip; l->family = chip->family; l->mask = chip->wave / 32;
  l->line = (tn_amd_line *)(void *)tn_amd_room_of(l, (size_t)l->cap * sizeof *l->line, 1);
  if (!l->cap) l->line = (tn_amd_line *)tn_amd_grown_in(l, NULL, 0, &l->cap, sizeof *l->line, 1);
  if (l->line) tn_amd_line_new(l, TN_AMD_LINE_LABEL, tn_amd_label_new(l));
  return l->line != NULL;
}
static int tn_amd_list_open(tn_amd_list *l, tiny_ctx *t, const tn_amd_chip *chip) {
  return tn_amd_list_open_in(l, t, chip, NULL, 0);
}
static void tn_amd_copy(tn_amd_list *l, tn_amd_operand to, tn_amd_operand from) {
  tn_amd_line *const line = tn_amd_line_new(l, TN_AMD_LINE_COPY, -1);
  line->ins.n = 2; line->ins.o[0] = to; line->ins.o[1] = from;
}

// ** instructions: operands that do not fit are put into registers before **

static int tn_amd_is_vector_format(int format) { return format >= TN_AMD_VOP1 && format <= TN_AMD_MFMA; }
static int tn_amd_is_constant(const tn_amd_operand *o) { return o->kind == TN_AMD_INLINE || o->kind == TN_AMD_LITERAL; }
static tn_amd_operand tn_amd_in_vgprs(tn_amd_list *l, tn_amd_operand from) {
  tn_amd_operand to = tn_amd_new_v(l, from.dwords), plain = from;
  plain.neg = plain.abs = plain.op_sel = plain.op_sel_hi = 0;
  tn_amd_copy(l, to, plain);
  to.neg = from.neg; to.abs = from.abs; to.op_sel = from.op_sel; to.op_sel_hi = from.op_sel_hi;
  return to;
}
static tn_amd_operand tn_amd_in_sgprs(tn_amd_list *l, tn_amd_operand from) {
  tn_amd_operand to = tn_amd_new_s(l, from.dwords), plain = from;
  plain.neg = plain.abs = plain.op_sel = plain.op_sel_hi = 0;
  tn_amd_copy(l, to, plain);
  to.neg = from.neg; to.abs = from.abs; to.op_sel = from.op_sel; to.op_sel_hi = from.op_sel_hi;
  return to;
}
// Is it known of a line that nothing comes there from elsewhere, and that EXEC stays?
static int tn_amd_keeps_on(const tn_amd_list *l, const tn_amd_line *line) {
  const int format = tn_amd_format(line->ins.op, l->family);
  if (line->kind == TN_AMD_LINE_COPY) return line->ins.o[0].reg != TN_AMD_EXEC || line->ins.o[0].kind != TN_AMD_SGPR;
  if (line->kind != TN_AMD_LINE_INS || format == TN_AMD_SOPP || format == TN_AMD_SOP1 || format == TN_AMD_SOPK)
    return 0;
  if (line->ins.n && line->ins.o[0].kind == TN_AMD_SGPR && line->ins.o[0].reg == TN_AMD_EXEC) return 0;
  return format != TN_AMD_VOPC || tn_amd_form_of(line->ins.op, l->family).operands[0] == 'e';
}
// A constant in a register that nobody writes to otherwise, for the lines that follow: what has it already, not long
// before, has it still.
enum { TN_AMD_SAME_CONSTANT = 64, TN_AMD_MARK = -2 };        // lines; label of such a copy
static tn_amd_operand tn_amd_constant_in(tn_amd_list *l, int kind, tn_amd_operand from) {
  const int last = from.dwords == 1 && tn_amd_is_constant(&from);
  tn_amd_operand to = from;
  for (int i = l->n - 1; last && i >= 0 && i > l->n - TN_AMD_SAME_CONSTANT && tn_amd_keeps_on(l, &l->line[i]); i--) {
    const tn_amd_operand *const o = l->line[i].ins.o;
    if (l->line[i].label != TN_AMD_MARK || o[0].kind != kind || o[1].kind != from.kind || o[1].value != from.value ||
        o[1].reg != from.reg) continue;
    to = o[0];
    to.neg = from.neg; to.abs = from.abs; to.op_sel = from.op_sel; to.op_sel_hi = from.op_sel_hi;
    return to;
  }
  to = kind == TN_AMD_SGPR ? tn_amd_in_sgprs(l, from) : tn_amd_in_vgprs(l, from);
  if (last) l->line[l->n - 1].label = TN_AMD_MARK;
  return to;
}
// How many scalars and literals of their own are read, o as well; parts of a virtual register are its own each, and of
// literals there may be one: a second one counts as more than there may be.
static int tn_amd_bus_with(tn_amd_operand *bus, int n, const tn_amd_operand *o) {
  const int literal = o->kind == TN_AMD_LITERAL;
  if (!literal && o->kind != TN_AMD_SPECIAL && (o->kind != TN_AMD_SGPR || o->reg == TN_AMD_NULL)) return n;
  for (int i = 0; i < n; i++) {
    const int same = bus[i].reg == o->reg && bus[i].sub == o->sub && bus[i].dwords == o->dwords;
    if (literal && bus[i].kind == TN_AMD_LITERAL) return bus[i].value == o->value ? n : TN_AMD_MOST_OPERANDS;
    if (!literal && bus[i].kind == o->kind && same) return n;
  }
  bus[n] = *o;
  return n + 1;
}
// Masks of short forms are VCC, second sources are vector registers, and nothing is negated.
static int tn_amd_may_be_short(const tn_amd_form *f, int format, const tn_amd_ins *ins) {
  int may = format < TN_AMD_VOP3;
  for (int i = 0; i < f->n && i < ins->n; i++) {
    const char where = f->operands[2 * i];
    if (strchr("ecm", where)) may &= ins->o[i].reg == TN_AMD_VCC;
    if (where == '1') may &= ins->o[i].kind == TN_AMD_VGPR;
    may &= !ins->o[i].neg && !ins->o[i].abs;
  }
  return may;
}
// Scalars and literals that it reads beyond what the family takes (amd_rules.c) come of vector registers; so do
// scalars where it wants vector registers. A literal that its form does not take comes of a scalar one.
static void tn_amd_legalize_vector(tn_amd_list *l, const tn_amd_form *f, int format, tn_amd_ins *ins) {
  const int packed = format == TN_AMD_VOP3P || format == TN_AMD_MFMA;
  const int is_long = !tn_amd_may_be_short(f, format, ins), nine = l->family == TN_AMD_GFX9;
  const int most = tn_amd_bus_width(ins);
  const tn_amd_operand vcc = tn_amd_s(TN_AMD_VCC, l->mask);
  tn_amd_operand bus[TN_AMD_MOST_OPERANDS + 1];
  int n = 0;
  for (int i = 0; i < f->n; i++)           // what has to be a scalar counts first
    if (f->operands[2 * i] == 'm' || f->operands[2 * i] == 'S') n = tn_amd_bus_with(bus, n, &ins->o[i]);
  if (ins->op == TN_AMD_V_DIV_FMAS_F32 || ins->op == TN_AMD_V_DIV_FMAS_F64) n = tn_amd_bus_with(bus, n, &vcc);
  for (int i = 0; i < f->n; i++) {
    tn_amd_operand *const o = &ins->o[i];
    const char where = f->operands[2 * i];
    if (!strchr("012xyzC", where)) continue;
    const int alone = strchr("xyz", where) != NULL || (format == TN_AMD_MFMA && where != 'C');
    const int unfit = o->kind == TN_AMD_LITERAL && (packed || (nine && (is_long || where != '0' || o->neg || o->abs)));
    if (unfit && !alone && format != TN_AMD_MFMA && o->dwords == 1 && n < most)
      *o = tn_amd_constant_in(l, TN_AMD_SGPR, *o);
    const int literal = o->kind == TN_AMD_LITERAL;
    const int refused = (alone && o->kind != TN_AMD_VGPR) || (where == 'C' && o->kind == TN_AMD_SGPR) ||
        (literal && (unfit || o->dwords > 1));
    const int with = refused ? n : tn_amd_bus_with(bus, n, o);
    if (refused || with > most) *o = tn_amd_constant_in(l, TN_AMD_VGPR, *o);
    else n = with;
  }
}
static void tn_amd_legalize_access(tn_amd_list *l, const tn_amd_form *f, tn_amd_ins *ins) {
  for (int i = 0; i < f->n; i++) {
    tn_amd_operand *const o = &ins->o[i];
    if (strchr("abc", f->operands[2 * i]) && o->kind != TN_AMD_VGPR && o->kind != TN_AMD_OFF && o->kind != TN_AMD_AGPR)
      *o = tn_amd_constant_in(l, TN_AMD_VGPR, *o);
  }
}
// Which operands of a commutative operation stand better the other way: its short form has a register in src1.
static int tn_amd_commutes(int op) {
  switch (op) {
    case TN_AMD_V_ADD_F32: case TN_AMD_V_MUL_F32: case TN_AMD_V_MAX_F32: case TN_AMD_V_MIN_F32: case TN_AMD_V_ADD_F16:
    case TN_AMD_V_MUL_F16: case TN_AMD_V_MAX_F16: case TN_AMD_V_MIN_F16: case TN_AMD_V_ADD_NC_U32:
    case TN_AMD_V_AND_B32: case TN_AMD_V_OR_B32: case TN_AMD_V_XOR_B32: case TN_AMD_V_MAX_I32: case TN_AMD_V_MIN_I32:
    case TN_AMD_V_MAX_U32: case TN_AMD_V_MIN_U32: case TN_AMD_V_MUL_I32_I24: case TN_AMD_V_MUL_U32_U24: return 1;
    default: return 0;
  }
}
// The line of an instruction, which its modifiers may be written to. What is copied stands in front of it.
static tn_amd_line *tn_amd_do(tn_amd_list *l, int op, int n, const tn_amd_operand *o) {
  const int format = tn_amd_format(op, l->family);
  const tn_amd_form f = tn_amd_form_of(op, l->family);
  tn_amd_ins ins;
  if (!format || n > TN_AMD_MOST_OPERANDS) { tn_amd_list_refuse(l, "the GPU has no such instruction"); return l->line; }
  memset(&ins, 0, sizeof ins);
  ins.op = (uint16_t)op; ins.family = (uint8_t)l->family; ins.n = (uint8_t)n;
  if (n) memcpy(ins.o, o, (size_t)n * sizeof *o);
  if (tn_amd_commutes(op) && ins.o[2].kind != TN_AMD_VGPR && ins.o[1].kind == TN_AMD_VGPR) {
    ins.o[1] = o[2]; ins.o[2] = o[1];
  }
  for (int i = 0; i < n && i < f.n; i++) {
    if (tn_amd_is_constant(&ins.o[i])) ins.o[i].dwords = (uint8_t)tn_amd_dwords(l->family, f.operands[2 * i + 1]);
    if (format == TN_AMD_VOP3P && !strchr("fFh", f.operands[2 * i + 1])) ins.o[i].op_sel_hi = 1;
  }
  if (tn_amd_is_vector_format(format)) tn_amd_legalize_vector(l, &f, format, &ins);
  if (format >= TN_AMD_DS && format <= TN_AMD_MUBUF) tn_amd_legalize_access(l, &f, &ins);
  tn_amd_line *const line = tn_amd_line_new(l, TN_AMD_LINE_INS, -1);
  line->ins = ins;
  return line;
}
static tn_amd_line *tn_amd_do0(tn_amd_list *l, int op) { return tn_amd_do(l, op, 0, NULL); }
static tn_amd_line *tn_amd_do1(tn_amd_list *l, int op, tn_amd_operand a) { return tn_amd_do(l, op, 1, &a); }
static tn_amd_line *tn_amd_do2(tn_amd_list *l, int op, tn_amd_operand a, tn_amd_operand b) {
  const tn_amd_operand o[] = {a, b};
  return tn_amd_do(l, op, 2, o);
}
static tn_amd_line *tn_amd_do3(tn_amd_list *l, int op, tn_amd_operand a, tn_amd_operand b, tn_amd_operand c) {
  const tn_amd_operand o[] = {a, b, c};
  return tn_amd_do(l, op, 3, o);
}
static tn_amd_line *tn_amd_do4(tn_amd_list *l, int op, tn_amd_operand a, tn_amd_operand b, tn_amd_operand c,
                               tn_amd_operand d) {
  const tn_amd_operand o[] = {a, b, c, d};
  return tn_amd_do(l, op, 4, o);
}
static tn_amd_line *tn_amd_do5(tn_amd_list *l, int op, tn_amd_operand a, tn_amd_operand b, tn_amd_operand c,
                               tn_amd_operand d, tn_amd_operand e) {
  const tn_amd_operand o[] = {a, b, c, d, e};
  return tn_amd_do(l, op, 5, o);
}
static void tn_amd_branch_to(tn_amd_list *l, int op, int label) {
  tn_amd_line *const line = tn_amd_do1(l, op, tn_amd_imm(0));
  line->label = label;
}
#endif
