// nv_play: the part of test_nv.c that a GPU is played for.
#ifndef NV_PLAY_H
#define NV_PLAY_H

#define PLAYED tiny_nv
typedef nv_mock played_mock;
typedef nv_mock_desc played_desc;
typedef nv_mock_gpu played_gpu;
enum { PLAYED_GPUS = NV_MOCK_GPUS };
typedef struct play { nv_mock *m; tiny_ctx *t; } play;

static play play_debug(nv_mock_desc desc, const char *debug) {
  play p;
  p.m = nv_mock_new(&desc);
  CHECK(p.m != NULL);
  p.t = open_with(tiny_nv_on(nv_mock_system(p.m), 0).text, debug);
  return p;
}
static play play_on(nv_mock_desc desc) { return play_debug(desc, ""); }
// Nothing was done that hardware would not have tolerated either, and nothing is left.
static void play_end(play *p) {
  tiny_close(p->t);
  const char *wrong = nv_mock_complaint(p->m);
  CHECK(!wrong);
  if (wrong) fprintf(stderr, "    %s\n", wrong);
  CHECK_EQ(nv_mock_leaks(p->m), 0);
  nv_mock_free(p->m);
}
static void play_well(const play *p) {
  CHECK_EQ(tiny_status(p->t), TINY_OK);
  if (tiny_status(p->t)) fprintf(stderr, "    %s\n", tiny_error(p->t));
}

// ** values **

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
static void values_on(nv_mock_desc desc) {
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
  static const int branches[] = {535, 550, 565, 570, 580, 595, 610};
  for (int gpu = 0; gpu < NV_MOCK_GPUS; gpu++) values_on((nv_mock_desc){.gpu = (nv_mock_gpu)gpu});
  for (int i = 0; i < 7; i += test_brief(3, 1))
    values_on((nv_mock_desc){.gpu = NV_MOCK_GH100, .branch = branches[i], .seed = (uint32_t)i + 1});
  values_on((nv_mock_desc){.gpu = NV_MOCK_GH100, .gvisor = 1});
  values_on((nv_mock_desc){.gpu = NV_MOCK_A100, .gvisor = 1, .seed = 5});
}
// Products whose operands the GPU copies as boxes of tensors: what its copy unit is told of them is part of a launch.
static void test_boxes(void) {
  enum { SIDE = 64, ALONG = 192 };
  static float x[SIDE * ALONG], y[ALONG * SIDE], want[SIDE * SIDE], got[SIDE * SIDE];
  for (int i = 0; i < SIDE * ALONG; i++) { x[i] = (float)(i * 7 % 11) - 5; y[i] = (float)(i * 5 % 13) - 6; }
  for (int i = 0; i < SIDE; i++) for (int j = 0; j < SIDE; j++) {
    want[i * SIDE + j] = 0;
    for (int k = 0; k < ALONG; k++) want[i * SIDE + j] += x[i * ALONG + k] * y[k * SIDE + j];
  }
  for (int own = 0; own < 2; own++) {      // cubins: of ptxas, where it is here, and of the mock
    play p = play_on((nv_mock_desc){.gpu = NV_MOCK_GH100, .seed = 3, .ptxas = own ? "" : NULL});
    tiny_tensor *in[2] = {tiny_cast(tiny_from(p.t, x, TINY_F32, TINY_SHAPE(SIDE, ALONG)), TINY_F16),
                          tiny_cast(tiny_from(p.t, y, TINY_F32, TINY_SHAPE(ALONG, SIDE)), TINY_F16)};
    CHECK_EQ(tiny_realize(in, 2), TINY_OK);
    tiny_tensor *z = tiny_matmul(tiny_cast(in[0], TINY_F32), tiny_cast(in[1], TINY_F32));
    CHECK_EQ(tiny_read(z, got, sizeof got), TINY_OK);
    play_well(&p);
    CHECK(!memcmp(want, got, sizeof got));
    play_end(&p);
  }
}
// Programs of such products, with other memory in each run: what the copy unit is told of goes along.
static void test_boxes_again(void) {
  enum { SIDE = 64, RUNS = 8, AREA = SIDE * SIDE };
  static float x[RUNS][AREA], want[AREA], got[AREA];
  play p = play_on((nv_mock_desc){.gpu = NV_MOCK_GH100, .seed = 3});
  tiny_tensor *in[RUNS], *y;
  for (int run = 0; run < RUNS; run++) {
    for (int i = 0; i < AREA; i++) x[run][i] = (float)((i * 7 + run * 5) % 11) - 5;
    in[run] = tiny_cast(tiny_from(p.t, x[run], TINY_F32, TINY_SHAPE(SIDE, SIDE)), TINY_F16);
  }
  CHECK_EQ(tiny_realize(in, RUNS), TINY_OK);
  tiny_tensor *z[2];
  for (int i = 0; i < 2; i++) {            // several launches: x @ x, x @ x.T
    tiny_tensor *wide = tiny_cast(in[0], TINY_F32);
    z[i] = tiny_matmul(wide, i ? tiny_transpose(wide, 0, 1) : wide);
  }
  z[1] = tiny_cast(z[1], TINY_F16);        // which leaves as a box
  tiny_program *program = tiny_capture(p.t, &in[0], 1, z, 2);
  CHECK(program != NULL);
  for (int run = 0; program && run < RUNS; run++) for (int way = 0; way < 2; way++) {
    tiny_tensor *out[2] = {NULL, NULL};
    CHECK_EQ(tiny_run(program, &in[run], out), TINY_OK);
    for (int i = 0; i < SIDE; i++) for (int j = 0; j < SIDE; j++) {
      want[i * SIDE + j] = 0;
      for (int k = 0; k < SIDE; k++) want[i * SIDE + j] += x[run][i * SIDE + k] * x[run][way ? j * SIDE + k : k * SIDE + j];
    }
    y = tiny_cast(out[way], TINY_F32);
    CHECK_EQ(tiny_read(y, got, sizeof got), TINY_OK);
    CHECK(!memcmp(want, got, sizeof got));
  }
  play_well(&p);
  tiny_program_free(program);
  play_end(&p);
}
// Of a module that is a stranger's nothing is told to the copy unit but what it takes.
static void test_maps_of_strangers(void) {
  static const struct { int at; uint64_t word; } wrong[] = {
    {TN_MAP_PARAM, 2}, {TN_MAP_DTYPE, TINY_DTYPE_COUNT}, {TN_MAP_DIMS, 1}, {TN_MAP_DIMS, TN_BOX_DIMS + 1},
    {TN_MAP_DIMS, UINT64_MAX}, {TN_MAP_EXTENT, 0}, {TN_MAP_EXTENT + 1, (uint64_t)1 << 40}, {TN_MAP_STRIDE + 1, 136},
    {TN_MAP_STRIDE + 1, (uint64_t)1 << 60}, {TN_MAP_BOX, 0}, {TN_MAP_BOX + 1, TN_BOX_MOST + 1}};
  for (int i = -1; i < (int)(sizeof wrong / sizeof *wrong); i++) {
    uint64_t word[TN_PTX_MAP_WORDS] = {1, TINY_F16, 2};
    for (int d = 0; d < 2; d++) { word[TN_MAP_EXTENT + d] = 64; word[TN_MAP_BOX + d] = 64; }
    word[TN_MAP_STRIDE + 1] = 128;
    if (i >= 0) word[wrong[i].at] = wrong[i].word;
    CHECK_EQ(tn_ptx_map_is_sound(word, 2), i < 0);
  }
}
// Bytes larger than a chunk, there and back.
static void test_large(void) {
  const size_t n = (size_t)TN_NV_STAGE / sizeof(int) * 3 + 77;
  int *data = (int *)malloc(n * sizeof *data), *got = (int *)malloc(n * sizeof *got);
  for (size_t i = 0; i < n; i++) data[i] = (int)(i * 2654435761u);
  play p = play_on((nv_mock_desc){.gpu = NV_MOCK_GH100, .seed = 2});
  tiny_tensor *x = tiny_from(p.t, data, TINY_I32, TINY_SHAPE((int64_t)n));
  CHECK_EQ(tiny_read(x, got, n * sizeof *got), TINY_OK);
  CHECK(!memcmp(data, got, n * sizeof *got));
  play_end(&p);
  free(data);
  free(got);
}

// ** kernels of one's own: PTX, and a cubin of it **

static const char affine_source[] =
  ".version 7.8\n.target sm_80\n.address_size 64\n"
  ".visible .entry affine(.param .u64 out, .param .u64 in, .param .u64 by) {\n"
  "  .reg .b64 %rd<9>; .reg .b32 %r<9>;\n"
  "  ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in]; ld.param.u64 %rd3, [by];\n"
  "  cvta.to.global.u64 %rd1, %rd1; cvta.to.global.u64 %rd2, %rd2; cvta.to.global.u64 %rd3, %rd3;\n"
  "  mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.s32 %r4, %r2, %r3, %r1;\n"
  "  mul.wide.s32 %rd4, %r4, 4; add.s64 %rd5, %rd2, %rd4; add.s64 %rd6, %rd1, %rd4;\n"
  "  ld.global.u32 %r5, [%rd5]; ld.global.u32 %r6, [%rd3]; ld.global.u32 %r7, [%rd3+4];\n"
  "  mad.lo.s32 %r8, %r5, %r6, %r7; st.global.u32 [%rd6], %r8; ret;\n}\n";
enum { N = 64 };
static void test_own(void) {
  int data[N], by[2] = {3, 7}, got[N];
  for (int i = 0; i < N; i++) data[i] = i - 20;
  play p = play_on((nv_mock_desc){.gpu = NV_MOCK_AD102, .seed = 4});
  tiny_tensor *in[2] = {tiny_from(p.t, data, TINY_I32, TINY_SHAPE(N)), tiny_from(p.t, by, TINY_I32, TINY_SHAPE(2))};
  for (int binary = 0; binary < 2; binary++) {
    tiny_kernel_desc k = {.name = "affine", .inputs = in, .n = 2, .global = {2, 1, 1}, .local = {N / 2, 1, 1}};
    if (binary) { k.binary = affine_source; k.nbytes = sizeof affine_source - 1; } else k.source = affine_source;
    CHECK_EQ(tiny_read(tiny_kernel(p.t, &k), got, sizeof got), TINY_OK);
    play_well(&p);
    for (int i = 0; i < N; i++) CHECK_EQ(got[i], data[i] * 3 + 7);
  }
  tiny_kernel_desc few = {.name = "affine", .source = affine_source, .inputs = in, .n = 1, .global = {1, 1, 1},
                          .local = {N, 1, 1}};
  CHECK_EQ(tiny_read(tiny_kernel(p.t, &few), got, sizeof got), TINY_E_ARG);
  says(p.t, TINY_E_ARG, "affine has 3 parameters, but there are an output and 1 inputs");
  tiny_clear(p.t);
  tiny_kernel_desc wide = {.name = "affine", .source = affine_source, .inputs = in, .n = 2, .global = {1, 1, 1},
                           .local = {2048, 1, 1}};
  CHECK(tiny_read(tiny_kernel(p.t, &wide), got, sizeof got) != TINY_OK);
  tiny_clear(p.t);
  tiny_kernel_desc none = {.name = "nothing", .source = affine_source, .inputs = in, .n = 2, .global = {1, 1, 1},
                           .local = {N, 1, 1}};
  CHECK(tiny_read(tiny_kernel(p.t, &none), got, sizeof got) != TINY_OK);
  tiny_clear(p.t);
  tiny_kernel_desc bad = none;
  bad.source = ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry nothing() { bra nowhere; }\n";
  CHECK_EQ(tiny_read(tiny_kernel(p.t, &bad), got, sizeof got), TINY_E_COMPILE);
  tiny_clear(p.t);
  CHECK_EQ(tiny_read(in[0], got, sizeof got), TINY_OK);    // it goes on
  CHECK(!memcmp(got, data, sizeof got));
  play_end(&p);
}
// Shared memory of both kinds, local memory, a constant and a global: corpus/cubin/two.ptx.
static void meets_on(nv_mock_gpu gpu) {
  static char text[8192];
  int got[N];
  FILE *in = fopen("tests/corpus/cubin/two.ptx", "rb");
  const size_t nbytes = in ? fread(text, 1, sizeof text - 1, in) : 0;
  if (in) fclose(in);
  play p = play_on((nv_mock_desc){.gpu = gpu, .seed = 6});
  void *dev = p.t->device[0]->dev, *module = tiny_nv.load(dev, text, nbytes);
  play_well(&p);
  tn_nv_kernel *kernel = module ? (tn_nv_kernel *)tiny_nv.find(dev, module, "meets") : NULL;
  CHECK(kernel && kernel->local >= 64 + TN_NV_FRAME);
  if (kernel) {
    kernel->module->words = 0;             // the text has tiny_values, its kernels' parameters are their own
    kernel->nparam = 1;
    tn_cubin_param one = {0, 8};
    kernel->param = (tn_cubin_param *)tiny_realloc(p.t, NULL, 0, sizeof one);
    *kernel->param = one;
    tiny_mem y = {tiny_nv.alloc(dev, sizeof got), 0};
    tiny_launch l = {.kernel = kernel, .mem = &y, .nmem = 1, .global = {1, 1, 1}, .local = {N, 1, 1},
                     .local_nbytes = N * sizeof(int)};
    for (int i = 0; i < 2; i++) CHECK_EQ(tiny_nv.launch(dev, &l), TINY_OK);
    CHECK_EQ(tiny_nv.copy_out(dev, got, y, sizeof got), TINY_OK);
    for (int i = 0; i < N; i++) CHECK_EQ(got[i], 3 * i + 1 + (i & 3) + 5);
    l.local_nbytes = 228 << 10;
    CHECK_EQ(tiny_nv.launch(dev, &l), TINY_E_DEVICE);
    says(p.t, TINY_E_DEVICE, "bytes of shared memory, but a group has");
    tiny_nv.free(dev, y.base, sizeof got);
  }
  tiny_nv.unload(dev, module);
  play_end(&p);
}
static void test_meets(void) { for (int gpu = 0; gpu < NV_MOCK_GPUS; gpu++) meets_on((nv_mock_gpu)gpu); }
// A cubin of another generation, one that is cut off, one of nothing.
static void test_cubins(void) {
  static uint8_t data[16384];
  int one[4] = {1, 2, 3, 4};
  play p = play_on((nv_mock_desc){.gpu = NV_MOCK_GH100});
  FILE *in = fopen("tests/corpus/cubin/two_80.cubin", "rb");
  const size_t nbytes = in ? fread(data, 1, sizeof data, in) : 0;
  if (in) fclose(in);
  CHECK(nbytes > 1000);
  tiny_tensor *x = tiny_from(p.t, one, TINY_I32, TINY_SHAPE(4));
  const struct { size_t nbytes; tiny_code code; const char *says; } cases[] = {
    {nbytes, TINY_E_DEVICE, "a cubin is for sm_80, but the GPU is sm_90a"},
    {nbytes / 2, TINY_E_COMPILE, "a cubin is refused: its table of sections is cut off or none"},
    {16, TINY_E_COMPILE, "a cubin is refused: it is no ELF file of 64 bits"}
  };
  for (int i = 0; i < 3; i++) {
    tiny_kernel_desc k = {.name = "meets", .binary = data, .nbytes = cases[i].nbytes, .inputs = &x, .n = 1,
                          .global = {1, 1, 1}, .local = {4, 1, 1}};
    CHECK_EQ(tiny_read(tiny_kernel(p.t, &k), one, sizeof one), cases[i].code);
    says(p.t, cases[i].code, cases[i].says);
    tiny_clear(p.t);
  }
  play_end(&p);
}

// ** kernels for GPUs that are not here, and where there is no assembler **

enum { LONG = 1 << 22 };                   // summed, its parts are as many as the device's units ask for
// A captured program, and a sum that is split for the units of its device. what: 1 a read, 2 an error of its own.
static tiny_code export_build(tiny_ctx *t, void *user) {
  const int what = *(const int *)user;
  float got[ROWS * COLUMNS];
  static const float some[ROWS * INNER];
  tiny_tensor *x = tiny_from(t, some, TINY_F32, TINY_SHAPE(ROWS, INNER));
  tiny_tensor *y = tiny_softmax(tiny_matmul(x, tiny_full(t, 0.5, TINY_F32, TINY_SHAPE(INNER, COLUMNS))), -1);
  tiny_program_free(tiny_capture(t, &x, 1, &y, 1));
  y = tiny_sum(tiny_contiguous(tiny_full(t, 2, TINY_F32, TINY_SHAPE(LONG))), 0, 0);
  const tiny_code code = tiny_warm(t, &y, 1);
  if (what == 1) return tiny_read(some_values(t), got, sizeof got);
  return what == 2 ? TINY_E_STATE : code;
}
static int no_assembler(void *user, const char *ptx, int sm, void **cubin, size_t *nbytes, char *log, size_t n) {
  (void)user; (void)ptx; (void)sm; (void)cubin; (void)nbytes;
  snprintf(log, n, "there is none");
  return -1;
}
// The program on a GPU of the mock, from the file alone.
static void export_runs(nv_mock *m, const char *path) {
  tiny_nv_system system = *nv_mock_system(m);
  float data[ROWS * INNER], got[ROWS * COLUMNS];
  for (int i = 0; i < ROWS * INNER; i++) data[i] = (float)(i % 7) - 3;
  system.assemble = no_assembler;
  tiny_ctx *t = tiny_open(&(tiny_desc){.device = tiny_nv_on(&system, 0).text, .backends = {&tiny_nv}, .cache_dir = "",
                                       .threads = 1, .cache_file = path});
  tiny_tensor *x = tiny_from(t, data, TINY_F32, TINY_SHAPE(ROWS, INNER));
  tiny_tensor *y = tiny_softmax(tiny_matmul(x, tiny_full(t, 0.5, TINY_F32, TINY_SHAPE(INNER, COLUMNS))), -1);
  tiny_program *p = tiny_capture(t, &x, 1, &y, 1);
  tiny_run(p, &x, &y);
  CHECK_EQ(tiny_read(y, got, sizeof got), TINY_OK);
  for (int i = 0; i < ROWS * COLUMNS; i++) CHECK(fabs((double)got[i] - 1.0 / COLUMNS) < 1e-6);
  y = tiny_sum(tiny_contiguous(tiny_full(t, 2, TINY_F32, TINY_SHAPE(LONG))), 0, 0);
  CHECK_EQ(tiny_warm(t, &y, 1), TINY_OK);
  if (tiny_status(t)) fprintf(stderr, "    %s\n", tiny_error(t));
  CHECK(tiny_stats_of(t).shipped > 1 && !tiny_stats_of(t).compiled);
  tiny_clear(t);
  CHECK_EQ(tiny_read(tiny_sin(x), data, sizeof data), TINY_E_COMPILE);     // which the file lacks
  tiny_close(t);
}
static void test_export(void) {
  static const char path[] = "build/test_nv.kernels";
  static const struct { nv_mock_gpu gpu; const char *target; } of[] = {
    {NV_MOCK_GH100, "sm_90a"}, {NV_MOCK_A100, "sm_80"}, {NV_MOCK_GB202, "sm_120"}};
  nv_mock *m[3];
  char error[320];
  int what = 0;
  tiny_nv_export_desc e = {.path = path, .n = 1, .build = export_build, .user = &what,
                           .desc = &(tiny_desc){.cache_dir = "", .threads = 1}};
  remove(path);
  for (int i = 0; i < 3; i++) {
    m[i] = nv_mock_new(&(nv_mock_desc){.gpu = of[i].gpu});
    e.targets = &of[i].target;
    e.system = nv_mock_system(m[i]);
    CHECK_EQ(tiny_nv_export(&e, error, sizeof error), TINY_OK);
    if (*error) fprintf(stderr, "    %s\n", error);
    CHECK_EQ(nv_mock_counted(m[i]).ioctls, 0);             // no driver is asked
  }
  for (int i = 0; i < 3; i++) { export_runs(m[i], path); CHECK(!nv_mock_complaint(m[i]) && !nv_mock_leaks(m[i])); }
  static const char *const unknown[] = {"sm_12"};
  const struct { int what; const char *const *targets; tiny_code code; const char *says; } wrong[] = {
    {0, unknown, TINY_E_ARG, "nv_export: sm_12: there is no target sm_12 of NV; there are: sm_75, sm_80"},
    {1, &of[2].target, TINY_E_DEVICE, "NV:sm_120a is a GPU that is not here: kernels are compiled for it"},
    {2, &of[2].target, TINY_E_STATE, "nv_export: sm_120: build returned an error"}
  };
  for (int i = 0; i < 3; i++) {
    what = wrong[i].what;
    e.targets = wrong[i].targets;
    CHECK_EQ(tiny_nv_export(&e, error, sizeof error), wrong[i].code);
    CHECK(strstr(error, wrong[i].says) != NULL);
    if (!strstr(error, wrong[i].says)) fprintf(stderr, "    says: %s\n", error);
  }
  what = 0;
  e.path = "nowhere/at all";
  CHECK_EQ(tiny_nv_export(&e, NULL, 0), TINY_E_IO);
  e.path = NULL;
  CHECK_EQ(tiny_nv_export(&e, error, sizeof error), TINY_E_ARG);
  remove(path);
  for (int i = 0; i < 3; i++) nv_mock_free(m[i]);
}
// Where there is no assembler: the sentence names the call.
static void test_no_assembler(void) {
  tiny_limits limits;
  memset(&limits, 0, sizeof limits);
  tiny_ctx *t = open_with("INTERP", "");
  tn_nv *d = (tn_nv *)tn_nv_cross_open(t, "sm_86", &limits);
  CHECK(d && limits.compute_units == 84 && !strcmp(tn_nv_target(d), "sm_86"));
  d->assembler = (tn_nv_assembler *)tiny_realloc(t, NULL, 0, sizeof *d->assembler);
  memset(d->assembler, 0, sizeof *d->assembler);
  CHECK(!tn_nv_cross_load(d, affine_source, sizeof affine_source - 1));
  says(t, TINY_E_COMPILE, "tiny_nv_export writes them there for every GPU that is named");
  tn_nv_cross_close(d);
  for (int i = 0; i < TN_NV_USUAL; i++) {                  // each has a generation of its own kind
    const tn_nv_generation *g = tn_nv_generation_by_sm(tn_nv_usual[i].sm);
    CHECK(g->sm / 10 == tn_nv_usual[i].sm / 10 && g->sm <= tn_nv_usual[i].sm);
  }
  tiny_close(t);
}

// ** the device, called as the library calls it **

static play play_two(nv_mock_desc desc) {
  char name[128];
  play p;
  desc.ngpu = 2;
  p.m = nv_mock_new(&desc);
  snprintf(name, sizeof name, "%s,%s", tiny_nv_on(nv_mock_system(p.m), 0).text, tiny_nv_on(nv_mock_system(p.m), 1).text);
  p.t = open_with(name, "");
  return p;
}
#include "play_world.h"

// ** two GPUs of one machine, in one context **

static void deaf(void *user, uint32_t token) { (void)user; (void)token; }
static void test_pairs(void) {
  for (uint32_t i = 0; i < (uint32_t)test_rounds(test_brief(4, 12)); i++)
    pair_sequence((nv_mock_desc){.gpu = (nv_mock_gpu)(i % NV_MOCK_GPUS), .seed = i % 4 ? i : 0, .nvlink = i % 3 == 1,
                                 .branch = i % 5 == 2 ? 535 : 0}, i);
  pair_sequence((nv_mock_desc){.gpu = NV_MOCK_AD102, .seed = 7, .no_peers = 1}, 100);  // by the host
  pair_sequence((nv_mock_desc){.gpu = NV_MOCK_GH100, .seed = 3, .gvisor = 1}, 101);
}
// What is between is one copy by an engine, and waiting is the channels'.
static void test_peer_copies(void) {
  enum { MIB = 1 << 20 };
  static char data[4 * MIB], got[4 * MIB];
  for (int by_host = 0; by_host < 2; by_host++) {
    pair p;
    for (size_t i = 0; i < sizeof data; i++) data[i] = (char)(i * 7 + i / 4096);
    pair_begin(&p, (nv_mock_desc){.gpu = NV_MOCK_GH100, .no_peers = by_host}, 1);
    void *from = tiny_nv.alloc(p.dev[1], sizeof data), *to = tiny_nv.alloc(p.dev[0], sizeof data);
    tiny_nv.copy_in(p.dev[1], (tiny_mem){from, 0}, data, sizeof data);
    const nv_mock_counts a = nv_mock_counted(p.m);
    pair_wait(&p, 0, 1);
    CHECK_EQ(tiny_nv.copy_from(p.dev[0], (tiny_mem){to, 0}, p.dev[1], (tiny_mem){from, 0}, sizeof data), TINY_OK);
    const nv_mock_counts b = nv_mock_counted(p.m);
    CHECK_EQ(b.copied_nbytes - a.copied_nbytes, (by_host ? 2 : 1) * sizeof data);
    CHECK(by_host ? b.copies - a.copies > 2 : b.copies - a.copies == 1);
    CHECK_EQ(tiny_nv.copy_out(p.dev[0], got, (tiny_mem){to, 0}, sizeof got), TINY_OK);
    CHECK(!memcmp(data, got, sizeof got));
    tiny_nv.free(p.dev[0], to, sizeof data);
    tiny_nv.free(p.dev[1], from, sizeof data);
    pair_end(&p);
  }
}
// By the library: tensors that go from one to the other.
static void test_to(void) {
  nv_mock *m = nv_mock_new(&(nv_mock_desc){.gpu = NV_MOCK_A100, .ngpu = GPUS, .seed = 5});
  char name[128];
  float got[ROWS * COLUMNS];
  double most = 0;
  snprintf(name, sizeof name, "%s,%s", tiny_nv_on(nv_mock_system(m), 0).text, tiny_nv_on(nv_mock_system(m), 1).text);
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
  pair_begin(&p, (nv_mock_desc){.gpu = NV_MOCK_GH100, .seed = 2, .fault_launch = 2}, 1);
  pair_launch(&p, 1);
  pair_launch(&p, 1);                      // faults
  pair_wait(&p, 0, 1);
  pair_launch(&p, 0);
  const slot *s = &p.slot[0][0];
  CHECK_EQ(tiny_nv.copy_out(p.dev[0], got, (tiny_mem){s->mem, 0}, sizeof got), TINY_OK);
  CHECK(!memcmp(got, s->want, sizeof got));
  CHECK_EQ(tiny_nv.copy_out(p.dev[1], got, (tiny_mem){p.slot[1][0].mem, 0}, sizeof got), TINY_E_DEVICE);
  says(p.t, TINY_E_DEVICE, "the device is lost");
  tiny_clear(p.t);
  pair_end(&p);
}
// Its memory goes back to the driver while the other has it mapped.
static void test_peer_memory(void) {
  enum { NBYTES = 40 << 20 };
  pair p;
  pair_begin(&p, (nv_mock_desc){.gpu = NV_MOCK_A100, .vram_nbytes = 128 << 20}, 4);
  void *to = tiny_nv.alloc(p.dev[0], BYTES);
  for (int i = 0; i < 4; i++) {
    void *from = tiny_nv.alloc(p.dev[1], (size_t)NBYTES + ((size_t)i << 21));
    CHECK(from != NULL);
    if (!from) break;
    tiny_nv.copy_in(p.dev[1], (tiny_mem){from, 0}, p.slot[1][i].want, BYTES);
    pair_wait(&p, 0, 1);
    CHECK_EQ(tiny_nv.copy_from(p.dev[0], (tiny_mem){to, 0}, p.dev[1], (tiny_mem){from, 0}, BYTES), TINY_OK);
    pair_wait(&p, 1, 0);
    tiny_nv.free(p.dev[1], from, (size_t)NBYTES + ((size_t)i << 21));
    int got[N];
    CHECK_EQ(tiny_nv.copy_out(p.dev[0], got, (tiny_mem){to, 0}, sizeof got), TINY_OK);
    CHECK(!memcmp(got, p.slot[1][i].want, sizeof got));
  }
  tiny_nv.free(p.dev[0], to, BYTES);
  pair_end(&p);
}
// Two contexts on two GPUs, or on one: the channels of one wait for the other's semaphore.
static void waits_between(nv_mock_desc desc, int number, int by_channels) {
  nv_mock *m = nv_mock_new(&desc);
  tiny_ctx *t[2] = {open_with(tiny_nv_on(nv_mock_system(m), 0).text, ""),
                    open_with(tiny_nv_on(nv_mock_system(m), number).text, "")};
  char data[4096] = {1}, got[4096];
  void *dev[2] = {t[0]->device[0]->dev, t[1]->device[0]->dev}, *mem[2];
  for (int i = 0; i < 2; i++) mem[i] = tiny_nv.alloc(dev[i], sizeof data);
  tn_nv *first = (tn_nv *)dev[0];
  void (*const rings)(void *, uint32_t) = first->rm.sys.doorbell;
  first->rm.sys.doorbell = deaf;                           // it does not happen yet
  tiny_nv.copy_in(dev[0], (tiny_mem){mem[0], 0}, data, sizeof data);
  void *event = tiny_nv.event(dev[0]);
  const long before = nv_mock_counted(m).acquires;
  CHECK_EQ(tiny_nv.wait(dev[1], event), TINY_OK);
  tiny_nv.copy_in(dev[1], (tiny_mem){mem[1], 0}, data, sizeof data);
  tn_nv *second = (tn_nv *)dev[1];
  if (by_channels) {
    CHECK(nv_mock_counted(m).acquires > before);
    CHECK(tn_nv_done(&second->channel[TN_NV_IN]) < second->channel[TN_NV_IN].given);
  }
  first->rm.sys.doorbell = rings;
  tn_nv_ring_bell(first, &first->channel[TN_NV_IN]);
  CHECK_EQ(tiny_nv.copy_out(dev[1], got, (tiny_mem){mem[1], 0}, sizeof got), TINY_OK);
  CHECK(!memcmp(data, got, sizeof got));
  CHECK_EQ(tiny_nv.sync(dev[0]), TINY_OK);
  tiny_nv.event_free(dev[0], event);
  for (int i = 0; i < 2; i++) {
    tiny_nv.free(dev[i], mem[i], sizeof data);
    CHECK_EQ(tiny_status(t[i]), TINY_OK);
    tiny_close(t[i]);
  }
  CHECK(!nv_mock_complaint(m) && !nv_mock_leaks(m));
  if (nv_mock_complaint(m)) fprintf(stderr, "    %s\n", nv_mock_complaint(m));
  nv_mock_free(m);
}
static void test_waits(void) {
  for (int number = 0; number < 2; number++)
    waits_between((nv_mock_desc){.gpu = NV_MOCK_GB202, .ngpu = 2, .no_peers = number}, number, 1);
}
// ** memory by a file **

// x over mem, added to in place.
static void add_in_place(tiny_ctx *t, void *mem, double what) {
  tiny_tensor *x = tiny_blob_of(t, mem, TINY_F32, TINY_SHAPE(N));
  tiny_assign(x, tiny_add_scalar(x, what));
  CHECK_EQ(tiny_realize(&x, 1), TINY_OK);
  CHECK_EQ(tiny_sync(t), TINY_OK);
  tiny_free(x);
}
static void test_shared(void) {
  nv_mock *m = nv_mock_new(&(nv_mock_desc){.gpu = NV_MOCK_GH100, .seed = 3});
  const tiny_nv_system *system = nv_mock_system(m);
  tiny_ctx *t[2] = {open_with(tiny_nv_on(system, 0).text, ""), open_with(tiny_nv_on(system, 0).text, "")};
  void *dev[2] = {tiny_device_handle(t[0], 0), tiny_device_handle(t[1], 0)};
  CHECK(dev[0] == t[0]->device[0]->dev && !tiny_device_handle(t[0], 1) && !tiny_device_handle(NULL, 0));
  float got[N];
  int fd = -1;
  uint8_t *bytes;
  void *own = tiny_nv_share(dev[0], sizeof got, &fd), *theirs = tiny_nv_import(dev[1], fd, sizeof got);
  CHECK(own && theirs && fd >= 0);
  CHECK_EQ(system->close(system->user, fd), 0);
  add_in_place(t[0], own, 1);
  add_in_place(t[1], theirs, 2);
  CHECK_EQ(tiny_read(tiny_blob_of(t[0], own, TINY_F32, TINY_SHAPE(N)), got, sizeof got), TINY_OK);
  for (int i = 0; i < N; i++) CHECK(got[i] == 3);
  const int buf = nv_mock_dmabuf(m, 8192, &bytes);         // of another driver
  memset(bytes, 0, 8192);
  void *host = tiny_nv_import(dev[0], buf, 5000);
  CHECK(host != NULL);
  add_in_place(t[0], host, 5);
  (void)nv_mock_counted(m);                // takes the lock that what plays the GPU wrote them under
  CHECK(((float *)(void *)bytes)[N - 1] == 5 && ((float *)(void *)bytes)[N] == 0);
  CHECK(!tiny_nv_import(dev[0], buf, 9000));               // more than it has
  says(t[0], TINY_E_DEVICE, "neither as NVIDIA's (IMPORT_OBJECT_FROM_FD: the driver says INVALID_ARGUMENT");
  tiny_clear(t[0]);
  CHECK(!tiny_nv_import(dev[0], 7, 64));
  says(t[0], TINY_E_DEVICE, "nv_import: the driver takes file 7 neither");
  tiny_clear(t[0]);
  CHECK(!tiny_nv_import(dev[0], -1, 64) && tiny_status(t[0]) == TINY_E_ARG);
  tiny_clear(t[0]);
  CHECK(!tiny_nv_share(dev[0], 0, &fd) && fd == -1 && tiny_status(t[0]) == TINY_E_ARG);
  tiny_clear(t[0]);
  CHECK_EQ(system->close(system->user, buf), 0);
  tiny_nv_release(dev[0], host);
  tiny_nv_release(dev[0], NULL);
  tiny_nv_release(dev[0], own);                            // theirs stays, and goes with its context
  add_in_place(t[1], theirs, 1);
  for (int i = 0; i < 2; i++) tiny_close(t[i]);
  CHECK(!nv_mock_complaint(m) && !nv_mock_leaks(m));
  if (nv_mock_complaint(m)) fprintf(stderr, "    %s\n", nv_mock_complaint(m));
  nv_mock_free(m);
  play p = play_on((nv_mock_desc){.gpu = NV_MOCK_A100, .no_export = 1});
  CHECK(!tiny_nv_share(tiny_device_handle(p.t, 0), 64, &fd) && fd == -1);
  says(p.t, TINY_E_DEVICE, "memory as a file (EXPORT_OBJECT_TO_FD): the driver says NOT_SUPPORTED");
  tiny_clear(p.t);
  play_end(&p);
}
static int shared_fails(long n, long memory) {
  memory_count count = {0};
  nv_mock *m = nv_mock_new(&(nv_mock_desc){.gpu = NV_MOCK_GB100, .fail_ioctl = n});
  const tiny_nv_system *system = nv_mock_system(m);
  const tiny_nv_name name = tiny_nv_on(system, 0);
  int fd = -1;
  uint8_t *bytes;
  count.fail_at = memory;
  tiny_ctx *t = tiny_open(&(tiny_desc){.device = name.text, .backends = {&tiny_nv}, .cache_dir = "", .threads = 1,
                                       .alloc = {memory_fn, &count}});
  void *dev = tiny_device_handle(t, 0), *own = dev ? tiny_nv_share(dev, 100, &fd) : NULL;
  const int buf = nv_mock_dmabuf(m, 8192, &bytes);
  void *two = own ? tiny_nv_import(dev, fd, 100) : NULL, *host = two ? tiny_nv_import(dev, buf, 100) : NULL;
  CHECK(host || !t || tiny_error(t)[0]);
  if (fd >= 0) system->close(system->user, fd);
  system->close(system->user, buf);
  tiny_close(t);
  CHECK(!count.live && !count.wrong && !nv_mock_leaks(m));
  nv_mock_free(m);
  return host != NULL;
}
static void test_shared_fails(void) {
  CHECK(shared_fails(0, 0));
  int failed = 0;
  for (long n = 1; n < 150; n += n < 80 ? test_brief(23, 6) : test_brief(3, 1)) failed += !shared_fails(n, 0);
  CHECK(failed > 4);
  for (long n = 1, good = 0; n < 500 && !good; n += n < 40 ? 7 : test_brief(3, 1)) good = shared_fails(0, n);
}
static long pair_fails(long n) {
  char name[128];
  float got[ROWS * COLUMNS];
  nv_mock *m = nv_mock_new(&(nv_mock_desc){.gpu = NV_MOCK_GH100, .ngpu = GPUS, .fail_ioctl = n});
  snprintf(name, sizeof name, "%s,%s", tiny_nv_on(nv_mock_system(m), 0).text, tiny_nv_on(nv_mock_system(m), 1).text);
  tiny_ctx *t = open_with(name, "");
  const tiny_code code = tiny_status(t) ? tiny_status(t) : tiny_read(tiny_to(some_values(t), 1), got, sizeof got);
  CHECK(code == TINY_OK || tiny_error(t)[0]);
  tiny_close(t);
  CHECK_EQ(nv_mock_leaks(m), 0);
  const long all = nv_mock_counted(m).ioctls;
  nv_mock_free(m);
  return all;
}
// Each ioctl of the second half, which is the second GPU's and what both do together.
static void test_pair_fails(void) {
  const long all = pair_fails(0);
  for (long n = all / 2; n <= all; n += test_brief(17, 4)) pair_fails(n);
}

// The same launches again and again become a list; its parameters change, and of the driver nothing is asked.
static void test_lists(void) {
  enum { KERNELS = 40, TIMES = 24 };
  world w;
  world_begin(&w, (nv_mock_desc){.gpu = NV_MOCK_GH100, .seed = 9}, 9);
  tiny_launch l[KERNELS];
  tiny_mem mem[KERNELS][3];
  nv_mock_counts before = {0};
  memset(l, 0, sizeof l);
  for (int turn = 0; turn < TIMES; turn++) {
    if (turn == 8) { CHECK_EQ(tiny_nv.sync(w.dev), TINY_OK); before = nv_mock_counted(w.p.m); }
    for (int i = 0; i < KERNELS; i++) {
      slot *const to = &w.slot[(i + (turn & 4)) % SLOTS], *const from = &w.slot[(i * 3 + 1) % SLOTS],
           *const by = &w.by[i % 4];
      mem[i][0] = (tiny_mem){to->mem, 0}; mem[i][1] = (tiny_mem){from->mem, 0}; mem[i][2] = (tiny_mem){by->mem, 0};
      l[i] = (tiny_launch){.kernel = w.kernel, .mem = mem[i], .nmem = 3, .global = {2, 1, 1}, .local = {N / 2, 1, 1}};
      slot_affine(to, from, by);
    }
    CHECK_EQ(tiny_nv.submit(w.dev, l, KERNELS), TINY_OK);
    if (turn % 5 == 4) slot_read(&w, &w.slot[turn % SLOTS]);
  }
  CHECK_EQ(tiny_nv.sync(w.dev), TINY_OK);
  const nv_mock_counts after = nv_mock_counted(w.p.m);
  CHECK_EQ(after.ioctls, before.ioctls);
  CHECK_EQ(after.launches - before.launches, (TIMES - 8) * KERNELS);
  world_end(&w);
}
// A host that is far ahead: the GPU does nothing before it is waited for, which is when the bell is rung without
// anything new. No entry and no word is written over before it was read.
static struct { tn_nv *d; void (*rings)(void *, uint32_t); uint64_t given; } ahead;
static void hears_waits(void *user, uint32_t token) {
  uint64_t given = 0;
  (void)token;
  for (int i = 0; i < TN_NV_CHANNELS; i++) given += ahead.d->channel[i].given;
  for (int i = 0; i < TN_NV_CHANNELS && given == ahead.given; i++) {
    *(volatile uint32_t *)(ahead.d->bell + TN_NV_DOORBELL) = ahead.d->channel[i].token;
    ahead.rings(user, ahead.d->channel[i].token);
  }
  ahead.given = given;
}
static void submits_ahead(int kernels, int times) {
  world w;
  world_begin(&w, (nv_mock_desc){.gpu = NV_MOCK_GH100}, 9);
  tiny_launch l[2];
  tiny_mem mem[2][3];
  int by = 0;                              // whose product by an odd number forgets nothing
  while (by < 3 && w.by[by].want[0] % 2 == 0) by++;
  CHECK(w.by[by].want[0] % 2);
  ahead.d = (tn_nv *)w.dev; ahead.rings = ahead.d->rm.sys.doorbell; ahead.given = 0;
  ahead.d->rm.sys.doorbell = hears_waits;
  memset(l, 0, sizeof l);
  for (int turn = 0; turn < times; turn++) {
    for (int i = 0; i < kernels; i++) {
      mem[i][0] = (tiny_mem){w.slot[i].mem, 0}; mem[i][1] = (tiny_mem){w.slot[!i].mem, 0};
      mem[i][2] = (tiny_mem){w.by[by].mem, 0};
      l[i] = (tiny_launch){.kernel = w.kernel, .mem = mem[i], .nmem = 3, .global = {2, 1, 1}, .local = {N / 2, 1, 1}};
      slot_affine(&w.slot[i], &w.slot[!i], &w.by[by]);
    }
    CHECK_EQ(tiny_nv.submit(w.dev, l, kernels), TINY_OK);
  }
  for (int i = 0; i < 2; i++) slot_read(&w, &w.slot[i]);
  world_end(&w);
}
static void test_ahead(void) {
  submits_ahead(2, 1500);                  // as a list
  submits_ahead(1, 4000);
}
// What it would save if each descriptor of a list named the next (DEPENDENT_QMD0), which hardware has not shown yet to
// be right here: the first alone is sent, and no word of the pushbuffer waits between kernels.
static uint64_t chain_submit(world *w, tiny_launch *l, int n) {
  const nv_mock_counts a = nv_mock_counted(w->p.m);
  CHECK_EQ(tiny_nv.submit(w->dev, l, n), TINY_OK);
  CHECK_EQ(tiny_nv.sync(w->dev), TINY_OK);
  for (int i = 0; i < n; i++) slot_affine(&w->slot[i % SLOTS], &w->slot[(i * 3 + 1) % SLOTS], &w->by[i % 4]);
  const nv_mock_counts b = nv_mock_counted(w->p.m);
  CHECK_EQ(b.launches - a.launches, n);
  return b.push_nbytes - a.push_nbytes;
}
static void chain_list(tn_nv *d, const tn_prepared_graph *g, tn_prepared_list *list) {
  const tn_qmd_version v = d->generation->qmd;
  char *const words = list->cpu + g->nbytes;
  tn_nv_channel c;
  memset(&c, 0, sizeof c);
  for (int i = 0; i + 1 < g->n; i++) {
    uint32_t *const q = (uint32_t *)(void *)(list->cpu + g->step[i].at);
    tn_qmd_set(q, v, TN_QMD_DEPENDENT_QMD0_ENABLE, 1);
    tn_qmd_set(q, v, TN_QMD_DEPENDENT_QMD0_ACTION, 1);     // QMD_SCHEDULE
    tn_qmd_set(q, v, TN_QMD_DEPENDENT_QMD0_POINTER, list->va + g->step[i + 1].at);
  }
  c.at = (uint32_t *)(void *)words;
  tn_nv_send(d, &c, list->va + g->step[0].at);
  list->nwords = (size_t)((char *)c.at - words) / sizeof(uint32_t);
}
static void chain_on(nv_mock_gpu gpu) {
  enum { KERNELS = 40 };
  world w;
  tiny_launch l[KERNELS];
  tiny_mem mem[KERNELS][3];
  uint64_t sent = 0;
  world_begin(&w, (nv_mock_desc){.gpu = gpu, .seed = 6}, 6);
  for (int i = 0; i < KERNELS; i++) {
    const slot *of[3] = {&w.slot[i % SLOTS], &w.slot[(i * 3 + 1) % SLOTS], &w.by[i % 4]};
    for (int k = 0; k < 3; k++) mem[i][k] = (tiny_mem){of[k]->mem, 0};
    l[i] = (tiny_launch){.kernel = w.kernel, .mem = mem[i], .nmem = 3, .global = {2, 1, 1}, .local = {N / 2, 1, 1}};
  }
  for (int turn = 0; turn < 3; turn++) sent = chain_submit(&w, l, KERNELS);
  tn_nv *d = (tn_nv *)w.dev;
  tn_prepared_graph *g = d->prepared.graph[0];
  for (int i = 1; i < TN_PREPARED_GRAPHS && !g; i++) g = d->prepared.graph[i];
  CHECK(g && g->n == KERNELS && g->list[0].memory);
  chain_list(d, g, &g->list[0]);
  const uint64_t chained = chain_submit(&w, l, KERNELS);
  if (getenv("TEST_TIMES"))
    printf("%d launches: %d bytes of pushbuffer as a list, %d chained\n", (int)KERNELS, (int)sent, (int)chained);
  CHECK_EQ(sent - chained, (KERNELS - 1) * 24);
  world_end(&w);
}
static void test_chain(void) { chain_on(NV_MOCK_A100); chain_on(NV_MOCK_GH100); chain_on(NV_MOCK_GB202); }
// TEST_TIMES=1: what 200 launches take of the host, beside a GPU that does nothing, and of the pushbuffer. Best of 200.
static int run_none(void *user, const char *text, const ptx_launch *l, char *error, size_t n) {
  (void)user; (void)text; (void)l; (void)error; (void)n;
  return 0;
}
static void unheard(void *user, uint32_t token) { (void)user; (void)token; }
static uint64_t time_of(world *w, tiny_launch *l, int n, int together) {
  const uint64_t from = tn_driver_clock_ns();
  tn_nv *d = (tn_nv *)w->dev;
  if (together) tiny_nv.submit(d, l, n);
  else for (int i = 0; i < n; i++) { tiny_nv.launch(d, &l[i]); *d->channel[0].done = d->channel[0].given; }
  const uint64_t took = tn_driver_clock_ns() - from;
  *d->channel[0].done = d->channel[0].given;
  return took;
}
static void host_times(void) {
  enum { KERNELS = 200, TIMES = 200 };
  static tiny_launch l[KERNELS];
  static tiny_mem mem[KERNELS][3];
  uint64_t best[3] = {UINT64_MAX, UINT64_MAX, UINT64_MAX};
  world w;
  world_begin(&w, (nv_mock_desc){.gpu = NV_MOCK_GH100, .run = run_none}, 1);
  tn_nv *d = (tn_nv *)w.dev;
  for (int i = 0; i < KERNELS; i++) {
    for (int k = 0; k < 3; k++) mem[i][k] = (tiny_mem){w.slot[(i + k) % SLOTS].mem, 0};
    l[i] = (tiny_launch){.kernel = w.kernel, .mem = mem[i], .nmem = 3, .global = {2, 1, 1}, .local = {N / 2, 1, 1}};
  }
  for (int i = 0; i < 4; i++) { tiny_nv.submit(d, l, KERNELS); tiny_nv.sync(d); }
  const nv_mock_counts a = nv_mock_counted(w.p.m);
  tiny_nv.submit(d, l, KERNELS);
  tiny_nv.sync(d);
  const nv_mock_counts b = nv_mock_counted(w.p.m);
  d->rm.sys.doorbell = unheard;
  for (int i = 0; i < TIMES; i++) for (int way = 0; way < 3; way++) {
    if (way == 1) for (int k = 0; k < KERNELS; k++) mem[k][0].offset = (size_t)(i & 15) * 4;
    const uint64_t took = time_of(&w, l, KERNELS, way < 2);
    if (took < best[way]) best[way] = took;
  }
  printf("%d launches: ns of the host for each %.1f as a list, %.1f with a parameter of each changed, %.1f one by one; "
         "%.1f bytes of pushbuffer\n", (int)KERNELS, (double)best[0] / KERNELS, (double)best[1] / KERNELS,
         (double)best[2] / KERNELS, (double)(b.push_nbytes - a.push_nbytes) / KERNELS);
  tiny_close(w.p.t);
  nv_mock_free(w.p.m);
}
// Begin and end of each launch, by the GPU's clock, in order.
static void test_times(void) {
  world w;
  uint64_t stamp[3][2] = {{0, 0}, {0, 0}, {0, 0}};
  world_begin(&w, (nv_mock_desc){.gpu = NV_MOCK_A100, .seed = 3}, 3);
  tiny_mem mem[3] = {{w.slot[0].mem, 0}, {w.slot[1].mem, 0}, {w.by[0].mem, 0}};
  for (int i = 0; i < 3; i++) {
    tiny_launch l = {.kernel = w.kernel, .mem = mem, .nmem = 3, .global = {2, 1, 1}, .local = {N / 2, 1, 1},
                     .stamp = stamp[i]};
    CHECK_EQ(tiny_nv.launch(w.dev, &l), TINY_OK);
  }
  CHECK_EQ(tiny_nv.sync(w.dev), TINY_OK);
  for (int i = 0; i < 3; i++) {
    CHECK(stamp[i][0] && stamp[i][0] <= stamp[i][1]);
    CHECK(!i || stamp[i - 1][1] <= stamp[i][0]);
  }
  slot_affine(&w.slot[0], &w.slot[1], &w.by[0]);
  world_end(&w);
}

// ** what is refused **

static void refused_play(nv_mock_desc desc, tiny_code code, const char *text) {
  play p = play_on(desc);
  says(p.t, code, text);
  play_end(&p);
}
static void test_refused(void) {
  refused_play((nv_mock_desc){.gpu = NV_MOCK_GH100, .absent = 1}, TINY_E_DEVICE, "there is no NVIDIA driver here");
  refused_play((nv_mock_desc){.gpu = NV_MOCK_GH100, .denied = 1}, TINY_E_DEVICE, "/dev/nvidia0: errno 13: you may not");
  refused_play((nv_mock_desc){.gpu = NV_MOCK_GH100, .no_uvm = 1}, TINY_E_DEVICE, "the module nvidia-uvm is not loaded");
  refused_play((nv_mock_desc){.gpu = NV_MOCK_A100, .mig = 1}, TINY_E_DEVICE, "the GPU is partitioned (MIG)");
  refused_play((nv_mock_desc){.gpu = NV_MOCK_A100, .exclusive = 1}, TINY_E_DEVICE, "exclusive mode");
  refused_play((nv_mock_desc){.gpu = NV_MOCK_GH100, .lost_at = 12}, TINY_E_DEVICE, "NV: ");
  nv_mock *m = nv_mock_new(&(nv_mock_desc){.gpu = NV_MOCK_GB202});
  tiny_ctx *t = open_with(tiny_nv_on(nv_mock_system(m), 7).text, "");
  says(t, TINY_E_DEVICE, "there is no GPU of this number; there are 1, counted from 0");
  tiny_close(t);
  tiny_nv_gpu gpu;
  CHECK_EQ(tiny_nv_gpus(nv_mock_system(m), &gpu, 1), 1);
  CHECK(!gpu.error[0] && gpu.name[0] && !strcmp(gpu.target, "sm_120a") && gpu.compute == 0xCEC0 && gpu.processors > 0);
  CHECK(!strncmp(gpu.uuid, "GPU-", 4) && strlen(gpu.uuid) == 40);
  CHECK(!nv_mock_complaint(m) && !nv_mock_leaks(m));
  nv_mock_free(m);
}
static void test_memory(void) {
  play p = play_on((nv_mock_desc){.gpu = NV_MOCK_GH100, .vram_nbytes = 64 << 20});
  tiny_tensor *x = tiny_contiguous(tiny_full(p.t, 1, TINY_F32, TINY_SHAPE(64 << 20)));
  CHECK_EQ(tiny_realize(&x, 1), TINY_E_MEMORY);
  tiny_clear(p.t);
  float got[16];
  CHECK_EQ(tiny_read(tiny_contiguous(tiny_full(p.t, 2, TINY_F32, TINY_SHAPE(16))), got, sizeof got), TINY_OK);
  CHECK(got[15] == 2);                     // it goes on
  play_end(&p);
}
// A kernel that faults: each call says so, another context on the same GPU goes on.
static void test_fault(void) {
  float got[ROWS * COLUMNS];
  play p = play_on((nv_mock_desc){.gpu = NV_MOCK_GH100, .fault_launch = 2});
  for (int i = 0; i < 2; i++) {
    CHECK_EQ(tiny_read(some_values(p.t), got, sizeof got), TINY_E_DEVICE);
    says(p.t, TINY_E_DEVICE, "NV: the device is lost: ");
    tiny_clear(p.t);
  }
  CHECK_EQ(tiny_read(some_values(p.t), got, sizeof got), TINY_E_DEVICE);
  says(p.t, TINY_E_DEVICE, "(Xid 13)");
  tiny_ctx *t = open_with(tiny_nv_on(nv_mock_system(p.m), 0).text, "");
  CHECK_EQ(tiny_read(some_values(t), got, sizeof got), TINY_OK);
  tiny_close(t);
  play_end(&p);
}
// Nothing happens any more: what is rung is not heard.
static void test_endless(void) {
  float got[ROWS * COLUMNS];
  setenv("TINY_NV_TIMEOUT_MS", "60", 1);
  nv_mock *m = nv_mock_new(&(nv_mock_desc){.gpu = NV_MOCK_GH100});
  tiny_nv_system system = *nv_mock_system(m);
  tiny_ctx *t = open_with(tiny_nv_on(&system, 0).text, "");
  CHECK_EQ(tiny_status(t), TINY_OK);
  tn_nv *d = (tn_nv *)t->device[0]->dev;
  d->rm.sys.doorbell = deaf;
  CHECK_EQ(tiny_read(some_values(t), got, sizeof got), TINY_E_DEVICE);
  says(t, TINY_E_DEVICE, "a kernel may never end (TINY_NV_TIMEOUT_MS)");
  tiny_close(t);
  nv_mock_free(m);
  unsetenv("TINY_NV_TIMEOUT_MS");
}

// ** each ioctl fails, each allocation fails: a code and a sentence, and nothing is left **

static int fails_at(long n, long *all) {
  float got[ROWS * COLUMNS];
  play p = play_on((nv_mock_desc){.gpu = NV_MOCK_GH100, .fail_ioctl = n});
  const tiny_code code = tiny_status(p.t) ? tiny_status(p.t) : tiny_read(some_values(p.t), got, sizeof got);
  CHECK(code == TINY_OK || tiny_error(p.t)[0]);
  tiny_close(p.t);
  *all = nv_mock_counted(p.m).ioctls;
  CHECK(n || code == TINY_OK);
  nv_mock_free(p.m);
  return code != TINY_OK;
}
// The first asks for the release, which there is another way to ask for: sizes are those of this one all the same.
static void test_release_asked_twice(void) {
  static const int branches[] = {535, 550, 580, 610};
  float got[ROWS * COLUMNS];
  for (int i = 0; i < 4; i++) {
    play p = play_on((nv_mock_desc){.gpu = NV_MOCK_GH100, .branch = branches[i], .fail_ioctl = 1});
    CHECK_EQ(tiny_status(p.t), TINY_OK);
    CHECK_EQ(tiny_read(some_values(p.t), got, sizeof got), TINY_OK);
    tiny_close(p.t);
    CHECK_EQ(nv_mock_leaks(p.m), 0);
    nv_mock_free(p.m);
  }
}
static void test_fails(void) {
  long all = 0, now;
  int failed = 0;
  fails_at(0, &all);
  CHECK(all > 100);
  for (long n = 1; n <= all; n += test_brief(9, 1)) failed += fails_at(n, &now);
  CHECK(failed > (int)all / test_brief(30, 3));
}
static long memory_fails(long n, int *done) {
  memory_count count = {0};
  float got[ROWS * COLUMNS];
  nv_mock *m = nv_mock_new(&(nv_mock_desc){.gpu = NV_MOCK_GB100});
  const tiny_nv_name name = tiny_nv_on(nv_mock_system(m), 0);
  count.fail_at = n;
  tiny_ctx *t = tiny_open(&(tiny_desc){.device = name.text, .backends = {&tiny_nv}, .cache_dir = "", .threads = 1,
                                       .alloc = {memory_fn, &count}});
  const tiny_code code = t && !tiny_status(t) ? tiny_read(some_values(t), got, sizeof got) : TINY_E_MEMORY;
  *done = code == TINY_OK;
  CHECK(code == TINY_OK || code == TINY_E_MEMORY || code == TINY_E_COMPILE || code == TINY_E_DEVICE);
  tiny_close(t);
  CHECK(!count.live && !count.wrong);
  CHECK(!nv_mock_complaint(m) && !nv_mock_leaks(m));
  if (test_shown()) fprintf(stderr, "    %ld: %s\n", n, nv_mock_complaint(m) ? nv_mock_complaint(m) : "leaks");
  nv_mock_free(m);
  return count.calls;
}
static void test_refused_memory(void) {
  int done = 0;
  const long all = memory_fails(0, &done), few = test_brief(12, 60);
  CHECK(done);
  for (long n = 1; n <= all; n += n < few ? 1 : 1 + all / few) memory_fails(n, &done);
}

// ** two contexts, each on a thread of its own **

static void *on_thread(void *result) {
  float got[ROWS * COLUMNS];
  nv_mock *m = nv_mock_new(&(nv_mock_desc){.gpu = NV_MOCK_GH100, .seed = 1});
  tiny_ctx *t = open_with(tiny_nv_on(nv_mock_system(m), 0).text, "");
  *(int *)result = tiny_read(some_values(t), got, sizeof got) == TINY_OK;
  tiny_close(t);
  *(int *)result += !nv_mock_complaint(m) && !nv_mock_leaks(m);
  nv_mock_free(m);
  return NULL;
}
static void test_threads(void) {
  pthread_t thread[2];
  int result[2] = {0, 0};
  for (int i = 0; i < 2; i++) pthread_create(&thread[i], NULL, on_thread, &result[i]);
  for (int i = 0; i < 2; i++) { pthread_join(thread[i], NULL); CHECK_EQ(result[i], 2); }
}

static void test_played(void) {
  if (getenv("TEST_TIMES")) { host_times(); test_chain(); return; }
  test_boxes();
  test_boxes_again();
  test_maps_of_strangers();
  test_values();
  test_large();
  test_own();
  test_meets();
  test_cubins();
  test_export();
  test_no_assembler();
  test_order();
  test_pairs();
  test_peer_copies();
  test_to();
  test_peer_lost();
  test_peer_memory();
  test_waits();
  test_shared();
  test_shared_fails();
  test_pair_fails();
  test_lists();
  test_ahead();
  test_chain();
  test_times();
  test_refused();
  test_memory();
  test_fault();
  test_endless();
  test_release_asked_twice();
  test_fails();
  test_refused_memory();
  test_threads();
}
#endif
