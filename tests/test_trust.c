// also: tsan
// What a host may trust: whose files are executed, what keys them, how long a compiler may take, which one is used.
// Cases that need another user want root; where they are left out a line says so.
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif                                     // for the test: setenv, mkdtemp, setresuid
#ifndef TN_CACHE_NBYTES
  #define TN_CACHE_NBYTES ((uint64_t)1 << 20)
#endif
#include "../src/all.c"
#include "test.h"
#include "folder_test.h"
#include <sys/resource.h>

static char root[64];                      // a folder of this test's own
static const char *const nobody_else = "left out, as it takes root";
enum { NOBODY = 65534 };

static const char *in_root(const char *name) {
  static char path[4][256];
  static int turn;
  char *to = path[turn++ % 4];
  snprintf(to, sizeof path[0], "%s/%s", root, name);
  return to;
}

static void store(const char *path, const char *text, int mode) {
  FILE *out = fopen(path, "wb");
  CHECK(out && fwrite(text, 1, strlen(text), out) == strlen(text));
  if (out) fclose(out);
  CHECK(chmod(path, (mode_t)mode) == 0);
}

typedef struct said { char text[4096]; int lines; } said;
static void hear(void *user, const char *line) {
  said *s = (said *)user;
  const size_t at = strlen(s->text);
  snprintf(s->text + at, sizeof s->text - at, "%s\n", line);
  s->lines++;
}

typedef struct result { tiny_code code; int right; tiny_stats stats; char message[1024]; said log; } result;

// Sums (x + 1)^2 over n elements, in a context of its own.
static result compute(const tiny_desc *like, int n) {
  float x[1000];
  tiny_desc d = *like;
  static result r;
  memset(&r, 0, sizeof r);
  if (!d.device) d.device = "CPU";
  d.threads = 1; d.log.fn = hear; d.log.user = &r.log;
  double want = 0;
  for (int i = 0; i < n; i++) { x[i] = (float)(i % 7); want += ((double)x[i] + 1) * ((double)x[i] + 1); }
  tiny_ctx *t = tiny_open(&d);
  tiny_tensor *y = tiny_from(t, x, TINY_F32, TINY_SHAPE(n));
  y = tiny_square(tiny_add(y, tiny_like(y, 1)));
  r.right = tiny_item(tiny_sum(y, TINY_ALL, 0)) == want;
  r.code = tiny_status(t);
  r.stats = tiny_stats_of(t);
  snprintf(r.message, sizeof r.message, "%s", tiny_error(t));
  tiny_close(t);
  return r;
}
static result with_cache(const char *dir) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.cache_dir = dir;
  return compute(&d, 1000);
}
static result without_cache(void) { return with_cache(""); }

// ** whose files are executed **

static int each_file(const char *dir, uid_t owner, mode_t mode) {
  char path[600];
  int n = 0;
  DIR *d = opendir(dir);
  for (struct dirent *e; d && (e = readdir(d));) if (e->d_name[0] != '.') {
    snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
    if (owner != (uid_t)-1) n += chown(path, owner, owner) == 0;
    else n += chmod(path, mode) == 0;
  }
  if (d) closedir(d);
  return n;
}

static void refused(const char *dir, const char *what, const char *word) {
  const result r = with_cache(dir);
  CHECK(r.right && r.code == TINY_OK);
  CHECK_EQ(r.stats.cache_hits, 0);         // compiled, not taken from there
  CHECK_EQ(r.stats.compiled, 1);
  CHECK_EQ(r.log.lines, 1);                // once a context
  const int named = strstr(r.log.text, dir) && strstr(r.log.text, word);
  CHECK(named);
  if (!named) fprintf(stderr, "    %s: %s\n", what, r.log.text);
}
static void accepted(const char *dir) {
  const result r = with_cache(dir);
  CHECK(r.right);
  CHECK_EQ(r.stats.cache_hits, 1);
  CHECK_EQ(r.log.lines, 0);
}

static void test_owner_and_mode(void) {
  const char *dir = in_root("own");
  CHECK(with_cache(dir).right);
  accepted(dir);
  CHECK(chmod(dir, 0777) == 0);
  refused(dir, "a folder that all may write", "may be written by others");
  CHECK(chmod(dir, 0770) == 0);
  refused(dir, "a folder that its group may write", "may be written by others");
  CHECK(chmod(dir, 0755) == 0);            // others may read
  accepted(dir);
  CHECK(each_file(dir, (uid_t)-1, 0666) >= 3);
  refused(dir, "files that all may write", "may be written by others");
  CHECK(each_file(dir, (uid_t)-1, 0620) >= 3);
  refused(dir, "files that their group may write", "may be written by others");
  each_file(dir, (uid_t)-1, 0600);
  accepted(dir);
  if (geteuid()) { printf("test_owner_and_mode: another user's files: %s\n", nobody_else); return; }
  CHECK(each_file(dir, NOBODY, 0) >= 3);
  refused(dir, "files of another user", "belongs to another user");
  each_file(dir, 0, 0);
  accepted(dir);
  CHECK(chown(dir, NOBODY, NOBODY) == 0);
  refused(dir, "a folder of another user", "belongs to another user");
  CHECK(chown(dir, 0, 0) == 0);
  accepted(dir);
}

// A folder that cannot be used is said under the letters of progress and totals.
static void test_said_under_a_letter(void) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  store(in_root("no_folder"), "x", 0600);
  d.cache_dir = in_root("no_folder/below");
  char dir[256];
  snprintf(dir, sizeof dir, "%s", d.cache_dir);
  d.cache_dir = dir; d.debug = "p";
  const result r = compute(&d, 1000);
  CHECK(r.right && strstr(r.log.text, dir) && strstr(r.log.text, "cannot be used"));
  d.debug = "";
  CHECK_EQ(compute(&d, 1000).log.lines, 0);
}

// Runs scene in a child process and gives back its exit code.
static int in_child(int (*scene)(void)) {
  int status = -1;
  fflush(stdout); fflush(stderr);
  const pid_t child = fork();
  if (!child) _exit(scene());
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// A compiler that leaves a file where it was asked to work.
static const char *evil(const char *name) {
  char text[600];
  snprintf(text, sizeof text, "#!/bin/sh\ntouch %s/evil_ran; chmod 666 %s/evil_ran\nexit 1\n", root, root);
  store(in_root(name), text, 0755);
  return in_root(name);
}
static int evil_ran(void) {
  const int there = access(in_root("evil_ran"), F_OK) == 0;
  remove(in_root("evil_ran"));
  return there;
}

static int raised_scene(void) {            // who runs this is nobody, and root when it wants
  if (setresuid(NOBODY, 0, 0)) return 9;
  setenv("TINY_CC", evil("evil"), 1);
  setenv("TINY_CACHE", in_root("raised"), 1);
  setenv("TINY_DEBUG", "p", 1);
  const result r = with_cache(NULL);
  setenv("PATH", in_root("evil_bin"), 1);
  setenv("TINY_CC", "outside", 1);
  const result s = with_cache(in_root("raised"));            // named by the program: not even that
  return !r.right || !s.right ? 1 : r.log.lines ? 2 : evil_ran() ? 3 : access(in_root("raised"), F_OK) == 0 ? 4 : 0;
}
static void test_raised(void) {
  if (geteuid()) { printf("test_raised: %s\n", nobody_else); return; }
  CHECK(mkdir(in_root("evil_bin"), 0755) == 0);
  evil("evil_bin/clang"); evil("evil_bin/gcc"); evil("evil_bin/cc"); evil("evil_bin/as");
  CHECK_EQ(in_child(raised_scene), 0);
}

// The same by a file that anybody may start and that runs as root: this program's own copy.
static int setuid_scene(void) {
  static const char *const argv[] = { "test_trust", "setuid", NULL };
  setenv("TINY_CC", evil("evil"), 1);
  setenv("TINY_CACHE", in_root("raised"), 1);
  if (setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY)) return 9;
  execv(in_root("setuid"), (char *const *)(uintptr_t)argv);
  return 9;
}
static void test_setuid(void) {
  char command[600];
  if (geteuid()) { printf("test_setuid: %s\n", nobody_else); return; }
  snprintf(command, sizeof command, "cp /proc/self/exe /dev/null; cp /proc/%d/exe %s && chmod 4755 %s", (int)getpid(),
           in_root("setuid"), in_root("setuid"));
  CHECK_EQ(system(command), 0);
  CHECK(chmod(root, 0755) == 0);
  const int code = in_child(setuid_scene);
  if (code == 77) printf("test_setuid: left out, as %s is on a file system without setuid\n", root);
  else CHECK_EQ(code, 0);
  CHECK(!evil_ran());
  CHECK(access(in_root("raised"), F_OK) != 0);
}
static int as_setuid(void) {               // in the copy
  if (geteuid()) return 77;
  return !without_cache().right;
}

// A PATH with `.`, an empty or a relative folder: no compiler is found there, nor does one find its parts there.
static int path_scene(void) {
  if (chdir(in_root("here"))) return 9;
  char path[4096];
  snprintf(path, sizeof path, ".:here:%s:", getenv("PATH"));
  setenv("PATH", path, 1);
  result r = without_cache();
  if (!r.right || r.stats.compiled != 1) return 1;
  char gcc[TN_OS_PATH];
  if (tn_os_find_program("gcc", 0, gcc, sizeof gcc)) {       // runs an assembler
    setenv("TINY_CC", gcc, 1);
    r = without_cache();
    if (!r.right || r.stats.compiled != 1) return 2;
    setenv("TINY_CC", "outside", 1);
  }
  setenv("PATH", ".:here:", 1);
  r = without_cache();
  return r.right && !r.stats.compiled ? 0 : 3;
}
static void test_relative_path(void) {
  static const char *const names[] = {"clang", "gcc", "cc", "as", "here/clang", "here/as"};
  char name[64];
  CHECK(mkdir(in_root("here"), 0755) == 0 && mkdir(in_root("here/here"), 0755) == 0);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    snprintf(name, sizeof name, "here/%s", names[i]);
    evil(name);
  }
  CHECK_EQ(in_child(path_scene), 0);
  CHECK(!evil_ran());
}

// ** keys **

static uint64_t unshift(uint64_t x, int n) {           // x of x ^ x >> n
  uint64_t y = x;
  for (int i = 0; i < 64; i += n) y = x ^ y >> n;
  return y;
}
// The v for which tn_hash_mix(h, v) is want.
static uint64_t unmix(uint64_t h, uint64_t want) {
  uint64_t a = 0xBF58476D1CE4E5B9ull, b = 0x94D049BB133111EBull, ia = a, ib = b;
  for (int i = 0; i < 6; i++) { ia *= 2 - a * ia; ib *= 2 - b * ib; }      // inverses, by Newton
  return unshift(unshift(unshift(want, 31) * ib, 27) * ia, 30) - h - 0x9E3779B97F4A7C15ull;
}

static int fits_comment(uint64_t v) {
  unsigned char c[8];
  memcpy(c, &v, 8);
  for (int i = 0; i < 8; i++) if (!c[i] || c[i] == '\n' || c[i] == '\r' || c[i] == '\\' || c[i] == '?') return 0;
  return 1;
}

// Two sources with one 64-bit hash, whatever came before them: eight bytes of a comment make up for the difference.
static void test_colliding_sources(void) {
  static const char *const body[2] = {
    "void number(void *const *mem, const long long *args, long long task) { ((int *)mem[0])[task] = 11; } //",
    "void number(void *const *mem, const long long *args, long long task) { ((int *)mem[0])[task] = 22; } //" };
  char text[2][256];
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "CPU"; d.cache_dir = in_root("collide"); d.threads = 1;
  uint64_t from = 1;
  const int64_t ones[3] = {1, 1, 1};
  const int64_t four[3] = {4, 1, 1};
  from = tn_hash_bytes(tn_hash_bytes(1, four, sizeof four), ones, sizeof ones);      // as the key began at that commit
  size_t n = strlen(body[0]);
  n = (n + 7) / 8 * 8;
  int found = 0;
  for (uint64_t salt = 0; salt < 2000 && !found; salt++) {
    uint64_t h[2];
    for (int i = 0; i < 2; i++) {
      memset(text[i], ' ', sizeof text[i]);
      memcpy(text[i], body[i], strlen(body[i]));
      char digits[24];
      snprintf(digits, sizeof digits, "%08llu", (unsigned long long)salt);
      memcpy(text[i] + n, digits, 8);
      h[i] = from;
      for (size_t at = 0; at < n + 8; at += 8) { uint64_t v; memcpy(&v, text[i] + at, 8); h[i] = tn_hash_mix(h[i], v); }
      text[i][n + 16] = 0;
    }
    uint64_t v0 = 0x2020202020202020ull;
    const uint64_t v1 = unmix(h[1], tn_hash_mix(h[0], v0));
    memcpy(text[0] + n + 8, &v0, 8);
    memcpy(text[1] + n + 8, &v1, 8);
    found = fits_comment(v1);
  }
  CHECK(found);
  CHECK_EQ(tn_hash_bytes(from, text[0], n + 16), tn_hash_bytes(from, text[1], n + 16));
  for (int context = 0; context < 2; context++) {            // in memory, then from disk
    tiny_ctx *t = tiny_open(&d);
    for (int i = 0; i < 2; i++) {
      tiny_kernel_desc k;
      memset(&k, 0, sizeof k);
      k.name = "number"; k.source = text[i]; k.shape = TINY_SHAPE(4); k.dtype = TINY_I32; k.global[0] = 4;
      CHECK_EQ(tiny_item(tiny_amax(tiny_kernel(t, &k), TINY_ALL, 0)), i ? 22 : 11);
    }
    CHECK_EQ(tiny_status(t), TINY_OK);
    tiny_close(t);
  }
}

// Two graphs of one kernel, found by solving for a constant: %1 * a + b and %1 * c + d hash alike.
static void test_colliding_graphs(const char *device) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = device; d.cache_dir = ""; d.threads = 1;
  tiny_ctx *t = tiny_open(&d);
  const int64_t in[4] = {1, 2, 3, 4};
  tiny_tensor *x = tiny_from(t, in, TINY_I64, TINY_SHAPE(4));
  static const char *const format = "%%1 = (RANGE:1:loop 4)\n%%2 = (ADD:i64 (MUL:i64 (LOAD:i64 (INDEX:i64 (PARAM:i64:1 4) %%1)) %lld:i64) %lld:i64)\n"
    "(SINK (END (STORE (INDEX:i64 (PARAM:i64:0 4) %%1) %%2) %%1))";
  char text[512];
  snprintf(text, sizeof text, format, 3ll, 5ll);
  tiny_uop *one = tiny_uop_parse(t, text), *sum = one ? one->src[0]->src[0]->src[1] : NULL;
  CHECK(sum && sum->op == TINY_OP_ADD && tn_is_const(sum->src[1]));
  if (!sum) { tiny_close(t); return; }
  snprintf(text, sizeof text, format, 4ll, 5ll);
  const tiny_uop *other = tiny_uop_parse(t, text)->src[0]->src[0]->src[1];
  // hash of a node: its head, the number of its sources, k, then its sources
  const uint64_t add = tn_hash_mix(tn_hash_mix((uint64_t)sum->op << 32 | (uint64_t)sum->dtype << 16 | 1, 2), (uint64_t)sum->k);
  const uint64_t wanted = unmix(tn_hash_mix(add, other->src[0]->hash), sum->hash);      // of the other's second constant
  const uint64_t head = tn_hash_mix((uint64_t)TINY_OP_CONST << 32 | (uint64_t)TINY_I64 << 16 | 1, 0);
  const int64_t c = (int64_t)unmix(head, wanted);
  snprintf(text, sizeof text, format, 4ll, (long long)c);
  tiny_uop *two = tiny_uop_parse(t, text);
  CHECK(two && two != one && two->hash == one->hash);
  for (int i = 0; i < 2; i++) {
    tiny_kernel_desc k;
    int64_t got[4] = {0, 0, 0, 0};
    memset(&k, 0, sizeof k);
    k.inputs = &x; k.n = 1; k.shape = TINY_SHAPE(4); k.dtype = TINY_I64; k.uops = i ? two : one;
    CHECK_EQ(tiny_read(tiny_kernel(t, &k), got, sizeof got), TINY_OK);
    for (int j = 0; j < 4; j++)
      CHECK_EQ(got[j], i ? (int64_t)((uint64_t)in[j] * 4 + (uint64_t)c) : in[j] * 3 + 5);
  }
  CHECK_EQ(tiny_status(t), TINY_OK);
  tiny_close(t);
}

// What stands before kernels in a module is part of what they are.
static void test_prelude_in_key(void) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "CPU"; d.cache_dir = "";
  tiny_ctx *t = tiny_open(&d);
  static const char *const own[] = {"#define nothing 1", NULL};
  struct tn_device *dev = t->device[0];
  const tn_digest before = tn_text_key(t->device[0]->programs, "kernel", "text"), other = tn_text_key(t->device[0]->programs, "kernel", "Text");
  CHECK(!tn_digest_same(&before, &other));
  const tn_digest again = tn_text_key(t->device[0]->programs, "kernel", "text");
  CHECK(tn_digest_same(&before, &again));
  const char *const *prelude = dev->renderer.language.prelude, *lanes = dev->renderer.language.lanes;
  dev->renderer.language.prelude = own; t->device[0]->programs->based = 0;
  const tn_digest prelude_key = tn_text_key(t->device[0]->programs, "kernel", "text");
  CHECK(!tn_digest_same(&before, &prelude_key));
  dev->renderer.language.prelude = prelude; dev->renderer.language.lanes = "// %l"; t->device[0]->programs->based = 0;
  const tn_digest lanes_key = tn_text_key(t->device[0]->programs, "kernel", "text");
  CHECK(!tn_digest_same(&before, &lanes_key));
  dev->renderer.language.lanes = lanes; t->device[0]->programs->based = 0;
  tn_cpu *c = (tn_cpu *)dev->dev;
  tn_cpu_describe(c, "another answer");
  const tn_digest answer_key = tn_text_key(t->device[0]->programs, "kernel", "text");
  CHECK(!tn_digest_same(&before, &answer_key));
  tiny_close(t);
}

static void test_digest(void) {            // of the vectors of RFC 7693 and of hashlib.blake2s
  static const struct { int n; const char *hex; } row[] = {
    {0, "69217a3079908094e11121d042354a7c1f55b6482ca1a51e1b250dfd1ed0eef9"},
    {128, "9462ab46c9c7779556af81a31d87fe184e631d5e4836bbda5998669d86a6544b"},
    {1000, "864cc6649876b99e9f3f8519efaeb794ad1808c9af52b996583fb5a54c74a46d"} };
  unsigned char data[1000];
  char hex[TN_DIGEST_TEXT];
  for (int i = 0; i < 1000; i++) data[i] = (unsigned char)(i * 7);
  for (int i = 0; i < 3; i++) for (int step = 1; step < 140; step += 13) {
    tn_digester d = tn_digest_open();
    for (int at = 0; at < row[i].n; at += step) tn_digest_add(&d, data + at, (size_t)(row[i].n - at < step ? row[i].n - at : step));
    const tn_digest all = tn_digest_close(&d);
    CHECK_STR(tn_digest_print(&all, hex), row[i].hex);
  }
  tn_digester d = tn_digest_open();
  tn_digest_add(&d, "abc", 3);
  const tn_digest abc = tn_digest_close(&d);
  CHECK_STR(tn_digest_print(&abc, hex), "508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982");
}

// ** the disk cache is bounded, and its writer survives limits **

static uint64_t folder_nbytes(const char *dir, int *n) {
  static tn_os_entry all[2000];
  uint64_t nbytes = 0;
  *n = tn_os_list(dir, all, 2000);
  for (int i = 0; i < *n && i < 2000; i++) nbytes += tn_cache_takes(&all[i]);
  return nbytes;
}

static int fill_scene(void) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "CPU"; d.cache_dir = in_root("bounded"); d.threads = 1;
  tiny_ctx *t = tiny_open(&d);
  static char big[20000];
  for (int i = 0; i < 120; i++) {          // 2.4 MB, where 1 MB may be
    char text[64];
    snprintf(text, sizeof text, "%d of %d", i, (int)getpid());
    const tn_digest key = tn_text_key(t->device[0]->programs, "module", text);
    tn_cache_write(t->cache, &key, "bin", big, sizeof big);
    tn_scratch_reset(t, 0);
  }
  const int kept = t->cache->dir[0] != 0;
  tiny_close(t);
  return !kept;
}
static void test_bounded(void) {
  char dir[256];
  snprintf(dir, sizeof dir, "%s", in_root("bounded"));
  CHECK(mkdir(dir, 0700) == 0);
  CHECK(with_cache(dir).right);
  char old[400], stale[400], foreign[400];
  snprintf(old, sizeof old, "%s/0123456789abcdef.bin", dir);             // of an earlier version, and the oldest
  snprintf(stale, sizeof stale, "%s/0123456789abcdef.bin.1-2-3", dir);
  snprintf(foreign, sizeof foreign, "%s/letter.txt", dir);
  store(old, "x", 0600); store(stale, "x", 0600); store(foreign, "x", 0600);
  const struct timespec long_ago[2] = {{1000, 0}, {1000, 0}};
  utimensat(AT_FDCWD, old, long_ago, 0); utimensat(AT_FDCWD, stale, long_ago, 0); utimensat(AT_FDCWD, foreign, long_ago, 0);
  pid_t child[4];
  fflush(stdout); fflush(stderr);
  for (int i = 0; i < 4; i++) if (!(child[i] = fork())) _exit(fill_scene());
  for (int i = 0; i < 4; i++) {
    int status = -1;
    waitpid(child[i], &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  int n;
  const uint64_t nbytes = folder_nbytes(dir, &n);
  CHECK(nbytes > TN_CACHE_NBYTES / 4 && nbytes <= TN_CACHE_NBYTES + 4 * (TN_CACHE_NBYTES / TN_CACHE_LOOK + 65536));
  CHECK(access(old, F_OK) && access(stale, F_OK) && !access(foreign, F_OK));
  CHECK(with_cache(dir).right);
}

static int limited_scene(void) {           // files of this process may have 4 KiB; no handler, no mask
  const struct rlimit small = {4096, 4096};
  if (setrlimit(RLIMIT_FSIZE, &small)) return 9;
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "CPU"; d.cache_dir = in_root("limited"); d.threads = 1;
  tiny_ctx *t = tiny_open(&d);
  static char big[20000];
  const tn_digest key = tn_text_key(t->device[0]->programs, "module", "x");
  tn_cache_write(t->cache, &key, "bin", big, sizeof big);
  tn_scratch_reset(t, 0);
  const int gave_up = !t->cache->dir[0];
  tiny_tensor *x = tiny_ones(t, TINY_F32, TINY_SHAPE(100, 100));
  const tiny_code code = tiny_save_npy(x, in_root("big.npy"));
  tiny_close(t);
  sigset_t mask, waits;
  pthread_sigmask(SIG_SETMASK, NULL, &mask);
  sigpending(&waits);
  if (sigismember(&mask, SIGXFSZ) || sigismember(&waits, SIGXFSZ)) return 3;
  return !gave_up ? 1 : code != TINY_E_IO ? 2 : 0;
}
static int blocked_scene(void) {           // the host's own pending signal stays
  sigset_t xfsz, waits;
  sigemptyset(&xfsz); sigaddset(&xfsz, SIGXFSZ);
  pthread_sigmask(SIG_BLOCK, &xfsz, NULL);
  raise(SIGXFSZ);
  const int code = limited_scene();
  sigpending(&waits);
  return code == 3 && sigismember(&waits, SIGXFSZ) ? 0 : 4;
}
static void test_file_limit(void) {
  CHECK_EQ(in_child(limited_scene), 0);
  CHECK_EQ(in_child(blocked_scene), 0);
}

// ** the compiler as a process **

static double seconds_of(result (*fn)(void), result *out) {
  const uint64_t from = tn_os_now();
  *out = fn();
  return (double)(tn_os_now() - from) * 1e-9;
}

// A compiler that says what clang says, and then does something else. %s: its text.
static const char *odd_compiler(const char *name, const char *text) {
  char all[TN_OS_PATH + 2048];
  static char clang[TN_OS_PATH];           // found when PATH is as it was
  if (!clang[0] && !tn_os_find_program("clang", 0, clang, sizeof clang)) return NULL;
  snprintf(all, sizeof all, "#!/bin/sh\ncase \"$*\" in *-dM*) exec %s \"$@\";; esac\n%s\n", clang, text);
  store(in_root(name), all, 0755);
  return in_root(name);
}

static int no_sleeper_left(const char *mark) {
  char command[128];
  snprintf(command, sizeof command, "pgrep -f '[s]leep %s' >/dev/null", mark);
  for (int i = 0; i < 50; i++) { if (system(command)) return 1; tn_os_sleep_us(20000); }
  return 0;
}

static void test_bounded_compiler(void) {
  tiny_desc d;
  result r;
  memset(&d, 0, sizeof d);
  d.cache_dir = "";
  if (!odd_compiler("hangs", "echo first words >&2; sleep 7771 & sleep 7771")) { printf("test_bounded_compiler: left out, there is no clang\n"); return; }
  setenv("TINY_CC", in_root("hangs"), 1);
  d.compiler_seconds = 1;
  uint64_t from = tn_os_now();
  r = compute(&d, 1000);
  CHECK((double)(tn_os_now() - from) < 20e9);
  CHECK_EQ(r.code, TINY_E_COMPILE);
  CHECK(strstr(r.message, "was ended after 1 s") && strstr(r.message, "first words"));
  CHECK(no_sleeper_left("7771"));
  d.compiler_seconds = 0;
  setenv("TINY_CC_SECONDS", "1", 1);
  r = compute(&d, 1000);
  CHECK(r.code == TINY_E_COMPILE && strstr(r.message, "was ended after 1 s"));
  unsetenv("TINY_CC_SECONDS");
  // It closes its outputs and stays.
  odd_compiler("stays", "exec 0<&- 1>&- 2>&-; sleep 7773");
  setenv("TINY_CC", in_root("stays"), 1);
  d.compiler_seconds = 1;
  r = compute(&d, 1000);
  CHECK(r.code == TINY_E_COMPILE && strstr(r.message, "was ended after 1 s"));
  CHECK(no_sleeper_left("7773"));
  // It does its work, and leaves somebody behind who holds its outputs.
  odd_compiler("leaves", "sleep 7772 & exec clang \"$@\"");
  setenv("TINY_CC", in_root("leaves"), 1);
  const double took = seconds_of(without_cache, &r);
  CHECK(r.right && r.stats.compiled == 1);
  CHECK(took < 60);
  CHECK(no_sleeper_left("7772"));
  // Floods.
  odd_compiler("floods", "cat >/dev/null; exec cat /dev/zero");
  setenv("TINY_CC", in_root("floods"), 1);
  r = without_cache();
  CHECK(r.code == TINY_E_COMPILE && strstr(r.message, "was ended: it wrote more than"));
  odd_compiler("complains", "cat >/dev/null; echo the first line >&2; yes it goes on >&2");
  setenv("TINY_CC", in_root("complains"), 1);
  r = without_cache();
  CHECK(r.code == TINY_E_COMPILE && strstr(r.message, "it wrote more than") && strstr(r.message, "the first line"));
  setenv("TINY_CC", "outside", 1);
}

static void expect_interpreted(const char *cc, const char *words) {
  if (cc) setenv("TINY_CC", cc, 1);
  const result r = without_cache();
  setenv("TINY_CC", "outside", 1);
  const int named = strstr(r.log.text, words) != NULL;
  CHECK(r.right && r.code == TINY_OK && !r.stats.compiled);
  CHECK_EQ(r.log.lines, 1);
  CHECK(named);
  if (!named) fprintf(stderr, "    %s: %s\n", words, r.log.text);
}

static int no_process_scene(void) {        // as another user, who may start no more processes
  const struct rlimit none = {0, 0};
  if (setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY) || setrlimit(RLIMIT_NPROC, &none)) return 9;
  const result r = without_cache();
  return r.right && r.code == TINY_OK && !r.stats.compiled && r.log.lines == 1 ? 0 : 1;
}
static int few_bytes_scene(void) {         // the compiler cannot even be loaded
  const struct rlimit little = {80 << 20, 80 << 20};
  char clang[TN_OS_PATH];
  if (!tn_os_find_program("clang", 0, clang, sizeof clang)) return 0;
  if (mkdir(in_root("only"), 0755) || symlink(clang, in_root("only/clang"))) return 9;
  setenv("PATH", in_root("only"), 1);
  if (setrlimit(RLIMIT_AS, &little)) return 9;
  const result r = without_cache();
  return r.right && r.code == TINY_OK && !r.stats.compiled && r.log.lines == 1 ? 0 : 1;
}
static int sanitized(void) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return 1;
#elif defined(__has_feature)
  #if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  return 1;
  #endif
#endif
  return 0;
}

static void test_cannot_run(void) {
  expect_interpreted("no-such-compiler", "TINY_CC names 'no-such-compiler', which is no program");
  store(in_root("data"), "\177this is no program", 0755);
  expect_interpreted(in_root("data"), "TINY_CC: ");
  if (geteuid()) printf("test_cannot_run: no process may be started: %s\n", nobody_else);
  else CHECK_EQ(in_child(no_process_scene), 0);
  if (sanitized()) printf("test_cannot_run: no memory for a compiler: left out, as sanitizers need more themselves\n");
  else CHECK_EQ(in_child(few_bytes_scene), 0);
}

// A spawn that fails for a while is tried again: the limit goes while the library waits.
static void *lift(void *arg) {
  (void)arg;
  tn_os_sleep_us(60000);
  struct rlimit many;
  getrlimit(RLIMIT_NPROC, &many);
  many.rlim_cur = many.rlim_max;
  setrlimit(RLIMIT_NPROC, &many);
  return NULL;
}
static int crowded_scene(void) {
  pthread_t thread;
  if (setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY)) return 9;
  if (pthread_create(&thread, NULL, lift, NULL)) return 9;
  struct rlimit none;
  getrlimit(RLIMIT_NPROC, &none);
  none.rlim_cur = 0;
  if (setrlimit(RLIMIT_NPROC, &none)) return 9;
  const result r = without_cache();
  pthread_join(thread, NULL);
  return r.right && r.stats.compiled == 1 ? 0 : 1;
}
static void test_crowded(void) {
  if (geteuid()) { printf("test_crowded: %s\n", nobody_else); return; }
  CHECK(chmod(root, 0755) == 0);
  CHECK_EQ(in_child(crowded_scene), 0);
}

// The same for descriptors: all are in use, until the host closes some.
static int spare[1024], nspare;
static void *close_some(void *arg) {
  (void)arg;
  tn_os_sleep_us(60000);
  for (int i = 0; i < nspare; i++) close(spare[i]);
  return NULL;
}
static int used_up_scene(void) {
  pthread_t thread;
  const struct rlimit few = {64, 64};
  if (setrlimit(RLIMIT_NOFILE, &few)) return 9;
  while (nspare < 1024 && (spare[nspare] = dup(0)) >= 0) nspare++;
  if (pthread_create(&thread, NULL, close_some, NULL)) return 9;
  const result r = without_cache();
  pthread_join(thread, NULL);
  return r.right && r.stats.compiled == 1 ? 0 : 1;
}
static void test_used_up(void) { CHECK_EQ(in_child(used_up_scene), 0); }

// A compiler ends with its host, and so does what it has started, however the host ends.
static int killed_scene(void) {
  setenv("TINY_CC", in_root("lasts"), 1);
  return with_cache("").right;
}
static void test_killed(void) {
#ifdef __linux__
  char mark[32], text[256], look[128];
  int status, seen = 0;
  snprintf(mark, sizeof mark, "7774.%d", (int)getpid());   // of this run alone
  snprintf(text, sizeof text, "cat >/dev/null; trap '' TERM HUP INT IO; sleep %s & sleep %s", mark, mark);
  snprintf(look, sizeof look, "pgrep -f '[s]leep %s' >/dev/null", mark);
  if (!odd_compiler("lasts", text)) return;
  fflush(stdout); fflush(stderr);
  const pid_t host = fork();
  if (!host) _exit(killed_scene());
  for (int i = 0; i < 500 && !seen; i++) { tn_os_sleep_us(20000); seen = !system(look); }
  CHECK(seen);
  kill(host, SIGKILL);
  waitpid(host, &status, 0);
  CHECK(no_sleeper_left(mark));
#endif
}

// A name that stands for another compiler than when it was last asked.
static void test_other_compiler_behind_a_name(void) {
  char gcc[TN_OS_PATH], clang[TN_OS_PATH], dir[256], text[600];
  if (!tn_os_find_program("gcc", 0, gcc, sizeof gcc) || !tn_os_find_program("clang", 0, clang, sizeof clang)) {
    printf("test_other_compiler_behind_a_name: left out, it takes gcc and clang\n");
    return;
  }
  snprintf(dir, sizeof dir, "%s", in_root("behind"));
  snprintf(text, sizeof text, "#!/bin/sh\nexec %s \"$@\"\n", in_root("real"));
  store(in_root("front"), text, 0755);
  setenv("TINY_CC", in_root("front"), 1);
  for (int i = 0; i < 4; i++) {
    remove(in_root("real"));
    CHECK(symlink(i % 2 ? gcc : clang, in_root("real")) == 0);
    tiny_desc d;
    memset(&d, 0, sizeof d);
    d.cache_dir = dir;
    const result r = compute(&d, 900 + i);                   // no kernel of before
    CHECK(r.right && r.code == TINY_OK && r.stats.compiled == 1 && !r.log.lines);
    if (!r.right) fprintf(stderr, "    %s\n", r.message);
  }
  setenv("TINY_CC", "outside", 1);
}

// A path that is too long names no folder, least of all the one that it begins with.
static void test_long_path(void) {
  static char dir[2 * TN_OS_PATH];
  size_t n = (size_t)snprintf(dir, sizeof dir, "%s/", in_root("long"));
  for (; n < sizeof dir - 1; n++) dir[n] = n % 100 ? 'x' : '/';
  CHECK(with_cache(dir).right);
  CHECK(access(in_root("long"), F_OK) != 0);
}

// What edits the compiler's arguments from the environment does not reach it.
static void test_edited_arguments(void) {
  char clang[TN_OS_PATH];
  if (!tn_os_find_program("clang", 0, clang, sizeof clang)) return;
  setenv("TINY_CC", clang, 1);
  setenv("CCC_OVERRIDE_OPTIONS", "+-Dfloat=double", 1);
  const result r = without_cache();
  CHECK(r.right && r.stats.compiled == 1);
  unsetenv("CCC_OVERRIDE_OPTIONS");
  setenv("TINY_CC", "outside", 1);
}

// Folders that the library makes are this user's to enter and nobody else's, whatever the umask.
static int masked_scene(void) {
  char gcc[TN_OS_PATH], dir[256];
  if (!geteuid() && (setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY))) return 9;
  snprintf(dir, sizeof dir, "%s", in_root("masked/cache"));
  umask(0777);
  struct stat s;
  result r = with_cache(dir);
  if (!r.right || stat(dir, &s) || (s.st_mode & 0777) != 0700) return 1;
  if (!tn_os_find_program("gcc", 0, gcc, sizeof gcc)) return 0;
  setenv("TINY_CC", gcc, 1);
  umask(022);                              // gcc itself cannot do without
  setenv("TMPDIR", in_root("no_such_folder"), 1);            // then in the system's own
  r = without_cache();
  return r.right && r.stats.compiled == 1 ? 0 : 2;
}
static void test_masked(void) {
  CHECK(mkdir(in_root("masked"), 0777) == 0 && chmod(in_root("masked"), 0777) == 0 && chmod(root, 0755) == 0);
  CHECK_EQ(in_child(masked_scene), 0);
}

// What a compiler is it says itself, whatever its name and its folder.
static void test_kind(void) {
  char real[TN_OS_PATH], path[600], command[TN_OS_PATH + 700];
  result r;
  if (!tn_os_find_program("gcc", 0, real, sizeof real)) printf("test_kind: gcc: left out, there is none\n");
  else {
    CHECK(mkdir(in_root("clangdir"), 0755) == 0);
    snprintf(path, sizeof path, "%s", in_root("clangdir/gcc-clang"));
    snprintf(command, sizeof command, "#!/bin/sh\nexec %s \"$@\"\n", real);
    store(path, command, 0755);
    setenv("TINY_CC", path, 1);
    r = without_cache();
    CHECK(r.right && r.code == TINY_OK && r.stats.compiled == 1);
    if (!r.right) fprintf(stderr, "    %s\n", r.message);
  }
  if (!tn_os_find_program("clang", 0, real, sizeof real)) printf("test_kind: clang: left out, there is none\n");
  else {
    snprintf(path, sizeof path, "%s", in_root("gnu"));
    snprintf(command, sizeof command, "#!/bin/sh\nexec %s \"$@\"\n", real);
    store(path, command, 0755);
    setenv("TINY_CC", path, 1);
    r = without_cache();
    CHECK(r.right && r.code == TINY_OK && r.stats.compiled == 1);
  }
  setenv("TINY_CC", "outside", 1);
}

// Compilers that come first and are broken: one that does not start, one that says nothing, one that says it is clang
// and then compiles nothing, or writes what is no object. A good one behind them is used.
static void test_broken_first(void) {
  static const char *const broken[] = {"exit 1", "echo 'no such library' >&2; exit 127", "kill -9 $$", "exit 0",
                                       "cat >/dev/null; head -c 5000 /dev/zero"};
  char path[8192], text[600], *const before = strdup(getenv("PATH"));
  CHECK(mkdir(in_root("bin"), 0755) == 0);
  snprintf(path, sizeof path, "%s:%s", in_root("bin"), before);
  setenv("PATH", path, 1);
  for (size_t i = 0; i < 2 * sizeof broken / sizeof *broken; i++) {
    const char *how = broken[i / 2];
    snprintf(text, sizeof text, "#!/bin/sh\n%s\n", how);
    if (i % 2 == 0) store(in_root("bin/clang"), text, 0755);
    else odd_compiler("bin/clang", how);
    for (int cached = 0; cached < 2; cached++) {
      const result r = with_cache(cached ? in_root("broken") : "");
      CHECK(r.right && r.code == TINY_OK);
      CHECK_EQ(r.stats.compiled + r.stats.cache_hits, 1);
      CHECK_EQ(r.log.lines, 0);
      if (!r.right) fprintf(stderr, "    %s: %s\n", text, r.message);
    }
  }
  remove(in_root("bin/clang"));
  setenv("PATH", in_root("bin"), 1);       // and none behind them
  odd_compiler("bin/clang", "exit 1");
  setenv("PATH", in_root("bin"), 1);
  const result r = without_cache();
  CHECK(r.right && r.code == TINY_OK && !r.stats.compiled && r.log.lines == 1 && strstr(r.log.text, "cannot be used"));
  setenv("PATH", before, 1);
  free(before);
}

// ** files that are no files **

static void test_no_files(void) {
  const struct { const char *path, *words; } row[] = {
    {root, "it is a folder"}, {"/dev/null", "it is a device or a pipe"}, {in_root("pipe"), "it is a device or a pipe"},
    {in_root("none"), "there is no such file"} };
  CHECK(mkfifo(in_root("pipe"), 0600) == 0);
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    tiny_ctx *t = tiny_open(&(tiny_desc){.device = "INTERP", .cache_dir = ""});
    tiny_load_npy(t, row[i].path);
    CHECK_EQ(tiny_status(t), TINY_E_IO);
    CHECK(strstr(tiny_error(t), row[i].words) != NULL);
    tiny_close(t);
  }
  // nor does a file take the place of one
  struct stat before, after;
  tiny_ctx *t = tiny_open(&(tiny_desc){.device = "INTERP", .cache_dir = ""});
  CHECK(!stat(in_root("pipe"), &before));
  CHECK_EQ(tiny_save_npy(tiny_ones(t, TINY_F32, TINY_SHAPE(2)), in_root("pipe")), TINY_E_IO);
  CHECK(strstr(tiny_error(t), "it is a device or a pipe") != NULL);
  CHECK(!stat(in_root("pipe"), &after) && before.st_ino == after.st_ino && before.st_mode == after.st_mode);
  tiny_close(t);
}

int main(int argc, char **argv) {
  if (argc == 2 && !strcmp(argv[1], "setuid")) return as_setuid();
  setenv("TINY_CC", "outside", 1); unsetenv("TINY_CACHE"); unsetenv("TINY_DEV"); unsetenv("TINY_DEBUG"); unsetenv("TINY_CC_SECONDS");
  snprintf(root, sizeof root, "/tmp/tiny-trust-XXXXXX");
  if (!mkdtemp(root)) return 1;
  test_digest();
  test_owner_and_mode();
  test_said_under_a_letter();
  test_raised();
  test_setuid();
  test_relative_path();
  test_colliding_sources();
  test_colliding_graphs("INTERP");
  test_colliding_graphs("CPU");
  test_prelude_in_key();
  test_bounded();
  test_file_limit();
  test_bounded_compiler();
  test_cannot_run();
  test_crowded();
  test_used_up();
  test_killed();
  test_other_compiler_behind_a_name();
  test_long_path();
  test_edited_arguments();
  test_masked();
  test_kind();
  test_broken_first();
  test_no_files();
  remove_tree(root);
  return test_report();
}
