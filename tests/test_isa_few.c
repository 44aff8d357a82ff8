// brief: asan
// test_isa with five registers of each kind: nearly all values are spilled.
#define TN_X86_REGS_GENERAL 5
#define TN_X86_REGS_VECTORS 5
#define TN_X86_REGS_MASKS 5
#define TN_ARM64_REGS_GENERAL 6
#define TN_ARM64_REGS_VECTORS 6
#include "test_isa.c"
