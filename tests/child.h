// child: a process that must not hang: what it exits with, or -1 where it dies or takes more than a minute.
#ifndef CHILD_H
#define CHILD_H
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
static int child_result(pid_t pid) {
  int status = 0;
  for (int i = 0; i < 6000; i++) {
    if (waitpid(pid, &status, WNOHANG) == pid) return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    usleep(10000);
  }
  kill(pid, SIGKILL);
  waitpid(pid, &status, 0);
  return -1;
}
#endif
