// test_tensorcore: matrix units where the processor has none: 4x4x8 products of bf16 and f16 that functions of C play, compiled
// and run by the CPU. Loops around tiles were once of the type of a tile.
#include "../src/all.c"
#include "test.h"

#define UNIT(a, type, one) {4, 4, 8, 2, a, a, TINY_F32, {"tile_ab", "tile_ab", "tile_c"}, {"*(tile_ab *)(%0)", "*(tile_ab *)(%0)", "*(tile_c *)(%0)"}, \
  "(tile_c){0}", "*(tile_c *)(%0) = %1", one "(%0, %1, %2)"}
static const tiny_matrix_unit units[] = {UNIT(TINY_BF16, "bf16", "unit_bf16"), UNIT(TINY_F16, "f16", "unit_f16")};

static const char *const words[] = {
  "typedef struct { u16 e[32]; } __attribute__((may_alias, aligned(2))) tile_ab;",
  "typedef struct { f32 e[16]; } __attribute__((may_alias, aligned(4))) tile_c;",
  "static f32 of_bf16(u16 x) { return BITCAST(u32, f32, (u32)x << 16); }",
  "static f32 of_f16(u16 x) { return BITCAST(u32, f32, (u32)(x & 0x7FFF) << 13 | (u32)(x & 0x8000) << 16) * 0x1p112f; }",
  "#define UNIT(name, of) static tile_c name(tile_ab a, tile_ab b, tile_c c) { for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) for (int k = 0; k < 8; k++) \\",
  "  c.e[4 * i + j] += of(a.e[8 * i + k]) * of(b.e[k / 2 * 8 + 2 * j + k % 2]); return c; }",
  "UNIT(unit_bf16, of_bf16)", "UNIT(unit_f16, of_f16)", NULL
};
static const char *prelude[256];

static void own_renderer(void *dev, tiny_renderer *r) {
  int n = 0;
  tn_cpu_renderer(dev, r);
  r->dots = 0; memset(r->language.dots, 0, sizeof r->language.dots);
  for (const char *const *line = r->language.prelude; *line; line++) prelude[n++] = *line;
  for (int i = 0; words[i]; i++) prelude[n++] = words[i];
  r->language.prelude = prelude;
  r->units = units; r->nunits = 2; r->units_allowed = NULL;
}

static char said[1 << 20];
static void hear(void *user, const char *line) { (void)user; if (strlen(said) + strlen(line) < sizeof said - 2) strcat(said, line); }

int main(void) {
  static float data[72 * 72], got[72 * 72], want[72 * 72];
  tiny_backend own = tn_cpu_backend;
  tiny_desc d;
  own.name = "OWN"; own.renderer = own_renderer;
  memset(&d, 0, sizeof d);
  d.device = "OWN"; d.backends[0] = &own; d.cache_dir = ""; d.debug = "o"; d.log.fn = hear;
  for (int i = 0; i < 72 * 72; i++) data[i] = (float)(i * 7 % 11) - 5;
  for (int i = 0; i < 2; i++) {
    tiny_ctx *t = tiny_open(&d);
    tiny_tensor *x = tiny_cast(tiny_from(t, data, TINY_F32, TINY_SHAPE(72, 72)), i ? TINY_F16 : TINY_BF16);
    tiny_realize(&x, 1);
    said[0] = 0;
    tiny_tensor *y = tiny_matmul(tiny_cast(x, TINY_F32), tiny_cast(tiny_transpose(x, 0, 1), TINY_F32));
    CHECK_EQ(tiny_read(y, got, sizeof got), TINY_OK);
    if (tiny_status(t)) fprintf(stderr, "%s\n", tiny_error(t));
    CHECK(strstr(said, "MATRIX") != NULL);
    CHECK_EQ(tiny_reference(y, want, sizeof want), TINY_OK);
    CHECK(!memcmp(got, want, sizeof got));
    tiny_close(t);
  }
  return test_report();
}
