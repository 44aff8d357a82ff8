// amd_names: words of AMD's assembly that stand for numbers: registers, constants, counters, messages, lanes, caches.
//
// In:  nothing. Out: tables that amd_text.c writes from and amd_parse.c reads by, so that neither knows a word alone.
// Source: LLVM's AMDGPU operand syntax (AMDGPUOperandSyntax) and AMD's guides, as amd.c has them.
#ifndef TN_ISA_AMD_NAMES
#define TN_ISA_AMD_NAMES
#ifndef TINY_AMALGAMATED
#include "amd_code.c"
#endif

// families: bits; a name of several values stands once for each family that has it by another
enum { TN_AMD_ON_11 = 1 << TN_AMD_GFX11, TN_AMD_ON_12 = 1 << TN_AMD_GFX12, TN_AMD_ON_9 = 1 << TN_AMD_GFX9,
  TN_AMD_ON_RDNA = TN_AMD_ON_11 | TN_AMD_ON_12, TN_AMD_ON_ALL = TN_AMD_ON_RDNA | TN_AMD_ON_9 };
typedef struct tn_amd_word_of { const char *name; uint16_t value; uint8_t families, dwords; } tn_amd_word_of;

// Registers by their codes: one or two dwords, 0: as many as are wanted.
static const tn_amd_word_of tn_amd_registers[] = {
  {"flat_scratch", 102, TN_AMD_ON_9, 2}, {"flat_scratch_lo", 102, TN_AMD_ON_9, 1},
  {"flat_scratch_hi", 103, TN_AMD_ON_9, 1}, {"xnack_mask", 104, TN_AMD_ON_9, 2},
  {"xnack_mask_lo", 104, TN_AMD_ON_9, 1}, {"xnack_mask_hi", 105, TN_AMD_ON_9, 1},
  {"vcc", 106, TN_AMD_ON_ALL, 2}, {"vcc_lo", 106, TN_AMD_ON_ALL, 1}, {"vcc_hi", 107, TN_AMD_ON_ALL, 1},
  {"null", 124, TN_AMD_ON_RDNA, 0}, {"m0", 125, TN_AMD_ON_ALL, 1},
  {"exec", 126, TN_AMD_ON_ALL, 2}, {"exec_lo", 126, TN_AMD_ON_ALL, 1}, {"exec_hi", 127, TN_AMD_ON_ALL, 1},
  {"src_shared_base", 235, TN_AMD_ON_ALL, 0}, {"src_shared_limit", 236, TN_AMD_ON_ALL, 0},
  {"src_private_base", 237, TN_AMD_ON_ALL, 0}, {"src_private_limit", 238, TN_AMD_ON_ALL, 0},
  {"src_pops_exiting_wave_id", 239, TN_AMD_ON_ALL, 0},
  {"src_vccz", 251, TN_AMD_ON_ALL, 0}, {"src_execz", 252, TN_AMD_ON_ALL, 0}, {"src_scc", 253, TN_AMD_ON_ALL, 0}
};
// Constants of codes 240 to 248, and their bits as f16: what is written for them where 16 bits are whole numbers.
static const tn_amd_word_of tn_amd_floats[] = {
  {"0.5", 0x3800, 0, 0}, {"-0.5", 0xB800, 0, 0}, {"1.0", 0x3C00, 0, 0}, {"-1.0", 0xBC00, 0, 0}, {"2.0", 0x4000, 0, 0},
  {"-2.0", 0xC000, 0, 0}, {"4.0", 0x4400, 0, 0}, {"-4.0", 0xC400, 0, 0}, {"0.15915494", 0x3118, 0, 0}
};

// s_wait_alu: value is all ones of the field, dwords where it begins.
static const tn_amd_word_of tn_amd_depctr[] = {
  {"depctr_hold_cnt", 1, 0, 7}, {"depctr_sa_sdst", 1, 0, 0}, {"depctr_va_vdst", 15, 0, 12}, {"depctr_va_sdst", 7, 0, 9},
  {"depctr_va_ssrc", 1, 0, 8}, {"depctr_va_vcc", 1, 0, 1}, {"depctr_vm_vsrc", 7, 0, 2}
};
// s_waitcnt's counters: value all ones of it. vmcnt of gfx9 has its high bits apart.
static const tn_amd_word_of tn_amd_waits[] = {
  {"vmcnt", 63, TN_AMD_ON_RDNA, 10}, {"expcnt", 7, TN_AMD_ON_RDNA, 0}, {"lgkmcnt", 63, TN_AMD_ON_RDNA, 4},
  {"vmcnt", 63, TN_AMD_ON_9, 0}, {"expcnt", 7, TN_AMD_ON_9, 4}, {"lgkmcnt", 15, TN_AMD_ON_9, 8}
};
static unsigned tn_amd_wait_get(const tn_amd_word_of *w, unsigned imm) {
  if (w->families == TN_AMD_ON_9 && w->value == 63) return (imm & 15) | (imm >> 14 & 3) << 4;
  return imm >> w->dwords & w->value;
}
static unsigned tn_amd_wait_set(const tn_amd_word_of *w, unsigned imm, unsigned count) {
  const unsigned at = w->dwords, field = (unsigned)w->value << at;
  if (w->families == TN_AMD_ON_9 && w->value == 63) return (imm & ~0xC00Fu) | (count & 15) | (count >> 4 & 3) << 14;
  return (imm & ~field) | (count << at & field);
}
static const char *const tn_amd_delays[] = {"NO_DEP", "VALU_DEP_1", "VALU_DEP_2", "VALU_DEP_3", "VALU_DEP_4",
  "TRANS32_DEP_1", "TRANS32_DEP_2", "TRANS32_DEP_3", "FMA_ACCUM_CYCLE_1", "SALU_CYCLE_1", "SALU_CYCLE_2",
  "SALU_CYCLE_3"};
static const char *const tn_amd_skips[] = {"SAME", "NEXT", "SKIP_1", "SKIP_2", "SKIP_3", "SKIP_4"};
enum { TN_AMD_DELAYS = 12, TN_AMD_SKIPS = 6 };

static const tn_amd_word_of tn_amd_messages[] = {
  {"MSG_INTERRUPT", 1, TN_AMD_ON_ALL, 0}, {"MSG_HS_TESSFACTOR", 2, TN_AMD_ON_RDNA, 0},
  {"MSG_DEALLOC_VGPRS", 3, TN_AMD_ON_RDNA, 0}, {"MSG_SAVEWAVE", 4, TN_AMD_ON_9, 0},
  {"MSG_STALL_WAVE_GEN", 5, TN_AMD_ON_11 | TN_AMD_ON_9, 0}, {"MSG_HALT_WAVES", 6, TN_AMD_ON_11 | TN_AMD_ON_9, 0},
  {"MSG_ORDERED_PS_DONE", 7, TN_AMD_ON_9, 0}, {"MSG_EARLY_PRIM_DEALLOC", 8, TN_AMD_ON_9, 0},
  {"MSG_GS_ALLOC_REQ", 9, TN_AMD_ON_ALL, 0}, {"MSG_GET_DOORBELL", 10, TN_AMD_ON_9, 0},
  {"MSG_RTN_GET_DOORBELL", 128, TN_AMD_ON_RDNA, 0}, {"MSG_RTN_GET_DDID", 129, TN_AMD_ON_RDNA, 0},
  {"MSG_RTN_GET_TMA", 130, TN_AMD_ON_RDNA, 0}, {"MSG_RTN_GET_REALTIME", 131, TN_AMD_ON_RDNA, 0},
  {"MSG_RTN_SAVE_WAVE", 132, TN_AMD_ON_RDNA, 0}, {"MSG_RTN_GET_TBA", 133, TN_AMD_ON_RDNA, 0},
  {"MSG_RTN_GET_TBA_TO_PC", 134, TN_AMD_ON_RDNA, 0}, {"MSG_RTN_GET_SE_AID_ID", 135, TN_AMD_ON_12, 0}
};
// Hardware registers, behind HW_REG_.
static const tn_amd_word_of tn_amd_hwregs[] = {
  {"MODE", 1, TN_AMD_ON_ALL, 0}, {"STATUS", 2, TN_AMD_ON_ALL, 0}, {"TRAPSTS", 3, TN_AMD_ON_11 | TN_AMD_ON_9, 0},
  {"STATE_PRIV", 4, TN_AMD_ON_12, 0}, {"HW_ID", 4, TN_AMD_ON_9, 0}, {"GPR_ALLOC", 5, TN_AMD_ON_ALL, 0},
  {"LDS_ALLOC", 6, TN_AMD_ON_ALL, 0}, {"IB_STS", 7, TN_AMD_ON_ALL, 0}, {"PERF_SNAPSHOT_DATA", 10, TN_AMD_ON_12, 0},
  {"PERF_SNAPSHOT_PC_LO", 11, TN_AMD_ON_12, 0}, {"PERF_SNAPSHOT_PC_HI", 12, TN_AMD_ON_12, 0},
  {"SH_MEM_BASES", 15, TN_AMD_ON_11 | TN_AMD_ON_9, 0}, {"PERF_SNAPSHOT_DATA1", 15, TN_AMD_ON_12, 0},
  {"TBA_LO", 16, TN_AMD_ON_9, 0}, {"PERF_SNAPSHOT_DATA2", 16, TN_AMD_ON_12, 0}, {"TBA_HI", 17, TN_AMD_ON_9, 0},
  {"EXCP_FLAG_PRIV", 17, TN_AMD_ON_12, 0}, {"TMA_LO", 18, TN_AMD_ON_9, 0}, {"PERF_SNAPSHOT_PC_LO", 18, TN_AMD_ON_11, 0},
  {"EXCP_FLAG_USER", 18, TN_AMD_ON_12, 0}, {"TMA_HI", 19, TN_AMD_ON_9, 0}, {"PERF_SNAPSHOT_PC_HI", 19, TN_AMD_ON_11, 0},
  {"TRAP_CTRL", 19, TN_AMD_ON_12, 0}, {"XCC_ID", 20, TN_AMD_ON_9, 0}, {"FLAT_SCR_LO", 20, TN_AMD_ON_11, 0},
  {"SCRATCH_BASE_LO", 20, TN_AMD_ON_12, 0}, {"FLAT_SCR_HI", 21, TN_AMD_ON_11, 0},
  {"SCRATCH_BASE_HI", 21, TN_AMD_ON_12, 0}, {"SQ_PERF_SNAPSHOT_DATA", 21, TN_AMD_ON_9, 0},
  {"SQ_PERF_SNAPSHOT_DATA1", 22, TN_AMD_ON_9, 0}, {"HW_ID1", 23, TN_AMD_ON_RDNA, 0},
  {"SQ_PERF_SNAPSHOT_PC_LO", 23, TN_AMD_ON_9, 0}, {"HW_ID2", 24, TN_AMD_ON_RDNA, 0},
  {"SQ_PERF_SNAPSHOT_PC_HI", 24, TN_AMD_ON_9, 0}, {"PERF_SNAPSHOT_DATA", 27, TN_AMD_ON_11, 0},
  {"SHADER_CYCLES", 29, TN_AMD_ON_11, 0}, {"SHADER_CYCLES_LO", 29, TN_AMD_ON_12, 0},
  {"SHADER_CYCLES_HI", 30, TN_AMD_ON_12, 0}, {"DVGPR_ALLOC_LO", 31, TN_AMD_ON_12, 0},
  {"DVGPR_ALLOC_HI", 32, TN_AMD_ON_12, 0}
};

// dpp_ctrl: value is the first code; dwords how many there are, a number in the text from `from` on; 0: no number.
typedef struct tn_amd_lane_word { const char *name; uint16_t first, count; uint8_t from, families; } tn_amd_lane_word;
static const tn_amd_lane_word tn_amd_lane_words[] = {
  {"row_shl", 0x101, 15, 1, TN_AMD_ON_ALL}, {"row_shr", 0x111, 15, 1, TN_AMD_ON_ALL},
  {"row_ror", 0x121, 15, 1, TN_AMD_ON_ALL}, {"row_mirror", 0x140, 0, 0, TN_AMD_ON_ALL},
  {"row_half_mirror", 0x141, 0, 0, TN_AMD_ON_ALL}, {"row_share", 0x150, 16, 0, TN_AMD_ON_RDNA},
  {"row_xmask", 0x160, 16, 0, TN_AMD_ON_RDNA}, {"row_newbcast", 0x150, 16, 0, TN_AMD_ON_9},
  {"wave_shl", 0x130, 1, 1, TN_AMD_ON_9}, {"wave_rol", 0x134, 1, 1, TN_AMD_ON_9},
  {"wave_shr", 0x138, 1, 1, TN_AMD_ON_9}, {"wave_ror", 0x13C, 1, 1, TN_AMD_ON_9},
  {"row_bcast", 0x142, 1, 15, TN_AMD_ON_9}, {"row_bcast", 0x143, 1, 31, TN_AMD_ON_9}
};
enum { TN_AMD_LANE_WORDS = sizeof tn_amd_lane_words / sizeof *tn_amd_lane_words };
static const char *const tn_amd_parts[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD"};
static const char *const tn_amd_unused[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"};
static const char *const tn_amd_scopes[] = {"SCOPE_CU", "SCOPE_SE", "SCOPE_DEV", "SCOPE_SYS"};
static const char *const tn_amd_omods[] = {"", "mul:2", "mul:4", "div:2"};

// Modifiers that are words alone, and those that are a word, a colon and a number, in the order they are written.
static const tn_amd_word_of tn_amd_flags[] = {
  {"offen", TN_AMD_OFFEN, 0, 0}, {"glc", TN_AMD_GLC, 0, 0}, {"sc0", TN_AMD_SC0, 0, 0},
  {"slc", TN_AMD_SLC, 0, 0}, {"nt", TN_AMD_NT, 0, 0}, {"dlc", TN_AMD_DLC, 0, 0}, {"sc1", TN_AMD_SC1, 0, 0},
  {"tfe", TN_AMD_TFE, 0, 0}, {"idxen", TN_AMD_IDXEN, 0, 0}, {"clamp", TN_AMD_CLAMP, 0, 0}
};
static const tn_amd_word_of tn_amd_numbers[] = {
  {"cbsz", TN_AMD_CBSZ, 0, 0}, {"abid", TN_AMD_ABID, 0, 0}, {"blgp", TN_AMD_BLGP, 0, 0},
  {"byte_sel", TN_AMD_BYTE_SEL, 0, 0}, {"index_key", TN_AMD_INDEX_KEY, 0, 0}, {"offset", TN_AMD_OFFSET, 0, 0},
  {"offset0", TN_AMD_OFFSET, 0, 0}, {"offset1", TN_AMD_OFFSET1, 0, 0}, {"row_mask", TN_AMD_ROW_MASK, 0, 0},
  {"bank_mask", TN_AMD_BANK_MASK, 0, 0}, {"bound_ctrl", TN_AMD_BOUND_CTRL, 0, 0}, {"fi", TN_AMD_FI, 0, 0}
};
#define TN_AMD_NUMBER_OF(table) ((int)(sizeof(table) / sizeof *(table)))

// Temporal hints of gfx12: of loads, of stores, of atomics (by bits: 1 returns, 2 not temporal, 4 cascades).
static const char *const tn_amd_load_hints[] = {"", "NT", "HT", "LU", "NT_RT", "RT_NT", "NT_HT", ""};
static const char *const tn_amd_store_hints[] = {"", "NT", "HT", "RT_WB", "NT_RT", "RT_NT", "NT_HT", "NT_WB"};
static const char *const tn_amd_atomic_hints[] = {"", "RETURN", "NT", "NT_RETURN", "CASCADE_RT", "", "CASCADE_NT", ""};
#endif
