// hand: loops as one writes them by hand for this machine: the limits and references of bench.c.
// Each works on a slice of n floats, a multiple of 256, aligned to 64 bytes; threads share arrays by slices.
#include <stddef.h>

typedef struct hand_args { float *y; const float *x, *z; } hand_args;
typedef struct hand_loop {
  const char *name;
  float (*run)(hand_args a, size_t n);       // sums return the sum, the others write a.y
} hand_loop;

// Variants of one loop; the list ends with a NULL name. Streaming stores do not read the line they write.
extern const hand_loop hand_sum[], hand_copy[], hand_scale[], hand_triad[], hand_chain[];
// Read and write nothing: n fused multiply-adds of floats, 2 n operations.
extern const hand_loop hand_peak[];
