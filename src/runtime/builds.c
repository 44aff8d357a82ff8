// builds: many kernels -> executables: those that are known are found, the others compiled in few processes.
//
// In:    kernels of one device. Out: an executable each, or an error.
// Holds: equal kernels are built once; modules compile side by side, in about the same time each. Where all are known,
//        no compiler is looked for.
#ifndef TN_RUNTIME_BUILDS
#define TN_RUNTIME_BUILDS
#ifndef TINY_AMALGAMATED
#include "tiers.c"
#endif

// kernels from which a line of progress is written; in a module, where a callback hears of progress
enum { TN_PROGRESS_AT = 8, TN_PROGRESS_KERNELS = 4 };

// ahead: what has to be compiled is, meanwhile (warm.c)
typedef struct tn_builds {
  tiny_ctx *t; struct tn_programs *at;
  tn_build *build; int n, ahead;
  int left;                                // that have to be compiled yet
  tn_progress progress;
} tn_builds;

// As many modules as there are cores; more where a callback hears of each. Foreign source stands alone.
static int tn_build_modules(const tiny_ctx *t, tn_build *const *b, int n) {
  int modules = tn_os_cores(), foreign = (b[0]->at->device->renderer.flags & TINY_TARGET_ALONE) != 0;
  const int few = (n + TN_PROGRESS_KERNELS - 1) / TN_PROGRESS_KERNELS;
  for (int i = 0; i < n; i++) foreign |= b[i]->custom != NULL;
  if (t->progress.fn && few > modules) modules = few;
  return foreign || modules > n ? n : modules;
}

// Progress: a line on a terminal, wiped when the work is done; with debug letter p, lines in the log.
static int tn_wipes(const tiny_ctx *t, int n) {
  return n >= TN_PROGRESS_AT && !tn_debug(t, 'p') && !t->log.fn && !t->progress.fn && tn_os_terminal();
}
static void tn_say_compiling(tiny_ctx *t, int n) {
  if (tn_wipes(t, n)) fprintf(stderr, "tiny: compiling %d kernels\r", n);
  else if (tn_debug(t, 'p')) tn_log(t, "tiny: compiling %d kernels", n);
}
static void tn_say_compiled(tiny_ctx *t, int n, uint64_t ns) {
  if (tn_wipes(t, n)) fprintf(stderr, "%40s\r", "");
  else if (tn_debug(t, 'p')) tn_log(t, "tiny: compiled %d kernels in %.1f ms", n, (double)ns * 1e-6);
}

// Compiles builds of one device, all of them of the library's own or none.
static tiny_code tn_build_compile(tiny_ctx *t, tn_builds *all, tn_build **b, int n) {
  struct tn_programs *const at = all->at;
  const struct tn_device *d = at->device;
  const int modules = tn_build_modules(t, b, n);
  tiny_bytes *text = (tiny_bytes *)tn_scratch(t, (size_t)modules * sizeof *text);
  tiny_bytes *binary = (tiny_bytes *)tn_scratch(t, (size_t)modules * sizeof *binary), log = {t, NULL, 0, 0};
  int *first = (int *)tn_scratch(t, ((size_t)modules + 1) * sizeof *first);
  tn_build_deal(t, b, n, modules, first);
  for (int m = 0; m < modules; m++) {
    text[m] = tn_module_of(t, b + first[m], first[m + 1] - first[m]);
    binary[m].t = t;
    const tn_build *b0 = b[first[m]];
    const char *const source = tn_build_is_builtin(b0) ? b0->second.data : text[m].data;
    if (tn_debug(t, 'c') && source) tn_log_text(t, source);
  }
  const char **name = (const char **)tn_scratch(t, (size_t)n * sizeof *name);
  for (int i = 0; i < n; i++) name[i] = b[i]->name;
  all->progress.first = first; all->progress.name = name; all->progress.modules = modules;
  if (tn_is_cpu(d->backend) && !tn_build_is_builtin(b[0])) tn_compiler_find(at);
  const uint64_t from = tn_os_now();
  if (tn_progress_tell(&all->progress, all->progress.info.total - all->left, name[0])) return t->code;
  tn_say_compiling(t, n);
  const tiny_code code = tn_device_compile(d, modules, text, binary, &log);
  tn_say_compiled(t, n, tn_os_now() - from);
  t->stats.compile_ns += tn_os_now() - from;
  if (tn_tracing(t)) {
    tn_event_span(t, "host", "compile", 0, from, tn_os_now());
    tn_event_add(t, "\"kernels\":%d", n);
    tn_event_end(t);
  }
  all->progress.modules = 0;
  if (code != TINY_OK && code != TINY_E_CANCELLED) return code;
  for (int m = 0; m < modules; m++) {
    if (code != TINY_OK && !binary[m].n) continue;
    const tn_digest key = tn_bytes_key(at, "module", text[m].data, text[m].n);
    const tiny_code loaded = tn_build_load(t, at, b + first[m], first[m + 1] - first[m], &key, &binary[m]);
    if (loaded != TINY_OK) return loaded;
  }
  all->left -= n;
  if (code == TINY_OK && tn_progress_tell(&all->progress, all->progress.info.total - all->left, name[n - 1]))
    return t->code;
  return code;
}

// A name holds a hash: two kernels may have the same, but not in one module. names: hashes of those before.
static void tn_build_rename(tiny_ctx *t, tn_build *b, int i, tn_map *names) {
  const void *name = (const void *)(uintptr_t)(tn_hash_bytes(0, b->name, strlen(b->name)) | 1);
  const size_t n = strlen(b->name), at = n < TN_KERNEL_NAME - 12 ? n : TN_KERNEL_NAME - 12;
  if (!b->custom && tn_map_has(names, name)) snprintf(b->name + at, sizeof b->name - at, "_%d", i);
  tn_map_set(t, names, name, b);
}

// Finds kernels that are asked for twice. Returns how many there are.
static int tn_builds_twins(tiny_ctx *t, const tn_builds *all) {
  tn_map asked = {NULL, 0, 0};
  int n = 0;
  for (int i = 0; i < all->n; i++) {
    tn_build *b = &all->build[i];
    const void *kernel = b->custom ? (const void *)b->custom : (const void *)b->ast;
    b->twin = (tn_build *)tn_map_get(&asked, kernel);
    if (b->twin) continue;
    tn_map_set(t, &asked, kernel, b);
    tn_build_name(t, b);
    n++;
  }
  return n;
}

// Finds those that are there already, were imported, or are compiled ahead, which is waited for. Returns how many are
// left.
static int tn_builds_known(tiny_ctx *t, tn_builds *all) {
  int left = 0;
  all->progress.info.total = tn_builds_twins(t, all);
  if (t->warm) tn_warm_harvest(t);
  for (int i = 0; i < all->n; i++) {
    tn_build *b = &all->build[i];
    if (b->twin) continue;
    if (!b->exe) b->exe = tn_executable_find(b->at, &b->key);
    if (!b->exe) tn_build_from_shipped(t, b, b->found ? t->beam : 0);
    if (!b->exe && t->warm && !all->ahead && tn_warm_meet(t, b, &all->progress))
      b->exe = tn_executable_find(b->at, &b->key);
    if (all->progress.cancelled) return 0;
    left += !b->exe;
  }
  return left;
}

// Kernels that the library compiles itself come first. Returns how many they are.
static int tn_builds_own_first(tiny_ctx *t, tn_build **b, int n) {
  tn_build **other = (tn_build **)tn_scratch(t, (size_t)n * sizeof *other);
  int own = 0, others = 0;
  for (int i = 0; i < n; i++) {
    if (tn_build_is_builtin(b[i])) b[own++] = b[i];
    else other[others++] = b[i];
  }
  for (int i = 0; i < others; i++) b[own + i] = other[i];
  return own;
}
static tiny_code tn_builds_make(tiny_ctx *t, void *arg) {
  tn_builds *all = (tn_builds *)arg;
  tn_build **left = (tn_build **)tn_scratch(t, ((size_t)all->n + 1) * sizeof *left);
  tn_map names = {NULL, 0, 0};
  int nleft = 0, done = 0;
  all->progress.info.total = tn_builds_twins(t, all);
  for (int i = 0; i < all->n; i++) {
    tn_build *b = &all->build[i];
    if (b->twin) continue;
    if (!b->exe) b->exe = tn_executable_find(b->at, &b->key);
    done += b->exe != NULL;
    if (b->exe || (all->ahead && tn_warm_has(t, b))) continue;
    if (tn_progress_tell(&all->progress, done, b->name)) return t->code;
    b->kind = tn_kernel_kind(t, b);
    tn_build_rename(t, b, i, &names);
    if (b->binary) {
      if (tn_build_binary(t, b) != TINY_OK) return t->code;
      done++;
      continue;
    }
    if (b->custom) { b->text.data = b->custom; b->text.n = strlen(b->custom); }
    else if (tn_build_lower(t, b) != TINY_OK) return t->code;
    done += b->exe != NULL;
    if (b->exe) continue;
    b->text_key = tn_bytes_key(b->at, "kernel", b->text.data, b->text.n);
    tn_build_from_disk(t, b);
    if (!b->exe) left[nleft++] = b;
    else done++;
  }
  all->left = nleft;
  const int own = nleft ? tn_builds_own_first(t, left, nleft) : 0;
  if (own && tn_build_compile(t, all, left, own) != TINY_OK) return t->code;
  if (nleft == own || (all->ahead && tn_warm_add(t, all->at, left + own, nleft - own))) return TINY_OK;
  return tn_build_compile(t, all, left + own, nleft - own);
}

static void tn_builds_clear(void *arg) {
  const tn_builds *all = (const tn_builds *)arg;
  all->t->watch = NULL;
  tn_nodes_leave(all->t);
  tn_nodes_close(all->t, &all->t->ir->others);
  for (int i = 0; i < all->n; i++) {
    tn_build *b = &all->build[i];
    if (b->owned) tn_release(all->t, (void *)(uintptr_t)b->text.data, b->text.n + 1);
    if (b->second.n) tn_release(all->t, (void *)(uintptr_t)b->second.data, b->second.n + 1);
    b->second.n = 0;
    if (b->opts) tn_release(all->t, b->opts, strlen(b->opts) + 1);
    b->opts = NULL;
  }
}

// After a compilation that failed because the compiler is another than was thought, or can compile nothing: this one,
// another one, or none makes what is left; and after code that the system does not let be executed.
// The error goes, as what was wrong is not these kernels.
static int tn_builds_retry(tiny_ctx *t, const tn_builds *all, tiny_code code) {
  void *const cpu = all->at->device->dev;
  if (!tn_code_give_up(all->at)) {
    if (code != TINY_E_COMPILE || (!tn_compiler_retry(all->at) && !tn_cpu_is_unfit(cpu))) return 0;
    tn_compiler_identify(all->at);
  }
  for (int i = 0; i < all->n; i++) {
    const tn_build was = all->build[i];
    tn_build *b = &all->build[i];
    memset(b, 0, sizeof *b);
    b->at = was.at; b->ast = was.ast; b->custom = was.custom; b->entry = was.entry; b->binary = was.binary;
    b->found = was.found; b->key = was.key;
    if (!was.custom) continue;
    b->low = was.low;
    // it cannot be interpreted, and the error stays
    if (!tn_cpu_has_compiler(cpu) || tn_cpu_is_barred(cpu)) return 0;
  }
  t->code = TINY_OK;
  return 1;
}

// Executables for builds[0..n-1], which are all of `at`. ahead: those that have to be compiled will be there later.
static tiny_code tn_build_all(tiny_ctx *t, struct tn_programs *at, tn_build *builds, int n, int ahead) {
  tn_builds all;
  tiny_code code;
  all.t = t; all.at = at; all.build = builds; all.n = n; all.ahead = ahead;
  tn_progress_open(&all.progress, t, TINY_COMPILING, n);
  code = TINY_OK;
  if (tn_builds_known(t, &all)) do {
    t->watch = all.progress.t ? &all.progress.watch : NULL;
    tn_compiler_identify(at);
    if (ahead && at->interpret) break;     // interpreted when they are needed
    if (all.progress.cancelled) { t->watch = NULL; return t->code; }
    code = tn_process_protect(t, tn_builds_make, tn_builds_clear, &all);
    tn_builds_clear(&all);
  } while (code != TINY_OK && tn_is_cpu(at->device->backend) && tn_builds_retry(t, &all, code));
  if (code != TINY_OK) return code;
  for (int i = 0; i < n; i++) if (builds[i].twin) builds[i].exe = builds[i].twin->exe;
  return t->code;
}
#endif
