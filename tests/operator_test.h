// operator_test: what the tests of plain operators share: errors with their messages, values as doubles.
#ifndef OPERATOR_TEST_H
#define OPERATOR_TEST_H
#include "../src/all.c"
#include "test.h"

static tiny_ctx *t;

static int bad(const tiny_tensor *x, tiny_code code, const char *message) {
  const int ok = !tiny_ok(x) && tiny_status(t) == code && strstr(tiny_error(t), message) != NULL;
  if (!ok) fprintf(stderr, "    %d \"%s\"\n    wanted %d \"%s\"\n", (int)tiny_status(t), tiny_error(t), (int)code, message);
  tiny_clear(t);
  return ok;
}
#define BAD(x, code, message) CHECK(bad(x, code, message))

enum { MOST = 1 << 17 };
static double got[MOST];
static int64_t values(tiny_tensor *x) {        // into got; how many, or -1
  const int64_t n = tiny_nelem_of(x);
  x = tiny_cast(x, TINY_F64);
  if (tiny_ok(x) && n <= MOST && tiny_read(x, got, (size_t)n * 8) == TINY_OK) return n;
  fprintf(stderr, "    %s\n", tiny_error(t));
  tiny_clear(t);
  return -1;
}
#endif
