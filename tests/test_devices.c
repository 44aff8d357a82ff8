// also: tsan asan
// brief: asan tsan
// test_devices: a context that holds several devices: what lives where, copies that were asked for, order, memory, errors.
// INTERP is late here in every build (late.h).
#ifndef TN_TEST_BACKEND
  #define TN_TEST_BACKEND "../../tests/late.h"
#endif
#include "../src/all.c"
#include "test.h"
#include "heard.h"
#include "memory_test.h"

static tiny_ctx *open_on(const char *devices) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = devices; d.cache_dir = "";
  return tiny_open(&d);
}
// Small whole numbers: the same on every device, in any order.
static tiny_tensor *ints(tiny_ctx *t, int from, tiny_shape s) {
  const int64_t n = tn_dims_nelem(s.ndim, s.dim);
  float *data = (float *)malloc((size_t)n * sizeof *data);
  for (int64_t i = 0; i < n; i++) data[i] = (float)((i * 7 + from) % 11 - 5);
  tiny_tensor *x = tiny_from(t, data, TINY_F32, s);
  free(data);
  return x;
}
static double sum_of(tiny_tensor *x) { return tiny_item(tiny_sum(x, TINY_ALL, 0)); }
// Does the context say so? Then it forgets.
static int says(tiny_ctx *t, tiny_code code, const char *message) {
  const int ok = tiny_status(t) == code && strstr(tiny_error(t), message) != NULL;
  if (!ok) fprintf(stderr, "    %d \"%s\"\n    wanted %d \"%s\"\n", (int)tiny_status(t), tiny_error(t), (int)code, message);
  tiny_clear(t);
  return ok;
}

// Ways of a copy: memory that the host sees on one side, on the other, on neither, on both.
static const char *const pairs[] = {"INTERP:0,INTERP:4", "INTERP:1,INTERP:2", "INTERP:2,INTERP:1", "INTERP:2,INTERP:6", "CPU,INTERP:2", "INTERP:5,CPU",
                                    "CPU,INTERP:0", "CPU,CPU"};
enum { PAIRS = sizeof pairs / sizeof *pairs };

// ** opening **

static void test_open(void) {
  tiny_ctx *t = open_on("CPU,INTERP,NULL");
  CHECK_EQ(tiny_status(t), TINY_OK);
  CHECK_EQ(tiny_device_count(t), 3);
  CHECK_STR(tiny_device_name(t, 0), "CPU");
  CHECK_STR(tiny_device_name(t, 1), "INTERP");
  CHECK_STR(tiny_device_name(t, 2), "NULL");
  CHECK_STR(tiny_device_name(t, 3), "");
  CHECK_STR(tiny_device_name(t, -1), "");
  CHECK_EQ(tiny_device_stats(t, 7).kernels, 0);
  CHECK_EQ(tiny_use_device(t, 3), -1);
  CHECK(says(t, TINY_E_ARG, "use_device: there is no device 3, but 3, counted from 0"));
  CHECK_EQ(tiny_use_device(t, 1), 0);
  CHECK_EQ(tiny_use_device(t, 0), 1);
  tiny_close(t);
  CHECK_EQ(tiny_device_count(NULL), 0);
  t = open_on("CPU,NOWHERE");
  CHECK(says(t, TINY_E_DEVICE, "there is no device NOWHERE; there are: CPU, LLVM, INTERP, NULL"));
  CHECK(!tiny_ok(tiny_zeros(t, TINY_F32, TINY_SHAPE(2))));
  tiny_close(t);
  t = open_on("CPU,");
  CHECK(says(t, TINY_E_DEVICE, "there is no device ; there are"));
  tiny_close(t);
  t = open_on("CPU:none,INTERP");
  CHECK_EQ(tiny_status(t), TINY_E_DEVICE);
  tiny_close(t);
  t = open_on("INTERP,INTERP,INTERP,INTERP,INTERP,INTERP,INTERP,INTERP,INTERP,INTERP,INTERP,INTERP,INTERP,INTERP,INTERP,INTERP,INTERP");
  CHECK(says(t, TINY_E_ARG, "open: 17 devices are named, a context has up to 16"));
  tiny_close(t);
}

// ** where values live **

static void test_places(void) {
  tiny_ctx *t = open_on("INTERP:0,INTERP:1,CPU");
  tiny_tensor *x = ints(t, 0, TINY_SHAPE(3, 4)), *one = tiny_full(t, 1, TINY_F32, TINY_SHAPE(3, 4)), *r = tiny_rand(t, TINY_SHAPE(3, 4));
  CHECK_EQ(tiny_device_of(x), 0);
  CHECK_EQ(tiny_device_of(one), -1);
  CHECK_EQ(tiny_device_of(r), -1);
  CHECK_EQ(tiny_device_of(tiny_arange(t, 0, 4, 1, TINY_F32)), -1);
  CHECK_EQ(tiny_device_of(tiny_scalar(t, 2, TINY_F32)), -1);
  tiny_tensor *y = tiny_to(x, 1);
  CHECK_EQ(tiny_device_of(y), 1);
  CHECK_EQ(tiny_device_of(tiny_add(y, one)), 1);
  CHECK_EQ(tiny_device_of(tiny_to(y, 0)), 0);
  CHECK_EQ(tiny_device_of(tiny_to(x, 0)), 0);
  CHECK(tn_uop_of(tiny_to(x, 0)) != tn_uop_of(x));           // a value of its own: assignments to x do not reach it
  CHECK_EQ(tiny_device_of(tiny_to(one, 2)), 2);
  CHECK(!tiny_ok(tiny_to(x, 3)));
  CHECK(says(t, TINY_E_ARG, "to: there is no device 3, but 3, counted from 0"));
  CHECK(!tiny_ok(tiny_add(x, y)));
  CHECK(says(t, TINY_E_DEVICE, "add: argument 1 lives on INTERP:0 (device 0), argument 2 on INTERP:1 (device 1); tiny_to copies one to the other"));
  tiny_tensor *three[3] = {x, one, y};
  CHECK(!tiny_ok(tiny_cat(three, 3, 0)));
  CHECK(says(t, TINY_E_DEVICE, "cat: argument 1 lives on INTERP:0 (device 0), argument 3 on INTERP:1 (device 1)"));
  CHECK(!tiny_ok(tiny_assign(x, y)));
  CHECK(says(t, TINY_E_DEVICE, "assign: argument 1 lives on INTERP:0 (device 0), argument 2 on INTERP:1 (device 1)"));
  CHECK_EQ(tiny_stats_of(t).copies, 0);                     // nothing has run
  // What names no device is computed on each that uses it, whether it was computed on another one or not.
  float a[12], b[12], c[12];
  tiny_tensor *there = tiny_mul(y, r), *here = tiny_mul(x, r), *both[2] = {there, here};
  CHECK_EQ(tiny_realize(both, 2), TINY_OK);
  CHECK_EQ(tiny_read(there, a, sizeof a), TINY_OK);
  CHECK_EQ(tiny_read(here, b, sizeof b), TINY_OK);
  CHECK(!memcmp(a, b, sizeof a));
  CHECK_EQ(tiny_device_stats(t, 1).copies, 1);               // x alone
  CHECK_EQ(tiny_device_stats(t, 1).nbytes_copied, sizeof a);
  CHECK_EQ(tiny_realize(&r, 1), TINY_OK);
  CHECK_EQ(tiny_device_of(r), -1);
  CHECK_EQ(tiny_read(tiny_mul(tiny_to(x, 2), r), c, sizeof c), TINY_OK);
  CHECK(!memcmp(b, c, sizeof b));
  CHECK_EQ(tiny_device_stats(t, 2).copies, 1);
  CHECK_EQ(tiny_read(tiny_mul(r, tiny_to(one, 1)), a, sizeof a), TINY_OK);
  CHECK_EQ(tiny_read(r, b, sizeof b), TINY_OK);
  CHECK(!memcmp(a, b, sizeof a));
  // Creation goes where it is told to.
  CHECK_EQ(tiny_use_device(t, 2), 0);
  tiny_tensor *z = ints(t, 0, TINY_SHAPE(3, 4));
  CHECK_EQ(tiny_device_of(z), 2);
  const uint64_t before = tiny_device_stats(t, 2).kernels;
  CHECK_EQ(sum_of(tiny_full(t, 2, TINY_F32, TINY_SHAPE(5))), 10);
  CHECK(tiny_device_stats(t, 2).kernels > before);
  tiny_use_device(t, 0);
  CHECK_EQ(sum_of(tiny_sub(z, tiny_to(x, 2))), 0);
  // A tensor that is assigned to is memory, which lies somewhere.
  tiny_tensor *w = tiny_zeros(t, TINY_F32, TINY_SHAPE(3, 4));
  tiny_assign(w, y);
  CHECK_EQ(tiny_device_of(w), 1);
  CHECK_EQ(sum_of(w), sum_of(x));
  CHECK_EQ(tiny_device_of(w), 1);
  tiny_assign(w, tiny_add(w, one));
  CHECK_EQ(sum_of(w), sum_of(x) + 12);
  const float data[12] = {1};
  CHECK_EQ(tiny_write(w, data, sizeof data), TINY_OK);
  CHECK_EQ(tiny_device_of(w), 1);
  CHECK_EQ(sum_of(w), 1);
  CHECK_STR(tiny_error(t), "");
  tiny_close(t);
}

// Values that name no device and are large enough to be stored: sums, of which each device has its own.
static void test_made_anywhere(void) {
  tiny_ctx *t = open_on("INTERP:0,INTERP:2");
  tiny_tensor *x = ints(t, 3, TINY_SHAPE(64)), *y = tiny_to(x, 1);
  tiny_tensor *table = tiny_cumsum(tiny_arange(t, 0, 64, 1, TINY_F32), 0), *norm = tiny_sum(tiny_square(table), TINY_ALL, 0);
  tiny_tensor *a = tiny_add(tiny_mul(x, table), norm), *b = tiny_add(tiny_mul(y, table), norm), *kept = tiny_contiguous(table);
  tiny_tensor *d = tiny_sub(tiny_to(b, 0), a), *all[4] = {a, b, d, kept};
  CHECK_EQ(tiny_realize(all, 4), TINY_OK);
  CHECK_EQ(sum_of(tiny_abs(d)), 0);
  CHECK_EQ(sum_of(tiny_sub(tiny_to(tiny_mul(y, kept), 0), tiny_mul(x, table))), 0);
  CHECK_EQ(tiny_device_stats(t, 1).copies, 2);               // of x, in each of two graphs: tables were made there
  CHECK_STR(tiny_error(t), "");
  tiny_close(t);
}

// ** copies of every kind **

static void test_ways(void) {
  for (int p = 0; p < PAIRS; p++) {
    if (!case_named("ways %s", pairs[p])) continue;
    tiny_ctx *t = open_on(pairs[p]);
    CHECK_EQ(tiny_status(t), TINY_OK);
    for (int n = 1; n < 3000000; n = n * 7 + 1) {
      tiny_begin(t);
      tiny_tensor *x = ints(t, n, TINY_SHAPE(n)), *y = tiny_to(tiny_add(x, x), 1), *z = tiny_to(tiny_mul(y, y), 0);
      CHECK_EQ(sum_of(tiny_abs(tiny_sub(z, tiny_square(tiny_add(x, x))))), 0);
      CHECK_EQ(tiny_end(t), TINY_OK);
    }
    // Parts, orders and repetitions of memory; nothing at all.
    tiny_tensor *x = ints(t, 1, TINY_SHAPE(6, 8)), *part = tiny_shrink(x, TINY_SHAPE(1, 4, 2, 7)), *turned = tiny_permute(x, TINY_SHAPE(1, 0));
    tiny_tensor *more = tiny_expand(tiny_reshape(part, TINY_SHAPE(3, 1, 5)), TINY_SHAPE(3, 100, 5)), *none = tiny_shrink(x, TINY_SHAPE(2, 2, 0, 8));
    const uint64_t before = tiny_device_stats(t, 1).nbytes_copied;
    CHECK_EQ(sum_of(tiny_sub(tiny_to(tiny_to(part, 1), 0), part)), 0);
    CHECK_EQ(sum_of(tiny_sub(tiny_to(tiny_to(turned, 1), 0), turned)), 0);
    CHECK_EQ(sum_of(tiny_to(more, 1)), 100 * sum_of(part));
    CHECK_EQ(sum_of(tiny_to(none, 1)), 0);
    CHECK_EQ(tiny_device_stats(t, 1).nbytes_copied - before, (15 + 48 + 15) * 4);
    CHECK_STR(tiny_error(t), "");
    tiny_close(t);
  }
  case_end();
}

// ** assignments, gradients, training, programs **

// What was built before an assignment has the old contents, wherever it is.
static void test_updates(void) {
  for (int p = 0; p < PAIRS; p++) {
    if (!case_named("updates %s", pairs[p])) continue;
    tiny_ctx *t = open_on(pairs[p]);
    tiny_tensor *x = ints(t, 0, TINY_SHAPE(40)), *w = tiny_contiguous(ints(t, 5, TINY_SHAPE(40)));
    const double was = sum_of(w);
    tiny_realize(&w, 1);
    for (int i = 1; i <= 5; i++) {
      tiny_begin(t);
      tiny_tensor *old = tiny_to(w, 1), *far = tiny_mul(old, tiny_to(x, 1));
      tiny_assign(w, tiny_add(w, tiny_to(tiny_square(tiny_to(x, 1)), 0)));
      tiny_tensor *now = tiny_to(w, 1);
      CHECK_EQ(sum_of(tiny_sub(now, old)), sum_of(tiny_square(x)));
      CHECK_EQ(sum_of(far), sum_of(tiny_mul(tiny_to(old, 0), x)));
      CHECK_EQ(sum_of(w), was + i * sum_of(tiny_square(x)));
      CHECK_EQ(tiny_end(t), TINY_OK);
    }
    CHECK_STR(tiny_error(t), "");
    tiny_close(t);
  }
  case_end();
}

// Two layers, each on a device of its own, and what one device gives.
static double train(tiny_ctx *t, int first, int second, int captured, float *out, size_t nbytes) {
  tiny_tensor *p[2] = {tiny_to(ints(t, 1, TINY_SHAPE(8, 16)), first), tiny_to(ints(t, 2, TINY_SHAPE(16, 4)), second)}, *g[2];
  tiny_tensor *x = tiny_to(ints(t, 4, TINY_SHAPE(32, 8)), first);
  tiny_optim o;
  tiny_program *step = NULL;
  double last = 0;
  memset(&o, 0, sizeof o);
  o.kind = TINY_SGD; o.lr = 1.0 / 1024; o.momentum = 0.5;
  tiny_tensor *kept[3] = {p[0], p[1], x};
  tiny_realize(kept, 3);
  for (int i = 0; i < 4; i++) {
    tiny_tensor *loss = NULL;
    if (step) { tiny_run(step, NULL, &loss); last = tiny_item(loss); continue; }
    tiny_begin(t);
    tiny_tensor *h = tiny_relu(tiny_matmul(x, p[0])), *y = tiny_matmul(tiny_to(h, second), p[1]);
    loss = tiny_div(tiny_sum(y, TINY_ALL, 0), tiny_like(y, 64));
    CHECK_EQ(tiny_grad(loss, p, 2, g), TINY_OK);
    CHECK_EQ(tiny_device_of(g[0]), first);
    CHECK_EQ(tiny_device_of(g[1]), second);
    tiny_optim_step(&o, p, g, 2);
    if (captured && i == 1) { step = tiny_capture(t, NULL, 0, &loss, 1); CHECK(step != NULL); i--; }
    else last = tiny_item(loss);
    CHECK_EQ(tiny_end(t), TINY_OK);
  }
  CHECK_EQ(tiny_device_of(p[1]), second);
  tiny_read(p[1], out, nbytes);
  tiny_program_free(step);
  tiny_optim_free(&o);
  return last;
}
static void test_training(void) {
  float one[64], two[64];
  tiny_ctx *t = open_on("INTERP");
  const double want = train(t, 0, 0, 0, one, sizeof one);
  CHECK_STR(tiny_error(t), "");
  tiny_close(t);
  for (int p = 0; p < PAIRS; p++) for (int captured = 0; captured < 2; captured++) {
    if (!case_named("training %s%s", pairs[p], captured ? ", captured" : "")) continue;
    t = open_on(pairs[p]);
    const double got = train(t, captured, !captured, captured, two, sizeof two);
    CHECK(fabs(got - want) <= 1e-6 * fabs(want));            // numbers are whole in the first step alone
    for (int i = 0; i < 64; i++) CHECK(strstr(pairs[p], "CPU") ? fabs(one[i] - two[i]) <= 1e-6 : one[i] == two[i]);
    CHECK_EQ(tiny_stats_of(t).schedules < 16, 1);
    CHECK_STR(tiny_error(t), "");
    tiny_close(t);
  }
  case_end();
}

static void test_programs(void) {
  for (int p = 0; p < PAIRS; p++) {
    if (!case_named("programs %s", pairs[p])) continue;
    tiny_ctx *t = open_on(pairs[p]);
    tiny_tensor *x = ints(t, 0, TINY_SHAPE(50)), *w = tiny_to(ints(t, 1, TINY_SHAPE(50)), 1), *big = tiny_contiguous(tiny_permute(ints(t, 2, TINY_SHAPE(5, 10)), TINY_SHAPE(1, 0)));
    tiny_realize(&w, 1);
    tiny_tensor *y = tiny_add(tiny_mul(tiny_to(x, 1), w), tiny_to(tiny_reshape(big, TINY_SHAPE(50)), 1)), *back = tiny_to(tiny_square(y), 0), *out[2] = {y, back};
    tiny_program *q = tiny_capture(t, &x, 1, out, 2);
    CHECK(q != NULL);
    for (int i = 0; i < 4; i++) {
      tiny_begin(t);
      tiny_tensor *in = ints(t, i, TINY_SHAPE(50)), *got[2] = {NULL, NULL};
      CHECK_EQ(tiny_run(q, &in, got), TINY_OK);
      CHECK_EQ(tiny_device_of(got[0]), 1);
      CHECK_EQ(tiny_device_of(got[1]), 0);
      tiny_tensor *want = tiny_add(tiny_mul(in, tiny_to(w, 0)), tiny_reshape(big, TINY_SHAPE(50)));
      CHECK_EQ(sum_of(tiny_abs(tiny_sub(tiny_to(got[0], 0), want))), 0);
      CHECK_EQ(sum_of(tiny_abs(tiny_sub(got[1], tiny_square(want)))), 0);
      CHECK_EQ(tiny_end(t), TINY_OK);
      float more[50];
      for (int k = 0; k < 50; k++) more[k] = (float)(k % 3 + i);
      CHECK_EQ(tiny_write(w, more, sizeof more), TINY_OK);   // reaches the next run
    }
    tiny_program_free(q);
    CHECK_STR(tiny_error(t), "");
    tiny_close(t);
  }
  case_end();
}

// Random, but whole: sums of them are the same in any order.
static tiny_tensor *dice(tiny_ctx *t, int64_t n) { return tiny_floor(tiny_mul_scalar(tiny_rand(t, TINY_SHAPE(n)), 16)); }

// A step whose values of no device are not plain numbers: dropout, rates that fall, an optimiser that counts its steps.
static double drop(tiny_ctx *t, int far, int captured, float *out, size_t nbytes) {
  tiny_tensor *w = tiny_to(ints(t, 1, TINY_SHAPE(24)), far), *x = tiny_to(ints(t, 4, TINY_SHAPE(24)), far), *g, *loss = NULL;
  tiny_optim o;
  tiny_program *step = NULL;
  double last = 0;
  memset(&o, 0, sizeof o);
  o.kind = TINY_ADAM; o.lr = 0.125;
  tiny_tensor *both[2] = {w, x};
  tiny_realize(both, 2);
  for (int i = 0; i < 6; i++) {
    if (step) { CHECK_EQ(tiny_run(step, NULL, &loss), TINY_OK); last = tiny_item(loss); continue; }
    tiny_begin(t);
    tiny_tensor *scale = tiny_add(tiny_cumsum(dice(t, 24), 0), tiny_sum(dice(t, 40), TINY_ALL, 0));
    tiny_tensor *y = tiny_mul(tiny_dropout(tiny_mul(w, x), 0.25, 1), scale);
    loss = tiny_sum(tiny_square(tiny_sub(y, x)), TINY_ALL, 0);
    CHECK_EQ(tiny_grad(loss, &w, 1, &g), TINY_OK);
    CHECK_EQ(tiny_optim_step(&o, &w, &g, 1), TINY_OK);
    if (captured) { step = tiny_capture(t, NULL, 0, &loss, 1); CHECK(step != NULL); i--; }
    CHECK_EQ(tiny_end(t), TINY_OK);
    if (!captured) last = 0;
  }
  CHECK_EQ(tiny_read(w, out, nbytes), TINY_OK);
  tiny_program_free(step);
  tiny_optim_free(&o);
  return last;
}
static void test_made_in_steps(void) {
  float want[24], got[24];
  for (int captured = 0; captured < 2; captured++) {
    tiny_ctx *t = open_on("INTERP");
    drop(t, 0, captured, want, sizeof want);
    tiny_close(t);
    for (int p = 0; p < PAIRS; p++) for (int far = 0; far < 2; far++) {
      if (strstr(pairs[p], "CPU") || !case_named("steps %s, %d%s", pairs[p], far, captured ? ", captured" : "")) continue;
      t = open_on(pairs[p]);
      drop(t, far, captured, got, sizeof got);
      CHECK(!memcmp(want, got, sizeof got));
      CHECK_EQ(tiny_device_stats(t, !far).kernels, 0);       // random numbers are made where they are used
      CHECK_STR(tiny_error(t), "");
      tiny_close(t);
    }
  }
  case_end();
}

// ** memory **

static void test_memory(void) {
  const size_t caps[2] = {0, 1 << 20};
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "INTERP:0,INTERP:4"; d.cache_dir = ""; d.max_nbytes = 4 << 20; d.max_nbytes_of = caps;
  tiny_ctx *t = tiny_open(&d);
  tiny_tensor *x = ints(t, 0, TINY_SHAPE(1 << 19));          // 2 MB
  CHECK(tiny_ok(x));
  const tiny_tensor *const none = tiny_to(x, 1);
  (void)none;
  CHECK_EQ(tiny_device_stats(t, 1).nbytes_live, 0);
  tiny_tensor *far = tiny_to(x, 1);
  CHECK_EQ(tiny_realize(&far, 1), TINY_E_MEMORY);
  CHECK(says(t, TINY_E_MEMORY, "buffers: INTERP:4 (device 1) has 0 bytes live and 2097152 wanted, more than max_nbytes 1048576"));
  tiny_tensor *half = tiny_to(tiny_shrink(x, TINY_SHAPE(0, 1 << 17)), 1);
  CHECK_EQ(tiny_realize(&half, 1), TINY_OK);
  CHECK_EQ(tiny_device_stats(t, 1).nbytes_live, 1 << 19);
  CHECK_EQ(tiny_device_stats(t, 0).nbytes_live, 1 << 21);    // the part that was copied is gone
  CHECK_EQ(tiny_stats_of(t).nbytes_live, (1 << 19) + (1 << 21));
  CHECK(!tiny_ok(ints(t, 0, TINY_SHAPE(1 << 20))));
  CHECK(says(t, TINY_E_MEMORY, "INTERP:0 (device 0)"));
  tiny_close(t);
}

// What a device that has run out, or one that fails, leaves behind: the same again works when it does not.
static void across(tiny_ctx *t, int *wrong) {
  tiny_tensor *x = ints(t, 0, TINY_SHAPE(30)), *w = tiny_to(ints(t, 3, TINY_SHAPE(30)), 1), *g;
  float out[30];
  tiny_realize(&w, 1);
  tiny_begin(t);
  tiny_tensor *y = tiny_to(tiny_mul(tiny_to(x, 1), w), 0), *loss = tiny_sum(tiny_mul(y, x), TINY_ALL, 0);
  if (tiny_grad(loss, &w, 1, &g) == TINY_OK) tiny_assign(w, tiny_sub(w, g));
  const tiny_code ended = tiny_end(t), read = tiny_ok(w) ? tiny_read(w, out, sizeof out) : TINY_E_MEMORY;
  if (ended == TINY_OK && read == TINY_OK && tiny_status(t) == TINY_OK)
    for (int i = 0; i < 30; i++) {
      const float a = (float)(i * 7 % 11 - 5), b = (float)((i * 7 + 3) % 11 - 5);
      *wrong += out[i] != b - a * a;
    }
  else *wrong += tiny_status(t) == TINY_OK;
}
static void test_refused(void) {
  static const char *const on[] = {"INTERP:0,INTERP:5", "INTERP:2,INTERP:6"};
  for (int i = 0; i < 2; i++) {
    memory_count m;
    tiny_desc d;
    memset(&d, 0, sizeof d); memset(&m, 0, sizeof m);
    d.device = on[i]; d.cache_dir = "";
    d.alloc.fn = memory_fn; d.alloc.user = &m;
    long n = 0, done = 0;
    int wrong = 0;
    for (n = 1; !done && n < 100000; n += 1 + n / test_brief(6, 16)) {
      m.calls = 0; m.fail_at = n;
      tiny_ctx *t = tiny_open(&d);
      if (t) { across(t, &wrong); done = tiny_status(t) == TINY_OK && m.calls < n; }
      const int refused = t && tiny_status(t) != TINY_OK;
      m.fail_at = 0;
      if (refused && tiny_ok(tiny_zeros(t, TINY_F32, TINY_SHAPE(1)))) { tiny_clear(t); across(t, &wrong); wrong += tiny_status(t) != TINY_OK; }
      tiny_close(t);
      CHECK_EQ(m.live, 0);
      CHECK_EQ(m.wrong, 0);
    }
    CHECK(done && n > 50);
    CHECK_EQ(wrong, 0);
  }
}

static int copies_left;
static tiny_code failing_copy_in(void *dev, tiny_mem dst, const void *src, size_t nbytes) {
  if (copies_left && !--copies_left) return tiny_fail(((late *)dev)->t, TINY_E_DEVICE, "FAILS: a copy was lost");
  return late_backend.copy_in(dev, dst, src, nbytes);
}
static tiny_code failing_copy_out(void *dev, void *dst, tiny_mem src, size_t nbytes) {
  if (copies_left && !--copies_left) return tiny_fail(((late *)dev)->t, TINY_E_DEVICE, "FAILS: a copy was lost");
  return late_backend.copy_out(dev, dst, src, nbytes);
}
static tiny_code failing_copy_from(void *dev, tiny_mem dst, void *from, tiny_mem src, size_t nbytes) {
  if (copies_left && !--copies_left) return tiny_fail(((late *)dev)->t, TINY_E_DEVICE, "FAILS: a copy was lost");
  return late_backend.copy_from(dev, dst, from, src, nbytes);
}
static void test_lost_copies(void) {
  static const char *const on[] = {"FAILS:0,FAILS:4", "FAILS:2,FAILS:6", "FAILS:1,FAILS:2"};
  tiny_backend b = late_backend;
  b.name = "FAILS"; b.copy_in = failing_copy_in; b.copy_out = failing_copy_out;
  if (b.copy_from) b.copy_from = failing_copy_from;
  for (int i = 0; i < 3; i++) {
    tiny_desc d;
    memset(&d, 0, sizeof d);
    d.device = on[i]; d.cache_dir = ""; d.backends[0] = &b;
    int wrong = 0, failed = 0;
    for (int n = 1, done = 0; !done && n < 100; n++) {
      tiny_ctx *t = tiny_open(&d);
      copies_left = n;
      across(t, &wrong);
      done = copies_left > 0;
      failed += tiny_status(t) == TINY_E_DEVICE;
      copies_left = 0;
      tiny_clear(t);
      across(t, &wrong);
      CHECK_STR(tiny_error(t), "");
      tiny_close(t);
    }
    CHECK_EQ(wrong, 0);
    CHECK(failed >= 5);
  }
}

// ** who is told what **

static void test_lines(void) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "CPU,INTERP:0"; d.cache_dir = ""; d.debug = "kst"; d.log.fn = hear;
  heard[0] = 0;
  tiny_ctx *t = tiny_open(&d);
  tiny_tensor *x = ints(t, 0, TINY_SHAPE(16)), *y = tiny_square(tiny_to(x, 1));
  CHECK_EQ(tiny_realize(&y, 1), TINY_OK);
  tiny_close(t);
  CHECK(strstr(heard, "  INTERP:0 (device 1) copy(T0 L0)") != NULL);
  CHECK(strstr(heard, "*** INTERP:0        copy from CPU (device 0)") != NULL);
  CHECK(strstr(heard, "CPU and others: 1 kernels") != NULL);
  CHECK(strstr(heard, "INTERP:0 (device 1): 1 kernels") != NULL);
  CHECK(strstr(heard, "1 copies of 0.00 MB to it") != NULL);
}

// A kernel of one's own runs where its inputs are.
static void test_own_kernels(void) {
  tiny_ctx *t = open_on("INTERP:0,CPU");
  tiny_tensor *x = tiny_to(ints(t, 0, TINY_SHAPE(8)), 1);
  tiny_kernel_desc d;
  memset(&d, 0, sizeof d);
  d.name = "twice";
  d.source = "void twice(void *const *mem, const long long *args, long long task, char *restrict local) {\n"
             "  for (int i = 0; i < 8; i++) ((float *)mem[0])[i] = 2 * ((const float *)mem[1])[i];\n}\n";
  d.inputs = &x; d.n = 1; d.shape = TINY_SHAPE(8); d.dtype = TINY_F32;
  tiny_tensor *y = tiny_kernel(t, &d);
  CHECK_EQ(tiny_device_of(y), 1);
  CHECK_EQ(sum_of(y), 2 * sum_of(x));
  tiny_tensor *here = tiny_to(x, 0);
  d.inputs = &here;
  CHECK(!tiny_ok(tiny_kernel(t, &d)));
  CHECK(says(t, TINY_E_DEVICE, "kernel: INTERP:0 (device 0) does not take source"));
  tiny_tensor *two[2] = {x, here};
  d.inputs = two; d.n = 2;
  CHECK(!tiny_ok(tiny_kernel(t, &d)));
  CHECK(says(t, TINY_E_DEVICE, "kernel: argument 1 lives on CPU (device 1), argument 2 on INTERP:0 (device 0)"));
  float mine[4] = {1, 2, 3, 4};
  tiny_use_device(t, 1);
  tiny_tensor *blob = tiny_blob(t, mine, TINY_F32, TINY_SHAPE(4), NULL);
  CHECK_EQ(tiny_device_of(blob), 1);
  tiny_tensor *far = tiny_to(tiny_square(blob), 0);
  CHECK_EQ(sum_of(far), 30);
  mine[0] = 5;
  CHECK_EQ(sum_of(tiny_to(tiny_square(blob), 0)), 54);
  CHECK_STR(tiny_error(t), "");
  tiny_close(t);
}

int main(void) {
  test_open();
  test_places();
  test_made_anywhere();
  test_ways();
  test_updates();
  test_training();
  test_programs();
  test_made_in_steps();
  test_memory();
  test_refused();
  test_lost_copies();
  test_lines();
  test_own_kernels();
  return test_report();
}
