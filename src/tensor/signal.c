// signal: the spectrum of a signal in frames that overlap, and the signal of such a spectrum.
//
// In:  rows of samples, or of spectra as pairs (tensor/fft.c). Out: the same by way of (rows, frames, n): frames are
//      views (tn_slide), transforms dense or fast (tn_dft), and what overlaps is added up by rows of blocks that are
//      laid askew. All of it movement, products and sums, so it fuses and has gradients.
#ifndef TN_TENSOR_SIGNAL
#define TN_TENSOR_SIGNAL
#ifndef TINY_AMALGAMATED
#include "fft.c"
#endif

// What a descriptor says, with its defaults.
typedef struct tn_frames {
  const char *name;
  int64_t n, hop, half;                    // samples of a frame, between two of them, bins of a spectrum
  int64_t R, frames;                       // rows of samples, frames of each
  int dtype, wide;                         // of the result, and what it is computed in
  int ndim; int64_t dim[TN_MAX_DIMS];    // of the rows
  tiny_uop *window;                        // (n)
  double scale;
} tn_frames;

// The window in the middle of n, or ones.
static tiny_uop *tn_window_of(tiny_ctx *t, const tn_frames *f, const tiny_tensor *window) {
  const int64_t n = f->n, size = window ? tn_uop_of(window)->dim[0] : n, before = (n - size) / 2;
  if (!window) return tn_expand(t, tn_constant(t, f->wide, 1), 1, &n);
  return tn_extend(t, tn_cast(t, tn_uop_of(window), f->wide), 0, before, n - size - before);
}
// Checks x, whose last dims are as many as own, and the descriptor. 0: an error was recorded, or *out is poison.
static int tn_frames_open(tn_frames *f, tiny_tensor *x, int own, int64_t n, const tiny_stft_desc *d,
                          tiny_tensor **out) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tiny_tensor *window = d ? d->window : NULL, *in[2] = {x, window ? window : x};
  if (!tn_usable(f->name, 2, in, out)) return 0;
  tiny_ctx *t = tn_ctx_of(x);
  const tiny_uop *u = tn_uop_of(x), *w = tn_uop_of(in[1]);
  f->n = n;
  f->hop = d && d->hop ? d->hop : n / 4 > 0 ? n / 4 : 1;
  f->half = d && d->two_sided ? n : n / 2 + 1;
  f->scale = d && d->normalized ? 1 / sqrt((double)(n > 0 ? n : 1)) : 1;
  if (n < 1 || n >= (int64_t)1 << 30 || f->hop < 1 || f->hop >= (int64_t)1 << 30) {
    tiny_fail(t, TINY_E_ARG, "%s: frames of %lld, %lld apart", f->name, (long long)n, (long long)f->hop);
    return 0;
  }
  if (u->ndim < own || u->ndim - own + 3 > TINY_MAX_DIMS || (window && (w->ndim != 1 || w->dim[0] > n))) {
    tiny_fail(t, TINY_E_SHAPE, "%s: %s in frames of %lld by a window %s", f->name, tn_text_of(u, a), (long long)n,
              window ? tn_text_of(w, b) : "of ones");
    return 0;
  }
  f->dtype = window ? (int)tiny_promote((tiny_dtype)u->dtype, (tiny_dtype)w->dtype) : u->dtype;
  if (!tn_taken(t, f->name, TN_NUMBER, u->dtype) || !tn_taken(t, f->name, TN_NUMBER, w->dtype)) return 0;
  f->dtype = tn_real(f->dtype);
  f->wide = tn_computed_in(f->dtype);
  f->ndim = u->ndim - own;
  for (int i = 0; i < f->ndim; i++) f->dim[i] = u->dim[i];
  f->R = tn_dims_nelem(f->ndim, f->dim);
  f->window = tn_window_of(t, f, window);
  return !tn_bad(t, f->window);
}
// Rows u of the shape that the lead dims and these make.
static tiny_tensor *tn_frames_close(tiny_ctx *t, tn_frames *f, tiny_uop *u, int n, const int64_t *dim) {
  for (int i = 0; i < n; i++) f->dim[f->ndim + i] = dim[i];
  return tn_tensor_new(t, tn_narrow(t, tn_reshape(t, u, f->ndim + n, f->dim), f->dtype));
}

TINY_API tiny_tensor *tiny_stft(tiny_tensor *x, int64_t n, const tiny_stft_desc *d) {
  char a[TN_DIMS_TEXT];
  tiny_tensor *out;
  tn_frames f;
  memset(&f, 0, sizeof f);
  f.name = "stft";
  if (!tn_frames_open(&f, x, 1, n, d, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  const int64_t T = tn_uop_of(x)->dim[f.ndim], around = d && d->no_center ? 0 : n / 2, row[2] = {f.R, T};
  const int zeros = d && d->zeros, fits = zeros || tn_pad_fits(T, around, around, TINY_PAD_REFLECT);
  if (!fits || T + 2 * around < n)
    return tn_wrong(t, TINY_E_SHAPE, "stft: frames of %lld from %s, with %lld %s around it", (long long)n,
                    tn_text_of(tn_uop_of(x), a), (long long)around, zeros ? "zeros" : "reflected");
  f.frames = 1 + (T + 2 * around - n) / f.hop;
  const int64_t frame[3] = {f.R * f.frames, 1, n}, spectrum[4] = {f.R, f.frames, 2, f.half}, order[4] = {0, 3, 1, 2};
  const int64_t dim[3] = {f.half, f.frames, 2};
  tiny_uop *u = tn_reshape(t, tn_cast(t, tn_uop_of(x), f.wide), 2, row);
  if (zeros) u = tn_extend(t, u, 1, around, around);
  else u = tn_pad_both(t, u, 1, around, around, TINY_PAD_REFLECT);
  u = tn_mul(t, tn_slide(t, u, 1, f.frames, n, f.hop), f.window);                      // (R, frames, n)
  u = tn_cut(t, tn_dft(t, tn_stored(t, tn_reshape(t, u, 3, frame)), -1), 2, 0, f.half);
  u = tn_permute(t, tn_reshape(t, tn_times(t, u, f.scale), 4, spectrum), order);
  return tn_frames_close(t, &f, u, 3, dim);
}

// Frames (R, F, n), each hop behind the one before, added up: (R, n + hop (F - 1)). Blocks of hop: those of column k
// are laid k rows lower, by rows that are one longer than they are read.
static tiny_uop *tn_overlapped(tiny_ctx *t, tiny_uop *u, int64_t hop) {
  if (tn_bad(t, u)) return u;
  const int64_t R = u->dim[0], F = u->dim[1], n = u->dim[2], K = (n + hop - 1) / hop, length = F + K - 1;
  const int64_t blocks[4] = {R, F, K, hop}, order[4] = {0, 2, 1, 3}, flat[3] = {R, K * (F + K), hop},
                askew[4] = {R, K, length, hop}, row[2] = {R, length * hop};
  u = tn_permute(t, tn_reshape(t, tn_extend(t, u, 2, 0, K * hop - n), 4, blocks), order);
  u = tn_reshape(t, tn_extend(t, u, 2, 0, K), 3, flat);
  u = tn_sum(t, tn_reshape(t, tn_cut(t, u, 1, 0, K * length), 4, askew), 1 << 1, 0);
  return tn_cut(t, tn_reshape(t, u, 2, row), 1, 0, n + hop * (F - 1));
}
TINY_API tiny_tensor *tiny_istft(tiny_tensor *x, int64_t n, const tiny_stft_desc *d) {
  char a[TN_DIMS_TEXT];
  tiny_tensor *out;
  tn_frames f;
  memset(&f, 0, sizeof f);
  f.name = "istft";
  if (!tn_frames_open(&f, x, 3, n, d, &out)) return out;
  tiny_ctx *t = tn_ctx_of(x);
  const tiny_uop *in = tn_uop_of(x);
  f.frames = in->dim[f.ndim + 1];
  if (in->dim[f.ndim] != f.half || f.frames < 1 || in->dim[f.ndim + 2] != 2)
    return tn_wrong(t, TINY_E_SHAPE, "istft: %s is no spectrum of %lld bins, frames and pairs", tn_text_of(in, a),
                    (long long)f.half);
  const int64_t F = f.frames, total = n + f.hop * (F - 1), from = d && d->no_center ? 0 : n / 2;
  const int64_t length = d && d->length > 0 ? d->length : total - 2 * from,
                kept = length < total - from ? length : total - from;
  const int64_t spectrum[4] = {f.R, f.half, F, 2}, order[4] = {0, 2, 3, 1}, planes[3] = {f.R * F, 2, f.half},
                frames[3] = {f.R, F, n}, one[3] = {1, F, n};
  if (length < 1 || kept < 1 || length >= (int64_t)1 << 40)
    return tn_wrong(t, TINY_E_SHAPE, "istft: %lld samples of %s", (long long)length, tn_text_of(in, a));
  tiny_uop *u = tn_permute(t, tn_reshape(t, tn_cast(t, tn_uop_of(x), f.wide), 4, spectrum), order);
  u = tn_reshape(t, u, 3, planes);
  u = tn_from_hermitian(t, tn_cut(t, u, 2, 0, n / 2 + 1), n);        // two-sided ones mirror themselves
  u = tn_reshape(t, tn_cut(t, tn_dft(t, tn_stored(t, u), 1), 1, 0, 1), 3, frames);
  u = tn_mul(t, tn_times(t, u, 1 / (f.scale * (double)n)), f.window);
  u = tn_overlapped(t, tn_stored(t, u), f.hop);
  tiny_uop *weight = tn_overlapped(t, tn_expand(t, tn_square(t, f.window), 3, one), f.hop);
  tiny_uop *reached = tn_gt(t, weight, tn_k(t, weight, 1e-11));
  u = tn_fdiv(t, u, tn_where(t, reached, weight, tn_k(t, weight, 1)));
  u = tn_extend(t, tn_cut(t, u, 1, from, from + kept), 1, 0, length - kept);
  return tn_frames_close(t, &f, u, 1, &length);
}
#endif
