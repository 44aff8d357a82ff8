// test_ptx_wide: what came with Hopper on the machine of tests/ptx_machine.h: bulk copies and tensor maps, mbarriers,
// wgmma by its layouts, clusters, and mistakes with them.
#include "ptx_test.h"

// ** what came with Hopper **

#define BARRIER                                                                                                        \
  ".shared .align 1024 .b8 s[20480]; .shared .align 8 .b8 bar[8];\nsetp.eq.u32 %p1, %t, 0; @%p1 "                      \
  "mbarrier.init.shared.b64 [bar], 1; bar.sync 0;\n"
#define WAIT "W: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra W;\n"
static void put16(uint32_t at, uint32_t x) {
  memory[32768 + at] = (unsigned char)x;
  memory[32768 + at + 1] = (unsigned char)(x >> 8);
}
// Tensor map of 16-bit elements at memory's byte 49152: dims, box, swizzle (0 .. 3).
static void put_tensor(uint32_t columns, uint32_t rows, uint32_t stride, uint32_t box0, uint32_t box1,
                       uint32_t swizzle) {
  uint32_t d[32] = {AT + 32768, 0, 1 << 4 | 1 << 7 | swizzle << 13, stride >> 4};
  d[8] = columns - 1; d[9] = rows - 1; d[13] = (box0 - 1) << 24; d[14] = box1 - 1;
  memcpy(memory + 49152, d, sizeof d);
}
static void test_tensors(void) {
  // 8 rows of 64 elements at (4, -2): element (c, r) is c + 256 * r; beyond are zeros.
  for (int i = 0; i < 16; i++) for (int k = 0; k < 80; k++) put16((uint32_t)(i * 160 + 2 * k), (uint32_t)(k + 256 * i));
  for (uint32_t swizzle = 0; swizzle < 4; swizzle += 3)
    for (uint32_t seed = 0; seed < 4; seed++) {
      if (!case_named("a tensor's box, swizzle %u, seed %u", (unsigned)swizzle, (unsigned)seed)) continue;
      put_tensor(60, 16, 160, 64, 8, swizzle);
      CHECK_EQ(run_of(BARRIER "add.u64 %d1, %m, 16384; @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 1024; "
                              "mov.u32 %r1, 4; mov.u32 %r2, -2;\n"
                              "@%p1 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
                              "[s], [%d1, {%r1, %r2}], [bar];\n" WAIT "mov.u32 %r3, %t; mov.u32 %r7, s; L: mad.lo.u32 "
                                                                      "%r4, %r3, 2, %r7; ld.shared.u16 %h1, [%r4]; "
                                                                      "mul.wide.u32 %d2, %r3, 2; ld.param.u64 %d3, "
                                                                      "[out]; add.u64 %d2, %d2, %d3;"
                              "st.global.u16 [%d2], %h1; add.u32 %r3, %r3, 64; setp.lt.u32 %p3, %r3, 512; @%p3 bra L;",
                      64, 1, seed),
               0);
      if (*error && test_shown()) fprintf(stderr, "    %s\n", error);
      for (int row = 0; row < 8; row++)
        for (int k = 0; k < 64; k++) {
          const int chunk = k / 8 ^ (swizzle ? row % 8 : 0), at = row * 128 + chunk * 16 + k % 8 * 2;
          const int want = row < 2 || k + 4 >= 60 ? 0 : k + 4 + 256 * (row - 2);
          CHECK_EQ(memory[at] | memory[at + 1] << 8, want);
        }
    }
  // .. and back, by a store, of which the last columns are not there.
  if (case_named("a tensor is stored")) {
    for (int i = 0; i < 16; i++) for (int k = 0; k < 80; k++) put16((uint32_t)(i * 160 + 2 * k), 7);
    put_tensor(60, 16, 160, 64, 8, 0);
    CHECK_EQ(run_of(".shared .align 1024 .b8 s[2048]; mov.u32 %r7, s; mov.u32 %r3, %t; L: mad.lo.u32 %r4, %r3, 2, %r7; "
                    "cvt.u16.u32 %h1, %r3; st.shared.u16 [%r4], %h1; add.u32 %r3, %r3, 64;"
                    "setp.lt.u32 %p3, %r3, 512; @%p3 bra L; fence.proxy.async.shared::cta; bar.sync 0; setp.eq.u32 "
                    "%p1, %t, 0; @!%p1 bra E; add.u64 %d1, %m, 16384; mov.u32 %r1, 0; mov.u32 %r2, 3;\n"
                    "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%d1, {%r1, %r2}], [s]; "
                    "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; E:",
                    64, 1, 1),
             0);
    if (*error && test_shown()) fprintf(stderr, "    %s\n", error);
    for (int i = 0; i < 16; i++)
      for (int k = 0; k < 80; k++)
        CHECK_EQ(memory[32768 + i * 160 + 2 * k] | memory[32768 + i * 160 + 2 * k + 1] << 8,
                 i >= 3 && i < 11 && k < 60 ? (i - 3) * 64 + k : 7);
  }
  case_end();
}
static void test_hopper_mistakes(void) {
  static const mistake mistakes[] = {
      {BARRIER "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 1024;\n@%p1 "
               "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%m], 1024, "
               "[bar];\nld.shared.u32 %r1, [s];",
       5, 32, "(0, 0, 0)", "an asynchronous copy"},
      {BARRIER "@%p1 mbarrier.arrive.shared.b64 %d1, [bar];\n@%p1 mbarrier.arrive.shared.b64 %d1, [bar], 2;", 4, 32,
       "(0, 0, 0)", "2 arrivals at an mbarrier that waits for 1"},
      {BARRIER "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 2048;\n@%p1 "
               "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%m], 1024, [bar];\n" WAIT,
       5, 32, "(0, 0, 0)", "waits for ever"},
      {BARRIER "mbarrier.arrive.shared.b64 %d1, [bar+8192];", 3, 1, "(0, 0, 0)", "of shared memory"},
      {BARRIER "@%p1 mbarrier.arrive.shared.b64 %d1, [s];", 3, 32, "(0, 0, 0)", "there is no mbarrier"},
      {BARRIER "mov.u32 %r1, s; @%p1 st.shared.v4.u32 [%r1], {%r1,%r1,%r1,%r1};\n@%p1 "
               "cp.async.bulk.global.shared::cta.bulk_group [%m], [s], 16;",
       4, 32, "(0, 0, 0)", "without a fence.proxy.async"},
      {BARRIER "mov.u32 %r1, s; @%p1 st.shared.v4.u32 [%r1], {%r1,%r1,%r1,%r1}; @%p1 fence.proxy.async;\n@%p1 "
               "cp.async.bulk.global.shared::cta.bulk_group [%m], [s], 16;\n",
       4, 32, "(0, 0, 0)", "is not waited for"},
      {BARRIER "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%m], 40, [bar];", 3, 32,
       "(0, 0, 0)", "a bulk copy of 40 bytes"},
      {BARRIER "mov.u64 %d1, 0; mov.f32 %f1, 0f00000000; setp.ne.u32 %p3, %t, "
               "-1;\nwgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1,%f1,%f1,%f1}, %d1, %d1, %p3, 1, 1, 0, 0;",
       4, 128, "(0, 0, 0)", "without a wgmma.fence"},
  };
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++)
    for (uint32_t seed = 0; seed < 3; seed++) {
      const mistake *m = &mistakes[i];
      char where[60];
      if (!case_named("%s", m->body)) continue;
      CHECK_EQ(run_of(m->body, (uint32_t)m->threads, 1, seed), 1);
      snprintf(where, sizeof where, "line %d,", HEAD_LINES + m->line - 1);
      CHECK((strstr(error, where) != NULL || strstr(m->says, "not waited")) && strstr(error, m->says) != NULL);
      if (test_shown()) fprintf(stderr, "    %s: %s\n", where, error);
    }
  case_end();
}

// wgmma of 64 x n x 16 * steps, by a layout of a and of b: 0 swizzled by 128 bytes, k beside each other; 1: not
// swizzled; 2: b swizzled, n beside each other (64 of them).
enum { SWIZZLED, PLAIN, TURNED };
static uint32_t layout_at(int layout, int row, int k) {
  if (layout == PLAIN) return (uint32_t)(row / 8 * 256 + k / 8 * 128 + row % 8 * 16 + k % 8 * 2);
  if (layout == SWIZZLED) return (uint32_t)(row * 128 + (k / 8 ^ row % 8) * 16 + k % 8 * 2);
  return (uint32_t)(k * 128 + (row / 8 ^ k % 8) * 16 + row % 8 * 2);
}
// between: before the wait; says NULL: nothing is wrong.
static void check_wgmma(int layout_a, int layout_b, int n, int steps, int from_registers, uint32_t seed,
                        const char *between, const char *says) {
  static const char *const fields[] = {"0x4000004000010000", "0x0000001000080000", "0x4000004000010000"};
  char body[8000], *at = body, list[1000], *l = list;
  const int nd = n / 2;
  if (!case_named("wgmma n %d, layouts %d %d, %s, seed %u", n, layout_a, layout_b,
                  from_registers ? "a in registers" : "a in memory", (unsigned)seed))
    return;
  memset(memory + 32768, 0, 20480);
  for (int k = 0; k < 16 * steps; k++) {
    for (int i = 0; i < 64; i++) put16(layout_at(layout_a, i, k), ptx_encode(of_a(i, k), &ptx_f16_format, PTX_W_rn, 0));
    for (int i = 0; i < n; i++)
      put16(8192 + layout_at(layout_b, i, k), ptx_encode(of_b(k, i), &ptx_f16_format, PTX_W_rn, 0));
  }
  at += sprintf(at, "%s",
                BARRIER "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16384;\n"
                        "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%m], 16384, "
                        "[bar];\n" WAIT);
  for (int r = 0; r < nd; r++) {
    at += sprintf(at, "mov.f32 %%f%d, 0f3F800000; ", r);
    l += sprintf(l, "%s%%f%d", r ? "," : "", r);
  }
  at += sprintf(at,
                "\nmov.u32 %%r1, s; shr.u32 %%r1, %%r1, 4; cvt.u64.u32 %%d1, %%r1; or.b64 %%d2, %%d1, %s; or.b64 %%d1, "
                "%%d1, %s; add.u64 %%d2, %%d2, 512; setp.eq.u32 %%p3, %%t, %%t;\n",
                fields[layout_b], fields[layout_a]);
  if (from_registers) {                    // rows by the layout of mma.m16n8k16, of each warp its 16
    at += sprintf(at, "mov.u32 %%r2, s; shr.u32 %%r3, %%t, 5; and.b32 %%r4, %%t, 31; shr.u32 %%r5, %%r4, 2; and.b32 "
                      "%%r6, %%r4, 3; mad.lo.u32 %%r2, %%r3, 512, %%r2;"
                      "mad.lo.u32 %%r2, %%r5, 16, %%r2; mad.lo.u32 %%r2, %%r6, 4, %%r2; ld.shared.b32 %%r10, [%%r2]; "
                      "ld.shared.b32 %%r11, [%%r2+256]; ld.shared.b32 %%r12, [%%r2+128]; ld.shared.b32 %%r13, "
                      "[%%r2+384];\n");
  }
  at += sprintf(at, "wgmma.fence.sync.aligned;\n");
  for (int k = 0; k < steps; k++) {
    at += sprintf(at,
                  "wgmma.mma_async.sync.aligned.m64n%dk16.f32.f16.f16 {%s}, %s, %%d2, %%p3, 1, 1, %s%d; add.u64 %%d1, "
                  "%%d1, 2; add.u64 %%d2, %%d2, 2;\n",
                  n, list, from_registers ? "{%r10, %r11, %r12, %r13}" : "%d1", from_registers ? "" : "0, ",
                  layout_b == TURNED);
  }
  at += sprintf(at,
                "wgmma.commit_group.sync.aligned; %s wgmma.wait_group.sync.aligned 0; mul.wide.u32 %%d1, %%t, %d; "
                "ld.param.u64 %%d2, [out]; add.u64 %%d1, %%d1, %%d2;\n",
                between, 4 * nd);
  for (int r = 0; r < nd; r++) at += sprintf(at, "st.global.f32 [%%d1+%d], %%f%d; ", 4 * r, r);
  if (says) {
    CHECK_EQ(run_of(body, 128, 1, seed), 1);
    CHECK(strstr(error, says) != NULL);
    if (test_shown()) fprintf(stderr, "    %s\n", error);
    return;
  }
  CHECK_EQ(run_of(body, 128, 1, seed), 0);
  if (*error && test_shown()) fprintf(stderr, "    %s\n", error);
  for (int t = 0; t < 128; t++)
    for (int i = 0; i < nd; i++) {
      const int row = t / 32 * 16 + t % 32 / 4 + 8 * (i / 2 % 2), column = i / 4 * 8 + t % 4 * 2 + i % 2;
      float got;
      int want = 1;
      for (int k = 0; k < 16 * steps; k++) want += of_a(row, k) * of_b(k, column);
      memcpy(&got, memory + t * 4 * nd + 4 * i, 4);
      CHECK_EQ((int)got, want);
    }
}
// Groups of a cluster: each adds to the next one's memory.
static void test_cluster(void) {
  static const char text[] = ".version 8.0\n.target sm_90a\n.address_size 64\n"
                             ".visible .entry k(.param .u64 out, .param .u32 n) .reqnctapercluster 4 {\n.reg .b32 "
                             "%r<9>; .reg .b64 %d<3>; .reg .pred %p; .shared .align 4 .b8 s[128];\n"
                             "mov.u32 %r0, %tid.x; mov.u32 %r1, %cluster_ctarank; add.u32 %r2, %r1, 1; and.b32 %r2, "
                             "%r2, 3; mov.u32 %r3, s; mad.lo.u32 %r3, %r0, 4, %r3; mapa.shared::cluster.u32 %r4, %r3, "
                             "%r2;\n"
                             "mov.u32 %r5, %ctaid.x; mad.lo.u32 %r5, %r5, 100, %r0; st.shared::cluster.u32 [%r4], "
                             "%r5;\n"
                             "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\nld.shared.u32 %r6, "
                             "[%r3]; mov.u32 %r7, %ctaid.x; mad.lo.u32 %r7, %r7, 32, %r0; ld.param.u64 %d0, [out]; "
                             "mad.wide.u32 %d0, %r7, 8, %d0; cvt.u64.u32 %d1, %r6; st.global.u64 [%d0], %d1; ret; }\n";
  char *without, changed[2000];
  for (uint32_t seed = 0; seed < 3; seed++) {
    ptx_module *m = ptx_parse(text, sizeof text, error, sizeof error);
    ptx_launch l = launch_of(32, seed);
    CHECK(m != NULL);
    if (!m) { fprintf(stderr, "%s\n", error); return; }
    l.grid[0] = 8;
    CHECK_EQ(ptx_run(m, &l, NULL, error, sizeof error), 0);
    if (*error) fprintf(stderr, "%s\n", error);
    for (int i = 0; i < 256; i++) CHECK_EQ((int)result(i), (i / 128 * 4 + (i / 32 + 3) % 4) * 100 + i % 32);
    l.grid[0] = 6;
    CHECK(ptx_run(m, &l, NULL, error, sizeof error) && strstr(error, "none of clusters"));
    ptx_free(m);
  }
  snprintf(changed, sizeof changed, "%s", text);
  without = strstr(changed, "barrier.cluster.arrive");
  memset(without, ' ', strlen("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;"));
  ptx_module *m = ptx_parse(changed, strlen(changed), error, sizeof error);
  ptx_launch l = launch_of(32, 0);
  l.grid[0] = 4;
  CHECK(m != NULL && ptx_run(m, &l, NULL, error, sizeof error) &&
        (strstr(error, "a race") || strstr(error, "nobody has written")));
  ptx_free(m);
}
static void test_wgmma(void) {
  for (uint32_t seed = 0; seed < 2; seed++) {
    check_wgmma(SWIZZLED, SWIZZLED, 32, 4, 0, seed, "", NULL);
    check_wgmma(PLAIN, PLAIN, 16, 1, 0, seed, "", NULL);
    check_wgmma(PLAIN, TURNED, 64, 1, 0, seed, "", NULL);
    check_wgmma(PLAIN, PLAIN, 8, 1, 1, seed, "", NULL);
    check_wgmma(PLAIN, PLAIN, 8, 1, 0, seed, "add.f32 %f88, %f0, %f0;",
                "wgmma writes is read before it was waited for");
    check_wgmma(PLAIN, PLAIN, 8, 1, 0, seed, "setp.eq.u32 %p4, %t, 5; @%p4 st.shared.u32 [s+8192], %t;",
                "shared memory at 8192");
  }
  case_end();
}

// setmaxnreg: 256 threads of 128 registers each, of which the second warp group gives some to the first.
#define SPLIT_GROUPS "setp.ge.u32 %p1, %t, 128; @%p1 bra GIVES; "
static void test_setmaxnreg(void) {
  static const struct { const char *directives, *body, *says; } cases[] = {
      {".maxnreg 128", SPLIT_GROUPS "setmaxnreg.inc.sync.aligned.u32 216; ret; GIVES: "
                       "setmaxnreg.dec.sync.aligned.u32 40;", NULL},
      {".reqntid 256 .minnctapersm 2", SPLIT_GROUPS "setmaxnreg.inc.sync.aligned.u32 216; ret; GIVES: "
                                       "setmaxnreg.dec.sync.aligned.u32 40;", NULL},
      {".maxnreg 128", SPLIT_GROUPS "setmaxnreg.inc.sync.aligned.u32 224; ret; GIVES: "
                       "setmaxnreg.dec.sync.aligned.u32 40;", "registers are left of the group's"},
      {".maxnreg 128", "setmaxnreg.inc.sync.aligned.u32 136;", "registers are left of the group's"},
      {"", "setmaxnreg.dec.sync.aligned.u32 40;", "how many registers"},
      {".reqntid 256", "setmaxnreg.dec.sync.aligned.u32 40;", "how many registers"},
      {".maxnreg 128", "setmaxnreg.dec.sync.aligned.u32 136;", "from 128 registers to 136"},
      {".maxnreg 128", "setmaxnreg.inc.sync.aligned.u32 120;", "from 128 registers to 120"},
      {".maxnreg 128", "setmaxnreg.dec.sync.aligned.u32 44;", "'setmaxnreg' of 44"},
      {".maxnreg 128", "setmaxnreg.dec.sync.aligned.u32 16;", "'setmaxnreg' of 16"},
      {".maxnreg 128", "setp.ge.u32 %p1, %t, 224; @%p1 bra GIVES; setmaxnreg.dec.sync.aligned.u32 40; ret; GIVES: "
                       "setmaxnreg.dec.sync.aligned.u32 40;", "by other warps of the group"},
      {".maxnreg 128", "setp.ge.u32 %p1, %t, 224; @%p1 bra E; setmaxnreg.dec.sync.aligned.u32 40; E:", "by some warps"},
      {".maxnreg 128", "and.b32 %r1, %t, 1; setp.eq.u32 %p1, %r1, 1; @%p1 setmaxnreg.dec.sync.aligned.u32 40;",
       "without all of its lanes"},
      {".maxnreg 264", "setmaxnreg.dec.sync.aligned.u32 40;", "264 registers of each of 256 threads"}};
  static const uint64_t params[1] = {AT};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (uint32_t seed = 0; seed < 3; seed++) {
      char text[1024];
      if (!case_named("%s %s", cases[i].directives, cases[i].body)) continue;
      snprintf(text, sizeof text, ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 out)\n"
               "%s\n{\n.reg .pred %%p<3>; .reg .b32 %%r<3>, %%t;\nmov.u32 %%t, %%tid.x;\n%s\nret;\n}\n",
               cases[i].directives, cases[i].body);
      ptx_launch l = launch_of(256, seed);
      l.params = params; l.param_nbytes = sizeof params;
      ptx_module *m = ptx_parse(text, strlen(text), error, sizeof error);
      CHECK(m != NULL);
      if (!m) continue;
      const int code = ptx_run(m, &l, &counts, error, sizeof error);
      CHECK_EQ(code, cases[i].says != NULL);
      CHECK(!cases[i].says || strstr(error, cases[i].says) != NULL);
      if (test_shown()) fprintf(stderr, "    %s\n", error);
      ptx_free(m);
    }
  case_end();
}
// A group of a cluster that tells another one that has ended; it is there where that one waits to be told.
static void test_told_too_late(void) {
  static const char text[] =
      ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 out)\n.reqnctapercluster 2\n{\n"
      ".reg .pred %%p<3>; .reg .b32 %%r<5>;\n.shared .align 8 .b64 bar;\nmov.u32 %%r1, bar;\n"
      "mbarrier.init.shared::cta.b64 [bar], 1;\nbarrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"
      "mov.u32 %%r2, %%cluster_ctarank;\nxor.b32 %%r2, %%r2, 1;\nmapa.shared::cluster.u32 %%r3, %%r1, %%r2;\n"
      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%%r3];\n%s\nret;\n}\n";
  static const char waits[] = "L: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, [bar], 0; @!%p1 bra L;";
  static const uint64_t params[1] = {AT};
  for (int i = 0; i < 2; i++) {
    char whole[1024];
    if (!case_named("neighbours tell each other%s", i ? "" : " who have ended")) continue;
    snprintf(whole, sizeof whole, text, i ? waits : "");
    ptx_launch l = launch_of(1, 0);
    l.grid[0] = 2; l.params = params; l.param_nbytes = sizeof params;
    ptx_module *m = ptx_parse(whole, strlen(whole), error, sizeof error);
    CHECK(m != NULL);
    if (!m) continue;
    CHECK_EQ(ptx_run(m, &l, &counts, error, sizeof error), !i);
    CHECK(i || strstr(error, "which has ended") != NULL);
    ptx_free(m);
  }
  case_end();
}

int main(void) {
  test_tensors();
  test_hopper_mistakes();
  test_wgmma();
  test_setmaxnreg();
  test_told_too_late();
  test_cluster();
  return test_report();
}
