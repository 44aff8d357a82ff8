// nv_mock_uvm.c: /dev/nvidia-uvm: which GPU has which memory where. Requests carry no size, so that a structure of
// another branch is read as this one's (uvm_ioctl.h). An address that no mapping has is no memory to the GPU.
#include "nv_mock_state.h"

static void nvm_uuid(int gpu, uint8_t uuid[16]) {
  for (int i = 0; i < 16; i++) uuid[i] = (uint8_t)(0x47 * (i + 1) ^ gpu);
}

static int nvm_gpu_of(nv_mock *m, const uint8_t *uuid) {
  for (int i = 0; i < m->desc.ngpu; i++) {
    uint8_t own[16];
    nvm_uuid(i, own);
    if (!memcmp(uuid, own, 16)) return i;
  }
  return -1;
}

static nvm_uvm *nvm_uvm_of(nv_mock *m, const nvm_channel *c) {
  for (int i = 0; i < m->nfile; i++) {
    nvm_uvm *u = m->files[i].uvm;
    nvm_object *space = u ? u->vaspace[c->object->gpu] : NULL;
    if (space && space->client == c->object->client && space->handle == c->object->vaspace) return u;
  }
  return NULL;
}

static uint8_t *nvm_at(nv_mock *m, const nvm_channel *c, uint64_t address, uint64_t n, int writes) {
  nvm_hit *h = &m->hit;
  if (h->channel == c && address >= h->base && address - h->base <= h->nbytes && n <= h->nbytes - (address - h->base) &&
      !(writes && h->is_constant))
    return h->bytes + (address - h->base);
  const nvm_uvm *u = nvm_uvm_of(m, c);
  if (!u || address + n < address) return NULL;
  for (int r = 0; r < u->nrange; r++)
    for (int i = 0; i < u->ranges[r].nmapping; i++) {
      const nvm_mapping *a = &u->ranges[r].mappings[i];
      if (a->gpu != c->object->gpu || address < a->base || address + n > a->base + a->nbytes) continue;
      if (writes && a->type == 3) return NULL;           // UvmGpuMappingTypeReadOnly (nv_uvm_types.h)
      *h = (nvm_hit){c, a->base, a->nbytes, a->memory->bytes + a->offset, a->type == 3};
      return h->bytes + (address - a->base);
    }
  return NULL;
}

static int nvm_overlaps(const nvm_uvm *u, uint64_t base, uint64_t n) {
  for (int r = 0; r < u->nrange; r++)
    if (base < u->ranges[r].base + u->ranges[r].nbytes && u->ranges[r].base < base + n) return 1;
  return 0;
}

static void nvm_range_free(nv_mock *m, nvm_uvm *u, int r) {
  for (int i = 0; i < u->ranges[r].nmapping; i++) nvm_memory_drop(m, u->ranges[r].mappings[i].memory);
  free(u->ranges[r].mappings);
  u->ranges[r] = u->ranges[--u->nrange];
}

static void nvm_uvm_close(nv_mock *m, nvm_file *f) {
  m->hit.channel = NULL;
  if (f->mm_of) {
    nvm_file *base = &m->files[f->mm_of - 1];
    if (base->uvm && base->uvm->nrange)
      nvm_wrong(m, 0, "close: the nvidia-uvm of UVM_MM_INITIALIZE, while the one it keeps alive has ranges");
  }
  for (int i = 0; i < m->nchannel; i++) if (m->channels[i]->uvm_file - 1 == f - m->files) m->channels[i]->uvm_file = 0;
  while (f->uvm->nrange) { nvm_range_free(m, f->uvm, 0); m->left_open++; }
  free(f->uvm->ranges);
  free(f->uvm);
}

// ---- calls; p: their parameters. The status.

static uint32_t nvm_uvm_initialize(nv_mock *m, nvm_file *f, uint8_t *p) {
  uint64_t flags = nvm_get64(p, 0);
  if (flags & ~(uint64_t)3)
    return nvm_wrong(m, NVM_BAD_ARGUMENT, "UVM_INITIALIZE: flags 0x%llx", (unsigned long long)flags);
  if (f->uvm->initialized) return nvm_wrong(m, NVM_BAD_STATE, "UVM_INITIALIZE: called twice");
  f->uvm->initialized = 1;
  return 0;
}

// gVisor shares an address space between processes, which has no memory to keep.
static uint32_t nvm_uvm_mm(nv_mock *m, nvm_file *f, uint8_t *p) {
  nvm_file *base = nvm_file_of(m, (int)nvm_get32(p, 0));
  if (!base || !base->uvm) return nvm_wrong(m, NVM_BAD_ARGUMENT, "UVM_MM_INITIALIZE: uvmFd is no open nvidia-uvm");
  if (base == f) return nvm_wrong(m, NVM_BAD_ARGUMENT, "UVM_MM_INITIALIZE: on its own uvmFd");
  if (!base->uvm->initialized)
    return nvm_wrong(m, NVM_BAD_STATE, "UVM_MM_INITIALIZE: UVM_INITIALIZE was not called on uvmFd");
  base->uvm->has_mm = 1;
  if (m->desc.gvisor) return NVM_NOTHING_TO_DO;
  f->mm_of = (int)(base - m->files) + 1;
  return 0;
}

static uint32_t nvm_uvm_register_gpu(nv_mock *m, nvm_file *f, uint8_t *p) {
  int gpu = nvm_gpu_of(m, p), fd = (int)nvm_get32(p, 0x18);
  if (gpu < 0) return nvm_wrong(m, NVM_BAD_DEVICE, "UVM_REGISTER_GPU: no GPU has that uuid");
  if (fd != -1 && !nvm_file_of(m, fd))
    return nvm_wrong(m, NVM_BAD_ARGUMENT, "UVM_REGISTER_GPU: rmCtrlFd %d is not open", fd);
  if (nvm_get32(p, 0x20)) return nvm_wrong(m, NVM_BAD_ARGUMENT, "UVM_REGISTER_GPU: hSmcPartRef without MIG");
  f->uvm->registered[gpu] = 1;
  for (int i = 0; m->desc.nvlink && i < NVM_MAX_GPUS; i++)   // uvm_va_space.c: register_gpu_nvlink_peers
    if (i != gpu && f->uvm->registered[i]) { f->uvm->peers[gpu] |= 1 << i; f->uvm->peers[i] |= 1 << gpu; }
  p[0x10] = 0;
  nvm_put32(p, 0x14, 0xffffffff);
  return 0;
}

static uint32_t nvm_uvm_register_vaspace(nv_mock *m, nvm_file *f, uint8_t *p) {
  int gpu = nvm_gpu_of(m, p);
  nvm_file *ctl = nvm_file_of(m, (int)nvm_get32(p, 0x10));
  nvm_object *o = nvm_find(m, nvm_get32(p, 0x14), nvm_get32(p, 0x18));
  if (!f->uvm->has_mm)
    return nvm_wrong(m, NVM_NO_PAGE_TABLE,
                     "UVM_REGISTER_GPU_VASPACE: UVM_MM_INITIALIZE was not called for this nvidia-uvm");
  if (gpu < 0 || !f->uvm->registered[gpu])
    return nvm_wrong(m, NVM_BAD_DEVICE, "UVM_REGISTER_GPU_VASPACE: the GPU is not registered");
  if (!ctl || ctl->kind != NVM_FILE_CTL)
    return nvm_wrong(m, NVM_BAD_ARGUMENT, "UVM_REGISTER_GPU_VASPACE: rmCtrlFd is no nvidiactl");
  if (!o || o->class_ != NVM_VASPACE)
    return nvm_wrong(m, NVM_BAD_HANDLE, "UVM_REGISTER_GPU_VASPACE: hVaSpace is no VA space");
  if (!(o->flags & 8))
    return nvm_wrong(m, NVM_BAD_FLAGS, "UVM_REGISTER_GPU_VASPACE: hVaSpace is not IS_EXTERNALLY_OWNED");
  if (o->gpu != gpu) return nvm_wrong(m, NVM_BAD_DEVICE, "UVM_REGISTER_GPU_VASPACE: hVaSpace is of another GPU");
  if (f->uvm->vaspace[gpu]) return nvm_wrong(m, NVM_BAD_DEVICE, "UVM_REGISTER_GPU_VASPACE: the GPU has one already");
  f->uvm->vaspace[gpu] = o;
  return 0;
}

static uint32_t nvm_range_add(nv_mock *m, nvm_uvm *u, uint64_t base, uint64_t n, int channel, const char *what) {
  if ((base | n) & 0xfff || !n || !base)
    return nvm_wrong(m, NVM_BAD_ADDRESS, "%s: base 0x%llx, length 0x%llx: not of 4 KiB", what, (unsigned long long)base,
                     (unsigned long long)n);
  if (base + n < base || base + n > (uint64_t)1 << m->chip->address_bits)
    return nvm_wrong(m, NVM_BAD_ADDRESS, "%s: beyond the GPU's %d bits", what, m->chip->address_bits);
  if (nvm_overlaps(u, base, n))
    return nvm_wrong(m, NVM_ADDRESS_IN_USE, "%s: 0x%llx overlaps a range", what, (unsigned long long)base);
  u->ranges = nvm_more(u->ranges, u->nrange, sizeof *u->ranges);
  u->ranges[u->nrange++] = (nvm_range){base, n, channel, NULL, 0};
  return 0;
}

static uint32_t nvm_uvm_create_range(nv_mock *m, nvm_file *f, uint8_t *p) {
  return nvm_range_add(m, f->uvm, nvm_get64(p, 0), nvm_get64(p, 8), 0, "UVM_CREATE_EXTERNAL_RANGE");
}

// The window has to end below what the copy engines and the host reach (uvm_ampere.c, uvm_hopper.c: max_channel_va).
static uint32_t nvm_uvm_register_channel(nv_mock *m, nvm_file *f, uint8_t *p) {
  int gpu = nvm_gpu_of(m, p);
  uint64_t base = nvm_get64(p, 0x20), n = nvm_get64(p, 0x28);
  nvm_object *o = nvm_find(m, nvm_get32(p, 0x14), nvm_get32(p, 0x18));
  if (gpu < 0 || !f->uvm->vaspace[gpu])
    return nvm_wrong(m, NVM_BAD_DEVICE, "UVM_REGISTER_CHANNEL: the GPU has no VA space here");
  if (!o || !o->channel) return nvm_wrong(m, NVM_BAD_HANDLE, "UVM_REGISTER_CHANNEL: hChannel is no channel");
  if (nvm_uvm_of(m, o->channel) != f->uvm)
    return nvm_wrong(m, NVM_BAD_CHANNEL, "UVM_REGISTER_CHANNEL: the channel is of another VA space");
  if (o->channel->uvm_file)
    return nvm_wrong(m, NVM_BAD_CHANNEL, "UVM_REGISTER_CHANNEL: the channel is registered already");
  if (base + n > (uint64_t)1 << (m->chip->sm < 90 ? 40 : 57))
    return nvm_wrong(m, NVM_OUT_OF_RANGE, "UVM_REGISTER_CHANNEL: base 0x%llx is out of a channel's reach",
                     (unsigned long long)base);
  uint32_t status = nvm_range_add(m, f->uvm, base, n, (int)o->channel->token + 1, "UVM_REGISTER_CHANNEL");
  if (!status) o->channel->uvm_file = (int)(f - m->files) + 1;
  return status;
}

static void nvm_channel_range_free(nv_mock *m, nvm_channel *c) {
  nvm_uvm *u = c->uvm_file ? m->files[c->uvm_file - 1].uvm : NULL;
  for (int r = 0; u && r < u->nrange; r++)
    if (u->ranges[r].channel == (int)c->token + 1) { nvm_range_free(m, u, r); break; }
  c->uvm_file = 0;
}

static uint32_t nvm_uvm_unregister_channel(nv_mock *m, nvm_file *f, uint8_t *p) {
  size_t at = m->desc.branch < 590 ? 16 : 0;
  nvm_object *o = nvm_find(m, nvm_get32(p, at), nvm_get32(p, at + 4));
  if (!o || !o->channel || o->channel->uvm_file - 1 != f - m->files)
    return nvm_wrong(m, NVM_BAD_CHANNEL, "UVM_UNREGISTER_CHANNEL: hChannel is not registered");
  nvm_channel_range_free(m, o->channel);
  return 0;
}

static nvm_range *nvm_range_at(nvm_uvm *u, uint64_t base, uint64_t n) {
  for (int r = 0; r < u->nrange; r++)
    if (base >= u->ranges[r].base && base + n <= u->ranges[r].base + u->ranges[r].nbytes && !u->ranges[r].channel)
      return &u->ranges[r];
  return NULL;
}

// One GPU's part of a mapping: its attributes are 36 bytes at a, the uuid first, then the type.
static uint32_t nvm_map_one(nv_mock *m, nvm_file *f, nvm_range *r, nvm_mapping a, const uint8_t *attributes) {
  nvm_uvm *u = f->uvm;
  a.gpu = nvm_gpu_of(m, attributes);
  a.type = (int)nvm_get32(attributes, 16);
  if (a.gpu < 0 || !u->vaspace[a.gpu])
    return nvm_wrong(m, NVM_BAD_DEVICE, "UVM_MAP_EXTERNAL_ALLOCATION: gpuUuid is of no GPU with a VA space here");
  if (a.type > 3 || a.type < 0)
    return nvm_wrong(m, NVM_BAD_ARGUMENT, "UVM_MAP_EXTERNAL_ALLOCATION: gpuMappingType %d", a.type);
  if (!u->registered[a.memory->gpu])       // uvm_map_external.c, set_ext_gpu_map_location: also of the host's memory
    return nvm_wrong(m, NVM_BAD_DEVICE, "UVM_MAP_EXTERNAL_ALLOCATION: memory of a GPU that is not registered");
  if (a.memory->place == NVM_VRAM && a.memory->gpu != a.gpu && !(u->peers[a.gpu] >> a.memory->gpu & 1))
    return m->desc.no_peers ? (uint32_t)NVM_BAD_DEVICE
        : nvm_wrong(m, NVM_BAD_DEVICE, "UVM_MAP_EXTERNAL_ALLOCATION: memory of a GPU that is no peer");
  for (int i = 0; i < r->nmapping; i++)
    if (r->mappings[i].gpu == a.gpu && a.base < r->mappings[i].base + r->mappings[i].nbytes &&
        r->mappings[i].base < a.base + a.nbytes)
      return nvm_wrong(m, NVM_ADDRESS_IN_USE, "UVM_MAP_EXTERNAL_ALLOCATION: 0x%llx is mapped",
                       (unsigned long long)a.base);
  r->mappings = nvm_more(r->mappings, r->nmapping, sizeof *r->mappings);
  r->mappings[r->nmapping++] = a;
  a.memory->references++;
  return 0;
}

static void nvm_check_cpu_address(nv_mock *m, const nvm_mapping *a) {
  for (int i = 0; i < m->nview; i++)
    if (m->views[i].memory == a->memory && m->views[i].at - m->views[i].offset != a->base - a->offset)
      nvm_wrong(m, 0, "UVM_MAP_EXTERNAL_ALLOCATION: 0x%llx, but the CPU has this memory at 0x%llx: addresses differ",
                (unsigned long long)a->base, (unsigned long long)m->views[i].at);
}

static uint32_t nvm_uvm_map(nv_mock *m, nvm_file *f, uint8_t *p) {
  size_t slots = m->desc.branch < 550 ? 32 : 256, after = 24 + slots * 36;
  nvm_mapping a = {0, nvm_get64(p, 0), nvm_get64(p, 8), nvm_get64(p, 16), 0, NULL};
  uint64_t count = nvm_get64(p, after);
  nvm_file *ctl = nvm_file_of(m, (int)nvm_get32(p, after + 8));
  nvm_object *o = nvm_find(m, nvm_get32(p, after + 12), nvm_get32(p, after + 16));
  nvm_range *r = nvm_range_at(f->uvm, a.base, a.nbytes);
  if ((a.base | a.nbytes | a.offset) & 0xfff || !a.nbytes)
    return nvm_wrong(m, NVM_BAD_ADDRESS, "UVM_MAP_EXTERNAL_ALLOCATION: base, length or offset not of 4 KiB");
  if (!count || count > slots)
    return nvm_wrong(m, NVM_BAD_ARGUMENT, "UVM_MAP_EXTERNAL_ALLOCATION: gpuAttributesCount %llu",
                     (unsigned long long)count);
  if (!r)
    return nvm_wrong(m, NVM_BAD_ADDRESS, "UVM_MAP_EXTERNAL_ALLOCATION: 0x%llx is in no external range",
                     (unsigned long long)a.base);
  if (!ctl || ctl->kind != NVM_FILE_CTL)
    return nvm_wrong(m, NVM_BAD_ARGUMENT, "UVM_MAP_EXTERNAL_ALLOCATION: rmCtrlFd is no nvidiactl");
  if (!o || !o->memory || o->memory->place == NVM_DOORBELL)
    return nvm_wrong(m, NVM_BAD_HANDLE, "UVM_MAP_EXTERNAL_ALLOCATION: hMemory is no memory");
  if (a.offset + a.nbytes > o->memory->nbytes)
    return nvm_wrong(m, NVM_BAD_OFFSET, "UVM_MAP_EXTERNAL_ALLOCATION: offset and length are beyond the memory's end");
  a.memory = o->memory;
  uint32_t status = 0;
  for (uint64_t i = 0; !status && i < count; i++) status = nvm_map_one(m, f, r, a, p + 24 + i * 36);
  nvm_check_cpu_address(m, &a);
  if (!status && o->memory->at < 0 && (uint64_t)(uintptr_t)o->memory->bytes + a.offset != a.base)
    nvm_wrong(m, 0, "UVM_MAP_EXTERNAL_ALLOCATION: user pages lie elsewhere for the GPU: addresses differ");
  return status;
}

static uint32_t nvm_uvm_unmap(nv_mock *m, nvm_file *f, uint8_t *p) {
  int gpu = nvm_gpu_of(m, p + 16), found = 0;
  nvm_range *r = nvm_range_at(f->uvm, nvm_get64(p, 0), nvm_get64(p, 8));
  for (int i = 0; r && i < r->nmapping; i++)
    if (r->mappings[i].gpu == gpu && r->mappings[i].base == nvm_get64(p, 0) &&
        r->mappings[i].nbytes == nvm_get64(p, 8)) {
      nvm_memory_drop(m, r->mappings[i].memory);
      r->mappings[i--] = r->mappings[--r->nmapping];
      found = 1;
    }
  return found ? 0 : nvm_wrong(m, NVM_BAD_ADDRESS, "UVM_UNMAP_EXTERNAL: no such mapping");
}

static uint32_t nvm_uvm_free(nv_mock *m, nvm_file *f, uint8_t *p) {
  uint64_t base = nvm_get64(p, 0);
  for (int r = 0; r < f->uvm->nrange; r++) {
    if (f->uvm->ranges[r].base != base || f->uvm->ranges[r].channel) continue;
    if (m->desc.branch < 590 && nvm_get64(p, 8) != f->uvm->ranges[r].nbytes)
      return nvm_wrong(m, NVM_BAD_ADDRESS, "UVM_FREE: length 0x%llx is not the range's",
                       (unsigned long long)nvm_get64(p, 8));
    nvm_range_free(m, f->uvm, r);
    return 0;
  }
  return nvm_wrong(m, NVM_BAD_ADDRESS, "UVM_FREE: no range begins at 0x%llx", (unsigned long long)base);
}

static uint32_t nvm_uvm_unregister_vaspace(nv_mock *m, nvm_file *f, uint8_t *p) {
  int gpu = nvm_gpu_of(m, p);
  if (gpu < 0 || !f->uvm->vaspace[gpu])
    return nvm_wrong(m, NVM_BAD_DEVICE, "UVM_UNREGISTER_GPU_VASPACE: there is none");
  for (int i = 0; i < m->nchannel; i++)
    if (m->channels[i]->uvm_file - 1 == f - m->files && m->channels[i]->object->gpu == gpu)
      nvm_channel_range_free(m, m->channels[i]);
  f->uvm->vaspace[gpu] = NULL;
  return 0;
}

static uint32_t nvm_uvm_unregister_gpu(nv_mock *m, nvm_file *f, uint8_t *p) {
  int gpu = nvm_gpu_of(m, p);
  if (gpu < 0 || !f->uvm->registered[gpu])
    return nvm_wrong(m, NVM_BAD_DEVICE, "UVM_UNREGISTER_GPU: it is not registered");
  f->uvm->registered[gpu] = 0;
  f->uvm->vaspace[gpu] = NULL;
  return 0;
}

static uint32_t nvm_uvm_peer(nv_mock *m, nvm_file *f, uint8_t *p) {
  int a = nvm_gpu_of(m, p), b = nvm_gpu_of(m, p + 16);
  if (a < 0 || b < 0 || a == b || !f->uvm->registered[a] || !f->uvm->registered[b])
    return nvm_wrong(m, NVM_BAD_DEVICE, "UVM_ENABLE_PEER_ACCESS: two registered GPUs are needed");
  if (m->desc.no_peers) return NVM_UNSUPPORTED;          // uvm_gpu_retain_pcie_peer_access
  if (f->uvm->peers[a] >> b & 1)
    return m->desc.nvlink ? NVM_BAD_DEVICE
                          : nvm_wrong(m, NVM_BAD_DEVICE, "UVM_ENABLE_PEER_ACCESS: they are peers already");
  f->uvm->peers[a] |= 1 << b;
  f->uvm->peers[b] |= 1 << a;
  return 0;
}

static uint32_t nvm_uvm_unpeer(nv_mock *m, nvm_file *f, uint8_t *p) {
  int a = nvm_gpu_of(m, p), b = nvm_gpu_of(m, p + 16);
  if (a < 0 || b < 0 || !(f->uvm->peers[a] >> b & 1))
    return nvm_wrong(m, NVM_BAD_DEVICE, "UVM_DISABLE_PEER_ACCESS: it is not enabled");
  f->uvm->peers[a] &= ~(1 << b);
  f->uvm->peers[b] &= ~(1 << a);
  return 0;
}

static uint32_t nvm_uvm_pageable(nv_mock *m, nvm_file *f, uint8_t *p) { (void)m; (void)f; p[0] = 0; return 0; }
static uint32_t nvm_uvm_validate(nv_mock *m, nvm_file *f, uint8_t *p) {
  (void)m;
  return nvm_range_at(f->uvm, nvm_get64(p, 0), nvm_get64(p, 8)) ? 0 : NVM_BAD_ADDRESS;
}

// status: where it stands, before branch 590 and from then on.
static const struct { uint32_t number; uint16_t status[2]; uint32_t (*call)(nv_mock *m, nvm_file *f, uint8_t *p);
                      const char *name; } nvm_uvm_calls[] = {
  {0x30000001, {8, 8}, nvm_uvm_initialize, "UVM_INITIALIZE"},
  {25, {28, 28}, nvm_uvm_register_vaspace, "UVM_REGISTER_GPU_VASPACE"},
  {26, {16, 16}, nvm_uvm_unregister_vaspace, "UVM_UNREGISTER_GPU_VASPACE"},
  {27, {48, 48}, nvm_uvm_register_channel, "UVM_REGISTER_CHANNEL"},
  {28, {24, 8}, nvm_uvm_unregister_channel, "UVM_UNREGISTER_CHANNEL"},
  {29, {32, 32}, nvm_uvm_peer, "UVM_ENABLE_PEER_ACCESS"},
  {30, {32, 32}, nvm_uvm_unpeer, "UVM_DISABLE_PEER_ACCESS"},
  {33, {0, 0}, nvm_uvm_map, "UVM_MAP_EXTERNAL_ALLOCATION"},
  {34, {16, 8}, nvm_uvm_free, "UVM_FREE"},
  {37, {36, 36}, nvm_uvm_register_gpu, "UVM_REGISTER_GPU"},
  {38, {16, 16}, nvm_uvm_unregister_gpu, "UVM_UNREGISTER_GPU"},
  {39, {4, 4}, nvm_uvm_pageable, "UVM_PAGEABLE_MEM_ACCESS"},
  {66, {32, 32}, nvm_uvm_unmap, "UVM_UNMAP_EXTERNAL"},
  {72, {16, 16}, nvm_uvm_validate, "UVM_VALIDATE_VA_RANGE"},
  {73, {16, 16}, nvm_uvm_create_range, "UVM_CREATE_EXTERNAL_RANGE"},
  {75, {4, 4}, nvm_uvm_mm, "UVM_MM_INITIALIZE"},
};

static int nvm_uvm_ioctl(nv_mock *m, int fd, uint32_t request, uint8_t *p) {
  nvm_file *f = nvm_file_of(m, fd);
  m->hit.channel = NULL;
  if (m->desc.gvisor && request == 39) return -EINVAL;   // UVM_PAGEABLE_MEM_ACCESS, which nvproxy does not know
  for (size_t i = 0; i < sizeof nvm_uvm_calls / sizeof *nvm_uvm_calls; i++) {
    if (nvm_uvm_calls[i].number != request) continue;
    size_t status = nvm_uvm_calls[i].status[m->desc.branch >= 590];
    if (request == 33) status = m->desc.branch < 550 ? 1196 : 9260;
    if (!f->uvm->initialized && request != 0x30000001 && request != 75) {
      nvm_put32(p, status, nvm_wrong(m, NVM_BAD_STATE, "%s: UVM_INITIALIZE was not called", nvm_uvm_calls[i].name));
      return 0;
    }
    nvm_put32(p, status, m->lost && !nvm_gives_back(f, request) ? NVM_LOST : nvm_uvm_calls[i].call(m, f, p));
    return 0;
  }
  return -(int)nvm_wrong(m, EINVAL, "nvidia-uvm: ioctl %u is unknown", request);
}
