// brief: plain asan
// test_ptx_tcgen05: Blackwell's units on the machine of ptx_machine.h: products by each layout of memory, of 64 rows
// and of 128, read in two ways, as the manual has it; and each mistake that a GPU would tolerate, or hang on.
#include "ptx_test.h"

enum { PLAIN, SWIZZLED, TURNED, COLUMNS = 16, K = 16, BLOCKS_OF_B = 8192, NBYTES_IN = 10240 };

// Where an element of a block of 16 along k lies; turned: rows lie beside each other, `rows` of them.
static uint32_t place_of(int layout, int rows, int row, int k) {
  if (layout == PLAIN) return (uint32_t)(row / 8 * 256 + k / 8 * 128 + row % 8 * 16 + k % 8 * 2);
  if (layout == TURNED) return (uint32_t)(row / 8 * 128 + k / 8 * rows * 16 + k % 8 * 16 + row % 8 * 2);
  const uint32_t at = (uint32_t)(row / 8 * 256 + row % 8 * 32 + k * 2);
  return at ^ (at >> 7 & 1) << 4;
}
// Bits of its descriptor but for where it begins: from one to the next along k, and of rows; 46; swizzled by 32 bytes.
static uint64_t descriptor_of(int layout, int rows) {
  const uint64_t along = layout == TURNED ? (uint64_t)rows * 16 : 128, next = layout == TURNED ? 128 : 256;
  return along >> 4 << 16 | next >> 4 << 32 | (uint64_t)1 << 46 | (uint64_t)(layout == SWIZZLED ? 6 : 0) << 61;
}

// layout: of a and of b; m: rows; steps along k; lanes: read by lanes of 32 bits.
typedef struct product { int a, b, m, steps, lanes; } product;
static char text[12000];
static size_t say(size_t at, const char *format, ...) {
  va_list args;
  va_start(args, format);
  const int n = vsnprintf(text + at, sizeof text - at, format, args);
  va_end(args);
  return at + (size_t)n;
}
static size_t say_registers(size_t at, int first, int n) {
  for (int i = 0; i < n; i++) at = say(at, "%s%%f%d", i ? ", " : "{", first + i);
  return say(at, "}");
}
static size_t say_products(size_t at, const product *p) {
  at = say(at, "mov.u32 %%r8, s; shr.u32 %%r8, %%r8, 4; cvt.u64.u32 %%d4, %%r8;\n"
               "mov.u64 %%d2, 0x%llx; add.u64 %%d2, %%d2, %%d4; mov.u64 %%d3, 0x%llx; add.u64 %%d3, %%d3, %%d4;\n"
               "mov.u32 %%r9, %u; setp.ne.u32 %%p4, %%t, %%t;\n",
           (unsigned long long)descriptor_of(p->a, p->m),
           (unsigned long long)descriptor_of(p->b, COLUMNS) + (BLOCKS_OF_B >> 4),
           1u << 4 | (unsigned)(p->a == TURNED) << 15 | (unsigned)(p->b == TURNED) << 16 | COLUMNS / 8 << 17 |
             (unsigned)p->m / 16 << 24);
  for (int i = 0; i < p->steps; i++)
    at = say(at, "@%%p2 tcgen05.mma.cta_group::1.kind::f16 [%%r3], %%d2, %%d3, %%r9, %%p4;\n"
                 "add.u64 %%d2, %%d2, 256; add.u64 %%d3, %%d3, 32; setp.eq.u32 %%p4, %%t, %%t;\n");
  return at;
}
static size_t say_loads(size_t at, const product *p) {
  at = say(at, "shr.u32 %%r10, %%t, 5; shl.b32 %%r10, %%r10, 21; add.u32 %%r10, %%r10, %%r3;\n");
  for (int i = 0; i < (p->lanes ? 1 : p->m / 64); i++) {
    at = say(at, p->lanes ? "tcgen05.ld.sync.aligned.32x32b.x16.b32 " : "tcgen05.ld.sync.aligned.16x256b.x2.b32 ");
    at = say_registers(at, 8 * i, p->lanes ? 16 : 8);
    at = say(at, ", [%%r10+%d];\n", i << 20);
  }
  at = say(at, "tcgen05.wait::ld.sync.aligned;\n");
  for (int i = 0; i < (p->lanes ? 16 : p->m / 8); i++) at = say(at, "st.global.f32 [%%o+%d], %%f%d;\n", 4 * i, i);
  return at;
}
static void say_kernel(const product *p) {
  size_t at = say(0, ".version 8.6\n.target sm_100a\n.address_size 64\n"
    ".visible .entry k(.param .u64 out, .param .u32 n) {\n"
    ".reg .pred %%p<9>; .reg .b32 %%r<20>, %%t; .reg .f32 %%f<16>; .reg .b64 %%d<9>, %%o, %%m;\n"
    ".shared .align 128 .b8 s[%d]; .shared .align 8 .b8 bar[8]; .shared .align 4 .b8 base[4];\n"
    "ld.param.u64 %%m, [out]; mov.u32 %%t, %%tid.x; mad.wide.u32 %%o, %%t, 64, %%m; add.u64 %%m, %%m, 32768;\n"
    "setp.lt.u32 %%p1, %%t, 32; setp.eq.u32 %%p2, %%t, 0;\n"
    "@%%p1 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [base], 32;\n"
    "@%%p1 tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n"
    "@%%p2 mbarrier.init.shared.b64 [bar], 1;\n"
    "mov.u32 %%r1, s; mad.lo.u32 %%r1, %%t, 16, %%r1; mad.wide.u32 %%d1, %%t, 16, %%m; mov.u32 %%r2, 0;\n"
    "L1: ld.global.v4.u32 {%%r4, %%r5, %%r6, %%r7}, [%%d1]; st.shared.v4.u32 [%%r1], {%%r4, %%r5, %%r6, %%r7};\n"
    "add.u32 %%r1, %%r1, 2048; add.u64 %%d1, %%d1, 2048; add.u32 %%r2, %%r2, 1; \n"
    "setp.lt.u32 %%p3, %%r2, 5; @%%p3 bra L1;\n"
    "fence.proxy.async.shared::cta;\n"
    "tcgen05.fence::before_thread_sync; bar.sync 0; tcgen05.fence::after_thread_sync;\nld.shared.u32 %%r3, [base];\n",
    NBYTES_IN);
  at = say_products(at, p);
  at = say(at, "@%%p2 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];\n"
               "W: mbarrier.try_wait.parity.shared::cta.b64 %%p5, [bar], 0;\n@!%%p5 bra W;\n"
               "tcgen05.fence::after_thread_sync; mov.u32 %%r11, 0;\n");
  at = say_loads(at, p);
  say(at, "tcgen05.fence::before_thread_sync;\nbar.sync 0;\n"
          "@%%p1 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %%r3, 32;\nret; }\n");
}
static void fill(const product *p) {
  memset(memory, 0, sizeof memory);
  for (int step = 0; step < p->steps; step++)
    for (int k = 0; k < K; k++) {
      for (int row = 0; row < p->m; row++) {
        const uint32_t x = ptx_to_f16((float)of_a(row, step * K + k));
        memcpy(memory + 32768 + step * 4096 + place_of(p->a, p->m, row, k), &x, 2);
      }
      for (int row = 0; row < COLUMNS; row++) {
        const uint32_t x = ptx_to_f16((float)of_b(step * K + k, row));
        memcpy(memory + 32768 + BLOCKS_OF_B + step * 512 + place_of(p->b, COLUMNS, row, k), &x, 2);
      }
    }
}
static int run_text(const product *p, uint32_t seed) {
  ptx_module *m = ptx_parse(text, strlen(text), error, sizeof error);
  if (!m) return 2;
  ptx_launch l = launch_of(128, seed);
  l.dynamic_shared = 0;
  fill(p);
  const int code = ptx_run(m, &l, &counts, error, sizeof error);
  ptx_free(m);
  return code;
}

static void test_product(const product *p, uint32_t seed) {
  if (!case_named("layouts %d %d, %d rows, %d steps, lanes %d, seed %u", p->a, p->b, p->m, p->steps, p->lanes, seed))
    return;
  say_kernel(p);
  CHECK_EQ(run_text(p, seed), 0);
  if (*error && test_shown()) fprintf(stderr, "    %s\n", error);
  if (!seed) keep_text(text);
  for (int t = 0; t < 128; t++)
    for (int i = 0; i < (p->lanes ? 16 : p->m / 8); i++) {
      const int warp = t / 32, lane = t % 32, of = p->m / 4, row = p->lanes ? t : warp * of + i / 8 * 16 + lane / 4 +
        i / 2 % 2 * 8, column = p->lanes ? i : i % 8 / 4 * 8 + lane % 4 * 2 + i % 2;
      float got;
      int want = 0;
      for (int k = 0; k < K * p->steps; k++) want += of_a(row, k) * of_b(k, column);
      memcpy(&got, memory + t * 64 + 4 * i, 4);
      CHECK_EQ((int)got, want);
    }
}
static void test_products(void) {
  for (uint32_t seed = 0; seed < 3; seed++)
    for (int m = 64; m <= 128; m += 64)
      for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
          const product p = {a, b, m, 1 + (a + b) % 2, 0}, q = {a, b, 128, 2, 1};
          test_product(&p, seed);
          if (m == 128) test_product(&q, seed);
        }
  case_end();
}

// What stands in the text, what instead, and what the machine says of it.
typedef struct change { const char *from, *to, *says; } change;
static void test_mistake(const change *c, uint32_t seed) {
  static const product p = {PLAIN, PLAIN, 128, 1, 0};
  static char rest[sizeof text];
  if (!case_named("'%.60s' for '%.60s'", c->to, c->from)) return;
  say_kernel(&p);
  char *at = strstr(text, c->from);
  CHECK(at != NULL);
  if (!at) return;
  snprintf(rest, sizeof rest, "%s", at + strlen(c->from));
  snprintf(at, sizeof text - (size_t)(at - text), "%s%s", c->to, rest);
  CHECK(run_text(&p, seed) != 0);
  CHECK(strstr(error, c->says) != NULL);
  if (test_shown()) fprintf(stderr, "    %s\n", error);
}
static void test_mistakes(void) {
  static const change changes[] = {
    {"fence.proxy.async.shared::cta;", "", "without a fence.proxy.async"},
    {"tcgen05.fence::after_thread_sync; mov", "mov", "without a fence::after_thread_sync"},
    {"W: mbarrier.try_wait.parity.shared::cta.b64 %p5, [bar], 0;\n@!%p5 bra W;", "W:",
     "Tensor Memory is read"},
    {"@%p2 tcgen05.commit", "@%p2 bra X; X: @%p4 bra W; tcgen05.commit", "waits for ever"},
    {"tcgen05.wait::ld.sync.aligned;", "", "is read before it is written"},
    {"@%p1 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r3, 32;", "", "are not freed"},
    {"tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r3, 32;",
     "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r3, 64;", "were not allocated"},
    {"[base], 32;", "[base], 48;", "an allocation of 48 columns"},
    {"@%p2 mbarrier.init",
     "@%p1 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [base], 32;\n@%p2 mbarrier.init",
     "behind relinquish_alloc_permit"},
    {"W: mbar", "@%p2 st.shared.u32 [s+64], %t;\nW: mbar", "at 64 was read by an asynchronous copy"},
    {"W: mbar", "setp.eq.u32 %p6, %t, 40; @%p6 st.shared.u32 [s+64], %t;\nW: mbar", "shared memory at 64"},
    {"%r10, 21;", "%r10, 20;", "of Tensor Memory"},
    {"shl.b32 %r10, %r10, 21;", "mov.u32 %r10, 0;", "warp 1 reads lane 0"},
    {"mov.u64 %d2, 0x4", "mov.u64 %d2, 0x0", "a matrix descriptor"},
    {"134479888", "33816592", "a product of 32 rows"},
    {"[%r3], %d2", "[%r3+24], %d2", "were not allocated"},
    {"@%p2 tcgen05.mma", "tcgen05.mma", "a product to what another one"},
    {"setp.ne.u32 %p4", "setp.eq.u32 %p4", "adds to what nobody has written"},
    {"tcgen05.fence::before_thread_sync;\nbar.sync 0;\n@%p1 tcgen05.dealloc", "bar.sync 0;\n@%p1 tcgen05.dealloc",
     "without a wait::ld and fence::before_thread_sync"},
    {"bar.sync 0;\n@%p1 tcgen05.dealloc", "@%p1 tcgen05.dealloc", ""},
    {".target sm_100a", ".target sm_100", "sm_100a"}, {".target sm_100a", ".target sm_120a", "sm_100a"}};
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
    for (uint32_t seed = 0; seed < 3; seed++) test_mistake(&changes[i], seed);
  case_end();
}

int main(void) {
  test_products();
  test_mistakes();
  return test_report();
}
