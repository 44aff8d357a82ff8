// also: tsan valgrind
// Compiled programs on disk: found again, shared, and made anew when what lies there is not what was written. Compilers
// that fail or are not there, devices that do not exist.
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif                                     // for the test: setenv, mkdtemp
#define TN_MOST_PLANS 6
#define TN_MOST_EXECUTABLES 8
#define TN_MOST_CUSTOMS 4
#include "../src/all.c"
#include "test.h"
#include "folder_test.h"
#include <pthread.h>

static char root[64];                      // a folder of this test's own

static const char *in_root(const char *name) {
  static char path[256];
  snprintf(path, sizeof path, "%s/%s", root, name);
  return path;
}

typedef struct result { tiny_code code; int right; tiny_stats stats; char message[1024]; } result;

// Sums (x + 1)^2 over 1000 elements, in a context of its own.
static result compute(const char *device, const char *dir, tiny_logger log) {
  float x[1000];
  tiny_desc d;
  result r;
  memset(&d, 0, sizeof d); memset(&r, 0, sizeof r);
  d.device = device; d.cache_dir = dir; d.log = log; d.threads = 1;
  for (int i = 0; i < 1000; i++) x[i] = (float)(i % 7);
  double want = 0;
  for (int i = 0; i < 1000; i++) want += ((double)x[i] + 1) * ((double)x[i] + 1);
  tiny_ctx *t = tiny_open(&d);
  tiny_tensor *y = tiny_from(t, x, TINY_F32, TINY_SHAPE(1000));
  y = tiny_square(tiny_add(y, tiny_like(y, 1)));
  r.right = tiny_item(tiny_sum(y, TINY_ALL, 0)) == want;
  r.code = tiny_status(t);
  r.stats = tiny_stats_of(t);
  snprintf(r.message, sizeof r.message, "%s", tiny_error(t));
  tiny_close(t);
  return r;
}

static const tiny_logger silent = {NULL, NULL};

// One more run: it must be right, and take its kernel from where it is said to come.
static void expect(const char *dir, int compiled, const char *what) {
  const result r = compute("CPU", dir, silent);
  const int ok = r.code == TINY_OK && r.right && r.stats.compiled == (uint64_t)compiled && r.stats.cache_hits == (uint64_t)!compiled;
  CHECK(ok);
  if (!ok) fprintf(stderr, "    %s: code %d, right %d, compiled %d, from disk %d: %s\n", what, (int)r.code, r.right,
                   (int)r.stats.compiled, (int)r.stats.cache_hits, r.message);
}

// ** files **

typedef struct file { char path[512]; unsigned char data[1 << 16]; size_t n; } file;

static int suffix_is(const char *name, const char *suffix) {
  const size_t n = strlen(name), m = strlen(suffix);
  return n > m && !strcmp(name + n - m, suffix);
}

// The only file of a folder whose name ends so.
static int load(const char *dir, const char *suffix, file *f) {
  DIR *d = opendir(dir);
  int found = 0;
  for (struct dirent *e; d && (e = readdir(d));) if (suffix_is(e->d_name, suffix)) {
    snprintf(f->path, sizeof f->path, "%s/%s", dir, e->d_name);
    found++;
  }
  if (d) closedir(d);
  FILE *in = found == 1 ? fopen(f->path, "rb") : NULL;
  f->n = in ? fread(f->data, 1, sizeof f->data, in) : 0;
  if (in) fclose(in);
  return f->n > 0 && f->n < sizeof f->data;
}

static void store(const char *path, const void *data, size_t n) {
  FILE *out = fopen(path, "wb");
  CHECK(out && fwrite(data, 1, n, out) == n);
  if (out) fclose(out);
}

static void test_found_again(void) {
  const char *dir = in_root("a/b/c");      // folders are made
  expect(dir, 1, "a new folder");
  expect(dir, 0, "the second time");
  const result r = compute("CPU", "", silent);
  CHECK(r.right && r.stats.compiled == 1); // nothing on disk
  setenv("TINY_CACHE", dir, 1);
  expect(NULL, 0, "named by the environment");
  setenv("TINY_CACHE", "", 1);
  expect(NULL, 1, "an empty name is none");
  unsetenv("TINY_CACHE");
}

// Whatever f's contents become, the run is right, makes the kernel anew, and mends the file.
static void damage(const char *dir, const file *f, size_t n, size_t at, int bits, const char *what) {
  static unsigned char bad[1 << 16];
  memcpy(bad, f->data, f->n);
  if (bits) bad[at] = (unsigned char)(bad[at] ^ bits);
  store(f->path, bad, n);
  expect(dir, 1, what);
  expect(dir, 0, "mended");
}

static void test_damaged(const char *suffix) {
  static file f;
  const char *dir = in_root("damaged");
  char at_text[64];
  expect(dir, 1, "a fresh folder");
  if (!load(dir, suffix, &f)) { CHECK(!"the file is there"); return; }
  const size_t head = sizeof(tn_file_head), part = (f.n - head) / 6 + 1;
  for (size_t at = 0; at < f.n; at += at < head ? 5 : part) {  // each field of the head, some of the rest
    snprintf(at_text, sizeof at_text, "%s, byte %d flipped", suffix, (int)at);
    damage(dir, &f, f.n, at, 1 << at % 8, at_text);
  }
  const size_t lengths[] = {0, 1, head - 1, head, head + 1, f.n / 2, f.n - 1};
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) damage(dir, &f, lengths[i], 0, 0, "cut short");
  remove_tree(dir);
}

// Files that carry the right sums but not what belongs there.
static void forge(const char *dir, file *f, const char *what) {
  tn_file_head head;
  memcpy(&head, f->data, sizeof head);
  head.nbytes = f->n - sizeof head;
  head.sum = tn_hash_bytes(0, f->data + sizeof head, (size_t)head.nbytes);
  memcpy(f->data, &head, sizeof head);
  store(f->path, f->data, f->n);
  expect(dir, 1, what);
  expect(dir, 0, "mended");
}

static void test_forged(void) {
  static file f, g;
  const char *dir = in_root("forged");
  expect(dir, 1, "a fresh folder");
  CHECK(load(dir, ".bin", &f) && load(dir, ".kernel", &g));
  g.data[sizeof(tn_file_head)] ^= 1;
  forge(dir, &g, "a module that is not there");
  g.n++;
  forge(dir, &g, "an entry of another length");
  memset(f.data + sizeof(tn_file_head), 0x5A, f.n - sizeof(tn_file_head));
  forge(dir, &f, "a module that is no ELF file");
  CHECK(load(dir, ".bin", &f));
  for (size_t i = sizeof(tn_file_head); i + 2 < f.n; i++)    // the kernel's name in the table of symbols
    if (!memcmp(f.data + i, "r_", 2)) f.data[i] = 'q';
  forge(dir, &f, "a module without the kernel");
  f.n = sizeof(tn_file_head);
  forge(dir, &f, "an empty module");
  remove_tree(dir);
}

static void test_unreadable(void) {
  static file f;
  const char *dir = in_root("unreadable");
  expect(dir, 1, "a fresh folder");
  CHECK(load(dir, ".bin", &f));
  remove(f.path);
  CHECK(mkdir(f.path, 0700) == 0);         // a folder in its place: it can be neither read nor replaced
  expect(dir, 1, "a folder instead of a module");
  expect(dir, 1, "still there");
  remove_tree(dir);
  expect(dir, 1, "a fresh folder");
  CHECK(load(dir, ".kernel", &f));
  remove(f.path);
  CHECK(symlink("/nowhere/at/all", f.path) == 0);
  expect(dir, 1, "a link to nothing");
  expect(dir, 0, "which was replaced");
  CHECK(chmod(dir, 0500) == 0);            // root may write all the same
  CHECK(compute("CPU", dir, silent).right);
  CHECK(load(dir, ".kernel", &f));
  CHECK(chmod(f.path, 0) == 0);
  CHECK(compute("CPU", dir, silent).right);
  CHECK(chmod(dir, 0700) == 0);
  remove_tree(dir);
  store(in_root("plain"), "x", 1);
  expect(in_root("plain"), 1, "a file instead of the folder");
  expect(in_root("plain/below"), 1, "a folder that cannot be made");
  expect("/proc/tiny/cache", 1, "a folder that nobody may make");
  static char longer[2 * TN_OS_PATH];
  memset(longer, 'x', sizeof longer - 1);
  expect(longer, 1, "a name that is too long");
}

static void *compute_in_thread(void *dir) {
  static const tiny_logger none = {NULL, NULL};
  const result r = compute("CPU", (const char *)dir, none);
  return r.code == TINY_OK && r.right ? dir : NULL;
}

static void test_shared(void) {
  static char dir[256];
  snprintf(dir, sizeof dir, "%s", in_root("shared"));
  pthread_t thread[4];
  for (int i = 0; i < 4; i++) CHECK(pthread_create(&thread[i], NULL, compute_in_thread, dir) == 0);
  for (int i = 0; i < 4; i++) {
    void *ok = NULL;
    pthread_join(thread[i], &ok);
    CHECK(ok != NULL);
  }
  expect(dir, 0, "after four at once");
  remove_tree(dir);
}

// ** compilers **

static void script(const char *path, const char *text) {
  store(path, text, strlen(text));
  CHECK(chmod(path, 0700) == 0);
}

static void test_failing_compiler(void) {
  char path[256];
  setenv("TINY_CC", "/bin/false", 1);
  result r = compute("CPU", "", silent);
  CHECK_EQ(r.code, TINY_E_COMPILE);
  CHECK(strstr(r.message, "/bin/false failed (exit code 1)") != NULL);
  CHECK(strstr(r.message, "it said nothing") != NULL);
  snprintf(path, sizeof path, "%s", in_root("clang-that-complains"));
  script(path, "#!/bin/sh\ncat >/dev/null\nfor i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo \"complaint $i\" >&2; done\nexit 3\n");
  setenv("TINY_CC", path, 1);
  r = compute("CPU", "", silent);
  CHECK_EQ(r.code, TINY_E_COMPILE);
  CHECK(strstr(r.message, "(exit code 3)") && strstr(r.message, "complaint 1\n") && strstr(r.message, "complaint 10"));
  CHECK(!strstr(r.message, "complaint 11"));                   // the first lines
  script(path, "#!/bin/sh\ncat >/dev/null\necho 'this is no object'\n");
  r = compute("CPU", "", silent);
  CHECK_EQ(r.code, TINY_E_COMPILE);
  script(path, "#!/bin/sh\nkill -9 $$\n");
  r = compute("CPU", "", silent);
  CHECK_EQ(r.code, TINY_E_COMPILE);
  setenv("TINY_CC", "outside", 1);
}

static void count_compiler_lines(void *user, const char *line) { *(int *)user += strstr(line, "no C compiler") != NULL; }

static void test_no_compiler(void) {
  char path[4096];
  int said = 0;
  const tiny_logger log = {count_compiler_lines, &said};
  snprintf(path, sizeof path, "%s", getenv("PATH") ? getenv("PATH") : "");
  setenv("PATH", "", 1);
  const result r = compute("CPU", "", log);
  CHECK(r.right && r.code == TINY_OK);
  CHECK_EQ(r.stats.compiled, 0);
  CHECK_EQ(said, 1);
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "CPU"; d.cache_dir = ""; d.log = log;
  tiny_ctx *t = tiny_open(&d);
  for (int n = 1; n < 4; n++) CHECK_EQ(tiny_item(tiny_sum(tiny_exp2(tiny_contiguous(tiny_ones(t, TINY_F32, TINY_SHAPE(n)))), 0, 0)), 2 * n);
  CHECK_EQ(said, 2);                       // once a context
  const tiny_kernel_desc own = {"f", "void f(void) {}", NULL, NULL, 0, TINY_SHAPE(1), TINY_F32, {0, 0, 0}, {0, 0, 0}, NULL, 0};
  CHECK(tiny_item(tiny_kernel(t, &own)) != 0);                 // foreign C cannot be interpreted
  CHECK_EQ(tiny_status(t), TINY_E_COMPILE);
  CHECK(strstr(tiny_error(t), "install clang") != NULL);
  tiny_close(t);
  setenv("PATH", path, 1);
}

// ** devices **

static void test_no_such_device(void) {
  const char *const names[] = {"GPU", "", "cpu", "CPU2", "CPU:7x", ":", "CPU:avx", "CPU:avx22", "CPU:", "CPU:7",
                               "CPU:amx"};
  const int codes[] = {TINY_E_DEVICE, TINY_OK, TINY_E_DEVICE, TINY_E_DEVICE, TINY_E_DEVICE, TINY_E_DEVICE, TINY_E_DEVICE,
                       TINY_E_DEVICE, TINY_OK, TINY_OK, tn_os_cpu_get().tiles ? TINY_OK : TINY_E_DEVICE};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const result r = compute(names[i], "", silent);
    CHECK_EQ(r.code, codes[i]);
    CHECK_EQ(r.right, codes[i] == TINY_OK);
    if (i == 10 && codes[i]) CHECK(strstr(r.message, "where the processor has them, no 'amx'") != NULL);
    if (i == 0 || i == 2) CHECK(strstr(r.message, "CPU, LLVM, INTERP, NULL") && strstr(r.message, names[i]));
  }
  setenv("TINY_DEV", "TPU", 1);
  CHECK_EQ(compute(NULL, "", silent).code, TINY_E_DEVICE);
  CHECK_EQ(compute("CPU", "", silent).code, TINY_OK);
  setenv("TINY_DEV", "INTERP", 1);
  CHECK(compute(NULL, "", silent).right);
  unsetenv("TINY_DEV");
}

// ** in memory: bounded, and what is in use stays **

static double sum_of(tiny_ctx *t, int64_t n, tiny_program **captured) {   // of 0, 3, 6 ..
  float x[64];
  for (int64_t i = 0; i < n; i++) x[i] = (float)i;
  tiny_begin(t);
  tiny_tensor *in = tiny_from(t, x, TINY_F32, TINY_SHAPE(n)), *out = tiny_sum(tiny_mul(in, tiny_like(in, 3)), TINY_ALL, 0);
  if (captured && !*captured) *captured = tiny_capture(t, &in, 1, &out, 1);
  else if (captured) CHECK_EQ(tiny_run(*captured, &in, &out), TINY_OK);
  const double sum = tiny_item(out);
  tiny_end(t);
  return sum;
}

static void test_bounded(const char *device, int n) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = device; d.cache_dir = ""; d.threads = 1;
  tiny_ctx *t = tiny_open(&d);
  tiny_program *captured = NULL;
  sum_of(t, 60, &captured);
  for (int round = 0; round < 2; round++) for (int i = 1; i <= n; i++) {
    int modules = 0;
    CHECK(sum_of(t, i, NULL) == 1.5 * i * (i - 1));
    CHECK(sum_of(t, 61, NULL) == 1.5 * 61 * 60);   // asked for all the time
    for (const tn_module *m = t->device[0]->programs->modules; m; m = m->next) modules++;
    CHECK(t->schedules->n <= TN_MOST_PLANS + 1);
    CHECK(t->device[0]->programs->n <= TN_MOST_EXECUTABLES && modules <= t->device[0]->programs->n);
  }
  const uint64_t schedules = tiny_stats_of(t).schedules;
  CHECK_EQ(schedules, 2 * (uint64_t)n + 3);          // all but 60, captured and then read, and 61 twice
  CHECK(sum_of(t, 61, NULL) == 1.5 * 61 * 60);
  CHECK(sum_of(t, 60, &captured) == 1.5 * 60 * 59);
  CHECK_EQ(tiny_stats_of(t).schedules, schedules);
  tiny_program_free(captured);
  CHECK_EQ(tiny_status(t), TINY_OK);
  tiny_close(t);
}

// Imported kernels that nothing needs any more are forgotten: not those of tensors that wait, nor of programs.
static tiny_tensor *times(tiny_ctx *t, tiny_tensor *x, int factor) {
  char text[256];
  tiny_kernel_desc d;
  memset(&d, 0, sizeof d);
  snprintf(text, sizeof text, "%%1 = (RANGE:1:loop 4)\n%%2 = (MUL:f32 (LOAD:f32 (INDEX:f32 (PARAM:f32:1 4) %%1)) %d.0:f32)\n"
           "(SINK (END (STORE (INDEX:f32 (PARAM:f32:0 4) %%1) %%2) %%1))", factor);
  d.inputs = &x; d.n = 1; d.shape = TINY_SHAPE(4); d.dtype = TINY_F32;
  d.uops = tiny_uop_parse(t, text);
  return tiny_kernel(t, &d);
}

static void test_imported_bounded(void) {
  const float data[4] = {1, 2, 3, 4};
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "INTERP"; d.cache_dir = "";
  tiny_ctx *t = tiny_open(&d);
  tiny_tensor *x = tiny_from(t, data, TINY_F32, TINY_SHAPE(4)), *waits = times(t, x, 1000), *y = times(t, x, 2000), *out = NULL;
  tiny_program *captured = tiny_capture(t, &x, 1, &y, 1);
  for (int round = 0; round < 2; round++) for (int i = 1; i <= 40; i++) {
    tiny_begin(t);
    CHECK(tiny_item(tiny_sum(times(t, x, i), TINY_ALL, 0)) == 10 * i);
    CHECK(tiny_item(tiny_sum(times(t, x, 7), TINY_ALL, 0)) == 70);   // asked for all the time
    tiny_end(t);
    CHECK(t->runtime->ncustom <= 2 * (TN_MOST_CUSTOMS + 3));
    CHECK(t->device[0]->programs->n <= TN_MOST_EXECUTABLES);
  }
  CHECK(tiny_item(tiny_sum(waits, TINY_ALL, 0)) == 10000);
  CHECK_EQ(tiny_run(captured, &x, &out), TINY_OK);
  CHECK(tiny_item(tiny_sum(out, TINY_ALL, 0)) == 20000);
  CHECK_EQ(tiny_status(t), TINY_OK);
  tiny_close(t);
}

// What the compiler made of such source, in the hands of its owner: it is copied, loaded once, and not kept on disk.
static void test_imported_binary(void) {
  static const char text[] = "void number(void *const *mem, const long long *args, long long task) { ((int *)mem[0])[task] = task + 1; }";
  tiny_desc d;
  tiny_kernel_desc k;
  memset(&d, 0, sizeof d); memset(&k, 0, sizeof k);
  d.cache_dir = "";
  tiny_ctx *t = tiny_open(&d);
  if (!tn_cpu_has_compiler(t->device[0]->dev)) { printf("skipped: no compiler\n"); tiny_close(t); return; }
  const tiny_bytes source = {t, (char *)(uintptr_t)text, sizeof text - 1, 0};
  tiny_bytes binary = {t, NULL, 0, 0}, log = {t, NULL, 0, 0};
  CHECK_EQ(tn_device_compile(t->device[0], 1, &source, &binary, &log), TINY_OK);
  char *bytes = (char *)malloc(binary.n + 1);
  memcpy(bytes, binary.data, k.nbytes = binary.n);
  k.name = "number"; k.shape = TINY_SHAPE(8); k.dtype = TINY_I32; k.global[0] = 8; k.binary = bytes;
  const uint64_t compiled = tiny_stats_of(t).compiled;
  tiny_tensor *y = tiny_kernel(t, &k), *again = tiny_kernel(t, &k);
  CHECK(tn_uop_of(y) == tn_uop_of(again));
  memset(bytes, 0, k.nbytes);
  int32_t got[8];
  CHECK_EQ(tiny_read(y, got, sizeof got), TINY_OK);
  CHECK_EQ(got[7], 8);
  CHECK_EQ(tiny_stats_of(t).compiled, compiled);
  tiny_read(tiny_kernel(t, &k), got, sizeof got);            // zeros
  CHECK(tiny_status(t) == TINY_E_COMPILE && strlen(tiny_error(t)) > 20);
  tiny_clear(t);
  CHECK_EQ(tiny_read(tiny_add(y, y), got, sizeof got), TINY_OK);
  CHECK_EQ(got[7], 16);
  free(bytes);
  tiny_close(t);
}

// The same source over another grid is another kernel.
static void test_imported_grids(void) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.cache_dir = "";
  tiny_ctx *t = tiny_open(&d);
  for (int n = 4; n <= 8; n += 4) {
    tiny_kernel_desc k;
    memset(&k, 0, sizeof k);
    k.name = "number"; k.shape = TINY_SHAPE(n); k.dtype = TINY_I32; k.global[0] = n;
    k.source = "void number(void *const *mem, const long long *args, long long task) { ((int *)mem[0])[task] = task + 1; }";
    CHECK_EQ(tiny_item(tiny_amax(tiny_kernel(t, &k), TINY_ALL, 0)), n);
  }
  CHECK_EQ(tiny_status(t), TINY_OK);
  tiny_close(t);
}

int main(void) {
  setenv("TINY_CC", "outside", 1); unsetenv("TINY_CACHE"); unsetenv("TINY_DEV"); unsetenv("TINY_DEBUG");
  snprintf(root, sizeof root, "/tmp/tiny-test-XXXXXX");
  if (!mkdtemp(root)) return 1;
  test_bounded("INTERP", 30);
  test_bounded("CPU", 10);
  test_imported_bounded();
  test_imported_grids();
  test_imported_binary();
  test_found_again();
  test_damaged(".kernel");
  test_damaged(".bin");
  test_forged();
  test_unreadable();
  test_shared();
  test_failing_compiler();
  test_no_compiler();
  test_no_such_device();
  remove_tree(root);
  return test_report();
}
