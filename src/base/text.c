// text: building strings and byte runs in scratch memory; strings of JSON; error messages that name shapes; debug
// lines.
#ifndef TN_BASE_TEXT
#define TN_BASE_TEXT
#ifndef TINY_AMALGAMATED
#include "hash.c"
#endif

TINY_API void tiny_bytes_add(tiny_bytes *b, const void *data, size_t nbytes) {
  if (b->n + nbytes + 1 > b->cap) {
    size_t cap = b->cap ? b->cap * 2 : 64; // a kernel's text is made of many that are short
    if (cap < b->n + nbytes + 1) cap = b->n + nbytes + 1;
    char *grown = (char *)tn_scratch_bare(b->t, cap);
    if (!grown) return;                    // in a backend
    if (b->n) memcpy(grown, b->data, b->n);
    b->data = grown; b->cap = cap;
  }
  if (nbytes && data) memcpy(b->data + b->n, data, nbytes);
  else if (nbytes) memset(b->data + b->n, 0, nbytes);
  b->n += nbytes;
  b->data[b->n] = 0;
}

static void tn_text_put(tiny_bytes *b, const char *text) { tiny_bytes_add(b, text, strlen(text)); }

static void tn_text_add_list(tiny_bytes *b, const char *format, va_list args) {
  char brief[512];
  va_list again;
  va_copy(again, args);
  const int n = tn_number_list(brief, sizeof brief, format, args);
  if (n >= 0 && (size_t)n < sizeof brief) tiny_bytes_add(b, brief, (size_t)n);
  else if (n >= 0) {
    char *big = (char *)tn_scratch(b->t, (size_t)n + 1);
    tn_number_list(big, (size_t)n + 1, format, again);
    tiny_bytes_add(b, big, (size_t)n);
  }
  va_end(again);
}

static void tn_text_add(tiny_bytes *b, const char *format, ...) TN_PRINTF(2, 3);
static void tn_text_add(tiny_bytes *b, const char *format, ...) {
  va_list args;
  va_start(args, format);
  tn_text_add_list(b, format, args);
  va_end(args);
}

// A string of its own, in scratch memory.
static const char *tn_text_of_format(tiny_ctx *t, const char *format, ...) TN_PRINTF(2, 3);
static const char *tn_text_of_format(tiny_ctx *t, const char *format, ...) {
  tiny_bytes b = {t, NULL, 0, 0};
  va_list args;
  va_start(args, format);
  tn_text_add_list(&b, format, args);
  va_end(args);
  return b.data ? b.data : "";
}

// Bytes of the valid UTF-8 sequence at p; 0: it is none (overlong, surrogate, beyond U+10FFFF, cut off).
static int tn_utf8_length(const unsigned char *p, size_t left) {
  const int n = p[0] < 0x80 ? 1 : p[0] >= 0xC2 && p[0] < 0xE0 ? 2 : (p[0] & 0xF0) == 0xE0 ? 3 :
      p[0] >= 0xF0 && p[0] < 0xF5 ? 4 : 0;
  if (!n || left < (size_t)n) return 0;
  for (int i = 1; i < n; i++) if ((p[i] & 0xC0) != 0x80) return 0;
  if ((p[0] == 0xE0 && p[1] < 0xA0) || (p[0] == 0xED && p[1] > 0x9F) || (p[0] == 0xF0 && p[1] < 0x90) ||
      (p[0] == 0xF4 && p[1] > 0x8F))
    return 0;
  return n;
}
// The character at text as it stands in a string of JSON (RFC 8259), at most 6 bytes; a byte that is no UTF-8 becomes
// U+FFFD. *used: bytes of text that it is.
static int tn_json_char(const char *text, size_t left, char *out, size_t *used) {
  const unsigned char *p = (const unsigned char *)text;
  const int n = tn_utf8_length(p, left);
  *used = n ? (size_t)n : 1;
  if (*p == '"' || *p == '\\') { out[0] = '\\'; out[1] = *text; return 2; }
  if (*p == '\n') { memcpy(out, "\\n", 2); return 2; }
  if (*p < ' ') return snprintf(out, 8, "\\u%04x", *p);
  if (!n) { memcpy(out, "\\ufffd", 6); return 6; }
  memcpy(out, text, (size_t)n);
  return n;
}
// Text as a string of JSON, with its quotes.
static void tn_json_text(tiny_bytes *b, const char *text) {
  const size_t all = strlen(text);
  char one[8];
  tn_text_put(b, "\"");
  for (size_t i = 0, used; i < all; i += used) {
    const int n = tn_json_char(text + i, all - i, one, &used);
    tiny_bytes_add(b, one, (size_t)n);
  }
  tn_text_put(b, "\"");
}

// The first n bytes of a name as they stand in a table, at out, n + 1 bytes, or NULL: what is no character, or would
// break the line, is a '?'. Returns columns: one for each character.
static int tn_text_cell(char *out, const char *name, size_t n) {
  int columns = 0;
  for (size_t i = 0, used; i < n; i += used, columns++) {
    const int utf8 = tn_utf8_length((const unsigned char *)name + i, n - i);
    used = utf8 ? (size_t)utf8 : 1;
    if (out && utf8 && (unsigned char)name[i] >= ' ' && name[i] != 0x7F) memcpy(out + i, name + i, used);
    else if (out) out[i] = '?';
  }
  if (out) out[n] = 0;
  return columns;
}
// 1,234,567
static const char *tn_text_grouped(char out[32], int64_t k) {
  char digits[24];
  const int ndigit = snprintf(digits, sizeof digits, "%lld", (long long)k);
  int n = 0;
  for (int i = 0; i < ndigit; i++) {
    if (i && (ndigit - i) % 3 == 0) out[n++] = ',';
    out[n++] = digits[i];
  }
  out[n] = 0;
  return out;
}

// What snprintf would do with n bytes of text: n; out gets what fits, ended by 0.
static size_t tn_text_give(const char *text, size_t n, char *out, size_t nbytes) {
  const size_t fits = n < nbytes ? n : nbytes - 1;
  if (!out || !nbytes) return n;
  if (fits) memcpy(out, text, fits);
  out[fits] = 0;
  return n;
}

// "(32,784)" into a caller's buffer, for messages.
static const char *tn_dims_text(char *out, size_t nbytes, int n, const int64_t *dim) {
  size_t at = (size_t)snprintf(out, nbytes, "(");
  for (int i = 0; i < n && at < nbytes; i++)
    at += (size_t)snprintf(out + at, nbytes - at, i ? ",%lld" : "%lld", (long long)dim[i]);
  if (at < nbytes) snprintf(out + at, nbytes - at, n == 1 ? ",)" : ")");
  return out;
}

static int tn_debug(const tiny_ctx *t, char letter) { return strchr(t->debug, letter) != NULL; }

// One line to the caller's log, or to stderr.
static void tn_log_list(tiny_ctx *t, const char *format, va_list args) {
  char line[2048];
  tn_number_list(line, sizeof line, format, args);
  if (t->log.fn) t->log.fn(t->log.user, line);
  else fprintf(stderr, "%s\n", line);
}
static void tn_log(tiny_ctx *t, const char *format, ...) TN_PRINTF(2, 3);
static void tn_log(tiny_ctx *t, const char *format, ...) {
  va_list args;
  va_start(args, format);
  tn_log_list(t, format, args);
  va_end(args);
}
#ifndef TINY_RUNTIME_ONLY
TINY_API int tiny_log_line(tiny_ctx *t, int letter, const char *format, ...) TN_PRINTF(3, 4);
TINY_API int tiny_log_line(tiny_ctx *t, int letter, const char *format, ...) {
  va_list args;
  if (!t || (letter && !tn_debug(t, (char)letter))) return 0;
  va_start(args, format);
  tn_log_list(t, format, args);
  va_end(args);
  return 1;
}
#endif

// Many lines, one log call each.
static void tn_log_text(tiny_ctx *t, const char *text) {
  while (*text) {
    const char *end = strchr(text, '\n');
    const int n = end ? (int)(end - text) : (int)strlen(text);
    tn_log(t, "%.*s", n, text);
    text += n + (end != NULL);
  }
}
#endif
