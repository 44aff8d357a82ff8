// measure: time, medians of interleaved rounds, races, the table of figures and its JSON. A part of bench.c.
enum { MOST_ROUNDS = 64, ROWS = 256, RACERS = 20 };
static int rounds = 15;                      // of a race at most; at least 3
static double budget = 3;                    // seconds that a race may take, then it ends after its third round
static const char *only;                     // rows that contain this are measured; NULL: all

static int wanted(const char *name) { return !only || strstr(name, only) != NULL; }
static int cores(void) { return (int)sysconf(_SC_NPROCESSORS_ONLN); }

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

// ** races: what is compared runs in turn **

// run(arg) returns the seconds of one pass. foreign: its threads are not ours, and may spin after their work.
typedef struct racer { const char *name; double (*run)(void *arg); void *arg; int foreign; series rate; } racer;

// Rates are work per second. A round times the best of several passes of each, so that what one has left in the
// caches does not count for the next; the first passes, before the rounds, are not counted.
static void race(racer *r, int n, double work) {
  int repeats[RACERS];
  for (int i = 0; i < n; i++) {
    double once = r[i].run(r[i].arg);
    for (int k = 0; k < (once > 0.1 ? 1 : 4); k++) once = fmin(once, r[i].run(r[i].arg));
    r[i].rate.n = 0;
    repeats[i] = once > 0.2 ? 1 : once > 0.01 ? 2 : once > 0.0005 ? (int)(0.025 / once) : 50;
  }
  const double start = seconds();
  for (int round = 0; round < rounds && (round < 3 || seconds() - start < budget); round++)
    for (int i = 0; i < n; i++) {
      double best = HUGE_VAL;
      if (r[i].foreign || r[i ? i - 1 : n - 1].foreign) rest(0.03);
      for (int k = 0; k < repeats[i]; k++) best = fmin(best, r[i].run(r[i].arg));
      add(&r[i].rate, work / best);
    }
}
// The fastest of r[0..n-1] that carries a rate.
static const racer *fastest(const racer *r, int n) {
  const racer *best = r;
  for (int i = 1; i < n; i++) if (median(&r[i].rate) > median(&best->rate)) best = &r[i];
  return best;
}

// ** the table **

typedef struct row {
  char name[64], note[160]; const char *section, *unit; double value, best, bar; int at_least;
} row;
static row rows[ROWS];
static int nrows;
static const char *section = "";
static char machine[1024];                   // lines that describe what all of this ran on

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
  r->section = section; r->unit = unit; r->bar = bar;
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
// One figure that needs no rounds, as report, or, at_least, one that should be at least bar.
static void state(const char *name, double value, const char *unit, double bar, int at_least,
                  const char *note, ...) {
  row *r = new_row(name, unit, bar);
  va_list args;
  r->value = r->best = value; r->at_least = at_least;
  va_start(args, note);
  print_row(r, note, args);
  va_end(args);
}
// How many times as fast as the reference, which should be at least bar. Both are rates.
static void compare(const char *name, const series *ours, const series *theirs, double bar,
                    const char *note, ...) {
  row *r = new_row(name, "x", bar);
  va_list args;
  r->value = ratio(ours, theirs); r->best = most(ours) / most(theirs); r->at_least = 1;
  va_start(args, note);
  print_row(r, note, args);
  va_end(args);
}

// Geometric mean of what was added.
typedef struct mean { double logs; int n; } mean;
static void mean_add(mean *m, double ratio) { m->logs += log(ratio); m->n++; }
static void report_mean(const char *name, const mean *m, double bar) {
  if (m->n && !only) state(name, exp(m->logs / m->n), "x", bar, 1, "geometric mean of %d", m->n);
}

static void heading(const char *text) {
  section = text;
  printf("\n%s\n", text);
}

static void write_text(FILE *f, const char *s) {
  putc('"', f);
  for (; *s; s++) {
    if (*s == '\n') fputs("\\n", f);
    else { if (*s == '"' || *s == '\\') putc('\\', f); putc(*s, f); }
  }
  putc('"', f);
}
static void write_json(const char *path) {
  FILE *f = fopen(path, "w");
  if (!f) return;
  fprintf(f, "{\"machine\": ");
  write_text(f, machine);
  fprintf(f, ",\n \"rows\": [\n");
  for (int i = 0; i < nrows; i++) {
    const row *r = &rows[i];
    fprintf(f, "  {\"section\": ");
    write_text(f, r->section);
    fprintf(f, ", \"name\": ");
    write_text(f, r->name);
    fprintf(f, ", \"value\": %.9g, \"best\": %.9g, \"unit\": \"%s\", ", r->value, r->best, r->unit);
    if (r->bar > 0) fprintf(f, "\"bar\": %g, \"at_least\": %s, ", r->bar, r->at_least ? "true" : "false");
    fprintf(f, "\"note\": ");
    write_text(f, r->note);
    fprintf(f, "}%s\n", i + 1 < nrows ? "," : "");
  }
  fprintf(f, "]}\n");
  fclose(f);
}

// ** what is raced **

static int failed(tiny_ctx *t) {
  if (tiny_status(t) == TINY_OK) return 0;
  printf("  failed: %s\n", tiny_error(t));
  return 1;
}

static double program_time(tiny_ctx *t, tiny_program *p, tiny_tensor *const *inputs) {
  tiny_tensor *out[64];
  const double start = seconds();
  tiny_begin(t);
  tiny_run(p, inputs, out);
  tiny_end(t);
  return seconds() - start;
}
typedef struct program { tiny_ctx *t; tiny_program *p; tiny_tensor *const *in; } program;
static double program_run(void *arg) {
  const program *p = arg;
  return program_time(p->t, p->p, p->in);
}

#include "numbers.h"

// ** processes **

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
