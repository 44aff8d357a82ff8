// play: programs that are loaded and run, and nothing else: what a context of TINY_RUNTIME_ONLY is made of.
//
// In:    saved programs; the host's memory for what they take and give. Out: their results.
// Holds: nothing is planned. A kernel is the file's machine code, where the file is trusted and the code fits; else its
//        list, compiled here, or interpreted: where nothing compiles, where memory that was written may not be
//        executed, and where the list of a file that is not trusted does not plainly keep within its memory (within.c).
//        Memory of a program are the file's pages, private to it, or a copy; a call asks for none. A run that is under
//        way holds where it stands, its numbers by value, and where its memory lies, the caller's until it ends.
#ifndef TN_SHIP_PLAY
#define TN_SHIP_PLAY
#ifndef TINY_AMALGAMATED
#ifndef TINY_RUNTIME_ONLY
  #define TINY_RUNTIME_ONLY                // alone it is compiled as what it is
#endif
#include "opened.c"
#include "within.c"
#include "../runtime/interp.c"
#include "../runtime/cpu.c"
#endif

#ifdef TINY_NO_INTERP
  enum { TN_PLAY_INTERPRETS = 0 };
  typedef struct tn_eval_code { size_t nbytes; } tn_eval_code;
  static tiny_code tn_eval_launch(tiny_ctx *t, const tn_eval_code *c, const tiny_launch *l) {
    (void)c; (void)l;
    return tiny_fail(t, TINY_E_STATE, "there is no interpreter (TINY_NO_INTERP)");
  }
#else
  enum { TN_PLAY_INTERPRETS = 1 };
#endif

typedef struct tn_play_kernel {
  void *image, *fn; tn_eval_code *code;    // of machine code; of what is interpreted
  int64_t tasks; size_t local_nbytes;
  uint64_t expected;                       // ns that a task takes; all of them, where it is not cut
} tn_play_kernel;

typedef struct tn_play_run {
  int under_way, waits; tiny_code ended;   // waits: another call ended it, with that
  int step; int64_t position, task;        // tasks that are left of a step, at one position of those tiled with it
  uint32_t random;                         // calls of random numbers before it
  int64_t *bits; tiny_mem *at;             // of its numbers; where each place lies
  const void **in; void **out;
} tn_play_run;

struct tiny_program {
  tiny_program *prev, *next;
  tiny_ctx *t;
  tn_opened o;                             // the front
  char *contents; size_t contents_nbytes;  // what memory holds
  void *pages; size_t pages_nbytes;        // that it lies in; NULL: in memory of its own
  char *arena; size_t arena_nbytes;
  tn_play_kernel *kernel;
  int interpreted; char why[160];          // kernels, and why the first of them is
  tn_play_run run; size_t run_nbytes;
};
struct tn_runtime { tiny_program *programs; tn_cpu cpu; uint32_t random; int open; };

// ** the context **

static tiny_code tn_play_device(tiny_ctx *t, const tiny_desc *d) {
  const char *name = d && d->device ? d->device : tn_os_env("TINY_DEV");
  tn_cpu *c = &t->runtime->cpu;
  const char *compiler = d && d->compiler ? d->compiler : tn_os_env("TINY_CC");
  for (int i = 0; d && i < 8; i++) if (d->backends[i])
    return tiny_fail(t, TINY_E_DEVICE, "open: a build that only runs (TINY_RUNTIME_ONLY) has the device CPU, "
                     "no backends");
  c->t = t;
  c->facts = tn_os_cpu_get();
  c->builtin = TN_CPU_BUILTIN && (!compiler || strcmp(compiler, "outside") != 0);
  if (!name || !*name || !strcmp(name, "CPU")) return TINY_OK;
  const char *which = strncmp(name, "CPU:", 4) ? NULL : name + 4;
  if (which && (strspn(which, "0123456789") == strlen(which) || tn_os_cpu_as(&c->facts, which))) return TINY_OK;
  return tiny_fail(t, TINY_E_DEVICE, "there is no device %.100s; a build that only runs has CPU, and of its levels "
                   TN_OS_LEVEL_NAMES " those that the processor has", name);
}
static tiny_code tn_context_open(tiny_ctx *t, void *arg) {
  const tiny_desc *d = (const tiny_desc *)arg;
  t->runtime = (struct tn_runtime *)tn_alloc(t, sizeof *t->runtime);
  if (tn_pool_open(t, d) != TINY_OK || tn_play_device(t, d) != TINY_OK) return t->code;
  t->ndevice = t->runtime->open = t->cancellable = 1;
  return TINY_OK;
}
static int tn_context_is_there(const tiny_ctx *t) { return t->runtime != NULL; }
static int tn_context_clears(tiny_ctx *t) { return t->runtime->open; }     // one that did not open stays closed
static void tn_context_close(tiny_ctx *t) {
  while (t->runtime && t->runtime->programs) tiny_program_free(t->runtime->programs);
  const tn_cpu *c = t->runtime ? &t->runtime->cpu : NULL;
  if (c) tn_cpu_aligned_free(t, c->local, c->local_nbytes * (size_t)c->slots);
  tn_release(t, t->runtime, sizeof *t->runtime);
  if (t->ir) tn_ir_close(t);
  tn_pool_close(t);
  if (TN_CPU_BUILTIN) tn_match_close(t);
}

// ** kernels **

static void tn_play_note(tiny_program *p, const char *name, const char *why) {
  if (!p->interpreted++) snprintf(p->why, sizeof p->why, "%.60s: %.90s", name, why);
}
// 1: it is there. 0: the system executes nothing that was written, or an error.
static int tn_play_native(tiny_program *p, tn_play_kernel *k, const char *name, const void *object, size_t nbytes) {
  tiny_ctx *t = p->t;
  tn_cpu *c = &t->runtime->cpu;
  if (c->barred) return 0;
  k->image = tn_cpu_load(c, object, nbytes);
  if (!k->image && c->barred) { t->code = TINY_OK; return 0; }
  k->fn = k->image ? tn_cpu_find(c, k->image, name) : NULL;
  if (k->image && !k->fn) tiny_fail(t, TINY_E_IO, "program_load: there is no %s in its machine code", name);
  return k->fn != NULL;
}
#if TN_CPU_BUILTIN
// Compiles the list. NULL: it is there; else why not.
static const char *tn_play_compile(tiny_program *p, tn_play_kernel *k, const char *name, const tn_wire_list *list) {
  tiny_ctx *t = p->t;
  tn_cpu *c = &t->runtime->cpu;
  const int64_t local[3] = {1, 1, 1};
  const tiny_listing listing = {name, list->list, list->n, list->hints, local, (int64_t)k->local_nbytes};
  tiny_bytes object = {t, NULL, 0, 0};
  if (!c->builtin) return "nothing compiles it here";
  if (!t->match && !tn_match_open(t)) return "there is no memory";
  const char *refused = TN_CPU_BUILTIN_OBJECT(t, &listing, tn_cpu_level(c), &object);
  if (refused) return refused;
  if (t->code != TINY_OK || tn_play_native(p, k, name, object.data, object.n) || t->code != TINY_OK) return NULL;
  return "the system does not let memory be executed that was written";
}
#else
static const char *tn_play_compile(tiny_program *p, tn_play_kernel *k, const char *name, const tn_wire_list *list) {
  (void)p; (void)k; (void)name; (void)list;
  return "nothing compiles it here";
}
#endif
static const char *tn_play_interpret(tiny_program *p, tn_play_kernel *k, const tn_wire_list *list, const char *why) {
#ifdef TINY_NO_INTERP
  (void)p; (void)k; (void)list;
  return why;
#else
  tn_eval_code c;
  tn_eval_arg last;
  (void)why;
  if (tn_eval_decode(p->t, list->list, list->n, 0, &c, &last) == TINY_OK) k->code = tn_eval_copy(p->t, &c);
  return NULL;
#endif
}
// What is wrong with the list for the steps that launch it; NULL: nothing, or an error of the context.
static const char *tn_play_verify(const tiny_program *p, int kernel, const tn_wire_list *list) {
  const tn_saved *f = &p->o.f;
  if (tn_verify_list(p->t, list->list, list->n) != TINY_OK) return NULL;
  for (int i = 0; i < f->n[TN_SAVED_STEPS]; i++) {
    const char *wrong = f->step[i].kernel == kernel ? tn_opened_step_check(f, &f->step[i], list) : NULL;
    if (wrong) return wrong;
  }
  return NULL;
}
// A kernel of its list. NULL: it is there, or an error of the context; else what is wrong with the file.
static const char *tn_play_list(tiny_program *p, int kernel, const tn_container *c, const tn_container_kernel *as) {
  tiny_ctx *t = p->t;
  tn_play_kernel *k = &p->kernel[kernel];
  const tn_container_module *m = &c->module[as->module];
  const int trusted = p->o.from->trusted;
  tn_wire_list list;
  const char *wrong = tn_wire_in(t, c->data + m->at, (size_t)m->nbytes, &list);
  if (!wrong && !trusted) wrong = tn_play_verify(p, kernel, &list);
  if (wrong || t->code != TINY_OK) return wrong;
  const char *why = NULL;
  if (!trusted) {
    if (TN_CPU_BUILTIN) why = tn_within_memory(t, &list, k->tasks, (int64_t)k->local_nbytes);
    memset(list.hints, 0, (size_t)list.n);
  }
  if (!why) why = tn_play_compile(p, k, as->name, &list);
  if (!why || t->code != TINY_OK) return NULL;
  tn_play_note(p, as->name, why);
  return tn_play_interpret(p, k, &list, why);
}
static void tn_play_launched(tn_play_kernel *k, const tn_container_kernel *as) {
  k->tasks = as->tasks < 1 ? 1 : as->tasks;
  k->local_nbytes = (size_t)as->local_nbytes;
}
static const char *tn_play_kernel_of(tiny_program *p, int i, const tn_container *c) {
  tiny_ctx *t = p->t;
  const tn_digest *key = &p->o.f.kernel[i];
  const uint32_t *feature = tn_cpu_features(&t->runtime->cpu);
  char abi[TN_CONTAINER_NAME];
  snprintf(abi, sizeof abi, "CPU %s", tn_cpu_abi());
  const tn_container_kernel *as = p->o.from->trusted ? tn_opened_find(c, key, abi, feature) : NULL;
  if (as) {
    const tn_container_module *m = &c->module[as->module];
    tn_play_launched(&p->kernel[i], as);
    if (tn_play_native(p, &p->kernel[i], as->name, c->data + m->at, (size_t)m->nbytes) || t->code != TINY_OK)
      return NULL;
  }
  as = tn_opened_find(c, key, TN_SHIP_OWN_LIST, feature);
  if (!as) as = tn_opened_find(c, key, TN_SHIP_LIST, NULL);
  if (!as) return "a kernel is neither a list nor code for this processor: save the program where it runs on the CPU";
  tn_play_launched(&p->kernel[i], as);
  return tn_play_list(p, i, c, as);
}

// ** loading **

// Memory of the program's: what it holds, and what is computed on the way.
static tiny_code tn_play_memory(tiny_program *p) {
  tiny_ctx *t = p->t;
  const tn_saved *f = &p->o.f;
  const size_t nbytes = (size_t)f->head->part[TN_SAVED_CONTENTS].n, at = (size_t)f->head->part[TN_SAVED_CONTENTS].at;
  const size_t arena = (size_t)f->head->arena_nbytes, live = (size_t)t->stats.nbytes_live;
  if (nbytes && p->o.mapped)
    p->contents = (char *)tn_os_map_part(&p->o.mapping, at, nbytes, &p->pages, &p->pages_nbytes);
  const size_t own = arena + (p->contents ? 0 : nbytes);
  if (t->max_nbytes && (own > t->max_nbytes || live > t->max_nbytes - own))
    return tiny_fail(t, TINY_E_MEMORY, "program_load: %llu bytes are wanted beside %llu, more than max_nbytes %llu",
                     (unsigned long long)own, (unsigned long long)live, (unsigned long long)t->max_nbytes);
  if (arena) p->arena = (char *)tn_cpu_aligned_alloc(t, arena);
  if (nbytes && !p->contents) p->contents = (char *)tn_cpu_aligned_alloc(t, nbytes);
  p->arena_nbytes = arena; p->contents_nbytes = nbytes;
  if ((arena && !p->arena) || (nbytes && !p->contents))
    return tiny_fail(t, TINY_E_MEMORY, "program_load: %llu bytes were refused by the allocator",
                     (unsigned long long)own);
  if (nbytes && !p->pages) memcpy(p->contents, tn_opened_contents(&p->o), nbytes);
  t->stats.nbytes_live += own;
  if (t->stats.nbytes_live > t->stats.nbytes_peak) t->stats.nbytes_peak = t->stats.nbytes_live;
  return TINY_OK;
}
static const char *tn_play_may(const tiny_program *p) {
  const tn_saved *f = &p->o.f;
  for (int i = 0; i < f->n[TN_SAVED_MEMORIES]; i++)
    if (f->memory[i].outside) return "what its memory holds was saved to an archive, which a build that only runs does "
                                     "not read: save it without tiny_ship_desc.weights";
  for (int i = 0; i < f->n[TN_SAVED_SCALARS]; i++)
    if (f->scalar[i].kind == TN_SAVED_INPUT && f->scalar[i].dtype != f->input[f->scalar[i].input].dtype)
      return "a number is of another kind than its input";
  return NULL;
}
// Memory for its run, one at a time.
static void tn_play_run_open(tiny_program *p) {
  const tn_saved *f = &p->o.f;
  const size_t scalars = (size_t)f->n[TN_SAVED_SCALARS], places = (size_t)f->n[TN_SAVED_PLACES];
  const size_t inputs = (size_t)f->n[TN_SAVED_INPUTS], outputs = (size_t)f->n[TN_SAVED_OUTPUTS];
  tn_play_run *r = &p->run;
  p->run_nbytes = (scalars + 1) * sizeof *r->bits + places * sizeof *r->at + (inputs + outputs) * sizeof(void *);
  r->bits = (int64_t *)tn_alloc(p->t, p->run_nbytes);
  r->at = (tiny_mem *)(void *)(r->bits + scalars + 1);
  r->in = (const void **)(void *)(r->at + places);
  r->out = (void **)(uintptr_t)(r->in + inputs);
}
static tiny_code tn_play_load_guarded(tiny_ctx *t, void *arg) {
  tiny_program *p = (tiny_program *)arg;
  const int n = p->o.f.n[TN_SAVED_KERNELS];
  const tn_container c = tn_saved_code(&p->o.f);
  size_t local = 0;
  char said[sizeof t->message];
  p->kernel = (tn_play_kernel *)tn_alloc(t, ((size_t)n + 1) * sizeof *p->kernel);
  tn_play_run_open(p);
  if (tn_play_memory(p) != TINY_OK) return t->code;
  for (int i = 0; i < n; i++) {
    const tn_mark mark = tn_scratch_mark(t);
    tn_nodes_begin(t);
    const char *wrong = tn_play_kernel_of(p, i, &c);
    tn_nodes_leave(t);
    if (t->code != TINY_OK) wrong = tn_opened_blame(t, said, sizeof said);
    if (wrong) tn_opened_wrong(&p->o, "program_load", wrong);
    if (t->code != TINY_OK) return t->code;
    tn_scratch_rewind(t, mark);
    if (!p->kernel[i].code && p->kernel[i].local_nbytes > local) local = p->kernel[i].local_nbytes;
  }
  return local ? tn_cpu_reserve(&t->runtime->cpu, local) : TINY_OK;
}
TINY_API tiny_program *tiny_program_load(tiny_ctx *t, const tiny_program_source *from) {
  if (!t || t->code != TINY_OK) return NULL;
  tiny_program *p = (tiny_program *)tn_alloc(t, sizeof *p);
  if (!p) return NULL;
  p->t = t;
  p->next = t->runtime->programs;
  if (p->next) p->next->prev = p;
  t->runtime->programs = p;
  int done = tn_opened_open(t, "program_load", from, &p->o) && tn_opened_is_meant(&p->o);
  const char *wrong = done ? tn_play_may(p) : NULL;
  if (wrong) done = tn_opened_wrong(&p->o, "program_load", wrong);
  if (done) done = tn_guard(t, tn_play_load_guarded, p) == TINY_OK;
  if (t->ir->apart) tn_nodes_leave(t);     // it was unwound
  if (done && p->interpreted)
    tn_log(t, "tiny: %s: %d of %d kernels are interpreted: %s", from->path ? from->path : "a program", p->interpreted,
           p->o.f.n[TN_SAVED_KERNELS], p->why);
  if (p->o.mapped) tn_os_unmap_file(&p->o.mapping);
  p->o.mapped = 0;
  p->o.from = NULL;
  if (done) return p;
  tiny_program_free(p);
  return NULL;
}
TINY_API void tiny_program_free(tiny_program *p) {
  if (!p) return;
  tiny_ctx *t = p->t;
  if (p->prev) p->prev->next = p->next; else t->runtime->programs = p->next;
  if (p->next) p->next->prev = p->prev;
  for (int i = 0; p->kernel && i < p->o.f.n[TN_SAVED_KERNELS]; i++) {
    tn_cpu_unload(&t->runtime->cpu, p->kernel[i].image);
    if (p->kernel[i].code) tn_release(t, p->kernel[i].code, p->kernel[i].code->nbytes);
  }
  if (p->kernel) tn_release(t, p->kernel, ((size_t)p->o.f.n[TN_SAVED_KERNELS] + 1) * sizeof *p->kernel);
  tn_release(t, p->run.bits, p->run_nbytes);
  if (p->arena || p->contents) t->stats.nbytes_live -= p->arena_nbytes + (p->pages ? 0 : p->contents_nbytes);
  tn_cpu_aligned_free(t, p->arena, p->arena_nbytes);
  if (p->pages) tn_os_unmap_pages(p->pages, p->pages_nbytes);
  else tn_cpu_aligned_free(t, p->contents, p->contents_nbytes);
  tn_opened_close(&p->o);
  tn_release(t, p, sizeof *p);
}

// ** calling **

static tiny_code tn_play_call_check(const tiny_program *p, const void *const *in, void *const *out) {
  const tn_saved *f = &p->o.f;
  tiny_ctx *t = p->t;
  const int n = f->n[TN_SAVED_INPUTS], m = f->n[TN_SAVED_OUTPUTS];
  if ((n && !in) || (m && !out)) return tiny_fail(t, TINY_E_ARG, "program_call: in or out is NULL");
  for (int i = 0; i < n + m; i++)
    if (!(i < n ? in[i] : out[i - n]))
      return tiny_fail(t, TINY_E_ARG, "program_call: %s[%d] is NULL", i < n ? "in" : "out", i < n ? i : i - n);
  for (int i = 0; i < n; i++) {
    const tn_saved_input *x = &f->input[i];
    const int64_t k = x->scalar && tn_is_int(x->dtype) ? tn_dtype_load(x->dtype, in[i]) : x->least;
    if (k < x->least || k > x->most)
      return tiny_fail(t, TINY_E_ARG, "program_call: in[%d] is %lld, not within its bounds, %lld to %lld", i,
                       (long long)k, (long long)x->least, (long long)x->most);
  }
  return TINY_OK;
}
// Bits of the numbers that steps take.
static void tn_play_scalars(const tiny_program *p) {
  const tn_saved *f = &p->o.f;
  const tn_play_run *r = &p->run;
  const uint64_t seed = p->t->seed;
  for (int i = 0; i < f->n[TN_SAVED_SCALARS]; i++) {
    const tn_saved_scalar *s = &f->scalar[i];
    int64_t k = s->k;
    switch (s->kind) {
      case TN_SAVED_INPUT: k = tn_dtype_load(s->dtype, r->in[s->input]); break;
      case TN_SAVED_DRAW: k = (uint32_t)((uint32_t)s->draw + r->random); break;
      case TN_SAVED_SEED_LOW: k = (int64_t)(seed & 0xFFFFFFFFu); break;
      case TN_SAVED_SEED_HIGH: k = (int64_t)(seed >> 32); break;
      default: break;
    }
    tn_dtype_store(s->dtype, &r->bits[i], k);
  }
}
typedef struct tn_play_call {
  tiny_program *p; const void *const *in; void *const *out;                // of a run that it begins
  uint64_t until; int must;                // when it is to be over; nothing has run yet
} tn_play_call;

// Where each place lies in this run.
static void tn_play_places(tn_play_call *c) {
  const tiny_program *p = c->p;
  const tn_saved *f = &p->o.f;
  const tn_play_run *r = &p->run;
  memset(r->at, 0, (size_t)f->n[TN_SAVED_PLACES] * sizeof *r->at);
  for (int i = f->n[TN_SAVED_OUTPUTS]; i--;) if (f->output[i].place >= 0) r->at[f->output[i].place].base = r->out[i];
  for (int i = 0; i < f->n[TN_SAVED_PLACES]; i++) {
    const tn_saved_place *x = &f->place[i];
    const tn_saved_leaf *leaf = x->kind == TN_SAVED_IN_LEAF ? &f->leaf[x->index] : NULL;
    void **base = &r->at[i].base;
    if (leaf && leaf->input >= 0) *base = (void *)(uintptr_t)r->in[leaf->input];
    else if (leaf && p->contents) *base = p->contents + f->memory[leaf->memory].at;
    else if (x->kind == TN_SAVED_IN_ARENA && p->arena) *base = p->arena + x->offset;
    if (*base) continue;
    if (x->nbytes) c->until = UINT64_MAX;  // nobody takes it: it is there until this call returns
    *base = tn_scratch(p->t, (size_t)x->nbytes + 1);
  }
}
static void tn_play_begin(tn_play_call *c) {
  tiny_program *p = c->p;
  tn_play_run *r = &p->run;
  const int n = p->o.f.n[TN_SAVED_INPUTS], m = p->o.f.n[TN_SAVED_OUTPUTS];
  if (n) memcpy(r->in, c->in, (size_t)n * sizeof *r->in);
  if (m) memcpy(r->out, c->out, (size_t)m * sizeof *r->out);
  r->random = p->t->runtime->random;
  r->step = 0; r->position = r->task = 0;
  tn_play_scalars(p);
  tn_play_places(c);
  p->t->runtime->random += p->o.f.head->draws;
  r->under_way = 1;
}
// TINY_MORE: some of it is left.
static tiny_code tn_play_step(tn_play_call *c, const tn_saved_step *s, const int64_t *position) {
  enum { FEW = 64 };
  tiny_ctx *t = c->p->t;
  tn_play_run *r = &c->p->run;
  const int32_t *mem = c->p->o.f.number + s->mem, *arg = c->p->o.f.number + s->arg;
  tn_play_kernel *k = &c->p->kernel[s->kernel];
  const int cut = c->until < UINT64_MAX, parts = cut && !k->code && k->tasks > 1;
  const uint64_t from = cut ? tn_os_now() : 0;
  if (cut && !parts && !c->must && from + k->expected > c->until) return TINY_MORE;
  tiny_mem few[FEW], *m = s->nmem <= FEW ? few : (tiny_mem *)tn_scratch(t, (size_t)s->nmem * sizeof *m);
  int64_t some[FEW], *a = s->narg <= FEW ? some : (int64_t *)tn_scratch(t, (size_t)s->narg * sizeof *a);
  tiny_launch l;
  tn_cpu_part part;
  for (int i = 0; i < s->nmem; i++) m[i] = r->at[mem[i]];
  for (int i = 0; i < s->narg; i++) a[i] = arg[i] >= 0 ? r->bits[arg[i]] : position[-1 - arg[i]];
  memset(&l, 0, sizeof l);
  l.kernel = k->fn; l.mem = m; l.nmem = s->nmem; l.args = a; l.nargs = s->narg; l.tasks = k->tasks;
  l.local_nbytes = k->local_nbytes;
  part.at = r->task; part.n = k->tasks; part.until = c->until; part.expected = k->expected; part.must = c->must;
  part.threads = tn_pool_most(t);
  if (parts) part.longest = (uint64_t *)tn_scratch(t, (size_t)part.threads * sizeof *part.longest);
  const tiny_code code = k->code ? tn_eval_launch(t, k->code, &l) :
                                   tn_cpu_launch_now(&t->runtime->cpu, &l, parts ? &part : NULL);
  if (code != TINY_OK) return code;
  if (cut && (!parts || part.at > r->task)) {
    tn_cpu_part_learn(&k->expected, parts ? part.expected : tn_os_now() - from);
    c->must = 0;
  }
  r->task = parts && part.at < part.n ? part.at : 0;
  if (parts && part.at < part.n) return TINY_MORE;
  t->stats.kernels++;
  return TINY_OK;
}
// From where the run stands: steps, those that are tiled together once for every position of their iterations.
static tiny_code tn_play_steps(tn_play_call *c) {
  const tn_saved *f = &c->p->o.f;
  tn_play_run *r = &c->p->run;
  const int steps = f->n[TN_SAVED_STEPS];
  for (int from = r->step, to; from < steps; from = to) {
    const int group = f->step[from].tiled;
    while (group && from && f->step[from - 1].tiled == group) from--;
    for (to = from + 1; group && to < steps && f->step[to].tiled == group; to++) {}
    const tn_saved_tiles *tiles = group ? &f->tiles[group - 1] : NULL;
    int64_t all = 1, position[TN_SAVED_AXES];
    for (int i = 0; tiles && i < tiles->n; i++) all = tn_clamp_mul(all, tiles->count[i]);
    for (; r->position < all; r->position++, r->step = from) {
      int64_t left = r->position;
      for (int i = tiles ? (int)tiles->n : 0; i--; left /= tiles->count[i])
        position[i] = tiles->from[i] + tiles->step[i] * (left % tiles->count[i]);
      for (; r->step < to; r->step++) if (f->step[r->step].kernel >= 0) {
        const tiny_code code = tn_play_step(c, &f->step[r->step], position);
        if (tn_os_atomic_load(&c->p->t->cancel)) return TINY_E_CANCELLED;
        if (code != TINY_OK) return code;
      }
    }
    r->position = 0; r->step = to;
  }
  return TINY_OK;
}
static tiny_code tn_play_go_guarded(tiny_ctx *t, void *arg) {
  tn_play_call *c = (tn_play_call *)arg;
  const tn_saved *f = &c->p->o.f;
  tn_play_run *r = &c->p->run;
  if (tn_os_atomic_load(&t->cancel)) return TINY_E_CANCELLED;
  if (!r->under_way) tn_play_begin(c);
  const tiny_code code = tn_play_steps(c);
  if (code != TINY_OK) return code;
  for (int i = 0; i < f->n[TN_SAVED_OUTPUTS]; i++) {
    const tn_saved_output *o = &f->output[i];
    const size_t nbytes = (size_t)tn_saved_nbytes(f, o->dtype, o->ndim, o->dim);
    const void *from = o->place < 0 ? r->in[o->input] : r->at[o->place].base;
    if (nbytes && from != r->out[i]) memcpy(r->out[i], from, nbytes);
  }
  r->under_way = 0;
  return TINY_OK;
}
// The run is over, and did not get to its end: nor has it drawn its random numbers, unless others drew some since.
static void tn_play_drop(tiny_program *p, tiny_code ended) {
  const uint32_t draws = p->o.f.head->draws;
  if (!p->run.under_way) return;
  if (p->t->runtime->random == p->run.random + draws) p->t->runtime->random -= draws;
  p->run.under_way = 0;
  p->run.waits = 1; p->run.ended = ended;
}
// Goes on with the run of p, or begins one.
static tiny_code tn_play_go(tiny_program *p, const void *const *in, void *const *out, uint64_t until) {
  tn_play_call c = {p, in, out, until, 1};
  tiny_ctx *t = p->t;
  const tiny_code code = tn_guard(t, tn_play_go_guarded, &c);
  if (code == TINY_OK || code == TINY_MORE) return code;
  tn_play_drop(p, code);
  p->run.waits = 0;                        // who called is told
  if (code != TINY_E_CANCELLED) return code;
  tn_os_atomic_store(&t->cancel, 0);
  for (tiny_program *q = t->runtime->programs; q; q = q->next) tn_play_drop(q, code);
  return code;
}
// Ends the run of p for another call; the next tiny_program_call_for is told how.
static tiny_code tn_play_end(tiny_program *p) {
  if (!p->run.under_way) return TINY_OK;
  p->run.ended = tn_play_go(p, NULL, NULL, UINT64_MAX);
  p->run.waits = 1;
  return p->run.ended;
}
TINY_API tiny_code tiny_program_call(tiny_program *p, const void *const *in, void *const *out) {
  if (!p) return TINY_E_ARG;
  if (p->t->code != TINY_OK || tn_play_call_check(p, in, out) != TINY_OK) return p->t->code;
  const tiny_code code = tn_play_end(p);
  return code == TINY_OK ? tn_play_go(p, in, out, UINT64_MAX) : code;
}
TINY_API tiny_code tiny_program_call_for(tiny_program *p, const void *const *in, void *const *out, uint64_t ns) {
  const uint64_t until = tn_os_now() + ns;
  if (!p) return TINY_E_ARG;
  if (p->t->code != TINY_OK) return p->t->code;
  if (p->run.waits) { p->run.waits = 0; return p->run.ended; }
  if (!p->run.under_way && tn_play_call_check(p, in, out) != TINY_OK) return p->t->code;
  return tn_play_go(p, in, out, until < ns ? UINT64_MAX : until);
}
TINY_API void tiny_cancel(tiny_ctx *t) { if (t) tn_os_atomic_store(&t->cancel, 1); }

// ** what it takes and gives **

static int tn_play_end_of(const tn_saved *f, int32_t dtype, int32_t ndim, int32_t dim, tiny_dtype *its,
                          tiny_shape *shape) {
  if (its) *its = (tiny_dtype)dtype;
  if (!shape) return 1;
  memset(shape, 0, sizeof *shape);
  shape->ndim = ndim;
  for (int i = 0; i < ndim; i++) shape->dim[i] = f->dim[dim + i];
  return 1;
}
TINY_API int tiny_program_input(const tiny_program *p, int i, tiny_dtype *dtype, tiny_shape *shape) {
  const tn_saved *f = p ? &p->o.f : NULL;
  const tn_saved_input *x = f && i >= 0 && i < f->n[TN_SAVED_INPUTS] ? &f->input[i] : NULL;
  return x && tn_play_end_of(f, x->dtype, x->ndim, x->dim, dtype, shape);
}
TINY_API int tiny_program_output(const tiny_program *p, int i, tiny_dtype *dtype, tiny_shape *shape) {
  const tn_saved *f = p ? &p->o.f : NULL;
  const tn_saved_output *x = f && i >= 0 && i < f->n[TN_SAVED_OUTPUTS] ? &f->output[i] : NULL;
  return x && tn_play_end_of(f, x->dtype, x->ndim, x->dim, dtype, shape);
}
TINY_API const char *tiny_program_memory(const tiny_program *p, int i, tiny_dtype *dtype, int64_t *nelem) {
  const tn_saved *f = p ? &p->o.f : NULL;
  int named = 0;
  for (int k = 0; f && k < f->n[TN_SAVED_MEMORIES]; k++) {
    if (f->memory[k].name < 0 || named++ != i) continue;
    if (dtype) *dtype = (tiny_dtype)f->memory[k].dtype;
    if (nelem) *nelem = f->memory[k].nelem;
    return f->text + f->memory[k].name;
  }
  return NULL;
}
// Memory of that name, which has nbytes; NULL: an error.
static char *tn_play_named(tiny_program *p, const char *call, const char *name, const void *data, size_t nbytes) {
  const tn_saved *f = &p->o.f;
  const tn_saved_memory *m = NULL;
  for (int k = 0; name && k < f->n[TN_SAVED_MEMORIES] && !m; k++)
    if (f->memory[k].name >= 0 && !strcmp(f->text + f->memory[k].name, name)) m = &f->memory[k];
  const uint64_t has = m ? (uint64_t)m->nelem * (uint64_t)tn_dtypes[m->dtype].nbytes : 0;
  return tn_opened_fits(p->t, call, name, data, m ? &has : NULL, nbytes) ? p->contents + m->at : NULL;
}
TINY_API tiny_code tiny_program_read(tiny_program *p, const char *name, void *out, size_t nbytes) {
  if (!p) return TINY_E_ARG;
  const char *from = tn_play_named(p, "program_read", name, out, nbytes);
  const tiny_code code = from ? tn_play_end(p) : TINY_E_ARG;
  if (code == TINY_OK && nbytes) memcpy(out, from, nbytes);
  return code;
}
TINY_API tiny_code tiny_program_write(tiny_program *p, const char *name, const void *data, size_t nbytes) {
  if (!p) return TINY_E_ARG;
  char *to = tn_play_named(p, "program_write", name, data, nbytes);
  const tiny_code code = to ? tn_play_end(p) : TINY_E_ARG;
  if (code == TINY_OK && nbytes) memcpy(to, data, nbytes);
  return code;
}
TINY_API int tiny_program_kernel_count(const tiny_program *p) {
  int n = 0;
  for (int i = 0; p && i < p->o.f.n[TN_SAVED_STEPS]; i++) n += p->o.f.step[i].kernel >= 0;
  return n;
}
#endif
