// cnn: learns to read digits with two convolutions, saves the weights and loads them into a second
// network.
#include "tiny.h"
#include <stdio.h>

typedef struct net {
  tiny_conv_layer conv1, conv2;
  tiny_linear_layer out;
  tiny_params params;
} net;

static net net_new(tiny_ctx *t) {
  const tiny_conv_desc same = {.same = 1};
  net n = {tiny_conv_layer_new(t, 1, 16, TINY_SHAPE(3, 3), &same, 1),
           tiny_conv_layer_new(t, 16, 32, TINY_SHAPE(3, 3), &same, 1),
           tiny_linear_layer_new(t, 32 * 2 * 2, 10, 1),
           {0}};
  tiny_conv_layer_params(&n.conv1, &n.params, "conv1");
  tiny_conv_layer_params(&n.conv2, &n.params, "conv2");
  tiny_linear_layer_params(&n.out, &n.params, "out");
  return n;
}
static tiny_tensor *forward(const net *n, tiny_tensor *x) {
  x = tiny_max_pool2d(tiny_relu(tiny_conv_layer_forward(&n->conv1, x)), 2, 0, 0);
  x = tiny_max_pool2d(tiny_relu(tiny_conv_layer_forward(&n->conv2, x)), 2, 0, 0);
  return tiny_linear_layer_forward(&n->out, tiny_flatten(x, 1, -1));
}
static double accuracy(const net *n, tiny_tensor *x, tiny_tensor *y) {
  tiny_tensor *guess = tiny_argmax(forward(n, tiny_slice(x, 0, 1500, TINY_END, 1)), 1, 0);
  return tiny_item(tiny_mean(tiny_eq(guess, tiny_slice(y, 0, 1500, TINY_END, 1)), TINY_ALL, 0));
}

int main(void) {
  tiny_ctx *t = tiny_open(NULL);
  tiny_tensor *rows = tiny_load_csv(t, "examples/data/digits.csv", NULL);
  tiny_tensor *x = tiny_div_scalar(tiny_slice(rows, 1, 0, 64, 1), 16);
  tiny_tensor *y = tiny_cast(tiny_select(rows, 1, 64), TINY_I32);
  x = tiny_reshape(x, TINY_SHAPE(-1, 1, 8, 8));
  net first = net_new(t), second = net_new(t);
  tiny_optim adam = {.kind = TINY_ADAM, .lr = 0.003};
  tiny_loader_desc d = {
      .array = {{.tensor = x}, {.tensor = y}}, .n = 1500, .batch = 100, .shuffle = 1, .epochs = 10};
  tiny_loader *train = tiny_loader_open(t, &d);
  for (tiny_tensor *b[2]; tiny_loader_each(train, b);)
    tiny_optim_minimize(&adam, tiny_cross_entropy(forward(&first, b[0]), b[1], NULL),
                        &first.params);

  tiny_state_save("build/tasks/cnn.safetensors", &first.params, NULL);
  tiny_state_load("build/tasks/cnn.safetensors", &second.params, NULL, 1);
  printf("accuracy %.4f\nloaded %.4f\n", accuracy(&first, x, y), accuracy(&second, x, y));
  return tiny_finish(t);
}
