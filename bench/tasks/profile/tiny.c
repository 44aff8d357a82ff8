// profile: where the time of three stages goes.
#include "tiny.h"
#include <stdio.h>

int main(void) {
  tiny_ctx *t = tiny_open(NULL);
  tiny_linear_layer embed = tiny_linear_layer_new(t, 64, 256, 1);
  tiny_linear_layer head = tiny_linear_layer_new(t, 256, 10, 1);
  tiny_tensor *x = tiny_randn(t, TINY_SHAPE(1024, 64));
  tiny_realize(&x, 1);

  tiny_profile_begin(t);
  for (int i = 0; i < 10; i++) {
    tiny_begin(t);
    tiny_tensor *h = tiny_label(tiny_relu(tiny_linear_layer_forward(&embed, x)), "embed");
    tiny_tensor *near = tiny_softmax(tiny_matmul(h, tiny_transpose(h, 0, 1)), -1);
    tiny_tensor *mix = tiny_label(tiny_matmul(near, h), "mix");
    tiny_realize(TINY_ARRAY(tiny_label(tiny_linear_layer_forward(&head, mix), "head")));
    tiny_end(t);
  }
  tiny_profile_end(t);

  char table[4096];
  tiny_profile_row slowest;
  tiny_profile_text(t, TINY_BY_LABEL, table, sizeof table);
  tiny_profile_get(t, TINY_BY_LABEL, 0, &slowest);
  printf("%sslowest %s\n", table, slowest.name);
  return tiny_finish(t);
}
