// device: a device of one's own: memory that is counted, and the system's cc as its compiler.
#define _POSIX_C_SOURCE 200809L
#include "tiny.h"
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct device {
  tiny_ctx *t;
  size_t held;
  int modules;
} device;
static device mine;

static void *mine_open(tiny_ctx *t, const char *which, tiny_limits *limits) {
  (void)which;
  limits->local_total = 1; // no work items: a kernel is called once for each group
  mine.t = t;
  return &mine;
}
static void mine_close(void *dev) { (void)dev; }
static const char *mine_target(void *dev) {
  (void)dev;
  return "mine 1";
}
static tiny_code mine_sync(void *dev) {
  (void)dev;
  return TINY_OK;
}

static void *mine_alloc(void *dev, size_t nbytes) {
  void *mem = malloc(nbytes);
  if (mem) ((device *)dev)->held += nbytes;
  return mem;
}
static void mine_free(void *dev, void *mem, size_t nbytes) {
  ((device *)dev)->held -= nbytes;
  free(mem);
}
static tiny_code mine_copy_in(void *dev, tiny_mem to, const void *from, size_t nbytes) {
  (void)dev;
  memcpy((char *)to.base + to.offset, from, nbytes);
  return TINY_OK;
}
static tiny_code mine_copy_out(void *dev, void *to, tiny_mem from, size_t nbytes) {
  (void)dev;
  memcpy(to, (char *)from.base + from.offset, nbytes);
  return TINY_OK;
}

// Its language is C. What compile gives is the text: load runs cc.
static void mine_renderer(void *dev, tiny_renderer *out) {
  static const tiny_renderer c = {
      .name = "MINE",
      .file = "c",
      .language = {.kernel = "void %n(char **mem, const long long *group) {",
                   .end = "}",
                   .open_buffer = "%t *%n = (%t *)mem[%k];",
                   .global_id = "group[%d]",
                   .address = "%0[%1]",
                   .types = {[TINY_BOOL] = "_Bool", [TINY_I32] = "int", [TINY_F32] = "float"},
                   .ops = {[TINY_OP_LOAD] = "%0",
                           [TINY_OP_STORE] = "%0 = %1",
                           [TINY_OP_ADD] = "%0 + %1",
                           [TINY_OP_MUL] = "%0 * %1",
                           [TINY_OP_LT] = "%0 < %1",
                           [TINY_OP_WHERE] = "%0 ? %1 : %2"}}};
  (void)dev;
  *out = c;
}
static tiny_code mine_compile(void *dev, int n, const tiny_bytes *source, tiny_bytes *binary,
                              tiny_bytes *log) {
  (void)dev, (void)log;
  for (int i = 0; i < n; i++) tiny_bytes_add(&binary[i], source[i].data, source[i].n);
  return TINY_OK;
}
static void *mine_load(void *dev, const void *source, size_t nbytes) {
  device *d = dev;
  char path[64], command[128];
  snprintf(path, sizeof path, "build/tasks/mine%d.so", d->modules++);
  snprintf(command, sizeof command, "cc -O2 -shared -fPIC -x c - -o %s", path);
  FILE *cc = popen(command, "w");
  if (cc) fwrite(source, 1, nbytes, cc);
  if (cc && pclose(cc) == 0) return dlopen(path, RTLD_NOW);
  tiny_fail(d->t, TINY_E_COMPILE, "mine: '%s' failed", command);
  return NULL;
}
static void mine_unload(void *dev, void *module) {
  (void)dev;
  dlclose(module);
}
static void *mine_find(void *dev, void *module, const char *name) {
  (void)dev;
  return dlsym(module, name);
}

static tiny_code mine_launch(void *dev, const tiny_launch *l) {
  void (*kernel)(char **mem, const long long *group);
  char *mem[8];
  long long at[3];
  if (l->nmem > 8) return tiny_fail(((device *)dev)->t, TINY_E_DEVICE, "mine: %d buffers", l->nmem);
  for (int i = 0; i < l->nmem; i++) mem[i] = (char *)l->mem[i].base + l->mem[i].offset;
  memcpy(&kernel, &l->kernel, sizeof kernel);
  for (at[2] = 0; at[2] < l->global[2]; at[2]++)
    for (at[1] = 0; at[1] < l->global[1]; at[1]++)
      for (at[0] = 0; at[0] < l->global[0]; at[0]++) kernel(mem, at);
  return TINY_OK;
}

static const tiny_backend backend = {.version = TINY_BACKEND_VERSION,
                                     .name = "mine",
                                     .open = mine_open,
                                     .close = mine_close,
                                     .target = mine_target,
                                     .renderer = mine_renderer,
                                     .alloc = mine_alloc,
                                     .free = mine_free,
                                     .copy_in = mine_copy_in,
                                     .copy_out = mine_copy_out,
                                     .compile = mine_compile,
                                     .load = mine_load,
                                     .unload = mine_unload,
                                     .find = mine_find,
                                     .launch = mine_launch,
                                     .sync = mine_sync};

// relu(x @ w + b) of the same numbers on any device.
static tiny_tensor *layer(tiny_ctx *t, int where) {
  float numbers[64 * 32];
  for (int i = 0; i < 64 * 32; i++) numbers[i] = sinf((float)i);
  tiny_use_device(t, where);
  tiny_tensor *x = tiny_from(t, numbers, TINY_F32, TINY_SHAPE(4, 64));
  tiny_tensor *w = tiny_from(t, numbers, TINY_F32, TINY_SHAPE(64, 32));
  tiny_tensor *b = tiny_from(t, numbers, TINY_F32, TINY_SHAPE(32));
  return tiny_relu(tiny_add(tiny_matmul(x, w), b));
}

int main(void) {
  tiny_ctx *t = tiny_open(&(tiny_desc){.device = "mine,CPU", .backends = {&backend}});
  tiny_tensor *apart = tiny_sub(tiny_to(layer(t, 0), 1), layer(t, 1));
  double error = tiny_item(tiny_amax(tiny_abs(apart), TINY_ALL, 0));
  tiny_code code = tiny_status(t);
  if (code == TINY_OK)
    printf("held %zu\nerror %g\n", mine.held, error);
  else
    fprintf(stderr, "%s\n", tiny_error(t));
  tiny_close(t);
  return code != TINY_OK;
}
