// refused: every operator of the vectors with its gradient, read by the interpreter, when one allocation is refused or
// all of them are from one on: the n-th that the context asks for, the first of tiny_open among them.
//
// The context is NULL, or gives TINY_E_MEMORY and poison, or did without: what it reads is right in every case. Nothing
// is cleared in between, and closing it gives all memory back. First sizes are small: few nodes cost an allocation.
#define TN_FIRST_NBYTES 512
#define TN_FIRST_SLOTS 8
#include "../src/all.c"
#include "test.h"
#include "memory_test.h"
#include "vectors.h"

// ALL: so many allocations of a function's first case are refused one by one. OTHERS: of its other cases, every so
// many. EACH, READS: one case in so many is read too, so often.
#if defined(__has_feature)
  #if __has_feature(address_sanitizer)     // ten times as slow
    enum { ALL = 60, OTHERS = 24, EACH = 93, READS = 8 };
    #define FEWER
  #endif
#endif
#ifndef FEWER
  enum { ALL = 300, OTHERS = 4, EACH = 31, READS = 8 };
#endif

typedef struct attempt { const vector_case *c; memory_count m; long opened, built; int read; } attempt;

// memory_fn; a negative fail_at refuses all from that call on.
static void *refusing_fn(void *user, void *ptr, size_t old_nbytes, size_t new_nbytes) {
  memory_count *m = &((attempt *)user)->m;
  if (new_nbytes && m->fail_at < 0 && m->calls + 1 >= -m->fail_at) { m->calls++; return NULL; }
  return memory_fn(m, ptr, old_nbytes, new_nbytes);
}
static int was_refused(const attempt *a) { return a->m.fail_at && a->m.calls >= labs(a->m.fail_at); }

// What is read is right: a value of the case as the vectors have it, or an error.
static void check_read(attempt *a, tiny_tensor *x, const value *v, int is_grad) {
  static unsigned char got[1 << 16];
  int64_t at = 0;
  const size_t nbytes = (size_t)tn_dims_nelem(v->s.ndim, v->s.dim) * tiny_dtype_nbytes(v->dtype);
  if (!tiny_ok(x) || nbytes > sizeof got) { CHECK(tiny_ok(x) || was_refused(a)); return; }
  const tiny_code code = tiny_read(x, got, nbytes);
  CHECK(code == TINY_OK || was_refused(a));
  if (code != TINY_OK) return;
  const double e = error_of(v, got, a->c->tol < 0, 0, &at);
  const int ok = e <= 4 * fabs((double)a->c->tol);
  if (!ok) printf("%s, allocation %ld: %s %g epsilons off\n", a->c->op->name, a->m.fail_at,
                  is_grad ? "gradient" : "value", e);
  CHECK(ok);
}

static int large(const vector_case *c) {
  int64_t n = 0;
  for (int i = 0; i < c->nin; i++) n += tn_dims_nelem(c->in[i].s.ndim, c->in[i].s.dim);
  return n >= 1024;
}

static void build(attempt *a, tiny_ctx *t) {
  const vector_case *c = a->c;
  tiny_tensor *in[MOST] = {0}, *out[MOST] = {0}, *params[MOST], *grads[MOST], *loss = NULL;
  int n = 0;
  for (int i = 0; i < c->nin; i++) {
    in[i] = tiny_from(t, c->in[i].data, c->in[i].dtype, c->in[i].s);
    if (c->with_grad >> i & 1) params[n++] = in[i];
  }
  const int m = c->op->make(t, in, out);
  int whole = m == c->nout;
  for (int k = 0; k < m; k++) whole = whole && tiny_ok(out[k]);
  loss = loss_of(t, out, m);
  const int graded = n && loss && tiny_grad(loss, params, n, grads) == TINY_OK;
  a->built = a->m.calls;
  if (!a->read || large(c)) return;
  for (int k = 0; k < m; k++) check_read(a, out[k], &c->out[k], 0);
  for (int k = 0; k < n && whole && graded; k++) check_read(a, grads[k], &c->grad[k], 1);
}

// The case with an allocation refused; 0: none.
static attempt run(const vector_case *c, long fail_at, int read) {
  attempt a;
  tiny_desc d;
  memset(&a, 0, sizeof a);
  memset(&d, 0, sizeof d);
  a.c = c; a.m.fail_at = fail_at; a.read = read;
  d.device = "INTERP"; d.cache_dir = ""; d.debug = ""; d.threads = 1;
  d.alloc.fn = refusing_fn; d.alloc.user = &a;
  tiny_ctx *t = tiny_open(&d);
  a.opened = a.m.calls;
  CHECK(t || was_refused(&a));
  if (t) build(&a, t);
  const tiny_code code = tiny_status(t);
  if (t && code != TINY_OK && code != TINY_E_MEMORY)
    printf("%s, allocation %ld: %s\n", c->op->name, fail_at, tiny_error(t));
  CHECK(code == TINY_OK || (was_refused(&a) && code == TINY_E_MEMORY));
  tiny_close(t);
  CHECK_EQ(a.m.live, 0);
  CHECK_EQ(a.m.wrong, 0);
  return a;
}

// Of a function's first case the first ALL, of its others, which differ in numbers and dtypes, some; then in steps of a
// tenth. One alone, and every third time all that follow too.
static void refuse_building(const vector_case *c, int first, int turn) {
  const attempt a = run(c, 0, 0);
  const int step = first ? 1 : OTHERS;
  for (long n = 1 + turn % step; n <= a.built; n += n < ALL || n / 10 < step ? step : n / 10) {
    const int read = n <= a.opened || turn % EACH == 0;
    run(c, n, read);
    if (n % 3 == 0) run(c, -n, read);
  }
}
// What plans and runs is the same for all operators (test_memory refuses each of its allocations): some of each.
static void refuse_reading(const vector_case *c, int turn) {
  const attempt a = run(c, 0, 1);
  const long step = (a.m.calls - a.built) / READS + 1;
  for (long n = a.built + 1 + turn % step; n <= a.m.calls; n += step) run(c, turn++ % 2 ? n : -n, 1);
}

// Kernels whose lowering is refused memory, at each allocation twice: memory that is made and written in between holds
// what it was given, and nothing is left.
static void check_lowering(void) {
  memory_count m;
  tiny_desc d;
  int i = 0, refused = 1, n = 0;
  memset(&m, 0, sizeof m);
  memset(&d, 0, sizeof d);
  d.device = "INTERP"; d.cache_dir = ""; d.debug = "";
  d.alloc.fn = memory_fn; d.alloc.user = &m;
  tiny_ctx *t = tiny_open(&d);
  while (refused) {
    tiny_tensor *kept = NULL;
    i++;
    for (int twice = 0; twice < 2; twice++) {
      const float v[2] = {(float)++n, 1};
      float got[2] = {-1, -1};
      tiny_tensor *x = tiny_arange(t, 0, 8, 1 + n, TINY_F32), *sum = tiny_sum(tiny_mul(x, tiny_sin(x)), 0, 0);
      m.fail_at = m.calls + i;
      refused = tiny_realize(&sum, 1) != TINY_OK;
      m.fail_at = 0;
      tiny_clear(t);
      tiny_free(x);
      tiny_free(sum);
      if (!twice) kept = tiny_from(t, v, TINY_F32, TINY_SHAPE(2));
      else CHECK(tiny_write(kept, v, sizeof v) == TINY_OK);
      CHECK(tiny_read(kept, got, sizeof got) == TINY_OK && got[0] == v[0]);
    }
    tiny_free(kept);
  }
  CHECK(i > 8);
  tiny_close(t);
  CHECK_EQ(m.live, 0);
}

int main(void) {
  int turn = 0;
  check_lowering();
  for (size_t k = 0; k < sizeof rooms / sizeof *rooms; k++) {
    size_t nbytes = 0;
    const vector_op *last = NULL;
    unsigned char *data = load_room(&rooms[k], &nbytes);
    CHECK(data != NULL);
    for (const unsigned char *p = data; data && p < data + nbytes;) {
      static vector_case c;
      p = take_case(p, &rooms[k], &c);
      if (c.op == last) continue;          // the first case of each
      if (!case_named("%s, its %dth of a kind", c.op->name, ++turn)) { last = c.op; continue; }
      refuse_building(&c, !last || strcmp(c.op->name, last->name) != 0, turn);
      if (turn % EACH == 0) refuse_reading(&c, turn);
      last = c.op;
    }
    free(data);
  }
  return test_report();
}
