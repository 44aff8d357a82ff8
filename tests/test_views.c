// brief: plain asan
// also: late
// views: what is assigned through parts of memory reaches the memory, whichever part was assigned before, whoever has
// read what in between, and whether the memory went on: against plain arrays. What shows old contents keeps them.
#include "../src/all.c"
#include "test.h"

enum { SIDE = 6, NELEM = SIDE * SIDE, HANDLES = 24, MEMORIES = 3 };

// A handle as it should be: which elements of its memory it shows, and with what values. whole: it follows the memory.
typedef struct model { tiny_tensor *x; int memory, rows, columns, whole, at[NELEM]; float value[NELEM]; } model;
typedef struct world { tiny_ctx *t; model h[HANDLES]; int n; float memory[MEMORIES][NELEM]; uint32_t random; } world;

static int draw(world *w, int n) {
  w->random = w->random * 1664525u + 1013904223u;
  return (int)((w->random >> 8) % (uint32_t)n);
}

static void add_memory(world *w, int m) {
  model *h = &w->h[w->n++];
  const int computed = draw(w, 2);
  for (int i = 0; i < NELEM; i++) w->memory[m][i] = (float)(100 * m + i);
  h->x = tiny_from(w->t, w->memory[m], TINY_F32, TINY_SHAPE(SIDE, SIDE));
  if (computed) {                          // its own memory from the first assignment on
    h->x = tiny_add(h->x, tiny_scalar(w->t, 0.5, TINY_F32));
    for (int i = 0; i < NELEM; i++) w->memory[m][i] += 0.5f;
    CHECK_EQ(tiny_realize(&h->x, 1), TINY_OK);
  }
  h->memory = m; h->rows = h->columns = SIDE; h->whole = 1;
  for (int i = 0; i < NELEM; i++) h->at[i] = i;
  memcpy(h->value, w->memory[m], sizeof h->value);
}

// A part of h, turned, or flipped; never all of the memory in its own order, which would follow it.
static void add_view(world *w, const model *from) {
  model *h = &w->h[w->n];
  const int way = draw(w, 3), flip = draw(w, 2), r0 = draw(w, from->rows), c0 = draw(w, from->columns);
  const int r1 = r0 + 1 + draw(w, from->rows - r0), c1 = c0 + 1 + draw(w, from->columns - c0);
  if (way == 0 && r0 == 0 && c0 == 0 && r1 == from->rows && c1 == from->columns) return;
  *h = *from;
  h->whole = 0;
  if (way == 0) h->x = tiny_shrink(from->x, TINY_SHAPE(r0, r1, c0, c1));
  else if (way == 1) h->x = tiny_permute(from->x, TINY_SHAPE(1, 0));
  else h->x = tiny_flip(from->x, TINY_SHAPE(flip));
  h->rows = way == 0 ? r1 - r0 : way == 1 ? from->columns : from->rows;
  h->columns = way == 0 ? c1 - c0 : way == 1 ? from->rows : from->columns;
  int identity = h->rows * h->columns == NELEM;
  for (int i = 0; i < h->rows; i++) for (int j = 0; j < h->columns; j++) {
    const int r = way == 0 ? r0 + i : way == 1 ? j : flip == 0 ? from->rows - 1 - i : i,
              c = way == 0 ? c0 + j : way == 1 ? i : flip == 1 ? from->columns - 1 - j : j;
    h->at[i * h->columns + j] = from->at[r * from->columns + c];
    h->value[i * h->columns + j] = from->value[r * from->columns + c];
    identity &= from->at[r * from->columns + c] == i * h->columns + j;
  }
  if (identity) tiny_free(h->x); else w->n++;
}

static void write_through(world *w, model *h, int now) {
  float value[NELEM];
  const int n = h->rows * h->columns;
  for (int i = 0; i < n; i++) {
    value[i] = (float)(1000 + draw(w, 1000));
    w->memory[h->memory][h->at[i]] = value[i];
  }
  if (now) CHECK_EQ(tiny_write(h->x, value, (size_t)n * sizeof *value), TINY_OK);
  else CHECK(tiny_ok(tiny_assign(h->x, tiny_from(w->t, value, TINY_F32, TINY_SHAPE(h->rows, h->columns)))));
  memcpy(h->value, value, (size_t)n * sizeof *value);
  for (int i = 0; i < w->n; i++)
    if (w->h[i].whole && w->h[i].memory == h->memory) memcpy(w->h[i].value, w->memory[h->memory], sizeof w->h[i].value);
}

static void check_read(world *w, const model *h) {
  float got[NELEM];
  const int n = h->rows * h->columns;
  CHECK_EQ(tiny_read(h->x, got, (size_t)n * sizeof *got), TINY_OK);
  CHECK(memcmp(got, h->value, (size_t)n * sizeof *got) == 0);
  CHECK_STR(tiny_error(w->t), "");
}
// Before anything has run the definition says the same.
static void check_reference(world *w, const model *h) {
  float got[NELEM];
  const int n = h->rows * h->columns;
  if (tiny_reference(h->x, got, (size_t)n * sizeof *got) == TINY_OK)
    CHECK(memcmp(got, h->value, (size_t)n * sizeof *got) == 0);
  else { CHECK_EQ(tiny_status(w->t), TINY_E_STATE); tiny_clear(w->t); }
}

static void check_world(const char *device, uint32_t seed, int reads) {
  world w;
  memset(&w, 0, sizeof w);
  w.random = seed;
  w.t = tiny_open(&(tiny_desc){.device = device});
  for (int m = 0; m < MEMORIES; m++) add_memory(&w, m);
  for (int step = 0; step < 40; step++) {
    model *h = &w.h[draw(&w, w.n)];
    const int what = draw(&w, 10);
    if (what < 3) { if (w.n < HANDLES) add_view(&w, h); }
    else if (what < 7) write_through(&w, h, 0);
    else if (what < 8) write_through(&w, h, 1);
    else if (what < 9) { if (reads) check_read(&w, h); }
    else if (reads) check_reference(&w, h);
  }
  for (int i = 0; i < w.n; i++) check_reference(&w, &w.h[(i + (int)seed) % w.n]);
  for (int i = 0; i < w.n; i++) check_read(&w, &w.h[(i + (int)seed) % w.n]);
  tiny_close(w.t);
}

int main(void) {
  for (uint32_t seed = 1; seed <= (uint32_t)test_some(400); seed++) check_world("INTERP", seed, (int)seed % 3);
  for (uint32_t seed = 1; seed <= 3; seed++) check_world("CPU", seed, (int)seed % 2);
  return test_report();
}
