// fuzz_cache: any bytes may be given to the reader of shipped kernels. Each input is read as it is, and with the length
// and the digests that it should have, as nobody guesses those. What is taken is written again, and is the same.
// Nothing of it is loaded: that is fuzz_elf's.
#include "../src/all.c"
#include "fuzz_io.h"

static void fuzz_container(tiny_ctx *t, const char *data, size_t nbytes) {
  const tn_digest source = tn_container_source(TN_SOURCE_ID);
  if (tn_container_check(data, nbytes, &source)) return;
  const tn_container c = tn_container_of(data);
  for (uint32_t i = 0; i < c.head->nkernel; i++) {
    const tn_container_kernel *k = &c.kernel[i], *found = tn_container_find(&c, &k->key, tn_container_target_of(&c, k));
    FUZZ_CHECK(found && tn_digest_same(&found->key, &k->key) && strlen(found->name) < sizeof found->name);
    FUZZ_CHECK(tn_container_fit(tn_container_target_of(&c, found), tn_container_target_of(&c, k)) >= 0);
  }
  tn_container_items all = {NULL, 0, 0};
  tiny_bytes out = {t, NULL, 0, 0};
  tn_container_add_all(t, &all, &c);
  tn_container_add_all(t, &all, &c);       // twice is once
  tn_container_write(t, &all, &source, &out);
  FUZZ_CHECK(!tn_container_check(out.data, out.n, &source));
  const tn_container again = tn_container_of(out.data);
  FUZZ_CHECK(again.head->nkernel == c.head->nkernel);
  for (uint32_t i = 0; i < c.head->nkernel; i++) {
    const tn_container_module *m = &c.module[c.kernel[i].module], *n = &again.module[again.kernel[i].module];
    FUZZ_CHECK(tn_digest_same(&c.kernel[i].key, &again.kernel[i].key) && m->nbytes == n->nbytes);
    FUZZ_CHECK(!memcmp(c.data + m->at, again.data + n->at, (size_t)m->nbytes));
  }
  tn_scratch_reset(t, 1);
}

extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes);
extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes) {
  tiny_ctx *t = fuzz_context();
  char *copy = (char *)malloc(nbytes + 1);
  if (nbytes) memcpy(copy, data, nbytes);
  FUZZ_CHECK(tiny_cache_import_from(t, copy, nbytes) == TINY_E_IO || t->shipped);
  tiny_clear(t);
  if (nbytes >= sizeof(tn_container_head)) {
    tn_container_head *head = (tn_container_head *)(void *)copy;
    head->nbytes = nbytes;
    head->source = tn_container_source(TN_SOURCE_ID);
    head->sum = tn_container_sum(copy, nbytes);
    fuzz_container(t, copy, nbytes);
    tiny_cache_import_from(t, copy, nbytes);
    tiny_clear(t);
  }
  tn_ship_close(t);
  free(copy);
  return 0;
}
