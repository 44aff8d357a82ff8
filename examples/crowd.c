// crowd: particles that come and go, a hundred thousand of them at most: a fountain, frame by frame.
//   cc -std=c11 -I. examples/crowd.c -o crowd -lm -lpthread && ./crowd [frames]
//
// How many there are is a number of each frame, a tiny_length: memory is planned for the most, work is done for those
// that are there, and one plan serves all numbers. The oldest come first in memory, and leave first: those that stay
// are read from where they begin and written to the front, and new ones are put behind them. Draws the fountain, on a
// terminal while it runs. Returns 2 if anything was planned or compiled after the first frames, 1 after an error.
#define _POSIX_C_SOURCE 200809L
#define TINY_IMPLEMENTATION
#include "tiny.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// BORN: the most that begin in a frame; LIFE: frames; EARLY: after which everything has happened once.
enum { MOST = 100000, BORN = 700, LIFE = 160, FRAMES = 900, EARLY = LIFE + 4, SHOWN_EVERY = 30 };
enum { ROWS = 22, COLUMNS = 78 };
static const float gravity[2] = {0, -0.00016f};

typedef struct crowd {
  tiny_tensor *place, *speed, *falls;      // (MOST + BORN, 2): across and up; (2)
  int64_t n;
} crowd;

static crowd crowd_new(tiny_ctx *t) {
  const tiny_shape rows = TINY_SHAPE(MOST + BORN, 2);
  crowd c = {tiny_zeros(t, TINY_F32, rows), tiny_zeros(t, TINY_F32, rows), NULL, 0};
  c.falls = tiny_from(t, gravity, TINY_F32, TINY_SHAPE(2));
  tiny_realize(&c.place, 1);
  tiny_realize(&c.speed, 1);
  return c;
}

// How many begin in a frame: the fountain swells, and rests.
static int64_t born_in(int frame) {
  const double wave = sin(frame * 0.012);
  return frame < 0 || wave < 0 ? 0 : (int64_t)(BORN * wave);
}

// The last `left` of a state: what stands from row `gone` on.
static tiny_tensor *those_left(tiny_tensor *state, tiny_tensor *gone, tiny_tensor *left) {
  return tiny_slice_to(tiny_slice_at(state, 0, gone, MOST), 0, left);
}
static tiny_code step(tiny_ctx *t, crowd *c, int frame) {
  const int64_t leaving = born_in(frame - LIFE), staying = c->n - leaving;
  tiny_begin(t);
  tiny_tensor *gone = tiny_length(t, leaving, 0, BORN), *left = tiny_length(t, staying, 0, MOST);
  tiny_tensor *speed = tiny_add(those_left(c->speed, gone, left), c->falls);
  tiny_tensor *place = tiny_add(those_left(c->place, gone, left), speed);
  tiny_assign(tiny_slice_to(c->speed, 0, left), speed);
  tiny_assign(tiny_slice_to(c->place, 0, left), place);
  tiny_tensor *random = tiny_sub(tiny_rand(t, TINY_SHAPE(BORN, 2)), tiny_scalar(t, 0.5, TINY_F32));
  tiny_tensor *up = tiny_from(t, (float[2]){0, 0.02f}, TINY_F32, TINY_SHAPE(2));
  tiny_assign(tiny_slice_at(c->speed, 0, left, BORN), tiny_add(tiny_mul(random, tiny_like(random, 0.006)), up));
  tiny_assign(tiny_slice_at(c->place, 0, left, BORN), tiny_like(c->place, 0));
  c->n = staying + born_in(frame);         // of those behind them, so many are meant
  return tiny_end(t);
}

static tiny_code draw(tiny_ctx *t, const crowd *c) {
  static float place[MOST][2];
  static int shown[ROWS][COLUMNS];
  tiny_begin(t);
  tiny_read(tiny_slice_to(c->place, 0, tiny_length(t, c->n, 0, MOST)), place, (size_t)c->n * sizeof *place);
  tiny_end(t);
  memset(shown, 0, sizeof shown);
  for (int64_t i = 0; i < c->n; i++) {
    const int x = (int)((place[i][0] + 0.5f) * COLUMNS), y = (int)((1.05f - place[i][1] / 1.4f) * ROWS);
    if (x >= 0 && x < COLUMNS && y >= 0 && y < ROWS) shown[y][x]++;
  }
  if (isatty(STDOUT_FILENO)) printf("\033[H\033[J");             // the next picture in the place of the last
  for (int y = 0; y < ROWS; y++, puts("")) for (int x = 0; x < COLUMNS; x++) {
    const int shade = (int)log2(1 + 0.5 * shown[y][x]);
    putchar(" .:-=+*#%@"[shade > 9 ? 9 : shade]);
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
  const int frames = argc > 1 ? atoi(argv[1]) : FRAMES;
  tiny_ctx *t = tiny_open(NULL);
  crowd c = crowd_new(t);
  uint64_t first = 0;
  int64_t most = 0;
  double few[2] = {0, 0}, many[2] = {0, 0};  // seconds and frames: with at most a tenth of the most, with at least half
  for (int i = 0; i < frames && tiny_status(t) == TINY_OK; i++) {
    const double start = seconds();
    step(t, &c, i);
    double *of = c.n < MOST / 10 ? few : c.n > MOST / 2 ? many : NULL;
    if (of && i > EARLY) { of[0] += seconds() - start; of[1]++; }
    if (c.n > most) most = c.n;
    if (i == LIFE || i == EARLY - 1 || (i % SHOWN_EVERY == 0 && isatty(STDOUT_FILENO))) draw(t, &c);
    if (i <= EARLY) first = made(t);
  }
  const int failed = tiny_status(t) != TINY_OK;
  const uint64_t later = made(t) - first;
  if (failed) fprintf(stderr, "crowd: %s\n", tiny_error(t));
  else printf("%d frames, 0 to %d particles; of few %.0f microseconds each, of many %.0f; %d plans and programs made, "
              "%d later\n", frames, (int)most, 1e6 * few[0] / (few[1] + 1e-9), 1e6 * many[0] / (many[1] + 1e-9),
              (int)first, (int)later);
  tiny_close(t);
  return failed ? 1 : later ? 2 : 0;
}
