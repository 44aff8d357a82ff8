// series: a recurrent network learns the sunspot cycle from 1700 to 1928 and forecasts 80 years it never saw.
//   cc -std=c11 -I. examples/series.c -o series -lm -lpthread && ./series [file.csv]
//
// Each forecast is for the next year, from the WINDOW years before it. Prints the root mean square errors of the
// network and of two forecasts that need no learning, and draws what was counted and what was forecast.
// Returns 2 unless the network is better than both by a quarter, 1 after an error.
#define TINY_IMPLEMENTATION
#include "tiny.h"
#include <math.h>
#include <stdio.h>

enum { FIRST = 1700, YEARS = 309, TEST = 80, TRAIN = YEARS - TEST, WINDOW = 33, CYCLE = 11 };
enum { UNITS = 24, STEPS = 150, ROWS = 15 };
static const double RATE = 1e-2, DECAY = 0.1;

// ** data: the root of the number, about 0 to 1.4, as its noise grows with it **

static float to_scale(float number) { return sqrtf(number) / 10; }
static float from_scale(float x) { return x > 0 ? 100 * x * x : 0; }

static int read_numbers(const char *path, float *number) {
  FILE *f = fopen(path, "r");
  char line[128];
  int year, n = 0;
  while (f && n < YEARS && fgets(line, sizeof line, f))
    n += sscanf(line, "%d,%f", &year, &number[n]) == 2 && year == FIRST + n;
  if (f) fclose(f);
  if (!f) fprintf(stderr, "series: %s cannot be read: run this in the folder of tiny.h, or name a file\n", path);
  else if (n < YEARS) fprintf(stderr, "series: %s: year %d is missing\n", path, FIRST + n);
  return n == YEARS;
}

// ** the network: what it says is how the next year differs from the last **

typedef struct network { tiny_recurrent_layer gru; tiny_linear_layer change; } network;

// Years (N,WINDOW) -> forecasts (N,WINDOW), each for the year after.
static tiny_tensor *forecast(const network *n, tiny_tensor *x) {
  tiny_tensor *y = tiny_recurrent_layer_forward(&n->gru, tiny_unsqueeze(x, -1), NULL, NULL, 0, NULL, NULL);
  return tiny_add(x, tiny_squeeze(tiny_linear_layer_forward(&n->change, y), -1));
}

// Learns from all windows of the training years at once; guess: forecasts for the test years.
static tiny_code learn(tiny_ctx *t, const float *number, float *guess) {
  const tiny_recurrent_desc desc = {.batch_first = 1};
  network n = {tiny_recurrent_layer_new(t, TINY_GRU, 1, UNITS, &desc, 1), tiny_linear_layer_new(t, UNITS, 1, 1)};
  tiny_params p = {0};
  tiny_optim adam = {.kind = TINY_ADAMW, .weight_decay = DECAY};
  tiny_tensor *grad[8];
  float x[YEARS];
  tiny_recurrent_layer_params(&n.gru, &p, "gru");
  tiny_linear_layer_params(&n.change, &p, "change");
  for (int i = 0; i < YEARS; i++) x[i] = to_scale(number[i]);
  tiny_tensor *windows = tiny_sliding_window(tiny_from(t, x, TINY_F32, TINY_SHAPE(YEARS)), 0, WINDOW + 1, 1);
  tiny_tensor *past = tiny_narrow(windows, 1, 0, WINDOW), *next = tiny_narrow(windows, 1, 1, WINDOW);
  for (int i = 0; i < STEPS && tiny_status(t) == TINY_OK; i++) {
    adam.lr = tiny_lr_one_cycle(RATE, i, STEPS);
    tiny_begin(t);
    tiny_tensor *y = forecast(&n, tiny_narrow(past, 0, 0, TRAIN - WINDOW));
    tiny_tensor *loss = tiny_mse_loss(y, tiny_narrow(next, 0, 0, TRAIN - WINDOW), TINY_MEAN);
    tiny_grad(loss, p.trainable, p.ntrainable, grad);
    tiny_optim_step(&adam, p.trainable, grad, p.ntrainable);
    if (i % 30 == 29) printf("step %3d   loss %.5f\n", i + 1, tiny_item(loss));
    tiny_end(t);
  }
  tiny_tensor *y = forecast(&n, tiny_narrow(past, 0, TRAIN - WINDOW, TEST));
  tiny_read(tiny_select(y, 1, -1), guess, TEST * sizeof *guess);
  for (int i = 0; i < TEST; i++) guess[i] = from_scale(guess[i]);
  tiny_recurrent_layer_free(&n.gru);
  tiny_optim_free(&adam);
  tiny_params_free(&p);
  return tiny_status(t);
}

// ** what is seen **

static double rms(const float *a, const float *b) {
  double sum = 0;
  for (int i = 0; i < TEST; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sqrt(sum / TEST);
}
// A column a year: + counted, o forecast, * both.
static void plot(const float *number, const float *guess) {
  const float step = 210.0f / ROWS;
  for (int row = ROWS - 1; row >= 0; row--) {
    printf("%4d ", (int)(step * (float)row));
    for (int i = 0; i < TEST; i++)
      putchar(" +o*"[((int)(number[i] / step) == row) + 2 * ((int)(guess[i] / step) == row)]);
    puts("");
  }
  printf("     ");
  for (int i = 0; i < TEST; i += 10) printf("%-10d", FIRST + TRAIN + i);
  puts("\n     + counted   o forecast   * both\n");
}

int main(int argc, char **argv) {
  static float number[YEARS], guess[TEST];
  if (!read_numbers(argc > 1 ? argv[1] : "examples/data/sunspots.csv", number)) return 1;
  tiny_ctx *t = tiny_open(&(tiny_desc){.seed = 1});
  const int failed = learn(t, number, guess) != TINY_OK;
  if (failed) fprintf(stderr, "series: %s\n", tiny_error(t));
  tiny_close(t);
  if (failed) return 1;
  const float *test = number + TRAIN;
  const double network = rms(test, guess), last = rms(test, test - 1), cycle = rms(test, test - CYCLE);
  plot(test, guess);
  printf("root mean square error of %d years: network %.1f, as last year %.1f, as %d years ago %.1f\n", (int)TEST,
         network, last, (int)CYCLE, cycle);
  return network < 0.75 * fmin(last, cycle) ? 0 : 2;
}
