// language_host: kernels in CUDA C on this machine: a module is a shared object that clang makes of the text and
// cuda_shim.h, and the items of a group are fibers that meet at barriers. Metal's are metal_kernel.h's.
#ifndef LANGUAGE_HOST_H
#define LANGUAGE_HOST_H
#include "mock_cuda.h"
#include <dlfcn.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

enum { ITEMS = 1024, STACK = 64 << 10, SLOTS = 64 };

// ** groups **

typedef void host_entry(void *const *mem, const int64_t *args, const unsigned *group, const unsigned *item);
typedef struct host_items {
  char stack[ITEMS][STACK];
  ucontext_t here[ITEMS], core; int done[ITEMS], now;       // now: whose turn it is; -1: no fiber's
  host_entry *entry; void *mem[SLOTS]; int64_t args[SLOTS];
  unsigned group[3], item[ITEMS][4];       // of an item its place in three dims, and its number
} host_items;
static host_items *host_running;           // fibers begin without an argument

static void host_meet(void) {
  host_items *r = host_running;
  if (r->now >= 0) swapcontext(&r->here[r->now], &r->core);
}
// What CUDA's text sees: of the item whose turn it is.
static void host_cuda_meet(int warp);
static void *host_cuda_near(void *at) { return at; }
static mock_item host_cuda_item = {
  {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, host_cuda_meet, host_cuda_near, NULL, NULL, 0
};
static unsigned long long host_cuda_lanes[ITEMS];
static void host_cuda_meet(int warp) {
  const mock_item mine = host_cuda_item;
  (void)warp;
  host_meet();
  host_cuda_item = mine;
}

static void host_fiber(void) {
  host_items *r = host_running;
  const int i = r->now;
  host_cuda_item.lane = i % 32; host_cuda_item.lanes = host_cuda_lanes + i / 32 * 32;
  r->entry(r->mem, r->args, r->group, r->item[i]);
  r->done[i] = 1;
}
static void host_group(host_items *r, int n) {
  for (int i = 0; i < n; i++) {
    getcontext(&r->here[i]);
    r->here[i].uc_stack.ss_sp = r->stack[i]; r->here[i].uc_stack.ss_size = STACK;
    r->here[i].uc_link = &r->core;
    r->done[i] = 0;
    makecontext(&r->here[i], host_fiber, 0);
  }
  for (int left = n; left; ) {
    left = 0;
    for (r->now = 0; r->now < n; r->now++) {
      if (!r->done[r->now]) swapcontext(&r->core, &r->here[r->now]);
      left += !r->done[r->now];
    }
  }
  r->now = -1;
}

typedef struct host_found { host_entry *entry; int meets; } host_found;

static void host_place(int64_t n, const int64_t *size, unsigned *at) {
  at[0] = (unsigned)(n % size[0]); at[1] = (unsigned)(n / size[0] % size[1]); at[2] = (unsigned)(n / size[0] / size[1]);
}
static tiny_code host_launch(tiny_ctx *t, host_items *r, const tiny_launch *l) {
  const host_found *k = (const host_found *)l->kernel;
  const int64_t groups = l->tasks ? l->tasks : l->global[0] * l->global[1] * l->global[2];
  const int64_t one[3] = {groups, 1, 1}, n = l->tasks ? 1 : l->local[0] * l->local[1] * l->local[2];
  if (n > ITEMS || l->nmem + l->nargs > 31)
    return tiny_fail(t, TINY_E_DEVICE, "%d items, %d buffers are too many", (int)n, l->nmem + l->nargs);
  host_running = r;
  r->entry = k->entry; r->now = -1;
  host_cuda_item.shared = (char *)calloc(1, l->local_nbytes + 1);
  for (int i = 0; i < l->nmem; i++) r->mem[i] = (char *)l->mem[i].base + l->mem[i].offset;
  for (int i = 0; i < l->nargs; i++) r->args[i] = l->args[i];
  for (int64_t i = 0; i < n; i++) {
    host_place(i, l->tasks ? one : l->local, r->item[i]);
    r->item[i][3] = (unsigned)i;
  }
  for (int64_t g = 0; g < groups; g++) {
    host_place(g, l->tasks ? one : l->global, r->group);
    if (k->meets) host_group(r, (int)n);
    else for (int64_t i = 0; i < n; i++) r->entry(r->mem, r->args, r->group, r->item[i]);
  }
  free(host_cuda_item.shared);
  return TINY_OK;
}

// ** modules **

// begin: what a kernel's text begins with; barrier, exchange: how its items meet; flags: of clang; entry: writes the call
// of a kernel whose name stands before head.
typedef struct host_language {
  const char *begin, *barrier, *exchange, *flags;
  void (*entry)(tiny_bytes *out, const char *name, const char *head);
} host_language;

static void host_cuda_entry(tiny_bytes *out, const char *name, const char *head) {
  (void)head;
  tn_text_add(out, "  tiny_words v;\n  for (int i = 0; i < %d; i++) v.word[i] = (unsigned long long)mem[i];\n", SLOTS);
  tn_text_add(out, "  for (int i = 0; i < %d; i++) v.word[127 - i] = (unsigned long long)args[i];\n", SLOTS);
  tn_text_put(out, "  mock_now->group = {group[0], group[1], group[2]}; mock_now->item = {item[3], 0, 0};\n");
  tn_text_add(out, "  %s(v);\n", name);
}

#define HOST_FLAGS "-x c++ -std=c++17 -w -O0 -ffp-contract=off -shared -fPIC "
static const host_language host_metal = {NULL, NULL, NULL, NULL, NULL};        // metal_kernel.h runs it
static const host_language host_cuda = {
  "extern \"C\" __global__ ", "__syncthreads(", "exchanged(", HOST_FLAGS "-include tests/cuda_shim.h", host_cuda_entry
};

// A function that calls each kernel of a module; whether its items meet.
static void host_entries(tiny_bytes *out, const host_language *h, const char *text) {
  for (const char *at = strstr(text, h->begin), *next; at; at = next) {
    char name[128] = "";
    const char *word = strstr(at, "void ") + 5, *meets = strstr(at, h->barrier), *trades = strstr(at, h->exchange);
    next = strstr(at + 1, h->begin);
    if (!strncmp(word, "BOUNDS(", 7)) word = strchr(word, ')') + 2;
    if (sscanf(word, "%127[^(]", name) != 1) return;
    tn_text_add(out, "extern \"C\" int meets_%s = %d;\n", name,
                (meets && (!next || meets < next)) || (trades && (!next || trades < next)));
    tn_text_add(out, "extern \"C\" void call_%s(void *const *mem, const long *args, const unsigned *group, "
                "const unsigned *item) {\n", name);
    h->entry(out, name, strchr(word, '('));
    tn_text_put(out, "}\n");
  }
}

static const char *host_compiler(void) {   // one that has halves; NULL: none
  static const char *const names[] = {"clang++-19", "clang++-18", "clang++-17", "clang++-16", "clang++-15", "clang++"};
  char command[200];
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    snprintf(command, sizeof command, "echo '_Float16 x; __bf16 y;' | %s -x c++ -fsyntax-only - 2>/dev/null", names[i]);
    if (!system(command)) return names[i];
  }
  return NULL;
}
// The binary is the path of a shared object.
static tiny_code host_compile(tiny_ctx *t, const host_language *h, const char *source, tiny_bytes *binary) {
  char path[] = "/tmp/tiny-host-XXXXXX", command[400];
  tiny_bytes text = {t, NULL, 0, 0};
  const int fd = mkstemp(path);
  if (fd < 0) return tiny_fail(t, TINY_E_IO, "no file for a module");
  close(fd);
  tn_text_put(&text, source);
  host_entries(&text, h, source);
  snprintf(command, sizeof command, "%s %s - -o %s", host_compiler(), h->flags, path);
  FILE *cc = popen(command, "w");
  if (cc) fwrite(text.data, 1, text.n, cc);
  if (!cc || pclose(cc)) tiny_fail(t, TINY_E_COMPILE, "'%s' refuses a module", command);
  else tiny_bytes_add(binary, path, sizeof path);
  if (tiny_status(t) != TINY_OK) remove(path);
  return tiny_status(t);
}

enum { KERNELS = 512 };
typedef struct host_module { void *handle; host_found found[KERNELS]; int n; } host_module;

static void *host_load(const char *path) {
  host_module *m = (host_module *)calloc(1, sizeof *m);
  m->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  remove(path);
  if (!m->handle) { fprintf(stderr, "  %s\n", dlerror()); free(m); return NULL; }
  mock_item **now = (mock_item **)dlsym(m->handle, "mock_now");
  if (now) *now = &host_cuda_item;
  return m;
}
static void host_unload(void *module) {
  dlclose(((host_module *)module)->handle);
  free(module);
}
static void *host_find(host_module *m, const char *kernel) {
  char name[160];
  host_found *k = &m->found[m->n];
  snprintf(name, sizeof name, "call_%s", kernel);
  void *entry = dlsym(m->handle, name);
  memcpy(&k->entry, &entry, sizeof entry);
  snprintf(name, sizeof name, "meets_%s", kernel);
  const int *meets = (const int *)dlsym(m->handle, name);
  k->meets = meets && *meets;
  if (!entry || m->n == KERNELS - 1) return NULL;
  m->n++;
  return k;
}
#endif
