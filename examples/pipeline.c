// pipeline: two devices in one context. While the second works on a frame, the first is at the next one.
//   cc -std=c11 -I. examples/pipeline.c -o pipeline -lm -lpthread && ./pipeline [devices]
// Devices are "CPU,CPU:1" without an argument; with a GPU its name goes first or second: "CPU,NV".
//
// The first device renders waves and blurs them, tiny_to brings each frame to the second, which finds its contours. No
// call waits for a device until the end: what depends on each other is in order, what does not runs side by side. Debug
// letter l tells when each kernel began and ended on its device; from that the picture below is drawn.
#define TINY_IMPLEMENTATION
#include "tiny.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FRAMES = 8, SIDE = 768, COLUMNS = 72, MOST = 1024 };

// ** what is seen: lines of the log, kept as spans **

typedef struct span { char device[32]; double from, to; } span;
typedef struct spans { span of[MOST]; int n; } spans;

static void take_line(void *user, const char *line) {
  spans *all = (spans *)user;
  span *s = &all->of[all->n];
  if (all->n < MOST && sscanf(line, "launch %31s %lf to %lf us", s->device, &s->from, &s->to) == 3) all->n++;
}

// A row for each device: # where it works. Returns the share of the time in which both do.
static double draw(const spans *all, const char *const *device, int n, double from, double to) {
  int busy[2][COLUMNS] = {{0}}, both = 0, either = 0;
  for (int i = 0; i < all->n; i++) for (int d = 0; d < n; d++) {
    const span *s = &all->of[i];
    if (strcmp(s->device, device[d]) || s->to < from) continue;
    const double scale = COLUMNS / (to - from);
    for (int c = (int)((s->from - from) * scale); c <= (s->to - from) * scale && c < COLUMNS; c++) busy[d][c] = 1;
  }
  for (int d = 0; d < n; d++) {
    printf("  %-8s|", device[d]);
    for (int c = 0; c < COLUMNS; c++) putchar(busy[d][c] ? '#' : ' ');
    puts("|");
  }
  for (int c = 0; c < COLUMNS; c++) { both += busy[0][c] && busy[1][c]; either += busy[0][c] || busy[1][c]; }
  return either ? (double)both / either : 0;
}

// ** the two stages **

// A frame of SIDE x SIDE: three waves, blurred.
static tiny_tensor *render(tiny_ctx *t, double time) {
  const tiny_shape column = TINY_SHAPE(SIDE, 1), row = TINY_SHAPE(1, SIDE);
  tiny_tensor *y = tiny_reshape(tiny_arange(t, 0, SIDE, 1, TINY_F32), column);
  tiny_tensor *x = tiny_reshape(tiny_arange(t, 0, SIDE, 1, TINY_F32), row);
  tiny_tensor *now = tiny_scalar(t, time, TINY_F32), *sum = NULL;
  for (int i = 0; i < 3; i++) {
    tiny_tensor *along = tiny_mul(x, tiny_like(x, 0.02 + 0.013 * i));
    tiny_tensor *down = tiny_mul(y, tiny_like(y, 0.031 - 0.009 * i));
    tiny_tensor *wave = tiny_sin(tiny_add(tiny_add(along, down), tiny_mul(now, tiny_like(now, 1 + i))));
    sum = sum ? tiny_add(sum, wave) : wave;
  }
  tiny_tensor *frame = tiny_reshape(tiny_contiguous(sum), TINY_SHAPE(1, 1, SIDE, SIDE));
  tiny_tensor *box = tiny_full(t, 1.0 / 49, TINY_F32, TINY_SHAPE(1, 1, 7, 7));
  tiny_conv_desc same;
  memset(&same, 0, sizeof same);
  same.pad[0] = same.pad[1] = 3;
  return tiny_conv2d(frame, box, NULL, &same);
}
// How many of a frame's pixels lie on a contour, after a few rounds of sharpening.
static tiny_tensor *contours(tiny_ctx *t, tiny_tensor *frame) {
  const float laplace[9] = {0, -1, 0, -1, 4, -1, 0, -1, 0};
  tiny_tensor *edge = tiny_reshape(tiny_scalar(t, 0, TINY_F32), TINY_SHAPE(1, 1, 1, 1));
  tiny_conv_desc same;
  memset(&same, 0, sizeof same);
  same.pad[0] = same.pad[1] = 1;
  tiny_tensor *kernel = tiny_to(tiny_from(t, laplace, TINY_F32, TINY_SHAPE(1, 1, 3, 3)), tiny_device_of(frame));
  for (int i = 0; i < 4; i++) {
    tiny_tensor *sharp = tiny_contiguous(tiny_conv2d(frame, kernel, NULL, &same));
    frame = tiny_tanh(tiny_add(frame, tiny_mul(sharp, tiny_like(sharp, 0.2))));
  }
  tiny_tensor *level = tiny_abs(tiny_sub(frame, edge));
  return tiny_sum(tiny_cast(tiny_lt(level, tiny_like(level, 0.02)), TINY_F32), TINY_ALL, 0);
}

static double seconds(void) { return 1e-9 * (double)tiny_now_ns(); }
// FRAMES frames, each a graph of its own; with `waits`, each is done before the next is begun. Their sums go to count.
static double run(tiny_ctx *t, int waits, double *count) {
  tiny_tensor *found[FRAMES];
  const double from = seconds();
  tiny_begin(t);
  for (int i = 0; i < FRAMES; i++) {
    tiny_tensor *frame = tiny_to(render(t, 0.1 * i), 0);     // made of no memory, so anywhere: here on the first
    found[i] = contours(t, tiny_to(frame, tiny_device_count(t) - 1));
    tiny_realize(&found[i], 1);            // gives the work to the devices, and returns
    if (waits) tiny_sync(t);
  }
  tiny_sync(t);
  const double took = seconds() - from;
  for (int i = 0; i < FRAMES; i++) count[i] = tiny_item(found[i]);
  tiny_end(t);
  return took;
}

int main(int argc, char **argv) {
  static spans all;
  double count[2][FRAMES], alone = 1e9, beside = 1e9;
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = argc > 1 ? argv[1] : "CPU,CPU:1";
  d.debug = "l";
  d.log.fn = take_line; d.log.user = &all;
  tiny_ctx *t = tiny_open(&d);
  run(t, 1, count[0]);                     // compiles
  for (int i = 0; i < 3; i++) {
    const double a = run(t, 1, count[0]);
    all.n = 0;
    const double b = run(t, 0, count[1]);
    if (a < alone) alone = a;
    if (b < beside) beside = b;
  }
  const char *const names[2] = {tiny_device_name(t, 0), tiny_device_name(t, tiny_device_count(t) - 1)};
  const int n = tiny_device_count(t) > 1 ? 2 : 1;
  double from = 1e18, to = 0;
  for (int i = 0; i < all.n; i++) { from = fmin(from, all.of[i].from); to = fmax(to, all.of[i].to); }
  const double both = draw(&all, names, n, from, to);
  printf("%d frames: %.1f ms one after the other, %.1f ms side by side; both work %.0f %% of the time\n", FRAMES,
         alone * 1e3, beside * 1e3, both * 100);
  printf("%.0f pixels on contours in the last frame, %s\n", count[1][FRAMES - 1],
         memcmp(count[0], count[1], sizeof count[0]) ? "but not the same in both runs" : "the same either way");
  const tiny_stats s = tiny_device_stats(t, tiny_device_count(t) - 1);
  printf("%s took %llu copies, %.1f MB\n", names[1], (unsigned long long)s.copies, (double)s.nbytes_copied * 1e-6);
  if (tiny_status(t) != TINY_OK) puts(tiny_error(t));
  const int failed = tiny_status(t) != TINY_OK;
  tiny_close(t);
  return failed;
}
