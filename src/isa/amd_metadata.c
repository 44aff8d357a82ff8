// amd_metadata: what a code object says of its kernels to who launches them, in MessagePack.
//
// In:  any bytes. Out: values by path: a map's value by its key, an array's by its index; and the reverse.
// Holds: nothing is read beyond the end, and nothing deeper than TN_AMD_DEEPEST; what is malformed is not there.
// Source: the MessagePack specification; LLVM's AMDGPU user guide, "Code Object V5 Metadata".
#ifndef TN_ISA_AMD_METADATA
#define TN_ISA_AMD_METADATA
#ifndef TINY_AMALGAMATED
#include "amd_descriptor.c"
#endif
#ifndef TINY_API
#include "../api/api.h"
#endif
#include <stdio.h>

// ** reading: a cursor that stands at a value; p NULL: there is none **

typedef struct tn_amd_value { const uint8_t *p, *end; } tn_amd_value;
enum { TN_AMD_PACK_OTHER, TN_AMD_PACK_UINT, TN_AMD_PACK_TEXT, TN_AMD_PACK_ARRAY, TN_AMD_PACK_MAP };
enum { TN_AMD_DEEPEST = 16 };
typedef struct tn_amd_head { int kind; uint64_t n; const uint8_t *body; } tn_amd_head;     // n: value, bytes or items

static uint64_t tn_amd_big_endian(const uint8_t *p, int nbytes) {
  uint64_t v = 0;
  for (int i = 0; i < nbytes; i++) v = v << 8 | p[i];
  return v;
}
// What the first byte says: kind, and how many bytes of a number are behind; of a small one none, and the number.
static int tn_amd_first_byte(uint8_t b, int *nbytes, uint64_t *n) {
  *nbytes = 0; *n = 0;
  if (b < 0x80) { *n = b; return TN_AMD_PACK_UINT; }
  if (b < 0x90) { *n = b & 15; return TN_AMD_PACK_MAP; }
  if (b < 0xA0) { *n = b & 15; return TN_AMD_PACK_ARRAY; }
  if (b < 0xC0) { *n = b & 31; return TN_AMD_PACK_TEXT; }
  if (b >= 0xCC && b <= 0xCF) { *nbytes = 1 << (b - 0xCC); return TN_AMD_PACK_UINT; }
  if (b >= 0xD9 && b <= 0xDB) { *nbytes = 1 << (b - 0xD9); return TN_AMD_PACK_TEXT; }
  if (b >= 0xC4 && b <= 0xC6) { *nbytes = 1 << (b - 0xC4); return TN_AMD_PACK_TEXT; }
  if (b == 0xDC || b == 0xDD) { *nbytes = b == 0xDC ? 2 : 4; return TN_AMD_PACK_ARRAY; }
  if (b == 0xDE || b == 0xDF) { *nbytes = b == 0xDE ? 2 : 4; return TN_AMD_PACK_MAP; }
  return TN_AMD_PACK_OTHER;
}
static int tn_amd_head_at(tn_amd_value v, tn_amd_head *h) {  // 0: there is none
  int nbytes;
  if (!v.p || v.p >= v.end) return 0;
  h->kind = tn_amd_first_byte(*v.p, &nbytes, &h->n);
  if (nbytes > v.end - v.p - 1) return 0;
  if (nbytes) h->n = tn_amd_big_endian(v.p + 1, nbytes);
  h->body = v.p + 1 + nbytes;
  if (h->kind == TN_AMD_PACK_TEXT && h->n > (uint64_t)(v.end - h->body)) return 0;
  // null, booleans, signed numbers and floats
  static const uint8_t others[] = {0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 4, 8, 0, 0, 0, 0, 1, 2, 4, 8};
  if (h->kind == TN_AMD_PACK_OTHER && *v.p < 0xE0) {
    const unsigned at = *v.p - 0xC0u, skip = at < sizeof others ? others[at] : 0;
    if (at == 1 || at >= sizeof others || (at > 3 && at < 10) || skip > (uint64_t)(v.end - h->body)) return 0;
    h->body += skip;
  }
  return 1;
}
// What is behind a value. Items are told from the outside in: at most all bytes are looked at.
static tn_amd_value tn_amd_behind_value(tn_amd_value v) {
  uint64_t left[TN_AMD_DEEPEST];
  int deep = 0;
  static const tn_amd_value none = {NULL, NULL};
  left[0] = 1;
  while (deep >= 0) {
    tn_amd_head h;
    if (!left[deep]) { deep--; continue; }
    left[deep]--;
    if (!tn_amd_head_at(v, &h)) return none;
    v.p = h.body + (h.kind == TN_AMD_PACK_TEXT ? h.n : 0);
    if ((h.kind != TN_AMD_PACK_ARRAY && h.kind != TN_AMD_PACK_MAP) || !h.n) continue;
    if (deep + 1 == TN_AMD_DEEPEST || h.n > (uint64_t)(v.end - v.p)) return none;
    left[++deep] = h.kind == TN_AMD_PACK_MAP ? 2 * h.n : h.n;
  }
  return v;
}
static int tn_amd_is_text(tn_amd_value v, const char *text) {
  tn_amd_head h;
  const size_t n = strlen(text);
  return tn_amd_head_at(v, &h) && h.kind == TN_AMD_PACK_TEXT && h.n == n && !memcmp(h.body, text, n);
}
// The value of a key, or of an index where key is NULL.
static tn_amd_value tn_amd_value_at(tn_amd_value v, const char *key, uint64_t index) {
  tn_amd_head h;
  static const tn_amd_value none = {NULL, NULL};
  if (!tn_amd_head_at(v, &h) || h.kind != (key ? TN_AMD_PACK_MAP : TN_AMD_PACK_ARRAY)) return none;
  v.p = h.body;
  for (uint64_t i = 0; i < h.n && v.p; i++) {
    if (!key && i == index) return v;
    if (key) {
      const int found = tn_amd_is_text(v, key);
      v = tn_amd_behind_value(v);
      if (found) return v.p && v.p < v.end ? v : none;
    }
    if (v.p) v = tn_amd_behind_value(v);
  }
  return none;
}
static uint64_t tn_amd_uint_at(tn_amd_value v, const char *key, uint64_t otherwise) {
  tn_amd_head h;
  v = tn_amd_value_at(v, key, 0);
  return tn_amd_head_at(v, &h) && h.kind == TN_AMD_PACK_UINT ? h.n : otherwise;
}
static uint64_t tn_amd_items(tn_amd_value v) {
  tn_amd_head h;
  return tn_amd_head_at(v, &h) && h.kind == TN_AMD_PACK_ARRAY ? h.n : 0;
}

// ** writing **

static void tn_amd_pack(tiny_bytes *b, int small, int large, uint64_t most, uint64_t n) {  // a count of up to 65535
  const uint8_t one = (uint8_t)(small + (int)n), two[3] = {(uint8_t)large, (uint8_t)(n >> 8), (uint8_t)n};
  if (n <= most) tiny_bytes_add(b, &one, 1);
  else tiny_bytes_add(b, two, 3);
}
static void tn_amd_pack_map(tiny_bytes *b, int n) { tn_amd_pack(b, 0x80, 0xDE, 15, (uint64_t)n); }
static void tn_amd_pack_array(tiny_bytes *b, int n) { tn_amd_pack(b, 0x90, 0xDC, 15, (uint64_t)n); }
static void tn_amd_pack_text(tiny_bytes *b, const char *text) {
  const size_t n = strlen(text);
  tn_amd_pack(b, 0xA0, 0xDA, 31, n);
  tiny_bytes_add(b, text, n);
}
static void tn_amd_pack_uint(tiny_bytes *b, uint32_t n) {
  const uint8_t five[5] = {0xCE, (uint8_t)(n >> 24), (uint8_t)(n >> 16), (uint8_t)(n >> 8), (uint8_t)n};
  const uint8_t one = (uint8_t)n;
  if (n < 128) tiny_bytes_add(b, &one, 1);
  else tiny_bytes_add(b, five, 5);
}
static void tn_amd_pack_pair(tiny_bytes *b, const char *key, uint32_t n) {
  tn_amd_pack_text(b, key);
  tn_amd_pack_uint(b, n);
}

// A kernel to write, its name without ".kd"; args: where each begins, its bytes, and is it a buffer's address?
typedef struct tn_amd_arg { uint32_t offset, nbytes; int is_buffer; } tn_amd_arg;
typedef struct tn_amd_source {
  const char *name; const void *code; size_t nbytes;
  tn_amd_setup setup; uint32_t most_items;                   // of a group
  const tn_amd_arg *args; int nargs;
} tn_amd_source;

static void tn_amd_pack_args(tiny_bytes *b, const tn_amd_source *k) {
  tn_amd_pack_text(b, ".args");
  tn_amd_pack_array(b, k->nargs);
  for (int i = 0; i < k->nargs; i++) {
    const tn_amd_arg *const a = &k->args[i];
    tn_amd_pack_map(b, a->is_buffer ? 4 : 3);
    if (a->is_buffer) { tn_amd_pack_text(b, ".address_space"); tn_amd_pack_text(b, "global"); }
    tn_amd_pack_pair(b, ".offset", a->offset);
    tn_amd_pack_pair(b, ".size", a->nbytes);
    tn_amd_pack_text(b, ".value_kind");
    tn_amd_pack_text(b, a->is_buffer ? "global_buffer" : "by_value");
  }
}
static void tn_amd_pack_kernel(tiny_bytes *b, const tn_amd_chip *chip, const tn_amd_source *k) {
  const tn_amd_setup *const s = &k->setup;
  const int nine = chip->family == TN_AMD_GFX9, wave = s->wave ? s->wave : chip->wave;
  char symbol[512];
  snprintf(symbol, sizeof symbol, "%s.kd", k->name);
  tn_amd_pack_map(b, 11 + nine);
  if (nine) tn_amd_pack_pair(b, ".agpr_count", s->agprs);
  tn_amd_pack_args(b, k);
  tn_amd_pack_pair(b, ".group_segment_fixed_size", s->lds);
  tn_amd_pack_pair(b, ".kernarg_segment_align", 8);
  tn_amd_pack_pair(b, ".kernarg_segment_size", s->args_nbytes);
  tn_amd_pack_pair(b, ".max_flat_workgroup_size", k->most_items ? k->most_items : 1024);
  tn_amd_pack_text(b, ".name");
  tn_amd_pack_text(b, k->name);
  tn_amd_pack_pair(b, ".private_segment_fixed_size", s->scratch);
  tn_amd_pack_pair(b, ".sgpr_count", (uint32_t)s->sgprs + 2);
  tn_amd_pack_text(b, ".symbol");
  tn_amd_pack_text(b, symbol);
  tn_amd_pack_pair(b, ".vgpr_count", (uint32_t)(s->vgprs + s->agprs));
  tn_amd_pack_pair(b, ".wavefront_size", (uint32_t)wave);
}
static void tn_amd_pack_metadata(tiny_bytes *b, const tn_amd_chip *chip, const tn_amd_source *kernels, int n) {
  char target[48];
  snprintf(target, sizeof target, "amdgcn-amd-amdhsa--%s", chip->name);
  tn_amd_pack_map(b, 3);
  tn_amd_pack_text(b, "amdhsa.kernels");
  tn_amd_pack_array(b, n);
  for (int i = 0; i < n; i++) tn_amd_pack_kernel(b, chip, &kernels[i]);
  tn_amd_pack_text(b, "amdhsa.target");
  tn_amd_pack_text(b, target);
  tn_amd_pack_text(b, "amdhsa.version");
  tn_amd_pack_array(b, 2);
  tn_amd_pack_uint(b, 1);
  tn_amd_pack_uint(b, 2);
}
#endif
