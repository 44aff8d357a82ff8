// graph: launches that are handed over together again and again, as one CUDA graph.
//
// In:    the launches of a submit. Out: a graph launched, whose nodes got what has changed; or launches one by one.
// Holds: the same kernels in the same grids are the same graph, whatever memory and numbers they are given. It is made
//        when they come for the third time, as making it costs more than launching them. Nodes follow each other: what
//        a kernel writes is not known here. A graph goes before the module of one of its kernels does.
#ifndef TN_CUDA_GRAPH
#define TN_CUDA_GRAPH
#ifndef TINY_AMALGAMATED
#include "module.c"
#endif

enum { TN_CUDA_GRAPH_LEAST = 4, TN_CUDA_GRAPH_AFTER = 3 };   // launches; times

typedef struct tn_cuda_step { tn_cu_node node; void *handle; size_t value; int nvalue; int64_t local[3]; } tn_cuda_step;
typedef struct tn_cuda_graph {
  uint64_t hash, last; int n, seen;        // last: place in the order; seen: times; -1: the driver makes none of it
  void *graph, *exec;
  tn_cuda_step *step; uint64_t *value; size_t nvalue;
} tn_cuda_graph;

static uint64_t tn_cuda_mix(uint64_t h, uint64_t x) {
  h = (h ^ x) * 0x9E3779B97F4A7C15u;
  return h ^ (h >> 29);
}
static uint64_t tn_cuda_graph_hash(const tiny_launch *l, int n) {
  uint64_t h = (uint64_t)n;
  for (int i = 0; i < n; i++) {
    h = tn_cuda_mix(h, (uint64_t)(uintptr_t)l[i].kernel);
    for (int k = 0; k < 3; k++) h = tn_cuda_mix(tn_cuda_mix(h, (uint64_t)l[i].global[k]), (uint64_t)l[i].local[k]);
    h = tn_cuda_mix(tn_cuda_mix(h, l[i].local_nbytes), (uint64_t)(l[i].nmem + l[i].nargs));
  }
  return h;
}

static void tn_cuda_graph_close(tn_cuda *d, int i) {
  tn_cuda_graph *g = d->graph[i];
  if (!g) return;
  if (g->exec && !d->lost) d->cu.graph_drop(g->exec);
  if (g->graph && !d->lost) d->cu.graph_free(g->graph);
  if (g->step) tiny_realloc(d->t, g->step, (size_t)g->n * sizeof *g->step, 0);
  if (g->value) tiny_realloc(d->t, g->value, g->nvalue * sizeof *g->value, 0);
  tiny_realloc(d->t, g, sizeof *g, 0);
  d->graph[i] = NULL;
}
static void tn_cuda_graphs_close(tn_cuda *d) { for (int i = 0; i < TN_CUDA_GRAPHS; i++) tn_cuda_graph_close(d, i); }
// Those that launch a kernel of the module.
static void tn_cuda_graphs_leave(tn_cuda *d, const tn_cuda_module *m) {
  for (int i = 0; i < TN_CUDA_GRAPHS; i++) {
    const tn_cuda_graph *g = d->graph[i];
    int uses = 0;
    for (int k = 0; g && g->step && k < g->n && !uses; k++)
      for (const tn_cuda_kernel *x = m->kernels; x && !uses; x = x->next) uses = g->step[k].node.func == x->func;
    if (uses) tn_cuda_graph_close(d, i);
  }
}

// The graph of these launches, perhaps one that is not made yet, in the place of the one that came longest ago. NULL:
// memory was refused.
static tn_cuda_graph *tn_cuda_graph_of(tn_cuda *d, const tiny_launch *l, int n) {
  const uint64_t hash = tn_cuda_graph_hash(l, n);
  int oldest = 0;
  for (int i = 0; i < TN_CUDA_GRAPHS; i++) {
    tn_cuda_graph *g = d->graph[i];
    if (g && g->hash == hash && g->n == n) return g;
    if (!g || (d->graph[oldest] && g->last < d->graph[oldest]->last)) oldest = i;
  }
  tn_cuda_graph_close(d, oldest);
  tn_cuda_graph *g = (tn_cuda_graph *)tiny_realloc(d->t, NULL, 0, sizeof *g);
  if (!g) return NULL;
  memset(g, 0, sizeof *g);
  g->hash = hash; g->n = n;
  return d->graph[oldest] = g;
}

static int tn_cuda_graph_room(tn_cuda *d, tn_cuda_graph *g, const tiny_launch *l) {
  const size_t nbytes = (size_t)g->n * sizeof *g->step;
  for (int i = 0; i < g->n; i++) g->nvalue += (size_t)tn_cuda_values(&l[i]);
  g->nvalue += !g->nvalue;
  g->step = (tn_cuda_step *)tiny_realloc(d->t, NULL, 0, nbytes);
  g->value = (uint64_t *)tiny_realloc(d->t, NULL, 0, g->nvalue * sizeof *g->value);
  if (g->step) memset(g->step, 0, nbytes);
  return g->step && g->value;
}
// The node of a launch behind the one before. Parameters are copied by the driver.
static int tn_cuda_graph_add(tn_cuda *d, tn_cuda_graph *g, int i, size_t value, const tn_cuda_call *c, int nvalue) {
  tn_cuda_step *s = &g->step[i];
  s->node = c->node;
  s->value = value; s->nvalue = nvalue;
  memcpy(g->value + value, c->value, (size_t)nvalue * sizeof *g->value);
  return d->cu.graph_kernel(&s->handle, g->graph, i ? &g->step[i - 1].handle : NULL, (size_t)(i > 0), &c->node);
}
static tiny_code tn_cuda_graph_make(tn_cuda *d, tn_cuda_graph *g, const tiny_launch *l) {
  tn_cuda_call c;
  size_t value = 0;
  int result = tn_cuda_graph_room(d, g, l) ? d->cu.graph_new(&g->graph, 0) : TN_CU_OUT_OF_MEMORY;
  for (int i = 0; i < g->n && !result; i++) {
    const tiny_code code = tn_cuda_call_of(d, &l[i], &c);
    if (code != TINY_OK) return code;
    const int nvalue = tn_cuda_values(&l[i]);
    memcpy(g->step[i].local, l[i].local, sizeof l[i].local);
    result = tn_cuda_graph_add(d, g, i, value, &c, nvalue);
    value += (size_t)nvalue;
  }
  if (!result) result = d->cu.graph_make(&g->exec, g->graph, 0);
  if (!result) return TINY_OK;
  g->exec = NULL;
  g->seen = -1;
  return tn_cuda_ends(result) ? tn_cuda_failed(d, result, "making a graph") : TINY_OK;
}
// Is it the graph of these launches, and not one whose hash is the same?
static int tn_cuda_graph_fits(const tn_cuda_graph *g, const tiny_launch *l) {
  for (int i = 0; i < g->n; i++) {
    const tn_cuda_step *s = &g->step[i];
    int same = s->node.func == ((const tn_cuda_kernel *)l[i].kernel)->func && s->nvalue == tn_cuda_values(&l[i]);
    same = same && s->node.shared == (unsigned)l[i].local_nbytes;
    for (int k = 0; k < 3 && same; k++)
      same = s->node.grid[k] == (unsigned)l[i].global[k] && s->local[k] == l[i].local[k];
    if (!same) return 0;
  }
  return 1;
}
// What has changed since the last time goes into its nodes; what the stream holds already stays as it was.
static tiny_code tn_cuda_graph_bind(tn_cuda *d, tn_cuda_graph *g, const tiny_launch *l) {
  tn_cuda_call c;
  for (int i = 0; i < g->n; i++) {
    tn_cuda_step *s = &g->step[i];
    const tiny_code code = tn_cuda_call_of(d, &l[i], &c);
    if (code != TINY_OK) return code;
    if (!memcmp(c.value, g->value + s->value, (size_t)s->nvalue * sizeof *c.value)) continue;
    const int result = d->cu.graph_set(g->exec, s->handle, &c.node);
    if (result) return tn_cuda_failed(d, result, "changing a graph");
    memcpy(g->value + s->value, c.value, (size_t)s->nvalue * sizeof *c.value);
  }
  return TINY_OK;
}

static int tn_cuda_graph_wanted(const tiny_launch *l, int n) {
  for (int i = 0; i < n; i++)
    if (l[i].stamp || !l[i].global[0] || !l[i].global[1] || !l[i].global[2]) return 0;
  return n >= TN_CUDA_GRAPH_LEAST;
}
static tiny_code tn_cuda_submit_some(tn_cuda *d, const tiny_launch *l, int n) {
  tn_cuda_graph *g = tn_cuda_graph_wanted(l, n) ? tn_cuda_graph_of(d, l, n) : NULL;
  tiny_code code = TINY_OK;
  if (g) g->last = d->given + 1;
  if (g && g->exec && !tn_cuda_graph_fits(g, l)) g = NULL;
  if (g && g->seen >= 0 && ++g->seen >= TN_CUDA_GRAPH_AFTER) {
    g->seen = TN_CUDA_GRAPH_AFTER;
    d->given++;
    code = g->exec ? tn_cuda_graph_bind(d, g, l) : tn_cuda_graph_make(d, g, l);
    if (code == TINY_OK && g->exec)
      return tn_cuda_check(d, d->cu.graph_launch(g->exec, d->stream), "launching a graph");
  }
  for (int i = 0; i < n && code == TINY_OK; i++) code = tn_cuda_launch_one(d, &l[i]);
  return code;
}
static tiny_code tn_cuda_submit(void *dev, const tiny_launch *l, int n) {
  tn_cuda *d = (tn_cuda *)dev;
  const tiny_code code = tn_cuda_enter(d, "launches");
  return code == TINY_OK ? tn_cuda_leave(d, tn_cuda_submit_some(d, l, n)) : code;
}
#endif
