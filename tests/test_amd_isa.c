// The instructions of AMD's GPUs (gfx11, gfx12, gfx942): every row of the table in every class of operands, number of
// registers, constant and modifier gives the words that LLVM's assembler gives for our text, and comes back from them
// as it was; random words are the same text to both disassemblers. Vectors without LLVM; sentences for bad lines.
// TEST_WORDS=1000000: that many random words, of all families together; TEST_STRIDE=1: every form.
// brief: plain asan
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif
#include "../src/base/process.c"
#include "../src/isa/amd_parse.c"
#include "amd_build.h"
#include "test.h"
#include "rnd.h"
#include "amd_llvm.h"
#include "amd_golden.h"

static const char *const families[] = {"gfx11", "gfx12", "gfx9"};
static int brief(void) { return getenv("TEST_BRIEF") != NULL; }
static tiny_ctx *open_context(tiny_ctx *t) {
  memset(t, 0, sizeof *t);
  t->alloc.fn = tn_default_alloc;
  return t;
}
static void close_context(tiny_ctx *t) { tn_scratch_reset(t, 1); }

// ** vectors **

static int same_words(const uint32_t *a, int na, const uint32_t *b, int nb) {
  return na == nb && !memcmp(a, b, (size_t)na * sizeof *a);
}
static void test_golden(void) {
  for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
    tn_amd_ins parsed, decoded;
    tn_amd_error e;
    uint32_t words[4];
    char text[LLVM_TEXT], again[LLVM_TEXT];
    const int family = golden[i].family, n = golden[i].n;
    CHECK(tn_amd_parse(family, golden[i].text, strlen(golden[i].text), &parsed, &e));
    CHECK(same_words(words, tn_amd_encode(family, &parsed, words), golden[i].word, n));
    CHECK(tn_amd_decode(family, golden[i].word, 4, &decoded) == n);
    CHECK(same_words(words, tn_amd_encode(family, &decoded, words), golden[i].word, n));
    for (int k = 0; k < n; k++) CHECK(!tn_amd_decode(family, golden[i].word, k, &parsed));   // words that are missing
    CHECK(tn_amd_print(&decoded, text, sizeof text) < sizeof text);
    CHECK(tn_amd_parse(family, text, strlen(text), &parsed, &e));
    tn_amd_print(&parsed, again, sizeof again);
    CHECK(!strcmp(text, again));
  }
}

// ** what LLVM 19 and we see differently, and why **

static const struct { int family; const char *part, *and_part; } exceptions[] = {
  {-1, ".h", ""},                          // halves of registers: LLVM has names for them with real-true16 alone
  {-1, "s_delay_alu", ""},                 // values that LLVM writes as comments
  {-1, " gds", ""}, {-1, " lds", ""},      // GDS, and loads of buffers to LDS, are not known to us
  {-1, "src_lds_direct", ""},              // of graphics
  {TN_AMD_GFX9, "v_pk_fmac_f16", ""},      // LLVM writes _e32, though there is no other
  {-1, "v_wmma_", "src_"}, {-1, "v_mfma_", "src_"},          // LLVM's disassembler takes a special register as a matrix
  {TN_AMD_GFX9, "null", ""},               // gfx9 has none, LLVM's disassembler has
  {-1, "sendmsg", ""},                     // LLVM leaves out the upper bits of a message
  {-1, "v_fma_mix", "0x"},                 // LLVM writes the low half of a literal of 32 bits
  // LLVM's disassembler takes what its assembler refuses: clamp and omod of what is no float, in parts; parts of fp8's
  // results; op_sel of dot products; offsets below 0 of buffers; literals as lanes; hints without a name; stores that
  // say which failed; barriers by a number that is no constant and not in M0; constants of matrices; scalars in lanes
  {TN_AMD_GFX9, "sdwa", " clamp"}, {TN_AMD_GFX9, "sdwa", "mul:"}, {TN_AMD_GFX9, "sdwa", "div:"},
  {TN_AMD_GFX9, "fp8_sdwa", ""}, {TN_AMD_GFX9, "f32_bf8_sdwa", ""}, {TN_AMD_GFX9, "v_dot", "op_sel"},
  {-1, "s_buffer_load", "-0x"}, {-1, "v_writelane", "0x"}, {-1, "v_readlane", "0x"}, {-1, "TH_ATOMIC_0x", ""},
  {-1, "buffer_store", "tfe"}, {TN_AMD_GFX12, "_barrier", ""}, {-1, "v_wmma_", "0.15915494"}, {-1, "_b96", "ttmp["},
  {-1, "v_s_", "exec_"}, {-1, "v_s_", "m0"}, {TN_AMD_GFX12, "v_fma_mix", "_e64_dpp"},
  {TN_AMD_GFX12, "v_dot4_f32", "_e64_dpp"},
  {-1, "v_cndmask_b32_dpp", "|"},          // LLVM writes the bars of abs around the mask, too
  {-1, "_dpp", "sext("},                   // LLVM writes a sign of whole numbers, for which it has no other word
  {-1, "s_movrel", "src_"}                 // LLVM takes what is no register where registers are counted
};
// Texts that do not tell all bits of a number, ours and LLVM's.
static int is_untold(const char *text) {
  return !strncmp(text, "s_waitcnt ", 10) || strstr(text, "swizzle(") || strstr(text, "depctr_");
}
static int is_exception(int family, const char *text) {
  for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++) {
    if (exceptions[i].family >= 0 && exceptions[i].family != family) continue;
    if (strstr(text, exceptions[i].part) && strstr(text, exceptions[i].and_part)) return 1;
  }
  return 0;
}
static int wrongs_shown;
static void show(const char *what, int family, const uint32_t *word, int n, const char *ours, const char *theirs) {
  if (wrongs_shown++ > 40) return;
  fprintf(stderr, "%s, %s:", families[family], what);
  for (int i = 0; i < n; i++) fprintf(stderr, " %08x", word[i]);
  fprintf(stderr, "\n    ours: %s\n    LLVM: %s\n", ours, theirs);
}

// ** forms **

// Forms of a family: instructions, their words and text.
typedef struct form { tn_amd_ins ins; llvm_words words; char *text; } form;
typedef struct forms { form *of; int n, cap, family, hit[TN_AMD_COUNT]; } forms;
static void add(forms *f, const tn_amd_ins *ins) {
  form one;
  char text[LLVM_TEXT];
  memset(&one, 0, sizeof one);
  one.ins = *ins;
  one.words.n = tn_amd_encode(f->family, ins, one.words.word);
  if (!one.words.n || tn_amd_broken_rule(ins)) return;       // another class of operands does not take it
  f->hit[ins->op]++;
  if (f->n == f->cap) {
    f->cap = f->cap ? 2 * f->cap : 4096;
    f->of = (form *)realloc(f->of, (size_t)f->cap * sizeof *f->of);
  }
  tn_amd_print(ins, text, sizeof text);
  one.text = strdup(text);
  f->of[f->n++] = one;
}

// Classes of operands: vector registers, scalar ones, what is special, constants, a literal.
enum { V0, V7, V15, V127, V128, VLAST, A6, S0, S100, S104, VCC, EXEC, M0, NO_REG, TTMP, SCC, ZERO, MOST, LEAST, HALF,
  TURN, LITERAL, OFF, CLASSES };
static void set_class(tn_amd_operand *o, int family, int class_, int dwords) {
  static const uint16_t vgpr[] = {0, 7, 15, 127, 128};
  static const uint16_t sgpr[] = {0, 100, 104, TN_AMD_VCC, TN_AMD_EXEC, TN_AMD_M0, TN_AMD_NULL, TN_AMD_TTMP};
  static const uint16_t constant[] = {128, 192, 208, 240, 248};
  o->dwords = (uint8_t)dwords;
  if (class_ <= VLAST) {
    const int reg = class_ == VLAST ? 256 - dwords : vgpr[class_];
    o->kind = TN_AMD_VGPR; o->reg = (uint16_t)(family == TN_AMD_GFX9 && dwords > 1 ? reg & ~1 : reg);
  } else if (class_ == A6) { o->kind = TN_AMD_AGPR; o->reg = 6; }
  else if (class_ <= TTMP) { o->kind = TN_AMD_SGPR; o->reg = sgpr[class_ - S0]; }
  else if (class_ == SCC) { o->kind = TN_AMD_SPECIAL; o->reg = TN_AMD_SCC; }
  else if (class_ <= TURN) { o->kind = TN_AMD_INLINE; o->reg = constant[class_ - ZERO]; }
  else if (class_ == LITERAL) { o->kind = TN_AMD_LITERAL; o->value = 0x3456; }
  else o->kind = TN_AMD_OFF;
}
// What a letter takes by itself.
static void set_base(tn_amd_ins *ins, const tn_amd_form *f, int i) {
  const char *const l = f->operands + 2 * i;
  const int dwords = tn_amd_dwords(ins->family, l[1]), format = tn_amd_format(ins->op, ins->family);
  tn_amd_operand *const o = &ins->o[i];
  const int packed = format == TN_AMD_VOP3P && !strchr("fFh", l[1]);
  switch (*l) {
    case '#': case 'M': case 'i': case 'n': o->kind = TN_AMD_NUMBER; o->value = l[1] == 'w' ? 0x0102 : 5; return;
    case 'K': set_class(o, ins->family, LITERAL, 1); return;
    case 'S':
      set_class(o, ins->family, strstr(tn_amd_rows[ins->op].names, "s_waitcnt_") ? NO_REG : S0, dwords);
      return;
    case 'e': case 'c': case 'm': set_class(o, ins->family, VCC, dwords); return;
    case 'D': case 'X': case 'Y': case 'Z': case 'B': case 'R': case 'o':
      set_class(o, ins->family, S0, dwords);
      break;
    case 's': set_class(o, ins->family, OFF, dwords); return;
    case 'g': case 'A': set_class(o, ins->family, A6, dwords); return;
    case 'r': return;
    case 'a': set_class(o, ins->family, V7, format == TN_AMD_FLAT || format == TN_AMD_GLOBAL ? 2 : 1); break;
    default: set_class(o, ins->family, format < TN_AMD_VOP1 ? S0 : V7, dwords); break;
  }
  if (*l == 'a' && format == TN_AMD_MUBUF) o->kind = TN_AMD_OFF;
  if (packed) o->op_sel_hi = 1;
}
static void vary_operands(forms *f, const tn_amd_ins *base, const tn_amd_form *form) {
  for (int i = 0; i < form->n; i++) for (int k = 0; k < CLASSES; k++) for (int d = 1; d <= 2; d++) {
    tn_amd_ins x = *base;
    const char where = form->operands[2 * i];
    const int dwords = tn_amd_dwords(f->family, form->operands[2 * i + 1]);
    const int address = where == 'a' || where == 's';
    const int waits = where == 'S' && strstr(tn_amd_rows[base->op].names, "s_waitcnt_");     // LLVM wants null there
    if (strchr("#MinK", where) || (d == 2 && !address) || waits) continue;
    // a float's constant where whole numbers of 16 bits are wanted is written by its bits, which are a literal
    if (strchr("wi", form->operands[2 * i + 1]) && (k == HALF || k == TURN)) continue;
    set_class(&x.o[i], f->family, k, address ? d : dwords);
    add(f, &x);
    for (int j = 0; j < form->n && where == 's'; j++)        // an address of 32 bits goes with it
      if (form->operands[2 * j] == 'a') { x.o[j].dwords = 1; add(f, &x); x.o[j].kind = TN_AMD_OFF; add(f, &x); }
  }
}
static void vary_bits(forms *f, const tn_amd_ins *base, const tn_amd_form *form) {
  for (int i = 0; i < form->n; i++) {
    tn_amd_ins x = *base;
    x.o[i].neg = 1; add(f, &x);
    x.o[i].abs = 1; add(f, &x);
    x.o[i].neg = 0; add(f, &x);
    x = *base;
    x.o[i].op_sel = 1; add(f, &x);
    x = *base;
    x.o[i].op_sel_hi ^= 1; add(f, &x);
  }
}
static void vary_modifiers(forms *f, const tn_amd_ins *base) {
  static const struct { uint8_t m; int value[4]; } some[] = {
    {TN_AMD_CLAMP, {1}}, {TN_AMD_OMOD, {1, 2, 3}}, {TN_AMD_OFFSET, {1, 255, 4095, -1}},
    {TN_AMD_OFFSET, {-4096, 65535, 1048575, 8388607}}, {TN_AMD_OFFSET1, {1, 255}}, {TN_AMD_GLC, {1}}, {TN_AMD_SLC, {1}},
    {TN_AMD_DLC, {1}}, {TN_AMD_SCOPE, {1, 2, 3}}, {TN_AMD_TH, {1, 2, 3, 4}}, {TN_AMD_SC0, {1}}, {TN_AMD_SC1, {1}},
    {TN_AMD_NT, {1}}, {TN_AMD_TFE, {1}}, {TN_AMD_CBSZ, {1, 7}}, {TN_AMD_ABID, {1, 15}}, {TN_AMD_BLGP, {1, 2, 7}},
    {TN_AMD_BYTE_SEL, {1, 2, 3}}, {TN_AMD_INDEX_KEY, {1}}};
  for (size_t i = 0; i < sizeof some / sizeof *some; i++) for (int k = 0; k < 4 && some[i].value[k]; k++) {
    tn_amd_ins x = *base;
    const tn_amd_form form = tn_amd_form_of(x.op, x.family);
    x.m[some[i].m] = some[i].value[k];
    if (some[i].m == TN_AMD_TFE && x.n) x.o[0].dwords++;
    const int hinted = f->family == TN_AMD_GFX12 && x.m[TN_AMD_TH] & 1;
    if (x.n && *form.operands == 'r' && (x.m[TN_AMD_GLC] || x.m[TN_AMD_SC0] || hinted))
      set_class(&x.o[0], f->family, V15, tn_amd_dwords(f->family, form.operands[1]));
    add(f, &x);
  }
  for (int k = 1; k < 4; k++) {            // addresses of buffers
    tn_amd_ins x = *base;
    x.m[TN_AMD_OFFEN] = k & 1; x.m[TN_AMD_IDXEN] = k >> 1;
    if (x.n < 2) break;
    set_class(&x.o[1], f->family, V15, k == 3 ? 2 : 1);
    add(f, &x);
  }
}
static void vary_lanes(forms *f, const tn_amd_ins *base, const tn_amd_form *form) {
  static const int ctrl[] = {0, 0x1B, 0x101, 0x10F, 0x111, 0x128, 0x140, 0x141, 0x150, 0x15F, 0x161, 0x130,
                             0x13C, 0x142, 0x143};
  for (size_t i = 0; i < sizeof ctrl / sizeof *ctrl; i++) {
    tn_amd_ins x = *base;
    x.lanes = TN_AMD_DPP16; x.m[TN_AMD_DPP_CTRL] = ctrl[i];
    x.m[TN_AMD_ROW_MASK] = i % 2 ? 15 : 5; x.m[TN_AMD_BANK_MASK] = i % 3 ? 15 : 8;
    add(f, &x);
    x.m[TN_AMD_BOUND_CTRL] = 1; add(f, &x);
    x.m[TN_AMD_FI] = f->family != TN_AMD_GFX9;
    vary_bits(f, &x, form);
  }
  tn_amd_ins x = *base;
  x.lanes = TN_AMD_DPP8; x.m[TN_AMD_LANES_8] = 0x053977; add(f, &x);
  x.m[TN_AMD_FI] = 1; add(f, &x);
  for (int part = 0; part < 7; part++) for (int i = 0; i < 4; i++) {
    x = *base;
    x.lanes = TN_AMD_SDWA;
    const int format = tn_amd_format(x.op, f->family);
    x.m[TN_AMD_DST_SEL] = format == TN_AMD_VOPC ? 0 : i == 0 ? part : 6;
    x.m[TN_AMD_DST_UNUSED] = format == TN_AMD_VOPC ? 0 : part % 3;
    x.m[TN_AMD_SRC0_SEL] = i == 1 ? part : 6; x.m[TN_AMD_SRC1_SEL] = format == TN_AMD_VOP1 ? 0 : i == 2 ? part : 6;
    if (i == 3 && part < form->n) x.o[part].sext = 1;
    add(f, &x);
  }
}
static void add_row(forms *f, int row) {
  tn_amd_ins x;
  const tn_amd_form form = tn_amd_form_of(row, f->family);
  const int format = tn_amd_format(row, f->family);
  if (!format) return;
  memset(&x, 0, sizeof x);
  x.op = (uint16_t)row; x.family = (uint8_t)f->family; x.n = (uint8_t)form.n;
  for (int i = 0; i < form.n; i++) set_base(&x, &form, i);
  for (x.long_form = 0; x.long_form < 2; x.long_form++) {
    add(f, &x);
    vary_operands(f, &x, &form);
    vary_bits(f, &x, &form);
    vary_modifiers(f, &x);
    if (format >= TN_AMD_VOP1 && format <= TN_AMD_VOP3P) vary_lanes(f, &x, &form);
    for (int i = 0; i < 5 && form.n; i++) {                  // numbers of s_* instructions
      static const uint16_t some[] = {0, 1, 63, 0x7FFF, 0xFFFF};
      tn_amd_ins y = x;
      y.o[form.n - 1].value = some[i];
      if (form.operands[2 * form.n - 2] == '#') add(f, &y);
    }
  }
}
static void add_pairs(forms *f) {                            // VOPD: each with each
  for (int x = 0; x < TN_AMD_DUALS_X; x++) for (int y = 0; y < TN_AMD_DUALS; y++) for (int k = 0; k < 4; k++) {
    static const int classes[4] = {V15, S0, HALF, LITERAL};
    tn_amd_ins ins;
    const int ops[2] = {tn_amd_duals[x], tn_amd_duals[y]};
    memset(&ins, 0, sizeof ins);
    if (!ops[1] || !tn_amd_format(ops[0], f->family) || !tn_amd_format(ops[1], f->family)) continue;
    ins.op = (uint16_t)ops[0]; ins.op_y = (uint16_t)ops[1]; ins.family = (uint8_t)f->family;
    for (int half = 0; half < 2; half++) {
      const tn_amd_form form = tn_amd_form_of(ops[half], f->family);
      tn_amd_operand *const o = half ? ins.y : ins.o;
      *(half ? &ins.n_y : &ins.n) = (uint8_t)form.n;
      for (int i = 0; i < form.n; i++) {
        const char where = form.operands[2 * i];
        set_class(&o[i], f->family, where == 'm' ? VCC : where == 'K' ? LITERAL : V0, 1);
        if (o[i].kind == TN_AMD_VGPR) o[i].reg = (uint16_t)(where == 'd' ? 8 + half : 16 + 17 * half + i);
        if (where == '0' && half == (x + y) % 2) set_class(&o[i], f->family, classes[k], 1);
      }
    }
    add(f, &ins);
  }
}

// Ours beside LLVM's: words of our text, and back from the words to the same instruction and text.
static void check_form(int family, const form *one, const llvm_words *theirs, int asked) {
  tn_amd_ins back;
  tn_amd_error e;
  char text[LLVM_TEXT] = "";
  uint32_t words[4];
  const int taken = tn_amd_decode(family, one->words.word, one->words.n, &back);
  if (taken) tn_amd_print(&back, text, sizeof text);
  const int is_back = taken == one->words.n && !strcmp(text, one->text);
  CHECK(is_back);
  if (!is_back) show("does not come back", family, one->words.word, one->words.n, one->text, text);
  if (is_untold(one->text)) return;
  const int parsed = tn_amd_parse(family, one->text, strlen(one->text), &back, &e);
  const int reads = parsed && same_words(words, tn_amd_encode(family, &back, words), one->words.word, one->words.n);
  const char *const why = parsed ? "other words" : e.sentence;
  CHECK(reads);
  if (!reads) show("is not read", family, one->words.word, one->words.n, one->text, why);
  if (!asked || is_exception(family, one->text)) return;
  const int same = same_words(theirs->word, theirs->n, one->words.word, one->words.n);
  CHECK(same);
  if (same) return;
  show("differs", family, one->words.word, one->words.n, one->text, theirs->n ? "other words" : "refused");
  for (int i = 0; i < theirs->n; i++) fprintf(stderr, "    %08x\n", theirs->word[i]);
}
static void test_forms(tiny_ctx *t, int has_llvm) {
  const char *const wanted = getenv("TEST_STRIDE");
  const int stride = wanted ? atoi(wanted) : brief() ? 31 : 7;
  static forms f;
  for (int family = 0; family < TN_AMD_FAMILIES; family++) {
    memset(&f, 0, sizeof f);
    f.family = family;
    for (int row = 1; row < TN_AMD_COUNT; row++) add_row(&f, row);
    if (family != TN_AMD_GFX9) add_pairs(&f);
    int rows = 0, asked = 0;
    for (int row = 1; row < TN_AMD_COUNT; row++) {
      if (!tn_amd_format(row, family)) continue;
      rows++;
      const int has_form = f.hit[row];
      CHECK(has_form);
      if (!has_form) fprintf(stderr, "%s: no form of %s\n", families[family], tn_amd_rows[row].names);
    }
    form *const of = f.of;
    int kept = 0;
    for (int i = 0; i < f.n; i++) {
      if (i % stride) free(of[i].text);
      else of[kept++] = of[i];
    }
    for (int i = 0; i < kept; i += LLVM_AT_ONCE) {
      static llvm_words theirs[LLVM_AT_ONCE];
      static char *lines[LLVM_AT_ONCE];
      const int n = kept - i < LLVM_AT_ONCE ? kept - i : LLVM_AT_ONCE;
      for (int k = 0; k < n; k++) lines[k] = of[i + k].text;
      if (has_llvm) llvm_assemble(t, family, lines, n, theirs);
      tn_scratch_reset(t, 1);
      for (int k = 0; k < n; k++) { check_form(family, &of[i + k], &theirs[k], has_llvm); asked += has_llvm; }
    }
    printf("%s: %d forms of %d instructions, %d of them beside LLVM's\n", families[family], kept, rows, asked);
    for (int i = 0; i < kept; i++) free(of[i].text);
    free(f.of);
  }
}

// ** random words **

static const struct { uint32_t match, mask; uint8_t families; } aims[] = {
  {0x80000000, 0xC0000000, 7}, {0xBE800000, 0xFF800000, 7}, {0xBF000000, 0xFF800000, 7}, {0xBF800000, 0xFF800000, 7},
  {0xB0000000, 0xF0000000, 7}, {0x7E000000, 0xFE000000, 7}, {0x7C000000, 0xFE000000, 7}, {0x00000000, 0x80000000, 7},
  {0xCC000000, 0xFF800000, 3}, {0xD4000000, 0xFC000000, 3}, {0xC8000000, 0xFC000000, 3}, {0xF4000000, 0xFC000000, 3},
  {0xD8000000, 0xFC000000, 7}, {0xDC000000, 0xFC000000, 5}, {0xE0000000, 0xFC000000, 5}, {0xEC000000, 0xFC000000, 2},
  {0xC4000000, 0xFC000000, 2}, {0xD3800000, 0xFF800000, 4}, {0xD0000000, 0xFC000000, 4}, {0xC0000000, 0xFC000000, 4}};
static uint32_t random_word(void) { return (uint32_t)rnd(65536) << 16 | (uint32_t)rnd(65536); }
// Four words, the first of a format of the family; codes that say what is behind more often than chance has them.
static void random_words(int family, uint32_t word[4]) {
  static const uint16_t codes[] = {249, 250, 233, 234, 255, 128, 193, 240, 248, 106, 124, 125, 126, 253, 235};
  int aim;
  do aim = rnd(sizeof aims / sizeof *aims); while (!(aims[aim].families >> family & 1));
  for (int i = 0; i < 4; i++) word[i] = random_word();
  word[0] = (word[0] & ~aims[aim].mask) | aims[aim].match;
  if (!rnd(4)) word[0] = (word[0] & ~511u) | codes[rnd(15)];
  if (!rnd(5)) word[1] = (word[1] & ~511u) | codes[rnd(15)];
  if (rnd(2)) word[1] &= random_word();
  if (!rnd(3)) word[2] &= random_word() & random_word();
}

// What we make of words. junk: bits that the instruction has no use for; plain: its words without them.
typedef struct ours { tn_amd_ins ins; int n, junk, nplain; uint32_t plain[4]; char text[LLVM_TEXT]; } ours;
static void decode(int family, const uint32_t *word, ours *o) {
  memset(o, 0, sizeof *o);
  o->n = tn_amd_decode(family, word, 4, &o->ins);
  if (!o->n) return;
  o->nplain = tn_amd_encode(family, &o->ins, o->plain);
  o->junk = !same_words(word, o->n, o->plain, o->nplain);
  tn_amd_print(&o->ins, o->text, sizeof o->text);
}
static int is_known(int family, const char *text) {          // is its name in our table?
  tn_amd_parser p = {text, text, text + strlen(text), text, NULL, family, 0, 0, NULL};
  tn_amd_ins ins;
  int form;
  if (!strncmp(text, "v_dual_", 7)) return 1;
  memset(&ins, 0, sizeof ins);
  return tn_amd_read_row(&p, &ins, &form) != 0;
}
static int is_told(int family, const char *text, const uint32_t *word, int n) {    // are its words these? "": yes
  tn_amd_ins ins;
  tn_amd_error e;
  uint32_t own[4];
  if (!*text || !tn_amd_parse(family, text, strlen(text), &ins, &e)) return 1;
  return same_words(own, tn_amd_encode(family, &ins, own), word, n);
}
enum { BATCH = 4096 };
static struct { int same, junk, refused, theirs, unknown; } count;
// Where the texts differ or we take nothing, LLVM's text is asked for its words: where those are others, the words were
// not what anybody would write, and LLVM's text does not tell them.
static void check_batch(tiny_ctx *t, int family, int n) {
  static llvm_words words[BATCH], plain[BATCH], again[BATCH];
  static llvm_answer theirs[BATCH], canonical[BATCH];
  static ours us[BATCH];
  static char *lines[BATCH];
  static int doubt[BATCH], junk[BATCH];
  int ndoubt = 0, njunk = 0;
  for (int i = 0; i < n; i++) {
    random_words(family, words[i].word);
    decode(family, words[i].word, &us[i]);
    words[i].n = us[i].n ? us[i].n : 3;
    const int is_written = !us[i].n || us[i].nplain;
    CHECK(is_written);
    if (!is_written) show("cannot be written", family, words[i].word, us[i].n, us[i].text, "");
  }
  llvm_disassemble(t, family, words, n, theirs);
  for (int i = 0; i < n; i++) {
    const char *const text = theirs[i].text;
    const int same = us[i].n && !strcmp(us[i].text, text) && !(theirs[i].many && us[i].n > 1);
    if (same) count.same++;
    else if (!us[i].n && !*text) count.refused++;
    else if (*text && !is_known(family, text)) count.unknown++;
    else if (*text) { doubt[ndoubt] = i; lines[ndoubt++] = theirs[i].text; }
    else if (!us[i].junk) {
      const int is_excepted = is_exception(family, us[i].text);
      CHECK(is_excepted);
      if (!is_excepted) show("LLVM refuses", family, words[i].word, us[i].n, us[i].text, "");
    }
    if (!us[i].n || !us[i].junk) continue;
    junk[njunk] = i;
    memcpy(plain[njunk].word, us[i].plain, sizeof us[i].plain);
    plain[njunk++].n = us[i].nplain;
  }
  llvm_assemble(t, family, lines, ndoubt, again);
  for (int k = 0; k < ndoubt; k++) {
    const int i = doubt[k], told = again[k].n && !memcmp(again[k].word, words[i].word, (size_t)again[k].n * 4);
    count.theirs += !told;
    const int is_same_text = !told || is_exception(family, theirs[i].text);
    CHECK(is_same_text);
    if (!is_same_text) show("differs", family, words[i].word, words[i].n, us[i].text, theirs[i].text);
  }
  llvm_disassemble(t, family, plain, njunk, canonical);
  for (int k = 0; k < njunk; k++) {
    const ours *const o = &us[junk[k]];
    count.junk++;
    // a literal that has a code is written as the constant: the text does not tell it
    const int untold = !is_told(family, canonical[k].text, plain[k].word, plain[k].n);
    const int is_same_plain = !strcmp(canonical[k].text, o->text) || is_exception(family, o->text) || untold;
    CHECK(is_same_plain);
    if (!is_same_plain) show("differs without its junk", family, plain[k].word, plain[k].n, o->text, canonical[k].text);
  }
  tn_scratch_reset(t, 1);
}
static void test_random_words(tiny_ctx *t) {
  const char *const wanted = getenv("TEST_WORDS");
  const int all = wanted ? atoi(wanted) : brief() ? 9 * 1024 : 48 * 1024;
  for (int family = 0; family < TN_AMD_FAMILIES; family++) {
    memset(&count, 0, sizeof count);
    rng = 20261126 + (uint64_t)family;
    for (int left = all / 3; left > 0; left -= BATCH) check_batch(t, family, left < BATCH ? left : BATCH);
    printf("%s: %d words: %d the same text, %d by both refused, %d with bits of no use, %d not told by LLVM's text, "
           "%d of names not in the table\n", families[family], all / 3, count.same, count.refused, count.junk,
           count.theirs, count.unknown);
  }
}
// Without LLVM: what is decoded can be written, printed and read again to the same words.
static void test_round_trips(void) {
  for (int i = 0; i < (brief() ? 20000 : 60000); i++) {
    uint32_t word[4], back[4];
    ours o;
    tn_amd_ins ins;
    tn_amd_error e;
    const int family = i % 3;
    random_words(family, word);
    decode(family, word, &o);
    if (!o.n || tn_amd_broken_rule(&o.ins)) continue;
    CHECK(o.nplain);
    // hints without a name are not read, nor floats whose short form says another constant
    const int parsed = tn_amd_parse(family, o.text, strlen(o.text), &ins, &e);
    if (!parsed && (strstr(o.text, "0x") || strstr(o.text, "CASCADE"))) continue;
    const int is_read = parsed;
    CHECK(is_read);
    if (!is_read) show("is not read", family, word, o.n, o.text, e.sentence);
    char text[LLVM_TEXT] = "";
    if (parsed) tn_amd_print(&ins, text, sizeof text);
    const int is_same_line = !strcmp(text, o.text) || strstr(o.text, "0x") || is_untold(o.text);
    CHECK(is_same_line);
    if (!is_same_line) show("is read as another", family, word, o.n, o.text, text);
    if (parsed) CHECK(tn_amd_encode(family, &ins, back));
  }
}

// ** sentences **

static const struct { int family, line, column; const char *text, *sentence; } bad[] = {
  {TN_AMD_GFX9, 1, 1, "v_mfma_f32_32x32x8_f16 v[0:15], v[16:17], v[18:19], v[4:19]",
   "the result overlaps what is added to"},
  {TN_AMD_GFX11, 1, 1, "v_add_f33 v0, v1, v2", "there is no such instruction"},
  {TN_AMD_GFX11, 1, 1, "v_lshl_add_u64 v[0:1], v[2:3], 3, v[4:5]", "there is no such instruction"},
  {TN_AMD_GFX11, 2, 21, "s_nop 0\n    v_add_f32 v0, v1", "an operand is missing"},
  {TN_AMD_GFX11, 1, 16, "v_add_f32 v0, v256, v2", "a number does not fit"},
  {TN_AMD_GFX11, 1, 15, "v_add_f32 v0, w1, v2", "there is no such register or constant"},
  {TN_AMD_GFX11, 1, 15, "v_add_f32 v0, 1.25, v2",
   "a float that is no inline constant is written by its bits, as 0x3fc00000"},
  {TN_AMD_GFX11, 1, 22, "v_add_f32 v0, v1, v2 clamped", "there is no such modifier"},
  {TN_AMD_GFX11, 1, 1, "v_add_f32 v[0:1], v1, v2", "the instruction does not take these operands"},
  {TN_AMD_GFX11, 1, 1, "v_fma_f32 v0, s1, s2, s3", "it reads too many scalar registers and literals"},
  {TN_AMD_GFX9, 1, 1, "v_fma_f32 v0, s1, s2, v3", "it reads too many scalar registers and literals"},
  {TN_AMD_GFX9, 1, 1, "v_fma_f32 v0, v1, 0x12345, v3", "the instruction does not take these operands"},
  {TN_AMD_GFX9, 1, 1, "v_add_f64 v[1:2], v[2:3], v[4:5]", "the instruction does not take these operands"},
  {TN_AMD_GFX11, 1, 1, "v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v1, v5", "the pair reads one bank twice"},
  {TN_AMD_GFX11, 1, 33, "v_dual_mov_b32 v0, v1 :: v_dual_exp_f32 v1, v2", "this is not issued with another"},
  {TN_AMD_GFX11, 3, 10, "here:\n  s_nop 0\ns_branch there", "there is no such label"},
  {TN_AMD_GFX11, 1, 20, "s_waitcnt vmcnt(0) xcnt(0)", "there is no such counter"},
  {TN_AMD_GFX12, 1, 1, "s_waitcnt_vscnt null, 0", "there is no such instruction"},
  {TN_AMD_GFX11, 1, 17, "s_waitcnt vmcnt(64)", "a number does not fit"},
  {TN_AMD_GFX11, 1, 23, "global_load_b32 v0, v1", "an operand is missing"},
  {TN_AMD_GFX11, 1, 1, "global_load_b32 v0, v1, s[2:3] offset:4096", "the instruction does not take these operands"},
  {TN_AMD_GFX11, 1, 15, "v_mov_b32 v0, 99999999999", "a literal has 32 bits"}
};
static void test_sentences(tiny_ctx *t) {
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    tiny_bytes out = {t, NULL, 0, 0};
    tn_amd_error e;
    CHECK(!tn_amd_assemble(bad[i].family, bad[i].text, strlen(bad[i].text), &out, &e));
    CHECK(e.sentence && !strcmp(e.sentence, bad[i].sentence) && e.line == bad[i].line && e.column == bad[i].column);
    const char *const said = e.sentence ? e.sentence : "taken";
    if (test_shown()) fprintf(stderr, "%s: %d:%d: %s\n", bad[i].text, e.line, e.column, said);
  }
  tn_scratch_reset(t, 1);
}
// Texts cut and changed at random: a sentence that lies within the text, or words.
static void test_broken_text(tiny_ctx *t) {
  rng = 7;
  for (int i = 0; i < (brief() ? 5000 : 50000); i++) {
    const int at = rnd(sizeof golden / sizeof *golden);
    char text[LLVM_TEXT];
    tiny_bytes out = {t, NULL, 0, 0};
    tn_amd_error e;
    snprintf(text, sizeof text, "%s", golden[at].text);
    for (int k = rnd(3); k >= 0; k--) text[rnd((int)strlen(text))] = "0v[]|-:,sx _(9\n"[rnd(15)];
    const size_t n = (size_t)rnd((int)strlen(text) + 1);
    const int done = tn_amd_assemble(golden[at].family, text, n, &out, &e);
    CHECK(done ? !e.sentence : e.sentence && e.line >= 1 && e.column >= 1 && e.column <= (int)n + 1);
    if (i % 512 == 0) tn_scratch_reset(t, 1);
  }
  tn_scratch_reset(t, 1);
}
static void test_labels(tiny_ctx *t) {
  static const char text[] = "// a loop\nstart: v_mov_b32 v0, 0x12345678 ; two words\nagain:\n  s_add_u32 s0, s0, 1\n"
                             "  s_cbranch_scc1 done\n  s_branch again\ndone: other: s_endpgm\n  s_branch start\n";
  static const uint32_t words[] = {0x7E0002FF, 0x12345678, 0x80008100, 0xBFA20001, 0xBFA0FFFD, 0xBFB00000, 0xBFA0FFF9};
  tiny_bytes out = {t, NULL, 0, 0};
  tn_amd_error e;
  CHECK(tn_amd_assemble(TN_AMD_GFX11, text, sizeof text - 1, &out, &e));
  CHECK(out.n == sizeof words && !memcmp(out.data, words, sizeof words));
  tn_scratch_reset(t, 1);
}

// ** from C: out[i] = 2 * in[i] while i < n, in a loop of one round; the same as text **

static void test_calls(tiny_ctx *t) {
  static const char text[] =
    "s_load_b128 s[4:7], s[0:1], 0x0\n s_load_b32 s3, s[0:1], 0x10\n v_and_b32 v0, 0x3ff, v0\n"
    "v_lshl_add_u32 v0, s2, 6, v0\n s_waitcnt lgkmcnt(0)\n again: v_cmpx_gt_u32 s3, v0\n s_cbranch_execz done\n"
    "v_lshlrev_b32 v1, 2, v0\n global_load_b32 v2, v1, s[6:7] offset:4\n s_waitcnt vmcnt(0)\n v_mul_f32 v2, 2.0, v2\n"
    "v_add_f32_dpp v2, v2, v2 row_shr:1 row_mask:0xf bank_mask:0xf\n v_fma_f32 v2, v2, 0x40490fdb, v2\n"
    "v_pk_add_f16 v2, v2, v1\n global_store_b32 v1, v2, s[4:5]\n s_branch again\n done: s_endpgm\n";
  enum { AGAIN, DONE };
  tiny_bytes calls = {t, NULL, 0, 0}, out = {t, NULL, 0, 0};
  static tn_amd_program program;
  tn_amd_program *const p = &program;
  tn_amd_error e;
  memset(p, 0, sizeof *p);
  p->family = TN_AMD_GFX11; p->out = &calls;
  const tn_amd_operand v0 = tn_amd_v(0, 1), v1 = tn_amd_v(1, 1), v2 = tn_amd_v(2, 1), args_at = tn_amd_s(0, 2);
  TN_AMD_EMIT(p, TN_AMD_S_LOAD_B128, tn_amd_s(4, 4), args_at, tn_amd_off());
  tn_amd_with(p, TN_AMD_OFFSET, 16);
  TN_AMD_EMIT(p, TN_AMD_S_LOAD_B32, tn_amd_s(3, 1), args_at, tn_amd_off());
  TN_AMD_EMIT(p, TN_AMD_V_AND_B32, v0, tn_amd_int(0x3FF), v0);
  TN_AMD_EMIT(p, TN_AMD_V_LSHL_ADD_U32, v0, tn_amd_s(2, 1), tn_amd_int(6), v0);
  TN_AMD_EMIT(p, TN_AMD_S_WAITCNT, tn_amd_imm(0xFC07));
  tn_amd_label_here(p, AGAIN);
  TN_AMD_EMIT(p, TN_AMD_V_CMPX_GT_U32, tn_amd_s(3, 1), v0);
  tn_amd_branch(p, TN_AMD_S_CBRANCH_EXECZ, DONE);
  TN_AMD_EMIT(p, TN_AMD_V_LSHLREV_B32, v1, tn_amd_int(2), v0);
  tn_amd_with(p, TN_AMD_OFFSET, 4);
  TN_AMD_EMIT(p, TN_AMD_GLOBAL_LOAD_B32, v2, v1, tn_amd_s(6, 2));
  TN_AMD_EMIT(p, TN_AMD_S_WAITCNT, tn_amd_imm(0x03F7));
  TN_AMD_EMIT(p, TN_AMD_V_MUL_F32, v2, tn_amd_bits(0x40000000), v2);
  tn_amd_with(p, TN_AMD_DPP_CTRL, 0x111);
  TN_AMD_EMIT(p, TN_AMD_V_ADD_F32, v2, v2, v2);
  TN_AMD_EMIT(p, TN_AMD_V_FMA_F32, v2, v2, tn_amd_bits(0x40490FDB), v2);
  TN_AMD_EMIT(p, TN_AMD_V_PK_ADD_F16, v2, v2, v1);
  TN_AMD_EMIT(p, TN_AMD_GLOBAL_STORE_B32, v1, v2, tn_amd_s(4, 2));
  tn_amd_branch(p, TN_AMD_S_BRANCH, AGAIN);
  tn_amd_label_here(p, DONE);
  TN_AMD_EMIT(p, TN_AMD_S_ENDPGM, tn_amd_imm(0));
  CHECK(tn_amd_finish(p));
  CHECK(tn_amd_assemble(TN_AMD_GFX11, text, sizeof text - 1, &out, &e));
  CHECK(calls.n == out.n && !memcmp(calls.data, out.data, out.n));
  // what is wrong is told by its call, and nothing is added behind it
  const size_t before = calls.n;
  TN_AMD_EMIT(p, TN_AMD_V_ADD_F32, v0, v1, tn_amd_v(2, 2));
  TN_AMD_EMIT(p, TN_AMD_V_ADD_F32, v0, v1, v2);
  CHECK(!tn_amd_finish(p) && p->wrong_call == 18 && calls.n == before);
  CHECK(p->wrong && !strcmp(p->wrong, "the instruction does not take these operands"));
  memset(p, 0, sizeof *p);
  p->family = TN_AMD_GFX9; p->out = &calls;
  TN_AMD_EMIT(p, TN_AMD_S_WAIT_LOADCNT, tn_amd_imm(0));
  CHECK(p->wrong && !strcmp(p->wrong, "there is no such instruction"));
  memset(p, 0, sizeof *p);
  p->family = TN_AMD_GFX11; p->out = &calls;
  tn_amd_branch(p, TN_AMD_S_BRANCH, 5);
  CHECK(!tn_amd_finish(p) && !strcmp(p->wrong, "a label is nowhere"));
  tn_scratch_reset(t, 1);
}

int main(void) {
  static tiny_ctx context;
  tiny_ctx *t = open_context(&context);
  const int has_llvm = llvm_is_there(t);
  test_golden();
  test_sentences(t);
  test_labels(t);
  test_calls(t);
  test_broken_text(t);
  test_round_trips();
  if (!has_llvm) printf("skipped: no llvm-mc-19 to compare with (apt-get install llvm-19)\n");
  test_forms(t, has_llvm);
  if (has_llvm) test_random_words(t);
  close_context(t);
  return test_report();
}
