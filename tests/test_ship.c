// Compiled kernels that are exported, and used where there is no compiler: the same bits, for other instruction sets too;
// and files that cannot be used.
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif                                     // for the test: setenv, mkdtemp
#include "../src/all.c"
#include "test.h"
#include "memory_test.h"
#include "folder_test.h"
#include <sys/stat.h>
#include <unistd.h>

static char root[64], where[160], path_was[4096];
static int lines; static char said[4096];  // of the log

static void hear(void *user, const char *line) {
  (void)user;
  lines++;
  snprintf(said, sizeof said, "%s", line);
}
static tiny_ctx *open_on(const char *device, const char *file) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = device; d.cache_dir = ""; d.cache_file = file; d.log.fn = hear; d.debug = "";
  lines = 0; said[0] = 0;
  return tiny_open(&d);
}
static void with_compiler(int there) { setenv("PATH", there ? path_was : "", 1); }
static uint64_t compiled_of(const tiny_ctx *t) { return tiny_stats_of(t).compiled; }
static int own;                            // the library compiles kernels itself
static void is_missing(const tiny_ctx *t) {
  const int interpreted = tiny_stats_of(t).interpreted > 0;
  if (own) CHECK(!interpreted && !lines && compiled_of(t) > 0);
  else CHECK(interpreted && lines == 1 && strstr(said, "interpreted"));
}

// A network of some kinds of kernels: products, softmax, reductions, a kernel of the caller's own, a captured step.
enum { OUT = 64 };
static tiny_code compute(tiny_ctx *t, float *out) {
  float data[8 * 32], w[32 * 8];
  for (int i = 0; i < 256; i++) { data[i] = (float)(i % 13) * 0.25f - 1; w[i] = (float)(i % 7) * 0.125f - 0.5f; }
  tiny_tensor *x = tiny_from(t, data, TINY_F32, TINY_SHAPE(8, 32)), *m = tiny_from(t, w, TINY_F32, TINY_SHAPE(32, 8));
  tiny_tensor *y = tiny_softmax(tiny_relu(tiny_matmul(x, m)), -1);
  y = tiny_add(y, tiny_mean(tiny_square(tiny_contiguous(y)), 0, 1));
  tiny_program *p = tiny_capture(t, &x, 1, &y, 1);
  if (p) tiny_run(p, &x, &y);
  tiny_program_free(p);
  return tiny_read(y, out, OUT * sizeof *out);
}

typedef struct file { unsigned char *data; size_t n; } file;
static file read_file(const char *path) {
  file f = {malloc(1 << 22), 0};
  FILE *in = fopen(path, "rb");
  if (in) { f.n = fread(f.data, 1, 1 << 22, in); fclose(in); }
  return f;
}
static void write_file(const char *path, const void *data, size_t n) {
  FILE *out = fopen(path, "wb");
  if (out) { fwrite(data, 1, n, out); fclose(out); }
}

// Exported with a compiler, imported without: nothing is interpreted or compiled, nothing is said, bits are the same.
static void test_round(const char *from, const char *to) {
  float a[OUT], b[OUT];
  with_compiler(1);
  tiny_ctx *t = open_on(from, NULL);
  CHECK_EQ(compute(t, a), TINY_OK);
  const uint64_t n = compiled_of(t);
  CHECK(n >= 2);
  CHECK_EQ(tiny_cache_export(t, where), TINY_OK);
  tiny_close(t);
  with_compiler(0);
  t = open_on(to, where);
  CHECK_EQ(compute(t, b), TINY_OK);
  const tiny_stats s = tiny_stats_of(t);
  CHECK_EQ(s.compiled, 0);
  CHECK_EQ(s.interpreted, 0);
  CHECK_EQ(s.shipped, n);
  CHECK_EQ(lines, 0);
  CHECK(!memcmp(a, b, sizeof a));
  // what the file lacks is compiled by the library itself, or else interpreted, with one line
  tiny_tensor *z = tiny_sum(tiny_exp(tiny_arange(t, 0, 50, 1, TINY_F32)), TINY_ALL, 0);
  CHECK(tiny_item(z) > 1e21);
  is_missing(t);
  tiny_close(t);
  with_compiler(1);                        // with a compiler, too, what was shipped is used
  t = open_on(to, where);
  CHECK_EQ(compute(t, b), TINY_OK);
  CHECK(compiled_of(t) == 0 && !memcmp(a, b, sizeof a));
  tiny_close(t);
}

static int has(const char *device) {
  tiny_ctx *t = open_on(device, NULL);
  const int ok = tiny_status(t) == TINY_OK;
  tiny_close(t);
  return ok;
}

// One file for several instruction sets: each device takes its own, and a lesser one where there is no own.
static void test_levels(void) {
  float a[OUT], b[OUT];
  if (!has("CPU:avx2")) { puts("no AVX2: levels are not tested"); return; }
  remove(where);
  test_round("CPU:avx2", "CPU:avx2");
  remove(where);
  test_round("CPU:avx2", "CPU");           // a superset of it
  with_compiler(1);
  tiny_ctx *t = open_on("CPU", NULL);
  CHECK_EQ(compute(t, a), TINY_OK);
  const uint64_t n = compiled_of(t);
  CHECK_EQ(tiny_cache_export(t, where), TINY_OK);              // beside that for AVX2
  tiny_close(t);
  file f = read_file(where);
  const tn_container c = tn_container_of(f.data);
  CHECK_EQ(c.head->ntarget, 2);
  CHECK(c.head->nkernel > n);
  with_compiler(0);
  t = open_on("CPU", where);
  CHECK(compute(t, b) == TINY_OK && tiny_stats_of(t).shipped == n && !memcmp(a, b, sizeof a));
  CHECK_EQ(lines, 0);
  CHECK_EQ(tiny_cache_export(t, where), TINY_OK);              // again, without a compiler: nothing changes
  tiny_close(t);
  const file again = read_file(where);
  CHECK(again.n == f.n && !memcmp(again.data, f.data, f.n));
  t = open_on("CPU:avx2", where);
  CHECK(compute(t, b) == TINY_OK && tiny_stats_of(t).interpreted == 0);
  tiny_close(t);
  with_compiler(1);
  // what only a greater processor has is not run by a lesser one
  remove(where);
  t = open_on("CPU", NULL);
  CHECK(compute(t, a) == TINY_OK && tiny_cache_export(t, where) == TINY_OK);
  tiny_close(t);
  with_compiler(0);
  t = open_on("CPU:avx2", where);
  CHECK(compute(t, b) == TINY_OK && tiny_stats_of(t).shipped == 0);
  is_missing(t);
  tiny_close(t);
  with_compiler(1);
  free(f.data); free(again.data);
}

// What is wrong with a file is said in a line, and the context goes on without it.
static void refused(const void *data, size_t n, const char *what) {
  float out[OUT];
  char bad[200];
  snprintf(bad, sizeof bad, "%s/bad", root);
  write_file(bad, data, n);
  tiny_ctx *t = open_on("INTERP", bad);
  CHECK(tiny_status(t) == TINY_OK && lines == 1);
  CHECK(strstr(said, what) != NULL);
  if (!strstr(said, what)) fprintf(stderr, "    %s, not %s\n", said, what);
  CHECK(!t->shipped && compute(t, out) == TINY_OK);
  CHECK_EQ(tiny_cache_import(t, bad), TINY_E_IO);
  CHECK(strstr(tiny_error(t), what) && strstr(tiny_error(t), bad));
  tiny_clear(t);
  CHECK_EQ(tiny_cache_import_from(t, data, n), n || data ? TINY_E_IO : TINY_E_ARG);
  tiny_close(t);
}
static void sum_again(file *f) {
  const tn_digest sum = tn_container_sum((const char *)f->data, f->n);
  memcpy(((tn_container_head *)(void *)f->data)->sum.word, sum.word, sizeof sum.word);
}
// A pipe, a folder and a link to a pipe stay what they are, as a device would: that is not tried, as it would be gone
// for the whole machine where this fails.
static void test_in_the_way(tiny_ctx *t) {
  static const char *const name[] = {"pipe", "folder", "link"};
  char path[3][200];
  struct stat before, after;
  for (int i = 0; i < 3; i++) snprintf(path[i], sizeof path[i], "%s/%s%d", root, name[i], own);
  CHECK(!mkfifo(path[0], 0600) && !mkdir(path[1], 0700) && !symlink(path[0], path[2]));
  for (int i = 0; i < 3; i++) {
    CHECK(!lstat(path[i], &before));
    CHECK_EQ(tiny_cache_export(t, path[i]), TINY_E_IO);
    CHECK(strstr(tiny_error(t), i == 1 ? "it is a folder" : "it is a device or a pipe"));
    tiny_clear(t);
    CHECK_EQ(tiny_cache_import(t, path[i]), TINY_E_IO);
    CHECK(strstr(tiny_error(t), i == 1 ? "it is a folder" : "it is a device or a pipe"));
    tiny_clear(t);
    CHECK(!lstat(path[i], &after) && before.st_ino == after.st_ino && before.st_mode == after.st_mode);
  }
}
static void test_bad_files(void) {
  char text[200];
  float out[OUT];
  with_compiler(1);
  remove(where);
  tiny_ctx *t = open_on("CPU", NULL);
  CHECK(compute(t, out) == TINY_OK && tiny_cache_export(t, where) == TINY_OK);
  tiny_close(t);
  file f = read_file(where);
  unsigned char *good = malloc(f.n);
  memcpy(good, f.data, f.n);
  refused("", 0, "too short");
  refused(f.data, sizeof(tn_container_head) - 1, "too short");
  refused("PK\3\4 this is no cache of kernels, but is as long as the head of one would be, or a little longer than that is", 110, "no cache");
  for (size_t n = sizeof(tn_container_head); n < f.n; n += 97) refused(f.data, n, "cut off");
  for (size_t i = 0; i < f.n; i += i < 2000 ? 7 : 131) {       // any byte
    f.data[i] ^= 0x41;
    refused(f.data, f.n, "i");
    f.data[i] ^= 0x41;
  }
  tn_container_head *head = (tn_container_head *)(void *)f.data;
  const tn_container c = tn_container_of(f.data);
#define WRONG(change, what) do { change; sum_again(&f); refused(f.data, f.n, what); memcpy(f.data, good, f.n); } while (0)
  WRONG(head->format++, "another version");
  WRONG(head->source.word[0]++, "another version");
  WRONG(head->order = 0x04030201, "byte order");
  WRONG(head->nkernel = 1u << 31, "tables");
  WRONG(head->nmodule = UINT32_MAX, "tables");
  WRONG(((tn_container_module *)(uintptr_t)c.module)->at = f.n + 16, "beyond");
  WRONG(((tn_container_module *)(uintptr_t)c.module)->nbytes = UINT64_MAX, "beyond");
  WRONG(((tn_container_module *)(uintptr_t)c.module)->nbytes = 0, "follow");
  WRONG(((tn_container_module *)(uintptr_t)c.module)[1].at = c.module[0].at, "follow");
  WRONG(((tn_container_module *)(uintptr_t)c.module)->at = 0, "follow");
  WRONG(((tn_container_module *)(uintptr_t)c.module)->target = 9, "no target");
  WRONG(((tn_container_kernel *)(uintptr_t)c.kernel)->module = 99, "no module");
  WRONG(((tn_container_kernel *)(uintptr_t)c.kernel)->tasks = -1, "launched");
  WRONG(((tn_container_kernel *)(uintptr_t)c.kernel)->local_nbytes = INT64_MAX, "launched");
  WRONG(memset(((tn_container_kernel *)(uintptr_t)c.kernel)->name, 'x', TN_KERNEL_NAME), "launched");
  WRONG(memset(((tn_container_target *)(uintptr_t)c.target)->name, 'x', TN_CONTAINER_NAME), "no name");
  WRONG(memset(&((tn_container_kernel *)(uintptr_t)c.kernel)->key, 0xff, 32), "order");
  // a binary that is none: its kernels are as good as not there
  memset(f.data + c.module[0].at, 0, 64);
  sum_again(&f);
  write_file(where, f.data, f.n);
  with_compiler(0);
  t = open_on("CPU", where);
  CHECK(compute(t, out) == TINY_OK && tiny_status(t) == TINY_OK);
  CHECK_EQ(tiny_stats_of(t).interpreted > 0, !own);
  tiny_close(t);
  with_compiler(1);
  // an export leaves alone what is no cache, replaces what another version wrote, and tells what it cannot write
  t = open_on("CPU", NULL);
  CHECK_EQ(compute(t, out), TINY_OK);
  write_file(where, "a letter to a friend", 20);
  CHECK_EQ(tiny_cache_export(t, where), TINY_E_IO);
  CHECK(strstr(tiny_error(t), "something else"));
  tiny_clear(t);
  const file letter = read_file(where);
  CHECK(letter.n == 20 && !memcmp(letter.data, "a letter", 8));
  memcpy(f.data, good, f.n);
  head->format++;
  write_file(where, f.data, f.n);
  CHECK_EQ(tiny_cache_export(t, where), TINY_OK);
  snprintf(text, sizeof text, "%s/none/file", root);
  CHECK_EQ(tiny_cache_export(t, text), TINY_E_IO);
  CHECK(strstr(tiny_error(t), text));
  tiny_clear(t);
  CHECK_EQ(tiny_cache_import(t, text), TINY_E_IO);
  CHECK(strstr(tiny_error(t), "no such file"));
  tiny_clear(t);
  test_in_the_way(t);
  CHECK(tiny_cache_export(t, NULL) == TINY_E_ARG && tiny_cache_export(t, "") == TINY_E_ARG);
  tiny_clear(t);
  CHECK(tiny_cache_import(t, NULL) == TINY_E_ARG && tiny_cache_export(NULL, where) == TINY_E_ARG);
  tiny_close(t);
  free(f.data); free(good); free(letter.data);
}

// In memory; and whatever allocation is refused, nothing leaks, and what was there stays.
typedef struct bytes { unsigned char data[1 << 18]; size_t n; int refuse; } bytes;
static int to_bytes(void *user, const void *data, size_t nbytes) {
  bytes *b = (bytes *)user;
  if (b->refuse || nbytes > sizeof b->data - b->n) return 0;
  memcpy(b->data + b->n, data, nbytes);
  b->n += nbytes;
  return 1;
}
static void test_memory(void) {
  static bytes b;
  float a[OUT], out[OUT];
  with_compiler(1);
  tiny_ctx *t = open_on("CPU", NULL);
  const tiny_writer to = {to_bytes, &b}, none = {NULL, NULL};
  CHECK_EQ(compute(t, a), TINY_OK);
  b.refuse = 1; b.n = 0;
  CHECK_EQ(tiny_cache_export_to(t, to), TINY_E_IO);
  tiny_clear(t);
  CHECK_EQ(tiny_cache_export_to(t, none), TINY_E_ARG);
  tiny_clear(t);
  b.refuse = 0;
  CHECK_EQ(tiny_cache_export_to(t, to), TINY_OK);
  tiny_close(t);
  with_compiler(0);
  int ended = 0, n = 0;
  while (!ended && n++ < 3000) {
    memory_count m = {0, n, 0, 0};
    tiny_desc d;
    memset(&d, 0, sizeof d);
    d.device = "CPU"; d.cache_dir = ""; d.cache_data = b.data; d.cache_nbytes = b.n; d.threads = 1;
    d.alloc.fn = memory_fn; d.alloc.user = &m; d.log.fn = hear;
    t = tiny_open(&d);
    tiny_code code = t ? compute(t, out) : TINY_E_MEMORY;
    if (code == TINY_OK) code = tiny_status(t);
    bytes *more = malloc(sizeof *more);
    more->n = 0; more->refuse = 0;
    const tiny_writer again = {to_bytes, more};
    if (code == TINY_OK) code = tiny_cache_export_to(t, again);
    ended = m.calls < n;
    CHECK(code == TINY_OK || tiny_status(t) == TINY_E_MEMORY);
    if (ended) CHECK(!memcmp(a, out, sizeof a) && tiny_stats_of(t).shipped > 1 && more->n == b.n && !memcmp(more->data, b.data, b.n));
    free(more);
    tiny_close(t);
    CHECK(!m.live && !m.wrong);
  }
  CHECK(ended && n > 50);
  with_compiler(1);
}

// A kernel that no search has found does not stand for one that a search is asked for.
static void test_searched(void) {
  float out[OUT];
  remove(where);
  for (int beam = 0; beam < 2; beam++) {
    tiny_desc d;
    memset(&d, 0, sizeof d);
    d.device = "CPU"; d.cache_dir = ""; d.beam = beam ? 1 : -1; d.cache_file = beam ? where : NULL; d.log.fn = hear;
    tiny_ctx *t = tiny_open(&d);
    CHECK_EQ(compute(t, out), TINY_OK);
    if (beam) CHECK(compiled_of(t) == 0 || tiny_stats_of(t).searches > 0);
    CHECK_EQ(tiny_cache_export(t, where), TINY_OK);
    tiny_close(t);
  }
}

int main(void) {
  snprintf(root, sizeof root, "/tmp/tiny-ship-XXXXXX");
  if (!mkdtemp(root)) return 1;
  snprintf(where, sizeof where, "%s/kernels", root);
  snprintf(path_was, sizeof path_was, "%s", getenv("PATH"));
  for (own = 0; own < 2; own++) {
    setenv("TINY_CC", own ? "both" : "outside", 1);
    remove(where);
    test_round("CPU", "CPU");
    test_levels();
    test_bad_files();
    test_memory();
    test_searched();
  }
  remove_tree(root);
  return test_report();
}
