// picture: files of pictures, whichever format they have: what a user calls.
//
// In:  a path, bytes or a tensor. Out: a tensor (C,H,W), or a file. The first bytes tell the format of what is read,
//      the end of the path that of what is written.
#ifndef TN_IO_PICTURE
#define TN_IO_PICTURE
#ifndef TINY_AMALGAMATED
#include "png.c"
#include "pnm.c"
#endif

static int tn_picture_read(const tn_source *s, const void *what, tiny_uop **out) {
  (void)what;
  if (s->nbytes >= 8 && !memcmp(s->data, tn_png_magic, 8)) return tn_png_read(s, out);
  if (tn_pnm_known(s)) return tn_pnm_read(s, out);
  return tn_source_fail(s, 0, "magic", "neither PNG nor PBM, PGM, PPM or PAM");
}
TINY_API tiny_tensor *tiny_load_image(tiny_ctx *t, const char *path) {
  return tn_source_load(t, "load_image", path, tn_picture_read, NULL);
}
TINY_API tiny_tensor *tiny_load_image_from(tiny_ctx *t, const void *data, size_t nbytes) {
  return tn_source_load_from(t, data, nbytes, tn_picture_read, NULL);
}

// What is written under a name: how many channels it takes (a bit each), and is it PNG or PAM?
static const struct { const char *name; int channels, png, pam; } tn_picture_formats[] = {
  {"png", 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4, 1, 0}, {"pgm", 1 << 1, 0, 0}, {"ppm", 1 << 3, 0, 0},
  {"pnm", 1 << 1 | 1 << 3, 0, 0}, {"pam", 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4, 0, 1},
};
enum { TN_PICTURE_FORMATS = sizeof tn_picture_formats / sizeof *tn_picture_formats };

typedef struct tn_picture { tiny_tensor *x; const char *format; } tn_picture;

static int tn_picture_write(tn_sink *s, const void *what) {
  const tn_picture *of = (const tn_picture *)what;
  tn_pixels p;
  int i = 0;
  while (i < TN_PICTURE_FORMATS && strcmp(of->format, tn_picture_formats[i].name)) i++;
  if (i == TN_PICTURE_FORMATS) {
    tiny_fail(s->t, TINY_E_ARG, "%s: '%.100s' is no format of pictures; there are png, pgm, ppm, pnm and pam", s->name,
              of->format);
    return 0;
  }
  if (!tn_pixels_of(s->t, s->name, of->x, &p)) return 0;
  const int fits = tn_picture_formats[i].channels >> p.channels & 1;
  if (!fits) tiny_fail(s->t, TINY_E_SHAPE, "%s: .%s does not take %d channels", s->name, of->format, p.channels);
  const int pam = tn_picture_formats[i].pam;
  const int done = fits && (tn_picture_formats[i].png ? tn_png_write(s, &p) : tn_pnm_write(s, &p, pam));
  tn_release(s->t, p.data, p.nbytes + 1);
  return done;
}
TINY_API tiny_code tiny_save_image(tiny_tensor *x, const char *path) {
  const char *dot = path ? strrchr(path, '.') : NULL;
  const tn_picture of = {x, dot ? dot + 1 : ""};
  return tn_sink_save("save_image", x, path, NULL, tn_picture_write, &of);
}
TINY_API tiny_code tiny_save_image_to(tiny_tensor *x, const char *format, tiny_writer to) {
  const tn_picture of = {x, format ? format : ""};
  return tn_sink_save("save_image_to", x, NULL, &to, tn_picture_write, &of);
}
#endif
