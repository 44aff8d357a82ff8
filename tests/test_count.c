// also: golden
// test_count: what GPUs are made of, and the interpreter that counts. Lists written by hand whose sectors, wavefronts, registers and
// instructions are known; what a device would get wrong silently is told; values are the interpreter's, whatever the schedule.
// TEST_ROUNDS=n: n schedules for each kernel.
#include "../src/all.c"
#include "test.h"
#include "golden.h"
#include "search_test.h"
#include "../bench/count.h"

// ** lists by hand **

enum { BUFFERS = 3, ELEMS = 1 << 16 };
static float memory[BUFFERS][ELEMS];

typedef struct hand { const char *text, *gpu; int64_t groups, items, most; tn_gpu_counts n; } hand;

static tiny_code hand_guarded(tiny_ctx *t, void *arg) {
  hand *h = (hand *)arg;
  tn_list list = {NULL, 0, 0};
  tiny_mem mem[BUFFERS];
  tiny_launch l;
  memset(&l, 0, sizeof l);
  for (int i = 0; i < BUFFERS; i++) { mem[i].base = memory[i]; mem[i].offset = 0; }
  l.mem = mem; l.nmem = BUFFERS; l.global[0] = h->groups; l.local[0] = h->items;
  if (!tn_parse(t, h->text, &list)) return t->code;
  return tn_gpu_count(t, list.u, list.n, tn_gpu_named(h->gpu), &l, h->most, &h->n, NULL);
}
// Counts; what is expected to go wrong is in want, else NULL.
static void hand_count(tiny_ctx *t, hand *h, const char *want) {
  const tiny_code code = tn_guard(t, hand_guarded, h);
  if (!want && code != TINY_OK) fprintf(stderr, "    %s\n", tiny_error(t));
  CHECK_EQ(code == TINY_OK, want == NULL);
  if (want && !strstr(tiny_error(t), want)) fprintf(stderr, "    %s\n", tiny_error(t));
  if (want) CHECK(strstr(tiny_error(t), want) != NULL);
  t->code = TINY_OK;
  t->message[0] = 0;
}

// o[e] = a[element], e counting all items.
static void check_global(tiny_ctx *t, const char *gpu, const char *element, const char *lanes, const char *stored, double requests,
                         double sectors, double ideal, double lines) {
  char text[1024];
  snprintf(text, sizeof text, "o = (PARAM:f32:0 65536) a = (PARAM:f32:1 65536) h = (PARAM:f16:2 65536) g = (SPECIAL:group0 4) i = (SPECIAL:item0 128)"
    "e = (ADD (MUL g 128) i) v = (LOAD:%s (INDEX %s)) (STORE (INDEX o %s) v)", lanes, element, stored);
  hand h = {text, gpu, 4, 128, 0, {0}};
  hand_count(t, &h, NULL);
  const double warps = 4 * h.n.warps;
  CHECK_EQ(h.n.global[0].requests, requests * warps);
  CHECK_EQ(h.n.global[0].moved, sectors * warps);
  CHECK_EQ(h.n.global[0].ideal, ideal * warps);
  CHECK_EQ(h.n.global[0].lines, lines * warps);
}

static void test_global(tiny_ctx *t) {
  check_global(t, "sm_90", "a e", "f32", "e", 1, 4, 4, 1);
  check_global(t, "sm_90", "a (MUL e 2)", "f32", "e", 1, 8, 4, 2);         // half of what is moved
  check_global(t, "sm_90", "a (MUL e 32)", "f32", "e", 1, 32, 4, 32);      // an eighth
  check_global(t, "sm_90", "a (ADD e 1)", "f32", "e", 1, 5, 4, 2);         // a row that is not aligned: one more
  check_global(t, "sm_90", "a (ADD e 8)", "f32", "e", 1, 4, 4, 2);   // aligned to sectors, over two lines
  check_global(t, "sm_90", "a 5", "f32", "e", 1, 1, 1, 1);                 // the same for all
  check_global(t, "sm_90", "a (SUB 511 e)", "f32", "e", 1, 4, 4, 1);       // backwards
  check_global(t, "sm_90", "a (MUL e 4)", "f32x4", "(MUL e 4)", 1, 16, 16, 4);
  check_global(t, "sm_90", "a (ADD (MUL e 4) 2)", "f32x4", "(MUL e 4)", 2, 33, 16, 9);       // in pieces of 8 bytes, 16 apart
  check_global(t, "sm_90", "a (MUL e 8)", "f32x8", "(MUL e 8)", 2, 64, 32, 16);              // two vectors, each of half a sector
  check_global(t, "gfx942", "a e", "f32", "e", 1, 4, 4, 2);                // 64 items, sectors of 64 bytes
  check_global(t, "gfx1100", "a e", "f32", "e", 1, 2, 2, 1);
}

// m[i] = .. ; barrier; .. = m[element]: cycles of the load for each warp, and the fewest.
static void check_shared(tiny_ctx *t, const char *gpu, const char *type, const char *lanes, const char *element, double cycles, double ideal) {
  char text[1024];
  snprintf(text, sizeof text, "o = (PARAM:f32:0 65536) m = (DEFINE:%s:0:local 2112) i = (SPECIAL:item0 64) r = (RANGE:1:loop 33)"
    "s = (STORE (INDEX m (ADD (MUL r 64) i)) (CAST:%s i)) e = (END s r) b = (BARRIER e) x = (CMOD i 32) y = (CDIV i 32)"
    "v = (LOAD:%s (INDEX (AFTER m b) %s)) (STORE (INDEX o i) (CAST:f32 (PICK:%s:0 v)))", type, type, lanes, element, type);
  hand h = {text, gpu, 1, 64, 0, {0}};
  hand_count(t, &h, NULL);
  CHECK_EQ(h.n.shared[0].moved, cycles * h.n.warps);
  CHECK_EQ(h.n.shared[0].ideal, ideal * h.n.warps);
  if (!strcmp(type, "f32")) CHECK_EQ(h.n.shared[1].moved, h.n.shared[1].ideal);
  CHECK_EQ(h.n.shared_nbytes, 2112 * (strcmp(type, "f16") ? 4 : 2));
}

static void test_shared(tiny_ctx *t) {
  check_shared(t, "sm_90", "f32", "f32", "i", 1, 1);
  check_shared(t, "sm_90", "f32", "f32", "7", 1, 1);                       // one word for all
  check_shared(t, "sm_90", "f32", "f32", "(MUL x 32)", 32, 1);             // a column of a tile of 32 x 32
  check_shared(t, "sm_90", "f32", "f32", "(MUL x 33)", 1, 1);              // its rows padded
  check_shared(t, "sm_90", "f32", "f32", "(MUL i 2)", 2, 1);
  check_shared(t, "sm_90", "f32", "f32", "(MUL (CDIV x 2) 32)", 16, 1);    // pairs share a word
  check_shared(t, "sm_90", "f16", "f16", "i", 1, 1);                       // two in a word
  check_shared(t, "sm_90", "f32", "f32x2", "(MUL i 2)", 2, 2);             // by halves of a warp
  check_shared(t, "sm_90", "f32", "f32x4", "(MUL i 4)", 4, 4);             // by quarters
  check_shared(t, "sm_90", "f32", "f32x4", "(MUL i 32)", 32, 4);           // each quarter 8 times the same 4 banks
  check_shared(t, "sm_90", "f32", "f32x4", "(MUL x 36)", 4, 4);            // 4 words of padding: quarters fill the banks
  check_shared(t, "gfx942", "f32", "f32", "i", 2, 2);                      // 64 items, 32 banks
}

#define STAGED(barrier, element) \
  "o = (PARAM:f32:0 256) a = (PARAM:f32:1 256) m = (DEFINE:f32:0:local 64) i = (SPECIAL:item0 64)" \
  "s = (STORE (INDEX m i) (LOAD (INDEX a i))) " barrier " (STORE (INDEX o i) (LOAD (INDEX (AFTER m b) " element ")))"

static void test_errors(tiny_ctx *t) {
  hand h = {STAGED("b = (BARRIER s)", "(SUB 63 i)"), "sm_90", 1, 64, 0, {0}};
  for (int i = 0; i < 64; i++) memory[1][i] = (float)i;
  hand_count(t, &h, NULL);
  for (int i = 0; i < 64; i++) CHECK(memory[0][i] == (float)(63 - i));
  CHECK_EQ(h.n.n[TN_GPU_BARRIER], 1);
  h.text = STAGED("b = (GROUP s)", "(SUB 63 i)");
  hand_count(t, &h, "race: reads what another item wrote since the barrier, element 63 out of 64 in LOCAL 0, work item 0");
  h.text = "m = (DEFINE:f32:0:local 4) i = (SPECIAL:item0 64) (STORE (INDEX m (CDIV i 32)) (CAST:f32 i))";
  hand_count(t, &h, "race: overwrites another item's value since the barrier");
  h.text = "i = (SPECIAL:item0 64) f = (IF (LT i 40)) b = (BARRIER) (ENDIF f)";
  hand_count(t, &h, "work item 40 does not reach a barrier");
  h.text = "o = (PARAM:f32:0 64) m = (DEFINE:f32:0:local 128) i = (SPECIAL:item0 64) s = (STORE (INDEX m i) 1.0:f32) b = (BARRIER s)"
    "(STORE (INDEX o i) (LOAD (INDEX (AFTER m b) (ADD i 8))))";
  hand_count(t, &h, "reads what was never written, element 64 out of 128 in LOCAL 0, work item 56");
  h.groups = 2;                            // what another group wrote is not this group's
  h.text = "o = (PARAM:f32:0 64) m = (DEFINE:f32:0:local 128) i = (SPECIAL:item0 64) g = (SPECIAL:group0 2) n = (ADD i (MUL g 64))"
    "s = (STORE (INDEX m n) 1.0:f32) b = (BARRIER s) (STORE (INDEX o i) (LOAD (INDEX (AFTER m b) i)))";
  hand_count(t, &h, "reads what was never written, element 0 out of 128 in LOCAL 0, work item 0 of group (1,0,0)");
  h.groups = 1;
  h.text = "o = (PARAM:f32:0 63) i = (SPECIAL:item0 64) (STORE (INDEX o i) 1.0:f32)";
  hand_count(t, &h, "index 63 out of 63 in PARAM 0, work item 63");
  h.text = "m = (DEFINE:f32:0:local 65536) i = (SPECIAL:item0 64) (STORE (INDEX m i) 1.0:f32)";
  hand_count(t, &h, "262144 bytes of shared memory, which sm_90 has no room for: take smaller tiles");
  h.text = "o = (PARAM:f32:0 2048) i = (SPECIAL:item0 2048) (STORE (INDEX o i) 1.0:f32)";
  h.items = 2048;
  hand_count(t, &h, "groups of 2048 items; sm_90 has 1024 at most: take smaller groups");
}

// Loops go on in a warp until its last item is done, and only items that are not done work.
static void test_divergence(tiny_ctx *t) {
  hand h = {"o = (PARAM:f32:0 64) i = (SPECIAL:item0 64) m = (DEFINE:f32:0:reg 1) z = (STORE (INDEX m 0) 0.0:f32) r = (RANGE:1:loop (CMOD i 32) 2)"
    "n = (INDEX (AFTER m z r) 0) s = (STORE n (ADD (LOAD n) 1.0:f32)) e = (END s r) (STORE (INDEX o i) (LOAD (INDEX (AFTER m e) 0)))",
    "sm_90", 1, 64, 0, {0}};
  hand_count(t, &h, NULL);
  for (int i = 0; i < 64; i++) CHECK(memory[0][i] == (float)(i % 32 > 2 ? i % 32 - 2 : 0));
  CHECK_EQ(h.n.n[TN_GPU_FLOAT], 29);       // 2..30
  h.text = "o = (PARAM:f32:0 64) i = (SPECIAL:item0 64) f = (IF (LT i 32)) s = (STORE (INDEX o i) (SIN (CAST:f32 i))) (ENDIF f)";
  hand_count(t, &h, NULL);
  CHECK(h.n.n[TN_GPU_SPECIAL] == 0.5);     // of two warps one
  CHECK_EQ(h.n.global[1].requests, 1);
  h.text = "o = (PARAM:f32:0 64) i = (SPECIAL:item0 64) r = (RANGE:1:loop 0) s = (STORE (INDEX o i) 1.0:f32) (END s r)";
  hand_count(t, &h, NULL);
  CHECK_EQ(h.n.global[1].requests, 0);
}

// ** instructions, registers, occupancy **

static void test_instructions(tiny_ctx *t) {
  hand h = {"o = (PARAM:f32:0 64) a = (PARAM:f32:1 64) i = (SPECIAL:item0 64) x = (LOAD (INDEX a i)) y = (LOAD (INDEX a (ADD i -1) (LT 0 i)))"
    "(STORE (INDEX o i) (ADD (MUL x y) (WHERE (LT x y) (SQRT x) (CAST:f32 (CAST:f16 y)))))", "sm_90", 1, 64, 0, {0}};
  hand_count(t, &h, NULL);
  CHECK_EQ(h.n.n[TN_GPU_FLOAT], 1 + 5);    // product and sum are one; a square root's steps
  CHECK_EQ(h.n.n[TN_GPU_SPECIAL], 1);
  CHECK_EQ(h.n.n[TN_GPU_CONVERT], 2);
  CHECK_EQ(h.n.n[TN_GPU_SELECT], 3);       // two comparisons and a choice
  CHECK_EQ(h.n.n[TN_GPU_INTEGER], 2);      // an address of each buffer; -1 is part of it
  CHECK_EQ(h.n.n[TN_GPU_GLOBAL], 3);
  h.text = "o = (PARAM:f32:0 64) i = (SPECIAL:item0 64) (STORE (INDEX o i) (EXP2:f32:k=8 (CAST:f32 i)))";
  hand_count(t, &h, NULL);
  CHECK_EQ(h.n.n[TN_GPU_SPECIAL], 1);      // few of its bits are looked at: the device's own
  CHECK_EQ(h.n.n[TN_GPU_FLOAT], 3);
  h.text = "o = (PARAM:f32:0 64) i = (SPECIAL:item0 64) (STORE (INDEX o i) (EXP2:f32:k=1 (CAST:f32 i)))";
  hand_count(t, &h, NULL);
  CHECK_EQ(h.n.n[TN_GPU_SPECIAL], 0);      // a polynomial
  CHECK_EQ(h.n.n[TN_GPU_FLOAT], 12);
  h.text = "o = (PARAM:f32:0 64) a = (PARAM:f32:1 64) i = (SPECIAL:item0 64) p = (DEFINE:f32:0:reg 8) s = (STORE (INDEX p (CMOD i 8)) 1.0:f32)"
    "(STORE (INDEX o i) (LOAD (INDEX (AFTER p s) (CMOD i 8))))";
  hand_count(t, &h, NULL);
  CHECK_EQ(h.n.private_nbytes, 32);        // places that are not known are memory
  CHECK_EQ(h.n.n[TN_GPU_PRIVATE], 2);
}

static void test_registers(tiny_ctx *t) {
  hand h = {"o = (PARAM:f32:0 64) a = (PARAM:f32:1 64) i = (SPECIAL:item0 64) (STORE (INDEX o i) (LOAD (INDEX a i)))", "sm_90", 1, 64, 0, {0}};
  hand_count(t, &h, NULL);
  CHECK_EQ(h.n.registers, TN_GPU_OWN_REGISTERS + 2 + 1);     // an address and a value
  h.text = "o = (PARAM:f32:0 64) a = (PARAM:f32:1 4096) i = (SPECIAL:item0 64) m = (DEFINE:f32:0:reg 16) z = (STORE (INDEX m 0) (BROADCAST:f32x16 0.0:f32))"
    "r = (RANGE:1:loop 4) n = (INDEX (AFTER m z r) 0) v = (LOAD:f32x16 (INDEX a (MUL (ADD (MUL r 64) i) 16)))"
    "s = (STORE n (ADD (LOAD:f32x16 n) v)) e = (END s r) (STORE (INDEX o i) (HREDUCE:f32:ADD (LOAD:f32x16 (INDEX (AFTER m e) 0))))";
  hand_count(t, &h, NULL);
  CHECK_EQ(h.n.registers, TN_GPU_OWN_REGISTERS + 16 + 16 + 1);             // sums, what is added, the item
  CHECK_EQ(h.n.n[TN_GPU_FLOAT], 4 * 16 + 15);
  h.text = "o = (PARAM:f32:0 64) i = (SPECIAL:item0 64) m = (DEFINE:f32:0:local 128) u = (STORE (INDEX m i) 1.0:f32) w = (STORE (INDEX m (ADD i 64)) 1.0:f32) b = (BARRIER u w) n = (AFTER m b)"
    "x0 = (LOAD (INDEX n i)) x1 = (LOAD (INDEX n (ADD i 1))) x2 = (LOAD (INDEX n (ADD i 2))) x3 = (LOAD (INDEX n (ADD i 3))) x4 = (LOAD (INDEX n (ADD i 4)))"
    "(STORE (INDEX o i) (ADD (ADD (ADD (ADD x0 x1) x2) x3) x4))";
  hand_count(t, &h, NULL);
  CHECK_EQ(h.n.registers, TN_GPU_OWN_REGISTERS + 2 + 2);     // the item's address, a sum, what is added: loads wait for their use
}

static void check_occupancy(tiny_ctx *t, const char *gpu, int items, int shared, int sums, int resident, double occupancy, const char *by) {
  char text[1024];
  snprintf(text, sizeof text, "o = (PARAM:f32:0 65536) m = (DEFINE:f32:0:local %d) i = (SPECIAL:item0 %d) w = (STORE (INDEX m i) 1.0:f32) p = (DEFINE:f32x%d:0:reg 1)"
    "z = (STORE (INDEX p 0) (BROADCAST:f32x%d 1.0:f32)) b = (BARRIER w z) (STORE (INDEX o i) (HREDUCE:f32:ADD (LOAD:f32x%d (INDEX (AFTER p z) 0))))",
    shared / 4, items, sums, sums, sums);
  hand h = {text, gpu, 1, items, 0, {0}};
  hand_count(t, &h, NULL);
  CHECK_EQ(h.n.resident, resident);
  CHECK_EQ(h.n.occupancy * 1000, occupancy * 1000);
  CHECK_STR(h.n.occupancy_by, by);
}

// CUDA's occupancy calculator; AMD: amdgpu's table of waves by VGPRs.
static void test_occupancy(tiny_ctx *t) {
  check_occupancy(t, "sm_90", 256, 1024, 16, 8, 1, "warps");
  check_occupancy(t, "sm_90", 256, 1024, 64, 3, 0.375, "registers");       // 69 and more: 72, 7 warps of a SIMD, 28
  check_occupancy(t, "sm_90", 256, 48 << 10, 16, 4, 0.5, "shared");        // 49 KiB of 228
  check_occupancy(t, "sm_90", 32, 128, 16, 32, 0.5, "groups");
  check_occupancy(t, "sm_75", 256, 32 << 10, 16, 2, 0.5, "shared");
  check_occupancy(t, "gfx1100", 256, 32 << 10, 16, 4, 0.5, "shared");
  check_occupancy(t, "gfx1100", 256, 1024, 128, 5, 0.625, "registers");    // 144: 10 waves
  check_occupancy(t, "gfx942", 256, 1024, 64, 7, 0.875, "registers");      // 72: 7 waves
}

// ** GPUs **

static void test_gpus(void) {
  tiny_limits limits;
  for (int i = 0; i < TN_GPUS; i++) {
    const tn_gpu *g = &tn_gpus[i];
    CHECK(case_named("%s", g->name));
    CHECK(tn_gpu_limits(g->name, &limits));
    CHECK_EQ(limits.warp, g->warp);
    CHECK(!limits.threads && !limits.host_memory && limits.local_total == g->items);
    CHECK(g->shared_group <= g->shared_unit && g->items % g->warp == 0 && g->line % g->sector == 0 && g->units > 0);
    CHECK(g->registers / g->warps >= g->register_granule && g->items <= g->warp * g->warps * g->simds);
    CHECK(g->memory_gbps < g->l2_gbps && g->f32 >= g->special && g->matrix >= 2 * g->f32);
    case_end();
  }
  CHECK(!tn_gpu_named("sm_1") && !tn_gpu_limits("sm_1", &limits));
  const tn_gpu *h100 = tn_gpu_named("sm_90"), *navi = tn_gpu_named("gfx1100");         // white papers: 989 and 67 TFLOP/s; 123
  CHECK_EQ(h100->matrix * h100->units * h100->clock_ghz, 989429);
  CHECK_EQ(navi->matrix * navi->units * navi->clock_ghz, 122880);
}

// ** kernels **

typedef struct trial { int subject, gpu, pick, found, counted; char *want, *got; size_t nbytes; golden *table; } trial;

// Some groups stand for all of a grid of which all do the same.
static void test_sample(tiny_ctx *t) {
  hand h = {"o = (PARAM:f32:0 65536) a = (PARAM:f32:1 65536) g = (SPECIAL:group0 64) i = (SPECIAL:item0 128) e = (ADD (MUL g 128) i)"
    "(STORE (INDEX o e) (LOAD (INDEX a e)))", "sm_90", 64, 128, 0, {0}};
  hand some = h;
  some.most = 5;
  hand_count(t, &h, NULL);
  hand_count(t, &some, NULL);
  CHECK_EQ(h.n.sampled, 64);
  CHECK_EQ(some.n.sampled, 5);
  CHECK(h.n.us == some.n.us && h.n.memory_nbytes == some.n.memory_nbytes && h.n.memory_nbytes == 2.0 * 64 * 128 * 4);
  CHECK(!memcmp(h.n.n, some.n.n, sizeof h.n.n));
  CHECK_STR(h.n.limit, some.n.limit);
}

static int near(double a, double b) { return fabs(a - b) <= 1e-9 * fabs(b); }

static void test_time(tiny_ctx *t) {
  const tn_gpu *g = tn_gpu_named("sm_90");
  const double cycle_us = 1e-3 / g->clock_ghz;
  hand h = {"o = (PARAM:f32:0 65536) a = (PARAM:f32:1 65536) g = (SPECIAL:group0 4) i = (SPECIAL:item0 64) m = (DEFINE:f32:0:reg 1) z = (STORE (INDEX m 0) 0.0:f32)"
    "r = (RANGE:1:loop 400) n = (INDEX (AFTER m z r) 0) s = (STORE n (ADD (LOAD n) (LOAD (INDEX a i)))) e = (END s r)"
    "(STORE (INDEX o (ADD (MUL g 64) i)) (LOAD (INDEX (AFTER m e) 0)))", "sm_90", 4, 64, 0, {0}};
  hand_count(t, &h, NULL);
  CHECK_STR(h.n.limit, "latency");
  const double waits = 100 * g->latency * cycle_us;                        // four iterations at once
  double all = 0;
  for (int k = 0; k < TN_GPU_KINDS; k++) all += h.n.n[k];
  CHECK(near(h.n.us, waits + 2 * all / g->issue * cycle_us + g->launch_us));           // and what two warps do with it
  CHECK_EQ(h.n.l2_nbytes, 4 * (256 + 256));                                // what L1 holds is asked for once a group
  CHECK_EQ(h.n.memory_nbytes, 4 * (256 + 256));
  CHECK_EQ(h.n.n[TN_GPU_FLOAT], 400);
  h.text = "o = (PARAM:f32:0 65536) g = (SPECIAL:group0 256) i = (SPECIAL:item0 256) r = (RANGE:1:loop 50) x = (CAST:f32 (ADD i r))"
    "m = (DEFINE:f32:0:reg 1) z = (STORE (INDEX m 0) x) e = (END z r) (STORE (INDEX o (ADD (MUL g 256) i)) (LOAD (INDEX (AFTER m e) 0)))";
  h.groups = 256; h.items = 256; h.most = 3;
  hand_count(t, &h, NULL);
  CHECK_STR(h.n.limit, "convert");                                         // of a unit's two groups, 16 a cycle
  CHECK(near(h.n.us, 2 * 256 * 50 / g->convert * cycle_us + g->launch_us));
}

static tiny_code count_lowered(tiny_ctx *t, const tn_kernel *k, const tn_lowered *low, const tn_gpu *gpu, void *out, tn_gpu_counts *n) {
  tiny_mem mem[8];
  tiny_launch l;
  memset(&l, 0, sizeof l); memset(mem, 0, sizeof mem);
  for (int i = 0; i < k->nmem; i++) mem[i].base = i ? tn_leaf_storage(k->mem[i])->mem : out;
  l.mem = mem; l.nmem = k->nmem;
  memcpy(l.global, low->global, sizeof l.global); memcpy(l.local, low->local, sizeof l.local);
  return tn_gpu_count(t, low->list, low->n, gpu, &l, 0, n, NULL);
}

static tiny_code trial_guarded(tiny_ctx *t, void *arg) {
  trial *r = (trial *)arg;
  const tn_gpu *gpu = &tn_gpus[r->gpu];
  const tn_kernel *k = kernel_of(t, subjects[r->subject].make(t), &r->nbytes);
  tiny_limits limits;
  tn_candidates s;
  tn_lowered low;
  tn_gpu_counts n;
  tiny_bytes text = {t, NULL, 0, 0};
  if (!k) return t->code;
  tn_gpu_limits(gpu->name, &limits);
  const tn_target target = {NULL, &limits};
  tiny_uop *sink = tn_prepare(t, k->ast, &target);
  if (r->pick) {
    tn_candidates_open(&s, t, k->ast, sink, &target, 1);
    tn_candidates_seeds(&s, 64);
    r->found = s.n;
  }
  const tn_schedule *schedule = r->pick && s.n ? &s.found[rnd(s.n)].list : NULL;
  memset(&low, 0, sizeof low);
  if (tn_pipeline_run(t, k->ast, &target, schedule, 0, &low) != TINY_OK || run_list(t, k, &low, r->want) != TINY_OK) return t->code;
  const tiny_code code = count_lowered(t, k, &low, gpu, r->got, &n);
  if (code == TINY_E_ARG) { t->code = TINY_OK; t->message[0] = 0; return TINY_OK; }      // more than the GPU has
  if (code != TINY_OK) return code;
  r->counted++;
  CHECK(!memcmp(r->want, r->got, r->nbytes));
  CHECK(n.us > 0 && n.registers > 0 && n.occupancy > 0 && n.occupancy <= 1 && n.sampled == n.groups);
  for (int i = 0; i < 2; i++) CHECK(n.global[i].ideal <= n.global[i].moved && n.shared[i].ideal <= n.shared[i].moved);
  if (!r->table) return TINY_OK;
  tn_gpu_print(&text, subjects[r->subject].name, &n);
  text.data[text.n - 1] = 0;
  golden_line(r->table, text.data);
  return TINY_OK;
}

static int run_trial(trial *r) {
  static char want[1 << 16], got[1 << 16];
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "INTERP"; d.cache_dir = "";
  tiny_ctx *t = tiny_open(&d);
  memset(want, 1, sizeof want); memset(got, 2, sizeof got);
  r->want = want; r->got = got;
  CHECK_EQ(tn_guard(t, trial_guarded, r), TINY_OK);
  if (tiny_status(t)) fprintf(stderr, "    %s on %s: %s\n", subjects[r->subject].name, tn_gpus[r->gpu].name, tiny_error(t));
  tiny_close(t);
  return r->counted;
}

// What the last cache keeps: with all of it each sector moves once; with nothing, once in each wave of groups that touches it; what
// is touched once moves once.
typedef struct kept { tiny_tensor *(*make)(tiny_ctx *t); double last_nbytes, nbytes, least; } kept;
static tiny_code kept_guarded(tiny_ctx *t, void *arg) {
  static char out[1 << 20];
  kept *x = (kept *)arg;
  tn_gpu gpu = *tn_gpu_named("sm_90");
  tiny_limits limits;
  tn_lowered low;
  tn_gpu_counts n;
  size_t nbytes;
  const tn_kernel *k = kernel_of(t, x->make(t), &nbytes);
  if (!k || nbytes > sizeof out) return TINY_E_ARG;
  tn_gpu_limits("sm_90", &limits);
  const tn_target target = {NULL, &limits};
  gpu.units = 1;
  gpu.last_nbytes = x->last_nbytes;
  memset(&low, 0, sizeof low);
  if (tn_pipeline_run(t, k->ast, &target, NULL, 0, &low) != TINY_OK || count_lowered(t, k, &low, &gpu, out, &n) != TINY_OK) return t->code;
  x->nbytes = n.memory_nbytes; x->least = n.least_nbytes;
  CHECK(n.groups > n.resident);            // several waves
  return TINY_OK;
}
static tiny_tensor *kept_product(tiny_ctx *t) { return tiny_matmul(ints(t, TINY_SHAPE(512, 16)), ints(t, TINY_SHAPE(16, 512))); }
static tiny_tensor *kept_copy(tiny_ctx *t) { return tiny_neg(ints(t, TINY_SHAPE(512, 512))); }
static double kept_by(tiny_tensor *(*make)(tiny_ctx *t), double last_nbytes, double *least) {
  kept x = {make, last_nbytes, 0, 0};
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "INTERP"; d.cache_dir = "";
  tiny_ctx *t = tiny_open(&d);
  CHECK_EQ(tn_guard(t, kept_guarded, &x), TINY_OK);
  tiny_close(t);
  *least = x.least;
  return x.nbytes;
}
static void test_last_cache(void) {
  double least;
  const double all = kept_by(kept_product, 1e9, &least), some = kept_by(kept_product, 4096, &least), none = kept_by(kept_product, 0, &least);
  CHECK_EQ(all, 512 * 16 * 4 * 2 + 512 * 512 * 4);
  CHECK(least == all && none > all && some <= none && some >= all);
  CHECK(kept_by(kept_copy, 0, &least) == 2 * 512 * 512 * 4 && least == 2 * 512 * 512 * 4);
}

static void test_schedules(void) {
  int counted = 0;
  const int rounds = test_rounds(4);
  for (int subject = 0; subject < (int)SUBJECTS; subject++) for (int i = 0; i < rounds; i++) {
    trial r = {subject, i % TN_GPUS, 1, 0, 0, NULL, NULL, 0, NULL};
    rng = (uint64_t)(subject * 1000 + i);
    counted += run_trial(&r);
  }
  CHECK(counted > (int)SUBJECTS * rounds / 2);
}

// What the heuristics make of small kernels, as a table.
static void test_table(void) {
  static const char *const gpus[] = {"sm_90", "gfx1100"};
  golden table = {NULL, 0, 0};
  tiny_ctx *t = tiny_open(NULL);
  tiny_bytes head = {t, NULL, 0, 0};
  tn_gpu_print_head(&head);
  head.data[head.n - 1] = 0;
  for (int i = 0; i < 2; i++) {
    golden_line(&table, gpus[i]);
    golden_line(&table, head.data);
    for (int subject = 0; subject < (int)SUBJECTS; subject++) {
      trial r = {subject, (int)(tn_gpu_named(gpus[i]) - tn_gpus), 0, 0, 0, NULL, NULL, 0, &table};
      CHECK(run_trial(&r));
    }
  }
  tiny_close(t);
  golden_check(&table, "count.txt");
  golden_free(&table);
}

int main(void) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "INTERP"; d.cache_dir = "";
  tiny_ctx *t = tiny_open(&d);
  test_gpus();
  test_global(t);
  test_shared(t);
  test_errors(t);
  test_divergence(t);
  test_instructions(t);
  test_registers(t);
  test_occupancy(t);
  test_sample(t);
  test_time(t);
  tiny_close(t);
  test_last_cache();
  test_schedules();
  test_table();
  return test_report();
}
