// saves: for programs of the library's users, included before them (-include): what they capture is saved as well, in the
// folder $SAVES as NAME0.tiny, NAME1.tiny .., NAME from $SAVES_NAME, with machine code and lists of $SAVES_LEVELS. After
// $SAVES_COUNT of them the process ends.
#include "../tiny.h"
#include <stdio.h>
#include <stdlib.h>
static tiny_program *saves_capture(tiny_ctx *t, tiny_tensor *const *in, int n, tiny_tensor *const *out, int m) {
  static int saved;
  tiny_program *p = tiny_capture(t, in, n, out, m);
  tiny_ship_desc d = {0};
  char path[300];
  d.levels = getenv("SAVES_LEVELS");
  snprintf(path, sizeof path, "%s/%s%d.tiny", getenv("SAVES"), getenv("SAVES_NAME"), saved);
  if (!p || tiny_program_save(p, path, &d) != TINY_OK) { fprintf(stderr, "%s: %s\n", path, tiny_error(t)); exit(1); }
  printf("saved %s\n", path);
  if (++saved == atoi(getenv("SAVES_COUNT"))) exit(0);
  return p;
}
#define tiny_capture saves_capture
