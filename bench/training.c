// training: one step of a transformer (6 layers, 384 wide, batch 8 x 128, Adam) against PyTorch, against the FMA
// peak, and the memory it takes against what its schedule needs at least. A part of bench.c.
static void bench_transformer(void) {
  static transformer m;
  heading("training: a step of a transformer, 6 layers, 384 wide, batch 8 x 128, Adam");
  tiny_ctx *t = tiny_open(&(tiny_desc){.device = device});
  transformer_new(&m, t);
  transformer_step(&m);
  float loss = (float)m.loss;
  const double work = transformer_flops() * 1e-9;
  racer r[2] = {{.name = "tiny", .run = transformer_step, .arg = &m}};
  if (!failed(t)) {
    double as_it_comes = 0;
    const int torches = torch_best_racer(&r[1], "transformer", &as_it_comes);
    const double apart = torches ? torch_apart(&r[1], &loss, 1) : 0;
    transformer_step(&m);
    const uint64_t before = tiny_stats_of(t).kernels;
    transformer_step(&m);
    const int kernels = (int)(tiny_stats_of(t).kernels - before);
    race(r, 1 + torches, work);
    const double ms = 1e3 * work / median(&r[0].rate);
    if (torches)
      compare("training step : PyTorch", &r[0].rate, &r[1].rate, 1,
              "%.0f of %.0f ms (%s; %.0f as it comes); %d kernels; loss %.5f, %.1g apart", ms,
              1e3 * work / median(&r[1].rate), r[1].name, as_it_comes, kernels, (double)loss, apart);
    state("training step : FMA peak", median(&r[0].rate) / limits.gflops, "x", torches ? 0 : 0.45, 1,
          "%.0f ms for %.1f GFLOP of matmuls", ms, work);
    const tiny_stats s = tiny_stats_of(t);
    const double least = (double)(s.nbytes_live + s.nbytes_arena_least), mb = 1e-6;
    state("training step: peak of memory", (double)s.nbytes_peak / least, "x", 1.1, 0,
          "%.1f MB; %.1f live, %.1f alive at once in its schedule, %.1f its arena", (double)s.nbytes_peak * mb,
          (double)s.nbytes_live * mb, (double)s.nbytes_arena_least * mb, (double)s.nbytes_arena * mb);
  }
  tiny_optim_free(&m.adam);
  tiny_close(t);
}
