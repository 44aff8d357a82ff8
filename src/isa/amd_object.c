// amd_object: code objects of AMD's GPUs: ELF files of kernels, each a descriptor and code, as HIP and ROCr load them.
//
// In:    kernels' code and what they need; or any bytes. Out: an object; or what stands in it, or a sentence about what
//        is wrong. Nothing is copied or executed in reading.
// Holds: after tn_amd_object_open returned NULL each segment lies within the bytes, segments do not overlap in the
//        image, and each kernel's descriptor and first instruction lie in them.
// Source: System V ABI, Object Files; LLVM's AMDGPU user guide, "Code Object" (ELF header, notes, symbols).
#ifndef TN_ISA_AMD_OBJECT
#define TN_ISA_AMD_OBJECT
#ifndef TINY_AMALGAMATED
#include "amd_metadata.c"
#endif

enum { TN_AMD_ELF_MACHINE = 224, TN_AMD_ELF_HSA = 64, TN_AMD_ELF_V5 = 3, TN_AMD_ELF_NOTE = 32, TN_AMD_ELF_HEADER = 64,
  TN_AMD_ELF_SEGMENT = 56, TN_AMD_ELF_SECTION = 64, TN_AMD_ELF_SYMBOL = 24, TN_AMD_PAGE = 4096 };
enum { TN_AMD_PT_LOAD = 1, TN_AMD_PT_DYNAMIC, TN_AMD_PT_NOTE = 4, TN_AMD_PT_STACK = 0x6474E551 };
enum { TN_AMD_SHT_PROGBITS = 1, TN_AMD_SHT_STRTAB = 3, TN_AMD_SHT_RELA, TN_AMD_SHT_HASH, TN_AMD_SHT_DYNAMIC,
  TN_AMD_SHT_NOTE, TN_AMD_SHT_REL = 9, TN_AMD_SHT_DYNSYM = 11 };
enum { TN_AMD_OBJECT_PARTS = 4096 };       // the most segments and sections that are looked at

// ** reading **

// image_nbytes: of all segments in memory, from address 0 on; flags: e_flags, chip NULL: who made it is not known
typedef struct tn_amd_object {
  const uint8_t *data; size_t nbytes; const tn_amd_chip *chip; uint32_t flags;
  uint64_t image_nbytes, segments, sections, symbols, names, names_nbytes; int nsegments, nsections, nsymbols;
  tn_amd_value metadata;                   // of the kernels: an array, or none
} tn_amd_object;
// data: file_nbytes of them, zeros behind
typedef struct tn_amd_segment {
  uint64_t at, nbytes, file_nbytes; const uint8_t *data; int executes, writes;
} tn_amd_segment;
// name: name_n bytes, not ended; at: of the descriptor, entry: of the code, in the image; metadata: its map, or none
typedef struct tn_amd_kernel {
  const char *name; size_t name_n; uint64_t at, entry; tn_amd_descriptor descriptor; tn_amd_value metadata;
} tn_amd_kernel;

static uint64_t tn_amd_aligned(uint64_t n, uint64_t align) { return (n + align - 1) / align * align; }
static int tn_amd_within(uint64_t at, uint64_t nbytes, uint64_t all) { return at <= all && nbytes <= all - at; }
static uint64_t tn_amd_object_get(const tn_amd_object *o, uint64_t at, int nbytes) {
  return tn_amd_get_bytes(o->data + at, nbytes);
}
// Segment i of the table; 0: it is not loaded.
static int tn_amd_object_segment(const tn_amd_object *o, int i, tn_amd_segment *s) {
  const uint64_t p = o->segments + (uint64_t)i * TN_AMD_ELF_SEGMENT;
  const uint32_t flags = (uint32_t)tn_amd_object_get(o, p + 4, 4);
  s->at = tn_amd_object_get(o, p + 16, 8);
  s->file_nbytes = tn_amd_object_get(o, p + 32, 8);
  s->nbytes = tn_amd_object_get(o, p + 40, 8);
  s->data = o->data + tn_amd_object_get(o, p + 8, 8);
  s->executes = flags & 1;
  s->writes = flags >> 1 & 1;
  return tn_amd_object_get(o, p, 4) == TN_AMD_PT_LOAD;
}
// nbytes of the image, as they stand in the file; NULL: they do not.
static const uint8_t *tn_amd_object_bytes(const tn_amd_object *o, uint64_t at, uint64_t nbytes, int executes) {
  for (int i = 0; i < o->nsegments; i++) {
    tn_amd_segment s;
    if (!tn_amd_object_segment(o, i, &s) || at < s.at || !tn_amd_within(at - s.at, nbytes, s.file_nbytes)) continue;
    if (!executes || s.executes) return s.data + (at - s.at);
  }
  return NULL;
}
static const char *tn_amd_object_name(const tn_amd_object *o, int i, size_t *n) {
  const uint64_t at = tn_amd_object_get(o, o->symbols + (uint64_t)i * TN_AMD_ELF_SYMBOL, 4);
  const char *const name = (const char *)o->data + o->names + at;
  const void *const end = at < o->names_nbytes ? memchr(name, 0, (size_t)(o->names_nbytes - at)) : NULL;
  *n = end ? (size_t)((const char *)end - name) : 0;
  return name;
}
static tn_amd_value tn_amd_object_metadata(const tn_amd_object *o, const char *symbol, size_t n) {
  static const tn_amd_value none = {NULL, NULL};
  for (uint64_t i = 0; i < tn_amd_items(o->metadata); i++) {
    const tn_amd_value k = tn_amd_value_at(o->metadata, NULL, i);
    tn_amd_head h;
    if (!tn_amd_head_at(tn_amd_value_at(k, ".symbol", 0), &h) || h.kind != TN_AMD_PACK_TEXT) continue;
    if (h.n == n && !memcmp(h.body, symbol, n)) return k;
  }
  return none;
}
// Is symbol i a kernel's descriptor? wrong: why it cannot be one.
static int tn_amd_object_symbol(const tn_amd_object *o, int i, tn_amd_kernel *k, const char **wrong) {
  const uint64_t p = o->symbols + (uint64_t)i * TN_AMD_ELF_SYMBOL;
  size_t n;
  const char *const name = tn_amd_object_name(o, i, &n);
  if (n < 4 || memcmp(name + n - 3, ".kd", 3) != 0 || !tn_amd_object_get(o, p + 6, 2)) return 0;
  k->at = tn_amd_object_get(o, p + 8, 8);
  const uint8_t *const d = tn_amd_object_bytes(o, k->at, TN_AMD_DESCRIPTOR_NBYTES, 0);
  if (!d || k->at % TN_AMD_DESCRIPTOR_NBYTES) { *wrong = "a kernel's descriptor lies outside"; return 0; }
  k->name = name; k->name_n = n - 3;
  k->descriptor = tn_amd_descriptor_read(d);
  k->entry = k->at + (uint64_t)k->descriptor.entry;
  if (k->entry % 4 || !tn_amd_object_bytes(o, k->entry, 4, 1)) { *wrong = "a kernel's code lies outside"; return 0; }
  return 1;
}
// The next kernel; *i goes on from 0. 0: there is no more.
static int tn_amd_object_next(const tn_amd_object *o, int *i, tn_amd_kernel *k) {
  const char *wrong = NULL;
  while (*i < o->nsymbols) {
    if (!tn_amd_object_symbol(o, (*i)++, k, &wrong)) continue;
    k->metadata = tn_amd_object_metadata(o, k->name, k->name_n + 3);
    return 1;
  }
  return 0;
}

static const char *tn_amd_object_segments_wrong(tn_amd_object *o) {
  uint64_t end = 0;
  for (int i = 0; i < o->nsegments; i++) {
    const uint64_t p = o->segments + (uint64_t)i * TN_AMD_ELF_SEGMENT;
    tn_amd_segment s;
    if (!tn_amd_within(tn_amd_object_get(o, p + 8, 8), tn_amd_object_get(o, p + 32, 8), o->nbytes))
      return "a segment goes beyond its end";
    if (!tn_amd_object_segment(o, i, &s)) continue;
    if (s.file_nbytes > s.nbytes || !tn_amd_within(s.at, s.nbytes, 1u << 30)) return "a segment has an odd size";
    if (s.at < end) return "its segments overlap";
    end = s.at + s.nbytes;
  }
  o->image_nbytes = tn_amd_aligned(end, TN_AMD_PAGE);
  return end ? NULL : "it has no segments";
}
static const char *tn_amd_object_sections_wrong(tn_amd_object *o) {
  for (int i = 0; i < o->nsections; i++) {
    const uint64_t p = o->sections + (uint64_t)i * TN_AMD_ELF_SECTION;
    const uint32_t type = (uint32_t)tn_amd_object_get(o, p + 4, 4);
    const uint64_t at = tn_amd_object_get(o, p + 24, 8), nbytes = tn_amd_object_get(o, p + 32, 8);
    const uint64_t link = tn_amd_object_get(o, p + 40, 4);
    const int relocates = type == TN_AMD_SHT_RELA || type == TN_AMD_SHT_REL;
    if (relocates && nbytes) return "it wants relocations, which are not made";
    if (type != TN_AMD_SHT_DYNSYM) continue;
    if (o->symbols) return "it has two tables of symbols";
    if (!tn_amd_within(at, nbytes, o->nbytes) || nbytes >> 24) return "its symbols go beyond its end";
    if (link >= (uint64_t)o->nsections) return "its symbols have no names";
    const uint64_t names = o->sections + link * TN_AMD_ELF_SECTION;
    o->symbols = at; o->nsymbols = (int)(nbytes / TN_AMD_ELF_SYMBOL);
    o->names = tn_amd_object_get(o, names + 24, 8); o->names_nbytes = tn_amd_object_get(o, names + 32, 8);
    if (!tn_amd_within(o->names, o->names_nbytes, o->nbytes)) return "its names go beyond its end";
  }
  return o->symbols ? NULL : "it has no symbols";
}
// Notes are aligned to 4; that of AMD is a map.
static void tn_amd_object_notes(tn_amd_object *o) {
  for (int i = 0; i < o->nsegments; i++) {
    const uint64_t p = o->segments + (uint64_t)i * TN_AMD_ELF_SEGMENT;
    if (tn_amd_object_get(o, p, 4) != TN_AMD_PT_NOTE) continue;
    uint64_t at = tn_amd_object_get(o, p + 8, 8);
    for (const uint64_t end = at + tn_amd_object_get(o, p + 32, 8); end - at >= 12; ) {
      const uint64_t name = tn_amd_object_get(o, at, 4), nbytes = tn_amd_object_get(o, at + 4, 4);
      const uint64_t body = at + 12 + (name + 3) / 4 * 4, type = tn_amd_object_get(o, at + 8, 4);
      if (!tn_amd_within(body, nbytes, end)) break;
      if (type == TN_AMD_ELF_NOTE && name == 7 && !memcmp(o->data + at + 12, "AMDGPU", 7)) {
        const tn_amd_value all = {o->data + body, o->data + body + nbytes};
        o->metadata = tn_amd_value_at(all, "amdhsa.kernels", 0);
      }
      at = body + (nbytes + 3) / 4 * 4;
      if (at > end) break;
    }
  }
}
static const char *tn_amd_object_header_wrong(tn_amd_object *o) {
  if (o->nbytes < TN_AMD_ELF_HEADER || memcmp(o->data, "\177ELF\2\1\1", 7) != 0) return "it is no ELF file of 64 bits";
  if (tn_amd_object_get(o, 18, 2) != TN_AMD_ELF_MACHINE) return "it is not for an AMD GPU";
  if (tn_amd_object_get(o, 16, 2) != 3) return "it is not linked";
  o->flags = (uint32_t)tn_amd_object_get(o, 48, 4);
  o->segments = tn_amd_object_get(o, 32, 8); o->nsegments = (int)tn_amd_object_get(o, 56, 2);
  o->sections = tn_amd_object_get(o, 40, 8); o->nsections = (int)tn_amd_object_get(o, 60, 2);
  if (tn_amd_object_get(o, 54, 2) != TN_AMD_ELF_SEGMENT || tn_amd_object_get(o, 58, 2) != TN_AMD_ELF_SECTION)
    return "its tables have entries of an odd size";
  if (o->nsegments > TN_AMD_OBJECT_PARTS || o->nsections > TN_AMD_OBJECT_PARTS) return "it has too many parts";
  if (!tn_amd_within(o->segments, (uint64_t)o->nsegments * TN_AMD_ELF_SEGMENT, o->nbytes) ||
      !tn_amd_within(o->sections, (uint64_t)o->nsections * TN_AMD_ELF_SECTION, o->nbytes))
    return "its tables go beyond its end";
  for (int i = 0; i < TN_AMD_CHIPS; i++) if (tn_amd_chips[i].elf == (o->flags & 0xFF)) o->chip = &tn_amd_chips[i];
  return o->chip ? NULL : "it is for a chip that is not known";
}
// NULL, or what is wrong with these bytes, which the object points into.
static const char *tn_amd_object_open(tn_amd_object *o, const void *data, size_t nbytes) {
  tn_amd_kernel k;
  memset(o, 0, sizeof *o);
  o->data = (const uint8_t *)data; o->nbytes = nbytes;
  const char *wrong = tn_amd_object_header_wrong(o);
  if (!wrong) wrong = tn_amd_object_segments_wrong(o);
  if (!wrong) wrong = tn_amd_object_sections_wrong(o);
  for (int i = 0; !wrong && i < o->nsymbols; i++) (void)tn_amd_object_symbol(o, i, &k, &wrong);
  if (!wrong) tn_amd_object_notes(o);
  return wrong;
}

// ** writing **

// Sections in their order, and the segments that hold them.
enum { TN_AMD_S_NULL, TN_AMD_S_NOTE, TN_AMD_S_DYNSYM, TN_AMD_S_HASH, TN_AMD_S_DYNSTR, TN_AMD_S_RODATA, TN_AMD_S_TEXT,
  TN_AMD_S_DYNAMIC, TN_AMD_S_NAMES, TN_AMD_SECTIONS };
typedef struct tn_amd_part { uint64_t at, nbytes, offset; } tn_amd_part;
typedef struct tn_amd_writer {
  const tn_amd_chip *chip; const tn_amd_source *kernels; int n;
  tiny_bytes part[TN_AMD_SECTIONS]; tn_amd_part is[TN_AMD_SECTIONS];
} tn_amd_writer;
static const struct { char name[12]; uint8_t type, flags, link, info, align, entry; } tn_amd_sections[] = {
  {"", 0, 0, 0, 0, 0, 0}, {".note", TN_AMD_SHT_NOTE, 2, 0, 0, 4, 0},
  {".dynsym", TN_AMD_SHT_DYNSYM, 2, TN_AMD_S_DYNSTR, 1, 8, 24}, {".hash", TN_AMD_SHT_HASH, 2, TN_AMD_S_DYNSYM, 0, 4, 4},
  {".dynstr", TN_AMD_SHT_STRTAB, 2, 0, 0, 1, 0}, {".rodata", TN_AMD_SHT_PROGBITS, 2, 0, 0, 64, 0},
  {".text", TN_AMD_SHT_PROGBITS, 6, 0, 0, 0, 0}, {".dynamic", TN_AMD_SHT_DYNAMIC, 3, TN_AMD_S_DYNSTR, 0, 8, 16},
  {".shstrtab", TN_AMD_SHT_STRTAB, 0, 0, 0, 1, 0}
};
enum { TN_AMD_TEXT_ALIGN = 256, TN_AMD_SEGMENTS = 6 };

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
  const uint64_t n = 2 * (uint64_t)w->n + 1;
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
  tn_amd_add_hash(w);
  tn_amd_add_dynamic(w);
  for (int i = 0; i < TN_AMD_SECTIONS; i++)
    tiny_bytes_add(&part[TN_AMD_S_NAMES], tn_amd_sections[i].name, strlen(tn_amd_sections[i].name) + 1);
}
// Offsets in the file, and addresses in the image: a page further from the code on, and another from .dynamic on.
static uint64_t tn_amd_place_parts(tn_amd_writer *w) {
  uint64_t offset = TN_AMD_ELF_HEADER + TN_AMD_SEGMENTS * TN_AMD_ELF_SEGMENT, page = 0;
  for (int i = 1; i < TN_AMD_SECTIONS; i++) {
    const uint64_t align = i == TN_AMD_S_TEXT ? TN_AMD_TEXT_ALIGN : tn_amd_sections[i].align;
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
  tn_amd_add(out, i == TN_AMD_S_TEXT ? TN_AMD_TEXT_ALIGN : tn_amd_sections[i].align, 8);
  tn_amd_add(out, tn_amd_sections[i].entry, 8);
  *name += strlen(tn_amd_sections[i].name) + 1;
}
// An object of n kernels to out, which is empty. Where memory is refused the context has an error, and it is none.
static void tn_amd_object_write(tiny_bytes *out, const tn_amd_chip *chip, const tn_amd_source *kernels, int n) {
  tn_amd_writer w;
  uint64_t name = 0;
  memset(&w, 0, sizeof w);
  w.chip = chip; w.kernels = kernels; w.n = n;
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
