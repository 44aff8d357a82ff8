// profile: where the time of launches goes: rows by name, kernel or kind; tables of them and of captured programs.
//
// In:    launches as runtime/observe.c has added them up, plans. Out: rows, text.
// Holds: limits are measured, not guessed: a product of matrices and the sum of an array, by a context of its own on
//        the same device, for some 20 ms each, when they are first asked for, in what a cap leaves of its memory. A
//        launch's least time is what it would take at the one or the other. Times are the device's where it tells them,
//        as those of launches are. What is not known has no share. Rows are sorted once, however they are asked for.
#ifndef TN_RUNTIME_PROFILE
#define TN_RUNTIME_PROFILE
#ifndef TINY_AMALGAMATED
#include "replay.c"
#endif

// ** limits of the machine **

enum { TN_ROOF_NS = 20000000, TN_ROOF_FIRST = 32, TN_ROOF_ROWS = 1024, TN_ROOF_NELEM = 1 << 24 };

typedef struct tn_roof_run { double s, host_s; } tn_roof_run;       // of the device; with what the host waits beside

// What of this run the device tells, in ns; 0: nothing. The CPU is the host.
static uint64_t tn_roof_device_ns(tiny_ctx *t, uint64_t before) {
  return tn_is_cpu(t->device[0]->backend) ? 0 : t->stats.device_ns - before;
}
// The shortest run of a program of that context, of those that fit into TN_ROOF_NS; 0: it failed.
static tn_roof_run tn_roof_time(tiny_ctx *t, tiny_tensor *in, tiny_tensor *out) {
  tiny_program *p = tiny_capture(t, &in, 1, &out, 1);
  uint64_t least = 0, host_least = 0, spent = 0;
  tn_roof_run run = {0, 0};
  for (int i = 0; p && (i < 5 || spent < TN_ROOF_NS) && spent < 10 * (uint64_t)TN_ROOF_NS && i < 1000; i++) {
    tiny_tensor *y;
    const uint64_t from = tn_os_now(), before = t->stats.device_ns;
    if (tiny_run(p, &in, &y) != TINY_OK || tiny_sync(t) != TINY_OK) break;
    tn_observer_tell(t);
    const uint64_t host_ns = tn_os_now() - from, told = tn_roof_device_ns(t, before), ns = told ? told : host_ns;
    tiny_free(y);
    spent += host_ns;
    if (!host_least || host_ns < host_least) host_least = host_ns;
    if (!least || ns < least) least = ns;
  }
  tiny_program_free(p);
  if (tiny_status(t) != TINY_OK) return run;
  run.s = (double)least * 1e-9;
  run.host_s = (double)host_least * 1e-9;
  return run;
}
// Larger and larger, until a run takes a while: what a launch costs does not count then.
static double tn_roof_gflops(tiny_ctx *t) {
  double best = 0;
  tn_roof_run run = {0, 0};
  for (int64_t n = TN_ROOF_FIRST; n <= TN_ROOF_ROWS && run.host_s < 2e-3; n *= 4) {
    tiny_begin(t);
    tiny_tensor *x = tiny_rand(t, TINY_SHAPE(n, n));
    if (tiny_realize(&x, 1) == TINY_OK) run = tn_roof_time(t, x, tiny_matmul(x, x));
    tiny_end(t);
    const double gflops = run.s > 0 ? 2e-9 * (double)(n * n * n) / run.s : 0;
    if (gflops > best) best = gflops;
    if (run.s <= 0) break;
  }
  return best;
}
static double tn_roof_gbps(tiny_ctx *t) {
  double last = 0;
  tn_roof_run run = {0, 0};
  for (int64_t n = 4096; n <= TN_ROOF_NELEM && run.host_s < 2e-3; n *= 16) {
    tiny_begin(t);
    tiny_tensor *x = tiny_rand(t, TINY_SHAPE(n));
    if (tiny_realize(&x, 1) == TINY_OK) run = tn_roof_time(t, x, tiny_sum(x, TINY_ALL, 0));
    tiny_end(t);
    if (run.s <= 0) break;
    last = 4e-9 * (double)n / run.s;
  }
  return last;
}

static void tn_roof_log(void *user, const char *line) { (void)user; (void)line; }
// 0: it is not known.
static void tn_roofs_find(tiny_ctx *t, int device) {
  struct tn_roof *r = &t->observer->roof[device];
  const struct tn_device *at = t->device[device];
  if (r->known) return;
  r->known = 1;
  if (at->max_nbytes && at->stats.nbytes_live >= at->max_nbytes) return;
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = at->name;
  d.backends[0] = at->backend;
  d.alloc = t->alloc; d.max_nbytes = at->max_nbytes ? at->max_nbytes - (size_t)at->stats.nbytes_live : 0;
  d.cache_dir = t->cache->dir; d.debug = d.trace = "";
  d.beam = -1;
  d.log.fn = tn_roof_log;
  tn_pool_describe(t, &d);
  tiny_ctx *own = tiny_open(&d);
  if (own && tiny_status(own) == TINY_OK && tiny_profile_begin(own) == TINY_OK) {
    r->gflops = tn_roof_gflops(own);
    r->gbps = tn_roof_gbps(own);
  }
  tiny_close(own);
}
// What the launches of a row would take at least, in ns; -1: not known.
static double tn_profiled_least(const tiny_ctx *t, const tn_profiled *row) {
  const tn_seen_kernel *k = &t->observer->kernel[row->kernel];
  const struct tn_roof *r = &t->observer->roof[row->device];
  const double share = tn_roof_share(r, k->flops, k->nbytes, 1);
  return r->gflops > 0 && r->gbps > 0 ? (double)row->launches * share : -1;
}

// ** rows **

// What the rows of a table are told apart by.
static const char *tn_profiled_name(const tiny_ctx *t, const tn_profiled *p, tiny_profile_by by) {
  const tn_seen_kernel *k = &t->observer->kernel[p->kernel];
  return by == TINY_BY_KERNEL ? k->name : by == TINY_BY_OPERATOR ? tn_kind_of_kernel[k->kind]
                                                                 : tn_label_text(t, p->label);
}
static int tn_profile_by_name(const void *a, const void *b) {
  return strcmp(((const tiny_profile_row *)a)->name, ((const tiny_profile_row *)b)->name);
}
static int tn_profile_longest(const void *a, const void *b) {
  const uint64_t x = ((const tiny_profile_row *)a)->ns, y = ((const tiny_profile_row *)b)->ns;
  return x != y ? (x < y) - (x > y) : tn_profile_by_name(a, b);
}
// The row of these launches alone; of_limit: their least time.
static tiny_profile_row tn_profile_row_of(const tiny_ctx *t, const tn_profiled *p, tiny_profile_by by) {
  const tn_seen_kernel *k = &t->observer->kernel[p->kernel];
  tiny_profile_row row;
  memset(&row, 0, sizeof row);
  row.name = tn_profiled_name(t, p, by);
  row.label = tn_label_text(t, p->label); row.kind = tn_kind_of_kernel[k->kind];
  row.launches = p->launches; row.ns = p->ns;
  row.flops = k->flops * (double)p->launches; row.nbytes = k->nbytes * (double)p->launches;
  row.of_limit = tn_profiled_least(t, p);
  return row;
}
// Neighbours of one name become one row. How many are left.
static int tn_profile_merge(tiny_profile_row *row, int n) {
  int at = 0;
  for (int i = 1; i < n; i++) {
    tiny_profile_row *a = &row[at];
    const tiny_profile_row *b = &row[i];
    if (strcmp(a->name, b->name)) { row[++at] = *b; continue; }
    if (strcmp(a->label, b->label)) a->label = "";
    if (strcmp(a->kind, b->kind)) a->kind = "";
    a->launches += b->launches; a->ns += b->ns;
    a->flops += b->flops; a->nbytes += b->nbytes;
    a->of_limit = a->of_limit < 0 || b->of_limit < 0 ? -1 : a->of_limit + b->of_limit;
  }
  return n ? at + 1 : 0;
}
// The rows, the longest first, in the observer's table. 0: there is no memory, an error.
static int tn_profile_table_make(tiny_ctx *t, tiny_profile_by by) {
  struct tn_observer *o = t->observer;
  double all = 0;
  if (o->tabled == 1 + (int)by) return 1;
  o->tabled = 0;
  if (o->cap_table < o->nrow) {
    tn_release(t, o->table, (size_t)o->cap_table * sizeof *o->table);
    o->table = (tiny_profile_row *)tn_alloc(t, (size_t)o->nrow * sizeof *o->table);
    o->cap_table = o->table ? o->nrow : 0;
    if (!o->table) return 0;
  }
  for (int i = 0; i < o->nrow; i++) {
    tn_roofs_find(t, o->row[i].device);
    o->table[i] = tn_profile_row_of(t, &o->row[i], by);
    all += (double)o->row[i].ns;
  }
  if (o->nrow) qsort(o->table, (size_t)o->nrow, sizeof *o->table, tn_profile_by_name);
  o->ntable = tn_profile_merge(o->table, o->nrow);
  for (int i = 0; i < o->ntable; i++) {
    tiny_profile_row *row = &o->table[i];
    const double ns = row->ns ? (double)row->ns : 1;
    row->share = all > 0 ? (double)row->ns / all : 0;
    row->gflops = row->flops / ns;
    row->gbps = row->nbytes / ns;
    row->of_limit = row->of_limit < 0 ? 0 : row->of_limit / ns;
  }
  if (o->ntable) qsort(o->table, (size_t)o->ntable, sizeof *o->table, tn_profile_longest);
  o->tabled = 1 + (int)by;
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
  if (code == TINY_OK && !tn_profile_table_make(t, by)) return t->code;
  return code;
}

TINY_API tiny_code tiny_profile_begin(tiny_ctx *t) {
  if (!t) return TINY_E_ARG;
  struct tn_observer *o = tn_observer_of(t);
  if (!o) return tiny_fail(t, TINY_E_MEMORY, "profile_begin: no memory");
  const tiny_code code = tn_devices_sync(t);
  tn_observer_tell(t);
  for (int i = 0; i < o->nkernel; i++) o->kernel[i].profiled = 0;
  o->nrow = o->tabled = 0;
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
  if (!t) return TINY_E_ARG;
  if (!row) return tiny_fail(t, TINY_E_ARG, "profile_rows: there is no function");
  const tiny_code code = tn_profile_ready(t, "profile_rows", by);
  for (int i = 0; code == TINY_OK && i < t->observer->ntable; i++) {
    const tiny_profile_row one = t->observer->table[i];
    row(user, &one);
  }
  return code;
}

TINY_API int tiny_profile_get(tiny_ctx *t, tiny_profile_by by, int i, tiny_profile_row *row) {
  TN_FLOAT_MODE;
  if (row) memset(row, 0, sizeof *row);
  if (!t || !row || i < 0 || tn_profile_ready(t, "profile_get", by) != TINY_OK || i >= t->observer->ntable) return 0;
  *row = t->observer->table[i];
  return 1;
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

// A name, filled up to so many columns; "-" for none.
static const char *tn_table_name_of(const char *name) { return *name ? name : "-"; }
static int tn_table_columns(const char *name) { return tn_text_cell(NULL, tn_table_name_of(name), strlen(name)); }
static void tn_table_name(tn_text_table *l, int columns, const char *name) {
  char cell[TN_LABEL_TEXT];
  name = tn_table_name_of(name);
  const int used = tn_text_cell(cell, name, strlen(name));
  tn_table_add(l, "%s%*s", cell, used < columns ? columns - used : 0, "");
}

TINY_API size_t tiny_profile_text(tiny_ctx *t, tiny_profile_by by, char *out, size_t nbytes) {
  static const char *const heading[] = {"name", "kernel", "operator"};
  TN_FLOAT_MODE;
  tn_text_table l = {out, out ? nbytes : 0, 0};
  uint64_t launches = 0, ns = 0;
  int width = 8;
  if (!t || tn_profile_ready(t, "profile_text", by) != TINY_OK) return tn_table_end(&l);
  const struct tn_observer *o = t->observer;
  for (int i = 0; i < o->ntable; i++) {
    const int n = tn_table_columns(o->table[i].name);
    if (n > width) width = n;
  }
  tn_table_add(&l, "%-*s %9s  %11s  %7s  %9s  %8s  %8s%s\n", width, heading[by], "launches", "time", "share", "GFLOP/s",
          "GB/s", "of limit", by == TINY_BY_KERNEL ? "  name" : "");
  for (int i = 0; i < o->ntable; i++) {
    const tiny_profile_row *r = &o->table[i];
    launches += r->launches; ns += r->ns;
    tn_table_name(&l, width, r->name);
    tn_table_add(&l, " %9llu  ", (unsigned long long)r->launches);
    tn_table_time(&l, (double)r->ns);
    tn_table_add(&l, "  %5.1f %%  %9.2f  %8.2f  ", r->share * 100, r->gflops, r->gbps);
    if (r->of_limit > 0) tn_table_add(&l, "%6.1f %%", r->of_limit * 100);
    else tn_table_add(&l, "%8s", "-");     // not known
    if (by == TINY_BY_KERNEL && *r->label) { tn_table_add(&l, "  "); tn_table_name(&l, 0, r->label); }
    tn_table_add(&l, "\n");
  }
  tn_table_add(&l, "%-*s %9llu  ", width, "all", (unsigned long long)launches);
  tn_table_time(&l, (double)ns);
  tn_table_add(&l, "\n");
  for (int i = 0; i < t->ndevice; i++) {
    const struct tn_roof *r = &o->roof[i];
    if (r->known && r->gflops > 0)
      tn_table_add(&l, "limits of %s, measured: %.1f GFLOP/s (matmul, f32), %.1f GB/s\n", t->device[i]->title,
                   r->gflops, r->gbps);
  }
  return tn_table_end(&l);
}

// ** what a captured program does **

// Of the memory that a program is bound to, and of its kernels.
typedef struct tn_summary_sums { int kernels; int64_t parameters; double flops, nbytes; } tn_summary_sums;

// Elements of bound memory that this step uses first. seen: by leaf.
static int64_t tn_summary_parameters(const tiny_program *p, const tn_step *s, uint8_t *seen) {
  int64_t nelem = 0;
  for (int i = 0; i < s->nmem; i++) {
    const tn_place_row *place = &p->plan->place[s->mem[i]];
    const tiny_uop *u = place->kind == TN_PLACE_LEAF ? p->leaf[place->index].memory : NULL;
    if (!u || seen[place->index]) continue;
    seen[place->index] = 1;
    nelem += tn_dims_nelem(u->ndim, u->dim);
  }
  return nelem;
}
static void tn_summary_step(tn_text_table *l, const tiny_program *p, int at, int width, uint8_t *seen,
                            tn_summary_sums *all) {
  char dims[TN_DIMS_TEXT], stored[TN_DIMS_TEXT + 16], grouped[32];
  const tn_step *s = &p->plan->step[at];
  const double times = (double)tn_step_times(p->plan, s);
  const char *kind = s->exe ? tn_kind_of_kernel[s->exe->kind] : "copy";
  const int64_t parameters = tn_summary_parameters(p, s, seen);
  snprintf(stored, sizeof stored, "%s %s", tn_dtypes[s->dtype].name, tn_dims_text(dims, sizeof dims, s->ndim, s->dim));
  tn_table_name(l, width, tn_label_text(p->t, p->label[at]));
  tn_table_add(l, "  %-11s  %-20s  %12s  ", kind, stored, tn_text_grouped(grouped, parameters));
  all->parameters += parameters;
  if (!s->exe) {
    tn_table_add(l, "%9s  %9.3f  between devices\n", "", (double)p->plan->place[s->mem[0]].nbytes * 1e-6);
    return;
  }
  const double flops = s->exe->flops * times, nbytes = s->exe->nbytes * times;
  tn_table_add(l, "%9.3f  %9.3f  %s%s\n", flops * 1e-6, nbytes * 1e-6, s->exe->name,
               p->kept.step[at] ? "  (first run only)" : "");
  all->kernels++; all->flops += flops; all->nbytes += nbytes;
}
// "f32 (32,784)", one of the program's inputs or outputs.
static void tn_summary_value(tn_text_table *l, int i, int dtype, const tiny_shape *s) {
  char dims[TN_DIMS_TEXT];
  tn_table_add(l, "%s%s %s", i ? ", " : "", tn_dtypes[dtype].name, tn_dims_text(dims, sizeof dims, s->ndim, s->dim));
}
static void tn_summary_memory(tn_text_table *l, const tiny_program *p) {
  double inputs = 0, bound = 0, outputs = 0, kept = 0;
  for (int i = 0; p->plan && i < p->plan->nplace; i++) {
    const tn_place_row *place = &p->plan->place[i];
    const int leaf = place->kind == TN_PLACE_LEAF;
    *(leaf ? p->leaf[place->index].memory ? &bound : &inputs : &outputs) +=
      leaf || place->kind == TN_PLACE_OUTPUT ? (double)place->nbytes * 1e-6 : 0;
  }
  for (int i = 0; i < p->t->ndevice; i++) kept += (double)p->kept.nbytes[i] * 1e-6;
  tn_table_add(l, "memory: inputs %.3f MB, parameters %.3f MB, outputs %.3f MB, intermediate %.3f MB, kept %.3f MB\n",
               inputs, bound, outputs, p->plan ? (double)p->plan->arena_nbytes * 1e-6 : 0.0, kept);
}
TINY_API size_t tiny_program_summary(const tiny_program *p, char *out, size_t nbytes) {
  TN_FLOAT_MODE;
  tn_text_table l = {out, out ? nbytes : 0, 0};
  tn_summary_sums all = {0, 0, 0, 0};
  char grouped[32];
  int width = 8;
  uint8_t *seen = p ? (uint8_t *)tn_alloc(p->t, (size_t)p->nleaf + 1) : NULL;
  if (!seen) return tn_table_end(&l);
  const int nstep = p->plan ? p->plan->nstep : 0;
  for (int i = 0; i < nstep; i++) {
    const int n = tn_table_columns(tn_label_text(p->t, p->label[i]));
    if (n > width) width = n;
  }
  tn_table_add(&l, "%-*s  %-11s  %-20s  %12s  %9s  %9s  kernel\n", width, "name", "operator", "stores", "parameters",
               "MFLOP", "MB");
  for (int i = 0; i < nstep; i++)
    if (tn_step_does(&p->plan->step[i])) tn_summary_step(&l, p, i, width, seen, &all);
  tn_release(p->t, seen, (size_t)p->nleaf + 1);
  tn_table_add(&l, "%d kernel%s, %s parameters, %.3f MFLOP, %.3f MB read and written\ninputs: ", all.kernels,
               all.kernels == 1 ? "" : "s", tn_text_grouped(grouped, all.parameters), all.flops * 1e-6,
               all.nbytes * 1e-6);
  for (int i = 0; i < p->ninput; i++) tn_summary_value(&l, i, p->input[i].dtype, &p->input[i].shape);
  tn_table_add(&l, p->ninput ? "\noutputs: " : "none\noutputs: ");
  for (int i = 0; i < p->noutput; i++) tn_summary_value(&l, i, p->output[i].dtype, &p->output[i].shape);
  tn_table_add(&l, p->noutput ? "\n" : "none\n");
  tn_summary_memory(&l, p);
  return tn_table_end(&l);
}
#endif
