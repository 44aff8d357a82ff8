// place: which device computes what names none: constants, positions, random numbers, and what is made of them.
//
// In:    roots of a graph over several devices. Out: the same values by nodes that say where they are computed: what
//        names no device is computed by each device that uses it, anew; the default device needs no word.
// Holds: what lies in memory of another device is not read: it is computed again from what names none. What stands
//        for a node is called as it.
// A node is another one on another device by the leaves below it: (COPY x) of an x that names no device is x, there.
#ifndef TN_SCHEDULE_PLACE
#define TN_SCHEDULE_PLACE
#ifndef TINY_AMALGAMATED
#include "graph.c"
#endif

// u as it is wanted on a device (tiny_uop.device). pins: nodes that name none are made anew, for this device alone.
typedef struct tn_wish { tiny_uop *u; int device, pins; uint32_t next; } tn_wish;
typedef struct tn_placing {
  tiny_ctx *t; int here;                   // here: the device that needs no word
  tn_pairs known[2];                      // by pins: node, device -> node
  tn_list moved;                           // nodes whose value is a handle's, each followed by what it became
} tn_placing;

static tiny_uop **tn_wish_sources(tiny_ctx *t, const tiny_uop *u) {
  return (tiny_uop **)tn_scratch(t, (u->nsrc + 1) * sizeof(tiny_uop *));
}
// Is u a number, whatever its shape? It is part of each kernel that uses it.
static int tn_is_plain_number(const tiny_uop *u) {
  while (tn_op_is(u->op, TINY_MOVEMENT) && u->op != TINY_OP_PAD && !u->realized) u = u->src[0];
  return !u->nsrc && !u->device && !u->realized;
}

// Is u the number by which a movement cuts?
static int tn_is_length_of(const tiny_uop *user, const tiny_uop *u) {
  const int cuts = tn_op_is(user->op, TINY_MOVEMENT) || user->op == TINY_OP_WHOLE;
  return cuts && user->nsrc > 1 && user->src[1] == u;
}

// Source i of w's node, as that is wanted.
static tn_wish tn_wish_of(const tn_placing *p, const tn_wish *w, uint32_t i) {
  tiny_uop *s = w->u->src[i];
  const int device = s->device ? s->device : w->device;
  const int elsewhere = !s->device && s->realized && s->realized->device != device;
  const tn_wish source = {s, device, !s->device && (w->pins || device != p->here || elsewhere), 0};
  return source;
}
// What is there already: memory, numbers beside an operand that says where. NULL: it has to be looked at.
static tiny_uop *tn_wish_given(tn_placing *p, const tn_wish *w, const tiny_uop *user) {
  tiny_uop *u = w->u;
  if (u->op == TINY_OP_BUFFER || (!w->pins && !u->nsrc)) return u;
  if (user && tn_is_length_of(user, u)) return u;            // a number that every launch is given
  if (u->realized && u->realized->device == w->device)
    return w->pins ? tn_reshape(p->t, u->realized, u->ndim, u->dim) : u;
  if (w->pins && user && user->device && !u->realized && (!u->nsrc || user->op != TINY_OP_COPY) &&
      tn_is_plain_number(u))
    return u;
  return (tiny_uop *)tn_pairs_get(&p->known[w->pins], u, tn_boxed(w->device));
}
static tiny_uop *tn_placed_node(tn_placing *p, const tn_wish *w) {
  tiny_uop *u = w->u;
  if (!u->nsrc) {                          // what has a value elsewhere keeps it: another node is made (t->plans)
    if (u->realized) u = tn_uop_make_with(p->t, u->op, u->dtype, u->lanes, 0, NULL, u->k, u->nv, u->v, u->ptr);
    return tn_copy_to(p->t, u, w->device);
  }
  tiny_uop **src = tn_wish_sources(p->t, u);
  int changed = 0;
  for (uint32_t i = 0; i < u->nsrc; i++) {
    const tn_wish s = tn_wish_of(p, w, i);
    src[i] = tn_wish_given(p, &s, u);
    changed |= src[i] != u->src[i];
  }
  return changed ? tn_uop_with(p->t, u, src) : u;
}

static void tn_placed_add(tn_placing *p, tiny_uop *u, tiny_uop *now) {
  if (now == u) return;
  tn_push(p->t, &p->moved, u);
  tn_push(p->t, &p->moved, now);
}
static tiny_uop *tn_placed_root(tn_placing *p, tiny_uop *root) {
  const int device = root->device ? root->device : p->here;
  const int elsewhere = !root->device && root->realized && root->realized->device != device;
  const int number = !root->device && tn_is_plain_number(root);            // stored here, and part of kernels elsewhere
  const tn_wish first = {root, device, elsewhere || number, 0};
  tn_wish *stack = NULL;
  int n = 0, cap = 0;
  if (tn_wish_given(p, &first, NULL)) return tn_wish_given(p, &first, NULL);
  *TN_PUSH(p->t, stack, n, cap, tn_wish) = first;
  while (n) {
    tn_wish *top = &stack[n - 1];
    if (top->next < top->u->nsrc) {
      const tn_wish s = tn_wish_of(p, top, top->next++);
      if (!tn_wish_given(p, &s, top->u)) *TN_PUSH(p->t, stack, n, cap, tn_wish) = s;
      continue;
    }
    tiny_uop *now = tn_placed_node(p, top), *u = top->u;
    if (now != u) tn_label_set(p->t, now, tn_label_of(p->t, u));
    tn_pairs_set(p->t, &p->known[top->pins], u, tn_boxed(top->device), now);
    if (u->op == TINY_OP_ASSIGN || (u->op == TINY_OP_CONTIGUOUS && u->ptr)) tn_placed_add(p, u, now);
    n--;
  }
  return tn_wish_given(p, &first, NULL);
}

// roots, as they are computed, in their place. moved: nodes that handles have, and what stands for them. Heavy code.
static void tn_place_roots(tiny_ctx *t, tn_list *roots, tn_list *moved) {
  tn_placing p;
  if (t->ndevice < 2) return;
  memset(&p, 0, sizeof p);
  p.t = t; p.here = t->here + 1;
  t->plans = 1;
  for (int i = 0; i < roots->n; i++) {
    tiny_uop *const u = roots->u[i];
    roots->u[i] = tn_placed_root(&p, u);
    tn_placed_add(&p, u, roots->u[i]);
  }
  t->plans = 0;
  *moved = p.moved;
}
#endif
