// process: runs child processes, several at a time, each fed from memory and heard into memory.
//
// In:  jobs: argv, and the bytes of stdin. Out: the bytes of stdout and stderr and the exit code, in scratch
//      memory. One thread serves all children through poll(). A child's stdin and stdout are one socket, its
//      stderr another: a socket, unlike a pipe, can be written without a SIGPIPE when the child has died, and
//      so no signal handling is touched. The sockets close on exec, so that children don't inherit each
//      other's ends.
// When memory runs out in between, the children are killed, waited for and their sockets closed before it
// unwinds.
#ifndef TN_BASE_PROCESS
#define TN_BASE_PROCESS
#ifndef TINY_AMALGAMATED
#include "os.c"
#endif

typedef struct tn_job {
  const char *const *argv;                 // argv[0]: the program's path; NULL ends the list
  const char *input; size_t input_nbytes;
  tiny_bytes out, err;
  int exit_code;                           // killed: 128 + the signal; not started: 127
} tn_job;

typedef struct tn_child tn_child;
typedef struct tn_children { tn_job *job; int n, at_once; tn_child *child; } tn_children;

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
  tn_text_add(&job->err, "%s could not be started: %s\n", job->argv[0], why);
  return TINY_OK;
}

#ifndef _WIN32

struct tn_child { pid_t pid; int io, err, alive; size_t sent; };

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

static int tn_process_spawn(pid_t *pid, const char *const *argv, int io, int err) {
  posix_spawn_file_actions_t actions;
  int failed = posix_spawn_file_actions_init(&actions);
  if (failed) return failed;
  failed = posix_spawn_file_actions_adddup2(&actions, io, 0);
  if (!failed) failed = posix_spawn_file_actions_adddup2(&actions, io, 1);
  if (!failed) failed = posix_spawn_file_actions_adddup2(&actions, err, 2);
  if (!failed) failed = posix_spawn(pid, argv[0], &actions, NULL, (char *const *)argv, TN_OS_ENVIRON);
  posix_spawn_file_actions_destroy(&actions);
  return failed;
}

// 0, or the errno that says why not.
static int tn_process_start(tn_child *c, const tn_job *job) {
  int io[2], err[2], failed = 0;
  if (!tn_process_socketpair(io)) return errno;
  if (!tn_process_socketpair(err)) failed = errno;
  if (!failed) failed = tn_process_spawn(&c->pid, job->argv, io[1], err[1]);
  tn_process_close(&io[1]); tn_process_close(&err[1]);
  if (failed) { tn_process_close(&io[0]); tn_process_close(&err[0]); return failed; }
  c->io = io[0]; c->err = err[0]; c->sent = 0; c->alive = 1;
  return 0;
}

// Waits for the end of a child that has closed its outputs. A host that reaps all children itself hides the
// exit code; it then counts as 0, and the caller sees from the output whether the child did its work.
static int tn_process_reap(tn_child *c) {
  int status = 0;
  pid_t got;
  do got = waitpid(c->pid, &status, 0); while (got < 0 && errno == EINTR);
  c->alive = 0;
  if (got < 0) return 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
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

static void tn_process_receive(int *fd, tiny_bytes *to) {
  char piece[2048];
  for (;;) {
    const ssize_t got = recv(*fd, piece, sizeof piece, MSG_DONTWAIT);
    if (got > 0) { tiny_bytes_add(to, piece, (size_t)got); continue; }
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    tn_process_close(fd);                  // the end; ECONNRESET when the child left input unread
    return;
  }
}

// Starts jobs while there is room. Returns the index of the first job that still has to be started.
static int tn_process_fill(tn_children *r, int next, int *alive) {
  while (next < r->n && *alive < r->at_once) {
    const int why = tn_process_start(&r->child[next], &r->job[next]);
    const int crowded = why == EMFILE || why == ENFILE || why == EAGAIN || why == ENOMEM;
    if (crowded && *alive) return next;    // when another has ended there is room again
    if (why) tn_process_not_started(&r->job[next], strerror(why));
    else {
      ++*alive;
      tn_process_send(&r->child[next], &r->job[next]);
    }
    next++;
  }
  return next;
}

static tiny_code tn_process_serve(tiny_ctx *t, void *arg) {
  tn_children *r = (tn_children *)arg;
  struct pollfd *wait = (struct pollfd *)tn_scratch(t, (size_t)r->at_once * 2 * sizeof *wait);
  int alive = 0, next = tn_process_fill(r, 0, &alive);
  while (alive) {
    int nwait = 0;
    for (int i = 0; i < next; i++) {
      const tn_child *c = &r->child[i];
      if (c->io >= 0) {
        wait[nwait].fd = c->io;
        wait[nwait++].events = (short)(c->sent < r->job[i].input_nbytes ? POLLIN | POLLOUT : POLLIN);
      }
      if (c->err >= 0) { wait[nwait].fd = c->err; wait[nwait++].events = POLLIN; }
    }
    poll(wait, (nfds_t)nwait, -1);         // whatever it says, the calls below don't block
    for (int i = 0; i < next; i++) {
      tn_child *c = &r->child[i];
      if (c->io >= 0 && c->sent < r->job[i].input_nbytes) tn_process_send(c, &r->job[i]);
      if (c->io >= 0) tn_process_receive(&c->io, &r->job[i].out);
      if (c->err >= 0) tn_process_receive(&c->err, &r->job[i].err);
      if (c->alive && c->io < 0 && c->err < 0) { r->job[i].exit_code = tn_process_reap(c); alive--; }
    }
    next = tn_process_fill(r, next, &alive);
  }
  return TINY_OK;
}

static void tn_process_kill(void *arg) {
  tn_children *r = (tn_children *)arg;
  for (int i = 0; i < r->n; i++) if (r->child[i].alive) {
    kill(r->child[i].pid, SIGKILL);
    tn_process_close(&r->child[i].io); tn_process_close(&r->child[i].err);
    tn_process_reap(&r->child[i]);
  }
}

#else

struct tn_child { HANDLE process, in, out, err; size_t sent; };

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
      !CreateProcessA(job->argv[0], line.data, NULL, NULL, TRUE, CREATE_NO_WINDOW, NULL, NULL, &setup, &made))
    why = GetLastError();
  tn_process_close(&setup.hStdInput); tn_process_close(&setup.hStdOutput); tn_process_close(&setup.hStdError);
  if (why) { tn_process_close(&c->in); tn_process_close(&c->out); tn_process_close(&c->err); return why; }
  CloseHandle(made.hThread);
  c->process = made.hProcess;
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

static tiny_code tn_process_serve(tiny_ctx *t, void *arg) {
  tn_children *r = (tn_children *)arg;
  for (int next = 0, alive = 0; next < r->n || alive;) {
    int moved = 0;
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
      if (c->out || c->err) continue;
      WaitForSingleObject(c->process, INFINITE);
      GetExitCodeProcess(c->process, &code);
      r->job[i].exit_code = (int)code;
      tn_process_close(&c->in); tn_process_close(&c->process);
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
    if (c->process) { TerminateProcess(c->process, 1); WaitForSingleObject(c->process, INFINITE); }
    tn_process_close(&c->in); tn_process_close(&c->out); tn_process_close(&c->err);
    tn_process_close(&c->process);
  }
}
#endif

// Runs all jobs, at most at_once of them at a time, and returns when all have ended. TINY_E_MEMORY or
// TINY_OK: whether a job did well is for its exit code to say.
static tiny_code tn_process_run(tiny_ctx *t, tn_job *job, int n, int at_once) {
  tn_children r = { job, n, at_once < n ? at_once : n, NULL };
  r.child = (tn_child *)tn_scratch(t, (size_t)n * sizeof *r.child);
  if (!r.child) return TINY_E_MEMORY;
  for (int i = 0; i < n; i++) {
    const tiny_bytes none = { t, NULL, 0, 0 };
    job[i].out = job[i].err = none;
    job[i].exit_code = 0;
#ifndef _WIN32
    r.child[i].io = r.child[i].err = -1;
#endif
  }
  return n > 0 ? tn_process_protect(t, tn_process_serve, tn_process_kill, &r) : TINY_OK;
}
#endif
