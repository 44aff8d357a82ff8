// amd_emulate: a dispatch: groups one after another or some at a time, their waves in turns, from the state that the
// ABI gives them to s_endpgm.
//
// Initial registers: LLVM, AMDGPUUsage, "Initial Kernel Execution State". Waves take turns of TURN instructions, or of
// random lengths; at a barrier they stand until all have come.
#include "amd_fetch.c"

enum { AMD_TURN = 4096 };

AMD_API void amd_describe(amd_dispatch *d, uint64_t descriptor) {
  const unsigned char *k = (const unsigned char *)(uintptr_t)descriptor;
  int64_t offset;
  memcpy(&d->lds_nbytes, k, 4);
  memcpy(&d->scratch_nbytes, k + 4, 4);
  memcpy(&offset, k + 16, 8);
  memcpy(&d->rsrc3, k + 44, 4);
  memcpy(&d->rsrc1, k + 48, 4);
  memcpy(&d->rsrc2, k + 52, 4);
  memcpy(&d->properties, k + 56, 2);
  memcpy(&d->preload, k + 58, 2);
  d->entry = descriptor + (uint64_t)offset;
}

// ** a wave's first state **

static void amd_give(amd_wave *w, int *at, const void *from, int n) {
  if (*at + n > AMD_VCC) return;
  memcpy(w->s + *at, from, (size_t)n * 4);
  memset(w->sdef + *at, 1, (size_t)n);
  *at += n;
}
static void amd_user_sgprs(amd_wave *w, int *at) {
  const amd_dispatch *d = w->m->d;
  const int has = d->properties;
  const uint32_t nothing[4] = {0, 0, 0, 0};
  if (d->user) { amd_give(w, at, d->user, d->nuser); return; }
  if (has & 1) amd_give(w, at, nothing, 4);
  if (has & 2) amd_give(w, at, &d->packet, 2);
  if (has & 4) amd_give(w, at, &d->queue, 2);
  if (has & 8) amd_give(w, at, &d->kernarg, 2);
  if (has & 16) amd_give(w, at, &d->dispatch_id, 2);
  if (has & 32) amd_give(w, at, nothing, 2);
  if (has & 64) amd_give(w, at, &d->scratch_nbytes, 1);
  if (w->family == AMD_9 && (d->preload & 127))
    amd_give(w, at, (const unsigned char *)(uintptr_t)d->kernarg + 4 * (d->preload >> 7), d->preload & 127);
}
static void amd_system_sgprs(amd_wave *w, int at) {
  const uint32_t *id = w->group->id, rsrc2 = w->m->d->rsrc2, zero = 0;
  if (w->family == AMD_12) {               // architected: ttmp9, ttmp7
    const uint32_t yz = id[1] | id[2] << 16;
    int x = AMD_TTMP + 9, y = AMD_TTMP + 7;
    memcpy(w->s + x, &id[0], 4); memcpy(w->s + y, &yz, 4);
    w->sdef[x] = w->sdef[y] = 1;
    return;
  }
  const int user = (int)(rsrc2 >> 1 & 31);
  if (user > at) at = user;
  for (int k = 0; k < 3; k++)
    if (rsrc2 >> (7 + k) & 1) amd_give(w, &at, &id[k], 1);
  if (rsrc2 >> 10 & 1) amd_give(w, &at, &zero, 1);
}
static uint32_t amd_at_least_1(uint32_t x) { return x ? x : 1; }
// Work items of the group that the grid has in direction k.
static uint32_t amd_extent(const amd_group *g, int k) {
  const amd_dispatch *d = g->m->d;
  const uint32_t size = amd_at_least_1(d->group[k]), left = amd_at_least_1(d->grid[k]) - g->id[k] * size;
  return left < size ? left : size;
}
static void amd_work_items(amd_wave *w) {
  const uint32_t nx = amd_extent(w->group, 0), ny = amd_extent(w->group, 1), nz = amd_extent(w->group, 2);
  const int has = (int)(w->m->d->rsrc2 >> 11 & 3);
  uint64_t exec = 0;
  for (int l = 0; l < w->lanes; l++) {
    const uint32_t item = (uint32_t)(w->number * w->lanes + l);
    if (item >= nx * ny * nz) break;
    exec |= 1ull << l;
    amd_v(w, 0)[l] = item % nx | (has > 0 ? item / nx % ny << 10 : 0) | (has > 1 ? item / nx / ny << 20 : 0);
  }
  w->vdef[0] = exec;
  w->s[AMD_EXEC] = (uint32_t)exec;
  w->s[AMD_EXEC + 1] = (uint32_t)(exec >> 32);
  w->sdef[AMD_EXEC] = w->sdef[AMD_EXEC + 1] = 1;
}
static uint32_t amd_first_mode(const amd_wave *w) {
  const uint32_t r = w->m->d->rsrc1;
  return (r >> 12 & 15) | (r >> 16 & 15) << 4 | (w->family == AMD_12 ? 0 : (r >> 21 & 1) << 8 | (r >> 23 & 1) << 9) |
         (r >> 26 & 1) << 23;
}
static void amd_wave_begins(amd_wave *w, amd_group *g, int number, uint32_t seed) {
  uint32_t *v = w->v;
  unsigned char *scratch = w->scratch;
  uint8_t *def = w->scratch_def;
  amd_machine *m = g->m;
  memset(w, 0, sizeof *w);
  w->v = v; w->scratch = scratch; w->scratch_def = def;
  w->m = m; w->group = g; w->number = number; w->lanes = m->lanes; w->family = m->family;
  w->states = 1; w->scc = 2; w->rng = seed * 2654435761u + (uint32_t)number + 1;
  if (def) memset(def, 0, (size_t)m->d->scratch_nbytes * (size_t)w->lanes);
  int at = 0;
  amd_user_sgprs(w, &at);
  amd_system_sgprs(w, at);
  amd_work_items(w);
  w->mode = amd_first_mode(w);
  w->at = amd_ins_at(w, m->d->entry + (w->family == AMD_9 && (m->d->preload & 127) ? 256 : 0));
}

// ** instructions, one after another **

static int amd_counts_lanes(int kind) {
  return kind == AMD_VALU || kind == AMD_TRANS || kind == AMD_DUAL || (kind >= AMD_LDS && kind <= AMD_SCRATCH);
}
static void amd_count(amd_wave *w, const amd_ins *i, int kind) {
  amd_report *r = w->m->r;
  r->instructions++;
  r->issued[kind]++;
  if (!amd_counts_lanes(kind) && kind != AMD_MATRIX) return;
  const uint64_t exec = amd_exec(w);
  const int lanes = exec == amd_all(w) ? w->lanes : amd_popcount(exec);
  r->lane_instructions += (uint64_t)(i->dual ? 2 * lanes : lanes);
}
static void amd_go_on(amd_wave *w, amd_ins *i) {
  if (w->jumps) {
    const uint64_t to = w->jump;
    if (!i->target || i->target->pc != to) i->target = amd_ins_at(w, to);
    w->at = i->target;
    return;
  }
  if (!i->next) i->next = amd_ins_at(w, i->pc + 4 * (uint64_t)i->nwords);
  w->at = i->next;
}
static void amd_step(amd_wave *w) {
  amd_ins *i = w->at;
  const amd_rule *rule = i->rule;
  const int kind = i->dual ? AMD_DUAL : rule->kind, vector = kind == AMD_VALU || kind == AMD_TRANS || kind == AMD_DUAL;
  if (w->m->d->max_steps && ++w->m->steps > w->m->d->max_steps)
    amd_stop(w, i, "more than %llu instructions", (unsigned long long)w->m->d->max_steps);
  amd_count(w, i, kind);
  w->jumps = 0;
  w->cost = vector ? amd_vector_cost(w, i) : 1;
  if (rule->run) rule->run(w, i);
  else amd_vector(w, i);
  if (vector || kind == AMD_MATRIX) {
    w->valus++;
    w->transes += kind == AMD_TRANS;
  }
  if (kind >= AMD_LDS && kind <= AMD_SCRATCH) w->va_mark = w->valus;
  w->states++;
  w->last = (uint16_t)i->op;
  amd_spent(w, kind, w->jumps);
  if (w->state != AMD_ENDED) amd_go_on(w, i);
}
// Until it stands or its turn is over. 1: it did something.
static int amd_turn(amd_wave *w) {
  uint32_t n = w->m->d->seed ? amd_random(&w->rng) % AMD_TURN + 1 : AMD_TURN;
  if (w->state != AMD_RUNS) return 0;
  while (n-- && w->state == AMD_RUNS) amd_step(w);
  return 1;
}

// ** groups **

static void amd_group_begins(amd_group *g, uint64_t number) {
  amd_machine *m = g->m;
  const amd_dispatch *d = m->d;
  uint32_t n[3];
  for (int k = 0; k < 3; k++) {
    const uint32_t size = amd_at_least_1(d->group[k]);
    n[k] = (amd_at_least_1(d->grid[k]) + size - 1) / size;
  }
  g->id[0] = (uint32_t)(number % n[0]);
  g->id[1] = (uint32_t)(number / n[0] % n[1]);
  g->id[2] = (uint32_t)(number / n[0] / n[1]);
  const uint32_t items = amd_extent(g, 0) * amd_extent(g, 1) * amd_extent(g, 2);
  g->nwaves = (int)((items + (uint32_t)m->lanes - 1) / (uint32_t)m->lanes);
  g->alive = g->nwaves;
  g->arrived = 0;
  g->epoch = 0;
  g->running = 1;
  memset(g->busy, 0, sizeof g->busy);
  memset(g->cell, 0, (d->lds_nbytes / 4 + 1) * sizeof *g->cell);
  m->r->groups++;
  m->r->waves += (uint64_t)g->nwaves;
  for (int k = 0; k < g->nwaves; k++) amd_wave_begins(g->wave[k], g, k, d->seed + (uint32_t)number);
}
// All its waves a turn each.
static void amd_group_turns(amd_group *g) {
  const int first = g->m->d->seed ? (int)(amd_random(&g->m->rng) % (uint32_t)g->nwaves) : 0;
  int did = 0;
  for (int k = 0; k < g->nwaves; k++) did |= amd_turn(g->wave[(first + k) % g->nwaves]);
  if (g->arrived && g->arrived == g->alive) {
    amd_wave *w = g->wave[0];
    for (int k = 0; k < g->nwaves; k++)
      if (g->wave[k]->state == AMD_BARRIER) w = g->wave[k];
    if (g->alive < g->nwaves)
      amd_stop(w, w->at, "a barrier that %d of %d waves have ended without", g->nwaves - g->alive, g->nwaves);
    amd_barrier_passed(g);
  } else if (!did && g->alive) {
    amd_stop(g->wave[0], g->wave[0]->at, "no wave of the group goes on");
  }
  if (g->alive) return;
  g->running = 0;
  g->m->r->cycles += amd_group_cycles(g);
}
static uint64_t amd_groups(const amd_dispatch *d) {
  uint64_t n = 1;
  for (int k = 0; k < 3; k++) {
    const uint32_t size = amd_at_least_1(d->group[k]);
    n *= (amd_at_least_1(d->grid[k]) + size - 1) / size;
  }
  return n;
}
static void amd_run_groups(amd_machine *m) {
  const uint64_t all = amd_groups(m->d);
  uint64_t next = 0, left = all;
  while (left) {
    for (int k = 0; k < m->ngroups; k++) {
      amd_group *g = m->group[k];
      if (!g->running && next < all) amd_group_begins(g, next++);
      if (!g->running) continue;
      amd_group_turns(g);
      left -= !g->running;
    }
  }
}

// ** memory of a dispatch **

static void amd_group_free(amd_group *g) {
  if (!g) return;
  for (int k = 0; k < AMD_WAVES; k++) {
    if (!g->wave[k]) continue;
    free(g->wave[k]->v);
    free(g->wave[k]->scratch);
    free(g->wave[k]->scratch_def);
    free(g->wave[k]);
  }
  free(g->lds);
  free(g->cell);
  free(g);
}
static amd_wave *amd_wave_new(const amd_machine *m) {
  const size_t scratch = (size_t)m->d->scratch_nbytes * (size_t)m->lanes;
  amd_wave *w = (amd_wave *)calloc(1, sizeof *w);
  if (!w) return NULL;
  w->v = (uint32_t *)calloc(AMD_VGPRS * (size_t)m->lanes, 4);
  w->scratch = scratch ? (unsigned char *)calloc(scratch, 1) : NULL;
  w->scratch_def = scratch ? (uint8_t *)calloc(scratch, 1) : NULL;
  return w;
}
static amd_group *amd_group_new(amd_machine *m, int nwaves) {
  amd_group *g = (amd_group *)calloc(1, sizeof *g);
  int ok = g != NULL;
  if (!g) return NULL;
  g->m = m;
  g->lds = (unsigned char *)calloc(m->d->lds_nbytes + 16, 1);
  g->cell = (amd_cell *)calloc(m->d->lds_nbytes / 4 + 1, sizeof *g->cell);
  ok = g->lds && g->cell;
  for (int k = 0; k < nwaves && ok; k++) {
    amd_wave *w = g->wave[k] = amd_wave_new(m);
    ok = w && w->v && (!m->d->scratch_nbytes || (w->scratch && w->scratch_def));
  }
  if (ok) return g;
  amd_group_free(g);
  return NULL;
}
static void amd_machine_free(amd_machine *m) {
  for (int k = 0; k < m->ngroups; k++) amd_group_free(m->group[k]);
  free(m->group);
  free((void *)m->rule);
  free(m->table);
  for (amd_block *b = m->block, *next; b; b = next) { next = b->next; free(b); }
}
// What the dispatch asks for that cannot be; NULL: nothing.
static const char *amd_refuses(const amd_machine *m, uint64_t items) {
  if (!m->family) return "no such chip";
  if (items > 1024) return "a group of more than 1024 work items";
  if (m->d->lds_nbytes > 65536) return "more than 64 KiB of LDS";
  if (m->d->entry & 255) return "the entry is not aligned to 256 bytes";
  return NULL;
}
static void amd_limits(amd_machine *m) {
  const amd_dispatch *d = m->d;
  const int granules = (int)(d->rsrc1 & 63) + 1;
  m->lanes = m->family == AMD_9 || !(d->properties >> 10 & 1) ? 64 : 32;
  if (m->family != AMD_9) {
    m->vgprs = granules * (m->lanes == 32 ? 8 : 4);
    if (m->vgprs > AMD_AGPR) m->vgprs = AMD_AGPR;
    return;
  }
  const int all = granules * 8, offset = (int)((d->rsrc3 & 63) + 1) * 4;
  m->vgprs = offset < all ? offset : all;
  m->agprs = all - m->vgprs;
  if (m->vgprs > AMD_AGPR) m->vgprs = AMD_AGPR;
  if (m->agprs > AMD_AGPR) m->agprs = AMD_AGPR;
}
static int amd_family(int chip) {
  if (chip == 942) return AMD_9;
  return chip >= 1100 && chip <= 1151 ? AMD_11 : chip == 1200 || chip == 1201 ? AMD_12 : 0;
}
static int amd_machine_new(amd_machine *m, int nwaves) {
  const int resident = m->d->resident > 1 ? m->d->resident : 1;
  m->rule = (const amd_rule **)calloc(TN_AMD_COUNT, sizeof *m->rule);
  m->group = (amd_group **)calloc((size_t)resident, sizeof *m->group);
  if (!m->rule || !m->group) return 0;
  amd_rules_by_op(m->rule);
  for (; m->ngroups < resident; m->ngroups++)
    if (!(m->group[m->ngroups] = amd_group_new(m, nwaves))) return 0;
  return 1;
}
AMD_API int amd_emulate(const amd_dispatch *d, amd_report *r) {
  amd_machine m;
  uint64_t items = 1;
  for (int k = 0; k < 3; k++) items *= amd_at_least_1(d->group[k]);
  memset(&m, 0, sizeof m);
  memset(r, 0, sizeof *r);
  m.d = d; m.r = r; m.family = amd_family(d->chip); m.rng = d->seed * 747796405u + 1;
  const char *refuses = amd_refuses(&m, items);
  if (refuses) {
    snprintf(r->error, sizeof r->error, "gfx%d: %s", d->chip, refuses);
    return 1;
  }
  amd_limits(&m);
  if (!amd_machine_new(&m, (int)((items + (uint64_t)m.lanes - 1) / (uint64_t)m.lanes)))
    snprintf(r->error, sizeof r->error, "out of memory");
  else if (!setjmp(m.stop))
    amd_run_groups(&m);
  amd_machine_free(&m);
  return *r->error != 0;
}
