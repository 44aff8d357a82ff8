// plain_lanes: what exported kernels call on vectors: macros for compilers that have vectors (clang, GCC from 9 on),
// and functions on plain structs, element by element, for others. Both give the same values.
//
// In:    the text of kernels, in which each such call is OP_TYPExLANES(..), CAST_ and BITS_ with the type they are of
//        before. Out: types and definitions of what is called, and of nothing else.
// Holds: a vector of bools has lanes of 0 and -1 in bytes, whatever was compared. Lanes of integers wrap.
#ifndef TN_RENDER_PLAIN_LANES
#define TN_RENDER_PLAIN_LANES
#ifndef TINY_AMALGAMATED
#include "lang_plain.c"
#endif

enum { TN_PLAIN_NAME = 48 };
// of: of the source, where it is another one. lanes 1: an element
typedef struct tn_plain_type { char element[4]; int lanes; } tn_plain_type;
typedef struct tn_plain_name { char text[TN_PLAIN_NAME], op[8]; tn_plain_type type, of; } tn_plain_name;
typedef struct tn_plain_names { tn_plain_name *name; int n, cap; uint32_t lanes; } tn_plain_names;

// gnu, plain: %n the name; %t the type, %e its elements, %u unsigned and %i signed elements of its width; %l lanes; %s
// the source's type, %w what elements are computed as; %a so many parameters of elements, %v their names.
static const struct { const char *op, *gnu, *plain; } tn_plain_lane_ops[] = {
  {"LOAD", "#define %n(p) ((%t)*(const %tu *)(const void *)(p))\n",
   "static %t %n(const %e *p) { %t z; for (int i = 0; i < %l; i++) z.v[i] = p[i]; return z; }\n"},
  {"STORE", "#define %n(p, x) (*(%tu *)(void *)(p) = (x))\n",
   "static void %n(%e *p, %t x) { for (int i = 0; i < %l; i++) p[i] = x.v[i]; }\n"},
  {"SPLAT", "#define %n(x) (__extension__ ({ const %e s_ = (x); (%t){%x}; }))\n",
   "static %t %n(%e x) { %t z; for (int i = 0; i < %l; i++) z.v[i] = x; return z; }\n"},
  {"STACK", "#define %n(...) (__extension__ (%t){__VA_ARGS__})\n",
   "static %t %n(%a) { const %t z = {{%v}}; return z; }\n"},
  {"PICK", "#define %n(x, k) ((x)[k])\n", "#define %n(x, k) ((x).v[k])\n"},
#define TN_PLAIN_HALF(name, k) \
  {name, "#define %n(x) (__extension__ ({ union { %s all; %t half[2]; } b_; b_.all = (x); b_.half[" k "]; }))\n", \
   "static %t %n(%s x) { union { %s all; %t half[2]; } b; b.all = x; return b.half[" k "]; }\n"}
  TN_PLAIN_HALF("LOW", "0"), TN_PLAIN_HALF("HIGH", "1"),
#undef TN_PLAIN_HALF
  {"NEG", "#define %n(x) ((%t)-(%ux%l)(x))\n",
   "static %t %n(%t x) { for (int i = 0; i < %l; i++) x.v[i] = (%e)-(%w)x.v[i]; return x; }\n"},
#define TN_PLAIN_BINARY(name, sign) \
  {name, "#define %n(x, y) ((%t)((%ux%l)(x) " sign " (%ux%l)(y)))\n", \
   "static %t %n(%t x, %t y) { for (int i = 0; i < %l; i++) x.v[i] = (%e)((%w)x.v[i] " sign " (%w)y.v[i]); " \
   "return x; }\n"}
  TN_PLAIN_BINARY("ADD", "+"), TN_PLAIN_BINARY("SUB", "-"), TN_PLAIN_BINARY("MUL", "*"), TN_PLAIN_BINARY("AND", "&"),
  TN_PLAIN_BINARY("OR", "|"), TN_PLAIN_BINARY("XOR", "^"), TN_PLAIN_BINARY("SHL", "<<"),
#undef TN_PLAIN_BINARY
  {"SHR", "#define %n(x, y) ((x) >> (y))\n",
   "static %t %n(%t x, %t y) { for (int i = 0; i < %l; i++) x.v[i] = (%e)(x.v[i] >> y.v[i]); return x; }\n"},
  // LLVM 19 takes lanes of 0 / 0 for 0, not NaN: it is not told that these bits, which change nothing, are 0 (lang_c.c)
  {"FDIV",
   "#ifdef __clang__\n"
   "#define %n(x, y) (__extension__ ({ i32 bits_ = 0; __asm__(\"\" : \"+r\"(bits_)); \\\n"
   "  (%t)((%ix%l)(x) | (%ix%l){%b}) / (y); }))\n#else\n#define %n(x, y) ((x) / (y))\n#endif\n",
   "static %t %n(%t x, %t y) { for (int i = 0; i < %l; i++) x.v[i] = x.v[i] / y.v[i]; return x; }\n"},
  {"CDIV", "#define %n(x, y) ((x) / (y))\n",
   "static %t %n(%t x, %t y) { for (int i = 0; i < %l; i++) x.v[i] = (%e)(x.v[i] / y.v[i]); return x; }\n"},
  {"CMOD", "#define %n(x, y) ((x) %% (y))\n",
   "static %t %n(%t x, %t y) { for (int i = 0; i < %l; i++) x.v[i] = (%e)(x.v[i] %% y.v[i]); return x; }\n"},
#define TN_PLAIN_EACH(name) \
  {name, "#define %n(x) (__extension__ ({ %t z_ = (x); for (int i_ = 0; i_ < %l; i_++) z_[i_] " \
      "= " name "_%e(z_[i_]); z_; }))\n", \
   "static %t %n(%t x) { for (int i = 0; i < %l; i++) x.v[i] = " name "_%e(x.v[i]); return x; }\n"}
  TN_PLAIN_EACH("SQRT"), TN_PLAIN_EACH("TRUNC"),
#undef TN_PLAIN_EACH
#define TN_PLAIN_COMPARE(name, sign) \
  {name, "#define %n(x, y) __builtin_convertvector((x) " sign " (y), b8x%l)\n", \
   "static b8x%l %n(%t x, %t y) { b8x%l z; for (int i = 0; i < %l; i++) z.v[i] = (i8)-(x.v[i] " sign " y.v[i]); " \
   "return z; }\n"}
  TN_PLAIN_COMPARE("LT", "<"), TN_PLAIN_COMPARE("NE", "!="), TN_PLAIN_COMPARE("EQ", "=="),
#undef TN_PLAIN_COMPARE
  {"WHERE",
   "#define %n(m, x, y) (__extension__ ({ const %ix%l k_ = __builtin_convertvector(m, %ix%l); \\\n"
   "  (%t)(((%ix%l)(x) & k_) | ((%ix%l)(y) & ~k_)); }))\n",
   "static %t %n(b8x%l m, %t x, %t y) { for (int i = 0; i < %l; i++) if (!m.v[i]) x.v[i] = y.v[i]; return x; }\n"},
  {"CAST", "#define %n(x) __builtin_convertvector(x, %t)\n",
   "static %t %n(%s x) { %t z; for (int i = 0; i < %l; i++) z.v[i] = (%e)x.v[i]; return z; }\n"},
  {"BITS", "#define %n(x) ((%t)(x))\n", "static %t %n(%s x) { union { %s from; %t to; } b; b.from = x; "
   "return b.to; }\n"}
};
enum { TN_PLAIN_LANE_OPS = sizeof tn_plain_lane_ops / sizeof *tn_plain_lane_ops };

// How vectors are written: the same names for every target.
static void tn_lang_plain_lanes(tiny_renderer *r) {
  static const struct { int op; const char *format; } ops[] = {
    {TINY_OP_NEG, "NEG_%t(%0)"}, {TINY_OP_ADD, "ADD_%t(%0, %1)"}, {TINY_OP_SUB, "SUB_%t(%0, %1)"},
    {TINY_OP_MUL, "MUL_%t(%0, %1)"}, {TINY_OP_FDIV, "FDIV_%t(%0, %1)"}, {TINY_OP_AND, "AND_%t(%0, %1)"},
    {TINY_OP_OR, "OR_%t(%0, %1)"}, {TINY_OP_XOR, "XOR_%t(%0, %1)"}, {TINY_OP_SHL, "SHL_%t(%0, %1)"},
    {TINY_OP_SHR, "SHR_%t(%0, %1)"}, {TINY_OP_LT, "LT_%s(%0, %1)"}, {TINY_OP_NE, "NE_%s(%0, %1)"},
    {TINY_OP_EQ, "EQ_%s(%0, %1)"}, {TINY_OP_WHERE, "WHERE_%t(%0, %1, %2)"}, {TINY_OP_CAST, "CAST_%s_%t(%0)"},
    {TINY_OP_BITCAST, "BITS_%s_%t(%0)"}, {TINY_OP_BROADCAST, "SPLAT_%t(%0)"}, {TINY_OP_PICK, "PICK_%s(%0, %k)"},
    {TINY_OP_STACK, "STACK_%t(%a)"}, {TINY_OP_CDIV, "CDIV_%t(%0, %1)"}, {TINY_OP_CMOD, "CMOD_%t(%0, %1)"},
    {TINY_OP_SQRT, "SQRT_%t(%0)"}, {TINY_OP_TRUNC, "TRUNC_%t(%0)"}
  };
  tiny_language *l = &r->language;
  l->vector = "%ex%l"; l->zero = "SPLAT_%t(0)";
  l->low = "LOW_%s_%t(%0)"; l->high = "HIGH_%s_%t(%0)";
  l->load = "LOAD_%t(&%0)"; l->store = "STORE_%t(&%0, %1)";
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) l->vops[ops[i].op] = ops[i].format;
  l->bops[TINY_OP_BROADCAST] = "SPLAT_%t((i8)-(%0))";
  l->ops[TINY_OP_BROADCAST] = l->vops[TINY_OP_BROADCAST];
  l->ops[TINY_OP_PICK] = l->vops[TINY_OP_PICK]; l->ops[TINY_OP_STACK] = l->vops[TINY_OP_STACK];
}

// ** what a text calls **

static int tn_plain_is_part(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
// A type at text: how long it is; 0: there is none.
static size_t tn_plain_read_type(const char *text, tn_plain_type *type) {
  for (size_t i = 0; i < sizeof tn_plain_types / sizeof *tn_plain_types; i++) {
    const char *name = tn_plain_types[i].type;
    size_t n = strlen(name);
    if (n > 3 || strncmp(text, name, n)) continue;
    memcpy(type->element, name, n + 1);
    type->lanes = 1;
    if (text[n] == 'x') {
      type->lanes = 0;
      for (n++; text[n] >= '0' && text[n] <= '9' && type->lanes < 100; n++)
        type->lanes = 10 * type->lanes + text[n] - '0';
    }
    return tn_plain_is_part(text[n]) && text[n] != '_' ? 0 : n;
  }
  return 0;
}
// The name of n characters at text, if it is of vectors. Types alone count for the lanes that there are.
static void tn_plain_name_add(tiny_ctx *t, tn_plain_names *names, const char *text, size_t n) {
  tn_plain_name one;
  memset(&one, 0, sizeof one);
  if (n >= TN_PLAIN_NAME) return;
  memcpy(one.text, text, n);
  size_t at = tn_plain_read_type(one.text, &one.type);
  if (at == n && one.type.lanes > 1) names->lanes |= (uint32_t)one.type.lanes;
  const char *rest = strchr(one.text, '_');
  if (at || !rest || rest - one.text >= (int)sizeof one.op) return;
  memcpy(one.op, one.text, (size_t)(rest - one.text));
  if (!(at = tn_plain_read_type(++rest, &one.type))) return;
  one.of = one.type;
  if (rest[at] == '_' && !(at += 1 + tn_plain_read_type(rest + at + 1, &one.type))) return;
  if (rest[at] || (one.type.lanes < 2 && one.of.lanes < 2)) return;
  for (int i = 0; i < names->n; i++) if (!strcmp(names->name[i].text, one.text)) return;
  names->lanes |= (uint32_t)(one.type.lanes | one.of.lanes) & ~(uint32_t)1;
  *TN_PUSH(t, names->name, names->n, names->cap, tn_plain_name) = one;
}
static void tn_plain_names_of(tiny_ctx *t, const char *text, tn_plain_names *names) {
  for (const char *c = text; *c;) {
    const char *from = c;
    while (tn_plain_is_part(*c)) c++;
    if (c > from) tn_plain_name_add(t, names, from, (size_t)(c - from));
    else c++;
  }
}

// ** definitions **

static const char *tn_plain_integer_of(const char *element, int is_signed) {
  static const char *const names[2][9] = {{"", "u8", "u16", "", "u32", "", "", "", "u64"},
                                          {"", "i8", "i16", "", "i32", "", "", "", "i64"}};
  const int bytes = element[1] == '8' ? 1 : element[1] == '1' ? 2 : element[1] == '3' ? 4 : 8;
  return names[is_signed][bytes];
}
// what: of element number i
static void tn_plain_list(tiny_bytes *out, int n, const char *format, const char *type) {
  for (int i = 0; i < n; i++) {
    if (i) tn_text_put(out, ", ");
    if (type) tn_text_add(out, "%s ", type);
    tn_text_add(out, format, i);
  }
}
static void tn_plain_type_put(tiny_bytes *out, const char *element, int lanes) {
  if (lanes > 1) tn_text_add(out, "%sx%d", element, lanes);
  else tn_text_put(out, element);
}
static void tn_plain_define(tiny_bytes *out, const char *format, const tn_plain_name *n) {
  const char *element = n->type.element, *e = !strcmp(element, "b8") ? "i8" : element;
  const int floats = *element == 'f', lanes = n->type.lanes > n->of.lanes ? n->type.lanes : n->of.lanes;
  const char *u = tn_plain_integer_of(element, 0);
  for (const char *c = format; *c; c++) {
    if (*c != '%') { tiny_bytes_add(out, c, 1); continue; }
    switch (*++c) {
      case 'n': tn_text_put(out, n->text); break;
      case 't': tn_plain_type_put(out, element, n->type.lanes); break;
      case 's': tn_plain_type_put(out, n->of.element, n->of.lanes); break;
      case 'e': tn_text_put(out, e); break;
      case 'u': tn_text_put(out, floats ? element : u); break;
      case 'w': tn_text_put(out, floats ? element : *u && u[1] == '6' ? "u64" : "u32"); break;
      case 'i': tn_text_put(out, tn_plain_integer_of(element, 1)); break;
      case 'l': tn_text_add(out, "%d", lanes); break;
      case 'x': tn_plain_list(out, lanes, "s_", NULL); break;
      case 'b': tn_plain_list(out, lanes, "bits_", NULL); break;
      case 'v': tn_plain_list(out, lanes, "x%d", NULL); break;
      case 'a': tn_plain_list(out, lanes, "x%d", e); break;
      default: tiny_bytes_add(out, c, 1); break;
    }
  }
}
static int tn_plain_name_order(const void *a, const void *b) {
  return strcmp(((const tn_plain_name *)a)->text, ((const tn_plain_name *)b)->text);
}
// Heavy code.
static void tn_plain_lanes(tiny_ctx *t, tn_plain_names *names, tiny_bytes *out) {
  tiny_bytes gnu = {t, NULL, 0, 0}, plain = {t, NULL, 0, 0}, types = {t, NULL, 0, 0};
  if (!names->lanes) return;
  if (names->n) qsort(names->name, (size_t)names->n, sizeof *names->name, tn_plain_name_order);
  for (int bit = 1; bit < 8; bit++) if (names->lanes >> bit & 1) tn_text_add(&types, "LANES(%d)\n", 1 << bit);
  for (int i = 0; i < names->n; i++) for (int o = 0; o < TN_PLAIN_LANE_OPS; o++) {
    if (strcmp(names->name[i].op, tn_plain_lane_ops[o].op)) continue;
    tn_plain_define(&gnu, tn_plain_lane_ops[o].gnu, &names->name[i]);
    tn_plain_define(&plain, tn_plain_lane_ops[o].plain, &names->name[i]);
  }
  tn_text_put(out, "#define LANES(L) VECTOR(b8, i8, L) VECTOR(i8, i8, L) VECTOR(u8, u8, L) VECTOR(i16, i16, L) "
      "VECTOR(u16, u16, L) \\\n"
              "  VECTOR(i32, i32, L) VECTOR(u32, u32, L) VECTOR(i64, i64, L) VECTOR(u64, u64, L) VECTOR(f32, f32, L) "
              "VECTOR(f64, f64, L)\n"
              "#if (defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 9)) && !defined(TINY_NO_VECTORS)\n"
              "#define VECTOR(T, E, L) typedef E T##x##L __attribute__((vector_size(sizeof(E) * L))); \\\n"
              "  typedef E T##x##L##u __attribute__((vector_size(sizeof(E) * L), aligned(sizeof(E)), may_alias));\n");
  if (types.n) tiny_bytes_add(out, types.data, types.n);
  if (gnu.n) tiny_bytes_add(out, gnu.data, gnu.n);
  tn_text_put(out, "#else\n#define VECTOR(T, E, L) typedef struct { E v[L]; } T##x##L;\n");
  if (types.n) tiny_bytes_add(out, types.data, types.n);
  if (plain.n) tiny_bytes_add(out, plain.data, plain.n);
  tn_text_put(out, "#endif\n");
}
#endif
