// bandwidth: loops over big arrays against hand-written ones. A part of bench.c.

// y from the inputs, nbytes in all, against the best of loops over n floats of a, which passes loop_nbytes. all: a
// mean that the ratio goes to, or NULL.
static void bench_loops(tiny_ctx *t, const char *name, tiny_tensor *y, tiny_tensor *const *in, int nin, double nbytes,
                        const hand_loop *loops, hand_args a, size_t n, double loop_nbytes, double bar, mean *all) {
  hand_job job[RACERS];
  if (!wanted(name)) return;
  program ours = {t, tiny_capture(t, in, nin, &y, 1), in};
  racer r[RACERS] = {{.name = "tiny", .run = program_run, .arg = &ours}};
  if (failed(t)) return;
  const int count = hand_racers(r + 1, job, t, loops, a, n);
  race(r, 1 + count, 1e-9);
  for (int i = 0; i <= count; i++) for (int k = 0; k < r[i].rate.n; k++) r[i].rate.v[k] *= i ? loop_nbytes : nbytes;
  const racer *best = fastest(r + 1, count);
  compare(name, &r[0].rate, &best->rate, bar, "%.1f of %.1f GB/s (%s, %d parts)", median(&r[0].rate),
          median(&best->rate), best->name, ((hand_job *)best->arg)->parts);
  if (all) mean_add(all, ratio(&r[0].rate, &best->rate));
  tiny_program_free(ours.p);
}

static void bench_bandwidth(void) {
  const size_t big = (size_t)1 << 28, n = (size_t)1 << 26;      // floats: 1 GiB, 256 MiB
  float *x = big_array(big * 4), *y = big_array(n * 4), *z = big_array(n * 4);
  heading("bandwidth: against the best of several hand-written loops on the same threads and memory");
  if (!x || !y || !z) { printf("  no memory for 1.5 GiB\n"); return; }
  for (size_t i = 0; i < big; i++) x[i] = (float)(i & 1023) * 0.001f;
  for (size_t i = 0; i < n; i++) { y[i] = 0; z[i] = x[i]; }
  tiny_ctx *t = tiny_open(&(tiny_desc){.device = device});
  const tiny_shape all_shape = TINY_SHAPE((int64_t)big), shape = TINY_SHAPE((int64_t)n);
  tiny_tensor *all = tiny_blob(t, x, TINY_F32, all_shape, NULL);
  tiny_tensor *in[2] = {tiny_blob(t, x, TINY_F32, shape, NULL), tiny_blob(t, z, TINY_F32, shape, NULL)};
  tiny_tensor *one = tiny_like(in[0], 1), *two = tiny_like(in[0], 2), *three = tiny_like(in[0], 3);
  tiny_tensor *scale = tiny_add(tiny_mul(in[0], two), one), *triad = tiny_add(tiny_mul(in[0], two), in[1]);
  tiny_tensor *product = tiny_relu(tiny_mul(scale, tiny_sub(in[0], three)));
  tiny_tensor *chain = tiny_add(tiny_mul(product, tiny_like(in[0], 0.5)), in[0]);
  tiny_tensor *rows = tiny_softmax(tiny_reshape(in[0], TINY_SHAPE(8192, 8192)), -1);
  const hand_args sum = {NULL, x, NULL}, a = {y, x, z};
  const double nbytes = 4.0 * (double)n;
  tiny_tensor *whole = tiny_sum(all, TINY_ALL, 0);
  bench_loops(t, "sum of 1 GiB", whole, &all, 1, 4.0 * (double)big, hand_sum, sum, big, 4.0 * (double)big, 0.9, NULL);
  bench_loops(t, "x * 2 + 1, 256 MiB", scale, in, 1, 2 * nbytes, hand_scale, a, n, 2 * nbytes, 0.9, NULL);
  bench_loops(t, "x * 2 + z, 256 MiB", triad, in, 2, 3 * nbytes, hand_triad, a, n, 3 * nbytes, 0.9, NULL);
  bench_loops(t, "relu((2x+1)(x-3)) / 2 + x, 256 MiB", chain, in, 1, 2 * nbytes, hand_chain, a, n, 2 * nbytes,
              0.9, NULL);
  bench_loops(t, "softmax of (8192, 8192) : x * 2 + 1", rows, in, 1, 2 * nbytes, hand_scale, a, n, 2 * nbytes, 0, NULL);
  tiny_close(t);
  free_array(x, big * 4); free_array(y, n * 4); free_array(z, n * 4);
}
