// pipeline: every pass from a scheduled kernel to the list of nodes that a target runs, in order.
//
// In:       the SINK of a kernel, a target, a schedule or none.
// Out:      the list, the sizes of a launch, and what it will cost.
// Requires: heavy code; no node of another kernel in the table of nodes (tn_nodes_enter): ids begin at one place.
// Holds:    after any pass the SINK is a kernel as ir/spec.c has it (debug letter v looks), with the value it had.
//
// A pass is a function from SINK to SINK, and a row of one table: its name, the stage it belongs to, and what must hold
// for it to run. Search runs the first stage once and the second for each schedule; what is compiled sees the third.
// Debug letter i prints the kernel after each pass that changed it, v verifies it there.
#ifndef TN_CODEGEN_PIPELINE
#define TN_CODEGEN_PIPELINE
#ifndef TINY_AMALGAMATED
#include "hints.c"
#include "fuse.c"
#include "vectors.c"
#include "scan.c"
#include "collapse.c"
#include "rounded.c"
#include "optimize.c"
#include "cost.c"
#include "../ir/spec.c"
#include "../base/trace.c"
#endif

enum { TN_PIPELINE_SERIAL = 1 << 20 };     // ids do not tell when a kernel is lowered: its text is always the same

typedef struct tn_pipeline {
  tiny_ctx *t; const tn_target *target;
  const tn_schedule *schedule;             // what a search has found; NULL: what the heuristics choose
  uint32_t has;                            // TN_IF_ .. that hold
  tn_loop_bounds bounds;                   // of loops, from where they are found until all loops are there
  int spec;                                // of the kernel now
  tn_lowered *out;
} tn_pipeline;

// ** what a kernel says, before any choice is made **

// A kernel that was scheduled for a device whose memory can be added to, and is run by one that cannot: what it would
// add it stores, as its memory has been cleared (schedule/atomics.c).
static tiny_uop *tn_pass_additions(tn_pipeline *p, tiny_uop *sink) {
  tn_list stores = {NULL, 0, 0}, from = {NULL, 0, 0}, to = {NULL, 0, 0};
  tn_collect_op(p->t, sink, TINY_OP_STORE, &stores);
  for (int i = 0; i < stores.n; i++) {
    const tiny_uop *u = stores.u[i];
    if (u->k != TN_ADDS || p->target->limits->atomics >> u->src[1]->dtype & 1) continue;
    tn_push(p->t, &from, stores.u[i]);
    tn_push(p->t, &to, tn_uop_make(p->t, TINY_OP_STORE, TINY_VOID, 1, 2, u->src, 0, 0, NULL));
  }
  return from.n ? tn_replace(p->t, sink, from.n, from.u, to.u) : sink;
}
static tiny_uop *tn_pass_reductions(tn_pipeline *p, tiny_uop *sink) {
  return tn_rewrite(p->t, sink, tn_rules_reduce, NULL);
}
// A scan leaves out nothing but what comes after all that is read.
static tiny_uop *tn_pass_scans(tn_pipeline *p, tiny_uop *sink) {
  tiny_uop *bare = tn_masked_drop(p->t, sink), *scans = tn_write_scans(p->t, bare);
  tn_list src = {NULL, 0, 0};
  if (scans == bare) return sink;
  for (uint32_t i = 0; i < scans->nsrc; i++) tn_push(p->t, &src, scans->src[i]);
  for (uint32_t i = 1; i < sink->nsrc; i++) if (tn_ends_early(sink->src[i], scans)) tn_push(p->t, &src, sink->src[i]);
  return tn_like(p->t, scans, 1, src.n, src.u);
}
static tiny_uop *tn_pass_gates(tn_pipeline *p, tiny_uop *sink) { return tn_rewrite(p->t, sink, tn_rules_gate, NULL); }
static tiny_uop *tn_pass_simplify(tn_pipeline *p, tiny_uop *sink) { return tn_simplify(p->t, sink); }
static tiny_uop *tn_pass_masked(tn_pipeline *p, tiny_uop *sink) { return tn_masked_keep(p->t, sink); }

static tiny_uop *tn_pass_collapse(tn_pipeline *p, tiny_uop *sink) { return tn_collapse_loops(p->t, sink); }

static tiny_uop *tn_pass_rounded(tn_pipeline *p, tiny_uop *sink) { return tn_mark_rounded(p->t, sink); }

// ** opts **

// A schedule that was given, possibly a stranger's: is it done, legal, and what comes of it of reasonable size?
static int tn_take_schedule(tn_kernel_state *s, const tn_schedule *given) {
  tn_cost cost;
  return given && tn_schedule_apply(s, given) && tn_cost_of(s->t, s->sink, s->target->limits, &cost);
}

static tiny_uop *tn_pass_opts(tn_pipeline *p, tiny_uop *sink) {
  tiny_ctx *t = p->t;
  tn_kernel_state *s = (tn_kernel_state *)tn_scratch(t, sizeof *s);
  const int64_t serial = t->ir->serial;
  tn_state_open(s, t, sink, p->target);
  if (!tn_take_schedule(s, p->schedule)) {
    t->ir->serial = serial;
    tn_state_open(s, t, sink, p->target);
    tn_optimize(s);
  }
  if (tn_debug(t, 'o') || tn_trace_passes(t)) {
    tiny_bytes text = {t, NULL, 0, 0};
    tn_schedule_print(&text, &s->done);
    if (tn_debug(t, 'o')) tn_log(t, "opts %s", text.data);
    tn_trace_opts(t, text.data ? text.data : "");
  }
  return s->sink;
}

// ** from ranges and opts to loops, lanes and memory **

static tiny_uop *tn_pass_collectives(tn_pipeline *p, tiny_uop *sink) {
  p->spec |= TN_SPEC_LOWERING;
  return TN_GPU ? tn_expand_collectives(p->t, sink, p->target) : tn_simplify(p->t, sink);
}
static tiny_uop *tn_pass_bounds(tn_pipeline *p, tiny_uop *sink) { return tn_bounds_find(p->t, sink, &p->bounds); }
static tiny_uop *tn_pass_stages(tn_pipeline *p, tiny_uop *sink) {
  tn_list loops = {NULL, 0, 0}, start = {NULL, 0, 0};
  for (int i = 0; i < p->bounds.n; i++) if (p->bounds.of[i].start) {
    tn_push(p->t, &loops, p->bounds.of[i].range);
    tn_push(p->t, &start, p->bounds.of[i].start);
  }
  return tn_expand_stages(p->t, sink, &loops, &start);
}
static tiny_uop *tn_pass_copies(tn_pipeline *p, tiny_uop *sink) { return tn_expand_copies(p->t, sink); }
static tiny_uop *tn_pass_groups(tn_pipeline *p, tiny_uop *sink) {
  return TN_GPU ? tn_gate_group_stores(p->t, sink) : sink;
}
static tiny_uop *tn_pass_lanes(tn_pipeline *p, tiny_uop *sink) { return tn_expand_lanes(p->t, sink); }
static tiny_uop *tn_pass_transpose(tn_pipeline *p, tiny_uop *sink) { return tn_transpose(p->t, sink); }
static tiny_uop *tn_pass_rows(tn_pipeline *p, tiny_uop *sink) { return tn_load_rows(p->t, sink); }
static tiny_uop *tn_pass_accumulators(tn_pipeline *p, tiny_uop *sink) {
  p->spec |= TN_SPEC_LOOPS;
  return tn_lower_reduces(p->t, sink);
}
static tiny_uop *tn_pass_specials(tn_pipeline *p, tiny_uop *sink) {
  const tiny_limits *limits = p->target->limits;
  tn_list from = {NULL, 0, 0}, to = {NULL, 0, 0};
  tn_lower_specials(p->t, sink, 0, limits->global_max, tn_machine_grid(limits) ? 3 : 1, p->out->global, &from, &to);
  p->out->tasks = tn_machine_grid(limits) ? 0 : p->out->global[0];
  tn_lower_specials(p->t, sink, 1, limits->local_max, 3, p->out->local, &from, &to);
  tn_bounds_set(p->t, &p->bounds, &from, &to);
  return from.n ? tn_replace(p->t, sink, from.n, from.u, to.u) : sink;
}
static tiny_uop *tn_pass_ends(tn_pipeline *p, tiny_uop *sink) {
  return tn_remake(p->t, sink, TINY_OP_END, tn_split_end);
}
static tiny_uop *tn_pass_halves(tn_pipeline *p, tiny_uop *sink) {
  return tn_remake(p->t, sink, TINY_OP_HREDUCE, tn_lower_hreduce);
}
static tiny_uop *tn_pass_vectors(tn_pipeline *p, tiny_uop *sink) {
  const int most = p->target->renderer->vector_lanes;
  return most ? tn_split_vectors(p->t, sink, most) : sink;
}
static tiny_uop *tn_pass_decompose(tn_pipeline *p, tiny_uop *sink) { return tn_decompose(p->t, sink, p->target); }

static tiny_uop *tn_pass_sums(tn_pipeline *p, tiny_uop *sink) { return tn_lower_sums(p->t, sink); }
static tiny_uop *tn_pass_fuse(tn_pipeline *p, tiny_uop *sink) { return tn_fuse_products(p->t, sink); }

// ** the table **

enum { TN_PREPARE, TN_OPTIMIZE, TN_LOWER };    // stages
enum {                                     // what must hold
  TN_IF_FREE = 1,                          // the kernel does not say by AFTER when it accesses memory
  TN_IF_OPTS = 2,                          // opts are not off (debug letter 0)
  TN_IF_RENDERED = 4,                      // for a renderer, not for the interpreter
  TN_IF_SHUFFLES = 8,                      // the target shuffles vectors
  TN_IF_FUSES = 16                         // it multiplies and adds with one rounding
};
typedef struct tn_pass {
  const char *name; tiny_uop *(*run)(tn_pipeline *p, tiny_uop *sink); uint8_t stage, when;
} tn_pass;

static const tn_pass tn_passes[] = {
  {"additions",       tn_pass_additions,    TN_PREPARE, 0},                // to memory, where the target has none
  {"reductions",      tn_pass_reductions,   TN_PREPARE, TN_IF_FREE},       // gathers and scatters, of sums over masks
  {"scans",           tn_pass_scans,        TN_PREPARE, TN_IF_FREE},
  {"gates",           tn_pass_gates,        TN_PREPARE, TN_IF_FREE},       // of memory
  {"algebra",         tn_pass_simplify,     TN_PREPARE, 0},
  {"masked",          tn_pass_masked,       TN_PREPARE, TN_IF_FREE},
  {"collapse",        tn_pass_collapse,     TN_PREPARE, TN_IF_FREE | TN_IF_OPTS},      // of adjacent loops
  {"rounded",         tn_pass_rounded,      TN_PREPARE, 0},                // exponentials that are near enough
  {"opts",            tn_pass_opts,         TN_OPTIMIZE, TN_IF_OPTS},      // the schedule
  {"collectives",     tn_pass_collectives,  TN_LOWER,   0},                // REDUCE over items
  {"bounds",          tn_pass_bounds,       TN_LOWER,   0},
  {"stages",          tn_pass_stages,       TN_LOWER,   0},                // STAGE: memory, stores, barriers
  {"copies",          tn_pass_copies,       TN_LOWER,   0},                // UPCAST, UNROLL
  {"groups",          tn_pass_groups,       TN_LOWER,   0},                // one item stores
  {"lanes",           tn_pass_lanes,        TN_LOWER,   0},                // VECTOR
  {"transposes",      tn_pass_transpose,    TN_LOWER,   TN_IF_SHUFFLES},   // in registers
  {"rows",            tn_pass_rows,         TN_LOWER,   0},                // operands of matrix units, row by row
  {"accumulators",    tn_pass_accumulators, TN_LOWER,   0},                // REDUCE
  {"specials",        tn_pass_specials,     TN_LOWER,   0},                // TASK, GLOBAL, LOCAL, GROUP; bounds
  {"ends",            tn_pass_ends,         TN_LOWER,   0},
  {"halves",          tn_pass_halves,       TN_LOWER,   TN_IF_RENDERED},   // HREDUCE
  {"algebra",         tn_pass_simplify,     TN_LOWER,   0},
  {"vectors",         tn_pass_vectors,      TN_LOWER,   TN_IF_RENDERED},   // as wide as the language has them
  {"decompositions",  tn_pass_decompose,    TN_LOWER,   0},
  {"sums",            tn_pass_sums,         TN_LOWER,   0},                // of places, in the order of their loops
  {"products",        tn_pass_fuse,         TN_LOWER,   TN_IF_FUSES}       // FMA
};
enum { TN_PASSES = sizeof tn_passes / sizeof *tn_passes };

// The text of a kernel after a pass, for debug letter i and for the trace.
static void tn_tell_pass(tiny_ctx *t, const char *pass, const char *heading, const tiny_bytes *text) {
  if (tn_debug(t, 'i')) { tn_log(t, "-- %s", heading); tn_log_text(t, text->data ? text->data : ""); }
  tn_trace_pass(t, pass, text->data ? text->data : "");
}
static void tn_show_pass(tiny_ctx *t, const char *pass, tiny_uop *sink) {
  if (!tn_debug(t, 'i') && !tn_trace_passes(t)) return;
  tiny_bytes text = {t, NULL, 0, 0};
  tn_print(t, sink, &text);
  tn_tell_pass(t, pass, tn_text_of_format(t, "after %s", pass), &text);
}
static void tn_show_list(tiny_ctx *t, const tn_lowered *k) {
  if (!tn_debug(t, 'i') && !tn_trace_passes(t)) return;
  tiny_bytes text = {t, NULL, 0, 0};
  tn_print_list(t, k->list, k->n, &text);
  tn_tell_pass(t, "program", "program", &text);
}

static tn_pipeline tn_pipeline_of(tiny_ctx *t, tiny_uop *sink, const tn_target *target) {
  tn_pipeline p;
  memset(&p, 0, sizeof p);
  p.t = t; p.target = target; p.spec = TN_SPEC_KERNEL;
  p.has = (tn_is_ordered(t, sink) ? 0 : TN_IF_FREE) | (tn_debug(t, '0') ? 0 : TN_IF_OPTS);
  if (target->renderer)
    p.has |= TN_IF_RENDERED | (tn_target_has(target, TINY_TARGET_SHUFFLES) ? TN_IF_SHUFFLES : 0) |
        (target->renderer->ops[TINY_OP_FMA] ? TN_IF_FUSES : 0);
  return p;
}
static tiny_uop *tn_pipeline_stage(tn_pipeline *p, tiny_uop *sink, int stage) {
  tiny_ctx *t = p->t;
  const tiny_code before = t->code;
  for (int i = 0; i < TN_PASSES && t->code == before; i++) {
    const tn_pass *pass = &tn_passes[i];
    if (pass->stage != stage || (pass->when & p->has) != pass->when) continue;
    tiny_uop *next = pass->run(p, sink);
    if (next != sink) tn_show_pass(t, pass->name, next);
    if (next != sink && (TN_VERIFY_PASSES || tn_debug(t, 'v'))) tn_verify(t, next, p->spec);
    sink = next;
  }
  return sink;
}

// The kernel as it is scheduled.
static tiny_uop *tn_prepare(tiny_ctx *t, tiny_uop *sink, const tn_target *target) {
  tn_pipeline p = tn_pipeline_of(t, sink, target);
  t->ir->serial = TN_PIPELINE_SERIAL;
  return tn_pipeline_stage(&p, sink, TN_PREPARE);
}

// How often a loop runs at most. Its end is a number, or less than one: -max(x, -n), whose MAX may be a WHERE by now.
static double tn_loop_most(const tiny_uop *end) {
  const int turned = end->op == TINY_OP_NEG || (end->op == TINY_OP_MUL && tn_is_k(end->src[1], -1));
  const tiny_uop *x = turned ? end->src[0] : end;
  const tiny_uop *least = turned && x->op == TINY_OP_WHERE && tn_is_const(x->src[1]) ? x->src[1] : NULL;
  if (least && least->k < 0) return -(double)least->k;
  return end->vmax < INT32_MAX ? (double)end->vmax : 1;
}
// Floating-point and integer operations, and bytes of the buffers touched, of one launch.
static void tn_estimate(tn_lowered *k) {
  double times = 1, stack[72];
  int depth = 0;
  for (int d = 0; d < 3; d++) times *= (double)(k->global[d] * k->local[d]);
  for (int i = 0; i < k->n; i++) {
    const tiny_uop *u = k->list[i];
    if (u->op == TINY_OP_RANGE && depth < 72) { stack[depth++] = times; times *= tn_loop_most(u->src[0]); }
    else if (u->op == TINY_OP_END && depth) times = stack[--depth];
    else if (tn_op_is(u->op, TINY_ALU) && tn_is_float(u->dtype) && u->op != TINY_OP_WHERE)
      k->flops += times * u->lanes * (u->op == TINY_OP_FMA ? 2 : 1);
    else if (u->op == TINY_OP_HREDUCE) k->flops += times * u->src[0]->lanes;
    else if (u->op == TINY_OP_PARAM) k->nbytes += (double)u->v[0] * tn_dtypes[u->dtype].nbytes;
  }
}

// From a kernel after its opts on.
static tiny_code tn_lower(tiny_ctx *t, tiny_uop *sink, const tn_target *target, tn_lowered *out) {
  tn_pipeline p = tn_pipeline_of(t, sink, target);
  p.out = out;
  sink = tn_pipeline_stage(&p, sink, TN_LOWER);
  if (t->code != TINY_OK || tn_linearize(t, sink, target, out) != TINY_OK) return t->code;
  if (tn_verify_list(t, out->list, out->n) != TINY_OK) return t->code;
  tn_show_list(t, out);
  if (target->renderer) {
    if (tn_target_check(t, target->renderer, out->list, out->n) != TINY_OK) return t->code;
    tn_hints_find(t, out, target);
  }
  tn_estimate(out);
  return t->code;
}

// From a kernel on. plain: as it was written, no opts.
static tiny_code tn_pipeline_run(tiny_ctx *t, tiny_uop *sink, const tn_target *target, const tn_schedule *schedule,
                                 int plain, tn_lowered *out) {
  tn_pipeline p = tn_pipeline_of(t, sink, target);
  p.schedule = schedule;
  if (tn_verify(t, sink, TN_SPEC_KERNEL) != TINY_OK) return t->code;
  sink = tn_prepare(t, sink, target);
  if (!plain) sink = tn_pipeline_stage(&p, sink, TN_OPTIMIZE);
  return t->code == TINY_OK ? tn_lower(t, sink, target, out) : t->code;
}
#endif
