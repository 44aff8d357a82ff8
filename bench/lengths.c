// lengths: dims whose length is known at launch against dims of that length. A part of bench.c.
//
// Each row runs one program at the greatest length and one at half of it, captured once for all lengths, beside
// programs of those fixed shapes, in the same rounds. Then what it costs to plan a block of a transformer and its
// gradients by a length, against those of a fixed shape.
enum { LENGTH_MOST = 4096, LENGTH_WIDE = 256, LENGTH_HEAD = 64 };
enum { LENGTH_PLANNED = 512, LENGTH_PLANNED_WIDE = 64, LENGTH_WEIGHTS = 6 };

static tiny_tensor *lengths_weights, *lengths_filter, *lengths_query;
static tiny_tensor *lengths_exp(tiny_tensor *x) { return tiny_exp(x); }
static tiny_tensor *lengths_cumsum(tiny_tensor *x) { return tiny_cumsum(x, 0); }
static tiny_tensor *lengths_matmul(tiny_tensor *x) { return tiny_matmul(x, lengths_weights); }
static tiny_tensor *lengths_gram(tiny_tensor *x) { return tiny_matmul(tiny_transpose(x, 0, 1), x); }
static tiny_tensor *lengths_softmax(tiny_tensor *x) { return tiny_softmax(tiny_transpose(x, 0, 1), 1); }
static tiny_tensor *lengths_layer_norm(tiny_tensor *x) { return tiny_layer_norm(x, 1, NULL, NULL, 1e-5); }
static tiny_tensor *lengths_conv(tiny_tensor *x) {
  return tiny_conv(tiny_transpose(x, 0, 1), lengths_filter, NULL, &(tiny_conv_desc){.pad = {1}});
}
static tiny_tensor *lengths_attention(tiny_tensor *x) { return tiny_attention(lengths_query, x, x, NULL); }
static tiny_tensor *lengths_causal(tiny_tensor *x) {
  x = tiny_slice(x, 1, 0, LENGTH_HEAD, 1);
  return tiny_attention(x, x, x, &(tiny_attention_desc){.causal = 1});
}
static tiny_tensor *lengths_sum(tiny_tensor *x) { return tiny_sum(x, TINY_ALL, 0); }

typedef struct lengths_run { tiny_program *p; tiny_tensor *in[2]; int n; double best; } lengths_run;
static lengths_run lengths_of(tiny_tensor *(*f)(tiny_tensor *x), tiny_tensor *x, tiny_tensor *n) {
  lengths_run r = {NULL, {x, n}, n ? 2 : 1, 1e9};
  tiny_tensor *y = f(n ? tiny_slice_to(x, 0, n) : x);
  r.p = tiny_capture(tiny_ctx_of(x), r.in, r.n, &y, 1);
  return r;
}
static void lengths_time(tiny_ctx *t, lengths_run *r) {
  tiny_tensor *y;
  tiny_begin(t);
  const double start = seconds();
  tiny_run(r->p, r->in, &y);
  tiny_realize(&y, 1);
  const double spent = seconds() - start;
  tiny_end(t);
  if (spent < r->best) r->best = spent;
}
// ** batches of a size that is new **

// Milliseconds for the loss and gradients of a network (784,128,10) on a batch, from its operators to its values.
static double shapes_step(tiny_ctx *t, tiny_tensor *const *w, tiny_tensor *x, tiny_tensor *n) {
  tiny_tensor *out[3] = {NULL};
  tiny_begin(t);
  const double start = seconds();
  if (n) x = tiny_with_length(x, 0, n);
  tiny_tensor *y = tiny_log_softmax(tiny_matmul(tiny_relu(tiny_matmul(x, w[0])), w[1]), 1);
  out[0] = tiny_mean(tiny_square(y), TINY_ALL, 0);
  tiny_grad(out[0], w, 2, out + 1);
  tiny_realize(out, 3);
  const double spent = seconds() - start;
  tiny_end(t);
  return 1e3 * spent;
}
// The first batch, and those of new sizes after it: as lengths of one plan, and as shapes.
static void bench_new_shapes(void) {
  enum { BATCH = 128, SIZES = 12 };
  if (!wanted("a batch of a new size")) return;
  printf("\na batch of a new size, planned and computed: nothing is on disk\n");
  for (int fixed = 0; fixed < 2; fixed++) {
    tiny_ctx *t = tiny_open(&(tiny_desc){.device = device, .cache_dir = ""});
    tiny_tensor *w[2] = {tiny_rand(t, TINY_SHAPE(784, 128)), tiny_rand(t, TINY_SHAPE(128, 10))};
    series new_size = {{0}, 0};
    double first = 0;
    tiny_realize(w, 2);
    for (int i = 0; i <= SIZES; i++) {
      const int64_t k = BATCH - 9 * i;
      tiny_tensor *x = tiny_rand(t, TINY_SHAPE(k, 784)), *n = tiny_length(t, k, 0, BATCH);
      tiny_realize(&x, 1);
      const double ms = shapes_step(t, w, x, fixed ? NULL : n);
      if (i) add(&new_size, ms); else first = ms;
    }
    printf("  %-22s first %8.2f ms, new %8.2f ms, %.4f of it\n", fixed ? "as a shape" : "as a length", first,
           median(&new_size), median(&new_size) / first);
    if (tiny_status(t) != TINY_OK) printf("  %s\n", tiny_error(t));
    tiny_close(t);
  }
}

// ** planning **

static tiny_tensor *lengths_block(tiny_tensor *x, tiny_tensor *const *w) {
  tiny_tensor *h = tiny_layer_norm(x, 1, NULL, NULL, 1e-5), *q = tiny_matmul(h, w[0]), *k = tiny_matmul(h, w[1]);
  h = tiny_attention(q, k, tiny_matmul(h, w[2]), &(tiny_attention_desc){.causal = 1});
  x = tiny_add(x, tiny_matmul(h, w[3]));
  h = tiny_layer_norm(x, 1, NULL, NULL, 1e-5);
  return tiny_add(x, tiny_matmul(tiny_gelu(tiny_matmul(h, w[4])), w[5]));
}
// Milliseconds of the processor to build and plan a block, gradients or not, kernels and all, without a compiler.
static double lengths_planning(int gradients, int by_length, int *kernels) {
  tiny_ctx *t = tiny_open(&(tiny_desc){.device = "NULL", .cache_dir = ""});
  const tiny_shape square = TINY_SHAPE(LENGTH_PLANNED_WIDE, LENGTH_PLANNED_WIDE);
  tiny_tensor *w[LENGTH_WEIGHTS], *out[LENGTH_WEIGHTS];
  tiny_tensor *x = random_tensor(t, TINY_SHAPE(LENGTH_PLANNED, LENGTH_PLANNED_WIDE));
  for (int i = 0; i < LENGTH_WEIGHTS; i++) w[i] = random_tensor(t, square);
  tiny_tensor *other = lengths_block(random_tensor(t, square), w);
  tiny_realize(&other, 1);                   // reads the rule sets
  const uint64_t before = tiny_stats_of(t).kernels;
  const clock_t start = clock();
  tiny_tensor *n = tiny_length(t, LENGTH_PLANNED, 0, LENGTH_PLANNED);
  out[0] = lengths_block(by_length ? tiny_slice_to(x, 0, n) : x, w);
  if (gradients) tiny_grad(tiny_mean(tiny_square(out[0]), TINY_ALL, 0), w, LENGTH_WEIGHTS, out);
  tiny_realize(out, gradients ? LENGTH_WEIGHTS : 1);
  const double ms = (double)(clock() - start) * 1e3 / CLOCKS_PER_SEC;
  *kernels = (int)(tiny_stats_of(t).kernels - before);
  failed(t);
  tiny_close(t);
  return ms;
}
static void bench_lengths_planning(void) {
  static const char *const names[] = {"planning a block", "planning its gradients"};
  for (int g = 0; g < 2; g++) {
    double best[2] = {1e9, 1e9};
    int kernels[2];
    if (!wanted(names[g])) continue;
    for (int k = 0; k < 4 * rounds; k++) for (int by = 0; by < 2; by++) {
      const double ms = lengths_planning(g, by, &kernels[by]);
      if (ms < best[by]) best[by] = ms;
    }
    printf("  %-22s %d kernels %8.3f ms, fixed %d kernels, %.2f of its time\n", names[g], kernels[1], best[1],
           kernels[0], best[1] / best[0]);
  }
}

static void bench_lengths(void) {
  static const struct { const char *name; tiny_tensor *(*f)(tiny_tensor *x); } rows[] = {
    {"exp", lengths_exp}, {"running sums", lengths_cumsum}, {"matmul, rows", lengths_matmul},
    {"matmul, summed", lengths_gram}, {"softmax along", lengths_softmax}, {"layer_norm, rows", lengths_layer_norm},
    {"convolution along", lengths_conv}, {"attention over keys", lengths_attention},
    {"attention, causal", lengths_causal}, {"sum of all", lengths_sum}
  };
  tiny_ctx *t = tiny_open(&(tiny_desc){.device = device});
  tiny_tensor *x = tiny_rand(t, TINY_SHAPE(LENGTH_MOST, LENGTH_WIDE));
  tiny_tensor *half = tiny_rand(t, TINY_SHAPE(LENGTH_MOST / 2, LENGTH_WIDE));
  lengths_weights = tiny_rand(t, TINY_SHAPE(LENGTH_WIDE, LENGTH_WIDE));
  lengths_filter = tiny_rand(t, TINY_SHAPE(32, LENGTH_WIDE, 3));
  lengths_query = tiny_rand(t, TINY_SHAPE(8, LENGTH_WIDE));
  tiny_tensor *all[5] = {x, half, lengths_weights, lengths_filter, lengths_query};
  tiny_realize(all, 5);
  printf("\nlengths up to %d, of rows of %d: time by a length against the fixed shape\n", (int)LENGTH_MOST,
         (int)LENGTH_WIDE);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (!wanted(rows[i].name)) continue;
    tiny_tensor *n[2] = {tiny_length(t, LENGTH_MOST, 0, LENGTH_MOST), tiny_length(t, LENGTH_MOST / 2, 0, LENGTH_MOST)};
    lengths_run r[4] = {lengths_of(rows[i].f, x, NULL), lengths_of(rows[i].f, x, n[0]),
                        lengths_of(rows[i].f, half, NULL), lengths_of(rows[i].f, x, n[1])};
    for (int k = 0; k < 8 * rounds; k++) for (int j = 0; j < 4; j++) lengths_time(t, &r[j]);
    printf("  %-22s full %8.3f ms, %.2f of fixed; half %8.3f ms, %.2f of fixed, %.2f of full\n", rows[i].name,
           1e3 * r[1].best, r[1].best / r[0].best, 1e3 * r[3].best, r[3].best / r[2].best, r[3].best / r[1].best);
    for (int j = 0; j < 4; j++) tiny_program_free(r[j].p);
  }
  if (tiny_status(t) != TINY_OK) printf("  %s\n", tiny_error(t));
  tiny_close(t);
  bench_lengths_planning();
  bench_new_shapes();
}
