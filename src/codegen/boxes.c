// boxes: what a STAGE copies as boxes of a tensor in memory, which a device copies by itself (TMA of sm_90 on).
//
// In:    a STAGE whose last two ranges are a box: rows, and what lies together in them; a range before: boxes beside
//        each other. Or one that items fill, and the END of such ranges that stores all of it.
// Out:   the memory as a tensor, and where in it a box begins; or that it is none.
// Holds: the place of an element is a sum of terms, each a node times a number: that of the rows' range is the distance
//        of rows. What a condition leaves out is what lies beyond an extent of the tensor, and is 0 as TMA has it: the
//        terms that stand in it are a dim's coordinate. All other terms are counted in rows, or in elements of one, or
//        are a dim of their own. Distances are multiples of 16 bytes (CUDA driver API, cuTensorMapEncodeTiled).
#ifndef TN_CODEGEN_BOXES
#define TN_CODEGEN_BOXES
#ifndef TINY_AMALGAMATED
#include "replace.c"
#endif

enum { TN_BOX_STRIDE = 16, TN_BOX_MASKS = 8 };     // bytes; conditions

typedef struct tn_box {
  tiny_uop *memory, *at[TN_BOX_DIMS], *blocks;   // coordinates; the range of boxes beside each other, NULL: one
  int dims;
  int64_t v[3 * TN_BOX_DIMS];              // as a BULK has it: extents, strides, sides
} tn_box;

// A coordinate of the box: its terms, the extent of its dim, of which a condition says more than that it is reached.
typedef struct tn_box_side { tn_affine place, mask; int64_t extent, size, stride; int masked; } tn_box_side;

// ** what is read, and where it is there **

// The LOAD behind x; conds: what has to hold, elsewhere it is 0. NULL: it is something else.
static tiny_uop *tn_box_load(tiny_ctx *t, tiny_uop *x, tn_list *conds) {
  for (;;) {
    if (x->op == TINY_OP_BITCAST && !tn_regroups(x)) { x = x->src[0]; continue; }
    if (x->op != TINY_OP_WHERE || !tn_is_const(x->src[2]) || x->src[2]->k) break;
    tn_push(t, conds, x->src[0]);
    x = x->src[1];
  }
  if (x->op != TINY_OP_LOAD || x->k || x->nsrc > 1 || x->lanes > 1 || x->src[0]->lanes > 1 ||
      x->src[0]->src[0]->op != TINY_OP_PARAM)
    return NULL;
  if (x->src[0]->nsrc == 3) tn_push(t, conds, x->src[0]->src[2]);
  return x;
}
static int tn_box_affine(tiny_ctx *t, tiny_uop *u, tn_affine *a) {
  tn_affine_start(a, TINY_INDEX);
  return tn_affine_add(a, u, 1, 1) && tn_affine_recombine(t, a) >= 0;
}
static int64_t tn_box_times(const tn_affine *a, const tiny_uop *x) {
  for (int i = 0; i < a->n; i++) if (a->term[i].x == x) return a->term[i].c;
  return 0;
}

// x + y // d < n, as algebra has made it of d x + y < d n, becomes that again. 0: too many terms.
static int tn_box_widened(tn_affine *a, int64_t *n) {
  for (int i = 0; i < a->n; i++) {
    const tiny_uop *u = a->term[i].x;
    if (u->op != TINY_OP_IDIV || a->term[i].c != 1 || !tn_is_const(u->src[1]) || u->src[1]->k < 2) continue;
    const int64_t d = u->src[1]->k;
    tn_affine_drop(a, i);
    for (int k = 0; k < a->n; k++) a->term[k].c = tn_clamp_mul(a->term[k].c, d);
    a->k = tn_clamp_mul(a->k, d);
    *n = tn_clamp_mul(*n, d);
    return tn_affine_add(a, u->src[0], 1, 1);
  }
  return 1;
}
// A condition `sum < n` of what one side's range is part of. 0: it says something else.
static int tn_box_mask(tiny_ctx *t, tiny_uop *cond, tiny_uop *const *range, tn_box_side *side) {
  tn_affine a;
  if (tn_is_k(cond, 1)) return 1;
  if (cond->op != TINY_OP_LT || !tn_is_const(cond->src[1]) || !tn_is_int(cond->src[1]->dtype) ||
      !tn_box_affine(t, cond->src[0], &a))
    return 0;
  int64_t extent = cond->src[1]->k;
  if (!tn_box_widened(&a, &extent)) return 0;
  for (int i = 0; i < 2; i++) {
    if (tn_box_times(&a, range[i]) != 1 || tn_box_times(&a, range[!i])) continue;
    if (side[i].masked) return 0;
    side[i].masked = 1; side[i].mask = a; side[i].extent = extent;
    return 1;
  }
  return 0;
}
static int tn_box_masks(tiny_ctx *t, tn_list *conds, tiny_uop *const *range, tn_box_side *side) {
  for (int i = 0; i < conds->n; i++) {
    tiny_uop *u = conds->u[i];
    if (u->op == TINY_OP_AND && u->dtype == TINY_BOOL && conds->n < TN_BOX_MASKS) {
      conds->u[i--] = u->src[0];
      tn_push(t, conds, u->src[1]);
    } else if (!tn_box_mask(t, u, range, side)) return 0;
  }
  return 1;
}

// ** which dim a term is counted in **

// 1: the term may be part of that side's coordinate. Of what a condition speaks of all its terms are, and no others.
static int tn_box_takes(const tn_box_side *s, const tn_term *m) {
  return m->c % s->stride == 0 && (!s->masked || tn_box_times(&s->mask, m->x) == m->c / s->stride);
}
// Terms of e, but for the ranges of the box: rows (side 1) before elements of rows; each else a dim of its own.
static int tn_box_terms(const tn_affine *e, tn_box_side *side, tn_term *own, int *nown) {
  *nown = 0;
  for (int i = 0; i < e->n; i++) {
    const tn_term *m = &e->term[i];
    const int in_row = tn_box_takes(&side[0], m), rows = tn_box_takes(&side[1], m),
              at = side[0].masked && in_row ? 0 : rows ? 1 : in_row && m->c < side[1].stride ? 0 : -1;
    if (m->c < 0 || m->x->vmin < 0) return 0;
    if (at >= 0) { if (!tn_affine_term(&side[at].place, m->x, m->c / side[at].stride)) return 0; }
    else if (*nown == TN_BOX_DIMS - 2) return 0;
    else own[(*nown)++] = *m;
  }
  for (int i = 0; i < 2; i++) if (side[i].masked && side[i].mask.n != side[i].place.n) return 0;
  return 1;
}
// The constant of e: what conditions have of it, then rows, then elements. 0: some is left.
static int tn_box_constant(int64_t k, tn_box_side *side) {
  for (int i = 0; i < 2; i++) if (side[i].masked) {
    side[i].place.k = side[i].mask.k;
    k -= side[i].place.k * side[i].stride;
  }
  for (int i = 1; i >= 0 && k > 0; i--) if (!side[i].masked) {
    side[i].place.k = k / side[i].stride;
    k -= side[i].place.k * side[i].stride;
  }
  return k == 0;
}
static void tn_box_extents(tn_box_side *side) {
  for (int i = 0; i < 2; i++) {
    int64_t low, high;
    tn_affine_bounds(&side[i].place, &low, &high);
    if (!side[i].masked) side[i].extent = tn_clamp_add(high, 1);
  }
}

// ** the tensor **

static int tn_box_dim(tn_box *b, tiny_uop *at, int64_t extent, int64_t stride, int64_t box) {
  const int n = TN_BOX_DIMS;
  if (extent < 1 || extent > INT32_MAX || stride < 1) return 0;
  b->at[b->dims] = at;
  b->v[b->dims] = extent; b->v[n + b->dims] = stride; b->v[2 * n + b->dims++] = box;
  return 1;
}
// Numbers side by side as a BULK wants them. 0: the tensor is more than the memory, or rows lie where TMA finds none.
static int tn_box_pack(tn_box *b) {
  const int64_t nbytes = tn_dtypes[b->memory->dtype].nbytes, all = tn_memory_behind(b->memory)->v[0];
  int64_t last = 0, packed[3 * TN_BOX_DIMS];
  for (int i = 0; i < 3 * b->dims; i++) packed[i] = b->v[i / b->dims * TN_BOX_DIMS + i % b->dims];
  memcpy(b->v, packed, sizeof packed);
  for (int i = 0; i < b->dims; i++) {
    if (i && b->v[b->dims + i] * nbytes % TN_BOX_STRIDE) return 0;
    last = tn_clamp_add(last, tn_clamp_mul(b->v[i] - 1, b->v[b->dims + i]));
  }
  return last < all;
}

// range: what lies together, rows.
static int tn_box_tensor(tiny_ctx *t, const tn_affine *e, tiny_uop *const *range, tn_box_side *side, tn_box *b) {
  tn_affine rest = *e;
  tn_term own[TN_BOX_DIMS];
  int nown;
  for (int i = 0; i < 2; i++) {
    tn_affine_start(&side[i].place, TINY_INDEX);
    for (int k = 0; k < rest.n; k++) if (rest.term[k].x == range[i]) { tn_affine_drop(&rest, k); break; }
    if (!tn_affine_term(&side[i].place, range[i], 1)) return 0;
  }
  for (int k = 0; k < rest.n; k++)
    for (int i = 0; i < 2; i++) if (tn_depends(t, rest.term[k].x, range[i])) return 0;
  if (!tn_box_terms(&rest, side, own, &nown) || !tn_box_constant(rest.k, side)) return 0;
  tn_box_extents(side);
  for (int i = 0; i < 2; i++) {
    tiny_uop *zero = tn_index(t, 0), *place = tn_affine_node(t, &side[i].place, TINY_INDEX), *r = range[i];
    place = tn_simplify(t, tn_replace(t, place, 1, &r, &zero));
    if (!tn_box_dim(b, place, side[i].extent, side[i].stride, side[i].size))
      return 0;
  }
  for (int i = 0; i < nown; i++)
    if (!tn_box_dim(b, tn_cast(t, own[i].x, TINY_INDEX), tn_clamp_add(own[i].x->vmax, 1), own[i].c, 1)) return 0;
  return tn_box_pack(b);
}

// 1: b is what is copied over n ranges between an INDEX of memory and elements of this dtype. conds: what has to hold.
static int tn_box_at(tiny_ctx *t, const tiny_uop *index, tn_list *conds, int n, tiny_uop *const *ranges, int dtype,
                     tn_box *b) {
  tiny_uop *range[2];
  tn_box_side *side = (tn_box_side *)tn_scratch(t, 2 * sizeof *side);
  tn_affine e;
  memset(b, 0, sizeof *b);
  if (n < 2 || n > 3 || !tn_box_affine(t, index->src[1], &e)) return 0;
  b->memory = index->src[0];
  b->blocks = n == 3 ? ranges[0] : NULL;
  for (int i = 0; i < 2; i++) {
    range[i] = ranges[n - 1 - i];
    side[i].stride = tn_box_times(&e, range[i]); side[i].size = tn_range_extent(range[i]);
  }
  if (side[0].stride != 1 || side[1].stride < 1 || side[1].size > TN_BOX_MOST ||
      side[0].size * tn_dtypes[dtype].nbytes != TN_BOX_ROW ||
      side[1].size * TN_BOX_ROW % TN_BOX_ALIGN || !tn_box_masks(t, conds, range, side))
    return 0;
  return tn_box_tensor(t, &e, range, side, b);
}
// 1: b is what the STAGE copies.
static int tn_box_of(tiny_ctx *t, tiny_uop *stage, tn_box *b) {
  tn_list conds = {NULL, 0, 0};
  const tiny_uop *load = tn_box_load(t, stage->src[0], &conds);
  return load && tn_box_at(t, load->src[0], &conds, (int)stage->nsrc - 1, stage->src + 1, stage->dtype, b);
}
static int64_t tn_box_count(const tn_box *b) { return b->blocks ? tn_range_extent(b->blocks) : 1; }

// ** what items have written, and leaves **

// Is a STAGE of boxes filled by items? Its ranges are then theirs.
static int tn_box_leaves(const tiny_uop *stage) {
  return tn_stage_is_bulk(stage) && tn_range_kind(stage->src[stage->nsrc - 1]) != TN_SHARE;
}
// The END that stores all that a STAGE has; NULL: there is none.
static tiny_uop *tn_box_end(tiny_ctx *t, tiny_uop *sink, const tiny_uop *stage) {
  tn_list all = {NULL, 0, 0};
  tn_collect_op(t, sink, TINY_OP_END, &all);
  for (int i = 0; i < all.n; i++) {
    const tiny_uop *store = all.u[i]->src[0], *x = store->op == TINY_OP_STORE && !store->k ? store->src[1] : NULL;
    while (x && x->op == TINY_OP_BITCAST && !tn_regroups(x)) x = x->src[0];
    if (x && x->op == TINY_OP_LOAD && x->src[0]->src[0] == stage &&
        tn_memory_behind(store->src[0]->src[0])->op == TINY_OP_PARAM)
      return all.u[i];
  }
  return NULL;
}
// Its ranges that are boxes, and all others.
static void tn_box_end_ranges(tiny_ctx *t, const tiny_uop *end, tn_list *shares, tn_list *others) {
  for (uint32_t i = 1; i < end->nsrc; i++)
    tn_push(t, tn_range_kind(end->src[i]) == TN_SHARE ? shares : others, end->src[i]);
}
// 1: b is what that END stores.
static int tn_box_of_store(tiny_ctx *t, tiny_uop *sink, const tiny_uop *stage, tn_box *b) {
  tn_list conds = {NULL, 0, 0}, shares = {NULL, 0, 0}, others = {NULL, 0, 0};
  tiny_uop *end = tn_box_end(t, sink, stage);
  if (!end) return 0;
  const tiny_uop *index = end->src[0]->src[0];               // whose memory stays: behind it may be loops
  index = tn_index_of(t, index->src[0], tn_simplify(t, index->src[1]),
                      index->nsrc == 3 ? tn_simplify(t, index->src[2]) : NULL);
  if (index->nsrc == 3) tn_push(t, &conds, index->src[2]);
  tn_box_end_ranges(t, end, &shares, &others);
  if (!tn_box_at(t, index, &conds, shares.n, shares.u, stage->dtype, b)) return 0;
  return tn_box_count(b) * b->v[2 * b->dims] * b->v[2 * b->dims + 1] == tn_stage_nelem(stage);
}
// Are all STAGEs of boxes that?
static int tn_boxes_stand(tiny_ctx *t, tiny_uop *sink) {
  tn_box *b = (tn_box *)tn_scratch(t, sizeof *b);
  tn_list all = {NULL, 0, 0};
  tn_collect_op(t, sink, TINY_OP_STAGE, &all);
  for (int i = 0; i < all.n; i++) {
    tiny_uop *u = all.u[i];
    if (tn_stage_is_bulk(u) && !(tn_box_leaves(u) ? tn_box_of_store(t, sink, u, b) : tn_box_of(t, u, b))) return 0;
  }
  return 1;
}
// Where element e of the block, row by row, lies in boxes beside each other; pieces are turned as ir/listing.c has
// it.
static tiny_uop *tn_box_element(tiny_ctx *t, const tn_box *b, int dtype, tiny_uop *e) {
  const int64_t row = b->v[2 * b->dims], rows = b->v[2 * b->dims + 1], columns = tn_box_count(b) * row,
                piece = TN_BOX_PIECE / tn_dtypes[dtype].nbytes;
  tiny_uop *y = tn_u2(t, TINY_OP_IDIV, e, tn_index(t, columns)), *x = tn_u2(t, TINY_OP_MOD, e, tn_index(t, columns)),
           *of_row = tn_u2(t, TINY_OP_MOD, x, tn_index(t, row)), *box = tn_u2(t, TINY_OP_IDIV, x, tn_index(t, row)),
           *of_piece = tn_u2(t, TINY_OP_MOD, of_row, tn_index(t, piece)), *size = tn_index(t, piece),
           *turn = tn_u2(t, TINY_OP_MOD, y, tn_index(t, TN_BOX_ALIGN / TN_BOX_ROW));
  tiny_uop *at = tn_u2(t, TINY_OP_ADD, tn_u2(t, TINY_OP_MUL, box, tn_index(t, rows)), y),
           *from = tn_u2(t, TINY_OP_MUL, tn_u2(t, TINY_OP_IDIV, of_row, size), size),
           *turned = tn_u2(t, TINY_OP_XOR, tn_u2(t, TINY_OP_MUL, turn, size), from);
  at = tn_u2(t, TINY_OP_ADD, tn_u2(t, TINY_OP_MUL, at, tn_index(t, row)), turned);
  return tn_simplify(t, tn_u2(t, TINY_OP_ADD, at, of_piece));
}

// ** its copies **

// A coordinate of box number k.
static void tn_box_place_of(tiny_ctx *t, const tn_box *b, int64_t k, tiny_uop **at) {
  tiny_uop *number = tn_index(t, k), *blocks = b->blocks;
  for (int i = 0; i < b->dims; i++) at[i] = blocks ? tn_replace(t, b->at[i], 1, &blocks, &number) : b->at[i];
}
static int64_t tn_box_nelem(const tn_box *b) {
  int64_t nelem = 1;
  for (int i = 0; i < b->dims; i++) nelem *= b->v[2 * b->dims + i];
  return nelem;
}
// Boxes of memory `from`, from its first element on, leave.
static tiny_uop *tn_box_stores(tiny_ctx *t, const tn_box *b, tiny_uop *from) {
  tn_list all = {NULL, 0, 0};
  for (int64_t k = 0; k < tn_box_count(b); k++) {
    tiny_uop *at[TN_BOX_DIMS];
    tn_box_place_of(t, b, k, at);
    tn_push(t, &all, tn_bulk_store(t, tn_index_of(t, from, tn_index(t, k * tn_box_nelem(b)), NULL), b->memory, b->dims,
                                   at, b->v));
  }
  return all.n == 1 ? all.u[0] : tn_node_of(t, TINY_OP_GROUP, TINY_VOID, &all);
}

// The copies of a STAGE in an iteration: from[0] becomes to[0] in all places; valid: whether it is to be read at all.
// begin: its first element in memory `to`; bulk: k of a BULK.
static tiny_uop *tn_box_copies(tiny_ctx *t, const tn_box *b, int nfrom, tiny_uop *const *from, tiny_uop *const *now,
                               tiny_uop *valid, tiny_uop *to, tiny_uop *begin, tiny_uop *slot, int64_t bulk) {
  tn_list all = {NULL, 0, 0};
  for (int64_t k = 0; k < tn_box_count(b); k++) {
    tiny_uop *at[TN_BOX_DIMS];
    tn_box_place_of(t, b, k, at);
    for (int i = 0; i < b->dims; i++) at[i] = tn_replace(t, at[i], nfrom, from, now);
    tiny_uop *place = tn_u2(t, TINY_OP_ADD, begin, tn_index(t, k * tn_box_nelem(b)));
    tn_push(t, &all, tn_bulk(t, tn_index_of(t, to, place, valid), b->memory, slot, b->dims, at, b->v, bulk));
  }
  return all.n == 1 ? all.u[0] : tn_node_of(t, TINY_OP_GROUP, TINY_VOID, &all);
}
// The first slot that no copy of the kernel goes to.
static int64_t tn_box_slots(tiny_ctx *t, tiny_uop *sink) {
  tn_list all = {NULL, 0, 0};
  int64_t n = 0;
  tn_collect_op(t, sink, TINY_OP_BULK, &all);
  for (int i = 0; i < all.n; i++) if (tn_bulk_end(all.u[i]->k) > n) n = tn_bulk_end(all.u[i]->k);
  return n;
}
#endif
