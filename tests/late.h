// late: INTERP as late as the contract of tiny_backend allows, for any test: make late.
//
// Launches and copies to memory wait in a queue, in order, until something waits for them or a die says so; what is
// freed or unloaded is kept until those before it are done. What is given with a call (arguments, what is copied) is
// taken when it is given, and errors come from where something waits. Included by runtime/device.c (TN_TEST_BACKEND).
#ifndef LATE_H
#define LATE_H

enum { LATE_LAUNCH, LATE_COPY, LATE_FREE, LATE_UNLOAD };
typedef struct late_call { struct late_call *next; size_t nbytes, size; int what; void *at; tiny_launch l; } late_call;
typedef struct late { tiny_ctx *t; late_call *first, **last, *now; uint64_t die; } late;

static tiny_code late_do(tiny_ctx *t, void *arg) {
  late_call *u = (late_call *)arg;
  const tiny_mem m = {u->at, 0};
  switch (u->what) {
    case LATE_LAUNCH: return tn_interp_backend.launch(t, &u->l);
    case LATE_COPY: return tn_interp_backend.copy_in(t, m, u + 1, u->size);
    case LATE_FREE: tn_interp_backend.free(t, u->at, u->size); return TINY_OK;
    default: tn_interp_backend.unload(t, u->at); return TINY_OK;
  }
}
static tiny_code late_sync(void *dev) {
  late *q = (late *)dev;
  tiny_ctx *t = q->t;
  tiny_code first = TINY_OK;
  for (;;) {
    if (q->now) tn_release(t, q->now, q->now->nbytes);     // done, or unwound
    q->now = q->first;
    if (!q->now) return first;
    q->first = q->now->next;
    if (!q->first) q->last = &q->first;
    const tiny_code code = tn_guard(t, late_do, q->now);
    if (first == TINY_OK) first = code;
  }
}
// At once where there is no memory to wait in.
static tiny_code late_add(late *q, int what, void *at, size_t size, const void *data, const tiny_launch *l) {
  tiny_ctx *t = q->t;
  const size_t nmem = l ? (size_t)l->nmem * sizeof *l->mem : 0, nargs = l ? (size_t)l->nargs * sizeof *l->args : 0;
  const size_t nbytes = sizeof(late_call) + (data ? size : 0) + nmem + nargs;
  late_call *u = (late_call *)t->alloc.fn(t->alloc.user, NULL, 0, nbytes), now;
  memset(u ? u : &now, 0, sizeof now);
  if (!u) {
    const tiny_code code = late_sync(q);
    const tiny_mem m = {at, 0};
    now.what = what; now.at = at; now.size = size;
    if (l) now.l = *l;
    const tiny_code done = data ? tn_interp_backend.copy_in(t, m, data, size) : late_do(t, &now);
    return code == TINY_OK ? done : code;
  }
  u->nbytes = nbytes; u->what = what; u->at = at; u->size = size;
  if (l) u->l = *l;
  if (data) memcpy(u + 1, data, size);
  if (nmem) u->l.mem = (const tiny_mem *)memcpy(u + 1, l->mem, nmem);
  if (nargs) u->l.args = (const int64_t *)memcpy((char *)(u + 1) + nmem, l->args, nargs);
  *q->last = u;
  q->last = &u->next;
  q->die = q->die * 6364136223846793005u + 1442695040888963407u;
  return q->die >> 61 ? TINY_OK : late_sync(q);
}

static void *late_open(tiny_ctx *t, const char *which, tiny_limits *limits) {
  late *q = (late *)tn_alloc(t, sizeof *q);
  if (!q || !tn_interp_backend.open(t, which, limits)) return NULL;
  q->t = t;
  q->last = &q->first;
  return q;
}
static void late_close(void *dev) {
  late *q = (late *)dev;
  late_sync(q);
  tn_release(q->t, q, sizeof *q);
}
static void *late_alloc(void *dev, size_t nbytes) {
  late *q = (late *)dev;
  void *p = tn_interp_backend.alloc(q->t, nbytes);
  return p || !q->first || late_sync(q) != TINY_OK ? p : tn_interp_backend.alloc(q->t, nbytes);
}
static void late_free(void *dev, void *mem, size_t nbytes) { late_add((late *)dev, LATE_FREE, mem, nbytes, NULL, NULL); }
static tiny_code late_copy_in(void *dev, tiny_mem dst, const void *src, size_t nbytes) {
  return nbytes ? late_add((late *)dev, LATE_COPY, (char *)dst.base + dst.offset, nbytes, src, NULL) : TINY_OK;
}
static tiny_code late_copy_out(void *dev, void *dst, tiny_mem src, size_t nbytes) {
  const tiny_code code = late_sync(dev);
  return code == TINY_OK ? tn_interp_backend.copy_out(((late *)dev)->t, dst, src, nbytes) : code;
}
static void *late_load_uops(void *dev, tiny_uop *const *list, int n) { return tn_interp_backend.load_uops(((late *)dev)->t, list, n); }
static void late_unload(void *dev, void *module) { if (module) late_add((late *)dev, LATE_UNLOAD, module, 0, NULL, NULL); }
static tiny_code late_launch(void *dev, const tiny_launch *l) { return late_add((late *)dev, LATE_LAUNCH, NULL, 0, NULL, l); }
static tiny_code late_submit(void *dev, const tiny_launch *l, int n) {
  tiny_code code = TINY_OK;
  for (int i = 0; i < n && code == TINY_OK; i++) code = late_launch(dev, &l[i]);
  return code;
}

static const tiny_backend late_backend = {
  TINY_BACKEND_VERSION, "INTERP", late_open, late_close, tn_interp_target, NULL, late_alloc, late_free, late_copy_in, late_copy_out,
  NULL, NULL, late_load_uops, late_unload, tn_interp_find, late_launch, late_submit, late_sync, NULL
};
#define TN_INTERP &late_backend
#endif
