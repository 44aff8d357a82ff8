// handles, narrow: as on systems where no high bits of an address are to be had: seven bits tell generations apart.
#define TN_WIDE_HANDLES 0
#define TN_FIRST_NBYTES 1024
#define TN_FIRST_SLOTS 4
#include "test_handles.c"
