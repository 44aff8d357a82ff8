// replay: runs of programs, captured or loaded: whole, or a part at a time.
//
// In:    a tiny_program, inputs. Out: tensors over what was computed.
// Holds: inputs are what the program was captured with, in dtype, shape and kind, and its memory is where it was.
//        Assignments to it that are pending happen first; what was built from contents that the run overwrites gets a
//        copy of them first. After an error every output is poison.
#ifndef TN_RUNTIME_REPLAY
#define TN_RUNTIME_REPLAY
#ifndef TINY_AMALGAMATED
#include "capture.c"
#endif

// until: when a run of tiny_run_for is to be over, by the host's clock; 0: it runs to its end.
typedef struct tn_run_call { tiny_program *p; tiny_tensor *const *in; uint64_t until; } tn_run_call;

// Does its memory still hold what it was captured with?
static tiny_code tn_program_is_bound(const tiny_program *p, const char *call) {
  for (int i = 0; i < p->nleaf; i++)
    if (p->leaf[i].memory && tn_leaf_storage(p->leaf[i].memory)->left != p->leaf[i].left)
      return tiny_fail(p->t, TINY_E_STATE, "%s: a tensor that the program reads was given other memory, because an "
                       "equal one shares it; tiny_clone and tiny_realize such tensors before they are captured", call);
  return TINY_OK;
}
// Are the tensors what the program was captured with, in dtype, shape and kind?
static tiny_code tn_run_check(const tiny_program *p, tiny_tensor *const *in) {
  tiny_ctx *t = p->t;
  char has[TN_DIMS_TEXT], had[TN_DIMS_TEXT];
  for (int i = 0; i < p->ninput; i++) {
    const tn_bound_input *want = &p->input[i];
    const tiny_uop *u = tn_uop_of(in[i]);
    if (u->dtype != want->dtype)
      return tiny_fail(t, TINY_E_DTYPE, "run: input %d is %s, the captured one was %s", i, tn_dtypes[u->dtype].name,
                       tn_dtypes[want->dtype].name);
    if (want->scalar && u->op != TINY_OP_SCALAR)
      return tiny_fail(t, TINY_E_STATE, "run: input %d is no tiny_scalar, as the captured one was", i);
    if (want->scalar && tn_is_int(u->dtype) && (u->k < want->least || u->k > want->most))
      return tiny_fail(t, TINY_E_ARG, "run: input %d is %lld, not within its bounds, %lld to %lld", i, (long long)u->k,
                       (long long)want->least, (long long)want->most);
    if (!tn_has_dims(u, want->shape.ndim, want->shape.dim))
      return tiny_fail(t, TINY_E_SHAPE, "run: input %d is %s, the captured one was %s", i, tn_text_of(u, has),
                       tn_dims_text(had, sizeof had, want->shape.ndim, want->shape.dim));
  }
  for (int i = 0; i < p->ninput; i++)      // after those: tiny_realize does not help what is of another shape
    if (!p->input[i].scalar && !tn_plain_buffer(tn_uop_of(in[i])))
      return tiny_fail(t, TINY_E_STATE, "run: input %d is not realized", i);
  if (tn_program_is_bound(p, "run") != TINY_OK) return t->code;
  if (p->draws_fixed && p->ndraw && p->seed != t->seed)
    return tiny_fail(t, TINY_E_STATE, "run: tiny_seed was called, but the program has random numbers of an earlier "
                     "seed; tiny_realize them before they are captured");
  return TINY_OK;
}

// Assignments to memory of the program, or to what its inputs are, that are pending happen first.
static tiny_code tn_run_pending(tiny_ctx *t, const tiny_program *p) {
  int touches = 0;
  const uint32_t stamp = ++t->ir->epoch;
  for (int i = 0; i < p->nleaf; i++) if (p->leaf[i].memory) tn_leaf_storage(p->leaf[i].memory)->seen = stamp;
  for (int i = 0; i < t->tensors->npending; i++) {
    const tiny_uop *b = tn_place(t->tensors->pending[i]);
    touches |= b->op == TINY_OP_BUFFER && ((const tn_storage *)b->ptr)->seen == stamp;
  }
  if (!touches) return TINY_OK;
  tn_list roots = {NULL, 0, 0};
  tn_pending_roots(t, &roots);
  return tn_realize_roots(t, &roots);
}
#ifndef TINY_NO_IO
// What its memory holds is about to be looked at: assignments to it that are pending happen, and runs that are under
// way and write it go on to their ends.
static tiny_code tn_program_memory_now(tiny_ctx *t, const tiny_program *p) {
  tiny_code code = tn_run_pending(t, p);
  for (int i = 0; i < p->nleaf && code == TINY_OK; i++)
    if (p->leaf[i].memory) code = tn_unfinished_meet(t, tn_leaf_storage(p->leaf[i].memory), 0);
  return code;
}
#endif
// What was built from contents that the program overwrites keeps them.
static tiny_code tn_run_promises(tiny_ctx *t, const tiny_program *p) {
  tiny_code code = TINY_OK;
  const uint32_t stamp = ++t->ir->epoch;
  for (int i = 0; i < p->nleaf; i++) if (p->leaf[i].updated) tn_leaf_storage(p->leaf[i].memory)->seen = stamp;
  tn_readers_find(t, stamp);
  for (int i = 0; i < p->nleaf && code == TINY_OK; i++) if (p->leaf[i].updated) {
    tn_storage *s = tn_leaf_storage(p->leaf[i].memory);
    if (s->read == stamp) { s->read = 0; code = tn_storage_keep_old(t, s); }
  }
  return code;
}
// The memory of every leaf. An input that the program overwrites is copied first.
static tiny_code tn_run_leaves(tiny_ctx *t, const tn_run_call *c, tiny_uop **leaf) {
  const tiny_program *p = c->p;
  const uint32_t stamp = ++t->ir->epoch;
  for (int i = 0; i < p->nleaf; i++) if (p->leaf[i].updated) tn_leaf_storage(p->leaf[i].memory)->seen = stamp;
  for (int i = 0; i < p->nleaf; i++) {
    if (p->leaf[i].input < 0) { leaf[i] = p->leaf[i].memory; continue; }
    leaf[i] = tn_plain_buffer(tn_uop_of(c->in[p->leaf[i].input]));
    tn_storage *s = (tn_storage *)leaf[i]->ptr;
    if (s->seen != stamp) continue;
    s = tn_storage_copy(t, s, (size_t)tn_node_nbytes(leaf[i]));
    if (!s) return t->code != TINY_OK ? t->code : TINY_E_DEVICE;
    leaf[i] = tn_buffer_node(t, s, leaf[i]->dtype, leaf[i]->dim[0]);
  }
  return TINY_OK;
}
// Runs under way that meet this one in memory go on to their ends; so does one of the program itself.
static TN_COLD tiny_code tn_run_meet(tiny_ctx *t, const tn_run_call *c) {
  tiny_program *p = c->p;
  const tiny_code code = tn_unfinished_end(t, p);
  const uint32_t stamp = ++t->ir->epoch;
  if (code != TINY_OK) return code;
  for (int i = 0; i < p->nleaf; i++) {
    const tiny_uop *u = p->leaf[i].input < 0 ? p->leaf[i].memory : tn_plain_buffer(tn_uop_of(c->in[p->leaf[i].input]));
    tn_storage *s = tn_leaf_storage(u);
    if (s->seen != stamp) s->read = 0;
    s->seen = stamp;
    if (p->leaf[i].updated) s->read = stamp;
  }
  for (int i = 0; i < p->noutput; i++) if (p->output[i].row < 0) {
    tn_storage *s = (tn_storage *)tn_plain_buffer(tn_uop_of(c->in[p->output[i].input]))->ptr;
    if (s->seen != stamp) s->read = 0;
    s->seen = stamp;
  }
  return tn_unfinished_met(t, stamp);
}
// The scalars of this run.
static tiny_uop **tn_run_scalars(tiny_ctx *t, const tn_run_call *c) {
  const tiny_program *p = c->p;
  tiny_uop **scalar = (tiny_uop **)tn_scratch(t, ((size_t)p->nscalar + 1) * sizeof *scalar);
  for (int i = 0; i < p->nscalar; i++) {
    const tn_bound_scalar *s = &p->scalar[i];
    scalar[i] = s->kind == TN_SCALAR_INPUT ? tn_uop_of(c->in[s->input]) : s->u;
    if (s->kind != TN_SCALAR_CALL && s->kind != TN_SCALAR_SEED) continue;
    scalar[i] = (tiny_uop *)memcpy(tn_scratch(t, sizeof *s->u), s->u, sizeof *s->u);
    if (s->kind == TN_SCALAR_CALL) scalar[i]->k = (uint32_t)((uint32_t)s->u->k - p->draw + t->tensors->random);
    else scalar[i]->k = (int64_t)((uintptr_t)s->u->ptr == TN_SEED_LOW ? t->seed & 0xFFFFFFFFu : t->seed >> 32);
  }
  return scalar;
}
// u, of which as much is meant as of the output it is, by the scalars of this run.
static tiny_uop *tn_run_meant(tiny_ctx *t, const tn_run_call *c, const tn_bound_output *o, tiny_uop *u) {
  tn_map now = {NULL, 0, 0};
  if (!o->meant) return u;
  for (int i = 0; i < c->p->nscalar; i++) {
    const tn_bound_scalar *s = &c->p->scalar[i];
    if (s->kind != TN_SCALAR_INPUT || !s->u->nv) continue;
    const tiny_uop *in = tn_uop_of(c->in[s->input]);         // its value is within the captured bounds
    tn_map_set(t, &now, s->u, tn_uop_make_with(t, TINY_OP_SCALAR, s->u->dtype, 1, 0, NULL, in->k, 2, s->u->v, in->ptr));
  }
  const tiny_uop *meant = tn_substitute(t, o->meant, &now);
  for (uint32_t i = 0; i < meant->nsrc; i++)
    if (meant->src[i]->dtype == TINY_INDEX) u = tn_first_of(t, u, (int)i, meant->src[i]);
  return u;
}
// A node over what is computed; an input that is given back as it is becomes a value of its own: when it is needed, or
// at once, a copy.
static tiny_uop *tn_run_output(tiny_ctx *t, const tn_run_call *c, const tn_run *r, const tn_bound_output *o) {
  tiny_uop *u;
  if (o->row < 0 && !c->until) {
    u = tn_uop_of(c->in[o->input]);
    while (u->op == TINY_OP_PREFIX) u = u->src[0];
    u = tn_uop_make(t, TINY_OP_CAST, u->dtype, 1, 1, &u, 0, 0, NULL);
  } else if (o->row < 0) {
    tiny_uop *b = tn_plain_buffer(tn_uop_of(c->in[o->input]));
    tn_storage *s = tn_storage_copy(t, (tn_storage *)b->ptr, (size_t)tn_node_nbytes(b));
    if (!s) return NULL;
    u = tn_buffer_node(t, s, o->dtype, b->dim[0]);
  } else {
    tn_storage *s = r->fresh[r->plan->place[r->plan->output[o->row].place].index];
    u = tn_buffer_node(t, s, o->dtype, tn_dims_nelem(o->shape.ndim, o->shape.dim));
  }
  return tn_run_meant(t, c, o, tn_reshape(t, u, o->shape.ndim, o->shape.dim));
}

// A run of p may begin: its inputs fit, and what others have to do with its memory before is done.
static tiny_code tn_run_prepare(tiny_ctx *t, const tn_run_call *c) {
  tiny_program *p = c->p;
  tiny_code code = tn_run_pending(t, p);
  if (code == TINY_OK) code = tn_run_check(p, c->in);
  if (code == TINY_OK && t->runtime->unfinished) code = tn_run_meet(t, c);
  if (code != TINY_OK) return code;
  tn_tiers_poll(t);
  tn_paused_drop(t);                       // it may have read what is overwritten
  return p->updates ? tn_run_promises(t, p) : TINY_OK;
}
// Memory of a run, of which leaf and fresh are there.
static tiny_code tn_run_begin(tiny_ctx *t, const tn_run_call *c, tn_run *r, tiny_uop **leaf) {
  tiny_code code = tn_run_bind(t, r);
  if (code == TINY_OK) code = tn_run_leaves(t, c, leaf);
  return code == TINY_OK ? tn_kept_bind(t, c->p, r) : code;
}

static tiny_code tn_run_guarded(tiny_ctx *t, void *arg) {
  const tn_run_call *c = (const tn_run_call *)arg;
  tiny_program *p = c->p;
  tn_run r;
  memset(&r, 0, sizeof r);
  tiny_code code = tn_run_prepare(t, c);
  if (code != TINY_OK) return code;
  r.plan = p->plan;
  if (p->plan) {
    tiny_uop **leaf = (tiny_uop **)tn_scratch(t, ((size_t)p->nleaf + 1) * sizeof *leaf);
    r.fresh = (tn_storage **)tn_scratch(t, ((size_t)p->plan->noutput + 1) * sizeof *r.fresh);
    r.scalar = tn_run_scalars(t, c);
    r.label = p->label;
    r.leaf = leaf;
    code = tn_run_begin(t, c, &r, leaf);
    if (code == TINY_OK) code = tn_run_launch(t, &r, 0, p->plan->nstep);
    p->kept.done = r.kept && code == TINY_OK;
    if (code != TINY_OK) return code;
    t->tensors->random += p->ndraw;
  }
  for (int i = 0; i < p->noutput; i++) {
    p->made[i] = tn_tensor_new(t, tn_run_output(t, c, &r, &p->output[i]));
    if (tn_poisoned(p->made[i])) code = t->code;
  }
  tn_storage_drop_loose(t);
  if (code == TINY_OK) tn_collect_if_due(t);
  return code;
}

// A run that need not end with this call: all that it needs is held by the program.
static tiny_code tn_run_for_begin(tiny_ctx *t, const tn_run_call *c) {
  tiny_program *p = c->p;
  tiny_code code = tn_run_prepare(t, c);
  if (code != TINY_OK) return code;
  struct tn_unfinished *u = tn_unfinished_new(t, p);
  tiny_uop **scalar = tn_run_scalars(t, c);
  for (int i = 0; i < p->nscalar; i++) { u->scalar[i] = *scalar[i]; u->scalars[i] = &u->scalar[i]; }
  if (p->plan) code = tn_run_begin(t, c, &u->run, u->leaf);
  if (code != TINY_OK) return code;
  tn_unfinished_hold(t, p);
  for (int i = 0; i < p->noutput && code == TINY_OK; i++) {
    u->output[i] = tn_run_output(t, c, &u->run, &p->output[i]);
    if (!u->output[i]) code = t->code != TINY_OK ? t->code : TINY_E_DEVICE;
  }
  if (code != TINY_OK) return code;
  u->random = t->tensors->random += p->ndraw;
  u->drew = 1;
  if (p->plan) return TINY_OK;
  u->done = 1;                             // nothing is to be computed
  tn_unfinished_release(t, p);
  return TINY_OK;
}
static tiny_code tn_run_for_guarded(tiny_ctx *t, void *arg) {
  const tn_run_call *c = (const tn_run_call *)arg;
  tiny_program *p = c->p;
  tiny_code code = p->unfinished ? TINY_OK : tn_run_for_begin(t, c);
  if (code == TINY_OK) code = tn_unfinished_go(t, p, c->until);
  for (int i = 0; code == TINY_OK && i < p->noutput; i++) {
    p->made[i] = tn_tensor_new(t, p->unfinished->output[i]);
    if (tn_poisoned(p->made[i])) code = t->code;
  }
  if (code != TINY_MORE) tn_unfinished_drop(t, p);
  if (code == TINY_OK) tn_collect_if_due(t);
  return code;
}

// Does a call that returned this leave its outputs as they were? The same call may be made again.
static int tn_run_repeats(const tiny_ctx *t, tiny_code code) {
  return code == TINY_MORE || (code == TINY_E_CANCELLED && t->code == TINY_OK);
}
// How a run of p ended that another call went on with, if not well: told once.
static tiny_code tn_run_ended(tiny_program *p) {
  const tiny_code code = p->ended;
  p->ended = TINY_OK;
  if (code == TINY_OK || code == TINY_E_CANCELLED) return code;
  return tiny_fail(p->t, code, "run_for: another call went on with the run, and failed");
}
// After an error every output is poison.
static tiny_code tn_run_parts(tiny_program *p, tiny_tensor *const *inputs, tiny_tensor **outputs, uint64_t until) {
  tiny_tensor *wrong;
  tiny_ctx *t = p->t;
  const tn_run_call c = {p, inputs, until};
  const int begins = !until || !p->unfinished;
  tiny_code code = until ? tn_run_ended(p) : TINY_OK;
  memset(p->made, 0, (size_t)p->noutput * sizeof *p->made);
  if (code != TINY_OK) {}
  else if ((p->noutput && !outputs) || (begins && p->ninput && !inputs))
    code = tiny_fail(t, TINY_E_ARG, "run: inputs or outputs are NULL");
  else if (begins && p->ninput && !tn_usable_in(t, "run", p->ninput, inputs, &wrong))
    code = t->code != TINY_OK ? t->code : TINY_E_ARG;
  void *const call = (void *)(uintptr_t)&c;
  if (code == TINY_OK && until) code = tn_guard_cancellable(t, tn_run_for_guarded, call);
  else if (code == TINY_OK) code = tn_guard_cancellable(t, tn_run_guarded, call);
  if (until && code != TINY_MORE) tn_unfinished_drop(t, p);  // where memory was refused
  if (tn_run_repeats(t, code)) return code;
  for (int i = 0; outputs && i < p->noutput; i++) {          // inputs and outputs may be one array
    if (code != TINY_OK) tiny_free(p->made[i]);
    outputs[i] = code == TINY_OK ? p->made[i] : tn_poison(t);
  }
  return code;
}

// Are the inputs split as the captured ones were?
static tiny_code tn_run_split_check(const tiny_program *p, tiny_tensor *const *in) {
  tiny_tensor *wrong;
  if (p->ngive && !in) return tiny_fail(p->t, TINY_E_ARG, "run: inputs are NULL");
  if (p->ngive && !tn_usable_in(p->t, "run", p->ngive, in, &wrong)) return p->t->code ? p->t->code : TINY_E_ARG;
  for (int i = 0; i < p->ngive; i++) {
    const tn_bound_group *g = &p->group[i];
    if (tiny_shard_count(in[i]) != g->parts || tiny_shard_axis(in[i]) != g->axis)
      return tiny_fail(p->t, TINY_E_SHAPE, "run: input %d has %d parts along axis %d, the captured one %d along %d", i,
                       tiny_shard_count(in[i]), tiny_shard_axis(in[i]), g->parts, g->axis);
  }
  return TINY_OK;
}
static tiny_tensor *tn_run_joined(tiny_ctx *t, const tn_bound_group *g, tiny_tensor *const *made) {
  tiny_uop *part[TINY_MAX_DEVICES] = {NULL};
  for (int k = 0; k < g->parts; k++) part[k] = tn_uop_of(made[k]);
  return tn_tensor_new(t, g->parts == 1 ? part[0] : tn_shard_new(t, g->axis, g->parts, part));
}
static tiny_code tn_run_split(tiny_program *p, tiny_tensor *const *in, tiny_tensor **out, uint64_t until) {
  tiny_ctx *t = p->t;
  const int all = p->ninput + p->noutput, begins = !until || (!p->unfinished && p->ended == TINY_OK);
  int at = p->ninput;
  tiny_code code = begins ? tn_run_split_check(p, in) : TINY_OK;
  tiny_tensor **part = code == TINY_OK ? (tiny_tensor **)tn_alloc(t, (size_t)all * sizeof *part) : NULL;
  if (part) {
    if (begins) tn_parts_take(in, p->ngive, part, 0);
    code = tn_run_parts(p, part, part + p->ninput, until);
  } else if (code == TINY_OK) code = TINY_E_MEMORY;
  for (int i = 0; i < p->ntake && !tn_run_repeats(t, code); i++) {
    const tn_bound_group *g = &p->group[p->ngive + i];
    out[i] = code == TINY_OK ? tn_run_joined(t, g, part + at) : tn_poison(t);
    if (!tiny_ok(out[i])) code = t->code;
    at += g->parts;
  }
  if (part) tn_parts_free(t, part, all);
  return code;
}
static tiny_code tn_run_until(tiny_program *p, tiny_tensor *const *inputs, tiny_tensor **outputs, uint64_t until) {
  if (!p) return TINY_E_ARG;
  if (!p->group) return tn_run_parts(p, inputs, outputs, until);
  if (!outputs && p->ntake) return tiny_fail(p->t, TINY_E_ARG, "run: outputs are NULL");
  return tn_run_split(p, inputs, outputs, until);
}
TINY_API tiny_code tiny_run(tiny_program *p, tiny_tensor *const *inputs, tiny_tensor **outputs) {
  return tn_run_until(p, inputs, outputs, 0);
}
TINY_API tiny_code tiny_run_for(tiny_program *p, tiny_tensor *const *inputs, tiny_tensor **outputs, uint64_t ns) {
  const uint64_t now = tn_os_now(), until = now + ns;
  return tn_run_until(p, inputs, outputs, until > now ? until : ns ? UINT64_MAX : 1);
}

TINY_API int tiny_program_kernel_count(const tiny_program *p) {
  int n = 0;
  for (int i = 0; p && p->plan && i < p->plan->nstep; i++) n += p->plan->step[i].exe != NULL;
  return n;
}

TINY_API void tiny_program_free(tiny_program *p) {
  if (!p) return;
  tiny_ctx *t = p->t;
  if (p->prev) p->prev->next = p->next; else t->runtime->programs = p->next;
  if (p->next) p->next->prev = p->prev;
  tn_unfinished_drop(t, p);
  if (p->plan) p->plan->holders--;
  for (int i = 0; p->own_plan && i < p->plan->nstep; i++) if (p->plan->step[i].exe) p->plan->step[i].exe->steps--;
  if (p->own_plan) tn_release(t, p->plan, p->plan->nbytes);
  for (int i = 0; i < p->nleaf; i++) if (p->leaf[i].updated) tn_leaf_storage(p->leaf[i].memory)->updated--;
  tn_kept_drop(t, &p->kept);
  tn_release(t, p->named, p->named_nbytes);
  tn_release(t, p->group, (size_t)(p->ngive + p->ntake) * sizeof *p->group);
  tn_release(t, p, p->nbytes);
}
#endif
