// lengths: dims whose length is known when a kernel is launched are as dims of that length, by one plan and one kernel.
// brief: plain asan
#include "../src/all.c"
#include "lengths.h"

static tiny_tensor *filter;

// ** operators, of a (n, WIDE) **

static tiny_tensor *f_exp(tiny_tensor *x) { return tiny_exp(x); }
static tiny_tensor *f_add(tiny_tensor *x) { return tiny_add(tiny_mul(x, x), tiny_select(weights, 0, 1)); }
static tiny_tensor *f_zeroth(tiny_tensor *x) { return tiny_sum(tiny_pow(x, tiny_like(x, 0)), 0, 0); }
static tiny_tensor *f_where(tiny_tensor *x) { return tiny_where(tiny_gt(x, tiny_like(x, 0)), x, tiny_like(x, -1)); }
// Numbers beside a tensor, with a name: floors of x itself, as of what is rounded they may differ.
static tiny_tensor *f_scalars(tiny_tensor *x) {
  tiny_tensor *y = tiny_add_scalar(tiny_square(x), 1), *z = tiny_sub_scalar(tiny_mul_scalar(y, 0.5), 0.25);
  z = tiny_add(tiny_rsub_scalar(z, 3), tiny_div_scalar(tiny_rdiv_scalar(y, 2), 4));
  z = tiny_add(z, tiny_add(tiny_floor_div_scalar(x, 0.1), tiny_rfloor_div_scalar(x, 7)));
  z = tiny_add(z, tiny_add(tiny_remainder_scalar(x, 0.3), tiny_rremainder_scalar(x, 0.2)));
  z = tiny_add(z, tiny_add(tiny_pow_scalar(y, 1.5), tiny_rpow_scalar(x, 2)));
  return tiny_label(tiny_minimum_scalar(tiny_maximum_scalar(z, -20), 40), "scalars");
}
static tiny_tensor *f_compared(tiny_tensor *x) {
  tiny_tensor *y = tiny_add(tiny_cast(tiny_lt_scalar(x, 0.5), TINY_F32), tiny_cast(tiny_gt_scalar(x, -0.5), TINY_F32));
  y = tiny_add(y, tiny_add(tiny_cast(tiny_le_scalar(x, 0), TINY_F32), tiny_cast(tiny_ge_scalar(x, 0.25), TINY_F32)));
  return tiny_where(tiny_eq_scalar(y, 2), tiny_cast(tiny_ne_scalar(y, 1), TINY_F32), y);
}
static tiny_tensor *f_pixels(tiny_tensor *x) {
  return tiny_convert_image_dtype(tiny_cast(tiny_mul_scalar(tiny_square(x), 255), TINY_U8), TINY_F32);
}
static tiny_tensor *f_sum(tiny_tensor *x) { return tiny_sum(x, 0, 0); }
static tiny_tensor *f_sum_all(tiny_tensor *x) { return tiny_sum(x, TINY_ALL, 0); }
static tiny_tensor *f_sum_rows(tiny_tensor *x) { return tiny_sum(x, 1, 0); }
static tiny_tensor *f_prod(tiny_tensor *x) { return tiny_prod(tiny_add(x, tiny_like(x, 1)), 0, 1); }
static tiny_tensor *f_max(tiny_tensor *x) { return tiny_amax(x, 0, 0); }
static tiny_tensor *f_argmin(tiny_tensor *x) { return tiny_argmin(x, 0, 0); }
static tiny_tensor *f_all(tiny_tensor *x) { return tiny_all(tiny_lt(x, tiny_like(x, 0.99)), 0, 0); }
static tiny_tensor *f_mean(tiny_tensor *x) { return tiny_mean(x, TINY_ALL, 0); }
static tiny_tensor *f_std(tiny_tensor *x) { return tiny_std(x, 0, 1, 1); }
static tiny_tensor *f_norm(tiny_tensor *x) { return tiny_norm(x, 2, 0, 0); }
static tiny_tensor *f_logsumexp(tiny_tensor *x) { return tiny_logsumexp(x, 0, 0); }
static tiny_tensor *f_softmax(tiny_tensor *x) { return tiny_softmax(x, 0); }
static tiny_tensor *f_softmax_rows(tiny_tensor *x) { return tiny_log_softmax(x, 1); }
static tiny_tensor *f_layer_norm(tiny_tensor *x) { return tiny_layer_norm(x, 1, NULL, NULL, 1e-5); }
static tiny_tensor *f_layer_norm_along(tiny_tensor *x) { return tiny_layer_norm(turned(x), 1, NULL, NULL, 1e-5); }
static tiny_tensor *f_matmul(tiny_tensor *x) { return tiny_matmul(x, weights); }
static tiny_tensor *f_gram(tiny_tensor *x) { return tiny_matmul(turned(x), x); }
static tiny_tensor *f_pairs(tiny_tensor *x) { return tiny_softmax(tiny_matmul(x, turned(x)), 1); }
static tiny_tensor *f_linear(tiny_tensor *x) { return tiny_linear(x, weights, tiny_select(weights, 0, 0)); }
static tiny_tensor *f_cumsum(tiny_tensor *x) { return tiny_cumsum(x, 0); }
static tiny_tensor *f_cumsum_turned(tiny_tensor *x) { return tiny_cumsum(turned(x), 1); }
static tiny_tensor *f_cumprod(tiny_tensor *x) { return tiny_cumprod(tiny_mul(x, tiny_like(x, 1.5)), 0); }
static tiny_tensor *f_flip(tiny_tensor *x) { return tiny_flip(x, TINY_SHAPE(0, 1)); }
static tiny_tensor *f_reshape(tiny_tensor *x) { return tiny_reshape(x, TINY_SHAPE(-1, 3, FEW)); }
static tiny_tensor *f_flatten(tiny_tensor *x) { return tiny_flatten(x, 0, 1); }
static tiny_tensor *f_slice(tiny_tensor *x) { return tiny_slice(x, 1, 10, 1, -3); }
static tiny_tensor *f_tril(tiny_tensor *x) { return tiny_tril(x, 1); }
static tiny_tensor *f_conv(tiny_tensor *x) {
  tiny_conv_desc d;
  memset(&d, 0, sizeof d);
  d.pad[0] = 1;
  return tiny_conv(turned(x), filter, NULL, &d);
}
static tiny_tensor *f_conv_strides(tiny_tensor *x) {
  tiny_conv_desc d;
  memset(&d, 0, sizeof d);
  d.pad[0] = 2; d.stride[0] = 3;
  return tiny_relu(tiny_conv(turned(x), filter, NULL, &d));
}
static tiny_tensor *f_conv_batch(tiny_tensor *x) { return tiny_conv1d(tiny_reshape(x, TINY_SHAPE(-1, 1, WIDE)), tiny_shrink(filter, TINY_SHAPE(0, FEW, 0, 1, 0, 3)), NULL, NULL); }
static tiny_tensor *f_attention(tiny_tensor *x) { return tiny_attention(queries, x, x, NULL); }
static tiny_tensor *f_self_attention(tiny_tensor *x) {
  tiny_attention_desc d;
  memset(&d, 0, sizeof d);
  d.causal = 1;
  return tiny_attention(x, x, x, &d);
}
static tiny_tensor *f_rope(tiny_tensor *x) { return tiny_rope(x, NULL, NULL); }
static tiny_tensor *f_grad_weights(tiny_tensor *x) { return of_loss(tiny_tanh(tiny_matmul(x, weights)), weights); }
static tiny_tensor *f_grad_mean(tiny_tensor *x) { return of_loss(tiny_mean(tiny_exp(tiny_matmul(x, weights)), 0, 0), weights); }
static tiny_tensor *f_grad_softmax(tiny_tensor *x) { return of_loss(tiny_softmax(tiny_matmul(x, weights), 0), weights); }
static tiny_tensor *f_grad_max(tiny_tensor *x) { return of_loss(tiny_amax(tiny_matmul(x, weights), 0, 0), weights); }
static tiny_tensor *f_grad_filter(tiny_tensor *x) { return of_loss(f_conv(x), filter); }
static tiny_tensor *f_grad_strides(tiny_tensor *x) { return of_loss(f_conv_strides(x), filter); }
static tiny_tensor *f_grad_cumsum(tiny_tensor *x) { return of_loss(tiny_cumsum(tiny_matmul(x, weights), 0), weights); }
static tiny_tensor *f_grad_attention(tiny_tensor *x) { return of_loss(tiny_attention(queries, tiny_matmul(x, weights), x, NULL), weights); }
static tiny_tensor *f_grad_flip(tiny_tensor *x) { return of_loss(tiny_mul(tiny_flip(tiny_matmul(x, weights), TINY_SHAPE(0)), x), weights); }

#define OPERATORS(_) _(exp) _(add) _(zeroth) _(where) _(scalars) _(compared) _(pixels) _(sum) _(sum_all) _(sum_rows) _(prod) \
  _(max) _(argmin) _(all) _(mean) \
  _(std) _(norm) _(logsumexp) _(softmax) _(softmax_rows) _(layer_norm) _(layer_norm_along) _(matmul) _(gram) _(pairs) \
  _(linear) _(cumsum) _(cumsum_turned) _(cumprod) _(flip) _(reshape) _(flatten) _(slice) _(tril) _(conv) \
  _(conv_strides) _(conv_batch) _(attention) _(self_attention) _(rope) _(grad_weights) _(grad_mean) _(grad_softmax) \
  _(grad_max) _(grad_filter) _(grad_strides) _(grad_cumsum) _(grad_attention) _(grad_flip)
static const struct { const char *name; operator_of f; } operators[] = {
#define ROW(name) {#name, f_##name},
  OPERATORS(ROW)
};

// ** chains of operators, of (n, WIDE) to (n, WIDE), drawn by lots **

static unsigned long long lots;
static int draw(int n) {
  lots = lots * 6364136223846793005ull + 1442695040888963407ull;
  return (int)((lots >> 33) % (unsigned long long)n);
}
static tiny_tensor *link_of(int how, tiny_tensor *x) {
  switch (how) {
    case 0: return tiny_tanh(x);
    case 1: return tiny_softmax(x, 0);
    case 2: return tiny_softmax(x, 1);
    case 3: return tiny_mul(tiny_cumsum(x, 0), tiny_like(x, 0.125));
    case 4: return tiny_matmul(x, weights);
    case 5: return tiny_layer_norm(x, 1, NULL, NULL, 1e-5);
    case 6: return tiny_sub(x, tiny_mean(x, 0, 1));
    case 7: return tiny_div(x, tiny_add(tiny_norm(x, 2, 0, 1), tiny_like(x, 1)));
    case 8: return tiny_flip(x, TINY_SHAPE(0));
    case 9: return tiny_sub(x, tiny_amax(x, 0, 1));
    case 10: return tiny_where(tiny_gt(x, tiny_mean(x, 1, 1)), x, tiny_mul(x, tiny_like(x, 0.5)));
    case 11: return tiny_add(x, tiny_contiguous(tiny_mul(x, x)));
    case 12: return tiny_tanh(tiny_matmul(x, tiny_matmul(tiny_transpose(x, 0, 1), x)));
    case 13: return tiny_attention(x, x, x, NULL);
    case 14: return tiny_reshape(tiny_gelu(tiny_reshape(x, TINY_SHAPE(-1, 3, FEW))), TINY_SHAPE(-1, WIDE));
    case 15: return tiny_sort(x, 0, 1, NULL);
    case 16: { tiny_tensor *both[2] = {x, tiny_tanh(x)}; return tiny_sum(tiny_stack(both, 2, 1), 1, 0); }
    case 17: return tiny_group_norm(x, 3, NULL, NULL, 1e-2);
    case 18: { tiny_tensor *both[2] = {x, tiny_select(weights, 0, 0)}; both[1] = tiny_unsqueeze(both[1], 0); return tiny_diff(tiny_cat(both, 2, 0), 1, 0, NULL, NULL); }
    case 19: return tiny_cummax(x, 0, NULL);
    default: return tiny_transpose(tiny_layer_norm(tiny_transpose(x, 0, 1), 1, NULL, NULL, 1e-5), 0, 1);
  }
}
static tiny_tensor *chain(tiny_tensor *x, unsigned long long seed) {
  lots = seed * 2654435761u + 12345;
  const int links = 2 + draw(4), folds = draw(3), slopes = draw(2);
  tiny_tensor *y = x;
  for (int i = 0; i < links; i++) y = link_of(draw(21), y);
  if (slopes) return of_loss(tiny_matmul(y, weights), weights);
  return folds ? tiny_sum(y, folds - 1, 0) : y;
}
static void check_chains(void) {
  const unsigned long long first = test_from(1), rounds = getenv("TEST_BRIEF") ? 12 : getenv("TEST_ROUNDS") ? strtoull(getenv("TEST_ROUNDS"), NULL, 10) : 80;
  for (unsigned long long seed = first; seed < first + rounds; seed++) {
    uint64_t schedules = 0;
    case_seeded(seed, "TEST_FROM=%llu");
    for (int i = 0; i < 3; i++) {
      const int n = i ? 1 + (int)((seed * 37 + (unsigned)i * 50) % MOST) : MOST / 2;
      for (int k = 0; k < MOST * WIDE; k++) memory[k] = k < n * WIDE ? element(k) : (float)NAN;
      tiny_begin(t);
      tiny_tensor *y = chain(tiny_slice_to(tiny_from(t, memory, TINY_F32, TINY_SHAPE(MOST, WIDE)), 0, tiny_length(t, n, 1, MOST)), seed);
      tiny_tensor *z = chain(tiny_from(t, memory, TINY_F32, TINY_SHAPE(n, WIDE)), seed);
      CHECK(tiny_ok(y) && tiny_ok(z));
      const uint64_t before = tiny_stats_of(t).schedules;
      if (tiny_ok(y) && tiny_ok(z)) CHECK(same(y, z, tiny_read));
      if (i) schedules += tiny_stats_of(t).schedules - before;
      if (tiny_ok(y) && tiny_ok(z) && !i) CHECK(same(y, z, tiny_reference));
      tiny_end(t);
      if (*tiny_error(t)) { fprintf(stderr, "    %s\n", tiny_error(t)); CHECK(0); tiny_clear(t); }
    }
    CHECK_EQ(schedules, 0);
  }
  case_end();
}

// ** places that are known at launch **

static void check_append(void) {
  tiny_tensor *cache = tiny_keep(made(TINY_SHAPE(16, FEW)));
  uint64_t schedules = 0;
  for (int i = 0; i < 12; i++) {
    float row[FEW], seen[FEW];
    for (int k = 0; k < FEW; k++) row[k] = (float)(10 * i + k);
    tiny_begin(t);
    tiny_tensor *n = tiny_length(t, i, 0, 15), *at = tiny_slice_at(cache, 0, n, 1);
    tiny_assign(at, tiny_from(t, row, TINY_F32, TINY_SHAPE(1, FEW)));
    tiny_tensor *rows = tiny_slice_to(cache, 0, tiny_add(n, tiny_like(n, 1))), *sum = tiny_sum(rows, 0, 0);
    tiny_tensor *last = tiny_slice_at(rows, 0, n, 1);        // of a length n + 1 there is an element n
    const uint64_t before = tiny_stats_of(t).schedules;
    CHECK(tiny_read(sum, seen, sizeof seen) == TINY_OK);
    for (int k = 0; k < FEW; k++) CHECK(seen[k] == (float)(10 * i * (i + 1) / 2 + (i + 1) * k));
    CHECK(tiny_read(last, seen, sizeof seen) == TINY_OK);
    CHECK(!memcmp(seen, row, sizeof row));
    if (i > 1) schedules += tiny_stats_of(t).schedules - before;
    tiny_end(t);
  }
  CHECK_EQ(schedules, 0);
  tiny_free(cache);
}
static void check_slice_gradient(void) {
  tiny_tensor *x = tiny_keep(made(TINY_SHAPE(10, 3)));
  float all[30], g[30], by_reference[30];
  tiny_read(x, all, sizeof all);
  for (int begin = 0; begin <= 7; begin++) {
    tiny_begin(t);
    tiny_tensor *loss = tiny_sum(tiny_square(tiny_slice_at(x, 0, tiny_length(t, begin, 0, 7), 3)), TINY_ALL, 0), *d = NULL;
    CHECK(tiny_grad(loss, &x, 1, &d) == TINY_OK);
    CHECK(tiny_read(d, g, sizeof g) == TINY_OK && tiny_reference(d, by_reference, sizeof g) == TINY_OK);
    for (int i = 0; i < 30; i++) {
      const float want = i / 3 >= begin && i / 3 < begin + 3 ? 2 * all[i] : 0;
      CHECK(g[i] == want && by_reference[i] == want);
    }
    tiny_end(t);
  }
  for (int n = 0; n <= 10; n += 5) {       // of the first n
    tiny_begin(t);
    tiny_tensor *loss = tiny_sum(tiny_square(tiny_slice_to(x, 0, tiny_length(t, n, 0, 10))), TINY_ALL, 0), *d = NULL;
    CHECK(tiny_grad(loss, &x, 1, &d) == TINY_OK && tiny_read(d, g, sizeof g) == TINY_OK);
    for (int i = 0; i < 30; i++) CHECK(g[i] == (i / 3 < n ? 2 * all[i] : 0));
    tiny_end(t);
  }
  tiny_free(x);
}
// What is not meant of memory that is assigned to stays what it is.
static void check_assign(void) {
  float state[MOST * 3];
  tiny_tensor *x = tiny_keep(made(TINY_SHAPE(MOST, 3)));
  float want[MOST * 3];
  tiny_read(x, want, sizeof want);
  for (int i = 0; i < LENGTHS; i++) {
    tiny_begin(t);
    tiny_tensor *some = tiny_slice_to(x, 0, tiny_length(t, lengths[i], 0, MOST));
    tiny_assign(some, tiny_add(some, tiny_like(some, 1)));
    CHECK(tiny_end(t) == TINY_OK);
    for (int k = 0; k < 3 * lengths[i]; k++) want[k] += 1;
  }
  CHECK(tiny_read(x, state, sizeof state) == TINY_OK);
  CHECK(!memcmp(state, want, sizeof want));
  tiny_free(x);
}

// ** numbers **

static int64_t now(tiny_tensor *x) { return tiny_shape_now(x).dim[0]; }
static void check_numbers(void) {
  tiny_begin(t);
  tiny_tensor *n = tiny_length(t, 5, 1, 20), *m = tiny_length(t, 3, 0, 4), *x = made(TINY_SHAPE(60, 3));
  tiny_tensor *two = tiny_like(n, 2);
  CHECK_EQ(now(tiny_slice_to(x, 0, n)), 5);
  CHECK_EQ(now(tiny_slice_to(x, 0, tiny_mul(n, two))), 10);
  CHECK_EQ(now(tiny_slice_to(x, 0, tiny_add(tiny_add(n, n), m))), 13);
  CHECK_EQ(now(tiny_slice_to(x, 0, tiny_minimum(n, two))), 2);
  CHECK_EQ(now(tiny_slice_to(x, 0, tiny_sub(n, tiny_like(n, 1)))), 4);
  CHECK_EQ(now(tiny_slice_to(x, 0, tiny_floor_div(n, two))), 2);
  CHECK_EQ(now(tiny_slice_to(x, 0, tiny_maximum(tiny_minimum(n, tiny_like(n, 9)), tiny_like(n, 6)))), 6);
  CHECK_EQ(tiny_shape_of(tiny_slice_to(x, 0, n)).dim[0], 20);
  CHECK_EQ(tiny_item_i64(tiny_length_of(tiny_slice_to(x, 0, tiny_mul(n, two)), 0)), 10);
  CHECK_EQ(tiny_item_i64(tiny_length_of(x, 0)), 60);
  CHECK_EQ(tiny_item_i64(tiny_sum(tiny_mask_to(x, 0, n), TINY_ALL, 0)), 15);
  CHECK(tiny_item(tiny_sum(tiny_whole(tiny_slice_to(tiny_ones_like(x), 0, n), 0, 2), TINY_ALL, 0)) == 3 * (5 + 2 * 15));
  CHECK_EQ(now(tiny_cumsum(tiny_slice_to(x, 0, n), 0)), 5);
  CHECK(tiny_end(t) == TINY_OK);
}
static void check_errors(void) {
  tiny_begin(t);
  tiny_tensor *x = made(TINY_SHAPE(8, 6)), *n = tiny_length(t, 3, 0, 8), *m = tiny_length(t, 3, 0, 8), *y = tiny_slice_to(x, 0, n);
  BAD(tiny_length(t, 9, 0, 8), TINY_E_ARG, "length: 9 is not within its bounds, 0 to 8");
  BAD(tiny_length(t, 0, 1, 0), TINY_E_ARG, "length: bounds 1 to 0");
  BAD(tiny_slice_to(x, 0, tiny_length(t, 3, 0, 9)), TINY_E_SHAPE, "slice_to: n may be 0 to 9, of which only 0 to 8 fit");
  BAD(tiny_slice_to(x, 0, tiny_scalar(t, 3, TINY_I64)), TINY_E_ARG, "slice_to: n is not made of tiny_length");
  BAD(tiny_slice_to(x, 2, n), TINY_E_ARG, "slice_to: axis 2 is out of range for (8,6)");
  BAD(tiny_slice_to(y, 0, m), TINY_E_SHAPE, "slice_to: of dim 0 of (8,6) only a length is meant");
  BAD(tiny_slice_at(x, 0, n, 1), TINY_E_SHAPE, "slice_at: begin may be 0 to 8, of which only 0 to 7 fit");
  BAD(tiny_slice_at(y, 0, tiny_length(t, 1, 0, 4), 1), TINY_E_SHAPE, "slice_at: 1 elements from begin on may go beyond the length of dim 0 of (8,6)");
  BAD(tiny_add(y, tiny_slice_to(x, 0, m)), TINY_E_SHAPE, "ADD: dim 0 of (8,6) has a length that is known when a kernel is launched; that of another operand is another one");
  BAD(tiny_reshape(y, TINY_SHAPE(4, 12)), TINY_E_SHAPE, "RESHAPE: dim 0 of (8,6) has a length");
  BAD(tiny_reshape(tiny_transpose(y, 0, 1), TINY_SHAPE(48)), TINY_E_SHAPE, "RESHAPE: dim 1 of (6,8) has a length");
  BAD(tiny_slice(y, 0, 1, 3, 1), TINY_E_SHAPE, "slice: of dim 0 of (8,6) only a length is meant");
  BAD(tiny_mode(y, 0, 0, NULL), TINY_E_SHAPE, "mode: of dim 0 of (8,6) only a length is meant (tiny_slice_to), which this operator does not know about");
  BAD(tiny_fft(y, 0, 0, TINY_FFT_BACKWARD), TINY_E_SHAPE, "fft: of dim 0");
  BAD(tiny_assign(x, y), TINY_E_SHAPE, "assign: of dim 0 of the value only a length is meant; take tiny_slice_to of (8,6)");
  BAD(tiny_select(y, 0, 1), TINY_E_SHAPE, "select: of dim 0");
  CHECK(tiny_write(y, x, 48 * 4) == TINY_E_ARG);
  tiny_clear(t);
  float out[48];
  CHECK(tiny_read(y, out, sizeof out) == TINY_E_ARG);        // it has (3,6)
  tiny_clear(t);
  CHECK(tiny_read(y, out, 18 * 4) == TINY_OK);
  tiny_end(t);
}

// ** programs **

static void check_program(void) {
  tiny_tensor *x = made(TINY_SHAPE(MOST, WIDE)), *in[2] = {x, tiny_length(t, 5, 2, MOST)}, *out[2];
  tiny_tensor *y = tiny_slice_to(x, 0, in[1]);
  out[0] = tiny_exp(y);
  out[1] = tiny_sum(out[0], TINY_ALL, 0);
  tiny_program *p = tiny_capture(t, in, 2, out, 2);
  CHECK(p != NULL);
  for (int i = 0; p && i < LENGTHS; i++) if (lengths[i] >= 2) {
    float got[MOST * WIDE], all[MOST * WIDE];
    double sum = 0;
    in[1] = tiny_length(t, lengths[i], 0, MOST + 5);         // bounds of its own: its value counts
    CHECK(tiny_run(p, in, out) == TINY_OK);
    CHECK_EQ(now(out[0]), lengths[i]);
    CHECK(tiny_read(out[0], got, (size_t)lengths[i] * WIDE * 4) == TINY_OK);
    tiny_read(x, all, sizeof all);
    int wrong = 0;
    for (int k = 0; k < lengths[i] * WIDE; k++) { wrong += fabs(got[k] - exp(all[k])) > 1e-5; sum += exp(all[k]); }
    CHECK_EQ(wrong, 0);
    CHECK(fabs(tiny_item(out[1]) - sum) < 1e-4 * sum);
    CHECK(fabs(tiny_item(tiny_mean(out[0], TINY_ALL, 0)) - sum / (lengths[i] * WIDE)) < 1e-4);
    if (*tiny_error(t)) { CHECK_STR(tiny_error(t), ""); tiny_clear(t); }
    tiny_free(out[0]); tiny_free(out[1]);
  }
  for (int64_t wrong = 1; wrong <= MOST + 1; wrong += MOST) {
    in[1] = tiny_length(t, wrong, 0, 1000);
    CHECK(tiny_run(p, in, out) == TINY_E_ARG);
    CHECK(strstr(tiny_error(t), "not within its bounds, 2 to 96") != NULL);
    tiny_clear(t);
  }
  tiny_program_free(p);
}

// ** what comes and goes **

// Memory and plans stay as they are from the second frame on.
// A graph of a length that is compiled ahead is found when it is realized.
static void check_warm(void) {
  if (!case_named("warm")) return;
  tiny_begin(t);
  tiny_tensor *n = tiny_length(t, 5, 0, MOST), *y = tiny_log1p(tiny_square(tiny_slice_to(made(TINY_SHAPE(MOST, WIDE)), 0, n)));
  CHECK(tiny_warm(t, &y, 1) == TINY_OK && tiny_warm_wait(t) == TINY_OK);
  const uint64_t before = tiny_stats_of(t).compile_ns;
  CHECK(tiny_realize(&y, 1) == TINY_OK);
  CHECK_EQ(tiny_stats_of(t).compile_ns, before);
  tiny_end(t);
  case_end();
}

static void check_flat(const char *name, int64_t most, int64_t step, tiny_tensor *(*frame)(tiny_tensor *state, tiny_tensor *n)) {
  if (!case_named("%s", name)) return;
  tiny_tensor *state = made(TINY_SHAPE(most, 4));
  tiny_stats before;
  memset(&before, 0, sizeof before);
  int frames = 0;
  for (int64_t n = 0; n <= 2 * most; n += step, frames++) {
    tiny_begin(t);
    tiny_tensor *y = frame(state, tiny_length(t, n <= most ? n : 2 * most - n, 0, most));
    CHECK(tiny_realize(&y, 1) == TINY_OK);
    CHECK(tiny_end(t) == TINY_OK);
    const tiny_stats s = tiny_stats_of(t);
    if (frames == 4) before = s;
    if (frames <= 4) continue;
    CHECK_EQ(s.schedules, before.schedules);
    CHECK_EQ(s.compiled, before.compiled);
    CHECK(s.nbytes_live <= before.nbytes_live + ((uint64_t)1 << 20));    // values that nobody has asked for again wait
  }
  CHECK(frames > 8);
  tiny_free(state);
  case_end();
}
static tiny_tensor *particles(tiny_tensor *state, tiny_tensor *n) {
  tiny_tensor *x = tiny_slice_to(state, 0, n);
  tiny_assign(x, tiny_add(tiny_mul(x, tiny_like(x, 0.99)), tiny_like(x, 0.01)));
  return tiny_sum(tiny_slice_to(state, 0, n), 0, 0);
}
static tiny_tensor *batch(tiny_tensor *state, tiny_tensor *n) {
  tiny_tensor *x = tiny_slice_to(state, 0, n), *w = tiny_shrink(weights, TINY_SHAPE(0, 4, 0, 4)), *g = NULL;
  tiny_tensor *loss = tiny_sum(tiny_square(tiny_relu(tiny_matmul(x, w))), TINY_ALL, 0);
  return tiny_grad(loss, &w, 1, &g) == TINY_OK ? g : NULL;
}

int main(void) {
  t = tiny_open(NULL);
  weights = made(TINY_SHAPE(WIDE, WIDE)); queries = made(TINY_SHAPE(FEW, WIDE)); filter = made(TINY_SHAPE(FEW, WIDE, 3));
  tiny_tensor *all[3] = {weights, queries, filter};
  CHECK(tiny_realize(all, 3) == TINY_OK);
  for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) check_operator(operators[i].name, operators[i].f, 0);
  tolerance = 5e-3;
  check_chains();
  tolerance = 2e-4;
  check_append();
  check_slice_gradient();
  check_assign();
  check_numbers();
  check_errors();
  check_program();
  check_warm();
  check_flat("particles", 100000, 12500, particles);
  check_flat("batch", 64, 3, batch);
  CHECK_STR(tiny_error(t), "");
  tiny_close(t);
  return test_report();
}
