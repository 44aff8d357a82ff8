// The system's room and child processes: files, folders, programs, memory; and what happens when memory runs
// out.
#define TN_FIRST_NBYTES 64
#define TN_FIRST_SLOTS 4
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif                                     // for the test: setenv, sigaction, timers
#include <sys/resource.h>
#include <sys/time.h>
#include "../src/base/threads.c"
#include "../src/base/process.c"
#include "test.h"
#include "memory_test.h"
#include <dirent.h>

static char folder[256];                   // of this run

static const char *in_folder(char *out, size_t cap, const char *name) {
  snprintf(out, cap, "%s/%s", folder, name);
  return out;
}

static int open_descriptors(void) {
  int n = 0;
  for (int fd = 0; fd < 256; fd++) n += fcntl(fd, F_GETFD) >= 0;
  return n;
}
static int files_in(const char *path) {
  int n = 0;
  DIR *d = opendir(path);
  for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) n += e->d_name[0] != '.';
  if (d) closedir(d);
  return n;
}

// By paths: the room takes a folder and a name.
static const char *split(const char *path, char *name, size_t cap) {
  static _Thread_local char parent[TN_OS_PATH + 200];
  const char *slash = strrchr(path, '/');
  snprintf(parent, sizeof parent, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
  snprintf(name, cap, "%s", slash ? slash + 1 : path);
  return parent;
}
static int read_file(const char *path, size_t most, tiny_bytes *out) {
  char name[TN_OS_PATH + 200];
  const char *parent = split(path, name, sizeof name);
  return tn_os_read_own(parent, name, most, out) == TN_OS_DONE;
}
static int write_file(const char *path, const void *data, size_t nbytes) {
  char name[TN_OS_PATH + 200];
  const char *parent = split(path, name, sizeof name);
  return tn_os_write_own(parent, name, data, nbytes) == TN_OS_DONE;
}

static void test_facts(void) {
  const uint64_t a = tn_os_now(), b = tn_os_now();
  CHECK(a && b >= a);
  CHECK(tn_os_cores() >= 1);
  const tn_os_cpu c = tn_os_cpu_get(), again = tn_os_cpu_get();
  CHECK(c.vector_nbytes == 16 || c.vector_nbytes == 32 || c.vector_nbytes == 64);
#ifdef TN_OS_X86
  CHECK_EQ(c.vector_nbytes == 64, !!__builtin_cpu_supports("avx512vl"));
#endif
  CHECK_STR(c.name, again.name);
  CHECK(tn_os_env("TINY_THIS_IS_NOT_SET") == NULL);
  setenv("TINY_EMPTY", "", 1);
  CHECK(tn_os_env("TINY_EMPTY") == NULL);
  CHECK(tn_os_terminal() >= 0);
}

static void test_memory(void) {
  unsigned char *p = (unsigned char *)tn_os_map(10000);
  CHECK(p && !p[0] && !p[9999]);
#ifdef TN_OS_X86
  const unsigned char code[] = { 0xb8, 42, 0, 0, 0, 0xc3 };           // mov eax, 42; ret
#else
  const unsigned char code[] = { 0x40, 5, 0x80, 0x52, 0xc0, 3, 0x5f, 0xd6 };
#endif
  int (*fn)(void);
  memcpy(p, code, sizeof code);
  memcpy(&fn, &p, sizeof fn);
  CHECK(tn_os_make_executable(p, 10000));
  CHECK_EQ(fn(), 42);
  tn_os_unmap(p, 10000);
  const size_t sizes[] = { 1, 65536, 4 << 20, (8 << 20) + 12345 };
  for (int i = 0; i < 4; i++) {
    char *q = (char *)tn_os_pages_alloc(sizes[i]);
    CHECK(q && ((uintptr_t)q & (TN_OS_HUGE - 1)) == 0);
    CHECK(!q[0] && !q[sizes[i] - 1]);
    q[0] = q[sizes[i] - 1] = 1;
    tn_os_pages_free(q, sizes[i]);
  }
  CHECK(tn_os_pages_alloc((size_t)1 << 60) == NULL);
}

static void write_task(void *arg) {
  char data[5000], path[300];
  memset(data, *(const char *)arg, sizeof data);
  for (int i = 0; i < 50; i++) write_file(in_folder(path, sizeof path, "shared"), data, sizeof data);
}

static void test_files(void) {
  tiny_ctx t;
  memory_count m = { 0, 0, 0, 0 };
  memory_context(&t, &m);
  char path[300], big[300000];
  tiny_bytes got = { &t, NULL, 0, 0 };
  for (size_t i = 0; i < sizeof big; i++) big[i] = (char)(i * 7);
  CHECK(write_file(in_folder(path, sizeof path, "a"), big, sizeof big));
  CHECK(read_file(path, sizeof big, &got));
  CHECK(got.n == sizeof big && !memcmp(got.data, big, sizeof big));
  CHECK(!read_file(path, sizeof big - 1, &got));                // bigger than wanted
  CHECK(write_file(path, "", 0));                               // replaces
  got.n = 0;
  CHECK(read_file(path, 100, &got));
  CHECK_EQ(got.n, 0);
  CHECK(!read_file(in_folder(path, sizeof path, "missing"), 100, &got));
  CHECK(!read_file(folder, 100, &got));                         // a folder is no file
  CHECK(!write_file(in_folder(path, sizeof path, "no/such/folder"), big, 1));
  CHECK(tn_os_make_dirs(in_folder(path, sizeof path, "x/y//z")));
  CHECK(tn_os_make_dirs(path));                                       // they are there
  CHECK(!tn_os_make_dirs(""));
  CHECK(!tn_os_make_dirs("/proc/no"));
  tn_os_remove(in_folder(path, sizeof path, "shared"));
  CHECK_EQ(files_in(folder), 2);
  char letters[] = "abcd";
  tn_os_thread thread[4];
  for (int i = 0; i < 4; i++) CHECK(tn_os_thread_start(&thread[i], write_task, &letters[i]));
  for (int i = 0; i < 200; i++) {                                     // readers see one writer's whole file
    got.n = 0;
    if (!read_file(in_folder(path, sizeof path, "shared"), 10000, &got)) continue;
    if (got.n != 5000 || got.data[0] != got.data[4999]) { CHECK(!"a torn file"); break; }
  }
  for (int i = 0; i < 4; i++) tn_os_thread_join(&thread[i]);
  CHECK_EQ(files_in(folder), 3);                                      // nothing is left beside
  char full[TN_OS_PATH + 100];
  memset(full, 'a', sizeof full);
  full[sizeof full - 1] = 0;
  CHECK(!write_file(full, "x", 1));
  CHECK(!tn_os_make_dirs(full));
  tn_scratch_reset(&t, 1);
  CHECK_EQ(m.live, 0); CHECK_EQ(m.wrong, 0);
}

static void test_paths(void) {
  char out[TN_OS_PATH];
  CHECK(tn_os_find_program("sh", 0, out, sizeof out));
  CHECK(strstr(out, "/sh") != NULL);
  CHECK(tn_os_find_program("/bin/sh", 0, out, sizeof out));
  CHECK_STR(out, "/bin/sh");
  CHECK(!tn_os_find_program("no-such-program-here", 0, out, sizeof out));
  CHECK(!tn_os_find_program("/bin", 0, out, sizeof out));
  CHECK(!tn_os_find_program("sh", 0, out, 3));
  setenv("XDG_CACHE_HOME", "/some/where", 1);
  CHECK(tn_os_cache_dir(out, sizeof out));
#ifdef __linux__
  CHECK_STR(out, "/some/where/tiny");
  setenv("XDG_CACHE_HOME", "relative", 1);                            // the standard: ignore it
  CHECK(tn_os_cache_dir(out, sizeof out) && out[0] == '/');
#endif
  CHECK(!tn_os_cache_dir(out, 4));
}

static const char *const cat_argv[] = { "/bin/cat", NULL };
static const char *const sh_argv[] = { "/bin/sh", "-c", "cat >/dev/null; echo out; echo err >&2; exit 7", NULL };
static const char *const deaf_argv[] = { "/bin/sh", "-c", "exec 0<&-; echo early; exit 3", NULL };
static const char *const killed_argv[] = { "/bin/sh", "-c", "kill -9 $$", NULL };
static const char *const loud_argv[] = { "/bin/sh", "-c", "head -c 1000000 /dev/zero >&2; head -c 1000000 /dev/zero", NULL };
static const char *const absent_argv[] = { "/no/such/program", NULL };

static void test_processes(int at_once) {
  tiny_ctx t;
  memory_count m = { 0, 0, 0, 0 };
  memory_context(&t, &m);
  static char input[3000000];              // more than any pipe holds, both ways
  for (size_t i = 0; i < sizeof input; i++) input[i] = (char)(i * 31 >> 3);
  const char *const *argvs[] = { cat_argv, sh_argv, deaf_argv, killed_argv, loud_argv, absent_argv, cat_argv };
  tn_job job[7];
  memset(job, 0, sizeof job);
  for (int i = 0; i < 7; i++) { job[i].argv = argvs[i]; job[i].input = input; job[i].input_nbytes = sizeof input; }
  job[6].input_nbytes = 0; job[6].input = NULL;
  const int before = open_descriptors();
  CHECK_EQ(tn_process_run(&t, job, 7, at_once), TINY_OK);
  CHECK_EQ(open_descriptors(), before);
  CHECK(job[0].out.n == sizeof input && !memcmp(job[0].out.data, input, sizeof input));
  CHECK_EQ(job[0].exit_code, 0);
  CHECK_STR(job[1].out.data, "out\n"); CHECK_STR(job[1].err.data, "err\n"); CHECK_EQ(job[1].exit_code, 7);
  CHECK_STR(job[2].out.data, "early\n"); CHECK_EQ(job[2].exit_code, 3);       // no SIGPIPE came to us
  CHECK_EQ(job[3].exit_code, 128 + 9);
  CHECK_EQ(job[4].out.n, 1000000); CHECK_EQ(job[4].err.n, 1000000);
  CHECK_EQ(job[5].exit_code, 127); CHECK(job[5].err.n > 0 && strstr(job[5].err.data, "/no/such/program"));
  CHECK_EQ(job[6].exit_code, 0); CHECK_EQ(job[6].out.n, 0);
  CHECK(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);           // no zombies
  CHECK_EQ(tn_process_run(&t, job, 0, 1), TINY_OK);
  tn_scratch_reset(&t, 1);
  CHECK_EQ(m.live, 0); CHECK_EQ(m.wrong, 0);
}

static void tick(int sig) { (void)sig; }
static void test_interrupted(void) {       // a host with a timer signal without SA_RESTART
  struct sigaction on, old;
  memset(&on, 0, sizeof on);
  on.sa_handler = tick;
  sigaction(SIGALRM, &on, &old);
  const struct itimerval fast = { { 0, 300 }, { 0, 300 } }, off = { { 0, 0 }, { 0, 0 } };
  setitimer(ITIMER_REAL, &fast, NULL);
  test_processes(4);
  test_files();
  setitimer(ITIMER_REAL, &off, NULL);
  sigaction(SIGALRM, &old, NULL);
}

static void test_reaped_by_host(void) {    // a host that ignores SIGCHLD hides exit codes
  tiny_ctx t;
  memory_count m = { 0, 0, 0, 0 };
  memory_context(&t, &m);
  tn_job job;
  memset(&job, 0, sizeof job);
  job.argv = cat_argv; job.input = "hi"; job.input_nbytes = 2;
  signal(SIGCHLD, SIG_IGN);
  CHECK_EQ(tn_process_run(&t, &job, 1, 1), TINY_OK);
  signal(SIGCHLD, SIG_DFL);
  CHECK_STR(job.out.data, "hi"); CHECK_EQ(job.exit_code, 0);
  tn_scratch_reset(&t, 1);
}

static void test_few_descriptors(void) {   // room for about three children: the others wait for their turn
  tiny_ctx t;
  memory_count m = { 0, 0, 0, 0 };
  memory_context(&t, &m);
  struct rlimit old, low;
  tn_job job[12];
  memset(job, 0, sizeof job);
  for (int i = 0; i < 12; i++) { job[i].argv = sh_argv; job[i].input = "x"; job[i].input_nbytes = 1; }
  getrlimit(RLIMIT_NOFILE, &old);
  low = old; low.rlim_cur = (rlim_t)open_descriptors() + 9;
  setrlimit(RLIMIT_NOFILE, &low);
  CHECK_EQ(tn_process_run(&t, job, 12, 12), TINY_OK);
  low.rlim_cur = 3;
  setrlimit(RLIMIT_NOFILE, &low);
  tn_job none = job[0];
  CHECK_EQ(tn_process_run(&t, &none, 1, 1), TINY_OK);
  setrlimit(RLIMIT_NOFILE, &old);
  for (int i = 0; i < 12; i++) CHECK_EQ(job[i].exit_code, 7);
  CHECK_EQ(none.exit_code, 127);
  tn_scratch_reset(&t, 1);
}

typedef struct scene { int ran; } scene;
static tiny_code play(tiny_ctx *t, void *arg) {
  static const char data[20000] = { 1 };
  char path[300];
  tn_job job[4];
  tiny_bytes got = { t, NULL, 0, 0 };
  memset(job, 0, sizeof job);
  const char *const *argvs[] = { cat_argv, sh_argv, absent_argv, cat_argv };
  for (int i = 0; i < 4; i++) { job[i].argv = argvs[i]; job[i].input = data; job[i].input_nbytes = sizeof data; }
  tn_process_run(t, job, 4, 3);
  read_file(in_folder(path, sizeof path, "shared"), 10000, &got);
  ((scene *)arg)->ran = job[0].out.n == sizeof data && job[1].exit_code == 7 && got.n == 5000;
  return TINY_OK;
}

static void test_no_memory(int guarded) {  // the n-th allocation fails: no child, descriptor or block is left behind
  const int before = open_descriptors();
  int reached = 0;
  for (long n = 1; n < 200 && !reached; n++) {
    tiny_ctx t;
    scene s = { 0 };
    memory_count m = { 0, n, 0, 0 };
    memory_context(&t, &m);
    tiny_code code = TINY_OK;
    if (guarded) code = tn_guard(&t, play, &s);
    else {                                 // without a guard, calls answer TINY_E_MEMORY themselves
      tn_job job;
      memset(&job, 0, sizeof job);
      job.argv = cat_argv; job.input = folder; job.input_nbytes = sizeof folder;
      code = tn_process_run(&t, &job, 1, 1);
      s.ran = job.out.n == sizeof folder;
    }
    reached = m.calls < n;
    CHECK_EQ(code, reached ? TINY_OK : TINY_E_MEMORY);
    CHECK_EQ(t.code, code);
    CHECK_EQ(s.ran, reached);
    tn_scratch_reset(&t, 1);
    CHECK_EQ(m.live, 0); CHECK_EQ(m.wrong, 0);
    CHECK(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
    CHECK_EQ(open_descriptors(), before);
    CHECK(t.trap == NULL);
  }
  CHECK(reached);
}

static void processes_task(void *arg) {
  tiny_ctx t;
  memory_count m = { 0, 0, 0, 0 };
  memory_context(&t, &m);
  for (int r = 0; r < 5; r++) {
    tn_job job[4];
    memset(job, 0, sizeof job);
    for (int i = 0; i < 4; i++) { job[i].argv = cat_argv; job[i].input = folder; job[i].input_nbytes = sizeof folder; }
    tn_process_run(&t, job, 4, 4);
    for (int i = 0; i < 4; i++) tn_os_atomic_add((int64_t *)arg, job[i].out.n == sizeof folder && !job[i].exit_code);
  }
  tn_scratch_reset(&t, 1);
}
static void test_two_threads(void) {       // children of one thread must not keep the other's sockets open
  int64_t well = 0;
  tn_os_thread thread[3];
  for (int i = 0; i < 3; i++) CHECK(tn_os_thread_start(&thread[i], processes_task, &well));
  for (int i = 0; i < 3; i++) tn_os_thread_join(&thread[i]);
  CHECK_EQ(well, 60);
}

int main(void) {
  snprintf(folder, sizeof folder, "%s/tiny-test-os-%llu", tn_os_temp_dir(), (unsigned long long)tn_os_process_id());
  CHECK(tn_os_make_dirs(folder));
  test_facts();
  test_memory();
  test_files();
  test_paths();
  test_processes(1); test_processes(3); test_processes(100);
  test_interrupted();
  test_reaped_by_host();
  test_few_descriptors();
  test_no_memory(1);
  test_no_memory(0);
  test_two_threads();
  char command[300];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  CHECK_EQ(system(command), 0);
  return test_report();
}
