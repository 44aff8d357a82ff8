// also: tsan
// Progress that is told and cancelled, and kernels that are compiled ahead on a thread of the library's own.
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif                                     // for the test: mkdtemp
#include "../src/all.c"
#include "test.h"
#include "memory_test.h"
#include "folder_test.h"
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

// Cancelled at the n-th call, for every n until it ends without: each time the call goes on where it was.
static void test_cancelled(void) {
  int n = 0, ended = 0;
  while (!ended && n++ < 200) {
    heard h = {0, n, {0, 0}, 0, 0, 0, 0, 0, 0};
    memory_count m = {0, 0, 0, 0};
    tiny_desc d;
    memset(&d, 0, sizeof d);
    d.device = "CPU"; d.cache_dir = ""; d.beam = -1; d.alloc.fn = memory_fn; d.alloc.user = &m;
    d.progress.fn = hear; d.progress.user = &h;
    tiny_ctx *t = tiny_open(&d);
    tiny_tensor *y[SUMS];
    build(t, y, 20);
    const tiny_code code = tiny_realize(y, SUMS);
    ended = h.calls < n;
    CHECK_EQ(code, ended ? TINY_OK : TINY_E_CANCELLED);
    if (!ended) {
      CHECK(h.calls == n && strstr(tiny_error(t), "cancelled by tiny_desc.progress"));
      const uint64_t kept = tiny_stats_of(t).compiled;
      tiny_clear(t);
      CHECK_EQ(tiny_realize(y, SUMS), TINY_OK);
      CHECK_EQ(tiny_stats_of(t).compiled, h.total);            // what was kept is not compiled again
      CHECK(kept <= (uint64_t)h.total);
    }
    CHECK(right(y, 20));
    tiny_close(t);
    CHECK(!m.live && !m.wrong);
  }
  CHECK(n > 5 && ended);
  printf("cancelled at the first of %d calls, and at each but the last\n", n);
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

int main(void) {
  snprintf(root, sizeof root, "/tmp/tiny-warm-XXXXXX");
  if (!mkdtemp(root)) return 1;
  test_told();
  test_cancelled();
  test_search_cancelled();
  remove_tree(root);
  return test_report();
}
