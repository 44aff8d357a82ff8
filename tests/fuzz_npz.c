// fuzz_npz: any bytes may be given to the reader of .npz; those that begin with 'D' go to the decompressor alone, which
// the checksums of archives would hide.
#include "../src/all.c"
#include "fuzz_io.h"

static void fuzz_inflate(const uint8_t *data, size_t nbytes) {
  static tn_inflate z;
  if (!nbytes) return;
  const size_t wanted = (size_t)data[0] * 16 + 15;
  unsigned char *out = (unsigned char *)malloc(wanted);      // of this size: the sanitizer sees a byte too much
  size_t at = 0;
  if (out) tn_inflate_run(&z, data + 1, nbytes - 1, out, wanted, &at);
  FUZZ_CHECK(at < nbytes);
  free(out);
}

extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes);
extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes) {
  if (nbytes && data[0] == 'D') { fuzz_inflate(data + 1, nbytes - 1); return 0; }
  tiny_ctx *t = fuzz_context();
  tiny_begin(t);
  fuzz_archive(t, data, nbytes, "npz");
  fuzz_done(t);
  return 0;
}
