// transformer: learns to write the manual of tiny.h, letter by letter, in the way of GPT; then it writes some.
//   cc -std=c11 -I. examples/transformer.c -o transformer -lm -lpthread
//   ./transformer [text [steps [goal [temperature [prompt]]]]]
//
// Prints the loss in nats a letter (to guess costs 4.3), then how the network goes on after the prompt: at temperature
// 0.2 it says what it is sure of, at 1.5 it makes things up. The manual is short: it comes to know it by heart.
// Returns 2 if the loss does not fall below the goal, 1 after an error.
#define TINY_IMPLEMENTATION
#include "tiny.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LAYERS = 2, WIDTH = 64, HEADS = 4, WINDOW = 64, BATCH = 16, STEPS = 1700, SAMPLE = 400 };
enum { TEXT = 1 << 16, LETTERS = 256, MAX_PARAMS = 8 + 12 * LAYERS };
static const double RATE = 8e-3, CLIP = 1, GOAL = 1.0, TEMPERATURE = 0.7;
static const char PROMPT[] = "tiny.h is ";

// ** text: letters are numbered in the order of their first use **

typedef struct text { int32_t id[TEXT]; int n; char letter[LETTERS]; int number[LETTERS], letters; } text;

static int text_read(text *x, const char *path) {
  FILE *f = fopen(path, "rb");
  for (int c; f && x->n < TEXT && (c = getc(f)) != EOF; x->id[x->n++] = x->number[c] - 1) {
    if (x->number[c]) continue;            // counted from 1
    x->letter[x->letters] = (char)c;
    x->number[c] = ++x->letters;
  }
  if (f) fclose(f);
  if (!f) fprintf(stderr, "transformer: %s cannot be read: run this in the folder of tiny.h, or name a file\n", path);
  else if (x->n <= WINDOW) fprintf(stderr, "transformer: %s has less than %d letters\n", path, WINDOW + 1);
  return x->n > WINDOW;
}

// ** the network **

typedef struct block { tiny_norm_layer norm1, norm2; tiny_attention_layer attention; tiny_linear_layer up, down; } block;
typedef struct network {
  tiny_embedding_layer letter, place; block block[LAYERS]; tiny_norm_layer norm; tiny_linear_layer head;
} network;

static void network_new(tiny_ctx *t, network *n, int letters, tiny_params *p) {
  char name[16];
  n->letter = tiny_embedding_layer_new(t, letters, WIDTH, -1);
  n->place = tiny_embedding_layer_new(t, WINDOW, WIDTH, -1);
  n->norm = tiny_norm_layer_new(t, TINY_LAYER_NORM, TINY_SHAPE(WIDTH), 0);
  n->head = tiny_linear_layer_new(t, WIDTH, letters, 1);
  tiny_embedding_layer_params(&n->letter, p, "letter");
  tiny_embedding_layer_params(&n->place, p, "place");
  tiny_norm_layer_params(&n->norm, p, "norm");
  tiny_linear_layer_params(&n->head, p, "head");
  for (int i = 0; i < LAYERS; i++) {
    block *b = &n->block[i];
    b->norm1 = tiny_norm_layer_new(t, TINY_LAYER_NORM, TINY_SHAPE(WIDTH), 0);
    b->norm2 = tiny_norm_layer_new(t, TINY_LAYER_NORM, TINY_SHAPE(WIDTH), 0);
    b->attention = tiny_attention_layer_new(t, WIDTH, HEADS, 1);
    b->up = tiny_linear_layer_new(t, WIDTH, 4 * WIDTH, 1);
    b->down = tiny_linear_layer_new(t, 4 * WIDTH, WIDTH, 1);
    snprintf(name, sizeof name, "block.%d", i);
    tiny_params_enter(p, name);
    tiny_norm_layer_params(&b->norm1, p, "norm1");
    tiny_norm_layer_params(&b->norm2, p, "norm2");
    tiny_attention_layer_params(&b->attention, p, "attention");
    tiny_linear_layer_params(&b->up, p, "up");
    tiny_linear_layer_params(&b->down, p, "down");
    tiny_params_leave(p);
  }
}

// Letters (B,WINDOW) -> scores (B,WINDOW,letters) of the one that follows each.
static tiny_tensor *forward(const network *n, tiny_tensor *ids) {
  const tiny_attention_desc past = {.causal = 1};
  char name[32];                           // of a part, in traces and profiles
  tiny_tensor *x = tiny_label(tiny_add(tiny_embedding_layer_forward(&n->letter, ids), n->place.weight), "letters");
  for (int i = 0; i < LAYERS; i++) {
    const block *b = &n->block[i];
    tiny_tensor *y = tiny_norm_layer_forward(&b->norm1, x, 0);
    snprintf(name, sizeof name, "block%d/attention", i);
    x = tiny_label(tiny_add(x, tiny_attention_layer_forward(&b->attention, y, y, y, &past)), name);
    y = tiny_gelu(tiny_linear_layer_forward(&b->up, tiny_norm_layer_forward(&b->norm2, x, 0)));
    snprintf(name, sizeof name, "block%d/mlp", i);
    x = tiny_label(tiny_add(x, tiny_linear_layer_forward(&b->down, y)), name);
  }
  return tiny_label(tiny_linear_layer_forward(&n->head, tiny_norm_layer_forward(&n->norm, x, 0)), "head");
}

// ** training and use **

// One step on random places of the text. *mean becomes 0.98 * mean + 0.02 * loss.
static tiny_code step(tiny_ctx *t, const network *n, const tiny_params *p, tiny_optim *adam, const text *x,
                      tiny_tensor *mean) {
  int32_t in[BATCH][WINDOW], out[BATCH][WINDOW];
  tiny_tensor *grad[MAX_PARAMS];
  for (int b = 0; b < BATCH; b++) {
    const int at = rand() % (x->n - WINDOW);
    for (int i = 0; i < WINDOW; i++) { in[b][i] = x->id[at + i]; out[b][i] = x->id[at + i + 1]; }
  }
  tiny_begin(t);
  tiny_tensor *scores = forward(n, tiny_from(t, in, TINY_I32, TINY_SHAPE(BATCH, WINDOW)));
  tiny_tensor *wanted = tiny_from(t, out, TINY_I32, TINY_SHAPE(BATCH * WINDOW));
  tiny_tensor *loss = tiny_cross_entropy(tiny_flatten(scores, 0, 1), wanted, NULL);
  tiny_label(loss, "loss");
  tiny_grad(loss, p->trainable, p->ntrainable, grad);
  tiny_clip_grad_norm(grad, p->ntrainable, CLIP, 0);
  tiny_optim_step(adam, p->trainable, grad, p->ntrainable);
  tiny_assign(mean, tiny_lerp(mean, loss, tiny_like(loss, 0.02)));
  return tiny_end(t);                      // all of the step runs here
}

// Writes on from the prompt, before which it reads the beginning of the text: each letter is drawn by its probability.
static tiny_code sample(tiny_ctx *t, const network *n, const text *x, const char *prompt, double temperature,
                        int32_t *ids) {
  const int given = (int)strlen(prompt) < WINDOW ? (int)strlen(prompt) : WINDOW;
  for (int i = 0; i < WINDOW; i++) {
    const int number = i < WINDOW - given ? 0 : x->number[(unsigned char)prompt[i - (WINDOW - given)]];
    ids[i] = number ? number - 1 : x->id[i];                       // a letter that the text has not is replaced
  }
  for (int i = 0; i < SAMPLE && tiny_status(t) == TINY_OK; i++) {
    tiny_begin(t);
    tiny_tensor *scores = forward(n, tiny_from(t, ids + i, TINY_I32, TINY_SHAPE(1, WINDOW)));
    tiny_tensor *last = tiny_select(tiny_select(scores, 1, -1), 0, 0);
    tiny_tensor *chances = tiny_softmax(tiny_div(last, tiny_scalar(t, temperature, TINY_F32)), 0);
    tiny_read(tiny_multinomial(chances, 1, 1), ids + WINDOW + i, sizeof *ids);
    tiny_end(t);
  }
  return tiny_status(t);
}

int main(int argc, char **argv) {
  static text x;
  static int32_t written[WINDOW + SAMPLE];
  const int steps = argc > 2 ? atoi(argv[2]) : STEPS;
  const double goal = argc > 3 ? atof(argv[3]) : GOAL, temperature = argc > 4 ? atof(argv[4]) : TEMPERATURE;
  const char *prompt = argc > 5 ? argv[5] : PROMPT;
  double loss = 0;
  if (!text_read(&x, argc > 1 ? argv[1] : "src/api/manual.txt")) return 1;
  tiny_ctx *t = tiny_open(&(tiny_desc){.seed = 1});
  network n;
  tiny_params p = {0};
  tiny_optim adam = {.kind = TINY_ADAMW, .beta2 = 0.99, .weight_decay = 0.01};
  network_new(t, &n, x.letters, &p);
  tiny_tensor *mean = tiny_full(t, 4.5, TINY_F32, TINY_SHAPE());
  printf("%d letters of %d kinds, %d tensors of parameters\n", x.n, x.letters, p.ntrainable);
  const time_t start = time(NULL);
  for (int i = 0; i < steps && tiny_status(t) == TINY_OK; i++) {
    adam.lr = tiny_lr_one_cycle(RATE, i, steps);
    if (step(t, &n, &p, &adam, &x, mean) == TINY_OK && (i % 100 == 99 || i == steps - 1))
      printf("step %4d   loss %.3f   %3.0f s\n", i + 1, loss = tiny_item(mean), difftime(time(NULL), start));
    fflush(stdout);
  }
  const int failed = sample(t, &n, &x, prompt, temperature, written) != TINY_OK;
  printf("\n%s", prompt);
  for (int i = WINDOW; i < WINDOW + SAMPLE && !failed; i++) putchar(x.letter[written[i]]);
  if (failed) fprintf(stderr, "transformer: %s\n", tiny_error(t));
  else printf("\n\nloss %.3f, %s %.1f\n", loss, loss < goal ? "below" : "not below", goal);
  tiny_optim_free(&adam);
  tiny_params_free(&p);
  tiny_close(t);
  return failed ? 1 : loss < goal ? 0 : 2;
}
