// profile: where the time of three stages goes.
#include "tiny.h"
#include <stdio.h>

static void take_first(void *user, const tiny_profile_row *row) {
  char *slowest = user; // rows come with those that took longest first
  if (!*slowest) snprintf(slowest, 64, "%s", row->name);
}

int main(void) {
  tiny_ctx *t = tiny_open(NULL);
  tiny_tensor *x = tiny_randn(t, TINY_SHAPE(1024, 64)), *y;
  tiny_linear_layer embed = tiny_linear_layer_new(t, 64, 256, 1);
  tiny_linear_layer head = tiny_linear_layer_new(t, 256, 10, 1);
  tiny_realize(&x, 1);
  tiny_tensor *h = tiny_label(tiny_relu(tiny_linear_layer_forward(&embed, x)), "embed");
  tiny_tensor *mix = tiny_softmax(tiny_matmul(h, tiny_transpose(h, 0, 1)), -1);
  mix = tiny_label(tiny_matmul(mix, h), "mix");
  y = tiny_label(tiny_linear_layer_forward(&head, mix), "head");
  tiny_program *p = tiny_capture(t, &x, 1, &y, 1);

  tiny_profile_begin(t);
  for (int i = 0; i < 10; i++) {
    tiny_begin(t);
    tiny_run(p, &x, &y);
    if (tiny_end(t) != TINY_OK) break;
  }
  tiny_profile_end(t);

  char table[4096], slowest[64] = "";
  tiny_profile_text(t, TINY_BY_LABEL, table, sizeof table);
  tiny_profile_rows(t, TINY_BY_LABEL, take_first, slowest);
  tiny_code code = tiny_status(t);
  if (code == TINY_OK)
    printf("%sslowest %s\n", table, slowest);
  else
    fprintf(stderr, "%s\n", tiny_error(t));
  tiny_close(t);
  return code != TINY_OK;
}
