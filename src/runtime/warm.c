// warm: kernels that are compiled ahead, by a thread of the library's own, while the context goes on.
//
// In:    kernels that are rendered. Out: executables, where the context next looks for them; who needs one that is not
//        ready waits for it. A batch that fails is forgotten: the call that needs its kernels compiles them, and says
//        what is wrong.
// Holds: the thread starts compilers and hears them, and nothing else: what they are started with is made by the
//        context's thread, which also loads and keeps what they made. The memory that a batch takes is one block, asked
//        for when it is made and given back when it is loaded: the thread asks nobody. It belongs to a context of the
//        batch's own, which has no device and no tensors.
#ifndef TN_RUNTIME_WARM
#define TN_RUNTIME_WARM
#ifndef TINY_AMALGAMATED
#include "program.c"
#endif

enum { TN_WARM_LOOK_US = 500 };            // who waits for a batch looks so often

#ifdef TINY_NO_THREADS
static void tn_warm_harvest(tiny_ctx *t) { (void)t; }
static int tn_warm_has(const tiny_ctx *t, const tn_build *b) { (void)t; (void)b; return 0; }
static int tn_warm_meet(tiny_ctx *t, const tn_build *b, tn_progress *p) { (void)t; (void)b; (void)p; return 0; }
static int tn_warm_add(tiny_ctx *t, struct tn_programs *at, tn_build **b, int n) {
  (void)t; (void)at; (void)b; (void)n;
  return 0;                                // compiled at once
}
static int tn_warm_left(tiny_ctx *t) { (void)t; return 0; }
static void tn_warm_close(tiny_ctx *t) { (void)t; }
#else

// Of a batch's block. An object may have several times the bytes of its text, and passes through two places that grow
// by doubling; where that is not enough, its kernels are compiled when they are needed.
enum { TN_WARM_BASE = 2 << 20, TN_WARM_MODULE = 1 << 20, TN_WARM_TEXT = 64 };

typedef struct tn_warm_batch {
  tn_watch watch;
  struct tn_warm_batch *next;
  struct tn_programs *at;
  tiny_ctx own; tn_cpu cpu; tn_cpu_batch compile;            // the thread's
  size_t nbytes, used;                     // of the block that begins here
  int given;                               // to the thread
  int n, modules, *first;                  // module m holds of[first[m]] to of[first[m + 1] - 1]
  tn_build *build, **of; tn_digest *key; tiny_bytes *text, *binary;
  int64_t done, cancelled; tiny_code code; // code: once it is done
} tn_warm_batch;

struct tn_warm {
  tn_warm_batch *batch;                    // the oldest first
  tn_os_thread thread; int started, quit; uint64_t process;  // that the thread is of
  tn_os_mutex lock; tn_os_cond work;
};

// ** the thread **

static int tn_warm_watch(tn_watch *w, const tn_job *job, int n) {
  tn_warm_batch *b = (tn_warm_batch *)(void *)w;
  (void)job; (void)n;
  return tn_os_atomic_load(&b->cancelled) != 0;
}

static tiny_code tn_warm_compile(tiny_ctx *own, void *arg) {
  return tn_cpu_compile_batch(own, &((tn_warm_batch *)arg)->compile);
}
static void tn_warm_undo(void *arg) { tn_cpu_remove_folder(&((tn_warm_batch *)arg)->compile); }

static void tn_warm_work(void *arg) {
  struct tn_warm *w = (struct tn_warm *)arg;
  tn_os_lock(&w->lock);
  while (!w->quit) {
    tn_warm_batch *b = w->batch;
    while (b && tn_os_atomic_load(&b->done)) b = b->next;
    if (!b) { tn_os_wait(&w->work, &w->lock); continue; }
    tn_os_unlock(&w->lock);
    b->code = tn_process_protect(&b->own, tn_warm_compile, tn_warm_undo, b);
    tn_os_lock(&w->lock);
    tn_os_atomic_store(&b->done, 1);
  }
  tn_os_unlock(&w->lock);
}

// ** batches: on the context's thread **

// The block of a batch, from its front to its end; nothing is given back.
static void *tn_warm_alloc(void *user, void *ptr, size_t old_nbytes, size_t new_nbytes) {
  tn_warm_batch *b = (tn_warm_batch *)user;
  const size_t nbytes = (new_nbytes + 15) & ~(size_t)15;
  if (!new_nbytes || nbytes > b->nbytes - b->used) return NULL;
  char *p = (char *)b + b->used;
  b->used += nbytes;
  return ptr ? memcpy(p, ptr, old_nbytes < new_nbytes ? old_nbytes : new_nbytes) : p;
}

static void tn_warm_free(tiny_ctx *t, tn_warm_batch *b) {
  for (int i = 0; i < b->n && b->given; i++) if (b->build[i].into) tn_tier_compiled(b->at, b->build[i].into);
  tn_release(t, b, b->nbytes);
}

typedef struct tn_warm_call {
  tn_warm_batch *b; tn_build *const *build; const tiny_bytes *text; const int *first;
} tn_warm_call;

static tiny_code tn_warm_prepare(tiny_ctx *own, void *arg) {
  const tn_warm_call *c = (const tn_warm_call *)arg;
  tn_warm_batch *b = c->b;
  b->build = (tn_build *)tn_scratch(own, (size_t)b->n * sizeof *b->build);
  b->of = (tn_build **)tn_scratch(own, (size_t)b->n * sizeof *b->of);
  b->first = (int *)tn_scratch(own, ((size_t)b->modules + 1) * sizeof *b->first);
  b->key = (tn_digest *)tn_scratch(own, (size_t)b->modules * sizeof *b->key);
  b->text = (tiny_bytes *)tn_scratch(own, (size_t)b->modules * sizeof *b->text);
  b->binary = (tiny_bytes *)tn_scratch(own, (size_t)b->modules * sizeof *b->binary);
  for (int i = 0; i < b->n; i++) {
    const tiny_rendered none = {NULL, 0, 0};
    tn_build *x = b->of[i] = &b->build[i];
    *x = *c->build[i];
    x->text = x->second = none; x->owned = 0; x->opts = NULL;            // of the call that made them
    x->ast = NULL; x->custom = x->entry = NULL; x->found = NULL; x->twin = NULL;
  }
  for (int m = 0; m < b->modules; m++) {
    b->key[m] = tn_bytes_key(b->at, "module", c->text[m].data, c->text[m].n);
    b->text[m].t = b->binary[m].t = own;
    tiny_bytes_add(&b->text[m], c->text[m].data, c->text[m].n);
  }
  memcpy(b->first, c->first, ((size_t)b->modules + 1) * sizeof *b->first);
  b->compile.c = &b->cpu; b->compile.n = b->modules;
  b->compile.source = b->text; b->compile.binary = b->binary;
  if (tn_cpu_prepare(own, &b->compile) != TINY_OK) return own->code;
  char *const *env = tn_process_environment_copy(own, b->compile.job[0].env);
  for (int m = 0; m < b->modules; m++) b->compile.job[m].env = env;
  return TINY_OK;
}

static tn_warm_batch *tn_warm_batch_new(tiny_ctx *t, struct tn_programs *at, tn_build *const *build, int n,
                                        const tiny_bytes *text, const int *first, int modules) {
  size_t nbytes = sizeof(tn_warm_batch) + (size_t)TN_WARM_BASE + (size_t)n * sizeof(tn_build);
  for (int m = 0; m < modules; m++) nbytes += TN_WARM_MODULE + text[m].n * TN_WARM_TEXT;
  tn_warm_batch *b = (tn_warm_batch *)tiny_realloc(t, NULL, 0, nbytes);
  if (!b) return NULL;
  memset(b, 0, sizeof *b);
  b->nbytes = nbytes; b->used = (sizeof *b + 15) & ~(size_t)15;
  b->at = at; b->n = n; b->modules = modules;
  b->watch.fn = tn_warm_watch;
  b->cpu = *(const tn_cpu *)at->device->dev;
  b->cpu.t = &b->own; b->cpu.queue = NULL;
  if (b->cpu.cores > 1) b->cpu.cores--;    // one for the context
  b->own.alloc.fn = tn_warm_alloc; b->own.alloc.user = b;
  b->own.watch = &b->watch;
  tn_warm_call c = {b, build, text, first};
  if (tn_process_protect(&b->own, tn_warm_prepare, tn_warm_undo, &c) == TINY_OK) return b;
  tn_warm_free(t, b);
  return NULL;
}

// What a child of fork was left: nobody compiles it.
static void tn_warm_forget(tiny_ctx *t) {
  struct tn_warm *w = t->warm;
  while (w->batch) {
    tn_warm_batch *b = w->batch;
    w->batch = b->next;
    tn_warm_free(t, b);
  }
  w->started = 0;
  w->process = tn_os_process_id();
  tn_os_mutex_open(&w->lock);
  tn_os_cond_open(&w->work);
}
static int tn_warm_is_here(tiny_ctx *t) {
  if (!t->warm) return 0;
  if (t->warm->process != tn_os_process_id()) tn_warm_forget(t);
  return 1;
}
// 0: there is no memory, or no thread.
static int tn_warm_start(tiny_ctx *t) {
  if (!t->warm) {
    t->warm = (struct tn_warm *)tiny_realloc(t, NULL, 0, sizeof *t->warm);
    if (!t->warm) return 0;
    memset(t->warm, 0, sizeof *t->warm);
    tn_warm_forget(t);
  }
  struct tn_warm *w = t->warm;
  if (!w->started) w->started = tn_os_thread_start(&w->thread, tn_warm_work, w);
  return w->started;
}

// Gives n rendered kernels to the thread. 0: it cannot have them, and they are compiled at once.
static int tn_warm_add(tiny_ctx *t, struct tn_programs *at, tn_build **b, int n) {
  const struct tn_device *d = at->device;
  int modules = tn_os_cores() < n ? tn_os_cores() : n;
  if (!tn_is_cpu(d->backend) || tn_debug(t, 'c') || tn_debug(t, 'd') || !tn_warm_start(t)) return 0;
  for (int i = 0; i < n; i++) if (b[i]->custom) modules = n;
  for (int i = 0; i < n; i++) if (b[i]->custom && strlen(b[i]->entry) >= sizeof b[i]->name) return 0;
  tiny_bytes *text = (tiny_bytes *)tn_scratch(t, (size_t)modules * sizeof *text);
  int *first = (int *)tn_scratch(t, ((size_t)modules + 1) * sizeof *first);
  tn_build_deal(t, b, n, modules, first);
  for (int m = 0; m < modules; m++) text[m] = tn_module_of(t, b + first[m], first[m + 1] - first[m]);
  tn_warm_batch *batch = tn_warm_batch_new(t, at, b, n, text, first, modules);
  if (!batch) return 0;
  struct tn_warm *w = t->warm;
  tn_os_lock(&w->lock);
  tn_warm_batch **end = &w->batch;
  while (*end) end = &(*end)->next;
  *end = batch;
  batch->given = 1;
  tn_os_wake_one(&w->work);
  tn_os_unlock(&w->lock);
  return 1;
}

static void tn_warm_load(tiny_ctx *t, tn_warm_batch *b) {
  const tiny_code before = t->code;
  for (int m = 0; m < b->modules && b->code == TINY_OK; m++)
    b->code = tn_build_load(t, b->at, b->of + b->first[m], b->first[m + 1] - b->first[m], &b->key[m], &b->binary[m]);
  if (before == TINY_OK && b->code != TINY_OK) t->code = TINY_OK;          // who needs it compiles it, and hears why
}
// Loads what is done. A batch goes when it is loaded: where memory is refused meanwhile, it is loaded again later.
static void tn_warm_harvest(tiny_ctx *t) {
  struct tn_warm *w = t->warm;
  if (!tn_warm_is_here(t)) return;
  for (tn_warm_batch **at = &w->batch, *b; (b = *at) != NULL;) {
    if (!tn_os_atomic_load(&b->done)) { at = &b->next; continue; }
    tn_warm_load(t, b);
    tn_os_lock(&w->lock);
    *at = b->next;
    tn_os_unlock(&w->lock);
    tn_warm_free(t, b);
  }
}

static tn_warm_batch *tn_warm_find(const tiny_ctx *t, const tn_build *b) {
  for (tn_warm_batch *x = t->warm ? t->warm->batch : NULL; x; x = x->next)
    for (int i = 0; i < x->n && x->at == b->at; i++) if (tn_digest_same(&x->build[i].key, &b->key)) return x;
  return NULL;
}
static int tn_warm_has(const tiny_ctx *t, const tn_build *b) { return tn_warm_find(t, b) != NULL; }

// Waits for a kernel that is being compiled. 0: it is not, or the host has cancelled the call; the thread goes on.
static int tn_warm_meet(tiny_ctx *t, const tn_build *b, tn_progress *p) {
  tn_warm_batch *x = tn_warm_find(t, b);
  if (!x) return 0;
  while (!tn_os_atomic_load(&x->done)) {
    if (tn_progress_tell(p, p->info.done, b->name)) return 0;
    tn_os_sleep_us(TN_WARM_LOOK_US);
  }
  tn_warm_harvest(t);
  return 1;
}

// Kernels that are not there yet.
static int tn_warm_left(tiny_ctx *t) {
  int n = 0;
  tn_warm_harvest(t);
  for (const tn_warm_batch *b = t->warm ? t->warm->batch : NULL; b; b = b->next) n += b->build[0].into ? 0 : b->n;
  return n;
}

static void tn_warm_close(tiny_ctx *t) {
  struct tn_warm *w = t->warm;
  if (!tn_warm_is_here(t)) return;
  for (tn_warm_batch *b = w->batch; b; b = b->next) tn_os_atomic_store(&b->cancelled, 1);
  if (w->started) {
    tn_os_lock(&w->lock);
    w->quit = 1;
    tn_os_wake_all(&w->work);
    tn_os_unlock(&w->lock);
    tn_os_thread_join(&w->thread);
  }
  for (tn_warm_batch *b = w->batch; b; b = b->next) tn_warm_undo(b);       // of those that were not begun
  while (w->batch) {
    tn_warm_batch *b = w->batch;
    w->batch = b->next;
    tn_warm_free(t, b);
  }
  tn_os_mutex_close(&w->lock);
  tn_os_cond_close(&w->work);
  tn_release(t, w, sizeof *w);
  t->warm = NULL;
}
#endif // TINY_NO_THREADS
#endif
