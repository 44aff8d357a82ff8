// test_machine: what a processor's caches are, told by a folder of Linux that may hold anything; what is guessed where
// a device says nothing; and that what it says decides: another machine gets other tiles, panels, slabs and keys.
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif
#include "../src/all.c"
#include "test.h"
#include "folder_test.h"
#include "kernel_test.h"

// ** the folder **

#ifdef __linux__
static char folder[256];
static const char *const facts[] = {"level", "type", "size", "coherency_line_size", "ways_of_associativity"};
enum { FACTS = sizeof facts / sizeof *facts };

static void put(int index, const char *name, const char *text, size_t n) {
  char path[400];
  snprintf(path, sizeof path, "%s/index%d", folder, index);
  mkdir(path, 0700);
  snprintf(path, sizeof path, "%s/index%d/%s", folder, index, name);
  FILE *f = fopen(path, "w");
  if (!f) return;
  fwrite(text, 1, n, f);
  fclose(f);
}
// A cache for each line "level type size line ways"; "-": that file is missing.
static void fill(const char *const *line, int n, tiny_memory_level *level) {
  remove_tree(folder);
  mkdir(folder, 0700);
  for (int i = 0; i < n; i++) {
    const char *at = line[i];
    for (int j = 0; j < FACTS; j++) {
      const size_t length = strcspn(at, " ");
      if (length != 1 || *at != '-') {
        char text[64];
        snprintf(text, sizeof text, "%.*s\n", (int)length, at);
        put(i, facts[j], text, strlen(text));
      }
      at += length + (at[length] == ' ');
    }
  }
  tn_caches_read(folder, level);
}
#define FILL(...) do { \
  static const char *const lines[] = {__VA_ARGS__}; \
  fill(lines, (int)(sizeof lines / sizeof *lines), m); } while (0)

static int is(const tiny_memory_level *m, size_t nbytes, int line, int ways) {
  return m->nbytes == nbytes && m->line == line && m->ways == ways && m->cycles == 0;
}

static void test_folder(void) {
  tiny_memory_level m[TN_CACHES];
  FILL("1 Data 48K 64 12", "1 Instruction 32K 64 8", "2 Unified 2048K 64 16", "3 Unified 30M 64 15");
  CHECK(is(&m[0], 48 << 10, 64, 12) && is(&m[1], 2 << 20, 64, 16) && is(&m[2], 30 << 20, 64, 15));
  FILL("1 Instruction 64K 128 4", "1 Data 128K 128 8", "2 Unified 12288K 128 12");           // the last one is the second
  CHECK(is(&m[0], 128 << 10, 128, 8) && is(&m[1], 12 << 20, 128, 12) && is(&m[2], 12 << 20, 128, 12));
  FILL("1 Data 32K 64 8", "1 Data 16K 32 4", "4 Unified 128M 64 16");                        // the first; no fourth level
  CHECK(is(&m[0], 32 << 10, 64, 8) && !m[1].nbytes && !m[2].nbytes);
  FILL("1 Data 32K - 0", "2 Unified 1M 48 -", "3 Unified 4M 64 99999999");                   // sizes alone
  CHECK(is(&m[0], 32 << 10, 0, 0) && is(&m[1], 1 << 20, 0, 0) && is(&m[2], 4 << 20, 64, 0));
  FILL("1 Data 32K 64 8", "2 Unified 16K 64 8", "3 Unified 4M 64 16");                       // none is smaller than an inner one
  CHECK(is(&m[0], 32 << 10, 64, 8) && !m[1].nbytes && !m[2].nbytes);
  FILL("1 Data - 64 8", "2 Unified 1M 64 8");
  CHECK(!m[0].nbytes && !m[1].nbytes && !m[2].nbytes);
  FILL("1 Data 99999999999999999999K 64 8", "2 Unified 1M 64 8");
  CHECK(!m[0].nbytes && !m[1].nbytes);
  FILL("1 Data 32K 64 8", "2 Unified 2G 64 8");
  CHECK(m[0].nbytes && !m[1].nbytes && !m[2].nbytes);
  FILL("1 Data 32Kx 64 8");
  CHECK(!m[0].nbytes);
  FILL("x Data 32K 64 8", "0 Data 32K 64 8", "-1 Data 32K 64 8");
  CHECK(!m[0].nbytes);
  remove_tree(folder);
  tn_caches_read(folder, m);
  CHECK(!m[0].nbytes && !m[1].nbytes && !m[2].nbytes);
}

// Whatever the files hold: sizes that can be, and the same ones when they are read again.
static void test_garbage(void) {
  static const char *const words[] = {"1", "2", "3", "Data", "Unified", "32K", "1024K", "32768K", "64", "8", "16", "0", "-5", "",
    "18446744073709551616", "1073741825", "1048577K", "4294967295", "99999999999999999999999999999999999999999", "K", "8 8", "0x20"};
  enum { WORDS = sizeof words / sizeof *words };
  tiny_memory_level m[TN_CACHES], again[TN_CACHES];
  const unsigned long long first = test_from(0);
  for (int i = 0, n = test_rounds(300); i < n; i++) {
    case_seeded(first + (unsigned long long)i, "TEST_FROM=%llu TEST_ROUNDS=1");
    rng = first + (uint64_t)i;
    remove_tree(folder);
    mkdir(folder, 0700);
    for (int c = 0; c < 4; c++) for (int j = 0; j < FACTS; j++) {
      char noise[64];
      const int length = rnd((int)sizeof noise);
      for (int k = 0; k < length; k++) noise[k] = (char)rnd(256);
      const char *word = words[rnd(3) ? (j == 0 ? rnd(3) : j == 1 ? 3 + rnd(2) : j == 2 ? 5 + rnd(3) : 8 + rnd(2)) : rnd(WORDS)];
      if (rnd(12) == 0) put(c, facts[j], noise, (size_t)length);
      else if (rnd(20)) put(c, facts[j], word, strlen(word));
    }
    tn_caches_read(folder, m);
    tn_caches_read(folder, again);
    CHECK(!memcmp(m, again, sizeof m));
    for (int l = 0; l < TN_CACHES; l++) {
      CHECK(m[l].nbytes <= (size_t)1 << 30 && (!l || !m[l].nbytes || (m[l - 1].nbytes && m[l].nbytes >= m[l - 1].nbytes)));
      CHECK(!m[l].line || (m[l].line >= 16 && m[l].line <= 1024 && !(m[l].line & (m[l].line - 1))));
      CHECK(m[l].ways >= 0 && (size_t)m[l].ways * (m[l].line ? (size_t)m[l].line : 64) <= m[l].nbytes);
    }
  }
  case_end();
  remove_tree(folder);
}
#endif

// ** what is guessed **

static void test_guesses(void) {
  tiny_limits limits;
  memset(&limits, 0, sizeof limits);
  CHECK_EQ(tn_machine_share(&limits), 16 << 20);
  CHECK_EQ(tn_machine_row(&limits), 1 << 16);
  CHECK_EQ(tn_machine_items(&limits), 256);
  CHECK_EQ(tn_machine_warp(&limits), 32);
  CHECK_EQ(tn_machine_registers(&limits), 64);
  CHECK_EQ(tn_machine_lanes(&limits, 4), 16);          // a line by items
  limits.threads = 1; limits.vector_nbytes = 32;
  CHECK_EQ(tn_machine_registers(&limits), 16);
  CHECK_EQ(tn_machine_lanes(&limits, 2), 8);
  CHECK_EQ(tn_machine_lanes(&limits, 8), 4);
  limits.memory[2].nbytes = 1 << 20;
  CHECK_EQ(tn_machine_share(&limits), 4 << 20);
  limits.memory[2].nbytes = 6 << 20;
  CHECK_EQ(tn_machine_share(&limits), 6 << 20);
  limits.memory[2].nbytes = (size_t)96 << 20;
  CHECK_EQ(tn_machine_share(&limits), 16 << 20);
  int bad = 0;
  for (int i = 0; i < 1000; i++) {                     // no backend makes it divide by 0
    rng = (uint64_t)i;
    for (int l = 0; l < TN_MEMORY_LEVELS; l++) {
      tiny_memory_level *m = &limits.memory[l];
      m->nbytes = (size_t)rnd(3) * (size_t)rnd(1 << 20); m->line = rnd(400) - 100; m->ways = rnd(1 << rnd(22)) - 5; m->cycles = rnd(3) - 1;
      const tiny_memory_level now = tn_machine_memory(&limits, l);
      bad += !(now.nbytes >= 1 && now.line >= 1 && now.ways >= 1 && (size_t)now.ways <= now.nbytes && now.cycles > 0);
      bad += tn_cost_conflicts(rnd(64), rnd(1 << 14) - (1 << 13), &now) > 1;
    }
  }
  CHECK_EQ(bad, 0);
}

// ** the processor that this runs on **

static void test_cpu(void) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "CPU"; d.cache_dir = "";
  tiny_ctx *t = tiny_open(&d), *u = tiny_open(&d);
  const tiny_limits *a = &t->device[0]->limits, *b = &u->device[0]->limits;
  tn_digester x = tn_digest_open(), y = tn_digest_open();
  tn_machine_digest(&x, a);
  tn_machine_digest(&y, b);
  const tn_digest first = tn_digest_close(&x), second = tn_digest_close(&y);
  CHECK(tn_digest_same(&first, &second));
  CHECK(!memcmp(a->memory, b->memory, sizeof a->memory));
  CHECK(a->cache_nbytes == (size_t)tn_machine_near(a) && a->cache_nbytes >= 4096);
  CHECK(tn_machine_nearest(a) <= tn_machine_near(a) && tn_machine_near(a) <= (int64_t)tn_machine_memory(a, 2).nbytes);
  tiny_close(t);
  tiny_close(u);
}

// ** what a device says decides **

static void limits_of(tiny_limits *l, int vector_nbytes, size_t near, size_t last) {
  memset(l, 0, sizeof *l);
  l->host_memory = l->threads = 1;
  l->vector_nbytes = vector_nbytes; l->vector_registers = vector_nbytes == 64 ? 32 : 16;
  l->cache_nbytes = l->memory[1].nbytes = near; l->memory[2].nbytes = last;
}

// The schedule that the heuristics choose.
typedef struct trial { tiny_limits limits; char text[TN_SCHEDULE_TEXT]; int steps, tiled; int64_t panel; } trial;
static tiny_code choose_for(tiny_ctx *t, trial *r, tiny_tensor *x) {
  const tn_target target = {&t->device[0]->renderer, &r->limits};
  size_t nbytes;
  tn_kernel_state *s = (tn_kernel_state *)tn_scratch(t, sizeof *s);
  tiny_bytes text = {t, NULL, 0, 0};
  const tn_kernel *k = kernel_of(t, x, &nbytes);
  if (!k) return t->code;
  tn_state_open(s, t, tn_prepare(t, k->ast, &target), &target);
  tn_optimize(s);
  tn_schedule_print(&text, &s->done);
  snprintf(r->text, sizeof r->text, "%s", text.data ? text.data : "");
  return t->code;
}
static tiny_code choose(tiny_ctx *t, void *arg) {
  return choose_for(t, (trial *)arg, tiny_matmul(ints(t, TINY_SHAPE(768, 768)), ints(t, TINY_SHAPE(768, 768))));
}
static tiny_code choose_sum(tiny_ctx *t, void *arg) { return choose_for(t, (trial *)arg, tiny_sum(ints(t, TINY_SHAPE(8, 4096)), 1, 0)); }
// Bytes whose counts and sums are wider where a block of rows keeps them: lanes are those of the widest.
static tiny_code choose_means(tiny_ctx *t, void *arg) {
  static const signed char elements[129] = {1, 2, 3};
  static const unsigned char rows[2] = {5, 128};
  tiny_tensor *x = tiny_from(t, elements, TINY_I8, TINY_SHAPE(129)), *two = tiny_from(t, elements, TINY_I8, TINY_SHAPE(2));
  tiny_tensor *at = tiny_from(t, rows, TINY_U8, TINY_SHAPE(2));
  return choose_for(t, (trial *)arg, tiny_scatter_reduce(x, 0, at, two, TINY_REDUCE_MEAN, 0));
}
// The plan of a tensor: its steps, those that work tile by tile, the innermost extent of what is copied.
static tiny_code plan(tiny_ctx *t, trial *r, tiny_tensor *x) {
  tn_draft d;
  const tn_kernel **kernels = kernels_of(t, x, &r->limits, &d);
  if (!kernels) return t->code;
  r->steps = d.plan.nstep; r->tiled = 0; r->panel = 0;
  for (int i = 0; i < d.plan.nstep; i++) {
    r->tiled += d.plan.step[i].tiled > 0;
    const tiny_uop *u = kernels[i]->node;
    if (u->op == TINY_OP_CONTIGUOUS) r->panel = u->dim[u->ndim - 1];
  }
  return t->code;
}
static tiny_code plan_scores(tiny_ctx *t, void *arg) {       // of 8 MiB
  tiny_tensor *q = ints(t, TINY_SHAPE(8, 512, 32)), *k = ints(t, TINY_SHAPE(8, 512, 32)), *v = ints(t, TINY_SHAPE(8, 512, 32));
  return plan(t, (trial *)arg, tiny_matmul(tiny_softmax(tiny_matmul(q, tiny_transpose(k, 1, 2)), -1), v));
}
static tiny_code plan_panels(tiny_ctx *t, void *arg) {
  return plan(t, (trial *)arg, tiny_conv2d(ints(t, TINY_SHAPE(8, 64, 9, 9)), ints(t, TINY_SHAPE(64, 64, 3, 3)), NULL, NULL));
}
static void with(tiny_code (*f)(tiny_ctx *t, void *arg), trial *r) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "NULL"; d.cache_dir = "";
  tiny_ctx *t = tiny_open(&d);
  const tiny_code code = tn_guard(t, f, r);
  CHECK_EQ(code, TINY_OK);
  tiny_close(t);
}

static void test_choices(void) {
  static trial a, b;
  limits_of(&a.limits, 64, 1 << 20, 32 << 20);
  limits_of(&b.limits, 64, 1 << 20, 32 << 20);
  with(choose, &a); with(choose, &b);
  CHECK_STR(a.text, b.text);
  CHECK(strstr(a.text, "STAGE"));
  limits_of(&b.limits, 64, 128 << 10, 2 << 20);              // a smaller panel of the second operand, K in blocks
  with(choose, &b);
  CHECK(strcmp(a.text, b.text));
  limits_of(&b.limits, 32, 1 << 20, 32 << 20);
  with(choose, &b);
  CHECK(strcmp(a.text, b.text));
  limits_of(&b.limits, 64, 1 << 20, 32 << 20);
  with(choose_means, &b);
  CHECK(strstr(b.text, "STAGE REDUCE") && strstr(b.text, "LANE 3:8"));
  memset(&b.limits, 0, sizeof b.limits);                     // eight warps share a sum
  b.limits.shared_nbytes = 48 << 10; b.limits.local_total = 1024;
  with(choose_sum, &b);
  CHECK(strstr(b.text, "GROUP REDUCE.0 1:256"));
  b.limits.warp = 64;
  with(choose_sum, &b);
  CHECK(strstr(b.text, "GROUP REDUCE.0 1:512"));
  limits_of(&b.limits, 32, 256 << 10, 4 << 20);
  with(plan_scores, &a); with(plan_scores, &b);
  CHECK_EQ(a.tiled, 0);                                      // caches hand them on
  CHECK(b.tiled > 0);
  with(plan_panels, &a); with(plan_panels, &b);
  CHECK_EQ(a.panel, 32);                                     // two vectors
  CHECK_EQ(b.panel, 16);
}

// All that decides is in the key of what a search found.
static void test_digest(void) {
  static const size_t at[] = {offsetof(tiny_limits, vector_nbytes), offsetof(tiny_limits, vector_registers), offsetof(tiny_limits, warp), offsetof(tiny_limits, compute_units),
    offsetof(tiny_limits, shared_nbytes), offsetof(tiny_limits, cache_nbytes), offsetof(tiny_limits, threads), offsetof(tiny_limits, host_memory),
    offsetof(tiny_limits, memory[0].nbytes), offsetof(tiny_limits, memory[1].ways), offsetof(tiny_limits, memory[2].line), offsetof(tiny_limits, memory[2].nbytes),
    offsetof(tiny_limits, global_max[2]), offsetof(tiny_limits, local_max[0]), offsetof(tiny_limits, local_total), offsetof(tiny_limits, dtypes)};
  enum { N = sizeof at / sizeof *at + 1 };
  tn_digest all[N];
  for (int i = 0; i < N; i++) {
    tiny_limits l;
    limits_of(&l, 64, 1 << 20, 32 << 20);
    if (i) ((unsigned char *)&l)[at[i - 1]] ^= 3;
    tn_digester d = tn_digest_open();
    tn_machine_digest(&d, &l);
    all[i] = tn_digest_close(&d);
    for (int j = 0; j < i; j++) CHECK(!tn_digest_same(&all[i], &all[j]));
  }
}

int main(void) {
#ifdef __linux__
  snprintf(folder, sizeof folder, "%s/tiny_machine_%llu", tn_os_temp_dir(), (unsigned long long)tn_os_process_id());
  test_folder();
  test_garbage();
#endif
  test_guesses();
  test_cpu();
  test_choices();
  test_digest();
  return test_report();
}
