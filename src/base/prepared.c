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
