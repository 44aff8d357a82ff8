// nv_mock_rm.c: the resource manager behind nvidiactl and nvidia<N>: handles and their tree, controls, memory,
// channels.
//
// A structure of the wrong size is EINVAL or status 0x1f, as in the driver; what the driver would take but a careful
// client would not send, such as reserved fields that are set, is a complaint. What a client may ask without knowing
// (classes and controls that are denied, memory that is not there) is a status and no complaint.
// Sources: nv_escape.h, nvos.h, nv-ioctl.h, alloc/alloc_channel.h, ctrl/ctrl*.h of the branches, by name.
#include "nv_mock_state.h"

static nvm_object *nvm_find(nv_mock *m, uint32_t client, uint32_t handle) {
  for (int i = 0; i < m->nobject; i++)
    if (m->objects[i] && m->objects[i]->client == client && m->objects[i]->handle == handle) return m->objects[i];
  return NULL;
}

// The objects below first, as RM does.
static void nvm_free_tree(nv_mock *m, nvm_object *o) {
  m->hit.channel = NULL;
  for (int i = 0; i < m->nobject; i++)
    if (m->objects[i] && m->objects[i] != o && m->objects[i]->client == o->client && m->objects[i]->parent == o->handle)
      nvm_free_tree(m, m->objects[i]);
  for (int i = 0; i < m->nfile; i++)
    for (int g = 0; m->files[i].uvm && g < NVM_MAX_GPUS; g++)
      if (m->files[i].uvm->vaspace[g] == o) m->files[i].uvm->vaspace[g] = NULL;
  for (int i = 0; i < m->nobject; i++) if (m->objects[i] == o) m->objects[i] = NULL;
  if (o->channel) nvm_channel_free(m, o->channel);
  nvm_memory_drop(m, o->memory);
  free(o);
}

// ---- RM_ALLOC, by class: p are the parameters, NULL for none

static int nvm_zero(const uint8_t *p, size_t from, size_t to) {
  while (from < to && !p[from]) from++;
  return from == to;
}

static uint32_t nvm_new_device(nv_mock *m, nvm_object *o, nvm_object *parent, uint8_t *p) {
  (void)parent;
  uint32_t id = p ? nvm_get32(p, 0) : 0;
  if (id >= (uint32_t)m->desc.ngpu) return nvm_wrong(m, NVM_BAD_DEVICE, "RM_ALLOC NV01_DEVICE_0: deviceId %u", id);
  if (p && nvm_get32(p, 4) && nvm_get32(p, 4) != o->client)
    return nvm_wrong(m, NVM_BAD_CLIENT, "RM_ALLOC NV01_DEVICE_0: hClientShare is another client");
  o->gpu = (int)id;
  return 0;
}

static uint32_t nvm_new_subdevice(nv_mock *m, nvm_object *o, nvm_object *parent, uint8_t *p) {
  (void)o; (void)parent;
  return p && nvm_get32(p, 0) ? nvm_wrong(m, NVM_BAD_ARGUMENT, "RM_ALLOC NV20_SUBDEVICE_0: subDeviceId %u",
                                          nvm_get32(p, 0)) : 0;
}

static uint32_t nvm_new_vaspace(nv_mock *m, nvm_object *o, nvm_object *parent, uint8_t *p) {
  (void)parent;
  if (!p) return nvm_wrong(m, NVM_BAD_ARGUMENT, "RM_ALLOC FERMI_VASPACE_A: no parameters");
  if (nvm_get32(p, 0)) return nvm_wrong(m, NVM_BAD_ARGUMENT, "RM_ALLOC FERMI_VASPACE_A: index %u", nvm_get32(p, 0));
  o->flags = nvm_get32(p, 4);
  if (o->flags & ~0x7fu) return nvm_wrong(m, NVM_BAD_FLAGS, "RM_ALLOC FERMI_VASPACE_A: flags 0x%x", o->flags);
  return 0;
}

static uint32_t nvm_new_group(nv_mock *m, nvm_object *o, nvm_object *parent, uint8_t *p) {
  (void)parent;
  if (!p) return nvm_wrong(m, NVM_BAD_ARGUMENT, "RM_ALLOC KEPLER_CHANNEL_GROUP_A: no parameters");
  o->vaspace = nvm_get32(p, 8);
  o->engine = nvm_get32(p, 12);
  nvm_object *space = nvm_find(m, o->client, o->vaspace);
  if (o->vaspace && (!space || space->class_ != NVM_VASPACE))
    return nvm_wrong(m, NVM_BAD_HANDLE, "RM_ALLOC KEPLER_CHANNEL_GROUP_A: hVASpace 0x%x is no VA space", o->vaspace);
  if (o->engine != 1 && (o->engine < 9 || o->engine > 18))
    return nvm_wrong(m, NVM_BAD_ARGUMENT, "RM_ALLOC KEPLER_CHANNEL_GROUP_A: engineType %u is not the chip's",
                     o->engine);
  return 0;
}

static uint32_t nvm_new_ctxshare(nv_mock *m, nvm_object *o, nvm_object *parent, uint8_t *p) {
  if (!p) return nvm_wrong(m, NVM_BAD_ARGUMENT, "RM_ALLOC FERMI_CONTEXT_SHARE_A: no parameters");
  o->vaspace = nvm_get32(p, 0);
  nvm_object *space = nvm_find(m, o->client, o->vaspace);
  if (!space || space->class_ != NVM_VASPACE)
    return nvm_wrong(m, NVM_BAD_HANDLE, "RM_ALLOC FERMI_CONTEXT_SHARE_A: hVASpace 0x%x is no VA space", o->vaspace);
  if (parent->vaspace && parent->vaspace != o->vaspace)
    return nvm_wrong(m, NVM_BAD_ARGUMENT, "RM_ALLOC FERMI_CONTEXT_SHARE_A: hVASpace is not the group's");
  if (nvm_get32(p, 4) > 2)
    return nvm_wrong(m, NVM_BAD_FLAGS, "RM_ALLOC FERMI_CONTEXT_SHARE_A: flags 0x%x", nvm_get32(p, 4));
  return 0;
}

static int nvm_no_memory_now(nv_mock *m) { return ++m->counts.allocations == m->desc.fail_alloc; }

// NV_MEMORY_ALLOCATION_PARAMS: owner 0, type 4, flags 8, attr 18, attr2 1c, rangeLo 30, rangeHi 38, size 40, alignment
// 48.
static uint32_t nvm_new_memory(nv_mock *m, nvm_object *o, nvm_object *parent, uint8_t *p) {
  (void)parent;
  const char *name = o->class_ == NVM_USER_MEMORY ? "NV01_MEMORY_LOCAL_USER" : "NV01_MEMORY_SYSTEM";
  if (!p) return nvm_wrong(m, NVM_BAD_ARGUMENT, "RM_ALLOC %s: no parameters", name);
  uint32_t type = nvm_get32(p, 4), attr = nvm_get32(p, 0x18), location = attr >> 25 & 3;
  uint64_t nbytes = nvm_get64(p, 0x40), align = nvm_get64(p, 0x48);
  if (nvm_get32(p, 0) != o->client) return nvm_wrong(m, NVM_BAD_ARGUMENT, "RM_ALLOC %s: owner is not the client", name);
  if (type != 0 && type != 13) return nvm_wrong(m, NVM_BAD_ARGUMENT, "RM_ALLOC %s: type %u", name, type);
  if (!nbytes) return nvm_wrong(m, NVM_BAD_ARGUMENT, "RM_ALLOC %s: size 0", name);
  if (nbytes & 0xfff)
    return nvm_wrong(m, NVM_BAD_ARGUMENT, "RM_ALLOC %s: size 0x%llx is not of pages", name, (unsigned long long)nbytes);
  if (align & (align - 1))
    return nvm_wrong(m, NVM_BAD_ARGUMENT, "RM_ALLOC %s: alignment 0x%llx", name, (unsigned long long)align);
  if (location != (o->class_ == NVM_SYSTEM_MEMORY))
    return nvm_wrong(m, NVM_BAD_ARGUMENT, "RM_ALLOC %s: attr LOCATION is %u", name, location);
  if (nvm_get32(p, 0x6c) || nvm_get32(p, 0x70))
    return nvm_wrong(m, NVM_BAD_ARGUMENT, "RM_ALLOC %s: hVASpace and internalflags are set", name);
  if (nvm_no_memory_now(m)) return NVM_NO_MEMORY;
  o->memory = nvm_memory_new(m, location ? NVM_SYSMEM : NVM_VRAM, o->gpu, nbytes);
  if (!o->memory) return NVM_NO_MEMORY;
  nvm_put64(p, 0x58, nbytes - 1);
  return 0;
}

// NV_OS_DESC_MEMORY_ALLOCATION_PARAMS: type 0, flags 4, attr 8, attr2 c, descriptor 10, limit 18, descriptorType 20,
// tag 24. Of a file that is no dma-buf (osdesc: OS_FILE_HANDLE) the driver gets nothing.
static uint32_t nvm_new_os_memory(nv_mock *m, nvm_object *o, nvm_object *parent, uint8_t *p) {
  (void)parent;
  const char *name = "NV01_MEMORY_SYSTEM_OS_DESCRIPTOR";
  if (!p) return nvm_wrong(m, NVM_BAD_ARGUMENT, "RM_ALLOC %s: no parameters", name);
  uint64_t limit = nvm_get64(p, 0x18);
  if (nvm_get32(p, 0x20) != 4)
    return nvm_wrong(m, NVM_BAD_ARGUMENT, "RM_ALLOC %s: descriptorType %u is not OS_FILE_HANDLE", name,
                     nvm_get32(p, 0x20));
  if ((limit + 1) & 0xfff) return nvm_wrong(m, NVM_BAD_ARGUMENT, "RM_ALLOC %s: limit is not a page's end", name);
  if ((nvm_get32(p, 8) >> 25 & 3) != 1)
    return nvm_wrong(m, NVM_BAD_ARGUMENT, "RM_ALLOC %s: attr LOCATION is not PCI", name);
  if (nvm_get32(p, 8) & 7u << 16) return nvm_wrong(m, NVM_BAD_ARGUMENT, "RM_ALLOC %s: FORMAT is not PITCH", name);
  if (nvm_get32(p, 4) != 0x8000)
    return nvm_wrong(m, NVM_BAD_FLAGS, "RM_ALLOC %s: flags are not MAP_NOT_REQUIRED", name);
  const nvm_file *f = nvm_file_of(m, (int)nvm_get64(p, 0x10));
  if (!f || f->kind != NVM_FILE_DMABUF || limit >= f->shared->nbytes) return NVM_BAD_ARGUMENT;
  if (nvm_no_memory_now(m)) return NVM_NO_MEMORY;
  o->memory = f->shared;
  o->memory->references++;
  return 0;
}

// From Hopper on {bBar1Mapping u8, bPriv u8} (NV_HOPPER_USERMODE_A_PARAMS), before it nothing.
static uint32_t nvm_new_usermode(nv_mock *m, nvm_object *o, nvm_object *parent, uint8_t *p) {
  (void)parent;
  if (p && p[1]) return nvm_wrong(m, NVM_NO_PERMISSION, "RM_ALLOC of a usermode class: bPriv wants a kernel's rights");
  o->memory = nvm_memory_new(m, NVM_DOORBELL, o->gpu, 0x10000);
  if (!o->memory) return NVM_NO_MEMORY;
  nvm_put32(o->memory->bytes, 0x90, 0xffffffff);
  nvm_put64(o->memory->bytes, 0x80, m->time_ns);
  return 0;
}

static uint32_t nvm_channel_memory(nv_mock *m, const nvm_object *o, nvm_channel *c, const uint8_t *p, size_t shift) {
  uint32_t handle = nvm_get32(p, 0x20 + shift), error = nvm_get32(p, 0);
  nvm_object *userd = nvm_find(m, o->client, handle), *notifier = nvm_find(m, o->client, error);
  c->userd_offset = nvm_get64(p, 0x40 + shift);
  if (!userd || !userd->memory)
    return nvm_wrong(m, NVM_BAD_HANDLE, "RM_ALLOC of a channel: hUserdMemory[0] 0x%x is no memory", handle);
  if (c->userd_offset & 511 || c->userd_offset + 512 > userd->memory->nbytes)
    return nvm_wrong(m, NVM_BAD_OFFSET, "RM_ALLOC of a channel: userdOffset[0] 0x%llx",
                     (unsigned long long)c->userd_offset);
  if (error && (!notifier || !notifier->memory || notifier->memory->nbytes < 16))
    return nvm_wrong(m, NVM_BAD_HANDLE, "RM_ALLOC of a channel: hObjectError 0x%x is no memory", error);
  c->userd = userd->memory;
  c->notifier = notifier ? notifier->memory : NULL;
  return 0;
}

// NV_CHANNEL_ALLOC_PARAMS; branch 610 has hHandleVASpace at 0x20, and what follows 8 bytes further.
static uint32_t nvm_channel_fields(nv_mock *m, nvm_object *o, nvm_object *group, nvm_channel *c, const uint8_t *p) {
  size_t shift = m->desc.branch >= 610 ? 8 : 0, end = m->desc.branch >= 610 ? 376 : m->desc.branch >= 570 ? 368 : 360;
  uint32_t share = nvm_get32(p, 0x18), engine = nvm_get32(p, 0x80 + shift), flags = nvm_get32(p, 0x14);
  nvm_object *ctx = nvm_find(m, o->client, share);
  c->ring = nvm_get64(p, 8);
  c->nentry = nvm_get32(p, 0x10);
  if (nvm_get32(p, 0x1c)) return nvm_wrong(m, NVM_BAD_ARGUMENT, "RM_ALLOC of a channel: hVASpace under a group");
  if (!ctx || ctx->class_ != NVM_CTXSHARE || ctx->parent != group->handle)
    return nvm_wrong(m, NVM_BAD_HANDLE, "RM_ALLOC of a channel: hContextShare 0x%x is none of its group", share);
  if (engine && engine != group->engine)
    return nvm_wrong(m, NVM_BAD_ARGUMENT, "RM_ALLOC of a channel: engineType %u, its group's is %u", engine,
                     group->engine);
  if (flags) return nvm_wrong(m, NVM_BAD_FLAGS, "RM_ALLOC of a channel: flags 0x%x", flags);
  if (c->nentry < 2 || c->nentry & (c->nentry - 1))
    return nvm_wrong(m, NVM_BAD_ARGUMENT, "RM_ALLOC of a channel: gpFifoEntries %u is no power of two", c->nentry);
  if (shift && nvm_get32(p, 0x20))
    return nvm_wrong(m, NVM_BAD_ARGUMENT, "RM_ALLOC of a channel: hHandleVASpace is set");
  if (!nvm_zero(p, 0x24 + shift, 0x40 + shift) || !nvm_zero(p, 0x48 + shift, 0x80 + shift) ||
      !nvm_zero(p, 0x84 + shift, end))
    return nvm_wrong(m, NVM_BAD_ARGUMENT, "RM_ALLOC of a channel: reserved fields of NV_CHANNEL_ALLOC_PARAMS are set");
  o->engine = group->engine;
  o->vaspace = ctx->vaspace;
  return nvm_channel_memory(m, o, c, p, shift);
}

static uint32_t nvm_new_channel(nv_mock *m, nvm_object *o, nvm_object *group, uint8_t *p) {
  if (!p) return nvm_wrong(m, NVM_BAD_ARGUMENT, "RM_ALLOC of a channel: no parameters");
  if (m->desc.mig) return NVM_BAD_STATE;
  if (m->desc.exclusive) return NVM_STATE_IN_USE;
  nvm_channel *c = calloc(1, sizeof *c);
  if (!c) return NVM_NO_MEMORY;
  c->object = o;
  uint32_t status = nvm_channel_fields(m, o, group, c, p);
  if (!status && !nvm_at(m, c, c->ring, (uint64_t)c->nentry * 8, 0))
    status = nvm_wrong(m, NVM_BAD_ADDRESS, "RM_ALLOC of a channel: gpFifoOffset 0x%llx is not mapped",
                       (unsigned long long)c->ring);
  m->hit.channel = NULL;
  if (status) { free(c); return status; }
  c->token = m->next_channel++ | 1u << 16 | m->chip->token_bits;
  c->userd->references++;
  if (c->notifier) c->notifier->references++;
  nvm_put32(c->userd->bytes, c->userd_offset + 0x88, 0);
  nvm_put32(c->userd->bytes, c->userd_offset + 0x8c, 0);
  if (c->notifier) memset(c->notifier->bytes, 0, 16);
  m->channels = nvm_more(m->channels, m->nchannel, sizeof *m->channels);
  m->channels[m->nchannel++] = o->channel = c;
  return 0;
}

static uint32_t nvm_new_compute(nv_mock *m, nvm_object *o, nvm_object *parent, uint8_t *p) {
  (void)o;
  if (parent->engine != 1) return nvm_wrong(m, NVM_BAD_CLASS, "RM_ALLOC of compute: its channel is not of GR");
  if (p && (nvm_get32(p, 0) != 2 || nvm_get32(p, 8) != 16))       // NV_GR_ALLOCATION_PARAMETERS
    return nvm_wrong(m, NVM_BAD_ARGUMENT, "RM_ALLOC of compute: version is not 2 or size not 16");
  return 0;
}

static uint32_t nvm_new_copy(nv_mock *m, nvm_object *o, nvm_object *parent, uint8_t *p) {
  (void)o;
  if (p && nvm_get32(p, 0) > 1)
    return nvm_wrong(m, NVM_BAD_ARGUMENT, "RM_ALLOC of a copy class: version %u", nvm_get32(p, 0));
  if (p && nvm_get32(p, 0) == 1 && parent->engine != 1 && nvm_get32(p, 4) != parent->engine)
    return nvm_wrong(m, NVM_BAD_ARGUMENT, "RM_ALLOC of a copy class: engineType is not the channel's");
  return 0;
}

static uint32_t nvm_new_debugger(nv_mock *m, nvm_object *o, nvm_object *parent, uint8_t *p) {
  (void)parent;
  nvm_object *engine = p ? nvm_find(m, o->client, nvm_get32(p, 8)) : NULL;
  if (!p || nvm_get32(p, 0))
    return nvm_wrong(m, NVM_BAD_ARGUMENT, "RM_ALLOC GT200_DEBUGGER: hDebuggerClient is obsolete");
  if (!engine || engine->class_ != m->chip->compute)
    return nvm_wrong(m, NVM_BAD_HANDLE, "RM_ALLOC GT200_DEBUGGER: hClass3dObject is no compute object");
  return 0;
}

static uint32_t nvm_new_plain(nv_mock *m, nvm_object *o, nvm_object *parent, uint8_t *p) {
  (void)m; (void)o; (void)parent; (void)p;
  return 0;
}

enum { NVM_CHANNELS = 1, NVM_COMPUTES, NVM_COPIES, NVM_USERMODES };         // kinds of the classes that chips name
static uint32_t nvm_kind(const nvm_chip *c, uint32_t class_) {
  if ((class_ & 0xff) == 0x6f) return NVM_CHANNELS;
  if (class_ == c->compute) return NVM_COMPUTES;
  if ((class_ & 0xff) == 0xb5) return NVM_COPIES;
  if ((class_ & 0xff) == 0x61 && class_ > 0xc000) return NVM_USERMODES;
  return class_;
}

typedef struct nvm_maker {
  uint32_t kind, parents[2];               // the class of its parent; 0: another as well
  uint16_t nbytes[2];                      // that its parameters may have, beside none
  uint32_t (*make)(nv_mock *m, nvm_object *o, nvm_object *parent, uint8_t *p);
} nvm_maker;

// Parents and parameters as the driver's own list has them (src/nvidia/src/kernel/rmapi/resource_list.h, 580.142), but
// that a channel without a group, which the driver takes, is none here.
static const nvm_maker nvm_makers[] = {
  {NVM_DEVICE, {NVM_CLIENT}, {56}, nvm_new_device},
  {NVM_SUBDEVICE, {NVM_DEVICE}, {4}, nvm_new_subdevice},
  {NVM_VASPACE, {NVM_DEVICE, NVM_SUBDEVICE}, {48, 56}, nvm_new_vaspace},
  {NVM_GROUP, {NVM_DEVICE}, {20}, nvm_new_group},
  {NVM_CTXSHARE, {NVM_GROUP}, {12}, nvm_new_ctxshare},
  {NVM_USER_MEMORY, {NVM_DEVICE, NVM_SUBDEVICE}, {120, 128}, nvm_new_memory},
  {NVM_SYSTEM_MEMORY, {NVM_DEVICE}, {120, 128}, nvm_new_memory},
  {NVM_OS_MEMORY, {NVM_DEVICE}, {40}, nvm_new_os_memory},
  {NVM_CHANNELS, {NVM_GROUP}, {0}, nvm_new_channel},
  {NVM_COMPUTES, {NVM_CHANNELS}, {16}, nvm_new_compute},
  {NVM_COPIES, {NVM_CHANNELS}, {8}, nvm_new_copy},
  {NVM_USERMODES, {NVM_SUBDEVICE}, {2}, nvm_new_usermode},
  {NVM_DEBUGGER, {NVM_DEVICE}, {12}, nvm_new_debugger},
  {NVM_CONFIDENTIAL, {NVM_CLIENT}, {4}, nvm_new_plain},
};

static uint32_t nvm_params_nbytes(const nv_mock *m, const nvm_maker *k) {
  if (k->kind == NVM_CHANNELS) return m->desc.branch >= 610 ? 376 : m->desc.branch >= 570 ? 368 : 360;
  if (k->kind == NVM_VASPACE) return k->nbytes[m->desc.branch >= 580];
  if (k->nbytes[1]) return k->nbytes[m->desc.branch >= 545];
  if (k->kind == NVM_USERMODES && m->chip->sm < 90) return 0;
  return k->nbytes[0];
}

// What gVisor's nvproxy knows (version.go: classes for the capabilities compute and utility).
static int nvm_gvisor_class(uint32_t class_) {
  static const uint32_t denied[] = {0xc361, 0xc561, 0x70};
  for (int i = 0; i < 3; i++) if (denied[i] == class_) return 0;
  return 1;
}

static uint32_t nvm_alloc_check(nv_mock *m, const nvm_object *o, const nvm_object *parent, const nvm_maker *k,
                                uint32_t nbytes,
                                const uint8_t *p) {
  uint32_t want = nvm_params_nbytes(m, k), kind = parent ? nvm_kind(m->chip, parent->class_) : 0;
  if (!parent) return nvm_wrong(m, NVM_BAD_PARENT, "RM_ALLOC of class 0x%x: no object 0x%x", o->class_, o->parent);
  if (kind != k->parents[0] && (!k->parents[1] || kind != k->parents[1]))
    return nvm_wrong(m, NVM_BAD_PARENT, "RM_ALLOC of class 0x%x: its parent is of class 0x%x", o->class_,
                     parent->class_);
  if (nbytes && nbytes != want)
    return nvm_wrong(m, NVM_BAD_ARGUMENT, "RM_ALLOC of class 0x%x: paramsSize %u, which is %u in branch %d", o->class_,
                     nbytes, want, m->desc.branch);
  if (p && !want)
    return nvm_wrong(m, NVM_BAD_ARGUMENT, "RM_ALLOC of class 0x%x: parameters, which it has not", o->class_);
  if (nvm_find(m, o->client, o->handle))
    return nvm_wrong(m, NVM_DUPLICATE, "RM_ALLOC of class 0x%x: handle 0x%x is in use", o->class_, o->handle);
  return 0;
}

static uint32_t nvm_add(nv_mock *m, nvm_object *o) {
  int i = 0;
  while (i < m->nobject && m->objects[i]) i++;
  if (i == m->nobject) { m->objects = nvm_more(m->objects, m->nobject, sizeof *m->objects); m->nobject++; }
  m->objects[i] = o;
  return 0;
}

static nvm_object *nvm_object_new(uint32_t client, uint32_t parent, uint32_t handle, uint32_t class_) {
  nvm_object *o = calloc(1, sizeof *o);
  if (!o) abort();
  o->client = client; o->parent = parent; o->handle = handle; o->class_ = class_;
  return o;
}

static uint32_t nvm_alloc_class(nv_mock *m, nvm_object *o, nvm_object *parent, uint8_t *p, uint32_t nbytes) {
  uint32_t kind = nvm_kind(m->chip, o->class_);
  size_t i = 0, n = sizeof nvm_makers / sizeof *nvm_makers;
  while (i < n && nvm_makers[i].kind != kind) i++;
  int listed = i < n && (kind == NVM_DEVICE || kind == NVM_SUBDEVICE || kind == NVM_USER_MEMORY ||
                         kind == NVM_SYSTEM_MEMORY || kind == NVM_OS_MEMORY || nvm_has_class(m->chip, o->class_));
  if (m->desc.gvisor && !nvm_gvisor_class(o->class_)) return NVM_BAD_CLASS;
  if (!listed && kind == NVM_CONFIDENTIAL) return NVM_BAD_CLASS;
  if (!listed) return nvm_wrong(m, NVM_BAD_CLASS, "RM_ALLOC: class 0x%x is none of %s", o->class_, m->chip->name);
  uint32_t status = nvm_alloc_check(m, o, parent, &nvm_makers[i], nbytes, p);
  if (status) return status;
  o->gpu = parent->gpu;
  return nvm_makers[i].make(m, o, parent, p);
}

// NVOS64: hRoot 0, hObjectParent 4, hObjectNew 8, hClass c, pAllocParms 10, pRightsRequested 18, paramsSize 20, flags
// 24, status 28. NVOS21, of 32 bytes: paramsSize 18, status 1c.
static uint32_t nvm_alloc(nv_mock *m, int fd, uint8_t *p, int is_long) {
  uint32_t class_ = nvm_get32(p, 0xc), handle = nvm_get32(p, 8), root = nvm_get32(p, 0), status = 0;
  uint8_t *params = (uint8_t *)(uintptr_t)nvm_get64(p, 0x10);
  if (is_long && nvm_get64(p, 0x18)) return nvm_wrong(m, NVM_BAD_ARGUMENT, "RM_ALLOC: pRightsRequested is set");
  if (is_long && nvm_get32(p, 0x24)) return nvm_wrong(m, NVM_BAD_FLAGS, "RM_ALLOC: flags 0x%x", nvm_get32(p, 0x24));
  if (!handle) handle = m->next_handle++;
  if (class_ == NVM_CLIENT) {
    if (root || nvm_get32(p, 4))
      return nvm_wrong(m, NVM_BAD_PARENT, "RM_ALLOC NV01_ROOT_CLIENT: hRoot and hObjectParent are not 0");
    nvm_object *client = nvm_object_new(handle, handle, handle, class_);
    client->file = fd;
    nvm_put32(p, 0, handle); nvm_put32(p, 8, handle);
    return nvm_add(m, client);
  }
  if (!nvm_find(m, root, root))
    return nvm_wrong(m, NVM_BAD_CLIENT, "RM_ALLOC of class 0x%x: hRoot 0x%x is no client", class_, root);
  nvm_object *o = nvm_object_new(root, nvm_get32(p, 4), handle, class_);
  status = nvm_alloc_class(m, o, nvm_find(m, root, o->parent), params, nvm_get32(p, is_long ? 0x20 : 0x18));
  if (status) { free(o); return status; }
  nvm_put32(p, 8, handle);
  return nvm_add(m, o);
}

// ---- RM_ALLOC_MEMORY: nvos02 {hRoot 0, hObjectParent 4, hObjectNew 8, hClass c, flags 10, pMemory 18, limit 20,
// status 28}

static nvm_memory *nvm_user_pages(uint64_t at, uint64_t nbytes, int gpu) {
  nvm_memory *memory = calloc(1, sizeof *memory);
  if (memory) *memory = (nvm_memory){(uint8_t *)(uintptr_t)at, nbytes, -1, NVM_USER_PAGES, gpu, 1};
  return memory;
}

static uint32_t nvm_alloc_memory(nv_mock *m, int fd, uint8_t *p) {
  uint32_t class_ = nvm_get32(p, 0xc), root = nvm_get32(p, 0), handle = nvm_get32(p, 8), flags = nvm_get32(p, 0x10);
  uint64_t at = nvm_get64(p, 0x18), nbytes = nvm_get64(p, 0x20) + 1;
  nvm_object *parent = nvm_find(m, root, nvm_get32(p, 4));
  (void)fd;
  if (!nvm_find(m, root, root)) return nvm_wrong(m, NVM_BAD_CLIENT, "RM_ALLOC_MEMORY: hRoot 0x%x is no client", root);
  if (!parent || parent->class_ != NVM_DEVICE)
    return nvm_wrong(m, NVM_BAD_PARENT, "RM_ALLOC_MEMORY: hObjectParent is no device");
  if (class_ != NVM_OS_MEMORY && class_ != NVM_SYSTEM_MEMORY)
    return nvm_wrong(m, NVM_BAD_CLASS, "RM_ALLOC_MEMORY: class 0x%x", class_);
  if (nbytes & 0xfff || !nbytes)
    return nvm_wrong(m, NVM_BAD_ARGUMENT, "RM_ALLOC_MEMORY: limit 0x%llx is not a page's end",
                     (unsigned long long)(nbytes - 1));
  if (class_ == NVM_OS_MEMORY && (!at || at & 0xfff))
    return nvm_wrong(m, NVM_BAD_ADDRESS, "RM_ALLOC_MEMORY: pMemory 0x%llx is not page-aligned", (unsigned long long)at);
  if ((flags >> 4 & 15) != 1)
    return nvm_wrong(m, NVM_BAD_FLAGS, "RM_ALLOC_MEMORY: flags 0x%x: PHYSICALITY is not NONCONTIGUOUS", flags);
  if (flags >> 30 != 1) return nvm_wrong(m, NVM_BAD_FLAGS, "RM_ALLOC_MEMORY: flags 0x%x: MAPPING is not NO_MAP", flags);
  if (!handle) handle = m->next_handle++;
  if (nvm_find(m, root, handle)) return nvm_wrong(m, NVM_DUPLICATE, "RM_ALLOC_MEMORY: handle 0x%x is in use", handle);
  if (nvm_no_memory_now(m)) return NVM_NO_MEMORY;
  nvm_object *o = nvm_object_new(root, parent->handle, handle, class_);
  o->gpu = parent->gpu;
  o->memory = class_ == NVM_OS_MEMORY ? nvm_user_pages(at, nbytes, o->gpu)
      : nvm_memory_new(m, NVM_SYSMEM, o->gpu, nbytes);
  if (!o->memory) { free(o); return NVM_NO_MEMORY; }
  nvm_put32(p, 8, handle);
  return nvm_add(m, o);
}

// ---- RM_FREE {hRoot 0, hObjectParent 4, hObjectOld 8, status c}: what others still need is freed out of order

static void nvm_free_order(nv_mock *m, const nvm_object *o) {
  for (int i = 0; i < m->nchannel; i++) {
    const nvm_channel *c = m->channels[i];
    if (c->object == o && c->uvm_file) nvm_wrong(m, 0, "RM_FREE of a channel before UVM_UNREGISTER_CHANNEL");
    if (c->object == o && !c->dead && !c->parked && c->put != c->get)
      nvm_wrong(m, 0, "RM_FREE of a channel that has work");
    if (o->memory && o->memory == c->userd) nvm_wrong(m, 0, "RM_FREE of 0x%x, the USERD of a channel", o->handle);
    if (o->memory && o->memory == c->notifier)
      nvm_wrong(m, 0, "RM_FREE of 0x%x, the error notifier of a channel", o->handle);
    if (o->class_ == NVM_VASPACE && c->object->client == o->client && c->object->vaspace == o->handle)
      nvm_wrong(m, 0, "RM_FREE of 0x%x, the VA space of a channel", o->handle);
  }
  for (int i = 0; i < m->nfile; i++)
    for (int g = 0; m->files[i].uvm && g < NVM_MAX_GPUS; g++)
      if (m->files[i].uvm->vaspace[g] == o) nvm_wrong(m, 0, "RM_FREE of a VA space before UVM_UNREGISTER_GPU_VASPACE");
}

static uint32_t nvm_free_handle(nv_mock *m, uint8_t *p) {
  nvm_object *o = nvm_find(m, nvm_get32(p, 0), nvm_get32(p, 8));
  if (!nvm_find(m, nvm_get32(p, 0), nvm_get32(p, 0)))
    return nvm_wrong(m, NVM_BAD_CLIENT, "RM_FREE: hRoot 0x%x is no client", nvm_get32(p, 0));
  if (!o) return nvm_wrong(m, NVM_NOT_FOUND, "RM_FREE: no object 0x%x", nvm_get32(p, 8));
  if (o->class_ != NVM_CLIENT) nvm_free_order(m, o);
  nvm_free_tree(m, o);
  return 0;
}

// ---- RM_MAP_MEMORY {hClient 0, hDevice 4, hMemory 8, offset 10, length 18, pLinearAddress 20, status 28, flags 2c,
// fd 30}

static uint32_t nvm_map(nv_mock *m, uint8_t *p) {
  uint32_t client = nvm_get32(p, 0);
  nvm_object *device = nvm_find(m, client, nvm_get32(p, 4)), *o = nvm_find(m, client, nvm_get32(p, 8));
  uint64_t offset = nvm_get64(p, 0x10), nbytes = nvm_get64(p, 0x18);
  nvm_file *f = nvm_file_of(m, (int)nvm_get32(p, 0x30));
  if (!device || (device->class_ != NVM_DEVICE && device->class_ != NVM_SUBDEVICE))
    return nvm_wrong(m, NVM_BAD_DEVICE, "RM_MAP_MEMORY: hDevice is no device");
  if (!o || !o->memory)
    return nvm_wrong(m, NVM_BAD_HANDLE, "RM_MAP_MEMORY: hMemory 0x%x is no memory", nvm_get32(p, 8));
  if (o->memory->at < 0) return nvm_wrong(m, NVM_BAD_ARGUMENT, "RM_MAP_MEMORY: of pages that are the client's own");
  if (!nbytes || offset & 0xfff || offset + nbytes < offset || offset + nbytes > o->memory->nbytes)
    return nvm_wrong(m, NVM_BAD_ARGUMENT, "RM_MAP_MEMORY: 0x%llx bytes at 0x%llx of memory of 0x%llx",
                     (unsigned long long)nbytes, (unsigned long long)offset,
                     (unsigned long long)o->memory->nbytes);
  if (!f) return nvm_wrong(m, NVM_BAD_ARGUMENT, "RM_MAP_MEMORY: fd %d is not open", (int)nvm_get32(p, 0x30));
  if (f->kind != (o->memory->place == NVM_SYSMEM ? NVM_FILE_CTL : NVM_FILE_GPU) ||
      (f->kind == NVM_FILE_GPU && f->gpu != o->gpu))
    return nvm_wrong(m, NVM_BAD_ARGUMENT,
                     "RM_MAP_MEMORY: fd is of the wrong file: nvidiactl for the system's memory, else nvidia%d",
                         o->gpu);
  if (f->pending || f->was_mapped)
    return nvm_wrong(m, NVM_BAD_STATE, "RM_MAP_MEMORY: fd was used for a mapping already");
  if (nvm_get32(p, 0x2c) >> 26 & 1) return nvm_wrong(m, NVM_BAD_FLAGS, "RM_MAP_MEMORY: flags bit 26");
  f->pending = o->memory;
  o->memory->references++;
  f->pending_nbytes = nbytes; f->pending_offset = offset;
  nvm_put64(p, 0x20, (uint64_t)(uintptr_t)o->memory->bytes + offset);
  return 0;
}

static uint32_t nvm_unmap(nv_mock *m, uint8_t *p) {
  nvm_object *o = nvm_find(m, nvm_get32(p, 0), nvm_get32(p, 8));
  return o && o->memory ? 0 : nvm_wrong(m, NVM_BAD_HANDLE, "RM_UNMAP_MEMORY: hMemory 0x%x is no memory",
                                        nvm_get32(p, 8));
}

#include "nv_mock_control.c"

// ---- escapes of nvidiactl and of nvidia<N>

static int nvm_check_version(nv_mock *m, nvm_file *f, int fd, uint8_t *p) {
  (void)f; (void)fd;
  if (nvm_get32(p, 0) != '2') nvm_wrong(m, 0, "CHECK_VERSION_STR: cmd 0x%x is not QUERY", nvm_get32(p, 0));
  nvm_put32(p, 4, 1);
  memset(p + 8, 0, 64);
  snprintf((char *)p + 8, 64, "%d.%s", m->desc.branch, m->desc.branch == 580 ? "159.03" : "86.10");
  return 0;
}

static int nvm_card_info(nv_mock *m, nvm_file *f, int fd, uint8_t *p, uint32_t nbytes) {
  (void)f; (void)fd;
  if (nbytes < 72 || nbytes % 72)
    return -(int)nvm_wrong(m, EINVAL, "CARD_INFO: %u bytes are not of cards of 72", nbytes);
  memset(p, 0, nbytes);
  for (int i = 0; i < m->desc.ngpu && (uint32_t)i < nbytes / 72; i++) {
    uint8_t *card = p + 72 * i;
    card[0] = 1;
    card[8] = (uint8_t)(i + 1);                          // of pci_info: the bus
    nvm_put32(card, 0x10, 0x100u * (uint32_t)(i + 1));
    nvm_put32(card, 0x38, (uint32_t)i);
  }
  return 0;
}

static int nvm_register_fd(nv_mock *m, nvm_file *f, uint8_t *p) {
  nvm_file *ctl = nvm_file_of(m, (int)nvm_get32(p, 0));
  if (!ctl || ctl->kind != NVM_FILE_CTL) return -(int)nvm_wrong(m, EINVAL, "REGISTER_FD: ctl_fd is no nvidiactl");
  if (f->registered) return -(int)nvm_wrong(m, EINVAL, "REGISTER_FD: called twice");
  f->registered = 1;
  return 0;
}

typedef struct nvm_escape {
  uint8_t number; uint16_t nbytes, other; nvm_file_kind kind; uint8_t status; const char *name;
} nvm_escape;
// other: a second size that is taken. status: where it stands; 0: none.
static const nvm_escape nvm_escapes[] = {
  {0xd2, 72, 0, NVM_FILE_CTL, 0, "CHECK_VERSION_STR"}, {0xd6, 8, 0, NVM_FILE_CTL, 0, "SYS_PARAMS"},
  {0xc8, 0, 0, NVM_FILE_CTL, 0, "CARD_INFO"}, {0xc9, 4, 0, NVM_FILE_GPU, 0, "REGISTER_FD"},
  {0x2b, 48, 32, NVM_FILE_CTL, 0x28, "RM_ALLOC"}, {0x2a, 32, 0, NVM_FILE_CTL, 0x1c, "RM_CONTROL"},
  {0x29, 16, 0, NVM_FILE_CTL, 0xc, "RM_FREE"}, {0x27, 56, 0, NVM_FILE_GPU, 0x28, "RM_ALLOC_MEMORY"},
  {0x4e, 56, 0, NVM_FILE_CTL, 0x28, "RM_MAP_MEMORY"}, {0x4f, 32, 0, NVM_FILE_CTL, 0x18, "RM_UNMAP_MEMORY"},
};

static int nvm_escape_call(nv_mock *m, const nvm_escape *e, int fd, uint32_t nbytes, uint8_t *p) {
  nvm_file *f = nvm_file_of(m, fd);
  size_t status = e->number == 0x2b && nbytes == 32 ? 0x1c : e->status;
  if (status && m->lost && !nvm_gives_back(f, e->number)) { nvm_put32(p, status, NVM_LOST); return 0; }
  switch (e->number) {
    case 0xd2: return nvm_check_version(m, f, fd, p);
    case 0xd6: nvm_put64(p, 0, (uint64_t)128 << 20); return 0;
    case 0xc8: return nvm_card_info(m, f, fd, p, nbytes);
    case 0xc9: return nvm_register_fd(m, f, p);
    case 0x2b: nvm_put32(p, status, nvm_alloc(m, fd, p, nbytes == 48)); return 0;
    case 0x2a: nvm_put32(p, status, nvm_control(m, p)); return 0;
    case 0x29: nvm_put32(p, status, nvm_free_handle(m, p)); return 0;
    case 0x27: nvm_put32(p, status, nvm_alloc_memory(m, fd, p)); return 0;
    case 0x4e: nvm_put32(p, status, nvm_map(m, p)); return 0;
    default: nvm_put32(p, status, nvm_unmap(m, p)); return 0;
  }
}

// request: direction 31:30, size 29:16, 'F' 15:8, number 7:0.
static int nvm_rm_ioctl(nv_mock *m, int fd, uint32_t request, uint8_t *p) {
  uint32_t nbytes = request >> 16 & 0x3fff, number = request & 0xff;
  const nvm_file *f = nvm_file_of(m, fd);
  if (request >> 30 != 3 || (request >> 8 & 0xff) != 'F')
    return -(int)nvm_wrong(m, EINVAL, "ioctl 0x%x is none of nvidia.ko's", request);
  if (m->desc.gvisor && (number == 0x57 || number == 0x58)) return -EINVAL;
  for (size_t i = 0; i < sizeof nvm_escapes / sizeof *nvm_escapes; i++) {
    const nvm_escape *e = &nvm_escapes[i];
    if (e->number != number) continue;
    if (e->nbytes && nbytes != e->nbytes && nbytes != e->other)
      return -(int)nvm_wrong(m, EINVAL, "%s: %u bytes, which are %u", e->name, nbytes, e->nbytes);
    if (f->kind != e->kind) return -(int)nvm_wrong(m, EINVAL, "%s: on the wrong file", e->name);
    return nvm_escape_call(m, e, fd, nbytes, p);
  }
  return -(int)nvm_wrong(m, EINVAL, "ioctl: escape 0x%x is unknown", number);
}
