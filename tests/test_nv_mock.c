// brief: plain asan
// also: tsan
// test_nv_mock: the mock of NVIDIA's kernel driver and GPU (nv_mock.h) by a small client (nv_mock_client.h): every
// personality and branch opens, launches, copies and tells time; whatever is done wrong is complained about by name.
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif
#include "nv_mock.c"
#if __has_include("ptx_machine.c")
  #include "ptx_machine.c"
  enum { HAS_MACHINE = 1 };
#else                                      // where the machine is not there yet, kernels run as the test says
enum { HAS_MACHINE };
ptx_module *ptx_parse(const char *text, size_t n, char *error, size_t room) { (void)text; (void)n; snprintf(error, room, "no machine"); return NULL; }
void ptx_free(ptx_module *m) { (void)m; }
int ptx_run(const ptx_module *m, const ptx_launch *l, ptx_counts *counts, char *error, size_t room) {
  (void)m; (void)l; (void)counts; snprintf(error, room, "no machine"); return 1;
}
#endif
#include "nv_mock_client.h"
#include "test.h"

// y = a x + y, one element a thread.
static const char saxpy_text[] =
  ".version 7.0\n.target sm_80\n.address_size 64\n"
  ".visible .entry saxpy(\n  .param .u64 saxpy_x,\n  .param .u64 saxpy_y,\n  .param .f32 saxpy_a,\n  .param .u32 saxpy_n\n)\n"
  "{\n  .reg .pred %p<2>;\n  .reg .f32 %f<5>;\n  .reg .b32 %r<6>;\n  .reg .b64 %rd<8>;\n"
  "  ld.param.u64 %rd1, [saxpy_x];\n  ld.param.u64 %rd2, [saxpy_y];\n  ld.param.f32 %f1, [saxpy_a];\n  ld.param.u32 %r1, [saxpy_n];\n"
  "  mov.u32 %r2, %ctaid.x;\n  mov.u32 %r3, %ntid.x;\n  mov.u32 %r4, %tid.x;\n  mad.lo.s32 %r5, %r2, %r3, %r4;\n"
  "  setp.ge.u32 %p1, %r5, %r1;\n  @%p1 bra $done;\n"
  "  cvta.to.global.u64 %rd3, %rd1;\n  cvta.to.global.u64 %rd4, %rd2;\n  mul.wide.u32 %rd5, %r5, 4;\n"
  "  add.s64 %rd6, %rd3, %rd5;\n  add.s64 %rd7, %rd4, %rd5;\n  ld.global.f32 %f2, [%rd6];\n  ld.global.f32 %f3, [%rd7];\n"
  "  fma.rn.f32 %f4, %f2, %f1, %f3;\n  st.global.f32 [%rd7], %f4;\n$done:\n  ret;\n}\n";

// The kernel by hand, for mistakes that need no machine.
static int run_saxpy(void *user, const char *text, const ptx_launch *l, char *error, size_t room) {
  const char *p = l->params;
  uint32_t n = get32(p, 20), bits = get32(p, 16), threads = l->grid[0] * l->block[0];
  float a;
  (void)user; (void)text;
  memcpy(&a, &bits, 4);
  for (uint32_t i = 0; i < threads && i < n; i++) {
    float *x = l->memory.at(l->memory.user, get64(p, 0) + 4 * i, 4, 0), *y = l->memory.at(l->memory.user, get64(p, 8) + 4 * i, 4, 1);
    if (!x || !y) { snprintf(error, room, "thread %u: no memory", i); return 1; }
    *y = a * *x + *y;
  }
  return 0;
}

// ---- a launch, by the reference pages: positions are hi:lo as the headers have them

typedef struct bits { uint16_t lo, n; } bits;
typedef struct qmd { int nbytes; uint32_t version; bits major, type, limit, gx, gy, gz, bx, by, bz, registers, barriers, shared, least, most, target,
                     program_lo, program_hi, valid, bank_lo, bank_hi, size, invalidate, membar, end, end_lo, end_hi, end_value, end_wide, local; } qmd;
static const qmd qmds[3] = {
  {256, 3, {580, 4}, {0, 0}, {378, 1}, {384, 32}, {416, 16}, {448, 16}, {592, 16}, {608, 16}, {624, 16}, {648, 9}, {763, 5}, {544, 18}, {562, 6}, {569, 6},
   {657, 6}, {1536, 32}, {1568, 17}, {640, 1}, {1024, 32}, {1056, 17}, {1075, 13}, {1074, 1}, {368, 2}, {823, 1}, {768, 32}, {800, 8}, {832, 32}, {829, 1}, {1600, 24}},
  {384, 4, {580, 4}, {23, 3}, {568, 1}, {1024, 32}, {1056, 16}, {1088, 16}, {1152, 16}, {1168, 16}, {1184, 16}, {1200, 9}, {1211, 5}, {584, 18}, {608, 6}, {614, 6},
   {620, 6}, {1216, 32}, {1248, 25}, {416, 1}, {1536, 32}, {1568, 19}, {1587, 13}, {419, 1}, {1136, 2}, {320, 1}, {640, 32}, {672, 25}, {704, 32}, {332, 1}, {544, 24}},
  {384, 5, {468, 4}, {151, 3}, {456, 1}, {1248, 32}, {1280, 16}, {1312, 16}, {1088, 16}, {1104, 16}, {1120, 8}, {1128, 9}, {1137, 5}, {1152, 11}, {1163, 6}, {1169, 6},
   {1175, 6}, {1024, 32}, {1056, 21}, {1856, 1}, {1344, 32}, {1376, 19}, {1395, 13}, {1859, 1}, {624, 2}, {288, 1}, {480, 32}, {512, 25}, {544, 32}, {300, 1}, {1200, 16}},
};

static void set_bits(uint8_t *p, uint32_t lo, uint32_t n, uint32_t v) {
  for (uint32_t i = 0; i < n; i++) p[(lo + i) / 8] = (uint8_t)((p[(lo + i) / 8] & ~(1u << (lo + i) % 8)) | (v >> i & 1) << (lo + i) % 8);
}

static const int sms[] = {80, 86, 89, 90, 100, 120};
static int generation(const client *c) { return sms[c->chip] < 90 ? 0 : sms[c->chip] < 100 ? 1 : 2; }

// What the driver fills into constant bank 0, then parameters.
static void write_bank(client *c, uint32_t n, uint32_t block) {
  static const uint32_t at[3][7] = {{0x0, 0xc, 0x18, 0x20, 0x28, 0x40, 0x160}, {0x0, 0xc, 0x18, 0x20, 0x28, 0x198, 0x210}, {0x360, 0x370, 0x2f0, 0x2f8, 0x37c, 0x348, 0x380}};
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
  SET(valid, 1); SET(bank_lo, bank); SET(bank_hi, bank >> 32); SET(size, (base[generation(c)] + 24 + 15) / 16); SET(invalidate, 1);
  SET(membar, 1);
  SET(end, 1); SET(end_lo, end); SET(end_hi, end >> 32); SET(end_value, 7); SET(end_wide, 1);
#undef SET
  if (c->patch.kind == PATCH_QMD && !c->patched) { c->patched = 1; set_bits(p, c->patch.at, c->patch.offset, c->patch.value); }
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
    for (uint64_t k = 0; !strcmp(name, ".nv.info") && k + 12 <= n; k += 4 + (at[k] == 4 ? at[k + 2] : 0u)) if (at[k + 1] == 0x2f) c->registers = get32(at + k, 8);
  }
  if (is_patch(c, PATCH_CODE, 0)) put32(c->at + c->code_at, c->patch.offset, c->patch.value);
  return c->code_nbytes && c->registers;
}

enum { N = 300 };
static void client_launch(client *c) {
  float *x = (float *)(void *)(c->at + AT_X), *y = (float *)(void *)(c->at + AT_Y);
  char log[400];
  c->code_at = AT_CODE;
  if (c->system->assemble(c->system->user, saxpy_text, sms[c->chip], &c->cubin, &c->cubin_nbytes, log, sizeof log) || !load_code(c)) {
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
  if (c->vram) { unmap_range(c, c->block, BLOCK_NBYTES); unmap_range(c, c->block + client_record, 0x1000); unmap_range(c, c->vram_at, 0x10000); }
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
    CHECK(n.launches == 1 && n.copies == 2 && n.doorbells == 2 && n.push_nbytes == 4 * c.words && n.copied_nbytes == 8 * N);
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
      if (!HAS_MACHINE) d.run = run_saxpy;
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

int main(void) {
  test_walk();
  return test_report();
}
