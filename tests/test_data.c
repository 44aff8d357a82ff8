// also: valgrind
// test_data: pictures, sounds and tables by NumPy, Pillow and the specifications (tests/corpus/data, by tools/corpus_data.py) are
// read as what they hold; files of ours are read back; every error says what and where; a failing allocation leaks nothing.
#include "../src/all.c"
#include "test.h"
#include "memory_test.h"

static tiny_ctx *t;
static unsigned char file[1 << 16];

static const char *corpus(const char *name) {
  static char path[300];
  snprintf(path, sizeof path, "tests/corpus/data/%s", name);
  return path;
}
static size_t read_file(const char *name) {
  FILE *f = fopen(corpus(name), "rb");
  const size_t n = f ? fread(file, 1, sizeof file, f) : 0;
  if (f) fclose(f);
  return n;
}
static int ends_in(const char *name, const char *end) {
  const size_t n = strlen(name), m = strlen(end);
  return n >= m && !strcmp(name + n - m, end);
}
static int same(tiny_tensor *x, tiny_tensor *y) {
  static unsigned char a[1 << 17], b[1 << 17];
  const tiny_shape s = tiny_shape_of(x), r = tiny_shape_of(y);
  const size_t nbytes = (size_t)tiny_nelem_of(x) * tiny_dtype_nbytes(tiny_dtype_of(x));
  if (!tiny_ok(x) || !tiny_ok(y) || tiny_dtype_of(x) != tiny_dtype_of(y) || s.ndim != r.ndim || nbytes > sizeof a) return 0;
  if (memcmp(s.dim, r.dim, sizeof s.dim) || tiny_read(x, a, nbytes) != TINY_OK || tiny_read(y, b, nbytes) != TINY_OK) return 0;
  if (tiny_dtype_of(x) != TINY_F32) return !memcmp(a, b, nbytes);
  for (size_t i = 0; i < nbytes; i += 4) {                   // NaN is NaN
    float v, w;
    memcpy(&v, a + i, 4); memcpy(&w, b + i, 4);
    if (memcmp(&v, &w, 4) && !(v != v && w != w)) return 0;
  }
  return 1;
}

typedef struct bytes { unsigned char data[1 << 17]; size_t n, most; } bytes;
static int keep(void *user, const void *data, size_t nbytes) {
  bytes *b = (bytes *)user;
  if (nbytes > (b->most ? b->most : sizeof b->data) - b->n) return 0;
  memcpy(b->data + b->n, data, nbytes);
  b->n += nbytes;
  return 1;
}
static bytes out;
static tiny_writer to(void) {
  const tiny_writer w = {keep, &out};
  out.n = 0;
  return w;
}

// Whatever a file is, by its name.
static tiny_tensor *load(const char *name, const void *data, size_t n) {
  tiny_csv_desc d;
  memset(&d, 0, sizeof d);
  if (!strcmp(name, "semicolon.txt")) d.separator = ';';
  if (!strcmp(name, "quoted.txt")) d.header = 1;
  if (ends_in(name, ".wav")) return data ? tiny_load_wav_from(t, data, n, NULL) : tiny_load_wav(t, corpus(name), NULL);
  if (ends_in(name, ".idx") || ends_in(name, ".gz")) return data ? tiny_load_idx_from(t, data, n) : tiny_load_idx(t, corpus(name));
  if (ends_in(name, ".csv") || ends_in(name, ".txt"))
    return data ? tiny_load_csv_from(t, data, n, &d) : tiny_load_csv(t, corpus(name), &d);
  return data ? tiny_load_image_from(t, data, n) : tiny_load_image(t, corpus(name));
}
static void reads_what_others_wrote(void) {
  tiny_archive *a = tiny_archive_open(t, corpus("expected.npz"));
  CHECK(tiny_archive_count(a) >= 80);
  for (int i = 0; i < tiny_archive_count(a); i++) {
    const char *name = tiny_archive_name(a, i);
    if (!case_named("%s", name)) continue;
    tiny_begin(t);
    tiny_tensor *want = tiny_archive_get(a, name), *x = load(name, NULL, 0);
    CHECK(same(x, want));
    const size_t n = read_file(name);
    CHECK(same(load(name, file, n), want));
    // what is cut off, or has one byte changed, is refused or something else: never more than an error
    for (size_t k = 0; k < n; k += n > 300 ? 7 * test_step() : test_step()) {
      tiny_clear(t);
      tiny_tensor *cut = load(name, file, k);
      CHECK(tiny_ok(cut) || (tiny_status(t) == TINY_E_IO && strstr(tiny_error(t), "memory: byte ")));
      tiny_clear(t);
      file[k] ^= 0x55;
      tiny_tensor *changed = load(name, file, n);
      CHECK(tiny_ok(changed) || tiny_status(t) == TINY_E_IO);
      file[k] ^= 0x55;
      CHECK(!ends_in(name, ".png") || (!tiny_ok(cut) && !tiny_ok(changed)));
    }
    tiny_clear(t);
    tiny_end(t);
  }
  case_end();
  tiny_archive_close(a);
}

// ** files of ours **

static tiny_tensor *noise(tiny_dtype dtype, tiny_shape s) {
  const int64_t low = dtype == TINY_I16 ? -32768 : dtype == TINY_I32 ? -1000000 : 0;
  return tiny_randint(t, low, dtype == TINY_U8 ? 256 : dtype == TINY_U16 ? 65536 : 32768, dtype, s);
}
// Slopes, which filters and matches are for.
static tiny_tensor *slopes(tiny_dtype dtype, tiny_shape s) {
  tiny_tensor *x = tiny_reshape(tiny_arange(t, 0, (double)tn_dims_nelem(s.ndim, s.dim), 1, TINY_I64), s);
  return tiny_cast(tiny_remainder(x, tiny_like(x, 251)), dtype);
}
static void writes_pictures(void) {
  static const char *const format[] = {"png", "pam", "pgm", "ppm", "pnm"};
  for (int f = 0; f < 5; f++) for (int c = 1; c <= 4; c++) for (int wide = 0; wide < 2; wide++) for (int kind = 0; kind < 2; kind++) {
    const tiny_dtype dtype = wide ? TINY_U16 : TINY_U8;
    if ((f == 2 && c != 1) || (f == 3 && c != 3) || (f == 4 && c % 2 == 0)) continue;
    tiny_begin(t);
    tiny_tensor *x = kind ? slopes(dtype, TINY_SHAPE(c, 33, 70)) : noise(dtype, TINY_SHAPE(c, 9, 7));
    CHECK_EQ(tiny_save_image_to(x, format[f], to()), TINY_OK);
    CHECK(same(x, tiny_load_image_from(t, out.data, out.n)));
    if (f == 0 && kind) CHECK(out.n < 33u * 70 * (unsigned)(c * (1 + wide)) / 3);
    tiny_end(t);
  }
  tiny_tensor *flat = noise(TINY_U8, TINY_SHAPE(3, 300));    // (H,W): one channel
  CHECK_EQ(tiny_save_image_to(flat, "png", to()), TINY_OK);
  CHECK(same(tiny_unsqueeze(flat, 0), tiny_load_image_from(t, out.data, out.n)));
  tiny_tensor *plain = tiny_zeros(t, TINY_U8, TINY_SHAPE(3, 100, 100));
  CHECK_EQ(tiny_save_image_to(plain, "png", to()), TINY_OK);
  CHECK(out.n < 500 && same(plain, tiny_load_image_from(t, out.data, out.n)));
  CHECK_EQ(tiny_save_image(flat, "build/test_data.png"), TINY_OK);
  CHECK(same(tiny_unsqueeze(flat, 0), tiny_load_image(t, "build/test_data.png")));
  remove("build/test_data.png");
}
static void writes_sound(void) {
  static const tiny_dtype dtype[] = {TINY_U8, TINY_I16, TINY_I32, TINY_F32};
  static const double scale[] = {1.0 / 128, 1.0 / 32768, 1.0 / 2147483648.0, 1};
  for (int i = 0; i < 4; i++) for (int c = 0; c < 3; c++) {
    int rate = 0;
    tiny_begin(t);
    tiny_tensor *x = i == 3 ? tiny_randn(t, c ? TINY_SHAPE(11, c) : TINY_SHAPE(11)) : noise(dtype[i], c ? TINY_SHAPE(11, c) : TINY_SHAPE(11));
    CHECK_EQ(tiny_save_wav_to(x, 22050, to()), TINY_OK);
    tiny_tensor *y = tiny_load_wav_from(t, out.data, out.n, &rate), *want = tiny_cast(x, TINY_F64);
    CHECK(rate == 22050 && out.n % 2 == 0);
    if (i == 0) want = tiny_sub(want, tiny_like(want, 128));
    want = tiny_cast(tiny_mul(want, tiny_like(want, scale[i])), TINY_F32);
    CHECK(same(c ? want : tiny_unsqueeze(want, 1), y));
    tiny_end(t);
  }
}
static void writes_tables(void) {
  static const tiny_dtype dtype[] = {TINY_U8, TINY_I8, TINY_I16, TINY_I32, TINY_F32, TINY_F64};
  static const char *const names[3] = {"plain", "with, comma", "with \"quotes\""}, *const two[2] = {"with \"quotes\"", "plain"}, *const nameless[1] = {""};
  for (int i = 0; i < 6; i++) {
    tiny_begin(t);
    tiny_tensor *x = tiny_cast(slopes(TINY_I64, TINY_SHAPE(40, 3, 50)), dtype[i]);
    CHECK_EQ(tiny_save_idx_to(x, to()), TINY_OK);
    CHECK(same(x, tiny_load_idx_from(t, out.data, out.n)));
    tiny_end(t);
  }
  tiny_csv_desc d;
  memset(&d, 0, sizeof d);
  for (int wide = 0; wide < 2; wide++) {   // every digit that counts is written
    tiny_begin(t);
    const float special[8] = {0, -0.0f, 1e-45f, 3.4028235e38f, -INFINITY, NAN, 0.1f, 16777216};
    tiny_tensor *x = tiny_randn(t, TINY_SHAPE(30, 4)), *some = tiny_from(t, special, TINY_F32, TINY_SHAPE(2, 4));
    tiny_tensor *both[2] = {some, tiny_mul(x, tiny_exp(tiny_mul(x, tiny_like(x, 10))))};
    x = tiny_cast(tiny_cat(both, 2, 0), wide ? TINY_F64 : TINY_F32);
    if (wide) x = tiny_slice(tiny_div(x, tiny_like(x, 3)), 0, 2, 32, 1);
    d.dtype = wide ? TINY_F64 : TINY_VOID; d.separator = wide ? '\t' : 0;
    CHECK_EQ(tiny_save_csv_to(x, to(), &d), TINY_OK);
    CHECK(same(x, tiny_load_csv_from(t, out.data, out.n, &d)));
    tiny_end(t);
  }
  char found[64];
  memset(&d, 0, sizeof d);
  d.names = names; d.n = 3;
  tiny_tensor *x = slopes(TINY_I16, TINY_SHAPE(5, 3));
  CHECK_EQ(tiny_save_csv_to(x, to(), &d), TINY_OK);
  d.header = 1; d.n = 0; d.found = found; d.found_nbytes = sizeof found;
  CHECK(same(tiny_cast(x, TINY_F32), tiny_load_csv_from(t, out.data, out.n, &d)));
  CHECK_STR(found, "plain\nwith, comma\nwith \"quotes\"\n");
  d.names = two; d.n = 2;                  // by name, in another order
  tiny_tensor *part[2] = {tiny_select(x, 1, 2), tiny_select(x, 1, 0)};
  CHECK(same(tiny_cast(tiny_stack(part, 2, 1), TINY_F32), tiny_load_csv_from(t, out.data, out.n, &d)));
  CHECK_STR(found, "with \"quotes\"\nplain\n");
  const int numbers[1] = {1};
  d.names = NULL; d.columns = numbers; d.n = 1; d.found_nbytes = 4;
  CHECK(same(tiny_cast(tiny_slice(x, 1, 1, 2, 1), TINY_F32), tiny_load_csv_from(t, out.data, out.n, &d)));
  CHECK_STR(found, "wit");
  memset(&d, 0, sizeof d);
  d.names = nameless; d.n = d.header = 1;  // a row of names, although none is
  CHECK_EQ(tiny_save_csv_to(tiny_full(t, 5, TINY_I32, TINY_SHAPE(2)), to(), &d), TINY_OK);
  CHECK(same(tiny_load_csv_from(t, out.data, out.n, &d), tiny_full(t, 5, TINY_F32, TINY_SHAPE(2, 1))));
  tiny_clear(t);
}

static tiny_tensor *csv(const char *text, const tiny_csv_desc *d) { return tiny_load_csv_from(t, text, strlen(text), d); }
static void csv_options(void) {
  tiny_csv_desc d;
  memset(&d, 0, sizeof d);
  d.skip = 2; d.comment = '#'; d.missing = "-999"; d.separator = ' ';
  const float want[4] = {1, NAN, 3, NAN};
  CHECK(same(csv("first line\r\nsecond # line\n# a comment\n1 -999\n\n# another\n3 N/A", &d), tiny_from(t, want, TINY_F32, TINY_SHAPE(2, 2))));
  d = (tiny_csv_desc){.dtype = TINY_F32};
  const float rows[2] = {1, 3};
  CHECK(same(csv("# of\n1,3\n#", &d), tiny_from(t, rows, TINY_F32, TINY_SHAPE(1, 2))));
  d.header = 1;                            // the first row is the names, whatever it begins with
  CHECK(same(csv("#a,b\n1,3\n", &d), tiny_from(t, rows, TINY_F32, TINY_SHAPE(1, 2))));
  d.header = 0; d.comment = '\n';
  CHECK(!tiny_ok(csv("#1,2\n1,3\n", &d)));
  tiny_clear(t);
  CHECK(same(csv("", NULL), tiny_zeros(t, TINY_F32, TINY_SHAPE(0, 0))));
  CHECK(same(csv("\n\n5\n\n", NULL), tiny_full(t, 5, TINY_F32, TINY_SHAPE(1, 1))));
  CHECK(same(csv("-nan,+NaN,nan\n", NULL), tiny_from(t, (float[]){NAN, NAN, NAN}, TINY_F32, TINY_SHAPE(1, 3))));       // as printf has it
  CHECK(same(csv("-inf,+Infinity\n", NULL), tiny_from(t, (float[]){-INFINITY, INFINITY}, TINY_F32, TINY_SHAPE(1, 2))));
  CHECK_EQ(tiny_status(t), TINY_OK);
  // numbers as the C library reads them, all digits
  for (int i = 0; i < test_some(2000); i++) {
    char text[64];
    double x, y = 0;
    const uint64_t bits = (uint64_t)i * 0x9E3779B97F4A7C15u;
    memcpy(&x, &bits, 8);
    snprintf(text, sizeof text, i % 3 ? "%.17g" : "%.6f", i % 3 ? x : (double)(int64_t)(bits >> 30) / 1e4);
    if (!strpbrk(text, "0123456789") || strlen(text) > 40) continue;
    memset(&d, 0, sizeof d);
    d.dtype = TINY_F64;
    tiny_begin(t);
    CHECK(tiny_read(csv(text, &d), &y, sizeof y) == TINY_OK && y == strtod(text, NULL));
    tiny_end(t);
  }
}

// ** what is refused **

static const char *said(tiny_tensor *x) {
  static char text[1024];
  snprintf(text, sizeof text, "%s", tiny_ok(x) ? "" : tiny_error(t));
  tiny_clear(t);
  return text;
}
static const char *said_code(tiny_code code) {
  static char text[1024];
  snprintf(text, sizeof text, "%s", code == tiny_status(t) && code != TINY_OK ? tiny_error(t) : "");
  tiny_clear(t);
  return text;
}
static tiny_tensor *image(const char *text) { return tiny_load_image_from(t, text, strlen(text)); }
static void refuses(void) {
  static const char *const b[1] = {"b"};
  static const int numbers[2] = {0, 0}, beyond[1] = {3};
  tiny_csv_desc d;
  memset(&d, 0, sizeof d);
  CHECK_STR(said(image("GIF89a")), "memory: byte 0: magic: neither PNG nor PBM, PGM, PPM or PAM");
  CHECK_STR(said(image("P5 100000 100000 255\nx")), "memory: byte 0: size: 100000 x 100000 x 1 samples, but the file has 22 bytes");
  CHECK_STR(said(image("P5 2 2 255\nabc")), "memory: byte 11: samples: 3 bytes, but 4 are wanted");
  CHECK_STR(said(image("P2 2 1 7 3 8")), "memory: byte 11: sample: 8 is not from 0 to 7");
  static const char pam[] = "P7\r\nWIDTH 1\r\nHEIGHT 1\r\nDEPTH 1\r\nMAXVAL 255\r\nENDHDR\r\n\a";       // the sample is not a line's end
  unsigned char sample = 0;
  CHECK(tiny_read(image(pam), &sample, 1) == TINY_OK && sample == 7);
  CHECK_STR(said(image("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 1\nMAXVAL 255\nENDHDRS\n\a")), "memory: byte 45: ENDHDR: its line does not end");
  CHECK_STR(said(image("P7\nWIDTH 1\nENDHDR\n")), "memory: byte 17: HEIGHT: missing");
  CHECK_STR(said(tiny_load_image(t, "nowhere.png")), "nowhere.png: byte 0: file: there is no such file");
  CHECK_STR(said(tiny_load_image(t, NULL)), "load_image: path is NULL or empty");
  size_t n = read_file("k2_8.png");
  file[30] ^= 1;
  CHECK_STR(said(tiny_load_image_from(t, file, n)), "memory: byte 8: checksum: chunk 'IHDR' is damaged");
  CHECK_STR(said(tiny_load_wav_from(t, "RIFFxxxxWAVE", 12, NULL)), "memory: byte 12: fmt: missing");
  CHECK_STR(said(tiny_load_idx_from(t, "\0\0\x08\x01\x7f\xff\xff\xff", 8)), "memory: byte 8: data: 0 bytes, but 2147483647 elements of u8 are wanted");
  CHECK_STR(said(tiny_load_idx_from(t, "\0\0\x08\x03\x7f\xff\xff\xff\x7f\xff\xff\xff\x7f\xff\xff\xff", 16)), "memory: byte 4: dims: more than 2^60 elements");
  CHECK_STR(said(csv("1,2\n3\n", NULL)), "memory: byte 4: row: row 2 has 1 fields, others 2");
  CHECK_STR(said(csv("1,2\n3,four\n", NULL)), "memory: byte 6: number: row 2: 'four' is none");
  CHECK_STR(said(csv("-+inf\n", NULL)), "memory: byte 0: number: row 1: '-+inf' is none");
  CHECK_STR(said(csv("\"1,2\n", NULL)), "memory: byte 0: quotes: a field that does not end");
  CHECK_STR(said(csv("\"1\"2\n", NULL)), "memory: byte 3: quotes: text behind them");
  d.header = 1; d.names = b; d.n = 1;
  CHECK_STR(said(csv("a,c\n1,2\n", &d)), "memory: byte 0: header: no column 'b'");
  CHECK_STR(said(csv("", &d)), "memory: byte 0: header: missing");
  d.header = 0;
  CHECK_STR(said(csv("a,c\n1,2\n", &d)), "load_csv_from: names of columns stand in a header");
  d.names = NULL; d.columns = numbers; d.n = 2;
  CHECK_STR(said(csv("1,2\n", &d)), "memory: byte 0: columns: column 0 is asked for twice");
  d.columns = beyond; d.n = 1;
  CHECK_STR(said(csv("1,2\n", &d)), "memory: byte 0: columns: 3 of 2");
  CHECK_STR(said(csv("", &d)), "memory: byte 0: columns: 3 of 0");
  tiny_tensor *x = tiny_zeros(t, TINY_F32, TINY_SHAPE(3, 4, 4)), *u = tiny_cast(x, TINY_U8);
  CHECK_STR(said_code(tiny_save_image_to(x, "png", to())), "save_image_to: pictures are u8 or u16, not f32; tiny_convert_image_dtype makes them");
  CHECK_STR(said_code(tiny_save_image_to(u, "jpg", to())), "save_image_to: 'jpg' is no format of pictures; there are png, pgm, ppm, pnm and pam");
  CHECK_STR(said_code(tiny_save_image_to(u, "pgm", to())), "save_image_to: .pgm does not take 3 channels");
  CHECK_STR(said_code(tiny_save_image_to(tiny_reshape(u, TINY_SHAPE(6, 8, 1)), "png", to())), "save_image_to: (6,8,1) is no picture (1 to 4, height, width)");
  CHECK_STR(said_code(tiny_save_wav_to(x, 8000, to())), "save_wav_to: (3,4,4) is neither (frames) nor (frames,channels)");
  CHECK_STR(said_code(tiny_save_wav_to(tiny_flatten(x, 0, -1), 0, to())), "save_wav_to: rate 0, 192 bytes; a file holds 4 GiB");
  CHECK_STR(said_code(tiny_save_idx_to(tiny_cast(x, TINY_BOOL), to())), "save_idx_to: IDX has u8, i8, i16, i32, f32 and f64, not bool");
  const tiny_csv_desc dots = {.separator = '.'};
  CHECK_STR(said_code(tiny_save_csv_to(tiny_flatten(x, 0, -1), to(), &dots)), "save_csv_to: numbers have a '.', which separates nothing");
  CHECK_STR(said_code(tiny_save_csv_to(x, to(), NULL)), "save_csv_to: (3,4,4) is no table, or has not 0 columns");
  const tiny_writer none = {NULL, NULL};
  CHECK_STR(said_code(tiny_save_image_to(u, "png", none)), "save_image_to: the writer has no function");
  out.most = 40;
  CHECK(strstr(said_code(tiny_save_image_to(u, "png", to())), "could not be written"));
  out.most = 0;
  CHECK_EQ(tiny_save_image_to(NULL, "png", to()), TINY_E_ARG);
  CHECK(tiny_load_image_from(NULL, "", 0) == NULL);
}

// ** memory **

static void refused_memory(void) {
  static const char *const names[] = {"k6_16_adam7.png", "k3_4_clear.png", "rgba.pam", "pcm24.wav", "f4.idx", "i4.idx.gz", "quoted.txt"};
  memory_count m;
  tiny_desc d;
  tiny_ctx *outer = t;
  for (int i = 0; i < 7; i++) for (long fail = 1, done = 0; !done; fail++) {
    memset(&m, 0, sizeof m);
    memset(&d, 0, sizeof d);
    d.device = "INTERP"; d.cache_dir = ""; d.threads = 1;
    d.alloc.fn = memory_fn; d.alloc.user = &m;
    t = tiny_open(&d);
    const size_t n = read_file(names[i]);
    m.fail_at = m.calls + fail;
    tiny_tensor *x = load(names[i], file, n);
    CHECK(tiny_ok(x) || tiny_status(t) == TINY_E_MEMORY);
    tiny_tensor *u = tiny_ok(x) && i == 5 ? tiny_cast(tiny_reshape(x, TINY_SHAPE(3, 2, 4)), TINY_U8) : x;
    const tiny_code code = i < 3 || i == 5 ? tiny_save_image_to(u, "png", to()) : i == 3 ? tiny_save_wav_to(u, 8000, to()) :
        i == 4 ? tiny_save_idx_to(u, to()) : tiny_save_csv_to(u, to(), NULL);
    done = code == TINY_OK;
    CHECK(done || code == TINY_E_MEMORY);
    tiny_close(t);
    CHECK(!m.live && !m.wrong);
  }
  t = outer;
}

int main(void) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "INTERP"; d.seed = 5;
  t = tiny_open(&d);
  reads_what_others_wrote();
  writes_pictures();
  writes_sound();
  writes_tables();
  csv_options();
  CHECK_STR(tiny_error(t), "");
  refuses();
  tiny_close(t);
  refused_memory();
  return test_report();
}
