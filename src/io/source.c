// source: the bytes that a reader reads and a writer writes: files and the caller's memory.
//
// In:  a path or a run of bytes. Out: numbers in the byte order of the formats (little), tensors of a part of the
//      bytes, errors that name the file, the tensor, the byte and the field.
// Tensors of a mapped file are its pages, private to the tensor, where the device shares the host's memory: nothing is
// read before it is used, and assignment does not reach the file. All code here is light: it unwinds nothing.
#ifndef TN_IO_SOURCE
#define TN_IO_SOURCE
#ifndef TINY_AMALGAMATED
#ifdef TINY_RUNTIME_ONLY
#include "../base/files.c"
#else
#include "../runtime/replay.c"
#endif
#endif

typedef struct tn_source {
  tiny_ctx *t;
  const char *path, *member;               // for messages; path NULL: memory
  const unsigned char *data; size_t nbytes;
  size_t at;                               // of data in the mapping, if mapping
  const tn_os_mapping *mapping;            // NULL: data is memory, or was unpacked
} tn_source;

enum { TN_PATH_SHOWN = 200, TN_NAME_SHOWN = 100, TN_MAP_MIN = 64 * 1024 };      // smaller tensors are copied

// Records "PATH: MEMBER: byte AT: FIELD: what is wrong" and returns 0.
static int tn_source_fail(const tn_source *s, size_t at, const char *field, const char *format, ...)
    TN_PRINTF(4, 5);
static int tn_source_fail(const tn_source *s, size_t at, const char *field, const char *format, ...) {
  char what[400];
  const char *path = s->path ? s->path : "memory";
  const size_t length = strlen(path);
  va_list args;
  va_start(args, format);
  tn_number_list(what, sizeof what, format, args);
  va_end(args);
  tiny_fail(s->t, TINY_E_IO, "%s%s%s%.*s: byte %llu: %s: %s", length > TN_PATH_SHOWN ? "..." : "",
            path + (length > TN_PATH_SHOWN ? length - TN_PATH_SHOWN : 0), s->member ? ": " : "",
            TN_NAME_SHOWN, s->member ? s->member : "", (unsigned long long)at, field, what);
  return 0;
}

static tn_source tn_source_memory(tiny_ctx *t, const void *data, size_t nbytes) {
  tn_source s;
  memset(&s, 0, sizeof s);
  s.t = t;
  s.data = data ? (const unsigned char *)data : (const unsigned char *)"";
  s.nbytes = data ? nbytes : 0;
  return s;
}
// m is the caller's, and path too: both outlive the source.
static int tn_source_open(tiny_ctx *t, const char *path, tn_os_mapping *m, tn_source *out) {
  if (!tn_os_map_file(path, m)) {
    *out = tn_source_memory(t, NULL, 0);
    out->path = path;
    return tn_source_fail(out, 0, "file", "%s", tn_os_why_not(path));
  }
  *out = tn_source_memory(t, m->data, m->nbytes);
  out->path = path; out->mapping = m;
  return 1;
}

#ifndef TINY_RUNTIME_ONLY                  // tensors
// Can files be opened by this context at all?
static int tn_source_path_check(tiny_ctx *t, const char *name, const char *path) {
  if (!tn_runs(t)) return 0;
  if (path && *path) return 1;
  tiny_fail(t, TINY_E_ARG, "%s: path is NULL or empty", name);
  return 0;
}
static uint64_t tn_little(const unsigned char *p, int nbytes) {
  uint64_t v = 0;
  for (int i = nbytes; i-- > 0;) v = v << 8 | p[i];
  return v;
}
static void tn_put_little(unsigned char *p, uint64_t v, int nbytes) {
  for (int i = 0; i < nbytes; i++) p[i] = (unsigned char)(v >> 8 * i);
}

static int tn_host_is_little(void) {
  const uint16_t one = 1;
  unsigned char low;
  memcpy(&low, &one, 1);
  return low;
}
static void tn_swap_bytes(void *to, const void *from, size_t nbytes, size_t each) {
  unsigned char *a = (unsigned char *)to;
  const unsigned char *b = (const unsigned char *)from;
  for (size_t i = 0; i < nbytes; i += each) for (size_t j = 0; j < each; j++) a[i + j] = b[i + each - 1 - j];
}

static void tn_swap_in_place(unsigned char *data, size_t nbytes, size_t each) {
  for (size_t i = 0; i < nbytes; i += each) for (size_t j = 0; j < each / 2; j++) {
    const unsigned char low = data[i + j];
    data[i + j] = data[i + each - 1 - j];
    data[i + each - 1 - j] = low;
  }
}

// Elements of a shape that a file may claim; -1: a dim is negative or the product is beyond 2^60.
static int64_t tn_source_nelem(int n, const int64_t *dim) {
  int64_t nelem = 1, nonzero = 1;
  for (int i = 0; i < n; i++) {
    if (dim[i] < 0) return -1;
    if (dim[i] && nonzero > ((int64_t)1 << 60) / dim[i]) return -1;
    nonzero *= dim[i] ? dim[i] : 1;
    nelem *= dim[i] ? 1 : 0;
  }
  return nelem * nonzero;
}

// Pages of the file as storage; NULL: not these.
static tn_storage *tn_source_pages(const tn_source *s, size_t at, size_t nbytes, size_t each) {
  void *base;
  size_t total;
  if (!s->mapping || nbytes < TN_MAP_MIN || (s->at + at) % each || !tn_device_here(s->t)->limits.host_memory)
    return NULL;
  tn_storage *storage = tn_storage_borrow(tn_device_here(s->t), NULL, nbytes);
  if (!storage) return NULL;
  storage->mem = tn_os_map_part(s->mapping, s->at + at, nbytes, &base, &total);
  if (!storage->mem) { tn_storage_drop(s->t, storage); return NULL; }
  storage->pages = base; storage->pages_nbytes = total;
  return storage;
}

// Elements of big-endian files, or of any file on a big-endian host.
static tiny_uop *tn_source_swapped(const tn_source *s, size_t at, int dtype, int ndim, const int64_t *dim) {
  const size_t each = tn_dtypes[dtype].nbytes, nbytes = (size_t)tn_dims_nelem(ndim, dim) * each;
  void *swapped = tn_alloc(s->t, nbytes);
  if (!swapped) return &s->t->ir->bad;
  tn_swap_bytes(swapped, s->data + at, nbytes, each);
  tiny_uop *u = tn_upload(tn_device_here(s->t), swapped, dtype, ndim, dim);
  tn_release(s->t, swapped, nbytes);
  return u;
}

static int tn_source_bools(const tn_source *s, size_t at, const unsigned char *data, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (data[i] > 1) return tn_source_fail(s, at + i, "data", "a bool of %d", data[i]);
  return 1;
}

// The elements at data + at, whose bytes are known to be there.
static int tn_source_tensor(const tn_source *s, size_t at, int dtype, int big, int ndim, const int64_t *dim,
                            tiny_uop **out) {
  tiny_ctx *t = s->t;
  const int64_t nelem = tn_dims_nelem(ndim, dim);
  const size_t each = tn_dtypes[dtype].nbytes, nbytes = (size_t)nelem * each;
  if (dtype == TINY_BOOL && !tn_source_bools(s, at, s->data + at, nbytes)) return 0;
  tiny_uop *u;
  tn_storage *pages = NULL;
  if (each > 1 && nbytes && big == tn_host_is_little()) u = tn_source_swapped(s, at, dtype, ndim, dim);
  else if ((pages = tn_source_pages(s, at, nbytes, each)) != NULL)
    u = tn_reshape(t, tn_buffer_node(t, pages, dtype, nelem), ndim, dim);
  else u = t->code == TINY_E_MEMORY ? &t->ir->bad : tn_upload(tn_device_here(t), s->data + at, dtype, ndim, dim);
  *out = u;
  return !tn_bad(t, u);
}

// ** reading one tensor: read(s, what, out) of a file or of memory **

typedef int (*tn_read_fn)(const tn_source *s, const void *what, tiny_uop **out);

static tiny_tensor *tn_source_load_from(tiny_ctx *t, const void *data, size_t nbytes, tn_read_fn read,
                                        const void *what) {
  if (!tn_runs(t)) return tn_poison(t);
  const tn_source s = tn_source_memory(t, data, nbytes);
  tiny_uop *u = NULL;
  return read(&s, what, &u) ? tn_tensor_new(t, u) : tn_poison(t);
}
static tiny_tensor *tn_source_load(tiny_ctx *t, const char *name, const char *path, tn_read_fn read,
                                   const void *what) {
  tn_os_mapping m;
  tn_source s;
  if (!tn_source_path_check(t, name, path) || !tn_source_open(t, path, &m, &s)) return tn_poison(t);
  tiny_uop *u = NULL;
  const int done = read(&s, what, &u);
  tn_os_unmap_file(&m);
  return done ? tn_tensor_new(t, u) : tn_poison(t);
}

// ** writing **

typedef struct tn_sink {
  tiny_ctx *t;
  const char *name;                        // of the call
  tiny_writer to;
  uint64_t at;                             // bytes written
  int failed;
} tn_sink;

static int tn_sink_put(tn_sink *s, const void *data, size_t nbytes) {
  if (!nbytes || s->failed) return !s->failed;
  s->failed = !s->to.fn(s->to.user, data, nbytes);
  s->at += nbytes;
  if (s->failed) tiny_fail(s->t, TINY_E_IO, "%s: byte %llu: %llu bytes could not be written", s->name,
                           (unsigned long long)(s->at - nbytes), (unsigned long long)nbytes);
  return !s->failed;
}

// The little-endian elements of a realized tensor: its own memory, or a copy of it (*copy, to be released).
static const void *tn_sink_elements(tn_sink *s, tiny_tensor *x, void **copy, size_t *nbytes) {
  static const char none[1] = {0};
  tiny_ctx *t = s->t;
  const size_t each = tn_dtypes[tn_uop_of(x)->dtype].nbytes;
  const tiny_uop *plain = tn_plain_buffer(tn_uop_of(x));
  const tn_storage *storage = plain ? (tn_storage *)plain->ptr : NULL;
  *nbytes = (size_t)tn_node_nbytes(tn_uop_of(x));
  *copy = NULL;
  if (!*nbytes) return none;
  const int met = plain && t->runtime->unfinished;           // tn_read_whole goes on with the run that writes it
  const void *const seen = plain && !met && tn_host_is_little() ? tn_storage_view(storage, *nbytes) : NULL;
  if (seen) return storage->device->backend->sync(storage->device->dev) == TINY_OK ? seen : NULL;
  *copy = tn_alloc(t, *nbytes);
  if (*copy && tn_read_whole(x, *copy, *nbytes) != TINY_OK) {
    tn_release(t, *copy, *nbytes);
    *copy = NULL;
  }
  if (*copy && !tn_host_is_little()) for (size_t i = 0; i < *nbytes; i += each) {
    unsigned char element[8];
    memcpy(element, (char *)*copy + i, each);
    tn_swap_bytes((char *)*copy + i, element, each, each);
  }
  return *copy;
}

static int tn_draft_fn(void *user, const void *data, size_t nbytes) {
  return tn_os_draft_write((tn_os_draft *)user, data, nbytes);
}

// Runs write(sink, what) on a new file, which takes its place at path when all went well.
static tiny_code tn_sink_file(tiny_ctx *t, const char *name, const char *path,
                              int (*write)(tn_sink *s, const void *what), const void *what) {
  tn_os_draft draft;
  tn_sink s = {t, name, {tn_draft_fn, &draft}, 0, 0};
  if (!tn_os_draft_open(&draft, path, TN_OS_ALL)) {
    const char *const other = tn_os_in_the_way(path);
    return tiny_fail(t, TINY_E_IO, "%s: %.200s cannot be made%s%s", name, path, other ? ": " : "", other ? other : "");
  }
  const int whole = write(&s, what);
  if (tn_os_draft_close(&draft, path, whole)) return TINY_OK;
  tiny_fail(t, TINY_E_IO, "%s: %.200s could not be written", name, path);
  return t->code;                          // the first error: perhaps another one
}

// x by write(sink, what), which realizes it: to a function, or to a path if that is not NULL.
static tiny_code tn_sink_save(const char *name, tiny_tensor *x, const char *path, const tiny_writer *to,
                              int (*write)(tn_sink *s, const void *what), const void *what) {
  tiny_code code;
  tiny_ctx *t = tn_realize_check(name, &x, 1, &code);
  if (!t) return code;
  if (!to) return tn_source_path_check(t, name, path) ? tn_sink_file(t, name, path, write, what) : t->code;
  if (!to->fn) return tiny_fail(t, TINY_E_ARG, "%s: the writer has no function", name);
  tn_sink s = {t, name, *to, 0, 0};
  return write(&s, what) ? TINY_OK : t->code;
}
#endif // TINY_RUNTIME_ONLY
#endif
