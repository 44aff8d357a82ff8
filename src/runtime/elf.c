// elf: loads a freestanding relocatable ELF64 object into executable memory: the linker that kernels need,
// and no more.
//
// In:  the bytes of an object for x86-64 or arm64, and the addresses of the C functions it may call. Out: an
//      image whose functions are found by name. The bytes are not trusted: whatever is wrong with them gives
//      an error. The image is one mapping: slots, code and constants (read and execute), then data (read and
//      write). Each symbol has a slot of 16 bytes: a jump to the symbol, and at + 8 its address. So a slot is
//      a stub for a function that is out of reach and an entry of a global offset table too. An image is at
//      most 64 MiB, so that all else reaches within it.
// Sources: ELF-64 Object File Format 1.5; System V ABI AMD64 1.0, 4.4.1; ELF for the Arm 64-bit Architecture
// 2023Q3, 5.7.
#ifndef TN_RUNTIME_ELF
#define TN_RUNTIME_ELF
#ifndef TINY_AMALGAMATED
#include "pool.c"
#endif

typedef struct tn_elf_name { const char *name; void (*fn)(void); } tn_elf_name;    // what objects may call

enum { TN_ELF_X86 = 62, TN_ELF_ARM64 = 183 };                                      // e_machine
enum { TN_ELF_MAX_NBYTES = 64 << 20, TN_ELF_MAX_ALIGN = 4096, TN_ELF_SLOT = 16 };

typedef struct tn_elf_header {
  uint8_t ident[16]; uint16_t type, machine; uint32_t version; uint64_t entry, phoff, shoff;
  uint32_t flags; uint16_t ehsize, phentsize, phnum, shentsize, shnum, shstrndx;
} tn_elf_header;
typedef struct tn_elf_section {
  uint32_t name, type; uint64_t flags, addr, offset, size; uint32_t link, info; uint64_t align, entsize;
} tn_elf_section;
typedef struct tn_elf_sym {
  uint32_t name; uint8_t info, other; uint16_t section; uint64_t value, size;
} tn_elf_sym;
typedef struct tn_elf_rela { uint64_t offset; uint32_t type, sym; int64_t addend; } tn_elf_rela;

enum {                                     // section types
  TN_ELF_PROGBITS = 1, TN_ELF_SYMTAB, TN_ELF_STRTAB, TN_ELF_RELA, TN_ELF_NOTE = 7, TN_ELF_NOBITS, TN_ELF_REL
};
enum { TN_ELF_WRITE = 1, TN_ELF_ALLOC = 2, TN_ELF_EXEC = 4, TN_ELF_TLS = 0x400 };  // section flags
enum { TN_ELF_ABS = 0xfff1, TN_ELF_RESERVED = 0xff00 };                            // section indices

typedef struct tn_elf_function { const char *name; void *at; } tn_elf_function;
typedef struct tn_elf {
  char *map; size_t map_nbytes, owned_nbytes;
  tn_elf_function *function; int nfunctions;
} tn_elf;

// ** relocations **

// What is written, from S symbol, A addend, P place, G address of the symbol's address in its slot:
// S+A, S+A-P, page(S+A)-page(P), G+A-P, page(G+A)-page(P), G+A;
enum { TN_ELF_V_ABS, TN_ELF_V_REL, TN_ELF_V_PAGE, TN_ELF_V_GOT_REL, TN_ELF_V_GOT_PAGE, TN_ELF_V_GOT_ABS };
// and where to: whole words, or a field of an instruction at a bit.
enum { TN_ELF_AT_WORD = 32, TN_ELF_AT_ADR };
enum { TN_ELF_ANY, TN_ELF_SIGNED, TN_ELF_UNSIGNED, TN_ELF_EITHER };                // what must fit
typedef struct tn_elf_how { uint16_t machine, type; uint8_t value, shift, bits, at, check; } tn_elf_how;

// A build that only runs has those of its own processor.
static const tn_elf_how tn_elf_hows[] = {
#if !defined(TINY_RUNTIME_ONLY) || !defined(TN_OS_ARM64)
  { 62,   1, TN_ELF_V_ABS,      0, 64, TN_ELF_AT_WORD, TN_ELF_ANY },       // R_X86_64_64
  { 62,   2, TN_ELF_V_REL,      0, 32, TN_ELF_AT_WORD, TN_ELF_SIGNED },    // PC32
  { 62,   4, TN_ELF_V_REL,      0, 32, TN_ELF_AT_WORD, TN_ELF_SIGNED },    // PLT32
  { 62,   9, TN_ELF_V_GOT_REL,  0, 32, TN_ELF_AT_WORD, TN_ELF_SIGNED },    // GOTPCREL
  { 62,  10, TN_ELF_V_ABS,      0, 32, TN_ELF_AT_WORD, TN_ELF_UNSIGNED },  // 32
  { 62,  11, TN_ELF_V_ABS,      0, 32, TN_ELF_AT_WORD, TN_ELF_SIGNED },    // 32S
  { 62,  24, TN_ELF_V_REL,      0, 64, TN_ELF_AT_WORD, TN_ELF_ANY },       // PC64
  { 62,  41, TN_ELF_V_GOT_REL,  0, 32, TN_ELF_AT_WORD, TN_ELF_SIGNED },    // GOTPCRELX
  { 62,  42, TN_ELF_V_GOT_REL,  0, 32, TN_ELF_AT_WORD, TN_ELF_SIGNED },    // REX_GOTPCRELX
#endif
#if !defined(TINY_RUNTIME_ONLY) || !defined(TN_OS_X86)
  { 183, 257, TN_ELF_V_ABS,     0, 64, TN_ELF_AT_WORD, TN_ELF_ANY },       // R_AARCH64_ABS64
  { 183, 258, TN_ELF_V_ABS,     0, 32, TN_ELF_AT_WORD, TN_ELF_EITHER },    // ABS32
  { 183, 260, TN_ELF_V_REL,     0, 64, TN_ELF_AT_WORD, TN_ELF_ANY },       // PREL64
  { 183, 261, TN_ELF_V_REL,     0, 32, TN_ELF_AT_WORD, TN_ELF_EITHER },    // PREL32
  { 183, 263, TN_ELF_V_ABS,     0, 16, 5, TN_ELF_UNSIGNED },               // MOVW_UABS_G0
  { 183, 264, TN_ELF_V_ABS,     0, 16, 5, TN_ELF_ANY },                    // MOVW_UABS_G0_NC
  { 183, 265, TN_ELF_V_ABS,    16, 16, 5, TN_ELF_UNSIGNED },               // MOVW_UABS_G1
  { 183, 266, TN_ELF_V_ABS,    16, 16, 5, TN_ELF_ANY },                    // MOVW_UABS_G1_NC
  { 183, 267, TN_ELF_V_ABS,    32, 16, 5, TN_ELF_UNSIGNED },               // MOVW_UABS_G2
  { 183, 268, TN_ELF_V_ABS,    32, 16, 5, TN_ELF_ANY },                    // MOVW_UABS_G2_NC
  { 183, 269, TN_ELF_V_ABS,    48, 16, 5, TN_ELF_ANY },                    // MOVW_UABS_G3
  { 183, 273, TN_ELF_V_REL,     2, 19, 5, TN_ELF_SIGNED },                 // LD_PREL_LO19
  { 183, 274, TN_ELF_V_REL,     0, 21, TN_ELF_AT_ADR, TN_ELF_SIGNED },     // ADR_PREL_LO21
  { 183, 275, TN_ELF_V_PAGE,   12, 21, TN_ELF_AT_ADR, TN_ELF_SIGNED },     // ADR_PREL_PG_HI21
  { 183, 276, TN_ELF_V_PAGE,   12, 21, TN_ELF_AT_ADR, TN_ELF_ANY },        // ADR_PREL_PG_HI21_NC
  { 183, 277, TN_ELF_V_ABS,     0, 12, 10, TN_ELF_ANY },                   // ADD_ABS_LO12_NC
  { 183, 278, TN_ELF_V_ABS,     0, 12, 10, TN_ELF_ANY },                   // LDST8_ABS_LO12_NC
  { 183, 279, TN_ELF_V_REL,     2, 14, 5, TN_ELF_SIGNED },                 // TSTBR14
  { 183, 280, TN_ELF_V_REL,     2, 19, 5, TN_ELF_SIGNED },                 // CONDBR19
  { 183, 282, TN_ELF_V_REL,     2, 26, 0, TN_ELF_SIGNED },                 // JUMP26
  { 183, 283, TN_ELF_V_REL,     2, 26, 0, TN_ELF_SIGNED },                 // CALL26
  { 183, 284, TN_ELF_V_ABS,     1, 11, 10, TN_ELF_ANY },                   // LDST16_ABS_LO12_NC
  { 183, 285, TN_ELF_V_ABS,     2, 10, 10, TN_ELF_ANY },                   // LDST32_ABS_LO12_NC
  { 183, 286, TN_ELF_V_ABS,     3,  9, 10, TN_ELF_ANY },                   // LDST64_ABS_LO12_NC
  { 183, 299, TN_ELF_V_ABS,     4,  8, 10, TN_ELF_ANY },                   // LDST128_ABS_LO12_NC
  { 183, 311, TN_ELF_V_GOT_PAGE, 12, 21, TN_ELF_AT_ADR, TN_ELF_SIGNED },   // ADR_GOT_PAGE
  { 183, 312, TN_ELF_V_GOT_ABS, 3,  9, 10, TN_ELF_ANY },                   // LD64_GOT_LO12_NC
  { 183, 314, TN_ELF_V_REL,     0, 32, TN_ELF_AT_WORD, TN_ELF_SIGNED }     // PLT32
#endif
};

static const tn_elf_how *tn_elf_how_of(int machine, uint32_t type) {
  for (size_t i = 0; i < sizeof tn_elf_hows / sizeof *tn_elf_hows; i++)
    if (tn_elf_hows[i].machine == machine && tn_elf_hows[i].type == type) return &tn_elf_hows[i];
  return NULL;
}

static int64_t tn_elf_value(int value, uint64_t s_plus_a, uint64_t p, uint64_t g_plus_a) {
  const uint64_t page = ~(uint64_t)4095;
  switch (value) {
    case TN_ELF_V_ABS:      return (int64_t)s_plus_a;
    case TN_ELF_V_REL:      return (int64_t)(s_plus_a - p);
    case TN_ELF_V_PAGE:     return (int64_t)((s_plus_a & page) - (p & page));
    case TN_ELF_V_GOT_REL:  return (int64_t)(g_plus_a - p);
    case TN_ELF_V_GOT_PAGE: return (int64_t)((g_plus_a & page) - (p & page));
    default:                return (int64_t)g_plus_a;
  }
}

static int tn_elf_fits(int64_t v, int bits, int check) {
  const int64_t half = (int64_t)1 << (bits - 1 < 62 ? bits - 1 : 62);
  const int as_signed = v >= -half && v < half, as_unsigned = v >= 0 && v >> 1 < half;
  if (check == TN_ELF_ANY) return 1;
  return (check != TN_ELF_UNSIGNED && as_signed) || (check != TN_ELF_SIGNED && as_unsigned);
}

// Writes v to the place. 0: it does not fit.
static int tn_elf_write(const tn_elf_how *how, char *place, int64_t v) {
  const int whole = how->at == TN_ELF_AT_WORD;
  if (how->at == 10 && v & (((int64_t)1 << how->shift) - 1)) return 0;     // loads and stores are aligned
  v >>= how->shift;
  if (!tn_elf_fits(v, how->bits, how->check)) return 0;
  if (whole && how->bits == 64) { memcpy(place, &v, 8); return 1; }
  uint32_t word = (uint32_t)v;
  if (!whole) {
    const uint32_t field = (uint32_t)v & ((1u << how->bits) - 1);
    const uint32_t mask = how->at == TN_ELF_AT_ADR ? 0x60ffffe0u : ((1u << how->bits) - 1) << how->at;
    memcpy(&word, place, 4);
    word &= ~mask;
    word |= how->at == TN_ELF_AT_ADR ? (field & 3) << 29 | field >> 2 << 5 : field << how->at;
  }
  memcpy(place, &word, 4);
  return 1;
}

// ** reading the file **

typedef struct tn_elf_load_state {
  tiny_ctx *t;
  const char *file; size_t nbytes; int machine;
  const tn_elf_name *names; int nnames;
  tn_elf_section *section; int nsections;
  uint64_t *place;                         // by section: its offset in the image; ~0: not loaded
  tn_elf_sym *sym; int nsyms;
  const char *strings; size_t strings_nbytes;
  uint64_t code_nbytes, data_nbytes;       // of slots, code and constants, and of data; whole pages
  char *map;
} tn_elf_load_state;

static tiny_code tn_elf_bad(tiny_ctx *t, const char *what) {
  return tiny_fail(t, TINY_E_COMPILE, "elf: the object cannot be loaded: %s", what);
}

static int tn_elf_inside(uint64_t offset, uint64_t size, uint64_t nbytes) {
  return offset <= nbytes && size <= nbytes - offset;
}

// Does it begin as an object for machine does?
static int tn_elf_is_object(const void *bytes, size_t nbytes, int machine) {
  tn_elf_header h;
  if (nbytes < sizeof h) return 0;
  memcpy(&h, bytes, sizeof h);
  return !memcmp(h.ident, "\177ELF\2\1\1", 7) && h.type == 1 && h.machine == machine;
}

static tiny_code tn_elf_read_sections(tn_elf_load_state *l) {
  tn_elf_header h;
  if (l->nbytes < sizeof h) return tn_elf_bad(l->t, "it is too short");
  memcpy(&h, l->file, sizeof h);
  if (memcmp(h.ident, "\177ELF\2\1\1", 7) || h.type != 1)
    return tn_elf_bad(l->t, "it is no relocatable ELF64 file");
  if (h.machine != l->machine) return tn_elf_bad(l->t, "it is for another processor");
  if (h.shentsize != sizeof(tn_elf_section) || !h.shnum || h.shnum >= TN_ELF_RESERVED ||
      !tn_elf_inside(h.shoff, (uint64_t)h.shnum * sizeof(tn_elf_section), l->nbytes))
    return tn_elf_bad(l->t, "its section table is not in it");
  l->nsections = h.shnum;
  l->section = (tn_elf_section *)tn_scratch(l->t, (size_t)h.shnum * sizeof *l->section);
  l->place = (uint64_t *)tn_scratch(l->t, (size_t)h.shnum * sizeof *l->place);
  if (!l->section || !l->place) return TINY_E_MEMORY;
  memcpy(l->section, l->file + h.shoff, (size_t)h.shnum * sizeof *l->section);
  for (int i = 0; i < l->nsections; i++) {
    const tn_elf_section *s = &l->section[i];
    l->place[i] = ~(uint64_t)0;
    if (s->type && s->type != TN_ELF_NOBITS && !tn_elf_inside(s->offset, s->size, l->nbytes))
      return tn_elf_bad(l->t, "a section is not in it");
  }
  return TINY_OK;
}

static tiny_code tn_elf_read_symbols(tn_elf_load_state *l) {
  const tn_elf_section *table = NULL;
  for (int i = 0; i < l->nsections && !table; i++)
    if (l->section[i].type == TN_ELF_SYMTAB) table = &l->section[i];
  if (!table) return tn_elf_bad(l->t, "it has no symbols");
  const uint64_t nsyms = table->size / sizeof(tn_elf_sym);
  if (table->entsize != sizeof(tn_elf_sym) || nsyms > TN_ELF_MAX_NBYTES / TN_ELF_SLOT ||
      table->link >= (uint32_t)l->nsections || l->section[table->link].type != TN_ELF_STRTAB)
    return tn_elf_bad(l->t, "its symbol table is damaged");
  const tn_elf_section *strings = &l->section[table->link];
  l->strings = l->file + strings->offset; l->strings_nbytes = (size_t)strings->size;
  if (!l->strings_nbytes || l->strings[l->strings_nbytes - 1])
    return tn_elf_bad(l->t, "its names don't end");
  l->nsyms = (int)nsyms;
  l->sym = (tn_elf_sym *)tn_scratch(l->t, (size_t)l->nsyms * sizeof *l->sym + 1);
  if (!l->sym) return TINY_E_MEMORY;
  memcpy(l->sym, l->file + table->offset, (size_t)l->nsyms * sizeof *l->sym);
  for (int i = 0; i < l->nsyms; i++)
    if (l->sym[i].name >= l->strings_nbytes) return tn_elf_bad(l->t, "a name is not in it");
  return TINY_OK;
}

// Gives the sections of one kind their places after *end.
static tiny_code tn_elf_place(tn_elf_load_state *l, int writable, uint64_t *end) {
  for (int i = 0; i < l->nsections; i++) {
    const tn_elf_section *s = &l->section[i];
    const int known = s->type == TN_ELF_PROGBITS || s->type == TN_ELF_NOBITS;
    const uint64_t align = s->align ? s->align : 1;
    if (!(s->flags & TN_ELF_ALLOC) || !s->size || s->type == TN_ELF_NOTE) continue;
    if (!!(s->flags & TN_ELF_WRITE) != writable) continue;
    if (!known || s->flags & TN_ELF_TLS || (writable && s->flags & TN_ELF_EXEC))
      return tn_elf_bad(l->t, "it has a section of a kind that kernels don't need");
    if (align & (align - 1) || align > TN_ELF_MAX_ALIGN || s->size > TN_ELF_MAX_NBYTES)
      return tn_elf_bad(l->t, "a section is too big");
    *end = (*end + align - 1) & ~(align - 1);
    l->place[i] = *end;
    *end += s->size;
    if (*end > TN_ELF_MAX_NBYTES) return tn_elf_bad(l->t, "it is too big");
  }
  return TINY_OK;
}

static tiny_code tn_elf_layout(tn_elf_load_state *l) {
  const uint64_t page = tn_os_page_nbytes() - 1;
  uint64_t end = (uint64_t)l->nsyms * TN_ELF_SLOT;
  tiny_code code = tn_elf_place(l, 0, &end);
  l->code_nbytes = end = (end + page) & ~page;
  if (code == TINY_OK) code = tn_elf_place(l, 1, &end);
  l->data_nbytes = ((end + page) & ~page) - l->code_nbytes;
  if (code == TINY_OK && !l->code_nbytes) code = tn_elf_bad(l->t, "it is empty");
  return code;
}

// ** linking **

// Replaces every symbol's value by its address.
static tiny_code tn_elf_resolve(tn_elf_load_state *l) {
  for (int i = 1; i < l->nsyms; i++) {
    tn_elf_sym *s = &l->sym[i];
    const char *name = l->strings + s->name;
    if (s->section == 0) {
      int k = 0;
      while (k < l->nnames && strcmp(l->names[k].name, name)) k++;
      if (k == l->nnames)
        return tiny_fail(l->t, TINY_E_COMPILE, "elf: the kernel calls '%.200s', which is not there", name);
      s->value = 0;
      memcpy(&s->value, &l->names[k].fn, sizeof l->names[k].fn);
    } else if (s->section < TN_ELF_RESERVED) {
      if (s->section >= l->nsections) return tn_elf_bad(l->t, "a symbol is in no section");
      if (l->place[s->section] == ~(uint64_t)0) { s->value = 0; continue; }      // of a section for debuggers
      if (s->value > l->section[s->section].size) return tn_elf_bad(l->t, "a symbol is not in its section");
      s->value += (uint64_t)(uintptr_t)l->map + l->place[s->section];
    } else if (s->section != TN_ELF_ABS) return tn_elf_bad(l->t, "it has common symbols");
  }
  return TINY_OK;
}

static void tn_elf_fill_slots(tn_elf_load_state *l) {
  static const unsigned char x86[8] = { 0xff, 0x25, 2, 0, 0, 0, 0xcc, 0xcc };         // jmp *2(%rip)
  static const unsigned char arm64[8] = { 0x50, 0, 0, 0x58, 0, 2, 0x1f, 0xd6 };       // ldr x16, 8; br x16
  for (int i = 0; i < l->nsyms; i++) {
    char *slot = l->map + (size_t)i * TN_ELF_SLOT;
    memcpy(slot, l->machine == TN_ELF_X86 ? x86 : arm64, 8);
    memcpy(slot + 8, &l->sym[i].value, 8);
  }
}

static tiny_code tn_elf_relocate(tn_elf_load_state *l, const tn_elf_section *table) {
  const tn_elf_section *target = &l->section[table->info];
  char *base = l->map + l->place[table->info];
  for (uint64_t i = 0; i < table->size / sizeof(tn_elf_rela); i++) {
    tn_elf_rela r;
    memcpy(&r, l->file + table->offset + i * sizeof r, sizeof r);
    const tn_elf_how *how = tn_elf_how_of(l->machine, r.type);
    if (!how) return tiny_fail(l->t, TINY_E_COMPILE, "elf: relocation of unknown type %u", (unsigned)r.type);
    if (r.sym >= (uint32_t)l->nsyms || !tn_elf_inside(r.offset, how->bits == 64 ? 8 : 4, target->size))
      return tn_elf_bad(l->t, "a relocation is not in it");
    const tn_elf_sym *sym = &l->sym[r.sym];
    const uint64_t slot = (uint64_t)(uintptr_t)l->map + (uint64_t)r.sym * TN_ELF_SLOT, a = (uint64_t)r.addend;
    const int outside = r.sym && sym->section == 0 && how->value == TN_ELF_V_REL;
    const uint64_t s = outside ? slot : sym->value;
    const int64_t v = tn_elf_value(how->value, s + a, (uint64_t)(uintptr_t)(base + r.offset), slot + 8 + a);
    if (!tn_elf_write(how, base + r.offset, v))
      return tiny_fail(l->t, TINY_E_COMPILE, "elf: relocation of type %u does not reach '%.200s'",
                       (unsigned)r.type, l->strings + sym->name);
  }
  return TINY_OK;
}

static tiny_code tn_elf_link(tn_elf_load_state *l) {
  for (int i = 0; i < l->nsections; i++) {
    const tn_elf_section *s = &l->section[i];
    if (l->place[i] == ~(uint64_t)0 || s->type != TN_ELF_PROGBITS) continue;
    memcpy(l->map + l->place[i], l->file + s->offset, (size_t)s->size);
  }
  tiny_code code = tn_elf_resolve(l);
  if (code == TINY_OK) tn_elf_fill_slots(l);
  for (int i = 0; i < l->nsections && code == TINY_OK; i++) {
    const tn_elf_section *s = &l->section[i];
    if (s->type != TN_ELF_RELA && s->type != TN_ELF_REL) continue;
    if (s->info >= (uint32_t)l->nsections || l->place[s->info] == ~(uint64_t)0) continue;
    code = s->type == TN_ELF_RELA ? tn_elf_relocate(l, s) : tn_elf_bad(l->t, "relocations have no addends");
  }
  return code;
}

// ** images **

static int tn_elf_is_function(const tn_elf_load_state *l, const tn_elf_sym *s) {
  return s->section > 0 && s->section < l->nsections && l->place[s->section] != ~(uint64_t)0 &&
         l->section[s->section].flags & TN_ELF_EXEC && s->info >> 4 == 1;               // a global symbol
}

// Memory for the image's description, with room for the names of its functions behind it.
static tn_elf *tn_elf_new(tn_elf_load_state *l) {
  size_t nbytes = sizeof(tn_elf);
  int n = 0;
  for (int i = 1; i < l->nsyms; i++) if (tn_elf_is_function(l, &l->sym[i])) {
    nbytes += sizeof(tn_elf_function) + strlen(l->strings + l->sym[i].name) + 1;
    n++;
  }
  tn_elf *e = nbytes <= TN_ELF_MAX_NBYTES ? (tn_elf *)tn_alloc(l->t, nbytes) : NULL;
  if (!e) return NULL;
  e->function = (tn_elf_function *)(void *)(e + 1);
  e->owned_nbytes = nbytes;
  char *name = (char *)(e->function + n);
  for (int i = 1; i < l->nsyms; i++) if (tn_elf_is_function(l, &l->sym[i])) {
    const size_t length = strlen(l->strings + l->sym[i].name) + 1;
    memcpy(name, l->strings + l->sym[i].name, length);
    e->function[e->nfunctions++].name = name;
    name += length;
  }
  return e;
}

static void tn_elf_name_functions(const tn_elf_load_state *l, tn_elf *e) {
  tn_elf_function *f = e->function;
  for (int i = 1; i < l->nsyms; i++)
    if (tn_elf_is_function(l, &l->sym[i])) f++->at = (void *)(uintptr_t)l->sym[i].value;
}

static void tn_elf_unload(tiny_ctx *t, tn_elf *e) {
  if (!e) return;
  tn_os_unmap(e->map, e->map_nbytes);
  tn_release(t, e, e->owned_nbytes);
}

// The object in pages of its own, which may be executed. Nothing in it asks for memory, or returns before they are
// sealed.
static tiny_code tn_elf_map(tn_elf_load_state *l, tn_elf *e) {
  tn_os_code pages;
  if (!tn_os_code_map(&pages, (size_t)l->code_nbytes, (size_t)l->data_nbytes))
    return tiny_fail(l->t, TINY_E_MEMORY, "elf: there are no pages for the %llu bytes of a kernel's code",
                     (unsigned long long)(l->code_nbytes + l->data_nbytes));
  l->map = e->map = pages.at; e->map_nbytes = pages.nbytes;
  const tiny_code code = tn_elf_link(l);
  if (tn_os_code_seal(&pages) || code != TINY_OK) return code;
  return tiny_fail(l->t, TINY_E_DEVICE, "elf: the system does not let memory be executed that was written");
}

// Loads an object for machine: TN_ELF_X86 or TN_ELF_ARM64. names: what it may call.
// TINY_E_DEVICE: the system lets no code be executed, whatever it is.
static tiny_code tn_elf_load(tiny_ctx *t, const void *bytes, size_t nbytes, int machine,
                             const tn_elf_name *names, int nnames, tn_elf **out) {
  tn_elf_load_state l;
  memset(&l, 0, sizeof l);
  l.t = t; l.file = (const char *)bytes; l.nbytes = nbytes; l.machine = machine;
  l.names = names; l.nnames = nnames;
  *out = NULL;
  tiny_code code = tn_elf_read_sections(&l);
  if (code == TINY_OK) code = tn_elf_read_symbols(&l);
  if (code == TINY_OK) code = tn_elf_layout(&l);
  if (code != TINY_OK) return code;
  tn_elf *e = tn_elf_new(&l);              // the last that asks for memory, and may unwind
  if (!e) return tiny_fail(t, TINY_E_MEMORY, "elf: no memory for the names of an object's functions");
  code = tn_elf_map(&l, e);
  if (code != TINY_OK) { tn_elf_unload(t, e); return code; }
  tn_elf_name_functions(&l, e);
  *out = e;
  return TINY_OK;
}

// The address of a function; NULL: the object defines none of this name.
static void *tn_elf_symbol(const tn_elf *e, const char *name) {
  for (int i = 0; i < e->nfunctions; i++) if (!strcmp(e->function[i].name, name)) return e->function[i].at;
  return NULL;
}
#endif
