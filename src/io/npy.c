// npy: the .npy format of NumPy: one array, with a header that is a Python dictionary.
//
// In:  bytes. Out: a tensor; and the other way round. Format: numpy/lib/format.py's documentation, NEP 1.
// Read are versions 1.0, 2.0 and 3.0, both byte orders, both element orders (Fortran's is a transposed view). Written
// is version 1.0, little-endian, row-major, with the data at a multiple of 64 bytes.
#ifndef TN_IO_NPY
#define TN_IO_NPY
#ifndef TINY_AMALGAMATED
#include "source.c"
#endif

static const char tn_npy_magic[6] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};

// What NumPy calls the dtypes: kind and bytes. bf16 and the 8-bit floats have no name there.
static const struct { char kind; uint8_t nbytes, dtype; } tn_npy_dtypes[] = {
  {'b', 1, TINY_BOOL}, {'i', 1, TINY_I8}, {'u', 1, TINY_U8}, {'i', 2, TINY_I16}, {'u', 2, TINY_U16},
  {'i', 4, TINY_I32}, {'u', 4, TINY_U32}, {'i', 8, TINY_I64}, {'u', 8, TINY_U64},
  {'f', 2, TINY_F16}, {'f', 4, TINY_F32}, {'f', 8, TINY_F64},
};
enum { TN_NPY_DTYPES = sizeof tn_npy_dtypes / sizeof *tn_npy_dtypes };

enum { TN_NPY_DESCR = 1, TN_NPY_ORDER = 2, TN_NPY_SHAPE = 4 };
typedef struct tn_npy {
  const tn_source *s;
  size_t at, end;                          // of what is left of the header
  int seen;                                // keys
  int dtype, big, fortran;
  tiny_shape shape;
} tn_npy;

static int tn_npy_peek(tn_npy *r) {        // the next character that is no space; 0: none
  while (r->at < r->end && memchr(" \t\n\r\f", r->s->data[r->at], 5)) r->at++;
  return r->at < r->end ? r->s->data[r->at] : 0;
}
static int tn_npy_take(tn_npy *r, int c, const char *field) {
  if (tn_npy_peek(r) == c && c) { r->at++; return 1; }
  return tn_source_fail(r->s, r->at, field, "'%c' is missing", c);
}
// 'text' or "text", no escapes. 0 after an error.
static int tn_npy_string(tn_npy *r, const char *field, const char **text, size_t *n) {
  const int quote = tn_npy_peek(r);
  if (quote != '\'' && quote != '"') return tn_source_fail(r->s, r->at, field, "a string is missing");
  const size_t begin = ++r->at;
  while (r->at < r->end && r->s->data[r->at] != quote && r->s->data[r->at] != '\\') r->at++;
  if (r->at == r->end || r->s->data[r->at] != quote)
    return tn_source_fail(r->s, begin - 1, field, "a string that does not end");
  *text = (const char *)r->s->data + begin;
  *n = r->at++ - begin;
  return 1;
}

static int tn_npy_descr(tn_npy *r) {
  const char *text;
  size_t n;
  if (tn_npy_peek(r) == '[') return tn_source_fail(r->s, r->at, "descr", "records are not read");
  const size_t at = r->at;
  if (!tn_npy_string(r, "descr", &text, &n)) return 0;
  const int little = tn_host_is_little();
  for (int i = 0; n == 3 && i < TN_NPY_DTYPES; i++) {
    if (tn_npy_dtypes[i].kind != text[1] || tn_npy_dtypes[i].nbytes != text[2] - '0' ||
        !memchr("<>=|", text[0], 4))
      continue;
    if (text[0] == '|' && tn_npy_dtypes[i].nbytes > 1) break;
    r->dtype = tn_npy_dtypes[i].dtype;
    r->big = text[0] == '>' || (text[0] == '=' && !little);
    return 1;
  }
  return tn_source_fail(r->s, at, "descr", "'%.*s' is no dtype of tiny.h", n < 40 ? (int)n : 40, text);
}
static int tn_npy_order(tn_npy *r) {
  static const char *const word[2] = {"False", "True"};
  tn_npy_peek(r);
  for (int i = 0; i < 2; i++) {
    const size_t n = strlen(word[i]);
    if (r->end - r->at < n || memcmp(r->s->data + r->at, word[i], n)) continue;
    r->fortran = i;
    r->at += n;
    return 1;
  }
  return tn_source_fail(r->s, r->at, "fortran_order", "neither True nor False");
}
static int tn_npy_dim(tn_npy *r) {
  int64_t k = 0;
  const size_t at = r->at;
  for (; r->at < r->end && r->s->data[r->at] >= '0' && r->s->data[r->at] <= '9'; r->at++) {
    if (k > (INT64_MAX - 9) / 10) return tn_source_fail(r->s, at, "shape", "a size beyond 2^63");
    k = k * 10 + (r->s->data[r->at] - '0');
  }
  if (at == r->at) return tn_source_fail(r->s, at, "shape", "a size is missing");
  if (r->at < r->end && r->s->data[r->at] == 'L') r->at++;   // Python 2 wrote long integers so
  if (r->shape.ndim == TINY_MAX_DIMS)
    return tn_source_fail(r->s, at, "shape", "more than %d dims", TINY_MAX_DIMS);
  r->shape.dim[r->shape.ndim++] = k;
  return 1;
}
static int tn_npy_shape(tn_npy *r) {
  if (!tn_npy_take(r, '(', "shape")) return 0;
  while (tn_npy_peek(r) != ')') {
    if (!tn_npy_dim(r)) return 0;
    if (tn_npy_peek(r) == ')' && r->shape.ndim > 1) break;
    if (!tn_npy_take(r, ',', "shape")) return 0;
  }
  return tn_npy_take(r, ')', "shape");
}

static const struct { const char *name; int bit, (*read)(tn_npy *r); } tn_npy_keys[] = {
  {"descr", TN_NPY_DESCR, tn_npy_descr}, {"fortran_order", TN_NPY_ORDER, tn_npy_order},
  {"shape", TN_NPY_SHAPE, tn_npy_shape},
};

static int tn_npy_entry(tn_npy *r) {
  const char *key;
  size_t n;
  tn_npy_peek(r);
  const size_t at = r->at;
  if (!tn_npy_string(r, "header", &key, &n)) return 0;
  for (int i = 0; i < 3; i++) {
    if (strlen(tn_npy_keys[i].name) != n || memcmp(tn_npy_keys[i].name, key, n)) continue;
    if (r->seen & tn_npy_keys[i].bit) return tn_source_fail(r->s, at, tn_npy_keys[i].name, "given twice");
    r->seen |= tn_npy_keys[i].bit;
    return tn_npy_take(r, ':', "header") && tn_npy_keys[i].read(r);
  }
  return tn_source_fail(r->s, at, "header", "'%.*s' is no key of this format", n < 40 ? (int)n : 40, key);
}
static int tn_npy_header(tn_npy *r) {
  if (!tn_npy_take(r, '{', "header")) return 0;
  while (tn_npy_peek(r) != '}') {
    if (!tn_npy_entry(r)) return 0;
    if (tn_npy_peek(r) != '}' && !tn_npy_take(r, ',', "header")) return 0;
  }
  r->at++;
  if (tn_npy_peek(r) || r->at != r->end)
    return tn_source_fail(r->s, r->at, "header", "text after the dictionary");
  for (int i = 0; i < 3; i++)
    if (!(r->seen & tn_npy_keys[i].bit)) return tn_source_fail(r->s, r->at, tn_npy_keys[i].name, "missing");
  return 1;
}

// Where the header ends; 0 after an error.
static int tn_npy_frame(tn_npy *r) {
  const tn_source *s = r->s;
  if (s->nbytes < 10 || memcmp(s->data, tn_npy_magic, 6))
    return tn_source_fail(s, 0, "magic", "no .npy file");
  const int major = s->data[6], wide = major > 1;
  if (major < 1 || major > 3 || s->data[7])
    return tn_source_fail(s, 6, "version", "%d.%d is unknown", major, s->data[7]);
  r->at = wide ? 12 : 10;
  if (s->nbytes < r->at) return tn_source_fail(s, 8, "header length", "cut off");
  const uint64_t length = tn_little(s->data + 8, wide ? 4 : 2), left = s->nbytes - r->at;
  r->end = r->at + (size_t)length;
  return length <= left || tn_source_fail(s, 8, "header length", "%llu bytes, but %llu are left",
                                          (unsigned long long)length, (unsigned long long)left);
}

// What the header of an array tells. dim: in the order of its memory, which is turned where Fortran wrote it.
typedef struct tn_npy_array {
  size_t data; int dtype, big, turned, ndim;
  int64_t dim[TINY_MAX_DIMS], nelem;
} tn_npy_array;

// Of the array that s begins with, `whole` bytes long.
static int tn_npy_describe(const tn_source *s, uint64_t whole, tn_npy_array *a) {
  tn_npy r;
  memset(&r, 0, sizeof r);
  r.s = s;
  if (!tn_npy_frame(&r)) return 0;
  const size_t data = r.end;
  const uint64_t have = whole - data;
  if (!tn_npy_header(&r)) return 0;
  const int64_t nelem = tn_source_nelem(r.shape.ndim, r.shape.dim);
  const uint64_t each = tn_dtypes[r.dtype].nbytes;
  if (nelem < 0) return tn_source_fail(s, data, "shape", "more than 2^60 elements");
  if ((uint64_t)nelem != have / each || have % each)
    return tn_source_fail(s, data, "data", "%llu bytes, but %lld elements of %s take %llu",
                          (unsigned long long)have, (long long)nelem, tn_dtypes[r.dtype].name,
                          (unsigned long long)((uint64_t)nelem * each));
  const int n = r.shape.ndim;
  a->data = data; a->dtype = r.dtype; a->big = r.big; a->ndim = n; a->nelem = nelem;
  a->turned = r.fortran && n > 1;
  for (int i = 0; i < n; i++) a->dim[i] = r.shape.dim[a->turned ? n - 1 - i : i];
  return 1;
}
static int tn_npy_transpose(tiny_ctx *t, const tn_npy_array *a, tiny_uop **out) {
  int64_t axes[TINY_MAX_DIMS];
  for (int i = 0; i < a->ndim; i++) axes[i] = a->ndim - 1 - i;
  if (a->turned) *out = tn_permute(t, *out, axes);
  return !tn_bad(t, *out);
}

// The array that s is.
static int tn_npy_read(const tn_source *s, tiny_uop **out) {
  tn_npy_array a;
  return tn_npy_describe(s, s->nbytes, &a) &&
      tn_source_tensor(s, a.data, a.dtype, a.big, a.ndim, a.dim, out) && tn_npy_transpose(s->t, &a, out);
}

// ** writing **

enum { TN_NPY_HEADER = 512 };              // room for 16 dims of 19 digits

// The header of x, into out; its length, a multiple of 64. 0 after an error.
static int tn_npy_header_of(tiny_ctx *t, const char *name, const tiny_tensor *x, char *out) {
  const tiny_uop *u = tn_uop_of(x);
  int i = 0, at = 10;
  while (i < TN_NPY_DTYPES && tn_npy_dtypes[i].dtype != u->dtype) i++;
  if (i == TN_NPY_DTYPES) {
    tiny_fail(t, TINY_E_DTYPE, "%s: .npy has no %s; cast to f32, or save as .safetensors", name,
              tn_dtypes[u->dtype].name);
    return 0;
  }
  memset(out, ' ', TN_NPY_HEADER);
  memcpy(out, tn_npy_magic, 6);
  out[6] = 1; out[7] = 0;
  at +=
      snprintf(out + at, TN_NPY_HEADER - (size_t)at, "{'descr': '%c%c%d', 'fortran_order': False, 'shape': (",
               tn_npy_dtypes[i].nbytes > 1 ? '<' : '|', tn_npy_dtypes[i].kind, tn_npy_dtypes[i].nbytes);
  for (int d = 0; d < u->ndim; d++)
    at += snprintf(out + at, TN_NPY_HEADER - (size_t)at, u->ndim == 1 ? "%lld," : d ? ", %lld" : "%lld",
                   (long long)u->dim[d]);
  at += snprintf(out + at, TN_NPY_HEADER - (size_t)at, "), }");
  out[at] = ' ';                           // instead of the text's 0
  const int whole = (at + 1 + 63) / 64 * 64;
  out[whole - 1] = '\n';
  tn_put_little((unsigned char *)out + 8, (uint64_t)(whole - 10), 2);
  return whole;
}
static int tn_npy_write(tn_sink *s, const void *what) {
  tiny_tensor *x = (tiny_tensor *)(uintptr_t)what;
  char header[TN_NPY_HEADER];
  void *copy;
  size_t nbytes;
  const int length = tn_npy_header_of(s->t, s->name, x, header);
  if (!length || tn_realize_whole(&x, 1) != TINY_OK) return 0;
  const void *data = tn_sink_elements(s, x, &copy, &nbytes);
  const int done = data && tn_sink_put(s, header, (size_t)length) && tn_sink_put(s, data, nbytes);
  tn_release(s->t, copy, nbytes);
  return done;
}

static int tn_npy_load(const tn_source *s, const void *what, tiny_uop **out) {
  (void)what;
  return tn_npy_read(s, out);
}
TINY_API tiny_tensor *tiny_load_npy(tiny_ctx *t, const char *path) {
  return tn_source_load(t, "load_npy", path, tn_npy_load, NULL);
}
TINY_API tiny_tensor *tiny_load_npy_from(tiny_ctx *t, const void *data, size_t nbytes) {
  return tn_source_load_from(t, data, nbytes, tn_npy_load, NULL);
}
TINY_API tiny_code tiny_save_npy(tiny_tensor *x, const char *path) {
  return tn_sink_save("save_npy", x, path, NULL, tn_npy_write, x);
}
TINY_API tiny_code tiny_save_npy_to(tiny_tensor *x, tiny_writer to) {
  return tn_sink_save("save_npy_to", x, NULL, &to, tn_npy_write, x);
}
#endif
