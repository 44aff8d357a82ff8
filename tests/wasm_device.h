// wasm_device: kernels as modules of WebAssembly, run by node (tests/wasm_host.js), as a device that any test can open:
// "WASM"; or in the place of INTERP (TN_TEST_BACKEND: included by runtime/device.c). Modules and memory go through two
// pipes; $TEST_NODE names another engine.
#ifndef WASM_DEVICE_H
#define WASM_DEVICE_H
#include <sys/wait.h>
#include <unistd.h>
#include "../src/isa/wasm_object.c"
#include "wasm_decode.h"

#ifdef TN_TEST_BACKEND
  #define WASM_NAME "INTERP"
#else
  #define WASM_NAME "WASM"
#endif
enum { WASM_FIRST = 64 << 20, WASM_MOST = 1 << 30, WASM_SIZES = 4096 };
typedef struct wasm_free { size_t at, nbytes; } wasm_free;
typedef struct wasm_device {
  tiny_ctx *t;
  FILE *to, *from;
  pid_t process;
  size_t end;                              // of memory so far
  wasm_free gone[WASM_SIZES]; int ngone;   // blocks to take again
} wasm_device;
static struct { int kernels, refused, launches; double module_ns, run_ns; int64_t nbytes; char why[4096]; } wasm_stats;

static void wasm_send(const wasm_device *d, const void *data, size_t n) {
  if (n && fwrite(data, 1, n, d->to) != n) { fprintf(stderr, "wasm: the engine is gone\n"); exit(1); }
}
static void wasm_send_number(const wasm_device *d, int64_t v) { wasm_send(d, &v, sizeof v); }
static void wasm_get(const wasm_device *d, void *to, size_t n) {
  if (n && fread(to, 1, n, d->from) != n) { fprintf(stderr, "wasm: the engine is gone\n"); exit(1); }
}
static int64_t wasm_answer(const wasm_device *d, char *said, size_t nbytes) {
  int64_t head[2];
  fflush(d->to);
  wasm_get(d, head, sizeof head);
  char *text = (char *)malloc((size_t)head[1] + 1);
  wasm_get(d, text, (size_t)head[1]);
  text[head[1]] = 0;
  snprintf(said, nbytes, "%s", text);
  free(text);
  return head[0];
}

static int wasm_there(void) {
  char path[TN_OS_PATH];
  return tn_os_find_program(getenv("TEST_NODE") ? getenv("TEST_NODE") : "node", 0, path, sizeof path);
}
static void *wasm_open(tiny_ctx *t, const char *which, tiny_limits *limits) {
  int in[2], out[2];
  (void)which;
  wasm_device *d = (wasm_device *)calloc(1, sizeof *d);
  if (pipe(in) || pipe(out)) return NULL;
  for (int i = 0; i < 2; i++) {            // no other engine holds them open
    fcntl(in[i], F_SETFD, FD_CLOEXEC); fcntl(out[i], F_SETFD, FD_CLOEXEC);
  }
  d->t = t; d->end = WASM_FIRST;
  fflush(NULL);
  if (!(d->process = fork())) {
    const char *node = getenv("TEST_NODE") ? getenv("TEST_NODE") : "node";
    dup2(in[0], 0); dup2(out[1], 1);
    execlp(node, node, "tests/wasm_host.js", (char *)NULL);
    _exit(127);
  }
  close(in[0]); close(out[1]);
  d->to = fdopen(in[1], "wb"); d->from = fdopen(out[0], "rb");
  memset(limits, 0, sizeof *limits);
  limits->threads = 1; limits->vector_nbytes = 16; limits->vector_registers = 12;
  limits->cache_nbytes = 1 << 20;
  return d;
}
static void wasm_close(void *dev) {
  wasm_device *d = (wasm_device *)dev;
  fclose(d->to); fclose(d->from);
  waitpid(d->process, NULL, 0);
  free(d);
}
static const char *wasm_target_name(void *dev) { (void)dev; return "wasm32 simd128"; }
static tiny_code wasm_kernel(tiny_ctx *t, const tiny_renderer *r, const tiny_listing *k, tiny_bytes *out,
                             uint64_t *uses) {
  (void)r;
  *uses = 0;
  const uint64_t begin = tn_os_now();
  const char *why = tn_wasm_object(t, k, &tn_wasm_levels[0], out);
  wasm_stats.module_ns += (double)(tn_os_now() - begin);
  wasm_stats.kernels++;
  wasm_stats.nbytes += (int64_t)out->n;
  if (!why) return t->code;
  wasm_stats.refused++;
  snprintf(wasm_stats.why, sizeof wasm_stats.why, "%s: %s", k->name, why);
  return tiny_fail(t, TINY_E_COMPILE, "WASM refuses %s: %s", k->name, why);
}
static tiny_code wasm_module(tiny_ctx *t, const tiny_renderer *r, const tiny_rendered *kernels, int n,
                             tiny_bytes *out) {
  if (n < 1) return tn_cstyle_module(t, r, kernels, n, out);     // what all modules have, for keys
  tiny_bytes_add(out, kernels->data, kernels->n);
  return t->code;
}
static void wasm_renderer(void *dev, tiny_renderer *r) {
  (void)dev;
  tn_lang_c(r);
  r->language.ops[TINY_OP_FMA] = r->language.vops[TINY_OP_FMA] = NULL;
  tn_cstyle(r);
  r->name = "wasm";
  r->flags = (r->flags & ~(uint32_t)TINY_TARGET_OPTIMIZES) | TINY_TARGET_ALONE | TINY_TARGET_NO_STACK;
  r->kernel = wasm_kernel; r->module = wasm_module;
}
static void *wasm_alloc(void *dev, size_t nbytes) {
  wasm_device *d = (wasm_device *)dev;
  nbytes = (nbytes + 127) / 64 * 64;
  for (int i = 0; i < d->ngone; i++) if (d->gone[i].nbytes == nbytes) {
    const size_t at = d->gone[i].at;
    d->gone[i] = d->gone[--d->ngone];
    return (void *)(uintptr_t)at;
  }
  if (d->end + nbytes > WASM_MOST) return NULL;
  d->end += nbytes;
  return (void *)(uintptr_t)(d->end - nbytes);
}
static void wasm_free_block(void *dev, void *mem, size_t nbytes) {
  wasm_device *d = (wasm_device *)dev;
  const wasm_free one = {(size_t)(uintptr_t)mem, (nbytes + 127) / 64 * 64};
  if (mem && d->ngone < WASM_SIZES) d->gone[d->ngone++] = one;
}
static int64_t wasm_at(tiny_mem m) { return (int64_t)((uintptr_t)m.base + m.offset); }
static tiny_code wasm_copy_in(void *dev, tiny_mem dst, const void *src, size_t nbytes) {
  const wasm_device *d = (const wasm_device *)dev;
  wasm_send(d, "W", 1);
  wasm_send_number(d, wasm_at(dst)); wasm_send_number(d, (int64_t)nbytes);
  wasm_send(d, src, nbytes);
  return TINY_OK;
}
static tiny_code wasm_copy_out(void *dev, void *dst, tiny_mem src, size_t nbytes) {
  const wasm_device *d = (const wasm_device *)dev;
  wasm_send(d, "R", 1);
  wasm_send_number(d, wasm_at(src)); wasm_send_number(d, (int64_t)nbytes);
  fflush(d->to);
  wasm_get(d, dst, nbytes);
  return TINY_OK;
}
static tiny_code wasm_compile(void *dev, int n, const tiny_bytes *source, tiny_bytes *binary, tiny_bytes *log) {
  (void)log;
  for (int i = 0; i < n; i++) tiny_bytes_add(&binary[i], source[i].data, source[i].n);
  return tiny_status(((wasm_device *)dev)->t);
}
// The name of a module's function, from its section of exports, which stands before the code.
static size_t wasm_name_of(const void *binary, size_t nbytes, const char **name) {
  wasm_reader r = {(const uint8_t *)binary, nbytes, 8};
  while (r.took < nbytes) {
    const int id = wasm_take(&r);
    const size_t n = (size_t)wasm_take_number(&r, 0), at = r.took;
    if (id == TN_WASM_EXPORTS) {
      wasm_take(&r);
      const size_t length = (size_t)wasm_take_number(&r, 0);
      *name = (const char *)binary + r.took;
      return length;
    }
    r.took = at + n;
  }
  return 0;
}
static void *wasm_load(void *dev, const void *binary, size_t nbytes) {
  wasm_device *d = (wasm_device *)dev;
  const char *name;
  char said[2000];
  const size_t length = wasm_name_of(binary, nbytes, &name);
  wasm_send(d, "L", 1);
  wasm_send_number(d, (int64_t)nbytes); wasm_send(d, binary, nbytes);
  wasm_send_number(d, (int64_t)length); wasm_send(d, name, length);
  const int64_t at = wasm_answer(d, said, sizeof said);
  if (at < 0) tiny_fail(d->t, TINY_E_COMPILE, "WASM: %s", said);
  return at < 0 ? NULL : (void *)(uintptr_t)(at + 1);
}
static void wasm_unload(void *dev, void *module) {
  if (!module) return;
  wasm_send((wasm_device *)dev, "U", 1);
  wasm_send_number((wasm_device *)dev, (int64_t)(uintptr_t)module - 1);
}
static void *wasm_find(void *dev, void *module, const char *kernel) { (void)dev; (void)kernel; return module; }
static tiny_code wasm_launch(void *dev, const tiny_launch *l) {
  wasm_device *d = (wasm_device *)dev;
  char said[2000];
  wasm_send(d, "X", 1);
  wasm_send_number(d, (int64_t)(uintptr_t)l->kernel - 1);
  wasm_send_number(d, l->tasks < 1 ? 1 : (int64_t)l->tasks);
  wasm_send_number(d, l->nmem); wasm_send_number(d, l->nargs);
  for (int i = 0; i < l->nmem; i++) wasm_send_number(d, wasm_at(l->mem[i]));
  for (int i = 0; i < l->nargs; i++) wasm_send_number(d, l->args[i]);
  const int64_t ns = wasm_answer(d, said, sizeof said);
  wasm_stats.launches++;
  if (ns >= 0) wasm_stats.run_ns += (double)ns;
  return ns < 0 ? tiny_fail(d->t, TINY_E_DEVICE, "WASM: %s", said) : TINY_OK;
}
static tiny_code wasm_sync(void *dev) { (void)dev; return TINY_OK; }
static tiny_code wasm_reserve(void *dev, size_t local_nbytes) {
  wasm_device *d = (wasm_device *)dev;
  return local_nbytes <= WASM_FIRST - (1 << 20) ? TINY_OK : tiny_fail(d->t, TINY_E_MEMORY, "WASM: LOCAL memory");
}
static const tiny_backend wasm_backend = {
  TINY_BACKEND_VERSION, WASM_NAME, wasm_open, wasm_close, wasm_target_name, wasm_renderer, wasm_alloc, wasm_free_block,
  wasm_copy_in, wasm_copy_out, NULL, NULL, wasm_compile, wasm_load, NULL, wasm_unload, wasm_find, wasm_launch, NULL,
  NULL, NULL, NULL, wasm_sync, wasm_reserve
};
#ifdef TN_TEST_BACKEND
  #define TN_INTERP &wasm_backend
#endif
#endif
