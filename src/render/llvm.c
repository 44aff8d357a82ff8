// llvm: a program -> LLVM IR, text with opaque pointers (LLVM 15 and later), for the CPU: the entry is that of lang_c.
//
// In:  the list of a lowered kernel, verified, of what tn_lang_llvm says can be done. Out: a function; of such
//      functions a module: declarations that several of them bring stand once.
// Holds:
//  - Every node is a value of SSA form, in list order; REG memory is allocas at the entry, which the compiler makes
//    registers (mem2reg). A bool is an i1, in vectors too, and never in memory.
//  - Integers wrap, as they do in C by -fwrapv. Where bounds say that an i32 does not, `nsw` says so: addresses need no
//    extension of their own then, which C has no way to tell.
//  - Masked loads and stores, gathers and scatters touch no memory where the mask is false (LangRef, "Masked Vector
//    Load and Store Intrinsics"); where one condition holds for all lanes, a branch does it.
//  - A product and a sum are one operation where the list says FMA, and nowhere else.
// What is what: LLVM Language Reference Manual (LangRef).
#ifndef TN_RENDER_LLVM
#define TN_RENDER_LLVM
#ifndef TINY_AMALGAMATED
#include "../ir/target.c"
#endif

typedef struct tn_llvm {
  tiny_ctx *t; const tiny_listing *k; const struct tn_llvm_machine *machine;
  tiny_bytes declares, top, body;          // before the function; its allocas; the rest
  const char **expr, **label;              // of nodes: the value; of loops and IFs: what their labels begin with
  const char *block;                       // the label of the block that is being written
  int temps, labels;
  int64_t local_at;
} tn_llvm;

// What the text says of the processor.
typedef struct tn_llvm_machine { const char *attributes, *dots[TINY_DOT_COUNT]; } tn_llvm_machine;
static const tn_llvm_machine tn_llvm_machines[2] = {
  {"", {"vdpbf16ps", "{vex} vpdpbusd", "vpmaddwd"}},
  {" \"prefer-vector-width\"=\"512\"", {"vdpbf16ps", "vpdpbusd", "vpmaddwd"}}    // 64-byte vectors
};

// ** types and constants **

// NULL: it has none.
static const char *tn_llvm_element(int dtype) {
  const int bits = tn_bits(dtype);
  if (dtype == TINY_VOID || dtype == TINY_BOOL) return dtype == TINY_BOOL ? "i1" : "void";
  if (dtype == TINY_INDEX || tn_is_narrow(dtype)) return NULL;
  if (tn_is_float(dtype)) return bits == 32 ? "float" : "double";
  return bits == 8 ? "i8" : bits == 16 ? "i16" : bits == 32 ? "i32" : "i64";
}

static const char *tn_llvm_type(const tn_llvm *x, int dtype, int lanes) {
  const char *e = tn_llvm_element(dtype);
  return lanes == 1 ? e : tn_text_of_format(x->t, "<%d x %s>", lanes, e);
}
static const char *tn_llvm_type_of(const tn_llvm *x, const tiny_uop *u) { return tn_llvm_type(x, u->dtype, u->lanes); }
// As intrinsics are named: "v16f32".
static const char *tn_llvm_suffix(const tn_llvm *x, const tiny_uop *u) {
  const char kind = tn_is_float(u->dtype) ? 'f' : 'i';
  return u->lanes == 1 ? tn_text_of_format(x->t, "%c%d", kind, tn_bits(u->dtype)) :
                         tn_text_of_format(x->t, "v%d%c%d", u->lanes, kind, tn_bits(u->dtype));
}

// Floats as the bits of the f64 that has their value (LangRef, "Simple Constants").
static const char *tn_llvm_const(const tn_llvm *x, int dtype, int64_t k) {
  if (dtype == TINY_BOOL) return k ? "true" : "false";
  if (tn_is_float(dtype)) return tn_text_of_format(x->t, "0x%016llX", (unsigned long long)k);
  if (dtype == TINY_U32) k = (int32_t)(uint32_t)k;
  return tn_text_of_format(x->t, "%lld", (long long)k);
}
// The same number in every lane.
static const char *tn_llvm_lanes(const tn_llvm *x, const char *type, const char *number, int lanes) {
  tiny_bytes out = {x->t, NULL, 0, 0};
  for (int i = 0; i < lanes; i++) tn_text_add(&out, "%s%s %s", i ? ", " : "<", type, number);
  tn_text_put(&out, ">");
  return out.data;
}

// ** statements **

static const char *tn_llvm_expr(const tn_llvm *x, const tiny_uop *u) { return x->expr[u->seq]; }
static const char *tn_llvm_temp(tn_llvm *x) { return tn_text_of_format(x->t, "%%t%d", x->temps++); }
static const char *tn_llvm_fresh(tn_llvm *x) { return tn_text_of_format(x->t, "L%d", x->labels++); }

static void tn_llvm_line(tn_llvm *x, const char *format, ...) TN_PRINTF(2, 3);
static void tn_llvm_line(tn_llvm *x, const char *format, ...) {
  va_list args;
  va_start(args, format);
  tn_text_put(&x->body, "  ");
  tn_text_add_list(&x->body, format, args);
  tn_text_put(&x->body, "\n");
  va_end(args);
}
static void tn_llvm_begin_block(tn_llvm *x, const char *label) {
  tn_text_add(&x->body, "%s:\n", label);
  x->block = label;
}
static void tn_llvm_declare(tn_llvm *x, const char *format, ...) TN_PRINTF(2, 3);
static void tn_llvm_declare(tn_llvm *x, const char *format, ...) {
  tiny_bytes line = {x->t, NULL, 0, 0};
  va_list args;
  va_start(args, format);
  tn_text_add_list(&line, format, args);
  va_end(args);
  if (!x->declares.n || !strstr(x->declares.data, line.data)) tn_text_put(&x->declares, line.data);
}

// What a condition decides is written between these two: the block before is the answer.
static const char *tn_llvm_if(tn_llvm *x, const char *condition, const char **after) {
  const char *then = tn_llvm_fresh(x), *before = x->block;
  *after = tn_llvm_fresh(x);
  tn_llvm_line(x, "br i1 %s, label %%%s, label %%%s", condition, then, *after);
  tn_llvm_begin_block(x, then);
  return before;
}
static void tn_llvm_endif(tn_llvm *x, const char *after) {
  tn_llvm_line(x, "br label %%%s", after);
  tn_llvm_begin_block(x, after);
}

// ** memory **

// Indices are taken for signed (LangRef, "getelementptr").
static const char *tn_llvm_index(tn_llvm *x, const tiny_uop *at, const char **type) {
  *type = tn_llvm_type_of(x, at);
  if (!tn_is_unsigned(at->dtype) || tn_bits(at->dtype) == 64) return tn_llvm_expr(x, at);
  const char *wide = tn_llvm_type(x, TINY_I64, at->lanes), *name = tn_llvm_temp(x);
  tn_llvm_line(x, "%s = zext %s %s to %s", name, *type, tn_llvm_expr(x, at), wide);
  *type = wide;
  return name;
}
// A pointer to the element, or pointers to the elements.
static const char *tn_llvm_address(tn_llvm *x, const tiny_uop *index, int lanes) {
  const char *type, *at = tn_llvm_index(x, index->src[1], &type), *name = tn_llvm_temp(x);
  tn_llvm_line(x, "%s = getelementptr%s %s, ptr %s, %s %s", name, index->nsrc == 3 ? "" : " inbounds",
               tn_llvm_type(x, index->dtype, lanes), tn_llvm_expr(x, index->src[0]), type, at);
  return name;
}

static int tn_llvm_align(const tiny_uop *value) {
  const int nbytes = value->lanes * tn_dtypes[value->dtype].nbytes;
  return nbytes > 64 ? 64 : nbytes;
}

static const char *tn_llvm_reg(tn_llvm *x, const tiny_uop *index) {
  const tiny_uop *m = tn_memory_behind(index->src[0]);
  return m->v[1] == 1 ? tn_llvm_expr(x, m) : tn_llvm_address(x, index, m->lanes);
}

// The mask of an access by lanes.
static const char *tn_llvm_mask(tn_llvm *x, const tiny_uop *valid, int lanes) {
  return valid && valid->lanes > 1 ? tn_llvm_expr(x, valid) : tn_llvm_lanes(x, "i1", "true", lanes);
}

// The load itself, as the value `name`.
static void tn_llvm_load_plain(tn_llvm *x, const tiny_uop *u, const char *name, const char *otherwise) {
  const tiny_uop *index = u->src[0], *valid = index->nsrc == 3 && index->src[2]->lanes > 1 ? index->src[2] : NULL;
  const char *type = tn_llvm_type_of(x, u), *suffix = tn_llvm_suffix(x, u), *at = tn_llvm_address(x, index, 1);
  const int align = tn_dtypes[u->dtype].nbytes, n = u->lanes;
  if (n > 1 && index->lanes > 1) {
    tn_llvm_declare(x, "declare %s @llvm.masked.gather.%s.v%dp0(<%d x ptr>, i32, <%d x i1>, %s)\n", type, suffix, n, n,
                    n, type);
    tn_llvm_line(x, "%s = call %s @llvm.masked.gather.%s.v%dp0(<%d x ptr> %s, i32 %d, <%d x i1> %s, %s %s)", name, type,
                 suffix, n, n, at, align, n, tn_llvm_mask(x, valid, n), type, otherwise);
  } else if (valid && n > 1) {
    tn_llvm_declare(x, "declare %s @llvm.masked.load.%s.p0(ptr, i32, <%d x i1>, %s)\n", type, suffix, n, type);
    tn_llvm_line(x, "%s = call %s @llvm.masked.load.%s.p0(ptr %s, i32 %d, <%d x i1> %s, %s %s)", name, type, suffix, at,
                 align, n, tn_llvm_expr(x, valid), type, otherwise);
  } else tn_llvm_line(x, "%s = load %s, ptr %s, align %d", name, type, at, align);
}

static void tn_llvm_load(tn_llvm *x, const tiny_uop *u, const char *name) {
  const tiny_uop *index = u->src[0];
  const char *type = tn_llvm_type_of(x, u);
  if (tn_is_reg(index->src[0])) {
    tn_llvm_line(x, "%s = load %s, ptr %s, align %d", name, type, tn_llvm_reg(x, index), tn_llvm_align(u));
    return;
  }
  const char *otherwise = u->nsrc == 2 ? tn_llvm_expr(x, u->src[1]) : u->lanes > 1 ? "zeroinitializer" :
      tn_llvm_const(x, u->dtype, 0);
  if (index->nsrc < 3 || index->src[2]->lanes > 1) { tn_llvm_load_plain(x, u, name, otherwise); return; }
  const char *after, *before = tn_llvm_if(x, tn_llvm_expr(x, index->src[2]), &after), *loaded = tn_llvm_temp(x),
             *within = x->block;
  tn_llvm_load_plain(x, u, loaded, otherwise);
  tn_llvm_endif(x, after);
  tn_llvm_line(x, "%s = phi %s [ %s, %%%s ], [ %s, %%%s ]", name, type, loaded, within, otherwise, before);
}

// Past the caches where it lies on a vector's boundary, as it mostly does.
static void tn_llvm_stream(tn_llvm *x, const tiny_uop *value, const char *at) {
  const char *type = tn_llvm_type_of(x, value), *v = tn_llvm_expr(x, value), *number = tn_llvm_temp(x),
             *low = tn_llvm_temp(x), *is_odd = tn_llvm_temp(x), *odd = tn_llvm_fresh(x), *even = tn_llvm_fresh(x),
             *after = tn_llvm_fresh(x);
  const int nbytes = value->lanes * tn_dtypes[value->dtype].nbytes;
  tn_llvm_line(x, "%s = ptrtoint ptr %s to i64", number, at);
  tn_llvm_line(x, "%s = and i64 %s, %d", low, number, nbytes - 1);
  tn_llvm_line(x, "%s = icmp ne i64 %s, 0", is_odd, low);
  tn_llvm_line(x, "br i1 %s, label %%%s, label %%%s", is_odd, odd, even);
  tn_llvm_begin_block(x, odd);
  tn_llvm_line(x, "store %s %s, ptr %s, align %d", type, v, at, tn_dtypes[value->dtype].nbytes);
  tn_llvm_line(x, "br label %%%s", after);
  tn_llvm_begin_block(x, even);
  tn_llvm_line(x, "store %s %s, ptr %s, align %d, !nontemporal !2", type, v, at, nbytes);
  tn_llvm_endif(x, after);
}

static void tn_llvm_store_plain(tn_llvm *x, const tiny_uop *u) {
  const tiny_uop *index = u->src[0], *value = u->src[1],
                 *valid = index->nsrc == 3 && index->src[2]->lanes > 1 ? index->src[2] : NULL;
  const char *type = tn_llvm_type_of(x, value), *suffix = tn_llvm_suffix(x, value), *v = tn_llvm_expr(x, value),
             *at = tn_llvm_address(x, index, 1);
  const int align = tn_dtypes[value->dtype].nbytes, n = value->lanes;
  if (n > 1 && index->lanes > 1) {         // lanes in order: of two to one place the later one stays
    tn_llvm_declare(x, "declare void @llvm.masked.scatter.%s.v%dp0(%s, <%d x ptr>, i32, <%d x i1>)\n", suffix, n, type,
                    n, n);
    tn_llvm_line(x, "call void @llvm.masked.scatter.%s.v%dp0(%s %s, <%d x ptr> %s, i32 %d, <%d x i1> %s)", suffix, n,
                 type, v, n, at, align, n, tn_llvm_mask(x, valid, n));
  } else if (valid && n > 1) {
    tn_llvm_declare(x, "declare void @llvm.masked.store.%s.p0(%s, ptr, i32, <%d x i1>)\n", suffix, type, n);
    tn_llvm_line(x, "call void @llvm.masked.store.%s.p0(%s %s, ptr %s, i32 %d, <%d x i1> %s)", suffix, type, v, at,
                 align, n, tn_llvm_expr(x, valid));
  } else if (x->k->hints[u->seq] & TINY_HINT_STREAM) tn_llvm_stream(x, value, at);
  else tn_llvm_line(x, "store %s %s, ptr %s, align %d", type, v, at, align);
}

static void tn_llvm_store(tn_llvm *x, const tiny_uop *u) {
  const tiny_uop *index = u->src[0], *value = u->src[1];
  const char *after;
  if (tn_is_reg(index->src[0])) {
    tn_llvm_line(x, "store %s %s, ptr %s, align %d", tn_llvm_type_of(x, value), tn_llvm_expr(x, value),
                 tn_llvm_reg(x, index), tn_llvm_align(value));
    return;
  }
  if (index->nsrc < 3 || index->src[2]->lanes > 1) { tn_llvm_store_plain(x, u); return; }
  tn_llvm_if(x, tn_llvm_expr(x, index->src[2]), &after);
  tn_llvm_store_plain(x, u);
  tn_llvm_endif(x, after);
}

static void tn_llvm_prefetch(tn_llvm *x, const tiny_uop *u) {
  const tiny_uop *index = u->src[0];
  const char *type, *at = tn_llvm_index(x, index->src[1], &type), *name = tn_llvm_temp(x);
  tn_llvm_declare(x, "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)\n");
  tn_llvm_line(x, "%s = getelementptr %s, ptr %s, %s %s", name, tn_llvm_element(index->dtype),
               tn_llvm_expr(x, index->src[0]), type, at);
  tn_llvm_line(x, "call void @llvm.prefetch.p0(ptr %s, i32 0, i32 2, i32 1)", name);     // as lang_c
}

static void tn_llvm_define(tn_llvm *x, const tiny_uop *u, const char *name) {
  const char *type = tn_llvm_type_of(x, u);
  const int reg = u->v[0] == TN_SPACE_REG;
  if (!reg && x->k->local_nbytes) {
    tn_text_add(&x->top, "  %s = getelementptr i8, ptr %%local, i64 %lld\n", name, (long long)x->local_at);
    x->local_at += tn_local_nbytes(u);
  } else if (u->v[1] == 1) tn_text_add(&x->top, "  %s = alloca %s, align %d\n", name, type, tn_llvm_align(u));
  else tn_text_add(&x->top, "  %s = alloca [%lld x %s], align 64\n", name, (long long)u->v[1], type);
}

// ** values **

static const struct { uint8_t op; const char *is_signed, *is_unsigned, *is_float; } tn_llvm_binary[] = {
  {TINY_OP_ADD, "add", "add", "fadd"}, {TINY_OP_SUB, "sub", "sub", "fsub"},
  {TINY_OP_MUL, "mul", "mul", "fmul"}, {TINY_OP_FDIV, NULL, NULL, "fdiv"},
  {TINY_OP_CDIV, "sdiv", "udiv", NULL}, {TINY_OP_CMOD, "srem", "urem", NULL},
  {TINY_OP_AND, "and", "and", NULL}, {TINY_OP_OR, "or", "or", NULL}, {TINY_OP_XOR, "xor", "xor", NULL},
  {TINY_OP_SHL, "shl", "shl", NULL}, {TINY_OP_SHR, "ashr", "lshr", NULL},
  {TINY_OP_LT, "icmp slt", "icmp ult", "fcmp olt"}, {TINY_OP_NE, "icmp ne", "icmp ne", "fcmp une"},
  {TINY_OP_EQ, "icmp eq", "icmp eq", "fcmp oeq"}
};
enum { TN_LLVM_BINARY = sizeof tn_llvm_binary / sizeof *tn_llvm_binary };
// Intrinsics of a float, llvm.NAME.f32 and so on.
static const struct { uint8_t op; const char *name; } tn_llvm_functions[] = {
  {TINY_OP_SQRT, "sqrt"}, {TINY_OP_TRUNC, "trunc"}, {TINY_OP_FMA, "fma"}
};
enum { TN_LLVM_FUNCTIONS = sizeof tn_llvm_functions / sizeof *tn_llvm_functions };
// What has a form of its own, in tn_llvm_node.
static const uint8_t tn_llvm_others[] = {
  TINY_OP_NEG, TINY_OP_WHERE, TINY_OP_CAST, TINY_OP_BITCAST, TINY_OP_BROADCAST, TINY_OP_PICK, TINY_OP_STACK
};

// Do sums, differences and products of these stay within an i32?
static int tn_llvm_stays(const tiny_uop *u) {
  const tiny_uop *a = u->src[0], *b = u->src[1];
  if (u->dtype != TINY_I32 || (u->op != TINY_OP_ADD && u->op != TINY_OP_SUB && u->op != TINY_OP_MUL)) return 0;
  if (!(a->vmin >= INT32_MIN && a->vmax <= INT32_MAX && b->vmin >= INT32_MIN && b->vmax <= INT32_MAX)) return 0;
  int64_t low, high;
  if (u->op == TINY_OP_ADD) { low = a->vmin + b->vmin; high = a->vmax + b->vmax; }
  else if (u->op == TINY_OP_SUB) { low = a->vmin - b->vmax; high = a->vmax - b->vmin; }
  else {
    const int64_t p[4] = {a->vmin * b->vmin, a->vmin * b->vmax, a->vmax * b->vmin, a->vmax * b->vmax};
    low = high = p[0];
    for (int i = 1; i < 4; i++) { if (p[i] < low) low = p[i]; if (p[i] > high) high = p[i]; }
  }
  return low >= INT32_MIN && high <= INT32_MAX;
}

static void tn_llvm_arithmetic(tn_llvm *x, const tiny_uop *u, const char *name) {
  const tiny_uop *a = u->src[0];
  const char *op = NULL;
  for (int i = 0; i < TN_LLVM_BINARY; i++) if (tn_llvm_binary[i].op == u->op)
    op = tn_is_float(a->dtype) ? tn_llvm_binary[i].is_float :
         tn_is_signed(a->dtype) ? tn_llvm_binary[i].is_signed : tn_llvm_binary[i].is_unsigned;
  if (!op) {
    tiny_fail(x->t, TINY_E_INTERNAL, "render: %s of %s has no form in LLVM IR", tn_ops[u->op].name,
              tn_dtypes[u->dtype].name);
    return;
  }
  const char *type = tn_llvm_type_of(x, a);
  const int hides = u->op == TINY_OP_FDIV && u->lanes > 1;   // as DIV of lang_c.c
  const char *result = hides ? tn_llvm_temp(x) : name;
  tn_llvm_line(x, "%s = %s%s %s %s, %s", result, op, tn_llvm_stays(u) ? " nsw" : "", type, tn_llvm_expr(x, a),
               tn_llvm_expr(x, u->src[1]));
  if (!hides) return;
  tn_llvm_declare(x, "declare %s @llvm.arithmetic.fence.%s(%s)\n", type, tn_llvm_suffix(x, u), type);
  tn_llvm_line(x, "%s = call %s @llvm.arithmetic.fence.%s(%s %s)", name, type, tn_llvm_suffix(x, u), type, result);
}

static const char *tn_llvm_conversion(int from, int to) {
  const int narrower = tn_bits(to) < tn_bits(from), same = tn_bits(to) == tn_bits(from);
  if (tn_is_float(from) && tn_is_float(to)) return narrower ? "fptrunc" : "fpext";
  if (tn_is_float(from)) return tn_is_signed(to) ? "fptosi" : "fptoui";
  if (tn_is_float(to)) return tn_is_signed(from) ? "sitofp" : "uitofp";
  return same ? NULL : narrower ? "trunc" : tn_is_signed(from) ? "sext" : "zext";
}
// NULL: it is what it was, in another dtype.
static const char *tn_llvm_cast(tn_llvm *x, const tiny_uop *u, const char *name) {
  const tiny_uop *a = u->src[0];
  const int bits = u->op == TINY_OP_BITCAST;
  const int same_type = tn_is_float(a->dtype) == tn_is_float(u->dtype) && !tn_regroups(u);
  const char *op = bits ? same_type ? NULL : "bitcast" :
      a->dtype == u->dtype ? NULL : tn_llvm_conversion(a->dtype, u->dtype);
  if (!op) return tn_llvm_expr(x, a);
  tn_llvm_line(x, "%s = %s %s %s to %s", name, op, tn_llvm_type_of(x, a), tn_llvm_expr(x, a), tn_llvm_type_of(x, u));
  return name;
}

// 1: u is one of tn_llvm_functions.
static int tn_llvm_function(tn_llvm *x, const tiny_uop *u, const char *name) {
  const char *function = NULL;
  for (int i = 0; i < TN_LLVM_FUNCTIONS; i++)
    if (tn_llvm_functions[i].op == u->op) function = tn_llvm_functions[i].name;
  if (!function) return 0;
  const char *type = tn_llvm_type_of(x, u), *suffix = tn_llvm_suffix(x, u);
  tiny_bytes types = {x->t, NULL, 0, 0}, values = {x->t, NULL, 0, 0};
  for (uint32_t i = 0; i < u->nsrc; i++) {
    tn_text_add(&types, "%s%s", i ? ", " : "", type);
    tn_text_add(&values, "%s%s %s", i ? ", " : "", type, tn_llvm_expr(x, u->src[i]));
  }
  tn_llvm_declare(x, "declare %s @llvm.%s.%s(%s)\n", type, function, suffix, types.data);
  tn_llvm_line(x, "%s = call %s @llvm.%s.%s(%s)", name, type, function, suffix, values.data);
  return 1;
}

// VPMADDWD adds the two products, but not the sum so far.
static void tn_llvm_dot(tn_llvm *x, const tiny_uop *u, const char *name) {
  const char *words = tn_llvm_type_of(x, u->src[0]), *type = tn_llvm_type_of(x, u);
  if (u->k == TINY_DOT_I16) {
    const char *sum = tn_llvm_temp(x);
    tn_llvm_line(x, "%s = call %s asm \"%s $2, $1, $0\", \"=v,v,v\"(%s %s, %s %s)", sum, type, x->machine->dots[u->k],
                 words, tn_llvm_expr(x, u->src[0]), words, tn_llvm_expr(x, u->src[1]));
    tn_llvm_line(x, "%s = add %s %s, %s", name, type, sum, tn_llvm_expr(x, u->src[2]));
    return;
  }
  tn_llvm_line(x, "%s = call %s asm \"%s $2, $1, $0\", \"=v,v,v,0\"(%s %s, %s %s, %s %s)", name, type,
               x->machine->dots[u->k], words, tn_llvm_expr(x, u->src[0]), words, tn_llvm_expr(x, u->src[1]), type,
               tn_llvm_expr(x, u->src[2]));
}

// ** lanes **

static void tn_llvm_broadcast(tn_llvm *x, const tiny_uop *u, const char *name) {
  const char *type = tn_llvm_type_of(x, u), *one = tn_llvm_temp(x);
  tn_llvm_line(x, "%s = insertelement %s poison, %s %s, i64 0", one, type, tn_llvm_element(u->dtype),
               tn_llvm_expr(x, u->src[0]));
  tn_llvm_line(x, "%s = shufflevector %s %s, %s poison, <%d x i32> zeroinitializer", name, type, one, type, u->lanes);
}

// Lanes of one vector or of two.
static int tn_llvm_shuffle(tn_llvm *x, const tiny_uop *u, const char *name) {
  const tiny_uop *from[2] = {NULL, NULL};
  tiny_bytes list = {x->t, NULL, 0, 0};
  for (int i = 0; i < u->lanes; i++) {
    const tiny_uop *one = u->src[i], *vector = one->op == TINY_OP_PICK ? one->src[0] : NULL;
    const int k = from[0] && from[0] != vector;
    if (!vector || (from[0] && vector->lanes != from[0]->lanes) || (from[k] && from[k] != vector)) return 0;
    from[k] = vector;
    tn_text_add(&list, "%si32 %d", i ? ", " : "<", (int)one->k + k * vector->lanes);
  }
  const char *type = tn_llvm_type_of(x, from[0]);
  tn_llvm_line(x, "%s = shufflevector %s %s, %s %s, <%d x i32> %s>", name, type, tn_llvm_expr(x, from[0]), type,
               from[1] ? tn_llvm_expr(x, from[1]) : "poison", u->lanes, list.data);
  return 1;
}
static void tn_llvm_stack(tn_llvm *x, const tiny_uop *u, const char *name) {
  const char *type = tn_llvm_type_of(x, u), *so_far = "poison";
  if (tn_llvm_shuffle(x, u, name)) return;
  for (int i = 0; i < u->lanes; i++) {
    const char *next = i == u->lanes - 1 ? name : tn_llvm_temp(x);
    tn_llvm_line(x, "%s = insertelement %s %s, %s %s, i64 %d", next, type, so_far, tn_llvm_element(u->dtype),
                 tn_llvm_expr(x, u->src[i]), i);
    so_far = next;
  }
}
static void tn_llvm_pick(tn_llvm *x, const tiny_uop *u, const char *name) {
  const char *type = tn_llvm_type_of(x, u->src[0]);
  tiny_bytes list = {x->t, NULL, 0, 0};
  if (u->lanes == 1) {
    tn_llvm_line(x, "%s = extractelement %s %s, i64 %d", name, type, tn_llvm_expr(x, u->src[0]), (int)u->k);
    return;
  }
  for (int i = 0; i < u->lanes; i++) tn_text_add(&list, "%si32 %d", i ? ", " : "<", (int)u->k + i);
  tn_llvm_line(x, "%s = shufflevector %s %s, %s poison, <%d x i32> %s>", name, type, tn_llvm_expr(x, u->src[0]), type,
               u->lanes, list.data);
}
static const char *tn_llvm_lane_numbers(tn_llvm *x, const tiny_uop *u) {
  tiny_bytes list = {x->t, NULL, 0, 0};
  for (int i = 0; i < u->lanes; i++) tn_text_add(&list, "%s%s %d", i ? ", " : "<", tn_llvm_element(u->dtype), i);
  tn_text_put(&list, ">");
  return list.data;
}

// ** loops: a head that asks whether it goes on, and a tail that counts **

static void tn_llvm_range(tn_llvm *x, const tiny_uop *u, const char *name) {
  const char *loop = x->label[u->seq] = tn_llvm_fresh(x), *type = tn_llvm_type_of(x, u), *goes_on = tn_llvm_temp(x),
             *before = x->block;
  const int64_t iterations = tn_is_const(u->src[0]) && u->src[0]->k < INT32_MAX ? u->src[0]->k : INT32_MAX;
  tn_llvm_line(x, "br label %%%s", loop);
  tn_llvm_begin_block(x, loop);
  tn_llvm_line(x, "%s = phi %s [ %s, %%%s ], [ %s.next, %%%s.tail ]", name, type,
               u->nsrc > 1 ? tn_llvm_expr(x, u->src[1]) : "0", before, name, loop);
  tn_llvm_line(x, "%s = icmp %s %s %s, %s", goes_on, tn_is_signed(u->dtype) ? "slt" : "ult", type, name,
               tn_llvm_expr(x, u->src[0]));
  tn_text_add(&x->body, "  br i1 %s, label %%%s.body, label %%%s.end", goes_on, loop, loop);
  if (x->k->hints[u->seq] & TINY_HINT_LONG)
    tn_text_add(&x->body, ", !prof !{!\"branch_weights\", i32 %lld, i32 1}", (long long)iterations - 1);
  tn_text_put(&x->body, "\n");
  tn_llvm_begin_block(x, tn_text_of_format(x->t, "%s.body", loop));
}
static void tn_llvm_end(tn_llvm *x, const tiny_uop *range) {
  const char *loop = x->label[range->seq], *name = tn_llvm_expr(x, range);
  tn_llvm_line(x, "br label %%%s.tail", loop);
  tn_llvm_begin_block(x, tn_text_of_format(x->t, "%s.tail", loop));
  tn_llvm_line(x, "%s.next = add nsw %s %s, 1", name, tn_llvm_type_of(x, range), name);
  tn_llvm_line(x, "br label %%%s%s", loop, x->k->hints[range->seq] & TINY_HINT_ROLLED ? ", !llvm.loop !0" : "");
  tn_llvm_begin_block(x, tn_text_of_format(x->t, "%s.end", loop));
}

// ** a kernel **

static void tn_llvm_node(tn_llvm *x, tiny_uop *u) {
  const char **value = &x->expr[u->seq], *after;
  switch (u->op) {
    case TINY_OP_PARAM: case TINY_OP_ARG: case TINY_OP_INDEX: case TINY_OP_GROUP: case TINY_OP_SINK:
    case TINY_OP_BARRIER: return;          // tasks have no items
    case TINY_OP_CONST: *value = tn_llvm_const(x, u->dtype, u->k); return;
    case TINY_OP_LANE: *value = tn_llvm_lane_numbers(x, u); return;
    case TINY_OP_AFTER: *value = tn_llvm_expr(x, u->src[0]); return;
    case TINY_OP_STORE: tn_llvm_store(x, u); return;
    case TINY_OP_PREFETCH: tn_llvm_prefetch(x, u); return;
    case TINY_OP_END: tn_llvm_end(x, u->src[1]); return;
    case TINY_OP_IF: tn_llvm_if(x, tn_llvm_expr(x, u->src[0]), &after); x->label[u->seq] = after; return;
    case TINY_OP_ENDIF: tn_llvm_endif(x, x->label[u->src[0]->seq]); return;
    default: break;
  }
  const char *name = *value = tn_text_of_format(x->t, "%%v%d", (int)u->seq), *type = tn_llvm_type_of(x, u),
             *first = u->nsrc ? tn_llvm_expr(x, u->src[0]) : NULL;
  switch (u->op) {
    case TINY_OP_RANGE: tn_llvm_range(x, u, name); return;
    case TINY_OP_DEFINE: tn_llvm_define(x, u, name); return;
    case TINY_OP_SPECIAL:
      if (tn_bits(u->dtype) == 64) *value = "%task";
      else tn_llvm_line(x, "%s = trunc i64 %%task to %s", name, type);
      return;
    case TINY_OP_LOAD: tn_llvm_load(x, u, name); return;
    case TINY_OP_CAST: case TINY_OP_BITCAST: *value = tn_llvm_cast(x, u, name); return;
    case TINY_OP_BROADCAST: tn_llvm_broadcast(x, u, name); return;
    case TINY_OP_STACK: tn_llvm_stack(x, u, name); return;
    case TINY_OP_PICK: tn_llvm_pick(x, u, name); return;
    case TINY_OP_DOT: tn_llvm_dot(x, u, name); return;
    case TINY_OP_NEG:
      if (tn_is_float(u->dtype)) tn_llvm_line(x, "%s = fneg %s %s", name, type, first);
      else tn_llvm_line(x, "%s = sub %s %s, %s", name, type, u->lanes > 1 ? "zeroinitializer" : "0", first);
      return;
    case TINY_OP_WHERE:
      tn_llvm_line(x, "%s = select %s %s, %s %s, %s %s", name, tn_llvm_type_of(x, u->src[0]), first, type,
                   tn_llvm_expr(x, u->src[1]), type, tn_llvm_expr(x, u->src[2]));
      return;
    default: if (!tn_llvm_function(x, u, name)) tn_llvm_arithmetic(x, u, name); return;
  }
}

static void tn_llvm_entry(tn_llvm *x, tiny_uop *u) {
  const int buffer = u->op == TINY_OP_PARAM;
  if (!buffer && u->op != TINY_OP_ARG) return;
  const char *name = x->expr[u->seq] = tn_text_of_format(x->t, "%%%c%lld", buffer ? 'p' : 'a', (long long)u->k);
  tn_text_add(&x->top, "  %s.at = getelementptr i64, ptr %s, i64 %lld\n", name, buffer ? "%mem" : "%args",
              (long long)u->k);
  tn_text_add(&x->top, "  %s = load %s, ptr %s.at, align 8\n", name, buffer ? "ptr" : tn_llvm_element(u->dtype), name);
}

static tiny_code tn_llvm_kernel(tiny_ctx *t, const tiny_renderer *r, const tiny_listing *k, tiny_bytes *out,
                                uint64_t *uses) {
  tn_llvm x;
  memset(&x, 0, sizeof x);
  x.t = x.declares.t = x.top.t = x.body.t = t;
  x.k = k; x.machine = (const tn_llvm_machine *)r->own;
  x.expr = (const char **)tn_scratch(t, ((size_t)k->n + 1) * sizeof *x.expr);
  x.label = (const char **)tn_scratch(t, ((size_t)k->n + 1) * sizeof *x.label);
  x.block = "begin";
  for (int i = 0; i < k->n; i++) { k->list[i]->seq = (uint32_t)i; tn_llvm_entry(&x, k->list[i]); }
  for (int i = 0; i < k->n; i++) tn_llvm_node(&x, k->list[i]);
  tn_text_add(out, "%sdefine hidden void @%s(ptr %%mem, ptr %%args, i64 %%task, ptr noalias %%local) #0 {\nbegin:\n",
              x.declares.n ? x.declares.data : "", k->name);
  tiny_bytes_add(out, x.top.data, x.top.n);
  tiny_bytes_add(out, x.body.data, x.body.n);
  tn_text_put(out, "  ret void\n}\n");
  *uses = 0;
  return t->code;
}

// ** a module **

// Adds the lines of a kernel; declarations to those of the module, unless they are there.
static void tn_llvm_add(tiny_bytes *declares, tiny_bytes *functions, const tiny_rendered *kernel) {
  const char *at = kernel->data;
  while (!strncmp(at, "declare ", 8)) {
    const size_t n = strcspn(at, "\n") + 1;
    const char *line = tn_text_of_format(declares->t, "%.*s", (int)n, at);
    if (!declares->n || !strstr(declares->data, line)) tn_text_put(declares, line);
    at += n;
  }
  tn_text_put(functions, at);
}

static tiny_code tn_llvm_module(tiny_ctx *t, const tiny_renderer *r, const tiny_rendered *kernels, int n,
                                tiny_bytes *out) {
  tiny_bytes declares = {t, NULL, 0, 0}, functions = {t, NULL, 0, 0};
  tn_text_add(out, "attributes #0 = { nounwind \"no-builtins\"%s }\n", ((const tn_llvm_machine *)r->own)->attributes);
  // of loops that are not to be unrolled; of stores past the caches
  tn_text_put(out, "!0 = distinct !{!0, !1}\n!1 = !{!\"llvm.loop.unroll.disable\"}\n!2 = !{i32 1}\n");
  for (int i = 0; i < n; i++) tn_llvm_add(&declares, &functions, &kernels[i]);
  tiny_bytes_add(out, declares.data, declares.n);
  tiny_bytes_add(out, functions.data, functions.n);
  return t->code;
}

// wide: the processor has vectors of 64 bytes. fuses: it has FMA.
static void tn_lang_llvm(tiny_renderer *r, int wide, int fuses) {
  const uint8_t on = TINY_ON_ELEMENTS | TINY_ON_VECTORS;
  memset(r, 0, sizeof *r);
  r->name = "LLVM IR"; r->file = "ll";
  for (int i = 0; i < TN_LLVM_BINARY; i++) r->ops[tn_llvm_binary[i].op] = on;
  for (int i = 0; i < TN_LLVM_FUNCTIONS; i++) r->ops[tn_llvm_functions[i].op] = on;
  if (!fuses) r->ops[TINY_OP_FMA] = 0;
  for (size_t i = 0; i < sizeof tn_llvm_others; i++) r->ops[tn_llvm_others[i]] = on;
  r->ops[TINY_OP_LOAD] = r->ops[TINY_OP_STORE] = on | TINY_ON_MASKED | TINY_ON_APART | TINY_ON_APART_MASKED;
  for (int d = 0; d < TINY_DTYPE_COUNT; d++) r->dtypes |= (uint64_t)(tn_llvm_element(d) != NULL) << d;
  r->flags = TINY_TARGET_OPTIMIZES | TINY_TARGET_SHUFFLES | TINY_TARGET_STREAMS | TINY_TARGET_TAKES_LOCAL;
  r->kernel = tn_llvm_kernel;
  r->module = tn_llvm_module;
  r->own = &tn_llvm_machines[wide];
}
#endif
