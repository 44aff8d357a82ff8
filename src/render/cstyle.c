// cstyle: a program -> text in any C-like language; the language is data (tiny_language), and
// nothing about one is here.
//
// In:  the list of a lowered kernel, verified, its ops all in the language. Out: the text of one function.
// A value that is used once, in the block that makes it, is written where it is used; others become constants
// with a name. Loads from memory always get a name, in list order, so that no store overtakes them.
#ifndef TN_RENDER_CSTYLE
#define TN_RENDER_CSTYLE
#ifndef TINY_AMALGAMATED
#include "lang_c.c"
#include "../codegen/optimize.c"
#endif

enum {
  TN_MAX_INLINE = 400, TN_TYPE_WIDTHS = 17, TN_MAX_LANES = 64,
  TN_LONG_LOOP = 64,                       // rounds: compilers guess about 32
  TN_ROLLED_SUMS = 12,                     // of lanes, that a loop adds to: its rounds are long enough
  TN_LINE_NBYTES = 64, TN_STREAM_NBYTES = 32 << 20,          // more than caches keep for the next kernel
  TN_STACK_NBYTES = 16 << 10               // of LOCAL memory that a kernel may put on its thread's stack
};

typedef struct tn_text {
  tiny_ctx *t;
  const tiny_language *lang;
  tiny_bytes out;
  tiny_uop *const *list;
  int n;
  const char **expr;
  int *uses, *depth, *user_depth;
  uint8_t *tile;                           // 0, or 1 + 3 * unit + which of its types: values and REG memory of tiles
  int indent, temps;
  int64_t local_nbytes, local_at;          // of memory that the launch brings: all, and what has its place so far
  const char *type[TINY_DTYPE_COUNT][TN_TYPE_WIDTHS];   // of 2, 4, 8 .. lanes, where known
} tn_text;

typedef struct tn_blanks {                 // what a format's placeholders stand for
  const char *arg[4], *type, *element, *integer, *source, *name, *list;
  int64_t k; int lanes, bits;
} tn_blanks;

static void tn_format(tiny_bytes *out, const char *format, const tn_blanks *b) {
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
      case 'k': case 'd': tn_text_add(out, "%lld", (long long)b->k); break;
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
    tn_blanks b;
    memset(&b, 0, sizeof b);
    b.element = element; b.lanes = lanes;
    tn_format(&out, x->lang->vector ? x->lang->vector : "?", &b);
    x->type[dtype][width] = out.data;
  }
  return x->type[dtype][width];
}

static const char *tn_const_text(tn_text *x, int dtype, int64_t k) {
  const char *type = tn_type_text(x, dtype, 1);
  if (tn_is_float(dtype)) {
    const double v = tn_to_f64(k);
    if (v != v || fabs(v) == HUGE_VAL) {
      tiny_bytes out = {x->t, NULL, 0, 0};
      tn_blanks b;
      memset(&b, 0, sizeof b);
      b.type = type;
      tn_text_add(&out, v < 0 ? "(-" : "(");
      tn_format(&out, v != v ? x->lang->nan : x->lang->infinity, &b);
      tn_text_add(&out, ")");
      return out.data;
    }
    return tn_text_of_format(x->t, tn_float_bits(v) >> 63 ? "(%a%s)" : "%a%s", v, dtype == TINY_F32 ? "f" : "");
  }
  switch (dtype) {
    case TINY_U32: return tn_text_of_format(x->t, "%lluu", (unsigned long long)k);
    case TINY_U64: return tn_text_of_format(x->t, "%lluull", (unsigned long long)k);
    case TINY_I64:
      return k == INT64_MIN ? "(-9223372036854775807ll - 1)" :
                              tn_text_of_format(x->t, k < 0 ? "(%lldll)" : "%lldll", (long long)k);
    case TINY_I32:
      return k == INT32_MIN ? "(-2147483647 - 1)" :
                              tn_text_of_format(x->t, k < 0 ? "(%lld)" : "%lld", (long long)k);
    case TINY_BOOL: return k ? "1" : "0";
    default: return tn_text_of_format(x->t, "(%s)%lld", type, (long long)k);
  }
}

// ** tiles of matrix units **

static const tiny_matrix_unit *tn_tile_unit(const tn_text *x, int tile) { return &x->lang->units[(tile - 1) / 3]; }

// Which unit a WMMA is for; -1: none of the language.
static int tn_unit_of(const tiny_language *lang, const tiny_uop *u) {
  for (int i = 0; i < lang->nunits; i++) {
    const tiny_matrix_unit *m = &lang->units[i];
    const tn_wmma w = {m->m, m->n, m->k, m->together, m->a, m->b};
    if (m->c == u->dtype && tn_wmma_k(&w) == u->k) return i;
  }
  return -1;
}

static void tn_tile_mark(tn_text *x, const tiny_uop *u, int tile) {
  x->tile[u->seq] = (uint8_t)tile;
  if (u->op != TINY_OP_LOAD) return;
  const tiny_uop *memory = u->src[0]->src[0];
  while (memory->op == TINY_OP_AFTER) memory = memory->src[0];
  if (memory->op == TINY_OP_DEFINE && memory->v[0] == TN_SPACE_REG) x->tile[memory->seq] = (uint8_t)tile;
}

// What WMMAs take and give, and what else their sums go through.
static void tn_tile_survey(tn_text *x) {
  for (int i = 0; i < x->n; i++) {
    const tiny_uop *u = x->list[i];
    const int unit = u->op == TINY_OP_WMMA ? tn_unit_of(x->lang, u) : -1;
    for (int j = 0; unit >= 0 && j < 3; j++) tn_tile_mark(x, u->src[j], 1 + 3 * unit + j);
    if (unit >= 0) tn_tile_mark(x, u, 3 * unit + 3);
  }
  for (int i = 0; i < x->n; i++) {
    const tiny_uop *u = x->list[i], *memory = u->op == TINY_OP_LOAD || u->op == TINY_OP_STORE ? u->src[0]->src[0] : u;
    while (memory->op == TINY_OP_AFTER) memory = memory->src[0];
    if (memory == u || memory->op != TINY_OP_DEFINE || !x->tile[memory->seq]) continue;
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

static void tn_blanks_of(tn_text *x, tn_blanks *b, const tiny_uop *u) {
  memset(b, 0, sizeof *b);
  b->type = tn_node_type(x, u);
  b->element = tn_type_text(x, u->dtype, 1);
  b->integer = tn_type_text(x, tn_integer_of(u->dtype), u->lanes);
  b->source = u->nsrc ? tn_type_text(x, u->src[0]->dtype, u->src[0]->lanes) : "";
  b->k = u->k; b->lanes = u->lanes; b->bits = tn_bits(u->dtype);
  for (uint32_t i = 0; i < u->nsrc && i < 4; i++) b->arg[i] = tn_expr(x, u->src[i]);
}

static const char *tn_op_format(const tn_text *x, const tiny_uop *u, int wide) {
  const int op = u->op;
  const int tile = x->tile[u->seq];
  if (op == TINY_OP_DOT) return x->lang->dots[u->k];
  if (tile) return op == TINY_OP_WMMA ? tn_tile_unit(x, tile)->product : tn_tile_unit(x, tile)->zero;
  return wide && x->lang->vops[op] ? x->lang->vops[op] : x->lang->ops[op];
}

static int tn_is_reg(const tiny_uop *m) {
  while (m->op == TINY_OP_AFTER) m = m->src[0];
  return m->op == TINY_OP_DEFINE && m->v[0] == TN_SPACE_REG;
}

// The sum of an index and a constant that names an element, where neither it nor the index leaves its type:
// instructions add the constant to an address at no cost, but not to an index that may wrap. NULL: the element is
// another expression.
static const tiny_uop *tn_index_apart(const tiny_uop *index) {
  const tiny_uop *at = index->src[1];
  if (index->lanes > 1 || tn_is_reg(index->src[0]) || at->op != TINY_OP_ADD || at->dtype != TINY_I32 ||
      !tn_is_const(at->src[1]))
    return NULL;
  const int64_t k = at->src[1]->k;
  return at->src[0]->vmin >= INT32_MIN - (k < 0 ? k : 0) && at->src[0]->vmax <= INT32_MAX - (k > 0 ? k : 0) ? at : NULL;
}

static const char *tn_address(tn_text *x, const tiny_uop *index) {
  const tiny_uop *apart = tn_index_apart(index);
  tiny_bytes out = {x->t, NULL, 0, 0}, place = {x->t, NULL, 0, 0};
  tn_blanks b;
  memset(&b, 0, sizeof b);
  b.arg[0] = tn_expr(x, index->src[0]); b.arg[1] = tn_expr(x, apart ? apart->src[0] : index->src[1]);
  tn_format(&out, x->lang->address, &b);
  if (!apart) return out.data;
  b.arg[0] = tn_text_of_format(x->t, "(%s)", out.data); b.arg[1] = tn_expr(x, apart->src[1]);
  tn_format(&place, x->lang->address, &b);
  return place.data;
}

static int64_t tn_define_nelem(const tiny_uop *m) {
  while (m->op == TINY_OP_AFTER) m = m->src[0];
  return m->v[1];
}

static const char *tn_reg_text(tn_text *x, const tiny_uop *index) {
  if (tn_define_nelem(index->src[0]) == 1) return tn_expr(x, index->src[0]);
  return tn_text_of_format(x->t, "%s[%s]", tn_expr(x, index->src[0]), tn_expr(x, index->src[1]));
}

static void tn_load_text(tn_text *x, const tiny_uop *u, tiny_bytes *out) {
  const tiny_uop *index = u->src[0], *valid = index->nsrc == 3 ? index->src[2] : NULL;
  const tiny_language *l = x->lang;
  tn_blanks b;
  const int tile = x->tile[u->seq];
  if (tn_is_reg(index->src[0])) { tn_text_put(out, tn_reg_text(x, index)); return; }
  tn_blanks_of(x, &b, u);
  if (tile) {
    b.arg[0] = tn_address(x, index);
    tn_format(out, tn_tile_unit(x, tile)->load[(tile - 1) % 3], &b);
    return;
  }
  const char *zero =
      u->lanes == 1 ? tn_const_text(x, u->dtype, 0) : tn_text_of_format(x->t, "(%s){0}", b.type);
  const char *otherwise = u->nsrc == 2 ? tn_expr(x, u->src[1]) : zero;
  b.arg[0] = tn_address(x, index);
  if (u->lanes == 1 || index->lanes == 1) {
    const int masked = valid && valid->lanes > 1;
    if (valid && !masked) tn_text_add(out, "(%s ? ", tn_expr(x, valid));
    b.arg[1] = masked ? tn_expr(x, valid) : NULL; b.arg[2] = otherwise;
    tn_format(out, u->lanes == 1 ? l->ops[TINY_OP_LOAD] : masked ? l->load_masked : l->load, &b);
    if (valid && !masked) tn_text_add(out, " : %s)", otherwise);
    return;
  }
  b.arg[0] = tn_expr(x, index->src[0]); b.arg[1] = tn_expr(x, index->src[1]);
  b.arg[2] = valid ? tn_expr(x, valid) : NULL; b.arg[3] = otherwise;
  if (valid && valid->lanes == 1) {        // one condition for all lanes of a gather
    tn_text_add(out, "(%s ? ", tn_expr(x, valid));
    tn_format(out, l->gather, &b);
    tn_text_add(out, " : %s)", otherwise);
  } else tn_format(out, valid ? l->gather_masked : l->gather, &b);
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
static const char *tn_shuffle_text(tn_text *x, const tiny_uop *u, tn_blanks *b) {
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
  tn_blanks b;
  if (u->op == TINY_OP_LOAD) { tn_load_text(x, u, out); return; }
  tn_blanks_of(x, &b, u);
  if (u->op == TINY_OP_BROADCAST && u->dtype == TINY_BOOL) {   // lanes of true are all ones
    b.element = tn_type_text(x, TINY_I8, 1);
    b.arg[0] = tn_text_of_format(x->t, "-(%s)", b.arg[0]);
  }
  const int one_condition = u->op == TINY_OP_WHERE && u->src[0]->lanes == 1;
  if (u->op == TINY_OP_STACK && (b.list = tn_shuffle_text(x, u, &b))) { tn_format(out, x->lang->shuffle, &b); return; }
  if (u->op == TINY_OP_LANE || u->op == TINY_OP_STACK) b.list = tn_list_text(x, u);
  if (u->op == TINY_OP_PICK && u->lanes > 1) {
    tn_format(out, u->k ? x->lang->high : x->lang->low, &b);
    return;
  }
  if (u->op == TINY_OP_SPECIAL) {
    tn_text_add(out, "(%s)", b.type);
    b.k = u->k & 15;
    tn_format(out, u->k & 16 ? x->lang->local_id : x->lang->global_id, &b);
    return;
  }
  const char *format = u->op == TINY_OP_LANE ? x->lang->ops[TINY_OP_STACK] :
      one_condition                          ? x->lang->ops[u->op] :
                                               tn_op_format(x, u, tn_is_wide(u));
  if (!format) {
    tiny_fail(x->t, TINY_E_INTERNAL, "render: %s of %s has no form in %s", tn_ops[u->op].name,
              tn_dtypes[u->dtype].name, x->lang->name);
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

// The same of parts as they are.
static void tn_line_of(tn_text *x, const char *const *part, int n) {
  for (int i = 0; i < x->indent; i++) tiny_bytes_add(&x->out, "  ", 2);
  for (int i = 0; i < n; i++) tn_text_put(&x->out, part[i]);
  tiny_bytes_add(&x->out, "\n", 1);
}

// The innermost loop that u stands in, NULL: none.
static const tiny_uop *tn_loop_around(const tn_text *x, const tiny_uop *u) {
  int closed = 0;
  for (int i = (int)u->seq - 1; i >= 0; i--) {
    const int op = x->list[i]->op;
    if (op == TINY_OP_END || op == TINY_OP_ENDIF) closed++;
    if ((op == TINY_OP_RANGE || op == TINY_OP_IF) && !closed--) return op == TINY_OP_RANGE ? x->list[i] : NULL;
  }
  return NULL;
}

// Does the store, by itself or with the next rounds of its loop, write whole lines?
static int tn_stores_lines(const tn_text *x, const tiny_uop *u) {
  const int lanes = u->src[1]->lanes, nbytes = lanes * tn_dtypes[u->src[1]->dtype].nbytes;
  if (nbytes % TN_LINE_NBYTES == 0) return 1;
  const tiny_uop *loop = tn_loop_around(x, u);
  return loop && loop->src[0]->vmin * nbytes >= TN_LINE_NBYTES &&
      tn_stride_in(x->t, u->src[0]->src[1], loop) == lanes;
}

// Does the store write whole lines of a big output that this kernel does not read? Past the caches they need not
// be read before they are written: a third of the traffic of a loop that reads and writes. Threads meet after a
// kernel by locked instructions, which wait for such stores (Intel SDM 3, 11.3.1).
static int tn_store_streams(const tn_text *x, const tiny_uop *u) {
  const tiny_uop *memory = u->src[0]->src[0];
  const int64_t nbytes = tn_dtypes[u->src[1]->dtype].nbytes;
  if (!x->lang->stream || memory->op != TINY_OP_PARAM || memory->v[0] * nbytes < TN_STREAM_NBYTES) return 0;
  for (int i = 0; i < x->n; i++)
    if (x->list[i]->op == TINY_OP_LOAD && x->list[i]->src[0]->src[0] == memory) return 0;
  return tn_stores_lines(x, u);
}

static void tn_store_text(tn_text *x, const tiny_uop *u) {
  const tiny_uop *index = u->src[0], *valid = index->nsrc == 3 ? index->src[2] : NULL, *value = u->src[1];
  const tiny_language *l = x->lang;
  tiny_bytes out = {x->t, NULL, 0, 0};
  tn_blanks b;
  if (tn_is_reg(index->src[0])) {
    const char *const line[] = {tn_reg_text(x, index), " = ", tn_expr(x, value), ";"};
    tn_line_of(x, line, 4);
    return;
  }
  tn_blanks_of(x, &b, value);
  const int masked = valid && valid->lanes > 1;
  if (value->lanes == 1 || index->lanes == 1) {
    b.arg[0] = tn_address(x, index);
    b.arg[1] = tn_expr(x, value);
    b.arg[2] = masked ? tn_expr(x, valid) : NULL;
    tn_format(&out,
              x->tile[value->seq]        ? tn_tile_unit(x, x->tile[value->seq])->store :
                  value->lanes == 1      ? l->ops[TINY_OP_STORE] :
                  masked                 ? l->store_masked :
                  tn_store_streams(x, u) ? l->stream :
                                           l->store,
              &b);
  } else {
    b.arg[0] = tn_expr(x, index->src[0]);
    b.arg[1] = tn_expr(x, index->src[1]);
    b.arg[2] = tn_expr(x, value);
    b.arg[3] = masked ? tn_expr(x, valid) : NULL;
    tn_format(&out, masked ? l->scatter_masked : l->scatter, &b);
  }
  if (valid && !masked) tn_line(x, "if (%s) %s;", tn_expr(x, valid), out.data);
  else tn_line(x, "%s;", out.data);
}

static void tn_prefetch_text(tn_text *x, const tiny_uop *u) {
  tn_blanks b;
  tiny_bytes out = {x->t, NULL, 0, 0};
  if (!x->lang->prefetch) return;
  memset(&b, 0, sizeof b);
  b.arg[0] = tn_address(x, u->src[0]);
  tn_format(&out, x->lang->prefetch, &b);
  tn_line(x, "%s;", out.data);
}

// Whole lines.
static int64_t tn_local_nbytes(const tiny_uop *define) {
  const int64_t nbytes = define->v[1] * define->lanes * tn_dtypes[define->dtype].nbytes;
  return (nbytes + TN_LINE_NBYTES - 1) / TN_LINE_NBYTES * TN_LINE_NBYTES;
}

// LOCAL memory that a launch has to bring. A thread whose stack is small may call, and one kernel would be its end.
static size_t tn_render_local_nbytes(const tiny_language *lang, const tn_lowered *k) {
  int64_t all = 0;
  for (int i = 0; i < k->n; i++)
    if (k->list[i]->op == TINY_OP_DEFINE && k->list[i]->v[0] == TN_SPACE_LOCAL) all += tn_local_nbytes(k->list[i]);
  return lang->local_given && all > TN_STACK_NBYTES ? (size_t)all : 0;
}

static void tn_define_text(tn_text *x, tiny_uop *u) {
  tn_blanks b;
  tiny_bytes out = {x->t, NULL, 0, 0};
  tn_blanks_of(x, &b, u);
  x->expr[u->seq] = b.name =
      tn_text_of_format(x->t, "%s%d", u->v[0] == TN_SPACE_REG ? "acc" : "local", x->temps++);
  b.k = u->v[1];
  if (u->v[0] == TN_SPACE_LOCAL && x->lang->local) {
    if (x->local_nbytes) { b.k = x->local_at; x->local_at += tn_local_nbytes(u); }
    tn_format(&out, x->local_nbytes ? x->lang->local_given : x->lang->local, &b);
    tn_line(x, "%s", out.data);
  } else if (u->v[1] == 1) tn_line(x, "%s %s;", b.type, b.name);
  else tn_line(x, "%s %s[%lld];", b.type, b.name, (long long)u->v[1]);
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
  const int in_memory = u->op == TINY_OP_LOAD && !tn_is_reg(u->src[0]->src[0]);
  if (!in_memory && x->uses[i] == 1 && x->user_depth[i] == x->depth[i] && value.n < TN_MAX_INLINE) {
    tiny_bytes atom = {x->t, NULL, 0, 0};
    tiny_bytes_add(&atom, "(", 1);
    tiny_bytes_add(&atom, value.data, value.n);
    tiny_bytes_add(&atom, ")", 1);
    x->expr[i] = atom.data;
    return;
  }
  x->expr[i] = tn_text_of_format(x->t, "%s%d", u->op == TINY_OP_LOAD ? "v" : "x", x->temps++);
  const char *const line[] = {tn_is_choice(u, value.data) ? "" : "const ", tn_node_type(x, u), " ", x->expr[i], " = ",
                              value.data, ";"};
  tn_line_of(x, line, 7);
}

static int tn_loop_is_long(const tiny_uop *range) {
  return tn_is_const(range->src[0]) && range->src[0]->k >= TN_LONG_LOOP;
}
// Whether a loop goes on. A compiler that is told that it runs long keeps what it needs in registers, and not the
// constants of a shorter one that stands deeper.
static const char *tn_loop_text(tn_text *x, const tiny_uop *range, const char *name) {
  tn_blanks b;
  tiny_bytes out = {x->t, NULL, 0, 0};
  tn_blanks_of(x, &b, range);
  b.name = name;
  tn_format(&out, tn_loop_is_long(range) && x->lang->loop ? x->lang->loop : "%n < %0", &b);
  return out.data;
}

// Does a short loop add to a tile of vectors? Copies of its rounds would share what they read, and more of it than the
// registers have room for.
static int tn_loop_is_rolled(const tn_text *x, const tiny_uop *range) {
  int sums = 0;
  if (!x->lang->rolled || tn_loop_is_long(range)) return 0;
  for (int i = (int)range->seq + 1; i < x->n; i++) {
    const tiny_uop *u = x->list[i];
    if (u->op == TINY_OP_END && u->src[1] == range) break;
    sums += u->op == TINY_OP_STORE && u->src[1]->lanes > 1 && tn_is_reg(u->src[0]->src[0]);
  }
  return sums >= TN_ROLLED_SUMS;
}

static void tn_statement(tn_text *x, tiny_uop *u) {
  tn_blanks b;
  switch (u->op) {
    case TINY_OP_CONST: x->expr[u->seq] = tn_const_text(x, u->dtype, u->k); return;
    case TINY_OP_PARAM: case TINY_OP_ARG: return;
    case TINY_OP_INDEX: case TINY_OP_GROUP: case TINY_OP_SINK: return;
    case TINY_OP_AFTER: x->expr[u->seq] = x->expr[u->src[0]->seq]; return;
    case TINY_OP_DEFINE: tn_define_text(x, u); return;
    case TINY_OP_STORE: tn_store_text(x, u); return;
    case TINY_OP_PREFETCH: tn_prefetch_text(x, u); return;
    case TINY_OP_BARRIER: if (x->lang->barrier) tn_line(x, "%s", x->lang->barrier); return;
    case TINY_OP_RANGE: {
      const char *name = tn_text_of_format(x->t, "r%d", x->temps++), *type = tn_type_text(x, u->dtype, 1);
      x->expr[u->seq] = name;
      if (tn_loop_is_rolled(x, u)) tn_line(x, "%s", x->lang->rolled);
      tn_blanks_of(x, &b, u);
      tn_line(x, "for (%s %s = %s; %s; %s++) {", type, name, u->nsrc > 1 ? b.arg[1] : "0", tn_loop_text(x, u, name),
              name);
      x->indent++;
      return;
    }
    case TINY_OP_END: case TINY_OP_ENDIF: x->indent--; tn_line(x, "}"); return;
    case TINY_OP_IF: tn_blanks_of(x, &b, u); tn_line(x, "if (%s) {", b.arg[0]); x->indent++; return;
    default: tn_value_statement(x, u); return;
  }
}

// Counts of uses and loop depth of every node of the list.
static void tn_text_survey(tn_text *x) {
  int depth = 0;
  for (int i = 0; i < x->n; i++) x->list[i]->seq = (uint32_t)i;
  for (int i = 0; i < x->n; i++) {
    const tiny_uop *u = x->list[i];
    if (u->op == TINY_OP_END || u->op == TINY_OP_ENDIF) depth--;
    x->depth[i] = depth;
    for (uint32_t j = 0; j < u->nsrc; j++) {
      if (u->src[j]->op == TINY_OP_GROUP) continue;
      const int through_index = u->op == TINY_OP_INDEX;   // an INDEX is written at each of its own uses
      const tiny_uop *apart = through_index && j == 1 ? tn_index_apart(u) : NULL;
      const tiny_uop *s = apart ? apart->src[0] : u->src[j];
      x->uses[s->seq] += through_index ? 2 : 1;
      x->user_depth[s->seq] = depth;
    }
    if (u->op == TINY_OP_RANGE || u->op == TINY_OP_IF) depth++;
  }
  tn_tile_survey(x);
}

static void tn_render_entry(tn_text *x, const char *name) {
  const tiny_language *l = x->lang;
  tiny_bytes params = {x->t, NULL, 0, 0}, open = {x->t, NULL, 0, 0};
  tn_blanks b;
  for (int i = 0; i < x->n; i++) {
    const tiny_uop *u = x->list[i];
    if (u->op != TINY_OP_PARAM && u->op != TINY_OP_ARG) continue;
    const int buffer = u->op == TINY_OP_PARAM;
    tn_blanks_of(x, &b, u);
    b.name = x->expr[u->seq] = tn_text_of_format(x->t, "%c%lld", buffer ? 'p' : 'a', (long long)u->k);
    const char *param = buffer ? l->buffer : l->scalar, *fetch = buffer ? l->open_buffer : l->open_scalar;
    if (param) { if (params.n) tn_text_add(&params, ", "); tn_format(&params, param, &b); }
    if (fetch) { tn_text_add(&open, "  "); tn_format(&open, fetch, &b); tn_text_add(&open, "\n"); }
  }
  memset(&b, 0, sizeof b);
  b.name = name; b.list = params.n ? params.data : "";
  tn_format(&x->out, l->kernel, &b);
  tn_text_add(&x->out, "\n%s%s", open.n ? open.data : "", l->entry ? l->entry : "");
}

// The function of one kernel.
static const char *tn_render(tiny_ctx *t, const tiny_language *lang, const char *name, const tn_lowered *k) {
  tn_text x;
  memset(&x, 0, sizeof x);
  x.t = x.out.t = t; x.lang = lang; x.list = k->list; x.n = k->n; x.indent = 1;
  x.local_nbytes = (int64_t)tn_render_local_nbytes(lang, k);
  x.expr = (const char **)tn_scratch(t, ((size_t)k->n + 1) * sizeof *x.expr);
  x.uses = (int *)tn_scratch(t, ((size_t)k->n + 1) * sizeof(int));
  x.depth = (int *)tn_scratch(t, ((size_t)k->n + 1) * sizeof(int));
  x.user_depth = (int *)tn_scratch(t, ((size_t)k->n + 1) * sizeof(int));
  x.tile = (uint8_t *)tn_scratch(t, (size_t)k->n + 1);
  tn_text_survey(&x);
  tn_render_entry(&x, name);
  for (int i = 0; i < k->n; i++) tn_statement(&x, k->list[i]);
  tn_text_add(&x.out, "}\n");
  return x.out.data;
}

// What stands before the kernels of a module: the prelude, and the vector types of every width that occurs.
static void tn_render_prelude(tiny_bytes *out, const tiny_language *lang, uint64_t lanes_used) {
  for (int i = 0; lang->prelude && lang->prelude[i]; i++) tn_text_add(out, "%s\n", lang->prelude[i]);
  for (int bit = 1; lang->lanes && bit < 16; bit++) if (lanes_used >> bit & 1) {
    tn_blanks b;
    memset(&b, 0, sizeof b);
    b.lanes = 1 << bit;
    tn_format(out, lang->lanes, &b);
    tn_text_add(out, "\n");
  }
}

// Bit b: the list holds vectors of 2^b lanes (or halves of them). What is wider is a tile.
static uint64_t tn_render_lanes(const tn_lowered *k) {
  uint64_t used = 0;
  for (int i = 0; i < k->n; i++)
    for (int b = 1; 1 << b <= TN_MAX_LANES; b++)
      if (k->list[i]->lanes == 1 << b) used |= (uint64_t)2 * ((uint64_t)1 << b) - 2;
  return used;
}
#endif
