// late: INTERP as late as the contract of tiny_backend allows, for any test: make late.
//
// Launches and copies to memory wait in a queue, in order, until something waits for them or a die says so; what is
// freed or unloaded is kept until those before it are done. What is given with a call (arguments, what is copied) is
// taken when it is given, and errors come from where something waits. A number draws what a device may do either way:
// $TEST_SEED, or what follows the name (INTERP:7). With 0, or none, memory is the host's and the die has eight sides.
//   seed & 3          1: the host cannot point into memory, but map shows it; 2: it does not; else memory is the host's
//   seed >> 2 & 3     how early: at one call of 8, never, of 2, of 64; then some of what waits is done
//   seed >> 4 & 1     1: there is no clock
// A copy from another device fails where that one is still to write the memory, as nobody waited for it; what writes or
// frees the memory before the copy has happened fails on the other device.
// Included by runtime/device.c (TN_TEST_BACKEND).
#ifndef LATE_H
#define LATE_H

enum { LATE_LAUNCH, LATE_COPY, LATE_FROM, LATE_FREE, LATE_UNLOAD, LATE_WAIT };
enum { LATE_MAPS = 1, LATE_APART = 2, LATE_MOST_MEM = 256 };
#define LATE_FAR ((uintptr_t)1 << (sizeof(void *) * 8 - 2))    // added to addresses that mean nothing to the host
#define LATE_NS 5000000                    // what each launch takes on the device's clock, which began long ago

typedef struct late late;
typedef struct late_event { late *of; uint64_t place; int64_t refs; } late_event;       // place: so many calls of `of`
// before: so much was given to the device before. at: the event, the module, what is freed, or the device that is
// copied from, which had been given so much (place). l: the launch, or the memory that is copied to, and from.
typedef struct late_call {
  struct late_call *next, *reads;          // reads: of the same list `reading`
  size_t nbytes, size; int what; void *at; uint64_t before, place; const void *data; tiny_launch l;
} late_call;
struct late {
  tiny_ctx *t, *apart;                     // apart: where launches run once another thread may wait for them
  int far, early, clock;                   // early: bits of the die
  late_call *first, **last, *now, *done;   // done: by another thread; only the own one gives memory back
  late_call *reading;                      // calls of other devices that are still to copy memory of this one
  uint64_t die, ns, given, happened;       // given, happened: calls
  tiny_code failed;                        // of a call that another thread waited for
};

// ** one lock for all devices that have events. It may be taken again by who has it **

static int64_t late_taken, late_taker;
static int late_depth;
static void late_lock(const late *q) {
  if (!q->apart) return;
  const int64_t me = tn_os_thread_number();
  if (tn_os_atomic_load(&late_taker) == me) { late_depth++; return; }
  while (tn_os_atomic_add(&late_taken, 1)) { tn_os_atomic_add(&late_taken, -1); tn_os_sleep_us(20); }
  tn_os_atomic_store(&late_taker, me);
  late_depth = 1;
}
static void late_unlock(const late *q) {
  if (!q->apart || --late_depth) return;
  tn_os_atomic_store(&late_taker, 0);
  tn_os_atomic_add(&late_taken, -1);
}

// ** what happens **

static void *late_near(const late *q, void *p) { return q->far && p ? (void *)((uintptr_t)p - LATE_FAR) : p; }
static void *late_far(const late *q, void *p) { return q->far && p ? (void *)((uintptr_t)p + LATE_FAR) : p; }

static tiny_code late_reach(late *q, uint64_t place, int mine);
static void late_event_drop(late_event *e) { if (tn_os_atomic_add(&e->refs, -1) == 1) free(e); }

// Does u write some of what r copies, or free it? A kernel writes from its first parameter on, who knows how far.
static int late_writes(const late_call *u, const late_call *r) {
  if (u->what == LATE_FREE || u->l.nmem == 0) return u->what == LATE_FREE && u->at == r->l.mem[1].base;
  const uintptr_t from = (uintptr_t)r->l.mem[1].base + r->l.mem[1].offset;
  const uintptr_t to = (uintptr_t)u->l.mem[0].base + u->l.mem[0].offset;
  return to < from + r->size && (to >= from || to + u->size > from);
}
static tiny_code late_copy(tiny_ctx *t, late *q, late_call *u) {
  late *from = (late *)u->at;
  for (const late_call *w = from->first; w && w->before < u->place && from != q; w = w->next)
    if (late_writes(w, u))
      return tiny_fail(t, TINY_E_INTERNAL, "LATE: memory is copied from a device that is still to write it");
  memcpy((char *)u->l.mem[0].base + u->l.mem[0].offset, (char *)u->l.mem[1].base + u->l.mem[1].offset, u->size);
  return TINY_OK;
}

typedef struct late_work { late *q; late_call *u; } late_work;
static tiny_code late_do(tiny_ctx *t, void *arg) {
  const late_work *w = (const late_work *)arg;
  late_call *u = w->u;
  if (u->what == LATE_FROM)
    for (late_call **r = &((late *)u->at)->reading; *r; r = &(*r)->reads) if (*r == u) { *r = u->reads; break; }
  int early = 0;
  for (late_call *r = w->q->reading; r; r = r->reads)
    if (u->before >= r->place && late_writes(u, r)) { early = 1; r->size = 0; }      // it may be freed
  if (early) return tiny_fail(t, TINY_E_INTERNAL, "LATE: memory is written or freed that is still to be copied");
  if (u->what == LATE_COPY) return tn_interp_backend.copy_in(t, u->l.mem[0], u->data, u->size);
  if (u->what == LATE_FROM) return late_copy(t, w->q, u);
  if (u->what == LATE_WAIT) {
    late_event *e = (late_event *)u->at;
    const tiny_code code = late_reach(e->of, e->place, 0);
    late_event_drop(e);
    return code;
  }
  if (u->what != LATE_LAUNCH) return TINY_OK;
  if (u->l.stamp && w->q->clock) { u->l.stamp[0] = w->q->ns; u->l.stamp[1] = w->q->ns + LATE_NS; }
  w->q->ns += LATE_NS;
  return tn_interp_backend.launch(t, &u->l);
}
// What has happened to u: its own thread gives back what it held.
static void late_end(late *q, late_call *u) {
  if (u->what == LATE_FREE) tn_interp_backend.free(q->t, u->at, u->size);
  if (u->what == LATE_UNLOAD) tn_interp_backend.unload(q->t, u->at);
  tn_release(q->t, u, u->nbytes);
}
static void late_reap(late *q) {
  if (q->now) tn_release(q->t, q->now, q->now->nbytes);      // unwound
  q->now = NULL;
  for (late_call *u; (u = q->done) != NULL; ) { q->done = u->next; late_end(q, u); }
}
// Calls happen until `place` of them have. mine: on the thread of the device's context.
static tiny_code late_reach(late *q, uint64_t place, int mine) {
  tiny_code first = TINY_OK;
  late_lock(q);
  if (mine) { late_reap(q); first = q->failed; q->failed = TINY_OK; }
  if (first != TINY_OK) tiny_fail(q->t, first, "%s", q->apart->message);
  while (q->happened < place && q->first) {
    late_call *u = q->first;
    late_work w = {q, u};
    q->first = u->next;
    if (!q->first) q->last = &q->first;
    q->happened++;
    if (mine) q->now = u;
    const tiny_code code = tn_guard(q->apart ? q->apart : q->t, late_do, &w);
    q->now = NULL;
    if (first == TINY_OK && code != TINY_OK) first = code;
    if (mine && code != TINY_OK && q->apart) tiny_fail(q->t, code, "%s", q->apart->message);
    if (!mine && q->failed == TINY_OK) q->failed = code;
    if (mine) late_end(q, u);
    else { u->next = q->done; q->done = u; }
  }
  late_unlock(q);
  return mine ? first : TINY_OK;           // errors are those of the device on which they happen
}
static tiny_code late_sync(void *dev) { return late_reach((late *)dev, UINT64_MAX, 1); }

// ** what is given **

// Where there is no memory to wait in, at once.
static tiny_code late_at_once(late *q, late_call *u) {
  const tiny_code code = late_sync(q);
  late_work w = {q, u};
  tiny_mem mem[LATE_MOST_MEM];
  if (u->l.nmem > LATE_MOST_MEM) return tiny_fail(q->t, TINY_E_MEMORY, "LATE: no memory for a launch");
  for (int i = 0; i < u->l.nmem; i++) { mem[i] = u->l.mem[i]; mem[i].base = late_near(q, mem[i].base); }
  if (u->l.nmem) u->l.mem = mem;
  if (u->what == LATE_FREE) tn_interp_backend.free(q->t, u->at, u->size);
  if (u->what == LATE_UNLOAD) tn_interp_backend.unload(q->t, u->at);
  late_lock(q);
  const tiny_code done = late_do(q->t, &w);
  late_unlock(q);
  return code == TINY_OK ? done : code;
}
static tiny_code late_add(late *q, int what, void *at, size_t size, const void *data, const tiny_launch *l) {
  tiny_ctx *t = q->t;
  const size_t nmem = l ? (size_t)l->nmem * sizeof *l->mem : 0, nargs = l ? (size_t)l->nargs * sizeof *l->args : 0;
  const size_t nbytes = sizeof(late_call) + (data ? size : 0) + nmem + nargs;
  late_call *u = (late_call *)tiny_realloc(t, NULL, 0, nbytes), now;
  late_call *c = u ? u : &now;
  memset(c, 0, sizeof *c);
  c->nbytes = nbytes; c->what = what; c->at = at; c->size = size; c->data = data;
  c->before = q->given; c->place = what == LATE_FROM ? ((late *)at)->given : 0;
  if (l) c->l = *l;
  if (!u) return late_at_once(q, c);
  if (data) u->data = memcpy((char *)(u + 1) + nmem + nargs, data, size);
  if (nmem) {
    tiny_mem *mem = (tiny_mem *)memcpy(u + 1, l->mem, nmem);
    for (int i = 0; i < l->nmem; i++) mem[i].base = late_near(q, mem[i].base);
    u->l.mem = mem;
  }
  if (nargs) u->l.args = (const int64_t *)memcpy((char *)(u + 1) + nmem, l->args, nargs);
  late_lock(q);
  *q->last = u;
  q->last = &u->next;
  q->given++;
  if (what == LATE_FROM && at != q) { u->reads = ((late *)at)->reading; ((late *)at)->reading = u; }
  q->die = q->die * 6364136223846793005u + 1442695040888963407u;
  const int early = q->early >= 0 && !(q->die >> (64 - q->early));
  const uint64_t waiting = q->given - q->happened, place = q->happened + 1 + (q->die >> 16) % (waiting ? waiting : 1);
  late_unlock(q);
  return early ? late_reach(q, place, 1) : TINY_OK;
}

// ** the backend **

static void *late_open(tiny_ctx *t, const char *which, tiny_limits *limits) {
  static const int sides[4] = {3, -1, 1, 6};
  late *q = (late *)tn_alloc(t, sizeof *q);
  const char *seed = *which >= '0' && *which <= '9' ? which : getenv("TEST_SEED");
  if (!q) return NULL;
  tn_interp_backend.open(t, "", limits);
  q->t = t;
  q->last = &q->first;
  q->die = seed ? strtoull(seed, NULL, 10) : 0;
  q->far = (q->die & 3) % 3;
  q->early = sides[q->die >> 2 & 3];
  q->clock = !(q->die >> 4 & 1);
  q->ns = (uint64_t)1 << 50;
  limits->host_memory = !q->far;
  return q;
}
static void late_close(void *dev) {
  late *q = (late *)dev;
  late_sync(q);
  if (q->apart) { tn_scratch_reset(q->apart, 1); free(q->apart); }
  tn_release(q->t, q, sizeof *q);
}
static void *late_alloc(void *dev, size_t nbytes) {
  late *q = (late *)dev;
  void *p = tn_interp_backend.alloc(q->t, nbytes);
  if (!p && q->given && late_sync(q) == TINY_OK) p = tn_interp_backend.alloc(q->t, nbytes);
  return late_far(q, p);
}
static void late_free(void *dev, void *mem, size_t nbytes) {
  late *q = (late *)dev;
  late_add(q, LATE_FREE, late_near(q, mem), nbytes, NULL, NULL);
}
static tiny_code late_copy_in(void *dev, tiny_mem dst, const void *src, size_t nbytes) {
  tiny_launch l;
  memset(&l, 0, sizeof l);
  l.mem = &dst; l.nmem = 1;
  return nbytes ? late_add((late *)dev, LATE_COPY, NULL, nbytes, src, &l) : TINY_OK;
}
static tiny_code late_copy_out(void *dev, void *dst, tiny_mem src, size_t nbytes) {
  late *q = (late *)dev;
  const tiny_code code = late_sync(dev);
  src.base = late_near(q, src.base);
  return code == TINY_OK ? tn_interp_backend.copy_out(q->t, dst, src, nbytes) : code;
}
static int late_apart(late *q);
static tiny_code late_copy_from(void *dev, tiny_mem dst, void *from, tiny_mem src, size_t nbytes) {
  late *q = (late *)dev, *other = (late *)from;
  src.base = late_far(q, late_near(other, src.base));        // what is given is q's
  const tiny_mem mem[2] = {dst, src};
  tiny_launch l;
  memset(&l, 0, sizeof l);
  l.mem = mem; l.nmem = 2;
  if (!late_apart(q) || !late_apart(other)) return tiny_fail(q->t, TINY_E_MEMORY, "LATE: no memory to copy");
  return nbytes ? late_add(q, LATE_FROM, other, nbytes, NULL, &l) : TINY_OK;
}
static void *late_map(void *dev, tiny_mem mem, size_t nbytes) {
  late *q = (late *)dev;
  (void)nbytes;
  return q->far == LATE_APART ? NULL : (char *)late_near(q, mem.base) + mem.offset;
}
static void *late_load_uops(void *dev, tiny_uop *const *list, int n) {
  return tn_interp_backend.load_uops(((late *)dev)->t, list, n);
}
static void late_unload(void *dev, void *module) {
  if (module) late_add((late *)dev, LATE_UNLOAD, module, 0, NULL, NULL);
}
static tiny_code late_launch(void *dev, const tiny_launch *l) {
  return late_add((late *)dev, LATE_LAUNCH, NULL, 0, NULL, l);
}
static tiny_code late_submit(void *dev, const tiny_launch *l, int n) {
  tiny_code code = TINY_OK;
  for (int i = 0; i < n && code == TINY_OK; i++) code = late_launch(dev, &l[i]);
  return code;
}
// From the first event or copy on, whoever waits may have to run what lies before it, on whichever thread. 0: refused.
static int late_apart(late *q) {
  const tiny_alloc standard = {tn_default_alloc, NULL};
  if (!q->apart) q->apart = (tiny_ctx *)calloc(1, sizeof *q->apart);
  if (q->apart) q->apart->alloc = standard;
  return q->apart != NULL;
}
static void *late_event_new(void *dev) {
  late *q = (late *)dev;
  late_event *e = (late_event *)calloc(1, sizeof *e);
  if (!e || !late_apart(q)) { free(e); tiny_fail(q->t, TINY_E_MEMORY, "LATE: no memory for an event"); return NULL; }
  e->of = q; e->refs = 1;
  late_lock(q);
  e->place = q->given;
  late_unlock(q);
  return e;
}
static tiny_code late_wait(void *dev, void *event) {
  late_event *e = (late_event *)event;
  if (e->of == (late *)dev) return TINY_OK;
  tn_os_atomic_add(&e->refs, 1);
  return late_add((late *)dev, LATE_WAIT, e, 0, NULL, NULL);
}
static void late_event_free(void *dev, void *event) { (void)dev; late_event_drop((late_event *)event); }

static const tiny_backend late_backend = {
  TINY_BACKEND_VERSION, "INTERP", late_open, late_close, tn_interp_target, NULL, late_alloc, late_free, late_copy_in,
  late_copy_out, late_copy_from, late_map, NULL, NULL, late_load_uops, late_unload, tn_interp_find, late_launch,
  late_submit, late_event_new, late_wait, late_event_free, late_sync, NULL
};
#define TN_INTERP &late_backend
#endif
