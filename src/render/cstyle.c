// cstyle: a program -> text in any C-like language; the language is data (tiny_language), and
// nothing about one is here, nor what is good for a processor: hints say that.
//
// In:  the list of a lowered kernel, verified, its ops all in the language. Out: the text of one function, and which
//      vectors are in it; of such functions, a module.
// A value that is used once, in the block that makes it, is written where it is used; others become constants
// with a name. Loads from memory always get a name, in list order, so that no store overtakes them.
#ifndef TN_RENDER_CSTYLE
#define TN_RENDER_CSTYLE
#ifndef TINY_AMALGAMATED
#include "lang_c.c"
#include "../ir/target.c"
#endif

enum { TN_MAX_INLINE = 400, TN_TYPE_WIDTHS = 17, TN_MAX_LANES = 64 };

typedef struct tn_text {
  tiny_ctx *t;
  const tiny_renderer *renderer; const tiny_language *lang;
  tiny_bytes before, out;                  // what stands before the kernel; the kernel
  tiny_uop *const *list;
  int n;
  const uint8_t *hints;
  const char **expr;
  int *uses, *depth, *user_depth;
  uint8_t *zeros;                          // of integers: so many low bits are 0
  uint8_t *tile;                           // 0, or 1 + 3 * unit + which of its types: values and REG memory of tiles
  int indent, temps;
  int64_t local_nbytes, local_at;          // of memory that the launch brings: all, and what has its place so far
  const char *type[TINY_DTYPE_COUNT][TN_TYPE_WIDTHS];   // of 2, 4, 8 .. lanes, where known
} tn_text;

typedef struct tn_placeholders {           // what a format's placeholders stand for
  const char *arg[4], *type, *element, *integer, *source, *name, *list, *number;   // number: NULL: k
  int64_t k; int lanes, bits;
} tn_placeholders;

static void tn_format(tiny_bytes *out, const char *format, const tn_placeholders *b) {
  for (const char *c = format; *c; c++) {
    const size_t plain = strcspn(c, "%");
    if (plain) tiny_bytes_add(out, c, plain);
    c += plain;
    if (!*c || !*++c) return;
    const char *s = NULL;
    switch (*c) {
      case '0': case '1': case '2': case '3': s = b->arg[*c - '0']; break;
      case 't': s = b->type; break;
      case 'e': s = b->element; break;
      case 'i': s = b->integer; break;
      case 's': s = b->source; break;
      case 'n': s = b->name; break;
      case 'a': s = b->list; break;
      case 'k': case 'd': if (!(s = b->number)) tn_text_add(out, "%lld", (long long)b->k); break;
      case 'l': tn_text_add(out, "%d", b->lanes); break;
      case 'b': tn_text_add(out, "%d", b->bits); break;
      default: tiny_bytes_add(out, c, 1); break;
    }
    if (s) tiny_bytes_add(out, s, strlen(s));
  }
}

static const char *tn_type_text(tn_text *x, int dtype, int lanes) {
  const char *element = x->lang->types[dtype] ? x->lang->types[dtype] : "?";
  if (lanes == 1) return element;
  int width = 0;
  while (lanes >> width > 1) width++;
  if (!x->type[dtype][width]) {
    tiny_bytes out = {x->t, NULL, 0, 0};
    tn_placeholders b;
    memset(&b, 0, sizeof b);
    b.element = element; b.lanes = lanes;
    tn_format(&out, x->lang->vector ? x->lang->vector : "?", &b);
    x->type[dtype][width] = out.data;
  }
  return x->type[dtype][width];
}

static const char *tn_filled(tn_text *x, const char *format, const tn_placeholders *b) {
  tiny_bytes out = {x->t, NULL, 0, 0};
  tn_format(&out, format, b);
  return out.data ? out.data : "";
}

// A number, by the format for its dtype; in parentheses where it begins with a sign.
static const char *tn_literal_bare(tn_text *x, int dtype, const char *number) {
  tn_placeholders b;
  memset(&b, 0, sizeof b);
  b.type = tn_type_text(x, dtype, 1);
  b.number = number;
  return tn_filled(x, x->lang->literals[dtype] ? x->lang->literals[dtype] : "(%t)%k", &b);
}
static const char *tn_literal(tn_text *x, int dtype, const char *number) {
  const char *text = tn_literal_bare(x, dtype, number);
  return *text == '-' ? tn_text_of_format(x->t, "(%s)", text) : text;
}

// With as few digits as give it back, and a point or an exponent.
static const char *tn_decimal_text(tn_text *x, int dtype, double v) {
  const char *text = "";
  double back;
  for (int digits = dtype == TINY_F64 ? 15 : 6; digits <= 17; digits++) {
    text = tn_text_of_format(x->t, "%.*g", digits, v);
    if (tn_number_parse(text, strlen(text), &back) && tn_dtype_value(dtype, back) == tn_from_f64(v)) break;
  }
  return strpbrk(text, ".e") ? text : tn_text_of_format(x->t, "%s.0", text);
}

static const char *tn_const_text(tn_text *x, int dtype, int64_t k) {
  if (tn_is_float(dtype)) {
    const double v = tn_to_f64(k);
    if (v != v || fabs(v) == HUGE_VAL) {
      tn_placeholders b;
      memset(&b, 0, sizeof b);
      b.type = tn_type_text(x, dtype, 1);
      const char *format = v != v ? x->lang->nan : x->lang->infinity;
      return tn_text_of_format(x->t, v < 0 ? "(-%s)" : "(%s)", tn_filled(x, format ? format : "?", &b));
    }
    return tn_literal(x, dtype, x->lang->decimal ? tn_decimal_text(x, dtype, v) : tn_text_of_format(x->t, "%a", v));
  }
  if (tn_is_signed(dtype) && tn_bits(dtype) >= 32 && k == tn_dtype_min(dtype))     // its size is no number
    return tn_text_of_format(
        x->t, "(%s - 1)", tn_literal_bare(x, dtype, tn_text_of_format(x->t, "%lld", (long long)k + 1)));
  if (tn_is_unsigned(dtype)) return tn_literal(x, dtype, tn_text_of_format(x->t, "%llu", (unsigned long long)k));
  return tn_literal(x, dtype, tn_text_of_format(x->t, "%lld", (long long)k));
}

// ** tiles of matrix units **

static const tiny_matrix_unit *tn_tile_unit(const tn_text *x, int tile) {
  return &x->renderer->units[(tile - 1) / 3];
}

static void tn_tile_mark(tn_text *x, const tiny_uop *u, int tile) {
  x->tile[u->seq] = (uint8_t)tile;
  if (u->op != TINY_OP_LOAD) return;
  const tiny_uop *memory = tn_memory_behind(u->src[0]->src[0]);
  if (memory->op == TINY_OP_DEFINE && memory->v[0] == TN_SPACE_REG) x->tile[memory->seq] = (uint8_t)tile;
}

// What WMMAs take and give, and what else their sums go through.
static void tn_tile_survey(tn_text *x) {
  for (int i = 0; i < x->n; i++) {
    const tiny_uop *u = x->list[i];
    const int unit = u->op == TINY_OP_WMMA ? tn_unit_of(x->renderer, u) : -1;
    for (int j = 0; unit >= 0 && j < 3; j++) tn_tile_mark(x, u->src[j], 1 + 3 * unit + j);
    if (unit >= 0) tn_tile_mark(x, u, 3 * unit + 3);
  }
  for (int i = 0; i < x->n; i++) {
    const tiny_uop *u = x->list[i];
    if (u->op != TINY_OP_LOAD && u->op != TINY_OP_STORE) continue;
    const tiny_uop *memory = tn_memory_behind(u->src[0]->src[0]);
    if (memory->op != TINY_OP_DEFINE || !x->tile[memory->seq]) continue;
    tn_tile_mark(x, u->op == TINY_OP_LOAD ? u : u->src[1], x->tile[memory->seq]);
  }
}

static const char *tn_node_type(tn_text *x, const tiny_uop *u) {
  const int tile = x->tile[u->seq];
  return tile ? tn_tile_unit(x, tile)->type[(tile - 1) % 3] : tn_type_text(x, u->dtype, u->lanes);
}

// ** expressions **

static const char *tn_expr(const tn_text *x, const tiny_uop *u) { return x->expr[u->seq]; }

static int tn_is_wide(const tiny_uop *u) { return u->lanes > 1 || (u->nsrc && u->src[0]->lanes > 1); }

static void tn_placeholders_of(tn_text *x, tn_placeholders *b, const tiny_uop *u) {
  memset(b, 0, sizeof *b);
  b->type = tn_node_type(x, u);
  b->element = tn_type_text(x, u->dtype, 1);
  b->integer = tn_type_text(x, tn_integer_of(u->dtype), u->lanes);
  b->source = u->nsrc ? tn_type_text(x, u->src[0]->dtype, u->src[0]->lanes) : "";
  b->k = u->k; b->lanes = u->lanes; b->bits = tn_bits(u->dtype);
  for (uint32_t i = 0; i < u->nsrc && i < 4; i++) b->arg[i] = tn_expr(x, u->src[i]);
}

// Is it an element that is as a sum or product of plain numbers would be: no integer that may wrap?
static int tn_never_wraps(const tiny_uop *u) {
  if (u->lanes > 1 || tn_bits(u->dtype) < 32) return 0;
  if (tn_is_signed(u->dtype)) return u->vmin > tn_dtype_min(u->dtype) && u->vmax < tn_dtype_max(u->dtype);
  return tn_is_float(u->dtype);
}

static const char *tn_op_format(const tn_text *x, const tiny_uop *u, int wide) {
  const int op = u->op;
  const int tile = x->tile[u->seq];
  if (op == TINY_OP_DOT) return x->lang->dots[u->k];
  if (tile) return op == TINY_OP_WMMA ? tn_tile_unit(x, tile)->product : tn_tile_unit(x, tile)->zero;
  if (u->dtype == TINY_BOOL && x->lang->bops[op]) return x->lang->bops[op];
  if (op == TINY_OP_CAST && x->renderer->casts >> u->dtype & 1) return x->lang->pack[wide];
  if (op == TINY_OP_CAST && x->renderer->casts >> u->src[0]->dtype & 1) return x->lang->unpack[wide];
  if (x->lang->eops[op] && tn_never_wraps(u)) return x->lang->eops[op];
  return wide && x->lang->vops[op] ? x->lang->vops[op] : x->lang->ops[op];
}

// The sum of an index and a constant that names an element, where neither it nor the index leaves its type:
// instructions add the constant to an address at no cost, but not to an index that may wrap. NULL: the element is
// another expression.
static const tiny_uop *tn_index_apart(const tn_text *x, const tiny_uop *index) {
  const tiny_uop *at = index->src[1];
  if (!x->lang->address_apart || index->lanes > 1 || tn_is_reg(index->src[0])) return NULL;
  if (at->op != TINY_OP_ADD || at->dtype != TINY_I32 || !tn_is_const(at->src[1])) return NULL;
  const int64_t k = at->src[1]->k;
  return at->src[0]->vmin >= INT32_MIN - (k < 0 ? k : 0) && at->src[0]->vmax <= INT32_MAX - (k > 0 ? k : 0) ? at : NULL;
}

static const char *tn_address(tn_text *x, const tiny_uop *index) {
  const tiny_uop *apart = tn_index_apart(x, index);
  tn_placeholders b;
  memset(&b, 0, sizeof b);
  b.arg[0] = tn_expr(x, index->src[0]); b.arg[1] = tn_expr(x, apart ? apart->src[0] : index->src[1]);
  if (apart) b.arg[2] = tn_expr(x, apart->src[1]);
  return tn_filled(x, apart ? x->lang->address_apart : x->lang->address, &b);
}

static const char *tn_reg_text(tn_text *x, const tiny_uop *index) {
  if (tn_memory_behind(index->src[0])->v[1] == 1) return tn_expr(x, index->src[0]);
  return tn_text_of_format(x->t, "%s[%s]", tn_expr(x, index->src[0]), tn_expr(x, index->src[1]));
}

// Is a vector of n there as aligned as its type is: to its size, 16 bytes at most?
static int tn_is_aligned(const tn_text *x, const tiny_uop *index, int n) {
  const tiny_uop *memory = tn_memory_behind(index->src[0]);
  const int nbytes = tn_dtypes[memory->dtype].nbytes, size = n * nbytes < 16 ? n * nbytes : 16,
            begins = memory->op == TINY_OP_DEFINE ? memory->v[0] == TN_SPACE_LOCAL && memory->lanes == 1 :
      (x->renderer->flags & TINY_TARGET_ALIGNED) != 0;
  return n > 1 && begins && index->lanes == 1 && (index->nsrc == 2 || index->src[2]->lanes == 1) &&
      (nbytes << x->zeros[index->src[1]->seq]) % size == 0;
}

// A load under a condition that all of its lanes share.
static void tn_load_if(tn_text *x, tiny_bytes *out, const char *load, const tiny_uop *valid, const char *otherwise) {
  tn_placeholders b;
  memset(&b, 0, sizeof b);
  b.arg[0] = load; b.arg[1] = tn_expr(x, valid); b.arg[2] = otherwise;
  tn_format(out, x->lang->load_if ? x->lang->load_if : "(%1 ? %0 : %2)", &b);
}

static const char *tn_rows_format(const tiny_language *l, int64_t k) {
  const char *const format = k == TN_AS_ROWS ? l->load_rows : l->load_turned;
  return format ? format : "?";
}

static void tn_load_text(tn_text *x, const tiny_uop *u, tiny_bytes *out) {
  const tiny_uop *index = u->src[0], *valid = index->nsrc == 3 ? index->src[2] : NULL;
  const tiny_language *l = x->lang;
  tn_placeholders b;
  const int tile = x->tile[u->seq], masked = valid && valid->lanes > 1;
  if (tn_is_reg(index->src[0])) { tn_text_put(out, tn_reg_text(x, index)); return; }
  tn_placeholders_of(x, &b, u);
  if (tile) {
    b.arg[0] = tn_address(x, index);
    tn_format(out, tn_tile_unit(x, tile)->load[(tile - 1) % 3], &b);
    return;
  }
  const char *otherwise = u->nsrc == 2   ? tn_expr(x, u->src[1]) :
                          u->lanes == 1  ? tn_const_text(x, u->dtype, 0) : tn_filled(x, l->zero ? l->zero : "", &b);
  const char *format = u->lanes == 1     ? l->ops[TINY_OP_LOAD] :
                       u->k              ? tn_rows_format(l, u->k) :
                       l->load_aligned && tn_is_aligned(x, index, u->lanes) ? l->load_aligned :
                       index->lanes == 1 ? (masked ? l->load_masked : l->load) :
                                           (masked ? l->gather_masked : l->gather);
  if (u->lanes == 1 || index->lanes == 1) {
    b.arg[0] = tn_address(x, index); b.arg[1] = masked ? tn_expr(x, valid) : NULL; b.arg[2] = otherwise;
  } else {
    b.arg[0] = tn_expr(x, index->src[0]); b.arg[1] = tn_expr(x, index->src[1]);
    b.arg[2] = valid ? tn_expr(x, valid) : NULL; b.arg[3] = otherwise;
  }
  if (valid && !masked) tn_load_if(x, out, tn_filled(x, format, &b), valid, otherwise);
  else tn_format(out, format, &b);
}

static const char *tn_list_text(tn_text *x, const tiny_uop *u) {
  tiny_bytes list = {x->t, NULL, 0, 0};
  for (int i = 0; i < (u->op == TINY_OP_LANE ? u->lanes : (int)u->nsrc); i++) {
    if (i) tn_text_put(&list, ", ");
    if (u->op == TINY_OP_LANE) tn_text_add(&list, "%d", i);
    else tn_text_put(&list, tn_expr(x, u->src[i]));
  }
  return list.data;
}

// A STACK of single lanes of one vector or of two, as wide as they are: which lanes, *b says of what. NULL: it is
// another one.
static const char *tn_shuffle_text(tn_text *x, const tiny_uop *u, tn_placeholders *b) {
  const tiny_uop *from[2] = {NULL, NULL};
  tiny_bytes list = {x->t, NULL, 0, 0};
  if (!x->lang->shuffle || (int)u->nsrc != u->lanes) return NULL;
  for (int i = 0; i < u->lanes; i++) {
    const tiny_uop *one = u->src[i], *vector = one->op == TINY_OP_PICK ? one->src[0] : NULL;
    if (!vector || vector->lanes != u->lanes) return NULL;
    const int k = from[0] && from[0] != vector;
    if (from[k] && from[k] != vector) return NULL;
    from[k] = vector;
    tn_text_add(&list, i ? ", %d" : "%d", (int)one->k + k * u->lanes);
  }
  b->arg[0] = tn_expr(x, from[0]);
  b->arg[1] = tn_expr(x, from[1] ? from[1] : from[0]);
  return list.data;
}

static void tn_value_text(tn_text *x, const tiny_uop *u, tiny_bytes *out) {
  tn_placeholders b;
  if (u->op == TINY_OP_LOAD) { tn_load_text(x, u, out); return; }
  tn_placeholders_of(x, &b, u);
  const int one_condition = u->op == TINY_OP_WHERE && u->src[0]->lanes == 1;
  if (u->op == TINY_OP_STACK && (b.list = tn_shuffle_text(x, u, &b))) { tn_format(out, x->lang->shuffle, &b); return; }
  if (u->op == TINY_OP_LANE || u->op == TINY_OP_STACK) b.list = tn_list_text(x, u);
  if (u->op == TINY_OP_PICK && u->lanes > 1) {
    tn_format(out, u->k ? x->lang->high : x->lang->low, &b);
    return;
  }
  if (u->op == TINY_OP_SPECIAL) {
    b.k = u->k & 15;
    tn_format(out, u->k & 16 ? x->lang->local_id : x->lang->global_id, &b);
    return;
  }
  const tiny_warp_unit *unit = u->op == TINY_OP_WMMA ? tn_warp_unit_of(u->k) : NULL;
  if (unit) b.name = unit->name;
  const char *format = u->op == TINY_OP_LANE ? x->lang->ops[TINY_OP_STACK] :
      one_condition                          ? x->lang->ops[u->op] :
                                               tn_op_format(x, u, tn_is_wide(u));
  if (!format) {
    tiny_fail(x->t, TINY_E_INTERNAL, "render: %s of %s has no form in %s", tn_ops[u->op].name,
              tn_dtypes[u->dtype].name, x->renderer->name);
    return;
  }
  tn_format(out, format, &b);
}

// ** statements **

static void tn_line(tn_text *x, const char *format, ...) TN_PRINTF(2, 3);
static void tn_line(tn_text *x, const char *format, ...) {
  va_list args;
  va_start(args, format);
  tn_text_add(&x->out, "%*s", 2 * x->indent, "");
  tn_text_add_list(&x->out, format, args);
  tn_text_add(&x->out, "\n");
  va_end(args);
}

static void tn_indent(tn_text *x) { for (int i = 0; i < x->indent; i++) tiny_bytes_add(&x->out, "  ", 2); }

// The same of parts as they are.
static void tn_line_of(tn_text *x, const char *const *part, int n) {
  tn_indent(x);
  for (int i = 0; i < n; i++) tn_text_put(&x->out, part[i]);
  tiny_bytes_add(&x->out, "\n", 1);
}

static void tn_store_text(tn_text *x, const tiny_uop *u) {
  const tiny_uop *index = u->src[0], *valid = index->nsrc == 3 ? index->src[2] : NULL, *value = u->src[1];
  const tiny_language *l = x->lang;
  tiny_bytes out = {x->t, NULL, 0, 0};
  tn_placeholders b;
  if (tn_is_reg(index->src[0])) {
    const char *const line[] = {tn_reg_text(x, index), " = ", tn_expr(x, value), ";"};
    tn_line_of(x, line, 4);
    return;
  }
  tn_placeholders_of(x, &b, value);
  const int masked = valid && valid->lanes > 1;
  if (value->lanes == 1 || index->lanes == 1) {
    b.arg[0] = tn_address(x, index);
    b.arg[1] = tn_expr(x, value);
    b.arg[2] = masked ? tn_expr(x, valid) : NULL;
    tn_format(&out,
              u->k == TN_ADDS       ? l->atomics[value->dtype] :
                  x->tile[value->seq] ? tn_tile_unit(x, x->tile[value->seq])->store :
                  value->lanes == 1 ? l->ops[TINY_OP_STORE] :
                  masked            ? l->store_masked :
                  l->store_aligned && tn_is_aligned(x, index, value->lanes) ? l->store_aligned :
                  l->stream && x->hints[u->seq] & TINY_HINT_STREAM ? l->stream : l->store,
              &b);
  } else {
    b.arg[0] = tn_expr(x, index->src[0]);
    b.arg[1] = tn_expr(x, index->src[1]);
    b.arg[2] = tn_expr(x, value);
    b.arg[3] = masked ? tn_expr(x, valid) : NULL;
    tn_format(&out, masked ? l->scatter_masked : l->scatter, &b);
  }
  if (!valid || masked) { tn_line(x, "%s;", out.data); return; }
  memset(&b, 0, sizeof b);
  b.arg[0] = out.data; b.arg[1] = tn_expr(x, valid);
  tn_line(x, "%s", tn_filled(x, l->store_if ? l->store_if : "if (%1) %0;", &b));
}

// A STORE that the device does by itself: what it loads is not loaded before.
static int tn_copies_text(const tn_text *x, const tiny_uop *store) {
  const int n = store->src[1]->lanes;
  if (!x->lang->copy || !tn_copies_later(store)) return 0;
  const tiny_uop *load = tn_copied(store);
  return n == 1 || (tn_is_aligned(x, store->src[0], n) && tn_is_aligned(x, load->src[0], load->lanes));
}
static void tn_copy_text(tn_text *x, const tiny_uop *u) {
  const tiny_uop *valid = u->src[0]->nsrc == 3 ? u->src[0]->src[2] : NULL, *load = tn_copied(u), *from = load->src[0];
  tn_placeholders b;
  tn_placeholders_of(x, &b, load);
  b.arg[0] = tn_address(x, u->src[0]); b.arg[1] = tn_address(x, from);
  b.arg[2] = from->nsrc == 3 ? tn_expr(x, from->src[2]) : "true";
  const char *copy = tn_filled(x, x->lang->copy, &b);
  if (!valid) { tn_line(x, "%s;", copy); return; }
  memset(&b, 0, sizeof b);
  b.arg[0] = copy; b.arg[1] = tn_expr(x, valid);
  tn_line(x, "%s", tn_filled(x, x->lang->store_if ? x->lang->store_if : "if (%1) %0;", &b));
}

static void tn_prefetch_text(tn_text *x, const tiny_uop *u) {
  tn_placeholders b;
  tiny_bytes out = {x->t, NULL, 0, 0};
  if (!x->lang->prefetch) return;
  memset(&b, 0, sizeof b);
  b.arg[0] = tn_address(x, u->src[0]);
  tn_format(&out, x->lang->prefetch, &b);
  tn_line(x, "%s;", out.data);
}

static void tn_define_text(tn_text *x, tiny_uop *u) {
  const tiny_language *l = x->lang;
  tn_placeholders b;
  tn_placeholders_of(x, &b, u);
  x->expr[u->seq] = b.name =
      tn_text_of_format(x->t, "%s%d", u->v[0] == TN_SPACE_REG ? "acc" : "local", x->temps++);
  b.k = u->v[1];
  if (u->v[0] == TN_SPACE_LOCAL && l->global_local) {
    tn_format(&x->before, l->global_local, &b);
    tn_text_put(&x->before, "\n");
  } else if (u->v[0] == TN_SPACE_LOCAL && l->local) {
    if (x->local_nbytes) { b.k = x->local_at; x->local_at += tn_local_nbytes(u); }
    tn_line(x, "%s", tn_filled(x, x->local_nbytes ? l->local_given : l->local, &b));
  } else if (u->v[1] == 1) tn_line(x, "%s", tn_filled(x, l->variable ? l->variable : "%t %n;", &b));
  else tn_line(x, "%s", tn_filled(x, l->variables ? l->variables : "%t %n[%k];", &b));
}

// Compilers made of clang try to compute what an integer constant stands for wherever it is named, through both arms of
// every choice: a chain of 50 choices would take them hours. A variable stops that.
static int tn_is_choice(const tiny_uop *u, const char *value) {
  return u->lanes == 1 && !tn_is_float(u->dtype) && strchr(value, '?');
}

static void tn_value_statement(tn_text *x, tiny_uop *u) {
  tiny_bytes value = {x->t, NULL, 0, 0};
  const int i = (int)u->seq;
  if (!x->uses[i]) return;                 // written in parts
  tn_value_text(x, u, &value);
  if (!value.data) { x->expr[i] = "0"; return; }
  // what is read, and what all items give each other, is not moved under the condition of its use
  const int stays = (u->op == TINY_OP_LOAD && !tn_is_reg(u->src[0]->src[0])) || u->op == TINY_OP_SHUFFLE;
  if (!stays && x->uses[i] == 1 && x->user_depth[i] == x->depth[i] && value.n < TN_MAX_INLINE) {
    tiny_bytes atom = {x->t, NULL, 0, 0};
    tiny_bytes_add(&atom, "(", 1);
    tiny_bytes_add(&atom, value.data, value.n);
    tiny_bytes_add(&atom, ")", 1);
    x->expr[i] = atom.data;
    return;
  }
  x->expr[i] = tn_text_of_format(x->t, "%s%d", u->op == TINY_OP_LOAD ? "v" : "x", x->temps++);
  const char *format = tn_is_choice(u, value.data) ? x->lang->choice : x->lang->value;
  tn_placeholders b;
  memset(&b, 0, sizeof b);
  b.type = tn_node_type(x, u); b.name = x->expr[i]; b.arg[0] = value.data;
  tn_indent(x);
  tn_format(&x->out, format ? format : "%t %n = %0;", &b);
  tn_text_put(&x->out, "\n");
}

// Where a loop begins.
static void tn_range_text(tn_text *x, const tiny_uop *u) {
  const tiny_language *l = x->lang;
  const int hints = x->hints[u->seq];
  tn_placeholders b;
  tn_placeholders_of(x, &b, u);
  x->expr[u->seq] = b.name = tn_text_of_format(x->t, "r%d", x->temps++);
  if (u->nsrc < 2) b.arg[1] = "0";
  if (hints & TINY_HINT_ROLLED && l->rolled) tn_line(x, "%s", l->rolled);
  const char *format = hints & TINY_HINT_LONG && l->range_long ? l->range_long : l->range;
  tn_line(x, "%s", tn_filled(x, format ? format : "for (%t %n = %1; %n < %0; %n++) {", &b));
  x->indent++;
}

static void tn_statement(tn_text *x, tiny_uop *u) {
  tn_placeholders b;
  switch (u->op) {
    case TINY_OP_CONST: x->expr[u->seq] = tn_const_text(x, u->dtype, u->k); return;
    case TINY_OP_PARAM: case TINY_OP_ARG: return;
    case TINY_OP_INDEX: case TINY_OP_GROUP: case TINY_OP_SINK: return;
    case TINY_OP_AFTER: x->expr[u->seq] = x->expr[u->src[0]->seq]; return;
    case TINY_OP_DEFINE: tn_define_text(x, u); return;
    case TINY_OP_STORE:
      if (tn_copies_text(x, u)) tn_copy_text(x, u);
      else tn_store_text(x, u);
      return;
    case TINY_OP_PREFETCH: tn_prefetch_text(x, u); return;
    case TINY_OP_BARRIER:
      tn_placeholders_of(x, &b, u);
      b.k = u->k - 1;
      if (u->k && x->lang->wait) tn_line(x, "%s", tn_filled(x, x->lang->wait, &b));
      if (x->lang->barrier) tn_line(x, "%s", x->lang->barrier);
      return;
    case TINY_OP_RANGE: tn_range_text(x, u); return;
    case TINY_OP_END: case TINY_OP_ENDIF: x->indent--; tn_line(x, "}"); return;
    case TINY_OP_IF: tn_placeholders_of(x, &b, u); tn_line(x, "if (%s) {", b.arg[0]); x->indent++; return;
    default: tn_value_statement(x, u); return;
  }
}

// Counts of uses and loop depth of every node of the list.
static void tn_text_survey(tn_text *x) {
  int depth = 0;
  for (int i = 0; i < x->n; i++) {
    x->list[i]->seq = (uint32_t)i;
    x->zeros[i] = (uint8_t)tn_low_zeros(x->list[i], x->zeros);
  }
  for (int i = 0; i < x->n; i++) {
    const int op = x->list[i]->op;
    if (op == TINY_OP_END || op == TINY_OP_ENDIF) depth--;
    x->depth[i] = depth;
    if (op == TINY_OP_RANGE || op == TINY_OP_IF) depth++;
  }
  uint8_t *copied = (uint8_t *)tn_scratch(x->t, (size_t)x->n + 1);
  for (int i = x->n - 1; i >= 0; i--) {    // users before sources: what is only waited for asks for nothing
    const tiny_uop *u = x->list[i];
    const int waits = u->op == TINY_OP_AFTER, value = u->op == TINY_OP_LOAD || u->op == TINY_OP_INDEX;
    if (!x->uses[i] && !copied[i] && (value || tn_op_is(u->op, TINY_ALU))) continue;
    if ((u->op == TINY_OP_STORE && tn_copies_text(x, u)) || (copied[i] && u->op == TINY_OP_BITCAST))
      copied[u->src[u->op == TINY_OP_STORE]->seq] = 1;
    for (uint32_t j = 0; j < u->nsrc; j++) {
      if (u->src[j]->op == TINY_OP_GROUP || (j && u->op == TINY_OP_STORE && tn_copies_text(x, u))) continue;
      if (waits && j && u->src[j]->op == TINY_OP_LOAD) continue;
      const int through_index = u->op == TINY_OP_INDEX;   // an INDEX is written at each of its own uses
      const tiny_uop *apart = through_index && j == 1 ? tn_index_apart(x, u) : NULL;
      const tiny_uop *s = apart ? apart->src[0] : u->src[j];
      x->uses[s->seq] += through_index ? 2 : 1;
      x->user_depth[s->seq] = x->depth[i];
    }
  }
  for (int i = 0; i < x->n; i++)           // what is copied is not loaded, on whichever way its bits would go
    if (x->list[i]->op == TINY_OP_STORE && tn_copies_text(x, x->list[i]))
      for (const tiny_uop *u = x->list[i]->src[1]; u->op == TINY_OP_BITCAST && !x->uses[u->seq]; u = u->src[0])
        x->uses[u->src[0]->seq]--;
  tn_tile_survey(x);
}

// Does a STORE of this kind go to the memory? -1: of any.
static int tn_is_stored_to(const tn_text *x, const tiny_uop *memory, int64_t k) {
  for (int i = 0; i < x->n; i++)
    if (x->list[i]->op == TINY_OP_STORE && (k < 0 || x->list[i]->k == k) &&
        tn_memory_behind(x->list[i]->src[0]->src[0]) == memory)
      return 1;
  return 0;
}
static int tn_has_units(const tn_text *x) {
  for (int i = 0; i < x->n; i++) if (x->list[i]->op == TINY_OP_WMMA && tn_warp_unit_of(x->list[i]->k)) return 1;
  return 0;
}

static void tn_render_entry(tn_text *x, const tiny_listing *k) {
  const tiny_language *l = x->lang;
  tiny_bytes params = {x->t, NULL, 0, 0}, open = {x->t, NULL, 0, 0};
  tn_placeholders b;
  for (int i = 0; i < x->n; i++) {
    const tiny_uop *u = x->list[i];
    if (u->op != TINY_OP_PARAM && u->op != TINY_OP_ARG) continue;
    const int buffer = u->op == TINY_OP_PARAM;
    tn_placeholders_of(x, &b, u);
    b.name = x->expr[u->seq] = tn_text_of_format(x->t, "%c%lld", buffer ? 'p' : 'a', (long long)u->k);
    const int only_read = l->buffer_read && !tn_is_stored_to(x, u, -1);
    const char *param = !buffer ? l->scalar : only_read ? l->buffer_read : l->buffer,
               *fetch = buffer ? l->open_buffer : l->open_scalar, *outside = !buffer ? l->global_scalar :
                   l->global_atomic && tn_is_stored_to(x, u, TN_ADDS) ? l->global_atomic : l->global_buffer;
    if (outside) { tn_format(&x->before, outside, &b); tn_text_put(&x->before, "\n"); }
    if (param) { if (params.n) tn_text_add(&params, ", "); tn_format(&params, param, &b); }
    if (fetch) { tn_text_add(&open, "  "); tn_format(&open, fetch, &b); tn_text_add(&open, "\n"); }
  }
  memset(&b, 0, sizeof b);
  b.name = k->name; b.list = params.n ? params.data : "";
  for (int d = 0; d < 3; d++) b.arg[d] = tn_text_of_format(x->t, "%lld", (long long)k->local[d]);
  tn_format(&x->out, l->kernel_units && tn_has_units(x) ? l->kernel_units : l->kernel, &b);
  tn_text_add(&x->out, "\n%s%s", open.n ? open.data : "", l->entry ? l->entry : "");
}

// ** the renderer **

// Bit b: the list holds vectors of 2^b lanes (or halves of them). What is wider is a tile.
static uint64_t tn_cstyle_lanes(const tiny_listing *k) {
  uint64_t used = 0;
  for (int i = 0; i < k->n; i++)
    for (int b = 1; 1 << b <= TN_MAX_LANES; b++)
      if (k->list[i]->lanes == 1 << b) used |= (uint64_t)2 * ((uint64_t)1 << b) - 2;
  return used;
}

static tiny_code tn_cstyle_kernel(tiny_ctx *t, const tiny_renderer *r, const tiny_listing *k, tiny_bytes *out,
                                  uint64_t *uses) {
  tn_text x;
  memset(&x, 0, sizeof x);
  x.t = x.before.t = x.out.t = t; x.renderer = r; x.lang = &r->language;
  x.list = k->list; x.n = k->n; x.hints = k->hints; x.indent = 1;
  x.local_nbytes = k->local_nbytes;
  x.expr = (const char **)tn_scratch(t, ((size_t)k->n + 1) * sizeof *x.expr);
  x.uses = (int *)tn_scratch(t, ((size_t)k->n + 1) * sizeof(int));
  x.depth = (int *)tn_scratch(t, ((size_t)k->n + 1) * sizeof(int));
  x.user_depth = (int *)tn_scratch(t, ((size_t)k->n + 1) * sizeof(int));
  x.tile = (uint8_t *)tn_scratch(t, (size_t)k->n + 1);
  x.zeros = (uint8_t *)tn_scratch(t, (size_t)k->n + 1);
  tn_text_survey(&x);
  tn_render_entry(&x, k);
  for (int i = 0; i < k->n; i++) tn_statement(&x, k->list[i]);
  tn_text_add(&x.out, "%s\n", x.lang->end ? x.lang->end : "}");
  tiny_bytes_add(out, x.before.data, x.before.n);
  tiny_bytes_add(out, x.out.data, x.out.n);
  *uses = tn_cstyle_lanes(k);
  return t->code;
}

// The prelude, the vector types of every width that occurs, and the kernels; of no kernel, of all widths.
static tiny_code tn_cstyle_module(tiny_ctx *t, const tiny_renderer *r, const tiny_rendered *kernels, int n,
                                  tiny_bytes *out) {
  const tiny_language *l = &r->language;
  uint64_t lanes = n ? 0 : ~(uint64_t)0;
  for (int i = 0; i < n; i++) lanes |= kernels[i].uses;
  for (int i = 0; l->prelude && l->prelude[i]; i++) tn_text_add(out, "%s\n", l->prelude[i]);
  for (int bit = 1; l->lanes && bit < 16; bit++) if (lanes >> bit & 1) {
    tn_placeholders b;
    memset(&b, 0, sizeof b);
    b.lanes = 1 << bit;
    tn_format(out, l->lanes, &b);
    tn_text_put(out, "\n");
  }
  for (int i = 0; i < n; i++) tiny_bytes_add(out, kernels[i].data, kernels[i].n);
  return t->code;
}

// A renderer whose maker said no more than its language.
static void tn_cstyle(tiny_renderer *r) {
  tn_target_of_language(r);
  r->kernel = tn_cstyle_kernel;
  r->module = tn_cstyle_module;
}
TINY_API void tiny_renderer_of_language(tiny_renderer *r) { tn_cstyle(r); }
#endif
