// realize: bytes in and out of tensors: what a user calls to upload, run, read and end a frame.
//
// In:    tensors, the caller's memory. Out: bytes, or a code; the context has the sentence.
// Holds: the caller's memory is not looked at after the call has returned, but for tiny_blob's.
#ifndef TN_RUNTIME_REALIZE
#define TN_RUNTIME_REALIZE
#ifndef TINY_AMALGAMATED
#include "run.c"
#endif

typedef struct tn_realize_call { tiny_tensor *const *x; int n; } tn_realize_call;

static tiny_code tn_realize_guarded(tiny_ctx *t, void *arg) {
  const tn_realize_call *c = (const tn_realize_call *)arg;
  tn_list roots = {NULL, 0, 0};
  for (int i = 0; i < c->n; i++) tn_push_wanted(t, &roots, tn_uop_of(c->x[i]));
  const tiny_code code = tn_realize_roots(t, &roots);
  if (code == TINY_OK) tn_collect_if_due(t);
  return code;
}

// The context of x[0..n-1], all of them usable; NULL after an error. *code tells which.
static tiny_ctx *tn_realize_check(const char *name, tiny_tensor *const *x, int n, tiny_code *code) {
  tiny_tensor *wrong;
  *code = TINY_E_ARG;
  if (!x || n < 1) return NULL;
  if (!tn_usable_in(NULL, name, n, x, &wrong)) {
    if (wrong && tn_ctx_of(wrong)->code != TINY_OK) *code = tn_ctx_of(wrong)->code;
    return NULL;
  }
  return tn_ctx_of(x[0]);
}

static tiny_code tn_realize_user(tiny_ctx *t, void *arg) {
  const tn_realize_call *c = (const tn_realize_call *)arg;
  tn_realize_call some = {NULL, 0};
  tiny_tensor **x = (tiny_tensor **)tn_scratch(t, (size_t)c->n * sizeof *x);
  for (int i = 0; i < c->n; i++) if (!tn_shows_callers(tn_uop_of(c->x[i]))) x[some.n++] = c->x[i];
  some.x = x;
  return tn_realize_guarded(t, &some);
}

// As tn_guard, or tn_guard_cancellable.
typedef tiny_code tn_guard_fn(tiny_ctx *t, tiny_code (*fn)(tiny_ctx *t, void *arg), void *arg);

static tiny_code tn_realize_by(tn_guard_fn *guard, tiny_tensor *const *x, int n) {
  tiny_code code;
  tiny_ctx *t = tn_realize_check("realize", x, n, &code);
  tn_realize_call c = {x, n};
  return t ? guard(t, tn_realize_user, &c) : code;
}
TINY_API tiny_code tiny_realize(tiny_tensor *const *x, int n) { return tn_realize_by(tn_guard_cancellable, x, n); }
static tiny_code tn_realize_whole(tiny_tensor *const *x, int n) { return tn_realize_by(tn_guard, x, n); }

static int tn_runs(tiny_ctx *t) { return tn_device_is_open(t, 0) && !t->tensors->refuse; }

// What tiny_realize would run, or without tensors what the frame's end would, is planned and compiled.
static tiny_code tn_warm_guarded(tiny_ctx *t, void *arg) {
  const tn_realize_call *c = (const tn_realize_call *)arg;
  t->runtime->ahead = 1;
  if (c->n) return tn_realize_user(t, arg);
  return t->runtime->paused ? TINY_OK : tn_realize_pending(t);
}
TINY_API tiny_code tiny_warm(tiny_ctx *t, tiny_tensor *const *x, int n) {
  tiny_tensor *wrong;
  tn_realize_call c = {x, n};
  if (!t) return TINY_E_ARG;
  if (!tn_runs(t) || t->code != TINY_OK) return t->code;
  if (n < 0 || (n && !x)) return tiny_fail(t, TINY_E_ARG, "warm: %d tensors", n);
  if (n && !tn_usable_in(t, "warm", n, x, &wrong)) return t->code == TINY_OK ? TINY_E_ARG : t->code;
  const tiny_code code = tn_guard(t, tn_warm_guarded, &c);
  t->runtime->ahead = 0;
  return code;
}

static tiny_code tn_warm_left_guarded(tiny_ctx *t, void *arg) {
  *(int *)arg = tn_warm_left(t);
  return TINY_OK;
}
TINY_API int tiny_warm_left(tiny_ctx *t) {
  int left = 0;
  if (t && t->warm) tn_guard(t, tn_warm_left_guarded, &left);
  return left;
}
static tiny_code tn_warm_wait_guarded(tiny_ctx *t, void *arg) {
  tn_progress p;
  (void)arg;
  int left = tn_warm_left(t);
  const int all = left;
  tn_progress_open(&p, t, TINY_COMPILING, all);
  while (left) {
    if (tn_progress_tell(&p, all - left, "the kernels that are compiled ahead")) return t->code;
    tn_os_sleep_us(TN_WARM_LOOK_US);
    left = tn_warm_left(t);
  }
  return t->code;
}
TINY_API tiny_code tiny_warm_wait(tiny_ctx *t) {
  if (!t) return TINY_E_ARG;
  return t->warm ? tn_guard(t, tn_warm_wait_guarded, NULL) : t->code;
}

// Is u its BUFFER's elements in order? Then the BUFFER, else NULL.
static tiny_uop *tn_plain_buffer(const tiny_uop *u) {
  while (!u->realized && tn_is_in_order(u)) u = u->src[0];
  return tn_is_leaf(u) ? tn_place(u) : NULL;
}

typedef struct tn_read_call { tiny_tensor *x; void *out; size_t nbytes; } tn_read_call;

// Bytes of u, a tensor's graph, which may move on meanwhile: a view of what is assigned stays a view.
static tiny_code tn_read_node(tiny_ctx *t, const tn_read_call *c, tiny_uop *read) {
  tiny_uop *from = tn_plain_buffer(read);
  const int shows = !from && tn_shows_callers(read);
  int collects = 0;
  if (!from) {
    tn_list roots = {NULL, 0, 0};
    tn_push(t, &roots, read);
    const tiny_code code = tn_realize_roots(t, &roots);
    if (code != TINY_OK) return code;
    from = tn_plain_buffer(read);
    collects = 1;
  }
  if (from) {
    const tiny_code code = tn_unfinished_meet(t, (tn_storage *)from->ptr, 0);
    if (code != TINY_OK) return code;
  }
  for (tiny_uop *u = read; shows && u->op != TINY_OP_BUFFER; u = u->src[0]) u->realized = NULL;
  if (!from) return tiny_fail(t, TINY_E_INTERNAL, "read: a realized tensor has no buffer");
  const tn_storage *s = (tn_storage *)from->ptr;
  const struct tn_device *d = s->device;
  const tiny_mem m = {s->mem, 0};
  const size_t whole = (size_t)tn_node_nbytes(read);
  const int compact = tn_is_compact(read);
  const void *const seen = tn_storage_view(s, compact ? c->nbytes : whole);
  tiny_code code = d->backend->sync(d->dev);
  if (!compact && code == TINY_OK && c->nbytes) {
    char *copy = seen ? NULL : (char *)tn_scratch(t, whole);
    if (!seen) code = d->backend->copy_out(d->dev, copy, m, whole);
    if (code == TINY_OK)
      tn_compact(read, seen ? (const char *)seen : copy, (char *)c->out, tn_dtypes[read->dtype].nbytes);
  } else if (code == TINY_OK && c->nbytes && seen) memcpy(c->out, seen, c->nbytes);
  else if (code == TINY_OK && c->nbytes) code = d->backend->copy_out(d->dev, c->out, m, c->nbytes);
  if (collects && code == TINY_OK) tn_collect_if_due(t);
  return code;
}

static tiny_code tn_read_guarded(tiny_ctx *t, void *arg) {
  const tn_read_call *c = (const tn_read_call *)arg;
  tiny_uop *u = tn_uop_of(c->x);
  tn_list roots = {NULL, 0, 0};
  if (!tn_is_shard(u)) return tn_read_node(t, c, u);
  tiny_uop *joined = tn_shard_joined(t, u, u->src[0]->device);
  tn_push_wanted(t, &roots, u);            // parts as well: they are what is computed once
  tn_push(t, &roots, joined);
  const tiny_code code = tn_realize_roots(t, &roots);
  return code == TINY_OK ? tn_read_node(t, c, joined) : code;
}

static tiny_code tn_nbytes_check(tiny_ctx *t, const char *name, const tiny_tensor *x, const void *data,
                                 size_t nbytes) {
  const tiny_shape now = tn_shape_now(tn_uop_of(x));
  const size_t wanted = (size_t)tn_dims_nelem(now.ndim, now.dim) * tn_dtypes[tn_uop_of(x)->dtype].nbytes;
  char text[TN_DIMS_TEXT];
  if (nbytes != wanted)
    return tiny_fail(t, TINY_E_ARG, "%s: %llu bytes given, %s of %s has %llu", name,
                     (unsigned long long)nbytes, tn_dims_text(text, sizeof text, now.ndim, now.dim),
                     tn_dtypes[tn_uop_of(x)->dtype].name,
                     (unsigned long long)wanted);
  if (!data && nbytes) return tiny_fail(t, TINY_E_ARG, "%s: data is NULL", name);
  return TINY_OK;
}

static tiny_code tn_read_by(tn_guard_fn *guard, tiny_tensor *x, void *out, size_t nbytes) {
  tiny_code code;
  tiny_ctx *t = tn_realize_check("read", &x, 1, &code);
  if (!t) return code;
  code = tn_nbytes_check(t, "read", x, out, nbytes);
  tn_read_call c = {x, out, nbytes};
  return code == TINY_OK ? guard(t, tn_read_guarded, &c) : code;
}
TINY_API tiny_code tiny_read(tiny_tensor *x, void *out, size_t nbytes) {
  return tn_read_by(tn_guard_cancellable, x, out, nbytes);
}
#ifndef TINY_NO_IO
static tiny_code tn_read_whole(tiny_tensor *x, void *out, size_t nbytes) {
  return tn_read_by(tn_guard, x, out, nbytes);
}
#endif

#ifndef TINY_NO_INTERP
// The interpreter's view of a BUFFER: its bytes, copied out of the device.
static const void *tn_reference_buffer(tiny_ctx *t, tiny_uop *buffer) {
  const struct tn_device *d = ((tn_storage *)buffer->ptr)->device;
  char text[TN_DIMS_TEXT];
  if (tn_buffer_is_gone(buffer)) {
    tiny_fail(t, TINY_E_STATE, "reference: %s was computed from contents that were overwritten since; ask before",
              tn_text_of(buffer, text));
    return NULL;
  }
  const size_t nbytes = (size_t)tn_node_nbytes(buffer);
  void *copy = tn_scratch(t, nbytes + 1);
  if (tn_unfinished_meet(t, (tn_storage *)buffer->ptr, 0) != TINY_OK) return NULL;
  const tiny_mem m = {((tn_storage *)buffer->ptr)->mem, 0};
  if (d->backend->sync(d->dev) != TINY_OK ||
      (nbytes && d->backend->copy_out(d->dev, copy, m, nbytes) != TINY_OK))
    return NULL;
  return copy;
}

TINY_API tiny_code tiny_reference(tiny_tensor *x, void *out, size_t nbytes) {
  tiny_code code;
  tiny_ctx *t = tn_realize_check("reference", &x, 1, &code);
  if (!t) return code;
  code = tn_nbytes_check(t, "reference", x, out, nbytes);
  if (code != TINY_OK) return code;
  tiny_uop *u = tn_uop_of(x);
  const size_t whole = (size_t)tn_node_nbytes(u);
  if (tn_is_shard(u)) u = tn_shard_joined(t, u, u->src[0]->device);
  if (!u->extent) return tn_eval_graph(t, u, out, tn_reference_buffer);
  char *copy = (char *)tn_alloc(t, whole + 1);
  if (!copy) return t->code;
  code = tn_eval_graph(t, u, copy, tn_reference_buffer);
  if (code == TINY_OK) tn_compact(u, copy, (char *)out, tn_dtypes[u->dtype].nbytes);
  tn_release(t, copy, whole + 1);
  return code;
}
#endif

// The only element of x in raw, as its dtype's; 0 after an error.
static int tn_item(const char *name, tn_guard_fn *guard, tiny_tensor *x, unsigned char *raw) {
  tiny_tensor *out;
  char text[TN_DIMS_TEXT];
  if (!tn_usable(name, 1, &x, &out)) return 0;
  if (tiny_nelem_of(x) == 1) return tn_read_by(guard, x, raw, tn_dtypes[tn_uop_of(x)->dtype].nbytes) == TINY_OK;
  tiny_fail(tn_ctx_of(x), TINY_E_SHAPE, "%s: %s has more or less than one element", name,
            tn_text_of(tn_uop_of(x), text));
  return 0;
}
static double tn_item_by(tn_guard_fn *guard, tiny_tensor *x) {
  TN_FLOAT_MODE;
  unsigned char raw[8];
  if (!tn_item("item", guard, x, raw)) return (double)NAN;
  const int dtype = tn_uop_of(x)->dtype;
  return tn_to_f64(tn_dtype_convert(TINY_F64, dtype, tn_dtype_load(dtype, raw)));
}
TINY_API double tiny_item(tiny_tensor *x) { return tn_item_by(tn_guard_cancellable, x); }
static double tn_item_whole(tiny_tensor *x) { return tn_item_by(tn_guard, x); }
TINY_API int64_t tiny_item_i64(tiny_tensor *x) {
  unsigned char raw[8];
  if (!tn_item("item_i64", tn_guard_cancellable, x, raw)) return 0;
  const int dtype = tn_uop_of(x)->dtype;
  return tn_dtype_convert(TINY_I64, dtype, tn_dtype_load(dtype, raw));
}

static tiny_code tn_collect_all(tiny_ctx *t, void *arg) {
  (void)arg;
  tn_collect(t);
  return TINY_OK;
}
// Storage for what comes from outside. Where the cap leaves no room, what nothing refers to any more goes first: the
// caller holds no node that neither a tensor nor a program has.
static tn_storage *tn_storage_for(struct tn_device *d, size_t nbytes) {
  int c;
  if (tn_is_beyond_cap(d, tn_size_class(nbytes ? nbytes : 1, &c))) tn_guard(d->t, tn_collect_all, NULL);
  return tn_storage_new(d, nbytes);
}

// New storage that holds data, loose; NULL after an error.
static tn_storage *tn_storage_from(struct tn_device *d, const void *data, size_t nbytes) {
  tn_storage *s = tn_storage_for(d, nbytes);
  if (!s) return NULL;
  const tiny_mem m = {s->mem, 0};
  if (!nbytes || d->backend->copy_in(d->dev, m, data, nbytes) == TINY_OK) return s;
  tn_storage_drop(d->t, s);
  return NULL;
}
// A tensor of dims s over new storage that holds data.
static tiny_uop *tn_upload(struct tn_device *d, const void *data, int dtype, int ndim, const int64_t *dim) {
  tiny_ctx *t = d->t;
  const int64_t nelem = tn_dims_nelem(ndim, dim);
  tn_storage *s = tn_storage_from(d, data, (size_t)nelem * tn_dtypes[dtype].nbytes);
  return s ? tn_reshape(t, tn_buffer_node(t, s, dtype, nelem), ndim, dim) : &t->ir->bad;
}

// Does the context run at all? Records why not.
TINY_API tiny_tensor *tiny_from(tiny_ctx *t, const void *data, tiny_dtype dtype, tiny_shape shape) {
  if (!tn_runs(t)) return tn_poison(t);
  if (!tn_dtype_check(t, "from", dtype) || !tn_shape_valid(t, "from", &shape)) return tn_poison(t);
  if (!data && tn_dims_nelem(shape.ndim, shape.dim)) return tn_wrong(t, TINY_E_ARG, "from: data is NULL");
  return tn_tensor_new(t, tn_upload(tn_device_here(t), data, dtype, shape.ndim, shape.dim));
}

// ** a shape of today as a length **

typedef struct tn_lengthen_call {
  tiny_tensor *x, *n; int axis; int64_t dim[TINY_MAX_DIMS]; tiny_uop *made;
} tn_lengthen_call;

static tiny_uop *tn_lengthen_by(const tn_lengthen_call *c) {
  return tn_length_within("with_length", c->n, INT64_MAX >> 1);
}
// x by the dims of the call, of which one is longer: its bytes lie further apart. What reads and makes room collects
// nodes, so that the length is asked for at last.
static tiny_code tn_lengthen_guarded(tiny_ctx *t, void *arg) {
  tn_lengthen_call *c = (tn_lengthen_call *)arg;
  tiny_uop *u = tn_uop_of(c->x);
  struct tn_device *d = tn_device_of(t, u);
  const int64_t nelem = tn_dims_nelem(u->ndim, c->dim);
  int64_t rows = 1;
  for (int i = 0; i < c->axis; i++) rows *= c->dim[i];
  const size_t element = tn_dtypes[u->dtype].nbytes, nbytes = (size_t)tn_node_nbytes(u);
  const size_t row = rows ? nbytes / (size_t)rows : 0, longer = rows ? (size_t)nelem * element / (size_t)rows : 0;
  const size_t used = rows ? (size_t)(rows - 1) * longer + row : 0;          // from the first element to the last
  char *all = (char *)tn_scratch_bare(t, used + 1);
  const tn_read_call read = {c->x, all, nbytes};
  tiny_code code = tn_read_node(t, &read, u);
  if (code != TINY_OK) return code;
  for (int64_t i = rows - 1; i > 0; i--) memmove(all + (size_t)i * longer, all + (size_t)i * row, row);
  tn_storage *s = tn_storage_for(d, (size_t)nelem * element);
  if (!s) return t->code;
  const tiny_mem to = {s->mem, 0};
  if (nbytes) code = d->backend->copy_in(d->dev, to, all, used);
  if (code != TINY_OK) { tn_storage_drop(t, s); return code; }
  tiny_uop *all_of = tn_reshape(t, tn_buffer_node(t, s, u->dtype, nelem), u->ndim, c->dim);
  c->made = tn_first_of(t, all_of, c->axis, tn_lengthen_by(c));
  return t->code;
}

TINY_API tiny_tensor *tiny_with_length(tiny_tensor *x, int axis, tiny_tensor *n) {
  tiny_tensor *out, *in[2] = {x, n};
  tn_lengthen_call c;
  char text[TN_DIMS_TEXT];
  if (!tn_usable("with_length", 2, in, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  const tiny_uop *u = tn_uop_of(x);
  if (!u->ndim) return tn_wrong(t, TINY_E_SHAPE, "with_length: a 0-d tensor has no axis %d", axis);
  if ((axis = tn_axis(t, "with_length", u, axis)) < 0) return out;
  if (tn_is_shard(u)) return tn_wrong(t, TINY_E_DEVICE, "with_length: %s is split over devices", tn_text_of(u, text));
  memset(&c, 0, sizeof c);
  c.x = x; c.n = n; c.axis = axis;
  tiny_uop *length = tn_lengthen_by(&c);
  if (tn_bad(t, length)) return out;
  memcpy(c.dim, u->dim, (size_t)u->ndim * sizeof *c.dim);
  c.dim[axis] = length->vmax;
  if (tn_position_now(length) != u->dim[axis])
    return tn_wrong(t, TINY_E_SHAPE, "with_length: n is %lld, dim %d of %s is not", (long long)tn_position_now(length),
                    axis, tn_text_of(u, text));
  if (tn_dims_nelem(u->ndim, c.dim) < 0)
    return tn_wrong(t, TINY_E_ARG, "with_length: up to %lld elements along dim %d of %s are too many",
                    (long long)length->vmax, axis, tn_text_of(u, text));
  return tn_guard(t, tn_lengthen_guarded, &c) == TINY_OK ? tn_tensor_new(t, c.made) : tn_poison(t);
}

// ** contents that are replaced in place: memory keeps its identity, and who was promised the old contents has them **

// u over another memory than its own.
static tiny_uop *tn_moved_over(tiny_ctx *t, tiny_uop *u, tiny_uop *memory) {
  tiny_uop *path[TN_MAX_CHAIN];
  int n = 0;
  for (; u->op != TINY_OP_BUFFER && n < TN_MAX_CHAIN; u = u->src[0]) path[n++] = u;
  while (n--) {
    const tiny_uop *p = path[n];
    memory = p->op == TINY_OP_DETACH ? tn_u1(t, TINY_OP_DETACH, memory) : tn_move_as(t, p, memory);
  }
  return memory;
}
// Is x memory that `buffer` names: all of it, or a part that shows what the caller writes?
static int tn_is_memory_handle(const tn_tensor *x, const tiny_uop *buffer) {
  const tiny_uop *u = x->uop;
  if (tn_memory_under(x->uop) == buffer) return 1;
  if (!tn_shows_callers(u)) return 0;
  while (u->op != TINY_OP_BUFFER) u = u->src[0];
  return u == buffer;
}
typedef struct tn_move_on { tn_tensor **x; tiny_uop **to, *old, *now; int n; } tn_move_on;

// What moves the tensors that are memory of s on to a new BUFFER of it; heavy code only. s holds what it held.
static tn_move_on tn_moves_on(tiny_ctx *t, tn_storage *s) {
  tiny_uop *old = s->state;
  tn_list x = {NULL, 0, 0}, to = {NULL, 0, 0};
  tn_move_on m = {NULL, NULL, old, tn_buffer_unnamed(t, s, old->dtype, old->dim[0]), 0};
  const int all = tn_storage_is_callers(s);        // whose parts are memory too
  for (tn_tensor *h = all ? tn_tensor_next(t, NULL) : tn_index_first(t, old); h;
       h = all ? tn_tensor_next(t, h) : tn_index_next(h)) {
    if (!tn_is_memory_handle(h, old)) continue;
    tn_push(t, &x, (tiny_uop *)(void *)h);
    tn_push(t, &to, tn_moved_over(t, h->uop, m.now));
  }
  m.x = (tn_tensor **)(void *)x.u; m.to = to.u; m.n = x.n;
  return m;
}
// They move, and the old BUFFER names `kept`, which is loose.
static void tn_move_on_done(const tn_move_on *m, tn_storage *kept) {
  for (int i = 0; i < m->n; i++) tn_tensor_set(m->x[i], m->to[i]);
  tn_buffer_part(m->old, kept);
  tn_buffer_next(m->now);
}

// Of the storages whose `seen` is stamp, `read` becomes stamp where a live tensor or a pending assignment was built
// from their contents and is not computed yet. Tensors that are the memory itself do not count.
static void tn_readers_find(tiny_ctx *t, uint32_t stamp) {
  tn_list stack = {NULL, 0, 0};
  const uint32_t visited = ++t->ir->epoch;
  for (tn_tensor *x = tn_tensor_next(t, NULL); x; x = tn_tensor_next(t, x))
    if (!tn_is_leaf(tn_memory_under(x->uop)) && !tn_shows_callers(x->uop)) tn_push(t, &stack, x->uop);
  for (int i = 0; i < t->tensors->npending; i++) tn_push(t, &stack, t->tensors->pending[i]);
  while (stack.n) {
    tiny_uop *u = stack.u[--stack.n];
    if (u->mark == visited) continue;
    u->mark = visited;
    if (!tn_is_leaf(u)) { for (uint32_t i = 0; i < u->nsrc; i++) tn_push(t, &stack, u->src[i]); continue; }
    tn_storage *s = (tn_storage *)tn_place(u)->ptr;
    if (s->seen == stamp) s->read = stamp;
  }
}

// Before s is overwritten: what was built from its contents gets a copy of them.
static tiny_code tn_storage_keep_old(tiny_ctx *t, tn_storage *s) {
  if (!s->state) return TINY_OK;
  tn_storage *kept = tn_storage_copy(t, s, (size_t)tn_node_nbytes(s->state));
  if (!kept) return t->code != TINY_OK ? t->code : TINY_E_DEVICE;
  const tn_move_on m = tn_moves_on(t, s);
  tn_move_on_done(&m, kept);
  return TINY_OK;
}
// s gets the contents of `fresh`, which is loose, for good; the old ones stay with what was built from them.
static void tn_storage_replace(tiny_ctx *t, tn_storage *s, tn_storage *fresh) {
  const tn_move_on m = tn_moves_on(t, s);
  tn_storage_swap(s, fresh);
  s->written++;
  tn_move_on_done(&m, fresh);
}
static tiny_code tn_callers_write(tiny_ctx *t, tn_storage *s, const void *data, size_t nbytes) {
  const struct tn_device *d = s->device;
  const tiny_mem to = {s->mem, 0};
  tiny_code code = tn_unfinished_meet(t, s, 1);
  if (code != TINY_OK) return code;
  const uint32_t stamp = ++t->ir->epoch;
  s->seen = stamp;
  tn_readers_find(t, stamp);
  if (s->read == stamp) code = tn_storage_keep_old(t, s);
  s->written++;
  if (code == TINY_OK && nbytes) code = d->backend->copy_in(d->dev, to, data, nbytes);
  return code == TINY_OK ? d->backend->sync(d->dev) : code;
}

// The BUFFER whose whole contents x is, so that they may be replaced; NULL: it is a part of one, or not in memory.
// A computed value becomes x's memory, as for assignments.
static tiny_uop *tn_whole_memory(tiny_ctx *t, tiny_tensor *x) {
  tn_chain c;
  if (!tn_plain_buffer(tn_uop_of(x)) || !tn_chain_to_write(t, tn_uop_of(x), &c) || !tn_own_memory(t, tn_slot(x), &c))
    return NULL;
  tiny_uop *u = tn_memory_under(tn_uop_of(x));
  return u->op == TINY_OP_BUFFER && u == c.bottom ? u : NULL;
}

// x has its contents, where an assignment to it is pending.
static tiny_code tn_assigned_first(tiny_ctx *t, tiny_tensor *x) {
  tn_chain c;
  tn_realize_call one = {&x, 1};
  if (!tn_chain_of(t, tn_uop_of(x), &c) || c.bottom->op != TINY_OP_ASSIGN || c.bottom->realized) return TINY_OK;
  return tn_realize_guarded(t, &one);
}
// Assigns at once.
static tiny_code tn_assign_now(tiny_ctx *t, tiny_tensor *x, tiny_uop *value) {
  tn_realize_call one = {&x, 1};
  return tiny_ok(tn_assign(x, value)) ? tn_realize_guarded(t, &one) : t->code;
}
// Is x a part of memory, or of what another tensor stands for?
static int tn_is_view(const tiny_tensor *x) {
  tiny_ctx *t = tn_ctx_of(x);
  tn_chain c;
  return tn_chain_to_write(t, tn_uop_of(x), &c) && (tn_is_memory(c.bottom) || tn_is_part(t, tn_slot(x), &c));
}

#if !defined(TINY_NO_IO) && !defined(TINY_NO_NN)
// Heavy code: x becomes `from`, which nobody else needs; both are computed. Memory of x gets its contents.
static tiny_code tn_take_contents(tiny_ctx *t, tiny_tensor *x, tiny_uop *from) {
  const tiny_code code = tn_assigned_first(t, x);
  if (code != TINY_OK) return code;
  tiny_uop *memory = tn_whole_memory(t, x), *buffer = tn_plain_buffer(from);
  tn_storage *s = memory ? (tn_storage *)memory->ptr : NULL, *fresh = buffer ? (tn_storage *)buffer->ptr : NULL;
  if (!s && !tn_is_view(x)) {
    tn_memory_left(tn_memory_under(tn_uop_of(x)));
    tn_tensor_set(tn_slot(x), from);
    return TINY_OK;
  }
  if (!s || tn_storage_is_callers(s) || !fresh || fresh->refs != 1) return tn_assign_now(t, x, from);
  const tiny_code met = tn_unfinished_meet_replaced(t, s, memory);
  if (met != TINY_OK) return met;
  s->state = memory;
  fresh->refs++;
  tn_storage_replace(t, s, fresh);
  return TINY_OK;
}
#endif

typedef struct tn_write_call { tiny_tensor *x; const void *data; size_t nbytes; } tn_write_call;

// What is written, as a tensor of u's dims of which as much is meant.
static tiny_uop *tn_write_node(tiny_ctx *t, const tn_write_call *c, const tiny_uop *u, struct tn_device *d) {
  if (!u->extent) return tn_upload(d, c->data, u->dtype, u->ndim, u->dim);
  char *all = (char *)tn_scratch(t, (size_t)tn_node_nbytes(u) + 1);
  if (!all) return &t->ir->bad;
  tn_compact_move(u, (const char *)c->data, all, tn_dtypes[u->dtype].nbytes, 1);
  return tn_firsts_of(t, tn_upload(d, all, u->dtype, u->ndim, u->dim), u);
}
static tiny_code tn_write_guarded(tiny_ctx *t, void *arg) {
  const tn_write_call *c = (const tn_write_call *)arg;
  tiny_tensor *x = c->x;
  if (tn_is_shard(tn_uop_of(x))) {         // by its parts
    tiny_uop *u = tn_uop_of(x), *part[TINY_MAX_DEVICES] = {NULL};
    tiny_uop *whole = tn_write_node(t, c, u, tn_device_of(t, u->src[0]));
    for (uint32_t i = 0; i < u->nsrc; i++)
      part[i] = tn_copy_to(t, tn_part_of(t, whole, u, tn_shard_axis(u), (int)i), u->src[i]->device);
    return tn_assign_now(t, x, tn_shard_of(t, tn_shard_axis(u), (int)u->nsrc, part));
  }
  const tiny_code code = tn_assigned_first(t, x);
  if (code != TINY_OK) return code;
  const tiny_uop *some = tn_uop_of(x);
  if (some->extent) return tn_assign_now(t, x, tn_write_node(t, c, some, tn_device_of(t, some)));
  tiny_uop *memory = tn_whole_memory(t, x);
  tn_storage *s = memory ? (tn_storage *)memory->ptr : NULL;
  if (s && tn_storage_is_callers(s)) return tn_callers_write(t, s, c->data, c->nbytes);
  if (s) {
    const tiny_code met = tn_unfinished_meet_replaced(t, s, memory);
    if (met != TINY_OK) return met;
    tn_storage *fresh = tn_storage_from(s->device, c->data, c->nbytes);
    s->state = memory;
    if (fresh) tn_storage_replace(t, s, fresh);
    return fresh ? TINY_OK : t->code != TINY_OK ? t->code : TINY_E_DEVICE;
  }
  const tiny_uop *was = tn_uop_of(x);
  tiny_uop *u = tn_upload(tn_device_of(t, was), c->data, was->dtype, was->ndim, was->dim);
  if (tn_bad(t, u)) return t->code;
  if (tn_is_view(x)) return tn_assign_now(t, x, u);
  tn_memory_left(tn_memory_under(tn_uop_of(x)));
  tn_tensor_set(tn_slot(x), u);
  return TINY_OK;
}

TINY_API tiny_code tiny_write(tiny_tensor *x, const void *data, size_t nbytes) {
  tiny_code code;
  tiny_ctx *t = tn_realize_check("write", &x, 1, &code);
  if (!t) return code;
  code = tn_nbytes_check(t, "write", x, data, nbytes);
  tn_write_call c = {x, data, nbytes};
  return code == TINY_OK ? tn_guard(t, tn_write_guarded, &c) : code;
}

// Storage that stands for the caller's memory; NULL: none for the storage itself.
static tn_storage *tn_storage_borrow(struct tn_device *d, void *mem, size_t nbytes) {
  tn_storage *s = (tn_storage *)tn_alloc(d->t, sizeof *s);
  if (!s) return NULL;
  s->device = d;
  s->mem = mem;
  s->nbytes = nbytes;
  s->refs = s->borrowed = s->loose = 1;
  tn_storage_link(&d->loose, s);
  return s;
}

#define TN_MAX_NELEM ((int64_t)1 << 60)
TINY_API tiny_tensor *tiny_blob(tiny_ctx *t, void *data, tiny_dtype dtype, tiny_shape shape,
                                const int64_t *strides) {
  if (!tn_runs(t)) return tn_poison(t);
  if (!tn_dtype_check(t, "blob", dtype) || !tn_shape_valid(t, "blob", &shape)) return tn_poison(t);
  if (!data) return tn_wrong(t, TINY_E_ARG, "blob: data is NULL");
  struct tn_device *d = tn_device_here(t);
  if (!d->limits.host_memory)
    return tn_wrong(t, TINY_E_DEVICE, "blob: %s has memory of its own; use tiny_from", d->title);
  int64_t low = 0, high = 0, v[2 * TINY_MAX_DIMS];
  for (int i = 0; i < shape.ndim; i++) {
    v[i] = shape.dim[i];
    v[shape.ndim + i] = strides ? strides[i] : 0;
    const int64_t reach = strides && shape.dim[i] > 0 ? tn_clamp_mul(shape.dim[i] - 1, strides[i]) : 0;
    if (reach < 0) low = tn_clamp_add(low, reach); else high = tn_clamp_add(high, reach);
  }
  if (low < -TN_MAX_NELEM || high > TN_MAX_NELEM)
    return tn_wrong(t, TINY_E_ARG, "blob: strides reach over %lld and %lld elements", (long long)low,
                    (long long)high);
  const int64_t nelem = tn_dims_nelem(shape.ndim, shape.dim),
                span = !nelem ? 0 :
      strides                 ? high - low + 1 :
                                nelem;
  tn_storage *s = tn_storage_borrow(d, (char *)data + low * (int64_t)tn_dtypes[dtype].nbytes,
                                    (size_t)span * tn_dtypes[dtype].nbytes);
  if (!s) return tn_poison(t);
  tiny_uop *u = tn_buffer_node(t, s, dtype, span);
  if (!strides) return tn_tensor_new(t, tn_reshape(t, u, shape.ndim, shape.dim));
  return tn_tensor_new(t, tn_uop_make(t, TINY_OP_VIEW, dtype, 1, 1, &u, -low, 2 * shape.ndim, v));
}

TINY_API tiny_tensor *tiny_blob_of(tiny_ctx *t, void *mem, tiny_dtype dtype, tiny_shape shape) {
  if (!tn_runs(t)) return tn_poison(t);
  if (!tn_dtype_check(t, "blob_of", dtype) || !tn_shape_valid(t, "blob_of", &shape)) return tn_poison(t);
  if (!mem) return tn_wrong(t, TINY_E_ARG, "blob_of: mem is NULL");
  struct tn_device *d = tn_device_here(t);
  if ((d->renderer.flags & TINY_TARGET_ALIGNED) && (uintptr_t)mem % 16)
    return tn_wrong(t, TINY_E_ARG, "blob_of: kernels of %s read 16 bytes at once, mem is no multiple of 16; begin "
                    "before it, and take a part by tiny_shrink", d->title);
  const int64_t nelem = tn_dims_nelem(shape.ndim, shape.dim);
  tn_storage *s = tn_storage_borrow(d, mem, (size_t)nelem * tn_dtypes[dtype].nbytes);
  if (!s) return tn_poison(t);
  return tn_tensor_new(t, tn_reshape(t, tn_buffer_node(t, s, dtype, nelem), shape.ndim, shape.dim));
}

static tiny_code tn_end_guarded(tiny_ctx *t, void *arg) {
  (void)arg;
  return tn_realize_pending(t);
}
static tiny_code tn_collect_guarded(tiny_ctx *t, void *arg) {
  (void)arg;
  if (t->observer && t->observer->profiles) tn_collect(t);   // another frame is to do the same work
  else tn_collect_if_due(t);
  return TINY_OK;
}

static tiny_code tn_end_by(tn_guard_fn *guard, tiny_ctx *t) {
  if (!t) return TINY_E_ARG;
  if (!t->tensors) return t->code;
  if (!t->tensors->depth) return tiny_fail(t, TINY_E_STATE, "end: no frame is open");
  const tiny_code code = tn_runs(t) ? guard(t, tn_end_guarded, NULL) : t->code;
  if (code == TINY_E_CANCELLED && t->code == TINY_OK) return code;         // the frame is open, for another tiny_end
  tn_paused_drop(t);
  tn_pending_drop(t->tensors, 0, 1);
  tn_frame_close(t);
  if (tn_runs(t)) tn_guard(t, tn_collect_guarded, NULL);
  return code == TINY_OK ? t->code : code; // what was poison was not queued
}
TINY_API tiny_code tiny_end(tiny_ctx *t) { return tn_end_by(tn_guard_cancellable, t); }
#endif
