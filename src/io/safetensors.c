// safetensors: a header of JSON that says where each tensor lies, and then the tensors.
//
// In:  bytes. Out: entries of an archive; and the other way round. Format: the README of huggingface/safetensors: 8
//      bytes of header length, at most 100 MB of header, tensors in order, without gaps, to the end of the file.
// Written headers are padded to 64 bytes and tensors come by falling element size, so that each is aligned: a mapped
// file can then be used as it lies.
#ifndef TN_IO_SAFETENSORS
#define TN_IO_SAFETENSORS
#ifndef TINY_AMALGAMATED
#include "zip.c"
#endif

#define TN_SAFE_HEADER 100000000u
static const struct { const char *name; int dtype; } tn_safe_dtypes[] = {
  {"BOOL", TINY_BOOL}, {"U8", TINY_U8}, {"I8", TINY_I8}, {"I16", TINY_I16}, {"U16", TINY_U16},
  {"I32", TINY_I32}, {"U32", TINY_U32}, {"I64", TINY_I64}, {"U64", TINY_U64}, {"F16", TINY_F16},
  {"BF16", TINY_BF16}, {"F32", TINY_F32}, {"F64", TINY_F64}, {"F8_E4M3", TINY_F8E4M3},
  {"F8_E5M2", TINY_F8E5M2},
};
enum { TN_SAFE_DTYPES = sizeof tn_safe_dtypes / sizeof *tn_safe_dtypes };

typedef struct tn_safe {                   // what is said of one tensor
  tiny_archive *a;
  tn_json j;
  size_t begin;                            // of the data in the file
  int seen, dtype;
  tiny_shape shape;
  int64_t offset[2];
} tn_safe;

static int tn_safe_dtype(tn_safe *r) {
  const size_t at = r->j.at;
  char *const text = r->j.text;
  const char *name = tn_json_string(&r->j);
  r->j.text = text;                        // not kept
  if (!name) return 0;
  for (int i = 0; i < TN_SAFE_DTYPES; i++)
    if (!strcmp(tn_safe_dtypes[i].name, name)) { r->dtype = tn_safe_dtypes[i].dtype; return 1; }
  return tn_source_fail(r->j.s, at, "dtype", "'%.40s' is no dtype of tiny.h", name);
}
static int tn_safe_shape(tn_safe *r) {
  int ok = 1;
  if (!tn_json_take(&r->j, '[')) return 0;
  for (int first = 1; tn_json_more(&r->j, ']', first, &ok); first = 0) {
    if (r->shape.ndim == TINY_MAX_DIMS)
      return tn_source_fail(r->j.s, r->j.at, "shape", "more than %d dims", TINY_MAX_DIMS);
    if (!tn_json_integer(&r->j, &r->shape.dim[r->shape.ndim++])) return 0;
  }
  return ok;
}
static int tn_safe_offsets(tn_safe *r) {
  return tn_json_take(&r->j, '[') && tn_json_integer(&r->j, &r->offset[0]) && tn_json_take(&r->j, ',') &&
      tn_json_integer(&r->j, &r->offset[1]) && tn_json_take(&r->j, ']');
}
static const struct { const char *name; int (*read)(tn_safe *r); } tn_safe_keys[3] = {
  {"dtype", tn_safe_dtype}, {"shape", tn_safe_shape}, {"data_offsets", tn_safe_offsets},
};

static int tn_safe_key(tn_safe *r) {
  const size_t at = r->j.at;
  char *const text = r->j.text;
  const char *key = tn_json_string(&r->j);
  int i = 0;
  r->j.text = text;
  if (!key) return 0;
  while (i < 3 && strcmp(tn_safe_keys[i].name, key)) i++;
  if (!tn_json_take(&r->j, ':')) return 0;
  if (i == 3) return tn_json_skip(&r->j, 0);
  if (r->seen >> i & 1) return tn_source_fail(r->j.s, at, tn_safe_keys[i].name, "given twice");
  r->seen |= 1 << i;
  return tn_safe_keys[i].read(r);
}

// Do shape, dtype and offsets agree, and do the bytes exist? Then it is an entry.
static int tn_safe_add(tn_safe *r, const char *name, size_t at) {
  const tn_source *s = &r->a->s;
  for (int i = 0; i < 3; i++)
    if (!(r->seen >> i & 1)) return tn_source_fail(s, at, tn_safe_keys[i].name, "missing for '%.100s'", name);
  const int64_t nelem = tn_source_nelem(r->shape.ndim, r->shape.dim), each = tn_dtypes[r->dtype].nbytes;
  const uint64_t have = s->nbytes - r->begin;
  if (nelem < 0) return tn_source_fail(s, at, "shape", "more than 2^60 elements in '%.100s'", name);
  if (r->offset[0] > r->offset[1] || (uint64_t)r->offset[1] > have)
    return tn_source_fail(s, at, "data_offsets", "%lld to %lld of '%.100s', but there are %llu bytes",
                          (long long)r->offset[0], (long long)r->offset[1], name, (unsigned long long)have);
  const int64_t nbytes = r->offset[1] - r->offset[0];
  if (nbytes / each != nelem || nbytes % each)
    return tn_source_fail(s, at, "data_offsets", "%lld bytes, but %lld elements of %s in '%.100s'",
                          (long long)nbytes, (long long)nelem, tn_dtypes[r->dtype].name, name);
  tn_entry *e = tn_archive_add(r->a);
  if (!e) return 0;
  e->name = name; e->dtype = r->dtype; e->shape = r->shape;
  e->at = r->begin + (size_t)r->offset[0];
  e->nbytes = e->whole = (size_t)nbytes;
  return 1;
}
static int tn_safe_entry(tn_safe *r, const char *name, size_t at) {
  int ok = 1;
  r->seen = 0;
  memset(&r->shape, 0, sizeof r->shape);
  if (!tn_json_take(&r->j, '{')) return 0;
  for (int first = 1; ok && tn_json_more(&r->j, '}', first, &ok); first = 0) ok = tn_safe_key(r);
  return ok && tn_safe_add(r, name, at);
}
static int tn_safe_notes(tn_safe *r, size_t at) {
  int ok = 1;
  if (r->a->nnote) return tn_source_fail(r->j.s, at, "__metadata__", "given twice");
  if (!tn_json_take(&r->j, '{')) return 0;
  for (int first = 1; ok && tn_json_more(&r->j, '}', first, &ok); first = 0) {
    const char *key = tn_json_string(&r->j);
    const char *value = key && tn_json_take(&r->j, ':') ? tn_json_string(&r->j) : NULL;
    tn_note *note = value ? tn_archive_add_note(r->a) : NULL;
    if (!note) return 0;
    note->key = key; note->value = value;
  }
  return ok;
}

static int tn_safe_open(tiny_archive *a) {
  tn_safe r;
  const tn_source *s = &a->s;
  int ok = 1;
  if (s->nbytes < 8) return tn_source_fail(s, 0, "header length", "cut off");
  const uint64_t length = tn_little(s->data, 8);
  if (length > TN_SAFE_HEADER || length > s->nbytes - 8)
    return tn_source_fail(s, 0, "header length",
                          "%llu bytes of header, but %llu are left (and at most 100 MB allowed)",
                          (unsigned long long)length, (unsigned long long)(s->nbytes - 8));
  if (!tn_archive_text(a, (size_t)length)) return 0;
  memset(&r, 0, sizeof r);
  r.a = a;
  r.j.s = s; r.j.at = 8; r.j.end = r.begin = 8 + (size_t)length; r.j.text = a->text;
  if (!length || s->data[8] != '{') return tn_json_fail(&r.j, "it does not begin with '{'");
  r.j.at++;
  for (int first = 1; ok && tn_json_more(&r.j, '}', first, &ok); first = 0) {
    tn_json_peek(&r.j);
    const size_t at = r.j.at;
    const char *name = tn_json_string(&r.j);
    ok = name && tn_json_take(&r.j, ':') &&
        (strcmp(name, "__metadata__") ? tn_safe_entry(&r, name, at) : tn_safe_notes(&r, at));
  }
  if (!ok) return 0;
  if (tn_json_peek(&r.j) || r.j.at != r.j.end) return tn_json_fail(&r.j, "text after the end");
  return tn_archive_finish(a, r.begin, s->nbytes, 0);
}

static int tn_safe_get(tiny_archive *a, const tn_entry *e, tiny_uop **out) {
  tn_source s = a->s;
  s.member = e->name;
  return tn_source_tensor(&s, e->at, e->dtype, 0, e->shape.ndim, e->shape.dim, out);
}

// ** writing **

static const char *tn_safe_name(int dtype) {
  for (int i = 0; i < TN_SAFE_DTYPES; i++)
    if (tn_safe_dtypes[i].dtype == dtype) return tn_safe_dtypes[i].name;
  return NULL;
}

static void tn_safe_put_string(tiny_bytes *b, const char *text) {
  tiny_bytes_add(b, "\"", 1);
  for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
    if (*p == '"' || *p == '\\') tn_text_add(b, "\\%c", *p);
    else if (*p < 0x20) tn_text_add(b, "\\u%04x", *p);
    else tiny_bytes_add(b, p, 1);
  }
  tiny_bytes_add(b, "\"", 1);
}
// Numbers i of the tensors in the order of the file: those with the longest elements first.
#define TN_SAFE_EACH(d, i) \
  for (int each = 8; each; each /= 2) \
    for (int i = 0; i < (d)->n; i++) if (tn_dtypes[tn_uop_of((d)->tensors[i])->dtype].nbytes == each)

static void tn_safe_put_notes(tiny_bytes *b, const tiny_save_desc *d) {
  if (!d->nmetadata) return;
  tn_safe_put_string(b, "__metadata__");
  for (int i = 0; i < d->nmetadata; i++) {
    tn_text_add(b, i ? "," : ":{");
    tn_safe_put_string(b, d->metadata[2 * i]);
    tn_text_add(b, ":");
    tn_safe_put_string(b, d->metadata[2 * i + 1]);
  }
  tn_text_add(b, d->n ? "}," : "}");
}
static void tn_safe_put_entry(tiny_bytes *b, const char *name, const tiny_uop *u, uint64_t begin,
                              uint64_t end) {
  tn_safe_put_string(b, name);
  tn_text_add(b, ":{\"dtype\":\"%s\",\"shape\":[", tn_safe_name(u->dtype));
  for (int k = 0; k < u->ndim; k++) tn_text_add(b, k ? ",%lld" : "%lld", (long long)u->dim[k]);
  tn_text_add(b, "],\"data_offsets\":[%llu,%llu]}", (unsigned long long)begin, (unsigned long long)end);
}

typedef struct tn_safe_call { tn_sink *s; const tiny_save_desc *d; } tn_safe_call;

static tiny_code tn_safe_write_header(tiny_ctx *t, void *arg) {
  const tn_safe_call *call = (const tn_safe_call *)arg;
  const tiny_save_desc *d = call->d;
  tiny_bytes b = {t, NULL, 0, 0};
  unsigned char length[8];
  uint64_t at = 0;
  int left = d->n;
  tiny_bytes_add(&b, "\0\0\0\0\0\0\0\0{", 9);
  tn_safe_put_notes(&b, d);
  TN_SAFE_EACH(d, i) {
    const tiny_uop *u = tn_uop_of(d->tensors[i]);
    const uint64_t end = at + (uint64_t)tn_node_nbytes(u);
    tn_safe_put_entry(&b, d->names[i], u, at, end);
    if (--left) tn_text_add(&b, ",");
    at = end;
  }
  tn_text_add(&b, "}");
  while (b.n % 64) tn_text_add(&b, " ");
  if (b.n - 8 > TN_SAFE_HEADER)
    return tiny_fail(t, TINY_E_IO, "%s: a header of %llu bytes, but safetensors allows 100 MB", call->s->name,
                     (unsigned long long)b.n - 8);
  tn_put_little(length, b.n - 8, 8);
  memcpy(b.data, length, 8);
  return tn_sink_put(call->s, b.data, b.n) ? TINY_OK : t->code;
}
static int tn_safe_write(tn_sink *s, const tiny_save_desc *d) {
  tn_safe_call call = {s, d};
  if (tn_guard(s->t, tn_safe_write_header, &call) != TINY_OK) return 0;
  TN_SAFE_EACH(d, i) {
    void *copy;
    size_t nbytes;
    const void *data = tn_sink_elements(s, d->tensors[i], &copy, &nbytes);
    const int done = data && tn_sink_put(s, data, nbytes);
    tn_release(s->t, copy, nbytes);
    if (!done) return 0;
  }
  return 1;
}
#undef TN_SAFE_EACH
#endif
