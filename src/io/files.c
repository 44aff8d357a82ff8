// files: opening archives of tensors, taking tensors from them, saving tensors; what a user calls.
//
// In:  paths, bytes, names. Out: tensors; files. Which format it is, the first bytes or the end of the path tell.
#ifndef TN_IO_FILES
#define TN_IO_FILES
#ifndef TINY_AMALGAMATED
#include "safetensors.c"
#endif

// ** reading **

// The ninth byte of .safetensors is '{', that of .zip the low byte of a method.
static int tn_archive_read(tiny_archive *a) {
  const tn_source *s = &a->s;
  if (s->nbytes >= 6 && !memcmp(s->data, tn_npy_magic, 6))
    return tn_source_fail(s, 0, "magic", "a single .npy array; use tiny_load_npy");
  const int json = s->nbytes > 8 && s->data[8] == '{';
  a->zip = !json && s->nbytes >= 4 && s->data[0] == 'P' && s->data[1] == 'K';
  return a->zip ? tn_zip_open(a) : tn_safe_open(a);
}
static tiny_archive *tn_archive_checked(tiny_archive *a) {
  if (tn_archive_read(a)) return a;
  tiny_archive_close(a);
  return NULL;
}

TINY_API tiny_archive *tiny_archive_open(tiny_ctx *t, const char *path) {
  if (!tn_source_path_check(t, "archive_open", path)) return NULL;
  tiny_archive *a = tn_archive_new(t, path);
  if (!a || !a->path || !tn_source_open(t, a->path, &a->mapping, &a->s)) {
    tiny_archive_close(a);
    return NULL;
  }
  a->mapped = 1;
  return tn_archive_checked(a);
}
TINY_API tiny_archive *tiny_archive_from(tiny_ctx *t, const void *data, size_t nbytes) {
  if (!tn_runs(t)) return NULL;
  tiny_archive *a = tn_archive_new(t, NULL);
  if (!a) return NULL;
  a->s = tn_source_memory(t, data, nbytes);
  return tn_archive_checked(a);
}

TINY_API int tiny_archive_count(const tiny_archive *a) { return a ? a->n : 0; }
TINY_API const char *tiny_archive_name(const tiny_archive *a, int i) {
  return a && i >= 0 && i < a->n ? a->entry[i].name : NULL;
}
TINY_API const char *tiny_archive_metadata(const tiny_archive *a, const char *key) {
  for (int i = 0; a && key && i < a->nnote; i++) if (!strcmp(a->note[i].key, key)) return a->note[i].value;
  return NULL;
}
TINY_API tiny_tensor *tiny_archive_get(tiny_archive *a, const char *name) {
  if (!a) return NULL;
  tiny_ctx *t = a->s.t;
  const tn_entry *e = name ? tn_archive_find(a, name) : NULL;
  tiny_uop *u = NULL;
  if (!e)
    return tn_wrong(t, TINY_E_ARG, "archive_get: %.200s has no tensor '%.100s'", a->path ? a->path : "memory",
                    name ? name : "");
  return (a->zip ? tn_zip_get(a, e, &u) : tn_safe_get(a, e, &u)) ? tn_tensor_new(t, u) : tn_poison(t);
}

// ** saving **

enum { TN_FORMAT_NONE, TN_FORMAT_NPZ, TN_FORMAT_SAFETENSORS };
static int tn_save_format(const tiny_save_desc *d) {
  static const char *const word[3] = {"", "npz", "safetensors"};
  const char *text = d->format, *dot = d->path && !text ? strrchr(d->path, '.') : NULL;
  if (dot) text = dot + 1;
  for (int i = 1; text && i < 3; i++) if (!strcmp(text, word[i])) return i;
  return TN_FORMAT_NONE;
}

// A name that both formats can hold: text of UTF-8, not too long.
static int tn_save_name_check(tiny_ctx *t, const char *name, int i) {
  const size_t n = name ? strlen(name) : 0;
  const char *wrong = !name                         ? "is NULL" :
                      n > 0xFF00                    ? "is too long" :
                      !strcmp(name, "__metadata__") ? "is reserved" :
                                                      NULL;
  for (size_t at = 0; !wrong && at < n;) {
    const int length = tn_utf8_length((const unsigned char *)name + at, n - at);
    if (!length) wrong = "is not UTF-8";
    at += (size_t)length;
  }
  if (wrong) tiny_fail(t, TINY_E_ARG, "save: name %d %s", i, wrong);
  return !wrong;
}
static int tn_save_names_check(tiny_ctx *t, const tiny_save_desc *d) {
  for (int i = 0; i < d->n; i++) if (!tn_save_name_check(t, d->names[i], i)) return 0;
  for (int i = 0; i < 2 * d->nmetadata; i++) if (!tn_save_name_check(t, d->metadata[i], i)) return 0;
  tiny_archive *a = tn_archive_new(t, NULL);                 // its table knows equal names
  const tn_entry *twice = NULL;
  int done = a != NULL;
  for (int i = 0; done && i < d->n; i++) {
    tn_entry *e = tn_archive_add(a);
    if (e) e->name = d->names[i]; else done = 0;
  }
  done = done && tn_archive_index(a, &twice);
  if (twice) tiny_fail(t, TINY_E_ARG, "save: two tensors are named '%.100s'", twice->name);
  tiny_archive_close(a);
  return done;
}

typedef struct tn_save { const tiny_save_desc *d; int format; } tn_save;
static int tn_save_write(tn_sink *s, const void *what) {
  const tn_save *save = (const tn_save *)what;
  return save->format == TN_FORMAT_NPZ ? tn_zip_write(s, save->d) : tn_safe_write(s, save->d);
}

static tiny_code tn_save_run(tiny_ctx *t, const tiny_save_desc *d) {
  const tn_save save = {d, tn_save_format(d)};
  char header[TN_NPY_HEADER];
  if (!save.format)
    return tiny_fail(t, TINY_E_ARG, "save: '%.200s' names no format; there are npz and safetensors",
                     d->format ? d->format : d->path ? d->path : "");
  if (d->nmetadata && save.format == TN_FORMAT_NPZ)
    return tiny_fail(t, TINY_E_ARG, "save: .npz has no metadata");
  if (!d->path && !d->writer.fn) return tiny_fail(t, TINY_E_ARG, "save: neither a path nor a writer");
  if (!tn_save_names_check(t, d)) return t->code;
  for (int i = 0; save.format == TN_FORMAT_NPZ && i < d->n; i++)
    if (!tn_npy_header_of(t, "save", d->tensors[i], header)) return t->code;
  const tiny_code code = d->n ? tn_realize_whole(d->tensors, d->n) : TINY_OK;
  if (code != TINY_OK) return code;
  if (d->path) return tn_sink_file(t, "save", d->path, tn_save_write, &save);
  tn_sink s = {t, "save", d->writer, 0, 0};
  return tn_save_write(&s, &save) ? TINY_OK : t->code;
}
TINY_API tiny_code tiny_save_as(const tiny_save_desc *d) {
  tiny_code code;
  if (!d || d->n < 1 || !d->names || d->nmetadata < 0 || (d->nmetadata && !d->metadata)) {
    tiny_ctx *t = d && d->n > 0 && d->tensors && d->tensors[0] ? tn_ctx_of(d->tensors[0]) : NULL;
    return tiny_fail(t, TINY_E_ARG, "save: no tensors, or no names");
  }
  tiny_ctx *t = tn_realize_check("save", d->tensors, d->n, &code);
  return t ? tn_save_run(t, d) : code;
}
TINY_API tiny_code tiny_save(const char *path, const char *const *names, tiny_tensor *const *tensors, int n) {
  tiny_save_desc d;
  memset(&d, 0, sizeof d);
  d.names = names; d.tensors = tensors; d.n = n;
  d.path = path ? path : "";
  return tiny_save_as(&d);
}
#endif
