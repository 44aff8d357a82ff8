// cross: GPUs that are not here, by target: kernels are compiled for them, none runs.
//
// In:    "sm_90a", or "on-SYSTEM-sm_90a"; what a program runs. Out: a device with the limits of such a GPU, whose
//        memory holds nothing; a file of kernels for several of them.
// Holds: kernels are those that a real one would be given: the same renderer, limits and assembler, and the name NV. Of
//        a target's GPUs a usual one is meant; importing contexts cut graphs for that, too (runtime/ship.c).
// What is what: NVIDIA, architecture white papers: Turing (T4), A100, GA102, Ada (AD102), H100 (SXM5), Blackwell (B200,
// RTX 5090, GB10).
#ifndef TN_NV_CROSS
#define TN_NV_CROSS
#ifndef TINY_AMALGAMATED
#include "queue.c"
#endif

static const struct tn_nv_usual { int sm, processors, l2_mib; } tn_nv_usual[] = {
  {75, 40, 4}, {80, 108, 40}, {86, 84, 6}, {89, 128, 72}, {90, 132, 50}, {100, 148, 126}, {103, 148, 126},
  {120, 170, 96}, {121, 48, 24}
};
enum { TN_NV_USUAL = sizeof tn_nv_usual / sizeof *tn_nv_usual };

// The row of "sm_90" or "sm_90a"; NULL: it is not known.
static const struct tn_nv_usual *tn_nv_usual_of(const char *target) {
  const char *end = target;
  const uint64_t sm = strncmp(target, "sm_", 3) ? 0 : tn_digits_value(target + 3, 10, &end);
  end += *end == 'a' && sm >= 90;
  for (int i = 0; i < TN_NV_USUAL; i++) if ((uint64_t)tn_nv_usual[i].sm == sm && !*end) return &tn_nv_usual[i];
  return NULL;
}
// Minor releases of an architecture share a row: the newest that is not newer.
static const tn_nv_generation *tn_nv_generation_by_sm(int sm) {
  const tn_nv_generation *g = tn_nv_generations;
  for (int i = 0; i < TN_NV_GENERATIONS; i++) if (tn_nv_generations[i].sm <= sm) g = &tn_nv_generations[i];
  return g;
}

// ** the device **

static tn_nv *tn_nv_cross_new(tiny_ctx *t, const struct tn_nv_usual *u, const tiny_nv_system *system) {
  tn_nv *d = tn_nv_new(t);
  if (!d) return NULL;
  d->rm.sys = tn_nv_system_of(system);
  d->generation = tn_nv_generation_by_sm(u->sm);
  d->sm = u->sm;
  d->processors = u->processors;
  d->l2 = (uint64_t)u->l2_mib << 20;
  tn_nv_name_target(d);
  snprintf(d->name, sizeof d->name, "NV:%s", d->target);
  return d;
}
static void *tn_nv_cross_open(tiny_ctx *t, const char *which, tiny_limits *limits) {
  const tiny_nv_system *system = NULL;
  const char *target = tn_nv_which_system(which, &system);
  const struct tn_nv_usual *u = target ? tn_nv_usual_of(target) : NULL;
  char known[128] = "";
  for (int i = 0; i < TN_NV_USUAL; i++) {
    const size_t at = strlen(known);
    snprintf(known + at, sizeof known - at, "%ssm_%d", i ? ", " : "", tn_nv_usual[i].sm);
  }
  if (!u) {
    tiny_fail(t, TINY_E_ARG, "there is no target %.40s of NV; there are: %s", target ? target : which, known);
    return NULL;
  }
  tn_nv *d = tn_nv_cross_new(t, u, system);
  if (d) tn_nv_limits(d, limits);
  return d;
}
static void tn_nv_cross_close(void *dev) {
  tn_nv *d = (tn_nv *)dev;
  if (d->assembler) tiny_realloc(d->t, d->assembler, sizeof *d->assembler, 0);
  tiny_realloc(d->t, d, sizeof *d, 0);
}
// A place that is like no other, whatever its size.
static void *tn_nv_cross_alloc(void *dev, size_t nbytes) {
  (void)nbytes;
  return tiny_realloc(((tn_nv *)dev)->t, NULL, 0, 1);
}
static void tn_nv_cross_free(void *dev, void *mem, size_t nbytes) {
  (void)nbytes;
  tiny_realloc(((tn_nv *)dev)->t, mem, 1, 0);
}
static tiny_code tn_nv_cross_copy_in(void *dev, tiny_mem dst, const void *src, size_t nbytes) {
  (void)dev; (void)dst; (void)src; (void)nbytes;
  return TINY_OK;
}
static tiny_code tn_nv_cross_copy_out(void *dev, void *dst, tiny_mem src, size_t nbytes) {
  const tn_nv *d = (const tn_nv *)dev;
  (void)dst; (void)src; (void)nbytes;
  return tiny_fail(d->t, TINY_E_DEVICE, "%s is a GPU that is not here: kernels are compiled for it and none runs, so "
                   "that nothing can be read", d->name);
}
static tiny_code tn_nv_cross_launch(void *dev, const tiny_launch *l) { (void)dev; (void)l; return TINY_OK; }
static tiny_code tn_nv_cross_sync(void *dev) { (void)dev; return TINY_OK; }

// ** modules: cubins, in which kernels are looked for **

typedef struct tn_nv_cross_module { size_t nbytes; } tn_nv_cross_module;       // nbytes: of all; the cubin follows

static tiny_code tn_nv_cross_fits(tn_nv *d, const tn_cubin *c) {
  tn_cubin_symbol s;
  tn_cubin_kernel k;
  for (int i = 0; tn_cubin_next_entry(c, &i, &s); ) {
    const char *wrong = tn_cubin_kernel_of(c, i - 1, &k);
    const tiny_code code = wrong ? tn_nv_cubin_wrong(d, wrong) : tn_nv_kernel_fits(d, &k);
    if (code != TINY_OK) return code;
  }
  return tn_nv_is_for_it(d, c);
}
static void *tn_nv_cross_keep(tn_nv *d, const void *cubin, size_t nbytes) {
  tn_cubin c;
  const char *wrong = tn_cubin_open(&c, cubin, nbytes);
  if (wrong) { tn_nv_cubin_wrong(d, wrong); return NULL; }
  if (tn_nv_cross_fits(d, &c) != TINY_OK) return NULL;
  tn_nv_cross_module *m = (tn_nv_cross_module *)tiny_realloc(d->t, NULL, 0, sizeof *m + nbytes);
  if (!m) { tn_nv_no_room(d); return NULL; }
  m->nbytes = sizeof *m + nbytes;
  memcpy(m + 1, cubin, nbytes);
  return m;
}
static void *tn_nv_cross_load(void *dev, const void *binary, size_t nbytes) {
  tn_nv *d = (tn_nv *)dev;
  tn_tool_made made;
  if (tn_nv_assemble_binary(d, binary, nbytes, &made) != TINY_OK) return NULL;
  void *const m = made.bytes ? tn_nv_cross_keep(d, made.bytes, made.nbytes) : tn_nv_cross_keep(d, binary, nbytes);
  free(made.bytes);
  return m;
}
static void tn_nv_cross_unload(void *dev, void *module) {
  if (module) tiny_realloc(((tn_nv *)dev)->t, module, ((tn_nv_cross_module *)module)->nbytes, 0);
}
static void *tn_nv_cross_find(void *dev, void *module, const char *name) {
  tn_nv_cross_module *m = (tn_nv_cross_module *)module;
  tn_cubin c;
  tn_cubin_symbol s;
  (void)dev;
  if (tn_cubin_open(&c, m + 1, m->nbytes - sizeof *m)) return NULL;
  for (int i = 0; tn_cubin_next_entry(&c, &i, &s); ) if (!strcmp(s.name, name)) return m;
  return NULL;
}

static const tiny_backend tn_nv_cross = {
  TINY_BACKEND_VERSION, "NV", tn_nv_cross_open, tn_nv_cross_close, tn_nv_target, tn_nv_renderer, tn_nv_cross_alloc,
  tn_nv_cross_free, tn_nv_cross_copy_in, tn_nv_cross_copy_out, NULL, NULL, tn_nv_compile, tn_nv_cross_load, NULL,
  tn_nv_cross_unload, tn_nv_cross_find, tn_nv_cross_launch, NULL, NULL, NULL, NULL, tn_nv_cross_sync, NULL
};

// ** kernels for several **

#ifndef TINY_NO_IO
static tiny_code tn_nv_export_says(char *error, size_t nbytes, tiny_code code, const char *target, const char *text) {
  if (error && nbytes) snprintf(error, nbytes, "nv_export: %s%s%s", target, *target ? ": " : "", text);
  return code;
}
static tiny_code tn_nv_export_one(const tiny_nv_export_desc *e, const char *target, char *error, size_t nbytes) {
  tiny_nv_name name;
  tiny_desc d;
  memset(&d, 0, sizeof d);
  if (e->desc) d = *e->desc;
  memset(d.backends, 0, sizeof d.backends);
  if (e->system)
    snprintf(name.text, sizeof name.text, "NV:on-%llx-%.16s", (unsigned long long)(uintptr_t)e->system, target);
  else snprintf(name.text, sizeof name.text, "NV:%.16s", target);
  d.device = name.text;
  d.backends[0] = &tn_nv_cross;
  tiny_ctx *t = tiny_open(&d);
  tiny_code code = tiny_status(t), built = code == TINY_OK ? e->build(t, e->user) : code;
  code = tiny_status(t) != TINY_OK ? tiny_status(t) : built;
  if (code == TINY_OK) code = tiny_cache_export(t, e->path);
  if (code != TINY_OK) {
    const char *const says = tiny_error(t);
    tn_nv_export_says(error, nbytes, code, target, *says ? says : "build returned an error");
  }
  tiny_close(t);
  return code;
}
TINY_API tiny_code tiny_nv_export(const tiny_nv_export_desc *e, char *error, size_t error_nbytes) {
  if (error && error_nbytes) *error = 0;
  if (!e || !e->path || !e->build || !e->targets || e->n < 1)
    return tn_nv_export_says(error, error_nbytes, TINY_E_ARG, "", "path, build and targets are needed");
  tiny_code code = TINY_OK;
  for (int i = 0; i < e->n && code == TINY_OK; i++)
    code = e->targets[i] ? tn_nv_export_one(e, e->targets[i], error, error_nbytes)
                         : tn_nv_export_says(error, error_nbytes, TINY_E_ARG, "", "a target is NULL");
  return code;
}
#endif
#endif
