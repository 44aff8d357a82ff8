// brief: asan
// test_profile: where the time of launches goes: rows add up to what ran, by name, kernel and operator; tables; summaries.
#include "../src/all.c"
#include "test.h"
#include "memory_test.h"

static tiny_ctx *opened(const char *device) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = device; d.debug = ""; d.cache_dir = ""; d.trace = ""; d.threads = 2;
  return tiny_open(&d);
}
static tiny_tensor *numbers(tiny_ctx *t, tiny_shape s) {
  int64_t n = 1;
  for (int i = 0; i < s.ndim; i++) n *= s.dim[i];
  float *x = (float *)malloc((size_t)n * sizeof *x);
  for (int64_t i = 0; i < n; i++) x[i] = (float)(i * 7 % 5) - 2;
  tiny_tensor *y = tiny_from(t, x, TINY_F32, s);
  free(x);
  return y;
}

typedef struct sums { uint64_t launches, ns, before; double share, flops; int rows, ordered; char names[2000], kinds[2000]; } sums;
static void add_row(void *user, const tiny_profile_row *r) {
  sums *s = (sums *)user;
  s->ordered += s->rows && r->ns > s->before;
  s->before = r->ns;
  s->launches += r->launches; s->ns += r->ns; s->share += r->share; s->flops += r->flops;
  s->rows++;
  CHECK(r->launches > 0 && r->share >= 0 && r->share <= 1 && r->gflops >= 0 && r->gbps >= 0 && r->of_limit >= 0);
  snprintf(s->names + strlen(s->names), sizeof s->names - strlen(s->names), "[%s]", r->name);
  snprintf(s->kinds + strlen(s->kinds), sizeof s->kinds - strlen(s->kinds), "[%s:%s]", r->name, r->kind);
}
static sums rows_of(tiny_ctx *t, tiny_profile_by by) {
  sums s;
  memset(&s, 0, sizeof s);
  CHECK_EQ(tiny_profile_rows(t, by, add_row, &s), TINY_OK);
  CHECK_EQ(s.ordered, 0);
  return s;
}

static void work(tiny_ctx *t) {
  tiny_tensor *x = numbers(t, TINY_SHAPE(96, 64)), *w = numbers(t, TINY_SHAPE(64, 96));
  tiny_tensor *image = numbers(t, TINY_SHAPE(2, 4, 12, 12)), *filter = numbers(t, TINY_SHAPE(8, 4, 3, 3));
  tiny_tensor *all[5];
  all[0] = tiny_label(tiny_matmul(x, w), "product");
  all[1] = tiny_label(tiny_conv(image, filter, NULL, NULL), "picture");
  all[2] = tiny_label(tiny_sum(x, 1, 0), "total");
  all[3] = tiny_label(tiny_exp(x), "power");
  all[4] = tiny_contiguous(tiny_transpose(x, 0, 1));
  CHECK_EQ(tiny_realize(all, 5), TINY_OK);
}

// The same graph in each of several frames runs in each while a profile is taken, and rows can be asked for one by one.
static void frames_repeat(void) {
  tiny_ctx *t = opened("CPU");
  tiny_tensor *x = numbers(t, TINY_SHAPE(96, 96));
  tiny_profile_row row;
  tiny_realize(&x, 1);
  CHECK(!tiny_profile_get(t, TINY_BY_LABEL, 0, &row) && tiny_status(t) == TINY_E_STATE);
  tiny_clear(t);
  tiny_profile_begin(t);
  for (int i = 0; i < 10; i++) {
    tiny_begin(t);
    tiny_tensor *product = tiny_label(tiny_matmul(x, x), "product"), *y = tiny_label(tiny_sum(product, TINY_ALL, 0), "total");
    CHECK_EQ(tiny_realize(TINY_ARRAY(product, y)), TINY_OK);
    CHECK_EQ(tiny_end(t), TINY_OK);
  }
  tiny_profile_end(t);
  const sums s = rows_of(t, TINY_BY_LABEL);
  uint64_t launches = 0, ns = UINT64_MAX;
  int n = 0;
  for (; tiny_profile_get(t, TINY_BY_LABEL, n, &row); n++) {
    CHECK(row.launches >= 10 && row.ns <= ns && (!strcmp(row.name, "product") || !strcmp(row.name, "total")));
    launches += row.launches;
    ns = row.ns;
  }
  CHECK(n == s.rows && n == 2 && launches == s.launches);
  CHECK(!row.name && !row.launches && !tiny_profile_get(t, TINY_BY_LABEL, -1, &row) && !tiny_profile_get(t, TINY_BY_LABEL, 0, NULL));
  CHECK(!tiny_profile_get(NULL, TINY_BY_LABEL, 0, &row));
  CHECK_EQ(tiny_status(t), TINY_OK);
  tiny_close(t);
}

static void adds_up(const char *device) {
  tiny_ctx *t = opened(device);
  work(t);
  CHECK_EQ(tiny_profile_begin(t), TINY_OK);
  const tiny_stats before = tiny_stats_of(t);
  for (int i = 0; i < 3; i++) { tiny_begin(t); work(t); tiny_end(t); }
  CHECK_EQ(tiny_profile_end(t), TINY_OK);
  const tiny_stats after = tiny_stats_of(t);
  work(t);                                 // no part of it
  for (int by = 0; by < 3; by++) {
    const sums s = rows_of(t, (tiny_profile_by)by);
    CHECK_EQ(s.launches, after.kernels - before.kernels);
    CHECK_EQ(s.ns, after.device_ns - before.device_ns);
    CHECK(fabs(s.share - 1) < 1e-9);
    CHECK(fabs(s.flops - (double)(after.flops - before.flops)) <= 1e-3 * s.flops + (double)s.launches);
  }
  const sums label = rows_of(t, TINY_BY_LABEL), kernel = rows_of(t, TINY_BY_KERNEL), kind = rows_of(t, TINY_BY_OPERATOR);
  CHECK_EQ(label.rows, 5);
  static const char *const names[] = {"[product]", "[picture]", "[total]", "[power]", "[]"};
  for (int i = 0; i < 5; i++) CHECK(strstr(label.names, names[i]) != NULL);
  static const char *const kinds[] = {"[product:matmul]", "[picture:conv]", "[total:reduce]", "[power:elementwise]", "[:copy]"};
  for (int i = 0; i < 5; i++) {
    CHECK(strstr(label.kinds, kinds[i]) != NULL);
    if (!strstr(label.kinds, kinds[i])) fprintf(stderr, "    no %s in %s\n", kinds[i], label.kinds);
  }
  CHECK_EQ(kernel.rows, 5);
  CHECK_EQ(kind.rows, 5);
  CHECK_EQ(tiny_profile_begin(t), TINY_OK);                  // from zero
  CHECK_EQ(rows_of(t, TINY_BY_KERNEL).rows, 0);
  CHECK_STR(tiny_error(t), "");
  tiny_close(t);
}

static void programs(void) {
  tiny_ctx *t = opened("CPU");
  tiny_tensor *x = numbers(t, TINY_SHAPE(32, 32)), *w = numbers(t, TINY_SHAPE(32, 32)), *out;
  tiny_scope_begin(t, "net");
  tiny_tensor *y = tiny_label(tiny_relu(tiny_matmul(x, tiny_contiguous(tiny_exp(w)))), "fc");
  tiny_scope_end(t);
  tiny_program *p = tiny_capture(t, &x, 1, &y, 1);
  CHECK(p != NULL);
  CHECK_EQ(tiny_profile_begin(t), TINY_OK);
  for (int i = 0; i < 4; i++) CHECK_EQ(tiny_run(p, &x, &out), TINY_OK);
  CHECK_EQ(tiny_profile_end(t), TINY_OK);
  const sums s = rows_of(t, TINY_BY_LABEL);
  CHECK(strstr(s.names, "[net/fc]") != NULL);
  CHECK_EQ(s.launches, 5);                 // the weight once
  char text[4096], brief[40];
  const size_t n = tiny_program_summary(p, text, sizeof text);
  CHECK_EQ(n, strlen(text));
  CHECK(strstr(text, "net/fc ") && strstr(text, "matmul") && strstr(text, "f32 (32,32)") && strstr(text, "(first run only)"));
  CHECK(strstr(text, "\n2 kernels, ") && strstr(text, "inputs 0.004 MB, parameters 0.004 MB, outputs 0.004 MB"));
  CHECK(strstr(text, "\n2 kernels, 1,024 parameters, ") && strstr(text, "\ninputs: f32 (32,32)\noutputs: f32 (32,32)\n"));
  CHECK_EQ(tiny_program_summary(p, brief, sizeof brief), n);
  CHECK(!strncmp(brief, text, sizeof brief - 1) && !brief[sizeof brief - 1]);
  CHECK_EQ(tiny_program_summary(p, NULL, 0), n);
  CHECK_EQ(tiny_program_summary(NULL, brief, sizeof brief), 0);
  CHECK_STR(brief, "");
  tiny_close(t);
}

// Parameters are counted where they are used first, once, whoever else uses them; scalars come in, steps assign.
static void parameters(void) {
  tiny_ctx *t = opened("INTERP");
  tiny_tensor *x = numbers(t, TINY_SHAPE(4, 30)), *w = numbers(t, TINY_SHAPE(30, 50)), *v = numbers(t, TINY_SHAPE(50, 30));
  tiny_tensor *rate = tiny_scalar(t, 0.5, TINY_F32), *in[2] = {x, rate}, *out[2];
  out[0] = tiny_label(tiny_contiguous(tiny_matmul(x, w)), "up");
  out[1] = tiny_label(tiny_mul(tiny_matmul(tiny_matmul(out[0], v), w), rate), "down");
  tiny_program *p = tiny_capture(t, in, 2, out, 2);
  char text[4096];
  CHECK(tiny_program_summary(p, text, sizeof text) > 0);
  const char *up = strstr(text, "\nup "), *down = strstr(text, "\ndown ");
  CHECK(up && strstr(up, " 1,500 ") && down && strstr(down, " 1,500 ") && strstr(text, " kernels, 3,000 parameters, "));
  CHECK(strstr(text, "\ninputs: f32 (4,30), f32 ()\noutputs: f32 (4,50), f32 (4,50)\n") != NULL);
  tiny_program_free(p);
  p = tiny_capture(t, NULL, 0, out, 1);    // bound to x, too
  CHECK(tiny_program_summary(p, text, sizeof text) > 0);
  CHECK(strstr(text, "\n1 kernel, 1,620 parameters, ") && strstr(text, "\ninputs: none\n"));
  CHECK_STR(tiny_error(t), "");
  tiny_close(t);
}

// Rows are aligned by characters, and stay lines whatever their names are; names are whole.
static void names(void) {
  static const char *const name[] = {"caf\xc3\xa9 \xe2\x82\xac", "two\nlines \xff\"%s%n", ""};
  tiny_ctx *t = opened("NULL");
  tiny_tensor *x = numbers(t, TINY_SHAPE(4)), *y, *last = x;
  char text[8192], longer[250];
  int lines = 0, columns[8] = {0};
  memset(longer, 'n', sizeof longer - 1);
  longer[sizeof longer - 1] = 0;
  tiny_profile_begin(t);
  for (int i = 0; i < 4; i++) {
    last = y = tiny_label(tiny_exp(tiny_add_scalar(x, i)), i < 3 ? name[i] : longer);
    CHECK_EQ(tiny_realize(&y, 1), TINY_OK);
  }
  CHECK(tiny_profile_text(t, TINY_BY_LABEL, text, sizeof text) > 0);
  CHECK(strstr(text, longer) && strstr(text, "\n- ") && strstr(text, "two?lines ?\"%s%n ") && strstr(text, name[0]));
  for (const char *c = text; *c && lines < 8; c++) {
    if (*c == '\n') lines++;
    else columns[lines] += (*c & 0xC0) != 0x80;
  }
  for (int i = 1; i < 5; i++) CHECK_EQ(columns[i], columns[0]);
  CHECK(tiny_profile_text(t, TINY_BY_KERNEL, text, sizeof text) > 0);
  CHECK(strstr(text, longer) && strstr(text, "  two?lines ?\"%s%n\n"));
  tiny_program *p = tiny_capture(t, &x, 1, &last, 1);
  CHECK(tiny_program_summary(p, text, sizeof text) > 0 && strstr(text, longer));
  CHECK_STR(tiny_error(t), "");
  tiny_close(t);
}

// One by one they cost what they cost together, in whatever order they ran.
static void many_rows(void) {
  enum { ROWS = 10000 };
  tiny_ctx *t = opened("NULL");
  tiny_tensor *x = numbers(t, TINY_SHAPE(4));
  tiny_profile_row row;
  uint64_t launches = 0, before = UINT64_MAX;
  int n = 0;
  tiny_profile_begin(t);
  for (int i = 0; i < ROWS; i++) {
    char name[32];
    snprintf(name, sizeof name, "step%d", i);
    tiny_begin(t);
    tiny_tensor *y = tiny_label(tiny_exp(tiny_add(x, tiny_scalar(t, i, TINY_F32))), name);
    tiny_realize(&y, 1);
    tiny_end(t);
  }
  for (; tiny_profile_get(t, TINY_BY_LABEL, n, &row); n++) {
    launches += row.launches;
    CHECK(row.ns <= before);
    before = row.ns;
  }
  CHECK_EQ(n, ROWS);
  CHECK_EQ(launches, ROWS);
  CHECK(tiny_profile_get(t, TINY_BY_OPERATOR, 0, &row) && row.launches == ROWS && !*row.label && !strcmp(row.kind, "elementwise"));
  CHECK(tiny_profile_get(t, TINY_BY_KERNEL, 0, &row) && row.launches == ROWS && !tiny_profile_get(t, TINY_BY_KERNEL, 1, &row));
  tiny_tensor *y = tiny_label(tiny_sum(x, TINY_ALL, 0), "more");
  tiny_realize(&y, 1);
  CHECK(tiny_profile_get(t, TINY_BY_OPERATOR, 1, &row) && row.launches == 1);
  CHECK(tiny_profile_get(t, TINY_BY_LABEL, ROWS, &row) && !tiny_profile_get(t, TINY_BY_LABEL, ROWS + 1, &row));
  CHECK_STR(tiny_error(t), "");
  tiny_close(t);
}

static void *most_fn(void *user, void *ptr, size_t old_nbytes, size_t new_nbytes) {
  size_t *most = (size_t *)user;
  (void)old_nbytes;
  if (new_nbytes > *most) *most = new_nbytes;
  if (new_nbytes) return realloc(ptr, new_nbytes);
  free(ptr);
  return NULL;
}
// Limits are measured in what the cap leaves, or not at all.
static void capped(void) {
  for (size_t cap = 1 << 10; cap <= 4 << 20; cap *= 64) {
    size_t most = 0;
    tiny_desc d;
    memset(&d, 0, sizeof d);
    d.device = "CPU"; d.debug = d.cache_dir = d.trace = ""; d.threads = 1; d.max_nbytes = cap;
    d.alloc.fn = most_fn; d.alloc.user = &most;
    tiny_ctx *t = tiny_open(&d);
    tiny_tensor *x = numbers(t, TINY_SHAPE(4)), *y = tiny_exp(x);
    tiny_profile_row row;
    tiny_profile_begin(t);
    CHECK_EQ(tiny_realize(&y, 1), TINY_OK);
    CHECK(tiny_profile_get(t, TINY_BY_KERNEL, 0, &row) && row.launches == 1 && row.of_limit >= 0);
    CHECK_STR(tiny_error(t), "");
    CHECK(most <= cap || most < 8 << 20);
    tiny_close(t);
  }
}

static void tables(void) {
  tiny_ctx *t = opened("CPU");
  char text[8192], brief[40];
  CHECK_EQ(tiny_profile_text(t, TINY_BY_LABEL, text, sizeof text), 0);
  CHECK_EQ(tiny_status(t), TINY_E_STATE);
  CHECK_STR(tiny_error(t), "profile_text: tiny_profile_begin was not called");
  tiny_clear(t);
  CHECK_EQ(tiny_profile_end(t), TINY_E_STATE);
  tiny_clear(t);
  CHECK_EQ(tiny_profile_begin(t), TINY_OK);
  work(t);
  const size_t n = tiny_profile_text(t, TINY_BY_LABEL, text, sizeof text);
  CHECK_EQ(n, strlen(text));
  CHECK(!strncmp(text, "name ", 5) && strstr(text, "\nproduct ") && strstr(text, "\n- ") && strstr(text, "\nall "));
  CHECK(strstr(text, "limits of CPU, measured: ") != NULL);
  CHECK_EQ(tiny_profile_text(t, TINY_BY_LABEL, brief, sizeof brief), n);
  CHECK(!strncmp(brief, text, sizeof brief - 1) && !brief[sizeof brief - 1]);
  CHECK_EQ(tiny_profile_text(t, TINY_BY_LABEL, NULL, 0), n);
  CHECK(tiny_profile_text(t, TINY_BY_KERNEL, text, sizeof text) > 0 && strstr(text, "  picture\n"));
  CHECK(tiny_profile_text(t, TINY_BY_OPERATOR, text, sizeof text) > 0 && strstr(text, "\nmatmul "));
  CHECK_EQ(tiny_profile_text(t, (tiny_profile_by)7, text, sizeof text), 0);
  CHECK_STR(tiny_error(t), "profile_text: 7 is no tiny_profile_by");
  tiny_clear(t);
  CHECK_EQ(tiny_profile_rows(t, TINY_BY_LABEL, NULL, NULL), TINY_E_ARG);
  tiny_clear(t);
  CHECK_EQ(tiny_profile_begin(NULL), TINY_E_ARG);
  CHECK_EQ(tiny_profile_end(NULL), TINY_E_ARG);
  CHECK_EQ(tiny_profile_rows(NULL, TINY_BY_LABEL, add_row, NULL), TINY_E_ARG);
  CHECK_EQ(tiny_profile_text(NULL, TINY_BY_LABEL, text, sizeof text), 0);
  CHECK_STR(text, "");
  tiny_close(t);
}

static void count_row(void *user, const tiny_profile_row *r) { *(uint64_t *)user += r->launches; }
static void refused(void) {
  int ended = 0;
  for (long n = 1; n < 20000 && !ended; n += 1 + n / test_brief(8, 30)) {
    memory_count m = {0, n, 0, 0};
    tiny_desc d;
    uint64_t launches = 0;
    memset(&d, 0, sizeof d);
    d.device = "NULL"; d.alloc.fn = memory_fn; d.alloc.user = &m; d.cache_dir = d.debug = d.trace = ""; d.threads = 1;
    tiny_ctx *t = tiny_open(&d);
    if (t) {
      tiny_profile_begin(t);
      tiny_tensor *x = numbers(t, TINY_SHAPE(4, 4)), *y = tiny_label(tiny_softmax(tiny_matmul(x, x), -1), "y");
      tiny_realize(&y, 1);
      tiny_profile_rows(t, TINY_BY_KERNEL, count_row, &launches);
      ended = m.calls < n;
      if (ended) { CHECK_STR(tiny_error(t), ""); CHECK_EQ(launches, tiny_stats_of(t).kernels); }
      CHECK(tiny_status(t) == TINY_OK || tiny_status(t) == TINY_E_MEMORY);
      tiny_close(t);
    }
    CHECK_EQ(m.live, 0);
    CHECK_EQ(m.wrong, 0);
  }
  CHECK(ended);
}

int main(void) {
  adds_up("INTERP");
  adds_up("CPU");
  frames_repeat();
  programs();
  parameters();
  names();
  many_rows();
  capped();
  tables();
  refused();
  return test_report();
}
