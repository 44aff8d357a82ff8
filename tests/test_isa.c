// The built-in compiler: kernels of all kinds, of sizes that leave edges, give what the reference interpreter gives,
// integers to the bit, at every level of x86-64 that the processor reaches, or on arm64 (make arm64); it refuses none, and
// keeps what the host's convention keeps for callers (kept.h). No instruction is one that the level has not.
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif
#include "../src/all.c"
#include "test.h"
#include "rnd.h"
#include "isa_graphs.h"
#include "kept.h"

static int refused, built;
static char reasons[4096];
static void hear(void *user, const char *line) {
  (void)user;
  const char *why = strstr(line, "refuses ");
  const size_t n = strlen(line);
  if (n && line[n - 1] == ':' && line[0] != ' ') built++;
  if (!why) return;
  refused++;
  const size_t at = strlen(reasons);
  snprintf(reasons + at, sizeof reasons - at, "    %s\n", why + 8);
}

// Every instruction that is loaded is one of the device's level: by VEX or EVEX those of AVX and AVX-512.
static int looked_at, beyond;
#ifdef TN_OS_X86
static void look_at_code(const tn_x86_level *level, const uint8_t *code, size_t nbytes) {
  tn_x86_ins ins;
  for (size_t at = 0; at < nbytes; looked_at++) {
    const int took = tn_x86_decode(code + at, nbytes - at, &ins);
    const tn_x86_row *row = &tn_x86_rows[ins.op];
    const int prefix = code[at] == 0x62 || code[at] == 0xC4 || code[at] == 0xC5 ? code[at] : 0;
    const int needs = !took ? 31 : prefix == 0x62 ? row->has_evex : row->has;
    beyond += !(level->has >> needs & 1) || (prefix && !(level->has >> TN_X86_HAS_AVX & 1));
    if (!took || ins.op == TN_X86_RET) return;
    at += (size_t)took;
  }
}
#endif
static void *load_looked(void *dev, const void *binary, size_t nbytes) {
#ifdef TN_OS_X86
  const size_t head = sizeof(tn_elf_header) + 4 * sizeof(tn_elf_section);
  look_at_code(tn_cpu_level(dev), (const uint8_t *)binary + head, nbytes - head);
#endif
  return tn_cpu_load(dev, binary, nbytes);
}

static tiny_ctx *open_on(const char *device) {
  static tiny_backend kept;
  tiny_desc d;
  memset(&d, 0, sizeof d);
  kept = *kept_backend();
  kept.load = load_looked;
  d.device = device; d.compiler = "builtin"; d.cache_dir = ""; d.seed = 5; d.threads = 1;
  d.backends[0] = &kept;
  d.debug = strncmp(device, "KEPT", 4) ? "" : "d";
  d.log.fn = hear;
  return tiny_open(&d);
}

// ** a list as it is **

// reg[0] = x + y; out = reg[0] * x. The sum stands before the DEFINE of the memory where it goes: whether it may be
// made there was asked before that memory had registers, which crashed.
typedef struct list_trial {
  float in[2], want, got;
  int (*make)(tiny_ctx *t, const struct list_trial *r, tiny_uop **list);
  int greater, turned, dot;
  const tn_cpu_builtin_level *level;
} list_trial;
static int define_late(tiny_ctx *t, const list_trial *r, tiny_uop **list) {
  (void)r;
  tiny_uop *out = tn_param(t, TINY_F32, 0, 1), *in = tn_param(t, TINY_F32, 1, 2), *zero = tn_index(t, 0);
  tiny_uop *one = tn_index(t, 1), *at_x = tn_index_of(t, in, zero, NULL), *at_y = tn_index_of(t, in, one, NULL);
  tiny_uop *x = tn_load(t, at_x, 1), *y = tn_load(t, at_y, 1), *sum = tn_u2(t, TINY_OP_ADD, x, y);
  tiny_uop *reg = tn_define(t, TINY_F32, 1, TN_SPACE_REG, 1), *at_reg = tn_index_of(t, reg, zero, NULL);
  tiny_uop *stored = tn_store(t, at_reg, sum), *after = tn_after(t, reg, stored);
  tiny_uop *at_sum = tn_index_of(t, after, zero, NULL), *again = tn_load(t, at_sum, 1);
  tiny_uop *product = tn_u2(t, TINY_OP_MUL, again, x), *at_out = tn_index_of(t, out, zero, NULL);
  tiny_uop *const all[] = {out, in, zero, one, at_x, at_y, x, y, sum, reg, at_reg, stored, after, at_sum, again,
                           product, at_out, tn_store(t, at_out, product)};
  memcpy(list, all, sizeof all);
  return (int)(sizeof all / sizeof *all);
}
// out = x < y ? y : x, or the less of them; turned: of y < x.
static int choose(tiny_ctx *t, const list_trial *r, tiny_uop **list) {
  tiny_uop *out = tn_param(t, TINY_F32, 0, 1), *in = tn_param(t, TINY_F32, 1, 2), *zero = tn_index(t, 0);
  tiny_uop *one = tn_index(t, 1), *at_x = tn_index_of(t, in, zero, NULL), *at_y = tn_index_of(t, in, one, NULL);
  tiny_uop *x = tn_load(t, at_x, 1), *y = tn_load(t, at_y, 1), *a = r->turned ? y : x, *b = r->turned ? x : y;
  tiny_uop *less = tn_u2(t, TINY_OP_LT, a, b);
  tiny_uop *chosen = tn_u3(t, TINY_OP_WHERE, less, r->greater ? b : a, r->greater ? a : b);
  tiny_uop *at_out = tn_index_of(t, out, zero, NULL);
  tiny_uop *const all[] = {out, in, zero, one, at_x, at_y, x, y, less, chosen, at_out, tn_store(t, at_out, chosen)};
  memcpy(list, all, sizeof all);
  return (int)(sizeof all / sizeof *all);
}
// out = the dot product of two words. An edge of a product has them one by one.
static int dot_words(tiny_ctx *t, const list_trial *r, tiny_uop **list) {
  const int dtype = r->dot == TINY_DOT_BF16 ? TINY_F32 : TINY_I32;
  tiny_uop *out = tn_param(t, dtype, 0, 1), *in = tn_param(t, TINY_U32, 1, 2), *zero = tn_index(t, 0);
  tiny_uop *one = tn_index(t, 1), *at_x = tn_index_of(t, in, zero, NULL), *at_y = tn_index_of(t, in, one, NULL);
  tiny_uop *x = tn_load(t, at_x, 1), *y = tn_load(t, at_y, 1), *sum = tn_constant(t, dtype, 3);
  tiny_uop *src[3] = {x, y, sum}, *product = tn_uop_make(t, TINY_OP_DOT, dtype, 1, 3, src, r->dot, 0, NULL);
  tiny_uop *at_out = tn_index_of(t, out, zero, NULL);
  tiny_uop *const all[] = {out, in, zero, one, at_x, at_y, x, y, sum, product, at_out, tn_store(t, at_out, product)};
  memcpy(list, all, sizeof all);
  return (int)(sizeof all / sizeof *all);
}
static void interpret(tiny_ctx *t, tiny_uop *const *list, int n, void *const *base, int nbase) {
  tiny_mem mem[3];
  tiny_launch l;
  memset(mem, 0, sizeof mem); memset(&l, 0, sizeof l);
  for (int i = 0; i < nbase; i++) mem[i].base = base[i];
  l.mem = mem; l.nmem = nbase; l.tasks = 1;
  for (int i = 0; i < 3; i++) l.global[i] = l.local[i] = 1;
  l.kernel = tn_interp_backend.load_uops(t, list, n);
  CHECK(l.kernel);
  if (!l.kernel) return;
  CHECK_EQ(tn_interp_backend.launch(t, &l), TINY_OK);
  tn_interp_backend.unload(t, (void *)(uintptr_t)l.kernel);
}
enum { LIST_MOST = 160 };
// As machine code; hints: of the last node, NULL: none.
static tiny_code execute(tiny_ctx *t, tiny_uop *const *list, int n, const uint8_t *last, void *const *base,
                         const tn_cpu_builtin_level *level) {
  const int64_t local[3] = {1, 1, 1};
  uint8_t hints[LIST_MOST] = {0};
  if (last) hints[n - 1] = *last;
  const tiny_listing listing = {"one_list", list, n, hints, local, 0};
  tiny_bytes object = {t, NULL, 0, 0};
  const char *why = TN_CPU_BUILTIN_OBJECT(t, &listing, level, &object);
  CHECK(!why);
  if (why) { fprintf(stderr, "    %s\n", why); return t->code; }
  tn_elf *image;
  if (tn_elf_load(t, object.data, object.n, TN_CPU_MACHINE, NULL, 0, &image) != TINY_OK) return t->code;
  void *at = tn_elf_symbol(image, listing.name);
  tn_cpu_kernel kernel;
  memcpy(&kernel, &at, sizeof kernel);
  kernel(base, NULL, 0, NULL);
  tn_elf_unload(t, image);
  return t->code;
}
static tiny_code run_list(tiny_ctx *t, void *arg) {
  list_trial *r = (list_trial *)arg;
  tiny_uop *list[32];
  const int n = r->make(t, r, list);
  void *const wanted[2] = {&r->want, r->in}, *const base[2] = {&r->got, r->in};
  interpret(t, list, n, wanted, 2);
  return execute(t, list, n, NULL, base, r->level);
}
static void test_reg_memory_before_its_define(tiny_ctx *t, const tn_cpu_builtin_level *level) {
  list_trial r = {{1.5f, 2.25f}, 0, -1, define_late, 0, 0, 0, level};
  tiny_begin(t);
  CHECK_EQ(tn_guard(t, run_list, &r), TINY_OK);
  CHECK_EQ(r.want, 5.625f);
  CHECK_EQ(r.got, r.want);
  tiny_end(t);
}

// Short loops, whose bodies may stand in them several times: all lengths, known or not, from 0 or another number on.
// for r from start to end: acc += in[step * r + 1] * in[step * r], then out[0] = acc; or out[step * r] = in[r + 2]; or
// if in[r] is not 0: out[step * r + 1] += in[r]; or out[r] = r, which asks which iteration it is.
enum { LOOP_SUM, LOOP_MOVE, LOOP_SOME, LOOP_NUMBER, LOOPS_MADE, LOOP_MOST = 24, LOOP_MEMORY = 96 };
typedef struct loop_trial {
  int made, end, start, known, step, dtype;                  // start -1: there is none
  float in[LOOP_MEMORY], want[LOOP_MEMORY], got[LOOP_MEMORY];
  const tn_cpu_builtin_level *level;
} loop_trial;
typedef struct made_list { tiny_ctx *t; tiny_uop *of[64]; int n; } made_list;
static tiny_uop *add_node(made_list *l, tiny_uop *u) {       // once
  for (int i = 0; i < l->n; i++) if (l->of[i] == u) return u;
  return l->of[l->n++] = u;
}
static tiny_uop *add_2(made_list *l, int op, tiny_uop *a, tiny_uop *b) { return add_node(l, tn_u2(l->t, op, a, b)); }
static tiny_uop *add_number(made_list *l, int dtype, int64_t k) {
  return add_node(l, tn_constant(l->t, (tiny_dtype)dtype, (double)k));
}
// times * r + k
static tiny_uop *times_and(made_list *l, tiny_uop *r, int times, int k) {
  if (times != 1) r = add_2(l, TINY_OP_MUL, r, add_number(l, r->dtype, times));
  return k ? add_2(l, TINY_OP_ADD, r, add_number(l, r->dtype, k)) : r;
}
static tiny_uop *index_at(made_list *l, tiny_uop *memory, tiny_uop *index, tiny_uop *valid) {
  return add_node(l, tn_index_of(l->t, memory, index, valid));
}
static tiny_uop *load_at(made_list *l, tiny_uop *index) { return add_node(l, tn_load(l->t, index, 1)); }
static tiny_uop *store_at(made_list *l, tiny_uop *index, tiny_uop *value) {
  return add_node(l, tn_store(l->t, index, value));
}
// A number that is in memory, of which only its bounds are known.
static tiny_uop *unknown_number(made_list *l, tiny_uop *numbers, int which, int dtype) {
  tiny_uop *n = load_at(l, index_at(l, numbers, add_number(l, TINY_I32, which), NULL));
  n = add_2(l, TINY_OP_AND, n, add_number(l, TINY_I32, 31));
  return dtype == TINY_I32 ? n : add_node(l, tn_cast(l->t, n, dtype));
}
static void make_loop(made_list *l, const loop_trial *r) {
  tiny_ctx *t = l->t;
  tiny_uop *out = add_node(l, tn_param(t, TINY_F32, 0, LOOP_MEMORY)),
           *in = add_node(l, tn_param(t, TINY_F32, 1, LOOP_MEMORY)),
           *numbers = add_node(l, tn_param(t, TINY_I32, 2, 2)), *zero = add_number(l, TINY_I32, 0),
           *none = add_number(l, TINY_F32, 0),
           *acc = add_node(l, tn_define(t, TINY_F32, 1, TN_SPACE_REG, 1)), *at_acc = index_at(l, acc, zero, NULL),
           *body = NULL;
  tiny_uop *cleared = store_at(l, at_acc, none), *src[2];
  src[0] = r->known ? add_number(l, r->dtype, r->end) : unknown_number(l, numbers, 0, r->dtype);
  if (r->start >= 0) src[1] = unknown_number(l, numbers, 1, r->dtype);
  tiny_uop *i = add_node(l, tn_uop_make(t, TINY_OP_RANGE, (tiny_dtype)r->dtype, 1, r->start >= 0 ? 2 : 1, src,
                                        1 << 8 | TN_LOOP, 0, NULL));
  const int times = r->made == LOOP_SUM ? r->step : 1, beyond_it = r->made == LOOP_MOVE ? 2 : 0;
  tiny_uop *x = load_at(l, index_at(l, in, times_and(l, i, times, beyond_it), NULL));
  if (r->made == LOOP_SUM) {
    tiny_uop *after = add_node(l, tn_after(t, acc, cleared)), *sum = load_at(l, index_at(l, after, zero, NULL));
    tiny_uop *y = load_at(l, index_at(l, in, times_and(l, i, r->step, 1), NULL));
    body = store_at(l, index_at(l, after, zero, NULL), add_2(l, TINY_OP_ADD, sum, add_2(l, TINY_OP_MUL, x, y)));
  } else if (r->made == LOOP_MOVE) body = store_at(l, index_at(l, out, times_and(l, i, r->step, 0), NULL), x);
  else if (r->made == LOOP_SOME) {
    tiny_uop *some = add_2(l, TINY_OP_NE, x, none), *to = index_at(l, out, times_and(l, i, r->step, 1), some);
    body = store_at(l, to, add_2(l, TINY_OP_ADD, load_at(l, to), x));
  } else body = store_at(l, index_at(l, out, i, NULL), add_node(l, tn_cast(t, i, TINY_F32)));
  tiny_uop *end = add_node(l, tn_end(t, body, 1, &i)), *after = add_node(l, tn_after(t, acc, end));
  if (r->made == LOOP_SUM) store_at(l, index_at(l, out, zero, NULL), load_at(l, index_at(l, after, zero, NULL)));
}
static tiny_code run_loop(tiny_ctx *t, void *arg) {
  loop_trial *r = (loop_trial *)arg;
  made_list l = {t, {NULL}, 0};
  int32_t numbers[2];
  numbers[0] = r->end; numbers[1] = r->start;
  make_loop(&l, r);
  void *const wanted[3] = {r->want, r->in, numbers}, *const base[3] = {r->got, r->in, numbers};
  interpret(t, l.of, l.n, wanted, 3);
  return execute(t, l.of, l.n, NULL, base, r->level);
}
static void test_loops(tiny_ctx *t, const tn_cpu_builtin_level *level) {
  static loop_trial r;
  r.level = level;
  for (int i = 0; i < LOOP_MEMORY; i++) r.in[i] = i % 3 == 1 ? 0 : 1.0f / (float)(i + 1);
  for (int i = 0; i < LOOPS_MADE * 4 * 4 * LOOP_MOST; i++) {
    const int form = i / LOOP_MOST / 4 % 4;
    r.made = i / LOOP_MOST / 16; r.end = i % LOOP_MOST; r.start = i / LOOP_MOST % 4 * 3 - 3;
    r.known = form & 1; r.dtype = form & 2 ? TINY_I64 : TINY_I32; r.step = 1 + i % 3;
    if ((r.known && r.start < 0 && !r.end) || !case_named("loop(%d) of %s", i, level->name)) continue;
    for (int k = 0; k < LOOP_MEMORY; k++) r.want[k] = r.got[k] = (float)k;
    tiny_begin(t);
    CHECK_EQ(tn_guard(t, run_loop, &r), TINY_OK);
    CHECK(!memcmp(r.want, r.got, sizeof r.want));
    tiny_end(t);
  }
  case_end();
}

// A store past the caches, where its address is a multiple of its size, and where it is none.
typedef struct stream_trial { float *to, *from; const tn_cpu_builtin_level *level; } stream_trial;
static tiny_code run_stream(tiny_ctx *t, void *arg) {
  const stream_trial *r = (const stream_trial *)arg;
  tiny_uop *out = tn_param(t, TINY_F32, 0, 16), *in = tn_param(t, TINY_F32, 1, 16), *zero = tn_index(t, 0);
  tiny_uop *at_x = tn_index_of(t, in, zero, NULL), *x = tn_load(t, at_x, 16), *at_out = tn_index_of(t, out, zero, NULL);
  tiny_uop *const list[] = {out, in, zero, at_x, x, at_out, tn_store(t, at_out, x)};
  const uint8_t hint = TINY_HINT_STREAM;
  void *const base[2] = {r->to, r->from};
  return execute(t, list, sizeof list / sizeof *list, &hint, base, r->level);
}
static void test_streams(tiny_ctx *t, const tn_cpu_builtin_level *level) {
  static float from[16], memory[64];
  float *aligned = memory;
  while ((uintptr_t)aligned % 64) aligned++;
  for (int i = 0; i < 16; i++) from[i] = (float)i - 3;
  for (int off = 0; off < 3; off++) {
    stream_trial r = {aligned + off, from, level};
    memset(memory, 0, sizeof memory);
    tiny_begin(t);
    CHECK_EQ(tn_guard(t, run_stream, &r), TINY_OK);
    CHECK(!memcmp(r.to, from, sizeof from));
    CHECK_EQ(r.to[16], 0);
    tiny_end(t);
  }
}

// Zeros of both signs, infinities and what is no number: the greater and the less to the bit.
static void test_greater_and_less(tiny_ctx *t, const tn_cpu_builtin_level *level) {
  static const float of[] = {0.0f, -0.0f, 1.0f, -2.5f, INFINITY, -INFINITY, NAN};
  enum { N = sizeof of / sizeof *of };
  for (int i = 0; i < 4 * N * N; i++) {
    list_trial r = {{of[i / 4 % N], of[i / 4 / N]}, 0, -1, choose, i & 1, i >> 1 & 1, 0, level};
    if (!case_named("choose(%d) of %s", i, level->name)) continue;
    tiny_begin(t);
    CHECK_EQ(tn_guard(t, run_list, &r), TINY_OK);
    CHECK(!memcmp(&r.want, &r.got, sizeof r.want));
    tiny_end(t);
  }
  case_end();
}

// Words of what is exact in each: 1.5 2 of bf16; bytes 200 1 2 3 and -3 4 100 -1; words of 16 bits.
static void test_dots(tiny_ctx *t, const tiny_renderer *has, const tn_cpu_builtin_level *level) {
  static const uint32_t words[TINY_DOT_COUNT][2] = {
    {0x40003FC0u, 0xC0803F80u}, {0x030201C8u, 0xFF6404FDu}, {0x7FFF8001u, 0x80020003u}, {0x038001C8u, 0xFF6404FDu},
    {0x038001C8u, 0xFF6404FDu}};
  for (int k = 0; k < TINY_DOT_COUNT; k++) {
    if (!has->language.dots[k] || !case_named("dot %d of %s", k, level->name)) continue;
    list_trial r = {{0, 0}, 0, -1, dot_words, 0, 0, k, level};
    memcpy(r.in, words[k], sizeof r.in);
    tiny_begin(t);
    CHECK_EQ(tn_guard(t, run_list, &r), TINY_OK);
    CHECK(!memcmp(&r.want, &r.got, sizeof r.want));
    tiny_end(t);
  }
  case_end();
}

// Lanes of two vectors, or of one, in an order: of 1 to 8 bytes, of 16 to 64 in all.
enum { LANES_MOST = 64 };
typedef struct order_trial {
  uint8_t from[2][LANES_MOST], want[LANES_MOST], got[LANES_MOST];
  int dtype, lanes, at[LANES_MOST];        // of the second vector from `lanes` on
  const tn_cpu_builtin_level *level;
} order_trial;
static tiny_code run_order(tiny_ctx *t, void *arg) {
  order_trial *r = (order_trial *)arg;
  tiny_uop *list[LIST_MOST], *vector[2], *lane[LANES_MOST], *zero = tn_index(t, 0);
  int n = 0;
  list[n++] = zero;
  for (int i = 0; i < 2; i++) {
    tiny_uop *in = list[n++] = tn_param(t, r->dtype, 1 + i, r->lanes), *at = list[n++] = tn_index_of(t, in, zero, NULL);
    vector[i] = list[n++] = tn_load(t, at, r->lanes);
  }
  for (int i = 0; i < r->lanes; i++) {     // a lane that is taken twice is one node
    int seen = 0;
    lane[i] = tn_pick(t, vector[r->at[i] >= r->lanes], r->at[i] % r->lanes, 1);
    for (int j = 0; j < i; j++) seen |= lane[j] == lane[i];
    if (!seen) list[n++] = lane[i];
  }
  tiny_uop *all = list[n++] = tn_stack(t, r->lanes, lane), *out = list[n++] = tn_param(t, r->dtype, 0, r->lanes);
  tiny_uop *at = list[n++] = tn_index_of(t, out, zero, NULL);
  list[n++] = tn_store(t, at, all);
  void *const base[3] = {r->got, r->from[0], r->from[1]};
  return execute(t, list, n, NULL, base, r->level);
}
// Kinds: any lanes; of the first vector alone; in twos, in fours; of the same 16 bytes; such as a transpose's,
// interleaved by 1, 2, 4 and 8; halves of each 16 bytes interleaved; halves that follow each other.
enum { ORDERS = 13 };
static int ordered(int kind, int i, int n, int nbytes, const int *random) {
  const int each = n * 16 / nbytes, half = each / 2 ? each / 2 : 1, by = kind < 5 ? 1 : 1 << (kind - 5);
  switch (kind) {
    case 0: return random[i] % (2 * n);
    case 1: return random[i] % n;
    case 2: return random[i / 2] % n * 2 + i % 2;
    case 3: return random[i / 4] % (n / 2) * 4 + i % 4;
    case 4: return random[i] % 2 * n + i / each * each + random[i] / 2 % each;
    case 9: return i / each * each + i % each / 2 + i % 2 * n;
    case 10: return i / each * each + half + i % each / 2 + i % 2 * n;
    case 11: return n / 2 + i % (n / 2) + 2 * i / n * n;
    case 12: return i % (n / 2) + 2 * i / n * n;
    default: return by < n ? i / by % 2 ? i - by + n : i : i;
  }
}
static void test_orders(tiny_ctx *t, const tn_cpu_builtin_level *level) {
  static const tiny_dtype dtypes[] = {TINY_U8, TINY_U16, TINY_I32, TINY_F32, TINY_F64};
  for (int i = 0; i < 5 * 3 * ORDERS; i++) {
    const int d = i / ORDERS / 3, nbytes = 16 << i / ORDERS % 3, kind = i % ORDERS;
    const int element = tn_dtypes[dtypes[d]].nbytes, n = nbytes / element;
    if (!case_named("order %d of %s x %d of %s", kind, tiny_dtype_name(dtypes[d]), n, level->name)) continue;
    for (int round = 0; round < (kind < 5 ? 4 : 1); round++) {
      order_trial r = {.dtype = dtypes[d], .lanes = n, .level = level};
      int random[LANES_MOST];
      rng = (uint64_t)(1000 * d + 10 * kind + round);
      for (int k = 0; k < LANES_MOST; k++) {
        random[k] = rnd(1 << 20);
        r.from[0][k] = (uint8_t)(k + 1); r.from[1][k] = (uint8_t)(k + 101);
      }
      for (int k = 0; k < n; k++) {
        r.at[k] = ordered(kind, k, n, nbytes, random) % (2 * n);
        memcpy(r.want + k * element, r.from[r.at[k] >= n] + r.at[k] % n * element, (size_t)element);
      }
      tiny_begin(t);
      CHECK_EQ(tn_guard(t, run_order, &r), TINY_OK);
      CHECK(!memcmp(r.want, r.got, sizeof r.want));
      tiny_end(t);
    }
  }
  case_end();
}

// Elements that lie apart, some of them masked out, whose numbers name none; with what is there instead, or zeros.
typedef struct apart_trial {
  uint8_t from[LANES_MOST * 8], instead[LANES_MOST * 8], want[LANES_MOST * 8], got[LANES_MOST * 8];
  int32_t at[LANES_MOST], valid[LANES_MOST];
  int dtype, lanes, masked, otherwise;
  const tn_cpu_builtin_level *level;
} apart_trial;
static tiny_code run_apart(tiny_ctx *t, void *arg) {
  apart_trial *r = (apart_trial *)arg;
  tiny_uop *list[32], *vector[3], *zero = tn_index(t, 0), *none = tn_constant(t, TINY_I32, 0);
  const int dtypes[3] = {TINY_I32, TINY_I32, r->dtype};
  int n = 0;
  list[n++] = zero;
  for (int i = 0; i < 3; i++) {
    tiny_uop *in = list[n++] = tn_param(t, dtypes[i], 2 + i, LANES_MOST);
    tiny_uop *at = list[n++] = tn_index_of(t, in, zero, NULL);
    vector[i] = list[n++] = tn_load(t, at, r->lanes);
  }
  tiny_uop *nones = tn_uop_make(t, TINY_OP_BROADCAST, TINY_I32, r->lanes, 1, &none, 0, 0, NULL);
  tiny_uop *valid = tn_u2(t, TINY_OP_NE, vector[1], nones), *in = tn_param(t, r->dtype, 1, LANES_MOST);
  list[n++] = none; list[n++] = nones; list[n++] = valid; list[n++] = in;
  tiny_uop *place[3] = {in, vector[0], valid};
  tiny_uop *index = tn_uop_make(t, TINY_OP_INDEX, r->dtype, r->lanes, 2 + r->masked, place, 0, 0, NULL);
  tiny_uop *src[2] = {index, vector[2]};
  tiny_uop *load = tn_uop_make(t, TINY_OP_LOAD, r->dtype, r->lanes, 1 + r->otherwise, src, 0, 0, NULL);
  list[n++] = src[0]; list[n++] = load;
  tiny_uop *out = list[n++] = tn_param(t, r->dtype, 0, LANES_MOST), *at = list[n++] = tn_index_of(t, out, zero, NULL);
  list[n++] = tn_store(t, at, load);
  void *const base[5] = {r->got, r->from, r->at, r->valid, r->instead};
  return execute(t, list, n, NULL, base, r->level);
}
static void test_apart(tiny_ctx *t, const tn_cpu_builtin_level *level) {
  static const tiny_dtype dtypes[] = {TINY_U8, TINY_U16, TINY_I32, TINY_F32, TINY_F64};
  for (int i = 0; i < 5 * 5 * 3; i++) {
    static apart_trial r;
    const int element = tn_dtypes[dtypes[i / 15]].nbytes;
    memset(&r, 0, sizeof r);
    r.dtype = dtypes[i / 15]; r.lanes = 2 << i / 3 % 5; r.masked = i % 3 > 0; r.otherwise = i % 3 > 1; r.level = level;
    if (!case_named("%d of %s apart, %d of %s", r.lanes, tiny_dtype_name(dtypes[i / 15]), i % 3, level->name)) continue;
    rng = (uint64_t)i + 1;
    for (int k = 0; k < LANES_MOST * 8; k++) {
      r.from[k] = (uint8_t)(1 + rnd(200));
      r.instead[k] = (uint8_t)(201 + rnd(50));
    }
    for (int k = 0; k < r.lanes; k++) {
      r.valid[k] = r.masked ? rnd(3) : 1;
      r.at[k] = r.valid[k] ? rnd(LANES_MOST) : 1 << 28;
      if (!r.valid[k] && !r.otherwise) continue;
      memcpy(r.want + k * element, r.valid[k] ? r.from + r.at[k] * element : r.instead + k * element, (size_t)element);
    }
    tiny_begin(t);
    CHECK_EQ(tn_guard(t, run_apart, &r), TINY_OK);
    CHECK(!memcmp(r.want, r.got, sizeof r.want));
    tiny_end(t);
  }
  case_end();
}

// ** levels **

// Registers that no value gets. As a mask k0 selects all lanes (Intel SDM vol. 2, 2.7.4): values that were given it
// chose wrong in a gradient. x18 is the system's on macOS and Windows; x16 is the writer's, x29 the frame.
static void test_register_of_none(const tn_isa_class *c, int reg) {
  for (int i = 0; i < c->n; i++) CHECK(c->reg[i] != reg);
}
static void test_registers_of_none(const tn_cpu_builtin_level *level) {
#ifdef TN_OS_ARM64
  static const int none[] = {16, 18, 29, 31};
  (void)level;
  for (size_t i = 0; i < sizeof none / sizeof *none; i++)
    test_register_of_none(&tn_arm64_target.cls[TN_ISA_GPR], none[i]);
#else
  test_register_of_none(&tn_x86_target_of(level)->cls[TN_ISA_MASK], 0);
#endif
}

// What the processor is, and what it may be taken for.
#ifdef TN_OS_ARM64
static const char *const devices[] = {"KEPT", "KEPT:neon"};
#else
static const char *const devices[] = {"KEPT", "KEPT:sse2", "KEPT:sse4", "KEPT:avx2", "KEPT:avx512", "KEPT:amx"};
#endif
enum { DEVICES = sizeof devices / sizeof *devices };

static void test_graphs(tiny_ctx *reference, tiny_ctx *t, const char *device) {
  static answer want, got;
  built = refused = kept_calls = kept_broken = looked_at = beyond = 0;
  reasons[0] = 0;
  for (int g = 0; g < GRAPHS; g++) for (int s = 0; s < SIZES; s += test_brief(2, 1)) {
    if (!case_named("%s(%d,%d) on %s", graphs[g].name, sizes[s][0], sizes[s][1], device)) continue;
    compute(reference, graphs[g].fn, sizes[s][0], sizes[s][1], &want);
    compute(t, graphs[g].fn, sizes[s][0], sizes[s][1], &got);
    compare(&want, &got);
  }
  case_end();
  printf("%s: %d kernels built in, %d refused, %d calls looked at\n%s", device, built, refused, kept_calls, reasons);
  CHECK(built > 100 || getenv("TEST_ONLY"));
  CHECK_EQ(refused, 0);
  CHECK_EQ(kept_broken, 0);
  CHECK_EQ(beyond, 0);
#ifdef TN_OS_X86
  CHECK(looked_at > 50 * built || getenv("TEST_ONLY"));
#endif
#ifdef KEPT_ALL
  CHECK(kept_calls >= built);
#endif
}

int main(void) {
  tiny_ctx *reference = open_on("INTERP");
  const tn_os_cpu facts = tn_os_cpu_get();
  CHECK(reference);
  for (int i = 0; i < DEVICES; i++) {
    tn_os_cpu as = facts;
    if (i && !tn_os_cpu_as(&as, devices[i] + 5)) { printf("%s: not on this processor\n", devices[i]); continue; }
    tiny_ctx *t = open_on(devices[i]);
    CHECK(t && t->device[0]->renderer.kernel == tn_cpu_builtin_kernel);
    if (!t) continue;
    const tn_cpu_builtin_level *level = tn_cpu_level(t->device[0]->renderer.own);
    test_graphs(reference, t, devices[i]);
    test_registers_of_none(level);
    test_reg_memory_before_its_define(reference, level);
    test_greater_and_less(reference, level);
    test_loops(reference, level);
    test_streams(reference, level);
    test_dots(reference, &t->device[0]->renderer, level);
    test_orders(reference, level);
    test_apart(reference, level);
    tiny_close(t);
  }
  tiny_close(reference);
  return test_report();
}
