// play_world: a device that is played, called as the library calls it, beside a model that does everything at once; one
// GPU, and two that copy from each other and wait for each other. Included by nv_play.h and amd_play.h.
//
// Requires: PLAYED, the backend; played_mock, played_desc, played_gpu, PLAYED_GPUS; play, play_on, play_two (two devices
// in one context), play_end, play_well; N, and affine_source: a kernel affine(out, in, by), N elements by 2 groups.
#ifndef PLAY_WORLD_H
#define PLAY_WORLD_H

// ** kernels, called as the library calls them, beside a model that does everything at once **

enum { SLOTS = 5, BYTES = N * (int)sizeof(int) };
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
  s->mem = PLAYED.alloc(w->dev, BYTES);
  CHECK(s->mem != NULL);
  for (int j = 0; j < N; j++) data[j] = s->want[j] = roll(w, 1000);
  CHECK_EQ(PLAYED.copy_in(w->dev, (tiny_mem){s->mem, 0}, data, sizeof data), TINY_OK);
  memset(data, 0, sizeof data);            // it is the caller's again
}
static void world_load(world *w) {
  w->module = PLAYED.load(w->dev, w->object.data, w->object.n);
  CHECK(w->module != NULL);
  if (!w->module) return;
  w->kernel = PLAYED.find(w->dev, w->module, "affine");
  CHECK(w->kernel != NULL && !PLAYED.find(w->dev, w->module, "affin"));
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
  CHECK_EQ(n > 1 ? PLAYED.submit(w->dev, l, n) : PLAYED.launch(w->dev, l), TINY_OK);
  memset(mem, 0, sizeof mem);
  memset(l, 0, sizeof l);
}
static void step_part(world *w) {          // a part of a block is written
  slot *const s = &w->slot[roll(w, SLOTS)];
  const int from = roll(w, N - 8), n = 1 + roll(w, 8);
  int data[8];
  for (int j = 0; j < n; j++) data[j] = s->want[from + j] = roll(w, 1000);
  const tiny_mem to = {s->mem, (size_t)from * sizeof(int)};
  CHECK_EQ(PLAYED.copy_in(w->dev, to, data, (size_t)n * sizeof(int)), TINY_OK);
}
static void slot_read(world *w, const slot *s) {
  int got[N];
  CHECK_EQ(PLAYED.copy_out(w->dev, got, (tiny_mem){s->mem, 0}, sizeof got), TINY_OK);
  CHECK(!memcmp(got, s->want, sizeof got));
}
static void step_read(world *w) { slot_read(w, &w->slot[roll(w, SLOTS)]); }
static void step_other(world *w) {
  slot *const s = &w->slot[roll(w, SLOTS)];
  void *event;
  switch (roll(w, 4)) {
    case 0: CHECK_EQ(PLAYED.sync(w->dev), TINY_OK); break;
    case 1: PLAYED.free(w->dev, s->mem, BYTES); slot_take(w, s); break;
    case 2:
      event = PLAYED.event(w->dev);
      CHECK(event != NULL);
      CHECK_EQ(PLAYED.wait(w->dev, event), TINY_OK);
      PLAYED.event_free(w->dev, event);
      break;
    default: PLAYED.unload(w->dev, w->module); world_load(w);
  }
}
static void world_begin(world *w, played_desc desc, uint32_t seed) {
  tiny_bytes log = {0}, source = {0};
  memset(w, 0, sizeof *w);
  w->state = seed * 2654435761u + 1;
  w->p = play_on(desc);
  play_well(&w->p);
  w->dev = w->p.t->device[0]->dev;
  log.t = source.t = w->object.t = w->p.t;
  tiny_bytes_add(&source, affine_source, strlen(affine_source));
  CHECK_EQ(PLAYED.compile(w->dev, 1, &source, &w->object, &log), TINY_OK);
  play_well(&w->p);
  world_load(w);
  for (int i = 0; i < SLOTS; i++) slot_take(w, &w->slot[i]);
  for (int i = 0; i < 4; i++) slot_take(w, &w->by[i]);
}
static void world_end(world *w) {
  for (int i = 0; i < SLOTS; i++) { slot_read(w, &w->slot[i]); PLAYED.free(w->dev, w->slot[i].mem, BYTES); }
  for (int i = 0; i < 4; i++) PLAYED.free(w->dev, w->by[i].mem, BYTES);
  PLAYED.unload(w->dev, w->module);
  play_well(&w->p);
  play_end(&w->p);
}
static void random_sequence(uint32_t seed) {
  static void (*const steps[])(world *) = {step_launches, step_launches, step_launches, step_part, step_read,
                                           step_other};
  world w;
  if (!case_named("sequence %u", (unsigned)seed)) return;
  world_begin(&w, (played_desc){.gpu = (played_gpu)(seed % PLAYED_GPUS), .seed = seed % 4 ? seed : 0}, seed);
  for (int i = 0; i < 60; i++) steps[roll(&w, 6)](&w);
  world_end(&w);
  case_end();
}
static void test_order(void) {
  const uint32_t from = (uint32_t)test_from(0), n = (uint32_t)test_rounds(test_brief(6, 24));
  for (uint32_t i = from; i < from + n; i++) random_sequence(i);
}

// ** two GPUs of one machine, in one context **

enum { GPUS = 2 };
typedef struct pair {
  played_mock *m; tiny_ctx *t; void *dev[GPUS]; slot slot[GPUS][SLOTS]; void *module[GPUS], *kernel[GPUS]; slot by[GPUS];
  uint32_t state;
} pair;
static int pair_roll(pair *p, int n) {
  p->state = p->state * 1664525u + 1013904223u;
  return (int)((p->state >> 16) % (uint32_t)n);
}
static void pair_take(pair *p, int i, slot *s, int times) {
  for (int j = 0; j < N; j++) s->want[j] = j * times + pair_roll(p, 9);
  s->mem = PLAYED.alloc(p->dev[i], BYTES);
  CHECK(s->mem != NULL);
  CHECK_EQ(PLAYED.copy_in(p->dev[i], (tiny_mem){s->mem, 0}, s->want, BYTES), TINY_OK);
}
static void pair_begin(pair *p, played_desc desc, uint32_t seed) {
  tiny_bytes log = {0}, source = {0}, object = {0};
  memset(p, 0, sizeof *p);
  p->state = seed * 2654435761u + 1;
  const play two = play_two(desc);
  p->m = two.m; p->t = two.t;
  play_well(&two);
  log.t = source.t = object.t = p->t;
  tiny_bytes_add(&source, affine_source, strlen(affine_source));
  for (int i = 0; i < GPUS; i++) {
    p->dev[i] = p->t->device[i]->dev;
    if (!i) CHECK_EQ(PLAYED.compile(p->dev[i], 1, &source, &object, &log), TINY_OK);
    p->module[i] = PLAYED.load(p->dev[i], object.data, object.n);
    p->kernel[i] = PLAYED.find(p->dev[i], p->module[i], "affine");
    for (int k = 0; k < SLOTS; k++) pair_take(p, i, &p->slot[i][k], 3);
    pair_take(p, i, &p->by[i], 1);
  }
}
static void pair_end(pair *p) {
  for (int i = 0; i < GPUS; i++) {
    for (int k = 0; k < SLOTS; k++) PLAYED.free(p->dev[i], p->slot[i][k].mem, BYTES);
    PLAYED.free(p->dev[i], p->by[i].mem, BYTES);
    PLAYED.unload(p->dev[i], p->module[i]);
  }
  if (tiny_status(p->t)) fprintf(stderr, "    %s\n", tiny_error(p->t));
  CHECK_EQ(tiny_status(p->t), TINY_OK);
  play whole = {p->m, p->t};
  play_end(&whole);
}
static void pair_launch(pair *p, int i) {
  slot *to = &p->slot[i][pair_roll(p, SLOTS)], *from = &p->slot[i][pair_roll(p, SLOTS)];
  tiny_mem mem[3] = {{to->mem, 0}, {from->mem, 0}, {p->by[i].mem, 0}};
  tiny_launch l = {.kernel = p->kernel[i], .mem = mem, .nmem = 3, .global = {2, 1, 1}, .local = {N / 2, 1, 1}};
  CHECK_EQ(PLAYED.launch(p->dev[i], &l), TINY_OK);
  slot_affine(to, from, &p->by[i]);
}
// `device` waits for what another was given before.
static void pair_wait(pair *p, int device, int other) {
  void *event = PLAYED.event(p->dev[other]);
  CHECK(event != NULL);
  CHECK_EQ(PLAYED.wait(p->dev[device], event), TINY_OK);
  PLAYED.event_free(p->dev[other], event);
}
// As the library copies: one waits, copies, and the other waits for that (runtime/copy.c).
static void pair_copy(pair *p, int i) {
  const size_t from = (size_t)pair_roll(p, N / 2) * sizeof(int), n = (size_t)(1 + pair_roll(p, N / 2)) * sizeof(int);
  slot *to = &p->slot[i][pair_roll(p, SLOTS)], *of = &p->slot[!i][pair_roll(p, SLOTS)];
  pair_wait(p, i, !i);
  CHECK_EQ(PLAYED.copy_from(p->dev[i], (tiny_mem){to->mem, from}, p->dev[!i], (tiny_mem){of->mem, from}, n), TINY_OK);
  pair_wait(p, !i, i);
  memcpy((char *)to->want + from, (char *)of->want + from, n);
}
static void pair_read(pair *p, int i) {
  const slot *s = &p->slot[i][pair_roll(p, SLOTS)];
  int got[N];
  CHECK_EQ(PLAYED.copy_out(p->dev[i], got, (tiny_mem){s->mem, 0}, sizeof got), TINY_OK);
  CHECK(!memcmp(got, s->want, sizeof got));
}
static void pair_sequence(played_desc desc, uint32_t seed) {
  pair p;
  if (!case_named("pair %u", (unsigned)seed)) return;
  pair_begin(&p, desc, seed);
  for (int step = 0; step < 60; step++) {
    const int i = pair_roll(&p, GPUS), what = pair_roll(&p, 8);
    if (what < 3) pair_launch(&p, i);
    else if (what < 6) pair_copy(&p, i);
    else if (what == 6) pair_read(&p, i);
    else {
      slot *s = &p.slot[i][pair_roll(&p, SLOTS)];
      PLAYED.free(p.dev[i], s->mem, BYTES);
      pair_take(&p, i, s, 5);
    }
  }
  for (int i = 0; i < 2 * SLOTS; i++) pair_read(&p, i % 2);
  pair_end(&p);
  case_end();
}
#endif
