// test: the few macros that every test program uses. A program ends with `return test_report();`.
//
// What is counted is a place that is checked. Checked again right away, as by a loop over an array, it is counted once,
// and the first failure is what is shown, with how many came before. case_named(name) begins a case, and is 0 where
// TEST_ONLY=beginning leaves it out; case_seeded(s) begins a random one. In a case each place counts once, and what
// fails prints the command that repeats it alone.
#ifndef TEST_H
#define TEST_H
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef TEST_SIZES                          // the test shares an object of the library (tools/library.py)
  #include TEST_SIZES
#endif

#ifndef TEST_PROGRAM                       // the Makefile says what is built
  #define TEST_PROGRAM __FILE__
#endif

static int test_passed, test_failed;
// A place that is checked: how often it was, and how often it failed.
typedef struct test_place { const char *what; int line; long turn, wrong; } test_place;
static struct test_state {
  test_place place[64], *last;             // of the case; without a case, the last place alone
  int nplace, told;                        // told: the case has said how to repeat it
  char name[200], again[260];              // "": no case
} test_state;

static void test_check(int ok, const char *file, int line, const char *what) {
  struct test_state *s = &test_state;
  int i = 0;
  while (i < s->nplace && (s->place[i].line != line || s->place[i].what != what)) i++;
  if (i == s->nplace) {
    if (!*s->name || i == sizeof s->place / sizeof *s->place) i = 0;
    s->nplace = i + 1;
    s->place[i] = (test_place){what, line, 0, 0};
    test_passed++;
  }
  test_place *p = s->last = &s->place[i];
  p->turn++;
  if (ok || p->wrong++) return;
  test_passed--; test_failed++;
  fprintf(stderr, "%s:%d: failed%s%s: %s\n", file, line, *s->name ? " in " : "", s->name, what);
  if (p->turn > 1) fprintf(stderr, "    the first to fail here, after %ld\n", p->turn - 1);
  if (*s->again && !s->told++) fprintf(stderr, "    again: %s " TEST_PROGRAM "\n", s->again);
}
static int test_shown(void) { return test_state.last->wrong == 1; }         // was the failure of the last check shown?

static void case_end(void) { memset(&test_state, 0, sizeof test_state); }
// A case of that name begins.
static int case_named(const char *format, ...) {
  const char *only = getenv("TEST_ONLY");
  va_list args;
  case_end();
  va_start(args, format);
  vsnprintf(test_state.name, sizeof test_state.name, format, args);
  va_end(args);
  snprintf(test_state.again, sizeof test_state.again, "TEST_ONLY='%s'", test_state.name);
  return !only || !strncmp(only, test_state.name, strlen(only));
}
// command: what repeats it alone.
static void case_seeded(unsigned long long seed, const char *command) {
  case_end();
  snprintf(test_state.name, sizeof test_state.name, "seed %llu", seed);
  snprintf(test_state.again, sizeof test_state.again, command, seed);
}
static unsigned long long test_from(unsigned long long usual) {
  const char *from = getenv("TEST_FROM");
  return from ? strtoull(from, NULL, 10) : usual;
}

static void test_check_eq(long long a, long long b, const char *file, int line, const char *what) {
  test_check(a == b, file, line, what);
  if (a != b && test_shown()) fprintf(stderr, "    %lld != %lld\n", a, b);
}

static void test_check_str(const char *a, const char *b, const char *file, int line, const char *what) {
  const int ok = a && b && strcmp(a, b) == 0;
  test_check(ok, file, line, what);
  if (!ok && test_shown()) fprintf(stderr, "    got:  %s\n    want: %s\n", a ? a : "(null)", b ? b : "(null)");
}

// How often: as usual, or a tenth of that where $TEST_BRIEF is set, by `make check` and by `make test` for tests with a line
// `// brief:`; or $TEST_ROUNDS.
static int test_some(int usual) { return getenv("TEST_BRIEF") ? (usual + 9) / 10 : usual; }
static int test_brief(int brief, int usual) { return getenv("TEST_BRIEF") ? brief : usual; }
static size_t test_step(void) { return getenv("TEST_BRIEF") ? 5 : 1; }     // of many alike, every so many
static int test_rounds(int usual) {
  const char *rounds = getenv("TEST_ROUNDS");
  return rounds ? atoi(rounds) : test_some(usual);
}

#define CHECK(cond) test_check(!!(cond), __FILE__, __LINE__, #cond)
#define CHECK_EQ(a, b) test_check_eq((long long)(a), (long long)(b), __FILE__, __LINE__, #a " == " #b)
#define CHECK_STR(a, b) test_check_str(a, b, __FILE__, __LINE__, #a " == " #b)

// Any test can be run in any locale of the host's: TEST_LOCALE=de_DE.UTF-8 (test_locale.sh).
#if defined(__GNUC__) || defined(__clang__)
__attribute__((constructor)) static void test_locale(void) {
  const char *name = getenv("TEST_LOCALE");
  if (!name || setlocale(LC_ALL, name)) return;
  fprintf(stderr, "there is no locale %s\n", name);
  exit(2);
}
#endif

static int test_report(void) {
  printf("%d passed, %d failed\n", test_passed, test_failed);
  return test_failed != 0;
}
#endif
