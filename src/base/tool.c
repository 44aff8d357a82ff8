// tool: programs of others, run as processes that read and write memory: nothing of it has a name in a folder.
//
// In:    a path, words, a text. Out: how the process ended; what it made of the text, by malloc, and what it said.
// Holds: it stands in companion headers, as library.c does, and uses driver.c alone. Elsewhere than on Linux there is
//        no such memory: no program is found.
// What is what: Linux, memfd_create(2); POSIX, posix_spawn.
#ifndef TN_BASE_TOOL
#define TN_BASE_TOOL
#ifndef TINY_AMALGAMATED
#include "driver.c"
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#endif

typedef struct tn_tool_made { void *bytes; size_t nbytes; char log[2048]; } tn_tool_made;       // bytes by malloc
enum { TN_TOOL_WORDS = 24 };

#ifdef __linux__
#if defined(__STRICT_ANSI__) && !defined(__cplusplus)
extern long syscall(long number, ...);
extern int ftruncate(int fd, off_t nbytes);
#endif
#ifndef __cplusplus
extern char **environ;
#endif
// A file in memory alone, which a child inherits. Below 0: the kernel has none (Linux 3.17).
static int tn_tool_file(const char *name) {
#ifdef SYS_memfd_create
  return (int)syscall(SYS_memfd_create, name, 0u);
#else
  (void)name;
  return -1;
#endif
}
static int tn_tool_write(int fd, const char *data, size_t nbytes) {
  for (size_t at = 0; at < nbytes; ) {
    const ssize_t n = write(fd, data + at, nbytes - at);
    if (n < 0 && errno != EINTR) return 0;
    if (n > 0) at += (size_t)n;
  }
  return lseek(fd, 0, SEEK_SET) == 0;
}
// By malloc; *nbytes of it, and a 0. NULL: nothing is there, or no memory.
static char *tn_tool_read(int fd, size_t *nbytes) {
  const off_t end = lseek(fd, 0, SEEK_END);
  char *data = end > 0 && lseek(fd, 0, SEEK_SET) == 0 ? (char *)malloc((size_t)end + 1) : NULL;
  *nbytes = 0;
  while (data && *nbytes < (size_t)end) {
    const ssize_t n = read(fd, data + *nbytes, (size_t)end - *nbytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    *nbytes += (size_t)n;
  }
  if (data) data[*nbytes] = 0;
  return data;
}
// 0: it ended well. What it says goes to the file `said`.
static int tn_tool_run(const char *path, char *const *words, int said) {
  posix_spawn_file_actions_t actions;
  pid_t pid = 0;
  int status = -1;
  if (posix_spawn_file_actions_init(&actions)) return -1;
  posix_spawn_file_actions_adddup2(&actions, said, 1);
  posix_spawn_file_actions_adddup2(&actions, said, 2);
  const int failed = posix_spawn(&pid, path, &actions, NULL, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed) return -1;
  while (waitpid(pid, &status, 0) < 0) {
    if (errno == EINTR) continue;
    return errno == ECHILD ? 0 : -1;       // the host ignores SIGCHLD: what was written tells
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
// words, ended by NULL: "<" is the file that holds the text, ">" the one that is to be written. 0: it was.
static int tn_tool_make(const char *path, const char *const *words, const char *text, tn_tool_made *made) {
  const int in = tn_tool_file("in"), out = tn_tool_file("out"), said = tn_tool_file("said");
  char from[32], to[32], *word[TN_TOOL_WORDS + 1];
  int n = 0, result = -1;
  snprintf(from, sizeof from, "/proc/self/fd/%d", in);
  snprintf(to, sizeof to, "/proc/self/fd/%d", out);
  for (; words[n] && n < TN_TOOL_WORDS; n++) {
    const char *one = !strcmp(words[n], "<") ? from : !strcmp(words[n], ">") ? to : words[n];
    memcpy(&word[n], &one, sizeof one);    // posix_spawn writes none of them
  }
  word[n] = NULL;
  if (in >= 0 && out >= 0 && said >= 0 && tn_tool_write(in, text, strlen(text))) {
    result = tn_tool_run(path, word, said);
    if (!result) made->bytes = tn_tool_read(out, &made->nbytes);
    if (!made->bytes) {
      size_t nbytes;
      char *log = tn_tool_read(said, &nbytes);
      if (log) snprintf(made->log, sizeof made->log, "%s", log);
      free(log);
      if (!result) result = -1;
    }
  }
  if (in >= 0) close(in);
  if (out >= 0) close(out);
  if (said >= 0) close(said);
  return result;
}
static int tn_tool_is_program(const char *path) { return *path == '/' && access(path, X_OK) == 0; }
#else
static int tn_tool_make(const char *path, const char *const *words, const char *text, tn_tool_made *made) {
  (void)path; (void)words; (void)text; (void)made;
  return -1;
}
static int tn_tool_is_program(const char *path) { (void)path; return 0; }
#endif
// The first of `names`, ended by NULL, that a folder of PATH has which is absolute. 0: none has.
static int tn_tool_find(const char *const *names, char *out, size_t nbytes) {
  for (; *names; names++)
    for (const char *path = getenv("PATH"); path && *path; ) {
      const size_t n = strcspn(path, ":");
      if (*path == '/' && n < 250) {
        snprintf(out, nbytes, "%.*s/%s", (int)n, path, *names);
        if (tn_tool_is_program(out)) return 1;
      }
      path += n + (path[n] == ':');
    }
  return 0;
}
#endif
