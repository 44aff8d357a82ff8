// accelerator: a device of your own in one file, as the maker of new hardware would write it.
//   cc -std=c11 -I. examples/accelerator.c -o accelerator -lm -lpthread -ldl
//
// The TOY has memory that the host cannot point into, one core that runs work groups one after the other, and
// in each group up to 64 work items that share memory and meet at barriers. Its language looks like C and
// spells things its own way. All that tiny.h has to know stands below: a language, limits and 14 functions.
// Real hardware would replace its memory (1), its compiler (2) and its queue (3). Here the host plays them.
#define _XOPEN_SOURCE 700
#define TINY_IMPLEMENTATION
#include "tiny.h"
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

enum { MEMORY = 64 << 20, PAGE = 256, BLOCKS = 1024, ITEMS = 64, STACK = 64 << 10, STACKS = ITEMS * STACK };

// ** the language: what the renderer has to write **

static void toy_renderer(void *dev, tiny_renderer *r) {
  static const char *const prelude[] = {"#include <toy>", NULL};
  static const char *const types[TINY_DTYPE_COUNT] = {
    [TINY_BOOL] = "flag", [TINY_I8] = "int8", [TINY_U8] = "uint8", [TINY_I16] = "int16", [TINY_U16] = "uint16",
    [TINY_I32] = "int32", [TINY_U32] = "uint32", [TINY_I64] = "int64", [TINY_U64] = "uint64", [TINY_F32] = "real32",
    [TINY_F64] = "real64"
  };
  static const struct { int op; const char *format; } ops[] = {          // other functions are decomposed
    {TINY_OP_ADD, "%0 + %1"}, {TINY_OP_SUB, "%0 - %1"}, {TINY_OP_MUL, "%0 * %1"}, {TINY_OP_FDIV, "%0 / %1"},
    {TINY_OP_CDIV, "%0 / %1"}, {TINY_OP_CMOD, "%0 %% %1"}, {TINY_OP_NEG, "-%0"}, {TINY_OP_AND, "%0 & %1"},
    {TINY_OP_OR, "%0 | %1"}, {TINY_OP_XOR, "%0 ^ %1"}, {TINY_OP_SHL, "%0 << %1"}, {TINY_OP_SHR, "%0 >> %1"},
    {TINY_OP_LT, "%0 < %1"}, {TINY_OP_NE, "%0 != %1"}, {TINY_OP_EQ, "%0 == %1"}, {TINY_OP_CAST, "as(%t, %0)"},
    {TINY_OP_WHERE, "select(%0, %1, %2)"}, {TINY_OP_BITCAST, "bits_as(%s, %t, %0)"}, {TINY_OP_LOAD, "%0"},
    {TINY_OP_STORE, "%0 = %1"}, {TINY_OP_SQRT, "root%b(%0)"}, {TINY_OP_TRUNC, "whole%b(%0)"},
    {TINY_OP_EXP2, "power%b(%0)"}
  };
  tiny_language *out = &r->language;
  (void)dev;
  r->name = "TOY"; r->file = "toy";
  out->prelude = prelude;
  out->kernel = "kernel(%n) {";
  out->open_buffer = "%t *%n = buffer(%k);";
  out->open_scalar = "%t %n = constant(%t, %k);";
  out->local = "shared %t %n[%d];";
  out->barrier = "meet();";
  out->global_id = "as(%t, group(%d))"; out->local_id = "as(%t, item(%d))";
  out->address = "%0[%1]";
  out->infinity = "as(%t, INFINITE)"; out->nan = "as(%t, NOT_A_NUMBER)";
  memcpy(out->types, types, sizeof types);
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) out->ops[ops[i].op] = ops[i].format;
}

// ** the device **

typedef struct item {                      // a work item as its program sees it, and where it stands
  char *memory; const uintptr_t *address; const int64_t *constant;
  int64_t group[3], item[3];
  void (*meet)(struct item *self);
  void (*program)(struct item *self); int done; ucontext_t here, *core;
} item;
typedef struct block { size_t at, nbytes; } block;
typedef struct toy {
  tiny_ctx *t;
  char *memory, *stacks;
  block live[BLOCKS]; int nlive;           // in order of address
  item items[ITEMS]; ucontext_t core;
} toy;

static void toy_close(void *dev) {
  toy *d = dev;
  if (d->memory) tiny_realloc(d->t, d->memory, MEMORY, 0);                 // memory comes from tiny_desc.alloc
  if (d->stacks) tiny_realloc(d->t, d->stacks, STACKS, 0);
  tiny_realloc(d->t, d, sizeof *d, 0);
}
static void *toy_open(tiny_ctx *t, const char *which, tiny_limits *limits) {
  toy *d = tiny_realloc(t, NULL, 0, sizeof *d);
  (void)which;
  if (!d) return NULL;                     // the library says that the device could not be opened
  memset(d, 0, sizeof *d);
  d->t = t;
  d->memory = tiny_realloc(t, NULL, 0, MEMORY); d->stacks = tiny_realloc(t, NULL, 0, STACKS);
  if (!d->memory || !d->stacks) { toy_close(d); return NULL; }
  limits->shared_nbytes = 16 << 10;
  limits->local_total = ITEMS;
  for (int i = 0; i < 3; i++) limits->local_max[i] = ITEMS;
  return d;
}
static const char *toy_target(void *dev) { (void)dev; return "toy 1"; }   // programs are kept under this name

// ** its memory: addresses that mean nothing to the host. (1) **

static void *toy_alloc(void *dev, size_t nbytes) {
  toy *d = dev;
  size_t at = PAGE;                        // 0 is no address
  int i = 0;
  nbytes = (nbytes + PAGE - 1) / PAGE * PAGE;
  for (; i < d->nlive && d->live[i].at - at < nbytes; i++) at = d->live[i].at + d->live[i].nbytes;
  if (d->nlive == BLOCKS || nbytes > MEMORY || at > MEMORY - nbytes) return NULL;
  memmove(d->live + i + 1, d->live + i, (size_t)(d->nlive++ - i) * sizeof *d->live);
  d->live[i] = (block){at, nbytes};
  return (void *)at;
}
static void toy_free(void *dev, void *mem, size_t nbytes) {
  toy *d = dev;
  int i = 0;
  (void)nbytes;
  while (d->live[i].at != (size_t)mem) i++;
  memmove(d->live + i, d->live + i + 1, (size_t)(--d->nlive - i) * sizeof *d->live);
}
static tiny_code toy_copy_in(void *dev, tiny_mem dst, const void *src, size_t nbytes) {
  memcpy(((toy *)dev)->memory + (uintptr_t)dst.base + dst.offset, src, nbytes);
  return TINY_OK;
}
static tiny_code toy_copy_out(void *dev, void *dst, tiny_mem src, size_t nbytes) {
  memcpy(dst, ((toy *)dev)->memory + (uintptr_t)src.base + src.offset, nbytes);
  return TINY_OK;
}

// ** its compiler: the words of the language in C, and the system's cc. A binary is a shared object. (2) **

static const char toy_words[] =
  "typedef _Bool flag; typedef signed char int8; typedef unsigned char uint8; typedef short int16;\n"
  "typedef unsigned short uint16; typedef int int32; typedef unsigned uint32; typedef long int64;\n"
  "typedef unsigned long uint64; typedef float real32; typedef double real64;\n"
  "struct item { char *memory; const uint64 *address; const int64 *constant; int64 group[3], item[3];\n"
  "              void (*meet)(struct item *self); };\n"
  "#define kernel(name) void name(struct item *self)\n#define group(dim) self->group[dim]\n"
  "#define item(dim) self->item[dim]\n#define buffer(slot) (void *)(self->memory + self->address[slot])\n"
  "#define constant(type, slot) *(const type *)(self->constant + slot)\n"
  "#define meet() self->meet(self)\n#define shared static\n"              // as one group runs at a time
  "#define select(condition, yes, no) ((condition) ? (yes) : (no))\n"
  "#define as(type, x) (type)(x)\n"
  "#define bits_as(from, to, x) ({ union { from f; to t; } u; u.f = (x); u.t; })\n"
  "#define root32 __builtin_sqrtf\n#define root64 __builtin_sqrt\n#define whole32 __builtin_truncf\n"
  "#define whole64 __builtin_trunc\n#define power32 __builtin_exp2f\n#define power64 __builtin_exp2\n"
  "#define INFINITE __builtin_inf()\n#define NOT_A_NUMBER __builtin_nan(\"\")\n";

static tiny_code toy_compile_one(toy *d, const char *text, tiny_bytes *binary) {
  static const char format[] = "cc -O2 -w -fwrapv -fno-strict-aliasing -shared -fPIC -x c - -o %s -lm";
  char path[] = "/tmp/toy-XXXXXX", command[256], piece[4096];
  const int file = mkstemp(path);
  if (file < 0 || close(file)) return tiny_fail(d->t, TINY_E_IO, "TOY: %s cannot be made", path);
  snprintf(command, sizeof command, format, path);
  FILE *cc = popen(command, "w");
  if (cc) fprintf(cc, "%s%s", toy_words, strchr(text, '\n'));        // the first line includes <toy>
  if (!cc || pclose(cc)) tiny_fail(d->t, TINY_E_COMPILE, "TOY: '%s' failed", command);
  FILE *object = fopen(path, "rb");
  for (size_t n = 1; object && n; tiny_bytes_add(binary, piece, n)) n = fread(piece, 1, sizeof piece, object);
  if (object) fclose(object);
  remove(path);
  return tiny_status(d->t);
}
static tiny_code toy_compile(void *dev, int n, const tiny_bytes *text, tiny_bytes *binary, tiny_bytes *log) {
  (void)log;
  tiny_code code = TINY_OK;
  tiny_log_line(((toy *)dev)->t, 'p', "TOY: compiling %d modules", n);     // only when TINY_DEBUG asks for it
  for (int i = 0; i < n && code == TINY_OK; i++) code = toy_compile_one(dev, text[i].data, &binary[i]);
  return code;
}
static void *toy_load(void *dev, const void *binary, size_t nbytes) {
  char path[] = "/tmp/toy-XXXXXX";
  const int file = mkstemp(path);
  (void)dev;
  if (file < 0) return NULL;
  void *module = write(file, binary, nbytes) == (ssize_t)nbytes ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
  close(file);
  remove(path);
  return module;
}
static void toy_unload(void *dev, void *module) { (void)dev; dlclose(module); }
static void *toy_find(void *dev, void *module, const char *name) { (void)dev; return dlsym(module, name); }

// ** its queue: the items of a group run in turn until they meet or end, again until all have ended. (3) **

static void item_meet(item *self) { swapcontext(&self->here, self->core); }
static void item_main(unsigned high, unsigned low) {         // makecontext passes ints
  item *self = (item *)((uintptr_t)high << 16 << 16 | low);
  self->program(self);
  self->done = 1;
}
static void toy_group(toy *d, int n) {
  for (int i = 0; i < n; i++) {
    item *x = &d->items[i];
    getcontext(&x->here);
    x->here.uc_stack.ss_sp = d->stacks + (size_t)i * STACK;
    x->here.uc_stack.ss_size = STACK;
    x->here.uc_link = x->core = &d->core;
    x->done = 0;
    const unsigned low = (unsigned)(uintptr_t)x, high = (unsigned)((uintptr_t)x >> 16 >> 16);
    makecontext(&x->here, (void (*)(void))item_main, 2, high, low);
  }
  for (int left = n; left; ) {
    left = 0;
    for (int i = 0; i < n; i++) {
      if (!d->items[i].done) swapcontext(&d->core, &d->items[i].here);
      left += !d->items[i].done;
    }
  }
}
static void place(int64_t n, const int64_t size[3], int64_t at[3]) {    // where number n of a grid stands
  at[0] = n % size[0]; at[1] = n / size[0] % size[1]; at[2] = n / size[0] / size[1];
}
static tiny_code toy_launch(void *dev, const tiny_launch *l) {
  toy *d = dev;
  uintptr_t address[64];
  const int64_t n = l->local[0] * l->local[1] * l->local[2];
  if (l->nmem > 64 || n > ITEMS)
    return tiny_fail(d->t, TINY_E_DEVICE, "TOY: %d buffers, %d items are too many", l->nmem, (int)n);
  for (int i = 0; i < l->nmem; i++) address[i] = (uintptr_t)l->mem[i].base + l->mem[i].offset;
  for (int64_t g = 0; g < l->global[0] * l->global[1] * l->global[2]; g++) {
    for (int64_t i = 0; i < n; i++) {
      item *x = &d->items[i];
      memset(x, 0, offsetof(item, here));
      x->memory = d->memory; x->address = address; x->constant = l->args; x->meet = item_meet;
      memcpy(&x->program, &l->kernel, sizeof l->kernel);
      place(g, l->global, x->group);
      place(i, l->local, x->item);
    }
    toy_group(d, (int)n);
  }
  return TINY_OK;
}
static tiny_code toy_sync(void *dev) { (void)dev; return TINY_OK; }    // launches return when all has run

static const tiny_backend toy_backend = {
  .version = TINY_BACKEND_VERSION, .name = "TOY", .open = toy_open, .close = toy_close, .target = toy_target, .renderer = toy_renderer,
  .alloc = toy_alloc, .free = toy_free, .copy_in = toy_copy_in, .copy_out = toy_copy_out,
  .compile = toy_compile, .load = toy_load, .unload = toy_unload, .find = toy_find,
  .launch = toy_launch, .sync = toy_sync
};

// ** the same program on two devices **

enum { ROWS = 96, INNER = 128, COLUMNS = 80 };

// Row-wise softmax(x @ w), and the largest of all values after it, which every item of a group takes part in.
static int run(const char *device, float *out) {
  tiny_ctx *t = tiny_open(&(tiny_desc){.device = device, .backends = {&toy_backend}});
  tiny_tensor *x = tiny_rand(t, TINY_SHAPE(ROWS, INNER)), *w = tiny_randn(t, TINY_SHAPE(INNER, COLUMNS));
  tiny_tensor *y = tiny_softmax(tiny_matmul(x, w), -1);
  tiny_read(y, out, ROWS * COLUMNS * sizeof *out);
  out[ROWS * COLUMNS] = (float)tiny_item(tiny_amax(y, TINY_ALL, 0));
  const int ok = tiny_status(t) == TINY_OK;
  if (!ok) printf("%s: %s\n", device, tiny_error(t));
  else printf("%-4s %d kernels, largest of %d values %.6f\n", device, (int)tiny_stats_of(t).kernels,
              ROWS * COLUMNS, out[ROWS * COLUMNS]);
  tiny_close(t);
  return ok;
}

int main(void) {
  static float toy[ROWS * COLUMNS + 1], cpu[ROWS * COLUMNS + 1];
  double most = 0;
  if (!run("TOY", toy) || !run("CPU", cpu)) return 1;
  for (int i = 0; i <= ROWS * COLUMNS; i++) most = fmax(most, fabs((double)toy[i] - cpu[i]));
  printf("largest difference %.2g\n", most);
  return most > 1e-5;
}
