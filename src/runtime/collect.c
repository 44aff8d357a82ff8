// collect: what programs hold, and what nothing refers to any more.
//
// In:    handles, programs, kernels of users. Out: the nodes and the buffers that none of them needs are freed, when
//        there are twice as many as the last time.
// Holds: it happens between runs alone: a run's nodes need no handles.
#ifndef TN_RUNTIME_COLLECT
#define TN_RUNTIME_COLLECT
#ifndef TINY_AMALGAMATED
#include "copy.c"
#endif

// What a program computes once: steps that read nothing but memory it holds, which nobody has written since.
typedef struct tn_kept {
  int64_t *at;                             // by place: where in its device's storage, -1: not there
  uint8_t *step, *leaf;                    // by step: is it one of them? by leaf: does one of them read it?
  int64_t nbytes[TINY_MAX_DEVICES];
  tn_storage *storage[TINY_MAX_DEVICES];   // NULL: not computed yet
  uint64_t written; int done;              // of those leaves, when it was; done: storage holds it
} tn_kept;

// What a program is given: an input as it was captured; a leaf and a scalar of its plan; what it gives.
typedef struct tn_bound_input {
  tiny_shape shape; int dtype, scalar;     // scalar: a SCALAR,
  int64_t least, most;                     // within which it is, floats aside
} tn_bound_input;
// memory: the BUFFER that names it, NULL: that of the input; left: of its storage at capture
typedef struct tn_bound_leaf { tiny_uop *memory; int input, updated; uint64_t left; } tn_bound_leaf;
enum { TN_SCALAR_FIXED, TN_SCALAR_INPUT, TN_SCALAR_CALL, TN_SCALAR_SEED };
typedef struct tn_bound_scalar { tiny_uop *u; int kind, input; } tn_bound_scalar;
// row: of the plan's outputs, -1: input number `input` as it is
// meant: a node that has its extents, of the captured scalars; NULL: all of it is meant
typedef struct tn_bound_output { int row, input, dtype; tiny_shape shape; tiny_uop *meant; } tn_bound_output;

// What the caller gives or takes as one tensor: so many inputs or outputs, parts along an axis; 1: it is not split.
typedef struct tn_bound_group { int parts, axis; } tn_bound_group;

// Memory that was saved with a name, of a program that was loaded.
typedef struct tn_bound_name { const char *name; int leaf; } tn_bound_name;

struct tiny_program {                      // a captured plan and what its blanks are filled with
  tiny_program *prev, *next;
  tiny_ctx *t;
  tn_plan *plan; int own_plan;             // own_plan: it is not among those that graphs are known by
  int ninput, noutput, nleaf, nscalar;
  tn_bound_input *input; tn_bound_leaf *leaf; tn_bound_scalar *scalar; tn_bound_output *output;
  tiny_tensor **made;                      // the outputs of this run
  tn_bound_group *group; int ngive, ntake; // inputs, then outputs, as the caller counts them; NULL: as they are
  int updates;                             // does it assign to memory?
  uint32_t draw, ndraw;                    // calls of random numbers of each run: as captured, after call `draw`
  int draws_fixed; uint64_t seed;          // others besides, which keep the values of this seed
  tn_kept kept;
  int *label;                              // of each step
  struct tn_unfinished *unfinished;        // a run of tiny_run_for that its caller waits for; NULL: none
  uint64_t *expected;                      // of each step: what a task takes, or all of it where it has none, in ns
  tiny_code ended;                         // how a run ended that another call went on with, if not well
  tn_bound_name *named; int nnamed; size_t named_nbytes;     // with the names behind them
  size_t nbytes;
};

static void tn_custom_free(tiny_ctx *t, tn_custom *c) {
  tn_release(t, c->source, c->source_nbytes);
  tn_release(t, c->name, c->name_nbytes);
  tn_release(t, c, sizeof *c);
}

// Imported kernels that no node names go, but for those that were asked for last. What they compiled to is an
// executable like others.
static void tn_customs_trim(tiny_ctx *t) {
  struct tn_runtime *r = t->runtime;
  const tn_nodes *nodes = &t->ir->nodes;
  int before = 0;
  if (r->ncustom < r->customs_at) return;
  for (tn_custom *c = r->customs; c; c = c->next) c->named = 0;
  for (uint32_t i = 0; i < nodes->cap; i++)
    if (tn_nodes_has(nodes, i) && nodes->table[i].u->op == TINY_OP_CUSTOM)
      ((tn_custom *)nodes->table[i].u->ptr)->named = 1;
  for (tn_custom **at = &r->customs, *c; (c = *at) != NULL;) {
    if (c->named || before++ < TN_MOST_CUSTOMS) { at = &c->next; continue; }
    *at = c->next;
    tn_custom_free(t, c);
    r->ncustom--;
  }
  r->customs_at = 2 * r->ncustom > 2 * TN_MOST_CUSTOMS ? 2 * r->ncustom : 2 * TN_MOST_CUSTOMS;
}

static void tn_paused_roots(tiny_ctx *t, tn_list *roots);
static void tn_unfinished_roots(tiny_ctx *t, const tiny_program *p, tn_list *roots);

static void tn_collect(tiny_ctx *t) {
  struct tn_ir *ir = t->ir;
  tn_list roots = {NULL, 0, 0}, stack = {NULL, 0, 0};
  tn_tensors_roots(t, &roots);
  tn_paused_roots(t, &roots);
  for (tn_custom *c = t->runtime->customs; c; c = c->next) if (c->uops) tn_push(t, &roots, c->uops);
  for (tiny_program *p = t->runtime->programs; p; p = p->next) {
    for (int i = 0; i < p->nleaf; i++) if (p->leaf[i].memory) tn_push(t, &roots, p->leaf[i].memory);
    for (int i = 0; i < p->nscalar; i++) tn_push(t, &roots, p->scalar[i].u);
    for (int i = 0; i < p->noutput; i++) if (p->output[i].meant) tn_push(t, &roots, p->output[i].meant);
    if (p->unfinished) tn_unfinished_roots(t, p, &roots);
  }
  ir->epoch++;
  for (int i = 0; i < roots.n; i++) tn_uop_mark(t, &stack, roots.u[i]);
  tn_uop_sweep(t);
  tn_customs_trim(t);
  ir->collect_at = ir->nodes.n * 2 > 1 << 14 ? ir->nodes.n * 2 : 1 << 14;
  t->runtime->collected_nbytes = (size_t)t->stats.nbytes_live;
  t->tensors->freed = 0;
}
static void tn_collect_if_due(tiny_ctx *t) {
  if (t->ir->nodes.n >= t->ir->collect_at || t->runtime->ncustom >= t->runtime->customs_at ||
      t->stats.nbytes_live >= 2 * t->runtime->collected_nbytes + ((size_t)16 << 20))
    tn_collect(t);
}
#endif
