// filter: a picture, blurred, its edges, and a part of it enlarged, shown in the terminal.
//   cc -std=c11 -I. examples/filter.c -o filter -lm -lpthread && ./filter [picture.png [colour | grey]]
//
// Everything from the file's bytes to the bytes on the screen is one lazy graph, and read once. A character shows
// two pixels in 24-bit colour, or, where the output is no terminal, their brightness as a letter. Returns 2 if
// the blur changed the mean brightness, 1 after an error.
#define _POSIX_C_SOURCE 200809L
#define TINY_IMPLEMENTATION
#include "tiny.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { WIDE = 39, HIGH = 26, RADIUS = 6 };    // of a picture on the screen; of the blur

// ** pictures are (1,C,H,W), 0 to 1 **

static tiny_tensor *read_picture(tiny_ctx *t, const char *path) {
  return tiny_convert_image_dtype(tiny_unsqueeze(tiny_load_image(t, path), 0), TINY_F32);
}

// Each channel by itself with a bell curve, along rows, then along columns; the edge goes on outside.
static tiny_tensor *blur(tiny_tensor *x, int radius) {
  tiny_ctx *t = tiny_ctx_of(x);
  const int channels = (int)tiny_shape_of(x).dim[1], size = 2 * radius + 1;
  tiny_tensor *at = tiny_div(tiny_arange(t, -radius, radius + 1, 1, TINY_F32),
                             tiny_full(t, radius / 2.0, TINY_F32, TINY_SHAPE()));
  tiny_tensor *bell = tiny_softmax(tiny_mul(tiny_square(at), tiny_like(at, -0.5)), 0);      // of sum 1
  tiny_conv_desc rows = {.groups = channels, .pad = {0, radius}, .padding = TINY_PAD_REPLICATE}, columns = rows;
  columns.pad[0] = radius; columns.pad[1] = 0;
  x = tiny_conv2d(x, tiny_expand(bell, TINY_SHAPE(channels, 1, 1, size)), NULL, &rows);
  bell = tiny_reshape(bell, TINY_SHAPE(size, 1));
  return tiny_conv2d(tiny_contiguous(x), tiny_expand(bell, TINY_SHAPE(channels, 1, size, 1)), NULL, &columns);
}

// How steep the brightness (ITU-R BT.601) is, by Sobel's two kernels: (1,3,H,W) -> (1,1,H,W).
static tiny_tensor *edges(tiny_tensor *x) {
  static const float share[3] = {0.299f, 0.587f, 0.114f};
  static const float sobel[2][9] = {{-1, 0, 1, -2, 0, 2, -1, 0, 1}, {-1, -2, -1, 0, 0, 0, 1, 2, 1}};
  tiny_ctx *t = tiny_ctx_of(x);
  const tiny_conv_desc same = {.same = 1, .padding = TINY_PAD_REPLICATE};
  tiny_tensor *grey = tiny_conv2d(x, tiny_from(t, share, TINY_F32, TINY_SHAPE(1, 3, 1, 1)), NULL, NULL);
  tiny_tensor *slope = tiny_conv2d(grey, tiny_from(t, sobel, TINY_F32, TINY_SHAPE(2, 1, 3, 3)), NULL, &same);
  return tiny_hypot(tiny_narrow(slope, 1, 0, 1), tiny_narrow(slope, 1, 1, 1));
}

// The middle ninth, as large as the whole.
static tiny_tensor *enlarged(tiny_tensor *x) {
  const tiny_shape s = tiny_shape_of(x);
  const int64_t h = s.dim[2], w = s.dim[3];
  const tiny_interpolate_desc whole = {.size = {h, w}, .mode = TINY_CUBIC};
  return tiny_interpolate(tiny_narrow(tiny_narrow(x, 2, h / 3, h / 3), 3, w / 3, w / 3), &whole);
}

// Bytes (HIGH,WIDE,3), as the screen wants them.
static tiny_tensor *on_screen(tiny_tensor *x) {
  const tiny_interpolate_desc small = {.size = {HIGH, WIDE}, .mode = TINY_AREA};
  x = tiny_expand(tiny_clamp(tiny_interpolate(x, &small), 0, 1), TINY_SHAPE(1, 3, HIGH, WIDE));
  x = tiny_round(tiny_mul(x, tiny_like(x, 255)));
  return tiny_cast(tiny_permute(tiny_select(x, 0, 0), TINY_SHAPE(1, 2, 0)), TINY_U8);
}

// ** the screen **

static int brightness(const uint8_t *p) { return (299 * p[0] + 587 * p[1] + 114 * p[2]) / 1000; }

static void draw(uint8_t screen[2 * HIGH][2 * WIDE][3], int colour) {
  for (int y = 0; y < 2 * HIGH; y += 2) {
    for (int x = 0; x < 2 * WIDE; x++) {
      const uint8_t *above = screen[y][x], *below = screen[y + 1][x];
      if (colour) printf("\033[38;2;%d;%d;%d;48;2;%d;%d;%dm\xe2\x96\x80", above[0], above[1], above[2], below[0],
                         below[1], below[2]);                     // the upper half of a block
      else putchar(" .:-=+*#%@"[(brightness(above) + brightness(below)) * 9 / 510]);
    }
    puts(colour ? "\033[0m" : "");
  }
}

static const char hint[] = "; run this in the folder of tiny.h, or name a file";
int main(int argc, char **argv) {
  static uint8_t screen[2 * HIGH][2 * WIDE][3];
  const char *path = argc > 1 ? argv[1] : "examples/data/scene.ppm";
  const int colour = argc > 2 ? strcmp(argv[2], "colour") == 0 : isatty(STDOUT_FILENO);
  tiny_ctx *t = tiny_open(NULL);
  tiny_tensor *x = read_picture(t, path);
  tiny_tensor *soft = blur(x, RADIUS);
  tiny_tensor *above[2] = {on_screen(x), on_screen(soft)}, *below[2] = {on_screen(edges(x)), on_screen(enlarged(x))};
  tiny_tensor *rows[2] = {tiny_cat(above, 2, 1), tiny_cat(below, 2, 1)};
  tiny_read(tiny_cat(rows, 2, 0), screen, sizeof screen);
  const double before = tiny_item(tiny_mean(x, TINY_ALL, 0)), after = tiny_item(tiny_mean(soft, TINY_ALL, 0));
  const int failed = tiny_status(t) != TINY_OK;
  if (failed) fprintf(stderr, "filter: %s%s\n", tiny_error(t), tiny_status(t) == TINY_E_IO ? hint : "");
  else {
    draw(screen, colour);
    printf("as it is, blurred; its edges, enlarged. Mean brightness %.4f, blurred %.4f\n", before, after);
  }
  tiny_close(t);
  return failed ? 1 : fabs(after - before) < 0.01 ? 0 : 2;
}
