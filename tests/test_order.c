// also: late
// test_order: short random sequences of writes, assignments, state that views share, the caller's own writes to a blob,
// programs and reads, against plain arrays that do at once what each call promises.
//
// TEST_ROUNDS=n sequences, TEST_FROM=s the first. Programs: p0 reads x and gives f(x, a), p1 is a step that assigns to
// a and to the blob, captured anew in every sequence at a random time. Where the host cannot point into the device's
// memory the blob is refused, and a tensor of its own that is written stands for it.
#include "../src/all.c"
#include "test.h"

enum { N = 4, HELD = 6, CALLS = 24 };
typedef struct held { tiny_tensor *x; float want[N]; int known; } held;   // known: a promise; 0: read from the blob, later
typedef struct world {
  tiny_ctx *t;
  int shares;                              // the host points into the device's memory
  tiny_tensor *a, *b, *c;                  // a: memory of some kind; b: over blob; c: of another kind
  float va[N], blob[N], vc[N];
  tiny_program *reads, *steps;
  held held[HELD]; int nheld;
} world;

static uint32_t state;
static int roll(int n) {
  state = state * 1664525u + 1013904223u;
  return (int)((state >> 16) % (uint32_t)n);
}
static void numbers(float *v) { for (int i = 0; i < N; i++) v[i] = (float)(roll(9) - 4); }
static tiny_tensor *of(world *w, const float *v) { return tiny_from(w->t, v, TINY_F32, TINY_SHAPE(N)); }

static tiny_tensor *memory(world *w, float *v) {
  numbers(v);
  tiny_tensor *x = of(w, v), *y = x;
  const int kind = roll(4);
  if (kind == 1) y = tiny_add(tiny_neg(x), tiny_add(x, x));
  if (kind == 2) { y = tiny_zeros(w->t, TINY_F32, TINY_SHAPE(N)); tiny_assign(y, x); }
  if (kind == 3) y = tiny_clone(x);
  CHECK_EQ(tiny_realize(&y, 1), TINY_OK);
  if (y != x && roll(2)) tiny_free(x);
  return y;
}
static int equal(world *w, const char *what, tiny_tensor *x, const float *want) {
  float got[N];
  const int read = tiny_read(x, got, sizeof got) == TINY_OK, same = read && !memcmp(got, want, sizeof got);
  for (int i = 0; i < N && read && !same; i++) if (got[i] != want[i]) {
    fprintf(stderr, "  %s: [%d] is %g, not %g\n", what, i, got[i], want[i]);
    return 0;
  }
  if (!read) fprintf(stderr, "  %s: %s\n", what, tiny_error(w->t));
  return read;
}
static float f_of(float x, float a, float c) { return x * 2 + a * c; }
static tiny_tensor *f(world *w, tiny_tensor *x) { return tiny_add(tiny_add(x, x), tiny_mul(w->a, w->c)); }
// A tensor that is built now and read later, or never.
static void hold(world *w) {
  if (w->nheld == HELD) return;
  held *h = &w->held[w->nheld++];
  h->x = roll(2) ? tiny_sub(tiny_mul(w->a, w->a), w->c) : tiny_add(tiny_mul(w->a, w->a), tiny_neg(w->c));
  h->known = 1;
  for (int i = 0; i < N; i++) h->want[i] = w->va[i] * w->va[i] - w->vc[i];
}

static int assigned(world *w) {            // one of the memories is set to a function of both
  const int kind = roll(3), at = roll(N - 1);
  float v[N];
  if (kind == 0) {
    tiny_assign(w->a, tiny_sub(w->c, w->a));
    for (int i = 0; i < N; i++) w->va[i] = w->vc[i] - w->va[i];
  } else if (kind == 1) {
    tiny_assign(w->c, tiny_maximum(w->b, w->a));
    if (tiny_realize(&w->c, 1) != TINY_OK) return 0;      // the caller may write the blob next
    for (int i = 0; i < N; i++) w->vc[i] = w->blob[i] > w->va[i] ? w->blob[i] : w->va[i];
  } else {
    numbers(v);
    tiny_tensor *part = tiny_shrink(w->a, TINY_SHAPE(at, at + 2)), *two = tiny_shrink(of(w, v), TINY_SHAPE(at, at + 2));
    tiny_assign(part, two);
    w->va[at] = v[at]; w->va[at + 1] = v[at + 1];
  }
  return 1;
}
static int written(world *w) {
  float v[N];
  numbers(v);
  const int which = roll(3);
  memcpy(which == 0 ? w->va : which == 1 ? w->blob : w->vc, v, sizeof v);
  return tiny_write(which == 0 ? w->a : which == 1 ? w->b : w->c, v, sizeof v) == TINY_OK;
}
static int write_blob(world *w) {           // as its owner does
  w->blob[roll(N)] = (float)(roll(9) - 4);
  return w->shares || tiny_write(w->b, w->blob, sizeof w->blob) == TINY_OK;
}
static int capture(world *w) {
  float v[N];
  numbers(v);
  if (!w->reads) {
    tiny_tensor *x = of(w, v), *y = f(w, x);
    CHECK_EQ(tiny_realize(&w->a, 1), TINY_OK);
    CHECK_EQ(tiny_realize(&w->c, 1), TINY_OK);
    if (roll(2)) y = f(w, x);
    return (w->reads = tiny_capture(w->t, &x, 1, &y, 1)) != NULL;
  }
  if (w->steps) return 1;
  tiny_tensor *all[2] = {w->a, w->c};
  CHECK_EQ(tiny_realize(all, 2), TINY_OK);
  tiny_begin(w->t);
  tiny_tensor *x = of(w, v), *y = tiny_add(w->a, x);
  tiny_assign(w->a, tiny_minimum(tiny_add(w->a, x), w->c));
  tiny_assign(w->b, tiny_sub(w->b, w->a));
  w->steps = tiny_capture(w->t, &x, 1, &y, 1);
  return tiny_end(w->t) == TINY_OK && w->steps;
}
static int run(world *w) {
  float v[N], want[N], before[N];
  tiny_tensor *out = NULL;
  numbers(v);
  tiny_program *p = roll(2) ? w->reads : w->steps;
  tiny_tensor *x = p == w->reads && p && roll(4) == 0 ? w->b : of(w, v);
  if (!p) return 1;
  if (x == w->b) memcpy(v, w->blob, sizeof v);
  memcpy(before, w->blob, sizeof before);
  for (int i = 0; i < N; i++) want[i] = p == w->reads ? f_of(v[i], w->va[i], w->vc[i]) : w->va[i] + v[i];
  if (tiny_run(p, &x, &out) != TINY_OK) { fprintf(stderr, "  run: %s\n", tiny_error(w->t)); return 0; }
  for (int i = 0; i < N && p == w->steps; i++) {
    w->va[i] = want[i] < w->vc[i] ? want[i] : w->vc[i];
    before[i] -= w->va[i];
  }
  if (w->shares && memcmp(before, w->blob, sizeof before)) { fprintf(stderr, "  the blob is not written\n"); return 0; }
  memcpy(w->blob, before, sizeof before);
  return equal(w, "output", out, want);
}
static int sequence(world *w) {
  int good = 1;
  w->a = memory(w, w->va);
  w->c = memory(w, w->vc);
  numbers(w->blob);
  w->b = tiny_blob(w->t, w->blob, TINY_F32, TINY_SHAPE(N), NULL);
  CHECK_EQ(tiny_ok(w->b), w->shares);
  if (!w->shares) {
    CHECK_EQ(tiny_status(w->t), TINY_E_DEVICE);
    tiny_clear(w->t);
    w->b = of(w, w->blob);
  }
  for (int i = 0; i < CALLS && good; i++) switch (roll(9)) {
    case 0: good = written(w); break;
    case 1: good = assigned(w); break;
    case 2: good = write_blob(w); break;
    case 3: good = capture(w); break;
    case 4: case 5: good = run(w); break;
    case 6: hold(w); break;
    case 7: good = equal(w, "a", w->a, w->va) && equal(w, "c", w->c, w->vc) && equal(w, "b", w->b, w->blob); break;
    default: {
      float sum[N];
      for (int k = 0; k < N; k++) sum[k] = w->va[k] * w->va[k] + w->blob[k];
      good = equal(w, "built now", tiny_add(tiny_mul(w->a, w->a), w->b), sum);
      if (good && w->nheld && roll(2)) { const held *h = &w->held[roll(w->nheld)]; good = equal(w, "held", h->x, h->want); }
    }
  }
  for (int i = 0; i < w->nheld && good; i++) good = equal(w, "held to the end", w->held[i].x, w->held[i].want);
  return good && equal(w, "a", w->a, w->va) && equal(w, "c", w->c, w->vc);
}

int main(void) {
  const int n = test_rounds(150), first = (int)test_from(1);
  static const char *const devices[] = {"INTERP", "INTERP:5", "INTERP:14", "CPU"};     // tests/late.h says what numbers draw
  for (size_t d = 0; d < sizeof devices / sizeof *devices; d++) {
    tiny_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.device = devices[d];
    tiny_ctx *t = tiny_open(&desc);
    for (int i = 0; i < n; i++) {
      world w;
      case_seeded((unsigned long long)(first + i), "TEST_FROM=%llu TEST_ROUNDS=1");
      memset(&w, 0, sizeof w);
      w.t = t;
      w.shares = t->device[0]->limits.host_memory;
      state = (uint32_t)(first + i) * 2654435761u;
      tiny_begin(t);
      const int good = sequence(&w);
      if (!good) fprintf(stderr, "  sequence %d on %s\n", first + i, devices[d]);
      CHECK(good);
      tiny_program_free(w.reads);
      tiny_program_free(w.steps);
      tiny_end(t);
      tiny_clear(t);
    }
    case_end();
    tiny_close(t);
  }
  return test_report();
}
