// capture: kernels that users bring (source or IR), and programs: kernels captured once, replayed with other inputs.
#ifndef TN_RUNTIME_CAPTURE
#define TN_RUNTIME_CAPTURE
#ifndef TINY_AMALGAMATED
#include "realize.c"
#endif

// ** kernels from outside **

static char *tn_copy_text(tiny_ctx *t, const char *text, size_t *nbytes) {
  *nbytes = strlen(text) + 1;
  char *copy = (char *)tn_realloc(t, NULL, 0, *nbytes);
  if (copy) memcpy(copy, text, *nbytes);
  return copy;
}

typedef struct tn_custom_call { const tiny_kernel_desc *d; tn_digest key; } tn_custom_call;

static tiny_code tn_custom_key(tiny_ctx *t, void *arg) {
  tn_custom_call *call = (tn_custom_call *)arg;
  const tiny_kernel_desc *d = call->d;
  tn_digester all = tn_digest_open();
  tn_digest_add(&all, d->global, sizeof d->global);
  tn_digest_add(&all, d->local, sizeof d->local);
  if (d->uops) {
    const tn_digest kernel = tn_kernel_digest(t, d->uops);
    tn_digest_add(&all, &kernel, sizeof kernel);
  } else {
    tn_digest_add_text(&all, d->name);
    tn_digest_add_text(&all, d->source);
  }
  call->key = tn_digest_close(&all);
  return TINY_OK;
}

static tn_custom *tn_custom_new(tiny_ctx *t, const tiny_kernel_desc *d, tn_digest key) {
  tn_custom *c = (tn_custom *)tn_alloc(t, sizeof *c);
  if (!c) return NULL;
  c->key = key;
  c->uops = d->uops;
  memcpy(c->global, d->global, sizeof c->global);
  memcpy(c->local, d->local, sizeof c->local);
  if (!d->uops) {
    c->source = tn_copy_text(t, d->source, &c->source_nbytes);
    c->name = c->source ? tn_copy_text(t, d->name, &c->name_nbytes) : NULL;
    if (!c->name) { tn_custom_free(t, c); return NULL; }
  }
  t->runtime->ncustom++;
  return c;
}

// Comes to the front.
static tn_custom *tn_custom_find(tiny_ctx *t, const tiny_kernel_desc *d) {
  tn_custom_call call;
  call.d = d;
  if (tn_guard(t, tn_custom_key, &call) != TINY_OK) return NULL;
  tn_custom **at = &t->runtime->customs, *c;
  while ((c = *at) != NULL && !tn_digest_same(&c->key, &call.key)) at = &c->next;
  if (c) *at = c->next;
  else if (!(c = tn_custom_new(t, d, call.key))) return NULL;
  c->next = t->runtime->customs;
  return t->runtime->customs = c;
}

// A SINK from outside reads and writes nothing but the memory it is given.
static tiny_code tn_kernel_check(tiny_ctx *t, void *arg) {
  const tiny_kernel_desc *d = (const tiny_kernel_desc *)arg;
  tn_list all = {NULL, 0, 0};
  if (tn_verify(t, d->uops, TN_SPEC_KERNEL) != TINY_OK) return t->code;
  tn_toposort(t, d->uops, &all);
  for (int i = 0; i < all.n; i++) {
    const tiny_uop *u = all.u[i];
    if (u->op == TINY_OP_ARG) return tiny_fail(t, TINY_E_ARG, "kernel: uops take an ARG, but there are none");
    if (u->op != TINY_OP_PARAM) continue;
    if (u->k < 0 || u->k > d->n)
      return tiny_fail(t, TINY_E_ARG, "kernel: PARAM %lld, but there are an output and %d inputs",
                       (long long)u->k, d->n);
    const int64_t has = u->k ? tiny_nelem(d->inputs[u->k - 1]) : tn_dims_nelem(d->shape.ndim, d->shape.dim);
    const int dtype = u->k ? tn_uop_of(d->inputs[u->k - 1])->dtype : (int)d->dtype;
    if (u->v[0] > has || u->dtype != dtype)
      return tiny_fail(t, TINY_E_ARG, "kernel: PARAM %lld is %lld of %s, its tensor has %lld of %s",
                       (long long)u->k, (long long)u->v[0], tn_dtypes[u->dtype].name, (long long)has,
                       tn_dtypes[dtype].name);
  }
  return TINY_OK;
}

TINY_API tiny_tensor *tiny_kernel(tiny_ctx *t, const tiny_kernel_desc *desc) {
  tiny_tensor *wrong;
  if (!tn_runs(t)) return tn_poison(t);
  if (!desc || (!desc->uops && (!desc->source || !desc->name)))
    return tn_wrong(t, TINY_E_ARG, "kernel: needs source and name, or uops");
  if (desc->n < 0 || desc->n > 63 || (desc->n && !desc->inputs))
    return tn_wrong(t, TINY_E_ARG, "kernel: %d inputs", desc->n);
  if (desc->n && !tn_usable_in(t, "kernel", desc->n, desc->inputs, &wrong)) return wrong;
  if (!tn_dtype_check(t, "kernel", desc->dtype) || !tn_shape_valid(t, "kernel", &desc->shape))
    return tn_poison(t);
  if (!desc->uops && !t->device->backend->language)
    return tn_wrong(t, TINY_E_DEVICE, "kernel: %s does not take source", t->device->name);
  tiny_kernel_desc d = *desc;
  for (int i = 0; i < 3; i++) { if (!d.global[i]) d.global[i] = 1; if (!d.local[i]) d.local[i] = 1; }
  if (d.uops && d.uops->op != TINY_OP_SINK)
    return tn_wrong(t, TINY_E_ARG, "kernel: uops must be a SINK, not %s", tn_ops[d.uops->op].name);
  if (d.uops && tn_guard(t, tn_kernel_check, &d) != TINY_OK) return tn_poison(t);
  tn_custom *c = tn_custom_find(t, &d);
  if (!c) return tn_poison(t);
  tiny_uop *src[64];
  for (int i = 0; i < d.n; i++) {          // the kernel sees plain memory
    src[i] = tn_uop_of(d.inputs[i]);
    if (!tn_is_leaf(src[i]))
      src[i] = tn_plain_buffer(src[i]) ? tn_plain_buffer(src[i]) : tn_u1(t, TINY_OP_CONTIGUOUS, src[i]);
  }
  const tiny_shape *s = &d.shape;
  return tn_tensor_new(t, tn_uop_make_with(t, TINY_OP_CUSTOM, d.dtype, 1, d.n, src, 0, s->ndim, s->dim, c));
}

#ifndef TINY_NO_INTERP
static tiny_code tn_custom_interpret_apart(tiny_ctx *t, tiny_uop *sink, const tiny_mem *mem, int nmem) {
  tiny_limits none;
  tn_lowered low;
  tn_eval_code code;
  tn_eval_arg last;
  tiny_launch l;
  memset(&none, 0, sizeof none); memset(&low, 0, sizeof low); memset(&l, 0, sizeof l);
  const tn_target target = {NULL, &none};
  sink = tn_lower(t, tn_build_begin(t, sink), &target, &low);
  if (t->code != TINY_OK || tn_linearize(t, sink, &low) != TINY_OK) return t->code;
  if (tn_verify_list(t, low.list, low.n) != TINY_OK) return t->code;
  if (tn_eval_decode(t, low.list, low.n, 0, &code, &last) != TINY_OK) return t->code;
  l.mem = mem; l.nmem = nmem;
  memcpy(l.global, low.global, sizeof l.global);
  memcpy(l.local, low.local, sizeof l.local);
  return tn_eval_launch(t, &code, &l);
}
// The kernel of a CUSTOM node as it was written: no move is made. Heavy code.
static tiny_code tn_custom_interpret(tiny_ctx *t, const tiny_uop *u, const tiny_mem *mem) {
  const tn_custom *c = (const tn_custom *)u->ptr;
  const int64_t serial = t->ir->serial;
  const tn_mark mark = tn_scratch_mark(t);
  if (!c->uops) return tiny_fail(t, TINY_E_STATE, "eval: a kernel in the language of a device has no other meaning");
  const tiny_code code = tn_custom_interpret_apart(t, tn_nodes_enter(t, c->uops), mem, (int)u->nsrc + 1);
  tn_nodes_leave(t);
  tn_scratch_rewind(t, mark);
  t->ir->serial = serial;
  return code;
}
#endif

// ** captured programs **

// Marks the steps whose results are kept: those that read plain memory of the program's own, which the plan does not
// write, and results of such steps; each the only writer of an intermediate. Those that other steps read need memory.
static void tn_kept_find(tiny_ctx *t, tiny_program *p) {
  const tn_plan *plan = p->plan;
  tn_kept *k = &p->kept;
  int *writers = (int *)tn_scratch(t, ((size_t)plan->nplace + 1) * sizeof *writers);
  uint8_t *made = (uint8_t *)tn_scratch(t, (size_t)plan->nplace + 1);      // by a step that is kept
  for (int i = 0; i < plan->nplace; i++) k->at[i] = -1;
  for (int i = 0; i < plan->nstep; i++) if (plan->step[i].exe) writers[plan->step[i].mem[0]]++;
  for (int i = 0; i < plan->nstep; i++) {
    const tn_step *s = &plan->step[i];
    if (!s->exe) continue;                 // of no elements
    int keeps = !s->rounds && writers[s->mem[0]] == 1 && plan->place[s->mem[0]].kind == TN_PLACE_TEMP;
    for (int j = 1; j < s->nmem && keeps; j++) {
      const tn_place_row *from = &plan->place[s->mem[j]];
      keeps = made[s->mem[j]];
      if (from->kind != TN_PLACE_LEAF || writers[s->mem[j]] || p->leaf_input[from->index] >= 0) continue;
      const tn_storage *storage = tn_leaf_storage(p->leaf[from->index]);
      keeps = !storage->borrowed || storage->pages;
    }
    k->step[i] = made[s->mem[0]] = (uint8_t)keeps;
    for (int j = 1; j < s->nmem; j++) {
      const tn_place_row *from = &plan->place[s->mem[j]];
      if (keeps && from->kind == TN_PLACE_LEAF) k->leaf[from->index] = 1;
      if (keeps || !made[s->mem[j]] || k->at[s->mem[j]] >= 0) continue;
      k->at[s->mem[j]] = k->nbytes;
      k->nbytes += (from->nbytes + TN_ARENA_ALIGN - 1) / TN_ARENA_ALIGN * TN_ARENA_ALIGN;
    }
  }
}

// Memory for what the program keeps, if the cap leaves any, and whether it must be computed in this run.
static tiny_code tn_kept_bind(tiny_ctx *t, tiny_program *p, tn_run *r) {
  tn_kept *k = &p->kept;
  uint64_t written = 0;
  if (!k->nbytes || (!k->storage && t->max_nbytes && t->stats.nbytes_live + (size_t)k->nbytes > t->max_nbytes / 2))
    return TINY_OK;
  if (!k->storage && !(k->storage = tn_storage_new(t, (size_t)k->nbytes))) {
    tn_storage_drop_loose(t);
    return t->code;
  }
  tn_storage_hold(t, k->storage);
  for (int i = 0; i < p->nleaf; i++) if (k->leaf[i]) written += tn_leaf_storage(p->leaf[i])->written;
  k->done &= written == k->written;
  k->written = written;
  r->kept = k;
  return TINY_OK;
}

typedef struct tn_capture_call {
  tiny_tensor *const *in, *const *out;
  int n, m;
  tiny_program *p;
} tn_capture_call;

static tiny_code tn_capture_guarded(tiny_ctx *t, void *arg) {
  tn_capture_call *c = (tn_capture_call *)arg;
  tn_list roots = {NULL, 0, 0};
  tn_visit v;
  tn_plan *plan = NULL;
  memset(&v, 0, sizeof v);
  for (int i = 0; i < c->m; i++)
    if (!tn_plain_buffer(tn_uop_of(c->out[i]))) tn_push(t, &roots, tn_uop_of(c->out[i]));
  tn_visit_graph(t, &v, roots.u, roots.n);
  if (roots.n) plan = tn_plan_find(t, &v);
  if (roots.n && !plan && tn_plan_make(t, &v, roots.u, roots.n, &plan) != TINY_OK) return t->code;
  const int nplace = plan ? plan->nplace : 0, nstep = plan ? plan->nstep : 0;
  const size_t nbytes =
      sizeof *c->p + (size_t)(v.leaves.n + v.scalars.n + c->m) * (sizeof(void *) + 2 * sizeof(int) + 1) +
      (size_t)nplace * sizeof *c->p->kept.at + (size_t)nstep + 64;
  tiny_program *p = (tiny_program *)tn_alloc(t, nbytes);
  char *at = (char *)(p + 1);
  p->t = t; p->nbytes = nbytes; p->plan = plan;
  p->ninput = c->n; p->noutput = c->m; p->nleaf = v.leaves.n; p->nscalar = v.scalars.n;
  p->leaf = (tiny_uop **)tn_plan_put(&at, v.leaves.u, (size_t)v.leaves.n * sizeof(void *));
  p->scalar = (tiny_uop **)tn_plan_put(&at, v.scalars.u, (size_t)v.scalars.n * sizeof(void *));
  p->kept.at = (int64_t *)(void *)at; at += (size_t)nplace * sizeof *p->kept.at;
  p->shape = (tiny_uop **)(void *)at; at += (size_t)c->m * sizeof(void *);
  p->leaf_input = (int *)(void *)at; at += (size_t)v.leaves.n * sizeof(int);
  p->output = (int *)(void *)at; at += (size_t)c->m * sizeof(int);
  p->output_leaf = (int *)(void *)at; at += (size_t)c->m * sizeof(int);
  p->kept.step = (uint8_t *)at; at += nstep;
  p->kept.leaf = (uint8_t *)at;
  for (int i = 0; i < v.leaves.n; i++) {
    p->leaf_input[i] = -1;
    for (int j = 0; j < c->n; j++)
      if (tn_plain_buffer(tn_uop_of(c->in[j])) == tn_place(v.leaves.u[i])) {
        p->leaf_input[i] = j;
        p->leaf[i] = NULL;
        break;
      }
  }
  for (int i = 0; i < c->m; i++) {
    p->shape[i] = tn_uop_of(c->out[i]);
    p->output[i] = p->output_leaf[i] = -1;
    for (int j = 0; plan && j < plan->noutput; j++)
      if (v.all.u[plan->output[j].node] == tn_uop_of(c->out[i])) p->output[i] = j;
    for (int j = 0; j < c->n && p->output[i] < 0; j++)
      if (tn_plain_buffer(tn_uop_of(c->in[j])) == tn_plain_buffer(tn_uop_of(c->out[i]))) p->output_leaf[i] = j;
  }
  if (plan) tn_kept_find(t, p);
  if (plan) plan->holders++;
  p->next = t->runtime->programs;
  if (p->next) p->next->prev = p;
  t->runtime->programs = p;
  c->p = p;
  return TINY_OK;
}

TINY_API tiny_program *tiny_capture(tiny_ctx *t, tiny_tensor *const *inputs, int n,
                                    tiny_tensor *const *outputs, int m) {
  tiny_tensor *wrong;
  if (!tn_runs(t)) return NULL;
  if (n < 0 || m < 1 || (n && !inputs) || !outputs) {
    tiny_fail(t, TINY_E_ARG, "capture: %d inputs, %d outputs", n, m);
    return NULL;
  }
  if ((n && !tn_usable_in(t, "capture", n, inputs, &wrong)) || !tn_usable_in(t, "capture", m, outputs, &wrong))
    return NULL;
  for (int i = 0; i < n; i++)
    if (!tn_plain_buffer(tn_uop_of(inputs[i]))) {
      tiny_fail(t, TINY_E_STATE, "capture: input %d is not realized", i);
      return NULL;
    }
  tn_capture_call c = {inputs, outputs, n, m, NULL};
  return tn_guard(t, tn_capture_guarded, &c) == TINY_OK ? c.p : NULL;
}

typedef struct tn_run_call { tiny_program *p; tiny_tensor *const *in; tiny_tensor **out; } tn_run_call;

static tiny_code tn_run_guarded(tiny_ctx *t, void *arg) {
  const tn_run_call *c = (const tn_run_call *)arg;
  const tiny_program *p = c->p;
  tiny_uop **leaf = (tiny_uop **)tn_scratch(t, ((size_t)p->nleaf + 1) * sizeof *leaf);
  for (int i = 0; i < p->nleaf; i++)
    leaf[i] = p->leaf_input[i] < 0 ? p->leaf[i] : tn_plain_buffer(tn_uop_of(c->in[p->leaf_input[i]]));
  tn_run r = {p->plan, leaf, p->scalar, NULL, NULL, NULL};
  if (p->plan) {
    r.fresh = (tn_storage **)tn_scratch(t, ((size_t)p->plan->noutput + 1) * sizeof *r.fresh);
    tiny_code code = tn_run_bind(t, &r);
    tn_paused_drop(t);                     // it may have read what is overwritten
    if (code == TINY_OK) code = tn_kept_bind(t, c->p, &r);
    if (code == TINY_OK) code = tn_run_launch(t, &r, 0, p->plan->nstep);
    c->p->kept.done = r.kept && code == TINY_OK;
    if (code != TINY_OK) return code;
  }
  for (int i = 0; i < p->noutput; i++) {
    const tiny_uop *s = p->shape[i];
    if (p->output[i] < 0) {
      c->out[i] = p->output_leaf[i] < 0 ? tn_tensor_new(t, p->shape[i]) :
                                          tn_tensor_new(t, tn_uop_of(c->in[p->output_leaf[i]]));
      continue;
    }
    const tn_place_row *place = &p->plan->place[p->plan->output[p->output[i]].place];
    tn_storage *from =
        place->kind == TN_PLACE_OUTPUT ? r.fresh[place->index] : tn_leaf_storage(leaf[place->index]);
    c->out[i] =
        tn_tensor_new(t, tn_reshape(t, tn_buffer_node(t, from, s->dtype, tn_nelem(s)), s->ndim, s->dim));
  }
  tn_storage_drop_loose(t);
  tn_collect_if_due(t);
  return TINY_OK;
}

TINY_API tiny_code tiny_run(tiny_program *p, tiny_tensor *const *inputs, tiny_tensor **outputs) {
  tiny_tensor *wrong;
  if (!p) return TINY_E_ARG;
  tiny_ctx *t = p->t;
  for (int i = 0; outputs && i < p->noutput; i++) outputs[i] = tn_poison(t);
  if (!outputs || (p->ninput && !inputs)) return tiny_fail(t, TINY_E_ARG, "run: inputs or outputs are NULL");
  if (p->ninput && !tn_usable_in(t, "run", p->ninput, inputs, &wrong))
    return t->code != TINY_OK ? t->code : TINY_E_ARG;
  for (int i = 0; i < p->ninput; i++)
    if (!tn_plain_buffer(tn_uop_of(inputs[i])))
      return tiny_fail(t, TINY_E_STATE, "run: input %d is not realized", i);
  for (int i = 0; i < p->nleaf; i++) if (p->leaf_input[i] >= 0) {
    const tiny_uop *given = tn_plain_buffer(tn_uop_of(inputs[p->leaf_input[i]]));
    const tn_place_row *place = NULL;
    for (int j = 0; j < p->plan->nplace; j++)
      if (p->plan->place[j].kind == TN_PLACE_LEAF && p->plan->place[j].index == i) place = &p->plan->place[j];
    if (place && tn_node_nbytes(given) != place->nbytes)
      return tiny_fail(t, TINY_E_SHAPE, "run: input %d has %lld bytes, the captured one had %lld",
                       p->leaf_input[i], (long long)tn_node_nbytes(given), (long long)place->nbytes);
  }
  tn_run_call c = {p, inputs, outputs};
  const tiny_code code = tn_guard(t, tn_run_guarded, &c);
  for (int i = 0; code != TINY_OK && i < p->noutput; i++) outputs[i] = tn_poison(t);
  return code;
}

TINY_API int tiny_program_kernels(const tiny_program *p) {
  int n = 0;
  for (int i = 0; p && p->plan && i < p->plan->nstep; i++) n += p->plan->step[i].exe != NULL;
  return n;
}

TINY_API void tiny_program_free(tiny_program *p) {
  if (!p) return;
  tiny_ctx *t = p->t;
  if (p->prev) p->prev->next = p->next; else t->runtime->programs = p->next;
  if (p->next) p->next->prev = p->prev;
  if (p->plan) p->plan->holders--;
  tn_kept_drop(t, &p->kept);
  tn_release(t, p, p->nbytes);
}
#endif
