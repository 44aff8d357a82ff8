// torch: PyTorch as a racer: a child process (torch_peer.py) that lives as long as the bench and is asked by lines, so
// that its passes run between ours. It times itself; the pipe costs nothing that counts. A part of bench.c.
static struct { pid_t pid; FILE *ask, *answer; int tried; char version[64]; } torch;

static void torch_end(void) {
  if (torch.pid <= 0) return;
  fclose(torch.ask); fclose(torch.answer);
  waitpid(torch.pid, NULL, 0);
  torch.pid = 0;
}

static int torch_spawn(char *python) {
  char threads[16], line[256], *argv[] = {python, "-W", "ignore", "bench/torch_peer.py", threads, NULL};
  int in[2], out[2];
  posix_spawn_file_actions_t actions;
  snprintf(threads, sizeof threads, "%d", cores());
  if (pipe2(in, O_CLOEXEC)) return 0;
  if (pipe2(out, O_CLOEXEC)) { close(in[0]); close(in[1]); return 0; }
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], 0);
  posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  if (posix_spawnp(&torch.pid, python, &actions, NULL, argv, environ)) torch.pid = 0;
  posix_spawn_file_actions_destroy(&actions);
  close(in[0]); close(out[1]);
  torch.ask = fdopen(in[1], "w");
  torch.answer = fdopen(out[0], "r");
  if (torch.pid && fgets(line, sizeof line, torch.answer) && sscanf(line, "torch %63s", torch.version) == 1) return 1;
  if (torch.pid) torch_end();
  else { fclose(torch.ask); fclose(torch.answer); }
  return 0;
}

// Is PyTorch there? The first call starts it. Its vectors are as wide as the processor's, and its matrix products are
// OpenBLAS's, which matmul.c sets up.
static int torch_here(void) {
  if (torch.tried) return torch.pid > 0;
  torch.tried = 1;
  choose_core_type();
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512bw")) setenv("ATEN_CPU_CAPABILITY", "avx512", 0);
#endif
  signal(SIGPIPE, SIG_IGN);
  if (torch_spawn("/usr/bin/python3") || torch_spawn("python3")) return 1;
  printf("  PyTorch is not installed (tools/setup.sh bench): left out\n");
  return 0;
}

// One line there, one line back, without its end. 0: the child died.
static int torch_say(char *answer, size_t size, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vfprintf(torch.ask, format, args);
  va_end(args);
  putc('\n', torch.ask);
  fflush(torch.ask);
  if (!fgets(answer, (int)size, torch.answer)) { torch_end(); return 0; }
  answer[strcspn(answer, "\n")] = 0;
  return 1;
}

static double torch_run(void *arg) {
  char answer[256];
  (void)arg;
  return torch.pid > 0 && torch_say(answer, sizeof answer, "run") ? atof(answer) : (double)NAN;
}
// The racer that runs `what` (a function of torch_peer.py and its numbers), which replaces what ran before. 0: none.
static int torch_racer(racer *r, const char *what) {
  char answer[1024];
  if (!torch_here() || !torch_say(answer, sizeof answer, "load %s", what)) return 0;
  if (strcmp(answer, "ok")) { printf("  PyTorch, %s: %s\n", what, answer); return 0; }
  *r = (racer){.name = "PyTorch", .run = torch_run, .foreign = 1};
  return 1;
}
// How far the first values of PyTorch's result (at most 1000) are from ours, relative to the greatest of them.
static double torch_apart(const float *ours, int64_t n) {
  static char answer[1 << 16];
  double off = 0, scale = 0;
  char *at = answer;
  if (torch.pid <= 0 || !torch_say(answer, sizeof answer, "out")) return (double)NAN;
  for (int64_t i = 0; i < n && i < 1000; i++) {
    char *end;
    const double theirs = strtod(at, &end);
    if (end == at) return (double)NAN;
    at = end;
    off = fmax(off, fabs(theirs - ours[i]));
    scale = fmax(scale, fabs(theirs));
    if (off != off || ours[i] != ours[i]) return (double)NAN;
  }
  return scale > 0 ? off / scale : off;
}
