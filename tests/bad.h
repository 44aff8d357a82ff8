// bad: calls that must fail.
#ifndef BAD_H
#define BAD_H
// BAD(expr, code, "start of the message"): expr gives poison and records that error in the context t.
#define BAD(expr, c, text) do { \
    tiny_tensor *bad_ = (expr); \
    CHECK(!tiny_ok(bad_)); \
    CHECK_EQ(tiny_status(t), c); \
    if (strncmp(tiny_error(t), text, strlen(text))) CHECK_STR(tiny_error(t), text); \
    tiny_clear(t); \
  } while (0)
#endif
