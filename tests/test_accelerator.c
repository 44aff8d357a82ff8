// test_accelerator: the device of examples/accelerator.c, where memory is refused at the n-th allocation: the library's
// and its own come from tiny_desc.alloc. Every refusal is an error that says so, and nothing leaks.
#ifdef _WIN32
  #include <stdio.h>
  int main(void) { printf("skipped: the example wants ucontext.h and dlfcn.h\n1 passed, 0 failed\n"); return 0; }
#else
#undef TN_TEST_BACKEND                     // it has no INTERP of its own
#define main example_main
#include "../examples/accelerator.c"
#undef main
#include "test.h"
#include "memory_test.h"

static long compiling;                     // how many allocations there were before the last compilation
static void hear(void *user, const char *line) {
  if (strstr(line, "TOY: compiling")) compiling = ((const memory_count *)user)->calls;
}

// The mean of relu(x @ w) when allocation number n is refused. How many allocations there were.
static long refused(const char *folder, long n, int *done) {
  memory_count count = {0, n, 0, 0};
  tiny_desc d = {.device = "TOY", .backends = {&toy_backend}, .cache_dir = folder, .debug = "p", .threads = 1,
                 .alloc = {memory_fn, &count}, .log = {hear, &count}};
  tiny_ctx *t = tiny_open(&d);
  tiny_begin(t);
  tiny_tensor *x = tiny_full(t, 2, TINY_F32, TINY_SHAPE(4, 8)), *w = tiny_full(t, 0.5, TINY_F32, TINY_SHAPE(8, 3));
  x = tiny_contiguous(x);
  const double mean = tiny_item(tiny_mean(tiny_relu(tiny_matmul(x, w)), TINY_ALL, 0));
  *done = tiny_status(t) == TINY_OK;
  if (*done) CHECK_EQ(mean, 8);
  else if (tiny_status(t) != TINY_E_MEMORY && !(t && strstr(tiny_error(t), "could not be opened"))) {
    CHECK(!"refused memory is named");
    fprintf(stderr, "    allocation %ld: %s\n", n, tiny_error(t));
  }
  tiny_close(t);
  if (count.live || count.wrong) fprintf(stderr, "allocation %ld: %ld blocks left, %ld sizes wrong\n", n, count.live, count.wrong);
  CHECK_EQ(count.live, 0);
  CHECK_EQ(count.wrong, 0);
  return count.calls;
}

// A search on a device without threads, whose memory the host does not see, finds what gives the same values.
static void searched(void) {
  enum { M = 24, K = 40, N = 36 };
  static float x[M * K], w[K * N], got[M * N];
  tiny_desc d = {.device = "TOY", .backends = {&toy_backend}, .cache_dir = "", .debug = "", .beam = 1};
  for (int i = 0; i < M * K; i++) x[i] = (float)(i * 7 % 11) - 5;
  for (int i = 0; i < K * N; i++) w[i] = (float)(i * 5 % 13) - 6;
  tiny_ctx *t = tiny_open(&d);
  tiny_tensor *y = tiny_matmul(tiny_from(t, x, TINY_F32, TINY_SHAPE(M, K)), tiny_from(t, w, TINY_F32, TINY_SHAPE(K, N)));
  CHECK_EQ(tiny_read(y, got, sizeof got), TINY_OK);
  int wrong = 0;
  for (int i = 0; i < M; i++) for (int j = 0; j < N; j++) {
    double sum = 0;
    for (int k = 0; k < K; k++) sum += (double)x[i * K + k] * w[k * N + j];
    wrong += got[i * N + j] != (float)sum;
  }
  CHECK_EQ(wrong, 0);
  CHECK(tiny_stats_of(t).searches >= 1 && tiny_stats_of(t).timed > 1);
  tiny_close(t);
}

int main(void) {
  char folder[] = "/tmp/tiny-test-accelerator-XXXXXX", line[128];
  int done = 0;
  CHECK(mkdtemp(folder) != NULL);
  searched();
  const long all = refused("", 0, &done);
  CHECK(done && compiling > 0 && compiling < all);
  const long from = compiling;
  refused(folder, 0, &done);               // from here on programs come from disk
  CHECK(done);
  long n = 1;
  for (done = 0; !done && n < 100000; n++) refused(folder, n, &done);
  CHECK(n > 50);
  for (n = from + 1; n <= all; n++) {  // in the compiler of the TOY, and loading what it gave
    refused("", n, &done);
    CHECK(!done);
  }
  snprintf(line, sizeof line, "rm -rf %s", folder);
  CHECK_EQ(system(line), 0);
  return test_report();
}
#endif
