// narrow: products of bf16 and of bytes (accumulated in i32) against oneDNN; of f16, which oneDNN multiplies on few
// CPUs, against ours of f32. A part of bench.c.
//
// Both read plain row-major matrices; the note tells what oneDNN needs when the second one was packed beforehand.

static uint16_t bf16_of(float x) {
  uint32_t bits;
  memcpy(&bits, &x, 4);
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
#ifdef BENCH_ONEDNN
static double bf16_value(uint16_t x) {
  const uint32_t bits = (uint32_t)x << 16;
  float f;
  memcpy(&f, &bits, 4);
  return (double)f;
}

static double narrow_result(const void *result, size_t i, int bytes) {
  return bytes ? (double)((const int32_t *)result)[i] : bf16_value(((const uint16_t *)result)[i]);
}
#endif

static void bench_narrow_product(int64_t n, int bytes, mean *all) {
  char name[64];
  const size_t count = (size_t)(n * n), item = bytes ? 1 : 2, result = bytes ? 4 : 2;
  snprintf(name, sizeof name, "%s matmul %lld", bytes ? "int8" : "bf16", (long long)n);
  if (!wanted(name)) return;
  char *a = malloc(count * item), *b = malloc(count * item), *c = malloc(count * result);
  for (size_t i = 0; i < count; i++) {
    const float x = number((uint32_t)i, 1, 2), y = number((uint32_t)i, 2, 2);
    if (bytes) { a[i] = (char)(int)(x * 127); b[i] = (char)(int)(y * 127); }
    else { ((uint16_t *)(void *)a)[i] = bf16_of(x); ((uint16_t *)(void *)b)[i] = bf16_of(y); }
  }
  tiny_ctx *t = tiny_open(&(tiny_desc){.device = device});
  const tiny_dtype type = bytes ? TINY_I8 : TINY_BF16;
  tiny_tensor *in[2] = {tiny_from(t, a, type, TINY_SHAPE(n, n)), tiny_from(t, b, type, TINY_SHAPE(n, n))}, *out;
  tiny_tensor *x = bytes ? tiny_cast(in[0], TINY_I32) : in[0], *w = bytes ? tiny_cast(in[1], TINY_I32) : in[1];
  tiny_tensor *y = tiny_matmul(x, w);
  program ours = {t, tiny_capture(t, in, 2, &y, 1), in};
  racer r[3] = {{.name = "tiny", .run = program_run, .arg = &ours}};
  const double work = 2e-9 * (double)count * (double)n;
#ifdef BENCH_ONEDNN
  onednn_op op[2];
  const int peer = onednn_matmul(&op[0], n, bytes, 0), packed = peer && onednn_matmul(&op[1], n, bytes, 1);
  for (int i = 0; i < peer + packed; i++) {
    r[1 + i] = (racer){.name = "oneDNN", .run = onednn_run, .arg = &op[i], .foreign = 1};
    memcpy(onednn_data(&op[i], 0), a, count * item);
    memcpy(onednn_data(&op[i], 1), b, count * item);         // packed: some order of the same numbers
  }
#else
  const int peer = onednn_here(), packed = 0;
#endif
  if (!failed(t)) {
    tiny_run(ours.p, in, &out);
    tiny_read(out, c, count * result);
    race(r, 1 + peer + packed, work);
    if (!peer) state(name, median(&r[0].rate), "GFLOPS", 0, 1, "");
#ifdef BENCH_ONEDNN
    else {
      double apart = 0, greatest = 0;
      const void *theirs = onednn_data(&op[0], 2);
      for (size_t i = 0; i < count; i++) {
        const double p = narrow_result(c, i, bytes), q = narrow_result(theirs, i, bytes);
        apart = fmax(apart, fabs(p - q));
        greatest = fmax(greatest, fabs(q));
      }
      compare(name, &r[0].rate, &r[1].rate, 0.85, "%.0f of %.0f GFLOPS (packed before: %.0f); %.1g apart",
              median(&r[0].rate), median(&r[1].rate), packed ? median(&r[2].rate) : 0, apart / greatest);
      mean_add(all, ratio(&r[0].rate, &r[1].rate));
    }
    for (int i = 0; i < peer + packed; i++) onednn_free(&op[i]);
#endif
  }
  (void)all;
  tiny_close(t);
  free(a); free(b); free(c);
}

// Sums are f32 for both.
static void bench_half_product(int64_t n) {
  char name[64];
  snprintf(name, sizeof name, "f16 matmul %lld : f32", (long long)n);
  if (!wanted(name)) return;
  tiny_ctx *t = tiny_open(&(tiny_desc){.device = device});
  tiny_tensor *in[2][2];
  program ours[2];
  racer r[2] = {{.name = "f16"}, {.name = "f32"}};
  for (int single = 0; single < 2; single++) {
    for (int i = 0; i < 2; i++)
      in[single][i] = tiny_cast(numbers_tensor(t, TINY_SHAPE(n, n), (uint32_t)i + 1, 2, 0),
                                single ? TINY_F32 : TINY_F16);
    tiny_realize(in[single], 2);
    tiny_tensor *y = tiny_matmul(in[single][0], in[single][1]);
    ours[single] = (program){t, tiny_capture(t, in[single], 2, &y, 1), in[single]};
    r[single].run = program_run; r[single].arg = &ours[single];
  }
  if (!failed(t)) {
    race(r, 2, 2e-9 * (double)n * (double)n * (double)n);
    compare(name, &r[0].rate, &r[1].rate, 0, "%.0f of %.0f GFLOPS", median(&r[0].rate), median(&r[1].rate));
  }
  tiny_close(t);
}

static void bench_narrow(void) {
  mean all = {0, 0};
  heading("narrow: products of bf16 and int8 matrices against oneDNN");
  for (int bytes = 0; bytes < 2; bytes++)
    for (int64_t n = 1024; n <= 2048; n *= 2) bench_narrow_product(n, bytes, &all);
  report_mean("narrow, mean", &all, 0.85);
  for (int64_t n = 1024; n <= 2048; n *= 2) bench_half_product(n);
}
