// linalg: what factorisations cost: the first call of a context that compiles everything, and later ones. A part of
// bench.c.

typedef struct factorisation { const char *name; tiny_tensor *(*of)(tiny_tensor *x, tiny_tensor **more); } factorisation;
static tiny_tensor *svd_of(tiny_tensor *x, tiny_tensor **more) {
  tiny_tensor *s;
  return tiny_svd(x, more ? more : &s, NULL);
}
static tiny_tensor *eigh_of(tiny_tensor *x, tiny_tensor **more) {
  return tiny_eigh(tiny_add(x, tiny_transpose(x, 0, 1)), more);
}
// Milliseconds of one factorisation of a matrix that has not been seen.
static double factor_time(tiny_ctx *t, const factorisation *f, tiny_tensor *x, double k) {
  tiny_begin(t);
  tiny_tensor *of = tiny_mul(x, tiny_scalar(t, k, TINY_F32)), *out[2];
  const double start = seconds();
  out[0] = f->of(of, &out[1]);
  tiny_realize(out, 2);
  tiny_end(t);
  return (seconds() - start) * 1e3;
}

static void bench_linalg(void) {
  static const factorisation all[] = {{"svd", svd_of}, {"eigh", eigh_of}};
  static const struct { int n; double warm; } sizes[] = {{64, 50}, {256, 2000}};
  heading("factorisations of one f32 matrix, with vectors");
  for (int i = 0; i < 2; i++) for (int k = 0; k < 2; k++) {
    series first = {{0}, 0}, warm = {{0}, 0};
    char name[64];
    tiny_ctx *t = tiny_open(&(tiny_desc){.cache_dir = ""});
    const int64_t n = sizes[k].n;
    tiny_tensor *x = random_tensor(t, TINY_SHAPE(n, n));
    add(&first, factor_time(t, &all[i], x, 1));
    for (int r = 0; r < 5; r++) add(&warm, factor_time(t, &all[i], x, 2 + r));
    if (!failed(t)) {
      snprintf(name, sizeof name, "%s of (%d,%d)", all[i].name, (int)n, (int)n);
      report(name, &warm, "ms", sizes[k].warm, "");
      snprintf(name, sizeof name, "%s of (%d,%d), first call", all[i].name, (int)n, (int)n);
      report(name, &first, "ms", sizes[k].warm + 1000, "compiles its kernels");
    }
    tiny_close(t);
  }
}
