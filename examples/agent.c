// agent: learns to land rockets, sixty-four at a time, by trying: none lands at first, nearly all after some seconds.
//   cc -std=c11 -I. examples/agent.c -o agent -lm -lpthread && ./agent [updates]
//
// The game is plain C; of each rocket the agent sees seven numbers. One captured program says what all of them do in a
// frame, another learns from SPAN frames at once: advantage actor-critic (V. Mnih et al., Asynchronous Methods for Deep
// Reinforcement Learning, ICML 2016) with generalised advantages (J. Schulman et al., arXiv:1506.02438). On a terminal
// the sky is drawn while they learn; then one flies alone. Returns 2 unless four of five land then, 1 after an error.
#define _POSIX_C_SOURCE 200809L
#define TINY_IMPLEMENTATION
#include "tiny.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ROCKETS = 64, SPAN = 32, N = SPAN * ROCKETS, SEEN = 7, UNITS = 64, UPDATES = 5000 };
enum { ROWS = 24, COLUMNS = 78, DRAWN_EVERY = 10, TOLD_EVERY = 500, MOST_FRAMES = 250 };
enum { DRIFT, THRUST, TURN_LEFT, TURN_RIGHT, ACTIONS };
static const double RATE = 2e-3, CURIOUS = 0.01, CLIP = 0.2;
static const float DISCOUNT = 0.99f, SMOOTH = 0.95f;

// ** the game: a rocket that turns and thrusts, and a pad from -PAD to PAD on the ground **

static const float FRAME = 0.06f, FALL = 0.35f, POWER = 1, SPIN = 4, TOP = 1.5f, SIDE = 1.3f, PAD = 0.2f, SOFT = 0.3f;

typedef struct rocket { float x, y, vx, vy, angle, spin; int frames; char mark; } rocket;

static float between(float low, float high) { return low + (high - low) * (float)rand() / (float)RAND_MAX; }
static rocket launched(void) {
  return (rocket){.x = between(-0.9f, 0.9f), .y = between(1, 1.3f), .vx = between(-0.2f, 0.2f),
                  .angle = between(-0.4f, 0.4f)};
}
// The reward of a frame is how much this grows, and more at the end.
static float promise(const rocket *r) { return -hypotf(r->x, r->y) - hypotf(r->vx, r->vy) - fabsf(r->angle) / 2; }

// A frame; returns 0 while it flies, 1: landed, -1: lost. *reward is for this frame.
static int fly(rocket *r, int action, float *reward) {
  const float before = promise(r), push = action == THRUST ? POWER * FRAME : 0;
  r->spin = 0.9f * r->spin + SPIN * FRAME * (float)((action == TURN_LEFT) - (action == TURN_RIGHT));
  r->angle += r->spin * FRAME;
  r->vx -= push * sinf(r->angle);
  r->vy += push * cosf(r->angle) - FALL * FRAME;
  r->x += r->vx * FRAME; r->y += r->vy * FRAME; r->frames++;
  const int gentle = fabsf(r->x) < PAD && hypotf(r->vx, r->vy) < SOFT && fabsf(r->angle) < SOFT;
  const int flies = r->y > 0 && r->y < TOP && fabsf(r->x) < SIDE && r->frames < MOST_FRAMES;
  const int end = flies ? 0 : r->y <= 0 && gentle ? 1 : -1;
  *reward = promise(r) - before - 0.01f + (end > 0 ? 3 : (float)end);
  return end;
}

// ** the agent, and SPAN frames of all rockets, from which it learns **

typedef struct agent { tiny_tensor *param[6]; tiny_optim adam; tiny_program *act, *learn; } agent;
typedef struct span {
  float seen[SPAN + 1][ROCKETS][SEEN], value[SPAN + 1][ROCKETS], reward[SPAN][ROCKETS], goes_on[SPAN][ROCKETS];
  float gain[SPAN][ROCKETS], goal[SPAN][ROCKETS]; int32_t action[SPAN + 1][ROCKETS];
} span;

// Seen (N,SEEN) -> the logarithms of chances (N,ACTIONS), *value (N): the reward that it expects from there on.
static tiny_tensor *think(const agent *a, tiny_tensor *seen, tiny_tensor **value) {
  tiny_tensor *x = tiny_tanh(tiny_linear(seen, a->param[0], a->param[1]));
  x = tiny_linear(tiny_tanh(tiny_linear(x, a->param[2], a->param[3])), a->param[4], a->param[5]);
  *value = tiny_select(x, 1, ACTIONS);
  return tiny_log_softmax(tiny_narrow(x, 1, 0, ACTIONS), 1);
}

// Program: seen (ROCKETS,SEEN) -> actions (ROCKETS,1), drawn by their chances, and values (ROCKETS).
static tiny_program *act_new(tiny_ctx *t, const agent *a, const span *s) {
  tiny_begin(t);
  tiny_tensor *seen = tiny_from(t, s->seen[0], TINY_F32, TINY_SHAPE(ROCKETS, SEEN)), *out[2];
  out[0] = tiny_multinomial(tiny_exp(think(a, seen, &out[1])), 1, 1);
  tiny_program *p = tiny_capture(t, &seen, 1, out, 2);
  tiny_end(t);
  return p;
}

// Program: a rate -> the entropy of actions, and a step of Adam. What is learnt is read from s whenever it runs.
static tiny_program *learn_new(tiny_ctx *t, agent *a, span *s) {
  tiny_tensor *grad[6], *value;
  tiny_begin(t);
  tiny_tensor *seen = tiny_blob(t, s->seen, TINY_F32, TINY_SHAPE(N, SEEN), NULL);
  tiny_tensor *action = tiny_blob(t, s->action, TINY_I32, TINY_SHAPE(N, 1), NULL);
  tiny_tensor *gain = tiny_layer_norm(tiny_blob(t, s->gain, TINY_F32, TINY_SHAPE(N), NULL), 1, NULL, NULL, 1e-8);
  tiny_tensor *goal = tiny_blob(t, s->goal, TINY_F32, TINY_SHAPE(N), NULL), *chance = think(a, seen, &value);
  tiny_tensor *better = tiny_mean(tiny_mul(tiny_squeeze(tiny_gather(chance, 1, action), 1), gain), 0, 0);
  tiny_tensor *entropy = tiny_neg(tiny_mean(tiny_sum(tiny_mul(chance, tiny_exp(chance)), 1, 0), 0, 0));
  tiny_tensor *loss = tiny_sub(tiny_mse_loss(value, goal, TINY_MEAN), better);
  tiny_grad(tiny_sub(loss, tiny_mul(entropy, tiny_like(entropy, CURIOUS))), a->param, 6, grad);
  tiny_clip_grad_norm(grad, 6, CLIP, 0);
  a->adam.rate = tiny_scalar(t, RATE, TINY_F32);
  tiny_optim_step(&a->adam, a->param, grad, 6);
  tiny_program *p = tiny_capture(t, &a->adam.rate, 1, &entropy, 1);
  tiny_end(t);
  return p;
}

static void agent_new(tiny_ctx *t, agent *a, span *s) {
  static const int width[4] = {SEEN, UNITS, UNITS, ACTIONS + 1};
  for (int i = 0; i < 3; i++) {
    const tiny_linear_layer layer = tiny_linear_layer_new(t, width[i], width[i + 1], 1);
    a->param[2 * i] = layer.weight; a->param[2 * i + 1] = layer.bias;
  }
  a->act = act_new(t, a, s);
  a->learn = learn_new(t, a, s);
}

static tiny_code decide(tiny_ctx *t, agent *a, const rocket *rockets, span *s, int frame) {
  for (const rocket *r = rockets; r < rockets + ROCKETS; r++) {
    const float seen[SEEN] = {r->x, r->y, 2 * r->vx, 2 * r->vy, 2 * sinf(r->angle), cosf(r->angle), r->spin};
    memcpy(s->seen[frame][r - rockets], seen, sizeof seen);
  }
  tiny_begin(t);
  tiny_tensor *in = tiny_from(t, s->seen[frame], TINY_F32, TINY_SHAPE(ROCKETS, SEEN)), *out[2];
  tiny_run(a->act, &in, out);
  tiny_read(out[0], s->action[frame], sizeof s->action[frame]);
  tiny_read(out[1], s->value[frame], sizeof s->value[frame]);
  return tiny_end(t);
}

// *share: that of the last thousand rockets or so which landed.
static void play(tiny_ctx *t, agent *a, rocket *r, span *s, double *share) {
  for (int f = 0; f <= SPAN && decide(t, a, r, s, f) == TINY_OK; f++)           // of the last one the value counts
    for (int i = 0; i < ROCKETS && f < SPAN; i++) {
      const int end = fly(&r[i], s->action[f][i], &s->reward[f][i]);
      s->goes_on[f][i] = end ? 0 : DISCOUNT;
      if (end) { *share += ((end > 0) - *share) / 1000; r[i] = launched(); }
    }
}

// How much better each frame went than was expected, and what should have been expected; then a step of Adam.
static tiny_code learn(tiny_ctx *t, agent *a, span *s, double at) {
  for (int i = 0; i < ROCKETS; i++) for (int f = SPAN - 1; f >= 0; f--) {
    const float later = s->value[f + 1][i] + (f < SPAN - 1 ? SMOOTH * s->gain[f + 1][i] : 0);
    s->goal[f][i] = s->reward[f][i] + s->goes_on[f][i] * later;
    s->gain[f][i] = s->goal[f][i] - s->value[f][i];
  }
  tiny_begin(t);
  tiny_tensor *rate = tiny_scalar(t, RATE * (1 - 0.9 * at), TINY_F32), *entropy;
  tiny_run(a->learn, &rate, &entropy);
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
  for (int n = 0, end = 0; !end && decide(t, a, r, s, 0) == TINY_OK; n++) {
    trace[n] = r[0];
    trace[n].mark = s->action[0][0] == THRUST ? '*' : '.';
    end = fly(&r[0], s->action[0][0], &reward);
    trace[n + 1] = r[0];
    if (end || isatty(1)) draw(trace, n + 2);
    if (isatty(1)) nanosleep(&(struct timespec){0, 50000000}, NULL);
  }
}

int main(int argc, char **argv) {
  static span s;
  const int updates = argc > 1 ? atoi(argv[1]) : UPDATES, every = isatty(1) ? DRAWN_EVERY : TOLD_EVERY;
  double share = 0;
  rocket r[ROCKETS];
  agent a = {.adam = {.kind = TINY_ADAM}};
  tiny_ctx *t = tiny_open(&(tiny_desc){.seed = 1});
  agent_new(t, &a, &s);
  for (int i = 0; i < ROCKETS; i++) r[i] = launched();
  const time_t start = time(NULL);
  for (int u = 1; u <= updates && tiny_status(t) == TINY_OK; u++) {
    play(t, &a, r, &s, &share);
    learn(t, &a, &s, (double)u / updates);
    if (u % every == 0 && isatty(1)) draw(r, ROCKETS);
    if (u % every == 0) printf("update %4d   %4.1f %% land   %.0f s\n", u, 100 * share, difftime(time(NULL), start));
  }
  show(t, &a, r, &s);
  const int failed = tiny_status(t) != TINY_OK;
  if (failed) fprintf(stderr, "agent: %s\n", tiny_error(t));
  else printf("%d frames were played; of the last rockets %.1f %% landed\n", updates * N, 100 * share);
  tiny_optim_free(&a.adam);
  tiny_close(t);
  return failed ? 1 : share > 0.8 ? 0 : 2;
}
