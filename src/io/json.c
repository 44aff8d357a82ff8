// json: a strict reader of JSON (RFC 8259) that goes through the text once, for the headers of files.
//
// In:  a source and the part of it that is JSON. Out: tokens as the caller asks for them, with strings in the caller's
//      memory; errors name the byte. Strings are valid UTF-8 without zeros; numbers that are asked for are integers.
#ifndef TN_IO_JSON
#define TN_IO_JSON
#ifndef TINY_AMALGAMATED
#include "inflate.c"
#endif

enum { TN_JSON_DEPTH = 64 };
typedef struct tn_json { const tn_source *s; size_t at, end; char *text; } tn_json;    // text: where strings go next

static int tn_json_fail(const tn_json *j, const char *what) {
  return tn_source_fail(j->s, j->at, "header", "%s", what);
}
static int tn_json_peek(tn_json *j) {      // the next character that is no space; 0: none
  while (j->at < j->end && memchr(" \t\n\r", j->s->data[j->at], 4)) j->at++;
  return j->at < j->end ? j->s->data[j->at] : 0;
}
static int tn_json_take(tn_json *j, int c) {
  if (tn_json_peek(j) == c && c) { j->at++; return 1; }
  return tn_source_fail(j->s, j->at, "header", "'%c' is missing", c);
}
// Between the members of a list that ends with c: 1 where another one follows, 0 at its end or after an error (*ok 0).
static int tn_json_more(tn_json *j, int c, int first, int *ok) {
  if (tn_json_peek(j) == c) { j->at++; return 0; }
  if (!first && !tn_json_take(j, ',')) return *ok = 0;
  return 1;
}

static int tn_json_hex(tn_json *j, unsigned *out) {
  *out = 0;
  if (j->end - j->at < 4) return tn_json_fail(j, "\\u without four digits");
  for (int i = 0; i < 4; i++, j->at++) {
    const int c = j->s->data[j->at], digit = c >= '0' && c <= '9' ? c - '0' :
        c >= 'a' && c <= 'f'                                     ? c - 'a' + 10 :
        c >= 'A' && c <= 'F'                                     ? c - 'A' + 10 :
                                                                   -1;
    if (digit < 0) return tn_json_fail(j, "\\u without four digits");
    *out = *out << 4 | (unsigned)digit;
  }
  return 1;
}
static int tn_json_utf8(tn_json *j, char **out, unsigned code) {
  char *p = *out;
  if (!code) return tn_json_fail(j, "a string with a zero in it");
  if (code < 0x80) *p++ = (char)code;
  else if (code < 0x800) { *p++ = (char)(0xC0 | code >> 6); *p++ = (char)(0x80 | (code & 63)); }
  else {
    if (code < 0x10000) *p++ = (char)(0xE0 | code >> 12);
    else { *p++ = (char)(0xF0 | code >> 18); *p++ = (char)(0x80 | (code >> 12 & 63)); }
    *p++ = (char)(0x80 | (code >> 6 & 63));
    *p++ = (char)(0x80 | (code & 63));
  }
  *out = p;
  return 1;
}
static int tn_json_escape(tn_json *j, char **out) {
  static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
  const int c = j->at < j->end ? j->s->data[j->at] : 0;
  const char *known = c ? strchr(from, c) : NULL;
  unsigned code, low;
  if (known) { j->at++; *(*out)++ = to[known - from]; return 1; }
  if (c != 'u') return tn_json_fail(j, "an unknown escape");
  j->at++;
  if (!tn_json_hex(j, &code)) return 0;
  if (code >= 0xDC00 && code < 0xE000) return tn_json_fail(j, "half of a surrogate pair");
  if (code >= 0xD800 && code < 0xDC00) {
    if (j->end - j->at < 2 || j->s->data[j->at] != '\\' || j->s->data[j->at + 1] != 'u')
      return tn_json_fail(j, "half of a surrogate pair");
    j->at += 2;
    if (!tn_json_hex(j, &low)) return 0;
    if (low < 0xDC00 || low >= 0xE000) return tn_json_fail(j, "half of a surrogate pair");
    code = 0x10000 + ((code & 0x3FF) << 10 | (low & 0x3FF));
  }
  return tn_json_utf8(j, out, code);
}
// A string, ended by 0, at j->text, which moves on behind it: never longer than in the file. NULL after an error.
static const char *tn_json_string(tn_json *j) {
  char *const begin = j->text, *out = begin;
  if (!tn_json_take(j, '"')) return NULL;
  while (j->at < j->end && j->s->data[j->at] != '"') {
    const unsigned char *p = j->s->data + j->at;
    if (*p < 0x20) { tn_json_fail(j, "a control character in a string"); return NULL; }
    if (*p == '\\') {
      j->at++;
      if (!tn_json_escape(j, &out)) return NULL;
      continue;
    }
    const int n = tn_utf8_length(p, j->end - j->at);
    if (!n) { tn_json_fail(j, "a string that is not UTF-8"); return NULL; }
    for (int i = 0; i < n; i++) *out++ = (char)p[i];
    j->at += (size_t)n;
  }
  if (j->at == j->end) { tn_json_fail(j, "a string that does not end"); return NULL; }
  j->at++;
  *out++ = 0;
  j->text = out;
  return begin;
}

// An integer from 0 to 2^63-1.
static int tn_json_integer(tn_json *j, int64_t *out) {
  tn_json_peek(j);
  const size_t begin = j->at;
  int64_t k = 0;
  for (; j->at < j->end && j->s->data[j->at] >= '0' && j->s->data[j->at] <= '9'; j->at++) {
    if (k > (INT64_MAX - 9) / 10) return tn_json_fail(j, "a number beyond 2^63");
    k = k * 10 + (j->s->data[j->at] - '0');
  }
  const size_t n = j->at - begin;
  if (!n || (n > 1 && j->s->data[begin] == '0')) {
    j->at = begin;
    return tn_json_fail(j, "not a number from 0 on");
  }
  if (j->at < j->end && memchr(".eE", j->s->data[j->at], 3)) return tn_json_fail(j, "not an integer");
  *out = k;
  return 1;
}

// Digits, at least one; 0: none.
static int tn_json_digits(tn_json *j) {
  const size_t begin = j->at;
  while (j->at < j->end && j->s->data[j->at] >= '0' && j->s->data[j->at] <= '9') j->at++;
  return j->at > begin || tn_json_fail(j, "a digit is missing");
}
static int tn_json_is(const tn_json *j, int c) { return j->at < j->end && j->s->data[j->at] == c; }
static int tn_json_number(tn_json *j) {
  if (tn_json_is(j, '-')) j->at++;
  if (tn_json_is(j, '0')) j->at++;
  else if (!tn_json_digits(j)) return 0;
  if (tn_json_is(j, '.')) { j->at++; if (!tn_json_digits(j)) return 0; }
  if (tn_json_is(j, 'e') || tn_json_is(j, 'E')) {
    j->at++;
    if (tn_json_is(j, '+') || tn_json_is(j, '-')) j->at++;
    return tn_json_digits(j);
  }
  return 1;
}
// Any value at all; what it says is not kept.
static int tn_json_skip(tn_json *j, int depth) {
  static const char *const word[3] = {"true", "false", "null"};
  const int c = tn_json_peek(j), end = c == '{' ? '}' : ']';
  char *const text = j->text;
  int ok = 1;
  if (depth == TN_JSON_DEPTH) return tn_json_fail(j, "nested too deep");
  if (c == '"') { ok = tn_json_string(j) != NULL; j->text = text; return ok; }
  if (c == '{' || c == '[') {
    j->at++;
    for (int first = 1; ok && tn_json_more(j, end, first, &ok); first = 0) {
      if (c == '{') { ok = tn_json_string(j) != NULL && tn_json_take(j, ':'); j->text = text; }
      ok = ok && tn_json_skip(j, depth + 1);
    }
    return ok;
  }
  for (int i = 0; i < 3; i++) {
    const size_t n = strlen(word[i]);
    if (j->end - j->at >= n && !memcmp(j->s->data + j->at, word[i], n)) { j->at += n; return 1; }
  }
  return c == '-' || (c >= '0' && c <= '9') ? tn_json_number(j) : tn_json_fail(j, "a value is missing");
}
#endif
