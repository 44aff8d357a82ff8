// memory_test: a context whose allocator counts, and fails at the n-th call.
#ifndef MEMORY_TEST_H
#define MEMORY_TEST_H
typedef struct memory_count { long calls, fail_at, live, wrong; } memory_count;

// Remembers the size in front of each block: the size that is given back must be the same.
static void *memory_fn(void *user, void *ptr, size_t old_nbytes, size_t new_nbytes) {
  memory_count *m = (memory_count *)user;
  char *p = ptr ? (char *)ptr - 16 : NULL;
  if (p) { size_t had; memcpy(&had, p, sizeof had); m->wrong += had != old_nbytes; }
  if (!new_nbytes) { m->live -= p != NULL; free(p); return NULL; }
  if (++m->calls == m->fail_at) return NULL;
  char *q = (char *)realloc(p, new_nbytes + 16);
  if (!q) return NULL;
  m->live += p == NULL;
  memcpy(q, &new_nbytes, sizeof new_nbytes);
  return q + 16;
}
#ifndef TEST_WHOLE
static tiny_ctx *memory_context(tiny_ctx *t, memory_count *m) {
  memset(t, 0, sizeof *t);
  t->alloc.fn = memory_fn; t->alloc.user = m;
  return t;
}
#endif
#endif
