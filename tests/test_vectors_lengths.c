// brief: asan
// vectors of lengths: every operator's cases with a dim that is longer in memory, of which its first elements are meant:
// what takes that gives what PyTorch and NumPy give for the shape it is meant to be, with gradients; all others refuse.
//
//   test_vectors_lengths [room ..]     the rooms named, or all. TEST_ONLY=tiny_sum: cases whose name begins so.
//
// What lies behind a length is NaN, of integers -1: whoever reads it shows. By the reference interpreter, and by kernels.
#include "../src/all.c"
#include "test.h"
#include "vectors.h"

enum { MORE = 3 };                         // elements behind the length
enum { ONLY, RIGHT, LEFT, EVERY, MODES };  // which inputs have it besides the first: none; the same axis, counted from
                                           // the last or the first; every axis of that many elements
static int taken, refused;

// ** arrays in longer dims **

// dims: of memory. bytes of s lie in memory of those dims, between bytes of 0xFF; out: the other way.
static void lay(unsigned char *memory, const int64_t *dims, const tiny_shape *s, size_t each, unsigned char *compact, int out) {
  const int64_t n = tn_dims_nelem(s->ndim, s->dim);
  for (int64_t i = 0; i < n; i++) {
    int64_t left = i, at = 0, stride = 1;
    for (int d = s->ndim - 1; d >= 0; d--) { at += left % s->dim[d] * stride; left /= s->dim[d]; stride *= dims[d]; }
    if (out) memcpy(compact + (size_t)i * each, memory + (size_t)at * each, each);
    else memcpy(memory + (size_t)at * each, compact + (size_t)i * each, each);
  }
}
static tiny_tensor *laid(tiny_ctx *t, const value *v, const int64_t *dims) {
  const size_t each = tiny_dtype_nbytes(v->dtype), nbytes = (size_t)tn_dims_nelem(v->s.ndim, dims) * each;
  unsigned char *memory = (unsigned char *)malloc(nbytes + 1);
  tiny_shape s = v->s;
  memset(memory, v->dtype == TINY_BOOL ? 1 : 0xFF, nbytes);
  lay(memory, dims, &v->s, each, (unsigned char *)(uintptr_t)v->data, 0);
  memcpy(s.dim, dims, sizeof s.dim);
  tiny_tensor *x = tiny_from(t, memory, v->dtype, s);
  free(memory);
  return x;
}

// The loss that the vectors' gradients are of; y may have lengths.
static tiny_tensor *loss_meant(tiny_ctx *t, tiny_tensor **y, int ny) {
  tiny_tensor *loss = NULL;
  for (int k = 0; k < ny; k++) {
    const tiny_shape now = tiny_shape_now(y[k]), most = tiny_shape_of(y[k]);
    const int64_t n = tn_dims_nelem(now.ndim, now.dim);
    if (!tn_is_float(tiny_dtype_of(y[k]))) continue;
    double *w = (double *)malloc((size_t)(n + 1) * sizeof *w);
    for (int64_t i = 0; w && i < n; i++) w[i] = (double)((7 * (i + 3 * k) + 3) % 11 - 5) / 4;
    const value v = {TINY_F64, now, (const unsigned char *)w, NULL};
    tiny_tensor *weights = tiny_cast(laid(t, &v, most.dim), tiny_dtype_of(y[k]));
    for (int d = 0; d < most.ndim; d++)
      if (tn_extent_of(tn_uop_of(y[k]), d)) weights = tiny_slice_to(weights, d, tiny_length_of(y[k], d));
    tiny_tensor *part = tiny_sum(tiny_mul(y[k], weights), TINY_ALL, 0);
    loss = loss ? tiny_add(loss, part) : part;
    free(w);
  }
  return loss;
}

// ** cases **

// Which axes of the inputs have the length of axis `axis` of the first one: a bit each. 0: nothing but in another mode.
static int chosen(const vector_case *c, int first, int axis, int mode, uint32_t *axes) {
  const int64_t d = c->in[first].s.dim[axis];
  int others = 0;
  memset(axes, 0, MOST * sizeof *axes);
  axes[first] = 1u << axis;
  for (int i = 0; i < c->nin && mode != ONLY; i++) {
    const tiny_shape *s = &c->in[i].s;
    for (int a = 0; a < s->ndim; a++) {
      const int same = mode == EVERY || (mode == LEFT ? a == axis : s->ndim - a == c->in[first].s.ndim - axis);
      if (s->dim[a] == d && same && !(axes[i] >> a & 1) && (i != first || mode == EVERY)) { axes[i] |= 1u << a; others++; }
    }
  }
  return mode == ONLY || others;
}

static void describe(const vector_case *c, const uint32_t *axes, const char *what) {
  printf("%s(", c->op->name);
  for (int i = 0; i < c->nin; i++) {
    printf("%s%s ", i ? ", " : "", tiny_dtype_name(c->in[i].dtype));
    for (int d = 0; d < c->in[i].s.ndim; d++) printf("%s%d%s", d ? "," : "(", (int)c->in[i].s.dim[d], axes[i] >> d & 1 ? "*" : "");
    printf("%s", c->in[i].s.ndim ? ")" : "()");
  }
  printf("): %s\n", what);
}

// Is what was computed what is wanted? dims: of memory, NULL: x is compact.
static int is_read(const vector_case *c, const uint32_t *axes, value *v, tiny_tensor *x, const int64_t *dims, int is_grad,
                   tiny_code (*read)(tiny_tensor *x, void *out, size_t nbytes)) {
  const tiny_shape now = dims ? v->s : tiny_shape_now(x);
  const size_t each = tiny_dtype_nbytes(v->dtype), nbytes = (size_t)tn_dims_nelem(v->s.ndim, v->s.dim) * each;
  const size_t whole = dims ? (size_t)tn_dims_nelem(v->s.ndim, dims) * each : nbytes;
  char text[256];
  int64_t at = 0;
  if (tiny_dtype_of(x) != v->dtype || now.ndim != v->s.ndim || !tn_dims_same(now.ndim, now.dim, v->s.dim)) {
    describe(c, axes, "another shape or dtype");
    return 0;
  }
  unsigned char *memory = (unsigned char *)malloc(whole + 1), *got = (unsigned char *)malloc(nbytes + 1);
  const tiny_code code = read(x, memory, whole);
  if (!dims) memcpy(got, memory, nbytes);
  else lay(memory, dims, &v->s, each, got, 1);
  const double e = code == TINY_OK ? error_of(v, got, c->tol < 0, c->tol < 0 && !is_grad, &at) : HUGE_VAL;
  const int ok = e <= fabs((double)c->tol) * (is_grad ? 4 : 1);
  if (!ok && code != TINY_OK) describe(c, axes, tiny_error(tiny_ctx_of(x)));
  else if (!ok) {
    snprintf(text, sizeof text, "%s: element %d is %.9g, wanted %.9g (%.3g epsilons)", is_grad ? "gradient" : "value", (int)at,
             number(v->dtype, got, at), number(v->dtype, v->data, at), e);
    describe(c, axes, text);
  }
  free(memory); free(got);
  return ok;
}

static int is_wanted(const vector_case *c, const uint32_t *axes, value *v, tiny_tensor *x, const int64_t *dims, int is_grad) {
  return is_read(c, axes, v, x, dims, is_grad, tiny_reference) && is_read(c, axes, v, x, dims, is_grad, tiny_read);
}

static void run_case(tiny_ctx *t, vector_case *c, const uint32_t *axes, int64_t d) {
  tiny_tensor *in[MOST] = {0}, *out[MOST] = {0}, *params[MOST], *grads[MOST] = {0};
  int64_t dims[MOST][TINY_MAX_DIMS];
  int n = 0;
  tiny_begin(t);
  tiny_tensor *length = tiny_length(t, d, 0, d + MORE);
  for (int i = 0; i < c->nin; i++) {
    memcpy(dims[i], c->in[i].s.dim, sizeof dims[i]);
    for (int a = 0; a < c->in[i].s.ndim; a++) if (axes[i] >> a & 1) dims[i][a] += MORE;
    in[i] = laid(t, &c->in[i], dims[i]);
    if (c->with_grad >> i & 1) params[n++] = in[i];
    for (int a = 0; a < c->in[i].s.ndim; a++) if (axes[i] >> a & 1) in[i] = tiny_slice_to(in[i], a, length);
  }
  const int built = tiny_status(t) == TINY_OK && c->op->make(t, in, out) == c->nout && tiny_status(t) == TINY_OK;
  taken += built; refused += !built;
  if (!built) CHECK(tiny_status(t) == TINY_E_SHAPE || tiny_status(t) == TINY_E_ARG || tiny_status(t) == TINY_E_STATE);
  for (int k = 0; built && k < c->nout; k++) CHECK(is_wanted(c, axes, &c->out[k], out[k], NULL, 0));
  if (built && n && tiny_status(t) == TINY_OK) {
    const tiny_code code = tiny_grad(loss_meant(t, out, c->nout), params, n, grads);
    if (code != TINY_OK) describe(c, axes, tiny_error(t));
    CHECK_EQ(code, TINY_OK);
    for (int i = 0, k = 0; code == TINY_OK && i < c->nin; i++) if (c->with_grad >> i & 1) {
      CHECK(is_wanted(c, axes, &c->grad[k], grads[k], dims[i], 1));
      k++;
    }
  }
  tiny_clear(t);
  tiny_end(t);
}

// The deviation of nothing is NaN, and so are gradients that pass by it; of no elements there are none to be wrong.
static int is_of_nothing(const vector_case *c, int64_t d) { return !d && !strcmp(c->op->name, "tiny_batch_norm"); }

static void run_room(tiny_ctx *t, const vector_room *room, const char *only, size_t step) {
  vector_case c;
  uint32_t axes[MOST];
  size_t nbytes = 0, number_of_case = 0;
  unsigned char *data = load_room(room, &nbytes);
  CHECK(data != NULL);
  for (const unsigned char *p = data; data && p < data + nbytes;) {
    p = take_case(p, room, &c);
    if (only ? strncmp(c.op->name, only, strlen(only)) != 0 : number_of_case++ % step != 0) continue;
    for (int first = 0; first < c.nin; first++)
      for (int axis = 0; axis < c.in[first].s.ndim; axis++)
        for (int mode = 0; mode < (first ? ONLY + 1 : MODES); mode++) {
          const int64_t d = c.in[first].s.dim[axis];       // a length that is 1 now is no dim of 1
          if (d != 1 && !is_of_nothing(&c, d) && chosen(&c, first, axis, mode, axes)) run_case(t, &c, axes, d);
        }
  }
  free(data);
}

int main(int argc, char **argv) {
  const char *only = getenv("TEST_ONLY");
  const size_t step = test_step();         // TEST_BRIEF: every so many cases
  for (size_t r = 0; r < sizeof rooms / sizeof *rooms; r++) {
    if (!is_room_named(&rooms[r], argc, argv)) continue;
    tiny_ctx *t = tiny_open(&(tiny_desc){.device = "INTERP"});
    run_room(t, &rooms[r], only, step);
    tiny_close(t);
  }
  printf("%d taken, %d refused\n", taken, refused);
  if (argc < 2 && !only && step == 1) CHECK(taken >= 31000);            // to refuse more is to lose what could be done
  return test_report();
}
