// amd_object: what clang -c makes for an AMD GPU, or a linked code object (src/isa/amd_object.c), laid out in memory of
// the host, where the emulator runs it.
#ifndef AMD_OBJECT_H
#define AMD_OBJECT_H
#include "../src/runtime/elf.c"
#include "../src/isa/amd_object.c"

enum { AMD_CODE_NBYTES = 1 << 22 };        // the most

typedef struct amd_object {
  unsigned char *code; size_t n;           // sections, one behind another
  tiny_bytes file;
  uint64_t at[64];                         // where each section begins
  int linked;
} amd_object;
static const tn_elf_section *amd_section(const amd_object *o, int k, tn_elf_section *s) {
  tn_elf_header h;
  memcpy(&h, o->file.data, sizeof h);
  memcpy(s, o->file.data + h.shoff + (size_t)k * sizeof *s, sizeof *s);
  return s;
}
static int amd_sections(const amd_object *o) {
  tn_elf_header h;
  memcpy(&h, o->file.data, sizeof h);
  return h.shnum < 64 ? h.shnum : 0;
}
static uint64_t amd_symbol_at(const amd_object *o, const tn_elf_section *table, uint32_t k, const char **name) {
  tn_elf_sym y;
  tn_elf_section names;
  memcpy(&y, o->file.data + table->offset + (size_t)k * sizeof y, sizeof y);
  *name = o->file.data + amd_section(o, (int)table->link, &names)->offset + y.name;
  if (o->linked) return y.section ? (uint64_t)(uintptr_t)o->code + y.value : 0;
  return y.section && y.section < 64 ? o->at[y.section] + y.value : 0;
}
// Address of a symbol, and how large it is; 0: there is none.
static uint64_t amd_find_sized(const amd_object *o, const char *wanted, size_t *nbytes) {
  for (int k = 0; k < amd_sections(o); k++) {
    tn_elf_section s;
    const char *name;
    if (amd_section(o, k, &s)->type != (o->linked ? (uint32_t)TN_AMD_SHT_DYNSYM : (uint32_t)TN_ELF_SYMTAB)) continue;
    for (uint32_t i = 0; i < s.size / sizeof(tn_elf_sym); i++) {
      tn_elf_sym y;
      const uint64_t at = amd_symbol_at(o, &s, i, &name);
      if (strcmp(name, wanted)) continue;
      memcpy(&y, o->file.data + s.offset + (size_t)i * sizeof y, sizeof y);
      *nbytes = (size_t)y.size;
      return at;
    }
  }
  return 0;
}
static uint64_t amd_find(const amd_object *o, const char *wanted) {
  size_t nbytes;
  return amd_find_sized(o, wanted, &nbytes);
}
// Relocations: LLVM, AMDGPUUsage, "Relocation Records".
static int amd_relocate(amd_object *o, const tn_elf_section *s) {
  tn_elf_section table, to;
  const char *name;
  amd_section(o, (int)s->link, &table);
  amd_section(o, (int)s->info, &to);
  if (!(to.flags & TN_ELF_ALLOC)) return 1;
  for (size_t k = 0; k < s->size / sizeof(tn_elf_rela); k++) {
    tn_elf_rela r;
    memcpy(&r, o->file.data + s->offset + k * sizeof r, sizeof r);
    const uint64_t place = o->at[s->info] + r.offset;
    const uint64_t x = amd_symbol_at(o, &table, r.sym, &name) + (uint64_t)r.addend, apart = x - place;
    switch (r.type) {
      case 1: memcpy((void *)place, &x, 4); break;
      case 3: memcpy((void *)place, &x, 8); break;
      case 4: case 10: memcpy((void *)place, &apart, 4); break;
      case 5: memcpy((void *)place, &apart, 8); break;
      case 2: memcpy((void *)place, (const char *)&x + 4, 4); break;
      case 11: memcpy((void *)place, (const char *)&apart + 4, 4); break;
      default: fprintf(stderr, "relocation %u\n", r.type); return 0;
    }
  }
  return 1;
}
// A linked object, as the driver lays it out.
static int amd_lay_out_linked(amd_object *o) {
  tn_amd_object linked;
  uint64_t where[64];
  const char *wrong = tn_amd_object_open(&linked, o->file.data, o->file.n);
  if (!wrong && linked.nsections > 64) wrong = "it has many sections";
  if (!wrong) wrong = tn_amd_object_place(&linked, where);
  if (!wrong && linked.image_nbytes > AMD_CODE_NBYTES) wrong = "it is too large";
  o->n = wrong ? 0 : (size_t)linked.image_nbytes;
  memset(o->code, 0, o->n);
  if (!wrong) wrong = tn_amd_object_image(&linked, (uint64_t)(uintptr_t)o->code, o->code);
  if (wrong) fprintf(stderr, "a code object: %s\n", wrong);
  return !wrong;
}
static int amd_lay_out(amd_object *o, unsigned char *code) {
  tn_elf_section s;
  int ok = 1;
  o->code = code;
  o->n = 0;
  memset(o->at, 0, sizeof o->at);
  o->linked = o->file.n > 18 && o->file.data[16] == 3;       // ET_DYN
  if (o->linked) return amd_lay_out_linked(o);
  for (int k = 0; k < amd_sections(o); k++) {
    if (!(amd_section(o, k, &s)->flags & TN_ELF_ALLOC)) continue;
    o->n = (o->n + 255) & ~(size_t)255;
    if (o->n + s.size > AMD_CODE_NBYTES) return 0;
    o->at[k] = (uint64_t)(uintptr_t)code + o->n;
    if (s.type != TN_ELF_NOBITS) memcpy(code + o->n, o->file.data + s.offset, (size_t)s.size);
    o->n += (size_t)s.size;
  }
  for (int k = 0; k < amd_sections(o); k++)
    if (amd_section(o, k, &s)->type == TN_ELF_RELA) ok = ok && amd_relocate(o, &s);
  return ok;
}
#endif
