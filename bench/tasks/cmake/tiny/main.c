// cmake: a sum, in a project of its own that has the library as a subfolder.
#include <stdio.h>
#include <tiny.h>

int main(void) {
  tiny_ctx *t = tiny_open(NULL);
  double sum = tiny_item(tiny_sum(tiny_arange(t, 1, 5, 1, TINY_F32), TINY_ALL, 0));
  tiny_code code = tiny_status(t);
  if (code == TINY_OK)
    printf("sum %g\n", sum);
  else
    fprintf(stderr, "%s\n", tiny_error(t));
  tiny_close(t);
  return code != TINY_OK;
}
