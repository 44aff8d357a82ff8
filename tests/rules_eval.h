// rules_eval: values of small expressions by their definition, and random numbers, for the tests of rewriting.
#ifndef RULES_EVAL_H
#define RULES_EVAL_H

typedef struct { tiny_uop *name[32]; int64_t value[32]; int n; int stray; } env;   // stray: loads outside of their memory

static int64_t env_get(const env *e, const tiny_uop *u) {
  for (int i = e->n - 1; i >= 0; i--) if (e->name[i] == u) return e->value[i];
  return u->vmin > 0 ? u->vmin : 0;
}
static void env_set(env *e, tiny_uop *u, int64_t value) { e->name[e->n] = u; e->value[e->n++] = value; }

static int64_t eval(tiny_ctx *t, env *e, tn_map *memo, tiny_uop *u);
static int64_t eval_load(tiny_ctx *t, env *e, tn_map *memo, tiny_uop *u) {
  tiny_uop *index = u->src[0];
  if (index->nsrc > 2 && !eval(t, e, memo, index->src[2])) return u->nsrc > 1 ? eval(t, e, memo, u->src[1]) : 0;
  const int64_t at = eval(t, e, memo, index->src[1]);
  if (at < 0 || at >= index->src[0]->v[0]) { e->stray++; return 0; }
  return tn_dtype_value(u->dtype, (double)(int64_t)(tn_hash_mix((uint64_t)at, (uint64_t)index->src[0]->k) % 9) - (tn_is_signed(u->dtype) ? 2 : 0));
}
static int64_t eval_reduce(tiny_ctx *t, env *e, tiny_uop *u, uint32_t range, int64_t sum) {
  if (range == u->nsrc) {
    tn_map memo = {NULL, 0, 0};
    const int64_t v[2] = {sum, eval(t, e, &memo, u->src[0])};
    return tn_alu((int)u->k, u->dtype, u->dtype, 0, v, 2);
  }
  const int at = e->n;
  env_set(e, u->src[range], 0);
  for (int64_t i = 0; i < tn_range_extent(u->src[range]); i++) {
    e->value[at] = i;
    sum = eval_reduce(t, e, u, range + 1, sum);
  }
  e->n = at;
  return sum;
}
static int64_t eval_reduce_first(int op, int dtype) {
  if (op == TINY_OP_MAX) return tn_is_float(dtype) ? tn_from_f64(-HUGE_VAL) : tn_dtype_min(dtype);
  return tn_dtype_value(dtype, op == TINY_OP_MUL);
}
static int64_t eval_plain(tiny_ctx *t, env *e, tn_map *memo, tiny_uop *u) {
  int64_t v[4] = {0, 0, 0, 0};
  switch (u->op) {
    case TINY_OP_CONST: return u->k;
    case TINY_OP_RANGE: case TINY_OP_ARG: return env_get(e, u);
    case TINY_OP_LOAD: return eval_load(t, e, memo, u);
    case TINY_OP_REDUCE: return eval_reduce(t, e, u, 1, eval_reduce_first((int)u->k, u->dtype));
    case TINY_OP_WHERE: return eval(t, e, memo, u->src[eval(t, e, memo, u->src[0]) ? 1 : 2]);
    default: break;
  }
  for (uint32_t i = 0; i < u->nsrc && i < 4; i++) v[i] = eval(t, e, memo, u->src[i]);
  return tn_alu(u->op, u->dtype, u->src[0]->dtype, u->k, v, (int)u->nsrc);
}
static int64_t eval(tiny_ctx *t, env *e, tn_map *memo, tiny_uop *u) {
  if (tn_map_has(memo, u)) return (int64_t)(intptr_t)tn_map_get(memo, u);
  const int64_t value = eval_plain(t, e, memo, u);
  tn_map_set(t, memo, u, (void *)(intptr_t)value);
  return value;
}
static int64_t eval_in(tiny_ctx *t, env *e, tiny_uop *u) { tn_map memo = {NULL, 0, 0}; return eval(t, e, &memo, u); }

static uint64_t rng_state = 1;
static uint64_t rng(void) { return rng_state = tn_hash_mix(rng_state, 0x1234567); }
static int64_t rng_in(int64_t low, int64_t high) { return (int64_t)((uint64_t)low + rng() % ((uint64_t)high - (uint64_t)low + 1)); }

static tiny_ctx *rules_open(void) {
  tiny_ctx *t = (tiny_ctx *)calloc(1, sizeof *t);
  t->alloc.fn = tn_default_alloc;
  tn_ir_open(t);
  tn_match_open(t);
  return t;
}
static void rules_close(tiny_ctx *t) {
  tn_scratch_reset(t, 1);
  tn_match_close(t);
  tn_ir_close(t);
  free(t);
}
// Forgets scratch memory and nodes: between rounds of a fuzzer. Nodes of the round before are gone.
static void rules_renew(tiny_ctx *t) {
  tn_scratch_reset(t, 0);
  if (t->ir->nodes.n > 200000) { t->ir->epoch++; tn_uop_sweep(t); }
}
#endif
