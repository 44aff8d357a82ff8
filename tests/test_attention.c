// attention: attention, rotary positions, embeddings: what the vectors cannot show.
// also: outside levels
#include "nn_test.h"

static tiny_tensor *keys(void) { return numbers(TINY_F64, TINY_SHAPE(2, 3, 4), -1, 1); }
static tiny_tensor *values_of(void) { return numbers(TINY_F64, TINY_SHAPE(2, 3, 2), -1, 1); }
static tiny_tensor *masked(tiny_tensor *q) {
  const double rows[6] = {1, 0, 1, 0, 0, 0};               // the second query sees nothing
  tiny_attention_desc d;
  memset(&d, 0, sizeof d);
  d.mask = given(TINY_BOOL, TINY_SHAPE(2, 3), rows);
  return tiny_attention(q, keys(), values_of(), &d);
}
static tiny_tensor *added(tiny_tensor *q) {
  const double rows[6] = {0.5, -HUGE_VAL, 0, -HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
  tiny_attention_desc d;
  memset(&d, 0, sizeof d);
  d.mask = given(TINY_F64, TINY_SHAPE(2, 3), rows); d.causal = 1; d.scale = 2;
  return tiny_attention(q, keys(), values_of(), &d);
}
static tiny_tensor *shared(tiny_tensor *q) { return tiny_attention(tiny_reshape(q, TINY_SHAPE(4, 1, 4)), keys(), values_of(), NULL); }
static void check_attention(void) {
  tiny_tensor *q = numbers(TINY_F64, TINY_SHAPE(2, 2, 4), -1, 1);
  double y[8];
  read_all(masked(q), y);
  CHECK(y[2] == 0 && y[3] == 0 && y[0] != 0);              // zeros, not NaN
  gradient("masked", masked, q);
  gradient("added", added, q);
  gradient("shared heads", shared, q);
  // One head of keys for two of queries is that head twice.
  tiny_tensor *in[4] = {tiny_slice(keys(), 0, 0, 1, 1), tiny_slice(keys(), 0, 0, 1, 1), tiny_slice(keys(), 0, 1, 2, 1), tiny_slice(keys(), 0, 1, 2, 1)};
  tiny_tensor *of[4] = {tiny_slice(values_of(), 0, 0, 1, 1), tiny_slice(values_of(), 0, 0, 1, 1), tiny_slice(values_of(), 0, 1, 2, 1), tiny_slice(values_of(), 0, 1, 2, 1)};
  same("groups", shared(q), tiny_attention(tiny_reshape(q, TINY_SHAPE(4, 1, 4)), tiny_cat(in, 4, 0), tiny_cat(of, 4, 0), NULL), 1e-12);
  same("no scale", tiny_attention(q, keys(), values_of(), &(tiny_attention_desc){.scale = TINY_ZERO}),
       tiny_expand(tiny_mean(values_of(), 1, 1), TINY_SHAPE(2, 2, 2)), 1e-12);       // all weights alike
  // Dropout of everything leaves nothing; of half, about the same on average.
  tiny_attention_desc d;
  memset(&d, 0, sizeof d);
  d.dropout = 1;
  read_all(tiny_attention(q, keys(), values_of(), &d), y);
  CHECK(y[0] == 0 && y[7] == 0);
  d.dropout = 0.5;
  tiny_tensor *many = tiny_attention(tiny_expand(tiny_slice(q, 1, 0, 1, 1), TINY_SHAPE(2, 2000, 4)), keys(), values_of(), &d);
  same("dropout", tiny_mean(many, 1, 0), tiny_mean(tiny_attention(tiny_slice(q, 1, 0, 1, 1), keys(), values_of(), NULL), 1, 0), 0.05);
  // No keys at all: zeros.
  read_all(tiny_attention(q, tiny_zeros(t, TINY_F64, TINY_SHAPE(2, 0, 4)), tiny_zeros(t, TINY_F64, TINY_SHAPE(2, 0, 2)), NULL), y);
  CHECK(y[0] == 0 && y[7] == 0);
  CHECK_EQ(tiny_dtype_of(tiny_attention(tiny_cast(q, TINY_BF16), tiny_cast(keys(), TINY_BF16), tiny_cast(values_of(), TINY_BF16), NULL)), TINY_BF16);
  BAD(tiny_attention(q, keys(), keys(), &(tiny_attention_desc){.dropout = 2}), TINY_E_ARG, "attention: dropout is 2, not in [0,1]");
  BAD(tiny_attention(q, values_of(), keys(), NULL), TINY_E_SHAPE, "attention: queries (2,2,4), keys (2,3,2), values (2,3,4)");
  BAD(tiny_attention(tiny_zeros(t, TINY_F64, TINY_SHAPE(3, 2, 4)), keys(), keys(), NULL), TINY_E_SHAPE, "attention: queries (3,2,4), keys (2,3,4)");
  BAD(tiny_attention(q, keys(), keys(), &(tiny_attention_desc){.mask = q}), TINY_E_SHAPE, "attention: mask (2,2,4) for scores (2,2,3)");
  BAD(tiny_attention(q, keys(), keys(), &(tiny_attention_desc){.mask = tiny_zeros(t, TINY_I32, TINY_SHAPE(3))}), TINY_E_DTYPE, "attention: the mask is i32, not bool or a float");
  BAD(tiny_attention(q, NULL, keys(), NULL), TINY_E_ARG, "attention: tensor argument 2 is NULL");
}

static tiny_tensor *turned(tiny_tensor *x) { return tiny_rope(x, NULL, NULL); }
static void check_rope(void) {
  tiny_tensor *x = numbers(TINY_F64, TINY_SHAPE(5, 6), -1, 1), *y = turned(x);
  gradient("rope", turned, x);
  same("lengths stay", tiny_sum(tiny_square(y), 1, 0), tiny_sum(tiny_square(x), 1, 0), 1e-12);
  // Scores depend on the distance of positions only.
  const double near0[2] = {0, 3}, far[2] = {70, 73};
  tiny_tensor *two = tiny_slice(x, 0, 0, 2, 1), *a = tiny_rope(two, given(TINY_I32, TINY_SHAPE(2), near0), NULL), *b = tiny_rope(two, given(TINY_I64, TINY_SHAPE(2), far), NULL);
  same("distance", tiny_matmul(a, tiny_transpose(a, 0, 1)), tiny_matmul(b, tiny_transpose(b, 0, 1)), 1e-12);
  BAD(tiny_rope(tiny_zeros(t, TINY_F32, TINY_SHAPE(2, 3)), NULL, NULL), TINY_E_SHAPE, "rope: (2,3) has no pairs");
  BAD(tiny_rope(x, tiny_zeros(t, TINY_I32, TINY_SHAPE(4)), NULL), TINY_E_SHAPE, "rope: positions (4,) for (5,6)");
}

static void check_embedding(void) {
  const double at[4] = {1, 7, -1, 0}, rows[6] = {10, 11, 20, 21, 30, 31}, want[8] = {20, 21, 0, 0, 0, 0, 10, 11};
  tiny_tensor *w = given(TINY_F32, TINY_SHAPE(3, 2), rows), *ids = given(TINY_I32, TINY_SHAPE(4), at), *g;
  is("out of range", tiny_embedding(ids, w, -1), 8, want, 0);
  const double grads[6] = {1, 1, 0, 0, 0, 0};
  CHECK_EQ(tiny_grad(tiny_sum(tiny_embedding(ids, w, 1), TINY_ALL, 0), &w, 1, &g), TINY_OK);
  is("padding", g, 6, grads, 0);
  CHECK_EQ(tiny_dtype_of(tiny_embedding(ids, tiny_cast(w, TINY_F16), -1)), TINY_F16);
  // Bags: the last has nothing.
  const double from[3] = {0, 2, 4}, sums[6] = {20, 21, 10, 11, 0, 0};
  tiny_tensor *offsets = given(TINY_I32, TINY_SHAPE(3), from);
  is("bags", tiny_embedding_bag(ids, w, offsets, NULL, TINY_SUM, -1), 6, sums, 0);
  is("bags", tiny_embedding_bag(ids, w, offsets, NULL, TINY_MAX, -1), 6, sums, 0);
  const double weighed_[2] = {50, 53}, by[4] = {2, 1, 1, 1};
  is("weights", tiny_embedding_bag(ids, w, given(TINY_I32, TINY_SHAPE(1), from), given(TINY_F32, TINY_SHAPE(4), by), TINY_SUM, -1), 2, weighed_, 0);
  CHECK_EQ(tiny_nelem_of(tiny_embedding(tiny_zeros(t, TINY_I32, TINY_SHAPE(0, 3)), w, -1)), 0);
  BAD(tiny_embedding(w, w, -1), TINY_E_DTYPE, "embedding: indices are integers, not f32");
  BAD(tiny_embedding(ids, ids, -1), TINY_E_SHAPE, "embedding: indices (4,) into a table (4,)");
  BAD(tiny_embedding(ids, w, 3), TINY_E_ARG, "embedding: row 3 of a table (3,2) as padding");
  BAD(tiny_embedding_bag(ids, w, NULL, NULL, TINY_SUM, -1), TINY_E_SHAPE, "embedding_bag: indices (4,) with offsets NULL");
  BAD(tiny_embedding_bag(ids, w, offsets, NULL, TINY_NONE, -1), TINY_E_ARG, "embedding_bag: mode 3");
  BAD(tiny_embedding_bag(ids, w, offsets, ids, TINY_MEAN, -1), TINY_E_ARG, "embedding_bag: weights are for TINY_SUM");
  BAD(tiny_embedding_bag(ids, w, offsets, offsets, TINY_SUM, -1), TINY_E_SHAPE, "embedding_bag: indices (4,) with weights (3,)");
}

int main(void) {
  open_interp();
  check_attention();
  check_rope();
  check_embedding();
  tiny_close(t);
  return test_report();
}
