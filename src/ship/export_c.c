// export_c: a program as one file of C that needs no tiny.h: kernels, weights, and functions that run them.
//
// In:    a program of tiny_capture or tiny_program_load, a tiny_export_desc. Out: the text, and a file of weights where
//        one is asked for.
// Holds: the same program gives the same text, wherever it is exported. What runs asks for no memory: what its steps
//        leave for each other lies in the workspace, what it keeps from run to run in the state, what it only reads in
//        constants or in the weights; outputs are the caller's. The values are those that the interpreter gives of the
//        same lists, bit for bit.
//
// The file has its declarations in front, which are all of it where NAME_DECLARATIONS is defined.
#ifndef TN_SHIP_EXPORT_C
#define TN_SHIP_EXPORT_C
#ifndef TINY_AMALGAMATED
#include "export_kernels.c"
#include "load.c"
#endif

enum { TN_EXPORT_ALIGN = 64, TN_EXPORT_NAME = 40, TN_EXPORT_PAGE = 4096,
  TN_EXPORT_HEAD = 64 };                   // bytes of a state before its memory, and of weights: what they are

// ** where memory lies **

static size_t tn_export_aligned(size_t n) { return (n + TN_EXPORT_ALIGN - 1) / TN_EXPORT_ALIGN * TN_EXPORT_ALIGN; }
static int tn_export_is_held(const tn_exporting *x) { return x->state > 0; }
static int tn_export_is_outside(const tn_exporting *x) { return x->d->weights != NULL; }
// Of what is assigned, what it begins with is where the constants are, too.
static void tn_export_memories(tn_exporting *x) {
  const tn_saved *f = &x->f;
  const size_t n = (size_t)f->n[TN_SAVED_MEMORIES] + 1;
  x->at = (size_t *)tn_scratch(x->s.t, n * sizeof *x->at);
  x->start = (size_t *)tn_scratch(x->s.t, n * sizeof *x->start);
  x->weights = tn_export_is_outside(x) ? TN_EXPORT_HEAD : 0;
  x->state = f->head->draws ? TN_EXPORT_HEAD : 0;
  for (int i = 0; i < f->n[TN_SAVED_MEMORIES]; i++) {
    const size_t nbytes = tn_saving_nbytes(&f->memory[i]);
    x->start[i] = x->weights;
    if (tn_export_is_outside(x)) x->weights += tn_export_aligned(nbytes);
    x->at[i] = x->start[i];
    if (!f->memory[i].assigned) continue;
    x->at[i] = x->state;
    x->state += tn_export_aligned(nbytes);
  }
}
static void tn_export_places(tn_exporting *x) {
  const tn_saved *f = &x->f;
  const size_t n = (size_t)f->n[TN_SAVED_PLACES] + 1;
  size_t local = 0;
  x->outputs = (int *)tn_scratch(x->s.t, n * sizeof *x->outputs);
  x->spare = (size_t *)tn_scratch(x->s.t, n * sizeof *x->spare);
  x->work = tn_export_aligned((size_t)f->head->arena_nbytes);
  for (int i = 0; i < f->n[TN_SAVED_PLACES]; i++) {
    x->outputs[i] = -1;
    for (int j = f->n[TN_SAVED_OUTPUTS] - 1; j >= 0; j--) if (f->output[j].place == i) x->outputs[i] = j;
    if (f->place[i].kind != TN_SAVED_IN_OUTPUT || x->outputs[i] >= 0) continue;
    x->spare[i] = x->work;
    x->work += tn_export_aligned((size_t)f->place[i].nbytes);
  }
  x->arena = x->work;
  for (int i = 0; i < x->s.nkernel; i++) {
    const tn_export_kernel *k = &x->kernel[i];
    const size_t all = tn_export_aligned(k->local_nbytes) * (size_t)(x->d->threads && k->tasks > 1 ? k->tasks : 1);
    if (all > local) local = all;
  }
  x->work += local;
}

// ** expressions **

static const char *tn_export_type(int dtype) {
  for (size_t i = 0; i < sizeof tn_plain_types / sizeof *tn_plain_types; i++)
    if (tn_plain_types[i].dtype == dtype) return tn_plain_types[i].type;
  return tn_dtypes[dtype].nbytes == 1 ? "u8" : "u16";        // bits of a float that C has not
}
static int tn_export_is_zero(const void *data, size_t nbytes) {
  const char *bytes = (const char *)data;
  return !nbytes || (!bytes[0] && !memcmp(bytes, bytes + 1, nbytes - 1));
}
// Where memory number m begins, as C; of no elements there is no array.
static const char *tn_export_constant(tn_exporting *x, int m) {
  if (!x->f.memory[m].nelem) return "0";
  if (tn_export_is_outside(x)) return tn_text_of_format(x->s.t, "given + %llu", (unsigned long long)x->start[m]);
  return tn_text_of_format(x->s.t, "&%s_memory%d", x->name, m);
}
static const char *tn_export_base(tn_exporting *x, int place) {
  const tn_saved_place *p = &x->f.place[place];
  tiny_ctx *t = x->s.t;
  if (p->kind == TN_SAVED_IN_ARENA) return tn_text_of_format(t, "work + %lld", (long long)p->offset);
  if (p->kind == TN_SAVED_IN_OUTPUT && x->outputs[place] < 0)
    return tn_text_of_format(t, "work + %llu", (unsigned long long)x->spare[place]);
  if (p->kind == TN_SAVED_IN_OUTPUT) return tn_text_of_format(t, "out[%d]", x->outputs[place]);
  const tn_saved_leaf *leaf = &x->f.leaf[p->index];
  if (leaf->input >= 0) return tn_text_of_format(t, "in[%d]", leaf->input);
  if (!x->f.memory[leaf->memory].assigned) return tn_export_constant(x, leaf->memory);
  return tn_text_of_format(t, "held + %llu", (unsigned long long)x->at[leaf->memory]);
}
static const char *tn_export_memory(tn_exporting *x, int place, const tn_export_param *p) {
  const char *read = p->written ? "" : "const ", *base = tn_export_base(x, place);
  return tn_text_of_format(x->s.t, strchr(base, '+') ? "(%s%s *)(%svoid *)(%s)" : "(%s%s *)(%svoid *)%s", read,
                           tn_export_type(p->dtype), read, base);
}
// What a scalar is when the program runs; dtype: as it is taken.
static const char *tn_export_scalar(tn_exporting *x, const tn_saved_scalar *s, int dtype) {
  tiny_ctx *t = x->s.t;
  const char *type = tn_export_type(dtype);
  tiny_renderer r;
  tn_text text;
  if (s->kind == TN_SAVED_INPUT) return tn_text_of_format(t, "*(const %s *)in[%d]", type, s->input);
  if (s->kind == TN_SAVED_DRAW) return tn_text_of_format(t, "(%s)(draws + %lldu)", type, (long long)s->draw);
  if (s->kind == TN_SAVED_SEED_LOW) return tn_text_of_format(t, "(%s)(seed & 0xFFFFFFFFu)", type);
  if (s->kind == TN_SAVED_SEED_HIGH) return tn_text_of_format(t, "(%s)(seed >> 32)", type);
  tn_export_renderer(x, &r, 0);
  memset(&text, 0, sizeof text);
  text.t = t; text.renderer = &r; text.lang = &r.language;
  const int bits = tn_is_float(s->dtype) && tn_is_int(dtype);
  const char *value = tn_const_text(&text, dtype, bits ? tn_dtype_pack(s->dtype, tn_to_f64(s->k)) : s->k);
  tn_plain_survey(&x->uses, value, 1);
  return value;
}
static const char *tn_export_number(tn_exporting *x, int arg, const tn_export_param *p) {
  if (arg < 0) return tn_text_of_format(x->s.t, "at%d", -1 - arg);
  return tn_export_scalar(x, &x->f.scalar[arg], p->dtype);
}
static const char *tn_export_operand(tn_exporting *x, const tn_saved_step *s, const tn_export_param *p) {
  return p->is_arg ? tn_export_number(x, x->f.number[s->arg + p->k], p)
                   : tn_export_memory(x, x->f.number[s->mem + p->k], p);
}

// ** calls **

static const char *tn_export_param_name(tn_exporting *x, const tn_export_param *p) {
  return tn_text_of_format(x->s.t, "%c%d", p->is_arg ? 'a' : 'p', p->k);
}
// A call of kernel k, its operands by value(p).
static void tn_export_call(tn_exporting *x, const tn_export_kernel *k, const tn_saved_step *s, const char *local,
                           tiny_bytes *out) {
  tn_text_add(out, "%s(", k->name);
  for (int i = 0; i < k->nparam; i++) {
    const tn_export_param *p = &k->param[i];
    const char *value = s ? tn_export_operand(x, s, p) : tn_text_of_format(x->s.t, "c->%s", tn_export_param_name(x, p));
    tn_text_add(out, "%s%s", i ? ", " : "", value);
  }
  if (k->local_nbytes) tn_text_add(out, ", %s", local);
  tn_text_put(out, k->has_task ? ", task);\n" : ");\n");
}
// What a kernel is called with, and how one task of it is called: for threads.
static void tn_export_task(tn_exporting *x, const tn_export_kernel *k, tiny_bytes *out) {
  tn_text_add(out, "typedef struct %s_call {", k->name);
  for (int i = 0; i < k->nparam; i++) {
    const tn_export_param *p = &k->param[i];
    tn_text_add(out, " %s%s %s%s;", p->is_arg || p->written ? "" : "const ", tn_export_type(p->dtype),
                p->is_arg ? "" : "*", tn_export_param_name(x, p));
  }
  if (k->local_nbytes) tn_text_put(out, " char *local;");
  tn_text_add(out, " } %s_call;\nstatic void %s_task(void *call, int task) {\n"
              "  const %s_call *const c = (const %s_call *)call;\n", k->name, k->name, k->name, k->name);
  if (!k->has_task) tn_text_put(out, "  (void)task;\n");
  tn_text_put(out, "  ");
  tn_export_call(x, k, NULL, tn_text_of_format(x->s.t, "c->local + (size_t)task * %llu",
                                               (unsigned long long)tn_export_aligned(k->local_nbytes)), out);
  tn_text_put(out, "}\n");
}
static void tn_export_step_threads(tn_exporting *x, const tn_saved_step *s, const tn_export_kernel *k,
                                   const char *indent, tiny_bytes *out) {
  tn_text_add(out, "%s{\n%s  %s_call c;\n", indent, indent, k->name);
  for (int i = 0; i < k->nparam; i++)
    tn_text_add(out, "%s  c.%s = %s;\n", indent, tn_export_param_name(x, &k->param[i]),
                tn_export_operand(x, s, &k->param[i]));
  if (k->local_nbytes) tn_text_add(out, "%s  c.local = work + %llu;\n", indent, (unsigned long long)x->arena);
  tn_text_add(out, "%s  run_tasks(%lld, %s_task, &c, parallel, user);\n%s}\n", indent, (long long)k->tasks,
              k->name, indent);
}
static void tn_export_step(tn_exporting *x, const tn_saved_step *s, const char *indent, tiny_bytes *out) {
  const tn_export_kernel *k = &x->kernel[s->kernel];
  if (x->d->threads) { tn_export_step_threads(x, s, k, indent, out); return; }
  tn_text_put(out, indent);
  if (k->has_task) tn_text_add(out, "for (i32 task = 0; task < %lld; task++) ", (long long)k->tasks);
  tn_export_call(x, k, s, tn_text_of_format(x->s.t, "work + %llu", (unsigned long long)x->arena), out);
}
// Steps from..to-1, at every position of their tiles.
static void tn_export_tiled(tn_exporting *x, int from, int to, tiny_bytes *out) {
  const tn_saved *f = &x->f;
  const int tiled = f->step[from].tiled;
  const tn_saved_tiles *a = tiled ? &f->tiles[tiled - 1] : NULL;
  char indent[2 * TN_SAVED_AXES + 4] = "  ";
  for (int i = 0; a && i < a->n; i++) {
    tn_text_add(out, "%sfor (i32 n%d = 0; n%d < %lld; n%d++) {\n", indent, i, i,
                (long long)a->count[i], i);
    tn_text_add(out, "%s  const i64 at%d = %lld + (i64)n%d * %lld;\n%s  (void)at%d;\n", indent, i,
                (long long)a->from[i], i, (long long)a->step[i], indent, i);
    memcpy(indent + strlen(indent), "  ", 3);
  }
  for (int i = from; i < to; i++) if (f->step[i].kernel >= 0) tn_export_step(x, &f->step[i], indent, out);
  for (int i = a ? (int)a->n : 0; i > 0; i--) {
    indent[strlen(indent) - 2] = 0;
    tn_text_add(out, "%s}\n", indent);
  }
}
static void tn_export_steps(tn_exporting *x, tiny_bytes *out) {
  const tn_saved *f = &x->f;
  for (int i = 0, to; i < f->n[TN_SAVED_STEPS]; i = to) {
    for (to = i + 1; f->step[i].tiled && to < f->n[TN_SAVED_STEPS] && f->step[to].tiled == f->step[i].tiled; to++) {}
    tn_export_tiled(x, i, to, out);
  }
  for (int i = 0; i < f->n[TN_SAVED_OUTPUTS]; i++) {
    const tn_saved_output *o = &f->output[i];
    const int first = o->place >= 0 ? x->outputs[o->place] : -1;
    const long long nbytes = (long long)tn_saved_nbytes(f, o->dtype, o->ndim, o->dim);
    if (o->place < 0) tn_text_add(out, "  copy_bytes(out[%d], in[%d], %lld);\n", i, o->input, nbytes);
    else if (first != i) tn_text_add(out, "  copy_bytes(out[%d], out[%d], %lld);\n", i, first, nbytes);
  }
}

// ** functions **

static const char *tn_export_params_text(tn_exporting *x, int threads) {
  tiny_ctx *t = x->s.t;
  return tn_text_of_format(t, "const void *const *in, void *const *out, void *workspace%s%s%s",
                           tn_export_is_held(x) ? ", void *state" : "",
                           tn_export_is_outside(x) ? ", const void *weights" : "",
                           threads ? tn_text_of_format(t, ",\n    %s_parallel parallel, void *user", x->name) : "");
}
static const char *tn_export_init_text(tn_exporting *x) {
  return tn_text_of_format(x->s.t, "void %s_init(void *state%s)", x->name,
                           tn_export_is_outside(x) ? ", const void *weights" : "");
}
static void tn_export_shape(const tn_exporting *x, int dtype, int ndim, int dim, tiny_bytes *out) {
  tn_text_add(out, "%s%s (", tn_dtypes[dtype].name,
              !strcmp(tn_export_type(dtype), "u16") && dtype != TINY_U16 ? " as its bits" : "");
  for (int i = 0; i < ndim; i++) tn_text_add(out, "%s%lld", i ? "," : "", (long long)x->f.dim[dim + i]);
  tn_text_put(out, ")\n");
}
static void tn_export_head(tn_exporting *x, tiny_bytes *out) {
  const tn_saved *f = &x->f;
  const char *name = x->name;
  tn_text_add(out,
    "// %s: a program of tiny.h %s as C: needs no tiny.h, no heap and of the library sqrt alone, where it is called;\n"
    "// with TINY_NO_MATH defined not even that. C99 and later, and C++.\n//\n", name, TINY_VERSION);
  for (int i = 0; i < f->n[TN_SAVED_INPUTS]; i++) {
    tn_text_add(out, "//   in[%d]: %s", i, f->input[i].scalar ? "a number, " : "");
    tn_export_shape(x, f->input[i].dtype, f->input[i].ndim, f->input[i].dim, out);
  }
  for (int i = 0; i < f->n[TN_SAVED_OUTPUTS]; i++) {
    tn_text_add(out, "//   out[%d]: ", i);
    tn_export_shape(x, f->output[i].dtype, f->output[i].ndim, f->output[i].dim, out);
  }
  tn_text_put(out, "//\n// Inputs and outputs are row-major and aligned as their elements are. Outputs lie apart "
              "from inputs. The workspace may\n// lie anywhere, and holds nothing between runs.\n");
  if (tn_export_is_held(x))
    tn_text_add(out, "// The state is aligned to 16 bytes, as malloc does; it is what the program keeps from run to "
                "run. %s_init fills it\n// before the first run. It may be copied: each copy goes on by itself.\n",
                name);
  if (tn_export_is_outside(x))
    tn_text_put(out, "// The weights are the bytes of the file that was written beside this one, aligned to 16 "
                "bytes, little-endian.\n");
  tn_text_put(out, "// Values are those of IEEE arithmetic without fused operations: compile for SSE2 where there is "
              "x87 (-msse2\n// -mfpmath=sse), and not with -ffast-math.\n");
  tn_text_add(out,
    "#ifdef __FAST_MATH__\n  #error \"-ffast-math changes its values; leave it out for this file\"\n#endif\n"
    "#include <stddef.h>\n#include <stdint.h>\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n"
    "size_t %s_workspace(void);            // bytes\n", name);
  if (tn_export_is_held(x)) {
    tn_text_add(out, "size_t %s_state(void);                // bytes\n%s;\n", name, tn_export_init_text(x));
    if (f->head->draws) tn_text_add(out, "void %s_seed(void *state, unsigned long long seed);\n", name);
  }
  if (tn_export_is_outside(x))
    tn_text_add(out, "int %s_weights_fit(const void *weights, size_t nbytes);   // 1: they are this file's\n",
                name);
  if (f->n[TN_SAVED_TEXT] && tn_export_is_held(x))
    tn_text_add(out, "// Where in the state the memory of that name is, and its bytes; NULL: there is none.\n"
                "void *%s_memory(void *state, const char *name, size_t *nbytes);\n", name);
  tn_text_add(out, "void %s_run(%s);\n", name, tn_export_params_text(x, 0));
  if (x->d->threads)
    tn_text_add(out, "// Calls task(arg, i) for each i from 0 to n - 1, on any threads, and returns when all have "
                "returned; NULL: one after\n// the other.\n"
                "typedef void (*%s_parallel)(void *user, int n, void (*task)(void *arg, int i), void *arg);\n"
                "void %s_run_with(%s);\n", name, name, tn_export_params_text(x, 1));
  tn_text_add(out, "#ifdef __cplusplus\n}\n#endif\n\n#ifndef %s_DECLARATIONS\n", name);
}
static void tn_export_prelude(tn_exporting *x, tiny_bytes *out) {
  tn_text_put(out,
    "#if defined(__clang__)\n  #pragma STDC FP_CONTRACT OFF\n"
    "#elif defined(__GNUC__) && defined(__FP_FAST_FMAF)\n  #pragma GCC optimize (\"fp-contract=off\")\n"
    "#elif defined(_MSC_VER)\n  #pragma fp_contract(off)\n#endif\n"
    "#if defined(__GNUC__) || defined(_MSC_VER)\n  #define RESTRICT __restrict\n"
    "#elif defined(__STDC_VERSION__)\n  #define RESTRICT restrict\n#else\n  #define RESTRICT\n#endif\n"
    "typedef uint8_t b8; typedef int8_t i8; typedef uint8_t u8; typedef int16_t i16; typedef uint16_t u16;\n"
    "typedef int32_t i32; typedef uint32_t u32; typedef int64_t i64; typedef uint64_t u64;\n"
    "typedef float f32; typedef double f64;\n");
  tn_plain_names names;
  tiny_bytes lanes = {x->s.t, NULL, 0, 0};
  memset(&names, 0, sizeof names);
  for (int i = 0; i < x->s.nkernel; i++) tn_plain_names_of(x->s.t, x->kernel[i].text, &names);
  tn_plain_lanes(x->s.t, &names, &lanes);
  if (lanes.n) tn_plain_survey(&x->uses, lanes.data, 1);
  tn_plain_helpers(&x->uses, out);
  if (lanes.n) tiny_bytes_add(out, lanes.data, lanes.n);
}
static int tn_export_calls(const tiny_bytes *text, const char *name) { return text->data && strstr(text->data, name); }
// What steps begin with: names for what they use; what they do not use is said to be so.
static void tn_export_names(const tn_exporting *x, const tiny_bytes *steps, tiny_bytes *out) {
  if (tn_export_calls(steps, "work + "))
    tn_text_put(out, "  char *const work = (char *)workspace + (64 - (size_t)workspace % 64) % 64;\n");
  else tn_text_put(out, "  (void)workspace;\n");
  if (tn_export_calls(steps, "held + ") || x->f.head->draws) tn_text_put(out, "  char *const held = (char *)state;\n");
  else if (tn_export_is_held(x)) tn_text_put(out, "  (void)state;\n");
  if (tn_export_calls(steps, "given + ")) tn_text_put(out, "  const char *const given = (const char *)weights;\n");
  else if (tn_export_is_outside(x)) tn_text_put(out, "  (void)weights;\n");
  if (tn_export_calls(steps, "(seed ")) tn_text_put(out, "  const u64 seed = *(const u64 *)(const void *)held;\n");
  if (x->f.head->draws) tn_text_put(out, "  const u32 draws = *(const u32 *)(const void *)(held + 8);\n");
  if (!tn_export_calls(steps, "in[")) tn_text_put(out, "  (void)in;\n");
  if (!tn_export_calls(steps, "out[")) tn_text_put(out, "  (void)out;\n");
  if (x->d->threads && !tn_export_calls(steps, "run_tasks(")) tn_text_put(out, "  (void)parallel; (void)user;\n");
}
static void tn_export_run(tn_exporting *x, const tiny_bytes *steps, tiny_bytes *out) {
  const char *name = x->name;
  tn_text_add(out, "void %s_run%s(%s) {\n", name, x->d->threads ? "_with" : "",
              tn_export_params_text(x, x->d->threads));
  tn_export_names(x, steps, out);
  if (steps->n) tiny_bytes_add(out, steps->data, steps->n);
  if (x->f.head->draws) tn_text_add(out, "  *(u32 *)(void *)(held + 8) = draws + %uu;\n", x->f.head->draws);
  tn_text_put(out, "}\n");
  if (!x->d->threads) return;
  tn_text_add(out, "void %s_run(%s) {\n  %s_run_with(in, out, workspace%s%s, 0, 0);\n}\n", name,
              tn_export_params_text(x, 0), name, tn_export_is_held(x) ? ", state" : "",
              tn_export_is_outside(x) ? ", weights" : "");
}
static void tn_export_init(tn_exporting *x, const void *const *contents, tiny_bytes *out) {
  const tn_saved *f = &x->f;
  const tiny_ctx *t = x->s.t;
  tn_text_add(out, "%s {\n  char *const held = (char *)state;\n", tn_export_init_text(x));
  if (tn_export_is_outside(x)) tn_text_put(out, "  const char *const given = (const char *)weights;\n  (void)given;\n");
  if (f->head->draws)
    tn_text_add(out, "  *(u64 *)(void *)held = %lluull;\n  *(u32 *)(void *)(held + 8) = %uu;\n",
                (unsigned long long)t->seed, t->tensors->random);
  for (int i = 0; i < f->n[TN_SAVED_MEMORIES]; i++) {
    const size_t nbytes = tn_saving_nbytes(&f->memory[i]);
    if (!f->memory[i].assigned || !nbytes) continue;
    if (tn_export_is_zero(contents[i], nbytes))
      tn_text_add(out, "  clear_bytes(held + %llu, %llu);\n", (unsigned long long)x->at[i], (unsigned long long)nbytes);
    else
      tn_text_add(out, "  copy_bytes(held + %llu, %s, %llu);\n", (unsigned long long)x->at[i], tn_export_constant(x, i),
                  (unsigned long long)nbytes);
  }
  tn_text_put(out, "}\n");
  if (f->head->draws)
    tn_text_add(out, "void %s_seed(void *state, unsigned long long seed) {\n  *(u64 *)state = seed;\n"
                "  *((u32 *)state + 2) = 0;\n}\n", x->name);
}
// A string of C.
static void tn_export_quoted(const char *text, tiny_bytes *out) {
  tn_text_put(out, "\"");
  for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
    const int plain = *c >= ' ' && *c < 127 && *c != '"' && *c != '\\' && *c != '?';
    tn_text_add(out, plain ? "%c" : "\\%03o", *c);
  }
  tn_text_put(out, "\"");
}
static void tn_export_find(tn_exporting *x, tiny_bytes *out) {
  const tn_saved *f = &x->f;
  if (!f->n[TN_SAVED_TEXT]) return;
  tn_text_add(out, "static int is_same_text(const char *a, const char *b) {\n  while (*a && *a == *b) { a++; b++; }\n"
              "  return *a == *b;\n}\nvoid *%s_memory(void *state, const char *name, size_t *nbytes) {\n", x->name);
  for (int i = 0; i < f->n[TN_SAVED_MEMORIES]; i++) {
    const tn_saved_memory *m = &f->memory[i];
    if (m->name < 0 || !m->assigned) continue;
    tn_text_add(out, "  if (is_same_text(name, ");
    tn_export_quoted(f->text + m->name, out);
    tn_text_add(out, ")) { *nbytes = %llu; return (char *)state + %llu; }\n", (unsigned long long)tn_saving_nbytes(m),
                (unsigned long long)x->at[i]);
  }
  tn_text_put(out, "  *nbytes = 0;\n  return 0;\n}\n");
}
static void tn_export_fit(const tn_exporting *x, const tn_digest *digest, tiny_bytes *out) {
  unsigned char bytes[32];
  tn_digest_bytes(digest, bytes);
  tn_text_add(out, "int %s_weights_fit(const void *weights, size_t nbytes) {\n  static const u8 digest[32] = {",
              x->name);
  for (int i = 0; i < 32; i++) tn_text_add(out, "%s%d", i ? "," : "", bytes[i]);
  tn_text_add(out, "};\n  int same = weights && nbytes == %llu;\n"
              "  for (int i = 0; same && i < 32; i++) same = ((const u8 *)weights)[i] == digest[i];\n"
              "  return same;\n}\n", (unsigned long long)x->weights);
}

// ** the files **

typedef struct tn_export_page { tn_sink *out; size_t n; char data[TN_EXPORT_PAGE]; } tn_export_page;
static int tn_export_flush(tn_export_page *page) {
  const size_t n = page->n;
  page->n = 0;
  return tn_sink_put(page->out, page->data, n);
}
static int tn_export_put(tn_export_page *page, const char *text, size_t n) {
  if (page->n + n > sizeof page->data && !tn_export_flush(page)) return 0;
  memcpy(page->data + page->n, text, n);
  page->n += n;
  return 1;
}
// Elements as numbers of their bits: they are the same on machines of either byte order.
static int tn_export_elements(tn_export_page *page, const char *data, int64_t nelem, size_t each) {
  static const char digits[] = "0123456789abcdef";
  for (int64_t i = 0; i < nelem; i++) {
    char text[24] = "0x";
    uint64_t bits = 0;
    size_t n = 2 + 2 * each;
    for (size_t b = 0; b < each; b++) {
      const size_t low = tn_host_is_little() ? b : each - 1 - b;
      bits |= (uint64_t)(unsigned char)data[(size_t)i * each + low] << 8 * b;
    }
    for (size_t k = 0; k < 2 * each; k++) text[2 + k] = digits[bits >> 4 * (2 * each - 1 - k) & 15];
    if (each == 8) { memcpy(text + n, "ull", 3); n += 3; }
    text[n++] = ',';
    if (i % (32 / (int64_t)each) == 32 / (int64_t)each - 1) text[n++] = '\n';
    if (!tn_export_put(page, text, n)) return 0;
  }
  return 1;
}
// Memory number i as a constant of C: floats are read out of a union of bits and floats.
static int tn_export_array(tn_exporting *x, tn_sink *out, int i, const void *data) {
  static const char *const bits[9] = {NULL, "u8", "u16", NULL, "u32", NULL, NULL, NULL, "u64"};
  const tn_saved_memory *m = &x->f.memory[i];
  const size_t each = tn_dtypes[m->dtype].nbytes;
  tn_export_page *page = (tn_export_page *)tn_scratch(x->s.t, sizeof *page);
  char line[160];
  page->out = out;
  int n = snprintf(line, sizeof line, "static const union { %s bits[%lld]; %s value[%lld]; } %s_memory%d = {{\n",
                   bits[each], (long long)m->nelem, tn_export_type(m->dtype), (long long)m->nelem, x->name, i);
  return tn_export_put(page, line, (size_t)n) && tn_export_elements(page, (const char *)data, m->nelem, each) &&
      tn_export_put(page, "}};\n", 4) && tn_export_flush(page);
}
static tiny_code tn_export_contents(tn_exporting *x, const void **contents) {
  for (int i = 0; i < x->f.n[TN_SAVED_MEMORIES]; i++)
    if (!(contents[i] = tn_saving_contents(&x->s, i, &x->f.memory[i])))
      return x->s.t->code != TINY_OK ? x->s.t->code : TINY_E_DEVICE;
  return TINY_OK;
}
// Does the text read memory number i? Of what a kernel was given some may turn out not to be needed.
static int tn_export_reads(const tn_exporting *x, const tiny_bytes *text, int i) {
  const char *const name = tn_text_of_format(x->s.t, "&%s_memory%d", x->name, i), *at = text->data;
  const size_t n = strlen(name);
  while (at && (at = strstr(at, name)) != NULL && at[n] >= '0' && at[n] <= '9') at += n;
  return at != NULL;
}
static int tn_export_arrays(tn_exporting *x, tn_sink *out, const void *const *contents, const tiny_bytes *text) {
  for (int i = 0; i < x->f.n[TN_SAVED_MEMORIES]; i++)
    if (tn_export_reads(x, text, i) && !tn_export_array(x, out, i, contents[i])) return 0;
  return 1;
}

typedef struct tn_export_weights { tn_exporting *x; const void *const *contents; tn_digest *digest; } tn_export_weights;
// A digest of the rest, and what memory holds, each from where it is looked for.
static int tn_export_weights_write(tn_sink *out, const void *what) {
  const tn_export_weights *w = (const tn_export_weights *)what;
  const tn_saved *f = &w->x->f;
  unsigned char head[TN_EXPORT_HEAD] = {0};
  tn_digester all = tn_digest_open();
  for (int i = 0; i < f->n[TN_SAVED_MEMORIES]; i++)
    tn_digest_add(&all, w->contents[i], tn_saving_nbytes(&f->memory[i]));
  *w->digest = tn_digest_close(&all);
  tn_digest_bytes(w->digest, head);
  int done = tn_sink_put(out, head, sizeof head);
  for (int i = 0; i < f->n[TN_SAVED_MEMORIES] && done; i++) {
    const size_t nbytes = tn_saving_nbytes(&f->memory[i]);
    done = tn_sink_put(out, w->contents[i], nbytes) &&
        tn_sink_put(out, tn_saving_zeros, tn_export_aligned(nbytes) - nbytes);
  }
  return done;
}
// Kernels, and what is behind them.
static void tn_export_body(tn_exporting *x, const void *const *contents, const tn_digest *digest,
                           const tiny_bytes *steps, tiny_bytes *out) {
  int copies = tn_export_calls(steps, "copy_bytes("), clears = 0;
  for (int i = 0; i < x->f.n[TN_SAVED_MEMORIES]; i++) {
    const tn_saved_memory *m = &x->f.memory[i];
    if (!m->assigned || !tn_saving_nbytes(m)) continue;
    if (tn_export_is_zero(contents[i], tn_saving_nbytes(m))) clears = 1;
    else copies = 1;
  }
  if (copies)
    tn_text_put(out, "static void copy_bytes(void *to, const void *from, size_t n) {\n"
                "  for (size_t i = 0; i < n; i++) ((u8 *)to)[i] = ((const u8 *)from)[i];\n}\n");
  if (clears)
    tn_text_put(out, "static void clear_bytes(void *to, size_t n) {\n"
                "  for (size_t i = 0; i < n; i++) ((u8 *)to)[i] = 0;\n}\n");
  for (int i = 0; i < x->s.nkernel; i++) {
    tn_text_add(out, "\n%s", x->kernel[i].text);
    if (x->d->threads) tn_export_task(x, &x->kernel[i], out);
  }
  if (x->d->threads && x->s.nkernel)
    tn_text_add(out, "\nstatic void run_tasks(int n, void (*task)(void *arg, int i), void *arg,\n"
                "                      %s_parallel parallel, void *user) {\n"
                "  if (parallel && n > 1) { parallel(user, n, task, arg); return; }\n"
                "  for (int i = 0; i < n; i++) task(arg, i);\n}\n", x->name);
  tn_text_add(out, "\nsize_t %s_workspace(void) { return %llu; }\n", x->name,
              (unsigned long long)(x->work ? x->work + TN_EXPORT_ALIGN - 1 : 0));
  if (tn_export_is_held(x)) {
    tn_text_add(out, "size_t %s_state(void) { return %llu; }\n", x->name, (unsigned long long)x->state);
    tn_export_init(x, contents, out);
    tn_export_find(x, out);
  }
  if (tn_export_is_outside(x)) tn_export_fit(x, digest, out);
  tn_export_run(x, steps, out);
  tn_text_put(out, "#endif\n");
}
static tiny_code tn_export_text(tn_exporting *x, tn_sink *out, const void *const *contents, const tn_digest *digest) {
  tiny_ctx *t = x->s.t;
  tiny_bytes front = {t, NULL, 0, 0}, steps = {t, NULL, 0, 0}, body = {t, NULL, 0, 0};
  tn_export_steps(x, &steps);
  tn_export_head(x, &front);
  tn_export_prelude(x, &front);
  tn_export_body(x, contents, digest, &steps, &body);
  if (t->code != TINY_OK) return t->code;
  const int done = tn_sink_put(out, front.data, front.n) &&
      (tn_export_is_outside(x) || tn_export_arrays(x, out, contents, &body)) && tn_sink_put(out, body.data, body.n);
  return done ? TINY_OK : t->code != TINY_OK ? t->code : TINY_E_IO;
}
static tiny_code tn_export_guarded(tiny_ctx *t, void *arg) {
  tn_exporting *x = (tn_exporting *)arg;
  tn_saving *s = &x->s;
  tn_digest digest;
  tn_sink out = {t, "program_export_c", s->to, 0, 0};
  memset(&digest, 0, sizeof digest);
  const tiny_code code = tn_saving_rows(s);
  if (code != TINY_OK) return code;
  tn_export_rows(x);
  if (tn_export_kernels(x) != TINY_OK) return t->code;
  tn_export_memories(x);
  tn_export_places(x);
  const void **contents = (const void **)tn_scratch(t, ((size_t)x->f.n[TN_SAVED_MEMORIES] + 1) * sizeof *contents);
  if (tn_export_contents(x, contents) != TINY_OK) return t->code;
  const tn_export_weights w = {x, contents, &digest};
  if (tn_export_is_outside(x) &&
      tn_sink_file(t, "program_export_c", x->d->weights, tn_export_weights_write, &w) != TINY_OK)
    return t->code;
  return tn_export_text(x, &out, contents, &digest);
}
static int tn_export_is_name(const char *name) {
  size_t n = 0;
  for (; name[n]; n++) {
    const char c = name[n];
    const int letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (!letter && !(n && c >= '0' && c <= '9')) return 0;
  }
  return n && n <= TN_EXPORT_NAME;
}
static tiny_code tn_export_to(tiny_program *p, tiny_writer to, const tiny_export_desc *d) {
  static const tiny_export_desc plain = {NULL, NULL, 0, 0, NULL, NULL, 0};
  tiny_ctx *t = p->t;
  tiny_tensor *wrong;
  tiny_ship_desc names;
  tn_exporting x;
  memset(&x, 0, sizeof x); memset(&names, 0, sizeof names);
  x.d = d ? d : &plain;
  x.name = x.d->name ? x.d->name : "net";
  if (!tn_runs(t)) return t->code;
  if (!tn_export_is_name(x.name))
    return tiny_fail(t, TINY_E_ARG, "program_export_c: name %.60s: it begins the names of functions: at most %d "
                     "letters, digits and _", x.name, TN_EXPORT_NAME);
  const int vector = x.d->vector_nbytes;
  if (vector > 0 && vector != 16 && vector != 32 && vector != 64)
    return tiny_fail(t, TINY_E_ARG, "program_export_c: vectors of %d bytes; there are 16, 32, 64, and -1: none",
                     x.d->vector_nbytes);
  if (x.d->n < 0 || (x.d->n && (!x.d->names || !x.d->tensors)))
    return tiny_fail(t, TINY_E_ARG, "program_export_c: %d names, but no names or no tensors", x.d->n);
  if (x.d->n && (!tn_usable_in(t, "program_export_c", x.d->n, x.d->tensors, &wrong) ||
                 tiny_realize(x.d->tensors, x.d->n) != TINY_OK))
    return t->code != TINY_OK ? t->code : TINY_E_ARG;
  names.names = x.d->names; names.tensors = x.d->tensors; names.n = x.d->n;
  x.s.t = t; x.s.p = p; x.s.d = &names; x.s.to = to;
  tiny_code code = tn_guard(t, tn_saving_settle, &x.s);
  if (code == TINY_OK) code = tn_guard(t, tn_export_guarded, &x);
  tn_saving_end(&x.s);
  return code;
}
TINY_API tiny_code tiny_program_export_c_to(tiny_program *p, tiny_writer to, const tiny_export_desc *d) {
  if (!p) return TINY_E_ARG;
  return to.fn ? tn_export_to(p, to, d) : tiny_fail(p->t, TINY_E_ARG, "program_export_c_to: there is no function");
}
typedef struct tn_export_file { tiny_program *p; const tiny_export_desc *d; } tn_export_file;
static int tn_export_file_write(tn_sink *out, const void *what) {
  const tn_export_file *file = (const tn_export_file *)what;
  return tn_export_to(file->p, out->to, file->d) == TINY_OK;
}
TINY_API tiny_code tiny_program_export_c(tiny_program *p, const char *path, const tiny_export_desc *d) {
  const tn_export_file file = {p, d};
  if (!p) return TINY_E_ARG;
  if (!tn_source_path_check(p->t, "program_export_c", path)) return p->t->code;
  return tn_sink_file(p->t, "program_export_c", path, tn_export_file_write, &file);
}
#endif
