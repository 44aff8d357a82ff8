// accepts: which of the cases in a file an operator of tiny.h takes, for tools/vectors.py: accepts ROOM FILE prints a
// line for each, "ok" and the dtypes of the results, or the error. The cases have inputs and no outputs.
#include "../../src/all.c"
#include "../../tests/vectors.h"

int main(int argc, char **argv) {
  const vector_room *room = NULL;
  for (size_t r = 0; argc == 3 && r < sizeof rooms / sizeof *rooms; r++)
    if (!strcmp(rooms[r].name, argv[1])) room = &rooms[r];
  size_t nbytes = 0;
  unsigned char *data = room ? load(argv[2], &nbytes) : NULL;
  tiny_ctx *t = tiny_open(NULL);
  if (!data || !t) return 1;
  for (const unsigned char *p = data; p < data + nbytes;) {
    vector_case c;
    tiny_tensor *in[MOST] = {0}, *out[MOST] = {0};
    tiny_begin(t);
    p = take_case(p, room, &c);
    for (int i = 0; i < c.nin; i++) in[i] = tiny_from(t, c.in[i].data, c.in[i].dtype, c.in[i].s);
    const int n = c.op->make(t, in, out);
    int ok = n > 0;
    for (int i = 0; i < n; i++) ok &= tiny_ok(out[i]);
    fputs(ok ? "ok" : tiny_error(t), stdout);
    for (int i = 0; ok && i < n; i++) printf(" %s", tiny_dtype_name(tiny_dtype_of(out[i])));
    putchar('\n');
    tiny_clear(t);
    tiny_end(t);
  }
  free(data);
  tiny_close(t);
  return 0;
}
