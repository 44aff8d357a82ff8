// The CPU backend: real kernels from source to launch; compilers that fail, that are missing, that are not
// clang; contexts on several threads; memory; the null backend.
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif                                     // for the test: setenv
#define TN_FIRST_NBYTES 64
#define TN_FIRST_SLOTS 4
#include "../src/runtime/null.c"
#include "test.h"
#include "memory_test.h"
#include <dirent.h>

static const char saxpy[] =
  "typedef float v16 __attribute__((vector_size(64), aligned(4)));\n"
  "void saxpy(void *const *mem, const long long *args, long long task) {\n"
  "  float *y = (float *)mem[0]; const float *x = (const float *)mem[1]; float a; __builtin_memcpy(&a, &args[0], 4);\n"
  "  for (long long i = task * args[1]; i < (task + 1) * args[1]; i += 16) *(v16 *)(y + i) = *(const v16 *)(x + i) * a + *(v16 *)(y + i);\n"
  "}\n";
static const char copies[] =               // big copies and clears call the C library; two kernels in one module
  "struct big { char b[4000]; };\n"
  "void copy(void *const *mem, const long long *args, long long task) { *(struct big *)mem[0] = *(const struct big *)mem[1]; }\n"
  "void clear(void *const *mem, const long long *args, long long task) { struct big z = {{0}}; *(struct big *)mem[0] = z; }\n";
static const char library[] =
  "double pow(double, double); float fmodf(float, float); double sin(double);\n"
  "void library(void *const *mem, const long long *args, long long task) {\n"
  "  double *o = mem[0]; o[0] = pow(o[0], 3); o[1] = fmodf((float)o[1], 2); o[2] = sin(o[2]); }\n";
static const char counts[] =
  "void counts(void *const *mem, const long long *args, long long task) { ((int *)mem[0])[task] += (int)task + (int)args[0]; }\n";
static const char broken[] = "void broken(void *const *mem, const long long *args, long long task) { this is no C }\n";

typedef struct machine { tiny_ctx t; memory_count m; tiny_limits limits; void *dev; } machine;
typedef struct plan { machine *m; const char *const *source; int n; tiny_bytes *binary, *log; tiny_code code; } plan;

static const tiny_backend *const cpu = &tn_cpu_backend;

static void machine_open(machine *m, int threads) {
  tiny_desc d;
  memset(m, 0, sizeof *m); memset(&d, 0, sizeof d);
  memory_context(&m->t, &m->m);
  d.threads = threads;
  tn_pool_open(&m->t, &d);
  m->dev = cpu->open(&m->t, "", &m->limits);
}
static void machine_close(machine *m) {
  if (m->dev) cpu->close(m->dev);
  tn_pool_close(&m->t);
  tn_scratch_reset(&m->t, 1);
  CHECK_EQ(m->m.live, 0); CHECK_EQ(m->m.wrong, 0);
}
static tiny_bytes source_of(const char *text) {
  const tiny_bytes source = { NULL, (char *)(uintptr_t)text, strlen(text), 0 };
  return source;
}
static tiny_code machine_compile(machine *m, int n, const char *const *text, tiny_bytes *binary) {
  tiny_bytes log = { &m->t, NULL, 0, 0 }, source[8];
  for (int i = 0; i < n; i++) source[i] = source_of(text[i]);
  for (int i = 0; i < n; i++) { memset(&binary[i], 0, sizeof *binary); binary[i].t = &m->t; }
  return cpu->compile(m->dev, n, source, binary, &log);
}

static void launch(machine *m, void *kernel, void **bases, int n, const int64_t *args, int64_t tasks) {
  tiny_mem mem[8];
  tiny_launch l;
  memset(&l, 0, sizeof l);
  for (int i = 0; i < n; i++) { mem[i].base = bases[i]; mem[i].offset = 0; }
  l.kernel = kernel; l.mem = mem; l.nmem = n; l.args = args; l.nargs = 2; l.tasks = tasks;
  CHECK_EQ(cpu->launch(m->dev, &l), TINY_OK);
}

static void check_saxpy(machine *m, void *kernel) {
  enum { N = 1 << 16, TASKS = 16 };
  float *y = (float *)cpu->alloc(m->dev, N * sizeof *y), *x = (float *)cpu->alloc(m->dev, N * sizeof *x);
  int64_t args[2] = { 0, N / TASKS };
  const float a = 2.5f;
  int wrong = 0;
  memcpy(args, &a, sizeof a);
  for (int i = 0; i < N; i++) { x[i] = (float)(i % 100); y[i] = (float)i; }
  void *mem[2] = { y, x };
  launch(m, kernel, mem, 2, args, TASKS);
  for (int i = 0; i < N; i++) wrong += y[i] != (float)i + 2.5f * (float)(i % 100);
  CHECK_EQ(wrong, 0);
  cpu->free(m->dev, y, N * sizeof *y);
  cpu->free(m->dev, x, N * sizeof *x);
}

static void check_others(machine *m, void *copying, void *calling, void *counting) {
  char from[4000], to[4000];
  double o[3] = { 3, 7.5, 1 };
  void *mem[2] = { to, from }, *values[1] = { o };
  memset(from, 7, sizeof from); memset(to, 0, sizeof to);
  launch(m, cpu->find(m->dev, copying, "copy"), mem, 2, NULL, 1);
  CHECK(!memcmp(from, to, sizeof to));
  launch(m, cpu->find(m->dev, copying, "clear"), mem, 2, NULL, 1);
  CHECK(to[0] == 0 && to[3999] == 0);
  launch(m, cpu->find(m->dev, calling, "library"), values, 1, NULL, 1);
  CHECK(o[0] == 27 && o[1] == 1.5 && o[2] == sin(1.0));
  int count[100] = {0}, wrong = 0;
  tiny_mem many[100];
  int64_t args[1] = { 1000 };
  for (int i = 0; i < 100; i++) { many[i].base = count; many[i].offset = 0; }
  tiny_launch l;
  memset(&l, 0, sizeof l);
  l.mem = many; l.nmem = 100; l.args = args; l.nargs = 1; l.tasks = 90;       // more parameters than fit on the stack
  many[0].offset = 10 * sizeof(int);
  l.kernel = counting;
  CHECK_EQ(cpu->launch(m->dev, &l), TINY_OK);
  for (int i = 0; i < 100; i++) wrong += count[i] != (i < 10 ? 0 : i - 10 + 1000);
  CHECK_EQ(wrong, 0);
}

static void run_all(machine *m) {
  const char *const source[] = { saxpy, copies, library, counts };
  tiny_bytes binary[4];
  void *module[4];
  CHECK_EQ(machine_compile(m, 4, source, binary), TINY_OK);
  CHECK_STR(m->t.message, "");
  if (m->t.code) return;
  for (int i = 0; i < 4; i++) {
    module[i] = cpu->load(m->dev, binary[i].data, binary[i].n);
    CHECK(module[i] != NULL);
    if (!module[i]) { fprintf(stderr, "    %s\n", m->t.message); return; }
  }
  CHECK(cpu->find(m->dev, module[0], "other") == NULL);
  check_saxpy(m, cpu->find(m->dev, module[0], "saxpy"));
  check_others(m, module[1], module[2], cpu->find(m->dev, module[3], "counts"));
  CHECK_EQ(cpu->sync(m->dev), TINY_OK);
  for (int i = 0; i < 4; i++) cpu->unload(m->dev, module[i]);
}

static void test_kernels(int threads) {
  machine m;
  machine_open(&m, threads);
  CHECK(m.dev != NULL);
  CHECK(tn_cpu_has_compiler(m.dev));
  CHECK(m.limits.host_memory && m.limits.threads && m.limits.vector_nbytes >= 16 && m.limits.cache_nbytes >= 65536);
  CHECK(strlen(cpu->target(m.dev)) > 20);
  tiny_renderer renderer;
  cpu->renderer(m.dev, &renderer);
  CHECK(!strncmp(renderer.name, tn_cpu_is_builtin(m.dev) ? "C and " : "C", strlen(renderer.name) > 1 ? 6 : 2));
  CHECK_STR(cpu->name, "CPU");
  run_all(&m);
  CHECK_EQ(machine_compile(&m, 0, NULL, NULL), TINY_OK);
  machine_close(&m);
}

static int temp_files(void) {
  int n = 0;
  DIR *d = opendir(tn_os_temp_dir());
  for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) n += !strncmp(e->d_name, "tiny-", 5) && strstr(e->d_name, ".o");
  if (d) closedir(d);
  return n;
}

static void test_other_compiler(void) {    // $TINY_CC names one that is not clang
  machine m;
  char path[TN_OS_PATH];
  if (!tn_os_find_program("gcc", 0, path, sizeof path)) return;
  const int before = temp_files();
  setenv("TINY_CC", "gcc", 1);
  machine_open(&m, 2);
  CHECK(strstr(cpu->target(m.dev), "gcc") != NULL);
  run_all(&m);
  const char *const source[] = { broken };
  tiny_bytes binary[1];
  CHECK_EQ(machine_compile(&m, 1, source, binary), TINY_E_COMPILE);
  machine_close(&m);
  setenv("TMPDIR", "/no/such/folder", 1);
  machine_open(&m, 2);
  const char *const good[] = { counts };
  CHECK_EQ(machine_compile(&m, 1, good, binary), TINY_OK);   // then in the system's own
  machine_close(&m);
  unsetenv("TMPDIR");
  unsetenv("TINY_CC");
  CHECK_EQ(temp_files(), before);
}

// LLVM 19 left the mask over lanes of 0 / 0 out. By every compiler that is here.
static void test_masked_division(void) {
  enum { N = 18 };
  float in[2 * N], got[3 * N];
  char path[TN_OS_PATH];
  for (int i = 0; i < 2 * N; i++) in[i] = (float)(i % 5) + 1;
  for (size_t k = 0; k < sizeof tn_cpu_names / sizeof *tn_cpu_names; k++) {
    if (!tn_os_find_program(tn_cpu_names[k], 0, path, sizeof path)) continue;
    setenv("TINY_CC", tn_cpu_names[k], 1);
    tiny_desc d;
    memset(&d, 0, sizeof d);
    d.device = "CPU";
    tiny_ctx *t = tiny_open(&d);
    tiny_tensor *c = tiny_from(t, in, TINY_F32, TINY_SHAPE(N, 1)), *w = tiny_from(t, in + N, TINY_F32, TINY_SHAPE(N, 1)),
                *p = tiny_from(t, in, TINY_F32, TINY_SHAPE(N, 2)), *zero = tiny_zeros(t, TINY_F32, TINY_SHAPE(1));
    tiny_tensor *x = tiny_where(tiny_eq(c, p), tiny_div(w, c), zero);
    CHECK_EQ(tiny_read(tiny_pad(x, TINY_SHAPE(0, 0, 0, 1), 0), got, sizeof got), TINY_OK);
    int right = 1;
    for (int i = 0; i < N; i++) for (int j = 0; j < 3; j++)
      right &= got[3 * i + j] == (j < 2 && in[i] == in[2 * i + j] ? in[N + i] / in[i] : 0);
    CHECK(right);
    if (!right) fprintf(stderr, "  by %s\n", tn_cpu_names[k]);
    tiny_close(t);
    unsetenv("TINY_CC");
  }
}

static void test_failing(void) {
  machine m;
  machine_open(&m, 1);
  const tiny_bytes source[] = { source_of(counts), source_of(broken), source_of(saxpy) };
  tiny_bytes binary[3], log = { &m.t, NULL, 0, 0 };
  memset(binary, 0, sizeof binary);
  for (int i = 0; i < 3; i++) binary[i].t = &m.t;
  CHECK_EQ(cpu->compile(m.dev, 3, source, binary, &log), TINY_E_COMPILE);
  CHECK(strstr(m.t.message, "exit code 1") && strstr(m.t.message, "error: "));
  CHECK(log.n && strstr(log.data, "error: "));
  CHECK(binary[0].n > 0 && binary[2].n > 0);                 // the others are there
  m.t.code = TINY_OK;
  CHECK(cpu->load(m.dev, "garbage", 7) == NULL);
  CHECK_EQ(m.t.code, TINY_E_COMPILE);
  machine_close(&m);
}

static void test_missing(void) {           // no compiler on PATH; one that is no program; one that says nothing
  machine m;
  char *path = strdup(getenv("PATH"));
  const char *const source[] = { counts };
  tiny_bytes binary[1];
  setenv("PATH", "/no/such/folder", 1);
  machine_open(&m, 1);
  CHECK(!tn_cpu_has_compiler(m.dev));
  CHECK_EQ(machine_compile(&m, 1, source, binary), TINY_E_COMPILE);
  CHECK(strstr(m.t.message, "install clang") != NULL);
  machine_close(&m);
  setenv("PATH", path, 1);
  setenv("TINY_CC", "no-such-compiler", 1);
  machine_open(&m, 1);
  CHECK(!tn_cpu_has_compiler(m.dev));
  machine_close(&m);
  setenv("TINY_CC", "true", 1);            // ends at once, reads nothing, writes nothing
  machine_open(&m, 1);
  CHECK(tn_cpu_has_compiler(m.dev));
  CHECK_EQ(machine_compile(&m, 1, source, binary), TINY_E_COMPILE);
  CHECK(strstr(m.t.message, "it said nothing") != NULL);
  machine_close(&m);
  unsetenv("TINY_CC");
  memset(&m, 0, sizeof m);
  memory_context(&m.t, &m.m);
  CHECK(cpu->open(&m.t, "7th", &m.limits) == NULL);
  CHECK_EQ(m.t.code, TINY_E_DEVICE);
  free(path);
}

static void test_memory(void) {
  machine m;
  machine_open(&m, 1);
  const size_t sizes[] = { 0, 1, 63, 64, 4095, (size_t)TN_CPU_HUGE - 1, TN_CPU_HUGE, ((size_t)TN_CPU_HUGE * 3) + 17 };
  for (int own = 0; own < 2; own++) {      // through the host's allocator, and by pages
    tiny_alloc hosts = m.t.alloc;
    if (own) m.t.alloc.fn = tn_default_alloc;
    for (int i = 0; i < 8; i++) {
      char *p = (char *)cpu->alloc(m.dev, sizes[i]), *copy = (char *)malloc(sizes[i] + 1);
      CHECK(p && ((uintptr_t)p & 63) == 0);
      memset(p, 5, sizes[i]);
      const tiny_mem at = { p, 0 };
      CHECK_EQ(cpu->copy_out(m.dev, copy, at, sizes[i]), TINY_OK);
      CHECK(!memcmp(copy, p, sizes[i]));
      memset(copy, 6, sizes[i]);
      CHECK_EQ(cpu->copy_in(m.dev, at, copy, sizes[i]), TINY_OK);
      CHECK(!sizes[i] || p[sizes[i] - 1] == 6);
      cpu->free(m.dev, p, sizes[i]);
      free(copy);
    }
    m.t.alloc = hosts;
  }
  CHECK(cpu->alloc(m.dev, (size_t)-1) == NULL);
  m.m.fail_at = m.m.calls + 1;
  CHECK(cpu->alloc(m.dev, 100) == NULL);
  CHECK_EQ(m.t.code, TINY_OK);             // the caller may free something and try again
  cpu->free(m.dev, NULL, 100);
  machine_close(&m);
}

static tiny_code compile_guarded(tiny_ctx *t, void *arg) {
  plan *p = (plan *)arg;
  const tiny_bytes source[] = { source_of(saxpy), source_of(counts) };
  tiny_bytes binary[2], log = { t, NULL, 0, 0 };
  for (int i = 0; i < 2; i++) { const tiny_bytes none = { t, NULL, 0, 0 }; binary[i] = none; }
  p->code = cpu->compile(p->m->dev, 2, source, binary, &log);
  if (p->code) return p->code;
  void *module = cpu->load(p->m->dev, binary[0].data, binary[0].n);
  if (module) cpu->unload(p->m->dev, module);
  return module ? TINY_OK : TINY_E_INTERNAL;
}
static void test_no_memory(const char *compiler) {
  const int before = temp_files();
  int reached = 0;
  setenv("TINY_CC", compiler, 1);
  for (long n = 1; n < 300 && !reached; n++) {
    machine m;
    plan p;
    memset(&p, 0, sizeof p);
    machine_open(&m, 1);
    p.m = &m;
    m.m.fail_at = m.m.calls + n;
    const tiny_code code = tn_guard(&m.t, compile_guarded, &p);
    reached = m.m.calls < m.m.fail_at;
    CHECK_EQ(code, reached ? TINY_OK : TINY_E_MEMORY);
    machine_close(&m);
    CHECK(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
  }
  CHECK(reached);
  unsetenv("TINY_CC");
  CHECK_EQ(temp_files(), before);
}

static void context_task(void *arg) {
  machine *m = (machine *)arg;
  const char *const source[] = { counts, saxpy };
  tiny_bytes binary[2];
  int64_t args[2] = { 1, 0 };
  int count[64] = {0};
  void *mem[1] = { count };
  machine_open(m, 2);
  if (machine_compile(m, 2, source, binary)) return;
  void *module = cpu->load(m->dev, binary[0].data, binary[0].n);
  tiny_mem at = { mem[0], 0 };
  tiny_launch l;
  memset(&l, 0, sizeof l);
  l.mem = &at; l.nmem = 1; l.args = args; l.nargs = 1; l.tasks = 64;
  l.kernel = cpu->find(m->dev, module, "counts");
  for (int i = 0; i < 500; i++) cpu->launch(m->dev, &l);
  m->limits.local_total = count[63];       // read after the thread has ended
  cpu->unload(m->dev, module);
}
static void test_contexts(void) {
  machine m[2];
  tn_os_thread thread[2];
  for (int i = 0; i < 2; i++) CHECK(tn_os_thread_start(&thread[i], context_task, &m[i]));
  for (int i = 0; i < 2; i++) {
    tn_os_thread_join(&thread[i]);
    CHECK_STR(m[i].t.message, "");
    CHECK_EQ(m[i].limits.local_total, 64 * 500);
    machine_close(&m[i]);
  }
}

static void test_null(void) {
  tiny_ctx t;
  memory_count count = { 0, 0, 0, 0 };
  tiny_limits limits;
  memory_context(&t, &count);
  const tiny_backend *b = &tn_null_backend;
  void *dev = b->open(&t, "", &limits);
  const tiny_bytes source = source_of("anything at all");
  tiny_bytes binary = { &t, NULL, 0, 0 };
  tiny_launch l;
  memset(&l, 0, sizeof l);
  CHECK(dev && limits.host_memory);
  CHECK_EQ(b->compile(dev, 1, &source, &binary, NULL), TINY_OK);
  void *module = b->load(dev, binary.data, binary.n), *kernel = b->find(dev, module, "x");
  char *p = (char *)b->alloc(dev, 1000), out[10];
  const tiny_mem mem = { p, 5 };
  CHECK(kernel && p && !p[0] && !p[999]);
  l.kernel = kernel;
  CHECK_EQ(b->launch(dev, &l), TINY_OK);
  CHECK_EQ(b->copy_out(dev, out, mem, 10), TINY_OK);
  CHECK(!out[0] && !out[9]);
  CHECK_EQ(b->sync(dev), TINY_OK);
  b->free(dev, p, 1000);
  b->unload(dev, module);
  b->close(dev);
  CHECK_STR(b->target(dev), "null");
  tn_scratch_reset(&t, 1);
  CHECK_EQ(count.live, 0);
}

int main(void) {
  char path[TN_OS_PATH];
  test_memory();
  test_null();
  if (tn_os_find_program("clang", 0, path, sizeof path)) {
    test_kernels(1); test_kernels(2); test_kernels(5);
    test_failing();
    test_contexts();
    test_no_memory("clang");
  }
  test_other_compiler();
  test_masked_division();
  if (tn_os_find_program("gcc", 0, path, sizeof path)) test_no_memory("gcc");
  test_missing();
  return test_report();
}
