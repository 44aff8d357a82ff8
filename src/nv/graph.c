// graph: launches that are handed over together again and again, as a list of commands that was prepared.
//
// In:    the launches of a submit. Out: one submission of the list; of parameters only what has changed is written.
// Holds: the same kernels in the same grids are the same list, whatever memory and numbers they are given. It is made
//        when they come for the second time. There are two copies of what the GPU reads, so that one may be written
//        while the other is in use. A list goes before the module of one of its kernels does.
#ifndef TN_NV_GRAPH
#define TN_NV_GRAPH
#ifndef TINY_AMALGAMATED
#include "launch.c"
#endif

enum { TN_NV_GRAPH_LEAST = 2, TN_NV_GRAPH_AFTER = 2, TN_NV_COPIES = 2 };   // launches; times

typedef struct tn_nv_step {
  const tn_nv_kernel *kernel; int64_t global[3], local[3]; size_t local_nbytes, at, value; int nmem, nargs;
} tn_nv_step;
// What the GPU reads: descriptors and banks, then words. busy: the last submission of it.
typedef struct tn_nv_list { tn_nv_memory *memory; uint64_t busy; uint64_t *value; size_t nwords; } tn_nv_list;
typedef struct tn_nv_graph {
  uint64_t hash, last; int n, seen;
  tn_nv_step *step; size_t nvalue, nbytes;                   // nbytes: of descriptors and banks
  tn_nv_list list[TN_NV_COPIES];
} tn_nv_graph;

static uint64_t tn_nv_mix(uint64_t h, uint64_t x) {
  h = (h ^ x) * UINT64_C(0x9E3779B97F4A7C15);
  return h ^ (h >> 29);
}
static uint64_t tn_nv_graph_hash(const tiny_launch *l, int n) {
  uint64_t h = (uint64_t)n;
  for (int i = 0; i < n; i++) {
    h = tn_nv_mix(h, tn_nv_pointer(l[i].kernel));
    for (int k = 0; k < 3; k++) h = tn_nv_mix(tn_nv_mix(h, (uint64_t)l[i].global[k]), (uint64_t)l[i].local[k]);
    h = tn_nv_mix(tn_nv_mix(h, l[i].local_nbytes), (uint64_t)(l[i].nmem + l[i].nargs));
  }
  return h;
}

// Waits for what still uses it.
static void tn_nv_graph_close(tn_nv *d, int i) {
  tn_nv_graph *g = d->graph[i];
  if (!g) return;
  for (int k = 0; k < TN_NV_COPIES; k++) {
    tn_nv_list *l = &g->list[k];
    if (l->memory && !d->lost) tn_nv_wait_for(d, TN_NV_LAUNCHES, l->busy);
    if (l->memory) tn_nv_memory_free(d, l->memory);
    if (l->value) tiny_realloc(d->t, l->value, g->nvalue * sizeof *l->value, 0);
  }
  if (g->step) tiny_realloc(d->t, g->step, (size_t)g->n * sizeof *g->step, 0);
  tiny_realloc(d->t, g, sizeof *g, 0);
  d->graph[i] = NULL;
}
static void tn_nv_graphs_close(tn_nv *d) { for (int i = 0; i < TN_NV_GRAPHS; i++) tn_nv_graph_close(d, i); }
// Those that launch a kernel of the module, or came before kernels that stand where one of its stood.
static void tn_nv_graphs_leave(tn_nv *d, const tn_nv_module *m) {
  for (int i = 0; i < TN_NV_GRAPHS; i++) {
    const tn_nv_graph *g = d->graph[i];
    int uses = 0;
    for (int k = 0; g && k < g->n && !uses; k++) uses = g->step[k].kernel->module == m;
    if (uses) tn_nv_graph_close(d, i);
  }
}

static void tn_nv_steps(tn_nv_graph *g, const tiny_launch *l) {
  for (int i = 0; i < g->n; i++) {
    tn_nv_step *s = &g->step[i];
    s->kernel = (const tn_nv_kernel *)l[i].kernel;
    memcpy(s->global, l[i].global, sizeof s->global);
    memcpy(s->local, l[i].local, sizeof s->local);
    s->local_nbytes = l[i].local_nbytes; s->nmem = l[i].nmem; s->nargs = l[i].nargs;
    s->at = g->nbytes; s->value = g->nvalue;
    g->nbytes += tn_nv_args_nbytes(s->kernel);
    g->nvalue += (size_t)(s->nmem + s->nargs);
  }
  g->nvalue += !g->nvalue;
}
// The graph of these launches, perhaps one that is not made yet, in the place of the one that came longest ago. NULL:
// memory was refused.
static tn_nv_graph *tn_nv_graph_of(tn_nv *d, const tiny_launch *l, int n) {
  const uint64_t hash = tn_nv_graph_hash(l, n);
  int oldest = 0;
  for (int i = 0; i < TN_NV_GRAPHS; i++) {
    tn_nv_graph *g = d->graph[i];
    if (g && g->hash == hash && g->n == n) return g;
    if (!g || (d->graph[oldest] && g->last < d->graph[oldest]->last)) oldest = i;
  }
  tn_nv_graph_close(d, oldest);
  tn_nv_graph *g = (tn_nv_graph *)tiny_realloc(d->t, NULL, 0, sizeof *g);
  if (!g) return NULL;
  memset(g, 0, sizeof *g);
  g->hash = hash; g->n = n;
  g->step = (tn_nv_step *)tiny_realloc(d->t, NULL, 0, (size_t)n * sizeof *g->step);
  if (!g->step) { tiny_realloc(d->t, g, sizeof *g, 0); return NULL; }
  tn_nv_steps(g, l);
  return d->graph[oldest] = g;
}
// Is it the graph of these launches, and not one whose hash is the same?
static int tn_nv_graph_fits(const tn_nv_graph *g, const tiny_launch *l) {
  for (int i = 0; i < g->n; i++) {
    const tn_nv_step *s = &g->step[i];
    if (s->kernel != (const tn_nv_kernel *)l[i].kernel || s->local_nbytes != l[i].local_nbytes ||
        s->nmem != l[i].nmem || s->nargs != l[i].nargs || memcmp(s->global, l[i].global, sizeof s->global) ||
        memcmp(s->local, l[i].local, sizeof s->local))
      return 0;
  }
  return 1;
}

// ** lists **

// Its words are written as those of a channel are, to the end of its memory.
static void tn_nv_list_words(tn_nv *d, const tn_nv_graph *g, tn_nv_list *list) {
  tn_nv_channel c;
  memset(&c, 0, sizeof c);
  c.at = (uint32_t *)(void *)(list->memory->cpu + g->nbytes);
  for (int i = 0; i < g->n; i++) {
    if (i) tn_nv_one(&c, TN_NV_ON_COMPUTE, TN_NV_WAIT_FOR_IDLE, 0);
    tn_nv_send(d, &c, list->memory->va + g->step[i].at);
  }
  list->nwords = (size_t)(c.at - (uint32_t *)(void *)(list->memory->cpu + g->nbytes));
}
static tiny_code tn_nv_list_make(tn_nv *d, const tn_nv_graph *g, tn_nv_list *list, const tiny_launch *l) {
  enum { OF_LAUNCH = 8 * 4 };              // bytes of words
  tiny_code code = TINY_OK;
  for (int i = 0; i < g->n && code == TINY_OK; i++) code = tn_nv_local_grow(d, g->step[i].kernel->local);
  code = tn_nv_check(d, code);
  if (code != TINY_OK) return code;
  list->value = (uint64_t *)tiny_realloc(d->t, NULL, 0, g->nvalue * sizeof *list->value);
  if (!list->value) return tiny_fail(d->t, TINY_E_MEMORY, "%s: no memory for a list of commands", d->name);
  list->memory = tn_nv_memory_make(d, g->nbytes + (size_t)g->n * OF_LAUNCH, 1);
  if (!list->memory) {
    tiny_realloc(d->t, list->value, g->nvalue * sizeof *list->value, 0);
    list->value = NULL;
    return tn_nv_failed(d);
  }
  for (int i = 0; i < g->n; i++) {
    tn_nv_write_launch(d, &l[i], list->memory->cpu + g->step[i].at, list->memory->va + g->step[i].at);
    for (int k = 0; k < l[i].nmem + l[i].nargs; k++)
      list->value[g->step[i].value + (size_t)k] = tn_nv_value_of(&l[i], k);
  }
  tn_nv_list_words(d, g, list);
  return TINY_OK;
}
// Does the list have other parameters than these?
static int tn_nv_list_differs(const tn_nv_graph *g, const tn_nv_list *list, const tiny_launch *l) {
  for (int i = 0; i < g->n; i++)
    for (int k = 0; k < l[i].nmem + l[i].nargs; k++)
      if (list->value[g->step[i].value + (size_t)k] != tn_nv_value_of(&l[i], k)) return 1;
  return 0;
}
// Parameters that differ, and what is made of them: tensors that boxes are copied of.
static void tn_nv_list_bind_one(const tn_nv_step *s, const tn_nv_list *list, const tiny_launch *l) {
  char *bank = list->memory->cpu + s->at + TN_NV_QMD_ROOM;
  int changed = 0;
  for (int k = 0; k < l->nmem + l->nargs; k++) {
    uint64_t *was = &list->value[s->value + (size_t)k];
    const uint64_t value = tn_nv_value_of(l, k);
    if (value == *was) continue;
    *was = value;
    changed = 1;
    tn_nv_put_param(s->kernel, bank, tn_nv_param_of(s->kernel, k, l->nmem), value);
  }
  if (changed) tn_nv_set_maps(l, bank);
}
static void tn_nv_list_bind(const tn_nv_graph *g, const tn_nv_list *list, const tiny_launch *l) {
  for (int i = 0; i < g->n; i++) tn_nv_list_bind_one(&g->step[i], list, &l[i]);
}
// One with these parameters already, or one that nothing uses, or a second one, or the one that is free first. NULL
// after an error.
static tn_nv_list *tn_nv_list_of(tn_nv *d, tn_nv_graph *g, const tiny_launch *l) {
  const uint64_t done = tn_nv_done(&d->channel[TN_NV_LAUNCHES]);
  tn_nv_list *best = NULL;
  for (int i = 0; i < TN_NV_COPIES; i++) {
    tn_nv_list *x = &g->list[i];
    if (x->memory && !tn_nv_list_differs(g, x, l)) return x;
    if (!x->memory && (!best || best->busy > done)) return tn_nv_list_make(d, g, x, l) == TINY_OK ? x : NULL;
    if (x->memory && (!best || x->busy < best->busy)) best = x;
  }
  if (tn_nv_check(d, tn_nv_wait_for(d, TN_NV_LAUNCHES, best->busy)) != TINY_OK) return NULL;
  tn_nv_list_bind(g, best, l);
  return best;
}

// ** submitted **

static int tn_nv_graph_wanted(const tiny_launch *l, int n) {
  for (int i = 0; i < n; i++) if (l[i].stamp || tn_nv_is_empty(&l[i])) return 0;
  return n >= TN_NV_GRAPH_LEAST;
}
static tiny_code tn_nv_graph_submit(tn_nv *d, tn_nv_graph *g, const tiny_launch *l) {
  tiny_code code = TINY_OK;
  for (int i = 0; i < g->n && code == TINY_OK && !g->list[0].memory; i++) code = tn_nv_fits(d, &l[i]);
  if (code == TINY_OK) code = tn_nv_check(d, tn_nv_room(d, TN_NV_LAUNCHES, TN_NV_LAUNCH_WORDS));
  tn_nv_list *list = code == TINY_OK ? tn_nv_list_of(d, g, l) : NULL;
  if (!list) return code == TINY_OK ? tiny_status(d->t) : code;
  for (int i = 0; i < g->n; i++) tn_nv_use_all(d, &l[i]);
  tn_nv_begin_launches(d);
  code = tn_nv_check(d, tn_nv_submit_list(d, TN_NV_LAUNCHES, list->memory->va + g->nbytes, list->nwords));
  list->busy = d->channel[TN_NV_LAUNCHES].given;
  return code;
}
static tiny_code tn_nv_submit(void *dev, const tiny_launch *l, int n) {
  tn_nv *d = (tn_nv *)dev;
  const tiny_code code = tn_nv_enter(d);
  if (code != TINY_OK) return code;
  tn_nv_graph *g = tn_nv_graph_wanted(l, n) ? tn_nv_graph_of(d, l, n) : NULL;
  if (!g || !tn_nv_graph_fits(g, l)) return tn_nv_launch_all(d, l, n);
  g->last = ++d->launches;
  if (g->seen < TN_NV_GRAPH_AFTER && ++g->seen < TN_NV_GRAPH_AFTER) return tn_nv_launch_all(d, l, n);
  return tn_nv_graph_submit(d, g, l);
}
#endif
