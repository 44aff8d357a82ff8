// cubin: reads machine code as ptxas writes it: an ELF file with kernels, what each needs, and where addresses go.
//
// In:    any bytes. Out: what stands in them, or a sentence about what is wrong; nothing is copied or executed.
// Holds: after tn_cubin_open returned NULL each section lies within the bytes and each name ends there. What a record
//        says is not trusted: sizes are bounded where they are used. Records of unknown codes are passed over.
// What is what: the layout was read from files of ptxas 13.0 and 12.x for sm_75 to sm_120; names of records are those
// that cuobjdump -elf shows (CUDA Binary Utilities).
#ifndef TN_NV_CUBIN
#define TN_NV_CUBIN
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { TN_CUBIN_SECTIONS = 4096, TN_CUBIN_BANKS = 8 };       // the most sections; constant banks that hardware has

typedef struct tn_cubin { const uint8_t *data; size_t nbytes; int sm, n; uint64_t table; int names, symbols; } tn_cubin;
typedef struct tn_cubin_section {
  const char *name; const uint8_t *data;   // NULL: zeros, as of .nv.global
  uint64_t nbytes, flags, align; uint32_t type, link, info, each;      // each: bytes of an entry
} tn_cubin_section;
typedef struct tn_cubin_symbol { const char *name; uint64_t value, nbytes; int section, entry; } tn_cubin_symbol;
// Address of symbol + addend goes to `at` of section; 8 bytes.
typedef struct tn_cubin_relocation { int section; uint64_t at; int symbol; uint64_t addend; } tn_cubin_relocation;

typedef struct tn_cubin_kernel {
  const char *name;
  int text, symbol, bank[TN_CUBIN_BANKS];  // sections; 0: none. bank 0 is made for each launch
  uint32_t text_nbytes, shared;            // shared: static, with the bytes that sm_90 and later keep for themselves
  uint32_t registers, barriers, frame, stack;              // stack: the least of local memory, bytes of a thread
  uint32_t param_base, param_nbytes;       // in bank 0
  uint32_t max_threads, required[3], cluster[3];           // of .maxntid, .reqntid and .reqnctapercluster; 0: not said
  int nparam;
} tn_cubin_kernel;
typedef struct tn_cubin_param { uint32_t at, nbytes; } tn_cubin_param;  // bytes behind param_base

enum {                                     // ELF-64 (System V ABI, Object Files); what CUDA adds to it
  TN_CUBIN_PROGBITS = 1, TN_CUBIN_SYMTAB = 2, TN_CUBIN_STRTAB = 3, TN_CUBIN_RELA = 4, TN_CUBIN_NOBITS = 8,
  TN_CUBIN_REL = 9, TN_CUBIN_ALLOC = 2, TN_CUBIN_EXEC = 2, TN_CUBIN_MACHINE = 190, TN_CUBIN_ABI = 0x41,
  TN_CUBIN_ABI_OLD = 0x33, TN_CUBIN_FUNC = 2, TN_CUBIN_ENTRY = 0x10, TN_CUBIN_ABSOLUTE = 2
};
enum {                                     // codes of records in .nv.info
  TN_CUBIN_MAX_THREADS = 0x05, TN_CUBIN_PARAM_BANK = 0x0A, TN_CUBIN_REQUIRED = 0x10, TN_CUBIN_FRAME = 0x11,
  TN_CUBIN_MIN_STACK = 0x12, TN_CUBIN_PARAM = 0x17, TN_CUBIN_PARAM_NBYTES = 0x19, TN_CUBIN_REGISTERS = 0x2F,
  TN_CUBIN_CLUSTER = 0x3D, TN_CUBIN_BARRIERS = 0x4C
};

// ** bytes **

static uint64_t tn_cubin_read(const uint8_t *p, int nbytes) {
  uint64_t x = 0;
  for (int i = nbytes - 1; i >= 0; i--) x = x << 8 | p[i];
  return x;
}
static uint32_t tn_cubin_u32(const uint8_t *p) { return (uint32_t)tn_cubin_read(p, 4); }
static int tn_cubin_within(uint64_t at, uint64_t nbytes, uint64_t all) { return at <= all && nbytes <= all - at; }

// ** sections and symbols **

// Without a look at what it says, but for bytes that are not there: it has none then. i < n.
static tn_cubin_section tn_cubin_header(const tn_cubin *c, int i) {
  const uint8_t *h = c->data + c->table + (size_t)i * 64;
  tn_cubin_section s = {"", NULL, tn_cubin_read(h + 32, 8), tn_cubin_read(h + 8, 8), tn_cubin_read(h + 48, 8),
                        tn_cubin_u32(h + 4), tn_cubin_u32(h + 40), tn_cubin_u32(h + 44),
                        (uint32_t)tn_cubin_read(h + 56, 8)};
  const uint64_t at = tn_cubin_read(h + 24, 8);
  if (s.type != TN_CUBIN_NOBITS && s.type && tn_cubin_within(at, s.nbytes, c->nbytes)) s.data = c->data + at;
  if (s.type == 0) s.nbytes = 0;
  if (!s.align) s.align = 1;
  return s;
}
static const char *tn_cubin_text(const tn_cubin *c, int table, uint64_t at) {
  const tn_cubin_section s = tn_cubin_header(c, table);
  return s.data && at < s.nbytes ? (const char *)s.data + at : "";
}
static tn_cubin_section tn_cubin_section_at(const tn_cubin *c, int i) {
  tn_cubin_section s = tn_cubin_header(c, i);
  s.name = tn_cubin_text(c, c->names, tn_cubin_u32(c->data + c->table + (size_t)i * 64));
  return s;
}
// By the whole name, or by prefix and the name of a kernel; 0: none.
static int tn_cubin_find(const tn_cubin *c, const char *prefix, const char *name) {
  const size_t n = strlen(prefix);
  for (int i = 1; i < c->n; i++) {
    const char *s = tn_cubin_text(c, c->names, tn_cubin_u32(c->data + c->table + (size_t)i * 64));
    if (!strncmp(s, prefix, n) && !strcmp(s + n, name)) return i;
  }
  return 0;
}

static int tn_cubin_symbol_count(const tn_cubin *c) {
  return c->symbols ? (int)(tn_cubin_header(c, c->symbols).nbytes / 24) : 0;
}
static tn_cubin_symbol tn_cubin_symbol_at(const tn_cubin *c, int i) {
  const tn_cubin_section table = tn_cubin_header(c, c->symbols);
  const uint8_t *p = table.data + (size_t)i * 24;
  const int section = (int)tn_cubin_read(p + 6, 2);
  tn_cubin_symbol s = {tn_cubin_text(c, (int)table.link, tn_cubin_u32(p)), tn_cubin_read(p + 8, 8),
                       tn_cubin_read(p + 16, 8), section < c->n ? section : 0, 0};
  s.entry = (p[4] & 15) == TN_CUBIN_FUNC && p[5] & TN_CUBIN_ENTRY;
  return s;
}
// NULL after the last; *i goes on from 0.
static int tn_cubin_next_entry(const tn_cubin *c, int *i, tn_cubin_symbol *out) {
  for (const int n = tn_cubin_symbol_count(c); *i < n; ) {
    *out = tn_cubin_symbol_at(c, (*i)++);
    if (out->entry && out->section) return 1;
  }
  return 0;
}
static int tn_cubin_has_symbol(const tn_cubin *c, const char *name) {
  for (int i = 0; i < tn_cubin_symbol_count(c); i++) if (!strcmp(tn_cubin_symbol_at(c, i).name, name)) return 1;
  return 0;
}

// The bytes of a variable; NULL: there is no such, or it is not all there.
static const uint8_t *tn_cubin_variable(const tn_cubin *c, const char *name, uint64_t *nbytes) {
  for (int i = 0; i < tn_cubin_symbol_count(c); i++) {
    const tn_cubin_symbol s = tn_cubin_symbol_at(c, i);
    if (!s.section || strcmp(s.name, name) != 0) continue;
    const tn_cubin_section in = tn_cubin_section_at(c, s.section);
    *nbytes = s.nbytes;
    return in.data && tn_cubin_within(s.value, s.nbytes, in.nbytes) ? in.data + s.value : NULL;
  }
  return NULL;
}

// ** opened **

static const char *tn_cubin_section_wrong(tn_cubin *c, int i) {
  const tn_cubin_section s = tn_cubin_header(c, i);
  if (s.type != TN_CUBIN_NOBITS && s.type && !s.data) return "a section goes beyond its end";
  if (s.nbytes >> 32 || s.align & (s.align - 1) || s.align > 65536) return "a section has an odd size or alignment";
  if (s.type == TN_CUBIN_STRTAB && s.nbytes && s.data[s.nbytes - 1]) return "a name has no end";
  if (s.type != TN_CUBIN_SYMTAB) return NULL;
  if (c->symbols) return "it has two tables of symbols";
  if (s.link >= (uint32_t)c->n || tn_cubin_header(c, (int)s.link).type != TN_CUBIN_STRTAB)
    return "its symbols have no names";
  c->symbols = i;
  return NULL;
}
static const char *tn_cubin_sections_wrong(tn_cubin *c) {
  for (int i = 0; i < c->n; i++) {
    const char *wrong = tn_cubin_section_wrong(c, i);
    if (wrong) return wrong;
  }
  return tn_cubin_header(c, c->names).type == TN_CUBIN_STRTAB ? NULL : "its sections have no names";
}
// NULL: c tells what stands there, while the bytes stay. Otherwise why they are not used: "the cubin ..".
static const char *tn_cubin_open(tn_cubin *c, const void *data, size_t nbytes) {
  const uint8_t *p = (const uint8_t *)data;
  memset(c, 0, sizeof *c);
  if (nbytes < 64 || memcmp(p, "\177ELF\2\1\1", 7)) return "it is no ELF file of 64 bits";
  if (tn_cubin_read(p + 18, 2) != TN_CUBIN_MACHINE) return "it is for another kind of machine";
  const uint32_t flags = tn_cubin_u32(p + 48);
  if (p[7] == TN_CUBIN_ABI) c->sm = (int)(flags >> 8 & 255);
  else if (p[7] == TN_CUBIN_ABI_OLD) c->sm = (int)(flags & 255);
  else return "its ABI is not known: it is of a toolkit newer than CUDA 13";
  if (tn_cubin_read(p + 16, 2) != TN_CUBIN_EXEC) return "it is not linked: leave out -c and -rdc=true";
  c->data = p; c->nbytes = nbytes;
  c->table = tn_cubin_read(p + 40, 8);
  c->n = (int)tn_cubin_read(p + 60, 2);
  c->names = (int)tn_cubin_read(p + 62, 2);
  if (tn_cubin_read(p + 58, 2) != 64 || c->n < 2 || c->n > TN_CUBIN_SECTIONS || c->names >= c->n ||
      !tn_cubin_within(c->table, (uint64_t)c->n * 64, nbytes))
    return "its table of sections is cut off or none";
  return tn_cubin_sections_wrong(c);
}

// ** what a kernel needs **

typedef struct tn_cubin_record { int code; uint32_t value; const uint8_t *data; size_t nbytes; } tn_cubin_record;

// Formats: 1 nothing, 2 a byte, 3 16 bits, 4 so many bytes behind it. 0: there is none left.
static int tn_cubin_next(const tn_cubin_section *s, uint64_t *at, tn_cubin_record *r) {
  if (!s->data || !tn_cubin_within(*at, 4, s->nbytes)) return 0;
  const uint8_t *p = s->data + *at;
  r->code = p[1];
  r->value = (uint32_t)tn_cubin_read(p + 2, 2);
  r->nbytes = p[0] == 4 ? r->value : 0;
  r->data = p + 4;
  *at += 4;
  if (p[0] < 1 || p[0] > 4 || !tn_cubin_within(*at, r->nbytes, s->nbytes)) return 0;
  *at += r->nbytes;
  return 1;
}
static void tn_cubin_three(const tn_cubin_record *r, uint32_t out[3]) {
  for (int i = 0; i < 3 && r->nbytes >= 12; i++) out[i] = tn_cubin_u32(r->data + 4 * i);
}
// Of .nv.info: {symbol, number} for all kernels.
static void tn_cubin_common(const tn_cubin *c, tn_cubin_kernel *k) {
  const int section = tn_cubin_find(c, ".nv.info", "");
  const tn_cubin_section s = tn_cubin_section_at(c, section);
  tn_cubin_record r;
  for (uint64_t at = 0; section && tn_cubin_next(&s, &at, &r); ) {
    if (r.nbytes < 8 || (int)tn_cubin_u32(r.data) != k->symbol) continue;
    const uint32_t value = tn_cubin_u32(r.data + 4);
    if (r.code == TN_CUBIN_REGISTERS) k->registers = value;
    if (r.code == TN_CUBIN_FRAME) k->frame = value;
    if (r.code == TN_CUBIN_MIN_STACK) k->stack = value;
  }
}
// Of .nv.info.NAME.
static void tn_cubin_own(const tn_cubin *c, tn_cubin_kernel *k) {
  const int section = tn_cubin_find(c, ".nv.info.", k->name);
  const tn_cubin_section s = tn_cubin_section_at(c, section);
  tn_cubin_record r;
  for (uint64_t at = 0; section && tn_cubin_next(&s, &at, &r); ) {
    uint32_t three[3] = {0, 0, 0};
    tn_cubin_three(&r, three);
    if (r.code == TN_CUBIN_PARAM_BANK && r.nbytes >= 8) {
      k->param_base = (uint32_t)tn_cubin_read(r.data + 4, 2);
      k->param_nbytes = (uint32_t)tn_cubin_read(r.data + 6, 2);
    }
    if (r.code == TN_CUBIN_PARAM_NBYTES && !k->param_nbytes) k->param_nbytes = r.value;
    if (r.code == TN_CUBIN_PARAM && r.nbytes >= 12) k->nparam++;
    if (r.code == TN_CUBIN_BARRIERS) k->barriers = r.value & 255;
    if (r.code == TN_CUBIN_REQUIRED) memcpy(k->required, three, sizeof three);
    if (r.code == TN_CUBIN_CLUSTER) memcpy(k->cluster, three, sizeof three);
    if (r.code == TN_CUBIN_MAX_THREADS && (uint64_t)three[0] * three[1] * three[2] <= 1024)
      k->max_threads = three[0] * three[1] * three[2];
  }
}
// 0: the kernel has no parameter of that number, or the cubin does not tell.
static int tn_cubin_param_at(const tn_cubin *c, const tn_cubin_kernel *k, int number, tn_cubin_param *out) {
  const int section = tn_cubin_find(c, ".nv.info.", k->name);
  const tn_cubin_section s = tn_cubin_section_at(c, section);
  tn_cubin_record r;
  for (uint64_t at = 0; section && tn_cubin_next(&s, &at, &r); ) {
    if (r.code != TN_CUBIN_PARAM || r.nbytes < 12 || (int)tn_cubin_read(r.data + 4, 2) != number) continue;
    out->at = (uint32_t)tn_cubin_read(r.data + 6, 2);
    out->nbytes = tn_cubin_u32(r.data + 8) >> 18;
    return 1;
  }
  return 0;
}
static const char *tn_cubin_kernel_wrong(const tn_cubin_kernel *k) {
  if (!k->registers || k->registers > 255) return "a kernel's registers are not told";
  if (k->barriers > 16) return "a kernel has more than 16 barriers";
  if (k->param_base < 0x160 || k->param_base > 0x1000 || k->param_nbytes > 32764)
    return "a kernel's parameters are not told";
  if (k->shared > 1u << 20 || k->stack > 512u << 10 || !k->text_nbytes) return "a kernel has odd sizes";
  return NULL;
}
// NULL: k tells all about the kernel of this entry, that of symbol number `symbol`.
static const char *tn_cubin_kernel_of(const tn_cubin *c, int symbol, tn_cubin_kernel *k) {
  static const char *const prefix[TN_CUBIN_BANKS] = {
    ".nv.constant0.", ".nv.constant1.", ".nv.constant2.", ".nv.constant3", ".nv.constant4", ".nv.constant5.",
    ".nv.constant6.", ".nv.constant7."
  };
  const tn_cubin_symbol s = tn_cubin_symbol_at(c, symbol);
  memset(k, 0, sizeof *k);
  k->name = s.name; k->symbol = symbol; k->text = s.section;
  const tn_cubin_section text = tn_cubin_section_at(c, s.section);
  if (!text.data || text.type != TN_CUBIN_PROGBITS) return "a kernel has no code";
  k->text_nbytes = (uint32_t)text.nbytes;
  const int shared = tn_cubin_find(c, ".nv.shared.", s.name);
  if (shared) k->shared = (uint32_t)tn_cubin_section_at(c, shared).nbytes;
  for (int i = 0; i < TN_CUBIN_BANKS; i++) k->bank[i] = tn_cubin_find(c, prefix[i], i == 3 || i == 4 ? "" : s.name);
  tn_cubin_common(c, k);
  tn_cubin_own(c, k);
  return tn_cubin_kernel_wrong(k);
}

// ** where it lies when it is loaded **

// Is it brought to the device? Shared memory and bank 0 are made when a kernel is launched.
static int tn_cubin_loaded(const tn_cubin_section *s) {
  if (!(s->flags & TN_CUBIN_ALLOC) || (s->type != TN_CUBIN_PROGBITS && s->type != TN_CUBIN_NOBITS)) return 0;
  return strncmp(s->name, ".nv.shared", 10) != 0 && strncmp(s->name, ".nv.constant0.", 14) != 0;
}
// Bytes of the image; where[i]: of section i in it, which begins at a multiple of 256, as code and constant banks
// want it. UINT64_MAX: it is not loaded.
static uint64_t tn_cubin_place(const tn_cubin *c, uint64_t *where) {
  uint64_t at = 0;
  for (int i = 0; i < c->n; i++) {
    const tn_cubin_section s = tn_cubin_section_at(c, i);
    where[i] = UINT64_MAX;
    if (!tn_cubin_loaded(&s)) continue;
    const uint64_t align = s.align > 256 ? s.align : 256;
    where[i] = at = (at + align - 1) & ~(align - 1);
    at += s.nbytes;
  }
  return at;
}
// Relocation `i` of section `table`, one of its n. A sentence: of a kind that a linked cubin does not have.
static const char *tn_cubin_relocation_at(const tn_cubin *c, int table, uint64_t i, tn_cubin_relocation *out) {
  const tn_cubin_section s = tn_cubin_section_at(c, table);
  const uint8_t *p = s.data + i * (s.type == TN_CUBIN_RELA ? 24 : 16);
  const uint64_t info = tn_cubin_read(p + 8, 8);
  out->section = (int)s.info; out->at = tn_cubin_read(p, 8); out->symbol = (int)(info >> 32);
  const tn_cubin_section to = tn_cubin_header(c, out->section);
  if ((uint32_t)info != TN_CUBIN_ABSOLUTE) return "it has relocations that a linked cubin has not: link it";
  if (!to.data || !tn_cubin_within(out->at, 8, to.nbytes) || out->symbol < 0 ||
      out->symbol >= tn_cubin_symbol_count(c))
    return "a relocation goes beyond its end";
  out->addend = s.type == TN_CUBIN_RELA ? tn_cubin_read(p + 16, 8) : tn_cubin_read(to.data + out->at, 8);
  return NULL;
}
// How many relocations a section has that the image needs.
static uint64_t tn_cubin_relocation_count(const tn_cubin *c, int table) {
  const tn_cubin_section s = tn_cubin_section_at(c, table);
  if ((s.type != TN_CUBIN_RELA && s.type != TN_CUBIN_REL) || !s.data || s.info >= (uint32_t)c->n) return 0;
  const tn_cubin_section to = tn_cubin_section_at(c, (int)s.info);
  if (!tn_cubin_loaded(&to)) return 0;
  return s.nbytes / (s.type == TN_CUBIN_RELA ? 24 : 16);
}
// The image, which lies at this address of the device: nbytes as tn_cubin_place says, zeros before. NULL, or what is
// wrong.
static const char *tn_cubin_image(const tn_cubin *c, const uint64_t *where, uint64_t address, uint8_t *image) {
  for (int i = 0; i < c->n; i++) {
    const tn_cubin_section s = tn_cubin_header(c, i);
    if (where[i] != UINT64_MAX && s.data && s.nbytes) memcpy(image + where[i], s.data, (size_t)s.nbytes);
  }
  for (int t = 0; t < c->n; t++) {
    const uint64_t n = tn_cubin_relocation_count(c, t);
    for (uint64_t i = 0; i < n; i++) {
      tn_cubin_relocation r;
      const char *wrong = tn_cubin_relocation_at(c, t, i, &r);
      if (wrong) return wrong;
      const tn_cubin_symbol s = tn_cubin_symbol_at(c, r.symbol);
      if (!s.section || where[s.section] == UINT64_MAX) return "a relocation is of something that is not in it";
      const uint64_t value = address + where[s.section] + s.value + r.addend;
      for (int b = 0; b < 8; b++) image[where[r.section] + r.at + (uint64_t)b] = (uint8_t)(value >> 8 * b);
    }
  }
  return NULL;
}
#endif
