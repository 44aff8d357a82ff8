// spec: the verifier. What a well-formed graph, kernel or program is, as a table and a few checks of form.
//
// In:  the root of a tensor graph or kernel, or the list of a program.
// Out: TINY_OK, or TINY_E_INTERNAL and the node that breaks a rule.
//
// Tensor graph: elementwise sources have one shape or none; movement fits its source.
// Kernel: memory is reached through INDEX; every RANGE is closed before the SINK, by one END at most (several
// REDUCEs may share their ranges). Bounds of ranges are CONST, unless AFTERs order the kernel, or its loops have got
// their bounds: then any integers.
// It holds at any point of lowering, so ops of programs are allowed.
// Program: sources come first; loops and IFs nest; what is computed in one is not used after it; no op of the
// other stages.
//
// It looks at every node once and is cheap enough to be on always.
#ifndef TN_IR_SPEC
#define TN_IR_SPEC
#ifndef TINY_AMALGAMATED
#include "print.c"
#endif

#ifndef TN_VERIFY_PASSES                   // test builds do, whatever the letters
  #define TN_VERIFY_PASSES 0
#endif

enum {
  TN_SPEC_TENSOR = 1, TN_SPEC_KERNEL = 2, TN_SPEC_PROGRAM = 4, TN_SPEC_RANGES = 64,
  // Of a KERNEL that is lowered: items of a group share what their STAGE was, copies of a value are GROUPs; its loops
  // have got their bounds.
  TN_SPEC_LOWERING = 8, TN_SPEC_LOOPS = 16
};

// What the dtype of a node must be:
//   = as all sources            f the same, a float      n the same, no float   c BOOL of equal sources
//   w as sources 1 and 2, source 0 BOOL                  1 as source 0          b as wide as source 0
//   i an integer                r an integer, as all sources                    3 U32 as all sources
//   v none                      d U32, U32 and as source 2                     . any
//   m as all sources, f32 or f64
//   t as source 2               g none; while a kernel is lowered also as all sources
static const struct { uint8_t op, stages; char dtype; } tn_spec_rows[] = {
  {TINY_OP_CONST, 7, '.'}, {TINY_OP_BUFFER, 1, '.'}, {TINY_OP_PARAM, 7, '.'}, {TINY_OP_SCALAR, 1, '.'},
  {TINY_OP_ARG, 6, '.'}, {TINY_OP_IOTA, 1, 'i'}, {TINY_OP_RANGE, 6, 'r'}, {TINY_OP_SPECIAL, 6, 'r'},
  {TINY_OP_DEFINE, 6, '.'}, {TINY_OP_LANE, 6, 'i'}, {TINY_OP_RESHAPE, 1, '='}, {TINY_OP_PERMUTE, 1, '='},
  {TINY_OP_EXPAND, 1, '='}, {TINY_OP_PAD, 1, '='}, {TINY_OP_SHRINK, 1, '='}, {TINY_OP_FLIP, 1, '='},
  {TINY_OP_SLICE, 1, '1'}, {TINY_OP_PREFIX, 1, '1'}, {TINY_OP_WHOLE, 1, '1'},
  {TINY_OP_VIEW, 1, '='}, {TINY_OP_REDUCE, 3, '1'}, {TINY_OP_CONTIGUOUS, 1, '='}, {TINY_OP_DETACH, 1, '='},
  {TINY_OP_ASSIGN, 1, '='}, {TINY_OP_CUSTOM, 1, '.'}, {TINY_OP_COPY, 1, '='}, {TINY_OP_SHARD, 1, '='},
  {TINY_OP_STAGE, 2, '1'},  {TINY_OP_INDEX, 6, '1'},
  {TINY_OP_LOAD, 6, '='}, {TINY_OP_STORE, 6, 'v'}, {TINY_OP_AFTER, 7, '1'}, {TINY_OP_BARRIER, 6, 'v'},
  {TINY_OP_PREFETCH, 6, 'v'}, {TINY_OP_MASKED, 2, 'v'},
  {TINY_OP_END, 6, 'v'}, {TINY_OP_IF, 6, 'v'}, {TINY_OP_ENDIF, 6, 'v'}, {TINY_OP_GROUP, 7, 'g'},
  {TINY_OP_SINK, 7, 'v'}, {TINY_OP_BROADCAST, 6, '='}, {TINY_OP_STACK, 6, '='}, {TINY_OP_PICK, 6, '='},
  {TINY_OP_HREDUCE, 6, '='}, {TINY_OP_CAST, 7, '.'}, {TINY_OP_BITCAST, 7, 'b'}, {TINY_OP_NEG, 6, '='},
  {TINY_OP_EXP2, 7, 'f'}, {TINY_OP_LOG2, 7, 'f'}, {TINY_OP_SIN, 7, 'f'}, {TINY_OP_SQRT, 7, 'f'},
  {TINY_OP_TRUNC, 7, '='}, {TINY_OP_ADD, 7, '='}, {TINY_OP_MUL, 7, '='}, {TINY_OP_SUB, 6, '='},
  {TINY_OP_FDIV, 7, 'f'}, {TINY_OP_IDIV, 7, '='}, {TINY_OP_MOD, 7, '='}, {TINY_OP_CDIV, 6, '='},
  {TINY_OP_CMOD, 6, '='}, {TINY_OP_MAX, 7, '='}, {TINY_OP_LT, 7, 'c'}, {TINY_OP_NE, 7, 'c'},
  {TINY_OP_EQ, 6, 'c'}, {TINY_OP_AND, 7, 'n'}, {TINY_OP_OR, 7, 'n'}, {TINY_OP_XOR, 7, 'n'},
  {TINY_OP_SHL, 7, 'n'}, {TINY_OP_SHR, 7, 'n'}, {TINY_OP_POW, 7, '='}, {TINY_OP_WHERE, 7, 'w'},
  {TINY_OP_FMA, 6, 'm'}, {TINY_OP_THREEFRY, 7, '3'}, {TINY_OP_DOT, 6, 'd'},
  {TINY_OP_WMMA, 6, 't'}, {TINY_OP_SHUFFLE, 6, '='}, {TINY_OP_BULK, 6, 'v'}, {TINY_OP_BULKSTORE, 6, 'v'}
};

typedef struct tn_spec {
  tiny_ctx *t; int stage, lowering, ordered;   // ordered: a kernel that says by AFTER when it accesses memory
  uint8_t stages[TINY_OP_COUNT]; char dtype[TINY_OP_COUNT];                 // the table by op
} tn_spec;

static void tn_spec_open(tn_spec *s, tiny_ctx *t, int stage) {
  memset(s, 0, sizeof *s);
  s->t = t; s->stage = stage & 7;
  s->lowering = stage & TN_SPEC_LOWERING; s->ordered = stage & TN_SPEC_LOOPS;
  for (size_t i = 0; i < sizeof tn_spec_rows / sizeof *tn_spec_rows; i++) {
    s->stages[tn_spec_rows[i].op] = tn_spec_rows[i].stages;
    s->dtype[tn_spec_rows[i].op] = tn_spec_rows[i].dtype;
  }
}

// The node with the heads of its sources: enough to find it in a dump.
static tiny_code tn_spec_fail(const tn_spec *s, const tiny_uop *u, const char *why) {
  static const char *const names[5] = {"", "tensor graph", "kernel", "", "program"};
  if (TN_RUNS_ONLY) return tiny_fail(s->t, TINY_E_INTERNAL, "spec: program: %s %s", tn_ops[u->op].name, why);
  tiny_bytes text = {s->t, NULL, 0, 0};
  tn_print_head(&text, u);
  for (uint32_t i = 0; i < u->nsrc; i++) {
    tn_text_add(&text, " ");
    tn_print_head(&text, u->src[i]);
    if (!tn_print_short(u->src[i])) tn_text_add(&text, " ..)");
  }
  if (!tn_print_short(u)) tn_print_tail(&text, u);
  return tiny_fail(s->t, TINY_E_INTERNAL, "spec: %s: %s: %s", names[s->stage], why, text.data);
}

static int tn_sources_are(const tiny_uop *u, uint32_t first, int dtype) {
  for (uint32_t i = first; i < u->nsrc; i++) if (u->src[i]->dtype != dtype) return 0;
  return 1;
}

static const char *tn_spec_dtype(const tn_spec *s, const tiny_uop *u, char rule) {
  const int d = u->dtype, from = u->nsrc ? u->src[0]->dtype : d;
  switch (rule) {
    case 'v': return d == TINY_VOID ? NULL : "has a dtype";
    case '1': return d == from ? NULL : "is of another dtype than its first source";
    case 'c': return d == TINY_BOOL && from != TINY_VOID && tn_sources_are(u, 0, from)
      ? NULL : "compares different dtypes, or does not give bool";
    case 'w': return from == TINY_BOOL && d != TINY_VOID && tn_sources_are(u, 1, d)
      ? NULL : "takes a bool and two values of its dtype";
    case 'b': return from != TINY_VOID && (tn_bits(d) == tn_bits(from) || tn_regroups(u)) ? NULL :
      "changes the size of elements";
    case 'm': return (d == TINY_F32 || d == TINY_F64) && tn_sources_are(u, 0, d) ? NULL :
      "multiplies and adds what is not f32 or f64 throughout";
    case 'd': return d == u->src[2]->dtype && from == TINY_U32 && u->src[1]->dtype == TINY_U32
      ? NULL : "takes no words";
    case 'g': return d == TINY_VOID || (s->lowering && tn_sources_are(u, 0, d)) ? NULL : "has a dtype";
    case 't': return d == u->src[2]->dtype ? NULL : "is of another dtype than its sum";
    case '3': return d == TINY_U32 && tn_sources_are(u, 0, TINY_U32) ? NULL : "takes and gives u32";
    default: break;
  }
  if (d == TINY_VOID) return "has no dtype";
  if (rule == '.') return u->op == TINY_OP_CAST && from == TINY_VOID ? "casts what has no value" : NULL;
  if (!tn_sources_are(u, 0, d) && rule != 'i') return "is of another dtype than its sources";
  if (rule == 'f' && !tn_is_float(d)) return "is no float";
  if (rule == 'n' && tn_is_float(d)) return "is a float";
  return (rule == 'i' || rule == 'r') && !tn_is_int(d) ? "is no integer" : NULL;
}

static const char *tn_spec_lanes(const tiny_uop *u) {
  int most = 1, total = 0;
  if (tn_regroups(u)) return NULL;
  for (uint32_t i = 0; i < u->nsrc; i++) {
    if (u->src[i]->lanes != 1 && u->src[i]->lanes != u->lanes && tn_op_is_elementwise(u->op))
      return "mixes vectors of different lengths";
    if (u->src[i]->lanes > most) most = u->src[i]->lanes;
    total += u->src[i]->lanes;
  }
  if (tn_op_is_elementwise(u->op)) return most == u->lanes ? NULL : "has not the lanes of its sources";
  if (u->op == TINY_OP_STACK) return total == u->lanes ? NULL : "has not the lanes of its sources";
  if (u->op == TINY_OP_BROADCAST) return total == 1 && u->lanes > 1 ? NULL : "takes a scalar";
  if (u->op == TINY_OP_PICK)
    return u->k >= 0 && u->k + u->lanes <= most ? NULL : "takes lanes of its source";
  return u->op != TINY_OP_HREDUCE || (u->lanes == 1 && tn_op_reduces(u->k) && !(most & (most - 1)))
    ? NULL : "folds a power of two lanes by ADD, MUL, MAX ..";
}

// ** tensor graphs **

static const char *tn_spec_tensor(const tiny_uop *u) {
  if (u->lanes != 1) return "has lanes";
  if (tn_op_is(u->op, TINY_MOVEMENT) || u->op == TINY_OP_WHOLE)
    return tn_args_fit(u->op, (int)u->nsrc, u->src, u->k, u->nv, u->v);
  if (u->op == TINY_OP_REDUCE) {
    const int fits = u->nsrc == 1 && tn_op_reduces(u->k & 0xFF) && u->k >> 8 < (int64_t)1 << u->src[0]->ndim;
    return fits ? NULL : "reduces axes of one source by ADD, MUL or MAX";
  }
  if (u->op == TINY_OP_ASSIGN) {
    const tiny_uop *view = u->src[1], *value = u->src[2];
    while (view != u->src[0] && tn_op_is(view->op, TINY_MOVEMENT)) view = view->src[0];
    if (view != u->src[0]) return "assigns through what is no view of its base";
    view = u->src[1];
    return view->ndim == value->ndim && tn_dims_same(view->ndim, view->dim, value->dim)
      ? NULL : "assigns a value of another shape than the view";
  }
  if (tn_op_is_elementwise(u->op)) for (uint32_t i = 0; i < u->nsrc; i++) {
    const tiny_uop *x = u->src[i];
    if (x->ndim && (x->ndim != u->ndim || !tn_dims_same(x->ndim, x->dim, u->dim)))
      return "has sources of different shapes";
  }
  return NULL;
}

// ** kernels and programs **

static int tn_spec_memory(const tiny_uop *u) {
  while (u->op == TINY_OP_AFTER) u = u->src[0];
  return u->op == TINY_OP_PARAM || u->op == TINY_OP_DEFINE || u->op == TINY_OP_STAGE;
}
// Memory is no value: it is indexed, copied, or comes earlier.
static int tn_spec_takes_memory(const tiny_uop *u) {
  const int indexes = u->op == TINY_OP_INDEX, by_itself = u->op == TINY_OP_AFTER || u->op == TINY_OP_BULK ||
      u->op == TINY_OP_BULKSTORE || u->op == TINY_OP_GROUP || u->op == TINY_OP_SINK || u->op == TINY_OP_BARRIER;
  for (uint32_t j = indexes ? 1 : 0; j < u->nsrc && !by_itself; j++) if (tn_spec_memory(u->src[j])) return 1;
  return 0;
}
static int tn_spec_waits(const tiny_uop *store) {
  const tiny_uop *u = store->src[0]->src[0];
  while (u->op == TINY_OP_AFTER) u = u->src[0];
  return store->k == TN_LATER && u->op == TINY_OP_DEFINE && u->v[0] == TN_SPACE_LOCAL;
}
static int tn_spec_is_param(const tiny_uop *u) {
  while (u->op == TINY_OP_AFTER) u = u->src[0];
  return u->op == TINY_OP_PARAM;
}
static const char *tn_spec_ranges(const tiny_uop *u) {
  for (uint32_t i = 1; i < u->nsrc; i++) if (u->src[i]->op != TINY_OP_RANGE) return "closes what is no RANGE";
  return NULL;
}

static const char *tn_spec_index(const tiny_uop *u) {
  const tiny_uop *element = u->src[1], *valid = u->nsrc > 2 ? u->src[2] : NULL;
  if (!tn_spec_memory(u->src[0])) return "indexes what is no memory";
  if (!tn_is_int(element->dtype)) return "has an element that is no integer";
  if (element->lanes != 1 && element->lanes != u->lanes) return "has not the lanes of its element";
  return !valid || valid->dtype == TINY_BOOL ? NULL : "has a validity that is no bool";
}

static const char *tn_spec_bulk(const tiny_uop *u) {
  const tiny_uop *to = u->src[0];
  if (to->op != TINY_OP_INDEX || to->lanes != 1) return "has boxes in what is no INDEX";
  const tiny_uop *memory = tn_memory_behind(to->src[0]);
  if (memory->op != TINY_OP_DEFINE || memory->v[0] != TN_SPACE_LOCAL) return "has boxes in what is no LOCAL memory";
  if (!tn_spec_is_param(u->src[1])) return "copies from or to what is no PARAM";
  for (uint32_t i = 2; i < u->nsrc; i++)
    if (!tn_is_int(u->src[i]->dtype) || u->src[i]->lanes != 1) return "has a place that is no integer";
  if (tn_bits(u->src[1]->dtype) != tn_bits(memory->dtype)) return "copies elements of another size";
  const char *wrong = tn_bulk_fits(u->op, (int)u->nsrc, u->k, u->nv, u->v);
  return wrong || u->v[2 * tn_bulk_dims(u)] * tn_dtypes[memory->dtype].nbytes == TN_BOX_ROW ? wrong :
      "copies rows that have not 128 bytes";
}
// Of kernels, and of what items do together.
static const char *tn_spec_form_of_kernels(const tiny_uop *u) {
  const tiny_uop *x = u->nsrc ? u->src[0] : NULL;
  switch (u->op) {
    case TINY_OP_BARRIER:
      if (u->k & TN_BOXES && (!tn_is_int(x->dtype) || x->lanes != 1)) return "waits for no slot";
      return u->k >= 0 && (u->k & ~(int64_t)TN_BOXES) <= 1 + TN_STAGE_AHEAD_MOST ? NULL :
        "waits for no number of BARRIERs";
    case TINY_OP_BULK: case TINY_OP_BULKSTORE: return tn_spec_bulk(u);
    case TINY_OP_REDUCE:
      if (tn_is_carried(u) && u->nsrc != 2) return "runs along one RANGE";
      return tn_op_reduces(u->k & ~(int64_t)TN_CARRIED) ? tn_spec_ranges(u) : "reduces by ADD, MUL or MAX";
    case TINY_OP_STAGE:
      if (u->k < 0 || !tn_stage_pad(u) != !tn_stage_row(u)) return "has a pad without rows";
      if (tn_stage_ahead(u) && tn_stage_space(u) != TN_SPACE_LOCAL) return "is ahead, but not in LOCAL memory";
      return tn_stage_space(u) == TN_SPACE_LOCAL || tn_stage_space(u) == TN_SPACE_REG ? tn_spec_ranges(u)
        : "stages to LOCAL or REG memory";
    case TINY_OP_MASKED: return !tn_is_int(x->dtype) || x->lanes != 1 || u->nsrc < 2 || u->k < 0 || u->k > 1
      ? "takes an integer and RANGEs, and k 0 or 1" : tn_spec_ranges(u);
    case TINY_OP_WMMA: return tn_wmma_fits(u) ? NULL : "has sources that are no tiles of its size";
    case TINY_OP_SHUFFLE: return x->lanes == u->lanes && u->k > 0 && !(u->k & (u->k - 1)) ? NULL
      : "takes as many lanes, and k a power of two";
    default: return NULL;
  }
}
static const char *tn_spec_form(const tn_spec *s, const tiny_uop *u) {
  const tiny_uop *x = u->nsrc ? u->src[0] : NULL;
  switch (u->op) {
    case TINY_OP_INDEX: return tn_spec_index(u);
    case TINY_OP_LOAD: return x->op != TINY_OP_INDEX ? "loads from what is no INDEX"
      : u->k && !tn_loads_rows(u) ? "has rows of no matrix"
      : x->lanes > 1 && x->lanes != u->lanes ? "has not the lanes of its INDEX" : NULL;
    case TINY_OP_PREFETCH: return x->op == TINY_OP_INDEX && x->lanes == 1 ? NULL : "fetches what is no INDEX";
    case TINY_OP_STORE: return x->op != TINY_OP_INDEX ? "stores to what is no INDEX"
      : x->dtype != u->src[1]->dtype ? "stores a value of another dtype"
      : x->lanes > 1 && x->lanes != u->src[1]->lanes ? "stores other lanes than its INDEX has"
      : u->k == TN_LATER ? (tn_spec_waits(u) ? NULL : "is waited for, but not to LOCAL memory")
      : u->k && (u->k != TN_ADDS || !tn_spec_is_param(x->src[0])) ? "adds to what is no PARAM" : NULL;
    case TINY_OP_END: return s->stage == TN_SPEC_PROGRAM && u->nsrc != 2 ? "takes one RANGE in a program"
      : tn_spec_ranges(u);
    case TINY_OP_IF: return x->dtype == TINY_BOOL && x->lanes == 1 ? NULL : "takes a scalar bool";
    case TINY_OP_ENDIF: return x->op == TINY_OP_IF ? NULL : "closes no IF";
    case TINY_OP_SPECIAL: return u->k >= 0 && u->k < 32 && (u->k & 15) < 3 ? NULL : "is of no known dim";
    case TINY_OP_RANGE: {
      const int kind = tn_range_kind(u);
      if (s->stage == TN_SPEC_KERNEL && tn_is_const(x) && u->nsrc == 1) return NULL;
      if (s->stage == TN_SPEC_KERNEL && !s->ordered) return "has an extent that is no CONST";
      if (x->lanes != 1 || u->src[u->nsrc - 1]->lanes != 1) return "has a bound of lanes";
      if (u->nsrc == 2 && u->src[1]->vmax < 0) return "starts below 0";
      return kind == TN_LOOP || kind == TN_REDUCE ? NULL : "is of a kind that is no loop";
    }
    default: return TN_RUNS_ONLY ? NULL : tn_spec_form_of_kernels(u);
  }
}

static tiny_code tn_spec_node(const tn_spec *s, const tiny_uop *u) {
  if (!(s->stages[u->op] & s->stage)) return tn_spec_fail(s, u, "is no op of this stage");
  if (!tn_sources_fit(u->op, (int)u->nsrc)) return tn_spec_fail(s, u, "the number of sources is wrong");
  const char *why = tn_spec_dtype(s, u, s->dtype[u->op]);
  if (!why && !u->nsrc) why = tn_args_fit(u->op, 0, NULL, u->k, u->nv, u->v);
  if (!why) why = !TN_RUNS_ONLY && s->stage == TN_SPEC_TENSOR ? tn_spec_tensor(u) : tn_spec_lanes(u);
  if (!why && s->stage != TN_SPEC_TENSOR) why = tn_spec_form(s, u);
  if (!why && s->stage != TN_SPEC_TENSOR && tn_spec_takes_memory(u)) why = "takes memory for a value";
  return why ? tn_spec_fail(s, u, why) : TINY_OK;
}

// ** where ranges end, in kernels: a bit for each of the first 64 **

typedef struct tn_spec_scope {
  tn_map bit; uint64_t *open; const tiny_uop *range[TN_SPEC_RANGES], *end[TN_SPEC_RANGES]; int n;
} tn_spec_scope;

static tiny_code tn_spec_ends(const tn_spec *s, const tn_list *order) {
  tn_spec_scope c;
  memset(&c, 0, sizeof c);
  c.open = (uint64_t *)tn_scratch(s->t, (size_t)order->n * sizeof *c.open);
  for (int i = 0; i < order->n; i++) {
    const tiny_uop *u = order->u[i];
    uint64_t open = 0, closed = 0;
    tn_map_set(s->t, &c.bit, u, (void *)(intptr_t)(i + 1));
    if (u->op == TINY_OP_RANGE && c.n < TN_SPEC_RANGES) {
      c.range[c.n] = u;
      open = (uint64_t)1 << c.n++;
    }
    const int closes = u->op == TINY_OP_END || (u->op == TINY_OP_REDUCE && !tn_is_carried(u)) ||
      u->op == TINY_OP_STAGE;
    for (uint32_t j = 0; j < u->nsrc; j++) {
      if (u->src[j]->op == TINY_OP_MASKED && u->op != TINY_OP_SINK)
        return tn_spec_fail(s, u->src[j], "is no source of the SINK");
      const uint64_t of_source = c.open[(intptr_t)tn_map_get(&c.bit, u->src[j]) - 1];
      for (int r = 0; closes && j && r < c.n; r++) if (c.range[r] == u->src[j]) closed |= (uint64_t)1 << r;
      // what is waited for may stand in loops that REDUCEs will close, all of whose iterations are over then
      const int waits = s->lowering && u->op == TINY_OP_AFTER && j && u->src[j]->op == TINY_OP_END;
      open |= waits ? 0 : of_source;
    }
    if (u->op == TINY_OP_END) for (int r = 0; r < c.n; r++) if (closed >> r & 1) {
      if (c.end[r]) return tn_spec_fail(s, c.range[r], "is closed by two ENDs");
      c.end[r] = u;
    }
    c.open[i] = u->op == TINY_OP_MASKED ? 0 : open & ~closed;   // it speaks of ranges that others close
  }
  const uint64_t left = order->n ? c.open[order->n - 1] : 0;
  for (int r = 0; r < c.n; r++) if (left >> r & 1 && !(s->lowering && tn_range_kind(c.range[r]) == TN_GROUP))
    return tn_spec_fail(s, c.range[r], "is used outside of what closes it");
  return TINY_OK;
}

// A tensor graph or kernel. Heavy code.
static tiny_code tn_verify(tiny_ctx *t, tiny_uop *sink, int stage) {
  tn_spec s;
  tn_list order = {NULL, 0, 0};
  tn_spec_open(&s, t, stage);
  tn_toposort(t, sink, &order);
  for (int i = 0; i < order.n; i++) s.ordered |= order.u[i]->op == TINY_OP_AFTER;
  for (int i = 0; i < order.n; i++) {
    const tiny_code code = tn_spec_node(&s, order.u[i]);
    if (code != TINY_OK) return code;
  }
  return s.stage == TN_SPEC_KERNEL && sink->op == TINY_OP_SINK ? tn_spec_ends(&s, &order) : TINY_OK;
}

// Nodes of a tensor graph whose sources come first; what was computed before is looked at no more.
static tiny_code tn_verify_nodes(tiny_ctx *t, tiny_uop *const *u, int n) {
  tn_spec s;
  tn_spec_open(&s, t, TN_SPEC_TENSOR);
  for (int i = 0; i < n; i++) {
    const tiny_code code = u[i]->realized ? TINY_OK : tn_spec_node(&s, u[i]);
    if (code != TINY_OK) return code;
  }
  return TINY_OK;
}

// ** programs: a block for each loop and IF **

typedef struct tn_spec_block { const tiny_uop *opener; int parent, open; } tn_spec_block;
// block_of: 1 + the block a node stands in
typedef struct tn_spec_program {
  tn_map block_of; tn_spec_block *block; int nblock, cap, at;
} tn_spec_program;

// Whether u's source j is a value: not memory, and not just something that comes earlier.
static int tn_spec_uses(const tiny_uop *u, uint32_t j) {
  const tiny_uop *x = u->src[j];
  if (x->dtype == TINY_VOID || tn_spec_memory(x)) return 0;
  return u->op != TINY_OP_BARRIER && u->op != TINY_OP_SINK && u->op != TINY_OP_GROUP &&
    !(u->op == TINY_OP_AFTER && j) && !(u->op == TINY_OP_END && j);
}

static tiny_code tn_spec_step(const tn_spec *s, tn_spec_program *p, tiny_uop *u) {
  if (tn_map_has(&p->block_of, u)) return tn_spec_fail(s, u, "stands twice in the list");
  for (uint32_t j = 0; j < u->nsrc; j++) {
    const intptr_t block = (intptr_t)tn_map_get(&p->block_of, u->src[j]);
    if (!block) return tn_spec_fail(s, u, "stands before one of its sources");
    if (!p->block[block - 1].open && tn_spec_uses(u, j))
      return tn_spec_fail(s, u, "uses what was computed in a loop or IF that is closed");
  }
  const tiny_code code = tn_spec_node(s, u);
  if (code != TINY_OK) return code;
  const int opens = u->op == TINY_OP_RANGE || u->op == TINY_OP_IF;
  const int closes = u->op == TINY_OP_END || u->op == TINY_OP_ENDIF;
  if (closes && p->block[p->at].opener != u->src[u->op == TINY_OP_END])
    return tn_spec_fail(s, u, "closes what is not the innermost loop or IF");
  if (closes) { p->block[p->at].open = 0; p->at = p->block[p->at].parent; }
  if (opens) {
    tn_spec_block *b = TN_PUSH(s->t, p->block, p->nblock, p->cap, tn_spec_block);
    b->opener = u; b->parent = p->at; b->open = 1;
    p->at = p->nblock - 1;
  }
  tn_map_set(s->t, &p->block_of, u, (void *)(intptr_t)(p->at + 1));
  return TINY_OK;
}

// A program in the order it runs. Heavy code.
static tiny_code tn_verify_list(tiny_ctx *t, tiny_uop *const *list, int n) {
  tn_spec s;
  tn_spec_program p;
  memset(&p, 0, sizeof p);
  tn_spec_open(&s, t, TN_SPEC_PROGRAM);
  TN_PUSH(t, p.block, p.nblock, p.cap, tn_spec_block)->open = 1;
  for (int i = 0; i < n; i++) {
    const tiny_code code = tn_spec_step(&s, &p, list[i]);
    if (code != TINY_OK) return code;
  }
  return p.at ? tn_spec_fail(&s, p.block[p.at].opener, "is not closed") : TINY_OK;
}
#endif
