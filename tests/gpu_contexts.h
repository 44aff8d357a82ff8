// gpu_contexts: tests that run what a GPU's schedules make, on what stands in the place of INTERP.
#ifndef GPU_CONTEXTS_H
#define GPU_CONTEXTS_H

#include "../bench/gpu.h"

// A context with INTERP, or what stands in its place, as if it were a GPU without matrix units; NULL: as it is.
static tiny_ctx *open_as(const char *gpu, int atomics) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "INTERP"; d.cache_dir = ""; d.atomics = atomics;
  tiny_ctx *t = tiny_open(&d);
  if (!gpu || tiny_status(t)) return t;
  struct tn_device *on = t->device[0];
  const tiny_limits own = on->limits;
  tn_gpu_limits(gpu, &on->limits);
  on->limits.host_memory = own.host_memory; on->limits.atomics = own.atomics; on->limits.nunits = 0;
  if (on->backend->renderer && own.local_total < on->limits.local_total) {        // what stands in the place is smaller
    on->limits.local_total = own.local_total; on->limits.shared_nbytes = own.shared_nbytes;
    memcpy(on->limits.local_max, own.local_max, sizeof own.local_max);
  }
  on->limits.dtypes = own.dtypes;
  on->plans = on->limits;
  return t;
}
static size_t read_all(tiny_tensor *x, void *to, size_t most) {
  const size_t nbytes = (size_t)tiny_nelem_of(x) * tiny_dtype_nbytes(tiny_dtype_of(x));
  CHECK(nbytes <= most && tiny_read(x, to, nbytes) == TINY_OK);
  return nbytes;
}
#endif
