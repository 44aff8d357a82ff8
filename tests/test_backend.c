// also: tsan valgrind
// test_backend: the contract of tiny_backend: what the library asks of a device, and what it does with what one gives.
// INTERP is late here in every build (late.h).
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif
#ifndef TN_TEST_BACKEND
  #define TN_TEST_BACKEND "../../tests/late.h"
#endif
#include "../src/all.c"
#include "test.h"
#include "memory_test.h"

static tiny_ctx *open_with(const tiny_backend *b, const char *device) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.backends[0] = b; d.device = device; d.cache_dir = "";
  return tiny_open(&d);
}

// ** the version **

static void *must_not_open(tiny_ctx *t, const char *which, tiny_limits *limits) {
  (void)t; (void)which; (void)limits;
  CHECK(!"a backend of another release is opened");
  return NULL;
}
static void test_version(void) {
  static const char *const devices[] = {NULL, "FAKE", "CPU"};              // asked for or not
  tiny_backend fake = tn_interp_backend;
  char text[256];
  fake.name = "FAKE"; fake.open = must_not_open;
  for (int i = 0; i < 6; i++) {
    fake.version = i < 3 ? TINY_BACKEND_VERSION + 8 : 0;                   // a function more; not set
    tiny_ctx *t = open_with(&fake, devices[i % 3]);
    CHECK_EQ(tiny_status(t), TINY_E_DEVICE);
    snprintf(text, sizeof text, "FAKE was compiled against another tiny.h: its backend has version %u.%u, this one "
             "takes %u.%u; take both headers from one release", fake.version >> 16, fake.version & 0xFFFF,
             (unsigned)TINY_BACKEND_VERSION >> 16, (unsigned)TINY_BACKEND_VERSION & 0xFFFF);
    CHECK_STR(tiny_error(t), text);
    CHECK(!tiny_ok(tiny_full(t, 1, TINY_F32, TINY_SHAPE(2))));
    tiny_close(t);
  }
  fake = tn_interp_backend;
  fake.name = "FAKE";
  tiny_ctx *t = open_with(&fake, NULL);
  CHECK_STR(tiny_device_name(t, 0), "FAKE");
  CHECK_EQ(tiny_item(tiny_add(tiny_full(t, 1, TINY_F32, TINY_SHAPE()), tiny_full(t, 2, TINY_F32, TINY_SHAPE()))), 3);
  tiny_close(t);
}

// ** a copy of the CPU's **

static const tiny_backend *cpu;
static size_t held, most_held;
static int copies_in, copies_out;
static void *mine_open(tiny_ctx *t, const char *which, tiny_limits *limits) {
  void *dev = cpu->open(t, which, limits);
  limits->host_memory = 0;
  return dev;
}
static void *mine_alloc(void *dev, size_t nbytes) {
  void *mem = cpu->alloc(dev, nbytes);
  if (mem) held += nbytes;
  if (held > most_held) most_held = held;
  return mem;
}
static void mine_free(void *dev, void *mem, size_t nbytes) {
  held -= nbytes;
  cpu->free(dev, mem, nbytes);
}
static tiny_code mine_copy_in(void *dev, tiny_mem dst, const void *src, size_t nbytes) {
  copies_in++;
  return cpu->copy_in(dev, dst, src, nbytes);
}
static tiny_code mine_copy_out(void *dev, void *dst, tiny_mem src, size_t nbytes) {
  copies_out++;
  return cpu->copy_out(dev, dst, src, nbytes);
}
static tiny_tensor *block_of(tiny_ctx *t) {
  float in[64 * 64];
  for (int i = 0; i < 64 * 64; i++) in[i] = (float)(i * 7 % 64) / 64;
  tiny_tensor *x = tiny_from(t, in, TINY_F32, TINY_SHAPE(64, 64));
  return tiny_softmax(tiny_matmul(x, tiny_relu(tiny_matmul(x, x))), -1);
}
// What differs in a few functions is a device like the one it was copied from: to the bit, beside it, without a compiler.
static void test_copy(const char *devices, const char *compiler) {
  tiny_backend mine = *cpu;
  mine.name = "MINE"; mine.open = mine_open;
  mine.alloc = mine_alloc; mine.free = mine_free; mine.copy_in = mine_copy_in; mine.copy_out = mine_copy_out;
  copies_in = copies_out = 0; most_held = 0;
  if (compiler) setenv("TINY_CC", compiler, 1);
  tiny_ctx *t = open_with(&mine, devices), *u = open_with(NULL, "CPU");
  float got[64 * 64], want[64 * 64];
  CHECK_EQ(tiny_read(block_of(t), got, sizeof got), TINY_OK);
  CHECK_EQ(tiny_read(block_of(u), want, sizeof want), TINY_OK);
  CHECK(!memcmp(got, want, sizeof got));
  CHECK(copies_in > 0 && copies_out > 0 && most_held >= sizeof got);
  CHECK_EQ(tiny_stats_of(t).interpreted > 0, compiler != NULL);
  if (tiny_device_count(t) > 1) {
    tiny_tensor *there = tiny_to(block_of(t), 1);
    CHECK_EQ(tiny_device_of(there), 1);
    CHECK_EQ(tiny_read(there, got, sizeof got), TINY_OK);
    CHECK(!memcmp(got, want, sizeof got));
  }
  CHECK_STR(tiny_error(t), "");
  tiny_close(t); tiny_close(u);
  CHECK_EQ(held, 0);
  if (compiler) unsetenv("TINY_CC");
}
static void test_named(void) {
  static const char *const there[] = {"CPU", "LLVM", "INTERP", "NULL"};
  for (int i = 0; i < 4; i++) CHECK(i == 2 || !strcmp(tiny_backend_named(there[i])->name, there[i]));  // here 2 is another
  CHECK(!tiny_backend_named("CP") && !tiny_backend_named("CPU:1") && !tiny_backend_named("") && !tiny_backend_named(NULL));
  cpu = tiny_backend_named("CPU");
  test_copy("MINE", NULL);
  test_copy("MINE,CPU", NULL);
  test_copy("MINE,MINE:1", NULL);
  test_copy("MINE", "/nonexistent/cc");
}

// ** launches **

static int launches, submits, submitted;
static tiny_code counted_launch(void *dev, const tiny_launch *l) { launches++; return late_backend.launch(dev, l); }
static tiny_code counted_submit(void *dev, const tiny_launch *l, int n) {
  submits++; submitted += n;
  CHECK(n > 1);
  return late_backend.submit(dev, l, n);
}
static void test_submit(void) {
  enum { KERNELS = 150, BATCHES = (KERNELS + TN_BATCH - 1) / TN_BATCH };
  tiny_backend b = late_backend;
  b.name = "COUNTED"; b.launch = counted_launch; b.submit = counted_submit;
  for (int alone = 0; alone < 2; alone++) {
    float out[4];
    if (alone) b.submit = NULL;
    tiny_ctx *t = open_with(&b, "COUNTED");
    const float in[4] = {1, 2, 3, 4};
    tiny_tensor *x = tiny_from(t, in, TINY_F32, TINY_SHAPE(4)), *y = x, *got;
    for (int i = 0; i < KERNELS; i++) y = tiny_contiguous(tiny_add(y, tiny_like(y, 1)));
    tiny_program *p = tiny_capture(t, &x, 1, &y, 1);
    CHECK_EQ(tiny_program_kernel_count(p), KERNELS);
    launches = submits = submitted = 0;
    for (int i = 0; i < 3; i++) {
      CHECK_EQ(tiny_run(p, &x, &got), TINY_OK);
      CHECK_EQ(tiny_read(got, out, sizeof out), TINY_OK);
      CHECK(out[0] == 1 + KERNELS && out[3] == 4 + KERNELS);
    }
    CHECK_EQ(submits, alone ? 0 : 3 * BATCHES);
    CHECK_EQ(submitted + launches, 3 * KERNELS);
    CHECK_EQ(launches, alone ? 3 * KERNELS : 0);
    CHECK_EQ(tiny_stats_of(t).kernels, 3 * KERNELS);
    CHECK_STR(tiny_error(t), "");
    tiny_close(t);
  }
}

// ** the time of a launch **

static int told_device, told_other;
static void hear_times(void *user, const char *line) {
  (void)user;
  if (!strncmp(line, "*** ", 4)) { if (strstr(line, " 5000.0 us")) told_device++; else told_other++; }
}
static void test_stamps(void) {
  static const char *const devices[] = {"INTERP:0", "INTERP:16", "INTERP:1", "CPU"};
  for (int i = 0; i < 4; i++) {
    tiny_desc d;
    memset(&d, 0, sizeof d);
    d.device = devices[i]; d.debug = "k"; d.cache_dir = ""; d.log.fn = hear_times;
    told_device = told_other = 0;
    tiny_ctx *t = tiny_open(&d);
    tiny_tensor *x = tiny_contiguous(tiny_arange(t, 0, 4, 1, TINY_F32));
    CHECK_EQ(tiny_item(tiny_sum(tiny_contiguous(tiny_add(x, x)), TINY_ALL, 0)), 12);
    const tiny_stats s = tiny_stats_of(t);
    CHECK(s.kernels >= 2 && s.device_ns > 0);
    CHECK_EQ(told_device + told_other, s.kernels);
    CHECK_EQ(told_device, i == 0 || i == 2 ? s.kernels : 0);               // of the device's clock, which is no host's
    if (told_device) CHECK_EQ(s.device_ns, s.kernels * LATE_NS);
    CHECK_STR(tiny_error(t), "");
    tiny_close(t);
  }
}

// ** memory that the host sees, or does not **

static int maps, copies_out;
static void *counted_map(void *dev, tiny_mem mem, size_t nbytes) { maps++; return late_backend.map(dev, mem, nbytes); }
static tiny_code counted_copy_out(void *dev, void *dst, tiny_mem src, size_t nbytes) {
  copies_out++;
  return late_backend.copy_out(dev, dst, src, nbytes);
}
// Everything that moves bytes between host and device: reads, writes, files, copies of what is overwritten.
static void moves_bytes(tiny_ctx *t, const char *path) {
  const float in[4] = {1, 2, 3, 4}, more[4] = {5, 6, 7, 8};
  float out[4];
  tiny_tensor *x = tiny_from(t, in, TINY_F32, TINY_SHAPE(4)), *old = tiny_mul(x, x), *y = tiny_contiguous(tiny_add(x, x));
  CHECK_EQ(tiny_realize(&y, 1), TINY_OK);
  CHECK_EQ(tiny_save_npy(y, path), TINY_OK);
  CHECK_EQ(tiny_read(tiny_load_npy(t, path), out, sizeof out), TINY_OK);
  CHECK(out[0] == 2 && out[3] == 8);
  CHECK_EQ(tiny_write(x, more, sizeof more), TINY_OK);       // old keeps what it was built from
  CHECK_EQ(tiny_read(tiny_add(x, old), out, sizeof out), TINY_OK);
  CHECK(out[0] == 6 && out[3] == 24);
  tiny_tensor *got, *sum = tiny_add(x, y);
  tiny_program *p = tiny_capture(t, &x, 1, &sum, 1);
  CHECK_EQ(tiny_run(p, &x, &got), TINY_OK);
  CHECK_EQ(tiny_item(tiny_sum(got, TINY_ALL, 0)), 46);
  tiny_begin(t);                           // w += x, in each run; what is built between them keeps what w was
  tiny_tensor *w = tiny_keep(tiny_from(t, in, TINY_F32, TINY_SHAPE(4)));
  tiny_tensor *all = tiny_sum(tiny_assign(w, tiny_add(w, x)), TINY_ALL, 0);
  p = tiny_capture(t, &x, 1, &all, 1);
  tiny_end(t);
  CHECK_EQ(tiny_run(p, &x, &got), TINY_OK);
  tiny_tensor *between = tiny_mul(w, tiny_from(t, in, TINY_F32, TINY_SHAPE(4)));
  CHECK_EQ(tiny_run(p, &x, &got), TINY_OK);
  CHECK_EQ(tiny_item(got), 62);
  CHECK_EQ(tiny_read(between, out, sizeof out), TINY_OK);
  CHECK(out[0] == 6 && out[1] == 16 && out[3] == 48);
  CHECK_EQ(tiny_reference(tiny_add(x, x), out, sizeof out), TINY_OK);
  CHECK(out[0] == 10 && out[3] == 16);
  CHECK_STR(tiny_error(t), "");
}
static void test_maps(const char *path) {
  tiny_backend b = late_backend;
  b.name = "COUNTED"; b.map = counted_map; b.copy_out = counted_copy_out;
  for (int i = 0; i < 32; i++) {
    char device[32];
    snprintf(device, sizeof device, "COUNTED:%d", i);
    maps = copies_out = 0;
    tiny_ctx *t = open_with(&b, device);
    moves_bytes(t, path);
    CHECK_EQ(maps > 0, i % 4 == 1 || i % 4 == 2);            // elsewhere handles are pointers
    CHECK(i % 4 == 2 ? copies_out >= 4 : copies_out <= 2);   // those of tiny_reference
    if (i % 4 == 1 || i % 4 == 2) {
      float mine[2] = {0, 0};
      CHECK(!tiny_ok(tiny_blob(t, mine, TINY_F32, TINY_SHAPE(2), NULL)));
    }
    tiny_close(t);
  }
}

// An array is unpacked into memory that a launch which has not run yet still writes.
static void test_unpacks_late(void) {
  for (int i = 0; i < 2; i++) {
    uint8_t in[2800], out[2800];
    int same = 0;
    tiny_ctx *t = open_with(NULL, i ? "INTERP:5" : "INTERP:4");              // never early
    tiny_archive *a = tiny_archive_open(t, "tests/corpus/npz/long.npz");
    tiny_tensor *first = tiny_archive_get(a, "long");
    const size_t nbytes = (size_t)tiny_nelem_of(first) * tiny_dtype_nbytes(tiny_dtype_of(first));
    CHECK(nbytes > 1024 && nbytes <= sizeof in);
    CHECK_EQ(tiny_read(first, in, nbytes), TINY_OK);
    tiny_tensor *x = tiny_contiguous(tiny_add(first, first));
    CHECK_EQ(tiny_realize(&x, 1), TINY_OK);
    const void *mem = ((tn_storage *)tn_plain_buffer(tn_uop_of(x))->ptr)->mem;
    tiny_free(x);
    tn_guard(t, tn_collect_all, NULL);
    tiny_tensor *again = tiny_archive_get(a, "long");
    same = mem == ((tn_storage *)tn_plain_buffer(tn_uop_of(again))->ptr)->mem;
    CHECK(same);                           // else the test tests nothing
    CHECK_EQ(tiny_read(again, out, nbytes), TINY_OK);
    CHECK(!memcmp(in, out, nbytes));
    tiny_close(t);
  }
}

// ** events **

// A device of the contract alone, with 4 numbers and a kernel that adds 1 to them.
typedef struct one { tiny_ctx *t; void *dev, *module, *mem; tiny_launch l; tiny_mem at; int wrong; } one;
static tiny_code one_load(tiny_ctx *t, void *arg) {
  one *o = (one *)arg;
  tn_list list = {NULL, 0, 0};
  if (!tn_parse(t, "o = (PARAM:i32:0 4) r = (RANGE:1:loop 4) e = (INDEX o r) (END (STORE e (ADD (LOAD e) 1:i32)) r)", &list))
    return t->code;
  o->module = late_backend.load_uops(o->dev, list.u, list.n);
  return t->code;
}
static void one_open(one *o, tiny_ctx *t, const char *which) {
  tiny_limits limits;
  memset(o, 0, sizeof *o); memset(&limits, 0, sizeof limits);
  o->t = t;
  o->dev = late_backend.open(t, which, &limits);
  o->mem = late_backend.alloc(o->dev, 16);
  o->at.base = o->mem;
  o->wrong += tn_guard(t, one_load, o) != TINY_OK;
  o->l.kernel = late_backend.find(o->dev, o->module, "k"); o->l.mem = &o->at; o->l.nmem = 1;
}
static int one_close(one *o) {             // how much went wrong on it
  late_backend.free(o->dev, o->mem, 16);
  late_backend.unload(o->dev, o->module);
  late_backend.close(o->dev);
  return o->wrong;
}
static void one_set(one *o, tiny_mem at, int32_t x) {
  const int32_t v[4] = {x, x, x, x};
  o->wrong += late_backend.copy_in(o->dev, at, v, sizeof v) != TINY_OK;
}
static int32_t one_get(one *o, tiny_mem at) {
  int32_t v[4];
  o->wrong += late_backend.copy_out(o->dev, v, at, sizeof v) != TINY_OK;
  return v[0] == v[1] && v[1] == v[2] && v[2] == v[3] ? v[0] : -1;
}

// b goes on where a stands, a where b stands, and so on, over the memory of a: 1, + 1, 10, + 1, 20 ..
static void test_events(tiny_ctx *t, tiny_ctx *u) {
  enum { TURNS = 6 };
  one d[2];
  void *event[TURNS];
  one_open(&d[0], t, "4"); one_open(&d[1], u, "4");          // never early
  for (int i = 0; i < TURNS; i++) {
    one *o = &d[i % 2];
    if (i) CHECK_EQ(late_backend.wait(o->dev, event[i - 1]), TINY_OK);
    one_set(o, d[0].at, 10 * i);
    o->l.mem = &d[0].at;
    CHECK_EQ(late_backend.launch(o->dev, &o->l), TINY_OK);
    event[i] = late_backend.event(o->dev);
    CHECK(event[i] != NULL);
    CHECK_EQ(late_backend.wait(o->dev, event[i]), TINY_OK);  // of its own: nothing
  }
  for (int i = 0; i < TURNS; i++) late_backend.event_free(d[i % 2].dev, event[i]);     // though nothing has happened
  CHECK_EQ(one_get(&d[1], d[0].at), 10 * (TURNS - 1) + 1);
  CHECK_EQ(late_backend.sync(d[0].dev), TINY_OK);
  CHECK_EQ(one_get(&d[0], d[0].at), 10 * (TURNS - 1) + 1);
  CHECK_EQ(one_close(&d[1]) + one_close(&d[0]), 0);
}
// Without a wait nothing is ordered: else the test above would test nothing.
static void test_no_events(tiny_ctx *t) {
  one a, b;
  one_open(&a, t, "4"); one_open(&b, t, "4");
  one_set(&a, a.at, 1);
  one_set(&b, a.at, 2);
  CHECK_EQ(one_get(&b, a.at), 2);
  CHECK_EQ(one_get(&a, a.at), 1);
  CHECK_EQ(one_close(&b) + one_close(&a), 0);
}
// What fails on a device is said there, not where somebody waited for it.
static void test_event_errors(tiny_ctx *t, tiny_ctx *u) {
  one a, b;
  one_open(&a, t, "4"); one_open(&b, u, "4");
  a.l.nmem = 0;
  CHECK_EQ(late_backend.launch(a.dev, &a.l), TINY_OK);
  void *event = late_backend.event(a.dev);
  CHECK_EQ(late_backend.wait(b.dev, event), TINY_OK);
  one_set(&b, b.at, 3);
  CHECK_EQ(one_get(&b, b.at), 3);
  CHECK_EQ(late_backend.sync(b.dev), TINY_OK);
  CHECK_EQ(tiny_status(u), TINY_OK);
  CHECK_EQ(late_backend.sync(a.dev), TINY_E_INTERNAL);
  CHECK(strstr(tiny_error(t), "PARAM 0 of a launch with 0 buffers") != NULL);
  CHECK_EQ(late_backend.sync(a.dev), TINY_OK);               // once
  tiny_clear(t);
  late_backend.event_free(a.dev, event);
  CHECK_EQ(one_close(&b) + one_close(&a), 0);
}

// ** copies between devices **

// b goes on with what a has computed, a with what b has, by copies: 1, + 1, copied, + 1, copied ..
static void test_copies(tiny_ctx *t, const char *first, const char *second) {
  enum { TURNS = 8 };
  one d[2];
  one_open(&d[0], t, first); one_open(&d[1], t, second);
  one_set(&d[0], d[0].at, 1);
  one_set(&d[1], d[1].at, 100);
  for (int i = 0; i < TURNS; i++) {
    one *from = &d[i % 2], *to = &d[(i + 1) % 2];
    from->l.mem = &from->at;
    CHECK_EQ(late_backend.launch(from->dev, &from->l), TINY_OK);
    void *written = late_backend.event(from->dev);
    CHECK_EQ(late_backend.wait(to->dev, written), TINY_OK);
    CHECK_EQ(late_backend.copy_from(to->dev, to->at, from->dev, from->at, 16), TINY_OK);
    void *copied = late_backend.event(to->dev);
    CHECK_EQ(late_backend.wait(from->dev, copied), TINY_OK);
    late_backend.event_free(from->dev, written);
    late_backend.event_free(to->dev, copied);
    one_set(from, from->at, 1000 + i);
  }
  CHECK_EQ(one_get(&d[1], d[1].at), 1000 + TURNS - 1);
  CHECK_EQ(one_get(&d[0], d[0].at), TURNS + 1);
  CHECK_EQ(one_close(&d[1]) + one_close(&d[0]), 0);
}
// What nobody waited for is noticed, on the device that does it: a copy of what is not there yet; a launch, a copy and
// a free of what is still to be copied.
static void test_wrong_copies(tiny_ctx *t, int what) {
  one a, b;
  tiny_mem more = {NULL, 0};
  one_open(&a, t, "4"); one_open(&b, t, "4");
  one_set(&a, a.at, 1);
  CHECK_EQ(one_get(&a, a.at), 1);
  if (what == 0) late_backend.launch(a.dev, &a.l);           // still to be written
  if (what == 4) one_set(&a, a.at, 2);
  more.base = late_backend.alloc(a.dev, 16);
  CHECK_EQ(late_backend.copy_from(b.dev, b.at, a.dev, a.at, 16), TINY_OK);
  if (what == 1) late_backend.launch(a.dev, &a.l);
  if (what == 2) one_set(&a, a.at, 2);
  if (what == 3) { late_backend.free(a.dev, a.mem, 16); a.mem = more.base; }
  one *wrong = what == 0 || what == 4 ? &b : &a;
  if (wrong == &b) CHECK_EQ(late_backend.sync(b.dev), TINY_E_INTERNAL);
  CHECK_EQ(late_backend.sync(a.dev), wrong == &a ? TINY_E_INTERNAL : TINY_OK);
  CHECK_EQ(late_backend.sync(b.dev), TINY_OK);
  CHECK(strstr(tiny_error(t), wrong == &a ? "still to be copied" : "still to write") != NULL);
  tiny_clear(t);
  if (what != 3) late_backend.free(a.dev, more.base, 16);
  CHECK_EQ(one_close(&b) + one_close(&a), 0);
}
static void test_all_copies(void) {
  char first[8], second[8];
  tiny_ctx *t = open_with(NULL, "INTERP");
  for (int i = 0; i < 256; i++) {
    snprintf(first, sizeof first, "%d", i & 15);
    snprintf(second, sizeof second, "%d", i >> 4);
    test_copies(t, first, second);
  }
  for (int what = 0; what < 5; what++) test_wrong_copies(t, what);
  CHECK_STR(tiny_error(t), "");
  tiny_close(t);
}

// Two contexts on two threads: each round the other one waits for an event, while the first goes on.
enum { ROUNDS = 50 };
typedef struct handed { int64_t given, taken; tiny_mem at; void *event; int wrong; } handed;
static void gives(void *arg) {
  handed *h = (handed *)arg;
  tiny_ctx *t = open_with(NULL, "INTERP");
  one a;
  void *old = NULL;
  one_open(&a, t, "12");                                     // early at one call of 64
  h->at = a.at;
  for (int i = 0; i < ROUNDS; i++) {
    one_set(&a, a.at, 100 * i);
    late_backend.launch(a.dev, &a.l);
    void *event = late_backend.event(a.dev);
    h->event = event;
    tn_os_atomic_store(&h->given, i + 1);
    if (old) late_backend.event_free(a.dev, old);            // its wait was called a round ago
    old = event;
    void *mem = late_backend.alloc(a.dev, 16);               // it goes on: memory, copies, launches
    tiny_mem at = {mem, 0};
    one_set(&a, at, 7);
    late_backend.free(a.dev, mem, 16);
    if (i % 8 == 0) a.wrong += late_backend.sync(a.dev) != TINY_OK;
    while (tn_os_atomic_load(&h->taken) < i + 1) tn_os_sleep_us(10);
  }
  late_backend.event_free(a.dev, old);
  tn_os_atomic_store(&h->given, ROUNDS + 1);
  while (tn_os_atomic_load(&h->taken) <= ROUNDS) tn_os_sleep_us(10);
  h->wrong = one_close(&a);
  tiny_close(t);
}
static void test_event_threads(void) {
  static handed h;
  tn_os_thread thread;
  tiny_ctx *t = open_with(NULL, "INTERP");
  one b;
  int wrong = 0;
  one_open(&b, t, "4");
  if (!tn_os_thread_start(&thread, gives, &h)) { CHECK(!"a thread"); return; }
  for (int i = 0; i < ROUNDS; i++) {
    while (tn_os_atomic_load(&h.given) < i + 1) tn_os_sleep_us(10);
    wrong += late_backend.wait(b.dev, h.event) != TINY_OK;
    b.l.mem = &h.at;
    wrong += late_backend.launch(b.dev, &b.l) != TINY_OK;
    wrong += one_get(&b, h.at) != 100 * i + 2;
    tn_os_atomic_store(&h.taken, i + 1);
  }
  tn_os_atomic_store(&h.taken, ROUNDS + 1);
  tn_os_thread_join(&thread);
  CHECK_EQ(wrong + h.wrong + one_close(&b), 0);
  tiny_close(t);
}
static void test_all_events(void) {
  tiny_ctx *t = open_with(NULL, "INTERP"), *u = open_with(NULL, "INTERP");
  test_no_events(t);
  test_events(t, t);
  test_events(t, u);
  test_event_errors(t, t);
  test_event_errors(t, u);
  test_event_threads();
  CHECK_STR(tiny_error(t), "");
  CHECK_STR(tiny_error(u), "");
  tiny_close(t); tiny_close(u);
}

int main(void) {
  char path[] = "/tmp/tiny-test-backend-XXXXXX";
  const int file = mkstemp(path);
  CHECK(file >= 0 && close(file) == 0);
  test_maps(path);
  remove(path);
  test_unpacks_late();
  test_all_events();
  test_all_copies();
  test_stamps();
  test_version();
  test_named();
  test_submit();
  return test_report();
}
