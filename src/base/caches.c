// caches: what the caches of this machine's first processor are, as the system tells it.
//
// In:  Linux: /sys/devices/system/cpu/cpu0/cache (Documentation/ABI/testing/sysfs-devices-system-cpu); macOS: sysctl;
//      Windows: GetLogicalProcessorInformation. Out: three levels, innermost first; zeros where nothing is known.
// Holds: two runs on one machine get the same numbers, whichever core they run on: kernels are chosen by them. What
//        cannot be is taken for not known, and so is all that lies further out.
#ifndef TN_BASE_CACHES
#define TN_BASE_CACHES
#ifndef TINY_AMALGAMATED
#include "os.c"
#endif

enum { TN_CACHES = 3 };                    // levels of tiny_limits

// ** what can be **

#ifndef TN_OS_PAGE                          // it is told nothing of them
// Sizes grow outwards. Where the system knows no last level, the one before it is the last before memory.
static void tn_caches_check(tiny_memory_level *level) {
  for (int i = 0; i < TN_CACHES; i++) {
    tiny_memory_level *m = &level[i];
    if (i == TN_CACHES - 1 && !m->nbytes) *m = m[-1];
    const size_t least = i ? m[-1].nbytes : (size_t)4 << 10;
    if (!least || m->nbytes < least || m->nbytes > (size_t)1 << 30) memset(m, 0, sizeof *m);
    if (m->line < 16 || m->line > 1024 || (m->line & (m->line - 1))) m->line = 0;
    if (m->ways < 1 || (size_t)m->ways > m->nbytes / (m->line ? (size_t)m->line : 64)) m->ways = 0;
  }
}
#endif

// ** Linux: a folder for each cache, a file for each fact **

#ifdef __linux__
// The first bytes of a file, and a 0. 0: there is no such file.
static int tn_caches_text(const char *folder, int index, const char *name, char *out, size_t nbytes) {
  char path[TN_OS_PATH];
  snprintf(path, sizeof path, "%s/index%d/%s", folder, index, name);
  const int fd = open(path, O_RDONLY | TN_OS_CLOEXEC);
  const long n = fd < 0 ? -1 : (long)read(fd, out, nbytes - 1);
  if (fd >= 0) close(fd);
  out[n > 0 ? n : 0] = 0;
  return fd >= 0;
}

// A number, with K, M or G for powers of 1024. 0: it is none, or more than 2^40.
static uint64_t tn_caches_number(const char *at) {
  uint64_t n = 0;
  if (*at < '0' || *at > '9') return 0;
  for (; *at >= '0' && *at <= '9'; at++) if ((n = 10 * n + (uint64_t)(*at - '0')) >> 40) return 0;
  const int power = *at == 'K' ? 10 : *at == 'M' ? 20 : *at == 'G' ? 30 : 0;
  at += power != 0;
  if (*at && *at != '\n') return 0;
  return n >> (40 - power) ? 0 : n << power;
}
static int64_t tn_caches_fact(const char *folder, int index, const char *name) {
  char text[32];
  tn_caches_text(folder, index, name, text, sizeof text);
  return (int64_t)tn_caches_number(text);
}

// The first of each level counts, of those that hold data.
static void tn_caches_read(const char *folder, tiny_memory_level *level) {
  char type[32];
  memset(level, 0, TN_CACHES * sizeof *level);
  for (int i = 0; i < 16 && tn_caches_text(folder, i, "type", type, sizeof type); i++) {
    const int64_t number = tn_caches_fact(folder, i, "level");
    if ((type[0] != 'D' && type[0] != 'U') || number < 1 || number > TN_CACHES || level[number - 1].nbytes) continue;
    const int64_t nbytes = tn_caches_fact(folder, i, "size"), line = tn_caches_fact(folder, i, "coherency_line_size"),
                  ways = tn_caches_fact(folder, i, "ways_of_associativity");
    tiny_memory_level *m = &level[number - 1];
    m->nbytes = nbytes <= (int64_t)1 << 30 ? (size_t)nbytes : 0;
    m->line = line <= 1024 ? (int)line : 0;
    m->ways = ways <= 1 << 20 ? (int)ways : 0;
  }
  tn_caches_check(level);
}
#endif

// ** all systems **

#ifdef __APPLE__
static long long tn_caches_sysctl(const char *name) {
  long long n = 0;
  size_t nbytes = sizeof n;
  return sysctlbyname(name, &n, &nbytes, NULL, 0) || n < 0 || n > 1 << 30 ? 0 : n;
}
#endif

static void tn_caches_get(tiny_memory_level *level) {
  memset(level, 0, TN_CACHES * sizeof *level);
#if defined(__linux__)
  tn_caches_read("/sys/devices/system/cpu/cpu0/cache", level);
#elif defined(__APPLE__)
  static const char *const names[TN_CACHES][2] = {           // of the fast cores, where there are two kinds
    {"hw.perflevel0.l1dcachesize", "hw.l1dcachesize"}, {"hw.perflevel0.l2cachesize", "hw.l2cachesize"},
    {"hw.perflevel0.l3cachesize", "hw.l3cachesize"}};
  for (int i = 0; i < TN_CACHES; i++) {
    for (int j = 0; j < 2 && !level[i].nbytes; j++) level[i].nbytes = (size_t)tn_caches_sysctl(names[i][j]);
    level[i].line = (int)tn_caches_sysctl("hw.cachelinesize");
  }
  tn_caches_check(level);
#elif defined(_WIN32)
  SYSTEM_LOGICAL_PROCESSOR_INFORMATION row[256];           // the first processor's caches are the first of each level
  DWORD nbytes = sizeof row;
  if (!GetLogicalProcessorInformation(row, &nbytes)) return;
  for (DWORD i = 0; i < nbytes / sizeof *row; i++) {
    const CACHE_DESCRIPTOR *c = &row[i].Cache;
    if (row[i].Relationship != RelationCache || c->Type == CacheInstruction || c->Type == CacheTrace || c->Level < 1 ||
        c->Level > TN_CACHES || level[c->Level - 1].nbytes)
      continue;
    tiny_memory_level *m = &level[c->Level - 1];
    m->nbytes = c->Size; m->line = c->LineSize;
    m->ways = c->Associativity == CACHE_FULLY_ASSOCIATIVE ? 0 : c->Associativity;
  }
  tn_caches_check(level);
#endif
}
#endif
