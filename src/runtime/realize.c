// realize: bytes in and out of tensors: what a user calls to upload, run, read and end a frame.
#ifndef TN_RUNTIME_REALIZE
#define TN_RUNTIME_REALIZE
#ifndef TINY_AMALGAMATED
#include "run.c"
#endif

typedef struct tn_realize_call { tiny_tensor *const *x; int n; } tn_realize_call;

static tiny_code tn_realize_guarded(tiny_ctx *t, void *arg) {
  const tn_realize_call *c = (const tn_realize_call *)arg;
  tn_list roots = {NULL, 0, 0};
  for (int i = 0; i < c->n; i++) tn_push(t, &roots, tn_uop_of(c->x[i]));
  const tiny_code code = tn_realize_roots(t, &roots);
  if (code == TINY_OK) tn_collect_if_due(t);
  return code;
}

// The context of x[0..n-1], all of them usable; NULL after an error. *code tells which.
static tiny_ctx *tn_realize_check(const char *name, tiny_tensor *const *x, int n, tiny_code *code) {
  tiny_tensor *wrong;
  *code = TINY_E_ARG;
  if (!x || n < 1) return NULL;
  if (!tn_usable(name, n, x, &wrong)) {
    if (wrong && tn_ctx_of(wrong)->code != TINY_OK) *code = tn_ctx_of(wrong)->code;
    return NULL;
  }
  return tn_ctx_of(x[0]);
}

TINY_API tiny_code tiny_realize(tiny_tensor *const *x, int n) {
  tiny_code code;
  tiny_ctx *t = tn_realize_check("realize", x, n, &code);
  tn_realize_call c = {x, n};
  return t ? tn_guard(t, tn_realize_guarded, &c) : code;
}

// Is u its BUFFER's elements in order? Then the BUFFER, else NULL.
static tiny_uop *tn_plain_buffer(const tiny_uop *u) {
  while (!u->realized && (u->op == TINY_OP_RESHAPE || u->op == TINY_OP_DETACH)) u = u->src[0];
  return tn_is_leaf(u) ? tn_place(u) : NULL;
}

typedef struct tn_read_call { tiny_tensor *x; void *out; size_t nbytes; } tn_read_call;

static tiny_code tn_read_guarded(tiny_ctx *t, void *arg) {
  const tn_read_call *c = (const tn_read_call *)arg;
  struct tn_device *d = t->device;
  tiny_uop *from = tn_plain_buffer(tn_uop_of(c->x));
  if (!from) {
    tn_realize_call all = {&c->x, 1};
    const tiny_code code = tn_realize_guarded(t, &all);
    if (code != TINY_OK) return code;
    from = tn_plain_buffer(tn_uop_of(c->x));
  }
  if (!from) return tiny_fail(t, TINY_E_INTERNAL, "read: a realized tensor has no buffer");
  const tiny_code code = d->backend->sync(d->dev);
  if (code != TINY_OK || !c->nbytes) return code;
  const tiny_mem m = {((tn_storage *)from->ptr)->mem, 0};
  return d->backend->copy_out(d->dev, c->out, m, c->nbytes);
}

static tiny_code tn_nbytes_check(tiny_ctx *t, const char *name, const tiny_tensor *x, const void *data,
                                 size_t nbytes) {
  const size_t wanted = (size_t)tn_node_nbytes(tn_uop_of(x));
  char text[TN_DIMS_TEXT];
  if (nbytes != wanted)
    return tiny_fail(t, TINY_E_ARG, "%s: %llu bytes given, %s of %s has %llu", name,
                     (unsigned long long)nbytes, tn_text_of(tn_uop_of(x), text),
                     tn_dtypes[tn_uop_of(x)->dtype].name,
                     (unsigned long long)wanted);
  if (!data && nbytes) return tiny_fail(t, TINY_E_ARG, "%s: data is NULL", name);
  return TINY_OK;
}

TINY_API tiny_code tiny_read(tiny_tensor *x, void *out, size_t nbytes) {
  tiny_code code;
  tiny_ctx *t = tn_realize_check("read", &x, 1, &code);
  if (!t) return code;
  code = tn_nbytes_check(t, "read", x, out, nbytes);
  tn_read_call c = {x, out, nbytes};
  return code == TINY_OK ? tn_guard(t, tn_read_guarded, &c) : code;
}

#ifndef TINY_NO_INTERP
// The interpreter's view of a BUFFER: its bytes, copied out of the device.
static const void *tn_reference_buffer(tiny_ctx *t, tiny_uop *buffer) {
  struct tn_device *d = t->device;
  const size_t nbytes = (size_t)tn_node_nbytes(buffer);
  void *copy = tn_scratch(t, nbytes + 1);
  const tiny_mem m = {((tn_storage *)buffer->ptr)->mem, 0};
  if (d->backend->sync(d->dev) != TINY_OK ||
      (nbytes && d->backend->copy_out(d->dev, copy, m, nbytes) != TINY_OK))
    return NULL;
  return copy;
}

static tiny_code tn_reference_guarded(tiny_ctx *t, void *arg) {
  const tn_read_call *c = (const tn_read_call *)arg;
  return tn_eval_graph(t, tn_uop_of(c->x), c->out, tn_reference_buffer);
}

TINY_API tiny_code tiny_reference(tiny_tensor *x, void *out, size_t nbytes) {
  tiny_code code;
  tiny_ctx *t = tn_realize_check("reference", &x, 1, &code);
  if (!t) return code;
  code = tn_nbytes_check(t, "reference", x, out, nbytes);
  tn_read_call c = {x, out, nbytes};
  return code == TINY_OK ? tn_guard(t, tn_reference_guarded, &c) : code;
}
#endif

// The only element of x in raw, as its dtype's; 0 after an error.
static int tn_item(const char *name, tiny_tensor *x, unsigned char *raw) {
  tiny_tensor *out;
  char text[TN_DIMS_TEXT];
  if (!tn_usable(name, 1, &x, &out)) return 0;
  if (tiny_nelem(x) == 1) return tiny_read(x, raw, tn_dtypes[tn_uop_of(x)->dtype].nbytes) == TINY_OK;
  tiny_fail(tn_ctx_of(x), TINY_E_SHAPE, "%s: %s has more or less than one element", name, tn_text_of(tn_uop_of(x), text));
  return 0;
}
TINY_API double tiny_item(tiny_tensor *x) {
  TN_FLOAT_MODE;
  unsigned char raw[8];
  if (!tn_item("item", x, raw)) return (double)NAN;
  const int dtype = tn_uop_of(x)->dtype;
  return tn_to_f64(tn_dtype_convert(TINY_F64, dtype, tn_dtype_load(dtype, raw)));
}
TINY_API int64_t tiny_item_i64(tiny_tensor *x) {
  unsigned char raw[8];
  if (!tn_item("item_i64", x, raw)) return 0;
  const int dtype = tn_uop_of(x)->dtype;
  return tn_dtype_convert(TINY_I64, dtype, tn_dtype_load(dtype, raw));
}

// A tensor of dims s over new storage that holds data.
static tiny_uop *tn_upload(tiny_ctx *t, const void *data, int dtype, int ndim, const int64_t *dim) {
  struct tn_device *d = t->device;
  const int64_t nelem = tn_dims_nelem(ndim, dim);
  const size_t nbytes = (size_t)nelem * tn_dtypes[dtype].nbytes;
  tn_storage *s = tn_storage_new(t, nbytes);
  if (!s) return &t->ir->bad;
  const tiny_mem m = {s->mem, 0};
  if (nbytes && d->backend->copy_in(d->dev, m, data, nbytes) != TINY_OK) {
    tn_storage_drop(t, s);
    return &t->ir->bad;
  }
  return tn_reshape(t, tn_buffer_node(t, s, dtype, nelem), ndim, dim);
}

// Does the context run at all? Records why not.
static int tn_runs(tiny_ctx *t) { return t && t->device && t->device->dev && !t->tensors->refuse; }

TINY_API tiny_tensor *tiny_from(tiny_ctx *t, const void *data, tiny_dtype dtype, tiny_shape shape) {
  if (!tn_runs(t)) return tn_poison(t);
  if (!tn_dtype_check(t, "from", dtype) || !tn_shape_valid(t, "from", &shape)) return tn_poison(t);
  if (!data && tn_dims_nelem(shape.ndim, shape.dim)) return tn_wrong(t, TINY_E_ARG, "from: data is NULL");
  return tn_tensor_new(t, tn_upload(t, data, dtype, shape.ndim, shape.dim));
}

TINY_API tiny_code tiny_write(tiny_tensor *x, const void *data, size_t nbytes) {
  tiny_code code;
  tiny_ctx *t = tn_realize_check("write", &x, 1, &code);
  if (!t) return code;
  code = tn_nbytes_check(t, "write", x, data, nbytes);
  if (code != TINY_OK) return code;
  tiny_uop *u = tn_upload(t, data, tn_uop_of(x)->dtype, tn_uop_of(x)->ndim, tn_uop_of(x)->dim);
  if (tn_bad(t, u)) return t->code;
  tn_slot(x)->uop = u;
  return TINY_OK;
}

// Storage that stands for the caller's memory; NULL: none for the storage itself.
static tn_storage *tn_storage_borrow(tiny_ctx *t, void *mem, size_t nbytes) {
  tn_storage *s = (tn_storage *)tn_alloc(t, sizeof *s);
  if (!s) return NULL;
  s->mem = mem;
  s->nbytes = nbytes;
  s->refs = s->borrowed = s->loose = 1;
  tn_storage_link(&t->device->loose, s);
  return s;
}

#define TN_MAX_NELEM ((int64_t)1 << 60)
TINY_API tiny_tensor *tiny_blob(tiny_ctx *t, void *data, tiny_dtype dtype, tiny_shape shape,
                                const int64_t *strides) {
  if (!tn_runs(t)) return tn_poison(t);
  if (!tn_dtype_check(t, "blob", dtype) || !tn_shape_valid(t, "blob", &shape)) return tn_poison(t);
  if (!data) return tn_wrong(t, TINY_E_ARG, "blob: data is NULL");
  if (!t->device->limits.host_memory)
    return tn_wrong(t, TINY_E_DEVICE, "blob: %s has memory of its own; use tiny_from", t->device->name);
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
  tn_storage *s = tn_storage_borrow(t, (char *)data + low * (int64_t)tn_dtypes[dtype].nbytes,
                                    (size_t)span * tn_dtypes[dtype].nbytes);
  if (!s) return tn_poison(t);
  tiny_uop *u = tn_buffer_node(t, s, dtype, span);
  if (!strides) return tn_tensor_new(t, tn_reshape(t, u, shape.ndim, shape.dim));
  return tn_tensor_new(t, tn_uop_make(t, TINY_OP_VIEW, dtype, 1, 1, &u, -low, 2 * shape.ndim, v));
}

static tiny_code tn_end_guarded(tiny_ctx *t, void *arg) {
  (void)arg;
  return tn_realize_pending(t);
}
static tiny_code tn_collect_guarded(tiny_ctx *t, void *arg) {
  (void)arg;
  tn_collect_if_due(t);
  return TINY_OK;
}

TINY_API tiny_code tiny_end(tiny_ctx *t) {
  if (!t) return TINY_E_ARG;
  if (!t->tensors) return t->code;
  if (!t->tensors->depth) return tiny_fail(t, TINY_E_STATE, "end: no frame is open");
  const tiny_code code = tn_runs(t) ? tn_guard(t, tn_end_guarded, NULL) : t->code;
  tn_paused_drop(t);
  t->tensors->npending = 0;
  tn_frame_close(t);
  if (tn_runs(t)) tn_guard(t, tn_collect_guarded, NULL);
  return code;
}
#endif
