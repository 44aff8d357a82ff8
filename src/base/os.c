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
  extern int kill(pid_t pid, int sig);
  extern int madvise(void *at, size_t nbytes, int advice);
  #ifndef TINY_NO_THREADS
    extern int pthread_sigmask(int how, const sigset_t *set, sigset_t *old);
    extern int sigfillset(sigset_t *set);
  #endif
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
  enum { TN_OS_MONOTONIC = 1, TN_OS_MAP_ANONYMOUS = 0x20, TN_OS_SIG_SETMASK = 2, TN_OS_HUGEPAGE = 14,
         TN_OS_CLOEXEC = 02000000, TN_OS_DUPFD_CLOEXEC = 1030 };       // asm-generic: x86-64 and arm64
#elif !defined(_WIN32)
  enum { TN_OS_MONOTONIC = CLOCK_MONOTONIC, TN_OS_MAP_ANONYMOUS = MAP_ANON, TN_OS_SIG_SETMASK = SIG_SETMASK,
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

// The value of an environment variable; NULL when it is not set or empty.
static const char *tn_os_env(const char *name) {
  const char *value = getenv(name);
  return value && *value ? value : NULL;
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

// ** files **

typedef struct tn_os_facts { uint64_t nbytes, changed; } tn_os_facts;    // changed: when, in s

// 1: there is a regular file at path.
static int tn_os_file(const char *path, tn_os_facts *out) {
#ifdef _WIN32
  struct _stat64 s;
  if (_stat64(path, &s) || (s.st_mode & _S_IFMT) != _S_IFREG) return 0;
#else
  struct stat s;
  if (stat(path, &s) || !S_ISREG(s.st_mode)) return 0;
#endif
  out->nbytes = (uint64_t)s.st_size; out->changed = (uint64_t)s.st_mtime;
  return 1;
}

#ifdef TINY_NO_DISK                        // nothing can be read, written or found there
typedef int tn_os_handle;
enum { TN_OS_OWN, TN_OS_ALL };
static int tn_os_open(const char *path, int create, tn_os_handle *out) {
  (void)path; (void)create; (void)out;
  return 0;
}
static int tn_os_close(tn_os_handle h) { return h; }
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
static int tn_os_read_file(const char *path, size_t max_nbytes, tiny_bytes *out) {
  (void)path; (void)max_nbytes; (void)out;
  return 0;
}
static int tn_os_write_file(const char *path, const void *data, size_t nbytes) {
  (void)path; (void)data; (void)nbytes;
  return 0;
}
static int tn_os_make_dirs(const char *path) { (void)path; return 0; }
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
static int tn_os_make_dir(const char *path) { return _mkdir(path) == 0 || errno == EEXIST; }
static int tn_os_is_separator(char c) { return c == '/' || c == '\\'; }
#else
typedef int tn_os_handle;
static int tn_os_open(const char *path, int create, tn_os_handle *out) {
  const int flags = (create ? O_WRONLY | O_CREAT | O_EXCL : O_RDONLY) | TN_OS_CLOEXEC;
  do *out = open(path, flags, create); while (*out < 0 && errno == EINTR);
  return *out >= 0;
}
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
static int tn_os_close(tn_os_handle h) { return close(h) == 0; }
static int tn_os_rename(const char *from, const char *to) { return rename(from, to) == 0; }
static void tn_os_remove(const char *path) { unlink(path); }
static int tn_os_make_dir(const char *path) { return mkdir(path, 0700) == 0 || errno == EEXIST; }
static int tn_os_is_separator(char c) { return c == '/'; }
#endif

enum { TN_OS_PIECE = 1 << 20 };            // bytes of one read or write: systems limit them
enum { TN_OS_OWN = 0600, TN_OS_ALL = 0666 };                // who may read a new file: this user; as the umask says

// Appends the whole file to out. 0: there is none, it is bigger than max_nbytes, or it changes while it is
// read.
static int tn_os_read_file(const char *path, size_t max_nbytes, tiny_bytes *out) {
  tn_os_facts facts;
  tn_os_handle h;
  if (!tn_os_file(path, &facts) || facts.nbytes > max_nbytes) return 0;
  const size_t nbytes = (size_t)facts.nbytes;
  char *data = (char *)tn_scratch(out->t, nbytes + 1), *end = data;     // may unwind: nothing is open yet
  if (!data || !tn_os_open(path, 0, &h)) return 0;
  int64_t got = 1;
  while (got > 0 && end <= data + nbytes) {
    const size_t left = nbytes + 1 - (size_t)(end - data);
    got = tn_os_read_some(h, end, left < TN_OS_PIECE ? left : (size_t)TN_OS_PIECE);
    if (got > 0) end += got;
  }
  tn_os_close(h);
  if (got != 0 || end != data + nbytes) return 0;
  tiny_bytes_add(out, data, nbytes);
  return 1;
}

// A file that is being written: others see the old one or the whole new one, as it is written beside its place and
// renamed.
typedef struct tn_os_draft { char path[TN_OS_PATH + 64]; tn_os_handle h; } tn_os_draft;

static int tn_os_draft_open(tn_os_draft *d, const char *path, int rights) {
  const unsigned long long here = (uintptr_t)d;              // threads differ by their stacks
  const unsigned long long process = tn_os_process_id(), now = tn_os_now();
  const int length = snprintf(d->path, sizeof d->path, "%s.%llx-%llx-%llx", path, process, here, now);
  return length >= 0 && (size_t)length < sizeof d->path && tn_os_open(d->path, rights, &d->h);
}
static int tn_os_draft_write(tn_os_draft *d, const void *data, size_t nbytes) {
  const char *at = (const char *)data, *const end = at + nbytes;
  int64_t put = 1;
  while (at < end && put > 0) {
    put = tn_os_write_some(d->h, at, end - at < TN_OS_PIECE ? (size_t)(end - at) : (size_t)TN_OS_PIECE);
    if (put > 0) at += put;
  }
  return at == end;
}
// Puts the draft in its place; or drops it, when it is not whole. 1: it is in its place.
static int tn_os_draft_close(tn_os_draft *d, const char *path, int whole) {
  if (tn_os_close(d->h) && whole && tn_os_rename(d->path, path)) return 1;
  tn_os_remove(d->path);
  return 0;
}
static int tn_os_write_file(const char *path, const void *data, size_t nbytes) {
  tn_os_draft d;
  return tn_os_draft_open(&d, path, TN_OS_OWN) &&
         tn_os_draft_close(&d, path, tn_os_draft_write(&d, data, nbytes));
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

// The path of a program: name itself when it has a folder in it, else the first on PATH. 0: there is none.
static int tn_os_find_program(const char *name, char *out, size_t cap) {
#ifdef _WIN32
  const DWORD n = SearchPathA(NULL, name, ".exe", (DWORD)cap, out, NULL);
  return n > 0 && n < cap;
#else
  const char *path = strchr(name, '/') ? "" : tn_os_env("PATH");
  tn_os_facts facts;
  for (; path; path = *path ? path + 1 : NULL) {
    const size_t length = strcspn(path, ":");
    const int n = snprintf(out, cap, "%.*s%s%s", (int)length, path, length ? "/" : "", name);
    if (n > 0 && (size_t)n < cap && tn_os_file(out, &facts) && access(out, X_OK) == 0) return 1;
    path += length;
  }
  return 0;
#endif
}
#endif
