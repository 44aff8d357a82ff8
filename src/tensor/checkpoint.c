// checkpoint: segments of a graph whose inner values are computed again for the backward pass instead of being kept.
//
// Nodes are hash-consed: computing x again from the same nodes is computing it once. A checkpoint is
// (AFTER y x0 x1 ..) with k 1: y, of which the gradient knows that it comes from x. When the gradient g arrives there,
// the nodes between y and x are built anew over (AFTER x g): x, but not before g is computed. These are other nodes,
// the scheduler can neither share them with the forward pass nor run them early; the forward pass keeps
// nothing for them.
#ifndef TN_TENSOR_CHECKPOINT
#define TN_TENSOR_CHECKPOINT
#ifndef TINY_AMALGAMATED
#include "image.c"
#include "recurrent.c"
#include "../rules/gradient.c"
#endif

static int tn_is_checkpoint(const tiny_uop *u) { return u->op == TINY_OP_AFTER && u->k == 1; }

TINY_API tiny_tensor *tiny_checkpoint(tiny_tensor *y, tiny_tensor *const *x, int n) {
  enum { TN_MOST = 64 };
  tiny_tensor *out, *in[TN_MOST];
  tiny_uop *src[TN_MOST];
  if (!tn_usable("checkpoint", 1, &y, &out)) return out;
  if (n < 1 || n >= TN_MOST || !x)
    return tn_wrong(tn_ctx_of(y), TINY_E_ARG, "checkpoint: %d inputs; there are 1 to %d", n, TN_MOST - 1);
  in[0] = y;
  for (int i = 0; i < n; i++) in[i + 1] = x[i];
  if (!tn_usable_in(NULL, "checkpoint", n + 1, in, &out)) return out;
  for (int i = 0; i <= n; i++) src[i] = tn_uop_of(in[i]);
  tiny_ctx *t = tn_ctx_of(y);
  return tn_tensor_new(t, tn_uop_make(t, TINY_OP_AFTER, tn_uop_of(y)->dtype, 1, n + 1, src, 1, 0, NULL));
}

static int tn_segment_input(const tiny_uop *checkpoint, const tiny_uop *u) {
  for (uint32_t i = 1; i < checkpoint->nsrc; i++) if (checkpoint->src[i] == u) return 1;
  return 0;
}

// Where a segment begins: inputs and parameters that were met, and what stands for each in the copy.
typedef struct tn_segment { tn_list edge, wrapped; } tn_segment;

static tiny_uop *tn_segment_wrap(tiny_ctx *t, tiny_uop *u, tiny_uop *g) {
  tiny_uop *src[2] = {u, g};
  return tn_uop_make(t, TINY_OP_AFTER, u->dtype, 1, 2, src, 0, 0, NULL);
}
static tiny_uop *tn_segment_node(tiny_ctx *t, tiny_uop *u, const tn_map *now) {
  tiny_uop **src = (tiny_uop **)tn_scratch(t, u->nsrc * sizeof *src);
  int changed = 0;
  for (uint32_t i = 0; i < u->nsrc; i++) {
    src[i] = (tiny_uop *)tn_map_get(now, u->src[i]);
    changed |= src[i] != u->src[i];
  }
  return changed ? tn_uop_with(t, u, src) : u;
}
// Is u, which is computed, what it is whatever became of its sources? Gradients end there.
static int tn_segment_ends(const tiny_uop *u) {
  return u->op == TINY_OP_BUFFER || (u->realized && tn_is_memory(u) && !(u->op == TINY_OP_CONTIGUOUS && u->k));
}
// The nodes from the checkpoint down to its inputs and to those that are wanted, anew. Positions too (IOTA): random
// numbers and masks that are made of them are then no longer shared with the forward pass. What was computed already
// is taken as it is unless it depends on an edge: a gradient flows through it, whether somebody has read it or not.
static tiny_uop *tn_segment_copy(tiny_ctx *t, tiny_uop *checkpoint, tiny_uop *g, const tn_map *wanted, tn_segment *s) {
  tn_map edge = {NULL, 0, 0}, now = {NULL, 0, 0}, flows = {NULL, 0, 0};   // flows: those that depend on an edge
  tn_walk *stack = NULL, *top;
  int depth = 0, cap = 0;
  memset(s, 0, sizeof *s);
  for (uint32_t i = 1; i < checkpoint->nsrc; i++) tn_map_set(t, &edge, checkpoint->src[i], checkpoint);
  top = TN_PUSH(t, stack, depth, cap, tn_walk);
  top->u = checkpoint->src[0]; top->next = 0;
  while (depth) {
    top = &stack[depth - 1];
    tiny_uop *u = top->u;
    const int at_edge = tn_map_has(&edge, u) || tn_map_has(wanted, u);
    const int whole = at_edge || tn_segment_ends(u) || top->next == u->nsrc;
    if (!whole && !tn_map_has(&now, u->src[top->next])) {
      tiny_uop *next = u->src[top->next++];
      top = TN_PUSH(t, stack, depth, cap, tn_walk);
      top->u = next; top->next = 0;
      continue;
    }
    if (!whole) { top->next++; continue; }
    depth--;
    if (tn_map_has(&now, u)) continue;
    int depends = at_edge;
    for (uint32_t i = 0; i < u->nsrc && !depends && !tn_segment_ends(u); i++) depends = tn_map_has(&flows, u->src[i]);
    tiny_uop *copy = at_edge || (u->op == TINY_OP_IOTA && !u->realized) ? tn_segment_wrap(t, u, g) :
        tn_segment_ends(u) || (u->realized && !depends)                 ? u :
                                                                          tn_segment_node(t, u, &now);
    if (at_edge) { tn_push(t, &s->edge, u); tn_push(t, &s->wrapped, copy); }
    if (depends) tn_map_set(t, &flows, u, u);
    tn_map_set(t, &now, u, copy);
  }
  return (tiny_uop *)tn_map_get(&now, checkpoint->src[0]);
}
#endif
