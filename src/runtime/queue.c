// queue: what a device is given, in order, done by a thread of the device's own while the context's goes on.
//
// In:    items: two functions and what they are called with. Out: of each item, in the order in which they were pushed,
//        `happens` has run on the queue's thread, and then, some time later, `ends` on the context's.
// Holds: the context's thread alone asks for memory and gives it back: what an item frees, its `ends` frees, where the
//        context next calls. An item is a run of bytes in a ring that is made with the queue: pushing asks for nothing,
//        and where the ring is full, the caller waits for half of it. What is larger than a quarter of it is no item:
//        its caller waits until everything has happened, and does it by itself.
// Places in the order are counts of bytes: given, happened and ended only grow, ended <= happened <= given, and byte i
// of the order lies at i % nbytes of the ring. An event is a queue and what was given to it when the event was made: it
// has happened when so much has. Who waits keeps these two numbers, not the event, and may be any queue of any context.
// What is waited for was given before the wait, so that no circle of queues waits.
// Who waits spins for a moment, then writes the place that is wanted, looks once more, and sleeps; who goes on writes
// `happened`, then looks at what is wanted. All four are sequentially consistent: one sees the other.
// Where the system refuses a thread, items happen when they are pushed. A child of fork starts a thread of its own,
// behind what has happened: the host forks where nothing is under way, which would happen in both processes.
#ifndef TN_RUNTIME_QUEUE
#define TN_RUNTIME_QUEUE
#ifndef TINY_AMALGAMATED
#include "pool.c"
#endif

// What is given behind it happens after `place` of queue. NULL: it has happened, as everything has where there is none.
typedef struct tn_queue_event { struct tn_queue *queue; int64_t place; } tn_queue_event;
static const tn_queue_event tn_queue_happened = {NULL, 0};
typedef void (*tn_queue_fn)(void *dev, void *item);          // dev: of the queue; item: what was written for it

#ifdef TINY_NO_THREADS
// There is none.
static int tn_queue_wanted(const tiny_ctx *t) { (void)t; return 0; }
static struct tn_queue *tn_queue_open(tiny_ctx *t, void *dev) { (void)t; (void)dev; return NULL; }
static void tn_queue_close(struct tn_queue *q) { (void)q; }
static int tn_queue_threads(const struct tn_queue *q) { (void)q; return 1; }
static struct tn_pool *tn_queue_pool(const struct tn_queue *q) { (void)q; return NULL; }
static void tn_queue_run(struct tn_queue *q, int n, void (*task)(void *arg, int i), void *arg) {
  (void)q;
  tn_pool_alone(n, task, arg);
}
static void *tn_queue_room(struct tn_queue *q, tn_queue_fn happens, tn_queue_fn ends, size_t nbytes) {
  (void)q; (void)happens; (void)ends; (void)nbytes;
  return NULL;
}
static void tn_queue_push(struct tn_queue *q) { (void)q; }
static void tn_queue_fail(struct tn_queue *q, tiny_code code, const char *what) { (void)q; (void)code; (void)what; }
static int64_t *tn_queue_cancellable(struct tn_queue *q) { (void)q; return NULL; }
static int64_t tn_queue_place(struct tn_queue *q) { (void)q; return 0; }
static void tn_queue_may_cancel(struct tn_queue *q, int may) { (void)q; (void)may; }
static void tn_queue_reap(struct tn_queue *q) { (void)q; }
static void tn_queue_drain(struct tn_queue *q) { (void)q; }
static tiny_code tn_queue_sync(struct tn_queue *q) { (void)q; return TINY_OK; }
static const tn_queue_event *tn_queue_event_new(struct tn_queue *q) { (void)q; return &tn_queue_happened; }
static void tn_queue_event_free(tiny_ctx *t, const tn_queue_event *e) { (void)t; (void)e; }
static void tn_queue_wait(struct tn_queue *q, const tn_queue_event *e) { (void)q; (void)e; }

#else

#ifndef TN_QUEUE_NBYTES                    // of the ring, a power of two
  #define TN_QUEUE_NBYTES (64 * 1024)
#endif
enum { TN_QUEUE_UNIT = 32 };               // bytes, of which items are multiples: what is left of the ring is one, too

typedef struct tn_queue_item {
  tn_queue_fn happens, ends;               // NULL: nothing to do
  int64_t nbytes;                          // with this head; what the functions are given follows
} tn_queue_item;

struct tn_queue {
  tiny_ctx *t; void *dev;
  char *ring; int64_t nbytes, ended;
  struct tn_pool *pool; int threads;       // NULL: the queue's thread runs all tasks
  int started, spins;                      // started: there is a thread; spins: and a core for each
  tn_pool_home home;
  tn_os_thread thread;
  tn_os_mutex lock; tn_os_cond work, done;
  tiny_code failed; char why[256];         // first, of what happened since the last sync
  char apart0[64]; int64_t given, sleeps, quit;              // counters of one side are cache lines apart from others
  char apart1[64]; int64_t happened, wanted;                 // wanted: the first place that somebody sleeps for
  int64_t cancellable;                     // what was given from here on belongs to a call that may be cancelled
  char apart2[64];
};

// ** what happens: on the queue's thread, or where there is none, on the context's **

static tn_queue_item *tn_queue_at(struct tn_queue *q, int64_t place) {
  return (tn_queue_item *)(void *)(q->ring + (place & (q->nbytes - 1)));
}

static void tn_queue_step(struct tn_queue *q) {
  const int64_t at = tn_os_atomic_load(&q->happened);
  tn_queue_item *u = tn_queue_at(q, at);
  const int64_t behind = at + u->nbytes;
  if (u->happens) u->happens(q->dev, u + 1);
  tn_os_atomic_store(&q->happened, behind);
  if (tn_os_atomic_load(&q->wanted) > behind) return;
  tn_os_lock(&q->lock);
  tn_os_atomic_store(&q->wanted, INT64_MAX);                 // who still sleeps says so again
  tn_os_wake_all(&q->done);
  tn_os_unlock(&q->lock);
}

static void tn_queue_work(void *arg) {
  struct tn_queue *q = (struct tn_queue *)arg;
  for (;;) {
    const int64_t next = tn_os_atomic_load(&q->happened) + 1;
    if (!tn_pool_spin(q->spins, &q->given, next)) {
      tn_os_lock(&q->lock);
      tn_os_atomic_store(&q->sleeps, 1);   // then reads given; who gives writes given, then reads sleeps
      while (tn_os_atomic_load(&q->given) < next && !tn_os_atomic_load(&q->quit)) tn_os_wait(&q->work, &q->lock);
      tn_os_atomic_store(&q->sleeps, 0);
      tn_os_unlock(&q->lock);
      if (tn_os_atomic_load(&q->given) < next) return;
    }
    (void)tn_float_enter();                // each time: a kernel may have left another mode behind
    tn_queue_step(q);
  }
}

// The first error since the last sync; for `happens`.
static void tn_queue_fail(struct tn_queue *q, tiny_code code, const char *what) {
  if (q->failed != TINY_OK) return;
  q->failed = code;
  snprintf(q->why, sizeof q->why, "%s", what);
}

// Where the place stands from which items may be left out when the call is cancelled; that of the item that happens.
// For `happens`.
static int64_t *tn_queue_cancellable(struct tn_queue *q) { return &q->cancellable; }
static int64_t tn_queue_place(struct tn_queue *q) { return tn_os_atomic_load(&q->happened); }
// On the context's thread: what is given from now on may be left out when the call is cancelled; or nothing may.
static void tn_queue_may_cancel(struct tn_queue *q, int may) {
  tn_os_atomic_store(&q->cancellable, may ? q->given : INT64_MAX);
}

// Tasks on the threads of the queue; for `happens`.
static void tn_queue_run(struct tn_queue *q, int n, void (*task)(void *arg, int i), void *arg) {
  tn_pool_run(q->pool, n, task, arg);
}

// Waits until `place` of q has happened; any thread may.
static void tn_queue_reach(struct tn_queue *q, int64_t place) {
  if (tn_pool_spin(q->spins, &q->happened, place)) return;
  tn_os_lock(&q->lock);
  for (;;) {
    if (tn_os_atomic_load(&q->wanted) > place) tn_os_atomic_store(&q->wanted, place);
    if (tn_os_atomic_load(&q->happened) >= place) break;
    tn_os_wait(&q->done, &q->lock);
  }
  tn_os_unlock(&q->lock);
}

// ** its thread **

// Locks and thread as before the first item. What is there of them in a child of fork is written over, not closed.
static void tn_queue_reset(struct tn_queue *q) {
  tn_pool_home_close(&q->home);
  q->started = 0;
  q->sleeps = q->quit = 0;
  q->wanted = INT64_MAX;
  q->cancellable = INT64_MAX;
  tn_os_mutex_open(&q->lock);
  tn_os_cond_open(&q->work);
  tn_os_cond_open(&q->done);
}

// What was given is seen to: by the thread, which sleeps or is not there yet; or here.
static void tn_queue_wake(struct tn_queue *q) {
  if (q->started && tn_pool_home_left(&q->home)) tn_queue_reset(q);
  if (!q->started) {
    tn_pool_home_open(&q->home);
    q->started = tn_os_thread_start(&q->thread, tn_queue_work, q);
  }
  if (!q->started) {
    const tn_float_mode was = tn_float_enter();
    tn_pool_home_close(&q->home);
    while (tn_os_atomic_load(&q->happened) < q->given) tn_queue_step(q);
    tn_float_leave(&was);
  } else if (tn_os_atomic_load(&q->sleeps)) {
    tn_os_lock(&q->lock);
    tn_os_wake_one(&q->work);
    tn_os_unlock(&q->lock);
  }
}

// ** on the context's thread **

// Gives back what items that have happened held.
static void tn_queue_reap(struct tn_queue *q) {
  const int64_t happened = tn_os_atomic_load(&q->happened);
  while (q->ended < happened) {
    tn_queue_item *u = tn_queue_at(q, q->ended);
    if (u->ends) u->ends(q->dev, u + 1);
    q->ended += u->nbytes;
  }
}

static void tn_queue_own_reach(struct tn_queue *q, int64_t place) {
  if (tn_os_atomic_load(&q->happened) < place) { tn_queue_wake(q); tn_queue_reach(q, place); }
  tn_queue_reap(q);
}
static void tn_queue_drain(struct tn_queue *q) { tn_queue_own_reach(q, q->given); }

// Everything has happened. What went wrong meanwhile is the context's error, once.
static tiny_code tn_queue_sync(struct tn_queue *q) {
  tn_queue_drain(q);
  const tiny_code code = q->failed;
  q->failed = TINY_OK;
  return code == TINY_OK ? code : tiny_fail(q->t, code, "%s", q->why);
}

// Where the next item is to be written, for tn_queue_push. NULL: it would be too large; everything has happened.
static void *tn_queue_room(struct tn_queue *q, tn_queue_fn happens, tn_queue_fn ends, size_t nbytes) {
  if (nbytes > (size_t)(q->nbytes / 4) - sizeof(tn_queue_item)) { tn_queue_drain(q); return NULL; }
  const int64_t whole = (int64_t)((nbytes + sizeof(tn_queue_item) + TN_QUEUE_UNIT - 1) / TN_QUEUE_UNIT * TN_QUEUE_UNIT);
  const int64_t rest = q->nbytes - (q->given & (q->nbytes - 1)), skipped = rest < whole ? rest : 0;
  const int64_t last = q->given + skipped + whole - q->nbytes;                 // what lies before is written over
  tn_queue_reap(q);
  if (q->ended < last) tn_queue_own_reach(q, last > q->given - q->nbytes / 2 ? last : q->given - q->nbytes / 2);
  tn_queue_item *u = tn_queue_at(q, q->given);
  if (skipped) {
    u->happens = u->ends = NULL; u->nbytes = skipped;
    tn_os_atomic_add(&q->given, skipped);
    u = tn_queue_at(q, q->given);
  }
  u->happens = happens; u->ends = ends; u->nbytes = whole;
  return u + 1;
}
// Gives the item that was written where tn_queue_room said.
static void tn_queue_push(struct tn_queue *q) {
  tn_os_atomic_add(&q->given, tn_queue_at(q, q->given)->nbytes);
  tn_queue_wake(q);
}

// ** events **

// The place that q stands at. Where memory is refused, one that has happened.
static const tn_queue_event *tn_queue_event_new(struct tn_queue *q) {
  tn_queue_event *e = (tn_queue_event *)tiny_realloc(q->t, NULL, 0, sizeof *e);
  if (!e) { tn_queue_drain(q); return &tn_queue_happened; }
  e->queue = q; e->place = q->given;
  return e;
}
static void tn_queue_event_free(tiny_ctx *t, const tn_queue_event *e) {
  if (e && e != &tn_queue_happened) tn_release(t, (void *)(uintptr_t)e, sizeof *e);
}

static void tn_queue_later_wait(void *dev, void *item) {
  const tn_queue_event *e = (const tn_queue_event *)item;
  (void)dev;
  tn_queue_reach(e->queue, e->place);
}
// What is given to q from now on happens after e. q NULL: the caller waits.
static void tn_queue_wait(struct tn_queue *q, const tn_queue_event *e) {
  if (!e->queue || e->queue == q || tn_os_atomic_load(&e->queue->happened) >= e->place) return;
  if (!q) { tn_queue_reach(e->queue, e->place); return; }
  *(tn_queue_event *)tn_queue_room(q, tn_queue_later_wait, NULL, sizeof *e) = *e;
  tn_queue_push(q);
}

// ** opening and closing **

// Devices go on by themselves where there are several and the library may start threads.
static int tn_queue_wanted(const tiny_ctx *t) { return t->ndevice > 1 && t->pool && !t->pool->host.fn; }

// Each device has its share of the context's threads, at least one.
static int tn_queue_threads(const struct tn_queue *q) { return q->threads; }
// Which runs its tasks; NULL: its own thread.
static struct tn_pool *tn_queue_pool(const struct tn_queue *q) { return q->pool; }

// Waits for what is left.
static void tn_queue_close(struct tn_queue *q) {
  tiny_ctx *t = q->t;
  tn_queue_drain(q);
  if (q->started && q->home.process != tn_os_process_id()) tn_queue_reset(q);
  if (q->started) {
    tn_os_lock(&q->lock);
    tn_os_atomic_store(&q->quit, 1);
    tn_os_wake_one(&q->work);
    tn_os_unlock(&q->lock);
    tn_os_thread_join(&q->thread);
  }
  tn_os_mutex_close(&q->lock);
  tn_os_cond_close(&q->work);
  tn_os_cond_close(&q->done);
  tn_pool_home_close(&q->home);
  tn_pool_free(t, q->pool);
  tn_release(t, q->ring, (size_t)q->nbytes);
  tn_release(t, q, sizeof *q);
}

// For a context of which tn_queue_wanted holds. NULL: memory was refused, which is recorded. The thread starts with the
// first item.
static struct tn_queue *tn_queue_open(tiny_ctx *t, void *dev) {
  const int share = t->pool->threads / t->ndevice, threads = share > 1 ? share : 1;
  const int spins = threads * t->ndevice <= tn_os_cores();
  struct tn_queue *q = (struct tn_queue *)tiny_realloc(t, NULL, 0, sizeof *q);
  char *ring = (char *)tiny_realloc(t, NULL, 0, TN_QUEUE_NBYTES);
  struct tn_pool *pool = threads > 1 ? tn_pool_new(t, threads, spins) : NULL;
  if (!q || !ring || (threads > 1 && !pool)) {
    tn_release(t, q, sizeof *q);
    tn_release(t, ring, TN_QUEUE_NBYTES);
    tn_pool_free(t, pool);
    tiny_fail(t, TINY_E_MEMORY, "no memory for a device that goes on by itself");
    return NULL;
  }
  memset(q, 0, sizeof *q);
  q->t = t; q->dev = dev;
  q->ring = ring; q->nbytes = TN_QUEUE_NBYTES;
  q->pool = pool; q->threads = threads; q->spins = spins;
  tn_queue_reset(q);
  return q;
}
#endif // TINY_NO_THREADS
#endif
