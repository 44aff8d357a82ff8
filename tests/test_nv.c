// brief: plain asan tsan
// also: tsan
// test_nv: tiny_nv.h on a driver and GPU that are strict and late (tests/nv_mock.h), which run the PTX of the renderer
// on a machine for it (tests/ptx_machine.h): values on every GPU and release, orders beside a model that does all at
// once, prepared lists, kernels of one's own, and every refusal. Without those files: what is said where there is no
// driver.
//
// TEST_ROUNDS=n: random sequences instead of the usual. TEST_FROM=s: start there. TEST_TIMES=1: what launches take.
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif
#include "../src/all.c"
#define TEST_COMPANION "../src/nv/all.c"
#include "companion.h"
#include "test.h"
#include "memory_test.h"
#include <math.h>
#include <pthread.h>

static tiny_ctx *open_with(const char *device, const char *debug) {
  return tiny_open(
      &(tiny_desc){.device = device, .backends = {&tiny_nv}, .cache_dir = "", .debug = debug, .threads = 1});
}
static void says(tiny_ctx *t, tiny_code code, const char *text) {
  CHECK_EQ(tiny_status(t), code);
  CHECK(strstr(tiny_error(t), text) != NULL);
  if (!strstr(tiny_error(t), text)) fprintf(stderr, "    says: %s\n    wanted: %s\n", tiny_error(t), text);
}

// ** a system that answers as one without the driver does **

typedef struct none { int open, ioctl; } none;             // errno
static int none_open(void *user, const char *path, int flags) {
  (void)path; (void)flags;
  const none *n = (const none *)user;
  return n->open ? -n->open : 100;
}
static int none_close(void *user, int fd) { (void)user; (void)fd; return 0; }
static int none_ioctl(void *user, int fd, unsigned long request, void *argument) {
  (void)fd; (void)request; (void)argument;
  return -((const none *)user)->ioctl;
}
static void refused_by(int open, int ioctl, const char *text) {
  none n = {open, ioctl};
  tiny_nv_gpu gpu;
  const tiny_nv_system system = {.user = &n, .open = none_open, .close = none_close, .ioctl = none_ioctl};
  tiny_ctx *t = open_with(tiny_nv_on(&system, 0).text, "");
  says(t, TINY_E_DEVICE, text);
  tiny_close(t);
  CHECK_EQ(tiny_nv_gpus(&system, &gpu, 1), 0);
  CHECK(strstr(gpu.error, text) != NULL);
  CHECK_EQ(tiny_nv_gpus(&system, NULL, 0), 0);
}
static void test_no_driver(void) {
  tiny_nv_gpu gpus[8];
  refused_by(2, 0, "there is no NVIDIA driver here: /dev/nvidiactl: errno 2");
  refused_by(13, 0, "/dev/nvidiactl: errno 13: you may not open it (EACCES)");
  refused_by(24, 0, "errno 24: too many open files");
  refused_by(0, 25, "a client of the driver (NV01_ROOT_CLIENT): errno 25: it is no device of this driver");
  refused_by(0, 22, "errno 22: the driver does not take it (EINVAL)");
  CHECK_STR(tiny_nv_on(NULL, 3).text, "NV:3");
  const int n = tiny_nv_gpus(NULL, gpus, 8);               // of this machine
  CHECK(n >= 0 && (n > 0 || gpus[0].error[0]));
  if (n) return;
  tiny_ctx *t = open_with("NV", "");
  says(t, TINY_E_DEVICE, "NV: ");
  tiny_close(t);
  t = tiny_open(&(tiny_desc){.backends = {&tiny_nv}, .cache_dir = ""});    // the CPU goes on
  CHECK(tiny_status(t) == TINY_OK && !strcmp(tiny_device_name(t, 0), "CPU"));
  tiny_close(t);
  t = open_with("NV:one", "");
  says(t, TINY_E_DEVICE, "devices are numbers");
  tiny_close(t);
}

// ** releases: sizes of what the driver is asked **

static void test_branches(void) {
  static const struct { int major, from; } known[] = {{525, 535}, {535, 535}, {549, 545}, {565, 560}, {580, 580},
                                                      {594, 590}, {610, 610}, {999, 610}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    CHECK_EQ(tn_nv_branch_of(known[i].major)->from, known[i].from);
  for (int i = 0; i < TN_NV_GENERATIONS; i++) {
    const tn_nv_generation *g = &tn_nv_generations[i];
    const uint32_t list[] = {0x1234, g->compute, g->fifo[0], g->copy[0], g->doorbell[1]};
    CHECK(tn_nv_generation_of(list, 5) == g);
    CHECK_EQ(tn_nv_class_of(list, 5, g->doorbell), g->doorbell[1]);        // the older one, where it alone is there
    CHECK_EQ(tn_nv_shared_config(g, 0), g->shared[0]);
    CHECK_EQ(tn_nv_shared_config(g, UINT64_MAX), g->shared_block + (g->sm == 75 ? 0 : 1));
    CHECK(tn_nv_shared_config(g, 33 << 10) == 64);
  }
  CHECK_EQ(tn_nv_sm_of(&tn_nv_generations[5], 0xA03), 103); CHECK_EQ(tn_nv_sm_of(&tn_nv_generations[6], 0xA04), 120);
  CHECK_EQ(tn_nv_sm_of(&tn_nv_generations[6], 0xC01), 121); CHECK_EQ(tn_nv_sm_of(&tn_nv_generations[4], 0x900), 90);
}

// ** assemblers: those that are here, called as a device calls them **

static const char scale_ptx[] =
  ".version 7.0\n.target sm_80\n.address_size 64\n"
  ".visible .entry scale(.param .u64 y, .param .f32 a) {\n"
  "  .reg .b64 %rd<4>; .reg .b32 %r<2>; .reg .f32 %f<4>;\n"
  "  ld.param.u64 %rd1, [y]; ld.param.f32 %f1, [a]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4;\n"
  "  add.u64 %rd3, %rd1, %rd2; ld.global.f32 %f2, [%rd3]; mul.f32 %f3, %f1, %f2; st.global.f32 [%rd3], %f3; ret;\n}\n";
static void assembled_by(const char *name, int result, tn_tool_made *m) {
  tn_cubin c;
  tn_cubin_symbol s;
  int at = 0;
  CHECK(!result && m->bytes);
  if (result) fprintf(stderr, "    %s: %s\n", name, m->log);
  if (m->bytes) CHECK(!tn_cubin_open(&c, m->bytes, m->nbytes) && c.sm == 90 && tn_cubin_next_entry(&c, &at, &s));
  free(m->bytes);
  memset(m, 0, sizeof *m);
}
static void test_assemblers(void) {
  static const char bad[] = ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k() { bra nowhere; }\n";
  tn_tool_made m;
  tn_nv_ptx_library ptx;
  tn_nv_link_library link;
  char path[300];
  memset(&m, 0, sizeof m);
  if (tn_nv_find_ptxas(path, sizeof path)) {
    assembled_by("ptxas", tn_nv_by_ptxas(path, scale_ptx, "sm_90a", &m), &m);
    CHECK(tn_nv_by_ptxas(path, bad, "sm_90a", &m) && !m.bytes && strstr(m.log, "nowhere"));
    memset(&m, 0, sizeof m);
    CHECK(tn_nv_by_ptxas("/nowhere/ptxas", scale_ptx, "sm_90a", &m) && !m.bytes);
    setenv("TINY_NV_PTXAS", "/nowhere/ptxas", 1);
    CHECK(!tn_nv_find_ptxas(path, sizeof path));           // what is named is taken, or nothing
    unsetenv("TINY_NV_PTXAS");
  } else printf("test_nv: ptxas left out: there is none\n");
  if (tn_nv_find_ptx_library(&ptx))
    assembled_by("nvptxcompiler", tn_nv_by_ptx_library(&ptx, scale_ptx, "sm_90a", &m), &m);
  else printf("test_nv: libnvptxcompiler left out: there is none\n");
  if (tn_nv_find_link_library(&link)) {
    assembled_by("nvJitLink", tn_nv_by_link_library(&link, scale_ptx, "sm_90a", &m), &m);
    CHECK(tn_nv_by_link_library(&link, bad, "sm_90a", &m) && !m.bytes && m.log[0]);
  } else printf("test_nv: nvJitLink left out: there is none\n");
}

#include "nv_mock.c"
#include "ptx_machine.c"
#include "nv_play.h"

int main(void) {
  test_no_driver();
  test_branches();
  test_assemblers();
  test_played();
  return test_report();
}
