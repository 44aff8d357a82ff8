// The instructions of A64: every row of the table, in every element, length and width, number of registers, lane,
// shift, condition and limit of its numbers, gives the word that clang's assembler gives, and comes back from it as it
// was; random words that are instructions do, too.
// brief: asan
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif
#include "../src/base/process.c"
#include "../src/runtime/elf.c"
#include "../src/isa/arm64_text.c"
#include "test.h"
#include "rnd.h"
#include "assembler.h"

typedef struct form { tn_arm64_ins ins; uint32_t word; } form;
typedef struct forms { form *of; int n, cap, hit[TN_ARM64_COUNT]; } forms;

static tiny_ctx *open_context(tiny_ctx *t) {
  memset(t, 0, sizeof *t);
  t->alloc.fn = tn_default_alloc;
  return t;
}
static void close_context(tiny_ctx *t) { tn_scratch_reset(t, 1); }

// ** forms **

// Where a base that is changed is loaded or stored, or both of a pair are one, nothing is said of what happens (C6.2.).
static int is_unpredictable(const tn_arm64_ins *ins) {
  const tn_arm64_operand *last = &ins->o[ins->n ? ins->n - 1 : 0];
  const char *name = tn_arm64_rows[ins->op].name;
  if (last->kind != TN_ARM64_MEM) return 0;
  for (int i = 0; i < ins->n - 1; i++)
    if (last->mode && ins->o[i].kind == TN_ARM64_GPR && ins->o[i].reg == last->reg) return 1;
  return !strcmp(name, "ldp") && ins->o[0].reg == ins->o[1].reg;
}
static void add(forms *f, const tn_arm64_ins *ins) {
  form one;
  memset(&one, 0, sizeof one);
  one.ins = *ins;
  const tn_arm64_row *r = tn_arm64_encode(ins, &one.word);
  if (!r || is_unpredictable(ins)) return; // another class of operands takes no such register or number
  f->hit[r - tn_arm64_rows]++;
  if (f->n == f->cap) {
    f->cap = f->cap ? 2 * f->cap : 4096;
    f->of = (form *)realloc(f->of, (size_t)f->cap * sizeof *f->of);
  }
  f->of[f->n++] = one;
}
static int first_of_name(int row) {
  while (row && tn_arm64_same_name(row, row - 1)) row--;
  return row;
}
static int is_reg(const tn_arm64_operand *o) {
  return o->kind == TN_ARM64_GPR || o->kind == TN_ARM64_VEC || o->kind == TN_ARM64_VLANE;
}

// Each register in every number; all of them 0, 15 and the highest with each other.
static void vary_registers(forms *f, const tn_arm64_ins *ins) {
  static const uint8_t few[3] = {0, 15, 31};
  for (int i = 0; i < ins->n; i++) for (int r = 0; r <= 32; r++) {
    tn_arm64_ins x = *ins;
    if (is_reg(&x.o[i]) && (r < 32 || x.o[i].kind == TN_ARM64_GPR)) { x.o[i].reg = (uint8_t)r; add(f, &x); }
    if (x.o[i].kind != TN_ARM64_MEM) continue;
    x.o[i].reg = (uint8_t)r;
    add(f, &x);
    if (ins->o[i].index == TN_ARM64_NO_REG || r == 32) continue;
    x = *ins;
    x.o[i].index = (uint8_t)r;
    add(f, &x);
  }
  int all = 1;
  for (int i = 0; i < ins->n; i++) all *= is_reg(&ins->o[i]) ? 3 : 1;
  for (int k = 0; k < all; k++) {
    tn_arm64_ins x = *ins;
    for (int i = 0, at = k; i < ins->n; i++) if (is_reg(&x.o[i])) { x.o[i].reg = few[at % 3]; at /= 3; }
    add(f, &x);
  }
}
static void vary_shifts(forms *f, const tn_arm64_ins *ins) {
  for (int i = 0; i < ins->n; i++) for (int s = 0; s < 16; s++) for (int a = 0; a < 64; a++) {
    tn_arm64_ins x = *ins;
    if (s >= 4 && s < 8) continue;
    x.o[i].shift = (uint8_t)s; x.o[i].amount = (uint8_t)a;
    if (x.o[i].kind == TN_ARM64_GPR && s >= 8) x.o[i].nbytes = (s & 3) == 3 ? 8 : 4;
    const int shifted = x.o[i].kind == TN_ARM64_GPR || x.o[i].kind == TN_ARM64_MEM;
    if (shifted || (x.o[i].kind == TN_ARM64_IMM && !s)) add(f, &x);
  }
}
static void vary_lanes(forms *f, const tn_arm64_ins *ins) {
  for (int i = 0; i < ins->n; i++) for (int j = 0; j < 16; j++) for (int r = 0; r < 32; r += 31) {
    tn_arm64_ins x = *ins;
    if (x.o[i].kind != TN_ARM64_VLANE) continue;
    x.o[i].lane = (uint8_t)j; x.o[i].reg = (uint8_t)r;
    add(f, &x);
    x.o[i].reg = 15;
    add(f, &x);
  }
}
static void set_number(forms *f, const tn_arm64_ins *ins, int i, int64_t v) {
  tn_arm64_ins x = *ins;
  x.o[i].imm = v;
  add(f, &x);
}
// Every number that AND takes, and bytes of zeros and ones; the limits of all fields.
static void vary_numbers(forms *f, const tn_arm64_ins *ins, const tn_arm64_row *row) {
  for (int i = 0; i < ins->n; i++) {
    const char *code = row->operands + 2 * i;
    const int unit = *code == '[' ? tn_arm64_access(row->word) : 1;
    if (ins->o[i].kind != TN_ARM64_IMM && ins->o[i].kind != TN_ARM64_MEM) continue;
    for (int64_t v = -66; v <= 66; v++) set_number(f, ins, i, v);
    for (int p = 0; p < 34; p++) for (int d = -1; d < 2; d++) for (int s = -1; s < 2; s += 2)
      set_number(f, ins, i, s * unit * (((int64_t)1 << p) + d));
    for (int k = 0; k < 256 && code[1] == 'V'; k++) {
      uint64_t v = 0;
      for (int b = 0; b < 8; b++) if (k >> b & 1) v |= (uint64_t)0xFF << 8 * b;
      set_number(f, ins, i, (int64_t)v);
    }
    if (code[1] != 'l') continue;
    for (int size = 2; size <= 64; size *= 2) for (int n = 0; n < (size - 1) * size; n++) {
      const int ones = 1 + n / size, turn = n % size;
      const uint64_t all = size == 64 ? ~(uint64_t)0 : ((uint64_t)1 << size) - 1;
      uint64_t v = ((uint64_t)1 << ones) - 1;
      v = turn ? (v >> turn | v << (size - turn)) & all : v;
      for (int s = size; s < 64; s *= 2) v |= v << s;
      set_number(f, ins, i, (int64_t)(ins->o[0].nbytes == 4 ? v & 0xFFFFFFFF : v));
    }
  }
}
static void vary(forms *f, const tn_arm64_match *m, int row) {
  tn_arm64_ins ins;
  memset(&ins, 0, sizeof ins);
  ins.op = (uint16_t)first_of_name(row);
  const uint32_t word = m->row->word | tn_arm64_put_element(m);
  for (const char *p = m->row->operands; *p; p += 2) {
    ins.o[ins.n] = tn_arm64_get(m, word, p[0], p[1]);
    if (is_reg(&ins.o[ins.n])) ins.o[ins.n].reg = (uint8_t)(ins.n + 1);
    if (*p == '[') ins.o[ins.n].reg = 7;
    if (*p == '[' && p[1] == 'x') { ins.o[ins.n].index = 8; ins.o[ins.n].shift = TN_ARM64_BY_UXTX; }
    if (*p == 'E') { ins.o[ins.n].shift = TN_ARM64_BY_UXTW; ins.o[ins.n].nbytes = 4; }
    if (*p == '#' && strchr("srRL", p[1])) ins.o[ins.n].imm = 3;
    if (*p == '#' && p[1] == 'l') ins.o[ins.n].imm = 1;
    if (*p == '#' && p[1] == 'b') ins.o[ins.n].imm = m->width == 8 ? 35 : 3;
    ins.n++;
  }
  add(f, &ins);
  vary_registers(f, &ins);
  vary_shifts(f, &ins);
  vary_lanes(f, &ins);
  vary_numbers(f, &ins, m->row);
  for (int i = 0; i < ins.n; i++) if (m->row->operands[2 * i] == 'c')          // of each condition the registers
    for (int c = 0; c < 16; c++) { tn_arm64_ins x = ins; x.o[i].imm = c; vary_registers(f, &x); }
}
static void vary_row(forms *f, int row) {
  const tn_arm64_row *r = &tn_arm64_rows[row];
  for (int e = 1; e <= 8; e *= 2) for (int q = 8; q <= 16; q += 8) for (int w = 4; w <= 8; w += 4) {
    const tn_arm64_match m = {r, w, e, q};
    if (r->elements ? !(r->elements & e) : e > 1) continue;
    if (r->q == TN_ARM64_Q_N ? q > 8 : !tn_arm64_has_element(&m)) continue;
    vary(f, &m, row);
  }
}

// ** clang's assembler **

static void check_forms(tiny_ctx *t, const form *of, int n) {
  tiny_bytes text = {t, NULL, 0, 0}, object = {t, NULL, 0, 0};
  size_t nbytes = 0;
  int shown = 0;
  tn_text_put(&text, ".text\n");
  for (int i = 0; i < n; i++) { tn_arm64_print(&text, &of[i].ins); tn_text_put(&text, "\n"); }
  static char path[TN_OS_PATH];
  static const char *const flags[] = {path, "--target=aarch64-none-elf", "-march=armv8.2-a+fp16+dotprod", NULL};
  const int done = tn_os_find_program("clang", 0, path, sizeof path) && assemble(t, flags, &text, &object);
  CHECK(done);
  const uint8_t *code = done ? text_section(&object, &nbytes) : NULL;
  CHECK(code && nbytes == 4 * (size_t)n);
  for (int i = 0; code && i < n && 4 * (size_t)i < nbytes; i++) {
    uint32_t want;
    memcpy(&want, code + 4 * (size_t)i, 4);
    CHECK_EQ(of[i].word, want);
    if (of[i].word == want || shown++ > 40) continue;
    tiny_bytes line = {t, NULL, 0, 0};
    tn_arm64_print(&line, &of[i].ins);
    fprintf(stderr, "  %s: ours %08x, clang %08x\n", line.data, (unsigned)of[i].word, (unsigned)want);
  }
}
static void check_back(tiny_ctx *t, const forms *f) {
  int shown = 0;
  for (int i = 0; i < f->n; i++) {
    tn_arm64_ins ins;
    const int same = tn_arm64_decode(f->of[i].word, &ins) && !memcmp(&ins, &f->of[i].ins, sizeof ins);
    uint32_t again = 0;
    const int known = same || (tn_arm64_encode(&ins, &again) && again == f->of[i].word);     // another name of it
    CHECK(known);
    if (known || shown++ > 20) continue;
    tiny_bytes line = {t, NULL, 0, 0};
    tn_arm64_print(&line, &f->of[i].ins);
    tn_text_put(&line, "   came back as   ");
    tn_arm64_print(&line, &ins);
    fprintf(stderr, "  %08x %s\n", (unsigned)f->of[i].word, line.data);
  }
}

// ** tests **

static void test_all_forms(tiny_ctx *t, forms *f) {
  const int step = (int)test_step();
  for (int i = 0; i < TN_ARM64_COUNT; i += step) vary_row(f, i);
  for (int i = 0; i < TN_ARM64_COUNT; i += step) {
    CHECK(f->hit[i] > 0);
    const tn_arm64_row *r = &tn_arm64_rows[i];
    if (!f->hit[i]) fprintf(stderr, "    row %d, %s %s, took nothing\n", i, r->name, r->operands);
  }
  printf("%d forms of %d rows\n", f->n, (int)TN_ARM64_COUNT);
  check_forms(t, f->of, f->n);
  check_back(t, f);
}

// Words of random bits, and words of a row with random bits in its fields: what is an instruction is encoded to the
// same word again, and clang's assembler makes that of its text.
static void test_random_words(tiny_ctx *t) {
  enum { ASSEMBLED = 100000 };
  form *found = (form *)calloc(ASSEMBLED, sizeof *found);
  int n = 0, instructions = 0;
  rng = 7;
  for (int i = 0; i < test_rounds(1000000); i++) {
    const tn_arm64_row *r = &tn_arm64_rows[rnd(TN_ARM64_COUNT)];
    const uint32_t bits = (uint32_t)rnd(65536) << 16 | (uint32_t)rnd(65536);
    const uint32_t word = i % 2 ? bits : r->word | (bits & tn_arm64_fields(r));
    tn_arm64_ins ins;
    uint32_t again = 0;
    if (!tn_arm64_decode(word, &ins)) continue;
    instructions++;
    CHECK(tn_arm64_encode(&ins, &again) != NULL);
    CHECK_EQ(again, word);
    if (n == ASSEMBLED || is_unpredictable(&ins)) continue;
    found[n].ins = ins;
    found[n++].word = word;
  }
  CHECK(instructions > test_rounds(1000000) / 4);
  printf("%d random words are instructions\n", instructions);
  check_forms(t, found, n);
  free(found);
}

static int takes(int op, int n, tn_arm64_operand a, tn_arm64_operand b, tn_arm64_operand c) {
  tn_arm64_ins ins;
  uint32_t word;
  memset(&ins, 0, sizeof ins);
  ins.op = (uint16_t)op; ins.n = (uint8_t)n; ins.o[0] = a; ins.o[1] = b; ins.o[2] = c;
  return tn_arm64_encode(&ins, &word) != NULL;
}
// What no row takes: registers of two widths or arrangements, one double in a vector, numbers that have no field.
static void test_refused(void) {
  const tn_arm64_operand w = tn_arm64_register(TN_ARM64_GPR, 1, 4, 0), x = tn_arm64_register(TN_ARM64_GPR, 2, 8, 0);
  const tn_arm64_operand s4 = tn_arm64_register(TN_ARM64_VEC, 1, 16, 4), s2 = tn_arm64_register(TN_ARM64_VEC, 1, 8, 4);
  const tn_arm64_operand d1 = tn_arm64_register(TN_ARM64_VEC, 1, 8, 8);
  CHECK(takes(TN_ARM64_ADD, 3, w, w, w));
  CHECK(!takes(TN_ARM64_ADD, 3, w, w, x));
  CHECK(takes(TN_ARM64_ADD, 3, s4, s4, s4));
  CHECK(!takes(TN_ARM64_ADD, 3, s4, s4, s2));
  CHECK(!takes(TN_ARM64_ADD, 3, d1, d1, d1));
  CHECK(takes(TN_ARM64_AND, 3, w, w, tn_arm64_number(0xFF00FF, 0)));
  CHECK(!takes(TN_ARM64_AND, 3, w, w, tn_arm64_number(5000, 0)));
  CHECK(!takes(TN_ARM64_AND, 3, x, x, tn_arm64_number(0, 0)));
  CHECK(takes(TN_ARM64_ADD, 3, x, x, tn_arm64_number(4096, 0)));
  CHECK(!takes(TN_ARM64_ADD, 3, x, x, tn_arm64_number(4097, 0)));
}

int main(void) {
  static tiny_ctx context;
  static forms f;
  tiny_ctx *t = open_context(&context);
  test_all_forms(t, &f);
  test_random_words(t);
  test_refused();
  free(f.of);
  close_context(t);
  return test_report();
}
