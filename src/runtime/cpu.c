// cpu: the processor that the host runs on, as a backend. Kernels are objects that the library makes itself (src/isa),
// or C, which clang makes objects; elf.c loads those.
//
// In:    texts, launches. Out: what struct tiny_backend asks for.
// Holds: a kernel is void NAME(void *const *mem, const long long *args, long long task, char *restrict local): mem[i]
//        is the memory of PARAM i, args[i] the bits of ARG i, task one of 0..tasks-1, local memory that no other task
//        has meanwhile; source from outside may leave that parameter out.
// One of several devices of a context has a queue (queue.c), on whose thread everything happens, in order; the only one
// does everything at once, on the thread that calls.
#ifndef TN_RUNTIME_CPU
#define TN_RUNTIME_CPU
#ifndef TINY_AMALGAMATED
#include "../base/caches.c"
#include "cpu_compiler.c"
#endif

// ** the device **

#ifndef TN_TEST_IR                         // tests: the CPU takes IR as well
  #define TN_TEST_IR 0
#endif
#if TN_CPU_BUILTIN
// The level that kernels are compiled for, by the own of their renderer: one whose vectors are as wide.
#ifdef TN_OS_ARM64
static const tn_arm64_level *tn_cpu_level(const void *own) {
  const int dots = ((const tn_cpu *)own)->facts.dots >> TINY_DOT_I8 & 1;
  return &tn_arm64_levels[dots ? TN_ARM64_DOTPROD : TN_ARM64_NEON];
}
#elif defined(TN_OS_WASM)
static const tn_wasm_level *tn_cpu_level(const void *own) { (void)own; return &tn_wasm_levels[0]; }
#else
static const tn_x86_level *tn_cpu_level(const void *own) {
  const tn_os_cpu *facts = &((const tn_cpu *)own)->facts;
  const int vnni = facts->dots >> TINY_DOT_U8_I8 & 1;
  switch (facts->vector_nbytes) {
    case 64: return &tn_x86_levels[facts->tiles ? TN_X86_AMX : vnni ? TN_X86_AVX512_VNNI : TN_X86_AVX512];
    case 32: return &tn_x86_levels[TN_X86_AVX2];
    default: return &tn_x86_levels[tn_os_cpu_has(facts, "sse4") ? TN_X86_SSE4 : TN_X86_SSE2];
  }
}
#endif
#endif
// Does the system let the library run what it makes? If not, c->why tells.
static int tn_cpu_takes_code(tn_cpu *c) {
#ifdef TN_OS_PAGE
  char said[TN_PAGE_SAID];
  if (tn_page_compiles(said)) return 1;
  snprintf(c->why, sizeof c->why, "this page runs no kernels (vectors of WebAssembly, and -sALLOW_TABLE_GROWTH, are "
           "needed): %s", said);
  return 0;
#else
  (void)c;
  return 1;
#endif
}
#ifndef TINY_RUNTIME_ONLY
static void *tn_cpu_open_for(tiny_ctx *t, const char *which, tiny_limits *limits, int takes_ir) {
  tn_os_cpu facts = tn_os_cpu_get();
  const int whole = !which || strspn(which, "0123456789") == strlen(which);      // they are all the same processor
  if (!whole && !tn_os_cpu_as(&facts, which)) {
    tiny_fail(t, TINY_E_DEVICE, "%s: there are numbers, and " TN_OS_LEVEL_NAMES " where the processor has them, "
              "no '%.100s'", takes_ir ? "LLVM" : "CPU", which);
    return NULL;
  }
  tn_cpu *c = (tn_cpu *)tn_alloc(t, sizeof *c);
  if (!c) return NULL;
  c->t = t;
  if (tn_queue_wanted(t) && !(c->queue = tn_queue_open(t, c))) { tn_release(t, c, sizeof *c); return NULL; }
  c->takes_ir = takes_ir;
  const char *compiler = t->compiler ? t->compiler : tn_os_env("TINY_CC");
  const int both = !compiler || !strcmp(compiler, "both"), found = both || !strcmp(compiler, "outside");
  c->alone = !takes_ir && compiler && !strcmp(compiler, "builtin");
  c->builtin = TN_CPU_BUILTIN && !takes_ir && (c->alone || both) && tn_cpu_takes_code(c);
  c->facts = facts;
  c->cores = tn_os_cores();
  c->seconds = t->compiler_seconds > 0 ? t->compiler_seconds : TN_CPU_SECONDS;
  tn_cpu_first_compiler(c, found ? NULL : compiler);
  memset(limits, 0, sizeof *limits);
  limits->host_memory = limits->threads = 1;
  limits->vector_nbytes = c->facts.vector_nbytes;
  limits->vector_registers = c->facts.vector_registers;
  tn_caches_get(limits->memory);
  limits->cache_nbytes = (size_t)tn_machine_near(limits);
  return c;
}
static void *tn_cpu_open(tiny_ctx *t, const char *which, tiny_limits *limits) {
  return tn_cpu_open_for(t, which, limits, TN_TEST_IR);
}
static void *tn_cpu_open_llvm(tiny_ctx *t, const char *which, tiny_limits *limits) {
  return tn_cpu_open_for(t, which, limits, 1);
}
static const char *tn_cpu_target(void *dev) { return ((tn_cpu *)dev)->target; }
#if TN_CPU_BUILTIN
// A kernel as an object; where the built-in compiler refuses it, which debug letter d tells, as C, or nothing.
static tiny_code tn_cpu_builtin_kernel(tiny_ctx *t, const tiny_renderer *r, const tiny_listing *k, tiny_bytes *out,
                                       uint64_t *uses) {
  *uses = 0;
  const tn_cpu *c = (const tn_cpu *)r->own;
  int units = 0;
  for (int i = 0; i < k->n; i++) units |= k->list[i]->op == TINY_OP_WMMA;
  const char *why = TN_CPU_BUILTIN_OBJECT(t, k, tn_cpu_level(c), out);
  if (!why) return t->code;
  tiny_log_line(t, 'd', "CPU: the built-in compiler refuses %s: %s", k->name, why);
  return t->code == TINY_OK && tn_cpu_has_compiler_for(c, units) ? tn_cstyle_kernel(t, r, k, out, uses) : t->code;
}
static tiny_code tn_cpu_builtin_module(tiny_ctx *t, const tiny_renderer *r, const tiny_rendered *kernels, int n,
                                       tiny_bytes *out) {
  if (n != 1 || !tn_cpu_is_object(kernels->data, kernels->n))
    return tn_cstyle_module(t, r, kernels, n, out);
  tiny_bytes_add(out, kernels->data, kernels->n);
  return t->code;
}
static void tn_cpu_builtin_renderer(const tn_cpu *c, tiny_renderer *r) {
  tn_cstyle(r);
  r->own = c;
  r->flags = (r->flags & ~(uint32_t)TINY_TARGET_OPTIMIZES) | TINY_TARGET_ALONE;
#if defined(TN_OS_ARM64)
  r->name = "C and arm64";
#elif defined(TN_OS_WASM)
  r->name = "wasm";
  r->flags |= TINY_TARGET_NO_STACK;
#else
  r->name = "C and x86-64";
#endif
  r->kernel = tn_cpu_builtin_kernel;
  r->module = tn_cpu_builtin_module;
}
#endif
// Has it FMA of f32 and f64?
static int tn_cpu_fuses(const tn_cpu *c) {
#ifdef TN_OS_ARM64
  (void)c;
  return 1;
#else
  return c->facts.vector_nbytes >= 32;      // AVX2 is taken for there where FMA is, too
#endif
}
// Has it conversions of f16?
static int tn_cpu_casts_f16(const tn_cpu *c) {
#if defined(TN_OS_ARM64)
  (void)c;
  return 1;
#elif defined(TN_OS_X86)
  return c->facts.vector_nbytes >= 32 && (c->facts.features[0] >> 29 & 1);     // F16C: Intel SDM vol. 2A, CPUID
#else
  (void)c;
  return 0;
#endif
}
static void tn_cpu_renderer(void *dev, tiny_renderer *out) {
  const tn_cpu *c = (const tn_cpu *)dev;
  if (c->takes_ir) {
    tn_lang_llvm(out, c->facts.vector_nbytes == 64, tn_cpu_fuses(c));
#ifndef TN_OS_ARM64                          // its dot products have no text there
    out->dots = (uint32_t)c->facts.dots;
#endif
    return;
  }
  tn_lang_c(out);
  if (!tn_cpu_fuses(c)) out->language.ops[TINY_OP_FMA] = out->language.vops[TINY_OP_FMA] = NULL;
  if (tn_cpu_casts_f16(c)) tn_lang_c_f16(out);
  for (int i = 0; i < TINY_DOT_COUNT; i++) if (c->facts.dots >> i & 1) out->language.dots[i] = tn_c_dots[i];
  if (c->facts.tiles && c->builtin) {          // see tn_cpu_has_compiler_for
    out->units = tn_c_units;
    out->nunits = TN_C_UNITS;
    out->units_allowed = tn_os_tiles_allowed;
  }
#if TN_CPU_BUILTIN
  if (c->builtin) tn_cpu_builtin_renderer(c, out);
#endif
}
#endif

// ** memory **

// Big buffers get huge pages, unless the host brought an allocator: then every byte is asked of it.
static int tn_cpu_paged(const tiny_ctx *t, size_t nbytes) {
  return nbytes >= TN_CPU_HUGE && t->alloc.fn == tn_default_alloc;
}

// The byte before an aligned block tells how far it was moved.
static void *tn_cpu_aligned_alloc(tiny_ctx *t, size_t nbytes) {
  if (nbytes > (size_t)-1 - TN_OS_HUGE) return NULL;
  if (tn_cpu_paged(t, nbytes)) return tn_os_pages_alloc(nbytes);
  char *p = (char *)tiny_realloc(t, NULL, 0, nbytes + TN_CPU_ALIGN);
  if (!p) return NULL;
  const size_t moved = TN_CPU_ALIGN - ((uintptr_t)p & (TN_CPU_ALIGN - 1));
  p[moved - 1] = (char)moved;
  return p + moved;
}
static void tn_cpu_aligned_free(tiny_ctx *t, void *mem, size_t nbytes) {
  if (!mem) return;
  if (tn_cpu_paged(t, nbytes)) { tn_os_pages_free(mem, nbytes); return; }
  char *p = (char *)mem;
  tiny_realloc(t, p - p[-1], nbytes + TN_CPU_ALIGN, 0);
}

// What was freed may be waiting for what uses it: where memory is refused, that is waited for.
static void *tn_cpu_alloc(void *dev, size_t nbytes) {
  const tn_cpu *c = (const tn_cpu *)dev;
  if (!tn_cpu_queue(c)) return tn_cpu_aligned_alloc(c->t, nbytes);
  tn_queue_reap(c->queue);
  void *mem = tn_cpu_aligned_alloc(c->t, nbytes);
  if (mem) return mem;
  tn_queue_drain(c->queue);
  return tn_cpu_aligned_alloc(c->t, nbytes);
}

// Memory, or a module.
typedef struct tn_cpu_gone { void *it; size_t nbytes; } tn_cpu_gone;
static void tn_cpu_later_free(void *dev, void *item) {
  const tn_cpu_gone *u = (const tn_cpu_gone *)item;
  tn_cpu_aligned_free(((tn_cpu *)dev)->t, u->it, u->nbytes);
}
static void tn_cpu_later_unload(void *dev, void *item) {
#ifdef TN_OS_PAGE
  tn_page_unload(((tn_cpu *)dev)->t, (tn_page_image *)((const tn_cpu_gone *)item)->it);
#else
  tn_elf_unload(((tn_cpu *)dev)->t, (tn_elf *)((const tn_cpu_gone *)item)->it);
#endif
}
// ends(it) once everything that was given before has happened.
static void tn_cpu_let_go(tn_cpu *c, tn_queue_fn ends, void *it, size_t nbytes) {
  const tn_cpu_gone now = {it, nbytes};
  tn_cpu_gone *u = tn_cpu_queue(c) ? (tn_cpu_gone *)tn_queue_room(c->queue, NULL, ends, sizeof *u) : NULL;
  if (!u) { ends(c, (void *)(uintptr_t)&now); return; }
  *u = now;
  tn_queue_push(c->queue);
}
static void tn_cpu_free(void *dev, void *mem, size_t nbytes) {
  tn_cpu_let_go((tn_cpu *)dev, tn_cpu_later_free, mem, nbytes);
}

// Slots for launches that give so much to each task, instead of what was there.
static tiny_code tn_cpu_reserve(void *dev, size_t local_nbytes) {
  tn_cpu *c = (tn_cpu *)dev;
  const size_t nbytes = (local_nbytes + 2 * TN_CPU_ALIGN - 1) / TN_CPU_ALIGN * TN_CPU_ALIGN;
  if (nbytes <= c->local_nbytes) return TINY_OK;
  const int slots = tn_cpu_queue(c) ? tn_queue_threads(c->queue) : tn_pool_most(c->t);
  char *fresh = (char *)tn_cpu_alloc(c, nbytes * (size_t)slots);
  if (!fresh)
    return tiny_fail(c->t, TINY_E_MEMORY, "CPU: no memory for the %llu bytes that each of %d threads works in",
                     (unsigned long long)nbytes, slots);
  if (tn_cpu_queue(c)) tn_queue_drain(c->queue);  // launches use what was there
  tn_cpu_aligned_free(c->t, c->local, c->local_nbytes * (size_t)c->slots);
  for (int i = 0; i < slots; i++) memset(fresh + (size_t)i * nbytes, 0, TN_CPU_ALIGN);
  c->local = fresh; c->local_nbytes = nbytes; c->slots = slots;
  return TINY_OK;
}
static void tn_cpu_close(void *dev) {
  tn_cpu *c = (tn_cpu *)dev;
  if (tn_cpu_queue(c)) tn_queue_close(c->queue);
  tn_cpu_aligned_free(c->t, c->local, c->local_nbytes * (size_t)c->slots);
  tn_release(c->t, c, sizeof *c);
}

typedef struct tn_cpu_copy { void *to; const void *from; size_t nbytes; } tn_cpu_copy;
static void tn_cpu_later_copy(void *dev, void *item) {
  const tn_cpu_copy *u = (const tn_cpu_copy *)item;
  (void)dev;
  memcpy(u->to, u->from ? u->from : u + 1, u->nbytes);
}
static void *tn_cpu_at(tiny_mem m) { return (char *)m.base + m.offset; }

// What is small is taken along; with what is too large for the queue, everything before it is waited for.
static tiny_code tn_cpu_copy_in(void *dev, tiny_mem dst, const void *src, size_t nbytes) {
  const tn_cpu *c = (const tn_cpu *)dev;
  if (!nbytes) return TINY_OK;
  const size_t all = sizeof(tn_cpu_copy) + nbytes;
  tn_cpu_copy *u = c->queue ? (tn_cpu_copy *)tn_queue_room(c->queue, tn_cpu_later_copy, NULL, all) : NULL;
  if (!u) { memcpy(tn_cpu_at(dst), src, nbytes); return TINY_OK; }
  u->to = tn_cpu_at(dst); u->from = NULL; u->nbytes = nbytes;
  memcpy(u + 1, src, nbytes);
  tn_queue_push(c->queue);
  return TINY_OK;
}
static tiny_code tn_cpu_copy_from(void *dev, tiny_mem dst, void *from, tiny_mem src, size_t nbytes) {
  const tn_cpu *c = (const tn_cpu *)dev;
  (void)from;
  if (!nbytes) return TINY_OK;
  tn_cpu_copy *u = c->queue ? (tn_cpu_copy *)tn_queue_room(c->queue, tn_cpu_later_copy, NULL, sizeof *u) : NULL;
  if (!u) { memcpy(tn_cpu_at(dst), tn_cpu_at(src), nbytes); return TINY_OK; }
  u->to = tn_cpu_at(dst); u->from = tn_cpu_at(src); u->nbytes = nbytes;
  tn_queue_push(c->queue);
  return TINY_OK;
}
static tiny_code tn_cpu_sync(void *dev) {
  const tn_cpu *c = (const tn_cpu *)dev;
  return c->queue ? tn_queue_sync(c->queue) : TINY_OK;
}
static tiny_code tn_cpu_copy_out(void *dev, void *dst, tiny_mem src, size_t nbytes) {
  const tiny_code code = tn_cpu_sync(dev);
  if (nbytes && code == TINY_OK) memcpy(dst, tn_cpu_at(src), nbytes);
  return code;
}

static void *tn_cpu_event(void *dev) {
  const tn_cpu *c = (const tn_cpu *)dev;
  return (void *)(uintptr_t)(c->queue ? tn_queue_event_new(c->queue) : &tn_queue_happened);
}
static tiny_code tn_cpu_wait(void *dev, void *event) {
  tn_queue_wait(((const tn_cpu *)dev)->queue, (const tn_queue_event *)event);
  return TINY_OK;
}
static void tn_cpu_event_free(void *dev, void *event) {
  tn_queue_event_free(((const tn_cpu *)dev)->t, (const tn_queue_event *)event);
}

// ** modules and launches **

#ifndef TINY_RUNTIME_ONLY
// What is an object already is taken as it is; the others go to the compiler.
static tiny_code tn_cpu_compile(void *dev, int n, const tiny_bytes *source, tiny_bytes *binary, tiny_bytes *log) {
  tn_cpu *c = (tn_cpu *)dev;
  if (!c->builtin) return tn_cpu_compile_rest(dev, n, source, binary, log);
  tiny_code code = TINY_OK;
  for (int from = 0, to; from < n && code == TINY_OK; from = to) {
    to = from + 1;
    if (tn_cpu_is_object(source[from].data, source[from].n)) {
      tiny_bytes_add(&binary[from], source[from].data, source[from].n);
      continue;
    }
    while (to < n && !tn_cpu_is_object(source[to].data, source[to].n)) to++;
    code = tn_cpu_compile_rest(dev, to - from, source + from, binary + from, log);
  }
  return code;
}
#endif

#ifdef TN_OS_PAGE
static void *tn_cpu_load(void *dev, const void *binary, size_t nbytes) {
  return tn_page_load(((tn_cpu *)dev)->t, binary, nbytes);
}
#else
// What compiled kernels may call: clang makes calls of the first four by itself, the others come from the
// language.
#define TN_CPU_F1(name) { #name, (void (*)(void))(double (*)(double))name }, \
                        { #name "f", (void (*)(void))(float (*)(float))name##f }
#define TN_CPU_F2(name) { #name, (void (*)(void))(double (*)(double, double))name }, \
                        { #name "f", (void (*)(void))(float (*)(float, float))name##f }
#define TN_CPU_F3(name) { #name, (void (*)(void))(double (*)(double, double, double))name }, \
                        { #name "f", (void (*)(void))(float (*)(float, float, float))name##f }
static void *tn_cpu_load(void *dev, const void *binary, size_t nbytes) {
  static const tn_elf_name names[] = {
    { "memcpy", (void (*)(void))memcpy }, { "memmove", (void (*)(void))memmove },
    { "memset", (void (*)(void))memset }, { "memcmp", (void (*)(void))memcmp },
    TN_CPU_F1(exp2), TN_CPU_F1(exp), TN_CPU_F1(log2), TN_CPU_F1(log), TN_CPU_F1(sin), TN_CPU_F1(cos),
    TN_CPU_F1(sqrt), TN_CPU_F1(trunc), TN_CPU_F1(floor), TN_CPU_F1(ceil), TN_CPU_F1(rint), TN_CPU_F1(round),
    TN_CPU_F1(nearbyint), TN_CPU_F2(fmod), TN_CPU_F2(pow), TN_CPU_F2(fmin), TN_CPU_F2(fmax), TN_CPU_F3(fma)
  };
  tn_cpu *c = (tn_cpu *)dev;
  tn_elf *image = NULL;
  const int n = (int)(sizeof names / sizeof *names);
  if (c->barred) tiny_fail(c->t, TINY_E_DEVICE, "CPU: the system does not let memory be executed that was written");
  else c->barred = tn_elf_load(c->t, binary, nbytes, TN_CPU_MACHINE, names, n, &image) == TINY_E_DEVICE;
  return image;
}
#undef TN_CPU_F1
#undef TN_CPU_F2
#undef TN_CPU_F3
#endif
static void tn_cpu_unload(void *dev, void *module) {
  if (module) tn_cpu_let_go((tn_cpu *)dev, tn_cpu_later_unload, module, 0);
}
static void *tn_cpu_find(void *dev, void *module, const char *kernel) {
  (void)dev;
#ifdef TN_OS_PAGE
  (void)kernel;
  return tn_page_symbol((const tn_page_image *)module);
#else
  return tn_elf_symbol((const tn_elf *)module, kernel);
#endif
}

// over: NULL, or where tiny_cancel asks; it means this launch if that stands in the queue at `place`, behind *from.
typedef struct tn_cpu_call {
  tn_cpu *c; tn_cpu_kernel kernel; void *const *mem; const long long *args;
  int64_t *over, *from, place;             // from: NULL: there is no queue
} tn_cpu_call;
// Are the tasks that nobody has begun not wanted any more? What cancels is looked at first, and the context's thread
// looks at it once more when it has moved *from: it knows of every launch that was left.
static int tn_cpu_is_over(const tn_cpu_call *x) {
  return x->over && tn_os_atomic_load(x->over) && (!x->from || tn_os_atomic_load(x->from) <= x->place);
}
static void tn_cpu_task(void *arg, int i) {
  const tn_cpu_call *call = (const tn_cpu_call *)arg;
  if (!tn_cpu_is_over(call)) call->kernel(call->mem, call->args, i, NULL);
}

// Takes a slot that is free. Threads differ by their stacks: each begins its search elsewhere, and with the slot that
// it had before, which is in its core's cache. More tasks at a time than slots wait for each other.
static char *tn_cpu_take_slot(const tn_cpu *c) {
  const int here = 0;
  const uint64_t from = tn_hash_mix(0, (uint64_t)(uintptr_t)&here >> 14) % (uint64_t)c->slots;
  for (uint64_t i = from;; i = (i + 1) % (uint64_t)c->slots) {
    char *slot = c->local + (size_t)i * c->local_nbytes;
    int64_t *users = (int64_t *)(void *)slot;
    if (tn_os_atomic_load(users)) tn_os_relax();
    else if (!tn_os_atomic_add(users, 1)) return slot;
    else tn_os_atomic_add(users, -1);
  }
}
static void tn_cpu_task_with_local(void *arg, int i) {
  const tn_cpu_call *call = (const tn_cpu_call *)arg;
  if (tn_cpu_is_over(call)) return;
  char *slot = tn_cpu_take_slot(call->c);
  call->kernel(call->mem, call->args, i, slot + TN_CPU_ALIGN);
  tn_os_atomic_add((int64_t *)(void *)slot, -1);
}

// A launch that waits in the queue; its arguments and then the addresses of its memory follow.
typedef struct tn_cpu_launched {
  tn_cpu_kernel kernel; int tasks, nargs;
  size_t local_nbytes; uint64_t *stamp;
} tn_cpu_launched;
static void tn_cpu_later_launch(void *dev, void *item) {
  const tn_cpu_launched *u = (const tn_cpu_launched *)item;
  const int64_t *args = (const int64_t *)(const void *)(u + 1);
  tn_cpu *c = (tn_cpu *)dev;
  const tn_cpu_call call = {c, u->kernel, (void *const *)(const void *)(args + u->nargs), (const long long *)args,
                            &c->t->cancel, tn_queue_cancellable(c->queue), tn_queue_place(c->queue)};
  if (u->local_nbytes && u->local_nbytes + TN_CPU_ALIGN > c->local_nbytes) {
    tn_queue_fail(c->queue, TINY_E_INTERNAL, "CPU: a launch wants LOCAL memory that nobody has reserved");
    return;
  }
  if (u->stamp) u->stamp[0] = tn_os_now();
  tn_queue_run(c->queue, u->tasks, u->local_nbytes ? tn_cpu_task_with_local : tn_cpu_task, (void *)(uintptr_t)&call);
  if (u->stamp) u->stamp[1] = tn_os_now();
}
// 0: too large for the queue; everything has happened.
static int tn_cpu_launch_later(tn_cpu *c, const tiny_launch *l) {
  const size_t nargs = (size_t)l->nargs, nmem = (size_t)l->nmem;
  tn_cpu_launched *u = (tn_cpu_launched *)tn_queue_room(c->queue, tn_cpu_later_launch, NULL,
                                                        sizeof *u + nargs * sizeof *l->args + nmem * sizeof(void *));
  if (!u) return 0;
  int64_t *args = (int64_t *)(void *)(u + 1);
  void **mem = (void **)(void *)(args + nargs);
  memcpy(&u->kernel, &l->kernel, sizeof u->kernel);
  u->tasks = l->tasks < 1 ? 1 : (int)l->tasks;
  u->nargs = l->nargs;
  u->local_nbytes = l->local_nbytes; u->stamp = l->stamp;
  if (nargs) memcpy(args, l->args, nargs * sizeof *args);
  for (size_t i = 0; i < nmem; i++) mem[i] = tn_cpu_at(l->mem[i]);
  tn_queue_push(c->queue);
  return 1;
}

// ** a launch that may end before all of its tasks have run **

// Tasks `at`.. of a launch: each thread takes one after the other, as long as a task is expected to end in time.
typedef struct tn_cpu_part {
  int64_t at, n;                           // the first that nobody has taken; how many the launch has
  uint64_t until, expected;                // when it is to be over; what a task takes, 0: nobody knows. In ns
  int64_t must;                            // so many tasks run in any case
  uint64_t *longest; int threads;          // of each thread's tasks, in ns; on so many at most
  void (*task)(void *arg, int i); const tn_cpu_call *call;
} tn_cpu_part;

static void tn_cpu_part_share(void *arg, int thread) {
  tn_cpu_part *p = (tn_cpu_part *)arg;
  uint64_t now = tn_os_now(), longest = 0;
  while (!tn_cpu_is_over(p->call)) {
    if (now + p->expected > p->until && tn_os_atomic_add(&p->must, -1) <= 0) break;
    const int64_t i = tn_os_atomic_add(&p->at, 1);
    if (i >= p->n) break;
    p->task((void *)(uintptr_t)p->call, (int)i);
    const uint64_t then = tn_os_now();
    if (then - now > longest) longest = then - now;
    now = then;
  }
  p->longest[thread] = longest;
}
// Runs tasks of the part; at: the first that is left, or n. expected: the longest of those that ran.
static void tn_cpu_part_run(tiny_ctx *t, tn_cpu_part *p) {
  const int64_t left = p->n - p->at;
  const int threads = left < p->threads ? (int)left : p->threads;
  memset(p->longest, 0, (size_t)threads * sizeof *p->longest);
  tiny_parallel(t, threads, tn_cpu_part_share, p);
  p->expected = 0;
  for (int i = 0; i < threads; i++) if (p->longest[i] > p->expected) p->expected = p->longest[i];
  if (p->at > p->n) p->at = p->n;
}
// What a task is expected to take, after one took ns.
static void tn_cpu_part_learn(uint64_t *expected, uint64_t ns) {
  const uint64_t most = *expected ? *expected + *expected / 2 : ns;
  if (ns > *expected) *expected = ns < most ? ns : most;
  else *expected -= (*expected - ns) / 16;
}

// part: NULL: all tasks.
static tiny_code tn_cpu_launch_now(tn_cpu *c, const tiny_launch *l, tn_cpu_part *part) {
  tiny_ctx *t = c->t;
  void *few[TN_CPU_PARAMS], **mem = few;
  const tiny_mem *const from = l->mem;
  uint64_t *const stamp = l->stamp;
  tn_cpu_call call;
  const size_t nbytes = (size_t)l->nmem * sizeof *mem;
  if (l->nmem > TN_CPU_PARAMS) mem = (void **)tiny_realloc(t, NULL, 0, nbytes);
  if (!mem) return tiny_fail(t, TINY_E_MEMORY, "CPU: no memory to launch a kernel of %d parameters", l->nmem);
  for (int i = 0; i < l->nmem; i++) mem[i] = (char *)from[i].base + from[i].offset;
  memcpy(&call.kernel, &l->kernel, sizeof call.kernel);
  call.mem = mem; call.args = (const long long *)(const void *)l->args; call.c = c;
  call.over = t->cancellable ? &t->cancel : NULL; call.from = NULL; call.place = 0;
  void (*const task)(void *arg, int i) = l->local_nbytes ? tn_cpu_task_with_local : tn_cpu_task;
  if (stamp) stamp[0] = tn_os_now();
  if (part) { part->task = task; part->call = &call; tn_cpu_part_run(t, part); }
  else tiny_parallel(t, l->tasks < 1 ? 1 : (int)l->tasks, task, &call);
  if (stamp) stamp[1] = tn_os_now();
  if (mem != few) tn_release(t, mem, nbytes);
  return TINY_OK;
}
static tiny_code tn_cpu_launch(void *dev, const tiny_launch *l) {
  tn_cpu *c = (tn_cpu *)dev;
  if (l->tasks > INT_MAX)
    return tiny_fail(c->t, TINY_E_DEVICE, "CPU: %lld tasks are too many", (long long)l->tasks);
  return tn_cpu_queue(c) && tn_cpu_launch_later(c, l) ? TINY_OK : tn_cpu_launch_now(c, l, NULL);
}
#ifndef TINY_RUNTIME_ONLY
static const tiny_backend tn_cpu_backend = {
  TINY_BACKEND_VERSION, "CPU", tn_cpu_open, tn_cpu_close, tn_cpu_target, tn_cpu_renderer,
  tn_cpu_alloc, tn_cpu_free, tn_cpu_copy_in, tn_cpu_copy_out, tn_cpu_copy_from, NULL, tn_cpu_compile,
  tn_cpu_load, NULL, tn_cpu_unload, tn_cpu_find, tn_cpu_launch, NULL, tn_cpu_event, tn_cpu_wait, tn_cpu_event_free,
  tn_cpu_sync, tn_cpu_reserve
};
// The same processor, by LLVM IR: needs clang 15 or later.
static const tiny_backend tn_llvm_backend = {
  TINY_BACKEND_VERSION, "LLVM", tn_cpu_open_llvm, tn_cpu_close, tn_cpu_target, tn_cpu_renderer,
  tn_cpu_alloc, tn_cpu_free, tn_cpu_copy_in, tn_cpu_copy_out, tn_cpu_copy_from, NULL, tn_cpu_compile,
  tn_cpu_load, NULL, tn_cpu_unload, tn_cpu_find, tn_cpu_launch, NULL, tn_cpu_event, tn_cpu_wait, tn_cpu_event_free,
  tn_cpu_sync, tn_cpu_reserve
};
// Ours, or a copy of it: what it compiles is for what the CPU says, which a dev of tn_cpu_open alone can tell.
static int tn_is_cpu(const tiny_backend *b) { return b->target == tn_cpu_target; }
// Can launches of the device end after any of their tasks? Not in a queue.
static int tn_cpu_takes_parts(const tiny_backend *b, const void *dev) {
  return b->launch == tn_cpu_launch && !((const tn_cpu *)dev)->queue;
}
static struct tn_queue *tn_cpu_queue_of(const tiny_backend *b, const void *dev) {
  return b->launch == tn_cpu_launch ? ((const tn_cpu *)dev)->queue : NULL;
}
// Whose threads run its tasks; NULL: one alone.
static struct tn_pool *tn_cpu_pool(const void *dev) {
  const tn_cpu *c = (const tn_cpu *)dev;
  return c->queue ? tn_queue_pool(c->queue) : c->t->pool;
}
// Does one run what is compiled for the other?
static int tn_cpu_is_alike(const void *dev, const void *other) {
  const tn_cpu *a = (const tn_cpu *)dev, *b = (const tn_cpu *)other;
  return a->takes_ir == b->takes_ir && a->builtin == b->builtin && a->facts.vector_nbytes == b->facts.vector_nbytes &&
         a->facts.march == b->facts.march && a->facts.tiles == b->facts.tiles;
}
#endif
// How functions of its binaries are called, and the bits of instructions that they may use.
static const char *tn_cpu_abi(void) {
#if defined(TN_OS_X86) && defined(_WIN32)
  return "x86-64 Windows";
#elif defined(TN_OS_X86)
  return "x86-64 SysV";
#elif defined(TN_OS_ARM64)
  return "AArch64";
#elif defined(TN_OS_WASM)
  return "wasm32";
#else
  return "unknown";
#endif
}
static const uint32_t *tn_cpu_features(const void *dev) { return ((const tn_cpu *)dev)->facts.features; }
#endif
