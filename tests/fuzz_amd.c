// Fuzzes both readers of AMD's code objects: any bytes, all that they tell of them, and an image of them where it is
// small. The driver's takes what clang writes, linked or not; that of src/isa what is linked, with its metadata.
#include "../src/all.c"
#include "../src/isa/amd_object.c"
#include "../src/amd/object.c"

static volatile uint64_t sum;              // all is looked at

static void fuzz_object(const void *data, size_t nbytes) {
  static uint64_t where[TN_OBJECT_SECTIONS];
  static uint8_t image[1 << 18];
  tn_object o;
  tn_object_symbol s;
  size_t length;
  if (tn_object_open(&o, data, nbytes)) return;
  for (uint64_t i = 0; tn_object_next_kernel(&o, &i, &s, &length); ) sum += length + s.value;
  sum += (uint64_t)tn_object_has(&o, "tiny_values");
  if (tn_object_place(&o, where) || o.image > sizeof image) return;
  for (uint64_t i = 0; tn_object_next_kernel(&o, &i, &s, &length); ) sum += tn_object_in_image(&o, where, &s);
  memset(image, 0, sizeof image);
  sum += tn_object_write(&o, where, UINT64_C(0x7F0000000000), image) != NULL;
}
static void fuzz_linked(const void *data, size_t nbytes) {
  tn_amd_object o;
  tn_amd_kernel k;
  if (tn_amd_object_open(&o, data, nbytes)) return;
  for (int i = 0; tn_amd_object_next(&o, &i, &k); ) {
    for (size_t n = 0; n < k.name_n; n++) sum += (uint8_t)k.name[n];
    sum += k.entry + k.descriptor.lds;
    const uint8_t *code = tn_amd_object_bytes(&o, k.entry, 4, 1);
    if (code) sum += *code;
  }
}
extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes);
extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes) {
  fuzz_object(data, nbytes);
  fuzz_linked(data, nbytes);
  return 0;
}
