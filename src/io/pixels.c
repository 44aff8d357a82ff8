// pixels: the samples of a picture between its file and its tensor: planes (C,H,W) of u8 or u16.
//
// In:  sizes that a file claims, checked against what it could hold; samples one by one. Out: a tensor.
#ifndef TN_IO_PIXELS
#define TN_IO_PIXELS
#ifndef TINY_AMALGAMATED
#include "source.c"
#endif

typedef struct tn_pixels {
  int64_t width, height;
  int channels, wide;                      // wide: u16
  unsigned char *data; size_t nbytes;
} tn_pixels;

static uint64_t tn_big_endian(const unsigned char *p, int nbytes) {
  uint64_t v = 0;
  for (int i = 0; i < nbytes; i++) v = v << 8 | p[i];
  return v;
}
static void tn_put_big_endian(unsigned char *p, uint64_t v, int nbytes) {
  for (int i = 0; i < nbytes; i++) p[i] = (unsigned char)(v >> 8 * (nbytes - 1 - i));
}

// Room for the samples; sizes are at most 2^31 each. 0: there is none, or the file could not have held them: so many
// samples in each of its bytes is the most.
static int tn_pixels_open(const tn_source *s, tn_pixels *p, double most_per_byte) {
  TN_FLOAT_MODE;
  const double samples = (double)p->width * (double)p->height * p->channels;
  if (!(samples <= most_per_byte * (double)s->nbytes + 64))
    return tn_source_fail(s, 0, "size", "%lld x %lld x %d samples, but the file has %llu bytes", (long long)p->width,
                          (long long)p->height, p->channels, (unsigned long long)s->nbytes);
  p->nbytes = (size_t)(p->width * p->height * p->channels) * (size_t)(1 + p->wide);
  p->data = (unsigned char *)tn_alloc(s->t, p->nbytes + 1);
  return p->data != NULL;
}
static void tn_pixels_put(tn_pixels *p, int c, int64_t y, int64_t x, unsigned v) {
  const size_t at = (size_t)((c * p->height + y) * p->width + x);
  const uint16_t v16 = (uint16_t)v;
  if (p->wide) memcpy(p->data + 2 * at, &v16, 2); else p->data[at] = (unsigned char)v;
}
static unsigned tn_pixels_get(const tn_pixels *p, int c, int64_t y, int64_t x) {
  const size_t at = (size_t)((c * p->height + y) * p->width + x);
  uint16_t v16;
  if (!p->wide) return p->data[at];
  memcpy(&v16, p->data + 2 * at, 2);
  return v16;
}
// The tensor of samples that are complete (done), and the end of p.
static int tn_pixels_close(tiny_ctx *t, tn_pixels *p, int done, tiny_uop **out) {
  const int64_t dim[3] = {p->channels, p->height, p->width};
  if (done) *out = tn_upload(tn_device_here(t), p->data, p->wide ? TINY_U16 : TINY_U8, 3, dim);
  if (p->data) tn_release(t, p->data, p->nbytes + 1);
  return done && !tn_bad(t, *out);
}

// The samples of x, (H,W) or (C,H,W), realized; 0 after an error.
static int tn_pixels_of(tiny_ctx *t, const char *name, tiny_tensor *x, tn_pixels *p) {
  char text[TN_DIMS_TEXT];
  memset(p, 0, sizeof *p);
  const tiny_uop *u = tn_uop_of(x);
  if (u->dtype != TINY_U8 && u->dtype != TINY_U16) {
    tiny_fail(t, TINY_E_DTYPE, "%s: pictures are u8 or u16, not %s; tiny_convert_image_dtype makes them", name,
              tn_dtypes[u->dtype].name);
    return 0;
  }
  const int64_t channels = u->ndim == 3 ? u->dim[0] : 1;
  if (u->extent || u->ndim < 2 || u->ndim > 3 || channels < 1 || channels > 4 || u->dim[u->ndim - 2] < 1 ||
      u->dim[u->ndim - 1] < 1 || u->dim[u->ndim - 2] > INT32_MAX || u->dim[u->ndim - 1] > INT32_MAX) {
    tiny_fail(t, TINY_E_SHAPE, "%s: %s is no picture (1 to 4, height, width)", name, tn_text_of(u, text));
    return 0;
  }
  p->channels = (int)channels;
  p->height = u->dim[u->ndim - 2]; p->width = u->dim[u->ndim - 1];
  p->wide = u->dtype == TINY_U16;
  p->nbytes = (size_t)(p->channels * p->height * p->width) * (size_t)(1 + p->wide);
  p->data = (unsigned char *)tn_alloc(t, p->nbytes + 1);
  if (!p->data) return 0;
  if (tn_read_whole(x, p->data, p->nbytes) == TINY_OK) return 1;
  tn_release(t, p->data, p->nbytes + 1);
  return 0;
}
#endif
