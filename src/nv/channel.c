// channel: what a GPU is told: words in memory, where they stand in a ring, a doorbell; how far it is; faults.
//
// In:    methods and their values. Out: submissions, numbered for each channel; waits for a number, with an end.
// Holds: behind each submission its number is written to the channel's semaphore, when all before it has happened. A
//        ring's part is written again when what used it has happened. What waits is ended after timeout_ns without
//        progress: the GPU is lost then, for this context alone.
// What is what: NVIDIA/open-gpu-doc, classes/host/clc56f.h, clc86f.h; manuals/volta/gv100/dev_pbdma.ref.txt.
#ifndef TN_NV_CHANNEL_ROOM
#define TN_NV_CHANNEL_ROOM
#ifndef TINY_AMALGAMATED
#include "device.c"
#endif

enum { TN_NV_ON_HOST = 0, TN_NV_ON_COMPUTE = 1, TN_NV_ON_COPY = 4 };       // subchannels
enum {                                     // methods of a channel, and of both classes
  TN_NV_SET_OBJECT = 0x0, TN_NV_SEM_ADDR_LO = 0x5C, TN_NV_SEM_RELEASE = 1, TN_NV_SEM_ACQUIRE = 3 /* GEQ */,
  TN_NV_SEM_WFI = 1 << 20, TN_NV_SEM_64 = 1 << 24, TN_NV_SEM_TIME = 1 << 25
};
enum { TN_NV_RING_NBYTES = TN_NV_ENTRIES * 8, TN_NV_USERD_PUT = 0x8C, TN_NV_DOORBELL = 0x90, TN_NV_SEM_NBYTES = 16 };
enum { TN_NV_SIGNALS = 4096, TN_NV_STAMPS = TN_NV_SIGNALS / 2 - TN_NV_CHANNELS };  // semaphores; timed launches

// ** waiting **

static const char *tn_nv_fault_text(uint32_t xid) {          // nverror.h; NVIDIA, XID errors
  switch (xid) {
    case 13: return "a kernel used an address outside of memory or misaligned, or an illegal instruction";
    case 31: return "an address that is no memory was used";
    case 32: return "the GPU does not understand what it was told";
    case 43: return "the channel was stopped";
    case 45: return "the channel was ended, as of another that failed";
    case 48: case 94: case 95: return "the GPU's memory has an error that cannot be corrected";
    case 69: return "the GPU does not take a method";
    case 79: return "the GPU has fallen off the bus";
    case 109: return "switching to another program took too long";
    default: return "the GPU reports an error";
  }
}
// " at 0x1200000 (a write)": what the driver recorded of the first fault; "" where it does not tell.
static void tn_nv_fault_place(tn_nv *d, char *out, size_t nbytes) {
  static const char *const accesses[] = {"a read", "a write", "an atomic operation", "a prefetch"};
  tn_nv_faults_params f;
  memset(&f, 0, sizeof f);
  out[0] = 0;
  char was[sizeof d->rm.why];
  memcpy(was, d->rm.why, sizeof was);
  if (d->debugger &&
      tn_nv_control(&d->rm, d->debugger, TN_NV_FAULTS, &f, sizeof f, "faults") == TINY_OK && f.n && f.n <= 4)
    snprintf(out, nbytes, " at 0x%llx (%s)", (unsigned long long)f.fault[0].address,
             accesses[f.fault[0].access & 3]);
  memcpy(d->rm.why, was, sizeof was);
}
// A device that is lost, or closed: those who wait for its semaphores go on.
static void tn_nv_let_go(tn_nv *d) {
  for (int i = 0; i < TN_NV_CHANNELS; i++)
    if (d->lost && d->channel[i].done) tn_driver_store(d->channel[i].done, d->channel[i].given);
}
// Has the driver ended a channel? Then the device is lost, and rm.why says what was wrong.
static int tn_nv_faulted(tn_nv *d) {
  char place[64];
  for (int i = 0; i < TN_NV_CHANNELS && !d->lost; i++) {
    if (!d->channel[i].notifier) continue;
    tn_nv_notification n;
    memcpy(&n, d->channel[i].notifier->cpu, sizeof n);
    if (!n.status) continue;
    d->lost = (int)n.info ? (int)n.info : -1;
    tn_nv_fault_place(d, place, sizeof place);
    tn_nv_wrong(&d->rm, TINY_E_DEVICE, "the device is lost: %s%s (Xid %u); close the context, or go on with another "
                "device", tn_nv_fault_text(n.info), place, (unsigned)n.info);
    tn_nv_let_go(d);
  }
  return d->lost;
}
// rm.why says why, from the first time on.
static tiny_code tn_nv_enter(tn_nv *d) { return d->lost ? tn_nv_failed(d) : TINY_OK; }

static uint64_t tn_nv_done(const tn_nv_channel *c) { return c->done ? tn_driver_load(c->done) : 0; }
// Hardware needs no second ring; what plays hardware has its turn.
static void tn_nv_ring_bell(tn_nv *d, const tn_nv_channel *c) {
  *(volatile uint32_t *)(d->bell + TN_NV_DOORBELL) = c->token;
  if (d->rm.sys.doorbell) d->rm.sys.doorbell(d->rm.sys.user, c->token);
}
static tiny_code tn_nv_too_long(tn_nv *d) {
  d->lost = -1;
  tn_nv_let_go(d);
  return tn_nv_wrong(&d->rm, TINY_E_DEVICE, "the device is lost: nothing has happened for %llu s; a kernel may never "
                     "end (TINY_NV_TIMEOUT_MS); close the context, or go on with another device",
                     (unsigned long long)(d->timeout_ns / 1000000000u));
}
// How far all are that this wait may wait for: what grows is progress. Of others it is looked at whether they are lost.
static uint64_t tn_nv_progress(tn_nv *d) {
  uint64_t all = 0;
  for (int i = 0; i < TN_NV_CHANNELS; i++) all += tn_nv_done(&d->channel[i]);
  for (int k = 0; k < d->npeer; k++) {
    tn_nv *o = d->peer[k].of;
    all += (uint64_t)(tn_nv_faulted(o) != 0);
    for (int i = 0; i < TN_NV_CHANNELS; i++) all += tn_nv_done(&o->channel[i]);
  }
  return all;
}
// The device of this context that d waits for in vain; else d itself.
static tn_nv *tn_nv_culprit(tn_nv *d) {
  for (int k = 0; k < d->npeer; k++) for (int i = 0; i < TN_NV_CHANNELS; i++)
    if (!d->peer[k].of->lost && tn_nv_done(&d->peer[k].of->channel[i]) < d->peer[k].value[i]) return d->peer[k].of;
  return d;
}
// Until the channel's submission `value` has happened; the time counts from the last progress of any channel.
static tiny_code tn_nv_wait_for(tn_nv *d, int channel, uint64_t value) {
  tn_nv_channel *c = &d->channel[channel];
  uint64_t since = 0, seen = UINT64_MAX;
  for (int spins = 0; tn_nv_done(c) < value; spins++) {
    tn_driver_pause(spins);
    if (spins < 1000 || spins % 64) continue;
    if (tn_nv_faulted(d)) return TINY_E_DEVICE;
    const uint64_t all = tn_nv_progress(d), now = tn_driver_clock_ns();
    if (all != seen) { seen = all; since = now; }
    if (now - since > d->timeout_ns) {
      tn_nv *const slow = tn_nv_culprit(d);
      tn_nv_too_long(slow);
      if (slow == d) return TINY_E_DEVICE;
    }
    if (d->rm.sys.doorbell) tn_nv_ring_bell(d, c);
  }
  return tn_nv_faulted(d) ? TINY_E_DEVICE : TINY_OK;
}

// ** words **

static void tn_nv_word(tn_nv_channel *c, uint32_t word) { *c->at++ = word; }
// n values follow, of methods one after the other.
static void tn_nv_method(tn_nv_channel *c, int subchannel, uint32_t method, int n) {
  tn_nv_word(c, (uint32_t)(1u << 29 | (uint32_t)n << 16 | (uint32_t)subchannel << 13 | method >> 2));
}
static void tn_nv_one(tn_nv_channel *c, int subchannel, uint32_t method, uint32_t value) {
  tn_nv_method(c, subchannel, method, 1);
  tn_nv_word(c, value);
}
static void tn_nv_address(tn_nv_channel *c, uint64_t address) {            // the upper part first
  tn_nv_word(c, (uint32_t)(address >> 32));
  tn_nv_word(c, (uint32_t)address);
}
static void tn_nv_semaphore(tn_nv_channel *c, uint64_t address, uint64_t value, uint32_t execute) {
  tn_nv_method(c, TN_NV_ON_HOST, TN_NV_SEM_ADDR_LO, 5);
  tn_nv_word(c, (uint32_t)address);
  tn_nv_word(c, (uint32_t)(address >> 32));
  tn_nv_word(c, (uint32_t)value);
  tn_nv_word(c, (uint32_t)(value >> 32));
  tn_nv_word(c, execute | TN_NV_SEM_64);
}
static uint64_t tn_nv_signal_at(const tn_nv *d, int i) { return d->signals->va + (uint64_t)i * TN_NV_SEM_NBYTES; }

// ** submissions **

enum { TN_NV_RELEASE_WORDS = 6 };
static tiny_code tn_nv_wait_for_entries(tn_nv *d, int channel) {
  const tn_nv_channel *c = &d->channel[channel];
  enum { MOST = TN_NV_ENTRIES / 3 - 2 };   // up to three entries for each: words, a list, and what ends it
  return c->given < MOST ? TINY_OK : tn_nv_wait_for(d, channel, c->given - MOST);
}
static void tn_nv_entry(tn_nv_channel *c, uint64_t va, size_t nwords) {
  const uint64_t entry = (va & ~UINT64_C(3)) | (uint64_t)1 << 41 | (uint64_t)nwords << 42;
  memcpy(c->control->cpu + (size_t)c->put * 8, &entry, sizeof entry);
  c->put = (c->put + 1) % TN_NV_ENTRIES;
}
static uint64_t tn_nv_words_va(const tn_nv_channel *c, const uint32_t *at) {
  return c->words.memory->va + (uint64_t)((const char *)at - c->words.memory->cpu);
}
// What was written since the last one, behind a list of commands that was prepared (nwords 0: there is none).
static tiny_code tn_nv_submit_list(tn_nv *d, int channel, uint64_t list, size_t nwords) {
  tn_nv_channel *c = &d->channel[channel];
  if (c->at == c->from && !nwords) return TINY_OK;
  const tiny_code code = tn_nv_wait_for_entries(d, channel);
  if (code != TINY_OK) return code;
  const uint32_t *const from = c->from;
  if (nwords) {
    if (c->at > from) { tn_nv_entry(c, tn_nv_words_va(c, from), (size_t)(c->at - from)); c->from = c->at; }
    tn_nv_entry(c, list, nwords);
  }
  tn_nv_semaphore(c, tn_nv_signal_at(d, channel), ++c->given, TN_NV_SEM_RELEASE | TN_NV_SEM_WFI);
  tn_nv_entry(c, tn_nv_words_va(c, c->from), (size_t)(c->at - c->from));
  c->from = c->at;
  tn_driver_fence();
  *(volatile uint32_t *)(c->control->cpu + TN_NV_RING_NBYTES + TN_NV_USERD_PUT) = c->put;
  tn_driver_fence();
  tn_nv_ring_bell(d, c);
  return TINY_OK;
}
static tiny_code tn_nv_submit_words(tn_nv *d, int channel) { return tn_nv_submit_list(d, channel, 0, 0); }

// ** rings **

static tiny_code tn_nv_ring_make(tn_nv *d, tn_nv_ring *r, int channel, size_t part) {
  r->memory = tn_nv_memory_make(d, part * TN_NV_PARTS, 1);
  r->part = part; r->channel = channel;
  return r->memory ? TINY_OK : d->rm.code;
}
// nbytes, up to a part's; NULL after an error. They are free again when what is submitted next has happened.
static char *tn_nv_ring_take(tn_nv *d, tn_nv_ring *r, size_t nbytes, size_t align) {
  tn_nv_channel *c = &d->channel[r->channel];
  size_t at = (r->fill + align - 1) / align * align;
  if (at + nbytes > r->part) {
    r->busy[r->now] = c->given + 1;
    r->now = (r->now + 1) % TN_NV_PARTS;
    if (r->busy[r->now] > c->given && tn_nv_submit_words(d, r->channel) != TINY_OK) return NULL;
    if (tn_nv_wait_for(d, r->channel, r->busy[r->now]) != TINY_OK) return NULL;
    at = 0;
  }
  r->fill = at + nbytes;
  return r->memory->cpu + (size_t)r->now * r->part + at;
}
static uint64_t tn_nv_ring_va(const tn_nv_ring *r, const char *at) {
  return r->memory->va + (uint64_t)(at - r->memory->cpu);
}
// Room for n words and what ends a submission.
static tiny_code tn_nv_room(tn_nv *d, int channel, int n) {
  tn_nv_channel *c = &d->channel[channel];
  n += 2 * TN_NV_RELEASE_WORDS;
  if (c->at && c->end - c->at >= n) return TINY_OK;
  const tiny_code code = c->at ? tn_nv_submit_words(d, channel) : TINY_OK;
  if (code != TINY_OK) return code;
  c->words.fill = c->at ? c->words.part : 0;
  char *const part = tn_nv_ring_take(d, &c->words, c->words.part, 1);
  if (!part) return TINY_E_DEVICE;
  c->at = c->from = (uint32_t *)(void *)part;
  c->end = (uint32_t *)(void *)(part + c->words.part);
  return TINY_OK;
}
// What `channel` does next comes after submission `value` of another.
static void tn_nv_after(tn_nv *d, int channel, int other, uint64_t value) {
  tn_nv_channel *c = &d->channel[channel];
  if (value <= c->seen[other] || value <= tn_nv_done(&d->channel[other])) return;
  tn_nv_semaphore(c, tn_nv_signal_at(d, other), value, TN_NV_SEM_ACQUIRE);
  c->seen[other] = value;
}

// ** opened **

static tiny_code tn_nv_open_group(tn_nv *d) {
  tn_nv_group_params g;
  tn_nv_share_params s;
  memset(&g, 0, sizeof g);
  memset(&s, 0, sizeof s);
  g.vaspace = d->vaspace; g.engine = TN_NV_ENGINE_COMPUTE;
  s.vaspace = d->vaspace; s.flags = TN_NV_SHARE_ASYNC;
  const tiny_code code = tn_nv_make(&d->rm, d->device, TN_NV_GROUP, &g, sizeof g,
                                    "a group of channels (KEPLER_CHANNEL_GROUP_A)", &d->group);
  if (code != TINY_OK) return code;
  return tn_nv_make(&d->rm, d->group, TN_NV_SHARE, &s, sizeof s, "a shared context (FERMI_CONTEXT_SHARE_A)", &d->share);
}
static tiny_code tn_nv_make_channel(tn_nv *d, tn_nv_channel *c) {
  tn_nv_channel_params p;
  uint8_t call[sizeof p + 8];
  const size_t head = offsetof(tn_nv_channel_params, userd_memory), gap = d->rm.branch->channel_gap;
  memset(&p, 0, sizeof p);
  memset(call, 0, sizeof call);
  p.error = c->notifier->handle; p.ring = c->control->va; p.entries = TN_NV_ENTRIES; p.share = d->share;
  p.userd_memory[0] = c->control->handle; p.userd[0] = TN_NV_RING_NBYTES; p.engine = TN_NV_ENGINE_COMPUTE;
  memcpy(call, &p, head);
  memcpy(call + head + gap, (const char *)&p + head, sizeof p - head);
  return tn_nv_make(&d->rm, d->group, d->fifo_class, call, d->rm.branch->channel, "a channel (GPFIFO)", &c->handle);
}
static tiny_code tn_nv_make_engines(tn_nv *d, tn_nv_channel *c, int compute) {
  tn_nv_compute_params p = {2, 0, sizeof p, 0};
  uint32_t copy = 0;
  tiny_code code = TINY_OK;
  if (compute)
    code = tn_nv_make(&d->rm, c->handle, d->generation->compute, &p, sizeof p, "compute on a channel",
                      &d->compute_object);
  if (code != TINY_OK) return code;
  return tn_nv_make(&d->rm, c->handle, d->copy_class, NULL, 0, "copies on a channel", &copy);
}
static tiny_code tn_nv_register_channel(tn_nv *d, tn_nv_channel *c) {
  enum { NBYTES = 64 << 20 };              // of addresses for the driver's own buffers
  tn_uvm_channel u;
  uint32_t token = UINT32_MAX;
  memset(&u, 0, sizeof u);
  tiny_code code = tn_nv_control(&d->rm, c->handle, TN_NV_TOKEN, &token, sizeof token,
                                 "a doorbell's token (GET_WORK_SUBMIT_TOKEN)");
  if (code != TINY_OK) return code;
  c->token = token;
  memcpy(u.uuid, d->uuid, 16);
  u.control = d->rm.control; u.client = d->rm.root; u.channel = c->handle;
  u.base = tn_nv_low(d, NBYTES, 2u << 20); u.nbytes = NBYTES;
  code = tn_nv_uvm(&d->rm, TN_UVM_REGISTER_CHANNEL, &u, &u.status, "UVM_REGISTER_CHANNEL");
  c->registered = code == TINY_OK;
  return code;
}
static tiny_code tn_nv_open_channel(tn_nv *d, int i) {
  tn_nv_channel *c = &d->channel[i];
  c->control = tn_nv_memory_make(d, TN_NV_RING_NBYTES + 4096, 1);
  if (c->control) c->notifier = tn_nv_memory_make(d, 4096, 1);
  if (!c->notifier) return d->rm.code;
  c->done = (uint64_t *)(void *)(d->signals->cpu + i * TN_NV_SEM_NBYTES);
  tiny_code code = tn_nv_ring_make(d, &c->words, i, i == TN_NV_LAUNCHES ? 65536 : 16384);
  if (code == TINY_OK) code = tn_nv_make_channel(d, c);
  if (code == TINY_OK) code = tn_nv_make_engines(d, c, i == TN_NV_LAUNCHES);
  return code == TINY_OK ? tn_nv_register_channel(d, c) : code;
}
static tiny_code tn_nv_open_channels(tn_nv *d) {
  uint8_t schedule[3] = {1, 0, 0};
  tiny_code code = tn_nv_open_group(d);
  d->signals = code == TINY_OK ? tn_nv_memory_make(d, (uint64_t)TN_NV_SIGNALS * TN_NV_SEM_NBYTES, 1) : NULL;
  if (code == TINY_OK && !d->signals) code = d->rm.code;
  for (int i = 0; i < TN_NV_CHANNELS && code == TINY_OK; i++) code = tn_nv_open_channel(d, i);
  if (code == TINY_OK)
    code = tn_nv_control(&d->rm, d->group, TN_NV_SCHEDULE, schedule, d->rm.branch->schedule, "starting the channels");
  if (code != TINY_OK) return code;
  tn_nv_debugger_params p = {0, d->rm.root, d->compute_object};    // reads what faulted; it may be refused
  if (tn_nv_make(&d->rm, d->device, TN_NV_DEBUGGER, &p, sizeof p, "fault reports", &d->debugger) != TINY_OK)
    d->debugger = 0;
  return TINY_OK;
}
// The driver ends what is still running there.
static void tn_nv_close_channels(tn_nv *d) {
  for (int i = TN_NV_CHANNELS - 1; i >= 0; i--) {
    if (d->channel[i].registered) tn_nv_uvm_unregister(&d->rm, d->uuid, d->channel[i].handle);
    d->channel[i].registered = 0;
  }
  if (d->debugger) tn_nv_drop(&d->rm, d->device, d->debugger);
  for (int i = TN_NV_CHANNELS - 1; i >= 0; i--) tn_nv_drop(&d->rm, d->group, d->channel[i].handle);
  if (d->share) tn_nv_drop(&d->rm, d->group, d->share);
  if (d->group) tn_nv_drop(&d->rm, d->device, d->group);
}
#endif
