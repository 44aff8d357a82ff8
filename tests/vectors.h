// vectors: the cases that tools/vectors.py wrote: operators as functions, their inputs, and what they give.
#ifndef VECTORS_H
#define VECTORS_H
typedef struct vector_op { const char *name; int (*make)(tiny_ctx *t, tiny_tensor **in, tiny_tensor **out); } vector_op;
typedef struct vector_room { const char *name; const vector_op *op; size_t n; } vector_room;
#include "vectors/rooms.inc"

enum { MOST = 24 };                        // inputs, outputs
// ** cases **

typedef struct value { tiny_dtype dtype; tiny_shape s; const unsigned char *data; tiny_tensor *got; } value;
typedef struct vector_case {
  const vector_op *op;
  int nin, nout, ngrad;
  uint32_t with_grad;                      // bit i: input i has one
  float tol;
  value in[MOST], out[MOST], grad[MOST];
} vector_case;

static const unsigned char *take(const unsigned char *p, void *out, size_t nbytes) { memcpy(out, p, nbytes); return p + nbytes; }

// What stands for a dtype in a case; tools/vectors.py has the same list.
static const tiny_dtype codes[] = {TINY_VOID, TINY_BOOL, TINY_I8, TINY_U8, TINY_I16, TINY_U16, TINY_I32, TINY_U32, TINY_I64, TINY_U64,
                                   TINY_F16, TINY_BF16, TINY_F32, TINY_F64, TINY_F8E4M3, TINY_F8E5M2};

static const unsigned char *take_value(const unsigned char *p, value *v) {
  v->dtype = codes[p[0]];
  v->s.ndim = p[1];
  v->got = NULL;
  p += 2;
  for (int i = 0; i < v->s.ndim; i++) { uint32_t d; p = take(p, &d, 4); v->s.dim[i] = d; }
  v->data = p;
  return p + (size_t)tn_dims_nelem(v->s.ndim, v->s.dim) * tiny_dtype_nbytes(v->dtype);
}

static const unsigned char *take_case(const unsigned char *p, const vector_room *room, vector_case *c) {
  uint16_t op;
  memset(c, 0, sizeof *c);
  p = take(p, &op, 2);
  c->op = &room->op[op];
  c->nin = p[0]; c->nout = p[1];
  p = take(p + 2, &c->with_grad, 4);
  p = take(p, &c->tol, 4);
  for (int i = 0; i < c->nin; i++) p = take_value(p, &c->in[i]);
  for (int i = 0; i < c->nout; i++) p = take_value(p, &c->out[i]);
  for (int i = 0; i < c->nin; i++) if (c->with_grad >> i & 1) p = take_value(p, &c->grad[c->ngrad++]);
  return p;
}

static unsigned char *load(const char *path, size_t *nbytes) {
  FILE *f = fopen(path, "rb");
  if (!f) return NULL;
  fseek(f, 0, SEEK_END);
  *nbytes = (size_t)ftell(f);
  fseek(f, 0, SEEK_SET);
  unsigned char *data = (unsigned char *)malloc(*nbytes + 1);
  if (data && fread(data, 1, *nbytes, f) != *nbytes) { free(data); data = NULL; }
  fclose(f);
  return data;
}

// The cases of a room: those of data[0..*nbytes), which take_case walks; NULL: there are none. To be freed.
static unsigned char *load_room(const vector_room *room, size_t *nbytes) {
  char path[256];
  snprintf(path, sizeof path, "tests/vectors/%s.bin", room->name);
  return load(path, nbytes);
}

// Is the room among those that the command line names, or names it none?
static inline int is_room_named(const vector_room *room, int argc, char **argv) {
  int named = argc < 2;
  for (int i = 1; i < argc; i++) named |= !strcmp(argv[i], room->name);
  return named;
}
// Does the operator assign to its input? A copy of a parameter is no parameter.
static inline int assigns(const vector_case *c) { return !strcmp(c->op->name, "tiny_embedding_max_norm"); }

// sum(y * w), w[i] = ((7 (i + 3 k) + 3) mod 11 - 5) / 4, over those of y[0..ny-1] that are floats; NULL: none is.
static tiny_tensor *loss_of(tiny_ctx *t, tiny_tensor **y, int ny) {
  tiny_tensor *loss = NULL;
  for (int k = 0; k < ny; k++) {
    const int64_t n = tiny_nelem_of(y[k]);
    if (!tn_is_float(tiny_dtype_of(y[k]))) continue;
    double *w = (double *)malloc((size_t)(n + 1) * sizeof *w);
    for (int64_t i = 0; w && i < n; i++) w[i] = (double)((7 * (i + 3 * k) + 3) % 11 - 5) / 4;
    tiny_tensor *one = tiny_device_of(y[k]) == TINY_SEVERAL ? tiny_to(y[k], 0) : y[k];
    const int device = tiny_device_of(one);
    tiny_tensor *data = tiny_from(t, w, TINY_F64, TINY_SHAPE(n));
    tiny_tensor *weights = tiny_cast(device < 0 ? data : tiny_to(data, device), tiny_dtype_of(y[k]));
    tiny_tensor *part = tiny_sum(tiny_mul(one, tiny_reshape(weights, tiny_shape_of(one))), TINY_ALL, 0);
    loss = loss ? tiny_add(loss, part) : part;
    free(w);
  }
  return loss;
}

// ** comparison **

static double number(int dtype, const unsigned char *data, int64_t i) {
  return tn_to_f64(tn_dtype_convert(TINY_F64, dtype, tn_dtype_load(dtype, data + i * (int64_t)tiny_dtype_nbytes((tiny_dtype)dtype))));
}
static int64_t whole(int dtype, const unsigned char *data, int64_t i) {
  return tn_dtype_load(dtype, data + i * (int64_t)tiny_dtype_nbytes((tiny_dtype)dtype));
}
static double epsilon(int d) {
  static const struct { int dtype, bits; } of[] = {{TINY_F16, 10}, {TINY_BF16, 7}, {TINY_F32, 23}, {TINY_F64, 52}};
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) if (of[i].dtype == d) return ldexp(1, -of[i].bits);
  return ldexp(1, -2);
}

// The largest error of a value in epsilons, relative to the larger of what is wanted and an eighth of the largest; 0 for
// integers, HUGE_VAL where one differs. strict: to what is wanted alone;
// zeros: they have the sign that is wanted.
static double error_of(const value *v, const unsigned char *got, int strict, int zeros, int64_t *at) {
  const int64_t n = tn_dims_nelem(v->s.ndim, v->s.dim);
  double worst = 0, largest = 0;
  *at = 0;
  for (int64_t i = 0; i < n; i++) { const double w = fabs(number(v->dtype, v->data, i)); if (w < HUGE_VAL && w > largest) largest = w; }
  for (int64_t i = 0; i < n; i++) {
    if (whole(v->dtype, got, i) == whole(v->dtype, v->data, i)) continue;
    double e = HUGE_VAL;
    if (tn_is_float(v->dtype)) {
      const double g = number(v->dtype, got, i), w = number(v->dtype, v->data, i);
      if ((g == w && !(zeros && w == 0)) || (g != g && w != w)) continue;
      const double scale = strict || fabs(w) > largest / 8 ? fabs(w) : largest / 8, least = v->dtype == TINY_F16 ? ldexp(1, -14) : 1e-30;
      e = zeros && g == 0 && w == 0 ? HUGE_VAL : fabs(g - w) / (epsilon(v->dtype) * (scale > least ? scale : least));
    }
    if (!(e <= worst)) { worst = e == e ? e : HUGE_VAL; *at = i; }
  }
  return worst;
}
#endif
