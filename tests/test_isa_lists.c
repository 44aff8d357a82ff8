// brief: plain asan
// Lists of kernels as text, changed at random, to the built-in compilers: what breaks
// a rule of programs or of the target is refused before, by a sentence; of what is well formed each level of x86-64 and
// arm64 makes an object, or says why not. Nothing crashes. No instruction of arm64 names x18, which is the system's on
// macOS and Windows. TEST_ROUNDS=n: so many lists.
#include "../src/isa/arm64_object.c"
#include "../src/all.c"
#include "test.h"
#include "rnd.h"

enum { TEXTS = 400, LONGEST = 1 << 14, MANY = 12000 };

// ** lists of real kernels **

static char *texts[TEXTS];
static int ntexts;
static tiny_code keep_list(tiny_ctx *t, const tiny_renderer *r, const tiny_listing *k, tiny_bytes *out, uint64_t *uses) {
  tiny_bytes text = {t, NULL, 0, 0};
  tn_print_list(t, k->list, k->n, &text);
  if (ntexts < TEXTS && text.n && text.n < LONGEST && (texts[ntexts] = (char *)malloc(text.n + 1)) != NULL)
    memcpy(texts[ntexts++], text.data, text.n + 1);
  return tn_cstyle_kernel(t, r, k, out, uses);
}
static void kept_renderer(void *dev, tiny_renderer *out) {
  tn_cpu_renderer(dev, out);
  out->kernel = keep_list;
}
static tiny_code no_compile(void *dev, int n, const tiny_bytes *source, tiny_bytes *binary, tiny_bytes *log) {
  (void)n; (void)source; (void)binary; (void)log;
  return tiny_fail(((tn_cpu *)dev)->t, TINY_E_COMPILE, "lists are wanted, and no code");
}
static void of_graph(tiny_ctx *t, tiny_tensor *y) {
  tiny_realize(&y, 1);
  tiny_clear(t);
}
static void of_graphs(tiny_ctx *t, tiny_dtype dtype, int m, int n) {
  tiny_begin(t);
  static float data[64 * 64];
  tiny_tensor *x = tiny_cast(tiny_from(t, data, TINY_F32, TINY_SHAPE(m, n)), dtype);
  tiny_tensor *w = tiny_cast(tiny_from(t, data, TINY_F32, TINY_SHAPE(n, m)), dtype);
  of_graph(t, tiny_add(x, tiny_mul_scalar(x, 3)));
  of_graph(t, tiny_sum(x, 1, 0));
  of_graph(t, tiny_amax(x, 0, 0));
  of_graph(t, tiny_matmul(x, w));
  of_graph(t, tiny_contiguous(tiny_transpose(x, 0, 1)));
  of_graph(t, tiny_cumsum(x, 1));
  of_graph(t, tiny_argmax(x, 1, 0));
  of_graph(t, tiny_where(tiny_lt_scalar(x, 2), x, tiny_neg(x)));
  of_graph(t, tiny_pad(x, TINY_SHAPE(1, 2, 3, 1), 0));
  of_graph(t, tiny_cast(x, TINY_I8));
  of_graph(t, tiny_cast(x, TINY_F64));
  of_graph(t, tiny_gather(x, 1, tiny_remainder_scalar(tiny_cast(x, TINY_I32), n)));
  if (dtype != TINY_I32) {
    of_graph(t, tiny_softmax(x, -1));
    of_graph(t, tiny_sqrt(tiny_exp(x)));
    of_graph(t, tiny_div(x, tiny_sin(x)));
  } else {
    of_graph(t, tiny_floor_div(x, tiny_add_scalar(x, 7)));
    of_graph(t, tiny_shift_left(x, tiny_bitwise_and(x, x)));
  }
  tiny_end(t);
}
static void collect(const char *device) {
  static tiny_backend lists;
  tiny_desc d;
  memset(&d, 0, sizeof d);
  lists = tn_cpu_backend;
  lists.name = "LISTS"; lists.renderer = kept_renderer; lists.compile = no_compile;
  d.device = device; d.backends[0] = &lists; d.compiler = "builtin"; d.cache_dir = ""; d.threads = 1; d.debug = "";
  tiny_ctx *t = tiny_open(&d);
  if (tiny_status(t) == TINY_OK) {
    static const tiny_dtype dtypes[] = {TINY_F32, TINY_I32, TINY_F64, TINY_F16};
    for (int i = 0; i < 4; i++) of_graphs(t, dtypes[i], i % 2 ? 7 : 32, i % 2 ? 5 : 64);
  }
  tiny_close(t);
}

// ** changes **

static char changed[2 * LONGEST];
static const char *const words[] = {
  "f32", "f64", "f16", "bf16", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "bool", "index", "f32x2", "f32x4", "f32x8",
  "f32x16", "f64x8", "i32x4", "i32x8", "i32x16", "i64x4", "u8x16", "i8x64", "boolx8", "boolx16", "f32x3", "f16x8", "f16x32", "bf16x16"};
static const char *const ops[] = {
  "ADD", "SUB", "MUL", "FDIV", "CDIV", "CMOD", "MAX", "LT", "NE", "EQ", "AND", "OR", "XOR", "SHL", "SHR", "WHERE", "FMA", "NEG", "SQRT",
  "TRUNC", "CAST", "BITCAST", "BROADCAST", "STACK", "PICK", "LOAD", "STORE", "INDEX", "LANE", "HREDUCE", "SHUFFLE", "DOT", "WMMA",
  "PREFETCH", "BARRIER", "SPECIAL", "ARG", "DEFINE", "IF", "ENDIF", "RANGE", "END", "AFTER", "GROUP", "EXP2", "POW", "IDIV", "THREEFRY"};
#define ONE_OF(list) list[rnd((int)(sizeof(list) / sizeof *(list)))]

// The word at `at`, so long, becomes another.
static void put(char *at, size_t n, const char *word) {
  const size_t m = strlen(word), rest = strlen(at + n) + 1;
  if ((size_t)(at - changed) + m + rest > sizeof changed) return;
  memmove(at + m, at + n, rest);
  memcpy(at, word, m);
}
static char *line_number(int n) {
  char *at = changed;
  while (n-- && at) { at = strchr(at, '\n'); at += at != NULL; }
  return at;
}
static int count_lines(void) {
  int n = 0;
  for (const char *c = changed; *c; c++) n += *c == '\n';
  return n;
}
static void change_line(int nlines) {
  char *line = line_number(rnd(nlines)), *end = strchr(line, '\n'), word[64];
  const int kind = rnd(10);
  if (!end) return;
  char *at = strchr(line, '(');
  if (kind < 3) {                          // another op
    if (at && at < end) put(at + 1, strcspn(at + 1, ":() "), ONE_OF(ops));
  } else if (kind < 5) {                   // another dtype
    char *colon = strchr(line, ':');
    if (colon && colon < end) put(colon + 1, strcspn(colon + 1, ":() "), ONE_OF(words));
  } else if (kind < 8) {                   // another source, or a number
    int n = 0, which = rnd(4);
    for (char *c = at; c && c < end; c++) if (*c == '%' || ((*c == ' ' || *c == ':') && c[1] >= '0' && c[1] <= '9')) {
      if (n++ != which) continue;
      static const char *const numbers[] = {"0", "1", "2", "3", "7", "8", "16", "63", "64", "4095", "2147483647", "-1", "1048576"};
      if (*c == '%') snprintf(word, sizeof word, "%%%d", rnd(nlines));
      else snprintf(word, sizeof word, "%s", ONE_OF(numbers));
      put(c + (*c != '%'), strcspn(c + 1, " ()[]:") + (*c == '%'), word);
      return;
    }
  } else if (kind < 9) {                   // it goes
    memmove(line, end + 1, strlen(end + 1) + 1);
  } else {                                 // a vector becomes a scalar, or a scalar a vector
    char *x = strstr(line, "x16");
    if (x && x < end) put(x, 3, rnd(2) ? "" : "x32");
    else if ((x = strstr(line, "x8")) != NULL && x < end) put(x, 2, rnd(2) ? "x4" : "x64");
  }
}

// ** what becomes of a list **

static int parsed, wellformed, refused_by_spec, refused_by_target, objects, reasons;
static void no_x18(const tiny_bytes *object) {
  const size_t head = sizeof(tn_elf_header) + 4 * sizeof(tn_elf_section);
  for (size_t at = head; at + 4 <= object->n; at += 4) {
    tn_arm64_ins i;
    uint32_t word;
    memcpy(&word, object->data + at, 4);
    if (!tn_arm64_decode(word, &i)) return;                  // of the constants
    int names = 0;
    for (int k = 0; k < i.n; k++) {
      const tn_arm64_operand *o = &i.o[k];
      names |= (o->kind == TN_ARM64_GPR && o->reg == 18) ||
          (o->kind == TN_ARM64_MEM && (o->reg == 18 || (o->index != TN_ARM64_NO_REG && o->index == 18)));
    }
    CHECK(!names);
    if (i.op == TN_ARM64_RET) return;
  }
}
// In a text they stand where they are first named.
static void constants_first(tiny_ctx *t, tn_list *list) {
  tiny_uop **was = (tiny_uop **)tn_scratch(t, (size_t)list->n * sizeof *was);
  int n = 0;
  memcpy(was, list->u, (size_t)list->n * sizeof *was);
  for (int rest = 0; rest < 2; rest++) for (int i = 0; i < list->n; i++)
    if ((was[i]->op != TINY_OP_CONST) == rest) list->u[n++] = was[i];
}
static int64_t text_local;                 // bytes of LOCAL memory that are given; 0: it lies in the frame
static char reason[200];                   // the last
typedef struct trial { const char *text; tiny_renderer *renderer; char *why; } trial;    // why: there is no object
static void says_why(const tiny_ctx *t, trial *r, const char *why) {
  CHECK(why == NULL || (strlen(why) > 2 && t->code == TINY_OK));
  reasons += why != NULL;
  objects += !why;
  if (!why) return;
  snprintf(reason, sizeof reason, "%s", why);
  r->why = reason;
}
static tiny_code compile_all(tiny_ctx *t, void *arg) {
  trial *r = (trial *)arg;
  tn_list list = {NULL, 0, 0};
  if (!tn_parse(t, r->text, &list)) { CHECK(strstr(t->message, "uop_parse: line") != NULL); return t->code; }
  parsed++;
  constants_first(t, &list);
  if (tn_verify_list(t, list.u, list.n) != TINY_OK) {
    refused_by_spec++;
    CHECK(t->code == TINY_E_INTERNAL && !strncmp(t->message, "spec: program: ", 15));
    return t->code;
  }
  if (tn_target_check(t, r->renderer, list.u, list.n) != TINY_OK) {
    refused_by_target++;
    CHECK(t->code == TINY_E_COMPILE && strstr(t->message, " has no ") != NULL);
    return t->code;
  }
  wellformed++;
  const int64_t local[3] = {1, 1, 1};
  const uint8_t *hints = (const uint8_t *)tn_scratch(t, (size_t)list.n + 1);
  const tiny_listing k = {"one", list.u, list.n, hints, local, text_local};
#ifdef TN_OS_X86
  for (int i = 0; i < TN_X86_LEVELS; i++) {
    tiny_bytes out = {t, NULL, 0, 0};
    const char *why = tn_x86_object(t, &k, &tn_x86_levels[i], &out);
    says_why(t, r, why);
    if (t->code != TINY_OK) return t->code;
  }
#endif
  tiny_bytes out = {t, NULL, 0, 0};
  const char *why = tn_arm64_object(t, &k, &tn_arm64_levels[0], &out);
  says_why(t, r, why);
  if (!why) no_x18(&out);
  return t->code;
}

static tiny_ctx *open_plain(void) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "CPU"; d.compiler = "builtin"; d.cache_dir = ""; d.threads = 1; d.debug = "";
  return tiny_open(&d);
}
static void try_text(tiny_ctx *t, const char *text) {
  trial r = {text, &t->device[0]->renderer, NULL};
  tiny_begin(t);
  tn_guard(t, compile_all, &r);
  CHECK(t->code == TINY_OK || t->code == TINY_E_ARG || t->code == TINY_E_INTERNAL || t->code == TINY_E_COMPILE);
  tiny_clear(t);
  tiny_end(t);
}

static void test_lists_as_they_are(void) {
  if (!case_named("lists as they are")) return;
  for (int i = 0; i < ntexts; i++) {
    tiny_ctx *t = open_plain();
    const int before = wellformed;
    try_text(t, texts[i]);
    CHECK_EQ(wellformed, before + 1);
    tiny_close(t);
  }
  CHECK(objects > 2 * reasons);            // some texts are such that no compiler takes them
  case_end();
}
// ** rules of programs, of the target, and what the built-in compilers leave to others: each has its sentence **

#define P "o = (PARAM:f32:0 64) p = (PARAM:f32:1 64) i = (INDEX o 0:i32) j = (INDEX p 0:i32) v = (LOAD:f32x4 j) s = (LOAD:f32 j) "
static const struct { const char *text, *says; } rules[] = {
  {P "(STORE i (ADD:f32x4 v v))", NULL},
  {P "(STORE i (ADD:f32 s o))", "spec: program: takes memory for a value: (ADD:f32 (LOAD:f32 ..) (PARAM:f32:0 64 ..))"},
  {P "(STORE (INDEX:f32x8 o (LANE:i32x8)) v)", "spec: program: stores other lanes than its INDEX has: "},
  {P "(STORE i (LOAD:f32x4 (INDEX:f32x8 p (LANE:i32x8))))", "spec: program: has not the lanes of its INDEX: "},
  {P "(STORE i (ADD:f32 s 1:i32))", "spec: program: is of another dtype than its sources: "},
  {P "r = (RANGE:i32:1:loop 4:i32) (STORE i s)", "spec: program: is not closed: (RANGE:i32:1:loop 4:i32)"},
  {P "(STORE i (SHUFFLE:f32:k=1 s))", " has no SHUFFLE of f32"},
  {P "(STORE i (POW s s))", " has no POW of f32"},
  {P "(STORE i (ADD:f32x4 v s))", "a scalar among vectors"},
  {P "(STORE i (SQRT (LOAD:f32x3 j)))", "lanes that are no power of two"},
  {P "(STORE (INDEX:f32x4 o 0:i32) v)", "lanes of an INDEX that have one element"},
  {P "g = (SPECIAL:i32:item0 4:i32) (STORE (INDEX o g) s)", "a grid"},
  {P "d = (DEFINE:f32x8:3:reg 1) (STORE (INDEX:f32 d 0:i32) v)", "REG memory by other lanes"},
  {P "d = (DEFINE:f32:3:local 5120) (STORE (INDEX d 5119:i32) s)", "its frame is too large"}
};
#undef P
static void test_rules(void) {
  tiny_ctx *t = open_plain();
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
    if (!case_named("rule %d", (int)i)) continue;
    trial r = {rules[i].text, &t->device[0]->renderer, NULL};
    tiny_begin(t);
    const tiny_code code = tn_guard(t, compile_all, &r);
    const char *said = code == TINY_OK ? r.why : tiny_error(t), *says = rules[i].says;
    CHECK(says ? said && strstr(said, says) != NULL : said == NULL);
    if (!(says ? said && strstr(said, says) : !said)) fprintf(stderr, "    said: %s\n    want: %s\n", said, says);
    tiny_clear(t);
    tiny_end(t);
  }
  case_end();
  tiny_close(t);
}

static void test_changed_lists(int rounds) {
  tiny_ctx *t = NULL;
  const unsigned long long first = test_from(0);
  for (int i = 0; i < rounds; i++) {
    if (i % 50 == 0) { tiny_close(t); t = open_plain(); }
    case_seeded(first + (unsigned long long)i, "TEST_FROM=%llu TEST_ROUNDS=1");
    rng = (first + (uint64_t)i) * 77 + 5;
    strcpy(changed, texts[rnd(ntexts)]);
    for (int n = 1 + rnd(3); n > 0; n--) {
      const int lines = count_lines();
      if (lines > 1) change_line(lines);
    }
    text_local = rnd(4) ? 0 : 64 << 10;
    try_text(t, changed);
  }
  case_end();
  tiny_close(t);
}

int main(void) {
  const int rounds = test_rounds(MANY);
  collect("LISTS:sse2"); collect("LISTS:avx2"); collect("LISTS:avx512"); collect("LISTS");
  CHECK(ntexts > 40);
  if (!ntexts) return test_report();
  test_lists_as_they_are();
  test_changed_lists(rounds);
  text_local = 0;
  test_rules();
  printf("%d lists of kernels; %d changed: %d parse, %d break a rule of programs, %d of the target, %d are compiled: "
         "%d objects, %d reasons why not\n", ntexts, rounds, parsed, refused_by_spec, refused_by_target, wellformed, objects,
         reasons);
  for (int i = 0; i < ntexts; i++) free(texts[i]);
  return test_report();
}
