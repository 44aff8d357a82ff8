// assemble: PTX -> cubin, by whatever is found here: what a tiny_nv_system brings, ptxas, or a library of the toolkit.
//
// In:    PTX. Out: a cubin for the device, or what the assembler says. Cubins are kept in the library's disk cache.
// Holds: the first that is found is taken, once for a device, and told in the log (letter p). Nothing is written to
//        disk: ptxas reads and writes memory that has no name in a folder.
// What is what: CUDA Compiler Driver NVCC (ptxas), PTX Compiler API, nvJitLink; Linux, memfd_create(2).
#ifndef TN_NV_ASSEMBLE
#define TN_NV_ASSEMBLE
#ifndef TINY_AMALGAMATED
#include "device.c"
#include "../base/library.c"
#include "../base/tool.c"
#endif

// nvPTXCompiler.h (CUDA 11.1 and later) and nvJitLink.h (12.0 and later): results are 0 where it went well.
typedef struct tn_nv_ptx_library {
  int (*create)(void **out, size_t nbytes, const char *ptx), (*compile)(void *, int n, const char *const *options),
      (*nbytes)(void *, size_t *out), (*get)(void *, void *out), (*log_nbytes)(void *, size_t *out),
      (*log)(void *, char *out), (*destroy)(void **);
} tn_nv_ptx_library;
typedef struct tn_nv_link_library {
  int (*create)(void **out, uint32_t n, const char **options), (*add)(void *, int type, const void *data, size_t nbytes,
      const char *name), (*complete)(void *), (*nbytes)(void *, size_t *out), (*get)(void *, void *out),
      (*log_nbytes)(void *, size_t *out), (*log)(void *, char *out), (*destroy)(void **);
} tn_nv_link_library;
typedef enum tn_nv_assembler_kind {
  TN_NV_NONE, TN_NV_GIVEN, TN_NV_PTXAS, TN_NV_PTX_LIBRARY, TN_NV_LINK_LIBRARY
} tn_nv_assembler_kind;
typedef struct tn_nv_assembler {
  tn_nv_assembler_kind kind;
  char path[300];                          // of ptxas
  tn_nv_ptx_library ptx; tn_nv_link_library link;
} tn_nv_assembler;

// ** libraries **

static int tn_nv_symbols(void *library, const char *const *names, void *const *to, int n) {
  for (int i = 0; i < n; i++) {
    void *const found = library ? tn_library_symbol(library, names[i]) : NULL;
    if (!found) return 0;
    memcpy(to[i], &found, sizeof found);
  }
  return 1;
}
static int tn_nv_find_ptx_library(tn_nv_ptx_library *p) {
  static const char *const files[] = {"libnvptxcompiler.so.13", "libnvptxcompiler.so", NULL};
  static const char *const names[] = {
    "nvPTXCompilerCreate", "nvPTXCompilerCompile", "nvPTXCompilerGetCompiledProgramSize",
    "nvPTXCompilerGetCompiledProgram", "nvPTXCompilerGetErrorLogSize", "nvPTXCompilerGetErrorLog",
    "nvPTXCompilerDestroy"
  };
  void *const to[] = {&p->create, &p->compile, &p->nbytes, &p->get, &p->log_nbytes, &p->log, &p->destroy};
  void *const library = tn_library_open(files);
  const int found = tn_nv_symbols(library, names, to, 7);
  if (library && !found) tn_library_close(library);
  return found;
}
static int tn_nv_find_link_library(tn_nv_link_library *p) {
  static const char *const files[] = {
    "libnvJitLink.so.13", "libnvJitLink.so.12", "libnvJitLink.so", "/usr/local/cuda/lib64/libnvJitLink.so", NULL
  };
  // Symbols carry a version, which the library's own header spells: __nvJitLinkCreate_13_0.
  static const char *const versions[] = {"13_0", "13_1", "12_9", "12_8", "12_6", "12_4", "12_2", "12_1", "12_0"};
  static const char *const verbs[] = {"Create", "AddData", "Complete", "GetLinkedCubinSize", "GetLinkedCubin",
                                      "GetErrorLogSize", "GetErrorLog", "Destroy"};
  void *const to[] = {&p->create, &p->add, &p->complete, &p->nbytes, &p->get, &p->log_nbytes, &p->log, &p->destroy};
  void *const library = tn_library_open(files);
  for (size_t v = 0; library && v < sizeof versions / sizeof *versions; v++) {
    char text[8][48];
    const char *names[8];
    for (int i = 0; i < 8; i++) {
      snprintf(text[i], sizeof text[i], "__nvJitLink%s_%s", verbs[i], versions[v]);
      names[i] = text[i];
    }
    if (tn_nv_symbols(library, names, to, 8)) return 1;
  }
  if (library) tn_library_close(library);
  return 0;
}
static int tn_nv_take_cubin(void *of, int (*nbytes)(void *, size_t *), int (*get)(void *, void *), tn_tool_made *out) {
  if (nbytes(of, &out->nbytes) || !out->nbytes) return -1;
  out->bytes = malloc(out->nbytes);
  return !out->bytes ? -1 : get(of, out->bytes);
}
static void tn_nv_take_log(void *of, int (*nbytes)(void *, size_t *), int (*log)(void *, char *), tn_tool_made *out) {
  size_t n = 0;
  if (nbytes(of, &n) || !n) return;
  char *text = (char *)malloc(n + 1);
  if (text && !log(of, text)) { text[n] = 0; snprintf(out->log, sizeof out->log, "%s", text); }
  free(text);
}
static int tn_nv_by_ptx_library(const tn_nv_ptx_library *p, const char *ptx, const char *target, tn_tool_made *out) {
  char arch[40];
  void *compiler = NULL;
  snprintf(arch, sizeof arch, "--gpu-name=%s", target);
  const char *const options[] = {arch};
  if (p->create(&compiler, strlen(ptx), ptx)) return -1;
  int result = p->compile(compiler, 1, options);
  if (result) tn_nv_take_log(compiler, p->log_nbytes, p->log, out);
  else result = tn_nv_take_cubin(compiler, p->nbytes, p->get, out);
  p->destroy(&compiler);
  return result;
}
static int tn_nv_by_link_library(const tn_nv_link_library *p, const char *ptx, const char *target, tn_tool_made *out) {
  enum { PTX = 2 };
  char arch[40];
  void *linker = NULL;
  snprintf(arch, sizeof arch, "-arch=%s", target);
  const char *options[] = {arch};
  if (p->create(&linker, 1, options)) return -1;
  int result = p->add(linker, PTX, ptx, strlen(ptx) + 1, "kernels");
  if (!result) result = p->complete(linker);
  if (result) tn_nv_take_log(linker, p->log_nbytes, p->log, out);
  else result = tn_nv_take_cubin(linker, p->nbytes, p->get, out);
  p->destroy(&linker);
  return result;
}

// ** ptxas, as a process **

static int tn_nv_by_ptxas(const char *path, const char *ptx, const char *target, tn_tool_made *out) {
  char arch[40];
  snprintf(arch, sizeof arch, "-arch=%s", target);
  const char *const words[] = {"ptxas", arch, "<", "-o", ">", NULL};
  return tn_tool_make(path, words, ptx, out);
}
// TINY_NV_PTXAS, then the folders of PATH that are absolute, then the toolkit's. 0: it is in none.
static int tn_nv_find_ptxas(char *out, size_t nbytes) {
  static const char *const names[] = {"ptxas", NULL};
  const char *named = getenv("TINY_NV_PTXAS");
  if (named && *named) { snprintf(out, nbytes, "%s", named); return tn_tool_is_program(out); }
  if (tn_tool_find(names, out, nbytes)) return 1;
  snprintf(out, nbytes, "/usr/local/cuda/bin/ptxas");
  return tn_tool_is_program(out);
}

// ** which **

static const char *tn_nv_assembler_open(tn_nv *d, tn_nv_assembler *a) {
  const char *const said = a->path;
  if (d->rm.sys.assemble) { a->kind = TN_NV_GIVEN; return "what the host brings"; }
  if (tn_nv_find_ptxas(a->path, sizeof a->path)) { a->kind = TN_NV_PTXAS; return said; }
  if (tn_nv_find_ptx_library(&a->ptx)) { a->kind = TN_NV_PTX_LIBRARY; return "libnvptxcompiler"; }
  if (tn_nv_find_link_library(&a->link)) { a->kind = TN_NV_LINK_LIBRARY; return "nvJitLink"; }
  return NULL;
}
static tiny_code tn_nv_find_assembler(tn_nv *d) {
  if (!d->assembler) {
    d->assembler = (tn_nv_assembler *)tiny_realloc(d->t, NULL, 0, sizeof *d->assembler);
    if (!d->assembler) return tiny_fail(d->t, TINY_E_MEMORY, "%s: no memory for an assembler", d->name);
    memset(d->assembler, 0, sizeof *d->assembler);
    const char *found = tn_nv_assembler_open(d, d->assembler);
    if (found) tiny_log_line(d->t, 'p', "%s: PTX is assembled by %s", d->name, found);
  }
  if (d->assembler->kind != TN_NV_NONE) return TINY_OK;
  return tiny_fail(d->t, TINY_E_COMPILE,
                   "%s: a kernel is to be assembled and there is no ptxas, libnvptxcompiler or nvJitLink: "
                   "pip install nvidia-cuda-nvcc (which has ptxas), name it in TINY_NV_PTXAS, or bring the program's "
                   "kernels from a machine that has one: tiny_nv_export writes them there for every GPU that is named, "
                   "tiny_desc.cache_file takes them here", d->name);
}
// 0: out has a cubin, which free takes. Otherwise out->log may say why.
static int tn_nv_assemble(tn_nv *d, const char *ptx, tn_tool_made *out) {
  const tn_nv_assembler *a = d->assembler;
  memset(out, 0, sizeof *out);
  switch (a->kind) {
    case TN_NV_GIVEN:
      return d->rm.sys.assemble(d->rm.sys.user, ptx, d->sm, &out->bytes, &out->nbytes, out->log, sizeof out->log);
    case TN_NV_PTXAS: return tn_nv_by_ptxas(a->path, ptx, d->target, out);
    case TN_NV_PTX_LIBRARY: return tn_nv_by_ptx_library(&a->ptx, ptx, d->target, out);
    case TN_NV_LINK_LIBRARY: return tn_nv_by_link_library(&a->link, ptx, d->target, out);
    default: return -1;
  }
}

// ** as the backend is asked **

typedef struct tn_nv_batch { tn_nv *d; const tiny_bytes *source; tn_tool_made *made; int *result; } tn_nv_batch;
static void tn_nv_assemble_task(void *arg, int i) {
  const tn_nv_batch *b = (const tn_nv_batch *)arg;
  b->result[i] = tn_nv_assemble(b->d, b->source[i].data, &b->made[i]);
}
static tiny_code tn_nv_refused(tn_nv *d, const tn_tool_made *m, tiny_bytes *log) {
  const size_t n = strlen(m->log);
  tiny_bytes_add(log, m->log, n);
  return tiny_fail(d->t, TINY_E_COMPILE, "%s: a kernel is not assembled for %s: %.600s", d->name, d->target,
                   n ? m->log : "it is not said why");
}
// Processes run beside each other; what a host brings is called on this thread.
static tiny_code tn_nv_compile(void *dev, int n, const tiny_bytes *source, tiny_bytes *binary, tiny_bytes *log) {
  tn_nv *d = (tn_nv *)dev;
  tiny_code code = tn_nv_find_assembler(d);
  if (code != TINY_OK) return code;
  const size_t size = (size_t)n * (sizeof(tn_tool_made) + sizeof(int));
  tn_tool_made *made = (tn_tool_made *)tiny_realloc(d->t, NULL, 0, size);
  if (!made) return tiny_fail(d->t, TINY_E_MEMORY, "%s: no memory for compiled kernels", d->name);
  memset(made, 0, size);
  tn_nv_batch b = {d, source, made, (int *)(void *)(made + n)};
  if (d->assembler->kind == TN_NV_PTXAS) tiny_parallel(d->t, n, tn_nv_assemble_task, &b);
  else for (int i = 0; i < n; i++) tn_nv_assemble_task(&b, i);
  for (int i = 0; i < n; i++) {
    if (code == TINY_OK && (b.result[i] || !made[i].bytes)) code = tn_nv_refused(d, &made[i], log);
    if (code == TINY_OK) tiny_bytes_add(&binary[i], made[i].bytes, made[i].nbytes);
    free(made[i].bytes);
  }
  tiny_realloc(d->t, made, size, 0);
  return code;
}
#endif
