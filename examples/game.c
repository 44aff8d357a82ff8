// game: 60 frames a second, with a network that takes longer than a frame: it gets 4 milliseconds of each.
//   cc -std=c11 -I. examples/game.c -o game -lm -lpthread && ./game [frames] [milliseconds of a frame for the network]
//
// A field of animals walks as a network last told it. The network sees all of them and takes many times longer than a
// frame has. tiny_run_for gives it a few milliseconds a frame: what it found is there some frames later, and no frame
// is late. Then, for comparison, the same with tiny_run, which stops the game each time. Draws how long the frames'
// work took, as two histograms. Returns 1 after an error, 2 if the two ways did not find the same.
#define _POSIX_C_SOURCE 200809L
#define TINY_IMPLEMENTATION
#include "tiny.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ANIMALS = 256, SENSES = 8, WIDTH = 512, LAYERS = 12, FRAMES = 180, BARS = 12 };
static const double frame_ms = 1000.0 / 60;

static double now_ms(void) { return (double)tiny_now_ns() * 1e-6; }
static void wait_until(double ms) {
  const double left = ms - now_ms();
  const struct timespec t = {0, (long)(left * 1e6)};
  if (left > 0) nanosleep(&t, NULL);
}

typedef struct game {
  float place[ANIMALS][2], turn[ANIMALS];  // where they are; which way the network sends them
  int thoughts;                            // how often it has told
} game;

static void game_begin(game *g) {
  memset(g, 0, sizeof *g);
  for (int i = 0; i < ANIMALS; i++) {
    g->place[i][0] = (float)(i % 16) / 16;
    g->place[i][1] = (float)(i / 16) / 16;
    g->turn[i] = (float)i;
  }
}
static void game_step(game *g) {
  for (int i = 0; i < ANIMALS; i++) {
    const double step = 1.0 / 512;
    g->place[i][0] = (float)fmod(g->place[i][0] + step * cos(g->turn[i]) + 1, 1);
    g->place[i][1] = (float)fmod(g->place[i][1] + step * sin(g->turn[i]) + 1, 1);
  }
}
// What they see now, as the network's input.
static tiny_tensor *game_seen(tiny_ctx *t, const game *g) {
  static float seen[ANIMALS][SENSES];
  for (int i = 0; i < ANIMALS; i++) for (int k = 0; k < SENSES; k++)
    seen[i][k] = sinf((float)(k / 2 + 1) * 6.2831853f * g->place[i][k % 2]);
  return tiny_from(t, seen, TINY_F32, TINY_SHAPE(ANIMALS, SENSES));
}
static void game_told(game *g, tiny_tensor *turn) {
  tiny_read(turn, g->turn, sizeof g->turn);
  g->thoughts++;
}

// (ANIMALS,SENSES) -> (ANIMALS): layers of products, norms and activations, captured once.
static tiny_program *network(tiny_ctx *t, const game *g) {
  tiny_tensor *w[LAYERS + 1];              // before the frame: random numbers of its own are drawn anew in each run
  for (int i = 0; i <= LAYERS; i++) w[i] = tiny_randn(t, TINY_SHAPE(i ? WIDTH : SENSES, i < LAYERS ? WIDTH : 1));
  tiny_realize(w, LAYERS + 1);
  tiny_begin(t);
  tiny_tensor *x = game_seen(t, g), *y = x;
  for (int i = 0; i <= LAYERS; i++) y = tiny_matmul(i ? tiny_gelu(tiny_layer_norm(y, 1, NULL, NULL, 0)) : y, w[i]);
  y = tiny_reshape(y, TINY_SHAPE(ANIMALS));
  tiny_program *p = tiny_capture(t, &x, 1, &y, 1);
  tiny_end(t);
  return p;
}

// One frame with the network under a budget, or as a whole: budget 0. *seen: the input of the run under way; NULL:
// there is none.
static tiny_code think(tiny_ctx *t, game *g, tiny_program *p, tiny_tensor **seen, double budget_ms) {
  tiny_tensor *turn;
  if (!*seen) *seen = game_seen(t, g);
  const uint64_t ns = (uint64_t)(budget_ms * 1e6);
  const tiny_code code = ns ? tiny_run_for(p, seen, &turn, ns) : tiny_run(p, seen, &turn);
  if (code == TINY_OK) {
    game_told(g, turn);
    tiny_free(turn);
  }
  if (code == TINY_MORE) return TINY_OK;   // it goes on in the next frame
  tiny_free(*seen);
  *seen = NULL;
  return code;
}

// work[i]: milliseconds of frame i. Returns how many frames were late.
static int play(tiny_ctx *t, game *g, tiny_program *p, int frames, double budget_ms, double *work) {
  tiny_tensor *seen = NULL;
  int late = 0;
  game_begin(g);
  double next = now_ms();
  for (int i = 0; i < frames; i++) {
    const double from = now_ms();
    if (think(t, g, p, &seen, budget_ms) != TINY_OK) return -1;
    game_step(g);
    work[i] = now_ms() - from;
    late += work[i] > frame_ms;
    next += frame_ms;
    if (next < now_ms()) next = now_ms();  // what was late is not made up for
    wait_until(next);
  }
  return seen && think(t, g, p, &seen, 1e6) != TINY_OK ? -1 : late;        // the run under way goes on to its end
}

static void histogram(const double *work, int frames, double top_ms) {
  int count[BARS + 1] = {0}, most = 1;
  for (int i = 0; i < frames; i++) {
    const int at = (int)(work[i] / top_ms * BARS);
    const int bar = at < BARS ? at : BARS;
    if (++count[bar] > most) most = count[bar];
  }
  for (int b = 0; b <= BARS; b++) {
    printf("%s%5.1f ms |", b < BARS ? " " : ">", top_ms * (b < BARS ? b : BARS) / BARS);
    for (int i = 0; i < (count[b] * 60 + most - 1) / most; i++) putchar('#');
    if (count[b]) printf(" %d", count[b]);
    putchar('\n');
  }
}

int main(int argc, char **argv) {
  const int frames = argc > 1 && atoi(argv[1]) > 0 ? atoi(argv[1]) : FRAMES;
  const double budget_ms = argc > 2 && atof(argv[2]) > 0 ? atof(argv[2]) : 4;
  static game budgeted, stopped;
  double *work = (double *)calloc((size_t)frames, sizeof *work);
  tiny_ctx *t = tiny_open(NULL);
  game_begin(&budgeted);
  tiny_program *p = network(t, &budgeted);
  for (int way = 0; way < 2 && p && work; way++) {
    game *g = way ? &stopped : &budgeted;
    const int late = play(t, g, p, frames, way ? 0 : budget_ms, work);
    if (late < 0) break;
    if (way) printf("\ntiny_run: %d frames, %d late, the network told %d times\n", frames, late, g->thoughts);
    else printf("tiny_run_for, %.1f ms a frame: %d frames, %d late, the network told %d times\n", budget_ms, frames,
                late, g->thoughts);
    histogram(work, frames, 2 * frame_ms);
  }
  // One run more of each kind, of the same picture: cut into pieces it finds the same.
  tiny_tensor *seen = NULL;
  budgeted = stopped;
  const int told = stopped.thoughts;
  while (p && think(t, &budgeted, p, &seen, budget_ms / 8) == TINY_OK && budgeted.thoughts == told) {}
  if (p) think(t, &stopped, p, &seen, 0);
  const int same = !memcmp(budgeted.turn, stopped.turn, sizeof stopped.turn);
  free(work);
  tiny_program_free(p);
  return tiny_finish(t) ? 1 : same ? 0 : 2;
}
