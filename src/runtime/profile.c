// profile: where the time of launches goes: rows by name, kernel or kind; tables of them and of captured programs.
//
// In:    launches as runtime/observe.c has added them up, plans. Out: rows, text.
// Holds: limits are measured, not guessed: a product of matrices and the sum of an array, by a context of its own on
//        the same device, for some 20 ms each, when they are first asked for. A launch's least time is what it would
//        take at the one or the other.
#ifndef TN_RUNTIME_PROFILE
#define TN_RUNTIME_PROFILE
#ifndef TINY_AMALGAMATED
#include "capture.c"
#endif

// ** limits of the machine **

enum { TN_ROOF_NS = 20000000, TN_ROOF_FIRST = 32, TN_ROOF_ROWS = 1024, TN_ROOF_NELEM = 1 << 24 };

// The shortest run of a program of that context, in s, of those that fit into TN_ROOF_NS; 0: it failed.
static double tn_roof_time(tiny_ctx *t, tiny_tensor *in, tiny_tensor *out) {
  tiny_program *p = tiny_capture(t, &in, 1, &out, 1);
  uint64_t least = 0, spent = 0;
  for (int i = 0; p && (i < 5 || spent < TN_ROOF_NS) && spent < 10 * (uint64_t)TN_ROOF_NS && i < 1000; i++) {
    tiny_tensor *y;
    const uint64_t from = tn_os_now();
    if (tiny_run(p, &in, &y) != TINY_OK || tiny_sync(t) != TINY_OK) break;
    const uint64_t ns = tn_os_now() - from;
    tiny_free(y);
    spent += ns;
    if (!least || ns < least) least = ns;
  }
  tiny_program_free(p);
  return tiny_status(t) == TINY_OK ? (double)least * 1e-9 : 0;
}
// Larger and larger, until a run takes a while: what a launch costs does not count then.
static double tn_roof_gflops(tiny_ctx *t) {
  double best = 0, s = 0;
  for (int64_t n = TN_ROOF_FIRST; n <= TN_ROOF_ROWS && s < 2e-3; n *= 4) {
    tiny_begin(t);
    tiny_tensor *x = tiny_rand(t, TINY_SHAPE(n, n));
    if (tiny_realize(&x, 1) == TINY_OK) s = tn_roof_time(t, x, tiny_matmul(x, x));
    tiny_end(t);
    const double gflops = s > 0 ? 2e-9 * (double)(n * n * n) / s : 0;
    if (gflops > best) best = gflops;
    if (s <= 0) break;
  }
  return best;
}
static double tn_roof_gbps(tiny_ctx *t) {
  double last = 0, s = 0;
  for (int64_t n = 4096; n <= TN_ROOF_NELEM && s < 2e-3; n *= 16) {
    tiny_begin(t);
    tiny_tensor *x = tiny_rand(t, TINY_SHAPE(n));
    if (tiny_realize(&x, 1) == TINY_OK) s = tn_roof_time(t, x, tiny_sum(x, TINY_ALL, 0));
    tiny_end(t);
    if (s <= 0) break;
    last = 4e-9 * (double)n / s;
  }
  return last;
}

static void tn_roof_log(void *user, const char *line) { (void)user; (void)line; }
// 0: it is not known.
static void tn_roofs_find(tiny_ctx *t, int device) {
  struct tn_roof *r = &t->observer->roof[device];
  if (r->known) return;
  r->known = 1;
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = t->device[device]->name;
  d.backends[0] = t->device[device]->backend;
  d.alloc = t->alloc;
  d.cache_dir = t->cache->dir; d.debug = d.trace = "";
  d.beam = -1;
  d.log.fn = tn_roof_log;
  tn_pool_describe(t, &d);
  tiny_ctx *own = tiny_open(&d);
  if (own && tiny_status(own) == TINY_OK) {
    r->gflops = tn_roof_gflops(own);
    r->gbps = tn_roof_gbps(own);
  }
  tiny_close(own);
}
// What the launches of a row would take at least, in ns; 0: not known.
static double tn_profiled_least(const tiny_ctx *t, const tn_profiled *row) {
  const tn_seen_kernel *k = &t->observer->kernel[row->kernel];
  const struct tn_roof *r = &t->observer->roof[row->device];
  if (r->gflops <= 0 || r->gbps <= 0) return 0;
  const double sums = k->flops / r->gflops, bytes = k->nbytes / r->gbps;
  return (double)row->launches * (sums > bytes ? sums : bytes);
}

// ** rows **

typedef struct tn_profile_table { tiny_profile_row *row; double *least; int n, cap; double ns; } tn_profile_table;

// What the rows of a table are told apart by.
static const char *tn_profiled_name(const tiny_ctx *t, const tn_profiled *p, tiny_profile_by by) {
  const tn_seen_kernel *k = &t->observer->kernel[p->kernel];
  return by == TINY_BY_KERNEL ? k->name : by == TINY_BY_OPERATOR ? tn_kind_of_kernel[k->kind]
                                                                 : tn_label_text(t, p->label);
}
static tiny_profile_row *tn_profile_find(tn_profile_table *all, const char *name) {
  for (int i = 0; i < all->n; i++) if (!strcmp(all->row[i].name, name)) return &all->row[i];
  tiny_profile_row *row = &all->row[all->n++];
  row->name = name;
  return row;
}
static void tn_profile_table_free(tiny_ctx *t, tn_profile_table *all) {
  tn_release(t, all->row, ((size_t)all->cap + 1) * sizeof *all->row);
  tn_release(t, all->least, ((size_t)all->cap + 1) * sizeof *all->least);
}
static int tn_profile_order(const tiny_profile_row *a, const tiny_profile_row *b) {
  return a->ns != b->ns ? a->ns > b->ns : strcmp(a->name, b->name) < 0;
}
// 0: there is no memory, an error.
static int tn_profile_table_make(tiny_ctx *t, tiny_profile_by by, tn_profile_table *all) {
  const struct tn_observer *o = t->observer;
  memset(all, 0, sizeof *all);
  all->cap = o ? o->nrow : 0;
  all->row = (tiny_profile_row *)tn_alloc(t, ((size_t)all->cap + 1) * sizeof *all->row);
  all->least = (double *)tn_alloc(t, ((size_t)all->cap + 1) * sizeof *all->least);
  if (!all->row || !all->least) { tn_profile_table_free(t, all); return 0; }
  for (int i = 0; i < all->cap; i++) {
    const tn_profiled *p = &o->row[i];
    const tn_seen_kernel *k = &o->kernel[p->kernel];
    tiny_profile_row *row = tn_profile_find(all, tn_profiled_name(t, p, by));
    const char *label = tn_label_text(t, p->label), *kind = tn_kind_of_kernel[k->kind];
    row->label = !row->launches || !strcmp(row->label, label) ? label : "";
    row->kind = !row->launches || !strcmp(row->kind, kind) ? kind : "";
    row->launches += p->launches;
    row->ns += p->ns;
    row->flops += k->flops * (double)p->launches;
    row->nbytes += k->nbytes * (double)p->launches;
    all->least[row - all->row] += tn_profiled_least(t, p);
    all->ns += (double)p->ns;
  }
  for (int i = 0; i < all->n; i++) {
    tiny_profile_row *row = &all->row[i];
    const double ns = row->ns ? (double)row->ns : 1;
    row->share = all->ns > 0 ? (double)row->ns / all->ns : 0;
    row->gflops = row->flops / ns;
    row->gbps = row->nbytes / ns;
    row->of_limit = all->least[i] / ns;
  }
  for (int i = 1; i < all->n; i++) {       // the longest first; few, and mostly in order
    const tiny_profile_row row = all->row[i];
    int j = i;
    for (; j && tn_profile_order(&row, &all->row[j - 1]); j--) all->row[j] = all->row[j - 1];
    all->row[j] = row;
  }
  return 1;
}
// What launches have taken so far is known, and the limits of the devices they ran on.
static tiny_code tn_profile_ready(tiny_ctx *t, const char *name, tiny_profile_by by) {
  if ((unsigned)by > TINY_BY_OPERATOR)
    return tiny_fail(t, TINY_E_ARG, "%s: %d is no tiny_profile_by", name, (int)by);
  if (!t->observer || !t->observer->profiled)
    return tiny_fail(t, TINY_E_STATE, "%s: tiny_profile_begin was not called", name);
  const tiny_code code = tn_devices_sync(t);
  tn_observer_tell(t);
  for (int i = 0; i < t->observer->nrow; i++) tn_roofs_find(t, t->observer->row[i].device);
  return code;
}

TINY_API tiny_code tiny_profile_begin(tiny_ctx *t) {
  if (!t) return TINY_E_ARG;
  struct tn_observer *o = tn_observer_of(t);
  if (!o) return tiny_fail(t, TINY_E_MEMORY, "profile_begin: no memory");
  const tiny_code code = tn_devices_sync(t);
  tn_observer_tell(t);
  for (int i = 0; i < o->nkernel; i++) o->kernel[i].profiled = 0;
  o->nrow = 0;
  o->profiles = o->profiled = 1;
  if (tn_runs(t)) tn_guard(t, tn_collect_guarded, NULL);
  return code;
}
TINY_API tiny_code tiny_profile_end(tiny_ctx *t) {
  if (!t) return TINY_E_ARG;
  if (!t->observer || !t->observer->profiles)
    return tiny_fail(t, TINY_E_STATE, "profile_end: tiny_profile_begin was not called");
  const tiny_code code = tn_devices_sync(t);
  tn_observer_tell(t);
  t->observer->profiles = 0;
  return code;
}
TINY_API tiny_code tiny_profile_rows(tiny_ctx *t, tiny_profile_by by,
                                     void (*row)(void *user, const tiny_profile_row *row), void *user) {
  TN_FLOAT_MODE;
  tn_profile_table all;
  if (!t) return TINY_E_ARG;
  if (!row) return tiny_fail(t, TINY_E_ARG, "profile_rows: there is no function");
  const tiny_code code = tn_profile_ready(t, "profile_rows", by);
  if (code != TINY_OK) return code;
  if (!tn_profile_table_make(t, by, &all)) return t->code;
  for (int i = 0; i < all.n; i++) row(user, &all.row[i]);
  tn_profile_table_free(t, &all);
  return TINY_OK;
}

TINY_API int tiny_profile_get(tiny_ctx *t, tiny_profile_by by, int i, tiny_profile_row *row) {
  TN_FLOAT_MODE;
  tn_profile_table all;
  if (row) memset(row, 0, sizeof *row);
  if (!t || !row || i < 0 || tn_profile_ready(t, "profile_get", by) != TINY_OK ||
      !tn_profile_table_make(t, by, &all))
    return 0;
  const int there = i < all.n;
  if (there) *row = all.row[i];
  tn_profile_table_free(t, &all);
  return there;
}

// ** text **

// As snprintf, for a text that comes line by line.
typedef struct tn_text_table { char *out; size_t nbytes, n; } tn_text_table;
static void tn_table_add(tn_text_table *l, const char *format, ...) TN_PRINTF(2, 3);
static void tn_table_add(tn_text_table *l, const char *format, ...) {
  char line[512];
  va_list args;
  va_start(args, format);
  const int all = tn_number_list(line, sizeof line, format, args);
  va_end(args);
  const size_t n = all < 0 ? 0 : (size_t)all < sizeof line ? (size_t)all : sizeof line - 1;
  for (size_t i = 0; i < n && l->n + i + 1 < l->nbytes; i++) l->out[l->n + i] = line[i];
  l->n += n;
}
static size_t tn_table_end(const tn_text_table *l) {
  if (l->nbytes) l->out[l->n < l->nbytes ? l->n : l->nbytes - 1] = 0;
  return l->n;
}
// A time in the unit that suits it, nine columns wide.
static void tn_table_time(tn_text_table *l, double ns) {
  if (ns < 1e6) tn_table_add(l, "%8.2f us", ns * 1e-3);
  else if (ns < 1e9) tn_table_add(l, "%8.2f ms", ns * 1e-6);
  else tn_table_add(l, "%8.2f s ", ns * 1e-9);
}

TINY_API size_t tiny_profile_text(tiny_ctx *t, tiny_profile_by by, char *out, size_t nbytes) {
  static const char *const heading[] = {"name", "kernel", "operator"};
  TN_FLOAT_MODE;
  tn_profile_table all;
  tn_text_table l = {out, out ? nbytes : 0, 0};
  uint64_t launches = 0;
  int width = 8;
  if (!t || tn_profile_ready(t, "profile_text", by) != TINY_OK || !tn_profile_table_make(t, by, &all))
    return tn_table_end(&l);
  for (int i = 0; i < all.n; i++) {
    const int n = (int)strlen(all.row[i].name);
    if (n > width) width = n < 64 ? n : 64;
  }
  tn_table_add(&l, "%-*s %9s  %11s  %7s  %9s  %8s  %8s%s\n", width, heading[by], "launches", "time", "share", "GFLOP/s",
          "GB/s", "of limit", by == TINY_BY_KERNEL ? "  name" : "");
  for (int i = 0; i < all.n; i++) {
    const tiny_profile_row *r = &all.row[i];
    launches += r->launches;
    tn_table_add(&l, "%-*.64s %9llu  ", width, *r->name ? r->name : "-", (unsigned long long)r->launches);
    tn_table_time(&l, (double)r->ns);
    tn_table_add(&l, "  %5.1f %%  %9.2f  %8.2f  %6.1f %%%s%.200s\n", r->share * 100, r->gflops, r->gbps,
                 r->of_limit * 100, by == TINY_BY_KERNEL && *r->label ? "  " : "", by == TINY_BY_KERNEL ? r->label : "");
  }
  tn_table_add(&l, "%-*s %9llu  ", width, "all", (unsigned long long)launches);
  tn_table_time(&l, all.ns);
  tn_table_add(&l, "\n");
  for (int i = 0; i < t->ndevice; i++) {
    const struct tn_roof *r = &t->observer->roof[i];
    if (r->known && r->gflops > 0)
      tn_table_add(&l, "limits of %s, measured: %.1f GFLOP/s (matmul, f32), %.1f GB/s\n", t->device[i]->title,
                   r->gflops, r->gbps);
  }
  tn_profile_table_free(t, &all);
  return tn_table_end(&l);
}

// ** what a captured program does **

static void tn_summary_step(tn_text_table *l, const tiny_program *p, int at, int width) {
  char dims[TN_DIMS_TEXT], stored[TN_DIMS_TEXT + 16];
  const tn_step *s = &p->plan->step[at];
  const double times = (double)tn_step_times(p->plan, s);
  const char *label = tn_label_text(p->t, p->label[at]), *kind = s->exe ? tn_kind_of_kernel[s->exe->kind] : "copy";
  snprintf(stored, sizeof stored, "%s %s", tn_dtypes[s->dtype].name, tn_dims_text(dims, sizeof dims, s->ndim, s->dim));
  tn_table_add(l, "%-*.64s  %-11s  %-20s  ", width, *label ? label : "-", kind, stored);
  if (s->exe)
    tn_table_add(l, "%9.3f  %9.3f  %s%s\n", s->exe->flops * times * 1e-6, s->exe->nbytes * times * 1e-6, s->exe->name,
            p->kept.step[at] ? "  (first run only)" : "");
  else tn_table_add(l, "%9s  %9.3f  between devices\n", "", (double)p->plan->place[s->mem[0]].nbytes * 1e-6);
}
TINY_API size_t tiny_program_summary(const tiny_program *p, char *out, size_t nbytes) {
  TN_FLOAT_MODE;
  tn_text_table l = {out, out ? nbytes : 0, 0};
  double flops = 0, moved = 0, memory[3] = {0, 0, 0}, kept = 0;
  int width = 8, steps = 0;
  if (!p) return tn_table_end(&l);
  const int nstep = p->plan ? p->plan->nstep : 0, nplace = p->plan ? p->plan->nplace : 0;
  for (int i = 0; i < nstep; i++) {
    const int n = (int)strlen(tn_label_text(p->t, p->label[i]));
    if (n > width) width = n < 64 ? n : 64;
  }
  tn_table_add(&l, "%-*s  %-11s  %-20s  %9s  %9s  %s\n", width, "name", "operator", "stores", "MFLOP", "MB", "kernel");
  for (int i = 0; i < nstep; i++) {
    const tn_step *s = &p->plan->step[i];
    if (!tn_step_does(s)) continue;
    tn_summary_step(&l, p, i, width);
    steps += s->exe != NULL;
    flops += s->exe ? s->exe->flops * (double)tn_step_times(p->plan, s) : 0;
    moved += s->exe ? s->exe->nbytes * (double)tn_step_times(p->plan, s) : 0;
  }
  for (int i = 0; i < nplace; i++) memory[p->plan->place[i].kind] += (double)p->plan->place[i].nbytes;
  for (int i = 0; i < p->t->ndevice; i++) kept += (double)p->kept.nbytes[i];
  tn_table_add(&l, "%d kernels, %.3f MFLOP, %.3f MB read and written\n", steps, flops * 1e-6, moved * 1e-6);
  tn_table_add(&l, "memory: inputs and weights %.3f MB, outputs %.3f MB, intermediate %.3f MB, kept %.3f MB\n",
          memory[TN_PLACE_LEAF] * 1e-6, memory[TN_PLACE_OUTPUT] * 1e-6,
          p->plan ? (double)p->plan->arena_nbytes * 1e-6 : 0.0, kept * 1e-6);
  return tn_table_end(&l);
}
#endif
