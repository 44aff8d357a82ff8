// graph: launches that are handed over together.
#ifndef TN_KFD_GRAPH
#define TN_KFD_GRAPH
#ifndef TINY_AMALGAMATED
#include "launch.c"
#endif

static void tn_kfd_graphs_close(tn_kfd *d) { (void)d; }
static void tn_kfd_graphs_leave(tn_kfd *d, const tn_kfd_module *m) { (void)d; (void)m; }
static tiny_code tn_kfd_submit(void *dev, const tiny_launch *l, int n) {
  tn_kfd *d = (tn_kfd *)dev;
  const tiny_code code = tn_kfd_enter(d);
  return code == TINY_OK ? tn_kfd_launch_all(d, l, n) : code;
}
#endif
