// Fuzzes the reader of AMD's code objects: any bytes, all that it tells of them, and an image of them where it is small.
#include "../src/all.c"
#include "../src/isa/amd_object.c"

static volatile uint64_t sum;              // all is looked at

static void fuzz_kernels(const tn_amd_object *o, const uint8_t *image) {
  tn_amd_kernel k;
  const char *wrong;
  for (uint64_t i = 0; tn_amd_object_next(o, image, &i, &k, &wrong); ) {
    for (size_t n = 0; n < k.name_n; n++) sum += (uint8_t)k.name[n];
    sum += image[k.at] + image[k.entry] + image[k.entry + 3] + k.descriptor.lds;
    sum += tn_amd_uint_at(k.metadata, ".max_flat_workgroup_size", 0);
    sum += tn_amd_items(tn_amd_value_at(k.metadata, ".args", 0));
  }
  sum += wrong != NULL;
}
extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes);
extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes) {
  static uint64_t where[TN_AMD_OBJECT_SECTIONS];
  tn_amd_object o;
  if (tn_amd_object_open(&o, data, nbytes)) return 0;
  sum += (uint64_t)tn_amd_object_has(&o, "tiny_values");
  if (tn_amd_object_place(&o, where) || o.image_nbytes > 1 << 18) return 0;
  uint8_t *const image = (uint8_t *)calloc(1, (size_t)o.image_nbytes);       // as long: a sanitizer sees what goes beyond
  if (image && !tn_amd_object_image(&o, UINT64_C(0x7F0000000000), image)) fuzz_kernels(&o, image);
  free(image);
  return 0;
}
