// wasm_decode: from bytes of WebAssembly to the instruction of src/isa/wasm.c that they are.
#ifndef WASM_DECODE_H
#define WASM_DECODE_H

typedef struct wasm_reader { const uint8_t *at; size_t n, took; } wasm_reader;     // took > n: it ended too early
static int wasm_take(wasm_reader *r) {
  r->took++;
  return r->took <= r->n ? r->at[r->took - 1] : 0;
}
static int64_t wasm_take_number(wasm_reader *r, int sign) {
  uint64_t v = 0;
  int shift = 0, byte;
  do {
    byte = wasm_take(r);
    if (shift < 64) v |= (uint64_t)(byte & 127) << shift;
    shift += 7;
  } while (byte & 128 && shift < 70);
  if (sign && byte & 64 && shift < 64) v |= ~(uint64_t)0 << shift;
  return (int64_t)v;
}
static uint64_t wasm_take_word(wasm_reader *r, int nbytes) {
  uint64_t v = 0;
  for (int i = 0; i < nbytes; i++) v |= (uint64_t)wasm_take(r) << 8 * i;
  return v;
}

static int wasm_row_of(int code) {
  for (int i = 0; i < TN_WASM_COUNT; i++) if (tn_wasm_rows[i].code == code) return i;
  return -1;
}
// How many bytes it took; 0: they are no instruction that is known.
static size_t wasm_decode(const void *bytes, size_t n, tn_wasm_ins *ins) {
  wasm_reader r = {(const uint8_t *)bytes, n, 0};
  memset(ins, 0, sizeof *ins);
  int code = wasm_take(&r);
  if (code >= 0xFC) code = code << 8 | (int)(wasm_take_number(&r, 0) & 0xFF);
  const int op = wasm_row_of(code);
  if (op < 0) return 0;
  ins->op = (uint16_t)op;
  switch (tn_wasm_rows[op].has) {
    case TN_WASM_HAS_INDEX: ins->number = wasm_take_number(&r, 0); break;
    case TN_WASM_HAS_MEM: case TN_WASM_HAS_MEM_LANE:
      ins->align = (uint8_t)wasm_take_number(&r, 0);
      ins->number = wasm_take_number(&r, 0);
      if (tn_wasm_rows[op].has == TN_WASM_HAS_MEM_LANE) ins->lane = (uint8_t)wasm_take(&r);
      break;
    case TN_WASM_HAS_LANE: ins->lane = (uint8_t)wasm_take(&r); break;
    case TN_WASM_HAS_LANES: case TN_WASM_HAS_V128:
      for (int i = 0; i < TN_WASM_NBYTES; i++) ins->bytes[i] = (uint8_t)wasm_take(&r);
      break;
    case TN_WASM_HAS_I32: case TN_WASM_HAS_I64: ins->number = wasm_take_number(&r, 1); break;
    case TN_WASM_HAS_F32: ins->number = (int64_t)wasm_take_word(&r, 4); break;
    case TN_WASM_HAS_F64: ins->number = (int64_t)wasm_take_word(&r, 8); break;
    case TN_WASM_HAS_BLOCK: ins->number = wasm_take(&r); break;
    default: break;
  }
  return r.took <= n ? r.took : 0;
}
#endif
