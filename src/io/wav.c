// wav: sound in Microsoft's WAVE format: PCM and floats.
//
// In:  bytes. Out: f32 (frames, channels) and the rate; and the other way round. Format: "Multimedia Programming
//      Interface and Data Specifications 1.0" (1991); "Multiple Channel Audio Data and WAVE Files" (2007) for
//      extensible headers.
// Chunks that are not fmt or data are passed over. A data chunk of 2^32 - 1 bytes, as programs write that do not know
// the end yet, goes on to the end of the file.
#ifndef TN_IO_WAV
#define TN_IO_WAV
#ifndef TINY_AMALGAMATED
#include "source.c"
#endif

enum { TN_WAV_PCM = 1, TN_WAV_FLOAT = 3, TN_WAV_EXTENSIBLE = 0xFFFE, TN_WAV_RATE_MOST = 1 << 30 };

typedef struct tn_wav {
  const tn_source *s;
  int format, channels, bytes, rate;       // bytes: of a sample
  size_t at, n;                            // the samples
} tn_wav;

static int tn_wav_format(tn_wav *r, size_t at, size_t n) {
  const unsigned char *d = r->s->data + at;
  if (n < 16) return tn_source_fail(r->s, at, "fmt", "%llu bytes", (unsigned long long)n);
  r->format = (int)tn_little(d, 2);
  r->channels = (int)tn_little(d + 2, 2);
  const uint64_t rate = tn_little(d + 4, 4), frame = tn_little(d + 12, 2), bits = tn_little(d + 14, 2);
  if (r->format == TN_WAV_EXTENSIBLE && n >= 40) r->format = (int)tn_little(d + 24, 2);
  r->bytes = (int)(bits / 8);
  const int pcm = r->format == TN_WAV_PCM && (bits == 8 || bits == 16 || bits == 24 || bits == 32);
  if (!pcm && !(r->format == TN_WAV_FLOAT && (bits == 32 || bits == 64)))
    return tn_source_fail(r->s, at, "fmt", "format %d of %llu bits is not read", r->format, (unsigned long long)bits);
  if (!r->channels || frame != (uint64_t)(r->channels * r->bytes) || rate < 1 || rate > TN_WAV_RATE_MOST)
    return tn_source_fail(r->s, at, "fmt", "%d channels of %llu bits in %llu bytes, at a rate of %llu", r->channels,
                          (unsigned long long)bits, (unsigned long long)frame, (unsigned long long)rate);
  r->rate = (int)rate;
  return 1;
}
// Finds fmt and, behind it, data.
static int tn_wav_chunks(tn_wav *r) {
  const tn_source *s = r->s;
  if (s->nbytes < 12 || memcmp(s->data, "RIFF", 4) || memcmp(s->data + 8, "WAVE", 4))
    return tn_source_fail(s, 0, "magic", "no WAV file");
  for (size_t at = 12;;) {
    if (s->nbytes - at < 8) return tn_source_fail(s, at, r->channels ? "data" : "fmt", "missing");
    const uint64_t n = tn_little(s->data + at + 4, 4), left = s->nbytes - at - 8;
    const int data = !memcmp(s->data + at, "data", 4), open = data && n == 0xFFFFFFFFu;
    if (n > left && !open)
      return tn_source_fail(s, at + 4, "chunk length", "%llu bytes, but %llu are left", (unsigned long long)n,
                            (unsigned long long)left);
    if (data && !r->channels) return tn_source_fail(s, at, "fmt", "missing before the data");
    if (data) {
      r->at = at + 8; r->n = open ? (size_t)left : (size_t)n;
      return 1;
    }
    if (!memcmp(s->data + at, "fmt ", 4) && !tn_wav_format(r, at + 8, (size_t)n)) return 0;
    at += 8 + (size_t)n;
    at += n & 1 && at < s->nbytes;         // chunks begin at even places
  }
}

static float tn_wav_sample(const tn_wav *r, const unsigned char *p) {
  if (r->bytes == 1) return (float)(p[0] - 128) / 128;
  const uint64_t bits = tn_little(p, r->bytes);
  if (r->format == TN_WAV_FLOAT && r->bytes == 8) return (float)tn_float_of_bits(bits);
  if (r->format == TN_WAV_FLOAT) {
    const uint32_t bits32 = (uint32_t)bits;
    float x;
    memcpy(&x, &bits32, 4);
    return x;
  }
  const int32_t k = (int32_t)(uint32_t)(bits << (32 - 8 * r->bytes));        // its upper bits
  return (float)((double)k / 2147483648.0);
}
static int tn_wav_read(const tn_source *s, const void *what, tiny_uop **out) {
  TN_FLOAT_MODE;
  int *const rate = *(int *const *)what;
  tn_wav r;
  memset(&r, 0, sizeof r);
  r.s = s;
  if (!tn_wav_chunks(&r)) return 0;
  const size_t each = (size_t)r.bytes, n = r.n / each / (size_t)r.channels * (size_t)r.channels;
  const int64_t dim[2] = {(int64_t)(n / (size_t)r.channels), r.channels};
  float *data = (float *)tn_alloc(s->t, (n + 1) * sizeof *data);
  if (!data) return 0;
  for (size_t i = 0; i < n; i++) data[i] = tn_wav_sample(&r, s->data + r.at + i * each);
  *out = tn_upload(tn_device_here(s->t), data, TINY_F32, 2, dim);
  tn_release(s->t, data, (n + 1) * sizeof *data);
  if (rate) *rate = r.rate;
  return !tn_bad(s->t, *out);
}
static tiny_tensor *tn_wav_give(tiny_tensor *x, int *rate) {
  if (!tiny_ok(x) && rate) *rate = 0;
  return x;
}
TINY_API tiny_tensor *tiny_load_wav(tiny_ctx *t, const char *path, int *rate) {
  return tn_wav_give(tn_source_load(t, "load_wav", path, tn_wav_read, &rate), rate);
}
TINY_API tiny_tensor *tiny_load_wav_from(tiny_ctx *t, const void *data, size_t nbytes, int *rate) {
  return tn_wav_give(tn_source_load_from(t, data, nbytes, tn_wav_read, &rate), rate);
}

// ** writing **

static const struct { uint8_t dtype, format, bytes; } tn_wav_dtypes[4] = {
  {TINY_U8, TN_WAV_PCM, 1}, {TINY_I16, TN_WAV_PCM, 2}, {TINY_I32, TN_WAV_PCM, 4}, {TINY_F32, TN_WAV_FLOAT, 4},
};
typedef struct tn_wav_save { tiny_tensor *x; int rate; } tn_wav_save;

// The header for n bytes of samples of a row of the table: RIFF, fmt, fact (which floats want) and data.
static size_t tn_wav_header(unsigned char *h, int row, int channels, int rate, uint64_t n) {
  const uint64_t frame = (uint64_t)channels * tn_wav_dtypes[row].bytes;
  const int floats = tn_wav_dtypes[row].format == TN_WAV_FLOAT, fmt = floats ? 18 : 16;
  const size_t nbytes = 12 + 8 + (size_t)fmt + (floats ? 12 : 0) + 8;
  unsigned char *at = h + 12;
  memset(h, 0, nbytes);
  memcpy(h, "RIFF", 4);
  tn_put_little(h + 4, nbytes - 8 + n + (n & 1), 4);
  memcpy(h + 8, "WAVEfmt ", 8);
  tn_put_little(at + 4, (uint64_t)fmt, 4);
  tn_put_little(at + 8, tn_wav_dtypes[row].format, 2);
  tn_put_little(at + 10, (uint64_t)channels, 2);
  tn_put_little(at + 12, (uint64_t)rate, 4);
  tn_put_little(at + 16, (uint64_t)rate * frame, 4);
  tn_put_little(at + 20, frame, 2);
  tn_put_little(at + 22, 8u * tn_wav_dtypes[row].bytes, 2);
  at += 8 + fmt;
  if (floats) {
    memcpy(at, "fact", 4);
    tn_put_little(at + 4, 4, 4);
    tn_put_little(at + 8, frame ? n / frame : 0, 4);
    at += 12;
  }
  memcpy(at, "data", 4);
  tn_put_little(at + 4, n, 4);
  return nbytes;
}
static int tn_wav_write(tn_sink *s, const void *what) {
  const tn_wav_save *w = (const tn_wav_save *)what;
  tiny_tensor *x = w->x;
  tiny_uop *u = tn_uop_of(x);
  char text[TN_DIMS_TEXT];
  unsigned char header[64];
  void *copy;
  size_t n;
  int row = 0;
  while (row < 4 && tn_wav_dtypes[row].dtype != u->dtype) row++;
  if (row == 4) {
    tiny_fail(s->t, TINY_E_DTYPE, "%s: sound is f32, u8, i16 or i32, not %s", s->name, tn_dtypes[u->dtype].name);
    return 0;
  }
  const int64_t channels = u->ndim == 2 ? u->dim[1] : 1;
  if (u->extent || u->ndim < 1 || u->ndim > 2 || channels < 1 || channels > 65535 / tn_wav_dtypes[row].bytes) {
    tiny_fail(s->t, TINY_E_SHAPE, "%s: %s is neither (frames) nor (frames,channels)", s->name, tn_text_of(u, text));
    return 0;
  }
  if (w->rate < 1 || w->rate > TN_WAV_RATE_MOST || (uint64_t)tn_node_nbytes(u) > 0xFFFFFF00u) {
    tiny_fail(s->t, TINY_E_ARG, "%s: rate %d, %lld bytes; a file holds 4 GiB", s->name, w->rate,
              (long long)tn_node_nbytes(u));
    return 0;
  }
  if (tn_realize_whole(&x, 1) != TINY_OK) return 0;
  const void *data = tn_sink_elements(s, x, &copy, &n);
  const size_t nheader = tn_wav_header(header, row, (int)channels, w->rate, n);
  const int done = data && tn_sink_put(s, header, nheader) && tn_sink_put(s, data, n) && tn_sink_put(s, "", n & 1);
  tn_release(s->t, copy, n);
  return done;
}
TINY_API tiny_code tiny_save_wav(tiny_tensor *x, int rate, const char *path) {
  const tn_wav_save w = {x, rate};
  return tn_sink_save("save_wav", x, path, NULL, tn_wav_write, &w);
}
TINY_API tiny_code tiny_save_wav_to(tiny_tensor *x, int rate, tiny_writer to) {
  const tn_wav_save w = {x, rate};
  return tn_sink_save("save_wav_to", x, NULL, &to, tn_wav_write, &w);
}
#endif
