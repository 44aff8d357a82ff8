// stack_test: what test_stack asks of the inside, so that it can be linked with a library whose names are its own
// (whole.c; TEST_WHOLE: what is linked has these).
#ifndef STACK_TEST_H
#define STACK_TEST_H
int test_frame_close(tiny_ctx *t);                       // as tiny_end does, but what is assigned goes on waiting
size_t test_local_nbytes(tiny_ctx *t, int *slots);       // a task's memory on the CPU, and for how many there is some
size_t test_panels_nbytes(tiny_ctx *t);                  // all of it, as it is asked for
#ifndef TEST_WHOLE
int test_frame_close(tiny_ctx *t) { return tn_frame_close(t); }
size_t test_local_nbytes(tiny_ctx *t, int *slots) {
  const tn_cpu *c = (const tn_cpu *)t->device[0]->dev;
  *slots = c->slots;
  return c->local_nbytes;
}
size_t test_panels_nbytes(tiny_ctx *t) {
  const tn_cpu *c = (const tn_cpu *)t->device[0]->dev;
  return c->local_nbytes * (size_t)c->slots + TN_CPU_ALIGN;
}
#endif
#endif
