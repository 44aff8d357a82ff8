// amd_on_device: the items of test_amd_device.c: each gives NULL, where it is as it should be, "not there .." or what
// is wrong.
#ifndef AMD_ON_DEVICE_H
#define AMD_ON_DEVICE_H

// ** the driver **

static tiny_amd_gpu told(void) {
  tiny_amd_gpu gpu;
  tiny_amd_gpus(on_system(), &gpu, 1);
  return gpu;
}
static const char *driver_version(void) {
  const tiny_amd_gpu g = told();
  return g.version[0] == 1 && g.version[1] >= 6 ? NULL : say("it is %d.%d", g.version[0], g.version[1]);
}
static const char *topology(void) {
  const tiny_amd_gpu g = told();
  if (!g.name[0] || strcmp(g.target, target)) return say("the GPU is \"%s\", %s", g.name, g.target);
  if (g.units < 2 || g.units > 1024 || g.dies < 1 || g.waves < 4 || g.shared_nbytes < 65536)
    return say("%d units on %d dies, %d waves, %d bytes of LDS", g.units, g.dies, g.waves, (int)g.shared_nbytes);
  return g.nbytes >> 27 ? NULL : say("%llu bytes of memory", (unsigned long long)g.nbytes);
}
static const char *address_space(void) {
  on o;
  const char *const result = on_open(&o);
  on_close(&o);
  return result;
}
static const char *all_given_back(void) {
  const uint64_t before = told().free_nbytes;
  const char *const result = address_space();
  const uint64_t after = told().free_nbytes;
  if (result || !before) return result ? result : "not there: the driver does not tell (KFD 1.9 does)";
  return before - after < 1 << 20 || after > before ? NULL : say("%llu bytes are not",
                                                                 (unsigned long long)(before - after));
}

// ** memory **

static const char *memory_of_gpu(void) {
  enum { NBYTES = 64 << 20 };
  static const uint32_t wrote[2] = {0x12345678, 0x9ABCDEF0};
  uint32_t read[2] = {0, 0};
  const char *result;
  on o;
  if ((result = on_open(&o)) != NULL) { on_close(&o); return result; }
  for (int i = 0; i < 8; i++) {                            // it comes back
    void *const mem = tiny_amd.alloc(o.dev, NBYTES);
    WANT(mem, "%.500s", tiny_error(o.t));
    const tiny_mem end = {mem, NBYTES - 4}, begin = {mem, 0};
    tiny_amd.copy_in(o.dev, begin, &wrote[0], 4);
    tiny_amd.copy_in(o.dev, end, &wrote[1], 4);
    tiny_amd.copy_out(o.dev, &read[0], begin, 4);
    tiny_amd.copy_out(o.dev, &read[1], end, 4);
    WANT(!memcmp(read, wrote, sizeof read), "0x%x and 0x%x were read", read[0], read[1]);
    tiny_amd.free(o.dev, mem, NBYTES);
  }
end:
  on_close(&o);
  return result;
}
static const char *memory_of_host(void) {
  const char *result;
  on o;
  if ((result = on_open(&o)) != NULL) { on_close(&o); return result; }
  tn_kfd_memory *m = tn_kfd_memory_make(o.d, 1 << 20, 1);
  WANT(m, "%s", o.d->k.why);
  for (int i = 0; i < 1 << 20; i += 4096) {
    WANT(m->cpu[i] == 0, "it is not zeros");
    m->cpu[i] = (char)(i >> 12);
  }
  for (int i = 0; i < 1 << 20; i += 4096) WANT(m->cpu[i] == (char)(i >> 12), "it does not hold what is written");
end:
  if (o.dev && m) tn_kfd_memory_free(o.d, m);
  on_close(&o);
  return result;
}
static const char *memory_wrapped(void) {                  // and of a kernel, where it reads and writes
  const char *result;
  void *mem = NULL;
  code c = {NULL, NULL};
  uint32_t *const pages = (uint32_t *)mmap(NULL, WORDS * 4, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  on o;
  if ((result = on_open(&o)) != NULL || (result = code_make(&o, &c, next, 0, 0)) != NULL) goto end;
  for (uint32_t i = 0; i < WORDS; i++) pages[i] = 3 * i;
  mem = tiny_amd_wrap(o.dev, pages, WORDS * 4);
  WANT(mem, "%.500s", tiny_error(o.t));
  for (int i = 0; i < 3; i++) code_run(&o, &c, mem, mem, WORDS / 64, NULL);
  WANT(tiny_amd.sync(o.dev) == TINY_OK, "%.500s", tiny_error(o.t));
  for (uint32_t i = 0; i < WORDS; i++) WANT(pages[i] == 3 * i + 3, "word %u is %u", i, pages[i]);
end:
  if (mem) tiny_amd_release(o.dev, mem);
  if (c.module) tiny_amd.unload(o.dev, c.module);
  on_close(&o);
  munmap(pages, WORDS * 4);
  return result;
}
static const char *memory_shared(void) {
  static uint32_t words[WORDS], again[WORDS];
  const char *result;
  void *a = NULL, *b = NULL;
  int fd = -1;
  on o, p;
  if ((result = on_open(&o)) != NULL) { on_close(&o); return result; }
  if ((result = on_open(&p)) != NULL) goto end;
  a = tiny_amd_share(o.dev, sizeof words, &fd);
  WANT(a, "not there: %.500s", tiny_error(o.t));
  b = tiny_amd_import(p.dev, fd, sizeof words);
  WANT(b, "it is not taken: %.500s", tiny_error(p.t));
  for (uint32_t i = 0; i < WORDS; i++) words[i] = 7 * i;
  put(&o, a, words);
  tiny_amd.sync(o.dev);
  WANT(get(&p, again, b) == TINY_OK && !memcmp(words, again, sizeof words), "the other context reads %u, not %u",
       again[1], words[1]);
end:
  if (fd >= 0) { if (played) on_system()->close(on_system()->user, fd); else close(fd); }
  if (b) tiny_amd_release(p.dev, b);
  if (a) tiny_amd_release(o.dev, a);
  on_close(&p);
  on_close(&o);
  return result;
}

// ** queues **

static const char *compute_queue(void) {
  const char *result;
  on o;
  if ((result = on_open(&o)) != NULL) { on_close(&o); return result; }
  WANT(tn_kfd_is_aql(&o.d->queue[TN_KFD_COMPUTE]) == (o.d->node.dies > 1), "its type is %d for %d dies",
       o.d->queue[TN_KFD_COMPUTE].type, (int)o.d->node.dies);
  for (int i = 0; i < TN_KFD_QUEUES; i++) WANT(o.d->queue[i].open, "queue %d is not open", i);
end:
  on_close(&o);
  return result;
}
static uint32_t is_number(uint32_t i) { return i + 12345; }
static const char *kernel_runs(void) { return kernel_gives(number, 0, 0, is_number); }
static uint32_t is_one(uint32_t i) { (void)i; return 1; }
static const char *kernel_reads(void) { return kernel_gives(next, 0, 0, is_one); }
static uint32_t is_reversed(uint32_t i) { return i / 64 * 64 + 63 - i % 64; }
static const char *shared_memory(void) { return kernel_gives(reversed, 256, 0, is_reversed); }
static const char *all_shared_memory(void) { return kernel_gives(reversed, 65536, 0, is_reversed); }
static uint32_t is_count(uint32_t i) { return i ? 0 : WORDS; }
static const char *atomics(void) { return kernel_gives(counted, 0, 0, is_count); }
static uint32_t is_triple(uint32_t i) { return 3 * i; }
static const char *scratch_small(void) {
  char body[1024];
  scratch_of(body, sizeof body, 64);
  return kernel_gives(body, 0, 64, is_triple);
}
// In one context: it grows between kernels.
static const char *scratch_grows(void) {
  static uint32_t words[WORDS];
  static const int sizes[] = {16, 512, 64, 4096};
  const char *result;
  void *out = NULL;
  code c[4];
  on o;
  memset(c, 0, sizeof c);
  if ((result = on_open(&o)) != NULL) goto end;
  out = tiny_amd.alloc(o.dev, sizeof words);
  for (int i = 0; i < 4; i++) {
    char body[1024];
    scratch_of(body, sizeof body, sizes[i]);
    if ((result = code_make(&o, &c[i], body, 0, sizes[i])) != NULL) goto end;
    WANT(code_run(&o, &c[i], out, out, WORDS / 64, NULL) == TINY_OK && get(&o, words, out) == TINY_OK,
         "%d bytes: %.400s", sizes[i], tiny_error(o.t));
    for (uint32_t k = 0; k < WORDS; k++) WANT(words[k] == 3 * k, "%d bytes: word %u is %u", sizes[i], k, words[k]);
  }
end:
  for (int i = 0; i < 4; i++) if (c[i].module) tiny_amd.unload(o.dev, c[i].module);
  if (out) tiny_amd.free(o.dev, out, sizeof words);
  on_close(&o);
  return result;
}
static const char *copies(void) {
  enum { MOST = 9 << 20 };
  static const size_t sizes[] = {1, 3, 4, 63, 4096, 4097, 65537, 1 << 20, MOST - 64};
  char *const from = (char *)malloc(MOST), *const to = (char *)calloc(1, MOST);
  const char *result;
  void *mem = NULL;
  on o;
  if ((result = on_open(&o)) != NULL) goto end;
  mem = tiny_amd.alloc(o.dev, MOST);
  WANT(mem && from && to, "no memory");
  for (size_t i = 0; i < MOST; i++) from[i] = (char)(i * 131 >> 3);
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) for (size_t at = 0; at < 8; at += 7) {
    const tiny_mem m = {mem, 4 * at + at / 2};
    WANT(tiny_amd.copy_in(o.dev, m, from + at, sizes[i]) == TINY_OK &&
         tiny_amd.copy_out(o.dev, to, m, sizes[i]) == TINY_OK, "%.500s", tiny_error(o.t));
    WANT(!memcmp(from + at, to, sizes[i]), "%d bytes from %d on", (int)sizes[i], (int)m.offset);
  }
end:
  if (mem) tiny_amd.free(o.dev, mem, MOST);
  on_close(&o);
  free(from); free(to);
  return result;
}
// Many submissions, each of which is rung for, so that numbers pass and rings are used again.
static const char *doorbells(void) {
  const char *result;
  uint32_t words[4] = {0, 0, 0, 0};
  void *mem = NULL;
  on o;
  if ((result = on_open(&o)) != NULL) goto end;
  mem = tiny_amd.alloc(o.dev, sizeof words);
  for (uint32_t i = 1; mem && i <= 20000; i++) {
    tiny_amd.copy_in(o.dev, (tiny_mem){mem, i % 4 * 4}, &i, 4);
    if (i % 997) continue;
    WANT(tiny_amd.copy_out(o.dev, words, (tiny_mem){mem, 0}, sizeof words) == TINY_OK && words[i % 4] == i,
         "after %u copies: %u: %.400s", i, words[i % 4], tiny_error(o.t));
  }
  const tn_kfd_queue *const q = &o.d->queue[TN_KFD_IN];
  WANT(mem && tiny_amd.sync(o.dev) == TINY_OK && tn_kfd_done(q) == q->given, "%llu of %llu submissions are done",
       (unsigned long long)tn_kfd_done(q), (unsigned long long)q->given);
end:
  if (mem) tiny_amd.free(o.dev, mem, sizeof words);
  on_close(&o);
  return result;
}
// Waits that sleep at once: interrupts end them, long before a sleep's end.
static const char *interrupts(void) {
  enum { WAITS = 30 };
  const char *result;
  void *out = NULL;
  code c = {NULL, NULL};
  on o;
  if ((result = on_open(&o)) != NULL || (result = code_make(&o, &c, number, 0, 0)) != NULL) goto end;
  out = tiny_amd.alloc(o.dev, WORDS * 4);
  o.d->spins = 0;
  const uint64_t since = tn_driver_clock_ns();
  for (int i = 0; i < WAITS; i++)
    WANT(code_run(&o, &c, out, out, WORDS / 64, NULL) == TINY_OK && tiny_amd.sync(o.dev) == TINY_OK, "%.500s",
         tiny_error(o.t));
  const double ms = (double)(tn_driver_clock_ns() - since) * 1e-6 / WAITS;
  if (!o.d->wake_state) result = "not there: no wait was long enough";
  else WANT(o.d->wake_state > 0, "they do not come, or there is no page for events");
  if (!played) WANT(ms < 3, "a wait takes %.1f ms", ms);
end:
  if (out) tiny_amd.free(o.dev, out, WORDS * 4);
  if (c.module) tiny_amd.unload(o.dev, c.module);
  on_close(&o);
  return result;
}

// ** times **

static const char *timed(int apart) {                      // apart: the host sleeps between two kernels
  enum { KERNELS = 8 };
  const struct timespec tenth = {0, 100000000};
  uint64_t ns[KERNELS][2], host[2] = {0, 0};
  const char *result;
  void *out = NULL;
  code c = {NULL, NULL};
  on o;
  memset(ns, 0, sizeof ns);
  if ((result = on_open(&o)) != NULL || (result = code_make(&o, &c, number, 0, 0)) != NULL) goto end;
  out = tiny_amd.alloc(o.dev, WORDS * 4);
  for (int i = 0; i < KERNELS; i++) {
    if (apart && i == KERNELS - 1) { tiny_amd.sync(o.dev); nanosleep(&tenth, NULL); }
    if (i >= KERNELS - 2) host[i - (KERNELS - 2)] = tn_driver_clock_ns();
    WANT(code_run(&o, &c, out, out, WORDS / 64, ns[i]) == TINY_OK, "%.500s", tiny_error(o.t));
  }
  WANT(tiny_amd.sync(o.dev) == TINY_OK, "%.500s", tiny_error(o.t));
  for (int i = 0; i < KERNELS; i++)
    WANT(ns[i][0] && ns[i][0] <= ns[i][1] && (!i || ns[i - 1][1] <= ns[i][0]), "kernel %d: %llu to %llu, after %llu", i,
         (unsigned long long)ns[i][0], (unsigned long long)ns[i][1], (unsigned long long)(i ? ns[i - 1][1] : 0));
  const double by_gpu = (double)(ns[KERNELS - 1][0] - ns[KERNELS - 2][0]), by_host = (double)(host[1] - host[0]);
  if (apart) WANT(fabs(by_gpu / by_host - 1) < 0.05, "%.3f ms on the GPU's clock, %.3f on the host's", by_gpu * 1e-6,
                  by_host * 1e-6);
end:
  if (out) tiny_amd.free(o.dev, out, WORDS * 4);
  if (c.module) tiny_amd.unload(o.dev, c.module);
  on_close(&o);
  return result;
}
static const char *times_in_order(void) { return timed(0); }
static const char *times_of_host(void) { return played ? "not there: a played GPU has no clock" : timed(1); }

// ** order, caches **

// Bytes from the host, two kernels that read each other's, bytes to the host, again and again at the same addresses.
static const char *caches(void) {
  static uint32_t words[WORDS], again[WORDS];
  const char *result;
  void *a = NULL, *b = NULL;
  code c = {NULL, NULL};
  on o;
  if ((result = on_open(&o)) != NULL || (result = code_make(&o, &c, next, 0, 0)) != NULL) goto end;
  a = tiny_amd.alloc(o.dev, sizeof words); b = tiny_amd.alloc(o.dev, sizeof words);
  for (uint32_t i = 0; i < (played ? 10 : 1000); i++) {
    for (uint32_t k = 0; k < WORDS; k++) words[k] = i * 977 + k;
    put(&o, a, words);
    code_run(&o, &c, b, a, WORDS / 64, NULL);
    code_run(&o, &c, a, b, WORDS / 64, NULL);
    WANT(get(&o, again, a) == TINY_OK, "%.500s", tiny_error(o.t));
    for (uint32_t k = 0; k < WORDS; k++) WANT(again[k] == words[k] + 2, "turn %u, word %u: %u, not %u", i, k, again[k],
                                              words[k] + 2);
  }
end:
  if (a) tiny_amd.free(o.dev, a, sizeof words);
  if (b) tiny_amd.free(o.dev, b, sizeof words);
  if (c.module) tiny_amd.unload(o.dev, c.module);
  on_close(&o);
  return result;
}
static const char *chain(void) {
  enum { LONG = 200 };
  static uint32_t words[WORDS];
  const char *result;
  void *a = NULL;
  code c = {NULL, NULL};
  on o;
  if ((result = on_open(&o)) != NULL || (result = code_make(&o, &c, next, 0, 0)) != NULL) goto end;
  a = tiny_amd.alloc(o.dev, sizeof words);
  memset(words, 0, sizeof words);
  put(&o, a, words);
  const int n = played ? LONG / 10 : LONG;
  for (int i = 0; i < n; i++) code_run(&o, &c, a, a, WORDS / 64, NULL);
  WANT(get(&o, words, a) == TINY_OK, "%.500s", tiny_error(o.t));
  for (uint32_t k = 0; k < WORDS; k++) WANT(words[k] == (uint32_t)n, "word %u is %u, not %d", k, words[k], n);
end:
  if (a) tiny_amd.free(o.dev, a, sizeof words);
  if (c.module) tiny_amd.unload(o.dev, c.module);
  on_close(&o);
  return result;
}
// Kernels that differ in a constant, at an address that others had.
static const char *code_replaced(void) {
  static uint32_t words[WORDS];
  const char *result;
  void *a = NULL;
  on o;
  if ((result = on_open(&o)) != NULL) goto end;
  a = tiny_amd.alloc(o.dev, sizeof words);
  for (uint32_t i = 0; i < 16; i++) {
    char body[512];
    code c;
    snprintf(body, sizeof body, BEGIN "  v_mov_b32 v3, 0x%x\n" END, (unsigned)(1000 + i));
    if ((result = code_make(&o, &c, body, 0, 0)) != NULL) goto end;
    code_run(&o, &c, a, a, WORDS / 64, NULL);
    const tiny_code got = get(&o, words, a);
    tiny_amd.unload(o.dev, c.module);
    WANT(got == TINY_OK && words[5] == 1000 + i, "kernel %u gives %u: %.400s", i, words[5], tiny_error(o.t));
  }
end:
  if (a) tiny_amd.free(o.dev, a, sizeof words);
  on_close(&o);
  return result;
}
// Each group's number, of many groups, on all dies, whose caches are their own.
static const char *dies(void) {
  const tiny_amd_gpu g = told();
  if (g.dies < 2) return "not there: the GPU is one die";
  const char *const result = kernel_gives(next, 0, 0, is_one);
  return result ? result : chain();
}

// ** the library **

static int has_clang(void) {
  char path[300];
  return tn_kfd_find_clang("", path, sizeof path);
}
#define NEEDS_CLANG do { if (!has_clang()) return "not there: no clang that knows the GPU"; } while (0)
static const char *by_clang(void) {
  static const char hip[] = "extern \"C\" __attribute__((global)) void twice(float *out, const float *in) {\n"
      "  const int i = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();\n"
      "  out[i] = 2 * in[i]; }\n";
  static float in[WORDS], out[WORDS];
  NEEDS_CLANG;
  const char *result = NULL;
  tiny_ctx *t = context(NULL, 0);
  for (int i = 0; i < WORDS; i++) in[i] = (float)i;
  tiny_tensor *x = tiny_from(t, in, TINY_F32, TINY_SHAPE(WORDS));
  tiny_tensor *y = tiny_kernel(t, &(tiny_kernel_desc){.name = "twice", .source = hip, .inputs = &x, .n = 1,
                                                      .global = {WORDS / 64}, .local = {64}});
  WANT(tiny_read(y, out, sizeof out) == TINY_OK, "%.500s", tiny_error(t));
  for (int i = 0; i < WORDS; i++) WANT(out[i] == 2 * in[i], "value %d is %g", i, (double)out[i]);
end:
  tiny_close(t);
  return result;
}
// Programs, whose values are the interpreter's: random numbers are the same on every device.
typedef tiny_tensor *program(tiny_ctx *t);
static tiny_tensor *realized(tiny_tensor *x) { tiny_realize(&x, 1); return x; }
static tiny_tensor *attention(tiny_ctx *t) {
  tiny_tensor *x = tiny_randn(t, TINY_SHAPE(33, 48)), *w = tiny_randn(t, TINY_SHAPE(48, 40));
  return tiny_softmax(tiny_matmul(x, w), -1);
}
static tiny_tensor *product_f16(tiny_ctx *t) {             // by matrix units
  tiny_tensor *x = tiny_cast(tiny_randn(t, TINY_SHAPE(64, 64)), TINY_F16);
  return tiny_cast(tiny_matmul(x, tiny_cast(tiny_randn(t, TINY_SHAPE(64, 64)), TINY_F16)), TINY_F32);
}
static tiny_tensor *learned(tiny_ctx *t) {                 // steps of a regression, by gradients
  tiny_tensor *x = realized(tiny_randn(t, TINY_SHAPE(32, 8)));
  tiny_tensor *want = realized(tiny_sum(tiny_mul(x, x), 1, 1)), *w = realized(tiny_randn(t, TINY_SHAPE(8, 1)));
  for (int i = 0; i < 5; i++) {
    tiny_tensor *d = tiny_sub(tiny_matmul(x, w), want), *loss = tiny_mean(tiny_mul(d, d), TINY_ALL, 0), *g = NULL;
    if (tiny_grad(loss, &w, 1, &g) == TINY_OK) w = realized(tiny_sub(w, tiny_mul_scalar(g, 0.05)));
  }
  return w;
}
static const char *same_values(program *p, int n, double within) {
  static float got[4096], want[4096];
  NEEDS_CLANG;
  const char *result = NULL;
  tiny_ctx *t = context(NULL, 0), *u = context("INTERP", 0);
  WANT(tiny_read(p(t), got, (size_t)n * sizeof *got) == TINY_OK, "%.500s", tiny_error(t));
  WANT(tiny_read(p(u), want, (size_t)n * sizeof *want) == TINY_OK, "the interpreter: %.500s", tiny_error(u));
  for (int i = 0; i < n; i++)
    WANT(fabs((double)got[i] - (double)want[i]) <= within * (1 + fabs((double)want[i])), "value %d is %g, not %g", i,
         (double)got[i], (double)want[i]);
end:
  tiny_close(t);
  tiny_close(u);
  return result;
}
static const char *values_f32(void) { return same_values(attention, 33 * 40, 1e-5); }
static const char *values_f16(void) { return same_values(product_f16, 4096, 1e-2); }
static const char *values_learned(void) { return same_values(learned, 8, 1e-4); }
static const char *captured(void) {
  static float in[1024], out[1024];
  NEEDS_CLANG;
  const char *result = NULL;
  tiny_ctx *t = context(NULL, 0);
  tiny_tensor *x = tiny_from(t, in, TINY_F32, TINY_SHAPE(1024)), *got;
  tiny_tensor *y = tiny_add_scalar(tiny_mul(x, tiny_sum(x, TINY_ALL, 1)), 1);              // two kernels
  tiny_program *p = tiny_capture(t, &x, 1, &y, 1);
  for (int turn = 0; turn < 5; turn++) {
    float sum = 0;
    for (int i = 0; i < 1024; i++) sum += in[i] = (float)(i % 8 + turn);
    tiny_begin(t);
    tiny_tensor *const fresh = tiny_from(t, in, TINY_F32, TINY_SHAPE(1024));
    const int read = tiny_run(p, &fresh, &got) == TINY_OK && tiny_read(got, out, sizeof out) == TINY_OK;
    tiny_end(t);
    WANT(read, "%.500s", tiny_error(t));
    for (int i = 0; i < 1024; i++) WANT(out[i] == in[i] * sum + 1, "turn %d: value %d is %g", turn, i, (double)out[i]);
  }
end:
  tiny_program_free(p);
  tiny_close(t);
  return result;
}
static const char *two_contexts(void) {
  static uint32_t words[WORDS];
  const char *result;
  void *mem = NULL;
  code c = {NULL, NULL};
  on o, p;
  if ((result = on_open(&o)) != NULL) { on_close(&o); return result; }
  if ((result = on_open(&p)) != NULL || (result = code_make(&p, &c, number, 0, 0)) != NULL) goto end;
  mem = tiny_amd.alloc(p.dev, sizeof words);
  tiny_amd.close(o.dev);                   // the first goes, with the file that it opened
  o.dev = NULL;
  WANT(mem && code_run(&p, &c, mem, mem, WORDS / 64, NULL) == TINY_OK && get(&p, words, mem) == TINY_OK &&
       words[9] == is_number(9), "%.500s", tiny_error(p.t));
end:
  if (mem) tiny_amd.free(p.dev, mem, sizeof words);
  if (c.module) tiny_amd.unload(p.dev, c.module);
  on_close(&p);
  on_close(&o);
  return result;
}
static const char *peers(void) {
  static float in[WORDS], out[WORDS];
  if (gpus < 2) return "not there: one GPU";
  const char *result = NULL;
  tiny_ctx *t = context(NULL, 1);
  for (int i = 0; i < WORDS; i++) in[i] = (float)(3 * i);
  tiny_tensor *x = realized(tiny_from(t, in, TINY_F32, TINY_SHAPE(WORDS)));
  for (int i = 0; i < 6; i++) x = realized(tiny_to(x, 1 - i % 2));
  WANT(tiny_read(x, out, sizeof out) == TINY_OK && !memcmp(in, out, sizeof in), "%.500s", tiny_error(t));
end:
  tiny_close(t);
  return result;
}

// ** what goes wrong; these come last, as a fault takes the GPU from all contexts of the process **

static const char *hang(void) {
  static uint32_t words[WORDS];
  amd_mock *const before = played;
  const char *result;
  void *mem = NULL;
  code c, d;
  tn_device_block nothing;                 // it uses none
  on o, p;
  memset(&nothing, 0, sizeof nothing);
  memset(&c, 0, sizeof c);
  memset(&d, 0, sizeof d);
  if (played) played = amd_mock_new(&(amd_mock_desc){.gpu = played->desc.gpu, .hang_launch = 1, .run = amd_run});
  if ((result = on_open(&o)) != NULL) { on_close(&o); goto other; }
  if ((result = on_open(&p)) != NULL || (result = code_make(&o, &c, endless, 0, 0)) != NULL ||
      (result = code_make(&p, &d, number, 0, 0)) != NULL) goto end;
  mem = tiny_amd.alloc(p.dev, sizeof words);
  o.d->timeout_ns = played ? 100000000 : 2000000000;
  code_run(&o, &c, &nothing, &nothing, 1, NULL);
  WANT(tiny_amd.sync(o.dev) == TINY_E_DEVICE && strstr(tiny_error(o.t), "nothing has happened"),
       "it is not told: %.400s", tiny_error(o.t));
  WANT(mem && code_run(&p, &d, mem, mem, WORDS / 64, NULL) == TINY_OK && get(&p, words, mem) == TINY_OK &&
       words[9] == is_number(9), "the other context does not go on: %.400s", tiny_error(p.t));
end:
  if (mem) tiny_amd.free(p.dev, mem, sizeof words);
  if (d.module) tiny_amd.unload(p.dev, d.module);
  if (c.module) tiny_amd.unload(o.dev, c.module);
  on_close(&o);
  on_close(&p);
other:
  if (before) { amd_mock_free(played); played = before; }
  return result;
}
static const char *after_a_hang(void) { return kernel_runs(); }
static const char *fault(void) {
  const char *result;
  code c = {NULL, NULL};
  tn_device_block nowhere;
  on o;
  memset(&nowhere, 0, sizeof nowhere);
  nowhere.va = UINT64_C(0x123456789000); nowhere.nbytes = 4096;
  if ((result = on_open(&o)) != NULL || (result = code_make(&o, &c, wild, 0, 0)) != NULL) goto end;
  code_run(&o, &c, &nowhere, &nowhere, 1, NULL);
  WANT(tiny_amd.sync(o.dev) == TINY_E_DEVICE && strstr(tiny_error(o.t), "used the address 0x123456789000"),
       "it is not told, or as: %.400s", tiny_error(o.t));
end:
  if (c.module) tiny_amd.unload(o.dev, c.module);
  on_close(&o);
  return result;
}
static const char *after_a_fault(void) { return kernel_runs(); }

static const struct { const char *name; const char *(*does)(void); } items[] = {
  {"the driver's version", driver_version}, {"what it tells of the GPU", topology},
  {"an address space, queues, events", address_space},
  {"waits that an interrupt ends", interrupts},            // before others wait, as a process has one page of events
  {"memory of the GPU", memory_of_gpu},
  {"memory of the host that both see", memory_of_host}, {"the host's own pages", memory_wrapped},
  {"memory by a file (dma-buf)", memory_shared}, {"all memory is given back", all_given_back},
  {"copies by SDMA, of every size", copies}, {"20,000 submissions, rung for one by one", doorbells},
  {"queues: PM4, or AQL on several dies", compute_queue}, {"a kernel writes", kernel_runs},
  {"a kernel reads", kernel_reads}, {"shared memory and barriers", shared_memory},
  {"64 KiB of shared memory", all_shared_memory}, {"atomic additions", atomics}, {"scratch", scratch_small},
  {"scratch that grows", scratch_grows},
  {"times are in order", times_in_order}, {"times agree with the host's clock", times_of_host},
  {"caches, between copies and kernels", caches}, {"kernels one after the other", chain},
  {"code is replaced by other code", code_replaced}, {"several dies", dies}, {"HIP C by clang", by_clang},
  {"softmax of a product, as the interpreter's", values_f32}, {"f16 by matrix units", values_f16},
  {"gradients and steps", values_learned}, {"captured programs", captured}, {"two contexts of a process", two_contexts},
  {"copies from GPU to GPU", peers}, {"a hang times out, others go on", hang}, {"a kernel after a hang", after_a_hang},
  {"a fault is told with its address", fault}, {"a kernel after a fault", after_a_fault}
};
#endif
