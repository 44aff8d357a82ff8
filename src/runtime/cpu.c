// cpu: the processor that the host runs on, as a backend. Kernels are objects that the library makes itself (src/isa),
// or C, which clang makes objects; elf.c loads those.
//
// In:    texts, launches. Out: what struct tiny_backend asks for.
// Holds: a kernel is void NAME(void *const *mem, const long long *args, long long task, char *restrict local): mem[i]
//        is the memory of PARAM i, args[i] the bits of ARG i, task one of 0..tasks-1, local memory that no other task
//        has meanwhile; source from outside may leave that parameter out.
// Sources go to the compiler's stdin and objects come from its stdout, one process each, all at once: no file is
// written, and the path is the same on every system, as clang writes ELF on all. Without clang, cc or gcc does where
// objects are ELF files anyway; they need a file for their output, in a folder that nobody else can enter. What a
// compiler is it says itself, by the macros it defines; the answer may be kept (runtime/compiler.c). One that does not
// answer, cannot be started or compiles nothing at all is passed over, unless $TINY_CC names it. It runs for so many
// seconds at most, and so does whatever it starts.
// One of several devices of a context has a queue (queue.c), on whose thread everything happens, in order; the only one
// does everything at once, on the thread that calls.
#ifndef TN_RUNTIME_CPU
#define TN_RUNTIME_CPU
#ifndef TINY_AMALGAMATED
#include "../base/process.c"
#include "../base/caches.c"
#ifdef TN_OS_PAGE
#include "page.c"
#else
#include "elf.c"
#endif
#include "queue.c"
#include "../render/lang_c.c"
#include "../render/llvm.c"
#include "../render/cstyle.c"
#if defined(TN_ISA) && defined(TN_OS_X86)
#include "../isa/x86_object.c"
#elif defined(TN_ISA) && defined(TN_OS_ARM64)
#include "../isa/arm64_object.c"
#elif defined(TN_ISA)
#include "../isa/wasm_object.c"
#endif
#endif

// The built-in compiler; what the level of a processor is to it.
#if defined(TN_ISA) && defined(TN_OS_X86)
  #define TN_CPU_BUILTIN 1
  #define TN_CPU_BUILTIN_OBJECT tn_x86_object
  typedef tn_x86_level tn_cpu_builtin_level;
#elif defined(TN_ISA) && defined(TN_OS_ARM64)
  #define TN_CPU_BUILTIN 1
  #define TN_CPU_BUILTIN_OBJECT tn_arm64_object
  typedef tn_arm64_level tn_cpu_builtin_level;
#elif defined(TN_ISA)
  #define TN_CPU_BUILTIN 1
  #define TN_CPU_BUILTIN_OBJECT tn_wasm_object
  typedef tn_wasm_level tn_cpu_builtin_level;
#else
  #define TN_CPU_BUILTIN 0
#endif

typedef void (*tn_cpu_kernel)(void *const *mem, const long long *args, long long task, char *local);

enum {
  TN_CPU_ALIGN = 64,                       // of buffers: a cache line, and the widest vector
  TN_CPU_HUGE = 4 << 20,                   // bytes from which a buffer gets pages of its own
  TN_CPU_FLAGS = 32, TN_CPU_PARAMS = 64    // PARAMs whose pointers need no allocation
};

typedef struct tn_cpu {
  tiny_ctx *t;
  struct tn_queue *queue;                  // NULL: everything happens at once
  tn_os_cpu facts;
  int is_clang, cores, seconds;            // seconds: that one run of the compiler may take
  int takes_ir;                            // kernels are LLVM IR, not C
  // Kernels are compiled here; what is refused is interpreted, or C, where there is an outside compiler. alone: it is
  // not looked for.
  int builtin, alone;
  int barred;                              // the system lets no code be executed that this process writes
  int asked, unfit;                        // did it say what it is? it did, and then it could not be used
  int recalled;                            // what it once said was kept, and is taken for true
  int chosen, name, nth;                   // $TINY_CC names it; else: which of tn_cpu_names, the how manieth on PATH
  char compiler[TN_OS_PATH];               // "": there is none
  char why[TN_OS_PATH + 200];              // there is none, or not the first that was found
  char target[TN_OS_PATH + 256];
  char *local; size_t local_nbytes;        // of a slot, with the line in front that holds its tn_cpu_slot
  int slots;                               // as many as tasks run at a time
} tn_cpu;

// ** the compiler **

// -fPIE: all references are relative, so that the image may lie anywhere. Kernels call nothing and are called
// by nothing but the loader: no PLT, unwind tables or stack checks. -O2 by measurement: over 20 kinds of kernels -O1
// compiles in 0.86, -O3 in 0.99 and -fno-unroll-loops in 0.96 of its time, and what they compile runs in 0.99, 0.98 and
// 1.00 of it, where single kernels lose 6 % by -O1 (`build/bench/cost flags`). Expressions of foreign source are
// contracted, ours say that they are not (lang_c.c); gcc takes that flag for =off.
static const char *const tn_cpu_both[] = {
  "-O2", "-ffp-contract=on", "-fno-math-errno", "-fno-trapping-math", "-ffreestanding", "-fPIE", "-w",
  "-fno-stack-protector", "-fno-ident", "-fno-asynchronous-unwind-tables", "-fno-unwind-tables",
#ifdef TN_OS_ARM64
  "-ffixed-x18",                           // the system's register on macOS and Windows
#endif
  NULL
};
#if defined(TN_OS_X86) && defined(_WIN32)
  #define TN_CPU_TRIPLE "--target=x86_64-pc-windows-elf"    // the host's calling convention
#elif defined(TN_OS_X86)
  #define TN_CPU_TRIPLE "--target=x86_64-none-unknown-elf"
#else
  #define TN_CPU_TRIPLE "--target=aarch64-none-elf"
#endif
static const char *const tn_cpu_clang_only[] = { TN_CPU_TRIPLE, "-fvisibility=hidden",
#ifdef _WIN32
  "-mno-stack-arg-probe",
#endif
  NULL
};
#if defined(TN_OS_ARM64)
  enum { TN_CPU_MACHINE = TN_ELF_ARM64 };
#elif defined(TN_OS_X86)
  enum { TN_CPU_MACHINE = TN_ELF_X86 };
#else
  enum { TN_CPU_MACHINE = 0 };             // elf.c cannot load what a compiler makes: as if there were none
#endif
enum { TN_CPU_OBJECT_MOST = 64 << 20 };    // bytes, as much as elf.c loads
// Is it what tn_cpu_load takes?
static int tn_cpu_is_object(const void *data, size_t n) {
#ifdef TN_OS_PAGE
  return tn_page_is_module(data, n);
#else
  return tn_elf_is_object((const char *)data, n, TN_CPU_MACHINE);
#endif
}

static const char *const tn_cpu_names[] = { "clang", "clang-21", "clang-20", "clang-19", "clang-18", "clang-17",
                                            "clang-16", "clang-15", "clang-14", "cc", "gcc" };
enum { TN_CPU_CLANG_OF_IR = 15 };         // the first whose pointers are opaque (LLVM 15 release notes)
enum { TN_CPU_NAMES = sizeof tn_cpu_names / sizeof *tn_cpu_names, TN_CPU_SECONDS = 300, TN_CPU_ASK_SECONDS = 30 };

static void tn_cpu_describe(tn_cpu *c, const char *said);

// The next program that may be a compiler, from the name and the place on PATH where c stands.
static void tn_cpu_find_compiler(tn_cpu *c) {
  c->asked = c->unfit = c->recalled = 0;
  for (; c->name < TN_CPU_NAMES && TN_CPU_MACHINE != 0 && !c->chosen; c->name++, c->nth = 0)
    if (tn_os_find_program(tn_cpu_names[c->name], c->nth, c->compiler, sizeof c->compiler)) {
      c->is_clang = strncmp(tn_cpu_names[c->name], "clang", 5) == 0;   // until it says so itself
      tn_cpu_describe(c, "");
      return;
    }
  c->compiler[0] = 0;
  tn_cpu_describe(c, "");
  if (!c->why[0])
    snprintf(c->why, sizeof c->why, TN_CPU_MACHINE != 0 ? "no C compiler was found" : "no C compiler is of use here");
}

// chosen names the compiler, or else, if it is NULL, it is found.
static void tn_cpu_first_compiler(tn_cpu *c, const char *chosen) {
  if (c->alone) {
    if (!c->why[0])
      snprintf(c->why, sizeof c->why, "the built-in compiler %s", c->builtin ? "does not take them, and is chosen alone"
               : "is chosen, and is not there (TINY_NO_ISA; x86-64, arm64, wasm)");
    tn_cpu_describe(c, "");
    return;
  }
  const char *const file = !chosen ? "" : strrchr(chosen, '/') ? strrchr(chosen, '/') + 1 : chosen;
  c->chosen = chosen != NULL;
  if (chosen && TN_CPU_MACHINE != 0 && tn_os_find_program(chosen, 0, c->compiler, sizeof c->compiler)) {
    c->is_clang = strstr(file, "clang") != NULL;
    tn_cpu_describe(c, "");
    return;
  }
  if (chosen) snprintf(c->why, sizeof c->why, "tiny_desc.compiler or TINY_CC names '%.200s', which is no program "
           "that can be run", chosen);
  tn_cpu_find_compiler(c);
}

// c's compiler is not to be used: the next one, if $TINY_CC leaves a choice. why: of the first that was passed over.
static void tn_cpu_pass_over(tn_cpu *c, const char *why) {
  if (!c->why[0])
    snprintf(c->why, sizeof c->why, "%s%s cannot be used%s%.*s", c->chosen ? "TINY_CC: " : "", c->compiler,
             *why ? ": " : "", (int)strcspn(why, "\n"), why);
  c->nth++;
  tn_cpu_find_compiler(c);
}

static int tn_cpu_is_builtin(const void *dev) { return ((const tn_cpu *)dev)->builtin; }
static int tn_cpu_compiles(void *dev) { return ((tn_cpu *)dev)->builtin || ((tn_cpu *)dev)->compiler[0]; }
// An outside one.
static int tn_cpu_has_compiler(void *dev) { return ((tn_cpu *)dev)->compiler[0] != 0; }
static int tn_cpu_is_unfit(void *dev) { return ((tn_cpu *)dev)->unfit; }
static int tn_cpu_is_barred(void *dev) { return ((tn_cpu *)dev)->barred; }
static int tn_cpu_is_identified(void *dev) { return ((tn_cpu *)dev)->asked && !((tn_cpu *)dev)->unfit; }
static const char *tn_cpu_no_compiler(void *dev) { return ((tn_cpu *)dev)->why; }

// Fills the list of arguments. make: "-c" an object, "-S" assembly; to: the file that is written, "-": stdout.
static void tn_cpu_arguments(const tn_cpu *c, const char *make, const char *to, const char **argv) {
  int n = 0;
  argv[n++] = c->compiler;
  for (const char *const *f = tn_cpu_both; *f; f++) argv[n++] = *f;
  for (const char *const *f = tn_cpu_clang_only; c->is_clang && *f; f++) argv[n++] = *f;
#ifdef TN_OS_X86
  argv[n++] = c->facts.march ? c->facts.march : "-march=native";
  if (c->facts.vector_nbytes == 64) argv[n++] = "-mprefer-vector-width=512";
  else if (!c->facts.march) argv[n++] = "-mno-avx512f";      // valgrind: a lesser processor than the compiler sees
#endif
#ifdef TN_OS_ARM64
  argv[n++] = c->facts.march ? c->facts.march : "-mcpu=native";
#endif
  argv[n++] = "-x"; argv[n++] = c->takes_ir ? "ir" : "c";
  argv[n++] = make; argv[n++] = "-"; argv[n++] = "-o"; argv[n++] = to;
  argv[n] = NULL;
}

// The first lines of what a compiler said.
static int tn_cpu_head(const char *text, int lines) {
  const char *at = text;
  while (*at && (*at != '\n' || --lines)) at++;
  return (int)(at - text);
}

static tiny_code tn_cpu_judge(tiny_ctx *t, const tn_job *job, const tiny_bytes *binary) {
  const char *said = job->err.n ? job->err.data : "(it said nothing)";
  const int length = tn_cpu_head(said, 10);
  if (job->ended == TN_JOB_LATE)
    return tiny_fail(t, TINY_E_COMPILE, "%s was ended after %d s (tiny_desc.compiler_seconds, TINY_CC_SECONDS):\n%.*s",
                     job->argv[0], job->seconds, length, said);
  if (job->ended == TN_JOB_CANCELLED) return tiny_fail(t, TINY_E_CANCELLED, "%s was cancelled", job->argv[0]);
  if (job->ended == TN_JOB_FLOODED)
    return tiny_fail(t, TINY_E_COMPILE, "%s was ended: it wrote more than %d MiB of objects or %d of messages:\n%.*s",
                     job->argv[0], (int)(job->most >> 20), TN_JOB_ERR >> 20, length, said);
  const int well = job->exit_code == 0 && job->ended == TN_JOB_BY_ITSELF;
  if (well && tn_cpu_is_object(binary->data, binary->n)) return TINY_OK;
  if (well && binary->n) return tiny_fail(t, TINY_E_COMPILE, "%s wrote no object of this machine:\n%.*s", job->argv[0],
                                          length, said);
  return tiny_fail(t, TINY_E_COMPILE, "%s failed (exit code %d):\n%.*s", job->argv[0], job->exit_code,
                   length, said);
}

typedef struct tn_cpu_batch {
  tn_cpu *c; int n;
  const tiny_bytes *source; tiny_bytes *binary, *log;
  tn_job *job; const char **object;        // object: files of a compiler that is not clang
  char folder[TN_OS_PATH];                 // that they and the compiler's own lie in; "": none
  int stopped;                             // one was ended by us
} tn_cpu_batch;

static tn_job tn_cpu_job(const tn_cpu *c, const char *const *argv, const tiny_bytes *input) {
  tn_job job;
  memset(&job, 0, sizeof job);
  job.argv = argv;
  job.input = input ? input->data : ""; job.input_nbytes = input ? input->n : 0;
  job.seconds = c->seconds; job.most = TN_CPU_OBJECT_MOST;
  return job;
}

static void tn_cpu_remove_folder(void *arg) {
  tn_cpu_batch *b = (tn_cpu_batch *)arg;
  tn_os_entry left[8];
  char path[TN_OS_PATH];
  int n = b->folder[0] ? 1 : 0;
  while (n > 0) {                          // one that was killed leaves files of its own
    n = tn_os_list(b->folder, left, 8);
    if (n > 8) n = 8;
    for (int i = 0; i < n; i++) if (tn_os_own_path(path, sizeof path, b->folder, left[i].name)) tn_os_remove(path);
  }
  if (b->folder[0]) tn_os_remove_dir(b->folder);
  b->folder[0] = 0;
}

static tiny_code tn_cpu_compile_batch(tiny_ctx *t, void *arg) {
  tn_cpu_batch *b = (tn_cpu_batch *)arg;
  tiny_code code = tn_process_run(t, b->job, b->n, b->c->cores);
  for (int i = 0; i < b->n; i++) {
    const tn_job *job = &b->job[i];
    if (b->object) tn_os_read_own(b->folder, strrchr(b->object[i], '/') + 1, TN_CPU_OBJECT_MOST, &b->binary[i]);
    else if (job->ended == TN_JOB_BY_ITSELF) tiny_bytes_add(&b->binary[i], job->out.data, job->out.n);
    if (b->log && job->err.n) tiny_bytes_add(b->log, job->err.data, job->err.n);
    const tiny_code one = tn_cpu_judge(t, job, &b->binary[i]);
    if (one != TINY_OK) b->binary[i].n = 0;
    if (code == TINY_OK) code = one;
    if (job->ended == TN_JOB_NOT_STARTED) b->c->unfit = 1;
    b->stopped |= job->ended == TN_JOB_LATE || job->ended == TN_JOB_FLOODED || job->ended == TN_JOB_CANCELLED;
  }
  tn_cpu_remove_folder(b);
  return code;
}

// Made by us, for us alone: nobody can put anything in the place of what lies there.
static int tn_cpu_make_folder_in(tn_cpu_batch *b, const char *where) {
  const unsigned long long process = tn_os_process_id(), here = (uintptr_t)b, now = tn_os_now();
  const int n = snprintf(b->folder, sizeof b->folder, "%s/tiny-%llx-%llx-%llx.objects", where, process, here, now);
  if (n > 0 && (size_t)n < sizeof b->folder - 16 && tn_os_make_own_dir(b->folder)) return 1;
  b->folder[0] = 0;
  return 0;
}
// A compiler that needs a folder is none where there is no folder to be had.
static int tn_cpu_make_folder(tn_cpu_batch *b) {
  const char *const first = tn_os_temp_dir();
  if (tn_cpu_make_folder_in(b, first) || tn_cpu_make_folder_in(b, TN_OS_TEMP)) return 1;
  tiny_fail(b->c->t, TINY_E_COMPILE, "no folder for its objects can be made in %s", first);
  b->c->unfit = 1;
  return 0;
}

// The jobs of a batch, ready to be run.
static tiny_code tn_cpu_prepare(tiny_ctx *t, tn_cpu_batch *b) {
  b->job = (tn_job *)tn_scratch(t, (size_t)b->n * sizeof *b->job);
  const char **argv = (const char **)tn_scratch(t, (size_t)b->n * TN_CPU_FLAGS * sizeof *argv);
  const char **object = NULL;
  if (!b->c->is_clang) object = (const char **)tn_scratch(t, (size_t)b->n * sizeof *object);
  if (object && !tn_cpu_make_folder(b)) return t->code;
  char *const *env = tn_process_environment(t, object ? b->folder : NULL);
  for (int i = 0; i < b->n; i++, argv += TN_CPU_FLAGS) {
    if (object) object[i] = tn_text_of_format(t, "%s/%d.o", b->folder, i);
    tn_cpu_arguments(b->c, "-c", object ? object[i] : "-", argv);
    b->job[i] = tn_cpu_job(b->c, argv, &b->source[i]);
    b->job[i].env = env;
  }
  b->object = object;
  return TINY_OK;
}
static tiny_code tn_cpu_make(tiny_ctx *t, void *arg) {
  tn_cpu_batch *b = (tn_cpu_batch *)arg;
  const tiny_code code = tn_cpu_prepare(t, b);
  return code == TINY_OK ? tn_cpu_compile_batch(t, b) : code;
}

// The same sources as assembly, into the log.
static tiny_code tn_cpu_disassemble(tiny_ctx *t, void *arg) {
  const tn_cpu_batch *b = (const tn_cpu_batch *)arg;
  const char *argv[TN_CPU_FLAGS];
  tn_cpu_arguments(b->c, "-S", "-", argv);
  for (int i = 0; i < b->n; i++) {
    tn_job job = tn_cpu_job(b->c, argv, &b->source[i]);
    job.env = tn_process_environment(t, NULL);
    if (tn_process_run(t, &job, 1, 1) == TINY_OK && job.out.n) tn_log_text(t, job.out.data);
  }
  return TINY_OK;
}

// ** what a compiler is **

// What stands behind the macro, NULL: it is not defined.
static const char *tn_cpu_defined(const char *said, const char *macro) {
  char line[64];
  const int n = snprintf(line, sizeof line, "#define %s ", macro);
  for (const char *at = said; at; at = strchr(at, '\n')) {
    at += *at == '\n';
    if (!strncmp(at, line, (size_t)n)) return at + n;
  }
  return NULL;
}
static int tn_cpu_defines(const char *said, const char *macro) { return tn_cpu_defined(said, macro) != NULL; }

// Takes what the compiler said of itself: the macros that it defines. 0: it is none that will do.
static int tn_cpu_hear(void *dev, const char *said) {
  tn_cpu *c = (tn_cpu *)dev;
  const int clang = tn_cpu_defines(said, "__clang__");
#if defined(__ELF__) && !defined(TINY_NO_DISK)
  const int other = tn_cpu_defines(said, "__GNUC__") && tn_cpu_defines(said, "__ELF__") &&
                    !tn_cpu_defines(said, "__TINYC__");
#else
  const int other = 0;
#endif
  const char *major = tn_cpu_defined(said, "__clang_major__");
  int version = 0;
  for (; major && *major >= '0' && *major <= '9' && version < 1000; major++) version = 10 * version + *major - '0';
  if (!clang && (!other || c->takes_ir)) return 0;
  if (c->takes_ir && version < TN_CPU_CLANG_OF_IR) return 0;
  c->is_clang = clang;
  c->asked = 1;
  tn_cpu_describe(c, said);
  return 1;
}

static int tn_cpu_recall(void *dev, const char *said) { return ((tn_cpu *)dev)->recalled = tn_cpu_hear(dev, said); }

// Asks the compiler what it is, and takes what it says. 0: it does not answer, or will not do; -1: it was not asked to
// the end, as there was no memory or the host has cancelled it, and would be asked in vain again. What $TINY_CC names
// is used all the same, so that its own messages tell what is wrong with it; unless it cannot even be started.
static int tn_cpu_ask(tiny_ctx *t, void *dev, tiny_bytes *said) {
  tn_cpu *c = (tn_cpu *)dev;
  const char *const argv[] = { c->compiler, "-dM", "-E", "-x", "c", "-", NULL };
  tn_job job = tn_cpu_job(c, argv, NULL);
  if (job.seconds > TN_CPU_ASK_SECONDS && !c->chosen) job.seconds = TN_CPU_ASK_SECONDS;
  job.most = 1 << 20;
  job.env = tn_process_environment(t, NULL);
  if (tn_process_run(t, &job, 1, 1) != TINY_OK || job.ended == TN_JOB_CANCELLED) return -1;
  if (job.ended == TN_JOB_BY_ITSELF && job.exit_code == 0 && job.out.n && tn_cpu_hear(dev, job.out.data)) {
    tiny_bytes_add(said, job.out.data, job.out.n);
    return 1;
  }
  if (c->chosen && job.ended != TN_JOB_NOT_STARTED) c->asked = 1;
  else tn_cpu_pass_over(c, job.err.n ? job.err.data : "it does not say what it is");
  return 0;
}

// Asks anew what was only recalled. 1: it is another compiler than it was, as what a script starts may be.
static int tn_cpu_retry(tiny_ctx *t, void *dev, tiny_bytes *said) {
  tn_cpu *c = (tn_cpu *)dev;
  tn_digester before = tn_digest_open(), now = tn_digest_open();
  if (!c->recalled) return 0;
  c->recalled = 0;
  tn_digest_add_text(&before, c->target);
  tn_cpu_ask(t, dev, said);
  tn_digest_add_text(&now, c->target);
  const tn_digest was = tn_digest_close(&before), is = tn_digest_close(&now);
  if (tn_digest_same(&was, &is)) return 0;
  c->unfit = 0;
  return 1;
}

// Compiles a module that nothing is wrong with.
static tiny_code tn_cpu_compile_least(tiny_ctx *t, tn_cpu *c) {
  tiny_bytes binary = { t, NULL, 0, 0 }, least = { t, NULL, 0, 0 };
  tn_text_put(&least, c->takes_ir ? "define void @tiny(ptr %mem) {\n  ret void\n}\n" :
                                    "void tiny(void *const *mem) { *(int *)mem[0] = 1; }\n");
  tn_cpu_batch b = { c, 1, &least, &binary, NULL, NULL, NULL, "", 0 };
  return tn_process_protect(t, tn_cpu_make, tn_cpu_remove_folder, &b);
}

// Is it the compiler that failed, whatever it is given? Asked when a compilation has failed, t->code says so.
static int tn_cpu_fails_always(tiny_ctx *t, tn_cpu *c) {
  return c->unfit || (!c->chosen && tn_cpu_compile_least(t, c) != TINY_OK);
}

// What is an object already is taken as it is; the others go to the compiler.
static tiny_code tn_cpu_compile_rest(void *dev, int n, const tiny_bytes *source, tiny_bytes *binary, tiny_bytes *log);
static tiny_code tn_cpu_compile(void *dev, int n, const tiny_bytes *source, tiny_bytes *binary, tiny_bytes *log) {
  tn_cpu *c = (tn_cpu *)dev;
  if (!c->builtin) return tn_cpu_compile_rest(dev, n, source, binary, log);
  tiny_code code = TINY_OK;
  for (int from = 0, to; from < n && code == TINY_OK; from = to) {
    to = from + 1;
    if (tn_cpu_is_object(source[from].data, source[from].n)) {
      tiny_bytes_add(&binary[from], source[from].data, source[from].n);
      continue;
    }
    while (to < n && !tn_cpu_is_object(source[to].data, source[to].n)) to++;
    code = tn_cpu_compile_rest(dev, to - from, source + from, binary + from, log);
  }
  return code;
}
static tiny_code tn_cpu_compile_rest(void *dev, int n, const tiny_bytes *source, tiny_bytes *binary, tiny_bytes *log) {
  tn_cpu *c = (tn_cpu *)dev;
  tn_cpu_batch b = { c, n, source, binary, log, NULL, NULL, "", 0 };
  while (c->compiler[0] && !c->asked) {
    tiny_bytes said = { c->t, NULL, 0, 0 };
    if (tn_cpu_ask(c->t, c, &said) < 0) {
      tiny_fail(c->t, TINY_E_CANCELLED, "%s was cancelled", c->compiler);      // unless it was something else
      return c->t->code;
    }
  }
  if (!c->compiler[0])
    return tiny_fail(c->t, TINY_E_COMPILE, c->takes_ir ? "%s: install clang 15 or later, or name it in $TINY_CC" :
                     "%s: install clang, or name a C compiler in $TINY_CC", c->why);
  if (n < 1) return TINY_OK;
  if (tn_debug(c->t, 'd')) tn_guard(c->t, tn_cpu_disassemble, &b);
  const tiny_code code = tn_process_protect(c->t, tn_cpu_make, tn_cpu_remove_folder, &b);
  if (code == TINY_E_COMPILE && !b.stopped) c->unfit = tn_cpu_fails_always(c->t, c);
  return code;
}

// ** the device **

// Which file the compiler is: what it once said of itself holds as long as this does.
static void tn_cpu_identify(const tn_cpu *c, char *out, size_t nbytes) {
  tn_os_facts file = { 0, 0, 0 };
  tn_os_file(c->compiler, &file);
  snprintf(out, nbytes, "%s %llx %llx %llx", c->compiler[0] ? c->compiler : "(no compiler)",
           (unsigned long long)file.nbytes, (unsigned long long)file.changed, (unsigned long long)file.number);
}

// The processor, the compiler, what it says of itself, and its flags: objects of another machine or compiler are never
// taken for ours.
static void tn_cpu_describe(tn_cpu *c, const char *said) {
  const char *argv[TN_CPU_FLAGS];
  char identity[TN_OS_PATH + 64], digest[TN_DIGEST_TEXT];
  tn_digester d = tn_digest_open();
  tn_cpu_identify(c, identity, sizeof identity);
  tn_cpu_arguments(c, "-c", "-", argv);
  for (int i = 1; argv[i]; i++) tn_digest_add_text(&d, argv[i]);
  if (!c->builtin) tn_digest_add_text(&d, said);             // else it is asked when keys are known
  const tn_digest all = tn_digest_close(&d);
  snprintf(c->target, sizeof c->target, "%s %s %s", c->facts.name, identity, tn_digest_print(&all, digest));
}

#ifndef TN_TEST_IR                         // tests: the CPU takes IR as well
  #define TN_TEST_IR 0
#endif
#if TN_CPU_BUILTIN
// The level that kernels are compiled for, by the own of their renderer: one whose vectors are as wide.
#ifdef TN_OS_ARM64
static const tn_arm64_level *tn_cpu_level(const void *own) {
  const int dots = ((const tn_cpu *)own)->facts.dots >> TINY_DOT_I8 & 1;
  return &tn_arm64_levels[dots ? TN_ARM64_DOTPROD : TN_ARM64_NEON];
}
#elif defined(TN_OS_WASM)
static const tn_wasm_level *tn_cpu_level(const void *own) { (void)own; return &tn_wasm_levels[0]; }
#else
static const tn_x86_level *tn_cpu_level(const void *own) {
  const tn_os_cpu *facts = &((const tn_cpu *)own)->facts;
  const int vnni = facts->dots >> TINY_DOT_U8_I8 & 1;
  switch (facts->vector_nbytes) {
    case 64: return &tn_x86_levels[vnni ? TN_X86_AVX512_VNNI : TN_X86_AVX512];
    case 32: return &tn_x86_levels[TN_X86_AVX2];
    default: return &tn_x86_levels[tn_os_cpu_has(facts, "sse4") ? TN_X86_SSE4 : TN_X86_SSE2];
  }
}
#endif
#endif
// Does the system let the library run what it makes? If not, c->why tells.
static int tn_cpu_takes_code(tn_cpu *c) {
#ifdef TN_OS_PAGE
  char said[TN_PAGE_SAID];
  if (tn_page_compiles(said)) return 1;
  snprintf(c->why, sizeof c->why, "this page runs no kernels (vectors of WebAssembly, and -sALLOW_TABLE_GROWTH, are "
           "needed): %s", said);
  return 0;
#else
  (void)c;
  return 1;
#endif
}
static void *tn_cpu_open_for(tiny_ctx *t, const char *which, tiny_limits *limits, int takes_ir) {
  tn_os_cpu facts = tn_os_cpu_get();
  const int whole = !which || strspn(which, "0123456789") == strlen(which);      // they are all the same processor
  if (!whole && !tn_os_cpu_as(&facts, which)) {
    tiny_fail(t, TINY_E_DEVICE, "%s: there are numbers, and " TN_OS_LEVEL_NAMES " where the processor has them, "
              "no '%.100s'", takes_ir ? "LLVM" : "CPU", which);
    return NULL;
  }
  tn_cpu *c = (tn_cpu *)tn_alloc(t, sizeof *c);
  if (!c) return NULL;
  c->t = t;
  if (tn_queue_wanted(t) && !(c->queue = tn_queue_open(t, c))) { tn_release(t, c, sizeof *c); return NULL; }
  c->takes_ir = takes_ir;
  const char *compiler = t->compiler ? t->compiler : tn_os_env("TINY_CC");
  const int both = !compiler || !strcmp(compiler, "both"), found = both || !strcmp(compiler, "outside");
  c->alone = !takes_ir && compiler && !strcmp(compiler, "builtin");
  c->builtin = TN_CPU_BUILTIN && !takes_ir && (c->alone || both) && tn_cpu_takes_code(c);
  c->facts = facts;
  c->cores = tn_os_cores();
  c->seconds = t->compiler_seconds > 0 ? t->compiler_seconds : TN_CPU_SECONDS;
  tn_cpu_first_compiler(c, found ? NULL : compiler);
  memset(limits, 0, sizeof *limits);
  limits->host_memory = limits->threads = 1;
  limits->vector_nbytes = c->facts.vector_nbytes;
  limits->vector_registers = c->facts.vector_registers;
  tn_caches_get(limits->memory);
  limits->cache_nbytes = (size_t)tn_machine_near(limits);
  return c;
}
static void *tn_cpu_open(tiny_ctx *t, const char *which, tiny_limits *limits) {
  return tn_cpu_open_for(t, which, limits, TN_TEST_IR);
}
static void *tn_cpu_open_llvm(tiny_ctx *t, const char *which, tiny_limits *limits) {
  return tn_cpu_open_for(t, which, limits, 1);
}
static const char *tn_cpu_target(void *dev) { return ((tn_cpu *)dev)->target; }
#if TN_CPU_BUILTIN
// A kernel as an object; where the built-in compiler refuses it, which debug letter d tells, as C, or nothing.
static tiny_code tn_cpu_builtin_kernel(tiny_ctx *t, const tiny_renderer *r, const tiny_listing *k, tiny_bytes *out,
                                       uint64_t *uses) {
  *uses = 0;
  const char *why = TN_CPU_BUILTIN_OBJECT(t, k, tn_cpu_level(r->own), out);
  if (!why) return t->code;
  tiny_log_line(t, 'd', "CPU: the built-in compiler refuses %s: %s", k->name, why);
  return t->code == TINY_OK && ((const tn_cpu *)r->own)->compiler[0] ? tn_cstyle_kernel(t, r, k, out, uses) : t->code;
}
static tiny_code tn_cpu_builtin_module(tiny_ctx *t, const tiny_renderer *r, const tiny_rendered *kernels, int n,
                                       tiny_bytes *out) {
  if (n != 1 || !tn_cpu_is_object(kernels->data, kernels->n))
    return tn_cstyle_module(t, r, kernels, n, out);
  tiny_bytes_add(out, kernels->data, kernels->n);
  return t->code;
}
static void tn_cpu_builtin_renderer(const tn_cpu *c, tiny_renderer *r) {
  tn_cstyle(r);
  r->own = c;
  r->flags = (r->flags & ~(uint32_t)TINY_TARGET_OPTIMIZES) | TINY_TARGET_ALONE;
#if defined(TN_OS_ARM64)
  r->name = "C and arm64";
#elif defined(TN_OS_WASM)
  r->name = "wasm";
  r->flags |= TINY_TARGET_NO_STACK;
#else
  r->name = "C and x86-64";
#endif
  r->kernel = tn_cpu_builtin_kernel;
  r->module = tn_cpu_builtin_module;
}
#endif
// Has it FMA of f32 and f64?
static int tn_cpu_fuses(const tn_cpu *c) {
#ifdef TN_OS_ARM64
  (void)c;
  return 1;
#else
  return c->facts.vector_nbytes >= 32;      // AVX2 is taken for there where FMA is, too
#endif
}
static void tn_cpu_renderer(void *dev, tiny_renderer *out) {
  const tn_cpu *c = (const tn_cpu *)dev;
  if (c->takes_ir) {
    tn_lang_llvm(out, c->facts.vector_nbytes == 64, tn_cpu_fuses(c));
#ifndef TN_OS_ARM64                          // its dot products have no text there
    out->dots = (uint32_t)c->facts.dots;
#endif
    return;
  }
  tn_lang_c(out);
  if (!tn_cpu_fuses(c)) out->language.ops[TINY_OP_FMA] = out->language.vops[TINY_OP_FMA] = NULL;
  const int c_only = !c->builtin || c->compiler[0];          // what the built-in compiler does not take
  for (int i = 0; i < TINY_DOT_COUNT; i++) if (c->facts.dots >> i & 1) out->language.dots[i] = tn_c_dots[i];
  if (c->facts.tiles && c->is_clang && c_only) {
    out->units = tn_c_units;
    out->nunits = TN_C_UNITS;
    out->units_allowed = tn_os_tiles_allowed;
  }
#if TN_CPU_BUILTIN
  if (c->builtin) tn_cpu_builtin_renderer(c, out);
#endif
}

// ** memory **

// Big buffers get huge pages, unless the host brought an allocator: then every byte is asked of it.
static int tn_cpu_paged(const tiny_ctx *t, size_t nbytes) {
  return nbytes >= TN_CPU_HUGE && t->alloc.fn == tn_default_alloc;
}

// The byte before an aligned block tells how far it was moved.
static void *tn_cpu_aligned_alloc(tiny_ctx *t, size_t nbytes) {
  if (nbytes > (size_t)-1 - TN_OS_HUGE) return NULL;
  if (tn_cpu_paged(t, nbytes)) return tn_os_pages_alloc(nbytes);
  char *p = (char *)tiny_realloc(t, NULL, 0, nbytes + TN_CPU_ALIGN);
  if (!p) return NULL;
  const size_t moved = TN_CPU_ALIGN - ((uintptr_t)p & (TN_CPU_ALIGN - 1));
  p[moved - 1] = (char)moved;
  return p + moved;
}
static void tn_cpu_aligned_free(tiny_ctx *t, void *mem, size_t nbytes) {
  if (!mem) return;
  if (tn_cpu_paged(t, nbytes)) { tn_os_pages_free(mem, nbytes); return; }
  char *p = (char *)mem;
  tiny_realloc(t, p - p[-1], nbytes + TN_CPU_ALIGN, 0);
}

// What was freed may be waiting for what uses it: where memory is refused, that is waited for.
static void *tn_cpu_alloc(void *dev, size_t nbytes) {
  const tn_cpu *c = (const tn_cpu *)dev;
  if (!c->queue) return tn_cpu_aligned_alloc(c->t, nbytes);
  tn_queue_reap(c->queue);
  void *mem = tn_cpu_aligned_alloc(c->t, nbytes);
  if (mem) return mem;
  tn_queue_drain(c->queue);
  return tn_cpu_aligned_alloc(c->t, nbytes);
}

// Memory, or a module.
typedef struct tn_cpu_gone { void *it; size_t nbytes; } tn_cpu_gone;
static void tn_cpu_later_free(void *dev, void *item) {
  const tn_cpu_gone *u = (const tn_cpu_gone *)item;
  tn_cpu_aligned_free(((tn_cpu *)dev)->t, u->it, u->nbytes);
}
static void tn_cpu_later_unload(void *dev, void *item) {
#ifdef TN_OS_PAGE
  tn_page_unload(((tn_cpu *)dev)->t, (tn_page_image *)((const tn_cpu_gone *)item)->it);
#else
  tn_elf_unload(((tn_cpu *)dev)->t, (tn_elf *)((const tn_cpu_gone *)item)->it);
#endif
}
// ends(it) once everything that was given before has happened.
static void tn_cpu_let_go(tn_cpu *c, tn_queue_fn ends, void *it, size_t nbytes) {
  const tn_cpu_gone now = {it, nbytes};
  tn_cpu_gone *u = c->queue ? (tn_cpu_gone *)tn_queue_room(c->queue, NULL, ends, sizeof *u) : NULL;
  if (!u) { ends(c, (void *)(uintptr_t)&now); return; }
  *u = now;
  tn_queue_push(c->queue);
}
static void tn_cpu_free(void *dev, void *mem, size_t nbytes) {
  tn_cpu_let_go((tn_cpu *)dev, tn_cpu_later_free, mem, nbytes);
}

// Slots for launches that give so much to each task, instead of what was there.
static tiny_code tn_cpu_reserve(void *dev, size_t local_nbytes) {
  tn_cpu *c = (tn_cpu *)dev;
  const size_t nbytes = (local_nbytes + 2 * TN_CPU_ALIGN - 1) / TN_CPU_ALIGN * TN_CPU_ALIGN;
  if (nbytes <= c->local_nbytes) return TINY_OK;
  const int slots = c->queue ? tn_queue_threads(c->queue) : tn_pool_most(c->t);
  char *fresh = (char *)tn_cpu_alloc(c, nbytes * (size_t)slots);
  if (!fresh)
    return tiny_fail(c->t, TINY_E_MEMORY, "CPU: no memory for the %llu bytes that each of %d threads works in",
                     (unsigned long long)nbytes, slots);
  if (c->queue) tn_queue_drain(c->queue);  // launches use what was there
  tn_cpu_aligned_free(c->t, c->local, c->local_nbytes * (size_t)c->slots);
  for (int i = 0; i < slots; i++) memset(fresh + (size_t)i * nbytes, 0, TN_CPU_ALIGN);
  c->local = fresh; c->local_nbytes = nbytes; c->slots = slots;
  return TINY_OK;
}
static void tn_cpu_close(void *dev) {
  tn_cpu *c = (tn_cpu *)dev;
  if (c->queue) tn_queue_close(c->queue);
  tn_cpu_aligned_free(c->t, c->local, c->local_nbytes * (size_t)c->slots);
  tn_release(c->t, c, sizeof *c);
}

typedef struct tn_cpu_copy { void *to; const void *from; size_t nbytes; } tn_cpu_copy;
static void tn_cpu_later_copy(void *dev, void *item) {
  const tn_cpu_copy *u = (const tn_cpu_copy *)item;
  (void)dev;
  memcpy(u->to, u->from ? u->from : u + 1, u->nbytes);
}
static void *tn_cpu_at(tiny_mem m) { return (char *)m.base + m.offset; }

// What is small is taken along; with what is too large for the queue, everything before it is waited for.
static tiny_code tn_cpu_copy_in(void *dev, tiny_mem dst, const void *src, size_t nbytes) {
  const tn_cpu *c = (const tn_cpu *)dev;
  if (!nbytes) return TINY_OK;
  const size_t all = sizeof(tn_cpu_copy) + nbytes;
  tn_cpu_copy *u = c->queue ? (tn_cpu_copy *)tn_queue_room(c->queue, tn_cpu_later_copy, NULL, all) : NULL;
  if (!u) { memcpy(tn_cpu_at(dst), src, nbytes); return TINY_OK; }
  u->to = tn_cpu_at(dst); u->from = NULL; u->nbytes = nbytes;
  memcpy(u + 1, src, nbytes);
  tn_queue_push(c->queue);
  return TINY_OK;
}
static tiny_code tn_cpu_copy_from(void *dev, tiny_mem dst, void *from, tiny_mem src, size_t nbytes) {
  const tn_cpu *c = (const tn_cpu *)dev;
  (void)from;
  if (!nbytes) return TINY_OK;
  tn_cpu_copy *u = c->queue ? (tn_cpu_copy *)tn_queue_room(c->queue, tn_cpu_later_copy, NULL, sizeof *u) : NULL;
  if (!u) { memcpy(tn_cpu_at(dst), tn_cpu_at(src), nbytes); return TINY_OK; }
  u->to = tn_cpu_at(dst); u->from = tn_cpu_at(src); u->nbytes = nbytes;
  tn_queue_push(c->queue);
  return TINY_OK;
}
static tiny_code tn_cpu_sync(void *dev) {
  const tn_cpu *c = (const tn_cpu *)dev;
  return c->queue ? tn_queue_sync(c->queue) : TINY_OK;
}
static tiny_code tn_cpu_copy_out(void *dev, void *dst, tiny_mem src, size_t nbytes) {
  const tiny_code code = tn_cpu_sync(dev);
  if (nbytes && code == TINY_OK) memcpy(dst, tn_cpu_at(src), nbytes);
  return code;
}

static void *tn_cpu_event(void *dev) {
  const tn_cpu *c = (const tn_cpu *)dev;
  return (void *)(uintptr_t)(c->queue ? tn_queue_event_new(c->queue) : &tn_queue_happened);
}
static tiny_code tn_cpu_wait(void *dev, void *event) {
  tn_queue_wait(((const tn_cpu *)dev)->queue, (const tn_queue_event *)event);
  return TINY_OK;
}
static void tn_cpu_event_free(void *dev, void *event) {
  tn_queue_event_free(((const tn_cpu *)dev)->t, (const tn_queue_event *)event);
}

// ** modules and launches **

#ifdef TN_OS_PAGE
static void *tn_cpu_load(void *dev, const void *binary, size_t nbytes) {
  return tn_page_load(((tn_cpu *)dev)->t, binary, nbytes);
}
#else
// What compiled kernels may call: clang makes calls of the first four by itself, the others come from the
// language.
#define TN_CPU_F1(name) { #name, (void (*)(void))(double (*)(double))name }, \
                        { #name "f", (void (*)(void))(float (*)(float))name##f }
#define TN_CPU_F2(name) { #name, (void (*)(void))(double (*)(double, double))name }, \
                        { #name "f", (void (*)(void))(float (*)(float, float))name##f }
#define TN_CPU_F3(name) { #name, (void (*)(void))(double (*)(double, double, double))name }, \
                        { #name "f", (void (*)(void))(float (*)(float, float, float))name##f }
static void *tn_cpu_load(void *dev, const void *binary, size_t nbytes) {
  static const tn_elf_name names[] = {
    { "memcpy", (void (*)(void))memcpy }, { "memmove", (void (*)(void))memmove },
    { "memset", (void (*)(void))memset }, { "memcmp", (void (*)(void))memcmp },
    TN_CPU_F1(exp2), TN_CPU_F1(exp), TN_CPU_F1(log2), TN_CPU_F1(log), TN_CPU_F1(sin), TN_CPU_F1(cos),
    TN_CPU_F1(sqrt), TN_CPU_F1(trunc), TN_CPU_F1(floor), TN_CPU_F1(ceil), TN_CPU_F1(rint), TN_CPU_F1(round),
    TN_CPU_F1(nearbyint), TN_CPU_F2(fmod), TN_CPU_F2(pow), TN_CPU_F2(fmin), TN_CPU_F2(fmax), TN_CPU_F3(fma)
  };
  tn_cpu *c = (tn_cpu *)dev;
  tn_elf *image = NULL;
  const int n = (int)(sizeof names / sizeof *names);
  if (c->barred) tiny_fail(c->t, TINY_E_DEVICE, "CPU: the system does not let memory be executed that was written");
  else c->barred = tn_elf_load(c->t, binary, nbytes, TN_CPU_MACHINE, names, n, &image) == TINY_E_DEVICE;
  return image;
}
#undef TN_CPU_F1
#undef TN_CPU_F2
#undef TN_CPU_F3
#endif
static void tn_cpu_unload(void *dev, void *module) {
  if (module) tn_cpu_let_go((tn_cpu *)dev, tn_cpu_later_unload, module, 0);
}
static void *tn_cpu_find(void *dev, void *module, const char *kernel) {
  (void)dev;
#ifdef TN_OS_PAGE
  (void)kernel;
  return tn_page_symbol((const tn_page_image *)module);
#else
  return tn_elf_symbol((const tn_elf *)module, kernel);
#endif
}

typedef struct tn_cpu_call {
  tn_cpu *c; tn_cpu_kernel kernel; void *const *mem; const long long *args;
} tn_cpu_call;
static void tn_cpu_task(void *arg, int i) {
  const tn_cpu_call *call = (const tn_cpu_call *)arg;
  call->kernel(call->mem, call->args, i, NULL);
}

// Takes a slot that is free. Threads differ by their stacks: each begins its search elsewhere, and with the slot that
// it had before, which is in its core's cache. More tasks at a time than slots wait for each other.
static char *tn_cpu_take_slot(const tn_cpu *c) {
  const int here = 0;
  const uint64_t from = tn_hash_mix(0, (uint64_t)(uintptr_t)&here >> 14) % (uint64_t)c->slots;
  for (uint64_t i = from;; i = (i + 1) % (uint64_t)c->slots) {
    char *slot = c->local + (size_t)i * c->local_nbytes;
    int64_t *users = (int64_t *)(void *)slot;
    if (tn_os_atomic_load(users)) tn_os_relax();
    else if (!tn_os_atomic_add(users, 1)) return slot;
    else tn_os_atomic_add(users, -1);
  }
}
static void tn_cpu_task_with_local(void *arg, int i) {
  const tn_cpu_call *call = (const tn_cpu_call *)arg;
  char *slot = tn_cpu_take_slot(call->c);
  call->kernel(call->mem, call->args, i, slot + TN_CPU_ALIGN);
  tn_os_atomic_add((int64_t *)(void *)slot, -1);
}

// A launch that waits in the queue; its arguments and then the addresses of its memory follow.
typedef struct tn_cpu_launched {
  tn_cpu_kernel kernel; int tasks, nargs;
  size_t local_nbytes; uint64_t *stamp;
} tn_cpu_launched;
static void tn_cpu_later_launch(void *dev, void *item) {
  const tn_cpu_launched *u = (const tn_cpu_launched *)item;
  const int64_t *args = (const int64_t *)(const void *)(u + 1);
  tn_cpu *c = (tn_cpu *)dev;
  const tn_cpu_call call = {c, u->kernel, (void *const *)(const void *)(args + u->nargs), (const long long *)args};
  if (u->local_nbytes && u->local_nbytes + TN_CPU_ALIGN > c->local_nbytes) {
    tn_queue_fail(c->queue, TINY_E_INTERNAL, "CPU: a launch wants LOCAL memory that nobody has reserved");
    return;
  }
  if (u->stamp) u->stamp[0] = tn_os_now();
  tn_queue_run(c->queue, u->tasks, u->local_nbytes ? tn_cpu_task_with_local : tn_cpu_task, (void *)(uintptr_t)&call);
  if (u->stamp) u->stamp[1] = tn_os_now();
}
// 0: too large for the queue; everything has happened.
static int tn_cpu_launch_later(tn_cpu *c, const tiny_launch *l) {
  const size_t nargs = (size_t)l->nargs, nmem = (size_t)l->nmem;
  tn_cpu_launched *u = (tn_cpu_launched *)tn_queue_room(c->queue, tn_cpu_later_launch, NULL,
                                                        sizeof *u + nargs * sizeof *l->args + nmem * sizeof(void *));
  if (!u) return 0;
  int64_t *args = (int64_t *)(void *)(u + 1);
  void **mem = (void **)(void *)(args + nargs);
  memcpy(&u->kernel, &l->kernel, sizeof u->kernel);
  u->tasks = l->tasks < 1 ? 1 : (int)l->tasks;
  u->nargs = l->nargs;
  u->local_nbytes = l->local_nbytes; u->stamp = l->stamp;
  if (nargs) memcpy(args, l->args, nargs * sizeof *args);
  for (size_t i = 0; i < nmem; i++) mem[i] = tn_cpu_at(l->mem[i]);
  tn_queue_push(c->queue);
  return 1;
}

static tiny_code tn_cpu_launch(void *dev, const tiny_launch *l) {
  tn_cpu *c = (tn_cpu *)dev;
  tiny_ctx *t = c->t;
  void *few[TN_CPU_PARAMS], **mem = few;
  const tiny_mem *const from = l->mem;
  uint64_t *const stamp = l->stamp;
  tn_cpu_call call;
  if (l->tasks > INT_MAX)
    return tiny_fail(t, TINY_E_DEVICE, "CPU: %lld tasks are too many", (long long)l->tasks);
  if (c->queue && tn_cpu_launch_later(c, l)) return TINY_OK;
  const size_t nbytes = (size_t)l->nmem * sizeof *mem;
  if (l->nmem > TN_CPU_PARAMS) mem = (void **)tiny_realloc(t, NULL, 0, nbytes);
  if (!mem) return tiny_fail(t, TINY_E_MEMORY, "CPU: no memory to launch a kernel of %d parameters", l->nmem);
  for (int i = 0; i < l->nmem; i++) mem[i] = (char *)from[i].base + from[i].offset;
  memcpy(&call.kernel, &l->kernel, sizeof call.kernel);
  call.mem = mem; call.args = (const long long *)(const void *)l->args; call.c = c;
  if (stamp) stamp[0] = tn_os_now();
  tiny_parallel(t, l->tasks < 1 ? 1 : (int)l->tasks, l->local_nbytes ? tn_cpu_task_with_local : tn_cpu_task, &call);
  if (stamp) stamp[1] = tn_os_now();
  if (mem != few) tn_release(t, mem, nbytes);
  return TINY_OK;
}
static const tiny_backend tn_cpu_backend = {
  TINY_BACKEND_VERSION, "CPU", tn_cpu_open, tn_cpu_close, tn_cpu_target, tn_cpu_renderer,
  tn_cpu_alloc, tn_cpu_free, tn_cpu_copy_in, tn_cpu_copy_out, tn_cpu_copy_from, NULL, tn_cpu_compile,
  tn_cpu_load, NULL, tn_cpu_unload, tn_cpu_find, tn_cpu_launch, NULL, tn_cpu_event, tn_cpu_wait, tn_cpu_event_free,
  tn_cpu_sync, tn_cpu_reserve
};
// The same processor, by LLVM IR: needs clang 15 or later.
static const tiny_backend tn_llvm_backend = {
  TINY_BACKEND_VERSION, "LLVM", tn_cpu_open_llvm, tn_cpu_close, tn_cpu_target, tn_cpu_renderer,
  tn_cpu_alloc, tn_cpu_free, tn_cpu_copy_in, tn_cpu_copy_out, tn_cpu_copy_from, NULL, tn_cpu_compile,
  tn_cpu_load, NULL, tn_cpu_unload, tn_cpu_find, tn_cpu_launch, NULL, tn_cpu_event, tn_cpu_wait, tn_cpu_event_free,
  tn_cpu_sync, tn_cpu_reserve
};
// Ours, or a copy of it: what it compiles is for what the CPU says, which a dev of tn_cpu_open alone can tell.
static int tn_is_cpu(const tiny_backend *b) { return b->target == tn_cpu_target; }
// Whose threads run its tasks; NULL: one alone.
static struct tn_pool *tn_cpu_pool(const void *dev) {
  const tn_cpu *c = (const tn_cpu *)dev;
  return c->queue ? tn_queue_pool(c->queue) : c->t->pool;
}
// Does one run what is compiled for the other?
static int tn_cpu_is_alike(const void *dev, const void *other) {
  const tn_cpu *a = (const tn_cpu *)dev, *b = (const tn_cpu *)other;
  return a->takes_ir == b->takes_ir && a->builtin == b->builtin && a->facts.vector_nbytes == b->facts.vector_nbytes &&
         a->facts.march == b->facts.march;
}
// How functions of its binaries are called, and the bits of instructions that they may use.
static const char *tn_cpu_abi(void) {
#if defined(TN_OS_X86) && defined(_WIN32)
  return "x86-64 Windows";
#elif defined(TN_OS_X86)
  return "x86-64 SysV";
#elif defined(TN_OS_ARM64)
  return "AArch64";
#elif defined(TN_OS_WASM)
  return "wasm32";
#else
  return "unknown";
#endif
}
static const uint32_t *tn_cpu_features(const void *dev) { return ((const tn_cpu *)dev)->facts.features; }
#endif
