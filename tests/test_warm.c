// also: tsan
// brief: asan tsan
// Progress that is told and cancelled, and kernels that are compiled ahead on a thread of the library's own.
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif                                     // for the test: mkdtemp
#include "../src/all.c"
#include "test.h"
#include "memory_test.h"
#include "folder_test.h"
#include <sys/stat.h>
#include <unistd.h>

static char root[64];                      // a folder of this test's own

// ** progress **

typedef struct heard {
  int calls, cancel_at, what[2], done, total, backwards, unnamed;
  uint64_t last, longest;                  // ns between two calls
} heard;

static int hear(void *user, const tiny_progress_info *info) {
  heard *h = (heard *)user;
  const uint64_t now = tn_os_now();
  h->calls++;
  h->what[info->what == TINY_SEARCHING]++;
  h->backwards += info->what == TINY_COMPILING && info->done < h->done && info->total == h->total;
  h->unnamed += !info->name || !*info->name;
  if (h->last && now - h->last > h->longest) h->longest = now - h->last;
  h->last = now;
  h->done = info->done; h->total = info->total;
  return h->calls == h->cancel_at;
}

static tiny_ctx *open_with(heard *h, const char *dir, int beam) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "CPU"; d.cache_dir = dir; d.threads = 2; d.beam = beam ? beam : -1;
  if (h) { d.progress.fn = hear; d.progress.user = h; }
  return tiny_open(&d);
}

// Twelve sums, each by a kernel of its own.
enum { SUMS = 12 };
static void build(tiny_ctx *t, tiny_tensor **y, int from) {
  for (int i = 0; i < SUMS; i++) {
    tiny_tensor *x = tiny_ones(t, TINY_F32, TINY_SHAPE(from + i, 7));
    x = tiny_add(tiny_contiguous(x), tiny_like(x, i));
    y[i] = tiny_sum(tiny_square(x), TINY_ALL, 0);
  }
}
static int right(tiny_tensor *const *y, int from) {
  int ok = 1;
  for (int i = 0; i < SUMS; i++) ok &= tiny_item(y[i]) == (double)((from + i) * 7) * (1 + i) * (1 + i);
  return ok;
}

static void test_told(void) {
  heard h = {0, 0, {0, 0}, 0, 0, 0, 0, 0, 0};
  tiny_ctx *t = open_with(&h, "", 0);
  tiny_tensor *y[SUMS];
  build(t, y, 20);
  CHECK_EQ(tiny_realize(y, SUMS), TINY_OK);
  CHECK(right(y, 20));
  CHECK(h.calls > 3 && h.what[0] == h.calls);
  CHECK(h.total >= SUMS && h.done == h.total && !h.backwards && !h.unnamed);
  const int before = h.calls;
  build(t, y, 20);                         // nothing is left to do, and nothing is told
  CHECK_EQ(tiny_realize(y, SUMS), TINY_OK);
  CHECK_EQ(h.calls, before);
  printf("progress: %d calls for %d kernels, at most %.0f ms apart\n", h.calls, h.total, (double)h.longest * 1e-6);
  tiny_close(t);
}

// Cancels at the first call that tells of so many kernels done, or, with `wait`, at the call after it.
typedef struct stop { int done, wait, calls, at, total; } stop;
static int stop_at(void *user, const tiny_progress_info *info) {
  stop *s = (stop *)user;
  s->total = info->total;
  if (info->done < s->done || s->calls++ != s->wait) return 0;
  s->at = info->done;
  return 1;
}

// Cancelled wherever a call may stand, before each kernel and while the compiler is at work: it goes on where it was.
// How often is a matter of kernels alone; how many calls there are depends on how long compilers take.
static void test_cancelled(void) {
  int cancelled = 0;
  for (int wait = 0; wait < 2; wait++) for (int done = 0; done >= 0;) {
    stop s = {done, wait, 0, -1, 0};
    memory_count m = {0, 0, 0, 0};
    tiny_desc d;
    memset(&d, 0, sizeof d);
    d.device = "CPU"; d.cache_dir = ""; d.beam = -1; d.alloc.fn = memory_fn; d.alloc.user = &m;
    d.progress.fn = stop_at; d.progress.user = &s;
    tiny_ctx *t = tiny_open(&d);
    tiny_tensor *y[SUMS];
    build(t, y, 20);
    const tiny_code code = tiny_realize(y, SUMS);
    const int ended = s.at < 0;
    CHECK_EQ(code, ended ? TINY_OK : TINY_E_CANCELLED);
    if (!ended) {
      CHECK(s.calls == 1 + wait && strstr(tiny_error(t), "cancelled by tiny_desc.progress"));
      const uint64_t kept = tiny_stats_of(t).compiled;
      tiny_clear(t);
      CHECK_EQ(tiny_realize(y, SUMS), TINY_OK);
      CHECK_EQ(tiny_stats_of(t).compiled, s.total);            // what was kept is not compiled again
      CHECK(kept <= (uint64_t)s.total);
    }
    CHECK(right(y, 20));
    tiny_close(t);
    CHECK(!m.live && !m.wrong);
    cancelled += !ended;
    done = ended ? -1 : s.at + 1;
  }
  CHECK(cancelled > 5);
  printf("cancelled at %d places\n", cancelled);
}

// A long search ends when the host says so, and nothing of it is left.
static void test_search_cancelled(void) {
  for (int n = 1; n < 60; n += 11) {
    heard h = {0, n, {0, 0}, 0, 0, 0, 0, 0, 0};
    tiny_ctx *t = open_with(&h, "", 1);
    tiny_tensor *x = tiny_rand(t, TINY_SHAPE(96, 96)), *y = tiny_matmul(x, tiny_rand(t, TINY_SHAPE(96, 96)));
    const tiny_code code = tiny_realize(&y, 1);
    CHECK_EQ(code, h.calls < n ? TINY_OK : TINY_E_CANCELLED);
    CHECK(h.what[1] > 0);
    tiny_clear(t);
    h.cancel_at = 0;
    if (n == 1) CHECK_EQ(tiny_realize(&y, 1), TINY_OK);
    tiny_close(t);
  }
}

// Cancelled while the compiler is asked what it is. A search asks it on behalf of a context of its own, which does not
// hear that it was cancelled: it was asked again for ever.
static void test_search_cancelled_asking(void) {
  static float data[32 * 32];
  char folder[80], file[100], real[512] = "", *const before = strdup(getenv("PATH"));
  FILE *which = popen("command -v clang", "r");
  if (which) { if (!fgets(real, sizeof real, which)) real[0] = 0; pclose(which); }
  real[strcspn(real, "\n")] = 0;
  if (!real[0]) { printf("test_warm: no clang, so none that answers late\n"); free(before); return; }
  snprintf(folder, sizeof folder, "%s/late", root);
  snprintf(file, sizeof file, "%s/clang", folder);
  CHECK(!mkdir(folder, 0700));
  FILE *f = fopen(file, "w");
  if (f) { fprintf(f, "#!/bin/sh\ncase \"$*\" in *-dM*) /bin/sleep 0.4;; esac\nexec '%s' \"$@\"\n", real); fclose(f); }
  chmod(file, 0700);
  setenv("PATH", folder, 1);
  for (int n = 1; n < 50; n += 6) {        // some twenty calls each time it is asked
    heard h = {0, n, {0, 0}, 0, 0, 0, 0, 0, 0};
    tiny_ctx *t = open_with(&h, "", 1);
    tiny_tensor *x = tiny_from(t, data, TINY_F32, TINY_SHAPE(32, 32)), *y = tiny_matmul(x, x);
    const tiny_code code = tiny_realize(&y, 1);
    CHECK_EQ(code, h.calls < n ? TINY_OK : TINY_E_CANCELLED);
    CHECK(h.what[1] > 0);
    tiny_close(t);
  }
  setenv("PATH", before, 1);
  free(before);
}

// A compiler that does not say what it is: the wait for that is told, and cancelled, where a search is wanted as well.
static void test_asked(void) {
  char folder[80], file[100];
  char *const before = strdup(getenv("PATH"));
  snprintf(folder, sizeof folder, "%s/bin", root);
  snprintf(file, sizeof file, "%s/clang", folder);
  CHECK(!mkdir(folder, 0700));
  FILE *f = fopen(file, "w");
  if (f) { fputs("#!/bin/sh\nexec /bin/sleep 20\n", f); fclose(f); }
  chmod(file, 0700);
  setenv("PATH", folder, 1);
  for (int beam = 0; beam < 2; beam++) for (int warm = 0; warm < 2; warm++) {
    heard h = {0, 9, {0, 0}, 0, 0, 0, 0, 0, 0};
    tiny_ctx *t = open_with(&h, "", beam);
    tiny_tensor *y[SUMS];
    build(t, y, 20);
    const uint64_t from = tn_os_now();
    CHECK_EQ(warm ? tiny_warm(t, y, SUMS) : tiny_realize(y, SUMS), TINY_E_CANCELLED);
    CHECK(h.calls == 9 && h.what[beam] == 9 && h.total > 0);
    CHECK(tn_os_now() - from < 15000000000u);
    tiny_close(t);
  }
  setenv("PATH", before, 1);
  free(before);
}

// ** ahead **

// What was compiled ahead is not compiled again; other graphs run meanwhile, and close may come at any time.
static void test_ahead(void) {
  tiny_ctx *t = open_with(NULL, "", 0);
  tiny_tensor *y[SUMS], *z[SUMS];
  build(t, y, 20);
  build(t, z, 50);
  CHECK_EQ(tiny_realize(z, 1), TINY_OK);
  const uint64_t before = tiny_stats_of(t).compiled, ran = tiny_stats_of(t).kernels;
  const uint64_t from = tn_os_now();
  CHECK_EQ(tiny_warm(t, y, SUMS), TINY_OK);
  const double ms = (double)(tn_os_now() - from) * 1e-6;
  const int left = tiny_warm_left(t);
  CHECK(left >= SUMS && tiny_stats_of(t).kernels == ran);
  CHECK_EQ(tiny_warm(t, y, SUMS), TINY_OK);                    // again: nothing new
  CHECK_EQ(tiny_warm_left(t), left);
  CHECK_EQ(tiny_item(z[0]), 50 * 7);                           // others go on
  CHECK_EQ(tiny_warm_wait(t), TINY_OK);
  CHECK_EQ(tiny_warm_left(t), 0);
  const double all = (double)(tn_os_now() - from) * 1e-6;
  CHECK_EQ(tiny_stats_of(t).compiled, before + (uint64_t)left);
  CHECK_EQ(tiny_realize(y, SUMS), TINY_OK);
  CHECK_EQ(tiny_stats_of(t).compiled, before + (uint64_t)left);
  CHECK(right(y, 20));
  printf("warm: %d kernels: %.1f ms in the call, there after %.0f ms\n", left, ms, all);
  tiny_close(t);
}

// A call that needs what is on its way waits for it; what was begun when the context closes ends with it.
static void test_waits(void) {
  for (int wait = 0; wait < 3; wait++) {
    tiny_ctx *t = open_with(NULL, "", 0);
    tiny_tensor *y[SUMS];
    build(t, y, 20);
    CHECK_EQ(tiny_warm(t, y, SUMS), TINY_OK);
    const int left = tiny_warm_left(t);
    if (wait) {
      CHECK_EQ(tiny_realize(y, SUMS), TINY_OK);
      CHECK(right(y, 20));
      CHECK_EQ(tiny_stats_of(t).compiled, left);
    }
    if (wait == 2) CHECK_EQ(tiny_warm(t, y, SUMS), TINY_OK);
    const uint64_t from = tn_os_now();
    tiny_close(t);
    CHECK(tn_os_now() - from < 5000000000u);
  }
}

// A wait for what is on its way is cancelled as compiling is; the thread goes on.
static void test_wait_cancelled(void) {
  heard h = {0, 0, {0, 0}, 0, 0, 0, 0, 0, 0};
  tiny_ctx *t = open_with(&h, "", 0);
  tiny_tensor *y[SUMS];
  build(t, y, 20);
  CHECK_EQ(tiny_warm(t, y, SUMS), TINY_OK);
  const int left = tiny_warm_left(t);
  h.cancel_at = h.calls + 1;
  CHECK_EQ(tiny_realize(y, SUMS), TINY_E_CANCELLED);
  tiny_clear(t);
  h.cancel_at = h.calls + 1;
  CHECK_EQ(tiny_warm_wait(t), TINY_E_CANCELLED);
  tiny_clear(t);
  h.cancel_at = 0;
  CHECK_EQ(tiny_realize(y, SUMS), TINY_OK);
  CHECK_EQ(tiny_stats_of(t).compiled, left);
  CHECK(right(y, 20));
  tiny_close(t);
}

// A captured step, and what the end of a frame runs.
static void test_steps(void) {
  tiny_ctx *t = open_with(NULL, "", 0);
  tiny_tensor *w = tiny_ones(t, TINY_F32, TINY_SHAPE(16, 4)), *x = tiny_ones(t, TINY_F32, TINY_SHAPE(8, 16)), *y;
  tiny_realize(&w, 1);
  tiny_realize(&x, 1);
  tiny_begin(t);
  y = tiny_softmax(tiny_matmul(x, w), -1);
  tiny_assign(w, tiny_mul(w, tiny_like(w, 3)));
  CHECK_EQ(tiny_warm_capture(t, &x, 1, &y, 1), TINY_OK);
  CHECK(tiny_warm_left(t) >= 2);
  CHECK_EQ(tiny_warm_wait(t), TINY_OK);
  const uint64_t compiled = tiny_stats_of(t).compiled;
  CHECK(compiled >= 2);
  tiny_program *p = tiny_capture(t, &x, 1, &y, 1);
  CHECK(p != NULL);
  tiny_end(t);
  CHECK_EQ(tiny_stats_of(t).compiled, compiled);
  for (int i = 0; i < 2; i++) {
    CHECK_EQ(tiny_run(p, &x, &y), TINY_OK);
    CHECK(tiny_item(tiny_sum(y, TINY_ALL, 0)) == 8);
  }
  CHECK_EQ(tiny_item(tiny_mean(w, TINY_ALL, 0)), 9);
  tiny_begin(t);
  tiny_assign(w, tiny_sqrt(tiny_add(w, tiny_like(w, 7))));
  CHECK_EQ(tiny_warm(t, NULL, 0), TINY_OK);
  CHECK_EQ(tiny_warm_wait(t), TINY_OK);
  const uint64_t now = tiny_stats_of(t).compiled;
  CHECK_EQ(tiny_end(t), TINY_OK);
  CHECK_EQ(tiny_stats_of(t).compiled, now);
  CHECK_EQ(tiny_item(tiny_mean(w, TINY_ALL, 0)), 4);
  tiny_close(t);
}

// What the compiler finds wrong is told by the call that needs the kernel.
static void test_wrong(void) {
  tiny_ctx *t = open_with(NULL, "", 0);
  tiny_tensor *x = tiny_ones(t, TINY_F32, TINY_SHAPE(4));
  tiny_kernel_desc d;
  memset(&d, 0, sizeof d);
  d.name = "odd"; d.source = "void odd(void *const *mem) { this is no C; }\n"; d.inputs = &x; d.n = 1;
  d.shape = TINY_SHAPE(4); d.dtype = TINY_F32; d.global[0] = 1;
  tiny_tensor *y = tiny_kernel(t, &d);
  CHECK_EQ(tiny_warm(t, &y, 1), TINY_OK);
  CHECK_EQ(tiny_warm_wait(t), TINY_OK);
  CHECK_EQ(tiny_status(t), TINY_OK);
  CHECK_EQ(tiny_realize(&y, 1), TINY_E_COMPILE);
  CHECK(strstr(tiny_error(t), "failed (exit code"));
  tiny_clear(t);
  d.name = "even"; d.source = "void even(void *const *mem) { for (int i = 0; i < 4; i++) ((float *)mem[0])[i] = 2; }\n";
  y = tiny_kernel(t, &d);
  CHECK_EQ(tiny_warm(t, &y, 1), TINY_OK);
  CHECK_EQ(tiny_item(tiny_sum(y, TINY_ALL, 0)), 8);
  CHECK(tiny_warm(t, NULL, 1) == TINY_E_ARG && tiny_warm(t, &y, -1) == TINY_E_ARG && tiny_warm(NULL, &y, 1) == TINY_E_ARG);
  CHECK(tiny_warm_left(NULL) == 0 && tiny_warm_wait(NULL) == TINY_E_ARG);
  tiny_close(t);
}

// What is compiled ahead lies on disk for the next context.
static void test_kept(void) {
  for (int i = 0; i < 2; i++) {
    tiny_ctx *t = open_with(NULL, root, 0);
    tiny_tensor *y[SUMS];
    build(t, y, 20);
    CHECK_EQ(tiny_warm(t, y, SUMS), TINY_OK);
    CHECK_EQ(tiny_warm_left(t) > 0, i == 0);
    CHECK_EQ(tiny_warm_wait(t), TINY_OK);
    CHECK(right(y, 20));
    CHECK_EQ(tiny_stats_of(t).compiled > 0, i == 0);
    tiny_close(t);
  }
}

// Whichever allocation is refused: nothing leaks, and what is asked for is right, or TINY_E_MEMORY.
static void test_refused(void) {
  int ended = 0;
  for (int n = 1; !ended && n < 100000; n += n < 40 ? 7 : n / test_brief(3, 9)) {
    memory_count m = {0, n, 0, 0};
    tiny_desc d;
    memset(&d, 0, sizeof d);
    d.device = "CPU"; d.cache_dir = ""; d.beam = -1; d.alloc.fn = memory_fn; d.alloc.user = &m; d.threads = 1;
    tiny_ctx *t = tiny_open(&d);
    tiny_tensor *y[SUMS];
    tiny_code code = TINY_E_MEMORY;
    if (t && tiny_status(t) == TINY_OK) {
      build(t, y, 20);
      code = tiny_warm(t, y, 3);
      if (code == TINY_OK) code = tiny_warm_wait(t);
      if (code == TINY_OK) code = tiny_realize(y, 3);
      if (code == TINY_OK) CHECK_EQ(tiny_item(y[2]), 22 * 7 * 9);
    }
    ended = m.calls < n;
    CHECK(code == TINY_OK || !t || tiny_status(t) == TINY_E_MEMORY);
    tiny_close(t);
    CHECK(!m.live && !m.wrong);
  }
  CHECK(ended);
}

int main(void) {
  snprintf(root, sizeof root, "/tmp/tiny-warm-XXXXXX");
  if (!mkdtemp(root)) return 1;
  setenv("TINY_CC", "both", 1);            // the library compiles at once, but sources of the host
  test_wrong();
  setenv("TINY_CC", "outside", 1);
  test_told();
  test_cancelled();
  test_search_cancelled();
  test_search_cancelled_asking();
  test_asked();
  test_ahead();
  test_waits();
  test_wait_cancelled();
  test_steps();
  test_wrong();
  test_kept();
  test_refused();
  remove_tree(root);
  return test_report();
}
