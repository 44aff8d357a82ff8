// graph: launches that are handed over together again and again, as a list of commands (base/prepared.c).
//
// In:    the launches of a submit. Out: one submission of the list.
#ifndef TN_NV_GRAPH
#define TN_NV_GRAPH
#ifndef TINY_AMALGAMATED
#include "launch.c"
#endif

static const void *tn_nv_module_of(const void *kernel) { return ((const tn_nv_kernel *)kernel)->module; }
static tiny_code tn_nv_ready(void *user, const tiny_launch *l) {
  tn_nv *d = (tn_nv *)user;
  const tiny_code code = tn_nv_fits(d, l);
  return code == TINY_OK ? tn_nv_check(d, tn_nv_local_grow(d, ((const tn_nv_kernel *)l->kernel)->local)) : code;
}
static void tn_nv_prepared_write(void *user, const tiny_launch *l, char *args, uint64_t va) {
  tn_nv_write_launch((tn_nv *)user, l, args, va);
}
static void tn_nv_prepared_put(const tiny_launch *l, int i, uint64_t value, char *args) {
  const tn_nv_kernel *k = (const tn_nv_kernel *)l->kernel;
  tn_nv_put_param(k, args + TN_NV_QMD_ROOM, tn_nv_param_of(k, i, l->nmem), value);
}
static void tn_nv_prepared_bound(const tiny_launch *l, char *args) { tn_nv_set_maps(l, args + TN_NV_QMD_ROOM); }
// Words are written as those of a channel are.
static size_t tn_nv_prepared_command(void *user, const tiny_launch *l, int first, uint64_t args, uint32_t *at) {
  tn_nv_channel c;
  (void)l;
  memset(&c, 0, sizeof c);
  c.at = at;
  if (!first) tn_nv_one(&c, TN_NV_ON_COMPUTE, TN_NV_WAIT_FOR_IDLE, 0);
  tn_nv_send((tn_nv *)user, &c, args);
  return (size_t)(c.at - at);
}
static void *tn_nv_prepared_make(void *user, size_t nbytes, char **cpu, uint64_t *va) {
  tn_nv *d = (tn_nv *)user;
  tn_nv_memory *m = tn_nv_memory_make(d, nbytes, 1);
  if (!m) { tn_nv_failed(d); return NULL; }
  *cpu = m->cpu;
  *va = m->va;
  return m;
}
static void tn_nv_prepared_drop(void *user, void *memory) { tn_nv_memory_free((tn_nv *)user, (tn_nv_memory *)memory); }
static uint64_t tn_nv_prepared_done(void *user) { return tn_nv_done(&((tn_nv *)user)->channel[TN_NV_LAUNCHES]); }
static tiny_code tn_nv_prepared_wait(void *user, uint64_t number) {
  tn_nv *d = (tn_nv *)user;
  return d->lost ? TINY_E_DEVICE : tn_nv_check(d, tn_nv_wait_for(d, TN_NV_LAUNCHES, number));
}
static const tn_prepared_calls tn_nv_prepared_calls = {
  8, tn_nv_module_of, tn_nv_args_nbytes, tn_nv_value_of, tn_nv_ready, tn_nv_prepared_write, tn_nv_prepared_put,
  tn_nv_prepared_bound, tn_nv_prepared_command, tn_nv_prepared_make, tn_nv_prepared_drop, tn_nv_prepared_done,
  tn_nv_prepared_wait
};

static tiny_code tn_nv_graph_submit(tn_nv *d, tn_prepared_graph *g, const tiny_launch *l) {
  tiny_code code = tn_nv_check(d, tn_nv_room(d, TN_NV_LAUNCHES, TN_NV_LAUNCH_WORDS));
  tn_prepared_list *list = code == TINY_OK ? tn_prepared_list_of(&d->prepared, g, l) : NULL;
  if (!list) return code == TINY_OK ? tiny_status(d->t) : code;
  for (int i = 0; i < g->n; i++) tn_nv_use_all(d, &l[i]);
  tn_nv_begin_launches(d);
  code = tn_nv_check(d, tn_nv_submit_list(d, TN_NV_LAUNCHES, list->va + g->nbytes, list->nwords));
  list->busy = d->channel[TN_NV_LAUNCHES].given;
  return code;
}
static tiny_code tn_nv_submit(void *dev, const tiny_launch *l, int n) {
  tn_nv *d = (tn_nv *)dev;
  const tiny_code code = tn_nv_enter(d);
  if (code != TINY_OK) return code;
  tn_prepared_graph *g = tn_prepared_of(&d->prepared, l, n);
  return g ? tn_nv_graph_submit(d, g, l) : tn_nv_launch_all(d, l, n);
}
#endif
