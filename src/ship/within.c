// within: does a list, compiled, keep within the memory that it is given, whatever that holds?
//
// In:    the list of a program that ir/spec.c takes; how it is launched. Out: what is not plain about it; NULL:
//        nothing, and compiled it reads and writes nothing else, and divides by nothing that traps. Of others the
//        interpreter looks at every access.
// Holds: what nodes say of their bounds is inferred when they are made, and holds for what compiled code computes, but
//        for what stands in memory as a bool, and for shifts by more than a number has bits: nothing that comes of
//        those may be the index of an access.
#ifndef TN_SHIP_WITHIN
#define TN_SHIP_WITHIN
#ifndef TINY_AMALGAMATED
#include "../ir/wire.c"
#include "../ir/target.c"
#endif

enum { TN_WITHIN_NODES = 1 << 16, TN_WITHIN_REGS = 1 << 12, TN_WITHIN_LOCAL = 1 << 24 };  // nodes; elements of a DEFINE

static const char *const tn_within_beyond = "an access is not plainly within its memory";

// May u, whose sources are known, be another value than its bounds say?
static int tn_within_doubts(const tiny_uop *u, const uint8_t *doubts) {
  if (u->op == TINY_OP_LOAD) return u->dtype == TINY_BOOL;
  if (u->op == TINY_OP_BITCAST && u->dtype == TINY_BOOL) return 1;
  if (u->op == TINY_OP_SHL || u->op == TINY_OP_SHR) {
    const tiny_uop *by = u->src[1];
    if (by->op != TINY_OP_CONST || by->k < 0 || by->k >= tn_bits(u->dtype)) return 1;
  }
  for (uint32_t i = 0; i < u->nsrc; i++) if (doubts[u->src[i]->seq]) return 1;
  return 0;
}
static const char *tn_within_access(const tiny_uop *u, const uint8_t *doubts) {
  const tiny_uop *index = u->src[0], *e = index->src[1], *m = tn_memory_behind(index->src[0]);
  const int lanes = u->op == TINY_OP_STORE ? u->src[1]->lanes : u->lanes;
  const int64_t has = m->op == TINY_OP_PARAM ? m->v[0] : m->v[1], last = e->lanes > 1 || m->lanes > 1 ? 0 : lanes - 1;
  if (u->k) return "it moves tiles, or adds to what others add to";
  if (m->lanes > 1 && m->lanes != lanes) return tn_within_beyond;
  return doubts[e->seq] || e->vmin < 0 || e->vmax >= has - last ? tn_within_beyond : NULL;
}
// local: bytes of LOCAL memory so far.
static const char *tn_within_define(const tiny_uop *u, int64_t *local) {
  if (u->v[0] == TN_SPACE_REG)
    return u->v[1] <= TN_WITHIN_REGS && u->lanes <= TN_WITHIN_REGS ? NULL : "it has too many registers";
  if (u->v[0] != TN_SPACE_LOCAL || u->v[1] > TN_WITHIN_LOCAL) return "it has too much memory of its own";
  *local += tn_local_nbytes(u);
  return *local <= TN_WITHIN_LOCAL ? NULL : "it has too much memory of its own";
}
static const char *tn_within_node(const tiny_uop *u, const uint8_t *doubts, int64_t tasks, int64_t *local) {
  if (u->dtype == TINY_INDEX) return "it has integers of no width";
  switch (u->op) {
    case TINY_OP_LOAD: case TINY_OP_STORE: return tn_within_access(u, doubts);
    case TINY_OP_DEFINE: return tn_within_define(u, local);
    case TINY_OP_IDIV: case TINY_OP_MOD: case TINY_OP_CDIV: case TINY_OP_CMOD:
      return doubts[u->src[1]->seq] || u->src[1]->vmin < 1 ? "it may divide by 0" : NULL;
    case TINY_OP_SPECIAL:
      return u->k || doubts[u->src[0]->seq] || !tn_is_const(u->src[0]) || tasks > u->src[0]->k ?
          "it is for other tasks than it is given" : NULL;
    case TINY_OP_RANGE:
      for (uint32_t i = 0; i < u->nsrc; i++)
        if (doubts[u->src[i]->seq] || (i && u->src[i]->vmin < 0)) return "a loop begins or ends anywhere";
      return NULL;
    case TINY_OP_BARRIER: case TINY_OP_SHUFFLE: case TINY_OP_WMMA: case TINY_OP_BULK: case TINY_OP_BULKSTORE:
      return "it is for other devices";
    default: return NULL;
  }
}
static const char *tn_within_memory(tiny_ctx *t, const tn_wire_list *k, int64_t tasks, int64_t local_nbytes) {
  uint8_t *doubts = (uint8_t *)tn_scratch(t, (size_t)k->n);
  int64_t local = 0;
  if (k->n > TN_WITHIN_NODES) return "it is too long";
  for (int i = 0; i < k->n; i++) {
    tiny_uop *u = k->list[i];
    u->seq = (uint32_t)i;
    doubts[i] = (uint8_t)tn_within_doubts(u, doubts);
    const char *why = tn_within_node(u, doubts, tasks, &local);
    if (why) return why;
  }
  return local_nbytes && local > local_nbytes ? "it has less memory of its own than it takes" : NULL;
}
#endif
