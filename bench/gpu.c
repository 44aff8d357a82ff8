// gpu: what kernels reach on an NVIDIA GPU, beside what it is compared with in the same run: cuMemcpy, cuBLAS, and
// PyTorch by bench/torch_gpu.py. bench/gpu.sh builds it, runs it and keeps the report.
//   gpu [-s N]     sizes divided by N, for a trial on a device that is slow
#define _GNU_SOURCE
#define TINY_IMPLEMENTATION
#include "tiny.h"
#include "tiny_cuda.h"
#include <dlfcn.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
extern char **environ;
#include "measure.c"
#include "transformer.c"

enum { PASSES = 4, CHAIN = 256 };          // launches of a program between two waits; kernels of the chain
static int64_t smaller = 1;

static int went_wrong(tiny_ctx *t, const char *what) {
  if (tiny_status(t) == TINY_OK) return 0;
  printf("  %-38s LEFT OUT: %s\n", what, tiny_error(t));
  tiny_clear(t);
  return 1;
}

// ** a captured program, PASSES times **

typedef struct job { tiny_ctx *t; tiny_program *p; tiny_tensor *in[3]; int n; } job;
static double job_run(void *arg) {
  const job *j = arg;
  tiny_tensor *out[4];
  const double start = seconds();
  for (int i = 0; i < PASSES; i++) {
    if (tiny_run(j->p, j->in, out) != TINY_OK) return HUGE_VAL;
    tiny_free(out[0]);
  }
  return tiny_sync(j->t) == TINY_OK ? (seconds() - start) / PASSES : HUGE_VAL;
}
static int job_make(job *j, tiny_tensor *y) {
  j->p = tiny_capture(j->t, j->in, j->n, &y, 1);
  return j->p != NULL;
}
static void job_drop(job *j) {
  tiny_program_free(j->p);
  for (int i = 0; i < 3; i++) tiny_free(j->in[i]);
  memset(j->in, 0, sizeof j->in);
}

// ** the driver and cuBLAS, in the same context of the GPU **

// cublas_api.h of CUDA 11 to 13; library_types.h: cudaDataType
enum { BLAS_F32 = 0, BLAS_F16 = 2, BLAS_BF16 = 14, BLAS_COMPUTE_F32 = 68, BLAS_COMPUTE_TF32 = 77, BLAS_NONE = 0 };
static struct peer {
  tn_cuda_driver cu; void *ctx, *stream, *blas, *library;
  int (*create)(void **out), (*set_stream)(void *blas, void *stream);
  int (*gemm)(void *blas, int ta, int tb, int m, int n, int k, const void *alpha, const void *a, int ta_type, int lda,
              const void *b, int tb_type, int ldb, const void *beta, void *c, int tc_type, int ldc, int compute,
              int algo);
} peer;
static void peer_symbol(void *to, const char *name) {
  void *const found = tn_library_symbol(peer.library, name);
  memcpy(to, &found, sizeof found);
}
static int peer_open(tiny_ctx *t) {
  static const char *const names[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11", NULL};
  if (tn_cuda_driver_open(t, &peer.cu) || peer.cu.init(0) || peer.cu.primary_retain(&peer.ctx, 0) ||
      peer.cu.ctx_push(peer.ctx) || peer.cu.stream_new(&peer.stream, TN_CU_NON_BLOCKING)) return 0;
  peer.library = tn_library_open(names);
  if (peer.library) {
    peer_symbol(&peer.create, "cublasCreate_v2");
    peer_symbol(&peer.set_stream, "cublasSetStream_v2");
    peer_symbol(&peer.gemm, "cublasGemmEx");
  }
  if (!peer.gemm || !peer.create || peer.create(&peer.blas) || peer.set_stream(peer.blas, peer.stream))
    peer.blas = NULL;
  if (!peer.blas)
    printf("  cuBLAS is not there (libcublas.so.13, .12 or .11 in LD_LIBRARY_PATH): matmuls have no peer\n");
  return 1;
}
typedef struct peer_job { tn_cu_ptr a, b, c; size_t nbytes; int n, dtype, compute; } peer_job;
static double peer_copy(void *arg) {
  const peer_job *j = arg;
  const double start = seconds();
  for (int i = 0; i < PASSES; i++)
    if (peer.cu.copy_peer(j->c, peer.ctx, j->a, peer.ctx, j->nbytes, peer.stream)) return HUGE_VAL;
  return peer.cu.stream_sync(peer.stream) ? HUGE_VAL : (seconds() - start) / PASSES;
}
static double peer_gemm(void *arg) {
  const peer_job *j = arg;
  const float one = 1, zero = 0;
  const double start = seconds();
  for (int i = 0; i < PASSES; i++)
    if (peer.gemm(peer.blas, BLAS_NONE, BLAS_NONE, j->n, j->n, j->n, &one, (void *)(uintptr_t)j->a, j->dtype, j->n,
                  (void *)(uintptr_t)j->b, j->dtype, j->n, &zero, (void *)(uintptr_t)j->c, j->dtype, j->n,
                  j->compute, -1))
      return HUGE_VAL;
  return peer.cu.stream_sync(peer.stream) ? HUGE_VAL : (seconds() - start) / PASSES;
}
static int peer_take(peer_job *j, size_t nbytes) {
  j->nbytes = nbytes;
  return !peer.cu.mem_alloc(&j->a, nbytes) && !peer.cu.mem_alloc(&j->b, nbytes) && !peer.cu.mem_alloc(&j->c, nbytes);
}
static void peer_drop(peer_job *j) {
  tn_cu_ptr *const all[] = {&j->a, &j->b, &j->c};
  for (int i = 0; i < 3; i++) { if (*all[i]) peer.cu.mem_free(*all[i]); *all[i] = 0; }
}

// ** sections **

static tiny_tensor *filled(tiny_ctx *t, tiny_dtype dtype, tiny_shape s) {
  tiny_tensor *x = tiny_contiguous(tiny_cast(tiny_rand(t, s), dtype));
  tiny_realize(&x, 1);
  return x;
}
static double gbps(const racer *r, double work) { (void)work; return median(&r->rate); }

// Work over memory, against the bandwidth of cuMemcpy in the same rounds.
static void memory_row(tiny_ctx *t, const char *name, tiny_tensor *x, tiny_tensor *y, double nbytes, double bar) {
  static peer_job copy;
  job j = {.t = t, .in = {x}, .n = 1};
  racer r[2] = {{.name = "tiny", .run = job_run, .arg = &j}, {.name = "cuMemcpy", .run = peer_copy, .arg = &copy}};
  const size_t half = (size_t)1 << 30;
  if (!tiny_ok(x) || !job_make(&j, y) || job_run(&j) == HUGE_VAL) {
    if (!went_wrong(t, name)) printf("  %s: left out\n", name);
    job_drop(&j);
    return;
  }
  const int beside = peer_take(&copy, half / (size_t)smaller);
  race(r, 1, nbytes * 1e-9);
  if (beside) {
    race(&r[1], 1, 2e-9 * (double)copy.nbytes);
    compare(name, &r[0].rate, &r[1].rate, bar, "%.0f of %.0f GB/s (cuMemcpy of %.0f MiB)", gbps(&r[0], 0),
            gbps(&r[1], 0), (double)copy.nbytes / (1 << 20));
  } else state(name, gbps(&r[0], 0), "GB/s", 0, 1, "no memory for cuMemcpy beside it");
  peer_drop(&copy);
  job_drop(&j);
}
static void section_memory(tiny_ctx *t) {
  const int64_t n = ((int64_t)1 << 30) / smaller, rows = 1 << 15, width = n / rows / 4;
  heading("memory: against cuMemcpy in the same run");
  tiny_tensor *x = filled(t, TINY_F32, TINY_SHAPE(n));
  memory_row(t, "sum of 4 GiB", x, tiny_sum(x, TINY_ALL, 0), 4.0 * (double)n, 0.92);
  x = filled(t, TINY_F32, TINY_SHAPE(n));
  memory_row(t, "copy of 4 GiB", x, tiny_neg(x), 8.0 * (double)n, 0.92);
  x = filled(t, TINY_F32, TINY_SHAPE(rows, width));
  memory_row(t, "softmax, 32768 rows", x, tiny_softmax(x, -1), 2.0 * 4 * (double)(rows * width), 0.88);
  x = filled(t, TINY_F32, TINY_SHAPE(rows, width));
  memory_row(t, "layer_norm, 32768 rows", x, tiny_layer_norm(x, 1, NULL, NULL, 1e-5),
             2.0 * 4 * (double)(rows * width), 0.88);
}

static void matmul_row(tiny_ctx *t, const char *dtype_name, tiny_dtype dtype, int blas, int compute, int64_t size,
                       double bar) {
  char name[64];
  const int64_t n = size / (smaller > 1 ? size / 32 : 1);
  static peer_job theirs;
  const double work = 2.0 * (double)n * (double)n * (double)n * 1e-12;
  job j = {.t = t, .in = {filled(t, dtype, TINY_SHAPE(n, n)), filled(t, dtype, TINY_SHAPE(n, n))}, .n = 2};
  racer r[2] = {{.name = "tiny", .run = job_run, .arg = &j}, {.name = "cuBLAS", .run = peer_gemm, .arg = &theirs}};
  snprintf(name, sizeof name, "matmul %s %lld : cuBLAS", dtype_name, (long long)n);
  theirs.n = (int)n; theirs.dtype = blas; theirs.compute = compute;
  if (!job_make(&j, tiny_matmul(j.in[0], j.in[1])) || job_run(&j) == HUGE_VAL) {
    went_wrong(t, name);
    job_drop(&j);
    return;
  }
  if (peer.blas && peer_take(&theirs, (size_t)(n * n) * tiny_dtype_nbytes(dtype)) && peer_gemm(&theirs) != HUGE_VAL) {
    race(r, 2, work);
    compare(name, &r[0].rate, &r[1].rate, bar, "%.1f of %.1f TFLOP/s", median(&r[0].rate), median(&r[1].rate));
  } else {
    race(r, 1, work);
    state(name, median(&r[0].rate), "TFLOP/s", 0, 1, "cuBLAS is not there");
  }
  peer_drop(&theirs);
  job_drop(&j);
}
// The first to the last but one of these kinds.
static void section_matmul(tiny_ctx *t, int first, int last) {
  static const struct { const char *name; tiny_dtype dtype; int blas, compute; double bar; } kinds[] = {
    {"f16", TINY_F16, BLAS_F16, BLAS_COMPUTE_F32, 0.6}, {"bf16", TINY_BF16, BLAS_BF16, BLAS_COMPUTE_F32, 0.6},
    {"f32", TINY_F32, BLAS_F32, BLAS_COMPUTE_F32, 0.85}, {"tf32", TINY_F32, BLAS_F32, BLAS_COMPUTE_TF32, 0.6}
  };
  heading("matmul: against cuBLAS (f32: its plain f32; tf32: its fast TF32)");
  for (int i = first; i < last; i++)
    for (int64_t size = 4096; size <= 8192; size *= 2)
      matmul_row(t, kinds[i].name, kinds[i].dtype, kinds[i].blas, kinds[i].compute, size, kinds[i].bar);
}

// What torch_gpu.py measured: "name seconds", a line each. NaN: it did not.
static double torch_seconds(const char *name) {
  char line[256], is[64];
  double s = (double)NAN, one;
  FILE *f = fopen("build/torch_gpu.txt", "r");
  while (f && fgets(line, sizeof line, f)) if (sscanf(line, "%63s %lf", is, &one) == 2 && !strcmp(is, name)) s = one;
  if (f) fclose(f);
  return s;
}
static void torch_row(const char *name, const char *theirs, double ours, double bar) {
  const double s = torch_seconds(theirs);
  if (isnan(s)) state(name, ours * 1e3, "ms", 0, 0, "PyTorch is not there, or has no GPU");
  else state(name, s / ours, "x", bar, 1, "%.3f ms; PyTorch %.3f ms", ours * 1e3, s * 1e3);
}
static void section_attention(tiny_ctx *t) {
  const int64_t window = smaller > 1 ? 32 : 4096, heads = smaller > 1 ? 2 : 16;
  const tiny_shape s = TINY_SHAPE(4, heads, window, 64);
  heading("attention: f16, causal, 4 x 16 heads x 4096 x 64, against PyTorch's own");
  job j = {.t = t, .in = {filled(t, TINY_F16, s), filled(t, TINY_F16, s), filled(t, TINY_F16, s)}, .n = 3};
  racer r = {.name = "tiny", .run = job_run, .arg = &j};
  tiny_tensor *y = tiny_attention(j.in[0], j.in[1], j.in[2], &(tiny_attention_desc){.causal = 1}), *g[3];
  if (job_make(&j, y) && job_run(&j) != HUGE_VAL) {
    race(&r, 1, 1);
    torch_row("attention forward", "attention", 1 / median(&r.rate), 0.7);
  } else went_wrong(t, "attention forward");
  tiny_program_free(j.p);
  j.p = NULL;
  y = tiny_attention(j.in[0], j.in[1], j.in[2], &(tiny_attention_desc){.causal = 1});
  if (tiny_grad(tiny_sum(tiny_cast(y, TINY_F32), TINY_ALL, 0), j.in, 3, g) == TINY_OK &&
      (j.p = tiny_capture(t, j.in, 3, g, 3)) != NULL) {
    tiny_tensor *out[3];
    series took = {{0}, 0};
    for (int i = 0; i < 10; i++) {
      const double start = seconds();
      tiny_run(j.p, j.in, out);
      for (int k = 0; k < 3; k++) tiny_free(out[k]);
      tiny_sync(t);
      if (i > 2) add(&took, seconds() - start);
    }
    if (!went_wrong(t, "attention with gradients"))
      torch_row("attention with gradients", "attention_grad", median(&took), 0.6);
  } else went_wrong(t, "attention with gradients");
  job_drop(&j);
}

// ** scatters: as they are by default, the same bits every run, and with tiny_desc.atomics **

static tiny_tensor *named(tiny_ctx *t, int64_t n, int64_t places) {          // n numbers of places
  int32_t *at = malloc((size_t)n * sizeof *at);
  uint32_t x = 1;
  for (int64_t i = 0; at && i < n; i++) {
    x = x * 1664525 + 1013904223;          // Knuth, The Art of Computer Programming 2, 3.3.4, table 1
    at[i] = (int32_t)((x >> 8) % (uint32_t)places);
  }
  tiny_tensor *y = at ? tiny_from(t, at, TINY_I32, TINY_SHAPE(n)) : tiny_zeros(t, TINY_I32, TINY_SHAPE(n));
  free(at);
  tiny_realize(&y, 1);
  return y;
}
static void scatter_row(const char *name, const char *theirs, job *j, tiny_tensor *y) {
  racer r = {.name = "tiny", .run = job_run, .arg = j};
  if (job_make(j, y) && job_run(j) != HUGE_VAL) {
    race(&r, 1, 1);
    torch_row(name, theirs, 1 / median(&r.rate), 0);
  } else went_wrong(j->t, name);
  job_drop(j);
}
// n positions, as many rows of values, and what they go to.
static job rows_job(tiny_ctx *t, int64_t n, int64_t rows, int64_t width) {
  const job j = {.t = t, .n = 3, .in = {named(t, n, rows), filled(t, TINY_F32, TINY_SHAPE(n, width)),
                                        filled(t, TINY_F32, TINY_SHAPE(rows, width))}};
  return j;
}
static void section_scatters(tiny_ctx *t, const char *how) {
  const int64_t rows = smaller > 1 ? 300 : 50257, width = smaller > 1 ? 32 : 768, n = smaller > 1 ? 256 : 8192,
                many = smaller > 1 ? 1024 : (int64_t)1 << 22;
  char name[64];
  tiny_tensor *g;
  heading("scatters: 8192 rows of 768 into 50257, 4 Mi numbers into 4096 bins, against PyTorch");
  job j = rows_job(t, n, rows, width);     // of a sum, which does not read the table itself
  j.n = 2;
  tiny_tensor *y = tiny_mul(tiny_embedding(j.in[0], j.in[2], -1), j.in[1]);
  snprintf(name, sizeof name, "embedding's gradient, %s", how);
  if (tiny_grad(tiny_sum(y, TINY_ALL, 0), &j.in[2], 1, &g) == TINY_OK) scatter_row(name, "embedding_grad", &j, g);
  else { went_wrong(t, name); job_drop(&j); }
  job k = rows_job(t, n, rows, width);
  snprintf(name, sizeof name, "index_add, %s", how);
  scatter_row(name, "index_add", &k, tiny_index_add(k.in[2], 0, k.in[0], k.in[1]));
  job b = {.t = t, .in = {named(t, many, 4096)}, .n = 1};
  snprintf(name, sizeof name, "bincount of 4096, %s", how);
  scatter_row(name, "bincount", &b, tiny_bincount(b.in[0], NULL, 4096));
}

static void section_launches(tiny_ctx *t) {
  heading("launches: a captured chain of small kernels");
  job j = {.t = t, .in = {filled(t, TINY_F32, TINY_SHAPE(64, 64))}, .n = 1};
  tiny_tensor *y = j.in[0];
  for (int i = 0; i < CHAIN / (smaller > 1 ? 16 : 1); i++)
    y = tiny_contiguous(tiny_add(tiny_permute(y, TINY_SHAPE(1, 0)), y));
  racer r = {.name = "tiny", .run = job_run, .arg = &j};
  if (!job_make(&j, y) || job_run(&j) == HUGE_VAL) { went_wrong(t, "a kernel of a captured program"); return; }
  race(&r, 1, 1);
  const int kernels = tiny_program_kernel_count(j.p);
  state("a kernel of a captured program", 1e6 / median(&r.rate) / kernels, "us", 3, 0, "%d kernels", kernels);
  job_drop(&j);
}

static void section_training(tiny_ctx *t) {
  static transformer m;
  series took = {{0}, 0};
  heading("training: a step of a transformer, 6 layers, 384 wide, batch 8 x 128, Adam, f32");
  transformer_new(&m, t);
  for (int i = 0; i < (smaller > 1 ? 1 : 20) && tiny_status(t) == TINY_OK; i++) {
    const double s = transformer_step(&m);
    if (i > 4 || smaller > 1) add(&took, s);
  }
  if (!went_wrong(t, "training step")) {
    torch_row("training step : PyTorch", "training", median(&took), 1);
    torch_row("training step : PyTorch, compiled", "training_compiled", median(&took), 1);
  }
  tiny_optim_free(&m.adam);
}

int main(int argc, char **argv) {
  if (argc == 3 && !strcmp(argv[1], "-s")) smaller = atoll(argv[2]) > 1 ? atoll(argv[2]) : 1;
  rounds = 7;
  budget = smaller > 1 ? 0 : 2;
  tiny_ctx *t = tiny_open(&(tiny_desc){.device = "CUDA", .backends = {&tiny_cuda}});
  if (tiny_status(t) != TINY_OK) { printf("%s\n", tiny_error(t)); tiny_close(t); return 1; }
  const tn_cuda *d = t->device[0]->dev;
  printf("%s, %s, %d KiB of shared memory a group%s\n", d->gpu, d->target, d->shared >> 10,
         smaller > 1 ? "; A TRIAL OF SMALL SIZES" : "");
  if (peer_open(t)) {
    section_memory(t);
    section_matmul(t, 0, 3);
    section_attention(t);
    section_scatters(t, "in order");
    section_launches(t);
    if (smaller == 1) section_training(t);
    tiny_close(t);
    t = tiny_open(&(tiny_desc){.device = "CUDA", .backends = {&tiny_cuda}, .atomics = 1, .tf32 = 1});
    section_matmul(t, 3, 4);
    section_scatters(t, "atomics");
  }
  tiny_close(t);
  if (peer.stream) peer.cu.stream_free(peer.stream);
  if (peer.ctx) { peer.cu.ctx_pop(&peer.library); peer.cu.primary_release(0); }
  return 0;
}
