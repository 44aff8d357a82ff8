// sum_amd: the sum of 16 numbers on an AMD GPU at five levels, from a tensor down to assembly, each timed by the GPU.
//   cc -std=c11 -I. examples/sum_amd.c -o sum_amd -lm -lpthread -ldl
// Where there is no GPU: on one that is played, by an emulator that counts cycles (of the tree, not of the headers):
//   cc -std=gnu11 -w -DSUM_ON_EMULATOR -I. examples/sum_amd.c -o sum_amd -lm -lpthread -ldl && ./sum_amd gfx942
//
// Levels 1, 2 and 4 want clang 17 or later, 19 for gfx1201. Level 5 wants nothing: tiny_amd.h assembles it.
#define TINY_IMPLEMENTATION
#include "tiny.h"
#include "tiny_amd.h"
#include <stdio.h>
#include <string.h>

enum { N = 16 };

// 1 and 4. A tensor: the library writes the kernel. In a context with .beam it tries others, and takes the fastest.
static tiny_tensor *sum_of_tensor(tiny_ctx *t, tiny_tensor *x) {
  (void)t;
  return tiny_sum(x, TINY_ALL, 0);
}

// 2. A kernel in HIP C. Parameters are the output, then the inputs.
static const char hip[] =
  "extern \"C\" __attribute__((global)) void sum16(float *out, const float *in) {\n"
  "  float sum = 0;\n"
  "  for (int i = 0; i < 16; i++) sum += in[i];\n"
  "  out[0] = sum;\n"
  "}\n";
static tiny_tensor *sum_of(tiny_ctx *t, const char *source, tiny_tensor *x) {
  const tiny_kernel_desc d = {.name = "sum16", .source = source, .inputs = &x, .n = 1, .shape = TINY_SHAPE(1),
                              .dtype = TINY_F32, .global = {1}, .local = {1}};
  return tiny_kernel(t, &d);
}
static tiny_tensor *sum_of_hip(tiny_ctx *t, tiny_tensor *x) { return sum_of(t, hip, x); }

// 3. A kernel in the IR, as TINY_DEBUG=i prints it: what is computed, not how.
static const char uops[] =
  "i = (RANGE:1:reduce 16)\n"
  "x = (LOAD (INDEX (PARAM:f32:1 16) i))\n"
  "(SINK (STORE (INDEX (PARAM:f32:0 1) 0) (REDUCE:ADD x i)))";
static tiny_tensor *sum_of_uops(tiny_ctx *t, tiny_tensor *x) {
  const tiny_kernel_desc d = {.uops = tiny_uop_parse(t, uops), .inputs = &x, .n = 1, .shape = TINY_SHAPE(1),
                              .dtype = TINY_F32};
  return tiny_kernel(t, &d);
}

// 5. Assembly, as LLVM's assembler spells it; the text that begins with .amdgcn_target is assembly. s[0:1] hold where
// the kernel's arguments lie. All 16 numbers come by one load of scalars. RDNA adds two scalars at a time, and pairs of
// sums, as an addition waits five cycles for the one before; CDNA adds a pair to a pair in one instruction.
#define HEAD(family, more) \
  ".amdgcn_target \"amdgcn-amd-amdhsa--" family "\"\n.amdhsa_kernel sum16\n  .amdhsa_kernarg_size 16\n" \
  "  .amdhsa_user_sgpr_kernarg_segment_ptr 1\n  .amdhsa_next_free_vgpr 8\n  .amdhsa_next_free_sgpr 24\n" more \
  ".end_amdhsa_kernel\nsum16:\n"
#define RDNA(family, wait) HEAD(family, "") \
  "  s_load_b128 s[4:7], s[0:1], 0x0        // where the output lies, and the input\n" wait \
  "  s_load_b512 s[8:23], s[6:7], 0x0\n" wait \
  "  v_add_f32 v0, s8, s9\n  v_add_f32 v1, s10, s11\n  v_add_f32 v2, s12, s13\n  v_add_f32 v3, s14, s15\n" \
  "  v_add_f32 v4, s16, s17\n  v_add_f32 v5, s18, s19\n  v_add_f32 v6, s20, s21\n  v_add_f32 v7, s22, s23\n" \
  "  v_add_f32 v0, v0, v1\n  v_add_f32 v2, v2, v3\n  v_add_f32 v4, v4, v5\n  v_add_f32 v6, v6, v7\n" \
  "  v_add_f32 v0, v0, v2\n  v_add_f32 v4, v4, v6\n  v_mov_b32 v1, 0\n  v_add_f32 v0, v0, v4\n" \
  "  global_store_b32 v1, v0, s[4:5]\n  s_endpgm\n"
static const char on_gfx11[] = RDNA("gfx1100", "  s_waitcnt lgkmcnt(0)\n");
static const char on_gfx12[] = RDNA("gfx1201", "  s_wait_kmcnt 0x0\n");
static const char on_gfx9[] = HEAD("gfx942", "  .amdhsa_accum_offset 8\n")
  "  s_load_dwordx4 s[4:7], s[0:1], 0x0\n  s_waitcnt lgkmcnt(0)\n"
  "  s_load_dwordx16 s[8:23], s[6:7], 0x0\n  s_waitcnt lgkmcnt(0)\n"
  "  v_mov_b32 v0, s8\n  v_mov_b32 v1, s9\n  v_mov_b32 v2, 0\n"
  "  v_pk_add_f32 v[0:1], s[10:11], v[0:1]\n  v_pk_add_f32 v[0:1], s[12:13], v[0:1]\n"
  "  v_pk_add_f32 v[0:1], s[14:15], v[0:1]\n  v_pk_add_f32 v[0:1], s[16:17], v[0:1]\n"
  "  v_pk_add_f32 v[0:1], s[18:19], v[0:1]\n  v_pk_add_f32 v[0:1], s[20:21], v[0:1]\n"
  "  v_pk_add_f32 v[0:1], s[22:23], v[0:1]\n  v_add_f32 v0, v0, v1\n"
  "  global_store_dword v2, v0, s[4:5]\n  s_endpgm\n";
static const char *target;                 // of the GPU that is there: others of its family differ in the first line
static tiny_tensor *sum_of_assembly(tiny_ctx *t, tiny_tensor *x) {
  const char *text = !strncmp(target, "gfx11", 5) ? on_gfx11 : !strncmp(target, "gfx12", 5) ? on_gfx12 : on_gfx9;
  static char source[2048];
  snprintf(source, sizeof source, ".amdgcn_target \"amdgcn-amd-amdhsa--%s\"%s", target, strchr(text, '\n'));
  return sum_of(t, source, x);
}

// ** which GPU **

#ifdef SUM_ON_EMULATOR
#include "tests/amd_mock.c"
#include "tests/amd_run.h"
static uint64_t cycles;
static amd_mock *played;
static const char *device(const char *wanted, tiny_amd_name *name) {
  static const char *const gpus[AMD_MOCK_GPUS] = {"gfx1100", "gfx1201", "gfx942"};
  amd_mock_desc d = {.run = amd_run, .run_user = &cycles};
  for (int i = 0; i < AMD_MOCK_GPUS; i++) if (wanted && !strcmp(wanted, gpus[i])) d.gpu = (amd_mock_gpu)i;
  if (!played) played = amd_mock_new(&d);
  *name = tiny_amd_on(amd_mock_system(played), 0);
  return gpus[d.gpu];
}
static uint64_t spent(tiny_ctx *t) { (void)t; return cycles; }
static const char unit[] = "cycles";
#else
static const char *device(const char *wanted, tiny_amd_name *name) {
  static tiny_amd_gpu gpu;
  *name = tiny_amd_on(NULL, 0);
  (void)wanted;
  if (tiny_amd_gpus(NULL, &gpu, 1) && !gpu.error[0]) return gpu.target;
  printf("no GPU can be used by AMD's kernel driver: %s\n", gpu.error);
  return NULL;
}
static uint64_t spent(tiny_ctx *t) { return tiny_stats_of(t).device_ns; }
static const char unit[] = "ns";
#endif

typedef struct level { const char *name; tiny_tensor *(*sum)(tiny_ctx *t, tiny_tensor *x); int beam; } level;
static const level levels[] = {
  {"1 tensor", sum_of_tensor, -1}, {"2 HIP C", sum_of_hip, -1}, {"3 UOps", sum_of_uops, -1},
  {"4 found by search", sum_of_tensor, 4}, {"5 assembly", sum_of_assembly, -1}
};

static void quiet(void *user, const char *line) { (void)user; (void)line; }
// The second of two runs, of a program that is planned and compiled then. -> 0: the sum is right.
static int run(const level *l, const char *name) {
  float data[N];
  tiny_tensor *out;
  uint64_t took = 0;
  double sum = 0;
  // letter k: each kernel is timed by the GPU
  tiny_ctx *t = tiny_open(&(tiny_desc){.device = name, .backends = {&tiny_amd}, .beam = l->beam, .debug = "k",
                                       .log = {quiet, NULL}, .cache_dir = ""});
  for (int i = 0; i < N; i++) data[i] = (float)(i * i);
  tiny_tensor *x = tiny_from(t, data, TINY_F32, TINY_SHAPE(N)), *y = l->sum(t, x);
  tiny_program *p = tiny_capture(t, &x, 1, &y, 1);
  for (int i = 0; i < 2; i++) {
    const uint64_t before = spent(t);
    if (tiny_run(p, &x, &out) == TINY_OK && tiny_sync(t) == TINY_OK) took = spent(t) - before;
    sum = tiny_item(out);
  }
  if (tiny_status(t)) printf("  %-18s %s\n", l->name, tiny_error(t));
  else printf("  %-18s %6.0f %10llu %s\n", l->name, sum, (unsigned long long)took, unit);
  tiny_program_free(p);
  tiny_close(t);
  return sum != 1240;                      // 15 * 16 * 31 / 6
}

int main(int argc, char **argv) {
  tiny_amd_name name;
  int wrong = 0;
  target = device(argc > 1 ? argv[1] : NULL, &name);
  if (!target) return 0;
  printf("the sum of %d numbers on %s, 1240 expected\n", (int)N, target);
  for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) wrong += run(&levels[i], name.text);
  printf("%d of %d levels are right\n", (int)(sizeof levels / sizeof *levels) - wrong,
         (int)(sizeof levels / sizeof *levels));
  return wrong != 0;
}
