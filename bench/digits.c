// digits: the same network trained by PyTorch. A part of bench.c.

// The number that follows the word; NaN: there is none.
static double number_after(const char *out, const char *word) {
  const char *at = strstr(out, word);
  return at ? atof(at + strlen(word)) : (double)NAN;
}

// Seconds that PyTorch trains, NaN where it is not installed.
static double digits_torch(char *python) {
  static char out[1 << 14];
  char *probe[] = {python, "-c", "import importlib.util as u; u.find_spec('torch') and print(1)", NULL};
  char *argv[] = {python, "-W", "ignore", "bench/digits_torch.py", NULL};
  if (!(run_process(probe, out, sizeof out) > 0)) return (double)NAN;
  run_process(argv, out, sizeof out);
  return number_after(out, " % in ");
}

static void bench_digits(void) {
  static char out[1 << 16];
  char *digits[] = {"build/examples/digits", NULL};
  choose_core_type();
  series ours = {{0}, 0}, ratios = {{0}, 0};
  heading("digits: training time of examples/digits.c and of the same network in PyTorch");
  for (int i = 0; i < 3; i++) {
    run_process(digits, out, sizeof out);
    add(&ours, number_after(out, "trained in "));
  }
  report("digits", &ours, "s", 8, "");
  double theirs = digits_torch("python3");
  if (theirs != theirs) theirs = digits_torch("/usr/bin/python3");
  if (theirs != theirs) { printf("  PyTorch is not installed (tools/setup.sh bench)\n"); return; }
  add(&ratios, median(&ours) / theirs);
  report("digits : PyTorch", &ratios, "x", 1, "%.2f s of %.2f s", median(&ours), theirs);
}
