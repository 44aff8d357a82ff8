// The instructions of x86-64: every row of the table, in every class of operands, number of registers, displacement,
// mask and rounding, gives the bytes that clang's assembler gives, and comes back from them as it was; random lists do.
// brief: asan
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif
#include "../src/base/process.c"
#include "../src/runtime/elf.c"
#include "../src/isa/x86_text.c"
#include "test.h"
#include "rnd.h"
#include "assembler.h"

enum { SLOT = 16 };                        // bytes that an instruction gets in the object
typedef struct form { tn_x86_ins ins; uint8_t bytes[TN_X86_LONGEST]; int n; } form;
typedef struct forms { form *of; int n, cap, hit[TN_X86_COUNT]; } forms;

static tiny_ctx *open_context(tiny_ctx *t) {
  memset(t, 0, sizeof *t);
  t->alloc.fn = tn_default_alloc;
  return t;
}
static void close_context(tiny_ctx *t) { tn_scratch_reset(t, 1); }

// ** forms **

static int same_ins(const tn_x86_ins *a, const tn_x86_ins *b) { return !memcmp(a, b, sizeof *a); }

static void add(forms *f, const tn_x86_ins *ins) {
  tn_x86_match m;
  form one;
  memset(&one, 0, sizeof one);
  one.ins = *ins;
  if (!tn_x86_find(ins, &m)) return;       // another class of operands takes no such register or mask
  f->hit[m.row - tn_x86_rows]++;
  one.n = tn_x86_encode(ins, one.bytes);
  if (f->n == f->cap) {
    f->cap = f->cap ? 2 * f->cap : 4096;
    f->of = (form *)realloc(f->of, (size_t)f->cap * sizeof *f->of);
  }
  f->of[f->n++] = one;
}

static int first_of_name(int row) {
  while (row && tn_x86_same_name(row, row - 1)) row--;
  return row;
}

static tn_x86_operand memory(int nbytes, int base, int index, int scale, int64_t imm) {
  tn_x86_operand o = tn_x86_register(TN_X86_MEM, base, nbytes);
  o.index = (uint8_t)index; o.scale = (uint8_t)scale; o.imm = imm;
  return o;
}

// The operand of a letter as it is when another is looked at; vectors and masks differ, as gathers want.
static tn_x86_operand plain(const tn_x86_match *m, int i, int as_memory) {
  const char where = m->row->operands[2 * i], size = m->row->operands[2 * i + 1];
  const int nbytes = tn_x86_size(m, size), gpr = size == 'k' || size == 'l' ? 4 : nbytes, reg = i + 1;
  switch (where) {
    case 'a': return tn_x86_register(TN_X86_GPR, 0, nbytes);
    case 'c': return tn_x86_register(TN_X86_GPR, 1, 1);
    case 'y': return tn_x86_register(TN_X86_VEC, 0, 16);
    case 'V': case 'U': case 'H': case 'L': return tn_x86_register(TN_X86_VEC, reg, tn_x86_vector(nbytes));
    case 'P': case 'N': case 'T': return tn_x86_register(TN_X86_MASKREG, reg, 0);
    case 'I': return tn_x86_number(size == '1' ? 1 : 5);
    case 'J': return tn_x86_number(size == 'b' ? 20 : 2000);
    case 'A': case 'C': case 'D': return tn_x86_register(TN_X86_TMM, reg, 0);
    case 'M': return memory(nbytes, 6, TN_X86_NO_REG, 1, 0);
    case 'Y': return memory(nbytes, 6, 5, 1, 0);
    case 'X': {
      tn_x86_operand o = memory(0, 6, 5, 4, 0);
      o.wide = (uint8_t)tn_x86_vector(nbytes);
      return o;
    }
    default: break;
  }
  if (strchr("EWQ", where) && as_memory) return memory(nbytes, 6, TN_X86_NO_REG, 1, 0);
  if (where == 'W') return tn_x86_register(TN_X86_VEC, reg, tn_x86_vector(nbytes));
  if (where == 'Q') return tn_x86_register(TN_X86_MASKREG, reg, 0);
  return tn_x86_register(TN_X86_GPR, reg, gpr);
}

// Registers of all numbers: each operand's for itself, and low, high and highest of all of them with each other.
static void vary_registers(forms *f, const tn_x86_ins *ins) {
  static const int few[3] = {0, 8, 16};
  for (int i = 0; i < ins->n; i++) if (ins->o[i].kind == TN_X86_GPR || ins->o[i].kind == TN_X86_VEC ||
      ins->o[i].kind == TN_X86_MASKREG || ins->o[i].kind == TN_X86_TMM) {
    const int most = ins->o[i].kind == TN_X86_VEC ? 32 : ins->o[i].kind == TN_X86_GPR ? 16 : 8;
    for (int r = 0; r < most; r++) {
      tn_x86_ins x = *ins;
      x.o[i].reg = (uint8_t)r;
      add(f, &x);
    }
  }
  int all = 1;
  for (int i = 0; i < ins->n; i++) all *= 3;
  for (int k = 0; k < all; k++) {
    tn_x86_ins x = *ins;
    int used = 1;
    for (int i = 0, at = k; i < ins->n; i++, at /= 3) {
      const int kind = x.o[i].kind, is_reg = kind == TN_X86_GPR || kind == TN_X86_VEC;
      if (!is_reg) { used &= at % 3 == 0; continue; }
      if (kind == TN_X86_GPR && at % 3 == 2) used = 0;
      x.o[i].reg = (uint8_t)((x.o[i].reg & 7) | few[at % 3]);
    }
    if (used) add(f, &x);
  }
}

// Memory: every displacement, also those that EVEX counts in units; special bases; every index, every scale. all: each
// of
// them with each other.
static void vary_memory(forms *f, const tn_x86_ins *ins, int i, int unit, int all) {
  static const int bases[] = {6, 0, 4, 5, 8, 12, 13, 15, TN_X86_RIP, TN_X86_NO_REG};
  static const int indices[] = {TN_X86_NO_REG, 0, 5, 9, 12, 13};
  const int64_t n = unit ? unit : 1;
  const int64_t at[] = {0, 1, -1, 127, -128, 128, -129, n, -n, 127 * n, 128 * n, -128 * n, -129 * n, n / 2, 100000,
      -100000};
  const int wide = ins->o[i].wide;
  enum { BASES = sizeof bases / sizeof *bases, INDICES = sizeof indices / sizeof *indices, AT =
      sizeof at / sizeof *at };
  for (int b = 0; b < BASES; b++) for (int k = 0; k < (wide ? 1 : INDICES); k++) for (int s = 0; s < 4; s++)
    for (int d = 0; d < AT; d++) {
      const int base = bases[b], index = wide ? 5 : indices[k];
      const int others = (b != 0) + (!wide && k != 0) + (d > 1) + (s != 2 && index != TN_X86_NO_REG);
      if (!all && others > 1 && !(others == 2 && d == 2)) continue;
      if (s && index == TN_X86_NO_REG) continue;
      if (base == TN_X86_RIP && index != TN_X86_NO_REG) continue;
      if (base == TN_X86_NO_REG && index == TN_X86_NO_REG && at[d] < 0) continue;
      if (base == TN_X86_NO_REG && index != TN_X86_NO_REG && s == 0 && !wide) continue;    // it is a base then
      // a place to call
      if (base == TN_X86_NO_REG && strchr("cj", *tn_x86_rows[ins->op].name) && ins->n == 1) continue;
      tn_x86_ins x = *ins;
      x.o[i] = memory(ins->o[i].nbytes, base, index, 1 << s, at[d]);
      x.o[i].wide = (uint8_t)wide;
      add(f, &x);
    }
  for (int r = 0; r < (wide ? 32 : 16); r++) {               // every number of an index and of a base
    tn_x86_ins x = *ins;
    if (wide || r != 4) { x.o[i].index = (uint8_t)r; add(f, &x); }
    x = *ins;
    x.o[i].reg = (uint8_t)(r & 15);
    if (r < 16) add(f, &x);
  }
}

static void vary_numbers(forms *f, const tn_x86_ins *ins, const tn_x86_match *m) {
  static const int64_t values[] = {0, 1, 2, 3, 4, 6, 7, 31, 127, -1, -128, 128, 255, -129, 300, 32767, -32768, 65536,
      2147483647,
                                   -2147483647 - 1, 0x123456789A, -0x123456789A, 4294967295};
  for (int i = 0; i < ins->n; i++) if (ins->o[i].kind == TN_X86_IMM)
    for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
      tn_x86_ins x = *ins;
      const int jump = m->row->operands[2 * i] == 'J';
      x.o[i].imm = values[v];
      if (jump && (values[v] > 100000 || values[v] < -100000)) continue;       // within the object
      if (jump && values[v] == -129) x.o[i].imm = -140;      // too far for a short one, which is shorter by four
      add(f, &x);
    }
}

static void vary_marks(forms *f, const tn_x86_ins *ins, const tn_x86_match *m) {
  for (int k = 0; k < 8; k++) for (int z = 0; z < 2; z++) {
    tn_x86_ins x = *ins;
    x.mask = (uint8_t)k; x.zero = (uint8_t)z;
    add(f, &x);
  }
  for (int r = TN_X86_RN; r <= TN_X86_SAE; r++) for (int k = 0; k < 2; k++) {
    tn_x86_ins x = *ins;
    x.round = (uint8_t)r; x.mask = (uint8_t)k;
    if (m->length != 64 && strchr(m->row->operands, 'x')) continue;
    add(f, &x);
    if ((r == TN_X86_RU || r == TN_X86_SAE) && !k) vary_registers(f, &x);
  }
}

// All forms of a row of one width and length; as_memory: where it takes memory or a register.
static void vary(forms *f, const tn_x86_match *m, int row, int as_memory) {
  const int element = (int)TN_X86_ELEMENT(m->row->form), all = row % 64 == 0 || TN_X86_K(m->row->form) == 3;
  tn_x86_ins ins;
  memset(&ins, 0, sizeof ins);
  ins.op = (uint16_t)first_of_name(row);
  ins.n = (uint8_t)(strlen(m->row->operands) / 2);
  for (int i = 0; i < ins.n; i++) ins.o[i] = plain(m, i, as_memory);
  if (TN_X86_K(m->row->form) == 3 && tn_x86_spaces(m->row) == TN_X86_EVEX) ins.mask = 1;
  add(f, &ins);
  vary_registers(f, &ins);
  vary_numbers(f, &ins, m);
  vary_marks(f, &ins, m);
  for (int i = 0; i < ins.n; i++) if (ins.o[i].kind == TN_X86_MEM) {
    const char size = m->row->operands[2 * i + 1];
    vary_memory(f, &ins, i, ins.o[i].wide ? element : tn_x86_size(m, size), all);
    tn_x86_ins x = ins;
    for (int j = 0; j < x.n; j++) if (x.o[j].kind == TN_X86_VEC) x.o[j].reg = (uint8_t)(16 + j);
    vary_memory(f, &x, i, ins.o[i].wide ? element : tn_x86_size(m, size), 0);
    x = ins;
    x.broadcast = 1; x.o[i].nbytes = (uint8_t)element;
    vary_registers(f, &x);
    vary_memory(f, &x, i, element, 0);
  }
}

static void vary_row(forms *f, int row) {
  static const int widths[] = {2, 4, 8}, lengths[] = {16, 32, 64};
  const tn_x86_row *r = &tn_x86_rows[row];
  const int sized = strpbrk(r->operands, "vzy") != NULL, lens = (int)TN_X86_LENS(r->form);
  for (int w = 0; w < (sized ? 3 : 1); w++) for (int l = 0; l < 3; l++) {
    tn_x86_match m = {r, sized ? widths[w] : 0, lengths[l], 0};
    if (lens ? !(lens >> l & 1) : l > 0) continue;
    for (int memory = 0; memory < (strpbrk(r->operands, "EWQ") ? 2 : 1); memory++) vary(f, &m, row, memory);
  }
}

// ** clang's assembler **

static void show_bytes(const char *who, const uint8_t *bytes, int n) {
  fprintf(stderr, "    %s", who);
  for (int i = 0; i < n; i++) fprintf(stderr, " %02x", bytes[i]);
  fprintf(stderr, "\n");
}

// Compares forms with what the assembler makes of their text, each in a slot of its own.
static void check_forms(tiny_ctx *t, const forms *f) {
  tiny_bytes text = {t, NULL, 0, 0}, object = {t, NULL, 0, 0};
  size_t n = 0;
  tn_text_put(&text, ".intel_syntax noprefix\n.text\n");
  for (int i = 0; i < f->n; i++) {
    const int jump = tn_x86_rows[f->of[i].ins.op].operands[0] == 'J' && f->of[i].ins.o[0].kind == TN_X86_IMM;
    if (jump) tn_text_put(&text, ".att_syntax\n");           // Intel's syntax knows no "."
    tn_x86_print(&text, &f->of[i].ins, f->of[i].n);
    if (jump) tn_text_put(&text, "\n.intel_syntax noprefix");
    tn_text_put(&text, "\n.p2align 4, 0xcc\n");
  }
  static char path[TN_OS_PATH];
  static const char *const flags[] = {path, "--target=x86_64-none-unknown-elf", NULL};
  const int done = tn_os_find_program("clang", 0, path, sizeof path) && assemble(t, flags, &text, &object);
  CHECK(done);
  const uint8_t *code = done ? text_section(&object, &n) : NULL;
  CHECK(code && n == (size_t)f->n * SLOT);
  int shown = 0;
  for (int i = 0; code && i < f->n && (size_t)i * SLOT < n; i++) {
    const uint8_t *want = code + (size_t)i * SLOT;
    const int same = !memcmp(want, f->of[i].bytes, (size_t)f->of[i].n) && want[f->of[i].n] == 0xCC;
    CHECK(same);
    if (same || shown++ > 40) continue;
    tiny_bytes line = {t, NULL, 0, 0};
    tn_x86_print(&line, &f->of[i].ins, f->of[i].n);
    fprintf(stderr, "  %s\n", line.data);
    show_bytes("ours: ", f->of[i].bytes, f->of[i].n);
    show_bytes("clang:", want, SLOT);
  }
}

static void check_back(tiny_ctx *t, const forms *f) {
  int shown = 0;
  for (int i = 0; i < f->n; i++) {
    tn_x86_ins ins;
    uint8_t again[TN_X86_LONGEST];
    const int n = tn_x86_decode(f->of[i].bytes, (size_t)f->of[i].n, &ins), m = n ? tn_x86_encode(&ins, again) : 0;
    const int same = n == f->of[i].n && same_ins(&ins, &f->of[i].ins) && m == n && !memcmp(again, f->of[i].bytes,
        (size_t)n);
    CHECK(same);
    if (same || shown++ > 20) continue;
    tiny_bytes line = {t, NULL, 0, 0};
    tn_x86_print(&line, &f->of[i].ins, f->of[i].n);
    tn_text_put(&line, "   came back as   ");
    if (n) tn_x86_print(&line, &ins, n);
    fprintf(stderr, "  %s (%d)\n", line.data, n);
    show_bytes("", f->of[i].bytes, f->of[i].n);
  }
}

// ** tests **

static void test_all_forms(tiny_ctx *t, forms *f) {
  const int step = (int)test_step();
  for (int i = 0; i < TN_X86_COUNT; i += step) vary_row(f, i);
  for (int i = 0; i < TN_X86_COUNT; i += step) {
    CHECK(f->hit[i] > 0);
    if (!f->hit[i]) fprintf(stderr, "    row %d, %s %s, took nothing\n", i, tn_x86_rows[i].name,
        tn_x86_rows[i].operands);
  }
  printf("%d forms of %d rows\n", f->n, (int)TN_X86_COUNT);
  check_forms(t, f);
  check_back(t, f);
}

// Lists of instructions one behind the other are read back as they were.
static void test_lists(const forms *f) {
  for (int seed = 0; seed < test_rounds(200); seed++) {
    uint8_t code[64 * TN_X86_LONGEST];
    int which[64], n = 0, at = 0;
    rng = (uint64_t)seed;
    for (int i = 0; i < 64; i++) {
      which[i] = rnd(f->n);
      memcpy(code + n, f->of[which[i]].bytes, (size_t)f->of[which[i]].n);
      n += f->of[which[i]].n;
    }
    for (int i = 0; i < 64; i++) {
      tn_x86_ins ins;
      const int took = tn_x86_decode(code + at, (size_t)(n - at), &ins);
      CHECK_EQ(took, f->of[which[i]].n);
      CHECK(same_ins(&ins, &f->of[which[i]].ins));
      at += took ? took : 1;
    }
  }
}

// Bytes of no instruction, and those that are cut off, give none and read nothing behind them.
static void test_bad_bytes(const forms *f) {
  for (int seed = 0; seed < test_rounds(100000); seed++) {
    uint8_t bytes[TN_X86_LONGEST];
    tn_x86_ins ins;
    rng = (uint64_t)seed;
    const int n = 1 + rnd(TN_X86_LONGEST);
    for (int i = 0; i < n; i++) bytes[i] = (uint8_t)rnd(256);
    uint8_t *exact = (uint8_t *)malloc((size_t)n), again[TN_X86_LONGEST];      // whose end a sanitiser watches
    memcpy(exact, bytes, (size_t)n);
    const int took = tn_x86_decode(exact, (size_t)n, &ins);
    CHECK(took >= 0 && took <= n);
    if (took) CHECK(tn_x86_encode(&ins, again) <= TN_X86_LONGEST);
    free(exact);
  }
  for (int i = 0; i < f->n; i += 101) for (int n = 1; n < f->of[i].n; n++) {
    tn_x86_ins ins;
    CHECK(tn_x86_decode(f->of[i].bytes, (size_t)n, &ins) <= n);
  }
}

// What no row takes: a mask where there is none, registers of two widths, a number too large.
static void test_refused(void) {
  uint8_t out[TN_X86_LONGEST];
  tn_x86_ins ins;
  memset(&ins, 0, sizeof ins);
  ins.op = TN_X86_ADD; ins.n = 2;
  ins.o[0] = tn_x86_register(TN_X86_GPR, 0, 4); ins.o[1] = tn_x86_register(TN_X86_GPR, 1, 8);
  CHECK_EQ(tn_x86_encode(&ins, out), 0);
  ins.o[1] = tn_x86_number(5000000000);
  CHECK_EQ(tn_x86_encode(&ins, out), 0);
  ins.o[1] = tn_x86_register(TN_X86_GPR, 1, 4);
  CHECK_EQ(tn_x86_encode(&ins, out), 2);
  ins.mask = 1;
  CHECK_EQ(tn_x86_encode(&ins, out), 0);
  ins.mask = 0; ins.op = TN_X86_VADDPS;
  CHECK_EQ(tn_x86_encode(&ins, out), 0);
  ins.op = TN_X86_TDPBSSD; ins.n = 3;      // a product of one tile and itself; one of nine tiles
  for (int i = 0; i < 3; i++) ins.o[i] = tn_x86_register(TN_X86_TMM, i, 0);
  CHECK_EQ(tn_x86_encode(&ins, out), 5);
  ins.o[2].reg = 1;
  CHECK_EQ(tn_x86_encode(&ins, out), 0);
  ins.o[2].reg = 8;
  CHECK_EQ(tn_x86_encode(&ins, out), 0);
}

int main(void) {
  static tiny_ctx context;
  static forms f;
  tiny_ctx *t = open_context(&context);
  test_all_forms(t, &f);
  test_lists(&f);
  test_bad_bytes(&f);
  test_refused();
  free(f.of);
  close_context(t);
  return test_report();
}
