// digits: trains a small convolutional network on 1,437 handwritten digits; tests it on 360 by other writers.
//   cc -std=c11 -I. examples/digits.c -o digits -lm -lpthread && ./digits [file.csv]
//
// Every step builds its graph anew, a call per operator; the library recognises it and only runs kernels.
#define TINY_IMPLEMENTATION
#include "tiny.h"
#include <stdio.h>
#include <string.h>
#include <math.h>

enum { ROWS = 1797, TRAIN = 1437, TEST = ROWS - TRAIN, SIDE = 8, PIXELS = SIDE * SIDE, CLASSES = 10 };
enum { BATCH = 64, EPOCHS = 25, STEPS = TRAIN / BATCH, C1 = 16, C2 = 32, HIDDEN = 64, FLAT = C2 * 4 * 4 };
static const double RATE = 4e-3, DROPOUT = 0.2;

typedef struct digits { float image[ROWS][PIXELS]; int32_t label[ROWS]; } digits;

// ** data **

static tiny_code read_digits(tiny_ctx *t, const char *path, digits *d) {
  static float row[ROWS][PIXELS + 1];
  tiny_begin(t);
  tiny_code code = tiny_read(tiny_load_csv(t, path, NULL), row, sizeof row);       // another size is an error
  tiny_end(t);
  for (int i = 0; i < ROWS; i++) {
    for (int k = 0; k < PIXELS; k++) d->image[i][k] = row[i][k] / 16;
    d->label[i] = (int32_t)row[i][PIXELS];
  }
  return code;
}
// Batches of the training rows, in another order in every epoch.
static tiny_loader *training_rows(tiny_ctx *t, const digits *d) {
  tiny_loader_desc l;
  memset(&l, 0, sizeof l);
  l.n = TRAIN; l.batch = BATCH; l.shuffle = l.drop_last = 1; l.seed = 42; l.narray = 2;
  l.array[0].data = d->image; l.array[0].dtype = TINY_F32; l.array[0].shape = TINY_SHAPE(1, SIDE, SIDE);
  l.array[1].data = d->label; l.array[1].dtype = TINY_I32; l.array[1].shape = TINY_SHAPE();
  return tiny_loader_open(t, &l);
}

// ** the network **

enum { CONV1, SCALE1, SHIFT1, CONV2, SCALE2, SHIFT2, DENSE1, BIAS1, DENSE2, BIAS2, PARAMS };
typedef struct network { tiny_tensor *param[PARAMS]; tiny_batch_norm_state norm1, norm2; } network;

// As PyTorch's layers begin: within 1 / sqrt of the inputs of a unit.
static tiny_tensor *weights(tiny_ctx *t, tiny_shape shape, int inputs) {
  return tiny_uniform(t, -1 / sqrt(inputs), 1 / sqrt(inputs), TINY_F32, shape);
}
static tiny_batch_norm_state batch_norm(tiny_ctx *t, int channels, tiny_tensor **scale_shift) {
  tiny_batch_norm_state s;
  memset(&s, 0, sizeof s);
  const tiny_shape shape = TINY_SHAPE(channels);
  s.mean = tiny_zeros(t, TINY_F32, shape); s.var = tiny_ones(t, TINY_F32, shape);
  s.weight = scale_shift[0] = tiny_ones(t, TINY_F32, shape); s.bias = scale_shift[1] = tiny_zeros(t, TINY_F32, shape);
  return s;
}
static void network_init(tiny_ctx *t, network *n) {
  n->param[CONV1] = weights(t, TINY_SHAPE(C1, 1, 3, 3), 9);
  n->norm1 = batch_norm(t, C1, &n->param[SCALE1]);
  n->param[CONV2] = weights(t, TINY_SHAPE(C2, C1, 3, 3), 9 * C1);
  n->norm2 = batch_norm(t, C2, &n->param[SCALE2]);
  n->param[DENSE1] = weights(t, TINY_SHAPE(HIDDEN, FLAT), FLAT); n->param[BIAS1] = weights(t, TINY_SHAPE(HIDDEN), FLAT);
  n->param[DENSE2] = weights(t, TINY_SHAPE(CLASSES, HIDDEN), HIDDEN);
  n->param[BIAS2] = weights(t, TINY_SHAPE(CLASSES), HIDDEN);
  tiny_realize(n->param, PARAMS);          // an assignment needs memory to go to
}

// x (B,1,8,8) -> (B,10)
static tiny_tensor *forward(network *n, tiny_tensor *x, int train) {
  tiny_conv_desc same;
  memset(&same, 0, sizeof same);
  same.pad[0] = same.pad[1] = 1;
  x = tiny_conv2d(x, n->param[CONV1], NULL, &same);                                // (B,16,8,8)
  x = tiny_relu(tiny_batch_norm(x, &n->norm1, train));
  x = tiny_conv2d(x, n->param[CONV2], NULL, &same);                                // (B,32,8,8)
  x = tiny_relu(tiny_batch_norm(x, &n->norm2, train));
  x = tiny_dropout(tiny_flatten(tiny_max_pool2d(x, 2, 0, 0), 1, -1), DROPOUT, train);   // (B,512)
  x = tiny_relu(tiny_linear(x, n->param[DENSE1], n->param[BIAS1]));                // (B,64)
  x = tiny_dropout(x, DROPOUT, train);
  return tiny_linear(x, n->param[DENSE2], n->param[BIAS2]);
}

// One batch: images (64,1,8,8), moved by up to one pixel each way, their gradients, Adam. total gains the loss. 0: the
// epoch is over, or something went wrong.
static int step(tiny_ctx *t, network *n, tiny_optim *adam, tiny_tensor *total, tiny_loader *data) {
  tiny_tensor *grad[PARAMS], *batch[2];
  tiny_begin(t);
  const int more = tiny_loader_next(data, batch) > 0;
  if (more) {
    tiny_tensor *x = tiny_random_crop(batch[0], SIDE, SIDE, 1);
    tiny_tensor *loss = tiny_cross_entropy(forward(n, x, 1), batch[1], NULL);
    tiny_grad(loss, n->param, PARAMS, grad);
    tiny_optim_step(adam, n->param, grad, PARAMS);
    tiny_assign(total, tiny_add(total, loss));
  }
  return tiny_end(t) == TINY_OK && more;                     // everything above runs here
}

static tiny_code predict(tiny_ctx *t, network *n, const digits *d, int32_t *guess) {
  tiny_begin(t);
  tiny_tensor *x = tiny_from(t, d->image[TRAIN], TINY_F32, TINY_SHAPE(TEST, 1, SIDE, SIDE));
  const tiny_code code = tiny_read(tiny_argmax(forward(n, x, 0), 1, 0), guess, TEST * sizeof *guess);
  tiny_end(t);
  return code;
}

// ** what is seen **

static double seconds(void) { return 1e-9 * (double)tiny_now_ns(); }
static double accuracy(const digits *d, const int32_t *guess) {
  int right = 0;
  for (int i = 0; i < TEST; i++) right += guess[i] == d->label[TRAIN + i];
  return 100.0 * right / TEST;
}
// Four digits of the test rows side by side, wrong ones first: 72 columns.
static void draw(const digits *d, const int32_t *guess) {
  int shown[4], n = 0;
  for (int i = 0; i < TEST && n < 2; i++) if (guess[i] != d->label[TRAIN + i]) shown[n++] = i;
  for (int i = 0; i < TEST && n < 4; i += 37) if (guess[i] == d->label[TRAIN + i]) shown[n++] = i;
  for (int y = 0; y < SIDE; y++, puts("")) for (int i = 0; i < n; i++) {
    printf("  ");
    for (int x = 0; x < SIDE; x++) {
      const char c = " .:-=+*#%@"[(int)(d->image[TRAIN + shown[i]][y * SIDE + x] * 9)];
      printf("%c%c", c, c);
    }
  }
  for (int i = 0; i < n; i++) {
    const int read = (int)guess[shown[i]], is = (int)d->label[TRAIN + shown[i]];
    printf("  read %d, is %d%-4s", read, is, read == is ? "" : "  !!");
  }
  puts("");
}

static tiny_code train(tiny_ctx *t, const digits *d, int32_t *guess) {
  static network net;
  tiny_optim adam;
  memset(&adam, 0, sizeof adam);
  adam.kind = TINY_ADAM;
  network_init(t, &net);
  tiny_tensor *total = tiny_zeros(t, TINY_F32, TINY_SHAPE(1));
  tiny_loader *data = training_rows(t, d);
  const double start = seconds();
  tiny_code code = TINY_OK;
  for (int epoch = 0; epoch < EPOCHS && code == TINY_OK; epoch++) {
    const double begin = seconds();
    const float zero = 0;
    tiny_write(total, &zero, sizeof zero);
    for (int s = 0, more = 1; more; s++) {
      adam.lr = RATE * (1 - (double)(epoch * STEPS + s) / (EPOCHS * STEPS));
      more = step(t, &net, &adam, total, data);
    }
    code = tiny_status(t);
    if (code == TINY_OK) code = predict(t, &net, d, guess);
    if (code == TINY_OK)
      printf("epoch %2d/%d   loss %.4f   test accuracy %5.2f %%   %.2f s\n", epoch + 1, (int)EPOCHS,
             tiny_item(total) / STEPS, accuracy(d, guess), seconds() - begin);
    fflush(stdout);
  }
  if (code == TINY_OK) printf("\ntrained in %.2f s on %s\n\n", seconds() - start, tiny_device_name(t, 0));
  tiny_optim_free(&adam);
  tiny_loader_close(data);
  return code;
}

static const char hint[] = "; run this in the folder of tiny.h, or name a file";
int main(int argc, char **argv) {
  static digits d;
  static int32_t guess[TEST];
  tiny_ctx *t = tiny_open(NULL);
  tiny_code code = read_digits(t, argc > 1 ? argv[1] : "examples/data/digits.csv", &d);
  if (code == TINY_OK) code = train(t, &d, guess);
  if (code != TINY_OK) fprintf(stderr, "digits: %s%s\n", tiny_error(t), tiny_status(t) == TINY_E_IO ? hint : "");
  else {
    draw(&d, guess);
    printf("\n%.2f %% of the %d test digits are right\n", accuracy(&d, guess), (int)TEST);
  }
  tiny_close(t);
  return code != TINY_OK || accuracy(&d, guess) < 97;
}
