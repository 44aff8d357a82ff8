// shipped_within: what ship/within.c takes for an access within its memory is within it: lists by hand, and random ones, of
// which every iteration, lane and argument is computed here. Called by tests/test_shipped.sh; $WITHIN_TIMES: how many.
#define TINY_RUNTIME_ONLY
#include "../src/all.c"
#include "test.h"

enum { NODES = 256, LANES = 4 };
static tiny_ctx *t;
static uint64_t state = 88172645463325252ull;
static int roll(int n) {
  state ^= state << 13; state ^= state >> 7; state ^= state << 17;
  return (int)(state >> 33) % n;
}

// ** lists **

static tiny_uop *number(int dtype, int64_t k) { return tn_int(t, dtype, k); }
static tiny_uop *made(int op, int dtype, int lanes, int n, tiny_uop *a, tiny_uop *b, tiny_uop *c) {
  tiny_uop *src[3] = {a, b, c};
  return tn_uop_make(t, op, dtype, lanes, n, src, 0, 0, NULL);
}
static tiny_uop *two(int op, tiny_uop *a, tiny_uop *b) {
  return made(op, op == TINY_OP_LT || op == TINY_OP_NE ? (int)TINY_BOOL : (int)a->dtype, a->lanes, 2, a, b, NULL);
}
static tiny_uop *where(tiny_uop *c, tiny_uop *a, tiny_uop *b) { return made(TINY_OP_WHERE, a->dtype, a->lanes, 3, c, a, b); }
static tiny_uop *wide(tiny_uop *a, int lanes) {
  return lanes == a->lanes ? a : made(TINY_OP_BROADCAST, a->dtype, lanes, 1, a, NULL, NULL);
}
static tiny_uop *lane(int dtype, int lanes) { return tn_uop_make(t, TINY_OP_LANE, dtype, lanes, 0, NULL, 0, 0, NULL); }
static tiny_uop *loop(int dtype, int64_t extent, int id) {
  tiny_uop *end = number(dtype, extent);
  return tn_uop_make(t, TINY_OP_RANGE, dtype, 1, 1, &end, (int64_t)(id + 1) << 8, 0, NULL);
}
static tiny_uop *argument(int dtype, int id) { return tn_uop_make(t, TINY_OP_ARG, dtype, 1, 0, NULL, id, 0, NULL); }
static tiny_uop *memory(int dtype, int64_t nelem, int id) { return tn_uop_make(t, TINY_OP_PARAM, dtype, 1, 0, NULL, id, 1, &nelem); }
static tiny_uop *load(tiny_uop *m, tiny_uop *index, tiny_uop *condition, int lanes) {
  tiny_uop *at = made(TINY_OP_INDEX, m->dtype, index->lanes, condition ? 3 : 2, m, index, condition);
  return made(TINY_OP_LOAD, m->dtype, lanes, 1, at, NULL, NULL);
}
static void gather(tiny_uop **list, int *n, tiny_uop *u) {
  for (int i = 0; i < *n; i++) if (list[i] == u) return;
  for (uint32_t i = 0; i < u->nsrc; i++) gather(list, n, u->src[i]);
  list[(*n)++] = u;
}
// Is the list that ends with u taken?
static int taken(tiny_uop *u) {
  tiny_uop *list[NODES];
  tn_wire_list k;
  memset(&k, 0, sizeof k);
  gather(list, &k.n, u);
  k.list = list;
  return tn_within_memory(t, &k, 1, 0) == NULL;
}

// ** by hand: a gets in, b does not **

static tiny_code by_hand(tiny_ctx *of, void *arg) {
  (void)of; (void)arg;
  tiny_uop *m = memory(TINY_F32, 10, 0), *none = memory(TINY_F32, 0, 1), *ints = memory(TINY_I32, 10, 2), *i = loop(TINY_I32, 20, 0);
  tiny_uop *a = argument(TINY_I32, 0), *far = argument(TINY_I64, 1), *shift = two(TINY_OP_SUB, i, number(TINY_I32, 5));
  tiny_uop *low = two(TINY_OP_LT, number(TINY_I32, -1), shift), *high = two(TINY_OP_LT, shift, number(TINY_I32, 10));
  CHECK(taken(load(m, shift, two(TINY_OP_AND, low, high), 1)));
  CHECK(!taken(load(m, shift, low, 1)) && !taken(load(m, shift, high, 1)) && !taken(load(m, shift, NULL, 1)));
  CHECK(!taken(load(m, shift, two(TINY_OP_OR, low, high), 1)));
  CHECK(!taken(load(m, shift, two(TINY_OP_AND, low, two(TINY_OP_LT, shift, number(TINY_I32, 11))), 1)));       // one too far
  CHECK(!taken(load(m, shift, two(TINY_OP_AND, two(TINY_OP_LT, number(TINY_I32, -2), shift), high), 1)));
  CHECK(!taken(load(m, two(TINY_OP_ADD, shift, number(TINY_I32, 1)), two(TINY_OP_AND, low, high), 1)));
  CHECK(!taken(load(m, shift, two(TINY_OP_AND, low, two(TINY_OP_NE, shift, number(TINY_I32, 10))), 1)));
  CHECK(!taken(load(m, shift, two(TINY_OP_AND, low, two(TINY_OP_XOR, high, tn_bool(t, 1))), 1)));
  // Lanes that lie side by side, and those that do not.
  tiny_uop *side = two(TINY_OP_ADD, lane(TINY_I32, LANES), wide(shift, LANES));
  tiny_uop *both = two(TINY_OP_AND, two(TINY_OP_LT, wide(number(TINY_I32, -1), LANES), side), two(TINY_OP_LT, side, wide(number(TINY_I32, 10), LANES)));
  CHECK(taken(load(m, shift, both, LANES)));
  CHECK(taken(load(m, side, both, LANES)));
  CHECK(!taken(load(m, shift, wide(two(TINY_OP_AND, low, high), LANES), LANES)));            // the first lane alone is within
  CHECK(!taken(load(m, two(TINY_OP_ADD, side, lane(TINY_I32, LANES)), both, LANES)));
  // An argument is what it is; a sum of it may wrap, and its address is that of its parts.
  tiny_uop *within_a = two(TINY_OP_AND, two(TINY_OP_LT, number(TINY_I32, -1), a), two(TINY_OP_LT, a, number(TINY_I32, 10)));
  tiny_uop *b = two(TINY_OP_ADD, a, number(TINY_I32, INT32_MAX));
  tiny_uop *within_b = two(TINY_OP_AND, two(TINY_OP_LT, number(TINY_I32, -1), b), two(TINY_OP_LT, b, number(TINY_I32, 10)));
  CHECK(taken(load(m, a, within_a, 1)) && !taken(load(m, b, within_b, 1)));
  CHECK(!taken(load(m, two(TINY_OP_MUL, a, number(TINY_I32, 1 << 30)), within_a, 1)));
  tiny_uop *product = two(TINY_OP_MUL, far, number(TINY_I64, (int64_t)1 << 62));
  CHECK(!taken(load(m, product, two(TINY_OP_AND, two(TINY_OP_LT, number(TINY_I64, -1), product), two(TINY_OP_LT, product, number(TINY_I64, 10))), 1)));
  CHECK(!taken(load(m, far, two(TINY_OP_LT, far, number(TINY_I64, 10)), 1)));
  // Nothing is within no memory: what is left out may read the first of it.
  CHECK(!taken(load(none, a, two(TINY_OP_AND, two(TINY_OP_LT, number(TINY_I32, -1), a), two(TINY_OP_LT, a, number(TINY_I32, 0))), 1)));
  // What stands in memory may change between the comparison and the access; a bool there may be any byte.
  tiny_uop *read = load(ints, number(TINY_I32, 0), NULL, 1);
  CHECK(!taken(load(m, read, two(TINY_OP_AND, two(TINY_OP_LT, number(TINY_I32, -1), read), two(TINY_OP_LT, read, number(TINY_I32, 10))), 1)));
  CHECK(!taken(load(m, where(two(TINY_OP_LT, read, number(TINY_I32, 0)), number(TINY_I32, 0), where(two(TINY_OP_LT, read, number(TINY_I32, 9)), read, number(TINY_I32, 9))), NULL, 1)));
  tiny_uop *some = load(memory(TINY_BOOL, 1, 3), number(TINY_I32, 0), NULL, 1);
  CHECK(!taken(load(m, shift, two(TINY_OP_AND, some, two(TINY_OP_AND, low, high)), 1)));
  CHECK(!taken(load(m, made(TINY_OP_CAST, TINY_I32, 1, 1, some, NULL, NULL), NULL, 1)));
  // The greater, the less, and what only looks like it.
  tiny_uop *zero = number(TINY_I32, 0), *nine = number(TINY_I32, 9);
  tiny_uop *positive = where(two(TINY_OP_LT, shift, zero), zero, shift), *clamped = where(two(TINY_OP_LT, positive, nine), positive, nine);
  CHECK(taken(load(m, clamped, NULL, 1)) && !taken(load(m, positive, NULL, 1)));
  CHECK(!taken(load(m, where(two(TINY_OP_LT, zero, shift), zero, shift), NULL, 1)));
  CHECK(!taken(load(m, where(two(TINY_OP_LT, positive, number(TINY_I32, 11)), positive, nine), NULL, 1)));
  // A condition of a hundred thousand parts that share theirs ends, and is none.
  tiny_uop *deep = low;
  for (int k = 0; k < 100; k++) deep = two(TINY_OP_AND, deep, two(TINY_OP_OR, deep, high));
  CHECK(!taken(load(m, shift, deep, 1)));
  tiny_uop *sum = i;
  for (int k = 0; k < 25; k++) sum = two(TINY_OP_ADD, sum, sum);
  CHECK(!taken(load(m, sum, two(TINY_OP_LT, sum, number(TINY_I32, 10)), 1)));
  return t->code;
}

// ** random ones **

static int64_t loops[3], arguments[2];    // the third has one iteration
static int64_t wrapped(int dtype, uint64_t k) {
  return dtype == TINY_I32 ? (int32_t)(uint32_t)k : dtype == TINY_U32 ? (int64_t)(uint32_t)k : (int64_t)k;
}
static int64_t value(const tiny_uop *u, int at) {
  const tiny_uop *const *s = (const tiny_uop *const *)(const void *)u->src;
  switch (u->op) {
    case TINY_OP_CONST: return u->k;
    case TINY_OP_LANE: return at;
    case TINY_OP_BROADCAST: return value(s[0], 0);
    case TINY_OP_RANGE: return loops[(u->k >> 8) - 1];
    case TINY_OP_ARG: return wrapped(u->dtype, (uint64_t)arguments[u->k]);
    case TINY_OP_CAST: return wrapped(u->dtype, (uint64_t)value(s[0], at));
    case TINY_OP_ADD: return wrapped(u->dtype, (uint64_t)value(s[0], at) + (uint64_t)value(s[1], at));
    case TINY_OP_SUB: return wrapped(u->dtype, (uint64_t)value(s[0], at) - (uint64_t)value(s[1], at));
    case TINY_OP_MUL: return wrapped(u->dtype, (uint64_t)value(s[0], at) * (uint64_t)value(s[1], at));
    case TINY_OP_LT: return value(s[0], at) < value(s[1], at);
    case TINY_OP_NE: return value(s[0], at) != value(s[1], at);
    case TINY_OP_AND: return value(s[0], at) & value(s[1], at);
    case TINY_OP_OR: return value(s[0], at) | value(s[1], at);
    case TINY_OP_WHERE: return value(s[value(s[0], at) ? 1 : 2], at);
    default: CHECK(0); return 0;
  }
}
static int sums, argued;                   // argued: an argument is in it
static tiny_uop *sum[64];                  // of the list, to be met again
static tiny_uop *random_condition(int dtype, int lanes, int depth);
static tiny_uop *random_sum(int dtype, int lanes, int depth) {
  const int64_t k = roll(20) ? roll(41) - 20 : roll(2) ? (int64_t)roll(1 << 30) << roll(34) : INT32_MAX - roll(3);
  tiny_uop *u = NULL;
  const int which = roll(depth > 0 ? 13 : 5);
  for (int i = 0; i < 4 && sums; i++) {
    tiny_uop *again = sum[roll(sums)];
    if (roll(3) == 0 && again->dtype == dtype && again->lanes == lanes) return again;
  }
  if (which == 0) u = wide(number(dtype, dtype == TINY_U32 ? k & 0xFFFFFFFF : k), lanes);
  else if (which == 1 && lanes > 1) u = lane(dtype, lanes);
  else if (which < 4) u = wide(roll(8) ? loop(dtype, 6 + (which & 1), which & 1) : loop(dtype, 1, 2), lanes);
  else if (which == 4 && roll(3)) u = wide(loop(dtype, 7, 1), lanes);
  else if (which == 4) { u = wide(argument(dtype, roll(2)), lanes); argued = 1; }
  else if (which < 7) u = two(TINY_OP_ADD, random_sum(dtype, lanes, depth - 1), random_sum(dtype, lanes, depth - 1));
  else if (which < 9) u = two(TINY_OP_SUB, random_sum(dtype, lanes, depth - 1), random_sum(dtype, lanes, depth - 1));
  else if (which == 9) u = two(TINY_OP_MUL, random_sum(dtype, lanes, depth - 1), wide(number(dtype, dtype == TINY_U32 ? k & 0xFFFFFFFF : k), lanes));
  else if (which == 10) {
    const int from = dtype == TINY_I64 ? TINY_I32 : TINY_I64;
    u = made(TINY_OP_CAST, dtype, lanes, 1, random_sum(from, lanes, depth - 1), NULL, NULL);
  } else {
    tiny_uop *a = random_sum(dtype, lanes, depth - 1), *b = random_sum(dtype, lanes, depth - 1), *c = two(TINY_OP_LT, a, b);
    u = roll(4) ? where(c, roll(2) ? a : b, roll(2) ? a : b) : where(random_condition(dtype, lanes, depth - 1), a, b);
  }
  if (sums < 64) sum[sums++] = u;
  return u;
}
static tiny_uop *random_condition(int dtype, int lanes, int depth) {
  const int which = roll(depth > 0 ? 12 : 5);
  if (which > 6) return two(TINY_OP_AND, random_condition(dtype, lanes, depth - 1), random_condition(dtype, lanes, depth - 1));
  if (which == 6) return two(TINY_OP_OR, random_condition(dtype, lanes, depth - 1), random_condition(dtype, lanes, depth - 1));
  if (which == 5) {
    tiny_uop *c = random_condition(dtype, lanes, depth - 1);
    return two(TINY_OP_NE, where(c, wide(number(TINY_U8, roll(9) > 0), lanes), wide(number(TINY_U8, roll(9) == 0), lanes)), wide(number(TINY_U8, roll(9) == 0), lanes));
  }
  tiny_uop *a = random_sum(dtype, lanes, 1), *k = wide(number(dtype, dtype == TINY_U32 ? roll(40) : roll(60) - 20), lanes);
  return roll(5) == 0 ? two(TINY_OP_LT, a, random_sum(dtype, lanes, 1)) : roll(2) ? two(TINY_OP_LT, a, k) : two(TINY_OP_LT, k, a);
}
static int accepted, by_condition;
static tiny_code random_one(tiny_ctx *of, void *arg) {
  static const int dtypes[3] = {TINY_I32, TINY_I64, TINY_U32};
  static const int64_t some[] = {0, 1, -1, 2, 5, -7, 11, 40, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, (int64_t)1 << 32, 4294967295};
  const int dtype = dtypes[roll(3)], lanes = roll(2) ? LANES : 1, dense = roll(2);
  const int64_t has = 1 + roll(60);
  (void)of; (void)arg;
  sums = argued = 0;
  tiny_uop *index = random_sum(dtype, dense ? 1 : lanes, 1 + roll(3));
  tiny_uop *seen = wide(index, lanes);
  if (dense && lanes > 1) seen = two(TINY_OP_ADD, seen, lane(dtype, lanes));
  if (sums < 64) sum[sums++] = seen;
  tiny_uop *condition = roll(6) ? random_condition(dtype, lanes, 1 + roll(4)) : NULL;
  if (condition && roll(2)) {              // as whoever pads writes it
    condition = two(TINY_OP_AND, condition, two(TINY_OP_LT, seen, wide(number(dtype, has + (roll(4) == 0)), lanes)));
    if (dtype != TINY_U32) condition = two(TINY_OP_AND, two(TINY_OP_LT, wide(number(dtype, -1 - (roll(4) == 0)), lanes), seen), condition);
  }
  if (t->code != TINY_OK || !taken(load(memory(TINY_F32, has, 0), index, condition, lanes))) return t->code;
  accepted++;
  by_condition += condition && !taken(load(memory(TINY_F32, has, 0), index, NULL, lanes));
  for (loops[0] = 0; loops[0] < 6; loops[0]++) for (loops[1] = 0; loops[1] < 7; loops[1]++)
    for (int a = 0; a < (argued ? 14 : 1); a++) for (int b = 0; b < (argued ? 3 : 1); b++) for (int i = 0; i < lanes; i++) {
      arguments[0] = some[a]; arguments[1] = some[(a + b * 5) % 14];
      if (condition && !value(condition, i)) continue;
      const int64_t at = value(index, dense ? 0 : i) + (dense ? i : 0);
      if (at < 0 || at >= has) { CHECK(0); return t->code; }
    }
  return t->code;
}

int main(void) {
  const char *times = getenv("WITHIN_TIMES");
  const int n = times ? atoi(times) : 6000;
  t = tiny_open(NULL);
  if (case_named("by hand")) {
    tn_nodes_begin(t);
    CHECK_EQ(tn_guard(t, by_hand, NULL), TINY_OK);
    tn_nodes_leave(t);
  }
  if (case_named("random lists")) {
    for (int i = 0; i < n; i++) {
      tn_nodes_begin(t);
      CHECK_EQ(tn_guard(t, random_one, NULL), TINY_OK);
      tn_nodes_leave(t);
    }
    printf("%d lists, %d of them taken, %d by their conditions\n", n, accepted, by_condition);
    CHECK(by_condition > n / 500);
  }
  tiny_close(t);
  return test_report();
}
