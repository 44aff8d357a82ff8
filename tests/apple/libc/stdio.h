// stdio.h: as string.h beside it.
#ifndef TINY_APPLE_STDIO
#define TINY_APPLE_STDIO
#include <stdarg.h>
#include <stddef.h>
int snprintf(char *restrict out, size_t n, const char *restrict format, ...) __attribute__((format(printf, 3, 4)));
int vsnprintf(char *restrict out, size_t n, const char *restrict format, va_list args);
typedef struct __sFILE FILE;
FILE *fopen(const char *restrict path, const char *restrict mode);
size_t fwrite(const void *restrict data, size_t each, size_t n, FILE *restrict f);
int fclose(FILE *f);
int remove(const char *path);
int sscanf(const char *restrict text, const char *restrict format, ...) __attribute__((format(scanf, 2, 3)));
#endif
