// blocks_runtime.h: what GNUstep's headers include where blocks are on, and GCC's runtime has not: BlocksRuntime's.
#include <Block.h>
