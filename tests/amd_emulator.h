// amd_emulator: machine code of AMD GPUs executed on this machine, wave by wave, and strict: what a GPU would only
// tolerate is an error.
//
// Families: gfx11 (RDNA3, waves of 32 lanes), gfx12 (RDNA4, 32), gfx942 (CDNA3, 64). Code is fetched from memory as
// bytes and decoded by src/isa/amd.c. A device address is a host address; what may be touched is a list of ranges.
// Several threads may emulate at a time. No globals that are written.
// Sources: AMD, "RDNA3", "RDNA4" and "AMD Instinct MI300" Instruction Set Architecture reference guides; LLVM 19,
// "User Guide for AMDGPU Backend" (AMDGPUUsage: initial state, kernel descriptors, memory model),
// GCNHazardRecognizer.cpp, SIInsertWaitcnts.cpp; AMD matrix instruction calculator (layouts).
#ifndef AMD_EMULATOR_H
#define AMD_EMULATOR_H
#include <stddef.h>
#include <stdint.h>

#ifndef AMD_API
  #define AMD_API static
#endif

// Memory that a kernel may read, and write where writable.
typedef struct amd_range { uint64_t address; size_t nbytes; int writable; } amd_range;

// A dispatch. Fields that are 0 are off, but for those that say otherwise.
typedef struct amd_dispatch {
  int chip;                                // 1100 .. 1103, 1150, 1151, 1200, 1201, 942
  uint64_t entry;                          // the first instruction
  uint32_t rsrc1, rsrc2, rsrc3;            // COMPUTE_PGM_RSRC1 to 3, as in the kernel descriptor
  uint16_t properties;                     // kernel_code_properties of the descriptor: which user SGPRs there are
  uint16_t preload;                        // kernarg_preload of the descriptor (gfx942)
  // SGPRs from s0 on as a packet gave them (COMPUTE_USER_DATA); NULL: by properties
  const uint32_t *user; int nuser;
  uint64_t kernarg; size_t kernarg_nbytes; // 0 nbytes: as the ranges have it
  // addresses of the AQL packet and of the amd_queue_t, where properties ask for them
  uint64_t packet, queue, dispatch_id;
  uint32_t grid[3], group[3];              // work items; 0 counts as 1; the last groups may be partial
  uint32_t lds_nbytes;                     // of a group
  uint32_t scratch_nbytes;                 // of a work item
  const amd_range *range; int nranges;
  uint32_t seed;                           // 0: waves and groups in order; else at random
  int resident;                            // groups that run at a time; 0: 1
  // what LLVM's code asks for: registers and scratch that nobody wrote may be read, addresses need not be aligned
  int tolerant;
  // gfx12: SGPRs that are reused as LLVM 19 does not know to be a hazard are errors
  int sgpr_hazard;
  uint64_t max_steps;                      // instructions of waves; 0: no bound. Beyond: an error
} amd_dispatch;

// Kinds of instructions, as they are counted.
enum {
  AMD_SALU, AMD_BRANCH, AMD_WAIT, AMD_SMEM, AMD_VALU, AMD_TRANS, AMD_DUAL, AMD_MATRIX, AMD_LDS, AMD_VMEM_LOAD,
  AMD_VMEM_STORE, AMD_ATOMIC, AMD_SCRATCH, AMD_OTHER, AMD_KINDS
};
static const char *const amd_kind_name[AMD_KINDS] = {
  "salu", "branch", "wait", "smem", "valu", "trans", "dual", "matrix", "lds", "load", "store", "atomic", "scratch",
  "other"
};

typedef struct amd_report {
  // "": none; a sentence with the address, the instruction, the group and the wave
  char error[600];
  uint64_t error_pc;
  uint64_t fault;                          // the address of an access that no range has, or that is read-only; 0: none
  uint64_t groups, waves;
  uint64_t instructions, issued[AMD_KINDS];// of waves; a dual instruction is one
  uint64_t lane_instructions;              // lanes that vector instructions were done for
  uint64_t lds_accesses, lds_conflicts;    // cycles of LDS banks: what accesses take at least, and what conflicts add
  uint64_t sectors;                        // of 32 bytes, that global, flat, buffer and scratch accesses touch
  uint64_t loaded, stored;                 // bytes
  uint64_t matrix_flop;
  uint64_t cycles;                         // estimate for the whole dispatch on one compute unit (amd_emulate_time.c)
  int vgprs, sgprs;                        // the highest that was touched, and 1
} amd_report;

// Fills what a kernel descriptor (64 bytes, at a host address) says: entry, resources, properties, LDS, scratch.
AMD_API void amd_describe(amd_dispatch *d, uint64_t descriptor);
// 0, or not and a sentence in r->error: a value that is used before its wait, a hazard that the manual names, registers
// that nobody wrote, races in LDS, memory that is out of the ranges or misaligned, barriers that an ended wave is
// missed at, code that runs off its end or is none.
AMD_API int amd_emulate(const amd_dispatch *d, amd_report *r);
#endif
