// load: a saved program -> a tiny_program, as tiny_capture would have given it.
//
// In:    a file or bytes, from wherever. Out: a program that tiny_run takes, or what is wrong with them.
// Holds: nothing is planned. Kernels of a file that is trusted are its machine code, where that fits the device. Others
//        are made from what they compute, which is verified: every access is within the memory that it is of, or left
//        out where it is not. What memory holds are the file's pages, private to the program, where the device shares
//        the host's memory.
#ifndef TN_SHIP_LOAD
#define TN_SHIP_LOAD
#ifndef TINY_AMALGAMATED
#include "../runtime/ship.c"
#include "save.c"
#include "opened.c"
#endif

typedef struct tn_loading {
  tn_opened o;
  tiny_archive *weights;
  tiny_tensor **outside;                   // by memory, of the archive
  tiny_program *p;
} tn_loading;

// ** kernels **

// INDEX u: within its memory, or left out.
static tiny_uop *tn_loading_within(tiny_ctx *t, tiny_uop *u) {
  const tiny_uop *m = tn_memory_behind(u->src[0]);
  const int64_t has = m->op == TINY_OP_PARAM ? m->v[0] : m->op == TINY_OP_DEFINE ? m->v[1] : 0;
  tiny_uop *e = u->src[1], *valid = u->nsrc > 2 ? u->src[2] : NULL;
  if (e->vmin >= 0 && e->vmax < has) return u;
  tiny_uop *from = tn_not(t, tn_u2(t, TINY_OP_LT, e, tn_int(t, e->dtype, 0)));
  tiny_uop *within = tn_u2(t, TINY_OP_AND, from, tn_u2(t, TINY_OP_LT, e, tn_int(t, e->dtype, has)));
  tiny_uop *src[3] = {u->src[0], e, valid ? tn_u2(t, TINY_OP_AND, valid, within) : within};
  return tn_uop_make(t, TINY_OP_INDEX, u->dtype, u->lanes, 3, src, u->k, u->nv, u->v);
}
// May a node of a kernel that anybody may have written stand there? Memory of its own is little, and what items do
// together is for devices that have some.
static int tn_loading_takes(const struct tn_device *d, const tiny_uop *u) {
  enum { OWN_NBYTES = 1 << 15 };
  const int each = tn_dtypes[u->dtype].nbytes;
  if (u->op == TINY_OP_DEFINE && u->v[1] > OWN_NBYTES / (each ? each : 1)) return 0;
  return u->lanes == 1 && (tn_machine_grid(&d->limits) || !tn_is_of_items(u));
}
// The same kernel, of which every access is within its memory or left out. NULL: one is no access.
static tiny_uop *tn_loading_keeps_within(tiny_ctx *t, const tn_wire_list *k) {
  tiny_uop **now = (tiny_uop **)tn_scratch(t, (size_t)k->n * sizeof *now);
  for (int i = 0; i < k->n; i++) k->list[i]->seq = (uint32_t)i;
  for (int i = 0; i < k->n; i++) {
    const tiny_uop *u = k->list[i];
    tiny_uop **src = (tiny_uop **)tn_scratch(t, ((size_t)u->nsrc + 1) * sizeof *src);
    for (uint32_t j = 0; j < u->nsrc; j++) src[j] = now[u->src[j]->seq];
    if (!tn_loading_takes(tn_device_here(t), u) || (u->op == TINY_OP_INDEX && !tn_is_int(src[1]->dtype))) return NULL;
    now[i] = tn_uop_make(t, u->op, u->dtype, 1, (int)u->nsrc, src, u->k, u->nv, u->v);
    if (u->op == TINY_OP_INDEX) now[i] = tn_loading_within(t, now[i]);
    if (now[i] == &t->ir->bad) return NULL;
  }
  return now[k->n - 1];
}
// The program's own code, where it is trusted: kernels are found in it by what they compute.
static tiny_code tn_loading_import_code(tiny_ctx *t, const tn_saved *f) {
  const tn_container_head *code = (const tn_container_head *)tn_saved_part_of(f->data, f->head, TN_SAVED_CODE);
  const size_t nbytes = (size_t)f->head->part[TN_SAVED_CODE].n;
  char *data;
  for (const struct tn_shipped *s = t->shipped; s; s = s->next)
    if (tn_digest_same(&s->c.head->sum, &code->sum)) return TINY_OK;
  struct tn_shipped *s = tn_ship_room(t, nbytes, &data);
  if (!s) return TINY_E_MEMORY;
  memcpy(data, code, nbytes);
  s->c = tn_container_of(data);
  s->next = t->shipped;
  t->shipped = s;
  return TINY_OK;
}
static tn_build tn_loading_foreign(struct tn_programs *at, const tn_container *c, const tn_container_kernel *k) {
  const tn_container_module *m = &c->module[k->module];
  tn_build b;
  memset(&b, 0, sizeof b);
  b.at = at; b.key = k->key;
  b.custom = c->data + m->at; b.binary = (size_t)m->nbytes; b.entry = k->name;
  memcpy(b.low.global, k->global, sizeof k->global);
  memcpy(b.low.local, k->local, sizeof k->local);
  b.low.tasks = k->tasks;
  return b;
}
// What each kernel is to be made from.
static tiny_code tn_loading_builds(tiny_ctx *t, const tn_loading *l, struct tn_programs *at, tn_build *build) {
  const tn_saved *f = &l->o.f;
  const tn_container c = tn_saved_code(f);
  const tn_container_target own = tn_programs_target(at);
  const char *wrong = NULL;
  char said[sizeof t->message];
  tn_wire_list *kernel = (tn_wire_list *)tn_scratch(t, ((size_t)f->n[TN_SAVED_KERNELS] + 1) * sizeof *kernel);
  for (int i = 0; i < f->n[TN_SAVED_KERNELS] && !wrong; i++) {
    const tn_container_kernel *k = tn_opened_find(&c, &f->kernel[i], TN_SHIP_KERNEL, NULL);
    if (!k) {
      const tn_container_kernel *binary = l->o.from->trusted ? tn_container_find(&c, &f->kernel[i], &own) : NULL;
      if (!binary)
        return tiny_fail(t, TINY_E_IO, "program_load: it has a kernel that is machine code alone: %s",
                         l->o.from->trusted ? "of another device" : "it runs where the file is trusted");
      build[i] = tn_loading_foreign(at, &c, binary);
      continue;
    }
    const tn_container_module *m = &c.module[k->module];
    memset(&build[i], 0, sizeof build[i]);
    build[i].at = at;
    wrong = tn_wire_in(t, c.data + m->at, (size_t)m->nbytes, &kernel[i]);
    if (wrong) break;
    build[i].ast = kernel[i].list[kernel[i].n - 1];
    if (!l->o.from->trusted) build[i].ast = tn_loading_keeps_within(t, &kernel[i]);
    if (!build[i].ast || build[i].ast->op != TINY_OP_SINK) wrong = "a kernel is none";
    else if (tn_verify(t, build[i].ast, TN_SPEC_KERNEL) != TINY_OK) wrong = tn_opened_blame(t, said, sizeof said);
  }
  for (int i = 0; i < f->n[TN_SAVED_STEPS] && !wrong; i++)
    if (f->step[i].kernel >= 0 && kernel[f->step[i].kernel].n)
      wrong = tn_opened_step_check(f, &f->step[i], &kernel[f->step[i].kernel]);
  return wrong ? (tn_opened_wrong(&l->o, "program_load", wrong), t->code) : TINY_OK;
}

// ** the program **

// One allocation, as tn_plan_keep makes them; it is the program's own.
static tn_plan *tn_loading_plan(tiny_ctx *t, const tn_saved *f, const tn_build *build, int device) {
  const int *n = f->n;
  size_t nbytes = sizeof(tn_plan) + (size_t)n[TN_SAVED_PLACES] * sizeof(tn_place_row) +
      (size_t)f->head->noutput * sizeof(tn_output) +
      (size_t)n[TN_SAVED_STEPS] * sizeof(tn_step) + (size_t)n[TN_SAVED_TILES] * sizeof(tn_tiled_axes) + 16 * 6 +
      (size_t)n[TN_SAVED_NUMBERS] * sizeof(int) + (size_t)n[TN_SAVED_DIMS] * sizeof(int64_t);
  tn_plan *p = (tn_plan *)tn_alloc(t, nbytes);
  char *at = (char *)(p + 1);
  p->nbytes = nbytes; p->holders = 1; p->number = ++t->schedules->made;
  p->place = (tn_place_row *)tn_plan_put(&at, NULL, 0); at += (size_t)n[TN_SAVED_PLACES] * sizeof *p->place;
  int64_t *dim = (int64_t *)tn_plan_put(&at, f->dim, (size_t)n[TN_SAVED_DIMS] * sizeof *f->dim);
  p->step = (tn_step *)(void *)at; at += (size_t)n[TN_SAVED_STEPS] * sizeof *p->step;
  p->tiled = (tn_tiled_axes *)(void *)at; at += (size_t)n[TN_SAVED_TILES] * sizeof *p->tiled;
  p->output = (tn_output *)(void *)at; at += (size_t)f->head->noutput * sizeof *p->output;
  int *number = (int *)(void *)at;
  memcpy(number, f->number, (size_t)n[TN_SAVED_NUMBERS] * sizeof *number);
  p->nplace = n[TN_SAVED_PLACES]; p->nstep = n[TN_SAVED_STEPS]; p->ntiled = n[TN_SAVED_TILES];
  for (int i = 0; i < p->nplace; i++) {
    static const int kinds[] = {TN_PLACE_LEAF, TN_PLACE_OUTPUT, TN_PLACE_TEMP};
    const tn_saved_place *x = &f->place[i];
    p->place[i].kind = kinds[x->kind]; p->place[i].index = x->index; p->place[i].device = device;
    p->place[i].nbytes = x->nbytes; p->place[i].offset = x->offset;
    if (x->kind == TN_SAVED_IN_OUTPUT) p->output[p->noutput++].place = i;    // in the order of their numbers
  }
  for (int i = 0; i < p->ntiled; i++) {
    p->tiled[i].n = (int)f->tiles[i].n;
    for (int k = 0; k < p->tiled[i].n; k++) {
      const tn_tiled_axis axis = {f->tiles[i].from[k], f->tiles[i].step[k], f->tiles[i].count[k]};
      p->tiled[i].axis[k] = axis;
    }
  }
  for (int i = 0; i < p->nstep; i++) {
    const tn_saved_step *x = &f->step[i];
    tn_step *s = &p->step[i];
    s->exe = x->kernel < 0 ? NULL : build[x->kernel].exe;
    if (s->exe) s->exe->steps++;
    s->mem = number + x->mem; s->nmem = x->nmem; s->arg = number + x->arg; s->narg = x->narg;
    s->tiled = x->tiled; s->device = device;
    s->dtype = x->dtype; s->ndim = x->ndim; s->dim = dim + x->dim;
  }
  p->arena[device] = p->arena_nbytes = p->alive_nbytes = f->head->arena_nbytes;
  return p;
}
static tiny_shape tn_loading_shape(const tn_saved *f, int ndim, int dim) {
  tiny_shape shape;
  memset(&shape, 0, sizeof shape);
  shape.ndim = ndim;
  for (int i = 0; i < ndim; i++) shape.dim[i] = f->dim[dim + i];
  return shape;
}
// A BUFFER of what memory number i holds. Light code.
static tiny_uop *tn_loading_memory(const tn_loading *l, int i) {
  const tn_saved_memory *m = &l->o.f.memory[i];
  const size_t at = (size_t)(l->o.f.head->part[TN_SAVED_CONTENTS].at + m->at);
  tiny_uop *u = NULL;
  if (m->outside) {
    tiny_tensor *x = l->outside[i];
    return tn_plain_buffer(tn_uop_of(x));
  }
  if (!tn_source_tensor(&l->o.source, at, m->dtype, 0, 1, &m->nelem, &u)) return NULL;
  return (tiny_uop *)(uintptr_t)tn_plain_buffer(u);
}
static void tn_loading_bind_rows(tiny_ctx *t, tiny_program *p, const tn_saved *f) {
  for (int i = 0; i < p->ninput; i++) {
    const tn_saved_input *x = &f->input[i];
    p->input[i].shape = tn_loading_shape(f, x->ndim, x->dim);
    p->input[i].dtype = x->dtype; p->input[i].scalar = x->scalar != 0;
    p->input[i].least = x->least; p->input[i].most = x->most;
  }
  for (int i = 0; i < p->noutput; i++) {
    const tn_saved_output *x = &f->output[i];
    p->output[i].shape = tn_loading_shape(f, x->ndim, x->dim);
    p->output[i].dtype = x->dtype; p->output[i].input = x->input;
    p->output[i].row = x->place < 0 ? -1 : f->place[x->place].index;
  }
  for (int i = 0; i < p->nscalar; i++) {
    static const int kinds[] = {TN_SCALAR_FIXED, TN_SCALAR_INPUT, TN_SCALAR_CALL, TN_SCALAR_SEED, TN_SCALAR_SEED};
    const tn_saved_scalar *x = &f->scalar[i];
    const uintptr_t id = x->kind == TN_SAVED_DRAW ? TN_RANDOM_CALL : x->kind == TN_SAVED_SEED_LOW ? TN_SEED_LOW
                         : x->kind == TN_SAVED_SEED_HIGH ? TN_SEED_HIGH : 0;
    p->scalar[i].kind = kinds[x->kind]; p->scalar[i].input = x->input;
    const int64_t k = x->kind == TN_SAVED_DRAW ? x->draw : x->k;
    p->scalar[i].u = tn_uop_make_with(t, TINY_OP_SCALAR, x->dtype, 1, 0, NULL, k, 0, NULL, (void *)id);
  }
  p->seed = t->seed; p->ndraw = f->head->draws;
}
static tiny_code tn_loading_bind_memory(tiny_ctx *t, const tn_loading *l, tiny_program *p) {
  const tn_saved *f = &l->o.f;
  tiny_uop **memory = (tiny_uop **)tn_scratch(t, ((size_t)f->n[TN_SAVED_MEMORIES] + 1) * sizeof *memory);
  for (int i = 0; i < f->n[TN_SAVED_MEMORIES]; i++)
    if (!(memory[i] = tn_loading_memory(l, i))) return t->code != TINY_OK ? t->code : TINY_E_INTERNAL;
  for (int i = 0; i < p->nleaf; i++) {
    const int at = f->leaf[i].memory;
    p->leaf[i].input = f->leaf[i].input;
    if (at < 0) continue;
    tn_storage *s = (tn_storage *)memory[at]->ptr;
    p->leaf[i].memory = tn_buffer_bound(t, s, f->memory[at].dtype, f->memory[at].nelem);
    p->leaf[i].left = s->left;
  }
  return TINY_OK;
}
// The names of memory, for tiny_program_read and its like.
static void tn_loading_name(tiny_ctx *t, const tn_saved *f, tiny_program *p) {
  int n = 0;
  for (int i = 0; i < f->n[TN_SAVED_MEMORIES]; i++) n += f->memory[i].name >= 0;
  if (!n) return;
  const size_t text = (size_t)f->n[TN_SAVED_TEXT], nbytes = (size_t)n * sizeof(tn_bound_name) + text;
  tn_bound_name *named = (tn_bound_name *)tn_alloc(t, nbytes);
  const char *const names = (const char *)memcpy(named + n, f->text, text);
  p->named = named; p->named_nbytes = nbytes;
  for (int i = 0; i < f->n[TN_SAVED_MEMORIES]; i++) {
    int leaf = 0;
    while (leaf < p->nleaf && f->leaf[leaf].memory != i) leaf++;
    if (f->memory[i].name < 0 || leaf == p->nleaf) continue;
    named[p->nnamed].name = names + f->memory[i].name;
    named[p->nnamed++].leaf = leaf;
  }
}
static tiny_code tn_loading_guarded(tiny_ctx *t, void *arg) {
  tn_loading *l = (tn_loading *)arg;
  const tn_saved *f = &l->o.f;
  struct tn_programs *at = tn_device_here(t)->programs;
  tn_build *build = (tn_build *)tn_scratch(t, ((size_t)f->n[TN_SAVED_KERNELS] + 1) * sizeof *build);
  tn_capture_call c;
  tn_visit v;
  tn_plan rows;
  memset(&c, 0, sizeof c); memset(&v, 0, sizeof v); memset(&rows, 0, sizeof rows);
  if (l->o.from->trusted && tn_loading_import_code(t, f) != TINY_OK) return t->code;
  if (tn_loading_builds(t, l, at, build) != TINY_OK || tn_build_all(t, at, build, f->n[TN_SAVED_KERNELS], 0) != TINY_OK)
    return t->code;
  for (int i = 0; i < f->n[TN_SAVED_KERNELS]; i++) tn_executable_keep_kernel(t, build[i].exe, build[i].ast);
  c.n = f->n[TN_SAVED_INPUTS]; c.m = f->n[TN_SAVED_OUTPUTS];
  v.leaves.n = f->n[TN_SAVED_LEAVES]; v.scalars.n = f->n[TN_SAVED_SCALARS];
  rows.nplace = f->n[TN_SAVED_PLACES]; rows.nstep = f->n[TN_SAVED_STEPS];
  tiny_program *p = l->p = tn_program_new(t, &c, &v, &rows);
  p->plan = NULL;
  p->nscalar = p->nleaf = 0;               // until they are there
  tn_program_link(t, p);
  p->plan = tn_loading_plan(t, f, build, t->here);
  p->own_plan = 1;
  p->nscalar = f->n[TN_SAVED_SCALARS];
  tn_loading_bind_rows(t, p, f);
  p->nleaf = f->n[TN_SAVED_LEAVES];
  if (tn_loading_bind_memory(t, l, p) != TINY_OK) return t->code;
  tn_loading_name(t, f, p);
  tn_bind_updates(p);
  tn_kept_find(t, p);
  return t->code;
}
// The contents that lie in an archive. Light code.
static int tn_loading_outside(tiny_ctx *t, tn_loading *l) {
  const tn_saved *f = &l->o.f;
  int wanted = 0;
  for (int i = 0; i < f->n[TN_SAVED_MEMORIES]; i++) wanted |= f->memory[i].outside;
  if (!wanted) return 1;
  if (!l->o.from->weights)
    return tn_opened_wrong(&l->o, "program_load", "what its memory holds was saved to an archive; tell where it is "
                           "(weights)");
  if (!(l->weights = tiny_archive_open(t, l->o.from->weights))) return 0;
  l->outside = (tiny_tensor **)tn_alloc(t, (size_t)f->n[TN_SAVED_MEMORIES] * sizeof *l->outside);
  for (int i = 0; l->outside && i < f->n[TN_SAVED_MEMORIES]; i++) {
    const tn_saved_memory *m = &f->memory[i];
    if (!m->outside) continue;
    const char *name = f->text + m->name;
    l->outside[i] = tiny_archive_get(l->weights, name);
    if (!tiny_ok(l->outside[i])) return 0;
    const tiny_uop *u = tn_uop_of(l->outside[i]), *buffer = tn_plain_buffer(u);
    if (u->dtype != m->dtype || tn_nelem(u) != m->nelem || !buffer) {
      tiny_fail(t, TINY_E_IO, "program_load: %.200s: %.100s is not what the program was saved with",
                l->o.from->weights, name);
      return 0;
    }
  }
  return l->outside != NULL;
}
TINY_API tiny_program *tiny_program_load(tiny_ctx *t, const tiny_program_source *from) {
  tn_loading l;
  if (!t) return NULL;
  memset(&l, 0, sizeof l);
  if (!tn_runs(t)) return NULL;
  int done = tn_opened_open(t, "program_load", from, &l.o) && tn_opened_is_meant(&l.o) && tn_loading_outside(t, &l);
  if (done) done = tn_guard(t, tn_loading_guarded, &l) == TINY_OK;
  for (int i = 0; l.outside && i < l.o.f.n[TN_SAVED_MEMORIES]; i++) tiny_free(l.outside[i]);
  if (l.outside) tn_release(t, l.outside, (size_t)l.o.f.n[TN_SAVED_MEMORIES] * sizeof *l.outside);
  if (l.weights) tiny_archive_close(l.weights);
  tn_opened_close(&l.o);
  if (done) return l.p;
  tiny_program_free(l.p);
  return NULL;
}
#endif
