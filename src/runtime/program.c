// program: a kernel -> an executable: lowered, rendered, found again on disk and in what was imported.
//
// In:    a kernel, or foreign source with its entry; the binary of a module. Out: an executable, or an error.
// Holds: many kernels share one module. What was imported is known by what a kernel computes, and is looked at before
//        it is lowered; what is on disk by the kernel's text. There KEY.kernel names a module and an entry,
//        MODULE.bin holds the binary, KEY.cc what a compiler said of itself, KEY.opts what a search has found.
#ifndef TN_RUNTIME_PROGRAM
#define TN_RUNTIME_PROGRAM
#ifndef TINY_AMALGAMATED
#include "compiler.c"
#include "../codegen/candidates.c"
#include "../codegen/pipeline.c"
#include "../ir/wire.c"
#include "trace.c"
#endif

enum { TN_SEARCH_MOST = 64 };              // the widest search

// A kernel on its way to an executable.
typedef struct tn_build {
  struct tn_programs *at;                  // of the device that it is for
  tiny_uop *ast; const char *custom, *entry;   // ast, or foreign source with its entry
  size_t binary;                           // custom is compiled, so many bytes; 0: it is source
  const tn_schedule *found;                // by a search, in scratch memory; NULL: what the heuristics choose
  tn_digest key, text_key;                 // key of foreign source: its maker says
  int named;                               // key and name are there
  uint8_t kind;                            // TN_KIND_*
  tn_lowered low;
  size_t local_nbytes;
  int width, units;                        // of the search that found it; does it multiply tiles?
  tiny_rendered text; int owned;           // what was rendered; owned: it is memory of the build's
  char name[TN_KERNEL_NAME];
  char *opts;                              // for the trace; NULL: it is none, or there is no memory
  tiny_rendered second;                    // as C, in memory of the build's, where its object may be replaced: tiers.c
  tn_executable *into;                     // this is compiled for an executable that is there: tiers.c
  struct tn_build *twin;                   // an earlier one of the same kernel
  tn_executable *exe;
} tn_build;

// ** lowering **

// Of a kernel, whatever the addresses of its nodes and the order in which they were made.
static tn_digest tn_kernel_digest(tiny_ctx *t, tiny_uop *ast) {
  tn_list all = {NULL, 0, 0};
  tn_map at = {NULL, 0, 0};
  tn_digester d = tn_digest_open();
  const tn_mark mark = tn_scratch_mark(t);
  tn_toposort(t, ast, &all);
  for (int i = 0; i < all.n; i++) {
    const tiny_uop *u = all.u[i];
    const uint64_t what = (uint64_t)u->op | (uint64_t)u->dtype << 8 | (uint64_t)u->lanes << 16;
    const uint64_t head[3] = {what | (uint64_t)u->nv << 32, u->nsrc, (uint64_t)u->k};
    tn_digest_add(&d, head, sizeof head);
    tn_digest_add(&d, u->v, (size_t)u->nv * sizeof *u->v);
    for (uint32_t j = 0; j < u->nsrc; j++) {
      const uint32_t number = (uint32_t)(uintptr_t)tn_map_get(&at, u->src[j]);
      tn_digest_add(&d, &number, sizeof number);
    }
    tn_map_set(t, &at, u, (void *)(uintptr_t)(i + 1));
  }
  tn_scratch_rewind(t, mark);
  return tn_digest_close(&d);
}

// r_ for reductions, E_ for elementwise, loops_ for what is ordered by itself; then the extents of the loops, and of
// what is reduced.
static void tn_kernel_name(tiny_ctx *t, tn_build *b) {
  tn_profile p;
  memset(&p, 0, sizeof p);
  const int ordered = tn_is_ordered(t, b->ast);
  if (!ordered) tn_profile_kernel(t, b->ast, &p);
  size_t at = (size_t)snprintf(b->name, sizeof b->name, "%s", ordered ? "loops" : p.nreduce ? "r" : "E");
  for (int i = 0; i < p.nout + p.nred && at < 40; i++)
    at += (size_t)snprintf(b->name + at, sizeof b->name - at, "_%lld",
                           (long long)tn_range_extent(i < p.nout ? p.out[i] : p.red[i - p.nout]));
  snprintf(b->name + at, sizeof b->name - at, "_%08x", (unsigned)(b->ast->hash ^ b->ast->hash >> 32));
}

// Does memory that is read move with an element of the output and with what is summed for it by strides that meet, as
// under a window that slides?
static int tn_is_windowed(tiny_ctx *t, const tn_profile *p) {
  for (int i = 0; i < p->nload; i++) for (int j = 0; j < p->nout; j++) for (int k = 0; k < p->nred; k++) {
    tiny_uop *at = p->load[i]->src[1];
    const int64_t a = tn_stride_in(t, at, p->out[j]), b = tn_stride_in(t, at, p->red[k]);
    if (a <= 0 || b <= 0) continue;
    if ((a <= b && a * tn_range_extent(p->out[j]) > b) || (b < a && b * tn_range_extent(p->red[k]) > a)) return 1;
  }
  return 0;
}
// Does the kernel sum products of two operands, each of which moves with something that the other does not?
static int tn_sums_products(tiny_ctx *t, const tn_profile *p) {
  for (int i = 0; i < p->nreduce; i++) {
    const tiny_uop *x = p->reduce[i]->src[0];
    int own[2] = {0, 0};
    while (x->op == TINY_OP_CAST || x->op == TINY_OP_WHERE) x = x->src[x->op == TINY_OP_WHERE];
    if ((x->op != TINY_OP_MUL && x->op != TINY_OP_DOT) || (p->reduce[i]->k & 0xFF) != TINY_OP_ADD) continue;
    for (int j = 0; j < p->nout; j++) {
      const int with[2] = {tn_depends(t, x->src[0], p->out[j]), tn_depends(t, x->src[1], p->out[j])};
      for (int k = 0; k < 2; k++) own[k] |= with[k] && !with[!k];
    }
    if (own[0] && own[1]) return 1;
  }
  return 0;
}
static uint8_t tn_kernel_kind(tiny_ctx *t, const tn_build *b) {
  tn_profile p;
  if (b->custom) return TN_KIND_CUSTOM;
  const tn_mark mark = tn_scratch_mark(t);
  memset(&p, 0, sizeof p);
  int kind = TN_KIND_ORDERED;
  if (!tn_is_ordered(t, b->ast)) {
    tn_profile_kernel(t, b->ast, &p);
    kind = !p.nreduce ? (p.nalu ? TN_KIND_ELEMENTWISE : TN_KIND_COPY)
           : !tn_sums_products(t, &p) ? TN_KIND_REDUCE : tn_is_windowed(t, &p) ? TN_KIND_CONV : TN_KIND_MATMUL;
  }
  tn_scratch_rewind(t, mark);
  return (uint8_t)kind;
}

// m: where the kernel comes from, NULL: it runs on the host.
static tn_executable *tn_executable_new(tiny_ctx *t, const tn_build *b, void *kernel, tn_module *m) {
  tn_executable *e = (tn_executable *)tn_alloc(t, sizeof *e),
                **slot = tn_executable_bucket(b->at, &b->key);
  if (!e) return NULL;
  memcpy(e->name, b->name, sizeof e->name);
  memcpy(e->global, b->low.global, sizeof e->global);
  tn_lowered_threads(&b->low, e->local);
  e->key = b->key; e->kind = b->kind;
  e->kernel = kernel;
  e->tasks = b->low.tasks;
  e->flops = b->low.flops;
  e->nbytes = b->low.nbytes;
  e->local_nbytes = b->local_nbytes;
  e->width = b->width; e->units = b->units;
  e->runs_on_host = !m;
  e->module = m;
  if (m) m->executables++;
  e->used = ++b->at->time;
  b->at->n++;
  e->next = *slot;
  return *slot = e;
}

// So that it can be saved with a program, and made for other processors there.
#ifndef TINY_NO_IO
static void tn_executable_keep_kernel(tiny_ctx *t, tn_executable *e, tiny_uop *ast) {
  tiny_bytes packed = {t, NULL, 0, 0};
  if (e->packed || !ast) return;
  const tn_mark mark = tn_scratch_mark(t);
  tn_wire_kernel(t, ast, &packed);
  e->packed = (char *)memcpy(tn_realloc(t, NULL, 0, packed.n), packed.data, packed.n);
  e->npacked = packed.n;
  tn_scratch_rewind(t, mark);
}
#else
static void tn_executable_keep_kernel(tiny_ctx *t, tn_executable *e, tiny_uop *ast) { (void)t; (void)e; (void)ast; }
#endif

static void tn_build_trace(tiny_ctx *t, const tn_build *b, const char *from) {
  if (tn_tracing(t)) tn_trace_kernel(t, b->exe, b->text.data ? b->text.data : "", b->opts ? b->opts : "", from);
}

static tiny_code tn_build_interpret(tiny_ctx *t, tn_build *b) {
  struct tn_device *d = b->at->device;
  t->stats.interpreted += d->backend->renderer != NULL;
  tn_module *m = d->backend->renderer ? NULL : tn_module_new(b->at);
  b->exe = tn_executable_new(t, b, NULL, m);
  if (!m) b->exe->kernel = tn_fallback->load_uops(t, b->low.list, b->low.n);
  else {
    m->handle = d->backend->load_uops(d->dev, b->low.list, b->low.n);
    if (m->handle) b->exe->kernel = d->backend->find(d->dev, m->handle, b->name);
  }
  if (!b->exe->kernel) return tiny_fail(t, TINY_E_COMPILE, "kernel %s could not be loaded", b->name);
  tn_build_trace(t, b, "interpreted");
  return TINY_OK;
}

// An object, written by the library itself.
static int tn_build_is_builtin(const tn_build *b) {
  return !b->custom && b->text.n > 4 && !memcmp(b->text.data, "\177ELF", 4);
}
// May its code be replaced by an outside compiler's?
static int tn_tiers_may(const struct tn_programs *p) {
  const struct tn_device *d = p->device;
  return p->t->ndevice == 1 && p->t->beam >= 0 && tn_is_cpu(d->backend) && tn_cpu_is_builtin(d->dev) &&
      tn_cpu_has_compiler(d->dev);
}
static tiny_code tn_build_render_second(tiny_ctx *t, tn_build *b, const tiny_listing *k) {
  tiny_bytes out = {t, NULL, 0, 0};
  if (tn_cstyle_kernel(t, &b->at->device->renderer, k, &out, &b->second.uses) != TINY_OK) return t->code;
  b->second.data = (const char *)memcpy(tn_realloc(t, NULL, 0, out.n + 1), out.data, out.n + 1);
  b->second.n = out.n;
  return TINY_OK;
}
// Writes the kernel, and keeps what was written.
static tiny_code tn_build_render(tiny_ctx *t, tn_build *b) {
  const tiny_renderer *r = &b->at->device->renderer;
  const tiny_listing k = {b->name, b->low.list, b->low.n, b->low.hints, b->low.local, b->low.local_nbytes};
  tiny_bytes out = {t, NULL, 0, 0};
  if (r->kernel(t, r, &k, &out, &b->text.uses) != TINY_OK) return t->code;
  if (!out.n && tn_is_cpu(b->at->device->backend)) {         // refused, and there is nobody else
    if (!TN_HAS_FALLBACK)
      return tiny_fail(t, TINY_E_COMPILE, "kernel %s: %s", b->name, tn_cpu_no_compiler(b->at->device->dev));
    tn_say_compiler_missing(b->at);
    return tn_build_interpret(t, b);
  }
  if (!out.n) return tiny_fail(t, TINY_E_INTERNAL, "render: %s wrote nothing of %s", r->name, b->name);
  b->text.data = (const char *)memcpy(tn_realloc(t, NULL, 0, out.n + 1), out.data, out.n + 1);
  b->text.n = out.n;
  b->owned = 1;
  const int tiered = tn_tiers_may(b->at) && tn_cpu_has_compiler_for(b->at->device->dev, b->units);
  const int reads = tn_debug(t, 'c') && tn_is_cpu(b->at->device->backend);   // who reads sources reads C
  const int wanted = tiered || reads;
  return tn_build_is_builtin(b) && wanted ? tn_build_render_second(t, b, &k) : TINY_OK;
}

// Memory for its tasks, on all devices that may run it.
static tiny_code tn_build_reserve(tiny_ctx *t, const tn_build *b) {
  for (int i = 0; i < t->ndevice && b->local_nbytes; i++) {
    const struct tn_device *runs = t->device[i];
    if (runs->programs == b->at && runs->backend->reserve &&
        runs->backend->reserve(runs->dev, b->local_nbytes) != TINY_OK)
      return t->code;
  }
  return TINY_OK;
}

// What is rendered of a kernel, or an executable for the interpreter.
static tiny_code tn_build_lower_apart(tiny_ctx *t, tn_build *b, tiny_uop *sink) {
  const struct tn_device *d = b->at->device;
  const int interpret = !d->backend->renderer || b->at->interpret;
  const tn_target target = {interpret ? NULL : &d->renderer, &d->limits};
  if (tn_pipeline_run(t, sink, &target, b->found, 0, &b->low) != TINY_OK) return t->code;
  if (interpret) return tn_build_interpret(t, b);
  b->local_nbytes = (size_t)b->low.local_nbytes;
  b->width = !b->found ? 0 : t->beam < TN_SEARCH_MOST ? t->beam : (int)TN_SEARCH_MOST;
  for (int i = 0; i < b->low.n; i++) b->units |= b->low.list[i]->op == TINY_OP_WMMA;
  return tn_build_reserve(t, b) == TINY_OK ? tn_build_render(t, b) : t->code;
}

static char *tn_build_opts(tiny_ctx *t, const char *text) {
  const size_t nbytes = strlen(text) + 1;
  char *kept = (char *)tiny_realloc(t, NULL, 0, nbytes);
  return kept ? (char *)memcpy(kept, text, nbytes) : NULL;
}
static tiny_code tn_build_lower(tiny_ctx *t, tn_build *b) {
  const uint64_t from = tn_os_now();
  const tn_mark mark = tn_scratch_mark(t);
  tn_trace_lowering(t, tn_digest_head(&b->key), b->name);
  tn_show_pass(t, "schedule", b->ast);
  const tiny_code code = tn_build_lower_apart(t, b, tn_nodes_enter(t, b->ast));
  tn_nodes_leave(t);
  if (tn_tracing(t)) b->opts = tn_build_opts(t, tn_trace_lowering(t, 0, NULL));
  tn_scratch_rewind(t, mark);
  tn_trace_span(t, "lower", from);
  b->low.list = NULL; b->low.hints = NULL;
  t->stats.lower_ns += tn_os_now() - from;
  return code;
}

// ** on disk **

static void tn_build_take(tiny_ctx *t, tn_build *b, tn_module *module) {
  const struct tn_device *d = b->at->device;
  void *kernel = d->backend->find(d->dev, module->handle, b->entry ? b->entry : b->name);
  if (kernel && b->into) tn_tier_take(b->exe = b->into, kernel, module);
  else if (kernel) b->exe = tn_executable_new(t, b, kernel, module);
}

typedef struct tn_cache_entry { tn_digest module; char name[TN_KERNEL_NAME]; } tn_cache_entry;

static void tn_build_from_disk(tiny_ctx *t, tn_build *b) {
  tiny_bytes entry = {t, NULL, 0, 0}, binary = {t, NULL, 0, 0};
  tn_cache_entry e;
  if (tn_debug(t, 'c') || tn_debug(t, 'd')) return;        // every kernel is to be seen: compile it anew
  if (!tn_cache_read(t->cache, &b->text_key, "kernel", &entry) || entry.n != sizeof e) return;
  memcpy(&e, entry.data, sizeof e);
  tn_module *module = tn_module_loaded(b->at, &e.module);
  if (!module && tn_cache_read(t->cache, &e.module, "bin", &binary)) {
    const tiny_code before = t->code;
    module = tn_module_load(b->at, &e.module, binary.data, binary.n);
    if (!module && before == TINY_OK) t->code = TINY_OK;   // a bad file is as good as none
    if (module) tn_module_keep(b->at, module, binary.data, binary.n);
  }
  if (!module) return;
  tn_build_take(t, b, module);
  t->stats.cache_hits += b->exe != NULL;
  if (b->exe) tn_build_trace(t, b, "disk");
}

// ** what was imported **

struct tn_shipped { struct tn_shipped *next; size_t nbytes; tn_container c; };   // the bytes follow

// The module of a kernel, loaded; NULL: it cannot be.
static tn_module *tn_shipped_load(struct tn_programs *p, const tn_container *c, const tn_container_kernel *k) {
  const tn_container_module *m = &c->module[k->module];
  const tiny_code before = p->t->code;
  tn_digester d = tn_digest_open();
  tn_digest_add(&d, &c->head->sum, sizeof c->head->sum);
  tn_digest_add(&d, &k->module, sizeof k->module);
  const tn_digest key = tn_digest_close(&d);
  tn_module *module = tn_module_loaded(p, &key);
  if (module) return module;
  module = tn_module_load(p, &key, c->data + m->at, (size_t)m->nbytes);
  if (!module) { if (before == TINY_OK) p->t->code = TINY_OK; return NULL; }
  module->binary = c->data + m->at; module->nbytes = (size_t)m->nbytes;
  module->target = c->target[m->target];
  return module;
}

// Takes an executable from what was imported, if it has one that a search at least as wide has found.
static void tn_build_from_shipped(tiny_ctx *t, tn_build *b, int width) {
  const struct tn_device *d = b->at->device;
  if (!t->shipped || !d->backend->find || tn_debug(t, 'c') || tn_debug(t, 'd')) return;
  const tn_container_target own = tn_programs_target(b->at);
  for (const struct tn_shipped *s = t->shipped; s && !b->exe; s = s->next) {
    const tn_container_kernel *k = tn_container_find(&s->c, &b->key, &own);
    if (!k || (int)k->width < width || (k->units && tn_is_cpu(d->backend) && !tn_os_tiles_allowed())) continue;
    tn_module *module = tn_shipped_load(b->at, &s->c, k);
    if (!module) continue;
    memcpy(b->name, k->name, sizeof b->name);
    memcpy(b->low.global, k->global, sizeof k->global);
    memcpy(b->low.local, k->local, sizeof k->local);
    b->low.tasks = k->tasks; b->low.flops = k->flops; b->low.nbytes = k->nbytes;
    b->local_nbytes = (size_t)k->local_nbytes;
    b->width = (int)k->width; b->units = (int)k->units; b->kind = tn_kernel_kind(t, b);
    if (tn_build_reserve(t, b) != TINY_OK) return;
    tn_build_take(t, b, module);
    t->stats.shipped += b->exe != NULL;
    if (b->exe) tn_build_trace(t, b, "shipped");
  }
}

// ** modules **

// A module of kernels. Foreign source stands alone, as it is.
static tiny_bytes tn_module_of(tiny_ctx *t, tn_build *const *b, int n) {
  const tiny_renderer *r = &b[0]->at->device->renderer;
  tiny_bytes all = {t, NULL, 0, 0};
  tiny_rendered *kernels = (tiny_rendered *)tn_scratch(t, (size_t)n * sizeof *kernels);
  for (int i = 0; i < n; i++) kernels[i] = b[i]->text;
  if (r->module && !b[0]->custom) r->module(t, r, kernels, n, &all);
  else for (int i = 0; i < n; i++) tiny_bytes_add(&all, kernels[i].data, kernels[i].n);
  return all;
}

// Orders the builds so that module m holds b[first[m]] to b[first[m + 1] - 1] and all modules compile in about the
// same time: the longest texts first, each to the module that has the least so far.
static void tn_build_deal(tiny_ctx *t, tn_build **b, int n, int modules, int *first) {
  size_t *nbytes = (size_t *)tn_scratch(t, (size_t)n * sizeof *nbytes);
  size_t *load = (size_t *)tn_scratch(t, (size_t)modules * sizeof *load);
  int *of = (int *)tn_scratch(t, (size_t)n * sizeof *of), at = 0;
  tn_build **sorted = (tn_build **)tn_scratch(t, (size_t)n * sizeof *sorted);
  for (int i = 0; i < n; i++) {
    const size_t length = b[i]->text.n + 1;
    int j = i;
    for (; j && nbytes[j - 1] < length; j--) { nbytes[j] = nbytes[j - 1]; sorted[j] = sorted[j - 1]; }
    nbytes[j] = length; sorted[j] = b[i];
  }
  for (int i = 0; i < n; i++) {
    for (int m = 1; m < modules; m++) if (load[m] < load[of[i]]) of[i] = m;
    load[of[i]] += nbytes[i];
  }
  for (int m = 0; m < modules; m++) {
    first[m] = at;
    for (int i = 0; i < n; i++) if (of[i] == m) b[at++] = sorted[i];
  }
  first[modules] = at;
}

// After a module that was loaded. What the device has said stays.
static tiny_code tn_build_missing(tiny_ctx *t, const tn_build *b) {
  if (t->code != TINY_OK) return t->code;
  if (!b->custom) return tiny_fail(t, TINY_E_COMPILE, "kernel %s is not in its module", b->name);
  return tiny_fail(t, TINY_E_COMPILE, "kernel: %s has no entry point %s; name it as it is spelled there, in C++ and "
                   "CUDA C behind extern \"C\"", b->binary ? "its binary" : "its source", b->entry);
}

// A foreign binary, whose module is not kept on disk: its owner has it.
static tiny_code tn_build_binary(tiny_ctx *t, tn_build *b) {
  const tn_digest key = tn_bytes_key(b->at, "binary", b->custom, b->binary);
  tn_module *module = tn_module_loaded(b->at, &key);
  if (!module) module = tn_module_load(b->at, &key, b->custom, b->binary);
  if (!module && t->code != TINY_OK) return t->code;
  if (!module)
    return tiny_fail(t, TINY_E_COMPILE, "kernel: %s does not take the binary of %s, %llu bytes; it is for another "
                     "device or was changed", b->at->device->title, b->entry, (unsigned long long)b->binary);
  if (!module->binary) tn_module_keep(b->at, module, b->custom, b->binary);
  tn_build_take(t, b, module);
  if (b->exe) tn_build_trace(t, b, "given");
  return b->exe ? TINY_OK : tn_build_missing(t, b);
}

// What was compiled, or could be before the host cancelled it, is loaded and kept. key: of the module.
static tiny_code tn_build_load(tiny_ctx *t, struct tn_programs *at, tn_build *const *b, int n, const tn_digest *key,
                               const tiny_bytes *binary) {
  const struct tn_device *d = at->device;
  tn_module *module = tn_module_load(at, key, binary->data, binary->n);
  if (!module) {
    tiny_fail(t, TINY_E_COMPILE, "%s did not take the binary its compiler made", d->title);
    return t->code;                        // or what the device has said
  }
  t->stats.compiled += b[0]->into ? 0 : (uint64_t)n;
  tn_module_keep(at, module, binary->data, binary->n);
  const int built_in = tn_build_is_builtin(b[0]);            // which is made sooner than it is read
  if (!built_in) tn_cache_write(t->cache, key, "bin", binary->data, binary->n);
  for (int i = 0; i < n; i++) {
    tn_build_take(t, b[i], module);
    if (!b[i]->exe) return tn_build_missing(t, b[i]);
    if (b[i]->second.n && tn_tiers_may(at)) tn_tier_new(t, b[i]->exe, &b[i]->second, &b[i]->text_key);
    tn_build_trace(t, b[i], "compiled");
    tn_cache_entry e;
    memset(&e, 0, sizeof e);
    e.module = *key;
    memcpy(e.name, b[i]->name, sizeof e.name);
    if (!built_in) tn_cache_write(t->cache, &b[i]->text_key, "kernel", &e, sizeof e);
  }
  return TINY_OK;
}

static void tn_build_name(tiny_ctx *t, tn_build *b) {
  if (b->named) return;
  b->named = 1;
  if (!b->custom) b->key = tn_kernel_digest(t, b->ast);
  if (b->custom) snprintf(b->name, sizeof b->name, "%s", b->entry);
  else tn_kernel_name(t, b);
}
#endif
