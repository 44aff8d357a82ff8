// mlp: learns to read digits with two linear layers and Adam.
#include "tiny.h"
#include <stdio.h>

int main(void) {
  tiny_ctx *t = tiny_open(NULL);
  tiny_tensor *rows = tiny_load_csv(t, "examples/data/digits.csv", NULL);
  tiny_tensor *x = tiny_div_scalar(tiny_slice(rows, 1, 0, 64, 1), 16);
  tiny_tensor *y = tiny_cast(tiny_select(rows, 1, 64), TINY_I32);
  tiny_stage net[] = {{.linear = tiny_linear_layer_new(t, 64, 64, 1), .apply = tiny_relu},
                      {.linear = tiny_linear_layer_new(t, 64, 10, 1)}};
  tiny_params p = {0};
  tiny_sequential_params(net, 2, &p, NULL);
  tiny_optim opt = {.kind = TINY_ADAM, .lr = 0.003};
  tiny_loader_desc d = {
      .array = {{.tensor = x}, {.tensor = y}}, .n = 1500, .batch = 100, .shuffle = 1, .epochs = 20};
  tiny_loader *train = tiny_loader_open(t, &d);
  for (tiny_tensor *b[2]; tiny_loader_each(train, b);)
    tiny_optim_minimize(&opt, tiny_cross_entropy(tiny_sequential(net, 2, b[0], 1), b[1], NULL), &p);

  tiny_tensor *guess = tiny_argmax(tiny_sequential(net, 2, x, 0), 1, 0);
  tiny_tensor *right = tiny_slice(tiny_eq(guess, y), 0, 1500, TINY_END, 1);
  printf("accuracy %.4f\n", tiny_item(tiny_mean(right, TINY_ALL, 0)));
  return tiny_finish(t);
}
