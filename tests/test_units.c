// test_units: matrix units of warps: every row's layouts hold every element, each of c once; a random tile's product,
// executed lane by lane from registers that this test fills by the layout, is the plain product; what WMMAs of units
// are refused. PTX ISA's own formulas for mma.m16n8k16 are here again, so that the table is not its own witness.
#include "../src/all.c"
#include "test.h"
#include "rnd.h"

static void test_layouts(const tiny_warp_unit *u) {
  const int rows[3] = {u->m, u->k, u->m}, columns[3] = {u->k, u->n, u->n};
  for (int i = 0; i < 3; i++) {
    int held[16 * 32] = {0}, twice = 0, missing = 0, outside = 0;
    const tiny_warp_layout *l = &u->layout[i];
    for (int lane = 0; lane < u->warp; lane++) for (int e = 0; e < tn_layout_elements(l); e++) {
      int row, column;
      tn_layout_at(l, lane, e, &row, &column);
      if (row >= rows[i] || column >= columns[i]) outside++;
      else held[row * columns[i] + column]++;
    }
    for (int k = 0; k < rows[i] * columns[i]; k++) { twice += held[k] > 1; missing += !held[k]; }
    CHECK_EQ(outside, 0);
    CHECK_EQ(missing, 0);
    CHECK(twice == 0 || (i < 2 && twice == rows[i] * columns[i]));             // RDNA3's halves have all of it
    CHECK((tn_layout_elements(l) * tn_bits(i == 0 ? u->a : i == 1 ? u->b : u->c)) % 32 == 0);
  }
}

// PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating point type": groupID = lane / 4, threadID = lane % 4.
static void test_formulas(void) {
  int n;
  const tiny_warp_unit *u = tiny_warp_units("sm_80", &n);
  for (int lane = 0; lane < 32; lane++) {
    const int group = lane / 4, thread = lane % 4;
    int row, column;
    for (int i = 0; i < 8; i++) {
      tn_layout_at(&u->layout[0], lane, i, &row, &column);
      CHECK_EQ(row, (i < 2 || (i >= 4 && i < 6)) ? group : group + 8);
      CHECK_EQ(column, i < 4 ? thread * 2 + (i & 1) : thread * 2 + (i & 1) + 8);
    }
    for (int i = 0; i < 4; i++) {
      tn_layout_at(&u->layout[1], lane, i, &row, &column);
      CHECK_EQ(row, i < 2 ? thread * 2 + (i & 1) : thread * 2 + (i & 1) + 8);
      CHECK_EQ(column, group);
      tn_layout_at(&u->layout[2], lane, i, &row, &column);
      CHECK_EQ(row, i < 2 ? group : group + 8);
      CHECK_EQ(column, thread * 2 + (i & 1));
    }
  }
}

// MLX, steel/gemm/mma.h, get_coord, of a lane of the device; the item that it is has its bits in another order
// (render/lang_metal.c, ITEM_OF_LANE).
static void test_apple(void) {
  int n;
  const tiny_warp_unit *u = tiny_warp_units("apple7", &n);
  for (int lane = 0; lane < 32; lane++) for (int i = 0; i < 3; i++) for (int e = 0; e < 2; e++) {
    const int quad = lane / 4, item = (lane & 17) | (lane >> 2 & 2) | (lane << 1 & 12);
    int row, column;
    tn_layout_at(&u->layout[i], item, e, &row, &column);
    CHECK_EQ(row, (quad & 4) + lane / 2 % 4);
    CHECK_EQ(column, (quad & 2) * 2 + lane % 2 * 2 + e);
  }
}

static void test_targets(void) {
  static const struct { const char *target; int n; const char *first; } want[] = {
    {"sm_70", 0, NULL}, {"sm_75", 1, "sm75_m16n8k8_f16"}, {"sm_80", 4, "sm80_m16n8k16_f16"},
    {"sm_86", 4, "sm80_m16n8k16_f16"}, {"sm_89", 8, "sm80_m16n8k16_f16"}, {"sm_90", 8, "sm80_m16n8k16_f16"},
    {"sm_90a", 8, "sm80_m16n8k16_f16"}, {"sm_100", 8, "sm80_m16n8k16_f16"}, {"sm_120", 8, "sm80_m16n8k16_f16"},
    {"gfx90a", 0, NULL}, {"gfx906", 0, NULL}, {"gfx942", 3, "gfx942_16x16x16_f16"},
    {"gfx950", 3, "gfx942_16x16x16_f16"}, {"gfx1030", 0, NULL}, {"gfx1100", 3, "gfx11_16x16x16_f16"},
    {"gfx1151", 3, "gfx11_16x16x16_f16"}, {"gfx1201", 5, "gfx12_16x16x16_f16"}, {"apple7", 3, "apple_8x8x8_f16"},
    {"apple9", 3, "apple_8x8x8_f16"}, {"mac2", 0, NULL},
    {"", 0, NULL}, {NULL, 0, NULL}, {"generic", 0, NULL}};
  for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
    int n = -1;
    const tiny_warp_unit *u = tiny_warp_units(want[i].target, &n);
    CHECK_EQ(n, want[i].n);
    CHECK(want[i].first ? u && !strcmp(u->name, want[i].first) : !u);
  }
}

// ** a tile, lane by lane **

enum { WARPS = 2 };
typedef struct tile_trial { const tiny_warp_unit *unit; int short_warp; tiny_code code; } tile_trial;

static tiny_uop *lane_load(tiny_ctx *t, int id, int dtype, int lanes, tiny_uop *item, int64_t nelem) {
  tiny_uop *memory = tn_uop_make(t, TINY_OP_PARAM, dtype, 1, 0, NULL, id, 1, &nelem);
  return tn_load(t, tn_index_of(t, memory, tn_u2(t, TINY_OP_MUL, item, tn_index(t, lanes)), NULL), lanes);
}

static tiny_code trial_guarded(tiny_ctx *t, void *arg) {
  static uint32_t a[128 * 16], b[128 * 16], c[128 * 16], got[128 * 16];
  static int64_t x[WARPS][16 * 32], y[WARPS][32 * 16];
  tile_trial *r = (tile_trial *)arg;
  const tiny_warp_unit *u = r->unit;
  const int items = r->short_warp ? u->warp * WARPS - 1 : u->warp * WARPS, nc = tn_layout_elements(&u->layout[2]);
  const int bits = tn_bits(u->a), na = tn_layout_elements(&u->layout[0]) * bits / 32,
            nb = tn_layout_elements(&u->layout[1]) * bits / 32, real = tn_is_float(u->c);
  memset(a, 0, sizeof a); memset(b, 0, sizeof b);
  for (int w = 0; w < WARPS; w++) {        // small numbers, which every dtype has
    for (int i = 0; i < u->m * u->k; i++) x[w][i] = tn_dtype_value(u->a, (double)(rnd(9) - 4) / (real ? 2 : 1));
    for (int i = 0; i < u->k * u->n; i++) y[w][i] = tn_dtype_value(u->b, (double)(rnd(9) - 4));
  }
  for (int item = 0; item < u->warp * WARPS; item++) {
    int row, column;
    unsigned char raw[8];
    for (int e = 0; e < tn_layout_elements(&u->layout[0]); e++) {
      memset(raw, 0, sizeof raw);
      tn_layout_at(&u->layout[0], item % u->warp, e, &row, &column);
      tn_dtype_store(u->a, raw, x[item / u->warp][row * u->k + column]);
      memcpy((char *)a + (size_t)(item * na * 4 + e * bits / 8), raw, (size_t)bits / 8);
    }
    for (int e = 0; e < tn_layout_elements(&u->layout[1]); e++) {
      memset(raw, 0, sizeof raw);
      tn_layout_at(&u->layout[1], item % u->warp, e, &row, &column);
      tn_dtype_store(u->b, raw, y[item / u->warp][row * u->n + column]);
      memcpy((char *)b + (size_t)(item * nb * 4 + e * bits / 8), raw, (size_t)bits / 8);
    }
    for (int e = 0; e < nc; e++) tn_dtype_store(u->c, &c[item * nc + e], tn_dtype_value(u->c, item % 5));
  }
  tiny_uop *extent = tn_index(t, items),
           *item = tn_uop_make(t, TINY_OP_SPECIAL, TINY_INDEX, 1, 1, &extent, 16, 0, NULL);
  const int64_t nelem = 128 * 16;
  tiny_uop *src[3] = {lane_load(t, 1, TINY_U32, na, item, nelem), lane_load(t, 2, TINY_U32, nb, item, nelem),
                      lane_load(t, 3, u->c, nc, item, nelem)};
  tiny_uop *product = tn_uop_make(t, TINY_OP_WMMA, u->c, nc, 3, src, tn_warp_unit_k(u), 0, NULL),
           *out = tn_uop_make(t, TINY_OP_PARAM, u->c, 1, 0, NULL, 0, 1, &nelem),
           *at = tn_u2(t, TINY_OP_MUL, item, tn_index(t, nc));
  tiny_uop *sink = tn_sink_of(t, tn_store(t, tn_index_of(t, out, at, NULL), product));
  tn_list list = {NULL, 0, 0};
  tn_toposort(t, sink, &list);
  CHECK_EQ(tn_verify_list(t, list.u, list.n), TINY_OK);
  char text[4096];
  CHECK(tiny_uop_print(t, product, text, sizeof text) < sizeof text);
  CHECK(tiny_uop_parse(t, text) == product);
  tiny_mem mem[4] = {{got, 0}, {a, 0}, {b, 0}, {c, 0}};
  tiny_launch l;
  memset(&l, 0, sizeof l);
  l.mem = mem; l.nmem = 4; l.local[0] = items;
  void *module = tn_interp_backend.load_uops(t, list.u, list.n);
  CHECK(module != NULL);
  if (!module) return t->code;
  l.kernel = module;
  r->code = tn_interp_backend.launch(t, &l);
  tn_interp_backend.unload(t, module);
  if (r->short_warp || r->code != TINY_OK) return t->code;
  int wrong = 0;
  for (int it = 0; it < items; it++) for (int e = 0; e < nc; e++) {
    int row, column;
    tn_layout_at(&u->layout[2], it % u->warp, e, &row, &column);
    double sum = it % 5;
    for (int k = 0; k < u->k; k++) {
      const int64_t p = x[it / u->warp][row * u->k + k], q = y[it / u->warp][k * u->n + column];
      sum += real ? tn_to_f64(p) * tn_to_f64(q) : (double)p * (double)q;
    }
    wrong += tn_dtype_load(u->c, &got[it * nc + e]) != tn_dtype_value(u->c, sum);
  }
  CHECK_EQ(wrong, 0);
  if (wrong) fprintf(stderr, "  %s\n", u->name);
  return TINY_OK;
}

static void test_tile(const tiny_warp_unit *u, int short_warp) {
  tile_trial r = {u, short_warp, TINY_OK};
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "INTERP"; d.cache_dir = "";
  tiny_ctx *t = tiny_open(&d);
  tn_guard(t, trial_guarded, &r);
  CHECK_EQ(r.code, short_warp ? TINY_E_INTERNAL : TINY_OK);
  if (short_warp) CHECK(strstr(tiny_error(t), "not all of its warp") != NULL);
  tiny_close(t);
}

// ** what a list may not say **

static void test_refused(void) {
  static const struct { const char *format; int good; } text[] = {
    {"(WMMA:f32x4:k=%lld (CONST:u32x4 0) (CONST:u32x2 0) (CONST:f32x4 0))", 1},
    {"(WMMA:f32x4:k=%lld (CONST:u32x2 0) (CONST:u32x2 0) (CONST:f32x4 0))", 0},
    {"(WMMA:f32x4:k=%lld (CONST:u16x8 0) (CONST:u32x2 0) (CONST:f32x4 0))", 0},
    {"(WMMA:f32x8:k=%lld (CONST:u32x4 0) (CONST:u32x2 0) (CONST:f32x8 0))", 0},
    {"(WMMA:i32x4:k=%lld (CONST:u32x4 0) (CONST:u32x2 0) (CONST:i32x4 0))", 0},
    {"(BITCAST:u32x4 (CONST:u16x8 1))", 1}, {"(BITCAST:u16x8 (CONST:u32x4 1))", 1},
    {"(BITCAST:u32x4 (CONST:u16x4 1))", 0}, {"(BITCAST:u32x2 (CONST:u16x8 1))", 0}};
  int n;
  const tiny_warp_unit *u = tiny_warp_units("sm_80", &n);
  for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
    char line[256];
    tiny_ctx *t = tiny_open(NULL);
    snprintf(line, sizeof line, text[i].format, (long long)tn_warp_unit_k(u));
    tiny_uop *x = tiny_uop_parse(t, line);
    CHECK(x != NULL);
    if (x) {
      tn_list list = {NULL, 0, 0};
      tn_toposort(t, x, &list);
      CHECK_EQ(tn_verify_list(t, list.u, list.n) == TINY_OK, text[i].good);
    }
    tiny_close(t);
  }
}

int main(void) {
  for (int i = 0; i < TN_WARP_UNITS; i++) {
    test_layouts(&tn_warp_units[i]);
    for (int k = 0; k < 8; k++) test_tile(&tn_warp_units[i], 0);
    test_tile(&tn_warp_units[i], 1);
    CHECK(tn_warp_unit_of(tn_warp_unit_k(&tn_warp_units[i])) == &tn_warp_units[i]);
  }
  test_formulas();
  test_apple();
  test_targets();
  test_refused();
  CHECK(!tn_warp_unit_of(0) && !tn_warp_unit_of((int64_t)(TN_WARP_UNITS + 1) << 48) && !tn_warp_unit_of((int64_t)1 << 48 | 1));
  return test_report();
}
