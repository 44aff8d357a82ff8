// label: names that nodes have for people, in a table beside them.
//
// In:    names, nodes. Out: the name of a node, for lines, profiles, traces and messages.
// Holds: a name changes nothing that is computed: no hash, digest, plan or kernel knows of it. Where nothing was ever
//        named there is no table. Memory that is refused leaves a node without a name. Names, of which programs
//        have few, stay until the context is closed; nodes leave the table when they die.
#ifndef TN_IR_LABEL
#define TN_IR_LABEL
#ifndef TINY_AMALGAMATED
#include "dtype.c"
#include "../base/hash.c"
#endif

enum { TN_LABEL_TEXT = 256 };              // bytes of the longest name, with its scopes; what is longer is cut
enum { TN_LABEL_BUCKETS = 256 };           // names are looked up by their hash

typedef struct tn_label_name { char *text; int next; } tn_label_name;         // next: label of the same bucket, or 0
typedef struct tn_label_slot { const tiny_uop *u; int label; } tn_label_slot;
struct tn_labels {
  tn_label_name *name; int n, cap_name;    // label i is name[i - 1]; 0: none
  int bucket[TN_LABEL_BUCKETS];            // labels, the first of each
  tn_label_slot *slot; uint32_t used, cap; // by node: open addressing, at most half full, a power of two
  int now;                                 // what nodes that are made get
  int *scope, depth, cap_scope;            // open scopes; each the label outside of it
};

static const char *tn_label_text(const tiny_ctx *t, int label) { return label ? t->labels->name[label - 1].text : ""; }

// The label of that name; 0: "" has none, or memory was refused.
static int tn_label_of_text(tiny_ctx *t, const char *text) {
  struct tn_labels *all = t->labels;
  const size_t n = strlen(text);
  if (!all || !n) return 0;
  int *first = &all->bucket[tn_hash_bytes(0, text, n) % TN_LABEL_BUCKETS];
  for (int i = *first; i; i = all->name[i - 1].next) if (!strcmp(all->name[i - 1].text, text)) return i;
  if (!tn_room(t, &all->name, all->n, &all->cap_name, sizeof *all->name)) return 0;
  char *own = (char *)tiny_realloc(t, NULL, 0, n + 1);
  if (!own) return 0;
  all->name[all->n].text = (char *)memcpy(own, text, n + 1);
  all->name[all->n].next = *first;
  return *first = ++all->n;
}
// "OUTER/name" where a label is around it, else "name".
static int tn_label_within(tiny_ctx *t, int outer, const char *name) {
  char text[TN_LABEL_TEXT];
  snprintf(text, sizeof text, "%s%s%s", tn_label_text(t, outer), outer ? "/" : "", name);
  return tn_label_of_text(t, text);
}

// ** nodes **

static uint32_t tn_label_at(const struct tn_labels *all, const tiny_uop *u) {
  uint32_t i = (uint32_t)((uint64_t)(uintptr_t)u * 0x9E3779B97F4A7C15ull >> 32) & (all->cap - 1);
  while (all->slot[i].u && all->slot[i].u != u) i = (i + 1) & (all->cap - 1);
  return i;
}
static int tn_label_of(const tiny_ctx *t, const tiny_uop *u) {
  const struct tn_labels *all = t->labels;
  return all && all->used ? all->slot[tn_label_at(all, u)].label : 0;
}
static int tn_labels_grow(tiny_ctx *t) {
  struct tn_labels *all = t->labels;
  const struct tn_labels old = *all;
  const uint32_t cap = old.cap ? 2 * old.cap : 64;
  tn_label_slot *slot = (tn_label_slot *)tiny_realloc(t, NULL, 0, cap * sizeof *slot);
  if (!slot) return 0;
  memset(slot, 0, cap * sizeof *slot);
  all->slot = slot; all->cap = cap;
  for (uint32_t i = 0; i < old.cap; i++) if (old.slot[i].u) slot[tn_label_at(all, old.slot[i].u)] = old.slot[i];
  tn_release(t, old.slot, old.cap * sizeof *old.slot);
  return 1;
}
static void tn_label_set(tiny_ctx *t, const tiny_uop *u, int label) {
  struct tn_labels *all = t->labels;
  if (!label || ((all->used + 1) * 2 > all->cap && !tn_labels_grow(t))) return;
  tn_label_slot *s = &all->slot[tn_label_at(all, u)];
  all->used += !s->u;
  s->u = u; s->label = label;
}
// A node that was made: it gets the label of now. Constants, and what is only moved of what is made anywhere, are
// everybody's.
static void tn_label_made(tiny_ctx *t, const tiny_uop *u, int movement) {
  if (t->labels->now && u->nsrc && u->dtype != TINY_INDEX && u->dtype != TINY_VOID && (u->device || !movement))
    tn_label_set(t, u, t->labels->now);
}
// Forgets the nodes that the walk of `mark` did not reach (Knuth, vol. 3, 6.4, algorithm R).
static void tn_labels_sweep(tiny_ctx *t, uint32_t mark) {
  struct tn_labels *all = t->labels;
  const uint32_t mask = all->cap - 1;
  for (uint32_t at = 0; at < all->cap;) {
    if (!all->slot[at].u || all->slot[at].u->mark == mark) { at++; continue; }
    uint32_t i = at;
    for (uint32_t j = (i + 1) & mask; all->slot[j].u; j = (j + 1) & mask) {
      const uint32_t home = (uint32_t)((uint64_t)(uintptr_t)all->slot[j].u * 0x9E3779B97F4A7C15ull >> 32) & mask;
      if (((j - home) & mask) >= ((j - i) & mask)) { all->slot[i] = all->slot[j]; i = j; }
    }
    all->slot[i].u = NULL; all->slot[i].label = 0;
    all->used--;
  }
}

// ** scopes: a label for what is made from now on **

// The table; 0: memory was refused.
static int tn_labels_open(tiny_ctx *t) {
  if (t->labels) return 1;
  t->labels = (struct tn_labels *)tiny_realloc(t, NULL, 0, sizeof *t->labels);
  if (t->labels) memset(t->labels, 0, sizeof *t->labels);
  return t->labels != NULL;
}
#ifndef TINY_NO_NN                          // gradients and optimisers name what they make
// What is made gets `label` until tn_label_leave of what this returns. Nothing happens where nothing is named.
static int tn_label_enter(tiny_ctx *t, int label) {
  const int before = t->labels ? t->labels->now : 0;
  if (label) t->labels->now = label;
  return before;
}
static void tn_label_leave(tiny_ctx *t, int before) { if (t->labels) t->labels->now = before; }
#endif

static void tn_labels_close(tiny_ctx *t) {
  struct tn_labels *all = t->labels;
  if (!all) return;
  for (int i = 0; i < all->n; i++) tn_release(t, all->name[i].text, strlen(all->name[i].text) + 1);
  tn_release(t, all->name, (size_t)all->cap_name * sizeof *all->name);
  tn_release(t, all->slot, all->cap * sizeof *all->slot);
  tn_release(t, all->scope, (size_t)all->cap_scope * sizeof *all->scope);
  tn_release(t, all, sizeof *all);
  t->labels = NULL;
}
#endif
