// regression: which digit is it, as a straight line through 64 pixels, fitted in four ways that have to agree.
//   cc -std=c11 -I. examples/regression.c -o regression -lm -lpthread && ./regression [file.csv]
//
// Wanted are the weights w (65,10) for which |x w - y|^2 + RIDGE |w|^2 is least, where a row of x is 64 pixels and
// a 1, a row of y is 1 at the digit and 0 elsewhere. Some pixels are never inked: without RIDGE there would be no
// unique answer. Prints for each way what it reached, how far it lies from the first, and how many of 360 digits by
// other writers it reads; then the weights of the digit 0. Returns 2 if the ways do not agree, 1 after an error.
#define TINY_IMPLEMENTATION
#include "tiny.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 1797, TRAIN = 1437, TEST = ROWS - TRAIN, SIDE = 8, PIXELS = SIDE * SIDE, CLASSES = 10, STEPS = 600 };
static const double RIDGE = 10, RATE = 3.5e-5, MOMENTUM = 0.97, AGREES = 1e-3;

typedef struct digits { double pixel[ROWS][PIXELS + 1]; int32_t label[ROWS]; } digits;

static int read_digits(const char *path, digits *d) {
  FILE *f = fopen(path, "r");
  char line[1024];
  int row = 0;
  while (f && row < ROWS && fgets(line, sizeof line, f)) {
    char *at = line;
    if (*line == '#') continue;
    for (int i = 0; i < PIXELS; i++, at += *at == ',') d->pixel[row][i] = (double)strtol(at, &at, 10) / 16;
    d->pixel[row][PIXELS] = 1;
    d->label[row++] = (int32_t)strtol(at, NULL, 10);
  }
  if (f) fclose(f);
  if (!f) fprintf(stderr, "regression: %s cannot be read: run this in the folder of tiny.h, or name a file\n", path);
  else if (row < ROWS) fprintf(stderr, "regression: %s has %d rows, not %d\n", path, row, (int)ROWS);
  return row == ROWS;
}

// ** four ways from x (N,65) and y (N,10) to w (65,10) **

static tiny_tensor *ridge(tiny_tensor *x, double size) {
  tiny_tensor *one = tiny_eye(tiny_ctx_of(x), PIXELS + 1, TINY_F64);
  return tiny_mul(one, tiny_like(one, size));
}
// 1. Normal equations: the gradient is 0 where (x^T x + RIDGE) w = x^T y.
static tiny_tensor *by_solve(tiny_tensor *x, tiny_tensor *y) {
  tiny_tensor *xt = tiny_transpose(x, 0, 1);
  return tiny_solve(tiny_add(tiny_matmul(xt, x), ridge(x, RIDGE)), tiny_matmul(xt, y));
}
// 2. The same, as the matrix is symmetric and positive: l l^T w = x^T y.
static tiny_tensor *by_cholesky(tiny_tensor *x, tiny_tensor *y) {
  tiny_tensor *xt = tiny_transpose(x, 0, 1);
  tiny_tensor *l = tiny_cholesky(tiny_add(tiny_matmul(xt, x), ridge(x, RIDGE)), 0);
  tiny_tensor *half = tiny_triangular_solve(l, tiny_matmul(xt, y), 0, 0);
  return tiny_triangular_solve(tiny_transpose(l, 0, 1), half, 1, 0);
}
// 3. Least squares of x itself, whose condition is not squared: RIDGE is 65 more rows, for which 0 is wanted.
static tiny_tensor *by_lstsq(tiny_tensor *x, tiny_tensor *y) {
  tiny_tensor *xs[2] = {x, ridge(x, sqrt(RIDGE))};
  tiny_tensor *ys[2] = {y, tiny_zeros(tiny_ctx_of(x), TINY_F64, TINY_SHAPE(PIXELS + 1, CLASSES))};
  return tiny_lstsq(tiny_cat(xs, 2, 0), tiny_cat(ys, 2, 0));
}
// 4. Downhill, knowing only the loss.
static tiny_tensor *loss_of(tiny_tensor *x, tiny_tensor *y, tiny_tensor *w) {
  tiny_tensor *fit = tiny_sum(tiny_square(tiny_sub(tiny_matmul(x, w), y)), TINY_ALL, 0);
  tiny_tensor *size = tiny_sum(tiny_square(w), TINY_ALL, 0);
  return tiny_add(fit, tiny_mul(size, tiny_like(size, RIDGE)));
}
static tiny_tensor *by_descent(tiny_tensor *x, tiny_tensor *y) {
  tiny_ctx *t = tiny_ctx_of(x);
  tiny_optim sgd = {.kind = TINY_SGD, .lr = RATE, .momentum = MOMENTUM, .nesterov = 1};
  tiny_tensor *w = tiny_zeros(t, TINY_F64, TINY_SHAPE(PIXELS + 1, CLASSES)), *grad;
  for (int i = 0; i < STEPS && tiny_status(t) == TINY_OK; i++) {
    tiny_begin(t);
    tiny_grad(loss_of(x, y, w), &w, 1, &grad);
    tiny_optim_step(&sgd, &w, &grad, 1);
    tiny_end(t);
  }
  tiny_optim_free(&sgd);
  return w;
}

typedef struct way { const char *name; tiny_tensor *(*fit)(tiny_tensor *x, tiny_tensor *y); } way;
static const way ways[] = {
  {"solve", by_solve}, {"cholesky", by_cholesky}, {"lstsq", by_lstsq}, {"descent", by_descent}
};
enum { WAYS = sizeof ways / sizeof *ways };

// ** what is seen **

static double seconds(void) { return 1e-9 * (double)tiny_now_ns(); }
// Where ink speaks for a 0 (+, #) and where against it (-, =).
static void draw(double w[PIXELS + 1][CLASSES]) {
  for (int y = 0; y < SIDE; y++, puts("")) for (int x = 0; x < SIDE; x++) {
    const int shade = (int)lround(w[y * SIDE + x][0] * 12);
    const char c = "=- +#"[shade < -2 ? 0 : shade > 2 ? 4 : shade + 2];
    printf("%s%c%c", x ? "" : "    ", c, c);
  }
}

int main(int argc, char **argv) {
  static digits d;
  static double w[PIXELS + 1][CLASSES];
  double furthest = 0;
  if (!read_digits(argc > 1 ? argv[1] : "examples/data/digits.csv", &d)) return 1;
  tiny_ctx *t = tiny_open(NULL);
  tiny_tensor *x = tiny_from(t, d.pixel, TINY_F64, TINY_SHAPE(ROWS, PIXELS + 1));
  tiny_tensor *label = tiny_from(t, d.label, TINY_I32, TINY_SHAPE(ROWS)), *first = NULL;
  tiny_tensor *y = tiny_cast(tiny_one_hot(label, CLASSES), TINY_F64);
  tiny_tensor *xtrain = tiny_narrow(x, 0, 0, TRAIN), *ytrain = tiny_narrow(y, 0, 0, TRAIN);
  tiny_tensor *xtest = tiny_narrow(x, 0, TRAIN, TEST), *read = tiny_narrow(label, 0, TRAIN, TEST);
  printf("            least     distance   right of %d\n", (int)TEST);
  for (int i = 0; i < WAYS && tiny_status(t) == TINY_OK; i++) {
    const double start = seconds();
    tiny_tensor *fit = ways[i].fit(xtrain, ytrain);
    tiny_realize(&fit, 1);
    const double spent = seconds() - start;
    if (i == 0) first = fit;
    const double loss = tiny_item(loss_of(xtrain, ytrain, fit)), apart = tiny_item(tiny_dist(fit, first, 2));
    tiny_tensor *right = tiny_eq(tiny_argmax(tiny_matmul(xtest, fit), 1, 0), read);
    printf("%-9s %9.4f   %9.2g   %d   (%.2f s)\n", ways[i].name, loss, apart,
           (int)tiny_item(tiny_sum(right, TINY_ALL, 0)), spent);
    furthest = fmax(furthest, apart);
  }
  if (tiny_read(first, w, sizeof w) == TINY_OK) draw(w);
  const int failed = tiny_status(t) != TINY_OK;
  if (failed) fprintf(stderr, "regression: %s\n", tiny_error(t));
  else printf("all ways %s\n", furthest < AGREES ? "agree" : "do not agree");
  tiny_close(t);
  return failed ? 1 : furthest < AGREES ? 0 : 2;
}
