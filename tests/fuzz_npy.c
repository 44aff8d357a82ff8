// fuzz_npy: any bytes may be given to the reader of .npy. What it takes is written, and read back as the same tensor.
#include "../src/all.c"
#include "fuzz_io.h"

extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes);
extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes) {
  tiny_ctx *t = fuzz_context();
  tiny_begin(t);
  tiny_tensor *x = tiny_load_npy_from(t, data, nbytes);
  if (tiny_ok(x)) {
    fuzz_bytes b = {{0}, 0};
    const tiny_writer to = {fuzz_write, &b};
    FUZZ_CHECK(tiny_save_npy_to(x, to) == TINY_OK);
    if (b.n < sizeof b.data) fuzz_same(x, tiny_load_npy_from(t, b.data, b.n));
  } else FUZZ_CHECK(tiny_status(t) == TINY_E_IO && tiny_error(t)[0]);
  fuzz_done(t);
  return 0;
}
