// WebAssembly: kernels of all kinds, as modules that node runs, give what the reference interpreter gives, integers to
// the bit; each op of lists does, of every type and number of lanes, to the bit; none is refused.
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif
#include "../src/all.c"
#include "test.h"
#include "rnd.h"
#include "isa_graphs.h"
#include "wasm_device.h"

static tiny_ctx *open_on(const char *device) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = device; d.cache_dir = ""; d.seed = 5; d.threads = 1;
  d.backends[0] = &wasm_backend;
  return tiny_open(&d);
}

static void test_graphs(tiny_ctx *reference, tiny_ctx *t) {
  static answer want, got;
  for (int g = 0; g < GRAPHS; g++) for (int s = 0; s < SIZES; s++) {
    if (!case_named("%s(%d,%d)", graphs[g].name, sizes[s][0], sizes[s][1])) continue;
    compute(reference, graphs[g].fn, sizes[s][0], sizes[s][1], &want);
    compute(t, graphs[g].fn, sizes[s][0], sizes[s][1], &got);
    compare(&want, &got);
  }
  case_end();
}

// ** lists: each op, of each type, of as many lanes **

enum { NELEM = 64, ARRAYS = 4 };           // out, a, b, and indices: a permutation of 0..63
typedef struct trial {
  tiny_ctx *t;                             // of WASM
  int dtype, lanes, op, from, kind;
  unsigned char in[ARRAYS][NELEM * 8], want[NELEM * 8], got[NELEM * 8];
  tiny_uop *array[ARRAYS];
} trial;
enum { PLAIN, CASTS, REGROUPS, PERMUTES, GATHERS, SCATTERS, MASKED, BRANCHES, SUMS, TILES, KINDS };
static const char *const kind_names[KINDS] = {"plain", "cast", "regroup", "permute", "gather", "scatter", "masked",
  "branch", "sum", "tile"};

static tiny_uop *all_lanes(tiny_ctx *t, tiny_uop *x, int lanes) { return tn_lanes_of(t, x, lanes); }
static tiny_uop *element(const trial *r, int array, tiny_uop *at, tiny_uop *valid) {
  return tn_index_of(r->t, r->array[array], at, valid);
}
static tiny_uop *load(const trial *r, int array, tiny_uop *at) {
  return tn_load(r->t, element(r, array, at, NULL), r->lanes);
}
static tiny_uop *vector_index(const trial *r, int array, tiny_uop *at, tiny_uop *valid) {
  tiny_uop *src[3] = {r->array[array], at, valid};
  return tn_uop_make(r->t, TINY_OP_INDEX, r->array[array]->dtype, r->lanes, valid ? 3 : 2, src, 0, 0, NULL);
}
static tiny_uop *load_or(tiny_ctx *t, tiny_uop *index, tiny_uop *otherwise) {
  tiny_uop *src[2] = {index, otherwise};
  return tn_uop_make(t, TINY_OP_LOAD, index->dtype, otherwise->lanes, 2, src, 0, 0, NULL);
}

// What the second operand has to be, so that the op is one that lists have.
static tiny_uop *operand(const trial *r, tiny_uop *b) {
  tiny_ctx *t = r->t;
  const int shifts = r->op == TINY_OP_SHL || r->op == TINY_OP_SHR;
  const int divides = r->op == TINY_OP_CDIV || r->op == TINY_OP_CMOD;
  if (shifts) return tn_u2(t, TINY_OP_AND, b, all_lanes(t, tn_int(t, b->dtype, tn_bits(b->dtype) - 1), r->lanes));
  if (!divides) return b;
  b = tn_u2(t, TINY_OP_OR, b, all_lanes(t, tn_int(t, b->dtype, 1), r->lanes));
  return tn_is_signed(b->dtype) ? tn_u2(t, TINY_OP_AND, b, all_lanes(t, tn_int(t, b->dtype, 127), r->lanes)) : b;
}
static tiny_uop *plain(const trial *r, tiny_uop *a, tiny_uop *b) {
  tiny_ctx *t = r->t;
  if (r->op == TINY_OP_NEG || r->op == TINY_OP_SQRT || r->op == TINY_OP_TRUNC) return tn_u1(t, r->op, a);
  if (!tn_op_is(r->op, TINY_CMP)) return tn_u2(t, r->op, a, operand(r, b));
  tiny_uop *c = tn_u2(t, r->op, a, b), *d = tn_u2(t, TINY_OP_XOR, c, tn_u2(t, TINY_OP_NE, b, b));
  return tn_u3(t, TINY_OP_WHERE, d, a, b);
}
// Lanes of two vectors and a scalar in some order.
static tiny_uop *permuted(const trial *r, tiny_uop *a, tiny_uop *b, tiny_uop *at) {
  tiny_uop *lane[NELEM];
  tiny_ctx *t = r->t;
  if (r->lanes == 1) return a;
  for (int i = 0; i < r->lanes; i++) {
    const int which = rnd(r->op == 2 ? 9 : 8), k = rnd(r->lanes);
    lane[i] = which == 8 ? tn_load(t, element(r, 1, at, NULL), 1) : tn_pick(t, which < 4 || r->op == 0 ? a : b, k, 1);
  }
  return tn_stack(t, r->lanes, lane);
}
static tiny_uop *stored(const trial *r, tiny_uop *at, tiny_uop *range) {
  tiny_ctx *t = r->t;
  tiny_uop *a = NULL, *b = NULL, *which = NULL;
  if (r->kind == REGROUPS) {               // as bytes, and back from what they are
    a = load(r, 1, at);
    tiny_uop *bytes = tn_uop_make(t, TINY_OP_BITCAST, TINY_U8, r->lanes * tn_bits(r->dtype) / 8, 1, &a, 0, 0, NULL);
    tiny_uop *changed = tn_u2(t, TINY_OP_ADD, bytes, all_lanes(t, tn_int(t, TINY_U8, 3), bytes->lanes));
    return tn_uop_make(t, TINY_OP_BITCAST, r->dtype, r->lanes, 1, &changed, 0, 0, NULL);
  }
  a = load(r, 1, at);
  if (r->kind == CASTS) return tn_uop_make(t, TINY_OP_CAST, r->dtype, r->lanes, 1, &a, 0, 0, NULL);
  b = load(r, 2, at);
  if (r->kind == PLAIN) return plain(r, a, b);
  if (r->kind == PERMUTES) return permuted(r, a, b, at);
  which = load(r, 3, at);
  tiny_uop *c = tn_u2(t, TINY_OP_LT, a, b), *half = tn_int(t, TINY_I32, 40);
  if (r->kind == GATHERS) {
    if (r->lanes == 1) return tn_load(t, element(r, 1, which, NULL), 1);
    if (!r->op) return tn_load(t, vector_index(r, 1, which, NULL), r->lanes);
    return load_or(t, vector_index(r, 1, which, tn_u2(t, TINY_OP_LT, which, all_lanes(t, half, r->lanes))), b);
  }
  if (r->kind == MASKED) {
    tiny_uop *valid = r->op == 1 ? tn_u2(t, TINY_OP_LT, range, tn_int(t, TINY_I32, 3)) : c;
    if (r->op == 2) valid = tn_u2(t, TINY_OP_LT, which, all_lanes(t, half, r->lanes));
    return load_or(t, element(r, 1, at, valid), b);
  }
  return b;
}
static tiny_uop *loop_of(tiny_ctx *t, int n) {
  tiny_uop *end = tn_int(t, TINY_I32, n);
  return tn_uop_make(t, TINY_OP_RANGE, TINY_I32, 1, 1, &end, ++t->ir->serial << 8 | TN_LOOP, 0, NULL);
}
// LOCAL memory, which one loop fills and another reads from its end.
static tiny_uop *tile(const trial *r, tiny_uop *range, tiny_uop *at) {
  tiny_ctx *t = r->t;
  tiny_uop *memory = tn_define(t, r->dtype, 1, TN_SPACE_LOCAL, NELEM), *lanes = tn_int(t, TINY_I32, r->lanes);
  tiny_uop *filled = tn_end(t, tn_store(t, tn_index_of(t, memory, at, NULL), load(r, 1, at)), 1, &range);
  tiny_uop *again = loop_of(t, NELEM / r->lanes), *place = tn_u2(t, TINY_OP_MUL, again, lanes);
  tiny_uop *back = tn_u2(t, TINY_OP_SUB, tn_int(t, TINY_I32, NELEM - r->lanes), place);
  tiny_uop *x = tn_load(t, tn_index_of(t, tn_after(t, memory, filled), back, NULL), r->lanes);
  return tn_sink_of(t, tn_end(t, tn_store(t, element(r, 0, place, NULL), x), 1, &again));
}
// REG memory: s0, s1 = s1, s0 + x * y.
static tiny_uop *sums(const trial *r, tiny_uop *range, tiny_uop *at) {
  tiny_ctx *t = r->t;
  tiny_uop *memory = tn_define(t, r->dtype, r->lanes, TN_SPACE_REG, 2), *zero = tn_int(t, TINY_I32, 0);
  tiny_uop *place[2] = {zero, tn_int(t, TINY_I32, 1)}, *nought = all_lanes(t, tn_number(t, r->dtype, 0), r->lanes);
  tiny_uop *after_of[4] = {memory, NULL, NULL, range}, *s[2], *next[2], *out[2];
  for (int i = 0; i < 2; i++) after_of[1 + i] = tn_store(t, tn_index_of(t, memory, place[i], NULL), nought);
  tiny_uop *after = tn_uop_make(t, TINY_OP_AFTER, memory->dtype, memory->lanes, 4, after_of, 0, 0, NULL);
  for (int i = 0; i < 2; i++) s[i] = tn_load(t, tn_index_of(t, after, place[i], NULL), r->lanes);
  tiny_uop *x = load(r, 1, at), *y = load(r, 2, at);
  tiny_uop *sum = tn_u2(t, TINY_OP_ADD, s[0], tn_u2(t, TINY_OP_MUL, x, y));
  for (int i = 0; i < 2; i++) next[i] = tn_store(t, tn_index_of(t, after, place[i], NULL), i ? sum : s[1]);
  tiny_uop *both = tn_uop_make(t, TINY_OP_GROUP, TINY_VOID, 1, 2, next, 0, 0, NULL), *done = tn_end(t, both, 1, &range);
  for (int i = 0; i < 2; i++) {
    tiny_uop *last = tn_load(t, tn_index_of(t, tn_after(t, memory, done), place[i], NULL), r->lanes);
    out[i] = tn_store(t, element(r, 0, i ? tn_int(t, TINY_I32, r->lanes) : zero, NULL), last);
  }
  return tn_uop_make(t, TINY_OP_SINK, TINY_VOID, 1, 2, out, 0, 0, NULL);
}
// Stores of the value of all elements, or those of which the permutation or the loop says so.
static tiny_uop *stores(const trial *r, tiny_uop *range, tiny_uop *at) {
  tiny_ctx *t = r->t;
  tiny_uop *value = stored(r, at, range), *to = NULL, *valid = NULL;
  if (r->kind == SCATTERS || r->kind == MASKED) {
    tiny_uop *which = load(r, 3, at);
    valid = r->op == 1 ? tn_u2(t, TINY_OP_LT, range, tn_int(t, TINY_I32, 2)) :
        tn_u2(t, TINY_OP_LT, which, all_lanes(t, tn_int(t, TINY_I32, 30), r->lanes));
    if (r->kind == SCATTERS && !r->op) valid = NULL;
    to = r->kind == SCATTERS && r->lanes > 1 ? vector_index(r, 0, which, valid) :
        element(r, 0, r->kind == SCATTERS ? which : at, valid);
  } else to = element(r, 0, at, NULL);
  return tn_sink_of(t, tn_end(t, tn_store(t, to, value), 1, &range));
}
// The list that stores what is asked for of each element, in a loop over vectors of them.
static void make_list(const trial *r, tn_list *list) {
  tiny_uop *range = loop_of(r->t, NELEM / r->lanes), *at = tn_u2(r->t, TINY_OP_MUL, range,
                                                                  tn_int(r->t, TINY_I32, r->lanes));
  tn_toposort(r->t, r->kind == SUMS ? sums(r, range, at) : r->kind == TILES ? tile(r, range, at) :
              stores(r, range, at), list);
}

// The store happens if the loop's variable is below 2.
static void put_branch(const trial *r, tn_list *list) {
  tiny_ctx *t = r->t;
  tn_list all = {NULL, 0, 0};
  tiny_uop *two = tn_int(t, TINY_I32, 2), *range = NULL;
  for (int i = 0; i < list->n; i++) {
    tiny_uop *u = list->u[i];
    if (u->op == TINY_OP_RANGE) range = u;
    if (u->op != TINY_OP_STORE) { tn_push(t, &all, u); continue; }
    tiny_uop *c = tn_u2(t, TINY_OP_LT, range, two);
    tiny_uop *branch = tn_uop_make(t, TINY_OP_IF, TINY_VOID, 1, 1, &c, 0, 0, NULL);
    tiny_uop *const these[5] = {two, c, branch, u, tn_uop_make(t, TINY_OP_ENDIF, TINY_VOID, 1, 1, &branch, 0, 0, NULL)};
    for (int k = r->lanes == 2; k < 5; k++) tn_push(t, &all, these[k]);        // 2 is there
  }
  *list = all;
}
// Constants and memory stand before all loops.
static void leaves_first(tiny_ctx *t, tn_list *list) {
  tiny_uop **sorted = (tiny_uop **)tn_scratch(t, (size_t)list->n * sizeof *sorted);
  int n = 0;
  for (int leaf = 1; leaf >= 0; leaf--)
    for (int i = 0; i < list->n; i++) if ((list->u[i]->nsrc == 0) == leaf) sorted[n++] = list->u[i];
  memcpy(list->u, sorted, (size_t)n * sizeof *sorted);
}
static void run_on_interpreter(trial *r, const tn_list *list) {
  tiny_mem mem[ARRAYS];
  tiny_launch l;
  memset(mem, 0, sizeof mem); memset(&l, 0, sizeof l);
  memcpy(r->want, r->in[0], sizeof r->want);
  for (int i = 0; i < ARRAYS; i++) mem[i].base = i ? r->in[i] : r->want;
  l.mem = mem; l.nmem = ARRAYS; l.tasks = 1;
  for (int i = 0; i < 3; i++) l.global[i] = l.local[i] = 1;
  l.kernel = tn_interp_backend.load_uops(r->t, list->u, list->n);
  CHECK(l.kernel);
  if (!l.kernel) return;
  CHECK_EQ(tn_interp_backend.launch(r->t, &l), TINY_OK);
  tn_interp_backend.unload(r->t, (void *)(uintptr_t)l.kernel);
}
static void run_on_engine(trial *r, const tn_list *list) {
  void *dev = r->t->device[0]->dev;
  uint8_t *hints = (uint8_t *)tn_scratch(r->t, (size_t)list->n);
  const int64_t local[3] = {1, 1, 1};
  const tiny_listing listing = {"one", list->u, list->n, hints, local, NELEM * 8};
  tiny_bytes module = {r->t, NULL, 0, 0};
  tiny_mem mem[ARRAYS];
  tiny_launch l;
  const char *why = tn_wasm_object(r->t, &listing, &tn_wasm_levels[0], &module);
  CHECK(!why);
  if (why) { fprintf(stderr, "    %s\n", why); return; }
  void *kernel = wasm_load(dev, module.data, module.n);
  CHECK(kernel);
  if (!kernel) { fprintf(stderr, "    %s\n", r->t->message); return; }
  memset(mem, 0, sizeof mem); memset(&l, 0, sizeof l);
  for (int i = 0; i < ARRAYS; i++) {
    mem[i].base = wasm_alloc(dev, sizeof r->in[i]);
    wasm_copy_in(dev, mem[i], r->in[i], sizeof r->in[i]);
  }
  l.mem = mem; l.nmem = ARRAYS; l.tasks = 1; l.kernel = kernel;
  CHECK_EQ(wasm_launch(dev, &l), TINY_OK);
  wasm_copy_out(dev, r->got, mem[0], sizeof r->got);
  for (int i = 0; i < ARRAYS; i++) wasm_free_block(dev, mem[i].base, sizeof r->in[i]);
  wasm_unload(dev, kernel);
}
static tiny_code run_trial(tiny_ctx *t, void *arg) {
  trial *r = (trial *)arg;
  tn_list list = {NULL, 0, 0};
  for (int i = 0; i < ARRAYS; i++)
    r->array[i] = tn_param(t, i == 3 ? (int)TINY_I32 : i && r->kind == CASTS ? r->from : r->dtype, i, NELEM);
  make_list(r, &list);
  if (r->kind == BRANCHES) put_branch(r, &list);
  leaves_first(t, &list);
  if (t->code != TINY_OK || tn_verify_list(t, list.u, list.n) != TINY_OK) return t->code;
  run_on_interpreter(r, &list);
  run_on_engine(r, &list);
  return t->code;
}

// Zeros of both signs, infinities, nan, limits, and numbers between; small: those that every type can hold.
static void put_element(unsigned char *at, int dtype, int small) {
  static const double special[] = {0, -0.0, 1, -1, 0.5, -2.5, 3.75e9, -3.75e9, 1.5e19, -1e19, 1e-40, 1e300};
  if (small) { tn_dtype_store(dtype, at, tn_dtype_value(dtype, rnd(100))); return; }
  if (tn_is_float(dtype)) {
    const int k = rnd(24);
    const double v = k < 12 ? special[k] : k == 12 ? (double)NAN : k == 13 ? HUGE_VAL : k == 14 ? -HUGE_VAL :
        (rnd(20001) - 10000) / 64.0;
    tn_dtype_store(dtype, at, tn_dtype_value(dtype, v));
    return;
  }
  for (int i = 0; i < 8; i++) at[i] = (unsigned char)(rnd(3) ? rnd(256) : rnd(2) ? 255 : rnd(2) * 128);
}
static void put_arrays(trial *r) {
  const int from = r->kind == CASTS ? r->from : r->dtype, nbytes = tn_bits(from) / 8;
  const int small = r->kind == CASTS && tn_is_float(from) && !tn_is_float(r->dtype) && tn_bits(r->dtype) < 32;
  int32_t order[NELEM];
  for (int i = 0; i < NELEM; i++) {
    unsigned char any[8];
    for (int k = 0; k < 2; k++) {
      put_element(any, from, small);
      memcpy(r->in[1 + k] + i * nbytes, any, (size_t)nbytes);
    }
    memset(r->in[0] + 8 * i, 0x11, 8);
    order[i] = i;
  }
  for (int i = NELEM - 1; i > 0; i--) { const int k = rnd(i + 1), was = order[i]; order[i] = order[k]; order[k] = was; }
  memset(r->in[3], 0, sizeof r->in[3]);
  memcpy(r->in[3], order, sizeof order);
}
// The same bits, or no numbers.
static int same_elements(const trial *r) {
  const int nbytes = tn_bits(r->dtype) / 8;
  for (int i = 0; i < NELEM; i++) {
    const unsigned char *a = r->want + i * nbytes, *b = r->got + i * nbytes;
    const double x = tn_is_float(r->dtype) ? tn_to_f64(tn_dtype_load(r->dtype, a)) : 0;
    const double y = tn_is_float(r->dtype) ? tn_to_f64(tn_dtype_load(r->dtype, b)) : 0;
    if (memcmp(a, b, (size_t)nbytes) && !(x != x && y != y)) return 0;
  }
  return 1;
}
static void try_list(tiny_ctx *t, int kind, int op, int from, int dtype, int lanes) {
  static trial r;
  const char *name = kind == PLAIN ? tn_ops[op].name : kind_names[kind];
  if (!case_named("%s %d of %s, %s, %d lanes", name, op, tn_dtypes[from].name, tn_dtypes[dtype].name, lanes)) return;
  memset(&r, 0, sizeof r);
  r.t = t; r.kind = kind; r.op = op; r.from = from; r.dtype = dtype; r.lanes = lanes;
  put_arrays(&r);
  tiny_begin(t);
  CHECK_EQ(tn_guard(t, run_trial, &r), TINY_OK);
  CHECK(same_elements(&r));
  tiny_end(t);
  if (t->code != TINY_OK) { fprintf(stderr, "    %s\n", t->message); tiny_clear(t); }
}
static void test_lists(tiny_ctx *t) {
  static const int ops[] = {TINY_OP_ADD, TINY_OP_SUB, TINY_OP_MUL, TINY_OP_NEG, TINY_OP_LT, TINY_OP_NE, TINY_OP_EQ,
    TINY_OP_FDIV, TINY_OP_SQRT, TINY_OP_TRUNC, TINY_OP_AND, TINY_OP_OR, TINY_OP_XOR, TINY_OP_SHL, TINY_OP_SHR,
    TINY_OP_CDIV, TINY_OP_CMOD};
  rng = 11;
  for (int d = TINY_I8; d <= TINY_F64; d++) for (int lanes = 1; lanes <= 16; lanes *= 2) {
    if (tn_is_narrow(d)) continue;
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
      const int real = ops[i] == TINY_OP_FDIV || ops[i] == TINY_OP_SQRT || ops[i] == TINY_OP_TRUNC;
      const int whole = ops[i] >= TINY_OP_AND || ops[i] == TINY_OP_CDIV || ops[i] == TINY_OP_CMOD;
      if (tn_is_float(d) ? !whole : !real) try_list(t, PLAIN, ops[i], d, d, lanes);
    }
    for (int from = TINY_I8; from <= TINY_F64; from++)
      if (!tn_is_narrow(from) && from != d) try_list(t, CASTS, 0, from, d, lanes);
    for (int kind = REGROUPS; kind < KINDS; kind++) for (int op = 0; op < 3; op++) {
      if (kind == REGROUPS && (lanes == 1 || tn_bits(d) == 8)) continue;
      try_list(t, kind, op, d, d, lanes);
    }
  }
  case_end();
}

int main(void) {
  if (!wasm_there()) { printf("node is not there: nothing was run\n"); return test_report(); }
  tiny_ctx *reference = open_on("INTERP"), *t = open_on("WASM");
  CHECK(reference && t);
  if (!t) return test_report();
  test_lists(t);
  test_graphs(reference, t);
  printf("%d kernels, %d refused%s%s; %d launches; a module took %.3f ms and %d bytes on average\n", wasm_stats.kernels,
         wasm_stats.refused, wasm_stats.refused ? ": " : "", wasm_stats.why, wasm_stats.launches,
         wasm_stats.module_ns * 1e-6 / wasm_stats.kernels, (int)(wasm_stats.nbytes / wasm_stats.kernels));
  CHECK_EQ(wasm_stats.refused, 0);
  tiny_close(t);
  tiny_close(reference);
  return test_report();
}
