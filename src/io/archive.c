// archive: named tensors in one file, whatever its format: what zip.c and safetensors.c fill, and files.c hands out.
//
// In:  entries as a reader finds them. Out: a table by name that owns its texts.
// What always holds: names differ, entries lie within the file and do not overlap. An archive is linked to its context
// from the start, so that tiny_close finds those that were not closed. Tensors taken from it do not need it.
#ifndef TN_IO_ARCHIVE
#define TN_IO_ARCHIVE
#ifndef TINY_AMALGAMATED
#include "json.c"
#endif

typedef struct tn_entry {
  const char *name;
  size_t at, nbytes, whole;                // in the file: its bytes; whole: unpacked
  uint32_t crc; int method;                // zip: how it is packed
  int dtype; tiny_shape shape;             // safetensors; zip's entries say it themselves
} tn_entry;
typedef struct tn_note { const char *key, *value; } tn_note;

struct tiny_archive {
  tiny_archive *next, **link;              // of the context
  tn_source s; tn_os_mapping mapping; int mapped;
  char *path; size_t path_nbytes;
  int zip;                                 // else safetensors
  tn_entry *entry; int n, cap;
  tn_note *note; int nnote, cap_note;      // metadata
  char *text; size_t text_nbytes, text_used;                 // names and notes
  int *slot, cap_slot;                     // hash of a name -> 1 + its entry
};

static tiny_archive *tn_archive_new(tiny_ctx *t, const char *path) {
  tiny_archive *a = (tiny_archive *)tn_alloc(t, sizeof *a);
  if (!a) return NULL;
  a->s.t = t;
  a->link = &t->archives;
  a->next = t->archives;
  if (a->next) a->next->link = &a->next;
  t->archives = a;
  if (!path) return a;
  a->path_nbytes = strlen(path) + 1;
  a->path = (char *)tn_alloc(t, a->path_nbytes);
  if (a->path) memcpy(a->path, path, a->path_nbytes);
  return a;
}

TINY_API void tiny_archive_close(tiny_archive *a) {
  if (!a) return;
  tiny_ctx *t = a->s.t;
  if (a->next) a->next->link = a->link;
  *a->link = a->next;
  if (a->mapped) tn_os_unmap_file(&a->mapping);
  tn_release(t, a->path, a->path_nbytes);
  tn_release(t, a->entry, (size_t)a->cap * sizeof *a->entry);
  tn_release(t, a->note, (size_t)a->cap_note * sizeof *a->note);
  tn_release(t, a->text, a->text_nbytes);
  tn_release(t, a->slot, (size_t)a->cap_slot * sizeof *a->slot);
  tn_release(t, a, sizeof *a);
}
static void tn_archives_close(tiny_ctx *t) { while (t->archives) tiny_archive_close(t->archives); }

// Room for all names and notes: they are no longer than what the file spends on them.
static int tn_archive_text(tiny_archive *a, size_t nbytes) {
  a->text_nbytes = nbytes + 1;
  a->text = (char *)tn_alloc(a->s.t, a->text_nbytes);
  return a->text != NULL;
}

// Grows a list of the context's memory by one zeroed element; NULL: no memory.
static void *tn_archive_push(tiny_ctx *t, void **list, int *n, int *cap, size_t each) {
  if (*n == *cap) {
    const int more = *cap ? *cap * 2 : 16;
    void *grown = *cap < INT_MAX / 4 ? tn_realloc(t, *list, (size_t)*cap * each, (size_t)more * each) : NULL;
    if (!grown) return NULL;
    *list = grown;
    *cap = more;
  }
  return memset((char *)*list + (size_t)(*n)++ * each, 0, each);
}
static tn_entry *tn_archive_add(tiny_archive *a) {
  void *list = a->entry;
  tn_entry *e = (tn_entry *)tn_archive_push(a->s.t, &list, &a->n, &a->cap, sizeof *e);
  a->entry = (tn_entry *)list;
  return e;
}
static tn_note *tn_archive_add_note(tiny_archive *a) {
  void *list = a->note;
  tn_note *e = (tn_note *)tn_archive_push(a->s.t, &list, &a->nnote, &a->cap_note, sizeof *e);
  a->note = (tn_note *)list;
  return e;
}

// ** by name **

static int tn_archive_slot(const tiny_archive *a, const char *name) {
  uint64_t i = tn_hash_bytes(0, name, strlen(name));
  for (;; i++) {
    const int at = (int)(i & (uint64_t)(a->cap_slot - 1));
    if (!a->slot[at] || !strcmp(a->entry[a->slot[at] - 1].name, name)) return at;
  }
}
static const tn_entry *tn_archive_find(const tiny_archive *a, const char *name) {
  const int at = a->n ? a->slot[tn_archive_slot(a, name)] : 0;
  return at ? &a->entry[at - 1] : NULL;
}
// Once all entries are there. 0: no memory, or *twice is an entry whose name another one has.
static int tn_archive_index(tiny_archive *a, const tn_entry **twice) {
  *twice = NULL;
  a->cap_slot = 16;
  while (a->cap_slot < 2 * a->n) a->cap_slot *= 2;
  a->slot = (int *)tn_alloc(a->s.t, (size_t)a->cap_slot * sizeof *a->slot);
  if (!a->slot) return a->cap_slot = 0;
  for (int i = 0; i < a->n; i++) {
    const int at = tn_archive_slot(a, a->entry[i].name);
    if (a->slot[at]) { *twice = &a->entry[i]; return 0; }
    a->slot[at] = i + 1;
  }
  return 1;
}

// ** by place **

// Sinks element i of a heap of entry numbers: the one that lies last in the file on top.
static void tn_heap_sink(const tiny_archive *a, int *heap, int n, int i) {
  for (;;) {
    int top = i;
    for (int child = 2 * i + 1; child <= 2 * i + 2 && child < n; child++) {
      const tn_entry *x = &a->entry[heap[child]], *y = &a->entry[heap[top]];
      if (x->at > y->at || (x->at == y->at && x->nbytes > y->nbytes)) top = child;
    }
    if (top == i) return;
    const int swap = heap[i];
    heap[i] = heap[top]; heap[top] = swap;
    i = top;
  }
}
// Do the entries lie one after the other: without overlap, or even without a gap from byte begin to end?
static int tn_archive_offsets(tiny_archive *a, size_t begin, size_t end, int gaps) {
  if (a->n) {
    int *heap = (int *)tn_alloc(a->s.t, (size_t)a->n * sizeof *heap), ok = 1;
    if (!heap) return 0;
    for (int i = 0; i < a->n; i++) heap[i] = i;
    for (int i = a->n / 2; i-- > 0;) tn_heap_sink(a, heap, a->n, i);
    for (int n = a->n; n > 1;) {
      const int last = heap[0];
      heap[0] = heap[--n];
      heap[n] = last;
      tn_heap_sink(a, heap, n, 0);
    }
    for (int i = 0; ok && i < a->n; i++) {
      const tn_entry *e = &a->entry[heap[i]];
      if (e->at < begin)
        ok = tn_source_fail(&a->s, e->at, "data", "'%.100s' overlaps what is before it", e->name);
      if (ok && !gaps && e->at > begin)
        ok = tn_source_fail(&a->s, begin, "data", "%llu bytes that belong to no tensor, before '%.100s'",
                            (unsigned long long)(e->at - begin), e->name);
      begin = e->at + e->nbytes;
    }
    tn_release(a->s.t, heap, (size_t)a->n * sizeof *heap);
    if (!ok) return 0;
  }
  return gaps || begin == end ||
      tn_source_fail(&a->s, begin, "data", "%llu bytes that belong to no tensor at the end",
                     (unsigned long long)(end - begin));
}

// What a reader does last.
static int tn_archive_finish(tiny_archive *a, size_t begin, size_t end, int gaps) {
  const tn_entry *twice;
  if (tn_archive_index(a, &twice)) return tn_archive_offsets(a, begin, end, gaps);
  return twice ? tn_source_fail(&a->s, twice->at, "name", "'%.100s' is there twice", twice->name) : 0;
}
#endif
