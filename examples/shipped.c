// shipped: what ship.c saved, run by the part of tiny.h that only runs: no front end, no rules, no planning.
//   cc -std=c11 -Os -I. examples/shipped.c -o shipped -lm -lpthread
//   ./shipped [FILE]
#define TINY_RUNTIME_ONLY
#define TINY_IMPLEMENTATION
#include "tiny.h"
#include <stdio.h>

enum { ROWS = 24, COLUMNS = 48 };

int main(int argc, char **argv) {
  static float point[ROWS * COLUMNS][2], answer[ROWS * COLUMNS];
  tiny_ctx *t = tiny_open(NULL);
  // trusted: the file comes from where this program comes from, and its machine code may run
  const char *path = argc > 1 ? argv[1] : "ring.tiny";
  tiny_program *p = tiny_program_load(t, &(tiny_program_source){.path = path, .trusted = 1});
  for (int i = 0; i < ROWS * COLUMNS; i++) {
    point[i][0] = 2 * (float)(i % COLUMNS) / (COLUMNS - 1) - 1;
    point[i][1] = 2 * (float)(i / COLUMNS) / (ROWS - 1) - 1;
  }
  if (tiny_program_call(p, (const void *const[]){point}, (void *const[]){answer}) == TINY_OK)
    for (int i = 0; i < ROWS * COLUMNS; i++)
      printf("%c%s", " .:-=+*#%@"[(int)(answer[i] * 9.99f)], i % COLUMNS == COLUMNS - 1 ? "\n" : "");
  tiny_program_free(p);
  return tiny_finish(t);
}
