// print: the one notation of the IR, for dumps, golden files and test input. What is printed parses back to
// the same node.
//
//   (ADD:f32 (MUL:f32 %1 0.5:f32) %2)      op : dtype x lanes : what k means, then sources, then v
//   4   0.5:f32   1:bool   inf:f32         constants; bare integers are INDEX; 0x..:f32 gives the bits of k
//   (RANGE:17:reduce 1024)  (REDUCE:f32:ADD:axes=0,2 x)  (RESHAPE:f32 x [2 3])  (PARAM:f32:0 1024)
//   (DEFINE:f32x4:3:reg 8)  (SPECIAL:item0 64)  (VIEW:f32:offset x [shape.. strides..])
//   (BUFFER:f32:#7 1024)                   the live BUFFER of that serial; else a new one without storage
//   %3 = (LOAD:f32 ...)                    names a node; any word is a name; the last expression counts
//
// Nodes that are used twice, and parts of what would be longer than a line, get a name. Void ops and counters
// leave out their dtype; in input, arithmetic may do so too: it is that of the sources. k=5 gives k of an op
// that has no form of its own.
//
// The parser takes untrusted text: nesting is limited, numbers are checked, and no node is made whose
// arguments do not fit.
#ifndef TN_IR_PRINT
#define TN_IR_PRINT
#ifndef TINY_AMALGAMATED
#include "args.c"
#endif

enum { TN_PRINT_COLUMNS = 100, TN_PARSE_DEPTH = 10000, TN_PARSE_SHOWN = 76 };

static const char *const tn_kind_names[TN_KINDS] =
  {"task", "global", "local", "loop", "group", "share", "reduce", "upcast", "unroll", "vector"};
static const char *const tn_space_names[3] = {"global", "local", "reg"};

// What k is, and so how it reads.
enum {
  TN_K_PLAIN, TN_K_VALUE, TN_K_NUMBER, TN_K_SERIAL, TN_K_RANGE, TN_K_SPECIAL, TN_K_SPACE, TN_K_AXES, TN_K_OP
};
static int tn_print_style(int op) {
  switch (op) {
    case TINY_OP_CONST: case TINY_OP_SCALAR: return TN_K_VALUE;
    case TINY_OP_PARAM: case TINY_OP_ARG: case TINY_OP_IOTA: case TINY_OP_DEFINE: case TINY_OP_PICK:
    case TINY_OP_VIEW: case TINY_OP_THREEFRY: return TN_K_NUMBER;
    case TINY_OP_BUFFER: return TN_K_SERIAL;
    case TINY_OP_RANGE: return TN_K_RANGE;
    case TINY_OP_SPECIAL: return TN_K_SPECIAL;
    case TINY_OP_STAGE: return TN_K_SPACE;
    case TINY_OP_FLIP: return TN_K_AXES;
    case TINY_OP_REDUCE: case TINY_OP_HREDUCE: return TN_K_OP;
    default: return TN_K_PLAIN;
  }
}

// The dtype that goes without saying, or -1.
static int tn_print_default_dtype(int op) {
  if (tn_op_is(op, TINY_VOIDOP)) return TINY_VOID;
  return op == TINY_OP_RANGE || op == TINY_OP_SPECIAL || op == TINY_OP_IOTA ? (int)TINY_INDEX : -1;
}

// ** numbers **

// A decimal integer of the dtype; 0 if it is none or does not fit.
static int tn_parse_integer(const char *text, size_t n, int dtype, int64_t *out) {
  const int minus = n && *text == '-';
  const uint64_t limit = dtype == TINY_U64 ? UINT64_MAX
    : (uint64_t)tn_dtype_max(dtype == TINY_VOID ? (int)TINY_I64 : dtype) + (uint64_t)minus;
  uint64_t sum = 0;
  if (n == (size_t)minus) return 0;
  for (size_t i = (size_t)minus; i < n; i++) {
    const unsigned digit = (unsigned)(text[i] - '0');
    if (digit > 9 || sum > (limit - digit) / 10) return 0;
    sum = sum * 10 + digit;
  }
  if (minus && sum && dtype != TINY_VOID && !tn_is_signed(dtype)) return 0;
  *out = (int64_t)(minus ? 0 - sum : sum);
  return 1;
}

// Any constant of the dtype.
static int tn_parse_value(const char *text, size_t n, int dtype, int64_t *out) {
  if (!tn_is_float(dtype)) return tn_parse_integer(text, n, dtype, out);
  double x = 0;
  if (n > 2 && n <= 18 && text[0] == '0' && text[1] == 'x') {
    uint64_t bits = 0;
    for (size_t i = 2; i < n; i++) {
      const char *digits = "0123456789abcdef", *d = strchr(digits, text[i]);
      if (!d || !*d) return 0;
      bits = bits << 4 | (uint64_t)(d - digits);
    }
    *out = (int64_t)bits;
    return 1;
  }
  if (n == 3 && !memcmp(text, "inf", 3)) x = HUGE_VAL;
  else if (n == 4 && !memcmp(text, "-inf", 4)) x = -HUGE_VAL;
  else if (n == 3 && !memcmp(text, "nan", 3)) x = (double)NAN;
  else if (!tn_number_parse(text, n, &x)) return 0;
  *out = tn_dtype_value(dtype, x);
  return 1;
}

// The shortest of a few forms that parses back to k; 0 if k is no value of the dtype.
static int tn_print_value(char *out, size_t nbytes, int dtype, int64_t k) {
  int64_t back = 0;
  if (!tn_is_float(dtype)) {
    const int n = dtype == TINY_U64 ? snprintf(out, nbytes, "%llu", (unsigned long long)k)
      : snprintf(out, nbytes, "%lld", (long long)k);
    return tn_parse_integer(out, (size_t)n, dtype, &back);
  }
  const double x = tn_to_f64(k);
  if (x != x || fabs(x) == HUGE_VAL) {
    snprintf(out, nbytes, "%s", x != x ? "nan" : x < 0 ? "-inf" : "inf");
    if (tn_dtype_value(dtype, x) == k) return 1;
  } else for (int digits = 6; digits <= 17; digits += digits == 6 ? 3 : 8) {
    tn_number_print(out, nbytes - 2, "%.*g", digits, x);
    if (!strpbrk(out, ".e")) strcat(out, ".0");
    if (tn_parse_value(out, strlen(out), dtype, &back) && back == k) return 1;
  }
  snprintf(out, nbytes, "0x%016llx", (unsigned long long)k);
  return 1;
}

// ** printing **

static int tn_print_short(const tiny_uop *u) {
  return u->op == TINY_OP_CONST && u->lanes == 1 && u->dtype != TINY_VOID && !u->nv;
}

static void tn_print_axes(tiny_bytes *out, int64_t bits) {
  const char *before = ":axes=";
  for (int i = 0; i < 48; i++) if (bits >> i & 1) { tn_text_add(out, "%s%d", before, i); before = ","; }
}

static void tn_print_k(tiny_bytes *out, const tiny_uop *u) {
  const int style = tn_print_style(u->op);
  const int64_t k = u->k, low = k & 0xFF;
  if (style == TN_K_NUMBER) tn_text_add(out, ":%lld", (long long)k);
  else if (style == TN_K_SERIAL) tn_text_add(out, ":#%lld", (long long)k);
  else if (style == TN_K_RANGE && k >= 0 && low < TN_KINDS)
    tn_text_add(out, ":%lld:%s", (long long)(k >> 8), tn_kind_names[low]);
  else if (style == TN_K_SPECIAL && k >= 0 && k < 32 && (k & 15) < 3)
    tn_text_add(out, ":%s%d", k & 16 ? "item" : "group", (int)(k & 15));
  else if (style == TN_K_SPACE && k >= 0 && tn_stage_space(u) < 3 && tn_stage_ahead(u) <= TN_STAGE_AHEAD_MOST &&
           !(k & TN_STAGE_PRODUCED && !tn_stage_is_bulk(u)) && !tn_stage_pad(u) == !tn_stage_row(u) &&
           tn_stage_row(u) <= UINT32_MAX) {
    tn_text_add(out, ":%s", tn_space_names[tn_stage_space(u)]);
    if (tn_stage_ahead(u)) tn_text_add(out, ":+%d", tn_stage_ahead(u));
    if (tn_stage_is_bulk(u)) tn_text_add(out, tn_stage_is_produced(u) ? ":bulk:produced" : ":bulk");
    if (k >> 8) tn_text_add(out, ":%lld:%lld", (long long)(k >> TN_STAGE_PAD & 0xFFFF), (long long)(k >> TN_STAGE_ROW));
  }
  else if (style == TN_K_AXES && k > 0 && k < 1 << TINY_MAX_DIMS) tn_print_axes(out, k);
  else if (style == TN_K_OP && low < TINY_OP_COUNT && k >= 0 && k >> 8 < 1 << TINY_MAX_DIMS) {
    tn_text_add(out, ":%s", tiny_op_name((int)low));
    tn_print_axes(out, k >> 8);
  } else if (k) tn_text_add(out, ":k=%lld", (long long)k);
}

// Whether v stands where other ops have their sources, without brackets.
static int tn_print_bare(int op) { return tn_print_style(op) != TN_K_VALUE && tn_ops[op].nsrc == 0; }

// What k means, and of ops without sources v.
static void tn_print_arg(tiny_bytes *out, const tiny_uop *u) {
  char value[40];
  if (tn_print_style(u->op) == TN_K_VALUE && tn_print_value(value, sizeof value, u->dtype, u->k))
    tn_text_add(out, " %s", value);
  else tn_print_k(out, u);
  if (u->op == TINY_OP_DEFINE && u->nv == 2 && u->v[0] >= 0 && u->v[0] < 3)
    tn_text_add(out, ":%s %lld", tn_space_names[u->v[0]], (long long)u->v[1]);
  else if (tn_print_bare(u->op)) for (int i = 0; i < u->nv; i++)
    tn_text_add(out, " %lld", (long long)u->v[i]);
}
static void tn_print_v(tiny_bytes *out, const tiny_uop *u) {
  if (!u->nv || tn_print_bare(u->op)) return;
  for (int i = 0; i < u->nv; i++) tn_text_add(out, "%s%lld", i ? " " : " [", (long long)u->v[i]);
  tn_text_add(out, "]");
}
// Everything of a node but its sources and what follows them.
static void tn_print_head(tiny_bytes *out, const tiny_uop *u) {
  char value[40];
  if (tn_print_short(u) && tn_print_value(value, sizeof value, u->dtype, u->k)) {
    tn_text_add(out, u->dtype == TINY_INDEX ? "%s" : "%s:%s", value, tn_dtypes[u->dtype].name);
    return;
  }
  tn_text_add(out, "(%s", tiny_op_name(u->op));
  if (u->lanes != 1 || u->dtype != tn_print_default_dtype(u->op))
    tn_text_add(out, ":%s", tiny_dtype_name((tiny_dtype)u->dtype));
  if (u->lanes != 1) tn_text_add(out, "x%d", u->lanes);
  tn_print_arg(out, u);
}
static void tn_print_tail(tiny_bytes *out, const tiny_uop *u) {
  tn_print_v(out, u);
  tn_text_add(out, ")");
}

// name < 0: to be named; > 0: its number
typedef struct tn_print_note { int uses, width, name; } tn_print_note;
typedef struct tn_printer {
  tiny_bytes *out; tn_map index; tn_print_note *note;
  tn_walk *path; int depth, cap;           // nodes whose parenthesis is open
} tn_printer;

static tn_print_note *tn_print_find(tn_printer *p, const tiny_uop *u) {
  return &p->note[(intptr_t)tn_map_get(&p->index, u) - 1];
}
static int tn_print_shown(const tn_print_note *n) { return n->name ? 5 : n->width; }

static void tn_print_open(tiny_ctx *t, tn_printer *p, tiny_uop *u) {
  tn_walk *top = TN_PUSH(t, p->path, p->depth, p->cap, tn_walk);
  top->u = u; top->next = 0;
  tn_print_head(p->out, u);
}
// What u is, with the names of what has one.
static void tn_print_expr(tiny_ctx *t, tn_printer *p, tiny_uop *u) {
  const size_t before = p->out->n;
  tn_print_open(t, p, u);
  if (p->out->data[before] != '(') { p->depth--; return; }
  while (p->depth) {
    tn_walk *top = &p->path[p->depth - 1];
    if (top->next == top->u->nsrc) { tn_print_tail(p->out, top->u); p->depth--; continue; }
    tiny_uop *s = top->u->src[top->next++];
    const int name = tn_print_find(p, s)->name;
    if (name) { tn_text_add(p->out, " %%%d", name); continue; }
    tn_text_add(p->out, " ");
    const size_t at = p->out->n;
    tn_print_open(t, p, s);
    if (p->out->data[at] != '(') p->depth--;
  }
}

// Chooses what of u's sources to name so that u fits a line.
static void tn_print_fit(tn_printer *p, const tiny_uop *u, tn_print_note *note, int own_width) {
  note->width = own_width;
  for (uint32_t i = 0; i < u->nsrc; i++) note->width += 1 + tn_print_shown(tn_print_find(p, u->src[i]));
  while (note->width > TN_PRINT_COLUMNS) {
    tn_print_note *widest = NULL;
    for (uint32_t i = 0; i < u->nsrc; i++) {
      tn_print_note *n = tn_print_find(p, u->src[i]);
      if (!n->name && u->src[i]->nsrc && (!widest || n->width > widest->width)) widest = n;
    }
    if (!widest) return;
    note->width -= widest->width - 5;
    widest->name = -1;
  }
}

static void tn_print(tiny_ctx *t, tiny_uop *u, tiny_bytes *out) {
  tn_list order = {NULL, 0, 0};
  tn_printer p;
  memset(&p, 0, sizeof p);
  p.out = out;
  tn_toposort(t, u, &order);
  p.note = (tn_print_note *)tn_scratch(t, (size_t)order.n * sizeof *p.note);
  for (int i = 0; i < order.n; i++) tn_map_set(t, &p.index, order.u[i], (void *)(intptr_t)(i + 1));
  for (int i = 0; i < order.n; i++) for (uint32_t s = 0; s < order.u[i]->nsrc; s++)
    tn_print_find(&p, order.u[i]->src[s])->uses++;
  for (int i = 0; i < order.n; i++) {
    tiny_bytes own = {t, NULL, 0, 0};
    tn_print_head(&own, order.u[i]);
    if (own.data[0] == '(') tn_print_tail(&own, order.u[i]);
    tn_print_fit(&p, order.u[i], &p.note[i], (int)own.n);
    if (p.note[i].uses > 1 && own.data[0] == '(') p.note[i].name = -1;
  }
  for (int i = 0, names = 0; i < order.n - 1; i++) if (p.note[i].name) {
    p.note[i].name = ++names;
    tn_text_add(out, "%%%d = ", names);
    tn_print_expr(t, &p, order.u[i]);
    tn_text_add(out, "\n");
  }
  tn_print_expr(t, &p, u);
}

// A program: a numbered line for every node but the constants, indented by loops.
static void tn_print_list(tiny_ctx *t, tiny_uop *const *list, int n, tiny_bytes *out) {
  tn_map index = {NULL, 0, 0};
  int depth = 0;
  for (int i = 0; i < n; i++) {
    tiny_uop *u = list[i];
    tn_map_set(t, &index, u, (void *)(intptr_t)(i + 1));
    if (tn_print_short(u)) continue;
    if ((u->op == TINY_OP_END || u->op == TINY_OP_ENDIF) && depth) depth--;
    char name[16];
    snprintf(name, sizeof name, "%%%d", i);
    tn_text_add(out, "%-4s = %*s", name, 2 * depth, "");
    tn_print_head(out, u);
    for (uint32_t s = 0; s < u->nsrc; s++) {
      tn_text_add(out, " ");
      if (tn_print_short(u->src[s])) tn_print_head(out, u->src[s]);
      else if (tn_map_has(&index, u->src[s]))
        tn_text_add(out, "%%%d", (int)(intptr_t)tn_map_get(&index, u->src[s]) - 1);
      else tn_text_add(out, "%%missing_%s", tiny_op_name(u->src[s]->op));
    }
    tn_print_tail(out, u);
    tn_text_add(out, "\n");
    if (u->op == TINY_OP_RANGE || u->op == TINY_OP_IF) depth++;
  }
}

typedef struct tn_print_call { tiny_uop *u; char *text; size_t nbytes, length; } tn_print_call;
static tiny_code tn_print_guarded(tiny_ctx *t, void *arg) {
  tn_print_call *c = (tn_print_call *)arg;
  tiny_bytes out = {t, NULL, 0, 0};
  tn_print(t, c->u, &out);
  c->length = tn_text_give(out.data, out.n, c->text, c->nbytes);
  return TINY_OK;
}
#ifndef TINY_RUNTIME_ONLY
TINY_API size_t tiny_uop_print(tiny_ctx *t, tiny_uop *u, char *out, size_t nbytes) {
  tn_print_call c = {u, out, out ? nbytes : 0, 0};
  if (out && nbytes) *out = 0;
  if (t && u) tn_guard(t, tn_print_guarded, &c);
  return c.length;
}
#endif

// ** parsing **

typedef struct tn_parse_name {
  const char *text; size_t n; tiny_uop *u; struct tn_parse_name *next;
} tn_parse_name;
typedef struct tn_parse_open {             // a node whose parenthesis is open
  const char *at;
  int op, dtype, lanes, nv, first;         // dtype -1: not said; first: of its sources in the parser's stack
  int64_t k, v[2 * TINY_MAX_DIMS];
} tn_parse_open;
typedef struct tn_parser {
  tiny_ctx *t;
  const char *text, *at;
  tn_parse_open *open; int depth, open_cap;
  tn_list src, *order;                     // order: every node, as the text has them; may be NULL
  tn_map names, listed;
  const char *name; size_t nname;          // of the statement
  tiny_uop *last;
} tn_parser;

// Records the error with the line it is in and a caret below it. Returns 0.
static int tn_parse_fail(tn_parser *p, const char *at, const char *format, ...) TN_PRINTF(3, 4);
static int tn_parse_fail(tn_parser *p, const char *at, const char *format, ...) {
  char why[256], shown[TN_PARSE_SHOWN + 1];
  int line = 1;
  const char *start = p->text;
  va_list args;
  va_start(args, format);
  tn_number_list(why, sizeof why, format, args);
  va_end(args);
  for (const char *c = p->text; c < at; c++) if (*c == '\n') { line++; start = c + 1; }
  const long column = (long)(at - start);
  if (column > TN_PARSE_SHOWN / 2) start = at - TN_PARSE_SHOWN / 2;         // a window of a long line
  int n = 0;
  for (; n < TN_PARSE_SHOWN && start[n] && start[n] != '\n'; n++)
    shown[n] = start[n] >= ' ' && start[n] < 127 ? start[n] : '.';
  shown[n] = 0;
  tiny_fail(p->t, TINY_E_ARG, "uop_parse: line %d, column %ld: %s\n  %s\n  %*s^", line, column + 1, why,
    shown, (int)(at - start), "");
  return 0;
}

static int tn_is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
static void tn_parse_skip(tn_parser *p) { while (tn_is_space(*p->at)) p->at++; }
static size_t tn_parse_word(const char *at, const char *stop) {
  size_t n = 0;
  while (at[n] && !tn_is_space(at[n]) && !strchr(stop, at[n])) n++;
  return n;
}
static int tn_word_is(const char *word, size_t n, const char *name) {
  return strlen(name) == n && !memcmp(word, name, n);
}
static int tn_word_among(const char *word, size_t n, const char *const *names, int count) {
  for (int i = 0; i < count; i++) if (tn_word_is(word, n, names[i])) return i;
  return -1;
}
static int tn_word_op(const char *word, size_t n) {
  for (int i = 0; i < TINY_OP_COUNT; i++) if (tn_word_is(word, n, tn_ops[i].name)) return i;
  return -1;
}
// "f32", "f32x16"
static int tn_word_dtype(const char *word, size_t n, int *dtype, int *lanes) {
  for (int i = 0; i < TINY_DTYPE_COUNT; i++) {
    const size_t m = strlen(tn_dtypes[i].name);
    int64_t count = 1;
    if (n < m || memcmp(word, tn_dtypes[i].name, m)) continue;
    if (n > m && (n > m + 6 || word[m] != 'x' ||
      !tn_parse_integer(word + m + 1, n - m - 1, TINY_U16, &count) || count < 1)) continue;
    *dtype = i; *lanes = (int)count;
    return 1;
  }
  return 0;
}

static int tn_parse_axes(const char *word, size_t n, int64_t *bits) {
  *bits = 0;
  for (size_t i = 0; i < n;) {
    const size_t m = tn_parse_word(word + i, ",:()[]");
    int64_t axis = 0;
    if (!tn_parse_integer(word + i, m, TINY_I64, &axis) || axis < 0 || axis >= TINY_MAX_DIMS) return 0;
    *bits |= (int64_t)1 << axis;
    i += m + 1;
  }
  return 1;
}

// One field of a head, after its colon; the counterpart of tn_print_k.
static int tn_parse_field(tn_parse_open *o, const char *word, size_t n, int first) {
  const int style = tn_print_style(o->op);
  int64_t x = 0;
  int i = 0;
  if (first && tn_word_dtype(word, n, &o->dtype, &o->lanes)) return 1;
  if (n > 2 && !memcmp(word, "k=", 2)) return tn_parse_integer(word + 2, n - 2, TINY_I64, &o->k);
  if (style == TN_K_SERIAL) return *word == '#' && tn_parse_integer(word + 1, n - 1, TINY_I64, &o->k);
  if (style == TN_K_RANGE) {
    if (tn_parse_integer(word, n, TINY_I64, &x)) {
      o->k = (x & (((int64_t)1 << 48) - 1)) << 8;
      return o->k >> 8 == x;
    }
    o->k |= i = tn_word_among(word, n, tn_kind_names, TN_KINDS);
    return i >= 0;
  }
  if (style == TN_K_SPECIAL && n == 6 && !memcmp(word, "group", 5)) {
    o->k = word[5] - '0';
    return o->k >= 0 && o->k < 3;
  }
  if (style == TN_K_SPECIAL && n == 5 && !memcmp(word, "item", 4)) {
    o->k = (word[4] - '0') + 16;
    return o->k >= 16 && o->k < 19;
  }
  if (style == TN_K_SPACE && n == 2 && *word == '+') {       // iterations ahead
    o->k |= (int64_t)(word[1] - '0') << TN_STAGE_AHEAD;
    return word[1] > '0' && word[1] <= '0' + TN_STAGE_AHEAD_MOST;
  }
  if (style == TN_K_SPACE && n == 4 && !memcmp(word, "bulk", 4)) { o->k |= TN_STAGE_BULK; return 1; }
  if (style == TN_K_SPACE && n == 8 && !memcmp(word, "produced", 8)) {
    o->k |= TN_STAGE_PRODUCED;
    return (o->k & TN_STAGE_BULK) != 0;
  }
  if (style == TN_K_SPACE && tn_parse_integer(word, n, TINY_I64, &x)) {     // a pad, then a row
    const int bits = o->k >> TN_STAGE_PAD ? 32 : 16;
    o->k |= (x & (((int64_t)1 << bits) - 1)) << (bits == 32 ? TN_STAGE_ROW : TN_STAGE_PAD);
    return x > 0 && x < (int64_t)1 << bits;
  }
  if (style == TN_K_SPACE) { o->k |= i = tn_word_among(word, n, tn_space_names, 3); return i >= 0; }
  if ((style == TN_K_AXES || style == TN_K_OP) && n > 5 && !memcmp(word, "axes=", 5) &&
    tn_parse_axes(word + 5, n - 5, &x)) {
    o->k |= style == TN_K_OP ? x << 8 : x;
    return 1;
  }
  if (style == TN_K_OP) { o->k |= i = tn_word_op(word, n); return i >= 0; }
  if (o->op == TINY_OP_DEFINE && (i = tn_word_among(word, n, tn_space_names, 3)) >= 0 && !o->nv) {
    o->v[o->nv++] = i;
    return 1;
  }
  return style == TN_K_NUMBER && tn_parse_integer(word, n, TINY_I64, &o->k);
}

static int tn_parse_head(tn_parser *p) {
  if (p->depth == TN_PARSE_DEPTH) return tn_parse_fail(p, p->at, "nested deeper than %d", TN_PARSE_DEPTH);
  tn_parse_open *o = TN_PUSH(p->t, p->open, p->depth, p->open_cap, tn_parse_open);
  memset(o, 0, sizeof *o);
  p->at++;
  tn_parse_skip(p);
  o->at = p->at;
  o->dtype = -1; o->lanes = 1; o->first = p->src.n;
  size_t n = tn_parse_word(p->at, ":()[]=");
  o->op = tn_word_op(p->at, n);
  if (o->op < 0) return tn_parse_fail(p, p->at, "no such op: '%.*s'", n > 40 ? 40 : (int)n, p->at);
  p->at += n;
  for (int first = 1; *p->at == ':'; first = 0) {
    n = tn_parse_word(++p->at, ":()[]");
    if (!tn_parse_field(o, p->at, n, first))
      return tn_parse_fail(p, p->at, "%s takes no '%.*s'", tiny_op_name(o->op), n > 40 ? 40 : (int)n, p->at);
    p->at += n;
  }
  return 1;
}

static int tn_parse_v(tn_parser *p, tn_parse_open *o, const char *word, size_t n) {
  if (o->nv == 2 * TINY_MAX_DIMS) return tn_parse_fail(p, word, "more than %d numbers", 2 * TINY_MAX_DIMS);
  if (!tn_parse_integer(word, n, TINY_I64, &o->v[o->nv]))
    return tn_parse_fail(p, word, "not an integer of 64 bits");
  o->nv++;
  return 1;
}
static int tn_parse_bracket(tn_parser *p) {
  tn_parse_open *o = p->depth ? &p->open[p->depth - 1] : NULL;
  if (!o) return tn_parse_fail(p, p->at, "expected an expression");
  for (p->at++, tn_parse_skip(p); *p->at != ']'; tn_parse_skip(p)) {
    const size_t n = tn_parse_word(p->at, "()[]");
    if (!tn_parse_v(p, o, p->at, n)) return 0;
    p->at += n;
  }
  p->at++;
  return 1;
}

static void tn_parse_list_add(tn_parser *p, tiny_uop *u) {
  if (!p->order || tn_map_has(&p->listed, u)) return;
  tn_map_set(p->t, &p->listed, u, u);
  tn_push(p->t, p->order, u);
}

static tn_parse_name *tn_parse_lookup(tn_parser *p, const char *text, size_t n, const void **key) {
  *key = (const void *)(uintptr_t)(tn_hash_bytes(0, text, n) | 1);
  tn_parse_name *found = (tn_parse_name *)tn_map_get(&p->names, *key);
  while (found && (found->n != n || memcmp(found->text, text, n))) found = found->next;
  return found;
}

// A finished expression: a source of the open node, or the end of a statement.
static int tn_parse_give(tn_parser *p, tiny_uop *u, const char *at) {
  if (u == &p->t->ir->bad) return 0;
  tn_parse_list_add(p, u);
  if (p->depth) { tn_push(p->t, &p->src, u); return 1; }
  p->last = u;
  if (!p->name) {
    tn_parse_skip(p);
    return *p->at ? tn_parse_fail(p, p->at, "expected the end after the last expression") : 1;
  }
  const void *key;
  if (tn_parse_lookup(p, p->name, p->nname, &key))
    return tn_parse_fail(p, at, "'%.*s' is defined twice", p->nname > 40 ? 40 : (int)p->nname, p->name);
  tn_parse_name *name = (tn_parse_name *)tn_scratch(p->t, sizeof *name);
  name->text = p->name; name->n = p->nname; name->u = u;
  name->next = (tn_parse_name *)tn_map_get(&p->names, key);
  tn_map_set(p->t, &p->names, key, name);
  p->name = NULL;
  return 1;
}

// A live BUFFER or CUSTOM node is meant by the text although its pointer is not in it.
static tiny_uop *tn_parse_live(tn_parser *p, const tn_parse_open *o, int nsrc, tiny_uop **src) {
  const tn_nodes *nodes = &p->t->ir->nodes;
  const uint32_t slot = tn_uop_slot(o->op, o->dtype, o->lanes, nsrc, src, o->k, o->nv, o->v, NULL);
  for (uint32_t i = slot & (nodes->cap - 1); tn_nodes_has(nodes, i); i = (i + 1) & (nodes->cap - 1)) {
    tiny_uop *u = nodes->table[i].u;
    if (u->op == o->op && u->dtype == o->dtype && u->lanes == o->lanes && u->k == o->k && u->nv == o->nv &&
        u->nsrc == (uint32_t)nsrc && !memcmp(u->v, o->v, (size_t)o->nv * sizeof *o->v) &&
        (!nsrc || !memcmp(u->src, src, (size_t)nsrc * sizeof *src))) return u;
  }
  return NULL;
}

// What a node's dtype is when the text does not say.
static int tn_parse_infer(tn_parse_open *o, int nsrc, tiny_uop *const *src) {
  static const uint8_t like_source[] = {TINY_OP_REDUCE, TINY_OP_CONTIGUOUS, TINY_OP_DETACH, TINY_OP_ASSIGN,
    TINY_OP_COPY, TINY_OP_SHARD, TINY_OP_AFTER, TINY_OP_INDEX, TINY_OP_LOAD, TINY_OP_STAGE};
  o->dtype = tn_print_default_dtype(o->op);
  if (o->dtype >= 0) return 1;
  const int listed = memchr(like_source, o->op, sizeof like_source) != NULL;
  if (!nsrc || (!listed && !tn_op_is(o->op, TINY_ALU | TINY_MOVEMENT))) return 0;
  o->dtype = tn_op_is(o->op, TINY_CMP) ? (int)TINY_BOOL : src[o->op == TINY_OP_WHERE ? 1 : 0]->dtype;
  for (int i = 0; i < nsrc; i++) if ((i == 0 || tn_op_is(o->op, TINY_ALU)) && src[i]->lanes > o->lanes)
    o->lanes = src[i]->lanes;
  return 1;
}

static int tn_parse_close(tn_parser *p) {
  if (!p->depth) return tn_parse_fail(p, p->at, "nothing is open here");
  tn_parse_open *o = &p->open[p->depth - 1];
  const int nsrc = p->src.n - o->first;
  tiny_uop **src = nsrc ? p->src.u + o->first : NULL;
  const char *plural = nsrc == 1 ? "" : "s";
  if (!tn_sources_fit(o->op, nsrc))
    return tn_parse_fail(p, o->at, "%s does not take %d source%s", tiny_op_name(o->op), nsrc, plural);
  if (o->dtype < 0 && !tn_parse_infer(o, nsrc, src))
    return tn_parse_fail(p, o->at, "%s needs its dtype", tiny_op_name(o->op));
  const char *wrong = tn_args_fit(o->op, nsrc, src, o->k, o->nv, o->v);
  if (wrong) return tn_parse_fail(p, o->at, "%s: %s", tiny_op_name(o->op), wrong);
  struct tn_ir *ir = p->t->ir;             // ids that are made later stay new, and have room to grow
  const int64_t id = o->op == TINY_OP_RANGE ? o->k >> 8 : o->op == TINY_OP_BUFFER ? o->k : 0;
  if (id >> 40) return tn_parse_fail(p, o->at, "%s: the id of a text is below 2^40", tiny_op_name(o->op));
  if (o->op == TINY_OP_RANGE && id > ir->serial) ir->serial = id;
  if (o->op == TINY_OP_BUFFER && id > ir->buffers) ir->buffers = id;
  tiny_uop *u = o->op == TINY_OP_BUFFER || o->op == TINY_OP_CUSTOM ? tn_parse_live(p, o, nsrc, src) : NULL;
  if (!u) u = tn_uop_make(p->t, o->op, o->dtype, o->lanes, nsrc, src, o->k, o->nv, o->v);
  p->src.n = o->first;
  p->depth--;
  p->at++;
  return tn_parse_give(p, u, o->at);
}

// A constant, a name, or the name of a new statement.
static int tn_parse_atom(tn_parser *p) {
  const char *word = p->at;
  const size_t n = tn_parse_word(word, ":()[]=");
  tn_parse_open *o = p->depth ? &p->open[p->depth - 1] : NULL;
  const int shown = n > 40 ? 40 : (int)n;
  int dtype = TINY_INDEX, lanes = 1;
  int64_t k = 0;
  if (!*word) return tn_parse_fail(p, word, "the text ends early");
  if (!n) return tn_parse_fail(p, word, "unexpected '%c'", *word);
  p->at += n;
  if (strchr("0123456789-.", *word) || tn_word_is(word, n, "inf") || tn_word_is(word, n, "nan")) {
    if (o && tn_print_style(o->op) == TN_K_VALUE)
      return o->dtype >= 0 && tn_parse_value(word, n, o->dtype, &o->k)
        ? 1 : tn_parse_fail(p, word, "'%.*s' is no value of the dtype", shown, word);
    if (o && tn_print_bare(o->op)) return tn_parse_v(p, o, word, n);
    if (*p->at == ':') {
      const size_t m = tn_parse_word(++p->at, ":()[]=");
      if (!tn_word_dtype(p->at, m, &dtype, &lanes) || lanes != 1 || dtype == TINY_VOID)
        return tn_parse_fail(p, p->at, "no such dtype");
      p->at += m;
    }
    if (!tn_parse_value(word, n, dtype, &k))
      return tn_parse_fail(p, word, "'%.*s' is no value of %s", shown, word, tn_dtypes[dtype].name);
    return tn_parse_give(p, tn_uop_make(p->t, TINY_OP_CONST, dtype, 1, 0, NULL, k, 0, NULL), word);
  }
  tn_parse_skip(p);
  if (*p->at == '=' && !p->depth && !p->name) {
    p->name = word; p->nname = n;
    p->at++;
    return 1;
  }
  const void *key;
  const tn_parse_name *found = tn_parse_lookup(p, word, n, &key);
  return found ? tn_parse_give(p, found->u, word)
    : tn_parse_fail(p, word, "'%.*s' is not defined", shown, word);
}

static int tn_parse_run(tn_parser *p) {
  for (;;) {
    tn_parse_skip(p);
    if (!*p->at && !p->depth && !p->name && p->last) return 1;
    const char c = *p->at;
    const int ok = c == '(' ? tn_parse_head(p) : c == ')' ? tn_parse_close(p)
                 : c == '[' ? tn_parse_bracket(p) : tn_parse_atom(p);
    if (!ok) return 0;
  }
}

// The last node of the text, NULL on error. Heavy code. order (may be NULL) gets every node in the order of
// the text.
static tiny_uop *tn_parse(tiny_ctx *t, const char *text, tn_list *order) {
  tn_parser p;
  memset(&p, 0, sizeof p);
  p.t = t; p.text = p.at = text; p.order = order;
  return tn_parse_run(&p) ? p.last : NULL;
}

typedef struct tn_parse_call { const char *text; tiny_uop *u; } tn_parse_call;
static tiny_code tn_parse_guarded(tiny_ctx *t, void *arg) {
  tn_parse_call *c = (tn_parse_call *)arg;
  c->u = tn_parse(t, c->text, NULL);
  return c->u ? TINY_OK : TINY_E_ARG;
}
#ifndef TINY_RUNTIME_ONLY
TINY_API tiny_uop *tiny_uop_parse(tiny_ctx *t, const char *text) {
  tn_parse_call c = {text, NULL};
  if (!t) return NULL;
  if (!text) { tiny_fail(t, TINY_E_ARG, "uop_parse: text is NULL"); return NULL; }
  return tn_guard(t, tn_parse_guarded, &c) == TINY_OK ? c.u : NULL;
}
#endif
#endif
