// page: a network that learns to read digits in a web page, and reads what a visitor draws while it learns.
//   emcc -O2 -I. examples/browser/page.c -o page.js --preload-file examples/data/digits.csv@digits.csv \
//     -sALLOW_MEMORY_GROWTH=1        beside index.html, which calls what is exported here; see README.md
//
// The page owns the clock: once per frame of its animation it asks for as many steps of training as fit, each of which
// builds its graph between tiny_begin and tiny_end. Nothing blocks, so that the page answers all the while.
#define TINY_IMPLEMENTATION
#include "tiny.h"
#include <emscripten.h>

enum { ROWS = 1797, TRAIN = 1437, TEST = ROWS - TRAIN, SIDE = 8, PIXELS = SIDE * SIDE, CLASSES = 10 };
enum { BATCH = 16, STEPS = TRAIN / BATCH, EPOCHS = 10, CHANNELS = 12, FLAT = CHANNELS * 4 * 4 };
enum { PART = 40, PARTS = TEST / PART };
static const double RATE = 1e-2;

typedef struct page {
  tiny_ctx *t;
  float image[ROWS][PIXELS]; int32_t label[ROWS];            // pixels of 0..1; the last TEST rows are for testing
  tiny_conv_layer conv; tiny_linear_layer output; tiny_params params;
  tiny_optim adam;
  tiny_loader *data;
  int steps; double loss;                                    // loss: of the last step
  int part, right[PARTS]; int32_t guess[PART];               // the part of the test rows that was read last
  float ink[PIXELS], belief[CLASSES];                        // what is drawn, and which digit it may be
} page;

// ** data **

static void read_digits(page *p) {
  static float row[ROWS][PIXELS + 1];
  tiny_begin(p->t);
  tiny_read(tiny_load_csv(p->t, "digits.csv", NULL), row, sizeof row);             // another size is an error
  tiny_end(p->t);
  for (int i = 0; i < ROWS; i++) {
    for (int k = 0; k < PIXELS; k++) p->image[i][k] = row[i][k] / 16;
    p->label[i] = (int32_t)row[i][PIXELS];
  }
}
// Batches of the training rows, in another order in every epoch.
static tiny_loader *training_rows(page *p) {
  tiny_loader_desc d = {.n = TRAIN, .batch = BATCH, .epochs = EPOCHS, .shuffle = 1, .drop_last = 1, .seed = 42};
  d.array[0].data = p->image; d.array[0].dtype = TINY_F32; d.array[0].shape = TINY_SHAPE(1, SIDE, SIDE);
  d.array[1].data = p->label; d.array[1].dtype = TINY_I32; d.array[1].shape = TINY_SHAPE();
  return tiny_loader_open(p->t, &d);
}

// ** the network **

static void network_init(page *p) {
  const tiny_conv_desc same = {.pad = {1, 1}};
  p->conv = tiny_conv_layer_new(p->t, 1, CHANNELS, TINY_SHAPE(3, 3), &same, 1);
  p->output = tiny_linear_layer_new(p->t, FLAT, CLASSES, 1);
  tiny_conv_layer_params(&p->conv, &p->params, "conv");
  tiny_linear_layer_params(&p->output, &p->params, "output");
  p->adam.kind = TINY_ADAM;
}
// x (B,1,8,8) -> (B,10)
static tiny_tensor *forward(const page *p, tiny_tensor *x) {
  x = tiny_relu(tiny_conv_layer_forward(&p->conv, x));                             // (B,12,8,8)
  x = tiny_flatten(tiny_max_pool2d(x, 2, 0, 0), 1, -1);                            // (B,192)
  return tiny_linear_layer_forward(&p->output, x);
}
// One batch, each picture moved by up to a pixel each way. 0: training is over, or something went wrong.
static int step(page *p) {
  tiny_tensor *batch[2];
  tiny_begin(p->t);
  const int more = tiny_loader_next(p->data, batch) > 0;
  if (more) {
    tiny_tensor *x = tiny_random_crop(batch[0], SIDE, SIDE, 1);
    tiny_tensor *loss = tiny_cross_entropy(forward(p, x), batch[1], NULL);
    p->adam.lr = RATE * (1 - (double)p->steps / (EPOCHS * STEPS));
    tiny_optim_minimize(&p->adam, loss, &p->params);
    p->loss = tiny_item(loss);
    p->steps++;
  }
  return tiny_end(p->t) == TINY_OK && more;
}

// ** what the page calls **

// NULL: there is no memory. What else goes wrong is in page_status from then on.
EMSCRIPTEN_KEEPALIVE page *page_open(void) {
  page *p = (page *)calloc(1, sizeof *p);
  p->t = p ? tiny_open(NULL) : NULL;
  if (!p || !p->t) return NULL;
  read_digits(p);
  network_init(p);
  p->data = training_rows(p);
  return p;
}
EMSCRIPTEN_KEEPALIVE int page_status(const page *p) { return (int)tiny_status(p->t); }
EMSCRIPTEN_KEEPALIVE const char *page_error(const page *p) { return tiny_error(p->t); }
// 1: kernels are interpreted, and not compiled.
EMSCRIPTEN_KEEPALIVE int page_interprets(const page *p) { return tiny_stats_of(p->t).interpreted > 0; }

// Steps for so many ms, one at least. 0: training is over.
EMSCRIPTEN_KEEPALIVE int page_train(page *p, double ms) {
  const uint64_t end = tiny_now_ns() + (uint64_t)(ms * 1e6);
  int more;
  do more = step(p); while (more && tiny_now_ns() < end);
  return more;
}
EMSCRIPTEN_KEEPALIVE int page_steps(const page *p) { return p->steps; }
EMSCRIPTEN_KEEPALIVE double page_loss(const page *p) { return p->loss; }

// Reads the next part of the test rows. Returns how many of all are right, each as it was last read.
EMSCRIPTEN_KEEPALIVE double page_test(page *p) {
  int right = 0;
  p->part = (p->part + 1) % PARTS;
  const int first = TRAIN + p->part * PART;
  tiny_begin(p->t);
  tiny_tensor *x = tiny_from(p->t, p->image[first], TINY_F32, TINY_SHAPE(PART, 1, SIDE, SIDE));
  tiny_read(tiny_argmax(forward(p, x), 1, 0), p->guess, sizeof p->guess);
  tiny_end(p->t);
  p->right[p->part] = 0;
  for (int i = 0; i < PART; i++) p->right[p->part] += p->guess[i] == p->label[first + i];
  for (int i = 0; i < PARTS; i++) right += p->right[i];
  return (double)right / TEST;
}
// Row i of the part that was read: a pixel of it, what it is, and as what it was read.
EMSCRIPTEN_KEEPALIVE double page_pixel(const page *p, int i, int k) { return p->image[TRAIN + p->part * PART + i][k]; }
EMSCRIPTEN_KEEPALIVE int page_label(const page *p, int i) { return (int)p->label[TRAIN + p->part * PART + i]; }
EMSCRIPTEN_KEEPALIVE int page_guess(const page *p, int i) { return (int)p->guess[i]; }

// A drawing: its pixels, then what it may be: the likeliest digit, and how likely each is.
EMSCRIPTEN_KEEPALIVE void page_ink(page *p, int k, double value) { p->ink[k] = (float)value; }
EMSCRIPTEN_KEEPALIVE int page_read(page *p) {
  int best = 0;
  tiny_begin(p->t);
  tiny_tensor *x = tiny_from(p->t, p->ink, TINY_F32, TINY_SHAPE(1, 1, SIDE, SIDE));
  tiny_read(tiny_softmax(forward(p, x), -1), p->belief, sizeof p->belief);
  tiny_end(p->t);
  for (int i = 1; i < CLASSES; i++) if (p->belief[i] > p->belief[best]) best = i;
  return best;
}
EMSCRIPTEN_KEEPALIVE double page_belief(const page *p, int digit) { return p->belief[digit]; }
