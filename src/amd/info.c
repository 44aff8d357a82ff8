// info: what the driver tells of its GPUs, without a context of the library's.
//
// In:    a system, or NULL. Out: a row for each GPU. Nothing is left open.
#ifndef TN_KFD_INFO
#define TN_KFD_INFO
#ifndef TINY_AMALGAMATED
#include "device.c"
#endif

static void tn_kfd_tell(tn_kfd_driver *k, const tn_kfd_node *n, tiny_amd_gpu *out) {
  tn_kfd_available a = {0, n->gpu, 0};
  char path[40];
  snprintf(out->name, sizeof out->name, "%.63s", n->name);
  snprintf(out->target, sizeof out->target, "gfx%u%u%x", (unsigned)(n->version / 10000 % 1000),
           (unsigned)(n->version / 100 % 100), (unsigned)(n->version % 100));
  out->node = n->number; out->minor = (int)n->minor;
  out->units = (int)tn_kfd_units(n); out->dies = (int)n->dies; out->waves = (int)n->waves;
  out->shared_nbytes = (size_t)n->shared_kib << 10; out->nbytes = n->nbytes;
  out->version[0] = (int)k->version.major; out->version[1] = (int)k->version.minor;
  snprintf(path, sizeof path, "/dev/dri/renderD%u", (unsigned)n->minor);
  const int file = k->sys.open(k->sys.user, path, TN_DRIVER_OPEN);
  if (file >= 0) k->sys.close(k->sys.user, file);
  if (tn_kfd_errno(k, file, path) != TINY_OK || tn_kfd_known(k, n) != TINY_OK)
    snprintf(out->error, sizeof out->error, "%s", k->why);
  if (tn_kfd_ask(k, TN_KFD_BOTH, TN_KFD_AVAILABLE, &a, sizeof a) >= 0) out->free_nbytes = a.nbytes;      // KFD 1.9
}
TINY_API int tiny_amd_gpus(const tiny_amd_system *system, tiny_amd_gpu *out, int n) {
  tn_kfd_driver k;
  tn_kfd_node nodes[TN_KFD_GPUS];
  if (n > 0) memset(out, 0, (size_t)n * sizeof *out);
  const tiny_code code = tn_kfd_driver_open(&k, system);
  const int found = code == TINY_OK ? tn_kfd_nodes(&k, nodes, TN_KFD_GPUS) : 0;
  if (code == TINY_OK && !found)
    tn_kfd_wrong(&k, TINY_E_DEVICE, "the driver (KFD %u.%u) finds no GPU that computes", (unsigned)k.version.major,
                 (unsigned)k.version.minor);
  for (int i = 0; i < found && i < n && i < TN_KFD_GPUS; i++) tn_kfd_tell(&k, &nodes[i], &out[i]);
  if (!found && n > 0) snprintf(out->error, sizeof out->error, "%s", k.why);
  tn_kfd_driver_close(&k);
  return found;
}
#endif
