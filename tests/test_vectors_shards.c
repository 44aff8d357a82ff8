// vectors of shards: every operator's cases with inputs that are split over devices, and the others whole on each: what
// takes that gives what PyTorch and NumPy give, with gradients; all others refuse.
//
//   test_vectors_shards [room ..]     the rooms named, or all. TEST_ONLY=tiny_sum: cases whose name begins so.
//                                     TEST_EVERY=1: all cases; else one of TEST_EVERY, the first of them case TEST_FROM
#include "../src/all.c"
#include "test.h"
#include "vectors.h"

enum { PARTS = 2 };
enum { ONLY, RIGHT, LEFT, WHOLE, MODES };  // which inputs are split besides the first, the others whole on each device:
                                           // none; along the same axis from the last or the first; the first is whole, too
static const int on[PARTS] = {0, 1};
static int taken, refused, number_of_case;

static void describe(const vector_case *c, const int *axes, const char *what) {
  printf("%s(", c->op->name);
  for (int i = 0; i < c->nin; i++) {
    printf("%s%s ", i ? ", " : "", tiny_dtype_name(c->in[i].dtype));
    for (int d = 0; d < c->in[i].s.ndim; d++) printf("%s%d%s", d ? "," : "(", (int)c->in[i].s.dim[d], axes[i] == d ? "/" : "");
    printf("%s", c->in[i].s.ndim ? ")" : "()");
  }
  printf("): %s\n", what);
}
static int is_wanted(const vector_case *c, const int *axes, value *v, tiny_tensor *x, int is_grad) {
  const tiny_shape s = tiny_shape_of(x);
  const size_t nbytes = (size_t)tn_dims_nelem(v->s.ndim, v->s.dim) * tiny_dtype_nbytes(v->dtype);
  char text[256];
  int64_t at = 0;
  if (tiny_dtype_of(x) != v->dtype || s.ndim != v->s.ndim || !tn_dims_same(s.ndim, s.dim, v->s.dim)) {
    describe(c, axes, "another shape or dtype");
    return 0;
  }
  unsigned char *got = (unsigned char *)malloc(nbytes + 1);
  const tiny_code code = tiny_read(x, got, nbytes);
  const double e = code == TINY_OK ? error_of(v, got, c->tol < 0, c->tol < 0 && !is_grad, &at) : HUGE_VAL;
  const int ok = e <= fabs((double)c->tol) * (is_grad ? 4 : 1) + (c->tol != 0 ? 4 : 0);    // sums in another order
  if (!ok && code != TINY_OK) describe(c, axes, tiny_error(tiny_ctx_of(x)));
  else if (!ok) {
    snprintf(text, sizeof text, "%s: element %d is %.9g, wanted %.9g (%.3g epsilons)", is_grad ? "gradient" : "value", (int)at,
             number(v->dtype, got, at), number(v->dtype, v->data, at), e);
    describe(c, axes, text);
  }
  free(got);
  return ok;
}

// By input the axis along which it is split, -1: whole. 0: nothing but in another mode.
static int chosen(const vector_case *c, int axis, int mode, int *axes) {
  int others = 0;
  axes[0] = mode == WHOLE ? -1 : axis;
  for (int i = 1; i < c->nin; i++) {
    const int a = mode == LEFT ? axis : c->in[i].s.ndim - (c->in[0].s.ndim - axis);
    const int is_split = (mode == LEFT || mode == RIGHT) && a >= 0 && a < c->in[i].s.ndim && c->in[i].s.dim[a] == c->in[0].s.dim[axis];
    axes[i] = is_split ? a : -1;
    others |= is_split;
  }
  return mode == ONLY || (mode == WHOLE ? axis == 0 : others);
}

static void run_case(tiny_ctx *t, vector_case *c, const int *axes) {
  tiny_tensor *in[MOST] = {0}, *out[MOST] = {0}, *params[MOST], *grads[MOST] = {0};
  int n = 0;
  tiny_begin(t);
  for (int i = 0; i < c->nin; i++) {
    tiny_tensor *x = tiny_from(t, c->in[i].data, c->in[i].dtype, c->in[i].s);
    if (c->with_grad >> i & 1) params[n++] = x;
    in[i] = axes[i] < 0 ? tiny_replicate(x, on, PARTS) : tiny_shard(x, axes[i], on, PARTS);
  }
  const int built = tiny_status(t) == TINY_OK && c->op->make(t, in, out) == c->nout && tiny_status(t) == TINY_OK;
  taken += built; refused += !built;
  if (!built && getenv("TEST_REFUSED")) describe(c, axes, tiny_error(t));
  for (int k = 0; built && k < c->nout; k++) CHECK(is_wanted(c, axes, &c->out[k], out[k], 0));
  if (built && n && tiny_status(t) == TINY_OK) {
    const tiny_code code = tiny_grad(loss_of(t, out, c->nout), params, n, grads);
    if (code != TINY_OK) describe(c, axes, tiny_error(t));
    CHECK_EQ(code, TINY_OK);
    for (int i = 0; code == TINY_OK && i < n; i++) CHECK(is_wanted(c, axes, &c->grad[i], grads[i], 1));
  }
  tiny_clear(t);
  tiny_end(t);
}

static void run_room(tiny_ctx *t, const vector_room *room, const char *only) {
  vector_case c;
  int axes[MOST];
  size_t nbytes = 0;
  const int every = getenv("TEST_EVERY") ? atoi(getenv("TEST_EVERY")) : only ? 1 : 8;
  const int from = getenv("TEST_FROM") ? atoi(getenv("TEST_FROM")) : 0;
  unsigned char *data = load_room(room, &nbytes);
  CHECK(data != NULL);
  for (const unsigned char *p = data; data && p < data + nbytes;) {
    p = take_case(p, room, &c);
    if ((number_of_case++ - from) % every || !c.nin || assigns(&c) || (only && strncmp(c.op->name, only, strlen(only)))) continue;
    for (int axis = 0; axis < c.in[0].s.ndim; axis++)
      for (int mode = 0; mode < MODES; mode++) if (chosen(&c, axis, mode, axes)) run_case(t, &c, axes);
  }
  free(data);
}

int main(int argc, char **argv) {
  const char *only = getenv("TEST_ONLY");
  for (size_t r = 0; r < sizeof rooms / sizeof *rooms; r++) {
    if (!is_room_named(&rooms[r], argc, argv)) continue;
    tiny_ctx *t = tiny_open(&(tiny_desc){.device = "INTERP,INTERP:1"});
    run_room(t, &rooms[r], only);
    tiny_close(t);
  }
  printf("%d taken, %d refused\n", taken, refused);
  if (argc < 2 && !only) CHECK(taken > 8 * refused);       // to refuse more is to lose what could be done
  return test_report();
}
