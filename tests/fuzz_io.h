// fuzz_io: what the fuzzers of files share: one context for all inputs, and the way back into a file.
#ifndef FUZZ_IO_H
#define FUZZ_IO_H

#define FUZZ_CHECK(ok) do { if (!(ok)) { fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #ok); __builtin_trap(); } } while (0)
typedef struct fuzz_bytes { unsigned char data[1 << 14]; size_t n; } fuzz_bytes;

static tiny_ctx *fuzz_context(void) {
  static tiny_ctx *t;
  tiny_desc d;
  if (t) return t;
  memset(&d, 0, sizeof d);
  d.device = "INTERP"; d.cache_dir = ""; d.threads = 1; d.debug = "0";
  d.max_nbytes = (size_t)64 << 20;
  t = tiny_open(&d);
  FUZZ_CHECK(t && tiny_status(t) == TINY_OK);
  return t;
}
static void fuzz_done(tiny_ctx *t) {
  FUZZ_CHECK(!t->archives);
  tiny_clear(t);
  FUZZ_CHECK(tiny_end(t) == TINY_OK);
}
static int fuzz_write(void *user, const void *data, size_t nbytes) {
  fuzz_bytes *b = (fuzz_bytes *)user;
  if (nbytes > sizeof b->data - b->n) { b->n = sizeof b->data; return 1; }       // too long: not read back
  if (nbytes) memcpy(b->data + b->n, data, nbytes);
  b->n += nbytes;
  return 1;
}
// y was read from what x was saved as.
static void fuzz_same(tiny_tensor *x, tiny_tensor *y) {
  static unsigned char a[1 << 14], b[1 << 14];
  const size_t nbytes = (size_t)tiny_nelem_of(x) * tiny_dtype_nbytes(tiny_dtype_of(x));
  FUZZ_CHECK(tiny_ok(y) && tiny_dtype_of(x) == tiny_dtype_of(y));
  const tiny_shape s = tiny_shape_of(x), r = tiny_shape_of(y);
  FUZZ_CHECK(s.ndim == r.ndim && !memcmp(s.dim, r.dim, sizeof s.dim) && nbytes <= sizeof a);
  FUZZ_CHECK(tiny_read(x, a, nbytes) == TINY_OK && tiny_read(y, b, nbytes) == TINY_OK && !memcmp(a, b, nbytes));
}

enum { FUZZ_TENSORS = 16 };
static inline void fuzz_archive(tiny_ctx *t, const uint8_t *data, size_t nbytes, const char *format) {
  tiny_archive *a = tiny_archive_from(t, data, nbytes);
  if (!a) { FUZZ_CHECK(tiny_status(t) == TINY_E_IO && tiny_error(t)[0]); return; }
  tiny_tensor *x[FUZZ_TENSORS];
  const char *name[FUZZ_TENSORS];
  int n = 0;
  for (int i = 0; i < tiny_archive_count(a); i++) {
    tiny_tensor *one = tiny_archive_get(a, tiny_archive_name(a, i));
    FUZZ_CHECK(tiny_ok(one) || tiny_status(t) == TINY_E_IO);
    tiny_clear(t);
    if (n < FUZZ_TENSORS && tiny_ok(one)) { x[n] = one; name[n++] = tiny_archive_name(a, i); }
  }
  fuzz_bytes b = {{0}, 0};
  tiny_save_desc d;
  memset(&d, 0, sizeof d);
  d.names = name; d.tensors = x; d.n = n;
  d.format = format; d.writer.fn = fuzz_write; d.writer.user = &b;
  // .npz takes names that are not UTF-8, which saving does not
  const tiny_code code = n ? tiny_save_as(&d) : TINY_OK;
  FUZZ_CHECK(code == TINY_OK || code == TINY_E_ARG);
  tiny_clear(t);
  if (n && code == TINY_OK && b.n < sizeof b.data) {
    tiny_archive *again = tiny_archive_from(t, b.data, b.n);
    FUZZ_CHECK(again && tiny_archive_count(again) == n);
    for (int i = 0; i < n; i++) fuzz_same(x[i], tiny_archive_get(again, name[i]));
    tiny_archive_close(again);
  }
  tiny_archive_close(a);
}
#endif
