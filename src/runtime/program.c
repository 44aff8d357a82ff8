// program: kernels -> executables: lowered, rendered, compiled in few processes, found again in memory and on disk.
//
// In:    kernels, or foreign source with its entry. Out: an executable each, or an error.
// Holds: equal kernels are built once. Many kernels share one module. On disk KEY.kernel names a module and an entry,
//        MODULE.bin holds the binary, KEY.cc what a compiler said of itself, KEY.opts what a search has found.
#ifndef TN_RUNTIME_PROGRAM
#define TN_RUNTIME_PROGRAM
#ifndef TINY_AMALGAMATED
#include "compiler.c"
#include "../codegen/candidates.c"
#include "../codegen/pipeline.c"
#include "trace.c"
#endif

enum { TN_PROGRESS_AT = 8 };               // kernels from which a line of progress is written

// A kernel on its way to an executable.
typedef struct tn_build {
  struct tn_programs *at;                  // of the device that it is for
  tiny_uop *ast; const char *custom, *entry;   // ast, or foreign source with its entry
  const tn_schedule *found;                // by a search, in scratch memory; NULL: what the heuristics choose
  tn_digest key, text_key;                 // key of foreign source: its maker says
  int named;                               // key and name are there
  uint8_t kind;                            // TN_KIND_*
  tn_lowered low;
  size_t local_nbytes;
  tiny_rendered text; int owned;           // what was rendered; owned: it is memory of the build's
  char name[TN_KERNEL_NAME];
  char *opts;                              // for the trace; NULL: it is none, or there is no memory
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
  memcpy(e->local, b->low.local, sizeof e->local);
  e->key = b->key; e->kind = b->kind;
  e->kernel = kernel;
  e->tasks = b->low.tasks;
  e->flops = b->low.flops;
  e->nbytes = b->low.nbytes;
  e->local_nbytes = b->local_nbytes;
  e->runs_on_host = !m;
  e->module = m;
  if (m) m->executables++;
  e->used = ++b->at->time;
  b->at->n++;
  e->next = *slot;
  return *slot = e;
}

static void tn_build_trace(tiny_ctx *t, const tn_build *b, const char *from) {
  if (tn_tracing(t)) tn_trace_kernel(t, b->exe, b->text.data ? b->text.data : "", b->opts ? b->opts : "", from);
}

static tiny_code tn_build_interpret(tiny_ctx *t, tn_build *b) {
  struct tn_device *d = b->at->device;
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

// Writes the kernel, and keeps what was written.
static tiny_code tn_build_render(tiny_ctx *t, tn_build *b) {
  const tiny_renderer *r = &b->at->device->renderer;
  const tiny_listing k = {b->name, b->low.list, b->low.n, b->low.hints, b->low.local, b->low.local_nbytes};
  tiny_bytes out = {t, NULL, 0, 0};
  if (r->kernel(t, r, &k, &out, &b->text.uses) != TINY_OK) return t->code;
  if (!out.n) return tiny_fail(t, TINY_E_INTERNAL, "render: %s wrote nothing of %s", r->name, b->name);
  b->text.data = (const char *)memcpy(tn_realloc(t, NULL, 0, out.n + 1), out.data, out.n + 1);
  b->text.n = out.n;
  b->owned = 1;
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
  for (int i = 0; i < t->ndevice && b->local_nbytes && d->backend->reserve; i++) {
    const struct tn_device *runs = t->device[i];
    if (runs->programs == b->at && runs->backend->reserve(runs->dev, b->local_nbytes) != TINY_OK) return t->code;
  }
  return tn_build_render(t, b);
}

static char *tn_build_opts(tiny_ctx *t, const char *text) {
  const size_t nbytes = strlen(text) + 1;
  char *kept = (char *)tiny_realloc(t, NULL, 0, nbytes);
  return kept ? (char *)memcpy(kept, text, nbytes) : NULL;
}
static tiny_code tn_build_lower(tiny_ctx *t, tn_build *b) {
  const uint64_t from = tn_os_now();
  const tn_mark mark = tn_scratch_mark(t);
  tn_trace_lowering(t, b->key.word[0], b->name);
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

// ** modules **

static void tn_build_take(tiny_ctx *t, tn_build *b, tn_module *module) {
  const struct tn_device *d = b->at->device;
  void *kernel = d->backend->find(d->dev, module->handle, b->entry ? b->entry : b->name);
  if (kernel) b->exe = tn_executable_new(t, b, kernel, module);
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
  }
  if (!module) return;
  tn_build_take(t, b, module);
  t->stats.cache_hits += b->exe != NULL;
  if (b->exe) tn_build_trace(t, b, "disk");
}

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

// Progress: a line on a terminal, wiped when the work is done; with debug letter p, lines in the log.
static int tn_wipes(const tiny_ctx *t, int n) {
  return n >= TN_PROGRESS_AT && !tn_debug(t, 'p') && !t->log.fn && tn_os_terminal();
}
static void tn_say_compiling(tiny_ctx *t, int n) {
  if (tn_wipes(t, n)) fprintf(stderr, "tiny: compiling %d kernels\r", n);
  else if (tn_debug(t, 'p')) tn_log(t, "tiny: compiling %d kernels", n);
}
static void tn_say_compiled(tiny_ctx *t, int n, uint64_t ns) {
  if (tn_wipes(t, n)) fprintf(stderr, "%40s\r", "");
  else if (tn_debug(t, 'p')) tn_log(t, "tiny: compiled %d kernels in %.1f ms", n, (double)ns * 1e-6);
}

// Compiles builds of one device, spread over as many modules as there are cores.
static tiny_code tn_build_compile(tiny_ctx *t, tn_build **b, int n) {
  struct tn_programs *const at = b[0]->at;
  const struct tn_device *d = at->device;
  int modules = tn_os_cores() < n ? tn_os_cores() : n, foreign = (d->renderer.flags & TINY_TARGET_ALONE) != 0;
  for (int i = 0; i < n; i++) foreign |= b[i]->custom != NULL;
  if (foreign) modules = n;
  tiny_bytes *text = (tiny_bytes *)tn_scratch(t, (size_t)modules * sizeof *text);
  tiny_bytes *binary = (tiny_bytes *)tn_scratch(t, (size_t)modules * sizeof *binary), log = {t, NULL, 0, 0};
  int *first = (int *)tn_scratch(t, ((size_t)modules + 1) * sizeof *first);
  tn_build_deal(t, b, n, modules, first);
  for (int m = 0; m < modules; m++) {
    text[m] = tn_module_of(t, b + first[m], first[m + 1] - first[m]);
    binary[m].t = t;
    if (tn_debug(t, 'c')) tn_log_text(t, text[m].data);
  }
  const uint64_t from = tn_os_now();
  tn_say_compiling(t, n);
  const tiny_code code = tn_device_compile(d, modules, text, binary, &log);
  tn_say_compiled(t, n, tn_os_now() - from);
  t->stats.compile_ns += tn_os_now() - from;
  if (tn_tracing(t)) {
    tn_event_span(t, "host", "compile", 0, from, tn_os_now());
    tn_event_add(t, "\"kernels\":%d", n);
    tn_event_end(t);
  }
  if (code != TINY_OK) return code;
  t->stats.compiled += (uint64_t)n;
  for (int m = 0; m < modules; m++) {
    const tn_digest key = tn_bytes_key(at, "module", text[m].data, text[m].n);
    tn_module *module = tn_module_load(at, &key, binary[m].data, binary[m].n);
    if (!module) return tiny_fail(t, TINY_E_COMPILE, "%s did not take the binary its compiler made", d->title);
    tn_cache_write(t->cache, &key, "bin", binary[m].data, binary[m].n);
    for (int i = first[m]; i < first[m + 1]; i++) {
      tn_build_take(t, b[i], module);
      if (!b[i]->exe)
        return tiny_fail(t, TINY_E_COMPILE, "kernel %s is not in its module",
                         b[i]->entry ? b[i]->entry : b[i]->name);
      tn_build_trace(t, b[i], "compiled");
      tn_cache_entry e;
      memset(&e, 0, sizeof e);
      e.module = key;
      memcpy(e.name, b[i]->name, sizeof e.name);
      tn_cache_write(t->cache, &b[i]->text_key, "kernel", &e, sizeof e);
    }
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

typedef struct tn_builds { tiny_ctx *t; struct tn_programs *at; tn_build *build; int n; } tn_builds;

// A name holds a hash: two kernels may have the same, but not in one module. names: hashes of those before.
static void tn_build_rename(tiny_ctx *t, tn_build *b, int i, tn_map *names) {
  const void *name = (const void *)(uintptr_t)(tn_hash_bytes(0, b->name, strlen(b->name)) | 1);
  const size_t n = strlen(b->name), at = n < TN_KERNEL_NAME - 12 ? n : TN_KERNEL_NAME - 12;
  if (!b->custom && tn_map_has(names, name)) snprintf(b->name + at, sizeof b->name - at, "_%d", i);
  tn_map_set(t, names, name, b);
}

static tiny_code tn_builds_make(tiny_ctx *t, void *arg) {
  const tn_builds *all = (const tn_builds *)arg;
  tn_build **left = (tn_build **)tn_scratch(t, ((size_t)all->n + 1) * sizeof *left);
  tn_map asked = {NULL, 0, 0}, names = {NULL, 0, 0};
  int nleft = 0;
  for (int i = 0; i < all->n; i++) {
    tn_build *b = &all->build[i];
    const void *kernel = b->custom ? (const void *)b->custom : (const void *)b->ast;
    b->twin = (tn_build *)tn_map_get(&asked, kernel);
    if (b->twin) continue;
    tn_map_set(t, &asked, kernel, b);
    tn_build_name(t, b);
    b->exe = tn_executable_find(b->at, &b->key);
    if (b->exe) continue;
    b->kind = tn_kernel_kind(t, b);
    tn_build_rename(t, b, i, &names);
    if (b->custom) { b->text.data = b->custom; b->text.n = strlen(b->custom); }
    else if (tn_build_lower(t, b) != TINY_OK) return t->code;
    if (b->exe) continue;
    b->text_key = tn_bytes_key(b->at, "kernel", b->text.data, b->text.n);
    tn_build_from_disk(t, b);
    if (!b->exe) left[nleft++] = b;
  }
  return nleft ? tn_build_compile(t, left, nleft) : TINY_OK;
}

static void tn_builds_clear(void *arg) {
  const tn_builds *all = (const tn_builds *)arg;
  tn_nodes_leave(all->t);
  tn_nodes_close(all->t, &all->t->ir->others);
  for (int i = 0; i < all->n; i++) {
    tn_build *b = &all->build[i];
    if (b->owned) tn_release(all->t, (void *)(uintptr_t)b->text.data, b->text.n + 1);
    if (b->opts) tn_release(all->t, b->opts, strlen(b->opts) + 1);
    b->opts = NULL;
  }
}

// After a compilation that failed because the compiler is another than was thought, or can compile nothing: this one,
// another one, or none makes what is left.
// The error goes, as what was wrong is not these kernels.
static int tn_builds_retry(tiny_ctx *t, const tn_builds *all) {
  void *const cpu = all->at->device->dev;
  if (!tn_compiler_retry(all->at) && !tn_cpu_is_unfit(cpu)) return 0;
  tn_compiler_identify(all->at);
  for (int i = 0; i < all->n; i++) {
    const tn_build was = all->build[i];
    tn_build *b = &all->build[i];
    memset(b, 0, sizeof *b);
    b->at = was.at; b->ast = was.ast; b->custom = was.custom; b->entry = was.entry;
    b->found = was.found; b->key = was.key;
    if (!was.custom) continue;
    b->low = was.low;
    if (!tn_cpu_has_compiler(cpu)) return 0;    // it cannot be interpreted, and the error stays
  }
  t->code = TINY_OK;
  return 1;
}

// Executables for builds[0..n-1], which are all of `at`.
static tiny_code tn_build_all(tiny_ctx *t, struct tn_programs *at, tn_build *builds, int n) {
  tn_builds all = {t, at, builds, n};
  tiny_code code;
  do {
    tn_compiler_identify(at);
    code = tn_process_protect(t, tn_builds_make, tn_builds_clear, &all);
    tn_builds_clear(&all);
  } while (code == TINY_E_COMPILE && tn_is_cpu(at->device->backend) && tn_builds_retry(t, &all));
  if (code != TINY_OK) return code;
  for (int i = 0; i < n; i++) if (builds[i].twin) builds[i].exe = builds[i].twin->exe;
  return t->code;
}
#endif
