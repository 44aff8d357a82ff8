// args: which k, v and sources fit an op.
//
// In:    a node to be made by a caller, as tiny_uop_new or text brings it. Out: what does not fit, in words; NULL: it
//        may be made.
// Holds: the library's own code builds nodes that fit; nothing from outside gets to shape and bounds inference
//        unasked.
#ifndef TN_IR_ARGS
#define TN_IR_ARGS
#ifndef TINY_AMALGAMATED
#include "uop.c"
#endif

static int tn_loads_by_steps(const tiny_uop *u) { return tn_load_along(u) || tn_load_next(u); }
// A LOAD of rows of matrices, whose elements a warp then has as its matrix units want them.
static int tn_loads_rows(const tiny_uop *u) {
  const int nbytes = !TN_RUNS_ONLY && u->op == TINY_OP_LOAD && tn_is_int(u->dtype) ? tn_bits(u->dtype) / 8 : 0;
  return nbytes && u->nsrc == 1 && u->src[0]->nsrc == 2 && u->src[0]->lanes == 1 &&
      (tn_loads_by_steps(u) ? nbytes * u->lanes % TN_TURNED_ROW == 0 : nbytes * u->lanes == 2 * TN_TURNED_ROW) &&
      (tn_load_kind(u) == TN_AS_ROWS ? nbytes <= 4 : tn_load_kind(u) == TN_TURNED && nbytes == 2);
}
static int tn_loads_matrices(const tiny_uop *u) { return tn_loads_rows(u) && tn_loads_by_steps(u); }
typedef struct tn_wmma { uint8_t m, n, k, together, a, b; } tn_wmma;       // as in a tiny_matrix_unit
static int64_t tn_wmma_k(const tn_wmma *w) {
  return w->m | w->n << 8 | w->k << 16 | (int64_t)w->together << 24 | (int64_t)w->a << 32 | (int64_t)w->b << 40;
}
static tn_wmma tn_wmma_of(int64_t k) {
  const tn_wmma w = {(uint8_t)k, (uint8_t)(k >> 8), (uint8_t)(k >> 16), (uint8_t)(k >> 24), (uint8_t)(k >> 32),
                     (uint8_t)(k >> 40)};
  return w;
}

// Do u's lanes hold so many elements?
static int tn_tile_holds(const tiny_uop *u, int nelem, int dtype) {
  const int bits = dtype < TINY_DTYPE_COUNT ? tn_bits(dtype) : 0;
  return tn_is_int(u->dtype) && bits && tn_bits(u->dtype) % bits == 0 && u->lanes * tn_bits(u->dtype) == nelem * bits;
}
// Do u's lanes, words of 32 bits, hold what a lane has of so many tiles?
static int tn_words_hold(const tiny_uop *u, const tiny_warp_layout *l, int dtype, int tiles) {
  return u->dtype == TINY_U32 && u->lanes * 32 == tiles * tn_layout_elements(l) * tn_bits(dtype);
}
// The LOAD of matrices behind words of an operand, of several tiles of rows that of the first. NULL: it is none.
static const tiny_uop *tn_wmma_load(const tiny_uop *u) {
  if (u->op == TINY_OP_STACK) u = u->src[0];
  if (u->op == TINY_OP_BITCAST) u = u->src[0];
  return tn_loads_matrices(u) ? u : NULL;
}
// Tiles of rows that a WMMA of a unit makes: 1, or those of a STACK of LOADs of matrices. Of columns as well: 1, or
// those of a LOAD. 0: it does not fit.
static int tn_wmma_rows(const tiny_uop *u, const tiny_warp_unit *unit) {
  const int words = tn_layout_elements(&unit->layout[0]) * tn_bits(unit->a) / 32, n = u->src[0]->lanes / words;
  return n == 1 || tn_wmma_load(u->src[0]) ? n : 0;
}
static int tn_wmma_columns(const tiny_uop *u, const tiny_warp_unit *unit) {
  const int rows = tn_wmma_rows(u, unit), lanes = tn_layout_elements(&unit->layout[2]) * rows,
            n = lanes ? u->lanes / lanes : 0;
  return u->dtype == unit->c && u->lanes == n * lanes && (n == 1 || tn_wmma_load(u->src[1])) ? n : 0;
}
static TN_COLD int tn_wmma_fits(const tiny_uop *u) {
  const tiny_warp_unit *unit = tn_warp_unit_of(u->k);
  const int columns = unit ? tn_wmma_columns(u, unit) : 0;
  if (unit)
    return columns && u->src[2]->lanes == u->lanes &&
        tn_words_hold(u->src[0], &unit->layout[0], unit->a, tn_wmma_rows(u, unit)) &&
        tn_words_hold(u->src[1], &unit->layout[1], unit->b, columns);
  const tn_wmma w = tn_wmma_of(u->k);
  return w.together && w.k % w.together == 0 && u->lanes == w.m * w.n && u->src[2]->lanes == u->lanes &&
      tn_tile_holds(u->src[0], w.m * w.k, w.a) && tn_tile_holds(u->src[1], w.k * w.n, w.b);
}

// Of a STAGE: where it lives; how many iterations of the loop around it are copied ahead; elements that lie unused
// after each row, and elements of a row (0: nothing lies unused).
enum { TN_STAGE_AHEAD = 4, TN_STAGE_PAD = 8, TN_STAGE_ROW = 24, TN_STAGE_AHEAD_MOST = 7 };   // bits below them
// It is filled by BULKs, of boxes along its last two ranges; warps of their own begin those.
enum { TN_STAGE_PRODUCED = 1 << 3, TN_STAGE_BULK = 1 << 7 };
static int tn_stage_space(const tiny_uop *u) { return (int)(u->k & 0x7); }
static int tn_stage_ahead(const tiny_uop *u) { return (int)(u->k >> TN_STAGE_AHEAD & 0x7); }
static int tn_stage_is_bulk(const tiny_uop *u) { return u->op == TINY_OP_STAGE && (u->k & TN_STAGE_BULK); }
static int tn_stage_is_produced(const tiny_uop *u) { return tn_stage_is_bulk(u) && (u->k & TN_STAGE_PRODUCED); }
static int64_t tn_stage_pad(const tiny_uop *u) { return u->k >> TN_STAGE_PAD & 0xFFFF; }
static int64_t tn_stage_row(const tiny_uop *u) { return u->k >> TN_STAGE_ROW; }

// -1: a negative dim, or too many elements
static int64_t tn_dims_nelem(int n, const int64_t *dim) {
  int64_t nelem = 1;
  for (int i = 0; i < n; i++) {
    if (dim[i] < 0) return -1;
    nelem = tn_clamp_mul(nelem, dim[i]);
  }
  return nelem > (int64_t)1 << 60 ? -1 : nelem;
}
static int tn_dims_same(int n, const int64_t *a, const int64_t *b) {
  for (int i = 0; i < n; i++) if (a[i] != b[i]) return 0;
  return 1;
}

static int tn_sources_fit(int op, int n) {
  if (tn_ops[op].nsrc >= 0) return n == tn_ops[op].nsrc;
  switch (op) {
    case TINY_OP_INDEX: return n == 2 || n == 3;
    case TINY_OP_LOAD: case TINY_OP_RANGE: return n == 1 || n == 2;
    case TINY_OP_STORE: return n == 2;
    case TINY_OP_BULK: return n >= 5 && n <= 3 + TN_BOX_DIMS;
    case TINY_OP_BULKSTORE: return n >= 4 && n <= 2 + TN_BOX_DIMS;
    case TINY_OP_DETACH: return n >= 1 && n <= 3;
    case TINY_OP_SINK: case TINY_OP_GROUP: case TINY_OP_BARRIER: case TINY_OP_CUSTOM: return 1;
    default: return n >= 1;
  }
}

// VIEW (x) k offset, v {shape.., strides..}: every element must lie in x.
static const char *tn_view_args_fit(const tiny_uop *x, int64_t offset, int nv, const int64_t *v) {
  const int n = nv / 2;
  int64_t low = offset, high = offset;
  if (x->ndim != 1 || nv % 2 || n > TINY_MAX_DIMS) return "takes flat memory, a shape and as many strides";
  const int64_t nelem = tn_dims_nelem(n, v);
  for (int i = 0; i < n && nelem > 0; i++) {
    const int64_t reach = tn_clamp_mul(v[i] - 1, v[n + i]);
    if (reach < 0) low = tn_clamp_add(low, reach); else high = tn_clamp_add(high, reach);
  }
  return nelem == 0 || (nelem > 0 && low >= 0 && high < x->dim[0]) ? NULL : "out of the source's bounds";
}

static const char *tn_movement_fits(int op, const tiny_uop *x, int64_t k, int nv, const int64_t *v) {
  uint32_t seen = 0;
  int64_t dim[TINY_MAX_DIMS];
  if (op == TINY_OP_RESHAPE)
    return nv <= TINY_MAX_DIMS && tn_dims_nelem(nv, v) >= 0 &&
      tn_dims_nelem(nv, v) == tn_dims_nelem(x->ndim, x->dim)
      ? NULL : "the shape has another number of elements";
  if (op == TINY_OP_VIEW) return tn_view_args_fit(x, k, nv, v);
  if (op == TINY_OP_FLIP) return k >= 0 && k < (int64_t)1 << x->ndim ? NULL : "no such axis";
  if (nv != (op == TINY_OP_PAD || op == TINY_OP_SHRINK ? 2 * x->ndim : x->ndim))
    return "the list has not as many numbers as the source has dims";
  for (int i = 0; i < x->ndim; i++) switch (op) {
    case TINY_OP_PERMUTE:
      if (v[i] < 0 || v[i] >= x->ndim || seen >> v[i] & 1) return "not a permutation";
      seen |= 1u << v[i]; dim[i] = x->dim[v[i]];
      break;
    case TINY_OP_EXPAND:
      if (v[i] != x->dim[i] && x->dim[i] != 1) return "only dims of 1 grow";
      dim[i] = v[i];
      break;
    case TINY_OP_PAD:
      if (v[2 * i] < 0 || v[2 * i + 1] < 0) return "negative padding";
      dim[i] = tn_clamp_add(x->dim[i], tn_clamp_add(v[2 * i], v[2 * i + 1]));
      break;
    default:
      if (v[2 * i] < 0 || v[2 * i] > v[2 * i + 1] || v[2 * i + 1] > x->dim[i])
        return "out of the source's bounds";
      dim[i] = v[2 * i + 1] - v[2 * i];
  }
  return tn_dims_nelem(x->ndim, dim) < 0 ? "too many elements" : NULL;
}

// src: y, x, w; v: groups, strides, dilations.
static const char *tn_convolution_fits(tiny_uop *const *src, int nv, const int64_t *v) {
  const tiny_uop *y = src[0], *x = src[1], *w = src[2];
  const int n = x->ndim - 2;
  int fits = n > 0 && n <= 3 && y->ndim == x->ndim && w->ndim == x->ndim && nv == 1 + 2 * n && v[0] > 0 &&
      y->dim[0] == x->dim[0] &&
      w->dim[0] % v[0] == 0 && y->dim[1] == w->dim[0] && w->dim[1] <= INT32_MAX && v[0] <= INT32_MAX &&
      x->dim[1] == w->dim[1] * v[0];
  for (int i = 0; fits && i < n; i++) {
    const int64_t stride = v[1 + i], dilation = v[1 + n + i], size = x->dim[2 + i], kernel = w->dim[2 + i];
    fits = stride > 0 && dilation > 0 && kernel > 0 && size > 0 && (size - 1) / dilation >= kernel - 1 &&
        (size - 1 - (kernel - 1) * dilation) / stride + 1 == y->dim[2 + i];
  }
  return fits ? NULL : "takes a convolution, its image and weights, groups, strides and dilations";
}
// src: y, x and, of the slopes that need one, a parameter.
static int tn_slope_fits(int nsrc, tiny_uop *const *src, int64_t k) {
  const int slope = (int)(k & 255), parameter = slope == TN_SLOPE_IGAMMA || slope == TN_SLOPE_IGAMMAC;
  if (k < 0 || slope >= TN_SLOPES || k >> 8 > 255 || nsrc != 2 + parameter) return 0;
  if ((k >> 8 > 0) != (slope == TN_SLOPE_POLYGAMMA)) return 0;
  for (int i = 1; i < nsrc; i++)
    if (src[i]->ndim != src[0]->ndim || !tn_dims_same(src[0]->ndim, src[0]->dim, src[i]->dim)) return 0;
  return 1;
}

// src: x and a number that is known when a kernel is launched: a length, or where `count` elements begin.
static const char *tn_length_fits(int op, tiny_uop *const *src, int64_t k, int nv, const int64_t *v) {
  const tiny_uop *x = src[0], *n = src[1];
  if (k < 0 || k >= x->ndim) return "no such axis";
  if (n->ndim || n->dtype != TINY_INDEX) return "takes a 0-d position";
  if (nv != (op != TINY_OP_PREFIX))
    return op == TINY_OP_SLICE ? "takes the number of elements" : "takes what it fills with";
  const int64_t count = op == TINY_OP_SLICE ? v[0] : 0;
  return count >= 0 && n->vmin >= 0 && tn_clamp_add(n->vmax, count) <= x->dim[k] ? NULL : "out of the source's bounds";
}

// NULL, or what is wrong with a node of these parts.
static int tn_shard_fits(int nsrc, tiny_uop *const *src, int64_t k) {
  int fits = nsrc > 0 && nsrc <= TINY_MAX_DEVICES && k >= 0 && k <= src[0]->ndim;
  for (int i = 0; i < nsrc && fits; i++) {
    fits = src[i]->device && src[i]->device != TN_SEVERAL && src[i]->dtype == src[0]->dtype &&
        src[i]->ndim == src[0]->ndim;
    for (int d = 0; d < src[0]->ndim && fits; d++) {
      const tiny_uop *n = tn_extent_of(src[i], d);
      fits = d + 1 == k ? !n : src[i]->dim[d] == src[0]->dim[d] && n == tn_extent_of(src[0], d);
    }
  }
  return fits;
}
// Of a BULK: so many copies fill its slot, which is one of first .. end - 1; TN_BULK_PRODUCED beside.
static int64_t tn_bulk_k(int64_t copies, int64_t first, int64_t end) { return copies | first << 8 | end << 16; }
// v: extents, strides, sides of the box; src: as many coordinates behind both memories and the slot of a BULK.
static const char *tn_bulk_fits(int op, int nsrc, int64_t k, int nv, const int64_t *v) {
  const int n = nv / 3, stores = op == TINY_OP_BULKSTORE;
  int64_t nelem = 1;
  if (nv % 3 || n < 2 || n > TN_BOX_DIMS || nsrc != n + 3 - stores) return "takes a box of 2 to 5 dims";
  if (stores ? k != 0 : k < 1 || k >> 25 || !tn_bulk_copies(k) || tn_bulk_end(k) > TN_BOX_SLOTS ||
                        tn_bulk_first(k) >= tn_bulk_end(k))
    return "takes a slot of some";
  for (int i = 0; i < n; i++) {
    const int64_t box = v[2 * n + i];
    if (v[i] < 1 || v[n + i] < 1 || box < 1 || box > TN_BOX_MOST) return "takes extents, strides and sides above 0";
    nelem *= box;
  }
  return v[n] == 1 && nelem <= 1 << 20 ? NULL : "takes rows that lie together";
}
// Of what no program of a CPU is made of.
static const char *tn_graph_args_fit(int op, int nsrc, tiny_uop *const *src, int64_t k, int nv, const int64_t *v) {
  switch (op) {
    case TINY_OP_BULK: case TINY_OP_BULKSTORE: return tn_bulk_fits(op, nsrc, k, nv, v);
    case TINY_OP_DETACH: return nsrc == 1 ? NULL : nsrc == 3 && nv ? tn_convolution_fits(src, nv, v) :
      tn_slope_fits(nsrc, src, k) ? NULL : "takes a slope, and a value of its arguments' shape";
    case TINY_OP_SCALAR: return nv == 0 || (nv == 2 && v[0] <= k && k <= v[1]) ? NULL :
      "takes no bounds, or both of its value";
    case TINY_OP_IOTA: return k >= 0 ? NULL : "takes its number of elements";
    case TINY_OP_COPY: return k >= 0 && k < TINY_MAX_DEVICES ? NULL : "takes the number of a device";
    case TINY_OP_SHARD: return tn_shard_fits(nsrc, src, k) ? NULL
      : "takes parts that differ along an axis alone, each on a device, and 1 + that axis, or 0";
    case TINY_OP_CUSTOM: return nv <= TINY_MAX_DIMS && tn_dims_nelem(nv, v) >= 0 ? NULL : "takes its shape";
    default: return NULL;
  }
}
static const char *tn_args_fit(int op, int nsrc, tiny_uop *const *src, int64_t k, int nv, const int64_t *v) {
  if (!tn_sources_fit(op, nsrc)) return "the number of sources is wrong";
  if (!TN_RUNS_ONLY && (op == TINY_OP_SLICE || op == TINY_OP_PREFIX || op == TINY_OP_WHOLE))
    return tn_length_fits(op, src, k, nv, v);
  if (!TN_RUNS_ONLY && tn_op_is(op, TINY_MOVEMENT)) return tn_movement_fits(op, src[0], k, nv, v);
  switch (op) {
    case TINY_OP_BUFFER: case TINY_OP_PARAM:         // tn_uop_holds is not asked by a build that only runs
      return nv == 1 && v[0] >= 0 && (!TN_RUNS_ONLY || v[0] < (int64_t)1 << 60) && k >= 0 && k >> 56 == 0 ? NULL
      : "takes an id below 2^56 and its number of elements";
    case TINY_OP_DEFINE: return nv == 2 && v[0] >= 0 && v[0] < 3 && v[1] >= 0 ? NULL
      : "takes its space and its number of elements";
    case TINY_OP_EXP2: return k >= 0 && k <= TN_EXP_BITS ? NULL
      : "takes 0, or 1 for e^x, and 2 if x is not above 0";
    case TINY_OP_SIN: return k == 0 || k == 1 ? NULL : "takes 0, or 1 for its sibling";
    case TINY_OP_RANGE: return k >= 0 && k >> 56 == 0 && (k & 0xFF) < TN_KINDS ? NULL
      : "takes an id below 2^48 and a kind";
    case TINY_OP_REDUCE: case TINY_OP_HREDUCE: return k >= 0 && (k & 0xFF) < TINY_OP_COUNT &&
      k >> 8 < 1 << TINY_MAX_DIMS ? NULL : "takes an op";
    default: return TN_RUNS_ONLY ? NULL : tn_graph_args_fit(op, nsrc, src, k, nv, v);
  }
}

#ifndef TINY_RUNTIME_ONLY
TINY_API tiny_uop *tiny_uop_new(tiny_ctx *t, int op, tiny_dtype dtype, tiny_uop *const *src, int nsrc,
                                int64_t k, const int64_t *v, int nv) {
  if (!t) return NULL;
  if ((unsigned)op >= TINY_OP_COUNT || (unsigned)dtype >= TINY_DTYPE_COUNT || nsrc < 0 || (nsrc && !src) ||
      nv < 0 || nv > UINT8_MAX || (nv && !v)) {
    tiny_fail(t, TINY_E_ARG, "uop_new: op %d, dtype %d, %d sources, %d list elements", op, (int)dtype, nsrc,
              nv);
    return NULL;
  }
  int lanes = 1;
  for (int i = 0; i < nsrc; i++) {
    if (!src[i]) {
      tiny_fail(t, TINY_E_ARG, "uop_new: source %d of %s is NULL", i, tn_ops[op].name);
      return NULL;
    }
    if (src[i]->lanes > lanes) lanes = src[i]->lanes;
  }
  const char *wrong = tn_args_fit(op, nsrc, src, k, nv, v);
  if (wrong) { tiny_fail(t, TINY_E_ARG, "uop_new: %s: %s", tn_ops[op].name, wrong); return NULL; }
  tiny_uop *u = tn_uop_make(t, op, dtype, lanes, nsrc, src, k, nv, v);
  return u == &t->ir->bad ? NULL : u;
}
#endif
#endif
