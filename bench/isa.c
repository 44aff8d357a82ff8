// isa: what the built-in compiler makes of kernels beside what clang makes of the same, and how long it takes.
//   build/bench/isa [-q] [-k TEXT] [-v] [-l LEVEL]
// -q: fewer rounds; -k: rows whose name has TEXT; -v: each kernel's time; -l: both for a lesser processor, avx2 or sse4
//
// Both run in turn in one process, on one thread, on the same arrays, which caches hold unless the row says otherwise.
// A ratio is the median over the rounds of clang's time over the built-in code's: 1 is as fast, 2 twice as fast as
// clang's. Where the built-in compiler refuses a kernel, its row runs clang's there, too, and does not count.
// From list to code: selection, registers, bytes, the object, and loading it, the least of a few times.
#define _GNU_SOURCE
#include "../src/all.c"
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
extern char **environ;
#include "measure.c"

enum { KERNELS_MOST = 1024, TIMES = 5 };
static int verbose;

// ** the time from the list to code **

typedef struct made { char name[64]; double us[4]; int n; size_t nbytes; } made;
static made kernels_made[KERNELS_MOST];
static int nmade, refused;
static const char *row_name = "";
static char reasons[8192];

// Stages: selection, registers, bytes and the object, loading.
enum { SELECT, ALLOCATE, WRITE, LOAD, STAGES };
#ifdef TN_OS_X86
static const char *make_once(tiny_ctx *t, const tiny_listing *k, const tn_x86_level *level, double us[STAGES],
                             size_t *nbytes) {
  tn_isa_code c;
  tn_x86_writer w;
  tiny_bytes object = {t, NULL, 0, 0};
  tn_elf *image = NULL;
  memset(&c, 0, sizeof c); memset(&w, 0, sizeof w);
  c.t = c.pool.t = w.code.t = t;
  w.c = &c; w.level = level;
  const double start = seconds();
  tn_x86_select_list(&c, k, level);
  const double selected = seconds();
  if (!c.refused) tn_isa_allocate(&c, tn_x86_target_of(level));
  if (c.refused) return c.refused;
  const double allocated = seconds();
  tn_x86_write_all(&w);
  tn_isa_elf(&object, k->name, &w.code, TN_ELF_X86);
  const double written = seconds();
  if (tn_elf_load(t, object.data, object.n, TN_ELF_X86, NULL, 0, &image) != TINY_OK) return tiny_error(t);
  const double loaded = seconds();
  tn_elf_unload(t, image);
  const double at[STAGES + 1] = {start, selected, allocated, written, loaded};
  for (int i = 0; i < STAGES; i++) us[i] = fmin(us[i], 1e6 * (at[i + 1] - at[i]));
  *nbytes = w.code.n;
  return NULL;
}
#else                                        // elsewhere all that comes before loading is one
static const char *make_once(tiny_ctx *t, const tiny_listing *k, const tn_cpu_builtin_level *level, double us[STAGES],
                             size_t *nbytes) {
  tiny_bytes object = {t, NULL, 0, 0};
  const double start = seconds();
  const char *why = TN_CPU_BUILTIN_OBJECT(t, k, level, &object);
  us[SELECT] = fmin(us[SELECT], 1e6 * (seconds() - start));
  us[ALLOCATE] = us[WRITE] = us[LOAD] = 0;
  *nbytes = object.n;
  return why;
}
#endif
static tiny_code timed_kernel(tiny_ctx *t, const tiny_renderer *r, const tiny_listing *k, tiny_bytes *out,
                              uint64_t *uses) {
  made *m = &kernels_made[nmade];
  const char *why = NULL;
  snprintf(m->name, sizeof m->name, "%.60s", row_name);
  for (int i = 0; i < STAGES; i++) m->us[i] = HUGE_VAL;
  m->n = k->n;
  for (int i = 0; i < TIMES && !why; i++) why = make_once(t, k, tn_cpu_level(r->own), m->us, &m->nbytes);
  if (!why) nmade += nmade < KERNELS_MOST - 1;
  else {
    const size_t at = strlen(reasons);
    refused++;
    snprintf(reasons + at, sizeof reasons - at, "    %s: %s\n", row_name, why);
  }
  return tn_cpu_builtin_kernel(t, r, k, out, uses);
}

// ** the rows **

// Inputs of a row: those that it asks for.
enum { INPUTS = 4 };
typedef struct row_inputs { tiny_ctx *t; int64_t m, n; tiny_tensor *in[INPUTS]; int nin; } row_inputs;
static tiny_tensor *row_input(row_inputs *x, tiny_tensor *in) {
  tiny_realize(&in, 1);
  x->in[x->nin++] = in;
  return in;
}
static tiny_tensor *fresh(row_inputs *x, tiny_shape shape) {
  return row_input(x, numbers_tensor(x->t, shape, (uint32_t)x->nin + 1, 2, 0));
}
// a and b (m,n), c (n,m)
static tiny_tensor *a_of(row_inputs *x) { return fresh(x, TINY_SHAPE(x->m, x->n)); }
static tiny_tensor *c_of(row_inputs *x) { return fresh(x, TINY_SHAPE(x->n, x->m)); }
static tiny_tensor *as(row_inputs *x, tiny_shape shape, double scale, tiny_dtype dtype) {
  return row_input(x, tiny_cast(numbers_tensor(x->t, shape, (uint32_t)x->nin + 1, (float)scale, 0), dtype));
}
static tiny_tensor *indices(row_inputs *x, tiny_shape shape, int64_t most) {
  return row_input(x, tiny_cast(numbers_tensor(x->t, shape, 9, (float)most, (float)most / 2), TINY_I32));
}
#define ROW(name, value) static tiny_tensor *r_##name(row_inputs *x) { return value; }
#define OF_A(name, value) \
  static tiny_tensor *r_##name(row_inputs *x) { tiny_tensor *a = a_of(x); return value; }
#define OF_AB(name, value) \
  static tiny_tensor *r_##name(row_inputs *x) { tiny_tensor *a = a_of(x), *b = a_of(x); return value; }
OF_A(matmul, tiny_matmul(a, c_of(x)))
OF_A(linear, tiny_relu(tiny_add(tiny_matmul(a, c_of(x)), fresh(x, TINY_SHAPE(x->m)))))
OF_A(softmax, tiny_softmax(a, -1))
OF_A(log_softmax, tiny_log_softmax(a, -1))
OF_A(layer_norm, tiny_layer_norm(a, 1, NULL, NULL, 1e-5))
OF_A(gelu, tiny_gelu(a))
OF_A(gelu_tanh, tiny_gelu_tanh(a))
OF_A(sum, tiny_sum(a, TINY_ALL, 0))
OF_A(sum_rows, tiny_sum(a, 1, 0))
OF_A(sum_down, tiny_sum(a, 0, 0))
OF_A(max_rows, tiny_amax(a, 1, 0))
OF_A(argmax, tiny_argmax(a, 1, 0))
OF_A(argmax_down, tiny_argmax(a, 0, 0))
OF_A(var, tiny_mean(tiny_mul(a, a), 1, 0))
OF_A(scale, tiny_add_scalar(tiny_mul_scalar(a, 2), 1))
OF_AB(triad, tiny_add(tiny_mul_scalar(a, 2), b))
OF_A(chain, tiny_add(tiny_mul_scalar(tiny_relu(tiny_mul(tiny_add_scalar(tiny_mul_scalar(a, 2), 1),
    tiny_add_scalar(a, -3))), 0.5), a))
OF_A(exp, tiny_exp(a))
OF_A(log, tiny_log(tiny_add_scalar(tiny_abs(a), 0.1)))
OF_A(sin, tiny_sin(a))
OF_A(tanh, tiny_tanh(a))
OF_AB(where, tiny_where(tiny_lt(a, b), a, tiny_neg(b)))
static tiny_tensor *r_int_add(row_inputs *x) {
  tiny_tensor *i = indices(x, TINY_SHAPE(x->m, x->n), 1000);
  return tiny_add_scalar(tiny_mul(i, i), 7);
}
static tiny_tensor *r_int_mod(row_inputs *x) {
  tiny_tensor *i = indices(x, TINY_SHAPE(x->m, x->n), 1000);
  return tiny_remainder_scalar(i, 5);
}
OF_A(to_f64, tiny_cast(a, TINY_F64))
OF_A(transpose, tiny_contiguous(tiny_transpose(a, 0, 1)))
OF_AB(cat_columns, tiny_cat(((tiny_tensor *[]){a, b}), 2, 1))
OF_A(flip, tiny_contiguous(tiny_flip(a, TINY_SHAPE(1))))
OF_A(pad, tiny_contiguous(tiny_pad(a, TINY_SHAPE(1, 2, 3, 1), 0.5)))
OF_A(cumsum, tiny_cumsum(a, 1))
OF_A(cumsum_down, tiny_cumsum(a, 0))
OF_A(sort, tiny_sort(tiny_flatten(a, 0, -1), 0, 0, NULL))
OF_A(topk, tiny_topk(tiny_flatten(a, 0, -1), 10, 0, 1, NULL))
OF_A(embedding, tiny_embedding(indices(x, TINY_SHAPE(x->m), x->m), a, -1))
OF_A(gather, tiny_gather(a, 1, indices(x, TINY_SHAPE(x->m, x->n), x->n)))
OF_AB(scatter_add, tiny_scatter_add(b, 1, indices(x, TINY_SHAPE(x->m, x->n), x->n), a))
OF_A(cross_entropy, tiny_cross_entropy(a, indices(x, TINY_SHAPE(x->m), x->n), NULL))
static tiny_tensor *r_attention(row_inputs *x) {
  const tiny_shape s = TINY_SHAPE(2, x->m, x->n);
  return tiny_attention(fresh(x, s), fresh(x, s), fresh(x, s), NULL);
}
static tiny_tensor *r_causal(row_inputs *x) {
  const tiny_shape s = TINY_SHAPE(2, x->m, x->n);
  const tiny_attention_desc d = {.causal = 1};
  return tiny_attention(fresh(x, s), fresh(x, s), fresh(x, s), &d);
}
static tiny_tensor *r_attention_f16(row_inputs *x) {
  const tiny_shape s = TINY_SHAPE(2, x->m, x->n);
  return tiny_attention(as(x, s, 2, TINY_F16), as(x, s, 2, TINY_F16), as(x, s, 2, TINY_F16), NULL);
}
// m channels, side n
static tiny_tensor *r_conv3(row_inputs *x) {
  const tiny_conv_desc d = {.pad = {1, 1}};
  return tiny_relu(tiny_conv2d(fresh(x, TINY_SHAPE(1, x->m, x->n, x->n)),
                               fresh(x, TINY_SHAPE(x->m, x->m, 3, 3)), NULL, &d));
}
static tiny_tensor *r_conv1(row_inputs *x) {
  return tiny_conv2d(fresh(x, TINY_SHAPE(1, x->m, x->n, x->n)),
                     fresh(x, TINY_SHAPE(x->m, x->m, 1, 1)), NULL, NULL);
}
static tiny_tensor *r_depthwise(row_inputs *x) {
  const tiny_conv_desc d = {.pad = {1, 1}, .groups = (int)x->m};
  return tiny_conv2d(fresh(x, TINY_SHAPE(1, x->m, x->n, x->n)),
                     fresh(x, TINY_SHAPE(x->m, 1, 3, 3)), NULL, &d);
}
static tiny_tensor *r_max_pool(row_inputs *x) {
  return tiny_max_pool2d(fresh(x, TINY_SHAPE(1, x->m, x->n, x->n)), 3, 2, 1);
}
static tiny_tensor *r_batch_norm(row_inputs *x) {
  tiny_batch_norm_state s = {.mean = NULL};
  return tiny_batch_norm(fresh(x, TINY_SHAPE(4, x->m, x->n, x->n)), &s, 1);
}
OF_A(cholesky,
     tiny_cholesky(tiny_add(tiny_matmul(a, tiny_transpose(a, 0, 1)), tiny_eye(x->t, x->m, TINY_F32)), 0))
static tiny_tensor *r_product(row_inputs *x, tiny_dtype in, tiny_dtype out) {
  tiny_tensor *a = as(x, TINY_SHAPE(x->m, x->n), in == TINY_I8 ? 200 : 2, in);
  tiny_tensor *c = as(x, TINY_SHAPE(x->n, x->m), in == TINY_I8 ? 200 : 2, in);
  return tiny_matmul(in == out ? a : tiny_cast(a, out), in == out ? c : tiny_cast(c, out));
}
ROW(matmul_f64, r_product(x, TINY_F64, TINY_F64))
ROW(matmul_i8, r_product(x, TINY_I8, TINY_I32))
ROW(matmul_f16, r_product(x, TINY_F16, TINY_F16))
ROW(matmul_bf16, r_product(x, TINY_BF16, TINY_BF16))
ROW(scale_f16, tiny_add_scalar(tiny_mul_scalar(as(x, TINY_SHAPE(x->m, x->n), 2, TINY_F16), 2), 1))
ROW(softmax_f16, tiny_softmax(as(x, TINY_SHAPE(x->m, x->n), 2, TINY_F16), -1))
ROW(transpose_f16, tiny_contiguous(tiny_transpose(as(x, TINY_SHAPE(x->m, x->n), 2, TINY_F16), 0, 1)))
ROW(f16_to_f32, tiny_cast(as(x, TINY_SHAPE(x->m, x->n), 2, TINY_F16), TINY_F32))
ROW(f32_to_f16, tiny_cast(a_of(x), TINY_F16))

static const struct {
  const char *name; tiny_tensor *(*make)(row_inputs *x); int64_t m, n;
  int product;                             // -1: shown, but not counted: which pages memory has counts for more
} rows_raced[] = {
  {"matmul f32", r_matmul, 64, 64, 1}, {"matmul f32", r_matmul, 128, 128, 1}, {"matmul f32", r_matmul, 256, 256, 1},
  {"matmul f32", r_matmul, 512, 512, 1}, {"matmul f32", r_matmul, 333, 333, 1}, {"matmul f32", r_matmul, 16, 768, 1},
  {"matmul f32", r_matmul, 1, 1024, 1}, {"linear", r_linear, 256, 256, 1},
  {"matmul f64", r_matmul_f64, 128, 128, 1}, {"matmul f64", r_matmul_f64, 384, 384, 1},
  {"matmul i8", r_matmul_i8, 128, 128, 1}, {"matmul i8", r_matmul_i8, 512, 512, 1},
  {"matmul f16", r_matmul_f16, 256, 256, 1}, {"matmul bf16", r_matmul_bf16, 256, 256, 1},
  {"conv 3x3", r_conv3, 64, 28, 0}, {"conv 1x1", r_conv1, 128, 14, 0}, {"depthwise 3x3", r_depthwise, 64, 28, 0},
  {"max pool", r_max_pool, 32, 56, 0}, {"batch norm", r_batch_norm, 16, 28, 0},
  {"attention", r_attention, 256, 64, 0}, {"attention, causal", r_causal, 256, 64, 0},
  {"softmax", r_softmax, 256, 256, 0}, {"softmax", r_softmax, 4096, 64, 0},
  {"log_softmax", r_log_softmax, 256, 256, 0},
  {"layer_norm", r_layer_norm, 128, 768, 0}, {"cross_entropy", r_cross_entropy, 256, 256, 0},
  {"gelu", r_gelu, 128, 768, 0}, {"gelu_tanh", r_gelu_tanh, 128, 768, 0},
  {"sum", r_sum, 256, 256, 0}, {"sum of rows", r_sum_rows, 256, 256, 0}, {"sum down", r_sum_down, 256, 256, 0},
  {"max of rows", r_max_rows, 256, 256, 0}, {"argmax of rows", r_argmax, 256, 256, 0},
  {"argmax down", r_argmax_down, 256, 256, 0}, {"mean of squares", r_var, 256, 256, 0},
  {"x * 2 + 1", r_scale, 256, 256, 0}, {"x * 2 + z", r_triad, 256, 256, 0}, {"chain", r_chain, 256, 256, 0},
  {"x * 2 + 1, 64 MiB", r_scale, 4096, 4096, -1},
  {"x * 2 + 1 of f16", r_scale_f16, 1024, 1024, 0}, {"f16 to f32", r_f16_to_f32, 256, 256, 0},
  {"f32 to f16", r_f32_to_f16, 256, 256, 0}, {"attention of f16", r_attention_f16, 256, 64, 0},
  {"softmax of f16", r_softmax_f16, 256, 256, 0}, {"transpose of f16", r_transpose_f16, 512, 512, 0},
  {"exp", r_exp, 256, 256, 0}, {"log", r_log, 256, 256, 0}, {"sin", r_sin, 256, 256, 0}, {"tanh", r_tanh, 256, 256, 0},
  {"where", r_where, 256, 256, 0}, {"i * i + 7", r_int_add, 256, 256, 0}, {"i mod 5", r_int_mod, 256, 256, 0},
  {"f32 to f64", r_to_f64, 256, 256, 0}, {"transpose", r_transpose, 512, 512, 0},
  {"concat of columns", r_cat_columns, 256, 256, 0}, {"flip", r_flip, 256, 256, 0}, {"pad", r_pad, 256, 256, 0},
  {"cumsum along", r_cumsum, 256, 256, 0}, {"cumsum down", r_cumsum_down, 256, 256, 0},
  {"sort", r_sort, 64, 256, 0}, {"topk", r_topk, 64, 256, 0}, {"embedding", r_embedding, 1024, 256, 0},
  {"gather", r_gather, 256, 256, 0}, {"scatter_add", r_scatter_add, 64, 64, 0}, {"cholesky", r_cholesky, 64, 64, 0},
};
enum { ROWS_RACED = sizeof rows_raced / sizeof *rows_raced };

// ** the race **

static const char *device = "CPU";
static tiny_ctx *open_with(const char *compiler) {
  return tiny_open(&(tiny_desc){.device = device, .cache_dir = "", .threads = 1, .compiler = compiler});
}
static void row_program(tiny_ctx *t, int which, int built_in, program *p, row_inputs *x) {
  *x = (row_inputs){.t = t, .m = rows_raced[which].m, .n = rows_raced[which].n};
  tiny_tensor *y = rows_raced[which].make(x), *one = tiny_neg(x->in[0]);
  tiny_realize(&one, 1);                   // the device knows its compiler, and takes no other renderer
  if (built_in) t->device[0]->renderer.kernel = timed_kernel;
  *p = (program){t, tiny_capture(t, x->in, x->nin, &y, 1), x->in};
}
static double race_row(int which, char *note, size_t nbytes) {
  tiny_ctx *t[2] = {open_with("builtin"), open_with(getenv("TINY_CC") ? getenv("TINY_CC") : "clang")};
  program p[2];
  row_inputs x[2];
  racer r[2] = {{.name = "built in", .run = program_run, .arg = &p[0]},
                {.name = "clang", .run = program_run, .arg = &p[1]}};
  double got = (double)NAN;
  const int before = refused;
  for (int i = 0; i < 2; i++) row_program(t[i], which, !i, &p[i], &x[i]);
  if (!failed(t[0]) && !failed(t[1])) {
    race(r, 2, 1);
    got = ratio(&r[0].rate, &r[1].rate);
    snprintf(note, nbytes, "%.4f of %.4f ms%s", 1e3 / median(&r[0].rate), 1e3 / median(&r[1].rate),
             refused > before ? "; refused" : "");
  }
  for (int i = 0; i < 2; i++) tiny_close(t[i]);
  return got;
}

static double made_us(const made *m) { return m->us[0] + m->us[1] + m->us[2] + m->us[3]; }
static int made_longest(const void *a, const void *b) {
  const double x = made_us((const made *)a), y = made_us((const made *)b);
  return x < y ? 1 : x > y ? -1 : 0;
}
static void report_times(void) {
  if (!nmade) return;
  qsort(kernels_made, (size_t)nmade, sizeof *kernels_made, made_longest);
  for (int i = 0; verbose && i < nmade; i++) {
    const made *m = &kernels_made[i];
    printf("  %-28s %5d nodes %6d bytes %8.1f us: %.1f selection, %.1f registers, %.1f bytes, %.1f loading\n", m->name,
           m->n, (int)m->nbytes, made_us(m), m->us[0], m->us[1], m->us[2], m->us[3]);
  }
  size_t all = 0;
  for (int i = 0; i < nmade; i++) all += kernels_made[i].nbytes;
  printf("%d kernels built in, %d refused; list to code: median %.3f ms, worst %.3f ms (%s); %.1f KiB of code each\n",
         nmade, refused, made_us(&kernels_made[nmade / 2]) * 1e-3, made_us(kernels_made) * 1e-3, kernels_made->name,
         (double)all / nmade / 1024);
}

int main(int argc, char **argv) {
  mean all = {0, 0}, products = {0, 0};
  double worst = HUGE_VAL;
  char name[64], note[100], worst_name[64] = "", as[64];
  budget = 1;
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "-q")) { rounds = 5; budget = 0.3; }
    else if (!strcmp(argv[i], "-v")) verbose = 1;
    else if (!strcmp(argv[i], "-k") && i + 1 < argc) only = argv[++i];
    else if (!strcmp(argv[i], "-l") && i + 1 < argc) { snprintf(as, sizeof as, "CPU:%s", argv[++i]); device = as; }
  }
  for (int i = 0; i < ROWS_RACED; i++) {
    const int before = refused;
    snprintf(name, sizeof name, "%s %d x %d", rows_raced[i].name, (int)rows_raced[i].m, (int)rows_raced[i].n);
    if (!wanted(name)) continue;
    row_name = name;
    const double got = race_row(i, note, sizeof note);
    if (got != got) continue;
    const double bar = rows_raced[i].product > 0 ? 0.97 : 0.8;
    printf("  %-30s %6.3f  %-5s  %s\n", name, got, refused > before ? "-" : got >= bar ? "ok" : "SHORT", note);
    fflush(stdout);
    if (refused > before || rows_raced[i].product < 0) continue;
    mean_add(&all, got);
    if (rows_raced[i].product) mean_add(&products, got);
    if (got < worst) { worst = got; snprintf(worst_name, sizeof worst_name, "%s", name); }
  }
  if (all.n) printf("built in : clang, geometric mean of %d rows %.3f, worst %.3f (%s)", all.n,
                    exp(all.logs / all.n), worst, worst_name);
  if (products.n) printf("; of %d products %.3f", products.n, exp(products.logs / products.n));
  printf("\n%s", reasons);
  report_times();
  return 0;
}
