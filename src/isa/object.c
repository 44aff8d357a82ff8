// object: the code of one kernel as a relocatable ELF64 object, whatever the processor.
//
// In:  bytes of a function, and of the constants behind it that it reaches relative to its own place: there is nothing
//      to relocate. Out: an object with one function, as runtime/elf.c loads it.
#ifndef TN_ISA_OBJECT
#define TN_ISA_OBJECT
#ifndef TINY_AMALGAMATED
#include "../runtime/elf.c"
#endif

// Four bytes that say how far a label, or a place among the constants, is from a place in the code.
typedef struct tn_isa_fix { int at, end; int64_t to; } tn_isa_fix;

static void tn_isa_elf(tiny_bytes *out, const char *name, const tiny_bytes *code, int machine) {
  static const char section_names[] = "\0.text\0.symtab\0.strtab";
  tn_elf_header h;
  tn_elf_section s[4];
  tn_elf_sym sym[2];
  memset(&h, 0, sizeof h); memset(s, 0, sizeof s); memset(sym, 0, sizeof sym);
  const size_t strings = sizeof section_names + strlen(name) + 1;
  memcpy(h.ident, "\177ELF\2\1\1", 7);
  h.type = 1; h.machine = (uint16_t)machine; h.version = 1; h.ehsize = sizeof h; h.shentsize = sizeof *s;
  h.shnum = 4; h.shstrndx = 3;
  h.shoff = sizeof h;
  s[1].name = 1; s[1].type = TN_ELF_PROGBITS; s[1].flags = TN_ELF_ALLOC | TN_ELF_EXEC; s[1].align = 64;
  s[1].offset = sizeof h + sizeof s; s[1].size = code->n;
  s[2].name = 7; s[2].type = TN_ELF_SYMTAB; s[2].link = 3; s[2].info = 1; s[2].align = 8; s[2].entsize = sizeof *sym;
  s[2].offset = s[1].offset + (code->n + 7) / 8 * 8; s[2].size = sizeof sym;
  s[3].name = 15; s[3].type = TN_ELF_STRTAB; s[3].align = 1; s[3].offset = s[2].offset + sizeof sym;
  s[3].size = strings;
  sym[1].name = (uint32_t)sizeof section_names; sym[1].info = 0x12; sym[1].section = 1; sym[1].size = code->n;
  static const char pad[8] = {0};
  tiny_bytes_add(out, &h, sizeof h);
  tiny_bytes_add(out, s, sizeof s);
  tiny_bytes_add(out, code->data, code->n);
  if (code->n % 8) tiny_bytes_add(out, pad, 8 - code->n % 8);
  tiny_bytes_add(out, sym, sizeof sym);
  tiny_bytes_add(out, section_names, sizeof section_names);
  tiny_bytes_add(out, name, strlen(name) + 1);
}
#endif
