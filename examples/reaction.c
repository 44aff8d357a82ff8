// reaction: two substances that react and spread (Gray and Scott's model), stepped as in a game: every frame.
//   cc -std=c11 -I. examples/reaction.c -o reaction -lm -lpthread && ./reaction [frames]
//
// A frame is tiny_begin, operators, tiny_assign, tiny_end. The first one is planned and compiled; all that follow
// find their plan and only run kernels. Draws the second substance, on a terminal while it runs, and prints the
// frames a second. Returns 2 if anything was planned or compiled after the first frame, 1 after an error.
#define _POSIX_C_SOURCE 200809L
#define TINY_IMPLEMENTATION
#include "tiny.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { HIGH = 176, WIDE = 256, FRAMES = 6000, SHOWN_EVERY = 100, ROWS = 22, COLUMNS = 78 };

// J. E. Pearson, Complex Patterns in a Simple System, Science 261, 1993: how fast u and v spread, u is fed, v decays.
static const double SPREAD_U = 0.16, SPREAD_V = 0.08, FEED = 0.037, DECAY = 0.06;

typedef struct dish { tiny_tensor *u, *v; } dish;

// u everywhere, and v in a few drops.
static dish dish_new(tiny_ctx *t) {
  static const struct { int x, y, r; } drops[] = {{60, 50, 12}, {180, 40, 7}, {130, 110, 9}, {225, 140, 5}};
  static float u[HIGH][WIDE], v[HIGH][WIDE];
  for (int y = 0; y < HIGH; y++) for (int x = 0; x < WIDE; x++) {
    int wet = 0;
    for (size_t i = 0; i < sizeof drops / sizeof *drops; i++) {
      const int dx = x - drops[i].x, dy = y - drops[i].y;
      wet |= dx * dx + dy * dy < drops[i].r * drops[i].r;
    }
    u[y][x] = wet ? 0.5f : 1;
    v[y][x] = wet ? 0.25f : 0;
  }
  const tiny_shape shape = TINY_SHAPE(HIGH, WIDE);
  return (dish){tiny_from(t, u, TINY_F32, shape), tiny_from(t, v, TINY_F32, shape)};
}

// What flows in from the four neighbours, less what flows out; the world is a torus.
static tiny_tensor *spread(tiny_tensor *x) {
  tiny_tensor *sum = tiny_mul_scalar(x, -4);
  for (int axis = 0; axis < 2; axis++) for (int by = -1; by <= 1; by += 2)
    sum = tiny_add(sum, tiny_roll(x, TINY_SHAPE(by), TINY_SHAPE(axis)));
  return sum;
}

static tiny_code step(tiny_ctx *t, dish d) {
  tiny_begin(t);
  tiny_tensor *reaction = tiny_mul(d.u, tiny_square(d.v));
  tiny_tensor *fed = tiny_mul_scalar(tiny_sub(tiny_like(d.u, 1), d.u), FEED);
  tiny_tensor *du = tiny_sub(tiny_add(tiny_mul_scalar(spread(d.u), SPREAD_U), fed), reaction);
  tiny_tensor *dv = tiny_sub(tiny_add(tiny_mul_scalar(spread(d.v), SPREAD_V), reaction), tiny_mul_scalar(d.v, FEED + DECAY));
  tiny_assign(d.u, tiny_add(d.u, du));
  tiny_assign(d.v, tiny_add(d.v, dv));
  return tiny_end(t);                      // both are computed from the old u and v, and written here
}

static tiny_code draw(tiny_ctx *t, dish d) {
  static float shown[ROWS][COLUMNS];
  const tiny_interpolate_desc small = {.size = {ROWS, COLUMNS}, .mode = TINY_AREA};
  tiny_begin(t);
  tiny_read(tiny_interpolate(tiny_reshape(d.v, TINY_SHAPE(1, 1, HIGH, WIDE)), &small), shown, sizeof shown);
  tiny_end(t);
  if (isatty(STDOUT_FILENO)) printf("\033[H\033[J");             // the next picture in the place of the last
  for (int y = 0; y < ROWS; y++, puts("")) for (int x = 0; x < COLUMNS; x++) {
    const int shade = (int)(shown[y][x] * 25);
    putchar(" .:-=+*#%@"[shade < 0 ? 0 : shade > 9 ? 9 : shade]);
  }
  fflush(stdout);
  return tiny_status(t);
}

static double seconds(void) { return 1e-9 * (double)tiny_now_ns(); }
// Plans made and programs compiled or taken from disk.
static uint64_t made(tiny_ctx *t) {
  const tiny_stats s = tiny_stats_of(t);
  return s.schedules + s.compiled + s.cache_hits;
}

int main(int argc, char **argv) {
  const int asked = argc > 1 ? atoi(argv[1]) : FRAMES, frames = asked > 1 ? asked : 2;
  tiny_ctx *t = tiny_open(NULL);
  const dish d = dish_new(t);
  uint64_t first = 0;
  double spent = 0;
  for (int i = 0; i < frames && tiny_status(t) == TINY_OK; i++) {
    const double start = seconds();
    step(t, d);
    if (i > 0) spent += seconds() - start;
    if (i == 0 || i == frames - 1 || (i % SHOWN_EVERY == 0 && isatty(STDOUT_FILENO))) draw(t, d);
    if (i == 0) first = made(t);
  }
  const int failed = tiny_status(t) != TINY_OK;
  const uint64_t later = made(t) - first, kernels = tiny_stats_of(t).kernels;
  if (failed) fprintf(stderr, "reaction: %s\n", tiny_error(t));
  else printf("%d frames of %d x %d, %.0f a second, %.1f kernels each; %d plans and programs made, %d later\n",
              frames, (int)WIDE, (int)HIGH, (frames - 1) / spent, (double)kernels / frames, (int)(first + later),
              (int)later);
  tiny_close(t);
  return failed ? 1 : later ? 2 : 0;
}
