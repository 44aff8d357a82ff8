// metal_kernel_run: executes a dispatch: threads of a group are fibers of one thread of this machine, which meet at
// barriers and at exchanges of a SIMD-group; what is checked are their loads and stores.
//
// In:   a function of a module, what is bound, how many groups of how many threads.
// Out:  0, or a sentence about the first mistake: nothing runs after it.
// Holds:
//  - A thread runs until it ends or meets. Then those of a SIMD-group that wait at the exchange on the least line go
//    on, the others being inactive there; where nobody waits for an exchange all wait for one barrier, or it is
//    divergent.
//  - Memory of a group begins as NaNs. A fiber takes the next thread where one ended without waiting.
//  - Shadow: a cell for 4 bytes, of who wrote and read them last: in which group, between which barriers. Accesses of
//    two threads are in order where a barrier that orders this memory is between them; those of two groups never.
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#ifndef __x86_64__
  #include <ucontext.h>
#endif

enum {
  METAL_ITEMS = 1024, METAL_SIMDS = METAL_ITEMS / METAL_LANES, METAL_BUFFERS = 31, METAL_VARIABLES = 64,
  METAL_STACK = 256 << 10, METAL_GUARD = 4 << 10, METAL_SPAN = METAL_STACK + METAL_GUARD, METAL_GROUP_MOST = 64 << 10
};
static const size_t metal_shadow_most = (size_t)1 << 26;   // bytes bound: beyond, races are not looked for

// A fiber that is left where it was leaves marks of its frames on its stack.
#if defined __has_feature
  #if __has_feature(address_sanitizer)
    #define METAL_ASAN
  #endif
#endif
#if defined METAL_ASAN || defined __SANITIZE_ADDRESS__
  #include <sanitizer/asan_interface.h>
  static void metal_forget(char *stack, size_t n) { __asan_unpoison_memory_region(stack, n); }
#else
  static void metal_forget(char *stack, size_t n) { (void)stack; (void)n; }
#endif

// ** fibers **

// ThreadSanitizer keeps what it knows of a thread for each fiber, if it is told of them.
#if defined __has_feature
  #if __has_feature(thread_sanitizer)
    #define METAL_TSAN
  #endif
#endif
#if defined METAL_TSAN || defined __SANITIZE_THREAD__
  #include <sanitizer/tsan_interface.h>
  typedef void *metal_known;
  static void metal_knows_switch(metal_known *from, metal_known to) {
    *from = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(to, 0);
  }
  static void metal_knows_begin(metal_known *fiber) {
    if (*fiber) __tsan_destroy_fiber(*fiber);
    *fiber = __tsan_create_fiber(0);
  }
#else
  typedef char metal_known;
  static void metal_knows_switch(metal_known *from, metal_known to) { (void)from; (void)to; }
  static void metal_knows_begin(metal_known *fiber) { (void)fiber; }
#endif

#ifdef __x86_64__
typedef struct metal_context { void *stack; metal_known known; } metal_context;
void metal_fiber_switch(void **from, void *to);
__asm__(
  ".text\n.globl metal_fiber_switch\n.type metal_fiber_switch, @function\nmetal_fiber_switch:\n"
  "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
  "  movq %rsp, (%rdi)\n  movq %rsi, %rsp\n"
  "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n  ret\n"
  ".size metal_fiber_switch, .-metal_fiber_switch\n");
static void metal_switch(metal_context *from, metal_context *to) {
  metal_knows_switch(&from->known, to->known);
  metal_fiber_switch(&from->stack, to->stack);
}
static void metal_begin(metal_context *c, char *stack, void (*f)(void)) {
  metal_knows_begin(&c->known);
  void **top = (void **)(void *)(stack + METAL_STACK) - 3;
  memset(top - 7, 0, 9 * sizeof *top);
  memcpy(&top[-1], &f, sizeof f);          // what it returns to; rsp is 8 beside 16 then, as behind a call
  c->stack = top - 7;
}
#else
typedef struct metal_context { ucontext_t at; metal_known known; } metal_context;
static void metal_switch(metal_context *from, metal_context *to) {
  metal_knows_switch(&from->known, to->known);
  swapcontext(&from->at, &to->at);
}
static void metal_begin(metal_context *c, char *stack, void (*f)(void)) {
  metal_knows_begin(&c->known);
  getcontext(&c->at);
  c->at.uc_stack.ss_sp = stack;
  c->at.uc_stack.ss_size = METAL_STACK;
  makecontext(&c->at, f, 0);
}
#endif

// ** who runs **

enum { METAL_RUNS, METAL_AT_GROUP, METAL_AT_SIMD, METAL_AT_EXCHANGE, METAL_ENDED };
typedef struct metal_one {                 // a thread of the group that runs
  int state, line, flags, all, fiber;
  unsigned nbytes;
  unsigned char value[METAL_WORD];
} metal_one;

typedef struct metal_cell { uint64_t written, read; } metal_cell;     // who last wrote and read a byte: stamps, or 0
// Memory that a kernel may touch. number: of a buffer, of an argument of threadgroup memory; name: of a variable of it.
// shadow: of each byte from `origin` on.
enum { METAL_OF_DEVICE, METAL_OF_GROUP, METAL_OF_MODULE };
typedef struct metal_range {
  const char *at, *end;
  const char *name;
  int kind, number;
  metal_cell *shadow;
  const char *origin;
  metal_touched touched;
} metal_range;

typedef struct metal_run_state {           // what threads of this machine that share a dispatch share
  const metal_dispatch *d;
  const metal_function *f;
  uint64_t groups, next;
  int failed, checked;
  char *said;
  size_t nbytes;
  pthread_mutex_t lock;
  metal_range range[METAL_BUFFERS + 1];
  int ranges;
} metal_run_state;

typedef struct metal_worker {
  struct metal_worker *next;
  metal_run_state *run;
  char *stacks;
  metal_context core, fiber[METAL_ITEMS];
  int idle[METAL_ITEMS], idles, made, guarded, now, fiber_now, begun, n, left;
  metal_one one[METAL_ITEMS];
  metal_item item[METAL_ITEMS];            // here, where loads of them are known to be right
  metal_given given[METAL_SIMDS];
  uint64_t group;
  unsigned place[3];
  unsigned epoch[2], simd_epoch[2][METAL_SIMDS];   // of memory of the device, of the group: barriers so far
  void *buffer[METAL_BUFFERS], *group_memory[METAL_BUFFERS];
  metal_range range[METAL_BUFFERS + METAL_VARIABLES];
  int ranges, arguments;                   // those of arguments come first
  const metal_range *last;
  metal_cell *group_shadow;
  size_t group_cells, group_used;          // of the group that runs; of all that ran since they were cleared
} metal_worker;
static __thread metal_worker *metal_now;

// Ends the run: what is said is the first mistake's. Does not return where a kernel runs.
static void metal_fail(metal_worker *w, const char *format, ...) {
  char sentence[400];
  va_list args;
  va_start(args, format);
  vsnprintf(sentence, sizeof sentence, format, args);
  va_end(args);
  pthread_mutex_lock(&w->run->lock);
  if (!w->run->failed && w->run->nbytes)
    snprintf(w->run->said, w->run->nbytes, "kernel '%s': %s", w->run->f->record->name, sentence);
  w->run->failed = 1;
  pthread_mutex_unlock(&w->run->lock);
  if (w->fiber_now >= 0) {
    const int fiber = w->fiber_now;
    w->fiber_now = -1;
    metal_switch(&w->fiber[fiber], &w->core);
  }
}

static void metal_wait(int state, int flags, int line) {
  metal_worker *w = metal_now;
  const int fiber = w->fiber_now;
  metal_one *one = &w->one[w->now];
  one->state = state; one->flags = flags; one->line = line; one->fiber = fiber;
  metal_switch(&w->fiber[fiber], &w->core);
}
// Apple's compiler, of kernels that say that their groups are at most a SIMD-group: MoltenVK, issue 2711.
static void metal_group_barrier(int flags, int line) {
  const int most = metal_function_max_threads(metal_now->run->f);
  if (most && most <= METAL_LANES && !(flags & METAL_MEM_DEVICE))
    metal_fail(metal_now, "line %d: a barrier of threadgroup memory alone, which Apple's compiler gets wrong where "
               "max_total_threads_per_threadgroup is %d", line, most);
  metal_wait(METAL_AT_GROUP, flags, line);
}
static void metal_simd_barrier(int flags, int line) {
  metal_now->one[metal_now->now].nbytes = 0;
  metal_now->one[metal_now->now].all = 0;
  metal_wait(METAL_AT_SIMD, flags, line);
}
static const metal_given *metal_exchange(const void *value, unsigned nbytes, int all, int line) {
  metal_worker *w = metal_now;
  metal_one *one = &w->one[w->now];
  memcpy(one->value, value, nbytes);
  one->nbytes = nbytes;
  one->all = all;
  metal_wait(METAL_AT_EXCHANGE, 0, line);
  metal_given *g = &w->given[w->now / METAL_LANES];
  g->lane = (unsigned)w->now % METAL_LANES;
  return g;
}
static void metal_absent(unsigned lane, int line) {
  metal_fail(metal_now, "line %d: thread %d takes a value of lane %d of its SIMD-group, which is not there", line,
             metal_now->now, (int)lane);
}

static void metal_wrong(const metal_place_in_text *at, const char *what, long value) {
  char sentence[200];
  snprintf(sentence, sizeof sentence, what, value);
  metal_fail(metal_now, "line %u: thread %d of group %ld: %s", at->line, metal_now->now,
             (long)metal_now->group, sentence);
}

static unsigned metal_picture_size(const metal_picture *p, int of_height) { return of_height ? p->height : p->width; }
static void metal_picture_access(const metal_picture *p, unsigned x, unsigned y, float *pixel, int writes, int line) {
  metal_worker *w = metal_now;
  int number = 0;
  while (number < METAL_BUFFERS - 1 && w->run->d->texture[number] != p) number++;
  if (x >= p->width || y >= p->height)
    metal_fail(w, "line %d: out of bounds: thread %d of group %ld %s pixel (%u,%u) of texture %d, which has %u x %u",
               line, w->now, (long)w->group, writes ? "writes" : "reads", x, y, number, p->width, p->height);
  else if (writes) p->write(p->user, x, y, pixel);
  else p->read(p->user, x, y, pixel);
}

// ** a thread **

static void metal_numbers(const metal_worker *w, int i, metal_item *m) {
  const unsigned *items = w->run->d->items, *groups = w->run->d->groups;
  const unsigned at[3] = {(unsigned)i % items[0], (unsigned)i / items[0] % items[1], (unsigned)i / items[0] / items[1]};
  const unsigned one[METAL_PLACES] = {
    [METAL_INDEX_IN_GROUP] = (unsigned)i, [METAL_INDEX_IN_SIMD] = (unsigned)i % METAL_LANES,
    [METAL_SIMD_IN_GROUP] = (unsigned)i / METAL_LANES, [METAL_THREADS_PER_SIMD] = METAL_LANES,
    [METAL_SIMDS_PER_GROUP] = (unsigned)(w->n + METAL_LANES - 1) / METAL_LANES,
    [METAL_INDEX_IN_QUAD] = (unsigned)i % 4, [METAL_QUAD_IN_GROUP] = (unsigned)i / 4
  };
  for (int k = METAL_INDEX_IN_GROUP; k < METAL_PLACES; k++) {
    m->place[k][0] = one[k];
    m->place[k][1] = m->place[k][2] = 0;
  }
  for (int k = 0; k < 3; k++) {
    m->place[METAL_THREAD_IN_GRID][k] = w->place[k] * items[k] + at[k];
    m->place[METAL_THREAD_IN_GROUP][k] = at[k];
    m->place[METAL_GROUP_IN_GRID][k] = w->place[k];
    m->place[METAL_THREADS_PER_GROUP][k] = items[k];
    m->place[METAL_GROUPS_PER_GRID][k] = groups[k];
    m->place[METAL_THREADS_PER_GRID][k] = groups[k] * items[k];
  }
  m->buffer = w->buffer;
  m->group_memory = w->group_memory;
  m->texture = w->run->d->texture;
}
// A fiber: threads that nobody began, one after another.
static void metal_fiber(void) {
  for (;;) {
    metal_worker *w = metal_now;
    while (w->begun < w->n) {
      const int i = w->begun++;
      w->now = i;
      metal_numbers(w, i, &w->item[i]);
      w->run->f->record->call(&w->item[i]);
      w->one[w->now].state = METAL_ENDED;
      w->left--;
    }
    const int fiber = w->fiber_now;
    w->idle[w->idles++] = fiber;
    metal_switch(&w->fiber[fiber], &w->core);
  }
}
static void metal_go(metal_worker *w, int fiber) {
  w->fiber_now = fiber;
  metal_switch(&w->core, &w->fiber[fiber]);
  w->fiber_now = -1;
}
static void metal_begin_fiber(metal_worker *w) {
  if (!w->idles) {
    char *stack = w->stacks + (size_t)w->made * METAL_SPAN;
    if (w->made == w->guarded) { mprotect(stack, METAL_GUARD, PROT_NONE); w->guarded++; }
    metal_begin(&w->fiber[w->made], stack + METAL_GUARD, metal_fiber);
    w->idle[w->idles++] = w->made++;
  }
  metal_go(w, w->idle[--w->idles]);
}
static void metal_resume(metal_worker *w, int i) {
  w->now = i;
  w->one[i].state = METAL_RUNS;
  metal_go(w, w->one[i].fiber);
}

// ** a group **

static int metal_waits(const metal_one *one) { return one->state == METAL_AT_SIMD || one->state == METAL_AT_EXCHANGE; }
// Those of SIMD-group s that wait for each other, on the least line. 0: nobody does.
static int metal_meet_simd(metal_worker *w, int s) {
  const int first = s * METAL_LANES, last = first + METAL_LANES < w->n ? first + METAL_LANES : w->n;
  int least = -1;
  for (int i = first; i < last; i++)
    if (metal_waits(&w->one[i]) && (least < 0 || w->one[i].line < w->one[least].line)) least = i;
  if (least < 0) return 0;
  const metal_one with = w->one[least];
  metal_given *g = &w->given[s];
  g->active = 0;
  for (int i = first; i < last; i++) {
    const metal_one *one = &w->one[i];
    if (one->state != with.state || one->line != with.line) continue;
    g->active |= 1u << (i - first);
    memcpy(g->value[i - first], one->value, one->nbytes);
  }
  if (with.all && g->active != 0xFFFFFFFF)
    metal_fail(w, "line %d: a matrix of a SIMD-group wants all of its %d threads, %d are there", with.line, METAL_LANES,
               __builtin_popcount(g->active));
  if (with.state == METAL_AT_SIMD)
    for (int k = 0; k < 2; k++) w->simd_epoch[k][s] += (with.flags >> k) & 1;
  for (int i = first; i < last && !w->run->failed; i++) if (g->active >> (i - first) & 1) metal_resume(w, i);
  return 1;
}
// All that have not ended are at a barrier; it must be one, and all there.
static void metal_meet_group(metal_worker *w) {
  int first = -1;
  for (int i = 0; i < w->n; i++) if (w->one[i].state != METAL_ENDED) { first = i; break; }
  const metal_one with = w->one[first];
  for (int i = 0; i < w->n; i++) {
    const metal_one *one = &w->one[i];
    if (one->state == METAL_ENDED)
      metal_fail(w, "line %d: a divergent barrier: thread %d has ended while thread %d waits", with.line, i, first);
    else if (one->line != with.line)
      metal_fail(w, "line %d: a divergent barrier: thread %d waits at that of line %d, thread %d here", with.line,
                 i, one->line, first);
    if (w->run->failed) return;
  }
  for (int k = 0; k < 2; k++) w->epoch[k] += (with.flags >> k) & 1;
  for (int i = 0; i < w->n; i++) w->one[i].state = METAL_RUNS;
  for (int i = 0; i < w->n && !w->run->failed; i++) metal_resume(w, i);
}
static void metal_group_run(metal_worker *w) {
  w->begun = 0;
  w->left = w->n;
  w->ranges = w->arguments;
  for (int i = 0; i < w->arguments; i++) {
    const metal_range *r = &w->range[i];
    memset((void *)(uintptr_t)r->at, 0xFF, (size_t)(r->end - r->at));
  }
  while (w->begun < w->n && !w->run->failed) metal_begin_fiber(w);
  while (w->left && !w->run->failed) {
    int met = 0;
    for (int s = 0; s * METAL_LANES < w->n && !w->run->failed; s++) met |= metal_meet_simd(w, s);
    if (!met && w->left && !w->run->failed) metal_meet_group(w);
  }
}

// ** loads and stores **

// A stamp: that it is one, whether it is atomic, of several threads or groups, and who, where and when.
enum { METAL_BY_ONE = 1, METAL_BY_ATOMIC = 1 << 4, METAL_BY_THREADS = 1 << 5, METAL_BY_GROUPS = 1 << 6 };
static uint64_t metal_stamp(const metal_worker *w, int space) {
  const unsigned simd = (unsigned)w->now / METAL_LANES;
  return METAL_BY_ONE | (uint64_t)w->now << 7 | (uint64_t)(w->simd_epoch[space][simd] & 0x7FF) << 17 |
         (uint64_t)(w->epoch[space] & 0x3FFF) << 28 | (w->group & 0x3FFFFF) << 42;
}
static int metal_stamp_thread(uint64_t s) { return (int)(s >> 7 & 0x3FF); }
// Is what `was` tells of not known to be before `is`?
static int metal_unordered(uint64_t was, uint64_t is, int of_group) {
  if (!was) return 0;
  if (of_group && was >> 42 != is >> 42) return 0;                   // another group's memory, which lay here
  if (was & METAL_BY_GROUPS || was >> 42 != is >> 42) return 1;
  if (was >> 28 != is >> 28) return 0;
  if (was & METAL_BY_THREADS) return 1;
  const int a = metal_stamp_thread(was), b = metal_stamp_thread(is);
  return a != b && (a / METAL_LANES != b / METAL_LANES || (was >> 17 & 0x7FF) == (is >> 17 & 0x7FF));
}
static void metal_place_of(char *text, size_t nbytes, const metal_range *r, const char *at) {
  if (r->kind == METAL_OF_DEVICE) snprintf(text, nbytes, "byte %ld of buffer %d", (long)(at - r->at), r->number);
  else if (r->name) snprintf(text, nbytes, "byte %ld of threadgroup variable '%s'", (long)(at - r->at), r->name);
  else snprintf(text, nbytes, "byte %ld of threadgroup argument %d", (long)(at - r->at), r->number);
}
static void metal_race(metal_worker *w, const metal_range *r, const char *at, uint64_t was, int wrote, uint64_t is,
                       int writes) {
  char place[120];
  metal_place_of(place, sizeof place, r, at);
  metal_fail(w, "a race: %s is %s by thread %d of group %ld and %s by thread %d of group %ld, and no barrier is "
             "between", place, wrote ? "written" : "read", metal_stamp_thread(was), (long)(was >> 42),
             writes ? "written" : "read",
             metal_stamp_thread(is), (long)(is >> 42));
}
// What is read again by others is of several threads, or groups.
static uint64_t metal_joined(uint64_t was, uint64_t is, int of_group) {
  if (!was || (of_group && was >> 42 != is >> 42)) return is;
  if (was >> 42 != is >> 42 || was & METAL_BY_GROUPS) return is | METAL_BY_GROUPS;
  if (was >> 28 != is >> 28) return is;
  return metal_stamp_thread(was) != metal_stamp_thread(is) || was & METAL_BY_THREADS ? is | METAL_BY_THREADS : is;
}
static void metal_look(metal_worker *w, const metal_range *r, const char *at, size_t n, int how) {
  const int of_group = r->kind == METAL_OF_GROUP;
  const uint64_t is = metal_stamp(w, of_group) | (how == METAL_ATOMIC ? METAL_BY_ATOMIC : 0);
  for (size_t i = 0; i < n; i++) {
    metal_cell *c = &r->shadow[at + i - r->origin];
    const int both_atomic = how == METAL_ATOMIC && c->written & METAL_BY_ATOMIC;
    if (!both_atomic && metal_unordered(c->written, is, of_group))
      metal_race(w, r, at + i, c->written, 1, is, how != METAL_READ);
    if (how != METAL_READ && metal_unordered(c->read, is, of_group)) metal_race(w, r, at + i, c->read, 0, is, 1);
    if (how == METAL_READ) c->read = metal_joined(c->read, is, of_group);
    else c->written = both_atomic ? metal_joined(c->written, is, of_group) | METAL_BY_ATOMIC : is;
  }
}

extern const metal_hooks metal_hooks_checked;
static const metal_range *metal_range_of(const metal_worker *w, const char *at) {
  for (int i = 0; i < w->ranges; i++) if (at >= w->range[i].at && at < w->range[i].end) return &w->range[i];
  for (int i = 0; i < w->run->ranges; i++)
    if (at >= w->run->range[i].at && at < w->run->range[i].end) return &w->run->range[i];
  return NULL;
}
// The range that ends least before an address, or begins least behind it.
static const metal_range *metal_nearest(const metal_worker *w, const char *at) {
  const metal_range *best = NULL;
  size_t least = (size_t)1 << 40;
  for (int i = 0; i < w->ranges + w->run->ranges; i++) {
    const metal_range *r = i < w->ranges ? &w->range[i] : &w->run->range[i - w->ranges];
    const size_t off = at < r->at ? (size_t)(r->at - at) : (size_t)(at - r->end);
    if (r->kind == METAL_OF_MODULE || off >= least) continue;
    least = off;
    best = r;
  }
  return best;
}
static void metal_beyond(metal_worker *w, const char *at, size_t n, int how) {
  const metal_range *r = metal_range_of(w, at);
  char place[120];
  if (!r) r = metal_nearest(w, at);
  if (!r || at < (const char *)4096) {
    metal_fail(w, "out of bounds: thread %d of group %ld %s %d bytes at %p", w->now, (long)w->group,
               how == METAL_READ ? "reads" : "writes", (int)n, (const void *)at);
    return;
  }
  metal_place_of(place, sizeof place, r, at);
  metal_fail(w, "out of bounds: thread %d of group %ld %s %d bytes at %s, which has %ld bytes", w->now, (long)w->group,
             how == METAL_READ ? "reads" : "writes", (int)n, place, (long)(r->end - r->at));
}
// Of a thread's own stack, or of what the module's own functions read here.
static int metal_is_own(const metal_worker *w, const char *at) {
  return (size_t)(at - w->stacks) < (size_t)METAL_ITEMS * METAL_SPAN || (size_t)(at - (const char *)w) < sizeof *w ||
         (size_t)(at - (const char *)&metal_hooks_checked) < sizeof metal_hooks_checked ||
         (size_t)(at - (const char *)w->run->d->texture) < sizeof w->run->d->texture;
}
static void metal_touch(metal_range *r, size_t at, size_t n, int how) {
  size_t *begin = how == METAL_READ ? &r->touched.read_begin : &r->touched.write_begin;
  size_t *end = how == METAL_READ ? &r->touched.read_end : &r->touched.write_end;
  if (!*end || at < *begin) *begin = at;
  if (at + n > *end) *end = at + n;
}
static void metal_access(const void *address, size_t n, int how) {
  metal_worker *w = metal_now;
  const char *at = (const char *)address;
  if (metal_is_own(w, at)) return;
  const metal_range *r = w->last;
  if (!r || at < r->at || at >= r->end) r = metal_range_of(w, at);
  if (!r || n > (size_t)(r->end - at)) { metal_beyond(w, at, n, how); return; }
  if (r->kind != METAL_OF_GROUP) w->last = r;
  if (r->kind == METAL_OF_MODULE) {
    if (how != METAL_READ) metal_fail(w, "thread %d writes to a constant", w->now);
  } else if (r->shadow) metal_look(w, r, at, n, how);
  if (r->kind == METAL_OF_DEVICE && w->run->d->touched) metal_touch((metal_range *)r, (size_t)(at - r->at), n, how);
}
// The cells of the group's memory from number `first` on, for n bytes.
static metal_cell *metal_group_shadow(metal_worker *w, size_t n) {
  const size_t first = w->group_cells;
  if (first + n > METAL_GROUP_MOST) return NULL;
  w->group_cells += n;
  if (w->group_cells > w->group_used) w->group_used = w->group_cells;
  return w->group_shadow + first;
}
static void metal_add_group_range(metal_worker *w, char *at, size_t n, const char *name, int number) {
  metal_cell *shadow = metal_group_shadow(w, n);
  w->range[w->ranges++] = (metal_range){at, at + n, name, METAL_OF_GROUP, number, shadow, at, {0, 0, 0, 0}};
}
static void metal_declared(void *at, size_t n, const char *name) {
  metal_worker *w = metal_now;
  for (int i = w->arguments; i < w->ranges; i++) if (w->range[i].at == at) return;
  if (w->ranges == METAL_BUFFERS + METAL_VARIABLES) {
    metal_fail(w, "more than %d variables of threadgroup memory", METAL_VARIABLES);
    return;
  }
  if (w->ranges == w->arguments) {
    w->group_cells = 0;
    for (int i = 0; i < w->arguments; i++) w->group_cells += (size_t)(w->range[i].end - w->range[i].at);
  }
  metal_add_group_range(w, (char *)at, n, name, 0);
  memset(at, 0xFF, n);
}

const metal_hooks metal_hooks_checked = {
  metal_group_barrier, metal_simd_barrier, metal_exchange, metal_absent, metal_declared, metal_access, metal_wrong,
  metal_picture_size, metal_picture_access
};
static void metal_declared_fast(void *at, size_t n, const char *name) { (void)at; (void)n; (void)name; }
static const metal_hooks metal_hooks_fast = {
  metal_group_barrier, metal_simd_barrier, metal_exchange, metal_absent, metal_declared_fast, NULL, metal_wrong,
  metal_picture_size, metal_picture_access
};

// ** workers **

static pthread_mutex_t metal_workers_lock = PTHREAD_MUTEX_INITIALIZER;
static metal_worker *metal_workers;        // those that do nothing now

static metal_worker *metal_worker_take(metal_run_state *run) {
  pthread_mutex_lock(&metal_workers_lock);
  metal_worker *w = metal_workers;
  if (w) metal_workers = w->next;
  pthread_mutex_unlock(&metal_workers_lock);
  if (!w) {
    w = (metal_worker *)calloc(1, sizeof *w);
    w->stacks = (char *)mmap(NULL, (size_t)METAL_ITEMS * METAL_SPAN, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    w->group_shadow = (metal_cell *)calloc(METAL_GROUP_MOST, sizeof *w->group_shadow);
  }
  w->run = run;
  w->fiber_now = -1;
  w->last = NULL;
  w->n = (int)(run->d->items[0] * run->d->items[1] * run->d->items[2]);
  metal_forget(w->stacks, (size_t)w->made * METAL_SPAN);
  w->made = w->idles = w->ranges = 0;
  w->group_cells = 0;
  memset(w->group_shadow, 0, w->group_used * sizeof *w->group_shadow);
  w->group_used = 0;
  memset(w->epoch, 0, sizeof w->epoch);
  memset(w->simd_epoch, 0, sizeof w->simd_epoch);
  for (int i = 0; i < METAL_BUFFERS; i++) {
    const size_t n = run->d->threadgroup_nbytes[i];
    w->buffer[i] = run->d->buffer[i].base;
    w->group_memory[i] = n ? malloc(n) : NULL;
    if (n) metal_add_group_range(w, (char *)w->group_memory[i], n, NULL, i);
  }
  w->arguments = w->ranges;
  return w;
}
static void metal_worker_give(metal_worker *w) {
  for (int i = 0; i < METAL_BUFFERS; i++) free(w->group_memory[i]);
  pthread_mutex_lock(&metal_workers_lock);
  w->next = metal_workers;
  metal_workers = w;
  pthread_mutex_unlock(&metal_workers_lock);
}
static void *metal_work(void *of) {
  metal_run_state *run = (metal_run_state *)of;
  const unsigned *groups = run->d->groups;
  metal_worker *w = metal_worker_take(run), *before = metal_now;
  metal_now = w;
  while (!__atomic_load_n(&run->failed, __ATOMIC_RELAXED)) {
    const uint64_t g = __atomic_fetch_add(&run->next, 1, __ATOMIC_RELAXED);
    if (g >= run->groups) break;
    w->group = g;
    w->place[0] = (unsigned)(g % groups[0]); w->place[1] = (unsigned)(g / groups[0] % groups[1]);
    w->place[2] = (unsigned)(g / groups[0] / groups[1]);
    metal_group_run(w);
  }
  metal_now = before;
  metal_worker_give(w);
  return NULL;
}

// ** a dispatch **

static int metal_refuse_dispatch(const metal_dispatch *d, char *said, size_t nbytes) {
  const metal_function *f = d->function;
  const metal_argument *argument;
  const uint64_t items = (uint64_t)d->items[0] * d->items[1] * d->items[2];
  const int n = f ? metal_function_arguments(f, &argument) : 0;
  if (!f) return snprintf(said, nbytes, "there is no function"), 1;
  if (!items || !d->groups[0] || !d->groups[1] || !d->groups[2])
    return snprintf(said, nbytes, "kernel '%s': a dispatch has no threads", f->record->name), 1;
  if (items > METAL_ITEMS || (f->record->max_threads && items > (uint64_t)f->record->max_threads))
    return snprintf(said, nbytes, "kernel '%s': a group of %ld threads is over its maximum of %d", f->record->name,
                    (long)items, f->record->max_threads ? f->record->max_threads : METAL_ITEMS), 1;
  for (int i = 0; i < n; i++) {
    const int k = argument[i].index, of_group = argument[i].kind == METAL_THREADGROUP;
    if (k < 0 || k >= METAL_BUFFERS)
      return snprintf(said, nbytes, "kernel '%s': there is no buffer %d", f->record->name, k), 1;
    const int of_texture = argument[i].kind == METAL_TEXTURE;
    const void *is_set = of_texture ? (const void *)d->texture[k] : d->buffer[k].base;
    if (of_group ? !d->threadgroup_nbytes[k] : !is_set)
      return snprintf(said, nbytes, "kernel '%s': %s %d is not set", f->record->name,
                      of_group ? "threadgroup memory" : of_texture ? "texture" : "buffer", k), 1;
  }
  return 0;
}
// Buffers that overlap have one shadow.
static void metal_bind_ranges(metal_run_state *run) {
  const metal_argument *argument;
  const int n = metal_function_arguments(run->f, &argument);
  size_t total = 0;
  for (int i = 0; i < n; i++) {
    if (argument[i].kind == METAL_THREADGROUP || argument[i].kind == METAL_TEXTURE) continue;
    const metal_binding *b = &run->d->buffer[argument[i].index];
    const char *at = (const char *)b->base;
    run->range[run->ranges++] = (metal_range){at, at + b->nbytes, NULL, METAL_OF_DEVICE, argument[i].index, NULL, at,
                                              {0, 0, 0, 0}};
    total += b->nbytes;
  }
  for (int i = 0; i < run->ranges && total <= metal_shadow_most; i++) {
    metal_range *r = &run->range[i];
    if (r->shadow || r->at == r->end) continue;
    const char *low = r->at, *high = r->end;
    for (int again = 1; again; ) {
      again = 0;
      for (int k = 0; k < run->ranges; k++) {
        const metal_range *o = &run->range[k];
        if (o->at >= high || o->end <= low || (o->at >= low && o->end <= high)) continue;
        if (o->at < low) low = o->at;
        if (o->end > high) high = o->end;
        again = 1;
      }
    }
    metal_cell *shadow = (metal_cell *)calloc((size_t)(high - low), sizeof *shadow);
    for (int k = 0; k < run->ranges; k++) {
      if (run->range[k].at < low || run->range[k].end > high) continue;
      run->range[k].shadow = shadow;
      run->range[k].origin = low;
    }
  }
}
static void metal_free_ranges(metal_run_state *run) {
  for (int i = 0; i < run->ranges; i++) {
    metal_cell *shadow = run->range[i].shadow;
    for (int k = i; shadow && k < run->ranges; k++) if (run->range[k].shadow == shadow) run->range[k].shadow = NULL;
    free(shadow);
  }
}

int metal_run(const metal_dispatch *d, char *said, size_t nbytes) {
  enum { MOST = 64 };
  pthread_t thread[MOST];
  metal_run_state run;
  if (nbytes) *said = 0;
  if (metal_refuse_dispatch(d, said, nbytes)) return 1;
  memset(&run, 0, sizeof run);
  run.d = d; run.f = d->function; run.said = said; run.nbytes = nbytes;
  run.groups = (uint64_t)d->groups[0] * d->groups[1] * d->groups[2];
  run.checked = d->function->module->mode == METAL_CHECKED;
  pthread_mutex_init(&run.lock, NULL);
  if (run.checked) {
    metal_bind_ranges(&run);
    const metal_module *m = d->function->module;
    run.range[run.ranges++] = (metal_range){m->low, m->high, NULL, METAL_OF_MODULE, 0, NULL, NULL, {0, 0, 0, 0}};
  }
  int threads = run.checked || d->threads < 1 ? 1 : d->threads > MOST ? MOST : d->threads, made = 0;
  if ((uint64_t)threads > run.groups) threads = (int)run.groups;
  while (made < threads - 1 && !pthread_create(&thread[made], NULL, metal_work, &run)) made++;
  metal_work(&run);
  for (int i = 0; i < made; i++) pthread_join(thread[i], NULL);
  for (int i = 0; d->touched && i < run.ranges; i++)
    if (run.range[i].kind == METAL_OF_DEVICE) d->touched[run.range[i].number] = run.range[i].touched;
  metal_free_ranges(&run);
  pthread_mutex_destroy(&run.lock);
  return run.failed;
}
