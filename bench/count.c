// count: kernels as the heuristics make them for GPUs that are not here, run and counted (count.h).
//   build/bench/count [-v] [-a] [-t] [-p] [-k TEXT] [-w FOLDER] [TARGET..]   sm_90 and gfx1100
//   -v: each access; -a: with atomic additions (tiny_desc.atomics); -t: products of f32 by units of TF32
//   (tiny_desc.tf32); -p: where boxes are copied ahead warps beside the items do so (PRODUCER); -k: kernels whose name
//   has TEXT; -w: NVIDIA's kernels as CUDA C and PTX, too, as FOLDER/sm_90-01.cu, sm_90-01.ptx and so on, with what was
//   counted in the first line (tools/sass_count.py compiles them)
// What the columns mean stands at tn_gpu_print. "x N": a kernel that runs N times, tile by tile; its first time is
// counted.
#define _GNU_SOURCE
#include "../src/all.c"
#include "../src/render/lang_cuda.c"
#include "../src/render/ptx.c"
#include "count.h"

enum { GROUPS = 6, KERNELS = 24 };          // groups that are run of each; kernels of a graph

static tiny_tensor *zeros(tiny_ctx *t, tiny_dtype dtype, tiny_shape s) {
  void *data = calloc((size_t)tn_dims_nelem(s.ndim, s.dim), (size_t)tn_dtypes[dtype].nbytes);
  tiny_tensor *x = tiny_from(t, data, dtype, s);
  free(data);
  return x;
}
static tiny_tensor *f32(tiny_ctx *t, int64_t a, int64_t b) { return zeros(t, TINY_F32, TINY_SHAPE(a, b)); }
static tiny_tensor *copy(tiny_ctx *t) { return tiny_neg(f32(t, 2048, 2048)); }
static tiny_tensor *transposition(tiny_ctx *t) { return tiny_contiguous(tiny_transpose(f32(t, 2048, 2048), 0, 1)); }
static tiny_tensor *row_sums(tiny_ctx *t) { return tiny_sum(f32(t, 2048, 2048), 1, 0); }
static tiny_tensor *column_sums(tiny_ctx *t) { return tiny_sum(f32(t, 2048, 2048), 0, 0); }
static tiny_tensor *softmax(tiny_ctx *t) { return tiny_softmax(f32(t, 2048, 1024), -1); }
static tiny_tensor *layer_norm(tiny_ctx *t) { return tiny_layer_norm(f32(t, 2048, 1024), 1, NULL, NULL, 1e-5); }
static tiny_tensor *softmax_long(tiny_ctx *t) { return tiny_softmax(f32(t, 1024, 8192), -1); }
static tiny_tensor *softmax_odd(tiny_ctx *t) { return tiny_softmax(f32(t, 2048, 1000), -1); }
static tiny_tensor *softmax_f16(tiny_ctx *t) { return tiny_softmax(zeros(t, TINY_F16, TINY_SHAPE(2048, 4096)), -1); }
static tiny_tensor *softmax_grad(tiny_ctx *t) {
  tiny_tensor *x = f32(t, 1024, 4096), *g = x;
  tiny_grad(tiny_sum(tiny_mul(tiny_softmax(x, -1), f32(t, 1024, 4096)), TINY_ALL, 0), &x, 1, &g);
  return g;
}
static tiny_tensor *norm_long(tiny_ctx *t) { return tiny_layer_norm(f32(t, 1024, 8192), 1, NULL, NULL, 1e-5); }
static tiny_tensor *norm_f16(tiny_ctx *t) {
  return tiny_rms_norm(zeros(t, TINY_F16, TINY_SHAPE(2048, 4096)), 1, zeros(t, TINY_F16, TINY_SHAPE(4096)), 1e-5);
}
static tiny_tensor *spread_long(tiny_ctx *t) { return tiny_var(f32(t, 1024, 8192), 1, 0, 1); }
static tiny_tensor *log_long(tiny_ctx *t) { return tiny_logsumexp(f32(t, 1024, 8192), 1, 0); }
static tiny_tensor *entropy_long(tiny_ctx *t) {
  return tiny_cross_entropy(f32(t, 1024, 8192), zeros(t, TINY_I32, TINY_SHAPE(1024)), NULL);
}
static tiny_tensor *log_sum(tiny_ctx *t) { return tiny_logsumexp(f32(t, 2048, 1024), 1, 0); }
static tiny_tensor *product(tiny_ctx *t, tiny_dtype d, int64_t n) {
  return tiny_matmul(zeros(t, d, TINY_SHAPE(n, n)), zeros(t, d, TINY_SHAPE(n, n)));
}
static tiny_tensor *matmul(tiny_ctx *t) { return product(t, TINY_F32, 1024); }
static tiny_tensor *matmul_large(tiny_ctx *t) { return product(t, TINY_F32, 4096); }
static tiny_tensor *matmul_1100(tiny_ctx *t) { return product(t, TINY_F32, 1100); }
static tiny_tensor *matmul_1536(tiny_ctx *t) { return product(t, TINY_F32, 1536); }
static tiny_tensor *matmul_2304(tiny_ctx *t) { return product(t, TINY_F32, 2304); }
static tiny_tensor *matmul_768(tiny_ctx *t) { return product(t, TINY_F32, 768); }
static tiny_tensor *matmul_odd(tiny_ctx *t) { return product(t, TINY_F32, 777); }
static tiny_tensor *matmul_f16_768(tiny_ctx *t) { return product(t, TINY_F16, 768); }
static tiny_tensor *matmul_f16_odd(tiny_ctx *t) { return product(t, TINY_F16, 777); }
static tiny_tensor *matmul_f16_1100(tiny_ctx *t) { return product(t, TINY_F16, 1100); }
static tiny_tensor *matmul_bf16_odd(tiny_ctx *t) { return product(t, TINY_BF16, 777); }
static tiny_tensor *matmul_bf16_1100(tiny_ctx *t) { return product(t, TINY_BF16, 1100); }
static tiny_tensor *matmul_f16(tiny_ctx *t) { return product(t, TINY_F16, 1024); }
static tiny_tensor *matmul_f16_large(tiny_ctx *t) { return product(t, TINY_F16, 4096); }
static tiny_tensor *matmul_f16_huge(tiny_ctx *t) { return product(t, TINY_F16, 8192); }
static tiny_tensor *matmul_bf16(tiny_ctx *t) { return product(t, TINY_BF16, 1024); }
static tiny_tensor *matmul_deep(tiny_ctx *t) { return tiny_matmul(f32(t, 64, 16384), f32(t, 16384, 64)); }
static tiny_tensor *matmul_1664(tiny_ctx *t) { return product(t, TINY_F32, 1664); }
static tiny_tensor *matmul_f16_deep(tiny_ctx *t) {
  return tiny_matmul(zeros(t, TINY_F16, TINY_SHAPE(1152, 16384)), zeros(t, TINY_F16, TINY_SHAPE(16384, 1152)));
}
static tiny_tensor *matmul_prime(tiny_ctx *t) { return tiny_matmul(f32(t, 64, 16381), f32(t, 16381, 64)); }
// Of 8192 tokens into rows of 256. Memory is zeros: all go to one row, as they do at worst.
static tiny_tensor *embedding_grad(tiny_ctx *t) {
  tiny_tensor *w = f32(t, 4096, 256), *ids = zeros(t, TINY_I32, TINY_SHAPE(8192)), *g, *y = tiny_embedding(ids, w, -1);
  return tiny_grad(tiny_sum(tiny_mul(y, f32(t, 8192, 256)), TINY_ALL, 0), &w, 1, &g) == TINY_OK ? g : y;
}
static tiny_tensor *counts(tiny_ctx *t) { return tiny_bincount(zeros(t, TINY_I32, TINY_SHAPE(1 << 18)), NULL, 4096); }
static tiny_tensor *weighed_counts(tiny_ctx *t) {
  return tiny_bincount(zeros(t, TINY_I32, TINY_SHAPE(1 << 18)), zeros(t, TINY_F32, TINY_SHAPE(1 << 18)), 4096);
}
static tiny_tensor *scattered(tiny_ctx *t) {               // along the first axis: 16384 rows of 64 into 1000
  return tiny_scatter_add(f32(t, 1000, 64), 0, zeros(t, TINY_I32, TINY_SHAPE(16384, 64)), f32(t, 16384, 64));
}
static tiny_tensor *rows_added(tiny_ctx *t) {
  return tiny_index_add(f32(t, 50257, 768), 0, zeros(t, TINY_I32, TINY_SHAPE(4096)), f32(t, 4096, 768));
}
static tiny_tensor *sum(tiny_ctx *t) { return tiny_sum(f32(t, 2048, 2048), TINY_ALL, 0); }
static tiny_tensor *linear_f16(tiny_ctx *t) {
  tiny_tensor *x = zeros(t, TINY_F16, TINY_SHAPE(1024, 1024)), *w = zeros(t, TINY_F16, TINY_SHAPE(1024, 1024));
  return tiny_matmul(x, tiny_transpose(w, 0, 1));
}
static tiny_tensor *matmul_i8(tiny_ctx *t) {
  tiny_tensor *x = zeros(t, TINY_I8, TINY_SHAPE(1024, 1024));
  return tiny_matmul(tiny_cast(x, TINY_I32), tiny_transpose(tiny_cast(x, TINY_I32), 0, 1));
}
static tiny_tensor *conv(tiny_ctx *t) {
  tiny_tensor *x = zeros(t, TINY_F32, TINY_SHAPE(8, 64, 56, 56)), *w = zeros(t, TINY_F32, TINY_SHAPE(64, 64, 3, 3));
  return tiny_conv2d(x, w, NULL, NULL);
}
static tiny_tensor *conv_odd(tiny_ctx *t) {
  tiny_tensor *x = zeros(t, TINY_F32, TINY_SHAPE(8, 61, 55, 55)), *w = zeros(t, TINY_F32, TINY_SHAPE(67, 61, 3, 3));
  return tiny_conv2d(x, w, NULL, NULL);
}
static tiny_tensor *heads_odd(tiny_ctx *t) { return zeros(t, TINY_F16, TINY_SHAPE(2, 8, 500, 64)); }
static tiny_tensor *attention_odd(tiny_ctx *t) {
  return tiny_attention(heads_odd(t), heads_odd(t), heads_odd(t), NULL);
}
static tiny_tensor *heads(tiny_ctx *t) { return zeros(t, TINY_F16, TINY_SHAPE(2, 8, 512, 64)); }
static tiny_tensor *attention(tiny_ctx *t) { return tiny_attention(heads(t), heads(t), heads(t), NULL); }
static tiny_tensor *attention_grad(tiny_ctx *t) {          // all three gradients, added up
  tiny_tensor *in[3] = {heads(t), heads(t), heads(t)}, *g[3], *y = tiny_attention(in[0], in[1], in[2], NULL);
  if (tiny_grad(tiny_sum(tiny_square(y), TINY_ALL, 0), in, 3, g) != TINY_OK) return y;
  return tiny_add(tiny_add(g[0], g[1]), g[2]);
}
// The same of f32.
static tiny_tensor *attention_f32(tiny_ctx *t) {
  const tiny_shape s = TINY_SHAPE(2, 8, 512, 64);
  return tiny_attention(zeros(t, TINY_F32, s), zeros(t, TINY_F32, s), zeros(t, TINY_F32, s), NULL);
}
static tiny_tensor *attention_grad_f32(tiny_ctx *t) {
  const tiny_shape s = TINY_SHAPE(2, 8, 512, 64);
  tiny_tensor *in[3] = {zeros(t, TINY_F32, s), zeros(t, TINY_F32, s), zeros(t, TINY_F32, s)}, *g[3],
              *y = tiny_attention(in[0], in[1], in[2], NULL);
  if (tiny_grad(tiny_sum(tiny_square(y), TINY_ALL, 0), in, 3, g) != TINY_OK) return y;
  return tiny_add(tiny_add(g[0], g[1]), g[2]);
}
// Of a long row, causal: half of the scores are masked. Of f16 and, for heads of 128, of bf16.
static tiny_tensor *causal_of(tiny_ctx *t, tiny_dtype d, tiny_shape s, int gradients) {
  const tiny_attention_desc causal = {.causal = 1};
  tiny_tensor *in[3] = {zeros(t, d, s), zeros(t, d, s), zeros(t, d, s)}, *g[3],
              *y = tiny_attention(in[0], in[1], in[2], &causal);
  if (!gradients || tiny_grad(tiny_sum(tiny_square(y), TINY_ALL, 0), in, 3, g) != TINY_OK) return y;
  return tiny_add(tiny_add(g[0], g[1]), g[2]);
}
// Of eight heads of queries that share two of keys and values.
static tiny_tensor *shared_grad(tiny_ctx *t) {
  tiny_tensor *q = heads(t), *k = zeros(t, TINY_F16, TINY_SHAPE(2, 2, 512, 64)), *in[3] = {q, k, tiny_detach(k)}, *g[3],
              *y = tiny_attention(in[0], in[1], in[2], NULL);
  if (tiny_grad(tiny_sum(tiny_square(y), TINY_ALL, 0), in, 3, g) != TINY_OK) return y;
  return tiny_cat((tiny_tensor *[]){g[0], g[1], g[2]}, 3, 1);
}
static tiny_tensor *causal(tiny_ctx *t) { return causal_of(t, TINY_F16, TINY_SHAPE(2, 8, 2048, 64), 0); }
static tiny_tensor *causal_grad(tiny_ctx *t) { return causal_of(t, TINY_F16, TINY_SHAPE(2, 8, 2048, 64), 1); }
static tiny_tensor *causal_grad_f32(tiny_ctx *t) { return causal_of(t, TINY_F32, TINY_SHAPE(2, 8, 2048, 64), 1); }
static tiny_tensor *causal_bf16(tiny_ctx *t) { return causal_of(t, TINY_BF16, TINY_SHAPE(1, 8, 4096, 128), 0); }
static const struct { const char *name; tiny_tensor *(*make)(tiny_ctx *t); } subjects[] = {
  {"copy 2048", copy}, {"transpose 2048", transposition}, {"sum of rows 2048", row_sums},
  {"sum of columns 2048", column_sums}, {"softmax 2048x1024", softmax}, {"layer_norm 2048x1024", layer_norm},
  {"logsumexp 2048x1024", log_sum}, {"softmax 1024x8192", softmax_long}, {"softmax 2048x1000", softmax_odd},
  {"softmax f16 2048x4096", softmax_f16}, {"softmax's gradient", softmax_grad}, {"layer_norm 1024x8192", norm_long},
  {"rms_norm f16 2048x4096", norm_f16}, {"variance 1024x8192", spread_long}, {"logsumexp 1024x8192", log_long},
  {"entropy 1024x8192", entropy_long},
  {"matmul 1024", matmul}, {"matmul 4096", matmul_large}, {"matmul 768", matmul_768}, {"matmul 777", matmul_odd},
  {"matmul 1100", matmul_1100}, {"matmul 1536", matmul_1536}, {"matmul 1664", matmul_1664},
  {"matmul 2304", matmul_2304},
  {"matmul f16 1024", matmul_f16}, {"matmul f16 4096", matmul_f16_large}, {"matmul f16 8192", matmul_f16_huge},
  {"matmul f16 768", matmul_f16_768}, {"matmul f16 777", matmul_f16_odd}, {"matmul f16 1100", matmul_f16_1100},
  {"matmul bf16 777", matmul_bf16_odd}, {"matmul bf16 1100", matmul_bf16_1100},
  {"matmul bf16 1024", matmul_bf16}, {"x @ w.T f16 1024", linear_f16}, {"x @ x.T i8 1024", matmul_i8},
  {"matmul 64x16384x64", matmul_deep}, {"matmul 64x16381x64", matmul_prime}, {"f16 1152x16384x1152", matmul_f16_deep},
  {"sum 2048x2048", sum},
  {"embedding gradient", embedding_grad}, {"bincount", counts}, {"bincount of weights", weighed_counts},
  {"scatter_add 16384x64", scattered}, {"index_add 50257x768", rows_added}, {"conv 3x3 64 56x56", conv},
  {"conv 3x3 61 55x55", conv_odd}, {"attention 500x64", attention_odd},
  {"attention 512x64", attention},
  {"gradients 512x64", attention_grad}, {"shared grad 512x64", shared_grad}, {"causal 2048x64", causal},
  {"causal grad 2048x64", causal_grad},
  {"causal bf16 4096x128", causal_bf16}, {"f32 attn 512x64", attention_f32}, {"f32 grad 512x64", attention_grad_f32},
  {"f32 causal grad", causal_grad_f32}};

// What is asked for; written: files in the folder.
typedef struct options { const char *only, *folder; int verbose, atomics, tf32, producer, written; } options;
typedef struct subject { const char *name; const tn_gpu *gpu; tiny_uop *root; options *o; } subject;

// How kernels of a GPU are written for it: languages, by the ends of files' names. 0: not in this one.
static const char *const languages[] = {"cu", "ptx"};
static int write_target(const char *language, const char *name, tiny_limits *limits, tiny_renderer *renderer) {
  memset(renderer, 0, sizeof *renderer);
  if (strncmp(name, "sm_", 3) || !tn_gpu_limits(name, limits)) return 0;
  limits->dtypes = TN_CUDA_ARITHMETIC;
  if (!strcmp(language, "ptx")) return tn_lang_ptx(renderer, name);
  tn_lang_cuda(renderer, (int)tn_digits_value(name + 3, 10, NULL));
  tn_cstyle(renderer);
  return 1;
}

// As the heuristics have it, and what the options add.
static tiny_code lowered(tiny_ctx *t, const subject *x, tiny_uop *ast, const tn_target *target, tn_lowered *low) {
  tn_kernel_state *s = (tn_kernel_state *)tn_scratch(t, sizeof *s);
  memset(low, 0, sizeof *low);
  t->ir->serial = TN_PIPELINE_SERIAL;
  if (!x->o->producer) return tn_pipeline_run(t, ast, target, NULL, 0, low);
  tn_state_open(s, t, tn_prepare(t, ast, target), target);
  tn_optimize(s);
  tn_do_plain(s, TN_OPT_PRODUCER);
  t->ir->serial = TN_PIPELINE_SERIAL;
  return tn_pipeline_run(t, ast, target, &s->done, 0, low);
}

// A module of one kernel, lowered once more for this language, into a file of its own. 1: it is there, or not wanted.
static int write_kernel(tiny_ctx *t, const subject *x, const char *language, const char *name, const tn_kernel *from,
                        const tn_gpu_counts *n) {
  tiny_limits limits;
  tiny_renderer r;
  tn_lowered low;
  tiny_bytes text = {t, NULL, 0, 0}, kernel = {t, NULL, 0, 0};
  uint64_t uses = 0;
  char path[512];
  if (!x->o->folder || !write_target(language, x->gpu->name, &limits, &r)) return 1;
  limits.tf32 = x->o->tf32;
  const tn_target target = {&r, &limits};
  if (lowered(t, x, from->ast, &target, &low) != TINY_OK) return 0;
  const tiny_listing k = {"counted", low.list, low.n, low.hints, low.local, low.local_nbytes};
  if (r.kernel(t, &r, &k, &kernel, &uses) != TINY_OK) return 0;
  const tiny_rendered rendered = {kernel.data, kernel.n, uses};
  tn_gpu_line(&text, "// %s; %d registers and %.1f %% of the busiest loop computing, as counted\n", name,
              n->registers + n->spilled, tn_gpu_computing(n));
  if (r.module(t, &r, &rendered, 1, &text) != TINY_OK) return 0;
  snprintf(path, sizeof path, "%s/%s-%02d.%s", x->o->folder, x->gpu->name, x->o->written, language);
  FILE *f = fopen(path, "w");
  const int wrote = f && fwrite(text.data, 1, text.n, f) == text.n;
  if (!f || fclose(f) || !wrote) { printf("%s cannot be written\n", path); return 0; }
  return 1;
}
static int write_languages(tiny_ctx *t, const subject *x, const char *name, const tn_kernel *from,
                           const tn_gpu_counts *n) {
  int wrote = 1;
  x->o->written++;
  for (size_t i = 0; i < sizeof languages / sizeof *languages && wrote; i++)
    wrote = write_kernel(t, x, languages[i], name, from, n);
  return wrote;
}

static tiny_code count_kernel(tiny_ctx *t, const subject *x, const char *name, const tn_kernel *kernel,
                              const tn_lowered *low, tiny_bytes *text) {
  tiny_mem mem[64];
  int64_t args[64] = {0};                  // of iterations the first
  tiny_launch l;
  tn_gpu_counts counts;
  memset(&l, 0, sizeof l); memset(mem, 0, sizeof mem);
  memcpy(l.global, low->global, sizeof l.global); memcpy(l.local, low->local, sizeof l.local);
  l.mem = mem; l.args = args; l.nargs = kernel->narg;
  for (int i = 0; i < kernel->narg && i < 64; i++)
    if (kernel->arg[i]->op == TINY_OP_SCALAR) tn_dtype_store(kernel->arg[i]->dtype, &args[i], kernel->arg[i]->k);
  for (int i = 0; i < low->n; i++) if (low->list[i]->op == TINY_OP_PARAM && low->list[i]->k < 64) {
    const tiny_uop *u = low->list[i];
    mem[u->k].base = calloc((size_t)u->v[0] + 1, (size_t)tn_dtypes[u->dtype].nbytes);
    if (u->k >= l.nmem) l.nmem = (int)u->k + 1;
  }
  tiny_bytes accesses = {t, NULL, 0, 0};
  const tiny_code code = tn_gpu_count(t, low->list, low->n, x->gpu, &l, GROUPS, &counts,
                                      x->o->verbose ? &accesses : NULL);
  for (int m = 0; m < l.nmem; m++) free(mem[m].base);
  if (code != TINY_OK) return code;
  tn_gpu_print(text, name, &counts);
  if (!write_languages(t, x, name, kernel, &counts)) return TINY_E_IO;
  if (accesses.n) tiny_bytes_add(text, accesses.data, accesses.n);
  return TINY_OK;
}

static tiny_code count_kernels(tiny_ctx *t, void *arg) {
  const subject *x = (const subject *)arg;
  tiny_limits limits;
  tn_visit v;
  tn_draft d;
  const tn_kernel **kernels;
  tn_targets targets;
  tiny_uop *root = x->root;
  while (root->op == TINY_OP_RESHAPE) root = root->src[0];
  memset(&v, 0, sizeof v); memset(&targets, 0, sizeof targets);
  if (!tn_gpu_limits(x->gpu->name, &limits)) return TINY_E_ARG;
  limits.tf32 = x->o->tf32;
  limits.atomics = x->o->atomics ? ~(uint64_t)0 : tn_exact_atomics(~(uint64_t)0);
  targets.limits[0] = &limits; targets.n = 1;
  tn_visit_graph(t, &v, &root, 1);
  if (tn_draft_plan(t, &targets, &v, &root, 1, &d, &kernels) != TINY_OK) return t->code;
  const tn_target target = {NULL, &limits};
  for (int i = 0; i < d.plan.nstep && i < KERNELS; i++) {
    tn_lowered low;
    char name[64];
    tiny_bytes text = {t, NULL, 0, 0};
    const long long times = (long long)tn_step_times(&d.plan, &d.plan.step[i]);
    if (times > 1) snprintf(name, sizeof name, "%.12s, %d, x %lld", x->name, i + 1, times);
    else if (d.plan.nstep > 1) snprintf(name, sizeof name, "%.16s, %d", x->name, i + 1);
    else snprintf(name, sizeof name, "%s", x->name);
    if (lowered(t, x, kernels[i]->ast, &target, &low) != TINY_OK) return t->code;
    if (count_kernel(t, x, name, kernels[i], &low, &text) != TINY_OK) return t->code;
    fputs(text.data, stdout);
    fflush(stdout);
  }
  return TINY_OK;
}

static int count_subject(int i, const tn_gpu *gpu, options *o) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "INTERP"; d.cache_dir = "";
  tiny_ctx *t = tiny_open(&d);
  tiny_tensor *y = subjects[i].make(t);
  subject x = {subjects[i].name, gpu, tn_uop_of(y), o};
  const int wrong = tiny_error(t)[0] || tn_guard(t, count_kernels, &x) != TINY_OK;
  if (wrong) printf("%-22s %s\n", x.name, tiny_error(t));
  tiny_close(t);
  return wrong;
}

static int count_target(const char *name, options *o) {
  const tn_gpu *gpu = tn_gpu_named(name);
  int wrong = 0;
  o->written = 0;
  if (!gpu) {
    printf("no GPU %s; there are:", name);
    for (int i = 0; i < TN_GPUS; i++) printf(" %s", tn_gpus[i].name);
    puts("");
    return 1;
  }
  tiny_ctx *t = tiny_open(NULL);
  tiny_bytes head = {t, NULL, 0, 0};
  tn_gpu_print_head(&head);
  printf("%s, %s: %d units, %.0f GB/s, %.0f TFLOP/s of matrices\n%s", gpu->name, gpu->card, gpu->units,
         gpu->memory_gbps, gpu->matrix * gpu->units * gpu->clock_ghz * 1e-3, head.data);
  tiny_close(t);
  for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++)
    if (!o->only || strstr(subjects[i].name, o->only)) wrong += count_subject((int)i, gpu, o);
  return wrong;
}

// Runs each target that is named, or else both of these.
static int each_target(int argc, char **argv, int (*run)(const char *name, options *o), const char *first,
                       const char *second) {
  options o = {NULL, NULL, 0, 0, 0, 0, 0};
  int targets = 0, wrong = 0;
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "-v")) o.verbose = 1;
    else if (!strcmp(argv[i], "-a")) o.atomics = 1;
    else if (!strcmp(argv[i], "-t")) o.tf32 = 1;
    else if (!strcmp(argv[i], "-p")) o.producer = 1;
    else if (!strcmp(argv[i], "-k") && i + 1 < argc) o.only = argv[++i];
    else if (!strcmp(argv[i], "-w") && i + 1 < argc) o.folder = argv[++i];
    else { wrong += run(argv[i], &o); targets++; }
  }
  if (!targets) wrong = run(first, &o) + run(second, &o);
  return wrong != 0;
}
#ifndef BENCH_COUNT_PART                    // bench/lowering.c lowers the same kernels
int main(int argc, char **argv) { return each_target(argc, argv, count_target, "sm_90", "gfx1100"); }
#endif
