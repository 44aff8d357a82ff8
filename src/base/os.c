// os: which system this is: Linux, macOS, Windows, or a page of the web (emscripten); on x86-64, arm64 or wasm. All
// system headers are asked for here.
//
// Clock, environment, terminal; what the processor can do; pages and executable memory. The other rooms that know the
// system stand below: caches, threads, files, process; the names of threads and files begin with tn_os_, too.
// Nothing in them records an error in the context or changes anything process-wide (signal handlers, locale,
// folder): functions answer 1 or a pointer when they did it, 0 or NULL when they did not, and the caller
// knows what it means. No descriptor or mapping is held while memory is asked for, since that may unwind
// (base/memory.c). Descriptors are never inherited by children of the host. Paths are the C library's: bytes
// on POSIX, code page on Windows.
#ifndef TN_BASE_OS
#define TN_BASE_OS
#ifndef TINY_AMALGAMATED
#include "text.c"
#endif
// In a page, and in node: memory, files that lie in it, a clock. There are no processes, so no compiler is looked for;
// no memory that can be executed; threads if -pthread asks for them.
#ifdef __EMSCRIPTEN__
  #define TN_OS_PAGE 1
  #if !defined(__EMSCRIPTEN_PTHREADS__) && !defined(TINY_NO_THREADS)
    #define TINY_NO_THREADS
  #endif
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
  #ifndef TINY_NO_THREADS
    #include <pthread.h>
  #endif
  #ifndef TN_OS_PAGE
    #include <poll.h>
    #include <spawn.h>
    #include <sys/socket.h>
    #include <sys/wait.h>
  #endif
  #include <signal.h>
  #include <sys/file.h>
  #include <sys/ioctl.h>
  #include <sys/mman.h>
  #include <sys/types.h>
  #include <unistd.h>
#endif
#ifdef __APPLE__
  #include <pthread.h>
  #include <sys/sysctl.h>
  #include <TargetConditionals.h>
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
#elif defined(__wasm__)
  #define TN_OS_WASM 1
#endif
// Modules of a page belong to the thread that has loaded them, so that there is none of our own with threads.
#if defined(TN_OS_X86) || defined(TN_OS_ARM64) || (defined(TN_OS_PAGE) && defined(TINY_NO_THREADS))
  #ifndef TINY_NO_ISA
    #define TN_ISA 1                       // there is a compiler of our own for it: src/isa
  #endif
#endif

// With -std=c11 the C libraries of Linux, and emscripten's, hide all that is not ISO C, unless a feature macro is set
// before the host's first #include: a header cannot ask for that. What this room needs of the hidden part is declared
// as POSIX has it.
#if (defined(__linux__) || defined(TN_OS_PAGE)) && defined(__STRICT_ANSI__) && !defined(__cplusplus)
  extern int clock_gettime(int clock, struct timespec *out);
  extern int ftruncate(int fd, off_t nbytes);
  extern int futimens(int fd, const struct timespec times[2]);
  extern int nanosleep(const struct timespec *wanted, struct timespec *left);
  extern int openat(int folder, const char *path, int flags, ...);
  extern int renameat(int from_folder, const char *from, int to_folder, const char *to);
  extern int unlinkat(int folder, const char *path, int flags);
#endif
#if defined(__linux__) && defined(__STRICT_ANSI__) && !defined(__cplusplus)
  extern int kill(pid_t pid, int sig);
  extern int madvise(void *at, size_t nbytes, int advice);
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
#elif !defined(_WIN32) && !defined(TN_OS_PAGE)
  #ifdef __cplusplus
    extern "C" char **environ;
  #else
    extern char **environ;
  #endif
  #define TN_OS_ENVIRON environ
#endif
#ifdef __linux__
  #include <sys/syscall.h>
#endif
#if defined(__linux__) || defined(TN_OS_PAGE)
  enum { TN_OS_MONOTONIC = 1, TN_OS_MAP_ANONYMOUS = 0x20, TN_OS_SIG_BLOCK = 0, TN_OS_SIG_SETMASK = 2,
         TN_OS_HUGEPAGE = 14, TN_OS_CLOEXEC = 02000000, TN_OS_DUPFD_CLOEXEC = 1030 };      // asm-generic, musl
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

#if !defined(_WIN32) || !defined(TINY_NO_THREADS)
static void tn_os_sleep_us(int us) {       // or less, when a signal comes
#ifdef _WIN32
  Sleep((DWORD)(us + 999) / 1000);
#else
  struct timespec wanted;
  wanted.tv_sec = us / 1000000; wanted.tv_nsec = us % 1000000 * 1000L;
  nanosleep(&wanted, NULL);
#endif
}
#endif

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

// A folder for files that live for a moment.
#ifdef _WIN32
  #define TN_OS_TEMP "."
  #define TN_OS_TEMP_NAME "TEMP"
#else
  #define TN_OS_TEMP "/tmp"
  #define TN_OS_TEMP_NAME "TMPDIR"
#endif
static const char *tn_os_temp_dir(void) {
  const char *dir = tn_os_env(TN_OS_TEMP_NAME);
  return dir ? dir : TN_OS_TEMP;
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

#if defined(__linux__) || !defined(TINY_NO_THREADS)
// Those that the calling thread may use.
static void tn_os_cores_get(tn_os_cores_mask *m) {
  m->n = 0;
#ifdef __linux__
  m->n = syscall(SYS_sched_getaffinity, 0, sizeof m->bits, m->bits) / (long)sizeof *m->bits;
#endif
}
#endif

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
  int dots;                                // bit per TINY_DOT_* that the widest registers have an instruction for
  int tiles;                               // Intel AMX with BF16 and INT8; tn_os_tiles_allowed must say yes, too
  uint32_t features[8];                    // bits of the instructions that compilers may use there, and nothing else
  const char *march;                       // the compiler's flag for what it is taken as; NULL: for what it is
  char name[96];                           // differs between machines that need different code
} tn_os_cpu;

// Linux wants tiles to be asked for, once a process: Documentation/arch/x86/xstate.rst. Frames of signals may grow by
// 8 KiB from then on, so the answer is no where a thread's alternate stack is too small for them. Asked when a kernel
// has use for tiles, not before: the process is somebody else's.
#ifndef TN_TEST_TILES                      // tests: the processor is taken as one that has tiles, which they emulate
  #define TN_TEST_TILES 0
#endif
static int tn_os_tiles_allowed(void) {
#if defined(__linux__) && defined(SYS_arch_prctl)
  enum { REQUEST = 0x1023, TILE_DATA = 18 };
  return syscall(SYS_arch_prctl, REQUEST, TILE_DATA) == 0 || TN_TEST_TILES;
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

// Words of features: CPUID leaf 1 ecx, leaf 7 ebx, ecx and edx, leaf 7.1 eax and edx, leaf 80000001h ecx; and of each
// the bits that change what -march=native compiles. Intel SDM vol. 2A, CPUID; AMD APM vol. 3, appendix E.
static const uint32_t tn_os_feature_bits[7] = {
  0x32D83203u,                             // SSE3 PCLMUL SSSE3 FMA CX16 SSE4.1 SSE4.2 MOVBE POPCNT AES AVX F16C
  0xF02B0128u,                             // BMI1 AVX2 BMI2, AVX512 F DQ, ADX, IFMA, CD SHA BW VL
  0x00005F42u,                             // VBMI VBMI2 GFNI VAES VPCLMUL VNNI BITALG VPOPCNTDQ
  0x03C00000u,                             // AMX BF16, AVX512-FP16, AMX TILE INT8
  0x00800030u, 0x00000430u,                // AVX-VNNI, BF16, AVX-IFMA; AVX-VNNI-INT8 NE-CONVERT, AVX-VNNI-INT16
  0x00210861u                              // LAHF LZCNT SSE4A XOP, FMA4, TBM
};
static const uint32_t tn_os_of_avx[7] = {0x30001000u, ~0u, ~0u, ~0u, ~0u, ~0u, 0x00010800u};     // need its registers
static const uint32_t tn_os_of_avx512[7] = {0, 0xD0230000u, 0x00005842u, 0x03C00000u, 0x20u, 0, 0};

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
  if (avx2 && (saved & 0x06) == 0x06) {
    c->vector_nbytes = 32;
    c->dots = 1 << TINY_DOT_I16;
  }
  if ((features[2] & avx512) == avx512 && (saved & 0xe6) == 0xe6) {
    c->vector_nbytes = 64; c->vector_registers = 32;
    if (features[3] >> 11 & 1) c->dots |= 1 << TINY_DOT_U8_I8;             // AVX512_VNNI
    if (features[5] >> 5 & 1) c->dots |= 1 << TINY_DOT_BF16;               // AVX512_BF16
    const uint32_t amx = 1u << 22 | 1u << 24 | 1u << 25, tile_state = 3u << 17;
    if (TN_TEST_TILES) features[4] |= amx;
    if ((features[4] & amx) == amx && ((saved & tile_state) == tile_state || TN_TEST_TILES)) c->tiles = 1;
  } else if (c->vector_nbytes == 32 && features[5] >> 4 & 1) c->dots |= 1 << TINY_DOT_U8_I8;  // AVX-VNNI
  if (most >= 7) { tn_os_cpuid(7, 1, r); c->features[5] = r[3]; }
  const uint32_t words[5] = {ecx1, features[2], features[3], features[4], features[5]};
  memcpy(c->features, words, sizeof words);
  tn_os_cpuid(0x80000000u, 0, r);
  if (r[0] >= 0x80000001u) { uint32_t more[4]; tn_os_cpuid(0x80000001u, 0, more); c->features[6] = more[2]; }
  for (int i = 0; i < 7; i++) {
    c->features[i] &= tn_os_feature_bits[i];
    if ((saved & 0x06) != 0x06) c->features[i] &= ~tn_os_of_avx[i];
    if (c->vector_nbytes < 64) c->features[i] &= ~tn_os_of_avx512[i];
  }
  for (uint32_t i = 0; i < 3 && r[0] >= 0x80000004u; i++) tn_os_cpuid(0x80000002u + i, 0, brand + 4 * i);
  uint64_t h = tn_hash_bytes(model, features, sizeof features);
  h = tn_hash_bytes(h ^ saved, brand, sizeof brand);
  snprintf(c->name, sizeof c->name, "x86_64 v%d %016llx", c->vector_nbytes, (unsigned long long)h);
}
#else
#ifdef TN_OS_ARM64
// FEAT_DotProd: Linux, Documentation/arch/arm64/elf_hwcaps.rst, HWCAP_ASIMDDP; Apple, "Determining instruction set
// characteristics"; Windows, IsProcessorFeaturePresent, PF_ARM_V82_DP_INSTRUCTIONS_AVAILABLE.
static int tn_os_has_dot_products(void) {
#if defined(__linux__)
  return (int)(getauxval(16) >> 20 & 1);
#elif defined(__APPLE__)
  int has = 0;
  size_t nbytes = sizeof has;
  return !sysctlbyname("hw.optional.arm.FEAT_DotProd", &has, &nbytes, NULL, 0) && has;
#elif defined(_WIN32)
  return IsProcessorFeaturePresent(43) != 0;
#else
  return 0;
#endif
}
#endif
static void tn_os_cpu_identify(tn_os_cpu *c) {
  uint64_t h = 0;
#ifdef TN_OS_WASM                          // of the 16 of x86-64 engines keep some, and what is on its way takes others
  c->vector_nbytes = 16; c->vector_registers = 12;
#else
  c->vector_nbytes = 16; c->vector_registers = 32;
#endif
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
  const uint64_t both[2] = {h, ~h};        // a number and its complement: they are a subset of no others
  memcpy(c->features, both, sizeof both);
#if defined(__linux__) && defined(TN_OS_ARM64)
  const uint64_t caps[2] = {getauxval(16), getauxval(26)};     // AT_HWCAP, AT_HWCAP2
  memcpy(c->features, caps, sizeof caps);
#endif
#ifdef TN_OS_ARM64
  if (tn_os_has_dot_products()) c->dots = 1 << TINY_DOT_I8 | 1 << TINY_DOT_U8;
#endif
#ifdef TN_OS_ARM64
  const char *kind = "arm64";
#elif defined(TN_OS_WASM)
  const char *kind = "wasm32";
#else
  const char *kind = "unknown";
#endif
  snprintf(c->name, sizeof c->name, "%s %016llx", kind, (unsigned long long)h);
}
#endif

static tn_os_cpu tn_os_cpu_get(void) {
  tn_os_cpu c;
  memset(&c, 0, sizeof c);
  tn_os_cpu_identify(&c);
  return c;
}

// Levels as which a processor may be taken: what is compiled for one runs on all that have it. Of x86-64 those of the
// System V ABI, AMD64 supplement, 1.0, table 3.1: compilers know them by name since gcc 11 and clang 12; and what has
// tiles, which came with VNNI. Of arm64 what all have, and dot products.
typedef struct tn_os_level {
  const char *name, *march;
  uint32_t features[8];
  int vector_nbytes, registers, dots, tiles;
} tn_os_level;
#ifdef TN_OS_ARM64
  #define TN_OS_LEVEL_NAMES "neon, dotprod"
  #define TN_OS_LEVEL_MACHINE "arm64"
static const tn_os_level tn_os_levels[] = {
  {"neon", "-march=armv8-a", {0, 0, 0, 0, 0, 0, 0, 0}, 16, 32, 0, 0},
  {"dotprod", "-march=armv8.2-a+dotprod", {1u << 20, 0, 0, 0, 0, 0, 0, 0}, 16, 32, 1 << TINY_DOT_I8 | 1 << TINY_DOT_U8,
   0},
};
#else
  #define TN_OS_LEVEL_NAMES "sse2, sse4, avx2, avx512, amx"
  #define TN_OS_LEVEL_MACHINE "x86_64"
static const tn_os_level tn_os_levels[] = {
  {"sse2", "-march=x86-64", {0, 0, 0, 0, 0, 0, 0, 0}, 16, 16, 0, 0},
  {"sse4", "-march=x86-64-v2", {0x00982201u, 0, 0, 0, 0, 0, 0x1u, 0}, 16, 16, 0, 0},
  {"avx2", "-march=x86-64-v3", {0x30D83201u, 0x00000128u, 0, 0, 0, 0, 0x21u, 0}, 32, 16, 1 << TINY_DOT_I16, 0},
  {"avx512", "-march=x86-64-v4", {0x30D83201u, 0xD0030128u, 0, 0, 0, 0, 0x21u, 0}, 64, 32, 1 << TINY_DOT_I16, 0},
  {"amx", "-march=x86-64-v4", {0x30D83201u, 0xD0030128u, 0x00000800u, 0x03400000u, 0, 0, 0x21u, 0}, 64, 32,
   1 << TINY_DOT_I16 | 1 << TINY_DOT_U8_I8, 1},
};
#endif
enum { TN_OS_LEVELS = sizeof tn_os_levels / sizeof *tn_os_levels };
static const tn_os_level *tn_os_level_named(const char *name) {
  int at = 0;
  while (at < TN_OS_LEVELS && strcmp(tn_os_levels[at].name, name)) at++;
  return at == TN_OS_LEVELS ? NULL : &tn_os_levels[at];
}
static int tn_os_cpu_reaches(const tn_os_cpu *c, const tn_os_level *l) {
#if defined(TN_OS_ARM64)                     // whose features are no bits everywhere
  return !(l->dots & ~c->dots);
#elif defined(TN_OS_X86)
  int has = l->vector_nbytes <= c->vector_nbytes && l->tiles <= c->tiles;
  for (int i = 0; i < 8; i++) has &= !(l->features[i] & ~c->features[i]);
  return has;
#else
  (void)c; (void)l;
  return 0;
#endif
}

// A processor of that level, whatever this one is.
static void tn_os_cpu_of(tn_os_cpu *c, const tn_os_level *l) {
  memcpy(c->features, l->features, sizeof l->features);
  snprintf(c->name, sizeof c->name, TN_OS_LEVEL_MACHINE " %s", l->name);
  c->march = l->march;
  c->vector_nbytes = l->vector_nbytes; c->vector_registers = l->registers;
  c->dots = l->dots; c->tiles = l->tiles;
}
// The processor as one of that level. 0: there is no such level, or it is beyond the processor.
static int tn_os_cpu_as(tn_os_cpu *c, const char *level) {
  const tn_os_level *l = tn_os_level_named(level);
  if (!l || !tn_os_cpu_reaches(c, l)) return 0;
  tn_os_cpu_of(c, l);
  return 1;
}
#if defined(TN_ISA) && defined(TN_OS_X86)                  // whose levels these are
static int tn_os_cpu_has(const tn_os_cpu *c, const char *level) {
  const tn_os_level *l = tn_os_level_named(level);
  return l && tn_os_cpu_reaches(c, l);
}
#endif

// ** pages **

// A page asks for files and threads.
#if !defined(TN_OS_PAGE) || !defined(TINY_NO_DISK) || !defined(TINY_NO_THREADS)
static size_t tn_os_page_nbytes(void) {
#ifdef _WIN32
  SYSTEM_INFO info;
  GetSystemInfo(&info);
  return info.dwPageSize;
#else
  return (size_t)sysconf(_SC_PAGESIZE);
#endif
}
#endif

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

#ifndef TN_OS_WASM                          // code is not in memory there
// Turns whole pages of a mapping from writable to executable, and makes the instruction cache see them.
static int tn_os_make_executable(void *p, size_t nbytes) {
#ifdef _WIN32
  DWORD old;
  if (!VirtualProtect(p, nbytes, PAGE_EXECUTE_READ, &old)) return 0;
  return FlushInstructionCache(GetCurrentProcess(), p, nbytes) != 0;
#elif defined(TN_OS_WASM)                  // code is not in memory there
  (void)p; (void)nbytes;
  return 0;
#else
  __builtin___clear_cache((char *)p, (char *)p + nbytes);
  return mprotect(p, nbytes, PROT_READ | PROT_EXEC) == 0;
#endif
}

// ** code **

enum { TN_OS_NO_CODE = 1, TN_OS_NO_EXECUTION = 2 };
#ifndef TN_OS_REFUSES                      // tests: the system that gives no pages for code, or lets none be executed
  #define TN_OS_REFUSES 0
#endif

// Pages for code, and for data behind it. They may be written, by this thread and by no other, until they are sealed;
// then code may be executed.
typedef struct tn_os_code { char *at; size_t code_nbytes, nbytes; int jit; } tn_os_code;
#if defined(__APPLE__) && defined(TN_OS_ARM64) && TARGET_OS_OSX
// A process with the hardened runtime executes no pages that were written but those of MAP_JIT, which a thread either
// writes or executes (Apple, "Porting just-in-time compilers to Apple silicon"; pthread_jit_write_protect_np(3)).
static void tn_os_code_map_jit(tn_os_code *c) {
  char *p = (char *)mmap(NULL, c->nbytes, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANON | MAP_JIT, -1, 0);
  const size_t data = c->nbytes - c->code_nbytes;
  if (p == (char *)MAP_FAILED) return;
  if (data && mmap(p + c->code_nbytes, data, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON | MAP_FIXED, -1, 0) ==
      MAP_FAILED) {
    munmap(p, c->nbytes);
    return;
  }
  c->at = p; c->jit = 1;
  pthread_jit_write_protect_np(0);
}
static void tn_os_code_protect_jit(const tn_os_code *c) {
  pthread_jit_write_protect_np(1);
  __builtin___clear_cache(c->at, c->at + c->code_nbytes);
}
#else
static void tn_os_code_map_jit(tn_os_code *c) { (void)c; }
static void tn_os_code_protect_jit(const tn_os_code *c) { (void)c; }
#endif
// Whole pages of each. 0: there are none.
static int tn_os_code_map(tn_os_code *c, size_t code_nbytes, size_t data_nbytes) {
  memset(c, 0, sizeof *c);
  c->code_nbytes = code_nbytes; c->nbytes = code_nbytes + data_nbytes;
  if (TN_OS_REFUSES == TN_OS_NO_CODE) return 0;
  tn_os_code_map_jit(c);
  if (!c->at) c->at = (char *)tn_os_map(c->nbytes);
  return c->at != NULL;
}
// Is always called after tn_os_code_map, whatever became of the code. 0: the system does not let it be executed.
static int tn_os_code_seal(const tn_os_code *c) {
  if (c->jit) tn_os_code_protect_jit(c);
  if (TN_OS_REFUSES == TN_OS_NO_EXECUTION) return 0;
  return c->jit || tn_os_make_executable(c->at, c->code_nbytes);
}

#endif // TN_OS_WASM

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
#endif
