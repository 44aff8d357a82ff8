// share: memory that goes from one program or driver to another as a file.
//
// In:    a device; a size, or a file. Out: blocks, as tiny_blob_of takes them, each in memory of its own; a file.
// Holds: nothing else lies in such memory, and what is free of it is given back at once.
// What is what: NVIDIA/open-gpu-kernel-modules, ctrl0000unix.h (a file of nvidiactl stands for an object once it was
// exported to); nvkms-surface.c (of files that are none of NVIDIA's: class NV01_MEMORY_SYSTEM_OS_DESCRIPTOR, descriptor
// OS_FILE_HANDLE, which takes a dma-buf).
#ifndef TN_NV_SHARE_ROOM
#define TN_NV_SHARE_ROOM
#ifndef TINY_AMALGAMATED
#include "memory.c"
#endif

static tn_device_block *tn_nv_block_alone(tn_nv *d, tn_nv_memory *m) {
  return tn_device_block_alone(&d->blocks, m, m->va, m->nbytes);
}
static void *tn_nv_share_failed(tn_nv *d, tiny_code code, const char *says) {
  tiny_fail(d->t, code, "%s: %s", d->name, says);
  return NULL;
}

// ** out **

static tiny_code tn_nv_to_file(tn_nv *d, uint32_t object, int *fd) {
  tn_nv_to_file_params p;
  memset(&p, 0, sizeof p);
  p.fd = tn_nv_file(&d->rm, -1);
  if (p.fd < 0) return d->rm.code;
  p.of.type = 1; p.of.device = p.of.parent = d->device; p.of.object = object;
  const tiny_code code = tn_nv_control(&d->rm, d->rm.root, TN_NV_TO_FILE, &p, sizeof p,
                                       "memory as a file (EXPORT_OBJECT_TO_FD)");
  if (code == TINY_OK) *fd = p.fd;
  else d->rm.sys.close(d->rm.sys.user, p.fd);
  return code;
}
static tiny_code tn_nv_clear(tn_nv *d, const tn_device_block *b) {
  const size_t most = b->nbytes < TN_NV_STAGE ? (size_t)b->nbytes : (size_t)TN_NV_STAGE;
  char *zeros = (char *)tiny_realloc(d->t, NULL, 0, most);
  tiny_code code = zeros ? TINY_OK : tn_nv_wrong(&d->rm, TINY_E_MEMORY, "no memory to clear memory with");
  if (zeros) memset(zeros, 0, most);
  for (uint64_t at = 0; at < b->nbytes && code == TINY_OK; at += most)
    code = tn_nv_copy_in_at(d, b->va + at, zeros, b->nbytes - at < most ? (size_t)(b->nbytes - at) : most, b->used);
  if (zeros) tiny_realloc(d->t, zeros, most, 0);
  return code == TINY_OK ? tn_nv_wait_for(d, TN_NV_IN, d->channel[TN_NV_IN].given) : code;
}
TINY_API void *tiny_nv_share(void *dev, size_t nbytes, int *fd) {
  tn_nv *d = (tn_nv *)dev;
  *fd = -1;
  if (!d || tn_nv_enter(d) != TINY_OK) return NULL;
  if (!nbytes) return tn_nv_share_failed(d, TINY_E_ARG, "nv_share: there are no bytes");
  tn_nv_memory *m = tn_nv_memory_make(d, nbytes, 0);
  if (!m) return tn_nv_share_failed(d, d->rm.code, d->rm.why);
  tn_device_block *b = tn_nv_block_alone(d, m);
  if (!b) return tn_nv_share_failed(d, TINY_E_MEMORY, "nv_share: no memory for what is known of it");
  tiny_code code = tn_nv_clear(d, b);
  if (code == TINY_OK) code = tn_nv_to_file(d, m->handle, fd);
  if (code == TINY_OK) return b;
  tn_nv_share_failed(d, code, d->rm.why);
  tiny_nv_release(d, b);
  return NULL;
}

// ** in **

static tiny_code tn_nv_from_file(tn_nv *d, int fd, uint32_t *object) {
  tn_nv_from_file_params p;
  memset(&p, 0, sizeof p);
  p.fd = fd;
  p.of.type = 1; p.of.device = p.of.parent = d->device;    // the driver chooses the handle
  const tiny_code code = tn_nv_control(&d->rm, d->rm.root, TN_NV_FROM_FILE, &p, sizeof p, "IMPORT_OBJECT_FROM_FD");
  *object = p.of.object;
  return code;
}
static tiny_code tn_nv_from_dmabuf(tn_nv *d, int fd, uint64_t nbytes, uint32_t *object) {
  enum { WRITE_BACK = 5 };
  tn_nv_os_memory_params p;
  memset(&p, 0, sizeof p);
  p.flags = TN_NV_MEMORY_FLAGS & 0x8000;   // MAP_NOT_REQUIRED
  p.attr = (uint32_t)TN_NV_ATTR_SYSTEM | (uint32_t)WRITE_BACK << 29;
  p.attr2 = TN_NV_ATTR2_UNCACHED;
  p.descriptor = (uint64_t)fd; p.limit = nbytes - 1; p.kind = TN_NV_OS_FILE_HANDLE;
  return tn_nv_make(&d->rm, d->device, TN_NV_OS_MEMORY, &p, sizeof p, "NV01_MEMORY_SYSTEM_OS_DESCRIPTOR", object);
}
static tiny_code tn_nv_import_map(tn_nv *d, tn_nv_memory *m) {
  const tn_nv_handle own = {d->rm.control, d->rm.root, m->handle};
  m->va = tn_nv_high(d, m->nbytes, 2u << 20);
  if (!m->va) return tn_nv_wrong(&d->rm, TINY_E_MEMORY, "no addresses are left");
  tiny_code code = tn_nv_uvm_range(&d->rm, m->va, m->nbytes);
  if (code != TINY_OK) return code;
  code = tn_nv_uvm_map(&d->rm, d->uuid, m->va, m->nbytes, own, TN_UVM_READ_WRITE_ATOMIC);
  if (code != TINY_OK) tn_nv_uvm_free(&d->rm, m->va, m->nbytes);
  return code;
}
// The handle, and the bytes of whole pages.
static tiny_code tn_nv_import_object(tn_nv *d, tn_nv_memory *m, int fd, size_t nbytes) {
  char first[sizeof d->rm.why], second[sizeof d->rm.why];
  m->nbytes = tn_nv_pages(nbytes, 0);
  if (tn_nv_from_file(d, fd, &m->handle) == TINY_OK) return TINY_OK;
  memcpy(first, d->rm.why, sizeof first);
  m->nbytes = tn_nv_pages(nbytes, 1);
  if (tn_nv_from_dmabuf(d, fd, m->nbytes, &m->handle) == TINY_OK) return TINY_OK;
  memcpy(second, d->rm.why, sizeof second);
  return tn_nv_wrong(&d->rm, TINY_E_DEVICE, "nv_import: the driver takes file %d neither as NVIDIA's (%.120s) nor as a "
                     "dma-buf (%.120s)", fd, first, second);
}
TINY_API void *tiny_nv_import(void *dev, int fd, size_t nbytes) {
  tn_nv *d = (tn_nv *)dev;
  if (!d || tn_nv_enter(d) != TINY_OK) return NULL;
  if (!nbytes || fd < 0) return tn_nv_share_failed(d, TINY_E_ARG, "nv_import: there are no bytes, or no file");
  tn_nv_memory *m = (tn_nv_memory *)tiny_realloc(d->t, NULL, 0, sizeof *m);
  if (!m) return tn_nv_share_failed(d, TINY_E_MEMORY, "nv_import: no memory for what is known of it");
  memset(m, 0, sizeof *m);
  tiny_code code = tn_nv_import_object(d, m, fd, nbytes);
  const int made = code == TINY_OK;
  if (made) code = tn_nv_import_map(d, m);
  if (code == TINY_OK) {
    m->next = d->memory;
    d->memory = m;
    tn_device_block *b = tn_nv_block_alone(d, m);
    return b ? b : tn_nv_share_failed(d, TINY_E_MEMORY, "nv_import: no memory for what is known of it");
  }
  tn_nv_share_failed(d, code, d->rm.why);
  if (made) tn_nv_drop(&d->rm, d->device, m->handle);
  tiny_realloc(d->t, m, sizeof *m, 0);
  return NULL;
}
TINY_API void tiny_nv_release(void *dev, void *mem) {
  tn_nv *d = (tn_nv *)dev;
  tn_device_region *const r = mem ? ((tn_device_block *)mem)->region : NULL;
  if (!r) return;
  if (!d->lost) tn_nv_wait_all(d);
  tn_device_region_close(&d->blocks, r);
}
#endif
