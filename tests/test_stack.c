// also: tsan
// test_stack: kernels that pack operands run on threads with small stacks, the caller's and those of its pool; memory
// for the panels is asked for before anything runs, and refusing it is an error like others.
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif
#include "../src/all.c"
#include "test.h"
#include "memory_test.h"
#include <pthread.h>

enum { N = 1024, THREADS = 3 };

static size_t stack_nbytes(void) {         // sanitizers need more for themselves; panels are larger all the same
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return 512 << 10;
#elif defined(__has_feature)
  #if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  return 512 << 10;
  #endif
#endif
  return 64 << 10;
}

static pthread_t start(void *(*fn)(void *arg), void *arg) {
  pthread_attr_t attr;
  pthread_t thread;
  pthread_attr_init(&attr);
  pthread_attr_setstacksize(&attr, stack_nbytes());
  if (pthread_create(&thread, &attr, fn, arg)) { perror("pthread_create"); exit(1); }
  pthread_attr_destroy(&attr);
  return thread;
}

// A host's pool: more threads at a time than it says, each takes every THREADS-th task.
typedef struct host_call { int first, n; void (*task)(void *arg, int i); void *arg; } host_call;
static void *host_thread(void *arg) {
  const host_call *c = (const host_call *)arg;
  for (int i = c->first; i < c->n; i += THREADS) c->task(c->arg, i);
  return NULL;
}
static void host_pool(void *user, int n, void (*task)(void *arg, int i), void *arg) {
  pthread_t thread[THREADS];
  host_call call[THREADS];
  (void)user;
  for (int i = 0; i < THREADS; i++) {
    call[i].first = i; call[i].n = n; call[i].task = task; call[i].arg = arg;
    thread[i] = start(host_thread, &call[i]);
  }
  for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
}

typedef struct job { tiny_desc desc; double sum; tiny_code code; } job;

// 1 or 2 @ 2: sums are whole numbers.
static tiny_tensor *product(tiny_ctx *t) {
  tiny_tensor *one = tiny_full(t, 1, TINY_F32, TINY_SHAPE(N, N)), *two = tiny_full(t, 2, TINY_F32, TINY_SHAPE(N, N));
  tiny_tensor *count = tiny_reshape(tiny_arange(t, 0, N * N, 1, TINY_F32), TINY_SHAPE(N, N));
  tiny_tensor *a[2] = {tiny_contiguous(tiny_add(one, tiny_remainder(count, two))), tiny_contiguous(two)};
  tiny_realize(a, 2);
  return tiny_matmul(a[0], a[1]);
}

static void *work(void *arg) {
  job *j = (job *)arg;
  tiny_ctx *t = tiny_open(&j->desc);
  j->sum = tiny_item(tiny_sum(tiny_contiguous(product(t)), TINY_ALL, 0));
  j->code = tiny_status(t);
  if (j->code) fprintf(stderr, "%s\n", tiny_error(t));
  tiny_close(t);
  return NULL;
}

static void test_small(int threads, int hosted) {
  job j;
  memset(&j, 0, sizeof j);
  j.desc.cache_dir = ""; j.desc.threads = threads;
  if (hosted) { j.desc.pool.fn = host_pool; j.desc.pool.threads = hosted; }
  pthread_join(start(work, &j), NULL);
  CHECK_EQ(j.code, TINY_OK);
  CHECK(j.sum == 3.0 * N * N * N);
}

// An allocator that has everything but what the panels want.
typedef struct refusal { memory_count m; size_t nbytes; int refused; } refusal;
static void *refuse(void *user, void *ptr, size_t old_nbytes, size_t new_nbytes) {
  refusal *r = (refusal *)user;
  if (new_nbytes && new_nbytes == r->nbytes) { r->refused++; return NULL; }
  return memory_fn(&r->m, ptr, old_nbytes, new_nbytes);
}

static void test_refused(void) {
  size_t panels = 0;
  for (int round = 0; round < 2; round++) {
    refusal r;
    tiny_desc d;
    memset(&r, 0, sizeof r); memset(&d, 0, sizeof d);
    d.cache_dir = ""; d.threads = 2; d.alloc.fn = refuse; d.alloc.user = &r;
    tiny_ctx *t = tiny_open(&d);
    tiny_tensor *x = product(t);
    r.nbytes = panels;
    CHECK_EQ(tiny_realize(&x, 1), round ? TINY_E_MEMORY : TINY_OK);
    CHECK_EQ(r.refused, round);
    if (!round) {
      const tn_cpu *c = (const tn_cpu *)t->device->dev;
      CHECK(c->local_nbytes > 64 << 10);   // too much for the stacks above
      CHECK_EQ(c->slots, 2);
      panels = c->local_nbytes * 2 + TN_CPU_ALIGN;
    } else {                               // later it may be there
      tiny_clear(t);
      r.nbytes = 0;
      CHECK_EQ(tiny_realize(&x, 1), TINY_OK);
    }
    tiny_close(t);
    CHECK_EQ(r.m.live, 0); CHECK_EQ(r.m.wrong, 0);
  }
}

int main(void) {
  test_small(1, 0);
  test_small(2, 0);
  test_small(0, 2);
  test_refused();
  return test_report();
}
