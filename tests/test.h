// test: the few macros that every test program uses. A program ends with `return test_report();`.
#ifndef TEST_H
#define TEST_H
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int test_passed, test_failed;

static void test_check(int ok, const char *file, int line, const char *what) {
  if (ok) { test_passed++; return; }
  test_failed++;
  fprintf(stderr, "%s:%d: failed: %s\n", file, line, what);
}

static void test_check_eq(long long a, long long b, const char *file, int line, const char *what) {
  test_check(a == b, file, line, what);
  if (a != b) fprintf(stderr, "    %lld != %lld\n", a, b);
}

static void test_check_str(const char *a, const char *b, const char *file, int line, const char *what) {
  const int ok = a && b && strcmp(a, b) == 0;
  test_check(ok, file, line, what);
  if (!ok) fprintf(stderr, "    got:  %s\n    want: %s\n", a ? a : "(null)", b ? b : "(null)");
}

// How often: as usual, or a tenth of that for `make check`, which sets $TEST_BRIEF; or $TEST_ROUNDS.
static int test_some(int usual) { return getenv("TEST_BRIEF") ? (usual + 9) / 10 : usual; }
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
