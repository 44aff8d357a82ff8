// amd_lds: memory of a group, with who wrote and read each dword, banks, atomics; and the lane permutations that go by
// its counter.
//
// A dword has its last writer and the number of that wave's LDS operation: another wave may touch it once a barrier has
// passed that the writer came to with the operation done. Banks: 32 of 4 bytes (AMD, RDNA3 ISA 12, "Data share"); lanes
// come in groups that take 128 bytes. Included by amd_memory.c.
#ifndef AMD_LDS_C
#define AMD_LDS_C
#include "amd_packed.c"

// What an access of memory is: arg of its rule.
enum { AMD_SIGNED = 0x100, AMD_D16 = 0x200, AMD_HI = 0x400, AMD_TWO = 0x800, AMD_STRIDE64 = 0x1000, AMD_NBYTES = 0xFF };
enum {
  AMD_A_SWAP = 1, AMD_A_ADD, AMD_A_SUB, AMD_A_MIN_I, AMD_A_MIN_U, AMD_A_MAX_I, AMD_A_MAX_U, AMD_A_AND, AMD_A_OR,
  AMD_A_XOR,
  AMD_A_RSUB, AMD_A_SUB_CLAMP, AMD_A_COND_SUB, AMD_A_MSKOR, AMD_A_INC, AMD_A_DEC, AMD_A_ADD_F, AMD_A_MIN_F,
  AMD_A_MAX_F, AMD_A_CAS, AMD_A_PK_F16, AMD_A_PK_BF16
};
#define AMD_ATOMIC_ARG(how, nbytes, returns) ((how) << 16 | (returns) << 15 | (nbytes))
static int amd_atomic_how(int arg) { return arg >> 16; }

// ** one atomic operation **

static uint32_t amd_pk_add(uint32_t a, uint32_t b, int bf16) {
  uint32_t r = 0;
  for (int k = 0; k < 32; k += 16) {
    const uint32_t x = a >> k & 0xFFFF, y = b >> k & 0xFFFF;
    r |= (bf16 ? amd_to_bf16((double)amd_of_bf16(x) + (double)amd_of_bf16(y))
               : amd_to_f16((double)amd_of_f16(x) + (double)amd_of_f16(y), AMD_NEAREST)) << k;
  }
  return r;
}
static uint64_t amd_atomic_float(int how, uint64_t old, uint64_t x, int wide) {
  if (how == AMD_A_ADD_F) return wide ? amd_b64(amd_f64(old) + amd_f64(x))
                                      : amd_b32(amd_f32((uint32_t)old) + amd_f32((uint32_t)x));
  if (wide) return amd_less64(old, x, how == AMD_A_MAX_F, 0);
  return amd_less32((uint32_t)old, (uint32_t)x, how == AMD_A_MAX_F, 0);
}
// The new value; compare: of a compare and swap.
static uint64_t amd_atomic(int how, uint64_t old, uint64_t x, uint64_t compare, int wide) {
  const int64_t so = wide ? (int64_t)old : (int32_t)old, sx = wide ? (int64_t)x : (int32_t)x;
  switch (how) {
    case AMD_A_SWAP: return x;
    case AMD_A_ADD: return old + x;
    case AMD_A_SUB: return old - x;
    case AMD_A_RSUB: return x - old;
    case AMD_A_SUB_CLAMP: return old < x ? 0 : old - x;
    case AMD_A_COND_SUB: return old < x ? old : old - x;
    case AMD_A_MSKOR: return (old & ~x) | compare;             // x: the mask
    case AMD_A_MIN_I: return so < sx ? old : x;
    case AMD_A_MAX_I: return so > sx ? old : x;
    case AMD_A_MIN_U: return old < x ? old : x;
    case AMD_A_MAX_U: return old > x ? old : x;
    case AMD_A_AND: return old & x;
    case AMD_A_OR: return old | x;
    case AMD_A_XOR: return old ^ x;
    case AMD_A_INC: return old >= x ? 0 : old + 1;
    case AMD_A_DEC: return old == 0 || old > x ? x : old - 1;
    case AMD_A_CAS: return old == compare ? x : old;
    case AMD_A_PK_F16: return amd_pk_add((uint32_t)old, (uint32_t)x, 0);
    case AMD_A_PK_BF16: return amd_pk_add((uint32_t)old, (uint32_t)x, 1);
    default: return amd_atomic_float(how, old, x, wide);
  }
}

// ** cells **

static void amd_lds_bounds(amd_wave *w, const amd_ins *i, int lane, uint64_t at, int nbytes) {
  const int align = nbytes < 4 ? nbytes : 4;
  if (at + (uint64_t)nbytes > w->m->d->lds_nbytes)
    amd_stop(w, i, "lane %d touches LDS at %llu, of %u bytes", lane, (unsigned long long)at, w->m->d->lds_nbytes);
  if (at % (uint64_t)align && !w->m->d->tolerant)
    amd_stop(w, i, "lane %d touches LDS at %llu, which is misaligned", lane, (unsigned long long)at);
}
#if defined(__GNUC__)
__attribute__((noreturn))
#endif
static void amd_race(amd_wave *w, const amd_ins *i, uint64_t at, const char *did, int other) {
  amd_stop(w, i, "a race in LDS: byte %llu was %s by wave %d, with no barrier since that its wait came before",
           (unsigned long long)at, did, other);
}
enum { AMD_READS = 1, AMD_WRITES = 2, AMD_UPDATES = 4 };
// A lane touches a dword's bytes.
static void amd_touch(amd_wave *w, const amd_ins *i, uint64_t at, int bytes, int how) {
  amd_group *g = w->group;
  amd_cell *c = &g->cell[at / 4];
  const int mine = (int)(1u << w->number);
  if (how != AMD_WRITES && (c->defined & bytes) != bytes)
    amd_stop(w, i, "LDS at %llu is read, which nobody has written", (unsigned long long)at);
  if (c->op && c->wave != w->number && (c->bytes & bytes) && c->op > g->wave[c->wave]->lds_safe &&
      !(how == AMD_UPDATES && c->atomic))
    amd_race(w, i, at, "written", c->wave);
  if (how != AMD_READS) {
    if (c->epoch == g->epoch + 1 && (c->readers & ~(uint32_t)mine))
      amd_race(w, i, at, "read", amd_lowest(c->readers & ~(uint32_t)mine));
    if (c->op <= w->group->wave[c->wave]->lds_safe || c->wave == w->number) c->bytes = 0;
    c->bytes |= (uint8_t)bytes; c->defined |= (uint8_t)bytes;
    c->op = w->lds_ops; c->wave = (uint8_t)w->number; c->atomic = how == AMD_UPDATES;
    return;
  }
  if (c->epoch != g->epoch + 1) { c->epoch = g->epoch + 1; c->readers = 0; }
  c->readers |= (uint32_t)mine;
}
static void amd_touch_all(amd_wave *w, const amd_ins *i, int lane, uint64_t at, int nbytes, int how) {
  amd_lds_bounds(w, i, lane, at, nbytes);
  for (int k = 0, n; k < nbytes; k += n) {
    const int from = (int)((at + (uint64_t)k) & 3);
    n = 4 - from < nbytes - k ? 4 - from : nbytes - k;
    amd_touch(w, i, at + (uint64_t)k, ((1 << n) - 1) << from, how);
  }
}
// What banks take: groups of lanes of 128 bytes; the most dwords of one bank in each.
static void amd_banks(amd_wave *w, const uint64_t *at, uint64_t lanes, int nbytes) {
  const int dwords = nbytes < 4 ? 1 : nbytes / 4, span = dwords == 1 ? 32 : dwords == 2 ? 16 : 8;
  amd_report *r = w->m->r;
  for (int first = 0; first < w->lanes; first += span) {
    uint64_t dword[32][4];
    int n[32] = {0}, most = 0;
    for (int l = first; l < first + span; l++) {
      for (int k = 0; k < dwords && (lanes >> l & 1); k++) {
        const uint64_t x = at[l] / 4 + (uint64_t)k;
        const int bank = (int)(x & 31);
        int seen = 0;
        for (int j = 0; j < n[bank] && j < 4; j++) seen |= dword[bank][j] == x;
        if (seen) continue;
        if (n[bank] < 4) dword[bank][n[bank]] = x;
        if (++n[bank] > most) most = n[bank];
      }
    }
    if (!most) continue;
    r->lds_accesses++;
    r->lds_conflicts += (uint64_t)(most - 1);
  }
}

// ** registers of a lane to bytes and back **

static void amd_put_bytes(amd_wave *w, int reg, int lane, const unsigned char *from, int arg) {
  const int nbytes = arg & AMD_NBYTES;
  uint32_t x[4] = {0, 0, 0, 0};
  memcpy(x, from, (size_t)nbytes);
  if (arg & AMD_SIGNED) x[0] = nbytes == 1 ? (uint32_t)(int8_t)x[0] : (uint32_t)(int16_t)x[0];
  uint32_t *to = amd_v(w, reg) + lane;
  if (arg & AMD_D16) {
    *to = arg & AMD_HI ? (*to & 0xFFFF) | x[0] << 16 : (*to & 0xFFFF0000) | (x[0] & 0xFFFF);
    return;
  }
  for (int k = 0; k < (nbytes + 3) / 4; k++) to[k * w->lanes] = x[k];
}
static void amd_get_bytes(amd_wave *w, int reg, int lane, unsigned char *to, int arg) {
  const int nbytes = arg & AMD_NBYTES;
  uint32_t x[4];
  const uint32_t *from = amd_v(w, reg) + lane;
  for (int k = 0; k < (nbytes + 3) / 4; k++) x[k] = from[k * w->lanes];
  if (arg & AMD_HI) x[0] >>= 16;
  memcpy(to, x, (size_t)nbytes);
}
static int amd_dwords(int arg) { return ((arg & AMD_NBYTES) + 3) / 4; }

// ** the instructions: s[0] address, s[1] and s[2] data **

static int amd_lds_latency(const amd_wave *w);
static void amd_lds_issue(amd_wave *w, const amd_ins *i, int first, int n) {
  amd_flight *f = amd_issue(w, i, 1 << AMD_DSCNT, 1, first, n, 0);
  f->lds = w->lds_ops;
  f->due = w->cycle + (uint64_t)amd_lds_latency(w);
}
static int64_t amd_lds_step(int arg) { return (int64_t)(arg & AMD_NBYTES) * (arg & AMD_STRIDE64 ? 64 : 1); }
static void amd_ds_access(amd_wave *w, const amd_ins *i, int64_t offset, int reg, int stores) {
  const int arg = i->rule->arg, nbytes = arg & AMD_NBYTES;
  const uint32_t *address = amd_v(w, i->s[0].reg);
  const uint64_t exec = amd_exec(w);
  uint64_t at[AMD_LANES] = {0};
  for (int l = 0; l < w->lanes; l++) {
    if (!(exec >> l & 1)) continue;
    at[l] = (uint32_t)(address[l] + (uint32_t)offset);
    amd_touch_all(w, i, l, at[l], nbytes, stores ? AMD_WRITES : AMD_READS);
    if (stores) amd_get_bytes(w, reg, l, w->group->lds + at[l], arg);
    else amd_put_bytes(w, reg, l, w->group->lds + at[l], arg);
  }
  amd_banks(w, at, exec, nbytes);
}
static void amd_ds_load(amd_wave *w, const amd_ins *i) {
  const int arg = i->rule->arg, two = (arg & AMD_TWO) != 0, n = amd_dwords(arg) * (two ? 2 : 1);
  const uint64_t exec = amd_exec(w);
  amd_reads(w, i, i->s[0].reg, 1, exec, AMD_R_MEMORY, 0);
  amd_writes(w, i, i->d.reg, n, exec, AMD_W_MEMORY);
  w->lds_ops++;
  if (two && i->d.reg <= i->s[0].reg && i->s[0].reg < i->d.reg + n) {      // the address before it is overwritten
    uint32_t keep[AMD_LANES];
    memcpy(keep, amd_v(w, i->s[0].reg), (size_t)w->lanes * 4);
    amd_ds_access(w, i, i->offset * amd_lds_step(arg), i->d.reg, 0);
    uint32_t *now = amd_v(w, i->s[0].reg), got[AMD_LANES];
    memcpy(got, now, (size_t)w->lanes * 4);
    memcpy(now, keep, (size_t)w->lanes * 4);
    amd_ds_access(w, i, i->offset1 * amd_lds_step(arg), i->d.reg + n / 2, 0);
    if (i->s[0].reg < i->d.reg + n / 2) amd_blend(w, i->s[0].reg, got, exec);
  } else {
    amd_ds_access(w, i, two ? i->offset * amd_lds_step(arg) : i->offset, i->d.reg, 0);
    if (two) amd_ds_access(w, i, i->offset1 * amd_lds_step(arg), i->d.reg + n / 2, 0);
  }
  amd_lds_issue(w, i, i->d.reg, n);
}
static void amd_ds_store(amd_wave *w, const amd_ins *i) {
  const int arg = i->rule->arg, two = (arg & AMD_TWO) != 0, n = amd_dwords(arg);
  const uint64_t exec = amd_exec(w);
  amd_reads(w, i, i->s[0].reg, 1, exec, AMD_R_MEMORY, 0);
  amd_reads(w, i, i->s[1].reg, n, exec, AMD_R_MEMORY, 0);
  if (two) amd_reads(w, i, i->s[2].reg, n, exec, AMD_R_MEMORY, 0);
  w->lds_ops++;
  amd_ds_access(w, i, two ? i->offset * amd_lds_step(arg) : i->offset, i->s[1].reg, 1);
  if (two) amd_ds_access(w, i, i->offset1 * amd_lds_step(arg), i->s[2].reg, 1);
  amd_lds_issue(w, i, 0, 0);
}
static uint64_t amd_lane_value(amd_wave *w, int reg, int lane, int nbytes) {
  const uint64_t low = amd_v(w, reg)[lane];
  return nbytes > 4 ? low | (uint64_t)amd_v(w, reg + 1)[lane] << 32 : low;
}
static void amd_lane_put(amd_wave *w, int reg, int lane, int nbytes, uint64_t x) {
  amd_v(w, reg)[lane] = (uint32_t)x;
  if (nbytes > 4) amd_v(w, reg + 1)[lane] = (uint32_t)(x >> 32);
}
// data; of a compare and swap: the new value in data0 and what it is compared with in data1 (ds_cmpstore), or, gfx942
// (ds_cmpst), the other way round.
static void amd_ds_atomic(amd_wave *w, const amd_ins *i) {
  const int arg = i->rule->arg, nbytes = arg & 15, how = amd_atomic_how(arg), returns = arg >> 15 & 1, n = nbytes / 4;
  const uint64_t exec = amd_exec(w);
  const int cas = how == AMD_A_CAS || how == AMD_A_MSKOR, first = how == AMD_A_CAS && w->family == AMD_9 ? 2 : 1;
  uint64_t at[AMD_LANES] = {0};
  amd_reads(w, i, i->s[0].reg, 1, exec, AMD_R_MEMORY, 0);
  amd_reads(w, i, i->s[1].reg, n, exec, AMD_R_MEMORY, 0);
  if (cas) amd_reads(w, i, i->s[2].reg, n, exec, AMD_R_MEMORY, 0);
  if (returns) amd_writes(w, i, i->d.reg, n, exec, AMD_W_MEMORY);
  w->lds_ops++;
  for (int l = 0; l < w->lanes; l++) {
    if (!(exec >> l & 1)) continue;
    uint64_t old = 0;
    at[l] = (uint32_t)(amd_v(w, i->s[0].reg)[l] + (uint32_t)i->offset);
    amd_touch_all(w, i, l, at[l], nbytes, AMD_UPDATES);
    memcpy(&old, w->group->lds + at[l], (size_t)nbytes);
    const uint64_t x = amd_lane_value(w, i->s[first].reg, l, nbytes);
    const uint64_t compare = cas ? amd_lane_value(w, i->s[3 - first].reg, l, nbytes) : 0;
    const uint64_t now = amd_atomic(how, old, x, compare, nbytes > 4);
    memcpy(w->group->lds + at[l], &now, (size_t)nbytes);
    if (returns) amd_lane_put(w, i->d.reg, l, nbytes, old);
  }
  amd_banks(w, at, exec, nbytes);
  amd_lds_issue(w, i, i->d.reg, returns ? n : 0);
}
// ds_append, ds_consume: the number of active lanes, once.
static void amd_ds_append(amd_wave *w, const amd_ins *i) {
  const uint64_t exec = amd_exec(w), at = (amd_sget(w, i, AMD_M0, 1, AMD_SR_SALU) >> 16) + (uint64_t)i->offset;
  uint32_t old, n = (uint32_t)amd_popcount(exec);
  amd_writes(w, i, i->d.reg, 1, exec, AMD_W_MEMORY);
  w->lds_ops++;
  amd_touch_all(w, i, 0, at, 4, AMD_UPDATES);
  memcpy(&old, w->group->lds + at, 4);
  n = i->rule->arg ? old - n : old + n;
  memcpy(w->group->lds + at, &n, 4);
  for (int l = 0; l < w->lanes; l++)
    if (exec >> l & 1) amd_v(w, i->d.reg)[l] = old;
  amd_lds_issue(w, i, i->d.reg, 1);
}

// ** permutations **

static int amd_swizzled(int lane, int offset) {
  if (offset & 0x8000) return (lane & ~3) | (offset >> 2 * (lane & 3) & 3);
  return (lane & ~31) | ((((lane & 31) & offset) | (offset >> 5 & 31)) ^ (offset >> 10 & 31));
}
enum { AMD_PERMUTE, AMD_BPERMUTE, AMD_SWIZZLE };
static void amd_ds_permute(amd_wave *w, const amd_ins *i) {
  const int how = i->rule->arg, data = how == AMD_SWIZZLE ? 0 : 1, span = w->family == AMD_9 ? 64 : 32;
  const uint64_t exec = amd_exec(w);
  uint32_t r[AMD_LANES] = {0};
  amd_reads(w, i, i->s[0].reg, 1, exec, AMD_R_MEMORY, 0);
  if (data) amd_reads(w, i, i->s[1].reg, 1, exec, AMD_R_MEMORY, 0);
  const uint32_t *address = amd_v(w, i->s[0].reg), *from = amd_v(w, i->s[data].reg);
  for (int l = 0; l < w->lanes; l++) {
    if (how == AMD_SWIZZLE) {
      const int s = amd_swizzled(l, i->offset);
      r[l] = exec >> s & 1 ? from[s] : 0;
      continue;
    }
    const int other = (l & ~(span - 1)) | (int)((address[l] + (uint32_t)i->offset) / 4 % (uint32_t)span);
    if (how == AMD_PERMUTE && (exec >> l & 1)) r[other] = from[l];
    if (how == AMD_BPERMUTE) r[l] = exec >> other & 1 ? from[other] : 0;
  }
  amd_writes(w, i, i->d.reg, 1, exec, AMD_W_MEMORY);
  amd_blend(w, i->d.reg, r, exec);
  amd_lds_issue(w, i, i->d.reg, 1);
}
#endif
