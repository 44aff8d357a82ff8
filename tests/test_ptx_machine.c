// brief: tsan llvm
// test_ptx_machine: PTX by hand on the machine of tests/ptx_machine.h: what each class of instructions answers, by the
// manual's formulas, and each kind of mistake, which is told with its line, group and thread.
#include "ptx_machine.c"
#include "test.h"

// ** a kernel of a few lines **

enum { AT = 0x10000, NBYTES = 1 << 16 };
static unsigned char memory[NBYTES];
static void *memory_at(void *user, uint64_t address, size_t nbytes, int writes) {
  (void)user;
  (void)writes;
  return address >= AT && address + nbytes <= AT + NBYTES ? memory + (address - AT) : NULL;
}
static char error[400];
static ptx_counts counts;
// %tid.x is %t, and %o the address of the thread's 8 bytes of the result, %m of memory's second half.
static const char head[] =
  ".version 8.4\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u32 n) {\n"
  ".reg .pred %p<9>; .reg .b16 %h<99>; .reg .b32 %r<99>, %t; .reg .f32 %f<99>; .reg .b64 %d<99>, %o, %m; .reg .f64 %g<9>;\n"
  "ld.param.u64 %m, [out]; mov.u32 %t, %tid.x; mad.wide.u32 %o, %t, 8, %m; add.u64 %m, %m, 32768;\n";
enum { HEAD_LINES = 7 };                    // the body's first line
static ptx_launch launch_of(uint32_t threads, uint32_t seed) {
  static uint64_t params[2] = {AT, 5};
  ptx_launch l;
  memset(&l, 0, sizeof l);
  l.kernel = "k"; l.grid[0] = 1; l.block[0] = threads; l.dynamic_shared = 4096;
  l.params = params; l.param_nbytes = sizeof params;
  l.memory.at = memory_at; l.seed = seed; l.max_steps = 100000;
  return l;
}
// 0: it ran.
static int run_of(const char *body, uint32_t threads, uint32_t groups, uint32_t seed) {
  static char text[20000];
  snprintf(text, sizeof text, "%s%s\nret; }\n", head, body);
  ptx_module *m = ptx_parse(text, strlen(text), error, sizeof error);
  if (!m) return 2;
  ptx_launch l = launch_of(threads, seed);
  l.grid[0] = groups;
  const int code = ptx_run(m, &l, &counts, error, sizeof error);
  ptx_free(m);
  return code;
}
static uint64_t result(int thread) { uint64_t x; memcpy(&x, memory + 8 * thread, 8); return x; }

// ** instructions: a, b, c are %d1, %d2, %d3 (%r, %h, %f, %g: of their low bits); the answer is %d0, or %r0, %f0, .. **

typedef struct line { const char *text; char kind; uint64_t a, b, c, answer; } line;
static void check_line(const line *l, uint32_t seed) {
  static const char names[] = "rdhfg";
  static const char *const types[] = {"b32", "b64", "b16", "b32", "b64"};
  char body[1000];
  int n = 0;
  const uint64_t in[3] = {l->a, l->b, l->c};
  for (int i = 0; i < 3; i++) {
    n += snprintf(body + n, sizeof body - (size_t)n, "mov.b64 %%d%d, 0x%llx; cvt.u32.u64 %%r%d, %%d%d; cvt.u16.u64 %%h%d, %%d%d; mov.b32 %%f%d, %%r%d; mov.b64 %%g%d, %%d%d;\n",
                  i + 1, (unsigned long long)in[i], i + 1, i + 1, i + 1, i + 1, i + 1, i + 1, i + 1, i + 1);
  }
  const char *kind = strchr(names, l->kind);
  if (l->kind == 'p') snprintf(body + n, sizeof body - (size_t)n, "%s selp.u64 %%d0, 1, 0, %%p0; st.global.u64 [%%o], %%d0;", l->text);
  else snprintf(body + n, sizeof body - (size_t)n, "mov.b64 %%d0, 0; st.global.u64 [%%o], %%d0; %s st.global.%s [%%o], %%%c0;", l->text, types[kind - names], l->kind);
  if (!case_named("%s", l->text)) return;
  CHECK_EQ(run_of(body, 1, 1, seed), 0);
  if (*error && test_shown()) fprintf(stderr, "    %s\n", error);
  CHECK_EQ((long long)result(0), (long long)l->answer);
}
#define F(x) ptx_raw32(x)
#define G(x) ptx_b64(x)
static void test_lines(void) {
  const line lines[] = {
    {"add.u32 %r0, %r1, %r2;", 'r', 0xFFFFFFFF, 2, 0, 1}, {"add.s64 %d0, %d1, -1;", 'd', 5, 0, 0, 4},
    {"add.sat.s32 %r0, %r1, %r2;", 'r', 0x7FFFFFFF, 1, 0, 0x7FFFFFFF}, {"sub.u16 %h0, %h1, %h2;", 'h', 1, 2, 0, 0xFFFF},
    {"add.cc.u32 %r0, %r1, %r2; addc.u32 %r0, %r3, 0;", 'r', 0xFFFFFFFF, 1, 7, 8},
    {"sub.cc.u32 %r0, %r1, %r2; subc.u32 %r0, %r3, 0;", 'r', 0, 1, 7, 6},
    {"mul.lo.s32 %r0, %r1, %r2;", 'r', 0xFFFFFFFF, 7, 0, 0xFFFFFFF9}, {"mul.hi.s32 %r0, %r1, %r2;", 'r', 0xFFFFFFFF, 7, 0, 0xFFFFFFFF},
    {"mul.hi.u32 %r0, %r1, %r2;", 'r', 0xFFFFFFFF, 7, 0, 6}, {"mul.hi.u64 %d0, %d1, %d2;", 'd', ~0ull, 7, 0, 6},
    {"mul.hi.s64 %d0, %d1, %d2;", 'd', ~0ull, 7, 0, ~0ull}, {"mul.wide.s32 %d0, %r1, %r2;", 'd', 0xFFFFFFFF, 7, 0, (uint64_t)-7},
    {"mul.wide.u16 %r0, %h1, %h2;", 'r', 0xFFFF, 0xFFFF, 0, 0xFFFE0001}, {"mad.lo.s32 %r0, %r1, %r2, %r3;", 'r', 3, 4, 5, 17},
    {"mad.wide.s32 %d0, %r1, %r2, %d3;", 'd', 0xFFFFFFFF, 4, 5, 1}, {"mad.hi.u32 %r0, %r1, %r2, %r3;", 'r', 0x80000000, 4, 5, 7},
    {"mul24.lo.u32 %r0, %r1, %r2;", 'r', 0x1000003, 2, 0, 6}, {"div.s32 %r0, %r1, %r2;", 'r', (uint32_t)-7, 2, 0, (uint32_t)-3},
    {"rem.s32 %r0, %r1, %r2;", 'r', (uint32_t)-7, 2, 0, (uint32_t)-1}, {"div.u64 %d0, %d1, %d2;", 'd', ~0ull, 2, 0, ~0ull >> 1},
    {"sad.u32 %r0, %r1, %r2, %r3;", 'r', 3, 9, 1, 7}, {"min.s32 %r0, %r1, %r2;", 'r', (uint32_t)-7, 2, 0, (uint32_t)-7},
    {"max.u32 %r0, %r1, %r2;", 'r', (uint32_t)-7, 2, 0, (uint32_t)-7}, {"abs.s32 %r0, %r1;", 'r', (uint32_t)-7, 0, 0, 7},
    {"neg.s16 %h0, %h1;", 'h', 7, 0, 0, 0xFFF9}, {"and.b64 %d0, %d1, %d2;", 'd', 12, 10, 0, 8}, {"not.b32 %r0, %r1;", 'r', 0, 0, 0, 0xFFFFFFFF},
    {"cnot.b32 %r0, %r1;", 'r', 0, 0, 0, 1}, {"shl.b32 %r0, %r1, %r2;", 'r', 1, 31, 0, 0x80000000}, {"shl.b32 %r0, %r1, %r2;", 'r', 1, 32, 0, 0},
    {"shr.s32 %r0, %r1, %r2;", 'r', 0x80000000, 40, 0, 0xFFFFFFFF}, {"shr.u64 %d0, %d1, %r2;", 'd', 256, 4, 0, 16},
    {"shr.s16 %h0, %h1, %r2;", 'h', 0x8000, 4, 0, 0xF800},
    {"shf.l.wrap.b32 %r0, %r1, %r2, %r3;", 'r', 0x80000001, 2, 1, 5}, {"shf.r.clamp.b32 %r0, %r1, %r2, %r3;", 'r', 4, 3, 40, 3},
    {"prmt.b32 %r0, %r1, %r2, 0x7531;", 'r', 0x33221100, 0x77665544, 0, 0x77553311}, {"prmt.b32 %r0, %r1, %r2, 0x9008;", 'r', 0x80, 0, 0, 0x008080FF},
    {"prmt.b32.b4e %r0, %r1, %r2, %r3;", 'r', 0x33221100, 0x77665544, 1, 0x66770011},
    {"bfe.u32 %r0, %r1, %r2, %r3;", 'r', 0xABCD, 4, 8, 0xBC}, {"bfe.s32 %r0, %r1, %r2, %r3;", 'r', 0xABCD, 4, 8, 0xFFFFFFBC},
    {"bfi.b32 %r0, %r1, %r2, %r3, 8;", 'r', 0xFF, 0, 4, 0xFF0}, {"bfi.b64 %d0, %d1, %d2, %r3, 8;", 'd', 0xAB, 0, 40, 0xAB0000000000},
    {"brev.b32 %r0, %r1;", 'r', 1, 0, 0, 0x80000000}, {"popc.b64 %r0, %d1;", 'r', ~0ull, 0, 0, 64}, {"clz.b32 %r0, %r1;", 'r', 1, 0, 0, 31},
    {"bfind.u32 %r0, %r1;", 'r', 256, 0, 0, 8}, {"bfind.shiftamt.s32 %r0, %r1;", 'r', 0xFFFFFFFE, 0, 0, 31}, {"bfind.u64 %r0, %d1;", 'r', 0, 0, 0, 0xFFFFFFFF},
    {"lop3.b32 %r0, %r1, %r2, %r3, 0x96;", 'r', 12, 10, 6, 0}, {"lop3.b32 %r0, %r1, %r2, %r3, 0xE8;", 'r', 12, 10, 6, 14},
    {"dp4a.s32.s32 %r0, %r1, %r2, %r3;", 'r', 0xFF010203, 0x01010101, 10, 15}, {"dp2a.lo.u32.u32 %r0, %r1, %r2, %r3;", 'r', 0x00020003, 0x0504, 1, 23},
    {"bmsk.clamp.b32 %r0, %r1, %r2;", 'r', 4, 4, 0, 0xF0}, {"szext.wrap.s32 %r0, %r1, %r2;", 'r', 0xFF, 8, 0, 0xFFFFFFFF},
    {"slct.u32.s32 %r0, %r1, %r2, %r3;", 'r', 1, 2, 0x80000000, 2}, {"add.u16x2 %r0, %r1, %r2;", 'r', 0x0001FFFF, 0x00010001, 0, 0x00020000},
    {"max.s16x2 %r0, %r1, %r2;", 'r', 0xFFFF0001, 0x00010000, 0, 0x00010001},
    {"mov.b32 %r0, {%h1, %h2};", 'r', 0x1111, 0x2222, 0, 0x22221111}, {"mov.b64 {%r4, %r0}, %d1;", 'r', 0x1234567800000009, 0, 0, 0x12345678},
    {"mov.b32 {%h0, _}, %r1;", 'h', 0x12345678, 0, 0, 0x5678}, {"mov.b64 %d0, {%h1, %h2, %h3, %h1};", 'd', 1, 2, 3, 0x0001000300020001},
    {"setp.lt.s32 %p0, %r1, %r2;", 'p', (uint32_t)-1, 0, 0, 1}, {"setp.lo.u32 %p0, %r1, %r2;", 'p', (uint32_t)-1, 0, 0, 0},
    {"setp.ne.and.u32 %p0|%p1, %r1, %r2, 1; not.pred %p0, %p1;", 'p', 1, 2, 0, 1}, {"setp.ltu.f32 %p0, %f1, %f2;", 'p', 0x7FC00000, 0, 0, 1},
    {"setp.lt.f32 %p0, %f1, %f2;", 'p', 0x7FC00000, 0, 0, 0}, {"setp.nan.f64 %p0, %g1, %g2;", 'p', 0x7FF8000000000000, 0, 0, 1},
    {"setp.eq.f16 %p0, %h1, %h2;", 'p', 0x8000, 0, 0, 1}, {"set.gt.u32.f32 %r0, %f1, %f2;", 'r', F(2.f), F(1.f), 0, 0xFFFFFFFF},
    {"set.gt.f32.s32 %f0, %r1, %r2;", 'f', 3, 1, 0, F(1.f)}, {"setp.eq.u32 %p1, %r1, 1; setp.ne.u32 %p2, %r1, 1; xor.pred %p0, %p1, %p2;", 'p', 1, 0, 0, 1},
    {"selp.b32 %r0, %r1, %r2, %p0;", 'r', 1, 2, 0, 99},
    {"add.f32 %f0, %f1, %f2;", 'f', F(1.f), F(0x1p-24f), 0, F(1.f)}, {"add.rp.f32 %f0, %f1, %f2;", 'f', F(1.f), F(0x1p-24f), 0, F(1.f) + 1},
    {"add.rz.f32 %f0, %f1, %f2;", 'f', F(1.f), F(-0x1p-30f), 0, F(1.f) - 1}, {"add.rm.f64 %g0, %g1, %g2;", 'g', G(1.), G(-0x1p-60), 0, G(1.) - 1},
    {"mul.ftz.f32 %f0, %f1, %f2;", 'f', 0x00400000, F(2.f), 0, 0}, {"mul.f32 %f0, %f1, %f2;", 'f', 0x00400000, F(2.f), 0, 0x00800000},
    {"add.sat.f32 %f0, %f1, %f2;", 'f', F(1.f), F(2.f), 0, F(1.f)}, {"fma.rn.f32 %f0, %f1, %f2, %f3;", 'f', F(1.f) + 1, F(1.f) + 1, F(-1.f), F(0x1p-22f)},
    {"fma.rn.f64 %g0, %g1, %g2, %g3;", 'g', G(3.), G(4.), G(5.), G(17.)}, {"div.rn.f32 %f0, %f1, %f2;", 'f', F(1.f), F(3.f), 0, 0x3EAAAAAB},
    {"div.rz.f32 %f0, %f1, %f2;", 'f', F(1.f), F(3.f), 0, 0x3EAAAAAA}, {"rcp.rn.f64 %g0, %g1;", 'g', G(4.), 0, 0, G(.25)},
    {"sqrt.rn.f32 %f0, %f1;", 'f', F(2.f), 0, 0, 0x3FB504F3}, {"sqrt.ru.f32 %f0, %f1;", 'f', 0, 0, 0, 99},
    {"min.f32 %f0, %f1, %f2;", 'f', 0x7FC00000, F(1.f), 0, F(1.f)}, {"min.NaN.f32 %f0, %f1, %f2;", 'f', 0x7FC00000, F(1.f), 0, 0x7FFFFFFF},
    {"min.f32 %f0, %f1, %f2;", 'f', F(0.f), F(-0.f), 0, F(-0.f)}, {"copysign.f32 %f0, %f1, %f2;", 'f', F(-1.f), F(3.f), 0, F(-3.f)},
    {"testp.subnormal.f32 %p0, %f1;", 'p', 1, 0, 0, 1}, {"testp.infinite.f64 %p0, %g1;", 'p', G(1e308 * 10), 0, 0, 1},
    {"add.f16 %h0, %h1, %h2;", 'h', 0x3C00, 0x1000, 0, 0x3C00}, {"fma.rn.f16x2 %r0, %r1, %r2, %r3;", 'r', 0x40003C00, 0x40004000, 0x3C003C00, 0x45004200},
    {"mul.bf16 %h0, %h1, %h2;", 'h', 0x3F80, 0x4040, 0, 0x4040}, {"fma.rn.relu.bf16x2 %r0, %r1, %r2, %r3;", 'r', 0x3F80BF80, 0x3F803F80, 0, 0x3F800000},
    {"max.f16x2 %r0, %r1, %r2;", 'r', 0x3C004000, 0x42003800, 0, 0x42004000}, {"neg.f16x2 %r0, %r1;", 'r', 0x3C004000, 0, 0, 0xBC00C000},
    {"ex2.approx.f32 %f0, %f1;", 'f', F(3.f), 0, 0, F(8.f)}, {"lg2.approx.f32 %f0, %f1;", 'f', F(8.f), 0, 0, F(3.f)},
    {"rsqrt.approx.f32 %f0, %f1;", 'f', F(4.f), 0, 0, F(.5f)}, {"tanh.approx.f32 %f0, %f1;", 'f', 0, 0, 0, 0}, {"ex2.approx.f16x2 %r0, %r1;", 'r', 0x40003C00, 0, 0, 0x44004000},
    {"cvt.u32.u16 %r0, %h1;", 'r', 0x8000, 0, 0, 0x8000}, {"cvt.s32.s16 %r0, %h1;", 'r', 0x8000, 0, 0, 0xFFFF8000}, {"cvt.s8.s32 %r0, %r1;", 'r', 0x180, 0, 0, 0xFFFFFF80},
    {"cvt.u8.u32 %h0, %r1;", 'h', 0x1FF, 0, 0, 0xFF}, {"cvt.sat.u8.s32 %r0, %r1;", 'r', 300, 0, 0, 255}, {"cvt.sat.s8.s32 %r0, %r1;", 'r', (uint32_t)-300, 0, 0, 0xFFFFFF80},
    {"cvt.rzi.s32.f32 %r0, %f1;", 'r', F(-2.7f), 0, 0, (uint32_t)-2}, {"cvt.rni.s32.f32 %r0, %f1;", 'r', F(2.5f), 0, 0, 2}, {"cvt.rpi.s64.f64 %d0, %g1;", 'd', G(2.1), 0, 0, 3},
    {"cvt.rzi.u32.f32 %r0, %f1;", 'r', F(-2.7f), 0, 0, 0}, {"cvt.rzi.s32.f32 %r0, %f1;", 'r', F(1e20f), 0, 0, 0x7FFFFFFF}, {"cvt.rzi.s32.f32 %r0, %f1;", 'r', 0x7FC00000, 0, 0, 0},
    {"cvt.rn.f32.s32 %f0, %r1;", 'f', (uint32_t)-7, 0, 0, F(-7.f)}, {"cvt.rn.f32.u64 %f0, %d1;", 'f', ~0ull, 0, 0, F(18446744073709551616.f)}, {"cvt.rz.f32.u32 %f0, %r1;", 'f', 0xFFFFFFFF, 0, 0, F(4294967040.f)},
    {"cvt.rn.f16.f32 %h0, %f1;", 'h', F(65504.f), 0, 0, 0x7BFF}, {"cvt.rn.f16.f32 %h0, %f1;", 'h', F(65520.f), 0, 0, 0x7C00}, {"cvt.rz.f16.f32 %h0, %f1;", 'h', F(65535.f), 0, 0, 0x7BFF},
    {"cvt.rn.f16.f32 %h0, %f1;", 'h', F(0x1p-24f), 0, 0, 1}, {"cvt.rn.f16.f32 %h0, %f1;", 'h', F(0x1p-25f), 0, 0, 0}, {"cvt.rn.f16.f32 %h0, %f1;", 'h', F(1.00048828125f), 0, 0, 0x3C00},
    {"cvt.rn.bf16.f32 %h0, %f1;", 'h', 0x3F808000, 0, 0, 0x3F80}, {"cvt.rn.bf16.f32 %h0, %f1;", 'h', 0x3F818000, 0, 0, 0x3F82}, {"cvt.rz.bf16.f32 %h0, %f1;", 'h', 0x3F81FFFF, 0, 0, 0x3F81},
    {"cvt.f32.f16 %f0, %h1;", 'f', 0x0001, 0, 0, F(0x1p-24f)}, {"cvt.f32.bf16 %f0, %h1;", 'f', 0x4040, 0, 0, F(3.f)}, {"cvt.rn.f32.f64 %f0, %g1;", 'f', G(1e300), 0, 0, 0x7F800000},
    {"cvt.rm.f32.f64 %f0, %g1;", 'f', G(1 + 0x1p-25), 0, 0, F(1.f)}, {"cvt.rn.f16x2.f32 %r0, %f1, %f2;", 'r', F(1.f), F(2.f), 0, 0x3C004000}, {"cvt.rn.bf16x2.f32 %r0, %f1, %f2;", 'r', F(1.f), F(2.f), 0, 0x3F804000},
    {"cvt.rn.satfinite.e4m3x2.f32 %h0, %f1, %f2;", 'h', F(1000.f), F(1.f), 0, 0x7E38}, {"cvt.rn.satfinite.e5m2x2.f32 %h0, %f1, %f2;", 'h', F(1e6f), F(1.f), 0, 0x7B3C},
    {"cvt.rn.f16x2.e4m3x2 %r0, %h1;", 'r', 0x7E38, 0, 0, 0x5F003C00}, {"cvt.rn.satfinite.e4m3x2.f16x2 %h0, %r1;", 'h', 0x5F003C00, 0, 0, 0x7E38}, {"cvt.rna.tf32.f32 %r0, %f1;", 'r', 0x3F801000, 0, 0, 0x3F802000},
    {"cvt.rni.f32.f32 %f0, %f1;", 'f', F(2.5f), 0, 0, F(2.f)}, {"cvt.sat.f32.f32 %f0, %f1;", 'f', F(2.5f), 0, 0, F(1.f)}, {"cvt.rzi.f64.f64 %g0, %g1;", 'g', G(-2.5), 0, 0, G(-2.)},
    {"mov.f32 %f0, 0f3FC00000;", 'f', 0, 0, 0, F(1.5f)}, {"mov.f32 %f0, 1.5;", 'f', 0, 0, 0, F(1.5f)}, {"mov.f64 %g0, 0d3FF8000000000000;", 'g', 0, 0, 0, G(1.5)}, {"mov.u32 %r0, 017;", 'r', 0, 0, 0, 15},
  };
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    line l = lines[i];
    char text[200];
    if (l.answer == 99 && strstr(l.text, "sqrt")) {          // there is no .ru
      CHECK_EQ(run_of(l.text, 1, 1, 0), 2);
      CHECK(strstr(error, "'.ru' is not known") || strstr(error, "with '.ru'"));
      continue;
    }
    if (l.answer == 99) { snprintf(text, sizeof text, "setp.eq.u32 %%p0, %%r1, 1; %s", l.text); l.text = text; l.answer = 1; }
    check_line(&l, 0);
  }
  case_end();
}

int main(void) {
  test_lines();
  return test_report();
}
