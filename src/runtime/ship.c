// ship: compiled kernels out of a context, to be shipped, and into another one, where there may be no compiler.
//
// In:    a context that has run what is to be shipped, files and bytes. Out: one container; kernels of it are found by
//        tn_build_from_shipped.
// Holds: what is imported is copied before it is checked, and is not looked at where it came from again. A context cuts
//        graphs into kernels as the machine did where what it imports comes from: otherwise it would ask for others.
#ifndef TN_RUNTIME_SHIP
#define TN_RUNTIME_SHIP
#ifndef TINY_AMALGAMATED
#include "replay.c"
#endif

// ** out **

// The kernels that t has used.
static void tn_ship_gather(tiny_ctx *t, tn_container_items *all) {
  for (int i = 0; i < t->ndevice; i++) {
    const struct tn_programs *p = t->device[i]->programs;
    for (int j = 0; j < TN_EXECUTABLE_BUCKETS && p->device == t->device[i]; j++)
      for (const tn_executable *e = p->bucket[j]; e; e = e->next) {
        if (!e->module || !e->module->binary) continue;
        tn_container_item *item = tn_container_add(t, all);
        item->kernel = tn_executable_in_container(e);
        item->target = e->module->target;
        item->binary = e->module->binary; item->nbytes = e->module->nbytes;
      }
  }
}

// data: of an earlier export, to be kept beside, aligned as memory is; nbytes 0: none.
typedef struct tn_ship_call { tiny_writer to; char *data; size_t nbytes; const char *name; } tn_ship_call;

// The earlier one, as far as it can be used: what another version wrote goes. 0: it is something else.
static int tn_ship_earlier(tiny_ctx *t, const tn_ship_call *c, tn_container_items *all) {
  const tn_digest source = tn_container_source(TN_SOURCE_ID);
  if (!c->nbytes) return 1;
  const char *wrong = tn_container_check(c->data, c->nbytes, &source);
  if (!wrong) {
    const tn_container earlier = tn_container_of(c->data);
    tn_container_add_all(t, all, &earlier);
  }
  return !wrong || (c->nbytes >= sizeof tn_container_magic &&
                    !memcmp(c->data, tn_container_magic, sizeof tn_container_magic));
}
static tiny_code tn_ship_export(tiny_ctx *t, void *arg) {
  const tn_ship_call *c = (const tn_ship_call *)arg;
  const tn_digest source = tn_container_source(TN_SOURCE_ID);
  tn_container_items all = {NULL, 0, 0};
  tiny_bytes out = {t, NULL, 0, 0};
  tn_ship_gather(t, &all);
  if (!tn_ship_earlier(t, c, &all))
    return tiny_fail(t, TINY_E_IO, "cache_export: %.200s is something else, and is left as it is", c->name);
  tn_container_write(t, &all, &source, &out);
  return c->to.fn(c->to.user, out.data, out.n) ? TINY_OK : tiny_fail(t, TINY_E_IO, "cache_export: %.200s: it cannot "
                                                                     "be written", c->name);
}
TINY_API tiny_code tiny_cache_export_to(tiny_ctx *t, tiny_writer to) {
  tn_ship_call c = {to, NULL, 0, "the caller's function"};
  if (!tn_runs(t)) return t ? t->code : TINY_E_ARG;
  if (!to.fn) return tiny_fail(t, TINY_E_ARG, "cache_export_to: there is no function");
  return tn_guard(t, tn_ship_export, &c);
}

// ** in **

// Kernels are asked for as they were where these come from.
static void tn_ship_adopt(const tiny_ctx *t, const tn_container *c) {
  for (int i = 0; i < t->ndevice; i++) {
    struct tn_device *d = t->device[i];
    const tn_container_target own = tn_programs_target(d->programs), *best = tn_container_best(c, &own);
    if (!best) continue;
    d->plans.vector_nbytes = (int)(best->vector_nbytes & INT_MAX);
    d->plans.compute_units = (int)(best->compute_units & INT_MAX);
    d->plans.memory[1].nbytes = (size_t)best->near_nbytes;
    d->plans.memory[2].nbytes = (size_t)best->last_nbytes;
  }
}

// Room for so many bytes, to be read into it, and one more; NULL: there is no memory. Nothing unwinds here.
static struct tn_shipped *tn_ship_room(tiny_ctx *t, uint64_t nbytes, char **data) {
  const size_t head = (sizeof(struct tn_shipped) + 15) & ~(size_t)15;
  const size_t all = nbytes < SIZE_MAX / 2 ? head + (size_t)nbytes + 1 : 0;
  struct tn_shipped *s = all ? (struct tn_shipped *)tiny_realloc(t, NULL, 0, all) : NULL;
  if (!s) {
    tiny_fail(t, TINY_E_MEMORY, "no memory for %llu bytes of compiled kernels", (unsigned long long)nbytes);
    return NULL;
  }
  s->nbytes = all;
  *data = (char *)s + head;
  return s;
}
// Checks what was read, and takes it. Returns what is wrong with it; NULL: nothing. s is the context's, or is gone.
static const char *tn_ship_take(tiny_ctx *t, struct tn_shipped *s, const char *data, size_t nbytes) {
  const tn_digest source = tn_container_source(TN_SOURCE_ID);
  const char *const wrong = tn_container_check(data, nbytes, &source);
  if (wrong) { tn_release(t, s, s->nbytes); return wrong; }
  s->c = tn_container_of(data);
  s->next = t->shipped;
  t->shipped = s;
  tn_ship_adopt(t, &s->c);
  return NULL;
}
// wrong: what is wrong with the bytes, NULL: nothing, or there was no memory.
static tiny_code tn_ship_copy(tiny_ctx *t, const void *from, size_t nbytes, const char **wrong) {
  char *data;
  struct tn_shipped *s = tn_ship_room(t, nbytes, &data);
  *wrong = NULL;
  if (!s) return TINY_E_MEMORY;
  if (nbytes) memcpy(data, from, nbytes);
  *wrong = tn_ship_take(t, s, data, nbytes);
  return *wrong ? TINY_E_IO : TINY_OK;
}
TINY_API tiny_code tiny_cache_import_from(tiny_ctx *t, const void *data, size_t nbytes) {
  const char *wrong;
  if (!tn_runs(t)) return t ? t->code : TINY_E_ARG;
  if (!data) return tiny_fail(t, TINY_E_ARG, "cache_import_from: data is NULL");
  const tiny_code code = tn_ship_copy(t, data, nbytes, &wrong);
  return wrong ? tiny_fail(t, TINY_E_IO, "cache_import_from: %s", wrong) : code;
}
static void tn_ship_close(tiny_ctx *t) {
  while (t->shipped) {
    struct tn_shipped *s = t->shipped;
    t->shipped = s->next;
    tn_release(t, s, s->nbytes);
  }
}

// ** files **

#ifndef TINY_NO_IO
static int tn_ship_write(void *user, const void *data, size_t nbytes) {
  return tn_os_draft_write((tn_os_draft *)user, data, nbytes);
}
// With what an earlier export put there. It is read, not mapped: who wrote into it meanwhile would end the host.
static tiny_code tn_ship_export_beside(tiny_ctx *t, void *arg) {
  tn_ship_call *c = (tn_ship_call *)arg;
  c->data = (char *)tn_scratch_bare(t, c->nbytes + 1);
  if (c->nbytes && !tn_os_read_file(c->name, c->data, c->nbytes))
    return tiny_fail(t, TINY_E_IO, "cache_export: %.200s: %s", c->name, tn_os_why_not(c->name));
  return tn_ship_export(t, c);
}
TINY_API tiny_code tiny_cache_export(tiny_ctx *t, const char *path) {
  tn_os_draft draft;
  tn_os_facts facts;
  if (!tn_runs(t)) return t ? t->code : TINY_E_ARG;
  if (!path || !*path) return tiny_fail(t, TINY_E_ARG, "cache_export: path is NULL or empty");
  const char *const other = tn_os_in_the_way(path);
  if (other) return tiny_fail(t, TINY_E_IO, "cache_export: %.200s: %s", path, other);
  if (!tn_os_file(path, &facts)) facts.nbytes = 0;
  if (facts.nbytes > SIZE_MAX / 2)
    return tiny_fail(t, TINY_E_IO, "cache_export: %.200s is something else, and is left as it is", path);
  tn_ship_call c = {{tn_ship_write, &draft}, NULL, (size_t)facts.nbytes, path};
  tiny_code code = TINY_E_IO;
  const int open = tn_os_draft_open(&draft, path, TN_OS_ALL);
  if (open) code = tn_guard(t, tn_ship_export_beside, &c);
  if (open && !tn_os_draft_close(&draft, path, code == TINY_OK) && code == TINY_OK) code = TINY_E_IO;
  return code == TINY_OK ? code : tiny_fail(t, code, "cache_export: %.200s: it cannot be written", path);
}
static tiny_code tn_ship_read(tiny_ctx *t, const char *path, const char **wrong) {
  tn_os_facts facts;
  char *data;
  *wrong = tn_os_file(path, &facts) ? NULL : tn_os_why_not(path);
  if (*wrong) return TINY_E_IO;
  struct tn_shipped *s = tn_ship_room(t, facts.nbytes, &data);
  if (!s) return TINY_E_MEMORY;
  if (tn_os_read_file(path, data, (size_t)facts.nbytes)) *wrong = tn_ship_take(t, s, data, (size_t)facts.nbytes);
  else {
    *wrong = tn_os_why_not(path);
    tn_release(t, s, s->nbytes);
  }
  return *wrong ? TINY_E_IO : TINY_OK;
}
TINY_API tiny_code tiny_cache_import(tiny_ctx *t, const char *path) {
  const char *wrong;
  if (!tn_runs(t)) return t ? t->code : TINY_E_ARG;
  if (!path || !*path) return tiny_fail(t, TINY_E_ARG, "cache_import: path is NULL or empty");
  const tiny_code code = tn_ship_read(t, path, &wrong);
  return wrong ? tiny_fail(t, TINY_E_IO, "cache_import: %.200s: %s", path, wrong) : code;
}
#else
static tiny_code tn_ship_read(tiny_ctx *t, const char *path, const char **wrong) {
  (void)t; (void)path;
  *wrong = "this build reads no files (TINY_NO_IO)";
  return TINY_E_IO;
}
#endif

// What the description brings. That it cannot be used is no error: kernels are compiled, or interpreted, without it.
static void tn_ship_open(tiny_ctx *t, const tiny_desc *d) {
  const char *wrong = NULL;
  if (d && d->cache_data && tn_ship_copy(t, d->cache_data, d->cache_nbytes, &wrong) != TINY_OK && wrong)
    tn_log(t, "tiny: cache_data is not used: %s", wrong);
  if (d && d->cache_file && tn_ship_read(t, d->cache_file, &wrong) != TINY_OK && wrong)
    tn_log(t, "tiny: %.200s is not used: %s", d->cache_file, wrong);
}
#endif
