// compile: kernels -> code objects: the library's own by the generator of isa/amd_generate.c; HIP C by what a
// tiny_amd_system brings, clang, or COMGR; assembly by amd_assembly.c.
//
// In:    lists; HIP C, which includes nothing; assembly, which begins with .amdgcn_target. Out: a code object for the
//        device, or what the compiler says. What clang made is kept in the library's disk cache.
// Holds: what the generator refuses is HIP C, that kernel alone, where there is a clang and tiny_desc.compiler lets it;
//        else an error. Of others clang alone is run, once for a module: no linker, no library, no header of ROCm; or
//        COMGR, which is clang in a library, where it is chosen, or there is no clang. What is found is taken for the
//        device, and told in the log (letter p). Nothing is written to disk here.
// What is what: Clang, User's Manual and "HIP Support" (--cuda-device-only, -nogpuinc, -nogpulib); -emit-obj stands
// behind -S, so that cc1 writes the object that the driver would have linked.
#ifndef TN_KFD_COMPILE
#define TN_KFD_COMPILE
#ifndef TINY_AMALGAMATED
#include "device.c"
#include "../base/tool.c"
#include "../isa/amd_assembly.c"
#include "../isa/amd_generate.c"
#include "../render/lang_hip.c"
#endif

// ** who compiles **

// tiny_desc.compiler, else TINY_AMD_COMPILER: "builtin", "outside", "both", a clang, or a COMGR. Another name is one
// of a compiler for processors.
static void tn_kfd_choose_compilers(tn_kfd *d) {
  const char *asked = tiny_compiler_of(d->t);
  if (!asked) asked = getenv("TINY_AMD_COMPILER");
  if (!asked) asked = "both";
  const char *const slash = strrchr(asked, '/'), *const name = slash ? slash : asked;
  const int is_clang = strstr(name, "clang") != NULL;
  d->by_comgr = !is_clang && strstr(name, "comgr") != NULL;
  d->alone = !strcmp(asked, "builtin");
  d->builtin = !is_clang && !d->by_comgr && strcmp(asked, "outside") != 0;
  if (is_clang || (d->by_comgr && strcmp(asked, "comgr") != 0)) snprintf(d->compiler, sizeof d->compiler, "%s", asked);
}
// The clang that was chosen; else TINY_AMD_CLANG, then ROCm's, then the newest in the folders of PATH that are
// absolute. 0: it is in none.
static int tn_kfd_find_clang(const char *chosen, char *out, size_t nbytes) {
  static const char *const names[] = {"amdclang", "clang-23", "clang-22", "clang-21", "clang-20", "clang-19",
    "clang-18", "clang-17", "clang", NULL};
  char name[300];
  const char *named = getenv("TINY_AMD_CLANG"), *const one[] = {name, NULL};
  snprintf(name, sizeof name, "%s", chosen);
  if (*chosen && *chosen != '/') return tn_tool_find(one, out, nbytes);
  if (*chosen || (named && *named)) {
    snprintf(out, nbytes, "%s", *chosen ? name : named);
    return tn_tool_is_program(out);
  }
  snprintf(out, nbytes, "/opt/rocm/llvm/bin/clang");
  return tn_tool_is_program(out) || tn_tool_find(names, out, nbytes);
}
// A clang, else COMGR, where a program did not choose between them.
static void tn_kfd_look_for_compiler(tn_kfd *d) {
  char found[sizeof d->compiler];
  const int is = !d->by_comgr && tn_kfd_find_clang(d->compiler, found, sizeof found);
  if (is) tiny_log_line(d->t, 'p', "%s: HIP C is compiled by %s", d->name, found);
  else if ((d->by_comgr || !d->compiler[0]) && tn_comgr_open(&d->comgr, d->compiler))
    tiny_log_line(d->t, 'p', "%s: HIP C is compiled by COMGR %d.%d", d->name, (int)d->comgr.major, (int)d->comgr.minor);
  snprintf(d->compiler, sizeof d->compiler, "%s", is ? found : "");
}
static int tn_kfd_has_compiler(tn_kfd *d) {
  if (!d->compiler_asked++ && !d->k.sys.compile) tn_kfd_look_for_compiler(d);
  return d->k.sys.compile || d->compiler[0] || d->comgr.library;
}
#define TN_KFD_INSTALL "install clang 17 or later (or ROCm, whose clang is taken), name it in TINY_AMD_CLANG, or " \
  "bring the program's kernels in tiny_desc.cache_file from a machine that has one (tiny_cache_export)"
static tiny_code tn_kfd_find_compiler(tn_kfd *d) {
  if (tn_kfd_has_compiler(d)) return TINY_OK;
  if (d->by_comgr)
    return tiny_fail(d->t, TINY_E_COMPILE, "%s: HIP C is to be compiled by COMGR, %s: install ROCm's (amd-comgr), or "
                     "name the file in TINY_AMD_COMGR", d->name, d->comgr.why);
  return tiny_fail(d->t, TINY_E_COMPILE, "%s: HIP C is to be compiled and there is no clang that knows AMD's GPUs, nor "
                   "COMGR: " TN_KFD_INSTALL, d->name);
}

// ** kernels that the library writes: machine code (isa/amd_generate.c); HIP C, where that refuses one **

// The greater of two, which HIP C writes as a choice elsewhere: lists for machine code have it as one operation.
static const char tn_kfd_greatest[] =
  "template <typename T> FN T greatest(T x, T y) { return y > x || y != y ? y : x; }\n"
  "LANES2(greatest, greatest(x.at[i], y.at[i]))\n";
// Can HIP C say what this list says? It is lowered for what the GPU has and the language may not have: products of
// words, floats that it has no type of.
static int tn_kfd_in_hip(const tiny_renderer *own, const tiny_renderer *hip, const tiny_listing *k) {
  for (int i = 0; i < k->n; i++) {
    const tiny_uop *const u = k->list[i];
    if (own->ops[u->op] && !hip->ops[u->op]) return 0;
    if (u->op == TINY_OP_DOT && !(hip->dots >> u->k & 1)) return 0;
    if (u->dtype && !(hip->dtypes >> u->dtype & 1)) return 0;
  }
  return 1;
}
static const tn_amd_chip *tn_kfd_machine(const tn_kfd *d) {
  for (int i = 0; i < TN_AMD_CHIPS; i++) if (!strcmp(tn_amd_chips[i].name, d->node.chip->name)) return &tn_amd_chips[i];
  return NULL;
}
static tiny_code tn_kfd_write_kernel(tiny_ctx *t, const tiny_renderer *r, const tiny_listing *k, tiny_bytes *out,
                                     uint64_t *uses) {
  tn_kfd *const d = (tn_kfd *)(uintptr_t)r->own;
  const char *const why = tn_amd_render(t, tn_kfd_machine(d), k, out);
  *uses = 0;
  if (!why || tiny_status(t) != TINY_OK) return tiny_status(t);
  const int sayable = tn_kfd_in_hip(r, &d->hip, k);
  tiny_log_line(t, 'd', "%s: the built-in compiler refuses %s: %s", d->name, k->name, why);
  if (!d->alone && sayable && tn_kfd_has_compiler(d)) return d->hip.kernel(t, &d->hip, k, out, uses);
  return tiny_fail(t, TINY_E_COMPILE, "%s: %s: %s has no form in the code of %s%s", d->name, k->name, why,
                   d->node.chip->name, d->alone || !sayable ? "" : "; with a clang it is HIP C: " TN_KFD_INSTALL);
}
static tiny_code tn_kfd_write_hip(const tn_kfd *d, const tiny_rendered *kernels, int n, tiny_bytes *out) {
  tiny_rendered *const all = (tiny_rendered *)tn_amd_scratch(d->t, (size_t)n + 1, sizeof *all);
  if (!all) return TINY_E_MEMORY;
  all[0].data = tn_kfd_greatest; all[0].n = sizeof tn_kfd_greatest - 1;
  memcpy(all + 1, kernels, (size_t)n * sizeof *all);
  return d->hip.module(d->t, &d->hip, all, n + 1, out);
}
static tiny_code tn_kfd_write_module(tiny_ctx *t, const tiny_renderer *r, const tiny_rendered *kernels, int n,
                                     tiny_bytes *out) {
  const tn_kfd *const d = (const tn_kfd *)r->own;
  if (n && !tn_amd_is_rendered(kernels->data, kernels->n)) return tn_kfd_write_hip(d, kernels, n, out);
  const tiny_code code = tn_amd_bind(t, tn_kfd_machine(d), kernels, n, out);
  return n || code != TINY_OK ? code : d->hip.module(t, &d->hip, NULL, 0, out);
}
static void tn_kfd_renderer(void *dev, tiny_renderer *out) {
  tn_kfd *const d = (tn_kfd *)dev;
  if (!d->builtin || !tn_lang_amd(out, d->node.chip->name)) { tn_lang_hip(out, d->node.chip->name); return; }
  tn_lang_hip(&d->hip, d->node.chip->name);
  d->hip.language.ops[TINY_OP_MAX] = "greatest(%0, %1)";
  tiny_renderer_of_language(&d->hip);
  out->own = d;
  out->kernel = tn_kfd_write_kernel;
  out->module = tn_kfd_write_module;
}

// ** clang, COMGR **

// Products and sums are fused where the list says FMA, nowhere else. LLVM 19's vectorizer of straight code loses the
// sign of some negations for gfx942 (tests/test_amd.sh: minima of bf16); lists have their lanes already.
#define TN_KFD_OPTIONS "-nogpuinc", "-nogpulib", "-O3", "-w", "-ffp-contract=off", "-fno-slp-vectorize"
static int tn_kfd_by_clang(const char *path, const char *hip, const char *target, tn_tool_made *out) {
  char arch[48];
  snprintf(arch, sizeof arch, "--offload-arch=%s", target);
  const char *const words[] = {"clang", "-x", "hip", "--cuda-device-only", arch, TN_KFD_OPTIONS,
    "-fno-temp-file", "-S", "-Xclang", "-emit-obj", "<", "-o", ">", NULL};
  return tn_tool_make(path, words, hip, out);
}
static int tn_kfd_by_comgr(const tn_comgr *c, const char *hip, const char *target, tn_tool_made *out) {
  static const char *const options[] = {TN_KFD_OPTIONS};
  return tn_comgr_compile(c, hip, target, options, sizeof options / sizeof *options, out);
}
#undef TN_KFD_OPTIONS

// ** as the backend is asked **

// Neither an object, which is taken as it is, nor assembly.
static int tn_kfd_is_object(const tiny_bytes *source) { return tn_amd_is_rendered(source->data, source->n); }
static int tn_kfd_is_hip(const tiny_bytes *source) {
  return !tn_kfd_is_object(source) && !tn_amd_is_assembly(source->data);
}
typedef struct tn_kfd_batch { tn_kfd *d; const tiny_bytes *source; tn_tool_made *made; int *result; } tn_kfd_batch;
static void tn_kfd_compile_task(void *arg, int i) {
  const tn_kfd_batch *b = (const tn_kfd_batch *)arg;
  const tiny_amd_system *s = &b->d->k.sys;
  tn_tool_made *m = &b->made[i];
  if (!tn_kfd_is_hip(&b->source[i])) return;
  const char *target = b->d->node.chip->name;
  b->result[i] = s->compile ? s->compile(s->user, b->source[i].data, target, &m->bytes, &m->nbytes, m->log,
                                         sizeof m->log)
               : b->d->comgr.library ? tn_kfd_by_comgr(&b->d->comgr, b->source[i].data, target, m)
               : tn_kfd_by_clang(b->d->compiler, b->source[i].data, target, m);
}
static tiny_code tn_kfd_refused(tn_kfd *d, const tn_tool_made *m, tiny_bytes *log) {
  const size_t n = strlen(m->log);
  tiny_bytes_add(log, m->log, n);
  return tiny_fail(d->t, TINY_E_COMPILE, "%s: a kernel is not compiled for %s: %.600s", d->name, d->node.chip->name,
                   n ? m->log : "it is not said why");
}
static tiny_code tn_kfd_assemble(tn_kfd *d, const tiny_bytes *source, tiny_bytes *binary, tiny_bytes *log) {
  const tn_amd_chip *const chip = tn_kfd_machine(d);
  const tiny_code before = tiny_status(d->t);
  tn_tool_made m;
  tn_amd_error e;
  if (!chip) return tiny_fail(d->t, TINY_E_COMPILE, "%s: there is no assembler for it", d->name);
  if (tn_amd_assemble_object(binary, chip, source->data, source->n, &e))
    return before == TINY_OK ? tiny_status(d->t) : TINY_OK;          // memory may have been refused
  snprintf(m.log, sizeof m.log, "line %d, column %d: %s", e.line, e.column, e.sentence);
  return tn_kfd_refused(d, &m, log);
}
static tiny_code tn_kfd_take(const tn_kfd_batch *b, int i, tiny_bytes *binary, tiny_bytes *log) {
  const tn_tool_made *m = &b->made[i];
  if (tn_kfd_is_object(&b->source[i])) {
    tiny_bytes_add(binary, b->source[i].data, b->source[i].n);
    return TINY_OK;
  }
  if (tn_amd_is_assembly(b->source[i].data)) return tn_kfd_assemble(b->d, &b->source[i], binary, log);
  if (b->result[i] || !m->bytes) return tn_kfd_refused(b->d, m, log);
  tiny_bytes_add(binary, m->bytes, m->nbytes);
  return TINY_OK;
}
// Processes run beside each other; what a host brings, and COMGR, are called on this thread.
static tiny_code tn_kfd_compile(void *dev, int n, const tiny_bytes *source, tiny_bytes *binary, tiny_bytes *log) {
  tn_kfd *d = (tn_kfd *)dev;
  tiny_code code = TINY_OK;
  int hip = 0;
  for (int i = 0; i < n; i++) hip += tn_kfd_is_hip(&source[i]);
  if (hip) code = tn_kfd_find_compiler(d);
  if (code != TINY_OK) return code;
  const size_t size = (size_t)n * (sizeof(tn_tool_made) + sizeof(int));
  tn_tool_made *made = (tn_tool_made *)tiny_realloc(d->t, NULL, 0, size);
  if (!made) return tiny_fail(d->t, TINY_E_MEMORY, "%s: no memory for compiled kernels", d->name);
  memset(made, 0, size);
  tn_kfd_batch b = {d, source, made, (int *)(void *)(made + n)};
  if (!d->k.sys.compile && !d->comgr.library) tiny_parallel(d->t, n, tn_kfd_compile_task, &b);
  else for (int i = 0; i < n; i++) tn_kfd_compile_task(&b, i);
  for (int i = 0; i < n; i++) {
    if (code == TINY_OK) code = tn_kfd_take(&b, i, &binary[i], log);
    free(made[i].bytes);
  }
  tiny_realloc(d->t, made, size, 0);
  return code;
}
#endif
