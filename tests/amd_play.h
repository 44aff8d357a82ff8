// amd_play: the part of test_amd.c that a GPU is played for.
#ifndef AMD_PLAY_H
#define AMD_PLAY_H

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

// ** kernels, called as the library calls them, beside a model that does everything at once **

enum { N = 64, SLOTS = 5, BYTES = N * (int)sizeof(int) };
static const char affine_hip[] =
  "extern \"C\" __attribute__((global)) void __attribute__((amdgpu_flat_work_group_size(32, 1024)))\n"
  "affine(int *out, const int *in, const int *by) {\n"
  "  const unsigned i = __builtin_amdgcn_workgroup_id_x() * 32u + __builtin_amdgcn_workitem_id_x();\n"
  "  out[i] = (int)((unsigned)in[i] * (unsigned)by[0] + (unsigned)by[1]);\n}\n";
typedef struct slot { void *mem; int want[N]; } slot;
typedef struct world {
  play p; void *dev, *module, *kernel; tiny_bytes object; slot slot[SLOTS]; slot by[4]; uint32_t state;
} world;

static int roll(world *w, int n) {
  w->state = w->state * 1664525u + 1013904223u;
  return (int)((w->state >> 16) % (uint32_t)n);
}
static void slot_affine(slot *to, const slot *from, const slot *by) {
  const uint32_t a = (uint32_t)by->want[0], b = (uint32_t)by->want[1];
  for (int j = 0; j < N; j++) to->want[j] = (int)((uint32_t)from->want[j] * a + b);
}
static void slot_take(world *w, slot *s) {
  int data[N];
  s->mem = tiny_amd.alloc(w->dev, BYTES);
  CHECK(s->mem != NULL);
  for (int j = 0; j < N; j++) data[j] = s->want[j] = roll(w, 1000);
  CHECK_EQ(tiny_amd.copy_in(w->dev, (tiny_mem){s->mem, 0}, data, sizeof data), TINY_OK);
  memset(data, 0, sizeof data);            // it is the caller's again
}
static void world_load(world *w) {
  w->module = tiny_amd.load(w->dev, w->object.data, w->object.n);
  CHECK(w->module != NULL);
  if (!w->module) return;
  w->kernel = tiny_amd.find(w->dev, w->module, "affine");
  CHECK(w->kernel != NULL && !tiny_amd.find(w->dev, w->module, "affin"));
}
static void step_launches(world *w) {
  enum { MOST = 6 };
  tiny_launch l[MOST];
  tiny_mem mem[MOST][3];
  const int often = roll(w, 3) == 0, n = often ? MOST - roll(w, 2) : 1;
  memset(l, 0, sizeof l);
  for (int i = 0; i < n; i++) {
    slot *const to = &w->slot[often ? i % SLOTS : roll(w, SLOTS)], *const from = &w->slot[roll(w, SLOTS)],
         *const by = &w->by[roll(w, 4)];
    mem[i][0] = (tiny_mem){to->mem, 0}; mem[i][1] = (tiny_mem){from->mem, 0}; mem[i][2] = (tiny_mem){by->mem, 0};
    l[i].kernel = w->kernel; l[i].mem = mem[i]; l[i].nmem = 3;
    for (int k = 0; k < 3; k++) l[i].global[k] = l[i].local[k] = 1;
    l[i].global[0] = 2; l[i].local[0] = N / 2;
    slot_affine(to, from, by);
  }
  CHECK_EQ(n > 1 ? tiny_amd.submit(w->dev, l, n) : tiny_amd.launch(w->dev, l), TINY_OK);
  memset(mem, 0, sizeof mem);
  memset(l, 0, sizeof l);
}
static void step_part(world *w) {          // a part of a block is written
  slot *const s = &w->slot[roll(w, SLOTS)];
  const int from = roll(w, N - 8), n = 1 + roll(w, 8);
  int data[8];
  for (int j = 0; j < n; j++) data[j] = s->want[from + j] = roll(w, 1000);
  const tiny_mem to = {s->mem, (size_t)from * sizeof(int)};
  CHECK_EQ(tiny_amd.copy_in(w->dev, to, data, (size_t)n * sizeof(int)), TINY_OK);
}
static void slot_read(world *w, const slot *s) {
  int got[N];
  CHECK_EQ(tiny_amd.copy_out(w->dev, got, (tiny_mem){s->mem, 0}, sizeof got), TINY_OK);
  CHECK(!memcmp(got, s->want, sizeof got));
}
static void step_read(world *w) { slot_read(w, &w->slot[roll(w, SLOTS)]); }
static void step_other(world *w) {
  slot *const s = &w->slot[roll(w, SLOTS)];
  void *event;
  switch (roll(w, 4)) {
    case 0: CHECK_EQ(tiny_amd.sync(w->dev), TINY_OK); break;
    case 1: tiny_amd.free(w->dev, s->mem, BYTES); slot_take(w, s); break;
    case 2:
      event = tiny_amd.event(w->dev);
      CHECK(event != NULL);
      CHECK_EQ(tiny_amd.wait(w->dev, event), TINY_OK);
      tiny_amd.event_free(w->dev, event);
      break;
    default: tiny_amd.unload(w->dev, w->module); world_load(w);
  }
}
static void world_begin(world *w, amd_mock_desc desc, uint32_t seed) {
  tiny_bytes log = {0}, source = {0};
  memset(w, 0, sizeof *w);
  w->state = seed * 2654435761u + 1;
  w->p = play_on(desc);
  play_well(&w->p);
  w->dev = w->p.t->device[0]->dev;
  log.t = source.t = w->object.t = w->p.t;
  tiny_bytes_add(&source, affine_hip, sizeof affine_hip - 1);
  CHECK_EQ(tiny_amd.compile(w->dev, 1, &source, &w->object, &log), TINY_OK);
  play_well(&w->p);
  world_load(w);
  for (int i = 0; i < SLOTS; i++) slot_take(w, &w->slot[i]);
  for (int i = 0; i < 4; i++) slot_take(w, &w->by[i]);
}
static void world_end(world *w) {
  for (int i = 0; i < SLOTS; i++) { slot_read(w, &w->slot[i]); tiny_amd.free(w->dev, w->slot[i].mem, BYTES); }
  for (int i = 0; i < 4; i++) tiny_amd.free(w->dev, w->by[i].mem, BYTES);
  tiny_amd.unload(w->dev, w->module);
  play_well(&w->p);
  play_end(&w->p);
}
static void random_sequence(uint32_t seed) {
  static void (*const steps[])(world *) = {step_launches, step_launches, step_launches, step_part, step_read,
                                           step_other};
  world w;
  if (!case_named("sequence %u", (unsigned)seed)) return;
  world_begin(&w, (amd_mock_desc){.gpu = (amd_mock_gpu)(seed % AMD_MOCK_GPUS), .seed = seed % 4 ? seed : 0}, seed);
  for (int i = 0; i < 60; i++) steps[roll(&w, 6)](&w);
  world_end(&w);
  case_end();
}
static void test_order(void) {
  const uint32_t from = (uint32_t)test_from(0), n = (uint32_t)test_rounds(test_brief(6, 24));
  for (uint32_t i = from; i < from + n; i++) random_sequence(i);
}
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

static void test_played(void) {
  test_open();
  test_refused();
  test_failures();
  test_no_memory();
  test_large();
  test_around();
  char clang[300];
  if (!tn_kfd_find_clang(clang, sizeof clang)) { printf("test_amd: kernels left out: there is no clang\n"); return; }
  test_order();
  test_stamps();
  test_values();
}
#endif
