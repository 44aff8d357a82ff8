// wasm_object: the list of a kernel -> a module of WebAssembly, by way of wasm_select.c and wasm_locals.c.
//
// In:  a tiny_listing. Out: a module of one function, (mem args task local) as tn_cpu_kernel has it on a machine of 32
//      bits, exported under the kernel's name, which works in the memory that it imports as "tiny" "memory"; or why
//      there is none. It has no stack: LOCAL memory comes with the launch (TINY_TARGET_NO_STACK).
// Source: W3C, WebAssembly Core Specification 2.0, 5.5 Modules.
#ifndef TN_ISA_WASM_OBJECT
#define TN_ISA_WASM_OBJECT
#ifndef TINY_AMALGAMATED
#include "wasm_locals.c"
#endif

enum { TN_WASM_TYPES = 1, TN_WASM_IMPORTS, TN_WASM_FUNCTIONS, TN_WASM_EXPORTS = 7, TN_WASM_CODE = 10 };    // sections

static void tn_wasm_put_name(tiny_bytes *out, const char *name) {
  tn_wasm_put_unsigned(out, strlen(name));
  tn_text_put(out, name);
}
static void tn_wasm_put_section(tiny_bytes *out, int id, const tiny_bytes *section) {
  tn_wasm_put_byte(out, id);
  tn_wasm_put_unsigned(out, section->n);
  tiny_bytes_add(out, section->data, section->n);
}
// The function's locals, runs of one type each, and its instructions.
static void tn_wasm_put_body(tiny_bytes *out, const tn_wasm_select *x) {
  int runs = 0;
  for (int i = TN_WASM_PARAMS; i < x->nlocals; i++) runs += i == TN_WASM_PARAMS || x->type[i] != x->type[i - 1];
  tn_wasm_put_unsigned(out, (uint64_t)runs);
  for (int i = TN_WASM_PARAMS, n; i < x->nlocals; i += n) {
    for (n = 1; i + n < x->nlocals && x->type[i + n] == x->type[i];) n++;
    tn_wasm_put_unsigned(out, (uint64_t)n);
    tn_wasm_put_byte(out, x->type[i]);
  }
  for (int i = 0; i < x->n; i++) tn_wasm_encode(out, &x->ins[i]);
  tn_wasm_put_byte(out, tn_wasm_rows[TN_WASM_END].code);
}
static void tn_wasm_put_module(tiny_bytes *out, const char *name, const tiny_bytes *body) {
  // (func (param i32 i32 i64 i32)); (memory 0)
  static const uint8_t magic[] = {0, 'a', 's', 'm', 1, 0, 0, 0};
  static const uint8_t types[] = {1, 0x60, 4, TN_WASM_I32, TN_WASM_I32, TN_WASM_I64, TN_WASM_I32, 0};
  static const uint8_t memory[] = {2, 0, 0}, functions[] = {1, 0}, first[] = {0, 0};
  tiny_bytes s = {out->t, NULL, 0, 0};
  tiny_bytes_add(out, magic, sizeof magic);
  tiny_bytes_add(&s, types, sizeof types);
  tn_wasm_put_section(out, TN_WASM_TYPES, &s);
  s.n = 0;
  tn_wasm_put_byte(&s, 1);
  tn_wasm_put_name(&s, "tiny"); tn_wasm_put_name(&s, "memory");
  tiny_bytes_add(&s, memory, sizeof memory);
  tn_wasm_put_section(out, TN_WASM_IMPORTS, &s);
  s.n = 0;
  tiny_bytes_add(&s, functions, sizeof functions);
  tn_wasm_put_section(out, TN_WASM_FUNCTIONS, &s);
  s.n = 0;
  tn_wasm_put_byte(&s, 1);
  tn_wasm_put_name(&s, name);
  tiny_bytes_add(&s, first, sizeof first);
  tn_wasm_put_section(out, TN_WASM_EXPORTS, &s);
  s.n = 0;
  tn_wasm_put_byte(&s, 1);
  tn_wasm_put_unsigned(&s, body->n);
  tiny_bytes_add(&s, body->data, body->n);
  tn_wasm_put_section(out, TN_WASM_CODE, &s);
}

// The lines of the code, for debug letter d.
static void tn_wasm_show(const tn_wasm_select *x, const char *name) {
  tiny_ctx *t = x->t;
  int depth = 1;
  tn_log(t, "%s:", name);
  for (int i = 0; i < x->n; i++) {
    const int op = x->ins[i].op, opens = op == TN_WASM_BLOCK || op == TN_WASM_LOOP || op == TN_WASM_IF;
    tiny_bytes line = {t, NULL, 0, 0};
    depth -= op == TN_WASM_END || op == TN_WASM_ELSE;
    tn_wasm_print(&line, &x->ins[i]);
    tn_log(t, "%*s%s", 2 * (depth < 20 ? depth : 20), "", line.data);
    depth += opens || op == TN_WASM_ELSE;
  }
}

// Adds the module to out. NULL: it is there; else why not.
static const char *tn_wasm_object(tiny_ctx *t, const tiny_listing *k, const tn_wasm_level *level, tiny_bytes *out) {
  tn_wasm_select x;
  tiny_bytes body = {t, NULL, 0, 0};
  (void)level;
  tn_wasm_select_list(&x, t, k);
  if (!x.refused && x.nlocals > TN_WASM_LOCALS_MOST) x.refused = "its values are too many";
  if (x.refused) return x.refused;
  if (t->code != TINY_OK) return t->message;
  tn_wasm_share_locals(&x);
  tn_wasm_put_body(&body, &x);
  tn_wasm_put_module(out, k->name, &body);
  if (tn_debug(t, 'd')) tn_wasm_show(&x, k->name);
  return NULL;
}
#endif
