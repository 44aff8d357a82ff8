// also: late
// test_augment: pictures changed at random: what each operator does to a picture beside the same written as loops, how often and
// how far by statistics, the same numbers after the same seed, others in each run of a captured program; gradients; errors.
#include "../src/all.c"
#include "test.h"

static tiny_ctx *t;
enum { N = 64, C = 3, H = 9, W = 7, ALL = N * C * H * W };
static float picture[N][C][H][W], got[N][C][H][W];

static tiny_tensor *pictures(void) { return tiny_from(t, picture, TINY_F32, TINY_SHAPE(N, C, H, W)); }
static int reads(tiny_tensor *x) {
  if (tiny_read(x, got, sizeof got) == TINY_OK) return 1;
  fprintf(stderr, "%s\n", tiny_error(t));
  return 0;
}
// Elements of the rest of an array, one behind the other.
#define PLANE(a, i) ((&(a)[0][0])[i])
#define ITEM(a, i) ((&(a)[0][0][0])[i])
static int near(double a, double b, double most) { return fabs(a - b) <= most; }
static void fill(void) {
  uint32_t r = 1;
  for (int i = 0; i < ALL; i++) { r = r * 1664525u + 1013904223u; (&picture[0][0][0][0])[i] = (float)(r >> 8) / 16777216.0f; }
}

// ** what is not random **

static void dtypes(void) {
  unsigned char u8[256], back[256];
  uint16_t u16[256];
  float f[256];
  for (int i = 0; i < 256; i++) u8[i] = (unsigned char)i;
  tiny_tensor *x = tiny_from(t, u8, TINY_U8, TINY_SHAPE(1, 1, 16, 16)), *y = tiny_convert_image_dtype(x, TINY_F32);
  CHECK(tiny_read(y, f, sizeof f) == TINY_OK && f[0] == 0 && f[255] == 1 && near(f[100], 100 / 255.0, 1e-7));
  CHECK(tiny_read(tiny_convert_image_dtype(y, TINY_U8), back, sizeof back) == TINY_OK && !memcmp(back, u8, sizeof u8));
  CHECK(tiny_read(tiny_convert_image_dtype(x, TINY_U16), u16, sizeof u16) == TINY_OK && u16[255] == 65535 && u16[1] == 257);
  CHECK(tiny_read(tiny_convert_image_dtype(tiny_convert_image_dtype(x, TINY_U16), TINY_U8), back, sizeof back) == TINY_OK && !memcmp(back, u8, sizeof u8));
  const float odd[4] = {-1, 2, 0.5f, NAN};
  CHECK(tiny_read(tiny_convert_image_dtype(tiny_from(t, odd, TINY_F32, TINY_SHAPE(4)), TINY_U8), back, 4) == TINY_OK);
  CHECK(back[0] == 0 && back[1] == 255 && back[2] == 128 && back[3] == 0);
}
static void colours(void) {
  const double mean[3] = {0.485, 0.456, 0.406}, std[3] = {0.229, 0.224, 0.225};
  CHECK(reads(tiny_normalize_image(pictures(), mean, std, 3)));
  for (int n = 0; n < N; n++) for (int c = 0; c < C; c++) for (int y = 0; y < H; y++) for (int x = 0; x < W; x++)
    CHECK(near(got[n][c][y][x], (picture[n][c][y][x] - mean[c]) / std[c], 1e-5));
  CHECK(reads(tiny_normalize_image(pictures(), mean, std, 1)));
  CHECK(near(got[1][2][3][4], (picture[1][2][3][4] - mean[0]) / std[0], 1e-5));
  // Pillow's and torchvision's hexagon: red by a third of the circle is green
  const float red[3] = {1, 0.25f, 0.25f};
  float out[3];
  tiny_tensor *x = tiny_from(t, red, TINY_F32, TINY_SHAPE(1, 3, 1, 1));
  CHECK(tiny_read(tiny_adjust_hue(x, tiny_scalar(t, 1.0 / 3, TINY_F32)), out, sizeof out) == TINY_OK);
  CHECK(near(out[0], 0.25, 1e-6) && near(out[1], 1, 1e-6) && near(out[2], 0.25, 1e-6));
  CHECK(reads(tiny_adjust_hue(pictures(), tiny_scalar(t, 0, TINY_F32))));
  for (int i = 0; i < ALL; i++) CHECK(near((&got[0][0][0][0])[i], (&picture[0][0][0][0])[i], 1e-5));
  CHECK(reads(tiny_adjust_hue(tiny_adjust_hue(pictures(), tiny_scalar(t, 0.3, TINY_F32)), tiny_scalar(t, 0.7, TINY_F32))));
  for (int i = 0; i < ALL; i++) CHECK(near((&got[0][0][0][0])[i], (&picture[0][0][0][0])[i], 1e-4));
  float factor[N];
  for (int n = 0; n < N; n++) factor[n] = 0.25f + (float)n / 32;
  tiny_tensor *by = tiny_from(t, factor, TINY_F32, TINY_SHAPE(N));
  for (int kind = 0; kind < 3; kind++) {
    tiny_tensor *y = kind == 0 ? tiny_adjust_brightness(pictures(), by) : kind == 1 ? tiny_adjust_contrast(pictures(), by) : tiny_adjust_saturation(pictures(), by);
    CHECK(reads(y));
    for (int n = 0; n < N; n++) {
      double all = 0;
      for (int i = 0; i < H * W; i++) all += 0.2989 * PLANE(picture[n][0], i) + 0.587 * PLANE(picture[n][1], i) + 0.114 * PLANE(picture[n][2], i);
      for (int c = 0; c < C; c++) for (int i = 0; i < H * W; i++) {
        const double grey = 0.2989 * PLANE(picture[n][0], i) + 0.587 * PLANE(picture[n][1], i) + 0.114 * PLANE(picture[n][2], i);
        const double other = kind == 0 ? 0 : kind == 1 ? all / (H * W) : grey;
        const double want = fmin(1, fmax(0, factor[n] * PLANE(picture[n][c], i) + (1 - factor[n]) * other));
        CHECK(near(PLANE(got[n][c], i), want, 1e-5));
      }
    }
  }
}
static void sizes_and_blur(void) {
  float out[4 * 11];
  CHECK(tiny_read(tiny_select(tiny_select(tiny_center_crop(pictures(), 4, 11), 0, 0), 0, 0), out, sizeof out) == TINY_OK);
  for (int y = 0; y < 4; y++) for (int x = 0; x < 11; x++)   // 9 - 4 leaves 2 above, as torchvision rounds
    CHECK(out[y * 11 + x] == (x < 2 || x >= 9 ? 0 : picture[0][0][y + 2][x - 2]));
  CHECK_EQ(tiny_shape_of(tiny_resize(pictures(), 20, 30)).dim[3], 30);
  const unsigned char byte[2] = {10, 255};
  unsigned char wide[4];                   // as many bits as before, so that convert_image_dtype knows what is white
  CHECK(tiny_read(tiny_resize(tiny_from(t, byte, TINY_U8, TINY_SHAPE(1, 1, 1, 2)), 1, 4), wide, sizeof wide) == TINY_OK);
  CHECK(wide[0] == 10 && wide[1] == 71 && wide[2] == 194 && wide[3] == 255);
  const double sigma = 1.1, k1 = exp(-0.5 / (sigma * sigma)), k2 = exp(-2 / (sigma * sigma)), sum = 1 + 2 * k1 + 2 * k2;
  const double weight[5] = {k2 / sum, k1 / sum, 1 / sum, k1 / sum, k2 / sum};
  CHECK(reads(tiny_gaussian_blur(pictures(), 5, 1.1)));      // 0.3 (2 - 1) + 0.8 is 1.1, too
  for (int n = 0; n < N; n++) for (int y = 0; y < H; y++) for (int x = 0; x < W; x++) {
    double want = 0;
    for (int i = 0; i < 25; i++) {
      int v = abs(y + i / 5 - 2), w = abs(x + i % 5 - 2);
      v = v >= H ? 2 * H - 2 - v : v; w = w >= W ? 2 * W - 2 - w : w;
      want += weight[i / 5] * weight[i % 5] * picture[n][1][v][w];
    }
    CHECK(near(got[n][1][y][x], want, 1e-5));
  }
  static float first[ALL];
  memcpy(first, got, sizeof first);
  CHECK(reads(tiny_gaussian_blur(pictures(), 5, 0)) && !memcmp(first, got, sizeof first));
}

// ** flips and crops **

static int is_flipped(int n, int axis) {
  for (int c = 0; c < C; c++) for (int y = 0; y < H; y++) for (int x = 0; x < W; x++)
    if (got[n][c][y][x] != picture[n][c][axis == 2 ? H - 1 - y : y][axis == 3 ? W - 1 - x : x]) return 0;
  return 1;
}
static void flips(void) {
  for (int axis = 2; axis < 4; axis++) for (int k = 0; k < 3; k++) {
    const double p = k / 2.0;
    int flipped = 0, stayed = 0;
    for (int i = 0; i < 4; i++) {
      tiny_tensor *x = pictures();
      CHECK(reads(axis == 3 ? tiny_random_horizontal_flip(x, p) : tiny_random_vertical_flip(x, p)));
      for (int n = 0; n < N; n++) { flipped += is_flipped(n, axis); stayed += is_flipped(n, 0); }
    }
    CHECK_EQ(flipped + stayed, 4 * N);
    CHECK(k == 0 ? !flipped : k == 2 ? !stayed : flipped > 90 && stayed > 90);
  }
}
static void crops(void) {
  int seen[5][5] = {{0}}, found = 0;
  for (int i = 0; i < 4; i++) {
    static float out[N][C][H][W];
    CHECK(tiny_read(tiny_random_crop(pictures(), H, W, 2), out, sizeof out) == TINY_OK);
    for (int n = 0; n < N; n++) for (int at = 0; at < 25; at++) {
      int same = 1;
      for (int c = 0; c < C && same; c++) for (int y = 0; y < H && same; y++) for (int x = 0; x < W && same; x++) {
        const int v = y + at / 5 - 2, w = x + at % 5 - 2;
        same = out[n][c][y][x] == (v < 0 || v >= H || w < 0 || w >= W ? 0 : picture[n][c][v][w]);
      }
      if (same) { seen[at / 5][at % 5]++; found++; }
    }
  }
  CHECK_EQ(found, 4 * N);
  for (int at = 0; at < 25; at++) CHECK(seen[at / 5][at % 5] >= 1 && seen[at / 5][at % 5] <= 30);
  CHECK(reads(tiny_random_crop(pictures(), H, W, 0)) && !memcmp(got, picture, sizeof got));
  unsigned char bytes[2][1][4][4], cut[2][1][2][2];
  for (int i = 0; i < 32; i++) (&bytes[0][0][0][0])[i] = (unsigned char)(i * 8);
  tiny_tensor *x = tiny_from(t, bytes, TINY_U8, TINY_SHAPE(2, 1, 4, 4));
  CHECK(tiny_read(tiny_random_crop(x, 2, 2, 0), cut, sizeof cut) == TINY_OK);
  for (int n = 0; n < 2; n++) CHECK(cut[n][0][0][1] == cut[n][0][0][0] + 8 && cut[n][0][1][0] == cut[n][0][0][0] + 32);
}
// Of a ramp a resized crop is a ramp: its steps tell the size, its first element the place.
static void resized_crops(void) {
  enum { SIDE = 64, OUT = 16, MANY = 200 };
  static float ramp[MANY][2][SIDE][SIDE], out[MANY][2][OUT][OUT];
  double area = 0, least = 1, most = 0;
  for (int i = 0; i < MANY * 2 * SIDE * SIDE; i++) {
    const int c = i / (SIDE * SIDE) % 2, y = i / SIDE % SIDE, x = i % SIDE;
    (&ramp[0][0][0][0])[i] = (float)(c ? y : x);
  }
  tiny_random_crop_desc d;
  memset(&d, 0, sizeof d);
  d.scale[0] = 0.25; d.scale[1] = 0.75;
  tiny_tensor *x = tiny_from(t, ramp, TINY_F32, TINY_SHAPE(MANY, 2, SIDE, SIDE));
  CHECK(tiny_read(tiny_random_resized_crop(x, OUT, OUT, &d), out, sizeof out) == TINY_OK);
  for (int n = 0; n < MANY; n++) {
    const double w = (out[n][0][0][9] - out[n][0][0][5]) / 4 * OUT, h = (out[n][1][9][0] - out[n][1][5][0]) / 4 * OUT;
    const double part = w * h / (SIDE * SIDE), ratio = w / h;
    CHECK(near(w, floor(w + 0.5), 1e-3) && near(h, floor(h + 0.5), 1e-3));
    CHECK(part > 0.22 && part < 0.78 && ratio > 0.7 && ratio < 1.4);
    const double left = out[n][0][0][0] - fmax(0, 0.5 * w / OUT - 0.5), top = out[n][1][0][0] - fmax(0, 0.5 * h / OUT - 0.5);
    CHECK(near(left, floor(left + 0.5), 1e-3) && left > -1e-3 && left + w < SIDE + 1e-3);
    CHECK(near(top, floor(top + 0.5), 1e-3) && top > -1e-3 && top + h < SIDE + 1e-3);
    for (int i = 0; i < OUT; i++) CHECK(near(out[n][0][i][7], out[n][0][0][7], 1e-4) && near(out[n][1][7][i], out[n][1][7][0], 1e-4));
    area += part / MANY;
    least = fmin(least, part); most = fmax(most, part);
  }
  CHECK(near(area, 0.5, 0.04) && least < 0.3 && most > 0.7);
  d.scale[0] = d.scale[1] = 1; d.ratio[0] = d.ratio[1] = 1;  // all of it
  tiny_tensor *whole = tiny_random_resized_crop(x, 24, 24, &d), *want = tiny_resize(x, 24, 24);
  CHECK(tiny_item(tiny_amax(tiny_abs(tiny_sub(whole, want)), TINY_ALL, 0)) < 1e-4);
}

// ** affine **

static void affine(void) {
  tiny_random_affine_desc d;
  memset(&d, 0, sizeof d);
  CHECK(reads(tiny_random_affine(pictures(), &d)));          // nothing
  for (int i = 0; i < ALL; i++) CHECK(near((&got[0][0][0][0])[i], (&picture[0][0][0][0])[i], 1e-4));
  // one point: where it goes tells the map
  enum { SIDE = 33, MANY = 100 };
  static float dot[MANY][1][SIDE][SIDE], out[MANY][1][SIDE][SIDE];
  int side = 0, turned = 0;
  for (int n = 0; n < MANY; n++) for (int v = -1; v < 2; v++) for (int w = -1; w < 2; w++) dot[n][0][16 + v][26 + w] = 1;     // 10 to the right
  tiny_tensor *x = tiny_from(t, dot, TINY_F32, TINY_SHAPE(MANY, 1, SIDE, SIDE));
  for (int kind = 0; kind < 4; kind++) {
    memset(&d, 0, sizeof d);
    if (kind == 0) d.degrees = 90;
    if (kind == 1) d.translate[0] = d.translate[1] = 0.15;
    if (kind == 2) { d.scale[0] = 0.5; d.scale[1] = 1.3; }
    if (kind == 3) d.shear[1] = 40;
    double far_least = 99, far_most = 0;
    CHECK(tiny_read(tiny_random_affine(x, &d), out, sizeof out) == TINY_OK);
    for (int n = 0; n < MANY; n++) {
      double sum = 0, cx = 0, cy = 0;
      for (int v = 0; v < SIDE; v++) for (int w = 0; w < SIDE; w++) { sum += out[n][0][v][w]; cx += (w - 16) * out[n][0][v][w]; cy += (v - 16) * out[n][0][v][w]; }
      cx /= sum; cy /= sum;
      const double far = sqrt(cx * cx + cy * cy);
      if (kind == 0) { CHECK(near(far, 10, 0.25) && near(sum, 9, 0.7)); turned += cy > 0; side += cx > 7.07; }
      if (kind == 1) CHECK(near(cx, floor(cx + 0.5), 1e-3) && near(cy, floor(cy + 0.5), 1e-3) && fabs(cx - 10) < 5.1 && fabs(cy) < 5.1 && near(sum, 9, 0.01));
      if (kind == 2) CHECK(near(cy, 0, 0.01) && cx > 4.7 && cx < 13.3);
      if (kind == 3) CHECK(near(sum, 9, 1) && near(cx, 10, 0.3) && fabs(cy) < 10 * tan(40 * TN_PI / 180) + 0.5);
      const double how = kind == 1 || kind == 3 ? cy : cx;
      far_least = fmin(far_least, how); far_most = fmax(far_most, how);
    }
    CHECK(far_most - far_least > (kind == 0 ? 8 : 5));
  }
  CHECK(turned > 30 && turned < 70 && side > 30 && side < 70);
  // a quarter turn is one
  memset(&d, 0, sizeof d);
  tiny_tensor *square = tiny_rand(t, TINY_SHAPE(8, 1, 6, 6)), *y = tiny_random_rotation(square, 0);
  CHECK(tiny_item(tiny_amax(tiny_abs(tiny_sub(square, y)), TINY_ALL, 0)) < 1e-5);
}

// Of a picture that is not square turns are circles all the same: a dot keeps its distance; sheared, its row or column.
static void affine_of_wide_pictures(void) {
  enum { HIGH = 25, WIDE = 61, MANY = 60 };
  static float dot[MANY][1][HIGH][WIDE], out[MANY][1][HIGH][WIDE];
  for (int below = 0; below < 2; below++) for (int kind = 0; kind < 3; kind++) {
    tiny_random_affine_desc d;
    double least = 99, most = -99;
    memset(&d, 0, sizeof d); memset(dot, 0, sizeof dot);
    for (int n = 0; n < MANY; n++) for (int i = 0; i < 9; i++) dot[n][0][12 + 8 * below + i / 3 - 1][30 + 8 * !below + i % 3 - 1] = 1;
    if (kind == 0) d.degrees = 90; else d.shear[kind - 1] = 40;
    CHECK(tiny_read(tiny_random_affine(tiny_from(t, dot, TINY_F32, TINY_SHAPE(MANY, 1, HIGH, WIDE)), &d), out, sizeof out) == TINY_OK);
    for (int n = 0; n < MANY; n++) {
      double sum = 0, cx = 0, cy = 0;
      for (int y = 0; y < HIGH; y++) for (int x = 0; x < WIDE; x++) { sum += out[n][0][y][x]; cx += (x - 30) * out[n][0][y][x]; cy += (y - 12) * out[n][0][y][x]; }
      cx /= sum; cy /= sum;
      const double moved = below ? cx : cy;  // across the direction in which the dot lies
      if (kind == 0) CHECK(near(sqrt(cx * cx + cy * cy), 8, 0.25));
      else CHECK(near(below ? cy : cx, 8, 0.3) && fabs(moved) < 8 * tan(40 * TN_PI / 180) + 0.5);
      least = fmin(least, moved); most = fmax(most, moved);
    }
    CHECK(kind == 0 || kind == 2 - below ? most - least > 6 : near(most, 0, 0.3) && near(least, 0, 0.3));
  }
}

// ** erasing, jitter, mixtures **

static void erasing(void) {
  tiny_random_erasing_desc d;
  memset(&d, 0, sizeof d);
  enum { SIDE = 40, MANY = 300 };
  static float out[MANY][2][SIDE][SIDE];
  tiny_tensor *x = tiny_full(t, 1, TINY_F32, TINY_SHAPE(MANY, 2, SIDE, SIDE));
  int erased = 0;
  double area = 0;
  CHECK(tiny_read(tiny_random_erasing(x, &d), out, sizeof out) == TINY_OK);
  for (int n = 0; n < MANY; n++) {
    int top = SIDE, bottom = -1, left = SIDE, right = -1, count = 0;
    for (int y = 0; y < SIDE; y++) for (int w = 0; w < SIDE; w++) {
      CHECK(out[n][0][y][w] == out[n][1][y][w]);
      if (out[n][0][y][w] != 0) continue;
      count++;
      top = y < top ? y : top; bottom = y > bottom ? y : bottom; left = w < left ? w : left; right = w > right ? w : right;
    }
    if (!count) continue;
    const double h = bottom - top + 1, w = right - left + 1;
    CHECK_EQ(count, h * w);                // a rectangle
    CHECK(h * w > 0.01 * SIDE * SIDE && h * w < 0.36 * SIDE * SIDE && h / w < 4 && h / w > 0.25);
    erased++;
    area += h * w / (SIDE * SIDE);
  }
  CHECK(erased > 115 && erased < 185 && near(area / erased, 0.175, 0.03));
  d.p = 1; d.value = 0.5; d.scale[0] = d.scale[1] = 1; d.ratio[0] = d.ratio[1] = 1;
  CHECK(near(tiny_item(tiny_amax(tiny_random_erasing(x, &d), TINY_ALL, 0)), 0.5, 0));
}
static void jitter(void) {
  tiny_color_jitter_desc d;
  memset(&d, 0, sizeof d);
  CHECK(reads(tiny_color_jitter(pictures(), NULL)) && !memcmp(got, picture, sizeof got));
  d.brightness = 0.4;
  CHECK(reads(tiny_color_jitter(pictures(), &d)));
  double least = 9, most = 0;
  for (int n = 0; n < N; n++) {
    const double r = got[n][0][0][0] / picture[n][0][0][0];
    least = fmin(least, r); most = fmax(most, r);
    for (int i = 0; i < C * H * W; i++) CHECK(near(ITEM(got[n], i), fmin(1, r * ITEM(picture[n], i)), 1e-4) || got[n][0][0][0] == 1);
  }
  CHECK(least > 0.599 && least < 0.7 && most > 1.2);
  d.contrast = 0.4; d.saturation = 0.4; d.hue = 0.1;
  CHECK(reads(tiny_color_jitter(pictures(), &d)));
  for (int i = 0; i < ALL; i++) CHECK((&got[0][0][0][0])[i] >= -1e-6f && (&got[0][0][0][0])[i] <= 1 + 1e-6f);
}
static void mixtures(void) {
  enum { MANY = 2000, K = 4 };
  static float out[MANY][1][4][4], hot[MANY][K];
  int32_t label[MANY];
  for (int n = 0; n < MANY; n++) label[n] = n % K;
  tiny_tensor *x = tiny_mul(tiny_reshape(tiny_arange(t, 0, MANY, 1, TINY_F32), TINY_SHAPE(MANY, 1, 1, 1)), tiny_ones(t, TINY_F32, TINY_SHAPE(MANY, 1, 4, 4)));
  tiny_tensor *y = tiny_from(t, label, TINY_I32, TINY_SHAPE(MANY)), *targets;
  static const double alphas[] = {0.2, 1, 5};
  for (int k = 0; k < 3; k++) {
    const double alpha = alphas[k];
    double mean = 0, square = 0, cube = 0;
    tiny_tensor *both[2] = {tiny_mixup(x, y, K, alpha, &targets), NULL};
    both[1] = targets;
    CHECK(tiny_realize(both, 2) == TINY_OK && tiny_read(both[0], out, sizeof out) == TINY_OK && tiny_read(targets, hot, sizeof hot) == TINY_OK);
    for (int n = 1; n < MANY; n++) {
      const double r = out[n][0][0][0] - (n - 1);            // x and the one before it are n and n - 1
      CHECK(r >= -1e-3 && r <= 1 + 1e-3 && near(hot[n][n % K], r, 2e-3) && near(hot[n][(n + K - 1) % K], 1 - r, 2e-3));
      CHECK(out[n][0][3][3] == out[n][0][0][0]);
      mean += r / MANY; square += (r - 0.5) * (r - 0.5) / MANY; cube += pow(r - 0.5, 4) / MANY;
    }
    // moments of Beta(a,a): variance 1 / (4 (2a + 1)), fourth central moment 3 / (16 (2a + 1) (2a + 3))
    CHECK(near(mean, 0.5, 0.03) && near(square, 1 / (4 * (2 * alpha + 1)), 0.015) && near(cube, 3 / (16 * (2 * alpha + 1) * (2 * alpha + 3)), 0.004));
  }
  tiny_tensor *cut = tiny_cutmix(x, y, K, 1, &targets), *both[2] = {cut, targets};
  CHECK(tiny_realize(both, 2) == TINY_OK && tiny_read(cut, out, sizeof out) == TINY_OK && tiny_read(targets, hot, sizeof hot) == TINY_OK);
  int some = 0;
  for (int n = 1; n < MANY; n++) {
    int own = 0;
    for (int i = 0; i < 16; i++) { CHECK(PLANE(out[n][0], i) == n || PLANE(out[n][0], i) == n - 1); own += PLANE(out[n][0], i) == n; }
    CHECK(near(hot[n][n % K], own / 16.0, 1e-5) && near(hot[n][(n + K - 1) % K], 1 - own / 16.0, 1e-5));
    some += own > 0 && own < 16;
  }
  CHECK(some > MANY / 4);
  CHECK(tiny_status(t) == TINY_OK);
}

// ** seeds, programs, gradients **

static tiny_tensor *everything(tiny_tensor *x) {
  const double half[1] = {0.5};
  tiny_color_jitter_desc d;
  memset(&d, 0, sizeof d);
  d.brightness = d.saturation = 0.3;
  x = tiny_random_resized_crop(tiny_random_horizontal_flip(tiny_random_crop(x, H, W, 1), 0.5), H, W, NULL);
  x = tiny_random_rotation(tiny_random_erasing(tiny_color_jitter(x, &d), NULL), 20);
  return tiny_normalize_image(x, half, half, 1);
}
static void seeds_and_programs(void) {
  static float first[ALL], runs[3][ALL];
  tiny_seed(t, 11);
  CHECK(reads(everything(pictures())));
  memcpy(first, got, sizeof first);
  CHECK(reads(everything(pictures())) && memcmp(first, got, sizeof first));
  tiny_seed(t, 11);
  CHECK(reads(everything(pictures())) && !memcmp(first, got, sizeof first));
  tiny_tensor *x = pictures();
  tiny_realize(&x, 1);
  tiny_begin(t);
  tiny_tensor *y = everything(x);
  tiny_program *p = tiny_capture(t, &x, 1, &y, 1);
  tiny_end(t);
  for (int i = 0; i < 3; i++) {
    tiny_begin(t);
    CHECK(tiny_run(p, &x, &y) == TINY_OK && tiny_read(y, runs[i], sizeof first) == TINY_OK);
    tiny_end(t);
  }
  CHECK(memcmp(runs[0], runs[1], sizeof first) && memcmp(runs[1], runs[2], sizeof first));
  tiny_program_free(p);
  const tiny_stats before = tiny_stats_of(t);                // steps that are built anew replay
  for (int i = 0; i < 3; i++) {
    tiny_begin(t);
    CHECK(reads(everything(x)));
    tiny_end(t);
  }
  CHECK(tiny_stats_of(t).schedules - before.schedules <= 1);
  // what flows back is what was taken: of a crop without padding each element of the result counts once
  tiny_tensor *g, *loss = tiny_sum(tiny_random_crop(tiny_random_vertical_flip(x, 0.5), 4, 5, 0), TINY_ALL, 0);
  CHECK(tiny_grad(loss, &x, 1, &g) == TINY_OK && near(tiny_item(tiny_sum(g, TINY_ALL, 0)), N * C * 4 * 5, 1e-2));
  CHECK(tiny_item(tiny_amax(g, TINY_ALL, 0)) == 1);
  loss = tiny_sum(everything(x), TINY_ALL, 0);
  CHECK(tiny_grad(loss, &x, 1, &g) == TINY_OK && tiny_item(tiny_sum(tiny_abs(g), TINY_ALL, 0)) > 1);
}

static const char *said(tiny_tensor *x) {
  static char text[1024];
  snprintf(text, sizeof text, "%s", tiny_ok(x) ? "" : tiny_error(t));
  tiny_clear(t);
  return text;
}
static void refuses(void) {
  tiny_tensor *x = pictures(), *flat = tiny_reshape(x, TINY_SHAPE(N, -1)), *u = tiny_cast(x, TINY_U8), *targets;
  tiny_tensor *labels = tiny_zeros(t, TINY_I32, TINY_SHAPE(N));
  const double zero[1] = {0};
  tiny_random_crop_desc d = {{2, 3}, {0, 0}};
  CHECK_STR(said(tiny_random_horizontal_flip(flat, 0.5)), "random_horizontal_flip: (64,189) is no batch of pictures (N,C,H,W)");
  CHECK_STR(said(tiny_random_vertical_flip(x, 1.5)), "random_vertical_flip: a chance is from 0 to 1: 1.5, 1.5");
  CHECK_STR(said(tiny_random_crop(x, 20, 3, 1)), "random_crop: 20 x 3 from (64,3,9,7) with 1 around it");
  CHECK_STR(said(tiny_random_resized_crop(x, 3, 3, &d)), "random_resized_crop: scale: 2, 3");
  CHECK_STR(said(tiny_random_resized_crop(u, 3, 3, NULL)), "random_resized_crop: takes floats, not u8");
  CHECK_STR(said(tiny_normalize_image(x, zero, zero, 1)), "normalize_image: channel 0: mean 0, deviation 0");
  CHECK_STR(said(tiny_normalize_image(x, zero, zero, 2)), "normalize_image: 2 means and deviations for 3 channels");
  CHECK_STR(said(tiny_normalize_image(x, zero, zero, 65)), "normalize_image: 65 channels; at most 64 have numbers of their own");
  CHECK_STR(said(tiny_convert_image_dtype(labels, TINY_F32)), "convert_image_dtype: i32 to f32");
  CHECK_STR(said(tiny_gaussian_blur(x, 4, 1)), "gaussian_blur: size 4, deviation 1");
  CHECK(strstr(said(tiny_gaussian_blur(x, 31, 1)), "pad"));
  CHECK_STR(said(tiny_adjust_hue(tiny_slice(x, 1, 0, 2, 1), tiny_scalar(t, 0, TINY_F32))), "adjust_hue: (64,2,9,7) has not 3 channels");
  CHECK_STR(said(tiny_adjust_hue(x, flat)), "adjust_hue: (64,3,9,7) by (64,189)");
  CHECK_STR(said(tiny_mixup(x, flat, 3, 1, &targets)), "mixup: takes integers, not f32");
  CHECK(!tiny_ok(targets));
  CHECK_STR(said(tiny_cutmix(x, labels, 3, 0, &targets)), "cutmix: classes, alpha: 3, 0");
  CHECK_STR(said(tiny_cutmix(x, labels, 3, 1, NULL)), "cutmix: targets is NULL");
  CHECK(tiny_random_rotation(NULL, 1) == NULL);
  // none, and one element
  CHECK(tiny_ok(everything(tiny_zeros(t, TINY_F32, TINY_SHAPE(0, 3, 8, 8)))) && tiny_realize(&x, 1) == TINY_OK);
  tiny_tensor *none = everything(tiny_zeros(t, TINY_F32, TINY_SHAPE(0, 3, 8, 8))), *f16 = everything(tiny_cast(x, TINY_F16));
  CHECK(tiny_realize(&none, 1) == TINY_OK && tiny_realize(&f16, 1) == TINY_OK && tiny_dtype_of(f16) == TINY_F16);
  CHECK_STR(tiny_error(t), "");
}

int main(void) {
  static const char *const devices[2] = {"INTERP", "CPU"};
  fill();
  for (int i = 0; i < 2; i++) {
    tiny_desc d;
    memset(&d, 0, sizeof d);
    d.device = devices[i]; d.seed = 3;
    t = tiny_open(&d);
    dtypes();
    colours();
    sizes_and_blur();
    flips();
    crops();
    resized_crops();
    affine();
    affine_of_wide_pictures();
    erasing();
    jitter();
    mixtures();
    seeds_and_programs();
    refuses();
    CHECK_STR(tiny_error(t), "");
    tiny_close(t);
  }
  return test_report();
}
