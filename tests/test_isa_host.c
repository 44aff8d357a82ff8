// brief: plain asan
// The built-in compiler in a host with limits of its own: memory that may not be executed, by a seam and by a real policy
// (seccomp), no pages for code, a processor that is less than the code of another, a small stack with a guard page. Each
// is a code and a sentence, or a line and right results; a child says what it hears where a policy stays for good.
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif
static int refuse(void);
#define TN_OS_REFUSES refuse()
#include "../src/all.c"
#include "test.h"
#include "folder_test.h"
#ifndef _WIN32
  #include <pthread.h>
  #include <setjmp.h>
  #include <signal.h>
  #include <sys/mman.h>
  #include <sys/wait.h>
  #include <ucontext.h>
  #include <unistd.h>
#endif
#ifdef __linux__
  #include <linux/filter.h>
  #include <linux/seccomp.h>
  #include <stddef.h>
  #include <sys/prctl.h>
#endif

enum { N = 40 };

// ** what the system refuses: each object's pages are asked for, and then sealed **

static int refuses, refused_from, asked;   // refuses from that question on
static int refuse(void) { return asked++ >= refused_from ? refuses : 0; }
static void let(int what, int from) { refuses = what; refused_from = from; asked = 0; }

// ** contexts that are listened to, and whose memory is counted **

static char heard[1 << 14];
static int lines;
static void hear(void *user, const char *line) {
  const size_t at = strlen(heard);
  (void)user;
  snprintf(heard + at, sizeof heard - at, "%s\n", line);
  lines++;
}
static int64_t held;
static void *count(void *user, void *ptr, size_t old_nbytes, size_t new_nbytes) {
  (void)user;
  held += (int64_t)new_nbytes - (int64_t)old_nbytes;
  if (!new_nbytes) { free(ptr); return NULL; }
  return realloc(ptr, new_nbytes);
}
static const char *shipped;                // a file of kernels
static tiny_ctx *open_on(const char *device, const char *compiler, const char *cache, int beam) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  heard[0] = 0; lines = 0; held = 0;
  d.device = device; d.compiler = compiler; d.cache_dir = cache; d.seed = 3; d.threads = 1; d.beam = beam;
  d.log.fn = hear; d.alloc.fn = count; d.cache_file = shipped;
  tiny_ctx *t = tiny_open(&d);
  CHECK(t != NULL);
  return t;
}
static void closed(tiny_ctx *t) {
  tiny_close(t);
  CHECK_EQ(held, 0);
}

// Three kernels whose values are known: sums of i + j, squares and differences.
static tiny_code compute(tiny_ctx *t, int which, int *right) {
  static float x[N * N], out[N * N];
  for (int i = 0; i < N * N; i++) x[i] = (float)(i / N + i % N);
  tiny_begin(t);
  tiny_tensor *a = tiny_from(t, x, TINY_F32, TINY_SHAPE(N, N));
  tiny_tensor *y = which == 0 ? tiny_sum(a, 1, 0) : which == 1 ? tiny_mul(a, a) : tiny_sub(tiny_flip(a, TINY_SHAPE(0)), a);
  const int n = which ? N * N : N;
  const tiny_code code = tiny_read(y, out, sizeof *out * (size_t)n);
  int bad = 0;
  for (int i = 0; i < n && code == TINY_OK; i++) {
    const int r = i / N, c = i % N;
    const float want = which == 0 ? (float)(i * N + N * (N - 1) / 2) : which == 1 ? (float)((r + c) * (r + c)) :
        (float)(N - 1 - 2 * r);
    bad += out[i] != want;
  }
  *right = code == TINY_OK && !bad;
  tiny_end(t);
  return code;
}
static void all_are_right(tiny_ctx *t) {
  for (int i = 0; i < 3; i++) {
    int right;
    CHECK_EQ(compute(t, i, &right), TINY_OK);
    CHECK(right);
  }
}

// ** memory that may not be executed **

static void test_nothing_is_executed(const char *compiler, int beam) {
  if (!case_named("nothing may be executed, compiler %s, beam %d", compiler, beam)) return;
  let(TN_OS_NO_EXECUTION, 0);
  tiny_ctx *t = open_on("CPU", compiler, "", beam);
  all_are_right(t);
  all_are_right(t);
  CHECK_EQ(asked, 2);                      // one attempt, and none for each kernel
  CHECK_EQ(lines, 1);
  CHECK(strstr(heard, "does not let memory be executed") != NULL);
  CHECK(tiny_stats_of(t).interpreted >= 3);
  CHECK_EQ(tiny_status(t), TINY_OK);
  closed(t);
  case_end();
}
// A policy that comes when there is code: what is there goes on, the rest is interpreted.
static void test_policy_that_comes_late(void) {
  int right;
  if (!case_named("nothing may be executed from now on")) return;
  let(0, 0);
  tiny_ctx *t = open_on("CPU", "builtin", "", 0);
  CHECK_EQ(compute(t, 0, &right), TINY_OK);
  const int interpreted = (int)tiny_stats_of(t).interpreted;
  let(TN_OS_NO_EXECUTION, 0);
  all_are_right(t);
  CHECK_EQ(interpreted, 0);
  CHECK_EQ((int)tiny_stats_of(t).interpreted, 2);
  CHECK_EQ(lines, 1);
  closed(t);
  case_end();
}

// A kernel of the user's, which nobody can interpret: out = in + in.
static tiny_bytes object_of(tiny_ctx *t) {
  static tiny_bytes object;
  tiny_uop *out = tn_param(t, TINY_F32, 0, 1), *in = tn_param(t, TINY_F32, 1, 1), *zero = tn_index(t, 0);
  tiny_uop *at_x = tn_index_of(t, in, zero, NULL), *x = tn_load(t, at_x, 1), *sum = tn_u2(t, TINY_OP_ADD, x, x);
  tiny_uop *at_out = tn_index_of(t, out, zero, NULL);
  tiny_uop *const list[] = {out, in, zero, at_x, x, sum, at_out, tn_store(t, at_out, sum)};
  const uint8_t hints[sizeof list / sizeof *list] = {0};
  const int64_t local[3] = {1, 1, 1};
  const tiny_listing listing = {"twice", list, sizeof list / sizeof *list, hints, local, 0};
  memset(&object, 0, sizeof object);
  object.t = t;
  CHECK(!TN_CPU_BUILTIN_OBJECT(t, &listing, tn_cpu_level(t->device[0]->renderer.own), &object));
  return object;
}
static tiny_code make_object(tiny_ctx *t, void *arg) {
  tiny_bytes *kept = (tiny_bytes *)arg;
  const tiny_bytes object = object_of(t);
  kept->n = object.n;
  memcpy(kept->data, object.data, object.n);
  return TINY_OK;
}
static void test_kernels_of_the_users(void) {
  static char bytes[4096];
  tiny_bytes object = {NULL, bytes, 0, 0};
  const float two = 2;
  float out = 0;
  if (!case_named("a kernel of the user's")) return;
  let(0, 0);
  tiny_ctx *t = open_on("CPU", "builtin", "", 0);
  CHECK_EQ(tn_guard(t, make_object, &object), TINY_OK);
  for (int from = 2; from >= 0; from -= 2) {                 // once as it should be, and once more
    let(TN_OS_NO_EXECUTION, from);
    tiny_begin(t);
    tiny_tensor *in = tiny_from(t, &two, TINY_F32, TINY_SHAPE(1));
    tiny_kernel_desc d;
    memset(&d, 0, sizeof d);
    d.name = "twice"; d.binary = object.data; d.nbytes = object.n - (size_t)(from == 0); d.inputs = &in; d.n = 1;
    bytes[object.n] = 0;
    if (!from) d.nbytes = object.n + 1;    // other bytes, or it is known
    const tiny_code code = tiny_read(tiny_kernel(t, &d), &out, sizeof out);
    CHECK_EQ(code, from ? TINY_OK : TINY_E_DEVICE);
    if (from) CHECK_EQ(out, 4);
    else CHECK(strstr(tiny_error(t), "does not let memory be executed") != NULL);
    tiny_clear(t);
    tiny_end(t);
  }
  all_are_right(t);                        // by the interpreter
  closed(t);
  case_end();
}

// ** no pages for code **

static void test_no_pages(void) {
  for (int from = 0; from < 6; from++) {
    if (!case_named("no pages for code, from the %dth question on", from)) continue;
    int right, failed = 0;
    let(TN_OS_NO_CODE, from);
    tiny_ctx *t = open_on("CPU", "builtin", "", 0);
    for (int i = 0; i < 3; i++) {
      const tiny_code code = compute(t, i, &right);
      CHECK(code == TINY_OK ? right : code == TINY_E_MEMORY);
      if (code == TINY_OK) continue;
      failed++;
      CHECK_EQ(tiny_status(t), TINY_E_MEMORY);
      CHECK(strstr(tiny_error(t), "no pages for the") != NULL);
      tiny_clear(t);
    }
    CHECK_EQ(failed, from < 5 ? 3 - (from + 1) / 2 : 0);
    let(0, 0);
    all_are_right(t);                      // the context is as good as it was
    CHECK_EQ(lines, 0);
    CHECK_EQ(tiny_stats_of(t).interpreted, 0);
    closed(t);
    case_end();
  }
}

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__)) && defined(__NR_seccomp)
// ** a policy: seccomp, for good, in a child **

// Fails mprotect and mmap that ask for PROT_EXEC: of their arguments the third, whose low word stands first.
static int forbid_execution(int error) {
  const struct sock_filter code[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_mprotect, 1, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_mmap, 0, 3),
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
    BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
  };
  struct sock_fprog all;
  memset(&all, 0, sizeof all);
  all.len = sizeof code / sizeof *code; all.filter = (struct sock_filter *)(uintptr_t)code;
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all) == 0;
}
// 0: right; else what was wrong, 77: there are no policies here.
static int under_policy(int error) {
  if (!forbid_execution(error)) return 77;
  tiny_ctx *t = open_on("CPU", "builtin", "", 0);
  int bad = !t;
  for (int i = 0; i < 6 && t; i++) {
    int right;
    if (compute(t, i % 3, &right) != TINY_OK || !right) bad = 2;
  }
  if (t && (lines != 1 || !strstr(heard, "does not let memory be executed"))) bad = 3;
  if (t && tiny_stats_of(t).interpreted < 3) bad = 4;
  if (t) tiny_close(t);
  if (held) bad = 5;
  return bad;
}
static void test_policy(void) {
  static const int errors[] = {EACCES, EPERM, ENOMEM};
  for (int i = 0; i < 3; i++) {
    int status = 0;
    if (!case_named("a policy that refuses PROT_EXEC by error %d", errors[i])) continue;
    let(0, 0);
    const pid_t child = fork();
    if (!child) _exit(under_policy(errors[i]));
    waitpid(child, &status, 0);
    const int said = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (said == 77) puts("no policy can be set here");
    else CHECK_EQ(said, 0);
    case_end();
  }
}
#else
static void test_policy(void) {}
#endif

// ** a lesser processor: what was compiled for more is on disk, and in files that are shipped **

#ifdef TN_OS_X86
static const char *const levels[] = {"CPU", "CPU:amx", "CPU:avx512", "CPU:avx2", "CPU:sse4", "CPU:sse2"};
enum { LEVELS = sizeof levels / sizeof *levels };
static int reaches(const char *device) {
  tn_os_cpu facts = tn_os_cpu_get();
  return !device[3] || tn_os_cpu_as(&facts, device + 4);
}
// Each level compiles for itself, whatever others have left, and finds its own the next time.
static void test_levels_and_the_disk(const char *cache) {
  for (int again = 0; again < 2; again++) for (int i = 0; i < LEVELS; i++) {
    if (!reaches(levels[i]) || !case_named("%s by clang, %s", levels[i], again ? "again" : "first")) continue;
    tiny_ctx *t = open_on(levels[i], "clang", cache, 0);
    all_are_right(t);
    CHECK_EQ((int)tiny_stats_of(t).cache_hits, again ? 3 : 0);
    CHECK_EQ((int)tiny_stats_of(t).compiled, again ? 0 : 3);
    closed(t);
    case_end();
  }
}
// A file with the kernels of one level: devices that have it take them, lesser ones compile for themselves.
static void test_levels_and_files(const char *file) {
  for (int from = 1; from < LEVELS; from++) for (int to = 1; to < LEVELS; to++) {
    if (!reaches(levels[from]) || !reaches(levels[to])) continue;
    if (!case_named("a file of %s on %s", levels[from], levels[to])) continue;
    remove(file);
    tiny_ctx *t = open_on(levels[from], "builtin", "", 0);
    all_are_right(t);
    CHECK_EQ(tiny_cache_export(t, file), TINY_OK);
    closed(t);
    shipped = file;
    t = open_on(levels[to], "builtin", "", 0);
    shipped = NULL;
    all_are_right(t);
    CHECK_EQ((int)tiny_stats_of(t).compiled, to > from ? 3 : 0);
    CHECK_EQ((int)tiny_stats_of(t).shipped, to > from ? 0 : 3);
    closed(t);
    case_end();
  }
}
static void test_levels(void) {
  static char clang[TN_OS_PATH], cache[600], file[640];
  let(0, 0);
  snprintf(cache, sizeof cache, "%s/tiny-isa-host-%llx", tn_os_temp_dir(), (unsigned long long)tn_os_process_id());
  snprintf(file, sizeof file, "%s/kernels", cache);
  CHECK(tn_os_make_dirs(cache));
  test_levels_and_files(file);
  if (tn_os_find_program("clang", 0, clang, sizeof clang)) test_levels_and_the_disk(cache);
  remove_tree(cache);
}
#else
static void test_levels(void) {}
#endif

// ** a small stack that ends in a guard page **

#if !defined(_WIN32) && (defined(TN_OS_X86) || defined(TN_OS_ARM64))
enum { LOCALS = 4096, GUARD = 4096, BELOW = 64 << 10, STACK_MOST = 64 << 10 };
// out = in, by way of the first and the last of 16 KiB of LOCAL memory, which lies in the frame.
static tiny_code make_large_frame(tiny_ctx *t, void *arg) {
  tiny_uop *out = tn_param(t, TINY_F32, 0, 2), *in = tn_param(t, TINY_F32, 1, 1), *zero = tn_index(t, 0);
  tiny_uop *one = tn_index(t, 1), *most = tn_index(t, LOCALS - 1), *at_x = tn_index_of(t, in, zero, NULL);
  tiny_uop *x = tn_load(t, at_x, 1), *local = tn_define(t, TINY_F32, 1, TN_SPACE_LOCAL, LOCALS);
  tiny_uop *at_first = tn_index_of(t, local, zero, NULL), *at_last = tn_index_of(t, local, most, NULL);
  tiny_uop *first = tn_store(t, at_first, x), *last = tn_store(t, at_last, x), *after = tn_after(t, local, last);
  tiny_uop *at_read = tn_index_of(t, after, most, NULL), *again = tn_load(t, at_read, 1);
  tiny_uop *at_out = tn_index_of(t, out, one, NULL);
  tiny_uop *const list[] = {out, in, zero, one, most, at_x, x, local, at_first, at_last, first, last, after, at_read,
                            again, at_out, tn_store(t, at_out, again)};
  const uint8_t hints[sizeof list / sizeof *list] = {0};
  const int64_t group[3] = {1, 1, 1};
  const tiny_listing listing = {"large", list, sizeof list / sizeof *list, hints, group, 0};
  tiny_bytes object = {t, NULL, 0, 0};
  const char *why = TN_CPU_BUILTIN_OBJECT(t, &listing, tn_cpu_level(t->device[0]->renderer.own), &object);
  CHECK(!why);
  return why ? TINY_E_INTERNAL : tn_elf_load(t, object.data, object.n, TN_CPU_MACHINE, NULL, 0, (tn_elf **)arg);
}

static ucontext_t here, there;
static tn_cpu_kernel large;
static float large_in, large_out[2];
static sigjmp_buf fell;
static char *volatile fault;
static void fall(int sig, siginfo_t *info, void *context) {
  (void)sig; (void)context;
  fault = (char *)info->si_addr;
  siglongjmp(fell, 1);
}
static void call_large(void) {
  void *const mem[2] = {large_out, &large_in};
  large(mem, NULL, 0, NULL);
}
// Runs the kernel on a stack of so many bytes. 1: it came back.
static int run_on(char *stack, size_t nbytes) {
  if (sigsetjmp(fell, 1)) return 0;
  getcontext(&there);
  there.uc_stack.ss_sp = stack; there.uc_stack.ss_size = nbytes; there.uc_link = &here;
  makecontext(&there, call_large, 0);
  swapcontext(&here, &there);
  return 1;
}
static void test_stacks(void) {
  static char aside[64 << 10];
  tn_elf *image = NULL;
  stack_t other, was;
  struct sigaction now, before[2];
  if (!case_named("a frame above a guard page")) return;
  let(0, 0);
  tiny_ctx *t = open_on("CPU", "builtin", "", 0);
  CHECK_EQ(tn_guard(t, make_large_frame, &image), TINY_OK);
  void *at = image ? tn_elf_symbol(image, "large") : NULL;
  char *all = (char *)mmap(NULL, BELOW + GUARD + STACK_MOST, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  char *guard = all + BELOW, *stack = guard + GUARD;
  CHECK(at && all != (char *)MAP_FAILED && mprotect(guard, GUARD, PROT_NONE) == 0);
  memcpy(&large, &at, sizeof large);
  memset(&other, 0, sizeof other); memset(&now, 0, sizeof now);
  other.ss_sp = aside; other.ss_size = sizeof aside;
  now.sa_sigaction = fall; now.sa_flags = SA_SIGINFO | SA_ONSTACK;
  CHECK_EQ(sigaltstack(&other, &was), 0);
  sigaction(SIGSEGV, &now, &before[0]); sigaction(SIGBUS, &now, &before[1]);
  int came = 0, in_guard = 0, sizes = 0;
  for (size_t nbytes = 2048; nbytes < STACK_MOST; nbytes += 1008, sizes++) {             // multiples of 16
    large_in = (float)nbytes; large_out[1] = 0; fault = NULL;
    if (run_on(stack, nbytes)) { came++; CHECK_EQ(large_out[1], large_in); }
    else in_guard += fault >= guard && fault < stack;
    int bad = 0;
    for (int i = 0; i < BELOW; i++) bad += all[i] != 0;
    CHECK_EQ(bad, 0);
  }
  CHECK(in_guard >= 14 && came >= 40);     // frames of 17 KiB and a little
  CHECK_EQ(came + in_guard, sizes);
  sigaction(SIGSEGV, &before[0], NULL); sigaction(SIGBUS, &before[1], NULL);
  sigaltstack(&was, NULL);
  munmap(all, BELOW + GUARD + STACK_MOST);
  tn_elf_unload(t, image);
  closed(t);
  case_end();
}
#else
static void test_stacks(void) {}
#endif

int main(void) {
  static char clang[TN_OS_PATH];
  test_nothing_is_executed("builtin", 0);
  test_nothing_is_executed("builtin", 2);
  test_nothing_is_executed("both", 0);
  if (tn_os_find_program("clang", 0, clang, sizeof clang)) test_nothing_is_executed("clang", 0);
  test_policy_that_comes_late();
  test_kernels_of_the_users();
  test_no_pages();
  test_policy();
  test_levels();
  test_stacks();
  return test_report();
}
