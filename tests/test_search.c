// test_search: recipes and what a search makes of them. Whatever moves a recipe makes, the interpreter finds the same values
// as in the kernel without them; what a search chooses gives the values of the reference, is found again on disk, and
// damaged files or refused memory never show in a result. TEST_ROUNDS=n: n recipes for each kernel; TEST_SEED=s: one.
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif                                     // for the test: mkdtemp
#include "../src/all.c"
#include "test.h"
#include "memory_test.h"
#include "kernel_test.h"
#include "folder_test.h"

// ** kernels to move about **

static tiny_tensor *elementwise(tiny_ctx *t) { return tiny_relu(tiny_add(ints(t, TINY_SHAPE(7, 36)), ints(t, TINY_SHAPE(36)))); }
static tiny_tensor *padded(tiny_ctx *t) { return tiny_pad(ints(t, TINY_SHAPE(9, 13)), TINY_SHAPE(1, 2, 0, 3), 0); }
static tiny_tensor *transposed(tiny_ctx *t) { return tiny_add(tiny_transpose(ints(t, TINY_SHAPE(24, 17)), 0, 1), ints(t, TINY_SHAPE(24))); }
static tiny_tensor *sum_of_rows(tiny_ctx *t) { return tiny_sum(ints(t, TINY_SHAPE(6, 48)), 1, 0); }
static tiny_tensor *sum_of_columns(tiny_ctx *t) { return tiny_sum(ints(t, TINY_SHAPE(31, 20)), 0, 0); }
static tiny_tensor *largest(tiny_ctx *t) { return tiny_max(tiny_cast(ints(t, TINY_SHAPE(7, 5, 11)), TINY_I32), TINY_ALL, 0); }
static tiny_tensor *matmul(tiny_ctx *t) {
  return tiny_relu(tiny_add(tiny_matmul(ints(t, TINY_SHAPE(16, 24)), ints(t, TINY_SHAPE(24, 32))), ints(t, TINY_SHAPE(32))));
}
static tiny_tensor *matmul_odd(tiny_ctx *t) { return tiny_matmul(ints(t, TINY_SHAPE(3, 13, 7)), ints(t, TINY_SHAPE(7, 19))); }
static tiny_tensor *matvec(tiny_ctx *t) { return tiny_matmul(ints(t, TINY_SHAPE(1, 40)), ints(t, TINY_SHAPE(40, 37))); }
static tiny_tensor *softmax(tiny_ctx *t) { return tiny_softmax(ints(t, TINY_SHAPE(5, 32)), -1); }
static tiny_tensor *conv2d(tiny_ctx *t) { return tiny_conv2d(ints(t, TINY_SHAPE(2, 3, 8, 8)), ints(t, TINY_SHAPE(4, 3, 3, 3)), NULL, NULL); }
static tiny_tensor *lookup(tiny_ctx *t) {
  const int32_t at[6] = {3, 0, 8, 8, 1, 5};
  return tiny_index_select(ints(t, TINY_SHAPE(9, 20)), 0, tiny_from(t, at, TINY_I32, TINY_SHAPE(6)));
}
static tiny_tensor *running_sum(tiny_ctx *t) { return tiny_cumsum(ints(t, TINY_SHAPE(6, 21, 4)), 1); }
static const struct { const char *name; tiny_tensor *(*make)(tiny_ctx *t); double tolerance; } subjects[] = {
  {"elementwise", elementwise, 0}, {"padded", padded, 0}, {"transposed", transposed, 0}, {"sum of rows", sum_of_rows, 0},
  {"sum of columns", sum_of_columns, 0}, {"largest", largest, 0}, {"matmul", matmul, 0}, {"odd matmul", matmul_odd, 0},
  {"matvec", matvec, 0}, {"softmax", softmax, 1e-6}, {"conv2d", conv2d, 0}, {"lookup", lookup, 0}, {"running sum", running_sum, 0}};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

// ** recipes as text **

static void test_text(void) {
  char line[TN_RECIPE_TEXT];
  tn_recipe r, again;
  static const char *const good[] = {"h", "-", "h u0.4", "- v1.16 u0.6 n2.8 b1.64 s0.1 p0.8 k1.0 r0.0 t24.64", "- t1048576.1048576"};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    CHECK(tn_recipe_parse(good[i], &r));
    tn_recipe_print(&r, line);
    CHECK_STR(line, good[i]);
  }
  static const char *const bad[] = {"", " ", "x", "h ", "hu0.4", "h u0", "h u0.", "h u.4", "h u0.4 ", "h  u0.4", "h U0.4", "h 0.4", "h u-1.4",
    "h u0.4x", "- v1.16 u0.99999999999", "h u0.1048577", "h u1.1 u1.1 u1.1 u1.1 u1.1 u1.1 u1.1 u1.1 u1.1 u1.1 u1.1 u1.1 u1.1 u1.1 u1.1"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) CHECK(!tn_recipe_parse(bad[i], &r));
  for (int i = 0; i < 2000; i++) {
    rng = (uint64_t)i;
    memset(&r, 0, sizeof r);
    r.plain = rnd(2);
    r.n = rnd(TN_RECIPE_MOVES + 1);
    for (int j = 0; j < r.n; j++) {
      r.move[j].letter = tn_recipe_letters[rnd((int)strlen(tn_recipe_letters))];
      r.move[j].at = rnd(30); r.move[j].by = rnd(1000);
    }
    tn_recipe_print(&r, line);
    if (!tn_recipe_parse(line, &again) || memcmp(&r, &again, sizeof r)) CHECK(!"what is printed parses back");
    for (int j = 0; j < 4 && *line; j++) line[rnd((int)strlen(line))] = (char)(32 + rnd(95));
    if (tn_recipe_parse(line, &again)) CHECK(again.n <= TN_RECIPE_MOVES);
  }
}

// ** random recipes **

typedef struct trial { int subject, moves, vector_nbytes; void *out; size_t nbytes; tn_recipe recipe; } trial;

static tn_recipe_move random_move(void) {
  static const int sizes[] = {2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24};
  const tn_recipe_move m = {tn_recipe_letters[rnd((int)strlen(tn_recipe_letters))], rnd(6), sizes[rnd(12)]};
  tn_recipe_move now = m;
  if (m.letter == 's' || m.letter == 'k') now.by = rnd(4);
  if (m.letter == 't') { now.at = 1 + rnd(4); now.by = 2 + rnd(30); }
  if (m.letter == 'r') { now.at = now.by = 0; }
  return now;
}

static tiny_code run_trial(tiny_ctx *t, void *arg) {
  trial *r = (trial *)arg;
  tn_cost cost;
  const tn_kernel *k = kernel_of(t, subjects[r->subject].make(t), &r->nbytes);
  if (!k) return t->code;
  tiny_limits limits = t->device->limits;
  limits.threads = 1;
  limits.vector_nbytes = r->vector_nbytes; limits.vector_registers = 16; limits.cache_nbytes = 1 << 16;
  const tn_target target = {NULL, &limits};
  tiny_uop *sink = tn_prepare(t, k->ast);
  const int64_t serial = t->ir->serial;
  for (int i = 0; i < r->moves && r->recipe.n < TN_RECIPE_MOVES; i++) {    // those that are legal, up to the wanted number
    for (int tries = 0; tries < 40; tries++) {
      tn_recipe more = r->recipe;
      more.move[more.n++] = random_move();
      t->ir->serial = serial;
      if (!tn_recipe_apply(t, sink, &target, &more, &cost)) continue;
      if (!(cost.cycles > 0)) CHECK(!"every kernel costs something");
      r->recipe = more;
      break;
    }
  }
  t->ir->serial = serial;
  tiny_uop *moved = tn_recipe_apply(t, sink, &target, &r->recipe, &cost);
  if (moved) sink = moved;                 // NULL: no moves, and too much code for the heuristics' own
  if (tn_verify(t, sink, TN_SPEC_KERNEL) != TINY_OK) return t->code;
  return run_kernel(t, k, sink, &target, r->out);
}

// A gated load of lanes was read as one of a single element when the lanes of another range were told apart.
static void test_lanes_of_two_ranges(void) {
  static char want[1 << 16], got[1 << 16];
  tiny_desc d;
  trial plain, moved;
  memset(&d, 0, sizeof d); memset(&plain, 0, sizeof plain);
  d.device = "INTERP"; d.cache_dir = "";
  tiny_ctx *t = tiny_open(&d);
  while (subjects[plain.subject].make != softmax) plain.subject++;
  moved = plain;
  plain.out = want; plain.vector_nbytes = moved.vector_nbytes = 64; plain.recipe.plain = 1;
  moved.out = got;
  CHECK(tn_recipe_parse("- r0.0 p1.5 v1.8", &moved.recipe));
  CHECK_EQ(tn_guard(t, run_trial, &plain), TINY_OK);
  CHECK_EQ(tn_guard(t, run_trial, &moved), TINY_OK);
  CHECK(agree(plain.out, moved.out, plain.nbytes, 1e-6));
  tiny_close(t);
}

// Eight lines of a page fit the eight ways of 4 KiB; the next pushes one out. Odd distances reach all sets.
static void test_crowds(void) {
  CHECK(!tn_cost_crowds(8, 4096, 4096));
  CHECK(tn_cost_crowds(9, 4096, 4096));
  CHECK(tn_cost_crowds(14, -8192, 4096));
  CHECK(!tn_cost_crowds(16, 2048, 4096));
  CHECK(tn_cost_crowds(17, 2048, 4096));
  CHECK(!tn_cost_crowds(512, 64, 4096));
  CHECK(!tn_cost_crowds(512, 4096 + 64, 4096));
}

static void test_values(void) {
  const char *one = getenv("TEST_SEED");
  const int n = one ? 1 : test_rounds(60);
  static char want[1 << 16], got[1 << 16];
  int bad = 0, moves = 0;
  for (int s = 0; s < SUBJECTS; s++) {
    tiny_desc d;
    memset(&d, 0, sizeof d);
    d.device = "INTERP"; d.cache_dir = ""; d.debug = one ? getenv("TEST_DEBUG") : "";
    tiny_ctx *t = tiny_open(&d);
    trial plain, moved;
    memset(&plain, 0, sizeof plain);
    plain.subject = s; plain.out = want; plain.vector_nbytes = 32; plain.recipe.plain = 1;
    CHECK_EQ(tn_guard(t, run_trial, &plain), TINY_OK);
    for (int i = 0; i < n && bad < 12; i++) {
      const uint64_t seed = one ? (uint64_t)atoll(one) : (uint64_t)(s * 100000 + i);
      if (one && seed / 100000 != (uint64_t)s) continue;
      rng = seed;
      case_seeded(seed, "TEST_SEED=%llu");
      memset(&moved, 0, sizeof moved);
      moved.subject = s; moved.out = got; moved.moves = rnd(7); moved.recipe.plain = rnd(3) != 0; moved.vector_nbytes = 16 << rnd(3);
      memset(got, 0x5A, sizeof got);
      tiny_begin(t);
      const tiny_code code = tn_guard(t, run_trial, &moved);
      const int ok = code == TINY_OK && agree(plain.out, moved.out, plain.nbytes, subjects[s].tolerance);
      CHECK(ok);
      moves += moved.recipe.n;
      if (!ok) {
        char line[TN_RECIPE_TEXT];
        tn_recipe_print(&moved.recipe, line);
        fprintf(stderr, "  seed %llu, %s: %s\n  %s\n", (unsigned long long)seed, subjects[s].name, line, code ? tiny_error(t) : "other values");
        bad++;
      }
      tiny_clear(t);
      tiny_end(t);
    }
    case_end();
    tiny_close(t);
  }
  if (!one) CHECK(moves > SUBJECTS * n);   // most trials did move something
}

// ** searches on the CPU **

static char root[64];                      // a folder of this test's own

static const char *in_root(const char *name) {
  static char path[256];
  snprintf(path, sizeof path, "%s/%s", root, name);
  return path;
}

typedef struct result { tiny_code code; int right; uint64_t searches, timed, compiled, hash; } result;

// Kernels that are worth a search.
static tiny_tensor *turned(tiny_ctx *t) { return tiny_add(tiny_transpose(ints(t, TINY_SHAPE(100, 70)), 0, 1), ints(t, TINY_SHAPE(100))); }
static tiny_tensor *products(tiny_ctx *t) { return tiny_matmul(ints(t, TINY_SHAPE(3, 33, 47)), ints(t, TINY_SHAPE(47, 35))); }
static tiny_tensor *rows(tiny_ctx *t) { return tiny_softmax(ints(t, TINY_SHAPE(40, 96)), -1); }
static tiny_tensor *windows(tiny_ctx *t) { return tiny_conv2d(ints(t, TINY_SHAPE(2, 3, 16, 16)), ints(t, TINY_SHAPE(8, 3, 3, 3)), NULL, NULL); }
static tiny_tensor *lookups(tiny_ctx *t) {
  int32_t at[200];
  for (int i = 0; i < 200; i++) at[i] = i * 7 % 60;
  return tiny_index_select(ints(t, TINY_SHAPE(60, 50)), 0, tiny_from(t, at, TINY_I32, TINY_SHAPE(200)));
}
static tiny_tensor *sums_so_far(tiny_ctx *t) { return tiny_cumsum(ints(t, TINY_SHAPE(6, 210, 8)), 1); }
static tiny_tensor *sums(tiny_ctx *t) { return tiny_sum(ints(t, TINY_SHAPE(60, 500)), 1, 0); }
typedef tiny_tensor *(*maker)(tiny_ctx *t);

// A tensor in a context of its own, compared with the reference.
static result compute(maker make, const char *dir, int beam, int threads, tiny_alloc alloc) {
  static char got[1 << 16], want[1 << 16];
  trial a, b;
  tiny_desc d;
  result r;
  memset(&d, 0, sizeof d); memset(&r, 0, sizeof r); memset(&a, 0, sizeof a); memset(&b, 0, sizeof b);
  d.device = "CPU"; d.cache_dir = dir; d.beam = beam; d.threads = threads; d.alloc = alloc;
  tiny_ctx *t = tiny_open(&d);
  if (!t) { r.code = TINY_E_MEMORY; return r; }
  tiny_tensor *x = make(t);
  a.out = got; b.out = want;
  a.nbytes = b.nbytes = (size_t)tiny_nelem(x) * tiny_dtype_nbytes(tiny_dtype_get(x));
  r.code = tiny_read(x, got, a.nbytes);
  const tiny_stats s = tiny_get_stats(t);
  r.searches = s.searches; r.timed = s.timed; r.compiled = s.compiled;
  r.hash = tn_hash_bytes(0, got, a.nbytes);
  if (r.code == TINY_OK) r.code = tiny_reference(x, want, b.nbytes);
  r.right = r.code == TINY_OK && agree(a.out, b.out, a.nbytes, make == rows ? 1e-6 : 0);
  tiny_close(t);
  return r;
}

static const tiny_alloc standard = {NULL, NULL};

// What is found is right, and what another context takes from disk, with other threads, gives the same bits.
static void test_searches(void) {
  const char *dir = in_root("found");
  static const maker makes[] = {turned, products, rows, windows, lookups, sums_so_far};
  for (size_t i = 0; i < sizeof makes / sizeof *makes; i++) {
    const result first = compute(makes[i], dir, 1, 2, standard), again = compute(makes[i], dir, 1, 1, standard);
    const int ok = first.right && first.searches >= 1 && first.timed >= 1 && again.right && again.searches == 0 && again.timed == 0 &&
        again.compiled == 0 && again.hash == first.hash;
    CHECK(ok);
    if (!ok) fprintf(stderr, "  kernel %d: %d searches, right: %d and %d, then %d searches, %d compiled\n", (int)i, (int)first.searches, first.right,
                     again.right, (int)again.searches, (int)again.compiled);
  }
  remove_tree(dir);
}

// A kernel that updates its memory runs many times while it is timed, but never on the caller's data.
static void test_update_in_place(void) {
  static float data[30000], got[30000];
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "CPU"; d.cache_dir = ""; d.beam = 1;
  for (int i = 0; i < 30000; i++) data[i] = (float)i;
  tiny_ctx *t = tiny_open(&d);
  tiny_tensor *x = tiny_from(t, data, TINY_F32, TINY_SHAPE(30000));
  tiny_assign(x, tiny_add(x, tiny_like(x, 1)));
  CHECK_EQ(tiny_read(x, got, sizeof got), TINY_OK);
  int same = 1;
  for (int i = 0; i < 30000; i++) same &= got[i] == data[i] + 1;
  CHECK(same && tiny_get_stats(t).searches > 0);
  tiny_close(t);
}

// Kernels whose elements nobody can vouch for are not run on made-up memory.
static void test_not_searched(void) {
  const int32_t at[4] = {5, 6, 7, 8};
  float got[4];
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "CPU"; d.cache_dir = ""; d.beam = 1;
  tiny_ctx *t = tiny_open(&d);
  tiny_tensor *i = tiny_sub(tiny_from(t, at, TINY_I32, TINY_SHAPE(4)), tiny_full(t, 5, TINY_I32, TINY_SHAPE(4)));
  tiny_tensor *x = tiny_index_select(ints(t, TINY_SHAPE(9)), 0, i);
  CHECK_EQ(tiny_read(x, got, sizeof got), TINY_OK);
  CHECK(got[0] == -5 && got[1] == 2 && got[2] == -2 && got[3] == 5);
  tiny_close(t);
  t = tiny_open(&d);
  x = elementwise(t);                      // done before a search could win anything
  CHECK_EQ(tiny_realize(&x, 1), TINY_OK);
  CHECK_EQ(tiny_get_stats(t).timed, 0);
  tiny_close(t);
  d.device = "NULL";
  t = tiny_open(&d);
  x = elementwise(t);
  CHECK_EQ(tiny_realize(&x, 1), TINY_OK);
  CHECK_EQ(tiny_get_stats(t).timed, 0);
  tiny_close(t);
}

// ** files **

typedef struct file { char path[512]; char data[1024]; size_t n; } file;

static int load(const char *dir, file *f) {
  DIR *d = opendir(dir);
  f->n = 0;
  for (struct dirent *e; d && (e = readdir(d));) if (strstr(e->d_name, ".moves")) {
    snprintf(f->path, sizeof f->path, "%s/%s", dir, e->d_name);
    FILE *in = fopen(f->path, "rb");
    if (in) { f->n = fread(f->data, 1, sizeof f->data, in); fclose(in); }
  }
  if (d) closedir(d);
  return f->n > sizeof(tn_file_head);
}
static void store(const file *f, size_t n) {
  FILE *out = fopen(f->path, "wb");
  CHECK(out && fwrite(f->data, 1, n, out) == n);
  if (out) fclose(out);
}

// Files that are damaged are searched for again; moves that do not fit the kernel leave it to the heuristics.
static void test_files(void) {
  const char *dir = in_root("files");
  static const char *const forged[] = {"9 h v0.16 v0.16", "9 - k9.9", "9 - u7.16", "9 - u0.1048576", "9 - p0.1048576", "9 - t1048576.1048576",
    "9 - v0.3", "9 - b0.1 b0.0", "9 - r0.0", "9 - s0.0 n0.8"};
  file f, g;
  CHECK(compute(turned, dir, 1, 1, standard).searches == 1);
  CHECK(load(dir, &f));
  g = f;
  for (size_t i = 0; i < sizeof forged / sizeof *forged; i++) {
    tn_file_head head;
    memcpy(&head, f.data, sizeof head);
    head.nbytes = strlen(forged[i]);
    head.sum = tn_hash_bytes(0, forged[i], (size_t)head.nbytes);
    memcpy(g.data, &head, sizeof head);
    memcpy(g.data + sizeof head, forged[i], (size_t)head.nbytes);
    store(&g, sizeof head + (size_t)head.nbytes);
    const result r = compute(turned, dir, 1, 1, standard);
    CHECK(r.right && r.searches == 0);
  }
  g = f;
  g.data[f.n - 1] ^= 1;
  store(&g, f.n);
  result r = compute(turned, dir, 1, 1, standard);
  CHECK(r.right && r.searches == 1);
  store(&f, f.n / 2);
  r = compute(turned, dir, 1, 1, standard);
  CHECK(r.right && r.searches == 1);
  r = compute(turned, dir, -1, 1, standard);    // without a search nothing that one has found is taken
  CHECK(r.right && r.searches == 0 && r.timed == 0);
  remove_tree(dir);
}

static void test_memory(void) {
  memory_count m = {0, 0, 0, 0};
  const tiny_alloc counted = {memory_fn, &m};
  int fell_back = 0;
  CHECK(compute(sums, "", 1, 1, counted).searches == 1);
  const long calls = m.calls;
  for (int i = 1; i <= 12; i++) {
    memset(&m, 0, sizeof m);
    m.fail_at = calls * i / 13;
    const result r = compute(sums, "", 1, 1, counted);
    CHECK(r.right || r.code == TINY_E_MEMORY);
    CHECK(m.live == 0 && m.wrong == 0);
    fell_back += r.right && r.searches == 0;
  }
  CHECK(fell_back > 0);
}

int main(void) {
  snprintf(root, sizeof root, "%s", "/tmp/tiny-search-XXXXXX");
  CHECK(mkdtemp(root) != NULL);
  test_text();
  test_lanes_of_two_ranges();
  test_crowds();
  test_values();
  if (!getenv("TEST_SEED") && !getenv("TEST_ROUNDS")) {
    test_searches();
    test_update_in_place();
    test_not_searched();
    test_files();
    test_memory();
  }
  remove_tree(root);
  return test_report();
}
