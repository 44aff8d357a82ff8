// also: tsan
// test_amd_emulator: the emulator of AMD GPUs by hand: what instructions answer, at the edges, by values that the
// manuals' formulas give; and each kind of mistake, which is told with its instruction.
#include "amd_test.h"
#include <pthread.h>

enum { G11 = 1, G12 = 2, G9 = 4, NEW = 3, ALL = 7 };
static const int chips[3] = {1100, 1201, 942};

// ** kernels of a few lines: a, b, c in v[2:3], v[4:5], v[6:7] and s[6:7], s[8:9], s[10:11]; v10 the lane's place of 8
// bytes of the result, at s[4:5]; the result in v[8:9], or s[20:21]. Names are gfx11's; others: as %[..]. **

static const char *const prologue[3] = {
    "s_load_b256 s[4:11], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n", "s_load_b256 s[4:11], s[0:1], 0x0\ns_wait_kmcnt 0x0\n",
    "s_load_dwordx8 s[4:11], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n"};
static const char moves[] =
    "v_mov_b32 v2, s6\nv_mov_b32 v3, s7\nv_mov_b32 v4, s8\nv_mov_b32 v5, s9\nv_mov_b32 v6, s10\nv_mov_b32 v7, s11\n"
    "v_mov_b32 v8, 0\nv_mov_b32 v9, 0\nv_lshlrev_b32 v10, 3, v0\ns_mov_b64 s[20:21], 0\n";
static const char *const epilogue[3] = {"global_store_b64 v10, v[8:9], s[4:5]\ns_endpgm\n",
                                        "global_store_b64 v10, v[8:9], s[4:5]\ns_endpgm\n",
                                        "s_nop 7\ns_nop 7\nglobal_store_dwordx2 v10, v[8:9], s[4:5]\ns_endpgm\n"};
static uint64_t *results(void) { return (uint64_t *)(void *)amd_space.m.data; }

// A kernel's text, behind a label.
static void put_kernel(tiny_bytes *text, int number, int chip, const char *body, int scalar) {
  tn_text_add(text, ".p2align 8\nk%d:\n%s%s", number, prologue[chip], moves);
  if (chip == 2) tn_text_put(text, "s_nop 4\n");
  for (const char *p = body; *p; p++) {    // %M: a mask of lanes
    if (strncmp(p, "%M", 2)) { tiny_bytes_add(text, p, 1); continue; }
    tn_text_put(text, chip == 2 ? "s[20:21]" : "s20");
    p++;
  }
  if (scalar && chip == 2) tn_text_put(text, "\ns_nop 4");
  if (scalar) tn_text_put(text, "\nv_mov_b32 v8, s20\nv_mov_b32 v9, s21");
  tn_text_add(text, "\n%s", epilogue[chip]);
}
static int assembled(tiny_ctx *t, tiny_bytes *text, int chip, amd_object *o) {
  memset(o, 0, sizeof *o);
  tiny_bytes_add(text, "", 1);
  const int done =
      amd_compile(t, chips[chip], 32, "assembler", text->data, &o->file) && amd_lay_out(o, amd_space.m.code);
  CHECK(done);
  return done;
}
// RSRC1: 64 VGPRs (and 64 AGPRs), denormals kept, IEEE, DX10_CLAMP.
static void dispatch_of(amd_dispatch *d, amd_range range[3], int chip, uint64_t entry, int threads) {
  memset(d, 0, sizeof *d);
  amd_ranges(d, range);
  d->chip = chips[chip]; d->entry = entry;
  d->rsrc1 = (chip == 2 ? 15u : 7u) | 0xFu << 16 | 1u << 21 | 1u << 23;
  d->rsrc2 = 2 << 1 | (threads > 64);
  d->rsrc3 = 15;
  d->properties = (uint16_t)(8 | (chip != 2) << 10);
  d->grid[0] = d->group[0] = (uint32_t)threads;
  d->lds_nbytes = 1024; d->scratch_nbytes = 64;
  d->max_steps = 10000;
}
static int run(int chip, uint64_t entry, int threads, const uint64_t in[3]) {
  amd_dispatch d;
  amd_range range[3];
  const uint64_t args[4] = {(uint64_t)(uintptr_t)results(), in[0], in[1], in[2]};
  dispatch_of(&d, range, chip, entry, threads);
  memset(amd_space.m.data, 0xEE, 4096);
  memcpy(amd_space.m.kernarg, args, sizeof args);
  return amd_emulate(&d, &report);
}

// ** instructions **

#define F(x) amd_b32(x)
#define D(x) amd_b64(x)
#define QUIET 0x7FC00000u
#define LOUD 0x7F800001u
// kind: v: v8 of all lanes; V: v[8:9]; s, S: s20, s[20:21]; 0 .. 63 + 'A'...: v8 of that lane alone, in `lane`.
typedef struct unit { int chips; char kind; const char *text; uint64_t a, b, c, want; int lane; } unit;
static void check_units(tiny_ctx *t, int chip, const unit *units, int n) {
  tiny_bytes text = {t, NULL, 0, 0};
  amd_object o;
  for (int k = 0; k < n; k++)
    if (units[k].chips >> chip & 1) put_kernel(&text, k, chip, units[k].text, (units[k].kind | 32) == 's');
  if (!assembled(t, &text, chip, &o)) return;
  for (int k = 0; k < n; k++) {
    const unit *u = &units[k];
    char name[16];
    const uint64_t in[3] = {u->a, u->b, u->c};
    if (!(u->chips >> chip & 1) || !case_named("gfx%d: %s", chips[chip], u->text)) continue;
    snprintf(name, sizeof name, "k%d", k);
    CHECK_EQ(run(chip, amd_find(&o, name), chip == 2 ? 64 : 32, in), 0);
    if (*report.error && test_shown()) fprintf(stderr, "    %s\n", report.error);
    const uint64_t got = results()[u->lane], mask = u->kind == 'V' || u->kind == 'S' ? ~0ull : 0xFFFFFFFF;
    CHECK_EQ((long long)(got & mask), (long long)u->want);
    if ((got & mask) != u->want)
      fprintf(stderr, "    %llx, %llx\n", (unsigned long long)(got & mask), (unsigned long long)u->want);
  }
}

static void test_units(tiny_ctx *t, int chip) {
  const unit units[] = {
      // scalars, and SCC by s_cselect
      {ALL, 's', "s_add_u32 s22, s6, s8\ns_cselect_b32 s20, 1, 0", 0xFFFFFFFF, 1, 0, 1, 0},
      {ALL, 's', "s_add_u32 s22, s6, s8\ns_addc_u32 s20, s7, s9", 0x1FFFFFFFF, 0x200000001, 0, 4, 0},
      {ALL, 's', "s_sub_u32 s22, s6, s8\ns_subb_u32 s20, s7, s9", 0x500000000, 1, 0, 4, 0},
      {ALL, 's', "s_add_i32 s22, s6, s8\ns_cselect_b32 s20, 1, 0", 0x7FFFFFFF, 1, 0, 1, 0},
      {ALL, 's', "s_add_i32 s22, s6, s8\ns_cselect_b32 s20, 1, 0", 0xFFFFFFFF, 1, 0, 0, 0},
      {ALL, 's', "s_sub_i32 s22, s6, s8\ns_cselect_b32 s20, 1, 0", 0x80000000, 1, 0, 1, 0},
      {ALL, 's', "s_lshl_b32 s20, s6, s8", 3, 33, 0, 6, 0},
      {ALL, 's', "s_ashr_i32 s20, s6, s8", 0x80000000, 31, 0, 0xFFFFFFFF, 0},
      {ALL, 'S', "s_lshl_b64 s[20:21], s[6:7], s8", 1, 40, 0, 1ull << 40, 0},
      {ALL, 'S', "s_ashr_i64 s[20:21], s[6:7], s8", 1ull << 63, 63, 0, ~0ull, 0},
      {ALL, 's', "s_lshl3_add_u32 s20, s6, s8", 5, 2, 0, 42, 0},
      {ALL, 's', "s_min_i32 s20, s6, s8", 0xFFFFFFFF, 1, 0, 0xFFFFFFFF, 0},
      {ALL, 's', "s_max_u32 s22, s6, s8\ns_cselect_b32 s20, 1, 0", 7, 7, 0, 1, 0},
      {ALL, 's', "s_min_u32 s22, s6, s8\ns_cselect_b32 s20, 1, 0", 7, 7, 0, 0, 0},
      {ALL, 's', "s_bfe_u32 s20, s6, 0x80004", 0xABCD, 0, 0, 0xBC, 0},
      {ALL, 's', "s_bfe_i32 s20, s6, 0x80004", 0xABCD, 0, 0, 0xFFFFFFBC, 0},
      {ALL, 's', "s_bfe_u32 s20, s6, 0x200000", 0xABCD1234, 0, 0, 0xABCD1234, 0},
      {ALL, 'S', "s_bfe_i64 s[20:21], s[6:7], 0x200000", 0x80000000, 0, 0, 0xFFFFFFFF80000000, 0},
      {ALL, 's', "s_bfm_b32 s20, s6, s8", 4, 8, 0, 0xF00, 0},
      {ALL, 's', "s_mul_hi_i32 s20, s6, s8", 0xFFFFFFFF, 7, 0, 0xFFFFFFFF, 0},
      {ALL, 's', "s_mul_hi_u32 s20, s6, s8", 0xFFFFFFFF, 7, 0, 6, 0},
      {ALL, 's', "s_pack_lh_b32_b16 s20, s6, s8", 0x11112222, 0x33334444, 0, 0x33332222, 0},
      {ALL, 's', "s_absdiff_i32 s20, s6, s8", 3, 10, 0, 7, 0},
      {ALL, 's', "s_abs_i32 s20, s6", 0x80000000, 0, 0, 0x80000000, 0},
      {ALL, 's', "s_brev_b32 s20, s6", 1, 0, 0, 0x80000000, 0},
      {ALL, 's', "s_bcnt1_i32_b64 s20, s[6:7]", 0xF0F0F0F0F0F0F0F0, 0, 0, 32, 0},
      {NEW, 's', "s_ctz_i32_b32 s20, s6", 0, 0, 0, 0xFFFFFFFF, 0},
      {NEW, 's', "s_clz_i32_u32 s20, s6", 0x00010000, 0, 0, 15, 0},
      {NEW, 's', "s_cls_i32 s20, s6", 0xFFFF0000, 0, 0, 16, 0},
      {G9, 's', "s_flbit_i32_b32 s20, s6", 0x00010000, 0, 0, 15, 0},
      {ALL, 's', "s_sext_i32_i8 s20, s6", 0x180, 0, 0, 0xFFFFFF80, 0},
      {ALL, 's', "s_cmp_lt_i32 s6, s8\ns_cselect_b32 s20, 1, 0", 0xFFFFFFFF, 0, 0, 1, 0},
      {ALL, 's', "s_cmp_lt_u32 s6, s8\ns_cselect_b32 s20, 1, 0", 0xFFFFFFFF, 0, 0, 0, 0},
      {ALL, 's', "s_bitcmp1_b32 s6, s8\ns_cselect_b32 s20, 1, 0", 8, 35, 0, 1, 0},
      {ALL, 's', "s_mov_b32 s20, s6\ns_addk_i32 s20, 0xffff", 5, 0, 0, 4, 0},
      {ALL, 's', "s_movk_i32 s20, 0x8000", 0, 0, 0, 0xFFFF8000, 0},
      {G11 | G9, 's', "s_cmpk_eq_u32 s6, 0xffff\ns_cselect_b32 s20, 1, 0", 0xFFFF, 0, 0, 1, 0},
      {G11 | G9, 's', "s_cmpk_eq_i32 s6, 0xffff\ns_cselect_b32 s20, 1, 0", 0xFFFFFFFF, 0, 0, 1, 0},
      {NEW, 's', "s_mov_b32 s20, s6\ns_and_not1_b32 s20, s20, s8", 0xFF, 0x0F, 0, 0xF0, 0},
      {G12, 'S', "s_mul_u64 s[20:21], s[6:7], s[8:9]", 0x123456789, 0x987654321, 0, 0x123456789ull * 0x987654321, 0},
      {G12, 's', "s_mul_f32 s20, s6, s8", F(3), F(-0.5f), 0, F(-1.5f), 0},
      {G12, 's', "s_fmac_f32 s20, s6, s8", F(3), F(2), 0, F(6), 0},
      {G12, 's', "s_cmp_nlt_f32 s6, s8\ns_cselect_b32 s20, 1, 0", QUIET, F(1), 0, 1, 0},
      {ALL, 's', "s_mov_b32 m0, 2\ns_mov_b32 s22, 5\ns_mov_b32 s24, s6\ns_movrels_b32 s20, s22", 77, 0, 0, 77, 0},
      {ALL, 's',
       "s_getpc_b64 s[22:23]\ns_add_u32 s22, s22, 16\ns_addc_u32 s23, s23, 0\ns_setpc_b64 s[22:23]\n"
       "s_mov_b32 s20, 1\ns_add_u32 s20, s20, 2",
       0, 0, 0, 2, 0},
      // f32
      {ALL, 'v', "v_add_f32 v8, v2, v4", 1, 1, 0, 2, 0},    // denormals are kept
      {ALL, 'v', "v_mul_f32 v8, v2, v4", F(1.0e-30f), F(1.0e-30f), 0, 0, 0},
      {ALL, 'v', "v_fma_f32 v8, v2, v4, v6", 0x3F800800, 0x3F800800, F(-1), 0x3A000400, 0},
      {ALL, 'v', "v_fma_f32 v8, v2, v4, v6", 0x3F800001, 0x3F7FFFFF, F(-1), 0x337FFFFE, 0},
      {ALL, 'v', "v_sub_f32 v8, v2, v4", 0x7F800000, F(1), 0, 0x7F800000, 0},
      {ALL, 'v', "v_add_f32_e64 v8, |v2|, -v4", F(-3), F(1), 0, F(2), 0},
      {ALL, 'v', "v_add_f32_e64 v8, v2, v4 clamp", F(3), F(1), 0, F(1), 0},
      {ALL, 'v', "v_add_f32_e64 v8, v2, v4 clamp", QUIET, F(1), 0, 0, 0},
      {G11 | G9, 'v', "v_min_f32 v8, v2, v4", QUIET, F(2), 0, F(2), 0},
      {G11 | G9, 'v', "v_max_f32 v8, v2, v4", F(2), LOUD, 0, LOUD | 0x400000, 0},
      {G11 | G9, 'v', "v_min_f32 v8, v2, v4", 0, 0x80000000, 0, 0x80000000, 0},
      {G11 | G9, 'v', "v_max_f32 v8, v2, v4", 0x80000000, 0, 0, 0, 0},
      {G12, 'v', "v_max_num_f32 v8, v2, v4", F(2), LOUD, 0, F(2), 0},
      {G12, 'v', "v_maximum_f32 v8, v2, v4", F(2), QUIET, 0, QUIET, 0},
      {G12, 'v', "v_minimum_f32 v8, v2, v4", 0, 0x80000000, 0, 0x80000000, 0},
      {G11 | G9, 'v', "v_med3_f32 v8, v2, v4, v6", F(5), F(1), F(3), F(3), 0},
      {G11 | G9, 'v', "v_med3_f32 v8, v2, v4, v6", F(5), QUIET, F(3), F(3), 0},
      {G11 | G9, 'v', "v_min3_f32 v8, v2, v4, v6", F(5), F(-1), F(3), F(-1), 0},
      {G11, 'v', "v_maxmin_f32 v8, v2, v4, v6", F(5), F(1), F(3), F(3), 0},
      {ALL, 'v', "v_floor_f32 v8, v2", F(-0.5f), 0, 0, F(-1), 0},
      {ALL, 'v', "v_rndne_f32 v8, v2", F(2.5f), 0, 0, F(2), 0},
      {ALL, 'v', "v_fract_f32 v8, v2", F(-1.0e-9f), 0, 0, 0x3F7FFFFF, 0},
      {ALL, 'v', "v_frexp_exp_i32_f32 v8, v2", F(8), 0, 0, 4, 0},
      {ALL, 'v', "v_frexp_mant_f32 v8, v2", F(-6), 0, 0, F(-0.75f), 0},
      {ALL, 'v', "v_ldexp_f32 v8, v2, v4", F(1), (uint32_t)-149, 0, 1, 0},
      {ALL, 'v', "v_exp_f32 v8, v2", F(-3), 0, 0, F(0.125f), 0},
      {ALL, 'v', "v_exp_f32 v8, v2", F(-127), 0, 0, 0, 0},    // its denormals are 0
      {ALL, 'v', "v_log_f32 v8, v2", F(0.125f), 0, 0, F(-3), 0},
      {ALL, 'v', "v_rcp_f32 v8, v2", F(-4), 0, 0, F(-0.25f), 0},
      {ALL, 'v', "v_rsq_f32 v8, v2", F(16), 0, 0, F(0.25f), 0},
      {ALL, 'v', "v_sin_f32 v8, v2", F(0.25f), 0, 0, F(1), 0},
      {ALL, 'v', "v_cos_f32 v8, v2", F(300), 0, 0, F(1), 0},
      {ALL, 'v', "v_cvt_i32_f32 v8, v2", F(-1.9f), 0, 0, 0xFFFFFFFF, 0},
      {ALL, 'v', "v_cvt_i32_f32 v8, v2", F(3.0e9f), 0, 0, 0x7FFFFFFF, 0},
      {ALL, 'v', "v_cvt_i32_f32 v8, v2", QUIET, 0, 0, 0, 0},
      {ALL, 'v', "v_cvt_u32_f32 v8, v2", F(-1), 0, 0, 0, 0},
      {ALL, 'v', "v_cvt_u32_f32 v8, v2", F(5.0e9f), 0, 0, 0xFFFFFFFF, 0},
      {ALL, 'v', "v_cvt_f32_u32 v8, v2", 0xFFFFFFFF, 0, 0, F(4294967296.0f), 0},
      {ALL, 'v', "v_cvt_f32_ubyte2 v8, v2", 0x00AB0000, 0, 0, F(171), 0},
      {NEW, 'v', "v_cvt_floor_i32_f32 v8, v2", F(-1.5f), 0, 0, (uint32_t)-2, 0},
      {ALL, 'v', "v_cvt_f16_f32 v8, v2", F(65520), 0, 0, 0x7C00, 0},
      {ALL, 'v', "v_cvt_f16_f32 v8, v2", F(2049), 0, 0, 0x6800, 0},
      {ALL, 'v', "v_cvt_f32_f16 v8, v2", 0x0001, 0, 0, 0x33800000, 0},
      {NEW, 'v', "v_cvt_pk_rtz_f16_f32 v8, v2, v4", F(2051), F(1.0e6f), 0, 0x7BFF6801, 0},
      {G9, 'v', "v_cvt_pkrtz_f16_f32 v8, v2, v4", F(2051), F(1.0e6f), 0, 0x7BFF6801, 0},
      {ALL, 's', "v_cmp_class_f32 %M, v2, v4\ns_nop 4", LOUD, 1, 0, 0xFFFFFFFF, 0},
      {ALL, 's', "v_cmp_class_f32 %M, v2, v4\ns_nop 4", 1, 1 << 7, 0, 0xFFFFFFFF, 0},
      {ALL, 's', "v_cmp_class_f32 %M, v2, v4\ns_nop 4", 0x80000000, 1 << 6, 0, 0, 0},
      {ALL, 's', "v_cmp_nlt_f32 %M, v2, v4\ns_nop 4", QUIET, F(1), 0, 0xFFFFFFFF, 0},
      {ALL, 's', "v_cmp_lg_f32 %M, v2, v4\ns_nop 4", QUIET, F(1), 0, 0, 0},
      {ALL, 's', "v_cmp_gt_u32 %M, 5, v0\ns_nop 4", 0, 0, 0, 31, 0},
      // rounding and denormals by MODE
      {NEW, 'v', "s_round_mode 0x1\nv_add_f32 v8, v2, v4", F(1), F(1.0e-10f), 0, 0x3F800001, 0},
      {NEW, 'v', "s_round_mode 0x3\nv_fma_f32 v8, v2, v4, v6", F(-1), F(1), F(-1.0e-10f), 0xBF800000, 0},
      {NEW, 'v', "s_denorm_mode 0xc\nv_add_f32 v8, v2, v4", 1, 0x80000001, 0, 0, 0},
      {NEW, 'v', "s_denorm_mode 0xc\nv_mul_f32 v8, v2, v4", 0x80800000, F(0.5f), 0, 0x80000000, 0},
      {ALL, 'v', "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 2\ns_nop 4\nv_add_f32 v8, v2, v4", F(1), F(-1.0e-10f), 0,
       0x3F7FFFFF, 0},
      {ALL, 'v', "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 2, 2), 3\ns_nop 4\nv_cvt_f16_f32 v8, v2", F(2051), 0, 0, 0x6801,
       0},
      // whole numbers
      {NEW, 'v', "v_add_nc_u32_e64 v8, v2, v4 clamp", 0xFFFFFFFF, 2, 0, 0xFFFFFFFF, 0},
      {NEW, 'v', "v_sub_nc_u32_e64 v8, v2, v4 clamp", 1, 2, 0, 0, 0},
      {NEW, 'v', "v_add_nc_i32 v8, v2, v4 clamp", 0x7FFFFFFF, 2, 0, 0x7FFFFFFF, 0},
      {ALL, 'v', "v_lshlrev_b32 v8, v2, v4", 33, 3, 0, 6, 0},
      {ALL, 'v', "v_ashrrev_i32 v8, v2, v4", 4, 0x80000000, 0, 0xF8000000, 0},
      {ALL, 'v', "v_mul_i32_i24 v8, v2, v4", 0x00FFFFFF, 7, 0, 0xFFFFFFF9, 0},
      {ALL, 'v', "v_mul_hi_u32_u24 v8, v2, v4", 0xFFFFFF, 0xFFFFFF, 0, 0xFFFF, 0},
      {ALL, 'v', "v_mad_u32_u24 v8, v2, v4, v6", 0x1000003, 5, 1, 16, 0},
      {ALL, 'v', "v_mul_hi_i32 v8, v2, v4", 0x80000000, 2, 0, 0xFFFFFFFF, 0},
      {ALL, 'v', "v_bfe_u32 v8, v2, v4, v6", 0xABCD, 4, 0, 0, 0},
      {ALL, 'v', "v_bfe_i32 v8, v2, v4, v6", 0xABCD, 4, 8, 0xFFFFFFBC, 0},
      {ALL, 'v', "v_bfi_b32 v8, v2, v4, v6", 0xFF00, 0x1234, 0x5678, 0x1278, 0},
      {ALL, 'v', "v_alignbit_b32 v8, v2, v4, v6", 1, 0x80000000, 31, 3, 0},
      {ALL, 'v', "v_alignbyte_b32 v8, v2, v4, v6", 0xAABBCCDD, 0x11223344, 1, 0xDD112233, 0},
      {ALL, 'v', "v_perm_b32 v8, v2, v4, v6", 0x8899AABB, 0x01F23344, 0x0D0C0803, 0xFF000001, 0},
      {ALL, 'v', "v_perm_b32 v8, v2, v4, v6", 0x8899AABB, 0x11223344, 0x0B090704, 0xFF0088BB & 0xFF00FFFF, 0},
      {ALL, 'v', "v_lshl_add_u32 v8, v2, v4, v6", 3, 4, 5, 53, 0},
      {ALL, 'v', "v_add3_u32 v8, v2, v4, v6", 0xFFFFFFFF, 2, 3, 4, 0},
      {ALL, 'v', "v_sad_u8 v8, v2, v4, v6", 0x01020304, 0x04030201, 10, 18, 0},
      {ALL, 'v', "v_med3_i32 v8, v2, v4, v6", 0xFFFFFFFF, 5, 2, 2, 0},
      {ALL, 'v', "v_max3_u32 v8, v2, v4, v6", 0xFFFFFFFF, 5, 2, 0xFFFFFFFF, 0},
      {ALL, 'v', "v_bcnt_u32_b32 v8, v2, v4", 0xFF, 3, 0, 11, 0},
      {NEW, 'v', "v_clz_i32_u32 v8, v2", 0, 0, 0, 0xFFFFFFFF, 0},
      {G9, 'v', "v_ffbh_u32 v8, v2", 0x8000, 0, 0, 16, 0},
      {NEW, 'v', "v_add_co_u32 v8, vcc_lo, v2, v4\nv_add_co_ci_u32 v8, vcc_lo, v3, v5, vcc_lo", 0x1FFFFFFFF,
       0x200000001, 0, 4, 0},
      {G9, 'v', "v_add_co_u32 v8, vcc, v2, v4\ns_nop 1\nv_addc_co_u32 v8, vcc, v3, v5, vcc", 0x1FFFFFFFF, 0x200000001,
       0, 4, 0},
      {NEW, 'V', "v_mad_u64_u32 v[8:9], null, v2, v4, v[6:7]", 0xFFFFFFFF, 0xFFFFFFFF, 1, 0xFFFFFFFE00000002, 0},
      {G9, 'V', "v_mad_i64_i32 v[8:9], s[22:23], v2, v4, v[6:7]", 0xFFFFFFFF, 5, 3, (uint64_t)-2, 0},
      {NEW, 'V', "v_lshlrev_b64 v[8:9], v2, v[4:5]", 40, 1, 0, 1ull << 40, 0},
      {ALL, 'V', "v_ashrrev_i64 v[8:9], v2, v[4:5]", 63, 1ull << 63, 0, ~0ull, 0},
      {G9, 'V', "v_lshl_add_u64 v[8:9], v[2:3], 3, v[4:5]", 1ull << 32, 7, 0, (8ull << 32) + 7, 0},
      {ALL, 'v', "v_mov_b32 v8, 0x12345678", 0, 0, 0, 0x12345678, 0},
      {ALL, 'v', "v_mbcnt_lo_u32_b32 v8, -1, 5", 0, 0, 0, 5 + 7, 7},
      {NEW, 'v', "v_cmp_lt_u32 vcc_lo, 3, v0\nv_cndmask_b32 v8, v2, v4, vcc_lo", 1, 2, 0, 2, 4},
      {NEW, 'v', "v_cmp_lt_u32 vcc_lo, 3, v0\nv_cndmask_b32 v8, v2, v4, vcc_lo", 1, 2, 0, 1, 3},
      {G9, 'v', "v_cmp_lt_u32 vcc, 3, v0\ns_nop 1\nv_cndmask_b32 v8, v2, v4, vcc", 1, 2, 0, 1, 3},
      {NEW, 'v', "v_cmpx_lt_u32 3, v0\nv_mov_b32 v8, 9\ns_mov_b32 exec_lo, -1", 0, 0, 0, 0, 3},
      {NEW, 'v', "v_cmpx_lt_u32 3, v0\nv_mov_b32 v8, 9\ns_mov_b32 exec_lo, -1", 0, 0, 0, 9, 4},
      // 64 bits of float
      {G11, 'V', "v_add_f64 v[8:9], v[2:3], v[4:5]", 0x3FF0000000000000, 0x3CA0000000000000, 0, 0x3FF0000000000000, 0},
      {ALL, 'V', "v_fma_f64 v[8:9], v[2:3], v[4:5], v[6:7]", 0x3FF0000000000001, 0x3FF0000000000001, 0xBFF0000000000000,
       0x3CC0000000000000, 0},
      {ALL, 'v', "v_cvt_i32_f64 v8, v[2:3]", 0xC1E0000000200000, 0, 0, 0x80000000, 0},
      {ALL, 'V', "v_cvt_f64_f32 v[8:9], v2", F(-2.5f), 0, 0, 0xC004000000000000, 0},
      {ALL, 'v', "v_cvt_f32_f64 v8, v[2:3]", 0x7E37E43C8800759C, 0, 0, 0x7F800000, 0},
      // halves: gfx11 and gfx12 keep the other half, gfx942 clears it
      {NEW, 'v', "v_mov_b32 v8, 0x55550000\nv_add_f16 v8, v2, v4", 0x3C00, 0x4000, 0, 0x55554200, 0},
      {G9, 'v', "v_mov_b32 v8, 0x55550000\nv_add_f16 v8, v2, v4", 0x3C00, 0x4000, 0, 0x4200, 0},
      {ALL, 'v', "v_mov_b32 v8, 0x5555\nv_fma_f16 v8, v2, v4, v6 op_sel:[1,0,0,1]", 0x40003C00, 0x4200, 0x3C00,
       0x47005555, 0},
      {ALL, 'v', "v_fma_f16 v8, v2, v4, v6", 0x3C08, 0x3C08, 0xBC00, 0x2404, 0},
      {ALL, 'v', "v_pk_add_f16 v8, v2, v4", 0x3C004000, 0x40003C00, 0, 0x42004200, 0},
      {ALL, 'v', "v_pk_fma_f16 v8, v2, v4, v6 neg_lo:[0,0,1]", 0x3C003C00, 0x40004000, 0x3C003C00, 0x42003C00, 0},
      {ALL, 'v', "v_pk_add_f16 v8, v2, v4 op_sel:[0,1] op_sel_hi:[1,0]", 0x3C004000, 0x42004400, 0, 0x45004500, 0},
      {ALL, 'v', "v_pk_mul_lo_u16 v8, v2, v4", 0x00030004, 0x00070008, 0, 0x00150020, 0},
      {ALL, 'v', "v_pk_add_i16 v8, v2, v4 clamp", 0x7FFF8000, 0x0001FFFF, 0, 0x7FFF8000, 0},
      {ALL, 'v', "v_pk_lshrrev_b16 v8, v2, v4", 0x00010004, 0x80008000, 0, 0x40000800, 0},
      {ALL, 'v', "v_fma_mix_f32 v8, v2, v4, v6 op_sel:[1,0,0] op_sel_hi:[1,0,0]", 0x42003C00, F(2), F(0.5f), F(6.5f),
       0},
      {ALL, 'v', "v_mov_b32 v8, 0x77770000\nv_fma_mixlo_f16 v8, v2, v4, v6", F(3), F(2), F(0.5f), 0x77774680, 0},
      {G11 | G9, 'v', "v_max_f16 v8, v2, v4", 0x7E00, 0x3C00, 0, 0x3C00, 0},
      {ALL, 'v', "v_ldexp_f16 v8, v2, v4", 0x3C00, 0xFFE8, 0, 0x0001, 0},
      {ALL, 'v', "v_cvt_u16_f16 v8, v2", 0xBC00, 0, 0, 0, 0},
      {ALL, 'v', "v_sat_pk_u8_i16 v8, v2", 0x01FFFFFF, 0, 0, 0xFF00, 0},
      {ALL, 'v', "v_dot2_f32_f16 v8, v2, v4, v6\ns_nop 3", 0x40003C00, 0x42004400, F(1), F(11), 0},
      {G11, 'v', "v_dot2_f32_bf16 v8, v2, v4, v6", 0x40003F80, 0x40404080, F(1), F(11), 0},
      {NEW, 'v', "v_dot4_i32_iu8 v8, v2, v4, v6 neg_lo:[1,0,0]", 0xFF010203, 0xFF010203, 1,
       (uint32_t)(-255 + 1 + 4 + 9 + 1), 0},
      {ALL, 'v', "v_dot8_u32_u4 v8, v2, v4, v6\ns_nop 3", 0x11111111, 0xFFFFFFFF, 1, 121, 0},
      {G9, 'v', "v_dot4_i32_i8 v8, v2, v4, v6\ns_nop 3", 0xFF010203, 0xFF010203, 1, 16, 0},
      {G9, 'V', "v_pk_fma_f32 v[8:9], v[2:3], v[4:5], v[6:7] op_sel_hi:[0,1,1]", 0xFFFFFFFF40000000, 0x4040000040400000,
       0x3F8000003F800000, 0x40E0000040E00000, 0},
      {G9, 'V', "v_pk_add_f32 v[8:9], v[2:3], v[4:5] neg_lo:[0,1] neg_hi:[0,0]", 0x4000000040000000, 0x3F8000003F800000,
       0, 0x404000003F800000, 0},
      // fp8: OCP on gfx12, FNUZ on gfx942
      {G12, 'v', "v_cvt_f32_fp8_e64 v8, v2 byte_sel:1", 0x3800, 0, 0, F(1), 0},
      {G12, 'v', "v_cvt_pk_fp8_f32 v8, v2, v4", F(1), F(448), 0, 0x7E38, 0},
      {G9, 'v', "v_cvt_pk_fp8_f32 v8, v2, v4", F(1), F(240), 0, 0x7F40, 0},
      {G9, 'v', "v_cvt_f32_fp8 v8, v2", 0x40, 0, 0, F(1), 0},
      {G9, 'v', "v_cvt_f32_bf8_sdwa v8, v2 src0_sel:BYTE_1", 0x4000, 0, 0, F(1), 0},
      // lanes
      {ALL, 's', "v_readfirstlane_b32 s20, v0", 0, 0, 0, 0, 0},
      {NEW, 's', "v_cmpx_lt_u32 6, v0\nv_readfirstlane_b32 s20, v0\ns_mov_b32 exec_lo, -1", 0, 0, 0, 7, 0},
      {ALL, 's', "v_readlane_b32 s20, v0, 9\ns_nop 4", 0, 0, 0, 9, 0},
      {ALL, 'v', "v_writelane_b32 v8, s6, 5\ns_nop 4", 77, 0, 0, 77, 5},
      {ALL, 'v', "v_writelane_b32 v8, s6, 5\ns_nop 4", 77, 0, 0, 0, 4},
      {ALL, 'v', "v_mov_b32_dpp v8, v0 quad_perm:[3,2,1,0] row_mask:0xf bank_mask:0xf", 0, 0, 0, 6, 5},
      {ALL, 'v', "v_mov_b32_dpp v8, v0 row_shr:3 row_mask:0xf bank_mask:0xf", 0, 0, 0, 16, 19},
      {ALL, 'v', "v_mov_b32 v8, 99\ns_nop 1\nv_mov_b32_dpp v8, v0 row_shr:3 row_mask:0xf bank_mask:0xf", 0, 0, 0, 99,
       1},
      {ALL, 'v', "v_mov_b32 v8, 99\ns_nop 1\nv_mov_b32_dpp v8, v0 row_shr:3 row_mask:0xf bank_mask:0xf bound_ctrl:1", 0,
       0, 0, 0, 1},
      {ALL, 'v', "v_mov_b32_dpp v8, v0 row_ror:3 row_mask:0xf bank_mask:0xf", 0, 0, 0, 13, 0},
      {ALL, 'v', "v_mov_b32_dpp v8, v0 row_mirror row_mask:0xf bank_mask:0xf", 0, 0, 0, 28, 19},
      {ALL, 'v', "v_mov_b32_dpp v8, v0 row_half_mirror row_mask:0xf bank_mask:0xf", 0, 0, 0, 14, 9},
      {ALL, 'v', "v_mov_b32_dpp v8, v0 row_mirror row_mask:0xd bank_mask:0xf", 0, 0, 0, 0, 19},
      {ALL, 'v', "v_mov_b32_dpp v8, v0 row_mirror row_mask:0xf bank_mask:0x7", 0, 0, 0, 0, 13},
      {NEW, 'v', "v_mov_b32_dpp v8, v0 row_share:3 row_mask:0xf bank_mask:0xf", 0, 0, 0, 19, 30},
      {NEW, 'v', "v_mov_b32_dpp v8, v0 row_xmask:5 row_mask:0xf bank_mask:0xf", 0, 0, 0, 3, 6},
      {NEW, 'v', "v_mov_b32_dpp v8, v0 dpp8:[7,6,5,4,3,2,1,0]", 0, 0, 0, 14, 9},
      {G9, 'v', "v_mov_b32_dpp v8, v0 row_bcast:15 row_mask:0xf bank_mask:0xf", 0, 0, 0, 31, 40},
      {G9, 'v', "v_mov_b32_dpp v8, v0 row_bcast:31 row_mask:0xc bank_mask:0xf", 0, 0, 0, 31, 60},
      {G9, 'v', "v_mov_b32_dpp v8, v0 wave_shr:1 row_mask:0xf bank_mask:0xf", 0, 0, 0, 15, 16},
      {G9, 'v', "v_add_f16_sdwa v8, v2, v4 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:WORD_0",
       0x3C000000, 0x4000, 0, 0x42000000, 0},
      {G9, 'v',
       "v_mov_b32 v8, 0x55555555\nv_mov_b32_sdwa v8, v2 dst_sel:BYTE_2 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_1",
       0xAB00, 0, 0, 0x55AB5555, 0},
      {G9, 'v', "v_add_u32_sdwa v8, sext(v2), v4 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:DWORD",
       0x80, 0x100, 0, 0x80, 0},
      {NEW, 'v', "v_permlanex16_b32 v8, v0, s6, s7", 0xFEDCBA9876543210, 0, 0, 21, 5},
      {NEW, 'v', "v_permlane16_b32 v8, v0, s6, s7", 0x0123456789ABCDEF, 0, 0, 16 + 10, 21},
      {NEW, 'v', "v_dual_mov_b32 v8, v2 :: v_dual_add_f32 v9, v4, v7", 5, F(1), 0, 5, 0},
      {G11, 'V', "v_dual_mul_f32 v8, v2, v5 :: v_dual_mov_b32 v9, v3", F(3) | 7ull << 32, 0x4000000000000000, 0,
       F(6) | 7ull << 32, 0},
      {ALL, 'v', "v_swap_b32 v8, v2", 5, 0, 0, 5, 0},
      {G9, 'v', "v_accvgpr_write_b32 a3, v2\nv_accvgpr_read_b32 v8, a3", 5, 0, 0, 5, 0},
      {ALL, 'v', "v_min3_i16 v8, v2, v4, v6", 0xFFFF, 5, 2, 0xFFFF, 0},
      {ALL, 'v', "v_med3_u16 v8, v2, v4, v6", 0xFFFF, 5, 9, 9, 0},
      {ALL, 'v', "v_sad_u16 v8, v2, v4, v6", 0x00010005, 0x00040001, 3, 10, 0},
      {G9, 'v', "v_mad_f16 v8, v2, v4, v6", 0x3C08, 0x3C08, 0xBC00, 0x2400, 0},
      {G12, 's', "s_cvt_f16_f32 s20, s6", F(1.5f), 0, 0, 0x3E00, 0},
      {G12, 's', "s_cvt_hi_f32_f16 s20, s6", 0x3E00FFFF, 0, 0, F(1.5f), 0},
      {G12, 's', "s_rndne_f32 s20, s6", F(2.5f), 0, 0, F(2), 0},
      {G12, 's', "s_maximum_f32 s20, s6, s8", F(2), QUIET, 0, QUIET, 0},
      {ALL, 'S', "s_quadmask_b64 s[20:21], s[6:7]", 0x1000000000000011, 0, 0, 0x8003, 0},
      {ALL, 'S', "s_mov_b64 s[20:21], s[6:7]\ns_bitset1_b64 s[20:21], s8", 1, 40, 0, (1ull << 40) + 1, 0},
      {ALL, 'S', "s_bitreplicate_b64_b32 s[20:21], s6", 0x80000001, 0, 0, 0xC000000000000003, 0},
      {G9, 'v', "v_max_u16_sdwa v8, v2, v4 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:WORD_1",
       0xFFFF0002, 0x00030009, 0, 3, 0},
      // LDS, one wave
      {G11, 'V', "ds_store_b64 v10, v[2:3]\nds_load_2addr_b32 v[8:9], v10 offset0:1 offset1:0\ns_waitcnt lgkmcnt(0)",
       0x100000002, 0, 0, 0x200000001, 0},
      {G11, 'v', "ds_store_b32 v10, v2\nds_store_b8 v10, v4 offset:1\nds_load_b32 v8, v10\ns_waitcnt lgkmcnt(0)",
       0x11223344, 0xAABB, 0, 0x1122BB44, 0},
      {G11, 'v', "ds_store_b32 v10, v2\nds_load_i8 v8, v10 offset:1\ns_waitcnt lgkmcnt(0)", 0x8000, 0, 0, 0xFFFFFF80,
       0},
      {G11, 'v', "v_mov_b32 v8, 0x7777\nds_store_b32 v10, v2\nds_load_u16_d16_hi v8, v10\ns_waitcnt lgkmcnt(0)",
       0x12345678, 0, 0, 0x56787777, 0},
      {G11, 'v', "ds_store_b32 v10, v2\nds_add_rtn_u32 v8, v10, v4\ns_waitcnt lgkmcnt(0)", 5, 7, 0, 5, 0},
      {G11, 'v', "ds_store_b32 v10, v2\nds_inc_u32 v10, v4\nds_load_b32 v8, v10\ns_waitcnt lgkmcnt(0)", 5, 5, 0, 0, 0},
      {G11, 'v', "ds_store_b32 v10, v2\nds_dec_u32 v10, v4\nds_load_b32 v8, v10\ns_waitcnt lgkmcnt(0)", 0, 9, 0, 9, 0},
      {G11, 'v', "ds_store_b32 v10, v2\nds_cmpstore_b32 v10, v4, v6\nds_load_b32 v8, v10\ns_waitcnt lgkmcnt(0)", 5, 7,
       5, 7, 0},
      {G9, 'v',
       "ds_write_b32 v10, v2\nds_cmpst_rtn_b32 v8, v10, v4, v6\ns_waitcnt lgkmcnt(0)\nds_read_b32 v8, v10\ns_waitcnt "
       "lgkmcnt(0)",
       5, 5, 7, 7, 0},
      {G11, 'v', "ds_store_b32 v10, v2\nds_add_f32 v10, v4\nds_load_b32 v8, v10\ns_waitcnt lgkmcnt(0)", F(1.5f), F(2),
       0, F(3.5f), 0},
      {G11, 'v', "v_xor_b32 v11, 4, v0\nv_lshlrev_b32 v11, 2, v11\nds_bpermute_b32 v8, v11, v0\ns_waitcnt lgkmcnt(0)",
       0, 0, 0, 13, 9},
      {G11, 'v', "v_lshlrev_b32 v11, 2, v0\nv_and_b32 v11, 4, v11\nds_permute_b32 v8, v11, v0\ns_waitcnt lgkmcnt(0)", 0,
       0, 0, 30, 0},
      {G11, 'v', "ds_swizzle_b32 v8, v0 offset:swizzle(BITMASK_PERM,\"0000p\")\ns_waitcnt lgkmcnt(0)", 0, 0, 0, 1, 7},
      {G12, 'v', "ds_store_b32 v10, v2\nds_load_b32 v8, v10\ns_wait_dscnt 0x0", 5, 0, 0, 5, 0},
      {G11, 'v', "ds_store_b32 v10, v2\nds_mskor_b32 v10, v4, v6\nds_load_b32 v8, v10\ns_waitcnt lgkmcnt(0)", 0xFF,
       0x0F, 0x05, 0xF5, 0},
      {G11, 'v', "ds_store_b32 v10, v2\nds_rsub_u32 v10, v4\nds_load_b32 v8, v10\ns_waitcnt lgkmcnt(0)", 5, 7, 0, 2, 0},
      {G11, 'v',
       "global_store_b32 v10, v2, s[4:5]\nglobal_load_d16_b16 v8, v10, s[4:5]\n"
       "global_load_d16_hi_b16 v8, v10, s[4:5] offset:2\ns_waitcnt vmcnt(0)",
       0x12345678, 0, 0, 0x12345678, 0},
      {G11, 'v', "v_exp_f32 v8, v2\nglobal_store_b32 v10, v2, s[4:5]\nv_add_f32 v8, v8, v4", F(1), F(1), 0, F(3), 0},
      // memory: s[4:5] has the results; the lane's own place
      {G11, 'v', "global_store_b32 v10, v2, s[4:5]\nglobal_load_b32 v8, v10, s[4:5]\ns_waitcnt vmcnt(0)", 5, 0, 0, 5,
       0},
      {G11, 'v', "global_store_b32 v10, v2, s[4:5]\nglobal_atomic_add_u32 v8, v10, v4, s[4:5] glc\ns_waitcnt vmcnt(0)",
       5, 7, 0, 5, 0},
      {G11, 'v',
       "global_store_b32 v10, v2, s[4:5]\nv_mov_b32 v5, v6\nglobal_atomic_cmpswap_b32 v10, v[4:5], s[4:5]\n"
       "global_load_b32 v8, v10, s[4:5]\ns_waitcnt vmcnt(0)",
       5, 7, 5, 7, 0},
      {G12, 'v', "global_store_b32 v10, v2, s[4:5]\nglobal_load_i16 v8, v10, s[4:5]\ns_wait_loadcnt 0x0", 0x8000, 0, 0,
       0xFFFF8000, 0},
      {G9, 'v', "global_store_dword v10, v2, s[4:5]\nglobal_load_ushort v8, v10, s[4:5]\ns_waitcnt vmcnt(0)", 0x18000,
       0, 0, 0x8000, 0},
      {G9, 'v',
       "s_mov_b32 m0, 0\nds_write_b32 v10, v2\ns_nop 0\nglobal_load_lds_dword v10, s[4:5] offset:0\ns_waitcnt "
       "vmcnt(0)\n"
       "v_lshlrev_b32 v11, 2, v0\nds_read_b32 v8, v11\ns_waitcnt lgkmcnt(0)",
       0, 0, 0, 0xEEEEEEEE, 9},
      {G11, 'v', "scratch_store_b32 off, v2, off offset:8\nscratch_load_b32 v8, off, off offset:8\ns_waitcnt vmcnt(0)",
       5, 0, 0, 5, 0},
      {G11, 'v',
       "s_mov_b32 s12, s4\ns_mov_b32 s13, s5\ns_mov_b32 s14, 16\ns_mov_b32 s15, 0\nv_lshlrev_b32 v11, 2, v0\n"
       "buffer_store_b32 v2, v11, s[12:15], 0 offen\nbuffer_load_b32 v8, v11, s[12:15], 0 offen\ns_waitcnt vmcnt(0)",
       5, 0, 0, 5, 3},
      {G11, 'v',
       "s_mov_b32 s12, s4\ns_mov_b32 s13, s5\ns_mov_b32 s14, 16\ns_mov_b32 s15, 0\nv_lshlrev_b32 v11, 2, v0\n"
       "buffer_store_b32 v2, v11, s[12:15], 0 offen\nbuffer_load_b32 v8, v11, s[12:15], 0 offen\ns_waitcnt vmcnt(0)",
       5, 0, 0, 0, 4},
  };
  check_units(t, chip, units, sizeof units / sizeof *units);
}

// ** mistakes: of what, in words **

typedef struct mistake { int chips, threads; const char *text, *says; } mistake;
static const mistake mistakes[] = {
    {G11, 32, "global_load_b32 v8, v10, s[4:5]\nv_add_f32 v9, v8, v2", "v8 is read before vmcnt waited"},
    {G12, 32, "global_load_b32 v8, v10, s[4:5]\nv_add_f32 v9, v8, v2", "v8 is read before loadcnt waited"},
    {G9, 64, "global_load_dword v8, v10, s[4:5]\nv_add_f32 v9, v8, v2", "v8 is read before vmcnt waited"},
    {G11, 32,
     "global_load_b32 v8, v10, s[4:5]\nglobal_load_b32 v9, v10, s[4:5]\ns_waitcnt vmcnt(1)\nv_mov_b32 v2, "
     "v8\nv_mov_b32 v3, v9",
     "v9 is read before vmcnt waited"},
    {G12, 32, "ds_store_b32 v10, v2\nds_load_b32 v8, v10\nglobal_load_d16_hi_b16 v8, v10, s[4:5]",
     "v8 is written before dscnt"},
    {G11, 32, "global_load_b32 v8, v10, s[4:5]\nv_mov_b32 v8, 0", "v8 is written before vmcnt waited"},
    {G11, 32, "global_load_b32 v8, v10, s[4:5]\ns_waitcnt_vscnt null, 0x0\nv_mov_b32 v2, v8",
     "v8 is read before vmcnt waited"},
    {G11, 32, "ds_store_b32 v10, v2\nds_load_b32 v8, v10\nv_mov_b32 v2, v8", "v8 is read before lgkmcnt waited"},
    {G12, 32, "ds_store_b32 v10, v2\nds_load_b32 v8, v10\ns_wait_loadcnt 0x0\nv_mov_b32 v2, v8",
     "v8 is read before dscnt waited"},
    {G11, 32, "ds_swizzle_b32 v8, v0 offset:0x041f\nv_mov_b32 v2, v8", "v8 is read before lgkmcnt waited"},
    {G11, 32, "s_load_b32 s20, s[0:1], 0x0\ns_mov_b32 s21, s20", "s20 is read before lgkmcnt waited"},
    {G12, 32, "s_load_b32 s20, s[0:1], 0x0\ns_wait_dscnt 0x0\nv_mov_b32 v2, s20", "s20 is read before kmcnt waited"},
    {G11, 32, "s_load_b32 s20, s[0:1], 0x0\ns_load_b32 s21, s[0:1], 0x4\ns_waitcnt lgkmcnt(1)\ns_mov_b32 s22, s20",
     "s20 is read before lgkmcnt waited"},
    {G11, 32,
     "s_load_b32 s20, s[0:1], 0x0\nds_store_b32 v10, v2\nds_load_b32 v8, v10\ns_waitcnt lgkmcnt(1)\nv_mov_b32 v2, v8",
     "v8 is read before lgkmcnt waited"},
    {G11, 32, "v_mov_b32 v12, s4\nv_mov_b32 v13, s5\nflat_load_b32 v8, v[12:13]\ns_waitcnt vmcnt(0)\nv_mov_b32 v2, v8",
     "v8 is read before lgkmcnt waited"},
    {G11, 32, "global_load_b32 v8, v10, s[4:5]\ns_sendmsg sendmsg(MSG_DEALLOC_VGPRS)", "VGPRs are given back"},
    {ALL, 64, "v_add_f32 v8, v2, v20", "v20 is read, which lane 0 has not written"},
    {ALL, 64, "s_add_u32 s20, s6, s30", "s30 is read, which nobody has written"},
    {ALL, 64, "s_cselect_b32 s20, 1, 0", "SCC is read, which nobody has set"},
    {NEW, 32, "v_mov_b32 v60, 0\nv_mov_b32 v64, 0", "v64, where the kernel has 64"},
    {G9, 64, "v_mov_b32 v8, 1\ns_nop 1\nv_mov_b32 v70, v8", "v70, where the kernel has 64"},
    {NEW, 32, "v_mov_b32 v12, 0\nv_mov_b32 v13, 0\nglobal_load_b32 v8, v[12:13], off",
     "lane 0 reads 4 bytes at 0x0, which is no memory"},
    {NEW, 32, "global_store_b32 v10, v2, s[0:1]", "which is read-only"},
    {NEW, 32, "v_add_nc_u32 v10, 2, v10\nglobal_load_b32 v8, v10, s[4:5]", "which is misaligned for 4 bytes"},
    {NEW, 32, "v_mov_b32 v11, 0x3fd\nds_store_b8 v11, v2\nv_mov_b32 v11, 0x400\nds_store_b32 v11, v2",
     "lane 0 touches LDS at 1024, of 1024"},
    {NEW, 32, "v_mov_b32 v11, 2\nds_store_b32 v11, v2", "lane 0 touches LDS at 2, which is misaligned"},
    {NEW, 32, "ds_load_b32 v8, v10", "LDS at 0 is read, which nobody has written"},
    {NEW, 64, "v_and_b32 v11, 31, v0\nv_lshlrev_b32 v11, 2, v11\nds_store_b32 v11, v2", "a race in LDS: byte"},
    {G11, 64,
     "ds_store_b32 v10, v2\ns_waitcnt lgkmcnt(0)\ns_barrier\nds_load_b32 v8, v10\ns_waitcnt lgkmcnt(0)\n"
     "v_xor_b32 v11, 0x100, v10\nds_store_b32 v11, v2",
     "a race in LDS: byte"},
    {G11, 64, "ds_store_b32 v10, v2\ns_barrier\nv_xor_b32 v11, 0x100, v10\nds_load_b32 v8, v11", "a race in LDS: byte"},
    {G9, 128, "ds_write_b32 v10, v2\ns_barrier\nv_xor_b32 v11, 0x200, v10\nds_read_b32 v8, v11", "a race in LDS: byte"},
    {G11, 64, "v_readfirstlane_b32 s20, v0\ns_cmp_eq_u32 s20, 0\ns_cbranch_scc1 1f\ns_endpgm\n1: s_barrier",
     "a barrier"},
    {G12, 32, "s_barrier_wait 0xffff", "that the wave has not signalled"},
    {G12, 64, "s_barrier_signal -1\ns_barrier_signal -1", "a second signal"},
    {G12, 64,
     "v_readfirstlane_b32 s20, v0\ns_cmp_eq_u32 s20, 0\ns_cbranch_scc1 1f\ns_endpgm\n1: s_barrier_signal "
     "-1\ns_barrier_wait 0xffff",
     "a barrier"},
    {NEW, 32, "s_code_end", "the code has run off its end"},
    {ALL, 64, ".long 0xffffffff", "no instruction: ffffffff"},
    {ALL, 64, "1: s_branch 1b", "more than 10000 instructions"},
    {ALL, 64, "s_trap 2", "the kernel traps"},
    {G11, 32, "scratch_load_b32 v8, off, off offset:64", "touches its scratch at 64, of 64"},
    {G11, 32, "scratch_load_b32 v8, off, off offset:4", "reads its scratch at 4, which it has not written"},
    {G11, 32, "s_mov_b64 s[20:21], 0\ns_setpc_b64 s[20:21]", "the code has run off its end"},
    // what no assembler writes
    {G9, 64, ".long 0xd1010008, 0x1006", "it reads 2 scalars, where 1 may be"},
    {NEW, 32, ".long 0xd6130008, 0x281006", "it reads 3 scalars, where 2 may be"},
    {G11, 32, ".long 0xca100102, 0x08080106", "both halves read source 0 from one bank"},
    {G9, 64, ".long 0xdc548000, 0x0904000a", "no instruction"},
    {G11, 32, "v_mad_u64_u32 v[4:5], s20, v2, v4, v[6:7]", "the result overlaps a source"},
    {G11, 32, "v_mov_b32 v11, 0\ns_mov_b32 s20, 0\nscratch_load_b32 v8, v11, s20", "gfx11 swizzles wrongly"},
    {G11, 32, "s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)", "there is no s_nop right before it"},
    {G11, 32, "scratch_store_b32 off, v2, off\ns_nop 0\ns_sendmsg sendmsg(MSG_DEALLOC_VGPRS)",
     "with scratch under way"},
    // hazards of gfx11 and gfx12
    {G11, 32, "v_exp_f32 v8, v2\nv_add_f32 v9, v8, v4", "v8 is the result of a transcendental"},
    {NEW, 32, "v_cmpx_eq_u32 v0, v0\nv_permlane16_b32 v8, v0, s6, s7", "v_cmpx is the vector instruction before it"},
    {NEW, 32, "s_mov_b32 exec_lo, 1\n%MATRIX", "a matrix instruction without all lanes"},
    {G11, 32, "%ZERO v_mov_b32 v16, v0\nv_wmma_f32_16x16x16_f16 v[40:47], v[16:23], v[24:31], v[32:39]",
     "has to stand twice"},
    {G11, 32,
     "%ZERO v_wmma_f32_16x16x16_f16 v[16:23], v[24:31], v[24:31], v[32:39]\nv_wmma_f32_16x16x16_f16 v[40:47], "
     "v[16:23], "
     "v[24:31], v[32:39]",
     "the matrix instruction right before it writes its A or B"},
    {G12, 32,
     "%ZERO v_wmma_f32_16x16x16_f16 v[16:23], v[24:27], v[24:27], v[32:39]\nv_wmma_f32_16x16x16_f16 v[40:47], "
     "v[16:19], "
     "v[24:27], v[32:39]",
     "the matrix instruction right before it writes its A or B"},
    {G12, 32, "v_mov_b32 v8, s20\ns_mov_b32 s20, 5\nv_mov_b32 v9, s20",
     "s20 was read by a vector instruction, rewritten"},
    // hazards of gfx942
    {G9, 64, "v_mov_b32 v8, v2\nv_mov_b32_dpp v9, v8 row_shr:1 row_mask:0xf bank_mask:0xf",
     "v8 is read by DPP 0 wait states"},
    {G9, 64, "v_mov_b32 v8, v2\ns_nop 0\nv_mov_b32_dpp v9, v8 row_shr:1 row_mask:0xf bank_mask:0xf",
     "DPP 1 wait states"},
    {G9, 64, "v_mov_b32 v8, v2\nv_readfirstlane_b32 s20, v8", "v8 is read by a lane read 0 wait states"},
    {G9, 64, "v_cmp_eq_u32 vcc, v0, v0\nv_cndmask_b32 v8, v2, v4, vcc", "vcc_lo is read 0 wait states"},
    {G9, 64, "v_readfirstlane_b32 s20, v2\nv_readfirstlane_b32 s21, v3\ns_nop 3\nglobal_load_dword v8, v10, s[20:21]",
     "s21 is read 4 wait states"},
    {G9, 64, "v_readfirstlane_b32 s20, v0\ns_nop 2\nv_readlane_b32 s21, v2, s20", "s20 is read 3 wait states"},
    {G9, 64, "v_cmp_eq_u32 vcc, v0, v0\ns_nop 2\nv_div_fmas_f32 v8, v2, v4, v6", "vcc_lo is read 3 wait states"},
    {G9, 64, "v_cmpx_eq_u32 vcc, v0, v0\ns_nop 3\nv_mov_b32_dpp v8, v0 row_shr:1 row_mask:0xf bank_mask:0xf",
     "DPP 4 wait states"},
    {G9, 64, "v_exp_f32 v8, v2\nv_add_f32 v9, v8, v4", "v8 is read by a vector instruction 0 wait states"},
    {G9, 64,
     "v_mov_b32 v8, 0\nv_add_f16_sdwa v8, v2, v4 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_0 "
     "src1_sel:WORD_0\n"
     "v_mov_b32 v9, v8",
     "v8 is read by a vector instruction 0 wait states"},
    {G9, 64, "global_store_dwordx4 v10, v[2:5], s[4:5]\nv_mov_b32 v3, 0",
     "the data of a long store is written 0 wait states"},
    {G9, 64, "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0\ns_getreg_b32 s20, hwreg(HW_REG_MODE)",
     "s_setreg is fewer than 2"},
    {G9, 64, "ds_write_b32 v10, v2\ns_mov_b32 m0, 0\nglobal_load_lds_dword v10, s[4:5]",
     "M0 is written right before it"},
    {G9, 64, "v_dot4_i32_i8 v8, v2, v4, v6\nv_mov_b32 v9, v8", "v8 is read by a vector instruction 0 wait states"},
    {G9, 64, "%ZERO v_mov_b32 v16, 0\nv_mfma_f32_16x16x16_f16 v[32:35], v[16:17], v[18:19], v[20:23]",
     "a matrix operand 0 wait states"},
    {G9, 64, "%ZERO v_mfma_f32_16x16x16_f16 v[32:35], v[16:17], v[18:19], v[20:23]\ns_nop 5\nv_mov_b32 v9, v32",
     "which takes 7"},
    {G9, 64,
     "%ZERO s_nop 1\nv_mfma_f32_32x32x8_f16 v[32:47], v[16:17], v[18:19], v[32:47]\ns_nop 7\nglobal_store_dword v10, "
     "v32, s[4:5]",
     "which takes 11"},
    {G9, 64,
     "%ZERO v_mfma_f32_16x16x16_f16 v[32:35], v[16:17], v[18:19], v[20:23]\nv_mfma_f32_16x16x16_f16 v[36:39], "
     "v[16:17], v[18:19], "
     "v[34:37]",
     "which takes 5"},
    {G9, 64,
     "%ZERO v_mfma_f64_16x16x4_f64 v[32:39], v[16:17], v[18:19], v[20:27]\ns_nop 7\ns_nop 7\nglobal_store_dword v10, "
     "v32, s[4:5]",
     "which takes 18"},
};
enum { MISTAKES = sizeof mistakes / sizeof *mistakes };

// %ZERO: v16 to v47 are 0; %MATRIX: a matrix instruction of the chip.
static void put_mistake(tiny_bytes *text, int k, int chip) {
  tiny_bytes body = {text->t, NULL, 0, 0};
  const char *p = mistakes[k].text, *matrix = strstr(p, "%MATRIX");
  if (!strncmp(p, "%ZERO ", 6)) {
    for (int r = 16; r < 48; r++) tn_text_add(&body, "v_mov_b32 v%d, 0\n", r);
    p += 6;
  }
  if (matrix) {
    for (int r = 16; r < 48; r++) tn_text_add(&body, "v_mov_b32 v%d, 0\n", r);
    tn_text_add(&body, "%.*s%s", (int)(matrix - p), p,
                chip ? "v_wmma_f32_16x16x16_f16 v[40:47], v[16:19], v[24:27], v[32:39]"
                     : "v_wmma_f32_16x16x16_f16 v[40:47], v[16:23], v[24:31], v[32:39]");
  } else {
    tn_text_put(&body, p);
  }
  tiny_bytes_add(&body, "", 1);
  put_kernel(text, k, chip, body.data, 0);
}
static void test_mistakes(tiny_ctx *t, int chip) {
  tiny_bytes text = {t, NULL, 0, 0};
  amd_object o;
  for (int k = 0; k < MISTAKES; k++)
    if (mistakes[k].chips >> chip & 1) put_mistake(&text, k, chip);
  if (!assembled(t, &text, chip, &o)) return;
  for (int k = 0; k < MISTAKES; k++) {
    const mistake *m = &mistakes[k];
    const uint64_t in[3] = {0x4000000040000000, 0x3F8000003F800000, 0x3F8000003F800000};
    char name[16];
    amd_dispatch d;
    amd_range range[3];
    if (!(m->chips >> chip & 1) || !case_named("gfx%d: %s", chips[chip], m->text)) continue;
    snprintf(name, sizeof name, "k%d", k);
    run(chip, amd_find(&o, name), 32, in);             // arguments and results are there
    dispatch_of(&d, range, chip, amd_find(&o, name), m->threads);
    d.sgpr_hazard = strstr(m->says, "rewritten") != NULL;
    CHECK_EQ(amd_emulate(&d, &report), 1);
    CHECK(strstr(report.error, m->says) != NULL);
    if (!strstr(report.error, m->says) && test_shown())
      fprintf(stderr, "    says: %s\n    not: %s\n", report.error, m->says);
  }
}

// ** without a compiler: words **

// out[i] = 2 * in[i] for i < n, 64 items a group: a first kernel of each family, as LLVM assembles them.
typedef struct words { const char *what; uint32_t word[40]; } words;
static const words first_kernel[3] = {
    {"gfx1100: s_load_b128, v_cmpx, global_load_b32",
     {0xf4080100, 0xf8000000, 0xf40000c0, 0xf8000010, 0x360000ff, 0x000003ff, 0xd6460000,
      0x04010c02, 0xbf89fc07, 0x7d980003, 0xbfa50008, 0x30020082, 0xdc520000, 0x02060001,
      0xbf8903f7, 0x06040502, 0xdc6a0000, 0x00040201, 0xbf800000, 0xbfb00000}},
    {"gfx1200: ttmp9, s_wait_kmcnt, s_wait_loadcnt",
     {0xf4004100, 0xf8000000, 0xf40000c0, 0xf8000010, 0x360000ff, 0x000003ff, 0xd6460000, 0x04010c75,
      0xbfc70000, 0x7d980003, 0xbfa5000a, 0x30020082, 0xee050006, 0x00000002, 0x00000001, 0xbfc00000,
      0x06040502, 0xee068004, 0x01000000, 0x00000001, 0xbf800000, 0xbfb00000}},
    {"gfx942: s_and_saveexec_b64, global_load_dword",
     {0xc00a0100, 0x00000000, 0xc00200c0, 0x00000010, 0x260000ff, 0x000003ff, 0xd1fd0000,
      0x04010c02, 0xbf8cc07f, 0x7d980003, 0xbe88206a, 0xbf880008, 0x24020082, 0xdc508000,
      0x02060001, 0xbf8c0f70, 0x02040502, 0xdc708000, 0x00040201, 0xbf800000, 0xbf810000}}};
static void words_dispatch(amd_dispatch *d, amd_range range[3], int chip, const uint32_t *word, size_t nbytes) {
  memcpy(amd_space.m.code, word, nbytes);
  dispatch_of(d, range, chip, (uint64_t)(uintptr_t)amd_space.m.code, 64);
  d->rsrc2 |= 1 << 7;
}
static void test_first_kernel(int chip, int by_packet) {
  float *out = (float *)(void *)amd_space.m.data, *in = out + 4096;
  const int n = 150;
  amd_dispatch d;
  amd_range range[3];
  const void *args[2] = {out, in};
  int wrong = 0;
  case_named("%s, %s", first_kernel[chip].what, by_packet ? "user data" : "kernarg");
  words_dispatch(&d, range, chip, first_kernel[chip].word, sizeof first_kernel[chip].word);
  memcpy(amd_space.m.kernarg, args, sizeof args);
  memcpy(amd_space.m.kernarg + 16, &n, 4);
  for (int i = 0; i < 200; i++) { out[i] = -1; in[i] = (float)i; }
  d.grid[0] = 192;
  const uint32_t user[2] = {(uint32_t)d.kernarg, (uint32_t)(d.kernarg >> 32)};
  if (by_packet) { d.user = user; d.nuser = 2; d.properties &= (uint16_t)~8; d.kernarg = 0; }
  CHECK_EQ(amd_emulate(&d, &report), 0);
  if (*report.error) fprintf(stderr, "    %s\n", report.error);
  for (int i = 0; i < 200; i++) wrong += out[i] != (i < n ? 2 * in[i] : -1);
  CHECK_EQ(wrong, 0);
  const uint64_t lanes = chip == 2 ? 64 : 32, waves = 192 / lanes;
  CHECK_EQ(report.groups, 3);
  CHECK_EQ(report.waves, waves);
  CHECK_EQ(report.issued[AMD_SMEM], 2 * waves);
  CHECK_EQ(report.loaded, 600 + 20 * waves);
  CHECK_EQ(report.stored, 600);
  CHECK_EQ(report.sectors, 2 * 19);        // 150 floats: 18 sectors and 3/4, read and written
  CHECK(report.cycles > 3 * 320 && report.cycles < 3 * 1000);
}

// ** counts: banks, sectors, cycles **

// gfx1100: v1 = lane * s2, ds_store_b32 there, done: bytes apart, and what the banks take.
static void test_banks(void) {
  static const struct {
    uint32_t apart;
    int accesses, conflicts;
  } of[] = {{4, 1, 0}, {8, 1, 1}, {128, 1, 31}, {132, 1, 0}, {0, 1, 0}, {64, 1, 15}};
  uint32_t word[] = {0x360000FF, 0x000003FF,    // v_and_b32 v0, 0x3ff, v0
                     0xD72C0001, 0x00020002 /* v_mul_lo_u32 v1, s2, v0 */,
                     0xD8340000, 0x00000001 /* ds_store_b32 v1, v0 */,
                     0xBFB00000};
  for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
    amd_dispatch d;
    amd_range range[3];
    case_named("banks: %u bytes apart", of[k].apart);
    words_dispatch(&d, range, 0, word, sizeof word);
    const uint32_t user[3] = {0, 0, of[k].apart};
    d.user = user; d.nuser = 3;
    d.rsrc2 = 3 << 1;
    d.grid[0] = d.group[0] = 32;
    d.lds_nbytes = 8192;
    CHECK_EQ(amd_emulate(&d, &report), 0);
    if (*report.error) fprintf(stderr, "    %s\n", report.error);
    CHECK_EQ(report.lds_accesses, of[k].accesses);
    CHECK_EQ(report.lds_conflicts, of[k].conflicts);
    CHECK_EQ(report.issued[AMD_LDS], 1);
    CHECK_EQ(report.lane_instructions, 3 * 32);
  }
}
// Two threads at a time, each with memory of its own.
typedef struct worker { uint32_t out[64], in[64]; uint64_t args[3]; amd_report report; int failed; } worker;
static void *work(void *arg) {
  worker *w = (worker *)arg;
  for (int k = 0; k < 20 && !w->failed; k++) {
    const amd_range range[3] = {{(uint64_t)(uintptr_t)amd_space.m.code, 256, 0}, {(uint64_t)(uintptr_t)w->args, 24, 0},
                                {(uint64_t)(uintptr_t)w->out, sizeof w->out + sizeof w->in, 1}};
    amd_dispatch d;
    amd_range own[3];
    dispatch_of(&d, own, 0, (uint64_t)(uintptr_t)amd_space.m.code, 64);
    d.rsrc2 |= 1 << 7;
    d.range = range;
    d.kernarg = (uint64_t)(uintptr_t)w->args;
    w->args[0] = (uint64_t)(uintptr_t)w->out; w->args[1] = (uint64_t)(uintptr_t)w->in; w->args[2] = 64;
    for (int i = 0; i < 64; i++) w->in[i] = amd_b32((float)(i + k));
    w->failed = amd_emulate(&d, &w->report);
    for (int i = 0; i < 64 && !w->failed; i++) w->failed = w->out[i] != amd_b32((float)(2 * (i + k)));
  }
  return NULL;
}
static void test_threads(void) {
  static worker w[2];
  pthread_t thread[2];
  case_named("two threads");
  memcpy(amd_space.m.code, first_kernel[0].word, sizeof first_kernel[0].word);
  for (int k = 0; k < 2; k++) CHECK_EQ(pthread_create(&thread[k], NULL, work, &w[k]), 0);
  for (int k = 0; k < 2; k++) pthread_join(thread[k], NULL);
  for (int k = 0; k < 2; k++) CHECK(!w[k].failed);
}
static void test_fault(void) {
  amd_dispatch d;
  amd_range range[3];
  const void *args[2] = {(void *)0x10000, (void *)0x20000};
  const int n = 64;
  case_named("a fault's address");
  words_dispatch(&d, range, 0, first_kernel[0].word, sizeof first_kernel[0].word);
  memcpy(amd_space.m.kernarg, args, sizeof args);
  memcpy(amd_space.m.kernarg + 16, &n, 4);
  CHECK_EQ(amd_emulate(&d, &report), 1);
  CHECK_EQ(report.fault, 0x20000);
  CHECK_EQ(report.error_pc, d.entry + 4 * 12);
}
static void test_refused(void) {
  amd_dispatch d;
  amd_range range[3];
  const uint32_t end[] = {0xBFB00000};
  case_named("dispatches that cannot be");
  words_dispatch(&d, range, 0, end, sizeof end);
  CHECK_EQ(amd_emulate(&d, &report), 0);
  d.chip = 803;
  CHECK_EQ(amd_emulate(&d, &report), 1);
  CHECK(strstr(report.error, "gfx803: no such chip") != NULL);
  d.chip = 1100; d.group[0] = 2048;
  CHECK_EQ(amd_emulate(&d, &report), 1);
  d.group[0] = 64; d.lds_nbytes = 65537;
  CHECK_EQ(amd_emulate(&d, &report), 1);
  d.lds_nbytes = 0; d.entry += 4;
  CHECK_EQ(amd_emulate(&d, &report), 1);
  d.entry = 0x100;
  CHECK_EQ(amd_emulate(&d, &report), 1);
  CHECK(strstr(report.error, "the code has run off its end") != NULL);
}

int main(void) {
  tiny_ctx *t = tiny_open(NULL);
  for (int chip = 0; chip < 3; chip++)
    for (int by_packet = 0; by_packet < 2; by_packet++) test_first_kernel(chip, by_packet);
  test_banks();
  test_fault();
  test_threads();
  test_refused();
  if (!amd_has_clang(t)) printf("clang 17 or later is not there: kernels in words alone were run\n");
  for (int chip = 0; chip < 3 && *amd_clang; chip++) {
    test_units(t, chip);
    test_mistakes(t, chip);
  }
  tiny_close(t);
  return test_report();
}
