// test_isa with two registers of each kind: nearly all values are spilled.
#define TN_X86_REGS_GENERAL 2
#define TN_X86_REGS_VECTORS 2
#define TN_X86_REGS_MASKS 2
#define TN_ARM64_REGS_GENERAL 2
#define TN_ARM64_REGS_VECTORS 2
#include "test_isa.c"
