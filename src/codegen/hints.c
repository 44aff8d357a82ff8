// hints: what is worth knowing about nodes of a list that the list itself does not say, for whoever renders it.
//
// In:  the list of a kernel, in the order it runs, and its target.
// Out: k->hints, a byte of TINY_HINT_* for each node; k->local_nbytes, how much LOCAL memory a launch brings.
//      Neither changes a value: a renderer may leave any of them out.
#ifndef TN_CODEGEN_HINTS
#define TN_CODEGEN_HINTS
#ifndef TINY_AMALGAMATED
#include "profile.c"
#endif

enum {
  TN_LONG_LOOP = 64,                       // iterations: compilers guess about 32
  TN_ROLLED_SUMS = 12,                     // of lanes, that a loop adds to: its iterations are long enough
  TN_STREAM_TIMES = 2,                     // what the last cache holds: too much to keep any for the next kernel
  TN_STACK_NBYTES = 16 << 10               // of LOCAL memory that a kernel may put on its thread's stack
};

// ** stores past the caches **

// The innermost loop that list[at] stands in, NULL: none.
static const tiny_uop *tn_loop_around(const tn_lowered *k, int at) {
  int closed = 0;
  for (int i = at - 1; i >= 0; i--) {
    const int op = k->list[i]->op;
    if (op == TINY_OP_END || op == TINY_OP_ENDIF) closed++;
    if ((op == TINY_OP_RANGE || op == TINY_OP_IF) && !closed--) return op == TINY_OP_RANGE ? k->list[i] : NULL;
  }
  return NULL;
}

// Does the store, by itself or with the next iterations of its loop, write whole lines?
static int tn_stores_lines(tiny_ctx *t, const tn_lowered *k, const tiny_limits *limits, int at) {
  const tiny_uop *u = k->list[at];
  const int lanes = u->src[1]->lanes, nbytes = lanes * tn_dtypes[u->src[1]->dtype].nbytes;
  const int64_t line = tn_machine_line(limits);
  if (nbytes % line == 0) return 1;
  const tiny_uop *loop = tn_loop_around(k, at);
  return loop && loop->src[0]->vmin * nbytes >= line && tn_stride_in(t, u->src[0]->src[1], loop) == lanes;
}

// Does the store write vectors, whole lines of a big output that this kernel does not read? Past the caches they need
// not be read before they are written: a third of the traffic of a loop that reads and writes. Threads meet after a
// kernel by locked instructions, which wait for such stores (Intel SDM 3, 11.3.1).
static int tn_store_streams(tiny_ctx *t, const tn_lowered *k, const tiny_limits *limits, int at) {
  const tiny_uop *u = k->list[at], *index = u->src[0], *memory = index->src[0];
  const int64_t nbytes = tn_dtypes[u->src[1]->dtype].nbytes;
  if (memory->op != TINY_OP_PARAM || memory->v[0] * nbytes < TN_STREAM_TIMES * tn_machine_share(limits))
    return 0;
  if (u->src[1]->lanes == 1 || index->lanes > 1 || (index->nsrc == 3 && index->src[2]->lanes > 1)) return 0;
  for (int i = 0; i < k->n; i++)
    if (k->list[i]->op == TINY_OP_LOAD && k->list[i]->src[0]->src[0] == memory) return 0;
  return tn_stores_lines(t, k, limits, at);
}

// ** loops **

static int tn_loop_is_long(const tiny_uop *range) {
  return tn_is_const(range->src[0]) && range->src[0]->k >= TN_LONG_LOOP;
}

// Does a short loop add to a tile of vectors? Copies of its iterations would share what they read, and more of it than
// registers have room for.
static int tn_loop_is_rolled(const tn_lowered *k, int at) {
  int sums = 0;
  if (tn_loop_is_long(k->list[at])) return 0;
  for (int i = at + 1; i < k->n; i++) {
    const tiny_uop *u = k->list[i];
    if (u->op == TINY_OP_END && u->src[1] == k->list[at]) break;
    sums += u->op == TINY_OP_STORE && u->src[1]->lanes > 1 && tn_is_reg(u->src[0]->src[0]);
  }
  return sums >= TN_ROLLED_SUMS;
}

// ** LOCAL memory **

// That a launch has to bring. A thread whose stack is small may call, and one kernel would be its end.
static int64_t tn_local_of_launch(const tn_lowered *k, const tn_target *target) {
  int64_t all = 0;
  int boxes = 0;
  for (int i = 0; i < k->n; i++) {
    if (k->list[i]->op == TINY_OP_DEFINE && k->list[i]->v[0] == TN_SPACE_LOCAL) all += tn_local_nbytes(k->list[i]);
    boxes |= k->list[i]->op == TINY_OP_BULK;
  }
  if (boxes && all > TN_STACK_NBYTES) all += TN_BOX_NBYTES;
  const int64_t stack = tn_target_has(target, TINY_TARGET_NO_STACK) ? 0 : TN_STACK_NBYTES;
  return tn_target_has(target, TINY_TARGET_TAKES_LOCAL) && all > stack ? all : 0;
}

// ** boxes that neighbouring groups have in common **

// Groups of a cluster, by the hint. Of a kernel all of whose loops are the same in all groups.
static int tn_cluster_of(const tn_lowered *k, const tiny_limits *limits) {
  for (int i = 0; i < k->n; i++)
    if (k->list[i]->op == TINY_OP_RANGE && (k->list[i]->nsrc > 1 || !tn_is_const(k->list[i]->src[0]))) return 0;
  return limits->cluster >= 4 && k->global[0] % 4 == 0 ? TINY_HINT_FOUR :
      limits->cluster >= 2 && k->global[0] % 2 == 0 ? TINY_HINT_PAIR : 0;
}
// Does the place of a BULK not depend on the group's number in dim 0, and can its rows be divided?
static int tn_bulk_is_shared(tiny_ctx *t, const tiny_uop *u, int groups) {
  tn_list all = {NULL, 0, 0};
  for (uint32_t i = 1; i < u->src[0]->nsrc; i++) tn_collect_op(t, u->src[0]->src[i], TINY_OP_SPECIAL, &all);
  for (uint32_t i = 2; i < u->nsrc; i++) tn_collect_op(t, u->src[i], TINY_OP_SPECIAL, &all);
  for (int i = 0; i < all.n; i++) if (!all.u[i]->k) return 0;
  return u->v[2 * tn_bulk_dims(u) + 1] % (groups * (TN_BOX_ALIGN / TN_BOX_ROW)) == 0;
}
static int tn_hint_groups(int hint) { return hint & TINY_HINT_FOUR ? 4 : hint & TINY_HINT_PAIR ? 2 : 1; }

static void tn_hints_find(tiny_ctx *t, tn_lowered *k, const tn_target *target) {
  k->hints = (uint8_t *)tn_scratch(t, (size_t)k->n + 1);
  k->local_nbytes = tn_local_of_launch(k, target);
  k->producers = tn_producer_threads(k->list, k->n);
  const int cluster = target->limits->cluster ? tn_cluster_of(k, target->limits) : 0;
  for (int i = 0; i < k->n; i++) {
    const int op = k->list[i]->op;
    if (op == TINY_OP_STORE && tn_target_has(target, TINY_TARGET_STREAMS) && tn_store_streams(t, k, target->limits, i))
      k->hints[i] = TINY_HINT_STREAM;
    if (op == TINY_OP_BULK && cluster && tn_bulk_is_shared(t, k->list[i], tn_hint_groups(cluster)))
      k->hints[i] = (uint8_t)cluster;
    if (op == TINY_OP_RANGE)
      k->hints[i] = (uint8_t)(tn_loop_is_long(k->list[i]) ? TINY_HINT_LONG :
                              tn_loop_is_rolled(k, i)     ? TINY_HINT_ROLLED : 0);
  }
}
#endif
