// launch: kernels, their arguments, and barriers between those that touch the same memory.
//
// In:    what struct tiny_launch says. Out: dispatches in a concurrent encoder.
// Holds: memory of PARAM k is buffer k, ARG k is bytes of buffer 30 - k (render/lang_metal.c). A launch comes behind a
//        barrier where one since the last barrier writes memory that it touches, or touches what it writes. Memory is
//        told apart by where it begins: how much of it a kernel touches is not known here. Between encoders, and
//        command buffers of a queue, Metal itself orders what touches the same memory.
#ifndef TN_METAL_LAUNCH
#define TN_METAL_LAUNCH
#ifndef TINY_AMALGAMATED
#include "program.m"
#endif

// ** does it fit? **

static tiny_code tn_metal_fits(const tn_metal *d, const tiny_launch *l) {
  const tn_metal_kernel *k = (const tn_metal_kernel *)l->kernel;
  const int64_t items = l->local[0] * l->local[1] * l->local[2];
  for (int i = 0; i < 3; i++)
    if (l->global[i] > INT32_MAX || l->local[i] > d->items[i])
      return tiny_fail(d->t, TINY_E_DEVICE, "%s: %s: dim %d has %lld groups of %lld items; this GPU takes %d of %d",
                       d->name, k->name, i, (long long)l->global[i], (long long)l->local[i], INT32_MAX, d->items[i]);
  if (items > k->items)
    return tiny_fail(d->t, TINY_E_DEVICE, "%s: %s: groups of %lld items, but its registers allow %d "
                     "(maxTotalThreadsPerThreadgroup)", d->name, k->name, (long long)items, k->items);
  if (k->parameters && k->parameters != l->nmem)
    return tiny_fail(d->t, TINY_E_ARG, "kernel: %s has %d parameters, but there are an output and %d inputs", k->name,
                     k->parameters, l->nmem - 1);
  if (l->nmem + l->nargs > TN_METAL_BUFFERS)
    return tiny_fail(d->t, TINY_E_DEVICE, "%s: %s: %d parameters, but a kernel has up to %d: compute some of its "
                     "inputs before it (tiny_contiguous)", d->name, k->name, l->nmem + l->nargs, TN_METAL_BUFFERS);
  return TINY_OK;
}

// ** what touches what **

static int tn_metal_writes_mem(const tiny_launch *l, int i) {
  return (int)(((const tn_metal_kernel *)l->kernel)->writes >> i & 1);
}
// Does the launch have to wait for one of those that are kept?
static int tn_metal_conflicts(const tn_metal_touched *touched, int n, const tiny_launch *l) {
  for (int i = 0; i < l->nmem; i++)
    for (int k = 0; k < n; k++)
      if (touched[k].base == l->mem[i].base && (touched[k].written || tn_metal_writes_mem(l, i))) return 1;
  return 0;
}
static int tn_metal_touch(tn_metal_touched *touched, int n, const tiny_launch *l) {
  for (int i = 0; i < l->nmem; i++) {
    int k = 0;
    while (k < n && touched[k].base != l->mem[i].base) k++;
    if (k == n) { touched[n].base = l->mem[i].base; touched[n++].written = 0; }
    touched[k].written |= tn_metal_writes_mem(l, i);
  }
  return n;
}
// 1: a barrier comes before the launch, which is kept then.
static int tn_metal_order(tn_metal_touched *touched, int *n, const tiny_launch *l) {
  const int barrier = *n + l->nmem > TN_METAL_TOUCHED || tn_metal_conflicts(touched, *n, l);
  *n = tn_metal_touch(touched, barrier ? 0 : *n, l);
  return barrier;
}

// ** dispatches **

static void tn_metal_arguments(tn_metal *d, const tiny_launch *l) {
  for (int i = 0; i < l->nmem; i++)
    [d->compute setBuffer:tn_metal_buffer(l->mem[i].base) offset:l->mem[i].offset atIndex:(NSUInteger)i];
  for (int i = 0; i < l->nargs; i++)
    [d->compute setBytes:&l->args[i] length:sizeof l->args[i] atIndex:(NSUInteger)(TN_METAL_BUFFERS - 1 - i)];
}
static MTLSize tn_metal_size(const int64_t v[3]) {
  return MTLSizeMake((NSUInteger)v[0], (NSUInteger)v[1], (NSUInteger)v[2]);
}
static tiny_code tn_metal_dispatch(tn_metal *d, const tiny_launch *l) {
  const tn_metal_kernel *k = (const tn_metal_kernel *)l->kernel;
  tiny_code code = tn_metal_compute(d);
  for (int i = 0; i < l->nmem && code == TINY_OK; i++) code = tn_metal_use(d, l->mem[i]);
  if (code != TINY_OK) return code;
  if (tn_metal_order(d->touched, &d->ntouched, l)) [d->compute memoryBarrierWithScope:MTLBarrierScopeBuffers];
  if (d->pipeline != k) [d->compute setComputePipelineState:k->pipeline];
  d->pipeline = k;
  tn_metal_arguments(d, l);
  [d->compute dispatchThreadgroups:tn_metal_size(l->global) threadsPerThreadgroup:tn_metal_size(l->local)];
  d->ndispatch++;
  return TINY_OK;
}
// One whose time is wanted is alone in its command buffer, which has a time; the host's has that of others, too.
static tiny_code tn_metal_dispatch_timed(tn_metal *d, const tiny_launch *l) {
  tiny_code code = tn_metal_commit(d);
  if (code == TINY_OK) code = tn_metal_dispatch(d, l);
  if (code != TINY_OK) return code;
  tn_metal_slot_of(d, d->number)->stamp = l->stamp;
  return tn_metal_commit(d);
}
static tiny_code tn_metal_launch_one(tn_metal *d, const tiny_launch *l) {
  for (int i = 0; i < 3; i++) if (l->global[i] < 1) return TINY_OK;
  const tiny_code code = tn_metal_fits(d, l);
  if (code != TINY_OK) return code;
  return l->stamp && !tn_metal_hosts_pending(d) ? tn_metal_dispatch_timed(d, l) : tn_metal_dispatch(d, l);
}
static tiny_code tn_metal_launch_all(tn_metal *d, const tiny_launch *l, int n) {
  tiny_code code = d->lost ? tn_metal_lost(d) : TINY_OK;
  for (int i = 0; i < n && code == TINY_OK; i++) code = tn_metal_launch_one(d, &l[i]);
  const tiny_code given = tn_metal_given(d);
  return code == TINY_OK ? given : code;
}
static tiny_code tn_metal_launch(void *dev, const tiny_launch *l) {
  tiny_code code;
  TN_POOL code = tn_metal_launch_all((tn_metal *)dev, l, 1); TN_POOL_END
  return code;
}
#endif
