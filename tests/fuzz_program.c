// Fuzzes what loads and runs saved programs, in a build that only runs: clang -g -O1 -fsanitize=fuzzer,address,undefined
// tests/fuzz_program.c -o fuzz_program -lm -lpthread. An input (fuzz_saved.h) is never trusted. What loads is called,
// unless its loops are long: interpreted, and where the list keeps within its memory compiled; what lies around its
// inputs and outputs stays as it is.
// runs in make test: 6000
#define TINY_RUNTIME_ONLY
#include "../src/all.c"
#include "fuzz_saved.h"

extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes);
extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes) {
  static const char *const targets[] = {TN_SHIP_OWN_LIST, TN_SHIP_LIST, NULL};
  static tiny_ctx *t;
  if (!t) t = open_context("CPU", NULL);
  char *own;
  tiny_program *p = loaded(t, data, nbytes, &own);
  const uint32_t *const features[] = {tn_cpu_features(&t->runtime->cpu), NULL};
  if (p) call(p, work_of(t, own, targets, features));
  free(own);
  tiny_clear(t);
  tiny_program_free(p);
  FUZZ_CHECK(!t->runtime->programs && !t->stats.nbytes_live);
  return 0;
}
