// Tiles of AMX: products of bf16 and of bytes of both signs by the built-in compiler, as the interpreter has them, to
// the bit of integers and whole numbers, and none by clang; lists by hand; what is compiled for a processor with tiles
// is not taken by one without. The processor need have AVX-512 alone: the rest is emulated (amx_machine.h).
// brief: plain asan
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif
#define TN_TEST_TILES 1
#include "../src/all.c"
#include "test.h"
#include "rnd.h"
#include "folder_test.h"

#if defined(__linux__) && defined(TN_OS_X86) && defined(TN_ISA)
#include "amx_machine.h"

// ** what is loaded **

static int looked_at, beyond, of_tiles;    // instructions: all, those that the level has not, those of tiles
static void *load_looked(void *dev, const void *binary, size_t nbytes) {
  const size_t head = sizeof(tn_elf_header) + 4 * sizeof(tn_elf_section);
  const tn_x86_level *level = tn_cpu_level(dev);
  const uint8_t *code = (const uint8_t *)binary + head;
  tn_x86_ins ins;
  for (size_t at = 0; at < nbytes - head && tn_cpu_is_builtin(dev); looked_at++) {
    const int took = tn_x86_decode(code + at, nbytes - head - at, &ins);
    const tn_x86_row *row = &tn_x86_rows[ins.op];
    beyond += !took || !(level->has >> (code[at] == 0x62 ? row->has_evex : row->has) & 1);
    of_tiles += took && row->has == TN_X86_HAS_AMX;
    if (!took || ins.op == TN_X86_RET) break;
    at += (size_t)took;
  }
  return tn_cpu_load(dev, binary, nbytes);
}

static int refused, said;
static void hear(void *user, const char *line) {
  (void)user;
  if (strstr(line, "refuses")) { refused++; fprintf(stderr, "    %s\n", line); }
  if (strstr(line, "interpreted")) said++;
}
static tiny_ctx *open_on(const char *device, const char *compiler, const char *cache, const char *shipped) {
  static tiny_backend looked;
  static char name[64];
  tiny_desc d;
  memset(&d, 0, sizeof d);
  looked = tn_cpu_backend;
  looked.name = "TILES"; looked.load = load_looked;
  d.backends[0] = &looked;
  snprintf(name, sizeof name, "%s", device);
  d.device = name; d.compiler = compiler; d.threads = 1; d.cache_dir = cache;
  d.debug = cache[0] || shipped ? "" : "d";
  d.log.fn = hear;
  d.cache_file = shipped;
  return tiny_open(&d);
}

// ** products **

typedef struct product { int m, k, n, batch, turned, epilogue; } product;
static const tiny_dtype pairs[][2] = {
  {TINY_BF16, TINY_BF16}, {TINY_I8, TINY_I8}, {TINY_U8, TINY_I8}, {TINY_I8, TINY_U8}, {TINY_U8, TINY_U8}};
static const int rows_of[] = {TN_X86_TDPBF16PS, TN_X86_TDPBSSD, TN_X86_TDPBUSD, TN_X86_TDPBSUD, TN_X86_TDPBUUD};
enum { PAIRS = sizeof pairs / sizeof *pairs, MOST = 1 << 18 };
static const product shapes[] = {
  {16, 128, 16, 1, 0, 0}, {32, 128, 32, 1, 0, 0}, {64, 192, 48, 1, 0, 1}, {17, 129, 16, 1, 0, 0},
  {33, 131, 47, 1, 1, 0}, {31, 257, 65, 2, 0, 1}, {48, 130, 33, 3, 1, 0}, {16, 700, 100, 1, 0, 1},
  {19, 1100, 21, 1, 1, 0}, {100, 1027, 37, 1, 0, 0}
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

// Every byte that a sign changes; of bf16 whole numbers, of which all sums are exact.
static tiny_tensor *operand(tiny_ctx *t, tiny_dtype dtype, int batch, int rows, int columns, int turned, int seed) {
  static uint8_t data[2 * MOST];
  const int n = batch * rows * columns;
  rng = (uint64_t)seed;
  for (int i = 0; i < n; i++)
    if (dtype != TINY_BF16) data[i] = (uint8_t)rnd(256);
    else tn_dtype_store(dtype, data + 2 * i, tn_dtype_value(dtype, rnd(33) - 16));
  const tiny_shape s = turned ? TINY_SHAPE(batch, columns, rows) : TINY_SHAPE(batch, rows, columns);
  tiny_tensor *x = tiny_from(t, data, dtype, s);
  return tiny_cast(turned ? tiny_transpose(x, 1, 2) : x, dtype == TINY_BF16 ? TINY_F32 : TINY_I32);
}
static tiny_tensor *product_of(tiny_ctx *t, const product *p, int pair) {
  const tiny_dtype sum = pair ? TINY_I32 : TINY_F32;
  tiny_tensor *x = operand(t, pairs[pair][0], p->batch, p->m, p->k, 0, 3 * pair + 1);
  tiny_tensor *z = tiny_matmul(x, operand(t, pairs[pair][1], p->batch, p->k, p->n, p->turned, 3 * pair + 2));
  return p->epilogue ? tiny_relu(tiny_sub(z, tiny_full(t, 7, sum, TINY_SHAPE(1)))) : z;
}
// Four bytes of each element, as the interpreter has them.
static int64_t right(tiny_ctx *t, const product *p, int pair, uint32_t *got) {
  static uint32_t want[MOST];
  const size_t n = (size_t)(p->batch * p->m * p->n);
  tiny_begin(t);
  tiny_tensor *z = product_of(t, p, pair);
  CHECK_EQ(tiny_reference(z, want, 4 * n), TINY_OK);         // what has been read is not computed again
  CHECK_EQ(tiny_read(z, got, 4 * n), TINY_OK);
  tiny_end(t);
  int64_t wrong = 0;
  for (size_t i = 0; i < n; i++) wrong += want[i] != got[i];
  return wrong;
}
static int emulated(void) {                // CPUID leaf 7, edx, bit 24: AMX-TILE
  uint32_t r[4];
  tn_os_cpuid(7, 0, r);
  return !(r[3] >> 24 & 1);
}
static int64_t products_ran(int pair) { return amx_ran[rows_of[pair]]; }

static void test_products(const char *device, const char *compiler) {
  static uint32_t got[MOST];
  refused = looked_at = beyond = of_tiles = 0;
  tiny_ctx *t = open_on(device, compiler, "", NULL);
  const int by_tiles = strcmp(compiler, "builtin") == 0 || strcmp(compiler, "both") == 0;
  CHECK(t && !t->device[0]->renderer.nunits == !by_tiles);
  for (int s = 0; s < SHAPES; s += test_brief(3, 1)) for (int pair = 0; pair < PAIRS; pair++) {
    const product *p = &shapes[s];
    if (!case_named("%d x %d x %d of %s and %s, %s, %s", p->m, p->k, p->n, tiny_dtype_name(pairs[pair][0]),
                    tiny_dtype_name(pairs[pair][1]), device, compiler)) continue;
    const int64_t before = products_ran(pair);
    CHECK_EQ(right(t, p, pair, got), 0);
    const int64_t least = (int64_t)p->batch * (p->m / 16) * (p->n / 16) * (p->k / (pair ? 64 : 32));
    if (emulated()) CHECK(by_tiles ? products_ran(pair) - before >= least : products_ran(pair) == before);
    CHECK_EQ(amx.palette, 0);              // released
    CHECK_EQ((int)tiny_stats_of(t).interpreted, 0);
    case_end();
  }
  CHECK_EQ(refused, 0);
  CHECK_EQ(beyond, 0);
  CHECK_EQ(amx_wrong, 0);
  printf("%s by %s: %d instructions looked at, %d of tiles\n", device, compiler, looked_at, of_tiles);
  CHECK_EQ(of_tiles > 0, by_tiles);
  tiny_close(t);
}
// Numbers that are rounded on the way: the order of additions is the processor's.
static void test_rounded(void) {
  enum { M = 40, K = 300, N = 36 };
  static float got[M * N], want[M * N], data[2][K * M];
  tiny_ctx *t = open_on("TILES", "builtin", "", NULL);
  rng = 5;
  for (int i = 0; i < K * M; i++) for (int j = 0; j < 2; j++) data[j][i] = (float)(rnd(20001) - 10000) * 1e-4f;
  tiny_tensor *x = tiny_cast(tiny_from(t, data[0], TINY_F32, TINY_SHAPE(M, K)), TINY_BF16);
  tiny_tensor *y = tiny_cast(tiny_from(t, data[1], TINY_F32, TINY_SHAPE(K, N)), TINY_BF16);
  tiny_tensor *all[2] = {x, y};
  CHECK_EQ(tiny_realize(all, 2), TINY_OK);
  tiny_tensor *z = tiny_matmul(tiny_cast(x, TINY_F32), tiny_cast(y, TINY_F32));
  CHECK_EQ(tiny_reference(z, want, sizeof want), TINY_OK);
  CHECK_EQ(tiny_read(z, got, sizeof got), TINY_OK);
  for (int i = 0; i < M * N; i++) CHECK(fabsf(got[i] - want[i]) <= 1e-4f);
  tiny_close(t);
}

// The machine itself: pairs, denormals, sums that wrap.
static void test_machine(void) {
  static const uint8_t a[4] = {0xC0, 0x3F, 0x00, 0xC0}, tiny[4] = {0x01, 0x00, 0x01, 0x00};            // 1.5, -2
  static const uint8_t b[1][AMX_ROW] = {{0x40, 0x40, 0x00, 0x3F}}, one[1][AMX_ROW] = {{0x80, 0x3F, 0x80, 0x3F}};
  static const uint8_t bytes[4] = {0xFF, 0x80, 3, 0}, by[1][AMX_ROW] = {{0xFE, 2, 0x80, 0}};
  float sum = 10;
  amx_bf16((uint8_t *)&sum, a, b, 0, 1);
  CHECK(sum == 10 + 1.5f * 3 - 2 * 0.5f);
  sum = 1e-39f;
  amx_bf16((uint8_t *)&sum, tiny, one, 0, 1);
  CHECK(sum == 0);
  int32_t whole = 5;
  amx_bytes((uint8_t *)&whole, bytes, by, 0, 1, 1, 1);
  CHECK_EQ(whole, 5 + 2 - 256 - 384);
  amx_bytes((uint8_t *)&whole, bytes, by, 0, 1, 0, 1);
  CHECK_EQ(whole, 5 + 2 - 256 - 384 - 510 + 256 - 384);
  whole = INT32_MAX;
  amx_bytes((uint8_t *)&whole, bytes, by, 0, 1, 0, 0);
  CHECK_EQ(whole, (int32_t)(INT32_MAX + (uint32_t)(255 * 254 + 128 * 2 + 3 * 128)));
}

// ** lists: sums in so many tiles at a time, and what the level or the registers have not **

typedef struct list_trial {
  int sums, twice; const tn_x86_level *level; int32_t got[10][256], want[256]; const char *why;
} list_trial;
static tiny_code run_list(tiny_ctx *t, void *arg) {
  list_trial *r = (list_trial *)arg;
  static uint8_t in[2][1024];
  const tn_wmma w = {16, 16, 64, 4, TINY_I8, TINY_U8};
  tiny_uop *list[160], *zero = tn_index(t, 0);
  int n = 0;
  tiny_uop *out = tn_param(t, TINY_I32, 0, 256 * r->sums), *a = tn_param(t, TINY_U8, 1, 1024);
  tiny_uop *b = tn_param(t, TINY_U32, 2, 256), *reg = tn_define(t, TINY_I32, 256, TN_SPACE_REG, r->sums);
  tiny_uop *at_a = tn_index_of(t, a, zero, NULL), *at_b = tn_index_of(t, b, zero, NULL);
  tiny_uop *x = tn_load(t, at_a, 1024), *y = tn_load(t, at_b, 256), *none = tn_constant(t, TINY_I32, 0);
  tiny_uop *zeros = tn_lanes_of(t, none, 256);
  tiny_uop *const first[] = {zero, out, a, b, reg, at_a, at_b, x, y, none, zeros};
  for (size_t i = 0; i < sizeof first / sizeof *first; i++) list[n++] = first[i];
  tiny_uop *after[10], *product[10];
  for (int i = 0; i < r->sums; i++) {
    if (i) list[n++] = tn_index(t, i);
    tiny_uop *at = tn_index_of(t, reg, tn_index(t, i), NULL), *set = tn_store(t, at, zeros);
    list[n++] = at; list[n++] = set;
    after[i] = tn_after(t, reg, set);
    list[n++] = after[i];
  }
  for (int i = 0; i < r->sums; i++) {
    tiny_uop *at = tn_index_of(t, after[i], tn_index(t, i), NULL), *sum = tn_load(t, at, 256), *src[3] = {x, y, sum};
    product[i] = tn_uop_make(t, TINY_OP_WMMA, TINY_I32, 256, 3, src, tn_wmma_k(&w), 0, NULL);
    list[n++] = at; list[n++] = sum; list[n++] = src[2] = product[i];
    if (r->twice == 1) list[n++] = product[i] = tn_uop_make(t, TINY_OP_WMMA, TINY_I32, 256, 3, src, tn_wmma_k(&w), 0, NULL);
    list[n++] = product[i] = tn_store(t, at, product[i]);
    if (r->twice < 2) continue;            // once more, from nothing: over what stands there
    src[2] = zeros;
    list[n++] = product[i] = tn_uop_make(t, TINY_OP_WMMA, TINY_I32, 256, 3, src, tn_wmma_k(&w), 0, NULL);
    list[n++] = product[i] = tn_store(t, at, product[i]);
  }
  for (int i = 0; i < r->sums; i++) {
    tiny_uop *where = tn_index(t, 256 * i), *at = tn_index_of(t, out, where, NULL);
    tiny_uop *done = tn_after(t, reg, product[i]), *at_sum = tn_index_of(t, done, tn_index(t, i), NULL);
    tiny_uop *sum = tn_load(t, at_sum, 256);
    if (i) list[n++] = where;
    tiny_uop *const last[] = {at, done, at_sum, sum, tn_store(t, at, sum)};
    for (size_t j = 0; j < sizeof last / sizeof *last; j++) list[n++] = last[j];
  }
  const int64_t local[3] = {1, 1, 1};
  uint8_t hints[160] = {0};
  const tiny_listing listing = {"tiles", list, n, hints, local, 0};
  tiny_bytes object = {t, NULL, 0, 0};
  r->why = tn_x86_object(t, &listing, r->level, &object);
  if (r->why) return t->code;
  for (int i = 0; i < 1024; i++) { in[0][i] = (uint8_t)(i * 7 + i / 64); in[1][i] = (uint8_t)(i * 5 + 3); }
  for (int i = 0; i < 256; i++) {
    r->want[i] = 0;
    for (int k = 0; k < 64; k++) r->want[i] += (int8_t)in[0][i / 16 * 64 + k] * in[1][k / 4 * 64 + i % 16 * 4 + k % 4];
    r->want[i] *= 1 + (r->twice == 1);
  }
  tn_elf *image;
  if (tn_elf_load(t, object.data, object.n, TN_CPU_MACHINE, NULL, 0, &image) != TINY_OK) return t->code;
  void *found = tn_elf_symbol(image, listing.name), *const base[3] = {r->got, in[0], in[1]};
  tn_cpu_kernel kernel;
  memcpy(&kernel, &found, sizeof kernel);
  kernel(base, NULL, 0, NULL);
  tn_elf_unload(t, image);
  return t->code;
}
static void test_lists(void) {
  static list_trial r;
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "INTERP"; d.cache_dir = "";
  tiny_ctx *t = tiny_open(&d);
  for (int j = 0; j < 17; j++) {
    const int i = j < 16 ? 1 + j / 2 : 1;
    memset(&r, 0, sizeof r);
    r.sums = i; r.twice = j < 16 ? j % 2 : 2; r.level = &tn_x86_levels[TN_X86_AMX];
    tiny_begin(t);
    CHECK_EQ(tn_guard(t, run_list, &r), TINY_OK);
    const int as_wanted = i <= 6 ? !r.why : r.why && strstr(r.why, "no spills");               // two operands are held
    CHECK(as_wanted);
    if (!as_wanted) fprintf(stderr, "    %d: %s\n", i, r.why ? r.why : "none");
    for (int k = 0; k < i && !r.why; k++) CHECK(!memcmp(r.got[k], r.want, sizeof r.want));
    tiny_end(t);
  }
  r.sums = 1; r.level = &tn_x86_levels[TN_X86_AVX512_VNNI];
  CHECK_EQ(tn_guard(t, run_list, &r), TINY_OK);
  CHECK_STR(r.why, "a matrix unit that the level has not");
  tiny_close(t);
}

// ** who takes what **

static void test_level(void) {
  tn_os_cpu has = tn_os_cpu_get(), none = has, as = has;
  none.tiles = 0;
  CHECK(has.tiles);
  CHECK(tn_os_cpu_as(&as, "amx") && as.tiles && !strcmp(as.name, "x86_64 amx"));
  CHECK(tn_os_cpu_as(&as, "avx512") && !as.tiles);
  CHECK(!tn_os_cpu_as(&none, "amx"));
  tiny_ctx *t = open_on("TILES:avx512", "builtin", "", NULL);
  CHECK(t && !t->device[0]->renderer.nunits);
  tiny_close(t);
}
static void compiled(tiny_ctx *t, int fresh, int hits, int from_file) {
  static uint32_t got[MOST];
  CHECK_EQ(right(t, &shapes[1], 1, got), 0);
  CHECK_EQ(tiny_stats_of(t).compiled > 0, fresh);
  CHECK_EQ(tiny_stats_of(t).cache_hits > 0, hits);
  CHECK_EQ(tiny_stats_of(t).shipped > 0, from_file);
}
// The disk's key and a file's tell tiles: who has none compiles for itself, the others find their own.
static void test_kept(const char *clang) {
  static char folder[600], file[640];
  snprintf(folder, sizeof folder, "%s/tiny-amx-%llx", tn_os_temp_dir(), (unsigned long long)tn_os_process_id());
  snprintf(file, sizeof file, "%s/kernels", folder);
  CHECK(tn_os_make_dirs(folder));
  for (int i = 0; i < 3 && clang; i++) {
    tiny_ctx *t = open_on(i == 1 ? "TILES:avx512" : "TILES:amx", clang, folder, NULL);
    compiled(t, i < 2, i == 2, 0);
    tiny_close(t);
  }
  tiny_ctx *t = open_on("TILES:amx", "builtin", "", NULL);
  compiled(t, 1, 0, 0);
  CHECK_EQ(tiny_cache_export(t, file), TINY_OK);
  tiny_close(t);
  for (int i = 0; i < 2; i++) {
    t = open_on(i ? "TILES:avx512" : "TILES:amx", "builtin", "", file);
    const int64_t before = products_ran(1);
    compiled(t, i, 0, !i);
    if (emulated()) CHECK_EQ(products_ran(1) > before, !i);
    tiny_close(t);
  }
  remove_tree(folder);
}

int main(void) {
  static char clang[TN_OS_PATH];
  const tn_os_cpu facts = tn_os_cpu_get();
  const int outside = tn_os_find_program("clang", 0, clang, sizeof clang);
  test_machine();
  if (!facts.tiles) { puts("no AVX-512: nothing has tiles"); return test_report(); }
  amx_install();
  test_level();
  test_lists();
  test_rounded();
  test_products("TILES", "builtin");
  test_products("TILES:amx", "builtin");
  test_products("TILES", "both");
  if (outside) test_products("TILES", clang);
  else puts("no clang: what it gets is not tested");
  test_kept(outside ? clang : NULL);
  CHECK_EQ(amx_wrong, 0);
  return test_report();
}
#else
int main(void) {
  puts("no x86-64 on Linux, or no built-in compiler: nothing has tiles");
  return test_report();
}
#endif
