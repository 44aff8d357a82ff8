// stdlib.h: as string.h beside it.
#ifndef TINY_APPLE_STDLIB
#define TINY_APPLE_STDLIB
#include <stddef.h>
void *malloc(size_t n);
void *calloc(size_t n, size_t size);
void *realloc(void *p, size_t n);
void free(void *p);
char *getenv(const char *name);
unsigned long long strtoull(const char *restrict text, char **restrict end, int base);
#endif
