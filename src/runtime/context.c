// context: opening and closing, the first error, totals.
//
// In:    a tiny_desc or none. Out: a context, poisoned where something failed, whose first error is kept. What it is
//        made of: runtime/whole.c; of a build that only runs, ship/play.c.
// Holds: two contexts share nothing but the process; everything that one has is given back by tiny_close.
#ifndef TN_RUNTIME_CONTEXT
#define TN_RUNTIME_CONTEXT
#ifndef TINY_AMALGAMATED
#include "whole.c"
#endif

TINY_API tiny_ctx *tiny_open(const tiny_desc *d) {
  const tiny_alloc standard = {tn_default_alloc, NULL}, alloc = d && d->alloc.fn ? d->alloc : standard;
  tiny_ctx *t = (tiny_ctx *)alloc.fn(alloc.user, NULL, 0, sizeof *t);
  if (!t) return NULL;
  memset(t, 0, sizeof *t);
  t->alloc = alloc;
  t->opened = tn_os_now();
  const char *debug = d && d->debug ? d->debug : tn_os_env("TINY_DEBUG");
  snprintf(t->debug, sizeof t->debug, "%s", debug ? debug : "");
  if (d) {
    t->max_nbytes = d->max_nbytes; t->log = d->log; t->progress = d->progress;
    t->seed = d->seed;
  }
  if (!tn_ir_open(t)) { tiny_close(t); return NULL; }
  tn_guard(t, tn_context_open, (void *)(uintptr_t)d);
  if (!tn_context_is_there(t)) { tiny_close(t); return NULL; }
  return t;
}

TINY_API void tiny_close(tiny_ctx *t) {
  if (!t) return;
  tn_context_close(t);
  tn_owned_close(t);
  tn_scratch_reset(t, 1);
  const tiny_alloc alloc = t->alloc;
  alloc.fn(alloc.user, t, sizeof *t, 0);
}

TINY_API int tiny_finish(tiny_ctx *t) {
  const int failed = tiny_status(t) != TINY_OK;
  if (failed && t) tn_log(t, "%s", tiny_error(t));
  else if (failed) fprintf(stderr, "%s\n", tiny_error(t));
  tiny_close(t);
  return failed;
}

TINY_API const char *tiny_error(const tiny_ctx *t) {
  return !t ? "tiny_open: out of memory" : t->code == TINY_OK ? "" : t->message;
}
TINY_API tiny_code tiny_status(const tiny_ctx *t) { return t ? t->code : TINY_E_MEMORY; }
TINY_API void tiny_clear(tiny_ctx *t) {
  if (!t || !tn_context_clears(t)) return;
  tn_os_atomic_store(&t->cancel, 0);
  t->code = TINY_OK;
}
TINY_API tiny_stats tiny_stats_of(const tiny_ctx *t) {
  tiny_stats none;
  memset(&none, 0, sizeof none);
  return t ? t->stats : none;
}

TN_FLOAT_END                               // of what base/float.c asked for: the host's own code goes on as it was
#endif
