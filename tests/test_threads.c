// also: tsan
// test_threads: contexts share nothing, so that several threads may each have their own and get the same bits.
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif
#include "../src/all.c"
#include "test.h"
#include <pthread.h>

enum { THREADS = 4, STEPS = 4, N = 48 };
typedef struct job { const char *device; int threads; tiny_code code; float loss[STEPS]; char message[256]; } job;

// Trains a small network for a few steps, with what touches most rooms: random numbers, gradients, updates, frames.
static void *work(void *arg) {
  job *j = (job *)arg;
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = j->device; d.cache_dir = ""; d.threads = j->threads; d.seed = 7;
  tiny_ctx *t = tiny_open(&d);
  tiny_tensor *x = tiny_randn(t, TINY_SHAPE(64, N)), *w = tiny_mul(tiny_randn(t, TINY_SHAPE(N, N)), tiny_full(t, 0.1, TINY_F32, TINY_SHAPE()));
  tiny_tensor *both[2] = {x, w};
  tiny_realize(both, 2);
  for (int step = 0; step < STEPS; step++) {
    tiny_tensor *g = NULL;
    tiny_begin(t);
    tiny_tensor *loss = tiny_mean(tiny_square(tiny_sub(tiny_softmax(tiny_matmul(x, w), -1), tiny_sigmoid(x))), TINY_ALL, 0);
    tiny_grad(loss, &w, 1, &g);
    tiny_assign(w, tiny_sub(w, g));
    j->loss[step] = (float)tiny_item(loss);
    tiny_end(t);
  }
  j->code = tiny_status(t);
  snprintf(j->message, sizeof j->message, "%s", tiny_error(t));
  tiny_close(t);
  return NULL;
}

static void run_all(job *jobs, int n) {
  pthread_t id[THREADS];
  for (int i = 0; i < n; i++) CHECK_EQ(pthread_create(&id[i], NULL, work, &jobs[i]), 0);
  for (int i = 0; i < n; i++) pthread_join(id[i], NULL);
}

int main(void) {
  static const char *const devices[] = {"INTERP", "CPU"};
  for (int k = 0; k < 2; k++) {
    job jobs[THREADS];
    memset(jobs, 0, sizeof jobs);
    for (int i = 0; i < THREADS; i++) { jobs[i].device = devices[k]; jobs[i].threads = 1 + i; }
    run_all(jobs, THREADS);
    for (int i = 0; i < THREADS; i++) {
      if (jobs[i].code) fprintf(stderr, "%s: %s\n", devices[k], jobs[i].message);
      CHECK_EQ(jobs[i].code, TINY_OK);
      CHECK(!memcmp(jobs[i].loss, jobs[0].loss, sizeof jobs[0].loss));     // whatever the number of threads
      CHECK(jobs[i].loss[STEPS - 1] < jobs[i].loss[0]);
    }
  }
  return test_report();
}
