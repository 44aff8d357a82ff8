// style: paints a picture in the manner of another: three spheres at dusk, after a painted night of whirls.
//   cc -std=c11 -I. examples/style.c -o style -lm -lpthread && ./style [content.ppm painting.ppm [result.ppm [steps]]]
//
// No network, and nothing to download: patches of the picture are to be distributed as those of the painting. Random
// filters look at them all, and the sorted answers of each are compared, which is how far all of them have to be moved
// (A. Elnekave and Y. Weiss, Generating Natural Images with Direct Patch Distribution Matching, ECCV 2022). Every step
// draws other filters; Adam moves the pixels, of a small picture first. Shows two pixels a character in 24-bit colour,
// or letters where the output is no terminal. Returns 2 unless the patches came four times as near, 1 after an error.
#define _POSIX_C_SOURCE 200809L
#define TINY_IMPLEMENTATION
#include "tiny.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { STEPS = 150, LEVELS = 2, STRIDE = 2, BLUR = 7, HIGH = 52, WIDE = 78 };
static const double RATE = 0.02, NOISE = 0.2, KEPT[LEVELS] = {0.05, 0.015};  // how much the forms count, coarse first

// ** pictures are (1,3,H,W), 0 to 1 **

static tiny_tensor *read_picture(tiny_ctx *t, const char *path) {
  return tiny_convert_image_dtype(tiny_unsqueeze(tiny_load_image(t, path), 0), TINY_F32);
}

static tiny_tensor *resized(tiny_tensor *x, int64_t high, int64_t wide) {
  return tiny_interpolate(x, &(tiny_interpolate_desc){.size = {high, wide}, .mode = TINY_AREA});
}

// Bytes (3,H,W).
static tiny_tensor *bytes_of(tiny_tensor *x) { return tiny_convert_image_dtype(tiny_select(x, 0, 0), TINY_U8); }

// ** the screen **

static tiny_code draw(tiny_tensor *x) {
  static uint8_t screen[HIGH][WIDE][3];
  const int colour = isatty(STDOUT_FILENO);
  const tiny_code code = tiny_read(bytes_of(resized(x, HIGH, WIDE)), screen, sizeof screen);
  if (colour) printf("\033[H\033[J");
  for (int y = 0; y < HIGH; y += 2, puts(colour ? "\033[0m" : "")) for (int i = 0; i < WIDE; i++) {
    const uint8_t *a = screen[y][i], *b = screen[y + 1][i];
    if (colour) printf("\033[38;2;%d;%d;%d;48;2;%d;%d;%dm\xe2\x96\x80", a[0], a[1], a[2], b[0], b[1], b[2]);
    else putchar(" .:-=+*#%@"[(299 * (a[0] + b[0]) + 587 * (a[1] + b[1]) + 114 * (a[2] + b[2])) * 9 / 510000]);
  }
  return code;
}

// ** what makes a style **

// Wide filters see strokes, those without a mean see edges, and those of a pixel colours.
static const struct filters { int n, size, no_mean; double weight; } filters[] = {
  {32, 7, 0, 1}, {24, 3, 1, 2}, {8, 1, 0, 0.5}};

// How far patches of two pictures, the halves of pair (2,3,H,W), are apart, as these filters see them.
static tiny_tensor *seen_apart(tiny_tensor *pair, const struct filters *f) {
  tiny_tensor *w = tiny_randn(tiny_ctx_of(pair), TINY_SHAPE(f->n, 3, f->size, f->size));
  if (f->no_mean) w = tiny_sub(w, tiny_mean(w, TINY_AXES(2, 3), 1));
  w = tiny_div(w, tiny_norm(w, 2, TINY_AXES(1, 2, 3), 1));
  tiny_tensor *seen = tiny_conv2d(pair, w, NULL, &(tiny_conv_desc){.stride = {STRIDE, STRIDE}});
  seen = tiny_sort(tiny_flatten(seen, 2, 3), 2, 0, NULL);
  return tiny_mul_scalar(tiny_l1_loss(tiny_select(seen, 0, 0), tiny_select(seen, 0, 1), TINY_MEAN), f->weight);
}

// Every STRIDE-th patch each way counts, from another place in every step: a number that needs no new plan.
static tiny_tensor *patches_apart(tiny_tensor *x, tiny_tensor *painting, int step) {
  tiny_ctx *t = tiny_ctx_of(x);
  tiny_tensor *both[2] = {x, painting}, *pair = tiny_cat(both, 2, 0), *sum = NULL;
  const tiny_shape s = tiny_shape_of(pair);
  pair = tiny_slice_at(pair, 2, tiny_length(t, step % STRIDE, 0, STRIDE - 1), s.dim[2] - STRIDE + 1);
  pair = tiny_slice_at(pair, 3, tiny_length(t, step / STRIDE % STRIDE, 0, STRIDE - 1), s.dim[3] - STRIDE + 1);
  for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
    tiny_tensor *apart = seen_apart(pair, &filters[i]);
    sum = sum ? tiny_add(sum, apart) : apart;
  }
  return sum;
}

// The forms of a picture: its brightness (ITU-R BT.601), blurred, without its mean and of deviation 1.
static tiny_tensor *forms(tiny_tensor *x) {
  static const float share[3] = {0.299f, 0.587f, 0.114f};
  x = tiny_conv2d(x, tiny_from(tiny_ctx_of(x), share, TINY_F32, TINY_SHAPE(1, 3, 1, 1)), NULL, NULL);
  return tiny_instance_norm(tiny_avg_pool2d(x, BLUR, 2, 0), NULL, NULL, 1e-5);
}

// ** painting **

// Moves the pixels of x, of a level's size, towards the painting.
static void paint(tiny_tensor *x, tiny_tensor *content, tiny_tensor *painting, int level, int steps) {
  tiny_ctx *t = tiny_ctx_of(x);
  tiny_tensor *grad;
  tiny_optim adam = {.kind = TINY_ADAM};
  for (int i = 0; i < steps && tiny_status(t) == TINY_OK; i++) {
    adam.lr = tiny_lr_linear(RATE, i, steps, 1, 0.02);
    tiny_begin(t);
    tiny_tensor *kept = tiny_mse_loss(forms(x), forms(content), TINY_MEAN);
    tiny_grad(tiny_add(patches_apart(x, painting, i), tiny_mul_scalar(kept, KEPT[level])), &x, 1, &grad);
    tiny_optim_step(&adam, &x, &grad, 1);
    tiny_end(t);
    if (isatty(STDOUT_FILENO) && i % 5 == 0) draw(x);
  }
  tiny_optim_free(&adam);
}

// The content as painted at full size, beginning with a small picture and some noise.
static tiny_tensor *painted(tiny_tensor *content, tiny_tensor *painting, int steps) {
  const tiny_shape s = tiny_shape_of(content);
  tiny_tensor *x = NULL;
  for (int level = 0; level < LEVELS; level++) {
    const int64_t h = s.dim[2] >> (LEVELS - 1 - level), w = s.dim[3] >> (LEVELS - 1 - level);
    tiny_tensor *c = resized(content, h, w), *p = resized(painting, h, w);
    x = x ? tiny_interpolate(x, &(tiny_interpolate_desc){.size = {h, w}, .mode = TINY_LINEAR})
          : tiny_add(c, tiny_mul_scalar(tiny_randn_like(c), NOISE));
    tiny_realize((tiny_tensor *[]){c, p, x}, 3);
    paint(x, c, p, level, steps);
  }
  return x;
}

static const char hint[] = "; run this in the folder of tiny.h, or name a file";
int main(int argc, char **argv) {
  const int steps = argc > 4 ? atoi(argv[4]) : STEPS;
  tiny_ctx *t = tiny_open(&(tiny_desc){.seed = 1});
  tiny_tensor *content = read_picture(t, argc > 2 ? argv[1] : "examples/data/scene.ppm");
  tiny_tensor *painting = read_picture(t, argc > 2 ? argv[2] : "examples/data/painting.ppm");
  const time_t start = time(NULL);
  tiny_tensor *x = painted(content, painting, steps);
  if (tiny_status(t) == TINY_OK) draw(x);
  const tiny_shape s = tiny_shape_of(content);
  painting = resized(painting, s.dim[2], s.dim[3]);
  const double before = tiny_item(patches_apart(content, painting, 0)), now = tiny_item(patches_apart(x, painting, 0));
  const char *path = argc > 3 ? argv[3] : "style.png";
  const int failed = tiny_save_image(bytes_of(x), path) != TINY_OK;
  if (tiny_status(t) != TINY_OK) fprintf(stderr, "style: %s%s\n", tiny_error(t), tiny_status(t) == TINY_E_IO ? hint : "");
  else printf("%s after %.0f s: patches were apart %.4f, are %.4f, %.1f times as near\n", path,
              difftime(time(NULL), start), before, now, before / now);
  tiny_close(t);
  return failed ? 1 : before > 4 * now ? 0 : 2;
}
