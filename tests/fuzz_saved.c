// Fuzzes what reads saved programs, in a build that only runs: clang -g -O1 -fsanitize=fuzzer,address,undefined
// tests/fuzz_saved.c -o fuzz_saved -lm -lpthread. All of loading but the compiler (fuzz_program has it, and calls what
// loads): checks, lists, what is plain of their accesses, and their code for the interpreter.
// runs in make test: 20000
#define TINY_RUNTIME_ONLY
#include "../src/all.c"
#include "fuzz_saved.h"

extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes);
extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes) {
  static tiny_ctx *t;
  if (!t) t = open_context("CPU", "outside");
  char *own;
  tiny_program *p = loaded(t, data, nbytes, &own);
  free(own);
  tiny_clear(t);
  tiny_program_free(p);
  FUZZ_CHECK(!t->runtime->programs && !t->stats.nbytes_live);
  return 0;
}
