// also: tsan late valgrind
// test_loader: batches hold each item once an epoch, in the order that the seed decides, whatever makes them, a thread or none; of
// tensors, memory and what a function fetches; the last batch in three ways; failures, memory, fork, closing early.
#include "../src/all.c"
#include "test.h"
#include "memory_test.h"
#ifndef _WIN32
  #include <unistd.h>
  #include <sys/wait.h>
#endif

enum { ITEMS = 103, BATCH = 8, WIDTH = 3 };
static tiny_ctx *t;
static float row[ITEMS][WIDTH];
static int32_t label[ITEMS];

static void fill(void) {
  for (int i = 0; i < ITEMS; i++) { label[i] = i; for (int k = 0; k < WIDTH; k++) row[i][k] = (float)(i * 10 + k); }
}
// Fetches row and, as the third array, twice its number as f64; fails at item *user.
typedef struct fetching { int64_t fails; int calls; } fetching;
static int fetch(void *user, int64_t item, void *const *out) {
  fetching *f = (fetching *)user;
  f->calls++;
  if (item == f->fails) return 0;
  if (out[0]) memcpy(out[0], row[item], sizeof row[item]);
  if (out[2]) { const double twice = 2.0 * (double)item; memcpy(out[2], &twice, sizeof twice); }
  return out[1] == NULL;
}
// kind 0: all in memory; 1: the rows are a tensor; 2: the rows are fetched.
static tiny_loader_desc desc(int kind, tiny_tensor *x, fetching *f) {
  tiny_loader_desc d;
  memset(&d, 0, sizeof d);
  d.n = ITEMS; d.batch = BATCH; d.narray = kind == 2 ? 3 : 2;
  d.array[0].dtype = TINY_F32; d.array[0].shape = TINY_SHAPE(WIDTH);
  if (kind == 0) d.array[0].data = row;
  if (kind == 1) d.array[0].tensor = x;
  if (kind == 2) { d.fetch = fetch; d.user = f; d.array[2].dtype = TINY_F64; d.array[2].shape = TINY_SHAPE(); }
  d.array[1].data = label; d.array[1].dtype = TINY_I32; d.array[1].shape = TINY_SHAPE();
  return d;
}
// One epoch: the labels in their order; how many there were.
static int epoch(tiny_loader *l, int narray, int lengths, int32_t *order) {
  int count = 0;
  tiny_tensor *b[TINY_LOADER_ARRAYS];
  for (int64_t n;;) {
    float x[BATCH][WIDTH];
    double twice[BATCH];
    tiny_begin(t);
    if (!(n = tiny_loader_next(l, b))) { CHECK(!tiny_ok(b[0])); tiny_end(t); break; }
    CHECK(n >= 1 && n <= BATCH && tiny_shape_now(b[0]).dim[0] == n && tiny_shape_of(b[0]).dim[0] == (lengths ? BATCH : n));
    CHECK(tiny_read(b[0], x, (size_t)n * sizeof *x) == TINY_OK && tiny_read(b[1], order + count, (size_t)n * sizeof *order) == TINY_OK);
    if (narray > 2) CHECK(tiny_read(b[2], twice, (size_t)n * sizeof *twice) == TINY_OK);
    for (int i = 0; i < n; i++) {
      CHECK(order[count + i] >= 0 && order[count + i] < ITEMS && !memcmp(x[i], row[order[count + i]], sizeof *x));
      if (narray > 2) CHECK(twice[i] == 2.0 * order[count + i]);
    }
    count += (int)n;
    CHECK(tiny_end(t) == TINY_OK);
  }
  return count;
}
static int each_once(const int32_t *order, int n) {
  int seen[ITEMS] = {0}, wrong = 0;
  for (int i = 0; i < n; i++) wrong += seen[order[i]]++;
  return !wrong;
}

static void orders(void) {
  tiny_tensor *x = tiny_from(t, row, TINY_F32, TINY_SHAPE(ITEMS, WIDTH));
  static int32_t want[3][ITEMS], order[ITEMS + BATCH];
  for (int kind = 0; kind < 3; kind++) for (int prefetch = -1; prefetch < 4; prefetch++) for (int shuffle = 0; shuffle < 2; shuffle++) {
    fetching f = {-1, 0};
    tiny_loader_desc d = desc(kind, x, &f);
    d.prefetch = prefetch; d.shuffle = shuffle; d.seed = 9;
    tiny_loader *l = tiny_loader_open(t, &d);
    CHECK_EQ(tiny_loader_count(l), 13);
    for (int e = 0; e < 3; e++) {
      CHECK_EQ(epoch(l, d.narray, 0, order), ITEMS);
      CHECK(each_once(order, ITEMS));
      if (!shuffle) { for (int i = 0; i < ITEMS; i++) CHECK_EQ(order[i], i); continue; }
      if (!kind && prefetch < 0) memcpy(want[e], order, sizeof want[e]);     // the first: all others are alike
      CHECK(!memcmp(want[e], order, sizeof want[e]));
    }
    CHECK(kind < 2 || f.calls >= 3 * ITEMS);
    tiny_loader_close(l);
  }
  CHECK(memcmp(want[0], want[1], sizeof want[0]) && memcmp(want[1], want[2], sizeof want[0]));
  tiny_loader_desc d = desc(0, NULL, NULL);                  // another seed; an epoch later
  d.shuffle = 1; d.seed = 10;
  tiny_loader *l = tiny_loader_open(t, &d);
  CHECK(epoch(l, 2, 0, order) == ITEMS && memcmp(want[0], order, sizeof want[0]));
  tiny_loader_close(l);
  d.seed = 9; d.epoch = 2;
  l = tiny_loader_open(t, &d);
  CHECK(epoch(l, 2, 0, order) == ITEMS && !memcmp(want[2], order, sizeof want[0]));
  tiny_loader_close(l);
}
// Where items go: each place equally often.
static void shuffles_evenly(void) {
  enum { FEW = 5, EPOCHS = 2000 };
  int count[FEW][FEW] = {{0}};
  tiny_loader_desc d;
  memset(&d, 0, sizeof d);
  d.n = FEW; d.batch = FEW; d.narray = 1; d.shuffle = 1;
  d.array[0].data = label; d.array[0].dtype = TINY_I32; d.array[0].shape = TINY_SHAPE();
  tiny_loader *l = tiny_loader_open(t, &d);
  for (int e = 0; e < EPOCHS; e++) {
    int32_t got[FEW];
    tiny_tensor *b[1];
    tiny_begin(t);
    CHECK(tiny_loader_next(l, b) == FEW && tiny_read(b[0], got, sizeof got) == TINY_OK);
    for (int i = 0; i < FEW; i++) count[i][got[i]]++;
    CHECK_EQ(tiny_loader_next(l, b), 0);
    tiny_end(t);
  }
  for (int i = 0; i < FEW * FEW; i++) CHECK(abs(count[i / FEW][i % FEW] - EPOCHS / FEW) < 100);     // five deviations
  tiny_loader_close(l);
}
static void last_batches(void) {
  static int32_t order[ITEMS + BATCH];
  tiny_tensor *x = tiny_from(t, row, TINY_F32, TINY_SHAPE(ITEMS, WIDTH));
  for (int kind = 0; kind < 3; kind++) {
    fetching f = {-1, 0};
    tiny_loader_desc d = desc(kind, x, &f);
    d.drop_last = 1;
    tiny_loader *l = tiny_loader_open(t, &d);
    CHECK(tiny_loader_count(l) == 12 && epoch(l, d.narray, 0, order) == 96 && epoch(l, d.narray, 0, order) == 96);
    tiny_loader_close(l);
    d.drop_last = 0; d.lengths = 1;
    l = tiny_loader_open(t, &d);
    CHECK(epoch(l, d.narray, 1, order) == ITEMS);
    const uint64_t before = tiny_stats_of(t).schedules;      // one plan, whatever the size
    double sum = 0;
    tiny_tensor *b[3];
    for (;;) {
      tiny_begin(t);
      const int64_t n = tiny_loader_next(l, b);
      if (n) sum += tiny_item(tiny_sum(b[0], TINY_ALL, 0));
      tiny_end(t);
      if (!n) break;
    }
    CHECK(sum == WIDTH * 10.0 * ITEMS * (ITEMS - 1) / 2 + 3.0 * ITEMS && tiny_stats_of(t).schedules - before <= 1);
    tiny_loader_close(l);
  }
  tiny_loader_desc d = desc(0, NULL, NULL);
  tiny_tensor *b[2];
  d.n = 3; d.drop_last = 1;                // none at all
  tiny_loader *l = tiny_loader_open(t, &d);
  CHECK(tiny_loader_count(l) == 0 && tiny_loader_next(l, b) == 0 && tiny_loader_next(l, b) == 0);
  tiny_loader_close(l);
}

static const char *said(void) {
  static char text[1024];
  snprintf(text, sizeof text, "%s", tiny_error(t));
  tiny_clear(t);
  return text;
}
static void failures(void) {
  fetching f = {20, 0};
  tiny_tensor *b[TINY_LOADER_ARRAYS];
  for (int prefetch = -1; prefetch < 3; prefetch += 3) {
    tiny_loader_desc d = desc(2, NULL, &f);
    d.prefetch = prefetch;
    tiny_loader *l = tiny_loader_open(t, &d);
    tiny_begin(t);
    CHECK(tiny_loader_next(l, b) == 8 && tiny_loader_next(l, b) == 8 && tiny_loader_next(l, b) == 0);
    CHECK(!tiny_ok(b[0]) && tiny_status(t) == TINY_E_IO);
    CHECK_STR(said(), "loader_next: item 20 could not be fetched");
    CHECK(tiny_loader_next(l, b) == 0 && tiny_status(t) == TINY_E_IO);
    tiny_clear(t);
    tiny_end(t);
    tiny_loader_close(l);
  }
  tiny_loader_desc d = desc(0, NULL, NULL);
  memset(d.array, 0, sizeof d.array);
  d.narray = 0;
  CHECK(!tiny_loader_open(t, &d));
  CHECK_STR(said(), "loader_open: 1 to 8 arrays (0)");
  d = desc(0, NULL, NULL);
  d.array[0].data = NULL;
  CHECK(!tiny_loader_open(t, &d));
  CHECK_STR(said(), "loader_open: an array with neither tensor, data nor fetch (0)");
  d = desc(1, tiny_zeros(t, TINY_F32, TINY_SHAPE(4, 4)), NULL);
  CHECK(!tiny_loader_open(t, &d));
  CHECK_STR(said(), "loader_open: (4,4) does not hold 103 items along its first dim");
  d = desc(0, NULL, NULL);
  d.array[0].shape = TINY_SHAPE((int64_t)1 << 50);
  d.n = d.batch = 1 << 20;
  CHECK(!tiny_loader_open(t, &d));
  CHECK_STR(said(), "loader_open: batches larger than memory; their items (1048576)");
  d = desc(0, NULL, NULL);
  d.array[0].dtype = TINY_VOID;
  CHECK(!tiny_loader_open(t, &d) && tiny_status(t) == TINY_E_DTYPE);
  tiny_clear(t);
  CHECK(!tiny_loader_open(t, NULL) && tiny_status(t) == TINY_E_ARG);
  tiny_clear(t);
  CHECK(!tiny_loader_open(NULL, &d) && tiny_loader_next(NULL, b) == 0 && tiny_loader_count(NULL) == 0);
  tiny_loader_close(NULL);
  tiny_tensor *x = tiny_from(t, row, TINY_F32, TINY_SHAPE(ITEMS, WIDTH));        // a tensor that dies
  d = desc(1, x, NULL);
  tiny_loader *l = tiny_loader_open(t, &d);
  tiny_free(x);
  CHECK(tiny_loader_next(l, b) == 0 && tiny_status(t) == TINY_E_STATE && !tiny_ok(b[1]));
  tiny_clear(t);
  CHECK(tiny_loader_next(l, NULL) == 0 && tiny_status(t) == TINY_E_ARG);
  tiny_clear(t);
  tiny_loader_close(l);
}
// A loop of frames over several epochs; arrays are counted; of a tensor the first n items.
static void loops(void) {
  static int32_t order[3 * ITEMS];
  int frames = 0, inner = 0;
  tiny_tensor *b[2], *sum = tiny_zeros(t, TINY_F32, TINY_SHAPE()), *x = tiny_from(t, row, TINY_F32, TINY_SHAPE(ITEMS, WIDTH));
  tiny_realize(&sum, 1);
  tiny_loader_desc d = desc(1, x, NULL);
  d.narray = 0; d.n = 50; d.epochs = 3; d.batch = 20; d.shuffle = 1;
  tiny_loader *l = tiny_loader_open(t, &d);
  CHECK_EQ(tiny_loader_count(l), 3);
  for (int round = 0; round < 2; round++) {
    int64_t items = 0, n;
    while ((n = tiny_loader_each(l, b)) > 0) {
      CHECK_EQ(tiny_read(b[1], order + items, (size_t)n * sizeof *order), TINY_OK);
      tiny_assign(sum, tiny_add(sum, tiny_cast(tiny_sum(b[1], TINY_ALL, 0), TINY_F32)));
      items += n;
      frames++;
    }
    CHECK_EQ(items, 150);
    for (int e = 0; e < 3; e++) {
      int seen[50] = {0}, all = 0;
      for (int i = 0; i < 50; i++) if (order[50 * e + i] >= 0 && order[50 * e + i] < 50) all += !seen[order[50 * e + i]]++;
      CHECK_EQ(all, 50);
    }
    CHECK_EQ(tiny_end(t), TINY_E_STATE);   // no frame is open
    tiny_clear(t);
  }
  CHECK_EQ(frames, 18);
  CHECK_EQ(tiny_item(sum), 6 * 49 * 25);
  // within a frame of the caller's, left by break, whose frame the caller ends
  tiny_begin(t);
  while (tiny_loader_each(l, b) > 0) if (++inner == 2) break;
  CHECK(tiny_ok(b[0]));
  CHECK(tiny_end(t) == TINY_OK && !tiny_ok(b[0]) && tiny_end(t) == TINY_OK);
  for (inner = 0; tiny_loader_each(l, b) > 0;) inner++;
  CHECK_EQ(inner, 7);
  CHECK_EQ(tiny_end(t), TINY_E_STATE);
  tiny_clear(t);
  // an error in a turn ends the loop, and its frame
  for (inner = 0; tiny_loader_each(l, b) > 0; inner++) tiny_reshape(b[0], TINY_SHAPE(7));
  CHECK(inner == 1 && tiny_status(t) == TINY_E_SHAPE);
  tiny_clear(t);
  CHECK_EQ(tiny_end(t), TINY_E_STATE);
  tiny_clear(t);
  CHECK(tiny_loader_each(l, NULL) == 0 && tiny_status(t) == TINY_E_ARG && tiny_loader_each(NULL, b) == 0);
  tiny_clear(t);
  tiny_loader_close(l);
  tiny_free(sum);
  tiny_free(x);
  d.epochs = -1;
  CHECK(!tiny_loader_open(t, &d));
  CHECK_STR(said(), "loader_open: n, batch, epochs and epoch are from 0 to 2^62 (-1)");
}
// Tensors that tell how many items there are tell the same; a batch takes no more memory than the items that it can have.
static void counts_items(void) {
  tiny_tensor *b[2], *tall = tiny_zeros(t, TINY_F32, TINY_SHAPE(6, 2)), *flat = tiny_zeros(t, TINY_F32, TINY_SHAPE(4)), *none = tiny_zeros(t, TINY_F32, TINY_SHAPE(0, 2));
  tiny_tensor *const pairs[3][2] = {{tall, flat}, {flat, tall}, {none, flat}};
  static const char *const says[3] = {"(4,) does not hold 6", "(6,2) does not hold 4", "(4,) does not hold 0"};
  tiny_loader_desc d;
  memset(&d, 0, sizeof d);
  for (int i = 0; i < 3; i++) {
    d.array[0].tensor = pairs[i][0]; d.array[1].tensor = pairs[i][1];
    CHECK(!tiny_loader_open(t, &d));
    CHECK(strstr(said(), says[i]) != NULL);
  }
  d.array[1].tensor = NULL;
  tiny_loader *l = tiny_loader_open(t, &d);                  // no items at all
  CHECK(tiny_loader_count(l) == 0 && tiny_loader_next(l, b) == 0 && tiny_loader_each(l, b) == 0 && tiny_status(t) == TINY_OK);
  tiny_loader_close(l);
  d = desc(0, NULL, NULL);
  d.n = 0;
  CHECK(!tiny_loader_open(t, &d));
  CHECK_STR(said(), "loader_open: no tensor tells how many items there are; n (0)");
  for (int drop = 0; drop < 2; drop++) {
    d.n = ITEMS; d.batch = INT32_MAX; d.prefetch = 64; d.drop_last = drop;       // 64 batches of them would be 2 TiB
    CHECK((l = tiny_loader_open(t, &d)) != NULL);
    CHECK_EQ(tiny_loader_next(l, b), drop ? 0 : ITEMS);
    tiny_loader_close(l);
  }
  tiny_free(tall);
  tiny_free(flat);
  tiny_free(none);
}
// Closed while the thread is at work, waits, or has not begun; by tiny_close, too.
static void closes(void) {
  for (int i = 0; i < 30; i++) {
    fetching f[2] = {{-1, 0}, {-1, 0}};
    tiny_desc o;
    memset(&o, 0, sizeof o);
    o.device = "INTERP"; o.cache_dir = "";
    tiny_ctx *own = tiny_open(&o);
    const tiny_loader_desc d = desc(2, NULL, f), e = desc(2, NULL, f + 1);
    tiny_tensor *b[TINY_LOADER_ARRAYS];
    tiny_loader *first = tiny_loader_open(own, &d), *l = tiny_loader_open(own, &e);
    if (i % 3) CHECK(tiny_loader_next(l, b) == BATCH);
    if (i % 2) tiny_loader_close(first);
    tiny_close(own);
  }
}

static void refused_memory(void) {
  for (int kind = 0; kind < 3; kind++) for (long fail = 1, done = 0; !done; fail++) {
    memory_count m;
    tiny_desc o;
    fetching f = {-1, 0};
    memset(&m, 0, sizeof m);
    memset(&o, 0, sizeof o);
    o.device = "INTERP"; o.cache_dir = ""; o.threads = 1;
    o.alloc.fn = memory_fn; o.alloc.user = &m;
    tiny_ctx *own = tiny_open(&o);
    tiny_tensor *x = tiny_from(own, row, TINY_F32, TINY_SHAPE(ITEMS, WIDTH)), *b[TINY_LOADER_ARRAYS];
    tiny_loader_desc d = desc(kind, x, &f);
    d.shuffle = 1; d.lengths = kind == 1;
    m.fail_at = m.calls + fail;
    tiny_loader *l = tiny_loader_open(own, &d);
    CHECK(l || tiny_status(own) == TINY_E_MEMORY);
    done = l && tiny_loader_next(l, b) == BATCH;
    CHECK(done || tiny_status(own) == TINY_E_MEMORY);
    if (l && !done) {                      // the batch is not lost
      m.fail_at = 0;
      tiny_clear(own);
      CHECK(tiny_loader_next(l, b) == BATCH);
    }
    tiny_close(own);
    CHECK(!m.live && !m.wrong);
  }
}

// A child of fork goes on where its parent was, without the thread.
static void forks(void) {
#if !defined(_WIN32) && !defined(TINY_NO_THREADS)
  fetching f = {-1, 0};
  static int32_t want[ITEMS + BATCH], order[ITEMS + BATCH];
  tiny_loader_desc d = desc(2, NULL, &f);
  tiny_tensor *b[TINY_LOADER_ARRAYS];
  d.shuffle = 1;
  tiny_loader *l = tiny_loader_open(t, &d);
  tiny_begin(t);
  CHECK(tiny_loader_next(l, b) == BATCH);
  tiny_end(t);
  const pid_t child = fork();
  const int n = epoch(l, 3, 0, child ? want : order);
  if (!child) {
    tiny_loader_close(l);
    _exit(n == ITEMS - BATCH && each_once(order, n) ? 0 : 1);
  }
  int status = 1;
  CHECK(n == ITEMS - BATCH && waitpid(child, &status, 0) == child && status == 0);
  tiny_loader_close(l);
#endif
}

int main(void) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "INTERP"; d.threads = 1;
  fill();
  t = tiny_open(&d);
  orders();
  shuffles_evenly();
  last_batches();
  CHECK_STR(tiny_error(t), "");
  failures();
  forks();
  loops();
  counts_items();
  CHECK_STR(tiny_error(t), "");
  tiny_close(t);
  closes();
  refused_memory();
  return test_report();
}
