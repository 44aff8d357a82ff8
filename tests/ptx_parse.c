// ptx_parse: a module of a text: declarations, and instructions as ptx_ins with registers by number.
//
// Out:   ptx_parse. Holds: operands name rows of the warp's registers; those of functions come first, a kernel's behind
//        them; labels are instructions' numbers; addresses of variables are constants.
// Included by ptx_machine.c.
#ifndef PTX_PARSE_C
#define PTX_PARSE_C
#include "ptx_text.c"

enum { PTX_SCOPES = 4096, PTX_ACTIVE = 65536, PTX_LIST_MOST = 300, PTX_NESTED = 8 };
typedef struct ptx_label { const char *name; int length, scope, at; } ptx_label;
typedef struct ptx_reader {
  ptx_module *m; const char *p, *end; int line; jmp_buf out; char *error; size_t nbytes;
  ptx_function *f; int fn;                 // -1: outside
  int scope, nscope, nested, parent[PTX_SCOPES];           // nested: lists in lists
  int *ranges, nranges, *variables, nvariables;              // those that can be seen here
  ptx_label *label; int nlabel, label_room, *hash;           // hash: of the function's labels
} ptx_reader;

static void ptx_fails(ptx_reader *r, const char *format, ...) {
  char said[300];
  va_list args;
  va_start(args, format);
  vsnprintf(said, sizeof said, format, args);
  va_end(args);
  if (r->nbytes) snprintf(r->error, r->nbytes, "line %d: %s", r->line, said);
  longjmp(r->out, 1);
}
static void *ptx_more(ptx_reader *r, void *p, int n, int *room, size_t nbytes) {
  if (n < *room) return p;
  void *grown = realloc(p, (size_t)(*room * 2 + 64) * nbytes);
  if (!grown) ptx_fails(r, "no memory");
  *room = *room * 2 + 64;
  return grown;
}
#define PTX_PUSH(r, array, type, n, room)                                                                              \
  ((array) = (type *)ptx_more(r, array, n, &(room), sizeof(type)), memset(&(array)[n], 0, sizeof(type)),               \
   &(array)[(n)++])

// ** words **

static int ptx_is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' || c == '%';
}
static void ptx_space(ptx_reader *r) {
  for (; r->p < r->end; r->p++) {
    if (*r->p == '\n') r->line++;
    else if (r->p[0] == '/' && r->p[1] == '/') { while (r->p + 1 < r->end && r->p[1] != '\n') r->p++; }
    else if (r->p[0] == '/' && r->p[1] == '*') {
      for (r->p += 2; r->p < r->end && (r->p[0] != '*' || r->p[1] != '/'); r->p++) r->line += *r->p == '\n';
      r->p++;
    } else if (*r->p != ' ' && *r->p != '\t' && *r->p != '\r') return;
  }
}
static void ptx_line(ptx_reader *r) { while (r->p < r->end && *r->p != '\n') r->p++; }
static void ptx_past(ptx_reader *r, char c) {
  for (; r->p < r->end && *r->p != c; r->p++) r->line += *r->p == '\n';
  if (r->p < r->end) r->p++;
}
static int ptx_take(ptx_reader *r, char c) {
  ptx_space(r);
  if (r->p >= r->end || *r->p != c) return 0;
  r->p++;
  return 1;
}
static void ptx_need(ptx_reader *r, char c) {
  if (!ptx_take(r, c)) ptx_fails(r, "'%c' is expected before '%.20s'", c, r->p < r->end ? r->p : "the end");
}
// A name, or a directive with its point; 0: none here.
static int ptx_name(ptx_reader *r, const char **name) {
  ptx_space(r);
  const char *p = r->p;
  if (p < r->end && *p == '.') p++;
  while (p < r->end && ptx_is_name(*p)) p++;
  *name = r->p;
  const int n = (int)(p - r->p);
  r->p = p;
  return n;
}
static int ptx_is(const char *name, int n, const char *word) {
  return (int)strlen(word) == n && !memcmp(name, word, (size_t)n);
}
static int ptx_ahead(ptx_reader *r, const char *word) {
  ptx_space(r);
  const char *from = r->p, *name;
  const int n = ptx_name(r, &name), is = ptx_is(name, n, word);
  if (!is) r->p = from;
  return is;
}
static int ptx_hex(char c) {
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : 99;
}
// A number: 0x, 0b, octal, decimal with U behind, 0f and 0d with a float's bits; a decimal fraction as a float of type.
static int64_t ptx_number(ptx_reader *r, int type) {
  ptx_space(r);
  const int negative = *r->p == '-';
  uint64_t x = 0;
  int base = 10;
  if (negative || *r->p == '+') r->p++;
  if (*r->p < '0' || *r->p > '9') ptx_fails(r, "a number is expected before '%.20s'", r->p);
  if (*r->p == '0' && strchr("xXfFdDbB", r->p[1]) && r->p[1]) {
    base = r->p[1] == 'b' || r->p[1] == 'B' ? 2 : 16;
    r->p += 2;
  } else if (*r->p == '0') base = 8;
  for (const char *p = r->p; base != 16 && ((*p >= '0' && *p <= '9') || *p == '.'); p++) if (*p == '.') base = 1;
  if (base != 1) {
    for (; ptx_hex(*r->p) < base; r->p++) x = x * (unsigned)base + (unsigned)ptx_hex(*r->p);
    if (*r->p == 'U') r->p++;
    return (int64_t)(negative ? 0 - x : x);
  }
  char *end;
  double d = strtod(r->p, &end);
  r->p = end;
  if (negative) d = -d;
  if (ptx_bits(type) == 32) { const float f = (float)d; uint32_t bits; memcpy(&bits, &f, 4); return bits; }
  memcpy(&x, &d, 8);
  return (int64_t)x;
}
static int ptx_type_here(ptx_reader *r) {
  const char *name;
  const int n = ptx_name(r, &name), type = n > 1 ? ptx_type_of(name + 1, (size_t)n - 1) : PTX_NOTYPE;
  if (!type) ptx_fails(r, "'%.*s' is no type", n, name);
  return type;
}

// ** names **

static int ptx_same(const char *a, int n, const char *b, int m) { return n == m && !memcmp(a, b, (size_t)n); }
// The row of a register; type gets its type. -1: no register.
static int ptx_register(ptx_reader *r, const char *name, int n, int *type) {
  int digits = 0, number = 0;
  while (digits < n && name[n - 1 - digits] >= '0' && name[n - 1 - digits] <= '9') digits++;
  for (int i = n - digits; i < n && digits < 9; i++) number = number * 10 + name[i] - '0';
  for (int i = r->nranges - 1; i >= 0; i--) {
    const ptx_range *range = &r->m->range[r->ranges[i]];
    *type = range->type;
    if (!range->number) { if (ptx_same(range->name, range->length, name, n)) return range->at; }
    else if (digits && ptx_same(range->name, range->length, name, n - digits) && number < range->count)
      return range->at + number;
  }
  return -1;
}
static const ptx_variable *ptx_variable_of(ptx_reader *r, const char *name, int n) {
  for (int i = r->nvariables - 1; i >= 0; i--) {
    const ptx_variable *v = &r->m->variable[r->variables[i]];
    if (ptx_same(v->name, v->length, name, n)) return v;
  }
  return NULL;
}
static int ptx_function_of(const ptx_module *m, const char *name, int n) {
  for (int i = 0; i < m->nfunction; i++)
    if (ptx_same(m->function[i]->name, (int)strlen(m->function[i]->name), name, n)) return i;
  return -1;
}
static int64_t ptx_constant(ptx_reader *r, uint64_t x) {
  ptx_module *m = r->m;
  for (int i = m->nconstant - 1; i >= 0 && i > m->nconstant - 200; i--) if (m->constant[i * PTX_WARP] == x) return i;
  if (m->nconstant >= m->constant_room) {
    m->constant = (uint64_t *)realloc(m->constant, (size_t)(m->constant_room * 2 + 64) * PTX_WARP * sizeof x);
    if (!m->constant) ptx_fails(r, "no memory");
    m->constant_room = m->constant_room * 2 + 64;
  }
  for (int i = 0; i < PTX_WARP; i++) m->constant[m->nconstant * PTX_WARP + i] = x;
  return m->nconstant++;
}

// ** declarations **

static int64_t ptx_up(int64_t at, int64_t align) { return (at + align - 1) / align * align; }
static void ptx_place_variable(ptx_reader *r, ptx_variable *v) {
  ptx_module *m = r->m;
  int64_t size = v->space == PTX_SHARED ? r->f ? r->f->kernel.static_shared : 0 :
    v->space == PTX_LOCAL ? r->f->local : v->space == PTX_PARAM ? (int64_t)r->f->kernel.param_nbytes : m->ndata;
  if (v->dynamic) return;
  v->at = ptx_up(size, v->align);
  size = v->at + (int64_t)v->nbytes;
  if (size > 1 << 26) ptx_fails(r, "'%.*s' is of %lld bytes", v->length, v->name, (long long)v->nbytes);
  if (v->space == PTX_SHARED) r->f->kernel.static_shared = (uint32_t)size;
  else if (v->space == PTX_LOCAL) r->f->local = (int)size;
  else if (v->space == PTX_PARAM) r->f->kernel.param_nbytes = (size_t)size;
  else {
    if (size > m->data_room) {
      m->data = (unsigned char *)realloc(m->data, (size_t)size * 2);
      if (!m->data) ptx_fails(r, "no memory");
      m->data_room = (int)size * 2;
    }
    memset(m->data + m->ndata, 0, (size_t)(size - m->ndata));
    m->ndata = (int)size;
    v->at |= (int64_t)((uint64_t)PTX_IN_MODULE << 56);
  }
}
static void ptx_nest(ptx_reader *r) { if (++r->nested > PTX_NESTED) ptx_fails(r, "lists in lists in lists"); }
static void ptx_initial(ptx_reader *r, const ptx_variable *v, uint64_t *at) {
  if (ptx_take(r, '{')) {
    ptx_nest(r);
    do ptx_initial(r, v, at); while (ptx_take(r, ','));
    ptx_need(r, '}');
    r->nested--;
    return;
  }
  const int64_t x = ptx_number(r, v->type);
  const size_t n = (size_t)ptx_bits(v->type) / 8;
  if (*at + n > v->nbytes) ptx_fails(r, "'%.*s' has too many values", v->length, v->name);
  memcpy(r->m->data + (v->at & 0xFFFFFFFF) + *at, &x, n);
  *at += n;
}
// Behind the space: .align 16 .b8 name[4][4] = {..}, and more names, but of a parameter. Its number.
static int ptx_declare(ptx_reader *r, int space, int external, int parameter) {
  int align = 0, vector = 1, n = 0, at;
  const char *name;
  for (;;) {                               // .align 8, .ptr .global .align 16, .v4, .attribute(..)
    if (ptx_ahead(r, ".align")) align = (int)ptx_number(r, 0);
    else if (ptx_ahead(r, ".v2")) vector = 2;
    else if (ptx_ahead(r, ".v4")) vector = 4;
    else break;
  }
  const int type = ptx_type_here(r);
  int pointed = ptx_ahead(r, ".ptr");
  while (pointed &&
         (ptx_ahead(r, ".global") || ptx_ahead(r, ".shared") || ptx_ahead(r, ".const") || ptx_ahead(r, ".local"))) {}
  if (pointed && ptx_ahead(r, ".align")) ptx_number(r, 0);
  do {
    n = ptx_name(r, &name);
    if (!n) ptx_fails(r, "a name is expected before '%.20s'", r->p);
    ptx_variable *v = PTX_PUSH(r, r->m->variable, ptx_variable, r->m->nvariable, r->m->variable_room);
    at = r->m->nvariable - 1;
    const int nbytes = ptx_bits(type) < 8 ? 1 : ptx_bits(type) / 8;
    v->name = name; v->length = n; v->space = (uint8_t)space; v->type = (uint8_t)type; v->function = r->fn;
    v->align = align ? align : nbytes * vector; v->nbytes = (uint64_t)(nbytes * vector);
    while (ptx_take(r, '[')) {
      if (ptx_take(r, ']')) { v->dynamic = 1; v->nbytes = 0; continue; }
      v->nbytes *= (uint64_t)ptx_number(r, 0);
      ptx_need(r, ']');
    }
    v->dynamic = v->dynamic && external;
    if (space == PTX_SHARED && !r->f && !v->dynamic) v->at = -1;       // placed by the kernel that names it
    else ptx_place_variable(r, v);
    uint64_t filled = 0;
    if (ptx_take(r, '=')) ptx_initial(r, &r->m->variable[at], &filled);
    if (r->nvariables == PTX_ACTIVE) ptx_fails(r, "too many variables");
    r->variables[r->nvariables++] = at;
  } while (!parameter && ptx_take(r, ','));
  return at;
}
// .reg .b32 %r<12>, a;
static void ptx_registers(ptx_reader *r) {
  const int type = ptx_type_here(r);
  const char *name;
  do {
    ptx_range *range = PTX_PUSH(r, r->m->range, ptx_range, r->m->nrange, r->m->range_room);
    range->length = ptx_name(r, &name);
    range->name = name; range->type = (uint8_t)type; range->function = r->fn; range->count = 1;
    if (ptx_take(r, '<')) { range->number = 1; range->count = (int)ptx_number(r, 0); ptx_need(r, '>'); }
    int *n = type == PTX_PRED ? &r->f->predicates : &r->f->registers;
    if (range->count < 0 || range->count > 1 << 20) ptx_fails(r, "%d registers", range->count);
    range->at = *n;
    *n += range->count;
    if (r->nranges == PTX_ACTIVE) ptx_fails(r, "too many registers");
    r->ranges[r->nranges++] = r->m->nrange - 1;
  } while (ptx_take(r, ','));
}

// ** operands **

static void ptx_operand_at(ptx_reader *r, const ptx_ins *ins, int at);
// Operands up to the bracket, one behind another; the first one's number.
static int ptx_listed(ptx_reader *r, const ptx_ins *ins, char close, int *n) {
  ptx_operand list[PTX_LIST_MOST];
  ptx_nest(r);
  for (*n = 0; !ptx_take(r, close); (*n)++) {
    if (*n) ptx_need(r, ',');
    if (*n == PTX_LIST_MOST) ptx_fails(r, "too many operands");
    PTX_PUSH(r, r->m->operand, ptx_operand, r->m->noperand, r->m->operand_room);
    const int at = r->m->noperand - 1;
    ptx_operand_at(r, ins, at);
    list[*n] = r->m->operand[at];
  }
  r->nested--;
  const int first = r->m->noperand;
  for (int i = 0; i < *n; i++) *PTX_PUSH(r, r->m->operand, ptx_operand, r->m->noperand, r->m->operand_room) = list[i];
  return first;
}
// What a name is, without what stands behind it.
static void ptx_named(ptx_reader *r, ptx_operand *o, const char *name, int n) {
  int type;
  const int row = ptx_register(r, name, n, &type);
  if (row >= 0) {
    o->kind = type == PTX_PRED ? PTX_BITS : PTX_ROW;
    o->at = row;
    o->bits = (uint8_t)ptx_bits(type);
    o->type = (uint8_t)type;
    return;
  }
  for (int i = 0; i < PTX_NSPECIALS && (*name == '%' || *name == 'W'); i++)
    if (ptx_is(name, n, ptx_specials[i])) { o->kind = PTX_SPECIAL; o->at = i; return; }
  const ptx_variable *v = ptx_variable_of(r, name, n);
  if (v) {
    ptx_variable *mine = &r->m->variable[v - r->m->variable];
    if (v->space == PTX_SHARED && v->function < 0 && !v->dynamic && r->f) {
      if (mine->at < 0 || mine->scope != r->fn) { ptx_place_variable(r, mine); mine->scope = r->fn; }
    }
    o->kind = PTX_CONSTANT; o->at = -1; o->value = v->at; o->space = v->space; o->dynamic = v->dynamic;
    return;
  }
  if (*name == '%') ptx_fails(r, "there is no register '%.*s'", n, name);
  o->kind = PTX_LABEL; o->value = (int64_t)(name - r->m->text); o->n = n; o->also = r->scope;
}
static void ptx_offset(ptx_reader *r, ptx_operand *o) {
  while (ptx_take(r, '+')) o->value += ptx_number(r, 0);
  ptx_space(r);
  if (*r->p == '-') o->value += ptx_number(r, 0);
}
static void ptx_memory_at(ptx_reader *r, const ptx_ins *ins, int at) {
  ptx_operand o;
  const char *name;
  memset(&o, 0, sizeof o);
  ptx_space(r);
  if ((*r->p >= '0' && *r->p <= '9') || *r->p == '-') { o.value = ptx_number(r, 0); o.at = -1; }
  else {
    const int n = ptx_name(r, &name);
    ptx_named(r, &o, name, n);
    if (o.kind == PTX_LABEL) ptx_fails(r, "there is no '%.*s'", n, name);
    if (o.kind == PTX_ROW && o.bits < 32) ptx_fails(r, "'%.*s' is no address", n, name);
    if (o.kind != PTX_ROW && o.kind != PTX_CONSTANT) ptx_fails(r, "'%.*s' is no address", n, name);
    ptx_offset(r, &o);
  }
  o.kind = PTX_MEMORY;
  if (ptx_take(r, ',')) {                  // coordinates of a tensor
    ptx_need(r, '{');
    const int first = ptx_listed(r, ins, '}', &o.n);
    o.also = first;
  }
  ptx_need(r, ']');
  r->m->operand[at] = o;
}
static void ptx_operand_at(ptx_reader *r, const ptx_ins *ins, int at) {
  ptx_operand o;
  const char *name;
  memset(&o, 0, sizeof o);
  if (ptx_take(r, '[')) { ptx_memory_at(r, ins, at); return; }
  if (ptx_take(r, '{')) {
    const int first = ptx_listed(r, ins, '}', &o.n);
    o.kind = PTX_LIST; o.at = first;
    r->m->operand[at] = o;
    return;
  }
  o.not_ = (uint8_t)ptx_take(r, '!');
  ptx_space(r);
  if ((*r->p >= '0' && *r->p <= '9') || *r->p == '-' || *r->p == '+') {
    o.kind = PTX_CONSTANT; o.at = -1; o.value = ptx_number(r, ins->type);
  } else {
    int n = ptx_name(r, &name);
    if (!n) ptx_fails(r, "an operand is expected before '%.20s'", r->p);
    while (*name == '%' && *r->p == '.') { const char *more; n += ptx_name(r, &more); }   // %tid.x
    if (n == 1 && *name == '_') o.kind = PTX_NONE;
    else ptx_named(r, &o, name, n);
    if (o.kind == PTX_CONSTANT) ptx_offset(r, &o);
  }
  if (ptx_take(r, '|')) {
    PTX_PUSH(r, r->m->operand, ptx_operand, r->m->noperand, r->m->operand_room);
    o.also = r->m->noperand - 1;
    ptx_nest(r);
    ptx_operand_at(r, ins, o.also);
    r->nested--;
  }
  r->m->operand[at] = o;
}

// ** instructions **

static int ptx_first(const ptx_ins *i, const char *words) {  // the first of these words, of those that stand in i; -1
  for (const char *p = words; *p; ) {
    const char *end = strchr(p, ' ') ? strchr(p, ' ') : p + strlen(p);
    const int word = ptx_word_of(p, (size_t)(end - p));
    if (word >= 0 && ptx_has(i, word)) return word;
    p = *end ? end + 1 : end;
  }
  return -1;
}
// "m16n8k16"
static int ptx_shape(const char *p, int n) {
  int x[3] = {0, 0, 0}, at = -1;
  for (int i = 0; i < n; i++) {
    if (p[i] >= '0' && p[i] <= '9' && at >= 0) x[at] = x[at] * 10 + p[i] - '0';
    else if (at < 2 && p[i] == "mnk"[at + 1]) at++;
    else return 0;
  }
  return at >= 1 ? x[0] << 20 | x[1] << 8 | x[2] : 0;
}
// .add.rn.ftz.f32: words and types behind the operation.
static void ptx_modifiers(ptx_reader *r, ptx_ins *ins, const char *p, const char *end) {
  static const char compares[] = "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan";
  int first_space = -1, types = 0;
  ins->cmp = ins->rnd = ins->bop = ins->mode = ins->mode2 = 0xFFFF;
  while (p < end) {
    const char *to = p;
    while (to < end && *to != '.') to++;
    const size_t n = (size_t)(to - p);
    const int type = ptx_type_of(p, n), word = type ? -1 : ptx_word_of(p, n);
    if (type) {
      if (types < 4) (&ins->type)[types] = (uint8_t)type;
      types++;
    } else if (word >= 0) {
      ins->words[word / 8] = (uint8_t)(ins->words[word / 8] | 1 << word % 8);
      if (word >= PTX_W_rn && word <= PTX_W_rpi) ins->rnd = (uint16_t)word;
      const int is = word == PTX_W_global ? PTX_GLOBAL : word == PTX_W_shared || word == PTX_W_shared_cta ||
        word == PTX_W_shared_cluster ? PTX_SHARED : word == PTX_W_local ? PTX_LOCAL : word == PTX_W_param ? PTX_PARAM :
        word == PTX_W_const ? PTX_CONST : -1;
      if (is >= 0 && first_space < 0) { ins->space = (uint8_t)is; first_space = is; }
      else if (is >= 0) ins->space2 = (uint8_t)is;
    } else if (ptx_shape(p, (int)n)) ins->shape = ptx_shape(p, (int)n);
    else ptx_fails(r, "'%s' with '.%.*s' is not known", ptx_ops[ins->op], (int)n, p);
    p = to + 1;
  }
  ins->ntypes = (uint8_t)types;
  ins->ftz = (uint8_t)ptx_has(ins, PTX_W_ftz);
  ins->sat = (uint8_t)(ptx_has(ins, PTX_W_sat) ? 1 : ptx_has(ins, PTX_W_satfinite) ? 2 : 0);
  ins->relu = (uint8_t)ptx_has(ins, PTX_W_relu);
  ins->approx = (uint8_t)(ptx_has(ins, PTX_W_approx) ? 1 : ptx_has(ins, PTX_W_full) ? 2 : 0);
  ins->cc = (uint8_t)ptx_has(ins, PTX_W_cc);
  ins->vec = (uint8_t)(ptx_has(ins, PTX_W_v8) ? 8 : ptx_has(ins, PTX_W_v4) ? 4 : ptx_has(ins, PTX_W_v2) ? 2 : 1);
  ins->strong = (uint8_t)(ptx_first(ins, "volatile relaxed acquire release acq_rel mmio") >= 0);
  ins->bulk = (uint8_t)ptx_has(ins, PTX_W_bulk);
  ins->tensor = (uint8_t)(ptx_has(ins, PTX_W_1d) ? 1 : ptx_has(ins, PTX_W_2d) ? 2 : ptx_has(ins, PTX_W_3d) ? 3 :
                          ptx_has(ins, PTX_W_4d) ? 4 : ptx_has(ins, PTX_W_5d) ? 5 : 0);
  if (ins->op == PTX_setp_ || ins->op == PTX_set_) {
    const int cmp = ptx_first(ins, compares), bop = ptx_first(ins, "and or xor");
    if (cmp < 0) ptx_fails(r, "'%s' without a comparison", ptx_ops[ins->op]);
    ins->cmp = (uint16_t)cmp;
    if (bop >= 0) ins->bop = (uint16_t)bop;
  } else {
    const int mode = ptx_first(ins, "lo hi wide wrap clamp up down bfly idx and or xor add min max inc dec exch cas "
                                    "popc "
                                    "all any ballot finite infinite number notanumber normal subnormal f4e b4e rc8 ecl "
                                    "ecr rc16");
    if (mode >= 0) ins->mode = (uint16_t)mode;
  }
}

static int ptx_hash(const char *name, int n, int scope) {
  unsigned h = (unsigned)scope * 31u;
  for (int i = 0; i < n; i++) h = h * 33u + (unsigned char)name[i];
  return (int)(h & 0xFFFF);
}
static void ptx_label_here(ptx_reader *r, const char *name, int n, int at) {
  ptx_label *l = PTX_PUSH(r, r->label, ptx_label, r->nlabel, r->label_room);
  l->name = name; l->length = n; l->scope = r->scope; l->at = at;
  int h = ptx_hash(name, n, r->scope);
  while (r->hash[h]) h = (h + 1) & 0xFFFF;
  if (r->nlabel > 0xF000) ptx_fails(r, "too many labels");
  r->hash[h] = r->nlabel;
}
static int ptx_label_at(ptx_reader *r, const char *name, int n, int scope) {
  for (;; scope = r->parent[scope]) {
    for (int h = ptx_hash(name, n, scope); r->hash[h]; h = (h + 1) & 0xFFFF) {
      const ptx_label *l = &r->label[r->hash[h] - 1];
      if (l->scope == scope && ptx_same(l->name, l->length, name, n)) return l->at;
    }
    if (!scope) break;
  }
  ptx_fails(r, "there is no label '%.*s'", n, name);
  return -1;
}

// Operations whose operands are as wide as their type.
static int ptx_is_plain(int op) {
  switch (op) {
    case PTX_abs_: case PTX_add_: case PTX_addc_: case PTX_and_: case PTX_cnot_: case PTX_copysign_: case PTX_cos_:
    case PTX_div_: case PTX_ex2_: case PTX_fma_: case PTX_lg2_: case PTX_max_: case PTX_min_: case PTX_neg_:
    case PTX_not_: case PTX_or_: case PTX_rcp_: case PTX_rem_: case PTX_rsqrt_: case PTX_sad_: case PTX_sin_:
    case PTX_sqrt_: case PTX_sub_: case PTX_subc_: case PTX_tanh_: case PTX_xor_: case PTX_brev_: return 1;
    default: return 0;
  }
}
static void ptx_count(ptx_reader *r, const ptx_ins *ins, int least) {
  if (ins->n < least) ptx_fails(r, "'%s' wants %d operands and has %d", ptx_ops[ins->op], least, ins->n);
}
static void ptx_decode(ptx_reader *r, ptx_ins *ins) {
  ptx_operand *o = &r->m->operand[ins->o];
  const int bits = ptx_bits(ins->type), least = ptx_least_target(ins);
  if (r->m->target < least)
    ptx_fails(r, "'%s' so is there from sm_%d on, and this is for sm_%d", ptx_ops[ins->op], least, r->m->target);
  if ((ins->op == PTX_wgmma_ || ins->op == PTX_setmaxnreg_) && !r->m->exact)
    ptx_fails(r, "'%s' is there for sm_%da alone", ptx_ops[ins->op], r->m->target);
  if (ins->op == PTX_wgmma_ && r->m->target != 90) ptx_fails(r, "'wgmma' is there for sm_90a alone");
  if (ins->op == PTX_tcgen05_ && (!r->m->exact || r->m->target >= 120))
    ptx_fails(r, "'tcgen05' is there for sm_100a, sm_103a and sm_110a alone");
  if (ins->op == PTX_tcgen05_ && ptx_has(ins, PTX_W_kind_i8) && r->m->target == 103)
    ptx_fails(r, "'tcgen05' of bytes is not there for sm_103a");
  if (ptx_is_plain(ins->op)) {
    if (!ins->ntypes) ptx_fails(r, "'%s' without a type", ptx_ops[ins->op]);
    ptx_count(r, ins, 2);
    for (int i = 0; i < ins->n; i++) {
      const int is = o[i].kind == PTX_BITS ? 1 : o[i].kind == PTX_ROW ? o[i].bits : bits;
      if (is != bits && ins->ntypes < 2)
        ptx_fails(r, "'%s.%s' with a register of %d bits", ptx_ops[ins->op], ptx_types[ins->type].text, is);
      if (o[i].kind == PTX_ROW && ptx_is_float(ins->type) &&
          (ptx_types[o[i].type].kind == 'u' || ptx_types[o[i].type].kind == 's'))
        ptx_fails(r, "'%s.%s' with a register of integers", ptx_ops[ins->op], ptx_types[ins->type].text);
    }
  }
  for (int i = 0; i < ins->n && ins->op != PTX_mov_ && ins->op != PTX_cvta_ && ins->op != PTX_call_; i++)
    if (o[i].kind == PTX_CONSTANT && o[i].space) ptx_fails(r, "an address of a variable is taken by mov alone");
  switch (ins->op) {
    case PTX_bar_: case PTX_barrier_: {
      const int at = ptx_has(ins, PTX_W_red), is = ins->n > at && o[at].kind == PTX_CONSTANT;
      const int named = is && !ptx_has(ins, PTX_W_warp) ? (int)o[at].value : 0;
      if (named < 0 || named > 15) ptx_fails(r, "there is no barrier %d", named);
      if (!ptx_has(ins, PTX_W_warp) && !ptx_has(ins, PTX_W_cluster) && r->f->kernel.barriers <= named)
        r->f->kernel.barriers = named + 1;
      break;
    }
    case PTX_ld_: case PTX_ldu_: case PTX_st_: case PTX_atom_: case PTX_red_:
      ptx_count(r, ins, 2);
      if (!ins->ntypes) ptx_fails(r, "'%s' without a type", ptx_ops[ins->op]);
      if (o[ins->op == PTX_st_ || ins->op == PTX_red_ ? 0 : 1].kind != PTX_MEMORY)
        ptx_fails(r, "'%s' without an address", ptx_ops[ins->op]);
      break;
    case PTX_setp_: case PTX_selp_: case PTX_shfl_: ptx_count(r, ins, 3); break;
    case PTX_mma_: ptx_count(r, ins, 4); break;
    case PTX_mov_: case PTX_cvt_: case PTX_cvta_: case PTX_popc_: case PTX_clz_: ptx_count(r, ins, 2); break;
    case PTX_mad_: case PTX_prmt_: case PTX_bfe_: case PTX_shf_: ptx_count(r, ins, 4); break;
    case PTX_mul_: case PTX_shl_: case PTX_shr_: ptx_count(r, ins, 3); break;
    case PTX_multimem_: case PTX_tensormap_: case PTX_fns_:
      ptx_fails(r, "'%s' is not known to this machine", ptx_ops[ins->op]);
      break;
    default: break;
  }
}

// call (results), name, (arguments): operands are results, then arguments.
static void ptx_call(ptx_reader *r, ptx_ins *ins) {
  const char *name;
  int results[8], nresults = 0, arguments[64], narguments = 0, n;
  for (int pass = 0; pass < 2; pass++) {
    if (ptx_take(r, '(')) {
      for (int i = 0; !ptx_take(r, ')'); i++) {
        if (i) ptx_need(r, ',');
        PTX_PUSH(r, r->m->operand, ptx_operand, r->m->noperand, r->m->operand_room);
        ptx_operand_at(r, ins, r->m->noperand - 1);
        if (pass ? narguments == 64 : nresults == 8) ptx_fails(r, "too many arguments");
        if (pass) arguments[narguments++] = r->m->noperand - 1;
        else results[nresults++] = r->m->noperand - 1;
      }
      if (pass) break;
      ptx_need(r, ',');
    }
    if (pass) break;
    n = ptx_name(r, &name);
    ins->target = ptx_function_of(r->m, name, n);
    if (ins->target < 0) ptx_fails(r, "there is no function '%.*s'", n, name);
    if (!ptx_take(r, ',')) break;
  }
  const int first = r->m->noperand;
  for (int i = 0; i < nresults + narguments; i++) {
    const ptx_operand o = r->m->operand[i < nresults ? results[i] : arguments[i - nresults]];
    *PTX_PUSH(r, r->m->operand, ptx_operand, r->m->noperand, r->m->operand_room) = o;
  }
  ins->o = first; ins->n = (uint8_t)(nresults + narguments); ins->mode = (uint16_t)nresults;
}
static void ptx_statement(ptx_reader *r) {
  ptx_ins ins;
  const char *name;
  memset(&ins, 0, sizeof ins);
  ins.guard = -1; ins.line = r->line;
  if (ptx_take(r, '@')) {
    int type;
    ins.not_ = (uint8_t)ptx_take(r, '!');
    const int n = ptx_name(r, &name);
    ins.guard = ptx_register(r, name, n, &type);
    if (ins.guard < 0 || type != PTX_PRED) ptx_fails(r, "there is no predicate '%.*s'", n, name);
  }
  int n = ptx_name(r, &name);
  ins.line = r->line;
  for (ins.op = 0; ins.op < PTX_NOPS && (*name != *ptx_ops[ins.op] || !ptx_is(name, n, ptx_ops[ins.op])); ins.op++) {}
  if (ins.op == PTX_NOPS) ptx_fails(r, "there is no instruction '%.*s'", n, name);
  const char *end = r->p;
  while (end < r->end &&
         (ptx_is_name(*end) || *end == '.' || (end[0] == ':' && end[1] == ':') || (end[0] == ':' && end[-1] == ':')))
    end++;
  if (end > r->p) { const char *from = r->p + 1; r->p = end; ptx_modifiers(r, &ins, from, end); }
  else ptx_modifiers(r, &ins, end, end);
  if (ins.op == PTX_call_) ptx_call(r, &ins);
  else {
    int count = 0;
    ins.o = ptx_listed(r, &ins, ';', &count);
    ins.n = (uint8_t)count;
    r->p--;
  }
  ptx_need(r, ';');
  for (int i = 0; i < ins.n; i++) {        // parameters of a function lie in local memory
    const ptx_operand *o = &r->m->operand[ins.o + i];
    if (o->kind == PTX_MEMORY && o->at < 0 && ins.space == PTX_PARAM && o->space == PTX_LOCAL) ins.space = PTX_LOCAL;
  }
  ptx_decode(r, &ins);
  *PTX_PUSH(r, r->m->ins, ptx_ins, r->m->nins, r->m->ins_room) = ins;
}

// Up to the bracket.
static void ptx_body(ptx_reader *r) {
  const char *name;
  while (!ptx_take(r, '}')) {
    ptx_space(r);
    if (r->p >= r->end) ptx_fails(r, "the text ends in a function");
    if (ptx_take(r, '{')) {
      const int ranges = r->nranges, variables = r->nvariables, scope = r->scope;
      if (r->nscope == PTX_SCOPES) ptx_fails(r, "too many scopes");
      r->parent[r->nscope] = scope;
      r->scope = r->nscope++;
      ptx_body(r);
      r->nranges = ranges; r->nvariables = variables; r->scope = scope;
      continue;
    }
    const char *from = r->p;
    const int line = r->line, n = ptx_name(r, &name);
    if (*name == '.') {
      if (ptx_is(name, n, ".reg")) ptx_registers(r);
      else if (ptx_is(name, n, ".loc") || ptx_is(name, n, ".file")) { ptx_line(r); continue; }
      else if (ptx_is(name, n, ".pragma")) { while (r->p < r->end && *r->p != ';') r->p++; }
      else if (ptx_is(name, n, ".shared")) ptx_declare(r, PTX_SHARED, 0, 0);
      else if (ptx_is(name, n, ".local") || ptx_is(name, n, ".param")) ptx_declare(r, PTX_LOCAL, 0, 0);
      else if (ptx_is(name, n, ".global") || ptx_is(name, n, ".const")) ptx_declare(r, PTX_CONST, 0, 0);
      else if (ptx_is(name, n, ".extern")) {
        ptx_need(r, '.');
        r->p--;
        if (!ptx_ahead(r, ".shared")) ptx_fails(r, "'.extern' of what?");
        ptx_declare(r, PTX_SHARED, 1, 0);
      } else ptx_fails(r, "'%.*s' is not known", n, name);
      ptx_need(r, ';');
      continue;
    }
    ptx_space(r);
    if (n && *r->p == ':' && r->p[1] != ':') {
      r->p++;
      if (ptx_ahead(r, ".branchtargets")) {
        ptx_ins ins;
        int count = 0;
        memset(&ins, 0, sizeof ins);
        const int first = ptx_listed(r, &ins, ';', &count);
        ptx_label_here(r, name, n, -first - 1);
        PTX_PUSH(r, r->m->operand, ptx_operand, r->m->noperand, r->m->operand_room)->n = count;
      } else ptx_label_here(r, name, n, r->m->nins);
      continue;
    }
    r->p = from; r->line = line;
    ptx_statement(r);
  }
}
// Labels to numbers of instructions.
static void ptx_resolve(ptx_reader *r, int first) {
  ptx_module *m = r->m;
  for (int i = first; i < m->nins; i++) {
    ptx_ins *ins = &m->ins[i];
    if (ins->op != PTX_bra_ && ins->op != PTX_brx_) continue;
    const ptx_operand *o = &m->operand[ins->o + (ins->op == PTX_brx_)];
    r->line = ins->line;
    if (o->kind != PTX_LABEL) ptx_fails(r, "a branch to what is no label");
    ins->target = ptx_label_at(r, m->text + o->value, o->n, o->also);
    if (ins->op == PTX_bra_ && ins->target < 0) ptx_fails(r, "a branch to what is no label");
    for (int k = -ins->target - 1; ins->op == PTX_brx_ && k < m->noperand && m->operand[k].kind == PTX_LABEL; k++) {
      m->operand[k].at = ptx_label_at(r, m->text + m->operand[k].value, m->operand[k].n, m->operand[k].also);
      ins->mode = (uint16_t)(k + ins->target + 2);
    }
    if (ins->op == PTX_brx_) ins->target = -ins->target - 1;
  }
}
static void ptx_directives(ptx_reader *r, ptx_function *f) {
  const char *name;
  for (;;) {
    ptx_space(r);
    if (*r->p == '{' || *r->p == ';') return;
    const int n = ptx_name(r, &name);
    if (!n) ptx_fails(r, "'%.20s' is not expected", r->p);
    if (ptx_is(name, n, ".pragma")) { ptx_past(r, ';'); continue; }
    uint32_t x[3] = {1, 1, 1};
    ptx_space(r);
    for (int i = 0; *r->p >= '0' && *r->p <= '9'; i++) {
      if (i > 2) ptx_fails(r, "too many numbers");
      x[i] = (uint32_t)ptx_number(r, 0);
      if (!ptx_take(r, ',')) break;
      ptx_space(r);
    }
    if (ptx_is(name, n, ".maxntid") || ptx_is(name, n, ".reqntid")) f->kernel.max_threads = x[0] * x[1] * x[2];
    if (ptx_is(name, n, ".maxnreg")) f->kernel.max_registers = x[0];
    if (ptx_is(name, n, ".minnctapersm")) f->kernel.min_groups = x[0];
    if (ptx_is(name, n, ".reqnctapercluster")) memcpy(f->kernel.cluster, x, sizeof x);
  }
}
static void ptx_function_here(ptx_reader *r, int entry) {
  const int ranges = r->nranges, variables = r->nvariables;
  ptx_function *f = (ptx_function *)calloc(1, sizeof *f), **slot;
  const char *name;
  if (!f) ptx_fails(r, "no memory");
  slot = PTX_PUSH(r, r->m->function, ptx_function *, r->m->nfunction, r->m->function_room);
  *slot = r->f = f;
  r->fn = r->m->nfunction - 1;
  f->entry = entry; f->of = r->m;
  for (int pass = entry; pass < 2; pass++) {                // results, then the name and parameters
    int *list = pass ? f->param : f->result, *n = pass ? &f->nparam : &f->nresult;
    if (pass) {
      const int length = ptx_name(r, &name);
      snprintf(f->name, sizeof f->name, "%.*s", length, name);
      const int before = ptx_function_of(r->m, name, length);
      if (before >= 0 && before != r->fn) {                  // declared before: that one is defined
        if (r->m->function[before]->defined) ptx_fails(r, "'%s' stands twice", f->name);
        ptx_function *old = r->m->function[before];
        memcpy(old->result, f->result, sizeof f->result); old->nresult = f->nresult;
        old->local = f->local; old->registers = f->registers; old->predicates = f->predicates; old->nparam = 0;
        for (int k = 0; k < r->m->nvariable; k++)
          if (r->m->variable[k].function == r->fn) r->m->variable[k].function = before;
        free(f);
        r->m->nfunction--;
        r->fn = before; f = r->f = old;
        list = f->param; n = &f->nparam;
      }
      f->kernel.name = f->name;
    }
    if (!ptx_take(r, '(')) continue;
    while (!ptx_take(r, ')')) {
      if (*n) ptx_need(r, ',');
      if (ptx_ahead(r, ".reg")) ptx_fails(r, "parameters in registers are not known");
      if (!ptx_ahead(r, ".param")) ptx_fails(r, "'.param' is expected before '%.20s'", r->p);
      if (*n == (pass ? 64 : 8)) ptx_fails(r, "too many parameters");
      list[(*n)++] = ptx_declare(r, entry ? PTX_PARAM : PTX_LOCAL, 0, 1);
    }
  }
  ptx_directives(r, f);
  f->first = r->m->nins;
  f->operand_first = r->m->noperand;
  if (ptx_take(r, '{')) {
    f->defined = 1;
    r->nscope = 1; r->scope = 0; r->nlabel = 0;
    memset(r->hash, 0, 0x10000 * sizeof *r->hash);
    ptx_body(r);
    // A function ends with a return, whether it says so or not.
    ptx_ins ins;
    memset(&ins, 0, sizeof ins);
    ins.op = PTX_ret_; ins.guard = -1; ins.line = r->line;
    *PTX_PUSH(r, r->m->ins, ptx_ins, r->m->nins, r->m->ins_room) = ins;
    ptx_resolve(r, f->first);
  } else ptx_need(r, ';');
  f->end = r->m->nins;
  f->operand_end = r->m->noperand;
  r->nranges = ranges; r->nvariables = variables; r->f = NULL; r->fn = -1;
}
// Rows of kernels stand behind those of functions; what is an address becomes one.
static void ptx_settle_function(ptx_reader *r, ptx_function *f) {
  ptx_module *m = r->m;
  for (int i = f->first; i < f->end; i++) if (m->ins[i].guard >= 0) m->ins[i].guard += f->predicate_base;
  for (int i = f->operand_first; i < f->operand_end; i++) {
    ptx_operand *o = &m->operand[i];
    const int placed = o->space == PTX_LOCAL && (o->kind == PTX_CONSTANT || o->kind == PTX_MEMORY) && o->at < 0;
    if (o->dynamic) o->value += (int64_t)ptx_up(f->kernel.static_shared, 16);
    if (placed) o->value += f->local_base;
    if (o->kind == PTX_ROW || (o->kind == PTX_MEMORY && o->at >= 0)) o->at += f->register_base;
    else if (o->kind == PTX_BITS) o->at += f->predicate_base;
    else if (o->kind == PTX_CONSTANT && o->at < 0) o->at = (int)ptx_constant(r, (uint64_t)o->value);
  }
}
static void ptx_settle(ptx_reader *r) {
  ptx_module *m = r->m;
  for (int entry = 0; entry < 2; entry++)
    for (int k = 0; k < m->nfunction; k++) {
      ptx_function *f = m->function[k];
      if (f->entry != entry) continue;
      f->register_base = m->registers; f->predicate_base = m->predicates; f->local_base = m->local;
      if (entry) continue;
      m->registers += f->registers; m->predicates += f->predicates; m->local = (int)ptx_up(m->local + f->local, 16);
    }
  for (int k = 0; k < m->nfunction; k++) ptx_settle_function(r, m->function[k]);
}

// ** the module **

static void ptx_top(ptx_reader *r) {
  const char *name;
  int external = 0;
  for (;;) {
    ptx_space(r);
    if (r->p >= r->end) return;
    const int n = ptx_name(r, &name);
    if (!n) ptx_fails(r, "'%.20s' is not expected", r->p);
    if (ptx_is(name, n, ".version")) ptx_line(r);
    else if (ptx_is(name, n, ".target")) {
      const int length = ptx_name(r, &name);
      for (int i = 3; i < length && name[i] >= '0' && name[i] <= '9'; i++)
        r->m->target = r->m->target * 10 + name[i] - '0';
      r->m->exact = length > 3 && (name[length - 1] == 'a' || name[length - 1] == 'f');
      ptx_line(r);
    } else if (ptx_is(name, n, ".address_size")) {
      if (ptx_number(r, 0) != 64) ptx_fails(r, "addresses are of 64 bits");
    } else if (ptx_is(name, n, ".file") || ptx_is(name, n, ".loc")) ptx_line(r);
    else if (ptx_is(name, n, ".section")) ptx_past(r, '}');
    else if (ptx_is(name, n, ".visible") || ptx_is(name, n, ".weak") || ptx_is(name, n, ".common")) {}
    else if (ptx_is(name, n, ".extern")) external = 1;
    else if (ptx_is(name, n, ".entry") || ptx_is(name, n, ".func")) {
      ptx_function_here(r, name[1] == 'e');
      external = 0;
    } else if (ptx_is(name, n, ".global") || ptx_is(name, n, ".const")) {
      ptx_declare(r, PTX_CONST, external, 0);
      ptx_need(r, ';');
    } else if (ptx_is(name, n, ".shared")) {
      ptx_declare(r, PTX_SHARED, external, 0);
      ptx_need(r, ';');
      external = 0;
    } else if (ptx_is(name, n, ".pragma")) ptx_past(r, ';');
    else ptx_fails(r, "'%.*s' is not known", n, name);
  }
}
PTX_API void ptx_free(ptx_module *m) {
  if (!m) return;
  for (int i = 0; i < m->nfunction; i++) free(m->function[i]);
  free(m->text);
  free(m->ins);
  free(m->operand);
  free(m->constant);
  free(m->variable);
  free(m->range);
  free(m->function);
  free(m->data); free(m);
}
static int ptx_read_module(ptx_reader *r) {
  if (setjmp(r->out)) return 0;
  PTX_PUSH(r, r->m->operand, ptx_operand, r->m->noperand, r->m->operand_room);       // number 0 is none
  ptx_top(r);
  ptx_settle(r);
  if (!r->m->target) ptx_fails(r, "no '.target'");
  return 1;
}
PTX_API ptx_module *ptx_parse(const char *text, size_t nbytes, char *error, size_t error_nbytes) {
  ptx_reader *r = (ptx_reader *)calloc(1, sizeof *r);
  ptx_module *m = (ptx_module *)calloc(1, sizeof *m);
  int good = 0;
  if (error_nbytes) snprintf(error, error_nbytes, "no memory");
  while (nbytes && !text[nbytes - 1]) nbytes--;              // a 0 may stand at the end
  if (m) m->text = (char *)calloc(1, nbytes + 16);
  if (r) {
    r->hash = (int *)calloc(0x10000, sizeof *r->hash);
    r->ranges = (int *)malloc(PTX_ACTIVE * sizeof(int));
    r->variables = (int *)malloc(PTX_ACTIVE * sizeof(int));
  }
  if (r && m && m->text && r->hash && r->ranges && r->variables) {
    memcpy(m->text, text, nbytes);
    r->m = m; r->p = m->text; r->end = m->text + nbytes; r->line = 1; r->fn = -1;
    r->error = error; r->nbytes = error_nbytes;
    good = ptx_read_module(r);
    if (good && error_nbytes) *error = 0;
  }
  if (r) { free(r->hash); free(r->ranges); free(r->variables); free(r->label); }
  free(r);
  if (good) return m;
  ptx_free(m);
  return NULL;
}
PTX_API int ptx_target(const ptx_module *m) { return m->target; }
PTX_API const ptx_kernel *ptx_kernel_at(const ptx_module *m, int i) {
  for (int k = 0; k < m->nfunction; k++) if (m->function[k]->entry && !i--) return &m->function[k]->kernel;
  return NULL;
}
static const ptx_function *ptx_entry(const ptx_module *m, const char *name) {
  for (int k = 0; k < m->nfunction; k++)
    if (m->function[k]->entry && !strcmp(m->function[k]->name, name)) return m->function[k];
  return NULL;
}
PTX_API const ptx_kernel *ptx_find(const ptx_module *m, const char *name) {
  const ptx_function *f = ptx_entry(m, name);
  return f ? &f->kernel : NULL;
}
PTX_API int ptx_param(const ptx_module *m, const char *kernel, int i, size_t *offset, size_t *nbytes) {
  const ptx_function *f = ptx_entry(m, kernel);
  if (!f || i < 0 || i >= f->nparam) return 0;
  *offset = (size_t)m->variable[f->param[i]].at;
  *nbytes = (size_t)m->variable[f->param[i]].nbytes;
  return 1;
}
PTX_API const void *ptx_data_of(const ptx_module *m, const char *name, size_t *nbytes) {
  for (int i = 0; i < m->nvariable; i++) {
    const ptx_variable *v = &m->variable[i];
    if (v->function >= 0 || (v->space != PTX_GLOBAL && v->space != PTX_CONST) ||
        !ptx_same(v->name, v->length, name, (int)strlen(name)))
      continue;
    *nbytes = (size_t)v->nbytes;
    return m->data + (v->at & 0xFFFFFFFF);
  }
  return NULL;
}
#endif
