// also: late valgrind
// test_io: files of NumPy and of safetensors are read (tests/corpus, written by tools/corpus.py), files of ours are read back;
// every error says what and where; a failing allocation leaks nothing; networks and optimisers go on after loading.
#define TN_ZIP_LIMIT 400                   // bigger entries and archives exercise the 64-bit extension
#define TN_ZIP_COUNT 3
#include "../src/all.c"
#include "test.h"
#include "memory_test.h"

static tiny_ctx *t;
static char folder[200];

static const char *at(const char *name) {
  static char path[4][300];
  static int next;
  next = (next + 1) % 4;
  snprintf(path[next], sizeof path[next], "%s/%s", folder, name);
  return path[next];
}
static const char *corpus(const char *name) {
  static char path[300];
  snprintf(path, sizeof path, "tests/corpus/%s", name);
  return path;
}
static unsigned char file[1 << 16];
static size_t read_file(const char *path) {
  FILE *f = fopen(path, "rb");
  const size_t n = f ? fread(file, 1, sizeof file, f) : 0;
  if (f) fclose(f);
  return n;
}
static void write_file(const char *path, const void *data, size_t nbytes) {
  FILE *f = fopen(path, "wb");
  CHECK(f && fwrite(data, 1, nbytes, f) == nbytes);
  if (f) fclose(f);
}

// Is x tools/corpus.py's ramp(kind, ..) of n elements?
static int is_ramp(tiny_tensor *x, tiny_dtype dtype, int64_t n) {
  double v[64];
  if (!tiny_ok(x)) { fprintf(stderr, "%s\n", tiny_error(t)); return 0; }
  if (tiny_dtype_of(x) != dtype || tiny_nelem_of(x) != n || n > 64) return 0;
  if (tiny_read(tiny_cast(x, TINY_F64), v, (size_t)n * sizeof *v) != TINY_OK) return 0;
  const int low = dtype == TINY_BOOL || tn_is_unsigned(dtype) ? 0 : -2;
  for (int i = 0; i < n; i++) if (v[i] != (dtype == TINY_BOOL ? i % 2 : i + low)) return 0;
  return 1;
}
static int has_shape(tiny_tensor *x, tiny_shape s) {
  const tiny_shape r = tiny_shape_of(x);
  return r.ndim == s.ndim && !memcmp(r.dim, s.dim, (size_t)s.ndim * sizeof *s.dim);
}

static const struct { const char *name; tiny_dtype dtype; } kinds[] = {
  {"b1", TINY_BOOL}, {"i1", TINY_I8}, {"u1", TINY_U8}, {"i2", TINY_I16}, {"u2", TINY_U16}, {"i4", TINY_I32}, {"u4", TINY_U32},
  {"i8", TINY_I64}, {"u8", TINY_U64}, {"f2", TINY_F16}, {"f4", TINY_F32}, {"f8", TINY_F64}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void reads_npy(void) {
  char name[64];
  for (int i = 0; i < KINDS; i++) for (int big = 0; big < 2; big++) {
    if (big && kinds[i].name[1] == '1') continue;
    snprintf(name, sizeof name, "npy/%s%s.npy", big ? "big_" : "", kinds[i].name);
    tiny_tensor *x = tiny_load_npy(t, corpus(name));
    CHECK(is_ramp(x, kinds[i].dtype, 6) && has_shape(x, TINY_SHAPE(2, 3)));
    const size_t n = read_file(corpus(name));
    CHECK(is_ramp(tiny_load_npy_from(t, file, n), kinds[i].dtype, 6));
  }
  CHECK(is_ramp(tiny_load_npy(t, corpus("npy/v2.npy")), TINY_F32, 6));
  CHECK(is_ramp(tiny_load_npy(t, corpus("npy/v3.npy")), TINY_F32, 6));
  tiny_tensor *x = tiny_load_npy(t, corpus("npy/fortran.npy"));
  CHECK(is_ramp(x, TINY_F32, 12) && has_shape(x, TINY_SHAPE(2, 3, 2)));
  x = tiny_load_npy(t, corpus("npy/scalar.npy"));
  CHECK(is_ramp(x, TINY_F32, 1) && has_shape(x, TINY_SHAPE()));
  x = tiny_load_npy(t, corpus("npy/empty.npy"));
  CHECK(tiny_ok(x) && has_shape(x, TINY_SHAPE(0, 3)));
  CHECK(is_ramp(tiny_load_npy(t, corpus("npy/line.npy")), TINY_I32, 5));
}

static void reads_archives(void) {
  static const char *const files[2] = {"npz/stored.npz", "npz/deflated.npz"};
  for (int i = 0; i < 2; i++) {
    tiny_archive *a = tiny_archive_open(t, corpus(files[i]));
    CHECK(a && tiny_archive_count(a) == 3);
    CHECK_STR(tiny_archive_name(a, 1), "u1");
    CHECK(!tiny_archive_name(a, 3) && !tiny_archive_name(a, -1) && !tiny_archive_metadata(a, "x"));
    tiny_tensor *x = tiny_archive_get(a, "f4"), *y = tiny_archive_get(a, "b1");
    CHECK(is_ramp(tiny_archive_get(a, "u1"), TINY_U8, 6));
    tiny_archive_close(a);
    CHECK(is_ramp(x, TINY_F32, 6) && is_ramp(y, TINY_BOOL, 6));
  }
  tiny_archive *a = tiny_archive_open(t, corpus("npz/long.npz"));
  int32_t v[700];
  CHECK_EQ(tiny_read(tiny_archive_get(a, "long"), v, sizeof v), TINY_OK);
  for (int i = 0; i < 700; i++) if (v[i] != (((i - 2) * 7) % 64 + 64) % 64) { CHECK(0); break; }
  tiny_archive_close(a);
  a = tiny_archive_open(t, corpus("npz/savez.npz"));
  CHECK(is_ramp(tiny_archive_get(a, "b"), TINY_I64, 2));
  tiny_archive_close(a);
  a = tiny_archive_open(t, corpus("npz/empty.npz"));
  CHECK(a && tiny_archive_count(a) == 0);
  tiny_archive_close(a);
  a = tiny_archive_open(t, corpus("npz/folder.npz"));
  CHECK(a && tiny_archive_count(a) == 1);
  CHECK_STR(tiny_archive_name(a, 0), "x/y");
  tiny_archive_close(a);

  a = tiny_archive_open(t, corpus("safetensors/all.safetensors"));
  CHECK_EQ(tiny_archive_count(a), KINDS);
  CHECK_STR(tiny_archive_metadata(a, "format"), "pt");
  for (int i = 0; i < KINDS; i++) CHECK(is_ramp(tiny_archive_get(a, kinds[i].name), kinds[i].dtype, 6));
  tiny_archive_close(a);
  a = tiny_archive_open(t, corpus("safetensors/bf16.safetensors"));
  tiny_tensor *x = tiny_cast(tiny_archive_get(a, "x"), TINY_F32);
  float f[2] = {0, 0};
  CHECK(tiny_read(x, f, sizeof f) == TINY_OK && f[0] == 1 && f[1] == -2);
  tiny_archive_close(a);
  a = tiny_archive_open(t, corpus("safetensors/fp8.safetensors"));
  for (int i = 0; i < 2; i++) {
    x = tiny_archive_get(a, i ? "y" : "x");
    CHECK(tiny_dtype_of(x) == (i ? TINY_F8E5M2 : TINY_F8E4M3));
    CHECK(tiny_read(tiny_cast(x, TINY_F32), f, sizeof f) == TINY_OK && f[0] == 1 && f[1] == -2);
    const char *one = "x";
    CHECK_EQ(tiny_save(at("fp8.safetensors"), &one, &x, 1), TINY_OK);
    tiny_archive *again = tiny_archive_open(t, at("fp8.safetensors"));
    CHECK(tiny_item(tiny_cast(tiny_sum(tiny_cast(tiny_archive_get(again, "x"), TINY_F32), 0, 0), TINY_F32)) == -1);
    tiny_archive_close(again);
  }
  tiny_archive_close(a);
  a = tiny_archive_open(t, corpus("safetensors/odd.safetensors"));               // floats at odd addresses
  CHECK(is_ramp(tiny_archive_get(a, "b"), TINY_F32, 6));
  tiny_archive_close(a);
  a = tiny_archive_open(t, corpus("safetensors/sizes.safetensors"));
  CHECK(tiny_item(tiny_archive_get(a, "scalar")) == 1.5 && has_shape(tiny_archive_get(a, "none"), TINY_SHAPE(0, 3)));
  tiny_archive_close(a);
  a = tiny_archive_open(t, corpus("safetensors/escapes.safetensors"));
  CHECK_STR(tiny_archive_name(a, 0), "\303\251\360\237\230\200\n");
  CHECK(tiny_item(tiny_archive_get(a, "\303\251\360\237\230\200\n")) == 9);
  tiny_archive_close(a);
  a = tiny_archive_open(t, corpus("safetensors/empty.safetensors"));
  CHECK(a && tiny_archive_count(a) == 0);
  CHECK(!tiny_archive_open(t, NULL));                        // a is left to tiny_close
  CHECK_STR(tiny_error(t), "archive_open: path is NULL or empty");
  tiny_clear(t);
}

static tiny_tensor *ramp(tiny_dtype dtype, int64_t n) { return tiny_arange(t, 0, (double)n, 1, dtype); }

static void writes(void) {
  const char *names[KINDS + 3], *const files[2] = {"all.npz", "all.safetensors"};
  tiny_tensor *x[KINDS + 3];
  int n = 0;
  for (; n < KINDS; n++) { names[n] = kinds[n].name; x[n] = tiny_reshape(tiny_cast(ramp(TINY_I32, 60), kinds[n].dtype), TINY_SHAPE(3, 20)); }
  names[n] = "a/b \"c\"\\\t\303\251"; x[n++] = tiny_transpose(tiny_reshape(ramp(TINY_F32, 200), TINY_SHAPE(10, 20)), 0, 1);
  names[n] = "none"; x[n++] = tiny_zeros(t, TINY_F32, TINY_SHAPE(2, 0));
  names[n] = "one.npy"; x[n++] = tiny_full(t, 3, TINY_F64, TINY_SHAPE());
  for (int i = 0; i < 2; i++) {
    CHECK_EQ(tiny_save(at(files[i]), names, x, n), TINY_OK);
    CHECK_STR(tiny_error(t), "");
    tiny_archive *a = tiny_archive_open(t, at(files[i]));
    CHECK_EQ(tiny_archive_count(a), n);
    for (int k = 0; k < n; k++) {
      tiny_tensor *y = tiny_archive_get(a, names[k]);
      CHECK(tiny_dtype_of(y) == tiny_dtype_of(x[k]) && has_shape(y, tiny_shape_of(x[k])));
      CHECK(tiny_item(tiny_sum(tiny_cast(tiny_ne(x[k], y), TINY_I32), TINY_ALL, 0)) == 0);
    }
    tiny_archive_close(a);
    CHECK_STR(tiny_error(t), "");
  }
  const char *const notes[4] = {"format", "pt", "by \"us\"", "\n"};
  tiny_save_desc d;
  memset(&d, 0, sizeof d);
  d.names = names; d.tensors = x; d.n = 2; d.metadata = notes; d.nmetadata = 2; d.path = at("notes.safetensors");
  CHECK_EQ(tiny_save_as(&d), TINY_OK);
  tiny_archive *a = tiny_archive_open(t, at("notes.safetensors"));
  CHECK_STR(tiny_archive_metadata(a, "by \"us\""), "\n");
  tiny_archive_close(a);
  CHECK_EQ(tiny_save_npy(tiny_flip(ramp(TINY_I16, 5), TINY_SHAPE(0)), at("x.npy")), TINY_OK);
  CHECK(tiny_item(tiny_slice(tiny_load_npy(t, at("x.npy")), 0, 0, 1, 1)) == 4);
}

// Big tensors of a file are its pages where the host points into the device's memory, and take none of it; nothing that
// is done to them reaches the file.
static void maps(void) {
  const char *name = "big", *path = at("big.safetensors");
  tiny_tensor *x = ramp(TINY_F32, 1 << 16);
  CHECK_EQ(tiny_save(path, &name, &x, 1), TINY_OK);
  CHECK_EQ(tiny_save_npy(x, at("big.npy")), TINY_OK);
  const uint64_t before = tiny_stats_of(t).nbytes_live;
  (void)before;
  tiny_archive *a = tiny_archive_open(t, path);
  tiny_tensor *y = tiny_archive_get(a, "big"), *z = tiny_archive_get(a, "big"), *w = tiny_load_npy(t, at("big.npy"));
  tiny_archive_close(a);
#ifndef _WIN32                             // where a mapped file could not be replaced, arrays are read
  CHECK_EQ(tiny_stats_of(t).nbytes_live, before + (t->device[0]->limits.host_memory ? 0 : 3u << 18));
#endif
  tiny_assign(y, tiny_add(y, tiny_like(y, 1)));
  CHECK(tiny_item(tiny_slice(y, 0, 5, 6, 1)) == 6);
  CHECK(tiny_item(tiny_slice(z, 0, 5, 6, 1)) == 5 && tiny_item(tiny_slice(w, 0, -1, 1 << 16, 1)) == 65535);
  tiny_tensor *other = tiny_zeros(t, TINY_F32, TINY_SHAPE(3));
  CHECK_EQ(tiny_save(path, &name, &other, 1), TINY_OK);      // replaced while z lives
  CHECK(tiny_item(tiny_amax(z, 0, 0)) == 65535);
  a = tiny_archive_open(t, path);
  CHECK(has_shape(tiny_archive_get(a, "big"), TINY_SHAPE(3)));
  tiny_archive_close(a);
  CHECK_STR(tiny_error(t), "");
}

// ** errors **

static void fails(tiny_archive *a, const char *name, const char *what) {
  if (a && name) tiny_archive_get(a, name);
  CHECK_EQ(tiny_status(t), TINY_E_IO);
  CHECK_STR(tiny_error(t), what);
  tiny_archive_close(a);
  tiny_clear(t);
}
static size_t npy(const char *header, size_t ndata) {
  const size_t n = strlen(header);
  memcpy(file, "\x93NUMPY\1\0", 8);
  file[8] = (unsigned char)n; file[9] = (unsigned char)(n >> 8);
  memcpy(file + 10, header, n);
  memset(file + 10 + n, 0, ndata);
  return 10 + n + ndata;
}
static void npy_errors(void) {
  static const struct { const char *header; size_t ndata; const char *what; } bad[] = {
    {"", 0, "byte 10: header: '{' is missing"},
    {"{}", 0, "byte 12: descr: missing"},
    {"{'descr': '<f4', 'shape': (1,)}", 4, "byte 41: fortran_order: missing"},
    {"{'descr': '<f4', 'descr': '<f4'}", 4, "byte 27: descr: given twice"},
    {"{'descr': '<c8'}", 0, "byte 20: descr: '<c8' is no dtype of tiny.h"},
    {"{'descr': '|f4'}", 0, "byte 20: descr: '|f4' is no dtype of tiny.h"},
    {"{'descr': '|O'}", 0, "byte 20: descr: '|O' is no dtype of tiny.h"},
    {"{'descr': [('x', '<f4')]}", 0, "byte 20: descr: records are not read"},
    {"{'descr': 3}", 0, "byte 20: descr: a string is missing"},
    {"{'descr': '<f4", 0, "byte 20: descr: a string that does not end"},
    {"{'fortran_order': 1}", 0, "byte 28: fortran_order: neither True nor False"},
    {"{'shape': (3)}", 0, "byte 22: shape: ',' is missing"},
    {"{'shape': (-3,)}", 0, "byte 21: shape: a size is missing"},
    {"{'shape': (99999999999999999999,)}", 0, "byte 21: shape: a size beyond 2^63"},
    {"{'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)}", 0, "byte 53: shape: more than 16 dims"},
    {"{'colour': 1}", 0, "byte 11: header: 'colour' is no key of this format"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} x", 8, "byte 66: header: text after the dictionary"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", 7, "byte 65: data: 7 bytes, but 2 elements of f32 take 8"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", 9, "byte 65: data: 9 bytes, but 2 elements of f32 take 8"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296,4294967296)}", 0, "byte 84: shape: more than 2^60 elements"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (0,922337203685477580,4)}", 0, "byte 85: shape: more than 2^60 elements"},
  };
  char what[300];
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    CHECK(!tiny_ok(tiny_load_npy_from(t, file, npy(bad[i].header, bad[i].ndata))));
    snprintf(what, sizeof what, "memory: %s", bad[i].what);
    fails(NULL, NULL, what);
  }
  size_t n = npy("{'descr': '|b1', 'fortran_order': False, 'shape': (2,)}", 2);
  file[n - 1] = 2;
  CHECK(!tiny_ok(tiny_load_npy_from(t, file, n)));
  fails(NULL, NULL, "memory: byte 66: data: a bool of 2");
  tiny_load_npy_from(t, file, 9);
  fails(NULL, NULL, "memory: byte 0: magic: no .npy file");
  tiny_load_npy_from(t, NULL, 9);
  fails(NULL, NULL, "memory: byte 0: magic: no .npy file");
  file[6] = 4;
  tiny_load_npy_from(t, file, n);
  fails(NULL, NULL, "memory: byte 6: version: 4.0 is unknown");
  file[6] = 1;
  tiny_load_npy_from(t, file, 30);
  fails(NULL, NULL, "memory: byte 8: header length: 55 bytes, but 20 are left");
  tiny_load_npy(t, at("missing.npy"));
  CHECK(strstr(tiny_error(t), "missing.npy: byte 0: file: there is no such file"));
  tiny_clear(t);
  tiny_load_npy(t, corpus("npy/complex.npy"));
  CHECK_STR(tiny_error(t), "tests/corpus/npy/complex.npy: byte 20: descr: '<c8' is no dtype of tiny.h");
  tiny_clear(t);
  static const char *const others[2] = {"npy/record.npy", "npy/text.npy"};
  for (int i = 0; i < 2; i++) { CHECK(!tiny_ok(tiny_load_npy(t, corpus(others[i])))); CHECK_EQ(tiny_status(t), TINY_E_IO); tiny_clear(t); }
}

static size_t safe(const char *header, size_t ndata) {
  const size_t n = strlen(header);
  memset(file, 0, 8);
  file[0] = (unsigned char)n; file[1] = (unsigned char)(n >> 8);
  memcpy(file + 8, header, n);
  memset(file + 8 + n, 2, ndata);
  return 8 + n + ndata;
}
#define U8(shape, from, to) "{\"dtype\":\"U8\",\"shape\":[" shape "],\"data_offsets\":[" #from "," #to "]}"
static void safetensors_errors(void) {
  static const struct { const char *header; size_t ndata; const char *what; } bad[] = {
    {"", 0, "byte 8: header: it does not begin with '{'"},
    {" {}", 0, "byte 8: header: it does not begin with '{'"},
    {"{", 0, "byte 9: header: '\"' is missing"},
    {"{}x", 0, "byte 10: header: text after the end"},
    {"{} ", 3, "byte 11: data: 3 bytes that belong to no tensor at the end"},
    {"{\"a\":" U8("2", 0, 2) "}", 1, "byte 9: data_offsets: 0 to 2 of 'a', but there are 1 bytes"},
    {"{\"a\":" U8("2", 0, 2) "}", 3, "byte 63: data: 1 bytes that belong to no tensor at the end"},
    {"{\"a\":" U8("2", 0, 1) "}", 1, "byte 9: data_offsets: 1 bytes, but 2 elements of u8 in 'a'"},
    {"{\"a\":" U8("2", 2, 0) "}", 2, "byte 9: data_offsets: 2 to 0 of 'a', but there are 2 bytes"},
    {"{\"a\":" U8("1", 1, 2) "}", 2, "byte 61: data: 1 bytes that belong to no tensor, before 'a'"},
    {"{\"a\":" U8("2", 0, 2) ",\"b\":" U8("2", 1, 3) "}", 3, "byte 114: data: 'b' overlaps what is before it"},
    {"{\"a\":" U8("1", 0, 1) ",\"a\":" U8("1", 1, 2) "}", 2, "byte 114: name: 'a' is there twice"},
    {"{\"a\":{\"dtype\":\"C64\"}}", 0, "byte 22: dtype: 'C64' is no dtype of tiny.h"},
    {"{\"a\":{\"dtype\":\"U8\"}}", 0, "byte 9: shape: missing for 'a'"},
    {"{\"a\":{\"dtype\":\"U8\",\"dtype\":\"U8\"}}", 0, "byte 27: dtype: given twice"},
    {"{\"a\":{\"shape\":[-1]}}", 0, "byte 23: header: not a number from 0 on"},
    {"{\"a\":{\"shape\":[01]}}", 0, "byte 23: header: not a number from 0 on"},
    {"{\"a\":{\"shape\":[1.5]}}", 0, "byte 24: header: not an integer"},
    {"{\"a\":{\"shape\":[99999999999999999999]}}", 0, "byte 41: header: a number beyond 2^63"},
    {"{\"a\":{\"shape\":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]}}", 0, "byte 55: shape: more than 16 dims"},
    {"{\"a\":{\"dtype\":\"U8\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,0]}}", 0, "byte 9: shape: more than 2^60 elements in 'a'"},
    {"{\"a\":{\"data_offsets\":[0]}}", 0, "byte 31: header: ',' is missing"},
    {"{\"a\":{\"x\":tru}}", 0, "byte 18: header: a value is missing"},
    {"{\"a\":{\"x\":-}}", 0, "byte 19: header: a digit is missing"},
    {"{\"a", 0, "byte 11: header: a string that does not end"},
    {"{\"\\q\":1}", 0, "byte 11: header: an unknown escape"},
    {"{\"\\u00g0\":1}", 0, "byte 14: header: \\u without four digits"},
    {"{\"\\u0000\":1}", 0, "byte 16: header: a string with a zero in it"},
    {"{\"\\udc00\":1}", 0, "byte 16: header: half of a surrogate pair"},
    {"{\"\\ud800x\":1}", 0, "byte 16: header: half of a surrogate pair"},
    {"{\"\x01\":1}", 0, "byte 10: header: a control character in a string"},
    {"{\"\xc0\x80\":1}", 0, "byte 10: header: a string that is not UTF-8"},
    {"{\"__metadata__\":{\"a\":\"b\"},\"__metadata__\":{}}", 0, "byte 34: __metadata__: given twice"},
    {"{\"__metadata__\":{\"a\":1}}", 0, "byte 29: header: '\"' is missing"},
  };
  char what[300];
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    CHECK(!tiny_archive_from(t, file, safe(bad[i].header, bad[i].ndata)));
    snprintf(what, sizeof what, "memory: %s", bad[i].what);
    fails(NULL, NULL, what);
  }
  fails(tiny_archive_from(t, file, safe("{\"a\":{\"dtype\":\"BOOL\",\"shape\":[1],\"data_offsets\":[0,1]}}", 1)), "a", "memory: a: byte 63: data: a bool of 2");
  fails(tiny_archive_from(t, file, 7), NULL, "memory: byte 0: header length: cut off");
  file[4] = 1;
  fails(tiny_archive_from(t, file, 60), NULL, "memory: byte 0: header length: 4294967351 bytes of header, but 52 are left (and at most 100 MB allowed)");
  char deep[300] = "{\"a\":{\"x\":";
  memset(deep + strlen(deep), '[', 200);
  fails(tiny_archive_from(t, file, safe(deep, 0)), NULL, "memory: byte 82: header: nested too deep");
}

// stored.npz with n bytes at `where` replaced.
static tiny_archive *damaged(size_t where, const char *bytes, size_t n, size_t *nbytes) {
  *nbytes = read_file(corpus("npz/stored.npz"));
  memcpy(file + where, bytes, n);
  return tiny_archive_from(t, file, *nbytes);
}
static void npz_errors(void) {
  size_t n = read_file(corpus("npz/stored.npz"));
  const size_t directory = (size_t)tn_little(file + n - 6, 4);
  CHECK(directory > 400 && directory < n);
  fails(tiny_archive_from(t, file, n - 1), NULL, "memory: byte 705: end of directory: missing");
  char what[200];
  static const struct { int from_end; size_t at; const char *bytes; size_t n; int relative; const char *what; } bad[] = {
    {2, 10, "\4\0", 2, 10, "end of directory: 4 entries in 156 bytes"},
    {1, 0, "Q", 1, 0, "directory: no entry"},
    {1, 8, "\1", 1, 8, "directory: an encrypted entry"},
    {1, 10, "\14", 1, 10, "directory: an entry is packed by method 12; 0 and 8 are read"},
    {1, 20, "\1", 1, 20, "directory: a stored entry of two sizes"},
    {1, 28, "\377\377", 2, 0, "directory: an entry is cut off"},
    {1, 47, "5", 1, -1, "byte 30: local header: another name than in the directory"},
    {1, 42, "\1", 1, -1, "byte 1: local header: there is none"},
    {0, 2, "Q", 1, -1, "byte 0: local header: there is none"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    const size_t base = bad[i].from_end == 2 ? n - 22 : bad[i].from_end ? directory : 0;
    size_t all;
    tiny_archive *a = damaged(base + bad[i].at, bad[i].bytes, bad[i].n, &all);
    if (i == 0) { file[base + 8] = 4; tiny_archive_close(a); tiny_clear(t); a = tiny_archive_from(t, file, all); }
    CHECK(!a);
    if (bad[i].relative < 0) snprintf(what, sizeof what, "memory: %s", bad[i].what);
    else if (bad[i].from_end == 2) snprintf(what, sizeof what, "memory: byte %d: %s", (int)base, bad[i].what);
    else snprintf(what, sizeof what, "memory: byte %d: %s", (int)base + bad[i].relative, bad[i].what);
    fails(a, NULL, what);
  }
  fails(damaged(170, "\1", 1, &n), "f4", "memory: byte 36: checksum: 'f4' is damaged");
  CHECK(!tiny_archive_open(t, corpus("npz/lzma.npz")));
  CHECK(strstr(tiny_error(t), "packed by method 14"));
  tiny_clear(t);
  CHECK(!tiny_archive_open(t, corpus("npy/f4.npy")));
  CHECK_STR(tiny_error(t), "tests/corpus/npy/f4.npy: byte 0: magic: a single .npy array; use tiny_load_npy");
  tiny_clear(t);
  tiny_archive *a = tiny_archive_open(t, corpus("npz/stored.npz"));
  CHECK(!tiny_ok(tiny_archive_get(a, "q")));
  CHECK_STR(tiny_error(t), "archive_get: tests/corpus/npz/stored.npz has no tensor 'q'");
  tiny_clear(t);
  CHECK(!tiny_ok(tiny_archive_get(a, NULL)) && !tiny_archive_get(NULL, "q"));
  tiny_clear(t);
  tiny_archive_close(a);
  tiny_archive_close(NULL);
}

static const char *unpacked(const char *hex, size_t nout) {
  static tn_inflate z;
  static unsigned char out[1 << 16];
  unsigned char in[64];
  size_t n = 0, where;
  for (unsigned byte; hex[2 * n] && sscanf(hex + 2 * n, "%2x", &byte) == 1; n++) in[n] = (unsigned char)byte;
  const char *wrong = tn_inflate_run(&z, in, n, out, nout, &where);
  return wrong ? wrong : "fine";
}
static void inflate_errors(void) {
  static const struct { const char *hex; size_t nout; const char *what; } bad[] = {
    {"", 0, "the data ends early"},           {"07", 0, "a block of no known kind"},
    {"0300", 0, "fine"},                      {"0300", 1, "less data than there should be"},
    {"030000", 0, "bytes after the last block"}, {"01", 0, "the data ends early"},
    {"0101000000", 1, "a block's length and its complement differ"}, {"010100feff", 1, "the data ends early"},
    {"010100feff41", 1, "fine"},              {"010100feff41", 0, "more data than there should be"},
    {"4b04", 1, "the data ends early"},       {"4b0400", 1, "fine"}, {"4b0400", 0, "more data than there should be"},
    {"0302", 3, "a distance beyond the beginning"}, {"1b07", 300, "a length that has no meaning"},
    {"fdffff", 9, "too many symbols"},          {"05009204", 9, "lengths that make no code"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) CHECK_STR(unpacked(bad[i].hex, bad[i].nout), bad[i].what);
  for (int i = 0; i < 4; i++) {
    static const char *const names[4] = {"npz/stored.deflate", "npz/fixed.deflate", "npz/dynamic.deflate", "npz/huffman.deflate"};
    static tn_inflate z;
    unsigned char out[175];
    size_t where, n = read_file(corpus(names[i]));
    CHECK(!tn_inflate_run(&z, file + 2, n - 2, out, sizeof out, &where));
    int same = 1;
    for (int k = 0; k < 175; k++) same &= out[k] == k * k % 251;
    CHECK(same);
    for (size_t head = 0; head <= 175; head++) {             // in two places, whatever refers back over the joint
      unsigned char first[175], rest[175], part[175];
      size_t got;
      CHECK(!tn_inflate_split(&z, file + 2, n - 2, first, head, rest, 175 - head, &where));
      CHECK(!memcmp(first, out, head) && !memcmp(rest, out + head, 175 - head));
      CHECK(!tn_inflate_first(&z, file + 2, n - 2, part, head, &got, &where) && got == head && !memcmp(part, out, head));
    }
  }
}

static int refuses(void *user, const void *data, size_t nbytes) { (void)data; return (*(size_t *)user -= nbytes) < 1 << 20; }
static void save_errors(void) {
  tiny_tensor *x = ramp(TINY_F32, 4), *two[2];
  const char *name = "x", *const same[2] = {"x", "x"};
#define SAVE(n, code, path, name, what) { CHECK_EQ(tiny_save(path, name, two, n), code); CHECK(strstr(tiny_error(t), what)); tiny_clear(t); }
  two[0] = two[1] = x;
  SAVE(1, TINY_E_ARG, at("x.txt"), &name, "names no format; there are npz and safetensors")
  SAVE(1, TINY_E_ARG, NULL, &name, "save: '' names no format; there are npz and safetensors")
  SAVE(1, TINY_E_IO, at("no/such/folder.npz"), &name, "cannot be made")
  SAVE(2, TINY_E_ARG, at("x.npz"), same, "save: two tensors are named 'x'")
  name = "\xff";
  SAVE(1, TINY_E_ARG, at("x.npz"), &name, "save: name 0 is not UTF-8")
  name = "__metadata__";
  SAVE(1, TINY_E_ARG, at("x.npz"), &name, "save: name 0 is reserved")
  name = NULL;
  SAVE(1, TINY_E_ARG, at("x.npz"), &name, "save: name 0 is NULL")
  name = "x";
  two[0] = tiny_cast(x, TINY_BF16);
  SAVE(1, TINY_E_DTYPE, at("x.npz"), &name, "save: .npy has no bf16; cast to f32, or save as .safetensors")
  CHECK_EQ(tiny_save_npy(two[0], at("x.npy")), TINY_E_DTYPE);
  tiny_clear(t);
  CHECK_EQ(tiny_save(at("x.npz"), NULL, two, 1), TINY_E_ARG);
  CHECK_STR(tiny_error(t), "save: no tensors, or no names");
  tiny_clear(t);
  CHECK_EQ(tiny_save_npy(x, ""), TINY_E_ARG);
  tiny_clear(t);
  CHECK_EQ(tiny_save_npy(NULL, "x"), TINY_E_ARG);
  FILE *f = fopen(at("x.npz"), "rb");
  CHECK(!f);                                                 // nothing was left over
  if (f) fclose(f);
  for (size_t most = 0; most < 600; most += 37) for (int format = 0; format < 2; format++) {
    size_t left = most;
    tiny_save_desc d;
    memset(&d, 0, sizeof d);
    d.names = &name; d.tensors = &x; d.n = 1; d.format = format ? "npz" : "safetensors"; d.writer.fn = refuses; d.writer.user = &left;
    const tiny_code code = tiny_save_as(&d);
    CHECK(code == TINY_E_IO ? strstr(tiny_error(t), "bytes could not be written") != NULL : code == TINY_OK && most > 100);
    tiny_clear(t);
  }
}

// ** networks **

static void states(void) {
  const float start[6] = {1, 2, 3, 4, 5, 6};
  double want = 0;
  for (int run = 0; run < 3; run++) {                        // straight; saved and loaded half way, in both formats
    tiny_params p;
    tiny_optim o;
    memset(&p, 0, sizeof p);
    memset(&o, 0, sizeof o);
    o.kind = TINY_ADAM; o.lr = 0.1;
    tiny_tensor *w = tiny_from(t, start, TINY_F32, TINY_SHAPE(2, 3)), *b = tiny_from(t, start, TINY_F32, TINY_SHAPE(3)), *s = tiny_from(t, start, TINY_F32, TINY_SHAPE(1));
    tiny_params_add(&p, "fc", "weight", w, 1);
    tiny_params_add(&p, "fc", "bias", b, 1);
    tiny_params_add(&p, "", "mean", s, 0);
    for (int step = 0; step < 6; step++) {
      if (run && step == 3) {
        const char *path = at(run == 1 ? "state.npz" : "state.safetensors");
        CHECK_EQ(tiny_state_save(path, &p, &o), TINY_OK);
        tiny_optim_free(&o);
        tiny_write(w, start, sizeof start);
        tiny_assign(b, tiny_like(b, 9));
        tiny_assign(s, tiny_like(s, 9));
        CHECK_EQ(tiny_state_load(path, &p, &o, 1), TINY_OK);
        CHECK(tiny_item(s) == 1);
        tiny_optim odd;
        memset(&odd, 0, sizeof odd);
        odd.kind = TINY_OPTIM_COUNT;
        CHECK_EQ(tiny_state_load(path, &p, &odd, 1), TINY_E_ARG);
        tiny_clear(t);
        CHECK_EQ(tiny_state_load(path, &p, NULL, 1), TINY_OK);                    // the optimiser's part may be left alone
      }
      tiny_tensor *g[2];
      tiny_begin(t);
      tiny_grad(tiny_sum(tiny_square(tiny_add(w, b)), TINY_ALL, 0), p.trainable, 2, g);
      CHECK_EQ(tiny_optim_step(&o, p.trainable, g, 2), TINY_OK);
      CHECK_EQ(tiny_end(t), TINY_OK);
    }
    const double got = tiny_item(tiny_sum(tiny_mul(w, b), TINY_ALL, 0));
    if (!run) want = got;
    CHECK(got == want);
    tiny_params more;
    memset(&more, 0, sizeof more);
    tiny_params_add(&more, "fc", "weight", w, 1);
    if (run) {
      const char *path = at(run == 1 ? "state.npz" : "state.safetensors");
      CHECK_EQ(tiny_state_load(path, &more, NULL, 1), TINY_E_IO);
      CHECK(strstr(tiny_error(t), "state_load: nothing here is called 'fc.bias'"));
      tiny_clear(t);
      CHECK_EQ(tiny_state_load(path, &more, NULL, 0), TINY_OK);
      tiny_params_add(&more, "", "extra", s, 0);
      CHECK_EQ(tiny_state_load(path, &more, NULL, 0), TINY_OK);
      tiny_params_add(&more, "fc", "bias", s, 0);
      CHECK_EQ(tiny_state_load(path, &more, NULL, 0), TINY_E_IO);
      CHECK(strstr(tiny_error(t), "is (3,), the parameter (1,)"));
      tiny_clear(t);
      tiny_params_add(&more, "", "mean", b, 0);
      tiny_clear(t);
      CHECK_EQ(tiny_state_load(at("none.npz"), &more, NULL, 0), TINY_E_IO);
      tiny_clear(t);
    }
    CHECK_EQ(tiny_state_save("x.npz", NULL, NULL), TINY_E_ARG);
    CHECK_EQ(tiny_state_load("x.npz", NULL, NULL, 0), TINY_E_ARG);
    tiny_params_free(&more);
    tiny_params_free(&p);
    tiny_optim_free(&o);
  }
  CHECK_STR(tiny_error(t), "");
}

// x is (a, b, c, d); on NULL, where nothing is computed, it can be read.
static void reads_four(tiny_tensor *x, float a, float b, float c, float d) {
  float got[4] = {0};
  CHECK_EQ(tiny_read(x, got, sizeof got), TINY_OK);
  if (strcmp(tiny_device_name(t, 0), "NULL") != 0) CHECK(got[0] == a && got[1] == b && got[2] == c && got[3] == d);
}
// Parameters that had gradients are loaded: those that are asked for anew are of the new values, through copies as
// well, and one that was asked for before keeps its own.
static void loads_between_gradients(void) {
  const float start[4] = {1, 2, 3, 4};
  for (int read = 0; read < 4; read++) {   // bit 0: the gradient before is read, bit 1: so are the copies
    tiny_params p;
    tiny_tensor *w = tiny_from(t, start, TINY_F32, TINY_SHAPE(4)), *v = tiny_clone(w), *copy, *g[2], *before[2];
    memset(&p, 0, sizeof p);
    tiny_params_add(&p, "", "w", w, 1);
    tiny_params_add(&p, "", "v", v, 1);
    CHECK_EQ(tiny_state_save(at("between.safetensors"), &p, NULL), TINY_OK);
    tiny_assign(w, tiny_like(w, 10));
    tiny_assign(v, tiny_like(v, 20));
    copy = tiny_clone(w);
    if (read & 2) CHECK_EQ(tiny_realize(&copy, 1), TINY_OK);
    tiny_grad(tiny_sum(tiny_mul(tiny_square(copy), v), TINY_ALL, 0), p.trainable, 2, before);         // 2 w v, w^2
    if (read & 1) reads_four(before[0], 400, 400, 400, 400);
    CHECK_EQ(tiny_state_load(at("between.safetensors"), &p, NULL, 1), TINY_OK);
    reads_four(before[0], 400, 400, 400, 400);
    reads_four(before[1], 100, 100, 100, 100);
    copy = tiny_clone(w);
    if (read & 2) CHECK_EQ(tiny_realize(&copy, 1), TINY_OK);
    CHECK_EQ(tiny_grad(tiny_sum(tiny_mul(tiny_square(copy), v), TINY_ALL, 0), p.trainable, 2, g), TINY_OK);
    reads_four(g[0], 2, 8, 18, 32);
    reads_four(g[1], 1, 4, 9, 16);
    tiny_params_free(&p);
  }
  CHECK_STR(tiny_error(t), "");
}

// ** memory **

static void allocations(void) {
  for (long fail = 1, done = 0; !done && fail < 3000; fail += fail < 150 ? 1 : 37) {
    memory_count m = {0, 0, 0, 0};
    tiny_desc d;
    memset(&d, 0, sizeof d);
    d.device = "INTERP"; d.alloc.fn = memory_fn; d.alloc.user = &m; d.cache_dir = "";
    m.fail_at = fail;                      // from tiny_open on
    tiny_ctx *c = tiny_open(&d);
    if (!c) { CHECK(m.calls >= fail && m.live == 0); continue; }
    tiny_archive *a = tiny_archive_open(c, corpus("npz/deflated.npz")), *b = tiny_archive_open(c, corpus("safetensors/all.safetensors"));
    tiny_tensor *x[3];
    const char *const names[3] = {"x", "y", "z"};
    x[0] = a ? tiny_archive_get(a, "f4") : NULL; x[1] = b ? tiny_archive_get(b, "f4") : NULL;
    x[2] = tiny_load_npy(c, corpus("npy/big_f4.npy"));
    int good = tiny_ok(x[0]) && tiny_ok(x[1]) && tiny_ok(x[2]);
    if (good) good = tiny_save(at("m.npz"), names, x, 3) == TINY_OK && tiny_save(at("m.safetensors"), names, x, 3) == TINY_OK && tiny_save_npy(x[0], at("m.npy")) == TINY_OK;
    CHECK(good || tiny_status(c) == TINY_E_MEMORY);
    done = good && tiny_status(c) == TINY_OK && m.calls < fail;
    tiny_archive_close(a);
    tiny_close(c);
    CHECK(m.live == 0 && m.wrong == 0);
  }
}

// Pages that nothing names any more are unmapped after what was launched on them (build/late).
static void unmaps(void) {
  tiny_tensor *big = tiny_contiguous(tiny_full(t, 2, TINY_F32, TINY_SHAPE(1 << 16)));
  CHECK_EQ(tiny_save_npy(big, at("pages.npy")), TINY_OK);
  for (int i = 0; i < 8; i++) {
    const float none = 0;
    tiny_tensor *kept = tiny_from(t, &none, TINY_F32, TINY_SHAPE());
    tiny_begin(t);
    tiny_assign(kept, tiny_mul(tiny_sum(tiny_load_npy(t, at("pages.npy")), 0, 0), tiny_scalar(t, i, TINY_F32)));
    CHECK_EQ(tiny_end(t), TINY_OK);        // what it was computed from is not kept: the pages go
    CHECK_EQ(tn_guard(t, tn_collect_all, NULL), TINY_OK);
    CHECK(tiny_item(kept) == 131072.0 * i);
    tiny_free(kept);
  }
}

int main(void) {
  snprintf(folder, sizeof folder, "%s/tiny_io_%llu", tn_os_temp_dir(), (unsigned long long)tn_os_process_id());
  CHECK(tn_os_make_dirs(folder));
  tiny_desc d;
  memset(&d, 0, sizeof d);
  for (int pass = 0; pass < 2; pass++) {
    d.device = pass ? "CPU" : "INTERP";
    t = tiny_open(&d);
    reads_npy();
    reads_archives();
    writes();
    maps();
    unmaps();
    states();
    loads_between_gradients();
    if (!pass) { npy_errors(); safetensors_errors(); npz_errors(); inflate_errors(); save_errors(); }
    CHECK_STR(tiny_error(t), "");
    tiny_close(t);
  }
  d.device = "NULL";
  t = tiny_open(&d);
  loads_between_gradients();
  tiny_close(t);
  write_file(at("empty"), "", 0);
  t = tiny_open(&d);
  CHECK(!tiny_archive_open(t, at("empty")));
  CHECK(strstr(tiny_error(t), "empty: byte 0: header length: cut off"));
  tiny_close(t);
  allocations();
  char command[300];
#ifdef _WIN32
  for (char *c = folder; *c; c++) if (*c == '/') *c = '\\';
  snprintf(command, sizeof command, "rmdir /s /q %s", folder);
#else
  snprintf(command, sizeof command, "rm -r %s", folder);
#endif
  CHECK_EQ(system(command), 0);
  return test_report();
}
