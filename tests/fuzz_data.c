// fuzz_data: any bytes may be given to the readers of pictures, sound and tables. What they take is written, and read back as the
// same. Behind a first byte of 0xF0, bytes are the rows of a PNG, whose checksums and packing are made here: else no change of a
// picture would reach what lies behind them.
// runs in make test: 6000
#include "../src/all.c"
#include "fuzz_io.h"

static fuzz_bytes saved;
static tiny_writer to(void) {
  const tiny_writer w = {fuzz_write, &saved};
  saved.n = 0;
  return w;
}
static int whole(void) { return saved.n < sizeof saved.data; }

static void put_chunk(unsigned char *out, size_t *n, const char *type, const void *data, size_t nbytes) {
  tn_crc crc;
  tn_crc_open(&crc);
  tn_put_big_endian(out + *n, nbytes, 4);
  memcpy(out + *n + 4, type, 4);
  if (nbytes) memcpy(out + *n + 8, data, nbytes);
  tn_put_big_endian(out + *n + 8 + nbytes, tn_crc_of(&crc, 0, out + *n + 4, nbytes + 4), 4);
  *n += nbytes + 12;
}
// width, height, depth, kind, interlace, colours of the palette, bytes of tRNS, parts; then palette, tRNS and rows.
static size_t make_png(const uint8_t *data, size_t nbytes, unsigned char *out) {
  unsigned char head[13] = {0}, packed[1024];
  static const char magic[9] = "\x89PNG\r\n\x1a\n";
  size_t n = 8, at = 8;
  if (nbytes < 8 || nbytes > 900) return 0;
  memcpy(out, magic, 8);
  head[3] = data[0]; head[7] = data[1]; head[8] = data[2]; head[9] = data[3]; head[12] = data[4];
  put_chunk(out, &n, "IHDR", head, 13);
  const size_t palette = 3u * data[5] < nbytes - at ? 3u * data[5] : nbytes - at;
  if (palette) put_chunk(out, &n, "PLTE", data + at, palette);
  at += palette;
  const size_t clear = data[6] < nbytes - at ? data[6] : nbytes - at;
  if (clear) put_chunk(out, &n, "tRNS", data + at, clear);
  at += clear;
  const size_t rows = nbytes - at, stored = rows + 11;
  packed[0] = 0x78; packed[1] = 1; packed[2] = 1;            // one stored block, the last
  tn_put_little(packed + 3, rows, 2);
  tn_put_little(packed + 5, ~rows & 0xFFFF, 2);
  if (rows) memcpy(packed + 7, data + at, rows);
  tn_put_big_endian(packed + 7 + rows, tn_adler(data + at, rows), 4);
  const size_t first = data[7] % stored;
  put_chunk(out, &n, "IDAT", packed, first);
  put_chunk(out, &n, "IDAT", packed + first, stored - first);
  put_chunk(out, &n, "IEND", NULL, 0);
  return n;
}

static void check_taken(tiny_ctx *t, tiny_tensor *x) {
  FUZZ_CHECK(tiny_ok(x) || (tiny_status(t) == TINY_E_IO && tiny_error(t)[0]));
  tiny_clear(t);
}
static void check_image(tiny_ctx *t, const uint8_t *data, size_t nbytes) {
  static const char *const formats[2] = {"png", "pam"};
  tiny_tensor *x = tiny_load_image_from(t, data, nbytes);
  check_taken(t, x);
  for (int i = 0; tiny_ok(x) && i < 2 && tiny_nelem_of(x) < 4000; i++) {
    FUZZ_CHECK(tiny_save_image_to(x, formats[i], to()) == TINY_OK);
    if (whole()) fuzz_same(x, tiny_load_image_from(t, saved.data, saved.n));
  }
}

extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes);
extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes) {
  static unsigned char made[2048];
  tiny_ctx *t = fuzz_context();
  tiny_csv_desc d;
  int rate = 0;
  tiny_begin(t);
  if (nbytes && data[0] == 0xF0) check_image(t, made, make_png(data + 1, nbytes - 1, made));
  else check_image(t, data, nbytes);
  tiny_tensor *x = tiny_load_wav_from(t, data, nbytes, &rate);
  check_taken(t, x);
  if (tiny_ok(x) && tiny_nelem_of(x) < 2000 && tiny_shape_of(x).dim[1] < 16384) {
    FUZZ_CHECK(rate > 0 && tiny_save_wav_to(x, rate, to()) == TINY_OK);
    if (whole()) fuzz_same(x, tiny_load_wav_from(t, saved.data, saved.n, NULL));
  }
  x = tiny_load_idx_from(t, data, nbytes);
  check_taken(t, x);
  if (tiny_ok(x) && tiny_shape_of(x).ndim && tiny_nelem_of(x) < 1000) {
    FUZZ_CHECK(tiny_save_idx_to(x, to()) == TINY_OK);
    if (whole()) fuzz_same(x, tiny_load_idx_from(t, saved.data, saved.n));
  }
  memset(&d, 0, sizeof d);
  d.header = nbytes && data[0] == '"';
  d.comment = nbytes && data[nbytes - 1] == '#' ? '#' : 0;
  d.dtype = nbytes & 1 ? TINY_F64 : TINY_F32;
  x = tiny_load_csv_from(t, data, nbytes, &d);
  check_taken(t, x);
  if (tiny_ok(x) && tiny_nelem_of(x) && tiny_nelem_of(x) < 400) {
    static unsigned char a[1 << 14], b[1 << 14];
    const size_t size = (size_t)tiny_nelem_of(x) * tiny_dtype_nbytes(tiny_dtype_of(x));
    FUZZ_CHECK(tiny_save_csv_to(x, to(), NULL) == TINY_OK);
    d.header = 0; d.comment = 0;
    tiny_tensor *y = whole() ? tiny_load_csv_from(t, saved.data, saved.n, &d) : x;
    FUZZ_CHECK(tiny_read(x, a, size) == TINY_OK && tiny_read(y, b, size) == TINY_OK && !memcmp(a, b, size));
  }
  fuzz_done(t);
  return 0;
}
