// metal_mock_text: what a kernel's text uses, of the mock of Metal: whether it or a function that it calls has
// simdgroup matrices or SIMD-scoped calls, which not every GPU has.
//
// In: MSL that compiled, as macros expand to it by the compiler's -E, and a kernel's name. Out: bits of MOCK_MATRICES
//     and MOCK_LANES.
// Holds: functions that the kernel doesn't call mean nothing, as a compiler's back end never sees them.
#import "metal_mock_state.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct mock_function_text {
  const char *begin, *end, *name;
  size_t length;                             // of the name
  int uses;
} mock_function_text;
typedef struct mock_texts { mock_function_text *list; int count, capacity; } mock_texts;

static int mock_word_char(char c) { return isalnum((unsigned char)c) || c == '_'; }

// Past what is neither code nor word at p: a comment, a string, else one character.
static const char *mock_text_skip(const char *p) {
  const char *end = NULL;
  if (!strncmp(p, "//", 2)) end = strchr(p, '\n');
  else if (!strncmp(p, "/*", 2)) { end = strstr(p + 2, "*/"); if (end) return end + 2; }
  else if (*p == '"') {
    for (end = p + 1; *end && *end != '"'; end++) if (*end == '\\' && end[1]) end++;
    return *end ? end + 1 : end;
  } else return p + 1;
  return end ? end : p + strlen(p);
}

// The name before the first parenthesis that is no attribute's; an empty one: it is no function.
static void mock_text_name(mock_function_text *f, const char *p, const char *end) {
  for (int attribute = 0; p < end; p = mock_text_skip(p)) {
    attribute += (*p == '[') - (*p == ']');
    if (*p != '(' || attribute) continue;
    const char *last = p;
    while (last > f->begin && isspace((unsigned char)last[-1])) last--;
    f->name = last;
    while (f->name > f->begin && mock_word_char(f->name[-1])) f->name--;
    f->length = (size_t)(last - f->name);
    return;
  }
}

// Top-level braces are functions, or types, which nobody calls.
static mock_texts mock_text_functions(const char *text) {
  mock_texts t = { NULL, 0, 0 };
  const char *begin = text, *open = NULL;
  int depth = 0;
  for (const char *p = text; *p; p = mock_text_skip(p)) {
    if (*p == '{' && !depth++) open = p;
    if (*p == ';' && !depth) begin = p + 1;
    if (*p != '}' || !depth || --depth) continue;
    t.list = mock_grow(t.list, t.count, &t.capacity, sizeof *t.list);
    mock_function_text *f = &t.list[t.count++];
    *f = (mock_function_text){ .begin = begin, .end = p + 1, .name = begin };
    mock_text_name(f, begin, open);
    begin = p + 1;
  }
  return t;
}

static int mock_text_word(const mock_function_text *f, const char *word, size_t length, int whole) {
  for (const char *p = f->begin; p + length <= f->end; p = mock_word_char(*p) ? p + 1 : mock_text_skip(p))
    if (!memcmp(p, word, length) && (p == f->begin || !mock_word_char(p[-1])) &&
        (!whole || p + length == f->end || !mock_word_char(p[length]))) return 1;
  return 0;
}

static int mock_text_uses(const mock_function_text *f) {
  static const struct { const char *beginning; int use; } words[] = {
    { "simdgroup_matrix", MOCK_MATRICES }, { "simdgroup_float8x8", MOCK_MATRICES },
    { "simdgroup_half8x8", MOCK_MATRICES }, { "simdgroup_bfloat8x8", MOCK_MATRICES },
    { "simdgroup_multiply", MOCK_MATRICES }, { "simdgroup_load", MOCK_MATRICES },
    { "simd_sum", MOCK_LANES }, { "simd_shuffle", MOCK_LANES }, { "simd_max", MOCK_LANES },
    { "simd_min", MOCK_LANES }, { "simd_broadcast", MOCK_LANES }, { "simd_product", MOCK_LANES },
    { "simd_prefix", MOCK_LANES }, { "simd_and", MOCK_LANES }, { "simd_or", MOCK_LANES }, { "simd_xor", MOCK_LANES },
    { "quad_", MOCK_LANES },
  };
  int uses = 0;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (mock_text_word(f, words[i].beginning, strlen(words[i].beginning), 0)) uses |= words[i].use;
  return uses;
}

// The text without macros, allocated; as it is where no compiler can be asked. Headers are left out: they are the
// language's own.
static char *mock_text_expanded(const char *text, int version) {
  char path[] = "/tmp/metal_mock_XXXXXX", command[256];
  const int file = mkstemp(path);
  FILE *in = file < 0 ? NULL : fdopen(file, "w");
  for (const char *line = text, *end; in && *line; line = end) {
    end = line + strcspn(line, "\n");
    end += *end == '\n';
    const char *word = line + strspn(line, " \t");
    if (strncmp(word, "#include", 8)) fwrite(line, 1, (size_t)(end - line), in); else fputc('\n', in);
  }
  if (!in || fclose(in) || !metal_kernel_compiler()) return strdup(text);
  snprintf(command, sizeof command, "%s -E -P -x c++ -D__METAL_VERSION__=%d %s 2>/dev/null", metal_kernel_compiler(),
           version, path);
  FILE *out = popen(command, "r");
  char *expanded = NULL;
  int length = 0, capacity = 0;
  for (int c; out && (c = fgetc(out)) != EOF;) {
    expanded = mock_grow(expanded, length, &capacity, 1);
    expanded[length++] = (char)c;
  }
  if (out) pclose(out);
  unlink(path);
  if (!length) return strdup(text);
  expanded = mock_grow(expanded, length, &capacity, 1);
  expanded[length] = 0;
  return expanded;
}

int mock_text_kernel(const char *source, int version, const char *kernel) {
  if (!strstr(source, "simd") && !strstr(source, "quad_")) return 0;
  char *text = mock_text_expanded(source, version);
  mock_texts t = mock_text_functions(text);
  int uses = 0;
  for (int i = 0; i < t.count; i++) t.list[i].uses = mock_text_uses(&t.list[i]);
  // What is called stands before its callers: once through the list is all.
  for (int i = 0; i < t.count; i++)
    for (int k = 0; k < i; k++)
      if (t.list[k].uses & ~t.list[i].uses && t.list[k].length &&
          mock_text_word(&t.list[i], t.list[k].name, t.list[k].length, 1)) t.list[i].uses |= t.list[k].uses;
  for (int i = 0; i < t.count; i++)
    if (t.list[i].length == strlen(kernel) && !memcmp(t.list[i].name, kernel, t.list[i].length)) uses |= t.list[i].uses;
  free(t.list);
  free(text);
  return uses;
}
