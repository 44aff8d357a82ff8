// custom: kernels that users bring, as source, as a binary or as a graph of nodes.
//
// In:    a tiny_kernel_desc. Out: a tensor over a CUSTOM node, on the device of its inputs; what the kernel gives in
//        the reference interpreter.
// Holds: a graph of nodes reads and writes nothing but the memory it is given. Equal kernels are known again.
#ifndef TN_RUNTIME_CUSTOM
#define TN_RUNTIME_CUSTOM
#ifndef TINY_AMALGAMATED
#include "realize.c"
#endif

static char *tn_copy_bytes(tiny_ctx *t, const void *data, size_t nbytes, size_t *copied) {
  char *copy = (char *)tn_realloc(t, NULL, 0, *copied = nbytes);
  if (copy) memcpy(copy, data, nbytes);
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
    if (d->source) tn_digest_add_text(&all, d->source);
    else { tn_digest_add_text(&all, "binary"); tn_digest_add(&all, d->binary, d->nbytes); }
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
    c->compiled = !d->source;
    c->source = d->source ? tn_copy_bytes(t, d->source, strlen(d->source) + 1, &c->source_nbytes)
                          : tn_copy_bytes(t, d->binary, d->nbytes, &c->source_nbytes);
    c->name = c->source ? tn_copy_bytes(t, d->name, strlen(d->name) + 1, &c->name_nbytes) : NULL;
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

// Is it of work items, or what they do together?
static int tn_is_of_items(const tiny_uop *u) {
  return u->op == TINY_OP_BARRIER || u->op == TINY_OP_BULK || u->op == TINY_OP_BULKSTORE ||
      u->op == TINY_OP_SHUFFLE ||
      (u->op == TINY_OP_SPECIAL && u->k & 16) ||
      (u->op == TINY_OP_RANGE && (tn_is_item(u) || tn_range_kind(u) == TN_SHARE));
}
// A SINK from outside reads and writes nothing but the memory it is given, and asks for nothing that there is not.
typedef struct tn_kernel_call { const struct tn_device *on; const tiny_kernel_desc *d; } tn_kernel_call;
static tiny_code tn_kernel_check(tiny_ctx *t, void *arg) {
  const tn_kernel_call *call = (const tn_kernel_call *)arg;
  const tiny_kernel_desc *d = call->d;
  tn_list all = {NULL, 0, 0};
  if (tn_verify(t, d->uops, TN_SPEC_KERNEL) != TINY_OK) return t->code;
  tn_toposort(t, d->uops, &all);
  for (int i = 0; i < all.n; i++) {
    const tiny_uop *u = all.u[i];
    if (u->op == TINY_OP_ARG) return tiny_fail(t, TINY_E_ARG, "kernel: uops take an ARG, but there are none");
    if (!tn_machine_grid(&call->on->limits) && tn_is_of_items(u))
      return tiny_fail(t, TINY_E_ARG, "kernel: uops have %s, but %s has tasks, and no work items", tn_ops[u->op].name,
                       call->on->title);
    if (u->op != TINY_OP_PARAM) continue;
    if (u->k < 0 || u->k > d->n)
      return tiny_fail(t, TINY_E_ARG, "kernel: PARAM %lld, but there are an output and %d inputs",
                       (long long)u->k, d->n);
    const int64_t has = u->k ? tiny_nelem_of(d->inputs[u->k - 1]) : tn_dims_nelem(d->shape.ndim, d->shape.dim);
    const int dtype = u->k ? tn_uop_of(d->inputs[u->k - 1])->dtype : (int)d->dtype;
    if (u->v[0] > has || u->dtype != dtype)
      return tiny_fail(t, TINY_E_ARG, "kernel: PARAM %lld is %lld of %s, its tensor has %lld of %s",
                       (long long)u->k, (long long)u->v[0], tn_dtypes[u->dtype].name, (long long)has,
                       tn_dtypes[dtype].name);
  }
  return TINY_OK;
}

// Zero means 1. Work items are counted in 64 bits, and tasks in an int by backends of threads.
static int tn_grid_fits(const struct tn_device *on, tiny_kernel_desc *d) {
  tiny_ctx *t = on->t;
  const int64_t most = tn_machine_grid(&on->limits) ? (int64_t)1 << 60 : INT32_MAX;
  double groups = 1, items = 1;
  for (int i = 0; i < 3; i++) {
    if (d->global[i] < 0 || d->local[i] < 0) {
      tiny_fail(t, TINY_E_ARG, "kernel: global[%d] is %lld and local[%d] %lld; neither may be negative", i,
                (long long)d->global[i], i, (long long)d->local[i]);
      return 0;
    }
    if (!d->global[i]) d->global[i] = 1;
    if (!d->local[i]) d->local[i] = 1;
    groups *= (double)d->global[i];
    items *= (double)d->local[i];
  }
  if (groups <= (double)most && items <= INT32_MAX && groups * items <= 1152921504606846976.0) return 1;
  tiny_fail(t, TINY_E_ARG, "kernel: %.4g work groups of %.4g items are more than %s runs", groups, items,
            on->title);
  return 0;
}

// Where it runs: where its inputs live. NULL after an error.
static const struct tn_device *tn_kernel_device(tiny_ctx *t, const tiny_kernel_desc *d) {
  const struct tn_device *on = tn_device_here(t);
  if (t->ndevice > 1 && d->n && !tn_on_one_device("kernel", d->n, d->inputs)) return NULL;
  for (int i = 0; i < d->n; i++) {
    const tiny_uop *u = tn_uop_of(d->inputs[i]);
    if (u->device == TN_SEVERAL) {
      tiny_fail(t, TINY_E_DEVICE, "kernel: input %d lies on several devices; tiny_shard_part gives one part", i);
      return NULL;
    }
    if (u->device) on = tn_device_of(t, u);
  }
  if (d->uops || (d->source ? on->backend->renderer != NULL : on->backend->load != NULL)) return on;
  tiny_fail(t, TINY_E_DEVICE, "kernel: %s does not take %s", on->title, d->source ? "source" : "a binary");
  return NULL;
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
  if (tn_pipeline_run(t, sink, &target, NULL, 1, &low) != TINY_OK) return t->code;
  if (tn_eval_decode(t, low.list, low.n, 0, &code, &last) != TINY_OK) return t->code;
  l.mem = mem; l.nmem = nmem;
  memcpy(l.global, low.global, sizeof l.global);
  memcpy(l.local, low.local, sizeof l.local);
  return tn_eval_launch(t, &code, &l);
}
// The kernel of a CUSTOM node as it was written: no move is made. Heavy code.
static tiny_code tn_custom_interpret(tiny_ctx *t, const tiny_uop *u, const tiny_mem *mem) {
  const tn_custom *c = (const tn_custom *)u->ptr;
  const tn_mark mark = tn_scratch_mark(t);
  if (!c->uops) return tiny_fail(t, TINY_E_STATE, "eval: a kernel in the language of a device has no other meaning");
  const tiny_code code = tn_custom_interpret_apart(t, tn_nodes_enter(t, c->uops), mem, (int)u->nsrc + 1);
  tn_nodes_leave(t);
  tn_scratch_rewind(t, mark);
  return code;
}
#endif

TINY_API tiny_tensor *tiny_kernel(tiny_ctx *t, const tiny_kernel_desc *desc) {
  tiny_tensor *wrong;
  if (!tn_runs(t)) return tn_poison(t);
  if (!desc || (!desc->uops && ((!desc->source && !desc->binary) || !desc->name)))
    return tn_wrong(t, TINY_E_ARG, "kernel: needs source and name, or binary and name, or uops");
  if (desc->binary && (desc->source || desc->uops || !desc->nbytes))
    return tn_wrong(t, TINY_E_ARG, desc->nbytes ? "kernel: a binary, and source or uops; which is it?"
                                                : "kernel: a binary of 0 bytes; nbytes says how long it is");
  tiny_kernel_desc d = *desc;
  if (d.n < 0 || d.n > 63 || (d.n && !d.inputs)) return tn_wrong(t, TINY_E_ARG, "kernel: %d inputs", d.n);
  if (d.n && !tn_usable_in(t, "kernel", d.n, d.inputs, &wrong)) return wrong;
  if (!d.dtype && d.n) {
    d.shape = tiny_shape_of(d.inputs[0]);
    d.dtype = tiny_dtype_of(d.inputs[0]);
  }
  if (!tn_dtype_check(t, "kernel", d.dtype) || !tn_shape_valid(t, "kernel", &d.shape)) return tn_poison(t);
  const struct tn_device *on = tn_kernel_device(t, &d);
  if (!on || !tn_grid_fits(on, &d)) return tn_poison(t);
  if (d.uops && d.uops->op != TINY_OP_SINK)
    return tn_wrong(t, TINY_E_ARG, "kernel: uops must be a SINK, not %s", tn_ops[d.uops->op].name);
  tn_kernel_call call = {on, &d};
  if (d.uops && tn_guard(t, tn_kernel_check, &call) != TINY_OK) return tn_poison(t);
  tn_custom *c = tn_custom_find(t, &d);
  if (!c) return tn_poison(t);
#ifndef TINY_NO_INTERP
  t->ir->interpret = tn_custom_interpret;
#endif
  tiny_uop *src[64];
  for (int i = 0; i < d.n; i++) {          // the kernel sees plain memory
    src[i] = tn_uop_of(d.inputs[i]);
    if (!tn_is_leaf(src[i]))
      src[i] = tn_plain_buffer(src[i]) ? tn_plain_buffer(src[i]) : tn_u1(t, TINY_OP_CONTIGUOUS, src[i]);
  }
  const tiny_shape *s = &d.shape;
  return tn_tensor_new(t, tn_uop_make_with(t, TINY_OP_CUSTOM, d.dtype, 1, d.n, src, 0, s->ndim, s->dim, c));
}

#endif
