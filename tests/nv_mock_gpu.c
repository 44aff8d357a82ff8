// nv_mock_gpu.c: channels: entries of the ring, pushbuffers, methods, semaphores, copies; and when work that was begun
// is done. In order, at once, without a seed; else as late as what waits for it allows, and in any order that is not
// said.
//
// Sources: clc56f.h and clc86f.h (entries, headers, SEM_*), classes/dma-copy, classes/compute of open-gpu-doc, by name.
// What a channel is sent wrong stops it, with a record in its error notifier, as robust channels do (nverror.h).
#include "nv_mock_state.h"

static void nvm_fault(nv_mock *m, nvm_channel *c, uint32_t xid) {
  for (int i = 0; i < m->nchannel; i++) {
    nvm_channel *d = m->channels[i];
    if (d->dead || d->object->client != c->object->client || d->object->parent != c->object->parent) continue;
    d->dead = (int)xid;
    d->njob = 0;
    if (!d->notifier) continue;
    uint8_t record[16] = {0};                            // NvNotification: timeStamp, info32, info16, status
    nvm_put64(record, 0, nvm_now(m));
    nvm_put32(record, 8, xid);
    nvm_put32(record, 12, 0xffff0000);
    memcpy(d->notifier->bytes, record, sizeof record);
  }
}

static void nvm_channel_free(nv_mock *m, nvm_channel *c) {
  nvm_channel_range_free(m, c);
  for (int i = 0; i < m->nchannel; i++) if (m->channels[i] == c) m->channels[i--] = m->channels[--m->nchannel];
  for (int i = 0; i < 8; i++) { free(c->value[i]); free(c->state[i]); }
  nvm_memory_drop(m, c->userd);
  nvm_memory_drop(m, c->notifier);
  free(c->jobs); free(c->seen); free(c);
}

// ---- semaphores

static int nvm_release(nv_mock *m, nvm_channel *c, uint64_t at, uint64_t value, int wide, int four_words,
                       const char *what) {
  uint64_t n = four_words ? 16 : wide ? 8 : 4;
  if (at & (n - 1))
    return NVM_STOP(32, "%s: releases 0x%llx, which is not aligned to %d", what, (unsigned long long)at, (int)n);
  uint8_t *p = nvm_at(m, c, at, n, 1);
  if (!p) return NVM_STOP(31, "%s: releases 0x%llx, which is not mapped", what, (unsigned long long)at);
  if (four_words) nvm_put64(p, 8, nvm_now(m));
  if (wide) __atomic_store_n((uint64_t *)(void *)p, value, __ATOMIC_RELEASE);
  else __atomic_store_n((uint32_t *)(void *)p, (uint32_t)value, __ATOMIC_RELEASE);
  return 1;
}

// Whether an acquire is satisfied; looks at memory that others write.
static int nvm_acquired(nv_mock *m, nvm_channel *c) {
  const uint8_t *p = nvm_at(m, c, c->parked, c->parked_wide ? 8 : 4, 0);
  if (!p) return NVM_STOP(31, "SEM_EXECUTE: acquires 0x%llx, which is not mapped", (unsigned long long)c->parked);
  uint64_t now = c->parked_wide ? __atomic_load_n((const uint64_t *)(const void *)p, __ATOMIC_ACQUIRE)
                                : __atomic_load_n((const uint32_t *)(const void *)p, __ATOMIC_ACQUIRE);
  if (c->parked_equal) return now == c->parked_value;
  return c->parked_wide ? (int64_t)(now - c->parked_value) >= 0
      : (int32_t)((uint32_t)now - (uint32_t)c->parked_value) >= 0;
}

// ---- work that was begun

static int nvm_copy_line(nv_mock *m, nvm_channel *c, const nvm_job *j, uint64_t line) {
  uint64_t n = j->nbytes, from = j->from + line * j->pitch_from, to = j->to + line * j->pitch_to;
  uint8_t *out = nvm_at(m, c, to, n, 1);
  const uint8_t *in = j->fill_words ? NULL : nvm_at(m, c, from, n, 0);
  if (!out)
    return NVM_STOP(31, "LAUNCH_DMA: OFFSET_OUT 0x%llx, %llu bytes, is not mapped", (unsigned long long)to,
                    (unsigned long long)n);
  if (!in && !j->fill_words)
    return NVM_STOP(31, "LAUNCH_DMA: OFFSET_IN 0x%llx, %llu bytes, is not mapped", (unsigned long long)from,
                    (unsigned long long)n);
  if (in && in < out + n && out < in + n) return NVM_STOP(31, "LAUNCH_DMA: source and destination overlap");
  if (in) memcpy(out, in, n);
  for (uint64_t i = 0; !in && i < n; i += 4) nvm_put32(out, i, j->fill[i / 4 % (uint64_t)j->fill_words]);
  return 1;
}

static int nvm_copy_run(nv_mock *m, nvm_channel *c, const nvm_job *j) {
  for (uint64_t line = 0; line < j->nline; line++) if (!nvm_copy_line(m, c, j, line)) return 0;
  m->counts.copied_nbytes += j->nbytes * j->nline;
  nvm_now(m);
  return 1;
}

static void nvm_job_run(nv_mock *m, nvm_channel *c, int i) {
  nvm_job job = c->jobs[i];
  memmove(c->jobs + i, c->jobs + i + 1, (size_t)(c->njob - i - 1) * sizeof job);
  c->njob--;
  if (job.is_copy) nvm_copy_run(m, c, &job);
  else nvm_qmd_run(m, c, &job);
}

enum { NVM_KERNELS = 1, NVM_COPIES_TOO = 2 };
// Does what was begun of those kinds: kernels in any order.
static void nvm_drain(nv_mock *m, nvm_channel *c, int kinds) {
  for (;;) {
    int pick[64], n = 0;
    for (int i = 0; i < c->njob && n < 64; i++)
      if (kinds & (c->jobs[i].is_copy ? NVM_COPIES_TOO : NVM_KERNELS)) pick[n++] = i;
    if (!n || c->dead) return;
    nvm_job_run(m, c, pick[nvm_random(m, (uint32_t)n)]);
  }
}

static void nvm_job_add(nv_mock *m, nvm_channel *c, const nvm_job *job) {
  if (job->alone) nvm_drain(m, c, NVM_COPIES_TOO);
  if (c->dead) return;
  c->jobs = nvm_more(c->jobs, c->njob, sizeof *c->jobs);
  c->jobs[c->njob++] = *job;
  if (!m->desc.seed) nvm_drain(m, c, NVM_KERNELS | NVM_COPIES_TOO);
}

// ---- registers of methods: 0 never set, 1 set, 2 taken by a trigger

static const nvm_method *nvm_method_of(const nvm_method *table, size_t n, uint32_t method) {
  for (size_t i = 0; i < n; i++) if (table[i].offset == method) return &table[i];
  return NULL;
}

static uint32_t nvm_taken(nv_mock *m, nvm_channel *c, uint32_t s, uint32_t method, const char *name, const char *by) {
  uint8_t *state = method < 0x100 ? &c->host_state[method / 4] : &c->state[s][method / 4];
  if (!*state) (void)NVM_STOP(32, "%s: %s was never set", by, name);
  *state = 2;
  return method < 0x100 ? c->host[method / 4] : c->value[s][method / 4];
}

// Those that say what a trigger does: to set one again before that is a mistake.
static int nvm_is_argument(uint32_t class_, uint32_t method) {
  if (method < 0x100) return method >= 0x5c && method <= 0x68;
  if ((class_ & 0xff) == 0xb5)
    return (method >= 0x240 && method <= 0x24c) || (method >= 0x400 && method <= 0x41c) ||
        (method >= 0x700 && method <= 0x708);
  return (method >= 0x158 && method <= 0x164) || (method >= 0x180 && method <= 0x190) || method == 0x2b4 ||
         (method >= 0x1b00 && method <= 0x1b08);
}

static int nvm_put_register(nv_mock *m, nvm_channel *c, const nvm_method *k, uint32_t mask, uint32_t value) {
  uint32_t class_ = c->bound[c->subchannel], i = c->method / 4;
  uint8_t *state = c->method < 0x100 ? &c->host_state[i] : &c->state[c->subchannel][i];
  if (!mask)
    return NVM_STOP(32, "%s: a method that class 0x%x has not", k->name, c->method < 0x100 ? c->object->class_
                    : class_);
  if (value & ~mask) return NVM_STOP(32, "%s: 0x%x has bits that class 0x%x does not define", k->name, value, class_);
  if (*state == 1 && nvm_is_argument(class_, c->method))
    return NVM_STOP(32, "%s: set twice before it is used", k->name);
  *state = 1;
  if (c->method < 0x100) c->host[i] = value;
  else c->value[c->subchannel][i] = value;
  return 1;
}

#define NVM_TAKE(method, name, by) nvm_taken(m, c, c->subchannel, method, name, by)
static uint64_t nvm_wide(uint32_t upper, uint32_t lower) { return (uint64_t)upper << 32 | lower; }

// ---- methods of the channel itself

static int nvm_sem_execute(nv_mock *m, nvm_channel *c, uint32_t v) {
  const char *by = "SEM_EXECUTE";
  uint32_t lo = NVM_TAKE(0x5c, "SEM_ADDR_LO", by), hi = NVM_TAKE(0x60, "SEM_ADDR_HI", by), op = v & 7;
  uint64_t value = NVM_TAKE(0x64, "SEM_PAYLOAD_LO", by);
  int is_wide = v >> 24 & 1;
  if (is_wide) value |= (uint64_t)NVM_TAKE(0x68, "SEM_PAYLOAD_HI", by) << 32;
  else c->host_state[0x68 / 4] = 2;
  if (c->dead) return 0;
  if (op != 0 && op != 1 && op != 3) return NVM_STOP(32, "SEM_EXECUTE: OPERATION %u", op);
  if (op != 1 && v & 0x2100000) return NVM_STOP(32, "SEM_EXECUTE: 0x%x: RELEASE_ fields of an acquire", v);
  if (op == 1 && v & 0x1000) return NVM_STOP(32, "SEM_EXECUTE: 0x%x: ACQUIRE_SWITCH_TSG of a release", v);
  if (op == 1) {
    if (v >> 20 & 1) nvm_drain(m, c, NVM_KERNELS | NVM_COPIES_TOO);
    return c->dead ? 0 : nvm_release(m, c, nvm_wide(hi, lo), value, is_wide, v >> 25 & 1, by);
  }
  m->counts.acquires++;
  if (lo & (is_wide ? 7u : 3u)) return NVM_STOP(32, "SEM_EXECUTE: acquires 0x%x, which is not aligned", lo);
  c->parked = nvm_wide(hi, lo); c->parked_value = value; c->parked_wide = is_wide; c->parked_equal = op == 0;
  return 1;
}

static int nvm_mem_op(nv_mock *m, nvm_channel *c, uint32_t v) {
  if (v >> 27 != 5) return NVM_STOP(32, "MEM_OP_D: OPERATION %u is not MEMBAR", v >> 27);
  NVM_TAKE(0x28, "MEM_OP_A", "MEM_OP_D"); NVM_TAKE(0x2c, "MEM_OP_B", "MEM_OP_D");
  NVM_TAKE(0x30, "MEM_OP_C", "MEM_OP_D");
  return !c->dead;
}

static int nvm_set_object(nv_mock *m, nvm_channel *c, uint32_t v) {
  uint32_t s = c->subchannel, is_copy = (v & 0xff) == 0xb5;
  int found = 0;
  for (int i = 0; i < m->nobject; i++) {
    const nvm_object *o = m->objects[i];
    found |= o && o->class_ == v && o->client == c->object->client && o->parent == c->object->handle;
  }
  if (!found) return NVM_STOP(32, "SET_OBJECT: class 0x%x was not allocated on the channel", v);
  if (s != (is_copy ? 4u : 1u))
    return NVM_STOP(32, "SET_OBJECT: class 0x%x on subchannel %u: compute is 1, copy 4", v, s);
  if (!c->value[s]) {
    c->value[s] = calloc(NVM_METHODS, sizeof *c->value[s]);
    c->state[s] = calloc(NVM_METHODS, 1);
    if (!c->value[s] || !c->state[s]) abort();
  }
  memset(c->state[s], 0, NVM_METHODS);
  c->bound[s] = v;
  return 1;
}

static int nvm_host_method(nv_mock *m, nvm_channel *c, uint32_t v) {
  if (c->method == 0) return nvm_set_object(m, c, v);
  const nvm_method *k = nvm_method_of(nvm_host_methods, sizeof nvm_host_methods / sizeof *nvm_host_methods, c->method);
  if (!k) return NVM_STOP(32, "method 0x%x of the channel is unknown", c->method);
  if (!nvm_put_register(m, c, k, k->mask[m->chip->gpfifo_column], v)) return 0;
  if (c->method == 0x6c) return nvm_sem_execute(m, c, v);
  if (c->method == 0x34) return nvm_mem_op(m, c, v);
  if (c->method == 0x78) nvm_drain(m, c, NVM_KERNELS | NVM_COPIES_TOO);
  return !c->dead;
}

// ---- methods of a copy engine

static int nvm_dma_semaphore(nv_mock *m, nvm_channel *c, uint32_t v) {
  const char *by = "LAUNCH_DMA of a semaphore";
  uint32_t type = v >> 3 & 3, wide = v >> 27 & 1;
  uint32_t hi = NVM_TAKE(0x240, "SET_SEMAPHORE_A", by), lo = NVM_TAKE(0x244, "SET_SEMAPHORE_B", by);
  uint64_t value = NVM_TAKE(0x248, "SET_SEMAPHORE_PAYLOAD", by);
  if (wide) value |= (uint64_t)NVM_TAKE(0x24c, "SET_SEMAPHORE_PAYLOAD_UPPER", by) << 32;
  if (c->dead) return 0;
  if (type == 3) return NVM_STOP(32, "LAUNCH_DMA: SEMAPHORE_TYPE 3");
  if (c->njob && !(v & 4))
    return NVM_STOP(32, "LAUNCH_DMA: releases a semaphore without FLUSH_ENABLE while copies are under way");
  nvm_drain(m, c, NVM_COPIES_TOO);
  return c->dead ? 0 : nvm_release(m, c, nvm_wide(hi, lo), value, (int)wide, type == 2, "LAUNCH_DMA");
}

// Fills are remaps whose components are constants A and B (REMAP_COMPONENTS: DST_X 2:0, each COMPONENT_SIZE 17:16).
static int nvm_dma_fill(nv_mock *m, nvm_channel *c, nvm_job *j) {
  uint32_t a = NVM_TAKE(0x700, "SET_REMAP_CONST_A", "LAUNCH_DMA with REMAP"),
      k = NVM_TAKE(0x708, "SET_REMAP_COMPONENTS", "LAUNCH_DMA with REMAP");
  uint32_t ncomponent = (k >> 24 & 3) + 1, nbytes = (k >> 16 & 3) + 1;
  if (c->dead) return 0;
  if (nbytes != 4 || ncomponent > 2 || (k & 7) != 4 || (ncomponent == 2 && (k >> 4 & 7) != 5))
    return NVM_STOP(32, "SET_REMAP_COMPONENTS: 0x%x: only CONST_A, or CONST_A and CONST_B, of 4 bytes is known", k);
  j->fill[0] = a;
  if (ncomponent == 2) j->fill[1] = NVM_TAKE(0x704, "SET_REMAP_CONST_B", "LAUNCH_DMA with REMAP");
  j->fill_words = (int)ncomponent;
  j->nbytes *= 4 * ncomponent;
  return !c->dead;
}

static int nvm_dma_copy(nv_mock *m, nvm_channel *c, uint32_t v) {
  nvm_job j = {0};
  const char *by = "LAUNCH_DMA";
  int is_fill = v >> 10 & 1, has_lines = v >> 9 & 1;
  if ((v & 0x180) != 0x180) return NVM_STOP(32, "LAUNCH_DMA: 0x%x: memory layouts are not PITCH", v);
  if (v & 0x3000) return NVM_STOP(32, "LAUNCH_DMA: 0x%x: physical addresses", v);
  if (!is_fill) j.from = nvm_wide(NVM_TAKE(0x400, "OFFSET_IN_UPPER", by), NVM_TAKE(0x404, "OFFSET_IN_LOWER", by));
  j.to = nvm_wide(NVM_TAKE(0x408, "OFFSET_OUT_UPPER", by), NVM_TAKE(0x40c, "OFFSET_OUT_LOWER", by));
  j.nbytes = NVM_TAKE(0x418, "LINE_LENGTH_IN", by);
  j.nline = has_lines ? NVM_TAKE(0x41c, "LINE_COUNT", by) : 1;
  if (has_lines && !is_fill) j.pitch_from = NVM_TAKE(0x410, "PITCH_IN", by);
  if (has_lines) j.pitch_to = NVM_TAKE(0x414, "PITCH_OUT", by);
  if (c->dead || (is_fill && !nvm_dma_fill(m, c, &j))) return 0;
  if (!j.nbytes || !j.nline) return NVM_STOP(32, "LAUNCH_DMA: LINE_LENGTH_IN or LINE_COUNT is 0");
  for (uint32_t i = 0x400; i <= 0x41c; i += 4) if (c->state[c->subchannel][i / 4]) c->state[c->subchannel][i / 4] = 2;
  j.is_copy = 1; j.alone = (v & 3) == 2;
  m->counts.copies++;
  nvm_job_add(m, c, &j);
  return !c->dead;
}

static int nvm_copy_method(nv_mock *m, nvm_channel *c, uint32_t v) {
  if (c->method != 0x300) return 1;
  uint32_t type = v & 3;
  if (type == 3) return NVM_STOP(32, "LAUNCH_DMA: DATA_TRANSFER_TYPE 3");
  if (!type && !(v >> 3 & 3)) return NVM_STOP(32, "LAUNCH_DMA: 0x%x neither copies nor releases", v);
  if (v & 0x00fc0060 || v & 0xf0000000)
    return NVM_STOP(32, "LAUNCH_DMA: 0x%x: interrupts, reductions and modes are not known", v);
  if (type && !nvm_dma_copy(m, c, v)) return 0;
  return v >> 3 & 3 ? nvm_dma_semaphore(m, c, v) : 1;
}

// ---- methods of compute

static int nvm_upload(nv_mock *m, nvm_channel *c, uint32_t v) {
  const char *by = "LAUNCH_DMA of compute";
  uint64_t to = nvm_wide(NVM_TAKE(0x188, "OFFSET_OUT_UPPER", by), NVM_TAKE(0x18c, "OFFSET_OUT", by));
  uint32_t n = NVM_TAKE(0x180, "LINE_LENGTH_IN", by), lines = NVM_TAKE(0x184, "LINE_COUNT", by);
  if (c->dead) return 0;
  if ((v & ~0x70u) != 1) return NVM_STOP(32, "LAUNCH_DMA of compute: 0x%x is no upload to pitch memory", v);
  if (lines != 1 || !n || n & 3)
    return NVM_STOP(32, "LAUNCH_DMA of compute: LINE_LENGTH_IN %u, LINE_COUNT %u", n, lines);
  if (c->inline_left)
    return NVM_STOP(32, "LAUNCH_DMA of compute: %u bytes of LOAD_INLINE_DATA are missing", c->inline_left);
  if (!nvm_at(m, c, to, n, 1))
    return NVM_STOP(31, "LAUNCH_DMA of compute: OFFSET_OUT 0x%llx is not mapped", (unsigned long long)to);
  c->inline_to = to; c->inline_left = n;
  return 1;
}

static int nvm_upload_word(nv_mock *m, nvm_channel *c, uint32_t v) {
  uint8_t *p = c->inline_left ? nvm_at(m, c, c->inline_to, 4, 1) : NULL;
  if (!p) return NVM_STOP(32, "LOAD_INLINE_DATA: more than LINE_LENGTH_IN");
  nvm_put32(p, 0, v);
  c->inline_to += 4; c->inline_left -= 4;
  return 1;
}

static int nvm_report(nv_mock *m, nvm_channel *c, uint32_t v) {
  const char *by = "SET_REPORT_SEMAPHORE_D";
  uint64_t at = nvm_wide(NVM_TAKE(0x1b00, "SET_REPORT_SEMAPHORE_A", by),
                         NVM_TAKE(0x1b04, "SET_REPORT_SEMAPHORE_B", by));
  uint32_t value = NVM_TAKE(0x1b08, "SET_REPORT_SEMAPHORE_C", by);
  if (v & ~0x10000004u) return NVM_STOP(32, "SET_REPORT_SEMAPHORE_D: 0x%x is no plain release", v);
  if (!(v & 4)) nvm_drain(m, c, NVM_KERNELS);
  return c->dead ? 0 : nvm_release(m, c, at, value, 0, !(v >> 28), by);
}

static int nvm_report_wide(nv_mock *m, nvm_channel *c, uint32_t v) {
  const char *by = "REPORT_SEMAPHORE_EXECUTE";
  uint64_t at = nvm_wide(NVM_TAKE(0x164, "SET_REPORT_SEMAPHORE_ADDRESS_UPPER", by),
                         NVM_TAKE(0x160, "SET_REPORT_SEMAPHORE_ADDRESS_LOWER", by));
  uint64_t value = NVM_TAKE(0x158, "SET_REPORT_SEMAPHORE_PAYLOAD_LOWER", by);
  uint32_t wide = v >> 12 & 1, size = v >> 3 & 3;
  if (wide) value |= (uint64_t)NVM_TAKE(0x15c, "SET_REPORT_SEMAPHORE_PAYLOAD_UPPER", by) << 32;
  else c->state[c->subchannel][0x15c / 4] = 2;
  if (v & ~0x1038u || size == 3 || (size == 1 && wide))
    return NVM_STOP(32, "REPORT_SEMAPHORE_EXECUTE: 0x%x is no plain release", v);
  if (!(v & 0x20)) nvm_drain(m, c, NVM_KERNELS);
  return c->dead ? 0 : nvm_release(m, c, at, value, (int)wide, size == 0, by);
}

// SEND_SIGNALING_PCAS2_B: PCAS_ACTION 3:0 (clc6c0.h): which invalidate, which schedule.
static int nvm_pcas(nv_mock *m, nvm_channel *c, uint32_t v) {
  uint32_t action = v & 15;
  uint64_t qmd = (uint64_t)NVM_TAKE(0x2b4, "SEND_PCAS_A", "SEND_SIGNALING_PCAS2_B") << 8;
  if (c->dead) return 0;
  if (v >> 4) return NVM_STOP(32, "SEND_SIGNALING_PCAS2_B: 0x%x: SELECT and OFFSET are not known", v);
  if (action == 1) { nvm_invalidate(c, NVM_CACHE_QMD); return 1; }
  if (action != 2 && action != 3 && action != 9 && action != 10)
    return NVM_STOP(32, "SEND_SIGNALING_PCAS2_B: PCAS_ACTION %u schedules no grid", action);
  if (c->inline_left)
    return NVM_STOP(32, "SEND_SIGNALING_PCAS2_B: %u bytes of LOAD_INLINE_DATA are missing", c->inline_left);
  nvm_qmd_launch(m, c, qmd, action == 3 || action == 10);
  return !c->dead;
}

static void nvm_invalidate_shader(nv_mock *m, nvm_channel *c, uint32_t v, int waits) {
  if (waits) nvm_drain(m, c, NVM_KERNELS);
  nvm_invalidate(c, (v & 1 ? NVM_CACHE_CODE : 0) | (v >> 12 & 1 ? NVM_CACHE_CONSTANTS : 0));
}

static int nvm_compute_method(nv_mock *m, nvm_channel *c, uint32_t v) {
  switch (c->method) {
    case 0x110: nvm_drain(m, c, NVM_KERNELS); break;
    case 0x168: return nvm_report_wide(m, c, v);
    case 0x1b0: return nvm_upload(m, c, v);
    case 0x1b4: return nvm_upload_word(m, c, v);
    case 0x21c: nvm_invalidate_shader(m, c, v, 1); break;
    case 0x1698: nvm_invalidate_shader(m, c, v, 0); break;
    case 0x298: nvm_invalidate(c, NVM_CACHE_QMD); break;
    case 0x2bc:
      if (v != 3) return NVM_STOP(32, "SEND_SIGNALING_PCAS_B: 0x%x does not invalidate and schedule", v);
      return nvm_pcas(m, c, 3);
    case 0x2c0: return nvm_pcas(m, c, v);
    case 0x1b0c: return nvm_report(m, c, v);
    default: break;
  }
  return !c->dead;
}

// ---- pushbuffers

static int nvm_send(nv_mock *m, nvm_channel *c, uint32_t v) {
  uint32_t class_ = c->bound[c->subchannel];
  if (c->method < 0x100) return nvm_host_method(m, c, v);
  if (!class_)
    return NVM_STOP(32, "method 0x%x on subchannel %u, which has no object (SET_OBJECT)", c->method, c->subchannel);
  int is_copy = (class_ & 0xff) == 0xb5;
  size_t n = is_copy ? sizeof nvm_copy_methods / sizeof *nvm_copy_methods
      : sizeof nvm_compute_methods / sizeof *nvm_compute_methods;
  const nvm_method *k = nvm_method_of(is_copy ? nvm_copy_methods : nvm_compute_methods, n, c->method);
  if (!k) return NVM_STOP(32, "method 0x%x of class 0x%x is unknown", c->method, class_);
  if (!nvm_put_register(m, c, k, k->mask[is_copy ? m->chip->copy_column : m->chip->column], v)) return 0;
  return is_copy ? nvm_copy_method(m, c, v) : nvm_compute_method(m, c, v);
}

// Header: SEC_OP 31:29 (1 increasing, 3 not, 4 immediate, 5 once), count or data 28:16, subchannel 15:13, method 11:0.
static int nvm_header(nv_mock *m, nvm_channel *c, uint32_t w) {
  uint32_t op = w >> 29, count = w >> 16 & 0x1fff;
  c->header = w;
  c->subchannel = w >> 13 & 7;
  c->method = (w & 0xfff) * 4;
  if (w & 0x1000) return NVM_STOP(32, "pushbuffer: header 0x%x has bit 12", w);
  if (op == 4) return nvm_send(m, c, count);
  if (op != 1 && op != 3 && op != 5) return NVM_STOP(32, "pushbuffer: header 0x%x has SEC_OP %u", w, op);
  if (!count) return NVM_STOP(32, "pushbuffer: header 0x%x of no words", w);
  c->left = count;
  return 1;
}

static int nvm_data(nv_mock *m, nvm_channel *c, uint32_t w) {
  uint32_t op = c->header >> 29, first = (c->header & 0xfff) * 4;
  if (!nvm_send(m, c, w)) return 0;
  if (--c->left && (op == 1 || (op == 5 && c->method == first))) c->method += 4;
  return 1;
}

// GP_ENTRY0, GP_ENTRY1: GET 31:2 and 7:0, LEVEL 9, LENGTH 30:10 in words, SYNC 31; length 0: an opcode.
static int nvm_entry_read(nv_mock *m, nvm_channel *c) {
  const uint8_t *p = nvm_at(m, c, c->ring + 8u * c->get, 8, 0);
  if (!p) return NVM_STOP(31, "GPFIFO: the ring at 0x%llx is not mapped", (unsigned long long)c->ring);
  uint32_t a = nvm_get32(p, 0), b = nvm_get32(p, 4), n = b >> 10 & 0x1fffff, opcode = b & 0xff;
  if (!n && opcode == 4 && m->chip->gpfifo_column && !(a & ~0x1ffff00u)) {       // SET_PB_SEGMENT_EXTENDED_BASE
    c->segment_base = (uint64_t)(a >> 8) << 40;
    c->get = (c->get + 1) % c->nentry;
    return 1;
  }
  if (a & 3) return NVM_STOP(32, "GPFIFO: entry %u: FETCH or a reserved bit is set: 0x%x", c->get, a);
  if (b >> 8 & 1) return NVM_STOP(32, "GPFIFO: entry %u: bit 8 of its second word is set", c->get);
  if (!n) return NVM_STOP(32, "GPFIFO: entry %u: LENGTH 0, opcode %u", c->get, opcode);
  c->segment = c->segment_base | (uint64_t)opcode << 32 | a;
  c->nword = n; c->word = 0;
  if (!nvm_at(m, c, c->segment, (uint64_t)n * 4, 0))
    return NVM_STOP(31, "GPFIFO: entry %u: %u words at 0x%llx are not mapped", c->get, n,
                    (unsigned long long)c->segment);
  m->counts.push_nbytes += (uint64_t)n * 4;
  return 1;
}

static void nvm_entry_done(nv_mock *m, nvm_channel *c) {
  if (c->left) (void)NVM_STOP(32, "pushbuffer: ends %u words before what its last header says", c->left);
  c->nword = 0;
  c->get = (c->get + 1) % c->nentry;
  nvm_put32(c->userd->bytes, c->userd_offset + 0x88, c->get);
}

// One word of a channel's, or an entry. Whether there was one.
static int nvm_step(nv_mock *m, nvm_channel *c) {
  if (c->dead || !c->scheduled) return 0;
  if (c->parked) {
    if (!nvm_acquired(m, c)) return 0;
    c->parked = 0;
    return 1;
  }
  if (!c->nword) return c->get == c->put ? 0 : nvm_entry_read(m, c);
  if (c->word == c->nword) { nvm_entry_done(m, c); return 1; }
  const uint8_t *p = nvm_at(m, c, c->segment + 4u * c->word, 4, 0);
  if (!p) return NVM_STOP(31, "pushbuffer: 0x%llx was unmapped while it was executed", (unsigned long long)c->segment);
  c->word++;
  return c->left ? nvm_data(m, c, nvm_get32(p, 0)) : nvm_header(m, c, nvm_get32(p, 0));
}

// A burst of one channel's words, 0 without any.
static int nvm_burst(nv_mock *m, nvm_channel *c) {
  uint32_t most = m->desc.seed ? 1 + nvm_random(m, 40) : 1u << 30, n = 0;
  while (n < most && nvm_step(m, c)) n++;
  return n > 0;
}

static void nvm_run(nv_mock *m) {
  for (int moves = 1; moves && !m->lost;) {
    moves = 0;
    uint32_t first = nvm_random(m, (uint32_t)(m->nchannel ? m->nchannel : 1));
    for (int i = 0; i < m->nchannel; i++)
      moves |= nvm_burst(m, m->channels[(first + (uint32_t)i) % (uint32_t)m->nchannel]);
    for (int i = 0; !moves && i < m->nchannel; i++) {
      nvm_channel *c = m->channels[(first + (uint32_t)i) % (uint32_t)m->nchannel];
      if (!c->njob || c->dead) continue;
      nvm_job_run(m, c, (int)nvm_random(m, (uint32_t)c->njob));
      moves = 1;
    }
  }
}
