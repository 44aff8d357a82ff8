// also: valgrind
// test_labels: names and scopes: what gets them, where they are seen, and that they change nothing.
#include "../src/all.c"
#include "test.h"
#include "heard.h"
#include "memory_test.h"

static tiny_ctx *opened(const char *device, const char *debug) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = device; d.debug = debug; d.cache_dir = ""; d.threads = 1;
  d.log.fn = hear;
  heard[0] = 0;
  return tiny_open(&d);
}
static tiny_tensor *numbers(tiny_ctx *t, int rows, int columns) {
  float x[64];
  for (int i = 0; i < rows * columns; i++) x[i] = (float)(i * 7 % 5) - 2;
  return tiny_from(t, x, TINY_F32, TINY_SHAPE(rows, columns));
}

static void names_reach_what_was_made(void) {
  tiny_ctx *t = opened("INTERP", "");
  tiny_tensor *x = numbers(t, 4, 4), *w = numbers(t, 4, 4);
  CHECK_STR(tiny_label_of(x), "");
  tiny_tensor *h = tiny_matmul(x, w), *y = tiny_relu(h);
  CHECK(tiny_label(y, "fc1") == y);
  CHECK_STR(tiny_label_of(y), "fc1");
  CHECK_STR(tiny_label_of(h), "fc1");      // made for it
  CHECK_STR(tiny_label_of(w), "");         // but not what is in memory
  tiny_tensor *z = tiny_exp(tiny_neg(y));
  CHECK(tiny_label(z, "out") == z);
  CHECK_STR(tiny_label_of(z), "out");
  CHECK_STR(tiny_label_of(y), "fc1");      // has a name of its own
  CHECK(tiny_label(z, "again") == z);
  CHECK_STR(tiny_label_of(z), "again");
  CHECK(tiny_label(z, "") == z);
  CHECK_STR(tiny_label_of(z), "again");
  CHECK(tiny_label(w, "weight") == w);
  CHECK_STR(tiny_label_of(w), "weight");
  char longer[600];
  memset(longer, 'n', sizeof longer - 1);
  longer[sizeof longer - 1] = 0;
  CHECK(tiny_label(w, longer) == w);
  CHECK_EQ(strlen(tiny_label_of(w)), TN_LABEL_TEXT - 1);
  CHECK(!tiny_ok(tiny_label(w, NULL)));
  CHECK_STR(tiny_error(t), "label: name is NULL");
  tiny_clear(t);
  CHECK(!tiny_ok(tiny_label(NULL, "x")));
  CHECK_STR(tiny_label_of(NULL), "");
  tiny_close(t);
}

static void scopes_nest(void) {
  tiny_ctx *t = opened("INTERP", "");
  tiny_tensor *x = numbers(t, 4, 4);
  CHECK_EQ(tiny_scope_end(t), TINY_E_STATE);
  CHECK_STR(tiny_error(t), "scope_end: no scope is open");
  tiny_clear(t);
  CHECK_EQ(tiny_scope_begin(t, NULL), TINY_E_ARG);
  tiny_clear(t);
  CHECK_EQ(tiny_scope_begin(NULL, "x"), TINY_E_ARG);
  CHECK_EQ(tiny_scope_end(NULL), TINY_E_ARG);
  CHECK_EQ(tiny_scope_begin(t, "encoder"), TINY_OK);
  tiny_tensor *a = tiny_exp(x);
  CHECK_EQ(tiny_scope_begin(t, "block0"), TINY_OK);
  tiny_tensor *b = tiny_sqrt(a), *c = tiny_label(tiny_sin(b), "attention");
  CHECK_EQ(tiny_scope_begin(t, ""), TINY_OK);
  tiny_tensor *d = tiny_neg(c);
  CHECK(!tiny_ok(tiny_matmul(x, numbers(t, 3, 4))));
  CHECK_STR(tiny_error(t), "matmul in encoder/block0: inner dims differ: (4,4) @ (3,4)");
  tiny_clear(t);
  for (int i = 0; i < 3; i++) CHECK_EQ(tiny_scope_end(t), TINY_OK);
  CHECK_EQ(tiny_scope_end(t), TINY_E_STATE);
  tiny_clear(t);
  tiny_tensor *e = tiny_exp(d), *same = tiny_exp(x);
  CHECK_STR(tiny_label_of(a), "encoder");
  CHECK_STR(tiny_label_of(b), "encoder/block0/attention");   // made for it in the scope
  CHECK_STR(tiny_label_of(c), "encoder/block0/attention");
  CHECK_STR(tiny_label_of(d), "encoder/block0");
  CHECK_STR(tiny_label_of(e), "");
  CHECK_STR(tiny_label_of(same), "encoder");                 // the same node has the name it got
  CHECK(!tiny_ok(tiny_matmul(x, numbers(t, 3, 4))));
  CHECK_STR(tiny_error(t), "matmul: inner dims differ: (4,4) @ (3,4)");
  tiny_close(t);
}

static void names_of_gradients_and_steps(void) {
  tiny_ctx *t = opened("INTERP", "");
  tiny_tensor *x = numbers(t, 4, 4), *w = numbers(t, 4, 4), *g;
  tiny_scope_begin(t, "net");
  tiny_tensor *y = tiny_matmul(x, w);
  tiny_scope_end(t);
  CHECK_EQ(tiny_grad(tiny_sum(tiny_square(y), TINY_ALL, 0), &w, 1, &g), TINY_OK);
  CHECK_STR(tiny_label_of(g), "net (backward)");
  tiny_optim o;
  memset(&o, 0, sizeof o);
  o.kind = TINY_SGD; o.lr = 0.5;
  CHECK_EQ(tiny_optim_step(&o, &w, &g, 1), TINY_OK);
  CHECK_STR(tiny_label_of(tiny_exp(x)), "");
  CHECK_EQ(tiny_realize(&w, 1), TINY_OK);
  CHECK_STR(tiny_error(t), "");
  tiny_optim_free(&o);
  tiny_close(t);
}

// Debug letters k and s name kernels; graphs of one structure and different names say their own.
static void lines_of(const char *device) {
  tiny_ctx *t = opened(device, "k");
  tiny_tensor *w = numbers(t, 4, 4);
  float out[16], first[16];
  const char *const name[] = {"one", "two", ""};
  for (int i = 0; i < 3; i++) {
    tiny_begin(t);
    tiny_tensor *x = numbers(t, 4, 4), *y = tiny_relu(tiny_matmul(x, w));
    tiny_label(y, name[i]);
    heard[0] = 0;
    CHECK_EQ(tiny_read(y, i ? out : first, sizeof out), TINY_OK);
    if (i) CHECK(!memcmp(out, first, sizeof out));
    CHECK_EQ(strstr(heard, "  one\n") != NULL, i == 0);
    CHECK_EQ(strstr(heard, "  two\n") != NULL, i == 1);
    tiny_end(t);
  }
  const tiny_stats s = tiny_stats_of(t);
  CHECK_EQ(s.schedules, 1);
  CHECK_EQ(s.replays, 2);
  CHECK_STR(tiny_error(t), "");
  tiny_close(t);
}

// A name changes no plan, no kernel and no digest, but for the one plan that was made before there were any names.
static void nothing_changes(void) {
  tiny_ctx *t = opened("INTERP", "");
  tiny_tensor *w = numbers(t, 4, 4);
  for (int i = 0; i < 6; i++) {
    char name[16];
    snprintf(name, sizeof name, "step%d", i);
    tiny_begin(t);
    if (i) tiny_scope_begin(t, name);
    tiny_tensor *y = tiny_softmax(tiny_matmul(numbers(t, 4, 4), w), -1);
    if (i) tiny_scope_end(t);
    CHECK_EQ(tiny_realize(&y, 1), TINY_OK);
    tiny_end(t);
  }
  CHECK_EQ(tiny_stats_of(t).schedules, 2);
  CHECK_EQ(tiny_stats_of(t).replays, 4);
  int kernels = 0;
  for (int i = 0; i < TN_EXECUTABLE_BUCKETS; i++)
    for (tn_executable *e = t->device[0]->programs->bucket[i]; e; e = e->next) kernels++;
  CHECK(kernels <= 3);
  CHECK_STR(tiny_error(t), "");
  tiny_close(t);
}

// Nodes leave the table when they die; names stay.
static void table_stays_small(void) {
  tiny_ctx *t = opened("INTERP", "");
  tiny_scope_begin(t, "loop");
  for (int i = 0; i < 3000; i++) {
    tiny_begin(t);
    tiny_tensor *x = tiny_scalar(t, i, TINY_F32), *y = x;
    for (int k = 0; k < 10; k++) y = tiny_exp(y);
    tiny_end(t);
  }
  CHECK(t->labels->used <= t->ir->nodes.n);
  tiny_tensor *x = numbers(t, 2, 2), *y = tiny_exp(x);
  CHECK_EQ(tiny_realize(&y, 1), TINY_OK);
  tn_collect(t);
  CHECK(t->labels->used < 16);
  CHECK_EQ(t->labels->n, 1);
  for (uint32_t i = 0; i < t->ir->nodes.cap; i++) if (tn_nodes_has(&t->ir->nodes, i)) {
    const tiny_uop *u = t->ir->nodes.table[i].u;
    const int label = tn_label_of(t, u);
    CHECK(label == 0 || label == 1);
  }
  CHECK_STR(tiny_label_of(y), "loop");
  tiny_close(t);
}

static void two_contexts(void) {
  tiny_ctx *a = opened("INTERP", ""), *b = opened("INTERP", "");
  tiny_scope_begin(a, "a");
  tiny_tensor *x = tiny_exp(numbers(a, 2, 2)), *y = tiny_exp(numbers(b, 2, 2));
  CHECK_STR(tiny_label_of(x), "a");
  CHECK_STR(tiny_label_of(y), "");
  CHECK_EQ(tiny_scope_end(b), TINY_E_STATE);
  tiny_close(a);
  tiny_close(b);                           // with a scope of the other open
}

static void refused(void) {
  int ended = 0;
  for (long n = 1; n < 4000 && !ended; n++) {
    memory_count m = {0, n, 0, 0};
    tiny_desc d;
    memset(&d, 0, sizeof d);
    d.device = "INTERP"; d.alloc.fn = memory_fn; d.alloc.user = &m; d.cache_dir = ""; d.threads = 1; d.debug = "";
    tiny_ctx *t = tiny_open(&d);
    if (t) {
      tiny_tensor *x = numbers(t, 2, 2);
      for (int i = 0; i < 20; i++) {
        char name[16];
        snprintf(name, sizeof name, "s%d", i);
        tiny_scope_begin(t, name);
        x = tiny_label(tiny_exp(x), "x");
      }
      tiny_realize(&x, 1);
      ended = m.calls < n;
      if (ended) CHECK_STR(tiny_error(t), "");
      CHECK(tiny_status(t) == TINY_OK || tiny_status(t) == TINY_E_MEMORY);
      tiny_close(t);
    }
    CHECK_EQ(m.live, 0);
    CHECK_EQ(m.wrong, 0);
  }
  CHECK(ended);
}

int main(void) {
  names_reach_what_was_made();
  scopes_nest();
  names_of_gradients_and_steps();
  lines_of("INTERP");
  lines_of("CPU");
  nothing_changes();
  table_stays_small();
  two_contexts();
  refused();
  return test_report();
}
