// png: pictures in the PNG format, all of its colour types, depths and interlacing in; 8 and 16 bits out.
//
// In:  bytes. Out: samples; and the other way round. Format: W3C, "Portable Network Graphics (PNG) Specification",
//      third edition; sections are named where they are used.
// A palette is looked up, tRNS becomes an alpha channel, samples of 1, 2 and 4 bits fill the range of 8. Every chunk's
// CRC, the zlib stream's checksum and its exact length are checked. Gamma, profiles and text are passed over.
#ifndef TN_IO_PNG
#define TN_IO_PNG
#ifndef TINY_AMALGAMATED
#include "deflate.c"
#include "pixels.c"
#endif

static const unsigned char tn_png_magic[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};

// 11.2.1: samples of a pixel and depths (a bit each) by colour type.
static const struct { int samples, depths; } tn_png_kinds[7] = {
  {1, 1 | 2 | 4 | 8 | 16}, {0, 0}, {3, 8 | 16}, {1, 1 | 2 | 4 | 8}, {2, 8 | 16}, {0, 0}, {4, 8 | 16},
};
// 8.1: where the passes of an interlaced picture begin, and in which steps.
static const struct { uint8_t x, y, dx, dy; } tn_png_passes[7] = {
  {0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2},
};

typedef struct tn_png {
  const tn_source *s;
  tn_pixels p;
  int depth, kind, interlaced, samples;    // of a pixel as it is stored
  const unsigned char *palette, *clear;    // PLTE; tRNS
  int npalette, nclear;
  size_t first, npacked; int parts;        // of the IDAT chunks: the first one's data, bytes in all
} tn_png;

// ** chunks **

typedef struct tn_png_chunk { size_t at, n; const unsigned char *type, *data; } tn_png_chunk;

// The chunk at `at`; 0 after an error. crc NULL: it was checked.
static int tn_png_chunk_at(const tn_source *s, size_t at, const tn_crc *crc, tn_png_chunk *c) {
  if (s->nbytes - at < 12) return tn_source_fail(s, at, "chunk", "cut off");
  const uint64_t n = tn_big_endian(s->data + at, 4), left = s->nbytes - at - 12;
  if (n > left)
    return tn_source_fail(s, at, "chunk length", "%llu bytes, but %llu are left", (unsigned long long)n,
                          (unsigned long long)left);
  c->at = at; c->n = (size_t)n; c->type = s->data + at + 4; c->data = s->data + at + 8;
  if (crc && tn_crc_of(crc, 0, c->type, c->n + 4) != (uint32_t)tn_big_endian(c->data + c->n, 4))
    return tn_source_fail(s, at, "checksum", "chunk '%.4s' is damaged", (const char *)c->type);
  return 1;
}
static int tn_png_is(const tn_png_chunk *c, const char *type) { return !memcmp(c->type, type, 4); }

static int tn_png_header(tn_png *r, const tn_png_chunk *c) {
  const tn_source *s = r->s;
  const unsigned char *d = c->data;
  if (!tn_png_is(c, "IHDR") || c->n != 13) return tn_source_fail(s, c->at, "IHDR", "missing, or not 13 bytes");
  r->p.width = (int64_t)tn_big_endian(d, 4); r->p.height = (int64_t)tn_big_endian(d + 4, 4);
  r->depth = d[8]; r->kind = d[9]; r->interlaced = d[12];
  if (r->p.width < 1 || r->p.height < 1 || r->p.width > INT32_MAX || r->p.height > INT32_MAX)
    return tn_source_fail(s, c->at + 8, "size", "%lld x %lld", (long long)r->p.width, (long long)r->p.height);
  if (r->kind > 6 || !r->depth || (r->depth & (r->depth - 1)) || !(tn_png_kinds[r->kind].depths & r->depth))
    return tn_source_fail(s, c->at + 16, "colour type", "%d of %d bits", r->kind, r->depth);
  if (d[10] || d[11] || d[12] > 1)
    return tn_source_fail(s, c->at + 18, "methods", "compression %d, filter %d, interlace %d", d[10], d[11], d[12]);
  r->samples = tn_png_kinds[r->kind].samples;
  r->p.wide = r->depth == 16;
  return 1;
}
static int tn_png_transparency(tn_png *r, const tn_png_chunk *c) {
  const size_t most = r->kind == 3 ? (size_t)r->npalette : r->kind == 0 ? 2 : r->kind == 2 ? 6 : 0;
  if (r->clear || r->parts || !most || (r->kind == 3 ? c->n > most : c->n != most))
    return tn_source_fail(r->s, c->at, "tRNS", "%llu bytes, or out of order, for colour type %d",
                          (unsigned long long)c->n, r->kind);
  r->clear = c->data; r->nclear = (int)c->n;
  return 1;
}
static int tn_png_palette(tn_png *r, const tn_png_chunk *c) {
  if (r->palette || r->parts || r->clear || !c->n || c->n % 3 || c->n > 768 || r->kind == 0 || r->kind == 4)
    return tn_source_fail(r->s, c->at, "PLTE", "%llu bytes, or out of order, for colour type %d",
                          (unsigned long long)c->n, r->kind);
  r->palette = c->data; r->npalette = (int)(c->n / 3);
  return 1;
}
static int tn_png_data(tn_png *r, const tn_png_chunk *c, int follows) {
  if (r->parts && !follows) return tn_source_fail(r->s, c->at, "IDAT", "the chunks of the picture are apart");
  if (r->kind == 3 && !r->palette) return tn_source_fail(r->s, c->at, "PLTE", "missing");
  if (!r->parts++) r->first = c->at;
  r->npacked += c->n;
  return 1;
}
// All chunks; 5.6 says in which order they stand. Those that a reader may not know begin with a small letter.
static int tn_png_chunks(tn_png *r, const tn_crc *crc) {
  const tn_source *s = r->s;
  tn_png_chunk c;
  int follows = 0;                         // the chunk before this one was IDAT
  size_t at = sizeof tn_png_magic;
  if (!tn_png_chunk_at(s, at, crc, &c) || !tn_png_header(r, &c)) return 0;
  for (at += c.n + 12;; at += c.n + 12) {
    if (!tn_png_chunk_at(s, at, crc, &c)) return 0;
    if (tn_png_is(&c, "IEND")) break;
    const int data = tn_png_is(&c, "IDAT");
    const int known = data || tn_png_is(&c, "PLTE") || tn_png_is(&c, "tRNS");
    if (!known && !(c.type[0] & 32))
      return tn_source_fail(s, at, "chunk", "'%.4s' is needed, and not known here", (const char *)c.type);
    if (data ? !tn_png_data(r, &c, follows) : known && !(c.type[0] & 32) ? !tn_png_palette(r, &c) :
        known && !tn_png_transparency(r, &c))
      return 0;
    follows = data;
  }
  if (!r->parts) return tn_source_fail(s, at, "IDAT", "missing");
  r->p.channels = (r->kind == 3 ? 3 : r->samples) + (r->clear != NULL);
  return 1;
}

// ** rows **

static size_t tn_png_row_nbytes(const tn_png *r, int64_t width) {
  return ((size_t)width * (size_t)(r->samples * r->depth) + 7) / 8;
}
// 9.4: whichever of left, up and corner is nearest to left + up - corner.
static int tn_png_paeth(int left, int up, int corner) {
  const int p = left + up - corner;
  const int a = p > left ? p - left : left - p, b = p > up ? p - up : up - p, c = p > corner ? p - corner : corner - p;
  return a <= b && a <= c ? left : b <= c ? up : corner;
}
// What filter `kind` expects at byte i of a row.
static int tn_png_expected(int kind, const unsigned char *row, const unsigned char *above, size_t i, size_t step) {
  const int left = i >= step ? row[i - step] : 0, up = above ? above[i] : 0;
  const int corner = above && i >= step ? above[i - step] : 0;
  switch (kind) {
    case 1: return left;
    case 2: return up;
    case 3: return (left + up) / 2;
    case 4: return tn_png_paeth(left, up, corner);
    default: return 0;
  }
}

static unsigned tn_png_sample(const tn_png *r, const unsigned char *row, size_t i) {
  if (r->depth == 8) return row[i];
  if (r->depth == 16) return (unsigned)tn_big_endian(row + 2 * i, 2);
  const size_t bit = i * (size_t)r->depth;
  return (unsigned)row[bit / 8] >> (8 - (size_t)r->depth - bit % 8) & ((1u << r->depth) - 1);
}
// Pixel i of a row is the one at (x, y); 0: its colour is none of the palette.
static int tn_png_pixel(tn_png *r, const unsigned char *row, size_t i, int64_t y, int64_t x) {
  const unsigned full = r->depth < 8 ? 255 / ((1u << r->depth) - 1) : 1, most = r->p.wide ? 65535 : 255;
  const size_t n = (size_t)r->samples;
  if (r->kind == 3) {
    const unsigned v = tn_png_sample(r, row, i);
    if (v >= (unsigned)r->npalette) return 0;
    for (int c = 0; c < 3; c++) tn_pixels_put(&r->p, c, y, x, r->palette[3 * v + (unsigned)c]);
    if (r->clear) tn_pixels_put(&r->p, 3, y, x, v < (unsigned)r->nclear ? r->clear[v] : 255);
    return 1;
  }
  int clear = r->clear != NULL;
  for (size_t c = 0; c < n; c++) {
    const unsigned v = tn_png_sample(r, row, i * n + c);
    if (clear) clear = v == ((unsigned)tn_big_endian(r->clear + 2 * c, 2) & ((1u << r->depth) - 1));
    tn_pixels_put(&r->p, (int)c, y, x, v * full);
  }
  if (r->clear) tn_pixels_put(&r->p, (int)n, y, x, clear ? 0 : most);
  return 1;
}

// Bytes of the rows of all passes, each behind the number of its filter.
static size_t tn_png_raw_nbytes(const tn_png *r) {
  size_t sum = 0;
  if (!r->interlaced) return (size_t)r->p.height * (1 + tn_png_row_nbytes(r, r->p.width));
  for (int i = 0; i < 7; i++) {
    const int64_t w = (r->p.width - tn_png_passes[i].x + tn_png_passes[i].dx - 1) / tn_png_passes[i].dx;
    const int64_t h = (r->p.height - tn_png_passes[i].y + tn_png_passes[i].dy - 1) / tn_png_passes[i].dy;
    if (w > 0 && h > 0) sum += (size_t)h * (1 + tn_png_row_nbytes(r, w));
  }
  return sum;
}
// One pass, or the whole: every dx-th pixel from x of every dy-th row from y. Where its bytes end; NULL: an error.
static unsigned char *tn_png_pass(tn_png *r, unsigned char *raw, int x, int y, int dx, int dy) {
  const int64_t w = (r->p.width - x + dx - 1) / dx, h = (r->p.height - y + dy - 1) / dy;
  const size_t n = w > 0 ? tn_png_row_nbytes(r, w) : 0, bits = (size_t)(r->samples * r->depth), step = (bits + 7) / 8;
  const unsigned char *above = NULL;
  for (int64_t j = 0; w > 0 && j < h; j++) {
    const int kind = *raw++;
    int fits = kind <= 4;
    for (size_t i = 0; fits && kind && i < n; i++)
      raw[i] = (unsigned char)(raw[i] + tn_png_expected(kind, raw, above, i, step));
    for (int64_t i = 0; fits && i < w; i++) fits = tn_png_pixel(r, raw, (size_t)i, y + j * dy, x + i * dx);
    if (!fits) {
      tn_source_fail(r->s, r->first, "IDAT", "row %lld has filter %d%s", (long long)(y + j * dy), kind,
                     kind > 4 ? "" : " and a colour beyond the palette");
      return NULL;
    }
    above = raw;
    raw += n;
  }
  return raw;
}
static int tn_png_unfilter(tn_png *r, unsigned char *raw) {
  if (!r->interlaced) return tn_png_pass(r, raw, 0, 0, 1, 1) != NULL;
  for (int i = 0; raw && i < 7; i++)
    raw = tn_png_pass(r, raw, tn_png_passes[i].x, tn_png_passes[i].y, tn_png_passes[i].dx, tn_png_passes[i].dy);
  return raw != NULL;
}

// ** the zlib stream (RFC 1950) **

// The IDAT chunks' data as one: in place where there is one chunk.
static const unsigned char *tn_png_packed(const tn_png *r, unsigned char *room) {
  tn_png_chunk c = {0, 0, NULL, NULL};
  size_t n = 0;
  if (!room) return r->s->data + r->first + 8;
  for (size_t at = r->first; n < r->npacked && tn_png_chunk_at(r->s, at, NULL, &c); at += c.n + 12) {
    memcpy(room + n, c.data, c.n);
    n += c.n;
  }
  return room;
}
static int tn_png_unpack(tn_png *r, const unsigned char *in, unsigned char *raw, size_t nraw) {
  const tn_source *s = r->s;
  size_t at = 0;
  tn_inflate *z = (tn_inflate *)tn_alloc(s->t, sizeof *z);
  if (!z) return 0;
  const char *wrong = (in[0] & 15) != 8 || (in[0] << 8 | in[1]) % 31 || in[1] & 32 ? "no zlib stream" :
      tn_inflate_run(z, in + 2, r->npacked - 6, raw, nraw, &at);
  tn_release(s->t, z, sizeof *z);
  if (!wrong && tn_adler(raw, nraw) != (uint32_t)tn_big_endian(in + r->npacked - 4, 4)) wrong = "the data is damaged";
  return !wrong || tn_source_fail(s, r->first, "IDAT", "%s", wrong);
}
static int tn_png_rows(tn_png *r) {
  tiny_ctx *t = r->s->t;
  if (r->npacked < 6 || tn_png_raw_nbytes(r) / TN_INFLATE_MOST > r->npacked)
    return tn_source_fail(r->s, r->first, "IDAT", "%llu bytes are too few", (unsigned long long)r->npacked);
  const size_t nraw = tn_png_raw_nbytes(r), nroom = r->parts > 1 ? r->npacked : 0;
  unsigned char *raw = (unsigned char *)tn_alloc(t, nraw), *room = nroom ? (unsigned char *)tn_alloc(t, nroom) : NULL;
  const int done = raw && (room || !nroom) && tn_png_unpack(r, tn_png_packed(r, room), raw, nraw) &&
                   tn_png_unfilter(r, raw);
  if (room) tn_release(t, room, nroom);
  if (raw) tn_release(t, raw, nraw);
  return done;
}

static int tn_png_read(const tn_source *s, tiny_uop **out) {
  tn_png r;
  memset(&r, 0, sizeof r);
  r.s = s;
  tn_crc *crc = (tn_crc *)tn_alloc(s->t, sizeof *crc);
  if (crc) tn_crc_open(crc);
  const int known = crc && tn_png_chunks(&r, crc);
  tn_release(s->t, crc, sizeof *crc);
  const double most = known ? (double)TN_INFLATE_MOST * 8 * r.p.channels / (r.samples * r.depth) : 0;
  return tn_pixels_close(s->t, &r.p, known && tn_pixels_open(s, &r.p, most) && tn_png_rows(&r), out);
}

// ** writing **

static int tn_png_put_chunk(tn_sink *s, const tn_crc *crc, const char *type, const void *data, size_t n) {
  unsigned char head[8], tail[4];
  tn_put_big_endian(head, n, 4);
  memcpy(head + 4, type, 4);
  tn_put_big_endian(tail, tn_crc_of(crc, tn_crc_of(crc, 0, type, 4), data, n), 4);
  return tn_sink_put(s, head, 8) && tn_sink_put(s, data, n) && tn_sink_put(s, tail, 4);
}
// The row's bytes less what a filter expects, behind its number; the sum of their sizes, as signed numbers.
static uint64_t tn_png_filtered(int kind, const unsigned char *row, const unsigned char *above, size_t n, size_t step,
                                unsigned char *out) {
  uint64_t sum = 0;
  *out++ = (unsigned char)kind;
  for (size_t i = 0; i < n; i++) {
    out[i] = (unsigned char)(row[i] - tn_png_expected(kind, row, above, i, step));
    sum += out[i] < 128 ? out[i] : 256u - out[i];
  }
  return sum;
}
// 12.7: the filter whose bytes are least in sum. Rows stand in two, the last and this one, filtered ones in try_one.
static void tn_png_filter(const tn_pixels *p, unsigned char *two, unsigned char *try_one, unsigned char *out) {
  const size_t bytes = (size_t)(1 + p->wide), step = bytes * (size_t)p->channels, n = step * (size_t)p->width;
  for (int64_t y = 0; y < p->height; y++, out += 1 + n) {
    unsigned char *row = two + (size_t)(y & 1) * n;
    const unsigned char *above = y ? two + (size_t)(~y & 1) * n : NULL;
    uint64_t least = UINT64_MAX;
    for (int64_t x = 0; x < p->width; x++) for (int c = 0; c < p->channels; c++)
      tn_put_big_endian(row + (size_t)x * step + (size_t)c * bytes, tn_pixels_get(p, c, y, x), (int)bytes);
    for (int kind = 0; kind < 5; kind++) {
      const uint64_t sum = tn_png_filtered(kind, row, above, n, step, try_one);
      if (sum < least) { least = sum; memcpy(out, try_one, 1 + n); }
    }
  }
}
enum { TN_PNG_CHUNK = 1 << 30 };           // bytes of an IDAT at most
static int tn_png_put(tn_sink *s, const tn_pixels *p, const tn_crc *crc, const unsigned char *packed, size_t n) {
  static const uint8_t kind[5] = {0, 0, 4, 2, 6};
  unsigned char header[13] = {0};
  tn_put_big_endian(header, (uint64_t)p->width, 4);
  tn_put_big_endian(header + 4, (uint64_t)p->height, 4);
  header[8] = p->wide ? 16 : 8;
  header[9] = kind[p->channels];
  int done = tn_sink_put(s, tn_png_magic, 8) && tn_png_put_chunk(s, crc, "IHDR", header, 13);
  for (size_t at = 0; done && at < n; at += TN_PNG_CHUNK)
    done = tn_png_put_chunk(s, crc, "IDAT", packed + at, n - at < TN_PNG_CHUNK ? n - at : (size_t)TN_PNG_CHUNK);
  return done && tn_png_put_chunk(s, crc, "IEND", NULL, 0);
}

typedef struct tn_png_tools { tn_crc crc; tn_deflate z; } tn_png_tools;

static int tn_png_write(tn_sink *s, const tn_pixels *p) {
  tiny_ctx *t = s->t;
  const size_t row = p->nbytes / (size_t)p->height, nraw = (row + 1) * (size_t)p->height, nrows = 3 * row + 1;
  const size_t npacked = tn_deflate_most(nraw) + 6;
  unsigned char *raw = (unsigned char *)tn_alloc(t, nraw), *rows = raw ? (unsigned char *)tn_alloc(t, nrows) : NULL;
  unsigned char *packed = rows ? (unsigned char *)tn_alloc(t, npacked) : NULL;
  tn_png_tools *tools = packed ? (tn_png_tools *)tn_alloc(t, sizeof *tools) : NULL;
  int done = tools != NULL;
  if (done) {
    tn_png_filter(p, rows, rows + 2 * row, raw);
    packed[0] = 0x78; packed[1] = 0x01;    // a window of 32 KiB, fastest
    const size_t n = 2 + tn_deflate_run(&tools->z, raw, nraw, packed + 2);
    tn_put_big_endian(packed + n, tn_adler(raw, nraw), 4);
    tn_crc_open(&tools->crc);
    done = tn_png_put(s, p, &tools->crc, packed, n + 4);
  }
  tn_release(t, tools, sizeof *tools);
  tn_release(t, packed, npacked);
  tn_release(t, rows, nrows);
  tn_release(t, raw, nraw);
  return done;
}
#endif
