/* tiny_metal.m 0.1.0, source 55fe73de0978bbc2a4bfda5b68c04cc5a9e6d5c822dc78a221a3252427b4b621

This file is written by tools/amalgamate.py from src/ and never edited by hand.

The implementation of tiny_metal.h. It is compiled by itself, and finds tiny.h and tiny_metal.h beside it.
*/
#undef TINY_IMPLEMENTATION
#include "tiny.h"
#include "tiny_metal.h"
#ifndef TINY_AMALGAMATED
  #define TINY_AMALGAMATED
#endif
// ---- begin src/metal/all.m ----
// all: the implementation of tiny_metal.h, one #include a room. Of the library it uses what tiny.h shows to everyone.
// ---- begin src/metal/../base/digits.c ----
// digits: whole numbers in text without a sign: of devices, of versions, of addresses.
//
// In:  text. Out: what its first digits say, and what stands behind them.
// Holds: it stands in companion headers, as library.c does, and uses nothing of the other rooms; the host's locale
//        changes nothing.
#ifndef TN_BASE_DIGITS
#define TN_BASE_DIGITS
#include <stdint.h>
#include <string.h>

// What the digits that text begins with say in base 10 or 16. 0: there are none; UINT64_MAX: that, or more. *end:
// behind them; end may be NULL.
static uint64_t tn_digits_value(const char *text, uint64_t base, const char **end) {
  static const char digits[] = "0123456789abcdef";
  uint64_t k = 0;
  for (; *text; text++) {
    const char *digit = strchr(digits, *text >= 'A' && *text <= 'F' ? *text - 'A' + 'a' : *text);
    if (!digit || (uint64_t)(digit - digits) >= base) break;
    const uint64_t d = (uint64_t)(digit - digits);
    k = k > (UINT64_MAX - d) / base ? UINT64_MAX : k * base + d;
  }
  if (end) *end = text;
  return k;
}
#endif
// ---- end src/metal/../base/digits.c ----
// ---- begin src/metal/../base/prepared.c ----
// prepared: launches that are handed over together again and again, as a list of commands that was prepared.
//
// In:    the launches of a submit. Out: the list of commands; of parameters only what has changed is written.
// Holds: the same kernels in the same grids are the same list, whatever memory and numbers they are given. It is made
//        when they come for the second time. There are two copies of what the GPU reads, so that one may be written
//        while the other is in use. A list goes before the module of one of its kernels does. It stands in companion
//        headers, as library.c does, and uses what tiny.h shows to everyone.
#ifndef TN_BASE_PREPARED
#define TN_BASE_PREPARED
#ifndef TINY_API
#include "../api/api.h"
#endif
#include <string.h>

// graphs that are kept; launches that are worth one; how often they come before; copies
enum { TN_PREPARED_GRAPHS = 16, TN_PREPARED_LEAST = 2, TN_PREPARED_AFTER = 2, TN_PREPARED_COPIES = 2 };

typedef struct tn_prepared_step {
  const void *kernel; int64_t global[3], local[3]; size_t local_nbytes, at, value; int nmem, nargs;
} tn_prepared_step;
// What the GPU reads: arguments, then words of commands. busy: the last submission of it.
typedef struct tn_prepared_list {
  void *memory; char *cpu; uint64_t va, busy; uint64_t *value; size_t nwords;
} tn_prepared_list;
typedef struct tn_prepared_graph {
  uint64_t hash, last; int n, seen;
  tn_prepared_step *step; size_t nvalue, nbytes;             // nbytes: of arguments
  tn_prepared_list list[TN_PREPARED_COPIES];
} tn_prepared_graph;
// What a device knows of its launches. args: where a launch's arguments are; codes and NULL: an error of the context's.
typedef struct tn_prepared_calls {
  size_t words;                            // of commands of a launch, at most
  const void *(*module)(const void *kernel);
  size_t (*args_nbytes)(const void *kernel);
  uint64_t (*value)(const tiny_launch *l, int i);            // of parameter i of nmem + nargs
  tiny_code (*ready)(void *user, const tiny_launch *l);      // does it fit? what it needs beside its memory is there
  void (*write)(void *user, const tiny_launch *l, char *args, uint64_t va);
  void (*put)(const tiny_launch *l, int i, uint64_t value, char *args);
  void (*bound)(const tiny_launch *l, char *args);           // parameters of it were put; NULL: nothing to do
  size_t (*command)(void *user, const tiny_launch *l, int first, uint64_t args, uint32_t *at);     // how many words
  void *(*make)(void *user, size_t nbytes, char **cpu, uint64_t *va);
  void (*drop)(void *user, void *memory);
  uint64_t (*done)(void *user);
  tiny_code (*wait)(void *user, uint64_t number);
} tn_prepared_calls;
typedef struct tn_prepared {
  tiny_ctx *t; void *user; const tn_prepared_calls *calls;
  uint64_t count; tn_prepared_graph *graph[TN_PREPARED_GRAPHS];
} tn_prepared;

static uint64_t tn_prepared_mix(uint64_t h, uint64_t x) {
  h = (h ^ x) * UINT64_C(0x9E3779B97F4A7C15);
  return h ^ (h >> 29);
}
static uint64_t tn_prepared_hash(const tiny_launch *l, int n) {
  uint64_t h = (uint64_t)n;
  for (int i = 0; i < n; i++) {
    h = tn_prepared_mix(h, (uint64_t)(uintptr_t)l[i].kernel);
    for (int k = 0; k < 3; k++)
      h = tn_prepared_mix(tn_prepared_mix(h, (uint64_t)l[i].global[k]), (uint64_t)l[i].local[k]);
    h = tn_prepared_mix(tn_prepared_mix(h, l[i].local_nbytes), (uint64_t)(l[i].nmem + l[i].nargs));
  }
  return h;
}

// Waits for what still uses it.
static void tn_prepared_close(tn_prepared *p, int i) {
  tn_prepared_graph *g = p->graph[i];
  if (!g) return;
  for (int k = 0; k < TN_PREPARED_COPIES; k++) {
    tn_prepared_list *l = &g->list[k];
    if (l->memory) { p->calls->wait(p->user, l->busy); p->calls->drop(p->user, l->memory); }
    if (l->value) tiny_realloc(p->t, l->value, g->nvalue * sizeof *l->value, 0);
  }
  if (g->step) tiny_realloc(p->t, g->step, (size_t)g->n * sizeof *g->step, 0);
  tiny_realloc(p->t, g, sizeof *g, 0);
  p->graph[i] = NULL;
}
static void tn_prepared_close_all(tn_prepared *p) {
  for (int i = 0; i < TN_PREPARED_GRAPHS; i++) tn_prepared_close(p, i);
}
// Those that launch a kernel of the module, or came before kernels that stand where one of its stood.
static void tn_prepared_leave(tn_prepared *p, const void *module) {
  for (int i = 0; i < TN_PREPARED_GRAPHS; i++) {
    const tn_prepared_graph *g = p->graph[i];
    int uses = 0;
    for (int k = 0; g && k < g->n && !uses; k++) uses = p->calls->module(g->step[k].kernel) == module;
    if (uses) tn_prepared_close(p, i);
  }
}

static void tn_prepared_steps(tn_prepared *p, tn_prepared_graph *g, const tiny_launch *l) {
  for (int i = 0; i < g->n; i++) {
    tn_prepared_step *s = &g->step[i];
    s->kernel = l[i].kernel;
    memcpy(s->global, l[i].global, sizeof s->global);
    memcpy(s->local, l[i].local, sizeof s->local);
    s->local_nbytes = l[i].local_nbytes; s->nmem = l[i].nmem; s->nargs = l[i].nargs;
    s->at = g->nbytes; s->value = g->nvalue;
    g->nbytes += p->calls->args_nbytes(s->kernel);
    g->nvalue += (size_t)(s->nmem + s->nargs);
  }
  g->nvalue += !g->nvalue;
}
// The graph of these launches, perhaps one that is not made yet, in the place of the one that came longest ago. NULL:
// memory was refused.
static tn_prepared_graph *tn_prepared_find(tn_prepared *p, const tiny_launch *l, int n) {
  const uint64_t hash = tn_prepared_hash(l, n);
  int oldest = 0;
  for (int i = 0; i < TN_PREPARED_GRAPHS; i++) {
    tn_prepared_graph *g = p->graph[i];
    if (g && g->hash == hash && g->n == n) return g;
    if (!g || (p->graph[oldest] && g->last < p->graph[oldest]->last)) oldest = i;
  }
  tn_prepared_close(p, oldest);
  tn_prepared_graph *g = (tn_prepared_graph *)tiny_realloc(p->t, NULL, 0, sizeof *g);
  if (!g) return NULL;
  memset(g, 0, sizeof *g);
  g->hash = hash; g->n = n;
  g->step = (tn_prepared_step *)tiny_realloc(p->t, NULL, 0, (size_t)n * sizeof *g->step);
  if (!g->step) { tiny_realloc(p->t, g, sizeof *g, 0); return NULL; }
  tn_prepared_steps(p, g, l);
  return p->graph[oldest] = g;
}
// Is it the graph of these launches, and not one whose hash is the same?
static int tn_prepared_fits(const tn_prepared_graph *g, const tiny_launch *l) {
  for (int i = 0; i < g->n; i++) {
    const tn_prepared_step *s = &g->step[i];
    if (s->kernel != l[i].kernel || s->local_nbytes != l[i].local_nbytes || s->nmem != l[i].nmem ||
        s->nargs != l[i].nargs || memcmp(s->global, l[i].global, sizeof s->global) ||
        memcmp(s->local, l[i].local, sizeof s->local))
      return 0;
  }
  return 1;
}
static int tn_prepared_wanted(const tiny_launch *l, int n) {
  for (int i = 0; i < n; i++)
    if (l[i].stamp || l[i].global[0] < 1 || l[i].global[1] < 1 || l[i].global[2] < 1) return 0;
  return n >= TN_PREPARED_LEAST;
}
// NULL: these launches are to be given one by one.
static tn_prepared_graph *tn_prepared_of(tn_prepared *p, const tiny_launch *l, int n) {
  tn_prepared_graph *g = tn_prepared_wanted(l, n) ? tn_prepared_find(p, l, n) : NULL;
  if (!g || !tn_prepared_fits(g, l)) return NULL;
  g->last = ++p->count;
  return g->seen < TN_PREPARED_AFTER && ++g->seen < TN_PREPARED_AFTER ? NULL : g;
}

// ** lists **

static void tn_prepared_write(tn_prepared *p, const tn_prepared_graph *g, tn_prepared_list *list,
                              const tiny_launch *l) {
  uint32_t *at = (uint32_t *)(void *)(list->cpu + g->nbytes);
  for (int i = 0; i < g->n; i++) {
    p->calls->write(p->user, &l[i], list->cpu + g->step[i].at, list->va + g->step[i].at);
    at += p->calls->command(p->user, &l[i], !i, list->va + g->step[i].at, at);
    for (int k = 0; k < l[i].nmem + l[i].nargs; k++)
      list->value[g->step[i].value + (size_t)k] = p->calls->value(&l[i], k);
  }
  list->nwords = (size_t)(at - (uint32_t *)(void *)(list->cpu + g->nbytes));
}
// 0: not made, which is the context's error.
static int tn_prepared_make(tn_prepared *p, const tn_prepared_graph *g, tn_prepared_list *list, const tiny_launch *l) {
  for (int i = 0; i < g->n; i++) if (p->calls->ready(p->user, &l[i]) != TINY_OK) return 0;
  list->value = (uint64_t *)tiny_realloc(p->t, NULL, 0, g->nvalue * sizeof *list->value);
  if (!list->value) {
    tiny_fail(p->t, TINY_E_MEMORY, "no memory for a list of commands");
    return 0;
  }
  list->memory = p->calls->make(p->user, g->nbytes + (size_t)g->n * p->calls->words * 4, &list->cpu, &list->va);
  if (list->memory) { tn_prepared_write(p, g, list, l); return 1; }
  tiny_realloc(p->t, list->value, g->nvalue * sizeof *list->value, 0);
  list->value = NULL;
  return 0;
}
// Does the list have other parameters than these?
static int tn_prepared_differs(tn_prepared *p, const tn_prepared_graph *g, const tn_prepared_list *list,
                               const tiny_launch *l) {
  for (int i = 0; i < g->n; i++)
    for (int k = 0; k < l[i].nmem + l[i].nargs; k++)
      if (list->value[g->step[i].value + (size_t)k] != p->calls->value(&l[i], k)) return 1;
  return 0;
}
// Parameters that differ, and what is made of them.
static void tn_prepared_bind(tn_prepared *p, const tn_prepared_step *s, const tn_prepared_list *list,
                             const tiny_launch *l) {
  int changed = 0;
  for (int k = 0; k < l->nmem + l->nargs; k++) {
    uint64_t *was = &list->value[s->value + (size_t)k];
    const uint64_t value = p->calls->value(l, k);
    if (value == *was) continue;
    *was = value;
    changed = 1;
    p->calls->put(l, k, value, list->cpu + s->at);
  }
  if (changed && p->calls->bound) p->calls->bound(l, list->cpu + s->at);
}
// One with these parameters already, or one that nothing uses, or a second one, or the one that is free first. NULL
// after an error.
static tn_prepared_list *tn_prepared_list_of(tn_prepared *p, tn_prepared_graph *g, const tiny_launch *l) {
  const uint64_t done = p->calls->done(p->user);
  tn_prepared_list *best = NULL;
  for (int i = 0; i < TN_PREPARED_COPIES; i++) {
    tn_prepared_list *x = &g->list[i];
    if (x->memory && !tn_prepared_differs(p, g, x, l)) return x;
    if (!x->memory && (!best || best->busy > done)) return tn_prepared_make(p, g, x, l) ? x : NULL;
    if (x->memory && (!best || x->busy < best->busy)) best = x;
  }
  if (p->calls->wait(p->user, best->busy) != TINY_OK) return NULL;
  for (int i = 0; i < g->n; i++) tn_prepared_bind(p, &g->step[i], best, &l[i]);
  return best;
}
#endif
// ---- end src/metal/../base/prepared.c ----
// ---- begin src/metal/../render/lang_metal.c ----
// lang_metal: the descriptor of Metal Shading Language 2.4 and newer: an element at a time or vectors of 2 and 4.
//
// Out: tn_lang_metal fills a tiny_renderer. A kernel has memory of PARAM k in buffer k and ARG k, low bytes first, in
//      buffer 30 - k: there are 31 (Metal Feature Set Tables).
// Holds:
//  - There is no f64: rendering it says so. bf16 has a name from 3.1 on; without, and as fp8, it is an integer that
//    rules/decompose.c takes apart. limits.dtypes is to be TN_METAL_ARITHMETIC: narrow floats are computed in f32.
//  - The text is to be compiled without fast math (MTLCompileOptions: mathMode safe; before macOS 15 fastMathEnabled
//    NO), else it may be taken that there is no NaN, infinity or -0 (1.6.5). From 3.2 on it says so itself. Without it
//    compilers still fuse products with sums (1.6.3, fp contract): the pragmas say no, FMAs are those of the list.
//  - exp2, log2 and sin are decomposed: the language allows them 4 ulp (8.4), this library promises 1, but for 2^x that
//    is rounded to a narrow float. Quotients and
//    roots are rounded correctly. The device may flush numbers below the normals of f32 to 0 (8.1).
//  - Integers wrap: sums and products are of unsigned types, unless their bounds say that they need not.
//  - Items are numbered by SIMD-groups, so that those beside each other are lanes of one, whose width the limits' warp
//    is, where the device permutes their values (Metal Feature Set Tables: family Apple6 and newer, Mac2). Reductions
//    are exchanges: in which order simd_sum adds is not said (6.9.2), and bits are not to depend on the device.
//  - Matrix units are simdgroup_matrix (2.3 and newer, family Apple7 and newer). Where a kernel has them, bits of a
//    lane's number change places, so that items are numbered as machine/units.c has it; exchanges follow.
//  - Vectors lie in memory at the alignment of an element: packed_float4 and so on (2.2.3), unless it is known that
//    they lie at multiples of their size: buffers do (16 bytes at least), and so does threadgroup memory.
//  - Quotients by numbers are written as such: products by reciprocals of 64 bits and shifts instead of them come out
//    wrong (tinygrad, pull request 14137).
//  - No kernel says that its groups are at most one SIMD-group, of 32: of those that say it Apple's compiler gets
//    threadgroup_barrier(mem_flags::mem_threadgroup) wrong where there are fewer threads (MoltenVK, issue 2711; M2 Pro,
//    macOS 15.7). 33 is enough.
// What is what: Apple, Metal Shading Language Specification.
#ifndef TN_RENDER_LANG_METAL
#define TN_RENDER_LANG_METAL
#ifndef TINY_API
#include "../api/api.h"
#endif
#include <string.h>

// limits.dtypes: all but narrow floats, and f64, which is not there.
#define TN_METAL_ARITHMETIC (~((uint64_t)1 << TINY_F16 | (uint64_t)1 << TINY_BF16 | (uint64_t)1 << TINY_F8E4M3 | \
                               (uint64_t)1 << TINY_F8E5M2 | (uint64_t)1 << TINY_F64))

// wrap(x) is x as its sums wrap: narrow integers would become int. S: a space of addresses, of which pointers are (4).
// MATRICES: elements of a simdgroup_matrix are those of lanes whose bits are C1 R0 R1 C2 R2 of columns and rows (MLX,
// steel/gemm/mma.h, get_coord), in items' order C1 C2 R0 R1 R2. thread_elements() is in the language's headers, not in
// its specification; MLX and tinygrad (renderer/cstyle.py) rely on it, llama.cpp on sums of f32 of narrower factors.
static const char *const tn_metal_prelude[] = {
  "#define MATRICES",
  "#include <metal_stdlib>",
  "using namespace metal;",
  "#if __METAL_VERSION__ >= 320",
  "  #pragma METAL fp math_mode(safe)",
  "  #pragma METAL fp contract(off)",
  "#else",
  "  #pragma clang fp contract(off)",
  "#endif",
  "#define WRAP(T, U, V) inline V wrap(T x) { return V(x); } inline U##2 wrap(T##2 x) { return U##2(x); } \\",
  "  inline U##4 wrap(T##4 x) { return U##4(x); }",
  "WRAP(char, uchar, uint) WRAP(uchar, uchar, uint) WRAP(short, ushort, uint) WRAP(ushort, ushort, uint)",
  "WRAP(int, uint, uint) WRAP(uint, uint, uint) WRAP(long, ulong, ulong) WRAP(ulong, ulong, ulong)",
  "WRAP(half, half, half) WRAP(float, float, float)",
  "#define MEMORY_IN(S, T, L) \\",
  "  inline T##L load##L(const S T *p) { return T##L(*(const S packed_##T##L *)p); } \\",
  "  inline void store##L(S T *p, T##L v) { *(S packed_##T##L *)p = packed_##T##L(v); } \\",
  "  inline T##L load_aligned##L(const S T *p) { return *(const S T##L *)p; } \\",
  "  inline void store_aligned##L(S T *p, T##L v) { *(S T##L *)p = v; } \\",
  "  inline T##L load_masked(const S T *p, bool##L m, T##L y) { \\",
  "    for (int i = 0; i < L; i++) if (m[i]) y[i] = p[i]; return y; } \\",
  "  inline void store_masked(S T *p, T##L v, bool##L m) { for (int i = 0; i < L; i++) if (m[i]) p[i] = v[i]; } \\",
  "  APART_IN(S, T, L, int) APART_IN(S, T, L, long)",
  "#define APART_IN(S, T, L, I) \\",
  "  inline T##L gather(const S T *p, I##L k) { T##L v; for (int i = 0; i < L; i++) v[i] = p[k[i]]; return v; } \\",
  "  inline T##L gather_masked(const S T *p, I##L k, bool##L m, T##L y) { \\",
  "    for (int i = 0; i < L; i++) if (m[i]) y[i] = p[k[i]]; return y; } \\",
  "  inline void scatter(S T *p, I##L k, T##L v) { for (int i = 0; i < L; i++) p[k[i]] = v[i]; } \\",
  "  inline void scatter_masked(S T *p, I##L k, T##L v, bool##L m) { \\",
  "    for (int i = 0; i < L; i++) if (m[i]) p[k[i]] = v[i]; }",
  "#define MEMORY(T) MEMORY_IN(device, T, 2) MEMORY_IN(device, T, 4) MEMORY_IN(threadgroup, T, 2) \\",
  "  MEMORY_IN(threadgroup, T, 4)",
  "MEMORY(char) MEMORY(uchar) MEMORY(short) MEMORY(ushort) MEMORY(int) MEMORY(uint) MEMORY(long) MEMORY(ulong)",
  "MEMORY(half) MEMORY(float)",
  // x of the lane whose number is this one's ^ mask, as a type that 6.9.2 has
  "#define EXCHANGED(T, U) inline T exchanged(T x, ushort mask) { \\",
  "  return as_type<T>(simd_shuffle_xor(as_type<U>(x), mask)); }",
  "EXCHANGED(char, char) EXCHANGED(uchar, uchar) EXCHANGED(short, short) EXCHANGED(ushort, ushort) EXCHANGED(int, int)",
  "EXCHANGED(uint, uint) EXCHANGED(long, uint2) EXCHANGED(ulong, uint2) EXCHANGED(half, half) EXCHANGED(float, float)",
  "#if __METAL_VERSION__ >= 310",
  "  WRAP(bfloat, bfloat, bfloat) MEMORY(bfloat) EXCHANGED(bfloat, ushort)",
  "#endif",
  "#ifdef MATRICES",
  "  constant bool tiled = false;",
  "  #define LANE_OF_ITEM(i) (tiled ? ((i) & 17) | ((i) << 2 & 8) | ((i) >> 1 & 6) : (i))",
  "  #define ITEM_OF_LANE(i) (((i) & 17) | ((i) >> 2 & 2) | ((i) << 1 & 12))",
  "  #define MATRIX(name, T, W) inline float2 matrix_##name(W x, W y, float2 z) { \\",
  "    const T##2 p = as_type<T##2>(x), q = as_type<T##2>(y); \\",
  "    simdgroup_matrix<T, 8, 8> a, b; simdgroup_matrix<float, 8, 8> c; \\",
  "    a.thread_elements()[0] = p[0]; b.thread_elements()[0] = q[0]; c.thread_elements()[0] = z[0]; \\",
  "    a.thread_elements()[1] = p[1]; b.thread_elements()[1] = q[1]; c.thread_elements()[1] = z[1]; \\",
  "    simdgroup_multiply_accumulate(c, a, b, c); \\",
  "    return float2(c.thread_elements()[0], c.thread_elements()[1]); }",
  "  MATRIX(apple_8x8x8_f16, half, uint) MATRIX(apple_8x8x8_f32, float, uint2)",
  "  #if __METAL_VERSION__ >= 310",
  "    MATRIX(apple_8x8x8_bf16, bfloat, uint)",
  "  #endif",
  "#endif",
  NULL
};

// exact: of what cannot wrap; vector NULL: as scalar.
static const struct { int op; const char *scalar, *exact, *vector; } tn_metal_ops[] = {
  {TINY_OP_NEG, "%t(-wrap(%0))", "-%0", NULL}, {TINY_OP_ADD, "%t(wrap(%0) + wrap(%1))", "%0 + %1", NULL},
  {TINY_OP_SUB, "%t(wrap(%0) - wrap(%1))", "%0 - %1", NULL},
  {TINY_OP_MUL, "%t(wrap(%0) * wrap(%1))", "%0 * %1", NULL}, {TINY_OP_FDIV, "%t(%0 / %1)", "%0 / %1", NULL},
  {TINY_OP_CDIV, "%t(%0 / %1)", "%0 / %1", NULL}, {TINY_OP_CMOD, "%t(%0 %% %1)", "%0 %% %1", NULL},
  {TINY_OP_AND, "%t(%0 & %1)", "%0 & %1", NULL}, {TINY_OP_OR, "%t(%0 | %1)", "%0 | %1", NULL},
  {TINY_OP_XOR, "%t(%0 ^ %1)", "%0 ^ %1", NULL}, {TINY_OP_SHL, "%t(wrap(%0) << wrap(%1))", NULL, NULL},
  {TINY_OP_SHR, "%t(%0 >> %1)", "%0 >> %1", NULL}, {TINY_OP_LT, "%0 < %1", NULL, NULL},
  {TINY_OP_NE, "%0 != %1", NULL, NULL}, {TINY_OP_EQ, "%0 == %1", NULL, NULL},
  {TINY_OP_WHERE, "%0 ? %1 : %2", NULL, "select(%2, %1, %0)"},
  {TINY_OP_EXP2, "precise::exp2(%0)", NULL, NULL},
  {TINY_OP_SQRT, "precise::sqrt(%0)", NULL, NULL}, {TINY_OP_TRUNC, "trunc(%0)", NULL, NULL},
  {TINY_OP_CAST, "static_cast<%t>(%0)", NULL, NULL}, {TINY_OP_BITCAST, "as_type<%t>(%0)", NULL, NULL},
  {TINY_OP_BROADCAST, "%t(%0)", NULL, NULL}, {TINY_OP_PICK, "%0[%k]", NULL, NULL},
  {TINY_OP_STACK, "%t(%a)", NULL, NULL}, {TINY_OP_SHUFFLE, "exchanged(%0, %k)", NULL, NULL},
  {TINY_OP_FMA, "fma(%0, %1, %2)", NULL, NULL}, {TINY_OP_WMMA, "matrix_%n(%0, %1, %2)", NULL, NULL},
  {TINY_OP_LOAD, "*(%0)", NULL, NULL},
  {TINY_OP_STORE, "*(%0) = %1", NULL, NULL}
};

// version: from which on there is one.
static const struct { int dtype, version; const char *type, *literal; } tn_metal_types[] = {
  {TINY_VOID, 0, "void", NULL}, {TINY_BOOL, 0, "bool", "bool(%k)"}, {TINY_I8, 0, "char", NULL},
  {TINY_U8, 0, "uchar", NULL}, {TINY_I16, 0, "short", NULL}, {TINY_U16, 0, "ushort", NULL}, {TINY_I32, 0, "int", "%k"},
  {TINY_U32, 0, "uint", "%ku"}, {TINY_I64, 0, "long", "%kl"}, {TINY_U64, 0, "ulong", "%kul"},
  {TINY_F16, 0, "half", "half(%kf)"}, {TINY_BF16, 31, "bfloat", "bfloat(%kf)"}, {TINY_F32, 0, "float", "%kf"}
};

// limits.atomics: MSL 6.15.2; of floats from 3.0 on.
#define TN_METAL_ATOMICS(version) ((uint64_t)1 << TINY_I32 | (uint64_t)1 << TINY_U32 | \
                                   (uint64_t)((version) >= 30) << TINY_F32)
#define TN_METAL_ADD(type) "atomic_fetch_add_explicit((device " type " *)(%0), %1, memory_order_relaxed)"

// What a device has: lanes of a SIMD-group exchange values; and multiply matrices.
enum { TN_METAL_LANES = 1, TN_METAL_MATRICES = 2 };
#define TN_METAL_KERNEL \
  "[[kernel, max_total_threads_per_threadgroup(%0 * %1 * %2 > 32 ? %0 * %1 * %2 : 33)]] void %n(%a,\n"
#define TN_METAL_ITEMS \
  "    uint3 group [[threadgroup_position_in_grid]], uint simd [[simdgroup_index_in_threadgroup]],\n" \
  "    uint width [[threads_per_simdgroup]], uint lane [[thread_index_in_simdgroup]]) {\n"
#define TN_METAL_ITEM "  const uint item[3] = {number %% %0, number / %0 %% %1, number / (%0 * %1)};"

static void tn_metal_formats(tiny_language *l, int has) {
  l->prelude = tn_metal_prelude + !(has & TN_METAL_MATRICES);
  l->kernel = TN_METAL_KERNEL
      "    uint3 group [[threadgroup_position_in_grid]], uint3 item [[thread_position_in_threadgroup]]) {";
  if (has & TN_METAL_LANES) l->kernel = TN_METAL_KERNEL TN_METAL_ITEMS
      "  const uint number = simd * width + lane;\n" TN_METAL_ITEM;
  l->kernel_units = TN_METAL_KERNEL TN_METAL_ITEMS
      "  const bool tiled = true;\n  const uint number = simd * width + ITEM_OF_LANE(lane);\n" TN_METAL_ITEM;
  l->end = "}";
  l->buffer = "device %t *%n [[buffer(%k)]]"; l->buffer_read = "device const %t *%n [[buffer(%k)]]";
  l->scalar = "constant %t &%n [[buffer(30 - %k)]]";
  l->local = "alignas(16) threadgroup %t %n[%k];";
  l->barrier = "threadgroup_barrier(mem_flags::mem_threadgroup);";
  l->global_id = "static_cast<%t>(group[%d])"; l->local_id = "static_cast<%t>(item[%d])";
  l->variable = "%t %n;"; l->variables = "%t %n[%k];";
  l->value = "const %t %n = %0;"; l->choice = "%t %n = %0;";
  l->infinity = "%t(as_type<float>(0x7F800000u))"; l->nan = "%t(as_type<float>(0x7FC00000u))"; l->zero = "%t(0)";
  l->vector = "%e%l";
  l->address = "%0 + %1";
  l->load = "load%l(%0)"; l->load_masked = "load_masked(%0, %1, %2)";
  l->load_aligned = "load_aligned%l(%0)"; l->store_aligned = "store_aligned%l(%0, %1)";
  l->gather = "gather(%0, %1)"; l->gather_masked = "gather_masked(%0, %1, %2, %3)";
  l->store = "store%l(%0, %1)"; l->store_masked = "store_masked(%0, %1, %2)";
  l->scatter = "scatter(%0, %1, %2)"; l->scatter_masked = "scatter_masked(%0, %1, %2, %3)";
  l->low = "%0.xy"; l->high = "%0.zw";
}

// version: 23 of 2.3, 31 of 3.1: what MTLCompileOptions asks for. has: TN_METAL_LANES ..
static void tn_lang_metal(tiny_renderer *r, int version, int has) {
  tiny_language *l = &r->language;
  memset(r, 0, sizeof *r);
  r->name = "Metal"; r->file = "metal";
  r->flags = TINY_TARGET_OPTIMIZES | TINY_TARGET_ALIGNED; r->exp2_ulps = 4; r->vector_lanes = 4;
  tn_metal_formats(l, has);
  l->atomics[TINY_I32] = TN_METAL_ADD("atomic_int"); l->atomics[TINY_U32] = TN_METAL_ADD("atomic_uint");
  if (version >= 30) l->atomics[TINY_F32] = TN_METAL_ADD("atomic_float");
  l->bops[TINY_OP_AND] = "%0 && %1"; l->bops[TINY_OP_OR] = "%0 || %1"; l->bops[TINY_OP_XOR] = "%0 != %1";
  for (size_t i = 0; i < sizeof tn_metal_types / sizeof *tn_metal_types; i++) {
    if (tn_metal_types[i].version > version) continue;
    l->types[tn_metal_types[i].dtype] = tn_metal_types[i].type;
    l->literals[tn_metal_types[i].dtype] = tn_metal_types[i].literal;
  }
  for (size_t i = 0; i < sizeof tn_metal_ops / sizeof *tn_metal_ops; i++) {
    l->ops[tn_metal_ops[i].op] = tn_metal_ops[i].scalar;
    l->eops[tn_metal_ops[i].op] = tn_metal_ops[i].exact;
    l->vops[tn_metal_ops[i].op] = tn_metal_ops[i].vector;
  }
  if (!(has & TN_METAL_LANES)) l->ops[TINY_OP_SHUFFLE] = NULL;
  if (!(has & TN_METAL_MATRICES)) l->ops[TINY_OP_WMMA] = NULL;
  else l->ops[TINY_OP_SHUFFLE] = "exchanged(%0, LANE_OF_ITEM(%k))";
}
#endif
// ---- end src/metal/../render/lang_metal.c ----
// ---- begin src/metal/retain.m ----
// retain: who owns an object of Objective-C: the same words under ARC, under manual counting, and for GCC.
//
// Holds: objects stand in structs of C, which neither ARC nor the compiler of GNUstep looks into: a member is declared
//        TN_UNOWNED, gets its object by TN_NEW (a method new.. returned it) or TN_RETAINED (any other did), and is
//        given back by TN_DROP. Names of methods and classes that are newer than macOS 11 and iOS 14 stand behind
//        TN_SINCE: Apple's compilers ask the system, others the object.
#ifndef TN_METAL_RETAIN
#define TN_METAL_RETAIN
#ifndef TINY_API
  #include "../api/api.h"
#endif
#ifdef TINY_STATIC
  #error "tiny_metal.m calls functions of tiny.h that another file has: compile both without TINY_STATIC"
#endif
#import <Foundation/Foundation.h>
#import <Metal/Metal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __APPLE__
  #include <TargetConditionals.h>
#endif
// What Macs alone have: several GPUs, memory that host and GPU each have a copy of.
#if !defined(__APPLE__) || TARGET_OS_OSX
  #define TN_METAL_OSX
#endif

#ifdef __has_feature
  #if __has_feature(objc_arc)
    #define TN_METAL_ARC
  #endif
#endif

#ifdef TN_METAL_ARC
  #define TN_UNOWNED __unsafe_unretained
  #define TN_NEW(type, object) ((__bridge type)(__bridge_retained void *)(object))
  #define TN_RETAINED(type, object) ((__bridge type)(__bridge_retained void *)(object))
  #define TN_OBJECT(type, pointer) ((__bridge type)(pointer))
  #define TN_POINTER(object) ((__bridge void *)(object))
  #define TN_DROP(object) tn_metal_drop(TN_POINTER(object))
static void tn_metal_drop(void *pointer) {
  id gone = (__bridge_transfer id)pointer;
  (void)gone;
}
#else
  #define TN_UNOWNED
  #define TN_NEW(type, object) ((type)(object))
  #define TN_RETAINED(type, object) ((type)[(object) retain])
  #define TN_OBJECT(type, pointer) ((type)(pointer))
  #define TN_POINTER(object) ((void *)(object))
  #define TN_DROP(object) [(object) release]
#endif

// Objects that methods return without owning them go at TN_POOL_END; nothing returns between the two.
#ifdef __clang__
  #define TN_POOL @autoreleasepool {
  #define TN_POOL_END }
#else
  #define TN_POOL { NSAutoreleasePool *const tn_metal_pool = [[NSAutoreleasePool alloc] init];
  #define TN_POOL_END [tn_metal_pool release]; }
#endif

// Are we on this system or a later one? The object answers to a method that came with it.
#if defined(__APPLE__) && defined(__clang__)
  #define TN_SINCE(mac, ios, object, method) @available(macOS mac, iOS ios, *)
#else
  #define TN_SINCE(mac, ios, object, method) [(object) respondsToSelector:NSSelectorFromString(@method)]
#endif

// Names that are deprecated since, where the older system has no others.
#ifdef __clang__
  #define TN_DEPRECATED _Pragma("clang diagnostic push") \
    _Pragma("clang diagnostic ignored \"-Wdeprecated-declarations\"")
  #define TN_DEPRECATED_END _Pragma("clang diagnostic pop")
#else
  #define TN_DEPRECATED
  #define TN_DEPRECATED_END
#endif

// Declarations that SDKs before macOS 15 and iOS 18 lack.
#if !defined(__APPLE__) || defined(__MAC_15_0) || defined(__IPHONE_18_0)
  #define TN_METAL_SDK_15
#endif
#endif
// ---- end src/metal/retain.m ----
// ---- begin src/metal/device.m ----
// device: a GPU: which one, what it can do, and what is said when it fails.
//
// In:    what stands behind "METAL:". Out: a tn_metal with its limits; errors as a code and a sentence.
// Holds: GPUs are counted as the system lists them. What a GPU can do is told by its families, what a language version
//        has by the system: Apple, "Metal Feature Set Tables".
#ifndef TN_METAL_DEVICE
#define TN_METAL_DEVICE
#ifndef TINY_AMALGAMATED
#include "retain.m"
#include "api.h"
#include "../base/digits.c"
#include "../base/prepared.c"
#include "../render/lang_metal.c"
#endif

enum {
  TN_METAL_FLIGHT = 32,                    // command buffers that are not completed, at most; Metal's queues take 64
  TN_METAL_CHUNKS = 4, TN_METAL_CHUNK = 4 << 20,             // of memory by which bytes go to private buffers
  TN_METAL_TOUCHED = 64,                   // pieces of memory that are looked at between two barriers
  TN_METAL_BUFFERS = 31,                   // arguments of a kernel (Metal Feature Set Tables)
  TN_METAL_LOST = 4, TN_METAL_REMOVED = 11                   // MTLCommandBufferErrorAccessRevoked, ..DeviceRemoved
};

// Memory that launches were given. va: a number that no other memory has, bytes of it counted on from there.
typedef struct tn_metal_block {
  void *base; uint64_t va, used; size_t nbytes; char *host; int own;   // base NULL: free; host NULL: not seen by it
} tn_metal_block;
typedef struct tn_metal_slot { TN_UNOWNED id<MTLCommandBuffer> buffer; uint64_t *stamp; } tn_metal_slot;
// What goes when command buffer `used` has completed.
typedef struct tn_metal_gone {
  struct tn_metal_gone *next; TN_UNOWNED id object; uint64_t used; int memory;
} tn_metal_gone;
// An event of another device that command buffer `used` waits for, and the one that gives it its value.
typedef struct tn_metal_awaited {
  struct tn_metal_awaited *next; TN_UNOWNED id<MTLSharedEvent> event; TN_UNOWNED id<MTLCommandBuffer> buffer;
  uint64_t value, used;
} tn_metal_awaited;
typedef struct tn_metal_chunk { TN_UNOWNED id<MTLBuffer> buffer; uint64_t used; size_t fill; } tn_metal_chunk;
typedef struct tn_metal_pages {           // of the host's, wrapped
  struct tn_metal_pages *next; void *data; size_t nbytes; TN_UNOWNED id<MTLBuffer> buffer;
} tn_metal_pages;
typedef struct tn_metal_touched { const void *base; int written; } tn_metal_touched;

typedef struct tn_metal {
  tiny_ctx *t;
  TN_UNOWNED id<MTLDevice> gpu; TN_UNOWNED id<MTLCommandQueue> queue;
  TN_UNOWNED id<MTLSharedEvent> event; uint64_t event_value;
  char name[96], target[192];
  int family, mac, version, has;           // family: 7 of Apple7; version: 31 of MSL 3.1; has: TN_METAL_LANES ..
  int unified, indirect;                   // memory is shared with the host; there are indirect command buffers
  size_t one, most, shared; int items[3];
  uint64_t number, done;                   // of the command buffer that is open or comes next; of the last completed
  tn_metal_slot slot[TN_METAL_FLIGHT];
  TN_UNOWNED id<MTLComputeCommandEncoder> compute; TN_UNOWNED id<MTLBlitCommandEncoder> blit;
  const void *pipeline; int ndispatch;     // set in the encoder; dispatches of the open command buffer
  tn_metal_touched touched[TN_METAL_TOUCHED]; int ntouched;
  TN_UNOWNED id<MTLCommandBuffer> hosts; int into_host, hosts_apart;   // apart: of another queue
  int failed, lost; char why[320];         // of a command buffer, until it is told; lost: for good
  tn_metal_block *blocks; size_t nblock, cap; uint64_t next_va;
  tn_metal_chunk chunk[TN_METAL_CHUNKS]; int chunk_now; size_t chunk_nbytes;
  tn_metal_gone *gone; tn_metal_awaited *awaited;
  struct tn_metal_fresh *fresh;            // libraries that were compiled and are to be loaded (program.m)
  tn_metal_pages *pages;
  tn_prepared prepared; struct tn_metal_list *list_made; int list_uses; size_t list_numbers;   // graph.m
  TN_UNOWNED id residency; int residency_changed;
} tn_metal;

// ** what goes wrong **

// MTLCommandBufferError (MTLCommandBuffer.h).
static const struct { int error; const char *says; } tn_metal_errors[] = {
  {1, "an internal error within Metal: try it again"},
  {2, "a timeout: a kernel took too long, and the system ended it: split the work"},
  {3, "a page fault: a kernel used an address that is not its own"},
  {TN_METAL_LOST, "the system has taken the GPU from this process, after too many errors: start it again"},
  {7, "not permitted: this process may not use the GPU, as an app in the background"},
  {8, "there is no memory for what the kernels need: free tensors, or set tiny_desc.max_nbytes"},
  {9, "an invalid resource: memory was gone when a kernel used it; the host's outlives what is computed from it"},
  {10, "a memoryless texture cannot be read or written: take another storage mode"},
  {TN_METAL_REMOVED, "the GPU was removed: open another context on one that is there"},
  {12, "a kernel's stack is full"}
};
static const char *tn_metal_error_says(int error) {
  for (size_t i = 0; i < sizeof tn_metal_errors / sizeof *tn_metal_errors; i++)
    if (tn_metal_errors[i].error == error) return tn_metal_errors[i].says;
  return "see MTLCommandBufferError for the number";
}
// Text of an error of Metal's, cut to nbytes; "" where there is none.
static void tn_metal_text(NSError *error, char *out, size_t nbytes) {
  const char *text = error ? [[error localizedDescription] UTF8String] : NULL;
  snprintf(out, nbytes, "%s", text ? text : "");
}
static tiny_code tn_metal_lost(const tn_metal *d) {
  return tiny_fail(d->t, TINY_E_DEVICE, "%s: the device is lost: %s", d->name, d->why);
}

// ** those there are **

#ifdef TN_METAL_OSX
static NSArray *tn_metal_all(void) {
  NSArray *all = MTLCopyAllDevices();
#ifndef TN_METAL_ARC
  [all autorelease];
#endif
  return all;
}
#else
static NSArray *tn_metal_all(void) {       // elsewhere than in Macs there is one
  id<MTLDevice> gpu = MTLCreateSystemDefaultDevice();
  NSArray *all = gpu ? [NSArray arrayWithObject:gpu] : [NSArray array];
#ifndef TN_METAL_ARC
  [gpu release];
#endif
  return all;
}
#endif
// Has it been pulled out? Asked where Metal gives nothing. What was asked for is lost then.
static int tn_metal_is_gone(tn_metal *d) {
  NSArray *all = tn_metal_all();
  for (NSUInteger i = 0; i < [all count] && !d->lost; i++) if ([all objectAtIndex:i] == d->gpu) return 0;
  if (!d->lost) snprintf(d->why, sizeof d->why, "%s", tn_metal_error_says(TN_METAL_REMOVED));
  d->lost = 1;
  return 1;
}
static tiny_code tn_metal_none(tn_metal *d, const char *what) {
  if (tn_metal_is_gone(d)) return tn_metal_lost(d);
  return tiny_fail(d->t, TINY_E_MEMORY, "%s: Metal makes no %s: the system is short of memory; free some", d->name,
                   what);
}

// ** which one **

static int tn_metal_lower(int c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; }
static int tn_metal_names_it(const char *name, const char *part) {
  for (; *name; name++) {
    size_t i = 0;
    while (part[i] && tn_metal_lower(name[i]) == tn_metal_lower(part[i])) i++;
    if (!part[i]) return 1;
  }
  return 0;
}
static const char *tn_metal_name_of(id<MTLDevice> gpu) {
  const char *name = [[gpu name] UTF8String];
  return name ? name : "";
}
static id<MTLDevice> tn_metal_choose(NSArray *all, const char *which) {
  const char *end;
  const NSUInteger n = [all count];
  const uint64_t number = tn_digits_value(which, 10, &end);
  if (!*end && end != which) return number < n ? [all objectAtIndex:(NSUInteger)number] : nil;
  const int by_id = !strncmp(which, "id-", 3);
  const uint64_t wanted = by_id ? tn_digits_value(which + 3, 16, NULL) : 0;
  for (NSUInteger i = 0; i < n; i++) {
    id<MTLDevice> gpu = [all objectAtIndex:i];
    if (by_id ? [gpu registryID] == wanted : tn_metal_names_it(tn_metal_name_of(gpu), which)) return gpu;
  }
  return nil;
}
static const char *tn_metal_kind(id<MTLDevice> gpu) {
#ifdef TN_METAL_OSX
  if (![gpu respondsToSelector:@selector(isLowPower)]) return "";
  return [gpu isRemovable] ? ", external" : [gpu isLowPower] ? ", low power" : [gpu isHeadless] ? ", headless" : "";
#else
  (void)gpu;
  return "";
#endif
}
static tiny_code tn_metal_not_there(const tn_metal *d, NSArray *all, const char *which) {
  char names[1200] = "";
  const int n = (int)[all count];
  for (int k = 0; k < n; k++) {
    id<MTLDevice> gpu = [all objectAtIndex:(NSUInteger)k];
    const size_t at = strlen(names);
    snprintf(names + at, sizeof names - at, "%sMETAL:%d (METAL:id-%llx) %.80s%s", k ? ", " : "", k,
             (unsigned long long)[gpu registryID], tn_metal_name_of(gpu), tn_metal_kind(gpu));
  }
  return tiny_fail(d->t, TINY_E_DEVICE, "there is no device METAL:%.100s; there are: %s", which, names);
}
// "": the system's default, or else the first of all.
static tiny_code tn_metal_find_gpu(tn_metal *d, const char *which) {
  if (!*which) {
    d->gpu = TN_NEW(id<MTLDevice>, MTLCreateSystemDefaultDevice());
    if (d->gpu) return TINY_OK;
  }
  NSArray *all = tn_metal_all();
  id<MTLDevice> gpu = !*which && [all count] ? [all objectAtIndex:0] : tn_metal_choose(all, which);
  if (gpu) {
    d->gpu = TN_RETAINED(id<MTLDevice>, gpu);
    return TINY_OK;
  }
  if ([all count]) return tn_metal_not_there(d, all, which);
  return tiny_fail(d->t, TINY_E_DEVICE, "METAL: the system has no GPU for Metal, as in most virtual machines: open the "
                   "CPU");
}

// ** what it can do **

static int tn_metal_has_family(const tn_metal *d, int family) {
  return [d->gpu supportsFamily:(MTLGPUFamily)family] ? 1 : 0;
}
// The newest version of the language that the system's compiler has (MTLLanguageVersion).
static int tn_metal_newest_version(const tn_metal *d) {
  (void)d;
  if (TN_SINCE(15.0, 18.0, d->gpu, "newResidencySetWithDescriptor:error:")) return 32;
  if (TN_SINCE(14.0, 17.0, d->gpu, "architecture")) return 31;
  if (TN_SINCE(13.0, 16.0, d->gpu, "newIOCommandQueueWithDescriptor:error:")) return 30;
  if (TN_SINCE(12.0, 15.0, d->gpu, "supportsRenderDynamicLibraries")) return 24;
  return 23;
}
// Cores of Apple's GPUs, which Metal does not tell: of the largest that is sold under the name (Apple's technical
// specifications). The first row that the name holds counts.
static int tn_metal_cores(const char *name) {
  static const struct { const char *part; int cores; } known[] = {
    {"M1 Ultra", 64}, {"M1 Max", 32}, {"M1 Pro", 16}, {"M1", 8}, {"M2 Ultra", 76}, {"M2 Max", 38}, {"M2 Pro", 19},
    {"M2", 10}, {"M3 Ultra", 80}, {"M3 Max", 40}, {"M3 Pro", 18}, {"M3", 10}, {"M4 Max", 40}, {"M4 Pro", 20},
    {"M4", 10}, {"M5", 10}, {"Apple A", 5}
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strstr(name, known[i].part)) return known[i].cores;
  return 0;
}
static void tn_metal_describe(tn_metal *d) {
  enum { APPLE = 1000, APPLE_MOST = 1015, MAC_2 = 2002 };   // MTLGPUFamily
  snprintf(d->name, sizeof d->name, "METAL (%.64s)", tn_metal_name_of(d->gpu));
  for (int f = APPLE_MOST; f > APPLE && !d->family; f--) if (tn_metal_has_family(d, f)) d->family = f - APPLE;
  d->mac = tn_metal_has_family(d, MAC_2);
  d->version = tn_metal_newest_version(d);
  d->unified = [d->gpu hasUnifiedMemory] ? 1 : 0;
  d->has = (d->family >= 6 || d->mac ? TN_METAL_LANES : 0) | (d->family >= 7 ? TN_METAL_MATRICES : 0);
  d->indirect = d->family >= 6 || d->mac;
  d->one = (size_t)[d->gpu maxBufferLength];
  d->chunk_nbytes = d->one && d->one < (size_t)TN_METAL_CHUNK ? d->one : (size_t)TN_METAL_CHUNK;
  d->shared = (size_t)[d->gpu maxThreadgroupMemoryLength];
  if (TN_SINCE(10.12, 16.0, d->gpu, "recommendedMaxWorkingSetSize"))
    d->most = (size_t)[d->gpu recommendedMaxWorkingSetSize];
  const MTLSize items = [d->gpu maxThreadsPerThreadgroup];
  d->items[0] = (int)items.width; d->items[1] = (int)items.height; d->items[2] = (int)items.depth;
  snprintf(d->target, sizeof d->target, "%.100s apple%d%s msl%d has%d", tn_metal_name_of(d->gpu), d->family,
           d->mac ? " mac2" : "", d->version, d->has);
}
// Registers of an item, caches: bench/gpu.h has the sources. Apple's simdgroups are 32 wide; of AMD's GPUs in Macs the
// widest are 64, which kernels do not rely on where lanes exchange nothing.
static void tn_metal_limits(const tn_metal *d, tiny_limits *limits) {
  limits->warp = 32;
  limits->compute_units = d->family ? tn_metal_cores(tn_metal_name_of(d->gpu)) : 0;
  limits->vector_nbytes = 16; limits->vector_registers = 128;
  limits->shared_nbytes = d->shared;
  limits->local_total = d->items[0] < 1024 ? d->items[0] : 1024;
  for (int i = 0; i < 3; i++) {
    limits->local_max[i] = d->items[i];
    limits->global_max[i] = i ? 65535 : INT32_MAX;
  }
  if (d->has & TN_METAL_MATRICES) limits->units = tiny_warp_units("apple7", &limits->nunits);
  if (d->version < 31 && limits->nunits > 2) limits->nunits = 2;             // the third is of bfloat
  limits->dtypes = TN_METAL_ARITHMETIC;
  limits->atomics = TN_METAL_ATOMICS(d->version);
  for (int i = 0; i < 3; i++) limits->memory[i].line = 128;
  limits->memory[0].nbytes = limits->memory[1].nbytes = limits->cache_nbytes = d->family ? 8 << 10 : 16 << 10;
}
#endif
// ---- end src/metal/device.m ----
// ---- begin src/metal/residency.m ----
// residency: memory that the system is to keep where the GPU reaches it, from macOS 15 and iOS 18 on.
//
// In:    memory that is taken and given back. Out: a set of the queue's, brought up to date before work is committed.
// Holds: older systems, and SDKs, have no such sets: there each command buffer tells what it uses.
#ifndef TN_METAL_RESIDENCY
#define TN_METAL_RESIDENCY
#ifndef TINY_AMALGAMATED
#include "device.m"
#endif

#ifdef TN_METAL_SDK_15
// Where the system makes none, it keeps what is used without one.
static void tn_metal_residency_open(tn_metal *d) {
  if (TN_SINCE(15.0, 18.0, d->gpu, "newResidencySetWithDescriptor:error:")) {
    MTLResidencySetDescriptor *const as = [[MTLResidencySetDescriptor alloc] init];
    id<MTLResidencySet> set = TN_NEW(id<MTLResidencySet>, [d->gpu newResidencySetWithDescriptor:as error:NULL]);
    d->residency = set;
    if (set) [d->queue addResidencySet:set];
#ifndef TN_METAL_ARC
    [as release];
#endif
  }
}
static void tn_metal_residency_add(tn_metal *d, id<MTLBuffer> memory) {
  if (TN_SINCE(15.0, 18.0, d->gpu, "newResidencySetWithDescriptor:error:")) {
    if (!d->residency) return;
    [(id<MTLResidencySet>)d->residency addAllocation:memory];
    d->residency_changed = 1;
  }
}
static void tn_metal_residency_remove(tn_metal *d, id<MTLBuffer> memory) {
  if (TN_SINCE(15.0, 18.0, d->gpu, "newResidencySetWithDescriptor:error:")) {
    if (!d->residency) return;
    [(id<MTLResidencySet>)d->residency removeAllocation:memory];
    d->residency_changed = 1;
  }
}
static void tn_metal_residency_commit(tn_metal *d) {
  if (TN_SINCE(15.0, 18.0, d->gpu, "newResidencySetWithDescriptor:error:")) {
    if (!d->residency_changed) return;
    [(id<MTLResidencySet>)d->residency commit];
    d->residency_changed = 0;
  }
}
static void tn_metal_residency_close(tn_metal *d) {
  if (TN_SINCE(15.0, 18.0, d->gpu, "newResidencySetWithDescriptor:error:")) {
    if (!d->residency) return;
    [d->queue removeResidencySet:(id<MTLResidencySet>)d->residency];
    TN_DROP(d->residency);
    d->residency = nil;
  }
}
#else
static void tn_metal_residency_open(tn_metal *d) { (void)d; }
static void tn_metal_residency_add(tn_metal *d, id<MTLBuffer> memory) { (void)d; (void)memory; }
static void tn_metal_residency_remove(tn_metal *d, id<MTLBuffer> memory) { (void)d; (void)memory; }
static void tn_metal_residency_commit(tn_metal *d) { (void)d; }
static void tn_metal_residency_close(tn_metal *d) { (void)d; }
#endif
#endif
// ---- end src/metal/residency.m ----
// ---- begin src/metal/queue.m ----
// queue: command buffers, and what is encoded into the one that is open.
//
// In:    a device. Out: encoders; numbers: everything that a command buffer of a number or below holds has happened
//        when `done` is there; what they failed with.
// Holds: command buffers of one queue begin and end in the order they are committed in. They retain nothing: what they
//        use goes when `done` has come to the last of them (tn_metal_later). The host's own command buffer, while
//        tiny_metal_encode gives one, stands in the place of the open one, and is committed by the host.
#ifndef TN_METAL_QUEUE
#define TN_METAL_QUEUE
#ifndef TINY_AMALGAMATED
#include "residency.m"
#endif

static tn_metal_slot *tn_metal_slot_of(tn_metal *d, uint64_t number) { return &d->slot[number % TN_METAL_FLIGHT]; }
static id<MTLCommandBuffer> tn_metal_now(tn_metal *d) { return tn_metal_slot_of(d, d->number)->buffer; }

// ** what goes later **

static void tn_metal_object_drop(tn_metal *d, id object, int memory) {
  if (memory) tn_metal_residency_remove(d, (id<MTLBuffer>)object);
  TN_DROP(object);
}
static void tn_metal_gone_drop(tn_metal *d) {
  for (tn_metal_gone **at = &d->gone, *g; (g = *at) != NULL; ) {
    if (g->used > d->done) { at = &g->next; continue; }
    *at = g->next;
    tn_metal_object_drop(d, g->object, g->memory);
    tiny_realloc(d->t, g, sizeof *g, 0);
  }
}

// Before command buffer `used` is waited for: those of other devices that it waits for have ended. One that failed may
// have left its event as it was, for which this device would wait for ever.
static void tn_metal_await(tn_metal *d, uint64_t used) {
  for (tn_metal_awaited **at = &d->awaited, *a; (a = *at) != NULL; ) {
    if (a->used > used) { at = &a->next; continue; }
    *at = a->next;
    [a->buffer waitUntilCompleted];
    if ([a->buffer status] == MTLCommandBufferStatusError && [a->event signaledValue] < a->value)
      [a->event setSignaledValue:a->value];
    TN_DROP(a->buffer);
    TN_DROP(a->event);
    tiny_realloc(d->t, a, sizeof *a, 0);
  }
}

// ** what has happened **

static void tn_metal_failed(tn_metal *d, id<MTLCommandBuffer> buffer) {
  char text[160];
  NSError *error = [buffer error];
  const char *domain = error ? [[error domain] UTF8String] : NULL;
  const int known = domain && !strcmp(domain, "MTLCommandBufferErrorDomain"), code = error ? (int)[error code] : 0;
  if (d->failed || d->lost) return;        // the first one counts
  tn_metal_text(error, text, sizeof text);
  d->failed = known && code > 0 ? code : 1;
  if (d->failed == TN_METAL_LOST || d->failed == TN_METAL_REMOVED) d->lost = 1;
  snprintf(d->why, sizeof d->why, "%s (MTLCommandBufferError %d: %s)", tn_metal_error_says(d->failed), code, text);
}
static void tn_metal_slot_close(tn_metal *d, tn_metal_slot *s) {
  if ([s->buffer status] == MTLCommandBufferStatusError) tn_metal_failed(d, s->buffer);
  else if (s->stamp) {                     // seconds since the system was started
    const double from = [s->buffer GPUStartTime], to = [s->buffer GPUEndTime];
    if (from > 0 && to >= from) {
      s->stamp[0] = (uint64_t)(from * 1e9);
      s->stamp[1] = (uint64_t)(to * 1e9) + 1;
    }
  }
  TN_DROP(s->buffer);
  s->buffer = nil;
  s->stamp = NULL;
}
static void tn_metal_reap(tn_metal *d) {
  while (d->done + 1 < d->number) {
    tn_metal_slot *s = tn_metal_slot_of(d, d->done + 1);
    if ([s->buffer status] < MTLCommandBufferStatusCompleted) break;
    tn_metal_slot_close(d, s);
    d->done++;
  }
  tn_metal_await(d, d->done);
  tn_metal_gone_drop(d);
}
// Tells, once, what went wrong on the GPU.
static tiny_code tn_metal_tell(tn_metal *d) {
  const int error = d->failed;
  if (d->lost) return tn_metal_lost(d);
  if (!error) return TINY_OK;
  d->failed = 0;
  return tiny_fail(d->t, error == 8 ? TINY_E_MEMORY : TINY_E_DEVICE, "%s: %s", d->name, d->why);
}

// ** encoders **

static void tn_metal_end(tn_metal *d) {
  if (d->compute) { [d->compute endEncoding]; TN_DROP(d->compute); d->compute = nil; }
  if (d->blit) { [d->blit endEncoding]; TN_DROP(d->blit); d->blit = nil; }
  d->pipeline = NULL;
  d->ntouched = 0;
}

static tiny_code tn_metal_not_committed(const tn_metal *d) {
  return tiny_fail(d->t, TINY_E_STATE, "%s: what is asked for stands in or behind the host's command buffer: end it by "
                   "tiny_metal_encode(t, NULL), and commit it before", d->name);
}
// Is the place of the host's command buffer in the order of the queue open yet? Of another queue events tell.
static int tn_metal_hosts_pending(const tn_metal *d) {
  return d->into_host || (d->hosts && !d->hosts_apart && [d->hosts status] < MTLCommandBufferStatusEnqueued);
}
// Would a wait never end?
static int tn_metal_hosts_waits(const tn_metal *d) {
  return d->into_host || (d->hosts && [d->hosts status] < MTLCommandBufferStatusCommitted);
}
// What is encoded happens. TINY_E_STATE: it stands in the host's command buffer, or behind one that is not committed.
static tiny_code tn_metal_commit(tn_metal *d) {
  tn_metal_slot *s = tn_metal_slot_of(d, d->number);
  if (d->into_host) return tn_metal_not_committed(d);
  if (!s->buffer) return TINY_OK;
  if (tn_metal_hosts_pending(d)) return tn_metal_not_committed(d);
  tn_metal_end(d);
  tn_metal_residency_commit(d);
  [s->buffer commit];
  d->number++;
  d->ndispatch = 0;
  return TINY_OK;
}
static tiny_code tn_metal_wait_for(tn_metal *d, uint64_t number) {
  tiny_code code = number >= d->number ? tn_metal_commit(d) : TINY_OK;
  while (code == TINY_OK && d->done < number && d->done + 1 < d->number) {
    id<MTLCommandBuffer> first = tn_metal_slot_of(d, d->done + 1)->buffer;
    if ([first status] < MTLCommandBufferStatusCommitted) code = tn_metal_not_committed(d);
    else {
      tn_metal_await(d, d->done + 1);
      [first waitUntilCompleted];
    }
    tn_metal_reap(d);
  }
  return code;
}
// A command buffer is open.
static tiny_code tn_metal_begin(tn_metal *d) {
  tiny_code code = TINY_OK;
  if (tn_metal_now(d)) return TINY_OK;
  if (d->lost) return tn_metal_lost(d);
  tn_metal_reap(d);
  if (d->number - d->done > TN_METAL_FLIGHT - 1) code = tn_metal_wait_for(d, d->number - (TN_METAL_FLIGHT - 1));
  if (code != TINY_OK) return code;
  id<MTLCommandBuffer> buffer = [d->queue commandBufferWithUnretainedReferences];
  if (!buffer) return tn_metal_none(d, "command buffer");
  tn_metal_slot_of(d, d->number)->buffer = TN_RETAINED(id<MTLCommandBuffer>, buffer);
  return TINY_OK;
}
static tiny_code tn_metal_compute(tn_metal *d) {
  const tiny_code code = tn_metal_begin(d);
  if (code != TINY_OK || d->compute) return code;
  tn_metal_end(d);
  id<MTLComputeCommandEncoder> encoder =
      [tn_metal_now(d) computeCommandEncoderWithDispatchType:MTLDispatchTypeConcurrent];
  if (!encoder) return tn_metal_none(d, "encoder");
  d->compute = TN_RETAINED(id<MTLComputeCommandEncoder>, encoder);
  return TINY_OK;
}
static tiny_code tn_metal_blit(tn_metal *d) {
  const tiny_code code = tn_metal_begin(d);
  if (code != TINY_OK || d->blit) return code;
  tn_metal_end(d);
  id<MTLBlitCommandEncoder> encoder = [tn_metal_now(d) blitCommandEncoder];
  if (!encoder) return tn_metal_none(d, "encoder");
  d->blit = TN_RETAINED(id<MTLBlitCommandEncoder>, encoder);
  return TINY_OK;
}
// After launches: what is encoded begins where the GPU has nothing to do, or there is enough of it.
static tiny_code tn_metal_given(tn_metal *d) {
  enum { ENOUGH = 64 };
  tn_metal_reap(d);
  if (d->into_host || tn_metal_hosts_pending(d)) return TINY_OK;
  return d->ndispatch >= ENOUGH || d->done + 1 == d->number ? tn_metal_commit(d) : TINY_OK;
}

// Gives back an object when command buffer `used` has completed. memory: it is of the device's own.
static void tn_metal_later(tn_metal *d, id object, uint64_t used, int memory) {
  tn_metal_gone *g = used <= d->done ? NULL : (tn_metal_gone *)tiny_realloc(d->t, NULL, 0, sizeof *g);
  if (!g) {
    if (used > d->done) tn_metal_wait_for(d, used);
    tn_metal_object_drop(d, object, memory);
    return;
  }
  g->next = d->gone; g->used = used; g->memory = memory;
  g->object = object;
  d->gone = g;
}
#endif
// ---- end src/metal/queue.m ----
// ---- begin src/metal/memory.m ----
// memory: buffers of the device, and bytes from the host and to it.
//
// In:    sizes, places, bytes. Out: id<MTLBuffer>s, which is what tiny_mem.base is; copies in the device's order.
// Holds: where GPU and host share memory, buffers are shared, and the host copies itself what nothing uses any more; a
//        GPU with memory of its own has private buffers, and bytes go by way of chunks that both see. Of each buffer is
//        known which command buffer used it last; one of the host's, which is not known before it is used, may be of
//        any storage mode.
#ifndef TN_METAL_MEMORY
#define TN_METAL_MEMORY
#ifndef TINY_AMALGAMATED
#include "queue.m"
#endif

static id<MTLBuffer> tn_metal_buffer(const void *base) { return TN_OBJECT(id<MTLBuffer>, (void *)(uintptr_t)base); }

// ** blocks: a table by address, open addressing **

static size_t tn_metal_home(const tn_metal *d, const void *base) {
  return (size_t)(((uint64_t)(uintptr_t)base >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (d->cap - 1);
}
static tn_metal_block *tn_metal_block_find(const tn_metal *d, const void *base) {
  if (!d->cap) return NULL;
  for (size_t i = tn_metal_home(d, base); d->blocks[i].base; i = (i + 1) & (d->cap - 1))
    if (d->blocks[i].base == base) return &d->blocks[i];
  return NULL;
}
static tn_metal_block *tn_metal_block_put(tn_metal *d, tn_metal_block b) {
  size_t i = tn_metal_home(d, b.base);
  while (d->blocks[i].base) i = (i + 1) & (d->cap - 1);
  d->blocks[i] = b;
  d->nblock++;
  return &d->blocks[i];
}
// A larger table, without those of the host's that nothing uses now: they may be gone. 0: memory was refused.
static int tn_metal_blocks_grow(tn_metal *d) {
  const size_t cap = d->cap, more = cap ? cap * 2 : 64;
  tn_metal_block *was = d->blocks, *now = (tn_metal_block *)tiny_realloc(d->t, NULL, 0, more * sizeof *now);
  if (!now) return 0;
  memset(now, 0, more * sizeof *now);
  d->blocks = now; d->cap = more; d->nblock = 0;
  for (size_t i = 0; i < cap; i++)
    if (was[i].base && (was[i].own || was[i].used > d->done)) tn_metal_block_put(d, was[i]);
  if (was) tiny_realloc(d->t, was, cap * sizeof *was, 0);
  return 1;
}
static tn_metal_block *tn_metal_block_add(tn_metal *d, void *base, size_t nbytes, int own) {
  enum { BETWEEN = 1 << 12 };              // numbers of one block are no other's, also behind its end
  if (d->nblock * 2 >= d->cap && !tn_metal_blocks_grow(d)) return NULL;
  tn_metal_block b;
  memset(&b, 0, sizeof b);
  b.base = base; b.nbytes = nbytes; b.own = own;
  b.va = d->next_va + BETWEEN;
  d->next_va = b.va + nbytes;
  return tn_metal_block_put(d, b);
}
// Those behind it move up, so that each is still found from its home.
static void tn_metal_block_drop(tn_metal *d, tn_metal_block *b) {
  b->base = NULL;
  d->nblock--;
  for (size_t i = ((size_t)(b - d->blocks) + 1) & (d->cap - 1); d->blocks[i].base; i = (i + 1) & (d->cap - 1)) {
    const tn_metal_block moved = d->blocks[i];
    d->blocks[i].base = NULL;
    d->nblock--;
    tn_metal_block_put(d, moved);
  }
}
// Where the host sees a buffer; NULL: it does not, or has a copy of its own.
static char *tn_metal_seen(id<MTLBuffer> buffer) {
  return [buffer storageMode] == MTLStorageModeShared ? (char *)[buffer contents] : NULL;
}
// Of memory that is now used: one of the host's is taken up. NULL after an error.
static tn_metal_block *tn_metal_block_of(tn_metal *d, tiny_mem m) {
  tn_metal_block *b = tn_metal_block_find(d, m.base);
  if (b && b->own) return b;
  const size_t nbytes = (size_t)[tn_metal_buffer(m.base) length];
  if (b && b->nbytes != nbytes && b->used <= d->done) { tn_metal_block_drop(d, b); b = NULL; }
  if (!b) b = tn_metal_block_add(d, m.base, nbytes, 0);
  if (!b) tiny_fail(d->t, TINY_E_MEMORY, "%s: no memory for what is known of a buffer", d->name);
  else b->host = tn_metal_seen(tn_metal_buffer(m.base));
  return b;
}
// What is encoded next uses it.
static tiny_code tn_metal_use(tn_metal *d, tiny_mem m) {
  tn_metal_block *b = tn_metal_block_of(d, m);
  if (!b) return TINY_E_MEMORY;
  b->used = d->number;
  return TINY_OK;
}

// ** alloc, free, map **

// Is there room by what the system says that the GPU should have at once? Frees that were put off come first.
static int tn_metal_has_room(tn_metal *d, size_t nbytes) {
  if (!d->most || (size_t)[d->gpu currentAllocatedSize] + nbytes <= d->most) return 1;
  if (!tn_metal_hosts_waits(d)) tn_metal_wait_for(d, d->number);
  return (size_t)[d->gpu currentAllocatedSize] + nbytes <= d->most;
}
static void *tn_metal_alloc_now(tn_metal *d, size_t nbytes) {
  if (d->lost) { tn_metal_lost(d); return NULL; }
  if (d->one && nbytes > d->one) {
    tiny_fail(d->t, TINY_E_MEMORY, "%s: %llu bytes in one piece, the GPU has up to %llu (maxBufferLength): split the "
              "tensor", d->name, (unsigned long long)nbytes, (unsigned long long)d->one);
    return NULL;
  }
  if (!tn_metal_has_room(d, nbytes)) return NULL;
  id<MTLBuffer> buffer = TN_NEW(id<MTLBuffer>, [d->gpu newBufferWithLength:nbytes ? nbytes : 1
      options:d->unified ? MTLResourceStorageModeShared : MTLResourceStorageModePrivate]);
  if (!buffer) {
    if (tn_metal_is_gone(d)) tn_metal_lost(d);
    return NULL;
  }
  tn_metal_block *b = tn_metal_block_add(d, TN_POINTER(buffer), nbytes, 1);
  if (!b) { TN_DROP(buffer); return NULL; }
  b->host = d->unified ? (char *)[buffer contents] : NULL;
  tn_metal_residency_add(d, buffer);
  return TN_POINTER(buffer);
}
// NULL where there is no room.
static void *tn_metal_alloc(void *dev, size_t nbytes) {
  void *mem;
  TN_POOL mem = tn_metal_alloc_now((tn_metal *)dev, nbytes); TN_POOL_END
  return mem;
}
static void tn_metal_free(void *dev, void *mem, size_t nbytes) {
  tn_metal *d = (tn_metal *)dev;
  tn_metal_block *b = tn_metal_block_find(d, mem);
  const uint64_t used = b ? b->used : d->number;
  (void)nbytes;
  if (b) tn_metal_block_drop(d, b);
  TN_POOL tn_metal_later(d, tn_metal_buffer(mem), used, 1); TN_POOL_END
}
static void *tn_metal_map(void *dev, tiny_mem mem, size_t nbytes) {
  const tn_metal *d = (const tn_metal *)dev;
  const tn_metal_block *b = tn_metal_block_find(d, mem.base);
  char *host;
  (void)nbytes;
  if (b && b->own) return b->host ? b->host + mem.offset : NULL;
  TN_POOL host = tn_metal_seen(tn_metal_buffer(mem.base)); TN_POOL_END
  return host ? host + mem.offset : NULL;
}

// ** chunks: a ring **

// The next chunk, when what was in it has been copied. NULL after an error.
static tn_metal_chunk *tn_metal_chunk_next(tn_metal *d) {
  tn_metal_chunk *c = &d->chunk[d->chunk_now = (d->chunk_now + 1) % TN_METAL_CHUNKS];
  if (!c->buffer) {
    c->buffer = TN_NEW(id<MTLBuffer>, [d->gpu newBufferWithLength:d->chunk_nbytes
                                                          options:MTLResourceStorageModeShared]);
    if (!c->buffer) { tn_metal_none(d, "buffer for copies"); return NULL; }
    tn_metal_residency_add(d, c->buffer);
  }
  if (c->used > d->done && tn_metal_wait_for(d, c->used) != TINY_OK) return NULL;
  c->fill = 0;
  return c;
}
// Room in a chunk for some of nbytes, at least one. NULL after an error.
static tn_metal_chunk *tn_metal_chunk_room(tn_metal *d, size_t *nbytes) {
  tn_metal_chunk *c = &d->chunk[d->chunk_now];
  if (c->used <= d->done) c->fill = 0;
  if (!c->buffer || c->fill == d->chunk_nbytes) c = tn_metal_chunk_next(d);
  if (c && *nbytes > d->chunk_nbytes - c->fill) *nbytes = d->chunk_nbytes - c->fill;
  return c;
}
static void tn_metal_chunk_took(tn_metal *d, tn_metal_chunk *c, size_t nbytes) {
  enum { ALIGNED = 256 };
  c->fill += (nbytes + ALIGNED - 1) / ALIGNED * ALIGNED;
  if (c->fill > d->chunk_nbytes) c->fill = d->chunk_nbytes;
  c->used = d->number;
}

// ** copies: blits are of whole words (MTLBlitCommandEncoder, on macOS) **

enum { TN_METAL_WORD = 4 };

// Whole words of the host's to a place, by chunks.
static tiny_code tn_metal_words_in(tn_metal *d, tiny_mem dst, const char *src, size_t nbytes) {
  for (size_t at = 0, n; at < nbytes; at += n) {
    n = nbytes - at;
    tn_metal_chunk *c = tn_metal_chunk_room(d, &n);
    if (!c) return tiny_status(d->t);
    const tiny_code code = tn_metal_blit(d);
    if (code != TINY_OK) return code;
    memcpy((char *)[c->buffer contents] + c->fill, src + at, n);
    [d->blit copyFromBuffer:c->buffer sourceOffset:c->fill toBuffer:tn_metal_buffer(dst.base)
          destinationOffset:dst.offset + at size:n];
    tn_metal_chunk_took(d, c, n);
  }
  return tn_metal_use(d, dst);
}
// From a buffer that the host does not see: as many chunks at a time as there are. What is around it is read as well.
static tiny_code tn_metal_staged_out(tn_metal *d, char *dst, tiny_mem src, size_t nbytes) {
  tiny_code code = TINY_OK;
  const size_t before = src.offset % TN_METAL_WORD, end = before + nbytes;
  src.offset -= before;
  for (size_t at = 0; at < end && code == TINY_OK; ) {
    tn_metal_chunk *took[TN_METAL_CHUNKS];
    const size_t first = at;
    int k = 0;
    for (; k < TN_METAL_CHUNKS && at < end; k++, at += d->chunk_nbytes) {
      const size_t left = (end - at + TN_METAL_WORD - 1) / TN_METAL_WORD * TN_METAL_WORD;
      if (!(took[k] = tn_metal_chunk_next(d))) return tiny_status(d->t);
      if ((code = tn_metal_blit(d)) != TINY_OK) return code;
      [d->blit copyFromBuffer:tn_metal_buffer(src.base) sourceOffset:src.offset + at toBuffer:took[k]->buffer
            destinationOffset:0 size:left < d->chunk_nbytes ? left : d->chunk_nbytes];
      tn_metal_chunk_took(d, took[k], d->chunk_nbytes);
    }
    code = tn_metal_use(d, src);
    if (code == TINY_OK) code = tn_metal_wait_for(d, d->number);
    if (code == TINY_OK) code = tn_metal_tell(d);
    for (int i = 0; i < k && code == TINY_OK; i++) {
      const size_t from = first + (size_t)i * d->chunk_nbytes, skip = from ? 0 : before;
      const size_t to = from + d->chunk_nbytes < end ? from + d->chunk_nbytes : end;
      memcpy(dst + from + skip - before, (const char *)[took[i]->buffer contents] + skip, to - from - skip);
    }
  }
  return code;
}
// Bytes within one word: those beside them stay.
static tiny_code tn_metal_part_in(tn_metal *d, tiny_mem dst, const char *src, size_t nbytes) {
  char word[TN_METAL_WORD];
  const size_t skip = dst.offset % TN_METAL_WORD;
  dst.offset -= skip;
  const tiny_code code = tn_metal_staged_out(d, word, dst, sizeof word);
  memcpy(word + skip, src, nbytes);
  return code == TINY_OK ? tn_metal_words_in(d, dst, word, sizeof word) : code;
}
static tiny_code tn_metal_staged_in(tn_metal *d, tiny_mem dst, const char *src, size_t nbytes) {
  const size_t skip = dst.offset % TN_METAL_WORD;
  size_t head = skip ? TN_METAL_WORD - skip : 0;
  if (head > nbytes) head = nbytes;
  const size_t tail = (nbytes - head) % TN_METAL_WORD, whole = nbytes - head - tail;
  tiny_code code = head ? tn_metal_part_in(d, dst, src, head) : TINY_OK;
  dst.offset += head;
  if (code == TINY_OK && whole) code = tn_metal_words_in(d, dst, src + head, whole);
  dst.offset += whole;
  return code == TINY_OK && tail ? tn_metal_part_in(d, dst, src + head + whole, tail) : code;
}
// 1: the host writes it itself, when nothing uses it any more. What is not whole words it waits for.
static int tn_metal_by_host(tn_metal *d, const tn_metal_block *b, tiny_mem dst, size_t nbytes, tiny_code *code) {
  const uint64_t used = b->used;
  tn_metal_reap(d);
  *code = TINY_OK;
  if (!b->host) return 0;
  if (used <= d->done) return 1;
  if (!(dst.offset % TN_METAL_WORD) && !(nbytes % TN_METAL_WORD)) return 0;
  *code = tn_metal_wait_for(d, used);
  return 1;
}
static tiny_code tn_metal_copy_in_now(tn_metal *d, tiny_mem dst, const void *src, size_t nbytes) {
  tiny_code code;
  if (!nbytes) return TINY_OK;
  if (d->lost) return tn_metal_lost(d);
  tn_metal_block *b = tn_metal_block_of(d, dst);
  if (!b) return TINY_E_MEMORY;
  char *const host = b->host;
  if (!tn_metal_by_host(d, b, dst, nbytes, &code)) return tn_metal_staged_in(d, dst, (const char *)src, nbytes);
  if (code == TINY_OK) memcpy(host + dst.offset, src, nbytes);
  return code;
}
static tiny_code tn_metal_copy_in(void *dev, tiny_mem dst, const void *src, size_t nbytes) {
  tiny_code code;
  TN_POOL code = tn_metal_copy_in_now((tn_metal *)dev, dst, src, nbytes); TN_POOL_END
  return code;
}

static tiny_code tn_metal_copy_out_now(tn_metal *d, char *dst, tiny_mem src, size_t nbytes) {
  if (d->into_host) return tn_metal_not_committed(d);
  const tn_metal_block *b = tn_metal_block_of(d, src);
  if (!b) return TINY_E_MEMORY;
  if (!b->host && nbytes) return tn_metal_staged_out(d, dst, src, nbytes);
  char *const host = b->host;
  tiny_code code = tn_metal_wait_for(d, b->used);
  if (code == TINY_OK) code = tn_metal_commit(d);
  if (code == TINY_OK) code = tn_metal_tell(d);
  if (code == TINY_OK && nbytes) memcpy(dst, host + src.offset, nbytes);
  return code;
}
static tiny_code tn_metal_copy_out(void *dev, void *dst, tiny_mem src, size_t nbytes) {
  tiny_code code;
  TN_POOL code = tn_metal_copy_out_now((tn_metal *)dev, (char *)dst, src, nbytes); TN_POOL_END
  return code;
}

// Within one GPU its blits copy whole words; else bytes go by way of the host.
static tiny_code tn_metal_copy_from_now(tn_metal *d, tiny_mem dst, tn_metal *other, tiny_mem src, size_t nbytes) {
  if (!nbytes) return TINY_OK;
  if (d->gpu != other->gpu || (dst.offset | src.offset | nbytes) % TN_METAL_WORD) {
    char *const between = (char *)tiny_realloc(d->t, NULL, 0, nbytes);
    if (!between)
      return tiny_fail(d->t, TINY_E_MEMORY, "%s: no memory for %llu bytes on their way", d->name,
                       (unsigned long long)nbytes);
    tiny_code code = tn_metal_copy_out_now(other, between, src, nbytes);
    if (code == TINY_OK) code = tn_metal_copy_in_now(d, dst, between, nbytes);
    tiny_realloc(d->t, between, nbytes, 0);
    return code;
  }
  tiny_code code = tn_metal_blit(d);
  if (code != TINY_OK) return code;
  [d->blit copyFromBuffer:tn_metal_buffer(src.base) sourceOffset:src.offset toBuffer:tn_metal_buffer(dst.base)
        destinationOffset:dst.offset size:nbytes];
  return tn_metal_use(d, dst);
}
static tiny_code tn_metal_copy_from(void *dev, tiny_mem dst, void *from, tiny_mem src, size_t nbytes) {
  tiny_code code;
  TN_POOL code = tn_metal_copy_from_now((tn_metal *)dev, dst, (tn_metal *)from, src, nbytes); TN_POOL_END
  return code;
}
#endif
// ---- end src/metal/memory.m ----
// ---- begin src/metal/archive.m ----
// archive: what the GPU's compiler made of a library's kernels, as bytes that the library's disk cache keeps.
//
// In:    a library, or bytes. Out: an MTLBinaryArchive that pipeline states are taken from, bytes of it.
// Holds: Metal reads and writes archives as files alone: they stand in the system's folder for temporary ones, each
//        with a name of its own, as long as they are needed. An archive saves time and nothing else: where one cannot
//        be made, read or written, or is of another GPU or system, kernels are compiled without it.
#ifndef TN_METAL_ARCHIVE
#define TN_METAL_ARCHIVE
#ifndef TINY_AMALGAMATED
#include "queue.m"
#endif

enum { TN_METAL_PATH = 512 };

// ** files **

// 0: there is no folder for it.
static int tn_metal_path(char out[TN_METAL_PATH], const char *ending) {
  const char *folder = [NSTemporaryDirectory() UTF8String];
  const char *name = [[[NSProcessInfo processInfo] globallyUniqueString] UTF8String];
  const int n = folder && name ? snprintf(out, TN_METAL_PATH, "%s/tiny-%s.%s", folder, name, ending) : 0;
  return n > 0 && n < TN_METAL_PATH;
}
static NSURL *tn_metal_url(const char *path) {
  return [NSURL fileURLWithPath:[NSString stringWithUTF8String:path]];
}
// Bytes as a file, which did not exist. 0: it could not be written, and is not there.
static int tn_metal_file_write(const char *path, const void *data, size_t nbytes) {
  FILE *f = fopen(path, "wbx");
  if (!f) return 0;
  const size_t wrote = fwrite(data, 1, nbytes, f);
  if (!fclose(f) && wrote == nbytes) return 1;
  remove(path);
  return 0;
}

// ** archives **

static MTLComputePipelineDescriptor *tn_metal_pipeline_how(const tn_metal *d, id<MTLFunction> function) {
  MTLComputePipelineDescriptor *how = [[MTLComputePipelineDescriptor alloc] init];
  [how setComputeFunction:function];
  [how setLabel:[function name]];
  [how setSupportIndirectCommandBuffers:d->indirect ? YES : NO];
#ifndef TN_METAL_ARC
  [how autorelease];
#endif
  return how;
}
// Of a file, or an empty one: url nil. It is the caller's to release.
static id<MTLBinaryArchive> tn_metal_archive_new(const tn_metal *d, NSURL *url) {
  MTLBinaryArchiveDescriptor *of = [[MTLBinaryArchiveDescriptor alloc] init];
  if (url) [of setUrl:url];
  id<MTLBinaryArchive> archive = [d->gpu newBinaryArchiveWithDescriptor:of error:NULL];
#ifndef TN_METAL_ARC
  [of release];
#endif
  return archive;
}
// All kernels of a library are in it. 0: not all.
static int tn_metal_archive_fill(const tn_metal *d, id<MTLBinaryArchive> archive, id<MTLLibrary> library) {
  NSArray *names = [library functionNames];
  int added = [names count] > 0;
  for (NSUInteger i = 0; i < [names count] && added; i++) {
    id<MTLFunction> function = TN_NEW(id<MTLFunction>, [library newFunctionWithName:[names objectAtIndex:i]]);
    if (!function) return 0;
    added = [archive addComputePipelineFunctionsWithDescriptor:tn_metal_pipeline_how(d, function) error:NULL];
    TN_DROP(function);
  }
  return added;
}
// Its bytes; nil: it cannot be written.
static NSData *tn_metal_archive_bytes(id<MTLBinaryArchive> archive) {
  char path[TN_METAL_PATH];
  if (!tn_metal_path(path, "archive")) return nil;
  NSURL *url = tn_metal_url(path);
  NSData *bytes = [archive serializeToURL:url error:NULL] ? [NSData dataWithContentsOfURL:url] : nil;
  remove(path);
  return bytes;
}
#endif
// ---- end src/metal/archive.m ----
// ---- begin src/metal/program.m ----
// program: from texts to libraries, pipeline states and kernels.
//
// In:    texts as lang_metal writes them, or foreign ones. Out: as the binary a text that was compiled once, behind it
//        what the GPU's compiler made of it (archive.m), before it a line with their hash; modules, kernels. A foreign
//        binary is a .metallib.
// Holds: Metal compiles texts of a call in parallel. What it made of a text is kept until the text is loaded. What the
//        compiler said is in the error. Fast math is off: results are those of the language's rules.
#ifndef TN_METAL_PROGRAM
#define TN_METAL_PROGRAM
#ifndef TINY_AMALGAMATED
#include "memory.m"
#include "archive.m"
#endif

enum { TN_METAL_HEAD = 40, TN_METAL_FRESH = 64, TN_METAL_LOG = 1500 };

// A library that was compiled, by the hash of its text, and its archive, or nil.
typedef struct tn_metal_made {
  TN_UNOWNED id<MTLLibrary> library; TN_UNOWNED id<MTLBinaryArchive> archive;
} tn_metal_made;
typedef struct tn_metal_fresh {
  struct tn_metal_fresh *next; uint64_t hash; size_t nbytes; tn_metal_made made;
} tn_metal_fresh;
typedef struct tn_metal_kernel {
  struct tn_metal_kernel *next; struct tn_metal_module *module; tn_metal *device;
  TN_UNOWNED id<MTLComputePipelineState> pipeline;
  uint32_t writes; int parameters;         // bit per buffer that may be written; of a foreign one, 0: not known
  int items; char name[64];                // items: of a group, at most
} tn_metal_kernel;
typedef struct tn_metal_module {
  tn_metal_made made; char *file;          // that the archive reads; NULL: none
  tn_metal_kernel *kernels; size_t nbytes; char *text;       // nbytes: of this struct, the file's name, the text
} tn_metal_module;

// FNV-1a: Fowler, Noll and Vo.
static uint64_t tn_metal_hash(const void *data, size_t nbytes) {
  uint64_t h = UINT64_C(0xCBF29CE484222325);
  for (size_t i = 0; i < nbytes; i++) h = (h ^ ((const unsigned char *)data)[i]) * UINT64_C(0x100000001B3);
  return h;
}

// ** libraries **

static id<MTLLibrary> tn_metal_library_new(const tn_metal *d, const char *text, size_t nbytes, NSError **error) {
  NSString *source = [[NSString alloc] initWithBytes:text length:nbytes encoding:NSUTF8StringEncoding];
  MTLCompileOptions *options = [[MTLCompileOptions alloc] init];
  [options setLanguageVersion:(MTLLanguageVersion)((unsigned)(d->version / 10) << 16 | (unsigned)(d->version % 10))];
#ifdef TN_METAL_SDK_15
  if (TN_SINCE(15.0, 18.0, options, "setMathMode:")) [options setMathMode:MTLMathModeSafe];
  else
#endif
  {
    TN_DEPRECATED
    [options setFastMathEnabled:NO];
    TN_DEPRECATED_END
  }
  id<MTLLibrary> library = source ? [d->gpu newLibraryWithSource:source options:options error:error] : nil;
#ifndef TN_METAL_ARC
  [source release];
  [options release];
#endif
  return library;
}

static void tn_metal_made_drop(tn_metal_made *m) {
  if (m->archive) TN_DROP(m->archive);
  if (m->library) TN_DROP(m->library);
  m->archive = nil;
  m->library = nil;
}

// Texts that are compiled at the same time; objects are retained.
typedef struct tn_metal_job {
  const tiny_bytes *source; tn_metal_made made; TN_UNOWNED NSError *error; TN_UNOWNED NSData *archive;
} tn_metal_job;
typedef struct tn_metal_jobs { const tn_metal *d; tn_metal_job *job; } tn_metal_jobs;
static void tn_metal_job_archive(const tn_metal *d, tn_metal_job *j) {
  id<MTLBinaryArchive> archive = TN_NEW(id<MTLBinaryArchive>, tn_metal_archive_new(d, nil));
  if (!archive) return;
  NSData *bytes = tn_metal_archive_fill(d, archive, j->made.library) ? tn_metal_archive_bytes(archive) : nil;
  if (!bytes) { TN_DROP(archive); return; }
  j->made.archive = archive;
  j->archive = TN_RETAINED(NSData *, bytes);
}
static void tn_metal_job_run(void *arg, int i) {
  const tn_metal_jobs *all = (const tn_metal_jobs *)arg;
  tn_metal_job *j = &all->job[i];
  TN_POOL
    NSError *error = nil;
    id<MTLLibrary> library = tn_metal_library_new(all->d, j->source->data, j->source->n, &error);
    j->made.library = TN_NEW(id<MTLLibrary>, library);
    j->error = error ? TN_RETAINED(NSError *, error) : nil;
    if (library) tn_metal_job_archive(all->d, j);
  TN_POOL_END
}

// Keeps what was made of a text until it is loaded; the oldest goes where there are many.
static void tn_metal_fresh_drop(tn_metal *d, tn_metal_fresh **at) {
  tn_metal_fresh *f = *at;
  *at = f->next;
  tn_metal_made_drop(&f->made);
  tiny_realloc(d->t, f, sizeof *f, 0);
}
static void tn_metal_fresh_add(tn_metal *d, tn_metal_job *j) {
  tn_metal_fresh *f = (tn_metal_fresh *)tiny_realloc(d->t, NULL, 0, sizeof *f);
  int n = 0;
  if (!f) return;
  f->next = d->fresh; f->hash = tn_metal_hash(j->source->data, j->source->n); f->nbytes = j->source->n;
  f->made = j->made;
  memset(&j->made, 0, sizeof j->made);
  d->fresh = f;
  for (tn_metal_fresh **at = &d->fresh; *at; at = &(*at)->next)
    if (++n > TN_METAL_FRESH) { tn_metal_fresh_drop(d, at); return; }
}
// What was made of a text, no longer kept. 0: nothing is there.
static int tn_metal_fresh_take(tn_metal *d, const char *text, size_t nbytes, tn_metal_made *out) {
  const uint64_t hash = tn_metal_hash(text, nbytes);
  for (tn_metal_fresh **at = &d->fresh, *f; (f = *at) != NULL; at = &f->next) {
    if (f->hash != hash || f->nbytes != nbytes) continue;
    *out = f->made;
    *at = f->next;
    tiny_realloc(d->t, f, sizeof *f, 0);
    return 1;
  }
  return 0;
}

// ** compile **

// The line before a text of so many bytes; all: it and the archive.
static void tn_metal_head(const tn_metal *d, const char *text, size_t all, size_t nbytes, char out[TN_METAL_HEAD + 1]) {
  snprintf(out, TN_METAL_HEAD + 1, "// MSL %02u %016llx %012llx\n", (unsigned)d->version % 100,
           (unsigned long long)tn_metal_hash(text, all), (unsigned long long)nbytes & 0xFFFFFFFFFFFFu);
}
static void tn_metal_binary(const tn_metal *d, const tn_metal_job *j, tiny_bytes *out) {
  static const char none[TN_METAL_HEAD] = "";
  char head[TN_METAL_HEAD + 1];
  const size_t from = out->n, body = from + TN_METAL_HEAD;
  tiny_bytes_add(out, none, TN_METAL_HEAD);
  tiny_bytes_add(out, j->source->data, j->source->n);
  if (j->archive) tiny_bytes_add(out, [j->archive bytes], (size_t)[j->archive length]);
  if (tiny_status(d->t) != TINY_OK) return;                  // memory was refused
  tn_metal_head(d, out->data + body, out->n - body, j->source->n, head);
  memcpy(out->data + from, head, TN_METAL_HEAD);
}
static tiny_code tn_metal_said(tn_metal *d, tn_metal_job *j, tiny_bytes *binary, tiny_bytes *log) {
  char text[TN_METAL_LOG];
  if (j->error) {                          // also of warnings
    tn_metal_text(j->error, text, sizeof text);
    tiny_bytes_add(log, text, strlen(text));
    tiny_bytes_add(log, "\n", 1);
  }
  if (!j->made.library && tn_metal_is_gone(d)) return tn_metal_lost(d);
  if (!j->made.library)
    return tiny_fail(d->t, TINY_E_COMPILE, "%s: Metal's compiler does not take a kernel:\n%s", d->name,
                     j->error ? text : "the text is no UTF-8");
  tn_metal_binary(d, j, binary);
  tn_metal_fresh_add(d, j);
  return TINY_OK;
}
static tiny_code tn_metal_compile_now(tn_metal *d, int n, const tiny_bytes *source, tiny_bytes *binary,
                                      tiny_bytes *log) {
  const size_t nbytes = (size_t)n * sizeof(tn_metal_job);
  tn_metal_job *job = (tn_metal_job *)tiny_realloc(d->t, NULL, 0, nbytes + 1);
  const tn_metal_jobs jobs = {d, job};
  tiny_code code = TINY_OK;
  if (!job) return tiny_fail(d->t, TINY_E_MEMORY, "%s: no memory to compile with", d->name);
  memset(job, 0, nbytes);
  for (int i = 0; i < n; i++) job[i].source = &source[i];
  if (n > 1) tiny_parallel(d->t, n, tn_metal_job_run, (void *)(uintptr_t)&jobs);
  else if (n) tn_metal_job_run((void *)(uintptr_t)&jobs, 0);
  for (int i = 0; i < n; i++) {
    if (code == TINY_OK) code = tn_metal_said(d, &job[i], &binary[i], log);
    tn_metal_made_drop(&job[i].made);
    if (job[i].archive) TN_DROP(job[i].archive);
    if (job[i].error) TN_DROP(job[i].error);
  }
  tiny_realloc(d->t, job, nbytes + 1, 0);
  return code;
}
static tiny_code tn_metal_compile(void *dev, int n, const tiny_bytes *source, tiny_bytes *binary, tiny_bytes *log) {
  tiny_code code;
  TN_POOL code = tn_metal_compile_now((tn_metal *)dev, n, source, binary, log); TN_POOL_END
  return code;
}

// ** what a text tells of a kernel's parameters **

// Does the text begin as lang_metal's do? The first line is for matrix units.
static int tn_metal_is_own(const char *text) {
  for (int i = strncmp(text, tn_metal_prelude[0], strlen(tn_metal_prelude[0])) != 0; tn_metal_prelude[i]; i++) {
    const size_t n = strlen(tn_metal_prelude[i]);
    if (strncmp(text, tn_metal_prelude[i], n) != 0 || text[n] != '\n') return 0;
    text += n + 1;
  }
  return 1;
}
// What stands behind "void NAME(", to the ) that closes it. NULL: it is not in the text.
static const char *tn_metal_parameters(const char *text, const char *name, const char **end) {
  char head[96];
  int depth = 1;
  snprintf(head, sizeof head, "void %.80s(", name);
  const char *from = strstr(text, head);
  if (!from) return NULL;
  from += strlen(head);
  for (*end = from; **end; (*end)++) {
    depth += (**end == '(') - (**end == ')');
    if (!depth) return from;
  }
  return NULL;
}
static int tn_metal_says(const char *from, const char *to, const char *word) {
  const char *at = strstr(from, word);
  return at && at < to;
}
// How many buffers a foreign kernel has, and which of them, bit per slot, may be written: all but const ones. A text
// that says nothing of slots, and a .metallib, may have any number, and write all.
static void tn_metal_read_parameters(tn_metal_kernel *k) {
  static const char buffer[] = "[[buffer(";
  const char *end, *at = tn_metal_parameters(k->module->text, k->name, &end);
  k->parameters = 0;
  k->writes = ~(uint32_t)0;
  for (const char *slot; at && (slot = strstr(at, buffer)) != NULL && slot < end; at = slot + sizeof buffer - 1) {
    const char *from = slot;
    while (from > at && *from != ',') from--;
    const uint64_t number = tn_digits_value(slot + sizeof buffer - 1, 10, NULL);
    if (tn_metal_says(from, slot, "const")) k->writes &= ~((uint32_t)1 << (number & 31));
    k->parameters++;
  }
  if (tn_metal_is_own(k->module->text)) k->parameters = 0;   // what it has no use for is not among them
}

// ** modules and kernels **

static void tn_metal_module_drop(tn_metal *d, tn_metal_module *m) {
  for (tn_metal_kernel *k; (k = m->kernels) != NULL; ) {
    m->kernels = k->next;
    tn_metal_later(d, k->pipeline, d->number, 0);
    if (d->pipeline == k) d->pipeline = NULL;
    tiny_realloc(d->t, k, sizeof *k, 0);
  }
  tn_metal_made_drop(&m->made);
  if (m->file[0]) remove(m->file);
  tiny_realloc(d->t, m, m->nbytes, 0);
}
static tn_metal_module *tn_metal_module_new(tn_metal *d, const char *text, size_t nbytes) {
  const size_t all = sizeof(tn_metal_module) + TN_METAL_PATH + nbytes + 1;
  tn_metal_module *m = (tn_metal_module *)tiny_realloc(d->t, NULL, 0, all);
  if (!m) { tiny_fail(d->t, TINY_E_MEMORY, "%s: no memory for a program", d->name); return NULL; }
  memset(m, 0, sizeof *m);
  m->nbytes = all;
  m->file = (char *)(m + 1);
  m->file[0] = 0;
  m->text = m->file + TN_METAL_PATH;
  if (nbytes) memcpy(m->text, text, nbytes);
  m->text[nbytes] = 0;
  return m;
}
static void *tn_metal_refused(tn_metal *d, tn_metal_module *m, NSError *error) {
  char said[TN_METAL_LOG];
  if (tn_metal_is_gone(d)) tn_metal_lost(d);
  tn_metal_text(error, said, sizeof said);
  tiny_fail(d->t, TINY_E_COMPILE, "%s: Metal does not take a program: %s", d->name,
            said[0] ? said : "no reason is given");
  tn_metal_module_drop(d, m);
  return NULL;
}

// An archive that was kept behind a text.
static void tn_metal_load_archive(tn_metal *d, tn_metal_module *m, const char *data, size_t nbytes) {
  if (!nbytes || !tn_metal_path(m->file, "archive")) { m->file[0] = 0; return; }
  if (tn_metal_file_write(m->file, data, nbytes))
    m->made.archive = TN_NEW(id<MTLBinaryArchive>, tn_metal_archive_new(d, tn_metal_url(m->file)));
  if (m->made.archive) return;
  remove(m->file);
  m->file[0] = 0;
}
static void *tn_metal_load_text(tn_metal *d, const char *binary, size_t nbytes) {
  const char *text = binary + TN_METAL_HEAD;
  const int ends = text[-1] == '\n';       // else there may be digits without end
  const size_t all = nbytes - TN_METAL_HEAD, n = ends ? (size_t)tn_digits_value(binary + 27, 16, NULL) : 0;
  char head[TN_METAL_HEAD + 1];
  NSError *error = nil;
  tn_metal_head(d, text, all, n, head);
  if (!ends || n > all || memcmp(head, binary, TN_METAL_HEAD) != 0) {
    tiny_fail(d->t, TINY_E_COMPILE, "%s: a program of %llu bytes was cut off or changed, or is for another version of "
              "the language; it is none to run", d->name, (unsigned long long)nbytes);
    return NULL;
  }
  tn_metal_module *m = tn_metal_module_new(d, text, n);
  if (!m || tn_metal_fresh_take(d, text, n, &m->made)) return m;
  m->made.library = TN_NEW(id<MTLLibrary>, tn_metal_library_new(d, text, n, &error));
  if (!m->made.library) return tn_metal_refused(d, m, error);
  tn_metal_load_archive(d, m, text + n, all - n);
  return m;
}
// A .metallib, which Metal reads as a file.
static void *tn_metal_load_library(tn_metal *d, const char *binary, size_t nbytes) {
  char path[TN_METAL_PATH];
  NSError *error = nil;
  tn_metal_module *m = tn_metal_module_new(d, "", 0);
  if (!m) return NULL;
  if (!tn_metal_path(path, "metallib") || !tn_metal_file_write(path, binary, nbytes)) {
    tiny_fail(d->t, TINY_E_IO, "%s: a library cannot be written to the system's folder for temporary files", d->name);
    tn_metal_module_drop(d, m);
    return NULL;
  }
  m->made.library = TN_NEW(id<MTLLibrary>, [d->gpu newLibraryWithURL:tn_metal_url(path) error:&error]);
  remove(path);
  return m->made.library ? m : tn_metal_refused(d, m, error);
}
static void *tn_metal_load_now(tn_metal *d, const char *binary, size_t nbytes) {
  if (nbytes >= TN_METAL_HEAD && !memcmp(binary, "// MSL ", 7)) return tn_metal_load_text(d, binary, nbytes);
  if (nbytes > 4 && !memcmp(binary, "MTLB", 4)) return tn_metal_load_library(d, binary, nbytes);
  tiny_fail(d->t, TINY_E_COMPILE, "%s: %llu bytes are no program for Metal: it takes a .metallib", d->name,
            (unsigned long long)nbytes);
  return NULL;
}
// NULL: these bytes are no program.
static void *tn_metal_load(void *dev, const void *binary, size_t nbytes) {
  void *module;
  TN_POOL module = tn_metal_load_now((tn_metal *)dev, (const char *)binary, nbytes); TN_POOL_END
  return module;
}
static void tn_metal_unload(void *dev, void *module) {
  tn_metal *d = (tn_metal *)dev;
  if (!module) return;
  TN_POOL
    tn_prepared_leave(&d->prepared, module);
    tn_metal_module_drop(d, (tn_metal_module *)module);
  TN_POOL_END
}

// It is the caller's to release; nil after an error.
static id<MTLComputePipelineState> tn_metal_pipeline_new(tn_metal *d, tn_metal_module *m, id<MTLFunction> function,
                                                         const char *name) {
  char said[TN_METAL_LOG];
  NSError *error = nil;
  MTLComputePipelineDescriptor *how = tn_metal_pipeline_how(d, function);
  if (m->made.archive) [how setBinaryArchives:[NSArray arrayWithObject:m->made.archive]];
  id<MTLComputePipelineState> pipeline =
      [d->gpu newComputePipelineStateWithDescriptor:how options:MTLPipelineOptionNone reflection:NULL error:&error];
  if (pipeline) return pipeline;
  if (tn_metal_is_gone(d)) tn_metal_lost(d);
  tn_metal_text(error, said, sizeof said);
  tiny_fail(d->t, TINY_E_COMPILE, "%s: the GPU's compiler does not take %s: %s", d->name, name, said);
  return nil;
}
static void *tn_metal_find_now(tn_metal *d, tn_metal_module *m, const char *name) {
  NSString *entry = [NSString stringWithUTF8String:name];
  id<MTLFunction> function = entry ? TN_NEW(id<MTLFunction>, [m->made.library newFunctionWithName:entry]) : nil;
  if (!function) return NULL;
  id<MTLComputePipelineState> pipeline =
      TN_NEW(id<MTLComputePipelineState>, tn_metal_pipeline_new(d, m, function, name));
  TN_DROP(function);
  if (!pipeline) return NULL;
  tn_metal_kernel *k = (tn_metal_kernel *)tiny_realloc(d->t, NULL, 0, sizeof *k);
  if (!k) {
    TN_DROP(pipeline);
    tiny_fail(d->t, TINY_E_MEMORY, "%s: no memory for a kernel", d->name);
    return NULL;
  }
  memset(k, 0, sizeof *k);
  k->next = m->kernels; k->module = m; k->device = d;
  k->pipeline = pipeline;
  k->items = (int)[pipeline maxTotalThreadsPerThreadgroup];
  snprintf(k->name, sizeof k->name, "%s", name);
  tn_metal_read_parameters(k);
  return m->kernels = k;
}
// NULL: it is not in there.
static void *tn_metal_find(void *dev, void *module, const char *name) {
  void *kernel;
  TN_POOL kernel = tn_metal_find_now((tn_metal *)dev, (tn_metal_module *)module, name); TN_POOL_END
  return kernel;
}
#endif
// ---- end src/metal/program.m ----
// ---- begin src/metal/launch.m ----
// launch: kernels, their arguments, and barriers between those that touch the same memory.
//
// In:    what struct tiny_launch says. Out: dispatches in a concurrent encoder.
// Holds: memory of PARAM k is buffer k, ARG k is bytes of buffer 30 - k (render/lang_metal.c). A launch comes behind a
//        barrier where one since the last barrier writes memory that it touches, or touches what it writes. Memory is
//        told apart by where it begins: how much of it a kernel touches is not known here. Between encoders, and
//        command buffers of a queue, Metal itself orders what touches the same memory.
#ifndef TN_METAL_LAUNCH
#define TN_METAL_LAUNCH
#ifndef TINY_AMALGAMATED
#include "program.m"
#endif

// ** does it fit? **

static tiny_code tn_metal_fits(const tn_metal *d, const tiny_launch *l) {
  const tn_metal_kernel *k = (const tn_metal_kernel *)l->kernel;
  const int64_t items = l->local[0] * l->local[1] * l->local[2];
  for (int i = 0; i < 3; i++)
    if (l->global[i] > INT32_MAX || l->local[i] > d->items[i])
      return tiny_fail(d->t, TINY_E_DEVICE, "%s: %s: dim %d has %lld groups of %lld items; this GPU takes %d of %d",
                       d->name, k->name, i, (long long)l->global[i], (long long)l->local[i], INT32_MAX, d->items[i]);
  if (items > k->items)
    return tiny_fail(d->t, TINY_E_DEVICE, "%s: %s: groups of %lld items, but its registers allow %d "
                     "(maxTotalThreadsPerThreadgroup)", d->name, k->name, (long long)items, k->items);
  if (k->parameters && k->parameters != l->nmem)
    return tiny_fail(d->t, TINY_E_ARG, "kernel: %s has %d parameters, but there are an output and %d inputs", k->name,
                     k->parameters, l->nmem - 1);
  if (l->nmem + l->nargs > TN_METAL_BUFFERS)
    return tiny_fail(d->t, TINY_E_DEVICE, "%s: %s: %d parameters, but a kernel has up to %d: compute some of its "
                     "inputs before it (tiny_contiguous)", d->name, k->name, l->nmem + l->nargs, TN_METAL_BUFFERS);
  return TINY_OK;
}

// ** what touches what **

static int tn_metal_writes_mem(const tiny_launch *l, int i) {
  return (int)(((const tn_metal_kernel *)l->kernel)->writes >> i & 1);
}
// Does the launch have to wait for one of those that are kept?
static int tn_metal_conflicts(const tn_metal_touched *touched, int n, const tiny_launch *l) {
  for (int i = 0; i < l->nmem; i++)
    for (int k = 0; k < n; k++)
      if (touched[k].base == l->mem[i].base && (touched[k].written || tn_metal_writes_mem(l, i))) return 1;
  return 0;
}
static int tn_metal_touch(tn_metal_touched *touched, int n, const tiny_launch *l) {
  for (int i = 0; i < l->nmem; i++) {
    int k = 0;
    while (k < n && touched[k].base != l->mem[i].base) k++;
    if (k == n) { touched[n].base = l->mem[i].base; touched[n++].written = 0; }
    touched[k].written |= tn_metal_writes_mem(l, i);
  }
  return n;
}
// 1: a barrier comes before the launch, which is kept then.
static int tn_metal_order(tn_metal_touched *touched, int *n, const tiny_launch *l) {
  const int barrier = *n + l->nmem > TN_METAL_TOUCHED || tn_metal_conflicts(touched, *n, l);
  *n = tn_metal_touch(touched, barrier ? 0 : *n, l);
  return barrier;
}

// ** dispatches **

static void tn_metal_arguments(tn_metal *d, const tiny_launch *l) {
  for (int i = 0; i < l->nmem; i++)
    [d->compute setBuffer:tn_metal_buffer(l->mem[i].base) offset:l->mem[i].offset atIndex:(NSUInteger)i];
  for (int i = 0; i < l->nargs; i++)
    [d->compute setBytes:&l->args[i] length:sizeof l->args[i] atIndex:(NSUInteger)(TN_METAL_BUFFERS - 1 - i)];
}
static MTLSize tn_metal_size(const int64_t v[3]) {
  return MTLSizeMake((NSUInteger)v[0], (NSUInteger)v[1], (NSUInteger)v[2]);
}
static tiny_code tn_metal_dispatch(tn_metal *d, const tiny_launch *l) {
  const tn_metal_kernel *k = (const tn_metal_kernel *)l->kernel;
  tiny_code code = tn_metal_compute(d);
  for (int i = 0; i < l->nmem && code == TINY_OK; i++) code = tn_metal_use(d, l->mem[i]);
  if (code != TINY_OK) return code;
  if (tn_metal_order(d->touched, &d->ntouched, l)) [d->compute memoryBarrierWithScope:MTLBarrierScopeBuffers];
  if (d->pipeline != k) [d->compute setComputePipelineState:k->pipeline];
  d->pipeline = k;
  tn_metal_arguments(d, l);
  [d->compute dispatchThreadgroups:tn_metal_size(l->global) threadsPerThreadgroup:tn_metal_size(l->local)];
  d->ndispatch++;
  return TINY_OK;
}
// One whose time is wanted is alone in its command buffer, which has a time; the host's has that of others, too.
static tiny_code tn_metal_dispatch_timed(tn_metal *d, const tiny_launch *l) {
  tiny_code code = tn_metal_commit(d);
  if (code == TINY_OK) code = tn_metal_dispatch(d, l);
  if (code != TINY_OK) return code;
  tn_metal_slot_of(d, d->number)->stamp = l->stamp;
  return tn_metal_commit(d);
}
static tiny_code tn_metal_launch_one(tn_metal *d, const tiny_launch *l) {
  for (int i = 0; i < 3; i++) if (l->global[i] < 1) return TINY_OK;
  const tiny_code code = tn_metal_fits(d, l);
  if (code != TINY_OK) return code;
  return l->stamp && !tn_metal_hosts_pending(d) ? tn_metal_dispatch_timed(d, l) : tn_metal_dispatch(d, l);
}
static tiny_code tn_metal_launch_all(tn_metal *d, const tiny_launch *l, int n) {
  tiny_code code = d->lost ? tn_metal_lost(d) : TINY_OK;
  for (int i = 0; i < n && code == TINY_OK; i++) code = tn_metal_launch_one(d, &l[i]);
  const tiny_code given = tn_metal_given(d);
  return code == TINY_OK ? given : code;
}
static tiny_code tn_metal_launch(void *dev, const tiny_launch *l) {
  tiny_code code;
  TN_POOL code = tn_metal_launch_all((tn_metal *)dev, l, 1); TN_POOL_END
  return code;
}
#endif
// ---- end src/metal/launch.m ----
// ---- begin src/metal/graph.m ----
// graph: launches that are handed over together again and again, as an indirect command buffer (base/prepared.c).
//
// In:    the launches of a submit. Out: one executeCommandsInBuffer, of which only arguments that changed were set.
// Holds: a list is an MTLIndirectCommandBuffer of a command a launch, and a buffer with the numbers that are ARGs: such
//        commands take no bytes. What it uses is told to the encoder, which is its own, so that Metal orders it among
//        others. Commands wait for each other where launches would (launch.m).
//        Offsets of arguments end at 4 GiB. GPUs of families before Apple9 hang or fault where a pipeline state was not
//        set in the encoder that executes such a list: tinygrad's runtime/graph/metal.py tells of that, and of empty
//        dispatches as the way around it.
#ifndef TN_METAL_GRAPH
#define TN_METAL_GRAPH
#ifndef TINY_AMALGAMATED
#include "launch.m"
#endif

enum { TN_METAL_ARG = 256 };               // between numbers (Metal Feature Set Tables: alignment of constant memory)

// A launch in a list: what base/prepared.c takes for its arguments.
typedef struct tn_metal_command {
  struct tn_metal_list *list; int index, nargs, barrier; size_t args;          // args: bytes into the numbers
} tn_metal_command;
// kept: of the host's, retained, so that no other buffer comes to stand at its address while commands name it.
typedef struct tn_metal_used { void *base; int written; TN_UNOWNED id kept; } tn_metal_used;
typedef struct tn_metal_list {
  TN_UNOWNED id<MTLIndirectCommandBuffer> commands; TN_UNOWNED id<MTLBuffer> numbers;
  size_t nbytes, nnumbers; int n, changed; // nbytes: of this struct and what stands behind it
  tn_metal_used *used; int nused;
} tn_metal_list;

static const void *tn_metal_module_of(const void *kernel) { return ((const tn_metal_kernel *)kernel)->module; }
static size_t tn_metal_args_nbytes(const void *kernel) {
  (void)kernel;
  return sizeof(tn_metal_command);
}
static uint64_t tn_metal_value_of(const tiny_launch *l, int i) {
  if (i >= l->nmem) return (uint64_t)l->args[i - l->nmem];
  const tn_metal_block *b = tn_metal_block_find(((const tn_metal_kernel *)l->kernel)->device, l->mem[i].base);
  return (b ? b->va : 0) + l->mem[i].offset;
}
static tiny_code tn_metal_ready(void *user, const tiny_launch *l) { return tn_metal_fits((const tn_metal *)user, l); }

// ** commands **

static void tn_metal_set(const tiny_launch *l, int i, const tn_metal_command *c) {
  const tn_metal_list *list = c->list;
  id<MTLIndirectComputeCommand> command = [list->commands indirectComputeCommandAtIndex:(NSUInteger)c->index];
  if (i < l->nmem)
    [command setKernelBuffer:tn_metal_buffer(l->mem[i].base) offset:l->mem[i].offset atIndex:(NSUInteger)i];
  else {
    char *const to = (char *)[list->numbers contents] + c->args + (size_t)(i - l->nmem) * TN_METAL_ARG;
    memcpy(to, &l->args[i - l->nmem], sizeof *l->args);
  }
}
static void tn_metal_prepared_write(void *user, const tiny_launch *l, char *args, uint64_t va) {
  tn_metal *d = (tn_metal *)user;
  tn_metal_command *c = (tn_metal_command *)(void *)args;
  tn_metal_list *list = d->list_made;
  (void)va;
  c->list = list; c->index = list->n++; c->nargs = l->nargs; c->barrier = 0;
  c->args = list->nnumbers;
  list->nnumbers += (size_t)l->nargs * TN_METAL_ARG;
  list->changed = 1;
  id<MTLIndirectComputeCommand> command = [list->commands indirectComputeCommandAtIndex:(NSUInteger)c->index];
  [command setComputePipelineState:((const tn_metal_kernel *)l->kernel)->pipeline];
  for (int i = 0; i < l->nmem + l->nargs; i++) tn_metal_set(l, i, c);
  for (int i = 0; i < l->nargs; i++)
    [command setKernelBuffer:list->numbers offset:c->args + (size_t)i * TN_METAL_ARG
                     atIndex:(NSUInteger)(TN_METAL_BUFFERS - 1 - i)];
  [command concurrentDispatchThreadgroups:tn_metal_size(l->global) threadsPerThreadgroup:tn_metal_size(l->local)];
}
static void tn_metal_prepared_put(const tiny_launch *l, int i, uint64_t value, char *args) {
  tn_metal_command *c = (tn_metal_command *)(void *)args;
  (void)value;
  tn_metal_set(l, i, c);
  if (i < l->nmem) c->list->changed = 1;
}
static size_t tn_metal_prepared_command(void *user, const tiny_launch *l, int first, uint64_t args, uint32_t *at) {
  (void)user; (void)l; (void)first; (void)args; (void)at;
  return 0;                                // commands are Metal's
}

// ** lists **

static void tn_metal_list_forget(tn_metal_list *list) {
  for (int i = 0; i < list->nused; i++) if (list->used[i].kept) TN_DROP(list->used[i].kept);
  list->nused = 0;
}
static void tn_metal_prepared_drop(void *user, void *memory) {
  tn_metal *d = (tn_metal *)user;
  tn_metal_list *list = (tn_metal_list *)memory;
  tn_metal_list_forget(list);
  if (list->commands) tn_metal_later(d, list->commands, d->number, 0);
  if (list->numbers) tn_metal_later(d, list->numbers, d->number, 0);
  tiny_realloc(d->t, list, list->nbytes, 0);
}
static id<MTLIndirectCommandBuffer> tn_metal_commands_new(const tn_metal *d, int n) {
  MTLIndirectCommandBufferDescriptor *how = [[MTLIndirectCommandBufferDescriptor alloc] init];
  [how setCommandTypes:MTLIndirectCommandTypeConcurrentDispatch];
  [how setInheritBuffers:NO];
  [how setInheritPipelineState:NO];
  [how setMaxKernelBufferBindCount:TN_METAL_BUFFERS];
  id<MTLIndirectCommandBuffer> commands =
      [d->gpu newIndirectCommandBufferWithDescriptor:how maxCommandCount:(NSUInteger)n
                                             options:MTLResourceStorageModeShared];
#ifndef TN_METAL_ARC
  [how release];
#endif
  return commands;
}
// cpu: what tn_metal_command of each launch stands in. Memory behind it tells what the list uses.
static void *tn_metal_prepared_make(void *user, size_t nbytes, char **cpu, uint64_t *va) {
  tn_metal *d = (tn_metal *)user;
  const int n = (int)(nbytes / sizeof(tn_metal_command));
  const size_t nused = (size_t)d->list_uses, all = sizeof(tn_metal_list) + nbytes + nused * sizeof(tn_metal_used);
  tn_metal_list *list = (tn_metal_list *)tiny_realloc(d->t, NULL, 0, all);
  if (!list) { tiny_fail(d->t, TINY_E_MEMORY, "%s: no memory for a list of commands", d->name); return NULL; }
  memset(list, 0, sizeof *list);
  list->nbytes = all;
  *cpu = (char *)(list + 1);
  *va = (uint64_t)(uintptr_t)*cpu;
  list->used = (tn_metal_used *)(void *)(*cpu + nbytes);
  d->list_made = list;
  list->commands = TN_NEW(id<MTLIndirectCommandBuffer>, tn_metal_commands_new(d, n));
  if (list->commands && d->list_numbers)
    list->numbers = TN_NEW(id<MTLBuffer>, [d->gpu newBufferWithLength:d->list_numbers * TN_METAL_ARG
                                                              options:MTLResourceStorageModeShared]);
  if (list->commands && (list->numbers || !d->list_numbers)) return list;
  tn_metal_none(d, "indirect command buffer");
  tn_metal_prepared_drop(d, list);
  return NULL;
}
static uint64_t tn_metal_prepared_done(void *user) {
  tn_metal *d = (tn_metal *)user;
  tn_metal_reap(d);
  return d->done;
}
static tiny_code tn_metal_prepared_wait(void *user, uint64_t number) {
  return tn_metal_wait_for((tn_metal *)user, number);
}

static const tn_prepared_calls tn_metal_prepared_calls = {
  0, tn_metal_module_of, tn_metal_args_nbytes, tn_metal_value_of, tn_metal_ready, tn_metal_prepared_write,
  tn_metal_prepared_put, NULL, tn_metal_prepared_command, tn_metal_prepared_make, tn_metal_prepared_drop,
  tn_metal_prepared_done, tn_metal_prepared_wait
};

// ** executed **

static void tn_metal_list_uses(const tn_metal *d, tn_metal_list *list, void *base, int written) {
  int k = 0;
  while (k < list->nused && list->used[k].base != base) k++;
  if (k == list->nused) {
    const tn_metal_block *b = tn_metal_block_find(d, base);
    list->used[k].base = base;
    list->used[k].written = 0;
    list->used[k].kept = b && b->own ? nil : TN_RETAINED(id, tn_metal_buffer(base));
    list->nused++;
  }
  list->used[k].written |= written;
}
// Barriers and what is used, anew, as launches got other memory.
static void tn_metal_list_order(const tn_metal *d, const tn_prepared_graph *g, const tn_prepared_list *of,
                                const tiny_launch *l) {
  tn_metal_list *list = (tn_metal_list *)of->memory;
  tn_metal_touched touched[TN_METAL_TOUCHED];
  int n = 0;
  list->changed = 0;
  tn_metal_list_forget(list);
  for (int i = 0; i < g->n; i++) {
    tn_metal_command *c = (tn_metal_command *)(void *)(of->cpu + g->step[i].at);
    const int barrier = tn_metal_order(touched, &n, &l[i]);
    for (int k = 0; k < l[i].nmem; k++) tn_metal_list_uses(d, list, l[i].mem[k].base, tn_metal_writes_mem(&l[i], k));
    if (barrier == c->barrier) continue;
    id<MTLIndirectComputeCommand> command = [list->commands indirectComputeCommandAtIndex:(NSUInteger)i];
    if (barrier) [command setBarrier]; else [command clearBarrier];
    c->barrier = barrier;
  }
}
// Each pipeline state once, with nothing to do: see the head of this room.
static void tn_metal_list_pipelines(tn_metal *d, const tn_prepared_graph *g) {
  const MTLSize none = MTLSizeMake(0, 0, 0);
  for (int i = 0; i < g->n; i++) {
    int before = 0;
    while (g->step[before].kernel != g->step[i].kernel) before++;
    if (before < i) continue;
    [d->compute setComputePipelineState:((const tn_metal_kernel *)g->step[i].kernel)->pipeline];
    [d->compute dispatchThreadgroups:none threadsPerThreadgroup:none];
  }
}
static tiny_code tn_metal_list_execute(tn_metal *d, const tn_prepared_graph *g, tn_prepared_list *of,
                                       const tiny_launch *l) {
  tn_metal_list *list = (tn_metal_list *)of->memory;
  tn_metal_end(d);
  tiny_code code = tn_metal_compute(d);
  if (code != TINY_OK) return code;
  for (int i = 0; i < g->n; i++)
    for (int k = 0; k < l[i].nmem; k++) tn_metal_use(d, l[i].mem[k]);
  if (list->changed) tn_metal_list_order(d, g, of, l);
  for (int i = 0; i < list->nused; i++)
    [d->compute useResource:tn_metal_buffer(list->used[i].base)
                      usage:MTLResourceUsageRead | (list->used[i].written ? MTLResourceUsageWrite : 0)];
  if (list->numbers) [d->compute useResource:list->numbers usage:MTLResourceUsageRead];
  if (d->family && d->family < 9) tn_metal_list_pipelines(d, g);
  [d->compute executeCommandsInBuffer:list->commands withRange:NSMakeRange(0, (NSUInteger)g->n)];
  tn_metal_end(d);
  of->busy = d->number;
  d->ndispatch += g->n;
  return TINY_OK;
}

// What a list of these launches has room for, and whether there is to be one. Their memory is known from here on.
static int tn_metal_list_fits(tn_metal *d, const tiny_launch *l, int n) {
  int fits = d->indirect && !d->lost;
  d->list_uses = 0;
  d->list_numbers = 0;
  for (int i = 0; i < n && fits; i++) {
    d->list_uses += l[i].nmem;
    d->list_numbers += (size_t)l[i].nargs;
    for (int k = 0; k < l[i].nmem && fits; k++)
      fits = l[i].mem[k].offset <= UINT32_MAX && tn_metal_block_of(d, l[i].mem[k]) != NULL;
  }
  return fits;
}
static tiny_code tn_metal_submit_now(tn_metal *d, const tiny_launch *l, int n) {
  tn_prepared_graph *g = tn_metal_list_fits(d, l, n) ? tn_prepared_of(&d->prepared, l, n) : NULL;
  if (!g) return tn_metal_launch_all(d, l, n);
  tn_prepared_list *list = tn_prepared_list_of(&d->prepared, g, l);
  if (!list) return tiny_status(d->t);
  const tiny_code code = tn_metal_list_execute(d, g, list, l);
  return code == TINY_OK ? tn_metal_given(d) : code;
}
static tiny_code tn_metal_submit(void *dev, const tiny_launch *l, int n) {
  tiny_code code;
  TN_POOL code = tn_metal_submit_now((tn_metal *)dev, l, n); TN_POOL_END
  return code;
}
#endif
// ---- end src/metal/graph.m ----
// ---- begin src/metal/event.m ----
// event: places in the order of a device, waited for by others, and the wait for all of it.
//
// In:    calls of the library. Out: what the contract of tiny_backend says, by MTLSharedEvents, which order queues of
//        one GPU and of several.
#ifndef TN_METAL_EVENT
#define TN_METAL_EVENT
#ifndef TINY_AMALGAMATED
#include "graph.m"
#endif

typedef struct tn_metal_event {
  TN_UNOWNED id<MTLSharedEvent> event; TN_UNOWNED id<MTLCommandBuffer> buffer; uint64_t value; const tn_metal *of;
} tn_metal_event;

static tiny_code tn_metal_signal_next(tn_metal *d) {
  if (!d->event) d->event = TN_NEW(id<MTLSharedEvent>, [d->gpu newSharedEvent]);
  if (!d->event) return tn_metal_none(d, "event");
  const tiny_code code = tn_metal_begin(d);
  if (code != TINY_OK) return code;
  tn_metal_end(d);
  [tn_metal_now(d) encodeSignalEvent:d->event value:++d->event_value];
  return TINY_OK;
}
static void *tn_metal_event_now(tn_metal *d) {
  if (d->into_host) { tn_metal_not_committed(d); return NULL; }
  tn_metal_event *e = (tn_metal_event *)tiny_realloc(d->t, NULL, 0, sizeof *e);
  if (!e) { tiny_fail(d->t, TINY_E_MEMORY, "%s: no memory for an event", d->name); return NULL; }
  tiny_code code = tn_metal_signal_next(d);
  id<MTLCommandBuffer> buffer = tn_metal_now(d);
  if (code == TINY_OK) code = tn_metal_commit(d);
  if (code == TINY_OK) {
    e->event = TN_RETAINED(id<MTLSharedEvent>, d->event);
    e->buffer = TN_RETAINED(id<MTLCommandBuffer>, buffer);
    e->value = d->event_value; e->of = d;
    return e;
  }
  tiny_realloc(d->t, e, sizeof *e, 0);
  return NULL;
}
static void *tn_metal_event_new(void *dev) {
  void *event;
  TN_POOL event = tn_metal_event_now((tn_metal *)dev); TN_POOL_END
  return event;
}
// The event stays until the command buffer that waits for it has completed.
static tiny_code tn_metal_wait_event(tn_metal *d, id<MTLEvent> event, uint64_t value) {
  const tiny_code code = tn_metal_begin(d);
  if (code != TINY_OK) return code;
  tn_metal_end(d);
  [tn_metal_now(d) encodeWaitForEvent:event value:value];
  tn_metal_later(d, TN_RETAINED(id, event), d->number, 0);
  return TINY_OK;
}
static tiny_code tn_metal_awaits(tn_metal *d, const tn_metal_event *e) {
  tn_metal_awaited *a = (tn_metal_awaited *)tiny_realloc(d->t, NULL, 0, sizeof *a);
  if (!a) return tiny_fail(d->t, TINY_E_MEMORY, "%s: no memory for an event", d->name);
  a->next = d->awaited; a->value = e->value; a->used = d->number;
  a->event = TN_RETAINED(id<MTLSharedEvent>, e->event);
  a->buffer = TN_RETAINED(id<MTLCommandBuffer>, e->buffer);
  d->awaited = a;
  return TINY_OK;
}
static tiny_code tn_metal_wait(void *dev, void *event) {
  tn_metal *d = (tn_metal *)dev;
  const tn_metal_event *e = (const tn_metal_event *)event;
  tiny_code code = TINY_OK;
  if (e->of == d) return TINY_OK;
  TN_POOL
    code = tn_metal_wait_event(d, e->event, e->value);
    if (code == TINY_OK) code = tn_metal_awaits(d, e);
  TN_POOL_END
  return code;
}
static void tn_metal_event_free(void *dev, void *event) {
  tn_metal *d = (tn_metal *)dev;
  TN_POOL
    TN_DROP(((tn_metal_event *)event)->event);
    TN_DROP(((tn_metal_event *)event)->buffer);
  TN_POOL_END
  tiny_realloc(d->t, event, sizeof(tn_metal_event), 0);
}

static tiny_code tn_metal_sync_now(tn_metal *d) {
  tiny_code code = tn_metal_commit(d);
  if (code == TINY_OK) code = tn_metal_wait_for(d, d->number - 1);
  return code == TINY_OK ? tn_metal_tell(d) : code;
}
static tiny_code tn_metal_sync(void *dev) {
  tiny_code code;
  TN_POOL code = tn_metal_sync_now((tn_metal *)dev); TN_POOL_END
  return code;
}
#endif
// ---- end src/metal/event.m ----
// ---- begin src/metal/open.m ----
// open: a device is opened and closed.
//
// In:    what stands behind "METAL:", or the name of a queue of the host's. Out: a tn_metal; nothing of it afterwards.
#ifndef TN_METAL_OPEN
#define TN_METAL_OPEN
#ifndef TINY_AMALGAMATED
#include "event.m"
#endif

TINY_METAL_API tiny_metal_name tiny_metal_host(void *queue) {
  tiny_metal_name name;
  snprintf(name.text, sizeof name.text, "METAL:queue-%llx", (unsigned long long)(uintptr_t)queue);
  return name;
}
// NULL: the name is of no queue.
static void *tn_metal_host_named(const char *which) {
  static const char head[] = "queue-";
  const char *end;
  if (strncmp(which, head, sizeof head - 1) != 0) return NULL;
  const uint64_t address = tn_digits_value(which + sizeof head - 1, 16, &end);
  return *end ? NULL : (void *)(uintptr_t)address;
}

static tiny_code tn_metal_open_queue(tn_metal *d, const char *which) {
  void *const hosts = tn_metal_host_named(which);
  if (hosts) {
    d->queue = TN_RETAINED(id<MTLCommandQueue>, TN_OBJECT(id<MTLCommandQueue>, hosts));
    d->gpu = TN_RETAINED(id<MTLDevice>, [d->queue device]);
    return TINY_OK;
  }
  const tiny_code code = tn_metal_find_gpu(d, which);
  if (code != TINY_OK) return code;
  d->queue = TN_NEW(id<MTLCommandQueue>, [d->gpu newCommandQueueWithMaxCommandBufferCount:TN_METAL_FLIGHT * 2]);
  return d->queue ? TINY_OK : tn_metal_none(d, "command queue");
}

// Nothing of it is used by the GPU any more.
static void tn_metal_give_back(tn_metal *d) {
  tn_prepared_close_all(&d->prepared);
  while (d->fresh) tn_metal_fresh_drop(d, &d->fresh);
  tn_metal_await(d, UINT64_MAX);
  d->done = UINT64_MAX - 1;
  tn_metal_gone_drop(d);
  for (int i = 0; i < TN_METAL_CHUNKS; i++)
    if (d->chunk[i].buffer) tn_metal_object_drop(d, d->chunk[i].buffer, 1);
  for (tn_metal_pages *p; (p = d->pages) != NULL; ) {
    d->pages = p->next;
    tn_metal_object_drop(d, p->buffer, 1);
    tiny_realloc(d->t, p, sizeof *p, 0);
  }
  tn_metal_residency_close(d);
  if (d->hosts) TN_DROP(d->hosts);
  if (d->event) TN_DROP(d->event);
  if (d->queue) TN_DROP(d->queue);
  if (d->gpu) TN_DROP(d->gpu);
  if (d->blocks) tiny_realloc(d->t, d->blocks, d->cap * sizeof *d->blocks, 0);
  tiny_realloc(d->t, d, sizeof *d, 0);
}
static tn_metal *tn_metal_open_now(tiny_ctx *t, const char *which, tiny_limits *limits) {
  tn_metal *d = (tn_metal *)tiny_realloc(t, NULL, 0, sizeof *d);
  if (!d) { tiny_fail(t, TINY_E_MEMORY, "METAL: no memory to open a device"); return NULL; }
  memset(d, 0, sizeof *d);
  d->t = t;
  d->number = 1;
  d->prepared.t = t; d->prepared.user = d; d->prepared.calls = &tn_metal_prepared_calls;
  snprintf(d->name, sizeof d->name, "METAL");
  if (tn_metal_open_queue(d, which) != TINY_OK) { tn_metal_give_back(d); return NULL; }
  tn_metal_describe(d);
  tn_metal_limits(d, limits);
  tn_metal_residency_open(d);
  tiny_log_line(t, 'p', "%s: %s, %s memory", d->name, d->target, d->unified ? "shared" : "its own");
  return d;
}
static void *tn_metal_open(tiny_ctx *t, const char *which, tiny_limits *limits) {
  tn_metal *d;
  TN_POOL d = tn_metal_open_now(t, which, limits); TN_POOL_END
  return d;
}
// What waits for a command buffer that the host has not committed is given up: nothing of it happens.
static void tn_metal_close_now(tn_metal *d) {
  tn_metal_end(d);
  if (!d->into_host && !tn_metal_hosts_pending(d)) tn_metal_commit(d);
  for (; d->done + 1 <= d->number; d->done++) {
    tn_metal_slot *s = tn_metal_slot_of(d, d->done + 1);
    if (!s->buffer) continue;
    tn_metal_await(d, d->done + 1);
    if ([s->buffer status] >= MTLCommandBufferStatusCommitted) [s->buffer waitUntilCompleted];
    tn_metal_slot_close(d, s);
  }
  tn_metal_give_back(d);
}
static void tn_metal_close(void *dev) {
  TN_POOL tn_metal_close_now((tn_metal *)dev); TN_POOL_END
}
static const char *tn_metal_target(void *dev) { return ((tn_metal *)dev)->target; }
static void tn_metal_renderer(void *dev, tiny_renderer *out) {
  const tn_metal *d = (const tn_metal *)dev;
  tn_lang_metal(out, d->version, d->has);
}
#endif
// ---- end src/metal/open.m ----
// ---- begin src/metal/host.m ----
// host: what a host that uses Metal itself shares: buffers, pages, textures, its command buffer, its events.
//
// In:    a context whose device is METAL, and objects of the host's. Out: tensors over them, and work in their order.
// Holds: a texture goes by way of a buffer of the library's, row after row, without gaps.
#ifndef TN_METAL_HOST_ROOM
#define TN_METAL_HOST_ROOM
#ifndef TINY_AMALGAMATED
#include "open.m"
#endif

// ** whose device **

// The device that tiny_use_device names, or NULL after TINY_E_ARG.
static tn_metal *tn_metal_of(tiny_ctx *t, const char *call) {
  if (!t || tiny_status(t) != TINY_OK) return NULL;
  const int here = tiny_use_device(t, 0);
  tiny_use_device(t, here);
  const char *name = tiny_device_name(t, here);
  if (!strncmp(name, "METAL", 5) && (!name[5] || name[5] == ':')) return (tn_metal *)tiny_device_handle(t, here);
  tiny_fail(t, TINY_E_ARG, "%s: device %d is %s; tiny_use_device is to name one of METAL", call, here, name);
  return NULL;
}
// A poisoned tensor, of what is wrong.
static tiny_tensor *tn_metal_poison(tiny_ctx *t) { return tiny_blob_of(t, NULL, TINY_F32, TINY_SHAPE()); }
static int64_t tn_metal_nelem(tiny_shape shape) {
  int64_t n = 1;
  for (int i = 0; i < shape.ndim; i++) {
    if (shape.dim[i] < 0 || (shape.dim[i] && n > INT64_MAX / shape.dim[i])) return -1;
    n *= shape.dim[i];
  }
  return n;
}

// ** buffers **

static tiny_tensor *tn_metal_blob_at(tiny_ctx *t, id<MTLBuffer> buffer, size_t offset, tiny_dtype dtype,
                                     tiny_shape shape) {
  const size_t each = tiny_dtype_nbytes(dtype), length = (size_t)[buffer length];
  const int64_t n = tn_metal_nelem(shape);
  if (!each || n < 0 || offset > length || (uint64_t)n > (length - offset) / each || offset % each) {
    tiny_fail(t, TINY_E_ARG, "metal_blob: %lld elements of %u bytes from offset %llu on are not in a buffer of %llu, "
              "or begin within an element", (long long)n, (unsigned)each, (unsigned long long)offset,
              (unsigned long long)length);
    return tn_metal_poison(t);
  }
  const int64_t first = (int64_t)(offset / each);
  if (!first) return tiny_blob_of(t, TN_POINTER(buffer), dtype, shape);
  tiny_tensor *all = tiny_blob_of(t, TN_POINTER(buffer), dtype, TINY_SHAPE(first + n));
  return tiny_reshape(tiny_shrink(all, TINY_SHAPE(first, first + n)), shape);
}
TINY_METAL_API tiny_tensor *tiny_metal_blob(tiny_ctx *t, void *buffer, size_t offset, tiny_dtype dtype,
                                            tiny_shape shape) {
  tiny_tensor *x;
  if (!tn_metal_of(t, "metal_blob")) return tn_metal_poison(t);
  if (!buffer) {
    tiny_fail(t, TINY_E_ARG, "metal_blob: buffer is NULL");
    return tn_metal_poison(t);
  }
  TN_POOL x = tn_metal_blob_at(t, TN_OBJECT(id<MTLBuffer>, buffer), offset, dtype, shape); TN_POOL_END
  return x;
}

// Pages of the host's as a buffer; the same pages are the same buffer. nil after an error.
static id<MTLBuffer> tn_metal_pages_of(tn_metal *d, void *data, size_t nbytes) {
  for (const tn_metal_pages *p = d->pages; p; p = p->next)
    if (p->data == data && p->nbytes == nbytes) return p->buffer;
  tn_metal_pages *p = (tn_metal_pages *)tiny_realloc(d->t, NULL, 0, sizeof *p);
  if (!p) { tiny_fail(d->t, TINY_E_MEMORY, "metal_pages: no memory for what is known of them"); return nil; }
  p->data = data; p->nbytes = nbytes;
  p->buffer = TN_NEW(id<MTLBuffer>, [d->gpu newBufferWithBytesNoCopy:data length:nbytes
      options:MTLResourceStorageModeShared deallocator:nil]);
  if (!p->buffer) {
    tiny_realloc(d->t, p, sizeof *p, 0);
    tiny_fail(d->t, TINY_E_ARG, "metal_pages: Metal takes no %llu bytes there: are they whole pages (on Apple's chips "
              "of 16384 bytes), mapped for reading and writing?", (unsigned long long)nbytes);
    return nil;
  }
  tn_metal_residency_add(d, p->buffer);
  p->next = d->pages;
  d->pages = p;
  return p->buffer;
}
TINY_METAL_API tiny_tensor *tiny_metal_pages(tiny_ctx *t, void *data, size_t nbytes, tiny_dtype dtype,
                                             tiny_shape shape) {
  enum { PAGE = 4096 };                    // the smallest that there are
  tn_metal *d = tn_metal_of(t, "metal_pages");
  tiny_tensor *x = NULL;
  if (!d) return tn_metal_poison(t);
  if (!d->unified)
    tiny_fail(t, TINY_E_DEVICE, "metal_pages: %s has memory of its own: use tiny_from", d->name);
  else if (!data || !nbytes || (uintptr_t)data % PAGE || nbytes % PAGE)
    tiny_fail(t, TINY_E_ARG, "metal_pages: data and nbytes are to be whole pages: mmap, or posix_memalign");
  else {
    TN_POOL
      id<MTLBuffer> buffer = tn_metal_pages_of(d, data, nbytes);
      if (buffer) x = tn_metal_blob_at(t, buffer, 0, dtype, shape);
    TN_POOL_END
  }
  return x ? x : tn_metal_poison(t);
}

// ** textures **

// MTLPixelFormat, of which a tensor has the channels as they lie in memory.
typedef struct tn_metal_pixel_format { int first, last, dtype, channels; } tn_metal_pixel_format;
static const tn_metal_pixel_format tn_metal_pixel_formats[] = {
  {1, 1, TINY_U8, 1}, {10, 11, TINY_U8, 1}, {12, 12, TINY_I8, 1}, {13, 13, TINY_U8, 1}, {14, 14, TINY_I8, 1},
  {20, 20, TINY_U16, 1}, {22, 22, TINY_I16, 1}, {23, 23, TINY_U16, 1}, {24, 24, TINY_I16, 1}, {25, 25, TINY_F16, 1},
  {30, 31, TINY_U8, 2}, {32, 32, TINY_I8, 2}, {33, 33, TINY_U8, 2}, {34, 34, TINY_I8, 2},
  {53, 53, TINY_U32, 1}, {54, 54, TINY_I32, 1}, {55, 55, TINY_F32, 1},
  {60, 60, TINY_U16, 2}, {62, 62, TINY_I16, 2}, {63, 63, TINY_U16, 2}, {64, 64, TINY_I16, 2}, {65, 65, TINY_F16, 2},
  {70, 71, TINY_U8, 4}, {72, 72, TINY_I8, 4}, {73, 73, TINY_U8, 4}, {74, 74, TINY_I8, 4}, {80, 81, TINY_U8, 4},
  {103, 103, TINY_U32, 2}, {104, 104, TINY_I32, 2}, {105, 105, TINY_F32, 2},
  {110, 110, TINY_U16, 4}, {112, 112, TINY_I16, 4}, {113, 113, TINY_U16, 4}, {114, 114, TINY_I16, 4},
  {115, 115, TINY_F16, 4}, {123, 123, TINY_U32, 4}, {124, 124, TINY_I32, 4}, {125, 125, TINY_F32, 4}
};
// A texture, and the buffer that its pixels go by: mem of nbytes.
typedef struct tn_metal_image {
  TN_UNOWNED id<MTLTexture> texture; tiny_dtype dtype; tiny_shape shape; size_t row, nbytes; void *mem;
} tn_metal_image;
static tiny_code tn_metal_image_of(tn_metal *d, const char *call, id<MTLTexture> texture, tn_metal_image *out) {
  const tn_metal_pixel_format *f = NULL;
  const int format = (int)[texture pixelFormat];
  memset(out, 0, sizeof *out);
  for (size_t i = 0; i < sizeof tn_metal_pixel_formats / sizeof *tn_metal_pixel_formats && !f; i++) {
    const tn_metal_pixel_format *row = &tn_metal_pixel_formats[i];
    if (format >= row->first && format <= row->last) f = row;
  }
  if (!f || [texture textureType] != MTLTextureType2D || [texture storageMode] == MTLStorageModeMemoryless)
    return tiny_fail(d->t, TINY_E_ARG, "%s: textures are 2D, with memory, of a format with 1, 2 or 4 channels of 8, 16 "
                     "or 32 bits; this one has MTLPixelFormat %d, MTLTextureType %d", call, format,
                     (int)[texture textureType]);
  out->texture = texture;
  out->dtype = (tiny_dtype)f->dtype;
  out->shape = TINY_SHAPE((int64_t)[texture height], (int64_t)[texture width], f->channels);
  out->row = (size_t)[texture width] * (size_t)f->channels * tiny_dtype_nbytes(out->dtype);
  out->nbytes = (out->row * (size_t)[texture height] + TN_METAL_WORD - 1) / TN_METAL_WORD * TN_METAL_WORD;
  out->mem = tn_metal_alloc_now(d, out->nbytes);
  return out->mem ? TINY_OK :
      tiny_fail(d->t, TINY_E_MEMORY, "%s: the GPU has no %llu bytes left", call, (unsigned long long)out->nbytes);
}
static tiny_code tn_metal_image_use(tn_metal *d, const tn_metal_image *i) {
  const tiny_mem mem = {i->mem, 0};
  const tiny_code code = tn_metal_blit(d);
  return code == TINY_OK ? tn_metal_use(d, mem) : code;
}
static MTLSize tn_metal_image_size(const tn_metal_image *i) {
  return MTLSizeMake((NSUInteger)i->shape.dim[1], (NSUInteger)i->shape.dim[0], 1);
}

// The pixels, in memory that the library gives out itself, as tensors live longer than what they came by.
static tiny_tensor *tn_metal_texture_now(tn_metal *d, id<MTLTexture> texture) {
  tn_metal_image i;
  tiny_tensor *copy = NULL;
  if (tn_metal_image_of(d, "metal_texture", texture, &i) != TINY_OK) return NULL;
  if (tn_metal_image_use(d, &i) == TINY_OK) {
    [d->blit copyFromTexture:texture sourceSlice:0 sourceLevel:0 sourceOrigin:MTLOriginMake(0, 0, 0)
                  sourceSize:tn_metal_image_size(&i) toBuffer:tn_metal_buffer(i.mem) destinationOffset:0
      destinationBytesPerRow:i.row destinationBytesPerImage:i.row * (size_t)i.shape.dim[0]];
    tiny_tensor *pixels = tiny_blob_of(d->t, i.mem, i.dtype, i.shape);
    copy = tiny_clone(pixels);
    tiny_realize(&copy, 1);
    tiny_free(pixels);
  }
  tn_metal_free(d, i.mem, i.nbytes);
  return copy;
}
TINY_METAL_API tiny_tensor *tiny_metal_texture(tiny_ctx *t, void *texture) {
  tn_metal *d = tn_metal_of(t, "metal_texture");
  tiny_tensor *x = NULL;
  if (d && !texture) tiny_fail(t, TINY_E_ARG, "metal_texture: texture is NULL");
  else if (d) { TN_POOL x = tn_metal_texture_now(d, TN_OBJECT(id<MTLTexture>, texture)); TN_POOL_END }
  return x ? x : tn_metal_poison(t);
}

static tiny_code tn_metal_write_now(tn_metal *d, tiny_tensor *x, id<MTLTexture> texture) {
  tn_metal_image i;
  tiny_code code = tn_metal_image_of(d, "metal_write", texture, &i);
  if (code != TINY_OK) return code;
  const tiny_shape has = tiny_shape_of(x), *want = &i.shape;
  if (tiny_dtype_of(x) != i.dtype)
    code = tiny_fail(d->t, TINY_E_DTYPE, "metal_write: the texture has another dtype than x: use tiny_cast");
  else if (has.ndim != 3 || memcmp(has.dim, want->dim, 3 * sizeof *has.dim) != 0)
    code = tiny_fail(d->t, TINY_E_SHAPE, "metal_write: the texture is of (%lld,%lld,%lld), which x is not",
                     (long long)want->dim[0], (long long)want->dim[1], (long long)want->dim[2]);
  if (code == TINY_OK) {
    tiny_tensor *pixels = tiny_blob_of(d->t, i.mem, i.dtype, i.shape);
    tiny_assign(pixels, x);
    code = tiny_realize(&pixels, 1);
    tiny_free(pixels);
  }
  if (code == TINY_OK) code = tn_metal_image_use(d, &i);
  if (code == TINY_OK)
    [d->blit copyFromBuffer:tn_metal_buffer(i.mem) sourceOffset:0 sourceBytesPerRow:i.row
        sourceBytesPerImage:i.row * (size_t)i.shape.dim[0] sourceSize:tn_metal_image_size(&i) toTexture:texture
           destinationSlice:0 destinationLevel:0 destinationOrigin:MTLOriginMake(0, 0, 0)];
  tn_metal_free(d, i.mem, i.nbytes);
  return code;
}
TINY_METAL_API tiny_code tiny_metal_write(tiny_tensor *x, void *texture) {
  tiny_ctx *t = tiny_ctx_of(x);
  tiny_code code;
  if (!tiny_ok(x)) return t && tiny_status(t) != TINY_OK ? tiny_status(t) : TINY_E_ARG;
  tn_metal *d = tn_metal_of(t, "metal_write");
  if (!d) return tiny_status(t);
  if (!texture) return tiny_fail(t, TINY_E_ARG, "metal_write: texture is NULL");
  TN_POOL code = tn_metal_write_now(d, x, TN_OBJECT(id<MTLTexture>, texture)); TN_POOL_END
  return code;
}

// ** the host's command buffer **

static tiny_code tn_metal_encode_begin(tn_metal *d, id<MTLCommandBuffer> buffer) {
  if (d->into_host)
    return tiny_fail(d->t, TINY_E_STATE, "metal_encode: another command buffer is encoded into: end it by NULL");
  if ([buffer status] >= MTLCommandBufferStatusCommitted)
    return tiny_fail(d->t, TINY_E_STATE, "metal_encode: the command buffer is committed already; make another");
  if ([buffer device] != d->gpu)
    return tiny_fail(d->t, TINY_E_ARG, "metal_encode: the command buffer is of another GPU than %s", d->name);
  const int apart = [buffer commandQueue] != d->queue;
  tiny_code code = apart ? tn_metal_signal_next(d) : TINY_OK;
  if (code == TINY_OK) code = tn_metal_commit(d);
  if (code == TINY_OK && d->number - d->done > TN_METAL_FLIGHT - 1)
    code = tn_metal_wait_for(d, d->number - (TN_METAL_FLIGHT - 1));
  if (code != TINY_OK) return code;
  if (apart) [buffer encodeWaitForEvent:d->event value:d->event_value];
  if (d->hosts) TN_DROP(d->hosts);
  d->hosts = TN_RETAINED(id<MTLCommandBuffer>, buffer);
  d->hosts_apart = apart;
  tn_metal_slot_of(d, d->number)->buffer = TN_RETAINED(id<MTLCommandBuffer>, buffer);
  d->into_host = 1;
  return TINY_OK;
}
static tiny_code tn_metal_encode_end(tn_metal *d) {
  if (!d->into_host) return TINY_OK;
  tn_metal_end(d);
  tn_metal_residency_commit(d);
  if (d->hosts_apart) [d->hosts encodeSignalEvent:d->event value:++d->event_value];
  d->into_host = 0;
  d->number++;
  d->ndispatch = 0;
  return d->hosts_apart ? tn_metal_wait_event(d, d->event, d->event_value) : TINY_OK;
}
TINY_METAL_API tiny_code tiny_metal_encode(tiny_ctx *t, void *command_buffer) {
  tn_metal *d = tn_metal_of(t, "metal_encode");
  tiny_code code;
  if (!d) return t ? tiny_status(t) : TINY_E_ARG;
  TN_POOL
    code = command_buffer ? tn_metal_encode_begin(d, TN_OBJECT(id<MTLCommandBuffer>, command_buffer))
                          : tn_metal_encode_end(d);
  TN_POOL_END
  return code;
}

// ** the host's events **

static tiny_code tn_metal_signal_event(tn_metal *d, id<MTLEvent> event, uint64_t value) {
  const tiny_code code = tn_metal_begin(d);
  if (code != TINY_OK) return code;
  tn_metal_end(d);
  [tn_metal_now(d) encodeSignalEvent:event value:value];
  tn_metal_later(d, TN_RETAINED(id, event), d->number, 0);
  return d->into_host ? TINY_OK : tn_metal_commit(d);
}
static tiny_code tn_metal_order_by(tiny_ctx *t, const char *call, void *event, uint64_t value,
                                   tiny_code (*encode)(tn_metal *d, id<MTLEvent> event, uint64_t value)) {
  tn_metal *d = tn_metal_of(t, call);
  tiny_code code;
  if (!d) return t ? tiny_status(t) : TINY_E_ARG;
  if (!event) return tiny_fail(t, TINY_E_ARG, "%s: event is NULL", call);
  TN_POOL code = encode(d, TN_OBJECT(id<MTLEvent>, event), value); TN_POOL_END
  return code;
}
TINY_METAL_API tiny_code tiny_metal_wait(tiny_ctx *t, void *event, uint64_t value) {
  return tn_metal_order_by(t, "metal_wait", event, value, tn_metal_wait_event);
}
TINY_METAL_API tiny_code tiny_metal_signal(tiny_ctx *t, void *event, uint64_t value) {
  return tn_metal_order_by(t, "metal_signal", event, value, tn_metal_signal_event);
}
#endif
// ---- end src/metal/host.m ----
// ---- begin src/metal/backend.m ----
// backend: the one object of tiny_metal.h.
#ifndef TN_METAL_BACKEND
#define TN_METAL_BACKEND
#ifndef TINY_AMALGAMATED
#include "open.m"
#endif

const tiny_backend tiny_metal = {
  TINY_BACKEND_VERSION, "METAL", tn_metal_open, tn_metal_close, tn_metal_target, tn_metal_renderer, tn_metal_alloc,
  tn_metal_free, tn_metal_copy_in, tn_metal_copy_out, tn_metal_copy_from, tn_metal_map, tn_metal_compile,
  tn_metal_load, NULL, tn_metal_unload, tn_metal_find, tn_metal_launch, tn_metal_submit, tn_metal_event_new,
  tn_metal_wait, tn_metal_event_free, tn_metal_sync, NULL
};
#endif
// ---- end src/metal/backend.m ----
// ---- end src/metal/all.m ----

/*
---- begin LICENSE ----
MIT License

Copyright (c) 2026 the tiny.h authors

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
---- end LICENSE ----

Where things stand in tiny_metal.m

     16  src/metal/../base/digits.c        whole numbers in text without a sign: of devices, of versions, of
                                           addresses
     43  src/metal/../base/prepared.c      launches that are handed over together again and again, as a list
                                           of commands that was prepared
    258  src/metal/../render/lang_metal.c  the descriptor of Metal Shading Language 2.4 and newer: an element
                                           at a time or vectors of 2 and 4
    459  src/metal/retain.m                who owns an object of Objective-C: the same words under ARC, under
                                           manual counting, and for GCC
    546  src/metal/device.m                a GPU: which one, what it can do, and what is said when it fails
    808  src/metal/residency.m             memory that the system is to keep where the GPU reaches it, from
                                           macOS 15 and iOS 18 on
    870  src/metal/queue.m                 command buffers, and what is encoded into the one that is open
   1063  src/metal/memory.m                buffers of the device, and bytes from the host and to it
   1374  src/metal/archive.m               what the GPU's compiler made of a library's kernels, as bytes that
                                           the library's disk cache keeps
   1456  src/metal/program.m               from texts to libraries, pipeline states and kernels
   1835  src/metal/launch.m                kernels, their arguments, and barriers between those that touch the
                                           same memory
   1949  src/metal/graph.m                 launches that are handed over together again and again, as an
                                           indirect command buffer (base/prepared.c)
   2188  src/metal/event.m                 places in the order of a device, waited for by others, and the wait
                                           for all of it
   2283  src/metal/open.m                  a device is opened and closed
   2385  src/metal/host.m                  what a host that uses Metal itself shares: buffers, pages,
                                           textures, its command buffer, its events
   2667  src/metal/backend.m               the one object of tiny_metal.h
*/
