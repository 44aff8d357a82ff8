// csv: tables of numbers as text: RFC 4180, with other separators, comments, names of columns and missing values.
//
// In:  text and a tiny_csv_desc. Out: a tensor (rows, columns); and the other way round. Two passes over the text: the
//      first counts rows, so that memory is asked for once, and no more than the text could fill.
// Numbers are read and written by base/number.c, alike in every locale.
#ifndef TN_IO_CSV
#define TN_IO_CSV
#ifndef TINY_AMALGAMATED
#include "source.c"
#endif

typedef struct tn_csv {
  const tn_source *s; const tiny_csv_desc *d;
  char separator; unsigned char comment;     // comment: 0: no line is one
  size_t at;
  int64_t row;                             // rows that were read, the names not counted
  int64_t fields, columns;                 // of a row of the file; of the tensor
  int64_t *column;                         // of the tensor, by field; -1: not asked for. NULL: all, in order
} tn_csv;

// A field: where its text stands, quotes left out; doubled: with quotes in it that stand for one.
typedef struct tn_csv_field { size_t begin, end; int doubled, last; } tn_csv_field;

static int tn_csv_ends_line(int c) { return c == '\n' || c == '\r'; }
static void tn_csv_skip_line(tn_csv *r) {
  const tn_source *s = r->s;
  while (r->at < s->nbytes && !tn_csv_ends_line(s->data[r->at])) r->at++;
  const int both = s->nbytes - r->at >= 2 && s->data[r->at] == '\r' && s->data[r->at + 1] == '\n';
  if (r->at < s->nbytes) r->at += both ? 2 : 1;
}
// To the next line that is neither empty nor a comment; 0: there is none.
static int tn_csv_next_row(tn_csv *r) {
  const tn_source *s = r->s;
  while (r->at < s->nbytes) {
    if (tn_csv_ends_line(s->data[r->at])) r->at++;
    else if (r->comment && s->data[r->at] == r->comment) tn_csv_skip_line(r);
    else return 1;
  }
  return 0;
}
// The field at r->at, which goes behind it: to the next field, or to the end of the line.
static int tn_csv_take(tn_csv *r, tn_csv_field *f) {
  const tn_source *s = r->s;
  const unsigned char *d = s->data;
  const size_t n = s->nbytes;
  f->doubled = 0;
  if (r->at < n && d[r->at] == '"') {
    f->begin = ++r->at;
    for (; r->at < n; r->at++) {
      if (d[r->at] != '"') continue;
      if (r->at + 1 >= n || d[r->at + 1] != '"') break;
      f->doubled = 1;
      r->at++;
    }
    if (r->at >= n) return tn_source_fail(s, f->begin - 1, "quotes", "a field that does not end");
    f->end = r->at++;
    if (r->at < n && d[r->at] != (unsigned char)r->separator && !tn_csv_ends_line(d[r->at]))
      return tn_source_fail(s, r->at, "quotes", "text behind them");
  } else {
    f->begin = r->at;
    while (r->at < n && d[r->at] != (unsigned char)r->separator && !tn_csv_ends_line(d[r->at])) r->at++;
    f->end = r->at;
  }
  f->last = r->at >= n || tn_csv_ends_line(d[r->at]);
  if (!f->last) r->at++;
  return 1;
}

// ** numbers **

static int tn_csv_same(const char *text, size_t n, const char *word) {       // in whatever case
  size_t i = 0;
  for (; i < n && word[i]; i++)
    if ((text[i] >= 'A' && text[i] <= 'Z' ? text[i] + 'a' - 'A' : text[i]) != word[i]) return 0;
  return i == n && !word[i];
}
static const double tn_csv_tens[16] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                       1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

// Up to 15 digits are an exact double, and so is the power of ten that they are divided by (Clinger, "How to read
// floating point numbers accurately", 1990, section 4). 0: it is no such number.
static int tn_csv_small(const char *text, size_t n, double *out) {
  size_t i = n && (text[0] == '-' || text[0] == '+');
  int64_t k = 0;
  int digits = 0, places = 0, point = 0;
  for (; i < n && digits < 16; i++) {
    if (text[i] == '.' && !point) { point = 1; continue; }
    if (text[i] < '0' || text[i] > '9') return 0;
    k = k * 10 + (text[i] - '0');
    digits++;
    places += point;
  }
  if (!digits || digits > 15 || i < n) return 0;
  *out = (double)k / tn_csv_tens[places];
  if (text[0] == '-') *out = -*out;
  return 1;
}
static int tn_csv_is_any(const char *text, size_t n, const char *const *words, int nwords) {
  for (int i = 0; i < nwords; i++) if (tn_csv_same(text, n, words[i])) return 1;
  return 0;
}
// C's printf has written a sign before nan as before other numbers.
static int tn_csv_number(const tn_csv *r, const tn_csv_field *f, double *out) {
  static const char *const missing[6] = {"nan", "na", "n/a", "null", "none", "?"};
  static const char *const infinite[2] = {"inf", "infinity"};
  const char *text = (const char *)r->s->data + f->begin;
  size_t n = f->end - f->begin;
  for (; n && (*text == ' ' || *text == '\t'); n--) text++;
  while (n && (text[n - 1] == ' ' || text[n - 1] == '\t')) n--;
  *out = tn_float_of_bits((uint64_t)0x7FF8 << 48);
  if (!n || (r->d->missing && strlen(r->d->missing) == n && !memcmp(text, r->d->missing, n))) return 1;
  if (tn_csv_small(text, n, out) || tn_number_parse(text, n, out)) return 1;
  const size_t sign = *text == '-' || *text == '+';
  if (tn_csv_is_any(text, n, missing, 6) || tn_csv_same(text + sign, n - sign, "nan")) return 1;
  if (tn_csv_is_any(text + sign, n - sign, infinite, 2)) {
    *out = *text == '-' ? -HUGE_VAL : HUGE_VAL;
    return 1;
  }
  return tn_source_fail(r->s, f->begin, "number", "row %lld: '%.*s' is none", (long long)r->row + 1,
                        n < 40 ? (int)n : 40, text);
}

// ** columns **

// Where text that a field is goes on, one character at a time; -1: it has ended.
static int tn_csv_character(const tn_csv *r, const tn_csv_field *f, size_t *at) {
  if (*at >= f->end) return -1;
  const int c = r->s->data[*at];
  *at += f->doubled && c == '"' ? 2 : 1;
  return c;
}
static int tn_csv_is_named(const tn_csv *r, const tn_csv_field *f, const char *name) {
  size_t at = f->begin;
  for (;; name++) {
    const int c = tn_csv_character(r, f, &at);
    if (c < 0) return !*name;
    if (c != (unsigned char)*name) return 0;
  }
}
static void tn_csv_tell_name(const tn_csv *r, const tn_csv_field *f, size_t *told) {
  size_t at = f->begin;
  for (int c; (c = tn_csv_character(r, f, &at)) >= 0;)
    if (*told + 1 < r->d->found_nbytes) r->d->found[(*told)++] = (char)(tn_csv_ends_line(c) ? ' ' : c);
  if (*told + 1 < r->d->found_nbytes) r->d->found[(*told)++] = '\n';
  if (r->d->found_nbytes) r->d->found[*told] = 0;
}
// The field of the row at which h stands that is column i of the tensor; -1: there is none.
static int64_t tn_csv_find(tn_csv h, int i, tn_csv_field *f) {
  const tiny_csv_desc *d = h.d;
  for (int64_t at = 0; at < h.fields && tn_csv_take(&h, f); at++)
    if (d->names ? tn_csv_is_named(&h, f, d->names[i]) : at == d->columns[i]) return at;
  return -1;
}
// Which field goes where, of those that are asked for.
static int tn_csv_choose_some(tn_csv *r, tn_csv h, size_t *told) {
  const tiny_csv_desc *d = r->d;
  r->columns = d->n;
  r->column = (int64_t *)tn_alloc(r->s->t, ((size_t)r->fields + 1) * sizeof *r->column);
  if (!r->column) return 0;
  for (int64_t i = 0; i < r->fields; i++) r->column[i] = -1;
  for (int i = 0; i < d->n; i++) {
    tn_csv_field f = {0, 0, 0, 0};
    const int64_t at = tn_csv_find(h, i, &f);
    if (at < 0 && d->names) return tn_source_fail(r->s, h.at, "header", "no column '%.100s'", d->names[i]);
    if (at < 0) return tn_source_fail(r->s, h.at, "columns", "%d of %lld", d->columns[i], (long long)r->fields);
    if (r->column[at] >= 0)
      return tn_source_fail(r->s, h.at, "columns", "column %lld is asked for twice", (long long)at);
    r->column[at] = i;
    if (d->found && d->header) tn_csv_tell_name(r, &f, told);
  }
  return 1;
}
// begin: of the header, or of the first row.
static int tn_csv_choose(tn_csv *r, size_t begin) {
  const tiny_csv_desc *d = r->d;
  size_t told = 0;
  tn_csv h = *r;
  h.at = begin;
  if (d->found && d->found_nbytes) d->found[0] = 0;
  if (d->n) return tn_csv_choose_some(r, h, &told);
  r->columns = r->fields;
  for (int64_t i = 0; d->found && d->header && i < r->fields; i++) {
    tn_csv_field f = {0, 0, 0, 0};
    if (!tn_csv_take(&h, &f)) return 0;
    tn_csv_tell_name(r, &f, &told);
  }
  return 1;
}

// ** reading **

// One row, its numbers to `to`, of `dtype`, if that is not NULL; 0 after an error.
static int tn_csv_row(tn_csv *r, int dtype, char *to) {
  const size_t begin = r->at, each = tn_dtypes[dtype].nbytes;
  int64_t i = 0;
  for (tn_csv_field f = {0, 0, 0, 0}; !f.last; i++) {
    if (!tn_csv_take(r, &f)) return 0;
    const int64_t column = i >= r->fields ? -1 : r->column ? r->column[i] : i;
    double x;
    if (!to || column < 0) continue;
    if (!tn_csv_number(r, &f, &x)) return 0;
    tn_dtype_store(dtype, to + (size_t)column * each, tn_from_f64(x));
  }
  if (!r->fields) r->fields = i;
  if (i != r->fields)
    return tn_source_fail(r->s, begin, "row", "row %lld has %lld fields, others %lld", (long long)r->row + 1,
                          (long long)i, (long long)r->fields);
  r->row++;
  return 1;
}
static int tn_csv_table(tn_csv *r, size_t first, tiny_uop **out) {
  tiny_ctx *t = r->s->t;
  const int dtype = r->d->dtype == TINY_F64 ? TINY_F64 : TINY_F32;
  const int64_t dim[2] = {r->row, r->columns};
  const size_t line = (size_t)r->columns * tn_dtypes[dtype].nbytes, nbytes = (size_t)r->row * line + 1;
  char *data = (char *)tn_alloc(t, nbytes);
  int done = data != NULL;
  r->at = first;
  r->row = 0;
  while (done && tn_csv_next_row(r)) done = tn_csv_row(r, dtype, data + (size_t)r->row * line);
  if (done) *out = tn_upload(tn_device_here(t), data, dtype, 2, dim);
  if (data) tn_release(t, data, nbytes);
  return done && !tn_bad(t, *out);
}
static int tn_csv_read(const tn_source *s, const void *what, tiny_uop **out) {
  TN_FLOAT_MODE;
  static const unsigned char mark[3] = {0xEF, 0xBB, 0xBF};    // of UTF-8, as some programs begin a text
  tn_csv r;
  memset(&r, 0, sizeof r);
  r.s = s; r.d = (const tiny_csv_desc *)what;
  r.separator = r.d->separator ? r.d->separator : ',';
  r.comment = (unsigned char)(r.d->comment || r.d->header ? r.d->comment : '#');
  if (s->nbytes >= 3 && !memcmp(s->data, mark, 3)) r.at = 3;
  for (int i = 0; i < r.d->skip && r.at < s->nbytes; i++) tn_csv_skip_line(&r);
  size_t header = 0;
  int done = 1;
  if (r.d->header) {
    done = tn_csv_next_row(&r) || tn_source_fail(s, r.at, "header", "missing");
    header = r.at;
    done = done && tn_csv_row(&r, TINY_F32, NULL);
  }
  const size_t first = r.at;
  r.row = 0;
  while (done && tn_csv_next_row(&r)) {
    if (!r.d->header && !r.row) header = r.at;
    done = tn_csv_row(&r, TINY_F32, NULL);
  }
  done = done && tn_csv_choose(&r, header) && tn_csv_table(&r, first, out);
  tn_release(s->t, r.column, ((size_t)r.fields + 1) * sizeof *r.column);
  return done;
}
static const tiny_csv_desc tn_csv_standard = {0, 0, 0, 0, TINY_VOID, NULL, NULL, NULL, 0, NULL, 0};
static int tn_csv_check(tiny_ctx *t, const char *name, const tiny_csv_desc *d) {
  const int floats = d->dtype == TINY_VOID || d->dtype == TINY_F32 || d->dtype == TINY_F64;
  const char *wrong = !floats                                        ? "dtype is neither f32 nor f64" :
      d->n < 0 || (d->n && !d->columns && !d->names)                 ? "n counts columns or names" :
      d->n && d->names && !d->header                                 ? "names of columns stand in a header" :
      d->separator == '"' || tn_csv_ends_line(d->separator)          ? "quotes and ends of lines are no separators" :
                                                                       NULL;
  for (int i = 0; !wrong && d->names && i < d->n; i++) if (!d->names[i]) wrong = "a name is NULL";
  if (wrong) tiny_fail(t, TINY_E_ARG, "%s: %s", name, wrong);
  return !wrong;
}
TINY_API tiny_tensor *tiny_load_csv(tiny_ctx *t, const char *path, const tiny_csv_desc *d) {
  if (!d) d = &tn_csv_standard;
  return tn_csv_check(t, "load_csv", d) ? tn_source_load(t, "load_csv", path, tn_csv_read, d) : tn_poison(t);
}
TINY_API tiny_tensor *tiny_load_csv_from(tiny_ctx *t, const void *data, size_t nbytes, const tiny_csv_desc *d) {
  if (!d) d = &tn_csv_standard;
  return tn_csv_check(t, "load_csv_from", d) ? tn_source_load_from(t, data, nbytes, tn_csv_read, d) : tn_poison(t);
}

// ** writing **

typedef struct tn_csv_save { tiny_tensor *x; const tiny_csv_desc *d; } tn_csv_save;

// A name as a field, in quotes where it needs them: one that is empty could be an empty line.
static int tn_csv_put_name(tn_sink *s, const char *name, char separator) {
  const size_t n = strlen(name);
  const int quoted = !n || strchr(name, separator) || strpbrk(name, "\"\r\n");
  if (!quoted) return tn_sink_put(s, name, n);
  int done = tn_sink_put(s, "\"", 1);
  for (size_t i = 0; i < n; i++)
    done = done && (name[i] != '"' || tn_sink_put(s, "\"", 1)) && tn_sink_put(s, name + i, 1);
  return done && tn_sink_put(s, "\"", 1);
}
// A float value k of at most 15 digits: the division of tn_csv_small proves that it is read again. 0: it has more.
static int tn_csv_short(char *out, size_t room, int dtype, int64_t k) {
  const double x = tn_to_f64(k), size = fabs(x);
  int whole = 1;                           // digits before the point
  if (!(size >= 1e-4 && size < 1e15)) return 0;
  while (size >= tn_csv_tens[whole]) whole++;
  for (int digits = whole < 6 ? 6 : whole; digits <= 15; digits++) {
    int places = digits - whole;
    int64_t all = (int64_t)floor(size * tn_csv_tens[places] + 0.5);
    const double back = (double)all / tn_csv_tens[places];
    if (tn_dtype_value(dtype, x < 0 ? -back : back) != k) continue;
    for (; places && all % 10 == 0; places--) all /= 10;
    const int64_t unit = (int64_t)tn_csv_tens[places];
    const char *sign = x < 0 ? "-" : "";
    if (!places) return tn_number_print(out, room, "%s%lld", sign, (long long)all);
    return tn_number_print(out, room, "%s%lld.%0*lld", sign, (long long)(all / unit), places, (long long)(all % unit));
  }
  return 0;
}
// Element k of dtype, with as many digits as tell it from its neighbours.
static int tn_csv_text(char *out, size_t room, int dtype, int64_t k) {
  if (dtype == TINY_U64) return tn_number_print(out, room, "%llu", (unsigned long long)k);
  if (!tn_is_float(dtype)) return tn_number_print(out, room, "%lld", (long long)k);
  double back = 0;
  int n = tn_csv_short(out, room, dtype, k);
  for (int digits = dtype == TINY_F64 ? 15 : 6; !n; digits++) {
    n = tn_number_print(out, room, "%.*g", digits, tn_to_f64(k));
    if (digits < 17 && tn_number_parse(out, (size_t)n, &back) && tn_dtype_value(dtype, back) != k) n = 0;
  }
  return n;
}
enum { TN_CSV_PAGE = 64 * 1024, TN_CSV_FIELD = 64 };         // bytes written at a time; of a number at most

// page: of TN_CSV_PAGE bytes.
static int tn_csv_put_rows(tn_sink *s, char *page, const char *data, int dtype, int64_t n, int64_t columns,
                           char separator) {
  const size_t each = tn_dtypes[dtype].nbytes;
  size_t used = 0;
  for (int64_t i = 0; i < n; i++, data += each) {
    used += (size_t)tn_csv_text(page + used, TN_CSV_FIELD - 1, dtype, tn_dtype_load(dtype, data));
    page[used++] = (i + 1) % columns ? separator : '\n';
    if (used < TN_CSV_PAGE - TN_CSV_FIELD && i + 1 < n) continue;
    if (!tn_sink_put(s, page, used)) return 0;
    used = 0;
  }
  return 1;
}
static int tn_csv_write(tn_sink *s, const void *what) {
  TN_FLOAT_MODE;
  const tn_csv_save *w = (const tn_csv_save *)what;
  const tiny_uop *u = tn_uop_of(w->x);
  const tiny_csv_desc *d = w->d;
  const char separator = d->separator ? d->separator : ',';
  const int64_t columns = u->ndim == 2 ? u->dim[1] : 1;
  const int dtype = u->dtype;
  char text[TN_DIMS_TEXT];
  if (dtype == TINY_BOOL) {
    tiny_fail(s->t, TINY_E_DTYPE, "%s: numbers, not bool", s->name);
    return 0;
  }
  if (strchr("+-.0123456789aefint", separator)) {
    tiny_fail(s->t, TINY_E_ARG, "%s: numbers have a '%c', which separates nothing", s->name, separator);
    return 0;
  }
  if (u->extent || u->ndim < 1 || u->ndim > 2 || columns < 1 || (d->n && d->n != columns)) {
    tiny_fail(s->t, TINY_E_SHAPE, "%s: %s is no table, or has not %d columns", s->name, tn_text_of(u, text), d->n);
    return 0;
  }
  const int64_t rows = u->dim[0];
  const size_t nbytes = (size_t)(rows * columns) * tn_dtypes[dtype].nbytes;
  char *data = (char *)tn_alloc(s->t, nbytes + 1), *page = data ? (char *)tn_alloc(s->t, TN_CSV_PAGE) : NULL;
  int done = page && tn_read_whole(w->x, data, nbytes) == TINY_OK;
  for (int i = 0; done && d->names && i < d->n; i++)
    done = tn_csv_put_name(s, d->names[i], separator) && tn_sink_put(s, i + 1 < d->n ? &separator : "\n", 1);
  done = done && tn_csv_put_rows(s, page, data, dtype, rows * columns, columns, separator);
  tn_release(s->t, page, TN_CSV_PAGE);
  tn_release(s->t, data, nbytes + 1);
  return done;
}
static tiny_code tn_csv_store(const char *name, tiny_tensor *x, const char *path, const tiny_writer *to,
                              const tiny_csv_desc *d) {
  tiny_csv_desc of = d ? *d : tn_csv_standard;
  const tn_csv_save w = {x, &of};
  of.header = 1;
  if (!of.names) of.n = 0;
  if (tiny_ok(x) && !tn_csv_check(tn_ctx_of(x), name, &of)) return TINY_E_ARG;
  return tn_sink_save(name, x, path, to, tn_csv_write, &w);
}
TINY_API tiny_code tiny_save_csv(tiny_tensor *x, const char *path, const tiny_csv_desc *d) {
  return tn_csv_store("save_csv", x, path, NULL, d);
}
TINY_API tiny_code tiny_save_csv_to(tiny_tensor *x, tiny_writer to, const tiny_csv_desc *d) {
  return tn_csv_store("save_csv_to", x, NULL, &to, d);
}
#endif
