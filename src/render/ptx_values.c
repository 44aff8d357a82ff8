// ptx_values: values of PTX: registers, numbers, and what is computed of them, an element at a time.
//
// In:  nodes that compute, operands for their sources. Out: lines of text, an operand for each element.
// Holds:
//  - A register is written once, but for those of accumulators, counters and addresses that a loop goes on with; ptxas
//    gives registers to machine code. Integers of 8 and 16 bits are held in 32, with the sign or zeros above.
//  - f16 and bf16 are two bytes in memory and, but for what ptx_pairs.c has, f32 in arithmetic, fp8 one: a code in 32
//    bits. Vectors of 8 and 16 bits are elements, words of 32 bits as they lie in memory, or both: whichever their
//    users ask for.
//  - Products and sums without .rn may be contracted by ptxas, as nvcc has it by default (-fmad).
// What is what: NVIDIA, Parallel Thread Execution ISA.
#ifndef TN_RENDER_PTX_VALUES
#define TN_RENDER_PTX_VALUES
#ifndef TINY_AMALGAMATED
#include "../ir/listing.c"
#endif
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#ifdef __GNUC__
  #define TN_PTX_PRINTF(at, args) __attribute__((format(printf, at, args)))
#else
  #define TN_PTX_PRINTF(at, args)
#endif

// kind: of registers 'p' predicate, 'h' 16 bits, 'r' 32, 'd' 64, 'f' f32, 'g' f64; 'i' integer, 'F' and 'G' bits of an
// f32 and an f64; 's' the address of the n-th memory that is declared, 'S' of that which a launch brings; 0: none.
typedef struct tn_ptx_operand { char kind; int64_t n; } tn_ptx_operand;
typedef struct tn_ptx_list { tn_ptx_operand *of; int n, cap; } tn_ptx_list;

enum { TN_PTX_CLASSES = 6, TN_PTX_DEPTH = 72, TN_PTX_VECTOR = 64 };
enum { TN_PTX_ALL, TN_PTX_CONSUMES, TN_PTX_PRODUCES };       // roles of warps
enum { TN_PTX_ELEMENTS = 1, TN_PTX_WORDS = 2 };              // what users want of a vector

typedef struct tn_ptx_level {              // of a loop or an IF that is open, and of the kernel itself
  tiny_bytes body, tail;                   // tail: what goes on with addresses, behind an iteration
  const tiny_uop *opened; tn_ptx_operand counter, skips;
  int label, serial;
} tn_ptx_level;

// mbarriers that products arrive at, 1 << bits of 8 bytes; how many were told of so far, each of its own register.
typedef struct tn_ptx_ring { tn_ptx_operand at, count; int bits; } tn_ptx_ring;

struct tn_ptx_sum; struct tn_ptx_step;
typedef struct tn_ptx {
  tiny_ctx *t; const tiny_listing *k;
  int sm, version, failed, labels, depth, serial, at;        // at: the level that lines are written to
  int by_unit, fences;                     // 1: units read shared memory themselves, and what items have written
  // Of units that keep sums (ptx_tcgen05.c): columns of those of four warps, in all and given so far; four warps; are
  // products not waited for (TN_PTX_STARTED, ..), have threads met since the last wait?
  int tensor, tensor_given, groups, tensor_open, met;
  // Who allocates, who starts products and who does not; what was allocated, what of it is for these warps, and the
  // warp's lanes. Products that all threads wait for, and those that only who starts them does
  tn_ptx_operand manages, starts, rests, tensor_all, tensor_at, tensor_lane;
  tn_ptx_ring done, empty, *ring;          // ring: of the loop whose products go on
  tn_ptx_level *level;
  tn_ptx_list pool;
  int *elements, *words;                   // of nodes: where in the pool; -1: nowhere
  // Of nodes: the form that is wanted of a vector; low bits that are 0; is it wanted at all; the level it stands at;
  // constant: of a PARAM, nothing is stored there; of REG memory, its elements are known; of a LOAD of it, it stays
  // partial: it is there only under its condition
  uint8_t *wants, *zeros, *needed, *inside, *constant, *partial;
  // under: the condition of all that wants it, the node itself where there is not one
  const tiny_uop **block, **under; int *last; struct tn_ptx_sum *sum;
  struct tn_ptx_step *step; int nstep;
  int64_t registers[TN_PTX_CLASSES];
  int64_t local_at, box_at; int memories;  // box_at: of memory of boxes, which lies first
  // BULKs, one for each tensor of theirs, slots; what thread 0 is known by, parities of slots, the first one's mbarrier
  const tiny_uop **bulk, **map; int nbulk, nmap, slots;
  tn_ptx_operand first, phases, slot_at, map_at[8];
  // Of a loop whose products go on while the next ones are begun: its RANGE; copies that wait for the items to meet
  const tiny_uop *overlaps; tiny_bytes copies;
  int box_stores, leaves;                  // BULKSTOREs; are some begun, and not waited for?
  int cluster; tn_ptx_operand rank, everyone;                // groups that copy for each other; which is this; all bits
  // Of warps that only copy, and the others (ptx_producer.c): who this is written for; what those leave out, of nodes;
  // threads beside the items; of the other warps, the slot whose products are under way, of whom this lane tells that a
  // slot is empty, and whether it does; a slot was told of in this iteration
  int role, beside, told; uint8_t *idle;
  tn_ptx_operand before, empties, tells, slot;
  tiny_bytes declares, batch;              // batch: products of warps that wait (ptx_wgmma.c)
  tn_ptx_operand guard; int unless;        // of the next lines
} tn_ptx;

// ** scratch memory, which the library gives in runs of bytes **

// Zeros. NULL: refused, which is recorded.
static void *tn_ptx_scratch(tiny_ctx *t, size_t nbytes) {
  static const char zeros[4096] = {0};
  tiny_bytes b = {t, NULL, 0, 0};
  for (size_t at = 0; at <= nbytes; at += sizeof zeros) {
    const size_t n = nbytes + 16 - at < sizeof zeros ? nbytes + 16 - at : sizeof zeros;
    tiny_bytes_add(&b, zeros, n);
  }
  return b.n >= nbytes ? b.data : NULL;
}
static void tn_ptx_fail(tn_ptx *x, const char *what) {
  if (!x->failed) tiny_fail(x->t, TINY_E_INTERNAL, "render: %s has no form in PTX", what);
  x->failed = 1;
}
static void tn_ptx_wants_version(tn_ptx *x, int version) { if (x->version < version) x->version = version; }
// Where in the pool n operands stand; it may move.
static int tn_ptx_take(tn_ptx *x, int n) {
  tn_ptx_list *p = &x->pool;
  if (p->n + n > p->cap) {
    const int cap = 2 * p->cap + n + 256;
    tn_ptx_operand *grown = (tn_ptx_operand *)tn_ptx_scratch(x->t, (size_t)cap * sizeof *grown);
    if (!grown) { x->failed = 1; return 0; }
    if (p->n) memcpy(grown, p->of, (size_t)p->n * sizeof *grown);
    p->of = grown; p->cap = cap;
  }
  p->n += n;
  return p->n - n;
}

// ** dtypes **

static int tn_ptx_is_float(int d) { return d >= TINY_F8E4M3 && d <= TINY_F64; }
static int tn_ptx_is_signed(int d) { return d == TINY_I8 || d == TINY_I16 || d == TINY_I32 || d == TINY_I64; }
static int tn_ptx_is_fp8(int d) { return d == TINY_F8E4M3 || d == TINY_F8E5M2; }
static int tn_ptx_bits(int d) { return 8 * (int)tiny_dtype_nbytes((tiny_dtype)d); }
// Of the register that an element is held in.
static char tn_ptx_class(int d) {
  if (d == TINY_BOOL) return 'p';
  if (d == TINY_F32 || d == TINY_F64) return d == TINY_F32 ? 'f' : 'g';
  return d == TINY_F16 || d == TINY_BF16 ? 'h' : tn_ptx_bits(d) == 64 ? 'd' : 'r';
}
// How instructions name the dtype, in arithmetic: narrow integers as those of 32 bits.
static const char *tn_ptx_type(int d) {
  switch (d) {
    case TINY_BOOL: return "pred";
    case TINY_F16: case TINY_BF16: return d == TINY_F16 ? "f16" : "bf16";
    case TINY_F32: case TINY_F64: return d == TINY_F32 ? "f32" : "f64";
    case TINY_I64: case TINY_U64: return d == TINY_I64 ? "s64" : "u64";
    default: return tn_ptx_is_signed(d) ? "s32" : "u32";
  }
}
// In memory and conversions; with the sign of integers.
static const char *tn_ptx_stored(int d) {
  switch (d) {
    case TINY_I8: return "s8";
    case TINY_U8: case TINY_F8E4M3: case TINY_F8E5M2: return "u8";
    case TINY_I16: return "s16";
    case TINY_U16: return "u16";
    case TINY_F16: case TINY_BF16: return "b16";
    default: return tn_ptx_type(d);
  }
}
static const char *tn_ptx_bare(char kind) {
  return kind == 'p' ? "pred" : kind == 'h' ? "b16" : kind == 'r' ? "b32" : kind == 'd' ? "b64" : kind == 'f' ? "f32" :
      "f64";
}

// ** text **

static void tn_ptx_text(tiny_bytes *out, const char *format, ...) TN_PTX_PRINTF(2, 3);
static void tn_ptx_text(tiny_bytes *out, const char *format, ...) {
  char line[512];
  va_list args;
  va_start(args, format);
  const int n = vsnprintf(line, sizeof line, format, args);
  va_end(args);
  if (n > 0) tiny_bytes_add(out, line, (size_t)n < sizeof line ? (size_t)n : sizeof line - 1);
}

static void tn_ptx_operand_text(tiny_bytes *out, tn_ptx_operand o) {
  static const struct { char kind; const char *name; } registers[TN_PTX_CLASSES] = {
    {'p', "%p"}, {'h', "%h"}, {'r', "%r"}, {'d', "%d"}, {'f', "%f"}, {'g', "%g"}};
  for (int i = 0; i < TN_PTX_CLASSES; i++) if (registers[i].kind == o.kind) {
    tn_ptx_text(out, "%s%lld", registers[i].name, (long long)o.n);
    return;
  }
  switch (o.kind) {
    case 'F': tn_ptx_text(out, "0f%08X", (unsigned)o.n); return;
    case 'G': tn_ptx_text(out, "0d%016llX", (unsigned long long)o.n); return;
    case 's': tn_ptx_text(out, "m%lld", (long long)o.n); return;
    case 'S': tn_ptx_text(out, "tiny_shared"); return;
    default:
      if (o.n >= INT32_MIN && o.n <= UINT32_MAX) tn_ptx_text(out, "%lld", (long long)o.n);
      else tn_ptx_text(out, "0x%llX", (unsigned long long)o.n);
  }
}
static tiny_bytes *tn_ptx_body(tn_ptx *x) { return &x->level[x->at].body; }

// All items do; not those beside them.
static void tn_ptx_meet(const tn_ptx *x, tiny_bytes *out) {
  const int64_t *n = x->k->local;
  if (x->beside) tn_ptx_text(out, "\tbar.sync 1, %lld;\n", (long long)(n[0] * n[1] * n[2]));
  else tn_ptx_text(out, "\tbar.sync 0;\n");
}

// A line's beginning, with the guard that holds.
static void tn_ptx_begin(tn_ptx *x, const char *op) {
  tiny_bytes *out = tn_ptx_body(x);
  tn_ptx_text(out, "\t");
  if (x->guard.kind) {
    tn_ptx_text(out, x->unless ? "@!" : "@");
    tn_ptx_operand_text(out, x->guard);
    tn_ptx_text(out, " ");
  }
  tn_ptx_text(out, "%s ", op);
}
static void tn_ptx_line(tn_ptx *x, const char *op, const tn_ptx_operand *o, int n) {
  tn_ptx_begin(x, op);
  for (int i = 0; i < n; i++) {
    if (i) tn_ptx_text(tn_ptx_body(x), ", ");
    tn_ptx_operand_text(tn_ptx_body(x), o[i]);
  }
  tn_ptx_text(tn_ptx_body(x), ";\n");
}
// {%r1, %r2}; one alone stands without braces.
static void tn_ptx_group(tiny_bytes *out, const tn_ptx_operand *o, int n) {
  if (n > 1) tn_ptx_text(out, "{");
  for (int i = 0; i < n; i++) { if (i) tn_ptx_text(out, ", "); tn_ptx_operand_text(out, o[i]); }
  if (n > 1) tn_ptx_text(out, "}");
}

// op {a, b}, whole
static void tn_ptx_split(tn_ptx *x, const char *op, const tn_ptx_operand *half, tn_ptx_operand whole) {
  tn_ptx_begin(x, op);
  tn_ptx_group(tn_ptx_body(x), half, 2);
  tn_ptx_text(tn_ptx_body(x), ", ");
  tn_ptx_operand_text(tn_ptx_body(x), whole);
  tn_ptx_text(tn_ptx_body(x), ";\n");
}

// ** registers and lines that give one **

static tn_ptx_operand tn_ptx_register(tn_ptx *x, char kind) {
  static const char kinds[] = "phrdfg";
  const tn_ptx_operand o = {kind, ++x->registers[strchr(kinds, kind) - kinds]};
  return o;
}
// op whole, {a, b}
static tn_ptx_operand tn_ptx_join(tn_ptx *x, char kind, const char *op, const tn_ptx_operand *half) {
  const tn_ptx_operand whole = tn_ptx_register(x, kind);
  tn_ptx_begin(x, op);
  tn_ptx_operand_text(tn_ptx_body(x), whole);
  tn_ptx_text(tn_ptx_body(x), ", ");
  tn_ptx_group(tn_ptx_body(x), half, 2);
  tn_ptx_text(tn_ptx_body(x), ";\n");
  return whole;
}
static tn_ptx_operand tn_ptx_k(int64_t k) { const tn_ptx_operand o = {'i', k}; return o; }
static const tn_ptx_operand tn_ptx_none = {0, 0};

static tn_ptx_operand tn_ptx_do(tn_ptx *x, char kind, const char *op, tn_ptx_operand a, tn_ptx_operand b,
                                tn_ptx_operand c) {
  const tn_ptx_operand o[4] = {tn_ptx_register(x, kind), a, b, c};
  tn_ptx_line(x, op, o, !a.kind ? 1 : !b.kind ? 2 : !c.kind ? 3 : 4);
  return o[0];
}
static tn_ptx_operand tn_ptx_do1(tn_ptx *x, char kind, const char *op, tn_ptx_operand a) {
  return tn_ptx_do(x, kind, op, a, tn_ptx_none, tn_ptx_none);
}
static tn_ptx_operand tn_ptx_do2(tn_ptx *x, char kind, const char *op, tn_ptx_operand a, tn_ptx_operand b) {
  return tn_ptx_do(x, kind, op, a, b, tn_ptx_none);
}
// op.type
static const char *tn_ptx_name(char *out, size_t nbytes, const char *op, const char *type) {
  snprintf(out, nbytes, "%s.%s", op, type);
  return out;
}
#define TN_PTX_NAME(op, type) tn_ptx_name(tn_ptx_names, sizeof tn_ptx_names, op, type)

static int tn_ptx_is_number(tn_ptx_operand o) { return o.kind == 'i' || o.kind == 'F' || o.kind == 'G'; }

// In a register, where a number will not do.
static tn_ptx_operand tn_ptx_held(tn_ptx *x, tn_ptx_operand o, char kind) {
  char tn_ptx_names[16];
  if (!tn_ptx_is_number(o)) return o;
  if (kind == 'p') return tn_ptx_do2(x, 'p', "setp.ne.s32", o, tn_ptx_k(0));
  return tn_ptx_do1(x, kind, TN_PTX_NAME("mov", tn_ptx_bare(kind)), o);
}

static tn_ptx_operand tn_ptx_number(int dtype, int64_t k) {
  tn_ptx_operand o = {'i', k};
  if (dtype == TINY_F64) o.kind = 'G';
  else if (dtype == TINY_F32) { o.kind = 'F'; o.n = tn_const_f32(k); }
  else if (tn_ptx_bits(dtype) <= 32 && dtype == TINY_U32) o.n = (int64_t)(uint32_t)k;
  return o;
}

// ** conversions **

// Brings what was computed in 32 bits back into a narrow dtype, unless bounds say that it is in there.
static tn_ptx_operand tn_ptx_wrapped(tn_ptx *x, int dtype, tn_ptx_operand o) {
  char tn_ptx_names[16];
  if (tn_ptx_is_number(o) || tn_ptx_is_float(dtype) || tn_ptx_bits(dtype) >= 32) return o;
  if (!tn_ptx_is_signed(dtype))
    return tn_ptx_do2(x, 'r', "and.b32", o, tn_ptx_k(tn_ptx_bits(dtype) == 8 ? 0xFF : 0xFFFF));
  return tn_ptx_do1(x, 'r', TN_PTX_NAME("cvt.s32", tn_ptx_stored(dtype)), o);
}
static int tn_ptx_holds(int dtype, const tiny_uop *u) {
  const int bits = tn_ptx_bits(dtype), is_signed = tn_ptx_is_signed(dtype);
  if (bits >= 64) return dtype == TINY_I64 || u->vmin >= 0;
  const int64_t low = is_signed ? -((int64_t)1 << (bits - 1)) : 0, top = ((int64_t)1 << (bits - is_signed)) - 1;
  return u->dtype != TINY_U64 && u->vmin >= low && u->vmax <= top;
}

static tn_ptx_operand tn_ptx_int_to_int(tn_ptx *x, const tiny_uop *u, int to, tn_ptx_operand o) {
  const int from = u->dtype, wide = tn_ptx_bits(to) == 64;
  if (tn_ptx_class(from) == tn_ptx_class(to)) return wide || tn_ptx_holds(to, u) ? o : tn_ptx_wrapped(x, to, o);
  if (wide) return tn_ptx_do1(x, 'd', tn_ptx_is_signed(from) ? "cvt.s64.s32" : "cvt.u64.u32", o);
  o = tn_ptx_do1(x, 'r', "cvt.u32.u64", o);
  return tn_ptx_holds(to, u) ? o : tn_ptx_wrapped(x, to, o);
}

static tn_ptx_operand tn_ptx_float_to_float(tn_ptx *x, int from, int to, tn_ptx_operand o);

static tn_ptx_operand tn_ptx_int_to_float(tn_ptx *x, int from, int to, tn_ptx_operand o) {
  char name[32];
  const int half = to == TINY_F16 || (to == TINY_BF16 && x->sm >= 90);
  if ((tn_ptx_class(to) == 'h' && !half) || tn_ptx_is_fp8(to))
    return tn_ptx_float_to_float(x, TINY_F32, to, tn_ptx_int_to_float(x, from, TINY_F32, o));
  snprintf(name, sizeof name, "cvt.rn.%s.%s", tn_ptx_type(to), tn_ptx_type(from));
  return tn_ptx_do1(x, tn_ptx_class(to), name, o);
}

// Conversions saturate, and give 0 of NaN where they give 32 bits; of 64 GPUs do not ("cvt" is silent; CUDA Math API,
// __float2ll_rz: 0x8000000000000000).
static tn_ptx_operand tn_ptx_float_to_int(tn_ptx *x, int from, int to, tn_ptx_operand o) {
  char name[32];
  const int bits = tn_ptx_bits(to), wide = bits == 64, is_signed = tn_ptx_is_signed(to);
  if (tn_ptx_class(from) == 'h') { o = tn_ptx_float_to_float(x, from, TINY_F32, o); from = TINY_F32; }
  snprintf(name, sizeof name, "cvt.rzi.%s.%s", tn_ptx_type(to), tn_ptx_type(from));
  tn_ptx_operand y = tn_ptx_do1(x, wide ? 'd' : 'r', name, o);
  if (wide) {
    const tn_ptx_operand is = tn_ptx_do2(x, 'p', from == TINY_F64 ? "setp.num.f64" : "setp.num.f32", o, o);
    return tn_ptx_do(x, 'd', "selp.b64", y, tn_ptx_k(0), is);
  }
  if (bits == 32) return y;
  y = tn_ptx_do2(x, 'r', is_signed ? "min.s32" : "min.u32", y, tn_ptx_k(((int64_t)1 << (bits - is_signed)) - 1));
  return is_signed ? tn_ptx_do2(x, 'r', "max.s32", y, tn_ptx_k(-((int64_t)1 << (bits - 1)))) : y;
}

static tn_ptx_operand tn_ptx_half_held(tn_ptx *x, tn_ptx_operand o) { return tn_ptx_held(x, o, 'h'); }

// To nearest, ties to even, where no instruction does it: on bits.
static tn_ptx_operand tn_ptx_to_bf16(tn_ptx *x, tn_ptx_operand f) {
  const tn_ptx_operand b = tn_ptx_do1(x, 'r', "mov.b32", f), is = tn_ptx_do2(x, 'p', "setp.num.f32", f, f),
                       odd = tn_ptx_do(x, 'r', "bfe.u32", b, tn_ptx_k(16), tn_ptx_k(1)),
                       up = tn_ptx_do2(x, 'r', "add.s32", odd, tn_ptx_k(0x7FFF)),
                       sum = tn_ptx_do2(x, 'r', "add.s32", b, up),
                       high = tn_ptx_do2(x, 'r', "shr.u32", sum, tn_ptx_k(16));
  return tn_ptx_do1(x, 'h', "cvt.u16.u32", tn_ptx_do(x, 'r', "selp.b32", high, tn_ptx_k(0x7FC0), is));
}
static tn_ptx_operand tn_ptx_of_bf16(tn_ptx *x, tn_ptx_operand h) {
  tn_ptx_operand r = tn_ptx_do1(x, 'r', "cvt.u32.u16", tn_ptx_half_held(x, h));
  r = tn_ptx_do2(x, 'r', "shl.b32", r, tn_ptx_k(16));
  return tn_ptx_do1(x, 'f', "mov.b32", r);
}

// ** fp8, from sm_89 on, there of PTX 8.1 (PTX ISA, cvt) **

// What rounds beyond the numbers is NaN, of e5m2 infinity; the conversion would saturate (PTX ISA, cvt, .satfinite). Of
// e4m3 it gets a NaN; of e5m2, whose infinity it does not give, the code is put right.
static tn_ptx_operand tn_ptx_beyond_fp8(tn_ptx *x, int to, tn_ptx_operand f) {
  tn_ptx_wants_version(x, 81);
  const tn_ptx_operand size = tn_ptx_do1(x, 'f', "abs.f32", f), e4m3 = {'F', 0x43E80000}, e5m2 = {'F', 0x47700000};
  return to == TINY_F8E4M3 ? tn_ptx_do2(x, 'p', "setp.gt.f32", size, e4m3) :          // 464: 448 is even
                             tn_ptx_do2(x, 'p', "setp.ge.f32", size, e5m2);           // 61440: 57344 is odd
}
static tn_ptx_operand tn_ptx_infinite_e5m2(tn_ptx *x, tn_ptx_operand f) {
  const tn_ptx_operand bits = tn_ptx_do2(x, 'r', "shr.u32", tn_ptx_do1(x, 'r', "mov.b32", f), tn_ptx_k(24));
  return tn_ptx_do2(x, 'r', "or.b32", tn_ptx_do2(x, 'r', "and.b32", bits, tn_ptx_k(0x80)), tn_ptx_k(0x7C));
}
static tn_ptx_operand tn_ptx_to_fp8(tn_ptx *x, int to, tn_ptx_operand f) {
  const tn_ptx_operand nan = {'F', 0x7FC00000}, zero = {'F', 0}, held = tn_ptx_held(x, f, 'f'),
                       is = tn_ptx_beyond_fp8(x, to, held);
  const int e4m3 = to == TINY_F8E4M3;
  const tn_ptx_operand low = e4m3 ? tn_ptx_do(x, 'f', "selp.f32", nan, held, is) : held,
                       pair = tn_ptx_do2(x, 'h', e4m3 ? "cvt.rn.satfinite.e4m3x2.f32" : "cvt.rn.satfinite.e5m2x2.f32",
                                         zero, low),
                       code = tn_ptx_do1(x, 'r', "cvt.u32.u16", pair);
  return e4m3 ? code : tn_ptx_do(x, 'r', "selp.b32", tn_ptx_infinite_e5m2(x, held), code, is);
}
// Two at a time, f16 of two codes.
static tn_ptx_operand tn_ptx_halves_of_fp8(tn_ptx *x, int from, tn_ptx_operand pair) {
  tn_ptx_wants_version(x, 81);
  return tn_ptx_do1(x, 'r', from == TINY_F8E4M3 ? "cvt.rn.f16x2.e4m3x2" : "cvt.rn.f16x2.e5m2x2", pair);
}
static tn_ptx_operand tn_ptx_of_fp8(tn_ptx *x, int from, tn_ptx_operand code) {
  const tn_ptx_operand pair = tn_ptx_do1(x, 'h', "cvt.u16.u32", tn_ptx_held(x, code, 'r'));
  return tn_ptx_do1(x, 'f', "cvt.f32.f16", tn_ptx_do1(x, 'h', "cvt.u16.u32", tn_ptx_halves_of_fp8(x, from, pair)));
}

static tn_ptx_operand tn_ptx_float_to_float(tn_ptx *x, int from, int to, tn_ptx_operand o) {
  char name[32];
  if (from == to) return o;
  if (tn_ptx_is_fp8(from)) return tn_ptx_float_to_float(x, TINY_F32, to, tn_ptx_of_fp8(x, from, o));
  if (tn_ptx_is_fp8(to)) return tn_ptx_to_fp8(x, to, tn_ptx_float_to_float(x, from, TINY_F32, o));
  if (from == TINY_BF16) return tn_ptx_float_to_float(x, TINY_F32, to, tn_ptx_of_bf16(x, o));
  if (to == TINY_BF16 && from != TINY_F32)
    return tn_ptx_float_to_float(x, TINY_F32, to, tn_ptx_float_to_float(x, from, TINY_F32, o));
  if (to == TINY_BF16 && x->sm < 80) return tn_ptx_to_bf16(x, o);
  const int narrows = tn_ptx_bits(to) < tn_ptx_bits(from);
  snprintf(name, sizeof name, "cvt.%s%s.%s", narrows ? "rn." : "", tn_ptx_type(to), tn_ptx_type(from));
  return tn_ptx_do1(x, tn_ptx_class(to), name, tn_ptx_class(from) == 'h' ? tn_ptx_half_held(x, o) : o);
}

static tn_ptx_operand tn_ptx_cast(tn_ptx *x, const tiny_uop *from, int to, tn_ptx_operand o) {
  const int d = from->dtype;
  if (d == to) return o;
  if (tn_ptx_is_float(d))
    return tn_ptx_is_float(to) ? tn_ptx_float_to_float(x, d, to, o) : tn_ptx_float_to_int(x, d, to, o);
  return tn_ptx_is_float(to) ? tn_ptx_int_to_float(x, d, to, o) : tn_ptx_int_to_int(x, from, to, o);
}

// The same bits in a register of another class; of narrow integers with the sign that the dtype has.
static tn_ptx_operand tn_ptx_bits_as(tn_ptx *x, int from, int to, tn_ptx_operand o) {
  const char a = tn_ptx_class(from), b = tn_ptx_class(to);
  if (tn_ptx_is_fp8(from)) from = TINY_U8;                   // codes
  if (tn_ptx_is_fp8(to)) to = TINY_U8;
  if (a == 'r' && b == 'r') return from == to ? o : tn_ptx_wrapped(x, to, o);
  if (a == b) return o;
  if (a == 'h') o = tn_ptx_do1(x, 'r', to == TINY_I16 ? "cvt.s32.s16" : "cvt.u32.u16", tn_ptx_half_held(x, o));
  else if (b == 'h') o = tn_ptx_do1(x, 'h', "cvt.u16.u32", tn_ptx_held(x, o, 'r'));
  else o = tn_ptx_do1(x, b, b == 'r' || b == 'f' ? "mov.b32" : "mov.b64", o);
  return o;
}

// ** arithmetic **

static tn_ptx_operand tn_ptx_element(const tn_ptx *x, const tiny_uop *u, int i) {
  const int at = x->elements[u->seq];
  return at < 0 ? tn_ptx_none : x->pool.of[at + (u->lanes > 1 ? i : 0)];
}

// Forms of ops: of integers, of floats; the type follows.
static const struct { uint8_t op; const char *integer, *real; } tn_ptx_forms[] = {
  {TINY_OP_NEG, "neg", "neg"}, {TINY_OP_ADD, "add", "add"}, {TINY_OP_SUB, "sub", "sub"}, {TINY_OP_MUL, "mul.lo", "mul"},
  {TINY_OP_FDIV, NULL, "div.rn"}, {TINY_OP_CDIV, "div", NULL}, {TINY_OP_CMOD, "rem", NULL},
  {TINY_OP_MAX, "max", "max"}, {TINY_OP_AND, "and", NULL}, {TINY_OP_OR, "or", NULL}, {TINY_OP_XOR, "xor", NULL},
  {TINY_OP_SHL, "shl", NULL}, {TINY_OP_SHR, "shr", NULL}, {TINY_OP_LT, "setp.lt", "setp.lt"},
  {TINY_OP_NE, "setp.ne", "setp.neu"}, {TINY_OP_EQ, "setp.eq", "setp.eq"}, {TINY_OP_WHERE, "selp", "selp"},
  {TINY_OP_SQRT, NULL, "sqrt.rn"}, {TINY_OP_TRUNC, NULL, "cvt.rzi"}, {TINY_OP_EXP2, NULL, "ex2.approx"},
  {TINY_OP_FMA, NULL, "fma.rn"}, {TINY_OP_DOT, "dp4a", NULL}
};
enum { TN_PTX_FORMS = sizeof tn_ptx_forms / sizeof *tn_ptx_forms };

static const char *tn_ptx_form(int op, int real) {
  for (int i = 0; i < TN_PTX_FORMS; i++)
    if (tn_ptx_forms[i].op == op) return real ? tn_ptx_forms[i].real : tn_ptx_forms[i].integer;
  return NULL;
}
// Bits have no sign in these.
static int tn_ptx_is_bitwise(int op) {
  return op == TINY_OP_AND || op == TINY_OP_OR || op == TINY_OP_XOR || op == TINY_OP_SHL || op == TINY_OP_WHERE;
}
static int tn_ptx_may_wrap(const tiny_uop *u) {
  const int op = u->op;
  return (op == TINY_OP_ADD || op == TINY_OP_SUB || op == TINY_OP_MUL || op == TINY_OP_SHL || op == TINY_OP_NEG ||
          op == TINY_OP_CDIV);
}

// Shifts by so much: of 64 bits what is beyond 32 of them is as good as 64.
static tn_ptx_operand tn_ptx_shift(tn_ptx *x, int dtype, tn_ptx_operand by) {
  if (tn_ptx_is_number(by) || tn_ptx_bits(dtype) < 64) return by;
  return tn_ptx_do1(x, 'r', "cvt.u32.u64", tn_ptx_do2(x, 'd', "min.u64", by, tn_ptx_k(64)));
}
static int tn_ptx_is_nan(tn_ptx_operand o) {
  const uint64_t size = (uint64_t)o.n & (o.kind == 'F' ? UINT64_C(0x7FFFFFFF) : UINT64_C(0x7FFFFFFFFFFFFFFF));
  return (o.kind == 'F' && size > 0x7F800000) || (o.kind == 'G' && size > UINT64_C(0x7FF0000000000000));
}
// NaN if one of them is. Of zeros of two signs the first, where one is a number; of values max takes +0 (PTX ISA, max),
// and in which order a sum has them is nobody's.
static tn_ptx_operand tn_ptx_max(tn_ptx *x, int dtype, tn_ptx_operand a, tn_ptx_operand b) {
  const int wide = dtype == TINY_F64;
  const char kind = wide ? 'g' : 'f';
  if (tn_ptx_is_number(b) != tn_ptx_is_number(a) && !tn_ptx_is_nan(a) && !tn_ptx_is_nan(b)) {
    const char *const more = tn_ptx_is_number(b) ? (wide ? "setp.gt.f64" : "setp.gt.f32") :
                                                   (wide ? "setp.gtu.f64" : "setp.gtu.f32");
    const tn_ptx_operand is = tn_ptx_do2(x, 'p', more, b, a);
    return tn_ptx_do(x, kind, wide ? "selp.f64" : "selp.f32", b, a, is);
  }
  if (!wide && x->sm >= 80) return tn_ptx_do2(x, 'f', "max.NaN.f32", a, b);
  const tn_ptx_operand most = tn_ptx_do2(x, kind, wide ? "max.f64" : "max.f32", a, b),
                       is = tn_ptx_do2(x, 'p', wide ? "setp.num.f64" : "setp.num.f32", a, b), nan = {wide ? 'G' : 'F',
                       wide ? (int64_t)0x7FF8 << 48 : 0x7FC00000};
  return tn_ptx_do(x, kind, wide ? "selp.f64" : "selp.f32", most, nan, is);
}
static tn_ptx_operand tn_ptx_logic(tn_ptx *x, const tiny_uop *u, tn_ptx_operand a, tn_ptx_operand b) {
  if (tn_ptx_is_number(b) && u->op == TINY_OP_XOR && b.n) return tn_ptx_do1(x, 'p', "not.pred", a);
  a = tn_ptx_held(x, a, 'p'); b = tn_ptx_held(x, b, 'p');
  return tn_ptx_do2(x, 'p', u->op == TINY_OP_AND ? "and.pred" : u->op == TINY_OP_OR ? "or.pred" : "xor.pred", a, b);
}
// 0 <= x < n asked at once: x, as numbers have no sign.
static const tiny_uop *tn_ptx_is_below(const tiny_uop *u, const tiny_uop **n) {
  for (int i = 0; i < 2 && u->op == TINY_OP_AND; i++) {
    const tiny_uop *least = u->src[i], *most = u->src[!i];
    if (least->op != TINY_OP_LT || most->op != TINY_OP_LT || least->src[1] != most->src[0]) continue;
    const tiny_uop *x = most->src[0], *k = least->src[0];
    if (x->dtype != TINY_I32 || k->op != TINY_OP_CONST || k->k != -1 || most->src[1]->vmin < 0) continue;
    *n = most->src[1];
    return x;
  }
  return NULL;
}
static tn_ptx_operand tn_ptx_choice(tn_ptx *x, int dtype, tn_ptx_operand c, tn_ptx_operand a, tn_ptx_operand b) {
  char tn_ptx_names[16];
  const char kind = tn_ptx_class(dtype);
  if (tn_ptx_is_number(c)) return c.n ? a : b;
  if (kind == 'p') {
    const tn_ptx_operand yes = tn_ptx_do2(x, 'p', "and.pred", c, tn_ptx_held(x, a, 'p')),
        no = tn_ptx_do2(x, 'p', "and.pred", tn_ptx_do1(x, 'p', "not.pred", c), tn_ptx_held(x, b, 'p'));
    return tn_ptx_do2(x, 'p', "or.pred", yes, no);
  }
  return tn_ptx_do(x, kind, TN_PTX_NAME("selp", tn_ptx_bare(kind)), a, b, c);
}

static int tn_ptx_is_one(const tiny_uop *u) {
  while (u->op == TINY_OP_BROADCAST) u = u->src[0];
  return u->op == TINY_OP_CONST && u->k == (int64_t)0x3FF << 52;
}

// One element of what an ALU op gives. o: of its sources.
static tn_ptx_operand tn_ptx_alu(tn_ptx *x, const tiny_uop *u, const tn_ptx_operand *o) {
  char tn_ptx_names[32];
  const int from = u->nsrc ? u->src[u->op == TINY_OP_WHERE]->dtype : u->dtype, real = tn_ptx_is_float(from), op = u->op;
  const char *form = tn_ptx_form(op, real), *type = tn_ptx_type(from);
  const char kind = tn_ptx_class(u->dtype);
  if (!form || !o[0].kind || (tn_ptx_class(from) == 'h' && op != TINY_OP_WHERE)) {
    tn_ptx_fail(x, tiny_op_name(op));
    return o[0];
  }
  if (op == TINY_OP_WHERE) return tn_ptx_choice(x, u->dtype, o[0], o[1], o[2]);
  const tiny_uop *most = NULL, *below = u->lanes == 1 ? tn_ptx_is_below(u, &most) : NULL;
  if (below) return tn_ptx_do2(x, 'p', "setp.lt.u32", tn_ptx_element(x, below, 0), tn_ptx_element(x, most, 0));
  if (from == TINY_BOOL) return tn_ptx_logic(x, u, o[0], o[1]);
  if (op == TINY_OP_MAX && real) return tn_ptx_max(x, from, o[0], o[1]);
  if (op == TINY_OP_FDIV && tn_ptx_is_one(u->src[0])) return tn_ptx_do1(x, kind, TN_PTX_NAME("rcp.rn", type), o[1]);
  if (op == TINY_OP_DOT) return tn_ptx_do(x, 'r', "dp4a.u32.s32", o[0], o[1], o[2]);
  if (op == TINY_OP_TRUNC) {
    if (!real) return o[0];
    return tn_ptx_do1(x, kind, from == TINY_F64 ? "cvt.rzi.f64.f64" : "cvt.rzi.f32.f32", o[0]);
  }
  if (op == TINY_OP_NEG && !real) type = tn_ptx_bits(from) == 64 ? "s64" : "s32";
  if (tn_ptx_is_bitwise(op)) type = tn_ptx_bits(from) == 64 ? "b64" : "b32";
  tn_ptx_operand b = u->nsrc > 1 ? o[1] : tn_ptx_none;
  if (op == TINY_OP_SHL || op == TINY_OP_SHR) b = tn_ptx_shift(x, from, b);
  const tn_ptx_operand a = (op == TINY_OP_SHL || op == TINY_OP_SHR) ? tn_ptx_held(x, o[0], tn_ptx_class(from)) : o[0],
                       y = tn_ptx_do(x, kind, TN_PTX_NAME(form, type), a, b, u->nsrc > 2 ? o[2] : tn_ptx_none);
  return kind == 'r' && tn_ptx_may_wrap(u) ? tn_ptx_wrapped(x, u->dtype, y) : y;
}

// ** vectors: elements and words **

static int tn_ptx_nwords(const tiny_uop *u) { return u->lanes * tn_ptx_bits(u->dtype) / 32; }
// Are there words of it, apart from its elements?
static int tn_ptx_packs(const tiny_uop *u) {
  const int bits = tn_ptx_bits(u->dtype);
  return u->lanes > 1 && bits && bits < 32 && u->dtype != TINY_BOOL && u->lanes * bits % 32 == 0;
}
static void tn_ptx_put(tn_ptx *x, int at, tn_ptx_operand o) { if (!x->failed) x->pool.of[at] = o; }

// Element i of words.
static tn_ptx_operand tn_ptx_unpack(tn_ptx *x, int dtype, tn_ptx_operand word, int i) {
  const int bits = tn_ptx_bits(dtype), at = i * bits % 32;
  const int is_signed = tn_ptx_is_signed(dtype);
  if (bits == 16 && at) return tn_ptx_do2(x, 'r', is_signed ? "shr.s32" : "shr.u32", word, tn_ptx_k(16));
  if (bits == 16) return tn_ptx_wrapped(x, dtype, word);
  return tn_ptx_do(x, 'r', is_signed ? "bfe.s32" : "bfe.u32", word, tn_ptx_k(at), tn_ptx_k(bits));
}
static void tn_ptx_unpack_all(tn_ptx *x, const tiny_uop *u) {
  const int first = tn_ptx_take(x, u->lanes), words = x->words[u->seq];
  x->elements[u->seq] = first;
  for (int i = 0; i < u->lanes && !x->failed; i++) {
    const tn_ptx_operand word = x->pool.of[words + i * tn_ptx_bits(u->dtype) / 32];
    if (tn_ptx_class(u->dtype) != 'h') { tn_ptx_put(x, first + i, tn_ptx_unpack(x, u->dtype, word, i)); continue; }
    if (i & 1) continue;
    const tn_ptx_operand half[2] = {tn_ptx_register(x, 'h'), tn_ptx_register(x, 'h')};
    tn_ptx_split(x, "mov.b32", half, word);
    tn_ptx_put(x, first + i, half[0]);
    tn_ptx_put(x, first + i + 1, half[1]);
  }
}

// One word of 32 / bits elements.
static tn_ptx_operand tn_ptx_pack(tn_ptx *x, int dtype, const tn_ptx_operand *o) {
  tn_ptx_operand a[4];
  const int n = 32 / tn_ptx_bits(dtype);
  for (int i = 0; i < n; i++) a[i] = tn_ptx_held(x, o[i], tn_ptx_class(dtype));
  if (tn_ptx_class(dtype) == 'h') return tn_ptx_join(x, 'r', "mov.b32", a);
  if (n == 2) return tn_ptx_do(x, 'r', "prmt.b32", a[0], a[1], tn_ptx_k(0x5410));
  const tn_ptx_operand low = tn_ptx_do(x, 'r', "prmt.b32", a[0], a[1], tn_ptx_k(0x3340)),
                       high = tn_ptx_do(x, 'r', "prmt.b32", a[2], a[3], tn_ptx_k(0x3340));
  return tn_ptx_do(x, 'r', "prmt.b32", low, high, tn_ptx_k(0x5410));
}
static void tn_ptx_pack_all(tn_ptx *x, const tiny_uop *u) {
  const int n = tn_ptx_nwords(u), each = u->lanes / n, first = tn_ptx_take(x, n);
  x->words[u->seq] = first;
  for (int i = 0; i < n && !x->failed; i++) {
    tn_ptx_operand o[4];
    for (int j = 0; j < each; j++) o[j] = tn_ptx_element(x, u, i * each + j);
    tn_ptx_put(x, first + i, tn_ptx_pack(x, u->dtype, o));
  }
}
// The other form as well, where a user wants it.
static void tn_ptx_complete(tn_ptx *x, const tiny_uop *u) {
  if (x->failed || !tn_ptx_packs(u)) return;
  const int wants = x->wants[u->seq];
  if (x->words[u->seq] < 0 && (wants & TN_PTX_WORDS)) tn_ptx_pack_all(x, u);
  if (x->elements[u->seq] < 0 && (wants & TN_PTX_ELEMENTS)) tn_ptx_unpack_all(x, u);
}

// Word i of a vector's bits; of one element, too.
static tn_ptx_operand tn_ptx_word(tn_ptx *x, const tiny_uop *u, int i) {
  if (tn_ptx_packs(u)) return x->words[u->seq] < 0 ? tn_ptx_none : x->pool.of[x->words[u->seq] + i];
  const char kind = tn_ptx_class(u->dtype);
  if (kind == 'r' || kind == 'f') {
    const tn_ptx_operand o = tn_ptx_element(x, u, i);
    return kind == 'f' ? tn_ptx_do1(x, 'r', "mov.b32", o) : tn_ptx_held(x, o, 'r');
  }
  const tn_ptx_operand half[2] = {tn_ptx_register(x, 'r'), tn_ptx_register(x, 'r')};
  tn_ptx_split(x, "mov.b64", half, tn_ptx_held(x, tn_ptx_element(x, u, i / 2), kind));
  return half[i & 1];
}
static tn_ptx_operand tn_ptx_of_words(tn_ptx *x, int dtype, tn_ptx_operand low, tn_ptx_operand high) {
  const char kind = tn_ptx_class(dtype);
  if (kind == 'r') return low;
  if (kind == 'f') return tn_ptx_do1(x, 'f', "mov.b32", low);
  const tn_ptx_operand both[2] = {low, high};
  return tn_ptx_join(x, kind, "mov.b64", both);
}
#endif
