// amd_play: the part of test_amd.c that a GPU is played for.
#ifndef AMD_PLAY_H
#define AMD_PLAY_H

#define PLAYED tiny_amd
typedef amd_mock played_mock;
typedef amd_mock_desc played_desc;
typedef amd_mock_gpu played_gpu;
enum { PLAYED_GPUS = AMD_MOCK_GPUS };
typedef struct play { amd_mock *m; tiny_ctx *t; } play;

static play play_debug(amd_mock_desc desc, const char *debug) {
  play p;
  if (!desc.run) desc.run = amd_run;
  p.m = amd_mock_new(&desc);
  CHECK(p.m != NULL);
  p.t = open_with(tiny_amd_on(amd_mock_system(p.m), 0).text, debug);
  return p;
}
static play play_on(amd_mock_desc desc) { return play_debug(desc, ""); }
// Nothing was done that hardware would not have tolerated either, and nothing is left.
static void play_over(amd_mock *m) {
  const char *wrong = amd_mock_complaint(m);
  CHECK(!wrong);
  if (wrong) fprintf(stderr, "    %s\n", wrong);
  CHECK_EQ(amd_mock_leaks(m), 0);
  amd_mock_free(m);
}
static void play_end(play *p) {
  tiny_close(p->t);
  play_over(p->m);
}
static void play_well(const play *p) {
  CHECK_EQ(tiny_status(p->t), TINY_OK);
  if (tiny_status(p->t)) fprintf(stderr, "    %s\n", tiny_error(p->t));
}
static tn_kfd *play_device(const play *p) { return (tn_kfd *)p->t->device[0]->dev; }

// ** opened, told of, refused **

static void test_open(void) {
  static const char *const targets[] = {"gfx1100", "gfx1201", "gfx942"};
  for (int gpu = 0; gpu < AMD_MOCK_GPUS; gpu++) {
    tiny_amd_gpu told[2];
    play p = play_on((amd_mock_desc){.gpu = (amd_mock_gpu)gpu, .ngpu = 2});
    play_well(&p);
    CHECK_STR(tiny_amd.target(play_device(&p)), targets[gpu]);
    CHECK_EQ(tn_kfd_is_aql(&play_device(&p)->queue[TN_KFD_COMPUTE]), gpu == AMD_MOCK_GFX942);
    CHECK_EQ(tiny_amd_gpus(amd_mock_system(p.m), told, 2), 2);
    CHECK(!strcmp(told[1].target, targets[gpu]) && !told[1].error[0] && told[1].nbytes == 1u << 30);
    CHECK(told[0].free_nbytes < told[1].free_nbytes && told[1].minor == 129 && told[1].version[1] == 17);
    CHECK_EQ(told[0].units, gpu == AMD_MOCK_GFX1100 ? 96 : gpu == AMD_MOCK_GFX1201 ? 64 : 304);
    play_end(&p);
  }
}
static void refused_on(amd_mock_desc desc, const char *text) {
  play p = play_on(desc);
  says(p.t, TINY_E_DEVICE, text);
  play_end(&p);
}
static void test_refused(void) {
  refused_on((amd_mock_desc){.absent = 1}, "there is no driver of AMD's GPUs here (amdgpu): /dev/kfd: errno 2");
  refused_on((amd_mock_desc){.denied = 1}, "join its group, which is render or video");
  refused_on((amd_mock_desc){.no_render = 1}, "/dev/dri/renderD128: errno 13: you may not open it");
  refused_on((amd_mock_desc){.hidden = 1}, "the driver (KFD 1.17) finds no GPU that computes");
  refused_on((amd_mock_desc){.chip = 100300}, "the GPU is gfx1030, which is not known here; known are gfx942");
  refused_on((amd_mock_desc){.version = 3}, "(KFD) is 1.3; 1.6 to 1.x is wanted");
  refused_on((amd_mock_desc){.taken = 2}, "an address space (AMDKFD_IOC_ACQUIRE_VM): errno 16: it is in use");
  play p = play_on((amd_mock_desc){.taken = 1});           // ROCm has it, in this process
  play_well(&p);
  play_end(&p);
  amd_mock *m = amd_mock_new(&(amd_mock_desc){.ngpu = 2});
  tiny_ctx *t = open_with(tiny_amd_on(amd_mock_system(m), 2).text, "");
  says(t, TINY_E_DEVICE, "there is no GPU of this number; there are 2, counted from 0");
  tiny_close(t);
  play_over(m);
}
// Each ioctl in turn fails, and each allocation of memory: a sentence, and nothing is left.
static void test_failures(void) {
  static int data[64], got[64];
  for (int what = 0; what < 2; what++) {
    long n = 1;
    for (int ended = 0; !ended && n < 300; n++) {
      amd_mock_desc desc = {.gpu = (amd_mock_gpu)(n % AMD_MOCK_GPUS)};
      if (what) desc.fail_alloc = n; else desc.fail_ioctl = n;
      play p = play_on(desc);
      tiny_tensor *x = tiny_from(p.t, data, TINY_I32, TINY_SHAPE(64));
      tiny_read(x, got, sizeof got);
      const amd_mock_counts c = amd_mock_counted(p.m);
      const long reached = what ? c.allocations : c.ioctls;
      ended = reached < n;
      CHECK(ended || tiny_status(p.t) == TINY_OK || strstr(tiny_error(p.t), "AMD"));
      CHECK(!what || tiny_status(p.t) == TINY_OK || tiny_status(p.t) == TINY_E_MEMORY);       // OK: at the second try
      tiny_clear(p.t);
      play_end(&p);
    }
    CHECK(n > (what ? 10 : 20) && n < 300);
  }
}
// The library's memory is refused, one time after the other.
static void test_no_memory(void) {
  for (long n = 1, ended = 0; !ended; n++) {
    memory_count m = {.fail_at = n};
    int data[8] = {1, 2, 3}, got[8];
    amd_mock *mock = amd_mock_new(&(amd_mock_desc){.gpu = AMD_MOCK_GFX1100, .run = run_affine});
    tiny_desc desc = {.device = tiny_amd_on(amd_mock_system(mock), 0).text, .backends = {&tiny_amd}, .cache_dir = "",
                      .threads = 1, .alloc = {memory_fn, &m}};
    char name[48];
    snprintf(name, sizeof name, "%s", tiny_amd_on(amd_mock_system(mock), 0).text);
    desc.device = name;
    tiny_ctx *t = tiny_open(&desc);
    tiny_read(tiny_from(t, data, TINY_I32, TINY_SHAPE(8)), got, sizeof got);
    const tiny_code code = tiny_status(t);
    CHECK(code == TINY_E_MEMORY || !memcmp(data, got, sizeof got));
    ended = m.calls < n;
    CHECK(!ended || code == TINY_OK);
    tiny_close(t);
    CHECK(m.live == 0 && m.wrong == 0);
    play_over(mock);
  }
}

// ** copies **

// Bytes larger than a chunk, there and back.
static void test_large(void) {
  const size_t n = (size_t)TN_KFD_STAGE / sizeof(int) * 3 + 77;
  int *data = (int *)malloc(n * sizeof *data), *got = (int *)malloc(n * sizeof *got);
  for (size_t i = 0; i < n; i++) data[i] = (int)(i * 2654435761u);
  for (int gpu = 0; gpu < AMD_MOCK_GPUS; gpu++) for (uint32_t seed = 0; seed < 3; seed += 2) {
    play p = play_on((amd_mock_desc){.gpu = (amd_mock_gpu)gpu, .seed = seed});
    tiny_tensor *x = tiny_from(p.t, data, TINY_I32, TINY_SHAPE((int64_t)n));
    CHECK_EQ(tiny_read(x, got, n * sizeof *got), TINY_OK);
    CHECK(!memcmp(data, got, n * sizeof *got));
    play_well(&p);
    play_end(&p);
  }
  free(data);
  free(got);
}
// Many small ones: rings go round, and so do the numbers of submissions.
static void test_around(void) {
  static char data[512], got[512];
  for (int gpu = 0; gpu < AMD_MOCK_GPUS; gpu++) {
    play p = play_on((amd_mock_desc){.gpu = (amd_mock_gpu)gpu, .seed = 9});
    tn_kfd *d = play_device(&p);
    for (int i = 0; i < TN_KFD_QUEUES; i++) {              // as after 2^32 - 100 submissions
      tn_kfd_queue *q = &d->queue[i];
      q->given = UINT32_MAX - 100;
      tn_driver_store((uint64_t *)(void *)&q->signal->value, tn_kfd_signal_value(q, q->given));
      q->end[q->given % TN_KFD_OUTSTANDING] = q->put;
    }
    void *mem = tiny_amd.alloc(d, sizeof data);
    const int rounds = test_brief(300, 12000);             // of 44 bytes, in a ring of a MiB
    for (int i = 0; i < rounds; i++) {
      data[i % 512] = (char)i;
      CHECK_EQ(tiny_amd.copy_in(d, (tiny_mem){mem, 0}, data, sizeof data), TINY_OK);
      if (i % 50) continue;
      CHECK_EQ(tiny_amd.copy_out(d, got, (tiny_mem){mem, 0}, sizeof got), TINY_OK);
      CHECK(!memcmp(data, got, sizeof got));
    }
    CHECK(d->queue[TN_KFD_IN].given > UINT32_MAX);
    tiny_amd.free(d, mem, sizeof data);
    play_well(&p);
    play_end(&p);
  }
}

// ** kernels, called as the library calls them **

enum { N = 64 };
static const char affine_source[] =
  "extern \"C\" __attribute__((global)) void __attribute__((amdgpu_flat_work_group_size(32, 1024)))\n"
  "affine(int *out, const int *in, const int *by) {\n"
  "  const unsigned i = __builtin_amdgcn_workgroup_id_x() * 32u + __builtin_amdgcn_workitem_id_x();\n"
  "  out[i] = (int)((unsigned)in[i] * (unsigned)by[0] + (unsigned)by[1]);\n}\n";
static play play_two(amd_mock_desc desc) {
  char name[128];
  play p;
  desc.ngpu = 2;
  if (!desc.run) desc.run = run_affine;
  p.m = amd_mock_new(&desc);
  snprintf(name, sizeof name, "%s,%s", tiny_amd_on(amd_mock_system(p.m), 0).text, tiny_amd_on(amd_mock_system(p.m), 1).text);
  p.t = open_with(name, "");
  return p;
}
#include "play_world.h"

// When launches began and ended.
static void test_stamps(void) {
  for (int gpu = 0; gpu < AMD_MOCK_GPUS; gpu++) {
    world w;
    uint64_t stamp[3][2];
    memset(stamp, 0, sizeof stamp);
    world_begin(&w, (amd_mock_desc){.gpu = (amd_mock_gpu)gpu, .seed = 3}, 5);
    tiny_mem mem[3] = {{w.slot[0].mem, 0}, {w.slot[1].mem, 0}, {w.by[0].mem, 0}};
    for (int i = 0; i < 3; i++) {
      tiny_launch l = {.kernel = w.kernel, .mem = mem, .nmem = 3, .global = {2, 1, 1}, .local = {N / 2, 1, 1},
                       .stamp = stamp[i]};
      CHECK_EQ(tiny_amd.launch(w.dev, &l), TINY_OK);
      slot_affine(&w.slot[0], &w.slot[1], &w.by[0]);
    }
    CHECK_EQ(tiny_amd.sync(w.dev), TINY_OK);
    for (int i = 0; i < 3; i++) CHECK(stamp[i][0] && stamp[i][0] < stamp[i][1] && (!i ||
                                                                                   stamp[i - 1][1] < stamp[i][0]));
    world_end(&w);
  }
}

// ** values: kernels that the library writes, on the emulator **

enum { ROWS = 17, INNER = 23, COLUMNS = 19 };
static tiny_tensor *some_values(tiny_ctx *t) {
  tiny_tensor *x = tiny_randn(t, TINY_SHAPE(ROWS, INNER)), *w = tiny_randn(t, TINY_SHAPE(INNER, COLUMNS));
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
static void values_on(amd_mock_desc desc) {
  static float got[ROWS * COLUMNS];
  play p = play_on(desc);
  double most = 0;
  values_of(p.t, got);
  play_well(&p);
  for (int i = 0; i < ROWS * COLUMNS; i++) most = fmax(most, fabs((double)got[i] - wanted_values()[i]));
  CHECK(most < 1e-6);
  play_end(&p);
}
static void test_values(void) {
  for (int gpu = 0; gpu < AMD_MOCK_GPUS; gpu++) for (uint32_t seed = 0; seed < 8; seed += 7)
    values_on((amd_mock_desc){.gpu = (amd_mock_gpu)gpu, .seed = seed});
}

// ** two GPUs of one machine, in one context **

static void test_pairs(void) {
  for (uint32_t i = 0; i < (uint32_t)test_rounds(test_brief(6, 12)); i++)
    pair_sequence((amd_mock_desc){.gpu = (amd_mock_gpu)(i % AMD_MOCK_GPUS), .seed = i % 4 ? i : 0}, i);
  pair_sequence((amd_mock_desc){.gpu = AMD_MOCK_GFX1201, .seed = 7, .no_peers = 1}, 100);    // by the host
  pair_sequence((amd_mock_desc){.gpu = AMD_MOCK_GFX942, .seed = 7, .no_peers = 1}, 101);
}
// What is between is one copy by an engine, and waiting is the queues'.
static void test_peer_copies(void) {
  enum { MIB = 1 << 20 };
  static char data[4 * MIB], got[4 * MIB];
  for (int by_host = 0; by_host < 2; by_host++) {
    pair p;
    for (size_t i = 0; i < sizeof data; i++) data[i] = (char)(i * 7 + i / 4096);
    pair_begin(&p, (amd_mock_desc){.gpu = AMD_MOCK_GFX1100, .no_peers = by_host}, 1);
    void *from = tiny_amd.alloc(p.dev[1], sizeof data), *to = tiny_amd.alloc(p.dev[0], sizeof data);
    tiny_amd.copy_in(p.dev[1], (tiny_mem){from, 0}, data, sizeof data);
    const amd_mock_counts a = amd_mock_counted(p.m);
    pair_wait(&p, 0, 1);
    CHECK_EQ(tiny_amd.copy_from(p.dev[0], (tiny_mem){to, 0}, p.dev[1], (tiny_mem){from, 0}, sizeof data), TINY_OK);
    const amd_mock_counts b = amd_mock_counted(p.m);
    CHECK_EQ(b.copied_nbytes - a.copied_nbytes, (by_host ? 2 : 1) * sizeof data);
    CHECK(by_host ? b.copies - a.copies > 2 : b.copies - a.copies == 1);
    CHECK_EQ(tiny_amd.copy_out(p.dev[0], got, (tiny_mem){to, 0}, sizeof got), TINY_OK);
    CHECK(!memcmp(data, got, sizeof got));
    tiny_amd.free(p.dev[0], to, sizeof data);
    tiny_amd.free(p.dev[1], from, sizeof data);
    pair_end(&p);
  }
}
// By the library: tensors that go from one to the other.
static void test_to(void) {
  amd_mock *m = amd_mock_new(&(amd_mock_desc){.gpu = AMD_MOCK_GFX1100, .ngpu = GPUS, .seed = 5, .run = amd_run});
  char name[128];
  float got[ROWS * COLUMNS];
  double most = 0;
  snprintf(name, sizeof name, "%s,%s", tiny_amd_on(amd_mock_system(m), 0).text, tiny_amd_on(amd_mock_system(m),
                                                                                            1).text);
  tiny_ctx *t = open_with(name, "");
  tiny_tensor *x = tiny_to(tiny_contiguous(some_values(t)), 1);
  x = tiny_to(tiny_contiguous(tiny_neg(x)), 0);
  CHECK_EQ(tiny_read(tiny_neg(x), got, sizeof got), TINY_OK);
  for (int i = 0; i < ROWS * COLUMNS; i++) most = fmax(most, fabs((double)got[i] - wanted_values()[i]));
  CHECK(most < 1e-6);
  play p = {m, t};
  play_end(&p);
}
// The one that another waits for is lost: that one alone says so.
static void test_peer_lost(void) {
  pair p;
  int got[N];
  pair_begin(&p, (amd_mock_desc){.gpu = AMD_MOCK_GFX1201, .seed = 2, .fault_launch = 2}, 1);
  pair_launch(&p, 1);
  pair_launch(&p, 1);                      // faults
  pair_wait(&p, 0, 1);
  pair_launch(&p, 0);
  const slot *s = &p.slot[0][0];
  CHECK_EQ(tiny_amd.copy_out(p.dev[0], got, (tiny_mem){s->mem, 0}, sizeof got), TINY_OK);
  CHECK(!memcmp(got, s->want, sizeof got));
  CHECK_EQ(tiny_amd.copy_out(p.dev[1], got, (tiny_mem){p.slot[1][0].mem, 0}, sizeof got), TINY_E_DEVICE);
  says(p.t, TINY_E_DEVICE, "the device is lost");
  tiny_clear(p.t);
  pair_end(&p);
}

// ** faults, hangs, resets: told by a sentence; others go on **

static void lost_by(amd_mock_desc desc, const char *text) {
  world w;
  int got[N];
  desc.run = run_affine;
  world_begin(&w, desc, 3);
  tn_kfd *d = (tn_kfd *)w.dev;
  d->timeout_ns = 200000000;
  tiny_mem mem[3] = {{w.slot[0].mem, 0}, {w.slot[1].mem, 0}, {w.by[0].mem, 0}};
  tiny_launch l = {.kernel = w.kernel, .mem = mem, .nmem = 3, .global = {2, 1, 1}, .local = {N / 2, 1, 1}};
  for (int i = 0; i < 3; i++) tiny_amd.launch(w.dev, &l);
  CHECK_EQ(tiny_amd.copy_out(w.dev, got, (tiny_mem){w.slot[0].mem, 0}, sizeof got), TINY_E_DEVICE);
  says(w.p.t, TINY_E_DEVICE, text);
  tiny_clear(w.p.t);
  CHECK_EQ(tiny_amd.launch(w.dev, &l), TINY_E_DEVICE);     // from then on
  says(w.p.t, TINY_E_DEVICE, text);
  tiny_clear(w.p.t);
  CHECK(!tiny_amd.alloc(w.dev, 64) && tiny_amd.sync(w.dev) == TINY_E_DEVICE);
  tiny_clear(w.p.t);
  for (int i = 0; i < SLOTS; i++) tiny_amd.free(w.dev, w.slot[i].mem, BYTES);
  for (int i = 0; i < 4; i++) tiny_amd.free(w.dev, w.by[i].mem, BYTES);
  tiny_amd.unload(w.dev, w.module);
  play_end(&w.p);
}
static void test_lost(void) {
  for (int gpu = 0; gpu < AMD_MOCK_GPUS; gpu++) for (uint32_t seed = 0; seed < 4; seed += 3) {
    const amd_mock_gpu g = (amd_mock_gpu)gpu;
    lost_by((amd_mock_desc){.gpu = g, .seed = seed, .fault_launch = 2},
            "the device is lost: a kernel used the address 0xdead0000, which is no memory");
    lost_by((amd_mock_desc){.gpu = g, .seed = seed, .reset_launch = 3},
            "the driver resets the GPU after a hang, and what its memory held is gone");
    lost_by((amd_mock_desc){.gpu = g, .seed = seed, .hang_launch = 1},
            "the device is lost: nothing has happened for 0 s; a kernel may never end (TINY_AMD_TIMEOUT_MS)");
  }
}
// A kernel that is given memory which is not there: the address that it used.
static void wild_on(amd_mock_gpu gpu) {
  world w;
  int got[N];
  char text[64];
  world_begin(&w, (amd_mock_desc){.gpu = gpu, .seed = 2}, 3);
  tn_device_block nowhere = {.va = 0x123456789000, .nbytes = BYTES};
  tiny_mem mem[3] = {{w.slot[0].mem, 0}, {&nowhere, 0}, {w.by[0].mem, 0}};
  tiny_launch l = {.kernel = w.kernel, .mem = mem, .nmem = 3, .global = {2, 1, 1}, .local = {N / 2, 1, 1}};
  tiny_amd.launch(w.dev, &l);
  CHECK_EQ(tiny_amd.copy_out(w.dev, got, (tiny_mem){w.slot[0].mem, 0}, sizeof got), TINY_E_DEVICE);
  snprintf(text, sizeof text, "used the address 0x%llx", (unsigned long long)nowhere.va);
  says(w.p.t, TINY_E_DEVICE, text);
  tiny_clear(w.p.t);
  for (int i = 0; i < SLOTS; i++) tiny_amd.free(w.dev, w.slot[i].mem, BYTES);
  for (int i = 0; i < 4; i++) tiny_amd.free(w.dev, w.by[i].mem, BYTES);
  tiny_amd.unload(w.dev, w.module);
  play_end(&w.p);
}

static void test_wild(void) { for (int gpu = 0; gpu < AMD_MOCK_GPUS; gpu++) wild_on((amd_mock_gpu)gpu); }

// ** waits that sleep: woken by interrupts, or not **

// Kernels and copies with waits between them, each of which sleeps. -> what the mock counted.
static amd_mock_counts sleepy(amd_mock_desc desc, int *state) {
  world w;
  int got[N];
  desc.run = run_affine;
  world_begin(&w, desc, 3);
  tn_kfd *d = (tn_kfd *)w.dev;
  d->spins = 2;
  tiny_mem mem[3] = {{w.slot[0].mem, 0}, {w.slot[1].mem, 0}, {w.by[0].mem, 0}};
  tiny_launch l = {.kernel = w.kernel, .mem = mem, .nmem = 3, .global = {2, 1, 1}, .local = {N / 2, 1, 1}};
  for (int i = 0; i < 12; i++) {
    for (int k = 0; k <= i % 3; k++) {
      CHECK_EQ(tiny_amd.launch(w.dev, &l), TINY_OK);
      slot_affine(&w.slot[0], &w.slot[1], &w.by[0]);
    }
    CHECK_EQ(i % 2 ? tiny_amd.sync(w.dev) : tiny_amd.copy_out(w.dev, got, mem[0], sizeof got), TINY_OK);
    CHECK(i % 2 || !memcmp(got, w.slot[0].want, sizeof got));
  }
  const amd_mock_counts c = amd_mock_counted(w.p.m);
  *state = d->wake_state;
  world_end(&w);
  return c;
}
// Each ioctl in turn fails while waits sleep: what woke the host goes, but for the page, which the driver keeps.
static void test_sleepy_failures(void) {
  static int data[64], got[64];
  for (long n = 12; n < 96; n++) {
    play p = play_on((amd_mock_desc){.gpu = (amd_mock_gpu)(n % AMD_MOCK_GPUS), .fail_ioctl = n, .seed = 6});
    if (tiny_status(p.t) == TINY_OK) play_device(&p)->spins = 0;
    tiny_tensor *x = tiny_from(p.t, data, TINY_I32, TINY_SHAPE(64));
    for (int i = 0; i < 3; i++) tiny_read(tiny_to(x, 0), got, sizeof got);
    CHECK(tiny_status(p.t) == TINY_OK || strstr(tiny_error(p.t), "AMD"));
    tiny_clear(p.t);
    play_end(&p);
  }
}
static void test_interrupts(void) {
  int state;
  for (int gpu = 0; gpu < AMD_MOCK_GPUS; gpu++) {
    const amd_mock_gpu g = (amd_mock_gpu)gpu;
    amd_mock_counts c = sleepy((amd_mock_desc){.gpu = g, .seed = 6}, &state);
    CHECK(c.interrupts > 3 && c.naps > 3 && c.naps < 400 && state == 1);
    c = sleepy((amd_mock_desc){.gpu = g, .seed = 6, .deaf = 1}, &state);
    CHECK(c.naps >= 3 && state == -1);                     // three that do not come: no more is expected
    c = sleepy((amd_mock_desc){.gpu = g, .seed = 6, .eventful = 1}, &state);
    CHECK(!c.interrupts && !c.naps && state == -1);
    setenv("TINY_AMD_INTERRUPTS", "0", 1);
    c = sleepy((amd_mock_desc){.gpu = g, .seed = 6}, &state);
    CHECK(!c.interrupts && !c.naps && state == -1);
    unsetenv("TINY_AMD_INTERRUPTS");
  }
}

// ** several contexts of a process: one address space **

static void test_two_contexts(void) {
  amd_mock *m = amd_mock_new(&(amd_mock_desc){.gpu = AMD_MOCK_GFX1100, .seed = 4, .run = amd_run});
  float got[ROWS * COLUMNS];
  tiny_ctx *t[3];
  for (int i = 0; i < 2; i++) t[i] = open_with(tiny_amd_on(amd_mock_system(m), 0).text, "");
  values_of(t[1], got);
  tiny_close(t[0]);                        // the first goes, with the file that it opened
  t[2] = open_with(tiny_amd_on(amd_mock_system(m), 0).text, "");
  for (int i = 1; i < 3; i++) {
    values_of(t[i], got);
    CHECK_EQ(tiny_status(t[i]), TINY_OK);
    tiny_close(t[i]);
  }
  play_over(m);
}
typedef struct in_thread { amd_mock *m; float got[ROWS * COLUMNS]; tiny_code code; } in_thread;
static void *thread_runs(void *arg) {
  in_thread *a = (in_thread *)arg;
  tiny_ctx *t = open_with(tiny_amd_on(amd_mock_system(a->m), 0).text, "");
  for (int i = 0; i < 3; i++) tiny_read(some_values(t), a->got, sizeof a->got);
  a->code = tiny_status(t);
  tiny_close(t);
  return NULL;
}
static void test_threads(void) {
  amd_mock *m = amd_mock_new(&(amd_mock_desc){.gpu = AMD_MOCK_GFX1201, .seed = 8, .run = amd_run});
  in_thread a[2] = {{m, {0}, TINY_OK}, {m, {0}, TINY_OK}};
  pthread_t thread[2];
  for (int i = 0; i < 2; i++) pthread_create(&thread[i], NULL, thread_runs, &a[i]);
  for (int i = 0; i < 2; i++) { pthread_join(thread[i], NULL); CHECK_EQ(a[i].code, TINY_OK); }
  play_over(m);
}

// ** memory by a file, and the host's **

// x over mem, added to in place.
static void add_in_place(tiny_ctx *t, void *mem, double what) {
  tiny_tensor *x = tiny_blob_of(t, mem, TINY_F32, TINY_SHAPE(N));
  tiny_assign(x, tiny_add_scalar(x, what));
  CHECK_EQ(tiny_realize(&x, 1), TINY_OK);
  CHECK_EQ(tiny_sync(t), TINY_OK);
  if (tiny_status(t)) fprintf(stderr, "    %s\n", tiny_error(t));
}
static void test_share(void) {
  amd_mock *m = amd_mock_new(&(amd_mock_desc){.gpu = AMD_MOCK_GFX1100, .ngpu = 2, .seed = 3, .run = amd_run});
  tiny_ctx *t[2];
  void *dev[2], *mem[2];
  float got[N];
  int fd = -1;
  for (int i = 0; i < 2; i++) {
    t[i] = open_with(tiny_amd_on(amd_mock_system(m), i).text, "");
    dev[i] = t[i]->device[0]->dev;
  }
  mem[0] = tiny_amd_share(dev[0], N * sizeof(float), &fd);
  CHECK(mem[0] && fd >= 0);
  mem[1] = tiny_amd_import(dev[1], fd, N * sizeof(float));
  CHECK(mem[1] != NULL);
  amd_mock_system(m)->close(m, fd);
  for (int i = 0; i < 4; i++) add_in_place(t[i & 1], mem[i & 1], i + 1);
  CHECK_EQ(tiny_read(tiny_blob_of(t[0], mem[0], TINY_F32, TINY_SHAPE(N)), got, sizeof got), TINY_OK);
  for (int i = 0; i < N; i++) CHECK(got[i] == 10);
  for (int i = 0; i < 2; i++) { tiny_amd_release(dev[i], mem[i]); tiny_close(t[i]); }
  play_over(m);
}
static void test_strangers(void) {
  uint8_t *bytes = NULL;
  float value;
  play p = play_on((amd_mock_desc){.gpu = AMD_MOCK_GFX942, .seed = 2});
  const int fd = amd_mock_dmabuf(p.m, 8192, &bytes);
  for (int i = 0; i < N; i++) { value = (float)i; memcpy(bytes + 4 * i, &value, 4); }
  void *dev = play_device(&p), *mem = tiny_amd_import(dev, fd, 8192);
  CHECK(mem != NULL);
  amd_mock_system(p.m)->close(p.m, fd);
  add_in_place(p.t, mem, 5);
  for (int i = 0; i < N; i++) { memcpy(&value, bytes + 4 * i, 4); CHECK(value == (float)i + 5); }
  tiny_amd_release(dev, mem);
  void *const none = tiny_amd_import(dev, 12345, 4096);    // no such file
  CHECK(!none);
  says(p.t, TINY_E_DEVICE, "amd_import: a dma-buf (AMDKFD_IOC_IMPORT_DMABUF): errno 22");
  tiny_clear(p.t);
  CHECK(!tiny_amd_import(dev, -1, 64) && tiny_status(p.t) == TINY_E_ARG);
  tiny_clear(p.t);
  play_end(&p);
  p = play_on((amd_mock_desc){.gpu = AMD_MOCK_GFX1100, .no_export = 1});
  int file = 7;
  CHECK(!tiny_amd_share(play_device(&p), 64, &file) && file == -1);
  says(p.t, TINY_E_DEVICE, "amd_share: memory as a dma-buf (AMDKFD_IOC_EXPORT_DMABUF): errno 22");
  tiny_clear(p.t);
  play_end(&p);
}
// Pages of the host, in place.
static void test_wrap(void) {
  play p = play_on((amd_mock_desc){.gpu = AMD_MOCK_GFX1201, .seed = 5});
  void *at = NULL, *dev = play_device(&p);
  CHECK(!posix_memalign(&at, 4096, 8192));
  float *x = (float *)at;
  for (int i = 0; i < N; i++) x[i] = (float)i;
  void *mem = tiny_amd_wrap(dev, at, 8192);
  CHECK(mem != NULL);
  add_in_place(p.t, mem, 2);
  for (int i = 0; i < N; i++) CHECK(x[i] == (float)i + 2);
  tiny_amd_release(dev, mem);
  mem = tiny_amd_wrap(dev, at, 4096);      // again, and left for the end
  CHECK(mem && !tiny_amd_wrap(dev, (char *)at + 64, 4096));
  says(p.t, TINY_E_ARG, "they are no whole pages of 4096");
  tiny_clear(p.t);
  play_end(&p);
  free(at);
}

// ** what is refused **

static void test_fits(void) {
  world w;
  world_begin(&w, (amd_mock_desc){.gpu = AMD_MOCK_GFX1100}, 3);
  tiny_mem mem[3] = {{w.slot[0].mem, 0}, {w.slot[1].mem, 0}, {w.by[0].mem, 0}};
  tiny_launch l = {.kernel = w.kernel, .mem = mem, .nmem = 3, .global = {2, 1, 1}, .local = {2048, 1, 1}};
  CHECK_EQ(tiny_amd.launch(w.dev, &l), TINY_E_DEVICE);
  says(w.p.t, TINY_E_DEVICE, "dim 0 has 2 groups of 2048 items; this device takes 4194303 of 1024");
  tiny_clear(w.p.t);
  l.local[0] = l.local[1] = 64;
  CHECK_EQ(tiny_amd.launch(w.dev, &l), TINY_E_DEVICE);
  says(w.p.t, TINY_E_DEVICE, "groups of 4096 items, but this device takes 1024");
  tiny_clear(w.p.t);
  l.local[1] = 1;
  l.local_nbytes = 65537;
  CHECK_EQ(tiny_amd.launch(w.dev, &l), TINY_E_DEVICE);
  says(w.p.t, TINY_E_DEVICE, "65537 bytes of shared memory, but a group has 64 KiB");
  tiny_clear(w.p.t);
  world_end(&w);
}
// A code object of another GPU, one that is cut off at each length, one with every byte changed.
static void test_objects(void) {
  world w, other;
  world_begin(&w, (amd_mock_desc){.gpu = AMD_MOCK_GFX1100}, 3);
  world_begin(&other, (amd_mock_desc){.gpu = AMD_MOCK_GFX942}, 3);
  CHECK(!tiny_amd.load(w.dev, other.object.data, other.object.n));
  says(w.p.t, TINY_E_DEVICE, "a code object is for gfx942, but the GPU is gfx1100: compile it for that");
  tiny_clear(w.p.t);
  CHECK(!tiny_amd.load(w.dev, "no object", 9));
  says(w.p.t, TINY_E_COMPILE, "a code object is refused: it is no ELF file of 64 bits");
  tiny_clear(w.p.t);
  char *copy = (char *)malloc(w.object.n);
  for (size_t n = 0; n < w.object.n; n += test_step()) {
    memcpy(copy, w.object.data, n);
    char *cut = (char *)malloc(n + 1);     // what lies behind is another's
    memcpy(cut, copy, n);
    void *m = tiny_amd.load(w.dev, cut, n);
    if (m) tiny_amd.unload(w.dev, m);
    free(cut);
    tiny_clear(w.p.t);
    memcpy(copy, w.object.data, w.object.n);
    copy[n] = (char)(copy[n] ^ (n % 2 ? 0x80 : 0x11));
    m = tiny_amd.load(w.dev, copy, w.object.n);
    if (m) tiny_amd.unload(w.dev, m);
    tiny_clear(w.p.t);
    if (n % 256 == 0) CHECK_EQ(tiny_amd.sync(w.dev), TINY_OK);
  }
  free(copy);
  world_end(&other);
  world_end(&w);
}

// ** assembly, by tiny_kernel: examples/sum_amd.c runs what is right **

// A kernel that was compiled for few items.
static void test_few_items(void) {
  static const float one = 1;
  static const char few[] = "extern \"C\" __attribute__((global)) __attribute__((amdgpu_flat_work_group_size(1, 64)))\n"
      "void few(float *out, const float *in) { out[0] = in[0]; }\n";
  play p = play_on((amd_mock_desc){.gpu = AMD_MOCK_GFX1201});
  tiny_tensor *x = tiny_from(p.t, &one, TINY_F32, TINY_SHAPE(1));
  tiny_kernel_desc d = {.name = "few", .source = few, .inputs = &x, .n = 1, .local = {64}};
  tiny_tensor *y = tiny_kernel(p.t, &d);
  CHECK_EQ(tiny_realize(&y, 1), TINY_OK);
  play_well(&p);
  d.local[0] = 128;
  y = tiny_kernel(p.t, &d);
  CHECK(tiny_realize(&y, 1) != TINY_OK);
  says(p.t, TINY_E_DEVICE, "few: groups of 128 items, but this kernel takes 64");
  tiny_clear(p.t);
  play_end(&p);
}
static void test_assembly(void) {
  static const float one = 1;
  static const char text[] = ".amdgcn_target \"amdgcn-amd-amdhsa--gfx1100\"\n.amdhsa_kernel k\n"
      "  .amdhsa_next_free_vgpr 1\n  .amdhsa_next_free_sgpr 2\n.end_amdhsa_kernel\n"
      "k:\n  s_endpgm\n  s_branch nowhere\n";
  play p = play_on((amd_mock_desc){.gpu = AMD_MOCK_GFX1100});
  tiny_tensor *x = tiny_from(p.t, &one, TINY_F32, TINY_SHAPE(1));
  tiny_tensor *y = tiny_kernel(p.t, &(tiny_kernel_desc){.name = "k", .source = text, .inputs = &x, .n = 1});
  CHECK_EQ(tiny_realize(&y, 1), TINY_E_COMPILE);
  says(p.t, TINY_E_COMPILE, "a kernel is not compiled for gfx1100: line 8, column 12: there is no such label");
  tiny_clear(p.t);
  play_end(&p);
}

// ** prepared lists: the same launches again, with other memory **

static void lists_on(amd_mock_gpu gpu, uint32_t seed) {
  enum { KERNELS = 3, TURNS = 60 };
  world w;
  tiny_launch l[KERNELS];
  tiny_mem mem[KERNELS][3];
  world_begin(&w, (amd_mock_desc){.gpu = gpu, .seed = seed, .run = run_affine}, 6);
  const amd_mock_counts a = amd_mock_counted(w.p.m);
  for (int turn = 0; turn < TURNS; turn++) {
    for (int i = 0; i < KERNELS; i++) {
      const int of[3] = {roll(&w, SLOTS), roll(&w, SLOTS), roll(&w, 4)};
      mem[i][0] = (tiny_mem){w.slot[of[0]].mem, 0}; mem[i][1] = (tiny_mem){w.slot[of[1]].mem, 0};
      mem[i][2] = (tiny_mem){w.by[of[2]].mem, 0};
      l[i] = (tiny_launch){.kernel = w.kernel, .mem = mem[i], .nmem = 3, .global = {2, 1, 1}, .local = {N / 2, 1, 1}};
      slot_affine(&w.slot[of[0]], &w.slot[of[1]], &w.by[of[2]]);
    }
    CHECK_EQ(tiny_amd.submit(w.dev, l, KERNELS), TINY_OK);
    if (turn % 20 == 7) CHECK_EQ(tiny_amd.sync(w.dev), TINY_OK);
    if (turn == 30) { tiny_amd.unload(w.dev, w.module); world_load(&w); }
  }
  CHECK_EQ(tiny_amd.sync(w.dev), TINY_OK);
  const amd_mock_counts b = amd_mock_counted(w.p.m);
  CHECK_EQ(b.launches - a.launches, TURNS * KERNELS);
  if (gpu != AMD_MOCK_GFX942) CHECK_EQ(b.lists - a.lists, TURNS - 2);      // but for the first of each module
  world_end(&w);
}
static void test_lists(void) {
  for (int gpu = 0; gpu < AMD_MOCK_GPUS; gpu++) for (uint32_t seed = 0; seed < 6; seed += 5)
    lists_on((amd_mock_gpu)gpu, seed);
}
// A captured program, with other memory in each run.
static void capture_on(amd_mock_desc desc) {
  enum { RUNS = 6 };
  static float x[RUNS][ROWS * INNER], want[ROWS * COLUMNS], got[ROWS * COLUMNS], weight[INNER * COLUMNS];
  tiny_tensor *in[RUNS], *y;
  tiny_program *program[2];
  play p = play_on(desc), q = {NULL, open_with("INTERP", "")};
  tiny_ctx *const t[2] = {p.t, q.t};
  for (int i = 0; i < INNER * COLUMNS; i++) weight[i] = (float)(i % 5) / 4 - 0.5f;
  for (int run = 0; run < RUNS; run++)
    for (int i = 0; i < ROWS * INNER; i++) x[run][i] = (float)((i * 7 + run * 5) % 11) / 8 - 0.6f;
  for (int k = 0; k < 2; k++) {
    tiny_tensor *w = tiny_from(t[k], weight, TINY_F32, TINY_SHAPE(INNER, COLUMNS));
    for (int run = 0; run < RUNS; run++) {
      in[run] = tiny_from(t[k], x[run], TINY_F32, TINY_SHAPE(ROWS, INNER));
      if (run) continue;
      y = tiny_softmax(tiny_matmul(in[0], w), -1);
      program[k] = tiny_capture(t[k], &in[0], 1, &y, 1);
      CHECK(program[k] != NULL);
    }
    for (int run = 0; run < RUNS && program[k]; run++) {
      CHECK_EQ(tiny_run(program[k], &in[run], &y), TINY_OK);
      CHECK_EQ(tiny_read(y, k ? want : got, sizeof got), TINY_OK);
      static float first[RUNS][ROWS * COLUMNS];
      if (!k) memcpy(first[run], got, sizeof got);
      for (int i = 0; k && i < ROWS * COLUMNS; i++) CHECK(fabs((double)first[run][i] - want[i]) < 1e-6);
    }
    tiny_program_free(program[k]);
  }
  play_well(&p);
  tiny_close(q.t);
  play_end(&p);
}
static void test_captured(void) {
  for (int gpu = 0; gpu < AMD_MOCK_GPUS; gpu++) capture_on((amd_mock_desc){.gpu = (amd_mock_gpu)gpu, .seed = 4});
}

// ** who compiles: tiny_desc.compiler **

static play play_by(amd_mock_desc desc, const char *compiler) {
  play p;
  desc.run = amd_run;
  p.m = amd_mock_new(&desc);
  p.t = tiny_open(&(tiny_desc){.device = tiny_amd_on(amd_mock_system(p.m), 0).text, .backends = {&tiny_amd}, .cache_dir = "",
                               .debug = "", .threads = 1, .compiler = compiler});
  return p;
}
// A kernel of more loops inside each other than the built-in compiler takes.
static tiny_tensor *deep_kernel(tiny_ctx *t) {
  enum { LOOPS = 80 };
  tiny_bytes text = {.t = t};
  char line[120];
  for (int i = 1; i <= LOOPS; i++)
    tiny_bytes_add(&text, line, (size_t)snprintf(line, sizeof line, "%%%d = (RANGE:%d:reduce 3)\n", i, i));
  tiny_bytes_add(&text, line, (size_t)snprintf(line, sizeof line, "%%%d = (MUL %%1 3)\n", LOOPS + 1));
  for (int i = 2; i <= LOOPS; i++)
    tiny_bytes_add(&text, line, (size_t)snprintf(line, sizeof line, "%%%d = (ADD %%%d (MUL %%%d %d))\n", LOOPS + i,
                                                 LOOPS + i - 1, i, 3 + i * i));
  tiny_bytes_add(&text, line, (size_t)snprintf(line, sizeof line, "(SINK (STORE (INDEX:f32 (PARAM:f32:0 1) 0) "
                                               "(REDUCE:f32:MAX (CAST:f32 (CMOD %%%d 1001))", 2 * LOOPS));
  for (int i = 1; i <= LOOPS; i++) tiny_bytes_add(&text, line, (size_t)snprintf(line, sizeof line, " %%%d", i));
  tiny_bytes_add(&text, ")))", 3);
  return tiny_kernel(t, &(tiny_kernel_desc){.shape = TINY_SHAPE(1), .dtype = TINY_F32, .uops = tiny_uop_parse(t, text.data)});
}
static void compiles_by(amd_mock_gpu gpu, const char *compiler, const char *language) {
  static const float data[5] = {1, 2, 3, 4, -5};
  float got[5];
  play p = play_by((amd_mock_desc){.gpu = gpu}, compiler);
  tiny_renderer r;
  tiny_tensor *x = tiny_from(p.t, data, TINY_F32, TINY_SHAPE(5));
  memset(&r, 0, sizeof r);
  tiny_amd.renderer(play_device(&p), &r);
  CHECK_STR(r.name, language);
  CHECK_EQ(tiny_read(tiny_mul(x, x), got, sizeof got), TINY_OK);
  for (int i = 0; i < 5; i++) CHECK(got[i] == data[i] * data[i]);
  play_well(&p);
  play_end(&p);
}
static void deep_says(amd_mock_gpu gpu, const char *compiler, const char *text) {
  play p = play_by((amd_mock_desc){.gpu = gpu}, compiler);
  tiny_tensor *both[2] = {tiny_add(tiny_full(p.t, 1, TINY_F32, TINY_SHAPE(3)), tiny_rand(p.t, TINY_SHAPE(3))),
                          deep_kernel(p.t)};
  CHECK_EQ(tiny_warm(p.t, both, 2), *text ? TINY_E_COMPILE : TINY_OK);
  if (*text) says(p.t, TINY_E_COMPILE, text);
  else play_well(&p);
  tiny_clear(p.t);
  play_end(&p);
}
static void test_compilers(void) {
  for (int gpu = 0; gpu < AMD_MOCK_GPUS; gpu++) {
    compiles_by((amd_mock_gpu)gpu, NULL, "AMD");
    compiles_by((amd_mock_gpu)gpu, "builtin", "AMD");
    compiles_by((amd_mock_gpu)gpu, "gcc", "AMD");          // of the processor
    deep_says((amd_mock_gpu)gpu, "builtin", "loops that nest so deep has no form in the code of gfx");
  }
  setenv("TINY_AMD_CLANG", "/nowhere/clang", 1);
  setenv("TINY_AMD_COMGR", "/nowhere/comgr", 1);
  deep_says(AMD_MOCK_GFX1100, NULL, "with a clang it is HIP C: install clang 17 or later");
  play p = play_by((amd_mock_desc){.gpu = AMD_MOCK_GFX1201}, "outside");
  tiny_realize(&(tiny_tensor *){tiny_rand(p.t, TINY_SHAPE(3))}, 1);
  says(p.t, TINY_E_COMPILE, "HIP C is to be compiled and there is no clang that knows AMD's GPUs");
  play_end(&p);
  unsetenv("TINY_AMD_CLANG");
  unsetenv("TINY_AMD_COMGR");
}
static void test_fallback(const char *clang) {
  for (int gpu = 0; gpu < AMD_MOCK_GPUS; gpu++) {
    deep_says((amd_mock_gpu)gpu, NULL, "");
    compiles_by((amd_mock_gpu)gpu, "outside", "HIP C");
    compiles_by((amd_mock_gpu)gpu, clang, "HIP C");
    compiles_by((amd_mock_gpu)gpu, strrchr(clang, '/') + 1, "HIP C");
  }
}

static void test_played(void) {
  test_open();
  test_refused();
  test_failures();
  test_no_memory();
  test_large();
  test_around();
  test_compilers();
  char clang[300];
  if (!tn_kfd_find_clang("", clang, sizeof clang)) { printf("test_amd: kernels left out: there is no clang\n"); return; }
  test_fallback(clang);
  test_order();
  test_stamps();
  test_values();
  test_lists();
  test_captured();
  test_pairs();
  test_peer_copies();
  test_to();
  test_peer_lost();
  test_lost();
  test_wild();
  test_interrupts();
  test_sleepy_failures();
  test_two_contexts();
  test_threads();
  test_share();
  test_strangers();
  test_wrap();
  test_fits();
  test_objects();
  test_few_items();
  test_assembly();
}
#endif
