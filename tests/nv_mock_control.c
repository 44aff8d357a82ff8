// nv_mock_control.c: RM_CONTROL: what can be asked of an object. paramsSize has to be the branch's to the byte, as the
// driver compares it (rmapi/control.c). Sources: ctrl/ctrl0000, ctrl0080, ctrl2080, ctrl83de, ctrla06c, ctrlc36f,
// ctrlcb33.
#include "nv_mock_state.h"

// Columns of sizes: 535, 545, 550, 555, 560 and 565, 570, 575, 580, 590, 595, 610.
static int nvm_branch_column(int branch) {
  static const int from[] = {545, 550, 555, 560, 570, 575, 580, 590, 595, 610};
  int column = 0;
  while (column < 10 && branch >= from[column]) column++;
  return column;
}

static void nvm_text_to(uint64_t at, uint32_t nbytes, const char *text) {
  if (at && nbytes) snprintf((char *)(uintptr_t)at, nbytes, "%s", text);
}

static uint32_t nvm_ctl_version(nv_mock *m, nvm_object *o, uint8_t *p) {
  (void)o;
  char version[32];
  snprintf(version, sizeof version, "%d.%s", m->desc.branch, m->desc.branch == 580 ? "159.03" : "86.10");
  uint32_t n = nvm_get32(p, 0);
  if (!n || !nvm_get64(p, 8) || !nvm_get64(p, 0x10) || !nvm_get64(p, 0x18))
    return nvm_wrong(m, NVM_BAD_ARGUMENT, "NV0000_CTRL_CMD_SYSTEM_GET_BUILD_VERSION: sizeOfStrings or a buffer is 0");
  nvm_text_to(nvm_get64(p, 8), n, version);
  nvm_text_to(nvm_get64(p, 0x10), n, version);
  nvm_text_to(nvm_get64(p, 0x18), n, "nv_mock");
  return 0;
}

static uint32_t nvm_ctl_version2(nv_mock *m, nvm_object *o, uint8_t *p) {
  (void)o;
  if (m->desc.gvisor) return NVM_UNSUPPORTED;
  snprintf((char *)p, 256, "%d.86.10", m->desc.branch);
  return 0;
}

static uint32_t nvm_ctl_attached(nv_mock *m, nvm_object *o, uint8_t *p) {
  (void)o;
  for (int i = 0; i < 32; i++) nvm_put32(p, 4 * (size_t)i, i < m->desc.ngpu ? 0x100u * (uint32_t)(i + 1) : 0xffffffff);
  return 0;
}

static uint32_t nvm_ctl_id_info(nv_mock *m, nvm_object *o, uint8_t *p) {
  (void)o;
  uint32_t id = nvm_get32(p, 0), gpu = id / 0x100 - 1;
  if (!id || id % 0x100 || gpu >= (uint32_t)m->desc.ngpu)
    return nvm_wrong(m, NVM_BAD_ARGUMENT, "NV0000_CTRL_CMD_GPU_GET_ID_INFO_V2: gpuId 0x%x", id);
  memset(p + 4, 0, 28);
  nvm_put32(p, 8, gpu);
  nvm_put32(p, 0x18, gpu);
  nvm_put32(p, 0x1c, 0xffffffff);
  return 0;
}

static uint32_t nvm_ctl_classes(nv_mock *m, nvm_object *o, uint8_t *p) {
  (void)o;
  uint32_t n = 0;
  uint32_t *list = (uint32_t *)(uintptr_t)nvm_get64(p, 8);
  while (m->chip->classes[n]) n++;
  if (list && nvm_get32(p, 0) < n)
    return nvm_wrong(m, NVM_BAD_ARGUMENT, "NV0080_CTRL_CMD_GPU_GET_CLASSLIST: numClasses %u of %u", nvm_get32(p, 0), n);
  if (list) memcpy(list, m->chip->classes, n * sizeof *list);
  nvm_put32(p, 0, n);
  return 0;
}

static uint32_t nvm_ctl_classes2(nv_mock *m, nvm_object *o, uint8_t *p) {
  (void)o;
  uint32_t n = 0;
  for (; m->chip->classes[n]; n++) nvm_put32(p, 4 + 4 * (size_t)n, m->chip->classes[n]);
  nvm_put32(p, 0, n);
  return 0;
}

static uint32_t nvm_ctl_gid(nv_mock *m, nvm_object *o, uint8_t *p) {
  if (nvm_get32(p, 0) || (nvm_get32(p, 4) & ~3u))
    return nvm_wrong(m, NVM_BAD_ARGUMENT, "NV2080_CTRL_CMD_GPU_GET_GID_INFO: index or flags");
  if (!(nvm_get32(p, 4) & 2))
    return nvm_wrong(m, NVM_BAD_ARGUMENT, "NV2080_CTRL_CMD_GPU_GET_GID_INFO: FORMAT is not BINARY");
  nvm_uuid(o->gpu, p + 12);
  nvm_put32(p, 8, 16);
  return 0;
}

static uint32_t nvm_gr_info(const nv_mock *m, uint32_t index) {
  const nvm_chip *c = m->chip;
  switch (index) {
    case 0x7: return (uint32_t)c->gpcs;
    case 0x9: return (uint32_t)(c->gpcs * c->tpcs_per_gpc);
    case 0xc: return c->sm_version;
    case 0xd: return (uint32_t)c->warps_per_sm;
    case 0x14: return (uint32_t)c->gpcs;
    case 0x17: return (uint32_t)c->tpcs_per_gpc;
    case 0x20: return (uint32_t)c->sms_per_tpc;
    default: return 0;
  }
}

static uint32_t nvm_ctl_gr_info(nv_mock *m, nvm_object *o, uint8_t *p) {
  (void)o;
  uint32_t n = nvm_get32(p, 0);
  uint32_t *list = (uint32_t *)(uintptr_t)nvm_get64(p, 8);
  if (!n || !list) return nvm_wrong(m, NVM_BAD_ARGUMENT, "NV2080_CTRL_CMD_GR_GET_INFO: an empty list");
  for (uint32_t i = 0; i < n; i++) list[2 * i + 1] = nvm_gr_info(m, list[2 * i]);
  return 0;
}

static uint32_t nvm_ctl_gpu_info(nv_mock *m, nvm_object *o, uint8_t *p) {
  (void)o;
  uint32_t n = nvm_get32(p, 0);
  if (!n || n > 64) return nvm_wrong(m, NVM_BAD_ARGUMENT, "NV2080_CTRL_CMD_GPU_GET_INFO_V2: gpuInfoListSize %u", n);
  for (uint32_t i = 0; i < n; i++)
    nvm_put32(p, 8 + 8 * (size_t)i, nvm_get32(p, 4 + 8 * (size_t)i) == 0x2a && m->desc.mig);
  return 0;
}

// NV2080_CTRL_FB_INFO_INDEX, in KiB.
static uint32_t nvm_fb_info(const nv_mock *m, int gpu, uint32_t index) {
  switch (index) {
    case 0x7: case 0x8: case 0x9: case 0x20: return (uint32_t)(m->desc.vram_nbytes >> 10);
    case 0xb: return 384;
    case 0x16: return (uint32_t)(m->vram_left[gpu] >> 10);
    case 0x1b: return 40u << 20;
    default: return 0;
  }
}

static uint32_t nvm_ctl_fb_info(nv_mock *m, nvm_object *o, uint8_t *p) {
  uint32_t n = nvm_get32(p, 0);
  if (!n || n > 54) return nvm_wrong(m, NVM_BAD_ARGUMENT, "NV2080_CTRL_CMD_FB_GET_INFO_V2: fbInfoListSize %u", n);
  for (uint32_t i = 0; i < n; i++)
    nvm_put32(p, 8 + 8 * (size_t)i, nvm_fb_info(m, o->gpu, nvm_get32(p, 4 + 8 * (size_t)i)));
  return 0;
}

static uint32_t nvm_ctl_name(nv_mock *m, nvm_object *o, uint8_t *p) {
  (void)o;
  if (nvm_get32(p, 0))
    return nvm_wrong(m, NVM_BAD_ARGUMENT, "NV2080_CTRL_CMD_GPU_GET_NAME_STRING: flags are not ASCII");
  snprintf((char *)p + 4, 64, "%s", m->chip->name);
  return 0;
}

static uint32_t nvm_ctl_mode(nv_mock *m, nvm_object *o, uint8_t *p) {
  (void)o;
  nvm_put32(p, 0, m->desc.exclusive ? 3 : 0);            // NV2080_CTRL_GPU_COMPUTE_MODE_RULES_EXCLUSIVE_COMPUTE_PROCESS
  return 0;
}

static uint32_t nvm_ctl_boost(nv_mock *m, nvm_object *o, uint8_t *p) {
  (void)o;
  return nvm_get32(p, 0) & ~0x73u ? nvm_wrong(m, NVM_BAD_FLAGS, "NV2080_CTRL_CMD_PERF_BOOST: flags 0x%x",
                                              nvm_get32(p, 0)) : 0;
}

// Two bytes of capabilities for each engine, and which engines there are: the first two are GR's.
static uint32_t nvm_ctl_ce_caps(nv_mock *m, nvm_object *o, uint8_t *p) {
  (void)o;
  memset(p, 0, m->desc.branch < 545 ? 68 : 136);
  p[0] = p[2] = 1;
  if (m->desc.branch < 545) nvm_put32(p, 64, 0x3ff);
  else nvm_put64(p, 128, 0x3ff);
  return 0;
}

static uint32_t nvm_ctl_arch(nv_mock *m, nvm_object *o, uint8_t *p) {
  (void)o;
  memset(p, 0, 16);
  nvm_put32(p, 0, m->chip->architecture);
  return 0;
}

static uint32_t nvm_ctl_time(nv_mock *m, nvm_object *o, uint8_t *p) { (void)o; nvm_put64(p, 0, nvm_now(m)); return 0; }

static uint32_t nvm_ctl_times(nv_mock *m, nvm_object *o, uint8_t *p) {
  (void)o;
  if (!p[1] || p[1] > 16)
    return nvm_wrong(m, NVM_BAD_ARGUMENT, "TIMER_GET_GPU_CPU_TIME_CORRELATION_INFO: sampleCount %u", p[1]);
  for (size_t i = 0; i < p[1]; i++) { nvm_put64(p, 8 + 16 * i, nvm_now(m)); nvm_put64(p, 16 + 16 * i, m->time_ns); }
  return 0;
}

static uint32_t nvm_ctl_confidential(nv_mock *m, nvm_object *o, uint8_t *p) { 
  (void)m; (void)o;
  memset(p, 0, 6);
  return 0;
}


static uint32_t nvm_ctl_token(nv_mock *m, nvm_object *o, uint8_t *p) {
  (void)m;
  nvm_put32(p, 0, o->channel->token);
  return 0;
}

// A channel of GR whose context UVM has not mapped cannot run (kernel_channel_group_api.c).
static uint32_t nvm_schedule(nv_mock *m, nvm_channel *c, int enable) {
  if (!c->uvm_file && c->object->engine == 1)
    return nvm_wrong(m, NVM_BAD_STATE, "GPFIFO_SCHEDULE: UVM_REGISTER_CHANNEL was not called for channel 0x%x",
                     c->token);
  c->scheduled = enable;
  return 0;
}

static uint32_t nvm_ctl_schedule(nv_mock *m, nvm_object *o, uint8_t *p) {
  uint32_t status = 0, n = 0;
  for (int i = 0; !status && i < m->nchannel; i++) {
    nvm_channel *c = m->channels[i];
    if (c->object != o && (c->object->client != o->client || c->object->parent != o->handle)) continue;
    status = nvm_schedule(m, c, p[0] != 0);
    n++;
  }
  return n ? status : nvm_wrong(m, NVM_BAD_STATE, "GPFIFO_SCHEDULE: the group has no channels");
}

// hTargetChannel 0, numSMsToRead 4, smErrorStateArray 8 of 48 each, then mmuFaultInfo, mmuFault {valid u8, info u32}.
static uint32_t nvm_ctl_errors(nv_mock *m, nvm_object *o, uint8_t *p) {
  nvm_object *target = nvm_find(m, o->client, nvm_get32(p, 0));
  uint32_t n = nvm_get32(p, 4);
  if (!target || !target->channel)
    return nvm_wrong(m, NVM_BAD_CHANNEL, "DEBUG_READ_ALL_SM_ERROR_STATES: hTargetChannel is no channel");
  if (n > 100) return nvm_wrong(m, NVM_BAD_ARGUMENT, "DEBUG_READ_ALL_SM_ERROR_STATES: numSMsToRead %u", n);
  memset(p + 8, 0, 4824 - 8);
  int xid = target->channel->dead;
  if (xid == 13) nvm_put32(p, 8 + 4, 0xe);               // hwwWarpEsr: an error's number, OUT_OF_RANGE_ADDRESS
  if (xid == 31) p[8 + 4800 + 4] = 1;
  return 0;
}

// {faultAddress u64, faultType, accessType} of four, then how many. gVisor does not pass it on.
static uint32_t nvm_ctl_faults(nv_mock *m, nvm_object *o, uint8_t *p) {
  (void)o;
  if (m->desc.gvisor) return NVM_UNSUPPORTED;
  memset(p, 0, 72);
  nvm_put64(p, 0, m->fault_at);
  nvm_put32(p, 64, m->fault_at != 0);
  return 0;
}

// {type 0, hDevice 4, hParent 8, hObject c, fd 10, flags 14}: fd is a nvidiactl that nothing was exported to
// (ctrl0000unix.h).
static uint32_t nvm_ctl_to_file(nv_mock *m, nvm_object *o, uint8_t *p) {
  const char *name = "NV0000_CTRL_CMD_OS_UNIX_EXPORT_OBJECT_TO_FD";
  nvm_object *device = nvm_find(m, o->client, nvm_get32(p, 4)), *memory = nvm_find(m, o->client, nvm_get32(p, 12));
  nvm_file *f = nvm_file_of(m, (int)nvm_get32(p, 0x10));
  if (m->desc.no_export) return NVM_UNSUPPORTED;
  if (nvm_get32(p, 0) != 1) return nvm_wrong(m, NVM_BAD_ARGUMENT, "%s: type %u is not RM", name, nvm_get32(p, 0));
  if (!device || device->class_ != NVM_DEVICE) return nvm_wrong(m, NVM_BAD_DEVICE, "%s: hDevice is no device", name);
  if (!memory || !memory->memory) return nvm_wrong(m, NVM_BAD_HANDLE, "%s: hObject is no memory", name);
  if (!f || f->kind != NVM_FILE_CTL) return nvm_wrong(m, NVM_BAD_ARGUMENT, "%s: fd is no nvidiactl", name);
  if (f->shared) return nvm_wrong(m, NVM_BAD_STATE, "%s: fd has an object already", name);
  if (nvm_get32(p, 0x14)) return nvm_wrong(m, NVM_BAD_FLAGS, "%s: flags", name);
  f->shared = memory->memory;
  f->shared->references++;
  return 0;
}

// {fd 0, type 4, hDevice 8, hParent c, hObject 10}: what is no such file is refused, and no mistake.
static uint32_t nvm_ctl_from_file(nv_mock *m, nvm_object *o, uint8_t *p) {
  const char *name = "NV0000_CTRL_CMD_OS_UNIX_IMPORT_OBJECT_FROM_FD";
  nvm_object *device = nvm_find(m, o->client, nvm_get32(p, 8)), *parent = nvm_find(m, o->client, nvm_get32(p, 12));
  const nvm_file *f = nvm_file_of(m, (int)nvm_get32(p, 0));
  uint32_t handle = nvm_get32(p, 0x10);
  if (nvm_get32(p, 4) != 1) return nvm_wrong(m, NVM_BAD_ARGUMENT, "%s: type %u is not RM", name, nvm_get32(p, 4));
  if (!device || device->class_ != NVM_DEVICE || parent != device)
    return nvm_wrong(m, NVM_BAD_DEVICE, "%s: hDevice and hParent are no device", name);
  if (!f || f->kind != NVM_FILE_CTL || !f->shared) return NVM_BAD_ARGUMENT;
  if (f->shared->place == NVM_VRAM && f->shared->gpu != device->gpu) return NVM_BAD_DEVICE;
  if (!handle) handle = m->next_handle++;
  nvm_object *memory = nvm_object_new(o->client, parent->handle, handle, NVM_USER_MEMORY);
  memory->gpu = device->gpu;
  memory->memory = f->shared;
  memory->memory->references++;
  nvm_put32(p, 0x10, handle);
  return nvm_add(m, memory);
}

typedef uint32_t (*nvm_ctl)(nv_mock *m, nvm_object *o, uint8_t *p);
#define ONE(n) {n, n, n, n, n, n, n, n, n, n, n}
static const struct { uint32_t command, kind; uint16_t nbytes[11]; nvm_ctl call; } nvm_controls[] = {
  {0x101, NVM_CLIENT, ONE(40), nvm_ctl_version},
  {0x13e, NVM_CLIENT, {776, 776, 776, 776, 1032, 1032, 1032, 1032, 1032, 1032, 1032}, nvm_ctl_version2},
  {0x201, NVM_CLIENT, ONE(128), nvm_ctl_attached},
  {0x205, NVM_CLIENT, ONE(32), nvm_ctl_id_info},
  {0x3d05, NVM_CLIENT, ONE(24), nvm_ctl_to_file},
  {0x3d06, NVM_CLIENT, ONE(20), nvm_ctl_from_file},
  {0x800201, NVM_DEVICE, ONE(16), nvm_ctl_classes},
  {0x800292, NVM_DEVICE, {644, 644, 700, 404, 404, 404, 404, 804, 804, 804, 804}, nvm_ctl_classes2},
  {0x20800102, NVM_SUBDEVICE, {516, 524, 524, 524, 524, 524, 532, 564, 564, 564, 564}, nvm_ctl_gpu_info},
  {0x20800110, NVM_SUBDEVICE, {132, 132, 132, 132, 132, 132, 132, 132, 132, 68, 68}, nvm_ctl_name},
  {0x20800131, NVM_SUBDEVICE, ONE(4), nvm_ctl_mode},
  {0x2080014a, NVM_SUBDEVICE, ONE(268), nvm_ctl_gid},
  {0x20800403, NVM_SUBDEVICE, ONE(8), nvm_ctl_time},
  {0x20800406, NVM_SUBDEVICE, ONE(264), nvm_ctl_times},
  {0x20801201, NVM_SUBDEVICE, ONE(32), nvm_ctl_gr_info},
  {0x20801303, NVM_SUBDEVICE, {436, 444, 444, 444, 460, 460, 460, 1028, 1028, 1028, 1028}, nvm_ctl_fb_info},
  {0x20801701, NVM_SUBDEVICE, ONE(16), nvm_ctl_arch},
  {0x2080200a, NVM_SUBDEVICE, ONE(8), nvm_ctl_boost},
  {0x20802a0a, NVM_SUBDEVICE, {68, 136, 136, 136, 136, 136, 136, 136, 136, 136, 136}, nvm_ctl_ce_caps},
  {0x83de0328, NVM_DEBUGGER, ONE(72), nvm_ctl_faults},
  {0x83de030c, NVM_DEBUGGER, ONE(4824), nvm_ctl_errors},
  {0xa06c0101, NVM_GROUP, {2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3}, nvm_ctl_schedule},
  {0xa06f0103, NVM_CHANNELS, {2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3}, nvm_ctl_schedule},
  {0xc36f0108, NVM_CHANNELS, ONE(4), nvm_ctl_token},
  {0xcb330101, NVM_CONFIDENTIAL, ONE(6), nvm_ctl_confidential},
};
#undef ONE

// NVOS54: hClient 0, hObject 4, cmd 8, flags c, params 10, paramsSize 18, status 1c.
static uint32_t nvm_control(nv_mock *m, uint8_t *p) {
  uint32_t command = nvm_get32(p, 8), nbytes = nvm_get32(p, 0x18);
  nvm_object *o = nvm_find(m, nvm_get32(p, 0), nvm_get32(p, 4));
  uint8_t *params = (uint8_t *)(uintptr_t)nvm_get64(p, 0x10);
  int column = nvm_branch_column(m->desc.branch);
  if (!nvm_find(m, nvm_get32(p, 0), nvm_get32(p, 0)))
    return nvm_wrong(m, NVM_BAD_CLIENT, "RM_CONTROL 0x%x: hClient 0x%x is no client", command, nvm_get32(p, 0));
  if (!o) return nvm_wrong(m, NVM_BAD_HANDLE, "RM_CONTROL 0x%x: no object 0x%x", command, nvm_get32(p, 4));
  if (nvm_get32(p, 0xc)) return nvm_wrong(m, NVM_BAD_FLAGS, "RM_CONTROL 0x%x: flags 0x%x", command, nvm_get32(p, 0xc));
  for (size_t i = 0; i < sizeof nvm_controls / sizeof *nvm_controls; i++) {
    if (nvm_controls[i].command != command) continue;
    uint32_t want = nvm_controls[i].nbytes[column];
    if (nvm_kind(m->chip, o->class_) != nvm_controls[i].kind)
      return nvm_wrong(m, NVM_UNSUPPORTED, "RM_CONTROL 0x%x: on an object of class 0x%x", command, o->class_);
    if (nbytes != want || !params)
      return nvm_wrong(m, NVM_BAD_ARGUMENT, "RM_CONTROL 0x%x: paramsSize %u, which is %u in branch %d", command,
                       nbytes, want, m->desc.branch);
    return nvm_controls[i].call(m, o, params);
  }
  return nvm_wrong(m, NVM_UNSUPPORTED, "RM_CONTROL 0x%x is unknown", command);
}
