// fft: round trips and Parseval's theorem at lengths of every kind, gradients by finite differences, shapes and errors.
#include "../src/all.c"
#include "test.h"

static tiny_ctx *t;

static tiny_tensor *wave(tiny_shape s, tiny_dtype dtype) {
  const double n = (double)tn_dims_nelem(s.ndim, s.dim);
  tiny_tensor *i = tiny_arange(t, 0, n, 1, TINY_F64);
  return tiny_contiguous(tiny_cast(tiny_reshape(tiny_sin(tiny_add(tiny_mul(i, tiny_like(i, 1.7)), tiny_like(i, 0.3))), s), dtype));
}
static double most(tiny_tensor *x) {
  const double y = tiny_item(tiny_cast(tiny_amax(tiny_abs(x), TINY_ALL, 0), TINY_F64));
  if (y != y) printf("  %s\n", tiny_error(t));
  tiny_clear(t);
  return y;
}
static double energy(tiny_tensor *x) { return tiny_item(tiny_sum(tiny_square(x), TINY_ALL, 0)); }

static void check_lengths(tiny_dtype dtype) {
  static const int wide[] = {1, 7, 66, 131, 422, 0}, narrow[] = {2, 64, 211, 1000, 0};
  const int *lengths = dtype == TINY_F64 ? wide : narrow;
  const double limit = dtype == TINY_F64 ? 2e-14 : 4e-6;
  for (int i = 0; lengths[i]; i++) {
    tiny_begin(t);
    const int n = lengths[i];
    tiny_tensor *x = wave(TINY_SHAPE(2, n, 2), dtype), *y = tiny_fft(x, 0, -1, TINY_FFT_ORTHO), *r = wave(TINY_SHAPE(n), dtype);
    const double back = most(tiny_sub(tiny_ifft(y, 0, -1, TINY_FFT_ORTHO), x)), real = most(tiny_sub(tiny_irfft(tiny_rfft(r, 0, 0, TINY_FFT_FORWARD), n, 0, TINY_FFT_FORWARD), r));
    if (!(back <= limit && real <= limit)) printf("length %d: %g, %g\n", n, back, real);
    CHECK(back <= limit && real <= limit);
    CHECK(fabs(energy(y) / energy(x) - 1) <= limit);
    tiny_end(t);
  }
}
static void check_convolution(void) {      // a product of spectra is a circular convolution
  const double a[4] = {1, 2, 3, 4}, b[4] = {0, 1, 0, 0.5}, want[4] = {5, 2.5, 4, 3.5};
  double got[4];
  tiny_tensor *x = tiny_rfft(tiny_from(t, a, TINY_F64, TINY_SHAPE(4)), 0, 0, TINY_FFT_BACKWARD), *y = tiny_rfft(tiny_from(t, b, TINY_F64, TINY_SHAPE(4)), 0, 0, TINY_FFT_BACKWARD);
  CHECK_EQ(tiny_read(tiny_irfft(tiny_complex_mul(x, y), 4, 0, TINY_FFT_BACKWARD), got, sizeof got), TINY_OK);
  for (int i = 0; i < 4; i++) CHECK(fabs(got[i] - want[i]) < 1e-14);
}
static tiny_tensor *loss(const double *data, int n, tiny_tensor **x) {
  *x = tiny_from(t, data, TINY_F64, TINY_SHAPE(n));
  tiny_tensor *y = tiny_complex_abs(tiny_rfft(*x, 0, 0, TINY_FFT_BACKWARD));
  return tiny_sum(tiny_mul(y, y), TINY_ALL, 0);
}
static void check_gradient(int n) {
  double data[256], grad[256];
  tiny_tensor *x, *g;
  for (int i = 0; i < n; i++) data[i] = sin(0.4 + 1.9 * i);
  CHECK_EQ(tiny_grad(loss(data, n, &x), &x, 1, &g), TINY_OK);
  CHECK_EQ(tiny_read(g, grad, (size_t)n * 8), TINY_OK);
  for (int i = 0; i < n; i += 1 + n / 4) {
    double at[2];
    const double old = data[i], h = 1e-4;
    for (int k = 0; k < 2; k++) { data[i] = old + (k ? -h : h); at[k] = tiny_item(loss(data, n, &x)); }
    data[i] = old;
    const double want = (at[0] - at[1]) / (2 * h);
    CHECK(fabs(grad[i] - want) < 1e-6 * (1 + fabs(want)));
  }
}
static void check_shapes(void) {
  char a[TN_DIMS_TEXT];
  tiny_tensor *x = wave(TINY_SHAPE(3, 4, 2), TINY_F32);
  CHECK_STR(tn_text_of(tn_uop_of(tiny_rfft(x, 0, 1, TINY_FFT_BACKWARD)), a), "(3,3,2,2)");
  CHECK_STR(tn_text_of(tn_uop_of(tiny_irfft(x, 0, 0, TINY_FFT_BACKWARD)), a), "(4,4)");
  CHECK_STR(tn_text_of(tn_uop_of(tiny_fft(x, 9, -2, TINY_FFT_BACKWARD)), a), "(9,4,2)");
  CHECK_STR(tn_text_of(tn_uop_of(tiny_fft(tiny_cast(x, TINY_I32), 0, -1, TINY_FFT_BACKWARD)), a), "(3,4,2)");
  CHECK_EQ(tiny_dtype_of(tiny_fft(tiny_cast(x, TINY_I32), 0, -1, TINY_FFT_BACKWARD)), TINY_F32);
  CHECK_EQ(tiny_dtype_of(tiny_fft(tiny_cast(x, TINY_F16), 0, -1, TINY_FFT_BACKWARD)), TINY_F16);
  CHECK_EQ(most(tiny_sub(tiny_ifftshift(tiny_fftshift(x, TINY_SHAPE(0, 1)), TINY_SHAPE(0, 1)), x)), 0);
}
static void expect_error(tiny_tensor *x, const char *message) {
  CHECK(!tiny_ok(x));
  CHECK_STR(tiny_error(t), message);
  tiny_clear(t);
}
static void check_errors(void) {
  tiny_tensor *x = wave(TINY_SHAPE(4, 3), TINY_F32), *c = wave(TINY_SHAPE(4, 2), TINY_F32), *none = wave(TINY_SHAPE(0, 2), TINY_F32);
  expect_error(tiny_fft(x, 0, 0, TINY_FFT_BACKWARD), "fft: (4,3) does not end in a dim of 2, the real and imaginary parts");
  expect_error(tiny_fft(c, 0, 1, TINY_FFT_BACKWARD), "fft: axis 1 is out of range for (4,2)");
  expect_error(tiny_fft(none, 0, 0, TINY_FFT_BACKWARD), "fft: 0 points from (0,2)");
  expect_error(tiny_irfft(tiny_slice(c, 0, 0, 1, 1), 0, 0, TINY_FFT_BACKWARD), "irfft: 0 points from (1,2)");
  expect_error(tiny_fftn(c, TINY_SHAPE(0, 0), TINY_FFT_BACKWARD), "fftn: the axes are none, repeated or out of range for (4,2)");
  expect_error(tiny_fftn(c, TINY_SHAPE(), TINY_FFT_BACKWARD), "fftn: the axes are none, repeated or out of range for (4,2)");
  expect_error(tiny_rfft(tiny_like(x, 1), 0, 0, TINY_FFT_BACKWARD), "rfft: axis 0 is out of range for ()");
  expect_error(tiny_rfft(tiny_isnan(x), 0, 0, TINY_FFT_BACKWARD), "rfft: takes numbers, not bool");
  expect_error(tiny_real(x), "real: (4,3) does not end in a dim of 2, the real and imaginary parts");
  expect_error(tiny_fftfreq(t, 0, 1, TINY_F32), "fftfreq: 0 points in f32");
  expect_error(tiny_fftfreq(t, 4, 1, TINY_I32), "fftfreq: 4 points in i32");
  expect_error(tiny_fftshift(x, TINY_SHAPE(2)), "fftshift: axis 2 is out of range for (4,3)");
  CHECK(tiny_fft(NULL, 0, 0, TINY_FFT_BACKWARD) == NULL);
}

int main(void) {
  t = tiny_open(NULL);
  check_lengths(TINY_F64);
  check_lengths(TINY_F32);
  check_convolution();
  check_gradient(9);
  check_gradient(66);
  check_gradient(211);
  check_shapes();
  check_errors();
  tiny_close(t);
  return test_report();
}
