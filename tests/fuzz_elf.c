// Fuzzes the loader: clang -g -O1 -fsanitize=fuzzer,address,undefined tests/fuzz_elf.c -o fuzz_elf -lpthread
// -lm Start it with a folder of objects. Nothing that it loads is run. The first byte chooses the processor.
#include "../src/runtime/elf.c"

extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes);
extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes) {
  static const tn_elf_name names[] = { { "memset", (void (*)(void))memset }, { "fmodf", (void (*)(void))fmodf } };
  tiny_ctx t;
  tn_elf *e = NULL;
  memset(&t, 0, sizeof t);
  t.alloc.fn = tn_default_alloc;
  if (!nbytes) return 0;
  if (tn_elf_load(&t, data + 1, nbytes - 1, data[0] & 1 ? TN_ELF_ARM64 : TN_ELF_X86, names, 2, &e) == TINY_OK) tn_elf_symbol(e, "f");
  tn_elf_unload(&t, e);
  tn_scratch_reset(&t, 1);
  return 0;
}
