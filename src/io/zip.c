// zip: the container of .npz: entries that are stored or deflated .npy files.
//
// In:  bytes. Out: entries of an archive; and the other way round. Format: PKWARE's APPNOTE.TXT 6.3.10, sections 4.3
//      to 4.5, with the 64-bit extension. Read is what the central directory says, checked against the local headers;
//      several disks, encryption and other methods are errors. Written entries are stored.
#ifndef TN_IO_ZIP
#define TN_IO_ZIP
#ifndef TINY_AMALGAMATED
#include "archive.c"
#endif

#ifndef TN_ZIP_LIMIT                       // sizes and numbers from which the 64-bit extension is written
  #define TN_ZIP_LIMIT 0xFFFFFFFFu
  #define TN_ZIP_COUNT 0xFFFFu
#endif
enum { TN_ZIP_LOCAL = 30, TN_ZIP_CENTRAL = 46, TN_ZIP_END = 22, TN_ZIP_LOCATOR = 20, TN_ZIP_END64 = 56 };
enum { TN_ZIP_STORED = 0, TN_ZIP_DEFLATED = 8, TN_ZIP_ENCRYPTED = 1 };
#define TN_ZIP_LOCAL_MARK 0x04034B50u
#define TN_ZIP_CENTRAL_MARK 0x02014B50u
#define TN_ZIP_END_MARK 0x06054B50u
#define TN_ZIP_LOCATOR_MARK 0x07064B50u
#define TN_ZIP_END64_MARK 0x06064B50u

typedef struct tn_zip_end { uint64_t count, nbytes, at; size_t end; } tn_zip_end;    // end: of the directory

static int tn_zip_is(const tn_source *s, size_t at, size_t nbytes, uint32_t mark) {
  return at <= s->nbytes && s->nbytes - at >= nbytes && tn_little(s->data + at, 4) == mark;
}

// The 64-bit end record, which stands before its locator, which stands before the end record.
static int tn_zip_end64(const tn_source *s, size_t at, tn_zip_end *e) {
  if (at < TN_ZIP_LOCATOR || !tn_zip_is(s, at - TN_ZIP_LOCATOR, TN_ZIP_LOCATOR, TN_ZIP_LOCATOR_MARK))
    return 1;
  const size_t locator = at - TN_ZIP_LOCATOR;
  const uint64_t place = tn_little(s->data + locator + 8, 8);
  if (place > locator || locator - place < TN_ZIP_END64 ||
      !tn_zip_is(s, (size_t)place, TN_ZIP_END64, TN_ZIP_END64_MARK))
    return tn_source_fail(s, locator + 8, "end of directory", "the 64-bit record is not at %llu",
                          (unsigned long long)place);
  const unsigned char *p = s->data + place;
  if (tn_little(p + 16, 4) || tn_little(p + 20, 4) || tn_little(p + 24, 8) != tn_little(p + 32, 8))
    return tn_source_fail(s, (size_t)place + 16, "end of directory", "the archive has several parts");
  e->count = tn_little(p + 32, 8);
  e->nbytes = tn_little(p + 40, 8);
  e->at = tn_little(p + 48, 8);
  e->end = (size_t)place;
  return 1;
}
static int tn_zip_find_end(const tn_source *s, tn_zip_end *e) {
  if (s->nbytes < TN_ZIP_END) return tn_source_fail(s, 0, "end of directory", "missing");
  for (size_t at = s->nbytes - TN_ZIP_END, comment = 0; comment <= 0xFFFF; at--, comment++) {
    const unsigned char *p = s->data + at;
    if (tn_zip_is(s, at, TN_ZIP_END, TN_ZIP_END_MARK) && tn_little(p + 20, 2) == comment) {
      if (tn_little(p + 4, 4) || tn_little(p + 8, 2) != tn_little(p + 10, 2))
        return tn_source_fail(s, at + 4, "end of directory", "the archive has several parts");
      e->count = tn_little(p + 10, 2);
      e->nbytes = tn_little(p + 12, 4);
      e->at = tn_little(p + 16, 4);
      e->end = at;
      return tn_zip_end64(s, at, e);
    }
    if (!at) break;
  }
  return tn_source_fail(s, s->nbytes, "end of directory", "missing");
}

// Replaces the 32-bit fields that are full by those of the 64-bit extension, id 1, in this order.
static int tn_zip_extra(const tn_source *s, size_t at, size_t nbytes, uint64_t *const *field, int n) {
  const size_t end = at + nbytes;
  while (end - at >= 4) {
    const size_t size = (size_t)tn_little(s->data + at + 2, 2), id = (size_t)tn_little(s->data + at, 2);
    if (end - at - 4 < size) return tn_source_fail(s, at, "extra field", "cut off");
    at += 4;
    for (int i = 0, used = 0; id == 1 && i < n; i++) {
      if (*field[i] != 0xFFFFFFFFu) continue;
      if (size < (size_t)used + 8) return tn_source_fail(s, at, "extra field", "cut off");
      *field[i] = tn_little(s->data + at + used, 8);
      used += 8;
    }
    at += size;
  }
  return 1;
}

// Where the bytes of an entry begin: behind its local header, which must agree on the name.
static int tn_zip_local(const tn_source *s, uint64_t local, size_t limit, const unsigned char *name,
                        size_t length, uint64_t nbytes, size_t *out) {
  if (local > limit || limit - local < TN_ZIP_LOCAL || tn_little(s->data + local, 4) != TN_ZIP_LOCAL_MARK)
    return tn_source_fail(s, (size_t)local, "local header", "there is none");
  const unsigned char *p = s->data + local;
  const size_t head = TN_ZIP_LOCAL + (size_t)tn_little(p + 26, 2) + (size_t)tn_little(p + 28, 2);
  if (limit - local < head || limit - local - head < nbytes)
    return tn_source_fail(s, (size_t)local, "local header", "%llu bytes of data are not there",
                          (unsigned long long)nbytes);
  if (tn_little(p + 26, 2) != length || memcmp(p + TN_ZIP_LOCAL, name, length))
    return tn_source_fail(s, (size_t)local + TN_ZIP_LOCAL, "local header",
                          "another name than in the directory");
  *out = (size_t)local + head;
  return 1;
}

static int tn_zip_name(tiny_archive *a, size_t at, const unsigned char *name, size_t length,
                       const char **out) {
  char *text = a->text + a->text_used;
  if (memchr(name, 0, length)) return tn_source_fail(&a->s, at, "name", "a zero in a name");
  memcpy(text, name, length);
  if (length > 4 && !memcmp(text + length - 4, ".npy", 4)) length -= 4;
  text[length] = 0;
  a->text_used += length + 1;
  *out = text;
  return 1;
}

// One record of the central directory, at *at; end is where the directory ends.
static int tn_zip_entry(tiny_archive *a, size_t *at, size_t begin, size_t end) {
  const tn_source *s = &a->s;
  const unsigned char *p = s->data + *at;
  if (end - *at < TN_ZIP_CENTRAL || tn_little(p, 4) != TN_ZIP_CENTRAL_MARK)
    return tn_source_fail(s, *at, "directory", "no entry");
  const size_t length = (size_t)tn_little(p + 28, 2), extra = (size_t)tn_little(p + 30, 2),
               size = TN_ZIP_CENTRAL + length + extra + (size_t)tn_little(p + 32, 2);
  if (end - *at < size) return tn_source_fail(s, *at, "directory", "an entry is cut off");
  uint64_t packed = tn_little(p + 20, 4), whole = tn_little(p + 24, 4), local = tn_little(p + 42, 4);
  uint64_t *const field[3] = {&whole, &packed, &local};
  if (!tn_zip_extra(s, *at + TN_ZIP_CENTRAL + length, extra, field, 3)) return 0;
  const int method = (int)tn_little(p + 10, 2);
  if (tn_little(p + 8, 2) & TN_ZIP_ENCRYPTED)
    return tn_source_fail(s, *at + 8, "directory", "an encrypted entry");
  if (method != TN_ZIP_STORED && method != TN_ZIP_DEFLATED)
    return tn_source_fail(s, *at + 10, "directory", "an entry is packed by method %d; 0 and 8 are read",
                          method);
  if (method == TN_ZIP_STORED && packed != whole)
    return tn_source_fail(s, *at + 20, "directory", "a stored entry of two sizes");
  // A deflated bit stands for at most 258 bytes: 1032 for a byte (zlib's "Maximum Compression Factor").
  if (method == TN_ZIP_DEFLATED && whole / 1032 > packed)
    return tn_source_fail(s, *at + 24, "directory", "%llu bytes cannot become %llu",
                          (unsigned long long)packed, (unsigned long long)whole);
  const unsigned char *name = p + TN_ZIP_CENTRAL;
  size_t data = 0;
  if (!tn_zip_local(s, local, begin, name, length, packed, &data)) return 0;
  if (!length || name[length - 1] != '/') {                  // no folder
    tn_entry *e = tn_archive_add(a);
    if (!e || !tn_zip_name(a, *at, name, length, &e->name)) return 0;
    e->at = data; e->nbytes = (size_t)packed; e->whole = (size_t)whole;
    e->crc = (uint32_t)tn_little(p + 16, 4); e->method = method;
  }
  *at += size;
  return 1;
}

static int tn_zip_open(tiny_archive *a) {
  tn_zip_end e;
  memset(&e, 0, sizeof e);
  if (!tn_zip_find_end(&a->s, &e)) return 0;
  if (e.at > e.end || e.end - e.at != e.nbytes)
    return tn_source_fail(&a->s, e.end, "end of directory",
                          "a directory of %llu bytes at %llu does not end there",
                          (unsigned long long)e.nbytes, (unsigned long long)e.at);
  if (e.count > e.nbytes / TN_ZIP_CENTRAL)
    return tn_source_fail(&a->s, e.end, "end of directory", "%llu entries in %llu bytes",
                          (unsigned long long)e.count, (unsigned long long)e.nbytes);
  if (!tn_archive_text(a, (size_t)e.nbytes)) return 0;
  size_t at = (size_t)e.at;
  for (uint64_t i = 0; i < e.count; i++) if (!tn_zip_entry(a, &at, (size_t)e.at, e.end)) return 0;
  if (at != e.end) return tn_source_fail(&a->s, at, "directory", "bytes after the last entry");
  return tn_archive_finish(a, 0, (size_t)e.at, 1);
}

static int tn_zip_check(const tiny_archive *a, const tn_entry *e, uint32_t crc) {
  return crc == e->crc || tn_source_fail(&a->s, e->at, "checksum", "'%.100s' is damaged", e->name);
}

// ** deflated entries: the header alone is unpacked first; it tells how much memory the array takes, into which the
// whole is unpacked then. Where that is not the host's, there is a copy on the way **

enum { TN_ZIP_HEADER = 12 + 65536 };       // of an array: the longest that is read

typedef struct tn_unpack {
  const tiny_archive *a; const tn_entry *e;
  tn_inflate *z; unsigned char *head;      // TN_ZIP_HEADER bytes
  tn_source s; tn_npy_array array;
} tn_unpack;

static int tn_unpack_header(tn_unpack *u) {
  size_t at = 0;
  const size_t most = u->e->whole < TN_ZIP_HEADER ? u->e->whole : (size_t)TN_ZIP_HEADER;
  const char *wrong = tn_inflate_first(u->z, u->a->s.data + u->e->at, u->e->nbytes, u->head, most, &u->s.nbytes, &at);
  if (wrong) return tn_source_fail(&u->a->s, u->e->at + at, "deflate", "%s in '%.100s'", wrong, u->e->name);
  u->s.data = u->head; u->s.mapping = NULL;
  return tn_npy_describe(&u->s, u->e->whole, &u->array);
}

// The elements into `data`, in the host's order of bytes.
static int tn_unpack_data(tn_unpack *u, unsigned char *data) {
  const tn_npy_array *n = &u->array;
  const size_t each = tn_dtypes[n->dtype].nbytes, nbytes = (size_t)n->nelem * each;
  size_t at = 0;
  const char *wrong =
      tn_inflate_split(u->z, u->a->s.data + u->e->at, u->e->nbytes, u->head, n->data, data, nbytes, &at);
  if (wrong) return tn_source_fail(&u->a->s, u->e->at + at, "deflate", "%s in '%.100s'", wrong, u->e->name);
  tn_crc crc;
  tn_crc_open(&crc);
  if (!tn_zip_check(u->a, u->e, tn_crc_of(&crc, tn_crc_of(&crc, 0, u->head, n->data), data, nbytes))) return 0;
  if (n->dtype == TINY_BOOL && !tn_source_bools(&u->s, n->data, data, nbytes)) return 0;
  if (each > 1 && n->big == tn_host_is_little()) tn_swap_in_place(data, nbytes, each);
  return 1;
}

static int tn_unpack_array(tn_unpack *u, tiny_uop **out) {
  const tn_npy_array *n = &u->array;
  tiny_ctx *t = u->a->s.t;
  const size_t nbytes = (size_t)n->nelem * tn_dtypes[n->dtype].nbytes;
  struct tn_device *d = tn_device_here(t);
  tn_storage *storage = tn_storage_for(d, nbytes);
  if (!storage) return 0;
  const tiny_mem to = {storage->mem, 0};
  void *const direct = tn_storage_view(storage, nbytes);
  unsigned char *data = (unsigned char *)(direct ? direct : tn_alloc(t, nbytes + 1));
  int done = !direct || d->backend->sync(d->dev) == TINY_OK;     // what had this memory before may still be at work
  done = done && (data || !nbytes) && tn_unpack_data(u, data);
  if (done && !direct && nbytes) done = d->backend->copy_in(d->dev, to, data, nbytes) == TINY_OK;
  if (!direct) tn_release(t, data, nbytes + 1);
  if (!done) { tn_storage_drop(t, storage); return 0; }
  *out = tn_reshape(t, tn_buffer_node(t, storage, n->dtype, n->nelem), n->ndim, n->dim);
  return !tn_bad(t, *out) && tn_npy_transpose(t, n, out);
}

static int tn_zip_get(tiny_archive *a, const tn_entry *e, tiny_uop **out) {
  tiny_ctx *t = a->s.t;
  tn_unpack u;
  memset(&u, 0, sizeof u);
  u.a = a; u.e = e; u.s = a->s;
  u.s.member = e->name;
  if (e->method == TN_ZIP_STORED) {
    tn_crc crc;
    tn_crc_open(&crc);
    u.s.data += e->at; u.s.at += e->at; u.s.nbytes = e->nbytes;
    return tn_zip_check(a, e, tn_crc_of(&crc, 0, u.s.data, u.s.nbytes)) && tn_npy_read(&u.s, out);
  }
  u.z = (tn_inflate *)tn_alloc(t, sizeof *u.z);
  u.head = (unsigned char *)tn_alloc(t, TN_ZIP_HEADER);
  const int done = u.z && u.head && tn_unpack_header(&u) && tn_unpack_array(&u, out);
  tn_release(t, u.head, TN_ZIP_HEADER);
  tn_release(t, u.z, sizeof *u.z);
  return done;
}

// ** writing **

typedef struct tn_zip_row { uint64_t at, nbytes; uint32_t crc; } tn_zip_row;

// Version, flags (names are UTF-8), method, time and date (1980-01-01, so that equal tensors give equal files).
static void tn_zip_common(unsigned char *p, int wide) {
  tn_put_little(p, wide ? 45 : 20, 2);
  tn_put_little(p + 2, 0x800, 2);
  tn_put_little(p + 4, TN_ZIP_STORED, 2);
  tn_put_little(p + 6, 0, 2);
  tn_put_little(p + 8, 0x21, 2);
}
static uint64_t tn_zip_narrow(uint64_t x) { return x >= TN_ZIP_LIMIT ? 0xFFFFFFFFu : x; }

static int tn_zip_put_local(tn_sink *s, const char *name, const tn_zip_row *r) {
  unsigned char head[TN_ZIP_LOCAL] = {0}, extra[20] = {0};
  const int wide = r->nbytes >= TN_ZIP_LIMIT;
  const size_t length = strlen(name);
  tn_put_little(head, TN_ZIP_LOCAL_MARK, 4);
  tn_zip_common(head + 4, wide);
  tn_put_little(head + 14, r->crc, 4);
  tn_put_little(head + 18, tn_zip_narrow(r->nbytes), 4);
  tn_put_little(head + 22, tn_zip_narrow(r->nbytes), 4);
  tn_put_little(head + 26, length + 4, 2);
  tn_put_little(head + 28, wide ? 20 : 0, 2);
  tn_put_little(extra, 1, 2);
  tn_put_little(extra + 2, 16, 2);
  tn_put_little(extra + 4, r->nbytes, 8);
  tn_put_little(extra + 12, r->nbytes, 8);
  return tn_sink_put(s, head, sizeof head) && tn_sink_put(s, name, length) && tn_sink_put(s, ".npy", 4) &&
      tn_sink_put(s, extra, wide ? 20 : 0);
}
static int tn_zip_put_central(tn_sink *s, const char *name, const tn_zip_row *r) {
  unsigned char head[TN_ZIP_CENTRAL] = {0}, extra[28] = {0};
  const size_t length = strlen(name);
  size_t used = 4;
  if (r->nbytes >= TN_ZIP_LIMIT)
    for (int i = 0; i < 2; i++, used += 8) tn_put_little(extra + used, r->nbytes, 8);
  if (r->at >= TN_ZIP_LIMIT) { tn_put_little(extra + used, r->at, 8); used += 8; }
  if (used == 4) used = 0;
  tn_put_little(extra, 1, 2);
  tn_put_little(extra + 2, used ? used - 4 : 0, 2);
  tn_put_little(head, TN_ZIP_CENTRAL_MARK, 4);
  tn_put_little(head + 4, used ? 45 : 20, 2);
  tn_zip_common(head + 6, used != 0);
  tn_put_little(head + 16, r->crc, 4);
  tn_put_little(head + 20, tn_zip_narrow(r->nbytes), 4);
  tn_put_little(head + 24, tn_zip_narrow(r->nbytes), 4);
  tn_put_little(head + 28, length + 4, 2);
  tn_put_little(head + 30, used, 2);
  tn_put_little(head + 42, tn_zip_narrow(r->at), 4);
  return tn_sink_put(s, head, sizeof head) && tn_sink_put(s, name, length) && tn_sink_put(s, ".npy", 4) &&
      tn_sink_put(s, extra, used);
}
static int tn_zip_put_end(tn_sink *s, uint64_t begin, uint64_t count) {
  unsigned char end64[TN_ZIP_END64] = {0}, locator[TN_ZIP_LOCATOR] = {0}, end[TN_ZIP_END] = {0};
  const uint64_t at = s->at, nbytes = at - begin;
  if (count >= TN_ZIP_COUNT || begin >= TN_ZIP_LIMIT || nbytes >= TN_ZIP_LIMIT) {
    tn_put_little(end64, TN_ZIP_END64_MARK, 4);
    tn_put_little(end64 + 4, TN_ZIP_END64 - 12, 8);
    tn_put_little(end64 + 12, 45, 2);
    tn_put_little(end64 + 14, 45, 2);
    tn_put_little(end64 + 24, count, 8);
    tn_put_little(end64 + 32, count, 8);
    tn_put_little(end64 + 40, nbytes, 8);
    tn_put_little(end64 + 48, begin, 8);
    tn_put_little(locator, TN_ZIP_LOCATOR_MARK, 4);
    tn_put_little(locator + 8, at, 8);
    tn_put_little(locator + 16, 1, 4);
    if (!tn_sink_put(s, end64, sizeof end64) || !tn_sink_put(s, locator, sizeof locator)) return 0;
  }
  const uint64_t few = count >= TN_ZIP_COUNT ? 0xFFFF : count;
  tn_put_little(end, TN_ZIP_END_MARK, 4);
  tn_put_little(end + 8, few, 2);
  tn_put_little(end + 10, few, 2);
  tn_put_little(end + 12, tn_zip_narrow(nbytes), 4);
  tn_put_little(end + 16, tn_zip_narrow(begin), 4);
  return tn_sink_put(s, end, sizeof end);
}

static int tn_zip_put_array(tn_sink *s, const char *name, tiny_tensor *x, const tn_crc *crc, tn_zip_row *r) {
  char header[TN_NPY_HEADER];
  void *copy;
  size_t nbytes;
  const int length = tn_npy_header_of(s->t, s->name, x, header);
  if (!length) return 0;
  const void *data = tn_sink_elements(s, x, &copy, &nbytes);
  if (!data) return 0;
  r->at = s->at;
  r->nbytes = (uint64_t)length + nbytes;
  r->crc = tn_crc_of(crc, tn_crc_of(crc, 0, header, (size_t)length), data, nbytes);
  const int done = tn_zip_put_local(s, name, r) && tn_sink_put(s, header, (size_t)length) &&
      tn_sink_put(s, data, nbytes);
  tn_release(s->t, copy, nbytes);
  return done;
}
static int tn_zip_write(tn_sink *s, const tiny_save_desc *d) {
  const size_t nbytes = ((size_t)d->n + 1) * sizeof(tn_zip_row);
  tn_zip_row *row = (tn_zip_row *)tn_alloc(s->t, nbytes);
  tn_crc *crc = (tn_crc *)tn_alloc(s->t, sizeof *crc);
  int done = row && crc;
  if (crc) tn_crc_open(crc);
  for (int i = 0; done && i < d->n; i++)
    done = tn_zip_put_array(s, d->names[i], d->tensors[i], crc, &row[i]);
  tn_release(s->t, crc, sizeof *crc);
  const uint64_t begin = s->at;
  for (int i = 0; done && i < d->n; i++) done = tn_zip_put_central(s, d->names[i], &row[i]);
  done = done && tn_zip_put_end(s, begin, (uint64_t)d->n);
  tn_release(s->t, row, nbytes);
  return done;
}
#endif
