// cpu_compiler: who compiles the processor's kernels: the library itself, by its names for this processor, and an
// outside compiler, which is found, asked what it is, and run.
//
// In:    C or LLVM IR. Out: objects, or what the compiler says is wrong.
// Sources go to the compiler's stdin and objects come from its stdout, one process each, all at once: no file is
// written, and the path is the same on every system, as clang writes ELF on all. Without clang, cc or gcc does where
// objects are ELF files anyway; they need a file for their output, in a folder that nobody else can enter. What a
// compiler is it says itself, by the macros it defines; the answer may be kept (runtime/compiler.c). One that does not
// answer, cannot be started or compiles nothing at all is passed over, unless $TINY_CC names it. It runs for so many
// seconds at most, and so does whatever it starts.
#ifndef TN_RUNTIME_CPU_COMPILER
#define TN_RUNTIME_CPU_COMPILER
#ifndef TINY_AMALGAMATED
#include "../base/process.c"
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
// NULL where there is none; a build that only runs has one device.
static struct tn_queue *tn_cpu_queue(const tn_cpu *c) {
#ifdef TINY_RUNTIME_ONLY
  (void)c;
  return NULL;
#else
  return c->queue;
#endif
}

// ** the outside compiler **

#ifndef TINY_RUNTIME_ONLY
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
#endif
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

#ifndef TINY_RUNTIME_ONLY
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
// Products by tiles are the library's alone: clang 19 uses tiles that it has not configured, which is an illegal
// instruction (bf16, 17 x 129 by 129 x 16: four are configured, and the sixth is loaded), and gcc places none.
static int tn_cpu_has_compiler_for(const void *dev, int units) {
  return ((const tn_cpu *)dev)->compiler[0] && !units;
}
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
  if (c->facts.march && c->facts.dots >> TINY_DOT_U8_I8 & 1) argv[n++] = "-mavx512vnni";      // no level's has it
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

// ** what is known of it **

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
#endif // TINY_RUNTIME_ONLY
#endif
