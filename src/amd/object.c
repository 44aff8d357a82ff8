// object: code objects of AMD's GPUs -> kernels, and the bytes that are copied to the GPU.
//
// In:    an ELF file, as clang writes it (relocatable: then there was no linker) or as ld.lld links it. Out: what it is
//        compiled for, its kernels, its image at an address; a sentence for what it is not.
// Holds: nothing outside of the file is read, whatever it holds. Of the image only what the GPU uses is part.
// What is what: ELF-64 Object File Format; LLVM, User Guide for AMDGPU Backend: "Code Object" (machines, relocation
// records, kernel descriptors).
#ifndef TN_KFD_OBJECT
#define TN_KFD_OBJECT
#ifndef TINY_AMALGAMATED
#include "structs.c"
#endif
#include <string.h>

enum { TN_OBJECT_MACHINE = 224, TN_OBJECT_RELOCATABLE = 1, TN_OBJECT_SHARED = 3, TN_OBJECT_SECTIONS = 1024,
       TN_OBJECT_ALIGN = 256 };
enum { TN_SECTION_PROGBITS = 1, TN_SECTION_SYMTAB = 2, TN_SECTION_RELA = 4, TN_SECTION_NOTE = 7, TN_SECTION_NOBITS = 8,
       TN_SECTION_DYNSYM = 11 };
typedef struct tn_object {
  const uint8_t *bytes; uint64_t nbytes;
  int relocatable, n, symbols;             // n: sections; symbols: the section with symbols
  uint32_t flags;
  uint64_t table, image;                   // where sections are told; bytes of the image
} tn_object;
typedef struct tn_object_section {
  uint32_t name, type, link, info; uint64_t flags, at, offset, nbytes, align, entry;
} tn_object_section;
typedef struct tn_object_symbol { const char *name; uint8_t type; uint16_t section; uint64_t value, nbytes;
  } tn_object_symbol;

static uint64_t tn_object_read(const tn_object *o, uint64_t at, int nbytes) {
  uint64_t x = 0;
  if (at > o->nbytes || o->nbytes - at < (uint64_t)nbytes) return 0;
  for (int i = 0; i < nbytes; i++) x |= (uint64_t)o->bytes[at + (uint64_t)i] << 8 * i;
  return x;
}
static tn_object_section tn_object_section_at(const tn_object *o, int i) {
  const uint64_t h = o->table + (uint64_t)i * 64;
  tn_object_section s;
  s.name = (uint32_t)tn_object_read(o, h, 4); s.type = (uint32_t)tn_object_read(o, h + 4, 4);
  s.flags = tn_object_read(o, h + 8, 8); s.at = tn_object_read(o, h + 16, 8); s.offset = tn_object_read(o, h + 24, 8);
  s.nbytes = tn_object_read(o, h + 32, 8); s.link = (uint32_t)tn_object_read(o, h + 40, 4);
  s.info = (uint32_t)tn_object_read(o, h + 44, 4); s.align = tn_object_read(o, h + 48, 8);
  s.entry = tn_object_read(o, h + 56, 8);
  return s;
}
static int tn_object_holds(const tn_object *o, const tn_object_section *s) {
  return s->type == TN_SECTION_NOBITS || (s->offset <= o->nbytes && s->nbytes <= o->nbytes - s->offset);
}
// NULL, or what is wrong.
static const char *tn_object_open(tn_object *o, const void *bytes, size_t nbytes) {
  memset(o, 0, sizeof *o);
  o->bytes = (const uint8_t *)bytes; o->nbytes = nbytes;
  if (nbytes < 64 || memcmp(bytes, "\177ELF\2\1", 6)) return "it is no ELF file of 64 bits";
  if (tn_object_read(o, 18, 2) != TN_OBJECT_MACHINE) return "it is not for AMD's GPUs";
  const uint64_t type = tn_object_read(o, 16, 2);
  if (type != TN_OBJECT_RELOCATABLE && type != TN_OBJECT_SHARED) return "it is neither an object nor linked";
  o->relocatable = type == TN_OBJECT_RELOCATABLE;
  o->flags = (uint32_t)tn_object_read(o, 48, 4);
  o->table = tn_object_read(o, 40, 8);
  o->n = (int)tn_object_read(o, 60, 2);
  if (!o->n || o->n > TN_OBJECT_SECTIONS || o->table > nbytes || nbytes - o->table < (uint64_t)o->n * 64)
    return "its table of sections is cut off or none";
  for (int i = 0; i < o->n; i++) {
    const tn_object_section s = tn_object_section_at(o, i);
    if (!tn_object_holds(o, &s)) return "a section is cut off";
    if (s.type == TN_SECTION_SYMTAB || (s.type == TN_SECTION_DYNSYM && !o->symbols)) o->symbols = i;
  }
  return o->symbols ? NULL : "it has no symbols";
}

// ** symbols **

// The text of a table at this place, ended inside it; "": there is none.
static const char *tn_object_text(const tn_object *o, uint32_t table, uint64_t at) {
  if (table >= (uint32_t)o->n) return "";
  const tn_object_section s = tn_object_section_at(o, (int)table);
  if (s.type == TN_SECTION_NOBITS || at >= s.nbytes || !memchr(o->bytes + s.offset + at, 0, (size_t)(s.nbytes - at)))
    return "";
  return (const char *)o->bytes + s.offset + at;
}
// 0: there is none of this number.
static int tn_object_symbol_at(const tn_object *o, uint64_t i, tn_object_symbol *out) {
  const tn_object_section s = tn_object_section_at(o, o->symbols);
  if (s.type == TN_SECTION_NOBITS || i >= s.nbytes / 24) return 0;
  const uint64_t at = s.offset + i * 24;
  out->name = tn_object_text(o, s.link, tn_object_read(o, at, 4));
  out->type = (uint8_t)(tn_object_read(o, at + 4, 1) & 15);
  out->section = (uint16_t)tn_object_read(o, at + 6, 2);
  out->value = tn_object_read(o, at + 8, 8);
  out->nbytes = tn_object_read(o, at + 16, 8);
  return 1;
}
static int tn_object_has(const tn_object *o, const char *name) {
  tn_object_symbol s;
  for (uint64_t i = 0; tn_object_symbol_at(o, i, &s); i++) if (s.section && !strcmp(s.name, name)) return 1;
  return 0;
}
// The next descriptor of a kernel from *i on; the name's length without ".kd" to *length. 0: there are no more.
static int tn_object_next_kernel(const tn_object *o, uint64_t *i, tn_object_symbol *s, size_t *length) {
  enum { OBJECT = 1 };
  while (tn_object_symbol_at(o, (*i)++, s)) {
    const size_t n = strlen(s->name);
    if (s->type != OBJECT || !s->section || s->section >= o->n || n < 4 || strcmp(s->name + n - 3, ".kd")) continue;
    *length = n - 3;
    return 1;
  }
  return 0;
}

// ** the image **

static int tn_object_is_used(const tn_object_section *s) {
  enum { ALLOC = 2 };
  return (s->flags & ALLOC) && (s->type == TN_SECTION_PROGBITS || s->type == TN_SECTION_NOBITS);
}
// Where each section begins; UINT64_MAX: it is no part. o->image: bytes in all. NULL, or what is wrong.
static const char *tn_object_place(tn_object *o, uint64_t *where) {
  enum { MOST = 1 << 30 };
  for (int i = 0; i < o->n; i++) {
    const tn_object_section s = tn_object_section_at(o, i);
    where[i] = UINT64_MAX;
    if (!tn_object_is_used(&s)) continue;
    if (s.align > TN_OBJECT_ALIGN && o->relocatable && s.align > 4096) return "a section wants more than a page's "
        "alignment";
    const uint64_t align = s.align > TN_OBJECT_ALIGN ? s.align : (uint64_t)TN_OBJECT_ALIGN;
    where[i] = o->relocatable ? (o->image + align - 1) / align * align : s.at;
    if (where[i] > MOST || s.nbytes > MOST - where[i]) return "it has a GiB of code or data";
    if (where[i] + s.nbytes > o->image) o->image = where[i] + s.nbytes;
  }
  return o->image ? NULL : "it has no code";
}
// Of a symbol's value the place in the image; UINT64_MAX: nowhere.
static uint64_t tn_object_in_image(const tn_object *o, const uint64_t *where, const tn_object_symbol *s) {
  if (!s->section || s->section >= o->n || where[s->section] == UINT64_MAX) return UINT64_MAX;
  const uint64_t at = o->relocatable ? where[s->section] + s->value : s->value;
  return at <= o->image ? at : UINT64_MAX;
}
static const struct tn_object_kind { uint8_t type, nbytes, relative, upper; } tn_object_kinds[] = {        // R_AMDGPU_*
  {1, 4, 0, 0}, {2, 4, 0, 1}, {3, 8, 0, 0}, {4, 4, 1, 0}, {5, 8, 1, 0}, {6, 4, 0, 0}, {10, 4, 1, 0}, {11, 4, 1, 1},
  {13, 8, 0, 0}
};
static const char *tn_object_relocate_one(const tn_object *o, const uint64_t *where, uint64_t base, uint64_t record,
                                          uint64_t section, uint8_t *image) {
  enum { RELATIVE = 13 };
  const uint64_t info = tn_object_read(o, record + 8, 8), addend = tn_object_read(o, record + 16, 8);
  const uint64_t at = section + tn_object_read(o, record, 8);
  const struct tn_object_kind *k = NULL;
  tn_object_symbol s;
  uint64_t value = 0;
  for (size_t i = 0; i < sizeof tn_object_kinds / sizeof *tn_object_kinds; i++)
    if (tn_object_kinds[i].type == (uint32_t)info) k = &tn_object_kinds[i];
  if (!k) return "it has relocations that are not known here";
  if (at > o->image || k->nbytes > o->image - at) return "a relocation is outside of it";
  if (k->type != RELATIVE) {
    if (!tn_object_symbol_at(o, info >> 32, &s)) return "a relocation names no symbol";
    value = tn_object_in_image(o, where, &s);
    if (value == UINT64_MAX) return "a relocation's symbol is defined elsewhere: link it first";
  }
  uint64_t word = base + value + addend - (k->relative ? base + at : 0);
  if (k->upper) word >>= 32;
  for (int i = 0; i < k->nbytes; i++) image[at + (uint64_t)i] = (uint8_t)(word >> 8 * i);
  return NULL;
}
// o->image bytes, zeros before, as they are to lie at `base`. NULL, or what is wrong.
static const char *tn_object_write(const tn_object *o, const uint64_t *where, uint64_t base, uint8_t *image) {
  for (int i = 0; i < o->n; i++) {
    const tn_object_section s = tn_object_section_at(o, i);
    if (where[i] != UINT64_MAX && s.type != TN_SECTION_NOBITS)
      memcpy(image + where[i], o->bytes + s.offset, (size_t)s.nbytes);
  }
  for (int i = 0; i < o->n; i++) {
    const tn_object_section s = tn_object_section_at(o, i);
    if (s.type != TN_SECTION_RELA) continue;
    if (o->relocatable && (s.info >= (uint32_t)o->n || where[s.info] == UINT64_MAX)) continue;
    for (uint64_t k = 0; k < s.nbytes / 24; k++) {
      const char *wrong = tn_object_relocate_one(o, where, base, s.offset + k * 24, o->relocatable ? where[s.info]
                                                 : 0, image);
      if (wrong) return wrong;
    }
  }
  return NULL;
}
#endif
