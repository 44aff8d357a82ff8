// lang_hip: the descriptor of HIP C: that of CUDA C (lang_cuda.c) but for what AMD's GPUs and clang have otherwise.
//
// Out: tn_lang_hip fills a tiny_renderer.
#ifndef TN_RENDER_LANG_HIP
#define TN_RENDER_LANG_HIP
#ifndef TINY_AMALGAMATED
#include "lang_cuda.c"
#endif

// gfx: "gfx1100". All of them take one text.
static void tn_lang_hip(tiny_renderer *r, const char *gfx) {
  (void)gfx;
  tn_lang_cuda(r, 0);
  r->name = "HIP C"; r->file = "hip"; r->exp2_ulps = 1;
  r->language.load_turned = r->language.load_rows = NULL;
  r->language.barrier = "meet();";
  r->language.ops[TINY_OP_EXP2] = "power2_%k(%0)";
  // It is compiled with -ffp-contract=off: what is one operation is what the list says (codegen/fuse.c).
  r->language.ops[TINY_OP_FMA] = r->language.vops[TINY_OP_FMA] = "fused(%0, %1, %2)";
  // Copies of iterations are the schedule's to make: clang makes them of all whose number is known, up to 256 registers
  // and beyond (HIP's programming guide, "Unrolling loops").
  r->language.range = "_Pragma(\"nounroll\") for (%t %n = %1; %n < %0; %n++) {";
}
#endif
