// recipe: the moves for one kernel as data: printed, parsed, stored, applied.
//
// In:  a kernel as the scheduler wrote it and a recipe, possibly a stranger's. Out: the kernel after the moves, or
//      NULL where one of them is not legal there. Whatever is applied keeps the kernel's value.
// "h" alone is what the heuristics choose; "h u0.4 n2.8" goes on from there; "- v1.16 u0.6 t1.64" begins with the
// bare kernel. A move is a letter, a number and a factor. Ranges are counted anew before each move: those of the
// store in loop order, then those of its reductions.
//
//   v r.f  f elements of r become lanes            u r.f  f copies of r, which is an output's
//   n r.f  f copies of r, which is a reduction's   b r.f  a loop over f elements of r, within r
//   s r.q  r and q change places                   p r.f  r grows to a multiple of f
//   t n.f  up to f tasks of the n outermost loops  r 0.0  what a row shares is kept
//   k l.n  what load l reads within the n outermost loops is packed as it will be read
#ifndef TN_CODEGEN_RECIPE
#define TN_CODEGEN_RECIPE
#ifndef TINY_AMALGAMATED
#include "optimize.c"
#include "cost.c"
#endif

enum { TN_RECIPE_MOVES = 14, TN_RECIPE_TEXT = 256, TN_RECIPE_MOST = 1 << 20, TN_RECIPE_COPIES = 16 };
static const char tn_recipe_letters[] = "vunbsptkr";

typedef struct tn_recipe_move { int letter, at, by; } tn_recipe_move;
typedef struct tn_recipe { int plain, n; tn_recipe_move move[TN_RECIPE_MOVES]; } tn_recipe;   // all zero: "h"

static void tn_recipe_print(const tn_recipe *r, char out[TN_RECIPE_TEXT]) {
  size_t at = (size_t)snprintf(out, TN_RECIPE_TEXT, "%s", r->plain ? "-" : "h");
  for (int i = 0; i < r->n && at < TN_RECIPE_TEXT; i++)
    at += (size_t)snprintf(out + at, TN_RECIPE_TEXT - at, " %c%d.%d", r->move[i].letter, r->move[i].at, r->move[i].by);
}

// A number up to TN_RECIPE_MOST at *text, which moves on; -1: there is none.
static int tn_recipe_number(const char **text) {
  int n = 0;
  if (**text < '0' || **text > '9') return -1;
  for (; **text >= '0' && **text <= '9'; ++*text) if ((n = n * 10 + **text - '0') > TN_RECIPE_MOST) return -1;
  return n;
}

// 1: text is a recipe.
static int tn_recipe_parse(const char *text, tn_recipe *r) {
  memset(r, 0, sizeof *r);
  if (*text != 'h' && *text != '-') return 0;
  r->plain = *text++ == '-';
  while (*text == ' ') {
    if (r->n == TN_RECIPE_MOVES) return 0;
    tn_recipe_move *m = &r->move[r->n++];
    m->letter = *++text;
    if (!m->letter || !strchr(tn_recipe_letters, m->letter)) return 0;
    text++;
    m->at = tn_recipe_number(&text);
    if (m->at < 0 || *text++ != '.') return 0;
    m->by = tn_recipe_number(&text);
    if (m->by < 0) return 0;
  }
  return !*text;
}

// ** one move **

static tiny_uop *tn_recipe_range(const tn_profile *p, int number, int kind) {
  tiny_uop *r = NULL;
  if (number < p->nout) r = p->out[number];
  else if (number < p->nout + p->nred) r = p->red[number - p->nout];
  return r && tn_range_kind(r) == kind ? r : NULL;
}

// Would copies or lanes of r write to one place of memory that the kernel has for itself?
static int tn_recipe_is_shared(tn_kernel_state *s, const tiny_uop *r) {
  tn_list stores = {NULL, 0, 0};
  tn_collect_op(s->t, s->sink, TINY_OP_STORE, &stores);
  for (int i = 0; i < stores.n; i++)
    if (stores.u[i]->src[0]->src[0]->op != TINY_OP_PARAM && tn_depends(s->t, stores.u[i], r)) return 1;
  return 0;
}

static int tn_recipe_vector(tn_kernel_state *s, const tn_profile *p, const tn_target *target, int at,
                            int64_t f) {
  tiny_uop *out = tn_recipe_range(p, at, TN_LOOP), *red = tn_recipe_range(p, at, TN_REDUCE), *r = out ? out : red;
  if (!r || f < 2 || f > tn_target_lanes(target, p) || f & (f - 1)) return 0;
  if (!tn_tile_fits(r, f, out && p->repeats) || (out && tn_recipe_is_shared(s, r))) return 0;
  if (out) for (int i = 0; i < p->nout; i++) if (tn_range_kind(p->out[i]) == TN_VECTOR) return 0;
  if (out ? tn_stride_in(s->t, p->store->src[1], r) != 1 : p->carried != NULL) return 0;
  tn_move_split(s, r, f, TN_VECTOR, 0, NULL);
  return 1;
}

// A part of f elements of an output's or a reduction's range, as a range of another kind.
static int tn_recipe_split(tn_kernel_state *s, const tn_profile *p, int at, int64_t f, int out_kind,
                           int red_kind) {
  tiny_uop *out = tn_recipe_range(p, at, TN_LOOP), *red = tn_recipe_range(p, at, TN_REDUCE), *r = out ? out : red;
  const int kind = out ? out_kind : red_kind;
  if (!r || kind < 0 || f < 2 || !tn_tile_fits(r, f, out && p->repeats)) return 0;
  if (kind == TN_LOOP || kind == TN_REDUCE) { if (f >= tn_range_extent(r)) return 0; }
  else if (f > TN_RECIPE_COPIES || (out && tn_recipe_is_shared(s, r))) return 0;
  tn_move_split(s, r, f, kind, 0, NULL);
  return 1;
}

static int tn_recipe_swap(tn_kernel_state *s, const tn_profile *p, int a, int b) {
  tiny_uop *x = tn_recipe_range(p, a, TN_LOOP), *y = tn_recipe_range(p, b, TN_LOOP);
  if (!x && !y) { x = tn_recipe_range(p, a, TN_REDUCE); y = tn_recipe_range(p, b, TN_REDUCE); }
  if (!x || !y || x == y) return 0;
  const tiny_uop *before = s->sink;
  tn_move_swap(s, x, y);
  return s->sink != before;
}

static int tn_recipe_pad(tn_kernel_state *s, const tn_profile *p, int at, int64_t m) {
  tiny_uop *r = tn_recipe_range(p, at, TN_LOOP);
  if (!r) r = tn_recipe_range(p, at, TN_REDUCE);
  if (!r || p->carried || m < 2 || m > tn_range_extent(r) || tn_range_extent(r) % m == 0) return 0;
  tn_move_pad(s, r, m);
  return 1;
}

// Does anything in u depend on what is loaded or computed?
static int tn_recipe_is_plain(tiny_ctx *t, tiny_uop *u) {
  tn_list all = {NULL, 0, 0};
  tn_toposort(t, u, &all);
  for (int i = 0; i < all.n; i++) {
    const int op = all.u[i]->op;
    if (op == TINY_OP_LOAD || op == TINY_OP_REDUCE || op == TINY_OP_STAGE || op == TINY_OP_ARG) return 0;
  }
  return 1;
}

// Ranges of a load from the outermost part of a panel to the innermost: loops, reductions, copies, lanes.
static int tn_recipe_panel_order(const tiny_uop *r) {
  const int kind = tn_range_kind(r);
  return kind == TN_VECTOR ? 3 : kind == TN_UPCAST ? 2 : kind == TN_REDUCE || kind == TN_UNROLL ? 1 : 0;
}

// May what a load reads be copied before the loops around it?
static int tn_recipe_can_pack(tiny_ctx *t, const tn_profile *p, const tiny_uop *load) {
  const tiny_uop *index = load->src[0];
  return !p->carried && load->nsrc == 1 && index->src[0]->op == TINY_OP_PARAM &&
      index->src[0] != p->store->src[0] &&
      tn_recipe_is_plain(t, index->src[1]) && (index->nsrc < 3 || tn_recipe_is_plain(t, index->src[2]));
}

// Does r lie within the outermost loops? -1: it is no range of the store or of a reduction, but of a panel.
static int tn_recipe_is_within(const tn_profile *p, const tiny_uop *r, int outside) {
  int loops = 0;
  for (int j = 0; j < p->nout; j++) {
    if (p->out[j] == r) return tn_range_kind(r) != TN_TASK && (tn_range_kind(r) != TN_LOOP || loops >= outside);
    loops += tn_range_kind(p->out[j]) == TN_LOOP;
  }
  for (int j = 0; j < p->nreduce; j++) if (tn_folds_over(p->reduce[j], r)) return 1;
  return -1;
}

// What the panels of a kernel take of each thread's memory.
static int64_t tn_recipe_staged_nbytes(tn_kernel_state *s) {
  tn_list stages = {NULL, 0, 0};
  int64_t all = 0;
  tn_collect_op(s->t, s->sink, TINY_OP_STAGE, &stages);
  for (int i = 0; i < stages.n; i++) {
    int64_t nbytes = tn_dtypes[stages.u[i]->dtype].nbytes;
    for (uint32_t j = 1; j < stages.u[i]->nsrc; j++) nbytes *= tn_range_extent(stages.u[i]->src[j]);
    all += nbytes;
  }
  return all;
}

static int tn_recipe_pack(tn_kernel_state *s, const tn_profile *p, const tn_target *target, int number,
                          int outside) {
  tiny_ctx *t = s->t;
  tiny_uop *inner[TINY_MAX_DIMS];
  tn_list ranges = {NULL, 0, 0}, loads = {NULL, 0, 0};
  int n = 0;
  tn_collect_op(t, s->sink, TINY_OP_LOAD, &loads);
  if (number >= loads.n || !tn_recipe_can_pack(t, p, loads.u[number])) return 0;
  tiny_uop *load = loads.u[number];
  int64_t nbytes = tn_dtypes[load->dtype].nbytes, most = (int64_t)target->limits->cache_nbytes / 2;
  if (!most || most > TN_STAGE_MAX_NBYTES) most = TN_STAGE_MAX_NBYTES;
  most -= tn_recipe_staged_nbytes(s);
  tn_collect_ranges(t, load, &ranges);
  for (int order = 0; order < 4; order++) for (int i = 0; i < ranges.n; i++) {
    const int within = tn_recipe_is_within(p, ranges.u[i], outside);
    if (within < 0) return 0;
    if (!within || tn_recipe_panel_order(ranges.u[i]) != order) continue;
    if (n == TINY_MAX_DIMS) return 0;
    inner[n++] = ranges.u[i];
    nbytes *= tn_range_extent(ranges.u[i]);
    if (nbytes > most) return 0;
  }
  if (n < 2) return 0;
  tn_move_stage(s, load, n, inner, TN_SPACE_LOCAL);
  return 1;
}

// What a row shares is kept once: none of its ranges may have become copies or lanes.
static int tn_recipe_row(tn_kernel_state *s, const tn_profile *p) {
  for (int i = 0; i < p->nout; i++) if (tn_is_parallel(p->out[i])) return 0;
  return p->row && tn_stage_row(s, p, NULL);
}

// Are sums kept in memory between blocks of rounds? Their loops look like the store's own.
static int tn_recipe_keeps_sums(tn_kernel_state *s) {
  tn_list stages = {NULL, 0, 0};
  tn_collect_op(s->t, s->sink, TINY_OP_STAGE, &stages);
  for (int i = 0; i < stages.n; i++) if (stages.u[i]->src[0]->op != TINY_OP_LOAD) return 1;
  return 0;
}

static int tn_recipe_move_apply(tn_kernel_state *s, const tn_target *target, const tn_recipe_move *m) {
  tn_profile p;
  tn_profile_kernel(s->t, s->sink, &p);
  if (!p.usable || tn_recipe_keeps_sums(s)) return 0;
  switch (m->letter) {
    case 'v': return tn_recipe_vector(s, &p, target, m->at, m->by);
    case 'u': return tn_recipe_split(s, &p, m->at, m->by, TN_UPCAST, -1);
    case 'n': return tn_recipe_split(s, &p, m->at, m->by, -1, TN_UNROLL);
    case 'b': return tn_recipe_split(s, &p, m->at, m->by, TN_LOOP, TN_REDUCE);
    case 's': return tn_recipe_swap(s, &p, m->at, m->by);
    case 'p': return tn_recipe_pad(s, &p, m->at, m->by);
    case 't': return m->by <= 8 * TN_MAX_TASKS && tn_make_tasks_upto(s, m->by, m->at) > 1;
    case 'k': return tn_recipe_pack(s, &p, target, m->at, m->by);
    case 'r': return !m->at && !m->by && tn_recipe_row(s, &p);
    default: return 0;
  }
}

// ** whole recipes **

// The kernel before the first move; NULL where only the heuristics know what to do.
static tiny_uop *tn_recipe_begin(tiny_ctx *t, tiny_uop *sink, const tn_target *target, const tn_recipe *r) {
  tn_kernel_state s = {t, sink};
  tn_profile p;
  tn_scatter c;
  if (!target->limits->threads || !target->limits->vector_nbytes || tn_is_ordered(t, sink)) return NULL;
  tn_join_ranges(&s);
  if (tn_scatter_of(&s, &p, &c) || !p.usable) return NULL;
  return r->plain ? s.sink : tn_optimize(t, s.sink, target);
}

// The kernel after all moves, simplified, and its cost; NULL: one of them is not legal.
static tiny_uop *tn_recipe_apply(tiny_ctx *t, tiny_uop *sink, const tn_target *target, const tn_recipe *r,
                                 tn_cost *cost) {
  tn_kernel_state s = {t, tn_recipe_begin(t, sink, target, r)};
  if (!s.sink) return NULL;
  for (int i = 0; i < r->n; i++) {
    if (!tn_recipe_move_apply(&s, target, &r->move[i])) return NULL;
    s.sink = tn_simplify(t, s.sink);
  }
  return tn_cost_of(t, s.sink, target->limits, cost) ? s.sink : NULL;
}
#endif
