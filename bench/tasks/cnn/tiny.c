// cnn: learns to read digits with two convolutions, saves the weights and loads them into a second
// network.
#include "tiny.h"
#include <stdio.h>

// Rows of 64 pixels and the digit that they show.
static tiny_tensor *pixels(tiny_tensor *rows) {
  return tiny_reshape(tiny_div_scalar(tiny_slice(rows, 1, 0, 64, 1), 16), TINY_SHAPE(-1, 1, 8, 8));
}
static tiny_tensor *digits(tiny_tensor *rows) {
  return tiny_cast(tiny_select(rows, 1, 64), TINY_I32);
}

typedef struct net {
  tiny_conv_layer conv1, conv2;
  tiny_linear_layer out;
  tiny_params params;
} net;

static void net_init(net *n, tiny_ctx *t) {
  tiny_conv_desc same = {.same = 1};
  n->conv1 = tiny_conv_layer_new(t, 1, 16, TINY_SHAPE(3, 3), &same, 1);
  n->conv2 = tiny_conv_layer_new(t, 16, 32, TINY_SHAPE(3, 3), &same, 1);
  n->out = tiny_linear_layer_new(t, 32 * 2 * 2, 10, 1);
  tiny_conv_layer_params(&n->conv1, &n->params, "conv1");
  tiny_conv_layer_params(&n->conv2, &n->params, "conv2");
  tiny_linear_layer_params(&n->out, &n->params, "out");
}
static tiny_tensor *forward(const net *n, tiny_tensor *x) {
  x = tiny_max_pool2d(tiny_relu(tiny_conv_layer_forward(&n->conv1, x)), 2, 0, 0);
  x = tiny_max_pool2d(tiny_relu(tiny_conv_layer_forward(&n->conv2, x)), 2, 0, 0);
  return tiny_linear_layer_forward(&n->out, tiny_flatten(x, 1, -1));
}
static double accuracy(const net *n, tiny_tensor *rows) {
  tiny_tensor *right = tiny_eq(tiny_argmax(forward(n, pixels(rows)), 1, 0), digits(rows));
  return tiny_item(tiny_mean(right, TINY_ALL, 0));
}

int main(void) {
  tiny_ctx *t = tiny_open(NULL);
  tiny_csv_desc csv = {.comment = '#'};
  tiny_tensor *rows = tiny_load_csv(t, "examples/data/digits.csv", &csv);
  tiny_tensor *train = tiny_slice(rows, 0, 0, 1500, 1);
  tiny_tensor *test = tiny_slice(rows, 0, 1500, TINY_END, 1);
  tiny_loader_desc batches = {
      .n = 1500, .batch = 100, .shuffle = 1, .narray = 1, .array = {{.tensor = train}}};
  tiny_loader *loader = tiny_loader_open(t, &batches);

  net first = {0}, second = {0};
  net_init(&first, t);
  net_init(&second, t);
  tiny_params *p = &first.params;
  tiny_optim adam = {.kind = TINY_ADAM, .lr = 0.003};
  for (int epoch = 0; epoch < 10;) {
    tiny_tensor *batch, *grads[6];
    tiny_begin(t);
    if (tiny_loader_next(loader, &batch) > 0) {
      tiny_tensor *loss = tiny_cross_entropy(forward(&first, pixels(batch)), digits(batch), NULL);
      tiny_grad(loss, p->trainable, p->ntrainable, grads);
      tiny_optim_step(&adam, p->trainable, grads, p->ntrainable);
    } else {
      epoch++;
    }
    if (tiny_end(t) != TINY_OK) break;
  }

  tiny_state_save("build/tasks/cnn.safetensors", &first.params, NULL);
  tiny_state_load("build/tasks/cnn.safetensors", &second.params, NULL, 1);
  printf("accuracy %.4f\nloaded %.4f\n", accuracy(&first, test), accuracy(&second, test));
  tiny_code code = tiny_status(t);
  if (code != TINY_OK) fprintf(stderr, "%s\n", tiny_error(t));
  tiny_optim_free(&adam);
  tiny_params_free(&first.params);
  tiny_params_free(&second.params);
  tiny_close(t);
  return code != TINY_OK;
}
