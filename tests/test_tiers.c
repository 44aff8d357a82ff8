// brief: plain asan
// Who compiles kernels (tiny_desc.compiler), and kernels that take long: an outside compiler's code comes behind an
// executable between two runs, whatever that compiler does, and no bit of any result changes.
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif
static double tier_gain;                   // 1e9: the outside compiler's code always stays; 0: never
#define TN_TIER_NS 20000
#define TN_TIER_GAIN tier_gain
#include "../src/all.c"
#include "test.h"
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 48, RUNS_MOST = 60000 };

// ** compilers: scripts of the name clang, on a PATH of their own, that write a line to "asked" each time **

static char folder[256], real_clang[TN_OS_PATH], path_before[4096];
static const char *in_folder(const char *name) {
  static char path[4][600];
  static int at;
  char *out = path[at++ & 3];
  snprintf(out, sizeof path[0], "%s/%s", folder, name);
  return out;
}
static void write_compiler(const char *does) {
  FILE *f = fopen(in_folder("clang"), "w");
  CHECK(f != NULL);
  if (!f) return;
  fprintf(f, "#!/bin/sh\nexport PATH='%s'\necho $$ >> '%s'\n%s\n", path_before, in_folder("asked"), does);
  fclose(f);
  chmod(in_folder("clang"), 0700);
  remove(in_folder("asked"));
  setenv("PATH", folder, 1);
}
static const char *with_clang(const char *before) {
  static char text[2 * TN_OS_PATH];
  snprintf(text, sizeof text, "%s\nexec '%s' \"$@\"", before, real_clang);
  return text;
}
static int times_asked(void) {
  FILE *f = fopen(in_folder("asked"), "r");
  int n = 0, c;
  if (!f) return 0;
  while ((c = fgetc(f)) != EOF) n += c == '\n';
  fclose(f);
  return n;
}

// ** a program, run again and again **

static char heard[1 << 14];
static void hear(void *user, const char *line) {
  (void)user;
  const size_t at = strlen(heard);
  snprintf(heard + at, sizeof heard - at, "%s\n", line);
}
typedef struct job { tiny_ctx *t; tiny_program *p; tiny_tensor *in[2]; float first[N], now[N]; int runs, bad, tiers; } job;
static tiny_ctx *open_with(const char *compiler, const char *cache) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  heard[0] = 0;
  d.device = "CPU"; d.compiler = compiler; d.cache_dir = cache; d.threads = 1; d.seed = 3; d.log.fn = hear;
  return tiny_open(&d);
}
static tiny_tensor *program_of(tiny_tensor *x, tiny_tensor *w) {
  return tiny_sum(tiny_exp(tiny_sub(tiny_mul(tiny_matmul(x, w), w), x)), -1, 0);
}
static void run_once(job *j) {
  tiny_tensor *out;
  tiny_begin(j->t);
  CHECK_EQ(tiny_run(j->p, j->in, &out), TINY_OK);
  CHECK_EQ(tiny_read(out, j->now, sizeof j->now), TINY_OK);
  tiny_end(j->t);
  if (!j->runs++) memcpy(j->first, j->now, sizeof j->now);
  j->bad += memcmp(j->first, j->now, sizeof j->now) != 0;
}
// Executables in a state, of any if it is negative.
static int tiers_in(const tiny_ctx *t, int state) {
  const struct tn_programs *p = t->device[0]->programs;
  int n = 0;
  for (int i = 0; i < TN_EXECUTABLE_BUCKETS; i++) for (const tn_executable *e = p->bucket[i]; e; e = e->next)
    n += e->tier && (state < 0 || e->tier->state == state);
  return n;
}
static void begin(job *j, const char *compiler, const char *cache) {
  memset(j, 0, sizeof *j);
  j->t = open_with(compiler, cache);
  CHECK(j->t != NULL);
  float v[2][N * N];                       // from memory: no kernel runs but the program's, which all run again
  for (int i = 0; i < 2; i++) for (int k = 0; k < N * N; k++) v[i][k] = (float)(k * (7 + 4 * i) % 101) / 404;
  for (int i = 0; i < 2; i++) j->in[i] = tiny_from(j->t, v[i], TINY_F32, TINY_SHAPE(N, N));
  CHECK_EQ(tiny_realize(j->in, 2), TINY_OK);
  tiny_tensor *out = program_of(j->in[0], j->in[1]);
  j->p = tiny_capture(j->t, j->in, 2, &out, 1);
  CHECK(j->p != NULL);
  j->tiers = tiers_in(j->t, -1);
  run_once(j);
}
static void end(job *j) {
  CHECK_EQ(j->bad, 0);
  CHECK_EQ(tiny_status(j->t), TINY_OK);
  tiny_program_free(j->p);
  tiny_close(j->t);
}
// Of all kernels that were hot by then.
static int is_undecided(const job *j) { return tiers_in(j->t, -1) > tiers_in(j->t, TN_TIER_WATCHED); }
static void until_decided(job *j) {
  while (j->runs < RUNS_MOST && tiers_in(j->t, -1) == j->tiers && !is_undecided(j)) run_once(j);
  while (j->runs < RUNS_MOST && is_undecided(j)) {
    run_once(j);
    if (tiers_in(j->t, TN_TIER_COMPILED)) usleep(2000);
  }
  CHECK(j->runs < RUNS_MOST);
}

// ** what may happen **

static void test_stays(void) {
  job j;
  if (!case_named("the outside compiler's code stays")) return;
  tier_gain = 1e9;
  write_compiler(with_clang("sleep 0.2"));
  begin(&j, "both", "");
  CHECK_EQ(times_asked(), 0);              // the first run has built-in code alone
  CHECK_EQ(tiny_stats_of(j.t).interpreted, 0);
  until_decided(&j);
  CHECK(times_asked() > 0);
  CHECK(tiny_stats_of(j.t).recompiled > 0);
  for (int i = 0; i < 20; i++) run_once(&j);
  end(&j);
}
static void test_goes(void) {
  job j;
  if (!case_named("built-in code stays")) return;
  tier_gain = 0;
  write_compiler(with_clang(""));
  begin(&j, "both", "");
  until_decided(&j);
  CHECK(times_asked() > 0);
  CHECK_EQ(tiny_stats_of(j.t).recompiled, 0);
  for (int i = 0; i < 20; i++) run_once(&j);
  end(&j);
}
// A compiler that dies, or says something else than an object, or makes an object of something else.
static void test_fails(void) {
  static char other[2 * TN_OS_PATH];
  snprintf(other, sizeof other, "cat > /dev/null; echo 'void other(void) {}' | '%s' --target=x86_64-none-unknown-elf -w -c "
           "-x c - -o -", real_clang);
  const char *const does[] = {"exit 1", "cat > /dev/null; echo what", "kill -9 $$", other};
  for (int i = 0; i < 4; i++) {
    job j;
    if (!case_named("a compiler that fails, %d", i)) continue;
    tier_gain = 1e9;
    write_compiler(does[i]);
    begin(&j, "both", "");
    until_decided(&j);
    CHECK(times_asked() > 0);
    CHECK_EQ(tiny_stats_of(j.t).recompiled, 0);
    CHECK_EQ(tiers_in(j.t, TN_TIER_COMPILED), 0);
    for (int k = 0; k < 20; k++) run_once(&j);
    CHECK((uint64_t)times_asked() <= tiny_stats_of(j.t).compiled);             // once for each kernel, and never again
    end(&j);
  }
}
static void test_two_contexts(void) {
  job a, b;
  if (!case_named("two contexts")) return;
  tier_gain = 1e9;
  write_compiler(with_clang("sleep 0.1"));
  begin(&a, "both", "");
  begin(&b, "both", "");
  CHECK(!memcmp(a.first, b.first, sizeof a.first));
  for (int i = 0; i < 50; i++) { run_once(&a); run_once(&b); }
  until_decided(&b);
  end(&b);                                 // the other goes on
  until_decided(&a);
  CHECK(tiny_stats_of(a.t).recompiled > 0);
  end(&a);
}
static int is_there(const char *line) { return kill((pid_t)atoi(line), 0) == 0; }
static void test_close(void) {
  job j;
  char line[32] = "";
  if (!case_named("closed while it compiles")) return;
  write_compiler("exec sleep 1000");
  begin(&j, "both", "");
  while (j.runs < RUNS_MOST && !times_asked()) { run_once(&j); usleep(1000); }
  CHECK(times_asked() > 0);
  FILE *f = fopen(in_folder("asked"), "r");
  CHECK(f && fgets(line, sizeof line, f));
  if (f) fclose(f);
  CHECK(is_there(line));
  end(&j);
  CHECK(!is_there(line));                  // no child is left
}
static void test_fork(void) {
  job j;
  int status = -1;
  if (!case_named("a fork while it compiles")) return;
  tier_gain = 1e9;
  write_compiler(with_clang("sleep 0.5"));
  begin(&j, "both", "");
  while (j.runs < RUNS_MOST && !tiers_in(j.t, TN_TIER_COMPILED)) run_once(&j);
  CHECK(tiers_in(j.t, TN_TIER_COMPILED) > 0);
  const pid_t child = fork();
  if (!child) {
    run_once(&j);
    until_decided(&j);
    const int wrong = j.bad || tiny_status(j.t) != TINY_OK || is_undecided(&j);
    tiny_program_free(j.p);
    tiny_close(j.t);
    _exit(wrong);
  }
  CHECK_EQ(waitpid(child, &status, 0), child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  until_decided(&j);
  CHECK(tiny_stats_of(j.t).recompiled > 0);
  end(&j);
}
// Another process begins with what stayed, and asks nobody: of both kinds.
static void test_disk(double gain) {
  job j;
  char cache[300];
  if (!case_named("on disk, gain %g", gain)) return;
  snprintf(cache, sizeof cache, "%s/cache%d", folder, gain > 0);
  tier_gain = gain;
  write_compiler(with_clang(""));
  begin(&j, "both", cache);
  until_decided(&j);
  const int decided = times_asked();
  CHECK(decided > 0);
  float first[N];
  memcpy(first, j.first, sizeof first);
  end(&j);
  remove(in_folder("asked"));
  begin(&j, "both", cache);
  CHECK(!memcmp(first, j.first, sizeof first));
  CHECK(tiny_stats_of(j.t).cache_hits > 0);
  end(&j);
  CHECK_EQ(times_asked(), 0);
}

// ** who compiles **

static void test_choice(void) {
  float of[4][N], v[N];
  const char *const compilers[4] = {"builtin", "both", real_clang, NULL};
  for (int i = 0; i < 4; i++) {
    if (!case_named("compiler %s", compilers[i] ? compilers[i] : "none is named")) continue;
    job j;
    write_compiler(with_clang(""));
    begin(&j, compilers[i], "");
    memcpy(of[i], j.first, sizeof v);
    CHECK(!memcmp(of[0], of[i], sizeof v));
    const int builtin = tn_cpu_is_builtin(j.t->device[0]->dev);
    CHECK_EQ(builtin, i != 2);
    CHECK_EQ(tiers_in(j.t, -1) > 0, i == 1 || i == 3);
    CHECK_EQ(tiny_stats_of(j.t).interpreted, 0);
    end(&j);
    if (i != 2) CHECK_EQ(times_asked(), 0);
  }
}
// A kernel that the built-in compiler refuses: by an outside compiler, or interpreted where that is not to be, or is
// not there.
static tiny_tensor *refused(tiny_ctx *t) {                   // of bytes that lie apart
  static unsigned char x[64 * 64];
  static int32_t at[64];
  for (int i = 0; i < 64 * 64; i++) x[i] = (unsigned char)(i * 31);
  for (int i = 0; i < 64; i++) at[i] = i * 7 % 64;
  return tiny_index_select(tiny_from(t, x, TINY_U8, TINY_SHAPE(64, 64)), 1, tiny_from(t, at, TINY_I32, TINY_SHAPE(64)));
}
static int times_heard(const char *what) {
  int n = 0;
  for (const char *at = strstr(heard, what); at; at = strstr(at + 1, what)) n++;
  return n;
}
static void test_refused(void) {
  static unsigned char got[64 * 64];
  for (int i = 0; i < 3; i++) {
    if (!case_named("refused, %d", i)) continue;
    write_compiler(with_clang(""));
    if (i == 2) remove(in_folder("clang"));
    setenv("TINY_DEBUG", "d", 1);
    tiny_ctx *t = open_with(i == 0 ? "both" : i == 1 ? "builtin" : NULL, "");
    unsetenv("TINY_DEBUG");
    CHECK_EQ(tiny_read(refused(t), got, sizeof got), TINY_OK);
    CHECK_STR(tiny_error(t), "");
    int bad = 0;
    for (int k = 0; k < 64 * 64; k++) bad += got[k] != (unsigned char)((k / 64 * 64 + k % 64 * 7 % 64) * 31);
    CHECK_EQ(bad, 0);
    const int n = times_heard("refuses");
    CHECK_EQ(tiny_stats_of(t).interpreted, i ? n : 0);
    CHECK_EQ(times_heard("some kernels are interpreted"), i && n);           // once
    if (i) CHECK_EQ(times_asked(), 0);
    else CHECK_EQ(times_asked() > 0, n > 0);
    tiny_close(t);
  }
}

int main(void) {
  tiny_ctx *t = open_with("builtin", "");
  CHECK(t != NULL);
  const int here = t && tn_cpu_is_builtin(t->device[0]->dev);
  tiny_close(t);
  snprintf(path_before, sizeof path_before, "%s", getenv("PATH") ? getenv("PATH") : "");
  if (!here || !tn_os_find_program("clang", 0, real_clang, sizeof real_clang)) {
    printf("no processor with AVX-512, or no clang: nothing was run\n");
    return test_report();
  }
  snprintf(folder, sizeof folder, "/tmp/tiny_tiers_%d", (int)getpid());
  CHECK_EQ(mkdir(folder, 0700), 0);
  test_choice();
  test_refused();
  test_stays();
  test_goes();
  test_fails();
  test_two_contexts();
  test_close();
  test_fork();
  test_disk(1e9);
  test_disk(0);
  case_end();
  setenv("PATH", path_before, 1);
  char command[400];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  if (!getenv("TINY_KEEP")) CHECK_EQ(system(command), 0);
  return test_report();
}
