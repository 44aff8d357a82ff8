// cliffs: long chains take work in proportion. Counted are kernels, what their text asks of a compiler, and the tensors
// that assignments look at. Times are compared with others of the same run only, where a cliff is far beyond the bound.
#include "nn_test.h"

static int choices, constant_choices;
// Integer values that are choices, and those of them that are constants: clang tries both arms of each where it is named.
static void read_line(void *user, const char *line) {
  (void)user;
  for (const char *at = line, *next; at; at = next) {
    const size_t n = strcspn(at, "\n");
    next = at[n] ? at + n + 1 : NULL;
    const char *is = strstr(at, "u64 x"), *ask = (const char *)memchr(at, '?', n);
    if (!is || is > at + 10 || !ask) continue;
    choices++;
    constant_choices += strncmp(at + strspn(at, " "), "const ", 6) == 0;
  }
}
static void open_null(const char *debug) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "NULL"; d.cache_dir = ""; d.debug = debug;
  d.log.fn = read_line;
  t = tiny_open(&d);
}

static void test_choices(void) {
  open_null("c");
  tiny_tensor *g = tiny_gcd(tiny_scalar(t, 12, TINY_I64), tiny_scalar(t, 18, TINY_I64));
  const uint64_t before = tiny_get_stats(t).kernels;
  CHECK_EQ(tiny_realize(&g, 1), TINY_OK);
  CHECK_EQ(tiny_get_stats(t).kernels - before, 1);
  CHECK(choices > 50);
  CHECK_EQ(constant_choices, 0);
  tiny_close(t);
}

// Kernels of the gradient of n chained operators.
static double chain(int n) {
  open_null("");
  tiny_tensor *x = numbers(TINY_F32, TINY_SHAPE(8), -1, 1), *y = x, *grad = NULL;
  const uint64_t before = tiny_get_stats(t).kernels;
  for (int i = 0; i < n; i++) y = tiny_tanh(y);
  CHECK_EQ(tiny_grad(tiny_sum(y, 0, 0), &x, 1, &grad), TINY_OK);
  CHECK_EQ(tiny_realize(&grad, 1), TINY_OK);
  const double kernels = (double)(tiny_get_stats(t).kernels - before);
  tiny_close(t);
  return kernels;
}

// Assignments look at the tensors that are the same memory, however many were assigned to before and however many live.
typedef struct updates { double looked, ns; } updates;     // for one of them: tensors in the index; time of the calls
static updates assign_slices(int n, int live) {
  updates u = {0, INFINITY};
  for (int round = 0; round < 5; round++) {
    open_null("");
    tiny_tensor *x = tiny_from(t, (float[8]){0}, TINY_F32, TINY_SHAPE(8));
    tiny_tensor *part = tiny_from(t, (float[2]){1, 2}, TINY_F32, TINY_SHAPE(2));
    for (int i = 0; i < live; i++) tiny_scalar(t, i, TINY_F32);
    double looked = 0;
    uint64_t ns = 0;
    for (int i = 0; i < n; i++) {
      tiny_tensor *slice = tiny_slice(x, 0, i % 7, i % 7 + 2, 1);
      const uint64_t from = tn_os_now();
      tiny_assign(slice, part);
      ns += tn_os_now() - from;
      const tn_tensor *next = tn_index_first(t, tn_index_key(tn_uop_of(x)));
      for (; next; next = next->after) looked++;
    }
    CHECK_EQ(tiny_status(t), TINY_OK);
    u.looked = looked / n;
    if ((double)ns / n < u.ns) u.ns = (double)ns / n;
    tiny_close(t);
  }
  return u;
}
static void test_assignments(void) {
  const updates few = assign_slices(1000, 0), many = assign_slices(20000, 0), crowded = assign_slices(1000, 10000);
  CHECK(few.looked < 4 && many.looked < 4 && crowded.looked < 4);
  CHECK(many.ns < 8 * few.ns);
  CHECK(crowded.ns < 8 * few.ns);
}

int main(void) {
  test_assignments();
  test_choices();
  const double few = chain(300), many = chain(1200);
  CHECK(few > 0 && many < 4.4 * few + 10);
  return test_report();
}
