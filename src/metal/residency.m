// residency: memory that the system is to keep where the GPU reaches it, from macOS 15 and iOS 18 on.
//
// In:    memory that is taken and given back. Out: a set of the queue's, brought up to date before work is committed.
// Holds: older systems, and SDKs, have no such sets: there each command buffer tells what it uses.
#ifndef TN_METAL_RESIDENCY
#define TN_METAL_RESIDENCY
#ifndef TINY_AMALGAMATED
#include "device.m"
#endif

#ifdef TN_METAL_SDK_15
// Where the system makes none, it keeps what is used without one.
static void tn_metal_residency_open(tn_metal *d) {
  if (TN_SINCE(15.0, 18.0, d->gpu, "newResidencySetWithDescriptor:error:")) {
    MTLResidencySetDescriptor *const as = [[MTLResidencySetDescriptor alloc] init];
    id<MTLResidencySet> set = TN_NEW(id<MTLResidencySet>, [d->gpu newResidencySetWithDescriptor:as error:NULL]);
    d->residency = set;
    if (set) [d->queue addResidencySet:set];
#ifndef TN_METAL_ARC
    [as release];
#endif
  }
}
static void tn_metal_residency_add(tn_metal *d, id<MTLBuffer> memory) {
  if (TN_SINCE(15.0, 18.0, d->gpu, "newResidencySetWithDescriptor:error:")) {
    if (!d->residency) return;
    [(id<MTLResidencySet>)d->residency addAllocation:memory];
    d->residency_changed = 1;
  }
}
static void tn_metal_residency_remove(tn_metal *d, id<MTLBuffer> memory) {
  if (TN_SINCE(15.0, 18.0, d->gpu, "newResidencySetWithDescriptor:error:")) {
    if (!d->residency) return;
    [(id<MTLResidencySet>)d->residency removeAllocation:memory];
    d->residency_changed = 1;
  }
}
static void tn_metal_residency_commit(tn_metal *d) {
  if (TN_SINCE(15.0, 18.0, d->gpu, "newResidencySetWithDescriptor:error:")) {
    if (!d->residency_changed) return;
    [(id<MTLResidencySet>)d->residency commit];
    d->residency_changed = 0;
  }
}
static void tn_metal_residency_close(tn_metal *d) {
  if (TN_SINCE(15.0, 18.0, d->gpu, "newResidencySetWithDescriptor:error:")) {
    if (!d->residency) return;
    [d->queue removeResidencySet:(id<MTLResidencySet>)d->residency];
    TN_DROP(d->residency);
    d->residency = nil;
  }
}
#else
static void tn_metal_residency_open(tn_metal *d) { (void)d; }
static void tn_metal_residency_add(tn_metal *d, id<MTLBuffer> memory) { (void)d; (void)memory; }
static void tn_metal_residency_remove(tn_metal *d, id<MTLBuffer> memory) { (void)d; (void)memory; }
static void tn_metal_residency_commit(tn_metal *d) { (void)d; }
static void tn_metal_residency_close(tn_metal *d) { (void)d; }
#endif
#endif
