// Fuzzes what loads saved programs where programs are planned, too, and what runs them: clang -g -O1
// -fsanitize=fuzzer,address,undefined tests/fuzz_load.c -o fuzz_load -lm -lpthread. An input (fuzz_saved.h) is never
// trusted. Its kernels are made from what they compute, for the interpreter, which looks at every access, and one of
// EVERY by the built-in compiler; what loads is called, unless its loops are long.
// runs in make test: 1500
#include "../src/all.c"
#include "fuzz_saved.h"

enum { EVERY = 8, LOADS = 4096 };          // loads of a context: it keeps what it has made

extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes);
extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes) {
  static const char *const targets[] = {TN_SHIP_KERNEL, NULL};
  static const uint32_t *const features[] = {NULL};
  static tiny_ctx *contexts[2];
  static int loads[2];
  const int compiled = nbytes && data[nbytes - 1] % EVERY == 1;
  tiny_ctx **t = &contexts[compiled];
  if (*t && ++loads[compiled] % LOADS == 0) { tiny_close(*t); *t = NULL; }
  if (!*t) *t = open_context(compiled ? "CPU" : "INTERP", compiled ? "builtin" : NULL);
  char *own;
  tiny_program *p = loaded(*t, data, nbytes, &own);
  if (p) call(p, work_of(*t, own, targets, features));
  free(own);
  tiny_clear(*t);
  tiny_program_free(p);
  return 0;
}
