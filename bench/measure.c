// measure: time, medians of interleaved rounds, the table of figures and its JSON. A part of bench.c.
enum { ROUNDS = 15, MOST_ROUNDS = 64, ROWS = 96 };

// ** time and statistics **

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
static void rest(double s) {                 // other libraries' threads spin for a while after their work
  const struct timespec t = {0, (long)(s * 1e9)};
  nanosleep(&t, NULL);
}

typedef struct series { double v[MOST_ROUNDS]; int n; } series;

static void add(series *s, double v) { if (s->n < MOST_ROUNDS) s->v[s->n++] = v; }
static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}
static double quantile(const series *s, double q) {
  double v[MOST_ROUNDS];
  if (!s->n) return (double)NAN;
  memcpy(v, s->v, sizeof v);
  qsort(v, (size_t)s->n, sizeof *v, ascending);
  return v[(int)(q * (s->n - 1) + 0.5)];
}
static double median(const series *s) { return quantile(s, 0.5); }
static double least(const series *s) { return quantile(s, 0); }
static double most(const series *s) { return quantile(s, 1); }

// Median over the rounds of a[i] / b[i].
static double ratio(const series *a, const series *b) {
  series r = {{0}, 0};
  for (int i = 0; i < a->n && i < b->n; i++) add(&r, a->v[i] / b->v[i]);
  return median(&r);
}

// ** the table **

typedef struct row { char name[64], note[96]; double value, best, bar; const char *unit; int at_least; } row;
static row rows[ROWS];
static int nrows;

static void print_row(row *r, const char *note, va_list args) {
  char limit[32] = "";
  const int ok = r->at_least ? r->value >= r->bar : r->value <= r->bar;
  vsnprintf(r->note, sizeof r->note, note, args);
  if (r->bar > 0) snprintf(limit, sizeof limit, "%s %g", r->at_least ? ">=" : "<=", r->bar);
  printf("  %-38s %10.3f %-7s best %9.3f  %-9s %-5s  %s\n", r->name, r->value, r->unit, r->best, limit,
         r->bar <= 0 ? "" : ok ? "ok" : "SHORT", r->note);
  fflush(stdout);
}
static row *new_row(const char *name, const char *unit, double bar) {
  row *r = &rows[nrows < ROWS - 1 ? nrows++ : nrows];
  snprintf(r->name, sizeof r->name, "%s", name);
  r->unit = unit; r->bar = bar;
  return r;
}

// A figure that should be at most bar (0: no bar).
static void report(const char *name, const series *s, const char *unit, double bar, const char *note, ...) {
  row *r = new_row(name, unit, bar);
  va_list args;
  r->value = median(s); r->best = least(s);
  va_start(args, note);
  print_row(r, note, args);
  va_end(args);
}
// How many times as fast as the reference, which should be at least bar.
static void compare(const char *name, const series *ours, const series *theirs, double bar,
                    const char *note, ...) {
  row *r = new_row(name, "x", bar);
  va_list args;
  r->value = ratio(ours, theirs); r->best = most(ours) / most(theirs); r->at_least = 1;
  va_start(args, note);
  print_row(r, note, args);
  va_end(args);
}
static void heading(const char *text) { printf("\n%s\n", text); }

static void write_json(const char *path) {
  FILE *f = fopen(path, "w");
  if (!f) return;
  fprintf(f, "[\n");
  for (int i = 0; i < nrows; i++) {
    const row *r = &rows[i];
    fprintf(f, "  {\"name\": \"%s\", \"value\": %.9g, \"best\": %.9g, ", r->name, r->value, r->best);
    fprintf(f, "\"unit\": \"%s\", ", r->unit);
    if (r->bar > 0) fprintf(f, "\"bar\": %g, \"at_least\": %s, ", r->bar, r->at_least ? "true" : "false");
    fprintf(f, "\"note\": \"%s\"}%s\n", r->note, i + 1 < nrows ? "," : "");
  }
  fprintf(f, "]\n");
  fclose(f);
}

static int failed(tiny_ctx *t) {
  if (tiny_status(t) == TINY_OK) return 0;
  printf("  failed: %s\n", tiny_error(t));
  return 1;
}

static double program_time(tiny_ctx *t, tiny_program *p, tiny_tensor *const *inputs) {
  tiny_tensor *out;
  const double start = seconds();
  tiny_begin(t);
  tiny_run(p, inputs, &out);
  tiny_end(t);
  return seconds() - start;
}

// Runs argv; its output goes to out. Returns the seconds until its first line came, NaN if none did.
static double run_process(char *const *argv, char *out, size_t nbytes) {
  int fd[2];
  size_t n = 0;
  double line = (double)NAN;
  pid_t child;
  posix_spawn_file_actions_t actions;
  if (pipe(fd)) return line;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fd[1], 1);
  posix_spawn_file_actions_addclose(&actions, fd[0]);
  posix_spawn_file_actions_addclose(&actions, fd[1]);
  const double start = seconds();
  const int bad = posix_spawnp(&child, argv[0], &actions, NULL, argv, environ);
  close(fd[1]);
  for (ssize_t got = !bad; got > 0 && n + 1 < nbytes; n += (size_t)got) {
    got = read(fd[0], out + n, nbytes - 1 - n);
    if (got < 0) got = 0;
    if (line != line && memchr(out + n, '\n', (size_t)got)) line = seconds() - start;
  }
  out[n] = 0;
  close(fd[0]);
  if (!bad) waitpid(child, NULL, 0);
  posix_spawn_file_actions_destroy(&actions);
  return line;
}
