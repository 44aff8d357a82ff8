// Every task runs exactly once, whatever the number of threads; contexts on several threads; the host's own
// pool. also: tsan valgrind
#include "../src/runtime/pool.c"
#include "test.h"

static tiny_ctx *context(tiny_ctx *t) {
  memset(t, 0, sizeof *t);
  t->alloc.fn = tn_default_alloc;
  return t;
}

typedef struct work { int64_t count[1000]; int64_t sum; tiny_ctx *t; } work;

static void count_task(void *arg, int i) {
  work *w = (work *)arg;
  w->count[i]++;                           // plain: TSan sees it when two threads get the same task
}
static void long_task(void *arg, int i) {
  const uint64_t until = tn_os_now() + 200000;
  while (tn_os_now() < until) tn_os_relax();
  tn_os_atomic_add(&((work *)arg)->sum, i);
}
static void uneven_task(void *arg, int i) {
  const uint64_t until = tn_os_now() + (i == 3 ? 2000000u : 0u);
  while (tn_os_now() < until) tn_os_relax();
  tn_os_atomic_add(&((work *)arg)->sum, i);
}
static void nested_task(void *arg, int i) {
  (void)i;
  tiny_parallel(((work *)arg)->t, 10, long_task, arg);
}

static void check_once(tiny_ctx *t, work *w, int n) {
  memset(w, 0, sizeof *w);
  tiny_parallel(t, n, count_task, w);
  int wrong = 0;
  for (int i = 0; i < 1000; i++) wrong += w->count[i] != (i < n);
  CHECK_EQ(wrong, 0);
}

static void test_once(int threads) {
  tiny_ctx t;
  tiny_desc d;
  work w;
  memset(&d, 0, sizeof d);
  d.threads = threads;
  CHECK_EQ(tn_pool_open(context(&t), &d), TINY_OK);
  CHECK_EQ(t.pool->threads, threads);
  for (int n = 0; n < 70; n++) check_once(&t, &w, n);
  check_once(&t, &w, 1000);
  w.t = &t; w.sum = 0;
  tiny_parallel(&t, 100, uneven_task, &w);
  CHECK_EQ(w.sum, 4950);
  for (int i = 0; i < 3; i++) {            // workers fall asleep in between and have to be woken
    const uint64_t until = tn_os_now() + 1000000;
    while (tn_os_now() < until) tn_os_relax();
    w.sum = 0;
    tiny_parallel(&t, 12, long_task, &w);
    CHECK_EQ(w.sum, 66);
  }
  w.sum = 0;
  tiny_parallel(&t, 3, nested_task, &w);
  CHECK_EQ(w.sum, 3 * 45);
  tn_pool_close(&t);
  CHECK(t.pool == NULL);
}

static void test_many_small(void) {        // publication, entering and leaving race with each other as often as they can
  tiny_ctx t;
  tiny_desc d;
  work w;
  memset(&d, 0, sizeof d);
  memset(&w, 0, sizeof w);
  d.threads = 4;
  tn_pool_open(context(&t), &d);
  for (int i = 0; i < 5000; i++) tiny_parallel(&t, 1 + i % 5, count_task, &w);
  CHECK_EQ(w.count[0], 5000);
  CHECK_EQ(w.count[4], 1000);
  tn_pool_close(&t);
}

static void contexts_task(void *arg) { (void)arg; test_many_small(); }
static int64_t test_contexts_done;
static void contexts_quiet(void *arg) {
  work w;
  tiny_ctx t;
  tiny_desc d;
  memset(&d, 0, sizeof d);
  memset(&w, 0, sizeof w);
  d.threads = 3;
  tn_pool_open(context(&t), &d);
  for (int i = 0; i < 1000; i++) tiny_parallel(&t, 7, count_task, &w);
  if (w.count[6] == 1000) tn_os_atomic_add((int64_t *)arg, 1);
  tn_pool_close(&t);
}
static void test_contexts(void) {
  tn_os_thread thread[4];
  for (int i = 0; i < 4; i++) CHECK(tn_os_thread_start(&thread[i], contexts_quiet, &test_contexts_done));
  for (int i = 0; i < 4; i++) tn_os_thread_join(&thread[i]);
  CHECK_EQ(test_contexts_done, 4);
}

static void host_pool(void *user, int n, void (*task)(void *arg, int i), void *arg) {
  ++*(int *)user;
  for (int i = n - 1; i >= 0; i--) task(arg, i);
}
static void test_host_pool(void) {
  tiny_ctx t;
  tiny_desc d;
  work w;
  int calls = 0;
  memset(&d, 0, sizeof d);
  d.pool.fn = host_pool; d.pool.user = &calls; d.pool.threads = 7;
  tn_pool_open(context(&t), &d);
  CHECK_EQ(t.pool->threads, 7);
  check_once(&t, &w, 20);
  CHECK_EQ(calls, 1);
  check_once(&t, &w, 1);                   // one task needs no pool
  CHECK_EQ(calls, 1);
  tn_pool_close(&t);
}

static void *refuse(void *user, void *ptr, size_t old_nbytes, size_t new_nbytes) {
  (void)user; (void)ptr; (void)old_nbytes; (void)new_nbytes;
  return NULL;
}
static void test_without(void) {           // no pool at all, closed and never used pools, no memory
  tiny_ctx t;
  work w;
  check_once(context(&t), &w, 50);
  tn_pool_close(&t);
  CHECK_EQ(tn_pool_open(&t, NULL), TINY_OK);
  tn_pool_close(&t);
  t.alloc.fn = refuse;
  CHECK_EQ(tn_pool_open(&t, NULL), TINY_E_MEMORY);
  CHECK_EQ(t.code, TINY_E_MEMORY);
  check_once(&t, &w, 50);
}

#ifndef _WIN32
#include <sys/resource.h>
static void test_no_threads(void) {        // the system refuses threads: the work is done by fewer
  tiny_ctx t;
  tiny_desc d;
  work w;
  struct rlimit old, low;
  memset(&d, 0, sizeof d);
  d.threads = 64;
  tn_pool_open(context(&t), &d);
  if (getrlimit(RLIMIT_AS, &old) == 0) {
    low = old; low.rlim_cur = 200u << 20;  // room for some stacks only
    setrlimit(RLIMIT_AS, &low);
    check_once(&t, &w, 1000);
    setrlimit(RLIMIT_AS, &old);
    CHECK(t.pool->workers <= 63);
  }
  tn_pool_close(&t);
}
#endif

static void bench(void) {                  // printed, never asserted
  tiny_ctx t;
  work w;
  memset(&w, 0, sizeof w);
  tn_pool_open(context(&t), NULL);
  for (int i = 0; i < 1000; i++) tiny_parallel(&t, 2, count_task, &w);
  uint64_t best = ~(uint64_t)0;
  for (int r = 0; r < 20; r++) {
    const uint64_t start = tn_os_now();
    for (int i = 0; i < 1000; i++) tiny_parallel(&t, t.pool->threads, count_task, &w);
    if (tn_os_now() - start < best) best = tn_os_now() - start;
  }
  printf("dispatch of %d empty tasks: %.2f us\n", t.pool->threads, (double)best / 1e6);
  tn_pool_close(&t);
}

int main(void) {
  test_once(1); test_once(2); test_once(3); test_once(16);
  contexts_task(NULL);
  test_contexts();
  test_host_pool();
  test_without();
#if !defined(_WIN32) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  #if !defined(__has_feature)
  test_no_threads();
  #elif !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
  test_no_threads();
  #endif
#endif
  bench();
  return test_report();
}
