// nv_mock_cubin.c: machine code of PTX: by ptxas, or an ELF of the cubin's shape whose code is a hash of the text; and
// what either says of its kernels, kept beside their PTX, so that the bytes at a program's address find it.
//
// Requires PTX as nvcc and our renderer write it. Holds: every .text section becomes one nvm_text. Layout and records
// (.nv.info, EIATTR_*) as cuobjdump -elf and readelf show them of what ptxas 13.0 writes.
#include "nv_mock_state.h"
#include <unistd.h>

enum { NVM_SECTION = 64, NVM_SYMBOL = 24 };              // bytes of an entry, ELF64

static void nvm_texts_free(nv_mock *m) {
  for (int i = 0; i < m->ntext; i++) { free(m->texts[i].name); free(m->texts[i].code); }
  for (int i = 0; i < m->nsource; i++) { free(m->sources[i].ptx); ptx_free(m->sources[i].module); }
  free(m->texts);
  free(m->sources);
}

static char *nvm_copy(const char *text) {
  size_t n = strlen(text) + 1;
  char *copy = malloc(n);
  if (!copy) abort();
  return memcpy(copy, text, n);
}

// ---- reading

typedef struct nvm_elf { const uint8_t *bytes; size_t nbytes; uint64_t table; uint32_t count, names; } nvm_elf;
typedef struct nvm_section {
  const char *name; uint32_t type, info; const uint8_t *bytes; uint64_t nbytes;
} nvm_section;

static int nvm_elf_open(nvm_elf *e, const void *bytes, size_t nbytes) {
  e->bytes = bytes; e->nbytes = nbytes;
  if (nbytes < 64 || memcmp(bytes, "\177ELF\2\1", 6)) return 0;
  uint32_t tail = nvm_get32(bytes, 0x3c);                // e_shnum, e_shstrndx
  e->table = nvm_get64(bytes, 0x28); e->count = tail & 0xffff; e->names = tail >> 16;
  return (nvm_get32(bytes, 0x10) >> 16) == 190 && e->table < nbytes && e->count * NVM_SECTION <= nbytes - e->table &&
         e->names < e->count;
}

static int nvm_section_at(const nvm_elf *e, uint32_t i, nvm_section *s) {
  const uint8_t *h = e->bytes + e->table + (size_t)i * NVM_SECTION;
  uint64_t names = nvm_get64(e->bytes + e->table + (size_t)e->names * NVM_SECTION, 0x18), at = nvm_get64(h, 0x18);
  uint64_t name = names + nvm_get32(h, 0);
  s->type = nvm_get32(h, 4); s->info = nvm_get32(h, 0x2c); s->nbytes = nvm_get64(h, 0x20);
  if (name >= e->nbytes || !memchr(e->bytes + name, 0, e->nbytes - name)) return 0;
  s->name = (const char *)e->bytes + name;
  s->bytes = s->type == 8 ? NULL : e->bytes + at;        // 8: NOBITS
  return s->type == 8 || (at <= e->nbytes && s->nbytes <= e->nbytes - at);
}

// Takes the records of one section: those of .nv.info name the kernel's symbol, those of .nv.info.K are all its own.
static void nvm_read_records(nvm_text *t, const nvm_section *s, uint32_t symbol, int own) {
  for (uint64_t i = 0; i + 4 <= s->nbytes;) {
    const uint8_t *r = s->bytes + i;
    uint32_t format = r[0], code = r[1], v = (uint32_t)(r[2] | r[3] << 8), payload = format == 4 ? v : 0;
    i += 4 + payload;
    if (i > s->nbytes) return;
    if (!own && (payload < 8 || nvm_get32(r, 4) != symbol)) continue;
    if (code == 0x2f) t->registers = nvm_get32(r, 8);
    if (code == 0x11) t->frame = nvm_get32(r, 8);
    if (code == 0x12) t->stack = nvm_get32(r, 8);
    if (code == 0x0a && own) t->param_base = nvm_get32(r, 8) & 0xffff;
    if (code == 0x19 && own) t->param_nbytes = v;
    if (code == 0x4c && own) t->barriers = v & 0xff;
    for (int k = 0; code == 0x3d && own && payload >= 12 && k < 3; k++) t->cluster[k] = nvm_get32(r, 4 + 4 * (size_t)k);
    if ((code == 0x05 || code == 0x10) && own) t->max_threads = nvm_get32(r, 4) * nvm_get32(r, 8) * nvm_get32(r, 12);
  }
}

static void nvm_read_kernel(const nvm_elf *e, nvm_text *t, uint32_t symbol) {
  nvm_section s;
  for (uint32_t i = 0; i < e->count; i++) {
    const char *dot;
    if (!nvm_section_at(e, i, &s)) continue;
    if (!strcmp(s.name, ".nv.info") && s.bytes) nvm_read_records(t, &s, symbol, 0);
    if (!strncmp(s.name, ".nv.info.", 9) && !strcmp(s.name + 9, t->name) && s.bytes) nvm_read_records(t, &s, symbol, 1);
    if (!strncmp(s.name, ".nv.shared.", 11) && !strcmp(s.name + 11, t->name)) t->shared = (uint32_t)s.nbytes;
    if (strncmp(s.name, ".nv.constant", 12) || s.name[12] < '0' || s.name[12] > '7') continue;
    dot = s.name + 13;
    if (!*dot || (*dot == '.' && !strcmp(dot + 1, t->name))) t->constant_nbytes[s.name[12] - '0'] = (uint32_t)s.nbytes;
  }
}

// What the PTX machine runs, of a source: parsed again where it was forgotten. NULL: it refuses the text, which was said.
static ptx_module *nvm_module(nv_mock *m, int source) {
  char error[256];
  nvm_source *s = &m->sources[source];
  if (s->module) return s->module;
  if (!(s->module = ptx_parse(s->ptx, strlen(s->ptx), error, sizeof error))) {
    nvm_wrong(m, 0, "assemble: the PTX machine refuses the text: %s", error);
    return NULL;
  }
  int *oldest = &m->parsed[m->nparsed % NVM_PARSED];
  if (m->nparsed++ >= NVM_PARSED) {
    ptx_free(m->sources[*oldest].module);
    m->sources[*oldest].module = NULL;
  }
  *oldest = source;
  return s->module;
}
// The source that this is, or else one more.
static int nvm_source_of(nv_mock *m, const char *ptx) {
  for (int i = m->nsource - 1; i >= 0; i--) if (!strcmp(m->sources[i].ptx, ptx)) return i;
  m->sources = nvm_more(m->sources, m->nsource, sizeof *m->sources);
  m->sources[m->nsource].ptx = nvm_copy(ptx);
  if (!m->desc.run) (void)nvm_module(m, m->nsource);
  return m->nsource++;
}

// Kernels may share machine code, and differ in what PTX says of them.
static int nvm_is_known(const nv_mock *m, const nvm_section *s, int source) {
  for (int i = 0; i < m->ntext; i++)
    if (m->texts[i].nbytes == s->nbytes && !memcmp(m->texts[i].code, s->bytes, s->nbytes) &&
        !strcmp(m->texts[i].name, s->name + 6) && m->texts[i].source == source)
      return 1;
  return 0;
}

static int nvm_know(nv_mock *m, const void *cubin, size_t nbytes, const char *ptx) {
  nvm_elf e;
  nvm_section s;
  int found = 0;
  if (!nvm_elf_open(&e, cubin, nbytes)) return 0;
  const int source = nvm_source_of(m, ptx);
  uint32_t flags = nvm_get32(cubin, 0x30), sm = ((const uint8_t *)cubin)[7] == 0x41 ? flags >> 8 & 0xff : flags & 0xff;
  for (uint32_t i = 0; i < e.count; i++) {
    if (!nvm_section_at(&e, i, &s) || strncmp(s.name, ".text.", 6) || !s.bytes || !s.nbytes) continue;
    found++;
    if (nvm_is_known(m, &s, source)) continue;
    nvm_text t = {0};
    t.name = nvm_copy(s.name + 6); t.source = source; t.sm = (int)sm;
    t.nbytes = s.nbytes;
    if (!(t.code = malloc(t.nbytes))) abort();
    memcpy(t.code, s.bytes, t.nbytes);
    t.hash = nvm_hash_bytes(t.code, t.nbytes);
    nvm_read_kernel(&e, &t, s.info & 0xffffff);
    m->texts = nvm_more(m->texts, m->ntext, sizeof *m->texts);
    m->texts[m->ntext++] = t;
  }
  return found;
}

int nv_mock_know(nv_mock *m, const void *cubin, size_t nbytes, const char *ptx) {
  pthread_mutex_lock(&m->lock);
  int n = nvm_know(m, cubin, nbytes, ptx);
  pthread_mutex_unlock(&m->lock);
  return n;
}

// ---- what PTX says of a kernel, for a cubin of our own

typedef struct nvm_entry {
  char name[128];
  uint32_t nparam, offset[64], nbytes[64], param_nbytes, shared, local, barriers, threads[3], cluster[3];
  int dynamic;
} nvm_entry;

static uint32_t nvm_number(const char **at) {
  uint32_t v = 0;
  while (**at >= '0' && **at <= '9') v = v * 10 + (uint32_t)(*(*at)++ - '0');
  return v;
}

// Bytes of the last type's name before end, such as .u64 or .b8.
static uint32_t nvm_type_nbytes(const char *from, const char *end) {
  uint32_t n = 0;
  for (const char *s = from; s + 2 < end; s++) {
    if (*s != '.' || !strchr("ubsf", s[1]) || s[2] < '0' || s[2] > '9') continue;
    const char *digits = s + 2;
    n = nvm_number(&digits) / 8;
  }
  return n;
}

// .align 64 .b8 name[128]: how many bytes, and by what they are aligned.
static uint32_t nvm_declared(const char *from, const char *end, uint32_t *align) {
  uint32_t n = nvm_type_nbytes(from, end);
  *align = n ? n : 1;
  for (const char *s = from; s < end; s++) {
    const char *digits = s + 7;
    if (!strncmp(s, ".align ", 7)) *align = nvm_number(&digits);
    digits = s + 1;
    if (*s == '[') { uint32_t count = nvm_number(&digits); n *= count; }
  }
  return n;
}

static const char *nvm_read_params(nvm_entry *k, const char *s) {
  while (*s && *s != ')') {
    const char *end = s + strcspn(s, ",)");
    uint32_t align, n = nvm_declared(s, end, &align);
    if (n && k->nparam < 64) {
      k->param_nbytes = (k->param_nbytes + align - 1) / align * align;
      k->offset[k->nparam] = k->param_nbytes; k->nbytes[k->nparam++] = n;
      k->param_nbytes += n;
    }
    s = *end == ',' ? end + 1 : end;
  }
  return s;
}

static void nvm_read_shared(nvm_entry *k, const char *line, const char *s, const char *end) {
  uint32_t align, n = nvm_declared(s, end, &align);
  if (!strncmp(line, ".extern", 7)) { k->dynamic = 1; return; }
  k->shared = (k->shared + align - 1) / align * align + n;
}

// Local memory is a thread's stack.
static void nvm_read_local(nvm_entry *k, const char *s, const char *end) {
  uint32_t align, n = nvm_declared(s, end, &align);
  k->local = (k->local + align - 1) / align * align + n;
}

static void nvm_read_barrier(nvm_entry *k, const char *s) {
  s += strcspn(s, " \t;");
  s += strspn(s, " \t");
  uint32_t n = *s == '%' ? 15 : nvm_number(&s);
  if (n + 1 > k->barriers) k->barriers = n + 1;
}

// What a directive says between s and end, such as 128, 1, 1: what is left out is 1.
static void nvm_read_three(const char *s, const char *end, const char *directive, uint32_t out[3]) {
  s = strstr(s, directive);
  if (!s || s >= end) return;
  s += strlen(directive);
  for (int i = 0; i < 3; i++) {
    uint32_t n = nvm_number(&s);
    out[i] = n ? n : 1;
    s += strspn(s, ", ");
  }
}

// Line by line from s to end: shared memory, barriers, and what .maxntid says.
static void nvm_read_lines(nvm_entry *k, const char *s, const char *end) {
  for (; s < end; s += strcspn(s, "\n;{}") + 1) {
    s += strspn(s, " \t\n\r");
    const char *stop = s + strcspn(s, ";\n{}"), *at;
    if (*s == '@') s += strcspn(s, " \t"), s += strspn(s, " \t");
    if (!strncmp(s, "bar.", 4) || !strncmp(s, "barrier.sync", 12) || !strncmp(s, "barrier.red", 11))
      nvm_read_barrier(k, s);
    nvm_read_three(s, stop, ".maxntid ", k->threads);
    nvm_read_three(s, stop, ".reqntid ", k->threads);
    nvm_read_three(s, stop, ".reqnctapercluster ", k->cluster);
    at = strstr(s, ".shared ");
    if (at && at < stop && (at == s || !strncmp(s, ".extern", 7) || !strncmp(s, ".visible", 8)))
      nvm_read_shared(k, s, at, stop);
    if (!strncmp(s, ".local ", 7)) nvm_read_local(k, s, stop);
    if (s >= end) break;
  }
}

// The next kernel of the text behind s; NULL: none.
static const char *nvm_read_entry(const char *text, const char *s, nvm_entry *k) {
  memset(k, 0, sizeof *k);
  const char *first = strstr(text, ".entry ");
  if (!(s = strstr(s, ".entry "))) return NULL;
  s += 7; s += strspn(s, " \t\n\r");
  size_t n = strcspn(s, " \t\n\r({");
  snprintf(k->name, sizeof k->name, "%.*s", (int)n, s);
  s += n; s += strspn(s, " \t\n\r");
  if (*s == '(') s = nvm_read_params(k, s + 1);
  const char *end = strstr(s, ".entry ");
  if (!end) end = s + strlen(s);
  nvm_read_lines(k, text, first);                        // what stands before the first kernel is of all
  nvm_read_lines(k, s, end);
  return s;
}

// The next variable of the module behind s, in that space (".global "), its name and its bytes; NULL: none before the
// first kernel.
static const char *nvm_read_global(const char *text, const char *s, const char *space, char name[128],
                                   uint32_t *nbytes) {
  const char *end = strstr(text, ".entry "), *line = strstr(s, space);
  uint32_t align;
  if (!line || (end && line > end)) return NULL;
  const char *stop = line + strcspn(line, ";=["), *first;
  *nbytes = nvm_declared(line, line + strcspn(line, ";="), &align);
  while (stop > line && strchr(" \t", stop[-1])) stop--;
  for (first = stop; first > line && !strchr(" \t", first[-1]);) first--;
  snprintf(name, 128, "%.*s", (int)(stop - first), first);
  return stop;
}

// ---- writing

typedef struct nvm_writer { uint8_t *bytes; size_t n, room; } nvm_writer;

static size_t nvm_write(nvm_writer *w, const void *bytes, size_t n, size_t align) {
  size_t at = (w->n + align - 1) / align * align;
  if (at + n > w->room || !w->bytes) {
    w->room = (at + n) * 2 + 64;
    if (!(w->bytes = realloc(w->bytes, w->room))) abort();
  }
  memset(w->bytes + w->n, 0, at + n - w->n);
  if (bytes) memcpy(w->bytes + at, bytes, n);
  w->n = at + n;
  return at;
}

static uint32_t nvm_write_text(nvm_writer *w, const char *prefix, const char *name) {
  size_t at = nvm_write(w, prefix, strlen(prefix), 1);
  nvm_write(w, name, strlen(name) + 1, 1);
  return (uint32_t)at;
}

typedef struct nvm_cubin { nvm_writer file, headers, names, symbols, info; uint32_t nsection; } nvm_cubin;

static uint32_t nvm_put_section(nvm_cubin *c, const char *prefix, const char *name, uint32_t type, const void *bytes,
                                size_t n, size_t align, uint32_t link, uint32_t info, uint64_t each) {
  uint8_t h[NVM_SECTION] = {0};
  nvm_put32(h, 0, nvm_write_text(&c->names, prefix, name));
  nvm_put32(h, 4, type);
  nvm_put64(h, 8, !strcmp(prefix, ".text.") ? 6 : 0);
  nvm_put64(h, 0x18, type == 8 ? c->file.n : nvm_write(&c->file, bytes, n, align));
  nvm_put64(h, 0x20, n);
  nvm_put32(h, 0x28, link);
  nvm_put32(h, 0x2c, info);
  nvm_put64(h, 0x30, align);
  nvm_put64(h, 0x38, each);
  nvm_write(&c->headers, h, sizeof h, 1);
  return c->nsection++;
}

static void nvm_put_symbol(nvm_cubin *c, const char *name, uint32_t info, uint32_t section, uint64_t value,
                           uint64_t nbytes) {
  uint8_t entry[NVM_SYMBOL] = {0};
  nvm_put32(entry, 0, nvm_write_text(&c->names, "", name));
  nvm_put32(entry, 4, info | section << 16);
  nvm_put64(entry, 8, value);
  nvm_put64(entry, 16, nbytes);
  nvm_write(&c->symbols, entry, sizeof entry, 1);
}

static void nvm_record(nvm_writer *w, int format, int code, uint32_t v, const uint32_t *payload, uint32_t n) {
  uint8_t head[4] = {(uint8_t)format, (uint8_t)code, (uint8_t)v, (uint8_t)(v >> 8)};
  nvm_write(w, head, 4, 1);
  nvm_write(w, payload, n, 1);
}

// FNV-1a (Fowler, Noll, Vo), 64 bits.
static uint64_t nvm_hash(uint64_t h, const char *text) {
  while (*text) h = (h ^ (uint8_t)*text++) * 0x100000001b3u;
  return h;
}

static void nvm_code(uint8_t code[512], const char *ptx, const nvm_entry *k) {
  uint64_t h = nvm_hash(nvm_hash(0xcbf29ce484222325u, ptx), k->name);
  for (size_t i = 0; i < 64; i++) {
    h ^= h << 13; h ^= h >> 7; h ^= h << 17;
    nvm_put64(code, 8 * i, h);
  }
}

// As many as may be where all threads that may be are there.
static uint32_t nvm_registers(const nvm_entry *k) {
  uint32_t threads = k->threads[0] ? k->threads[0] : 1024;
  for (int i = 1; i < 3; i++) if (k->threads[i]) threads *= k->threads[i];
  uint32_t n = 65536 / ((threads + 127) / 128 * 128) / 8 * 8;
  return n > 168 ? 168 : n < 24 ? 24 : n;
}

static void nvm_kernel_records(nvm_writer *w, const nvm_entry *k, uint32_t symbol, uint32_t base) {
  nvm_record(w, 4, 0x37, 4, &(uint32_t){0x82}, 4);
  nvm_record(w, 4, 0x0a, 8, (uint32_t[2]){symbol, base | k->param_nbytes << 16}, 8);
  nvm_record(w, 3, 0x19, k->param_nbytes, NULL, 0);
  for (uint32_t i = k->nparam; i-- > 0;)
    nvm_record(w, 4, 0x17, 12, (uint32_t[3]){0, i | k->offset[i] << 16, k->nbytes[i] << 18 | 0x1f000}, 12);
  nvm_record(w, 3, 0x1b, 0xff, NULL, 0);
  if (k->barriers) nvm_record(w, 2, 0x4c, k->barriers, NULL, 0);
  if (k->threads[0]) nvm_record(w, 4, 0x05, 12, k->threads, 12);
  if (k->cluster[0]) nvm_record(w, 4, 0x3d, 12, k->cluster, 12);
}

static void nvm_put_kernel(nvm_cubin *c, const nvm_chip *chip, const char *ptx, const nvm_entry *k, uint32_t symbol) {
  uint8_t code[512];
  nvm_writer records = {0};
  uint32_t reserved = chip->sm < 90 ? 0 : 0x400;
  nvm_code(code, ptx, k);
  nvm_kernel_records(&records, k, symbol, chip->param_base);
  nvm_put_section(c, ".nv.info.", k->name, 0x70000000, records.bytes, records.n, 4, 3, c->nsection + 1, 0);
  uint32_t text = nvm_put_section(c, ".text.", k->name, 1, code, sizeof code, 128, 3, symbol, 0);
  if (k->shared || k->dynamic)
    nvm_put_section(c, ".nv.shared.", k->name, 8, NULL, k->shared + reserved, 16, 0, text, 0);
  nvm_put_section(c, ".nv.constant0.", k->name, 1, NULL, chip->param_base + k->param_nbytes, 4, 0, text, 0);
  nvm_record(&c->info, 4, 0x2f, 8, (uint32_t[2]){symbol, nvm_registers(k)}, 8);
  nvm_record(&c->info, 4, 0x11, 8, (uint32_t[2]){symbol, (k->local + 15) / 16 * 16}, 8);
  nvm_record(&c->info, 4, 0x12, 8, (uint32_t[2]){symbol, (k->local + 15) / 16 * 16}, 8);
  nvm_put_symbol(c, k->name, 0x1012, text, 0, sizeof code);                // FUNC, GLOBAL; STO_CUDA_ENTRY
  free(records.bytes);
}

static void nvm_put_header(nvm_cubin *c, int sm) {
  size_t table = nvm_write(&c->file, c->headers.bytes, c->headers.n, 8);
  uint8_t *h = c->file.bytes;
  memcpy(h, "\177ELF\2\1\1\x41\x08", 9);
  nvm_put32(h, 0x10, 2 | 190u << 16);
  nvm_put32(h, 0x14, 130);
  nvm_put64(h, 0x28, table);
  nvm_put32(h, 0x30, 0x06000000u | (uint32_t)sm << 8 | (sm < 100 ? 4 : 2));
  nvm_put32(h, 0x34, 64);
  nvm_put32(h, 0x38, (uint32_t)NVM_SECTION << 16);
  nvm_put32(h, 0x3c, c->nsection | 1u << 16);
}

// The module's variables of a space, as zeros of one section: code of this kind reads none.
static uint32_t nvm_put_globals(nvm_cubin *c, const char *ptx, const char *space, const char *section, uint32_t type) {
  char name[128];
  uint32_t n, all = 0, count = 0;
  for (const char *s = ptx; (s = nvm_read_global(ptx, s, space, name, &n)); count++) {
    nvm_put_symbol(c, name, 0x11, c->nsection, all, n);                    // OBJECT, GLOBAL
    all += (n + 15) / 16 * 16;
  }
  if (count) nvm_put_section(c, section, "", type, NULL, all, 16, 0, 0, 0);
  return count;
}

// What kernels say of tensors, NAME_maps[n] = {..}, words of 64 bits: the one kind of variable that the host reads.
static uint32_t nvm_put_maps(nvm_cubin *c, const char *ptx) {
  static const char head[] = ".visible .global .align 8 .b64 ";
  nvm_writer words = {0};
  uint32_t count = 0;
  for (const char *s = ptx; (s = strstr(s, head)); count++) {
    char name[128];
    const size_t at = (words.n + 15) / 16 * 16;
    s += sizeof head - 1;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(s, "["), s);
    nvm_write(&words, NULL, 0, 16);
    for (s += strcspn(s, "{"); *s && *s != '}';) {
      char *end;
      const uint64_t x = strtoull(s + 1, &end, 10);
      uint8_t bytes[8];
      nvm_put64(bytes, 0, x);
      nvm_write(&words, bytes, 8, 1);
      s = end;
    }
    nvm_put_symbol(c, name, 0x11, c->nsection, at, words.n - at);
  }
  if (count) nvm_put_section(c, ".nv.global.init", "", 1, words.bytes, words.n, 16, 0, 0, 0);
  free(words.bytes);
  return count;
}

// Section 1 has the names, of sections and of symbols; 2 what .nv.info says of all; 3 the symbols.
static void *nvm_own_cubin(const nvm_chip *chip, const char *ptx, size_t *nbytes) {
  static const char *const first[3] = {".shstrtab", ".nv.info", ".symtab"};
  nvm_cubin c = {0};
  nvm_entry k;
  uint32_t symbol = 1;
  uint8_t none[NVM_SECTION] = {0};
  nvm_write(&c.file, NULL, 64, 1);
  nvm_write(&c.headers, none, NVM_SECTION, 1);
  nvm_write(&c.names, "", 1, 1);
  nvm_write(&c.symbols, none, NVM_SYMBOL, 1);
  c.nsection = 1;
  for (int i = 0; i < 3; i++)
    nvm_put_section(&c, first[i], "", i ? 0x70000000 : 3, NULL, 0, 8, i ? 3 : 0, 0, 0);
  symbol += nvm_put_globals(&c, ptx, ".global ", ".nv.global", 8);
  symbol += nvm_put_globals(&c, ptx, ".const ", ".nv.constant3", 1);
  symbol += nvm_put_maps(&c, ptx);
  for (const char *s = ptx; (s = nvm_read_entry(ptx, s, &k)); symbol++) nvm_put_kernel(&c, chip, ptx, &k, symbol);
  const nvm_writer *late[3] = {&c.names, &c.info, &c.symbols};
  for (size_t i = 0; i < 3; i++) {
    uint8_t *h = c.headers.bytes + (1 + i) * NVM_SECTION;
    nvm_put64(h, 0x18, nvm_write(&c.file, late[i]->bytes, late[i]->n, 8));
    nvm_put64(h, 0x20, late[i]->n);
    if (i == 2) { nvm_put32(h, 4, 2); nvm_put32(h, 0x28, 1); nvm_put32(h, 0x2c, 1); nvm_put64(h, 0x38, NVM_SYMBOL); }
  }
  nvm_put_header(&c, chip->sm);
  free(c.headers.bytes); free(c.names.bytes); free(c.symbols.bytes); free(c.info.bytes);
  *nbytes = c.file.n;
  return c.file.bytes;
}

// ---- ptxas

static int nvm_find_ptxas(const nv_mock *m, char *path, size_t room) {
  const char *dirs = getenv("PATH");
  if (m->desc.ptxas) { snprintf(path, room, "%s", m->desc.ptxas); return *path != 0; }
  for (const char *s = dirs ? dirs : ""; *s;) {
    size_t n = strcspn(s, ":");
    snprintf(path, room, "%.*s/ptxas", (int)n, s);
    if (!access(path, X_OK)) return 1;
    s += n + (s[n] == ':');
  }
  snprintf(path, room, "/usr/local/cuda/bin/ptxas");
  return !access(path, X_OK);
}

static void *nvm_read_file(const char *path, size_t *nbytes) {
  FILE *f = fopen(path, "rb");
  nvm_writer w = {0};
  uint8_t chunk[4096];
  size_t n;
  if (!f) return NULL;
  while ((n = fread(chunk, 1, sizeof chunk, f)) > 0) nvm_write(&w, chunk, n, 1);
  fclose(f);
  *nbytes = w.n;
  return w.bytes;
}

// The target is the text's own, which may have a letter that the number has not.
static void nvm_target(const char *ptx, int sm, char *target, size_t room) {
  const char *s = strstr(ptx, ".target ");
  snprintf(target, room, "sm_%d", sm);
  if (!s) return;
  s += 8; s += strspn(s, " ");
  size_t own = strspn(s, "sm_0123456789af"), plain = strlen(target);
  if (own > plain && !strncmp(s, target, plain)) snprintf(target, room, "%.*s", (int)own, s);
}

static void *nvm_ptxas(const char *ptxas, const char *ptx, int sm, size_t *nbytes, char *log, size_t log_nbytes) {
  char folder[] = "/tmp/nv_mock_XXXXXX", command[1400], from[64], to[64], said[64], target[32];
  size_t n = 0;
  if (!mkdtemp(folder)) return NULL;
  snprintf(from, sizeof from, "%s/k.ptx", folder);
  snprintf(to, sizeof to, "%s/k.cubin", folder);
  snprintf(said, sizeof said, "%s/log", folder);
  nvm_target(ptx, sm, target, sizeof target);
  snprintf(command, sizeof command, "'%s' -arch=%s '%s' -o '%s' >'%s' 2>&1", ptxas, target, from, to, said);
  FILE *f = fopen(from, "wb");
  if (f) { fwrite(ptx, 1, strlen(ptx), f); fclose(f); }
  void *cubin = f && !system(command) ? nvm_read_file(to, nbytes) : NULL;
  char *text = cubin ? NULL : nvm_read_file(said, &n);
  if (log_nbytes) snprintf(log, log_nbytes, "%.*s", (int)n, text ? text : "");
  free(text);
  remove(from); remove(to); remove(said); rmdir(folder);
  return cubin;
}

// Nothing executes machine code here, and kernels whose constants lie in banks, or whose text alone differs, may share
// it: the last instruction of each, which pads, becomes a number of the text.
static void nvm_tell_apart(void *cubin, size_t nbytes, const char *ptx) {
  nvm_elf e;
  nvm_section s;
  if (!nvm_elf_open(&e, cubin, nbytes)) return;
  for (uint32_t i = 0; i < e.count; i++) {
    if (!nvm_section_at(&e, i, &s) || strncmp(s.name, ".text.", 6) || !s.bytes || s.nbytes < 16) continue;
    const uint64_t tag = nvm_hash(nvm_hash(0xcbf29ce484222325u, ptx), s.name);
    memcpy((uint8_t *)cubin + (s.bytes - (const uint8_t *)cubin) + s.nbytes - sizeof tag, &tag, sizeof tag);
  }
}

static int nvm_assemble(void *user, const char *ptx, int sm, void **cubin, size_t *nbytes, char *log,
                        size_t log_nbytes) {
  nv_mock *m = user;
  char path[1024];
  if (log_nbytes) *log = 0;
  if (sm != m->chip->sm) {
    pthread_mutex_lock(&m->lock);
    nvm_wrong(m, 0, "assemble: for sm_%d, and the chip is sm_%d", sm, m->chip->sm);
    pthread_mutex_unlock(&m->lock);
  }
  const int real = nvm_find_ptxas(m, path, sizeof path);
  *cubin = real ? nvm_ptxas(path, ptx, sm, nbytes, log, log_nbytes) : nvm_own_cubin(m->chip, ptx, nbytes);
  if (!*cubin) return -EINVAL;
  if (real) nvm_tell_apart(*cubin, *nbytes, ptx);
  if (!nv_mock_know(m, *cubin, *nbytes, ptx)) { free(*cubin); *cubin = NULL; return -EINVAL; }
  return 0;
}
