// languages: a device for each language that kernels are written in: "LANG:metal31", and "LANG:metal31-lanes" where
// they are scheduled as for a CPU with vectors of 16 bytes, so that every task is a group of one item.
//
// What they write goes to the folder $TEST_LANGUAGES, if any: NAME/prelude.txt and NAME/kernels.txt (lanes.txt), each
// kernel behind a line "==== its name". Nothing runs, but on a device "..-run": there a module is a shared object that
// clang makes of the text and a header of ours, and the items of a group are fibers that meet at barriers.
#ifndef LANGUAGES_H
#define LANGUAGES_H
#include "../src/render/lang_cuda.c"
#include "../src/render/lang_metal.c"
#include "../src/render/lang_opencl.c"
#include <dlfcn.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

// items of a group, bytes that they share; dtypes: that have arithmetic; run: how a module is compiled on the host; NULL:
// it is not.
typedef struct language {
  const char *name; void (*renderer)(tiny_renderer *r); int items, shared; uint64_t dtypes; const char *run;
} language;

static void cuda_75(tiny_renderer *r) { tn_lang_cuda(r, 75); }
static void cuda_80(tiny_renderer *r) { tn_lang_cuda(r, 80); }
static void hip(tiny_renderer *r) { tn_lang_hip(r, "gfx1100"); }
static void opencl(tiny_renderer *r) { tn_lang_opencl(r, TN_OPENCL_F64 | TN_OPENCL_F16 | TN_OPENCL_I64); }
static void metal_24(tiny_renderer *r) { tn_lang_metal(r, 24); }
static void metal_31(tiny_renderer *r) { tn_lang_metal(r, 31); }

#define METAL_RUN "-x c++ -std=c++17 -w -O0 -ffp-contract=off -shared -fPIC -D__METAL_VERSION__=310 -Ibuild/metal"
static const language languages[] = {
  {"cuda75", cuda_75, 1024, 48 << 10, TN_CUDA_ARITHMETIC, NULL},
  {"cuda80", cuda_80, 1024, 48 << 10, TN_CUDA_ARITHMETIC, NULL},
  {"hip", hip, 1024, 48 << 10, TN_CUDA_ARITHMETIC, NULL},
  {"opencl", opencl, 1024, 48 << 10, TN_CUDA_ARITHMETIC, NULL},
  {"metal24", metal_24, 1024, 32 << 10, TN_METAL_ARITHMETIC, NULL},
  {"metal31", metal_31, 1024, 32 << 10, TN_METAL_ARITHMETIC, METAL_RUN},
  {"wgsl16", tn_lang_wgsl_f16, 256, 16 << 10, TN_METAL_ARITHMETIC, NULL},
  {"wgsl", tn_lang_wgsl, 256, 16 << 10, TN_METAL_ARITHMETIC, NULL}
};
enum { LANGUAGES = sizeof languages / sizeof *languages, ITEMS = 1024, STACK = 64 << 10 };

// reads: how often its memory was read.
typedef struct language_device {
  tn_null null; const language *language; int lanes, run, reads; char *stacks;
} language_device;

// ** what is written **

static void language_path(char *path, size_t nbytes, const language *l, const char *name) {
  snprintf(path, nbytes, "%s/%s%s%s", getenv("TEST_LANGUAGES"), l->name, name ? "/" : "", name ? name : "");
}
static void language_write(const language *l, const char *name, const char *text) {
  char path[300];
  if (!getenv("TEST_LANGUAGES")) return;
  language_path(path, sizeof path, l, name);
  FILE *f = fopen(path, "ab");
  CHECK(f && fputs(text, f) >= 0);
  if (f) fclose(f);
}
static tiny_code language_kernel(tiny_ctx *t, const tiny_renderer *r, const tiny_listing *k, tiny_bytes *out,
                                 uint64_t *uses) {
  const language_device *d = (const language_device *)r->own;
  const char *file = d->lanes ? "lanes.txt" : "kernels.txt";
  const size_t before = out->n;
  const tiny_code code = tn_cstyle_kernel(t, r, k, out, uses);
  if (code != TINY_OK) return code;
  language_write(d->language, file, tn_text_of_format(t, "==== %s\n", k->name));
  language_write(d->language, file, out->data + before);
  return code;
}
static void language_renderer(void *dev, tiny_renderer *r) {
  ((language_device *)dev)->language->renderer(r);
  tn_cstyle(r);
  r->own = dev;
  r->kernel = language_kernel;
}

// ** the device **

static void language_close(void *dev) {
  language_device *d = (language_device *)dev;
  tiny_ctx *t = d->null.t;
  if (d->stacks) tiny_realloc(t, d->stacks, (size_t)ITEMS * STACK, 0);
  tiny_realloc(t, d, sizeof *d, 0);
}
// which: "metal31", "metal31-lanes", "metal31-lanes-run"
static void *language_open(tiny_ctx *t, const char *which, tiny_limits *limits) {
  int i = 0;
  while (i < LANGUAGES && strncmp(which, languages[i].name, strlen(languages[i].name))) i++;
  language_device *d = i < LANGUAGES ? (language_device *)tiny_realloc(t, NULL, 0, sizeof *d) : NULL;
  if (!d) return NULL;
  memset(d, 0, sizeof *d);
  d->null.t = t;
  d->language = &languages[i];
  d->lanes = strstr(which, "-lanes") != NULL; d->run = strstr(which, "-run") != NULL;
  if (d->run) d->stacks = (char *)tiny_realloc(t, NULL, 0, (size_t)ITEMS * STACK);
  if (d->run && !d->stacks) { language_close(d); return NULL; }
  limits->host_memory = d->run;
  limits->dtypes = d->language->dtypes;
  limits->threads = d->lanes;
  limits->vector_nbytes = d->lanes ? 16 : 0;
  limits->warp = 32;
  limits->shared_nbytes = (size_t)d->language->shared;
  limits->local_total = d->language->items;
  limits->local_max[2] = 64;
  return d;
}

// ** kernels on the host **

typedef struct language_item { ucontext_t here; int done; } language_item;
typedef void language_entry(void *const *mem, const int64_t *args, const unsigned *group, const unsigned *item);
typedef struct language_run {
  language_entry *entry; void *mem[64]; const int64_t *args;
  unsigned group[3], item[ITEMS][3];
  language_item fiber[ITEMS]; ucontext_t core; int now;
} language_run;
static language_run *running;              // of the one test

static void language_meet(void) {
  if (running->now >= 0) swapcontext(&running->fiber[running->now].here, &running->core);
}
static void language_fiber(void) {
  language_run *r = running;
  const int i = r->now;
  r->entry(r->mem, r->args, r->group, r->item[i]);
  r->fiber[i].done = 1;
}
static void language_group(language_device *d, language_run *r, int n) {
  for (int i = 0; i < n; i++) {
    language_item *x = &r->fiber[i];
    getcontext(&x->here);
    x->here.uc_stack.ss_sp = d->stacks + (size_t)i * STACK; x->here.uc_stack.ss_size = STACK;
    x->here.uc_link = &r->core;
    x->done = 0;
    makecontext(&x->here, language_fiber, 0);
  }
  for (int left = n; left; ) {
    left = 0;
    for (r->now = 0; r->now < n; r->now++) {
      if (!r->fiber[r->now].done) swapcontext(&r->core, &r->fiber[r->now].here);
      left += !r->fiber[r->now].done;
    }
  }
  r->now = -1;
}
static void language_place(int64_t n, const int64_t *size, unsigned *at) {
  at[0] = (unsigned)(n % size[0]); at[1] = (unsigned)(n / size[0] % size[1]); at[2] = (unsigned)(n / size[0] / size[1]);
}
typedef struct language_found { language_entry *entry; int meets; } language_found;

static tiny_code language_launch(void *dev, const tiny_launch *l) {
  language_device *d = (language_device *)dev;
  const language_found *k = (const language_found *)l->kernel;
  const int64_t groups = l->tasks ? l->tasks : l->global[0] * l->global[1] * l->global[2];
  const int64_t one[3] = {groups, 1, 1}, n = l->tasks ? 1 : l->local[0] * l->local[1] * l->local[2];
  if (!d->run) return TINY_OK;
  if (n > ITEMS || l->nmem > 31 || l->nargs > 31 - l->nmem)
    return tiny_fail(d->null.t, TINY_E_DEVICE, "LANG: %d items, %d buffers are too many", (int)n, l->nmem + l->nargs);
  language_run *r = running = (language_run *)calloc(1, sizeof *r);
  r->entry = k->entry; r->args = l->args; r->now = -1;
  for (int i = 0; i < l->nmem; i++) r->mem[i] = (char *)l->mem[i].base + l->mem[i].offset;
  for (int64_t i = 0; i < n; i++) language_place(i, l->tasks ? one : l->local, r->item[i]);
  for (int64_t g = 0; g < groups; g++) {
    language_place(g, l->tasks ? one : l->global, r->group);
    if (k->meets) language_group(d, r, (int)n);
    else for (int64_t i = 0; i < n; i++) r->entry(r->mem, r->args, r->group, r->item[i]);
  }
  free(r);
  running = NULL;
  return TINY_OK;
}

// A function that calls each kernel of a module with what its parameters name: `device float *p2 [[buffer(2)]]` is
// mem[2], `constant int &a1 [[buffer(30 - 1)]]` args[1]. Whether its items meet.
static void language_entries(tiny_bytes *out, const char *text) {
  static const char bounds[] = "[[kernel, ";
  for (const char *at = strstr(text, bounds), *next; at; at = next) {
    char name[128] = "";
    const char *open = strstr(at, "void "), *end = strstr(at, "uint3 group");
    next = strstr(at + 1, bounds);
    const char *meets = strstr(at, "threadgroup_barrier(");
    if (!open || !end || sscanf(open, "void %127[^(]", name) != 1) return;
    tn_text_add(out, "extern \"C\" int meets_%s = %d;\n", name, meets && (!next || meets < next));
    tn_text_add(out, "extern \"C\" void call_%s(void *const *mem, const long *args, const unsigned *group, "
                "const unsigned *item) {\n  %s(", name, name);
    const char *p = strchr(open, '(') + 1;
    for (const char *buffer; (buffer = strstr(p, "[[buffer(")) != NULL && buffer < end; p = strchr(buffer, ',') + 1) {
      char space[16], type[16];
      int k = 0;
      if (sscanf(p, "%15s %15s", space, type) != 2) return;
      if (*space == 'd' && sscanf(buffer, "[[buffer(%d)", &k) == 1) tn_text_add(out, "(device %s *)mem[%d], ", type, k);
      else if (sscanf(buffer, "[[buffer(30 - %d)", &k) == 1) tn_text_add(out, "*(const %s *)(args + %d), ", type, k);
    }
    tn_text_add(out, "uint3{group[0], group[1], group[2]}, uint3{item[0], item[1], item[2]});\n}\n");
  }
}
// Memory of a group is one for its items.
static void language_shared(char *text) {
  static const char word[] = "\n  threadgroup ";
  for (char *at = text; (at = strstr(at, word)); at += 3) memcpy(at, "\n  static      ", sizeof word - 1);
}

static const char *language_host(void) {   // a compiler that has halves; NULL: none
  static const char *const names[] = {"clang++-19", "clang++-18", "clang++-17", "clang++-16", "clang++-15", "clang++"};
  char command[200];
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    snprintf(command, sizeof command, "echo '_Float16 x; __bf16 y;' | %s -x c++ -fsyntax-only - 2>/dev/null", names[i]);
    if (!system(command)) return names[i];
  }
  return NULL;
}
static tiny_code language_compile_one(language_device *d, const char *source, tiny_bytes *binary) {
  char path[] = "/tmp/tiny-lang-XXXXXX", command[400];
  tiny_ctx *t = d->null.t;
  tiny_bytes text = {t, NULL, 0, 0};
  const int fd = mkstemp(path);
  if (fd < 0) return tiny_fail(t, TINY_E_IO, "LANG: no file for a module");
  close(fd);
  tn_text_put(&text, source);
  language_shared(text.data);
  tn_text_put(&text, "extern \"C\" { void (*metal_meet)(void); }\n");
  language_entries(&text, source);
  snprintf(command, sizeof command, "%s %s - -o %s", language_host(), d->language->run, path);
  FILE *cc = popen(command, "w");
  if (cc) fwrite(text.data, 1, text.n, cc);
  if (!cc || pclose(cc)) tiny_fail(t, TINY_E_COMPILE, "LANG: '%s' refuses a module", command);
  else tiny_bytes_add(binary, path, sizeof path);
  if (tiny_status(t) != TINY_OK) remove(path);
  return tiny_status(t);
}
static tiny_code language_compile(void *dev, int n, const tiny_bytes *source, tiny_bytes *binary, tiny_bytes *log) {
  language_device *d = (language_device *)dev;
  tiny_code code = TINY_OK;
  if (!d->run) return tn_null_compile(dev, n, source, binary, log);
  for (int i = 0; i < n && code == TINY_OK; i++) code = language_compile_one(d, source[i].data, &binary[i]);
  return code;
}
static void *language_load(void *dev, const void *binary, size_t nbytes) {
  (void)nbytes;
  if (!((language_device *)dev)->run) return dev;
  void *module = dlopen((const char *)binary, RTLD_NOW | RTLD_LOCAL);
  remove((const char *)binary);
  void (**meet)(void) = module ? (void (**)(void))dlsym(module, "metal_meet") : NULL;
  if (meet) *meet = language_meet;
  return module;
}
static void language_unload(void *dev, void *module) { if (((language_device *)dev)->run) dlclose(module); }
// It is kept as long as the program.
static void *language_find(void *dev, void *module, const char *kernel) {
  static language_found found[4096];
  static int n;
  char name[160];
  if (!((language_device *)dev)->run) return dev;
  language_found *k = &found[n++ % 4096];
  snprintf(name, sizeof name, "call_%s", kernel);
  void *entry = dlsym(module, name);
  memcpy(&k->entry, &entry, sizeof entry);
  snprintf(name, sizeof name, "meets_%s", kernel);
  const int *meets = (const int *)dlsym(module, name);
  k->meets = meets && *meets;
  return entry ? k : NULL;
}

static tiny_code language_copy_out(void *dev, void *dst, tiny_mem src, size_t nbytes) {
  ((language_device *)dev)->reads++;
  return tn_null_copy_out(dev, dst, src, nbytes);
}

static tiny_backend language_backend(void) {
  tiny_backend b = *tiny_backend_named("NULL");
  b.name = "LANG"; b.open = language_open; b.close = language_close; b.renderer = language_renderer;
  b.compile = language_compile; b.load = language_load; b.unload = language_unload; b.find = language_find;
  b.launch = language_launch; b.copy_out = language_copy_out;
  return b;
}
static tiny_ctx *language_context(const tiny_backend *b, const char *device) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = device; d.backends[0] = b; d.cache_dir = ""; d.threads = 1;
  return tiny_open(&d);
}
#endif
