// attention: 8 heads of 2048 x 64, forward and backward, against PyTorch's two matmuls and softmax; and the
// memory it takes. A part of bench.c.
enum { HEADS = 8, HEAD = 64 };

// q, k, v -> the result, or the gradients of all three for the gradient `g` of the result.
static int attention_graph(tiny_ctx *t, int64_t length, int causal, int backward, tiny_tensor **in,
                           tiny_tensor **out) {
  const tiny_attention_desc d = {.causal = causal};
  const tiny_shape s = TINY_SHAPE(HEADS, length, HEAD);
  for (uint32_t i = 0; i < 4; i++) in[i] = numbers_tensor(t, s, 1 + i, 2, 0);
  out[0] = tiny_attention(in[0], in[1], in[2], &d);
  if (!backward) return 1;
  tiny_grad(tiny_sum(tiny_mul(out[0], in[3]), TINY_ALL, 0), in, 3, out);
  return 3;
}

// Bytes beyond inputs and outputs that one pass takes at its peak.
static double attention_memory(int64_t length, int causal, int backward) {
  tiny_ctx *t = tiny_open(&(tiny_desc){.device = device});
  tiny_tensor *in[4], *out[3];
  const int n = attention_graph(t, length, causal, backward, in, out);
  tiny_realize(in, 4);
  tiny_realize(out, n);
  const tiny_stats s = tiny_stats_of(t);
  const double ends = (4.0 + n) * 4 * HEADS * HEAD * (double)length;
  const double nbytes = failed(t) ? (double)NAN : (double)s.nbytes_peak - ends;
  tiny_close(t);
  return nbytes;
}

static void bench_attention_pass(int causal, int backward, mean *all) {
  enum { LENGTH = 2048 };
  char name[64], what[64], line[96];
  snprintf(name, sizeof name, "attention%s%s", causal ? ", causal" : "", backward ? ", with gradients" : "");
  if (!wanted(name)) return;
  static float first[1000];
  tiny_ctx *t = tiny_open(&(tiny_desc){.device = device});
  tiny_tensor *in[4], *out[3], *result[3];
  const int n = attention_graph(t, LENGTH, causal, backward, in, out);
  program ours = {t, tiny_capture(t, in, backward ? 4 : 3, out, n), in};   // in[3]: the gradient that comes in
  racer r[2] = {{.name = "tiny", .run = program_run, .arg = &ours}};
  const double work = (backward ? 14.0 : 4.0) * LENGTH * LENGTH * HEADS * HEAD * 1e-9 / (causal ? 2 : 1);
  if (!failed(t)) {
    tiny_run(ours.p, in, result);
    tiny_read(tiny_narrow(tiny_flatten(result[0], 0, -1), 0, 0, 1000), first, sizeof first);
    snprintf(what, sizeof what, "attention %d %d %d", LENGTH, causal, backward);
    double as_it_comes = 0;
    const int torches = torch_best_racer(&r[1], what, &as_it_comes);
    const double apart = torches ? torch_apart(&r[1], first, 1000) : 0;
    race(r, 1 + torches, work);
    const double share = median(&r[0].rate) / limits.gflops;
    if (torches) {
      compare(name, &r[0].rate, &r[1].rate, backward ? 0 : 3,
              "%.1f of %.1f ms (%s; %.0f as it comes); %.2f of the FMA peak; %.1g apart",
              1e3 * work / median(&r[0].rate), 1e3 * work / median(&r[1].rate), r[1].name, as_it_comes, share, apart);
      if (!backward) mean_add(all, ratio(&r[0].rate, &r[1].rate));
      torch_drop(&r[1]);
    } else state(name, 1e3 * work / median(&r[0].rate), "ms", 0, 0, "%.2f of the FMA peak", share);
  }
  tiny_close(t);
  const double m[2] = {attention_memory(LENGTH, causal, backward), attention_memory(2 * LENGTH, causal, backward)};
  snprintf(line, sizeof line, "%s: memory", name);
  state(line, m[1] > 0 ? m[1] / fmax(m[0], 1 << 20) : 0, "x", 2.2, 0,
        "%.1f MB beside inputs and outputs, %.1f MB for twice the length", m[0] * 1e-6, m[1] * 1e-6);
}

static void bench_attention(void) {
  mean all = {0, 0};
  heading("attention: 8 heads of 2048 x 64 against PyTorch's two matmuls and softmax");
  for (int backward = 0; backward < 2; backward++)
    for (int causal = 0; causal < 2; causal++) bench_attention_pass(causal, backward, &all);
  report_mean("attention forward, mean", &all, 3);
}
