// moves: reductions of 1 GiB against reading, and what only moves memory against copying it. A part of bench.c.
//
// Reading and copying are hand-written loops over the same arrays in the same rounds. Bytes are those that must pass:
// inputs once, outputs once. Two arrays 256 MiB apart lie in the same banks of memory, and reading them side by side
// takes half as long again: a page between them parts them.
enum { PAGE = 1024, MOVE_FLOATS = 1 << 26, MOVE_SIDE = 8192, ROW = 768, TABLE = 50257, LOOKUPS = 65536 };

static void bench_reductions(mean *all) {
  static const struct { const char *name; tiny_tensor *(*f)(tiny_tensor *x, int axis, int keepdim); } folds[] = {
    {"sum of 1 GiB", tiny_sum}, {"mean of 1 GiB", tiny_mean}, {"max of 1 GiB", tiny_amax},
    {"argmax of 1 GiB", tiny_argmax}
  };
  const size_t n = (size_t)4 * MOVE_FLOATS;
  float *x = big_array(n * 4);
  if (!x) { printf("  no memory for 1 GiB\n"); return; }
  for (size_t i = 0; i < n; i++) x[i] = (float)(i * 2654435761u % 65521) * 0.001f;
  tiny_ctx *t = tiny_open(&(tiny_desc){.device = device});
  tiny_tensor *in = tiny_blob(t, x, TINY_F32, TINY_SHAPE((int64_t)n), NULL);
  const double nbytes = 4.0 * (double)n;
  for (size_t i = 0; i < sizeof folds / sizeof *folds; i++)
    bench_loops(t, folds[i].name, folds[i].f(in, TINY_ALL, 0), &in, 1, nbytes, hand_sum, (hand_args){NULL, x, NULL}, n,
                nbytes, 0.9, all);
  tiny_close(t);
  free_array(x, n * 4);
}

static void bench_copies(mean *all) {
  const size_t n = MOVE_FLOATS;
  float *x = big_array((3 * n + PAGE) * 4);
  if (!x) { printf("  no memory for 768 MiB\n"); return; }
  for (size_t i = 0; i < 3 * n + PAGE; i++) x[i] = (float)(i & 1023) * 0.001f;
  int32_t *row = malloc(LOOKUPS * sizeof *row);
  for (uint32_t i = 0; i < LOOKUPS; i++) row[i] = (int32_t)((number(i, 5, 1) + 0.5f) * TABLE) % TABLE;
  tiny_ctx *t = tiny_open(&(tiny_desc){.device = device});
  const hand_args a = {x + 2 * n + PAGE, x, NULL};
  const double one = 4.0 * (double)n;
  tiny_tensor *in[2], *half[2];
  for (size_t i = 0; i < 2; i++) {
    in[i] = tiny_blob(t, x + i * (n + PAGE), TINY_F32, TINY_SHAPE(MOVE_SIDE, MOVE_SIDE), NULL);
    half[i] = tiny_blob(t, x + i * (n + PAGE), TINY_F32, TINY_SHAPE(MOVE_SIDE, MOVE_SIDE / 2), NULL);
  }
  tiny_tensor *axpy = tiny_add(tiny_mul(in[0], tiny_like(in[0], 1.5)), in[1]);
  bench_loops(t, "axpy, 256 MiB", axpy, in, 2, 3 * one, hand_copy, a, n, 2 * one, 0.9, all);
  bench_loops(t, "transpose 8192 x 8192", tiny_contiguous(tiny_transpose(in[0], 0, 1)), in, 1, 2 * one, hand_copy, a, n,
              2 * one, 0.7, all);
  bench_loops(t, "concat of rows, 256 MiB", tiny_cat(half, 2, 0), half, 2, 2 * one, hand_copy, a, n, 2 * one, 0.9, all);
  bench_loops(t, "concat of columns, 256 MiB", tiny_cat(half, 2, 1), half, 2, 2 * one, hand_copy, a, n, 2 * one, 0.9,
              all);
  tiny_tensor *lookup[2] = {tiny_from(t, row, TINY_I32, TINY_SHAPE(LOOKUPS)),
                            tiny_blob(t, x, TINY_F32, TINY_SHAPE(TABLE, ROW), NULL)};
  bench_loops(t, "embedding, 65536 rows of 768", tiny_embedding(lookup[0], lookup[1], -1), lookup, 2,
              8.0 * LOOKUPS * ROW + 4.0 * LOOKUPS, hand_copy, a, n, 2 * one, 0.9, all);
  tiny_close(t);
  free(row);
  free_array(x, (3 * n + PAGE) * 4);
}

// What is not a walk along rows, against reading or copying as much. No bars: sorting is no copy.
static void bench_columns(void) {
  enum { N = 1 << 24, SIDE = 4096, PICKS = 1 << 22 };
  float *x = big_array((size_t)2 * N * 4);
  int32_t *at = malloc(PICKS * sizeof *at);
  if (!x || !at) { printf("  no memory for 128 MiB\n"); free(at); free_array(x, (size_t)2 * N * 4); return; }
  for (uint32_t i = 0; i < 2 * N; i++) x[i] = number(i, 6, 2);
  for (uint32_t i = 0; i < PICKS; i++) at[i] = (int32_t)((number(i, 7, 1) + 0.5f) * N) % N;
  tiny_ctx *t = tiny_open(&(tiny_desc){.device = device});
  const hand_args a = {x + N, x, NULL};
  const double whole = 4.0 * N, million = 4.0 * (1 << 20);
  tiny_tensor *square = tiny_blob(t, x, TINY_F32, TINY_SHAPE(SIDE, SIDE), NULL);
  tiny_tensor *tall = tiny_blob(t, x, TINY_F32, TINY_SHAPE(N / 64, 64), NULL);
  tiny_tensor *line = tiny_blob(t, x, TINY_F32, TINY_SHAPE(N), NULL);
  tiny_tensor *part = tiny_blob(t, x, TINY_F32, TINY_SHAPE(1 << 20), NULL);
  tiny_tensor *picks[2] = {line, tiny_blob(t, at, TINY_I32, TINY_SHAPE(PICKS), NULL)};
  const struct { const char *name; tiny_tensor *y, *in; double nbytes; const hand_loop *loops; } each[] = {
    {"sum down 4096 x 4096", tiny_sum(square, 0, 0), square, whole, hand_sum},
    {"argmax down 4096 x 4096", tiny_argmax(square, 0, 0), square, whole, hand_sum},
    {"sum down 262144 x 64", tiny_sum(tall, 0, 0), tall, whole, hand_sum},
    {"argmax down 262144 x 64", tiny_argmax(tall, 0, 0), tall, whole, hand_sum},
    {"cumsum along 4096 x 4096", tiny_cumsum(square, 1), square, 2 * whole, hand_copy},
    {"cumsum down 4096 x 4096", tiny_cumsum(square, 0), square, 2 * whole, hand_copy},
    {"cumsum of 16 Mi", tiny_cumsum(line, 0), line, 2 * whole, hand_copy},
    {"sort of 1 Mi", tiny_sort(part, 0, 0, NULL), part, 2 * million, hand_copy},
    {"topk 100 of 1 Mi", tiny_topk(part, 100, 0, 1, NULL), part, million, hand_sum},
  };
  for (size_t i = 0; i < sizeof each / sizeof *each; i++)
    bench_loops(t, each[i].name, each[i].y, &each[i].in, 1, each[i].nbytes, each[i].loops, a, N,
                (each[i].loops == hand_copy ? 2 : 1) * whole, 0, NULL);
  bench_loops(t, "gather 4 Mi of 16 Mi", tiny_gather(line, 0, picks[1]), picks, 2, 12.0 * PICKS, hand_copy, a, N,
              2 * whole, 0, NULL);
  tiny_close(t);
  free(at);
  free_array(x, (size_t)2 * N * 4);
}

static void bench_moves(void) {
  mean all = {0, 0};
  heading("moves: reductions against reading, moves against copying");
  bench_reductions(&all);
  bench_copies(&all);
  bench_columns();
  report_mean("moves, mean", &all, 0.9);
}
