// recurrent: sequences against their cells, gradients, programs shared by all steps, errors.
#include "nn_test.h"

enum { L = 4, N = 2, I = 3, H = 2 };
static tiny_recurrent_weights weights(int gates, int64_t in) {
  tiny_recurrent_weights w;
  w.w_ih = numbers(TINY_F64, TINY_SHAPE(gates * H, in), -1, 1); w.w_hh = numbers(TINY_F64, TINY_SHAPE(gates * H, H), -0.9, 1);
  w.b_ih = numbers(TINY_F64, TINY_SHAPE(gates * H), -0.5, 0.4); w.b_hh = numbers(TINY_F64, TINY_SHAPE(gates * H), -0.2, 0.3);
  return w;
}
static tiny_tensor *step_of(tiny_tensor *x, int64_t i) { return tiny_squeeze(tiny_slice(x, 0, i, i + 1, 1), 0); }

static void check_steps(void) {            // a sequence is its cell L times
  tiny_tensor *x = numbers(TINY_F64, TINY_SHAPE(L, N, I), -1, 1), *h = NULL, *c = NULL, *g = NULL, *r = NULL, *hn, *cn, *y[4] = {0};
  tiny_recurrent_weights lstm = weights(4, I), gru = weights(3, I), rnn = weights(1, I);
  tiny_recurrent_desc d;
  memset(&d, 0, sizeof d);
  d.relu = 1;
  for (int i = 0; i < L; i++) {
    tiny_tensor *next;
    h = tiny_lstm_cell(step_of(x, i), h, c, &lstm, &next);
    c = next;
    g = tiny_gru_cell(step_of(x, i), g, &gru);
    r = tiny_rnn_cell(step_of(x, i), r, &rnn, 1);
  }
  y[0] = tiny_lstm(x, NULL, NULL, &lstm, NULL, &hn, &cn);
  same("lstm h", hn, h, 1e-12);
  same("lstm c", cn, c, 1e-12);
  same("lstm", step_of(y[0], L - 1), h, 1e-12);
  y[1] = tiny_gru(x, NULL, &gru, NULL, &hn);
  same("gru", hn, g, 1e-12);
  y[2] = tiny_rnn(x, NULL, &rnn, &d, NULL);
  same("rnn", step_of(y[2], L - 1), r, 1e-12);
  // A row alone, and without a batch at all, is the same.
  tiny_tensor *one = tiny_squeeze(tiny_slice(x, 1, 1, 2, 1), 1);
  same("no batch", tiny_lstm(one, NULL, NULL, &lstm, NULL, &hn, &cn), tiny_squeeze(tiny_slice(y[0], 1, 1, 2, 1), 1), 1e-12);
  CHECK_EQ(tiny_shape_of(hn).ndim, 2);
  CHECK_EQ(tiny_shape_of(tiny_gru_cell(step_of(one, 0), NULL, &gru)).ndim, 1);
  // The second direction is the first over the flipped sequence.
  tiny_recurrent_weights both[2] = {gru, gru};
  d.bidirectional = 1;
  y[3] = tiny_gru(x, NULL, both, &d, NULL);
  same("backwards", tiny_slice(y[3], 2, H, 2 * H, 1), tiny_flip(tiny_gru(tiny_flip(x, TINY_SHAPE(0)), NULL, &gru, NULL, NULL), TINY_SHAPE(0)), 1e-12);
  CHECK_EQ(tiny_dtype_of(tiny_gru_cell(tiny_zeros(t, TINY_F16, TINY_SHAPE(I)), NULL, &gru)), TINY_F64);
}

static tiny_recurrent_weights layers[2];
static tiny_tensor *lstm_of(tiny_tensor *x) {
  tiny_recurrent_desc d;
  memset(&d, 0, sizeof d);
  d.layers = 2;
  return tiny_lstm(x, NULL, NULL, layers, &d, NULL, NULL);
}
static tiny_tensor *of_w_hh(tiny_tensor *w) {
  tiny_recurrent_weights in = layers[0];
  in.w_hh = w;
  return tiny_lstm(numbers(TINY_F64, TINY_SHAPE(3, 1, I), -1, 1), NULL, NULL, &in, NULL, NULL, NULL);
}
static tiny_tensor *of_state(tiny_tensor *c0) {
  tiny_tensor *cn;
  tiny_lstm(numbers(TINY_F64, TINY_SHAPE(2, N, I), -1, 1), NULL, c0, layers, NULL, NULL, &cn);
  return cn;
}
static void check_gradients(void) {
  layers[0] = weights(4, I); layers[1] = weights(4, H);
  gradient("lstm", lstm_of, numbers(TINY_F64, TINY_SHAPE(3, 2, I), -1, 1));
  gradient("lstm w_hh", of_w_hh, layers[0].w_hh);
  gradient("lstm c0", of_state, numbers(TINY_F64, TINY_SHAPE(1, N, H), -1, 1));
}

// All steps are the same kernels: a longer sequence compiles (on the null device: plans) no more programs.
static void check_programs(void) {
  uint64_t programs[2];
  for (int i = 0; i < 2; i++) {
    tiny_desc d;
    memset(&d, 0, sizeof d);
    d.device = "NULL"; d.cache_dir = "";
    tiny_ctx *ctx = tiny_open(&d);
    tiny_recurrent_weights w;
    w.w_ih = tiny_contiguous(tiny_ones(ctx, TINY_F32, TINY_SHAPE(12, 8))); w.w_hh = tiny_contiguous(tiny_ones(ctx, TINY_F32, TINY_SHAPE(12, 4)));
    w.b_ih = w.b_hh = NULL;
    tiny_tensor *x = tiny_contiguous(tiny_ones(ctx, TINY_F32, TINY_SHAPE(i ? 24 : 12, 2, 8))), *hn;
    tiny_tensor *const ready[3] = {w.w_ih, w.w_hh, x};
    tiny_realize(ready, 3);
    const uint64_t before = tiny_stats_of(ctx).compiled;
    tiny_gru(x, NULL, &w, NULL, &hn);
    CHECK_EQ(tiny_realize(&hn, 1), TINY_OK);
    programs[i] = tiny_stats_of(ctx).compiled - before;
    tiny_close(ctx);
  }
  if (programs[1] > programs[0]) printf("%d programs for 12 steps, %d for 24\n", (int)programs[0], (int)programs[1]);
  CHECK(programs[1] <= programs[0] && programs[0] > 0 && programs[0] < 12);
}

static void check_errors(void) {
  tiny_recurrent_desc d;
  memset(&d, 0, sizeof d);
  tiny_recurrent_weights w = weights(4, I), none;
  tiny_tensor *x = tiny_zeros(t, TINY_F64, TINY_SHAPE(L, N, I)), *h = tiny_zeros(t, TINY_F64, TINY_SHAPE(1, N, H)), *hn, *cn;
  memset(&none, 0, sizeof none);
  BAD(tiny_lstm(x, NULL, NULL, NULL, NULL, &hn, &cn), TINY_E_ARG, "lstm: 1 layers, no weights, dropout 0");
  CHECK(!tiny_ok(hn) && !tiny_ok(cn));
  BAD(tiny_lstm(x, NULL, NULL, &none, NULL, NULL, NULL), TINY_E_ARG, "lstm: tensor argument 2 is NULL");
  BAD(tiny_gru(x, NULL, &w, NULL, NULL), TINY_E_SHAPE, "gru: inputs of 3 with weights (8,3) and (8,2)");
  BAD(tiny_lstm(tiny_zeros(t, TINY_F64, TINY_SHAPE(L, N, I + 1)), NULL, NULL, &w, NULL, NULL, NULL), TINY_E_SHAPE, "lstm: inputs of 4 with weights (8,3) and (8,2)");
  BAD(tiny_lstm(x, tiny_zeros(t, TINY_F64, TINY_SHAPE(2, N, H)), NULL, &w, NULL, NULL, NULL), TINY_E_SHAPE, "lstm: a state of (2,2,2), not (1,2,2)");
  BAD(tiny_lstm(tiny_zeros(t, TINY_F64, TINY_SHAPE(0, N, I)), h, h, &w, NULL, NULL, NULL), TINY_E_SHAPE, "lstm: inputs (0,2,3)");
  BAD(tiny_lstm_cell(x, NULL, NULL, &w, &cn), TINY_E_SHAPE, "lstm_cell: inputs (4,2,3)");
  BAD(tiny_lstm_cell(step_of(x, 0), h, NULL, &w, &cn), TINY_E_SHAPE, "lstm_cell: a state of (1,2,2), not (2,2)");
  CHECK(tiny_rnn_cell(NULL, NULL, NULL, 0) == NULL);
  d.layers = -1;
  BAD(tiny_rnn(x, NULL, &w, &d, NULL), TINY_E_ARG, "rnn: -1 layers");
}

int main(void) {
  open_interp();
  check_steps();
  check_gradients();
  check_programs();
  check_errors();
  tiny_close(t);
  return test_report();
}
