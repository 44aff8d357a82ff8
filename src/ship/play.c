// play: programs that are loaded and run, and nothing else: what a context of TINY_RUNTIME_ONLY is made of.
//
// In:    saved programs; the host's memory for what they take and give. Out: their results.
// Holds: nothing is planned. A kernel is the file's machine code, where the file is trusted and the code fits; else its
//        list, compiled here, or interpreted: where nothing compiles, where memory that was written may not be
//        executed, and where the list of a file that is not trusted does not plainly keep within its memory (within.c).
//        Memory of a program are the file's pages, private to it, or a copy; a call asks for none.
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
} tn_play_kernel;

struct tiny_program {
  tiny_program *prev, *next;
  tiny_ctx *t;
  tn_opened o;                             // the front
  char *contents; size_t contents_nbytes;  // what memory holds
  void *pages; size_t pages_nbytes;        // that it lies in; NULL: in memory of its own
  char *arena; size_t arena_nbytes;
  tn_play_kernel *kernel;
  int interpreted; char why[160];          // kernels, and why the first of them is
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
  t->ndevice = t->runtime->open = 1;
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
  tn_match_close(t);
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
static tiny_code tn_play_load_guarded(tiny_ctx *t, void *arg) {
  tiny_program *p = (tiny_program *)arg;
  const int n = p->o.f.n[TN_SAVED_KERNELS];
  const tn_container c = tn_saved_code(&p->o.f);
  size_t local = 0;
  char said[sizeof t->message];
  p->kernel = (tn_play_kernel *)tn_alloc(t, ((size_t)n + 1) * sizeof *p->kernel);
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
  if (p->arena || p->contents) t->stats.nbytes_live -= p->arena_nbytes + (p->pages ? 0 : p->contents_nbytes);
  tn_cpu_aligned_free(t, p->arena, p->arena_nbytes);
  if (p->pages) tn_os_unmap_pages(p->pages, p->pages_nbytes);
  else tn_cpu_aligned_free(t, p->contents, p->contents_nbytes);
  tn_opened_close(&p->o);
  tn_release(t, p, sizeof *p);
}

// ** calling **

typedef struct tn_play_call { tiny_program *p; const void *const *in; void *const *out; } tn_play_call;

static tiny_code tn_play_call_check(const tn_play_call *c) {
  const tn_saved *f = &c->p->o.f;
  tiny_ctx *t = c->p->t;
  const int n = f->n[TN_SAVED_INPUTS], m = f->n[TN_SAVED_OUTPUTS];
  if ((n && !c->in) || (m && !c->out)) return tiny_fail(t, TINY_E_ARG, "program_call: in or out is NULL");
  for (int i = 0; i < n; i++) {
    const tn_saved_input *x = &f->input[i];
    if (!c->in[i]) return tiny_fail(t, TINY_E_ARG, "program_call: in[%d] is NULL", i);
    const int64_t k = x->scalar && tn_is_int(x->dtype) ? tn_dtype_load(x->dtype, c->in[i]) : x->least;
    if (k < x->least || k > x->most)
      return tiny_fail(t, TINY_E_ARG, "program_call: in[%d] is %lld, not within its bounds, %lld to %lld", i,
                       (long long)k, (long long)x->least, (long long)x->most);
  }
  for (int i = 0; i < m; i++) if (!c->out[i]) return tiny_fail(t, TINY_E_ARG, "program_call: out[%d] is NULL", i);
  return TINY_OK;
}
// Bits of the numbers that steps take.
static int64_t *tn_play_scalars(const tn_play_call *c) {
  const tn_saved *f = &c->p->o.f;
  tiny_ctx *t = c->p->t;
  int64_t *bits = (int64_t *)tn_scratch(t, ((size_t)f->n[TN_SAVED_SCALARS] + 1) * sizeof *bits);
  for (int i = 0; i < f->n[TN_SAVED_SCALARS]; i++) {
    const tn_saved_scalar *s = &f->scalar[i];
    int64_t k = s->k;
    switch (s->kind) {
      case TN_SAVED_INPUT: k = tn_dtype_load(s->dtype, c->in[s->input]); break;
      case TN_SAVED_DRAW: k = (uint32_t)((uint32_t)s->draw + t->runtime->random); break;
      case TN_SAVED_SEED_LOW: k = (int64_t)(t->seed & 0xFFFFFFFFu); break;
      case TN_SAVED_SEED_HIGH: k = (int64_t)(t->seed >> 32); break;
      default: break;
    }
    tn_dtype_store(s->dtype, &bits[i], k);
  }
  return bits;
}
// Where each place lies in this call.
static tiny_mem *tn_play_places(const tn_play_call *c) {
  const tiny_program *p = c->p;
  const tn_saved *f = &p->o.f;
  tiny_ctx *t = p->t;
  tiny_mem *at = (tiny_mem *)tn_scratch(t, ((size_t)f->n[TN_SAVED_PLACES] + 1) * sizeof *at);
  void **result = (void **)tn_scratch(t, ((size_t)f->head->noutput + 1) * sizeof *result);
  for (int i = 0; i < f->n[TN_SAVED_OUTPUTS]; i++) if (f->output[i].place >= 0) {
    void **r = &result[f->place[f->output[i].place].index];
    if (!*r) *r = c->out[i];
  }
  for (int i = 0; i < f->n[TN_SAVED_PLACES]; i++) {
    const tn_saved_place *x = &f->place[i];
    const tn_saved_leaf *leaf = x->kind == TN_SAVED_IN_LEAF ? &f->leaf[x->index] : NULL;
    if (leaf && leaf->input >= 0) at[i].base = (void *)(uintptr_t)c->in[leaf->input];
    else if (leaf) at[i].base = p->contents + f->memory[leaf->memory].at;
    else if (x->kind == TN_SAVED_IN_OUTPUT) at[i].base = result[x->index];
    else at[i].base = p->arena + x->offset;
    if (!at[i].base) at[i].base = tn_scratch(t, (size_t)x->nbytes + 1);    // nobody takes it
  }
  return at;
}
static tiny_code tn_play_step(const tn_play_call *c, const tn_saved_step *s, const tiny_mem *at, const int64_t *bits,
                              const int64_t *position) {
  enum { FEW = 64 };
  tiny_ctx *t = c->p->t;
  const int32_t *mem = c->p->o.f.number + s->mem, *arg = c->p->o.f.number + s->arg;
  const tn_play_kernel *k = &c->p->kernel[s->kernel];
  tiny_mem few[FEW], *m = s->nmem <= FEW ? few : (tiny_mem *)tn_scratch(t, (size_t)s->nmem * sizeof *m);
  int64_t some[FEW], *a = s->narg <= FEW ? some : (int64_t *)tn_scratch(t, (size_t)s->narg * sizeof *a);
  tiny_launch l;
  for (int i = 0; i < s->nmem; i++) m[i] = at[mem[i]];
  for (int i = 0; i < s->narg; i++) a[i] = arg[i] >= 0 ? bits[arg[i]] : position[-1 - arg[i]];
  memset(&l, 0, sizeof l);
  l.kernel = k->fn; l.mem = m; l.nmem = s->nmem; l.args = a; l.nargs = s->narg; l.tasks = k->tasks;
  l.local_nbytes = k->local_nbytes;
  t->stats.kernels++;
  return k->code ? tn_eval_launch(t, k->code, &l) : tn_cpu_launch(&t->runtime->cpu, &l);
}
// Steps from..to-1, once for every position of their iterations.
static tiny_code tn_play_tiled(const tn_play_call *c, int from, int to, const tiny_mem *at, const int64_t *bits) {
  const tn_saved *f = &c->p->o.f;
  const tn_saved_tiles *tiles = f->step[from].tiled ? &f->tiles[f->step[from].tiled - 1] : NULL;
  int64_t all = 1, position[TN_SAVED_AXES];
  const int axes = tiles ? (int)tiles->n : 0;
  for (int i = 0; i < axes; i++) all = tn_clamp_mul(all, tiles->count[i]);
  for (int64_t n = 0; n < all; n++) {
    int64_t left = n;
    for (int i = axes - 1; i >= 0; i--) {
      position[i] = tiles->from[i] + tiles->step[i] * (left % tiles->count[i]);
      left /= tiles->count[i];
    }
    for (int i = from; i < to; i++) if (f->step[i].kernel >= 0) {
      const tiny_code code = tn_play_step(c, &f->step[i], at, bits, position);
      if (code != TINY_OK) return code;
    }
  }
  return TINY_OK;
}
static size_t tn_play_output_nbytes(const tn_saved *f, const tn_saved_output *o) {
  return (size_t)tn_saved_nbytes(f, o->dtype, o->ndim, o->dim);
}
static tiny_code tn_play_call_guarded(tiny_ctx *t, void *arg) {
  const tn_play_call *c = (const tn_play_call *)arg;
  const tn_saved *f = &c->p->o.f;
  tiny_code code = TINY_OK;
  const int64_t *bits = tn_play_scalars(c);
  const tiny_mem *at = tn_play_places(c);
  const int steps = f->n[TN_SAVED_STEPS];
  for (int i = 0, to; i < steps && code == TINY_OK; i = to) {
    for (to = i + 1; f->step[i].tiled && to < steps && f->step[to].tiled == f->step[i].tiled; to++) {}
    code = tn_play_tiled(c, i, to, at, bits);
  }
  if (code != TINY_OK) return code;
  t->runtime->random += f->head->draws;
  for (int i = 0; i < f->n[TN_SAVED_OUTPUTS]; i++) {
    const tn_saved_output *o = &f->output[i];
    const size_t nbytes = tn_play_output_nbytes(f, o);
    const void *from = o->place < 0 ? c->in[o->input] : at[o->place].base;
    if (nbytes && from != c->out[i]) memcpy(c->out[i], from, nbytes);
  }
  return TINY_OK;
}
TINY_API tiny_code tiny_program_call(tiny_program *p, const void *const *in, void *const *out) {
  const tn_play_call c = {p, in, out};
  if (!p) return TINY_E_ARG;
  if (p->t->code != TINY_OK) return p->t->code;
  const tiny_code code = tn_play_call_check(&c);
  return code == TINY_OK ? tn_guard(p->t, tn_play_call_guarded, (void *)(uintptr_t)&c) : code;
}

// ** what it takes and gives **

static tiny_shape tn_play_shape(const tn_saved *f, int ndim, int dim) {
  tiny_shape shape;
  memset(&shape, 0, sizeof shape);
  shape.ndim = ndim;
  for (int i = 0; i < ndim; i++) shape.dim[i] = f->dim[dim + i];
  return shape;
}
TINY_API int tiny_program_input(const tiny_program *p, int i, tiny_dtype *dtype, tiny_shape *shape) {
  const tn_saved *f = p ? &p->o.f : NULL;
  if (!f || i < 0 || i >= f->n[TN_SAVED_INPUTS]) return 0;
  if (dtype) *dtype = (tiny_dtype)f->input[i].dtype;
  if (shape) *shape = tn_play_shape(f, f->input[i].ndim, f->input[i].dim);
  return 1;
}
TINY_API int tiny_program_output(const tiny_program *p, int i, tiny_dtype *dtype, tiny_shape *shape) {
  const tn_saved *f = p ? &p->o.f : NULL;
  if (!f || i < 0 || i >= f->n[TN_SAVED_OUTPUTS]) return 0;
  if (dtype) *dtype = (tiny_dtype)f->output[i].dtype;
  if (shape) *shape = tn_play_shape(f, f->output[i].ndim, f->output[i].dim);
  return 1;
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
  if (from && nbytes) memcpy(out, from, nbytes);
  return from ? TINY_OK : TINY_E_ARG;
}
TINY_API tiny_code tiny_program_write(tiny_program *p, const char *name, const void *data, size_t nbytes) {
  if (!p) return TINY_E_ARG;
  char *to = tn_play_named(p, "program_write", name, data, nbytes);
  if (to && nbytes) memcpy(to, data, nbytes);
  return to ? TINY_OK : TINY_E_ARG;
}
TINY_API int tiny_program_kernel_count(const tiny_program *p) {
  int n = 0;
  for (int i = 0; p && i < p->o.f.n[TN_SAVED_STEPS]; i++) n += p->o.f.step[i].kernel >= 0;
  return n;
}
#endif
