// walk: what a node is made of, in order; which nodes live; and the nodes of one kernel, apart from all others.
//
// In:  roots. Out: lists of nodes, sources before users. What is not reached from the marks is freed.
#ifndef TN_IR_WALK
#define TN_IR_WALK
#ifndef TINY_AMALGAMATED
#include "uop.c"
#endif

// ** walks **

// Graphs are walked with the path in memory: they may be deep, and stacks of threads small. Short paths need none.
typedef struct tn_walk { tiny_uop *u; uint32_t next; } tn_walk;
enum { TN_FEW_WALKS = 32 };

// Every node of op that root needs and that is not seen yet, sources before users, each once; TINY_OP_COUNT: every
// node. What cannot have these bits within is passed by. Heavy code only.
static void tn_collect_holding(tiny_ctx *t, tiny_uop *root, int op, uint64_t bits, uint32_t seen, tn_list *out) {
  tn_walk few[TN_FEW_WALKS], *stack = few, *top;
  int n = 0, cap = TN_FEW_WALKS;
  if (root->mark == seen || !tn_may_hold_bits(root, bits)) return;
  top = TN_PUSH(t, stack, n, cap, tn_walk);
  top->u = root; top->next = 0;
  root->mark = seen;
  while (n) {
    top = &stack[n - 1];
    if (top->next == top->u->nsrc) {
      if (op == TINY_OP_COUNT || op == top->u->op) tn_push(t, out, top->u);
      n--;
      continue;
    }
    tiny_uop *s = top->u->src[top->next++];
    if (s->mark == seen || !tn_may_hold_bits(s, bits)) continue;
    s->mark = seen;
    top = TN_PUSH(t, stack, n, cap, tn_walk);
    top->u = s; top->next = 0;
  }
}
static void tn_collect_unseen(tiny_ctx *t, tiny_uop *root, int op, uint32_t seen, tn_list *out) {
  tn_collect_holding(t, root, op, tn_op_bit(op), seen, out);
}
static void tn_collect_op(tiny_ctx *t, tiny_uop *root, int op, tn_list *out) {
  tn_collect_unseen(t, root, op, ++t->ir->epoch, out);
}
static void tn_collect_ranges(tiny_ctx *t, tiny_uop *root, tn_list *out) {
  tn_collect_op(t, root, TINY_OP_RANGE, out);
}
static void tn_toposort(tiny_ctx *t, tiny_uop *root, tn_list *out) {
  if (!out->cap) out->u = (tiny_uop **)tn_scratch_bare(t, (size_t)(out->cap = 4 * TN_FIRST_SLOTS) * sizeof *out->u);
  tn_collect_op(t, root, TINY_OP_COUNT, out);
}
// The same without what cannot have these bits within. A node's seq may then be of another list: tn_place_in.
static void tn_toposort_holding(tiny_ctx *t, tiny_uop *root, uint64_t bits, tn_list *out) {
  tn_collect_holding(t, root, TINY_OP_COUNT, bits, ++t->ir->epoch, out);
}
// Where u is in a list whose nodes are numbered, up to the n-th of them; -1: it is not.
static int tn_place_in(const tn_list *list, int n, const tiny_uop *u) {
  return u->seq < (uint32_t)n && list->u[u->seq] == u ? (int)u->seq : -1;
}

// ** life: what is not reached from the marks is freed by the sweep **

static void tn_uop_mark(tiny_ctx *t, tn_list *stack, tiny_uop *u) {
  if (!u || u->mark == t->ir->epoch) return;
  u->mark = t->ir->epoch;
  tn_push(t, stack, u);
  while (stack->n) {
    u = stack->u[--stack->n];
    for (uint32_t i = 0; i <= u->nsrc; i++) {
      tiny_uop *s = i < u->nsrc ? u->src[i] : u->realized;
      if (!s || s->mark == t->ir->epoch) continue;
      s->mark = t->ir->epoch;
      tn_push(t, stack, s);
    }
    for (int i = 0; u->extent && i < u->ndim; i++) {
      tiny_uop *n = u->extent[i];
      if (!n || n->mark == t->ir->epoch) continue;
      n->mark = t->ir->epoch;
      tn_push(t, stack, n);
    }
  }
}

// Takes entry i out of the table: what comes after it and would have liked to be there moves up
// (Knuth, The Art of Computer Programming, vol. 3, 6.4, algorithm R).
static void tn_nodes_remove(tn_nodes *nodes, uint32_t i) {
  const uint32_t mask = nodes->cap - 1;
  for (uint32_t j = (i + 1) & mask; tn_nodes_has(nodes, j); j = (j + 1) & mask)
    if (((j - nodes->table[j].slot) & mask) >= ((j - i) & mask)) { nodes->table[i] = nodes->table[j]; i = j; }
  nodes->table[i].generation = nodes->generation - 1;
}

static TN_COLD void tn_uop_sweep(tiny_ctx *t) {
  tn_nodes *nodes = &t->ir->nodes;
  if (!TN_RUNS_ONLY && t->labels) tn_labels_sweep(t, t->ir->epoch);
  for (uint32_t i = 0; i < nodes->cap;) {
    tiny_uop *u = nodes->table[i].u;
    if (!tn_nodes_has(nodes, i) || u->mark == t->ir->epoch) { i++; continue; }
    tn_nodes_remove(nodes, i);             // another may be in its place now
    tn_uop_free(t, u);
    nodes->n--;
  }
  t->stats.nodes = nodes->n;
}

static void tn_node_chunks_close(tiny_ctx *t, tn_node_chunk *chunk) {
  while (chunk) {
    tn_node_chunk *older = chunk->older;
    tn_release(t, chunk, chunk->nbytes);
    chunk = older;
  }
}
static void tn_nodes_close(tiny_ctx *t, tn_nodes *nodes) {
  tn_release(t, nodes->table, nodes->room * sizeof *nodes->table);
  tn_node_chunks_close(t, nodes->chunks);
  tn_node_chunks_close(t, nodes->spare);
  memset(nodes, 0, sizeof *nodes);
}

// ** apart: the lowering of a kernel makes thousands of nodes that nothing needs afterwards. They live in a table and
// memory of their own, which the next kernel takes again while it is still in the caches **

static void tn_nodes_swap(struct tn_ir *ir) {
  const tn_nodes now = ir->nodes;
  const int64_t serial = ir->serial;
  ir->nodes = ir->others; ir->others = now;
  ir->serial = ir->serial_apart; ir->serial_apart = serial;
  ir->apart = !ir->apart;
}

// Until tn_nodes_leave all nodes are made there. Heavy code only.
static void tn_nodes_begin(tiny_ctx *t) {
  if (!t->ir->others.table) tn_nodes_open(t, &t->ir->others);
  tn_nodes_swap(t->ir);
}
// Until tn_nodes_leave no node from before may be used, and afterwards none that is made from here on. Returns u's
// copy. Heavy code only, and what unwinds past it calls tn_nodes_leave.
static TN_COLD tiny_uop *tn_nodes_enter(tiny_ctx *t, tiny_uop *u) {
  tn_list all = {NULL, 0, 0};
  tn_toposort(t, u, &all);
  tn_nodes_begin(t);
  for (int i = 0; i < all.n; i++) {
    u = all.u[i];
    tiny_uop **src = (tiny_uop **)tn_scratch(t, (u->nsrc + 1) * sizeof *src);
    for (uint32_t j = 0; j < u->nsrc; j++) src[j] = all.u[u->src[j]->seq];
    u->seq = (uint32_t)i;
    all.u[i] = tn_uop_make_with(t, u->op, u->dtype, u->lanes, (int)u->nsrc, src, u->k, u->nv, u->v, u->ptr);
  }
  return all.u[all.n - 1];
}

static TN_COLD void tn_nodes_leave(tiny_ctx *t) {
  tn_nodes *nodes = &t->ir->nodes;
  if (!t->ir->apart) return;
  tn_nodes_clear(nodes);
  if (nodes->cap > TN_APART_SLOTS) nodes->cap = TN_APART_SLOTS;
  memset(nodes->unused, 0, sizeof nodes->unused);
  while (nodes->chunks) {
    tn_node_chunk *chunk = nodes->chunks;
    nodes->chunks = chunk->older;
    chunk->older = nodes->spare; nodes->spare = chunk;
  }
  nodes->n = 0; nodes->left = 0; nodes->at = NULL;
  tn_nodes_swap(t->ir);
}

static void tn_ir_close(tiny_ctx *t) {
  struct tn_ir *ir = t->ir;
  if (!ir) return;
  tn_nodes_leave(t);
  if (!TN_RUNS_ONLY && ir->nodes.table) { ir->epoch++; tn_uop_sweep(t); }    // there all nodes are apart
  tn_nodes_close(t, &ir->nodes);
  tn_nodes_close(t, &ir->others);
  tn_release(t, ir, sizeof *ir);
  t->ir = NULL;
}
#endif
