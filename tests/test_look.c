// test_look: what is shown of tensors, parameters and graphs, and what is read, computed and allocated for that. How
// elements are written is compared with NumPy in test_look.py.
// also: late
#include "../src/all.c"
#include "test.h"
#include "memory_test.h"
#include <unistd.h>

static char text[1 << 20], other[1 << 20];

static tiny_ctx *open_on(const char *device) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = device; d.cache_dir = "";
  return tiny_open(&d);
}
static tiny_tensor *count_up(tiny_ctx *t, tiny_dtype dtype, tiny_shape s) {
  return tiny_reshape(tiny_arange(t, 0, (double)tn_dims_nelem(s.ndim, s.dim), 1, dtype), s);
}
static const char *shown(tiny_tensor *x) {
  const size_t n = tiny_to_text(x, NULL, text, sizeof text);
  CHECK_EQ(n, strlen(text));
  return text;
}
// x is shown as a copy of it is.
static void check_as_copied(tiny_tensor *x, int64_t threshold, int edge) {
  tiny_ctx *t = tiny_ctx_of(x);
  tiny_text_desc d;
  memset(&d, 0, sizeof d);
  d.bare = 1; d.threshold = threshold; d.edge = edge;
  const size_t nbytes = (size_t)tiny_nelem_of(x) * 4, n = tiny_to_text(x, &d, text, sizeof text);
  void *copy = malloc(nbytes + 1);
  CHECK_EQ(tiny_read(x, copy, nbytes), TINY_OK);
  tiny_tensor *y = tiny_from(t, copy, tiny_dtype_of(x), tiny_shape_of(x));
  CHECK_EQ(tiny_to_text(y, &d, other, sizeof other), n);
  CHECK_STR(text, other);
  CHECK(n > 0);
  free(copy);
}

// ** tensors **

static void forms(void) {
  tiny_ctx *t = open_on("INTERP");
  const float v[6] = {1, -2.5f, 0.1f, 100, 0, 3};
  const uint64_t most[2] = {UINT64_MAX, 7};
  const int8_t least[2] = {-128, 5};
  CHECK_STR(shown(tiny_from(t, v, TINY_F32, TINY_SHAPE(2, 3))),
            "(2,3) f32 on INTERP\n[[  1.   -2.5   0.1]\n [100.    0.    3. ]]");
  CHECK_STR(shown(tiny_from(t, most, TINY_U64, TINY_SHAPE(2))),
            "(2,) u64 on INTERP\n[18446744073709551615                    7]");
  CHECK_STR(shown(tiny_from(t, least, TINY_I8, TINY_SHAPE(2))), "(2,) i8 on INTERP\n[-128    5]");
  CHECK_STR(shown(tiny_full(t, 1, TINY_BOOL, TINY_SHAPE(1, 2))), "(1,2) bool on INTERP\n[[ True  True]]");
  CHECK_STR(shown(tiny_scalar(t, 2.5, TINY_F64)), "() f64 on INTERP\n2.5");
  CHECK_STR(shown(tiny_zeros(t, TINY_F32, TINY_SHAPE(2, 0))), "(2,0) f32\n[]");
  CHECK_STR(shown(tiny_cast(tiny_from(t, v, TINY_F32, TINY_SHAPE(3)), TINY_BF16)),
            "(3,) bf16 on INTERP\n[ 1.  -2.5  0.1]");
  CHECK_STR(shown(tiny_cast(tiny_from(t, v, TINY_F32, TINY_SHAPE(4)), TINY_F8E4M3)),
            "(4,) f8e4m3 on INTERP\n[ 1.  -2.5  0.1 96. ]");
  CHECK_STR(tiny_error(t), "");
  tiny_close(t);
}
static void lengths_of_text(void) {
  tiny_ctx *t = open_on("INTERP");
  tiny_tensor *x = tiny_eye(t, 3, TINY_I32);
  tiny_text_desc d;
  memset(&d, 0, sizeof d);
  d.bare = 1;
  const char *whole = "[[1 0 0]\n [0 1 0]\n [0 0 1]]";
  CHECK_EQ(tiny_to_text(x, &d, NULL, 0), strlen(whole));
  CHECK_EQ(tiny_to_text(x, &d, NULL, 100), strlen(whole));
  for (size_t n = 1; n < strlen(whole) + 3; n++) {
    memset(text, '#', 64);
    CHECK_EQ(tiny_to_text(x, &d, text, n), strlen(whole));
    const size_t fits = n <= strlen(whole) ? n - 1 : strlen(whole);
    CHECK(!memcmp(text, whole, fits) && !text[fits] && text[fits + 1] == '#');
  }
  d.name = "eye";
  tiny_to_text(x, &d, text, sizeof text);
  CHECK_STR(text, whole);
  d.bare = 0;
  tiny_to_text(x, &d, text, sizeof text);
  CHECK(!strncmp(text, "eye: (3,3) i32 on INTERP\n[[1 0 0]", 33));
  tiny_close(t);
}
static void what_is_no_tensor(void) {
  tiny_ctx *t = open_on("INTERP");
  CHECK_STR(shown(NULL), "<NULL>");
  tiny_tensor *x = tiny_zeros(t, TINY_F32, TINY_SHAPE(2)), *bad = tiny_add(x, tiny_zeros(t, TINY_F32, TINY_SHAPE(3)));
  CHECK_STR(shown(bad), "<poison: add: (2,) and (3,) do not broadcast>");
  tiny_clear(t);
  CHECK_STR(shown(bad), "<poison>");
  tiny_free(x);
  CHECK_STR(shown(x), "<a tensor that was freed by tiny_free>");
  tiny_begin(t);
  x = tiny_zeros(t, TINY_F32, TINY_SHAPE(2));
  tiny_end(t);
  CHECK_STR(shown(x), "<a tensor that was freed with its frame, of depth 1, by tiny_end number 1>");
  CHECK_STR(tiny_error(t), "");
  tiny_close(t);
}
static void printed(void) {
  tiny_ctx *t = open_on("INTERP");
  const float v[2] = {1, 2};
  tiny_tensor *x = tiny_from(t, v, TINY_F32, TINY_SHAPE(2)), *dead = tiny_zeros(t, TINY_F32, TINY_SHAPE(1));
  tiny_free(dead);
  fflush(stdout);
  const int to = dup(1);
  FILE *f = tmpfile();
  CHECK(f && to >= 0 && dup2(fileno(f), 1) == 1);
  CHECK_EQ(tiny_print(x), TINY_OK);
  CHECK_EQ(tiny_print_named("x", x), TINY_OK);
  CHECK_EQ(tiny_print(NULL), TINY_E_ARG);
  CHECK_EQ(tiny_print_named("none", NULL), TINY_E_ARG);
  CHECK_EQ(tiny_print_named("dead", dead), TINY_E_STATE);
  CHECK_STR(tiny_error(t), "");
  CHECK_EQ(tiny_print(tiny_matmul(x, tiny_zeros(t, TINY_F32, TINY_SHAPE(3)))), TINY_E_SHAPE);
  fflush(stdout);
  dup2(to, 1);
  close(to);
  rewind(f);
  text[fread(text, 1, sizeof text - 1, f)] = 0;
  fclose(f);
  CHECK_STR(text, "(2,) f32 on INTERP\n[1. 2.]\nx: (2,) f32 on INTERP\n[1. 2.]\n<NULL>\nnone: <NULL>\n"
                  "dead: <a tensor that was freed by tiny_free>\n<poison: matmul: inner dims differ: (2,) @ (3,)>\n");
  tiny_close(t);
}

// ** where elements come from **

// Views of memory, what is computed, lengths, parts on several devices: what is shown is what tiny_read gives.
static void sources(const char *device) {
  tiny_ctx *t = open_on(device);
  tiny_tensor *x = count_up(t, TINY_I32, TINY_SHAPE(7, 8, 9));
  tiny_realize(&x, 1);
  for (int edge = 1; edge <= 4; edge++) {
    const int64_t threshold = edge == 4 ? 0 : 10;
    check_as_copied(x, threshold, edge);
    check_as_copied(tiny_permute(x, TINY_SHAPE(2, 0, 1)), threshold, edge);
    check_as_copied(tiny_flip(tiny_shrink(x, TINY_SHAPE(1, 6, 0, 8, 3, 9)), TINY_SHAPE(0, 2)), threshold, edge);
    check_as_copied(tiny_pad(x, TINY_SHAPE(1, 1, 0, 2, 2, 0), 0), threshold, edge);
    check_as_copied(tiny_expand(tiny_shrink(x, TINY_SHAPE(3, 4, 0, 8, 0, 9)), TINY_SHAPE(5, 8, 9)), threshold, edge);
    check_as_copied(tiny_reshape(tiny_permute(x, TINY_SHAPE(1, 0, 2)), TINY_SHAPE(3, 168)), threshold, edge);
    check_as_copied(tiny_add(x, x), threshold, edge);
    check_as_copied(tiny_permute(tiny_add(x, x), TINY_SHAPE(1, 2, 0)), threshold, edge);
    check_as_copied(tiny_reshape(x, TINY_SHAPE(504)), threshold, edge);
    check_as_copied(tiny_full(t, 3, TINY_I32, TINY_SHAPE(40, 50)), threshold, edge);
  }
  tiny_tensor *part = tiny_shrink(x, TINY_SHAPE(0, 1, 0, 8, 0, 9));        // assigned to, and shown before it is done
  tiny_assign(part, tiny_full(t, -1, TINY_I32, TINY_SHAPE()));
  check_as_copied(part, 10, 2);
  check_as_copied(tiny_permute(x, TINY_SHAPE(1, 0, 2)), 10, 2);
  CHECK_STR(tiny_error(t), "");
  tiny_close(t);
}
static void lengths(void) {
  tiny_ctx *t = open_on("INTERP");
  tiny_tensor *x = count_up(t, TINY_I32, TINY_SHAPE(4, 6)), *n = tiny_length(t, 3, 0, 6), *m = tiny_length(t, 0, 0, 4);
  tiny_realize(&x, 1);
  tiny_tensor *some = tiny_slice_to(x, 1, n);
  CHECK_STR(shown(some), "(4,3) of (4,6) i32 on INTERP\n[[ 0  1  2]\n [ 6  7  8]\n [12 13 14]\n [18 19 20]]");
  CHECK_STR(shown(tiny_sum(some, 1, 0)), "(4,) i64 on INTERP\n[ 3 21 39 57]");
  CHECK_STR(shown(tiny_permute(some, TINY_SHAPE(1, 0))),
            "(3,4) of (6,4) i32 on INTERP\n[[ 0  6 12 18]\n [ 1  7 13 19]\n [ 2  8 14 20]]");
  CHECK_STR(shown(tiny_slice_to(tiny_neg(x), 0, m)), "(0,6) of (4,6) i32\n[]");
  CHECK_STR(tiny_error(t), "");
  tiny_close(t);
}
static void devices(void) {
  tiny_ctx *t = open_on("INTERP,INTERP:1");
  const int both[2] = {0, 1};
  tiny_tensor *x = count_up(t, TINY_I32, TINY_SHAPE(4, 2)), *y = tiny_shard(x, 0, both, 2);
  CHECK_STR(shown(y), "(4,2) i32 on several devices\n[[0 1]\n [2 3]\n [4 5]\n [6 7]]");
  CHECK_STR(shown(tiny_shard_part(tiny_add(y, y), 1)), "(2,2) i32 on INTERP:1 (device 1)\n[[ 8 10]\n [12 14]]");
  CHECK_STR(tiny_error(t), "");
  tiny_close(t);
}

// An allocator that knows the largest request.
typedef struct largest { size_t most; } largest;
static void *largest_fn(void *user, void *ptr, size_t old_nbytes, size_t new_nbytes) {
  largest *l = (largest *)user;
  (void)old_nbytes;
  if (new_nbytes > l->most) l->most = new_nbytes;
  if (new_nbytes) return realloc(ptr, new_nbytes);
  free(ptr);
  return NULL;
}
// Of 256 MiB next to nothing is looked at, also through views; what is written between calls is seen.
static void little_is_read(void) {
  enum { ROWS = 8192, COLUMNS = 8192 };
  largest l = {0};
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "INTERP"; d.alloc.fn = largest_fn; d.alloc.user = &l;
  tiny_ctx *t = tiny_open(&d);
  int32_t *data = (int32_t *)calloc((size_t)ROWS * COLUMNS, sizeof *data);
  CHECK(data != NULL);
  if (!data) return;
  tiny_tensor *x = tiny_blob(t, data, TINY_I32, TINY_SHAPE(ROWS, COLUMNS), NULL);
  if (tiny_status(t) == TINY_E_DEVICE) {   // late.h may draw such a device
    printf("no tiny_blob: %s\n", tiny_error(t));
    tiny_close(t);
    free(data);
    return;
  }
  tiny_tensor *y = tiny_flip(tiny_permute(x, TINY_SHAPE(1, 0)), TINY_SHAPE(0));
  data[1] = 7;
  CHECK_STR(shown(x), "(8192,8192) i32 on INTERP\n[[0 7 0 ... 0 0 0]\n [0 0 0 ... 0 0 0]\n [0 0 0 ... 0 0 0]\n ...\n"
                      " [0 0 0 ... 0 0 0]\n [0 0 0 ... 0 0 0]\n [0 0 0 ... 0 0 0]]");
  data[COLUMNS - 1] = 9;
  CHECK_STR(shown(y), "(8192,8192) i32 on INTERP\n[[9 0 0 ... 0 0 0]\n [0 0 0 ... 0 0 0]\n [0 0 0 ... 0 0 0]\n ...\n"
                      " [0 0 0 ... 0 0 0]\n [7 0 0 ... 0 0 0]\n [0 0 0 ... 0 0 0]]");
  CHECK_EQ(tiny_stats_of(t).kernels, 0);
  CHECK(l.most < 1 << 18);
  CHECK_STR(tiny_error(t), "");
  tiny_close(t);
  free(data);
}
static void what_cannot_be_computed(void) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "INTERP"; d.max_nbytes = 1 << 16;
  tiny_ctx *t = tiny_open(&d);
  strcpy(text, "before");
  CHECK_EQ(tiny_to_text(tiny_rand(t, TINY_SHAPE(1 << 16)), NULL, text, sizeof text), 0);
  CHECK_STR(text, "");
  CHECK_EQ(tiny_status(t), TINY_E_MEMORY);
  tiny_close(t);
}

// ** parameters **

static void summary(void) {
  tiny_ctx *t = open_on("INTERP");
  tiny_params p;
  memset(&p, 0, sizeof p);
  CHECK_EQ(tiny_params_summary(&p, text, sizeof text), 14);
  CHECK_STR(text, "no parameters\n");
  CHECK_EQ(tiny_params_summary(NULL, NULL, 0), 14);
  tiny_linear_layer a = tiny_linear_layer_new(t, 784, 128, 1), b = tiny_linear_layer_new(t, 128, 10, 0);
  tiny_norm_layer norm = tiny_norm_layer_new(t, TINY_BATCH_NORM, TINY_SHAPE(128), 0);
  tiny_tensor *half = tiny_zeros(t, TINY_F16, TINY_SHAPE(3)), *gone = tiny_zeros(t, TINY_F32, TINY_SHAPE());
  tiny_params_enter(&p, "net");
  tiny_linear_layer_params(&a, &p, "fc1");
  tiny_norm_layer_params(&norm, &p, "bn1");
  tiny_linear_layer_params(&b, &p, "fc2");
  tiny_params_leave(&p);
  tiny_params_add(&p, "head", "h", half, 1);
  tiny_params_add(&p, "head", "scale", gone, 0);
  tiny_params_add(&p, NULL, "tied", b.weight, 1);
  tiny_free(gone);
  const size_t n = tiny_params_summary(&p, text, sizeof text);
  CHECK_EQ(n, strlen(text));
  CHECK_STR(text,
    "layer       parameters        trained            bytes  dtype     tensors\n"
    "net.fc1        100,480        100,480          401,920  f32       weight (128,784), bias (128,)\n"
    "net.bn1            512            256            2,048  f32       weight (128,), bias (128,), running_mean (128,), running_var (128,)\n"
    "net.fc2          1,280          1,280            5,120  f32       weight (10,128)\n"
    "head                 3              3                6  f16       h (3,), scale <freed>\n"
    "-                    0              0                0  f32       tied = net.fc2.weight\n"
    "total          102,275        102,019          409,094            10 tensors in 5 layers\n");
  CHECK_STR(tiny_error(t), "");
  tiny_params_free(&p);
  tiny_close(t);
}

// Rows are aligned by characters and stay lines, whatever names are.
static void summary_of_names(void) {
  tiny_ctx *t = open_on("INTERP");
  tiny_tensor *x = tiny_zeros(t, TINY_F32, TINY_SHAPE(2));
  tiny_params p;
  memset(&p, 0, sizeof p);
  tiny_params_add(&p, "caf\xc3\xa9", "\xe2\x82\xac", x, 1);
  tiny_params_add(&p, "two\nlines\xff", "%s\x1b", tiny_zeros(t, TINY_F32, TINY_SHAPE(3)), 1);
  tiny_params_add(&p, "", "", x, 1);
  tiny_params_summary(&p, text, sizeof text);
  CHECK_STR(text,
    "layer          parameters        trained            bytes  dtype     tensors\n"
    "caf\xc3\xa9                    2              2                8  f32       \xe2\x82\xac (2,)\n"
    "two?lines?              3              3               12  f32       %s? (3,)\n"
    "-                       0              0                0  f32        = caf\xc3\xa9.\xe2\x82\xac\n"
    "total                   5              5               20            3 tensors in 3 layers\n");
  CHECK_STR(tiny_error(t), "");
  tiny_params_free(&p);
  tiny_close(t);
}

// ** graphs **

static void graphs(void) {
  tiny_ctx *t = open_on("INTERP");
  const float v[6] = {0};
  tiny_tensor *x = tiny_from(t, v, TINY_F32, TINY_SHAPE(2, 3)), *y = tiny_add(tiny_sum(x, 1, 1), tiny_scalar(t, 0.5, TINY_F32)), *both[2] = {y, x};
  y = both[0] = tiny_mul(y, tiny_like(y, 3));
  size_t n = tiny_graph_json(both, 2, text, sizeof text);
  CHECK_EQ(n, strlen(text));
  CHECK_STR(text, "{\"version\":1,\"nodes\":[\n"
    "{\"id\":0,\"op\":\"BUFFER\",\"dtype\":\"f32\",\"shape\":[6],\"src\":[],\"arg\":\"#1 6\",\"memory\":\"INTERP\"},\n"
    "{\"id\":1,\"op\":\"RESHAPE\",\"dtype\":\"f32\",\"shape\":[2,3],\"src\":[0],\"arg\":\"[2 3]\"},\n"
    "{\"id\":2,\"op\":\"REDUCE\",\"dtype\":\"f32\",\"shape\":[2,1],\"src\":[1],\"arg\":\"ADD:axes=1\"},\n"
    "{\"id\":3,\"op\":\"SCALAR\",\"dtype\":\"f32\",\"shape\":[],\"src\":[],\"arg\":\"0.5\"},\n"
    "{\"id\":4,\"op\":\"ADD\",\"dtype\":\"f32\",\"shape\":[2,1],\"src\":[2,3],\"arg\":\"\"},\n"
    "{\"id\":5,\"op\":\"CONST\",\"dtype\":\"f32\",\"shape\":[],\"src\":[],\"arg\":\"3.0\"},\n"
    "{\"id\":6,\"op\":\"MUL\",\"dtype\":\"f32\",\"shape\":[2,1],\"src\":[4,5],\"arg\":\"\"}\n"
    "],\"roots\":[6,1]}\n");
  n = tiny_graph_dot(&y, 1, text, sizeof text);
  CHECK_EQ(n, strlen(text));
  CHECK_STR(text, "digraph tiny {\n  ordering=in;\n  node [shape=box, style=rounded, fontname=\"monospace\"];\n"
    "  n0 [label=\"BUFFER #1 6\\nf32 (6,)\\nin memory of INTERP\", shape=box, style=filled, fillcolor=\"#dce8f5\"];\n"
    "  n1 [label=\"RESHAPE [2 3]\\nf32 (2,3)\"];\n  n0 -> n1;\n"
    "  n2 [label=\"REDUCE ADD:axes=1\\nf32 (2,1)\"];\n  n1 -> n2;\n"
    "  n3 [label=\"SCALAR 0.5\\nf32\"];\n"
    "  n4 [label=\"ADD\\nf32 (2,1)\"];\n  n2 -> n4;\n  n3 -> n4;\n"
    "  n6 [label=\"MUL x 3.0\\nf32 (2,1)\"];\n  n4 -> n6;\n  n6 [penwidth=2];\n}\n");
  CHECK_EQ(tiny_stats_of(t).kernels, 0);
  CHECK_EQ(tiny_graph_dot(&y, 1, text, 8), n);
  CHECK_STR(text, "digraph");
  CHECK_EQ(tiny_graph_json(NULL, 1, text, sizeof text), 0);
  CHECK_EQ(tiny_graph_json(&y, 0, text, sizeof text), 0);
  CHECK_STR(tiny_error(t), "");
  both[1] = NULL;
  CHECK_EQ(tiny_graph_json(both, 2, text, sizeof text), 0);
  CHECK_STR(tiny_error(t), "graph_json: tensor argument 2 is NULL");
  tiny_close(t);
}
// Names are in both; what was computed of no memory lies where it was computed.
static void graphs_of_names(void) {
  tiny_ctx *t = open_on("INTERP");
  tiny_tensor *x = tiny_label(tiny_rand(t, TINY_SHAPE(2)), "noise \"1\""), *y = tiny_label(tiny_exp(x), "out");
  tiny_realize(&x, 1);
  tiny_graph_json(&y, 1, text, sizeof text);
  CHECK(strstr(text, "\"memory\":\"INTERP\",\"label\":\"noise \\\"1\\\"\"}") && strstr(text, "\"label\":\"out\"}"));
  CHECK(!strstr(text, "no device"));
  tiny_graph_dot(&y, 1, text, sizeof text);
  CHECK(strstr(text, "\\nf32 (2,)\\nnoise \\\"1\\\"\\nin memory of INTERP\"") && strstr(text, "\\nf32 (2,)\\nout\"];"));
  CHECK_STR(tiny_error(t), "");
  tiny_close(t);
}
// A chain of 100,000 operators, each twice as wide a tree as the one before: linear, and no recursion.
static void deep_graph(void) {
  enum { DEPTH = 100000 };
  tiny_ctx *t = open_on("NULL");
  size_t opened = 0, rows = 0;
  tiny_begin(t);
  tiny_tensor *x = tiny_rand(t, TINY_SHAPE(2));
  tiny_realize(&x, 1);
  for (int i = 0; i < DEPTH; i++) x = tiny_sin(tiny_add(x, x));
  const size_t n = tiny_graph_json(&x, 1, NULL, 0), m = tiny_graph_dot(&x, 1, NULL, 0);
  char *all = (char *)malloc(n + 1);
  CHECK(n > 2 * DEPTH * 40 && n < 2 * DEPTH * 90 && m > 2 * DEPTH * 30 && m < 2 * DEPTH * 110);
  CHECK_EQ(tiny_graph_json(&x, 1, all, n + 1), n);
  for (size_t i = 0; i < n; i++) { opened += all[i] == '{'; rows += all[i] == '\n'; }
  CHECK(opened > 2 * DEPTH && rows == opened + 1);
  free(all);
  CHECK_STR(tiny_error(t), "");
  tiny_end(t);
  tiny_close(t);
}
static void strings(void) {
  tiny_ctx *t = open_on("NULL");
  tiny_bytes b = {t, NULL, 0, 0};
  tn_json_text(&b, "a\"b\\c\n\t\x01\x7f \xc3\xa4 \xf0\x9f\x98\x80 \xff \xc3");
  CHECK_STR(b.data, "\"a\\\"b\\\\c\\n\\u0009\\u0001\x7f \xc3\xa4 \xf0\x9f\x98\x80 \\ufffd \\ufffd\"");
  b.n = 0;
  tn_graph_dot_text(&b, "a\"b\\ \n&lt; \t \xc3\xa4 \xff");
  CHECK_STR(b.data, "a\\\"b\\\\ \\n&amp;lt; \xef\xbf\xbd \xc3\xa4 \xef\xbf\xbd");
  tn_scratch_reset(t, 1);
  tiny_close(t);
}

// ** the n-th allocation is refused **

static int refused_once(long n) {
  memory_count m = {0, n, 0, 0};
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "INTERP"; d.cache_dir = ""; d.alloc.fn = memory_fn; d.alloc.user = &m;
  tiny_ctx *t = tiny_open(&d);
  size_t got[4] = {0};
  tiny_params p;
  memset(&p, 0, sizeof p);
  tiny_tensor *x = count_up(t, TINY_F32, TINY_SHAPE(40, 30)), *y = tiny_permute(tiny_mul(x, x), TINY_SHAPE(1, 0));
  tiny_params_add(&p, "a", "x", x, 1);
  tiny_params_add(&p, "a", "y", y, 1);
  if (t && tiny_status(t) == TINY_OK) {
    got[0] = tiny_to_text(y, NULL, text, sizeof text);
    CHECK(got[0] ? strstr(text, "(30,40) f32 on INTERP\n[[") != NULL : !*text && tiny_status(t) == TINY_E_MEMORY);
    got[1] = tiny_graph_json(&y, 1, text, sizeof text);
    got[2] = tiny_graph_dot(&y, 1, text, sizeof text);
    got[3] = tiny_params_summary(&p, text, sizeof text);
    for (int i = 0; i < 4; i++) CHECK(got[i] || tiny_status(t) == TINY_E_MEMORY);
  }
  tiny_params_free(&p);
  tiny_close(t);
  CHECK_EQ(m.live, 0);
  CHECK_EQ(m.wrong, 0);
  return m.calls < n;
}

int main(void) {
  forms();
  lengths_of_text();
  what_is_no_tensor();
  printed();
  sources("INTERP");
  sources("INTERP,INTERP:1");
  lengths();
  devices();
  little_is_read();
  what_cannot_be_computed();
  summary();
  summary_of_names();
  graphs();
  graphs_of_names();
  deep_graph();
  strings();
  long n = 1;
  while (!refused_once(n)) n++;
  CHECK(n > 20);
  return test_report();
}
