// graph: launches that are handed over together again and again, as packets that were prepared (base/prepared.c).
//
// In:    the launches of a submit. Out: one submission: of PM4 a packet that names the list; of AQL its packets.
// Holds: where scratch lies stands in the packets of PM4: when it moves, all lists go.
#ifndef TN_KFD_GRAPH
#define TN_KFD_GRAPH
#ifndef TINY_AMALGAMATED
#include "launch.c"
#endif

static const void *tn_kfd_module_of(const void *kernel) { return ((const tn_kfd_kernel *)kernel)->module; }
static tiny_code tn_kfd_ready(void *user, const tiny_launch *l) { return tn_kfd_fits((tn_kfd *)user, l); }
static void tn_kfd_prepared_write(void *user, const tiny_launch *l, char *args, uint64_t va) {
  (void)user;
  tn_kfd_write_args(l, args, va);
}
static void tn_kfd_prepared_put(const tiny_launch *l, int i, uint64_t value, char *args) {
  tn_kfd_put_param((const tn_kfd_kernel *)l->kernel, args, i, l->nmem, value);
}
static size_t tn_kfd_prepared_command(void *user, const tiny_launch *l, int first, uint64_t args, uint32_t *at) {
  const tn_kfd *d = (const tn_kfd *)user;
  tn_kfd_words w;
  w.n = 0;
  tn_kfd_launch_words(d, l, args, -1, first, &w);
  memcpy(at, w.at, (size_t)w.n * 4);
  return (size_t)w.n;
}
static void *tn_kfd_prepared_make(void *user, size_t nbytes, char **cpu, uint64_t *va) {
  tn_kfd *d = (tn_kfd *)user;
  tn_kfd_memory *m = tn_kfd_memory_make(d, nbytes, 1);
  if (!m) { tn_kfd_failed(d); return NULL; }
  *cpu = m->cpu;
  *va = m->va;
  return m;
}
static void tn_kfd_prepared_drop(void *user, void *memory) {
  tn_kfd_memory_free((tn_kfd *)user, (tn_kfd_memory *)memory);
}
static uint64_t tn_kfd_prepared_done(void *user) { return tn_kfd_done(&((tn_kfd *)user)->queue[TN_KFD_COMPUTE]); }
static tiny_code tn_kfd_prepared_wait(void *user, uint64_t number) {
  tn_kfd *d = (tn_kfd *)user;
  return d->lost ? TINY_E_DEVICE : tn_kfd_check(d, tn_kfd_wait_for(d, TN_KFD_COMPUTE, number));
}
static const tn_prepared_calls tn_kfd_prepared_calls = {
  TN_KFD_LAUNCH_WORDS, tn_kfd_module_of, tn_kfd_args_nbytes, tn_kfd_value_of, tn_kfd_ready, tn_kfd_prepared_write,
  tn_kfd_prepared_put, NULL, tn_kfd_prepared_command, tn_kfd_prepared_make, tn_kfd_prepared_drop, tn_kfd_prepared_done,
  tn_kfd_prepared_wait
};

// Packets of AQL go into the ring themselves: its firmware reads no list of them.
static tiny_code tn_kfd_push_list(tn_kfd *d, const tn_prepared_graph *g, const tn_prepared_list *list) {
  const char *const at = list->cpu + g->nbytes;
  tn_kfd_queue *q = &d->queue[TN_KFD_COMPUTE];
  tiny_code code = TINY_OK;
  tn_kfd_words w;
  w.n = 0;
  if (!tn_kfd_is_aql(q)) {
    code = tn_kfd_room(d, TN_KFD_COMPUTE, TN_KFD_LAUNCH_WORDS);
    tn_pm4_list(&w, list->va + g->nbytes, list->nwords);
    if (code == TINY_OK) tn_kfd_push(q, &w);
    return code;
  }
  for (size_t i = 0; i < list->nwords && code == TINY_OK; i += 16) {
    code = tn_kfd_room(d, TN_KFD_COMPUTE, 16);
    w.n = 0;
    tn_kfd_struct(&w, at + i * 4, 64);
    if (code == TINY_OK) tn_kfd_push(q, &w);
  }
  return code;
}
static tiny_code tn_kfd_graph_submit(tn_kfd *d, tn_prepared_graph *g, const tiny_launch *l) {
  tn_prepared_list *list = tn_prepared_list_of(&d->prepared, g, l);
  if (!list) return tiny_status(d->t);
  for (int i = 0; i < g->n; i++) tn_kfd_use_all(d, &l[i]);
  tiny_code code = tn_kfd_begin_launches(d);
  if (code == TINY_OK) code = tn_kfd_push_list(d, g, list);
  if (code == TINY_OK) code = tn_kfd_submit_words(d, TN_KFD_COMPUTE);
  list->busy = d->queue[TN_KFD_COMPUTE].given;
  return tn_kfd_check(d, code);
}
static tiny_code tn_kfd_submit(void *dev, const tiny_launch *l, int n) {
  tn_kfd *d = (tn_kfd *)dev;
  tiny_code code = tn_kfd_enter(d);
  for (int i = 0; i < n && code == TINY_OK; i++)           // before a list is looked for, which would go
    code = tn_kfd_check(d, tn_kfd_scratch_grow(d, ((const tn_kfd_kernel *)l[i].kernel)->is.scratch));
  if (code != TINY_OK) return code;
  tn_prepared_graph *g = tn_prepared_of(&d->prepared, l, n);
  return g ? tn_kfd_graph_submit(d, g, l) : tn_kfd_launch_all(d, l, n);
}
#endif
