// os: the only room that knows which system it runs on: Linux, macOS, Windows; x86-64, arm64.
//
// Clock, environment, terminal; what the processor can do; pages and executable memory; atomics, threads,
// locks; files and folders; shared libraries. Child processes are in base/process.c.
// Nothing here records an error in the context or changes anything process-wide (signal handlers, locale,
// folder): functions answer 1 or a pointer when they did it, 0 or NULL when they did not, and the caller
// knows what it means. No descriptor or mapping is held while memory is asked for, since that may unwind
// (base/memory.c). Descriptors are never inherited by children of the host. Paths are the C library's: bytes
// on POSIX, code page on Windows.
#ifndef TN_BASE_OS
#define TN_BASE_OS
#ifndef TINY_AMALGAMATED
#include "text.c"
#endif
#include <errno.h>
#include <time.h>
#include <sys/stat.h>
#ifdef _WIN32
  #ifndef WIN32_LEAN_AND_MEAN
    #define WIN32_LEAN_AND_MEAN
  #endif
  #ifndef NOMINMAX
    #define NOMINMAX
  #endif
  #include <windows.h>
  #include <direct.h>
  #include <io.h>
#else
  #include <dirent.h>
  #include <fcntl.h>
  #include <poll.h>
  #ifndef TINY_NO_THREADS
    #include <pthread.h>
  #endif
  #include <signal.h>
  #include <spawn.h>
  #include <sys/ioctl.h>
  #include <sys/mman.h>
  #include <sys/socket.h>
  #include <sys/wait.h>
  #include <unistd.h>
#endif
#ifdef __APPLE__
  #include <sys/sysctl.h>
#endif
#ifdef __linux__
  #include <sys/auxv.h>
#endif
#ifdef _MSC_VER
  #include <intrin.h>
#endif

#if defined(__x86_64__) || defined(_M_X64)
  #define TN_OS_X86 1
  #ifndef _MSC_VER
    #include <cpuid.h>
  #endif
#elif defined(__aarch64__) || defined(_M_ARM64)
  #define TN_OS_ARM64 1
#endif

// With -std=c11 the C libraries of Linux hide all that is not ISO C, unless a feature macro is set before the
// host's first #include: a header cannot ask for that. What this room needs of the hidden part is declared as
// POSIX has it.
#if defined(__linux__) && defined(__STRICT_ANSI__) && !defined(__cplusplus)
  extern int clock_gettime(int clock, struct timespec *out);
  extern int futimens(int fd, const struct timespec times[2]);
  extern int kill(pid_t pid, int sig);
  extern int madvise(void *at, size_t nbytes, int advice);
  extern int nanosleep(const struct timespec *wanted, struct timespec *left);
  extern int openat(int folder, const char *path, int flags, ...);
  extern int renameat(int from_folder, const char *from, int to_folder, const char *to);
  extern int unlinkat(int folder, const char *path, int flags);
  #ifdef TINY_NO_THREADS
    extern int sigprocmask(int how, const sigset_t *set, sigset_t *old);
  #else
    extern int pthread_sigmask(int how, const sigset_t *set, sigset_t *old);
  #endif
  extern int sigaddset(sigset_t *set, int sig);
  extern int sigemptyset(sigset_t *set);
  extern int sigfillset(sigset_t *set);
  extern int sigismember(const sigset_t *set, int sig);
  extern int sigpending(sigset_t *out);
  extern long syscall(long number, ...);
#endif
#if defined(__APPLE__)
  #include <crt_externs.h>
  #define TN_OS_ENVIRON (*_NSGetEnviron())
#elif !defined(_WIN32)
  #ifdef __cplusplus
    extern "C" char **environ;
  #else
    extern char **environ;
  #endif
  #define TN_OS_ENVIRON environ
#endif
#ifdef __linux__
  #include <sys/syscall.h>
  enum { TN_OS_MONOTONIC = 1, TN_OS_MAP_ANONYMOUS = 0x20, TN_OS_SIG_BLOCK = 0, TN_OS_SIG_SETMASK = 2,
         TN_OS_HUGEPAGE = 14, TN_OS_CLOEXEC = 02000000, TN_OS_DUPFD_CLOEXEC = 1030 };  // asm-generic: x86-64 and arm64
#elif !defined(_WIN32)
  enum { TN_OS_MONOTONIC = CLOCK_MONOTONIC, TN_OS_MAP_ANONYMOUS = MAP_ANON, TN_OS_SIG_BLOCK = SIG_BLOCK,
         TN_OS_SIG_SETMASK = SIG_SETMASK,
         TN_OS_CLOEXEC = O_CLOEXEC, TN_OS_DUPFD_CLOEXEC = F_DUPFD_CLOEXEC };
#endif

enum { TN_OS_PATH = 4096 };                // bytes of the longest path, its 0 included

// ** clock, environment, terminal **

static uint64_t tn_os_now(void) {          // ns since some moment; never runs backward
#ifdef _WIN32
  LARGE_INTEGER count, per_second;
  QueryPerformanceCounter(&count);
  QueryPerformanceFrequency(&per_second);
  const uint64_t c = (uint64_t)count.QuadPart, f = (uint64_t)per_second.QuadPart;
  return c / f * 1000000000u + c % f * 1000000000u / f;
#else
  struct timespec now;
  now.tv_sec = 0; now.tv_nsec = 0;
  clock_gettime((clockid_t)TN_OS_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
#endif
}

// 1: this process has rights that whoever started it has not, or it may take other rights than it has now. Nothing
// that the environment says counts then, and nothing on disk is executed but the system's compilers.
static int tn_os_raised(void) {
#if defined(_WIN32)
  return 0;
#elif defined(__linux__)
  return getauxval(AT_SECURE) || getuid() != geteuid() || getgid() != getegid();
#elif defined(__APPLE__)
  return issetugid() || getuid() != geteuid() || getgid() != getegid();
#else
  return getuid() != geteuid() || getgid() != getegid();
#endif
}

// The value of an environment variable, "" included; NULL when it is not set.
static const char *tn_os_env_set(const char *name) { return tn_os_raised() ? NULL : getenv(name); }

// The value of an environment variable; NULL when it is not set or empty.
static const char *tn_os_env(const char *name) {
  const char *value = tn_os_env_set(name);
  return value && *value ? value : NULL;
}

static void tn_os_sleep_us(int us) {       // or less, when a signal comes
#ifdef _WIN32
  Sleep((DWORD)(us + 999) / 1000);
#else
  struct timespec wanted;
  wanted.tv_sec = us / 1000000; wanted.tv_nsec = us % 1000000 * 1000L;
  nanosleep(&wanted, NULL);
#endif
}

// Columns of the terminal that stderr is; 0: it is none.
static int tn_os_terminal(void) {
#ifdef _WIN32
  CONSOLE_SCREEN_BUFFER_INFO info;
  if (!GetConsoleScreenBufferInfo(GetStdHandle(STD_ERROR_HANDLE), &info)) return 0;
  return info.srWindow.Right - info.srWindow.Left + 1;
#else
  struct winsize size;
  if (!isatty(2)) return 0;
  return ioctl(2, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
#endif
}

static uint64_t tn_os_process_id(void) {
#ifdef _WIN32
  return GetCurrentProcessId();
#else
  return (uint64_t)getpid();
#endif
}

// ** the processor **

typedef struct tn_os_cores_mask { unsigned long bits[128]; long n; } tn_os_cores_mask;   // n words; 0: not known

// Those that the calling thread may use.
static void tn_os_cores_get(tn_os_cores_mask *m) {
  m->n = 0;
#ifdef __linux__
  m->n = syscall(SYS_sched_getaffinity, 0, sizeof m->bits, m->bits) / (long)sizeof *m->bits;
#endif
}

static int tn_os_cores(void) {             // that this process may use
#if defined(_WIN32)
  SYSTEM_INFO info;
  GetSystemInfo(&info);
  const int n = (int)info.dwNumberOfProcessors;
#elif defined(__linux__)
  tn_os_cores_mask m;
  int n = 0;
  tn_os_cores_get(&m);
  for (long i = 0; i < m.n; i++) for (unsigned long b = m.bits[i]; b; b &= b - 1) n++;
#else
  const int n = (int)sysconf(_SC_NPROCESSORS_ONLN);
#endif
  return n < 1 ? 1 : n;
}

typedef struct tn_os_cpu {
  int vector_nbytes, vector_registers;     // of the widest registers that kernels should use
  size_t l2_nbytes;
  int dots;                                // bit per TINY_DOT_* that the widest registers have an instruction for
  int tiles;                               // Intel AMX with BF16 and INT8; tn_os_tiles_allowed must say yes, too
  char name[96];                           // differs between machines that need different code
} tn_os_cpu;

// Linux wants tiles to be asked for, once a process: Documentation/arch/x86/xstate.rst. Frames of signals may grow by
// 8 KiB from then on, so the answer is no where a thread's alternate stack is too small for them. Asked when a kernel
// has use for tiles, not before: the process is somebody else's.
static int tn_os_tiles_allowed(void) {
#if defined(__linux__) && defined(SYS_arch_prctl)
  enum { REQUEST = 0x1023, TILE_DATA = 18 };
  return syscall(SYS_arch_prctl, REQUEST, TILE_DATA) == 0;
#else
  return 0;
#endif
}

#ifdef TN_OS_X86
static void tn_os_cpuid(uint32_t leaf, uint32_t sub, uint32_t out[4]) {
#ifdef _MSC_VER
  int r[4];
  __cpuidex(r, (int)leaf, (int)sub);
  for (int i = 0; i < 4; i++) out[i] = (uint32_t)r[i];
#else
  __cpuid_count(leaf, sub, out[0], out[1], out[2], out[3]);
#endif
}

static uint32_t tn_os_xcr0(void) {         // the register files that the system saves: Intel SDM vol. 1, 13.3
#ifdef _MSC_VER
  return (uint32_t)_xgetbv(0);
#else
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
#endif
}

// Bits as in Intel SDM vol. 2A, CPUID. AVX-512 counts when it comes with DQ, BW and VL: every core since
// Skylake-X.
static void tn_os_cpu_identify(tn_os_cpu *c) {
  uint32_t r[4], most, features[8] = {0}, brand[13] = {0};
  tn_os_cpuid(0, 0, r); most = r[0];
  tn_os_cpuid(1, 0, r);
  const uint32_t model = r[0], ecx1 = r[2];
  features[0] = r[2]; features[1] = r[3];
  for (uint32_t sub = 0; sub < 2 && most >= 7; sub++) {
    tn_os_cpuid(7, sub, r);
    for (int i = 0; i < 3; i++) features[2 + 3 * sub + (uint32_t)i] = sub ? r[i] : r[i + 1];
  }
  const uint32_t saved = ecx1 >> 27 & 1 ? tn_os_xcr0() : 0;
  const uint32_t avx512 = 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31;
  c->vector_nbytes = c->vector_registers = 16;
  const int avx2 = features[2] >> 5 & 1 && ecx1 >> 12 & 1;             // and FMA
  if (avx2 && (saved & 0x06) == 0x06) c->vector_nbytes = 32;
  if ((features[2] & avx512) == avx512 && (saved & 0xe6) == 0xe6) {
    c->vector_nbytes = 64; c->vector_registers = 32;
    if (features[3] >> 11 & 1) c->dots |= 1 << TINY_DOT_U8_I8;             // AVX512_VNNI
    if (features[5] >> 5 & 1) c->dots |= 1 << TINY_DOT_BF16;               // AVX512_BF16
    const uint32_t amx = 1u << 22 | 1u << 24 | 1u << 25, tile_state = 3u << 17;
    if ((features[4] & amx) == amx && (saved & tile_state) == tile_state) c->tiles = 1;
  } else if (c->vector_nbytes == 32 && features[5] >> 4 & 1) c->dots = 1 << TINY_DOT_U8_I8;   // AVX-VNNI
  tn_os_cpuid(0x80000000u, 0, r);
  for (uint32_t i = 0; i < 3 && r[0] >= 0x80000004u; i++) tn_os_cpuid(0x80000002u + i, 0, brand + 4 * i);
  uint64_t h = tn_hash_bytes(model, features, sizeof features);
  h = tn_hash_bytes(h ^ saved, brand, sizeof brand);
  snprintf(c->name, sizeof c->name, "x86_64 v%d %016llx", c->vector_nbytes, (unsigned long long)h);
}
#else
static void tn_os_cpu_identify(tn_os_cpu *c) {
  uint64_t h = 0;
  c->vector_nbytes = 16; c->vector_registers = 32;
#if defined(__APPLE__)
  char brand[128] = {0};
  size_t nbytes = sizeof brand - 1;
  sysctlbyname("machdep.cpu.brand_string", brand, &nbytes, NULL, 0);
  h = tn_hash_bytes(h, brand, strlen(brand));
#elif defined(__linux__)
  FILE *f = fopen("/proc/cpuinfo", "r");   // the lines of the first processor name its parts and features
  char line[1024];
  while (f && fgets(line, sizeof line, f) && (h == 0 || line[0] != '\n'))
    if (strncmp(line, "BogoMIPS", 8) && strncmp(line, "processor", 9))
      h = tn_hash_bytes(h, line, strlen(line));
  if (f) fclose(f);
#elif defined(_WIN32)
  const char *id = tn_os_env("PROCESSOR_IDENTIFIER");
  if (id) h = tn_hash_bytes(h, id, strlen(id));
#endif
  snprintf(c->name, sizeof c->name, "%s %016llx",
#ifdef TN_OS_ARM64
           "arm64",
#else
           "unknown",
#endif
           (unsigned long long)h);
}
#endif

static size_t tn_os_l2_nbytes(void) {
  long long nbytes = 0;
#if defined(__APPLE__)
  size_t size = sizeof nbytes;
  if (sysctlbyname("hw.l2cachesize", &nbytes, &size, NULL, 0)) nbytes = 0;
#elif defined(__linux__)
  FILE *f = fopen("/sys/devices/system/cpu/cpu0/cache/index2/size", "r");
  if (f && fscanf(f, "%lldK", &nbytes) == 1) nbytes *= 1024;
  if (f) fclose(f);
#endif
  return nbytes >= 64 * 1024 && nbytes <= (1ll << 30) ? (size_t)nbytes : (size_t)1 << 20;
}

static tn_os_cpu tn_os_cpu_get(void) {
  tn_os_cpu c;
  memset(&c, 0, sizeof c);
  tn_os_cpu_identify(&c);
  c.l2_nbytes = tn_os_l2_nbytes();
  return c;
}

// ** pages **

static size_t tn_os_page_nbytes(void) {
#ifdef _WIN32
  SYSTEM_INFO info;
  GetSystemInfo(&info);
  return info.dwPageSize;
#else
  return (size_t)sysconf(_SC_PAGESIZE);
#endif
}

// Zeroed memory that may be read and written. NULL: none.
static void *tn_os_map(size_t nbytes) {
#ifdef _WIN32
  return VirtualAlloc(NULL, nbytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
#else
  void *p = mmap(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | TN_OS_MAP_ANONYMOUS, -1, 0);
  return p == MAP_FAILED ? NULL : p;
#endif
}
static void tn_os_unmap(void *p, size_t nbytes) {
  if (!p) return;
#ifdef _WIN32
  (void)nbytes;
  VirtualFree(p, 0, MEM_RELEASE);
#else
  munmap(p, nbytes);
#endif
}

// Turns whole pages of a mapping from writable to executable, and makes the instruction cache see them.
static int tn_os_make_executable(void *p, size_t nbytes) {
#ifdef _WIN32
  DWORD old;
  if (!VirtualProtect(p, nbytes, PAGE_EXECUTE_READ, &old)) return 0;
  return FlushInstructionCache(GetCurrentProcess(), p, nbytes) != 0;
#else
  __builtin___clear_cache((char *)p, (char *)p + nbytes);
  return mprotect(p, nbytes, PROT_READ | PROT_EXEC) == 0;
#endif
}

enum { TN_OS_HUGE = 2 * 1024 * 1024 };     // bytes of a huge page on x86-64, and on arm64 with pages of 4 KiB

// As tn_os_map, for big buffers: aligned to huge pages, which the system is asked to use.
static void *tn_os_pages_alloc(size_t nbytes) {
#ifdef __linux__
  nbytes = (nbytes + 65535) & ~(size_t)65535;
  char *p = (char *)tn_os_map(nbytes + TN_OS_HUGE);
  if (!p) return NULL;
  const size_t head = (size_t)(-(uintptr_t)p & (TN_OS_HUGE - 1)), tail = TN_OS_HUGE - head;
  if (head) munmap(p, head);
  if (tail) munmap(p + head + nbytes, tail);
  madvise(p + head, nbytes, TN_OS_HUGEPAGE);   // a hint: not every kernel has huge pages
  return p + head;
#else
  return tn_os_map(nbytes);
#endif
}
static void tn_os_pages_free(void *p, size_t nbytes) { tn_os_unmap(p, (nbytes + 65535) & ~(size_t)65535); }

// ** atomics: sequentially consistent, on int64_t **

#if defined(_MSC_VER) && !defined(__clang__)
static inline int64_t tn_os_atomic_add(int64_t *p, int64_t v) { return _InterlockedExchangeAdd64(p, v); }
static inline int64_t tn_os_atomic_load(int64_t *p) { return _InterlockedOr64(p, 0); }
static inline void tn_os_atomic_store(int64_t *p, int64_t v) { _InterlockedExchange64(p, v); }
#else
static inline int64_t tn_os_atomic_add(int64_t *p, int64_t v) {
  return __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST);
}
static inline int64_t tn_os_atomic_load(int64_t *p) { return __atomic_load_n(p, __ATOMIC_SEQ_CST); }
static inline void tn_os_atomic_store(int64_t *p, int64_t v) { __atomic_store_n(p, v, __ATOMIC_SEQ_CST); }
#endif

static inline void tn_os_relax(void) {     // tells the core that it spins
#if defined(_WIN32)
  YieldProcessor();
#elif defined(TN_OS_X86)
  __asm__ volatile("pause");
#elif defined(TN_OS_ARM64)
  __asm__ volatile("isb");                 // as long as x86's pause; yield is none on most cores
#endif
}

// ** threads and locks: structs of the caller, no memory is asked for **

#ifndef TINY_NO_THREADS

// The core that the calling thread runs on, -1: not known.
static int tn_os_core_now(void) {
#ifdef __linux__
  unsigned core = 0;
  return syscall(SYS_getcpu, &core, NULL, NULL) ? -1 : (int)core;
#else
  return -1;
#endif
}

// The thread with this number runs on the cores of m but one, if there are others.
static void tn_os_keep_off(int64_t thread, const tn_os_cores_mask *m, int core) {
#ifdef __linux__
  enum { BITS = 8 * sizeof(unsigned long) };
  tn_os_cores_mask own = *m;
  unsigned long some = 0;
  if (core < 0 || core >= own.n * BITS) return;
  own.bits[core / BITS] &= ~(1ul << core % BITS);
  for (long i = 0; i < own.n; i++) some |= own.bits[i];
  if (some && thread) syscall(SYS_sched_setaffinity, (int)thread, (size_t)own.n * sizeof *own.bits, own.bits);
#else
  (void)thread; (void)m; (void)core;
#endif
}

static int64_t tn_os_thread_number(void) { // of the calling thread, for tn_os_keep_off; 0: not known
#ifdef __linux__
  return syscall(SYS_gettid);
#else
  return 0;
#endif
}

enum { TN_OS_STACK = 1024 * 1024 };        // bytes: imported kernels may want more than the 128 KiB of some systems

typedef struct tn_os_thread { void (*fn)(void *arg); void *arg;
  int64_t number;                          // once it runs
#ifdef _WIN32
  HANDLE id;
#else
  pthread_t id;
#endif
} tn_os_thread;

#ifdef _WIN32
typedef SRWLOCK tn_os_mutex;
typedef CONDITION_VARIABLE tn_os_cond;
static void tn_os_mutex_open(tn_os_mutex *m) { InitializeSRWLock(m); }
static void tn_os_mutex_close(tn_os_mutex *m) { (void)m; }
static void tn_os_lock(tn_os_mutex *m) { AcquireSRWLockExclusive(m); }
static void tn_os_unlock(tn_os_mutex *m) { ReleaseSRWLockExclusive(m); }
static void tn_os_cond_open(tn_os_cond *c) { InitializeConditionVariable(c); }
static void tn_os_cond_close(tn_os_cond *c) { (void)c; }
static void tn_os_wait(tn_os_cond *c, tn_os_mutex *m) { SleepConditionVariableSRW(c, m, INFINITE, 0); }
static void tn_os_wake_one(tn_os_cond *c) { WakeConditionVariable(c); }
static void tn_os_wake_all(tn_os_cond *c) { WakeAllConditionVariable(c); }

static DWORD WINAPI tn_os_thread_main(void *arg) {
  tn_os_thread *thread = (tn_os_thread *)arg;
  thread->fn(thread->arg);
  return 0;
}
static int tn_os_thread_start(tn_os_thread *thread, void (*fn)(void *arg), void *arg) {
  thread->fn = fn; thread->arg = arg;
  const DWORD reserved = STACK_SIZE_PARAM_IS_A_RESERVATION;
  thread->id = CreateThread(NULL, TN_OS_STACK, tn_os_thread_main, thread, reserved, NULL);
  return thread->id != NULL;
}
static void tn_os_thread_join(tn_os_thread *thread) {
  WaitForSingleObject(thread->id, INFINITE);
  CloseHandle(thread->id);
}
#else
typedef pthread_mutex_t tn_os_mutex;
typedef pthread_cond_t tn_os_cond;
static void tn_os_mutex_open(tn_os_mutex *m) { pthread_mutex_init(m, NULL); }
static void tn_os_mutex_close(tn_os_mutex *m) { pthread_mutex_destroy(m); }
static void tn_os_lock(tn_os_mutex *m) { pthread_mutex_lock(m); }
static void tn_os_unlock(tn_os_mutex *m) { pthread_mutex_unlock(m); }
static void tn_os_cond_open(tn_os_cond *c) { pthread_cond_init(c, NULL); }
static void tn_os_cond_close(tn_os_cond *c) { pthread_cond_destroy(c); }
static void tn_os_wait(tn_os_cond *c, tn_os_mutex *m) { pthread_cond_wait(c, m); }
static void tn_os_wake_one(tn_os_cond *c) { pthread_cond_signal(c); }
static void tn_os_wake_all(tn_os_cond *c) { pthread_cond_broadcast(c); }

static void *tn_os_thread_main(void *arg) {
  tn_os_thread *thread = (tn_os_thread *)arg;
  tn_os_atomic_store(&thread->number, tn_os_thread_number());
  thread->fn(thread->arg);
  return NULL;
}
// The thread takes no signals: the host's handlers go on running on the host's threads.
static int tn_os_thread_start(tn_os_thread *thread, void (*fn)(void *arg), void *arg) {
  pthread_attr_t attr;
  sigset_t all, before;
  thread->fn = fn; thread->arg = arg;
  if (pthread_attr_init(&attr)) return 0;
  pthread_attr_setstacksize(&attr, TN_OS_STACK);
  sigfillset(&all);
  pthread_sigmask(TN_OS_SIG_SETMASK, &all, &before);
  const int failed = pthread_create(&thread->id, &attr, tn_os_thread_main, thread);
  pthread_sigmask(TN_OS_SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attr);
  return !failed;
}
static void tn_os_thread_join(tn_os_thread *thread) { pthread_join(thread->id, NULL); }
#endif

#endif // TINY_NO_THREADS

#ifndef TINY_NO_DISK
// ** signals that a write may raise: SIGXFSZ where files may not grow further, SIGPIPE **

#ifdef _WIN32
typedef struct tn_os_hush { int none; } tn_os_hush;
static void tn_os_hush_begin(tn_os_hush *h) { h->none = 0; }
static void tn_os_hush_end(tn_os_hush *h) { (void)h; }
#else
#ifndef SIGXFSZ
  #define SIGXFSZ 25
#endif
#ifdef TINY_NO_THREADS
  #define TN_OS_SIGMASK sigprocmask
#else
  #define TN_OS_SIGMASK pthread_sigmask
#endif
// before: the thread's mask; waits: what waited already, which is for the host.
typedef struct tn_os_hush { sigset_t before, waits; } tn_os_hush;
static const int tn_os_hushed[] = { SIGXFSZ, SIGPIPE };

// A write of this thread that fails says so by its result alone: the signal that comes with it waits, and is taken.
// The host's handlers and masks are as before.
static void tn_os_hush_begin(tn_os_hush *h) {
  sigset_t these;
  sigemptyset(&these);
  for (int i = 0; i < 2; i++) sigaddset(&these, tn_os_hushed[i]);
  sigpending(&h->waits);
  TN_OS_SIGMASK(TN_OS_SIG_BLOCK, &these, &h->before);
}
static void tn_os_hush_end(tn_os_hush *h) {
  const int error = errno;
  sigset_t now, one;
  sigpending(&now);
  for (int i = 0; i < 2; i++) {
    const int sig = tn_os_hushed[i];
    if (sigismember(&now, sig) != 1 || sigismember(&h->waits, sig) == 1) continue;
    sigemptyset(&one);
    sigaddset(&one, sig);
#if defined(__linux__) && defined(__LP64__)
    struct timespec none;                  // it may be gone: sent to the process, another thread has taken it
    none.tv_sec = 0; none.tv_nsec = 0;
    syscall(SYS_rt_sigtimedwait, &one, NULL, &none, (size_t)8);
#else
    int got;
    sigwait(&one, &got);
#endif
  }
  TN_OS_SIGMASK(TN_OS_SIG_SETMASK, &h->before, NULL);
  errno = error;
}
#endif
#endif // TINY_NO_DISK

// ** files **

// changed: when, in ns; number: of the file in its file system
typedef struct tn_os_facts { uint64_t nbytes, changed, number; } tn_os_facts;

// 1: there is a regular file at path.
static int tn_os_file(const char *path, tn_os_facts *out) {
#ifdef _WIN32
  struct _stat64 s;
  if (_stat64(path, &s) || (s.st_mode & _S_IFMT) != _S_IFREG) return 0;
#else
  struct stat s;
  if (stat(path, &s) || !S_ISREG(s.st_mode)) return 0;
#endif
  out->nbytes = (uint64_t)s.st_size; out->number = (uint64_t)s.st_ino;
  out->changed = (uint64_t)s.st_mtime * 1000000000u;
#if defined(__linux__) && (!defined(__STRICT_ANSI__) || defined(__cplusplus))
  out->changed += (uint64_t)s.st_mtim.tv_nsec;
#endif
  return 1;
}

#ifndef TINY_NO_IO
// Why no regular file can be read from a path.
static const char *tn_os_why_not(const char *path) {
  tn_os_facts facts;
#ifdef _WIN32
  struct _stat64 s;
  const int there = !_stat64(path, &s), folder = there && (s.st_mode & _S_IFMT) == _S_IFDIR;
#else
  struct stat s;
  const int there = !stat(path, &s), folder = there && S_ISDIR(s.st_mode);
  if (!there && errno != ENOENT && errno != ENOTDIR) return "it cannot be looked at";
#endif
  return folder ? "it is a folder" : tn_os_file(path, &facts) ? "it cannot be read"
         : there ? "it is a device or a pipe, which cannot be read as a file" : "there is no such file";
}
#endif

// What is to be executed comes from a folder and a file of the effective user's own, which nobody else may write.
// FOREIGN: another user's; SHARED: others may write it.
enum { TN_OS_DONE, TN_OS_ABSENT, TN_OS_FOREIGN, TN_OS_SHARED };
enum { TN_OS_NAME = 160 };                 // bytes of the longest name that is listed, its 0 included
typedef struct tn_os_entry { char name[TN_OS_NAME]; uint64_t nbytes, changed; } tn_os_entry;

static int tn_os_own_path(char *out, size_t cap, const char *folder, const char *name) {
  const int n = snprintf(out, cap, "%s/%s", folder, name);
  return n > 0 && (size_t)n < cap;
}

#ifdef TINY_NO_DISK                        // nothing can be read, written or found there
enum { TN_OS_OWN, TN_OS_ALL };
#ifndef TINY_NO_IO
typedef struct tn_os_draft { int none; } tn_os_draft;
static int tn_os_draft_open(tn_os_draft *d, const char *path, int rights) {
  (void)d; (void)path; (void)rights;
  return 0;
}
static int tn_os_draft_write(tn_os_draft *d, const void *data, size_t nbytes) {
  (void)d; (void)data; (void)nbytes;
  return 0;
}
static int tn_os_draft_close(tn_os_draft *d, const char *path, int whole) {
  (void)d;
  (void)path;
  return whole;
}
typedef struct tn_os_mapping { const void *data; size_t nbytes; } tn_os_mapping;
static int tn_os_map_file(const char *path, tn_os_mapping *m) { (void)path; (void)m; return 0; }
static void tn_os_unmap_file(tn_os_mapping *m) { (void)m; }
static void *tn_os_map_part(const tn_os_mapping *m, size_t at, size_t nbytes, void **base, size_t *total) {
  (void)m; (void)at; (void)nbytes; (void)base; (void)total;
  return NULL;
}
#endif
static void tn_os_unmap_pages(void *base, size_t nbytes) { (void)base; (void)nbytes; }
static void tn_os_remove(const char *path) { (void)path; }
static int tn_os_read_own(const char *folder, const char *name, size_t max_nbytes, tiny_bytes *out) {
  (void)folder; (void)name; (void)max_nbytes; (void)out;
  return TN_OS_ABSENT;
}
static int tn_os_write_own(const char *folder, const char *name, const void *data, size_t nbytes) {
  (void)folder; (void)name; (void)data; (void)nbytes;
  return TN_OS_ABSENT;
}
static int tn_os_make_dirs(const char *path) { (void)path; return 0; }
static int tn_os_make_own_dir(const char *path) { (void)path; return 0; }
static void tn_os_remove_dir(const char *path) { (void)path; }
static int tn_os_list(const char *folder, tn_os_entry *out, int most) {
  (void)folder; (void)out;
  return most * 0;
}
static int tn_os_cache_dir(char *out, size_t cap) { (void)out; (void)cap; return 0; }
#else
#ifdef _WIN32
typedef HANDLE tn_os_handle;
static int tn_os_open(const char *path, int create, tn_os_handle *out) {
  const DWORD access = create ? GENERIC_WRITE : GENERIC_READ, how = create ? CREATE_NEW : OPEN_EXISTING;
  const DWORD share = create ? 0 : FILE_SHARE_READ | FILE_SHARE_DELETE;
  *out = CreateFileA(path, access, share, NULL, how, FILE_ATTRIBUTE_NORMAL, NULL);
  return *out != INVALID_HANDLE_VALUE;
}
static int64_t tn_os_read_some(tn_os_handle h, void *out, size_t nbytes) {
  DWORD got;
  return ReadFile(h, out, (DWORD)nbytes, &got, NULL) ? (int64_t)got : -1;
}
static int64_t tn_os_write_some(tn_os_handle h, const void *data, size_t nbytes) {
  DWORD put;
  return WriteFile(h, data, (DWORD)nbytes, &put, NULL) ? (int64_t)put : -1;
}
static int tn_os_close(tn_os_handle h) { return CloseHandle(h) != 0; }
static int tn_os_rename(const char *from, const char *to) {
  return MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING) != 0;
}
static void tn_os_remove(const char *path) { DeleteFileA(path); }
static void tn_os_remove_dir(const char *path) { RemoveDirectoryA(path); }
static int tn_os_make_own_dir(const char *path) { return _mkdir(path) == 0; }
static int tn_os_make_dir(const char *path) { return tn_os_make_own_dir(path) || errno == EEXIST; }
static int tn_os_is_separator(char c) { return c == '/' || c == '\\'; }
#else
typedef int tn_os_handle;
#ifndef TINY_NO_IO
static int tn_os_open(const char *path, int create, tn_os_handle *out) {
  const int flags = (create ? O_WRONLY | O_CREAT | O_EXCL : O_RDONLY) | TN_OS_CLOEXEC;
  do *out = open(path, flags, create); while (*out < 0 && errno == EINTR);
  return *out >= 0;
}
static int tn_os_close(tn_os_handle h) { return close(h) == 0; }
static int tn_os_rename(const char *from, const char *to) { return rename(from, to) == 0; }
#endif
static int64_t tn_os_read_some(tn_os_handle h, void *out, size_t nbytes) {
  ssize_t got;
  do got = read(h, out, nbytes); while (got < 0 && errno == EINTR);
  return got;
}
static int64_t tn_os_write_some(tn_os_handle h, const void *data, size_t nbytes) {
  ssize_t put;
  do put = write(h, data, nbytes); while (put < 0 && errno == EINTR);
  return put;
}
static void tn_os_remove(const char *path) { unlink(path); }
static void tn_os_remove_dir(const char *path) { rmdir(path); }
static int tn_os_make_own_dir(const char *path) { return mkdir(path, 0700) == 0; }        // not there before
static int tn_os_make_dir(const char *path) { return tn_os_make_own_dir(path) || errno == EEXIST; }
static int tn_os_is_separator(char c) { return c == '/'; }
#endif

enum { TN_OS_PIECE = 1 << 20 };            // bytes of one read or write: systems limit them
enum { TN_OS_OWN = 0600, TN_OS_ALL = 0666 };                // who may read a new file: this user; as the umask says

// A file that is being written: others see the old one or the whole new one, as it is written beside its place and
// renamed.
typedef struct tn_os_draft { char path[TN_OS_PATH + 64]; tn_os_handle h; } tn_os_draft;

// Threads differ by where d lies, processes by their number.
static int tn_os_draft_name(tn_os_draft *d, const char *path) {
  const unsigned long long process = tn_os_process_id(), here = (uintptr_t)d, now = tn_os_now();
  const int length = snprintf(d->path, sizeof d->path, "%s.%llx-%llx-%llx", path, process, here, now);
  return length >= 0 && (size_t)length < sizeof d->path;
}
static int tn_os_draft_write(tn_os_draft *d, const void *data, size_t nbytes) {
  const char *at = (const char *)data, *const end = at + nbytes;
  int64_t put = 1;
  tn_os_hush hush;
  tn_os_hush_begin(&hush);
  while (at < end && put > 0) {
    put = tn_os_write_some(d->h, at, end - at < TN_OS_PIECE ? (size_t)(end - at) : (size_t)TN_OS_PIECE);
    if (put > 0) at += put;
  }
  tn_os_hush_end(&hush);
  return at == end;
}
#ifndef TINY_NO_IO
static int tn_os_draft_open(tn_os_draft *d, const char *path, int rights) {
  return tn_os_draft_name(d, path) && tn_os_open(d->path, rights, &d->h);
}
// Puts the draft in its place; or drops it, when it is not whole. 1: it is in its place.
static int tn_os_draft_close(tn_os_draft *d, const char *path, int whole) {
  if (tn_os_close(d->h) && whole && tn_os_rename(d->path, path)) return 1;
  tn_os_remove(d->path);
  return 0;
}
#endif

// ** files of this user's own **

// All of h, which has nbytes. 0: it has more or less, or cannot be read.
static int tn_os_read_all(tn_os_handle h, char *data, size_t nbytes) {
  char *end = data;
  int64_t got = 1;
  while (got > 0 && end <= data + nbytes) {
    const size_t left = nbytes + 1 - (size_t)(end - data);
    got = tn_os_read_some(h, end, left < TN_OS_PIECE ? left : (size_t)TN_OS_PIECE);
    if (got > 0) end += got;
  }
  return got == 0 && end == data + nbytes;
}

#ifdef _WIN32                              // folders of a profile are the user's own; others are the caller's word
static int tn_os_read_into(const char *folder, const char *name, char *data, size_t nbytes) {
  char path[TN_OS_PATH];
  tn_os_handle h;
  if (!tn_os_own_path(path, sizeof path, folder, name) || !tn_os_open(path, 0, &h)) return TN_OS_ABSENT;
  const int whole = tn_os_read_all(h, data, nbytes);
  tn_os_close(h);
  return whole ? TN_OS_DONE : TN_OS_ABSENT;
}
static int tn_os_write_own(const char *folder, const char *name, const void *data, size_t nbytes) {
  char path[TN_OS_PATH];
  tn_os_draft d;
  if (!tn_os_own_path(path, sizeof path, folder, name) || !tn_os_draft_name(&d, path) ||
      !tn_os_open(d.path, TN_OS_OWN, &d.h))
    return TN_OS_ABSENT;
  const int whole = tn_os_draft_write(&d, data, nbytes);
  if (tn_os_close(d.h) && whole && tn_os_rename(d.path, path)) return TN_OS_DONE;
  tn_os_remove(d.path);
  return TN_OS_ABSENT;
}
// The files in a folder, out[0..most-1] of them. Returns how many there are; -1: it cannot be read.
static int tn_os_list(const char *folder, tn_os_entry *out, int most) {
  char path[TN_OS_PATH];
  WIN32_FIND_DATAA e;
  int n = 0;
  if (!tn_os_own_path(path, sizeof path, folder, "*")) return -1;
  HANDLE h = FindFirstFileA(path, &e);
  if (h == INVALID_HANDLE_VALUE) return -1;
  do {
    if (e.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY || strlen(e.cFileName) >= TN_OS_NAME) continue;
    if (n < most) {
      memcpy(out[n].name, e.cFileName, strlen(e.cFileName) + 1);
      out[n].nbytes = (uint64_t)e.nFileSizeHigh << 32 | e.nFileSizeLow;    // 100 ns since 1601
      const uint64_t when = (uint64_t)e.ftLastWriteTime.dwHighDateTime << 32 | e.ftLastWriteTime.dwLowDateTime;
      out[n].changed = when / 10000000u - 11644473600u;
    }
    n++;
  } while (FindNextFileA(h, &e));
  FindClose(h);
  return n;
}
#else
// What is open as fd: a folder or a file of this user's own that nobody else may write?
static int tn_os_judge(int fd, int folder, struct stat *s) {
  if (fstat(fd, s) || !(folder ? S_ISDIR(s->st_mode) : S_ISREG(s->st_mode))) return TN_OS_ABSENT;
  if (s->st_uid != geteuid()) return TN_OS_FOREIGN;
  return s->st_mode & 022 ? TN_OS_SHARED : TN_OS_DONE;
}

// Looks at what it has opened, never at a path: what a path names may change in between. A pipe in the place of a file
// must not be waited for.
static int tn_os_open_own(int folder, const char *path, int *fd, struct stat *s) {
  const int flags = O_RDONLY | O_NONBLOCK | TN_OS_CLOEXEC;
  do *fd = folder < 0 ? open(path, flags) : openat(folder, path, flags); while (*fd < 0 && errno == EINTR);
  if (*fd < 0) return TN_OS_ABSENT;
  const int verdict = tn_os_judge(*fd, folder < 0, s);
  if (verdict != TN_OS_DONE) { close(*fd); *fd = -1; }
  return verdict;
}

enum { TN_OS_FRESH = 86400 };              // s: a file that is read is as good as new once it is older than that

static int tn_os_read_into(const char *folder, const char *name, char *data, size_t nbytes) {
  int in, fd;
  struct stat s;
  int verdict = tn_os_open_own(-1, folder, &in, &s);
  if (verdict != TN_OS_DONE) return verdict;
  verdict = tn_os_open_own(in, name, &fd, &s);
  close(in);
  if (verdict != TN_OS_DONE) return verdict;
  const int whole = tn_os_read_all(fd, data, nbytes);
  const time_t now = time(NULL);
  if (whole && now > s.st_mtime && now - s.st_mtime > TN_OS_FRESH) futimens(fd, NULL);
  close(fd);
  return whole ? TN_OS_DONE : TN_OS_ABSENT;
}

static int tn_os_write_own(const char *folder, const char *name, const void *data, size_t nbytes) {
  int in;
  struct stat s;
  tn_os_draft d;
  const int verdict = tn_os_open_own(-1, folder, &in, &s);
  if (verdict != TN_OS_DONE) return verdict;
  int well = tn_os_draft_name(&d, name);
  if (well) {
    const int flags = O_WRONLY | O_CREAT | O_EXCL | TN_OS_CLOEXEC;
    do d.h = openat(in, d.path, flags, TN_OS_OWN); while (d.h < 0 && errno == EINTR);
    well = d.h >= 0;
  }
  if (well) {
    well = tn_os_draft_write(&d, data, nbytes);
    well = close(d.h) == 0 && well && renameat(in, d.path, in, name) == 0;
    if (!well) unlinkat(in, d.path, 0);
  }
  close(in);
  return well ? TN_OS_DONE : TN_OS_ABSENT;
}

// The files in a folder, out[0..most-1] of them. Returns how many there are; -1: it cannot be read.
static int tn_os_list(const char *folder, tn_os_entry *out, int most) {
  char path[TN_OS_PATH];
  struct stat s;
  int n = 0;
  DIR *d = opendir(folder);
  if (!d) return -1;
  for (const struct dirent *e; (e = readdir(d)) != NULL;) {
    const size_t length = strlen(e->d_name);
    if (e->d_name[0] == '.' || length >= TN_OS_NAME) continue;
    if (n < most) {
      if (!tn_os_own_path(path, sizeof path, folder, e->d_name) || stat(path, &s) || !S_ISREG(s.st_mode)) continue;
      memcpy(out[n].name, e->d_name, length + 1);
      out[n].nbytes = (uint64_t)s.st_size; out[n].changed = (uint64_t)s.st_mtime;
    }
    n++;
  }
  closedir(d);
  return n;
}
#endif

// Appends the whole of a file of this user's own to out, or says why not. TN_OS_ABSENT: there is none, it is bigger
// than max_nbytes, or it changes while it is read.
static int tn_os_read_own(const char *folder, const char *name, size_t max_nbytes, tiny_bytes *out) {
  char path[TN_OS_PATH];
  tn_os_facts facts;
  if (!tn_os_own_path(path, sizeof path, folder, name) || !tn_os_file(path, &facts) || facts.nbytes > max_nbytes)
    return TN_OS_ABSENT;
  const size_t nbytes = (size_t)facts.nbytes;
  char *data = (char *)tn_scratch_bare(out->t, nbytes + 1);  // may unwind: nothing is open yet
  const int verdict = data ? tn_os_read_into(folder, name, data, nbytes) : TN_OS_ABSENT;
  if (verdict == TN_OS_DONE) tiny_bytes_add(out, data, nbytes);
  return verdict;
}

// ** mapped files **

#ifndef TINY_NO_IO
// A whole file to read; parts of it can be mapped again to be written, which the file does not notice. Who makes a
// mapped file shorter takes memory away from its readers.
typedef struct tn_os_mapping { const void *data; size_t nbytes; tn_os_handle file, object; } tn_os_mapping;

#ifdef _WIN32
// 0: it cannot be mapped. Of the mapped file nothing is held yet when this fails.
static int tn_os_map_handle(tn_os_mapping *m) {
  m->object = CreateFileMappingA(m->file, NULL, PAGE_WRITECOPY, 0, 0, NULL);
  m->data = m->object ? MapViewOfFile(m->object, FILE_MAP_READ, 0, 0, m->nbytes) : NULL;
  if (m->object && !m->data) CloseHandle(m->object);
  return m->data != NULL;
}
static void tn_os_unmap_handle(tn_os_mapping *m) { UnmapViewOfFile(m->data); CloseHandle(m->object); }
static void *tn_os_map_pages(const tn_os_mapping *m, uint64_t at, size_t nbytes) {
  return MapViewOfFile(m->object, FILE_MAP_COPY, (DWORD)(at >> 32), (DWORD)at, nbytes);
}
static size_t tn_os_map_step(void) {
  SYSTEM_INFO info;
  GetSystemInfo(&info);
  return info.dwAllocationGranularity;
}
#else
static int tn_os_map_handle(tn_os_mapping *m) {
  m->data = mmap(NULL, m->nbytes, PROT_READ, MAP_PRIVATE, m->file, 0);
  return m->data != MAP_FAILED;
}
static void tn_os_unmap_handle(tn_os_mapping *m) { munmap((void *)(uintptr_t)m->data, m->nbytes); }
static void *tn_os_map_pages(const tn_os_mapping *m, uint64_t at, size_t nbytes) {
  void *p = mmap(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, m->file, (off_t)at);
  return p == MAP_FAILED ? NULL : p;
}
static size_t tn_os_map_step(void) { return tn_os_page_nbytes(); }
#endif

static int tn_os_map_file(const char *path, tn_os_mapping *m) {
  tn_os_facts facts;
  memset(m, 0, sizeof *m);
  m->data = "";
  if (!tn_os_file(path, &facts) || facts.nbytes > SIZE_MAX / 2 || !tn_os_open(path, 0, &m->file)) return 0;
  m->nbytes = (size_t)facts.nbytes;
  if (!m->nbytes || tn_os_map_handle(m)) return 1;           // there are no mappings of 0 bytes
  tn_os_close(m->file);
  return 0;
}
static void tn_os_unmap_file(tn_os_mapping *m) {
  if (m->nbytes) tn_os_unmap_handle(m);
  tn_os_close(m->file);
}
// nbytes > 0 of the file, private and writable. *base and *total: for tn_os_unmap_pages. NULL: not now, read instead.
static void *tn_os_map_part(const tn_os_mapping *m, size_t at, size_t nbytes, void **base, size_t *total) {
  const size_t head = at % tn_os_map_step();
  *total = head + nbytes;
  *base = tn_os_map_pages(m, at - head, *total);
  return *base ? (char *)*base + head : NULL;
}
#endif // TINY_NO_IO

#ifdef _WIN32
static void tn_os_unmap_pages(void *base, size_t nbytes) { (void)nbytes; UnmapViewOfFile(base); }
#else
static void tn_os_unmap_pages(void *base, size_t nbytes) { munmap(base, nbytes); }
#endif

// Makes a folder and those above it, for this user alone. 1: it is there.
static int tn_os_make_dirs(const char *path) {
  char part[TN_OS_PATH];
  const size_t n = strlen(path);
  if (!n || n >= sizeof part) return 0;
  for (size_t i = 1; i < n; i++) if (tn_os_is_separator(path[i])) {
    memcpy(part, path, i);
    part[i] = 0;
    tn_os_make_dir(part);                  // the last one tells
  }
  return tn_os_make_dir(path);
}

// This library's part of the user's cache folder, which need not exist yet. 0: the user has none.
static int tn_os_cache_dir(char *out, size_t cap) {
#if defined(_WIN32)
  const char *base = tn_os_env("LOCALAPPDATA"), *below = "/tiny";
#elif defined(__APPLE__)
  const char *base = tn_os_env("HOME"), *below = "/Library/Caches/tiny";
#else
  const char *base = tn_os_env("XDG_CACHE_HOME"), *below = "/tiny";
  if (!base || *base != '/') { base = tn_os_env("HOME"); below = "/.cache/tiny"; }
#endif
  const int n = base ? snprintf(out, cap, "%s%s", base, below) : -1;
  return n > 0 && (size_t)n < cap;
}
#endif // TINY_NO_DISK

// A folder for files that live for a moment.
static const char *tn_os_temp_dir(void) {
#ifdef _WIN32
  const char *dir = tn_os_env("TEMP");
  return dir ? dir : ".";
#else
  const char *dir = tn_os_env("TMPDIR");
  return dir ? dir : "/tmp";
#endif
}

// Folders that nobody names relative to where the process happens to be.
#ifdef _WIN32
static int tn_os_is_absolute(const char *path, size_t length) {
  return length > 2 && path[1] == ':' && (path[2] == '/' || path[2] == '\\');
}
enum { TN_OS_PATH_SEPARATOR = ';' };
#else
static int tn_os_is_absolute(const char *path, size_t length) { return length && *path == '/'; }
enum { TN_OS_PATH_SEPARATOR = ':' };
#endif

// Where programs are looked for; with raised rights the system's folders alone.
static const char *tn_os_search_path(void) {
#ifdef _WIN32
  const char *path = tn_os_env("PATH");
  return path ? path : "";
#else
  const char *path = tn_os_raised() ? "/usr/bin:/bin" : tn_os_env("PATH");
  return path ? path : "";
#endif
}

// The absolute folders of the path that programs are looked for on, into out. 1: there are others on it, too.
static int tn_os_clean_path(const char *path, tiny_bytes *out) {
  int others = 0;
  while (*path) {
    size_t length = 0;
    while (path[length] && path[length] != TN_OS_PATH_SEPARATOR) length++;
    const int more = path[length] != 0;
    if (tn_os_is_absolute(path, length)) {
      const char separator = TN_OS_PATH_SEPARATOR;
      if (out->n) tiny_bytes_add(out, &separator, 1);
      tiny_bytes_add(out, path, length);
    } else others = 1;
    path += length + (size_t)more;
    others |= more && !*path;              // an empty one at the end: where the process is
  }
  return others;
}

// The nth path of a program: name itself when it has a folder in it, else those on PATH whose folder is absolute.
// 0: there is none.
static int tn_os_find_program(const char *name, int nth, char *out, size_t cap) {
  tn_os_facts facts;
#ifdef _WIN32
  const char *const suffix = strchr(name, '.') ? "" : ".exe";
  const int named = strchr(name, '/') || strchr(name, '\\');
#else
  const char *const suffix = "";
  const int named = strchr(name, '/') != NULL;
#endif
  const char *path = named ? "" : tn_os_search_path();
  for (;;) {
    size_t length = 0;
    while (path[length] && path[length] != TN_OS_PATH_SEPARATOR) length++;
    const int n = snprintf(out, cap, "%.*s%s%s%s", (int)length, path, length ? "/" : "", name, suffix);
    int found = n > 0 && (size_t)n < cap && (named || tn_os_is_absolute(path, length)) && tn_os_file(out, &facts);
#ifndef _WIN32
    found = found && access(out, X_OK) == 0;
#endif
    if (found && !nth--) return 1;
    if (!path[length]) return 0;
    path += length + 1;
  }
}
#endif
