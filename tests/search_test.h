// search_test: small kernels of every kind, and machines of every kind, for lists of opts (test_search, fuzz_opts).
#ifndef SEARCH_TEST_H
#define SEARCH_TEST_H
#include "kernel_test.h"

// ** kernels: whole numbers, so that sums are exact in any order; but for softmax **

static tiny_tensor *elementwise(tiny_ctx *t) { return tiny_relu(tiny_add(ints(t, TINY_SHAPE(7, 36)), ints(t, TINY_SHAPE(36)))); }
static tiny_tensor *padded(tiny_ctx *t) { return tiny_pad(ints(t, TINY_SHAPE(9, 13)), TINY_SHAPE(1, 2, 0, 3), 0); }
static tiny_tensor *transposed(tiny_ctx *t) { return tiny_add(tiny_transpose(ints(t, TINY_SHAPE(24, 17)), 0, 1), ints(t, TINY_SHAPE(24))); }
static tiny_tensor *sum_of_rows(tiny_ctx *t) { return tiny_sum(ints(t, TINY_SHAPE(6, 48)), 1, 0); }
static tiny_tensor *sum_of_columns(tiny_ctx *t) { return tiny_sum(ints(t, TINY_SHAPE(31, 20)), 0, 0); }
static tiny_tensor *largest(tiny_ctx *t) { return tiny_amax(tiny_cast(ints(t, TINY_SHAPE(7, 5, 11)), TINY_I32), TINY_ALL, 0); }
static tiny_tensor *matmul(tiny_ctx *t) {
  return tiny_relu(tiny_add(tiny_matmul(ints(t, TINY_SHAPE(16, 24)), ints(t, TINY_SHAPE(24, 32))), ints(t, TINY_SHAPE(32))));
}
static tiny_tensor *matmul_odd(tiny_ctx *t) { return tiny_matmul(ints(t, TINY_SHAPE(3, 13, 7)), ints(t, TINY_SHAPE(7, 19))); }
static tiny_tensor *matvec(tiny_ctx *t) { return tiny_matmul(ints(t, TINY_SHAPE(1, 40)), ints(t, TINY_SHAPE(40, 37))); }
static tiny_tensor *softmax(tiny_ctx *t) { return tiny_softmax(ints(t, TINY_SHAPE(5, 32)), -1); }
static tiny_tensor *conv2d(tiny_ctx *t) { return tiny_conv2d(ints(t, TINY_SHAPE(2, 3, 8, 8)), ints(t, TINY_SHAPE(4, 3, 3, 3)), NULL, NULL); }
static tiny_tensor *conv2d_padded(tiny_ctx *t) {
  tiny_conv_desc d;
  memset(&d, 0, sizeof d);
  d.pad[0] = d.pad[1] = 1; d.stride[0] = d.stride[1] = 2; d.groups = 2;
  return tiny_conv2d(ints(t, TINY_SHAPE(1, 4, 9, 7)), ints(t, TINY_SHAPE(6, 2, 2, 2)), NULL, &d);
}
static tiny_tensor *triangle(tiny_ctx *t) { return tiny_matmul(tiny_tril(ints(t, TINY_SHAPE(2, 16, 20)), 0), ints(t, TINY_SHAPE(20, 12))); }
static tiny_tensor *triangle_sums(tiny_ctx *t) { return tiny_sum(tiny_triu(ints(t, TINY_SHAPE(24, 18)), 1), 0, 0); }
static tiny_tensor *layer_norm(tiny_ctx *t) { return tiny_layer_norm(ints(t, TINY_SHAPE(6, 20)), 1, NULL, NULL, 1e-5); }
static tiny_tensor *place_of_largest(tiny_ctx *t) { return tiny_argmax(ints(t, TINY_SHAPE(5, 33)), 1, 0); }
static tiny_tensor *lookup(tiny_ctx *t) {
  const int32_t at[6] = {3, 0, 8, 8, 1, 5};
  return tiny_index_select(ints(t, TINY_SHAPE(9, 20)), 0, tiny_from(t, at, TINY_I32, TINY_SHAPE(6)));
}
static tiny_tensor *running_sum(tiny_ctx *t) { return tiny_cumsum(ints(t, TINY_SHAPE(8, 16, 16)), 1); }
static tiny_tensor *halves(tiny_ctx *t) { return tiny_matmul(tiny_cast(ints(t, TINY_SHAPE(16, 32)), TINY_BF16), tiny_cast(ints(t, TINY_SHAPE(32, 24)), TINY_BF16)); }
static tiny_tensor *bytes(tiny_ctx *t) {
  return tiny_matmul(tiny_cast(tiny_cast(ints(t, TINY_SHAPE(24, 64)), TINY_I8), TINY_I32), tiny_cast(tiny_cast(ints(t, TINY_SHAPE(64, 32)), TINY_I8), TINY_I32));
}
static tiny_tensor *scatter(tiny_ctx *t, int rows, int summands, int columns) {
  static int32_t at[90 * 33];
  tiny_tensor *x = ints(t, TINY_SHAPE(rows, columns)), *g = NULL;
  for (int i = 0; i < summands * columns; i++) at[i] = i * 7 % rows;
  tiny_tensor *read = tiny_gather(x, 0, tiny_from(t, at, TINY_I32, TINY_SHAPE(summands, columns)));
  tiny_grad(tiny_sum(tiny_mul(read, ints(t, TINY_SHAPE(summands, columns))), TINY_ALL, 0), &x, 1, &g);
  return g;
}
static tiny_tensor *few_sums_into(tiny_ctx *t) { return scatter(t, 17, 12, 5); }
static tiny_tensor *sums_into(tiny_ctx *t) { return scatter(t, 400, 90, 33); }       // large enough for a grid
static tiny_tensor *attention(tiny_ctx *t) {
  tiny_tensor *q = ints(t, TINY_SHAPE(16, 8)), *k = ints(t, TINY_SHAPE(8, 24)), *v = ints(t, TINY_SHAPE(24, 12));
  return tiny_matmul(tiny_softmax(tiny_mul_scalar(tiny_matmul(q, k), 0.125), -1), v);
}
static tiny_tensor *attention_of_halves(tiny_ctx *t) {       // rows, keys and columns that units of warps take
  tiny_tensor *q = tiny_cast(ints(t, TINY_SHAPE(64, 32)), TINY_F16), *k = tiny_cast(ints(t, TINY_SHAPE(32, 64)), TINY_F16),
              *v = tiny_cast(ints(t, TINY_SHAPE(64, 8)), TINY_F16), *all[3] = {q, k, v};
  tiny_realize(all, 3);
  q = tiny_mul_scalar(tiny_matmul(tiny_cast(q, TINY_F32), tiny_cast(k, TINY_F32)), 0.125);
  return tiny_matmul(tiny_cast(tiny_cast(tiny_softmax(q, -1), TINY_F16), TINY_F32), tiny_cast(v, TINY_F32));
}
static const struct { const char *name; tiny_tensor *(*make)(tiny_ctx *t); double tolerance; } subjects[] = {
  {"elementwise", elementwise, 0}, {"padded", padded, 0}, {"transposed", transposed, 0}, {"sum of rows", sum_of_rows, 0},
  {"sum of columns", sum_of_columns, 0}, {"largest", largest, 0}, {"matmul", matmul, 0}, {"odd matmul", matmul_odd, 0},
  {"matvec", matvec, 0}, {"softmax", softmax, 1e-6}, {"conv2d", conv2d, 0}, {"lookup", lookup, 0}, {"running sum", running_sum, 0},
  {"halves", halves, 0}, {"bytes", bytes, 0}, {"few sums into", few_sums_into, 0},
  {"padded conv2d", conv2d_padded, 0}, {"triangle", triangle, 0}, {"sums of a triangle", triangle_sums, 0}, {"layer_norm", layer_norm, 1e-5},
  {"place of largest", place_of_largest, 0},
  {"sums into", sums_into, 0}, {"attention", attention, 1e-4},
  {"attention of halves", attention_of_halves, 1e-2}};
enum { GRID_SUBJECTS = sizeof subjects / sizeof *subjects, SUBJECTS = GRID_SUBJECTS - 2 };     // the last two are one kernel each on a grid alone

// ** targets: what they are decides what the heuristics choose **

static const tiny_matrix_unit units[] = {{4, 4, 8, 2, TINY_BF16, TINY_BF16, TINY_F32, {"a", "b", "c"}, {"", "", ""}, "", "", ""}};
typedef struct machine { int threads, vector_nbytes, registers; size_t cache, shared; int rich, most; } machine;   // rich: DOTs and matrix units; most: of a dim
static const machine machines[] = {{1, 32, 16, 1 << 16, 0, 0, 0}, {1, 16, 16, 1 << 20, 0, 0, 0}, {1, 64, 32, 1 << 20, 0, 0, 0}, {1, 64, 32, 1 << 20, 0, 1, 0}, {1, 32, 16, 1 << 12, 0, 0, 0},
  {0, 0, 0, 0, 48 << 10, 0, 0}, {0, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 4 << 10, 0, 7},
  {0, 16, 255, 0, 48 << 10, 0, 0},
  {1, 32, 16, 1 << 20, 1 << 10, 0, 0}};       // tasks with less memory of a group than caches ask for
enum { MACHINES = sizeof machines / sizeof *machines };

typedef struct place { tiny_limits limits; tiny_renderer renderer; tn_target target; } place;
static void place_at(tiny_ctx *t, const machine *m, place *p) {
  memset(p, 0, sizeof *p);
  p->limits = t->device[0]->limits;
  p->limits.threads = m->threads; p->limits.vector_nbytes = m->vector_nbytes; p->limits.vector_registers = m->registers;
  p->limits.cache_nbytes = m->cache; p->limits.shared_nbytes = m->shared; p->limits.local_total = m->threads ? 0 : 256;
  p->limits.warp = !m->threads && m->shared > 8 << 10 ? 32 : 0;          // whose lanes exchange values
  for (int d = 0; d < 3; d++) { p->limits.global_max[d] = 100 * m->most; p->limits.local_max[d] = m->most; }
  if (!m->threads && m->registers == 255) p->limits.units = tiny_warp_units("sm_80", &p->limits.nunits);
  if (m->rich) {
    tn_lang_c(&p->renderer);
    p->renderer.dots = 1u << TINY_DOT_U8_I8 | 1u << TINY_DOT_BF16 | 1u << TINY_DOT_I16;
    p->renderer.units = units; p->renderer.nunits = 1;
  }
  p->target.renderer = m->rich ? &p->renderer : NULL; p->target.limits = &p->limits;
}
#endif
