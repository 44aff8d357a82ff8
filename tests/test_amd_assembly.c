// Kernels in assembly text -> code objects (src/isa/amd_assembly.c): what clang writes as text becomes what clang
// assembles of it; what is taken apart becomes itself again; what is wrong is said with its line; refused memory.
// brief: plain asan
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif
#include "../src/base/process.c"
#define TEST_COMPANION "../src/amd/all.c"
#include "companion.h"
#include "test.h"
#include "rnd.h"

static tiny_ctx *open_context(tiny_ctx *t) {
  memset(t, 0, sizeof *t);
  t->alloc.fn = tn_default_alloc;
  return t;
}
static const tn_amd_chip *chip_named(const char *name) {
  for (int i = 0; i < TN_AMD_CHIPS; i++) if (!strcmp(tn_amd_chips[i].name, name)) return &tn_amd_chips[i];
  return NULL;
}

// ** objects laid out **

typedef struct laid { tn_amd_object o; uint64_t where[256]; uint8_t image[1 << 16]; const char *wrong; } laid;
static void lay(laid *l, const void *data, size_t nbytes) {
  l->wrong = tn_amd_object_open(&l->o, data, nbytes);
  if (!l->wrong && l->o.nsections > 256) l->wrong = "too many sections";
  if (!l->wrong) l->wrong = tn_amd_object_place(&l->o, l->where);
  if (!l->wrong && l->o.image_nbytes > sizeof l->image) l->wrong = "too large";
  memset(l->image, 0, sizeof l->image);
  if (!l->wrong) l->wrong = tn_amd_object_image(&l->o, 0, l->image);
}
static int find(const laid *l, const char *name, tn_amd_kernel *k) {
  const char *wrong;
  for (uint64_t i = 0; !l->wrong && tn_amd_object_next(&l->o, l->image, &i, k, &wrong); )
    if (k->name_n == strlen(name) && !memcmp(k->name, name, k->name_n)) return 1;
  return 0;
}
// The same code and the same needs; hints that change no result apart: forward progress, how far is fetched ahead.
// SGPRs are told on gfx9 alone, in pairs of 8.
static void check_same(const char *what, const laid *a, const laid *b, const char *name) {
  tn_amd_kernel x, y;
  const int there = find(a, name, &x) && find(b, name, &y);
  CHECK(there);
  if (!there) {
    fprintf(stderr, "%s: %s: %s, %s\n", what, name, a->wrong ? a->wrong : "", b->wrong ? b->wrong : "");
    return;
  }
  const uint64_t n = tn_kfd_code_nbytes(&a->o, &x), m = tn_kfd_code_nbytes(&b->o, &y);
  const int same_code = n <= m && n > 8 && !memcmp(a->image + x.entry, b->image + y.entry, (size_t)n);
  CHECK(same_code);
  if (!same_code) fprintf(stderr, "%s: %s: %d bytes, and %d\n", what, name, (int)n, (int)m);
  const tn_amd_descriptor *const d = &x.descriptor, *const e = &y.descriptor;
  const uint32_t same = a->o.chip->family == TN_AMD_GFX9 ? ~(1u << 6) : ~(1u << 31 | 15u << 6);
  CHECK_EQ(d->rsrc1 & same, e->rsrc1 & same);
  CHECK_EQ(d->rsrc2, e->rsrc2);
  if (a->o.chip->family == TN_AMD_GFX9) CHECK_EQ(d->rsrc3, e->rsrc3);
  CHECK(d->lds == e->lds && d->scratch == e->scratch && d->args_nbytes == e->args_nbytes);
  CHECK_EQ(d->properties, e->properties);
}
static int assemble(tiny_ctx *t, const tn_amd_chip *chip, const char *text, laid *l) {
  tiny_bytes out = {t, NULL, 0, 0};
  tn_amd_error e;
  const int good = tn_amd_assemble_object(&out, chip, text, strlen(text), &e);
  CHECK(good);
  if (!good) fprintf(stderr, "%s: line %d, column %d: %s\n", chip->name, e.line, e.column, e.sentence);
  if (good) lay(l, out.data, out.n);
  else l->wrong = "not assembled";
  return good;
}

// ** clang's text and clang's object **

static const char hip[] = "#define G __attribute__((global))\n"
  "extern \"C\" G void scale(float *o, const float *i, int n) {\n"
  "  int x = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();\n"
  "  if (x < n) o[x] = 2 * i[x]; }\n"
  "extern \"C\" G void reduce(float *o, const float *i, int n) {\n"
  "  __attribute__((shared)) static float s[128];\n"
  "  int l = __builtin_amdgcn_workitem_id_x(), y = __builtin_amdgcn_workitem_id_y();\n"
  "  float a = 0; for (int k = l; k < n; k += 64) a += i[k] / (y + 3.0f);\n"
  "  s[l + 64 * y] = a; __builtin_amdgcn_s_barrier();\n"
  "  for (int d = 32; d; d /= 2) { if (l < d) s[l + 64 * y] += s[l + d + 64 * y]; __builtin_amdgcn_s_barrier(); }\n"
  "  if (!l) o[__builtin_amdgcn_workgroup_id_y() + y] = s[64 * y]; }\n"
  "extern \"C\" G void spill(double *o, const double *i, const int *at) {\n"
  "  double v[24]; for (int k = 0; k < 24; k++) v[k] = i[k] * i[k + 1];\n"
  "  for (int k = 0; k < 24; k++) v[at[k] & 15] += k;\n"
  "  o[__builtin_amdgcn_workgroup_id_z()] = v[at[0] & 7] + v[at[1] & 15]; }\n";
static const char *const names[] = {"scale", "reduce", "spill"};

static int compiled(tiny_ctx *t, const char *chip, int object, tiny_bytes *out) {
  char arch[40];
  snprintf(arch, sizeof arch, "--offload-arch=%s", chip);
  const char *const argv[] = {"/usr/bin/env", "clang-19", "-x", "hip", "--cuda-device-only", arch, "-nogpuinc",
    "-nogpulib", "-O3", "-w", "-mllvm", "-amdgpu-disable-loop-alignment", "-S", object ? "-Xclang" : "-",
    object ? "-emit-obj" : "-o", "-", object ? "-o" : NULL, "-", NULL};
  tn_job job;
  memset(&job, 0, sizeof job);
  job.argv = argv; job.most = 1 << 24; job.input = hip; job.input_nbytes = sizeof hip - 1;
  tn_process_run(t, &job, 1, 1);
  *out = job.out;
  return job.exit_code == 0 && job.out.n;
}
static void test_clang(tiny_ctx *t) {
  static const char *const chips[] = {"gfx1100", "gfx1201", "gfx942"};
  static laid ours, theirs, again;
  static char text[1 << 16];
  for (int i = 0; i < 3; i++) {
    tiny_bytes written, object;
    const tn_amd_chip *const chip = chip_named(chips[i]);
    if (!compiled(t, chips[i], 0, &written) || !compiled(t, chips[i], 1, &object)) {
      printf("skipped: no clang-19 for %s\n", chips[i]);
      continue;
    }
    lay(&theirs, object.data, object.n);
    CHECK(tn_amd_is_assembly(written.data) || strstr(written.data, ".amdgcn_target") != NULL);
    assemble(t, chip, written.data, &ours);
    for (int k = 0; k < 3; k++) check_same(chips[i], &theirs, &ours, names[k]);
    const size_t n = tiny_amd_disassemble(object.data, object.n, text, sizeof text);
    CHECK(n && n < sizeof text && tn_amd_is_assembly(text));
    if (!n) { fprintf(stderr, "%s\n", text); continue; }
    assemble(t, chip, text, &again);
    for (int k = 0; k < 3; k++) check_same("taken apart", &theirs, &again, names[k]);
    char few[8];
    CHECK_EQ(tiny_amd_disassemble(object.data, object.n, few, sizeof few), n);
    CHECK_STR(few, ".amdgcn");
    CHECK(!tiny_amd_disassemble(object.data, 100, text, sizeof text) && strstr(text, "cut off"));
    CHECK(!tiny_amd_disassemble(NULL, 0, NULL, 0));
    tn_scratch_reset(t, 1);
  }
}

// ** by hand, and what is wrong **

static const char two[] = "// two kernels\n"
  "  .amdgcn_target \"amdgcn-amd-amdhsa--gfx1100\" ; of RDNA3\n"
  "\n"
  ".text\n"
  ".globl first\n"
  "first:\n"
  "  s_mov_b32 s5, 0x12345678\n"
  ".Lagain:\n"
  "  v_mov_b32 v3, s5\n"
  "  s_cbranch_scc1 .Lagain\n"
  "  s_endpgm\n"
  "second: s_nop 1\n"
  "  s_endpgm\n"
  ".amdhsa_kernel first\n"
  "  .amdhsa_next_free_vgpr 4\n"
  "  .amdhsa_next_free_sgpr 6 ; s5\n"
  "  .amdhsa_user_sgpr_kernarg_segment_ptr 1\n"
  "  .amdhsa_kernarg_size 24\n"
  "  .amdhsa_system_sgpr_workgroup_id_y 1\n"
  "  .amdhsa_system_vgpr_workitem_id 1\n"
  ".end_amdhsa_kernel\n"
  ".amdhsa_kernel second\n"
  "  .amdhsa_next_free_vgpr 0\n"
  "  .amdhsa_next_free_sgpr 0\n"
  "  .amdhsa_group_segment_fixed_size 1024\n"
  ".end_amdhsa_kernel\n"
  ".amdgpu_metadata\n"
  "amdhsa.version: [1, 2]\n"
  ".end_amdgpu_metadata\n";
static void test_by_hand(tiny_ctx *t) {
  static laid l;
  tn_amd_kernel k;
  CHECK(tn_amd_is_assembly(two) && !tn_amd_is_assembly("extern \"C\" void f();\n.amdgcn_target") &&
        !tn_amd_is_assembly("") && !tn_amd_is_assembly("// nothing\n"));
  assemble(t, chip_named("gfx1100"), two, &l);
  CHECK(find(&l, "first", &k) && k.descriptor.args_nbytes == 24 && (k.descriptor.rsrc2 & 0x3F) == 2 << 1);
  CHECK_EQ(k.descriptor.rsrc2 >> 7 & 7, 3);
  CHECK_EQ(k.descriptor.rsrc2 >> 11 & 3, 1);
  CHECK(k.descriptor.properties == (TN_AMD_FROM_ARGS | TN_AMD_WAVE32) && tn_kfd_code_nbytes(&l.o, &k) == 20);
  CHECK(find(&l, "second", &k) && k.descriptor.lds == 1024 && tn_kfd_code_nbytes(&l.o, &k) == 8);
}
// `from` becomes `to`, of a line that is counted from 1 on.
static void wrong(tiny_ctx *t, const char *from, const char *to, int line, const char *says) {
  const char *const at = strstr(two, from);
  tiny_bytes text = {t, NULL, 0, 0}, out = {t, NULL, 0, 0};
  tn_amd_error e;
  CHECK(at != NULL);
  if (!at) return;
  tiny_bytes_add(&text, two, (size_t)(at - two));
  tiny_bytes_add(&text, to, strlen(to));
  tiny_bytes_add(&text, at + strlen(from), strlen(at + strlen(from)));
  const int good = tn_amd_assemble_object(&out, chip_named("gfx1100"), text.data, text.n, &e);
  CHECK(!good && e.line == line && strstr(e.sentence, says) && e.column > 0);
  if (good || e.line != line || !strstr(e.sentence, says))
    fprintf(stderr, "    %s: line %d, %s\n    wanted: line %d, %s\n", to, good ? 0 : e.line,
            good ? "taken" : e.sentence, line, says);
}
static void test_wrong(tiny_ctx *t) {
  static const struct { const char *from, *to; int line; const char *says; } bad[] = {
    {"gfx1100", "gfx1101", 2, "another target"}, {"gfx1100\"", "gfx11000\"", 2, "another target"},
    {"  .amdgcn_target", "  .section", 29, ".amdgcn_target is missing"},
    {"v_mov_b32 v3", "v_mov_b33 v3", 9, "no such instruction"}, {"v_mov_b32 v3", "v_mov_b32 v4", 9, "does not ask for"},
    {"s_mov_b32 s5", "s_mov_b32 s6", 7, "does not ask for"}, {"scc1 .Lagain", "scc1 .Lother", 10, "no such label"},
    {"scc1 .Lagain", "scc1 second", 10, "no such label"}, {".globl first", ".long 5", 5, "directive is not known"},
    {".globl first", "s_nop 0", 1, "before the first kernel"}, {"second: s_nop", "third: s_nop", 14, "no label"},
    {".amdhsa_next_free_vgpr 4", "", 21, "next_free_vgpr is missing"},
    {".amdhsa_next_free_sgpr 6", "", 21, "next_free_sgpr is missing"},
    {".amdhsa_next_free_vgpr 4", ".amdhsa_next_free_vgpr 257", 21, "more than 256"},
    {".amdhsa_next_free_vgpr 4", ".amdhsa_next_free_vgpr x", 15, "a number is missing"},
    {".amdhsa_next_free_vgpr 4", ".amdhsa_next_free_vgpr 4 5", 15, "too much"},
    {".amdhsa_kernarg_size 24", ".amdhsa_kernarg_size -1", 18, "does not fit"},
    {".amdhsa_kernarg_size 24", ".amdhsa_kernarg 24", 18, "not known"},
    {".amdhsa_kernarg_size 24", ".amdhsa_accum_offset 4", 18, "has no such thing"},
    {".amdhsa_kernarg_size 24", "s_nop 0", 18, ".amdhsa_ or"},
    {".amdhsa_kernarg_size 24", ".amdhsa_float_denorm_mode_32 0", 18, "does not fit"},
    {".amdhsa_kernel second", "", 23, "directive is not known"},
    {".amdhsa_kernel second", ".amdhsa_kernel", 22, "missing"},
    {"1024\n.end_amdhsa_kernel", "1024\n", 27, ".amdhsa_ or"}, {".end_amdgpu_metadata", "", 29, "metadata is missing"},
    {"second: s_nop 1\n  s_endpgm\n", "second:\n", 12, "has no instructions"}
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) wrong(t, bad[i].from, bad[i].to, bad[i].line, bad[i].says);
}
// Texts changed at random are taken or refused by a sentence.
static void test_hostile(tiny_ctx *t) {
  static char text[sizeof two];
  rng = 5;
  for (int i = 0; i < (getenv("TEST_BRIEF") ? 3000 : 30000); i++) {
    tiny_bytes out = {t, NULL, 0, 0};
    tn_amd_error e;
    memcpy(text, two, sizeof two);
    for (int k = rnd(8); k >= 0; k--) text[rnd(sizeof two - 1)] = rnd(2) ? two[rnd(sizeof two - 1)] : (char)rnd(256);
    const size_t n = rnd(3) ? sizeof two - 1 : (size_t)rnd(sizeof two);
    char *const exact = (char *)malloc(n + !n);
    memcpy(exact, text, n);
    const int good = tn_amd_assemble_object(&out, &tn_amd_chips[0], exact, n, &e);
    CHECK(good || (e.sentence && e.line > 0 && e.column > 0));
    free(exact);
    tn_scratch_reset(t, 1);
  }
}

// ** memory that is refused **

static long allocations_left, allocated;
static void *failing(void *user, void *p, size_t old_nbytes, size_t new_nbytes) {
  (void)user;
  if (new_nbytes > old_nbytes && !allocations_left--) { allocations_left = 0; return NULL; }
  allocated += (long)new_nbytes - (long)old_nbytes;
  return tn_default_alloc(NULL, p, old_nbytes, new_nbytes);
}
static tiny_code assemble_two(tiny_ctx *t, void *arg) {
  tiny_bytes out = {t, NULL, 0, 0};
  tn_amd_error e;
  (void)arg;
  (void)tn_amd_assemble_object(&out, &tn_amd_chips[0], two, sizeof two - 1, &e);
  return TINY_OK;
}
static void test_refused_memory(void) {
  int refused = 0;
  for (long n = 0; n < 64; n++) {
    static tiny_ctx context;
    tiny_ctx *t = open_context(&context);
    t->alloc.fn = failing;
    allocations_left = n; allocated = 0;
    const tiny_code code = tn_guard(t, assemble_two, NULL);
    CHECK(code == TINY_OK || code == TINY_E_MEMORY);
    refused += code != TINY_OK;
    tn_scratch_reset(t, 1);
    CHECK(allocated == 0);
    if (code == TINY_OK) break;
  }
  CHECK(refused > 0);
}

int main(void) {
  static tiny_ctx context;
  tiny_ctx *t = open_context(&context);
  test_by_hand(t);
  test_wrong(t);
  test_clang(t);
  test_hostile(t);
  test_refused_memory();
  tn_scratch_reset(t, 1);
  return test_report();
}
