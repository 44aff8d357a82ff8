// idx: arrays in the IDX format, as MNIST's files are, plain or compressed by gzip.
//
// In:  bytes. Out: a tensor; and the other way round. Format: yann.lecun.com/exdb/mnist, "the IDX file format": two
//      zeros, a dtype, the number of dims, the dims and the elements, highest byte first. gzip: RFC 1952, one member.
#ifndef TN_IO_IDX
#define TN_IO_IDX
#ifndef TINY_AMALGAMATED
#include "inflate.c"
#include "pixels.c"
#endif

static const struct { uint8_t code, dtype; } tn_idx_dtypes[6] = {
  {0x08, TINY_U8}, {0x09, TINY_I8}, {0x0B, TINY_I16}, {0x0C, TINY_I32}, {0x0D, TINY_F32}, {0x0E, TINY_F64},
};

static int tn_idx_plain(const tn_source *s, tiny_uop **out) {
  int64_t dim[TINY_MAX_DIMS] = {0};
  int i = 0;
  if (s->nbytes < 4 || s->data[0] || s->data[1]) return tn_source_fail(s, 0, "magic", "no IDX file");
  while (i < 6 && tn_idx_dtypes[i].code != s->data[2]) i++;
  if (i == 6) return tn_source_fail(s, 2, "dtype", "0x%02x is unknown", s->data[2]);
  const int n = s->data[3], dtype = tn_idx_dtypes[i].dtype;
  const size_t data = 4 + 4 * (size_t)n;
  if (n > TINY_MAX_DIMS || s->nbytes < data) return tn_source_fail(s, 3, "dims", "%d, or cut off", n);
  for (int d = 0; d < n; d++) dim[d] = (int64_t)tn_big_endian(s->data + 4 + 4 * d, 4);
  const int64_t nelem = tn_source_nelem(n, dim);
  const uint64_t each = tn_dtypes[dtype].nbytes, have = s->nbytes - data;
  if (nelem < 0) return tn_source_fail(s, 4, "dims", "more than 2^60 elements");
  if ((uint64_t)nelem != have / each || have % each)
    return tn_source_fail(s, data, "data", "%llu bytes, but %lld elements of %s are wanted", (unsigned long long)have,
                          (long long)nelem, tn_dtypes[dtype].name);
  return tn_source_tensor(s, data, dtype, 1, n, dim, out);
}

// ** gzip **

// Past a text that ends with 0.
static size_t tn_gzip_text(const tn_source *s, size_t at) {
  while (at < s->nbytes && s->data[at]) at++;
  return at + 1;
}
// Where the compressed bytes begin; 0 after an error. RFC 1952, 2.3.
static size_t tn_gzip_header(const tn_source *s) {
  const int flags = s->nbytes >= 18 ? s->data[3] : 0xE0;
  size_t at = 10;
  if (s->nbytes < 18 || s->data[2] != 8 || flags & 0xE0)
    return (size_t)tn_source_fail(s, 0, "gzip", "cut off, or of no known method");
  if (flags & 4) at += 2 + (size_t)tn_little(s->data + at, 2);
  if (flags & 8) at = tn_gzip_text(s, at);
  if (flags & 16) at = tn_gzip_text(s, at);
  if (flags & 2) at += 2;
  return at <= s->nbytes - 8 ? at : (size_t)tn_source_fail(s, 10, "gzip", "cut off");
}
// Unpacks into data, of n bytes.
static int tn_gzip_unpack(const tn_source *s, size_t begin, unsigned char *data, size_t n) {
  size_t at = 0;
  tn_crc crc;
  tn_inflate *z = (tn_inflate *)tn_alloc(s->t, sizeof *z);
  if (!z) return 0;
  const char *wrong = tn_inflate_run(z, s->data + begin, s->nbytes - 8 - begin, data, n, &at);
  tn_release(s->t, z, sizeof *z);
  if (wrong) return tn_source_fail(s, begin + at, "gzip", "%s", wrong);
  tn_crc_open(&crc);
  return tn_crc_of(&crc, 0, data, n) == (uint32_t)tn_little(s->data + s->nbytes - 8, 4) ||
      tn_source_fail(s, s->nbytes - 8, "checksum", "the data is damaged");
}
static int tn_idx_read(const tn_source *s, const void *what, tiny_uop **out) {
  (void)what;
  if (s->nbytes < 2 || s->data[0] != 0x1F || s->data[1] != 0x8B) return tn_idx_plain(s, out);
  const size_t begin = tn_gzip_header(s);
  if (!begin) return 0;
  const size_t n = (size_t)tn_little(s->data + s->nbytes - 4, 4);
  if (n / TN_INFLATE_MOST > s->nbytes)
    return tn_source_fail(s, s->nbytes - 4, "gzip", "%llu bytes, more than there can be", (unsigned long long)n);
  unsigned char *data = (unsigned char *)tn_alloc(s->t, n + 1);
  tn_source plain = tn_source_memory(s->t, data, n);
  plain.path = s->path;
  const int done = data && tn_gzip_unpack(s, begin, data, n) && tn_idx_plain(&plain, out);
  tn_release(s->t, data, n + 1);
  return done;
}

TINY_API tiny_tensor *tiny_load_idx(tiny_ctx *t, const char *path) {
  return tn_source_load(t, "load_idx", path, tn_idx_read, NULL);
}
TINY_API tiny_tensor *tiny_load_idx_from(tiny_ctx *t, const void *data, size_t nbytes) {
  return tn_source_load_from(t, data, nbytes, tn_idx_read, NULL);
}

// ** writing **

enum { TN_IDX_PIECE = 4096 };              // bytes that are turned round at a time

static int tn_idx_write(tn_sink *s, const void *what) {
  tiny_tensor *x = (tiny_tensor *)(uintptr_t)what;
  const tiny_uop *u = tn_uop_of(x);
  char text[TN_DIMS_TEXT];
  unsigned char piece[TN_IDX_PIECE];
  void *copy;
  size_t n;
  int i = 0;
  while (i < 6 && tn_idx_dtypes[i].dtype != u->dtype) i++;
  if (i == 6) {
    tiny_fail(s->t, TINY_E_DTYPE, "%s: IDX has u8, i8, i16, i32, f32 and f64, not %s", s->name,
              tn_dtypes[u->dtype].name);
    return 0;
  }
  int fits = u->ndim > 0 && !u->extent;
  for (int d = 0; d < u->ndim; d++) fits &= u->dim[d] <= UINT32_MAX;
  if (!fits) {
    tiny_fail(s->t, TINY_E_SHAPE, "%s: %s: 1 dim or more, each below 2^32", s->name, tn_text_of(u, text));
    return 0;
  }
  piece[0] = piece[1] = 0; piece[2] = tn_idx_dtypes[i].code; piece[3] = (unsigned char)u->ndim;
  for (int d = 0; d < u->ndim; d++) tn_put_big_endian(piece + 4 + 4 * d, (uint64_t)u->dim[d], 4);
  const size_t each = tn_dtypes[u->dtype].nbytes, head = 4 + 4 * (size_t)u->ndim;
  if (tn_realize_whole(&x, 1) != TINY_OK) return 0;
  const char *data = (const char *)tn_sink_elements(s, x, &copy, &n);
  int done = data && tn_sink_put(s, piece, head);
  for (size_t at = 0; done && at < n; at += TN_IDX_PIECE) {
    const size_t some = n - at < TN_IDX_PIECE ? n - at : (size_t)TN_IDX_PIECE;
    tn_swap_bytes(piece, data + at, some, each);
    done = tn_sink_put(s, piece, some);
  }
  tn_release(s->t, copy, n);
  return done;
}
TINY_API tiny_code tiny_save_idx(tiny_tensor *x, const char *path) {
  return tn_sink_save("save_idx", x, path, NULL, tn_idx_write, x);
}
TINY_API tiny_code tiny_save_idx_to(tiny_tensor *x, tiny_writer to) {
  return tn_sink_save("save_idx_to", x, NULL, &to, tn_idx_write, x);
}
#endif
