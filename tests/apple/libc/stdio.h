// stdio.h: as string.h beside it.
#ifndef TINY_APPLE_STDIO
#define TINY_APPLE_STDIO
#include <stdarg.h>
#include <stddef.h>
int snprintf(char *restrict out, size_t n, const char *restrict format, ...) __attribute__((format(printf, 3, 4)));
int vsnprintf(char *restrict out, size_t n, const char *restrict format, va_list args);
int sscanf(const char *restrict text, const char *restrict format, ...) __attribute__((format(scanf, 2, 3)));
#endif
