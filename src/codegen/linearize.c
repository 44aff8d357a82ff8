// linearize: a lowered kernel -> the list of its nodes in the order they run, with loops open from RANGE to END.
//
// In:       a SINK. Out: the list.
// Requires: one RANGE an END, REDUCEs lowered (lower.c).
// Every node belongs to the block of the innermost loop it depends on; the block of a loop lies in the block of what
// its END gives. An END with its RANGE is emitted, loop and all, where it stands in topological order of its block, so
// whatever the loop's body needs from outside stands before it. Nodes of an outer block are thereby hoisted for free.
// STOREs that happen later (expand.c) are begun first in their block where the device copies by itself; elsewhere what
// they store is loaded first, and stored last: all other work of the block lies between.
#ifndef TN_CODEGEN_LINEARIZE
#define TN_CODEGEN_LINEARIZE
#ifndef TINY_AMALGAMATED
#include "lower.c"
#endif

// Block 0: the kernel itself. emitted: how many of the nodes.
typedef struct tn_block { tiny_uop *range; int parent, depth, emitted; tn_list nodes; } tn_block;

typedef struct tn_linear {
  tiny_ctx *t;
  tn_list all; tn_map at;                  // node -> 1 + position in all
  uint64_t *open; int words, *place;       // per node: loops it depends on (bit b of so many words: block b), its block
  tn_block *block; int nblock, cap;
  tn_list out;
} tn_linear;

static int tn_linear_at(const tn_linear *l, const tiny_uop *u) {
  return (int)(intptr_t)tn_map_get(&l->at, u) - 1;
}

static int tn_linear_block_of(const tn_linear *l, const tiny_uop *range) {
  for (int i = 1; i < l->nblock; i++) if (l->block[i].range == range) return i;
  return 0;
}

static uint64_t *tn_linear_open_at(const tn_linear *l, int i) { return l->open + (size_t)i * (size_t)l->words; }

// What a loop does that may not run at all stays in it, though it be the same in all of its iterations.
static void tn_linear_hold(tn_linear *l, tiny_uop *body, int loop) {
  tn_list todo = {NULL, 0, 0};
  tn_push(l->t, &todo, body);
  while (todo.n) {
    body = todo.u[--todo.n];
    if (body->op != TINY_OP_STORE && body->op != TINY_OP_BULK && body->op != TINY_OP_BULKSTORE &&
        body->op != TINY_OP_GROUP && body->op != TINY_OP_END)
      continue;
    tn_linear_open_at(l, tn_linear_at(l, body))[loop / 64] |= (uint64_t)1 << loop % 64;
    for (uint32_t i = 0; i < body->nsrc && body->op == TINY_OP_GROUP; i++) tn_push(l->t, &todo, body->src[i]);
  }
}

// Loops open at each node: those of its sources, also of the bounds of a RANGE, less the one an END closes.
static void tn_linear_open(tn_linear *l) {
  for (int i = 0; i < l->all.n; i++) {
    const tiny_uop *u = l->all.u[i];
    uint64_t *open = tn_linear_open_at(l, i);
    const int own = u->op == TINY_OP_RANGE ? tn_linear_block_of(l, u) :
                    u->op == TINY_OP_END   ? tn_linear_block_of(l, u->src[1]) : 0;
    if (u->op == TINY_OP_RANGE) open[own / 64] = (uint64_t)1 << own % 64;
    for (uint32_t j = 0; j < u->nsrc; j++) {
      const uint64_t *of_source = tn_linear_open_at(l, tn_linear_at(l, u->src[j]));
      for (int w = 0; w < l->words; w++) open[w] |= of_source[w];
    }
    if (u->op != TINY_OP_END) continue;
    if (u->src[1]->nsrc > 1 || !tn_is_const(u->src[1]->src[0])) tn_linear_hold(l, u->src[0], own);
    open[own / 64] &= ~((uint64_t)1 << own % 64);
  }
}

static int tn_linear_deepest(const tn_linear *l, const uint64_t *open) {
  int deepest = 0;
  for (int w = 0; w < l->words; w++)
    for (int b = 64 * w; open[w] >> b % 64 && b < l->nblock && b < 64 * w + 64; b++)
      if ((open[w] >> b % 64 & 1) && l->block[b].depth > l->block[deepest].depth) deepest = b;
  return deepest;
}

// Users come later in the order, so going backwards every loop's own block is known when its nodes are met.
static void tn_linear_place(tn_linear *l) {
  for (int i = l->all.n - 1; i >= 0; i--) {
    const tiny_uop *u = l->all.u[i];
    const int deepest = tn_linear_deepest(l, tn_linear_open_at(l, i));
    l->place[i] = deepest;
    if (u->op != TINY_OP_END) continue;
    tn_block *loop = &l->block[tn_linear_block_of(l, u->src[1])];
    loop->parent = deepest;
    loop->depth = l->block[deepest].depth + 1;
  }
  for (int i = 0; i < l->all.n; i++) tn_push(l->t, &l->block[l->place[i]].nodes, l->all.u[i]);
}

// Which nodes come first, as they are for a later iteration. 0: there are none.
static int tn_linear_early(const tn_linear *l, int copies, uint8_t *early, uint8_t *stored) {
  int found = 0;
  for (int i = l->all.n - 1; i >= 0; i--) {
    const tiny_uop *u = l->all.u[i];
    const int later = u->op == TINY_OP_STORE && u->k == TN_LATER, loads = stored[i] && u->op == TINY_OP_LOAD;
    early[i] |= loads || u->op == TINY_OP_BULK || (later && copies && tn_copies_later(u));
    found |= early[i];
    for (uint32_t j = 0; j < u->nsrc; j++) {
      const int at = tn_linear_at(l, u->src[j]);
      early[at] |= early[i];
      stored[at] |= (later && j == 1) || (stored[i] && !loads);
    }
  }
  return found;
}
static void tn_linear_order(tn_linear *l, int copies) {
  uint8_t *early = (uint8_t *)tn_scratch(l->t, (size_t)l->all.n),
          *stored = (uint8_t *)tn_scratch(l->t, (size_t)l->all.n);
  if (!tn_linear_early(l, copies, early, stored)) return;
  for (int b = 0; b < l->nblock; b++) {
    tn_list *nodes = &l->block[b].nodes, rest = {NULL, 0, 0};
    int n = 0;
    for (int i = 0; i < nodes->n; i++) {
      if (early[tn_linear_at(l, nodes->u[i])]) nodes->u[n++] = nodes->u[i];
      else tn_push(l->t, &rest, nodes->u[i]);
    }
    for (int i = 0; i < rest.n; i++) nodes->u[n++] = rest.u[i];
  }
}

static void tn_linear_emit(tn_linear *l) {
  for (int b = 0; b >= 0;) {               // the block of a loop, and then on where its END stands
    tn_block *block = &l->block[b];
    if (block->emitted == block->nodes.n) {
      b = b ? block->parent : -1;
      if (b >= 0) tn_push(l->t, &l->out, l->block[b].nodes.u[l->block[b].emitted++]);
      continue;
    }
    tiny_uop *u = block->nodes.u[block->emitted];
    if (u->op == TINY_OP_END) {
      tn_push(l->t, &l->out, u->src[1]);
      b = tn_linear_block_of(l, u->src[1]);
      continue;
    }
    if (u->op != TINY_OP_RANGE && u->op != TINY_OP_SINK) tn_push(l->t, &l->out, u);
    block->emitted++;
  }
}

static tiny_code tn_linearize(tiny_ctx *t, tiny_uop *sink, const tn_target *target, tn_lowered *out) {
  tn_linear l;
  memset(&l, 0, sizeof l);
  l.t = t;
  tn_toposort(t, sink, &l.all);
  TN_PUSH(t, l.block, l.nblock, l.cap, tn_block);
  for (int i = 0; i < l.all.n; i++) {
    tn_map_set(t, &l.at, l.all.u[i], (void *)(intptr_t)(i + 1));
    if (l.all.u[i]->op == TINY_OP_RANGE) TN_PUSH(t, l.block, l.nblock, l.cap, tn_block)->range = l.all.u[i];
  }
  l.words = (l.nblock + 63) / 64;
  l.open = (uint64_t *)tn_scratch(t, (size_t)l.all.n * (size_t)l.words * sizeof *l.open);
  l.place = (int *)tn_scratch(t, (size_t)l.all.n * sizeof *l.place);
  tn_linear_open(&l);
  tn_linear_place(&l);
  tn_linear_order(&l, tn_target_copies(target));
  tn_linear_emit(&l);
  out->list = l.out.u;
  out->n = l.out.n;
  return TINY_OK;
}
#endif
