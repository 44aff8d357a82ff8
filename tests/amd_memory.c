// amd_memory: global, flat, scratch and buffer accesses, scalar loads, atomics, on the memory that the dispatch lists.
//
// Sectors are counted by 32 bytes. Loads give their values at once; amd_check.c holds them back. Buffers: raw and
// structured descriptors, whose bounds make loads 0 and drop stores (AMD, RDNA3 ISA 9.1.5); bounds leave the scalar
// offset out. Included by amd_matrix.c.
#ifndef AMD_MEMORY_C
#define AMD_MEMORY_C
#include "amd_lds.c"

// ** ranges **

static const amd_range *amd_range_of(amd_machine *m, uint64_t address, uint64_t nbytes) {
  const amd_range *r = m->last;
  if (r && address >= r->address && address + nbytes <= r->address + r->nbytes) return r;
  for (int k = 0; k < m->d->nranges; k++) {
    r = &m->d->range[k];
    if (address < r->address || address + nbytes > r->address + r->nbytes || address + nbytes < address) continue;
    return m->last = r;
  }
  return NULL;
}
static unsigned char *amd_at(amd_wave *w, const amd_ins *i, int lane, uint64_t address, int nbytes, int writes) {
  const amd_range *r = amd_range_of(w->m, address, (uint64_t)nbytes);
  const int align = nbytes < 4 ? nbytes : 4;
  char who[20] = "the wave";
  if (lane >= 0 && (!r || address % (uint64_t)align || (writes && !r->writable)))
    snprintf(who, sizeof who, "lane %d", lane);
  if (!r || (writes && !r->writable)) w->m->r->fault = address;
  if (!r)
    amd_stop(w, i, "%s %s %d bytes at 0x%llx, which is no memory of the kernel's", who,
             writes ? "writes" : "reads", nbytes, (unsigned long long)address);
  if (writes && !r->writable)
    amd_stop(w, i, "%s writes at 0x%llx, which is read-only", who, (unsigned long long)address);
  if (address % (uint64_t)align && !w->m->d->tolerant)
    amd_stop(w, i, "%s touches 0x%llx, which is misaligned for %d bytes", who, (unsigned long long)address, nbytes);
  return (unsigned char *)(uintptr_t)address;
}
static int amd_latency(amd_wave *w, uint64_t sectors, int scalar);
static void amd_sectors(amd_wave *w, const uint64_t *at, uint64_t lanes, int nbytes, int writes) {
  uint64_t seen[4 * AMD_LANES], *bytes = writes ? &w->m->r->stored : &w->m->r->loaded;
  int n = 0;
  for (int l = 0; l < w->lanes; l++) {
    if (!(lanes >> l & 1)) continue;
    *bytes += (uint64_t)nbytes;
    for (uint64_t s = at[l] / 32; s <= (at[l] + (uint64_t)nbytes - 1) / 32; s++) {
      int k = n - 1;
      while (k >= 0 && seen[k] != s) k--;
      if (k < 0 && n < 4 * AMD_LANES) seen[n++] = s;
    }
  }
  w->m->r->sectors += (uint64_t)n;
}

// ** where a lane's address leads: s[0] vaddr, s[1] data, s[2] scalar address **

enum { AMD_FLAT, AMD_SCRATCH_SEG, AMD_GLOBAL };
static int amd_takes_pair(const amd_ins *i) { return i->s[2].where == AMD_NONE; }
// Addresses of the lanes that are on. Scratch: offsets in a lane's own memory.
static void amd_addresses(amd_wave *w, const amd_ins *i, uint64_t *at) {
  const uint64_t exec = amd_exec(w), offset = (uint64_t)(int64_t)i->offset;
  uint64_t base = 0;
  const int scratch = i->seg == AMD_SCRATCH_SEG, pair = !scratch && amd_takes_pair(i), has = i->s[0].where == AMD_V;
  if (i->s[2].where == AMD_S) base = amd_sget(w, i, i->s[2].reg, scratch ? 1 : 2, AMD_SR_MEMORY);
  if (has) amd_reads(w, i, i->s[0].reg, pair ? 2 : 1, exec, AMD_R_MEMORY, 0);
  for (int l = 0; l < w->lanes; l++) {
    if (!(exec >> l & 1)) continue;
    const uint64_t v = has ? amd_lane_value(w, i->s[0].reg, l, pair ? 8 : 4) : 0;
    at[l] = base + v + offset;
    if (scratch) at[l] = (uint32_t)at[l];
  }
}
static unsigned char *amd_scratch_at(amd_wave *w, const amd_ins *i, int lane, uint64_t at, int nbytes, int writes) {
  const uint64_t most = w->m->d->scratch_nbytes;
  const size_t place = (size_t)lane * most + (size_t)at;
  if (at + (uint64_t)nbytes > most)
    amd_stop(w, i, "lane %d touches its scratch at %llu, of %llu bytes", lane, (unsigned long long)at,
             (unsigned long long)most);
  for (int k = 0; k < nbytes; k++) {
    if (writes) w->scratch_def[place + (size_t)k] = 1;
    else if (!w->scratch_def[place + (size_t)k] && !w->m->d->tolerant)
      amd_stop(w, i, "lane %d reads its scratch at %llu, which it has not written", lane, (unsigned long long)at);
  }
  return w->scratch + place;
}
// Memory of the host that lane's access is of; flat addresses may be LDS or scratch.
static unsigned char *amd_place(amd_wave *w, const amd_ins *i, int lane, uint64_t at, int nbytes, int how) {
  if (i->seg == AMD_SCRATCH_SEG) return amd_scratch_at(w, i, lane, at, nbytes, how != AMD_READS);
  if (i->seg == AMD_FLAT && at >> 32 == AMD_LDS_APERTURE >> 32) {
    amd_touch_all(w, i, lane, (uint32_t)at, nbytes, how);
    return w->group->lds + (uint32_t)at;
  }
  if (i->seg == AMD_FLAT && at >> 32 == AMD_SCRATCH_APERTURE >> 32)
    return amd_scratch_at(w, i, lane, (uint32_t)at, nbytes, how != AMD_READS);
  return amd_at(w, i, lane, at, nbytes, how != AMD_READS);
}
static void amd_memory_issue(amd_wave *w, const amd_ins *i, int counter, int first, int n) {
  const int flat = i->seg == AMD_FLAT;
  amd_flight *f = amd_issue(w, i, 1 << counter | (flat ? 1 << AMD_DSCNT : 0), !flat, first, n, 0);
  f->due = w->cycle + (uint64_t)amd_latency(w, 0, 0);
  if (flat) f->lds = w->lds_ops;
  f->scratch = i->seg == AMD_SCRATCH_SEG;
}
static void amd_load(amd_wave *w, const amd_ins *i) {
  const int arg = i->rule->arg, nbytes = arg & AMD_NBYTES;
  const uint64_t exec = amd_exec(w);
  uint64_t at[AMD_LANES] = {0};
  unsigned char got[AMD_LANES][16];
  amd_addresses(w, i, at);
  if (i->seg == AMD_FLAT) w->lds_ops++;
  for (int l = 0; l < w->lanes; l++)
    if (exec >> l & 1) memcpy(got[l], amd_place(w, i, l, at[l], nbytes, AMD_READS), (size_t)nbytes);
  amd_writes(w, i, i->d.reg, amd_dwords(arg), exec, AMD_W_MEMORY);
  for (int l = 0; l < w->lanes; l++)
    if (exec >> l & 1) amd_put_bytes(w, i->d.reg, l, got[l], arg);
  amd_sectors(w, at, exec, nbytes, 0);
  amd_memory_issue(w, i, AMD_LOADCNT, i->d.reg, amd_dwords(arg));
}
static void amd_store(amd_wave *w, const amd_ins *i) {
  const int arg = i->rule->arg, nbytes = arg & AMD_NBYTES;
  const uint64_t exec = amd_exec(w);
  uint64_t at[AMD_LANES] = {0};
  amd_addresses(w, i, at);
  amd_reads(w, i, i->s[1].reg, amd_dwords(arg), exec, AMD_R_MEMORY, 0);
  if (i->seg == AMD_FLAT) w->lds_ops++;
  for (int l = 0; l < w->lanes; l++)
    if (exec >> l & 1) amd_get_bytes(w, i->s[1].reg, l, amd_place(w, i, l, at[l], nbytes, AMD_WRITES), arg);
  amd_sectors(w, at, exec, nbytes, 1);
  amd_memory_issue(w, i, AMD_STORECNT, 0, 0);
  if (nbytes > 8) { w->store_at = w->states; w->store_first = i->s[1].reg; w->store_n = (uint16_t)amd_dwords(arg); }
}
// Read, changed and written as one, also beside other threads of the host.
static uint64_t amd_exchange(unsigned char *p, int how, uint64_t x, uint64_t compare, int nbytes) {
  uint64_t old = 0, now;
#if defined(__GNUC__)
  if (nbytes == 8) {
    uint64_t *q = (uint64_t *)(void *)p;
    old = __atomic_load_n(q, __ATOMIC_SEQ_CST);
    do now = amd_atomic(how, old, x, compare, 1);
    while (!__atomic_compare_exchange_n(q, &old, now, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
    return old;
  }
  uint32_t *q = (uint32_t *)(void *)p, o = __atomic_load_n(q, __ATOMIC_SEQ_CST);
  do now = amd_atomic(how, o, x, compare, 0);
  while (!__atomic_compare_exchange_n(q, &o, (uint32_t)now, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
  return o;
#else
  memcpy(&old, p, (size_t)nbytes);
  now = amd_atomic(how, old, x, compare, nbytes > 4);
  memcpy(p, &now, (size_t)nbytes);
  return old;
#endif
}
static void amd_memory_atomic(amd_wave *w, const amd_ins *i) {
  const int arg = i->rule->arg, nbytes = arg & 15, n = nbytes / 4, how = amd_atomic_how(arg), cas = how == AMD_A_CAS;
  const uint64_t exec = amd_exec(w);
  uint64_t at[AMD_LANES] = {0};
  uint32_t low[AMD_LANES], high[AMD_LANES];
  amd_addresses(w, i, at);
  amd_reads(w, i, i->s[1].reg, cas ? 2 * n : n, exec, AMD_R_MEMORY, 0);
  if (i->returns) amd_writes(w, i, i->d.reg, n, exec, AMD_W_MEMORY);
  if (i->seg == AMD_FLAT) w->lds_ops++;
  for (int l = 0; l < w->lanes; l++) {
    if (!(exec >> l & 1)) continue;
    unsigned char *p = amd_place(w, i, l, at[l], nbytes, AMD_UPDATES);
    if (at[l] % (uint64_t)nbytes) amd_stop(w, i, "lane %d: an atomic at 0x%llx", l, (unsigned long long)at[l]);
    const uint64_t x = amd_lane_value(w, i->s[1].reg, l, nbytes);
    const uint64_t old = amd_exchange(p, how, x, cas ? amd_lane_value(w, i->s[1].reg + n, l, nbytes) : 0, nbytes);
    low[l] = (uint32_t)old; high[l] = (uint32_t)(old >> 32);
  }
  if (i->returns) {
    amd_blend(w, i->d.reg, low, exec);
    if (n > 1) amd_blend(w, i->d.reg + 1, high, exec);
  }
  amd_sectors(w, at, exec, nbytes, 1);
  amd_memory_issue(w, i, i->returns ? AMD_LOADCNT : AMD_STORECNT, i->d.reg, i->returns ? n : 0);
}
// gfx942: from memory into LDS, M0 + offset + 4 * lane.
static void amd_load_lds(amd_wave *w, const amd_ins *i) {
  const uint64_t exec = amd_exec(w), m0 = (uint16_t)amd_sget(w, i, AMD_M0, 1, AMD_SR_MEMORY);
  const uint64_t base = m0 + (uint64_t)(int64_t)i->offset;
  const int nbytes = i->rule->arg & AMD_NBYTES;
  uint64_t at[AMD_LANES] = {0};
  amd_m0_hazard(w, i);
  amd_addresses(w, i, at);
  w->lds_ops++;
  for (int l = 0; l < w->lanes; l++) {
    if (!(exec >> l & 1)) continue;
    uint32_t x = 0;
    const uint64_t to = base + 4 * (uint64_t)l;
    memcpy(&x, amd_at(w, i, l, at[l], nbytes, 0), (size_t)nbytes);
    amd_touch_all(w, i, l, to, 4, AMD_WRITES);
    memcpy(w->group->lds + to, &x, 4);
  }
  amd_sectors(w, at, exec, nbytes, 0);
  amd_flight *f = amd_issue(w, i, 1 << AMD_LOADCNT, 1, 0, 0, 0);
  f->lds = w->lds_ops;
  f->due = w->cycle + (uint64_t)amd_latency(w, 0, 0);
}

// ** buffers: s[2] descriptor, s[3] scalar offset **

typedef struct amd_buffer { uint64_t base, stride, records; } amd_buffer;
static amd_buffer amd_descriptor(amd_wave *w, const amd_ins *i, const amd_operand *o) {
  amd_buffer b;
  amd_sreads(w, i, o->reg, 4, AMD_SR_MEMORY);
  const uint32_t *s = w->s + o->reg;
  b.base = s[0] | (uint64_t)(s[1] & 0xFFFF) << 32;
  if (b.base >> 47) b.base |= 0xFFFF000000000000;
  b.stride = s[1] >> 16 & 0x3FFF;
  b.records = s[2];
  return b;
}
// The lane's address; 0: out of bounds.
static uint64_t amd_buffer_at(amd_wave *w, const amd_ins *i, const amd_buffer *b, uint64_t scalar, int l, int nbytes) {
  int reg = i->s[0].reg;
  const uint64_t index = i->idxen ? amd_v(w, reg++)[l] : 0;
  const uint64_t offset = (i->offen ? amd_v(w, reg)[l] : 0) + (uint64_t)(int64_t)i->offset;
  if (b->stride ? index >= b->records : offset + (uint64_t)nbytes > b->records) return 0;
  return b->base + index * b->stride + offset + scalar;
}
static void amd_buffer_access(amd_wave *w, const amd_ins *i, int stores) {
  const int arg = i->rule->arg, nbytes = arg & AMD_NBYTES, n = amd_dwords(arg);
  const uint64_t exec = amd_exec(w), scalar = amd_value(w, i, &i->s[3], 'u', AMD_SR_MEMORY);
  const amd_buffer b = amd_descriptor(w, i, &i->s[2]);
  static const unsigned char zero[16];
  uint64_t at[AMD_LANES] = {0}, inside = 0;
  if (i->offen + i->idxen) amd_reads(w, i, i->s[0].reg, i->offen + i->idxen, exec, AMD_R_MEMORY, 0);
  for (int l = 0; l < w->lanes; l++) {
    if (exec >> l & 1) at[l] = amd_buffer_at(w, i, &b, scalar, l, nbytes);
    inside |= (uint64_t)(at[l] != 0) << l;
  }
  if (stores) amd_reads(w, i, i->s[1].reg, n, exec, AMD_R_MEMORY, 0);
  else amd_writes(w, i, i->d.reg, n, exec, AMD_W_MEMORY);
  for (int l = 0; l < w->lanes; l++) {
    if (!(exec >> l & 1)) continue;
    if (stores && at[l]) amd_get_bytes(w, i->s[1].reg, l, amd_at(w, i, l, at[l], nbytes, 1), arg);
    if (!stores) amd_put_bytes(w, i->d.reg, l, at[l] ? amd_at(w, i, l, at[l], nbytes, 0) : zero, arg);
  }
  amd_sectors(w, at, inside, nbytes, stores);
  amd_flight *f = amd_issue(w, i, 1 << (stores ? AMD_STORECNT : AMD_LOADCNT), 1, i->d.reg, stores ? 0 : n, 0);
  f->due = w->cycle + (uint64_t)amd_latency(w, 0, 0);
}
static void amd_buffer_atomic(amd_wave *w, const amd_ins *i) {
  const int arg = i->rule->arg, nbytes = arg & 15, n = nbytes / 4, how = amd_atomic_how(arg), cas = how == AMD_A_CAS;
  const uint64_t exec = amd_exec(w), scalar = amd_value(w, i, &i->s[3], 'u', AMD_SR_MEMORY);
  const amd_buffer b = amd_descriptor(w, i, &i->s[2]);
  uint64_t at[AMD_LANES] = {0}, inside = 0;
  if (i->offen + i->idxen) amd_reads(w, i, i->s[0].reg, i->offen + i->idxen, exec, AMD_R_MEMORY, 0);
  amd_reads(w, i, i->s[1].reg, cas ? 2 * n : n, exec, AMD_R_MEMORY, 0);
  if (i->returns) amd_writes(w, i, i->d.reg, n, exec, AMD_W_MEMORY);
  for (int l = 0; l < w->lanes; l++) {
    if (exec >> l & 1) at[l] = amd_buffer_at(w, i, &b, scalar, l, nbytes);
    if (!at[l]) continue;
    inside |= 1ull << l;
    const uint64_t x = amd_lane_value(w, i->s[1].reg, l, nbytes);
    const uint64_t compare = cas ? amd_lane_value(w, i->s[1].reg + n, l, nbytes) : 0;
    const uint64_t old = amd_exchange(amd_at(w, i, l, at[l], nbytes, 1), how, x, compare, nbytes);
    if (i->returns) amd_lane_put(w, i->d.reg, l, nbytes, old);
  }
  amd_sectors(w, at, inside, nbytes, 1);
  const int counter = i->returns ? AMD_LOADCNT : AMD_STORECNT;
  amd_flight *f = amd_issue(w, i, 1 << counter, 1, i->d.reg, i->returns ? n : 0, 0);
  f->due = w->cycle + (uint64_t)amd_latency(w, 0, 0);
}
static void amd_buffer_load(amd_wave *w, const amd_ins *i) { amd_buffer_access(w, i, 0); }
static void amd_buffer_store(amd_wave *w, const amd_ins *i) { amd_buffer_access(w, i, 1); }

// ** scalar loads: s[0] base, s[1] scalar offset **

static void amd_smem(amd_wave *w, const amd_ins *i, uint64_t at, int nbytes, uint64_t most) {
  const int n = (nbytes + 3) / 4, arg = i->rule->arg;
  uint32_t x[16] = {0};
  const unsigned align = nbytes < 4 ? (unsigned)nbytes : 4;
  if (at % align) amd_stop(w, i, "the wave touches 0x%llx, which is misaligned", (unsigned long long)at);
  for (int k = 0; k < n; k++) {
    const int part = nbytes < 4 ? nbytes : 4;
    if (4 * (uint64_t)k + (uint64_t)part > most) break;
    memcpy(&x[k], amd_at(w, i, -1, at + 4 * (uint64_t)k, part, 0), (size_t)part);
  }
  if (arg & AMD_SIGNED) x[0] = nbytes == 1 ? (uint32_t)(int8_t)x[0] : (uint32_t)(int16_t)x[0];
  amd_swrites(w, i, i->d.reg, n, 0);
  memcpy(w->s + i->d.reg, x, (size_t)n * 4);
  w->m->r->loaded += (uint64_t)nbytes;
  amd_flight *f = amd_issue(w, i, 1 << AMD_KMCNT, 0, i->d.reg, n, 1);
  f->due = w->cycle + (uint64_t)amd_latency(w, 0, 1);
}
static uint64_t amd_scalar_offset(amd_wave *w, const amd_ins *i) {
  uint64_t at = (uint64_t)(int64_t)i->offset;
  if (i->s[1].where == AMD_S) at += amd_sget(w, i, i->s[1].reg, 1, AMD_SR_MEMORY);
  return at;
}
static void amd_s_load(amd_wave *w, const amd_ins *i) {
  const uint64_t base = amd_sget(w, i, i->s[0].reg, 2, AMD_SR_MEMORY), at = base + amd_scalar_offset(w, i);
  amd_smem(w, i, at, i->rule->arg & AMD_NBYTES, UINT64_MAX);
}
static void amd_s_buffer_load(amd_wave *w, const amd_ins *i) {
  const amd_buffer b = amd_descriptor(w, i, &i->s[0]);
  const uint64_t offset = amd_scalar_offset(w, i), size = b.records * (b.stride ? b.stride : 1);
  amd_smem(w, i, b.base + offset, i->rule->arg & AMD_NBYTES, offset < size ? size - offset : 0);
}
// s_memtime, s_memrealtime.
static void amd_s_time(amd_wave *w, const amd_ins *i) {
  const uint64_t now = i->rule->arg ? w->cycle / 20 : w->cycle;
  amd_swrites(w, i, i->d.reg, 2, 0);
  w->s[i->d.reg] = (uint32_t)now; w->s[i->d.reg + 1] = (uint32_t)(now >> 32);
  amd_issue(w, i, 1 << AMD_KMCNT, 0, i->d.reg, 2, 1);
}
// Cache write-backs count as stores; invalidations do nothing here.
static void amd_write_back(amd_wave *w, const amd_ins *i) { amd_issue(w, i, 1 << AMD_STORECNT, 1, 0, 0, 0); }
static void amd_invalidate(amd_wave *w, const amd_ins *i) {
  if (w->family == AMD_12) amd_issue(w, i, 1 << AMD_LOADCNT, 1, 0, 0, 0);
}
#endif
