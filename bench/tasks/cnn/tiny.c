// cnn: learns to read digits with two convolutions, saves the weights and loads them into a second
// network.
#include "tiny.h"
#include <stdio.h>

static tiny_conv_layer conv(tiny_ctx *t, int in, int out) {
  return tiny_conv_layer_new(t, in, out, TINY_SHAPE(3, 3), &(tiny_conv_desc){.same = 1}, 1);
}
static void net_open(tiny_ctx *t, tiny_stage *net, tiny_params *p) {
  net[0] = (tiny_stage){.conv = conv(t, 1, 16), .apply = tiny_relu, .max_pool = 2};
  net[1] = (tiny_stage){.conv = conv(t, 16, 32), .apply = tiny_relu, .max_pool = 2};
  net[2] = (tiny_stage){.flatten = 1, .linear = tiny_linear_layer_new(t, 32 * 2 * 2, 10, 1)};
  tiny_sequential_params(net, 3, p, NULL);
}
static double accuracy(const tiny_stage *net, tiny_tensor *x, tiny_tensor *y) {
  tiny_tensor *right = tiny_eq(tiny_argmax(tiny_sequential(net, 3, x, 0), 1, 0), y);
  return tiny_item(tiny_mean(tiny_slice(right, 0, 1500, TINY_END, 1), TINY_ALL, 0));
}

int main(void) {
  tiny_ctx *t = tiny_open(NULL);
  tiny_tensor *rows = tiny_load_csv(t, "examples/data/digits.csv", NULL);
  tiny_tensor *x = tiny_div_scalar(tiny_slice(rows, 1, 0, 64, 1), 16);
  tiny_tensor *y = tiny_cast(tiny_select(rows, 1, 64), TINY_I32);
  x = tiny_reshape(x, TINY_SHAPE(-1, 1, 8, 8));
  tiny_stage net[3], other[3];
  tiny_params p = {0}, others = {0};
  net_open(t, net, &p);
  net_open(t, other, &others);
  tiny_optim opt = {.kind = TINY_ADAM, .lr = 0.01};
  tiny_loader_desc d = {
      .array = {{.tensor = x}, {.tensor = y}}, .n = 1500, .batch = 100, .shuffle = 1, .epochs = 10};
  tiny_loader *train = tiny_loader_open(t, &d);
  for (tiny_tensor *b[2]; tiny_loader_each(train, b);)
    tiny_optim_minimize(&opt, tiny_cross_entropy(tiny_sequential(net, 3, b[0], 1), b[1], NULL), &p);

  tiny_state_save("build/tasks/cnn.safetensors", &p, NULL);
  tiny_state_load("build/tasks/cnn.safetensors", &others, NULL, 1);
  printf("accuracy %.4f\nloaded %.4f\n", accuracy(net, x, y), accuracy(other, x, y));
  return tiny_finish(t);
}
