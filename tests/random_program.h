// random_program: captured programs of random.h: what is made of data is given to the program, or memory that it has,
// reads and assigns to.
#ifndef RANDOM_PROGRAM
#define RANDOM_PROGRAM
#include "random.h"

enum { SAMPLE_MOST = MAX_ITEMS };

// Bytes of a file, and of what a run takes and gives.
typedef struct bytes { char *data; size_t n, cap; } bytes;
static int bytes_add(void *user, const void *data, size_t n) {
  bytes *b = (bytes *)user;
  if (b->n + n > b->cap) b->data = (char *)realloc(b->data, b->cap = 2 * (b->n + n) + 64);
  if (n) memcpy(b->data + b->n, data, n);
  b->n += n;
  return 1;
}
static void bytes_free(bytes *b) {
  free(b->data);
  memset(b, 0, sizeof *b);
}

// data: of the inputs, one after the other.
typedef struct sample { tiny_tensor *in[SAMPLE_MOST], *out[MAX_ROOTS]; int n, m; bytes data; item root[MAX_ROOTS]; } sample;
static size_t sample_nbytes(tiny_tensor *x) { return (size_t)tn_node_nbytes(tn_uop_of(x)); }

static void sample_inputs(const gen *g, uint64_t has, sample *s) {
  for (int i = 0; i < g->n; i++) {
    const tiny_uop *u = tn_plain_buffer(tn_uop_of(g->item[i].x));
    int had = !u || !g->item[i].memory || (has >> g->item[i].memory % 64 & 1);
    for (int j = 0; j < s->n && !had; j++) had = tn_plain_buffer(tn_uop_of(s->in[j])) == u;
    if (had) continue;
    const size_t nbytes = sample_nbytes(g->item[i].x);
    bytes_add(&s->data, tn_storage_view(tn_leaf_storage(u), nbytes), nbytes);
    s->in[s->n++] = tiny_keep(g->item[i].x);
  }
}
// The program of a seed. NULL: it is wrong, with *wrong = 1, or none: an input is assigned to, or reaches no output.
static tiny_program *sample_capture(tiny_ctx *t, uint64_t seed, sample *s, int *wrong) {
  static gen made;
  item *root[MAX_ROOTS];
  memset(s, 0, sizeof *s);
  tiny_begin(t);
  *wrong = !make_program(&made, t, seed, MAX_OPS);
  s->m = roots_of(&made, root);
  for (int i = 0; i < s->m; i++) { s->root[i] = *root[i]; s->out[i] = root[i]->x; }
  sample_inputs(&made, seed * 0x9E3779B97F4A7C15u & (seed * 0xC2B2AE3D27D4EB4Fu >> 7), s);
  tiny_program *p = *wrong ? NULL : tiny_capture(t, s->in, s->n, s->out, s->m);
  *wrong |= !p && tiny_status(t) != TINY_E_STATE;
  tiny_end(t);
  t->tensors->random = 0;                  // as where it is loaded
  return p;
}
// Appends the bits of what a run gives.
static int sample_run(tiny_program *p, tiny_tensor **in, int m, bytes *b) {
  tiny_tensor *out[MAX_ROOTS];
  int ok = tiny_run(p, in, out) == TINY_OK;
  for (int i = 0; i < m; i++) {
    const size_t nbytes = sample_nbytes(out[i]);
    char *x = (char *)calloc(1, nbytes + 1);
    if (ok) ok = tiny_read(out[i], x, nbytes) == TINY_OK;
    if (ok) bytes_add(b, x, nbytes);
    free(x);
    tiny_free(out[i]);
  }
  return ok;
}
#endif
