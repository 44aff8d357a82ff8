// vectors: no vector has more lanes than those of the target's language have.
//
// In:    a lowered kernel, before its arithmetic is decomposed; how many lanes a vector may have: a power of two.
// Out:   the same of vectors of so many lanes at most: of a wider one there are parts, the first lanes first.
// Holds: elements of memory are accessed in the order of their lanes; a wide accumulator is several elements of its
//        memory. What is elementwise is so of each part; where dtypes of other sizes meet (BITCAST) and a part of one
//        has more lanes than a vector of the other, lanes are put together one by one.
#ifndef TN_CODEGEN_VECTORS
#define TN_CODEGEN_VECTORS
#ifndef TINY_AMALGAMATED
#include "replace.c"
#endif

enum { TN_VECTOR_MOST = 64 };              // lanes of what comes in

// part[first[u->seq]] and on: what u is now.
typedef struct tn_splitting { tiny_ctx *t; int most, *first; tn_list part; } tn_splitting;

static int tn_splitting_parts(const tn_splitting *v, const tiny_uop *u) {
  return u->lanes > v->most ? u->lanes / v->most : 1;
}
static tiny_uop *const *tn_splitting_of(const tn_splitting *v, const tiny_uop *u) {
  return &v->part.u[v->first[u->seq]];
}

// So many lanes of what x was, from lane `at` on; one lane stands for all.
static tiny_uop *tn_splitting_lanes(const tn_splitting *v, const tiny_uop *x, int at, int lanes) {
  tiny_uop *const *part = tn_splitting_of(v, x), *one[TN_VECTOR_MOST];
  const int size = x->lanes < v->most ? x->lanes : v->most;
  if (x->lanes == 1) return part[0];
  if (at % size == 0 && lanes == size) return part[at / size];
  if (lanes == 1 || (at % lanes == 0 && 2 * lanes == size)) return tn_pick(v->t, part[at / size], at % size, lanes);
  for (int i = 0; i < lanes; i++) one[i] = tn_pick(v->t, part[(at + i) / size], (at + i) % size, 1);
  return tn_stack(v->t, lanes, one);
}

// The same of a STACK, whose sources may be vectors.
static tiny_uop *tn_splitting_stack(const tn_splitting *v, const tiny_uop *u, int at, int lanes) {
  tiny_uop *one[TN_VECTOR_MOST];
  for (int i = 0, j = 0, before = 0; i < lanes; i++) {
    while (before + u->src[j]->lanes <= at + i) before += u->src[j++]->lanes;
    one[i] = tn_splitting_lanes(v, u->src[j], at + i - before, 1);
  }
  return tn_stack(v->t, lanes, one);
}

// The same of a BITCAST: as many lanes together as both dtypes have a vector of.
static tiny_uop *tn_splitting_bits(const tn_splitting *v, const tiny_uop *u, int at, int lanes) {
  const tiny_uop *x = u->src[0];
  tiny_uop *one[TN_VECTOR_MOST];
  int together = lanes, n = 0;
  while (together > 1 && together * x->lanes / u->lanes > v->most) together /= 2;
  for (int i = 0; i < lanes; i += together) {
    const int of = together * x->lanes / u->lanes, wide = of ? together : u->lanes / x->lanes;
    tiny_uop *bits = tn_splitting_lanes(v, x, (at + i) * x->lanes / u->lanes, of ? of : 1),
             *y = tn_uop_make(v->t, TINY_OP_BITCAST, u->dtype, wide, 1, &bits, u->k, 0, NULL);
    if (wide == lanes) return y;
    for (int k = 0; k < together; k++) one[n++] = wide == 1 ? y : tn_pick(v->t, y, of ? k : (at + i) % wide, 1);
  }
  return tn_stack(v->t, n, one);
}

// ** memory **

// The element of a memory that has vectors for elements, or those of a vector from lane `at` on.
static tiny_uop *tn_splitting_index(const tn_splitting *v, const tiny_uop *index, int at, int lanes) {
  const tiny_uop *memory = index->src[0], *element = index->src[1], *valid = index->nsrc == 3 ? index->src[2] : NULL;
  tiny_uop *place = tn_splitting_lanes(v, element, at, lanes), *src[3] = {tn_splitting_of(v, memory)[0], NULL, NULL};
  const int parts = tn_splitting_parts(v, memory);
  if (parts > 1) {
    place = tn_u2(v->t, TINY_OP_MUL, place, tn_int(v->t, place->dtype, parts));
    place = tn_u2(v->t, TINY_OP_ADD, place, tn_int(v->t, place->dtype, at / v->most));
  } else if (element->lanes == 1 && at) {
    place = tn_u2(v->t, TINY_OP_ADD, place, tn_int(v->t, place->dtype, at));
  }
  src[1] = place;
  if (valid) src[2] = tn_splitting_lanes(v, valid, at, lanes);
  return tn_uop_make(v->t, TINY_OP_INDEX, index->dtype, place->lanes, (int)index->nsrc, src, index->k, 0, NULL);
}
static tiny_uop *tn_splitting_load(const tn_splitting *v, const tiny_uop *u, int at, int lanes) {
  tiny_uop *src[2] = {tn_splitting_index(v, u->src[0], at, lanes), NULL};
  if (u->nsrc > 1) src[1] = tn_splitting_lanes(v, u->src[1], at, lanes);
  return tn_uop_make(v->t, TINY_OP_LOAD, u->dtype, lanes, (int)u->nsrc, src, u->k, 0, NULL);
}
// All of it: a GROUP of STOREs.
static tiny_uop *tn_splitting_store(const tn_splitting *v, const tiny_uop *u) {
  const tiny_uop *value = u->src[1], *element = u->src[0]->src[1];
  const int wide = value->lanes > element->lanes ? value->lanes : element->lanes;
  tn_list stores = {NULL, 0, 0};
  for (int at = 0; at < wide; at += v->most) {
    tiny_uop *x = tn_splitting_lanes(v, value, at, v->most);
    tn_push(v->t, &stores, tn_store_as(v->t, u, tn_splitting_index(v, u->src[0], at, v->most), x));
  }
  return tn_node_of(v->t, TINY_OP_GROUP, TINY_VOID, &stores);
}

// ** each node **

// Is u, or something that it is made of, too wide?
static int tn_splitting_is_wide(const tn_splitting *v, const tiny_uop *u) {
  if (u->lanes > v->most) return 1;
  for (uint32_t i = 0; i < u->nsrc; i++) if (u->src[i]->lanes > v->most) return 1;
  return 0;
}
static tiny_uop *tn_splitting_same(const tn_splitting *v, const tiny_uop *u) {
  tiny_uop *few[8], **src = few;
  int changed = 0;
  if (u->nsrc > 8) src = (tiny_uop **)tn_scratch(v->t, u->nsrc * sizeof *src);
  for (uint32_t i = 0; i < u->nsrc; i++) {
    src[i] = tn_splitting_of(v, u->src[i])[0];
    changed |= src[i] != u->src[i];
  }
  return changed ? tn_uop_with(v->t, u, src) : (tiny_uop *)(uintptr_t)u;
}
// Lanes of u from `at` on, of as many as a vector has, or of all.
static tiny_uop *tn_splitting_part(const tn_splitting *v, const tiny_uop *u, int at, int lanes) {
  tiny_uop *src[4];
  switch (u->op) {
    case TINY_OP_STACK: return tn_splitting_stack(v, u, at, lanes);
    case TINY_OP_BITCAST: return tn_splitting_bits(v, u, at, lanes);
    case TINY_OP_PICK: return tn_splitting_lanes(v, u->src[0], (int)u->k + at, lanes);
    case TINY_OP_LOAD: return tn_splitting_load(v, u, at, lanes);
    case TINY_OP_INDEX: return tn_splitting_index(v, u, at, lanes);
    case TINY_OP_DEFINE: {
      const int64_t size[2] = {u->v[0], u->v[1] * tn_splitting_parts(v, u)};
      return tn_uop_make(v->t, u->op, u->dtype, lanes, 0, NULL, u->k, u->nv, size);
    }
    default: break;
  }
  for (uint32_t i = 0; i < u->nsrc && i < 4; i++) src[i] = tn_splitting_lanes(v, u->src[i], at, lanes);
  if (u->op != TINY_OP_AFTER) return tn_uop_make(v->t, u->op, u->dtype, lanes, (int)u->nsrc, src, u->k, u->nv, u->v);
  tiny_uop **after = (tiny_uop **)tn_scratch(v->t, u->nsrc * sizeof *after);
  after[0] = src[0];
  for (uint32_t i = 1; i < u->nsrc; i++) after[i] = tn_splitting_of(v, u->src[i])[0];
  return tn_uop_make(v->t, u->op, u->dtype, lanes, (int)u->nsrc, after, u->k, u->nv, u->v);
}
static void tn_splitting_node(tn_splitting *v, tiny_uop *u) {
  const int memory = tn_memory_behind(u)->op == TINY_OP_DEFINE, parts = memory ? 1 : tn_splitting_parts(v, u);
  v->first[u->seq] = v->part.n;
  if (!tn_splitting_is_wide(v, u)) { tn_push(v->t, &v->part, tn_splitting_same(v, u)); return; }
  if (u->op == TINY_OP_STORE) { tn_push(v->t, &v->part, tn_splitting_store(v, u)); return; }
  for (int i = 0; i < parts; i++)
    tn_push(v->t, &v->part, tn_splitting_part(v, u, i * v->most, u->lanes < v->most ? u->lanes : v->most));
}

static tiny_uop *tn_split_vectors(tiny_ctx *t, tiny_uop *sink, int most) {
  tn_list all = {NULL, 0, 0};
  tn_splitting v = {t, most, NULL, {NULL, 0, 0}};
  int wide = 0;
  tn_toposort(t, sink, &all);
  for (int i = 0; i < all.n; i++) { all.u[i]->seq = (uint32_t)i; wide |= all.u[i]->lanes > most; }
  if (!wide) return sink;
  v.first = (int *)tn_scratch(t, (size_t)all.n * sizeof *v.first);
  for (int i = 0; i < all.n; i++) tn_splitting_node(&v, all.u[i]);
  return v.part.u[v.part.n - 1];
}
#endif
