// test_spec: the verifier takes what is well formed, and names what is not.
#include "test.h"
#include "../src/ir/spec.c"

typedef struct test_case { const char *text, *want; int stage; } test_case;

static tiny_code test_guarded(tiny_ctx *t, void *arg) {
  const test_case *c = (const test_case *)arg;
  tn_list list = {NULL, 0, 0};
  tiny_uop *u = tn_parse(t, c->text, &list);
  CHECK(u != NULL);
  if (!u) return TINY_OK;
  const tiny_code code = c->stage == TN_SPEC_PROGRAM ? tn_verify_list(t, list.u, list.n) : tn_verify(t, u, c->stage);
  CHECK_EQ(code, c->want ? TINY_E_INTERNAL : TINY_OK);
  if (!c->want && code != TINY_OK) fprintf(stderr, "    %s\n    %s\n", c->text, t->message);
  if (c->want) CHECK_STR(t->message, c->want);
  return TINY_OK;
}

#define X "x = (RESHAPE (BUFFER:f32:#1 6) [2 3]) "
#define K "p = (PARAM:f32:0 6) r = (RANGE:1:global 6) q = (RANGE:2:reduce 4) i = (INDEX p r) "
#define P "p = (PARAM:f32:0 6) r = (RANGE:1:loop 6) i = (INDEX p r) v = (LOAD i) "

static const test_case test_cases[] = {
  // tensor graphs
  {X "(ADD (MUL x 2.0:f32) (REDUCE:f32:ADD:axes=0,1 x))", "spec: tensor graph: has sources of different shapes: (ADD:f32 (MUL:f32 ..) (REDUCE:f32:ADD:axes=0,1 ..))", TN_SPEC_TENSOR},
  {X "(ADD (MUL x 2.0:f32) (EXPAND (REDUCE:f32:ADD:axes=0,1 x) [2 3]))", NULL, TN_SPEC_TENSOR},
  {X "(SINK (ASSIGN x (SHRINK x [0 1 0 2]) (SHRINK x [1 2 1 3])))", NULL, TN_SPEC_TENSOR},
  {X "(ASSIGN x (SHRINK x [0 1 0 2]) x)", "spec: tensor graph: assigns a value of another shape than the view: (ASSIGN:f32 (RESHAPE:f32 ..) (SHRINK:f32 ..) (RESHAPE:f32 ..))", TN_SPEC_TENSOR},
  {X "(ASSIGN x (CONTIGUOUS x) x)", "spec: tensor graph: assigns through what is no view of its base: (ASSIGN:f32 (RESHAPE:f32 ..) (CONTIGUOUS:f32 ..) (RESHAPE:f32 ..))", TN_SPEC_TENSOR},
  {X "(ADD:f32 x 2:i32)", "spec: tensor graph: is of another dtype than its sources: (ADD:f32 (RESHAPE:f32 ..) 2:i32)", TN_SPEC_TENSOR},
  {X "(AND x x)", "spec: tensor graph: is a float: (AND:f32 (RESHAPE:f32 ..) (RESHAPE:f32 ..))", TN_SPEC_TENSOR},
  {X "(SQRT (CAST:i32 x))", "spec: tensor graph: is no float: (SQRT:i32 (CAST:i32 ..))", TN_SPEC_TENSOR},
  {X "(SUB x x)", "spec: tensor graph: is no op of this stage: (SUB:f32 (RESHAPE:f32 ..) (RESHAPE:f32 ..))", TN_SPEC_TENSOR},
  {X "(LT:f32 x x)", "spec: tensor graph: compares different dtypes, or does not give bool: (LT:f32 (RESHAPE:f32 ..) (RESHAPE:f32 ..))", TN_SPEC_TENSOR},
  {X "(WHERE x x x)", "spec: tensor graph: takes a bool and two values of its dtype: (WHERE:f32 (RESHAPE:f32 ..) (RESHAPE:f32 ..) (RESHAPE:f32 ..))", TN_SPEC_TENSOR},
  {X "(BITCAST:f64 x)", "spec: tensor graph: changes the size of elements: (BITCAST:f64 (RESHAPE:f32 ..))", TN_SPEC_TENSOR},
  {X "(REDUCE:f32:ADD:axes=2 x)", "spec: tensor graph: reduces axes of one source by ADD, MUL or MAX: (REDUCE:f32:ADD:axes=2 (RESHAPE:f32 ..))", TN_SPEC_TENSOR},
  {X "(REDUCE:f32:SQRT:axes=1 x)", "spec: tensor graph: reduces axes of one source by ADD, MUL or MAX: (REDUCE:f32:SQRT:axes=1 (RESHAPE:f32 ..))", TN_SPEC_TENSOR},
  {"(CONST:f32x4 1)", "spec: tensor graph: has lanes: (CONST:f32x4 1.0)", TN_SPEC_TENSOR},
  // kernels
  {K "(SINK (END (STORE i (REDUCE:f32:ADD (LOAD (INDEX p q)) q)) r))", NULL, TN_SPEC_KERNEL},
  {K "s = (REDUCE:f32:ADD (LOAD (INDEX p q)) q) m = (REDUCE:f32:MAX (LOAD (INDEX p q)) q) (SINK (END (STORE i (MUL s m)) r))", NULL, TN_SPEC_KERNEL},
  {K "(SINK (STORE i 1.0:f32))", "spec: kernel: is used outside of what closes it: (RANGE:1:global 6)", TN_SPEC_KERNEL},
  {K "s = (REDUCE:f32:ADD (LOAD (INDEX p q)) q) (SINK (END (STORE i (MUL s (CAST:f32 q))) r))", "spec: kernel: is used outside of what closes it: (RANGE:2:reduce 4)", TN_SPEC_KERNEL},
  {K "(SINK (END (STORE i 1.0:f32) r) (END (STORE i 2.0:f32) r))", "spec: kernel: is closed by two ENDs: (RANGE:1:global 6)", TN_SPEC_KERNEL},
  {K "(SINK (END (STORE i 1:i32) r))", "spec: kernel: stores a value of another dtype: (STORE (INDEX:f32 ..) 1:i32)", TN_SPEC_KERNEL},
  {K "(SINK (END (STORE p 1.0:f32) r))", "spec: kernel: stores to what is no INDEX: (STORE (PARAM:f32:0 6 ..) 1.0:f32)", TN_SPEC_KERNEL},
  {K "(SINK (END (STORE (INDEX p 1.0:f32) 1.0:f32) r))", "spec: kernel: has an element that is no integer: (INDEX:f32 (PARAM:f32:0 6 ..) 1.0:f32)", TN_SPEC_KERNEL},
  {K "(SINK (END (STORE (INDEX (LOAD i) r) 1.0:f32) r))", "spec: kernel: indexes what is no memory: (INDEX:f32 (LOAD:f32 ..) (RANGE:1:global ..))", TN_SPEC_KERNEL},
  {K "(SINK (END (STORE i 1.0:f32) 4))", "spec: kernel: closes what is no RANGE: (END (STORE ..) 4)", TN_SPEC_KERNEL},
  {K "(SINK (BUFFER:f32:#1 6))", "spec: kernel: is no op of this stage: (BUFFER:f32:#1 6)", TN_SPEC_KERNEL},
  {"(SINK (RANGE:1:loop (ARG:index:0)))", "spec: kernel: has an extent that is no CONST: (RANGE:1:loop (ARG:index:0 ..))", TN_SPEC_KERNEL},
  {K "(SINK (END (STORE i (CAST:f32 r)) r) (MASKED (ADD r -3) r))", NULL, TN_SPEC_KERNEL},
  {K "(SINK (END (STORE i (CAST:f32 r)) r) (MASKED (CAST:f32 r) r))", "spec: kernel: takes an integer and RANGEs, and k 0 or 1: (MASKED (CAST:f32 ..) (RANGE:1:global ..))", TN_SPEC_KERNEL},
  {K "(SINK (END (STORE i (CAST:f32 r)) r) (MASKED:k=2 r r))", "spec: kernel: takes an integer and RANGEs, and k 0 or 1: (MASKED:k=2 (RANGE:1:global ..) (RANGE:1:global ..))", TN_SPEC_KERNEL},
  {K "(SINK (END (STORE i (CAST:f32 r)) r) (MASKED r))", "spec: kernel: takes an integer and RANGEs, and k 0 or 1: (MASKED (RANGE:1:global ..))", TN_SPEC_KERNEL},
  {K "(SINK (END (STORE i (CAST:f32 r)) r) (MASKED r 3))", "spec: kernel: closes what is no RANGE: (MASKED (RANGE:1:global ..) 3)", TN_SPEC_KERNEL},
  {K "(SINK (GROUP (END (STORE i (CAST:f32 r)) r) (MASKED r r)))", "spec: kernel: is no source of the SINK: (MASKED (RANGE:1:global ..) (RANGE:1:global ..))", TN_SPEC_KERNEL},
  {K "(SINK (END (STORE i (CAST:f32 r)) r) (MASKED r r) (STORE i 1.0:f32))", "spec: kernel: is used outside of what closes it: (RANGE:1:global 6)", TN_SPEC_KERNEL},
  {"(SINK (RANGE:1:loop 4 1))", "spec: kernel: has an extent that is no CONST: (RANGE:1:loop 4 1)", TN_SPEC_KERNEL},
  // programs
  {P "s = (STORE i v) e = (END s r) q = (RANGE:2:loop 6 (ARG:index:0)) w = (STORE (INDEX (AFTER p e) q) 0.0:f32) (END w q)", NULL, TN_SPEC_PROGRAM},
  {P "n = (ADD r 1) s = (STORE i v) e = (END s r) q = (RANGE:2:loop n) w = (STORE (INDEX (AFTER p e) q) 0.0:f32) (END w q)", "spec: program: uses what was computed in a loop or IF that is closed: (RANGE:2:loop (ADD:index ..))", TN_SPEC_PROGRAM},
  {"(RANGE:2:loop 4 -1)", "spec: program: starts below 0: (RANGE:2:loop 4 -1)", TN_SPEC_PROGRAM},
  {"(RANGE:2:loop 4 1:i32)", "spec: program: is of another dtype than its sources: (RANGE:2:loop 4 1:i32)", TN_SPEC_PROGRAM},
  {"(RANGE:2:loop 4 (CONST:indexx4 1))", "spec: program: has a bound of lanes: (RANGE:2:loop 4 (CONST:indexx4 1 ..))", TN_SPEC_PROGRAM},
  {"(MASKED 1 4)", "spec: program: is no op of this stage: (MASKED 1 4)", TN_SPEC_PROGRAM},
  {P "s = (STORE i v) (END s r)", NULL, TN_SPEC_PROGRAM},
  {P "s = (STORE i v) e = (END s r) (STORE (INDEX (AFTER p e) 0) v)", "spec: program: uses what was computed in a loop or IF that is closed: (STORE (INDEX:f32 ..) (LOAD:f32 ..))", TN_SPEC_PROGRAM},
  {P "s = (STORE i v) e = (END s r) (STORE (INDEX (AFTER p e) 0) 0.0:f32)", NULL, TN_SPEC_PROGRAM},
  {P "(STORE i v)", "spec: program: is not closed: (RANGE:1:loop 6)", TN_SPEC_PROGRAM},
  {P "q = (RANGE:2:loop 4) (END v r)", "spec: program: closes what is not the innermost loop or IF: (END (LOAD:f32 ..) (RANGE:1:loop ..))", TN_SPEC_PROGRAM},
  {P "f = (IF (LT r 3)) w = (LOAD (INDEX p 0)) n = (ENDIF f) s = (STORE i w) (END s r)", "spec: program: uses what was computed in a loop or IF that is closed: (STORE (INDEX:f32 ..) (LOAD:f32 ..))", TN_SPEC_PROGRAM},
  {P "(END (STORE i (ADD v p)) r)", "spec: program: takes memory for a value: (ADD:f32 (LOAD:f32 ..) (PARAM:f32:0 6 ..))", TN_SPEC_PROGRAM},
  {P "(END (STORE i (LOAD:f32x4 (INDEX:f32x2 p (LANE:i32x2)))) r)", "spec: program: has not the lanes of its INDEX: (LOAD:f32x4 (INDEX:f32x2 ..))", TN_SPEC_PROGRAM},
  {P "(END (STORE (INDEX:f32x2 p (LANE:i32x2)) (BROADCAST:f32x4 v)) r)", "spec: program: stores other lanes than its INDEX has: (STORE (INDEX:f32x2 ..) (BROADCAST:f32x4 ..))", TN_SPEC_PROGRAM},
  {P "(END v r r)", "spec: program: takes one RANGE in a program: (END (LOAD:f32 ..) (RANGE:1:loop ..) (RANGE:1:loop ..))", TN_SPEC_PROGRAM},
  {"(RANGE:1:global 4)", "spec: program: is of a kind that is no loop: (RANGE:1:global 4)", TN_SPEC_PROGRAM},
  {"(REDUCE:f32:ADD 1.0:f32)", "spec: program: is no op of this stage: (REDUCE:f32:ADD 1.0:f32)", TN_SPEC_PROGRAM},
  {"(IF 4)", "spec: program: takes a scalar bool: (IF 4)", TN_SPEC_PROGRAM},
  {"(SUB:f32x4 (CONST:f32x4 1) (CONST:f32x2 1))", "spec: program: mixes vectors of different lengths: (SUB:f32x4 (CONST:f32x4 1.0 ..) (CONST:f32x2 1.0 ..))", TN_SPEC_PROGRAM},
  {"(SUB:f32x4 (CONST:f32 1) (CONST:f32 2))", "spec: program: has not the lanes of its sources: (SUB:f32x4 1.0:f32 2.0:f32)", TN_SPEC_PROGRAM},
  {"(PICK:f32:4 (CONST:f32x4 1))", "spec: program: takes lanes of its source: (PICK:f32:4 (CONST:f32x4 1.0 ..))", TN_SPEC_PROGRAM},
  {"(WMMA:i32x4:k=2211941843458 (CONST:u8x4 1) (CONST:u16x2 1) (CONST:i32x4 0))", NULL, TN_SPEC_PROGRAM},
  {"(WMMA:i32x4:k=2211941843458 (CONST:u8x4 1) (CONST:u8x2 1) (CONST:i32x4 0))", "spec: program: has sources that are no tiles of its size: (WMMA:i32x4:k=2211941843458 (CONST:u8x4 1 ..) (CONST:u8x2 1 ..) (CONST:i32x4 0 ..))", TN_SPEC_PROGRAM},
  {"(WMMA:i32x4:k=2211941843458 (CONST:u8x4 1) (CONST:u16x2 1) (CONST:u32x4 0))", "spec: program: is of another dtype than its sum: (WMMA:i32x4:k=2211941843458 (CONST:u8x4 1 ..) (CONST:u16x2 1 ..) (CONST:u32x4 0 ..))", TN_SPEC_PROGRAM},
  {"(HREDUCE:f32:ADD (CONST:f32x3 1))", "spec: program: folds a power of two lanes by ADD, MUL, MAX ..: (HREDUCE:f32:ADD (CONST:f32x3 1.0 ..))", TN_SPEC_PROGRAM},
};

// A list is wrong in ways that no text can say.
static tiny_code test_lists(tiny_ctx *t, void *arg) {
  (void)arg;
  tiny_uop *four = tn_index(t, 4), *sum = tn_u2(t, TINY_OP_ADD, tn_range(t, 3, TN_LOOP), four);
  tiny_uop *late[2] = {sum, four}, *twice[2] = {four, four};
  CHECK_EQ(tn_verify_list(t, late, 2), TINY_E_INTERNAL);
  CHECK(strstr(t->message, "stands before one of its sources") != NULL);
  t->code = TINY_OK;
  CHECK_EQ(tn_verify_list(t, twice, 2), TINY_E_INTERNAL);
  CHECK(strstr(t->message, "stands twice in the list") != NULL);
  t->code = TINY_OK;
  CHECK_EQ(tn_verify_list(t, NULL, 0), TINY_OK);
  return TINY_OK;
}

// Every op has its row, once.
static void test_table(void) {
  int rows[TINY_OP_COUNT] = {0};
  for (size_t i = 0; i < sizeof tn_spec_rows / sizeof *tn_spec_rows; i++) rows[tn_spec_rows[i].op]++;
  for (int i = 0; i < TINY_OP_COUNT; i++) {
    CHECK_EQ(rows[i], 1);
    if (rows[i] != 1) fprintf(stderr, "  %s: %d rows in tn_spec_rows\n", tn_ops[i].name, rows[i]);
  }
}

int main(void) {
  tiny_ctx ctx, *t = &ctx;
  memset(t, 0, sizeof *t);
  t->alloc.fn = tn_default_alloc;
  if (!tn_ir_open(t)) return 1;
  test_table();
  for (size_t i = 0; i < sizeof test_cases / sizeof *test_cases; i++) {
    test_case c = test_cases[i];
    tn_guard(t, test_guarded, &c);
    t->code = TINY_OK;
    t->message[0] = 0;
  }
  tn_guard(t, test_lists, NULL);
  tn_ir_close(t);
  tn_scratch_reset(t, 1);
  return test_report();
}
