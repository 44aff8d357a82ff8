// fuzz_safetensors: any bytes may be given to the reader of .safetensors. What it takes is written and read back.
#include "../src/all.c"
#include "fuzz_io.h"

extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes);
extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes) {
  tiny_ctx *t = fuzz_context();
  tiny_begin(t);
  fuzz_archive(t, data, nbytes, "safetensors");
  fuzz_done(t);
  return 0;
}
