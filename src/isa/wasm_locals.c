// wasm_locals: local variables that do not live at the same time become one.
//
// In:  the body of a function in which each value has locals of its own. Out: the same with as few as linear scan
//      finds; those of one type follow each other.
// Holds: a local lives from the first to the last place that names it; one that was there before a loop which names it
//        lives to the end of that loop, as the next iteration may read it. What is named first in a loop is written
//        there first (the list: no value is used before it is computed), so that it need not outlive an iteration.
// Why: an engine's first compiler looks at every local where blocks meet (V8, Liftoff): hundreds cost more than code.
#ifndef TN_ISA_WASM_LOCALS
#define TN_ISA_WASM_LOCALS
#ifndef TINY_AMALGAMATED
#include "wasm_select.c"
#endif

enum { TN_WASM_LOCALS_MOST = 40000 };      // engines take 50 000 (WebAssembly JavaScript API, Implementation limits)
typedef struct tn_wasm_range_of { int first, last; } tn_wasm_range_of;

static int tn_wasm_names_local(const tn_wasm_ins *i) {
  return i->op == TN_WASM_GET || i->op == TN_WASM_SET || i->op == TN_WASM_TEE;
}
// Where each block that begins at an instruction ends; 0: none begins.
static int *tn_wasm_block_ends(const tn_wasm_select *x) {
  int *end = (int *)tn_scratch(x->t, ((size_t)x->n + 1) * sizeof(int));
  int *open = (int *)tn_scratch(x->t, ((size_t)x->n + 1) * sizeof(int)), depth = 0;
  for (int i = 0; i < x->n; i++) {
    const int op = x->ins[i].op;
    if (op == TN_WASM_BLOCK || op == TN_WASM_LOOP || op == TN_WASM_IF) open[depth++] = i;
    if (op == TN_WASM_END && depth) end[open[--depth]] = i;
  }
  return end;
}
static tn_wasm_range_of *tn_wasm_live(const tn_wasm_select *x) {
  tn_wasm_range_of *live = (tn_wasm_range_of *)tn_scratch(x->t, ((size_t)x->nlocals + 1) * sizeof *live);
  const int *end = tn_wasm_block_ends(x);
  int *loop = (int *)tn_scratch(x->t, ((size_t)x->n + 1) * sizeof(int)), depth = 0;     // those that are open
  for (int i = 0; i < x->nlocals; i++) live[i].first = live[i].last = i < TN_WASM_PARAMS ? 0 : -1;
  for (int i = 0; i < x->n; i++) {
    while (depth && end[loop[depth - 1]] < i) depth--;
    if (x->ins[i].op == TN_WASM_LOOP) loop[depth++] = i;
    if (!tn_wasm_names_local(&x->ins[i])) continue;
    tn_wasm_range_of *r = &live[x->ins[i].number];
    int last = i;
    if (r->first < 0) r->first = i;
    for (int k = depth - 1; k >= 0 && loop[k] > r->first; k--) last = end[loop[k]];
    if (last > r->last) r->last = last;
  }
  return live;
}
// The arguments keep their places.
static void tn_wasm_share_locals(tn_wasm_select *x) {
  static const uint8_t types[] = {TN_WASM_I32, TN_WASM_I64, TN_WASM_F32, TN_WASM_F64, TN_WASM_V};
  enum { TYPES = sizeof types };
  tiny_ctx *t = x->t;
  const size_t n = (size_t)x->nlocals + 1;
  const tn_wasm_range_of *live = tn_wasm_live(x);
  int *slot = (int *)tn_scratch(t, n * sizeof(int)), *dies = (int *)tn_scratch(t, ((size_t)x->n + 1) * sizeof(int));
  int *next = (int *)tn_scratch(t, n * sizeof(int)), *unused = (int *)tn_scratch(t, n * TYPES * sizeof(int));
  int free_of[TYPES] = {0}, made[TYPES] = {0}, from[TYPES];
  for (int i = 0; i < x->nlocals; i++) slot[i] = -1;
  for (int i = 0; i < x->n; i++) {         // dies, next: lists of the locals that end at an instruction, 1 + number
    const int local = tn_wasm_names_local(&x->ins[i]) ? (int)x->ins[i].number : -1;
    if (local >= TN_WASM_PARAMS && slot[local] < 0) {
      int k = 0;
      while (types[k] != x->type[local]) k++;
      slot[local] = free_of[k] ? unused[(size_t)k * n + (size_t)--free_of[k]] : made[k]++;
      next[local] = dies[live[local].last];
      dies[live[local].last] = 1 + local;
    }
    for (int d = dies[i]; d; d = next[d - 1]) {
      int k = 0;
      while (types[k] != x->type[d - 1]) k++;
      unused[(size_t)k * n + (size_t)free_of[k]++] = slot[d - 1];
    }
  }
  for (int k = 0, at = TN_WASM_PARAMS; k < TYPES; k++) { from[k] = at; at += made[k]; }
  for (int i = 0; i < x->n; i++) if (tn_wasm_names_local(&x->ins[i]) && x->ins[i].number >= TN_WASM_PARAMS) {
    const int local = (int)x->ins[i].number;
    int k = 0;
    while (types[k] != x->type[local]) k++;
    x->ins[i].number = from[k] + slot[local];
  }
  x->nlocals = TN_WASM_PARAMS;
  for (int k = 0; k < TYPES; k++) for (int i = 0; i < made[k]; i++) tn_wasm_local(x, types[k]);
}
#endif
