// Waits, hazards and bytes of lists of AMD's machine instructions: lists written by hand have the waits that are
// expected, and random ones, of loads, LDS, scalar loads, vector and matrix instructions, branches and loops, run on
// the emulator, which is strict, with nothing said; without one of their waits it says so.
// TEST_ROUNDS=1000: that many random kernels of each family.
// brief: plain asan
#include "amd_test.h"
#include "../src/isa/amd_parse.c"
#include "../src/isa/amd_hazards.c"
#include "../src/isa/amd_delays.c"
#include "../src/isa/amd_finish.c"
#include "rnd.h"

static const char *const chips[3] = {"gfx1100", "gfx1201", "gfx942"};
static const int numbers[3] = {1100, 1201, 942};
static const tn_amd_chip *chip_of(int k) {
  for (int i = 0; i < TN_AMD_CHIPS; i++) if (!strcmp(tn_amd_chips[i].name, chips[k])) return &tn_amd_chips[i];
  return NULL;
}
static tn_amd_list opened(tiny_ctx *t, int chip) {
  tn_amd_list l;
  CHECK(tn_amd_list_open(&l, t, chip_of(chip)));
  return l;
}

// ** lists by hand: lines of text, "L1:", "s_branch L1", "loop", "end" **

static void add_line(tn_amd_list *l, const char *text, size_t n) {
  const char *const at = (const char *)memchr(text, 'L', n);
  const int label = at ? atoi(at + 1) : 0;
  char line[200];
  tn_amd_error e;
  tn_amd_ins ins;
  if (label >= l->labels) l->labels = label + 1;
  if (*text == 'L') { tn_amd_line_new(l, TN_AMD_LINE_LABEL, label); return; }
  if (n == 4 && !memcmp(text, "loop", 4)) { tn_amd_line_new(l, TN_AMD_LINE_LOOP, -1); return; }
  if (n == 3 && !memcmp(text, "end", 3)) { tn_amd_line_new(l, TN_AMD_LINE_LOOP_END, -1); return; }
  snprintf(line, sizeof line, "%.*s%s", at ? (int)(at - text) : (int)n, text, at ? "0" : "");
  const int ok = tn_amd_parse(l->family, line, strlen(line), &ins, &e);
  CHECK(ok);
  if (!ok) { fprintf(stderr, "    %s\n", line); return; }
  tn_amd_line_new(l, TN_AMD_LINE_INS, at ? label : -1)->ins = ins;
}
static void add_text(tn_amd_list *l, const char *text) {
  while (*text) {
    const size_t n = strcspn(text, "\n");
    if (n) add_line(l, text, n);
    text += n + (text[n] == '\n');
  }
}
static void put_text(const tn_amd_list *l, tiny_bytes *out) {
  for (int i = 1; i < l->n; i++) {                           // but for the first label
    char line[300];
    tn_amd_line_text(&l->line[i], line, sizeof line);
    tn_text_add(out, "%s\n", line);
  }
  tiny_bytes_add(out, "", 1);
}

// What comes of it; delays: with hints, too.
typedef struct example { int chip; const char *what, *text, *wanted; int delays; } example;
static const example examples[] = {
  {0, "a load, as late as possible, and no more",
   "global_load_b32 v1, v0, s[2:3]\nglobal_load_b32 v2, v0, s[4:5]\nv_mov_b32 v3, 0\nv_add_f32 v3, v1, v3\n"
   "v_add_f32 v3, v2, v3",
   "global_load_b32 v1, v0, s[2:3]\nglobal_load_b32 v2, v0, s[4:5]\nv_mov_b32_e32 v3, 0\ns_waitcnt vmcnt(1)\n"
   "v_add_f32_e32 v3, v1, v3\ns_waitcnt vmcnt(0)\nv_add_f32_e32 v3, v2, v3\n", 0},
  {1, "LDS and a load at once",
   "global_load_b32 v1, v0, s[2:3]\nds_load_b32 v2, v0\nv_add_f32 v3, v1, v2",
   "global_load_b32 v1, v0, s[2:3]\nds_load_b32 v2, v0\ns_wait_loadcnt_dscnt 0x0\nv_add_f32_e32 v3, v1, v2\n", 0},
  {1, "scalars in any order",
   "s_load_b32 s8, s[0:1], 0x0\ns_load_b32 s9, s[0:1], 0x4\ns_add_co_u32 s10, s8, 1\n"
   "s_add_co_u32 s10, s9, 1",
   "s_load_b32 s8, s[0:1], 0x0\ns_load_b32 s9, s[0:1], 0x4\ns_wait_kmcnt 0x0\ns_add_co_u32 s10, s8, 1\n"
   "s_add_co_u32 s10, s9, 1\n", 0},
  {2, "LDS beside scalars",
   "ds_read_b32 v1, v0\nds_read_b32 v2, v0\ns_load_dword s8, s[0:1], 0x0\nv_mov_b32 v3, v1\ns_mov_b32 s9, s8\n"
   "v_mov_b32 v4, v2",
   "ds_read_b32 v1, v0\nds_read_b32 v2, v0\ns_load_dword s8, s[0:1], 0x0\ns_waitcnt lgkmcnt(1)\nv_mov_b32_e32 v3, v1\n"
   "s_waitcnt lgkmcnt(0)\ns_mov_b32 s9, s8\nv_mov_b32_e32 v4, v2\n", 0},
  {0, "a barrier waits for LDS alone",
   "global_load_b32 v1, v0, s[2:3]\nds_store_b32 v0, v2\ns_barrier\nds_load_b32 v3, v0",
   "global_load_b32 v1, v0, s[2:3]\nds_store_b32 v0, v2\ns_waitcnt lgkmcnt(0)\ns_barrier\nds_load_b32 v3, v0\n", 0},
  {2, "from memory into LDS",
   "s_mov_b32 m0, 0\nglobal_load_lds_dword v0, s[2:3]\ns_barrier\nds_read_b32 v3, v0",
   "s_mov_b32 m0, 0\ns_nop 0\nglobal_load_lds_dword v0, s[2:3]\ns_waitcnt vmcnt(0)\ns_barrier\n"
   "ds_read_b32 v3, v0\n", 0},
  {0, "a load in front of a loop that loads, too",
   "global_load_b32 v1, v0, s[2:3]\nglobal_load_b32 v2, v0, s[4:5]\nloop\nL1:\nv_add_f32 v3, v1, v2\n"
   "global_load_b32 v2, v0, s[4:5]\ns_cbranch_scc1 L1\nend",
   "global_load_b32 v1, v0, s[2:3]\nglobal_load_b32 v2, v0, s[4:5]\ns_waitcnt vmcnt(1)\nloop of 0\nL1:\n"
   "s_waitcnt vmcnt(0)\nv_add_f32_e32 v3, v1, v2\nglobal_load_b32 v2, v0, s[4:5]\ns_cbranch_scc1 L1\nend of loop\n", 0},
  {0, "the shorter of two ways",
   "global_load_b32 v1, v0, s[2:3]\ns_cbranch_scc1 L1\nglobal_load_b32 v2, v0, s[2:3]\nL1:\nv_mov_b32 v3, v1",
   "global_load_b32 v1, v0, s[2:3]\ns_cbranch_scc1 L1\nglobal_load_b32 v2, v0, s[2:3]\nL1:\ns_waitcnt vmcnt(0)\n"
   "v_mov_b32_e32 v3, v1\n", 0},
  {0, "loads over loads",
   "global_load_b32 v1, v0, s[2:3]\nglobal_load_b32 v1, v0, s[4:5]\nds_load_b32 v1, v0",
   "global_load_b32 v1, v0, s[2:3]\nglobal_load_b32 v1, v0, s[4:5]\ns_waitcnt vmcnt(0)\nds_load_b32 v1, v0\n", 0},
  {2, "stores count, and are not waited for",
   "global_load_dword v1, v0, s[2:3]\nglobal_store_dword v0, v2, s[4:5]\nv_mov_b32 v2, v1",
   "global_load_dword v1, v0, s[2:3]\nglobal_store_dword v0, v2, s[4:5]\ns_waitcnt vmcnt(1)\n"
   "v_mov_b32_e32 v2, v1\n", 0},
  {2, "wait states of a chain of products",
   "v_mfma_f32_16x16x16_f16 v[4:7], v[0:1], v[2:3], v[4:7]\nv_mfma_f32_16x16x16_f16 v[4:7], v[0:1], v[2:3], v[4:7]\n"
   "v_mov_b32 v8, v4",
   "v_mfma_f32_16x16x16_f16 v[4:7], v[0:1], v[2:3], v[4:7]\nv_mfma_f32_16x16x16_f16 v[4:7], v[0:1], v[2:3], v[4:7]\n"
   "s_nop 6\nv_mov_b32_e32 v8, v4\n", 0},
  {2, "what is added to is overwritten",
   "v_mfma_f32_32x32x8_f16 v[16:31], v[0:1], v[2:3], v[32:47]\nv_mov_b32 v40, 0",
   "v_mfma_f32_32x32x8_f16 v[16:31], v[0:1], v[2:3], v[32:47]\ns_nop 6\nv_mov_b32_e32 v40, 0\n", 0},
  {2, "a hazard that goes round", "loop\nL1:\nv_mov_b32_dpp v1, v2 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:1\n"
   "v_mov_b32 v2, v1\ns_cbranch_scc1 L1\nend",
   "loop of 0\nL1:\ns_nop 0\nv_mov_b32_dpp v1, v2 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:1\n"
   "v_mov_b32_e32 v2, v1\ns_cbranch_scc1 L1\nend of loop\n", 0},
  {0, "a transcendental's result", "v_exp_f32 v1, v0\nv_mul_f32 v2, v1, v1\nv_exp_f32 v3, v2\nv_mov_b32 v4, 0\n"
   "v_mov_b32 v4, 0\nv_mov_b32 v4, 0\nv_mov_b32 v4, 0\nv_mov_b32 v4, 0\nv_mov_b32 v4, 0\nv_mul_f32 v5, v3, v3",
   "v_exp_f32_e32 v1, v0\ns_waitcnt_depctr 0xfff\nv_mul_f32_e32 v2, v1, v1\nv_exp_f32_e32 v3, v2\n"
   "v_mov_b32_e32 v4, 0\nv_mov_b32_e32 v4, 0\nv_mov_b32_e32 v4, 0\nv_mov_b32_e32 v4, 0\nv_mov_b32_e32 v4, 0\n"
   "v_mov_b32_e32 v4, 0\nv_mul_f32_e32 v5, v3, v3\n", 0},
  {1, "a scalar that was read, written again", "v_mov_b32 v1, s8\ns_add_co_u32 s8, s8, 1\nv_mov_b32 v2, s8",
   "v_mov_b32_e32 v1, s8\ns_add_co_u32 s8, s8, 1\ns_wait_alu 0xfffe\nv_mov_b32_e32 v2, s8\n", 0},
  {0, "results of the one before, and of the one before that", "v_mov_b32 v1, v0\nv_mov_b32 v2, v0\n"
   "v_add_f32 v3, v1, v0\nv_mov_b32 v4, v0\nv_add_f32 v5, v4, v4\ns_add_u32 s8, s8, 1\ns_add_u32 s9, s8, 1",
   "v_mov_b32_e32 v1, v0\nv_mov_b32_e32 v2, v0\ns_delay_alu instid0(VALU_DEP_2) | instskip(SKIP_1) | "
   "instid1(VALU_DEP_1)\nv_add_f32_e32 v3, v1, v0\nv_mov_b32_e32 v4, v0\nv_add_f32_e32 v5, v4, v4\n"
   "s_add_u32 s8, s8, 1\ns_delay_alu instid0(SALU_CYCLE_1)\ns_add_u32 s9, s8, 1\n", 1},
  {1, "a transcendental's result, and a clause", "v_exp_f32 v1, v0\nv_mul_f32 v2, v1, v0\n"
   "global_load_b32 v3, v0, s[2:3]\nglobal_load_b32 v4, v0, s[4:5]\nglobal_store_b32 v0, v2, s[4:5]",
   "v_exp_f32_e32 v1, v0\ns_delay_alu instid0(TRANS32_DEP_1)\nv_mul_f32_e32 v2, v1, v0\ns_clause 0x1\n"
   "global_load_b32 v3, v0, s[2:3]\nglobal_load_b32 v4, v0, s[4:5]\nglobal_store_b32 v0, v2, s[4:5]\n", 1}
};
static void test_examples(tiny_ctx *t) {
  for (size_t k = 0; k < sizeof examples / sizeof *examples; k++) {
    const example *const x = &examples[k];
    if (!case_named("%s: %s", chips[x->chip], x->what)) continue;
    tn_amd_list l = opened(t, x->chip);
    tiny_bytes text = {t, NULL, 0, 0};
    add_text(&l, x->text);
    tn_amd_wait(&l);
    tn_amd_hazards(&l);
    if (x->delays) tn_amd_delay(&l);
    CHECK(!l.refused);
    put_text(&l, &text);
    CHECK(!strcmp(text.data, x->wanted));
    if (strcmp(text.data, x->wanted)) fprintf(stderr, "%s", text.data);
  }
}

// ** bytes **

// Shorter instructions: lines, and what their bytes say.
static const example bytes[] = {
  {0, "fmac, fmaak, fmamk", "v_fma_f32 v1, v2, s3, v1\nv_fma_f32 v1, v2, v3, 0x40490fdb\n"
   "v_fma_f32 v1, 0x40490fdb, v2, v3\nv_fma_f32 v1, v2, v3, -v1\nv_fma_f32 v1, v2, v3, v4",
   "v_fmac_f32_e32 v1, s3, v2\nv_fmaak_f32 v1, v2, v3, 0x40490fdb\nv_fmamk_f32 v1, v2, 0x40490fdb, v3\n"
   "v_fma_f32 v1, v2, v3, -v1\nv_fma_f32 v1, v2, v3, v4\ns_endpgm\n", 0},
  {2, "fmac of f64", "v_fma_f64 v[2:3], v[4:5], v[6:7], v[2:3]",
   "v_fmac_f64_e32 v[2:3], v[4:5], v[6:7]\ns_endpgm\n", 0},
  {0, "scalars of 16 bits", "s_mov_b32 s1, 0x1234\ns_mov_b32 s1, 0x12345\ns_add_i32 s1, s1, 0xfffffe00\n"
   "s_add_i32 s1, s2, 0x200\ns_cmp_lt_u32 s1, 0xfedc\ns_cmp_lt_i32 s1, 0xfedc\ns_mul_i32 s1, s1, 0x200",
   "s_movk_i32 s1, 0x1234\ns_mov_b32 s1, 0x12345\ns_addk_i32 s1, 0xfe00\ns_add_i32 s1, s2, 0x200\n"
   "s_cmpk_lt_u32 s1, 0xfedc\ns_cmp_lt_i32 s1, 0xfedc\ns_mulk_i32 s1, 0x200\ns_endpgm\n", 0},
  {1, "no scalars of 16 bits that are compared", "s_cmp_lt_u32 s1, 0xfedc", "s_cmp_lt_u32 s1, 0xfedc\ns_endpgm\n", 0},
  {0, "branches there and back", "L1:\ns_mov_b32 s1, 0x12345\ns_cbranch_scc1 L2\ns_branch L1\nL2:\ns_endpgm",
   "s_mov_b32 s1, 0x12345\ns_cbranch_scc1 1\ns_branch 65532\ns_endpgm\n", 0}
};
static void test_bytes(tiny_ctx *t) {
  for (size_t k = 0; k < sizeof bytes / sizeof *bytes; k++) {
    const example *const x = &bytes[k];
    if (!case_named("%s: %s", chips[x->chip], x->what)) continue;
    tn_amd_list l = opened(t, x->chip);
    tiny_bytes code = {t, NULL, 0, 0}, text = {t, NULL, 0, 0};
    add_text(&l, x->text);
    CHECK(tn_amd_finish_list(&l, &code));
    for (size_t at = 0; at < code.n; ) {
      uint32_t words[4] = {0};
      char line[300];
      tn_amd_ins ins;
      memcpy(words, code.data + at, code.n - at < sizeof words ? code.n - at : sizeof words);
      const int n = tn_amd_decode(l.family, words, 4, &ins);
      CHECK(n);
      if (!n) break;
      at += 4 * (size_t)n;
      tn_amd_print(&ins, line, sizeof line);
      tn_text_add(&text, "%s\n", line);
    }
    CHECK(!strcmp(text.data, x->wanted));
    if (strcmp(text.data, x->wanted)) fprintf(stderr, "%s", text.data);
  }
}
static void test_refused(tiny_ctx *t) {
  tiny_bytes code = {t, NULL, 0, 0};
  case_named("lists that cannot be");
  tn_amd_list l = opened(t, 2);
  tn_amd_line_new(&l, TN_AMD_LINE_INS, -1)->ins.op = TN_AMD_V_MOV_B32;
  CHECK(!tn_amd_finish_list(&l, &code) && !strcmp(l.refused, "v_mov_b32 does not take these operands"));
  l = opened(t, 0);
  tn_amd_copy(&l, tn_amd_v(0, 1), tn_amd_v(1, 1));
  CHECK(!tn_amd_finish_list(&l, &code) && !strcmp(l.refused, "a copy has no registers yet"));
  l = opened(t, 0);
  tn_amd_branch_to(&l, TN_AMD_S_BRANCH, tn_amd_label_new(&l));
  CHECK(!tn_amd_finish_list(&l, &code) && !strcmp(l.refused, "a label is nowhere"));
  l = opened(t, 0);
  const int label = tn_amd_label_new(&l);
  tn_amd_branch_to(&l, TN_AMD_S_BRANCH, label);
  for (int i = 0; i < 32768; i++) tn_amd_do1(&l, TN_AMD_S_NOP, tn_amd_imm(0));
  tn_amd_line_new(&l, TN_AMD_LINE_LABEL, label);
  CHECK(!tn_amd_finish_list(&l, &code) && !strcmp(l.refused, "a label is too far away"));
}

// ** random kernels **
//
// s[4:5], s[6:7]: memory that is read, and written; s20, s21: 0x1F0, 512; s22: where the wave's LDS begins, 512 bytes;
// s[8:9]: memory that is read, of v50, v51; s[24:39]: what scalar loads write; s[40:41]: counters; s[44:51]: masks and
// whatever; s[52:53]: EXEC. v0 to v31: anything; v32 to v39: places; v48: the lane, v49: the wave's LDS. v[64:127]:
// products and what is multiplied, the same in all lanes. AGPRs a0 to a31.
// depth: of loops; others: LDS of other waves is read, and none is written
typedef struct kernel { tn_amd_list *l; int nine, depth, others; } kernel;
enum { PLACES = 32, PRODUCTS = 64 };

static tn_amd_operand v(int r) { return tn_amd_v(r, 1); }
static tn_amd_operand vs(int r, int n) { return tn_amd_v(r, n); }
static tn_amd_operand s(int r) { return tn_amd_s(r, 1); }
static tn_amd_operand pair(int r) { return tn_amd_s(r, 2); }
static tn_amd_operand mask(const kernel *k, int r) { return tn_amd_s(r, k->nine ? 2 : 1); }
static tn_amd_operand any_v(void) { return v(rnd(32)); }
static tn_amd_operand place(void) { return v(PLACES + rnd(8)); }
static tn_amd_operand any_s(void) { const int r = rnd(20); return s(r < 16 ? 24 + r : r < 18 ? 24 + r : 28 + r); }
static int written_s(void) { return rnd(3) ? 24 + rnd(16) : 44 + rnd(4); }
static int op_of(const kernel *k, int op, int other) { return tn_amd_format(op, k->l->family) ? op : other; }

static void put_prologue(kernel *k) {
  tn_amd_list *const l = k->l;
  tn_amd_line *line;
  tn_amd_do3(l, TN_AMD_S_LOAD_B128, tn_amd_s(4, 4), pair(0), tn_amd_off());
  tn_amd_do3(l, TN_AMD_V_AND_B32, v(48), tn_amd_int(1023), v(0));
  tn_amd_do2(l, TN_AMD_S_MOV_B32, s(20), tn_amd_int(0x1F0));
  tn_amd_do2(l, TN_AMD_S_MOV_B32, s(21), tn_amd_int(512));
  for (int r = 22; r < 52; r++) tn_amd_do2(l, TN_AMD_S_MOV_B32, s(r), tn_amd_int(rnd(64)));
  tn_amd_do2(l, k->nine ? TN_AMD_S_MOV_B64 : TN_AMD_S_MOV_B32, mask(k, TN_AMD_VCC), tn_amd_int(rnd(64)));
  for (int r = 0; r < 32; r++) tn_amd_do2(l, TN_AMD_V_MOV_B32, v(r), tn_amd_int(rnd(64)));
  tn_amd_do3(l, TN_AMD_V_LSHRREV_B32, v(49), tn_amd_int(k->nine ? 6 : 5), v(48));
  tn_amd_do3(l, TN_AMD_V_LSHLREV_B32, v(49), tn_amd_int(9), v(49));
  tn_amd_do2(l, TN_AMD_V_READFIRSTLANE_B32, s(22), v(49));
  for (int r = PLACES; r < PLACES + 8; r++) {
    tn_amd_do3(l, TN_AMD_V_LSHLREV_B32, v(r), tn_amd_int(4), v(48));
    tn_amd_do3(l, TN_AMD_V_AND_B32, v(r), s(20), v(r));
    tn_amd_do3(l, TN_AMD_V_OR_B32, v(r), v(49), v(r));
  }
  for (int i = 0; i < (k->nine ? 1 : 2); i++) {              // all of LDS: 32 lanes of 16 bytes
    line = tn_amd_do2(l, TN_AMD_DS_STORE_B128, v(PLACES), vs(0, 4));
    line->ins.m[TN_AMD_OFFSET] = 0;
  }
  tn_amd_do2(l, TN_AMD_V_MOV_B32, v(50), s(4));
  tn_amd_do2(l, TN_AMD_V_MOV_B32, v(51), s(5));
  tn_amd_do2(l, TN_AMD_S_MOV_B64, pair(8), pair(4));
  for (int r = PRODUCTS; r < 128; r++) tn_amd_do2(l, TN_AMD_V_MOV_B32, v(r), tn_amd_int(rnd(64)));
  for (int r = 0; r < 32 && k->nine; r++)
    tn_amd_do2(l, TN_AMD_V_ACCVGPR_WRITE_B32, tn_amd_register(TN_AMD_AGPR, r, 1), v(PRODUCTS + r));
}
static void put_barrier(kernel *k) {
  tn_amd_list *const l = k->l;
  k->others = !k->others;
  if (k->l->family != TN_AMD_GFX12) { tn_amd_do0(l, TN_AMD_S_BARRIER); return; }
  tn_amd_do1(l, TN_AMD_S_BARRIER_SIGNAL, tn_amd_int(-1));
  tn_amd_do1(l, TN_AMD_S_BARRIER_WAIT, tn_amd_imm(0xFFFF));
}
// A place in the wave's own LDS, of what a register holds.
static void put_place(kernel *k) {
  const tn_amd_operand to = place();
  tn_amd_do3(k->l, TN_AMD_V_AND_B32, to, s(20), any_v());
  tn_amd_do3(k->l, TN_AMD_V_OR_B32, to, v(49), to);
}
static void put_load(kernel *k) {
  static const int loads[] = {TN_AMD_GLOBAL_LOAD_B32, TN_AMD_GLOBAL_LOAD_B64, TN_AMD_GLOBAL_LOAD_B128};
  const int kind = rnd(3), n = 1 << kind;
  tn_amd_do3(k->l, loads[kind], vs(rnd(32 / n) * n, n), place(), pair(rnd(3) ? 4 : 8));
}
static void put_base(kernel *k) {
  tn_amd_do2(k->l, TN_AMD_V_READFIRSTLANE_B32, s(8), v(50));
  tn_amd_do2(k->l, TN_AMD_V_READFIRSTLANE_B32, s(9), v(51));
}
static void put_store(kernel *k) {
  static const int stores[] = {TN_AMD_GLOBAL_STORE_B32, TN_AMD_GLOBAL_STORE_B64, TN_AMD_GLOBAL_STORE_B128};
  const int kind = rnd(3), n = 1 << kind;
  tn_amd_do3(k->l, stores[kind], place(), vs(rnd(32 / n) * n, n), pair(6));
}
static void put_atomic(kernel *k) {
  const int returns = rnd(2);
  const tn_amd_operand none = tn_amd_register(TN_AMD_NONE, 0, 0);
  tn_amd_line *const line = tn_amd_do4(k->l, TN_AMD_GLOBAL_ATOMIC_ADD_U32, returns ? any_v() : none, place(), any_v(),
                                       pair(6));
  const int bit = k->nine ? TN_AMD_SC0 : k->l->family == TN_AMD_GFX12 ? TN_AMD_TH : TN_AMD_GLC;
  line->ins.m[bit] = returns;
}
static void put_lds(kernel *k) {
  static const int loads[] = {TN_AMD_DS_LOAD_B32, TN_AMD_DS_LOAD_B64, TN_AMD_DS_LOAD_B128};
  static const int stores[] = {TN_AMD_DS_STORE_B32, TN_AMD_DS_STORE_B64, TN_AMD_DS_STORE_B128};
  const int kind = rnd(3), n = 1 << kind, r = rnd(32 / n) * n;
  if (!k->others && rnd(2)) { tn_amd_do2(k->l, stores[kind], place(), vs(r, n)); return; }
  if (!k->others) { tn_amd_do2(k->l, loads[kind], vs(r, n), place()); return; }
  const tn_amd_operand there = v(40 + rnd(4));               // the other wave's
  tn_amd_do3(k->l, TN_AMD_V_XOR_B32, there, s(21), place());
  tn_amd_do2(k->l, loads[kind], vs(r, n), there);
}
static void put_permute(kernel *k) { tn_amd_do3(k->l, TN_AMD_DS_BPERMUTE_B32, any_v(), any_v(), any_v()); }
static void put_into_lds(kernel *k) {
  if (!k->nine || k->others) return;
  tn_amd_do2(k->l, TN_AMD_S_MOV_B32, s(TN_AMD_M0), s(22));
  tn_amd_do2(k->l, TN_AMD_GLOBAL_LOAD_LDS_DWORD, place(), pair(4));
}
static void put_scalar_load(kernel *k) {
  static const int loads[] = {TN_AMD_S_LOAD_B32, TN_AMD_S_LOAD_B64, TN_AMD_S_LOAD_B128};
  const int kind = rnd(3), n = 1 << kind;
  tn_amd_do3(k->l, loads[kind], tn_amd_s(24 + rnd(16 / n) * n, n), pair(4), tn_amd_off())->ins.m[TN_AMD_OFFSET] =
      4 * rnd(64);
}
static void put_salu(kernel *k) {
  static const int ops[] = {TN_AMD_S_ADD_U32, TN_AMD_S_MUL_I32, TN_AMD_S_XOR_B32, TN_AMD_S_LSHL_B32};
  tn_amd_do3(k->l, ops[rnd(4)], s(written_s()), any_s(), any_s());
}
static void put_valu(kernel *k) {
  static const int ops[] = {TN_AMD_V_ADD_NC_U32, TN_AMD_V_XOR_B32, TN_AMD_V_MUL_F32, TN_AMD_V_MAX_I32};
  tn_amd_do3(k->l, ops[rnd(4)], any_v(), rnd(2) ? any_v() : any_s(), any_v());
}
static void put_fma(kernel *k) {
  const tn_amd_operand to = any_v();
  tn_amd_do4(k->l, TN_AMD_V_FMA_F32, to, any_v(), any_v(), rnd(2) ? to : any_v());
}
static void put_trans(kernel *k) {
  static const int ops[] = {TN_AMD_V_EXP_F32, TN_AMD_V_RCP_F32, TN_AMD_V_LOG_F32, TN_AMD_V_SQRT_F32};
  tn_amd_do2(k->l, ops[rnd(4)], any_v(), any_v());
}
static void put_dpp(kernel *k) {
  tn_amd_line *const line = tn_amd_do2(k->l, TN_AMD_V_MOV_B32, any_v(), any_v());
  line->ins.lanes = TN_AMD_DPP16;
  line->ins.m[TN_AMD_DPP_CTRL] = 0x110 + 1 + rnd(8);
  line->ins.m[TN_AMD_BOUND_CTRL] = 1;
  line->ins.m[TN_AMD_ROW_MASK] = line->ins.m[TN_AMD_BANK_MASK] = 15;
}
static void put_compare(kernel *k) {
  static const int at[] = {TN_AMD_VCC, 44, 46, 48};
  tn_amd_do3(k->l, TN_AMD_V_CMP_LT_U32, mask(k, at[rnd(4)]), any_v(), any_v());
}
static void put_choice(kernel *k) {
  static const int at[] = {TN_AMD_VCC, 44, 46, 48};
  tn_amd_do4(k->l, TN_AMD_V_CNDMASK_B32, any_v(), any_v(), any_v(), mask(k, at[rnd(4)]));
}
static void put_carry(kernel *k) {
  tn_amd_do4(k->l, TN_AMD_V_ADD_CO_U32, any_v(), mask(k, TN_AMD_VCC), any_v(), any_v());
  if (rnd(2)) tn_amd_do4(k->l, TN_AMD_V_DIV_FMAS_F32, any_v(), any_v(), any_v(), any_v());
}
static void put_lane(kernel *k) {
  switch (rnd(3)) {
    case 0: tn_amd_do2(k->l, TN_AMD_V_READFIRSTLANE_B32, s(written_s()), any_v()); break;
    case 1: tn_amd_do3(k->l, TN_AMD_V_READLANE_B32, s(written_s()), any_v(), any_s()); break;
    default: tn_amd_do3(k->l, TN_AMD_V_WRITELANE_B32, any_v(), any_s(), tn_amd_int(rnd(32)));
  }
}
// Lanes off, a permutation of what is on, lanes on again.
static void put_lanes_off(kernel *k) {
  const int move = k->nine ? TN_AMD_S_MOV_B64 : TN_AMD_S_MOV_B32;
  tn_amd_do2(k->l, move, mask(k, 52), mask(k, TN_AMD_EXEC));
  if (k->nine) tn_amd_do3(k->l, TN_AMD_V_CMPX_LT_U32, mask(k, TN_AMD_VCC), any_v(), any_v());
  else tn_amd_do2(k->l, TN_AMD_V_CMPX_LT_U32, any_v(), any_v());
  if (k->nine) { if (rnd(2)) put_dpp(k); else put_lane(k); }
  else {
    const int op = rnd(2) ? TN_AMD_V_PERMLANE16_B32 : TN_AMD_V_PERMLANEX16_B32;
    tn_amd_do4(k->l, op, any_v(), any_v(), any_s(), any_s());
  }
  tn_amd_do2(k->l, move, mask(k, TN_AMD_EXEC), mask(k, 52));
}
static void put_dot(kernel *k) {
  const int op = op_of(k, TN_AMD_V_DOT4_I32_I8, TN_AMD_V_DOT4_U32_U8);
  tn_amd_do4(k->l, op, any_v(), any_v(), any_v(), any_v());
}
static tn_amd_operand product(int n, int align, int agprs) {
  const int at = rnd(((agprs ? 32 : 64) - n) / align) * align;
  return agprs ? tn_amd_register(TN_AMD_AGPR, at, n) : vs(PRODUCTS + at, n);
}
static void put_mfma(kernel *k) {
  static const int ops[] = {TN_AMD_V_MFMA_F32_16X16X16_F16, TN_AMD_V_MFMA_F32_32X32X8_F16,
    TN_AMD_V_MFMA_F32_16X16X4_F32, TN_AMD_V_MFMA_I32_16X16X32_I8, TN_AMD_V_MFMA_F64_16X16X4_F64};
  static const int results[] = {4, 16, 4, 4, 8}, multiplied[] = {2, 2, 1, 2, 2};
  const int kind = rnd(5), n = results[kind], agprs = rnd(2);
  const tn_amd_operand d = product(n, 2, agprs), other = product(n, 2, agprs);
  const int apart = n <= 4 || other.reg >= d.reg + n || other.reg + n <= d.reg;
  tn_amd_line *const line = tn_amd_do4(k->l, ops[kind], d, product(multiplied[kind], 2, 0),
                                       product(multiplied[kind], 2, 0), rnd(3) && apart ? other : d);
  for (int i = 1; i < 3; i++) if (rnd(2)) line->ins.o[i] = product(multiplied[kind], 2, 1);
}
static void put_wmma(kernel *k) {
  const int n = k->l->family == TN_AMD_GFX12 ? 4 : 8;
  const tn_amd_operand d = product(8, 4, 0), other = product(8, 4, 0), a = product(n, 4, 0), b = product(n, 4, 0);
  const int over = (a.reg < d.reg + 8 && d.reg < a.reg + n) || (b.reg < d.reg + 8 && d.reg < b.reg + n);
  if (over || (other.reg != d.reg && other.reg < d.reg + 8 && d.reg < other.reg + 8)) return;
  tn_amd_do4(k->l, TN_AMD_V_WMMA_F32_16X16X16_F16, d, a, b, rnd(3) ? other : d);
}
static void put_matrix(kernel *k) {
  for (int n = 1 + rnd(3); n--; ) { if (k->nine) put_mfma(k); else put_wmma(k); }
  const tn_amd_operand from = product(1, 1, k->nine && rnd(2));
  if (from.kind == TN_AMD_AGPR) tn_amd_do2(k->l, TN_AMD_V_ACCVGPR_READ_B32, any_v(), from);
  else if (rnd(2)) tn_amd_do2(k->l, TN_AMD_V_MOV_B32, any_v(), from);
  else tn_amd_do3(k->l, TN_AMD_GLOBAL_STORE_B32, place(), from, pair(6));
  if (rnd(2)) tn_amd_do2(k->l, TN_AMD_V_MOV_B32, product(1, 1, 0), any_s());
}
static void put_mode(kernel *k) {
  if (!k->nine) return;
  const tn_amd_operand mode = tn_amd_imm(1 | 4 << 6 | 3 << 11);
  tn_amd_do2(k->l, TN_AMD_S_SETREG_IMM32_B32, mode, tn_amd_bits(0xF));
  if (rnd(2)) tn_amd_do2(k->l, TN_AMD_S_GETREG_B32, s(written_s()), mode);
}

typedef void put(kernel *k);
static put *const puts_[] = {put_place, put_load, put_load, put_load, put_base, put_store, put_atomic, put_lds,
  put_lds, put_lds, put_permute, put_into_lds, put_scalar_load, put_scalar_load, put_salu, put_salu, put_valu, put_valu,
  put_valu,
  put_fma, put_fma, put_trans, put_trans, put_dpp, put_dpp, put_compare, put_choice, put_carry, put_lane, put_lane,
  put_lanes_off, put_dot, put_matrix, put_matrix, put_matrix, put_mode};
static void put_lines(kernel *k, int n, int flow);
// Over some lines, by a condition that all lanes share.
static void put_skip(kernel *k) {
  const int label = tn_amd_label_new(k->l), others = k->others;
  if (rnd(2)) {
    tn_amd_do2(k->l, TN_AMD_S_CMP_LT_U32, any_s(), any_s());
    tn_amd_branch_to(k->l, rnd(2) ? TN_AMD_S_CBRANCH_SCC1 : TN_AMD_S_CBRANCH_SCC0, label);
  } else tn_amd_branch_to(k->l, rnd(2) ? TN_AMD_S_CBRANCH_VCCZ : TN_AMD_S_CBRANCH_VCCNZ, label);
  put_lines(k, 1 + rnd(6), 0);
  tn_amd_line_new(k->l, TN_AMD_LINE_LABEL, label);
  k->others = others;
}
static void put_loop(kernel *k) {
  const int label = tn_amd_label_new(k->l), counter = 40 + k->depth++;
  if (k->others) put_barrier(k);
  tn_amd_do2(k->l, TN_AMD_S_MOV_B32, s(counter), tn_amd_int(0));
  tn_amd_line_new(k->l, TN_AMD_LINE_LOOP, -1);
  tn_amd_line_new(k->l, TN_AMD_LINE_LABEL, label);
  put_lines(k, 4 + rnd(12), 1);
  if (k->others) put_barrier(k);
  tn_amd_do3(k->l, TN_AMD_S_ADD_U32, s(counter), s(counter), tn_amd_int(1));
  tn_amd_do2(k->l, TN_AMD_S_CMP_LT_U32, s(counter), tn_amd_int(2 + rnd(2)));
  tn_amd_branch_to(k->l, TN_AMD_S_CBRANCH_SCC1, label);
  tn_amd_line_new(k->l, TN_AMD_LINE_LOOP_END, -1);
  k->depth--;
}
static void put_lines(kernel *k, int n, int flow) {
  while (n--) {
    const int what = flow ? rnd(20) : 20;
    if (what == 0 && k->depth < 2) put_loop(k);
    else if (what == 1) put_skip(k);
    else if (what == 2) put_barrier(k);
    else puts_[rnd((int)(sizeof puts_ / sizeof *puts_))](k);
  }
}

// ** runs **

static int run(int chip, const tiny_bytes *code) {
  unsigned char *const data = amd_space.m.data;
  const uint64_t args[2] = {(uint64_t)(uintptr_t)data, (uint64_t)(uintptr_t)data + 65536};
  amd_dispatch d;
  amd_range range[3];
  memset(&d, 0, sizeof d);
  amd_ranges(&d, range);
  memcpy(amd_space.m.code, code->data, code->n);
  memcpy(amd_space.m.kernarg, args, sizeof args);
  for (int i = 0; i < 4096; i++) data[i] = (unsigned char)(i * 7);
  d.chip = numbers[chip];
  d.entry = range[0].address;
  d.rsrc1 = (chip == 2 ? 31u : 15u) | 0xFu << 16 | 1u << 21 | 1u << 23;
  d.rsrc2 = 2 << 1;
  d.rsrc3 = 31;
  d.properties = (uint16_t)(8 | (chip != 2) << 10);
  d.grid[0] = d.group[0] = chip == 2 ? 128 : 64;
  d.lds_nbytes = 1024;
  d.max_steps = 100000;
  d.sgpr_hazard = 1;
  return amd_emulate(&d, &report);
}
static int is_wait(const tn_amd_line *line) {
  static const int ops[] = {TN_AMD_S_WAITCNT, TN_AMD_S_NOP, TN_AMD_V_NOP, TN_AMD_S_WAITCNT_DEPCTR,
    TN_AMD_S_WAIT_LOADCNT, TN_AMD_S_WAIT_DSCNT, TN_AMD_S_WAIT_KMCNT, TN_AMD_S_WAIT_LOADCNT_DSCNT};
  int is = 0;
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) is |= line->ins.op == ops[i];
  return is && line->kind == TN_AMD_LINE_INS;
}
static int bytes_of(tiny_ctx *t, const tn_amd_list *of, int without, tiny_bytes *code) {
  tn_amd_list l = *of;
  const tiny_bytes none = {t, NULL, 0, 0};
  l.line = NULL;
  l.n = l.cap = 0;
  l.line = (tn_amd_line *)tn_amd_grown(&l, NULL, 0, &l.cap, sizeof *l.line);
  for (int i = 0; i < of->n; i++) if (i != without) *tn_amd_line_new(&l, TN_AMD_LINE_INS, -1) = of->line[i];
  *code = none;
  const int ok = tn_amd_finish_list(&l, code);
  CHECK(ok);
  if (!ok) fprintf(stderr, "    %s\n", l.refused);
  return ok && code->n <= AMD_CODE_NBYTES;
}
static void show(const tn_amd_list *l, int from, int to, int mark) {
  char text[300];
  for (int i = from < 0 ? 0 : from; i < to && i < l->n && getenv("TEST_SHOW"); i++) {
    tn_amd_line_text(&l->line[i], text, sizeof text);
    fprintf(stderr, "    %c %s\n", i == mark ? '>' : ' ', text);
  }
}
// Without one of its waits, and then another. counts: how many there were, how many were missed.
static void without_waits(tiny_ctx *t, const tn_amd_list *l, int chip, int counts[2]) {
  tiny_bytes code;
  for (int i = 0; i < l->n; i++) {
    if (!is_wait(&l->line[i]) || rnd(3) || !bytes_of(t, l, i, &code)) continue;
    const int missed = run(chip, &code);
    counts[0]++;
    counts[1] += missed;
    if (!missed) show(l, i - 3, i + 3, i);
  }
}
static void random_kernel(tiny_ctx *t, int chip, int flow, int counts[2]) {
  tn_amd_list l = opened(t, chip);
  kernel k = {&l, chip == 2, 0, 0};
  tiny_bytes code;
  put_prologue(&k);
  put_lines(&k, 30 + rnd(40), flow);
  if (k.others) put_barrier(&k);
  tn_amd_wait(&l);
  tn_amd_hazards(&l);
  if (rnd(2)) tn_amd_delay(&l);
  CHECK(!l.refused);
  if (!bytes_of(t, &l, -1, &code)) return;
  CHECK_EQ(run(chip, &code), 0);
  if (*report.error && test_shown()) { fprintf(stderr, "    %s\n", report.error); show(&l, 0, l.n, -1); }
  if (!*report.error && !flow) without_waits(t, &l, chip, counts);
}
static void test_random(tiny_ctx *t) {
  const char *const rounds = getenv("TEST_ROUNDS");
  const int n = rounds ? atoi(rounds) : getenv("TEST_BRIEF") ? 30 : 150;
  for (int chip = 0; chip < 3; chip++) {
    int counts[2] = {0, 0};
    for (int i = 0; i < n; i++) {
      if (!case_named("%s: random kernel %d", chips[chip], i)) continue;
      rng = (uint64_t)(i * 3 + chip + 1) * 7919;
      random_kernel(t, chip, i % 3 != 0, counts);
      tn_scratch_reset(t, 0);
    }
    case_named("%s: waits that are missed: %d of %d", chips[chip], counts[1], counts[0]);
    CHECK(counts[1] * 10 >= counts[0] * 9);
    if (getenv("TEST_SHOW")) fprintf(stderr, "%s: %d of %d\n", chips[chip], counts[1], counts[0]);
  }
}
int main(void) {
  tiny_ctx *t = tiny_open(NULL);
  test_examples(t);
  test_bytes(t);
  test_refused(t);
  test_random(t);
  tiny_close(t);
  return test_report();
}
