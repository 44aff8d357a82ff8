// program: from texts to libraries, pipeline states and kernels.
//
// In:    texts as lang_metal writes them, or foreign ones. Out: as the binary a text that was compiled once, behind it
//        what the GPU's compiler made of it (archive.m), before it a line with their hash; modules, kernels. A foreign
//        binary is a .metallib.
// Holds: Metal compiles texts of a call in parallel. What it made of a text is kept until the text is loaded. What the
//        compiler said is in the error. Fast math is off: results are those of the language's rules.
#ifndef TN_METAL_PROGRAM
#define TN_METAL_PROGRAM
#ifndef TINY_AMALGAMATED
#include "memory.m"
#include "archive.m"
#endif

enum { TN_METAL_HEAD = 40, TN_METAL_FRESH = 64, TN_METAL_LOG = 1500 };

// A library that was compiled, by the hash of its text, and its archive, or nil.
typedef struct tn_metal_made {
  TN_UNOWNED id<MTLLibrary> library; TN_UNOWNED id<MTLBinaryArchive> archive;
} tn_metal_made;
typedef struct tn_metal_fresh {
  struct tn_metal_fresh *next; uint64_t hash; size_t nbytes; tn_metal_made made;
} tn_metal_fresh;
typedef struct tn_metal_kernel {
  struct tn_metal_kernel *next; struct tn_metal_module *module; tn_metal *device;
  TN_UNOWNED id<MTLComputePipelineState> pipeline;
  uint32_t writes; int parameters;         // bit per buffer that may be written; of a foreign one, 0: not known
  int items; char name[64];                // items: of a group, at most
} tn_metal_kernel;
typedef struct tn_metal_module {
  tn_metal_made made; char *file;          // that the archive reads; NULL: none
  tn_metal_kernel *kernels; size_t nbytes; char *text;       // nbytes: of this struct, the file's name, the text
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

static void tn_metal_made_drop(tn_metal_made *m) {
  if (m->archive) TN_DROP(m->archive);
  if (m->library) TN_DROP(m->library);
  m->archive = nil;
  m->library = nil;
}

// Texts that are compiled at the same time; objects are retained.
typedef struct tn_metal_job {
  const tiny_bytes *source; tn_metal_made made; TN_UNOWNED NSError *error; TN_UNOWNED NSData *archive;
} tn_metal_job;
typedef struct tn_metal_jobs { const tn_metal *d; tn_metal_job *job; } tn_metal_jobs;
static void tn_metal_job_archive(const tn_metal *d, tn_metal_job *j) {
  id<MTLBinaryArchive> archive = TN_NEW(id<MTLBinaryArchive>, tn_metal_archive_new(d, nil));
  if (!archive) return;
  NSData *bytes = tn_metal_archive_fill(d, archive, j->made.library) ? tn_metal_archive_bytes(archive) : nil;
  if (!bytes) { TN_DROP(archive); return; }
  j->made.archive = archive;
  j->archive = TN_RETAINED(NSData *, bytes);
}
static void tn_metal_job_run(void *arg, int i) {
  const tn_metal_jobs *all = (const tn_metal_jobs *)arg;
  tn_metal_job *j = &all->job[i];
  TN_POOL
    NSError *error = nil;
    id<MTLLibrary> library = tn_metal_library_new(all->d, j->source->data, j->source->n, &error);
    j->made.library = TN_NEW(id<MTLLibrary>, library);
    j->error = error ? TN_RETAINED(NSError *, error) : nil;
    if (library) tn_metal_job_archive(all->d, j);
  TN_POOL_END
}

// Keeps what was made of a text until it is loaded; the oldest goes where there are many.
static void tn_metal_fresh_drop(tn_metal *d, tn_metal_fresh **at) {
  tn_metal_fresh *f = *at;
  *at = f->next;
  tn_metal_made_drop(&f->made);
  tiny_realloc(d->t, f, sizeof *f, 0);
}
static void tn_metal_fresh_add(tn_metal *d, tn_metal_job *j) {
  tn_metal_fresh *f = (tn_metal_fresh *)tiny_realloc(d->t, NULL, 0, sizeof *f);
  int n = 0;
  if (!f) return;
  f->next = d->fresh; f->hash = tn_metal_hash(j->source->data, j->source->n); f->nbytes = j->source->n;
  f->made = j->made;
  memset(&j->made, 0, sizeof j->made);
  d->fresh = f;
  for (tn_metal_fresh **at = &d->fresh; *at; at = &(*at)->next)
    if (++n > TN_METAL_FRESH) { tn_metal_fresh_drop(d, at); return; }
}
// What was made of a text, no longer kept. 0: nothing is there.
static int tn_metal_fresh_take(tn_metal *d, const char *text, size_t nbytes, tn_metal_made *out) {
  const uint64_t hash = tn_metal_hash(text, nbytes);
  for (tn_metal_fresh **at = &d->fresh, *f; (f = *at) != NULL; at = &f->next) {
    if (f->hash != hash || f->nbytes != nbytes) continue;
    *out = f->made;
    *at = f->next;
    tiny_realloc(d->t, f, sizeof *f, 0);
    return 1;
  }
  return 0;
}

// ** compile **

// The line before a text of so many bytes; all: it and the archive.
static void tn_metal_head(const tn_metal *d, const char *text, size_t all, size_t nbytes, char out[TN_METAL_HEAD + 1]) {
  snprintf(out, TN_METAL_HEAD + 1, "// MSL %02u %016llx %012llx\n", (unsigned)d->version % 100,
           (unsigned long long)tn_metal_hash(text, all), (unsigned long long)nbytes & 0xFFFFFFFFFFFFu);
}
static void tn_metal_binary(const tn_metal *d, const tn_metal_job *j, tiny_bytes *out) {
  static const char none[TN_METAL_HEAD] = "";
  char head[TN_METAL_HEAD + 1];
  const size_t from = out->n, body = from + TN_METAL_HEAD;
  tiny_bytes_add(out, none, TN_METAL_HEAD);
  tiny_bytes_add(out, j->source->data, j->source->n);
  if (j->archive) tiny_bytes_add(out, [j->archive bytes], (size_t)[j->archive length]);
  if (tiny_status(d->t) != TINY_OK) return;                  // memory was refused
  tn_metal_head(d, out->data + body, out->n - body, j->source->n, head);
  memcpy(out->data + from, head, TN_METAL_HEAD);
}
static tiny_code tn_metal_said(tn_metal *d, tn_metal_job *j, tiny_bytes *binary, tiny_bytes *log) {
  char text[TN_METAL_LOG];
  if (j->error) {                          // also of warnings
    tn_metal_text(j->error, text, sizeof text);
    tiny_bytes_add(log, text, strlen(text));
    tiny_bytes_add(log, "\n", 1);
  }
  if (!j->made.library && tn_metal_is_gone(d)) return tn_metal_lost(d);
  if (!j->made.library)
    return tiny_fail(d->t, TINY_E_COMPILE, "%s: Metal's compiler does not take a kernel:\n%s", d->name,
                     j->error ? text : "the text is no UTF-8");
  tn_metal_binary(d, j, binary);
  tn_metal_fresh_add(d, j);
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
    tn_metal_made_drop(&job[i].made);
    if (job[i].archive) TN_DROP(job[i].archive);
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

// ** what a text tells of a kernel's parameters **

// Does the text begin as lang_metal's do? The first line is for matrix units.
static int tn_metal_is_own(const char *text) {
  for (int i = strncmp(text, tn_metal_prelude[0], strlen(tn_metal_prelude[0])) != 0; tn_metal_prelude[i]; i++) {
    const size_t n = strlen(tn_metal_prelude[i]);
    if (strncmp(text, tn_metal_prelude[i], n) != 0 || text[n] != '\n') return 0;
    text += n + 1;
  }
  return 1;
}
// What stands behind "void NAME(", to the ) that closes it. NULL: it is not in the text.
static const char *tn_metal_parameters(const char *text, const char *name, const char **end) {
  char head[96];
  int depth = 1;
  snprintf(head, sizeof head, "void %.80s(", name);
  const char *from = strstr(text, head);
  if (!from) return NULL;
  from += strlen(head);
  for (*end = from; **end; (*end)++) {
    depth += (**end == '(') - (**end == ')');
    if (!depth) return from;
  }
  return NULL;
}
static int tn_metal_says(const char *from, const char *to, const char *word) {
  const char *at = strstr(from, word);
  return at && at < to;
}
// How many buffers a foreign kernel has, and which of them, bit per slot, may be written: all but const ones. A text
// that says nothing of slots, and a .metallib, may have any number, and write all.
static void tn_metal_read_parameters(tn_metal_kernel *k) {
  static const char buffer[] = "[[buffer(";
  const char *end, *at = tn_metal_parameters(k->module->text, k->name, &end);
  k->parameters = 0;
  k->writes = ~(uint32_t)0;
  for (const char *slot; at && (slot = strstr(at, buffer)) != NULL && slot < end; at = slot + sizeof buffer - 1) {
    const char *from = slot;
    while (from > at && *from != ',') from--;
    const uint64_t number = tn_digits_value(slot + sizeof buffer - 1, 10, NULL);
    if (tn_metal_says(from, slot, "const")) k->writes &= ~((uint32_t)1 << (number & 31));
    k->parameters++;
  }
  if (tn_metal_is_own(k->module->text)) k->parameters = 0;   // what it has no use for is not among them
}

// ** modules and kernels **

static void tn_metal_module_drop(tn_metal *d, tn_metal_module *m) {
  for (tn_metal_kernel *k; (k = m->kernels) != NULL; ) {
    m->kernels = k->next;
    tn_metal_later(d, k->pipeline, d->number, 0);
    if (d->pipeline == k) d->pipeline = NULL;
    tiny_realloc(d->t, k, sizeof *k, 0);
  }
  tn_metal_made_drop(&m->made);
  if (m->file[0]) remove(m->file);
  tiny_realloc(d->t, m, m->nbytes, 0);
}
static tn_metal_module *tn_metal_module_new(tn_metal *d, const char *text, size_t nbytes) {
  const size_t all = sizeof(tn_metal_module) + TN_METAL_PATH + nbytes + 1;
  tn_metal_module *m = (tn_metal_module *)tiny_realloc(d->t, NULL, 0, all);
  if (!m) { tiny_fail(d->t, TINY_E_MEMORY, "%s: no memory for a program", d->name); return NULL; }
  memset(m, 0, sizeof *m);
  m->nbytes = all;
  m->file = (char *)(m + 1);
  m->file[0] = 0;
  m->text = m->file + TN_METAL_PATH;
  if (nbytes) memcpy(m->text, text, nbytes);
  m->text[nbytes] = 0;
  return m;
}
static void *tn_metal_refused(tn_metal *d, tn_metal_module *m, NSError *error) {
  char said[TN_METAL_LOG];
  if (tn_metal_is_gone(d)) tn_metal_lost(d);
  tn_metal_text(error, said, sizeof said);
  tiny_fail(d->t, TINY_E_COMPILE, "%s: Metal does not take a program: %s", d->name,
            said[0] ? said : "no reason is given");
  tn_metal_module_drop(d, m);
  return NULL;
}

// An archive that was kept behind a text.
static void tn_metal_load_archive(tn_metal *d, tn_metal_module *m, const char *data, size_t nbytes) {
  if (!nbytes || !tn_metal_path(m->file, "archive")) { m->file[0] = 0; return; }
  if (tn_metal_file_write(m->file, data, nbytes))
    m->made.archive = TN_NEW(id<MTLBinaryArchive>, tn_metal_archive_new(d, tn_metal_url(m->file)));
  if (m->made.archive) return;
  remove(m->file);
  m->file[0] = 0;
}
static void *tn_metal_load_text(tn_metal *d, const char *binary, size_t nbytes) {
  const char *text = binary + TN_METAL_HEAD;
  const int ends = text[-1] == '\n';       // else there may be digits without end
  const size_t all = nbytes - TN_METAL_HEAD, n = ends ? (size_t)tn_digits_value(binary + 27, 16, NULL) : 0;
  char head[TN_METAL_HEAD + 1];
  NSError *error = nil;
  tn_metal_head(d, text, all, n, head);
  if (!ends || n > all || memcmp(head, binary, TN_METAL_HEAD) != 0) {
    tiny_fail(d->t, TINY_E_COMPILE, "%s: a program of %llu bytes was cut off or changed, or is for another version of "
              "the language; it is none to run", d->name, (unsigned long long)nbytes);
    return NULL;
  }
  tn_metal_module *m = tn_metal_module_new(d, text, n);
  if (!m || tn_metal_fresh_take(d, text, n, &m->made)) return m;
  m->made.library = TN_NEW(id<MTLLibrary>, tn_metal_library_new(d, text, n, &error));
  if (!m->made.library) return tn_metal_refused(d, m, error);
  tn_metal_load_archive(d, m, text + n, all - n);
  return m;
}
// A .metallib, which Metal reads as a file.
static void *tn_metal_load_library(tn_metal *d, const char *binary, size_t nbytes) {
  char path[TN_METAL_PATH];
  NSError *error = nil;
  tn_metal_module *m = tn_metal_module_new(d, "", 0);
  if (!m) return NULL;
  if (!tn_metal_path(path, "metallib") || !tn_metal_file_write(path, binary, nbytes)) {
    tiny_fail(d->t, TINY_E_IO, "%s: a library cannot be written to the system's folder for temporary files", d->name);
    tn_metal_module_drop(d, m);
    return NULL;
  }
  m->made.library = TN_NEW(id<MTLLibrary>, [d->gpu newLibraryWithURL:tn_metal_url(path) error:&error]);
  remove(path);
  return m->made.library ? m : tn_metal_refused(d, m, error);
}
static void *tn_metal_load_now(tn_metal *d, const char *binary, size_t nbytes) {
  if (nbytes >= TN_METAL_HEAD && !memcmp(binary, "// MSL ", 7)) return tn_metal_load_text(d, binary, nbytes);
  if (nbytes > 4 && !memcmp(binary, "MTLB", 4)) return tn_metal_load_library(d, binary, nbytes);
  tiny_fail(d->t, TINY_E_COMPILE, "%s: %llu bytes are no program for Metal: it takes a .metallib", d->name,
            (unsigned long long)nbytes);
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

// It is the caller's to release; nil after an error.
static id<MTLComputePipelineState> tn_metal_pipeline_new(tn_metal *d, tn_metal_module *m, id<MTLFunction> function,
                                                         const char *name) {
  char said[TN_METAL_LOG];
  NSError *error = nil;
  MTLComputePipelineDescriptor *how = tn_metal_pipeline_how(d, function);
  if (m->made.archive) [how setBinaryArchives:[NSArray arrayWithObject:m->made.archive]];
  id<MTLComputePipelineState> pipeline =
      [d->gpu newComputePipelineStateWithDescriptor:how options:MTLPipelineOptionNone reflection:NULL error:&error];
  if (pipeline) return pipeline;
  if (tn_metal_is_gone(d)) tn_metal_lost(d);
  tn_metal_text(error, said, sizeof said);
  tiny_fail(d->t, TINY_E_COMPILE, "%s: the GPU's compiler does not take %s: %s", d->name, name, said);
  return nil;
}
static void *tn_metal_find_now(tn_metal *d, tn_metal_module *m, const char *name) {
  NSString *entry = [NSString stringWithUTF8String:name];
  id<MTLFunction> function = entry ? TN_NEW(id<MTLFunction>, [m->made.library newFunctionWithName:entry]) : nil;
  if (!function) return NULL;
  id<MTLComputePipelineState> pipeline =
      TN_NEW(id<MTLComputePipelineState>, tn_metal_pipeline_new(d, m, function, name));
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
  snprintf(k->name, sizeof k->name, "%s", name);
  tn_metal_read_parameters(k);
  return m->kernels = k;
}
// NULL: it is not in there.
static void *tn_metal_find(void *dev, void *module, const char *name) {
  void *kernel;
  TN_POOL kernel = tn_metal_find_now((tn_metal *)dev, (tn_metal_module *)module, name); TN_POOL_END
  return kernel;
}
#endif
