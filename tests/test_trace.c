// also: tsan
// brief: asan tsan
// test_trace: traces: every kind of event is there and is JSON, launches are all there, and nothing fails because of one.
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif
#include "../src/all.c"
#include "test.h"
#include "heard.h"
#include "memory_test.h"
#include "child.h"
#include <sys/resource.h>

static char path[128];

static char *whole(const char *name, size_t *n) {
  FILE *f = fopen(name, "rb");
  char *text = NULL;
  *n = 0;
  if (!f) return NULL;
  fseek(f, 0, SEEK_END);
  const long all = ftell(f);
  rewind(f);
  text = (char *)malloc((size_t)all + 1);
  if (text) { *n = fread(text, 1, (size_t)all, f); text[*n] = 0; }
  fclose(f);
  return text;
}
static int count(const char *text, const char *what) {
  int n = 0;
  for (const char *at = text; at && (at = strstr(at, what)) != NULL; at += strlen(what)) n++;
  return n;
}
static int is_json(const char *data, size_t n) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "NULL"; d.cache_dir = d.trace = "";
  tiny_ctx *t = tiny_open(&d);
  tn_source s;
  memset(&s, 0, sizeof s);
  s.t = t; s.data = (const unsigned char *)data; s.nbytes = n;
  char *text = (char *)malloc(n + 1);
  tn_json j = {&s, 0, n, text};
  const int ok = text && tn_json_skip(&j, 0) && tn_json_peek(&j) == 0;
  if (!ok) fprintf(stderr, "no JSON at byte %zu of %zu: %.60s\n", j.at, n, data + j.at);
  free(text);
  tiny_close(t);
  return ok;
}
// A trace that ended well: JSON, and each event one line of its own. To be freed.
static char *trace_of(const char *name) {
  size_t n;
  char *text = whole(name, &n);
  CHECK(text != NULL);
  if (!text) return (char *)calloc(1, 1);
  CHECK(is_json(text, n));
  CHECK(n > 4 && !strncmp(text, "[\n{", 3) && !strcmp(text + n - 3, "\n]\n"));
  CHECK_EQ(count(text, "\n{\"ph\":"), count(text, "\n") - 2);
  remove(name);
  return text;
}

static tiny_ctx *opened(const char *device, int threads, const char *trace) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = device; d.debug = ""; d.cache_dir = ""; d.threads = threads; d.trace = trace;
  d.log.fn = hear;
  heard[0] = 0;
  return tiny_open(&d);
}
static tiny_tensor *numbers(tiny_ctx *t, int rows, int columns) {
  float *x = (float *)malloc((size_t)(rows * columns) * sizeof *x);
  for (int i = 0; i < rows * columns; i++) x[i] = (float)(i * 7 % 5) - 2;
  tiny_tensor *y = tiny_from(t, x, TINY_F32, TINY_SHAPE(rows, columns));
  free(x);
  return y;
}
// Steps of training, as one writes them. Returns the loss of the last.
static double train(tiny_ctx *t, int steps, int rows) {
  tiny_tensor *w[2] = {numbers(t, 64, 32), numbers(t, 32, 8)}, *x = numbers(t, rows, 64), *g[2];
  tiny_optim o;
  double loss = 0;
  memset(&o, 0, sizeof o);
  o.kind = TINY_ADAM;
  for (int i = 0; i < steps; i++) {
    tiny_begin(t);
    tiny_scope_begin(t, "net");
    tiny_tensor *h = tiny_label(tiny_relu(tiny_matmul(x, w[0])), "fc\"1\"");
    tiny_tensor *y = tiny_mean(tiny_square(tiny_matmul(h, w[1])), TINY_ALL, 0);
    tiny_scope_end(t);
    CHECK_EQ(tiny_grad(y, w, 2, g), TINY_OK);
    CHECK_EQ(tiny_optim_step(&o, w, g, 2), TINY_OK);
    loss = tiny_item(y);
    CHECK_EQ(tiny_end(t), TINY_OK);
  }
  tiny_optim_free(&o);
  return loss;
}

static const char *const events[] = {
  "\"name\":\"process_name\"", "\"name\":\"tiny\",\"args\":{\"version\":", "\"name\":\"thread_name\"", "\"name\":\"end\"",
  "\"stage\":\"asked\",\"nodes\":[{\"id\":0,", "\"stage\":\"rewritten\"", "\"stage\":\"kernels\"", "\"kernel\":0}",
  "\"cat\":\"host\"", "\"name\":\"plan\"", "\"name\":\"run\"", "\"name\":\"lower\"",
  "\"cat\":\"schedule\"", "\"places\":[{\"kind\":", "\"arena\":[",
  "\"cat\":\"pass\"", "\"name\":\"scheduled\"", "\"name\":\"program\"", "\"cat\":\"kernel\"", "\"cat\":\"launch\"",
  "\"ph\":\"C\"", "\"live\":", "\"label\":\"net/fc\\\"1\\\"\"", "\"label\":\"net/fc\\\"1\\\" (backward)\"",
  "\"label\":\"optimizer\""};

static void has_all_events(const char *device, int threads) {
  tiny_ctx *plain = opened(device, threads, "");
  const double want = train(plain, 3, 256);
  tiny_close(plain);
  tiny_ctx *t = opened(device, threads, path);
  CHECK(train(t, 3, 256) == want);
  CHECK_STR(tiny_error(t), "");
  const tiny_stats s = tiny_stats_of(t);
  tiny_close(t);
  CHECK_STR(heard, "");
  char *text = trace_of(path);
  for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
    CHECK(strstr(text, events[i]) != NULL);
    if (!strstr(text, events[i])) fprintf(stderr, "    %s: no %s\n", device, events[i]);
  }
  CHECK_EQ(count(text, "\"cat\":\"launch\""), s.kernels);
  CHECK_EQ(count(text, "\"cat\":\"schedule\""), s.schedules);
  if (strcmp(device, "CPU")) { free(text); return; }
  CHECK(s.compiled > 0 && strstr(text, "\"name\":\"compile\"") != NULL);
  CHECK_EQ(count(text, "\"from\":\"compiled\""), s.compiled);
  CHECK(count(text, "\"source\":\"") == (int)s.compiled && !strstr(text, "\"source\":\"\""));
  if (threads > 1) CHECK(count(text, "\"cat\":\"worker\"") >= (int)s.kernels);
  free(text);
}

// What one device makes, another one, and what is made of both, keep their names, also within a scope.
static void names_on_devices(void) {
  tiny_ctx *t = opened("INTERP,INTERP", 1, path);
  tiny_scope_begin(t, "net");
  tiny_tensor *a = tiny_rand(t, TINY_SHAPE(8, 8)), *b = tiny_to(a, 1), *c = tiny_label(tiny_matmul(b, b), "right");
  tiny_tensor *sum = tiny_sum(tiny_add(tiny_label(tiny_matmul(a, a), "left"), tiny_to(c, 0)), TINY_ALL, 0);
  tiny_label(sum, "both");
  CHECK_EQ(tiny_realize(&sum, 1), TINY_OK);
  tiny_scope_end(t);
  CHECK_STR(tiny_error(t), "");
  tiny_close(t);
  char *text = trace_of(path), *schedule = strstr(text, "\"cat\":\"schedule\"");
  CHECK(schedule && strstr(schedule, "\"label\":\"net/left\",\"device\":0"));
  CHECK(schedule && strstr(schedule, "\"label\":\"net/right\",\"device\":1"));
  CHECK(schedule && strstr(schedule, "\"label\":\"net/both\",\"device\":0"));
  free(text);
}

// A trace that begins later knows what was planned before.
static void begins_later(void) {
  tiny_ctx *t = opened("INTERP", 1, "");
  tiny_tensor *x = numbers(t, 8, 8), *y = tiny_label(tiny_softmax(tiny_matmul(x, x), -1), "late"), *out;
  tiny_program *p = tiny_capture(t, &x, 1, &y, 1);
  CHECK_EQ(tiny_run(p, &x, &out), TINY_OK);
  for (int again = 0; again < 2; again++) {
    CHECK_EQ(tiny_trace_begin(t, path), TINY_OK);
    for (int i = 0; i < 3; i++) CHECK_EQ(tiny_run(p, &x, &out), TINY_OK);
    CHECK_EQ(tiny_trace_end(t), TINY_OK);
    CHECK_EQ(tiny_run(p, &x, &out), TINY_OK);
    char *text = trace_of(path);
    CHECK_EQ(count(text, "\"cat\":\"launch\""), 3 * tiny_program_kernel_count(p));
    CHECK_EQ(count(text, "\"cat\":\"schedule\""), 1);
    CHECK_EQ(count(text, "\"from\":\"memory\""), tiny_program_kernel_count(p));
    CHECK(strstr(text, "\"label\":\"late\"") != NULL);
    free(text);
  }
  CHECK_STR(tiny_error(t), "");
  tiny_close(t);
}

static void wrong_calls(void) {
  tiny_ctx *t = opened("INTERP", 1, "");
  CHECK_EQ(tiny_trace_begin(NULL, path), TINY_E_ARG);
  CHECK_EQ(tiny_trace_end(NULL), TINY_E_ARG);
  CHECK_EQ(tiny_trace_end(t), TINY_E_STATE);
  CHECK_STR(tiny_error(t), "trace_end: no trace is written");
  tiny_clear(t);
  CHECK_EQ(tiny_trace_begin(t, NULL), TINY_E_ARG);
  tiny_clear(t);
  CHECK_EQ(tiny_trace_begin(t, ""), TINY_E_ARG);
  tiny_clear(t);
  CHECK_EQ(tiny_trace_begin(t, "/no/such/folder/x.trace"), TINY_E_IO);
  CHECK_STR(tiny_error(t), "trace_begin: /no/such/folder/x.trace cannot be written");
  tiny_clear(t);
  CHECK_EQ(tiny_trace_begin(t, "/dev/null"), TINY_E_IO);
  tiny_clear(t);
  CHECK_EQ(tiny_trace_begin(t, path), TINY_OK);
  CHECK_EQ(tiny_trace_begin(t, path), TINY_E_STATE);
  tiny_clear(t);
  tiny_matmul(numbers(t, 2, 3), numbers(t, 2, 3));
  tiny_clear(t);
  tiny_matmul(numbers(t, 4, 3), numbers(t, 4, 3));
  CHECK_EQ(tiny_trace_end(t), TINY_OK);
  tiny_clear(t);
  tiny_close(t);
  char *text = trace_of(path);
  CHECK(strstr(text, "\"cat\":\"error\"") != NULL && strstr(text, "(2,3) @ (2,3)") != NULL && strstr(text, "(4,3) @ (4,3)"));
  free(text);
  t = opened("INTERP", 1, "/no/such/folder/x.trace");
  CHECK_STR(heard, "tiny: no trace: /no/such/folder/x.trace cannot be written\n");
  CHECK(tiny_item(tiny_sum(numbers(t, 2, 2), TINY_ALL, 0)) == -1);
  CHECK_STR(tiny_error(t), "");
  tiny_close(t);
}

static void two_contexts(void) {
  char second[160];
  tiny_ctx *a = opened("INTERP", 1, path), *b = opened("INTERP", 1, path);
  snprintf(second, sizeof second, "%s.2", path);
  train(a, 1, 8);
  train(b, 2, 8);
  const int na = (int)tiny_stats_of(a).kernels, nb = (int)tiny_stats_of(b).kernels;
  tiny_close(a);
  tiny_close(b);
  char *x = trace_of(path), *y = trace_of(second);
  CHECK_EQ(count(x, "\"cat\":\"launch\""), na);
  CHECK_EQ(count(y, "\"cat\":\"launch\""), nb);
  free(x);
  free(y);
}

// A disk that is full ends the trace, with a line, and nothing else.
static int on_a_full_disk(void) {
  const struct rlimit little = {20000, 20000};
  setrlimit(RLIMIT_FSIZE, &little);
  tiny_ctx *t = opened("INTERP", 1, path);
  const double got = train(t, 2, 8);
  const int well = tiny_status(t) == TINY_OK && got > 0 && !t->trace;
  if (!well) fprintf(stderr, "%s, %g, %d: %s\n", tiny_error(t), got, t->trace != NULL, heard);
  tiny_close(t);
  return well && !strcmp(heard, "tiny: the trace cannot be written any more, and ends\n") ? 0 : 3;
}
static void full_disk(void) {
  fflush(stdout);
  const pid_t pid = fork();
  if (!pid) _exit(on_a_full_disk());
  CHECK_EQ(child_result(pid), 0);
  remove(path);
}
// Nothing can be written any more after so many bytes: behind any event, and within it. Returns whether the trace has ended
// by itself.
static int fails_behind(size_t nbytes) {
  tiny_ctx *t = opened("INTERP", 1, "");
  tiny_tensor *x = numbers(t, 8, 8), *y = tiny_label(tiny_softmax(tiny_matmul(x, x), -1), "y"), *out;
  tiny_program *p = tiny_capture(t, &x, 1, &y, 1);
  CHECK_EQ(tiny_trace_begin(t, path), TINY_OK);
  tn_trace_flush(t);
  tn_os_close(t->trace->file);
  t->trace->file = open("/dev/null", O_RDONLY);
  t->trace->n = sizeof t->trace->buffer - nbytes;
  CHECK_EQ(tiny_run(p, &x, &out), TINY_OK);                  // kernels and a schedule that the trace does not know
  tiny_tensor *one = tiny_tanh(numbers(t, 3, 3));            // passes
  CHECK_EQ(tiny_realize(&one, 1), TINY_OK);
  tiny_matmul(numbers(t, 2, 3), numbers(t, 2, 3));
  if (t->trace) tn_trace_span(t, "an event that begins with the error", t->opened);
  tiny_clear(t);
  CHECK_STR(tiny_error(t), "");
  const int ended = !t->trace;
  if (ended) CHECK_STR(heard, "tiny: the trace cannot be written any more, and ends\n");
  tiny_close(t);
  return ended;
}
static void fails_anywhere(void) {
  size_t n = 1;
  while (n < 1 << 15 && fails_behind(n)) n += (size_t)test_brief(211, 37);
  CHECK(n > 4000 && n < 1 << 15);
  remove(path);
}
// A child of fork leaves the parent's trace alone.
static void forks(void) {
  tiny_ctx *t = opened("INTERP", 1, path);
  train(t, 1, 8);
  fflush(stdout);
  const pid_t pid = fork();
  if (!pid) {
    train(t, 1, 8);
    const int well = tiny_status(t) == TINY_OK;
    tiny_close(t);
    if (!well || *heard) fprintf(stderr, "child: %d %s\n", well, heard);
    _exit(well && !*heard ? 0 : 3);
  }
  CHECK_EQ(child_result(pid), 0);
  train(t, 1, 8);
  const int n = (int)tiny_stats_of(t).kernels;
  tiny_close(t);
  char *text = trace_of(path);
  CHECK_EQ(count(text, "\"cat\":\"launch\""), n);
  free(text);
}

static void refused(void) {
  int ended = 0;
  for (long n = 1; n < 20000 && !ended; n += 1 + n / test_brief(8, 40)) {
    memory_count m = {0, n, 0, 0};
    tiny_desc d;
    memset(&d, 0, sizeof d);
    d.device = "INTERP"; d.alloc.fn = memory_fn; d.alloc.user = &m; d.cache_dir = d.debug = ""; d.threads = 1; d.trace = path;
    d.log.fn = hear;
    heard[0] = 0;
    tiny_ctx *t = tiny_open(&d);
    if (t) {
      tiny_tensor *x = numbers(t, 4, 4), *y = tiny_label(tiny_softmax(tiny_matmul(x, x), -1), "y");
      tiny_realize(&y, 1);
      ended = m.calls < n;
      if (ended) CHECK_STR(tiny_error(t), "");
      CHECK(tiny_status(t) == TINY_OK || tiny_status(t) == TINY_E_MEMORY);
      tiny_close(t);
    }
    CHECK_EQ(m.live, 0);
    CHECK_EQ(m.wrong, 0);
    size_t nbytes;
    char *text = whole(path, &nbytes);
    CHECK(!text || is_json(text, nbytes));
    free(text);
    remove(path);
  }
  CHECK(ended);
}

int main(void) {
  snprintf(path, sizeof path, "build/test_trace-%ld.json", (long)getpid());
  has_all_events("INTERP", 1);
  has_all_events("CPU", 1);
  has_all_events("CPU", 4);
  has_all_events("CPU,CPU", 4);
  names_on_devices();
  begins_later();
  wrong_calls();
  two_contexts();
  full_disk();
  fails_anywhere();
  forks();
  refused();
  return test_report();
}
