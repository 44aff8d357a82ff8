// metal_mock_pixel: pixel formats of the mock of Metal: how many bytes a pixel has, and what kernels read and write.
//
// In: a texture's memory. Out: four numbers a pixel, and back, as the Metal Shading Language Specification says (8.7,
//     "Texture Addressing and Conversion Rules"): integers as they are, normalized ones by their greatest, to the
//     nearest, NaN as 0; what a format has not is 0, alpha 1.
#import "metal_mock_state.h"
#include <math.h>
#include <string.h>

enum { UNORM, SNORM, UINT, SINT, FLOAT };
enum { PLAIN, SRGB, BGRA, BGRA_SRGB, ALPHA, RGB10A2 };

typedef struct mock_format { int format, channels, bits, kind, order; } mock_format;
static const mock_format mock_formats[] = {
  { MTLPixelFormatA8Unorm, 1, 8, UNORM, ALPHA },
  { MTLPixelFormatR8Unorm, 1, 8, UNORM, PLAIN }, { MTLPixelFormatR8Snorm, 1, 8, SNORM, PLAIN },
  { MTLPixelFormatR8Uint, 1, 8, UINT, PLAIN }, { MTLPixelFormatR8Sint, 1, 8, SINT, PLAIN },
  { MTLPixelFormatR16Unorm, 1, 16, UNORM, PLAIN }, { MTLPixelFormatR16Snorm, 1, 16, SNORM, PLAIN },
  { MTLPixelFormatR16Uint, 1, 16, UINT, PLAIN }, { MTLPixelFormatR16Sint, 1, 16, SINT, PLAIN },
  { MTLPixelFormatR16Float, 1, 16, FLOAT, PLAIN },
  { MTLPixelFormatRG8Unorm, 2, 8, UNORM, PLAIN }, { MTLPixelFormatRG8Snorm, 2, 8, SNORM, PLAIN },
  { MTLPixelFormatRG8Uint, 2, 8, UINT, PLAIN }, { MTLPixelFormatRG8Sint, 2, 8, SINT, PLAIN },
  { MTLPixelFormatR32Uint, 1, 32, UINT, PLAIN }, { MTLPixelFormatR32Sint, 1, 32, SINT, PLAIN },
  { MTLPixelFormatR32Float, 1, 32, FLOAT, PLAIN },
  { MTLPixelFormatRG16Unorm, 2, 16, UNORM, PLAIN }, { MTLPixelFormatRG16Snorm, 2, 16, SNORM, PLAIN },
  { MTLPixelFormatRG16Uint, 2, 16, UINT, PLAIN }, { MTLPixelFormatRG16Sint, 2, 16, SINT, PLAIN },
  { MTLPixelFormatRG16Float, 2, 16, FLOAT, PLAIN },
  { MTLPixelFormatRGBA8Unorm, 4, 8, UNORM, PLAIN }, { MTLPixelFormatRGBA8Unorm_sRGB, 4, 8, UNORM, SRGB },
  { MTLPixelFormatRGBA8Snorm, 4, 8, SNORM, PLAIN }, { MTLPixelFormatRGBA8Uint, 4, 8, UINT, PLAIN },
  { MTLPixelFormatRGBA8Sint, 4, 8, SINT, PLAIN },
  { MTLPixelFormatBGRA8Unorm, 4, 8, UNORM, BGRA }, { MTLPixelFormatBGRA8Unorm_sRGB, 4, 8, UNORM, BGRA_SRGB },
  { MTLPixelFormatRGB10A2Unorm, 1, 32, UNORM, RGB10A2 },
  { MTLPixelFormatRG32Uint, 2, 32, UINT, PLAIN }, { MTLPixelFormatRG32Sint, 2, 32, SINT, PLAIN },
  { MTLPixelFormatRG32Float, 2, 32, FLOAT, PLAIN },
  { MTLPixelFormatRGBA16Unorm, 4, 16, UNORM, PLAIN }, { MTLPixelFormatRGBA16Snorm, 4, 16, SNORM, PLAIN },
  { MTLPixelFormatRGBA16Uint, 4, 16, UINT, PLAIN }, { MTLPixelFormatRGBA16Sint, 4, 16, SINT, PLAIN },
  { MTLPixelFormatRGBA16Float, 4, 16, FLOAT, PLAIN },
  { MTLPixelFormatRGBA32Uint, 4, 32, UINT, PLAIN }, { MTLPixelFormatRGBA32Sint, 4, 32, SINT, PLAIN },
  { MTLPixelFormatRGBA32Float, 4, 32, FLOAT, PLAIN },
};

static const mock_format *mock_format_of(MTLPixelFormat format) {
  for (size_t i = 0; i < sizeof mock_formats / sizeof *mock_formats; i++)
    if (mock_formats[i].format == (int)format) return &mock_formats[i];
  return NULL;
}

size_t mock_pixel_nbytes(MTLPixelFormat format) {
  const mock_format *f = mock_format_of(format);
  return f ? (size_t)(f->channels * f->bits / 8) : 0;
}

// One channel's bits as a number, and back. ---------------------------------------------------------------------------

static float mock_channel_read(const mock_format *f, const uint8_t *p) {
  const int nbytes = f->bits / 8;
  uint32_t bits = 0;
  for (int i = 0; i < nbytes; i++) bits |= (uint32_t)p[i] << 8 * i;
  const int32_t whole = f->bits == 32 ? (int32_t)bits : (int32_t)(bits << (32 - f->bits)) >> (32 - f->bits);
  float real;
  _Float16 half;
  switch (f->kind) {
    case UNORM: return (float)bits / (float)((1u << f->bits) - 1);
    case SNORM: return fmaxf((float)whole / (float)((1 << (f->bits - 1)) - 1), -1);
    case UINT: return (float)bits;
    case SINT: return (float)whole;
  }
  memcpy(&half, p, 2);
  if (f->bits == 16) return (float)half;
  memcpy(&real, p, 4);
  return real;
}

// NaN: 0.
static double mock_clamp(double x, double least, double most) {
  if (isnan(x)) return 0;
  return x < least ? least : x > most ? most : x;
}

static void mock_channel_write(const mock_format *f, uint8_t *p, float x) {
  const double most = f->kind == UINT ? ldexp(1, f->bits) - 1 : ldexp(1, f->bits - 1) - 1;
  int64_t whole = 0;
  const _Float16 half = (_Float16)x;
  switch (f->kind) {
    case UNORM: whole = (int64_t)rint(mock_clamp(x, 0, 1) * (ldexp(1, f->bits) - 1)); break;
    case SNORM: whole = (int64_t)rint(mock_clamp(x, -1, 1) * most); break;
    case UINT: whole = (int64_t)mock_clamp(x, 0, most); break;
    case SINT: whole = (int64_t)mock_clamp(x, -most - 1, most); break;
    default:
      if (f->bits == 16) memcpy(p, &half, 2); else memcpy(p, &x, 4);
      return;
  }
  for (int i = 0; i < f->bits / 8; i++) p[i] = (uint8_t)((uint64_t)whole >> 8 * i);
}

static float mock_from_srgb(float x) { return x <= 0.04045f ? x / 12.92f : powf((x + 0.055f) / 1.055f, 2.4f); }
static float mock_to_srgb(float x) { return x <= 0.0031308f ? x * 12.92f : 1.055f * powf(x, 1 / 2.4f) - 0.055f; }

// Pixels, as metal_kernel.h asks for them. ----------------------------------------------------------------------------

static uint8_t *mock_pixel_at(const MockTexture *t, unsigned x, unsigned y) {
  return t->gpu + ((size_t)y * t->columns + x) * mock_pixel_nbytes(t->format);
}

static void mock_packed_read(const uint8_t *p, float out[4]) {
  uint32_t bits;
  memcpy(&bits, p, 4);
  for (int i = 0; i < 3; i++) out[i] = (float)(bits >> 10 * i & 1023) / 1023;
  out[3] = (float)(bits >> 30) / 3;
}

static void mock_packed_write(uint8_t *p, const float in[4]) {
  uint32_t bits = (uint32_t)rint(mock_clamp(in[3], 0, 1) * 3) << 30;
  for (int i = 0; i < 3; i++) bits |= (uint32_t)rint(mock_clamp(in[i], 0, 1) * 1023) << 10 * i;
  memcpy(p, &bits, 4);
}

// Which channel of memory a number is.
static int mock_channel_of(const mock_format *f, int number) {
  return f->order == BGRA || f->order == BGRA_SRGB ? number == 3 ? 3 : 2 - number : number;
}

static void mock_pixel_read(void *texture, unsigned x, unsigned y, float out[4]) {
  const MockTexture *t = texture;
  const mock_format *f = mock_format_of(t->format);
  const uint8_t *p = mock_pixel_at(t, x, y);
  for (int i = 0; i < 4; i++) out[i] = i == 3;
  if (f->order == RGB10A2) { mock_packed_read(p, out); return; }
  if (f->order == ALPHA) { out[3] = mock_channel_read(f, p); return; }
  for (int i = 0; i < f->channels; i++) {
    out[i] = mock_channel_read(f, p + mock_channel_of(f, i) * f->bits / 8);
    if (i < 3 && (f->order == SRGB || f->order == BGRA_SRGB)) out[i] = mock_from_srgb(out[i]);
  }
}

static void mock_pixel_write(void *texture, unsigned x, unsigned y, const float in[4]) {
  const MockTexture *t = texture;
  const mock_format *f = mock_format_of(t->format);
  uint8_t *p = mock_pixel_at(t, x, y);
  if (f->order == RGB10A2) { mock_packed_write(p, in); return; }
  if (f->order == ALPHA) { mock_channel_write(f, p, in[3]); return; }
  for (int i = 0; i < f->channels; i++) {
    const int srgb = i < 3 && (f->order == SRGB || f->order == BGRA_SRGB);
    mock_channel_write(f, p + mock_channel_of(f, i) * f->bits / 8, srgb ? mock_to_srgb(in[i]) : in[i]);
  }
}

metal_picture mock_picture(MockTexture *t) {
  metal_picture p = { t, (unsigned)t->columns, (unsigned)t->rows, mock_pixel_read, mock_pixel_write };
  return p;
}
