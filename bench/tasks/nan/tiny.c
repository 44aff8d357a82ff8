// nan: which of three stages makes the first NaN.
#include "tiny.h"
#include <stdio.h>

int main(void) {
  tiny_ctx *t = tiny_open(NULL);
  tiny_csv_desc csv = {.comment = '#'};
  tiny_tensor *rows = tiny_slice(tiny_load_csv(t, "examples/data/digits.csv", &csv), 0, 0, 100, 1);
  tiny_tensor *pixels = tiny_slice(rows, 1, 0, 64, 1);
  tiny_tensor *digits = tiny_cast(tiny_select(rows, 1, 64), TINY_I32);
  tiny_linear_layer embed = tiny_linear_layer_new(t, 64, 32, 1);
  tiny_linear_layer head = tiny_linear_layer_new(t, 32, 10, 1);

  tiny_tensor *stage[4], *first = NULL;
  stage[0] = tiny_label(tiny_linear_layer_forward(&embed, pixels), "embed");
  stage[1] = tiny_label(tiny_log(stage[0]), "scale");
  stage[2] = tiny_label(tiny_linear_layer_forward(&head, stage[1]), "head");
  stage[3] = tiny_label(tiny_cross_entropy(stage[2], digits, NULL), "loss");
  for (int i = 0; i < 4 && !first; i++)
    if (tiny_item(tiny_any(tiny_isnan(stage[i]), TINY_ALL, 0)) != 0) first = stage[i];

  tiny_code code = tiny_status(t);
  if (code == TINY_OK)
    printf("first %s\n", first ? tiny_label_of(first) : "none");
  else
    fprintf(stderr, "%s\n", tiny_error(t));
  tiny_close(t);
  return code != TINY_OK;
}
