// nv_mock_qmd.c: launches: every bit of a launch descriptor (QMD), what its addresses reach, what its kernel's cubin
// wants, the driver's words of constant bank 0; what caches would still hold; then the kernel, by its PTX.
//
// In: an address that SEND_PCAS_A had. Sources: cl*qmd.h of open-gpu-doc by name; what words of bank 0 compiled code
// reads, per generation: what ptxas 13.0 makes of one kernel for each special register.
#include "nv_mock_state.h"

// ---- what caches hold, by address: what is launched again there has to be the same, or be invalidated

enum { NVM_SEEN = 1024 };
struct nvm_seen { uint64_t at, hash; int cache; uint32_t epoch; };

static void nvm_invalidate(nvm_channel *c, int caches) {
  for (int i = 0; i < 3; i++) c->epoch[i] += (uint32_t)(caches >> i & 1);
}

// Whether a cache may hold something else of that address. From now on it holds this.
static int nvm_is_stale(nvm_channel *c, nvm_cache cache, uint64_t at, uint64_t hash) {
  if (!c->seen && !(c->seen = calloc(NVM_SEEN, sizeof *c->seen))) abort();
  struct nvm_seen *s = &c->seen[(at >> 7 ^ at >> 17 ^ (uint64_t)cache) % NVM_SEEN], was = *s;
  *s = (struct nvm_seen){at, hash, (int)cache, c->epoch[cache / 2]};
  return was.cache == (int)cache && was.epoch == s->epoch && was.at == at && was.hash != hash;
}

// ---- fields

// At most 32 bits.
static uint64_t nvm_bits(const uint8_t *image, uint32_t bit, uint32_t width) {
  uint32_t at = bit % 32;
  if (!width) return 0;
  uint64_t v = nvm_get32(image, bit / 32 * 4);
  if (at + width > 32) v |= (uint64_t)nvm_get32(image, bit / 32 * 4 + 4) << 32;
  return v >> at & (((uint64_t)1 << width) - 1);
}

static uint32_t nvm_q(const nv_mock *m, const nvm_job *j, int field) {
  return (uint32_t)nvm_bits(j->image, nvm_fields[field].at[m->chip->qmd].bit, nvm_fields[field].at[m->chip->qmd].width);
}
#define NVM_Q(name) nvm_q(m, j, NVQ_##name)

// From one constant buffer to the next a field moves by its kind: 0 validity, 1 prefetch and invalidation, 2 the rest.
static uint32_t nvm_buffer_bit(const nv_mock *m, int field, int i) {
  int kind = field == NVQ_CB0_VALID ? 0 : field == NVQ_CB0_PREFETCH || field == NVQ_CB0_INVALIDATE ? 1 : 2;
  return nvm_fields[field].at[m->chip->qmd].bit + (uint32_t)i * nvm_buffer_stride[m->chip->qmd][kind];
}
static uint64_t nvm_qb(const nv_mock *m, const nvm_job *j, int field, int i) {
  return nvm_bits(j->image, nvm_buffer_bit(m, field, i), nvm_fields[field].at[m->chip->qmd].width);
}
static uint64_t nvm_buffer_at(const nv_mock *m, const nvm_job *j, int i) {
  uint64_t at = nvm_qb(m, j, NVQ_CB0_LO, i) | nvm_qb(m, j, NVQ_CB0_HI, i) << 32;
  return m->chip->qmd ? at << 6 : at;
}
static uint64_t nvm_program(const nv_mock *m, const nvm_job *j) {
  uint64_t at = NVM_Q(PROGRAM_LO) | (uint64_t)NVM_Q(PROGRAM_HI) << 32;
  return m->chip->qmd == 2 ? at << 4 : at;
}
static uint32_t nvm_shared_nbytes(const nv_mock *m, const nvm_job *j) {
  return NVM_Q(SHARED) << (m->chip->qmd == 2 ? 7 : 0);
}
static uint32_t nvm_local_nbytes(const nv_mock *m, const nvm_job *j) {
  return (NVM_Q(LOCAL_HIGH) + NVM_Q(LOCAL_LOW)) << (m->chip->qmd == 2 ? 4 : 0);
}

static void nvm_clear_bits(uint32_t mask[96], uint32_t bit, uint32_t width) {
  for (uint32_t i = bit; i < bit + width; i++) mask[i / 32] &= ~(1u << i % 32);
}

// What no field of a launch has; made once.
static const uint32_t *nvm_unknown_bits(nv_mock *m) {
  uint32_t *unknown = m->unknown;
  if (m->has_unknown) return unknown;
  memset(unknown, 0xff, sizeof m->unknown);
  for (int f = 0; f < NVQ_COUNT; f++)
    nvm_clear_bits(unknown, nvm_fields[f].at[m->chip->qmd].bit, nvm_fields[f].at[m->chip->qmd].width);
  for (int f = NVQ_CB0_VALID; f <= NVQ_CB0_PREFETCH; f++)
    for (int i = 1; i < 8; i++)
      nvm_clear_bits(unknown, nvm_buffer_bit(m, f, i), nvm_fields[f].at[m->chip->qmd].width);
  m->has_unknown = 1;
  return unknown;
}

// Bits that no field has, and those of fields that a launch does not set.
static int nvm_check_bits(nv_mock *m, nvm_channel *c, const nvm_job *j) {
  const uint32_t *unknown = nvm_unknown_bits(m), words = nvm_qmd_nbytes[m->chip->qmd] / 4u;
  for (uint32_t i = 0; i < words; i++) {
    uint32_t v = nvm_get32(j->image, i * 4), defined = nvm_qmd_defined[m->chip->qmd][i];
    if (v & ~defined)
      return NVM_STOP(32, "QMD: dword %u is 0x%x: bits 0x%x are not defined", i, v, v & ~defined);
    if (v & unknown[i])
      return NVM_STOP(32, "QMD: dword %u is 0x%x: bits 0x%x are of fields that no launch sets", i, v, v & unknown[i]);
  }
  return 1;
}

static int nvm_check_kind(nv_mock *m, nvm_channel *c, const nvm_job *j) {
  static const uint32_t major[3] = {3, 4, 5};
  if (NVM_Q(MAJOR) != major[m->chip->qmd] || NVM_Q(MINOR))
    return NVM_STOP(32, "QMD: version %u.%u, where class 0x%x takes %u.0", NVM_Q(MAJOR), NVM_Q(MINOR),
                    m->chip->compute, major[m->chip->qmd]);
  if (m->chip->qmd && NVM_Q(TYPE) != 2 && NVM_Q(TYPE) != 3)
    return NVM_STOP(32, "QMD: QMD_TYPE %u is no grid", NVM_Q(TYPE));
  if (NVM_Q(PCAS_REQUIRED) || NVM_Q(DEPENDENCE_COUNTER))
    return NVM_STOP(32, "QMD: REQUIRE_SCHEDULING_PCAS and DEPENDENCE_COUNTER are not known");
  if (!NVM_Q(CALL_LIMIT)) return NVM_STOP(32, "QMD: API_VISIBLE_CALL_LIMIT is not NO_CHECK");
  uint32_t v = m->chip->sm_version, sass = (v & 0xf00) >> 4 | (v & 15);
  if (NVM_Q(SASS) && NVM_Q(SASS) != sass)
    return NVM_STOP(32, "QMD: SASS_VERSION 0x%x, the chip's is 0x%x", NVM_Q(SASS), sass);
  return 1;
}

static int nvm_check_grid(nv_mock *m, nvm_channel *c, const nvm_job *j) {
  uint32_t x = NVM_Q(GRID_X), y = NVM_Q(GRID_Y), z = NVM_Q(GRID_Z), a = NVM_Q(BLOCK_X), b = NVM_Q(BLOCK_Y),
      d = NVM_Q(BLOCK_Z);
  if (!x || !y || !z || x > 0x7fffffff) return NVM_STOP(32, "QMD: GRID %u,%u,%u", x, y, z);
  if (!a || !b || !d || a > 1024 || b > 1024 || d > 64 || a * b * d > 1024)
    return NVM_STOP(32, "QMD: CTA_THREAD_DIMENSION %u,%u,%u", a, b, d);
  if (!m->chip->qmd || NVM_Q(TYPE) != 3) return 1;
  uint32_t gx = NVM_Q(CGA_X), gy = NVM_Q(CGA_Y), gz = NVM_Q(CGA_Z);
  if (!gx || !gy || !gz || x % gx || y % gy || z % gz || gx * gy * gz > 16)
    return NVM_STOP(32, "QMD: GPC_CGA %u,%u,%u of a grid of %u,%u,%u", gx, gy, gz, x, y, z);
  return 1;
}

// ---- the program

enum { NVM_BEGINS = 128 };                 // bytes that code is first looked at by
// The longest code that lies there; of the same one the kernel that is compiled for so many threads.
static const nvm_text *nvm_text_at(nv_mock *m, nvm_channel *c, uint64_t at, uint32_t threads) {
  const nvm_text *best = NULL;
  const uint8_t *begins = nvm_at(m, c, at, NVM_BEGINS, 0);
  for (int i = 0; i < m->ntext && begins; i++) {
    const nvm_text *t = &m->texts[i];
    if (memcmp(begins, t->code, t->nbytes < NVM_BEGINS ? t->nbytes : NVM_BEGINS)) continue;
    const uint8_t *p = nvm_at(m, c, at, t->nbytes, 0);
    if (!p || memcmp(p, t->code, t->nbytes)) continue;
    if (!best || t->nbytes > best->nbytes || (t->nbytes == best->nbytes && t->max_threads == threads)) best = t;
  }
  return best;
}

static int nvm_check_program(nv_mock *m, nvm_channel *c, const nvm_job *j, const nvm_text **text) {
  uint64_t at = nvm_program(m, j), prefetch = (NVM_Q(PREFETCH_LO) | (uint64_t)NVM_Q(PREFETCH_HI) << 32) << 8;
  if (at & 127) return NVM_STOP(13, "QMD: PROGRAM_ADDRESS 0x%llx is not aligned to 128", (unsigned long long)at);
  if (!nvm_at(m, c, at, NVM_BEGINS, 0))
    return NVM_STOP(31, "QMD: PROGRAM_ADDRESS 0x%llx is not mapped", (unsigned long long)at);
  const nvm_text *t = *text = nvm_text_at(m, c, at, NVM_Q(BLOCK_X) * NVM_Q(BLOCK_Y) * NVM_Q(BLOCK_Z));
  if (!t)
    return NVM_STOP(13, "QMD: PROGRAM_ADDRESS 0x%llx: no cubin has the code that lies there", (unsigned long long)at);
  if (t->sm != m->chip->sm) return NVM_STOP(13, "QMD: PROGRAM_ADDRESS: the code of %s is for sm_%d", t->name, t->sm);
  if (!nvm_at(m, c, at, t->nbytes + 4096, 0))
    return NVM_STOP(31, "QMD: PROGRAM_ADDRESS: no 4 KiB are mapped behind %s, which is prefetched", t->name);
  if (NVM_Q(PREFETCH_SIZE) && prefetch != (at & ~(uint64_t)255))
    return NVM_STOP(32, "QMD: PROGRAM_PREFETCH_ADDR is not the program's");
  if (NVM_Q(INVALIDATE_CODE)) nvm_invalidate(c, NVM_CACHE_CODE);
  if (nvm_is_stale(c, NVM_CACHE_CODE, at, t->hash))
    return NVM_STOP(13, "QMD: PROGRAM_ADDRESS 0x%llx has other code than before, and no instruction cache was "
                        "invalidated", (unsigned long long)at);
  return 1;
}

// A kernel of clusters needs a grid of them, in its sizes.
static int nvm_check_cluster(nv_mock *m, nvm_channel *c, const nvm_job *j, const nvm_text *t) {
  const uint32_t *k = t->cluster;
  int is_cluster = m->chip->qmd && NVM_Q(TYPE) == 3;
  if (k[0] * k[1] * k[2] > 1 && (!is_cluster || NVM_Q(CGA_X) != k[0] || NVM_Q(CGA_Y) != k[1] || NVM_Q(CGA_Z) != k[2]))
    return NVM_STOP(13, "QMD: %s is of clusters of %u,%u,%u, which QMD_TYPE and GPC_CGA do not say", t->name, k[0],
                    k[1], k[2]);
  if (!is_cluster && m->chip->qmd && (NVM_Q(CGA_X) | NVM_Q(CGA_Y) | NVM_Q(CGA_Z)))
    return NVM_STOP(13, "QMD: GPC_CGA is set, and QMD_TYPE is a plain grid");
  return 1;
}

static int nvm_check_registers(nv_mock *m, nvm_channel *c, const nvm_job *j, const nvm_text *t) {
  uint32_t n = NVM_Q(REGISTERS), threads = NVM_Q(BLOCK_X) * NVM_Q(BLOCK_Y) * NVM_Q(BLOCK_Z);
  uint32_t warps = ((threads + 31) / 32 + 3) / 4 * 4, of_warp = (n * 32 + 255) / 256 * 256;
  if (n < t->registers) return NVM_STOP(13, "QMD: REGISTER_COUNT %u, and %s has %u", n, t->name, t->registers);
  if (n > 256) return NVM_STOP(13, "QMD: REGISTER_COUNT %u", n);
  if (warps * of_warp > 65536)
    return NVM_STOP(13, "QMD: %u registers of %u threads are more than an SM has", n, threads);
  if (t->max_threads && threads > t->max_threads)
    return NVM_STOP(13, "QMD: %u threads, and %s is compiled for %u", threads, t->name, t->max_threads);
  if (NVM_Q(BARRIERS) < t->barriers || NVM_Q(BARRIERS) > 16)
    return NVM_STOP(13, "QMD: BARRIER_COUNT %u, and %s has %u", NVM_Q(BARRIERS), t->name, t->barriers);
  return 1;
}

// ---- shared and local memory

static int nvm_is_carveout(const nvm_chip *c, uint32_t config) {
  for (int i = 0; i < 12 && (!i || c->shared_kib[i]); i++) if (c->shared_kib[i] / 4u + 1 == config) return 1;
  return 0;
}

// needed: what the kernel has of it, static and dynamic, with what the system takes.
static int nvm_check_shared(nv_mock *m, nvm_channel *c, const nvm_job *j, const nvm_text *t, uint32_t dynamic) {
  uint32_t n = nvm_shared_nbytes(m, j), least = NVM_Q(SHARED_MIN), target = NVM_Q(SHARED_TARGET),
      most = NVM_Q(SHARED_MAX);
  uint32_t grain = m->chip->qmd == 1 ? 256 : 128, needed = m->chip->reserved_shared + t->shared + dynamic;
  if (m->chip->sm >= 90 && !t->shared && needed < 0x400 && (n || dynamic)) needed = 0x400 + dynamic;
  if (n % grain) return NVM_STOP(13, "QMD: SHARED_MEMORY_SIZE 0x%x is not of %u", n, grain);
  if (!n && !t->shared && !dynamic && !least && !target && !most) return 1;
  if (n < needed || n >= needed + 256)
    return NVM_STOP(13, "QMD: SHARED_MEMORY_SIZE 0x%x, where %s needs 0x%x", n, t->name, needed);
  if (n > m->chip->max_shared + 0x400)
    return NVM_STOP(13, "QMD: SHARED_MEMORY_SIZE 0x%x is more than a block may have", n);
  if (!nvm_is_carveout(m->chip, least) || !nvm_is_carveout(m->chip, target) || !nvm_is_carveout(m->chip, most))
    return NVM_STOP(13, "QMD: SM_CONFIG_SHARED_MEM_SIZE %u,%u,%u: not carve-outs of the chip", least, target, most);
  if (least > target || target > most)
    return NVM_STOP(13, "QMD: SM_CONFIG_SHARED_MEM_SIZE %u,%u,%u: not ascending", least, target, most);
  if (n > (target - 1) << 12)
    return NVM_STOP(13, "QMD: SHARED_MEMORY_SIZE 0x%x, and TARGET_SM_CONFIG is %u KiB", n, (target - 1) * 4);
  return 1;
}

static uint64_t nvm_pair(const nvm_channel *c, uint32_t method) {
  return (uint64_t)c->value[1][method / 4] << 32 | c->value[1][method / 4 + 1];
}

static int nvm_check_windows(nv_mock *m, nvm_channel *c, int has_local) {
  uint64_t shared = nvm_pair(c, 0x2a0), local = nvm_pair(c, 0x7b0), gib4 = (uint64_t)1 << 32;
  if (!c->state[1][0x2a0 / 4] || !c->state[1][0x2a4 / 4])
    return NVM_STOP(13, "launch: SET_SHADER_SHARED_MEMORY_WINDOW was never set");
  if (!shared || shared & (gib4 - 1))
    return NVM_STOP(13, "SET_SHADER_SHARED_MEMORY_WINDOW: 0x%llx is not aligned to 4 GiB", (unsigned long long)shared);
  if (nvm_overlaps(nvm_uvm_of(m, c), shared, gib4))
    return NVM_STOP(13, "SET_SHADER_SHARED_MEMORY_WINDOW: memory is mapped inside it");
  if (!has_local) return 1;
  if (!c->state[1][0x7b0 / 4] || !c->state[1][0x7b4 / 4])
    return NVM_STOP(13, "launch: SET_SHADER_LOCAL_MEMORY_WINDOW was never set");
  if (!local || local & 0xffffff || nvm_overlaps(nvm_uvm_of(m, c), local, 1 << 24) ||
      (local >= shared && local < shared + gib4))
    return NVM_STOP(13, "SET_SHADER_LOCAL_MEMORY_WINDOW: 0x%llx is not of 16 MiB, or not free",
                    (unsigned long long)local);
  return 1;
}

// Local memory is of all warps that fit: bytes of a TPC, times TPCs, at SET_SHADER_LOCAL_MEMORY.
static int nvm_check_local(nv_mock *m, nvm_channel *c, const nvm_job *j, const nvm_text *t) {
  uint32_t n = nvm_local_nbytes(m, j);
  const nvm_chip *k = m->chip;
  if (n & 15) return NVM_STOP(13, "QMD: SHADER_LOCAL_MEMORY 0x%x is not of 16", n);
  if (t->stack && n < t->stack)
    return NVM_STOP(13, "QMD: SHADER_LOCAL_MEMORY 0x%x, and %s has a stack of 0x%x", n, t->name, t->stack);
  if (!nvm_check_windows(m, c, n > 0)) return 0;
  if (!n) return 1;
  uint64_t of_tpc = nvm_pair(c, 0x2e4), at = nvm_pair(c, 0x790), tpcs = (uint64_t)k->gpcs * (uint64_t)k->tpcs_per_gpc;
  uint64_t of_warp = ((uint64_t)n * 32 + 511) / 512 * 512,
      needed = of_warp * (uint64_t)k->warps_per_sm * (uint64_t)k->sms_per_tpc;
  if (!c->state[1][0x790 / 4] || !c->state[1][0x2e4 / 4])
    return NVM_STOP(13, "launch: SET_SHADER_LOCAL_MEMORY was never set, and %s has local memory", t->name);
  if (of_tpc & 0x7fff)
    return NVM_STOP(13, "SET_SHADER_LOCAL_MEMORY_NON_THROTTLED: 0x%llx is not of 0x8000", (unsigned long long)of_tpc);
  if (of_tpc < needed)
    return NVM_STOP(13, "SET_SHADER_LOCAL_MEMORY_NON_THROTTLED: 0x%llx bytes of a TPC, and %s needs 0x%llx",
                                       (unsigned long long)of_tpc, t->name, (unsigned long long)needed);
  if (!nvm_at(m, c, at, of_tpc * tpcs, 1))
    return NVM_STOP(31, "SET_SHADER_LOCAL_MEMORY: 0x%llx bytes at 0x%llx are not mapped",
                                                          (unsigned long long)(of_tpc * tpcs), (unsigned long long)at);
  return 1;
}

// ---- constant banks

// Where words that the driver fills stand in bank 0: sm_75 to 89, sm_90, sm_100 on.
typedef struct nvm_words { uint32_t block, grid, shared, local, stack, dynamic, descriptor, params; } nvm_words;
static const nvm_words nvm_bank0[3] = {
  {0x0, 0xc, 0x18, 0x20, 0x28, 0x2c, 0x118, 0x40},
  {0x0, 0xc, 0x18, 0x20, 0x28, 0x2c, 0x208, 0x198},
  {0x360, 0x370, 0x2f0, 0x2f8, 0x37c, 0x2ac, 0x358, 0x348},
};

static int nvm_check_words(nv_mock *m, nvm_channel *c, const nvm_job *j, const nvm_text *t, const uint8_t *p,
                           uint64_t at) {
  const nvm_words *w = &nvm_bank0[m->chip->qmd];
  const uint32_t want[6] = {NVM_Q(BLOCK_X), NVM_Q(BLOCK_Y), NVM_Q(BLOCK_Z), NVM_Q(GRID_X), NVM_Q(GRID_Y),
                            NVM_Q(GRID_Z)};
  uint64_t shared = nvm_pair(c, 0x2a0), local = nvm_pair(c, 0x7b0), self = nvm_get64(p, w->params);
  for (uint32_t i = 0; i < 6; i++)
    if (nvm_get32(p, i < 3 ? w->block + 4 * i : w->grid + 4 * (i - 3)) != want[i])
      return NVM_STOP(13, "constant bank 0: %s %u is %u, and the QMD has %u", i < 3 ? "blockDim" : "gridDim", i % 3,
                      nvm_get32(p, i < 3 ? w->block + 4 * i : w->grid + 4 * (i - 3)), want[i]);
  if (nvm_get64(p, w->shared) != shared && (m->chip->sm < 90 || nvm_get64(p, w->shared)))
    return NVM_STOP(13, "constant bank 0: the shared window is not SET_SHADER_SHARED_MEMORY_WINDOW");
  if (nvm_get64(p, w->local) != local && (t->stack || nvm_get64(p, w->local)))
    return NVM_STOP(13, "constant bank 0: the local window is not SET_SHADER_LOCAL_MEMORY_WINDOW");
  uint32_t stack = nvm_get32(p, w->stack);
  if (!stack || stack & 15 || stack > 1u << 24)
    return NVM_STOP(13, "constant bank 0: the stack pointer is 0x%x", stack);
  if (nvm_get64(p, w->descriptor)) return NVM_STOP(13, "constant bank 0: the global memory descriptor is not 0");
  if (self && self != (m->chip->sm < 90 ? at : at + m->chip->param_base))
    return NVM_STOP(13, "constant bank 0: the address of parameters is 0x%llx", (unsigned long long)self);
  if (!self && strstr(m->sources[t->source].ptx, "tensormap"))
    return NVM_STOP(13, "constant bank 0: no address of parameters, and %s takes it", t->name);
  return 1;
}

static int nvm_check_bank(nv_mock *m, nvm_channel *c, const nvm_job *j, const nvm_text *t, int i) {
  uint64_t at = nvm_buffer_at(m, j, i), n = nvm_qb(m, j, NVQ_CB0_SIZE, i) << 4;
  uint32_t needed = i ? t->constant_nbytes[i] : t->param_base + t->param_nbytes;
  if (!nvm_qb(m, j, NVQ_CB0_VALID, i)) {
    if (needed) return NVM_STOP(13, "QMD: CONSTANT_BUFFER_VALID(%d) is not set, and %s has that bank", i, t->name);
    if (at || n) return NVM_STOP(13, "QMD: constant buffer %d has an address or a size, and is not valid", i);
    return 1;
  }
  if (!needed) return NVM_STOP(13, "QMD: CONSTANT_BUFFER_VALID(%d), and %s has no such bank", i, t->name);
  if (at & 255)
    return NVM_STOP(13, "QMD: constant buffer %d at 0x%llx is not aligned to 256", i, (unsigned long long)at);
  if (n < needed)
    return NVM_STOP(13, "QMD: CONSTANT_BUFFER_SIZE(%d) is %u bytes, and %s has %u", i, (uint32_t)n, t->name, needed);
  const uint8_t *p = nvm_at(m, c, at, n, 0);
  if (!p)
    return NVM_STOP(31, "QMD: constant buffer %d: %u bytes at 0x%llx are not mapped", i, (uint32_t)n,
                    (unsigned long long)at);
  if (nvm_is_stale(c, NVM_CACHE_CONSTANTS, at, nvm_hash_bytes(p, needed)))
    return NVM_STOP(13, "QMD: constant buffer %d at 0x%llx was written, and no constant cache was invalidated", i,
                    (unsigned long long)at);
  return i || nvm_check_words(m, c, j, t, p, at);
}

static int nvm_check_banks(nv_mock *m, nvm_channel *c, const nvm_job *j, const nvm_text *t) {
  int invalidates = (int)NVM_Q(INVALIDATE_CONSTANT);
  for (int i = 0; i < 8; i++) invalidates |= nvm_qb(m, j, NVQ_CB0_VALID, i) && nvm_qb(m, j, NVQ_CB0_INVALIDATE, i);
  if (invalidates) nvm_invalidate(c, NVM_CACHE_CONSTANTS);
  for (int i = 0; i < 8; i++) if (!nvm_check_bank(m, c, j, t, i)) return 0;
  return 1;
}

// ---- releases, and what is launched after

typedef struct nvm_end { uint64_t at, value; int wide, four_words; } nvm_end;
enum { NVM_END_FIELDS = NVQ_REL1_ENABLE - NVQ_REL0_ENABLE, NVM_NEXT_FIELDS = NVQ_DEP1_ENABLE - NVQ_DEP0_ENABLE };

static int nvm_ends(const nv_mock *m, const nvm_job *j, int i, nvm_end *e) {
  int f = i * NVM_END_FIELDS;
  e->at = nvm_q(m, j, NVQ_REL0_LO + f) | (uint64_t)nvm_q(m, j, NVQ_REL0_HI + f) << 32;
  e->wide = (int)nvm_q(m, j, NVQ_REL0_PAYLOAD64B + f);
  e->value = nvm_q(m, j, NVQ_REL0_PAYLOAD + f) | (e->wide ? (uint64_t)nvm_q(m, j, NVQ_REL0_PAYLOAD_HI + f) << 32 : 0);
  e->four_words = nvm_q(m, j, NVQ_REL0_STRUCTURE_SIZE + f) == 0;
  return nvm_q(m, j, NVQ_REL0_ENABLE + f) != 0;
}

static int nvm_check_release(nv_mock *m, nvm_channel *c, const nvm_job *j, int i) {
  nvm_end e;
  int f = i * NVM_END_FIELDS, size = (int)nvm_q(m, j, NVQ_REL0_STRUCTURE_SIZE + f), on = nvm_ends(m, j, i, &e);
  if (!on) {
    for (int k = 0; k < NVM_END_FIELDS; k++)
      if (nvm_q(m, j, NVQ_REL0_ENABLE + f + k))
        return NVM_STOP(32, "QMD: RELEASE%d has %s, and is not enabled", i, nvm_fields[NVQ_REL0_ENABLE + f + k].name);
    return 1;
  }
  if (size == 3 || (size == 1 && e.wide)) return NVM_STOP(32, "QMD: RELEASE%d_STRUCTURE_SIZE %d", i, size);
  if (nvm_q(m, j, NVQ_REL0_REDUCTION_ENABLE + f))
    return NVM_STOP(32, "QMD: RELEASE%d_REDUCTION_ENABLE is not known", i);
  if (!NVM_Q(MEMBAR) && !nvm_q(m, j, NVQ_REL0_MEMBAR_TYPE + f))
    return NVM_STOP(32, "QMD: RELEASE%d without a membar: neither CWD_MEMBAR_TYPE nor RELEASE_MEMBAR_TYPE", i);
  uint64_t n = e.four_words ? 16 : e.wide ? 8 : 4;
  if (e.at & (n - 1) || !nvm_at(m, c, e.at, n, 1))
    return NVM_STOP(31, "QMD: RELEASE%d at 0x%llx: not aligned, or not mapped", i, (unsigned long long)e.at);
  return 1;
}

static uint64_t nvm_next(const nv_mock *m, const nvm_job *j, int i) {
  int f = i * NVM_NEXT_FIELDS;
  return nvm_q(m, j, NVQ_DEP0_ENABLE + f) ? (uint64_t)nvm_q(m, j, NVQ_DEP0_POINTER + f) << 8 : 0;
}

static int nvm_check_next(nv_mock *m, nvm_channel *c, const nvm_job *j, int i) {
  int f = i * NVM_NEXT_FIELDS, on = (int)nvm_q(m, j, NVQ_DEP0_ENABLE + f);
  uint32_t action = nvm_q(m, j, NVQ_DEP0_ACTION + f);
  if (!on && (action || nvm_q(m, j, NVQ_DEP0_POINTER + f)))
    return NVM_STOP(32, "QMD: DEPENDENT_QMD%d is set, and not enabled", i);
  if (on && action != 1 && action != 3) return NVM_STOP(32, "QMD: DEPENDENT_QMD%d_ACTION %u schedules none", i, action);
  if (on && !nvm_at(m, c, nvm_next(m, j, i), nvm_qmd_nbytes[m->chip->qmd], 0))
    return NVM_STOP(31, "QMD: DEPENDENT_QMD%d_POINTER 0x%llx is not mapped", i, (unsigned long long)nvm_next(m, j, i));
  return 1;
}

// ---- the launch

static uint32_t nvm_dynamic(nv_mock *m, nvm_channel *c, const nvm_job *j) {
  const uint8_t *p = nvm_qb(m, j, NVQ_CB0_VALID, 0) ? nvm_at(m, c, nvm_buffer_at(m, j, 0), 0x400, 0) : NULL;
  return p ? nvm_get32(p, nvm_bank0[m->chip->qmd].dynamic) : 0;
}

static int nvm_qmd_check(nv_mock *m, nvm_channel *c, nvm_job *j) {
  const nvm_text *t = NULL;
  if (!nvm_check_bits(m, c, j) || !nvm_check_kind(m, c, j) || !nvm_check_grid(m, c, j) ||
      !nvm_check_program(m, c, j, &t))
    return 0;
  if (!nvm_check_registers(m, c, j, t) || !nvm_check_cluster(m, c, j, t) ||
      !nvm_check_shared(m, c, j, t, nvm_dynamic(m, c, j)) ||
      !nvm_check_local(m, c, j, t))
    return 0;
  if (!nvm_check_banks(m, c, j, t)) return 0;
  for (int i = 0; i < 3; i++) if (!nvm_check_release(m, c, j, i)) return 0;
  return nvm_check_next(m, c, j, 0) && nvm_check_next(m, c, j, 1);
}

static void nvm_qmd_launch(nv_mock *m, nvm_channel *c, uint64_t qmd, int invalidates) {
  nvm_job job = {0};
  uint32_t n = nvm_qmd_nbytes[m->chip->qmd];
  const uint8_t *p = nvm_at(m, c, qmd, n, 0);
  job.qmd = qmd;
  if (!p) { (void)NVM_STOP(31, "SEND_PCAS_A: the QMD at 0x%llx is not mapped", (unsigned long long)qmd); return; }
  memcpy(job.image, p, n);
  if (invalidates) nvm_invalidate(c, NVM_CACHE_QMD);
  if (nvm_is_stale(c, NVM_CACHE_QMD, qmd, nvm_hash_bytes(p, n))) {
    (void)NVM_STOP(32, "SEND_PCAS_A: the QMD at 0x%llx was written again, and no action invalidates it",
                   (unsigned long long)qmd);
    return;
  }
  for (int i = 0; i < c->njob; i++)
    if (!c->jobs[i].is_copy && c->jobs[i].qmd == qmd) {
      (void)NVM_STOP(32, "SEND_PCAS_A: the QMD at 0x%llx is under way already", (unsigned long long)qmd);
      return;
    }
  if (nvm_qmd_check(m, c, &job)) nvm_job_add(m, c, &job);
}

typedef struct nvm_user { nv_mock *m; nvm_channel *c; } nvm_user;
static void *nvm_kernel_memory(void *user, uint64_t address, size_t nbytes, int writes) {
  const nvm_user *u = user;
  void *at = nvm_at(u->m, u->c, address, nbytes, writes);
  if (!at) u->m->fault_at = address;
  return at;
}

// ptxas puts a parameter of tensors where the bank's bytes are aligned: the machine wants it right behind the words.
static void nvm_params_close(const nvm_text *t, const ptx_module *module, ptx_launch *l, uint8_t *room, size_t room_nbytes) {
  enum { WORDS = 1024 };
  const ptx_kernel *k = module ? ptx_find(module, t->name) : NULL;
  if (!k || !l->params || k->param_nbytes <= WORDS || k->param_nbytes >= l->param_nbytes ||
      k->param_nbytes > room_nbytes)
    return;
  const size_t maps = k->param_nbytes - WORDS;
  memcpy(room, l->params, WORDS);
  memcpy(room + WORDS, (const uint8_t *)l->params + l->param_nbytes - maps, maps);
  l->params = room; l->param_nbytes = k->param_nbytes;
}
static int nvm_kernel_run(nv_mock *m, nvm_channel *c, nvm_job *j, const nvm_text *t) {
  nvm_user user = {m, c};
  char error[400] = "";
  ptx_launch l = {0};
  l.kernel = t->name;
  for (int i = 0; i < 3; i++) { l.grid[i] = nvm_q(m, j, NVQ_GRID_X + i); l.block[i] = nvm_q(m, j, NVQ_BLOCK_X + i); }
  l.dynamic_shared = nvm_dynamic(m, c, j);
  l.params = nvm_at(m, c, nvm_buffer_at(m, j, 0) + t->param_base, t->param_nbytes ? t->param_nbytes : 1, 0);
  l.param_nbytes = t->param_nbytes;
  uint8_t room[4096];
  ptx_module *module = m->desc.run ? NULL : nvm_module(m, t->source);
  nvm_params_close(t, module, &l, room, sizeof room);
  l.memory = (ptx_memory){&user, nvm_kernel_memory};
  l.seed = m->desc.seed ? 1 + nvm_random(m, 0x7fffffff) : 0;
  int wrong = m->desc.run ? m->desc.run(m->desc.run_user, m->sources[t->source].ptx, &l, error, sizeof error)
                          : module ? ptx_run(module, &l, NULL, error, sizeof error) : 1;
  m->time_ns += 1024;
  return wrong ? NVM_STOP(13, "kernel %s: %s", t->name, error) : 1;
}

static void nvm_qmd_next(nv_mock *m, nvm_channel *c, const nvm_job *j) {
  for (int i = 0; i < 2 && !c->dead; i++)
    if (nvm_next(m, j, i))
      nvm_qmd_launch(m, c, nvm_next(m, j, i), nvm_q(m, j, NVQ_DEP0_ACTION + i * NVM_NEXT_FIELDS) == 3);
}

static int nvm_qmd_run(nv_mock *m, nvm_channel *c, nvm_job *j) {
  uint32_t n = nvm_qmd_nbytes[m->chip->qmd];
  const uint8_t *p = nvm_at(m, c, j->qmd, n, 0);
  const nvm_text *t = nvm_text_at(m, c, nvm_program(m, j), NVM_Q(BLOCK_X) * NVM_Q(BLOCK_Y) * NVM_Q(BLOCK_Z));
  nvm_end e;
  if (++m->counts.launches == m->desc.fault_launch) { nvm_fault(m, c, 13); return 0; }
  if (!p || memcmp(p, j->image, n))
    return NVM_STOP(32, "QMD at 0x%llx: written while it was under way", (unsigned long long)j->qmd);
  if (!t)
    return NVM_STOP(13, "QMD at 0x%llx: its program was written while it was under way", (unsigned long long)j->qmd);
  if (!nvm_kernel_run(m, c, j, t)) return 0;
  for (int i = 0; i < 3; i++)
    if (nvm_ends(m, j, i, &e) && !nvm_release(m, c, e.at, e.value, e.wide, e.four_words, "QMD")) return 0;
  nvm_qmd_next(m, c, j);
  return 1;
}
