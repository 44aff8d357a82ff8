// agent: learns to land rockets, sixty-four at a time, by trying: none lands at first, nearly all after some seconds.
//   cc -std=c11 examples/agent.c -o agent -lm -lpthread && ./agent [updates]
//
// The game is plain C; of each rocket the agent sees seven numbers. One captured program says what all of them do in a
// frame, another learns from SPAN frames at once: advantage actor-critic (V. Mnih et al., Asynchronous Methods for Deep
// Reinforcement Learning, ICML 2016) with generalised advantages (J. Schulman et al., arXiv:1506.02438). On a terminal
// the sky is drawn while they learn; at the end one flight is. Returns 2 unless four of five of the last ones landed,
// 1 after an error.
#define _POSIX_C_SOURCE 200809L
#define TINY_IMPLEMENTATION
#include "tiny.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ROCKETS = 64, SPAN = 32, N = SPAN * ROCKETS, SEEN = 7, UNITS = 64, UPDATES = 5000, TOLD_EVERY = 500 };
enum { DRAWN_EVERY = 10, ROWS = 24, COLUMNS = 78, MOST_FRAMES = 250 };
enum { DRIFT, THRUST, TURN_LEFT, TURN_RIGHT, ACTIONS };
static const double RATE = 2e-3, DISCOUNT = 0.99, SMOOTH = 0.95, CURIOUS = 0.01, VALUED = 1, CLIP = 0.2;

// ** the game: a rocket that turns and thrusts, and a pad from -PAD to PAD on the ground **

static const float FRAME = 0.06f, GRAVITY = 0.35f, POWER = 1, SPIN = 4, PAD = 0.2f, GENTLE = 0.3f, UPRIGHT = 0.3f;
static const float TOP = 1.5f, SIDE = 1.3f;

typedef struct rocket { float x, y, vx, vy, angle, spin; int frames; char mark; } rocket;

static float between(float low, float high) { return low + (high - low) * (float)rand() / (float)RAND_MAX; }
static rocket launched(void) {
  return (rocket){.x = between(-0.9f, 0.9f), .y = between(1, 1.3f), .vx = between(-0.2f, 0.2f), .vy = between(-0.2f, 0),
                  .angle = between(-0.4f, 0.4f)};
}
static float promise(const rocket *r) {                            // what the reward is the growth of
  return -hypotf(r->x, r->y) - 0.7f * hypotf(r->vx, r->vy) - 0.5f * fabsf(r->angle);
}
// A frame; returns 0 while it flies, 1: landed, -1: lost. *reward is for this frame.
static int fly(rocket *r, int action, float *reward) {
  const float before = promise(r), push = action == THRUST ? POWER * FRAME : 0;
  r->spin = 0.9f * r->spin + SPIN * FRAME * (float)((action == TURN_LEFT) - (action == TURN_RIGHT));
  r->angle += r->spin * FRAME;
  r->vx -= push * sinf(r->angle);
  r->vy += push * cosf(r->angle) - GRAVITY * FRAME;
  r->x += r->vx * FRAME; r->y += r->vy * FRAME; r->frames++;
  const int gentle = fabsf(r->x) < PAD && hypotf(r->vx, r->vy) < GENTLE && fabsf(r->angle) < UPRIGHT;
  const int flies = r->y > 0 && r->y < TOP && fabsf(r->x) < SIDE && r->frames < MOST_FRAMES;
  const int end = flies ? 0 : r->y <= 0 && gentle ? 1 : -1;
  *reward = promise(r) - before - 0.01f + (end > 0 ? 3 : (float)end);
  return end;
}
static void see(const rocket *r, float *out) {
  const float seen[SEEN] = {r->x, r->y, 2 * r->vx, 2 * r->vy, 2 * sinf(r->angle), cosf(r->angle), r->spin};
  memcpy(out, seen, sizeof seen);
}

// ** the agent **

typedef struct agent { tiny_linear_layer layer[3]; tiny_params p; tiny_optim adam; tiny_program *act, *learn; } agent;

static tiny_tensor *times(tiny_tensor *x, double factor) { return tiny_mul(x, tiny_like(x, factor)); }

// Seen (N,SEEN) -> the logarithms of chances (N,ACTIONS), *value (N): the reward that it expects from there on.
static tiny_tensor *think(const agent *a, tiny_tensor *seen, tiny_tensor **value) {
  tiny_tensor *x = tiny_tanh(tiny_linear_layer_forward(&a->layer[0], seen));
  x = tiny_linear_layer_forward(&a->layer[2], tiny_tanh(tiny_linear_layer_forward(&a->layer[1], x)));
  *value = tiny_select(x, 1, ACTIONS);
  return tiny_log_softmax(tiny_narrow(x, 1, 0, ACTIONS), 1);
}

// Program: seen (ROCKETS,SEEN) -> actions (ROCKETS,1), drawn by their chances, and values (ROCKETS).
static tiny_program *act_new(tiny_ctx *t, const agent *a) {
  tiny_begin(t);
  tiny_tensor *seen = tiny_zeros(t, TINY_F32, TINY_SHAPE(ROCKETS, SEEN)), *out[2];
  tiny_realize(&seen, 1);
  out[0] = tiny_multinomial(tiny_exp(think(a, seen, &out[1])), 1, 1);
  tiny_program *p = tiny_capture(t, &seen, 1, out, 2);
  tiny_end(t);
  return p;
}

// Program: seen, actions, advantages, returns of SPAN frames and a rate -> the entropy; a step of Adam.
static tiny_program *learn_new(tiny_ctx *t, agent *a) {
  tiny_tensor *grad[8], *value;
  tiny_begin(t);
  tiny_tensor *in[5] = {tiny_zeros(t, TINY_F32, TINY_SHAPE(N, SEEN)), tiny_zeros(t, TINY_I32, TINY_SHAPE(N, 1)),
                        tiny_zeros(t, TINY_F32, TINY_SHAPE(N)), tiny_ones(t, TINY_F32, TINY_SHAPE(N)),
                        tiny_scalar(t, RATE, TINY_F32)};
  tiny_realize(in, 4);
  tiny_tensor *log_chance = think(a, in[0], &value);
  tiny_tensor *taken = tiny_squeeze(tiny_gather(log_chance, 1, in[1]), -1);
  tiny_tensor *gain = tiny_mean(tiny_mul(taken, in[2]), TINY_ALL, 0);
  tiny_tensor *entropy = tiny_neg(tiny_mean(tiny_sum(tiny_mul(log_chance, tiny_exp(log_chance)), 1, 0), 0, 0));
  tiny_tensor *loss = tiny_sub(times(tiny_mse_loss(value, in[3], TINY_MEAN), VALUED), gain);
  loss = tiny_sub(loss, times(entropy, CURIOUS));
  tiny_grad(loss, a->p.trainable, a->p.ntrainable, grad);
  tiny_clip_grad_norm(grad, a->p.ntrainable, CLIP, 0);
  a->adam.rate = in[4];
  tiny_optim_step(&a->adam, a->p.trainable, grad, a->p.ntrainable);
  tiny_program *p = tiny_capture(t, in, 5, &entropy, 1);
  tiny_end(t);
  return p;
}

static void agent_new(tiny_ctx *t, agent *a) {
  static const int width[4] = {SEEN, UNITS, UNITS, ACTIONS + 1};
  *a = (agent){.adam = {.kind = TINY_ADAM}};
  for (int i = 0; i < 3; i++) {
    a->layer[i] = tiny_linear_layer_new(t, width[i], width[i + 1], 1);
    tiny_linear_layer_params(&a->layer[i], &a->p, (const char *[]){"first", "second", "third"}[i]);
  }
  a->act = act_new(t, a);
  a->learn = learn_new(t, a);
}

// ** SPAN frames of all rockets, and what is learnt of them **

typedef struct span {
  float seen[SPAN + 1][ROCKETS][SEEN], value[SPAN + 1][ROCKETS], reward[SPAN][ROCKETS], gain[SPAN][ROCKETS],
        goal[SPAN][ROCKETS];
  int32_t action[SPAN + 1][ROCKETS];
  int end[SPAN][ROCKETS];
} span;

static tiny_code decide(tiny_ctx *t, agent *a, const rocket *r, span *s, int frame) {
  for (int i = 0; i < ROCKETS; i++) see(&r[i], s->seen[frame][i]);
  tiny_begin(t);
  tiny_tensor *in = tiny_from(t, s->seen[frame], TINY_F32, TINY_SHAPE(ROCKETS, SEEN)), *out[2];
  tiny_run(a->act, &in, out);
  tiny_read(out[0], s->action[frame], sizeof s->action[frame]);
  tiny_read(out[1], s->value[frame], sizeof s->value[frame]);
  return tiny_end(t);
}

static void play(tiny_ctx *t, agent *a, rocket *r, span *s, int *landed, int *ended) {
  for (int f = 0; f <= SPAN; f++) {
    decide(t, a, r, s, f);                 // behind the last frame only the value counts
    for (int i = 0; i < ROCKETS && f < SPAN; i++) {
      const int end = s->end[f][i] = fly(&r[i], s->action[f][i], &s->reward[f][i]);
      *ended += end != 0;
      *landed += end > 0;
      if (end) r[i] = launched();
    }
  }
}

// How much better each frame went than was expected, of mean 0 and deviation 1, and what should have been expected.
static void judge(span *s) {
  double sum = 0, square = 0;
  for (int i = 0; i < ROCKETS; i++) for (int f = SPAN - 1; f >= 0; f--) {
    const float goes_on = s->end[f][i] ? 0 : (float)DISCOUNT, later = f < SPAN - 1 ? s->gain[f + 1][i] : 0;
    s->gain[f][i] = s->reward[f][i] + goes_on * (s->value[f + 1][i] + (float)SMOOTH * later) - s->value[f][i];
    s->goal[f][i] = s->gain[f][i] + s->value[f][i];
    sum += s->gain[f][i]; square += s->gain[f][i] * s->gain[f][i];
  }
  const double mean = sum / N, deviation = sqrt(square / N - mean * mean) + 1e-6;
  for (float *g = s->gain[0]; g < s->gain[0] + N; g++) *g = (float)((*g - mean) / deviation);
}

static tiny_code learn(tiny_ctx *t, agent *a, const span *s, double rate) {
  tiny_begin(t);
  tiny_tensor *in[5] = {tiny_from(t, s->seen, TINY_F32, TINY_SHAPE(N, SEEN)),
                        tiny_from(t, s->action, TINY_I32, TINY_SHAPE(N, 1)), tiny_from(t, s->gain, TINY_F32, TINY_SHAPE(N)),
                        tiny_from(t, s->goal, TINY_F32, TINY_SHAPE(N)), tiny_scalar(t, rate, TINY_F32)}, *entropy;
  tiny_run(a->learn, in, &entropy);
  return tiny_end(t);
}

// ** what is seen: n rockets; a trace is of rockets that show where one was and what it did **

static void draw(const rocket *r, int n) {
  char sky[ROWS][COLUMNS + 1];
  memset(sky, ' ', sizeof sky);
  for (int x = 0; x < COLUMNS; x++) sky[ROWS - 1][x] = fabsf(((float)x / COLUMNS * 2 - 1) * SIDE) < PAD ? '=' : '_';
  for (int i = 0; i < n; i++) {
    const int x = (int)((r[i].x / SIDE + 1) / 2 * COLUMNS), y = (int)((1 - r[i].y / TOP) * (ROWS - 1));
    const int turn = (int)fminf(2, fmaxf(-2, roundf(r[i].angle * 2)));
    if (x >= 0 && x < COLUMNS && y >= 0 && y < ROWS - 1) sky[y][x] = r[i].mark ? r[i].mark : "-/|\\-"[2 - turn];
  }
  if (isatty(1)) printf("\033[H\033[J");
  for (int y = 0; y < ROWS; y++) printf("%.*s\n", (int)COLUMNS, sky[y]);
  fflush(stdout);
}

// One flight: frame by frame on a terminal, else its trace.
static void show(tiny_ctx *t, agent *a, rocket *r, span *s) {
  static rocket trace[MOST_FRAMES + 1];
  float reward;
  r[0] = launched();
  for (int n = 0, end = 0; !end && n < MOST_FRAMES && decide(t, a, r, s, 0) == TINY_OK; n++) {
    trace[n] = r[0];
    trace[n].mark = s->action[0][0] == THRUST ? '*' : '.';
    end = fly(&r[0], s->action[0][0], &reward);
    trace[n + 1] = r[0];
    if (!end && !isatty(1)) continue;
    draw(trace, n + 2);
    nanosleep(&(struct timespec){0, 50000000}, NULL);
  }
}

int main(int argc, char **argv) {
  static span s;
  const int updates = argc > 1 ? atoi(argv[1]) : UPDATES;
  rocket r[ROCKETS];
  agent a;
  double share = 0;
  int landed = 0, ended = 0;
  tiny_ctx *t = tiny_open(&(tiny_desc){.seed = 1});
  agent_new(t, &a);
  for (int i = 0; i < ROCKETS; i++) r[i] = launched();
  const time_t start = time(NULL);
  for (int u = 0; u < updates && tiny_status(t) == TINY_OK; u++) {
    play(t, &a, r, &s, &landed, &ended);
    judge(&s);
    learn(t, &a, &s, tiny_lr_linear(RATE, u, updates, 1, 0.1));
    const int told = u % TOLD_EVERY == TOLD_EVERY - 1 || u == updates - 1, drawn = u % DRAWN_EVERY == 0 && isatty(1);
    if (drawn) draw(r, ROCKETS);
    if (told) { share = (double)landed / (ended + !ended); landed = ended = 0; }
    if (told || drawn)
      printf("update %4d   %5.1f %% landed   %.0f s\n", u + 1, 100 * share, difftime(time(NULL), start));
  }
  show(t, &a, r, &s);
  const int failed = tiny_status(t) != TINY_OK;
  if (failed) fprintf(stderr, "agent: %s\n", tiny_error(t));
  else printf("%d frames, %.1f %% of the last rockets landed\n", updates * N, 100 * share);
  tiny_optim_free(&a.adam);
  tiny_params_free(&a.p);
  tiny_close(t);
  return failed ? 1 : share > 0.8 ? 0 : 2;
}
