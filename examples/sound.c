// sound: a small synthesiser plays a melody into a room, an old record hisses, and a filter learns to take that off.
//   cc -std=c11 -I. examples/sound.c -o sound -lm -lpthread && ./sound [sound.wav] && aplay sound.wav
//
// All notes are one tensor, (notes, partials, samples) of sines under envelopes, summed by one kernel that stores none
// of them. The room is a second of dying noise, with which the melody is convolved by Fourier transforms. The filter's
// taps go downhill from noise to what was played. Writes a WAV file and draws its spectrum over time, a row a half
// tone. The melody is the Ode to Joy of L. van Beethoven, 1824. Returns 2 unless its long A has 440 Hz and the filter
// takes 6 dB of the hiss, 1 after an error.
#define TINY_IMPLEMENTATION
#include "tiny.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HERTZ = 22050, HALF = HERTZ / 5, NOTES = 30, HALVES = 68, LONG_A = 14, SAMPLES = HALVES * HALF, PARTIALS = 6 };
enum { TAPS = 63, STEPS = 300, ROWS = 20, COLUMNS = 72, FRAME = 4096 };
static const double PI = 3.14159265358979, HISS = 0.05, RATE = 2e-2;


// ** the synthesiser **

// Two lines of the melody, in G: half tones above the A of 440 Hz, and how many half beats each lasts.
static const struct { int tone, halves; } melody[NOTES] = {
  {2, 2}, {2, 2}, {3, 2}, {5, 2}, {5, 2}, {3, 2}, {2, 2}, {0, 2}, {-2, 2}, {-2, 2}, {0, 2}, {2, 2},
  {2, 3}, {0, 1}, {0, 4},
  {2, 2}, {2, 2}, {3, 2}, {5, 2}, {5, 2}, {3, 2}, {2, 2}, {0, 2}, {-2, 2}, {-2, 2}, {0, 2}, {2, 2},
  {0, 3}, {-2, 1}, {-2, 8}};

// A plucked string, and a little of a bell: partials that die the sooner the higher they are. (SAMPLES)
static tiny_tensor *play(tiny_ctx *t) {
  float begin[NOTES], pitch[NOTES];
  for (int i = 0, at = 0; i < NOTES; at += melody[i++].halves) {
    begin[i] = (float)at * HALF / HERTZ;
    pitch[i] = 440 * powf(2, (float)melody[i].tone / 12);
  }
  tiny_tensor *time = tiny_mul_scalar(tiny_arange(t, 0, SAMPLES, 1, TINY_F32), 1.0 / HERTZ);
  tiny_tensor *since = tiny_sub(time, tiny_from(t, begin, TINY_F32, TINY_SHAPE(NOTES, 1, 1)));         // seconds
  tiny_tensor *n = tiny_reshape(tiny_arange(t, 1, PARTIALS + 1, 1, TINY_F32), TINY_SHAPE(PARTIALS, 1));
  tiny_tensor *turns = tiny_mul(tiny_mul(tiny_from(t, pitch, TINY_F32, TINY_SHAPE(NOTES, 1, 1)), n), since);
  tiny_tensor *wave = tiny_sin(tiny_mul_scalar(tiny_frac(turns), 2 * PI));
  tiny_tensor *fade = tiny_exp(tiny_mul(tiny_mul_scalar(since, -2.5), tiny_sqrt(n)));                              // envelopes
  tiny_tensor *attack = tiny_clamp(tiny_mul_scalar(since, 200), 0, 1);
  tiny_tensor *voices = tiny_div(tiny_mul(tiny_mul(wave, fade), attack), tiny_square(n));
  return tiny_mul_scalar(tiny_sum(voices, TINY_AXES(0, 1), 0), 0.2);
}

// ** the room and the filter **

// Samples as they come back from walls: convolved with noise that dies in a second.
static tiny_tensor *in_room(tiny_tensor *x) {
  tiny_ctx *t = tiny_ctx_of(x);
  const int64_t whole = SAMPLES + HERTZ;
  tiny_tensor *echo = tiny_mul(tiny_randn(t, TINY_SHAPE(HERTZ)), tiny_exp(tiny_linspace(t, -3, -10, HERTZ, TINY_F32)));
  tiny_tensor *spectrum = tiny_rfft(x, whole, 0, TINY_FFT_BACKWARD);
  spectrum = tiny_complex_mul(spectrum, tiny_rfft(echo, whole, 0, TINY_FFT_BACKWARD));
  return tiny_add(x, tiny_narrow(tiny_irfft(spectrum, whole, 0, TINY_FFT_BACKWARD), 0, 0, SAMPLES));
}

static tiny_tensor *filtered(tiny_tensor *x, tiny_tensor *taps) {
  const tiny_conv_desc same = {.same = 1};
  return tiny_reshape(tiny_conv1d(tiny_reshape(x, TINY_SHAPE(1, 1, SAMPLES)), taps, NULL, &same), TINY_SHAPE(SAMPLES));
}

// Learns the taps that bring what hisses nearest to what does not.
static tiny_tensor *learn(tiny_tensor *clean, tiny_tensor *hissing) {
  tiny_ctx *t = tiny_ctx_of(clean);
  tiny_tensor *taps = tiny_zeros(t, TINY_F32, TINY_SHAPE(1, 1, TAPS)), *grad;
  tiny_realize(&taps, 1);
  tiny_optim adam = {.kind = TINY_ADAM};
  for (int i = 0; i < STEPS && tiny_status(t) == TINY_OK; i++) {
    adam.lr = tiny_lr_linear(RATE, i, STEPS, 1, 0.05);
    tiny_begin(t);
    tiny_grad(tiny_mse_loss(filtered(hissing, taps), clean, TINY_SUM), &taps, 1, &grad);
    tiny_optim_step(&adam, &taps, &grad, 1);
    tiny_end(t);
  }
  tiny_optim_free(&adam);
  return taps;
}

// ** what is heard and seen **

// A row for each half tone, a column for each part of the time.
static tiny_code draw(tiny_tensor *x) {
  static float power[FRAME / 2 + 1][COLUMNS];
  tiny_tensor *window = tiny_square(tiny_sin(tiny_linspace(tiny_ctx_of(x), 0, PI, FRAME, TINY_F32)));
  const tiny_stft_desc d = {.hop = SAMPLES / COLUMNS, .window = window};
  tiny_tensor *loud = tiny_narrow(tiny_complex_abs(tiny_stft(x, FRAME, &d)), 1, 0, COLUMNS);
  loud = tiny_div(loud, tiny_amax(loud, TINY_ALL, 0));
  const tiny_code code = tiny_read(loud, power, sizeof power);
  for (int row = ROWS - 1; row >= 0; row--) {
    const double hertz = 440 * pow(2, (row - 4) / 12.0);
    const int bin = (int)lround(hertz * FRAME / HERTZ);
    printf("%5.0f ", hertz);
    for (int i = 0; i < COLUMNS; i++) putchar(" .:-=+*#%@"[(int)fmax(0, fmin(9, 9 + 2 * log2(power[bin][i])))]);
    puts("");
  }
  return code;
}

// The loudest frequency while a note sounds.
static double pitch_of(tiny_tensor *x, int note) {
  enum { FINE = 1 << 17 };
  int at = 0;
  for (int i = 0; i < note; i++) at += melody[i].halves;
  tiny_tensor *heard = tiny_narrow(x, 0, at * HALF, melody[note].halves * HALF);
  tiny_tensor *loud = tiny_complex_abs(tiny_rfft(heard, FINE, 0, TINY_FFT_BACKWARD));
  return (double)tiny_item_i64(tiny_argmax(loud, 0, 0)) * HERTZ / FINE;
}

int main(int argc, char **argv) {
  const char *path = argc > 1 ? argv[1] : "sound.wav";
  tiny_ctx *t = tiny_open(&(tiny_desc){.seed = 1});
  tiny_tensor *played = in_room(play(t)), *noisy = tiny_add(played, tiny_mul_scalar(tiny_randn_like(played), HISS));
  tiny_realize((tiny_tensor *[]){played, noisy}, 2);
  tiny_tensor *heard = filtered(noisy, learn(played, noisy));
  const double before = tiny_item(tiny_mse_loss(noisy, played, TINY_MEAN));
  const double after = tiny_item(tiny_mse_loss(heard, played, TINY_MEAN));
  const double less = 10 * log10(before / after), a = pitch_of(heard, LONG_A);
  draw(heard);
  tiny_tensor *pcm = tiny_cast(tiny_round(tiny_mul_scalar(tiny_clamp(heard, -1, 1), 32767)), TINY_I16);
  const int failed = tiny_save_wav(pcm, HERTZ, path) != TINY_OK;
  if (tiny_status(t) != TINY_OK) fprintf(stderr, "sound: %s\n", tiny_error(t));
  else if (failed) fprintf(stderr, "sound: cannot write %s\n", path);
  else printf("%s: %.1f s; the long A has %.1f Hz, the filter takes %.1f dB of the hiss\n", path,
              (double)SAMPLES / HERTZ, a, less);
  tiny_close(t);
  return failed ? 1 : fabs(a - 440) < 0.5 && less > 6 ? 0 : 2;
}
