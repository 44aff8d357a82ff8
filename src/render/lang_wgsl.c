// lang_wgsl: the descriptor of WGSL, the language of WebGPU: f32, i32 and u32, and bools that are never in memory; f16
// where the device has "shader-f16". Vectors of 2 and 4, in registers: memory is read element by element.
//
// Out: tn_lang_wgsl fills a tiny_renderer. A module is one kernel: memory of PARAM k is binding k
//      of group 0, ARG k binding k of group 1, LOCAL memory belongs to the module.
// Holds:
//  - What needs 64 or 8 bits, bf16, bools in memory, or vectors of memory has no form here: rendering it says so.
//  - exp2, log2 and sin are the language's, which are off by 3 + 2 |x| ulp, by 3 or 2^-21, by 2^-11 ("Accuracy of
//    Concrete Floating Point Expressions"): what rules/transcendental.c makes of them depends on the order of
//    additions, which implementations may change ("Reassociation and Fusion").
//  - f16 is computed in f32 where limits.dtypes leaves it out, as on any device.
//  - Subgroups exchange values where the device has "subgroups", their least and greatest sizes are the same, which is
//    the limits' warp, and the language feature subgroup_id is there: items are numbered by them, as which items are
//    their lanes is the device's affair.
//  - select has both of its values computed. An element beyond the memory may be read: some element of the memory, or
//    0, is what it gives (WGSL, "Invalid memory references").
//  - Infinity and NaN are values that no constant expression may have: functions make them of bits.
//  - By the letter an implementation may take it that there are none ("Differences from IEEE-754").
// What is what: W3C, WebGPU Shading Language.
#ifndef TN_RENDER_LANG_WGSL
#define TN_RENDER_LANG_WGSL
#ifndef TINY_AMALGAMATED
#include "../ir/uop.c"
#endif

// limits.atomics: WGSL, 17.8.
#define TN_WGSL_ATOMICS ((uint64_t)1 << TINY_I32 | (uint64_t)1 << TINY_U32)

enum { TN_WGSL_F16 = 1, TN_WGSL_SUBGROUPS = 2 };               // what a device has

#define TN_WGSL_NUMBERS \
  "fn infinity() -> f32 { let bits = 0x7F800000u; return bitcast<f32>(bits); }", \
  "fn not_a_number() -> f32 { let bits = 0x7FC00000u; return bitcast<f32>(bits); }", NULL
static void tn_lang_wgsl(tiny_renderer *r, int has) {
  static const char *const preludes[][4] = {
    {TN_WGSL_NUMBERS}, {"enable f16;", TN_WGSL_NUMBERS}, {"enable subgroups;", TN_WGSL_NUMBERS},
    {"enable f16, subgroups;", TN_WGSL_NUMBERS}
  };
  // Shifts are by u32. NEG is not there for u32, nor ^ for bools.
  static const struct { int op; const char *format; } ops[] = {
    {TINY_OP_ADD, "%0 + %1"}, {TINY_OP_SUB, "%0 - %1"}, {TINY_OP_MUL, "%0 * %1"}, {TINY_OP_FDIV, "%0 / %1"},
    {TINY_OP_CDIV, "%0 / %1"}, {TINY_OP_CMOD, "%0 %% %1"}, {TINY_OP_AND, "%0 & %1"}, {TINY_OP_OR, "%0 | %1"},
    {TINY_OP_XOR, "%0 ^ %1"}, {TINY_OP_SHL, "%0 << u32(%1)"}, {TINY_OP_SHR, "%0 >> u32(%1)"}, {TINY_OP_LT, "%0 < %1"},
    {TINY_OP_NE, "%0 != %1"}, {TINY_OP_EQ, "%0 == %1"}, {TINY_OP_WHERE, "select(%2, %1, %0)"},
    {TINY_OP_SQRT, "sqrt(%0)"}, {TINY_OP_TRUNC, "trunc(%0)"}, {TINY_OP_EXP2, "exp2(%0)"}, {TINY_OP_LOG2, "log2(%0)"},
    {TINY_OP_SIN, "sin(%0)"}, {TINY_OP_CAST, "%t(%0)"}, {TINY_OP_BITCAST, "bitcast<%t>(%0)"}, {TINY_OP_LOAD, "%0"},
    {TINY_OP_STORE, "%0 = %1"}, {TINY_OP_BROADCAST, "%t(%0)"}, {TINY_OP_STACK, "%t(%a)"}, {TINY_OP_PICK, "%0[%k]"}
  };
  tiny_language *l = &r->language;
  memset(r, 0, sizeof *r);
  r->name = "WGSL"; r->file = "wgsl";
  r->flags = TINY_TARGET_OPTIMIZES | TINY_TARGET_ALONE;    // magic products would want 64 bits
  l->prelude = preludes[has];
  l->global_buffer = "@group(0) @binding(%k) var<storage, read_write> %n: array<%t>;";
  l->global_atomic = "@group(0) @binding(%k) var<storage, read_write> %n: array<atomic<%t>>;";
  l->atomics[TINY_I32] = l->atomics[TINY_U32] = "atomicAdd(&%0, %1)";
  l->global_scalar = "@group(1) @binding(%k) var<uniform> %n: %t;";
  l->kernel = "@compute @workgroup_size(%0, %1, %2)\n"
      "fn %n(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) item: vec3<u32>) {";
  l->end = "}";
  l->global_local = "var<workgroup> %n: array<%t, %k>;";
  l->barrier = "workgroupBarrier();";
  l->global_id = "%t(group[%d])"; l->local_id = "%t(item[%d])";
  l->variable = "var %n: %t;"; l->variables = "var %n: array<%t, %k>;";
  l->value = l->choice = "let %n: %t = %0;";
  l->range = "for (var %n: %t = %1; %n < %0; %n++) {";
  l->load_if = "select(%2, %0, %1)"; l->store_if = "if (%1) { %0; }";
  l->types[TINY_BOOL] = "bool"; l->types[TINY_I32] = "i32"; l->types[TINY_U32] = "u32"; l->types[TINY_F32] = "f32";
  l->literals[TINY_BOOL] = "bool(%k)"; l->literals[TINY_I32] = "%ki"; l->literals[TINY_U32] = "%ku";
  l->literals[TINY_F32] = "%kf";
  l->infinity = "%t(infinity())"; l->nan = "%t(not_a_number())"; l->zero = "%t()";
  l->vector = "vec%l<%e>"; l->low = "%0.xy"; l->high = "%0.zw";
  l->address = "%0[%1]";
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) l->ops[ops[i].op] = ops[i].format;
  l->bops[TINY_OP_XOR] = "%0 != %1";
  l->vops[TINY_OP_SHL] = "%0 << vec%l<u32>(%1)"; l->vops[TINY_OP_SHR] = "%0 >> vec%l<u32>(%1)";
  if (has & TN_WGSL_F16) { l->types[TINY_F16] = "f16"; l->literals[TINY_F16] = "%kh"; }
  if (!(has & TN_WGSL_SUBGROUPS)) return;
  l->kernel = "@compute @workgroup_size(%0, %1, %2)\n"
      "fn %n(@builtin(workgroup_id) group: vec3<u32>, @builtin(subgroup_id) subgroup: u32,\n"
      "    @builtin(subgroup_size) width: u32, @builtin(subgroup_invocation_id) lane: u32) {\n"
      "  let number: u32 = subgroup * width + lane;\n"
      "  let item = vec3<u32>(number %% %0, number / %0 %% %1, number / (%0 * %1));";
  l->ops[TINY_OP_SHUFFLE] = "subgroupShuffleXor(%0, %ku)";
}
#undef TN_WGSL_NUMBERS
#endif
