// program: from texts to programs, kept as binaries, and the kernels in them.
//
// In:    texts as lang_opencl writes them, or foreign ones. Out: the device's own binary behind a line for each kernel
//        of ours, which says what its parameters are, "name p0 p2 a0", and a line with the hash of what follows it;
//        modules, kernels. A foreign binary as it is: its kernels are foreign, too.
// Holds: programs are built on the calling thread: drivers want more stack than the threads of a pool may have. What
//        the compiler said is in the error. Bytes that were changed never reach the driver: some drivers end the
//        process over them.
#ifndef TN_CL_PROGRAM
#define TN_CL_PROGRAM
#ifndef TINY_AMALGAMATED
#include "device.c"
#endif

enum { TN_CL_HASH = 18 };                  // bytes of a line "#0123456789abcdef"

typedef struct tn_cl_parameter { char kind; int slot; } tn_cl_parameter;   // 'p': memory, two of OpenCL's; 'a': ARG
typedef struct tn_cl_kernel tn_cl_kernel;
struct tn_cl_kernel {
  tn_cl_kernel *next;
  void *kernel;
  const char *name;                        // in the module's table, or behind the parameters
  int n, nforeign;                         // parameters; of a foreign kernel, -1: it is ours
  size_t nbytes;
  tn_cl_parameter parameter[1];            // n of them
};
typedef struct tn_cl_module { void *program; tn_cl_kernel *kernels; size_t nbytes; char *table; } tn_cl_module;

// ** the table of parameters **

// The next word of a text that only spells them: letters, digits and _ from *at on; its length, 0: none is left.
static size_t tn_cl_word(const char **at, const char *end) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
  while (*at < end && !strchr(letters, **at)) (*at)++;
  size_t n = 0;
  while (*at + n < end && strchr(letters, (*at)[n])) n++;
  return n;
}
static void tn_cl_table_of(const char *name, size_t length, const char *at, const char *end, tiny_bytes *out) {
  tiny_bytes_add(out, name, length);
  for (size_t n; (n = tn_cl_word(&at, end)) != 0; at += n) {
    const size_t cut = n > 5 && !memcmp(at + n - 5, "_base", 5) ? 5 : n > 5 && !memcmp(at + n - 5, "_bits", 5) ? 5 : 0;
    if (!cut) continue;
    tiny_bytes_add(out, " ", 1);
    tiny_bytes_add(out, at, n - cut);
  }
  tiny_bytes_add(out, "\n", 1);
}
// A line for each kernel of ours.
static void tn_cl_table(const char *text, tiny_bytes *out) {
  static const char head[] = "__kernel __attribute__((reqd_work_group_size(", before[] = "))) void ";
  const int ours = !strncmp(text, tn_opencl_prelude[0], strlen(tn_opencl_prelude[0]));
  for (const char *at = text; ours && (at = strstr(at, head)) != NULL; ) {
    const char *name = strstr(at, before);
    const char *from = name ? strchr(name += sizeof before - 1, '(') : NULL, *to = from ? strchr(from, ')') : NULL;
    if (!to) break;
    tn_cl_table_of(name, (size_t)(from - name), from, to, out);
    at = to;
  }
}

// The line above a binary. FNV-1a: Fowler, Noll and Vo.
static void tn_cl_hash(const void *data, size_t nbytes, char out[TN_CL_HASH + 1]) {
  uint64_t h = UINT64_C(0xCBF29CE484222325);
  for (size_t i = 0; i < nbytes; i++) h = (h ^ ((const unsigned char *)data)[i]) * UINT64_C(0x100000001B3);
  snprintf(out, TN_CL_HASH + 1, "#%016llx\n", (unsigned long long)h);
}

// ** compile **

// What the compiler said, at the end of out.
static void tn_cl_said(const tn_cl *d, void *program, tiny_bytes *out) {
  size_t n = 0;
  if (d->cl.GetProgramBuildInfo(program, d->device, TN_CL_BUILD_LOG, 0, NULL, &n) != 0 || n < 2) return;
  char *text = (char *)tiny_realloc(d->t, NULL, 0, n);
  if (!text) return;
  if (d->cl.GetProgramBuildInfo(program, d->device, TN_CL_BUILD_LOG, n, text, NULL) == 0)
    tiny_bytes_add(out, text, n - 1);      // a 0 ends it
  tiny_realloc(d->t, text, n, 0);
}
static tiny_code tn_cl_binary(const tn_cl *d, void *program, tiny_bytes *out) {
  size_t n = 0;
  int error = d->cl.GetProgramInfo(program, TN_CL_PROGRAM_BINARY_SIZES, sizeof n, &n, NULL);
  if (error != 0 || !n) return tn_cl_fail(d, "GetProgramInfo", error);
  unsigned char *data = (unsigned char *)tiny_realloc(d->t, NULL, 0, n);
  if (!data) return tiny_fail(d->t, TINY_E_MEMORY, "CL: no memory for a program of %llu bytes", (unsigned long long)n);
  error = d->cl.GetProgramInfo(program, TN_CL_PROGRAM_BINARIES, sizeof data, &data, NULL);
  char hash[TN_CL_HASH + 1];
  tn_cl_hash(data, n, hash);
  if (error == 0) tiny_bytes_add(out, hash, TN_CL_HASH);
  if (error == 0) tiny_bytes_add(out, data, n);
  tiny_realloc(d->t, data, n, 0);
  return error == 0 ? TINY_OK : tn_cl_fail(d, "GetProgramInfo", error);
}

static tiny_code tn_cl_compile_one(const tn_cl *d, const tiny_bytes *source, tiny_bytes *binary, tiny_bytes *log) {
  enum { BUILD_PROGRAM_FAILURE = -11 };
  const char *text = source->data;
  const size_t before = log->n;
  int error = 0;
  void *program = d->cl.CreateProgramWithSource(d->context, 1, &text, &source->n, &error);
  if (!program) return tn_cl_fail(d, "CreateProgramWithSource", error);
  error = d->cl.BuildProgram(program, 1, &d->device, d->options, NULL, NULL);
  tn_cl_said(d, program, log);
  const size_t said = log->n - before;
  tiny_code code = TINY_OK;
  if (error == BUILD_PROGRAM_FAILURE)
    code = tiny_fail(d->t, TINY_E_COMPILE, "CL: %s does not take a kernel:\n%.*s", d->name,
                     (int)(said < 1500 ? said : 1500), said ? log->data + before : "");
  else if (error != 0) code = tn_cl_fail(d, "BuildProgram", error);
  if (code == TINY_OK) tn_cl_table(text, binary);
  if (code == TINY_OK) code = tn_cl_binary(d, program, binary);
  d->cl.ReleaseProgram(program);
  return code;
}
static tiny_code tn_cl_compile(void *dev, int n, const tiny_bytes *source, tiny_bytes *binary, tiny_bytes *log) {
  tiny_code code = TINY_OK;
  for (int i = 0; i < n && code == TINY_OK; i++)
    code = tn_cl_compile_one((const tn_cl *)dev, &source[i], &binary[i], log);
  return code;
}

// ** modules and kernels **

static void tn_cl_module_drop(tn_cl *d, tn_cl_module *m) {
  for (tn_cl_kernel *k; (k = m->kernels) != NULL; ) {
    m->kernels = k->next;
    d->cl.ReleaseKernel(k->kernel);
    tiny_realloc(d->t, k, k->nbytes, 0);
  }
  if (m->program) d->cl.ReleaseProgram(m->program);
  tiny_realloc(d->t, m, m->nbytes, 0);
}

static tiny_code tn_cl_module_build(tn_cl *d, tn_cl_module *m, const unsigned char *binary, size_t nbytes) {
  int error = 0, status = 0;
  m->program = d->cl.CreateProgramWithBinary(d->context, 1, &d->device, &nbytes, &binary, &status, &error);
  if (!m->program) return tn_cl_fail(d, "CreateProgramWithBinary", error);
  error = d->cl.BuildProgram(m->program, 1, &d->device, d->options, NULL, NULL);
  return error == 0 ? TINY_OK : tn_cl_fail(d, "BuildProgram", error);
}
// Bytes of the table, up to the line of the hash. SIZE_MAX: there is none, or what follows is not what it was.
static size_t tn_cl_table_nbytes(const char *text, size_t nbytes) {
  char hash[TN_CL_HASH + 1];
  size_t at = 0;
  while (at < nbytes && text[at] != '#') {
    const char *line = (const char *)memchr(text + at, '\n', nbytes - at);
    at = line ? (size_t)(line - text) + 1 : nbytes;
  }
  if (nbytes - at < TN_CL_HASH) return SIZE_MAX;
  tn_cl_hash(text + at + TN_CL_HASH, nbytes - at - TN_CL_HASH, hash);
  return memcmp(text + at, hash, TN_CL_HASH) ? SIZE_MAX : at;
}
// Is it what a driver gives of a program that somebody else has built? An ELF object, NVIDIA's PTX, PoCL's own, SPIR-V,
// before which Mesa's rusticl has three words. Ours begin with a name or a hash, and no damaged one looks like these.
static int tn_cl_is_foreign(const char *data, size_t nbytes) {
  static const struct { size_t at; const char *head; } heads[] = {
    {0, "\177ELF"}, {0, "//"}, {0, "poclbin"}, {12, "\x03\x02\x23\x07"}};
  for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
    const size_t n = strlen(heads[i].head), at = heads[i].at;
    if (nbytes > at + n && !memcmp(data + at, heads[i].head, n)) return 1;
  }
  return 0;
}
// NULL: these bytes are no program, or the driver does not take them.
static void *tn_cl_load(void *dev, const void *binary, size_t nbytes) {
  tn_cl *d = (tn_cl *)dev;
  const char *text = (const char *)binary;
  const int foreign = tn_cl_is_foreign(text, nbytes);
  const size_t table = foreign ? 0 : tn_cl_table_nbytes(text, nbytes), from = foreign ? 0 : table + TN_CL_HASH;
  if (table == SIZE_MAX) {
    tiny_fail(d->t, TINY_E_COMPILE, "CL: a program of %llu bytes was cut off or changed; it is none to run",
              (unsigned long long)nbytes);
    return NULL;
  }
  tn_cl_module *m = (tn_cl_module *)tiny_realloc(d->t, NULL, 0, sizeof *m + table + 1);
  if (!m) { tiny_fail(d->t, TINY_E_MEMORY, "CL: no memory for a program"); return NULL; }
  memset(m, 0, sizeof *m);
  m->nbytes = sizeof *m + table + 1;
  m->table = (char *)memcpy(m + 1, text, table);
  m->table[table] = 0;
  if (tn_cl_module_build(d, m, (const unsigned char *)text + from, nbytes - from) == TINY_OK) return m;
  tn_cl_module_drop(d, m);
  return NULL;
}
static void tn_cl_unload(void *dev, void *module) {
  if (module) tn_cl_module_drop((tn_cl *)dev, (tn_cl_module *)module);
}

// The line of a kernel behind its name; NULL: it is not ours.
static const char *tn_cl_line(const tn_cl_module *m, const char *name) {
  const size_t n = strlen(name);
  for (const char *line = m->table; *line; line = strchr(line, '\n') + 1)
    if (!strncmp(line, name, n) && (line[n] == ' ' || line[n] == '\n')) return line + n;
  return NULL;
}
static tn_cl_kernel *tn_cl_kernel_new(tn_cl *d, const char *name, const char *line) {
  int n = 0;
  for (const char *c = line; c && *c != '\n'; c++) n += *c == ' ';
  const size_t nbytes = sizeof(tn_cl_kernel) + (size_t)n * sizeof(tn_cl_parameter) + strlen(name) + 1;
  tn_cl_kernel *k = (tn_cl_kernel *)tiny_realloc(d->t, NULL, 0, nbytes);
  if (!k) { tiny_fail(d->t, TINY_E_MEMORY, "CL: no memory for a kernel"); return NULL; }
  memset(k, 0, sizeof *k);
  k->nbytes = nbytes; k->n = n; k->nforeign = -1;
  k->name = (const char *)memcpy(k->parameter + n, name, strlen(name) + 1);
  for (int i = 0; i < n; i++) {
    line = strchr(line, ' ') + 1;
    k->parameter[i].kind = *line;
    k->parameter[i].slot = (int)tn_digits_value(line + 1, 10, NULL);
  }
  return k;
}
// NULL: it is not in there.
static void *tn_cl_find(void *dev, void *module, const char *name) {
  tn_cl *d = (tn_cl *)dev;
  tn_cl_module *m = (tn_cl_module *)module;
  const char *line = tn_cl_line(m, name);
  int error = 0;
  tn_cl_kernel *k = tn_cl_kernel_new(d, name, line);
  if (!k) return NULL;
  k->kernel = d->cl.CreateKernel(m->program, name, &error);
  if (!k->kernel) {
    tiny_realloc(d->t, k, k->nbytes, 0);
    if (error != TN_CL_INVALID_KERNEL_NAME) tn_cl_fail(d, "CreateKernel", error);
    return NULL;
  }
  k->next = m->kernels;
  m->kernels = k;
  if (line) return k;
  uint32_t parameters = 0;
  error = d->cl.GetKernelInfo(k->kernel, TN_CL_KERNEL_NUM_ARGS, sizeof parameters, &parameters, NULL);
  k->nforeign = (int)parameters;
  if (error == 0) return k;
  tn_cl_fail(d, "GetKernelInfo", error);
  return NULL;
}
#endif
