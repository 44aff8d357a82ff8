// embedding: rows of a table by integer indices, one at a time or by the bag.
//
// A lookup is a sum over (row == index) * table, which the scheduler turns back into a load. Indices out of
// range give zeros. The padding row is looked up like the others, but no gradient reaches it.
#ifndef TN_TENSOR_EMBEDDING
#define TN_TENSOR_EMBEDDING
#ifndef TINY_AMALGAMATED
#include "norm.c"
#endif

// Rows of w (V,D) at ids (..) -> (..,D).
static tiny_uop *tn_rows(tiny_ctx *t, tiny_uop *ids, tiny_uop *w, int64_t padding) {
  if (tn_bad(t, ids) || tn_bad(t, w)) return &t->ir->bad;
  const int64_t V = w->dim[0];
  if (padding >= 0 && padding < V) {
    tiny_uop *row = tn_iota(t, TINY_INDEX, V, 0, 2);
    tiny_uop *is = tn_bad(t, row) ? row : tn_eq(t, row, tn_int(t, TINY_INDEX, padding));
    w = tn_where(t, is, tn_u1(t, TINY_OP_DETACH, w), w);
  }
  const int at = ids->ndim;                // sums of the gradient lie as w does
  ids = tn_insert(t, tn_insert(t, ids, at), at);
  tiny_uop *picked = tn_where(t, tn_swap(t, tn_names(t, ids, V), at, at + 1), w, tn_k(t, w, 0));     // (..,V,D)
  return tn_bad(t, picked) ? picked : tn_sum(t, picked, 1 << at, 0);
}
static int tn_rows_fit(const char *name, const tiny_uop *ids, tiny_tensor *w, int64_t padding) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_ctx *t = tn_ctx_of(w);
  if (!tn_is_index(t, name, ids)) return 0;
  if (tn_uop_of(w)->ndim != 2 || ids->ndim > TINY_MAX_DIMS - 2) {
    tiny_fail(t, TINY_E_SHAPE, "%s: indices %s into a table %s", name, tn_text_of(ids, a),
              tn_text_of(tn_uop_of(w), b));
    return 0;
  }
  if (padding >= -1 && padding < tn_uop_of(w)->dim[0]) return 1;
  tiny_fail(t, TINY_E_ARG, "%s: row %lld of a table %s as padding", name, (long long)padding,
            tn_text_of(tn_uop_of(w), b));
  return 0;
}

TINY_API tiny_tensor *tiny_embedding(tiny_tensor *ids, tiny_tensor *w, int64_t padding) {
  tiny_tensor *out, *in[2] = {ids, w};
  if (!tn_usable("embedding", 2, in, &out) || !tn_rows_fit("embedding", tn_uop_of(ids), w, padding)) return out;
  return tn_tensor_new(tn_ctx_of(w), tn_rows(tn_ctx_of(w), tn_uop_of(ids), tn_uop_of(w), padding));
}

// Rows of w (V,D) that are looked up, scaled down to a p-norm of at most most; the others as they are.
static tiny_uop *tn_rows_limited(tiny_ctx *t, tiny_uop *ids, tiny_uop *w, double most, double p) {
  if (tn_bad(t, ids) || tn_bad(t, w)) return &t->ir->bad;
  const int64_t V = w->dim[0];
  ids = tn_flattened(t, ids);
  tiny_uop *is = tn_bad(t, ids) ? ids : tn_names(t, tn_insert(t, ids, 1), V);          // (N,V)
  tiny_uop *used = tn_insert(t, tn_reduce(t, TINY_OP_MAX, is, 1, 0), 1), *wide = tn_wide(t, w);
  if (tn_bad(t, used) || tn_bad(t, wide)) return &t->ir->bad;
  tiny_uop *limit = tn_norm_limit(t, tn_norm(t, wide, p, 2, 1), most), *limited = tn_mul(t, wide, limit);
  return tn_bad(t, limited) ? limited : tn_where(t, used, tn_cast(t, limited, w->dtype), w);
}
TINY_API tiny_tensor *tiny_embedding_max_norm(tiny_tensor *ids, tiny_tensor *w, int64_t padding, double max_norm,
                                              double p) {
  tiny_tensor *out, *in[2] = {ids, w};
  if (!tn_usable("embedding_max_norm", 2, in, &out) || !tn_rows_fit("embedding_max_norm", tn_uop_of(ids), w, padding) ||
      !tn_taken(tn_ctx_of(w), "embedding_max_norm", TN_FLOATS, tn_uop_of(w)->dtype))
    return out;
  if (!(max_norm >= 0 && p > 0))
    return tn_wrong(tn_ctx_of(w), TINY_E_ARG, "embedding_max_norm: norms of order %g up to %g", p, max_norm);
  if (tiny_nelem_of(w) && tiny_nelem_of(ids)) {
    tiny_uop *limited = tn_rows_limited(tn_ctx_of(w), tn_uop_of(ids), tn_uop_of(w), max_norm, p);
    tiny_tensor *const state = tn_bad(tn_ctx_of(w), limited) ? out : tn_assign(w, limited);
    if (!tiny_ok(state)) return state;
  }
  return tn_tensor_new(tn_ctx_of(w), tn_rows(tn_ctx_of(w), tn_uop_of(ids), tn_uop_of(w), padding));
}

// (B,N): does index i lie in bag b, from its offset up to the next one's?
static tiny_uop *tn_bag_spans(tiny_ctx *t, tiny_uop *offsets, int64_t B, int64_t N) {
  tiny_uop *from = tn_cast(t, offsets, TINY_I64), *last = tn_int(t, TINY_I64, N);
  if (tn_bad(t, from)) return from;
  tiny_uop *to = tn_extend(t, tn_cut(t, from, 0, 1, B), 0, 0, 1), *is_last = tn_iota(t, TINY_I64, B, 0, 1);
  to = tn_where(t, tn_eq(t, is_last, tn_int(t, TINY_I64, B - 1)), last, to);
  tiny_uop *at = tn_iota(t, TINY_I64, N, 1, 2);
  return tn_and(t, tn_not(t, tn_lt(t, at, tn_insert(t, from, 1))), tn_lt(t, at, tn_insert(t, to, 1)));
}

// e (..,N,D), those that count (B,N,1) -> (B,D)
static tiny_uop *tn_bag_reduce(tiny_ctx *t, tiny_uop *e, tiny_uop *counts, tiny_reduction mode) {
  if (tn_bad(t, e) || tn_bad(t, counts)) return &t->ir->bad;
  tiny_uop *number = tn_sum(t, tn_cast(t, counts, e->dtype), 2, 0), *zero = tn_k(t, e, 0);
  if (mode == TINY_MAX) {
    tiny_uop *lowest = tn_uop_make(t, TINY_OP_CONST, e->dtype, 1, 0, NULL, tn_lowest(e->dtype), 0, NULL);
    tiny_uop *most = tn_reduce(t, TINY_OP_MAX, tn_where(t, counts, e, lowest), 2, 0);
    return tn_where(t, tn_is_zero(t, number), zero, most);
  }
  tiny_uop *sum = tn_sum(t, tn_where(t, counts, e, zero), 2, 0);
  return mode == TINY_SUM ? sum : tn_fdiv(t, sum, tn_max(t, number, tn_k(t, number, 1)));
}

TINY_API tiny_tensor *tiny_embedding_bag(tiny_tensor *ids, tiny_tensor *w, tiny_tensor *offsets,
                                         tiny_tensor *weights, tiny_reduction mode, int64_t padding) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *out, *in[4] = {ids, w, offsets, weights};
  if (!tn_usable_some("embedding_bag", 2, 4, in, &out)) return out;
  tiny_ctx *t = tn_ctx_of(w);
  tiny_uop *u = tn_uop_of(ids);
  if (!tn_rows_fit("embedding_bag", u, w, padding)) return out;
  if (mode != TINY_MEAN && mode != TINY_SUM && mode != TINY_MAX)
    return tn_wrong(t, TINY_E_ARG, "embedding_bag: mode %d", (int)mode);
  if (weights && mode != TINY_SUM) return tn_wrong(t, TINY_E_ARG, "embedding_bag: weights are for TINY_SUM");
  if (u->ndim != (offsets ? 1 : 2) || (offsets && tn_uop_of(offsets)->ndim != 1))
    return tn_wrong(t, TINY_E_SHAPE, "embedding_bag: indices %s with offsets %s", tn_text_of(u, a),
                    offsets ? tn_text_of(tn_uop_of(offsets), b) : "NULL");
  if (offsets && !tn_is_index(t, "embedding_bag", tn_uop_of(offsets))) return out;
  if (offsets &&
      !tn_axis_whole_for(t, "embedding_bag", tn_uop_of(offsets), 0, "the last bag ends where the indices do"))
    return out;
  if (weights && !tn_has_dims(tn_uop_of(weights), u->ndim, u->dim))
    return tn_wrong(t, TINY_E_SHAPE, "embedding_bag: indices %s with weights %s", tn_text_of(u, a),
                    tn_text_of(tn_uop_of(weights), b));
  tiny_uop *e = tn_rows(t, u, tn_wide(t, tn_uop_of(w)), padding);  // ([B,]N,D)
  if (weights && !tn_bad(t, e)) e = tn_mul(t, e, tn_cast(t, tn_insert(t, tn_uop_of(weights), u->ndim), e->dtype));
  tiny_uop *counts =
      tn_not(t, tn_eq(t, tn_cast(t, u, TINY_I64), tn_int(t, TINY_I64, padding < 0 ? INT64_MIN : padding)));
  if (offsets) {
    counts = tn_and(t, counts, tn_bag_spans(t, tn_uop_of(offsets), tn_uop_of(offsets)->dim[0], u->dim[0]));
    e = tn_insert(t, e, 0);
  }
  e = tn_bag_reduce(t, e, tn_bad(t, counts) ? counts : tn_insert(t, counts, 2), mode);
  return tn_tensor_new(t, tn_narrow(t, e, tn_uop_of(w)->dtype));
}
#endif
