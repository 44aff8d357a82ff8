// ptx_text: the words of PTX and what a module is made of: types, modifiers, operations, decoded instructions.
//
// Source: NVIDIA, Parallel Thread Execution ISA, "Syntax", "State Spaces, Types, and Variables", "Instruction
// Operands". Included by ptx_machine.c.
#ifndef PTX_TEXT_C
#define PTX_TEXT_C
#include "ptx_machine.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PTX_WARP = 32 };
#define PTX_ALL 0xFFFFFFFFu

// ** types: bits, kind (bits, unsigned, signed, float, predicate), values that lie packed in it **

#define PTX_TYPES(T) \
  T(PRED, "pred", 1, 'p', 1) T(B1, "b1", 1, 'b', 1) T(B8, "b8", 8, 'b', 1) T(B16, "b16", 16, 'b', 1) \
  T(B32, "b32", 32, 'b', 1) T(B64, "b64", 64, 'b', 1) T(B128, "b128", 128, 'b', 1) \
  T(U4, "u4", 4, 'u', 1) T(U8, "u8", 8, 'u', 1) T(U16, "u16", 16, 'u', 1) T(U32, "u32", 32, 'u', 1) \
  T(U64, "u64", 64, 'u', 1) T(U16X2, "u16x2", 32, 'u', 2) \
  T(S4, "s4", 4, 's', 1) T(S8, "s8", 8, 's', 1) T(S16, "s16", 16, 's', 1) T(S32, "s32", 32, 's', 1) \
  T(S64, "s64", 64, 's', 1) T(S16X2, "s16x2", 32, 's', 2) \
  T(F16, "f16", 16, 'f', 1) T(F16X2, "f16x2", 32, 'f', 2) T(BF16, "bf16", 16, 'f', 1) \
  T(BF16X2, "bf16x2", 32, 'f', 2) T(F32, "f32", 32, 'f', 1) T(F32X2, "f32x2", 64, 'f', 2) T(F64, "f64", 64, 'f', 1) \
  T(TF32, "tf32", 32, 'f', 1) T(E4M3, "e4m3", 8, 'f', 1) T(E5M2, "e5m2", 8, 'f', 1) \
  T(E4M3X2, "e4m3x2", 16, 'f', 2) T(E5M2X2, "e5m2x2", 16, 'f', 2)
#define PTX_T(name, text, bits, kind, parts) PTX_##name,
enum { PTX_NOTYPE, PTX_TYPES(PTX_T) PTX_NTYPES };
#undef PTX_T
typedef struct ptx_type { const char *text; int bits; char kind; int parts; } ptx_type;
#define PTX_T(name, text, bits, kind, parts) {text, bits, kind, parts},
static const ptx_type ptx_types[] = {{"", 0, 'b', 1}, PTX_TYPES(PTX_T)};
#undef PTX_T

// ** modifiers **

#define PTX_WORDS(W) \
  W(rn) W(rz) W(rm) W(rp) W(rna) W(rni) W(rzi) W(rmi) W(rpi) W(ftz) W(sat) W(satfinite) W(relu) W(approx) W(full) \
  W(noftz) W(oob) W(cc) W(eq) W(ne) W(lt) W(le) W(gt) W(ge) W(ls) W(hs) W(equ) W(neu) W(ltu) W(leu) W(gtu) W(geu) \
  W(num) W(nan) W(NaN) W(xorsign) W(abs) W(lo) W(hi) W(wide) W(wrap) W(clamp) W(l) W(r) W(shiftamt) \
  W(and) W(or) W(xor) W(add) W(min) W(max) W(inc) W(dec) W(exch) W(cas) W(popc) W(mask) W(not) \
  W(global) W(shared) W(local) W(param) W(const) W(v2) W(v4) W(v8) W(volatile) W(relaxed) W(acquire) W(release) \
  W(acq_rel) W(weak) W(mmio) W(nc) W(sc) W(sync) W(aligned) W(arrive) W(wait) W(red) W(warp) W(cta) W(cluster) W(gpu) \
  W(sys) W(gl) W(ca) W(cg) W(cs) W(lu) W(cv) W(wb) W(wt) W(level) W(async) W(commit_group) W(wait_group) W(wait_all) \
  W(mbarrier) W(bulk) W(tensor) W(prefetch) W(reduce) W(tile) W(read) W(init) W(inval) W(test_wait) W(try_wait) \
  W(parity) W(expect_tx) W(complete_tx) W(pending_count) W(arrive_drop) W(noComplete) W(noinc) W(to) W(uni) W(up) \
  W(down) W(bfly) W(idx) W(all) W(any) W(ballot) W(trans) W(x1) W(x2) W(x4) W(row) W(col) W(finite) W(infinite) \
  W(number) W(notanumber) W(normal) W(subnormal) W(f4e) W(b4e) W(rc8) W(ecl) W(ecr) W(rc16) W(proxy) W(alias) \
  W(mbarrier_init) W(alloc) W(dealloc) W(mma_async) W(ld) W(fence) W(sp) W(scalar) W(ptr) W(group) W(half) \
  W(launch_dependents) \
  W(x8) W(x16) W(x32) W(x64) W(x128) W(mma) W(commit) W(relinquish_alloc_permit) \
  W(pack) W(b) W(im2col) W(no) W(cta_group) W(multicast) W(tensormap) W(generic) W(first) W(exact)
#define PTX_W(name) PTX_W_##name,
enum { PTX_WORDS(PTX_W) PTX_W_NWORDS };
#undef PTX_W
#define PTX_W(name) #name,
static const char *const ptx_words[] = {PTX_WORDS(PTX_W)};
#undef PTX_W
// More words, of two parts, shapes, and those which say nothing that this machine's memory would notice.
enum {
  PTX_W_shared_cta = PTX_W_NWORDS, PTX_W_shared_cluster, PTX_W_complete_tx_bytes, PTX_W_bulk_group,
  PTX_W_multicast_cluster, PTX_W_proxy_async, PTX_W_1d, PTX_W_2d, PTX_W_3d, PTX_W_4d, PTX_W_5d, PTX_W_ignored,
  PTX_W_one_group, PTX_W_two_groups, PTX_W_before_sync, PTX_W_after_sync, PTX_W_wait_ld, PTX_W_arrive_one,
  PTX_W_16x256b, PTX_W_32x32b, PTX_W_kind_f16, PTX_W_kind_tf32, PTX_W_kind_i8, PTX_W_kind_f8f6f4,
  PTX_W_MOST
};
static const struct { const char *text; int word; } ptx_more_words[] = {
  {"shared::cta", PTX_W_shared_cta}, {"shared::cluster", PTX_W_shared_cluster},
  {"mbarrier::complete_tx::bytes", PTX_W_complete_tx_bytes}, {"complete_tx::bytes", PTX_W_complete_tx_bytes},
  {"bulk_group", PTX_W_bulk_group}, {"multicast::cluster", PTX_W_multicast_cluster}, {"param::entry", PTX_W_param},
  {"param::func", PTX_W_param}, {"proxy::async", PTX_W_ignored}, {"async::generic", PTX_W_ignored},
  {"proxy::async::generic", PTX_W_ignored}, {"sync_restrict::shared::cta::cluster", PTX_W_ignored},
  {"sync_restrict::shared::cta", PTX_W_ignored}, {"sync_restrict::shared::cluster", PTX_W_ignored},
  {"op_restrict", PTX_W_ignored}, {"1d", PTX_W_1d}, {"2d", PTX_W_2d},
  {"3d", PTX_W_3d}, {"4d", PTX_W_4d}, {"5d", PTX_W_5d}, {"L1", PTX_W_ignored}, {"L2", PTX_W_ignored},
  {"tensormap::generic", PTX_W_ignored},
  {"cta_group::1", PTX_W_one_group}, {"cta_group::2", PTX_W_two_groups}, {"wait::ld", PTX_W_wait_ld},
  {"fence::before_thread_sync", PTX_W_before_sync}, {"fence::after_thread_sync", PTX_W_after_sync},
  {"mbarrier::arrive::one", PTX_W_arrive_one}, {"16x256b", PTX_W_16x256b}, {"32x32b", PTX_W_32x32b},
  {"kind::f16", PTX_W_kind_f16}, {"kind::tf32", PTX_W_kind_tf32}, {"kind::i8", PTX_W_kind_i8},
  {"kind::f8f6f4", PTX_W_kind_f8f6f4},
  {"unified", PTX_W_ignored}, {"tile::gather4", PTX_W_im2col}
};

// ** operations **

#define PTX_OPS(O) \
  O(abs) O(activemask) O(add) O(addc) O(and) O(atom) O(bar) O(barrier) O(bfe) O(bfi) O(bfind) O(bmsk) O(bra) O(brev) \
  O(brx) O(call) O(clz) O(cnot) O(copysign) O(cos) O(cp) O(cvt) O(cvta) O(discard) O(div) O(dp2a) O(dp4a) O(elect) \
  O(ex2) O(exit) O(fence) O(fma) O(fns) O(griddepcontrol) O(isspacep) O(ld) O(ldmatrix) O(ldu) O(lg2) O(lop3) O(mad) \
  O(mad24) O(madc) O(mapa) O(match) O(max) O(mbarrier) O(membar) O(min) O(mma) O(mov) O(movmatrix) O(mul) O(mul24) \
  O(nanosleep) O(neg) O(not) O(or) O(pmevent) O(popc) O(prefetch) O(prefetchu) O(prmt) O(rcp) O(red) O(redux) O(rem) \
  O(ret) O(rsqrt) O(sad) O(selp) O(set) O(setmaxnreg) O(setp) O(shf) O(shfl) O(shl) O(shr) O(sin) O(slct) O(sqrt) \
  O(st) O(stmatrix) O(sub) O(subc) O(szext) O(tanh) O(tcgen05) O(testp) O(trap) O(vote) O(wgmma) O(xor) \
  O(applypriority) O(createpolicy) O(getctarank) O(multimem) O(tensormap) O(brkpt)
#define PTX_O(name) PTX_##name##_,
enum { PTX_OPS(PTX_O) PTX_NOPS };
#undef PTX_O
#define PTX_O(name) #name,
static const char *const ptx_ops[] = {PTX_OPS(PTX_O)};
#undef PTX_O

enum { PTX_GENERIC, PTX_GLOBAL, PTX_SHARED, PTX_LOCAL, PTX_PARAM, PTX_CONST };
// Windows of the generic space, above any address of a host: shared memory, local memory, parameters, and variables
// of the module. An address of shared memory that names a group of a cluster has its rank + 1 from bit 24 on.
#define PTX_WINDOW(address) ((address) >> 56)
enum { PTX_IN_SHARED = 0xF0, PTX_IN_LOCAL = 0xF1, PTX_IN_PARAM = 0xF2, PTX_IN_MODULE = 0xF3, PTX_RANK_BIT = 24 };

// ** special registers **

#define PTX_SPECIALS(S) \
  S("%tid.x") S("%tid.y") S("%tid.z") S("%ntid.x") S("%ntid.y") S("%ntid.z") S("%ctaid.x") S("%ctaid.y") S("%ctaid.z") \
  S("%nctaid.x") S("%nctaid.y") S("%nctaid.z") S("%laneid") S("%warpid") S("%nwarpid") S("%smid") S("%nsmid") \
  S("%gridid") S("%clock") S("%clock64") S("%clock_hi") S("%globaltimer") S("%globaltimer_lo") S("%globaltimer_hi") \
  S("%lanemask_eq") S("%lanemask_lt") S("%lanemask_le") S("%lanemask_gt") S("%lanemask_ge") S("%dynamic_smem_size") \
  S("%total_smem_size") S("%cluster_ctarank") S("%cluster_nctarank") S("%cluster_ctaid.x") S("%cluster_ctaid.y") \
  S("%cluster_ctaid.z") S("%cluster_nctaid.x") S("%cluster_nctaid.y") S("%cluster_nctaid.z") S("%clusterid.x") \
  S("%clusterid.y") S("%clusterid.z") S("%nclusterid.x") S("%nclusterid.y") S("%nclusterid.z") \
  S("%is_explicit_cluster") S("%aggr_smem_size") S("WARP_SZ")
#define PTX_S(text) text,
static const char *const ptx_specials[] = {PTX_SPECIALS(PTX_S)};
#undef PTX_S
enum { PTX_NSPECIALS = sizeof ptx_specials / sizeof *ptx_specials };

// ** a module **

// NONE: there is none, or `_`. ROW: a register, constant or address, whose 32 lanes lie at `at` of the warp's registers
// or (CONSTANT) of the module's constants. MEMORY: [ROW + value], or [value] where at is -1. LIST: n operands from `at`
// on.
enum { PTX_NONE, PTX_ROW, PTX_CONSTANT, PTX_BITS, PTX_SPECIAL, PTX_MEMORY, PTX_LIST, PTX_LABEL };
// not_: of a predicate, its negation. space: of the variable that an address names. dynamic: value counts from there.
// also: of p|q, and of d|p, the operand behind the bar, 0: none. bits: of a register.
typedef struct ptx_operand {
  uint8_t kind, not_, space, dynamic, bits, type; int at, n, also; int64_t value;
} ptx_operand;

// type: the first that the text has, type2 the next, ..; rnd, cmp, bop, mode: words; space, space2; o: the first
// operand, of n; guard: a predicate, -1: none; target: of a branch, an instruction, of a call a function;
// strong: of accesses, which do not race with each other.
typedef struct ptx_ins {
  uint16_t op; uint8_t type, type2, type3, type4, ntypes, space, space2, n;
  uint16_t rnd, cmp, bop, mode, mode2;
  uint8_t ftz, sat, relu, vec, not_, strong, cc, approx, bulk, tensor;
  int o, guard, line, target, shape;
  uint8_t words[(PTX_W_MOST + 7) / 8];
} ptx_ins;

typedef struct ptx_variable {
  const char *name; int length, scope; uint8_t space, type, dynamic; int align; uint64_t nbytes; int64_t at;
  int function;                            // whose it is; -1: the module's
} ptx_variable;
typedef struct ptx_range { const char *name; int length, number, count, at; uint8_t type; int function; } ptx_range;
// A function or kernel: instructions from first on; registers and predicates of its own from register_first on.
typedef struct ptx_function {
  const ptx_module *of;
  ptx_kernel kernel; char name[128]; int entry, first, end, registers, predicates, local, defined;
  int operand_first, operand_end, register_base, predicate_base, local_base;
  int param[64], nparam, result[8], nresult;
} ptx_function;

struct ptx_module {
  char *text; int target, exact;              // exact: sm_90a and not sm_90
  ptx_ins *ins; int nins, ins_room;
  ptx_operand *operand; int noperand, operand_room;
  uint64_t *constant; int nconstant, constant_room;          // 32 lanes of each
  ptx_variable *variable; int nvariable, variable_room;
  ptx_range *range; int nrange, range_room;
  ptx_function **function; int nfunction, function_room;
  unsigned char *data; int ndata, data_room;                 // variables of .global and .const
  int registers, predicates, local;                          // of all functions that are no kernels
};

static int ptx_has(const ptx_ins *i, int word) { return i->words[word / 8] >> word % 8 & 1; }
static int ptx_bits(int type) { return ptx_types[type].bits; }
static int ptx_is_float(int type) { return ptx_types[type].kind == 'f'; }
static int ptx_is_signed(int type) { return ptx_types[type].kind == 's'; }
// The first target that has it: PTX ISA, "Target ISA Notes" of each instruction.
static int ptx_least_target(const ptx_ins *ins) {
  const int types[] = {ins->type, ins->type2, ins->type3, ins->type4}, n = ins->ntypes < 4 ? ins->ntypes : 4;
  int least = 0, narrow = 0, bf16 = 0, small = 0, half = 0;
  for (int i = 0; i < n; i++) {
    narrow |= types[i] == PTX_E4M3 || types[i] == PTX_E5M2 || types[i] == PTX_E4M3X2 || types[i] == PTX_E5M2X2;
    bf16 |= types[i] == PTX_BF16 || types[i] == PTX_BF16X2 || types[i] == PTX_TF32;
    small |= types[i] == PTX_U16X2 || types[i] == PTX_S16X2;
    half |= types[i] == PTX_F16 || types[i] == PTX_F16X2;
  }
  switch (ins->op) {
    case PTX_wgmma_: case PTX_mapa_: case PTX_getctarank_: case PTX_setmaxnreg_: case PTX_elect_: case PTX_stmatrix_:
    case PTX_griddepcontrol_: return 90;
    case PTX_cp_: return ins->bulk ? 90 : 80;
    case PTX_mbarrier_: return ptx_has(ins, PTX_W_try_wait) || ptx_has(ins, PTX_W_expect_tx) ? 90 : 80;
    case PTX_tcgen05_: return 100;
    case PTX_redux_: return ins->type == PTX_F32 ? 100 : 80;
    case PTX_mma_:
      if (narrow) return 89;
      if (bf16) return 80;
      return (half && (ins->shape & 0xFF) == 8) || (ins->shape >> 20 == 8 && (ins->shape & 0xFF) > 4) ? 75 : 80;
    case PTX_barrier_: case PTX_ld_: case PTX_st_: case PTX_atom_: case PTX_red_: case PTX_fence_:
      if (ins->vec == 8 || (ins->vec == 4 && ptx_bits(ins->type) == 64)) least = 100;
      else if (ptx_has(ins, PTX_W_cluster) || ptx_has(ins, PTX_W_shared_cluster) || ptx_has(ins, PTX_W_async))
        least = 90;
      else if (ins->vec > 1 && (ins->op == PTX_atom_ || ins->op == PTX_red_)) least = 90;
      else if (bf16 && (ins->op == PTX_atom_ || ins->op == PTX_red_)) least = 90;
      return least;
    case PTX_add_: case PTX_sub_: case PTX_mul_: return bf16 || small ? 90 : ins->type == PTX_F32X2 ? 100 : 0;
    case PTX_min_: case PTX_max_: return small ? 90 : half || bf16 ? 80 : ins->n > 3 ? 100 : 0;
    case PTX_fma_: return ins->type == PTX_F32X2 ? 100 : bf16 || ins->relu ? 80 : 0;
    case PTX_cvt_: return narrow ? 89 : ins->ntypes > 1 && ptx_types[ins->type].parts == 2 ? 80 : bf16 ? 80 : 0;
    case PTX_tanh_: return bf16 ? 90 : 75;
    case PTX_ex2_: return bf16 ? 90 : half ? 75 : 0;
    case PTX_ldmatrix_: case PTX_movmatrix_: return 75;
    default: return bf16 ? 80 : least;
  }
}
static uint64_t ptx_mask_of(int bits) { return bits >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1; }

static int ptx_word_of(const char *text, size_t n) {
  for (int i = 0; i < PTX_W_NWORDS; i++)
    if (*ptx_words[i] == *text && strlen(ptx_words[i]) == n && !memcmp(ptx_words[i], text, n)) return i;
  for (size_t i = 0; i < sizeof ptx_more_words / sizeof *ptx_more_words; i++)
    if (strlen(ptx_more_words[i].text) == n && !memcmp(ptx_more_words[i].text, text, n)) return ptx_more_words[i].word;
  // Hints for caches: L1::no_allocate, L2::128B, L2::cache_hint, level::eviction_priority
  for (size_t i = 0; i + 1 < n; i++)
    if (text[i] == ':' && (*text == 'L' || *text == 'l')) return PTX_W_ignored;
  return -1;
}
static int ptx_type_of(const char *text, size_t n) {
  for (int i = 1; i < PTX_NTYPES; i++)
    if (*ptx_types[i].text == *text && strlen(ptx_types[i].text) == n && !memcmp(ptx_types[i].text, text, n)) return i;
  return PTX_NOTYPE;
}
#endif
