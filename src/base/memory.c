// memory: the context, the caller's allocator, scratch memory, and what happens when there is none left.
//
// In:  sizes. Out: bytes from the caller's allocator, or from a bump arena that is emptied when the outermost
//      guarded call returns.
// Two kinds of code allocate. Operators (light) make a few nodes: a failure gives NULL, and then poison. Everything
// that plans, compiles or runs (heavy) sits inside tn_guard: there a failure unwinds to tn_guard with longjmp, so
// passes need no checks. What must outlive the call is linked to the context before the next allocation is made.
// Guarded code runs in the library's floating-point mode (base/float.c), and so do the functions of the caller that it
// calls: allocator, log, pool, backends.
#ifndef TN_BASE_MEMORY
#define TN_BASE_MEMORY
#ifndef TINY_AMALGAMATED
#include "number.c"
#endif
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef TN_FIRST_NBYTES                    // test builds shrink every first size "to give bugs a chance"
  #define TN_FIRST_NBYTES (64 * 1024)
  #define TN_FIRST_SLOTS 64
#endif

#define TN_CHUNK_MOST ((size_t)64 << 20)   // up to which each chunk is twice as large as the one before

typedef struct tn_chunk { struct tn_chunk *older; size_t cap, used; } tn_chunk;

struct tiny_ctx {
  tiny_alloc alloc; size_t max_nbytes;
  jmp_buf *trap; tiny_code unwinds;        // where a failed allocation of heavy code unwinds to, and with what
  int shielded;                            // heavy code waits for a backend: its scratch memory stays as it is
  int plans;                               // heavy code rewrites a graph: nodes that have a value are not found again
  tn_chunk *scratch;                       // newest chunk first
  tiny_code code; char message[1024];      // the first error
  tiny_logger log; char debug[32];
  tiny_progress progress; struct tn_watch *watch;          // watch: sees the children of the call under way
  int64_t cancel; int cancellable;         // cancel: 1: tiny_cancel asked; cancellable: TN_CANCELLABLE .., of the call
  char *compiler;                          // as in tiny_desc; NULL: it says none
  uint64_t seed, opened; int beam, atomics, tf32, compiler_seconds;        // opened: when, in ns
  tiny_stats stats;
  // one pointer a room, made by the room's open and freed by its close
  struct tn_ir *ir; struct tn_match *match; struct tn_tensors *tensors; struct tn_schedules *schedules;
  struct tn_device *device[TINY_MAX_DEVICES]; int ndevice, here;           // here: where what names no device goes
  uint32_t without_f64;                    // a bit for each device that has none
  struct tn_cache *cache; struct tn_shipped *shipped; struct tn_warm *warm;
  struct tn_pool *pool; struct tn_runtime *runtime;
  struct tn_labels *labels; const char *scope;               // NULL: nothing is named; no scope is open
  struct tn_trace *trace; struct tn_observer *observer;      // NULL: nobody asked
  struct tiny_archive *archives;           // that are open
  struct tiny_loader *loaders;
  struct tn_owned *owned;
};

TN_SMALL_BEGIN
static void *tn_default_alloc(void *user, void *ptr, size_t old_nbytes, size_t new_nbytes) {
  (void)user; (void)old_nbytes;
  if (new_nbytes) return realloc(ptr, new_nbytes);
  free(ptr);
  return NULL;
}

// "matmul: .." becomes "matmul in SCOPE: .."; what has no such head says so at its end.
static void tn_fail_within(char *message, size_t nbytes, const char *scope) {
  char rest[1024];
  char *colon = strstr(message, ": ");
  if (!colon || strchr(message, ' ') < colon) colon = message + strlen(message);
  snprintf(rest, sizeof rest, "%s", colon);
  snprintf(colon, nbytes - (size_t)(colon - message), "%sin %.256s%s", *rest ? " " : ", ", scope, rest);
}
TINY_API tiny_code tiny_fail(tiny_ctx *t, tiny_code code, const char *format, ...) TN_PRINTF(3, 4);
TINY_API tiny_code tiny_fail(tiny_ctx *t, tiny_code code, const char *format, ...) {
  if (!t || t->code != TINY_OK) return code;
  t->code = code;
  va_list args;
  va_start(args, format);
  tn_number_list(t->message, sizeof t->message, format, args);
  va_end(args);
  if (!TN_RUNS_ONLY && t->scope) tn_fail_within(t->message, sizeof t->message, t->scope);
  return code;
}

// As the caller's allocator.
TINY_API void *tiny_realloc(tiny_ctx *t, void *ptr, size_t old_nbytes, size_t new_nbytes) {
  return t ? t->alloc.fn(t->alloc.user, ptr, old_nbytes, new_nbytes) : NULL;
}

// Ends heavy code that cannot go on because of a bug of this library: a pass that finds no end, a graph that is no
// graph. Returns only to code that nothing guards.
static void tn_stop(tiny_ctx *t, const char *what) {
  tiny_fail(t, TINY_E_INTERNAL, "%s", what);
  t->unwinds = TINY_E_INTERNAL;
  if (t->trap) longjmp(*t->trap, 1);
}

static void *tn_out_of_memory(tiny_ctx *t, size_t nbytes) {
  tiny_fail(t, TINY_E_MEMORY, "out of memory: %llu bytes were refused by the allocator",
            (unsigned long long)nbytes);
  t->unwinds = TINY_E_MEMORY;
  if (t->trap) longjmp(*t->trap, 1);
  return NULL;
}

// NULL only in light code.
static void *tn_realloc(tiny_ctx *t, void *ptr, size_t old_nbytes, size_t new_nbytes) {
  void *p = tiny_realloc(t, ptr, old_nbytes, new_nbytes);
  return p || !new_nbytes ? p : tn_out_of_memory(t, new_nbytes);
}
static void *tn_alloc(tiny_ctx *t, size_t nbytes) {
  void *p = tn_realloc(t, NULL, 0, nbytes);
  if (p) memset(p, 0, nbytes);
  return p;
}
static TN_NOINLINE void tn_release(tiny_ctx *t, void *ptr, size_t nbytes) {
  if (ptr) t->alloc.fn(t->alloc.user, ptr, nbytes, 0);
}
// Room for one more in an array of the context's, of n elements with room for *cap; 0: it was refused, which is not
// recorded, and the array is as it was. array: where its address is.
static int tn_room(tiny_ctx *t, void *array, int n, int *cap, size_t elem_nbytes) {
  void *had;
  if (n < *cap) return 1;
  memcpy(&had, array, sizeof had);
  const int more = *cap ? 2 * *cap : 16;
  void *grown = tiny_realloc(t, had, (size_t)*cap * elem_nbytes, (size_t)more * elem_nbytes);
  if (!grown) return 0;
  memcpy(array, &grown, sizeof grown);
  *cap = more;
  return 1;
}

// ** owned: what structs of the caller's point to, like tiny_params; goes with the context unless it is freed before **

// nbytes: with the data, which stands behind it.
typedef struct tn_owned { struct tn_owned *next, **link; tiny_ctx *t; size_t nbytes; } tn_owned;

static void tn_owned_free(void *data) {
  tn_owned *o = data ? (tn_owned *)data - 1 : NULL;
  if (!o) return;
  if (o->next) o->next->link = o->link;
  *o->link = o->next;
  tn_release(o->t, o, o->nbytes);
}
#ifndef TINY_NO_NN                          // modules, optimisers and lists of parameters
// Zeros behind what data held, which may be NULL; it is moved. NULL only in light code, and data is as it was.
static void *tn_owned_grow(tiny_ctx *t, void *data, size_t nbytes) {
  const tn_owned *had = data ? (tn_owned *)data - 1 : NULL;
  tn_owned *o = (tn_owned *)tn_alloc(t, sizeof *o + nbytes);
  if (!o) return NULL;
  if (had) memcpy(o + 1, data, had->nbytes - sizeof *had);
  tn_owned_free(data);
  o->t = t; o->nbytes = sizeof *o + nbytes;
  o->next = t->owned; o->link = &t->owned;
  if (o->next) o->next->link = &o->next;
  t->owned = o;
  return o + 1;
}
#endif
static void tn_owned_close(tiny_ctx *t) { while (t->owned) tn_owned_free(t->owned + 1); }
TN_SMALL_END

// ** scratch: lives until the outermost tn_guard returns **

// A chunk with room for nbytes at least; NULL only in light code.
static TN_COLD tn_chunk *tn_chunk_new(tiny_ctx *t, size_t nbytes) {
  size_t cap = t->scratch ? t->scratch->cap * 2 : TN_FIRST_NBYTES;
  if (cap > TN_CHUNK_MOST) cap = TN_CHUNK_MOST;
  if (cap < nbytes) cap = nbytes;
  const size_t head = (sizeof(tn_chunk) + 15) & ~(size_t)15;
  tn_chunk *c = (tn_chunk *)tn_realloc(t, NULL, 0, head + cap);
  if (!c) return NULL;
  c->older = t->scratch; c->cap = cap; c->used = 0;
  t->scratch = c;
  return c;
}
// As it comes; tn_scratch gives zeros.
static void *tn_scratch_bare(tiny_ctx *t, size_t nbytes) {
  nbytes = (nbytes + 15) & ~(size_t)15;
  if ((!t->scratch || t->scratch->cap - t->scratch->used < nbytes) && !tn_chunk_new(t, nbytes)) return NULL;
  char *p = (char *)t->scratch + ((sizeof(tn_chunk) + 15) & ~(size_t)15) + t->scratch->used;
  t->scratch->used += nbytes;
  return p;
}
static void *tn_scratch(tiny_ctx *t, size_t nbytes) {
  void *p = tn_scratch_bare(t, nbytes);
  return p ? memset(p, 0, nbytes) : NULL;
}

// Frees all chunks but the newest, which is kept for the next call unless all is set.
static void tn_scratch_reset(tiny_ctx *t, int all) {
  tn_chunk *keep = all ? NULL : t->scratch, *c = keep ? keep->older : t->scratch;
  while (c) {
    tn_chunk *older = c->older;
    tn_release(t, c, ((sizeof(tn_chunk) + 15) & ~(size_t)15) + c->cap);
    c = older;
  }
  t->scratch = keep;
  if (keep) { keep->older = NULL; keep->used = 0; }
}

// A pass whose result holds no scratch memory gives back what it took: it stays in the caches, and small.
typedef struct tn_mark { tn_chunk *chunk; size_t used; } tn_mark;

static tn_mark tn_scratch_mark(tiny_ctx *t) {
  const tn_mark m = {t->scratch, t->scratch ? t->scratch->used : 0};
  return m;
}
static void tn_scratch_rewind(tiny_ctx *t, tn_mark m) {
  tn_chunk *top = t->scratch;
  if (top != m.chunk) while (top->older != m.chunk) {      // of the chunks made since, the newest stays
    tn_chunk *c = top->older;
    top->older = c->older;
    tn_release(t, c, ((sizeof(tn_chunk) + 15) & ~(size_t)15) + c->cap);
  }
  if (top) top->used = top == m.chunk ? m.used : 0;
}

// A full scratch array with room for more elements. What is not in use is 0.
static void *tn_grow(tiny_ctx *t, void *array, int n, int *cap, size_t elem_nbytes) {
  *cap = *cap ? *cap * 2 : 4;
  const size_t held = (size_t)n * elem_nbytes, all = (size_t)*cap * elem_nbytes;
  char *grown = (char *)tn_scratch_bare(t, all);
  if (!grown) return NULL;                 // not in guarded code
  if (n) memcpy(grown, array, held);
  memset(grown + held, 0, all - held);
  return grown;
}
#define TN_PUSH(t, array, n, cap, type) \
  (((array) = (n) < (cap) ? (array) : (type *)tn_grow(t, array, n, &(cap), sizeof(type))), &(array)[(n)++])

typedef struct tn_list { tiny_uop **u; int n, cap; } tn_list;
static void tn_push(tiny_ctx *t, tn_list *l, tiny_uop *u) { *TN_PUSH(t, l->u, l->n, l->cap, tiny_uop *) = u; }

// Runs heavy code: allocation failures inside of fn end up here as TINY_E_MEMORY. Nested calls join the outermost.
static tiny_code tn_guard(tiny_ctx *t, tiny_code (*fn)(tiny_ctx *t, void *arg), void *arg) {
  if (t->trap) return fn(t, arg);
  const tn_float_mode was = tn_float_enter();
  jmp_buf env;
  if (setjmp(env)) {
    t->trap = NULL;
    t->plans = 0;
    t->watch = NULL;
    if (!t->shielded) tn_scratch_reset(t, 1);
    tn_float_leave(&was);
    return t->unwinds;
  }
  t->trap = &env;
  const tiny_code code = fn(t, arg);
  t->trap = NULL;
  if (!t->shielded) tn_scratch_reset(t, 0);
  tn_float_leave(&was);
  return code;
}
#endif
