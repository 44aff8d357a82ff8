// metal_kernel_module: a module of a text: clang expands its macros, metal_kernel_read.c reads it, clang compiles what
// that writes into a shared object, which is loaded. Each text once in a process, whoever asks, until the process ends.
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t metal_modules_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t metal_modules_ready = PTHREAD_COND_INITIALIZER;
static metal_module *metal_modules;
static int metal_mode, metal_compiled, metal_found;

void metal_kernel_mode(int mode) { __atomic_store_n(&metal_mode, mode, __ATOMIC_RELAXED); }
void metal_kernel_counts(int *compiled, int *found) {
  pthread_mutex_lock(&metal_modules_lock);
  *compiled = metal_compiled;
  *found = metal_found;
  pthread_mutex_unlock(&metal_modules_lock);
}

// ** the compiler **

static pthread_once_t metal_compiler_once = PTHREAD_ONCE_INIT;
static const char *metal_compiler;
static void metal_find_compiler(void) {
  static const char *const names[] = {"clang++-20", "clang++-19", "clang++-18", "clang++-17", "clang++-16", "clang++"};
  char command[200];
  for (size_t i = 0; i < sizeof names / sizeof *names && !metal_compiler; i++) {
    snprintf(command, sizeof command, "echo '_Float16 x; __bf16 y;' | %s -x c++ "
             "-Xclang -ffloat16-excess-precision=none -fsyntax-only - >/dev/null 2>&1", names[i]);
    if (!system(command)) metal_compiler = names[i];
  }
}
const char *metal_kernel_compiler(void) {
  pthread_once(&metal_compiler_once, metal_find_compiler);
  return metal_compiler;
}

typedef struct metal_path { char text[200]; } metal_path;
static metal_path metal_folder(void) {     // of the stub, beside this file
  metal_path p;
  const char *slash = strrchr(__FILE__, '/');
  snprintf(p.text, sizeof p.text, "%.*s", slash ? (int)(slash - __FILE__) : 1, slash ? __FILE__ : ".");
  return p;
}
static metal_path metal_temporary(const char *data, size_t n) {
  metal_path p;
  const char *folder = getenv("TMPDIR");
  snprintf(p.text, sizeof p.text, "%.150s/tiny-metal-XXXXXX", folder && *folder ? folder : "/tmp");
  const int fd = mkstemp(p.text);
  for (size_t at = 0; fd >= 0 && at < n; ) {
    const ssize_t wrote = write(fd, data + at, n - at);
    if (wrote <= 0) break;
    at += (size_t)wrote;
  }
  if (fd >= 0) close(fd);
  else *p.text = 0;
  return p;
}
// What a command writes to its output; its status. The command's text ends here.
static int metal_command(metal_text *command, metal_text *out) {
  char line[4096];
  size_t n;
  FILE *f = command->data ? popen(command->data, "r") : NULL;
  free(command->data);
  if (!f) return -1;
  while ((n = fread(line, 1, sizeof line, f)) > 0) metal_put(out, line, n);
  return pclose(f);
}
static const char *metal_standard(int version) { return version >= 400 ? "c++17" : "c++14"; }

// `#include` of what is not Metal's own.
static int metal_refuses_include(const char *source, metal_text *log) {
  int line = 1;
  for (const char *p = source; *p; line++) {
    const char *end = strchr(p, '\n'), *begins = p;
    if (!end) end = p + strlen(p);
    while (p < end && (*p == ' ' || *p == '\t')) p++;
    if (p < end && *p == '#') {
      for (p++; p < end && (*p == ' ' || *p == '\t'); ) p++;
      const int is = !strncmp(p, "include", 7) || !strncmp(p, "import", 6);
      const char *name = is ? strpbrk(p, "<\"\n") : NULL;
      if (is && (!name || (strncmp(name, "<metal_", 7) && strncmp(name, "<simd/", 6)) || strstr(p, "..") == name + 1)) {
        const int at = (int)((name ? name : p) - begins);
        metal_print(log, "program_source:%d:%d: fatal error: file not found: only headers of Metal's "
                    "library are included here\n", line, at + 1);
        return 1;
      }
    }
    p = *end ? end + 1 : end;
  }
  return 0;
}
// The text with its macros expanded. 0: the log says why not.
static int metal_expand(const metal_module *m, metal_text *out, metal_text *log) {
  metal_text command = {NULL, 0, 0};
  metal_text text = {NULL, 0, 0};
  metal_print(&text, "#line 1 \"program_source\"\n");
  metal_put(&text, m->source, strlen(m->source));
  metal_put(&text, "\n", 1);
  const metal_path in = metal_temporary(text.data, text.n), errors = metal_temporary("", 0);
  metal_print(&command, "%s -E -x c++ -std=%s -undef -nostdinc -w -ferror-limit=20 -fno-color-diagnostics "
           "-DMETAL_READS -D__METAL__=1 -D__METAL_MACOS__=1 -D__METAL_VERSION__=%d -I%s/apple/msl - <%s 2>%s",
           metal_kernel_compiler(), metal_standard(m->version), m->version, metal_folder().text, in.text, errors.text);
  const int rc = metal_command(&command, out);
  if (rc) {
    command = (metal_text){NULL, 0, 0};
    metal_print(&command, "cat %s", errors.text);
    metal_command(&command, log);
    if (!log->n) metal_print(log, "program_source: error: the compiler ended with status %d\n", rc);
  }
  remove(in.text);
  remove(errors.text);
  free(text.data);
  return !rc && out->data;
}
static void metal_put_swizzles(metal_text *text, const metal_reading *r) {
  for (int i = 0; i < 3; i++) {
    metal_print(text, "#define METAL_SWIZZLES_%d ", i + 2);
    metal_put(text, r->swizzles[i].data ? r->swizzles[i].data : "", r->swizzles[i].n);
    metal_print(text, "\n");
  }
}
// Of a text that the compiler refuses: what it says of the text as it was, where columns are the user's, too. It takes
// all attributes but one whose name is a word here; functions that were dropped it would find twice.
static void metal_explain(const metal_module *m, const metal_reading *read, metal_text *log) {
  metal_text command = {NULL, 0, 0};
  metal_reading r;
  metal_text text = {NULL, 0, 0}, said = {NULL, 0, 0};
  for (int i = 0; i < read->functions; i++) if (read->function[i].is_dropped) return;
  memset(&r, 0, sizeof r);
  metal_tokens(&r, m->source);
  metal_put_swizzles(&text, read);
  metal_print(&text, "#include \"metal_stub%s.h\"\n#line 1 \"program_source\"\n",
              strstr(m->source, "<metal_stdlib>") ? "" : "_types");
  const size_t begins = text.n;
  metal_put(&text, m->source, strlen(m->source));
  for (int i = 0, inside = 0; i < r.n; i++) {
    if (metal_is_attribute(&r, i)) inside = metal_closing(&r, i);
    for (int at = i + 1; metal_is(&r, i, "template") && metal_is_attribute(&r, at); ) {      // C++ has none there
      const int end = metal_closing(&r, at);
      for (const char *p = r.token[at].at; p < r.token[end].at + r.token[end].n; p++)
        if (*p != '\n') text.data[begins + (size_t)(p - m->source)] = ' ';
      at = end + 1;
    }
    if (i < inside && metal_is(&r, i, "threadgroup")) text.data[begins + (size_t)(r.token[i].at - m->source)] = 'T';
  }
  const metal_path in = metal_temporary(text.data, text.n);
  metal_print(&command, "%s -x c++ -std=%s -w -ferror-limit=20 -fno-color-diagnostics -nostdinc -fsyntax-only "
           "-D__METAL__=1 -D__METAL_MACOS__=1 -D__METAL_VERSION__=%d -I%s/apple/msl -I%s - <%s 2>&1",
           metal_kernel_compiler(), metal_standard(m->version), m->version, metal_folder().text, metal_folder().text,
           in.text);
  if (metal_command(&command, &said) && said.data && strstr(said.data, "program_source:")) {
    for (char *at = said.data; (at = strstr(at, "Threadgroup(")) != NULL; at++) *at = 't';
    log->n = 0;
    metal_put(log, said.data, said.n);
  }
  remove(in.text);
  free(said.data); free(text.data);
  metal_read_free(&r);
}
// What clang is given for a module, but what it makes and of what.
static void metal_print_flags(metal_text *command, const metal_module *m) {
  static const char *const how[] = {
    "-O1 -DMETAL_IS_CHECKED -fsanitize=alignment,array-bounds,integer-divide-by-zero,kernel-address "
    "-fsanitize-recover=all -mllvm -asan-instrumentation-with-call-threshold=0 -mllvm -asan-stack=0 "
    "-mllvm -asan-globals=0 -mllvm -asan-kernel-mem-intrinsic-prefix=1", "-O2"
  };
#ifdef __x86_64__
  const char *halves = __builtin_cpu_supports("avx2") ? "-mf16c" : "";
#else
  const char *halves = "";
#endif
  metal_print(command, " -std=%s -w -ferror-limit=20 -fno-color-diagnostics -fno-exceptions -fno-rtti -nostdinc -fPIC "
           "-Wframe-larger-than=131072 -Werror=frame-larger-than -ffp-contract=off -Xclang -cl-single-precision-constant "
           "-Xclang -ffloat16-excess-precision=none %s %s %s -D__METAL_VERSION__=%d -I%s ",
           metal_standard(m->version), halves, how[m->mode], m->fast_math ? "-ffast-math" : "", m->version,
           metal_folder().text);
}

// The stub, compiled ahead for modules alike: once in a process, which removes it in the end.
enum { METAL_AHEADS = 64 };
typedef struct metal_ahead { int version, fast_math, mode; metal_path path; } metal_ahead;
static metal_ahead metal_aheads[METAL_AHEADS];
static int metal_aheads_made;
static pthread_mutex_t metal_aheads_lock = PTHREAD_MUTEX_INITIALIZER;
static void metal_remove_aheads(void) {
  for (int i = 0; i < metal_aheads_made; i++) if (*metal_aheads[i].path.text) remove(metal_aheads[i].path.text);
}
static void metal_compile_ahead(const metal_module *m, metal_ahead *a) {
  metal_text command = {NULL, 0, 0};
  metal_text said = {NULL, 0, 0};
  a->version = m->version; a->fast_math = m->fast_math; a->mode = m->mode;
  a->path = metal_temporary("", 0);
  metal_print(&command, "%s -x c++-header", metal_kernel_compiler());
  metal_print_flags(&command, m);
  metal_print(&command, "%s/metal_stub_entry.h -o %s 2>&1", metal_folder().text, a->path.text);
  if (metal_command(&command, &said)) { remove(a->path.text); *a->path.text = 0; }
  free(said.data);
}
// Its path; "": there is none, and the module includes the stub itself.
static const char *metal_ahead_of(const metal_module *m) {
  int i = 0;
  pthread_mutex_lock(&metal_aheads_lock);
  while (i < metal_aheads_made && (metal_aheads[i].version != m->version || metal_aheads[i].fast_math != m->fast_math ||
                                   metal_aheads[i].mode != m->mode)) i++;
  if (i == metal_aheads_made && i < METAL_AHEADS) {
    if (!i) atexit(metal_remove_aheads);
    metal_compile_ahead(m, &metal_aheads[i]);
    metal_aheads_made++;
  }
  pthread_mutex_unlock(&metal_aheads_lock);
  return i < METAL_AHEADS ? metal_aheads[i].path.text : "";
}
// Has the stub that is compiled ahead all swizzles of a text?
static int metal_has_swizzles(const metal_reading *r) {
  static const char *const has[] = {"(xy,", "(xy, (xyz,", "(xy, (zw, (xyz,"};
  for (int i = 0; i < 3; i++)
    for (const char *p = r->swizzles[i].data; p && (p = strchr(p, '(')) != NULL; p++) {
      char name[8] = "";
      snprintf(name, sizeof name, "%.*s", (int)(strchr(p, ',') - p) + 1, p);
      if (!strstr(has[i], name)) return 0;
    }
  return 1;
}

// A shared object of what was read; its path, "" where the log says why not.
static metal_path metal_compile(const metal_module *m, const metal_reading *r, metal_text *log) {
  char ahead[300] = "";
  metal_text command = {NULL, 0, 0};
  metal_text text = {NULL, 0, 0};
  const char *stub = strstr(m->source, "<metal_stdlib>") && metal_has_swizzles(r) ? metal_ahead_of(m) : "";
  if (*stub) snprintf(ahead, sizeof ahead, "-include-pch %s", stub);
  else {
    metal_put_swizzles(&text, r);
    metal_print(&text, "#include \"metal_stub%s.h\"\n", strstr(m->source, "<metal_stdlib>") ? "" : "_types");
  }
  metal_put(&text, r->text.data, r->text.n);
  metal_print(&text, "\n#line 1 \"metal_entries\"\n#include \"metal_stub_entry.h\"\n"
              "extern \"C\" { const metal_hooks *metal_executor; }\n");
  metal_put(&text, r->entries.data, r->entries.n);
  metal_path out = metal_temporary("", 0);
  const metal_path in = metal_temporary(text.data, text.n);
  metal_print(&command, "%s -x c++", metal_kernel_compiler());
  metal_print_flags(&command, m);
  metal_print(&command, "%s -shared -nostdlib - -lm -o %s <%s 2>&1", ahead, out.text, in.text);
  const int rc = metal_command(&command, log);
  if (rc && !log->n) metal_print(log, "program_source: error: the compiler ended with status %d\n", rc);
  remove(in.text);
  free(text.data);
  if (rc) { remove(out.text); *out.text = 0; metal_explain(m, r, log); }
  return out;
}

// ** loading **

static int metal_find_range(struct dl_phdr_info *info, size_t nbytes, void *user) {
  metal_module *m = (metal_module *)user;
  const char *inside = m->low, *low = NULL, *high = NULL;
  (void)nbytes;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
    const char *at = (const char *)info->dlpi_addr + info->dlpi_phdr[i].p_vaddr, *end = at + info->dlpi_phdr[i].p_memsz;
    if (!low || at < low) low = at;
    if (!high || end > high) high = end;
  }
  if (inside < low || inside >= high) return 0;
  m->low = low;
  m->high = high;
  return 1;
}
// Bytes of variables in the function of a kernel: those of an instance of a template are those of the instance that
// comes at the same place among the instances.
static size_t metal_shared_nbytes(const metal_module *m, int at) {
  const metal_shared *size = (const metal_shared *)dlsym(m->handle, "metal_shared_first"),
                     *end = (const metal_shared *)dlsym(m->handle, "metal_shared_last");
  size_t sum = 0;
  int instance = 0, seen = 0;
  const char *function = m->function[at].record->function, *last = NULL;
  for (int i = 0; i < at; i++) instance += !strcmp(m->function[i].record->function, function);
  size = size ? *(const metal_shared *const *)size : NULL;
  end = end ? *(const metal_shared *const *)end : NULL;
  for (; size && size < end; size++) {
    const char *found = strstr(size->function, function);
    const char after = found ? found[strlen(function)] : 0;
    if (!found || (after != '(' && after != '<') || found == size->function) continue;
    if (found[-1] != ' ' && found[-1] != ':') continue;
    if (last && strcmp(last, size->function)) seen++;
    last = size->function;
    if (seen == instance) sum += (size->nbytes + 15) / 16 * 16;
  }
  return sum;
}
static int metal_load(metal_module *m, const char *path, metal_text *log) {
  m->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!m->handle) { metal_print(log, "program_source: error: %s\n", dlerror()); return 0; }
  const metal_hooks **hooks = (const metal_hooks **)dlsym(m->handle, "metal_executor");
  const metal_record *record = (const metal_record *)dlsym(m->handle, "metal_records");
  *hooks = m->mode == METAL_CHECKED ? &metal_hooks_checked : &metal_hooks_fast;
  m->low = (const char *)record;
  dl_iterate_phdr(metal_find_range, m);
  while (record[m->functions].name) m->functions++;
  m->function = (metal_function *)calloc((size_t)m->functions + 1, sizeof *m->function);
  for (int i = 0; i < m->functions; i++) { m->function[i].record = &record[i]; m->function[i].module = m; }
  for (int i = 0; i < m->functions; i++) m->function[i].nbytes = metal_shared_nbytes(m, i);
  return 1;
}
static void metal_make(metal_module *m) {
  metal_text expanded = {NULL, 0, 0}, log = {NULL, 0, 0};
  metal_reading r;
  memset(&r, 0, sizeof r);
  if (!metal_kernel_compiler()) metal_print(&log, "program_source: error: there is no clang++ (16 and newer) here\n");
  else if (!metal_refuses_include(m->source, &log) && metal_expand(m, &expanded, &log)) {
    if (!metal_read(&r, expanded.data)) metal_put(&log, r.log.data, r.log.n);
    else {
      const metal_path path = metal_compile(m, &r, &log);
      if (*path.text) metal_load(m, path.text, &log);
      if (*path.text) remove(path.text);
    }
  }
  m->log = log.data ? log.data : (char *)calloc(1, 1);
  metal_read_free(&r);
  free(expanded.data);
}

// ** modules **

// The one that is there, or a new one, which the caller makes.
static metal_module *metal_module_of(const char *source, int version, int fast_math, int *is_new) {
  const int mode = __atomic_load_n(&metal_mode, __ATOMIC_RELAXED);
  pthread_mutex_lock(&metal_modules_lock);
  metal_module *m = metal_modules;
  while (m && (m->version != version || m->fast_math != fast_math || m->mode != mode ||
               strcmp(m->source, source))) m = m->next;
  *is_new = !m;
  if (!m) {
    m = (metal_module *)calloc(1, sizeof *m);
    m->source = strdup(source);
    m->version = version; m->fast_math = fast_math; m->mode = mode;
    m->next = metal_modules;
    metal_modules = m;
    metal_compiled++;
  } else metal_found++;
  while (!*is_new && !m->is_ready) pthread_cond_wait(&metal_modules_ready, &metal_modules_lock);
  pthread_mutex_unlock(&metal_modules_lock);
  return m;
}
metal_module *metal_module_new(const char *source, int version, int fast_math, char *log, size_t log_nbytes) {
  int is_new;
  metal_module *m = metal_module_of(source, version, !!fast_math, &is_new);
  if (is_new) {
    metal_make(m);
    pthread_mutex_lock(&metal_modules_lock);
    m->is_ready = 1;
    pthread_cond_broadcast(&metal_modules_ready);
    pthread_mutex_unlock(&metal_modules_lock);
  }
  if (log_nbytes) snprintf(log, log_nbytes, "%s", m->log);
  return m->handle ? m : NULL;
}
void metal_module_free(metal_module *m) { (void)m; }   // the next who has this text finds it

int metal_module_functions(const metal_module *m) { return m->functions; }
const char *metal_module_name(const metal_module *m, int at) {
  return at >= 0 && at < m->functions ? m->function[at].record->name : NULL;
}
const metal_function *metal_module_find(metal_module *m, const char *name) {
  for (int i = 0; i < m->functions; i++) if (!strcmp(m->function[i].record->name, name)) return &m->function[i];
  return NULL;
}
int metal_function_arguments(const metal_function *f, const metal_argument **out) {
  *out = f->record->argument;
  return f->record->arguments;
}
size_t metal_function_threadgroup_nbytes(const metal_function *f) { return f->nbytes; }
int metal_function_max_threads(const metal_function *f) { return f->record->max_threads; }
