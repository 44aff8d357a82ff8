// also: tsan
// test_ptx_machine: PTX by hand on the machine of tests/ptx_machine.h: what each class of instructions answers, by the
// manual's formulas, and each kind of mistake, which is told with its line, group and thread.
#include "ptx_test.h"
#include <pthread.h>

// ** instructions: a, b, c are %d1, %d2, %d3 (%r, %h, %f, %g: of their low bits); the answer is %d0, or %r0, %f0, .. **

typedef struct line { const char *text; char kind; uint64_t a, b, c, answer; } line;
static void check_line(const line *l, uint32_t seed) {
  static const char names[] = "rdhfg";
  static const char *const types[] = {"b32", "b64", "b16", "b32", "b64"};
  char body[1000];
  int n = 0;
  const uint64_t in[3] = {l->a, l->b, l->c};
  for (int i = 0; i < 3; i++) {
    n += snprintf(body + n, sizeof body - (size_t)n,
                  "mov.b64 %%d%d, 0x%llx; cvt.u32.u64 %%r%d, %%d%d; cvt.u16.u64 %%h%d, %%d%d; mov.b32 %%f%d, %%r%d; "
                  "mov.b64 %%g%d, %%d%d;\n",
                  i + 1, (unsigned long long)in[i], i + 1, i + 1, i + 1, i + 1, i + 1, i + 1, i + 1, i + 1);
  }
  const char *kind = strchr(names, l->kind);
  if (l->kind == 'p')
    snprintf(body + n, sizeof body - (size_t)n, "%s selp.u64 %%d0, 1, 0, %%p0; st.global.u64 [%%o], %%d0;", l->text);
  else
    snprintf(body + n, sizeof body - (size_t)n,
             "mov.b64 %%d0, 0; st.global.u64 [%%o], %%d0; %s st.global.%s [%%o], %%%c0;", l->text, types[kind - names],
             l->kind);
  if (!case_named("%s", l->text)) return;
  CHECK_EQ(run_of(body, 1, 1, seed), 0);
  if (*error && test_shown()) fprintf(stderr, "    %s\n", error);
  CHECK_EQ((long long)result(0), (long long)l->answer);
}
static void test_lines(void) {
  const line lines[] = {
      {"add.u32 %r0, %r1, %r2;", 'r', 0xFFFFFFFF, 2, 0, 1},
      {"add.s64 %d0, %d1, -1;", 'd', 5, 0, 0, 4},
      {"add.sat.s32 %r0, %r1, %r2;", 'r', 0x7FFFFFFF, 1, 0, 0x7FFFFFFF},
      {"sub.u16 %h0, %h1, %h2;", 'h', 1, 2, 0, 0xFFFF},
      {"add.cc.u32 %r0, %r1, %r2; addc.u32 %r0, %r3, 0;", 'r', 0xFFFFFFFF, 1, 7, 8},
      {"sub.cc.u32 %r0, %r1, %r2; subc.u32 %r0, %r3, 0;", 'r', 0, 1, 7, 6},
      {"mul.lo.s32 %r0, %r1, %r2;", 'r', 0xFFFFFFFF, 7, 0, 0xFFFFFFF9},
      {"mul.hi.s32 %r0, %r1, %r2;", 'r', 0xFFFFFFFF, 7, 0, 0xFFFFFFFF},
      {"mul.hi.u32 %r0, %r1, %r2;", 'r', 0xFFFFFFFF, 7, 0, 6},
      {"mul.hi.u64 %d0, %d1, %d2;", 'd', ~0ull, 7, 0, 6},
      {"mul.hi.s64 %d0, %d1, %d2;", 'd', ~0ull, 7, 0, ~0ull},
      {"mul.wide.s32 %d0, %r1, %r2;", 'd', 0xFFFFFFFF, 7, 0, (uint64_t)-7},
      {"mul.wide.u16 %r0, %h1, %h2;", 'r', 0xFFFF, 0xFFFF, 0, 0xFFFE0001},
      {"mad.lo.s32 %r0, %r1, %r2, %r3;", 'r', 3, 4, 5, 17},
      {"mad.wide.s32 %d0, %r1, %r2, %d3;", 'd', 0xFFFFFFFF, 4, 5, 1},
      {"mad.hi.u32 %r0, %r1, %r2, %r3;", 'r', 0x80000000, 4, 5, 7},
      {"mul24.lo.u32 %r0, %r1, %r2;", 'r', 0x1000003, 2, 0, 6},
      {"div.s32 %r0, %r1, %r2;", 'r', (uint32_t)-7, 2, 0, (uint32_t)-3},
      {"rem.s32 %r0, %r1, %r2;", 'r', (uint32_t)-7, 2, 0, (uint32_t)-1},
      {"div.u64 %d0, %d1, %d2;", 'd', ~0ull, 2, 0, ~0ull >> 1},
      {"sad.u32 %r0, %r1, %r2, %r3;", 'r', 3, 9, 1, 7},
      {"min.s32 %r0, %r1, %r2;", 'r', (uint32_t)-7, 2, 0, (uint32_t)-7},
      {"max.u32 %r0, %r1, %r2;", 'r', (uint32_t)-7, 2, 0, (uint32_t)-7},
      {"abs.s32 %r0, %r1;", 'r', (uint32_t)-7, 0, 0, 7},
      {"neg.s16 %h0, %h1;", 'h', 7, 0, 0, 0xFFF9},
      {"and.b64 %d0, %d1, %d2;", 'd', 12, 10, 0, 8},
      {"not.b32 %r0, %r1;", 'r', 0, 0, 0, 0xFFFFFFFF},
      {"cnot.b32 %r0, %r1;", 'r', 0, 0, 0, 1},
      {"shl.b32 %r0, %r1, %r2;", 'r', 1, 31, 0, 0x80000000},
      {"shl.b32 %r0, %r1, %r2;", 'r', 1, 32, 0, 0},
      {"shr.s32 %r0, %r1, %r2;", 'r', 0x80000000, 40, 0, 0xFFFFFFFF},
      {"shr.u64 %d0, %d1, %r2;", 'd', 256, 4, 0, 16},
      {"shr.s16 %h0, %h1, %r2;", 'h', 0x8000, 4, 0, 0xF800},
      {"shf.l.wrap.b32 %r0, %r1, %r2, %r3;", 'r', 0x80000001, 2, 1, 5},
      {"shf.r.clamp.b32 %r0, %r1, %r2, %r3;", 'r', 4, 3, 40, 3},
      {"prmt.b32 %r0, %r1, %r2, 0x7531;", 'r', 0x33221100, 0x77665544, 0, 0x77553311},
      {"prmt.b32 %r0, %r1, %r2, 0x9008;", 'r', 0x80, 0, 0, 0x008080FF},
      {"prmt.b32.b4e %r0, %r1, %r2, %r3;", 'r', 0x33221100, 0x77665544, 1, 0x66770011},
      {"bfe.u32 %r0, %r1, %r2, %r3;", 'r', 0xABCD, 4, 8, 0xBC},
      {"bfe.s32 %r0, %r1, %r2, %r3;", 'r', 0xABCD, 4, 8, 0xFFFFFFBC},
      {"bfi.b32 %r0, %r1, %r2, %r3, 8;", 'r', 0xFF, 0, 4, 0xFF0},
      {"bfi.b64 %d0, %d1, %d2, %r3, 8;", 'd', 0xAB, 0, 40, 0xAB0000000000},
      {"brev.b32 %r0, %r1;", 'r', 1, 0, 0, 0x80000000},
      {"popc.b64 %r0, %d1;", 'r', ~0ull, 0, 0, 64},
      {"clz.b32 %r0, %r1;", 'r', 1, 0, 0, 31},
      {"bfind.u32 %r0, %r1;", 'r', 256, 0, 0, 8},
      {"bfind.shiftamt.s32 %r0, %r1;", 'r', 0xFFFFFFFE, 0, 0, 31},
      {"bfind.u64 %r0, %d1;", 'r', 0, 0, 0, 0xFFFFFFFF},
      {"lop3.b32 %r0, %r1, %r2, %r3, 0x96;", 'r', 12, 10, 6, 0},
      {"lop3.b32 %r0, %r1, %r2, %r3, 0xE8;", 'r', 12, 10, 6, 14},
      {"dp4a.s32.s32 %r0, %r1, %r2, %r3;", 'r', 0xFF010203, 0x01010101, 10, 15},
      {"dp2a.lo.u32.u32 %r0, %r1, %r2, %r3;", 'r', 0x00020003, 0x0504, 1, 23},
      {"bmsk.clamp.b32 %r0, %r1, %r2;", 'r', 4, 4, 0, 0xF0},
      {"szext.wrap.s32 %r0, %r1, %r2;", 'r', 0xFF, 8, 0, 0xFFFFFFFF},
      {"slct.u32.s32 %r0, %r1, %r2, %r3;", 'r', 1, 2, 0x80000000, 2},
      {"add.u16x2 %r0, %r1, %r2;", 'r', 0x0001FFFF, 0x00010001, 0, 0x00020000},
      {"max.s16x2 %r0, %r1, %r2;", 'r', 0xFFFF0001, 0x00010000, 0, 0x00010001},
      {"mov.b32 %r0, {%h1, %h2};", 'r', 0x1111, 0x2222, 0, 0x22221111},
      {"mov.b64 {%r4, %r0}, %d1;", 'r', 0x1234567800000009, 0, 0, 0x12345678},
      {"mov.b32 {%h0, _}, %r1;", 'h', 0x12345678, 0, 0, 0x5678},
      {"mov.b64 %d0, {%h1, %h2, %h3, %h1};", 'd', 1, 2, 3, 0x0001000300020001},
      {"setp.lt.s32 %p0, %r1, %r2;", 'p', (uint32_t)-1, 0, 0, 1},
      {"setp.lo.u32 %p0, %r1, %r2;", 'p', (uint32_t)-1, 0, 0, 0},
      {"setp.ne.and.u32 %p0|%p1, %r1, %r2, 1; not.pred %p0, %p1;", 'p', 1, 2, 0, 1},
      {"setp.ltu.f32 %p0, %f1, %f2;", 'p', 0x7FC00000, 0, 0, 1},
      {"setp.lt.f32 %p0, %f1, %f2;", 'p', 0x7FC00000, 0, 0, 0},
      {"setp.nan.f64 %p0, %g1, %g2;", 'p', 0x7FF8000000000000, 0, 0, 1},
      {"setp.eq.f16 %p0, %h1, %h2;", 'p', 0x8000, 0, 0, 1},
      {"set.gt.u32.f32 %r0, %f1, %f2;", 'r', F(2.f), F(1.f), 0, 0xFFFFFFFF},
      {"set.gt.f32.s32 %f0, %r1, %r2;", 'f', 3, 1, 0, F(1.f)},
      {"setp.eq.u32 %p1, %r1, 1; setp.ne.u32 %p2, %r1, 1; xor.pred %p0, %p1, %p2;", 'p', 1, 0, 0, 1},
      {"selp.b32 %r0, %r1, %r2, %p0;", 'r', 1, 2, 0, 99},
      {"add.f32 %f0, %f1, %f2;", 'f', F(1.f), F(0x1p-24f), 0, F(1.f)},
      {"add.rp.f32 %f0, %f1, %f2;", 'f', F(1.f), F(0x1p-24f), 0, F(1.f) + 1},
      {"add.rz.f32 %f0, %f1, %f2;", 'f', F(1.f), F(-0x1p-30f), 0, F(1.f) - 1},
      {"add.rm.f64 %g0, %g1, %g2;", 'g', G(1.), G(-0x1p-60), 0, G(1.) - 1},
      {"mul.ftz.f32 %f0, %f1, %f2;", 'f', 0x00400000, F(2.f), 0, 0},
      {"mul.f32 %f0, %f1, %f2;", 'f', 0x00400000, F(2.f), 0, 0x00800000},
      {"add.sat.f32 %f0, %f1, %f2;", 'f', F(1.f), F(2.f), 0, F(1.f)},
      {"fma.rn.f32 %f0, %f1, %f2, %f3;", 'f', F(1.f) + 1, F(1.f) + 1, F(-1.f), F(0x1p-22f)},
      {"fma.rn.f64 %g0, %g1, %g2, %g3;", 'g', G(3.), G(4.), G(5.), G(17.)},
      {"div.rn.f32 %f0, %f1, %f2;", 'f', F(1.f), F(3.f), 0, 0x3EAAAAAB},
      {"div.rz.f32 %f0, %f1, %f2;", 'f', F(1.f), F(3.f), 0, 0x3EAAAAAA},
      {"rcp.rn.f64 %g0, %g1;", 'g', G(4.), 0, 0, G(.25)},
      {"sqrt.rn.f32 %f0, %f1;", 'f', F(2.f), 0, 0, 0x3FB504F3},
      {"sqrt.ru.f32 %f0, %f1;", 'f', 0, 0, 0, 99},
      {"min.f32 %f0, %f1, %f2;", 'f', 0x7FC00000, F(1.f), 0, F(1.f)},
      {"min.NaN.f32 %f0, %f1, %f2;", 'f', 0x7FC00000, F(1.f), 0, 0x7FFFFFFF},
      {"min.f32 %f0, %f1, %f2;", 'f', F(0.f), F(-0.f), 0, F(-0.f)},
      {"copysign.f32 %f0, %f1, %f2;", 'f', F(-1.f), F(3.f), 0, F(-3.f)},
      {"testp.subnormal.f32 %p0, %f1;", 'p', 1, 0, 0, 1},
      {"testp.infinite.f64 %p0, %g1;", 'p', G(1e308 * 10), 0, 0, 1},
      {"add.f16 %h0, %h1, %h2;", 'h', 0x3C00, 0x1000, 0, 0x3C00},
      {"fma.rn.f16x2 %r0, %r1, %r2, %r3;", 'r', 0x40003C00, 0x40004000, 0x3C003C00, 0x45004200},
      {"mul.bf16 %h0, %h1, %h2;", 'h', 0x3F80, 0x4040, 0, 0x4040},
      {"fma.rn.relu.bf16x2 %r0, %r1, %r2, %r3;", 'r', 0x3F80BF80, 0x3F803F80, 0, 0x3F800000},
      {"max.f16x2 %r0, %r1, %r2;", 'r', 0x3C004000, 0x42003800, 0, 0x42004000},
      {"neg.f16x2 %r0, %r1;", 'r', 0x3C004000, 0, 0, 0xBC00C000},
      {"ex2.approx.f32 %f0, %f1;", 'f', F(3.f), 0, 0, F(8.f)},
      {"lg2.approx.f32 %f0, %f1;", 'f', F(8.f), 0, 0, F(3.f)},
      {"rsqrt.approx.f32 %f0, %f1;", 'f', F(4.f), 0, 0, F(.5f)},
      {"tanh.approx.f32 %f0, %f1;", 'f', 0, 0, 0, 0},
      {"ex2.approx.f16x2 %r0, %r1;", 'r', 0x40003C00, 0, 0, 0x44004000},
      {"cvt.u32.u16 %r0, %h1;", 'r', 0x8000, 0, 0, 0x8000},
      {"cvt.s32.s16 %r0, %h1;", 'r', 0x8000, 0, 0, 0xFFFF8000},
      {"cvt.s8.s32 %r0, %r1;", 'r', 0x180, 0, 0, 0xFFFFFF80},
      {"cvt.u8.u32 %h0, %r1;", 'h', 0x1FF, 0, 0, 0xFF},
      {"cvt.sat.u8.s32 %r0, %r1;", 'r', 300, 0, 0, 255},
      {"cvt.sat.s8.s32 %r0, %r1;", 'r', (uint32_t)-300, 0, 0, 0xFFFFFF80},
      {"cvt.rzi.s32.f32 %r0, %f1;", 'r', F(-2.7f), 0, 0, (uint32_t)-2},
      {"cvt.rni.s32.f32 %r0, %f1;", 'r', F(2.5f), 0, 0, 2},
      {"cvt.rpi.s64.f64 %d0, %g1;", 'd', G(2.1), 0, 0, 3},
      {"cvt.rzi.u32.f32 %r0, %f1;", 'r', F(-2.7f), 0, 0, 0},
      {"cvt.rzi.s32.f32 %r0, %f1;", 'r', F(1e20f), 0, 0, 0x7FFFFFFF},
      {"cvt.rzi.s32.f32 %r0, %f1;", 'r', 0x7FC00000, 0, 0, 0},
      {"cvt.rn.f32.s32 %f0, %r1;", 'f', (uint32_t)-7, 0, 0, F(-7.f)},
      {"cvt.rn.f32.u64 %f0, %d1;", 'f', ~0ull, 0, 0, F(18446744073709551616.f)},
      {"cvt.rz.f32.u32 %f0, %r1;", 'f', 0xFFFFFFFF, 0, 0, F(4294967040.f)},
      {"cvt.rn.f16.f32 %h0, %f1;", 'h', F(65504.f), 0, 0, 0x7BFF},
      {"cvt.rn.f16.f32 %h0, %f1;", 'h', F(65520.f), 0, 0, 0x7C00},
      {"cvt.rz.f16.f32 %h0, %f1;", 'h', F(65535.f), 0, 0, 0x7BFF},
      {"cvt.rn.f16.f32 %h0, %f1;", 'h', F(0x1p-24f), 0, 0, 1},
      {"cvt.rn.f16.f32 %h0, %f1;", 'h', F(0x1p-25f), 0, 0, 0},
      {"cvt.rn.f16.f32 %h0, %f1;", 'h', F(1.00048828125f), 0, 0, 0x3C00},
      {"cvt.rn.bf16.f32 %h0, %f1;", 'h', 0x3F808000, 0, 0, 0x3F80},
      {"cvt.rn.bf16.f32 %h0, %f1;", 'h', 0x3F818000, 0, 0, 0x3F82},
      {"cvt.rz.bf16.f32 %h0, %f1;", 'h', 0x3F81FFFF, 0, 0, 0x3F81},
      {"cvt.f32.f16 %f0, %h1;", 'f', 0x0001, 0, 0, F(0x1p-24f)},
      {"cvt.f32.bf16 %f0, %h1;", 'f', 0x4040, 0, 0, F(3.f)},
      {"cvt.rn.f32.f64 %f0, %g1;", 'f', G(1e300), 0, 0, 0x7F800000},
      {"cvt.rm.f32.f64 %f0, %g1;", 'f', G(1 + 0x1p-25), 0, 0, F(1.f)},
      {"cvt.rn.f16x2.f32 %r0, %f1, %f2;", 'r', F(1.f), F(2.f), 0, 0x3C004000},
      {"cvt.rn.bf16x2.f32 %r0, %f1, %f2;", 'r', F(1.f), F(2.f), 0, 0x3F804000},
      {"cvt.rn.satfinite.e4m3x2.f32 %h0, %f1, %f2;", 'h', F(1000.f), F(1.f), 0, 0x7E38},
      {"cvt.rn.satfinite.e5m2x2.f32 %h0, %f1, %f2;", 'h', F(1e6f), F(1.f), 0, 0x7B3C},
      {"cvt.rn.f16x2.e4m3x2 %r0, %h1;", 'r', 0x7E38, 0, 0, 0x5F003C00},
      {"cvt.rn.satfinite.e4m3x2.f16x2 %h0, %r1;", 'h', 0x5F003C00, 0, 0, 0x7E38},
      {"cvt.rna.tf32.f32 %r0, %f1;", 'r', 0x3F801000, 0, 0, 0x3F802000},
      {"cvt.rni.f32.f32 %f0, %f1;", 'f', F(2.5f), 0, 0, F(2.f)},
      {"cvt.sat.f32.f32 %f0, %f1;", 'f', F(2.5f), 0, 0, F(1.f)},
      {"cvt.rzi.f64.f64 %g0, %g1;", 'g', G(-2.5), 0, 0, G(-2.)},
      {"mov.f32 %f0, 0f3FC00000;", 'f', 0, 0, 0, F(1.5f)},
      {"mov.f32 %f0, 1.5;", 'f', 0, 0, 0, F(1.5f)},
      {"mov.f64 %g0, 0d3FF8000000000000;", 'g', 0, 0, 0, G(1.5)},
      {"mov.u32 %r0, 017;", 'r', 0, 0, 0, 15},
  };
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    line l = lines[i];
    char text[200];
    if (l.answer == 99 && strstr(l.text, "sqrt")) {          // there is no .ru
      CHECK_EQ(run_of(l.text, 1, 1, 0), 2);
      CHECK(strstr(error, "'.ru' is not known") || strstr(error, "with '.ru'"));
      continue;
    }
    if (l.answer == 99) {
      snprintf(text, sizeof text, "setp.eq.u32 %%p0, %%r1, 1; %s", l.text);
      l.text = text;
      l.answer = 1;
    }
    check_line(&l, 0);
  }
  case_end();
}

// ** what a machine says of mistakes: the line, the thread, and words **

#define SHARED ".shared .align 16 .b8 s[1024]; .reg .b32 %a; mov.u32 %a, s; mad.lo.u32 %a, %t, 4, %a;\n"
static void test_mistakes(void) {
  static const mistake mistakes[] = {
      // registers
      {"add.u32 %r0, %r1, 1;", 1, 1, "(0, 0, 0)", "register '%r1' is read before"},
      {"setp.eq.u32 %p1, %t, 3;\n@%p1 mov.u32 %r1, 7;\nadd.u32 %r0, %r1, 1;", 3, 32, "(0, 0, 0)",
       "'%r1' is read before"},
      {"@%p3 mov.u32 %r1, 7;", 1, 1, "(0, 0, 0)", "predicate '%p3' is read before"},
      // memory
      {"st.global.u32 [%o+2], %t;", 1, 1, "(0, 0, 0)", "no multiple of 4"},
      {"ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%o];", 1, 2, "(1, 0, 0)", "no multiple of 16"},
      {"mul.wide.u32 %d1, %t, 32768; add.u64 %d1, %d1, %o; st.global.u32 [%d1], %t;", 1, 4, "(2, 0, 0)", "no memory"},
      {"ld.param.u64 %d0, [out+16];", 1, 1, "(0, 0, 0)", "of parameters"},
      {SHARED "st.shared.u32 [%a+6000], %t;", 2, 1, "(0, 0, 0)", "of shared memory"},
      {".local .align 8 .b8 mine[16];\nst.local.u64 [mine+16], %o;", 2, 1, "(0, 0, 0)", "of local memory"},
      {SHARED "ld.shared.u32 %r0, [%a];", 2, 1, "(0, 0, 0)", "nobody has written"},
      {"cvta.to.shared.u64 %d0, %o;", 1, 1, "(0, 0, 0)", "no address of that space"},
      {"div.u32 %r0, %t, 0;", 1, 1, "(0, 0, 0)", "division by 0"},
      {"ld.global.nc.u32 %r0, [%o];\nst.global.u8 [%o+3], %r0;", 2, 1, "(0, 0, 0)", "which read it past coherence"},
      {"st.global.u16 [%o+2], %t;\nld.global.nc.u32 %r0, [%o];", 2, 1, "(0, 0, 0)", "which wrote it"},
      {"ld.global.nc.v4.u32 {%r0, %r1, %r2, %r3}, [%m];\nred.global.add.u32 [%m+8], 1;", 2, 1, "(0, 0, 0)",
       "which read it past coherence"},
      {"ld.global.nc.u32 %r0, [%m];\nst.u32 [%m], 1;", 2, 1, "(0, 0, 0)", "which read it past coherence"},
      // races
      {SHARED "st.shared.u32 [%a], %t;\nxor.b32 %a, %a, 4; ld.shared.u32 %r0, [%a];", 3, 2, "(0, 0, 0)", "a race"},
      {SHARED "st.shared.u32 [s], %t;", 2, 2, "(1, 0, 0)",
       "a race: shared memory at 0 was written by thread (0, 0, 0)"},
      {SHARED "st.shared.u32 [%a], %t; bar.sync 0;\nxor.b32 %a, %a, 128; ld.shared.u32 %r0, [%a]; st.shared.u32 [%a], "
              "%t;\nxor.b32 %a, %a, 128; st.shared.u32 [%a], %t;",
       3, 64, NULL, "a race: shared memory at"},
      {SHARED "st.shared.u32 [%a], %t; bar.sync 0; st.shared.u32 [%a], %t; bar.warp.sync -1;\nxor.b32 %a, %a, 128; "
              "ld.shared.u32 %r0, [%a];",
       2, 64, NULL, "a race"},
      {SHARED "setp.lt.u32 %p1, %t, 32; @%p1 st.shared.u32 [s], %t; bar.sync 0;\n", 2, 64, "(1, 0, 0)", "a race"},
      // barriers, lanes that are missing
      {"setp.lt.u32 %p1, %t, 32;\n@%p1 bar.sync 0;\n", 2, 64, "(0, 0, 0)", "barrier 0 is reached by 32 of 64"},
      {"setp.lt.u32 %p1, %t, 32; @%p1 bra L;\nbar.sync 1;\nbra M;\nL: bar.sync 2;\nM:", 4, 64, NULL,
       "is reached by 32 of 64"},
      {"setp.lt.u32 %p1, %t, 5;\n@%p1 bar.sync 0;\n", 2, 32, "(0, 0, 0)", "without all of its lanes: 0x0000001f"},
      {"setp.lt.u32 %p1, %t, 16; @%p1 bra L;\nbar.sync 0;\nbra M;\nL: bar.sync 0;\nM:", 4, 32, NULL,
       "without all of its lanes: 0x0000ffff"},
      {"bar.sync 0, 40;", 1, 64, NULL, "which are no warps"},
      {"setp.lt.u32 %p1, %t, 16;\n@%p1 shfl.sync.bfly.b32 %r0, %t, 1, 31, -1;", 2, 32, "(0, 0, 0)",
       "without all of its lanes: 0x0000ffff are here of 0xffffffff"},
      {"shfl.sync.idx.b32 %r0, %t, 9, 31, -1;", 1, 8, "(0, 0, 0)", "lane 9, which is not here"},
      {"shfl.sync.idx.b32 %r0, %t, 0, 31, 0xFF;", 1, 32, "(8, 0, 0)", "does not name itself"},
      {"mov.b32 %r1, 0; mov.b32 %f1, 0f00000000;\nmma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f2,%f3,%f4,%f5}, "
       "{%r1,%r1}, {%r1}, {%f1,%f1,%f1,%f1};",
       2, 16, "(0, 0, 0)", "in a warp of 16"},
      {SHARED "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%a];", 2, 32, "(1, 0, 0)", "no multiple of 16"},
      // copies
      {SHARED "mad.lo.u32 %a, %t, 12, %a; mov.u64 %d1, %m; cp.async.cg.shared.global [%a], [%d1], 16; "
              "cp.async.commit_group;\nld.shared.u32 %r0, [%a];",
       3, 1, "(0, 0, 0)", "a copy to it by thread (0, 0, 0) was not waited for"},
      {SHARED "mad.lo.u32 %a, %t, 12, %a; cp.async.cg.shared.global [%a], [%m], 16; cp.async.commit_group; "
              "cp.async.wait_group 0;\nxor.b32 %a, %a, 16; ld.shared.u32 %r0, [%a];",
       3, 2, "(0, 0, 0)", "a race"},
      {SHARED "cp.async.ca.shared.global [%a], [%m], 4; cp.async.commit_group;\ncp.async.ca.shared.global [%a+512], "
              "[%m], 4; cp.async.commit_group; cp.async.wait_group 1; ld.shared.u32 %r0, [%a];\nld.shared.u32 %r0, "
              "[%a+512];",
       4, 1, "(0, 0, 0)", "not waited for"},
      {SHARED "cp.async.cg.shared.global [%a], [%m], 8;", 2, 1, "(0, 0, 0)", "a copy of"},
      {SHARED "mad.lo.u32 %a, %t, 12, %a; st.shared.v4.u32 [%a], {%t, %t, %r3, %t}; ld.shared.u32 %r1, "
              "[%a+4];\nld.shared.u32 %r1, [%a+8];",
       3, 1, "(0, 0, 0)", "which nobody has written"},
      {SHARED "st.shared.u32 [%a], %r3;", 2, 1, "(0, 0, 0)", "'%r3' is read before"},
      // others
      {"trap;", 1, 1, "(0, 0, 0)", "a trap"},
      {"L: bra L;", 1, 1, "(0, 0, 0)", "more than 100000 instructions"},
  };
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++)
    for (uint32_t seed = 0; seed < 3; seed++) {
      const mistake *m = &mistakes[i];
      char where[100];
      if (!case_named("%s", m->body)) continue;
      CHECK_EQ(run_of(m->body, (uint32_t)m->threads, 1, seed), 1);
      snprintf(where, sizeof where, "line %d, group (0, 0, 0), thread %s", HEAD_LINES + m->line - 1,
               m->thread && !seed ? m->thread : "(");
      CHECK(strstr(error, where) != NULL && strstr(error, m->says) != NULL);
      if (test_shown()) fprintf(stderr, "    %s: %s\n", where, error);
    }
  case_end();
}
// What is no PTX.
static void test_refused(void) {
  static const struct { const char *body, *says;
  } texts[] = {
      {"add.u32 %r0, %r1;;", "no instruction ''"},
      {"frob.u32 %r0, %r1;", "no instruction 'frob'"},
      {"add.u32 %q, %r1, 1;", "no register '%q'"},
      {"bra NOWHERE;", "no label"},
      {".shared .b32 s; add.u32 %r1, %t, s;", "taken by mov"},
      {"add.zz.u32 %r0, %r1, 1;", "is not known"},
      {"add.u32 %d0, %d1, 1;", "register of 64 bits"},
      {"add.f32 %h0, %h1, %h1;", "register of 16"},
      {"call frob;", "no function"},
      {"bar.sync 16;", "no barrier 16"},
      {"ld.global.u32 %r0, %r1;", "without an address"},
      {"setp.u32 %p0, %r1, 1;", "without a comparison"},
      {"{", "the text ends"},
      {"st.global.u32 [nothing], %r1;", "no 'nothing'"},
      {".reg .frob %x;", "no type"},
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    if (!case_named("%s", texts[i].body)) continue;
    CHECK_EQ(run_of(texts[i].body, 1, 1, 0), 2);
    CHECK(strstr(error, texts[i].says) != NULL && strstr(error, "line ") != NULL);
    if (test_shown()) fprintf(stderr, "    %s\n", error);
  }
  case_end();
  const char *none = "int main(void) { return 0; }";
  CHECK(ptx_parse(none, strlen(none), error, sizeof error) == NULL);
  CHECK(ptx_parse("", 0, error, sizeof error) == NULL);
}

// ** warps **

// body leaves %r0 of each thread, which must be f(thread).
static void check_threads(const char *name, const char *body, int threads, int (*f)(int)) {
  char text[4000];
  for (uint32_t seed = 0; seed < 4; seed++) {
    if (!case_named("%s, seed %u", name, (unsigned)seed)) continue;
    memset(memory, 0xEE, sizeof memory);
    for (int i = 0; i < 1024; i++) memory[32768 + i] = (unsigned char)(i * 7);
    snprintf(text, sizeof text, "%s\nst.global.u32 [%%o], %%r0;", body);
    CHECK_EQ(run_of(text, (uint32_t)threads, 1, seed), 0);
    if (*error && test_shown()) fprintf(stderr, "    %s\n", error);
    for (int i = 0; i < threads; i++) CHECK_EQ((int)(uint32_t)result(i), f(i));
  }
  case_end();
}
static int bfly(int i) { return i ^ 5; }
static int down(int i) { return i % 32 + 3 < 32 ? i + 3 : i; }
static int up_of_eight(int i) { return i % 8 >= 2 ? i - 2 : i; }
static int third(int i) { return i / 32 * 32 + 3; }
static int odd_lanes(int i) { return i % 2 ? (int)0xAAAAAAAA : 0x55555555; }
static int collatz(int i) { int n = 0; for (i++; i != 1; n++) i = i % 2 ? 3 * i + 1 : i / 2; return n; }
static int sum_64(int i) { (void)i; return 64 * 63 / 2; }
static int squared(int i) { return i * i + 1; }
static int neighbour(int i) { (void)i; return 7; }
static int twice(int i) { return 2 * i; }
static int table(int i) { return 10 * (i % 3 + 1); }
static int copied(int i) {
  const int k = 4 * ((i ^ 33) & 63);
  return (int)((unsigned)(k * 7 & 255) | (unsigned)((k + 1) * 7 & 255) << 8 | (unsigned)((k + 2) * 7 & 255) << 16 |
               (unsigned)((k + 3) * 7 & 255) << 24);
}
static int half_zeros(int i) { const int k = copied(i ^ 33); return i % 2 ? 0 : k; }
static int ranked(int i) { return i; }
static int lanes_up(int i) { return i / 32; }
static int least_lane(int i) { return i % 32 / 4 * 4; }
static int is_odd_count(int i) { (void)i; return 32; }
static void test_warps(void) {
  check_threads("neighbours", "ld.global.nc.u8 %r0, [%m+1];\nst.global.u8 [%m], %r0; ld.global.nc.u8 %r0, [%m+1];", 2,
                neighbour);
  check_threads("bfly", "shfl.sync.bfly.b32 %r0, %t, 5, 31, -1;", 64, bfly);
  check_threads("down", "shfl.sync.down.b32 %r0|%p1, %t, 3, 31, -1;", 64, down);
  check_threads("up", "shfl.sync.up.b32 %r0|%p1, %t, 2, 0x1800, -1;", 32, up_of_eight);
  check_threads("idx", "shfl.sync.idx.b32 %r0, %t, 3, 31, -1;", 64, third);
  // Lanes that come from two sides of a branch stand together.
  check_threads("met",
                "and.b32 %r1, %t, 1; setp.eq.u32 %p1, %r1, 1; @%p1 bra L; add.u32 %r2, %t, 0; bra M; L: mov.u32 %r2, "
                "%t;\n"
                "M: shfl.sync.bfly.b32 %r0, %r2, 5, 31, -1;",
                32, bfly);
  // .. also where the text has the one side behind.
  check_threads("met behind", "and.b32 %r1, %t, 1; setp.eq.u32 %p1, %r1, 1; @%p1 bra L; mov.u32 %r2, %t;\n"
                "M: shfl.sync.bfly.b32 %r0, %r2, 5, 31, -1; bra N; L: mov.u32 %r2, %t; bra M; N:", 32, bfly);
  check_threads("match", "and.b32 %r1, %t, 1; match.any.sync.b32 %r0, %r1, -1;", 32, odd_lanes);
  check_threads("vote",
                "and.b32 %r1, %t, 1; setp.eq.u32 %p1, %r1, 1; vote.sync.ballot.b32 %r2, %p1, -1; not.b32 %r3, %r2; "
                "selp.b32 %r0, %r2, %r3, %p1;",
                32, odd_lanes);
  check_threads("redux",
                "shr.u32 %r1, %t, 2; shl.b32 %r2, 15, 0; match.any.sync.b32 %r3, %r1, -1; redux.sync.min.u32 %r4, %t, "
                "-1; brev.b32 %r0, %r3; clz.b32 %r0, %r0;"
                "add.u32 %r0, %r0, %r4;",
                32, least_lane);
  check_threads("collatz",
                "mov.u32 %r0, 0; add.u32 %r1, %t, 1;\nL: setp.eq.u32 %p1, %r1, 1; @%p1 bra M; add.u32 %r0, %r0, 1; "
                "and.b32 %r2, %r1, 1;"
                "setp.eq.u32 %p2, %r2, 0; @%p2 bra E; mad.lo.u32 %r1, %r1, 3, 1; bra L; E: shr.u32 %r1, %r1, 1; "
                "bra.uni L; M:",
                64, collatz);
  check_threads("switch",
                "T: .branchtargets A, B, C;\nrem.u32 %r1, %t, 3; brx.idx %r1, T; A: mov.u32 %r0, 10; bra D; B: mov.u32 "
                "%r0, 20; bra D; C: mov.u32 %r0, 30; D:",
                40, table);
  check_threads("predicates of a barrier", "and.b32 %r1, %t, 1; setp.eq.u32 %p1, %r1, 1; bar.red.popc.u32 %r0, 0, %p1;",
                64, is_odd_count);
  check_threads("sum of a group",
                SHARED "setp.ne.u32 %p1, %t, 0; mov.u32 %r5, 0; @!%p1 st.shared.u32 [s], %r5; bar.sync 0; "
                       "red.shared.add.u32 [s], %t; bar.sync 0; ld.shared.u32 %r0, [s];",
                64, sum_64);
  check_threads("generic and local",
                ".local .align 8 .b8 mine[16]; .reg .u64 %at; cvta.local.u64 %at, mine; st.u32 [%at+4], %t; "
                "ld.local.u32 %r0, [mine+4]; mad.lo.u32 %r0, %r0, %r0, 1;",
                64, squared);
  check_threads("named barriers",
                SHARED "setp.lt.u32 %p1, %t, 32; @%p1 bra L;\nst.shared.u32 [%a], %t; bar.arrive 1, 64; mul.lo.u32 "
                       "%r0, %t, 2; bra M;\nL: bar.sync 1, 64; xor.b32 %a, %a, 128; ld.shared.u32 %r0, [%a]; sub.u32 "
                       "%r0, %r0, 32; mul.lo.u32 %r0, %r0, 2;\nM:",
                64, twice);
  check_threads("late copies",
                SHARED "mul.wide.u32 %d1, %t, 4; add.u64 %d1, %d1, %m; cp.async.ca.shared.global [%a], [%d1], 4; "
                       "cp.async.commit_group;\ncp.async.wait_group 0; bar.sync 0; xor.b32 %a, %a, 132; ld.shared.u32 "
                       "%r0, [%a];",
                64, copied);
  check_threads("copies of less",
                SHARED "mul.wide.u32 %d1, %t, 4; add.u64 %d1, %d1, %m; and.b32 %r1, %t, 1; setp.eq.u32 %p1, %r1, 1; "
                       "selp.b32 %r1, 0, 4, %p1; cp.async.ca.shared.global [%a], [%d1], 4, %r1;\ncp.async.wait_all; "
                       "ld.shared.u32 %r0, [%a];",
                64, half_zeros);
  check_threads("ordered by lanes",
                SHARED "st.shared.u32 [%a], %t; bar.warp.sync -1; xor.b32 %a, %a, 20; ld.shared.u32 %r0, [%a];", 64,
                bfly);
  check_threads("atomics",
                "mov.u32 %r1, 0; setp.eq.u32 %p1, %t, 0; @%p1 st.global.u32 [%m+2048], %r1; bar.sync 0; "
                "atom.global.add.u32 %r2, [%m+2048], 1; atom.global.max.u32 %r3, [%m+2048], %r2; bar.sync 0; "
                "ld.global.u32 %r0, [%m+2048]; sub.u32 %r0, %r0, 64; add.u32 %r0, %r0, %t;",
                64, ranked);
  check_threads("strong accesses",
                SHARED "st.volatile.shared.u32 [s], %t; ld.volatile.shared.u32 %r1, [s]; mov.u32 %r0, %t;", 64, ranked);
  check_threads("warps", "mov.u32 %r0, %warpid;", 96, lanes_up);
}
static void test_grid(void) {
  memset(memory, 0, sizeof memory);
  for (uint32_t seed = 0; seed < 3; seed++) {
    CHECK_EQ(run_of("mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mad.lo.u32 %r2, %r0, %r1, %t; ld.param.u64 %d0, "
                    "[out]; mad.wide.u32 %d0, %r2, 8, %d0; cvt.u64.u32 %d1, %r2; st.global.u64 [%d0], %d1;",
                    40, 7, seed),
             0);
    for (int i = 0; i < 280; i++) CHECK_EQ((int)result(i), i);
  }
  CHECK(counts.instructions > 0 && counts.stores == 14);
}
static void test_functions(void) {
  static const char text[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                             ".func (.param .b32 r) square(.param .b32 a, .param .b64 none) { .reg .b32 %x; "
                             "ld.param.b32 %x, [a]; "
                             "mul.lo.u32 %x, %x, %x; st.param.b32 [r], %x; ret; }\n"
                             ".const .align 4 .u32 added[2] = {1, 5};\n"
                             ".visible .entry k(.param .u64 out, .param .u32 n) {\n.reg .b32 %r<4>; .reg .b64 %d<3>; "
                             ".reg .pred %p;\n"
                             "mov.u32 %r0, %tid.x; ld.param.u64 %d0, [out]; mad.wide.u32 %d0, %r0, 8, %d0; setp.lt.u32 "
                             "%p, %r0, 7; mov.u32 %r2, 0; @%p bra L;\n"
                             "{ .param .b32 in; .param .b32 back; .param .b64 no; st.param.b64 [no], %d0; st.param.b32 "
                             "[in], %r0; call.uni (back), square, "
                             "(in, no); ld.param.b32 %r2, [back]; }\n"
                             "L: ld.const.u32 %r1, [added+4]; add.u32 %r2, %r2, %r1; cvt.u64.u32 %d1, %r2; "
                             "st.global.u64 [%d0], %d1; ret; }\n";
  ptx_module *m = ptx_parse(text, sizeof text, error, sizeof error);
  CHECK(m != NULL);
  if (!m) { fprintf(stderr, "%s\n", error); return; }
  const ptx_launch l = launch_of(20, 0);
  CHECK_EQ(ptx_run(m, &l, NULL, error, sizeof error), 0);
  for (int i = 0; i < 20; i++) CHECK_EQ((int)result(i), (i < 7 ? 0 : i * i) + 5);
  CHECK(ptx_target(m) == 80 && ptx_kernel_at(m, 0) == ptx_find(m, "k") && !ptx_kernel_at(m, 1) &&
        !ptx_find(m, "square"));
  CHECK(ptx_find(m, "k")->param_nbytes == 12 && ptx_find(m, "k")->barriers == 0);
  ptx_free(m);
}

// ** matrices: each lane's elements by the manual's formulas, against a plain product **

// m, n, k; bits of an element of a; of c and d (16 or 32); its kind, and values by 0 .. 15.
typedef struct product { const char *name; int m, k, bits, c_bits; const char *types; } product;
static uint32_t element_of(const product *p, int x) {        // a small whole number as an element
  if (strstr(p->types, "s32")) return (uint32_t)x & 0xFF;
  if (strstr(p->types, "bf16")) return (uint32_t)ptx_encode(x, &ptx_bf16_format, PTX_W_rn, 0);
  if (strstr(p->types, "tf32")) return (uint32_t)F((float)x);
  if (strstr(p->types, "e4m3")) return ptx_encode(x, &ptx_e4m3_format, PTX_W_rn, 0);
  if (strstr(p->types, "e5m2")) return ptx_encode(x, &ptx_e5m2_format, PTX_W_rn, 0);
  return ptx_encode(x, &ptx_f16_format, PTX_W_rn, 0);
}
static int of_c(int row, int column) { return row - 2 * column; }
static void check_product(const product *p) {
  const int each = 32 / p->bits, na = p->m * p->k / 32 / each, nb = 8 * p->k / 32 / each, c_each = 32 / p->c_bits,
            nc = p->m * 8 / 32 / c_each;
  const int real = strstr(p->types, "s32") == NULL;
  uint32_t word[32][16];
  char body[3000], *at = body;
  for (int lane = 0; lane < 32; lane++) {
    const int group = lane >> 2, in_group = lane & 3;
    for (int r = 0; r < na; r++) {
      word[lane][r] = 0;
      for (int e = 0; e < each; e++) {     // the manual's: row groupID or groupID + 8, columns beside each other
        const int row = p->m == 16 && r % 2 ? group + 8 : group,
                  column = in_group * each + e + (p->m == 16 ? r / 2 : r) * 4 * each;
        word[lane][r] |= element_of(p, of_a(row, column)) << (p->bits * e & 31);
      }
    }
    for (int r = 0; r < nb; r++) {
      word[lane][na + r] = 0;
      for (int e = 0; e < each; e++)
        word[lane][na + r] |= element_of(p, of_b(in_group * each + e + r * 4 * each, group)) << (p->bits * e & 31);
    }
    for (int r = 0; r < nc; r++) {
      word[lane][na + nb + r] = 0;
      for (int e = 0; e < c_each; e++) {
        const int i = r * c_each + e, c = of_c(i < 2 ? group : group + 8, in_group * 2 + i % 2);
        word[lane][na + nb + r] |= (!real             ? (uint32_t)c
                                    : p->c_bits == 32 ? (uint32_t)F((float)c)
                                                      : ptx_encode(c, &ptx_f16_format, PTX_W_rn, 0))
                                   << (16 * e & 31);
      }
    }
    memcpy(memory + 32768 + 64 * lane, word[lane], 64);
  }
  at += sprintf(at, "mad.wide.u32 %%d0, %%t, 64, %%m;\n");
  for (int r = 0; r < na + nb + nc; r++)
    at += sprintf(at, "ld.global.b32 %%%c%d, [%%d0+%d];\n", r >= na + nb && real && p->c_bits == 32 ? 'f' : 'r', r,
                  4 * r);
  at += sprintf(at, "mma.sync.aligned.m%dn8k%d.row.col.%s {", p->m, p->k, p->types);
  for (int r = 0; r < na + nb + nc + nc; r++) {
    const int k = r < nc ? na + nb + r : r - nc, c = r < nc || r >= nc + na + nb;
    at += sprintf(at, "%s%%%c%d",
                  r == nc || r == nc + na || r == nc + na + nb ? "}, {"
                  : r                                          ? ","
                                                               : "",
                  c && real && p->c_bits == 32 ? 'f' : 'r', k);
  }
  at += sprintf(at, "};\nmad.wide.u32 %%o, %%t, 8, %%o;\n");
  for (int r = 0; r < nc; r++)
    at += sprintf(at, "st.global.b32 [%%o+%d], %%%c%d;\n", 4 * r, real && p->c_bits == 32 ? 'f' : 'r', na + nb + r);
  if (!case_named("mma %s", p->name)) return;
  CHECK_EQ(run_of(body, 32, 1, 0), 0);
  if (*error && test_shown()) fprintf(stderr, "    %s\n", error);
  for (int lane = 0; lane < 32; lane++)
    for (int i = 0; i < nc * c_each; i++) {
      const int row = (i < 2 ? 0 : 8) + (lane >> 2), column = (lane & 3) * 2 + i % 2;
      int want = of_c(row, column);
      uint32_t got;
      for (int k = 0; k < p->k; k++) want += of_a(row, k) * of_b(k, column);
      memcpy(&got, memory + 16 * lane + 4 * (i / c_each), 4);
      if (p->c_bits == 16) got = got >> 16 * (i % 2) & 0xFFFF;
      CHECK_EQ(!real ? (int)got : (int)(p->c_bits == 32 ? ptx_f32(got) : ptx_of_f16(got)), want);
    }
  CHECK(counts.matrix == 1);
}
static void test_products(void) {
  static const product products[] = {
      {"f16 k8", 16, 8, 16, 32, "f32.f16.f16.f32"},      {"f16 k8 to f16", 16, 8, 16, 16, "f16.f16.f16.f16"},
      {"f16 k16", 16, 16, 16, 32, "f32.f16.f16.f32"},    {"bf16 k8", 16, 8, 16, 32, "f32.bf16.bf16.f32"},
      {"bf16 k16", 16, 16, 16, 32, "f32.bf16.bf16.f32"}, {"tf32 k4", 16, 4, 32, 32, "f32.tf32.tf32.f32"},
      {"tf32 k8", 16, 8, 32, 32, "f32.tf32.tf32.f32"},   {"s8 k16", 16, 16, 8, 32, "s32.s8.s8.s32"},
      {"s8 k32", 16, 32, 8, 32, "s32.s8.s8.s32"},        {"e4m3 k32", 16, 32, 8, 32, "f32.e4m3.e4m3.f32"},
      {"e5m2 k32", 16, 32, 8, 32, "f32.e5m2.e5m2.f32"},  {"s8 m8", 8, 16, 8, 32, "s32.s8.s8.s32"},
  };
  for (size_t i = 0; i < sizeof products / sizeof *products; i++) check_product(&products[i]);
  case_end();
}
static void test_product_f64(void) {
  double out[2];
  for (int lane = 0; lane < 32; lane++) {
    const double in[4] = {of_a(lane / 4, lane % 4), of_b(lane % 4, lane / 4), of_c(lane / 4, lane % 4 * 2),
                          of_c(lane / 4, lane % 4 * 2 + 1)};
    memcpy(memory + 32768 + 32 * lane, in, sizeof in);
  }
  CHECK_EQ(run_of("mad.wide.u32 %d0, %t, 32, %m; ld.global.v2.f64 {%g1, %g2}, [%d0]; ld.global.v2.f64 {%g3, %g4}, "
                  "[%d0+16];\n"
                  "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%g5, %g6}, {%g1}, {%g2}, {%g3, %g4};\n"
                  "mad.wide.u32 %d1, %t, 8, %o; st.global.v2.f64 [%d1], {%g5, %g6};",
                  32, 1, 0),
           0);
  if (*error) fprintf(stderr, "    %s\n", error);
  for (int lane = 0; lane < 32; lane++)
    for (int i = 0; i < 2; i++) {
      const int row = lane / 4, column = lane % 4 * 2 + i;
      double want = of_c(row, column);
      for (int k = 0; k < 4; k++) want += of_a(row, k) * of_b(k, column);
      memcpy(out, memory + 16 * lane, sizeof out);
      CHECK(out[i] == want);
    }
}
// ldmatrix: rows by addresses of lanes; a word of each has columns 2 * (lane % 4) and the next of row lane / 4.
static int as_rows(int i) { return (i / 4 * 8 + i % 4 * 2 + 64) | (i / 4 * 8 + i % 4 * 2 + 65) << 16; }
static int as_columns(int i) { return (i % 4 * 16 + i / 4 + 64) | (i % 4 * 16 + 8 + i / 4 + 64) << 16; }
static void test_ldmatrix(void) {
  static const char fill[] = SHARED ".reg .b16 %w; .reg .b32 %b; mov.u32 %b, s; mov.u32 %r1, 0;\nL: mad.lo.u32 %r2, "
                                    "%r1, 32, %t; cvt.u16.u32 %w, %r2; mad.lo.u32 %r3, %r2, 2, %b; st.shared.u16 "
                                    "[%r3], %w; add.u32 %r1, %r1, 1;"
                                    "setp.lt.u32 %%p1, %%r1, 8; @%%p1 bra L; bar.sync 0; mad.lo.u32 %%r5, %%t, 16, "
                                    "%%b;\n";
  char body[1500], text[1000];
  snprintf(text, sizeof text, "%s", fill);
  for (char *p = text; (p = strstr(p, "%%")) != NULL; ) memmove(p, p + 1, strlen(p));
  snprintf(body, sizeof body, "%s ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%%r6, %%r0, %%r7, %%r8}, [%%r5];", text);
  check_threads("ldmatrix", body, 32, as_rows);
  snprintf(body, sizeof body, "%s ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%%r6, %%r0}, [%%r5];", text);
  check_threads("ldmatrix.trans", body, 32, as_columns);
  snprintf(body, sizeof body,
           "%s ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%%r6, %%r7}, [%%r5]; movmatrix.sync.aligned.m8n8.trans.b16 "
           "%%r0, %%r7;",
           text);
  check_threads("movmatrix", body, 32, as_columns);
  snprintf(body, sizeof body,
           "%s ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%%r6, %%r7}, [%%r5]; bar.sync 0; add.u32 %%r5, %%r5, 512; "
           "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%%r5], {%%r6, %%r7}; bar.sync 0; add.u32 %%r5, %%r5, 0;"
           "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%%r6, %%r0}, [%%r5];",
           text);
  check_threads("stmatrix", body, 32, as_rows);
}

// Approximations are anywhere within the manual's bounds, and not always the same.
static void test_bounds(void) {
  static const struct { const char *text; float x; double bound, absolute; double (*f)(double); } ops[] = {
    {"ex2.approx.f32", 1.3f, 0x1p-22, 0, exp2}, {"lg2.approx.f32", 5.3f, 0x1p-22, 0, log2},
    {"sin.approx.f32", 1.3f, 0, 0x1p-20, sin}, {"cos.approx.f32", 1.3f, 0, 0x1p-20, cos},
    {"tanh.approx.f32", 0.7f, 0x1p-11, 0, tanh}, {"sqrt.approx.f32", 5.3f, 0x1p-23, 0, sqrt},
  };
  for (size_t k = 0; k < sizeof ops / sizeof *ops; k++) {
    const double want = ops[k].f((double)ops[k].x), most = ops[k].bound * fabs(want) + ops[k].absolute;
    int others = 0;
    float first = 0;
    if (!case_named("%s", ops[k].text)) continue;
    for (uint32_t seed = 0; seed < 12; seed++) {
      char body[200];
      snprintf(body, sizeof body, "mov.b32 %%f1, 0x%08x; %s %%f0, %%f1; st.global.f32 [%%o], %%f0;",
               (unsigned)F(ops[k].x), ops[k].text);
      CHECK_EQ(run_of(body, 1, 1, seed), 0);
      const float got = ptx_f32(result(0));
      if (!seed) first = got;
      others += got != first;
      CHECK(fabs((double)got - want) <= most * 1.51);        // and rounded to a float
    }
    CHECK(others > 0);
  }
  case_end();
}

// A text that ends anywhere, and one that is changed anywhere: refused or not, nothing else happens (asan).
static void test_broken(void) {
  static const char text[] =
      ".version 8.0\n.target sm_90a\n.address_size 64\n.const .align 4 .u32 c[2] = {1, 5};\n"
      ".func (.param .b32 r) f(.param .b32 a) { .reg .b32 %x; ld.param.b32 %x, [a]; st.param.b32 [r], %x; ret; }\n"
      ".visible .entry k(.param .u64 out) .maxntid 32, 1, 1 {\n.pragma \"nounroll\";\n.reg .pred %p<3>; .reg .b32 "
      "%r<9>; "
      ".reg .b64 %d<9>; .shared .align 16 .b8 s[64];\nT: .branchtargets A, B;\nmov.u32 %r1, %tid.x; @%p1 bra A; "
      "{ .param .b32 i; .param .b32 o; st.param.b32 [i], %r1; call (o), f, (i); }\n"
      "A: mov.b64 %d1, {%r1, %r1}; setp.eq.and.f32 %p1|%p2, %r1, 0f3F800000, !%p1;\nB: brx.idx %r1, T; /* end */ }";
  char changed[sizeof text];
  uint32_t random = 1;
  int taken = 0;
  for (size_t i = 0; i < sizeof text; i++) {
    ptx_module *m = ptx_parse(text, i, error, sizeof error);
    taken += m != NULL;
    ptx_free(m);
  }
  CHECK(taken >= 1 && taken < 200);
  for (int k = 0; k < 3000; k++) {
    memcpy(changed, text, sizeof text);
    for (int j = 0; j <= k % 3; j++) {
      random = random * 1664525u + 1013904223u;
      changed[(random >> 8) % (sizeof text - 1)] = "{}[]();,.%|@ 9x\n!+-:_"[(random >> 3) % 21];
    }
    ptx_module *m = ptx_parse(changed, sizeof text, error, sizeof error);
    CHECK(m != NULL || *error);
    if (!m) continue;
    ptx_launch l = launch_of(8, 0);
    l.max_steps = 200;
    ptx_run(m, &l, NULL, error, sizeof error);
    ptx_free(m);
  }
}

// Two threads run a kernel of one module.
typedef struct runner { const ptx_module *m; uint64_t out[64], params[2]; int code; } runner;
static void *runner_at(void *user, uint64_t address, size_t nbytes, int writes) {
  runner *r = (runner *)user;
  (void)writes;
  return address >= AT && address + nbytes <= AT + sizeof r->out ? (char *)r->out + (address - AT) : NULL;
}
static void *runner_main(void *arg) {
  runner *r = (runner *)arg;
  char said[200];
  ptx_launch l = launch_of(64, 0);
  r->params[0] = AT;
  l.params = r->params; l.memory.user = r; l.memory.at = runner_at;
  for (int k = 0; k < 20; k++) r->code |= ptx_run(r->m, &l, NULL, said, sizeof said);
  return NULL;
}
static void test_threads(void) {
  static runner runners[2];
  static char text[2000];
  pthread_t thread[2];
  snprintf(text, sizeof text,
           "%smul.wide.u32 %%d1, %%t, 3; add.f32 %%f1, 0f3F800000, 0f33800000; div.rz.f32 %%f1, %%f1, 0f40400000;"
           "bar.sync 0; st.global.u64 [%%o], %%d1; ret; }",
           head);
  ptx_module *m = ptx_parse(text, strlen(text), error, sizeof error);
  CHECK(m != NULL);
  for (int i = 0; i < 2; i++) { runners[i].m = m; CHECK(!pthread_create(&thread[i], NULL, runner_main, &runners[i])); }
  for (int i = 0; i < 2; i++) CHECK(!pthread_join(thread[i], NULL));
  for (int i = 0; i < 2; i++) CHECK(!runners[i].code && runners[i].out[63] == 63 * 3);
  ptx_free(m);
}
// What a target has not, and launches beyond its limits.
static void test_targets(void) {
  static const struct { int target; const char *body, *says; } texts[] = {
    {75, "cp.async.wait_all;", "from sm_80 on"}, {80, "fence.proxy.async;", "from sm_90 on"},
    {80, "cvt.rn.satfinite.e4m3x2.f32 %h, %f, %f;", "from sm_89 on"}, {75, "cvt.rn.bf16.f32 %h, %f;", "from sm_80 on"},
    {90, "wgmma.fence.sync.aligned;", "sm_90a alone"}, {80, ".shared .b8 s[50000]; mov.u32 %r, s;", "not dynamic"},
    {75, "mov.u32 %r, 1;", "bytes of shared memory"},
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    char text[600];
    snprintf(text, sizeof text,
             ".version 8.4\n.target sm_%d\n.address_size 64\n.visible .entry k() {\n.reg .b32 %%r; .reg .f32 %%f;"
             ".reg .b16 %%h; %s ret; }",
             texts[i].target, texts[i].body);
    ptx_module *m = ptx_parse(text, strlen(text), error, sizeof error);
    ptx_launch l = launch_of(1, 0);
    l.dynamic_shared = 70000;
    CHECK(!m || ptx_run(m, &l, NULL, error, sizeof error));
    CHECK(strstr(error, texts[i].says) != NULL);
    ptx_free(m);
  }
}

int main(void) {
  test_lines();
  test_mistakes();
  test_refused();
  test_warps();
  test_grid();
  test_functions();
  test_products();
  test_product_f64();
  test_ldmatrix();
  test_bounds();
  test_broken();
  test_threads();
  test_targets();
  return test_report();
}
