// pnm: pictures in Netpbm's formats: PBM, PGM and PPM as text (P1 to P3) and as bytes (P4 to P6), and PAM (P7).
//
// In:  bytes. Out: samples, scaled so that the file's maximum is 255 or 65535. Format: Netpbm's manual pages pbm, pgm,
//      ppm and pam.
#ifndef TN_IO_PNM
#define TN_IO_PNM
#ifndef TINY_AMALGAMATED
#include "pixels.c"
#endif

typedef struct tn_pnm { const tn_source *s; size_t at; int kind; int64_t most; tn_pixels p; } tn_pnm;

static int tn_pnm_is_space(int c) { return c == ' ' || (c >= 9 && c <= 13); }
// Past spaces and comments, which go from # to the end of their line.
static void tn_pnm_skip(tn_pnm *r) {
  const unsigned char *d = r->s->data;
  while (r->at < r->s->nbytes && (tn_pnm_is_space(d[r->at]) || d[r->at] == '#')) {
    if (d[r->at] == '#') while (r->at + 1 < r->s->nbytes && d[r->at] != '\n' && d[r->at] != '\r') r->at++;
    r->at++;
  }
}
// The next number, low to high; 0 after an error.
static int tn_pnm_number(tn_pnm *r, const char *field, int64_t low, int64_t high, int64_t *out) {
  tn_pnm_skip(r);
  const size_t begin = r->at;
  int64_t k = 0;
  for (; r->at < r->s->nbytes && r->s->data[r->at] >= '0' && r->s->data[r->at] <= '9'; r->at++)
    if (k <= INT32_MAX) k = k * 10 + (r->s->data[r->at] - '0');
  if (begin == r->at) return tn_source_fail(r->s, begin, field, "a number is missing");
  *out = k;
  if (k >= low && k <= high) return 1;
  return tn_source_fail(r->s, begin, field, "%lld is not from %lld to %lld", (long long)k, (long long)low,
                        (long long)high);
}

// ** headers **

static int tn_pnm_header(tn_pnm *r) {
  r->p.channels = r->kind == 3 || r->kind == 6 ? 3 : 1;
  r->most = 1;
  return tn_pnm_number(r, "width", 1, INT32_MAX, &r->p.width) &&
      tn_pnm_number(r, "height", 1, INT32_MAX, &r->p.height) &&
      (r->kind == 1 || r->kind == 4 || tn_pnm_number(r, "maximum", 1, 65535, &r->most));
}
static const struct { const char *word; int64_t high; } tn_pam_fields[4] = {
  {"WIDTH", INT32_MAX}, {"HEIGHT", INT32_MAX}, {"DEPTH", 4}, {"MAXVAL", 65535},
};
// Lines of a word and a number, in any order, up to ENDHDR; the name of the tuples says nothing that DEPTH does not.
static int tn_pam_header(tn_pnm *r) {
  int64_t value[4] = {0};
  const tn_source *s = r->s;
  for (;;) {
    int known = 0;
    tn_pnm_skip(r);
    const char *word = (const char *)s->data + r->at;
    const size_t left = s->nbytes - r->at;
    if (left >= 6 && !memcmp(word, "ENDHDR", 6)) break;
    for (int i = 0; i < 4 && !known; i++) {
      const size_t n = strlen(tn_pam_fields[i].word);
      if (left <= n || memcmp(word, tn_pam_fields[i].word, n) || !tn_pnm_is_space(word[n])) continue;
      r->at += n;
      known = 1;
      if (!tn_pnm_number(r, tn_pam_fields[i].word, 1, tn_pam_fields[i].high, &value[i])) return 0;
    }
    if (known) continue;
    if (left < 8 || memcmp(word, "TUPLTYPE", 8)) return tn_source_fail(s, r->at, "header", "a line of no known kind");
    while (r->at < s->nbytes && s->data[r->at] != '\n') r->at++;
  }
  for (r->at += 6; r->at < s->nbytes && s->data[r->at] != '\n' && tn_pnm_is_space(s->data[r->at]);) r->at++;
  if (r->at < s->nbytes && s->data[r->at] != '\n') return tn_source_fail(s, r->at, "ENDHDR", "its line does not end");
  for (int i = 0; i < 4; i++) if (!value[i]) return tn_source_fail(s, r->at, tn_pam_fields[i].word, "missing");
  r->p.width = value[0]; r->p.height = value[1]; r->p.channels = (int)value[2]; r->most = value[3];
  return 1;
}

// ** samples **

static unsigned tn_pnm_scaled(const tn_pnm *r, int64_t v) {
  const int64_t full = r->p.wide ? 65535 : 255;
  return (unsigned)(r->most == full ? v : (v * full + r->most / 2) / r->most);
}
static int tn_pnm_too_great(const tn_pnm *r, size_t at, int64_t v) {
  return tn_source_fail(r->s, at, "sample", "%lld, but the maximum is %lld", (long long)v, (long long)r->most);
}
static int tn_pnm_text(tn_pnm *r, int64_t y, int64_t x, int c) {
  int64_t v = 0;
  if (r->kind != 1) {
    if (!tn_pnm_number(r, "sample", 0, r->most, &v)) return 0;
  } else {                                 // a digit each, with spaces between them or not; 1 is black
    tn_pnm_skip(r);
    if (r->at >= r->s->nbytes || (r->s->data[r->at] | 1) != '1')
      return tn_source_fail(r->s, r->at, "sample", "neither 0 nor 1");
    v = r->s->data[r->at++] == '0';
  }
  tn_pixels_put(&r->p, c, y, x, tn_pnm_scaled(r, v));
  return 1;
}
static int tn_pnm_bytes(tn_pnm *r) {
  const int each = r->most > 255 ? 2 : 1;
  const size_t bits = r->kind == 4 ? 1 : 8u * (unsigned)(each * r->p.channels);
  const size_t row = ((size_t)r->p.width * bits + 7) / 8;
  if (r->at >= r->s->nbytes || !tn_pnm_is_space(r->s->data[r->at]))
    return tn_source_fail(r->s, r->at, "header", "a space is missing");
  const unsigned char *d = r->s->data + ++r->at;
  if ((r->s->nbytes - r->at) / row < (size_t)r->p.height)
    return tn_source_fail(r->s, r->at, "samples", "%llu bytes, but %llu are wanted",
                          (unsigned long long)(r->s->nbytes - r->at), (unsigned long long)row * (uint64_t)r->p.height);
  for (int64_t y = 0; y < r->p.height; y++, d += row) for (int64_t x = 0; x < r->p.width; x++)
    for (int c = 0; c < r->p.channels; c++) {
      const size_t at = (size_t)x * (size_t)r->p.channels + (size_t)c;
      const int64_t v = r->kind == 4 ? !(d[x / 8] >> (7 - x % 8) & 1) :
                                       (int64_t)tn_big_endian(d + at * (size_t)each, each);
      if (v > r->most) return tn_pnm_too_great(r, (size_t)(d - r->s->data) + at * (size_t)each, v);
      tn_pixels_put(&r->p, c, y, x, tn_pnm_scaled(r, v));
    }
  return 1;
}
static int tn_pnm_samples(tn_pnm *r) {
  if (r->kind > 3) return tn_pnm_bytes(r);
  for (int64_t y = 0; y < r->p.height; y++) for (int64_t x = 0; x < r->p.width; x++)
    for (int c = 0; c < r->p.channels; c++) if (!tn_pnm_text(r, y, x, c)) return 0;
  return 1;
}

static int tn_pnm_known(const tn_source *s) {
  return s->nbytes >= 3 && s->data[0] == 'P' && s->data[1] >= '1' && s->data[1] <= '7' && tn_pnm_is_space(s->data[2]);
}
static int tn_pnm_read(const tn_source *s, tiny_uop **out) {
  tn_pnm r;
  memset(&r, 0, sizeof r);
  r.s = s;
  r.kind = s->data[1] - '0';
  r.at = 2;
  if (!(r.kind == 7 ? tn_pam_header(&r) : tn_pnm_header(&r))) return 0;
  r.p.wide = r.most > 255;
  return tn_pixels_close(s->t, &r.p, tn_pixels_open(s, &r.p, 8) && tn_pnm_samples(&r), out);
}

// ** writing **

static int tn_pnm_write(tn_sink *s, const tn_pixels *p, int pam) {
  static const char *const tuples[5] = {"", "GRAYSCALE", "GRAYSCALE_ALPHA", "RGB", "RGB_ALPHA"};
  char head[200];
  const int bytes = 1 + p->wide, most = p->wide ? 65535 : 255;
  const size_t row = p->nbytes / (size_t)p->height;
  static const char long_head[] = "P7\nWIDTH %lld\nHEIGHT %lld\nDEPTH %d\nMAXVAL %d\nTUPLTYPE %s\nENDHDR\n";
  const long long w = p->width, h = p->height;
  const int n = pam ? snprintf(head, sizeof head, long_head, w, h, p->channels, most, tuples[p->channels]) :
                      snprintf(head, sizeof head, "P%d\n%lld %lld\n%d\n", p->channels == 3 ? 6 : 5, w, h, most);
  unsigned char *line = (unsigned char *)tn_alloc(s->t, row);
  int done = line && tn_sink_put(s, head, (size_t)n);
  for (int64_t y = 0; done && y < p->height; y++) {
    unsigned char *at = line;
    for (int64_t x = 0; x < p->width; x++)
      for (int c = 0; c < p->channels; c++, at += bytes) tn_put_big_endian(at, tn_pixels_get(p, c, y, x), bytes);
    done = tn_sink_put(s, line, row);
  }
  tn_release(s->t, line, row);
  return done;
}
#endif
