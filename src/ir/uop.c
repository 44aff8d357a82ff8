// uop: the one node type, from a user's matmul to a loop counter. Nodes are immutable and
// hash-consed: two nodes with the same op, dtype, lanes, k, v, ptr and sources are the same
// pointer, so equality is ==. Made when a node is: its shape, integer bounds and structural hash.
// Operands of commutative ops are put in structural order here, constants last, so that neither
// the caller's order nor C's order of evaluation shows in any result.
//
// What k, v and the sources mean, where the op table does not say:
//   CONST k value | BUFFER k serial, v {nelem}, ptr storage | PARAM k slot, v {nelem} | ARG k slot
//   SCALAR k value; of both v {least, most}: bounds that hold for every value
//   IOTA k n: 0..n-1 | RANGE (extent) k id<<8|kind, in programs (end [start]) | SPECIAL (extent) k dim | 16 if local |
//   DEFINE k id, v {space, nelem}
//   LANE: 0..lanes-1 | RESHAPE EXPAND v shape | PERMUTE v axes | PAD v {before, after}.. |
//   SHRINK v {begin, end}.. | FLIP k axis bits | SLICE (x begin) k axis, v {count}: `count` from `begin` on
//   PREFIX (x n) k axis: x, of which only the first n along the axis are meant | WHOLE (x n) k axis, v {fill}: x, of
//   which what is not among the first n is fill. begin and n are of dtype INDEX, of SCALARs: tensor/length.c
//   CONTIGUOUS (x) stored; in memory of its own where ptr tells it from others, k 1: whose handles go on to know x
//   VIEW (buffer) k offset, v {shape.., strides..}: any strides over flat memory
//   DETACH (x) x without a gradient; (y x [a]) k slope: y, a function of x by its derivative (rules/gradient.c)
//   (y x w) v: y, known as the convolution of x by w; v: groups, strides.., dilations..
//   COPY (x) k number of the device whose memory x goes to, v {part} or none: for which part of a SHARD
//   SHARD (x0 x1 ..) parts on several devices, k 1 + the axis along which they lie beside each other, 0: each is the
//   whole; it is the root of a tensor's graph, and what is computed of it another one (rules/shard.c)
//   EXP2 (x) k 1: e^x, +2: x is not above 0, +8: few bits are looked at | SIN (x) k 1: cos x
//   REDUCE (x) k op | axis bits<<8 in tensors; (x ranges..) k op in kernels, or op | RUNNING
//   (x loop): of x in the iterations of the loop so far, which stays open | ASSIGN (base view value) -> base
//   STAGE (x ranges..) k space | INDEX (memory element [valid]) | LOAD (index [otherwise]) | STORE (index value)
//   STORE k TN_LATER: to LOCAL memory, at any time before a BARRIER that waits for it; k TN_ADDS: value is added to the
//   element, atomically: any number of items may do so to one at a time | BARRIER (done..) all items meet, k 1 + n:
//   each has done with STOREs that are later, but for those since the n-th BARRIER of this kind before
//   BULK (to from slot c0 c1 ..) k tn_bulk_k, v {extents.., strides.., box..}: to, an INDEX of LOCAL memory, gets a
//   box of the tensor that `from` is, from element (c0, c1 ..) on, zeros beyond its extents, as ir/listing.c has boxes;
//   strides in elements, that of dim 0 is 1. All items say the same; one of them begins it. It happens at any time
//   before a BARRIER k TN_BOXES (slot done..) of its slot, which waits for all copies that fill it
//   BULKSTORE (from to c0 c1 ..) v {extents.., strides.., box..}: the other way, of LOCAL memory that has a box, from
//   an INDEX of it on, to the tensor that `to` is; what lies beyond its extents is left out. All items say the same,
//   one of them does it. The box may be written again behind the next BARRIER; the tensor is there when the kernel ends
//   PREFETCH (index): it is wanted soon, and need not be in range | MASKED (x ranges..), a SINK's: what these ranges do
//   while x > 0 may be left out, k 0: REDUCEs add nothing or nobody reads the element, 1: elements stored are 0
//   AFTER (x deps..) -> x, once deps are done; tensors: k 1 a checkpoint, x computed from deps | END (body
//   ranges..) | BROADCAST (x) to lanes | STACK (x0 x1 ..) |
//   PICK (vector) k first lane, to lanes | HREDUCE (vector) k op | DOT (words words sum) k TINY_DOT_*
//   SHUFFLE (x) k: x of the item of the group whose number is this one's ^ k
//   LOAD k TN_TURNED: of 8 elements of 16 bits of LOCAL memory, a row of an 8x8 matrix, of four for a warp of 32: rows
//   of matrix q are those of lanes 8q ..; lane l gets of each matrix column l / 4, rows 2 (l % 4) and the next.
//   k TN_AS_ROWS: of 16 bytes, such a row: of each matrix word l % 4 of row l / 4. With steps in k of as many
//   matrices as lanes hold, side by side: all lanes give the address of the first, rows of a matrix follow each other
//   BITCAST (vector): to lanes of another width, as many bits in all
//   FMA (x y z): x * y + z, rounded once, of f32 and f64: for targets that have it, made last (codegen/fuse.c)
//   WMMA (a b sum) k a tn_wmma: sum (m,n) + a (m,k) @ b (k,n), vectors of all elements; a and b are bits, as they lie
//   in memory: tiny_matrix_unit tells in which order. Or k a row of tn_warp_units: all items of a warp do it together,
//   sources are what an item holds of each, a and b in words; b and sum also of several tiles of columns, b then a LOAD
//   of matrices by steps; a and sum of several tiles of rows, a then a STACK of such LOADs, for which rows and k change
//   places
#ifndef TN_IR_UOP
#define TN_IR_UOP
#ifndef TINY_AMALGAMATED
#include "alu.c"
#include "label.c"
#include "../machine/units.c"
#endif

static const struct { const char *name; int8_t nsrc; uint8_t flags; } tn_ops[TINY_OP_COUNT] = {
#define TN_OP_ROW(name, nsrc, flags) {#name, nsrc, flags},
  TINY_OPS(TN_OP_ROW)
#undef TN_OP_ROW
};
TINY_API const char *tiny_op_name(int op) { return (unsigned)op < TINY_OP_COUNT ? tn_ops[op].name : "?"; }
static int tn_op_is(int op, int flags) { return (tn_ops[op].flags & flags) != 0; }
static int tn_op_is_elementwise(int op) {
  return tn_op_is(op, TINY_ALU) || op == TINY_OP_CAST || op == TINY_OP_BITCAST;
}
static int tn_op_reduces(int64_t op) { return op >= 0 && op < TINY_OP_COUNT && tn_op_is((int)op, TINY_ASSOC); }

// Derivatives that a DETACH names: of y as a function of x.
enum { TN_SLOPE_TAN, TN_SLOPE_TANH, TN_SLOPE_SIGMOID, TN_SLOPE_EXPM1, TN_SLOPE_ASIN, TN_SLOPE_ACOS,
  TN_SLOPE_ATAN, TN_SLOPE_ASINH, TN_SLOPE_ACOSH, TN_SLOPE_ATANH, TN_SLOPE_LOG1P, TN_SLOPE_ERF,
  TN_SLOPE_ERFC, TN_SLOPE_NORMAL,
  TN_SLOPE_ERFINV, TN_SLOPE_LGAMMA, TN_SLOPE_CBRT, TN_SLOPE_ABS, TN_SLOPE_I0, TN_SLOPE_I1, TN_SLOPE_I0E,
  TN_SLOPE_I1E,
  TN_SLOPE_SAME,                           // 1: y has the value, x the derivatives
  TN_SLOPE_IGAMMA, TN_SLOPE_IGAMMAC,       // of y and a, the third source
  TN_SLOPE_POLYGAMMA,                      // | n << 8: the n-th
  TN_SLOPES };
// Kinds of ranges, outermost first. A kernel's loops nest in this order.
enum { TN_TASK, TN_GLOBAL, TN_LOCAL, TN_LOOP, TN_GROUP, TN_SHARE, TN_REDUCE, TN_UPCAST, TN_UNROLL, TN_VECTOR,
  TN_KINDS };
enum { TN_SEVERAL = 255 };                 // as tiny_uop.device: of a SHARD
enum { TN_CARRIED = 256 };                 // beside the op in k of a kernel's REDUCE

// What passes look for, a bit each in `within` of what is made of it: walks pass by what has none. 0: an op has no bit,
// and may be anywhere. Ranges share the bits from TN_WITHIN_RANGES on: those of one kernel follow each other.
enum { TN_WITHIN_RANGES = 20 };
static uint64_t tn_op_bit(int op) {
  switch (op) {
    case TINY_OP_RANGE: return 1;       case TINY_OP_REDUCE: return 1 << 1;    case TINY_OP_STAGE: return 1 << 2;
    case TINY_OP_INDEX: return 1 << 3;  case TINY_OP_LOAD: return 1 << 4;      case TINY_OP_STORE: return 1 << 5;
    case TINY_OP_AFTER: return 1 << 6;  case TINY_OP_BARRIER: return 1 << 7;   case TINY_OP_END: return 1 << 8;
    case TINY_OP_DEFINE: return 1 << 9; case TINY_OP_PARAM: return 1 << 10;    case TINY_OP_ARG: return 1 << 11;
    case TINY_OP_SCALAR: return 1 << 12; case TINY_OP_STACK: return 1 << 13;   case TINY_OP_EXP2: return 1 << 14;
    case TINY_OP_LT: return 1 << 15;    case TINY_OP_WHERE: return 1 << 16;    case TINY_OP_WMMA: return 1 << 17;
    case TINY_OP_MASKED: return 1 << 18; case TINY_OP_HREDUCE: return 1 << 19;
    default: return 0;
  }
}
static uint64_t tn_own_bits(int op, int64_t k) {
  if (op != TINY_OP_RANGE) return tn_op_bit(op);
  return tn_op_bit(op) | (uint64_t)1 << (TN_WITHIN_RANGES + (uint64_t)(k >> 8) % (64 - TN_WITHIN_RANGES));
}
// May u have all of these bits within, or x?
static int tn_may_hold_bits(const tiny_uop *u, uint64_t bits) { return (u->within & bits) == bits; }
static int tn_may_hold(const tiny_uop *u, const tiny_uop *x) { return tn_may_hold_bits(u, x->within); }

// A BITCAST of a vector to lanes of another width.
static int tn_regroups(const tiny_uop *u) {
  if (u->op != TINY_OP_BITCAST || !u->dtype || !u->src[0]->dtype) return 0;
  const int bits = tn_bits(u->dtype), from = tn_bits(u->src[0]->dtype);
  return bits != from && u->src[0]->lanes > 1 && u->lanes * bits == u->src[0]->lanes * from;
}

static int tn_is_carried(const tiny_uop *u) { return u->op == TINY_OP_REDUCE && (u->k & TN_CARRIED); }

// Flags of nodes of the tensor graph. ONCE: its value came from memory that others write, so that the same operator
// asked for again is another node; or it is memory, and the base of an assignment. CAPTURED: an assignment that a
// program makes. BOUND: a BUFFER by which a program names memory whatever it holds.
enum {                                     // the bits below are those of rule sets, see match.c
  TN_NODE_SETS = 5,
  TN_NODE_ONCE = 1 << TN_NODE_SETS, TN_NODE_CAPTURED = 2 << TN_NODE_SETS, TN_NODE_BOUND = 4 << TN_NODE_SETS,
  TN_NODE_APART = TN_NODE_ONCE | TN_NODE_CAPTURED          // not found again
};
// asked: the number of the frame in which a node was asked for again when it had a value; this: outside of frames; 0:
// it was not.
static const uint32_t TN_ASKED_OUTSIDE = UINT32_MAX;
enum { TN_NODE_CLASS = 32, TN_NODE_CLASSES = 24, TN_APART_SLOTS = 1024 };
typedef struct tn_node_chunk { struct tn_node_chunk *older; size_t nbytes; } tn_node_chunk;
// slot: a hash, by which nodes are told apart without a look at them; iteration: holds a node if it is the table's
typedef struct tn_node_slot { tiny_uop *u; uint32_t slot, generation; } tn_node_slot;
typedef struct tn_nodes {                  // nodes that are known by their contents, and their memory
  tn_node_slot *table; uint32_t cap, n, generation;   // open addressing, at most half full; the next one empties it
  uint32_t room;                           // slots that there is memory for
  // Nodes of 32, 64, 96 .. bytes to take again, linked through their first word.
  void *unused[TN_NODE_CLASSES];
  tn_node_chunk *chunks, *spare; char *at; size_t left;   // spare: chunks to take again
} tn_nodes;
struct tn_ir {
  // apart: in nodes are those of one kernel that is lowered, and the context's are the others (tn_nodes_enter)
  tn_nodes nodes, others; int apart;
  uint32_t epoch;
  int64_t buffers;                         // serial of the last BUFFER: none has ever the serial of another
  int64_t serial, serial_apart;            // of range ids and DEFINEs; that of the other table
  uint32_t frame;                          // number of the innermost open frame; 0: none
  uint32_t collect_at;                     // number of nodes at which tn_collect does its work
  tiny_uop bad;                            // what a failed construction gives; operators turn it into poison
  void (*release)(tiny_ctx *t, tiny_uop *buffer);    // called when a BUFFER node dies
  const char *(*device_name)(const tiny_ctx *t, int device);     // of tiny_uop.device
  tiny_uop *(*over_shards)(tiny_ctx *t, const tiny_uop *u);      // what u would be, which has SHARDs among its sources;
                                           // NULL: there are none
  // SHARDs that an operator had to gather, the first of them, and for what: told when the operator is done.
  int gathered; const char *gathered_by; const tiny_uop *gathered_node;
  // Runs the kernel of a CUSTOM node in the reference interpreter: mem[0] is the output, the others its sources.
  tiny_code (*interpret)(tiny_ctx *t, const tiny_uop *custom, const tiny_mem *mem);
};

static int tn_nodes_open(tiny_ctx *t, tn_nodes *nodes) {
  nodes->table = (tn_node_slot *)tn_alloc(t, TN_FIRST_SLOTS * sizeof *nodes->table);
  nodes->cap = nodes->room = nodes->table ? TN_FIRST_SLOTS : 0;
  nodes->generation = 1;
  return nodes->table != NULL;
}

static int tn_ir_open(tiny_ctx *t) {
  t->ir = (struct tn_ir *)tn_alloc(t, sizeof *t->ir);
  if (!t->ir) return 0;
  static const int64_t none[TINY_MAX_DIMS] = {0};
  t->ir->bad.lanes = 1;
  t->ir->bad.dim = none;                   // formulas may look at the dims of what could not be made
  t->ir->collect_at = 1 << 14;
  return tn_nodes_open(t, &t->ir->nodes);
}

// Where a node's own list of extents is: behind its sources, numbers and dims.
static tiny_uop **tn_uop_extents_at(const tiny_uop *u, int own_dims) {
  return (tiny_uop **)(void *)((int64_t *)(void *)(u->src + u->nsrc) + u->nv + own_dims);
}
static size_t tn_uop_nbytes(const tiny_uop *u) {
  const size_t own_dims = u->dim && u->dim == (const int64_t *)(u->src + u->nsrc) + u->nv ? u->ndim : 0;
  const size_t own_extents = u->extent && u->extent == tn_uop_extents_at(u, (int)own_dims) ? u->ndim : 0;
  return sizeof(tiny_uop) + (u->nsrc + own_extents) * sizeof(tiny_uop *) + (u->nv + own_dims) * sizeof(int64_t);
}

static size_t tn_uop_aligned(size_t nbytes) {
  return (nbytes + TN_NODE_CLASS - 1) & ~(size_t)(TN_NODE_CLASS - 1);
}

static TN_COLD tn_node_chunk *tn_node_chunk_new(tiny_ctx *t, tn_nodes *nodes, size_t nbytes) {
  tn_node_chunk *chunk = nodes->spare;
  if (chunk && nbytes <= chunk->nbytes) nodes->spare = chunk->older;
  else {
    if (nbytes < TN_FIRST_NBYTES) nbytes = TN_FIRST_NBYTES;
    chunk = (tn_node_chunk *)tn_realloc(t, NULL, 0, nbytes);
    if (!chunk) return NULL;
    chunk->nbytes = nbytes;
  }
  chunk->older = nodes->chunks;
  return nodes->chunks = chunk;
}

static void *tn_uop_alloc(tiny_ctx *t, size_t nbytes) {
  tn_nodes *nodes = &t->ir->nodes;
  const size_t rounded = tn_uop_aligned(nbytes), c = rounded / TN_NODE_CLASS;
  if (c >= TN_NODE_CLASSES && !t->ir->apart) return tn_realloc(t, NULL, 0, rounded);
  if (c < TN_NODE_CLASSES && nodes->unused[c]) {
    void *p = nodes->unused[c];
    memcpy(&nodes->unused[c], p, sizeof(void *));
    return p;
  }
  if (nodes->left < rounded) {
    tn_node_chunk *chunk = tn_node_chunk_new(t, nodes, rounded + TN_NODE_CLASS);
    if (!chunk) return NULL;
    nodes->at = (char *)chunk + TN_NODE_CLASS; nodes->left = chunk->nbytes - TN_NODE_CLASS;
  }
  void *p = nodes->at;
  nodes->at += rounded; nodes->left -= rounded;
  return p;
}
static void tn_uop_free(tiny_ctx *t, tiny_uop *u) {
  const size_t rounded = tn_uop_aligned(tn_uop_nbytes(u)), c = rounded / TN_NODE_CLASS;
  if (u->op == TINY_OP_BUFFER && t->ir->release) t->ir->release(t, u);
  if (c >= TN_NODE_CLASSES) { tn_release(t, u, rounded); return; }
  memcpy(u, &t->ir->nodes.unused[c], sizeof(void *));
  t->ir->nodes.unused[c] = u;
}

// ** facts that are inferred when a node is made **

static int tn_is_const(const tiny_uop *u) { return u->op == TINY_OP_CONST; }
static int tn_is_k(const tiny_uop *u, int64_t k) { return u->op == TINY_OP_CONST && u->k == k; }
static int tn_range_kind(const tiny_uop *r) { return (int)(r->k & 0xFF); }
static int64_t tn_range_extent(const tiny_uop *r) { return r->src[0]->k; }

static int64_t tn_clamp_mul(int64_t a, int64_t b) {        // saturating product
  if (a == 0 || b == 0) return 0;
  const uint64_t x = a < 0 ? 0 - (uint64_t)a : (uint64_t)a, y = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
  if ((x | y) >> 31 == 0 || x <= 4000000000000000000u / y) return a * b;
  return (a < 0) == (b < 0) ? INT64_MAX : INT64_MIN;
}
static int64_t tn_clamp_add(int64_t a, int64_t b) {
  if (a > 0 && b > INT64_MAX - a) return INT64_MAX;
  if (a < 0 && b < INT64_MIN - a) return INT64_MIN;
  return a + b;
}

// Shape of a tensor node into dim (room for TINY_MAX_DIMS); *shared is set instead when another node's list serves.
static int tn_uop_shape(const tiny_uop *u, const int64_t *v, int64_t *dim, const int64_t **shared) {
  const tiny_uop *x = u->nsrc ? u->src[0] : NULL;
  if (TN_RUNS_ONLY) { dim[0] = u->op == TINY_OP_PARAM ? v[0] : 0; return u->op == TINY_OP_PARAM; }
  switch (u->op) {
    case TINY_OP_IOTA: dim[0] = u->k; return 1;
    case TINY_OP_BUFFER: case TINY_OP_PARAM: dim[0] = v[0]; return 1;
    case TINY_OP_CUSTOM: case TINY_OP_RESHAPE: case TINY_OP_EXPAND: *shared = v; return u->nv;
    case TINY_OP_VIEW: for (int i = 0; i < u->nv / 2; i++) dim[i] = v[i]; return u->nv / 2;
    case TINY_OP_SHARD:
      for (int i = 0; i < x->ndim; i++) dim[i] = x->dim[i];
      for (uint32_t i = 1; i < u->nsrc && u->k; i++) {
        int64_t *along = &dim[u->k - 1];
        *along = tn_clamp_add(*along, u->src[i]->dim[u->k - 1]);
      }
      return x->ndim;
    case TINY_OP_PERMUTE: for (int i = 0; i < x->ndim; i++) dim[i] = x->dim[v[i]]; return x->ndim;
    case TINY_OP_PAD:
      for (int i = 0; i < x->ndim; i++) dim[i] = tn_clamp_add(x->dim[i], tn_clamp_add(v[2 * i], v[2 * i + 1]));
      return x->ndim;
    case TINY_OP_SHRINK: for (int i = 0; i < x->ndim; i++) dim[i] = v[2 * i + 1] - v[2 * i]; return x->ndim;
    case TINY_OP_SLICE: for (int i = 0; i < x->ndim; i++) dim[i] = i == u->k ? v[0] : x->dim[i]; return x->ndim;
    case TINY_OP_REDUCE:
      for (int i = 0; i < x->ndim; i++) dim[i] = u->k >> (8 + i) & 1 ? 1 : x->dim[i];
      return x->ndim;
    case TINY_OP_AFTER: case TINY_OP_ASSIGN: *shared = x->dim; return x->ndim;
    default:                               // elementwise: 0-d sources broadcast
      for (uint32_t i = 0; i < u->nsrc; i++)
        if (u->src[i]->ndim) {
          *shared = u->src[i]->dim;
          return u->src[i]->ndim;
        }
      return 0;
  }
}

// A node whose list of dims is not that of a source has at most TINY_MAX_DIMS of them and holds fewer than 2^60
// elements, so that no product of dims is ever beyond an int64. 0: it would not. An empty one counts as if its dims of
// 0 were 1.
static TN_COLD int tn_uop_holds(tiny_ctx *t, const tiny_uop *u, int n, const int64_t *dim) {
  char to[160], from[160];
  int64_t nelem = 1;
  int negative = 0;
  for (int i = 0; i < n; i++) {
    nelem = tn_clamp_mul(nelem, dim[i] ? dim[i] : 1);
    negative |= dim[i] < 0;
  }
  if (nelem < (int64_t)1 << 60 && !negative && n <= TINY_MAX_DIMS) return 1;
  const tiny_uop *x = u->nsrc ? u->src[0] : NULL;
  tiny_fail(t, TINY_E_SHAPE, "%s%s%s: too many %s in %s", tn_ops[u->op].name, x ? " of " : "",
            x ? tn_dims_text(from, sizeof from, x->ndim, x->dim) : "", n > TINY_MAX_DIMS ? "dims" : "elements",
            tn_dims_text(to, sizeof to, n, dim));
  return 0;
}
// Of tiny_uop.device, for messages.
static const char *tn_place_name(const tiny_ctx *t, int device) {
  return t->ir->device_name ? t->ir->device_name(t, device) : "?";
}
// The device on which u is computed is that of its sources, where they have one: constants and positions are made
// anywhere. 0: they live on two, an error.
static int tn_uop_place(tiny_ctx *t, tiny_uop *u) {
  if (u->op == TINY_OP_COPY) { u->device = (uint8_t)(u->k + 1); return 1; }
  if (u->op == TINY_OP_SHARD) {
    if (!t->ir->over_shards)
      tiny_fail(t, TINY_E_STATE, "SHARD: tiny_shard or tiny_replicate makes the first one of a context");
    u->device = TN_SEVERAL;
    return t->ir->over_shards != NULL;
  }
  for (uint32_t i = 0; i < (u->op == TINY_OP_AFTER ? 1 : u->nsrc); i++) {
    const int d = u->src[i]->device;
    if (d && u->device && d != u->device) {
      tiny_fail(t, TINY_E_DEVICE, "%s: one operand lives on %s, another on %s; tiny_to copies it", tn_ops[u->op].name,
                tn_place_name(t, u->device), tn_place_name(t, d));
      return 0;
    }
    if (d) u->device = (uint8_t)d;
  }
  return 1;
}
static int64_t tn_floor_div(int64_t a, int64_t b) { return tn_alu_int(TINY_OP_IDIV, TINY_I64, a, b); }

static void tn_bounds_div(tiny_uop *u, const tiny_uop *a, const tiny_uop *b) {
  if (b->vmin <= 0 || a->vmin <= -((int64_t)1 << 62) || a->vmax >= (int64_t)1 << 62) return;
  const int floors = u->op == TINY_OP_IDIV;
  if (!floors && a->vmin < 0) {            // truncation: toward zero
    u->vmin = a->vmin / b->vmin; u->vmax = a->vmax < 0 ? a->vmax / b->vmax : a->vmax / b->vmin;
    return;
  }
  u->vmin = tn_floor_div(a->vmin, a->vmin < 0 ? b->vmin : b->vmax);
  u->vmax = tn_floor_div(a->vmax, a->vmax < 0 ? b->vmax : b->vmin);
}

static void tn_bounds_mod(tiny_uop *u, const tiny_uop *a, const tiny_uop *b) {
  if (b->vmin <= 0) return;
  u->vmax = b->vmax - 1;
  u->vmin = u->op == TINY_OP_MOD || a->vmin >= 0 ? 0 : -(b->vmax - 1);
  if (a->vmin >= 0 && a->vmax < u->vmax) u->vmax = a->vmax;
  if (b->vmin == b->vmax && a->vmin > INT64_MIN / 2 &&
      tn_floor_div(a->vmin, b->vmin) == tn_floor_div(a->vmax, b->vmin) &&
      (a->vmin >= 0 || u->op == TINY_OP_MOD)) { // the same quotient throughout
    u->vmin = a->vmin - tn_floor_div(a->vmin, b->vmin) * b->vmin;
    u->vmax = a->vmax - tn_floor_div(a->vmin, b->vmin) * b->vmin;
  }
}

static void tn_bounds_compare(tiny_uop *u, const tiny_uop *a, const tiny_uop *b) {
  if (a->dtype == TINY_U64 || tn_is_float(a->dtype)) return;
  const int apart = a->vmax < b->vmin || b->vmax < a->vmin;
  const int same = a == b || (a->vmin == a->vmax && b->vmin == b->vmax && a->vmin == b->vmin);
  if (u->op == TINY_OP_LT) {
    if (a->vmax < b->vmin) u->vmin = 1;
    if (a->vmin >= b->vmax || a == b) u->vmax = 0;
  }
  if (u->op == TINY_OP_NE) { if (apart) u->vmin = 1; if (same) u->vmax = 0; }
  if (u->op == TINY_OP_EQ) { if (apart) u->vmax = 0; if (same) u->vmin = 1; }
}

// Who interprets alone looks at every access, and at no bounds.
#if defined(TINY_RUNTIME_ONLY) && !defined(TN_ISA)
enum { TN_HAS_BOUNDS = 0 };
#else
enum { TN_HAS_BOUNDS = 1 };
#endif
// Bounds of integer and bool nodes; a result that may wrap keeps the dtype's own bounds.
static void tn_uop_bounds(tiny_uop *u) {
  const int64_t low = tn_dtype_min(u->dtype), high = tn_dtype_max(u->dtype);
  u->vmin = low; u->vmax = high;
  if (tn_is_float(u->dtype) || u->dtype == TINY_U64 || u->dtype == TINY_VOID) {
    if (u->op == TINY_OP_CONST && u->dtype == TINY_U64 && u->k >= 0) u->vmin = u->vmax = u->k;
    return;
  }
  const tiny_uop *a = u->nsrc ? u->src[0] : NULL, *b = u->nsrc > 1 ? u->src[1] : NULL;
  switch (u->op) {
    case TINY_OP_CONST: u->vmin = u->vmax = u->k; break;
    case TINY_OP_IOTA: u->vmin = 0; u->vmax = u->k > 0 ? u->k - 1 : 0; break;
    case TINY_OP_SHUFFLE: u->vmin = u->src[0]->vmin; u->vmax = u->src[0]->vmax; break;
    case TINY_OP_LANE: u->vmin = 0; u->vmax = u->lanes - 1; break;
    case TINY_OP_RANGE: case TINY_OP_SPECIAL:
      u->vmax = a->vmax > 0 ? a->vmax - 1 : 0;
      u->vmin = b && b->vmin > 0 && b->vmin <= u->vmax ? b->vmin : 0;
      // A loop that may have no iteration is no constant of its only one: what happens in it would leave it.
      if (u->vmin == u->vmax && (!tn_is_const(a) || (b && !tn_is_const(b)))) u->vmax++;
      break;
    case TINY_OP_ARG: case TINY_OP_SCALAR: if (u->nv == 2) { u->vmin = u->v[0]; u->vmax = u->v[1]; } break;
    case TINY_OP_RESHAPE: case TINY_OP_PERMUTE: case TINY_OP_EXPAND: case TINY_OP_SHRINK: case TINY_OP_FLIP:
    case TINY_OP_VIEW: case TINY_OP_CONTIGUOUS: case TINY_OP_DETACH: case TINY_OP_COPY: case TINY_OP_BROADCAST:
    case TINY_OP_PICK: case TINY_OP_AFTER: case TINY_OP_SLICE: case TINY_OP_PREFIX:
      u->vmin = a->vmin;
      u->vmax = a->vmax;
      break;
    case TINY_OP_WHOLE:
      u->vmin = a->vmin < u->v[0] ? a->vmin : u->v[0];
      u->vmax = a->vmax > u->v[0] ? a->vmax : u->v[0];
      break;
    case TINY_OP_PAD: u->vmin = a->vmin < 0 ? a->vmin : 0; u->vmax = a->vmax > 0 ? a->vmax : 0; break;
    case TINY_OP_STACK:
      u->vmin = a->vmin; u->vmax = a->vmax;
      for (uint32_t i = 1; i < u->nsrc; i++) {
        if (u->src[i]->vmin < u->vmin) u->vmin = u->src[i]->vmin;
        if (u->src[i]->vmax > u->vmax) u->vmax = u->src[i]->vmax;
      }
      break;
    case TINY_OP_NEG: if (a->vmin > INT64_MIN) { u->vmin = -a->vmax; u->vmax = -a->vmin; } break;
    case TINY_OP_ADD:
      if (u->dtype == TINY_BOOL) { u->vmin = a->vmin | b->vmin; u->vmax = a->vmax | b->vmax; break; }
      u->vmin = tn_clamp_add(a->vmin, b->vmin); u->vmax = tn_clamp_add(a->vmax, b->vmax); break;
    case TINY_OP_SUB:
      if (b->vmin > INT64_MIN) {
        u->vmin = tn_clamp_add(a->vmin, -b->vmax);
        u->vmax = tn_clamp_add(a->vmax, -b->vmin);
      }
      break;
    case TINY_OP_MUL: {
      const int64_t p[4] = {tn_clamp_mul(a->vmin, b->vmin), tn_clamp_mul(a->vmin, b->vmax),
                            tn_clamp_mul(a->vmax, b->vmin), tn_clamp_mul(a->vmax, b->vmax)};
      u->vmin = u->vmax = p[0];
      for (int i = 1; i < 4; i++) { if (p[i] < u->vmin) u->vmin = p[i]; if (p[i] > u->vmax) u->vmax = p[i]; }
      break;
    }
    case TINY_OP_IDIV: case TINY_OP_CDIV: tn_bounds_div(u, a, b); break;
    case TINY_OP_MOD: case TINY_OP_CMOD: tn_bounds_mod(u, a, b); break;
    case TINY_OP_MAX:
      u->vmin = a->vmin > b->vmin ? a->vmin : b->vmin;
      u->vmax = a->vmax > b->vmax ? a->vmax : b->vmax;
      break;
    case TINY_OP_LT: case TINY_OP_NE: case TINY_OP_EQ: tn_bounds_compare(u, a, b); break;
    case TINY_OP_AND:
      if (u->dtype == TINY_BOOL) {
        u->vmin = a->vmin & b->vmin;
        u->vmax = a->vmax & b->vmax;
      } else if (tn_is_const(b) && b->k >= 0) {
        u->vmin = 0;
        u->vmax = a->vmin >= 0 && a->vmax < b->k ? a->vmax : b->k;
      }
      break;
    case TINY_OP_OR:
      if (u->dtype == TINY_BOOL) {
        u->vmin = a->vmin | b->vmin;
        u->vmax = a->vmax | b->vmax;
      }
      break;
    case TINY_OP_XOR:                      // of numbers that are not below 0: no more bits than either has
      if (u->dtype != TINY_BOOL && a->vmin >= 0 && b->vmin >= 0) {
        u->vmin = 0;
        for (u->vmax = 0; u->vmax < a->vmax || u->vmax < b->vmax; ) u->vmax = u->vmax << 1 | 1;
      }
      break;
    case TINY_OP_SHR:
      if (tn_is_const(b) && b->k >= 0 && b->k < 63) {
        u->vmin = tn_floor_div(a->vmin, (int64_t)1 << b->k);
        u->vmax = tn_floor_div(a->vmax, (int64_t)1 << b->k);
      }
      break;
    case TINY_OP_SHL:
      if (tn_is_const(b) && b->k >= 0 && b->k < 62) {
        u->vmin = tn_clamp_mul(a->vmin, (int64_t)1 << b->k);
        u->vmax = tn_clamp_mul(a->vmax, (int64_t)1 << b->k);
      }
      break;
    case TINY_OP_WHERE:
      u->vmin = b->vmin < u->src[2]->vmin ? b->vmin : u->src[2]->vmin;
      u->vmax = b->vmax > u->src[2]->vmax ? b->vmax : u->src[2]->vmax;
      break;
    case TINY_OP_CAST:
      if (!tn_is_float(a->dtype) && a->dtype != TINY_U64) {
        u->vmin = a->vmin;
        u->vmax = a->vmax;
      }
      break;
    default: break;
  }
  const int saturated = u->dtype == TINY_I64 && (u->vmin == low || u->vmax == high);     // a sum beyond i64 wraps
  if (u->dtype != TINY_INDEX && (saturated || u->vmin < low || u->vmax > high)) {
    u->vmin = low;
    u->vmax = high;
  }
}

static tiny_uop *tn_position_extent(tiny_ctx *t, const tiny_uop *u, int axis, tiny_uop *n);
static int tn_extents_reshape(tiny_ctx *t, const tiny_uop *u, tiny_uop **extent);
static TN_COLD int tn_extent_wrong(tiny_ctx *t, const tiny_uop *u, const tiny_uop *x, int axis, const char *why) {
  char text[160];
  tiny_fail(t, TINY_E_SHAPE, "%s: dim %d of %s has a length that is known when a kernel is launched; %s",
            tn_ops[u->op].name, axis, tn_dims_text(text, sizeof text, x->ndim, x->dim), why);
  return 0;
}
// Extents that sources of one shape have together: what one has, the others follow.
static int tn_extents_meet(tiny_ctx *t, const tiny_uop *u, uint32_t n, tiny_uop **extent) {
  for (uint32_t i = 0; i < n; i++) {
    const tiny_uop *x = u->src[i];
    for (int d = 0; x->extent && d < x->ndim; d++) {
      if (extent[d] && x->extent[d] && extent[d] != x->extent[d])
        return tn_extent_wrong(t, u, x, d, "that of another operand is another one");
      if (x->extent[d]) extent[d] = x->extent[d];
    }
  }
  return 1;
}
// The extents of a tensor node whose sources have some, or that gives one. 0: it cannot have them, an error.
static TN_COLD int tn_uop_extents(tiny_ctx *t, const tiny_uop *u, int ndim, tiny_uop **extent) {
  const tiny_uop *x = u->src[0];
  memset(extent, 0, TINY_MAX_DIMS * sizeof *extent);
  if (u->op == TINY_OP_RESHAPE) return tn_extents_reshape(t, u, extent);
  if (tn_op_is_elementwise(u->op)) return tn_extents_meet(t, u, u->nsrc, extent);
  for (int i = 0; i < x->ndim && i < TINY_MAX_DIMS; i++) {
    tiny_uop *n = x->extent ? x->extent[i] : NULL;
    switch (u->op) {
      case TINY_OP_CONTIGUOUS: case TINY_OP_DETACH: case TINY_OP_AFTER: case TINY_OP_COPY: case TINY_OP_ASSIGN:
        extent[i] = n;
        break;
      case TINY_OP_EXPAND: extent[i] = u->v[i] == x->dim[i] ? n : NULL; break;
      case TINY_OP_PERMUTE: extent[i] = x->extent ? x->extent[u->v[i]] : NULL; break;
      case TINY_OP_PREFIX: extent[i] = i == u->k ? u->src[1] : n; break;
      case TINY_OP_WHOLE: case TINY_OP_SLICE: extent[i] = i == u->k ? NULL : n; break;
      case TINY_OP_SHRINK:
        extent[i] = n ? tn_position_extent(t, u, i, n) : NULL;
        if (extent[i] && u->v[2 * i + 1] - u->v[2 * i] == 1)
          return tn_extent_wrong(t, u, x, i, "of one element there is no length");
        break;
      case TINY_OP_PAD:
        if (n && u->v[2 * i + 1]) return tn_extent_wrong(t, u, x, i, "zeros do not go behind it");
        extent[i] = n ? tn_position_extent(t, u, i, n) : NULL;
        break;
      case TINY_OP_FLIP:
        if (n && (u->k >> i & 1)) return tn_extent_wrong(t, u, x, i, "it has no last element here");
        extent[i] = n;
        break;
      case TINY_OP_SHARD:                  // of all parts
        if (n && i == u->k - 1) return tn_extent_wrong(t, u, x, i, "it is not cut over devices");
        extent[i] = n;
        break;
      case TINY_OP_REDUCE:
        if (n && (u->k >> (8 + i) & 1)) return tn_extent_wrong(t, u, x, i, "what is summed has to be whole");
        extent[i] = n;
        break;
      default: if (n) return tn_extent_wrong(t, u, x, i, "it takes dims of one length"); break;
    }
  }
  for (int i = 0; i < ndim && i < TINY_MAX_DIMS; i++) if (extent[i] == &t->ir->bad) return 0;
  return 1;
}
static int tn_extents_are(int n, tiny_uop *const *extent) {
  for (int i = 0; i < n; i++) if (extent[i]) return 1;
  return 0;
}
// Does a node have extents to find?
static int tn_uop_may_extend(const tiny_uop *u) {
  if (u->op == TINY_OP_PREFIX) return 1;
  if (tn_op_is(u->op, TINY_VOIDOP)) return 0;
  const uint32_t n = u->op == TINY_OP_AFTER || u->op == TINY_OP_ASSIGN || u->op == TINY_OP_DETACH ? 1 : u->nsrc;
  for (uint32_t i = 0; i < n; i++) if (u->src[i]->extent) return 1;
  return 0;
}

static uint64_t tn_uop_hash(const tiny_uop *u) {
  uint64_t h = tn_hash_mix((uint64_t)u->op << 32 | (uint64_t)u->dtype << 16 | u->lanes, u->nsrc);
  if (u->op != TINY_OP_BUFFER && u->op != TINY_OP_SCALAR) h = tn_hash_mix(h, (uint64_t)u->k);
  for (int i = 0; i < u->nv; i++) h = tn_hash_mix(h, (uint64_t)u->v[i]);
  for (uint32_t i = 0; i < u->nsrc; i++) h = tn_hash_mix(h, u->src[i]->hash);
  return h;
}

// Where a node stands in the table. Unlike the hash it tells nodes over different buffers apart: a training loop
// makes many of them, and they would share one place. It is asked for far more often than nodes are made, so it takes
// one multiplication for each word; the high bits depend on all of them.
static uint64_t tn_slot_mix(uint64_t h, uint64_t v) { return ((h << 23 | h >> 41) ^ v) * 0x9E3779B97F4A7C15ull; }
static uint32_t tn_uop_slot(int op, int dtype, int lanes, int nsrc, tiny_uop *const *src, int64_t k, int nv,
                            const int64_t *v, const void *ptr) {
  uint64_t h = tn_slot_mix((uint64_t)op << 32 | (uint64_t)dtype << 16 | (uint64_t)lanes, (uint64_t)k);
  // Scalars of one value differ in nothing else. Text names a BUFFER and a CUSTOM without it.
  if (ptr && op != TINY_OP_BUFFER && op != TINY_OP_CUSTOM) h = tn_slot_mix(h, (uint64_t)(uintptr_t)ptr);
  for (int i = 0; i < nv; i++) h = tn_slot_mix(h, (uint64_t)v[i]);
  for (int i = 0; i < nsrc; i++) h = tn_slot_mix(h, (uint64_t)(uintptr_t)src[i]);
  return (uint32_t)((h ^ h >> 29) >> 16);
}

static int tn_is_constants(const tiny_uop *u) {
  return tn_is_const(u) || (u->op == TINY_OP_BROADCAST && tn_is_const(u->src[0]));
}
// Structural order of the operands of commutative ops: constants last, as elements and as vectors, since MAX has the
// first of two zeros; plain ranges and lanes late, then by op and hash.
static int tn_uop_order(const tiny_uop *a, const tiny_uop *b) {
  const int ka = tn_is_constants(a), kb = tn_is_constants(b);
  if (ka != kb) return ka - kb;
  if (a->op != b->op) return a->op > b->op ? -1 : 1;
  if (a->op == TINY_OP_RANGE && a->k != b->k) return a->k < b->k ? -1 : 1;
  return a->hash < b->hash ? -1 : a->hash > b->hash;
}

// ** construction **

static int tn_nodes_has(const tn_nodes *nodes, uint32_t i) { return nodes->table[i].generation == nodes->generation; }

// Empties the table.
static void tn_nodes_clear(tn_nodes *nodes) {
  if (++nodes->generation) return;
  memset(nodes->table, 0, nodes->room * sizeof *nodes->table);
  nodes->generation = 1;
}

static void tn_nodes_put(tn_nodes *nodes, tiny_uop *u, uint32_t slot) {
  uint32_t i = slot & (nodes->cap - 1);
  while (tn_nodes_has(nodes, i)) i = (i + 1) & (nodes->cap - 1);
  nodes->table[i].u = u; nodes->table[i].slot = slot; nodes->table[i].generation = nodes->generation;
}

static TN_COLD int tn_nodes_grow(tiny_ctx *t, tn_nodes *nodes) {
  const tn_nodes old = *nodes;
  if (nodes->cap < nodes->room) {          // the same memory, more of it
    tn_node_slot *held = (tn_node_slot *)tn_scratch_bare(t, old.n * sizeof *held);
    uint32_t n = 0;
    for (uint32_t i = 0; i < old.cap; i++) if (tn_nodes_has(&old, i)) held[n++] = old.table[i];
    nodes->cap = nodes->cap < nodes->room / 4 ? 4 * nodes->cap : nodes->room;
    tn_nodes_clear(nodes);
    for (uint32_t i = 0; i < n; i++) tn_nodes_put(nodes, held[i].u, held[i].slot);
    return 1;
  }
  tn_node_slot *table = (tn_node_slot *)tn_alloc(t, (size_t)old.cap * 2 * sizeof *table);
  if (!table) return 0;
  nodes->table = table; nodes->cap = nodes->room = old.cap * 2;
  for (uint32_t i = 0; i < old.cap; i++)
    if (tn_nodes_has(&old, i)) tn_nodes_put(nodes, old.table[i].u, old.table[i].slot);
  tn_release(t, old.table, old.room * sizeof *old.table);
  return 1;
}

static tiny_uop *tn_uop_make_with(tiny_ctx *t, int op, int dtype, int lanes, int nsrc, tiny_uop *const *src,
                                  int64_t k, int nv, const int64_t *v, void *ptr) {
  struct tn_ir *ir = t->ir;
  tiny_uop *swapped[2];
  for (int i = 0; i < nsrc; i++) if (!src[i] || src[i] == &ir->bad) return &ir->bad;
  if (nsrc == 2 && tn_op_is(op, TINY_COMM) && tn_uop_order(src[0], src[1]) > 0) {
    swapped[0] = src[1]; swapped[1] = src[0];
    src = swapped;
  }
  const uint32_t slot = tn_uop_slot(op, dtype, lanes, nsrc, src, k, nv, v, ptr);
  const tn_node_slot *table = ir->nodes.table;
  for (uint32_t i = slot & (ir->nodes.cap - 1); tn_nodes_has(&ir->nodes, i); i = (i + 1) & (ir->nodes.cap - 1)) {
    tiny_uop *u = table[i].u;
    if (table[i].slot == slot && u->op == op && u->dtype == dtype && u->lanes == lanes && u->nsrc == (uint32_t)nsrc &&
        u->nv == nv && u->k == k && u->ptr == ptr && !(u->flags & TN_NODE_APART) && !(u->realized && t->plans) &&
        (!nsrc || !memcmp(u->src, src, (size_t)nsrc * sizeof *src)) &&
        (!nv || !memcmp(u->v, v, (size_t)nv * sizeof *v))) {
      if (u->realized) u->asked = ir->frame ? ir->frame : TN_ASKED_OUTSIDE;
      return u;
    }
  }
  if ((ir->nodes.n + 1) * 2 > ir->nodes.cap && !tn_nodes_grow(t, &ir->nodes)) return &ir->bad;
  uint64_t within = tn_own_bits(op, k);
  int over_shards = 0, placed = op == TINY_OP_COPY || op == TINY_OP_SHARD, lengthened = op == TINY_OP_PREFIX;
  for (int i = 0; i < nsrc; i++) {
    over_shards |= src[i]->op == TINY_OP_SHARD;
    placed |= src[i]->device;
    lengthened |= src[i]->extent != NULL;
    within |= src[i]->within;
  }
  tiny_uop key;
  memset(&key, 0, sizeof key);
  key.op = (uint8_t)op;
  key.dtype = (uint8_t)dtype;
  key.lanes = (uint16_t)lanes;
  key.nv = (uint8_t)nv;
  key.nsrc = (uint32_t)nsrc;
  key.within = within;
  key.k = k; key.v = v; key.src = (tiny_uop **)(uintptr_t)src; key.ptr = ptr;
  if (!TN_RUNS_ONLY && over_shards && op != TINY_OP_SHARD) return ir->over_shards(t, &key);
  if (!TN_RUNS_ONLY && placed && !tn_uop_place(t, &key)) return &ir->bad;
  int64_t dim[TINY_MAX_DIMS];
  const int64_t *shared = NULL;
  key.hash = tn_uop_hash(&key);
  const int ndim = tn_uop_shape(&key, v, dim, &shared), own = shared ? 0 : ndim;
  if (!TN_RUNS_ONLY && (own || shared == v) && !tn_uop_holds(t, &key, ndim, own ? dim : v)) return &ir->bad;
  tiny_uop *extent[TINY_MAX_DIMS];
  const int extends = !TN_RUNS_ONLY && lengthened && tn_uop_may_extend(&key);
  if (extends && !tn_uop_extents(t, &key, ndim, extent)) return &ir->bad;
  const int lengths = extends && tn_extents_are(ndim, extent) ? ndim : 0;
  tiny_uop *u = (tiny_uop *)tn_uop_alloc(t, sizeof *u + (size_t)(nsrc + lengths) * sizeof *src +
                                         (size_t)(nv + own) * sizeof *v);
  if (!u) return &ir->bad;
  *u = key;
  u->src = (tiny_uop **)(void *)(u + 1);
  int64_t *list = (int64_t *)(void *)(u->src + nsrc);
  for (int i = 0; i < nsrc; i++) u->src[i] = src[i];
  for (int i = 0; i < nv; i++) list[i] = v[i];
  u->v = list;
  u->ndim = (uint8_t)ndim;
  if (own) { memcpy(list + nv, dim, (size_t)own * sizeof *dim); u->dim = list + nv; }
  else u->dim = shared == v ? list : shared;
  u->extent = lengths ? (tiny_uop **)memcpy(tn_uop_extents_at(u, own), extent, (size_t)lengths * sizeof *extent) : NULL;
  if (TN_HAS_BOUNDS) tn_uop_bounds(u);
  if (!TN_RUNS_ONLY && t->labels && !ir->apart) tn_label_made(t, u, tn_op_is(op, TINY_MOVEMENT));
  tn_nodes_put(&ir->nodes, u, slot);
  ir->nodes.n++;
  if (!ir->apart) t->stats.nodes = ir->nodes.n;
  return u;
}
static tiny_uop *tn_uop_make(tiny_ctx *t, int op, int dtype, int lanes, int nsrc, tiny_uop *const *src,
                             int64_t k, int nv, const int64_t *v) {
  return tn_uop_make_with(t, op, dtype, lanes, nsrc, src, k, nv, v, NULL);
}

// The same node with other sources.
static tiny_uop *tn_uop_with(tiny_ctx *t, const tiny_uop *u, tiny_uop *const *src) {
  int lanes = u->lanes;
  if (tn_op_is_elementwise(u->op) && !tn_regroups(u)) {
    lanes = 1;
    for (uint32_t i = 0; i < u->nsrc; i++) if (src[i] && src[i]->lanes > lanes) lanes = src[i]->lanes;
  }
  return tn_uop_make_with(t, u->op, u->dtype, lanes, (int)u->nsrc, src, u->k, u->nv, u->v, u->ptr);
}

static tiny_uop *tn_int(tiny_ctx *t, int dtype, int64_t k) {
  return tn_uop_make(t, TINY_OP_CONST, dtype, 1, 0, NULL, tn_dtype_wrap(dtype, k), 0, NULL);
}
static tiny_uop *tn_index(tiny_ctx *t, int64_t k) { return tn_int(t, TINY_INDEX, k); }
static tiny_uop *tn_bool(tiny_ctx *t, int64_t k) { return tn_int(t, TINY_BOOL, k); }
// A number as a constant of any dtype.
static tiny_uop *tn_number(tiny_ctx *t, int dtype, double x) {
  return tn_uop_make(t, TINY_OP_CONST, dtype, 1, 0, NULL, tn_dtype_value(dtype, x), 0, NULL);
}

static tiny_uop *tn_u1(tiny_ctx *t, int op, tiny_uop *a) {
  return tn_uop_make(t, op, a->dtype, a->lanes, 1, &a, 0, 0, NULL);
}
// The bits of x as another dtype of the same width.
static tiny_uop *tn_bitcast(tiny_ctx *t, tiny_uop *x, int dtype) {
  return tn_uop_make(t, TINY_OP_BITCAST, dtype, x->lanes, 1, &x, 0, 0, NULL);
}
static tiny_uop *tn_u2(tiny_ctx *t, int op, tiny_uop *a, tiny_uop *b) {
  tiny_uop *src[2] = {a, b};
  if (!a || !b) return &t->ir->bad;
  return tn_uop_make(t, op, tn_op_is(op, TINY_CMP) ? (int)TINY_BOOL : a->dtype,
                     a->lanes > b->lanes ? a->lanes : b->lanes, 2, src, 0, 0, NULL);
}
static tiny_uop *tn_u3(tiny_ctx *t, int op, tiny_uop *a, tiny_uop *b, tiny_uop *c) {
  tiny_uop *src[3] = {a, b, c};
  if (!a || !b || !c) return &t->ir->bad;
  int lanes = a->lanes > b->lanes ? a->lanes : b->lanes;
  if (c->lanes > lanes) lanes = c->lanes;
  return tn_uop_make(t, op, b->dtype, lanes, 3, src, 0, 0, NULL);
}
static tiny_uop *tn_cast(tiny_ctx *t, tiny_uop *a, int dtype) {
  if (a->dtype == dtype) return a;
  return tn_uop_make(t, TINY_OP_CAST, dtype, a->lanes, 1, &a, 0, 0, NULL);
}
static tiny_uop *tn_not(tiny_ctx *t, tiny_uop *a) { return tn_u2(t, TINY_OP_XOR, a, tn_bool(t, 1)); }
static tiny_uop *tn_range(tiny_ctx *t, int64_t extent, int kind) {
  tiny_uop *end = tn_index(t, extent);
  return tn_uop_make(t, TINY_OP_RANGE, TINY_INDEX, 1, 1, &end, ++t->ir->serial << 8 | kind, 0, NULL);
}

// Has a node of a tensor graph its value in memory?
static int tn_is_leaf(const tiny_uop *u) { return u->op == TINY_OP_BUFFER || u->realized; }
#ifndef TINY_AMALGAMATED
#include "walk.c"
#include "position.c"
#endif
#endif
