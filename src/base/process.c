// process: runs child processes, several at a time, each fed from memory and heard into memory.
//
// In:  jobs: argv, and the bytes of stdin. Out: the bytes of stdout and stderr and the exit code, in scratch
//      memory. One thread serves all children through poll(). A child's stdin and stdout are one socket, its
//      stderr another: a socket, unlike a pipe, can be written without a SIGPIPE when the child has died, and
//      so no signal handling is touched. The sockets close on exec, so that children don't inherit each
//      other's ends.
//      A child leads a process group of its own. When it ends, when its time is over or when it has written more than
//      it may, all of its group ends: nobody else's hand on its outputs keeps the host waiting. On Linux it ends with
//      the host, too, however that ends. A signal for the host's group, as from a terminal, does not reach it. Signals
//      are in a child as a program expects them, whatever the host blocks or ignores.
// When memory runs out in between, the children are killed, waited for and their sockets closed before it
// unwinds. In a page no program is found, and none is started.
#ifndef TN_BASE_PROCESS
#define TN_BASE_PROCESS
#ifndef TINY_AMALGAMATED
#include "files.c"
#endif

// ** where programs lie **

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

#if !defined(_WIN32) && !defined(TN_OS_PAGE)
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
#endif

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

// ** children **

typedef struct tn_job {
  const char *const *argv;                 // argv[0]: the program's path; NULL ends the list
  const char *input; size_t input_nbytes;
  char *const *env;                        // NULL: as the host's
  int seconds;                             // that it may run; 0: any time
  size_t most;                             // bytes of output; 0: TN_JOB_OUT
  tiny_bytes out, err;
  int exit_code;                           // killed: 128 + the signal; not started: 127
  int ended;                               // how: TN_JOB_*
  int over;                                // it has ended, or will not be started
} tn_job;

enum { TN_JOB_BY_ITSELF, TN_JOB_NOT_STARTED, TN_JOB_LATE, TN_JOB_FLOODED, TN_JOB_CANCELLED };

// Sees the jobs of a context several times a second while they run. Anything but 0: all of them are ended.
typedef struct tn_watch { int (*fn)(struct tn_watch *w, const tn_job *job, int n); } tn_watch;
enum { TN_JOB_OUT = 64 << 20, TN_JOB_ERR = 1 << 20 };      // bytes that a child may write to stdout and to stderr

// Runs work(t, arg). When an allocation in it fails, undo(arg) is called on the way out.
static tiny_code tn_process_protect(tiny_ctx *t, tiny_code (*work)(tiny_ctx *t, void *arg),
                                    void (*undo)(void *arg), void *arg) {
  jmp_buf here, *const outer = t->trap;
  if (setjmp(here)) {
    t->trap = outer;
    undo(arg);
    if (outer) longjmp(*outer, 1);
    return TINY_E_MEMORY;
  }
  t->trap = &here;
  const tiny_code code = work(t, arg);
  t->trap = outer;
  return code;
}

static tiny_code tn_process_not_started(tn_job *job, const char *why) {
  job->exit_code = 127;
  job->ended = TN_JOB_NOT_STARTED;
  job->over = 1;
  tn_text_add(&job->err, "%s could not be started: %s\n", job->argv[0], why);
  return TINY_OK;
}

#ifdef TN_OS_PAGE

static char *const *tn_process_environment(tiny_ctx *t, const char *temp) {
  (void)t; (void)temp;
  return NULL;
}
#ifndef TINY_NO_THREADS
static char *const *tn_process_environment_copy(tiny_ctx *t, char *const *from) { (void)t; return from; }
#endif
static tiny_code tn_process_run(tiny_ctx *t, tn_job *job, int n, int at_once) {
  const tiny_bytes none = { t, NULL, 0, 0 };
  (void)at_once;
  for (int i = 0; i < n; i++) {
    job[i].out = job[i].err = none;
    tn_process_not_started(&job[i], "a page has no processes");
  }
  return TINY_OK;
}

#else

typedef struct tn_child tn_child;
typedef struct tn_children { tn_job *job; int n, at_once; tn_child *child; int crowded; } tn_children;

static int tn_process_is_cancelled(const tiny_ctx *t, const tn_job *job, int n) {
  return t->watch && t->watch->fn(t->watch, job, n);
}
static int tn_process_flooded(const tn_job *j) {
  return j->out.n > (j->most ? j->most : (size_t)TN_JOB_OUT) || j->err.n > TN_JOB_ERR;
}
static uint64_t tn_process_deadline(const tn_job *j) {
  return j->seconds > 0 ? tn_os_now() + (uint64_t)j->seconds * 1000000000u : UINT64_MAX;
}

// Jobs from `next` on are not started any more.
static void tn_process_leave_out(const tn_children *r, int next) {
  for (int i = next; i < r->n; i++) {
    r->job[i].exit_code = 1;
    r->job[i].ended = TN_JOB_CANCELLED;
    r->job[i].over = 1;
  }
}

#ifndef _WIN32

// life: the host's end of the child's lifeline.
struct tn_child { pid_t pid; int io, err, life, alive; size_t sent; uint64_t deadline; };

#ifndef MSG_NOSIGNAL
  #define MSG_NOSIGNAL 0                   // macOS: SO_NOSIGPIPE does it
#endif

// The host may have closed 0, 1 or 2: those would be overwritten while a child is set up.
static int tn_process_above_stderr(int fd) {
  if (fd < 0 || fd > 2) return fd;
  const int moved = fcntl(fd, TN_OS_DUPFD_CLOEXEC, 3);
  close(fd);
  return moved;
}

static void tn_process_close(int *fd) {
  if (*fd >= 0) close(*fd);
  *fd = -1;
}

static void tn_process_close_all(tn_child *c) {
  tn_process_close(&c->io); tn_process_close(&c->err); tn_process_close(&c->life);
}

static int tn_process_socketpair(int fd[2]) {
  fd[0] = fd[1] = -1;
#ifdef __APPLE__
  const int on = 1;
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, fd)) return 0;
  for (int i = 0; i < 2; i++) fcntl(fd[i], F_SETFD, FD_CLOEXEC);
  setsockopt(fd[0], SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#else
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd)) return 0;
#endif
  for (int i = 0; i < 2; i++) fd[i] = tn_process_above_stderr(fd[i]);
  if (fd[0] >= 0 && fd[1] >= 0) return 1;
  tn_process_close(&fd[0]); tn_process_close(&fd[1]);
  return 0;
}

static int tn_process_attributes(posix_spawnattr_t *a) {
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  int failed = posix_spawnattr_setpgroup(a, 0);
  if (!failed) failed = posix_spawnattr_setsigmask(a, &none);
  if (!failed) failed = posix_spawnattr_setsigdefault(a, &all);
  const short flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
  return failed ? failed : posix_spawnattr_setflags(a, flags);
}

// A lifeline is a socket on which nobody ever writes. When the host's end closes, because the host has ended, by
// SIGKILL or otherwise, the system itself kills the group that owns the other end, descriptor 3 of the child: fcntl(2),
// F_SETSIG. A parent-death signal would have to be asked for in the child, and reaches neither what the child has
// started nor children of a thread that lives on. life[0]: the host's end; both are -1 where there is none to be had.
static void tn_process_open_life(int life[2]) {
  life[0] = life[1] = -1;
#ifdef __linux__
  (void)!tn_process_socketpair(life);
#endif
}
static void tn_process_tie(int life, pid_t group) {
#ifdef __linux__
  enum { SETOWN = 8, SETSIG = 10, ASYNC = 020000 };        // asm-generic/fcntl.h
  if (life < 0 || fcntl(life, SETSIG, SIGKILL) || fcntl(life, SETOWN, -group)) return;
  fcntl(life, F_SETFL, fcntl(life, F_GETFL) | ASYNC);
#else
  (void)life; (void)group;
#endif
}

static int tn_process_spawn(pid_t *pid, const tn_job *job, int io, int err, int life) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  char *const *env = job->env ? job->env : TN_OS_ENVIRON;
  int failed = posix_spawn_file_actions_init(&actions);
  if (failed) return failed;
  failed = posix_spawnattr_init(&attributes);
  if (failed) { posix_spawn_file_actions_destroy(&actions); return failed; }
  failed = tn_process_attributes(&attributes);
  if (!failed) failed = posix_spawn_file_actions_adddup2(&actions, io, 0);
  if (!failed) failed = posix_spawn_file_actions_adddup2(&actions, io, 1);
  if (!failed) failed = posix_spawn_file_actions_adddup2(&actions, err, 2);
  if (!failed && life >= 0) failed = posix_spawn_file_actions_adddup2(&actions, life, 3);
  if (!failed) failed = posix_spawn(pid, job->argv[0], &actions, &attributes, (char *const *)job->argv, env);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return failed;
}

// 0, or the errno that says why not.
static int tn_process_start(tn_child *c, const tn_job *job) {
  int io[2], err[2], life[2], failed = 0;
  if (!tn_process_socketpair(io)) return errno;
  if (!tn_process_socketpair(err)) failed = errno;
  tn_process_open_life(life);
  if (!failed) failed = tn_process_spawn(&c->pid, job, io[1], err[1], life[1]);
  if (!failed) tn_process_tie(life[1], c->pid);
  tn_process_close(&io[1]); tn_process_close(&err[1]); tn_process_close(&life[1]);
  c->io = io[0]; c->err = err[0]; c->life = life[0];
  if (failed) { tn_process_close_all(c); return failed; }
  c->sent = 0; c->alive = 1;
  c->deadline = tn_process_deadline(job);
  return 0;
}

static void tn_process_send(tn_child *c, const tn_job *job) {
  while (c->sent < job->input_nbytes) {
    const size_t left = job->input_nbytes - c->sent;
    const ssize_t put = send(c->io, job->input + c->sent, left, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (put >= 0) c->sent += (size_t)put;
    else if (errno == EAGAIN || errno == EWOULDBLOCK) return;
    else if (errno != EINTR) c->sent = job->input_nbytes;      // it will not hear the rest
  }
  shutdown(c->io, SHUT_WR);
}

enum { TN_PROCESS_PIECES = 256 };          // that are heard at a time: others want to be served, and the host to know
static void tn_process_receive(int *fd, tiny_bytes *to, const tn_job *job) {
  char piece[2048];
  for (int i = 0; i < TN_PROCESS_PIECES && *fd >= 0 && !tn_process_flooded(job); i++) {
    const ssize_t got = recv(*fd, piece, sizeof piece, MSG_DONTWAIT);
    if (got > 0) { tiny_bytes_add(to, piece, (size_t)got); continue; }
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    tn_process_close(fd);                  // the end; ECONNRESET when the child left input unread
  }
}
static void tn_process_hear(tn_child *c, tn_job *job) {
  tn_process_receive(&c->io, &job->out, job);
  tn_process_receive(&c->err, &job->err, job);
}

// 1: the child has ended, and its number is its own until that is taken note of; -1: the host has done so already.
static int tn_process_over(const tn_child *c) {
#ifdef __linux__
  enum { PID = 1, NOHANG = 1, EXITED = 4, NOWAIT = 0x01000000 };       // linux/wait.h
  int info[32] = {0};                      // a siginfo_t, which begins with the signal
  if (syscall(SYS_waitid, PID, c->pid, info, NOHANG | EXITED | NOWAIT, NULL)) return errno == EINTR ? 0 : -1;
  return info[0] != 0;
#else
  siginfo_t info;
  memset(&info, 0, sizeof info);
  if (waitid(P_PID, (id_t)c->pid, &info, WNOHANG | WEXITED | WNOWAIT)) return errno == EINTR ? 0 : -1;
  return info.si_pid != 0;
#endif
}

// Ends what is left of a child's group. A host that reaps all children itself hides the exit code; it then counts as
// 0, and the caller sees from the output whether the child did its work. What cannot be killed is left behind.
static int tn_process_end(tn_child *c) {
  int status = 0, naps = 0;
  pid_t got;
  if (tn_process_over(c) >= 0 || c->io >= 0 || c->err >= 0)  // else the number may be another's by now
    kill(-c->pid, SIGKILL);
  do {
    got = waitpid(c->pid, &status, WNOHANG);
    if (!got) tn_os_sleep_us(naps < 20 ? 50 : 5000);
  } while ((got < 0 && errno == EINTR) || (!got && ++naps < 400));
  c->alive = 0;
  if (got <= 0) return 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void tn_process_finish(tn_child *c, tn_job *job, int how) {
  const int exit_code = tn_process_end(c);
  for (size_t before = SIZE_MAX; how == TN_JOB_BY_ITSELF && before != job->out.n + job->err.n;) {
    before = job->out.n + job->err.n;      // nobody is left to write more
    tn_process_hear(c, job);
  }
  tn_process_close_all(c);
  job->exit_code = how == TN_JOB_BY_ITSELF ? exit_code : 128 + SIGKILL;
  job->ended = how == TN_JOB_BY_ITSELF && tn_process_flooded(job) ? TN_JOB_FLOODED : how;
  job->over = 1;
}

static int tn_process_is_exhausted(int why) {
  return why == EMFILE || why == ENFILE || why == EAGAIN || why == ENOMEM;
}

// Starts a job. When the system has no room for one more process or socket now, it is asked again a few times.
static int tn_process_start_patiently(tn_children *r, int i, int alive) {
  int why = tn_process_start(&r->child[i], &r->job[i]);
  for (int us = 1000; tn_process_is_exhausted(why) && !alive && !r->crowded && us < 200000; us *= 2) {
    tn_os_sleep_us(us);
    why = tn_process_start(&r->child[i], &r->job[i]);
  }
  if (why && !alive) r->crowded = 1;
  return why;
}

// Starts jobs while there is room. Returns the index of the first job that still has to be started.
static int tn_process_fill(tn_children *r, int next, int *alive) {
  while (next < r->n && *alive < r->at_once) {
    const int why = tn_process_start_patiently(r, next, *alive);
    if (tn_process_is_exhausted(why) && *alive) return next;   // when another has ended there is room again
    if (why) tn_process_not_started(&r->job[next], strerror(why));
    else {
      ++*alive;
      tn_process_send(&r->child[next], &r->job[next]);
    }
    next++;
  }
  return next;
}

enum { TN_PROCESS_LOOK = 20 };             // ms: the end of a child whose outputs others hold open is seen so late

// Waits until something happens to a child. *nap: us, doubled while a child has closed its outputs and not ended.
static void tn_process_wait(const tn_children *r, int started, struct pollfd *wait, int *nap) {
  int n = 0, silent = 0;
  for (int i = 0; i < started; i++) {
    const tn_child *c = &r->child[i];
    if (c->io >= 0) {
      wait[n].fd = c->io;
      wait[n++].events = (short)(c->sent < r->job[i].input_nbytes ? POLLIN | POLLOUT : POLLIN);
    }
    if (c->err >= 0) { wait[n].fd = c->err; wait[n++].events = POLLIN; }
    silent |= c->alive && c->io < 0 && c->err < 0;
  }
  poll(wait, (nfds_t)n, silent ? 0 : TN_PROCESS_LOOK);       // whatever it says, what follows does not block
  if (!silent) { *nap = 20; return; }
  tn_os_sleep_us(*nap);
  if (*nap < 10000) *nap *= 2;
}

static tiny_code tn_process_serve(tiny_ctx *t, void *arg) {
  tn_children *r = (tn_children *)arg;
  struct pollfd *wait = (struct pollfd *)tn_scratch(t, (size_t)r->at_once * 2 * sizeof *wait);
  int alive = 0, nap = 20, next = tn_process_fill(r, 0, &alive);
  while (alive) {
    tn_process_wait(r, next, wait, &nap);
    const int cancelled = tn_process_is_cancelled(t, r->job, r->n);
    for (int i = 0; i < next; i++) {
      tn_child *c = &r->child[i];
      if (!c->alive) continue;
      const int over = tn_process_over(c); // asked before: what it has written until then is there
      if (c->io >= 0 && c->sent < r->job[i].input_nbytes) tn_process_send(c, &r->job[i]);
      tn_process_hear(c, &r->job[i]);
      const int how = tn_process_flooded(&r->job[i]) ? TN_JOB_FLOODED : over ? TN_JOB_BY_ITSELF
                      : cancelled ? TN_JOB_CANCELLED
                      : tn_os_now() > c->deadline ? TN_JOB_LATE : TN_JOB_BY_ITSELF;
      if (!over && how == TN_JOB_BY_ITSELF) continue;
      tn_process_finish(c, &r->job[i], how);
      alive--;
    }
    if (cancelled) tn_process_leave_out(r, next);
    else next = tn_process_fill(r, next, &alive);
  }
  return TINY_OK;
}

static void tn_process_kill(void *arg) {
  tn_children *r = (tn_children *)arg;
  for (int i = 0; i < r->n; i++) if (r->child[i].alive) {
    tn_process_end(&r->child[i]);
    tn_process_close_all(&r->child[i]);
  }
}

// Does an entry of the environment name this variable?
static int tn_process_names(const char *entry, const char *name) {
  const size_t n = strlen(name);
  return !strncmp(entry, name, n) && entry[n] == '=';
}

// What a child finds in its environment: the host's, but for folders of PATH that are not absolute and for what edits
// the arguments of clang, with temp as the folder of its temporary files. With raised rights next to nothing. NULL: as
// the host's.
static char *const *tn_process_environment(tiny_ctx *t, const char *temp) {
  static const char edits[] = "CCC_OVERRIDE_OPTIONS";
  char *const *from = TN_OS_ENVIRON;
  const int raised = tn_os_raised();
  tiny_bytes path = { t, NULL, 0, 0 };
  tn_text_put(&path, "PATH=");
  tiny_bytes folders = { t, NULL, 0, 0 };
  const int others = tn_os_clean_path(tn_os_search_path(), &folders);
  if (folders.n) tiny_bytes_add(&path, folders.data, folders.n);
  if (!raised && !others && !temp && !tn_os_env(edits)) return NULL;
  int n = 0, at = 0;
  while (from && from[n]) n++;
  char **env = (char **)tn_scratch(t, ((size_t)n + 4) * sizeof *env);
  env[at++] = path.data;
  if (temp) env[at++] = (char *)(uintptr_t)tn_text_of_format(t, "TMPDIR=%s", temp);
  for (int i = 0; i < n && !raised; i++)
    if (!tn_process_names(from[i], "PATH") && !tn_process_names(from[i], edits) &&
        (!temp || !tn_process_names(from[i], "TMPDIR")))
      env[at++] = from[i];
  return env;
}


#ifndef TINY_NO_THREADS
// A copy of an environment: the host may change its own while a child is started on another thread.
static char *const *tn_process_environment_copy(tiny_ctx *t, char *const *from) {
  int n = 0;
  if (!from) from = TN_OS_ENVIRON;
  while (from && from[n]) n++;
  char **env = (char **)tn_scratch(t, ((size_t)n + 1) * sizeof *env);
  for (int i = 0; i < n; i++) {
    const size_t nbytes = strlen(from[i]) + 1;
    env[i] = (char *)memcpy(tn_scratch(t, nbytes), from[i], nbytes);
  }
  return env;
}
#endif

#else

struct tn_child { HANDLE process, group, in, out, err; size_t sent; uint64_t deadline; };

// A pipe of which the child inherits one end.
static int tn_process_pipe(HANDLE *ours, HANDLE *theirs, int child_reads) {
  HANDLE end[2];
  if (!CreatePipe(&end[0], &end[1], NULL, 1 << 16)) return 0;
  *ours = end[child_reads]; *theirs = end[!child_reads];
  SetHandleInformation(*theirs, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT);
  return 1;
}

static void tn_process_close(HANDLE *h) {
  if (*h) CloseHandle(*h);
  *h = NULL;
}

// The inverse of the C library's splitting of a command line: backslashes count only before a quote.
static void tn_process_quote(tiny_bytes *line, const char *word) {
  int slashes = 0;
  tn_text_add(line, line->n ? " \"" : "\"");
  for (; *word; word++) {
    if (*word == '"') for (int i = 0; i <= slashes; i++) tn_text_add(line, "\\");
    slashes = *word == '\\' ? slashes + 1 : 0;
    tiny_bytes_add(line, word, 1);
  }
  for (int i = 0; i < slashes; i++) tn_text_add(line, "\\");
  tn_text_add(line, "\"");
}

// 0, or the error that says why not.
static DWORD tn_process_start(tiny_ctx *t, tn_child *c, const tn_job *job) {
  tiny_bytes line = { t, NULL, 0, 0 };
  for (const char *const *a = job->argv; *a; a++) tn_process_quote(&line, *a);
  STARTUPINFOA setup;
  PROCESS_INFORMATION made;
  memset(&setup, 0, sizeof setup);
  setup.cb = sizeof setup; setup.dwFlags = STARTF_USESTDHANDLES;
  DWORD why = 0, never = PIPE_NOWAIT;
  if (!tn_process_pipe(&c->in, &setup.hStdInput, 1) || !tn_process_pipe(&c->out, &setup.hStdOutput, 0) ||
      !tn_process_pipe(&c->err, &setup.hStdError, 0) ||
      !SetNamedPipeHandleState(c->in, &never, NULL, NULL) ||
      !CreateProcessA(job->argv[0], line.data, NULL, NULL, TRUE, CREATE_NO_WINDOW | CREATE_SUSPENDED, NULL, NULL,
                      &setup, &made))
    why = GetLastError();
  tn_process_close(&setup.hStdInput); tn_process_close(&setup.hStdOutput); tn_process_close(&setup.hStdError);
  if (why) { tn_process_close(&c->in); tn_process_close(&c->out); tn_process_close(&c->err); return why; }
  c->group = CreateJobObjectA(NULL, NULL); // it and whatever it starts, as a process group is
  if (c->group) AssignProcessToJobObject(c->group, made.hProcess);
  ResumeThread(made.hThread);
  CloseHandle(made.hThread);
  c->process = made.hProcess;
  c->deadline = tn_process_deadline(job);
  return 0;
}

// What can be done now for one child. Returns 1 when something was.
static int tn_process_receive(HANDLE *h, tiny_bytes *to) {
  char piece[2048];
  DWORD there = 0, got = 0;
  if (!*h) return 0;
  if (!PeekNamedPipe(*h, NULL, 0, NULL, &there, NULL)) { tn_process_close(h); return 1; }
  if (there > sizeof piece) there = (DWORD)sizeof piece;
  if (!there || !ReadFile(*h, piece, there, &got, NULL)) return 0;
  tiny_bytes_add(to, piece, got);
  return 1;
}
static int tn_process_send(tn_child *c, const tn_job *job) {
  DWORD put = 0;
  const size_t left = job->input_nbytes - c->sent;
  if (!c->in) return 0;
  const DWORD part = left < 4096 ? (DWORD)left : 4096;
  const int heard = !left || WriteFile(c->in, job->input + c->sent, part, &put, NULL);
  c->sent += put;
  if (!heard || c->sent == job->input_nbytes) tn_process_close(&c->in);
  return put > 0;
}

static void tn_process_end(tn_child *c) {
  if (c->group) TerminateJobObject(c->group, 1);
  TerminateProcess(c->process, 1);
  WaitForSingleObject(c->process, INFINITE);
}
static void tn_process_close_all(tn_child *c) {
  tn_process_close(&c->in); tn_process_close(&c->out); tn_process_close(&c->err);
  tn_process_close(&c->group); tn_process_close(&c->process);
}

static tiny_code tn_process_serve(tiny_ctx *t, void *arg) {
  tn_children *r = (tn_children *)arg;
  for (int next = 0, alive = 0; next < r->n || alive;) {
    int moved = 0;
    const int cancelled = tn_process_is_cancelled(t, r->job, r->n);
    if (cancelled) { tn_process_leave_out(r, next); next = r->n; }
    for (; next < r->n && alive < r->at_once; next++) {
      char why[64];
      const DWORD failed = tn_process_start(t, &r->child[next], &r->job[next]);
      snprintf(why, sizeof why, "error %lu", (unsigned long)failed);
      if (failed) tn_process_not_started(&r->job[next], why);
      else alive++;
    }
    for (int i = 0; i < next; i++) {
      tn_child *c = &r->child[i];
      DWORD code = 0;
      if (!c->process) continue;
      moved += tn_process_send(c, &r->job[i]);
      moved += tn_process_receive(&c->out, &r->job[i].out) + tn_process_receive(&c->err, &r->job[i].err);
      const int over = WaitForSingleObject(c->process, 0) == WAIT_OBJECT_0;
      const int how = tn_process_flooded(&r->job[i]) ? TN_JOB_FLOODED : over ? TN_JOB_BY_ITSELF
                      : cancelled ? TN_JOB_CANCELLED
                      : tn_os_now() > c->deadline ? TN_JOB_LATE : TN_JOB_BY_ITSELF;
      if (!over && how == TN_JOB_BY_ITSELF) continue;
      GetExitCodeProcess(c->process, &code);
      tn_process_end(c);
      while (how == TN_JOB_BY_ITSELF && !tn_process_flooded(&r->job[i]) &&
             tn_process_receive(&c->out, &r->job[i].out) + tn_process_receive(&c->err, &r->job[i].err)) continue;
      r->job[i].exit_code = how == TN_JOB_BY_ITSELF ? (int)code : 1;
      r->job[i].ended = how;
      r->job[i].over = 1;
      tn_process_close_all(c);
      alive--;
    }
    if (alive && !moved) Sleep(1);         // anonymous pipes cannot be waited for
  }
  return TINY_OK;
}

static void tn_process_kill(void *arg) {
  tn_children *r = (tn_children *)arg;
  for (int i = 0; i < r->n; i++) {
    tn_child *c = &r->child[i];
    if (c->process) tn_process_end(c);
    tn_process_close_all(c);
  }
}
static char *const *tn_process_environment(tiny_ctx *t, const char *temp) {
  (void)t; (void)temp;
  return NULL;
}
#ifndef TINY_NO_THREADS
static char *const *tn_process_environment_copy(tiny_ctx *t, char *const *from) { (void)t; return from; }
#endif
#endif

// Runs all jobs, at most at_once of them at a time, and returns when all have ended. TINY_E_MEMORY or
// TINY_OK: whether a job did well is for its exit code to say.
static tiny_code tn_process_run(tiny_ctx *t, tn_job *job, int n, int at_once) {
  tn_children r = { job, n, at_once < n ? at_once : n, NULL, 0 };
  r.child = (tn_child *)tn_scratch(t, (size_t)n * sizeof *r.child);
  if (!r.child) return TINY_E_MEMORY;
  for (int i = 0; i < n; i++) {
    const tiny_bytes none = { t, NULL, 0, 0 };
    job[i].out = job[i].err = none;
    job[i].exit_code = job[i].ended = job[i].over = 0;
#ifndef _WIN32
    r.child[i].io = r.child[i].err = r.child[i].life = -1;
#endif
  }
  return n > 0 ? tn_process_protect(t, tn_process_serve, tn_process_kill, &r) : TINY_OK;
}
#endif // TN_OS_PAGE
#endif
