// Fuzzes the reader of cubins: any bytes, all that the reader tells of them, and an image of them where it is small.
#include "../src/all.c"
#include "../src/nv/cubin.c"

static void fuzz_kernels(const tn_cubin *c) {
  tn_cubin_symbol s;
  tn_cubin_kernel k;
  tn_cubin_param p;
  volatile size_t sum = 0;                 // all is looked at
  for (int i = 0; tn_cubin_next_entry(c, &i, &s); ) {
    if (tn_cubin_kernel_of(c, i - 1, &k)) continue;
    sum += strlen(k.name) + k.text_nbytes;
    for (int n = 0; n < k.nparam && n < 300; n++) sum += (size_t)tn_cubin_param_at(c, &k, n, &p);
    for (int b = 1; b < TN_CUBIN_BANKS; b++) if (k.bank[b]) sum += (size_t)tn_cubin_section_at(c, k.bank[b]).nbytes;
    (void)sum;
  }
}
extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes);
extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes) {
  static uint64_t where[TN_CUBIN_SECTIONS];
  static uint8_t image[1 << 18];
  tn_cubin c;
  if (tn_cubin_open(&c, data, nbytes)) return 0;
  if (c.n > 64) return 0;                  // a table of so many takes its time
  fuzz_kernels(&c);
  tn_cubin_has_symbol(&c, "tiny_values");
  if (tn_cubin_place(&c, where) > sizeof image) return 0;
  memset(image, 0, sizeof image);
  tn_cubin_image(&c, where, UINT64_C(0x2000000000), image);
  return 0;
}
