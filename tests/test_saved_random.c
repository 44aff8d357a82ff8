// test_saved_random: random tensor programs, captured, saved and loaded: the bits of the captured program, run by run.
// also: asan
//
// A program is captured, compared with the interpreter of graphs, and saved before it runs. It is loaded in another
// context, where every second one runs in pieces: once as its caller's own, and once as anyone's, whose kernels are
// made with every access guarded, and may add in another order. The generator is random.h.
// TEST_ROUNDS=n: n programs instead of the usual. TEST_SEED=s: one program alone. TEST_FROM=s: start there.
// TEST_ON=name: on that device alone, such as INTERP, in whose place GPUs are that are played (build/amd ..).
// TEST_COMPILES=1: what is loaded as its caller's own may be compiled again: NV's GPUs that are played know the kernels
// alone that were assembled for them (tests/nv.h).
// TEST_SAVE=folder: the CPU's programs are written there, with what they take and give, for tests/shipped_play.c.
#ifndef TINY_ALL
#include "../src/all.c"
#endif
#include "test.h"
#include "random_program.h"

enum { ROUNDS = 60, RUNS = 3 };

static tiny_ctx *open_on(const char *device) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = device; d.cache_dir = ""; d.seed = 11; d.threads = 2; d.compiler = "builtin";
  return tiny_open(&d);
}
static int bad(uint64_t seed, const char *device, const char *what, const tiny_ctx *t) {
  fprintf(stderr, "seed %llu on %s: %s: %s\n", (unsigned long long)seed, device, what, t ? tiny_error(t) : "");
  return 1;
}
static int same(const bytes *a, const bytes *b) { return a->n == b->n && (!a->n || !memcmp(a->data, b->data, a->n)); }

// What the file gives in another context, as often as the captured program ran.
static int loaded_differs(uint64_t seed, const char *device, int trusted, const bytes *file, sample *s,
                          const bytes *want) {
  tiny_tensor *in[SAMPLE_MOST];
  bytes got = {NULL, 0, 0};
  tiny_program_source from;
  memset(&from, 0, sizeof from);
  from.data = file->data; from.nbytes = file->n; from.trusted = trusted;
  tiny_ctx *t = open_on(device);
  tiny_program *p = tiny_program_load(t, &from);
  sample_compiled = tiny_stats_of(t).compiled;
  int wrong = p ? 0 : bad(seed, device, "it does not load", t);
  size_t at = 0;
  for (int i = 0; i < s->n && !wrong; i++) {
    tiny_dtype dtype;
    tiny_shape shape;
    if (!tiny_program_input(p, i, &dtype, &shape)) { wrong = bad(seed, device, "an input is not there", NULL); break; }
    in[i] = s->is_number[i] ? tiny_scalar(t, s->number[i], dtype) : tiny_from(t, s->data.data + at, dtype, shape);
    if (!s->is_number[i]) tiny_realize(&in[i], 1);
    at += sample_nbytes(in[i]);
  }
  for (int run = 0; run < RUNS && !wrong; run++) {
    sample_give(t, s, run, in);
    if (!sample_run(p, in, s->m, (int)(seed & 1), &got)) wrong = bad(seed, device, "it does not run", t);
  }
  if (!wrong && !same(&got, want) && (trusted || !sample_near(s, &got, want)))
    wrong = bad(seed, device, trusted ? "other bits" : "other values, not trusted", NULL);
  if (!wrong && trusted && sample_compiled && !getenv("TEST_COMPILES"))
    wrong = bad(seed, device, "compiled again", NULL);
  bytes_free(&got);
  tiny_program_free(p);
  tiny_close(t);
  return wrong;
}
static void write_file(const char *folder, uint64_t seed, const char *kind, const bytes *b) {
  char path[300];
  snprintf(path, sizeof path, "%s/%llu.%s", folder, (unsigned long long)seed, kind);
  FILE *f = fopen(path, "wb");
  CHECK(f != NULL && (!b->n || fwrite(b->data, 1, b->n, f) == b->n) && !fclose(f));
}

static int refused;
static int run_one(uint64_t seed, const char *device) {
  static sample s;
  const char *folder = strcmp(device, "CPU") ? NULL : getenv("TEST_SAVE");
  bytes file = {NULL, 0, 0}, want = {NULL, 0, 0}, runs = {NULL, 0, 0};
  int wrong = 0;
  tiny_ctx *t = open_on(device);
  tiny_program *p = sample_capture(t, seed, &s, &wrong);
  tiny_tensor *in[SAMPLE_MOST];
  memcpy(in, s.in, sizeof in);
  refused += !p;
  if (p && tiny_program_save_to(p, (tiny_writer){bytes_add, &file}, NULL) != TINY_OK)
    wrong = bad(seed, device, "it is not saved", t);
  for (int run = 0; p && run < RUNS && !wrong; run++) {
    const size_t before = want.n;
    sample_give(t, &s, run, in);
    if (!sample_run(p, in, s.m, 0, &want)) wrong = bad(seed, device, "the captured program does not run", t);
    bytes_add(&runs, s.data.data, s.data.n);
    bytes_add(&runs, want.data + before, want.n - before);
  }
  if (p && !wrong && !sample_near(&s, &want, &s.meant)) wrong = bad(seed, device, "other values", NULL);
  for (int trusted = 0; p && trusted < 2 && !wrong; trusted++)
    wrong = loaded_differs(seed, device, trusted, &file, &s, &want);
  if (p && folder && !wrong) {
    write_file(folder, seed, "tiny", &file);
    write_file(folder, seed, "runs", &runs);
    runs.n = 0;
    write_file(folder, seed, "memory", &runs);
  }
  tiny_program_free(p);
  tiny_close(t);
  bytes_free(&file); bytes_free(&want); bytes_free(&runs); sample_free(&s);
  return wrong;
}
static void check_one(uint64_t seed, const char *device, int *nbad) {
  const char *on = getenv("TEST_ON");
  if (on && strcmp(on, device)) return;
  case_seeded(seed, "TEST_SEED=%llu");
  const int wrong = run_one(seed, device);
  *nbad += wrong;
  CHECK(!wrong);
}

int main(void) {
  // Programs that were wrong once: an output behind what is assigned to, a sum that is added where nothing adds, a
  // place before its memory, beyond the end of a loop that was made longer, and an output that was cut, not stored.
  static const uint64_t found[] = {21, 318, 1257, 4458};
  static const char *const devices[] = {"INTERP", "CPU"};
  const char *one = getenv("TEST_SEED");
  const int rounds = one ? 1 : test_rounds(ROUNDS);
  const uint64_t first = one ? strtoull(one, NULL, 10) : test_from(1);
  int nbad = 0;
  for (int i = 0; i < rounds && nbad < 5; i++)
    for (int k = 0; k < 2; k++) check_one(first + (uint64_t)i, devices[k], &nbad);
  CHECK(rounds < 10 || refused < rounds);  // of twice as many
  for (size_t i = 0; i < sizeof found / sizeof *found && !one; i++)
    for (int k = 0; k < 2; k++) check_one(found[i], devices[k], &nbad);
  case_end();
  return test_report();
}
