// fuzz_parse: any text may be given to the parser; what it takes is printed and must parse back to the same node.
// The verifier and the decoder of the interpreter take any nodes that can be made.
#include "../src/ir/spec.c"
#include "../src/ir/eval.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes);
static tiny_code fuzz_verify(tiny_ctx *t, void *arg) {
  tn_list list = {NULL, 0, 0};
  tn_eval_code c;
  tn_eval_arg last;
  tn_toposort(t, (tiny_uop *)arg, &list);
  tn_verify_list(t, list.u, list.n);
  t->code = TINY_OK;
  tn_eval_decode(t, list.u, list.n, 0, &c, &last);
  t->code = TINY_OK;
  tn_verify(t, (tiny_uop *)arg, TN_SPEC_TENSOR);
  t->code = TINY_OK;
  tn_verify(t, (tiny_uop *)arg, TN_SPEC_KERNEL);
  t->code = TINY_OK;
  return TINY_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes) {
  tiny_ctx ctx, *t = &ctx;
  char *text = (char *)malloc(nbytes + 1), *printed = NULL;
  memset(t, 0, sizeof *t);
  t->alloc.fn = tn_default_alloc;
  if (!text || !tn_ir_open(t)) { free(text); return 0; }
  if (nbytes) memcpy(text, data, nbytes);
  text[nbytes] = 0;
  tiny_uop *u = tiny_uop_parse(t, text);
  if (!u == (t->code == TINY_OK)) __builtin_trap();
  if (u) {
    const size_t n = tiny_uop_print(t, u, NULL, 0);
    printed = (char *)malloc(n + 1);
    if (printed && tiny_uop_print(t, u, printed, n + 1) == n && tiny_uop_parse(t, printed) != u) __builtin_trap();
    tn_guard(t, fuzz_verify, u);
    const int64_t vars[4] = {1, 2, 3, 4};
    int64_t out;
    tiny_uop_eval(t, u, vars, 4, &out);
  }
  free(printed);
  free(text);
  tn_ir_close(t);
  tn_scratch_reset(t, 1);
  return 0;
}
