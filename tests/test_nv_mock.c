// also: tsan
// test_nv_mock: the mock of NVIDIA's kernel driver and GPU (nv_mock.h) by a small client (nv_mock_client.h): every
// personality and branch opens, launches, copies and tells time; whatever is done wrong is complained about by name.
#include "nv_mock.c"
#include "ptx_machine.c"
#include "nv_mock_client.h"
#include "test.h"

// y = a x + y, one element a thread.
static const char saxpy_text[] =
  ".version 7.0\n.target sm_80\n.address_size 64\n"
  ".visible .entry saxpy(\n  .param .u64 saxpy_x,\n  .param .u64 saxpy_y,\n  .param .f32 saxpy_a,\n"
  "  .param .u32 saxpy_n\n)\n"
  "{\n  .reg .pred %p<2>;\n  .reg .f32 %f<5>;\n  .reg .b32 %r<6>;\n  .reg .b64 %rd<8>;\n"
  "  ld.param.u64 %rd1, [saxpy_x];\n  ld.param.u64 %rd2, [saxpy_y];\n  ld.param.f32 %f1, [saxpy_a];\n"
  "  ld.param.u32 %r1, [saxpy_n];\n"
  "  mov.u32 %r2, %ctaid.x;\n  mov.u32 %r3, %ntid.x;\n  mov.u32 %r4, %tid.x;\n  mad.lo.s32 %r5, %r2, %r3, %r4;\n"
  "  setp.ge.u32 %p1, %r5, %r1;\n  @%p1 bra $done;\n"
  "  cvta.to.global.u64 %rd3, %rd1;\n  cvta.to.global.u64 %rd4, %rd2;\n  mul.wide.u32 %rd5, %r5, 4;\n"
  "  add.s64 %rd6, %rd3, %rd5;\n  add.s64 %rd7, %rd4, %rd5;\n  ld.global.f32 %f2, [%rd6];\n"
  "  ld.global.f32 %f3, [%rd7];\n"
  "  fma.rn.f32 %f4, %f2, %f1, %f3;\n  st.global.f32 [%rd7], %f4;\n$done:\n  ret;\n}\n";

// The kernel by hand, for mistakes that need no machine.
static int run_saxpy(void *user, const char *text, const ptx_launch *l, char *error, size_t room) {
  const char *p = l->params;
  uint32_t n = get32(p, 20), bits = get32(p, 16), threads = l->grid[0] * l->block[0];
  float a;
  (void)user; (void)text;
  memcpy(&a, &bits, 4);
  for (uint32_t i = 0; i < threads && i < n; i++) {
    float *x = l->memory.at(l->memory.user, get64(p, 0) + 4 * i, 4, 0),
        *y = l->memory.at(l->memory.user, get64(p, 8) + 4 * i, 4, 1);
    if (!x || !y) { snprintf(error, room, "thread %u: no memory", i); return 1; }
    *y = a * *x + *y;
  }
  return 0;
}

// ---- a launch, by the reference pages: positions are hi:lo as the headers have them

typedef struct bits { uint16_t lo, n; } bits;
typedef struct qmd {
  int nbytes; uint32_t version;
  bits major, type, limit, gx, gy, gz, bx, by, bz, registers, barriers, shared, least, most, target, program_lo,
      program_hi, valid, bank_lo, bank_hi, size, invalidate, membar, end, end_lo, end_hi, end_value, end_wide, local;
} qmd;
static const qmd qmds[3] = {
  {256, 3, {580, 4}, {0, 0}, {378, 1}, {384, 32}, {416, 16}, {448, 16}, {592, 16}, {608, 16}, {624, 16}, {648, 9},
   {763, 5}, {544, 18}, {562, 6}, {569, 6},
   {657, 6}, {1536, 32}, {1568, 17}, {640, 1}, {1024, 32}, {1056, 17}, {1075, 13}, {1074, 1}, {368, 2}, {823, 1},
       {768, 32}, {800, 8}, {832, 32}, {829, 1}, {1600, 24}},
  {384, 4, {580, 4}, {23, 3}, {568, 1}, {1024, 32}, {1056, 16}, {1088, 16}, {1152, 16}, {1168, 16}, {1184, 16},
   {1200, 9}, {1211, 5}, {584, 18}, {608, 6}, {614, 6},
   {620, 6}, {1216, 32}, {1248, 25}, {416, 1}, {1536, 32}, {1568, 19}, {1587, 13}, {419, 1}, {1136, 2}, {320, 1},
       {640, 32}, {672, 25}, {704, 32}, {332, 1}, {544, 24}},
  {384, 5, {468, 4}, {151, 3}, {456, 1}, {1248, 32}, {1280, 16}, {1312, 16}, {1088, 16}, {1104, 16}, {1120, 8},
   {1128, 9}, {1137, 5}, {1152, 11}, {1163, 6}, {1169, 6},
   {1175, 6}, {1024, 32}, {1056, 21}, {1856, 1}, {1344, 32}, {1376, 19}, {1395, 13}, {1859, 1}, {624, 2}, {288, 1},
       {480, 32}, {512, 25}, {544, 32}, {300, 1}, {1200, 16}},
};

static void set_bits(uint8_t *p, uint32_t lo, uint32_t n, uint32_t v) {
  for (uint32_t i = 0; i < n; i++)
    p[(lo + i) / 8] = (uint8_t)((p[(lo + i) / 8] & ~(1u << (lo + i) % 8)) | (v >> i & 1) << (lo + i) % 8);
}

static const int sms[] = {80, 86, 89, 90, 100, 120};
static int generation(const client *c) { return sms[c->chip] < 90 ? 0 : sms[c->chip] < 100 ? 1 : 2; }

// What the driver fills into constant bank 0, then parameters.
static void write_bank(client *c, uint32_t n, uint32_t block) {
  static const uint32_t at[3][7] = {{0x0, 0xc, 0x18, 0x20, 0x28, 0x40, 0x160},
                                    {0x0, 0xc, 0x18, 0x20, 0x28, 0x198, 0x210},
                                        {0x360, 0x370, 0x2f0, 0x2f8, 0x37c, 0x348, 0x380}};
  const uint32_t *w = at[generation(c)];
  uint8_t *p = c->at + AT_BANK;
  memset(p, 0, 0x400);
  put32(p, w[0], block); put32(p, w[0] + 4, 1); put32(p, w[0] + 8, 1);
  put32(p, w[1], (n + block - 1) / block); put32(p, w[1] + 4, 1); put32(p, w[1] + 8, 1);
  put64(p, w[2], client_shared); put64(p, w[3], client_local); put32(p, w[4], 0xfffdc0);
  put64(p, w[5], c->block + AT_BANK + (generation(c) ? w[6] : 0));
  put64(p, w[6], c->block + AT_X); put64(p, w[6] + 8, c->block + AT_Y);
  put32(p, w[6] + 16, 0x40000000); put32(p, w[6] + 20, n);
  if (is_patch(c, PATCH_CONSTANT, 0)) put32(p, c->patch.offset, c->patch.value);
}

static void write_qmd(client *c, uint32_t n, uint32_t block) {
  const qmd *q = &qmds[generation(c)];
  static const uint32_t carveouts[] = {164, 100, 100, 228, 228, 100}, base[3] = {0x160, 0x210, 0x380};
  uint8_t *p = c->at + AT_QMD;
  uint64_t program = c->block + c->code_at, bank = c->block + AT_BANK, end = c->block + AT_SEMAPHORE + 64;
  uint32_t most = carveouts[c->chip] / 4 + 1;
#define SET(field, v) set_bits(p, q->field.lo, q->field.n, (uint32_t)(v))
  memset(p, 0, 384);
  if (generation(c) == 2) program >>= 4;
  if (generation(c)) bank >>= 6;
  SET(major, q->version); SET(type, 2); SET(limit, 1);
  SET(gx, (n + block - 1) / block); SET(gy, 1); SET(gz, 1); SET(bx, block); SET(by, 1); SET(bz, 1);
  SET(registers, c->registers); SET(barriers, 0);
  SET(shared, generation(c) == 2 ? 8 : 0x400); SET(least, 3); SET(target, 3); SET(most, most);
  SET(program_lo, program); SET(program_hi, program >> 32);
  SET(valid, 1); SET(bank_lo, bank); SET(bank_hi, bank >> 32); SET(size, (base[generation(c)] + 24 + 15) / 16);
  SET(invalidate, 1);
  SET(membar, 1);
  SET(end, 1); SET(end_lo, end); SET(end_hi, end >> 32); SET(end_value, 7); SET(end_wide, 1);
#undef SET
  if (c->patch.kind == PATCH_QMD && !c->patched) {
    c->patched = 1; set_bits(p, c->patch.at, c->patch.offset, c->patch.value);
  }
}

// Finds .text.saxpy of the cubin, and how many registers it has.
static int load_code(client *c) {
  const uint8_t *e = c->cubin;
  uint64_t table = get64(e, 0x28), names = get64(e + table + 64 * (get32(e, 0x3c) >> 16), 0x18);
  for (uint32_t i = 0; i < (get32(e, 0x3c) & 0xffff); i++) {
    const uint8_t *h = e + table + 64 * i, *at = e + get64(h, 0x18);
    const char *name = (const char *)e + names + get32(h, 0);
    uint64_t n = get64(h, 0x20);
    if (!strcmp(name, ".text.saxpy")) { c->code_nbytes = n; memcpy(c->at + c->code_at, at, n); }
    for (uint64_t k = 0; !strcmp(name, ".nv.info") && k + 12 <= n; k += 4 + (at[k] == 4 ? at[k + 2] : 0u))
      if (at[k + 1] == 0x2f) c->registers = get32(at + k, 8);
  }
  if (is_patch(c, PATCH_CODE, 0)) put32(c->at + c->code_at, c->patch.offset, c->patch.value);
  return c->code_nbytes && c->registers;
}

enum { N = 300 };
static void client_launch(client *c) {
  float *x = (float *)(void *)(c->at + AT_X), *y = (float *)(void *)(c->at + AT_Y);
  char log[400];
  c->code_at = AT_CODE;
  if (c->system->assemble(c->system->user, saxpy_text, sms[c->chip], &c->cubin, &c->cubin_nbytes, log, sizeof log) ||
      !load_code(c)) {
    step(c, log, 1, 0);
    return;
  }
  for (int i = 0; i < N; i++) { x[i] = (float)i; y[i] = 1; }
  write_bank(c, N, 128);
  write_qmd(c, N, 128);
  uint32_t from = c->words;
  begin_channel(c);
  method(c, 1, 0x1698, 0x1011);
  uint64_t q = c->block + AT_QMD;
  method(c, 1, 0x2b4, (uint32_t)(q >> 8));
  method(c, 1, 0x2c0, 10);
  release(c, c->block + AT_SEMAPHORE, 1);
  submit(c, from);
}

// The result to the GPU's memory and back to another place, behind the launch.
static void client_copy(client *c) {
  uint32_t from = c->words;
  uint64_t places[3] = {c->block + AT_Y, c->vram_at + 0x400, c->block + AT_SPARE};
  acquire(c, c->block + AT_SEMAPHORE, 1);
  for (int i = 0; i < 2; i++) {
    method(c, 4, 0x400, (uint32_t)(places[i] >> 32)); method(c, 4, 0x404, (uint32_t)places[i]);
    method(c, 4, 0x408, (uint32_t)(places[i + 1] >> 32)); method(c, 4, 0x40c, (uint32_t)places[i + 1]);
    method(c, 4, 0x418, N * 4);
    method(c, 4, 0x300, 0x182);
  }
  uint64_t at = c->block + AT_SEMAPHORE + 16;
  method(c, 4, 0x240, (uint32_t)(at >> 32)); method(c, 4, 0x244, (uint32_t)at); method(c, 4, 0x248, 2);
  method(c, 4, 0x300, 0x14);
  at += 16;
  method(c, 1, 0x1b00, (uint32_t)(at >> 32)); method(c, 1, 0x1b04, (uint32_t)at); method(c, 1, 0x1b08, 3);
  method(c, 1, 0x1b0c, 0);
  submit(c, from);
}

static uint32_t free_handle(client *c, uint32_t handle) {
  uint8_t p[16] = {0};
  put32(p, 0, c->root); put32(p, 8, handle);
  int error = escape(c, c->ctl, 0x29, p, 16);
  step(c, "free", error, get32(p, 12));
  return get32(p, 12);
}

static void unregister_channel(client *c) {
  uint8_t p[28] = {0};
  size_t at = c->branch < 590 ? 16 : 0;
  memcpy(p, c->uuid, at);
  put32(p, at, c->root); put32(p, at + 4, c->channel);
  uvm(c, "unregister channel", c->uvm, 28, p, at ? 24 : 8);
}

static void unmap_range(client *c, uint64_t at, uint64_t n) {
  uint8_t p[24] = {0};
  put64(p, 0, at);
  if (c->branch < 590) put64(p, 8, n);
  uvm(c, "uvm free", c->uvm, 34, p, c->branch < 590 ? 16 : 8);
}

// All of it, in the order in which the driver has it.
static void client_close(client *c) {
  const tiny_nv_system *s = c->system;
  uint8_t space[20] = {0};
  if (c->channel) { unregister_channel(c); free_handle(c, c->channel); }
  if (c->at) s->munmap(s->user, c->at, BLOCK_NBYTES);
  if (c->record) s->munmap(s->user, c->record, 0x1000);
  if (c->doorbell) s->munmap(s->user, (char *)(uintptr_t)c->doorbell - 0x90, 0x10000);
  if (c->vram) {
    unmap_range(c, c->block, BLOCK_NBYTES); unmap_range(c, c->block + client_record, 0x1000);
    unmap_range(c, c->vram_at, 0x10000);
  }
  memcpy(space, c->uuid, 16);
  if (c->channel) uvm(c, "unregister space", c->uvm, 26, space, 16);
  if (c->root) free_handle(c, c->root);
  int files[4] = {c->uvm, c->mm, c->dev, c->ctl};
  for (int i = 0; i < 4; i++) if (files[i] > 0) s->close(s->user, files[i]);
  free(c->cubin);
}

static client client_new(nv_mock *m, int chip, int number) {
  client c;
  memset(&c, 0, sizeof c);
  c.mock = m; c.system = nv_mock_system(m); c.chip = chip;
  c.block = 0x1000000000u + ((uint64_t)number << 28);
  return c;
}

static int is_saxpy(const client *c, uint32_t at) {
  const float *y = (const float *)(const void *)(c->at + at);
  for (int i = 0; i < N; i++) if (y[i] != 2 * (float)i + 1) return 0;
  return 1;
}

static int is_content(nv_mock *m) {
  const char *s = nv_mock_complaint(m);
  if (s) fprintf(stderr, "    the mock: %s\n", s);
  return !s;
}

static void walk(const nv_mock_desc *d, int number) {
  nv_mock *m = nv_mock_new(d);
  client c = client_new(m, (int)d->gpu, number);
  CHECK(client_open(&c));
  if (c.stage) fprintf(stderr, "    at %s: %d, 0x%x\n", c.stage, c.error, c.status);
  else {
    client_launch(&c);
    CHECK(!c.stage);
    if (c.stage) fprintf(stderr, "    %s\n", c.stage);
    CHECK(wait_for(&c, AT_SEMAPHORE, 1));
    CHECK(is_saxpy(&c, AT_Y));
    client_copy(&c);
    CHECK(wait_for(&c, AT_SEMAPHORE + 32, 3));
    CHECK(is_saxpy(&c, AT_SPARE));
    CHECK(get64(c.at, AT_SEMAPHORE + 64) == 7);
    uint64_t t[3] = {get64(c.at, AT_SEMAPHORE + 8), get64(c.at, AT_SEMAPHORE + 24), get64(c.at, AT_SEMAPHORE + 72)};
    CHECK(t[2] && t[2] < t[0] && t[0] < t[1] && !(t[0] & 31));
    nv_mock_counts n = nv_mock_counted(m);
    CHECK(n.launches == 1 && n.copies == 2 && n.doorbells == 2 && n.push_nbytes == 4 * c.words &&
          n.copied_nbytes == 8 * N);
    CHECK(n.ioctls > 20);
  }
  CHECK(is_content(m));
  client_close(&c);
  CHECK(is_content(m));
  CHECK(nv_mock_leaks(m) == 0);
  nv_mock_free(m);
}

static void test_walk(void) {
  static const int branches[] = {535, 545, 550, 555, 560, 565, 570, 575, 580, 590, 595, 610};
  nv_mock_desc d = {0};
  for (int gpu = 0; gpu < NV_MOCK_GPUS; gpu++)
    for (int own = 0; own < 2; own++) {
      memset(&d, 0, sizeof d);
      d.gpu = (nv_mock_gpu)gpu;
      if (own) d.ptxas = "";
      if (case_named("%s, %s", nvm_chips[gpu].name, own ? "a cubin of the mock's" : "ptxas")) walk(&d, 0);
    }
  d.run = run_saxpy;
  for (int i = 0; i < 12; i++) {
    d.branch = branches[i]; d.gpu = i & 1 ? NV_MOCK_GH100 : NV_MOCK_A100;
    if (case_named("branch %d", d.branch)) walk(&d, 0);
  }
  d.branch = 580; d.gvisor = 1; d.gpu = NV_MOCK_GH100;
  if (case_named("gVisor")) walk(&d, 0);
  d.gvisor = 0;
  for (uint32_t seed = 1; seed < 9; seed++) {
    d.seed = seed;
    if (case_named("late, seed %u", seed)) walk(&d, 0);
  }
}

// ---- what is done wrong

// Another launch behind the first, from what is in the block now; action: of SEND_SIGNALING_PCAS2_B.
static void launch_again(client *c, uint32_t action) {
  uint32_t from = c->words;
  method(c, 1, 0x2b4, (uint32_t)((c->block + AT_QMD) >> 8));
  method(c, 1, 0x2c0, action);
  submit(c, from);
}

static void other_code(client *c) {
  char text[sizeof saxpy_text + 16], log[100];
  void *cubin;
  size_t n;
  snprintf(text, sizeof text, "%s// again\n", saxpy_text);
  c->system->assemble(c->system->user, text, sms[c->chip], &cubin, &n, log, sizeof log);
  free(c->cubin);
  c->cubin = cubin;
  load_code(c);
}

static void raw(client *c, uint32_t a, uint32_t b) {
  uint32_t from = c->words;
  word(c, a); word(c, b);
  submit(c, from);
}

static void misbehave(client *c) {
  const tiny_nv_system *s = c->system;
  if (is_step(c, STEP_STALE_QMD)) { c->at[AT_QMD + 0x88] = 2; launch_again(c, 9); }
  if (is_step(c, STEP_STALE_CONSTANTS)) {
    set_bits(c->at + AT_QMD, qmds[generation(c)].invalidate.lo, 1, 0);
    put32(c->at + AT_BANK, 0x220, 0x40400000);
    launch_again(c, 10);
  }
  if (is_step(c, STEP_STALE_CODE)) { other_code(c); launch_again(c, 10); }
  if (is_step(c, STEP_WAIT_FOREVER)) { acquire(c, c->block + AT_SEMAPHORE + 128, 1); submit(c, c->words - 10); }
  if (is_step(c, STEP_PUSH_TAIL)) raw(c, 1u << 29 | 5u << 16 | 1u << 13 | 0x110 >> 2, 0);
  if (is_step(c, STEP_UNKNOWN_METHOD)) raw(c, 1u << 29 | 1u << 16 | 1u << 13 | 0x1234 >> 2, 0);
  if (is_step(c, STEP_MUNMAP)) s->munmap(s->user, (void *)(uintptr_t)0x3000000000u, 4096);
  if (is_step(c, STEP_FREE_USERD)) free_handle(c, c->memory);
  if (is_step(c, STEP_FREE_SPACE)) free_handle(c, c->space);
  if (is_step(c, STEP_FREE_CHANNEL)) { free_handle(c, c->channel); c->channel = 0; }
  if (is_step(c, STEP_FREE_TWICE)) { free_handle(c, c->copy); free_handle(c, c->copy); }
}

#include "nv_mock_mistakes.h"

static void be_wrong(const mistake *k) {
  nv_mock_desc d = {0};
  d.gpu = (nv_mock_gpu)k->chip; d.branch = k->branch; d.ptxas = ""; d.run = run_saxpy;
  nv_mock *m = nv_mock_new(&d);
  client c = client_new(m, k->chip, 0);
  c.patch = k->patch;
  if (client_open(&c)) {
    client_launch(&c);
    if (!nv_mock_complaint(m)) client_copy(&c);
    if (!nv_mock_complaint(m)) misbehave(&c);
    int stops = k->patch.kind == PATCH_QMD || k->patch.kind == PATCH_METHOD || k->patch.kind == PATCH_DROP;
    if (stops) CHECK(get32(c.record, 8) != 0 && get32(c.record, 12) >> 16 == 0xffff);
  }
  const char *waits = nv_mock_complaint(m);
  char said[600];
  snprintf(said, sizeof said, "%s", waits ? waits : "");
  client_close(&c);
  if (!*said && nv_mock_complaint(m)) snprintf(said, sizeof said, "%s", nv_mock_complaint(m));
  CHECK(c.patched);
  CHECK(strstr(said, k->words) != NULL);
  if (!strstr(said, k->words)) fprintf(stderr, "    the mock: %s; at %s\n", said, c.stage ? c.stage : "none");
  nv_mock_free(m);
}

static void test_mistakes(void) {
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++)
    if (case_named("mistake %d: %s", (int)i, mistakes[i].words)) be_wrong(&mistakes[i]);
}

// ---- what is not the client's fault

// How far a client comes: the step that failed, its error or its status; nothing was wrong.
static void test_refusal(const nv_mock_desc *d, const char *stage, int error, uint32_t status) {
  nv_mock *m = nv_mock_new(d);
  client c = client_new(m, (int)d->gpu, 0);
  CHECK(!client_open(&c));
  CHECK(c.stage && !strcmp(c.stage, stage));
  CHECK(c.error == error && c.status == status);
  if (c.stage && strcmp(c.stage, stage)) fprintf(stderr, "    at %s: %d, 0x%x\n", c.stage, c.error, c.status);
  CHECK(is_content(m));
  client_close(&c);
  nv_mock_free(m);
}

static void test_refusals(void) {
  nv_mock_desc plain = {0}, d;
  plain.gpu = NV_MOCK_GH100; plain.ptxas = ""; plain.run = run_saxpy;
#define REFUSED(field, value, stage, error, status) \
  if (case_named("refused: " #field)) { d = plain; d.field = value; test_refusal(&d, stage, error, status); }
  REFUSED(absent, 1, "/dev/nvidiactl", -ENOENT, 0)
  REFUSED(denied, 1, "/dev/nvidia0", -EACCES, 0)
  REFUSED(no_uvm, 1, "/dev/nvidia-uvm", -ENOENT, 0)
  REFUSED(mig, 1, "channel", 0, 0x40)
  REFUSED(exclusive, 1, "channel", 0, 0x63)
  REFUSED(fail_alloc, 2, "memory", 0, 0x51)
  REFUSED(vram_nbytes, 0x8000, "memory", 0, 0x51)
  REFUSED(lost_at, 12, "uuid", 0, 0x0f)
#undef REFUSED
  if (case_named("refused: a class by gVisor")) {
    d = plain; d.gpu = NV_MOCK_A100; d.gvisor = 1;
    test_refusal(&d, "usermode", 0, 0x22);
  }
}

static void test_fail_each(void) {
  nv_mock_desc d = {0};
  d.gpu = NV_MOCK_GB100; d.ptxas = ""; d.run = run_saxpy;
  int failed = 1;
  for (d.fail_ioctl = 1; failed && d.fail_ioctl < 100; d.fail_ioctl++) {
    nv_mock *m = nv_mock_new(&d);
    client c = client_new(m, NV_MOCK_GB100, 0);
    failed = !client_open(&c);
    CHECK(!failed || c.error == -EIO);
    CHECK(is_content(m));
    d.fail_ioctl += failed ? 0 : 1000;
    client_close(&c);
    nv_mock_free(m);
  }
  CHECK(!failed && d.fail_ioctl > 1000);
}

// The n-th launch stops its channel: a record, no complaint, and what waits behind it never comes.
static void test_fault(void) {
  nv_mock_desc d = {0};
  d.gpu = NV_MOCK_AD102; d.ptxas = ""; d.run = run_saxpy; d.fault_launch = 1;
  nv_mock *m = nv_mock_new(&d);
  client c = client_new(m, NV_MOCK_AD102, 0);
  CHECK(client_open(&c));
  client_launch(&c);
  CHECK(get32(c.record, 8) == 13 && get32(c.record, 12) == 0xffff0000 && get64(c.record, 0) != 0);
  CHECK(get64(c.at, AT_SEMAPHORE) != 1);
  CHECK(is_content(m));
  client_close(&c);
  CHECK(nv_mock_leaks(m) == 0);
  nv_mock_free(m);
}

// A client that knows another branch than the driver's writes fields where the driver does not look.
static void test_layouts(void) {
  static const int pairs[][2] = {{535, 580}, {580, 535}, {580, 610}, {610, 580}, {545, 550}};
  for (int i = 0; i < 5; i++) {
    nv_mock_desc d = {0};
    d.gpu = NV_MOCK_GH100; d.branch = pairs[i][0]; d.ptxas = ""; d.run = run_saxpy;
    nv_mock *m = nv_mock_new(&d);
    client c = client_new(m, NV_MOCK_GH100, 0);
    CHECK(client_find(&c));
    c.branch = pairs[i][1];
    CHECK(!(client_space(&c) && client_memory(&c) && client_channel(&c)));
    CHECK(nv_mock_complaint(m) != NULL);
    client_close(&c);
    nv_mock_free(m);
  }
}

static void test_leaks(void) {
  nv_mock_desc d = {0};
  d.gpu = NV_MOCK_GA102; d.ptxas = ""; d.run = run_saxpy;
  nv_mock *m = nv_mock_new(&d);
  client c = client_new(m, NV_MOCK_GA102, 0);
  CHECK(client_open(&c));
  CHECK(nv_mock_leaks(m) > 20);
  client_close(&c);
  CHECK(nv_mock_leaks(m) == 0);
  c = client_new(m, NV_MOCK_GA102, 0);
  CHECK(client_open(&c));
  for (int i = 0; i < 4; i++) c.system->close(c.system->user, (int[]){c.uvm, c.mm, c.dev, c.ctl}[i]);
  CHECK(nv_mock_leaks(m) > 15);            // three mappings, three ranges and a window, each handle
  nv_mock_free(m);
}

static void test_no_ring(void) {
  nv_mock_desc d = {0};
  d.ptxas = ""; d.run = run_saxpy;
  nv_mock *m = nv_mock_new(&d);
  client c = client_new(m, NV_MOCK_A100, 0);
  c.patch = (client_patch){PATCH_STEP, STEP_NO_RING, 0, 0};
  CHECK(client_open(&c));
  client_launch(&c);
  const char *said = nv_mock_complaint(m);
  CHECK(said && strstr(said, "GPPut is 1, but the doorbell was rung for 0"));
  c.system->doorbell(c.system->user, (*c.doorbell = c.token));
  CHECK(is_content(m) && is_saxpy(&c, AT_Y));
  client_close(&c);
  nv_mock_free(m);
}

// n words of one header. op: 1 methods that ascend, 3 one method, 5 the second and what follows one method.
static void methods(client *c, uint32_t op, uint32_t sub, uint32_t m, uint32_t n, const uint32_t *words) {
  word(c, op << 29 | n << 16 | sub << 13 | m >> 2);
  for (uint32_t i = 0; i < n; i++) word(c, words[i]);
}
#define HIGH(x) (uint32_t)((x) >> 32)
#define LOW(x) (uint32_t)(x)

// A copy of what a launch writes, behind it in one pushbuffer. How many of 24 late GPUs copied what was there before.
static int copies_stale(int waits) {
  int stale = 0;
  for (uint32_t seed = 1; seed <= 24; seed++) {
    nv_mock_desc d = {0};
    d.gpu = NV_MOCK_GH100; d.ptxas = ""; d.run = run_saxpy; d.seed = seed;
    nv_mock *m = nv_mock_new(&d);
    client c = client_new(m, NV_MOCK_GH100, 0);
    CHECK(client_open(&c));
    client_launch(&c);
    CHECK(wait_for(&c, AT_SEMAPHORE, 1));
    uint64_t from = c.block + AT_Y, to = c.block + AT_SPARE;
    float *y = (float *)(void *)(c.at + AT_Y);
    for (int i = 0; i < N; i++) y[i] = 1;
    uint32_t begin = c.words;
    method(&c, 1, 0x2b4, (uint32_t)((c.block + AT_QMD) >> 8));
    method(&c, 1, 0x2c0, 10);
    if (waits) method(&c, 1, 0x110, 0);
    methods(&c, 1, 4, 0x400, 4, (uint32_t[]){HIGH(from), LOW(from), HIGH(to), LOW(to)});
    method(&c, 4, 0x418, N * 4);
    method(&c, 4, 0x300, 0x182);
    release(&c, c.block + AT_SEMAPHORE, 2);
    submit(&c, begin);
    CHECK(wait_for(&c, AT_SEMAPHORE, 2) && is_saxpy(&c, AT_Y) && is_content(m));
    stale += !is_saxpy(&c, AT_SPARE);
    client_close(&c);
    nv_mock_free(m);
  }
  return stale;
}

// A cubin of the mock's own says of kernels what their text does.
static void test_cubin(void) {
  static const char text[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .global .align 4 .u32 tiny_values = 128;\n"
    ".global .align 8 .b8 table[20];\n.const .align 4 .b8 fixed[40];\n.shared .align 16 .b8 all[32];\n"
    ".visible .entry one(.param .align 8 .b8 one_p[20], .param .u8 one_q, .param .u64 one_r)\n.maxntid 64, 2, 1\n"
    ".reqnctapercluster 2, 1, 1\n{\n  .shared .align 8 .b8 own[24];\n  .local .align 16 .b8 depot[40];\n"
    "  @%p1 bar.sync 2;\n  ret;\n}\n.visible .entry two()\n{\n  ret;\n}\n";
  nv_mock_desc d = {0};
  d.gpu = NV_MOCK_GH100; d.ptxas = ""; d.run = run_saxpy;
  nv_mock *m = nv_mock_new(&d);
  const tiny_nv_system *s = nv_mock_system(m);
  void *cubin = NULL;
  size_t n;
  char log[100];
  CHECK(s->assemble(s->user, text, 90, &cubin, &n, log, sizeof log) == 0);
  const nvm_text *one = m->ntext == 2 ? &m->texts[0] : NULL;
  CHECK(one && !strcmp(one->name, "one") && !strcmp(m->texts[1].name, "two") && one->sm == 90);
  CHECK(one && one->param_base == 0x210 && one->param_nbytes == 32 && one->constant_nbytes[0] == 0x230);
  CHECK(one && one->shared == 0x400 + 56 && one->stack == 48 && one->barriers == 3 && one->max_threads == 128);
  CHECK(one && one->constant_nbytes[3] == 48 && one->constant_nbytes[4] == 0);
  CHECK(one && one->cluster[0] == 2 && one->cluster[1] == 1 && m->texts[1].shared == 0x400 + 32);
  CHECK(nv_mock_know(m, cubin, n, text) == 2 && m->ntext == 2);
  for (size_t cut = 0; cut < n; cut += 7) {                // reads no byte behind its end
    void *part = malloc(cut + !cut);
    memcpy(part, cubin, cut);
    nv_mock_know(m, part, cut, text);
    free(part);
  }
  CHECK(nv_mock_know(m, "no cubin", 8, text) == 0);
  free(cubin);
  nv_mock_free(m);
}

// The second GPU of two; two mocks, on two threads, that share nothing.
static void test_two(void) {
  nv_mock_desc d = {0};
  d.gpu = NV_MOCK_GB202; d.ngpu = 2; d.ptxas = ""; d.run = run_saxpy;
  nv_mock *m = nv_mock_new(&d);
  client c = client_new(m, NV_MOCK_GB202, 0);
  c.number = 1;
  CHECK(client_open(&c));
  client_launch(&c);
  CHECK(is_saxpy(&c, AT_Y) && is_content(m));
  client_close(&c);
  CHECK(nv_mock_leaks(m) == 0);
  nv_mock_free(m);
}

// ---- what else can be asked for

// Words by the compute class, a rectangle and fills by the copy engine, and a 64-bit report: in memory of both.
static void test_engines(int chip) {
  nv_mock_desc d = {0};
  d.gpu = (nv_mock_gpu)chip; d.ptxas = ""; d.run = run_saxpy;
  nv_mock *m = nv_mock_new(&d);
  client c = client_new(m, chip, 0);
  CHECK(client_open(&c));
  uint64_t to = c.block + AT_SPARE, from = c.block + AT_X, end = c.block + AT_SEMAPHORE, vram = c.vram_at;
  for (uint32_t i = 0; i < 64; i++) put32(c.at, AT_X + 4 * i, i);
  begin_channel(&c);
  methods(&c, 1, 1, 0x180, 2, (uint32_t[]){12, 1});
  methods(&c, 1, 1, 0x188, 2, (uint32_t[]){HIGH(to), LOW(to)});
  methods(&c, 5, 1, 0x1b0, 4, (uint32_t[]){0x41, 11, 12, 13});
  to += 64;
  methods(&c, 1, 4, 0x400, 8, (uint32_t[]){HIGH(from), LOW(from), HIGH(vram), LOW(vram), 32, 16, 8, 3});
  methods(&c, 1, 4, 0x300, 1, (uint32_t[]){0x382});
  methods(&c, 1, 4, 0x400, 4, (uint32_t[]){HIGH(vram), LOW(vram), HIGH(to), LOW(to)});
  methods(&c, 1, 4, 0x418, 1, (uint32_t[]){40});
  methods(&c, 1, 4, 0x300, 1, (uint32_t[]){0x182});
  to += 64;
  methods(&c, 1, 4, 0x700, 3, (uint32_t[]){0x5a5a5a5a, 0x12345678, 0x1000000 | 0x30000 | 5 << 4 | 4});
  methods(&c, 1, 4, 0x408, 2, (uint32_t[]){HIGH(to), LOW(to)});
  methods(&c, 1, 4, 0x418, 1, (uint32_t[]){2});
  word(&c, 4u << 29 | 0x582u << 16 | 4u << 13 | 0x300 >> 2);
  release(&c, end, 5);
  end += 32;
  if (c.compute_class > 0xc6c0) {
    methods(&c, 1, 1, 0x158, 4, (uint32_t[]){7, 9, LOW(end), HIGH(end)});
    methods(&c, 1, 1, 0x168, 1, (uint32_t[]){0x1000});
  } else methods(&c, 1, 1, 0x1b00, 4, (uint32_t[]){HIGH(end), LOW(end), 7, 1u << 28});
  methods(&c, 1, 0, 0x28, 4, (uint32_t[]){0, 0, 0, 5u << 27});
  methods(&c, 1, 0, 0x78, 1, (uint32_t[]){0});
  submit(&c, 0);
  const uint8_t *p = c.at + AT_SPARE;
  CHECK(is_content(m));
  CHECK(get32(p, 0) == 11 && get32(p, 4) == 12 && get32(p, 8) == 13 && get32(p, 12) == 0);
  CHECK(get32(p, 64) == 0 && get32(p, 68) == 1 && get32(p, 80) == 8 && get32(p, 84) == 9 && get32(p, 96) == 16);
  CHECK(get64(p, 128) == 0x123456785a5a5a5a && get64(p, 136) == 0x123456785a5a5a5a && get64(p, 144) == 0);
  CHECK(get64(c.at, AT_SEMAPHORE) == 5 && get32(c.at, AT_SEMAPHORE + 32) == 7);
  CHECK(c.compute_class == 0xc6c0 || (get64(c.at, AT_SEMAPHORE + 32) == (9ull << 32 | 7) &&
                                      get64(c.at, AT_SEMAPHORE + 40)));
  client_close(&c);
  CHECK(is_content(m) && nv_mock_leaks(m) == 0);
  nv_mock_free(m);
}

// A launch that the descriptor before it begins, and a stack for each thread.
static void test_chain(int chip) {
  static const uint16_t next[3][4] = {{512, 513, 516, 480}, {368, 369, 372, 448}, {336, 337, 340, 384}};
  nv_mock_desc d = {0};
  d.gpu = (nv_mock_gpu)chip; d.ptxas = ""; d.run = run_saxpy;
  nv_mock *m = nv_mock_new(&d);
  client c = client_new(m, chip, 0);
  CHECK(client_open(&c));
  client_launch(&c);
  CHECK(is_saxpy(&c, AT_Y));
  uint8_t *first = c.at + AT_QMD + 0x400, *second = c.at + AT_QMD;
  const uint16_t *at = next[generation(&c)];
  uint64_t second_at = c.block + AT_QMD, stacks = c.block + (1u << 27), of_tpc = 0x280 * 32 * 64 * 2;
  c.vram = new_memory(&c, of_tpc * 128, 0);
  CHECK(c.vram && map_gpu(&c, stacks, of_tpc * 128, c.vram));
  memcpy(first, second, 384);
  set_bits(first, at[0], 1, 1); set_bits(first, at[1], 3, 1); set_bits(first, at[2], 1, 1);
  set_bits(first, at[3], 32, (uint32_t)(second_at >> 8));
  bits local = qmds[generation(&c)].local;
  set_bits(first, local.lo, local.n, generation(&c) == 2 ? 0x28 : 0x280);
  uint32_t from = c.words;
  methods(&c, 1, 1, 0x790, 2, (uint32_t[]){HIGH(stacks), LOW(stacks)});
  methods(&c, 1, 1, 0x2e4, 3, (uint32_t[]){HIGH(of_tpc), LOW(of_tpc), 0x40});
  method(&c, 1, 0x2b4, (uint32_t)((second_at + 0x400) >> 8));
  method(&c, 1, 0x2c0, 10);
  release(&c, c.block + AT_SEMAPHORE, 9);
  submit(&c, from);
  CHECK(is_content(m));
  CHECK(get64(c.at, AT_SEMAPHORE) == 9 && nv_mock_counted(m).launches == 3);
  const float *y = (const float *)(const void *)(c.at + AT_Y);
  for (int i = 0; i < N; i++) CHECK(y[i] == 6 * (float)i + 1);
  unmap_range(&c, stacks, of_tpc * 128);
  client_close(&c);
  CHECK(is_content(m) && nv_mock_leaks(m) == 0);
  nv_mock_free(m);
}

// Pages of the client's own, in a range for the GPU; a part of them is mapped, and taken back.
static void test_user_pages(void) {
  nv_mock_desc d = {0};
  d.gpu = NV_MOCK_A100; d.ptxas = ""; d.run = run_saxpy;
  nv_mock *m = nv_mock_new(&d);
  client c = client_new(m, NV_MOCK_A100, 0);
  CHECK(client_open(&c));
  void *at = (void *)(uintptr_t)(c.block + 0x800000);
  uint8_t p[56] = {0}, unmap[40] = {0};
  CHECK(!c.system->mmap(c.system->user, &at, 0x4000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | 0x20, -1, 0));
  put32(p, 0, c.root); put32(p, 4, c.device); put32(p, 8, 0x1000); put32(p, 12, 0x71);
  put32(p, 16, 1u << 4 | 1u << 12 | 1u << 30);
  put64(p, 24, (uint64_t)(uintptr_t)at); put64(p, 32, 0x3fff);
  CHECK(!escape(&c, c.dev, 0x27, p, 56) && !get32(p, 40));
  CHECK(map_gpu(&c, (uint64_t)(uintptr_t)at, 0x4000, 0x1000));
  begin_channel(&c);
  release(&c, (uint64_t)(uintptr_t)at + 0x1000, 77);
  submit(&c, 0);
  CHECK(is_content(m) && get64(at, 0x1000) == 77);
  put64(unmap, 0, (uint64_t)(uintptr_t)at); put64(unmap, 8, 0x4000);
  memcpy(unmap + 16, c.uuid, 16);
  CHECK(uvm(&c, "unmap", c.uvm, 66, unmap, 32));
  uint32_t from = c.words;
  release(&c, (uint64_t)(uintptr_t)at, 78);
  submit(&c, from);
  const char *said = nv_mock_complaint(m);
  CHECK(said && strstr(said, "which is not mapped") && get32(c.record, 8) == 31);
  nv_mock_forget(m);
  unmap_range(&c, (uint64_t)(uintptr_t)at, 0x4000);
  c.system->munmap(c.system->user, at, 0x4000);
  CHECK(free_handle(&c, 0x1000) == 0);
  client_close(&c);
  CHECK(is_content(m) && nv_mock_leaks(m) == 0);
  nv_mock_free(m);
}

// A GPU's memory is another's where peers are enabled, and not before.
static void test_peers(void) {
  nv_mock_desc d = {0};
  d.gpu = NV_MOCK_GH100; d.ngpu = 2; d.ptxas = ""; d.run = run_saxpy;
  nv_mock *m = nv_mock_new(&d);
  client c = client_new(m, NV_MOCK_GH100, 0);
  CHECK(client_open(&c));
  uint8_t device[56] = {0}, peers[36] = {0}, gpu[40] = {0};
  uint32_t own = c.device;
  put32(device, 0, 1); put32(device, 4, c.root);
  CHECK((c.device = alloc(&c, "device", c.root, 0, 0x80, device, 56)) != 0);
  uint32_t far_memory = new_memory(&c, 0x10000, 0);
  c.device = own;
  nvm_uuid(1, gpu);
  put32(gpu, 0x18, 0xffffffff);
  CHECK(far_memory && !map_gpu(&c, c.block + 0x900000, 0x10000, far_memory));
  CHECK(strstr(nv_mock_complaint(m), "a GPU that is not registered") != NULL);
  nv_mock_forget(m);
  unmap_range(&c, c.block + 0x900000, 0x10000);
  CHECK(uvm(&c, "register gpu", c.uvm, 37, gpu, 36));
  CHECK(!map_gpu(&c, c.block + 0x900000, 0x10000, far_memory));
  CHECK(strstr(nv_mock_complaint(m), "a GPU that is no peer") != NULL);
  nv_mock_forget(m);
  memcpy(peers, c.uuid, 16); memcpy(peers + 16, gpu, 16);
  CHECK(uvm(&c, "peers", c.uvm, 29, peers, 32));
  CHECK(!uvm(&c, "peers", c.uvm, 29, peers, 32));
  CHECK(strstr(nv_mock_complaint(m), "they are peers already") != NULL);
  nv_mock_forget(m);
  CHECK(map_gpu(&c, c.block + 0xa00000, 0x10000, far_memory));
  CHECK(uvm(&c, "peers", c.uvm, 30, peers, 32));
  unmap_range(&c, c.block + 0x900000, 0x10000);
  unmap_range(&c, c.block + 0xa00000, 0x10000);
  client_close(&c);
  CHECK(is_content(m) && nv_mock_leaks(m) == 0);
  nv_mock_free(m);
}

// What is told of a GPU, in each branch's sizes.
static void test_told(int branch) {
  nv_mock_desc d = {0};
  d.gpu = NV_MOCK_GH100; d.branch = branch; d.ptxas = ""; d.run = run_saxpy; d.fault_launch = 1;
  nv_mock *m = nv_mock_new(&d);
  client c = client_new(m, NV_MOCK_GH100, 0);
  static uint8_t p[4824], name[3][256];
  uint32_t list[14] = {7, 0, 9, 0, 0xc, 0, 0xd, 0, 0x14, 0, 0x17, 0, 0x20, 0}, confidential, debugger;
  CHECK(client_open(&c));
  memset(p, 0, sizeof p);
  put32(p, 0, 256);
  for (int i = 0; i < 3; i++) put64(p, 8 + 8 * (size_t)i, (uint64_t)(uintptr_t)name[i]);
  CHECK(control(&c, "version", c.root, 0x101, p, 40) && atoi((char *)name[0]) == branch);
  memset(p, 0, sizeof p);
  CHECK(control(&c, "version", c.root, 0x13e, p, branch >= 560 ? 1032 : 776) && atoi((char *)p) == branch);
  CHECK(control(&c, "attached", c.root, 0x201, p, 128) && get32(p, 0) == 0x100 && get32(p, 4) == 0xffffffff);
  uint32_t nclass = branch >= 580 ? 804 : branch >= 555 ? 404 : branch >= 550 ? 700 : 644;
  CHECK(control(&c, "classes", c.device, 0x800292, p, nclass) && get32(p, 0) == 14 && get32(p, 4) == 0x9067);
  put32(p, 0, 7); put64(p, 8, (uint64_t)(uintptr_t)list); put64(p, 16, 0); put64(p, 24, 0);
  CHECK(control(&c, "gr", c.subdevice, 0x20801201, p, 32) && list[3] == 72 && list[5] == 0x900 && list[7] == 64 &&
        list[13] == 2);
  put32(p, 0, 1); put32(p, 4, 8); put32(p, 8, 0);
  uint32_t nfb = branch >= 580 ? 1028 : branch >= 560 ? 460 : branch >= 545 ? 444 : 436;
  CHECK(control(&c, "fb", c.subdevice, 0x20801303, p, nfb) && get32(p, 8) == 1 << 20);
  put32(p, 4, 0x2a);
  uint32_t ninfo = branch >= 580 ? 564 : branch >= 575 ? 532 : branch >= 545 ? 524 : 516;
  CHECK(control(&c, "info", c.subdevice, 0x20800102, p, ninfo) && get32(p, 8) == 0);
  put32(p, 0, 0);
  CHECK(control(&c, "name", c.subdevice, 0x20800110, p, branch >= 595 ? 68 : 132) &&
        !strncmp((char *)p + 4, "NVIDIA H100", 11));
  CHECK(control(&c, "mode", c.subdevice, 0x20800131, p, 4) && get32(p, 0) == 0);
  CHECK(control(&c, "ce", c.subdevice, 0x20802a0a, p, branch >= 545 ? 136 : 68) && p[0] == 1 && p[4] == 0);
  CHECK(control(&c, "arch", c.subdevice, 0x20801701, p, 16) && get32(p, 0) == 0x180);
  CHECK(control(&c, "time", c.subdevice, 0x20800403, p, 8));
  uint64_t then = get64(p, 0);
  memset(p, 0, 264);
  p[1] = 2;
  CHECK(control(&c, "times", c.subdevice, 0x20800406, p, 264) && get64(p, 16) > then && get64(p, 32) > get64(p, 16));
  CHECK((confidential = alloc(&c, "cc", c.root, 0, 0xcb33, NULL, 0)) != 0 &&
        control(&c, "cc", confidential, 0xcb330101, p, 6) && !p[3]);
  uint8_t debug[12] = {0};
  put32(debug, 4, c.root); put32(debug, 8, c.compute);
  CHECK((debugger = alloc(&c, "debugger", c.device, 0, 0x83de, debug, 12)) != 0);
  client_launch(&c);
  put32(p, 0, c.channel); put32(p, 4, 100);
  CHECK(control(&c, "errors", debugger, 0x83de030c, p, 4824) && get32(p, 12) == 0xe);
  CHECK(control(&c, "faults", debugger, 0x83de0328, p, 72));
  CHECK(is_content(m));
  client_close(&c);
  CHECK(is_content(m) && nv_mock_leaks(m) == 0);
  nv_mock_free(m);
}

typedef struct lane { nv_mock_desc d; int number, ok; } lane;
static void *lane_run(void *user) {
  lane *l = user;
  l->ok = 1;
  for (int i = 0; i < 4; i++) {
    nv_mock *m = nv_mock_new(&l->d);
    client c = client_new(m, (int)l->d.gpu, l->number);
    l->ok &= client_open(&c);
    client_launch(&c);
    l->ok &= wait_for(&c, AT_SEMAPHORE, 1) && is_saxpy(&c, AT_Y);
    client_copy(&c);
    l->ok &= wait_for(&c, AT_SEMAPHORE + 32, 3) && is_saxpy(&c, AT_SPARE) && is_content(m);
    client_close(&c);
    l->ok &= nv_mock_leaks(m) == 0;
    nv_mock_free(m);
  }
  return NULL;
}

static void test_threads(void) {
  lane lanes[2];
  pthread_t threads[2];
  memset(lanes, 0, sizeof lanes);
  for (int i = 0; i < 2; i++) {
    lanes[i].d.gpu = i ? NV_MOCK_GH100 : NV_MOCK_A100;
    lanes[i].d.ptxas = ""; lanes[i].d.run = run_saxpy; lanes[i].d.seed = (uint32_t)i * 7; lanes[i].number = i + 1;
    CHECK(!pthread_create(&threads[i], NULL, lane_run, &lanes[i]));
  }
  for (int i = 0; i < 2; i++) { pthread_join(threads[i], NULL); CHECK(lanes[i].ok); }
}

int main(void) {
  test_walk();
  test_mistakes();
  test_refusals();
  if (case_named("the n-th ioctl fails")) test_fail_each();
  if (case_named("a launch that faults")) test_fault();
  if (case_named("layouts of another branch")) test_layouts();
  if (case_named("leaks")) test_leaks();
  if (case_named("a doorbell that is not rung")) test_no_ring();
  if (case_named("the second GPU")) test_two();
  static const int told[] = {535, 545, 550, 555, 565, 570, 575, 580, 590, 595, 610};
  for (int i = 0; i < NV_MOCK_GPUS; i++) if (case_named("engines of %s", nvm_chips[i].name)) test_engines(i);
  for (int i = 0; i < NV_MOCK_GPUS; i++) if (case_named("a chain on %s", nvm_chips[i].name)) test_chain(i);
  for (int i = 0; i < 11; i++) if (case_named("what branch %d tells", told[i])) test_told(told[i]);
  if (case_named("a cubin of its own")) test_cubin();
  if (case_named("late, without a wait")) CHECK(copies_stale(0) > 0);
  if (case_named("late, with waits")) CHECK(copies_stale(1) == 0);
  if (case_named("pages of the client")) test_user_pages();
  if (case_named("peers")) test_peers();
  if (case_named("two mocks")) test_threads();
  return test_report();
}
