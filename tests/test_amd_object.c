// Code objects of AMD's GPUs: what is written is read back, by us and by LLVM's llvm-readobj and llvm-objdump; what
// clang links is read; bytes changed at random are refused by a sentence or read within their bounds; refused memory.
// brief: plain asan
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif
#include "../src/base/process.c"
#include "../src/isa/amd_parse.c"
#include "../src/isa/amd_object.c"
#include "test.h"
#include "rnd.h"

static int brief(void) { return getenv("TEST_BRIEF") != NULL; }
static tiny_ctx *open_context(tiny_ctx *t) {
  memset(t, 0, sizeof *t);
  t->alloc.fn = tn_default_alloc;
  return t;
}
static void close_context(tiny_ctx *t) { tn_scratch_reset(t, 1); }

// ** an object of three kernels **

enum { KERNELS = 3 };
static const char *const kernel_names[KERNELS] = {"first", "a_name_of_more_than_thirty_one_bytes", "third"};
static const tn_amd_arg args[] = {{0, 8, 1}, {8, 8, 1}, {16, 4, 0}};
typedef struct made { tn_amd_source source[KERNELS]; tiny_bytes code[KERNELS]; } made;
static void make_sources(tiny_ctx *t, const tn_amd_chip *chip, made *m) {
  static const char text[] = "s_mov_b32 s5, 0x12345678\n v_mov_b32 v3, s5\n s_nop 1\n s_endpgm\n";
  memset(m, 0, sizeof *m);
  for (int i = 0; i < KERNELS; i++) {
    tn_amd_source *const k = &m->source[i];
    tn_amd_error e;
    m->code[i].t = t;
    for (int n = 0; n <= 40 * i; n++) CHECK(tn_amd_assemble(chip->family, text, sizeof text - 1, &m->code[i], &e));
    k->name = kernel_names[i]; k->code = m->code[i].data; k->nbytes = m->code[i].n;
    k->args = args; k->nargs = 3; k->most_items = 64u << i;
    k->setup.lds = 1000u * (uint32_t)i; k->setup.scratch = i == 2 ? 128 : 0; k->setup.args_nbytes = 20;
    k->setup.vgprs = (uint16_t)(5 + 40 * i); k->setup.sgprs = (uint16_t)(10 + 30 * i);
    k->setup.agprs = (uint16_t)(chip->family == TN_AMD_GFX9 ? 16 * i : 0);
    k->setup.from = TN_AMD_FROM_ARGS; k->setup.user_sgprs = 2; k->setup.ids = (uint8_t)(2 * (1 << i) - 1);
    k->setup.lanes = (uint8_t)(i + 1); k->setup.wgp = (uint8_t)(i == 1);
  }
}
static int text_is(tn_amd_value map, const char *key, const char *text) {
  return tn_amd_is_text(tn_amd_value_at(map, key, 0), text);
}
// An object laid out; wrong: why it is not.
typedef struct laid { tn_amd_object o; uint64_t *where; uint8_t *image; const char *wrong; } laid;
static void lay(laid *l, const void *data, size_t nbytes) {
  l->where = NULL; l->image = NULL;
  l->wrong = tn_amd_object_open(&l->o, data, nbytes);
  if (l->wrong) return;
  l->where = (uint64_t *)malloc((size_t)l->o.nsections * sizeof *l->where);
  l->wrong = l->where ? tn_amd_object_place(&l->o, l->where) : "no memory";
  if (l->wrong) return;
  if (l->o.image_nbytes > 1 << 24) { l->wrong = "it is too large for this test"; return; }
  l->image = (uint8_t *)calloc(1, (size_t)l->o.image_nbytes);
  l->wrong = l->image ? tn_amd_object_image(&l->o, UINT64_C(0x7F0000000000), l->image) : "no memory";
}
static void lift(laid *l) { free(l->where); free(l->image); }
static void check_kernel(const laid *l, const tn_amd_kernel *k, const made *m, int i) {
  const tn_amd_object *const o = &l->o;
  const tn_amd_source *const s = &m->source[i];
  const uint8_t *const code = l->image + k->entry;
  const tn_amd_descriptor d = tn_amd_describe(o->chip, &s->setup);
  CHECK(k->name_n == strlen(s->name) && !memcmp(k->name, s->name, k->name_n));
  CHECK(k->entry + s->nbytes <= o->image_nbytes && !memcmp(code, s->code, s->nbytes) && k->entry % 256 == 0);
  CHECK(k->descriptor.rsrc1 == d.rsrc1 && k->descriptor.rsrc2 == d.rsrc2 && k->descriptor.rsrc3 == d.rsrc3);
  CHECK(k->descriptor.properties == d.properties && k->descriptor.args_nbytes == 20);
  CHECK(k->descriptor.lds == s->setup.lds && k->descriptor.scratch == s->setup.scratch);
  CHECK(tn_amd_described_vgprs(o->chip, &k->descriptor) >= s->setup.vgprs + s->setup.agprs);
  CHECK(text_is(k->metadata, ".name", s->name));
  CHECK(tn_amd_uint_at(k->metadata, ".max_flat_workgroup_size", 0) == s->most_items);
  CHECK(tn_amd_uint_at(k->metadata, ".wavefront_size", 0) == o->chip->wave);
  const tn_amd_value list = tn_amd_value_at(k->metadata, ".args", 0);
  CHECK(tn_amd_items(list) == 3);
  for (uint64_t a = 0; a < 3; a++) {
    const tn_amd_value arg = tn_amd_value_at(list, NULL, a);
    CHECK(tn_amd_uint_at(arg, ".offset", 99) == args[a].offset && tn_amd_uint_at(arg, ".size", 99) == args[a].nbytes);
    CHECK(text_is(arg, ".value_kind", args[a].is_buffer ? "global_buffer" : "by_value"));
  }
}
static void check_object(const tn_amd_chip *chip, const tiny_bytes *out, const made *m) {
  laid l;
  tn_amd_kernel k;
  int n = 0;
  lay(&l, out->data, out->n);
  CHECK(!l.wrong && l.o.chip == chip && l.o.image_nbytes > out->n / 2);
  for (uint64_t i = 0; !l.wrong && tn_amd_object_next(&l.o, l.image, &i, &k, &l.wrong); n++)
    if (n < KERNELS) check_kernel(&l, &k, m, n);
  CHECK(n == KERNELS);
  lift(&l);
}

// ** LLVM's tools **

// What a program says of an object on its standard input; NULL: there is no such program.
static const char *asked(tiny_ctx *t, const char *const *argv, const tiny_bytes *object) {
  tn_job job;
  memset(&job, 0, sizeof job);
  job.argv = argv; job.most = 1 << 24;
  if (object) { job.input = object->data; job.input_nbytes = object->n; }
  tn_process_run(t, &job, 1, 1);
  return job.exit_code ? NULL : job.out.data ? job.out.data : "";
}
static void check_tools(tiny_ctx *t, const tn_amd_chip *chip, const tiny_bytes *object) {
  static const char *const readobj[] = {"/usr/bin/env", "llvm-readobj-19", "-h", "-l", "-S", "--dyn-syms",
                                        "--dynamic-table", "--hash-table", "--notes", "-", NULL};
  static const char *const objdump[] = {"/usr/bin/env", "llvm-objdump-19", "-d", "-", NULL};
  static const char *const said[] = {"EM_AMDGPU", "OS/ABI: AMDGPU_HSA (0x40)", "ABIVersion: 3", "Name: first.kd",
                                     "Name: a_name_of_more_than_thirty_one_bytes (", ".symbol:         third.kd",
                                     "NT_AMDGPU_METADATA", ".value_kind:     global_buffer", "PT_DYNAMIC",
                                     "Num Buckets: 1"};
  char flag[64], target[64];
  const char *const text = asked(t, readobj, object), *const code = asked(t, objdump, object);
  if (!text || !code) { printf("skipped: no llvm-readobj-19 or llvm-objdump-19\n"); return; }
  for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
    CHECK(strstr(text, said[i]));
    if (!strstr(text, said[i])) fprintf(stderr, "%s: not said: %s\n", chip->name, said[i]);
  }
  snprintf(flag, sizeof flag, "EF_AMDGPU_MACH_AMDGCN_GFX%s", chip->name + 3);
  snprintf(target, sizeof target, "amdgcn-amd-amdhsa--%s", chip->name);
  CHECK(strstr(text, flag) && strstr(text, target) && !strstr(text, "warning"));
  CHECK(strstr(code, "<third>:") && strstr(code, "s_mov_b32 s5, 0x12345678") && strstr(code, "v_mov_b32_e32 v3, s5"));
}
static void test_written(tiny_ctx *t) {
  for (int c = 0; c < TN_AMD_CHIPS; c++) {
    const tn_amd_chip *const chip = &tn_amd_chips[c];
    tiny_bytes out = {t, NULL, 0, 0};
    made m;
    make_sources(t, chip, &m);
    tn_amd_object_write(&out, chip, m.source, KERNELS, NULL);
    check_object(chip, &out, &m);
    if (!brief() || c % 4 == 0) check_tools(t, chip, &out);
    tn_scratch_reset(t, 1);
  }
}

// What LLVM says the descriptor's fields are for the same needs, in words that hold for each family.
static void test_descriptors(void) {
  tn_amd_setup s;
  memset(&s, 0, sizeof s);
  s.vgprs = 33; s.sgprs = 20; s.user_sgprs = 2; s.from = TN_AMD_FROM_ARGS; s.ids = 1; s.lanes = 1;
  for (int c = 0; c < TN_AMD_CHIPS; c++) {
    const tn_amd_chip *const chip = &tn_amd_chips[c];
    const tn_amd_descriptor d = tn_amd_describe(chip, &s);
    CHECK((d.rsrc1 & 63) == 4 && (d.rsrc2 & 63) == 4 && (d.rsrc2 >> 7 & 7) == 1 && (d.rsrc1 >> 12 & 0xFF) == 0xF0);
    CHECK((d.properties & TN_AMD_WAVE32) == (chip->family == TN_AMD_GFX9 ? 0 : TN_AMD_WAVE32));
    CHECK((d.rsrc1 >> 6 & 15) == (chip->family == TN_AMD_GFX9 ? 2u : 0u));
    CHECK((d.rsrc3 & 63) == (chip->family == TN_AMD_GFX9 ? 8u : 0u));
  }
}

// ** clang's objects **

// Its program ends, and is decoded up to there.
static void check_code(const laid *l, const tn_amd_kernel *k) {
  tn_amd_ins ins;
  uint32_t words[256];
  int at = 0, n = 0;
  const uint64_t most = l->o.image_nbytes - k->entry;
  memset(words, 0, sizeof words);
  memcpy(words, l->image + k->entry, most < sizeof words ? (size_t)most : sizeof words);
  for (int taken = 1; taken && at < 256; at += taken, n++) {
    taken = tn_amd_decode(l->o.chip->family, words + at, 256 - at, &ins);
    CHECK(taken);
    if (taken && ins.op == TN_AMD_S_ENDPGM) break;
  }
  CHECK(n > 6 && at < 256);
}
// As a linker leaves it, and as clang alone does, which gives the descriptor a relocation.
static void check_clang(const tiny_bytes *object, const char *chip, int relocatable) {
  laid l;
  tn_amd_kernel k;
  uint64_t next = 0;
  lay(&l, object->data, object->n);
  CHECK(!l.wrong && l.o.chip && !strcmp(l.o.chip->name, chip) && l.o.relocatable == relocatable);
  if (!l.wrong && tn_amd_object_next(&l.o, l.image, &next, &k, &l.wrong)) {
    CHECK(k.name_n == 5 && !memcmp(k.name, "scale", 5));
    CHECK(tn_amd_items(tn_amd_value_at(k.metadata, ".args", 0)) >= 3 && k.descriptor.args_nbytes >= 20);
    CHECK(tn_amd_uint_at(k.metadata, ".max_flat_workgroup_size", 0) == 64);
    CHECK(!tn_amd_object_next(&l.o, l.image, &next, &k, &l.wrong));
    next = 0;
    CHECK(tn_amd_object_next(&l.o, l.image, &next, &k, &l.wrong));
    check_code(&l, &k);
  }
  CHECK(!l.wrong && next);
  lift(&l);
}
static void test_clang(tiny_ctx *t) {
  static const char kernel[] = "__attribute__((reqd_work_group_size(64, 1, 1)))\n"
    "kernel void scale(global float *o, global const float *i, int n) {\n"
    "  int x = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();\n"
    "  if (x < n) o[x] = 2 * i[x]; }\n";
  static const char *const cpus[] = {"-mcpu=gfx1100", "-mcpu=gfx1200", "-mcpu=gfx942"};
  const tiny_bytes source = {t, (char *)(uintptr_t)kernel, sizeof kernel - 1, 0};
  char path[] = "/tmp/tiny_amd_XXXXXX";
  const int fd = mkstemp(path);
  if (fd >= 0) close(fd);
  for (int i = 0; i < 6 && fd >= 0; i++) {
    const char *argv[] = {"/usr/bin/env", "clang-19", "--target=amdgcn-amd-amdhsa", cpus[i / 2],
                          "-mcode-object-version=5", "-nogpulib", "-O2", "-x", "cl", "-cl-std=CL2.0", "-w", "-", "-o",
                          path, i % 2 ? "-c" : NULL, NULL};
    static char bytes[1 << 16];
    if (!asked(t, argv, &source)) { printf("skipped: no clang-19 that does %s\n", cpus[i / 2]); continue; }
    FILE *f = fopen(path, "rb");
    const tiny_bytes object = {t, bytes, f ? fread(bytes, 1, sizeof bytes, f) : 0, 0};
    if (f) fclose(f);
    check_clang(&object, cpus[i / 2] + 6, i % 2);
  }
  if (fd >= 0) remove(path);
}

// ** hostile bytes **

static int lies_within(const void *p, size_t n, const uint8_t *data, size_t nbytes) {
  const uint8_t *const q = (const uint8_t *)p;
  return q >= data && q <= data + nbytes && n <= (size_t)(data + nbytes - q);
}
static uint64_t walked;                    // so that what is read is of use
static void walk(const uint8_t *data, size_t nbytes) {
  laid l;
  tn_amd_kernel k;
  lay(&l, data, nbytes);
  for (uint64_t i = 0; !l.wrong && tn_amd_object_next(&l.o, l.image, &i, &k, &l.wrong); ) {
    CHECK(lies_within(k.name, k.name_n + 3, data, nbytes) && k.entry + 4 <= l.o.image_nbytes);
    walked += l.image[k.entry];
    const tn_amd_value list = tn_amd_value_at(k.metadata, ".args", 0);
    for (uint64_t a = 0; a < tn_amd_items(list) && a < 64; a++) {
      walked += tn_amd_uint_at(tn_amd_value_at(list, NULL, a), ".offset", 0);
      walked += (uint64_t)text_is(tn_amd_value_at(list, NULL, a), ".value_kind", "by_value");
    }
  }
  CHECK(!l.wrong || strlen(l.wrong) > 8);
  lift(&l);
}
static void test_hostile(tiny_ctx *t) {
  tiny_bytes out = {t, NULL, 0, 0};
  made m;
  make_sources(t, &tn_amd_chips[0], &m);
  tn_amd_object_write(&out, &tn_amd_chips[0], m.source, KERNELS, NULL);
  rng = 3;
  for (int i = 0; i < (brief() ? 20000 : 200000); i++) {
    const size_t n = rnd(4) ? out.n : (size_t)rnd((int)out.n + 1);
    uint8_t *const bytes = (uint8_t *)malloc(n + !n);        // as long: a sanitizer sees what goes beyond
    memcpy(bytes, out.data, n);
    for (int k = rnd(6); k > 0 && n; k--) {
      const size_t at = rnd(3) ? (size_t)rnd((int)n) : (size_t)rnd(n < 0x600 ? (int)n : 0x600);
      bytes[at] = (uint8_t)(rnd(2) ? rnd(256) : rnd(2) ? 0xFF : bytes[at] ^ 1 << rnd(8));
    }
    walk(bytes, n);
    free(bytes);
  }
  tn_scratch_reset(t, 1);
}
static void test_metadata(void) {
  uint8_t deep[4096];
  memset(deep, 0x91, sizeof deep);         // an array of one array, and so on
  const tn_amd_value v = {deep, deep + sizeof deep};
  CHECK(!tn_amd_behind_value(v).p);
  const uint8_t wide[] = {0xDD, 0xFF, 0xFF, 0xFF, 0xFF, 1, 2};               // more items than bytes
  const tn_amd_value w = {wide, wide + sizeof wide};
  CHECK(!tn_amd_behind_value(w).p && tn_amd_value_at(w, NULL, 1).p == wide + 6 && !tn_amd_value_at(w, NULL, 2).p);
  const uint8_t map[] = {0x82, 0xA1, 'a', 0xC3, 0xA1, 'b', 0xCD, 1, 2};      // {a: true, b: 258}
  const tn_amd_value x = {map, map + sizeof map};
  CHECK(tn_amd_uint_at(x, "b", 0) == 258 && tn_amd_uint_at(x, "a", 7) == 7 && tn_amd_uint_at(x, "c", 9) == 9);
  CHECK(tn_amd_behind_value(x).p == map + sizeof map);
}

// ** memory that is refused **

static long allocations_left, allocated;
static void *failing(void *user, void *p, size_t old_nbytes, size_t new_nbytes) {
  (void)user;
  if (new_nbytes > old_nbytes && !allocations_left--) { allocations_left = 0; return NULL; }
  allocated += (long)new_nbytes - (long)old_nbytes;
  return tn_default_alloc(NULL, p, old_nbytes, new_nbytes);
}
typedef struct job { tiny_bytes out; const tn_amd_chip *chip; } job;
static tiny_code write_one(tiny_ctx *t, void *arg) {
  job *const j = (job *)arg;
  made m;
  j->out.t = t; j->out.data = NULL; j->out.n = j->out.cap = 0;
  make_sources(t, j->chip, &m);
  tn_amd_object_write(&j->out, j->chip, m.source, KERNELS, NULL);
  return TINY_OK;
}
static void test_refused_memory(void) {
  int refused = 0;
  for (long n = 0; n < 64; n++) {
    static tiny_ctx context;
    tiny_ctx *t = open_context(&context);
    job j = {{t, NULL, 0, 0}, &tn_amd_chips[TN_AMD_CHIPS - 1]};
    t->alloc.fn = failing;
    allocations_left = n; allocated = 0;
    const tiny_code code = tn_guard(t, write_one, &j);
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
  test_descriptors();
  test_written(t);
  test_clang(t);
  test_metadata();
  test_hostile(t);
  test_refused_memory();
  close_context(t);
  return test_report();
}
