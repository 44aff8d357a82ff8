// shard: tensors that lie on several devices: what is computed of parts is parts.
//
// In:    a node that would have SHARDs among its sources. Out: a SHARD of nodes that each have parts; so a SHARD is
//        only ever the root of a tensor's graph, and everything behind it computes on one device.
// Holds: whatever is asked of a SHARD is what would be of the whole. Elementwise nodes stay where the parts are, a
//        reduction along the parts' axis ends in an all-reduce, movement that tears parts apart gathers them first
//        (debug letter g says so). What goes between devices are COPYs, which fuse, overlap and are captured like
//        anything else.
// Sums are added in one order, that of the parts, whatever the devices are and however fast.
#ifndef TN_RULES_SHARD
#define TN_RULES_SHARD
#ifndef TINY_AMALGAMATED
#include "../ir/function.c"
#endif

enum { TN_RING_NELEM = 1 << 12 };          // from which an all-reduce goes around a ring; a tree has fewer steps

static int tn_is_shard(const tiny_uop *u) { return u->op == TINY_OP_SHARD; }
// The axis along which parts lie beside each other, -1: each is the whole.
static int tn_shard_axis(const tiny_uop *shard) { return (int)shard->k - 1; }

static tiny_uop *tn_shard_of(tiny_ctx *t, int axis, int n, tiny_uop *const *part) {
  for (int i = 0; i < n; i++) if (tn_bad(t, part[i])) return &t->ir->bad;
  return tn_uop_make(t, TINY_OP_SHARD, part[0]->dtype, 1, n, part, axis + 1, 0, NULL);
}
// What a tensor's graph computes: its parts, or the one value that it is.
typedef struct tn_shard_parts { tiny_uop *const *u; int n; } tn_shard_parts;
static tn_shard_parts tn_parts_of(tiny_uop *const *u) {
  const tn_shard_parts one = {u, 1}, all = {(*u)->src, (int)(*u)->nsrc};
  return tn_is_shard(*u) ? all : one;
}
// The same tensor of other parts.
static tiny_uop *tn_parts_with(tiny_ctx *t, const tiny_uop *u, tiny_uop *const *part) {
  return tn_is_shard(u) ? tn_shard_of(t, tn_shard_axis(u), (int)u->nsrc, part) : part[0];
}
// Where part i of those begins.
static int64_t tn_shard_begin(const tiny_uop *shard, int i) {
  int64_t at = 0;
  for (int j = 0; j < i; j++) at += shard->src[j]->dim[tn_shard_axis(shard)];
  return at;
}
// Do parts of a and b lie on the same devices? Along one axis they are also cut at the same places.
static int tn_shards_meet(const tiny_uop *a, const tiny_uop *b) {
  const int axis = tn_shard_axis(a);
  int meet = a->nsrc == b->nsrc;
  for (uint32_t i = 0; i < a->nsrc && meet; i++) {
    meet = a->src[i]->device == b->src[i]->device;
    if (meet && axis >= 0 && axis == tn_shard_axis(b)) meet = a->src[i]->dim[axis] == b->src[i]->dim[axis];
  }
  return meet;
}

// ** what goes between devices: parts may share one, and fusion stops there all the same (tn_sent_to), so that the bits
// do not depend on which devices there are **

// chunk[c] lies on device c; each goes around a ring, and whole[j] is all of them along axis on device j.
static void tn_ring_gather(tiny_ctx *t, int n, tiny_uop *const *chunk, int axis, tiny_uop **whole) {
  int64_t at = 0, total = 0;
  for (int c = 0; c < n; c++) { whole[c] = NULL; total += tn_bad(t, chunk[c]) ? 0 : chunk[c]->dim[axis]; }
  for (int c = 0; c < n; c++) {
    tiny_uop *x = chunk[c];
    for (int s = 0; s < n; s++) {
      const int j = (c + s) % n;
      if (s) x = tn_sent_to(t, x, chunk[j]->device, j);
      whole[j] = tn_lay(t, whole[j], x, axis, at, total);
    }
    at += tn_bad(t, chunk[c]) ? 0 : chunk[c]->dim[axis];
  }
}
// Each chunk of a flat part is added up around a ring, from the device behind its own to its own: 2 (n - 1) / n of the
// bytes leave each device, and no algorithm sends fewer (Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms
// for clusters of workstations", J. Parallel Distrib. Comput. 69(2), 2009).
static void tn_ring_reduce(tiny_ctx *t, int op, int n, tiny_uop **part) {
  tiny_uop *chunk[TINY_MAX_DEVICES] = {NULL}, *flat[TINY_MAX_DEVICES] = {NULL}, *whole[TINY_MAX_DEVICES] = {NULL};
  const int64_t nelem = tn_dims_nelem(part[0]->ndim, part[0]->dim);
  for (int i = 0; i < n; i++) flat[i] = tn_reshape(t, tn_u1(t, TINY_OP_CONTIGUOUS, part[i]), 1, &nelem);
  for (int c = 0; c < n; c++) {
    const int64_t from = nelem * c / n, to = nelem * (c + 1) / n;
    chunk[c] = tn_cut(t, flat[(c + 1) % n], 0, from, to);
    for (int s = 1; s < n; s++) {
      const int j = (c + 1 + s) % n;
      chunk[c] = tn_binary(t, op, tn_sent_to(t, chunk[c], part[j]->device, j), tn_cut(t, flat[j], 0, from, to));
    }
    chunk[c] = tn_bad(t, chunk[c]) ? chunk[c] : tn_u1(t, TINY_OP_CONTIGUOUS, chunk[c]);
  }
  for (int c = 0; c < n; c++) if (tn_bad(t, chunk[c])) { part[0] = chunk[c]; return; }
  tn_ring_gather(t, n, chunk, 0, whole);
  for (int i = 0; i < n; i++) part[i] = tn_reshape(t, whole[i], part[i]->ndim, part[i]->dim);
}
// The same along a tree whose root is the first part: log n steps, each of the whole.
static void tn_tree_reduce(tiny_ctx *t, int op, int n, tiny_uop **part) {
  int step = 1;
  for (; step < n; step *= 2)
    for (int i = 0; i + step < n; i += 2 * step)
      part[i] = tn_binary(t, op, part[i], tn_sent_to(t, part[i + step], tn_bad(t, part[i]) ? 0 : part[i]->device, i));
  part[0] = tn_bad(t, part[0]) ? part[0] : tn_u1(t, TINY_OP_CONTIGUOUS, part[0]);
  for (step /= 2; step; step /= 2)
    for (int i = 0; i + step < n; i += 2 * step)
      part[i + step] = tn_sent_to(t, part[i], tn_bad(t, part[i + step]) ? 0 : part[i + step]->device, i + step);
}
// The parts, folded by op, on every device: all of what lies behind lengths, too, which chunks know nothing of.
static tiny_uop *tn_all_reduce(tiny_ctx *t, int op, int n, tiny_uop **part) {
  const tiny_uop *meant = part[0];
  for (int i = 0; i < n; i++) part[i] = tn_bad(t, part[i]) ? part[i] : tn_wholes(t, part[i], ~0, 0);
  for (int i = 0; i < n; i++) if (tn_bad(t, part[i])) return &t->ir->bad;
  if (tn_dims_nelem(part[0]->ndim, part[0]->dim) < (int64_t)TN_RING_NELEM) tn_tree_reduce(t, op, n, part);
  else tn_ring_reduce(t, op, n, part);
  for (int i = 0; i < n; i++) part[i] = tn_bad(t, part[i]) ? part[i] : tn_firsts_of(t, part[i], meant);
  return tn_shard_of(t, -1, n, part);
}

// Noted for debug letter g; the operator that asked for it tells (tn_tensor_new), where stacks are not deep.
static void tn_note_gathered(tiny_ctx *t, const tiny_uop *shard, const char *why) {
  struct tn_ir *ir = t->ir;
  if (ir->gathered++ || !tn_debug(t, 'g')) return;
  ir->gathered_by = why;
  ir->gathered_node = shard;
}
// All of it on every device.
static tiny_uop *tn_all_gather(tiny_ctx *t, tiny_uop *shard, const char *why) {
  tiny_uop *whole[TINY_MAX_DEVICES] = {NULL};
  if (tn_shard_axis(shard) < 0) return shard;
  tn_note_gathered(t, shard, why);
  tn_ring_gather(t, (int)shard->nsrc, shard->src, tn_shard_axis(shard), whole);
  return tn_shard_of(t, -1, (int)shard->nsrc, whole);
}
// All of it on one device.
static tiny_uop *tn_shard_joined(tiny_ctx *t, const tiny_uop *shard, int device) {
  const int axis = tn_shard_axis(shard);
  tiny_uop *whole = NULL;
  int64_t at = 0;
  for (uint32_t i = 0; i < shard->nsrc && axis < 0; i++) if (shard->src[i]->device == device) return shard->src[i];
  if (axis < 0) return tn_copy_to(t, shard->src[0], device);
  for (uint32_t i = 0; i < shard->nsrc; i++) {
    whole = tn_lay(t, whole, tn_sent_to(t, shard->src[i], device, i), axis, at, shard->dim[axis]);
    at += shard->src[i]->dim[axis];
  }
  return whole;
}

// ** parts of sources **

// Part i of a source, where the node's parts are cut along axis (-1: not at all) as those of `like`.
static tiny_uop *tn_part_of(tiny_ctx *t, tiny_uop *s, const tiny_uop *like, int axis, int i) {
  if (!tn_is_shard(s)) {
    if (axis < 0 || !s->ndim) return s;
    const int64_t at = tn_shard_begin(like, i);
    return tn_cut(t, s, axis, at, at + like->src[i]->dim[axis]);
  }
  tiny_uop *part = s->src[i];
  if (axis < 0 || !s->ndim || tn_shard_axis(s) == axis) return part;
  const int64_t at = tn_shard_begin(like, i);
  return tn_cut(t, part, axis, at, at + like->src[i]->dim[axis]);
}
// A part of what names no device lies with the others, too.
static tiny_uop *tn_part_on(tiny_ctx *t, tiny_uop *part, const tiny_uop *like, int i) {
  return tn_bad(t, part) || part->device ? part : tn_copy_to(t, part, like->src[i]->device);
}
// The node's parts; like: a SHARD along axis, or any where that is -1.
static tiny_uop *tn_each_part(tiny_ctx *t, const tiny_uop *u, const tiny_uop *like, int axis) {
  tiny_uop *part[TINY_MAX_DEVICES] = {NULL};
  tiny_uop **src = (tiny_uop **)tn_scratch_bare(t, (u->nsrc + 1) * sizeof *src);
  if (!src) return &t->ir->bad;
  for (uint32_t i = 0; i < like->nsrc; i++) {
    for (uint32_t s = 0; s < u->nsrc; s++) src[s] = tn_part_of(t, u->src[s], like, axis, (int)i);
    part[i] = tn_uop_make_with(t, u->op, u->dtype, u->lanes, (int)u->nsrc, src, u->k, u->nv, u->v, u->ptr);
    part[i] = tn_part_on(t, part[i], like, (int)i);
  }
  return tn_shard_of(t, axis, (int)like->nsrc, part);
}

// The source that says how the others are cut: the first that is cut, else the first that is on every device. NULL, and
// an error: they do not lie on the same devices.
static const tiny_uop *tn_shard_leads(tiny_ctx *t, const tiny_uop *u) {
  const tiny_uop *lead = NULL;
  for (uint32_t i = 0; i < u->nsrc; i++) {
    const tiny_uop *s = u->src[i];
    if (tn_is_shard(s) && (!lead || (tn_shard_axis(lead) < 0 && tn_shard_axis(s) >= 0))) lead = s;
  }
  for (uint32_t i = 0; i < u->nsrc; i++) {
    const tiny_uop *s = u->src[i];
    if (tn_is_shard(s) ? tn_shards_meet(lead, s) : !s->device) continue;
    tiny_fail(t, TINY_E_DEVICE, "%s: one operand lies on %u devices, another on %s; tiny_shard and tiny_replicate put "
              "tensors on several", tn_ops[u->op].name, (unsigned)lead->nsrc,
              tn_is_shard(s) ? "others, or is cut otherwise" : tn_place_name(t, s->device));
    return NULL;
  }
  return lead;
}

// Nodes that do the same for each element: those cut along another axis than the first are gathered, and cut anew.
static tiny_uop *tn_shard_elementwise(tiny_ctx *t, const tiny_uop *u) {
  const tiny_uop *lead = tn_shard_leads(t, u);
  if (!lead) return &t->ir->bad;
  tiny_uop now = *u;
  now.src = (tiny_uop **)tn_scratch_bare(t, (u->nsrc + 1) * sizeof *now.src);
  if (!now.src) return &t->ir->bad;
  for (uint32_t i = 0; i < u->nsrc; i++) {
    tiny_uop *s = u->src[i];
    const int cut = tn_is_shard(s) ? tn_shard_axis(s) : -1;
    now.src[i] = cut < 0 || cut == tn_shard_axis(lead) ? s : tn_all_gather(t, s, tn_ops[u->op].name);
    if (tn_bad(t, now.src[i])) return &t->ir->bad;
  }
  return tn_each_part(t, &now, lead, tn_shard_axis(lead));
}

// ** movement and reductions **

// The axis of v that the parts of x are cut along when they are reshaped to v, each as a whole: dims are matched in the
// smallest groups of equal size, and the cut one is the outermost of its group on both sides. Part p then has
// dim[axis of x] * *more / *less along it. -1: there is no such axis.
static int tn_shard_reshaped(const tiny_uop *x, int n, const int64_t *v, int64_t *more, int64_t *less) {
  const int axis = tn_shard_axis(x);
  int i = 0, o = 0;
  if (!tn_dims_nelem(n, v)) return -1;
  while (i < x->ndim && o < n) {
    const int i0 = i;
    int from = o;
    int64_t ni = x->dim[i++], no = v[o++];
    while (ni != no) if (ni < no) ni *= x->dim[i++]; else no *= v[o++];
    if (axis >= i) continue;
    for (int d = i0; d < axis; d++) if (x->dim[d] != 1) return -1;
    while (from < o - 1 && v[from] == 1) from++;
    *more = ni / x->dim[axis];             // elements of one index of the axis in x, and in v
    *less = ni / v[from];
    for (uint32_t p = 0; p < x->nsrc; p++) if (x->src[p]->dim[axis] * *more % *less) return -1;
    return from;
  }
  return -1;
}

// v of the movement for part i, which is cut along `axis` and comes to be cut along *to. 0: it tears parts apart.
static int tn_shard_amounts(const tiny_uop *u, const tiny_uop *x, int axis, int i, int64_t *v, int *to) {
  const int64_t has = x->src[i]->dim[axis];
  for (int d = 0; d < u->nv; d++) v[d] = u->v[d];
  *to = axis;
  switch (u->op) {
    case TINY_OP_EXPAND:
      v[axis] = has;
      return u->v[axis] == x->dim[axis];
    case TINY_OP_PERMUTE:
      for (int d = 0; d < u->nv; d++) if (u->v[d] == axis) *to = d;
      return 1;
    case TINY_OP_PAD: return !u->v[2 * axis] && !u->v[2 * axis + 1];
    case TINY_OP_SHRINK:
      v[2 * axis + 1] = has;
      return !u->v[2 * axis] && u->v[2 * axis + 1] == x->dim[axis];
    case TINY_OP_FLIP: return !(u->k >> axis & 1);
    case TINY_OP_SLICE: case TINY_OP_PREFIX: case TINY_OP_WHOLE: return u->k != axis;
    default: return 0;
  }
}
static tiny_uop *tn_shard_moved(tiny_ctx *t, const tiny_uop *u) {
  tiny_uop *x = u->src[0], *part[TINY_MAX_DEVICES] = {NULL};
  const int axis = tn_shard_axis(x), n = (int)x->nsrc;
  if (axis < 0) return tn_each_part(t, u, x, -1);
  int64_t v[2 * TN_MAX_DIMS], more = 1, less = 1;
  const int reshapes = u->op == TINY_OP_RESHAPE;
  int to = reshapes ? tn_shard_reshaped(x, u->nv, u->v, &more, &less) : axis, whole = to >= 0;
  for (int i = 0; i < n && whole; i++) {
    tiny_uop *src[2] = {x->src[i], u->nsrc > 1 ? u->src[1] : NULL};
    if (!reshapes) whole = tn_shard_amounts(u, x, axis, i, v, &to);
    else {
      for (int d = 0; d < u->nv; d++) v[d] = u->v[d];
      v[to] = x->src[i]->dim[axis] * more / less;
    }
    if (whole) part[i] = tn_uop_make_with(t, u->op, u->dtype, 1, (int)u->nsrc, src, u->k, u->nv, v, u->ptr);
  }
  if (whole) return tn_shard_of(t, to, n, part);
  tiny_uop now = *u, *src[2] = {tn_all_gather(t, x, tn_ops[u->op].name), u->nsrc > 1 ? u->src[1] : NULL};
  now.src = src;
  return tn_bad(t, src[0]) ? src[0] : tn_each_part(t, &now, src[0], -1);
}

// x along axes that its parts are cut along, reduced by op on every device.
static tiny_uop *tn_shard_folded(tiny_ctx *t, int op, const tiny_uop *x, int axes) {
  tiny_uop *part[TINY_MAX_DEVICES] = {NULL};
  for (uint32_t i = 0; i < x->nsrc; i++)   // along an axis of 1 nothing is left to reduce, but the dims are the same
    part[i] = tn_part_on(t, tn_reduce(t, op, x->src[i], axes, 1), x, (int)i);
  return tn_all_reduce(t, op, (int)x->nsrc, part);
}
// What the maximum of x is a function of, for gradients: the mean of those that are it, in whichever part (as
// tn_gradient_max has it); which parts they are in does not tell.
static tiny_uop *tn_shard_maxima(tiny_ctx *t, const tiny_uop *x, int axes) {
  tiny_uop *part[TINY_MAX_DEVICES] = {NULL};
  for (uint32_t i = 0; i < x->nsrc; i++) part[i] = tn_once(t, x->src[i]);
  tiny_uop *stored = tn_shard_of(t, tn_shard_axis(x), (int)x->nsrc, part);
  if (tn_bad(t, stored)) return stored;
  tiny_uop *is = tn_or(t, tn_eq(t, stored, tn_shard_folded(t, TINY_OP_MAX, stored, axes)), tn_isnan(t, stored));
  if (tn_bad(t, is)) return is;
  tiny_uop *sum = tn_sum(t, tn_where(t, is, stored, tn_k(t, stored, 0)), axes, 1);
  return tn_binary(t, TINY_OP_FDIV, sum, tn_sum(t, tn_cast(t, is, x->dtype), axes, 1));
}
static tiny_uop *tn_shard_reduced(tiny_ctx *t, const tiny_uop *u) {
  tiny_uop *x = u->src[0], *pair[2];
  const int axis = tn_shard_axis(x), op = (int)(u->k & 0xFF), axes = (int)(u->k >> 8);
  if (axis < 0 || !(axes >> axis & 1)) return tn_each_part(t, u, x, axis);
  tiny_uop *y = tn_shard_folded(t, op, x, axes);
  if (tn_bad(t, y) || op != TINY_OP_MAX || !tn_is_float(x->dtype)) return y;
  pair[0] = y; pair[1] = tn_shard_maxima(t, x, axes);
  return tn_uop_make(t, TINY_OP_DETACH, y->dtype, 1, 2, pair, TN_SLOPE_SAME, 0, NULL);
}

// y, of which gradients know what it was computed from: a convolution's note holds for parts of a batch alone.
static tiny_uop *tn_shard_noted(tiny_ctx *t, const tiny_uop *u) {
  const int convolution = u->nsrc == 3 && u->nv;
  if (!convolution) return tn_shard_elementwise(t, u);
  const tiny_uop *y = u->src[0], *x = u->src[1], *w = u->src[2];
  const int shards = tn_is_shard(y) && tn_is_shard(x) && tn_is_shard(w) && tn_shards_meet(y, x) && tn_shards_meet(y, w);
  if (!shards || tn_shard_axis(y) != tn_shard_axis(x) || tn_shard_axis(y) > 0 || tn_shard_axis(w) >= 0)
    return u->src[0];
  tiny_uop *part[TINY_MAX_DEVICES] = {NULL};
  for (uint32_t i = 0; i < y->nsrc; i++) {
    tiny_uop *src[3] = {y->src[i], x->src[i], w->src[i]};
    part[i] = tn_uop_make_with(t, u->op, u->dtype, 1, 3, src, u->k, u->nv, u->v, u->ptr);
  }
  return tn_shard_of(t, tn_shard_axis(y), (int)y->nsrc, part);
}
// x, after others, which may lie anywhere.
static tiny_uop *tn_shard_after(tiny_ctx *t, const tiny_uop *u) {
  tiny_uop *x = u->src[0], *part[TINY_MAX_DEVICES] = {NULL};
  tiny_uop **src = (tiny_uop **)tn_scratch_bare(t, u->nsrc * TINY_MAX_DEVICES * sizeof *src);
  if (!src) return &t->ir->bad;
  if (!tn_is_shard(x)) {                   // what it waits for are parts
    int n = 0;
    for (uint32_t s = 0; s < u->nsrc; s++)
      for (uint32_t i = 0; i < (tn_is_shard(u->src[s]) ? u->src[s]->nsrc : 1); i++)
        src[n++] = tn_is_shard(u->src[s]) ? u->src[s]->src[i] : u->src[s];
    return tn_uop_make_with(t, u->op, u->dtype, 1, n, src, u->k, u->nv, u->v, u->ptr);
  }
  for (uint32_t i = 0; i < x->nsrc; i++) {
    for (uint32_t s = 0; s < u->nsrc; s++) {
      tiny_uop *of = u->src[s];
      src[s] = tn_is_shard(of) && of->nsrc == x->nsrc ? of->src[i] : tn_is_shard(of) ? of->src[0] : of;
    }
    part[i] = tn_uop_make_with(t, u->op, u->dtype, 1, (int)u->nsrc, src, u->k, u->nv, u->v, u->ptr);
  }
  return tn_shard_of(t, tn_shard_axis(x), (int)x->nsrc, part);
}

// What u would be, which has SHARDs among its sources.
static tiny_uop *tn_over_shards(tiny_ctx *t, const tiny_uop *u) {
  const tn_mark mark = tn_scratch_mark(t);
  tiny_uop *now = &t->ir->bad;
  if (tn_op_is(u->op, TINY_MOVEMENT) || u->op == TINY_OP_WHOLE) now = tn_shard_moved(t, u);
  else if (tn_op_is_elementwise(u->op) || u->op == TINY_OP_CONTIGUOUS) now = tn_shard_elementwise(t, u);
  else if (u->op == TINY_OP_REDUCE) now = tn_shard_reduced(t, u);
  else if (u->op == TINY_OP_COPY) now = tn_shard_joined(t, u->src[0], (int)u->k + 1);
  else if (u->op == TINY_OP_DETACH) now = tn_shard_noted(t, u);
  else if (u->op == TINY_OP_AFTER) now = tn_shard_after(t, u);
  else tiny_fail(t, TINY_E_DEVICE, "%s: a tensor that lies on several devices; tiny_to brings it to one",
                 tn_ops[u->op].name);
  tn_scratch_rewind(t, mark);
  return now;
}
// A tensor that lies on several devices, where it may be the context's first: from here on what is computed of it is
// split. A program that makes none carries nothing of this room but what a node has to be asked.
static tiny_uop *tn_shard_new(tiny_ctx *t, int axis, int n, tiny_uop *const *part) {
  t->ir->over_shards = tn_over_shards;
  return tn_shard_of(t, axis, n, part);
}
#endif
