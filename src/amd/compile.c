// compile: HIP C -> a code object, by what a tiny_amd_system brings, or clang; assembly -> a code object, here.
//
// In:    HIP C, which includes nothing, or assembly, which begins with .amdgcn_target (amd_assembly.c). Out: a code
//        object for the device, or what the compiler says. They are kept in the library's disk cache.
// Holds: clang alone is run, once for a module: no linker, no library, no header of ROCm. What is found is taken for
//        the device, and told in the log (letter p). Nothing is written to disk.
// What is what: Clang, User's Manual and "HIP Support" (--cuda-device-only, -nogpuinc, -nogpulib); -emit-obj stands
// behind -S, so that cc1 writes the object that the driver would have linked.
#ifndef TN_KFD_COMPILE
#define TN_KFD_COMPILE
#ifndef TINY_AMALGAMATED
#include "device.c"
#include "../base/tool.c"
#include "../isa/amd_assembly.c"
#endif

// TINY_AMD_CLANG, then ROCm's, then the newest in the folders of PATH that are absolute. 0: it is in none.
static int tn_kfd_find_clang(char *out, size_t nbytes) {
  static const char *const names[] = {"amdclang", "clang-23", "clang-22", "clang-21", "clang-20", "clang-19",
    "clang-18", "clang-17", "clang", NULL};
  const char *named = getenv("TINY_AMD_CLANG");
  if (named && *named) { snprintf(out, nbytes, "%s", named); return tn_tool_is_program(out); }
  snprintf(out, nbytes, "/opt/rocm/llvm/bin/clang");
  return tn_tool_is_program(out) || tn_tool_find(names, out, nbytes);
}
static tiny_code tn_kfd_find_compiler(tn_kfd *d) {
  if (!d->compiler_asked++ && !d->k.sys.compile) {
    if (!tn_kfd_find_clang(d->compiler, sizeof d->compiler)) d->compiler[0] = 0;
    else tiny_log_line(d->t, 'p', "%s: HIP C is compiled by %s", d->name, d->compiler);
  }
  if (d->k.sys.compile || d->compiler[0]) return TINY_OK;
  return tiny_fail(d->t, TINY_E_COMPILE,
                   "%s: a kernel is to be compiled and there is no clang that knows AMD's GPUs: install clang 17 or "
                   "later (or ROCm, whose clang is taken), name it in TINY_AMD_CLANG, or bring the program's kernels "
                   "in tiny_desc.cache_file from a machine that has one (tiny_cache_export)", d->name);
}

// Products and sums are fused where the list says FMA, nowhere else. LLVM 19's vectorizer of straight code loses the
// sign of some negations for gfx942 (tests/test_amd.sh: minima of bf16); lists have their lanes already.
static int tn_kfd_by_clang(const char *path, const char *hip, const char *target, tn_tool_made *out) {
  char arch[48];
  snprintf(arch, sizeof arch, "--offload-arch=%s", target);
  const char *const words[] = {"clang", "-x", "hip", "--cuda-device-only", arch, "-nogpuinc", "-nogpulib", "-O3", "-w",
    "-ffp-contract=off", "-fno-slp-vectorize", "-fno-temp-file", "-S", "-Xclang", "-emit-obj", "<", "-o", ">", NULL};
  return tn_tool_make(path, words, hip, out);
}

// ** as the backend is asked **

typedef struct tn_kfd_batch { tn_kfd *d; const tiny_bytes *source; tn_tool_made *made; int *result; } tn_kfd_batch;
static void tn_kfd_compile_task(void *arg, int i) {
  const tn_kfd_batch *b = (const tn_kfd_batch *)arg;
  const tiny_amd_system *s = &b->d->k.sys;
  tn_tool_made *m = &b->made[i];
  if (tn_amd_is_assembly(b->source[i].data)) return;
  const char *target = b->d->node.chip->name;
  b->result[i] = s->compile ? s->compile(s->user, b->source[i].data, target, &m->bytes, &m->nbytes, m->log,
                                         sizeof m->log)
                            : tn_kfd_by_clang(b->d->compiler, b->source[i].data, target, m);
}
static tiny_code tn_kfd_refused(tn_kfd *d, const tn_tool_made *m, tiny_bytes *log) {
  const size_t n = strlen(m->log);
  tiny_bytes_add(log, m->log, n);
  return tiny_fail(d->t, TINY_E_COMPILE, "%s: a kernel is not compiled for %s: %.600s", d->name, d->node.chip->name,
                   n ? m->log : "it is not said why");
}
static tiny_code tn_kfd_assemble(tn_kfd *d, const tiny_bytes *source, tiny_bytes *binary, tiny_bytes *log) {
  const tn_amd_chip *chip = NULL;
  const tiny_code before = tiny_status(d->t);
  tn_tool_made m;
  tn_amd_error e;
  for (int i = 0; i < TN_AMD_CHIPS; i++)
    if (!strcmp(tn_amd_chips[i].name, d->node.chip->name)) chip = &tn_amd_chips[i];
  if (!chip) return tiny_fail(d->t, TINY_E_COMPILE, "%s: there is no assembler for it", d->name);
  if (tn_amd_assemble_object(binary, chip, source->data, source->n, &e))
    return before == TINY_OK ? tiny_status(d->t) : TINY_OK;          // memory may have been refused
  snprintf(m.log, sizeof m.log, "line %d, column %d: %s", e.line, e.column, e.sentence);
  return tn_kfd_refused(d, &m, log);
}
static tiny_code tn_kfd_take(const tn_kfd_batch *b, int i, tiny_bytes *binary, tiny_bytes *log) {
  const tn_tool_made *m = &b->made[i];
  if (tn_amd_is_assembly(b->source[i].data)) return tn_kfd_assemble(b->d, &b->source[i], binary, log);
  if (b->result[i] || !m->bytes) return tn_kfd_refused(b->d, m, log);
  tiny_bytes_add(binary, m->bytes, m->nbytes);
  return TINY_OK;
}
// Processes run beside each other; what a host brings is called on this thread.
static tiny_code tn_kfd_compile(void *dev, int n, const tiny_bytes *source, tiny_bytes *binary, tiny_bytes *log) {
  tn_kfd *d = (tn_kfd *)dev;
  tiny_code code = TINY_OK;
  int hip = 0;
  for (int i = 0; i < n; i++) hip += !tn_amd_is_assembly(source[i].data);
  if (hip) code = tn_kfd_find_compiler(d);
  if (code != TINY_OK) return code;
  const size_t size = (size_t)n * (sizeof(tn_tool_made) + sizeof(int));
  tn_tool_made *made = (tn_tool_made *)tiny_realloc(d->t, NULL, 0, size);
  if (!made) return tiny_fail(d->t, TINY_E_MEMORY, "%s: no memory for compiled kernels", d->name);
  memset(made, 0, size);
  tn_kfd_batch b = {d, source, made, (int *)(void *)(made + n)};
  if (!d->k.sys.compile) tiny_parallel(d->t, n, tn_kfd_compile_task, &b);
  else for (int i = 0; i < n; i++) tn_kfd_compile_task(&b, i);
  for (int i = 0; i < n; i++) {
    if (code == TINY_OK) code = tn_kfd_take(&b, i, &binary[i], log);
    free(made[i].bytes);
  }
  tiny_realloc(d->t, made, size, 0);
  return code;
}
#endif
