// amd_descriptor: what the hardware is told of a kernel before it runs: registers, LDS, scratch, what comes in SGPRs.
//
// In:  a tn_amd_setup. Out: the 64 bytes in front of a kernel's code, and back.
// Source: LLVM's AMDGPU user guide, "Kernel Descriptor" and "Code Object V3 Kernel Descriptor" for each family.
#ifndef TN_ISA_AMD_DESCRIPTOR
#define TN_ISA_AMD_DESCRIPTOR
#ifndef TINY_AMALGAMATED
#include "amd.c"
#endif

enum { TN_AMD_DESCRIPTOR_NBYTES = 64 };
enum { TN_AMD_FROM_DISPATCH = 1 << 1, TN_AMD_FROM_QUEUE = 1 << 2, TN_AMD_FROM_ARGS = 1 << 3, TN_AMD_FROM_ID = 1 << 4,
  TN_AMD_FROM_SCRATCH_NBYTES = 1 << 6, TN_AMD_WAVE32 = 1 << 10 };      // kernel_code_properties

// vgprs, agprs, sgprs: how many it names, VCC not counted. ids: bits of the group's x, y, z that it reads; lanes: how
// many numbers of an item, 1 to 3. from: which pointers come first, TN_AMD_FROM_ARGS ..; user_sgprs: SGPRs before the
// group's numbers, at least those of the pointers. wgp: a group runs on both CUs of a WGP (RDNA).
typedef struct tn_amd_setup {
  uint32_t lds, scratch, args_nbytes;
  uint16_t vgprs, agprs, sgprs, from;
  uint8_t user_sgprs, ids, lanes, wgp, wave;
} tn_amd_setup;
typedef struct tn_amd_descriptor {
  uint32_t lds, scratch, args_nbytes, rsrc1, rsrc2, rsrc3; int64_t entry; uint16_t properties, preload;
} tn_amd_descriptor;                       // entry: of the code, from the descriptor

static uint32_t tn_amd_blocks(uint32_t n, uint32_t each) { return n ? (n + each - 1) / each - 1 : 0; }
// Denormals are kept; rounding is to even; a NaN is clamped to 0 and exceptions follow IEEE, where that can be said.
static tn_amd_descriptor tn_amd_describe(const tn_amd_chip *chip, const tn_amd_setup *s) {
  tn_amd_descriptor d;
  const int nine = chip->family == TN_AMD_GFX9, wave = s->wave ? s->wave : chip->wave;
  const uint32_t own = (uint32_t)(s->vgprs + 3) / 4 * 4, each = !nine && wave == 64 ? 4 : 8;
  memset(&d, 0, sizeof d);
  d.lds = s->lds; d.scratch = s->scratch; d.args_nbytes = s->args_nbytes;
  d.rsrc1 = tn_amd_blocks(nine && s->agprs ? own + s->agprs : s->vgprs, each) | 0xF0000;
  if (chip->family != TN_AMD_GFX12) d.rsrc1 |= 1u << 21 | 1u << 23;
  if (nine) d.rsrc1 |= 2 * tn_amd_blocks((uint32_t)s->sgprs + 6, 16) << 6;   // VCC, FLAT_SCRATCH and XNACK_MASK
  else d.rsrc1 |= 1u << 30 | (uint32_t)(s->wgp != 0) << 29;
  d.rsrc2 = (s->scratch > 0) | (uint32_t)s->user_sgprs << 1 | (uint32_t)(s->ids & 7) << 7;
  if (s->lanes > 1) d.rsrc2 |= (uint32_t)(s->lanes - 1) << 11;
  if (nine) d.rsrc3 = own ? own / 4 - 1 : 0;
  d.properties = (uint16_t)(s->from | (!nine && wave == 32 ? TN_AMD_WAVE32 : 0));
  return d;
}
// How many vector registers of both kinds a wave is given, as rsrc1 says it.
static int tn_amd_described_vgprs(const tn_amd_chip *chip, const tn_amd_descriptor *d) {
  const int each = chip->family != TN_AMD_GFX9 && !(d->properties & TN_AMD_WAVE32) ? 4 : 8;
  return (int)((d->rsrc1 & 63) + 1) * each;
}

static void tn_amd_put_bytes(uint8_t *p, uint64_t v, int nbytes) {
  for (int i = 0; i < nbytes; i++) p[i] = (uint8_t)(v >> 8 * i);
}
static uint64_t tn_amd_get_bytes(const uint8_t *p, int nbytes) {
  uint64_t v = 0;
  for (int i = nbytes - 1; i >= 0; i--) v = v << 8 | p[i];
  return v;
}
static void tn_amd_descriptor_write(const tn_amd_descriptor *d, uint8_t out[TN_AMD_DESCRIPTOR_NBYTES]) {
  memset(out, 0, TN_AMD_DESCRIPTOR_NBYTES);
  tn_amd_put_bytes(out, d->lds, 4);
  tn_amd_put_bytes(out + 4, d->scratch, 4);
  tn_amd_put_bytes(out + 8, d->args_nbytes, 4);
  tn_amd_put_bytes(out + 16, (uint64_t)d->entry, 8);
  tn_amd_put_bytes(out + 44, d->rsrc3, 4);
  tn_amd_put_bytes(out + 48, d->rsrc1, 4);
  tn_amd_put_bytes(out + 52, d->rsrc2, 4);
  tn_amd_put_bytes(out + 56, d->properties, 2);
  tn_amd_put_bytes(out + 58, d->preload, 2);
}
static tn_amd_descriptor tn_amd_descriptor_read(const uint8_t *p) {
  tn_amd_descriptor d;
  d.lds = (uint32_t)tn_amd_get_bytes(p, 4);
  d.scratch = (uint32_t)tn_amd_get_bytes(p + 4, 4);
  d.args_nbytes = (uint32_t)tn_amd_get_bytes(p + 8, 4);
  d.entry = (int64_t)tn_amd_get_bytes(p + 16, 8);
  d.rsrc3 = (uint32_t)tn_amd_get_bytes(p + 44, 4);
  d.rsrc1 = (uint32_t)tn_amd_get_bytes(p + 48, 4);
  d.rsrc2 = (uint32_t)tn_amd_get_bytes(p + 52, 4);
  d.properties = (uint16_t)tn_amd_get_bytes(p + 56, 2);
  d.preload = (uint16_t)tn_amd_get_bytes(p + 58, 2);
  return d;
}
#endif
