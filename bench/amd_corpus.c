// amd_corpus: kernels for AMD's GPUs by the generator of src/isa/amd_generate.c beside what clang -O3 makes of our own
// HIP C, both run and counted by the tests' emulator: instructions that waves issue, estimated cycles, registers.
//   build/bench/amd_corpus [-v] [-d] [-q] [-k TEXT] [-c CLASS] [--llvm] [GPU..]     gfx1100 gfx1201 gfx942
// -v: each kernel; -d: its instructions, too, and their bytes; -q: clang's column is left out; -k: cases with TEXT in
// their names; -c: cases of a class (bench/amd_corpus.h: "rows"); --llvm: llvm-objdump reads the code objects, which
// are left in build/amd-corpus, and says whether it knows each instruction
//
// A case is a program of tensors, of which all kernels count that its result takes. Flags of both renderers differ, and
// so may kernels; where both have one of a name, -v shows them beside each other. Results are compared with the CPU's,
// and with each other, bit for bit. What clang makes is kept in build/amd-objects.
// instructions: that waves issue; work: those but waits, s_delay_alu, s_nop; cycles: the emulator's estimate
// (tests/amd_time.c). VGPRs: as many as a kernel is given, SGPRs: as it touches, of its kernels the most; waves: what
// a SIMD holds of the kernel, by registers and LDS, the fewest; scratch: bytes of an item. Time: clang's as a process,
// from HIP C to the object; our own from the list to the code object, the least of five.
#define _GNU_SOURCE
#include "../src/all.c"
#include "../tests/amd_device.h"
#include <math.h>
#include <time.h>
#include "amd_corpus.h"

enum { OWN, CLANG, COLUMNS, GPUS = 3, MOST_KERNELS = 64, MOST_TIMES = 4096, TIMES = 5 };
static const char *const compilers[COLUMNS] = {"own", "clang"};
static const char *const gpus[GPUS] = {"gfx1100", "gfx1201", "gfx942"};

// A kernel that was loaded. at: what find returned; work: instructions but waits, delays and what does nothing
typedef struct counted {
  char name[100]; const void *at; amd_module *module; int launches;
  uint64_t instructions, work, cycles, conflicts; int vgprs, sgprs, waves; uint32_t scratch, lds; amd_report last;
} counted;
// A case by one compiler for one GPU. conflicts: cycles of LDS
typedef struct column {
  counted kernel[MOST_KERNELS]; int n, done, launches, unknown, known;
  uint64_t instructions, work, cycles, conflicts; int vgprs, sgprs, waves; uint32_t scratch;
  char error[300]; unsigned char *bytes; size_t nbytes; double apart;
} column;
static column columns[CASES][GPUS][COLUMNS];
typedef struct times { double ms[MOST_TIMES]; int n; } times;
static times took[GPUS][COLUMNS];

static int verbose, disassembles, asks_llvm, only_own;
static const char *only, *only_class;
// What is running.
static column *to;
static int counting, case_now, gpu_now, compiler_now;

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
static void took_ms(double ms) {
  times *t = &took[gpu_now][compiler_now];
  if (t->n < MOST_TIMES) t->ms[t->n++] = ms;
}
static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

// ** what a kernel is given **

static const tn_amd_chip *chip_named(const char *name) {
  for (int i = 0; i < TN_AMD_CHIPS; i++) if (!strcmp(tn_amd_chips[i].name, name)) return &tn_amd_chips[i];
  return NULL;
}
static int rounded_up(int n, int each) { return (n + each - 1) / each * each; }
static int given_vgprs(const amd_dispatch *d) { return (int)((d->rsrc1 & 63) + 1) * 8; }
static int waves_held(const tn_amd_chip *c, const amd_dispatch *d) {
  const int items = (int)(d->group[0] * d->group[1] * d->group[2]), waves = rounded_up(items, c->wave) / c->wave;
  const int by_registers = c->vgprs / rounded_up(given_vgprs(d), c->granule);
  int most = by_registers < c->waves ? by_registers : c->waves;
  if (d->lds_nbytes) {
    const int by_lds = (int)(c->lds / d->lds_nbytes) * waves / c->simds;
    if (by_lds < most) most = by_lds > 0 ? by_lds : 1;
  }
  return most;
}

// ** code that is looked at **

static void print_code(const counted *k, const amd_dispatch *d) {
  const int family = chip_named(gpus[gpu_now])->family;
  size_t nbytes = 0;
  const uint64_t at = amd_find_sized(&k->module->object, k->name, &nbytes);
  const uint32_t *words = (const uint32_t *)(uintptr_t)(at ? at : d->entry);
  printf("%s, %s, %s: %s, %d bytes\n", cases[case_now].name, gpus[gpu_now], compilers[compiler_now], k->name,
         (int)nbytes);
  for (size_t i = 0; i < nbytes / 4;) {
    tn_amd_ins ins;
    char text[200] = "?";
    memset(&ins, 0, sizeof ins);
    const int n = tn_amd_decode(family, words + i, (int)(nbytes / 4 - i), &ins);
    if (n) tn_amd_print(&ins, text, sizeof text);
    printf("  %05x  %-70s ", (unsigned)(4 * i), text);
    for (int j = 0; j < (n ? n : 1); j++) printf(" %08x", words[i + (size_t)j]);
    printf("\n");
    i += (size_t)(n ? n : 1);
  }
}
// llvm-objdump's lines that are instructions, and those that are bytes alone.
static void count_known(column *c, const char *text) {
  for (const char *line = text, *end; line && *line; line = end ? end + 1 : NULL) {
    end = strchr(line, '\n');
    const char *words = strstr(line, "//");
    if (*line != '\t' || !words || (end && words > end)) continue;
    const int n = (int)(words - line), zeros = !strncmp(line, "\t...", 4);
    const char *bytes = strstr(line, ".long"), *no = strstr(line, "<unknown>");
    if (zeros) continue;
    if ((bytes && bytes < line + n) || (no && no < line + n)) c->unknown++;
    else c->known++;
  }
}
static void ask_llvm(column *c, tiny_ctx *t, const counted *k) {
  char path[400], folder[] = "build/amd-corpus";
  const char *const argv[] = {"/usr/bin/env", "llvm-objdump-19", "-d", path, NULL};
  tn_job job;
  mkdir(folder, 0777);
  snprintf(path, sizeof path, "%s/%s-%s-%.100s.o", folder, gpus[gpu_now], compilers[compiler_now], k->name);
  FILE *f = fopen(path, "wb");
  if (!f) return;
  fwrite(k->module->object.file.data, 1, k->module->object.file.n, f);
  fclose(f);
  memset(&job, 0, sizeof job);
  job.argv = argv; job.most = (size_t)1 << 28;
  tn_process_run(t, &job, 1, 1);
  if (job.exit_code || !job.out.data) { c->unknown++; fprintf(stderr, "llvm-objdump-19 refuses %s\n", path); return; }
  count_known(c, job.out.data);
}

// ** the device: amd_device.h, which tells what it runs **

static counted *counted_at(const void *kernel) {
  for (int i = to->n; i-- > 0;) if (to->kernel[i].at == kernel) return &to->kernel[i];
  return NULL;
}
static void count_launch(void *user, const void *kernel, const amd_dispatch *d, const amd_report *r) {
  counted *k = counting ? counted_at(kernel) : NULL;
  if (!k) return;
  if (!k->launches++) {
    k->vgprs = given_vgprs(d); k->sgprs = r->sgprs; k->scratch = d->scratch_nbytes; k->lds = d->lds_nbytes;
    k->waves = waves_held(chip_named(gpus[gpu_now]), d);
    if (disassembles) print_code(k, d);
    if (asks_llvm) ask_llvm(to, (tiny_ctx *)user, k);
  }
  if (r->sgprs > k->sgprs) k->sgprs = r->sgprs;
  k->instructions += r->instructions; k->cycles += r->cycles; k->conflicts += r->lds_conflicts;
  k->work += r->instructions - r->issued[AMD_WAIT] - r->issued[AMD_OTHER];
  k->last = *r;
}
static void *corpus_open(tiny_ctx *t, const char *which, tiny_limits *limits) {
  setenv("TEST_AMD", gpus[gpu_now], 1);
  setenv("TEST_AMD_COMPILER", compilers[compiler_now], 1);
  amd_device *d = (amd_device *)amd_open(t, which, limits);
  if (d) { d->ran = count_launch; d->user = t; }
  return d;
}
static void *corpus_find(void *dev, void *module, const char *kernel) {
  void *at = amd_find_kernel(dev, module, kernel);
  if (!at || to->n == MOST_KERNELS) return at;
  counted *k = &to->kernel[to->n++];
  memset(k, 0, sizeof *k);
  snprintf(k->name, sizeof k->name, "%s", kernel);
  k->at = at; k->module = (amd_module *)module;
  return at;
}
// Milliseconds are kept beside what was compiled.
static double clang_ms(const char *path, double now) {
  char name[420];
  double ms = now;
  snprintf(name, sizeof name, "%s.ms", path);
  FILE *f = fopen(name, now < 0 ? "r" : "w");
  if (!f) return now;
  if (now >= 0) fprintf(f, "%.3f\n", now);
  else if (fscanf(f, "%lf", &ms) != 1) ms = -1;
  fclose(f);
  return ms;
}
static tiny_code corpus_compile(void *dev, int n, const tiny_bytes *source, tiny_bytes *binary, tiny_bytes *log) {
  tiny_code code = TINY_OK;
  if (((amd_device *)dev)->own) return amd_compile_all(dev, n, source, binary, log);
  for (int k = 0; k < n && code == TINY_OK; k++) {
    char path[400];
    amd_cached_path((amd_device *)dev, &source[k], path, sizeof path);
    const int there = !access(path, R_OK);
    const double start = seconds();
    code = amd_compile_all(dev, 1, &source[k], &binary[k], log);
    const double ms = clang_ms(path, there ? -1 : 1e3 * (seconds() - start));
    if (ms >= 0) took_ms(ms);
  }
  return code;
}

// Our own renderer, timed: from the list to the object of one kernel alone.
static tiny_code (*own_kernel)(tiny_ctx *t, const tiny_renderer *r, const tiny_listing *k, tiny_bytes *out,
                               uint64_t *uses);
static tiny_code timed_kernel(tiny_ctx *t, const tiny_renderer *r, const tiny_listing *k, tiny_bytes *out,
                              uint64_t *uses) {
  double best = HUGE_VAL;
  for (int i = 0; i < TIMES && counting; i++) {
    tiny_bytes one = {t, NULL, 0, 0}, object = {t, NULL, 0, 0};
    uint64_t used = 0;
    const double start = seconds();
    if (own_kernel(t, r, k, &one, &used) != TINY_OK) return tiny_status(t);
    const tiny_rendered rendered = {one.data, one.n, used};
    if (r->module && r->module(t, r, &rendered, 1, &object) != TINY_OK) return tiny_status(t);
    best = fmin(best, 1e3 * (seconds() - start));
  }
  if (counting) took_ms(best);
  return own_kernel(t, r, k, out, uses);
}
static void corpus_renderer(void *dev, tiny_renderer *r) {
  amd_renderer(dev, r);
  if (((amd_device *)dev)->own && r->kernel) { own_kernel = r->kernel; r->kernel = timed_kernel; }
}
static tiny_ctx *corpus_ctx(int on_cpu) {
  static tiny_backend emulated;
  tiny_desc d;
  memset(&d, 0, sizeof d);
  emulated = amd_backend;
  emulated.name = "EMULATED"; emulated.open = corpus_open; emulated.renderer = corpus_renderer;
  emulated.compile = corpus_compile; emulated.find = corpus_find;
  d.device = on_cpu ? "CPU" : "EMULATED"; d.cache_dir = ""; d.threads = 1; d.backends[0] = &emulated;
  if (on_cpu) d.compiler = "builtin";
  return tiny_open(&d);
}

// ** a case **

static int is_narrow(tiny_dtype d) { return tiny_dtype_nbytes(d) < 4 && d >= TINY_F8E4M3; }
// The result in bytes, computed once more for the CPU.
static unsigned char *result_of(tiny_ctx *t, tiny_dtype *dtype, size_t *nbytes, char error[300]) {
  case_inputs x;
  memset(&x, 0, sizeof x);
  x.t = t; x.m = cases[case_now].m; x.n = cases[case_now].n;
  tiny_tensor *y = cases[case_now].make(&x);
  *dtype = tiny_dtype_of(y);
  *nbytes = (size_t)tiny_nelem_of(y) * tiny_dtype_nbytes(*dtype);
  unsigned char *bytes = (unsigned char *)malloc(*nbytes + 1);
  counting = 1;
  if (bytes && tiny_status(t) == TINY_OK) tiny_read(y, bytes, *nbytes);
  counting = 0;
  if (tiny_status(t) != TINY_OK) snprintf(error, 300, "%s", tiny_error(t));
  tiny_optim_free(&x.optim);
  return bytes;
}
static double value_at(tiny_dtype d, const unsigned char *bytes, size_t i) {
  const int64_t k = tn_dtype_load(d, bytes + i * tiny_dtype_nbytes(d));
  return d >= TINY_F8E4M3 ? tn_to_f64(k) : (double)k;
}
// The largest difference, over the largest value: results of other orders of summing differ.
static double apart(tiny_dtype d, const unsigned char *a, const unsigned char *b, size_t nbytes) {
  double most = 0, scale = 0;
  for (size_t i = 0; i < nbytes / tiny_dtype_nbytes(d); i++) {
    const double x = value_at(d, a, i), y = value_at(d, b, i);
    if (x != x || y != y ? (x == x) != (y == y) : isinf(x) || isinf(y) ? x != y : 0) return HUGE_VAL;
    if (x != x || isinf(x)) continue;
    scale = fmax(scale, fabs(y));
    most = fmax(most, fabs(x - y));
  }
  return scale > 0 ? most / scale : most;
}
static void add_up(column *c) {
  c->waves = 99;
  for (int i = 0; i < c->n; i++) {
    const counted *k = &c->kernel[i];
    if (!k->launches) continue;
    c->launches += k->launches; c->instructions += k->instructions; c->work += k->work; c->cycles += k->cycles;
    c->conflicts += k->conflicts;
    if (k->vgprs > c->vgprs) c->vgprs = k->vgprs;
    if (k->sgprs > c->sgprs) c->sgprs = k->sgprs;
    if (k->waves < c->waves) c->waves = k->waves;
    if (k->scratch > c->scratch) c->scratch = k->scratch;
  }
}
static void run_column(const unsigned char *expected, tiny_dtype dtype, size_t nbytes) {
  tiny_dtype got;
  to = &columns[case_now][gpu_now][compiler_now];
  tiny_ctx *t = corpus_ctx(0);
  to->done = 1;
  to->bytes = result_of(t, &got, &to->nbytes, to->error);
  const double allowed = dtype < TINY_F8E4M3 ? 0 : is_narrow(dtype) ? 0.02 : 1e-4;
  if (!*to->error && (got != dtype || to->nbytes != nbytes)) snprintf(to->error, 300, "its result has another type");
  if (!*to->error && expected) to->apart = apart(dtype, to->bytes, expected, nbytes);
  if (!*to->error && to->apart > allowed) snprintf(to->error, 300, "its result is %g from the CPU's", to->apart);
  add_up(to);
  tiny_close(t);
}
static double over(uint64_t a, uint64_t b) { return b ? (double)a / (double)b : (double)NAN; }
static void print_kernel(const counted *k, const counted *other, int c) {
  printf("%-24s %s %-5s %-34s %8llu instructions %8llu cycles %3d VGPRs %3d SGPRs %2d waves %4u scratch %6u LDS",
         cases[case_now].name, gpus[gpu_now], compilers[c], k->name, (unsigned long long)k->instructions,
         (unsigned long long)k->cycles, k->vgprs, k->sgprs, k->waves, k->scratch, k->lds);
  if (k->conflicts) printf(" %llu conflicts", (unsigned long long)k->conflicts);
  if (k->launches > 1) printf(" %d times", k->launches);
  if (other) printf("  %.3f of clang's, work %.3f, cycles %.3f", over(k->instructions, other->instructions),
                    over(k->work, other->work), over(k->cycles, other->cycles));
  printf("\n   ");
  for (int kind = 0; kind < AMD_KINDS; kind++)
    if (k->last.issued[kind]) printf(" %s %llu", amd_kind_name[kind], (unsigned long long)k->last.issued[kind]);
  printf("\n");
}
static void print_kernels(void) {
  for (int c = 0; c < COLUMNS; c++) {
    const column *x = &columns[case_now][gpu_now][c], *y = &columns[case_now][gpu_now][CLANG];
    if (x->done && *x->error) printf("%s, %s, %s: %s\n", cases[case_now].name, gpus[gpu_now], compilers[c], x->error);
    for (int i = 0; i < x->n; i++) {
      const counted *other = NULL;
      for (int j = 0; c == OWN && j < y->n; j++)
        if (y->kernel[j].launches && !strcmp(y->kernel[j].name, x->kernel[i].name)) other = &y->kernel[j];
      if (x->kernel[i].launches) print_kernel(&x->kernel[i], other, c);
    }
  }
}
static void run_case(int gpus_asked) {
  tiny_dtype dtype = TINY_F32;
  size_t nbytes = 0;
  char error[300] = "";
  to = (column *)calloc(1, sizeof *to);
  column *const unused = to;
  tiny_ctx *t = corpus_ctx(1);
  unsigned char *expected = result_of(t, &dtype, &nbytes, error);
  if (*error) fprintf(stderr, "%s, CPU: %s\n", cases[case_now].name, error);
  tiny_close(t);
  free(unused);
  for (gpu_now = 0; gpu_now < GPUS; gpu_now++) {
    if (!(gpus_asked >> gpu_now & 1)) continue;
    for (compiler_now = OWN; compiler_now < (only_own ? CLANG : COLUMNS); compiler_now++)
      run_column(expected, dtype, nbytes);
    if (verbose) print_kernels();
    fflush(stdout);
  }
  free(expected);
}

// ** tables **

static void print_side(const column *c) {
  printf(" %llu | %llu | %llu | %d | %d | %d | %u |", (unsigned long long)c->instructions, (unsigned long long)c->work,
         (unsigned long long)c->cycles, c->vgprs, c->sgprs, c->waves, c->scratch);
}
static const char *bits_of(const column *a, const column *b) {
  if (*a->error || *b->error) return "error";
  return a->nbytes == b->nbytes && !memcmp(a->bytes, b->bytes, a->nbytes) ? "same" : "apart";
}
static void print_row(int i, int gpu) {
  const column *own = &columns[i][gpu][OWN], *clang = &columns[i][gpu][CLANG];
  if (!own->done && !clang->done) return;
  printf("| %s | %d |", cases[i].name, own->done ? own->launches : clang->launches);
  if (clang->done) print_side(clang);
  if (own->done) print_side(own);
  if (own->done && clang->done)
    printf(" %.3f | %.3f | %s |", over(own->instructions, clang->instructions), over(own->cycles, clang->cycles),
           bits_of(own, clang));
  printf("\n");
}
// kind -1: all
static void print_mean(int gpu, int kind, const char *name) {
  double instructions = 0, work = 0, cycles = 0, worst[2] = {0, 0};
  int n = 0;
  for (int i = 0; i < CASES; i++) {
    const column *own = &columns[i][gpu][OWN], *clang = &columns[i][gpu][CLANG];
    if (!own->done || !clang->done || *own->error || *clang->error || (kind >= 0 && cases[i].kind != kind)) continue;
    const double a = over(own->instructions, clang->instructions), b = over(own->cycles, clang->cycles);
    instructions += log(a); work += log(over(own->work, clang->work)); cycles += log(b); n++;
    worst[0] = fmax(worst[0], a); worst[1] = fmax(worst[1], b);
  }
  if (n) printf("| %s | %d | %.3f | %.3f | %.3f | %.3f | %.3f |\n", name, n, exp(instructions / n), exp(work / n),
                exp(cycles / n), worst[0], worst[1]);
}
static void print_times(int gpu) {
  for (int c = 0; c < COLUMNS; c++) {
    times *t = &took[gpu][c];
    if (!t->n) continue;
    qsort(t->ms, (size_t)t->n, sizeof *t->ms, ascending);
    printf("%s: median %.3f ms, most %.3f, of %d.\n", c == OWN ? "From list to code object" : "clang, a module",
           t->ms[t->n / 2], t->ms[t->n - 1], t->n);
  }
}
static int print_errors(int gpu) {
  int wrong = 0;
  for (int c = 0; c < COLUMNS; c++) {
    int known = 0, unknown = 0, ran = 0;
    for (int i = 0; i < CASES; i++) {
      const column *x = &columns[i][gpu][c];
      ran += x->done; known += x->known; unknown += x->unknown;
      if (x->done && *x->error) { wrong++; printf("%s, %s: %s\n", cases[i].name, compilers[c], x->error); }
      if (x->done && x->scratch && (cases[i].kind == MATMUL || cases[i].kind == ATTENTION))
        printf("%s, %s: %u bytes of scratch\n", cases[i].name, compilers[c], x->scratch);
    }
    if (ran && asks_llvm) printf("llvm-objdump of %s: %d instructions known, %d not.\n", compilers[c], known, unknown);
    wrong += unknown;
  }
  return wrong;
}
static void print_head(int gpu, int both) {
  printf("\n## %s\n\n| | kernels |", gpus[gpu]);
  for (int c = COLUMNS - 1; c >= 0; c--) {
    if (c == CLANG && only_own) continue;
    printf(" %s: instructions | work | cycles | VGPRs | SGPRs | waves | scratch |", compilers[c]);
  }
  printf("%s\n|---|---|", both ? " / instructions | / cycles | bits |" : "");
  for (int i = 0; i < 7 * (1 + !only_own) + 3 * both; i++) printf("---|");
  printf("\n");
}
static int print_gpu(int gpu) {
  const int both = !only_own;
  print_head(gpu, both);
  for (int i = 0; i < CASES; i++) print_row(i, gpu);
  if (both) printf("\n| own over clang's, geometric means | cases | instructions | work | cycles | worst: instructions "
                   "| cycles |\n|---|---|---|---|---|---|---|\n");
  for (int k = 0; both && k < CLASSES; k++) print_mean(gpu, k, class_names[k]);
  if (both) print_mean(gpu, -1, "all");
  printf("\n");
  print_times(gpu);
  return print_errors(gpu);
}

int main(int argc, char **argv) {
  int asked = 0, wrong = 0;
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "-v")) verbose = 1;
    else if (!strcmp(argv[i], "-d")) verbose = disassembles = 1;
    else if (!strcmp(argv[i], "-q")) only_own = 1;
    else if (!strcmp(argv[i], "--llvm")) asks_llvm = 1;
    else if (!strcmp(argv[i], "-k") && i + 1 < argc) only = argv[++i];
    else if (!strcmp(argv[i], "-c") && i + 1 < argc) only_class = argv[++i];
    else for (int g = 0; g < GPUS; g++) if (!strcmp(argv[i], gpus[g])) asked |= 1 << g;
  }
  if (!asked) asked = (1 << GPUS) - 1;
  for (case_now = 0; case_now < CASES; case_now++) {
    if (only && !strstr(cases[case_now].name, only)) continue;
    if (only_class && !strstr(class_names[cases[case_now].kind], only_class)) continue;
    run_case(asked);
  }
  for (int g = 0; g < GPUS; g++) if (asked >> g & 1) wrong += print_gpu(g);
  return wrong > 0;
}
