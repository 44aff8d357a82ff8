// metal_kernel_read: a text in Metal whose macros are expanded, as what is compiled: which kernels it has, with which
// arguments, and the text with variables of threadgroup memory as the executor's.
//
// In:   the text behind clang -E: lines "# LINE "FILE"" say where it comes from.
// Out:  metal_reading: the text to compile, calls of its kernels and a table of them, its swizzles. Or a line
//       "program_source:LINE:COLUMN: error: ..": what Metal refuses and C++ does not (MSL 1.4.4, 4).
// Holds: every token keeps its line and column, so that the compiler's words are about the text as it was.
// It is a reader of declarations, not of C++: what it does not understand it leaves to the compiler.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct metal_text { char *data; size_t n, room; } metal_text;
static void metal_put(metal_text *t, const char *data, size_t n) {
  if (t->n + n + 1 > t->room) {
    t->room = 2 * (t->n + n + 1);
    t->data = (char *)realloc(t->data, t->room);
  }
  memcpy(t->data + t->n, data, n);
  t->n += n;
  t->data[t->n] = 0;
}
static void metal_print(metal_text *t, const char *format, ...) {
  char line[2048];
  va_list args;
  va_start(args, format);
  const int n = vsnprintf(line, sizeof line, format, args);
  va_end(args);
  metal_put(t, line, n < 0 ? 0 : (size_t)n < sizeof line ? (size_t)n : sizeof line - 1);
}

// ** tokens **

enum { METAL_WORD_TOKEN = 1, METAL_OTHER, METAL_ENDS };
typedef struct metal_token { const char *at; int n, kind, line, column; } metal_token;

typedef struct metal_name { char text[120]; } metal_name;
// host: as the host asks for it; call: with its namespaces and template's arguments; first, last: its parameters
typedef struct metal_kernel_read {
  metal_name host, call, plain;
  int first, last, is_template, head;
} metal_kernel_read;
// begin: of its declaration; first, last: braces of its body; is_dropped: the text has it for another space already
typedef struct metal_function_read { metal_name name; int begin, open, first, last, is_dropped; } metal_function_read;

enum { METAL_DEEP = 64 };
typedef struct metal_reading {
  metal_token *token; int n;
  metal_kernel_read *kernel; int kernels;
  metal_function_read *function; int functions;
  metal_name space[METAL_DEEP]; int is_type[METAL_DEEP], deep;
  metal_text text, entries, swizzles[3], log;
  int failed;
} metal_reading;

static void metal_refuse(metal_reading *r, int at, const char *format, ...) {
  char sentence[400];
  va_list args;
  va_start(args, format);
  vsnprintf(sentence, sizeof sentence, format, args);
  va_end(args);
  const metal_token *t = &r->token[at < r->n ? at : r->n - 1];
  metal_print(&r->log, "program_source:%d:%d: error: %s\n", t->line, t->column, sentence);
  r->failed = 1;
}

static int metal_is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9');
}
static const char *metal_skip_quoted(const char *p) {
  const char quote = *p++;
  while (*p && *p != quote && *p != '\n') p += *p == '\\' && p[1] ? 2 : 1;
  return *p == quote ? p + 1 : p;
}
// Line 12 of program_source begins behind `# 12 "program_source"`.
static const char *metal_skip_line(const char *p, int *line) {
  if (*p == '#' && p[1] == ' ' && p[2] >= '0' && p[2] <= '9') *line = atoi(p + 2) - 1;
  while (*p && *p != '\n') p++;
  return p;
}
static void metal_tokens(metal_reading *r, const char *text) {
  const char *begins = text;
  int line = 1, room = 0, fresh = 1;
  for (const char *p = text; ; ) {
    if (r->n == room) r->token = (metal_token *)realloc(r->token, (size_t)(room = room * 2 + 1024) * sizeof *r->token);
    if (*p == '\n') { line++; p++; begins = p; fresh = 1; continue; }
    if (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\f' || *p == '\v') { p++; continue; }
    if (*p == '#' && fresh) { p = metal_skip_line(p, &line); continue; }
    metal_token *t = &r->token[r->n++];
    *t = (metal_token){p, 1, METAL_OTHER, line, (int)(p - begins) + 1};
    fresh = 0;
    if (!*p) { t->kind = METAL_ENDS; t->n = 0; return; }
    if (*p == '"' || *p == '\'') p = metal_skip_quoted(p);
    else if (*p >= '0' && *p <= '9')
      while (metal_is_letter(*p) || *p == '.' || ((*p == '+' || *p == '-') && strchr("eEpP", p[-1]))) p++;
    else if (metal_is_letter(*p)) {
      t->kind = METAL_WORD_TOKEN;
      while (metal_is_letter(*p)) p++;
    } else if ((*p == ':' && p[1] == ':') || (*p == '-' && p[1] == '>')) p += 2;
    else p++;
    t->n = (int)(p - t->at);
  }
}

static int metal_is(const metal_reading *r, int at, const char *word) {
  const size_t n = strlen(word);
  return at >= 0 && at < r->n && (size_t)r->token[at].n == n && !memcmp(r->token[at].at, word, n);
}
static int metal_is_word(const metal_reading *r, int at) {
  return at >= 0 && at < r->n && r->token[at].kind == METAL_WORD_TOKEN;
}
static int metal_ends(const metal_reading *r, int at) { return at >= r->n - 1; }
static int metal_is_attribute(const metal_reading *r, int at) {   // "[[", of which no space parts the two
  return metal_is(r, at, "[") && metal_is(r, at + 1, "[");
}
static int metal_is_opening(const metal_reading *r, int at) {
  return at < r->n && r->token[at].n == 1 && strchr("([{", *r->token[at].at) != NULL;
}
static int metal_is_closing(const metal_reading *r, int at) {
  return at < r->n && r->token[at].n == 1 && strchr(")]}", *r->token[at].at) != NULL;
}
// The token that closes what `at` opens; the last one where there is none.
static int metal_closing(const metal_reading *r, int at) {
  int depth = 0;
  for (; !metal_ends(r, at); at++) {
    if (metal_is_opening(r, at)) depth++;
    else if (metal_is_closing(r, at) && --depth <= 0) return at;
  }
  return r->n - 1;
}
// The ">" that closes the "<" at `at`.
static int metal_closing_angle(const metal_reading *r, int at) {
  int depth = 0;
  for (; !metal_ends(r, at) && !metal_is(r, at, ";") && !metal_is(r, at, "{"); at++) {
    if (metal_is(r, at, "(") || metal_is(r, at, "[")) at = metal_closing(r, at);
    else if (metal_is(r, at, "<")) depth++;
    else if (metal_is(r, at, ">") && --depth == 0) return at;
  }
  return at < r->n ? at : r->n - 1;
}
static metal_name metal_word_of(const metal_reading *r, int at) {
  metal_name name;
  snprintf(name.text, sizeof name.text, "%.*s", r->token[at].n, r->token[at].at);
  return name;
}
// Tokens first .. last - 1 with a space between them.
static void metal_put_tokens(metal_text *out, const metal_reading *r, int first, int last) {
  for (int i = first; i < last; i++) {
    metal_put(out, r->token[i].at, (size_t)r->token[i].n);
    metal_put(out, " ", 1);
  }
}

// ** what Metal has not **

static const struct { const char *word, *sentence; } metal_not[] = {
  {"virtual", "'virtual' is not supported in Metal"}, {"dynamic_cast", "dynamic_cast is not supported in Metal"},
  {"typeid", "typeid is not supported in Metal"}, {"new", "'new' is not supported in Metal"},
  {"delete", "'delete' is not supported in Metal"}, {"goto", "goto is not supported in Metal"},
  {"thread_local", "thread_local is not supported in Metal"}, {"throw", "exceptions are not supported in Metal"},
  {"try", "exceptions are not supported in Metal"}, {"catch", "exceptions are not supported in Metal"},
  {"double", "'double' is not supported in Metal"}, {"asm", "'asm' is not supported in Metal"},
  {"__asm", "'asm' is not supported in Metal"}, {"__asm__", "'asm' is not supported in Metal"},
  {"constructor", "attribute 'constructor' is not supported in Metal"},
  {"destructor", "attribute 'destructor' is not supported in Metal"},
  {"ifunc", "attribute 'ifunc' is not supported in Metal"}, {"ctor_dtor", "attribute is not supported in Metal"},
  {"metal_executor", "use of undeclared identifier 'metal_executor'"},
};
static void metal_look_for_words(metal_reading *r) {
  for (int i = 0; i < r->n && !r->failed; i++) {
    for (size_t k = 0; metal_is_word(r, i) && k < sizeof metal_not / sizeof *metal_not; k++)
      if (metal_is(r, i, metal_not[k].word)) metal_refuse(r, i, "%s", metal_not[k].sentence);
    if (metal_is(r, i, "extern") && *r->token[i + 1].at == '"')
      metal_refuse(r, i, "functions of other languages are not supported in Metal");
    if (metal_is(r, i, "(") && metal_is(r, i + 1, "*") && metal_is_word(r, i + 2) && metal_is(r, i + 3, ")") &&
        metal_is(r, i + 4, "("))
      metal_refuse(r, i + 1, "function pointers are not supported in Metal");
  }
}

static int metal_is_space(const metal_reading *r, int at) {
  static const char *const words[] = {"device", "constant", "threadgroup", "thread", "threadgroup_imageblock",
                                      "ray_data"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) if (metal_is(r, at, words[i])) return 1;
  return 0;
}
static int metal_has_space(const metal_reading *r, int first, int last) {
  for (int i = first; i < last; i++) if (metal_is_space(r, i)) return 1;
  return 0;
}
// Does a declaration of tokens first .. last - 1 make a pointer or reference, and say to where? 0: it makes none; -1:
// it does not say.
static int metal_pointer_to(const metal_reading *r, int first, int last) {
  int is = 0, space = 0;
  for (int i = first; i < last; i++) {
    if (metal_is(r, i, "=")) break;
    if (metal_is(r, i, "auto")) return 0;
    if (metal_is(r, i, "<")) { i = metal_closing_angle(r, i); continue; }
    if (metal_is(r, i, "[")) { i = metal_closing(r, i); continue; }
    is |= metal_is(r, i, "*") || metal_is(r, i, "&");
    space |= metal_is_space(r, i);
  }
  return is ? space ? 1 : -1 : 0;
}
static void metal_look_at_pointer(metal_reading *r, int first, int last) {
  if (metal_pointer_to(r, first, last) < 0)
    metal_refuse(r, first, "pointer type must have explicit address space qualifier");
}
// The comma behind a parameter, or last.
static int metal_comma(const metal_reading *r, int at, int last) {
  for (; at < last && !metal_is(r, at, ","); at++) {
    if (metal_is(r, at, "<")) at = metal_closing_angle(r, at);
    else if (metal_is_opening(r, at)) at = metal_closing(r, at);
  }
  return at < last ? at : last;
}

static int metal_function_number(const metal_reading *r, const metal_token *t) {   // of the only one of this name; -1
  int found = -1;
  for (int i = 0; i < r->functions; i++) {
    if (r->function[i].is_dropped) continue;
    const char *name = r->function[i].name.text;
    if (strlen(name) != (size_t)t->n || memcmp(name, t->at, (size_t)t->n)) continue;
    if (found >= 0) return -1;
    found = i;
  }
  return found;
}
// seen: 1 on the way, 2 done
static void metal_look_for_circle(metal_reading *r, int at, unsigned char *seen) {
  const metal_function_read *f = &r->function[at];
  seen[at] = 1;
  for (int i = f->first; i < f->last && !r->failed; i++) {
    if (!metal_is_word(r, i) || !metal_is(r, i + 1, "(") || metal_is(r, i - 1, ".") || metal_is(r, i - 1, "->"))
      continue;
    const int next = metal_function_number(r, &r->token[i]);
    if (next >= 0 && seen[next] == 1)
      metal_refuse(r, i, "recursive function calls are not supported in Metal ('%s')", r->function[next].name.text);
    else if (next >= 0 && !seen[next]) metal_look_for_circle(r, next, seen);
  }
  seen[at] = 2;
}

// ** declarations **

// Where the declaration's own tokens begin: behind template <..>, which says whether it is one, and attributes.
static int metal_skip_head(const metal_reading *r, int at, int *is_template) {
  for (;;) {
    if (metal_is(r, at, "template") && metal_is(r, at + 1, "<")) {
      *is_template = 1;
      at = metal_closing_angle(r, at + 1) + 1;
    } else if (metal_is_attribute(r, at)) at = metal_closing(r, at) + 1;
    else return at;
  }
}
// Does a head say that it is a kernel?
static int metal_says_kernel(const metal_reading *r, int first, int last) {
  for (int i = first; i < last; i++) {
    if (metal_is(r, i, "kernel")) return 1;
    if (metal_is(r, i, "(")) return 0;
    if (!metal_is_attribute(r, i)) continue;
    const int end = metal_closing(r, i);
    for (int k = i; k < end; k++) if (metal_is(r, k, "kernel") && !metal_is(r, k - 1, "(")) return 1;
    i = end;
  }
  return 0;
}
// The "(" of a function's parameters among tokens first .. last - 1; -1: there is none.
static int metal_parameters(const metal_reading *r, int first, int last) {
  for (int i = first; i < last; i++) {
    if (metal_is(r, i, "=")) return -1;
    if (metal_is_attribute(r, i)) { i = metal_closing(r, i); continue; }
    if (!metal_is(r, i, "(")) continue;
    if (metal_is(r, i - 1, "decltype") || metal_is(r, i - 1, "alignas") || metal_is(r, i - 1, "__attribute__"))
      i = metal_closing(r, i);
    else return i;
  }
  return -1;
}

static metal_kernel_read *metal_add_kernel(metal_reading *r) {
  r->kernel = (metal_kernel_read *)realloc(r->kernel, (size_t)(r->kernels + 1) * sizeof *r->kernel);
  memset(&r->kernel[r->kernels], 0, sizeof *r->kernel);
  return &r->kernel[r->kernels++];
}
static void metal_call_of(const metal_reading *r, const char *name, metal_name *call) {
  char text[METAL_DEEP * 8] = "";
  for (int i = 0; i < r->deep; i++)
    if (*r->space[i].text) snprintf(text + strlen(text), sizeof text - strlen(text), "%.60s::", r->space[i].text);
  snprintf(call->text, sizeof call->text, "%.60s%.58s", text, name);
}
// Are tokens a .. a_end - 1 and those from b on the same, but for spaces of addresses?
static int metal_is_same(const metal_reading *r, int a, int a_end, int b, int b_end) {
  for (;; a++, b++) {
    while (a < a_end && metal_is_space(r, a)) a++;
    while (b < b_end && metal_is_space(r, b)) b++;
    if (a >= a_end || b >= b_end) return a >= a_end && b >= b_end;
    if (r->token[a].n != r->token[b].n || memcmp(r->token[a].at, r->token[b].at, (size_t)r->token[a].n)) return 0;
  }
}
// Here all spaces are one, so that of functions that differ in them alone there is one.
static void metal_drop_double(metal_reading *r, metal_function_read *f) {
  for (const metal_function_read *g = r->function; g < f; g++) {
    if (strcmp(f->name.text, g->name.text) || g->is_dropped) continue;
    if (!metal_is_same(r, g->begin, g->first, f->begin, f->first)) continue;
    f->is_dropped = metal_is_same(r, g->first, g->last, f->first, f->last);
    if (!f->is_dropped && metal_has_space(r, f->open, f->first))
      metal_refuse(r, f->open - 1, "'%s' differs from another in address spaces alone, and does something else: it is "
                   "not executed here", f->name.text);
    return;
  }
}
// A function's definition: parameters between tokens open and its ")", its body from `body` on.
static void metal_add_function(metal_reading *r, int first, int head, int open, int body, int is_template) {
  const int last = metal_closing(r, open);
  const metal_name name = metal_word_of(r, open - 1);
  r->function = (metal_function_read *)realloc(r->function, (size_t)(r->functions + 1) * sizeof *r->function);
  metal_function_read *f = &r->function[r->functions++];
  *f = (metal_function_read){name, first, open, body, metal_closing(r, body), 0};
  if (!r->deep || !r->is_type[r->deep - 1]) metal_drop_double(r, f);
  for (int i = open + 1; i < last; i = metal_comma(r, i, last) + 1)
    metal_look_at_pointer(r, i, metal_comma(r, i, last));
  if (!metal_says_kernel(r, first, open)) return;
  metal_kernel_read *k = metal_add_kernel(r);
  k->host = k->plain = name;
  metal_call_of(r, name.text, &k->call);
  k->first = open + 1; k->last = last; k->is_template = is_template; k->head = first;
  (void)head;
}
// template [[host_name("f_float")]] kernel void f<float>(..); its parameters are those of the template.
static void metal_add_instance(metal_reading *r, int first, int last) {
  char host[120] = "";
  int at = last - 1;
  for (int i = first; i < last; i++)
    if (metal_is(r, i, "host_name") && i + 2 < last && r->token[i + 2].n > 2)
      snprintf(host, sizeof host, "%.*s", r->token[i + 2].n - 2, r->token[i + 2].at + 1);
  const int open = metal_parameters(r, first + 1, last);
  if (open > 0) at = open - 1;
  if (!*host || !metal_is(r, at, ">")) return;
  int angle = at;
  for (int depth = 0; angle > first; angle--) {
    depth += metal_is(r, angle, ">") - metal_is(r, angle, "<");
    if (!depth) break;
  }
  const metal_name plain = metal_word_of(r, angle - 1);
  for (int i = 0; i < r->kernels; i++) {
    if (!r->kernel[i].is_template || strcmp(r->kernel[i].plain.text, plain.text)) continue;
    metal_text targs = {NULL, 0, 0};
    metal_put_tokens(&targs, r, angle, at + 1);
    metal_kernel_read *k = metal_add_kernel(r);
    *k = r->kernel[i];
    k->is_template = 0;
    snprintf(k->host.text, sizeof k->host.text, "%s", host);
    snprintf(k->call.text, sizeof k->call.text, "%.60s %.58s", r->kernel[i].call.text, targs.data);
    free(targs.data);
    return;
  }
  metal_refuse(r, angle - 1, "no kernel template named '%s'", plain.text);
}

// ** bodies **

static int metal_begins_statement(const metal_reading *r, int at) {
  return metal_is(r, at - 1, "{") || metal_is(r, at - 1, "}") || metal_is(r, at - 1, ";");
}
static int metal_semicolon(const metal_reading *r, int at) {
  for (; !metal_ends(r, at) && !metal_is(r, at, ";"); at++) if (metal_is_opening(r, at)) at = metal_closing(r, at);
  return at < r->n ? at : r->n - 1;
}
// `float *p = ..`: words, a star, a word, and what ends or begins a value.
static int metal_is_pointer_declared(const metal_reading *r, int at) {
  static const char *const no[] = {"return", "else", "case", "do", "using", "typedef", "struct", "constexpr"};
  int words = 0, stars = 0;
  for (size_t i = 0; i < sizeof no / sizeof *no; i++) if (metal_is(r, at, no[i])) return 0;
  for (;; at++) {
    if (metal_is(r, at, "<") && words) { at = metal_closing_angle(r, at); continue; }
    if (metal_is(r, at, "*") || metal_is(r, at, "&")) stars += words > 0;
    else if (stars && metal_is_word(r, at) && !metal_is(r, at, "const")) break;
    else if (!metal_is_word(r, at) && !metal_is(r, at, "::")) return 0;
    else words += metal_is_word(r, at);
    if ((metal_is(r, at, "*") || metal_is(r, at, "&")) && !words) return 0;
  }
  return stars && (metal_is(r, at + 1, "=") || metal_is(r, at + 1, ";")) && !metal_is(r, at + 2, "=");
}
static void metal_look_at_body(metal_reading *r, const metal_function_read *f) {
  for (int i = f->first + 1; i < f->last && !r->failed; i++)
    if (metal_begins_statement(r, i) && metal_is_word(r, i) && metal_is_pointer_declared(r, i))
      metal_look_at_pointer(r, i, metal_semicolon(r, i));
}
// `threadgroup float a[4], b;` at a statement's beginning, behind alignas and const, not a pointer's: the word's token;
// 0: it is none.
static int metal_is_shared(const metal_reading *r, int at) {
  int word = at;
  if (!metal_begins_statement(r, at)) return 0;
  while (metal_is(r, word, "alignas") || metal_is(r, word, "const"))
    word = (metal_is(r, word, "alignas") ? metal_closing(r, word + 1) : word) + 1;
  if (!metal_is(r, word, "threadgroup") || metal_pointer_to(r, word, metal_semicolon(r, word))) return 0;
  return word;
}
// Behind the declaration's end: names its variables to the executor.
static void metal_put_shared(metal_text *out, const metal_reading *r, int first, int end) {
  for (int i = first; i < end; i++) {
    if (metal_is(r, i, "<")) { i = metal_closing_angle(r, i); continue; }
    const int name = metal_is_word(r, i) &&
                     (metal_is(r, i + 1, "[") || metal_is(r, i + 1, ",") || metal_is(r, i + 1, ";"));
    if (name) metal_print(out, " METAL_DECLARED(%.*s)", r->token[i].n, r->token[i].at);
    while (name && metal_is(r, i + 1, "[")) i = metal_closing(r, i + 1);
  }
}
// Swizzles: what stands behind a point and is letters of one set alone.
static void metal_note_swizzle(metal_reading *r, const metal_token *t) {
  static const char *const sets[] = {"xyzw", "rgba"};
  char member[80], find[16];
  if (t->n < 2 || t->n > 4) return;
  for (int set = 0; set < 2; set++) {
    int lanes[4], most = 0, i = 0;
    for (; i < t->n; i++) {
      const char *letter = strchr(sets[set], t->at[i]);
      if (!letter) break;
      lanes[i] = (int)(letter - sets[set]);
      if (lanes[i] > most) most = lanes[i];
    }
    if (i < t->n) continue;
    snprintf(find, sizeof find, "(%.*s,", t->n, t->at);
    int n = snprintf(member, sizeof member, "METAL_SWIZZLE%s", find);
    for (i = 0; i < t->n; i++)
      n += snprintf(member + n, sizeof member - (size_t)n, "%d%s", lanes[i], i + 1 < t->n ? "," : ") ");
    for (int size = most < 2 ? 2 : most + 1; size <= 4; size++)
      if (!r->swizzles[size - 2].data || !strstr(r->swizzles[size - 2].data, find))
        metal_put(&r->swizzles[size - 2], member, (size_t)n);
  }
}

// As many spaces, in as many lines; lines that say where they come from stay.
static void metal_put_blank(metal_text *out, const char *from, const char *to) {
  for (int line = 0, begins = 0; from < to; begins = *from++ == '\n') {
    if (begins) line = *from == '#';
    metal_put(out, line || *from == '\n' ? from : " ", 1);
  }
}
// The text again, without attributes; each token keeps its place.
static void metal_write_text(metal_reading *r, const char *source) {
  const char *from = source;
  for (int i = 0, f = 0; i < r->n; i++) {
    const metal_token *t = &r->token[i];
    metal_put(&r->text, from, (size_t)(t->at - from));
    from = t->at;
    if (t->kind == METAL_ENDS) break;
    while (f < r->functions && (r->function[f].begin < i || !r->function[f].is_dropped)) f++;
    const int is_dropped = f < r->functions && r->function[f].begin == i;
    if (metal_is_attribute(r, i) || is_dropped) {
      const int end = is_dropped ? r->function[f].last : metal_closing(r, i);
      const char *to = r->token[end].at + r->token[end].n;
      if (metal_ends(r, end)) { metal_refuse(r, i, "expected ']'"); return; }
      metal_put_blank(&r->text, from, to);
      from = to;
      i = end;
      continue;
    }
    if (t->kind == METAL_WORD_TOKEN && (metal_is(r, i - 1, ".") || metal_is(r, i - 1, "->"))) metal_note_swizzle(r, t);
    const int word = i ? metal_is_shared(r, i) : 0;
    if (word) {
      const int end = metal_semicolon(r, word);
      metal_put(&r->text, from, (size_t)(r->token[word].at - from));
      metal_put(&r->text, "metal_group", 11);
      from = r->token[word].at + 11;
      metal_put(&r->text, from, (size_t)(r->token[end].at + 1 - from));
      from = r->token[end].at + 1;
      metal_put_shared(&r->text, r, word + 1, end);
      i = end;
      continue;
    }
    metal_put(&r->text, t->at, (size_t)t->n);
    from = t->at + t->n;
  }
}

// ** the whole **

// A declaration that begins at token `at` of a namespace or a type; the token behind it, or its body's first.
static int metal_read_declaration(metal_reading *r, int at) {
  int is_template = 0, end = at;
  const int head = metal_skip_head(r, at, &is_template);
  while (!metal_ends(r, end) && !metal_is(r, end, ";") && !metal_is(r, end, "{"))
    end = (metal_is(r, end, "(") || metal_is(r, end, "[") ? metal_closing(r, end) : end) + 1;
  if (metal_ends(r, end)) return r->n - 1;
  if (metal_is(r, end, ";")) {
    if (metal_is(r, at, "template") && !is_template) metal_add_instance(r, at, end);
    return end + 1;
  }
  const int open = metal_parameters(r, head, end);
  if (open > 0 && metal_is_word(r, open - 1)) {
    metal_add_function(r, at, head, open, end, is_template);
    return metal_closing(r, end) + 1;
  }
  const int is_space = metal_is(r, head, "namespace");
  const int is_type = metal_is(r, head, "struct") || metal_is(r, head, "class") || metal_is(r, head, "union");
  if ((is_space || is_type) && r->deep < METAL_DEEP) {
    memset(&r->space[r->deep], 0, sizeof r->space[0]);
    if (metal_is_word(r, head + 1)) r->space[r->deep] = metal_word_of(r, head + 1);
    r->is_type[r->deep] = is_type;
    r->deep++;
    return end + 1;
  }
  return metal_closing(r, end) + 1;        // an enum, an initial value, an operator
}

static void metal_write_entries(metal_reading *r);

// 0: the log says what is refused.
static int metal_read(metal_reading *r, const char *expanded) {
  memset(r, 0, sizeof *r);
  metal_tokens(r, expanded);
  metal_look_for_words(r);
  for (int i = 0; !metal_ends(r, i) && !r->failed; ) {
    if (metal_is(r, i, "}")) { r->deep -= r->deep > 0; i++; continue; }
    if (metal_is(r, i, ";")) { i++; continue; }
    const int next = metal_read_declaration(r, i);
    i = next > i ? next : i + 1;
  }
  unsigned char *seen = (unsigned char *)calloc(1, (size_t)r->functions + 1);
  for (int i = 0; i < r->functions && !r->failed; i++) {
    metal_look_at_body(r, &r->function[i]);
    if (!seen[i] && !r->failed) metal_look_for_circle(r, i, seen);
  }
  free(seen);
  if (!r->failed) metal_write_text(r, expanded);
  if (!r->failed) metal_write_entries(r);
  return !r->failed;
}
static void metal_read_free(metal_reading *r) {
  free(r->token); free(r->kernel); free(r->function);
  free(r->text.data); free(r->entries.data); free(r->log.data);
  for (int i = 0; i < 3; i++) free(r->swizzles[i].data);
}

// ** calls of kernels **

static const struct { const char *attribute; int place; } metal_places[] = {
  {"thread_position_in_grid", METAL_THREAD_IN_GRID}, {"thread_position_in_threadgroup", METAL_THREAD_IN_GROUP},
  {"threadgroup_position_in_grid", METAL_GROUP_IN_GRID}, {"threads_per_threadgroup", METAL_THREADS_PER_GROUP},
  {"dispatch_threads_per_threadgroup", METAL_THREADS_PER_GROUP}, {"threadgroups_per_grid", METAL_GROUPS_PER_GRID},
  {"threads_per_grid", METAL_THREADS_PER_GRID}, {"thread_index_in_threadgroup", METAL_INDEX_IN_GROUP},
  {"thread_index_in_simdgroup", METAL_INDEX_IN_SIMD}, {"simdgroup_index_in_threadgroup", METAL_SIMD_IN_GROUP},
  {"threads_per_simdgroup", METAL_THREADS_PER_SIMD}, {"thread_execution_width", METAL_THREADS_PER_SIMD},
  {"simdgroups_per_threadgroup", METAL_SIMDS_PER_GROUP}, {"dispatch_simdgroups_per_threadgroup", METAL_SIMDS_PER_GROUP},
  {"thread_index_in_quadgroup", METAL_INDEX_IN_QUAD}, {"quadgroup_index_in_threadgroup", METAL_QUAD_IN_GROUP},
};
static int metal_has(const metal_reading *r, int first, int last, const char *word) {
  for (int i = first; i < last; i++) if (metal_is(r, i, word)) return 1;
  return 0;
}
// The attribute of a parameter: its first word; -1: it has none.
static int metal_attribute_of(const metal_reading *r, int first, int last) {
  for (int i = first; i < last; i++) if (metal_is_attribute(r, i)) return i + 2;
  return -1;
}

// Indices of buffers that kernel k says, bits of a word: those that say none have the least that is left, in order.
static unsigned metal_taken(const metal_reading *r, const metal_kernel_read *k) {
  unsigned taken = 0;
  for (int i = k->first; i < k->last; i++) {
    if (!metal_is_attribute(r, i) || !metal_is(r, i + 2, "buffer")) continue;
    if (!metal_is(r, i + 3, "(") || !metal_is(r, i + 5, ")")) continue;
    const int index = atoi(r->token[i + 4].at);
    if (index >= 0 && index < 31) taken |= 1u << index;
  }
  return taken;
}
static int metal_take(unsigned *taken) {
  int i = 0;
  while (i < 31 && *taken >> i & 1) i++;
  *taken |= 1u << i;
  return i;
}
// Parameter n of kernel k: what the call gives it, and a row of the table if it is bound.
static void metal_write_parameter(metal_reading *r, const metal_kernel_read *k, int n, int first, int last,
                                  unsigned *taken, metal_text *call, metal_text *table) {
  const int attribute = metal_attribute_of(r, first, last), pointer = metal_pointer_to(r, first, last);
  const int has_index = attribute >= 0 && metal_is(r, attribute + 1, "(");
  metal_text type = {NULL, 0, 0}, index = {NULL, 0, 0};
  metal_print(&type, "typename metal_parameter<%d, decltype(&%s)>::type", n, k->call.text);
  if (has_index) metal_put_tokens(&index, r, attribute + 2, metal_closing(r, attribute + 1));
  metal_print(call, n ? ", " : "");
  if (pointer == 1 && (attribute < 0 || metal_is(r, attribute, "buffer") || metal_is(r, attribute, "threadgroup"))) {
    const int shared = metal_has(r, first, last, "threadgroup") && !(has_index && metal_is(r, attribute, "buffer"));
    const int constant = metal_has(r, first, last, "constant");
    if (!has_index) metal_print(&index, "%d", shared ? 0 : metal_take(taken));
    metal_print(call, "metal_bound<%s>::of(m->%s[%s])", type.data, shared ? "group_memory" : "buffer", index.data);
    metal_print(table, "{%s, %s, metal_bound<%s>::writes, metal_bound<%s>::element}, ",
                shared ? "METAL_THREADGROUP" : constant ? "METAL_CONSTANT" : "METAL_BUFFER",
                index.data, type.data, type.data);
  } else if (attribute < 0) {
    metal_refuse(r, first, "invalid type for input declaration in a kernel function: it has no attribute");
  } else {
    size_t i = 0;
    while (i < sizeof metal_places / sizeof *metal_places && !metal_is(r, attribute, metal_places[i].attribute)) i++;
    if (i < sizeof metal_places / sizeof *metal_places)
      metal_print(call, "metal_number<%s>::of(m->place[%d])", type.data, metal_places[i].place);
    else if (metal_is(r, attribute, "texture") && has_index) {
      metal_print(call, "metal_textured<%s>::of(m->texture[%s])", type.data, index.data);
      metal_print(table, "{METAL_TEXTURE, %s, metal_textured<%s>::type::writes, 0}, ", index.data, type.data);
    } else if (metal_is(r, attribute, "sampler"))
      metal_refuse(r, attribute, "kernels with samplers are not executed here");
    else metal_refuse(r, attribute, "unknown attribute '%s' ignored", metal_word_of(r, attribute).text);
  }
  free(type.data); free(index.data);
}
// What [[max_total_threads_per_threadgroup(..)]] says, as text.
static void metal_write_most(metal_text *out, const metal_reading *r, const metal_kernel_read *k) {
  for (int i = k->head; i < k->first; i++)
    if (metal_is(r, i, "max_total_threads_per_threadgroup") && metal_is(r, i + 1, "(")) {
      metal_put_tokens(out, r, i + 1, metal_closing(r, i + 1) + 1);
      return;
    }
  metal_print(out, "0");
}
static void metal_write_entries(metal_reading *r) {
  metal_text table = {NULL, 0, 0}, *out = &r->entries;
  for (int i = 0; i < r->kernels && !r->failed; i++) {
    const metal_kernel_read *k = &r->kernel[i];
    metal_text call = {NULL, 0, 0}, row = {NULL, 0, 0};
    unsigned taken = metal_taken(r, k);
    int n = 0;
    if (k->is_template) continue;
    for (int at = k->first; at < k->last; at = metal_comma(r, at, k->last) + 1)
      metal_write_parameter(r, k, n++, at, metal_comma(r, at, k->last), &taken, &call, &row);
    metal_print(out, "#line %d \"program_source\"\n", r->token[k->head].line);
    metal_print(out, "static void metal_call_%d(const metal_item *m) { %s(", i, k->call.text);
    metal_put(out, call.data ? call.data : "", call.n);
    metal_print(out, "); } static const metal_argument metal_arguments_%d[] = {", i);
    metal_put(out, row.data ? row.data : "", row.n);
    metal_print(out, "{}};\n");
    metal_print(&table, "  {\"%s\", \"%s\", metal_call_%d, metal_arguments_%d, "
                "int(sizeof metal_arguments_%d / sizeof(metal_argument)) - 1, int(", k->host.text, k->plain.text,
                i, i, i);
    metal_write_most(&table, r, k);
    metal_print(&table, ")},\n");
    free(call.data); free(row.data);
  }
  metal_print(out, "#line 1 \"metal_records\"\nextern \"C\" const metal_record metal_records[] = {\n");
  metal_put(out, table.data ? table.data : "", table.n);
  metal_print(out, "  {}\n};\n");
  free(table.data);
}
