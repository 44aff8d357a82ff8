// also: late
// tensor: every operator against what PyTorch gives (vectors/torch.inc), first by the reference interpreter, then on the default
// device; assignment, frames, random numbers, handles.
#include "../src/all.c"
#include "test.h"

static tiny_ctx *t;

// ** how a tensor's value is found **

static const void *host(tiny_ctx *ctx, tiny_uop *buffer) {
  return ctx->device[0]->backend->sync(ctx->device[0]->dev) == TINY_OK ? ((tn_storage *)buffer->ptr)->mem : NULL;
}
static tiny_code by_oracle(tiny_tensor *x, void *out, size_t nbytes) { (void)nbytes; return tn_eval_graph(tn_ctx_of(x), tn_uop_of(x), out, host); }
static tiny_code by_device(tiny_tensor *x, void *out, size_t nbytes) { return tiny_read(x, out, nbytes); }
static tiny_code (*evaluate)(tiny_tensor *x, void *out, size_t nbytes);

// Elements of x as doubles; how many, or -1.
static int64_t values(tiny_tensor *x, double *out, int64_t room) {
  static unsigned char raw[1 << 16];
  const int64_t n = tiny_nelem_of(x);
  const int dtype = tiny_dtype_of(x);
  const size_t nbytes = (size_t)n * tiny_dtype_nbytes((tiny_dtype)dtype);
  if (!tiny_ok(x) || n > room || nbytes > sizeof raw || evaluate(x, raw, nbytes) != TINY_OK) {
    printf("  %s\n", tiny_error(t));
    tiny_clear(t);
    return -1;
  }
  for (int64_t i = 0; i < n; i++) out[i] = tn_to_f64(tn_dtype_convert(TINY_F64, dtype, tn_dtype_load(dtype, raw + i * (int64_t)tiny_dtype_nbytes((tiny_dtype)dtype))));
  return n;
}

// ** cases: collected, so that a device compiles them together, then compared **

typedef struct expected { const char *name; tiny_tensor *got; const double *want; } expected;
static expected list[1024];
static int nlist;

static tiny_tensor *input(const double *data, tiny_dtype dtype, tiny_shape shape) {
  unsigned char raw[4096];
  const int64_t n = tn_dims_nelem(shape.ndim, shape.dim);
  for (int64_t i = 0; i < n; i++) tn_dtype_store(dtype, raw + i * (int64_t)tiny_dtype_nbytes(dtype), tn_dtype_value(dtype, data[i]));
  return tiny_from(t, raw, dtype, shape);
}
static void expect(const char *name, tiny_tensor *got, tiny_dtype dtype, tiny_shape shape, const double *want) {
  const tiny_shape s = tiny_shape_of(got);
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  const int same = tiny_ok(got) && tiny_dtype_of(got) == dtype && s.ndim == shape.ndim && tn_dims_same(s.ndim, s.dim, shape.dim);
  if (!same) printf("%s: %s %s, wanted %s %s; %s\n", name, tiny_dtype_name(tiny_dtype_of(got)), tn_dims_text(a, sizeof a, s.ndim, s.dim),
                    tiny_dtype_name(dtype), tn_dims_text(b, sizeof b, shape.ndim, shape.dim), tiny_error(t));
  CHECK(same);
  tiny_clear(t);
  if (!same || nlist == sizeof list / sizeof *list) return;
  list[nlist].name = name; list[nlist].got = got; list[nlist++].want = want;
}
static int close_to(double got, double want, tiny_dtype dtype) {
  static const double slack[TINY_DTYPE_COUNT] = {[TINY_F8E4M3] = 1.3e-1, [TINY_F8E5M2] = 2.6e-1, [TINY_F16] = 2e-3, [TINY_BF16] = 1.6e-2, [TINY_F32] = 3e-6, [TINY_F64] = 1e-12};
  if (want != want) return got != got;
  if (got == want) return 1;
  return fabs(got - want) <= slack[dtype] * (fabs(want) > 0.1 ? fabs(want) : 0.1);
}
static void compare(const expected *e) {
  double got[4096];
  const int64_t n = values(e->got, got, 4096);
  int64_t wrong = n < 0 ? 0 : -1;
  for (int64_t i = 0; i < n && wrong < 0; i++) if (!close_to(got[i], e->want[i], tiny_dtype_of(e->got))) wrong = i;
  if (wrong >= 0) printf("%s: element %d is %.9g, wanted %.9g\n", e->name, (int)wrong, n < 0 ? NAN : got[wrong], e->want[wrong]);
  CHECK(wrong < 0);
}

static tiny_tensor *cat3(tiny_tensor *a, tiny_tensor *b, tiny_tensor *c, int axis) {
  tiny_tensor *in[3];
  in[0] = a; in[1] = b; in[2] = c;
  return tiny_cat(in, 3, axis);
}
static tiny_tensor *stack3(tiny_tensor *a, tiny_tensor *b, tiny_tensor *c, int axis) {
  tiny_tensor *in[3];
  in[0] = a; in[1] = b; in[2] = c;
  return tiny_stack(in, 3, axis);
}
static tiny_tensor *conv(tiny_tensor *x, tiny_tensor *w, tiny_tensor *bias, int stride, int pad, int dilation, int groups) {
  tiny_conv_desc d;
  memset(&d, 0, sizeof d);
  d.stride[0] = d.stride[1] = stride; d.pad[0] = d.pad[1] = pad; d.dilation[0] = d.dilation[1] = dilation; d.groups = groups;
  return tiny_conv2d(x, w, bias, &d);
}
static tiny_tensor *norm(tiny_tensor *x, tiny_tensor *mean, tiny_tensor *var, tiny_tensor *weight, tiny_tensor *bias, int train) {
  tiny_batch_norm_state s;
  memset(&s, 0, sizeof s);
  s.mean = train ? NULL : mean; s.var = train ? NULL : var; s.weight = weight; s.bias = bias;
  return tiny_batch_norm(x, &s, train);
}
#include "vectors/torch.inc"

// ** random numbers **

static void check_random(void) {
  static double u[4096], v[4096];
  double mean = 0, square = 0, product = 0;
  CHECK_EQ(values(tiny_rand(t, TINY_SHAPE(64, 64)), u, 4096), 4096);
  for (int i = 0; i < 4096; i++) { mean += u[i] / 4096; CHECK(u[i] >= 0 && u[i] < 1); }
  CHECK(fabs(mean - 0.5) < 0.02);
  const uint32_t word = tn_threefry(5, t->tensors->random, (uint32_t)t->seed, (uint32_t)(t->seed >> 32), 0);
  CHECK(u[5] == (word >> 8) / 16777216.0);
  CHECK_EQ(values(tiny_rand(t, TINY_SHAPE(64, 64)), v, 4096), 4096);
  for (int i = 0; i < 4096; i++) product += (u[i] - 0.5) * (v[i] - 0.5) / 4096;
  CHECK(fabs(product) < 0.006);            // another call, other numbers
  CHECK_EQ(values(tiny_randn(t, TINY_SHAPE(4096)), u, 4096), 4096);
  mean = 0;
  for (int i = 0; i < 4096; i++) { mean += u[i] / 4096; square += u[i] * u[i] / 4096; }
  CHECK(fabs(mean) < 0.06 && fabs(square - 1) < 0.1);
  CHECK_EQ(values(tiny_dropout(tiny_ones(t, TINY_F32, TINY_SHAPE(4096)), 0.25, 1), u, 4096), 4096);
  mean = 0;
  for (int i = 0; i < 4096; i++) { mean += u[i] / 4096; CHECK(u[i] == 0 || fabs(u[i] - 4.0 / 3) < 1e-6); }
  CHECK(fabs(mean - 1) < 0.05);
  CHECK_EQ(values(tiny_dropout(tiny_ones(t, TINY_F32, TINY_SHAPE(3)), 0.25, 0), u, 4096), 3);
  CHECK(u[0] == 1 && u[1] == 1 && u[2] == 1);
}

// ** assignment **

static int holds(tiny_tensor *x, int n, ...) {
  double got[16];
  va_list args;
  int ok = values(x, got, 16) == n;
  va_start(args, n);
  for (int i = 0; i < n; i++) ok &= got[i] == va_arg(args, double);
  va_end(args);
  if (!ok) printf("  holds %g %g %g %g ..\n", got[0], got[1], got[2], got[3]);
  return ok;
}
// What an operator gave before an assignment keeps its value, also where there was nothing to compute.
static void check_values_stay(void) {
  const int32_t one[2] = {3, 5}, two[2] = {8, 9};
  for (int device = 0; device < 2; device++) {
    tiny_tensor *x = tiny_from(t, one, TINY_I32, TINY_SHAPE(1, 2)), *f = tiny_cast(x, TINY_F64);
    tiny_realize(&f, 1);
    tiny_tensor *y[] = {tiny_amax(x, 0, 0), tiny_amin(x, 0, 1), tiny_floor(x), tiny_abs(tiny_cast(x, TINY_U32)), tiny_sum(f, 0, 0), tiny_prod(f, 0, 1), tiny_mean(f, 0, 0),
                        tiny_cumsum(f, 0), tiny_pow(f, tiny_like(f, 1)), tiny_round(x), tiny_nansum(f, 0, 0)};
    if (device) tiny_realize(y, (int)(sizeof y / sizeof *y));
    tiny_assign(x, tiny_from(t, two, TINY_I32, TINY_SHAPE(2)));
    tiny_assign(f, tiny_from(t, two, TINY_I32, TINY_SHAPE(2)));
    evaluate = by_device;
    for (size_t i = 0; i < sizeof y / sizeof *y; i++) {
      double got[2] = {0, 0};
      CHECK(values(y[i], got, 2) == 2 && got[0] == 3 && got[1] == 5);
    }
    CHECK_EQ(tiny_item(tiny_slice(tiny_reshape(x, TINY_SHAPE(2)), 0, 1, 2, 1)), 9);
  }
}

static void check_assign(void) {
  const float data[4] = {1, 2, 3, 4};
  tiny_tensor *x = tiny_from(t, data, TINY_F32, TINY_SHAPE(2, 2)), *before = tiny_mul(x, tiny_like(x, 10)), *alias = tiny_shrink(x, TINY_SHAPE(0, 2, 1, 2));
  CHECK(holds(before, 4, 10.0, 20.0, 30.0, 40.0));
  CHECK(tiny_assign(x, tiny_add(x, tiny_like(x, 1))) == x);
  CHECK(holds(x, 4, 2.0, 3.0, 4.0, 5.0));
  CHECK(holds(before, 4, 10.0, 20.0, 30.0, 40.0));
  CHECK(tiny_assign(x, tiny_like(x, 7)) == x);               // broadcast
  CHECK(holds(x, 4, 7.0, 7.0, 7.0, 7.0));
  (void)alias;
  tiny_tensor *column = tiny_shrink(x, TINY_SHAPE(0, 2, 1, 2));
  CHECK(tiny_assign(column, tiny_arange(t, 1, 3, 1, TINY_I32)) == tn_poison(t));       // (2,) does not broadcast to (2,1)
  CHECK_STR(tiny_error(t), "assign: (2,) does not broadcast to (2,1)");
  tiny_clear(t);
  tiny_assign(column, tiny_unsqueeze(tiny_arange(t, 1, 3, 1, TINY_I32), 1));           // cast, through a view
  CHECK(holds(x, 4, 7.0, 1.0, 7.0, 2.0));
  CHECK(holds(column, 2, 1.0, 2.0));
  tiny_tensor *turned = tiny_permute(x, TINY_SHAPE(1, 0));
  tiny_assign(turned, turned);             // nothing
  tiny_assign(turned, tiny_add(turned, x));                  // reads what it writes, transposed
  CHECK(holds(x, 4, 14.0, 8.0, 8.0, 4.0));
  tiny_tensor *zeros = tiny_zeros(t, TINY_F32, TINY_SHAPE(3)), *others = tiny_zeros(t, TINY_F32, TINY_SHAPE(3));
  tiny_assign(zeros, tiny_like(zeros, 5));
  CHECK(holds(zeros, 3, 5.0, 5.0, 5.0));
  CHECK(holds(others, 3, 0.0, 0.0, 0.0));
  tiny_assign(zeros, tiny_mul(zeros, zeros));
  CHECK(holds(zeros, 3, 25.0, 25.0, 25.0));
  tiny_tensor *lazy = tiny_exp(zeros);
  CHECK(!tiny_ok(tiny_assign(tiny_flip(lazy, TINY_SHAPE(0)), zeros)));
  CHECK_EQ(tiny_status(t), TINY_E_ARG);
  tiny_clear(t);
}
// What is padded or repeated is no view: an assignment gives it memory of its own, which its parts are views of.
static void check_assign_no_view(void) {
  const float data[4] = {1, 2, 3, 4}, eight[8] = {10, 20, 30, 40, 50, 60, 70, 80};
  for (int k = 0; k < 8; k++) {
    const int write = k & 1, part = k & 2;
    tiny_tensor *x = tiny_from(t, data, TINY_F32, TINY_SHAPE(1, 4));
    tiny_tensor *whole = k & 4 ? tiny_pad(x, TINY_SHAPE(1, 0, 0, 0), 0) : tiny_expand(x, TINY_SHAPE(2, 4)), *p = whole;
    if (part) {
      CHECK_EQ(tiny_realize(&whole, 1), TINY_OK);
      p = tiny_flip(tiny_shrink(whole, TINY_SHAPE(0, 2, 1, 3)), TINY_SHAPE(0));
    }
    if (write) CHECK_EQ(tiny_write(p, eight, part ? 16 : 32), TINY_OK);
    else CHECK(tiny_assign(p, tiny_from(t, eight, TINY_F32, tiny_shape_of(p))) == p);
    CHECK(part ? holds(p, 4, 10.0, 20.0, 30.0, 40.0) : holds(p, 8, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0));
    if (part) CHECK(holds(whole, 8, k & 4 ? 0.0 : 1.0, 30.0, 40.0, k & 4 ? 0.0 : 4.0, 1.0, 10.0, 20.0, 4.0));
    CHECK(holds(x, 4, 1.0, 2.0, 3.0, 4.0));
  }
}
// A number keeps its shape when it is assigned through a view that has dims.
static void check_assign_number(void) {
  const float one = 1, two = 2;
  for (int none = 0; none < 2; none++) {
    tiny_tensor *x = tiny_sum(tiny_from(t, &one, TINY_F32, TINY_SHAPE(1)), 0, 0), *view = tiny_reshape(x, TINY_SHAPE(1, 1));
    CHECK_EQ(tiny_realize(&x, 1), TINY_OK);
    if (none) view = tiny_expand(view, TINY_SHAPE(0, 1));
    CHECK(tiny_assign(view, tiny_from(t, &two, TINY_F32, tiny_shape_of(view))) == view);
    CHECK_EQ(tiny_shape_of(x).ndim, 0);
    CHECK(holds(x, 1, none ? 1.0 : 2.0));
    CHECK(holds(tiny_add(x, tiny_reshape(x, TINY_SHAPE(1))), 1, none ? 2.0 : 4.0));
  }
}
// A counter, a running sum and batch statistics over frames, as training loops have them.
static void check_steps(void) {
  const float zero = 0, data[4] = {1, 2, 3, 6}, two[2] = {0, 0};
  tiny_tensor *count = tiny_from(t, &zero, TINY_F32, TINY_SHAPE()), *x = tiny_from(t, data, TINY_F32, TINY_SHAPE(2, 2));
  tiny_batch_norm_state s;
  memset(&s, 0, sizeof s);
  s.mean = tiny_from(t, two, TINY_F32, TINY_SHAPE(2)); s.var = tiny_from(t, two, TINY_F32, TINY_SHAPE(2)); s.momentum = 0.5;
  for (int i = 0; i < 3; i++) {
    tiny_begin(t);
    tiny_assign(count, tiny_add(count, tiny_scalar(t, i + 1, TINY_F32)));
    tiny_batch_norm(x, &s, 1);
    CHECK_EQ(tiny_end(t), TINY_OK);
  }
  CHECK(holds(count, 1, 6.0));
  CHECK(holds(s.mean, 2, 1.75, 3.5));      // 2 and 4, minus an eighth
  CHECK(holds(s.var, 2, 1.75, 7.0));       // unbiased: 2 and 8
}
// w of (w - 3)^2 goes to 3.
static void check_optimisers(void) {
  const float start[2] = {0, 8};
  double got[2];
  for (int kind = 0; kind < 3; kind++) {
    tiny_tensor *w = tiny_from(t, start, TINY_F32, TINY_SHAPE(2)), *g;
    tiny_optim o;
    memset(&o, 0, sizeof o);
    o.kind = kind == 2 ? TINY_ADAM : TINY_SGD;
    o.lr = kind == 2 ? 0.5 : 0.1; o.momentum = kind == 1 ? 0.5 : 0; o.nesterov = kind;
    for (int i = 0; i < 200; i++) {
      tiny_begin(t);
      tiny_tensor *loss = tiny_sum(tiny_square(tiny_sub(w, tiny_like(w, 3))), 0, 0);
      CHECK_EQ(tiny_grad(loss, &w, 1, &g), TINY_OK);
      CHECK_EQ(tiny_optim_step(&o, &w, &g, 1), TINY_OK);
      CHECK_EQ(tiny_end(t), TINY_OK);
      if (i == 0) {
        CHECK_EQ(values(w, got, 2), 2);
        CHECK(kind == 2 ? fabs(got[0] - 0.5) < 1e-5 && fabs(got[1] - 7.5) < 1e-5 : fabs(got[0] - (kind ? 0.9 : 0.6)) < 1e-5);
      }
    }
    CHECK_EQ(values(w, got, 2), 2);
    CHECK(fabs(got[0] - 3) < 0.05 && fabs(got[1] - 3) < 0.05);
    tiny_optim_free(&o);
    CHECK(!o.state && !o.left);
  }
}

// ** handles and frames **

static int live(void) {
  int n = 0;
  for (tn_tensor *x = tn_tensor_next(t, NULL); x; x = tn_tensor_next(t, x)) n++;
  return n;
}
static void check_frames(void) {
  const int before = live();
  tiny_tensor *outside = tiny_zeros(t, TINY_F32, TINY_SHAPE(2));
  tiny_begin(t);
  tiny_tensor *a = tiny_exp(outside), *b = tiny_exp(a);
  tiny_begin(t);
  for (int i = 0; i < 300; i++) a = tiny_add(a, b);
  tiny_tensor *kept = tiny_keep(a);
  CHECK(kept == a);
  CHECK_EQ(live(), before + 303);
  tiny_end(t);
  CHECK_EQ(live(), before + 4);
  tiny_free(b);
  tiny_free(b);
  CHECK_EQ(live(), before + 3);
  tiny_end(t);
  CHECK_EQ(live(), before + 2);
  CHECK_EQ(tiny_end(t), TINY_E_STATE);
  tiny_clear(t);
  CHECK(tiny_ok(kept) && tiny_nelem_of(kept) == 2);
  tiny_free(kept);
  tiny_free(outside);
  tiny_free(NULL);
  CHECK_EQ(live(), before);
}

static void check_all(const char *device, tiny_code (*how)(tiny_tensor *x, void *out, size_t nbytes)) {
  tiny_desc d;
  static tiny_tensor *all[1024];
  memset(&d, 0, sizeof d);
  d.device = device; d.cache_dir = ""; d.seed = 1234567890123ull;
  t = tiny_open(&d);
  CHECK_STR(tiny_error(t), "");
  evaluate = how;
  nlist = 0;
  vectors();
  for (int i = 0; i < nlist; i++) all[i] = list[i].got;
  if (how == by_device) CHECK_EQ(tiny_realize(all, nlist), TINY_OK);
  if (tiny_status(t) != TINY_OK) printf("%s\n", tiny_error(t));
  tiny_clear(t);
  for (int i = 0; i < nlist; i++) compare(&list[i]);
  check_random();
  check_frames();
  check_values_stay();
  check_assign();
  check_assign_no_view();
  check_assign_number();
  check_steps();
  check_optimisers();
  tiny_close(t);
}

int main(void) {
  check_all("INTERP", by_oracle);
  check_all(NULL, by_device);
  return test_report();
}
