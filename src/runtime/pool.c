// pool: threads that stand ready between kernels: the context's, or a device's own.
//
// In:  a task and a count. Out: task(arg, i) has run once for every i in 0..count-1, on this thread and the
//      workers. A job is open from its publication until the caller has found no more tasks to take. A worker
//      enters (inside + 1), then looks whether the job is open, and only then reads what the job is. The
//      caller closes the job and waits until nobody is inside. All four are sequentially consistent, so
//      either the worker sees the job closed or the caller sees the worker. Thus a worker that the system has
//      not scheduled delays nobody, and the job's plain fields are never read while written. Workers spin for
//      a moment before they sleep: the next kernel of a schedule mostly comes within microseconds. Workers keep
//      off the core of the caller: schedulers that save power or pack virtual machines wake a thread beside
//      the one that calls it, and take milliseconds to part them.
// Tasks run in the library's floating-point mode, on every thread. A child of fork has the pool but not its threads: it
// starts its own with the first job. A pool is called by one thread at a time.
#ifndef TN_RUNTIME_POOL
#define TN_RUNTIME_POOL
#ifndef TINY_AMALGAMATED
#include "../base/threads.c"
#endif

// What one thread did of a job: so many tasks, from .. to in ns.
typedef struct tn_pool_span { uint64_t from, to; int tasks; } tn_pool_span;
// Rows of each thread, the caller's first; what comes when they are full is not told.
enum { TN_POOL_SPANS = 4096 };
typedef struct tn_pool_spans { int threads, *n; tn_pool_span *row; size_t nbytes; } tn_pool_spans;

// A job on one thread.
static void tn_pool_alone(int n, void (*task)(void *arg, int i), void *arg) {
  for (int i = 0; i < n; i++) task(arg, i);
}

// A job on the caller's threads, which are in modes of their own.
typedef struct tn_pool_guest { void (*task)(void *arg, int i); void *arg; } tn_pool_guest;
static void tn_pool_guest_task(void *arg, int i) {
  const tn_pool_guest *g = (const tn_pool_guest *)arg;
  const tn_float_mode was = tn_float_enter();
  g->task(g->arg, i);
  tn_float_leave(&was);
}
static void tn_pool_host(const tiny_pool *host, int n, void (*task)(void *arg, int i), void *arg) {
  tn_pool_guest g = {task, arg};
  host->fn(host->user, n, tn_pool_guest_task, &g);
}

static void tn_pool_run(struct tn_pool *p, int n, void (*task)(void *arg, int i), void *arg);

// A task that calls this again gets its tasks run one after the other, on its own thread.
TINY_API void tiny_parallel(tiny_ctx *t, int n, void (*task)(void *arg, int i), void *arg) {
  if (t->trap) { tn_pool_run(t->pool, n, task, arg); return; }             // tn_guard has set the mode
  const tn_float_mode was = tn_float_enter();
  tn_pool_run(t->pool, n, task, arg);
  tn_float_leave(&was);
}

#ifdef TINY_NO_THREADS

struct tn_pool { tiny_pool host; };

static void tn_pool_run(struct tn_pool *p, int n, void (*task)(void *arg, int i), void *arg) {
  if (p && p->host.fn && n > 1) tn_pool_host(&p->host, n, task, arg);
  else tn_pool_alone(n, task, arg);
}
static void tn_pool_close(tiny_ctx *t) {
  tn_release(t, t->pool, sizeof *t->pool);
  t->pool = NULL;
}
static tiny_code tn_pool_open(tiny_ctx *t, const tiny_desc *d) {
  t->pool = (struct tn_pool *)tn_alloc(t, sizeof *t->pool);
  if (t->pool && d) t->pool->host = d->pool;
  return t->pool ? TINY_OK : TINY_E_MEMORY;
}

static void tn_pool_describe(const tiny_ctx *t, tiny_desc *d) { d->pool = t->pool->host; }
static int tn_pool_watch(struct tn_pool *p, tn_pool_spans *spans) { (void)p; (void)spans; return 0; }
static int tn_pool_threads(const struct tn_pool *p) { (void)p; return 0; }

static int tn_pool_most(const tiny_ctx *t) {
  const struct tn_pool *p = t->pool;
  return !p || !p->host.fn ? 1 : p->host.threads > 0 ? p->host.threads : tn_os_cores();
}

#else

enum {
  TN_POOL_MAX = 1024,                      // threads
  TN_POOL_SPIN_NS = 30000,                 // sleeping and waking costs about as much
  TN_POOL_SHARES = 16                      // a thread takes 1/16 of its fair share of the tasks at a time
};

// The process that threads were started in: in a child of fork they are not there.
typedef struct tn_pool_home {
  uint64_t process;
  int64_t *here;                           // a page that children of fork find empty, NULL: the system has none
} tn_pool_home;

struct tn_pool {
  tiny_pool host;                          // fn: the caller's threads are used instead
  int threads;                             // the caller's included
  int started, spins;                      // spins: there is a core for each thread
  int workers;                             // that could be started
  tn_pool_spans *spans;                    // NULL: nobody looks
  tn_pool_home home;
  tn_os_thread *worker;
  tn_os_cores_mask cores;                  // that the first caller could use
  int core;                                // that the caller ran on and workers keep off, -1: not known
  void (*task)(void *arg, int i); void *arg; int n, step;              // the job
  char apart0[64]; int64_t next;           // first task that nobody has taken; counters are cache lines apart
  char apart1[64]; int64_t jobs;           // number of jobs published so far
  char apart2[64]; int64_t busy, open, inside;     // busy: from publication until all have left
  char apart3[64]; int64_t sleepers, caller_sleeps, quit, entered;         // entered: workers, which are numbered so
  tn_os_mutex lock; tn_os_cond wake, done;
};

// A page of which every child of fork gets an empty one: to look there is cheaper than to ask for the process.
static int64_t *tn_pool_page_here(void) {
#ifdef __linux__
  enum { WIPE_ON_FORK = 18 };              // madvise(2), since 4.14
  int64_t *p = (int64_t *)tn_os_map(tn_os_page_nbytes());
  if (p && madvise(p, tn_os_page_nbytes(), WIPE_ON_FORK) == 0) { *p = 1; return p; }
  tn_os_unmap(p, tn_os_page_nbytes());
#endif
  return NULL;
}

static void tn_pool_home_open(tn_pool_home *h) {
  h->process = tn_os_process_id();
  h->here = tn_pool_page_here();
}
static void tn_pool_home_close(tn_pool_home *h) {
  if (h->here) tn_os_unmap(h->here, tn_os_page_nbytes());
  h->here = NULL;
}
// Is this a child of that process?
static int tn_pool_home_left(const tn_pool_home *h) {
  return h->here ? !*h->here : h->process != tn_os_process_id();
}

// Tasks that nobody has taken. Returns how many.
static int tn_pool_take(struct tn_pool *p) {
  const int n = p->n, step = p->step;
  int taken = 0;
  for (;;) {
    const int64_t from = tn_os_atomic_add(&p->next, step);
    for (int64_t i = from; i < from + step; i++, taken++) {
      if (i >= n) return taken;
      p->task(p->arg, (int)i);
    }
  }
}
// The same on thread `number`, where somebody may look.
static void tn_pool_share(struct tn_pool *p, int number) {
  tn_pool_spans *s = p->spans;
  if (TN_RUNS_ONLY || !s) { tn_pool_take(p); return; }
  const uint64_t from = tn_os_now();
  const int tasks = tn_pool_take(p);
  if (!tasks || number >= s->threads || s->n[number] == TN_POOL_SPANS) return;
  tn_pool_span *row = &s->row[(size_t)number * TN_POOL_SPANS + (size_t)s->n[number]++];
  row->from = from; row->to = tn_os_now(); row->tasks = tasks;
}

// Spins until *value is `least` or more, for a moment. 1: it is.
static int tn_pool_spin(int spins, int64_t *value, int64_t least) {
  if (!spins) return tn_os_atomic_load(value) >= least;
  const uint64_t start = tn_os_now();
  do {
    for (int i = 0; i < 32; i++) {
      if (tn_os_atomic_load(value) >= least) return 1;
      tn_os_relax();
    }
  } while (tn_os_now() - start < TN_POOL_SPIN_NS);
  return 0;
}

static void tn_pool_work(void *arg) {
  struct tn_pool *p = (struct tn_pool *)arg;
  const int number = (int)tn_os_atomic_add(&p->entered, 1) + 1;
  int64_t seen = 0;
  for (;;) {
    if (!tn_pool_spin(p->spins, &p->jobs, seen + 1)) {
      tn_os_lock(&p->lock);
      tn_os_atomic_add(&p->sleepers, 1);   // then reads jobs; the caller writes jobs, then reads sleepers
      while (tn_os_atomic_load(&p->jobs) == seen) tn_os_wait(&p->wake, &p->lock);
      tn_os_atomic_add(&p->sleepers, -1);
      tn_os_unlock(&p->lock);
    }
    seen = tn_os_atomic_load(&p->jobs);
    if (tn_os_atomic_load(&p->quit)) return;
    tn_os_atomic_add(&p->inside, 1);
    (void)tn_float_enter();                // each time: a task may have left another mode behind
    if (tn_os_atomic_load(&p->open)) tn_pool_share(p, number);
    if (tn_os_atomic_add(&p->inside, -1) == 1 && tn_os_atomic_load(&p->caller_sleeps)) {
      tn_os_lock(&p->lock);
      tn_os_wake_one(&p->done);
      tn_os_unlock(&p->lock);
    }
  }
}

// Those who sleep wake on another core than this one.
static void tn_pool_keep_off(struct tn_pool *p) {
  const int core = tn_os_core_now();
  if (core == p->core) return;
  p->core = core;
  for (int i = 0; i < p->workers; i++) {
    const int64_t number = tn_os_atomic_load(&p->worker[i].number);
    tn_os_keep_off(number, &p->cores, core);
    if (!number) p->core = -1;             // it has not run yet: again the next time
  }
}

// Tells the workers that jobs has changed; wakes as many as there is work for.
static void tn_pool_call(struct tn_pool *p, int wanted) {
  tn_os_atomic_add(&p->jobs, 1);
  if (!tn_os_atomic_load(&p->sleepers)) return;
  tn_pool_keep_off(p);
  tn_os_lock(&p->lock);
  if (wanted < p->workers) for (int i = 0; i < wanted; i++) tn_os_wake_one(&p->wake);
  else tn_os_wake_all(&p->wake);
  tn_os_unlock(&p->lock);
}

// Locks, counters and threads as before the first job.
static void tn_pool_reset(struct tn_pool *p) {
  tn_pool_home_close(&p->home);
  p->started = p->workers = 0;
  p->next = p->jobs = p->busy = p->open = p->inside = 0;
  p->sleepers = p->caller_sleeps = p->quit = p->entered = 0;
  tn_os_mutex_open(&p->lock);
  tn_os_cond_open(&p->wake);
  tn_os_cond_open(&p->done);
}

// In a child of fork: the threads are the parent's, and one may have held the lock when they were left behind. What is
// there of them is written over, not closed: closing what somebody waits for is undefined.
static void tn_pool_recover(struct tn_pool *p) {
  if (p->started && tn_pool_home_left(&p->home)) tn_pool_reset(p);
}

// Waits until no worker is inside; the job is closed, so that those who enter now leave at once.
static void tn_pool_wait(struct tn_pool *p) {
  const uint64_t start = tn_os_now();
  for (int i = 1; tn_os_atomic_load(&p->inside); i++) {
    tn_os_relax();
    if (i & 31 || (p->spins && tn_os_now() - start < TN_POOL_SPIN_NS)) continue;
    tn_os_lock(&p->lock);
    tn_os_atomic_store(&p->caller_sleeps, 1);
    while (tn_os_atomic_load(&p->inside)) tn_os_wait(&p->done, &p->lock);
    tn_os_atomic_store(&p->caller_sleeps, 0);
    tn_os_unlock(&p->lock);
  }
}

static void tn_pool_start(struct tn_pool *p) {
  p->started = 1;
  tn_pool_home_open(&p->home);
  tn_os_cores_get(&p->cores);
  p->core = -1;
  while (p->workers < p->threads - 1) {
    if (!tn_os_thread_start(&p->worker[p->workers], tn_pool_work, p)) return;    // fewer do it too
    p->workers++;
  }
}

static void tn_pool_run(struct tn_pool *p, int n, void (*task)(void *arg, int i), void *arg) {
  if (p && p->host.fn && n > 1) { tn_pool_host(&p->host, n, task, arg); return; }
  if (!p || n < 2 || p->threads < 2 || tn_os_atomic_load(&p->busy)) { tn_pool_alone(n, task, arg); return; }
  tn_pool_recover(p);
  if (!p->started) tn_pool_start(p);
  tn_os_atomic_store(&p->busy, 1);
  p->task = task; p->arg = arg; p->n = n;
  p->step = n / (p->threads * TN_POOL_SHARES) + 1;
  tn_os_atomic_store(&p->next, 0);
  tn_os_atomic_store(&p->open, 1);
  tn_pool_call(p, n - 1);
  tn_pool_share(p, 0);
  tn_os_atomic_store(&p->open, 0);
  tn_pool_wait(p);
  tn_os_atomic_store(&p->busy, 0);
}

static int tn_pool_wanted(const tiny_desc *d) {
  const char *threads = tn_os_env("TINY_THREADS");
  int n = d ? d->threads : 0;
  if (n < 1 && threads) n = tn_number_int(threads, 0, TN_POOL_MAX, NULL);
  if (n < 1) n = tn_os_cores();
  return n < TN_POOL_MAX ? n : TN_POOL_MAX;
}

static size_t tn_pool_nbytes(int threads) {
  return sizeof(struct tn_pool) + (size_t)threads * sizeof(tn_os_thread);
}
// Of so many threads, the caller's included; they are started by the first job that has use for them. NULL: refused.
static struct tn_pool *tn_pool_new(tiny_ctx *t, int threads, int spins) {
  struct tn_pool *p = (struct tn_pool *)tiny_realloc(t, NULL, 0, tn_pool_nbytes(threads));
  if (!p) return NULL;
  memset(p, 0, tn_pool_nbytes(threads));
  p->threads = threads;
  p->spins = spins;
  p->worker = (tn_os_thread *)(void *)(p + 1);
  tn_pool_reset(p);
  return p;
}
static void tn_pool_free(tiny_ctx *t, struct tn_pool *p) {
  if (!p) return;
  if (p->started && p->home.process != tn_os_process_id()) tn_pool_reset(p);   // emulators may know of no such page
  tn_os_atomic_store(&p->quit, 1);
  if (p->workers) tn_pool_call(p, p->workers);
  for (int i = 0; i < p->workers; i++) tn_os_thread_join(&p->worker[i]);
  tn_os_mutex_close(&p->lock);
  tn_os_cond_close(&p->wake);
  tn_os_cond_close(&p->done);
  tn_pool_home_close(&p->home);
  tn_release(t, p, tn_pool_nbytes(p->threads));
}

// The context's own.
static tiny_code tn_pool_open(tiny_ctx *t, const tiny_desc *d) {
  const int host = d && d->pool.fn;
  const int threads = !host ? tn_pool_wanted(d) : d->pool.threads > 1 ? d->pool.threads : 1;
  t->pool = tn_pool_new(t, threads, threads <= tn_os_cores());   // else spinning takes the core from those who work
  if (!t->pool) tn_out_of_memory(t, tn_pool_nbytes(threads));
  else if (host) t->pool->host = d->pool;
  return t->pool ? TINY_OK : TINY_E_MEMORY;
}
static void tn_pool_close(tiny_ctx *t) {
  tn_pool_free(t, t->pool);
  t->pool = NULL;
}

// From the next job on; NULL: no more. Between jobs only. 0: its threads are the host's own.
static int tn_pool_watch(struct tn_pool *p, tn_pool_spans *spans) {
  p->spans = spans;
  return !p->host.fn;
}
static int tn_pool_threads(const struct tn_pool *p) { return p->threads; }

// What to open a context with that has as many threads as t.
static void tn_pool_describe(const tiny_ctx *t, tiny_desc *d) {
  d->pool = t->pool->host;
  d->threads = t->pool->threads;
}

// How many tasks may run at a time. A host's pool may keep its number to itself.
static int tn_pool_most(const tiny_ctx *t) {
  const struct tn_pool *p = t->pool;
  return !p ? 1 : !p->host.fn ? p->threads : p->host.threads > 0 ? p->host.threads : tn_os_cores();
}
#endif // TINY_NO_THREADS
#endif
