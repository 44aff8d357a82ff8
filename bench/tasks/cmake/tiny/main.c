// cmake: a sum, in a project of its own that has the library as a subfolder.
#include <stdio.h>
#include <tiny.h>

int main(void) {
  tiny_ctx *t = tiny_open(NULL);
  printf("sum %g\n", tiny_item(tiny_sum(tiny_arange(t, 1, 5, 1, TINY_F32), TINY_ALL, 0)));
  return tiny_finish(t);
}
