// mlp: learns to read digits with two linear layers and Adam.
#include "tiny.h"
#include <stdio.h>

typedef struct net {
  tiny_linear_layer in, out;
} net;

static tiny_tensor *forward(const net *n, tiny_tensor *x) {
  return tiny_linear_layer_forward(&n->out, tiny_relu(tiny_linear_layer_forward(&n->in, x)));
}

int main(void) {
  tiny_ctx *t = tiny_open(NULL);
  tiny_tensor *rows = tiny_load_csv(t, "examples/data/digits.csv", NULL);
  tiny_tensor *x = tiny_div_scalar(tiny_slice(rows, 1, 0, 64, 1), 16);
  tiny_tensor *y = tiny_cast(tiny_select(rows, 1, 64), TINY_I32);
  net n = {tiny_linear_layer_new(t, 64, 64, 1), tiny_linear_layer_new(t, 64, 10, 1)};
  tiny_params p = {0};
  tiny_linear_layer_params(&n.in, &p, "in");
  tiny_linear_layer_params(&n.out, &p, "out");
  tiny_optim adam = {.kind = TINY_ADAM, .lr = 0.003};
  tiny_loader_desc d = {
      .array = {{.tensor = x}, {.tensor = y}}, .n = 1500, .batch = 100, .shuffle = 1, .epochs = 20};
  tiny_loader *train = tiny_loader_open(t, &d);
  for (tiny_tensor *b[2]; tiny_loader_each(train, b);)
    tiny_optim_minimize(&adam, tiny_cross_entropy(forward(&n, b[0]), b[1], NULL), &p);

  tiny_tensor *guess = tiny_argmax(forward(&n, tiny_slice(x, 0, 1500, TINY_END, 1)), 1, 0);
  tiny_tensor *right = tiny_eq(guess, tiny_slice(y, 0, 1500, TINY_END, 1));
  printf("accuracy %.4f\n", tiny_item(tiny_mean(right, TINY_ALL, 0)));
  return tiny_finish(t);
}
