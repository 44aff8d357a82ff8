// listing: what the nodes of a kernel's list say, by what tiny.h shows to everyone: renderers stand in companion
// headers, too, and those see nothing else of the library.
//
// In:  nodes, public structs. Out: answers. What k, v and sources of an op mean: ir/uop.c.
#ifndef TN_IR_LISTING
#define TN_IR_LISTING
#ifndef TINY_API
#include "../api/api.h"
#endif
#include <string.h>

// Where a DEFINE or STAGE lives.
enum { TN_SPACE_GLOBAL, TN_SPACE_LOCAL, TN_SPACE_REG };
enum { TN_LATER = 1, TN_ADDS = 2 };        // k of a STORE: a BARRIER waits for it; it adds
enum { TN_BOXES = 64 };                    // of k of a BARRIER: it waits for copies of boxes to its slot, source 0
enum { TN_WMMA_UNIT = 48 };                // of a WMMA: bits of k below 1 + the number of a row of tn_warp_units

// Of a LOAD of matrices, eight rows of 16 bytes: how a lane gets them, elements from one to the next along k, and from
// every second to the next ones' columns. Steps of 0: lanes have an address each, of four matrices.
// SWIZZLED: they lie in boxes. SIDE: the address is that of 64 rows that four warps have, 16 each.
enum { TN_TURNED = 1, TN_AS_ROWS = 2, TN_SWIZZLED = 4, TN_SIDE = 8 };
enum { TN_MATRIX_ALONG = 4, TN_MATRIX_NEXT = 28 };           // bits below the steps
enum { TN_TURNED_LANES = 32, TN_TURNED_ROW = 8 };            // of its warp; elements of a turned matrix's row
static inline int tn_load_kind(const tiny_uop *u) { return (int)(u->k & 3); }
static inline int64_t tn_load_along(const tiny_uop *u) { return u->k >> TN_MATRIX_ALONG & 0xFFFFFF; }
static inline int64_t tn_load_next(const tiny_uop *u) { return u->k >> TN_MATRIX_NEXT & 0xFFFFFF; }

// ** boxes: tiles of memory that the device copies by itself, as its matrix units read them **
//
// A BULK copies a box of a tensor, rows of 128 bytes, one after the other, whose pieces of 16 bytes are turned by the
// number of their row, so that eight rows of one piece lie in eight different places (PTX ISA, "Swizzling Modes", 128B;
// "Strides", "Shared Memory Matrix Layout"). Memory of boxes begins at a multiple of eight rows.
enum { TN_BOX_ROW = 128, TN_BOX_PIECE = 16, TN_BOX_ALIGN = 1024,           // bytes
  TN_BOX_ROWS = 64,                        // of a box whose rows go on in the next one
  TN_BOX_MOST = 256,                       // rows of a box (CUDA driver API, cuTensorMapEncodeTiled: boxDim)
  TN_BOX_DIMS = 5, TN_BOX_SLOTS = 32,
  TN_BOX_NBYTES = 8 * TN_BOX_SLOTS };      // of LOCAL memory, at its end, for what counts copies to slots
// Of a BULK: dims of the tensor; v: so many extents, strides in elements, and sides of the box.
static inline int tn_bulk_dims(const tiny_uop *u) { return u->nv / 3; }
// k: how many copies fill its slot, which is one of first .. end - 1 (tn_bulk_k).
static inline int tn_bulk_copies(int64_t k) { return (int)(k & 0xFF); }
static inline int tn_bulk_first(int64_t k) { return (int)(k >> 8 & 0xFF); }
static inline int tn_bulk_end(int64_t k) { return (int)(k >> 16 & 0xFF); }
// Warps of their own begin it, a warp group beside those of the items: a launch has so many threads more.
enum { TN_BULK_PRODUCED = 1 << 24, TN_PRODUCER_THREADS = 128 };
static inline int tn_bulk_is_produced(const tiny_uop *u) { return u->op == TINY_OP_BULK && (u->k & TN_BULK_PRODUCED); }
static inline int tn_producer_threads(tiny_uop *const *list, int n) {
  for (int i = 0; i < n; i++) if (tn_bulk_is_produced(list[i])) return TN_PRODUCER_THREADS;
  return 0;
}

// ** memory **

static inline const tiny_uop *tn_memory_behind(const tiny_uop *m) {
  while (m->op == TINY_OP_AFTER) m = m->src[0];
  return m;
}
static inline int tn_is_reg(const tiny_uop *memory) {
  const tiny_uop *m = tn_memory_behind(memory);
  return m->op == TINY_OP_DEFINE && m->v[0] == TN_SPACE_REG;
}

// What a STORE stores, as it was loaded: bits do not change.
static inline tiny_uop *tn_copied(const tiny_uop *store) {
  tiny_uop *x = store->src[1];
  while (x->op == TINY_OP_BITCAST && x->src[0]->lanes == x->lanes) x = x->src[0];
  return x;
}
// Is a STORE that happens later no more than a copy of memory outside of the kernel, of 4, 8 or 16 bytes that lie
// together, zeros where they are not there? (PTX ISA, cp.async)
static inline int tn_copies_later(const tiny_uop *store) {
  const tiny_uop *to = store->src[0], *load = tn_copied(store), *from = load->nsrc ? load->src[0] : NULL;
  if (store->k != TN_LATER || load->op != TINY_OP_LOAD || load->k || load->nsrc > 1 || to->lanes > 1 ||
      from->lanes > 1 ||
      tn_memory_behind(from->src[0])->op != TINY_OP_PARAM || (to->nsrc == 3 && to->src[2]->lanes > 1) ||
      (from->nsrc == 3 && from->src[2]->lanes > 1))
    return 0;
  const int nbytes = (int)tiny_dtype_nbytes((tiny_dtype)load->dtype) * load->lanes;
  return nbytes == 4 || nbytes == 8 || nbytes == 16;
}

// How many low bits of an integer are 0 whatever else it is made of; zeros: the answers for its sources, by seq.
static inline int tn_low_zeros(const tiny_uop *u, const uint8_t *zeros) {
  enum { MOST = 16 };
  const int a = u->nsrc ? zeros[u->src[0]->seq] : 0, b = u->nsrc > 1 ? zeros[u->src[1]->seq] : 0;
  int n = 0;
  if (u->dtype < TINY_I8 || u->dtype > TINY_U64 || u->lanes > 1) return 0;
  switch (u->op) {
    case TINY_OP_CONST: while (n < MOST && !(u->k >> n & 1)) n++; return n;
    case TINY_OP_ADD: case TINY_OP_SUB: case TINY_OP_MAX: case TINY_OP_OR: case TINY_OP_XOR: return a < b ? a : b;
    case TINY_OP_MUL: return a + b < MOST ? a + b : MOST;
    case TINY_OP_AND: return a > b ? a : b;
    case TINY_OP_SHL:
      return u->src[1]->op == TINY_OP_CONST && u->src[1]->k >= 0 && u->src[1]->k < MOST - a ? a + (int)u->src[1]->k : a;
    case TINY_OP_CAST: return u->src[0]->dtype >= TINY_I8 && u->src[0]->dtype <= TINY_U64 ? a : 0;
    default: return 0;
  }
}

// ** what an index is the sum of **

// Is what an ADD, a SUB, or a MUL or SHL by a number gives, the sum or product it stands for, as elements of memory are
// counted, modulo 2^64?
static inline int tn_is_sum_exact(const tiny_uop *u) {
  const tiny_uop *a = u->src[0], *b = u->src[1];
  const int64_t least = u->dtype == TINY_I32 ? INT32_MIN : 0, most = u->dtype == TINY_I32 ? INT32_MAX : UINT32_MAX;
  const int wide = u->dtype == TINY_I64 || u->dtype == TINY_U64, adds = u->op == TINY_OP_ADD || u->op == TINY_OP_SUB;
  if (u->op == TINY_OP_SHL && (b->op != TINY_OP_CONST || b->k < 0 || b->k >= (wide ? 64 : 31))) return 0;
  if (wide) return adds || b->op == TINY_OP_CONST;
  if ((u->dtype != TINY_I32 && u->dtype != TINY_U32) || a->vmin < INT32_MIN || a->vmax > UINT32_MAX ||
      b->vmin < INT32_MIN || b->vmax > UINT32_MAX)
    return 0;
  if (u->op == TINY_OP_ADD) return a->vmin + b->vmin >= least && a->vmax + b->vmax <= most;
  if (u->op == TINY_OP_SUB) return a->vmin - b->vmax >= least && a->vmax - b->vmin <= most;
  const int64_t k = u->op == TINY_OP_SHL ? (int64_t)1 << b->k : b->k;
  if (b->op != TINY_OP_CONST || k < 0 || k > INT32_MAX) return 0;
  return a->vmin * k >= least && a->vmax * k <= most;
}
// Modulo 2^64.
static inline int64_t tn_wrapped_sum(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }
static inline int64_t tn_wrapped_product(int64_t a, int64_t b) { return (int64_t)((uint64_t)a * (uint64_t)b); }
// What such a MUL or SHL multiplies by.
static inline int64_t tn_factor_of(const tiny_uop *u) {
  return u->op == TINY_OP_MUL ? u->src[1]->k : (int64_t)((uint64_t)1 << u->src[1]->k);
}

// ** constants: bits of the float that k of a CONST holds **

static inline uint32_t tn_const_f32(int64_t k) {
  double v;
  uint32_t bits;
  memcpy(&v, &k, sizeof v);
  const float f = (float)v;
  memcpy(&bits, &f, sizeof bits);
  return v != v ? 0x7FC00000 : bits;
}
// Of f16, bf16 and fp8, which hold it exactly. least: the exponent of the least normal, as an f32 has it.
static inline uint32_t tn_const_narrow(int dtype, int64_t k) {
  const uint32_t bits = tn_const_f32(k), size = bits & 0x7FFFFFFF;
  if (dtype == TINY_BF16) return bits >> 16;
  const int half = dtype == TINY_F16, finite = dtype == TINY_F8E4M3, mantissa = half ? 10 : finite ? 3 : 2;
  const uint32_t sign = bits >> 31 << (half ? 15 : 7), least = finite ? 121 : 113,
                 infinity = half ? 0x7C00 : finite ? 0x7F : 0x7C;
  if (size > 0x7F800000) return sign | infinity | (finite ? 0 : 1u << (mantissa - 1));
  if (size == 0x7F800000) return sign | infinity;
  if (size >= least << 23) return sign | ((size - ((least - 1) << 23)) >> (23 - mantissa));
  const uint32_t drop = (uint32_t)(23 - mantissa) + least - (size >> 23);  // below the normals
  return sign | (drop < 32 ? ((size & 0x7FFFFF) | 0x800000) >> drop : 0);
}
#endif
