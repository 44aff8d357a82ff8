// The instructions of WebAssembly: every row of the table, with every lane, alignment and type, and the limits of its
// numbers, gives the bytes that clang's assembler gives for its text, and comes back from them as it was.
// brief: asan
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif
#include "../src/base/process.c"
#include "../src/isa/wasm.c"
#include "test.h"
#include "rnd.h"
#include "assembler.h"
#include "wasm_decode.h"

typedef struct forms { tn_wasm_ins *of; int n, cap; } forms;

static tiny_ctx *open_context(tiny_ctx *t) {
  memset(t, 0, sizeof *t);
  t->alloc.fn = tn_default_alloc;
  return t;
}
static void close_context(tiny_ctx *t) { tn_scratch_reset(t, 1); }

// ** forms **

static void add(forms *f, const tn_wasm_ins *ins) {
  if (f->n == f->cap) {
    f->cap = f->cap ? 2 * f->cap : 4096;
    f->of = (tn_wasm_ins *)realloc(f->of, (size_t)f->cap * sizeof *f->of);
  }
  f->of[f->n++] = *ins;
}
static void add_number(forms *f, tn_wasm_ins ins, int64_t v) { ins.number = v; add(f, &ins); }
static int lanes_of(const char *name) {    // that the instruction can name
  return strstr(name, "8x16") || strstr(name, "8_lane") ? 16 : strstr(name, "16x8") || strstr(name, "16_lane") ? 8 :
      strstr(name, "32x4") || strstr(name, "32_lane") ? 4 : 2;
}
static void vary_memory(forms *f, tn_wasm_ins ins) {
  const tn_wasm_row *r = &tn_wasm_rows[ins.op];
  const int lanes = r->has == TN_WASM_HAS_MEM_LANE ? lanes_of(r->name) : 1;
  for (int lane = 0; lane < lanes; lane++) for (int align = 0; align <= r->log; align++)
    for (int p = 0; p <= 32; p++) {
      ins.lane = (uint8_t)lane; ins.align = (uint8_t)align;
      add_number(f, ins, ((int64_t)1 << p) - 1);
      if (p < 32) add_number(f, ins, (int64_t)1 << p);
    }
}
static void vary_number(forms *f, tn_wasm_ins ins, int bits) {
  for (int p = 0; p < bits - 1; p++) for (int d = -1; d < 2; d++) {
    add_number(f, ins, ((int64_t)1 << p) + d);
    add_number(f, ins, -((int64_t)1 << p) + d);
  }
  add_number(f, ins, bits == 32 ? INT32_MIN : INT64_MIN);
  add_number(f, ins, bits == 32 ? INT32_MAX : INT64_MAX);
}
static void vary_float(forms *f, tn_wasm_ins ins, int bits) {
  const int fraction = bits == 32 ? 23 : 52;
  const int64_t most = ((int64_t)1 << (bits - 1 - fraction)) - 1;
  for (int64_t e = 0; e < most; e += e > 3 && e < most - 3 && bits == 64 ? 7 : 1)
    for (int k = 0; k < 4; k++) {
      const int64_t low = k < 2 ? k : k == 2 ? ((int64_t)1 << fraction) - 1 : (int64_t)rnd(1 << 22) << (fraction - 22);
      add_number(f, ins, e << fraction | low);
      add_number(f, ins, (int64_t)((uint64_t)(e << fraction | low) | (uint64_t)1 << (bits - 1)));
    }
  add_number(f, ins, most << fraction);                                        // infinities, the quiet nan
  add_number(f, ins, (int64_t)((uint64_t)(most << fraction) | (uint64_t)1 << (bits - 1)));
  add_number(f, ins, most << fraction | (int64_t)1 << (fraction - 1));
}
static void vary_bytes(forms *f, tn_wasm_ins ins, int below) {
  for (int round = 0; round < 64; round++) {
    for (int i = 0; i < TN_WASM_NBYTES; i++)
      ins.bytes[i] = (uint8_t)(!round ? 0 : round == 1 ? below - 1 : round == 2 ? i : rnd(below));
    add(f, &ins);
  }
}
static void vary(forms *f, int op) {
  static const uint8_t types[] = {TN_WASM_VOID, TN_WASM_I32, TN_WASM_I64, TN_WASM_F32, TN_WASM_F64, TN_WASM_V};
  tn_wasm_ins ins, end;
  memset(&ins, 0, sizeof ins); memset(&end, 0, sizeof end);
  ins.op = (uint16_t)op; end.op = TN_WASM_END;
  switch (tn_wasm_rows[op].has) {
    case TN_WASM_HAS_INDEX: for (int p = 0; p < 31; p++) add_number(f, ins, ((int64_t)1 << p) - p % 2); return;
    case TN_WASM_HAS_MEM: case TN_WASM_HAS_MEM_LANE: vary_memory(f, ins); return;
    case TN_WASM_HAS_LANE:
      for (int i = 0; i < lanes_of(tn_wasm_rows[op].name); i++) { ins.lane = (uint8_t)i; add(f, &ins); }
      return;
    case TN_WASM_HAS_LANES: vary_bytes(f, ins, 32); return;
    case TN_WASM_HAS_V128: vary_bytes(f, ins, 256); return;
    case TN_WASM_HAS_I32: vary_number(f, ins, 32); return;
    case TN_WASM_HAS_I64: vary_number(f, ins, 64); return;
    case TN_WASM_HAS_F32: vary_float(f, ins, 32); return;
    case TN_WASM_HAS_F64: vary_float(f, ins, 64); return;
    case TN_WASM_HAS_BLOCK:
      for (size_t i = 0; i < sizeof types; i++) {
        add_number(f, ins, types[i]);
        tn_wasm_ins other = end;
        other.op = TN_WASM_ELSE;
        if (op == TN_WASM_IF && i % 2) add(f, &other);
        add(f, &end);
      }
      return;
    default: if (op != TN_WASM_ELSE && op != TN_WASM_END) add(f, &ins);       // those came with blocks
  }
}

// ** clang's assembler **

// The first that spells all of them as the standard does, and can be told not to look at types.
static int find_assembler(char *path, size_t nbytes) {
  char name[16];
  for (int version = 25; version >= 15; version--) {
    snprintf(name, sizeof name, "clang-%d", version);
    if (tn_os_find_program(name, 0, path, nbytes)) return 1;
  }
  return 0;
}
// The instructions of the only function of an object: its section of code, behind the declarations of locals.
static const char *body_of(const tiny_bytes *object, size_t *n) {
  wasm_reader r = {(const uint8_t *)object->data, object->n, 8};
  while (r.took < object->n) {
    const int id = wasm_take(&r);
    const size_t nbytes = (size_t)wasm_take_number(&r, 0), at = r.took;
    if (id == 10) {
      CHECK_EQ(wasm_take_number(&r, 0), 1);
      const size_t body = (size_t)wasm_take_number(&r, 0), from = r.took;
      CHECK_EQ(wasm_take_number(&r, 0), 0);
      *n = from + body - r.took;
      return object->data + r.took;
    }
    r.took = at + nbytes;
  }
  return NULL;
}
// As LLVM writes it: a block's end says of what, and a choice has its type.
static void put_line(tiny_bytes *text, const tn_wasm_ins *ins, int opened) {
  if (ins->op == TN_WASM_END)
    tn_text_put(text, opened == TN_WASM_BLOCK ? "end_block" : opened == TN_WASM_LOOP ? "end_loop" : "end_if");
  else if (ins->op == TN_WASM_SELECT) tn_text_put(text, "i32.select");
  else tn_wasm_print(text, ins);
  tn_text_put(text, "\n");
}
static void check_forms(tiny_ctx *t, const forms *f) {
  tiny_bytes text = {t, NULL, 0, 0}, object = {t, NULL, 0, 0};
  size_t nbytes = 0, at = 0;
  int opened = 0, shown = 0;
  char path[TN_OS_PATH];
  if (!find_assembler(path, sizeof path)) {
    printf("clang 15 or later is not there: nothing was compared with it\n");
    return;
  }
  tn_text_put(&text, ".text\nf:\n.functype f () -> ()\n");
  for (int i = 0; i < f->n; i++) {
    if (tn_wasm_rows[f->of[i].op].has == TN_WASM_HAS_BLOCK) opened = f->of[i].op;
    put_line(&text, &f->of[i], opened);
  }
  tn_text_put(&text, "end_function\n");
  const char *const flags[] = {path, "--target=wasm32", "-msimd128", "-mnontrapping-fptoint", "-msign-ext",
                               "-Wa,--no-type-check", NULL};
  const int done = assemble(t, flags, &text, &object);
  CHECK(done);
  const char *code = done ? body_of(&object, &nbytes) : NULL;
  CHECK(code);
  for (int i = 0; code && i < f->n; i++) {
    tiny_bytes ours = {t, NULL, 0, 0};
    tn_wasm_encode(&ours, &f->of[i]);
    const int same = at + ours.n <= nbytes && !memcmp(ours.data, code + at, ours.n);
    CHECK(same);
    tn_wasm_ins theirs;
    const size_t took = wasm_decode(code + at, nbytes - at, &theirs);
    if (!same && shown++ < 40) {
      tiny_bytes line = {t, NULL, 0, 0};
      tn_wasm_print(&line, &f->of[i]);
      fprintf(stderr, "  %s: ours %02x %02x, clang's %02x %02x\n", line.data, ours.data[0] & 255, ours.data[1] & 255,
              code[at] & 255, code[at + 1] & 255);
    }
    at += took ? took : ours.n;
  }
  CHECK_EQ(at + 1, nbytes);                // and the end of the function
}
static void check_back(tiny_ctx *t, const forms *f) {
  for (int i = 0; i < f->n; i++) {
    tiny_bytes ours = {t, NULL, 0, 0};
    tn_wasm_ins back;
    tn_wasm_encode(&ours, &f->of[i]);
    CHECK_EQ(wasm_decode(ours.data, ours.n, &back), ours.n);
    CHECK(!memcmp(&back, &f->of[i], sizeof back));
    CHECK_EQ(wasm_decode(ours.data, ours.n - 1, &back), 0);                    // it ends too early
  }
}

int main(void) {
  static tiny_ctx context;
  static forms f;
  tiny_ctx *t = open_context(&context);
  rng = 7;
  for (int i = 0; i < TN_WASM_COUNT; i++) vary(&f, i);
  printf("%d forms of %d rows\n", f.n, (int)TN_WASM_COUNT);
  check_forms(t, &f);
  check_back(t, &f);
  free(f.of);
  close_context(t);
  return test_report();
}
