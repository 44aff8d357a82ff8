// program: from texts to libraries, pipeline states and kernels.
//
// In:    texts as lang_metal writes them, or foreign ones. Out: as the binary a text that was compiled once, behind a
//        line with its hash, and behind it what the GPU's compiler made of it (an MTLBinaryArchive), where the system
//        gives that away; modules, kernels. A foreign binary is a .metallib.
// Holds: Metal compiles texts of a call in parallel. What it made of a text is kept until the text is loaded. What the
//        compiler said is in the error. Fast math is off: results are those of the language's rules.
#ifndef TN_METAL_PROGRAM
#define TN_METAL_PROGRAM
#ifndef TINY_AMALGAMATED
#include "memory.m"
#endif

enum { TN_METAL_HEAD = 40, TN_METAL_FRESH = 64, TN_METAL_LOG = 1500 };

// A library that was compiled, by the hash of its text.
typedef struct tn_metal_fresh {
  struct tn_metal_fresh *next; uint64_t hash; size_t nbytes; TN_UNOWNED id<MTLLibrary> library;
} tn_metal_fresh;
typedef struct tn_metal_kernel {
  struct tn_metal_kernel *next; struct tn_metal_module *module; tn_metal *device;
  TN_UNOWNED id<MTLComputePipelineState> pipeline;
  uint32_t writes; int items; char name[64];                 // writes: bit per PARAM; items: of a group, at most
} tn_metal_kernel;
typedef struct tn_metal_module {
  TN_UNOWNED id<MTLLibrary> library; TN_UNOWNED id<MTLBinaryArchive> archive;
  tn_metal_kernel *kernels; size_t nbytes; char *text;       // nbytes: of this struct and the text behind it
} tn_metal_module;

// FNV-1a: Fowler, Noll and Vo.
static uint64_t tn_metal_hash(const void *data, size_t nbytes) {
  uint64_t h = UINT64_C(0xCBF29CE484222325);
  for (size_t i = 0; i < nbytes; i++) h = (h ^ ((const unsigned char *)data)[i]) * UINT64_C(0x100000001B3);
  return h;
}

// ** libraries **

static id<MTLLibrary> tn_metal_library_new(const tn_metal *d, const char *text, size_t nbytes, NSError **error) {
  NSString *source = [[NSString alloc] initWithBytes:text length:nbytes encoding:NSUTF8StringEncoding];
  MTLCompileOptions *options = [[MTLCompileOptions alloc] init];
  [options setLanguageVersion:(MTLLanguageVersion)((unsigned)(d->version / 10) << 16 | (unsigned)(d->version % 10))];
#ifdef TN_METAL_SDK_15
  if (TN_SINCE(15.0, 18.0, options, "setMathMode:")) [options setMathMode:MTLMathModeSafe];
  else
#endif
  {
    TN_DEPRECATED
    [options setFastMathEnabled:NO];
    TN_DEPRECATED_END
  }
  id<MTLLibrary> library = source ? [d->gpu newLibraryWithSource:source options:options error:error] : nil;
#ifndef TN_METAL_ARC
  [source release];
  [options release];
#endif
  return library;
}

// Texts that are compiled at the same time; objects are retained.
typedef struct tn_metal_job {
  const tiny_bytes *source; TN_UNOWNED id<MTLLibrary> library; TN_UNOWNED NSError *error;
} tn_metal_job;
typedef struct tn_metal_jobs { const tn_metal *d; tn_metal_job *job; } tn_metal_jobs;
static void tn_metal_job_run(void *arg, int i) {
  const tn_metal_jobs *all = (const tn_metal_jobs *)arg;
  tn_metal_job *j = &all->job[i];
  TN_POOL
    NSError *error = nil;
    id<MTLLibrary> library = tn_metal_library_new(all->d, j->source->data, j->source->n, &error);
    j->library = TN_NEW(id<MTLLibrary>, library);
    j->error = error ? TN_RETAINED(NSError *, error) : nil;
  TN_POOL_END
}

// Keeps a library until its text is loaded; the oldest goes where there are many.
static void tn_metal_fresh_drop(tn_metal *d, tn_metal_fresh **at) {
  tn_metal_fresh *f = *at;
  *at = f->next;
  TN_DROP(f->library);
  tiny_realloc(d->t, f, sizeof *f, 0);
}
static void tn_metal_fresh_add(tn_metal *d, const tiny_bytes *source, id<MTLLibrary> library) {
  tn_metal_fresh *f = (tn_metal_fresh *)tiny_realloc(d->t, NULL, 0, sizeof *f);
  int n = 0;
  if (!f) { TN_DROP(library); return; }
  f->next = d->fresh; f->hash = tn_metal_hash(source->data, source->n); f->nbytes = source->n;
  f->library = library;
  d->fresh = f;
  for (tn_metal_fresh **at = &d->fresh; *at; at = &(*at)->next)
    if (++n > TN_METAL_FRESH) { tn_metal_fresh_drop(d, at); return; }
}
// The library of a text, no longer kept; nil: there is none.
static id<MTLLibrary> tn_metal_fresh_take(tn_metal *d, uint64_t hash, size_t nbytes) {
  for (tn_metal_fresh **at = &d->fresh, *f; (f = *at) != NULL; at = &f->next) {
    if (f->hash != hash || f->nbytes != nbytes) continue;
    id<MTLLibrary> library = f->library;
    *at = f->next;
    tiny_realloc(d->t, f, sizeof *f, 0);
    return library;
  }
  return nil;
}

// ** compile **

static void tn_metal_head(const tn_metal *d, const char *text, size_t nbytes, char out[TN_METAL_HEAD + 1]) {
  snprintf(out, TN_METAL_HEAD + 1, "// MSL %02u %016llx %012llx\n", (unsigned)d->version % 100,
           (unsigned long long)tn_metal_hash(text, nbytes), (unsigned long long)nbytes & 0xFFFFFFFFFFFFu);
}
static tiny_code tn_metal_said(tn_metal *d, tn_metal_job *j, tiny_bytes *binary, tiny_bytes *log) {
  char text[TN_METAL_LOG], head[TN_METAL_HEAD + 1];
  if (j->error) {                          // also of warnings
    tn_metal_text(j->error, text, sizeof text);
    tiny_bytes_add(log, text, strlen(text));
    tiny_bytes_add(log, "\n", 1);
  }
  if (!j->library)
    return tiny_fail(d->t, TINY_E_COMPILE, "%s: Metal's compiler does not take a kernel:\n%s", d->name,
                     j->error ? text : "the text is no UTF-8");
  tn_metal_head(d, j->source->data, j->source->n, head);
  tiny_bytes_add(binary, head, strlen(head));
  tiny_bytes_add(binary, j->source->data, j->source->n);
  tn_metal_fresh_add(d, j->source, j->library);
  j->library = nil;
  return TINY_OK;
}
static tiny_code tn_metal_compile_now(tn_metal *d, int n, const tiny_bytes *source, tiny_bytes *binary,
                                      tiny_bytes *log) {
  const size_t nbytes = (size_t)n * sizeof(tn_metal_job);
  tn_metal_job *job = (tn_metal_job *)tiny_realloc(d->t, NULL, 0, nbytes + 1);
  const tn_metal_jobs jobs = {d, job};
  tiny_code code = TINY_OK;
  if (!job) return tiny_fail(d->t, TINY_E_MEMORY, "%s: no memory to compile with", d->name);
  memset(job, 0, nbytes);
  for (int i = 0; i < n; i++) job[i].source = &source[i];
  if (n > 1) tiny_parallel(d->t, n, tn_metal_job_run, (void *)(uintptr_t)&jobs);
  else if (n) tn_metal_job_run((void *)(uintptr_t)&jobs, 0);
  for (int i = 0; i < n; i++) {
    if (code == TINY_OK) code = tn_metal_said(d, &job[i], &binary[i], log);
    if (job[i].library) TN_DROP(job[i].library);
    if (job[i].error) TN_DROP(job[i].error);
  }
  tiny_realloc(d->t, job, nbytes + 1, 0);
  return code;
}
static tiny_code tn_metal_compile(void *dev, int n, const tiny_bytes *source, tiny_bytes *binary, tiny_bytes *log) {
  tiny_code code;
  TN_POOL code = tn_metal_compile_now((tn_metal *)dev, n, source, binary, log); TN_POOL_END
  return code;
}

// ** which memory a kernel writes **

// Does the text begin as lang_metal's do? The first line is for matrix units.
static int tn_metal_is_own(const char *text) {
  for (int i = strncmp(text, tn_metal_prelude[0], strlen(tn_metal_prelude[0])) != 0; tn_metal_prelude[i]; i++) {
    const size_t n = strlen(tn_metal_prelude[i]);
    if (strncmp(text, tn_metal_prelude[i], n) != 0 || text[n] != '\n') return 0;
    text += n + 1;
  }
  return 1;
}
// The parameters of a kernel, from behind its ( on; NULL: it is not in the text.
static const char *tn_metal_parameters(const char *text, const char *name) {
  char head[96];
  snprintf(head, sizeof head, " void %.80s(", name);
  const char *at = strstr(text, head);
  return at ? at + strlen(head) : NULL;
}
// A parameter that is no constant memory: "device float *p0 [[buffer(0)]]". All, where the text does not tell.
static uint32_t tn_metal_writes(const tn_metal_module *m, const char *name) {
  static const char buffer[] = "[[buffer(";
  const char *at = m->text && tn_metal_is_own(m->text) ? tn_metal_parameters(m->text, name) : NULL;
  uint32_t writes = 0;
  if (!at) return ~(uint32_t)0;
  for (const char *end; (end = strstr(at, "]]")) != NULL; at = end + 2) {
    const char *slot = strstr(at, buffer), *constant = strstr(at, "const");
    if (!slot || slot > end) break;
    if (!constant || constant > slot) writes |= (uint32_t)1 << (tn_digits_value(slot + sizeof buffer - 1, 10, NULL) & 31);
  }
  return writes;
}

// ** modules and kernels **

static void tn_metal_module_drop(tn_metal *d, tn_metal_module *m) {
  for (tn_metal_kernel *k; (k = m->kernels) != NULL; ) {
    m->kernels = k->next;
    tn_metal_later(d, k->pipeline, d->number, 0);
    if (d->pipeline == k) d->pipeline = NULL;
    tiny_realloc(d->t, k, sizeof *k, 0);
  }
  if (m->archive) TN_DROP(m->archive);
  if (m->library) TN_DROP(m->library);
  tiny_realloc(d->t, m, m->nbytes, 0);
}
static tn_metal_module *tn_metal_module_new(tn_metal *d, const char *text, size_t nbytes) {
  const size_t all = sizeof(tn_metal_module) + nbytes + 1;
  tn_metal_module *m = (tn_metal_module *)tiny_realloc(d->t, NULL, 0, all);
  if (!m) { tiny_fail(d->t, TINY_E_MEMORY, "%s: no memory for a program", d->name); return NULL; }
  memset(m, 0, sizeof *m);
  m->nbytes = all;
  if (!nbytes) return m;
  m->text = (char *)memcpy(m + 1, text, nbytes);
  m->text[nbytes] = 0;
  return m;
}
static tn_metal_module *tn_metal_load_text(tn_metal *d, const char *binary, size_t nbytes) {
  const char *text = binary + TN_METAL_HEAD;
  const size_t n = (size_t)tn_digits_value(binary + 27, 16, NULL);
  char head[TN_METAL_HEAD + 1], said[TN_METAL_LOG];
  NSError *error = nil;
  if (n <= nbytes - TN_METAL_HEAD) tn_metal_head(d, text, n, head);
  if (n > nbytes - TN_METAL_HEAD || memcmp(head, binary, TN_METAL_HEAD) != 0) {
    tiny_fail(d->t, TINY_E_COMPILE, "%s: a program of %llu bytes was cut off or changed, or is for another version of "
              "the language; it is none to run", d->name, (unsigned long long)nbytes);
    return NULL;
  }
  tn_metal_module *m = tn_metal_module_new(d, text, n);
  if (!m) return NULL;
  m->library = tn_metal_fresh_take(d, tn_metal_hash(text, n), n);
  if (!m->library) m->library = TN_NEW(id<MTLLibrary>, tn_metal_library_new(d, text, n, &error));
  if (m->library) return m;
  tn_metal_text(error, said, sizeof said);
  tiny_fail(d->t, TINY_E_COMPILE, "%s: Metal's compiler does not take a program:\n%s", d->name, said);
  tn_metal_module_drop(d, m);
  return NULL;
}
static void *tn_metal_load_now(tn_metal *d, const char *binary, size_t nbytes) {
  if (nbytes >= TN_METAL_HEAD && !memcmp(binary, "// MSL ", 7)) return tn_metal_load_text(d, binary, nbytes);
  tiny_fail(d->t, TINY_E_COMPILE, "%s: %llu bytes are no program for Metal", d->name, (unsigned long long)nbytes);
  return NULL;
}
// NULL: these bytes are no program.
static void *tn_metal_load(void *dev, const void *binary, size_t nbytes) {
  void *module;
  TN_POOL module = tn_metal_load_now((tn_metal *)dev, (const char *)binary, nbytes); TN_POOL_END
  return module;
}
static void tn_metal_unload(void *dev, void *module) {
  tn_metal *d = (tn_metal *)dev;
  if (!module) return;
  TN_POOL
    tn_prepared_leave(&d->prepared, module);
    tn_metal_module_drop(d, (tn_metal_module *)module);
  TN_POOL_END
}

static id<MTLComputePipelineState> tn_metal_pipeline_new(tn_metal *d, tn_metal_module *m, id<MTLFunction> function,
                                                         const char *name) {
  char said[TN_METAL_LOG];
  NSError *error = nil;
  MTLComputePipelineDescriptor *how = [[MTLComputePipelineDescriptor alloc] init];
  [how setComputeFunction:function];
  [how setLabel:[NSString stringWithUTF8String:name]];
  [how setSupportIndirectCommandBuffers:d->indirect ? YES : NO];
  if (m->archive) [how setBinaryArchives:[NSArray arrayWithObject:m->archive]];
  id<MTLComputePipelineState> pipeline =
      [d->gpu newComputePipelineStateWithDescriptor:how options:MTLPipelineOptionNone reflection:NULL error:&error];
#ifndef TN_METAL_ARC
  [how release];
#endif
  if (pipeline) return pipeline;
  tn_metal_text(error, said, sizeof said);
  tiny_fail(d->t, TINY_E_COMPILE, "%s: the GPU's compiler does not take %s: %s", d->name, name, said);
  return nil;
}
static void *tn_metal_find_now(tn_metal *d, tn_metal_module *m, const char *name) {
  id<MTLFunction> function = TN_NEW(id<MTLFunction>, [m->library newFunctionWithName:[NSString stringWithUTF8String:name]]);
  if (!function) return NULL;
  id<MTLComputePipelineState> pipeline = TN_NEW(id<MTLComputePipelineState>, tn_metal_pipeline_new(d, m, function, name));
  TN_DROP(function);
  if (!pipeline) return NULL;
  tn_metal_kernel *k = (tn_metal_kernel *)tiny_realloc(d->t, NULL, 0, sizeof *k);
  if (!k) {
    TN_DROP(pipeline);
    tiny_fail(d->t, TINY_E_MEMORY, "%s: no memory for a kernel", d->name);
    return NULL;
  }
  memset(k, 0, sizeof *k);
  k->next = m->kernels; k->module = m; k->device = d;
  k->pipeline = pipeline;
  k->items = (int)[pipeline maxTotalThreadsPerThreadgroup];
  k->writes = tn_metal_writes(m, name);
  snprintf(k->name, sizeof k->name, "%s", name);
  return m->kernels = k;
}
// NULL: it is not in there.
static void *tn_metal_find(void *dev, void *module, const char *name) {
  void *kernel;
  TN_POOL kernel = tn_metal_find_now((tn_metal *)dev, (tn_metal_module *)module, name); TN_POOL_END
  return kernel;
}
#endif
