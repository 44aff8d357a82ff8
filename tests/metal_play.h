// metal_play: the part of test_metal.c that calls the device as the library calls it: order, memory, prepared lists,
// values, limits, failures.
#ifndef METAL_PLAY_H
#define METAL_PLAY_H

#define PLAYED tiny_metal
static const char *const played_chips[] = {"apple7", "apple8", "apple9", "mac2"};
typedef int played_gpu;
enum { PLAYED_GPUS = sizeof played_chips / sizeof *played_chips };
typedef struct played_desc {
  played_gpu gpu; uint32_t seed; uint64_t memory_nbytes, max_buffer_nbytes; int no_kernels; const char *debug;
} played_desc;
typedef int played_mock;
typedef struct play { played_mock *m; tiny_ctx *t; } play;

static void play_mac(played_desc d, const char *chips) {
  mac_with((metal_mock_desc){.chips = chips, .seed = d.seed, .memory_nbytes = d.memory_nbytes,
                             .max_buffer_nbytes = d.max_buffer_nbytes, .no_kernels = d.no_kernels});
}
static play play_on(played_desc d) {
  play_mac(d, played_chips[d.gpu]);
  return (play){NULL, open_with("METAL", d.debug ? d.debug : "")};
}
// Two of one kind in one context.
static play play_two(played_desc d) {
  char chips[32];
  snprintf(chips, sizeof chips, "%s,%s", played_chips[d.gpu], played_chips[d.gpu]);
  play_mac(d, chips);
  return (play){NULL, open_with("METAL:0,METAL:1", "")};
}
static void play_end(play *p) {
  tiny_close(p->t);
  mac_over();
}
static void play_well(const play *p) { all_well(p->t); }

// ** orders: beside a model that does all at once **

enum { N = 64 };
static const char affine_source[] =
  "#include <metal_stdlib>\n"
  "using namespace metal;\n"
  "kernel void affine(device int *out [[buffer(0)]], device const int *in [[buffer(1)]],\n"
  "                   device const int *by [[buffer(2)]], uint i [[thread_position_in_grid]]) {\n"
  "  out[i] = int(uint(in[i]) * uint(by[0]) + uint(by[1]));\n"
  "}\n";
#include "play_world.h"

static void test_pairs(void) {
  for (uint32_t i = 0; i < (uint32_t)test_rounds(test_brief(4, 16)); i++)
    pair_sequence((played_desc){.gpu = (int)(i % PLAYED_GPUS), .seed = i % 4 ? i : 0}, i);
}

// When launches began and ended.
static void test_stamps(void) {
  for (int gpu = 0; gpu < PLAYED_GPUS; gpu++) {
    world w;
    uint64_t stamp[3][2];
    memset(stamp, 0, sizeof stamp);
    world_begin(&w, (played_desc){.gpu = gpu, .seed = 3}, 5);
    tiny_mem mem[3] = {{w.slot[0].mem, 0}, {w.slot[1].mem, 0}, {w.by[0].mem, 0}};
    for (int i = 0; i < 3; i++) {
      tiny_launch l = {.kernel = w.kernel, .mem = mem, .nmem = 3, .global = {2, 1, 1}, .local = {N / 2, 1, 1},
                       .stamp = stamp[i]};
      CHECK_EQ(PLAYED.launch(w.dev, &l), TINY_OK);
      slot_affine(&w.slot[0], &w.slot[1], &w.by[0]);
    }
    CHECK_EQ(PLAYED.sync(w.dev), TINY_OK);
    for (int i = 0; i < 3; i++)
      CHECK(stamp[i][0] && stamp[i][0] < stamp[i][1] && (!i || stamp[i - 1][1] <= stamp[i][0]));
    world_end(&w);
  }
}

// ** values: kernels that the library writes **

enum { ROWS = 17, INNER = 23, COLUMNS = 19 };
static tiny_tensor *some_values(tiny_ctx *t) {
  tiny_seed(t, 1);                         // the same ones each time
  tiny_tensor *x = tiny_rand(t, TINY_SHAPE(ROWS, INNER)), *w = tiny_rand(t, TINY_SHAPE(INNER, COLUMNS));
  return tiny_softmax(tiny_matmul(x, w), -1);
}
static void values_of(tiny_ctx *t, float *out) {
  CHECK_EQ(tiny_read(some_values(t), out, ROWS * COLUMNS * sizeof *out), TINY_OK);
}
static const float *wanted_values(void) {
  static float want[ROWS * COLUMNS];
  if (*want) return want;
  tiny_ctx *t = open_with("INTERP", "");
  values_of(t, want);
  tiny_close(t);
  return want;
}
static void values_are(tiny_ctx *t) {
  static float got[ROWS * COLUMNS];
  double most = 0;
  values_of(t, got);
  all_well(t);
  for (int i = 0; i < ROWS * COLUMNS; i++) most = fmax(most, fabs((double)got[i] - wanted_values()[i]));
  CHECK(most < 1e-6);
}
static void test_values(void) {
  for (int gpu = 0; gpu < PLAYED_GPUS; gpu++) for (uint32_t seed = 0; seed < 8; seed += 7) {
    play p = play_on((played_desc){.gpu = gpu, .seed = seed});
    values_are(p.t);
    play_end(&p);
  }
}

// ** memory **

// Bytes larger than what is staged at once, there and back, and a part of them.
static void test_large(void) {
  const size_t n = 3000077;
  int *data = (int *)malloc(n * sizeof *data), *got = (int *)malloc(n * sizeof *got);
  for (size_t i = 0; i < n; i++) data[i] = (int)(i * 2654435761u);
  for (int gpu = 0; gpu < PLAYED_GPUS; gpu++) {
    play p = play_on((played_desc){.gpu = gpu, .seed = (uint32_t)gpu});
    tiny_tensor *x = tiny_from(p.t, data, TINY_I32, TINY_SHAPE((int64_t)n));
    memset(got, 0, n * sizeof *got);
    CHECK_EQ(tiny_read(x, got, n * sizeof *got), TINY_OK);
    CHECK(!memcmp(data, got, n * sizeof *got));
    CHECK_EQ(tiny_read(tiny_narrow(x, 0, 12345, 7), got, 7 * sizeof *got), TINY_OK);
    CHECK(!memcmp(data + 12345, got, 7 * sizeof *got));
    play_well(&p);
    play_end(&p);
  }
  free(data);
  free(got);
}
static void test_no_room(void) {
  for (int gpu = 0; gpu < PLAYED_GPUS; gpu += 3) {
    play p = play_on((played_desc){.gpu = gpu, .max_buffer_nbytes = 16 << 20});
    tiny_tensor *x = tiny_zeros(p.t, TINY_F32, TINY_SHAPE(1 << 23));
    CHECK_EQ(tiny_realize(&x, 1), TINY_E_MEMORY);
    says(p.t, TINY_E_MEMORY, "maxBufferLength");
    tiny_clear(p.t);
    values_are(p.t);                       // nothing is lost
    play_end(&p);
    p = play_on((played_desc){.gpu = gpu, .memory_nbytes = 24 << 20});
    x = tiny_zeros(p.t, TINY_F32, TINY_SHAPE(8 << 20));
    CHECK_EQ(tiny_realize(&x, 1), TINY_E_MEMORY);
    says(p.t, TINY_E_MEMORY, "METAL");
    tiny_clear(p.t);
    values_are(p.t);
    play_end(&p);
  }
}
// What was given back makes room, also what the driver keeps for itself.
static void test_reuse(void) {
  play p = play_on((played_desc){.gpu = 0, .seed = 2, .memory_nbytes = 24 << 20});
  for (int i = 0; i < 12; i++) {
    tiny_begin(p.t);
    tiny_tensor *x = tiny_contiguous(tiny_add_scalar(tiny_full(p.t, i, TINY_F32, TINY_SHAPE(2 << 20)), 1));
    CHECK_EQ(tiny_realize(&x, 1), TINY_OK);
    CHECK(tiny_item(tiny_amax(x, TINY_ALL, 0)) == i + 1);
    tiny_end(p.t);
  }
  play_well(&p);
  play_end(&p);
}

// ** prepared lists: the same launches again, with other memory **

static void lists_on(int gpu, uint32_t seed) {
  enum { KERNELS = 3, TURNS = 60 };
  world w;
  tiny_launch l[KERNELS];
  tiny_mem mem[KERNELS][3];
  world_begin(&w, (played_desc){.gpu = gpu, .seed = seed}, 6);
  const metal_mock_counts a = metal_mock_counted();
  for (int turn = 0; turn < TURNS; turn++) {
    for (int i = 0; i < KERNELS; i++) {
      const int of[3] = {roll(&w, SLOTS), roll(&w, SLOTS), roll(&w, 4)};
      mem[i][0] = (tiny_mem){w.slot[of[0]].mem, 0}; mem[i][1] = (tiny_mem){w.slot[of[1]].mem, 0};
      mem[i][2] = (tiny_mem){w.by[of[2]].mem, 0};
      l[i] = (tiny_launch){.kernel = w.kernel, .mem = mem[i], .nmem = 3, .global = {2, 1, 1}, .local = {N / 2, 1, 1}};
      slot_affine(&w.slot[of[0]], &w.slot[of[1]], &w.by[of[2]]);
    }
    CHECK_EQ(PLAYED.submit(w.dev, l, KERNELS), TINY_OK);
    if (turn % 20 == 7) CHECK_EQ(PLAYED.sync(w.dev), TINY_OK);
    if (turn == 30) { PLAYED.unload(w.dev, w.module); world_load(&w); }
  }
  CHECK_EQ(PLAYED.sync(w.dev), TINY_OK);
  const metal_mock_counts b = metal_mock_counted();
  CHECK_EQ(b.dispatches - a.dispatches + b.indirect_dispatches - a.indirect_dispatches, TURNS * KERNELS);
  world_end(&w);
}
static void test_lists(void) {
  for (int gpu = 0; gpu < PLAYED_GPUS; gpu++) for (uint32_t seed = 0; seed < 6; seed += 5) lists_on(gpu, seed);
}
// A program with other memory in each run, beside the interpreter.
static void capture_on(played_desc desc) {
  enum { RUNS = 6 };
  static float x[RUNS][ROWS * INNER], weight[INNER * COLUMNS], out[2][RUNS][ROWS * COLUMNS];
  play p = play_on(desc), q = {NULL, open_with("INTERP", "")};
  tiny_ctx *const t[2] = {p.t, q.t};
  for (int i = 0; i < INNER * COLUMNS; i++) weight[i] = (float)(i % 5) / 4 - 0.5f;
  for (int run = 0; run < RUNS; run++)
    for (int i = 0; i < ROWS * INNER; i++) x[run][i] = (float)((i * 7 + run * 5) % 11) / 8 - 0.6f;
  for (int k = 0; k < 2; k++) {
    tiny_tensor *in[RUNS], *y, *w = tiny_from(t[k], weight, TINY_F32, TINY_SHAPE(INNER, COLUMNS));
    for (int run = 0; run < RUNS; run++) in[run] = tiny_from(t[k], x[run], TINY_F32, TINY_SHAPE(ROWS, INNER));
    y = tiny_softmax(tiny_matmul(in[0], w), -1);
    tiny_program *program = tiny_capture(t[k], &in[0], 1, &y, 1);
    CHECK(program != NULL);
    for (int run = 0; run < RUNS && program; run++) {
      CHECK_EQ(tiny_run(program, &in[run], &y), TINY_OK);
      CHECK_EQ(tiny_read(y, out[k][run], sizeof out[k][run]), TINY_OK);
    }
    tiny_program_free(program);
  }
  for (int run = 0; run < RUNS; run++) for (int i = 0; i < ROWS * COLUMNS; i++)
    CHECK(fabs((double)out[0][run][i] - out[1][run][i]) < 1e-6);
  play_well(&p);
  tiny_close(q.t);
  play_end(&p);
}
static void test_captured(void) {
  for (int gpu = 0; gpu < PLAYED_GPUS; gpu++) capture_on((played_desc){.gpu = gpu, .seed = 4});
}

// ** a program of 200 kernels **

enum { CHAIN = 200, CHAIN_TURNS = 8 };
// x becomes x / 2 + 1, CHAIN times, each a kernel of its own.
static tiny_program *chain_of(tiny_ctx *t, tiny_tensor **x) {
  tiny_tensor *y = *x = tiny_full(t, 5, TINY_F32, TINY_SHAPE(256));
  tiny_realize(x, 1);
  for (int i = 0; i < CHAIN; i++) y = tiny_contiguous(tiny_add_scalar(tiny_mul_scalar(y, 0.5), 1));
  tiny_program *p = tiny_capture(t, x, 1, &y, 1);
  CHECK_EQ(tiny_program_kernel_count(p), CHAIN);
  return p;
}
static void chain_on(int gpu, uint32_t seed) {
  play p = play_on((played_desc){.gpu = gpu, .seed = seed});
  tiny_tensor *x, *y = NULL;
  tiny_program *program = chain_of(p.t, &x);
  for (int i = 0; i < CHAIN_TURNS; i++) {
    const metal_mock_counts a = metal_mock_counted();
    tiny_begin(p.t);
    CHECK_EQ(tiny_run(program, &x, &y), TINY_OK);
    CHECK_EQ(tiny_sync(p.t), TINY_OK);
    const metal_mock_counts b = metal_mock_counted();
    float got[256] = {0};
    CHECK_EQ(tiny_read(y, got, sizeof got), TINY_OK);
    CHECK(fabsf(got[0] - 2) < 1e-6f && fabsf(got[255] - 2) < 1e-6f);
    tiny_end(p.t);
    if (i < 3) continue;                   // by then it is known to come again
    CHECK(b.command_buffers - a.command_buffers <= 4);
    CHECK(b.compute_encoders - a.compute_encoders + b.blit_encoders - a.blit_encoders <= 4);
    CHECK_EQ(b.dispatches - a.dispatches + b.indirect_dispatches - a.indirect_dispatches, CHAIN);
    CHECK_EQ(b.indirect_dispatches - a.indirect_dispatches, CHAIN);
    CHECK(b.indirect_encoded - a.indirect_encoded <= CHAIN);
  }
  tiny_program_free(program);
  play_well(&p);
  play_end(&p);
}
static void test_chain(void) { for (int gpu = 0; gpu < PLAYED_GPUS; gpu++) chain_on(gpu, gpu % 2 ? 9 : 0); }

// TEST_TIMES=1: ns of the host for each of the kernels of a replay, on a GPU that does nothing: by the library and the
// driver, and by the driver alone. Best of many.
static void host_times(void) {
  enum { TIMES = 200 };
  for (int gpu = 0; gpu < PLAYED_GPUS; gpu++) {
    uint64_t best[2] = {UINT64_MAX, UINT64_MAX};
    play p = play_on((played_desc){.gpu = gpu, .no_kernels = 1});
    tiny_tensor *x, *y = NULL;
    tiny_program *program = chain_of(p.t, &x);
    const metal_mock_counts a = metal_mock_counted();
    for (int i = 0; i < TIMES; i++) {
      tiny_begin(p.t);
      const uint64_t from = tiny_now_ns();
      tiny_run(program, &x, &y);
      const uint64_t took = tiny_now_ns() - from;
      tiny_sync(p.t);
      tiny_end(p.t);
      if (took < best[0]) best[0] = took;
    }
    const metal_mock_counts b = metal_mock_counted();
    tiny_program_free(program);
    play_end(&p);
    world w;
    world_begin(&w, (played_desc){.gpu = gpu, .no_kernels = 1}, 1);
    static tiny_launch l[CHAIN];
    static tiny_mem mem[CHAIN][3];
    for (int i = 0; i < CHAIN; i++) {
      for (int k = 0; k < 3; k++) mem[i][k] = (tiny_mem){w.slot[(i + k) % SLOTS].mem, 0};
      l[i] = (tiny_launch){.kernel = w.kernel, .mem = mem[i], .nmem = 3, .global = {2, 1, 1}, .local = {N / 2, 1, 1}};
    }
    for (int i = 0; i < TIMES; i++) {
      const uint64_t from = tiny_now_ns();
      PLAYED.submit(w.dev, l, CHAIN);
      const uint64_t took = tiny_now_ns() - from;
      PLAYED.sync(w.dev);
      if (i > 4 && took < best[1]) best[1] = took;
    }
    tiny_close(w.p.t);
    metal_mock_forget();
    printf("%s: ns of the host for each of %d kernels: %.1f by tiny_run, %.1f by submit; a run has %.2f command buffers, "
           "%.2f encoders, %.1f commands encoded\n",
           played_chips[gpu], (int)CHAIN, (double)best[0] / CHAIN, (double)best[1] / CHAIN,
           (double)(b.command_buffers - a.command_buffers) / TIMES,
           (double)(b.compute_encoders - a.compute_encoders + b.blit_encoders - a.blit_encoders) / TIMES,
           (double)(b.indirect_encoded - a.indirect_encoded) / TIMES);
  }
}

// ** kernels of one's own, limits **

static const char scale_source[] =
  "#include <metal_stdlib>\n"
  "using namespace metal;\n"
  "kernel void scale(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],\n"
  "                  device const float *by [[buffer(2)]], uint i [[thread_position_in_grid]]) {\n"
  "  out[i] = in[i] * by[0];\n"
  "}\n"
  "[[max_total_threads_per_threadgroup(64)]]\n"
  "kernel void few(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],\n"
  "                uint i [[thread_position_in_grid]]) {\n"
  "  out[i] = in[i];\n"
  "}\n";
static tiny_tensor *own(tiny_ctx *t, const char *source, const char *name, tiny_tensor *const *in, int n,
                        int64_t groups, int64_t items) {
  return tiny_kernel(t, &(tiny_kernel_desc){.name = name, .source = source, .inputs = in, .n = n,
                                            .global = {groups}, .local = {items}});
}
static void test_own(void) {
  static const float data[64] = {1, 2, 3}, by[1] = {4};
  float got[64];
  for (int gpu = 0; gpu < PLAYED_GPUS; gpu++) {
    play p = play_on((played_desc){.gpu = gpu, .seed = 6});
    tiny_tensor *in[2] = {tiny_from(p.t, data, TINY_F32, TINY_SHAPE(64)), tiny_from(p.t, by, TINY_F32, TINY_SHAPE(1))};
    CHECK_EQ(tiny_read(own(p.t, scale_source, "scale", in, 2, 2, 32), got, sizeof got), TINY_OK);
    CHECK(got[0] == 4 && got[2] == 12);
    play_well(&p);
    play_end(&p);
  }
}
static void own_says(int gpu, const char *source, const char *name, int n, int64_t groups, int64_t items,
                     tiny_code code, const char *text) {
  static const float data[64] = {1};
  play p = play_on((played_desc){.gpu = gpu, .seed = 1});
  tiny_tensor *x = tiny_from(p.t, data, TINY_F32, TINY_SHAPE(64)), *in[2] = {x, x};
  tiny_tensor *y = own(p.t, source, name, in, n, groups, items);
  CHECK_EQ(tiny_realize(&y, 1), code);
  says(p.t, code, text);
  tiny_clear(p.t);
  values_are(p.t);
  play_end(&p);
}
static void test_own_refused(void) {
  static const char bad[] = "kernel void k(device float *out [[buffer(0)]]) {\n  out[0] = none;\n}\n";
  own_says(0, bad, "k", 1, 1, 1, TINY_E_COMPILE, "program_source:2:");
  own_says(0, bad, "k", 1, 1, 1, TINY_E_COMPILE, "none");
  own_says(1, scale_source, "scales", 2, 1, 64, TINY_E_COMPILE, "scales");
  own_says(0, scale_source, "few", 1, 1, 128, TINY_E_DEVICE, "128");
  own_says(0, scale_source, "few", 1, 1, 128, TINY_E_DEVICE, "64");
  own_says(0, scale_source, "scale", 2, 1, 2048, TINY_E_DEVICE, "2048");
  own_says(3, scale_source, "scale", 1, 1, 64, TINY_E_ARG, "scale has 3 parameters");
}
// Sizes beyond what the device takes, as the library would give them.
static void test_fits(void) {
  world w;
  world_begin(&w, (played_desc){.gpu = 0}, 3);
  tiny_mem mem[3] = {{w.slot[0].mem, 0}, {w.slot[1].mem, 0}, {w.by[0].mem, 0}};
  tiny_launch l = {.kernel = w.kernel, .mem = mem, .nmem = 3, .global = {2, 1, 1}, .local = {4096, 1, 1}};
  CHECK_EQ(PLAYED.launch(w.dev, &l), TINY_E_DEVICE);
  says(w.p.t, TINY_E_DEVICE, "4096");
  tiny_clear(w.p.t);
  l.local[0] = l.local[1] = 64;
  CHECK_EQ(PLAYED.launch(w.dev, &l), TINY_E_DEVICE);
  says(w.p.t, TINY_E_DEVICE, "4096");
  tiny_clear(w.p.t);
  world_end(&w);
}
// What is no kernel for this device: cut off at each length, each byte changed.
static void test_binaries(void) {
  world w;
  world_begin(&w, (played_desc){.gpu = 0}, 3);
  CHECK(!PLAYED.load(w.dev, "no binary", 9));
  CHECK(tiny_status(w.p.t) == TINY_E_COMPILE);
  tiny_clear(w.p.t);
  char *copy = (char *)malloc(w.object.n);
  for (size_t n = 0; n < w.object.n; n += 13 * test_step()) {
    char *cut = (char *)malloc(n + 1);     // what lies behind is another's
    memcpy(cut, w.object.data, n);
    void *m = PLAYED.load(w.dev, cut, n);
    if (m) PLAYED.unload(w.dev, m);
    free(cut);
    tiny_clear(w.p.t);
    memcpy(copy, w.object.data, w.object.n);
    copy[n] = (char)(copy[n] ^ (n % 2 ? 0x80 : 0x11));
    m = PLAYED.load(w.dev, copy, w.object.n);
    if (m) PLAYED.unload(w.dev, m);
    tiny_clear(w.p.t);
  }
  free(copy);
  world_end(&w);
}

// ** what fails: a sentence each, and nothing is left or lost **

// Some of everything: copies, kernels, a program, a read. 1: the values are right.
static int some_work(tiny_ctx *t) {
  float got[256] = {0};
  tiny_tensor *x, *y = NULL;
  x = tiny_full(t, 5, TINY_F32, TINY_SHAPE(256));
  tiny_realize(&x, 1);
  tiny_tensor *z = tiny_contiguous(tiny_add_scalar(x, 1));
  y = tiny_contiguous(tiny_mul_scalar(z, 2));
  tiny_program *p = tiny_capture(t, &x, 1, &y, 1);
  for (int i = 0; i < 5 && p; i++) tiny_run(p, &x, &y);
  const tiny_code code = tiny_read(y, got, sizeof got);
  tiny_program_free(p);
  return code == TINY_OK && got[0] == 12 && got[255] == 12;
}
static void test_calls_fail(void) {
  for (int gpu = 0; gpu < PLAYED_GPUS; gpu += 3) {
    long n = 1;
    for (int ended = 0; !ended && n < 500; n++) {
      play_mac((played_desc){.seed = (uint32_t)(n % 3)}, played_chips[gpu]);
      const long before = metal_mock_counted().calls;
      metal_mock_fail(METAL_MOCK_ANY, n);
      tiny_ctx *t = open_with("METAL", "");
      const int right = some_work(t);
      const tiny_code code = tiny_status(t);
      ended = metal_mock_counted().calls - before < n;
      metal_mock_fail(METAL_MOCK_ANY, 0);
      CHECK(right || code != TINY_OK);     // never in silence
      CHECK(code == TINY_OK || code == TINY_E_MEMORY || code == TINY_E_COMPILE || code == TINY_E_DEVICE);
      CHECK(code == TINY_OK || strlen(tiny_error(t)) > 20);
      CHECK(!ended || code == TINY_OK);
      if ((!right && !code) || (ended && code)) fprintf(stderr, "    call %ld: %s\n", n, tiny_error(t));
      if (code && tiny_device_handle(t, 0)) {              // what was refused once, is not the next time
        tiny_clear(t);
        CHECK(some_work(t));
        all_well(t);
      }
      tiny_close(t);
      mac_over();
    }
    CHECK(n > 15 && n < 500);
  }
}
static void test_allocations_fail(void) {
  for (int gpu = 0; gpu < PLAYED_GPUS; gpu += 3)
    for (long n = 1, ended = 0; !ended && n < 3000; n += n < 400 ? 1 : 7) {
      memory_count m = {.fail_at = n};
      float data[8] = {1, 2, 3}, got[8];
      play_mac((played_desc){.gpu = gpu, .seed = (uint32_t)(n % 2)}, played_chips[gpu]);
      tiny_ctx *t = tiny_open(&(tiny_desc){.device = "METAL", .backends = {&tiny_metal}, .cache_dir = "", .threads = 1,
                                           .alloc = {memory_fn, &m}});
      tiny_tensor *x = tiny_mul_scalar(tiny_from(t, data, TINY_F32, TINY_SHAPE(8)), 2);
      tiny_read(x, got, sizeof got);
      const tiny_code code = tiny_status(t);
      CHECK(code == TINY_E_MEMORY || (code == TINY_OK && got[1] == 4));
      if (code && code != TINY_E_MEMORY) fprintf(stderr, "    allocation %ld: %s\n", n, tiny_error(t));
      ended = m.calls < n;
      CHECK(!ended || code == TINY_OK);
      tiny_close(t);
      CHECK(m.live == 0 && m.wrong == 0);
      mac_over();
    }
}
// A command buffer that ends with an error of MTLCommandBufferError: its number, and a word of the sentence.
static void test_errors(void) {
  static const struct { int code; const char *says; } errors[] = {
    {1, "internal error"}, {2, "too long"}, {3, "not its own"}, {7, "not permitted"}, {8, "memory"},
    {9, "memory was gone"}, {10, "memory"}, {11, "removed"}, {12, "stack"}
  };
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
    play p = play_on((played_desc){.gpu = (int)(i % PLAYED_GPUS), .seed = (uint32_t)(i % 2)});
    float got[4];
    tiny_tensor *x = tiny_full(p.t, 2, TINY_F32, TINY_SHAPE(4));
    tiny_realize(&x, 1);
    tiny_sync(p.t);
    play_well(&p);
    metal_mock_fail_execution(errors[i].code, 1);
    const tiny_code code = tiny_read(tiny_add_scalar(tiny_mul(x, x), 1), got, sizeof got);
    CHECK_EQ(code, errors[i].code == 8 ? TINY_E_MEMORY : TINY_E_DEVICE);
    CHECK(strstr(tiny_error(p.t), errors[i].says) != NULL);
    if (!strstr(tiny_error(p.t), errors[i].says)) fprintf(stderr, "    %d says: %s\n", errors[i].code, tiny_error(p.t));
    metal_mock_fail_execution(0, 0);
    tiny_clear(p.t);
    if (errors[i].code != 11) values_are(p.t);             // the device goes on
    play_end(&p);
  }
}
// One that is pulled out: it says so at each call.
static void test_removed(void) {
  world w;
  world_begin(&w, (played_desc){.gpu = 3, .seed = 3}, 4);
  tiny_mem mem[3] = {{w.slot[0].mem, 0}, {w.slot[1].mem, 0}, {w.by[0].mem, 0}};
  tiny_launch l = {.kernel = w.kernel, .mem = mem, .nmem = 3, .global = {2, 1, 1}, .local = {N / 2, 1, 1}};
  CHECK_EQ(PLAYED.sync(w.dev), TINY_OK);
  metal_mock_remove(0);
  PLAYED.launch(w.dev, &l);
  for (int i = 0; i < 3; i++) {
    CHECK_EQ(PLAYED.sync(w.dev), TINY_E_DEVICE);
    says(w.p.t, TINY_E_DEVICE, "removed");
    tiny_clear(w.p.t);
    CHECK_EQ(PLAYED.launch(w.dev, &l), TINY_E_DEVICE);
    says(w.p.t, TINY_E_DEVICE, "removed");
    tiny_clear(w.p.t);
  }
  for (int i = 0; i < SLOTS; i++) PLAYED.free(w.dev, w.slot[i].mem, BYTES);
  for (int i = 0; i < 4; i++) PLAYED.free(w.dev, w.by[i].mem, BYTES);
  PLAYED.unload(w.dev, w.module);
  play_end(&w.p);
}
// The context goes on with its other device.
static void test_removed_of_two(void) {
  static const float data[4] = {1, 2, 3, 4};
  play_mac((played_desc){.seed = 3}, "mac2,apple7");
  tiny_ctx *t = open_with("METAL:0,METAL:1", "");
  tiny_tensor *x = tiny_from(t, data, TINY_F32, TINY_SHAPE(4));
  CHECK_EQ(tiny_sync(t), TINY_OK);
  metal_mock_remove(0);
  tiny_assign(x, tiny_mul_scalar(x, 3));
  tiny_realize(&x, 1);
  tiny_sync(t);
  CHECK(tiny_status(t) != TINY_OK);
  tiny_clear(t);
  tiny_use_device(t, 1);
  float got[4];
  CHECK_EQ(tiny_read(tiny_add_scalar(tiny_from(t, data, TINY_F32, TINY_SHAPE(4)), 1), got, sizeof got), TINY_OK);
  CHECK(got[0] == 2 && got[3] == 5);
  tiny_close(t);
  mac_over();
}

// ** two contexts on two threads **

static void *thread_runs(void *arg) {     // {which device, how often it was wrong}: CHECK is for one thread
  int *const a = (int *)arg;
  for (int i = 0; i < 4; i++) {
    tiny_ctx *t = open_with(a[0] & 1 ? "METAL:1" : "METAL:0", "");
    a[1] += !some_work(t) || tiny_status(t) != TINY_OK;
    tiny_close(t);
  }
  return NULL;
}
static void test_threads(void) {
  play_mac((played_desc){.seed = 11}, "apple7,mac2");
  pthread_t thread[3];
  int a[3][2] = {{0}, {1}, {2}};
  for (int i = 0; i < 3; i++) pthread_create(&thread[i], NULL, thread_runs, a[i]);
  for (int i = 0; i < 3; i++) { pthread_join(thread[i], NULL); CHECK_EQ(a[i][1], 0); }
  mac_over();
}

// ** what is kept on disk: a second context compiles nothing **

static void test_cache(void) {
  char dir[] = "/tmp/test_metal-XXXXXX", command[64];
  CHECK(mkdtemp(dir) != NULL);
  for (int gpu = 0; gpu < PLAYED_GPUS; gpu += 2) for (int turn = 0; turn < 3; turn++) {
    play_mac((played_desc){.seed = 2}, played_chips[gpu]);
    tiny_ctx *t = tiny_open(&(tiny_desc){.device = "METAL", .backends = {&tiny_metal}, .cache_dir = dir, .threads = 1});
    values_are(t);
    CHECK(turn ? tiny_stats_of(t).compiled == 0 : tiny_stats_of(t).compiled > 0);
    tiny_close(t);
    mac_over();
  }
  snprintf(command, sizeof command, "rm -rf %s", dir);
  CHECK_EQ(system(command), 0);
}

static void test_orders(void) {
  test_order();
  test_pairs();
  test_stamps();
  test_values();
}
static void test_memory(void) {
  test_large();
  test_no_room();
  test_reuse();
}
static void test_programs(void) {
  test_lists();
  test_captured();
  test_chain();
  test_cache();
}
static void test_kernels(void) {
  test_own();
  test_own_refused();
  test_fits();
  test_binaries();
}
static void test_failures(void) {
  test_calls_fail();
  test_allocations_fail();
  test_errors();
  test_removed();
  test_removed_of_two();
  test_threads();
}
#endif
