// physics: paddles along the edge of a pond learn to move so that their waves meet in the middle and spell a word.
//   cc -std=c11 -I. examples/physics.c -o physics -lm -lpthread && ./physics [WORD [rounds]]
//
// The wave equation is stepped STEPS times; how far the surface then is from the word is differentiated through all of
// them, back to each paddle at each step, and Adam moves the paddles. A round, some thousand kernels, is captured once
// and run again and again. Then the pond is drawn, on a terminal as it moves: still water, ripples, the word, and it
// is gone. Returns 2 unless less than a fifth of the word is missed, 1 after an error.
#define _POSIX_C_SOURCE 200809L
#define TINY_IMPLEMENTATION
#include "tiny.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { HIGH = 44, WIDE = 78, STEPS = 150, AFTER = 70, ROUNDS = 2000, MARGIN = 8, MOST_LETTERS = 8 };
// SPEED: the square of the cells that a wave goes in a step; below 1/2. CALM: how much of its speed a cell keeps.
static const double SPEED = 0.4, CALM = 0.999, RATE = 0.01, GOAL = 0.2;

// Letters of five by five, a digit in base 32 for each row.
static const char font[26][6] = {
  "EHVHH", "UHUHU", "FGGGF", "UHHHU", "VGUGV", "VGUGG", "FGJHF", "HHVHH", "E444E", "111HE", "HIOIH", "GGGGV", "HRLHH",
  "HPLJH", "EHHHE", "UHUGG", "EHLID", "UHUIH", "FGE1U", "V4444", "HHHHE", "HHHA4", "HHLRH", "HA4AH", "HA444", "V248V"};

typedef float surface[HIGH][WIDE];

// 1 where the word stands, as large as it fits; 0 elsewhere.
static void write_word(const char *word, surface out) {
  const int n = (int)strlen(word);
  const double wide = fmin((WIDE - 2.0 * MARGIN) / (6 * n - 1), 3), high = fmin(1.5 * wide, (HIGH - 2.0 * MARGIN) / 5);
  for (int y = 0; y < HIGH; y++) for (int x = 0; x < WIDE; x++) {
    const int row = (int)floor((y - HIGH / 2.0) / high + 2.5);
    const int at = (int)floor((x - WIDE / 2.0) / wide + (6 * n - 1) / 2.0);
    if (row < 0 || row > 4 || at < 0 || at / 6 >= n || at % 6 == 5) continue;
    const int letter = toupper((unsigned char)word[at / 6]) - 'A';
    if (letter < 0 || letter > 25) continue;
    const int c = font[letter][row], bits = c <= '9' ? c - '0' : c - 'A' + 10;
    out[y][x] = (float)(bits >> (4 - at % 6) & 1);
  }
}

// ** the pond **

typedef struct pond { tiny_tensor *edge, *word, *push[STEPS]; } pond;     // all (HIGH,WIDE)

static pond pond_new(tiny_ctx *t, const char *word) {
  static surface edge, letters;
  for (int y = 0; y < HIGH; y++) for (int x = 0; x < WIDE; x++)
    edge[y][x] = y == 0 || y == HIGH - 1 || x == 0 || x == WIDE - 1;
  write_word(word, letters);
  const tiny_shape all = TINY_SHAPE(HIGH, WIDE);
  pond p = {.edge = tiny_from(t, edge, TINY_F32, all), .word = tiny_from(t, letters, TINY_F32, all)};
  for (int i = 0; i < STEPS; i++) p.push[i] = tiny_zeros(t, TINY_F32, all);
  tiny_realize(p.push, STEPS);
  return p;
}

// The height of the four neighbours over that of each cell; the water goes on beyond the edge as it is there.
static tiny_tensor *slope(tiny_tensor *x) {
  tiny_tensor *wide = tiny_pad_mode(x, TINY_SHAPE(1, 1, 1, 1), TINY_PAD_REPLICATE), *sum = tiny_mul_scalar(x, -4);
  for (int by = 0; by <= 2; by += 2) {
    sum = tiny_add(sum, tiny_shrink(wide, TINY_SHAPE(by, by + HIGH, 1, 1 + WIDE)));
    sum = tiny_add(sum, tiny_shrink(wide, TINY_SHAPE(1, 1 + HIGH, by, by + WIDE)));
  }
  return sum;
}

// The surface a step later; it is stored, as what follows reads each cell five times.
static tiny_tensor *flow(const pond *p, tiny_tensor *now, tiny_tensor *before, tiny_tensor *push) {
  tiny_tensor *pull = tiny_add(tiny_mul_scalar(tiny_sub(now, before), CALM), tiny_mul_scalar(slope(now), SPEED));
  return tiny_contiguous(tiny_add(tiny_add(now, pull), tiny_mul(push, p->edge)));
}

// A round of learning as a program: from a rate to what share of the word is missed, which moves the paddles.
static tiny_program *round_new(tiny_ctx *t, pond *p, tiny_optim *adam) {
  tiny_tensor *grad[STEPS];
  tiny_begin(t);
  adam->rate = tiny_scalar(t, RATE, TINY_F32);
  tiny_tensor *now = tiny_zeros_like(p->edge), *before = now;
  for (int i = 0; i < STEPS; i++) {
    tiny_tensor *next = flow(p, now, before, p->push[i]);
    before = now; now = next;
  }
  tiny_tensor *missed = tiny_div(tiny_mse_loss(now, p->word, TINY_SUM), tiny_sum(p->word, TINY_ALL, 0));
  tiny_grad(missed, p->push, STEPS, grad);
  tiny_optim_step(adam, p->push, grad, STEPS);
  tiny_program *round = tiny_capture(t, &adam->rate, 1, &missed, 1);
  tiny_end(t);
  return round;
}

static double learn(tiny_ctx *t, pond *p, int rounds) {
  tiny_optim adam = {.kind = TINY_ADAM};
  tiny_program *round = round_new(t, p, &adam);
  double missed = 1;
  const time_t start = time(NULL);
  for (int i = 0; i < rounds && tiny_status(t) == TINY_OK; i++) {
    tiny_begin(t);
    tiny_tensor *rate = tiny_scalar(t, tiny_lr_cosine(RATE, i, rounds, RATE / 50), TINY_F32), *out;
    tiny_run(round, &rate, &out);
    if (i == 0 || i % 250 == 249 || i == rounds - 1)
      printf("round %4d   %5.1f %% of the word is missed   %.0f s\n", i + 1, 100 * (missed = tiny_item(out)),
             difftime(time(NULL), start));
    tiny_end(t);
    fflush(stdout);
  }
  tiny_program_free(round);
  tiny_optim_free(&adam);
  return missed;
}

// ** what is seen **

// Two cells a character: in blues on a terminal, else as letters.
static void draw(surface height) {
  static const char cell[2][48] = {"\033[38;2;%d;%d;%dm", "\033[48;2;%d;%d;%dm\xe2\x96\x80"};
  const int colour = isatty(STDOUT_FILENO);
  if (colour) printf("\033[H\033[J");
  for (int y = 0; y < HIGH; y += 2, puts(colour ? "\033[0m" : "")) for (int x = 0; x < WIDE; x++) {
    for (int below = 0; below < 2 && colour; below++) {
      const double h = fmin(1, fmax(-1, height[y + below][x])), up = fmax(h, 0), down = fmax(-h, 0);
      printf(cell[below], (int)(20 + 230 * up), (int)(70 + 180 * up - 50 * down), (int)(140 + 110 * up - 90 * down));
    }
    const double mean = (height[y][x] + height[y + 1][x]) / 2;
    if (!colour) putchar(" .:-=+*#%@"[(int)fmin(9, fmax(0, 9 * mean))]);
  }
  fflush(stdout);
}

// From still water; a frame for each step on a terminal, else the moment of the word alone.
static void show(tiny_ctx *t, pond *p) {
  static surface height;
  const struct timespec pause = {0, 40000000};
  tiny_tensor *now = tiny_zeros_like(p->edge), *before = tiny_zeros_like(p->edge), *still = tiny_zeros_like(p->edge);
  tiny_realize((tiny_tensor *[]){now, before, still}, 3);
  for (int i = 0; i < STEPS + AFTER && tiny_status(t) == TINY_OK; i++) {
    tiny_begin(t);
    tiny_tensor *next = flow(p, now, before, i < STEPS ? p->push[i] : still);
    tiny_assign(before, now);
    tiny_assign(now, next);
    tiny_end(t);
    if (!isatty(STDOUT_FILENO) && i != STEPS - 1) continue;
    tiny_read(now, height, sizeof height);
    draw(height);
    nanosleep(&pause, NULL);
    if (i == STEPS - 1 && isatty(STDOUT_FILENO)) sleep(1);
  }
}

int main(int argc, char **argv) {
  const char *word = argc > 1 ? argv[1] : "TINY";
  if (strlen(word) < 1 || strlen(word) > MOST_LETTERS) {
    fprintf(stderr, "physics: a word of at most %d letters\n", (int)MOST_LETTERS);
    return 1;
  }
  tiny_ctx *t = tiny_open(NULL);
  pond p = pond_new(t, word);
  const double missed = learn(t, &p, argc > 2 ? atoi(argv[2]) : ROUNDS);
  show(t, &p);
  const int failed = tiny_status(t) != TINY_OK;
  if (failed) fprintf(stderr, "physics: %s\n", tiny_error(t));
  else printf("%d cells of paddles, %d steps: %.1f %% of the word is missed\n", 2 * (HIGH + WIDE) - 4, (int)STEPS,
              100 * missed);
  tiny_close(t);
  return failed ? 1 : missed < GOAL ? 0 : 2;
}
