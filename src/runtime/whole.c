// whole: what a context that plans is made of: its parts, opened in order and closed again.
//
// In:    a tiny_desc or none. Out: all parts, or those that there was memory for; context.c closes what is there.
#ifndef TN_RUNTIME_WHOLE
#define TN_RUNTIME_WHOLE
#ifndef TINY_AMALGAMATED
#include "ship.c"
#include "loader.c"
#include "../io/csv.c"
#include "../io/picture.c"
#include "../io/wav.c"
#include "../io/idx.c"
#include "../io/state.c"
#include "../ship/call.c"
#endif

static tiny_code tn_context_open(tiny_ctx *t, void *arg) {
  const tiny_desc *d = (const tiny_desc *)arg;
  if (d) { t->beam = d->beam; t->atomics = d->atomics; t->tf32 = d->tf32; }
  const char *beam = tn_os_env("TINY_BEAM");
  if (!t->beam && beam) t->beam = tn_number_int(beam, INT_MIN, INT_MAX, NULL);
  const char *seconds = tn_os_env("TINY_CC_SECONDS");
  if (d && d->compiler_seconds > 0) t->compiler_seconds = d->compiler_seconds;
  else if (seconds) t->compiler_seconds = tn_number_int(seconds, 0, INT_MAX, NULL);
  if (!tn_tensors_open(t) || !tn_schedules_open(t)) return TINY_E_MEMORY;
  t->runtime = (struct tn_runtime *)tn_alloc(t, sizeof *t->runtime);
  t->runtime->customs_at = 2 * TN_MOST_CUSTOMS;
  if (d && d->compiler) {
    const size_t nbytes = strlen(d->compiler) + 1;
    t->compiler = (char *)memcpy(tn_realloc(t, NULL, 0, nbytes), d->compiler, nbytes);
  }
  if (!tn_match_open(t) || tn_pool_open(t, d) != TINY_OK || tn_cache_open(t, d ? d->cache_dir : NULL) != TINY_OK ||
      tn_devices_open(t, d) != TINY_OK)
    return t->code;
  if (t->ndevice > 1 && !(t->runtime->ordering = (tn_ordering *)tn_alloc(t, sizeof *t->runtime->ordering)))
    return TINY_E_MEMORY;
  for (int i = 0; i < t->ndevice; i++) if (tn_programs_open(t->device[i]) != TINY_OK) return t->code;
  t->tensors->refuse = 0;
  tn_ship_open(t, d);
  const char *trace = d && d->trace ? d->trace : tn_os_env("TINY_TRACE");
  if (trace && *trace && !tn_trace_start(t, trace)) tn_log(t, "tiny: no trace: %s cannot be written", trace);
  return TINY_OK;
}

// Is enough of it there to keep an error?
static int tn_context_is_there(const tiny_ctx *t) { return t->tensors != NULL; }
// May the error be forgotten? One that did not open stays closed.
static int tn_context_clears(tiny_ctx *t) {
  if (t->tensors && t->tensors->refuse) return 0;
  tn_trace_forgets(t);
  return 1;
}

static void tn_log_totals(tiny_ctx *t) {
  TN_FLOAT_MODE;
  const tiny_stats *s = &t->stats;
  tn_log(t, "%s%s: %llu kernels in %.1f ms, %llu compiled in %.1f ms, %llu from disk, lowering %.1f ms, "
      "%llu graphs planned, %llu replayed, peak %.2f MB",
      tiny_device_name(t, 0), t->ndevice > 1 ? " and others" : "", (unsigned long long)s->kernels,
      (double)s->device_ns * 1e-6,
      (unsigned long long)s->compiled, (double)s->compile_ns * 1e-6, (unsigned long long)s->cache_hits,
      (double)s->lower_ns * 1e-6, (unsigned long long)s->schedules, (unsigned long long)s->replays,
      (double)s->nbytes_peak * 1e-6);
  for (int i = 0; i < t->ndevice && t->ndevice > 1; i++) {
    s = &t->device[i]->stats;
    tn_log(t, "%s: %llu kernels in %.1f ms, %llu copies of %.2f MB to it, peak %.2f MB", t->device[i]->title,
           (unsigned long long)s->kernels, (double)s->device_ns * 1e-6, (unsigned long long)s->copies,
           (double)s->nbytes_copied * 1e-6, (double)s->nbytes_peak * 1e-6);
  }
}

static void tn_context_close(tiny_ctx *t) {
  if (tn_debug(t, 't')) tn_log_totals(t);
  tn_loaders_close(t);
  tn_ordering_close(t);                    // may still make one wait for another
  tn_devices_sync(t);
  tn_observer_tell(t);
  tn_observer_close(t);
  tn_trace_close(t);
#ifndef TINY_NO_IO
  tn_archives_close(t);
#endif
  while (t->runtime && t->runtime->programs) tiny_program_free(t->runtime->programs);
  while (t->runtime && t->runtime->customs) {
    tn_custom *c = t->runtime->customs;
    t->runtime->customs = c->next;
    tn_custom_free(t, c);
  }
  tn_paused_drop(t);
  tn_warm_close(t);
  tn_release(t, t->runtime, sizeof(struct tn_runtime));
  if (t->compiler) tn_release(t, t->compiler, strlen(t->compiler) + 1);
  for (int i = t->ndevice - 1; i >= 0; i--) {      // shared ones with the first
    struct tn_programs *p = t->device[i]->programs;
    if (p && p->device == t->device[i]) tn_programs_close(p);
  }
  tn_ship_close(t);
  tn_tensors_close(t);
  tn_ir_close(t);                          // drops the buffers that nodes hold
  if (t->schedules) tn_schedules_close(t);
  tn_storage_drop_loose(t);
  tn_devices_close(t);
  tn_release(t, t->cache, sizeof *t->cache);
  tn_pool_close(t);
  tn_match_close(t);
  tn_labels_close(t);
}

TINY_API tiny_code tiny_sync(tiny_ctx *t) {
  if (!t || !t->ndevice) return t ? t->code : TINY_E_ARG;
  const tiny_code code = tn_devices_sync(t);
  tn_observer_tell(t);
  tn_trace_flush(t);
  return code == TINY_OK || t->code != TINY_OK ? code : tiny_fail(t, code, "sync: a device failed");
}

TINY_API const char *tiny_compiler_of(const tiny_ctx *t) { return t ? t->compiler : NULL; }
#endif
