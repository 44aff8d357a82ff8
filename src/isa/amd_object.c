// amd_object: code objects of AMD's GPUs: ELF files of kernels, each a descriptor and code, as HIP and ROCr load them.
//
// In:    any bytes: what a compiler writes (relocatable: there was no linker), or a linker; or kernels' code and what
//        they need. Out: what it is for, its kernels, its image at an address, or a sentence about what is wrong; or an
//        object, linked.
// Holds: nothing outside of the bytes is read, and nothing outside of the image written, whatever they say. Of the
//        image only what the GPU uses is part; each kernel's descriptor and first instruction lie in it.
// Source: System V ABI, Object Files; LLVM's AMDGPU user guide, "Code Object" (ELF header, notes, symbols, relocation
//        records).
#ifndef TN_ISA_AMD_OBJECT
#define TN_ISA_AMD_OBJECT
#ifndef TINY_AMALGAMATED
#include "amd_metadata.c"
#endif

enum { TN_AMD_ELF_MACHINE = 224, TN_AMD_ELF_HSA = 64, TN_AMD_ELF_V5 = 3, TN_AMD_ELF_NOTE = 32, TN_AMD_ELF_HEADER = 64,
  TN_AMD_ELF_SEGMENT = 56, TN_AMD_ELF_SECTION = 64, TN_AMD_ELF_SYMBOL = 24, TN_AMD_ELF_RELOCATION = 24,
  TN_AMD_PAGE = 4096, TN_AMD_TEXT_ALIGN = 256 };
enum { TN_AMD_ET_REL = 1, TN_AMD_ET_DYN = 3, TN_AMD_PT_LOAD = 1, TN_AMD_PT_DYNAMIC, TN_AMD_PT_NOTE = 4,
  TN_AMD_PT_STACK = 0x6474E551, TN_AMD_SHF_ALLOC = 2, TN_AMD_SHF_EXECINSTR = 4, TN_AMD_STT_OBJECT = 1 };
enum { TN_AMD_SHT_PROGBITS = 1, TN_AMD_SHT_SYMTAB, TN_AMD_SHT_STRTAB, TN_AMD_SHT_RELA, TN_AMD_SHT_HASH,
  TN_AMD_SHT_DYNAMIC, TN_AMD_SHT_NOTE, TN_AMD_SHT_NOBITS, TN_AMD_SHT_REL, TN_AMD_SHT_DYNSYM = 11 };
enum { TN_AMD_OBJECT_SECTIONS = 1024 };    // the most

// ** reading **

// chip NULL: it is not known; symbols: the section that has them; where: of each section its place in the image,
// UINT64_MAX: it is no part; image_nbytes: of all of it
typedef struct tn_amd_object {
  const uint8_t *data; size_t nbytes; const tn_amd_chip *chip; uint32_t flags; int relocatable, nsections, symbols;
  uint64_t sections, image_nbytes; const uint64_t *where;
  tn_amd_value metadata;                   // of the kernels: an array, or none
} tn_amd_object;
typedef struct tn_amd_object_section {
  uint32_t type, link, info; uint64_t flags, at, offset, nbytes, align;
} tn_amd_object_section;
// name: n bytes and a 0
typedef struct tn_amd_object_symbol {
  const char *name; size_t n; int type, section; uint64_t value, nbytes;
} tn_amd_object_symbol;
// name: name_n bytes, not ended; at: of the descriptor, entry: of the code, in the image; metadata: its map, or none
typedef struct tn_amd_kernel {
  const char *name; size_t name_n; uint64_t at, entry; tn_amd_descriptor descriptor; tn_amd_value metadata;
} tn_amd_kernel;

static uint64_t tn_amd_aligned(uint64_t n, uint64_t align) { return (n + align - 1) / align * align; }
static int tn_amd_within(uint64_t at, uint64_t nbytes, uint64_t all) { return at <= all && nbytes <= all - at; }
// Zeros stand behind the end.
static uint64_t tn_amd_object_get(const tn_amd_object *o, uint64_t at, int nbytes) {
  return tn_amd_within(at, (uint64_t)nbytes, o->nbytes) ? tn_amd_get_bytes(o->data + at, nbytes) : 0;
}
static tn_amd_object_section tn_amd_object_section_at(const tn_amd_object *o, int i) {
  const uint64_t p = o->sections + (uint64_t)i * TN_AMD_ELF_SECTION;
  tn_amd_object_section s;
  s.type = (uint32_t)tn_amd_object_get(o, p + 4, 4);
  s.flags = tn_amd_object_get(o, p + 8, 8);
  s.at = tn_amd_object_get(o, p + 16, 8);
  s.offset = tn_amd_object_get(o, p + 24, 8);
  s.nbytes = tn_amd_object_get(o, p + 32, 8);
  s.link = (uint32_t)tn_amd_object_get(o, p + 40, 4);
  s.info = (uint32_t)tn_amd_object_get(o, p + 44, 4);
  s.align = tn_amd_object_get(o, p + 48, 8);
  return s;
}
// The text of a table at this place, ended inside it; "": there is none.
static const char *tn_amd_object_text(const tn_amd_object *o, uint32_t table, uint64_t at) {
  if (table >= (uint32_t)o->nsections) return "";
  const tn_amd_object_section s = tn_amd_object_section_at(o, (int)table);
  if (s.type == TN_AMD_SHT_NOBITS || at >= s.nbytes) return "";
  const char *const text = (const char *)o->data + s.offset + at;
  return memchr(text, 0, (size_t)(s.nbytes - at)) ? text : "";
}
// 0: there is none of this number.
static int tn_amd_object_symbol_at(const tn_amd_object *o, uint64_t i, tn_amd_object_symbol *y) {
  const tn_amd_object_section s = tn_amd_object_section_at(o, o->symbols);
  if (i >= s.nbytes / TN_AMD_ELF_SYMBOL) return 0;
  const uint64_t p = s.offset + i * TN_AMD_ELF_SYMBOL;
  y->name = tn_amd_object_text(o, s.link, tn_amd_object_get(o, p, 4));
  y->n = strlen(y->name);
  y->type = (int)tn_amd_object_get(o, p + 4, 1) & 15;
  y->section = (int)tn_amd_object_get(o, p + 6, 2);
  y->value = tn_amd_object_get(o, p + 8, 8);
  y->nbytes = tn_amd_object_get(o, p + 16, 8);
  return 1;
}
// Is a symbol of this name defined in it?
static int tn_amd_object_has(const tn_amd_object *o, const char *name) {
  tn_amd_object_symbol y;
  for (uint64_t i = 0; tn_amd_object_symbol_at(o, i, &y); i++) if (y.section && !strcmp(y.name, name)) return 1;
  return 0;
}

// ** what it is **

// Notes are aligned to 4; that of AMD is a map.
static void tn_amd_object_note(tn_amd_object *o, const tn_amd_object_section *s) {
  const uint64_t end = s->offset + s->nbytes;
  for (uint64_t at = s->offset; at <= end && end - at >= 12; ) {
    const uint64_t name = tn_amd_object_get(o, at, 4), nbytes = tn_amd_object_get(o, at + 4, 4);
    const uint64_t body = at + 12 + (name + 3) / 4 * 4, type = tn_amd_object_get(o, at + 8, 4);
    if (!tn_amd_within(body, nbytes, end)) return;
    if (type == TN_AMD_ELF_NOTE && name == 7 && !memcmp(o->data + at + 12, "AMDGPU", 7)) {
      const tn_amd_value all = {o->data + body, o->data + body + nbytes};
      o->metadata = tn_amd_value_at(all, "amdhsa.kernels", 0);
    }
    at = body + (nbytes + 3) / 4 * 4;
  }
}
static const char *tn_amd_object_header_wrong(tn_amd_object *o) {
  if (o->nbytes < TN_AMD_ELF_HEADER || memcmp(o->data, "\177ELF\2\1", 6) != 0) return "it is no ELF file of 64 bits";
  if (tn_amd_object_get(o, 18, 2) != TN_AMD_ELF_MACHINE) return "it is not for an AMD GPU";
  const uint64_t type = tn_amd_object_get(o, 16, 2);
  if (type != TN_AMD_ET_REL && type != TN_AMD_ET_DYN) return "it is neither an object nor linked";
  o->relocatable = type == TN_AMD_ET_REL;
  o->flags = (uint32_t)tn_amd_object_get(o, 48, 4);
  o->sections = tn_amd_object_get(o, 40, 8); o->nsections = (int)tn_amd_object_get(o, 60, 2);
  if (!o->nsections || o->nsections > TN_AMD_OBJECT_SECTIONS ||
      !tn_amd_within(o->sections, (uint64_t)o->nsections * TN_AMD_ELF_SECTION, o->nbytes))
    return "its table of sections is cut off or none";
  for (int i = 0; i < TN_AMD_CHIPS; i++) if (tn_amd_chips[i].elf == (o->flags & 0xFF)) o->chip = &tn_amd_chips[i];
  return NULL;
}
// NULL, or what is wrong with these bytes, which the object points into.
static const char *tn_amd_object_open(tn_amd_object *o, const void *data, size_t nbytes) {
  memset(o, 0, sizeof *o);
  o->data = (const uint8_t *)data; o->nbytes = nbytes;
  const char *const wrong = tn_amd_object_header_wrong(o);
  if (wrong) return wrong;
  for (int i = 0; i < o->nsections; i++) {
    const tn_amd_object_section s = tn_amd_object_section_at(o, i);
    if (s.type != TN_AMD_SHT_NOBITS && !tn_amd_within(s.offset, s.nbytes, nbytes)) return "a section is cut off";
    if (s.type == TN_AMD_SHT_SYMTAB || (s.type == TN_AMD_SHT_DYNSYM && !o->symbols)) o->symbols = i;
    if (s.type == TN_AMD_SHT_NOTE) tn_amd_object_note(o, &s);
  }
  return o->symbols ? NULL : "it has no symbols";
}

// ** the image **

static int tn_amd_object_is_used(const tn_amd_object_section *s) {
  return (s->flags & TN_AMD_SHF_ALLOC) && (s->type == TN_AMD_SHT_PROGBITS || s->type == TN_AMD_SHT_NOBITS);
}
// Where each section begins: `where` has room for nsections, and stays. NULL, or what is wrong.
static const char *tn_amd_object_place(tn_amd_object *o, uint64_t *where) {
  enum { MOST = 1 << 30 };
  o->where = where;
  for (int i = 0; i < o->nsections; i++) {
    const tn_amd_object_section s = tn_amd_object_section_at(o, i);
    const uint64_t align = s.align > TN_AMD_TEXT_ALIGN ? s.align : (uint64_t)TN_AMD_TEXT_ALIGN;
    where[i] = UINT64_MAX;
    if (!tn_amd_object_is_used(&s)) continue;
    if (o->relocatable && align > TN_AMD_PAGE) return "a section wants more than a page's alignment";
    where[i] = o->relocatable ? tn_amd_aligned(o->image_nbytes, align) : s.at;
    if (where[i] > MOST || s.nbytes > MOST - where[i]) return "it has a GiB of code or data";
    if (where[i] + s.nbytes > o->image_nbytes) o->image_nbytes = where[i] + s.nbytes;
  }
  return o->image_nbytes ? NULL : "it has no code";
}
// Of a symbol the place in the image; UINT64_MAX: nowhere.
static uint64_t tn_amd_object_in_image(const tn_amd_object *o, const tn_amd_object_symbol *y) {
  if (!y->section || y->section >= o->nsections || o->where[y->section] == UINT64_MAX) return UINT64_MAX;
  const uint64_t at = o->relocatable ? o->where[y->section] + y->value : y->value;
  return at <= o->image_nbytes ? at : UINT64_MAX;
}
static const struct { uint8_t type, nbytes, relative, upper; } tn_amd_relocations[] = {     // R_AMDGPU_*
  {1, 4, 0, 0}, {2, 4, 0, 1}, {3, 8, 0, 0}, {4, 4, 1, 0}, {5, 8, 1, 0}, {6, 4, 0, 0}, {10, 4, 1, 0}, {11, 4, 1, 1},
  {13, 8, 0, 0}
};
// The record at `record`, of a section at `section` of the image.
static const char *tn_amd_object_relocate(const tn_amd_object *o, uint64_t base, uint64_t record, uint64_t section,
                                          uint8_t *image) {
  enum { KINDS = sizeof tn_amd_relocations / sizeof *tn_amd_relocations, BY_BASE = 13 };
  const uint64_t info = tn_amd_object_get(o, record + 8, 8), at = section + tn_amd_object_get(o, record, 8);
  tn_amd_object_symbol y;
  uint64_t value = 0;
  int k = 0;
  while (k < KINDS && tn_amd_relocations[k].type != (uint32_t)info) k++;
  if (k == KINDS) return "it has relocations that are not known here";
  if (!tn_amd_within(at, tn_amd_relocations[k].nbytes, o->image_nbytes)) return "a relocation is outside of it";
  if (tn_amd_relocations[k].type != BY_BASE) {
    if (!tn_amd_object_symbol_at(o, info >> 32, &y)) return "a relocation names no symbol";
    value = tn_amd_object_in_image(o, &y);
    if (value == UINT64_MAX) return "a relocation's symbol is defined elsewhere: link it first";
  }
  uint64_t word = base + value + tn_amd_object_get(o, record + 16, 8);
  if (tn_amd_relocations[k].relative) word -= base + at;
  if (tn_amd_relocations[k].upper) word >>= 32;
  tn_amd_put_bytes(image + at, word, tn_amd_relocations[k].nbytes);
  return NULL;
}
// image_nbytes, zeros before, as they are to lie at `base`. NULL, or what is wrong.
static const char *tn_amd_object_image(const tn_amd_object *o, uint64_t base, uint8_t *image) {
  for (int i = 0; i < o->nsections; i++) {
    const tn_amd_object_section s = tn_amd_object_section_at(o, i);
    if (o->where[i] != UINT64_MAX && s.type != TN_AMD_SHT_NOBITS)
      memcpy(image + o->where[i], o->data + s.offset, (size_t)s.nbytes);
  }
  for (int i = 0; i < o->nsections; i++) {
    const tn_amd_object_section s = tn_amd_object_section_at(o, i);
    if (s.type != TN_AMD_SHT_RELA) continue;
    if (o->relocatable && (s.info >= (uint32_t)o->nsections || o->where[s.info] == UINT64_MAX)) continue;
    const uint64_t section = o->relocatable ? o->where[s.info] : 0;
    for (uint64_t k = 0; k < s.nbytes / TN_AMD_ELF_RELOCATION; k++) {
      const char *const wrong = tn_amd_object_relocate(o, base, s.offset + k * TN_AMD_ELF_RELOCATION, section, image);
      if (wrong) return wrong;
    }
  }
  return NULL;
}

// ** kernels **

static tn_amd_value tn_amd_object_metadata(const tn_amd_object *o, const char *symbol, size_t n) {
  static const tn_amd_value none = {NULL, NULL};
  for (uint64_t i = 0; i < tn_amd_items(o->metadata); i++) {
    const tn_amd_value k = tn_amd_value_at(o->metadata, NULL, i);
    tn_amd_head h;
    if (!k.p) break;
    if (!tn_amd_head_at(tn_amd_value_at(k, ".symbol", 0), &h) || h.kind != TN_AMD_PACK_TEXT) continue;
    if (h.n == n && !memcmp(h.body, symbol, n)) return k;
  }
  return none;
}
static int tn_amd_object_executes(const tn_amd_object *o, uint64_t at) {
  for (int i = 0; i < o->nsections; i++) {
    const tn_amd_object_section s = tn_amd_object_section_at(o, i);
    if (o->where[i] == UINT64_MAX || !(s.flags & TN_AMD_SHF_EXECINSTR) || at < o->where[i]) continue;
    if (tn_amd_within(at - o->where[i], 4, s.nbytes)) return 1;
  }
  return 0;
}
// The next kernel of an image; *i goes on from 0. 0: there is no more, or *wrong says what is wrong with it.
static int tn_amd_object_next(const tn_amd_object *o, const uint8_t *image, uint64_t *i, tn_amd_kernel *k,
                              const char **wrong) {
  tn_amd_object_symbol y;
  *wrong = NULL;
  while (tn_amd_object_symbol_at(o, (*i)++, &y)) {
    if (y.type != TN_AMD_STT_OBJECT || !y.section || y.n < 4 || strcmp(y.name + y.n - 3, ".kd") != 0) continue;
    k->name = y.name; k->name_n = y.n - 3;
    k->at = tn_amd_object_in_image(o, &y);
    *wrong = "a kernel's descriptor is outside of it";
    if (!tn_amd_within(k->at, TN_AMD_DESCRIPTOR_NBYTES, o->image_nbytes) || k->at % TN_AMD_DESCRIPTOR_NBYTES) return 0;
    k->descriptor = tn_amd_descriptor_read(image + k->at);
    k->entry = k->at + (uint64_t)k->descriptor.entry;
    *wrong = "a kernel begins outside of its code";
    if (k->entry % TN_AMD_TEXT_ALIGN || !tn_amd_object_executes(o, k->entry)) return 0;
    k->metadata = tn_amd_object_metadata(o, y.name, y.n);
    *wrong = NULL;
    return 1;
  }
  return 0;
}

// ** writing **

// Sections in their order, and the segments that hold them.
enum { TN_AMD_S_NULL, TN_AMD_S_NOTE, TN_AMD_S_DYNSYM, TN_AMD_S_HASH, TN_AMD_S_DYNSTR, TN_AMD_S_RODATA, TN_AMD_S_TEXT,
  TN_AMD_S_DYNAMIC, TN_AMD_S_NAMES, TN_AMD_SECTIONS };
typedef struct tn_amd_part { uint64_t at, nbytes, offset; } tn_amd_part;
typedef struct tn_amd_writer {
  const tn_amd_chip *chip; const tn_amd_source *kernels; int n; const char *mark;
  tiny_bytes part[TN_AMD_SECTIONS]; tn_amd_part is[TN_AMD_SECTIONS];
} tn_amd_writer;
static const struct { char name[12]; uint8_t type, flags, link, info, align, entry; } tn_amd_sections[] = {
  {"", 0, 0, 0, 0, 0, 0}, {".note", TN_AMD_SHT_NOTE, 2, 0, 0, 4, 0},
  {".dynsym", TN_AMD_SHT_DYNSYM, 2, TN_AMD_S_DYNSTR, 1, 8, 24}, {".hash", TN_AMD_SHT_HASH, 2, TN_AMD_S_DYNSYM, 0, 4, 4},
  {".dynstr", TN_AMD_SHT_STRTAB, 2, 0, 0, 1, 0}, {".rodata", TN_AMD_SHT_PROGBITS, 2, 0, 0, 64, 0},
  {".text", TN_AMD_SHT_PROGBITS, 6, 0, 0, 0, 0}, {".dynamic", TN_AMD_SHT_DYNAMIC, 3, TN_AMD_S_DYNSTR, 0, 8, 16},
  {".shstrtab", TN_AMD_SHT_STRTAB, 0, 0, 0, 1, 0}
};
enum { TN_AMD_SEGMENTS = 6 };

// Refused memory may have kept bytes away, which the context knows: nothing is written outside.
static void tn_amd_patch(tiny_bytes *b, uint64_t at, uint64_t v, int nbytes) {
  if (tn_amd_within(at, (uint64_t)nbytes, b->n)) tn_amd_put_bytes((uint8_t *)b->data + at, v, nbytes);
}
static void tn_amd_add(tiny_bytes *b, uint64_t v, int nbytes) {
  uint8_t p[8];
  tn_amd_put_bytes(p, v, 8);
  tiny_bytes_add(b, p, (size_t)nbytes);
}
static void tn_amd_fill(tiny_bytes *b, size_t to) {
  static const uint8_t zeros[256] = {0};
  while (b->n < to) {
    const size_t before = b->n, more = to - before;
    tiny_bytes_add(b, zeros, more < sizeof zeros ? more : sizeof zeros);
    if (b->n == before) return;
  }
}
// What stops an instruction prefetch that runs on behind the last instruction.
static void tn_amd_add_end(tiny_bytes *text, int family) {
  const int nine = family == TN_AMD_GFX9, nbytes = nine ? 16 * 64 : 3 * 128;
  for (int i = 0; i < nbytes; i += 4) tn_amd_add(text, nine ? 0xBF800000 : 0xBF9F0000, 4);
}
static void tn_amd_add_symbol(tn_amd_writer *w, const char *name, const char *end, int type, int section,
                              uint64_t nbytes) {
  tiny_bytes *const s = &w->part[TN_AMD_S_DYNSYM], *const names = &w->part[TN_AMD_S_DYNSTR];
  tn_amd_add(s, names->n, 4);
  tn_amd_add(s, (uint64_t)(0x10 | type) | 3 << 8 | (uint64_t)section << 16, 4);      // global, protected
  tn_amd_add(s, 0, 8);                     // where it is: tn_amd_place
  tn_amd_add(s, nbytes, 8);
  tiny_bytes_add(names, name, strlen(name));
  tiny_bytes_add(names, end, strlen(end) + 1);
}
// One bucket (System V ABI, "Hash Table"): a chain through all symbols, so that no name is hashed.
static void tn_amd_add_hash(tn_amd_writer *w) {
  const uint64_t n = 2 * (uint64_t)w->n + 1 + (w->mark != NULL);
  tiny_bytes *const b = &w->part[TN_AMD_S_HASH];
  tn_amd_add(b, 1, 4);
  tn_amd_add(b, n, 4);
  tn_amd_add(b, n > 1, 4);
  for (uint64_t i = 0; i < n; i++) tn_amd_add(b, i && i + 1 < n ? i + 1 : 0, 4);
}
static void tn_amd_add_dynamic(tn_amd_writer *w) {           // tags; where the parts are is written by tn_amd_place
  tiny_bytes *const b = &w->part[TN_AMD_S_DYNAMIC];
  static const uint8_t tags[] = {6, 11, 5, 10, 4, 0};        // SYMTAB, SYMENT, STRTAB, STRSZ, HASH, NULL
  for (int i = 0; i < 6; i++) { tn_amd_add(b, tags[i], 8); tn_amd_add(b, 0, 8); }
}
static void tn_amd_fill_parts(tn_amd_writer *w) {
  tiny_bytes *const part = w->part;
  tiny_bytes *const note = &part[TN_AMD_S_NOTE];
  static const uint8_t note_head[20] = {7, 0, 0, 0, 0, 0, 0, 0, TN_AMD_ELF_NOTE, 0, 0, 0, 'A', 'M', 'D', 'G', 'P', 'U'};
  tiny_bytes_add(note, note_head, sizeof note_head);
  tn_amd_pack_metadata(note, w->chip, w->kernels, w->n);
  tn_amd_patch(note, 4, note->n - sizeof note_head, 4);
  tn_amd_fill(note, (size_t)tn_amd_aligned(note->n, 4));
  tn_amd_fill(&part[TN_AMD_S_DYNSYM], TN_AMD_ELF_SYMBOL);
  tn_amd_add(&part[TN_AMD_S_DYNSTR], 0, 1);
  for (int i = 0; i < w->n; i++) {
    const tn_amd_source *const k = &w->kernels[i];
    const tn_amd_descriptor d = tn_amd_describe(w->chip, &k->setup);
    uint8_t bytes[TN_AMD_DESCRIPTOR_NBYTES];
    tn_amd_descriptor_write(&d, bytes);
    tiny_bytes_add(&part[TN_AMD_S_RODATA], bytes, sizeof bytes);
    tiny_bytes_add(&part[TN_AMD_S_TEXT], k->code, k->nbytes);
    tn_amd_add_end(&part[TN_AMD_S_TEXT], w->chip->family);
    tn_amd_fill(&part[TN_AMD_S_TEXT], (size_t)tn_amd_aligned(part[TN_AMD_S_TEXT].n, TN_AMD_TEXT_ALIGN));
    tn_amd_add_symbol(w, k->name, "", 2, TN_AMD_S_TEXT, k->nbytes);
    tn_amd_add_symbol(w, k->name, ".kd", 1, TN_AMD_S_RODATA, TN_AMD_DESCRIPTOR_NBYTES);
  }
  if (w->mark) tn_amd_add_symbol(w, w->mark, "", TN_AMD_STT_OBJECT, TN_AMD_S_RODATA, 0);
  tn_amd_add_hash(w);
  tn_amd_add_dynamic(w);
  for (int i = 0; i < TN_AMD_SECTIONS; i++)
    tiny_bytes_add(&part[TN_AMD_S_NAMES], tn_amd_sections[i].name, strlen(tn_amd_sections[i].name) + 1);
}
// Offsets in the file, and addresses in the image: a page further from the code on, and another from .dynamic on.
static uint64_t tn_amd_place_parts(tn_amd_writer *w) {
  uint64_t offset = (uint64_t)TN_AMD_ELF_HEADER + (uint64_t)TN_AMD_SEGMENTS * TN_AMD_ELF_SEGMENT, page = 0;
  for (int i = 1; i < TN_AMD_SECTIONS; i++) {
    const uint64_t align = (uint64_t)(i == TN_AMD_S_TEXT ? (int)TN_AMD_TEXT_ALIGN : tn_amd_sections[i].align);
    offset = tn_amd_aligned(offset, align);
    if (i == TN_AMD_S_TEXT || i == TN_AMD_S_DYNAMIC) page += TN_AMD_PAGE;
    w->is[i].offset = offset;
    w->is[i].at = i == TN_AMD_S_NAMES ? 0 : offset + page;
    w->is[i].nbytes = w->part[i].n;
    offset += w->is[i].nbytes;
  }
  return tn_amd_aligned(offset, 8);
}
// Addresses of kernels, and what .dynamic says.
static void tn_amd_place(tn_amd_writer *w) {
  uint64_t code = w->is[TN_AMD_S_TEXT].at, descriptor = w->is[TN_AMD_S_RODATA].at;
  const uint64_t values[5] = {w->is[TN_AMD_S_DYNSYM].at, TN_AMD_ELF_SYMBOL, w->is[TN_AMD_S_DYNSTR].at,
                              w->is[TN_AMD_S_DYNSTR].nbytes, w->is[TN_AMD_S_HASH].at};
  const uint64_t end = w->chip->family == TN_AMD_GFX9 ? 16 * 64 : 3 * 128;
  for (int i = 0; i < w->n; i++) {
    const uint64_t symbol = (uint64_t)(2 * i + 1) * TN_AMD_ELF_SYMBOL;
    tn_amd_patch(&w->part[TN_AMD_S_DYNSYM], symbol + 8, code, 8);
    tn_amd_patch(&w->part[TN_AMD_S_DYNSYM], symbol + TN_AMD_ELF_SYMBOL + 8, descriptor, 8);
    tn_amd_patch(&w->part[TN_AMD_S_RODATA], (uint64_t)i * TN_AMD_DESCRIPTOR_NBYTES + 16, code - descriptor, 8);
    code += tn_amd_aligned(w->kernels[i].nbytes + end, TN_AMD_TEXT_ALIGN);
    descriptor += TN_AMD_DESCRIPTOR_NBYTES;
  }
  if (w->mark) tn_amd_patch(&w->part[TN_AMD_S_DYNSYM], (uint64_t)(2 * w->n + 1) * TN_AMD_ELF_SYMBOL + 8, descriptor, 8);
  for (int i = 0; i < 5; i++) tn_amd_patch(&w->part[TN_AMD_S_DYNAMIC], (uint64_t)i * 16 + 8, values[i], 8);
}
static void tn_amd_add_segment(tiny_bytes *out, int type, int flags, const tn_amd_part *first, const tn_amd_part *last,
                               uint64_t align) {
  const uint64_t nbytes = last->offset + last->nbytes - first->offset;
  tn_amd_add(out, (uint64_t)type, 4);
  tn_amd_add(out, (uint64_t)flags, 4);
  tn_amd_add(out, first->offset, 8);
  tn_amd_add(out, first->at, 8);
  tn_amd_add(out, first->at, 8);
  tn_amd_add(out, nbytes, 8);
  tn_amd_add(out, nbytes, 8);
  tn_amd_add(out, align, 8);
}
static void tn_amd_add_header(tn_amd_writer *w, tiny_bytes *out, uint64_t sections) {
  static const uint8_t ident[16] = {0x7F, 'E', 'L', 'F', 2, 1, 1, TN_AMD_ELF_HSA, TN_AMD_ELF_V5};
  const uint32_t flags = w->chip->elf | (w->chip->family == TN_AMD_GFX9 ? 0x500u : 0);   // any XNACK, any SRAMECC
  const tn_amd_part whole = {0, 0, 0}, *const is = w->is;
  tiny_bytes_add(out, ident, sizeof ident);
  tn_amd_add(out, 3 | TN_AMD_ELF_MACHINE << 16 | (uint64_t)1 << 32, 8);      // ET_DYN, machine, version
  tn_amd_add(out, 0, 8);
  tn_amd_add(out, TN_AMD_ELF_HEADER, 8);
  tn_amd_add(out, sections, 8);
  tn_amd_add(out, flags | (uint64_t)TN_AMD_ELF_HEADER << 32 | (uint64_t)TN_AMD_ELF_SEGMENT << 48, 8);
  tn_amd_add(out, TN_AMD_SEGMENTS | TN_AMD_ELF_SECTION << 16 | (uint64_t)TN_AMD_SECTIONS << 32 |
                  (uint64_t)TN_AMD_S_NAMES << 48, 8);
  tn_amd_add_segment(out, TN_AMD_PT_LOAD, 4, &whole, &is[TN_AMD_S_RODATA], TN_AMD_PAGE);
  tn_amd_add_segment(out, TN_AMD_PT_LOAD, 5, &is[TN_AMD_S_TEXT], &is[TN_AMD_S_TEXT], TN_AMD_PAGE);
  tn_amd_add_segment(out, TN_AMD_PT_LOAD, 6, &is[TN_AMD_S_DYNAMIC], &is[TN_AMD_S_DYNAMIC], TN_AMD_PAGE);
  tn_amd_add_segment(out, TN_AMD_PT_DYNAMIC, 6, &is[TN_AMD_S_DYNAMIC], &is[TN_AMD_S_DYNAMIC], 8);
  tn_amd_add_segment(out, TN_AMD_PT_NOTE, 4, &is[TN_AMD_S_NOTE], &is[TN_AMD_S_NOTE], 4);
  tn_amd_add_segment(out, TN_AMD_PT_STACK, 6, &whole, &whole, 0);
}
static void tn_amd_add_section(tn_amd_writer *w, tiny_bytes *out, int i, uint64_t *name) {
  const tn_amd_part *const is = &w->is[i];
  tn_amd_add(out, *name, 4);
  tn_amd_add(out, tn_amd_sections[i].type, 4);
  tn_amd_add(out, tn_amd_sections[i].flags, 8);
  tn_amd_add(out, is->at, 8);
  tn_amd_add(out, is->offset, 8);
  tn_amd_add(out, is->nbytes, 8);
  tn_amd_add(out, tn_amd_sections[i].link | (uint64_t)tn_amd_sections[i].info << 32, 8);
  tn_amd_add(out, (uint64_t)(i == TN_AMD_S_TEXT ? (int)TN_AMD_TEXT_ALIGN : tn_amd_sections[i].align), 8);
  tn_amd_add(out, tn_amd_sections[i].entry, 8);
  *name += strlen(tn_amd_sections[i].name) + 1;
}
// An object of n kernels to out, which is empty. mark: a symbol that says something of all of them, NULL: none. Where
// memory is refused the context has an error, and it is none.
static void tn_amd_object_write(tiny_bytes *out, const tn_amd_chip *chip, const tn_amd_source *kernels, int n,
                                const char *mark) {
  tn_amd_writer w;
  uint64_t name = 0;
  memset(&w, 0, sizeof w);
  w.chip = chip; w.kernels = kernels; w.n = n; w.mark = mark;
  for (int i = 0; i < TN_AMD_SECTIONS; i++) w.part[i].t = out->t;
  tn_amd_fill_parts(&w);
  const uint64_t sections = tn_amd_place_parts(&w);
  tn_amd_place(&w);
  tn_amd_add_header(&w, out, sections);
  for (int i = 1; i < TN_AMD_SECTIONS; i++) {
    tn_amd_fill(out, (size_t)w.is[i].offset);
    tiny_bytes_add(out, w.part[i].data, w.part[i].n);
  }
  tn_amd_fill(out, (size_t)sections);
  for (int i = 0; i < TN_AMD_SECTIONS; i++) tn_amd_add_section(&w, out, i, &name);
}
#endif
