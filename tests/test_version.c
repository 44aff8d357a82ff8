// version: an implementation says which release it is, how it was compiled, and what its codes are called.
#include "../src/all.c"
#include "test.h"

static void test_names(void) {
  CHECK(!strcmp(tiny_code_name(TINY_OK), "TINY_OK"));
  CHECK(!strcmp(tiny_code_name(TINY_E_ARG), "TINY_E_ARG"));
  CHECK(!strcmp(tiny_code_name(TINY_E_SHAPE), "TINY_E_SHAPE"));
  CHECK(!strcmp(tiny_code_name(TINY_E_DTYPE), "TINY_E_DTYPE"));
  CHECK(!strcmp(tiny_code_name(TINY_E_MEMORY), "TINY_E_MEMORY"));
  CHECK(!strcmp(tiny_code_name(TINY_E_DEVICE), "TINY_E_DEVICE"));
  CHECK(!strcmp(tiny_code_name(TINY_E_COMPILE), "TINY_E_COMPILE"));
  CHECK(!strcmp(tiny_code_name(TINY_E_IO), "TINY_E_IO"));
  CHECK(!strcmp(tiny_code_name(TINY_E_STATE), "TINY_E_STATE"));
  CHECK(!strcmp(tiny_code_name(TINY_E_INTERNAL), "TINY_E_INTERNAL"));
  CHECK(!strcmp(tiny_code_name(TINY_E_CANCELLED), "TINY_E_CANCELLED"));
  CHECK(!strcmp(tiny_code_name((tiny_code)(TINY_E_CANCELLED + 1)), "?"));
  CHECK(!strcmp(tiny_code_name(TINY_MORE), "TINY_MORE"));
  CHECK(!strcmp(tiny_code_name((tiny_code)-2), "?"));
}

static void test_build(void) {
  char release[32];
  snprintf(release, sizeof release, "%d.%d.", TINY_VERSION_MAJOR, TINY_VERSION_MINOR);
  CHECK(!strcmp(tiny_version(), TINY_VERSION));
  CHECK(!strncmp(tiny_version(), release, strlen(release)));
  CHECK(!strncmp(tiny_build_options(), "source in development; C 2", 26));
#if defined(__clang__)
  CHECK(strstr(tiny_build_options(), " by clang ") != NULL);
#elif defined(__GNUC__)
  CHECK(strstr(tiny_build_options(), " by gcc ") != NULL);
#endif
#ifdef __x86_64__
  CHECK(strstr(tiny_build_options(), " for x86-64") != NULL);
#endif
  CHECK(!strstr(tiny_build_options(), "TINY_NO_"));          // a test has all parts
}

int main(void) {
  test_names();
  test_build();
  return test_report();
}
