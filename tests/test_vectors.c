// brief: outside levels
// also: outside levels
// vectors: every operator, dtype and shape of tests/vectors against what PyTorch and NumPy give, with gradients: by the reference
// interpreter, and on the default device.
//
//   test_vectors [room ..]     the rooms named, or all. TEST_ONLY=tiny_sum: cases whose name begins so.
//   TEST_STRIDE=40             every 40th case of a room.
//   TEST_BRIEF=1               all by the interpreter; on the device a third of them, and each operator with each dtype.
//
// What was measured goes to build/operators/<device>.txt, a line an operator: cases, largest error in units of the
// tolerance's epsilon, gradients, their largest error. tools/operators.py makes docs/operators.md from it.
#include "../src/all.c"
#include "test.h"
#include <sys/stat.h>

#include "vectors.h"

enum { BATCH = 64, NOPS = 4096 };
// The case begins: an operator, the dtypes and shapes of its inputs. 0: TEST_ONLY names others.
static int begin_case(const vector_case *c) {
  char dims[TN_DIMS_TEXT], name[160];
  int n = snprintf(name, sizeof name, "%s(", c->op->name);
  for (int i = 0; i < c->nin && n < (int)sizeof name; i++)
    n += snprintf(name + n, sizeof name - (size_t)n, "%s%s %s", i ? ", " : "", tiny_dtype_name(c->in[i].dtype),
                  tn_dims_text(dims, sizeof dims, c->in[i].s.ndim, c->in[i].s.dim));
  return case_named("%s)", name);
}
static void describe(const vector_case *c, const char *what) { printf("%s: %s\n", c->op->name, what); }

// Is x of the shape and dtype wanted? Says so where not.
static int fits(const vector_case *c, const value *v, const char *what) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT], text[1024];
  if (!tiny_ok(v->got)) return 0;
  const tiny_shape s = tiny_shape_of(v->got);
  if (tiny_dtype_of(v->got) == v->dtype && s.ndim == v->s.ndim && tn_dims_same(s.ndim, s.dim, v->s.dim)) return 1;
  snprintf(text, sizeof text, "%s is %s %s, wanted %s %s", what, tiny_dtype_name(tiny_dtype_of(v->got)),
           tn_dims_text(a, sizeof a, s.ndim, s.dim), tiny_dtype_name(v->dtype), tn_dims_text(b, sizeof b, v->s.ndim, v->s.dim));
  describe(c, text);
  return 0;
}

// Builds a case: outputs and gradients, lazy. 0 and a message: they do not fit.
static int build(tiny_ctx *t, vector_case *c) {
  tiny_tensor *in[MOST] = {0}, *out[MOST] = {0}, *params[MOST], *grads[MOST];
  int n = 0, ok;
  for (int i = 0; i < c->nin; i++) {
    in[i] = c->in[i].got = tiny_from(t, c->in[i].data, c->in[i].dtype, c->in[i].s);
    if (c->with_grad >> i & 1) params[n++] = in[i];
    if (tiny_device_count(t) > 1 && !assigns(c)) in[i] = tiny_to(in[i], 1);     // computed elsewhere than where it lies
  }
  ok = c->op->make(t, in, out) == c->nout;
  for (int k = 0; ok && k < c->nout; k++) { c->out[k].got = out[k]; ok = fits(c, &c->out[k], "result"); }
  if (ok && n) {
    ok = tiny_grad(loss_of(t, out, c->nout), params, n, grads) == TINY_OK;
    for (int i = 0; ok && i < n; i++) { c->grad[i].got = grads[i]; ok = fits(c, &c->grad[i], "gradient"); }
  }
  if (!ok) describe(c, tiny_error(t));
  tiny_clear(t);
  return ok;
}

// ** comparison **

typedef struct measured { const char *name; int cases, grads; double error, grad_error; uint64_t dtypes; } measured;
static measured found[2][NOPS];            // by the interpreter, on the device
static int nfound[2];

static measured *measured_of(int device, const char *name) {
  for (int i = 0; i < nfound[device]; i++) if (!strcmp(found[device][i].name, name)) return &found[device][i];
  if (nfound[device] == NOPS) return &found[device][0];
  found[device][nfound[device]].name = name;
  return &found[device][nfound[device]++];
}

// Does a device without f64 say that it has none? What wants it is refused, and no failure.
static int refused;
static int is_refused(tiny_ctx *t, tiny_code code) {
  const uint64_t has = t->device[0]->renderer.dtypes;
  if (code == TINY_OK || has >> TINY_F64 & 1 || !strstr(tiny_error(t), " has no f64")) return 0;
  tiny_clear(t);
  return ++refused;
}

// What is assigned in the frame and was not read is computed at its end.
static void end_frame(tiny_ctx *t) {
  const tiny_code code = tiny_end(t);
  CHECK(code == TINY_OK || is_refused(t, code));
}

static void compare(tiny_ctx *t, const vector_case *c, const value *v, int device, int is_grad) {
  const size_t nbytes = (size_t)tiny_nelem_of(v->got) * tiny_dtype_nbytes(v->dtype);
  unsigned char *got = (unsigned char *)malloc(nbytes + 1);
  const tiny_code code = device ? tiny_read(v->got, got, nbytes) : tiny_reference(v->got, got, nbytes);
  int64_t at = 0;
  if (device && is_refused(t, code)) { free(got); return; }
  const double e = code == TINY_OK ? error_of(v, got, c->tol < 0, c->tol < 0 && !is_grad, &at) : HUGE_VAL;
  const double allowed = fabs((double)c->tol) * (is_grad ? 4 : 1);
  measured *m = measured_of(device, c->op->name);
  if (is_grad) { m->grads++; m->grad_error = e > m->grad_error ? e : m->grad_error; }
  else { m->cases++; m->error = e > m->error ? e : m->error; }
  if (e > allowed) {
    char text[512];
    if (code != TINY_OK) snprintf(text, sizeof text, "%s", tiny_error(t));
    else snprintf(text, sizeof text, "%s by %s: element %lld is %.9g, wanted %.9g (%.3g epsilons)", is_grad ? "gradient" : "value", device ? tiny_device_name(t, 0) : "the interpreter",
                  (long long)at, number(v->dtype, got, at), number(v->dtype, v->data, at), e);
    describe(c, text);
    tiny_clear(t);
  }
  static const char *const what[2][2] = {{"the interpreter's value", "the interpreter's gradient"}, {"the device's value", "the device's gradient"}};
  test_check(e <= allowed, __FILE__, __LINE__, what[device][is_grad]);
  free(got);
}

// Where TEST_BRIEF is set most cases are the interpreter's alone: compilers take most of the time.
static int is_for_device(const vector_case *c) {
  static int turn;
  uint64_t dtypes = 0;
  for (int i = 0; i < c->nin; i++) dtypes |= (uint64_t)1 << c->in[i].dtype;
  measured *m = measured_of(1, c->op->name);
  const int is_new = (dtypes & ~m->dtypes) != 0;
  m->dtypes |= dtypes;
  return !getenv("TEST_BRIEF") || is_new || turn++ % 3 == 0;
}

static void run_batch(tiny_ctx *t, vector_case *c, int n) {
  static tiny_tensor *all[BATCH * MOST * 2];
  int built[BATCH], on_device[BATCH], m = 0;
  for (int i = 0; i < n; i++) {
    begin_case(&c[i]);
    built[i] = build(t, &c[i]);
    CHECK(built[i]);
    on_device[i] = built[i] && is_for_device(&c[i]);
    for (int k = 0; on_device[i] && k < c[i].nout; k++) all[m++] = c[i].out[k].got;
    for (int k = 0; on_device[i] && k < c[i].ngrad; k++) all[m++] = c[i].grad[k].got;
  }
  for (int device = 0; device < 2; device++) {
    if (device && tiny_realize(all, m) != TINY_OK && !is_refused(t, tiny_status(t))) {
      printf("realize: %s\n", tiny_error(t));
      tiny_clear(t);
    }
    for (int i = 0; i < n; i++) {
      begin_case(&c[i]);
      const int wanted = device ? on_device[i] : built[i];
      for (int k = 0; wanted && k < c[i].nout; k++) compare(t, &c[i], &c[i].out[k], device, 0);
      for (int k = 0; wanted && k < c[i].ngrad; k++) compare(t, &c[i], &c[i].grad[k], device, 1);
    }
  }
}

// ** rooms **

static void run_room(tiny_ctx *t, const vector_room *room, const char *only, int stride) {
  static vector_case c[BATCH];
  size_t nbytes = 0;
  int n = 0, number_of_case = 0;
  unsigned char *data = load_room(room, &nbytes);
  CHECK(data != NULL);
  for (const unsigned char *p = data; data && p < data + nbytes;) {
    p = take_case(p, room, &c[n]);
    if (only && !begin_case(&c[n])) continue;
    if (number_of_case++ % stride == 0) n++;
    if (n < BATCH && p < data + nbytes) continue;
    tiny_begin(t);
    run_batch(t, c, n);
    case_end();
    end_frame(t);
    n = 0;
  }
  if (n) { tiny_begin(t); run_batch(t, c, n); end_frame(t); }
  free(data);
}

static void write_measured(int device, const char *name) {
  char path[256];
  snprintf(path, sizeof path, "build/operators/%s.txt", name);
  FILE *f = fopen(path, "w");
  if (!f) return;
  for (int i = 0; i < nfound[device]; i++) {
    const measured *m = &found[device][i];
    fprintf(f, "%s %d %.3g %d %.3g\n", m->name, m->cases, m->error, m->grads, m->grad_error);
  }
  fclose(f);
}

int main(int argc, char **argv) {
  tiny_ctx *t = tiny_open(NULL);
  const char *only = getenv("TEST_ONLY"), *every = getenv("TEST_STRIDE");
  const int stride = every ? atoi(every) : 1;
  for (size_t r = 0; r < sizeof rooms / sizeof *rooms; r++)
    if (is_room_named(&rooms[r], argc, argv)) run_room(t, &rooms[r], only, stride);
  if (argc == 1 && !only && stride == 1 && !getenv("TEST_BRIEF")) {
    tn_os_make_dirs("build/operators");
    write_measured(0, "interpreter");
    write_measured(1, tiny_device_name(t, 0));
  }
  if (refused) printf("refused: %d times %s said that it has no f64\n", refused, tiny_device_name(t, 0));
  tiny_close(t);
  return test_report();
}
