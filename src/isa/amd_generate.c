// amd_generate: the renderer of machine code for AMD's GPUs: lists of kernels -> a code object, without any compiler.
//
// In:  the lists of lowered kernels. Out: of each its code and what it needs; of them a code object, as amd_object.c
//      writes it. The passes of a kernel are those of tn_amd_passes, in order.
// Holds: what has no form is refused with its reason: nothing is written then. A kernel that is written begins as an
//        object does: runtime/builds.c knows by that what no outside compiler has to make. Parameters are words, as
//        render/lang_cuda.c says: the object has the symbol tiny_values.
#ifndef TN_ISA_AMD_GENERATE
#define TN_ISA_AMD_GENERATE
#ifndef TINY_AMALGAMATED
#include "amd_select.c"
#include "amd_common.c"
#include "amd_tail.c"
#include "amd_merge.c"
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

enum { TN_AMD_ROOM_EACH = 8192 };          // bytes of a node: what most kernels take, and some
// What stands in front of a kernel's code, and its name, among kernels that are rendered. mark: tn_amd_mark.
typedef struct tn_amd_rendered { char mark[4]; tn_amd_setup setup; uint32_t most_items, name, code; } tn_amd_rendered;
static const char tn_amd_mark[5] = "\177ELF";

static void tn_amd_pad(tiny_bytes *out, size_t align) {
  static const char zeros[16] = {0};
  if (out->n % align) tiny_bytes_add(out, zeros, align - out->n % align);
}
// The code of a list; NULL, or why there is none.
static const char *tn_amd_code_of_list(tn_amd_list *l, const tiny_listing *k, tiny_bytes *code) {
  static void (*const passes[])(tn_amd_list *l) = {tn_amd_remove_common, tn_amd_remove_dead, tn_amd_end_early,
    tn_amd_merge_accesses, tn_amd_pipeline, tn_amd_schedule, tn_amd_allocate, tn_amd_pair_lines, tn_amd_wait,
    tn_amd_hazards, tn_amd_delay};
  tn_amd_select_list(l, k);
  for (size_t i = 0; i < sizeof passes / sizeof *passes && !l->refused; i++) {
    tn_amd_pass_ends(l);
    passes[i](l);
  }
  if (!l->refused) { tn_amd_show(l, k->name); tn_amd_finish_list(l, code); }
  return l->refused;
}
// A kernel to out, which is empty. NULL, or why there is none.
static const char *tn_amd_render(tiny_ctx *t, const tn_amd_chip *chip, const tiny_listing *k, tiny_bytes *out) {
  tn_amd_list l;
  tiny_bytes code = {t, NULL, 0, 0};
  tn_amd_rendered head;
  memset(&head, 0, sizeof head);
  const size_t room = TN_AMD_ROOM + (size_t)k->n * TN_AMD_ROOM_EACH;
  char *const all = (char *)tiny_realloc(t, NULL, 0, room);
  const int opened = all ? tn_amd_list_open_in(&l, t, chip, all, room) : tn_amd_list_open(&l, t, chip);
  const char *const refused = opened ? tn_amd_code_of_list(&l, k, &code) : l.refused;
  if (all) tiny_realloc(t, all, room, 0);
  if (refused) return refused;
  memcpy(head.mark, tn_amd_mark, sizeof head.mark);
  head.setup = l.setup;
  head.most_items = (uint32_t)(k->local[0] * k->local[1] * k->local[2]);
  head.name = (uint32_t)strlen(k->name); head.code = (uint32_t)code.n;
  tiny_bytes_add(out, &head, sizeof head);
  tiny_bytes_add(out, k->name, head.name + 1);
  tn_amd_pad(out, 8);
  tiny_bytes_add(out, code.data, code.n);
  tn_amd_pad(out, 8);
  return NULL;
}
static int tn_amd_is_rendered(const void *data, size_t n) { return n > 4 && !memcmp(data, tn_amd_mark, 4); }
// Kernels that were rendered -> a code object; none of them: for the cache's key.
static tiny_code tn_amd_bind(tiny_ctx *t, const tn_amd_chip *chip, const tiny_rendered *kernels, int n,
                             tiny_bytes *out) {
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
  tn_amd_object_write(out, chip, source, n, "tiny_values");
  return tiny_status(t);
}

// ** a renderer that does nothing else **

static tiny_code tn_amd_kernel_of(tiny_ctx *t, const tiny_renderer *r, const tiny_listing *k, tiny_bytes *out,
                                  uint64_t *uses) {
  const tn_amd_chip *const chip = (const tn_amd_chip *)r->own;
  const char *const refused = tn_amd_render(t, chip, k, out);
  *uses = 0;
  if (!refused) return tiny_status(t);
  return tiny_fail(t, TINY_E_COMPILE, "%s: %s has no form in the code of %s", k->name, refused, chip->name);
}
static tiny_code tn_amd_module_of(tiny_ctx *t, const tiny_renderer *r, const tiny_rendered *kernels, int n,
                                  tiny_bytes *out) {
  return tn_amd_bind(t, (const tn_amd_chip *)r->own, kernels, n, out);
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
