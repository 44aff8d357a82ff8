// executable: kernels that can be launched, by the digest of what they were, and the modules that they came from.
//
// In:    what a backend has loaded. Out: it is found again, until there are too many and no plan needs it; and the keys
//        by which texts, modules and schedules are known on disk (runtime/cache.c): digests of all that makes them what
//        they are: the text, what stands before it in a module, the device's target (of a compiler: which file it is,
//        what it says of itself, its flags) and this build of the library.
// Holds: a module is unloaded with the last of its executables.
#ifndef TN_RUNTIME_EXECUTABLE
#define TN_RUNTIME_EXECUTABLE
#ifndef TINY_AMALGAMATED
#include "../base/version.c"
#include "cache.c"
#include "progress.c"
#include "container.c"
#include "device.c"
#endif

#ifndef TN_MOST_PLANS                      // test builds make them few
  #define TN_MOST_PLANS 1024               // schedules that are remembered, beside those of captured programs
  #define TN_MOST_EXECUTABLES 4096         // kernels in memory, unless those schedules need more
  #define TN_MOST_CUSTOMS 256              // imported kernels that nothing needs any more; looked for one by one
#endif
enum { TN_EXECUTABLE_BUCKETS = 512 };

typedef struct tn_module {
  struct tn_module *next; tn_digest key; void *handle; int executables;
  const char *binary; size_t nbytes; int owned;              // what was loaded, to be exported; owned: by the module
  tn_container_target target;              // for which it was compiled
} tn_module;

// What kernels do, as profiles have it.
enum { TN_KIND_ELEMENTWISE, TN_KIND_COPY, TN_KIND_REDUCE, TN_KIND_MATMUL, TN_KIND_CONV, TN_KIND_ORDERED, TN_KIND_CUSTOM,
  TN_KINDS_OF_KERNELS };
static const char *const tn_kind_of_kernel[TN_KINDS_OF_KERNELS] = {"elementwise", "copy", "reduce", "matmul", "conv",
  "loops", "custom"};

// A kernel of the built-in compiler that another may compile as well: tiers.c.
enum { TN_TIER_WATCHED, TN_TIER_WANTED, TN_TIER_COMPILED, TN_TIER_COMPARED };
typedef struct tn_tier {
  int state, turns;                        // turns: launches since there is other code
  uint64_t ns, best[2];                    // of all launches; the least of one, by built-in and by other code
  void *kernel[2]; tn_module *module;      // module: the other's
  tn_digest object;                        // key of the object's text
  tiny_rendered text;                      // as C; its memory follows
} tn_tier;

typedef struct tn_executable {
  struct tn_executable *next;
  tn_digest key;                           // of the kernel
  void *kernel;                            // the backend's
  char name[TN_KERNEL_NAME];
  int64_t global[3], local[3], tasks;
  double flops, nbytes;
  size_t local_nbytes;                     // that a launch gives each task
  uint8_t kind;                            // TN_KIND_*
  int seen;                                // 1 + its number among those that were looked at; 0: it was not
  int runs_on_host;                        // 1: interpreted although the device compiles (no compiler was found)
  tn_module *module;                       // NULL: on the host
  int width, units;                        // of the search that found it; does it multiply tiles?
  int steps; uint64_t used;                // of plans that launch it; when it was last asked for
  tn_tier *tier;                           // NULL: its code stays as it is
  char *packed; size_t npacked;            // the kernel that it is of (ir/wire.c); NULL: source from outside
} tn_executable;

struct tn_programs {
  tiny_ctx *t; struct tn_device *device;   // the first of those that share them
  tn_executable *bucket[TN_EXECUTABLE_BUCKETS];
  int n; uint64_t time;                    // executables; how often one was asked for
  tn_module *modules;
  int tiers_due;                           // there is something to do before the next run: tiers.c
  int interpret, said;                     // no compiler: everything is interpreted
  int based; tn_digest base;               // of what all texts have in common; based: it is there
};

// Do devices a and b run the same binaries, wherever these lie?
static int tn_devices_are_alike(const struct tn_device *a, const struct tn_device *b) {
  return a->backend == b->backend && tn_is_cpu(a->backend) && tn_cpu_is_alike(a->dev, b->dev);
}
static tiny_code tn_programs_open(struct tn_device *d) {
  tiny_ctx *t = d->t;
  for (int i = 0; i < d->number && !d->programs; i++)
    if (tn_devices_are_alike(t->device[i], d)) d->programs = t->device[i]->programs;
  if (d->programs) return TINY_OK;
  d->programs = (struct tn_programs *)tn_alloc(t, sizeof *d->programs);
  if (!d->programs) return TINY_E_MEMORY;
  d->programs->t = t; d->programs->device = d;
  return TINY_OK;
}

static void tn_module_free(tiny_ctx *t, tn_module *m) {
  if (m->owned) tn_release(t, (void *)(uintptr_t)m->binary, m->nbytes);
  tn_release(t, m, sizeof *m);
}
// One executable less is in it; the last unloads it.
static void tn_module_leave(struct tn_programs *p, tn_module *unused) {
  tn_module **m = &p->modules;
  if (!unused || --unused->executables) return;
  while (*m != unused) m = &(*m)->next;
  *m = unused->next;
  if (unused->handle) p->device->backend->unload(p->device->dev, unused->handle);
  tn_module_free(p->t, unused);
}

// The C and the object of a kernel whose code may be another's later.
static void tn_tier_new(tiny_ctx *t, tn_executable *e, const tiny_rendered *text, const tn_digest *object) {
  tn_tier *x = (tn_tier *)tn_alloc(t, sizeof *x + text->n + 1);
  x->object = *object;
  x->text.uses = text->uses; x->text.n = text->n;
  x->text.data = (const char *)memcpy(x + 1, text->data, text->n);
  e->tier = x;
}
static void tn_tier_drop(struct tn_programs *p, tn_executable *e) {
  tn_tier *x = e->tier;
  if (!x) return;
  e->tier = NULL;
  tn_module_leave(p, x->module);
  tn_release(p->t, x, sizeof *x + x->text.n + 1);
}
// Other code is there: it runs in turns with what was.
static void tn_tier_take(tn_executable *e, void *kernel, tn_module *module) {
  tn_tier *x = e->tier;
  x->kernel[0] = e->kernel; x->kernel[1] = kernel;
  x->best[0] = x->best[1] = UINT64_MAX;
  x->module = module; x->state = TN_TIER_COMPARED;
  module->executables++;
}
#ifndef TINY_NO_THREADS
// It has been compiled, or will not be.
static void tn_tier_compiled(struct tn_programs *p, tn_executable *e) {
  e->steps--;
  if (e->tier->state == TN_TIER_COMPILED) tn_tier_drop(p, e);
}
#endif

// Of e as a container has it: what a launch of it needs.
static tn_container_kernel tn_executable_in_container(const tn_executable *e) {
  tn_container_kernel k;
  memset(&k, 0, sizeof k);
  k.key = e->key;
  memcpy(k.global, e->global, sizeof k.global);
  memcpy(k.local, e->local, sizeof k.local);
  k.tasks = e->tasks; k.local_nbytes = (int64_t)e->local_nbytes; k.flops = e->flops; k.nbytes = e->nbytes;
  k.width = (uint32_t)e->width; k.units = (uint32_t)e->units;
  memcpy(k.name, e->name, strlen(e->name));
  return k;
}
static void tn_executable_free(tiny_ctx *t, tn_executable *e) {
  tn_release(t, e->packed, e->npacked);
  tn_release(t, e, sizeof *e);
}
static void tn_programs_close(struct tn_programs *p) {
  const struct tn_device *d = p->device;
  tiny_ctx *t = p->t;
  for (int i = 0; i < TN_EXECUTABLE_BUCKETS; i++) while (p->bucket[i]) {
    tn_executable *e = p->bucket[i];
    p->bucket[i] = e->next;
    tn_tier_drop(p, e);
    if (e->runs_on_host && e->kernel) tn_fallback->unload(t, e->kernel);
    tn_executable_free(t, e);
  }
  while (p->modules) {
    tn_module *m = p->modules;
    p->modules = m->next;
    if (m->handle) d->backend->unload(d->dev, m->handle);
    tn_module_free(t, m);
  }
  tn_release(t, p, sizeof *p);
}

static tn_executable **tn_executable_bucket(struct tn_programs *p, const tn_digest *key) {
  return &p->bucket[key->word[0] % TN_EXECUTABLE_BUCKETS];
}
static tn_executable *tn_executable_find(struct tn_programs *p, const tn_digest *key) {
  for (tn_executable *e = *tn_executable_bucket(p, key); e; e = e->next)
    if (tn_digest_same(&e->key, key) && e->kernel) { e->used = ++p->time; return e; }
  return NULL;
}

// ** modules **

static tn_module *tn_module_loaded(const struct tn_programs *p, const tn_digest *key) {
  for (tn_module *m = p->modules; m; m = m->next)
    if (m->handle && tn_digest_same(&m->key, key)) return m;
  return NULL;
}

static tn_module *tn_module_new(struct tn_programs *p) {
  tn_module *m = (tn_module *)tn_alloc(p->t, sizeof *m);
  m->next = p->modules;                    // linked first: load may run out of memory and unwind
  return p->modules = m;
}
static tn_module *tn_module_load(struct tn_programs *p, const tn_digest *key, const void *binary, size_t nbytes) {
  tn_module *m = tn_module_new(p);
  m->handle = p->device->backend->load(p->device->dev, binary, nbytes);
  if (m->handle) m->key = *key;
  return m->handle ? m : NULL;
}

// What the device is, to what was compiled.
static tn_container_target tn_programs_target(const struct tn_programs *p) {
  const struct tn_device *d = p->device;
  const int cpu = tn_is_cpu(d->backend);
  tn_container_target own;
  memset(&own, 0, sizeof own);
  snprintf(own.name, sizeof own.name, "%.12s%s%s", d->backend->name, cpu ? " " : "", cpu ? tn_cpu_abi() : "");
  if (cpu) memcpy(own.feature, tn_cpu_features(d->dev), sizeof own.feature);
  else {
    tn_digester exact = tn_digest_open();
    tn_digest_add_text(&exact, d->backend->target ? d->backend->target(d->dev) : "");
    own.exact = tn_digest_close(&exact);
  }
  own.near_nbytes = (uint64_t)tn_machine_near(&d->plans);
  own.last_nbytes = (uint64_t)tn_machine_memory(&d->plans, 2).nbytes;
  own.vector_nbytes = (uint32_t)d->plans.vector_nbytes;
  own.compute_units = (uint32_t)d->plans.compute_units;
  return own;
}
// Keeps what a module was loaded from.
static void tn_module_keep(struct tn_programs *p, tn_module *m, const void *binary, size_t nbytes) {
  if (m->binary) return;
  char *copy = (char *)tn_realloc(p->t, NULL, 0, nbytes + !nbytes);
  if (nbytes) memcpy(copy, binary, nbytes);
  m->binary = copy; m->nbytes = nbytes + !nbytes; m->owned = 1;
  m->target = tn_programs_target(p);
}

static void tn_executable_drop(struct tn_programs *p, tn_executable *e) {
  tn_executable **at = tn_executable_bucket(p, &e->key);
  tn_module *unused = e->module;
  while (*at != e) at = &(*at)->next;
  *at = e->next;
  p->n--;
  tn_tier_drop(p, e);
  if (e->runs_on_host && e->kernel) tn_fallback->unload(p->t, e->kernel);
  tn_executable_free(p->t, e);
  tn_module_leave(p, unused);
}

// Everything that devices were asked for has happened.
static tiny_code tn_devices_sync(tiny_ctx *t) {
  tiny_code code = TINY_OK;
  for (int i = 0; i < t->ndevice; i++) {
    const struct tn_device *d = t->device[i];
    const tiny_code now = d->dev ? d->backend->sync(d->dev) : TINY_OK;
    if (code == TINY_OK) code = now;
  }
  return code;
}
// Executables that no plan launches go, the ones first that were asked for longest ago, until few enough are left.
static void tn_executables_trim(struct tn_programs *p) {
  if (p->n > TN_MOST_EXECUTABLES && tn_devices_sync(p->t) != TINY_OK) return;
  while (p->n > TN_MOST_EXECUTABLES) {
    tn_executable *oldest = NULL;
    for (int i = 0; i < TN_EXECUTABLE_BUCKETS; i++)
      for (tn_executable *e = p->bucket[i]; e; e = e->next)
        if (!e->steps && (!oldest || e->used < oldest->used)) oldest = e;
    if (!oldest) return;
    tn_executable_drop(p, oldest);
  }
}

// ** keys **

// Of what every text of this device is compiled with.
static const tn_digest *tn_programs_base(struct tn_programs *p) {
  tiny_ctx *t = p->t;
  const struct tn_device *d = p->device;
  if (p->based) return &p->base;
  const tiny_renderer *r = &d->renderer;
  tn_digester all = tn_digest_open();
  tiny_bytes empty = {t, NULL, 0, 0};
  tn_digest_add_text(&all, TINY_VERSION " " TN_SOURCE_ID);
  tn_digest_add_text(&all, d->backend->name);
  tn_digest_add_text(&all, d->backend->target ? d->backend->target(d->dev) : "");
  if (d->backend->renderer) {
    tn_digest_add_text(&all, r->name ? r->name : "");
    tn_digest_add(&all, r->ops, sizeof r->ops);
    tn_digest_add(&all, &r->dtypes, sizeof r->dtypes);
    tn_digest_add(&all, &r->narrow, sizeof r->narrow);
    tn_digest_add(&all, &r->casts, sizeof r->casts);
    tn_digest_add(&all, &r->dots, sizeof r->dots);
    tn_digest_add(&all, &r->exp2_ulps, sizeof r->exp2_ulps);
    tn_digest_add(&all, &r->flags, sizeof r->flags);
    for (int i = 0; i < r->nunits; i++) tn_digest_add(&all, &r->units[i].m, 7);
    if (r->module) r->module(t, r, NULL, 0, &empty);
    tn_digest_add(&all, empty.data, empty.n);
  }
  p->base = tn_digest_close(&all);
  p->based = 1;
  return &p->base;
}

// Of what: "kernel", "module" or "opts", that these bytes are.
static tn_digest tn_bytes_key(struct tn_programs *p, const char *what, const void *data, size_t nbytes) {
  tn_digester d = tn_digest_open();
  tn_digest_add(&d, tn_programs_base(p), sizeof(tn_digest));
  tn_digest_add_text(&d, what);
  tn_digest_add(&d, data, nbytes);
  return tn_digest_close(&d);
}
static tn_digest tn_text_key(struct tn_programs *p, const char *what, const char *text) {
  return tn_bytes_key(p, what, text, strlen(text));
}
#endif
