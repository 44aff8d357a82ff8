// mlp: learns to read digits with two linear layers and Adam.
#include "tiny.h"
#include <stdio.h>

// Rows of 64 pixels and the digit that they show.
static tiny_tensor *pixels(tiny_tensor *rows) {
  return tiny_div_scalar(tiny_slice(rows, 1, 0, 64, 1), 16);
}
static tiny_tensor *digits(tiny_tensor *rows) {
  return tiny_cast(tiny_select(rows, 1, 64), TINY_I32);
}

typedef struct net {
  tiny_linear_layer in, out;
} net;

static tiny_tensor *forward(const net *n, tiny_tensor *x) {
  return tiny_linear_layer_forward(&n->out, tiny_relu(tiny_linear_layer_forward(&n->in, x)));
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

  net n = {tiny_linear_layer_new(t, 64, 64, 1), tiny_linear_layer_new(t, 64, 10, 1)};
  tiny_params p = {0};
  tiny_linear_layer_params(&n.in, &p, "in");
  tiny_linear_layer_params(&n.out, &p, "out");
  tiny_optim adam = {.kind = TINY_ADAM, .lr = 0.003};
  for (int epoch = 0; epoch < 20;) {
    tiny_tensor *batch, *grads[4];
    tiny_begin(t);
    if (tiny_loader_next(loader, &batch) > 0) {
      tiny_tensor *loss = tiny_cross_entropy(forward(&n, pixels(batch)), digits(batch), NULL);
      tiny_grad(loss, p.trainable, p.ntrainable, grads);
      tiny_optim_step(&adam, p.trainable, grads, p.ntrainable);
    } else {
      epoch++;
    }
    if (tiny_end(t) != TINY_OK) break;
  }

  tiny_tensor *right = tiny_eq(tiny_argmax(forward(&n, pixels(test)), 1, 0), digits(test));
  double accuracy = tiny_item(tiny_mean(right, TINY_ALL, 0));
  tiny_code code = tiny_status(t);
  if (code == TINY_OK)
    printf("accuracy %.4f\n", accuracy);
  else
    fprintf(stderr, "%s\n", tiny_error(t));
  tiny_optim_free(&adam);
  tiny_params_free(&p);
  tiny_close(t);
  return code != TINY_OK;
}
