// amd_generate: the renderer of machine code for AMD's GPUs: lists of kernels -> a code object, without any compiler.
//
// In:  the lists of lowered kernels. Out: of each its code and what it needs; of them a code object, as amd_object.c
//      writes it. The passes of a kernel are those of tn_amd_passes, in order.
// Holds: what has no form is refused with its reason: nothing is written then.
#ifndef TN_ISA_AMD_GENERATE
#define TN_ISA_AMD_GENERATE
#ifndef TINY_AMALGAMATED
#include "amd_select.c"
#include "amd_common.c"
#include "amd_pipeline.c"
#include "amd_schedule.c"
#include "amd_registers.c"
#include "amd_dual.c"
#include "amd_waits.c"
#include "amd_hazards.c"
#include "amd_delays.c"
#include "amd_finish.c"
#include "amd_object.c"
#include "amd_abilities.c"
#include "amd_show.c"
#endif

// What stands in front of a kernel's code, and its name, among kernels that are rendered.
typedef struct tn_amd_rendered { tn_amd_setup setup; uint32_t most_items, name, code; } tn_amd_rendered;

static void tn_amd_pad(tiny_bytes *out, size_t align) {
  static const char zeros[16] = {0};
  if (out->n % align) tiny_bytes_add(out, zeros, align - out->n % align);
}
// The code of a list; NULL, or why there is none.
static const char *tn_amd_code_of_list(tn_amd_list *l, const tiny_listing *k, tiny_bytes *code) {
  tn_amd_select_list(l, k);
  if (!l->refused) tn_amd_remove_common(l);
  if (!l->refused) tn_amd_remove_dead(l);
  if (!l->refused) tn_amd_pipeline(l);
  if (!l->refused) tn_amd_schedule(l);
  if (!l->refused) tn_amd_allocate(l);
  if (!l->refused) tn_amd_pair_lines(l);
  if (!l->refused) tn_amd_wait(l);
  if (!l->refused) tn_amd_hazards(l);
  if (!l->refused) tn_amd_delay(l);
  if (!l->refused) { tn_amd_show(l, k->name); tn_amd_finish_list(l, code); }
  return l->refused;
}
static tiny_code tn_amd_kernel_of(tiny_ctx *t, const tiny_renderer *r, const tiny_listing *k, tiny_bytes *out,
                                  uint64_t *uses) {
  const tn_amd_chip *const chip = (const tn_amd_chip *)r->own;
  tn_amd_list l;
  tiny_bytes code = {t, NULL, 0, 0};
  tn_amd_rendered head;
  memset(&head, 0, sizeof head);
  *uses = 0;
  if (!tn_amd_list_open(&l, t, chip)) return TINY_E_MEMORY;
  const char *const refused = tn_amd_code_of_list(&l, k, &code);
  if (refused) return tiny_fail(t, TINY_E_COMPILE, "%s: %s has no form in the code of %s", k->name, refused, chip->name);
  head.setup = l.setup;
  head.most_items = (uint32_t)(k->local[0] * k->local[1] * k->local[2]);
  head.name = (uint32_t)strlen(k->name); head.code = (uint32_t)code.n;
  tn_amd_pad(out, 8);
  tiny_bytes_add(out, &head, sizeof head);
  tiny_bytes_add(out, k->name, head.name + 1);
  tn_amd_pad(out, 8);
  tiny_bytes_add(out, code.data, code.n);
  tn_amd_pad(out, 8);
  return tiny_status(t);
}
static tiny_code tn_amd_module_of(tiny_ctx *t, const tiny_renderer *r, const tiny_rendered *kernels, int n,
                                  tiny_bytes *out) {
  const tn_amd_chip *const chip = (const tn_amd_chip *)r->own;
  tn_amd_source *const source = (tn_amd_source *)tn_amd_scratch(t, (size_t)n + 1, sizeof *source);
  if (!source) return TINY_E_MEMORY;
  for (int i = 0; i < n; i++) {
    tn_amd_rendered head;
    const char *const at = kernels[i].data;
    memcpy(&head, at, sizeof head);
    source[i].setup = head.setup; source[i].most_items = head.most_items;
    source[i].name = at + sizeof head;
    source[i].code = at + (sizeof head + head.name + 1 + 7) / 8 * 8; source[i].nbytes = head.code;
  }
  tn_amd_object_write(out, chip, source, n);
  return tiny_status(t);
}

// target: "gfx1100". 0: it is none of the chips.
static int tn_lang_amd(tiny_renderer *r, const char *target) {
  memset(r, 0, sizeof *r);
  r->name = "AMD"; r->file = "hsaco";
  for (int i = 0; i < TN_AMD_CHIPS; i++) if (!strcmp(target, tn_amd_chips[i].name)) r->own = &tn_amd_chips[i];
  if (!r->own) return 0;
  tn_amd_abilities(r, (const tn_amd_chip *)r->own);
  r->kernel = tn_amd_kernel_of;
  r->module = tn_amd_module_of;
  return 1;
}
#endif
