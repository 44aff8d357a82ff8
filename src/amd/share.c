// share: memory that goes from one program or driver to another as a dma-buf; the host's pages, used in place.
//
// In:    a device; a size, a file, or pages. Out: blocks, as tiny_blob_of takes them, each in memory of its own; a
//        file.
// Holds: nothing else lies in such memory, and what is free of it is given back at once.
// What is what: Linux, drivers/gpu/drm/amd/amdgpu/amdgpu_amdkfd_gpuvm.c (export, import, user pointers).
#ifndef TN_KFD_SHARE
#define TN_KFD_SHARE
#ifndef TINY_AMALGAMATED
#include "memory.c"
#endif

static void *tn_kfd_share_failed(tn_kfd *d, tiny_code code, const char *says) {
  tiny_fail(d->t, code, "%s: %s", d->name, says);
  return NULL;
}
// The one block of this memory, which goes where code says so.
static void *tn_kfd_alone(tn_kfd *d, tn_kfd_memory *m, tiny_code code, const char *call) {
  if (code == TINY_OK) {
    tn_device_block *b = tn_device_block_alone(&d->blocks, m, m->va, m->nbytes);
    if (b) return b;
    tiny_fail(d->t, TINY_E_MEMORY, "%s: %s: no memory for what is known of it", d->name, call);
    return NULL;
  }
  tiny_fail(d->t, code, "%s: %s: %s", d->name, call, d->k.why);
  tn_kfd_memory_free(d, m);
  return NULL;
}

// ** out **

static tiny_code tn_kfd_clear(tn_kfd *d, uint64_t va, uint64_t nbytes) {
  const size_t most = nbytes < TN_KFD_STAGE ? (size_t)nbytes : (size_t)TN_KFD_STAGE;
  char *zeros = (char *)tiny_realloc(d->t, NULL, 0, most);
  tiny_code code = zeros ? TINY_OK : tn_kfd_wrong(&d->k, TINY_E_MEMORY, "no memory to clear memory with");
  if (zeros) memset(zeros, 0, most);
  for (uint64_t at = 0; at < nbytes && code == TINY_OK; at += most)
    code = tn_kfd_copy_in_at(d, va + at, zeros, nbytes - at < most ? (size_t)(nbytes - at) : most, 0);
  if (zeros) tiny_realloc(d->t, zeros, most, 0);
  return code == TINY_OK ? tn_kfd_wait_for(d, TN_KFD_IN, d->queue[TN_KFD_IN].given) : code;
}
static tiny_code tn_kfd_to_file(tn_kfd *d, const tn_kfd_memory *m, int *fd) {
  tn_kfd_export e = {m->handle, TN_DRIVER_OPEN, 0};
  const tiny_code code = tn_kfd_call(&d->k, TN_KFD_BOTH, TN_KFD_EXPORT, &e, sizeof e,
                                     "memory as a dma-buf (AMDKFD_IOC_EXPORT_DMABUF)");
  if (code == TINY_OK) *fd = (int)e.fd;
  return code;
}
TINY_API void *tiny_amd_share(void *dev, size_t nbytes, int *fd) {
  tn_kfd *d = (tn_kfd *)dev;
  *fd = -1;
  if (!d || tn_kfd_enter(d) != TINY_OK) return NULL;
  if (!nbytes) return tn_kfd_share_failed(d, TINY_E_ARG, "amd_share: there are no bytes");
  tn_kfd_memory *m = tn_kfd_memory_make(d, nbytes, 0);
  if (!m) return tn_kfd_share_failed(d, d->k.code, d->k.why);
  tiny_code code = tn_kfd_clear(d, m->va, m->nbytes);
  if (code == TINY_OK) code = tn_kfd_to_file(d, m, fd);
  void *const b = tn_kfd_alone(d, m, code, "amd_share");
  if (!b && *fd >= 0) { d->k.sys.close(d->k.sys.user, *fd); *fd = -1; }
  return b;
}

// ** in **

static tiny_code tn_kfd_from_file(tn_kfd *d, tn_kfd_memory *m, int fd) {
  tn_kfd_import i = {m->va, 0, d->node.gpu, (uint32_t)fd};
  const tiny_code code = tn_kfd_call(&d->k, TN_KFD_BOTH, TN_KFD_IMPORT, &i, sizeof i,
                                     "a dma-buf (AMDKFD_IOC_IMPORT_DMABUF)");
  if (code == TINY_OK) m->handle = i.handle;
  return code;
}
TINY_API void *tiny_amd_import(void *dev, int fd, size_t nbytes) {
  tn_kfd *d = (tn_kfd *)dev;
  if (!d || tn_kfd_enter(d) != TINY_OK) return NULL;
  if (!nbytes || fd < 0) return tn_kfd_share_failed(d, TINY_E_ARG, "amd_import: there are no bytes, or no file");
  tn_kfd_memory *m = tn_kfd_memory_new(d, tn_kfd_pages(nbytes));
  if (!m) return tn_kfd_share_failed(d, TINY_E_MEMORY, d->k.why);
  m->va = tn_kfd_pointer(tn_kfd_reserve(d, m->nbytes, tn_kfd_alignment(nbytes)));
  tiny_code code = m->va ? tn_kfd_from_file(d, m, fd) : d->k.code;
  if (code == TINY_OK) code = tn_kfd_map_for(d, m, d->node.gpu);
  return tn_kfd_alone(d, m, code, "amd_import");
}
TINY_API void *tiny_amd_wrap(void *dev, void *at, size_t nbytes) {
  tn_kfd *d = (tn_kfd *)dev;
  if (!d || tn_kfd_enter(d) != TINY_OK) return NULL;
  if (!nbytes || nbytes % TN_KFD_PAGE || tn_kfd_pointer(at) % TN_KFD_PAGE || !at)
    return tn_kfd_share_failed(d, TINY_E_ARG, "amd_wrap: there are no bytes, or they are no whole pages of 4096");
  tn_kfd_memory *m = tn_kfd_memory_new(d, nbytes);
  if (!m) return tn_kfd_share_failed(d, TINY_E_MEMORY, d->k.why);
  uint64_t offset = tn_kfd_pointer(at);
  m->va = offset;
  m->borrowed = 1;
  tiny_code code = tn_kfd_memory_alloc(d, m, TN_KFD_USERPTR | TN_KFD_COHERENT | TN_KFD_UNCACHED | TN_KFD_PUBLIC,
                                       &offset);
  if (code == TINY_OK) code = tn_kfd_map_for(d, m, d->node.gpu);
  return tn_kfd_alone(d, m, code, "amd_wrap");
}
TINY_API void tiny_amd_release(void *dev, void *mem) {
  tn_kfd *d = (tn_kfd *)dev;
  if (!mem) return;
  if (!d->lost) tn_kfd_wait_all(d);
  tn_device_region_close(&d->blocks, ((tn_device_block *)mem)->region);
}
#endif
