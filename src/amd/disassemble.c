// disassemble: code objects -> assembly, which amd_assembly.c takes again.
//
// In:    a code object, linked or not, that the caller may have from anywhere. Out: text of its kernels, jumps by their
//        distances. Nothing is kept.
#ifndef TN_KFD_DISASSEMBLE
#define TN_KFD_DISASSEMBLE
#ifndef TINY_AMALGAMATED
#include "../isa/amd_assembly.c"
#endif
#include <stdlib.h>

typedef struct tn_kfd_text { char *out; size_t n, most; } tn_kfd_text;     // n: what it would have without a limit

static void tn_kfd_put(tn_kfd_text *t, const char *text, size_t n) {
  for (size_t i = 0; i < n; i++, t->n++) if (t->n + 1 < t->most) t->out[t->n] = text[i];
  if (t->most) t->out[t->n < t->most ? t->n : t->most - 1] = 0;
}
static void tn_kfd_put_ask(tn_kfd_text *t, int ask, long value) {
  char line[80];
  if (value == tn_amd_asks[ask].usual) return;
  tn_kfd_put(t, line, (size_t)snprintf(line, sizeof line, "  .amdhsa_%s %ld\n", tn_amd_asks[ask].name, value));
}
// Code of a kernel: as long as its function's symbol says, else to the image's end.
static uint64_t tn_kfd_code_nbytes(const tn_amd_object *o, const tn_amd_kernel *k) {
  const uint64_t rest = (o->image_nbytes - k->entry) / 4 * 4;
  tn_amd_object_symbol y;
  for (uint64_t i = 0; tn_amd_object_symbol_at(o, i, &y); i++)
    if (y.n == k->name_n && !memcmp(y.name, k->name, y.n) && y.nbytes && y.nbytes < rest) return y.nbytes / 4 * 4;
  return rest;
}
static void tn_kfd_put_code(tn_kfd_text *t, const tn_amd_object *o, const tn_amd_kernel *k, const uint8_t *image) {
  const uint64_t nbytes = tn_kfd_code_nbytes(o, k);
  for (uint64_t at = 0; at < nbytes; ) {
    uint32_t words[TN_AMD_MOST_WORDS];
    char line[200];
    tn_amd_ins ins;
    int n = 0;
    while (n < TN_AMD_MOST_WORDS && at + (uint64_t)n * 4 < nbytes) {
      words[n] = (uint32_t)tn_amd_get_bytes(image + k->entry + at + (uint64_t)n * 4, 4);
      n++;
    }
    const int taken = tn_amd_decode(o->chip->family, words, n, &ins);
    if (taken) tn_amd_print(&ins, line, sizeof line);
    else snprintf(line, sizeof line, ".long 0x%08x", (unsigned)words[0]);
    tn_kfd_put(t, "  ", 2);
    tn_kfd_put(t, line, strlen(line));
    tn_kfd_put(t, "\n", 1);
    at += (uint64_t)(taken ? taken : 1) * 4;
  }
}
// What rsrc1 to 3 say, as directives. SGPRs are told on gfx9 alone, with 6 that are reserved.
static void tn_kfd_put_needs(tn_kfd_text *t, const tn_amd_object *o, const tn_amd_descriptor *d) {
  const int nine = o->chip->family == TN_AMD_GFX9, wave32 = (d->properties & TN_AMD_WAVE32) != 0;
  const int sgprs = nine ? (int)((d->rsrc1 >> 6 & 15) / 2 + 1) * 16 - 6 : o->chip->sgprs;
  tn_kfd_put_ask(t, TN_AMD_ASK_LDS, (long)d->lds);
  tn_kfd_put_ask(t, TN_AMD_ASK_SCRATCH, (long)d->scratch);
  tn_kfd_put_ask(t, TN_AMD_ASK_ARGS, (long)d->args_nbytes);
  tn_kfd_put_ask(t, TN_AMD_ASK_VGPRS, tn_amd_described_vgprs(o->chip, d));
  tn_kfd_put_ask(t, TN_AMD_ASK_SGPRS, sgprs < o->chip->sgprs ? sgprs : o->chip->sgprs);
  if (nine) tn_kfd_put_ask(t, TN_AMD_ASK_ACCUM, (long)(d->rsrc3 & 63) * 4 + 4);
  tn_kfd_put_ask(t, TN_AMD_ASK_USER, (long)(d->rsrc2 >> 1 & 31));
  tn_kfd_put_ask(t, TN_AMD_ASK_DISPATCH, (d->properties & TN_AMD_FROM_DISPATCH) != 0);
  tn_kfd_put_ask(t, TN_AMD_ASK_QUEUE, (d->properties & TN_AMD_FROM_QUEUE) != 0);
  tn_kfd_put_ask(t, TN_AMD_ASK_KERNARG, (d->properties & TN_AMD_FROM_ARGS) != 0);
  tn_kfd_put_ask(t, TN_AMD_ASK_ID, (d->properties & TN_AMD_FROM_ID) != 0);
  tn_kfd_put_ask(t, TN_AMD_ASK_SIZE, (d->properties & TN_AMD_FROM_SCRATCH_NBYTES) != 0);
  for (int i = 0; i < 3; i++) tn_kfd_put_ask(t, TN_AMD_ASK_X + i, (long)(d->rsrc2 >> (7 + i) & 1));
  tn_kfd_put_ask(t, TN_AMD_ASK_LANES, (long)(d->rsrc2 >> 11 & 3));
  if (!nine) tn_kfd_put_ask(t, TN_AMD_ASK_WAVE32, wave32);
  if (!nine) tn_kfd_put_ask(t, TN_AMD_ASK_WGP, (long)(d->rsrc1 >> 29 & 1));
}
static void tn_kfd_put_kernel(tn_kfd_text *t, const tn_amd_object *o, const tn_amd_kernel *k, const uint8_t *image) {
  tn_kfd_put(t, k->name, k->name_n);
  tn_kfd_put(t, ":\n", 2);
  tn_kfd_put_code(t, o, k, image);
  tn_kfd_put(t, ".amdhsa_kernel ", 15);
  tn_kfd_put(t, k->name, k->name_n);
  tn_kfd_put(t, "\n", 1);
  tn_kfd_put_needs(t, o, &k->descriptor);
  tn_kfd_put(t, ".end_amdhsa_kernel\n", 19);
}
// NULL, or what is wrong.
static const char *tn_kfd_put_object(tn_kfd_text *t, tn_amd_object *o, uint64_t *where, uint8_t **image) {
  tn_amd_kernel k;
  char target[64];
  const char *wrong = o->chip ? tn_amd_object_place(o, where) : "it is for a GPU that is not known here";
  if (wrong) return wrong;
  *image = (uint8_t *)calloc(1, (size_t)o->image_nbytes);
  if (!*image) return "there is no memory for it";
  wrong = tn_amd_object_image(o, 0, *image);
  if (wrong) return wrong;
  tn_kfd_put(t, target, (size_t)snprintf(target, sizeof target, ".amdgcn_target \"amdgcn-amd-amdhsa--%s\"\n",
                                         o->chip->name));
  for (uint64_t i = 0; tn_amd_object_next(o, *image, &i, &k, &wrong); ) tn_kfd_put_kernel(t, o, &k, *image);
  return wrong;
}
TINY_API size_t tiny_amd_disassemble(const void *object, size_t nbytes, char *out, size_t out_nbytes) {
  tn_kfd_text t = {out, 0, out_nbytes};
  tn_amd_object o;
  uint8_t *image = NULL;
  const char *wrong = object ? tn_amd_object_open(&o, object, nbytes) : "there is none";
  uint64_t *const where = wrong ? NULL : (uint64_t *)malloc((size_t)o.nsections * sizeof *where);
  if (!wrong) wrong = where ? tn_kfd_put_object(&t, &o, where, &image) : "there is no memory for it";
  free(where);
  free(image);
  if (!wrong) return t.n;
  t.n = 0;
  tn_kfd_put(&t, wrong, strlen(wrong));
  return 0;
}
#endif
