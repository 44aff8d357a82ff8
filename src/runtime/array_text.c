// array_text: tensors as text, as NumPy prints arrays (its documentation of printoptions and array2string says how).
//
// In:    a tensor, or what was one, and how much of it is to be seen. Out: text.
// Holds: of a large tensor only the elements that are shown are copied out of its memory, also through views of it;
//        what is not computed is realized first, as for tiny_read. Nothing depends on the locale.
//
// A float is written with the fewest digits that tell it from others of its dtype, up to a precision, in one of two
// ways for all that are shown: 12.5 or 1.25e+01. All elements are as wide as the widest.
#ifndef TN_RUNTIME_ARRAY_TEXT
#define TN_RUNTIME_ARRAY_TEXT
#ifndef TINY_AMALGAMATED
#include "realize.c"
#endif

typedef struct tn_array {
  tiny_bytes *out; size_t line;            // where its last line begins
  int dtype, ndim, precision, width, suppress;
  int64_t dim[TINY_MAX_DIMS], edge;        // edge: items at each end of a dim, as many as it has: all
  int64_t *value, nvalue, at;              // what is shown, row-major, as k of ir/dtype.c; the next one
  // of each: columns in all, before the point, of digits behind it, of digits of exponents, if there are any
  int columns, before, behind, exponent;
} tn_array;

// ** which elements **

static int tn_array_skips(const tn_array *a, int d) { return a->dim[d] > 2 * a->edge; }
static int64_t tn_array_items(const tn_array *a, int d) { return tn_array_skips(a, d) ? 2 * a->edge : a->dim[d]; }

// How u's elements lie in memory, and in which; NULL: it is computed, not taken from memory as it is.
static tn_storage *tn_array_memory(tiny_ctx *t, tiny_uop *u, tiny_views *v) {
  tn_list moves = {NULL, 0, 0};
  for (; !tn_is_leaf(u) && u->op != TINY_OP_VIEW && (tn_is_movement(u) || u->op == TINY_OP_PREFIX); u = u->src[0])
    tn_push(t, &moves, u);
  if (!u->realized && u->op == TINY_OP_VIEW && tn_is_leaf(u->src[0])) {
    *v = tiny_views_strided(tn_shape_of(u->ndim, u->v), u->v + u->ndim, u->k);
    u = u->src[0];
  } else *v = tn_views_over(u->ndim, u->dim);
  if (!tn_is_leaf(u)) return NULL;
  while (moves.n) if (tn_views_move(v, moves.u[--moves.n]) != TINY_OK) return NULL;
  return tn_leaf_storage(u);
}

// What is shown of the memory that v views: neighbours in it in one copy. What is masked out is 0. seen: where the host
// sees that memory; NULL: nowhere, it is that of s.
static tiny_code tn_array_gather(const tn_array *a, const tn_storage *s, const char *seen, const tiny_views *v,
                                 char *raw) {
  const size_t nbytes = tn_dtypes[a->dtype].nbytes;
  int64_t item[TINY_MAX_DIMS] = {0}, index[TINY_MAX_DIMS], begin = -1, run = 0;
  tiny_code code = TINY_OK;
  for (int64_t i = 0; code == TINY_OK && i <= a->nvalue; i++) {
    for (int d = 0; d < a->ndim; d++)
      index[d] = tn_array_skips(a, d) && item[d] >= a->edge ? a->dim[d] - 2 * a->edge + item[d] : item[d];
    const int64_t flat = i < a->nvalue ? tiny_views_at(v, index) : -1;
    if (run && flat != begin + run) {
      char *const to = raw + (size_t)(i - run) * nbytes;
      const size_t at = (size_t)begin * nbytes, n = (size_t)run * nbytes;
      if (seen) memcpy(to, seen + at, n);
      else {
        const tiny_mem from = {s->mem, at};
        code = s->device->backend->copy_out(s->device->dev, to, from, n);
      }
      run = 0;
    }
    if (!run) begin = flat;
    run += flat >= 0;
    for (int d = a->ndim - 1; d >= 0 && ++item[d] == tn_array_items(a, d); d--) item[d] = 0;
  }
  return code;
}
// All of x is read: it lies on several devices, or as views cannot tell.
static tiny_code tn_array_read_all(tiny_ctx *t, tiny_tensor *x, const tn_array *a, char *raw) {
  const size_t nbytes = (size_t)tn_dims_nelem(a->ndim, a->dim) * tn_dtypes[a->dtype].nbytes;
  tn_read_call read = {x, tn_scratch_bare(t, nbytes), nbytes};
  tiny_views *v = (tiny_views *)tn_scratch_bare(t, sizeof *v);
  const tiny_code code = tn_read_guarded(t, &read);
  *v = tn_views_over(a->ndim, a->dim);
  return code == TINY_OK ? tn_array_gather(a, NULL, (const char *)read.out, v, raw) : code;
}
// The values that are shown. *device: where they were, if that is one.
static tiny_code tn_array_read(tiny_ctx *t, tiny_tensor *x, tn_array *a, const struct tn_device **device) {
  const size_t nbytes = tn_dtypes[a->dtype].nbytes;
  tiny_views *v = (tiny_views *)tn_scratch_bare(t, sizeof *v);       // stacks may be small
  tiny_code code = TINY_OK;
  const tn_storage *s = tn_array_memory(t, tn_uop_of(x), v);
  if (!s && !tn_shows_callers(tn_uop_of(x))) {
    tn_realize_call one = {&x, 1};
    code = tn_realize_guarded(t, &one);
    if (code != TINY_OK) return code;
    s = tn_array_memory(t, tn_uop_of(x), v);
  }
  char *raw = (char *)tn_scratch(t, (size_t)a->nvalue * nbytes);
  if (s) {
    const char *const seen = (const char *)tn_storage_view(s, s->nbytes);
    *device = s->device;
    code = tn_unfinished_meet(t, (tn_storage *)(uintptr_t)s, 0);
    if (code == TINY_OK) code = s->device->backend->sync(s->device->dev);
    if (code == TINY_OK) code = tn_array_gather(a, s, seen, v, raw);
  } else code = tn_array_read_all(t, x, a, raw);
  a->value = (int64_t *)tn_scratch_bare(t, (size_t)a->nvalue * sizeof *a->value);
  for (int64_t i = 0; i < a->nvalue; i++) a->value[i] = tn_dtype_load(a->dtype, raw + (size_t)i * nbytes);
  return code;
}

// ** how they are written **

static double tn_array_float(const tn_array *a, int64_t i) { return fabs(tn_to_f64(a->value[i])); }
static int tn_array_minus(const tn_array *a, int64_t i) { return a->value[i] < 0; }  // the sign bit of a float, too

// The digits of value i, a finite float: all before the point, and at least so many places behind that of 1.25e+01.
static void tn_array_digits(const tn_array *a, int64_t i, int places, tn_decimal *d) {
  const tn_dtype_row *r = &tn_dtypes[a->dtype];
  const double x = tn_array_float(a, i);
  const int top = x > 0 ? ilogb(x) : 0, e = (top > r->least ? top : r->least) - r->mantissa;
  const uint64_t m = (uint64_t)ldexp(x, -e);
  tn_decimal_of(d, m, e);
  const int whole = a->exponent ? 1 : d->point;
  tn_decimal_shortest(d, m, e, m == (uint64_t)1 << r->mantissa && top > r->least, whole + a->precision);
  if (d->n < whole + places) {             // NumPy goes on with digits, not with zeros
    tn_decimal_of(d, m, e);
    tn_decimal_round(d, whole + places);
  }
  if (!d->n) d->point = 0;
}
// How many digits the exponent of d has, at least two.
static int tn_array_exponent(const tn_decimal *d) {
  return d->n && (d->point > 100 || d->point <= -99) ? 3 : 2;
}

// Do 1e+08 and more, less than 1e-04, or numbers a thousand times as large as others ask for exponents?
static int tn_array_wants_exponents(const tn_array *a) {
  const int dtype = a->dtype == TINY_F16 || a->dtype == TINY_F64 ? a->dtype : (int)TINY_F32;
  double least = HUGE_VAL, most = 0;
  for (int64_t i = 0; i < a->nvalue; i++) {
    const double x = tn_array_float(a, i);
    if (!(x > 0 && x < HUGE_VAL)) continue;
    if (x < least) least = x;
    if (x > most) most = x;
  }
  if (most == 0) return 0;                 // NumPy compares and divides in the dtype
  if (most >= 1e8 || a->suppress) return most >= 1e8;
  return least < tn_dtype_round(dtype, 1e-4) || tn_dtype_round(dtype, most / least) > 1000;
}
static void tn_array_measure_floats(tn_array *a) {
  int finite = 0, below = 0, exponent = 0;
  a->exponent = tn_array_wants_exponents(a);
  for (int64_t i = 0; i < a->nvalue; i++) {
    tn_decimal d;
    const double x = tn_array_float(a, i);
    if (!(x < HUGE_VAL)) { below |= x == HUGE_VAL && tn_array_minus(a, i); continue; }
    tn_array_digits(a, i, 0, &d);
    const int before = (a->exponent || d.point < 1 ? 1 : d.point) + tn_array_minus(a, i);
    const int behind = d.n - (a->exponent ? 1 : d.point);
    if (before > a->before) a->before = before;
    if (behind > a->behind) a->behind = behind;
    if (tn_array_exponent(&d) > exponent) exponent = tn_array_exponent(&d);
    finite++;
  }
  if (a->exponent) a->exponent = exponent;
  a->columns = a->before + 1 + a->behind + (a->exponent ? a->exponent + 2 : 0);
  if (finite == a->nvalue || a->columns >= 3 + below) return;
  a->before += 3 + below - a->columns;
  a->columns = 3 + below;
}
static void tn_array_write_float(tn_array *a, int64_t i) {
  tn_decimal d;
  const double x = tn_array_float(a, i);
  if (!(x < HUGE_VAL)) {
    tn_text_add(a->out, "%*s", a->columns, x != x ? "nan" : tn_array_minus(a, i) ? "-inf" : "inf");
    return;
  }
  tn_array_digits(a, i, a->exponent ? a->behind : 0, &d);
  const int minus = tn_array_minus(a, i), ten = d.n ? d.point - 1 : 0;
  char text[TN_NUMBER_TEXT];
  int n = 0;
  if (a->exponent) {
    text[n++] = tn_decimal_at(&d, 0);
    text[n++] = '.';
    for (int k = 1; k <= a->behind; k++) text[n++] = tn_decimal_at(&d, k);
  } else {
    n = tn_decimal_fixed(text, &d, d.n > d.point ? d.n - d.point : 0);
    if (d.n <= d.point || !d.n) text[n++] = '.';
  }
  const int before = a->exponent || d.point < 1 ? 1 : d.point;
  tn_text_add(a->out, "%*s%.*s", a->before - before, minus ? "-" : "", n, text);
  if (a->exponent) tn_text_add(a->out, "e%c%0*d", ten < 0 ? '-' : '+', a->exponent, ten < 0 ? -ten : ten);
  else tn_text_add(a->out, "%*s", a->behind - (n - before - 1), "");
}

static int tn_array_integer(const tn_array *a, int64_t i, char *text) {
  return tn_number_print(text, 24, a->dtype == TINY_U64 ? "%llu" : "%lld", (long long)a->value[i]);
}
static void tn_array_measure(tn_array *a) {
  char text[24];
  if (tn_is_float(a->dtype)) { tn_array_measure_floats(a); return; }
  if (a->dtype == TINY_BOOL) { a->columns = a->ndim ? 5 : 0; return; }
  for (int64_t i = 0; i < a->nvalue; i++) {
    const int n = tn_array_integer(a, i, text);
    if (n > a->columns) a->columns = n;
  }
}
static void tn_array_write_value(tn_array *a) {
  const int64_t i = a->at++;
  char text[24];
  if (tn_is_float(a->dtype)) { tn_array_write_float(a, i); return; }
  if (a->dtype == TINY_BOOL) snprintf(text, sizeof text, "%s", a->value[i] ? "True" : "False");
  else tn_array_integer(a, i, text);
  tn_text_add(a->out, "%*s", a->columns, text);
}

// ** the brackets **

static void tn_array_line(tn_array *a, int indent) {
  tn_text_put(a->out, "\n");
  a->line = a->out->n;
  tn_text_add(a->out, "%*s", indent, "");
}
// The next value, or what stands for those left out, of the last dim: on the next line where this one is full.
static void tn_array_word(tn_array *a, int first, int left_out) {
  tiny_bytes *out = a->out;
  const size_t column = out->n - a->line + 1 + (size_t)(left_out ? 3 : a->columns) + (size_t)a->ndim;
  if (!first && column <= (size_t)a->width) tn_text_put(out, " ");
  else if (!first) {
    while (out->data[out->n - 1] == ' ') out->n--;
    tn_array_line(a, a->ndim);
  }
  if (left_out) tn_text_put(out, "..."); else tn_array_write_value(a);
}
// Dims from d on.
static void tn_array_write(tn_array *a, int d) {
  const int last = d == a->ndim - 1, skips = tn_array_skips(a, d);
  const int64_t items = tn_array_items(a, d);
  tn_text_put(a->out, "[");
  for (int64_t i = 0; i < items + skips; i++) {
    const int left_out = skips && i == a->edge;
    if (last) { tn_array_word(a, i == 0, left_out); continue; }
    for (int k = d + 1; i && k < a->ndim; k++) tn_array_line(a, k < a->ndim - 1 ? 0 : d + 1);
    if (left_out) tn_text_put(a->out, "..."); else tn_array_write(a, d + 1);
  }
  tn_text_put(a->out, "]");
}

// ** the calls **

typedef struct tn_array_call {
  tiny_tensor *x; const tiny_text_desc *d; char *out; size_t nbytes, length; int prints;
} tn_array_call;

static int64_t tn_array_option(int64_t value, int64_t usual) { return value > 0 ? value : usual; }

static void tn_array_open(tn_array *a, const tiny_uop *u, const tiny_text_desc *d) {
  const tiny_shape now = tn_shape_now(u);
  a->dtype = u->dtype; a->ndim = now.ndim;
  memcpy(a->dim, now.dim, sizeof a->dim);
  a->precision = d->precision < 0 ? 0 : (int)tn_array_option(d->precision, 8);
  if (a->precision > TN_NUMBER_PLACES) a->precision = TN_NUMBER_PLACES;
  a->width = (int)tn_array_option(d->width, 75);
  a->suppress = d->suppress;
  const int64_t nelem = tn_dims_nelem(a->ndim, a->dim), edge = tn_array_option(d->edge, 3);
  a->edge = nelem > tn_array_option(d->threshold, 1000) ? edge : INT64_MAX / 2;
  a->nvalue = 1;
  for (int i = 0; i < a->ndim; i++) a->nvalue *= tn_array_items(a, i);
}
// "x: (2,3) f32 on CPU"
static void tn_array_head(const tn_array *a, const tiny_uop *u, const char *name, const char *device) {
  tiny_bytes *out = a->out;
  char text[TN_DIMS_TEXT];
  if (name) tn_text_add(out, "%s: ", name);
  tn_text_put(out, tn_dims_text(text, sizeof text, a->ndim, a->dim));
  if (u->extent) tn_text_add(out, " of %s", tn_text_of(u, text));
  tn_text_add(out, " %s", tn_dtypes[a->dtype].name);
  if (device) tn_text_add(out, " on %s", device);
  tn_text_put(out, "\n");
}
// What can be said of a tensor that cannot be used, and the code that calls give for it.
static tiny_code tn_array_bad(const tiny_ctx *t, const tiny_tensor *x, tiny_bytes *out) {
  char text[TN_DEATH_TEXT];
  if (!tn_live(x)) { tn_text_add(out, "<a tensor that %s>", tn_death_text(x, text)); return TINY_E_STATE; }
  if (t->code == TINY_OK) { tn_text_put(out, "<poison>"); return TINY_E_STATE; }     // the error was cleared
  tn_text_add(out, "<poison: %s>", t->message);
  return t->code;
}
static tiny_code tn_array_text(tiny_ctx *t, tn_array_call *c, tiny_bytes *out) {
  const struct tn_device *device = NULL;
  const char *const name = c->d->name;
  tn_array a;
  if (!tiny_ok(c->x)) {
    if (name) tn_text_add(out, "%s: ", name);
    return tn_array_bad(t, c->x, out);
  }
  memset(&a, 0, sizeof a);
  a.out = out;
  tn_array_open(&a, tn_uop_of(c->x), c->d);
  const tiny_code code = a.nvalue ? tn_array_read(t, c->x, &a, &device) : TINY_OK;
  if (code != TINY_OK) return code;
  const int place = tn_uop_of(c->x)->device;
  if (!c->d->bare)
    tn_array_head(&a, tn_uop_of(c->x), name, device ? device->title : place ? tn_place_name(t, place) : NULL);
  tn_array_measure(&a);
  a.line = out->n;
  if (!a.nvalue) tn_text_put(out, "[]");
  else if (!a.ndim) tn_array_write_value(&a);
  else tn_array_write(&a, 0);
  return TINY_OK;
}
static tiny_code tn_array_guarded(tiny_ctx *t, void *arg) {
  tn_array_call *c = (tn_array_call *)arg;
  tiny_bytes out = {t, NULL, 0, 0};
  const tiny_code code = tn_array_text(t, c, &out);
  if (c->prints) {
    if (!out.n) tn_text_add(&out, "<not computed: %s>", t->message);
    tn_text_put(&out, "\n");
    fwrite(out.data, 1, out.n, stdout);
  } else c->length = tn_text_give(out.data, out.n, c->out, c->nbytes);
  return code;
}

TINY_API size_t tiny_to_text(tiny_tensor *x, const tiny_text_desc *d, char *out, size_t nbytes) {
  tiny_text_desc usual;
  memset(&usual, 0, sizeof usual);
  if (out && nbytes) *out = 0;
  tn_array_call c = {x, d ? d : &usual, out, nbytes, 0, 0};
  if (x) tn_guard(tn_ctx_of(x), tn_array_guarded, &c);
  else c.length = tn_text_give("<NULL>", 6, out, nbytes);
  return c.length;
}
TINY_API tiny_code tiny_print_named(const char *name, tiny_tensor *x) {
  tiny_text_desc d;
  memset(&d, 0, sizeof d);
  d.name = name;
  tn_array_call c = {x, &d, NULL, 0, 0, 1};
  if (x) return tn_guard(tn_ctx_of(x), tn_array_guarded, &c);
  printf("%s%s<NULL>\n", name ? name : "", name ? ": " : "");
  return TINY_E_ARG;
}
TINY_API tiny_code tiny_print(tiny_tensor *x) { return tiny_print_named(NULL, x); }
#endif
