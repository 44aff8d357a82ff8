// wording: how opts are said: as text, and by heuristics, with ranges and nodes for numbers.
//
// In:  opts; text; a kernel's state with ranges and nodes of it. Out: text; opts; the kernel with an opt applied.
// Holds: what is printed can be parsed back. A heuristic that says an illegal opt changes nothing.
#ifndef TN_CODEGEN_WORDING
#define TN_CODEGEN_WORDING
#ifndef TINY_AMALGAMATED
#include "opts.c"
#endif

// ** as text: "SPLIT 0:4, LANE 1:16"; "-": no opts **

enum { TN_OPT_TEXT = 96, TN_SCHEDULE_TEXT = TN_SCHEDULE_OPTS * TN_OPT_TEXT };

static void tn_opt_print(tiny_bytes *out, const tn_opt *o) {
  const int has = tn_opt_kinds[o->kind].has;
  tn_text_add(out, "%s", tn_opt_kinds[o->kind].name);
  if (has & TN_OPT_HAS_OPERAND) tn_text_add(out, " %s.%d", tn_ops[o->op].name, o->number);
  if (has & TN_OPT_HAS_UNIT) tn_text_add(out, " .%d", o->number);
  for (int i = 0; i < o->naxes; i++) {
    if (o->axis[i] < 0) tn_text_add(out, " _");
    else tn_text_add(out, " %d", o->axis[i]);
  }
  if (o->amount) tn_text_add(out, ":%lld", (long long)o->amount);
  if (has & TN_OPT_HAS_SPACE) tn_text_add(out, " @%s", tn_space_names[o->space]);
}
static void tn_schedule_print(tiny_bytes *out, const tn_schedule *s) {
  if (!s->n) tn_text_add(out, "-");
  for (int i = 0; i < s->n; i++) {
    if (i) tn_text_add(out, ", ");
    tn_opt_print(out, &s->opt[i]);
  }
}

// A number at *text, which moves on; -1: there is none, or it is too large.
static int64_t tn_opt_number(const char **text, int64_t most) {
  int64_t n = 0;
  if (**text < '0' || **text > '9') return -1;
  for (; **text >= '0' && **text <= '9'; ++*text) if ((n = n * 10 + **text - '0') > most) return -1;
  return n;
}
// The word at *text among those of n rows, which moves on; -1: none of them. words: of the first row.
static int tn_opt_word(const char **text, const char *const *words, size_t row_nbytes, int n) {
  size_t length = 0;
  while (((*text)[length] | 32) >= 'a' && ((*text)[length] | 32) <= 'z') length++;
  while (length && (*text)[length] >= '0' && (*text)[length] <= '9') length++;
  for (int i = 0; i < n; i++) {
    const char *word = *(const char *const *)(const void *)((const char *)words + (size_t)i * row_nbytes);
    if (strlen(word) == length && !memcmp(word, *text, length)) { *text += length; return i; }
  }
  return -1;
}

static int tn_opt_parse(const char **text, tn_opt *o) {
  memset(o, 0, sizeof *o);
  int64_t n = tn_opt_word(text, &tn_opt_kinds[0].name, sizeof *tn_opt_kinds, TN_OPT_KINDS);
  if (n < 0) return 0;
  o->kind = (uint8_t)n;
  const int has = tn_opt_kinds[o->kind].has;
  if (has & (TN_OPT_HAS_OPERAND | TN_OPT_HAS_UNIT)) {
    if (*(*text)++ != ' ') return 0;
    n = has & TN_OPT_HAS_OPERAND ? tn_opt_word(text, &tn_ops[0].name, sizeof *tn_ops, TINY_OP_COUNT) : 0;
    if (n < 0 || *(*text)++ != '.') return 0;
    o->op = (uint8_t)n;
    n = tn_opt_number(text, INT16_MAX);
    if (n < 0) return 0;
    o->number = (int16_t)n;
  }
  while (**text == ' ' && (*text)[1] != '@') {
    ++*text;
    if (o->naxes == tn_opt_kinds[o->kind].most) return 0;
    n = -1;
    if (**text == '_') ++*text;
    else if ((n = tn_opt_number(text, TN_KERNEL_AXES)) < 0) return 0;
    o->axis[o->naxes++] = (int16_t)n;
  }
  if (o->naxes < tn_opt_kinds[o->kind].least) return 0;
  if (has & TN_OPT_HAS_AMOUNT && **text == ':') {
    ++*text;
    o->amount = tn_opt_number(text, INT64_MAX / 16);
    if (o->amount < 1) return 0;
  }
  if (has & TN_OPT_HAS_SPACE) {
    if ((*text)[0] != ' ' || (*text)[1] != '@') return 0;
    *text += 2;
    n = tn_opt_word(text, tn_space_names, sizeof *tn_space_names, 3);
    if (n < 0) return 0;
    o->space = (uint8_t)n;
  }
  return 1;
}

// 1: text is a schedule.
static int tn_schedule_parse(const char *text, tn_schedule *s) {
  memset(s, 0, sizeof *s);
  if (!strcmp(text, "-")) return 1;
  for (;;) {
    if (s->n == TN_SCHEDULE_OPTS || !tn_opt_parse(&text, &s->opt[s->n])) return 0;
    s->n++;
    if (!*text) return 1;
    if (*text++ != ',' || *text++ != ' ') return 0;
  }
}

// ** how heuristics say it: with ranges and nodes for numbers **

static int tn_do(tn_kernel_state *s, const tn_opt *o) {
  if (tn_opt_apply(s, o)) return 1;
  if (!TN_VERIFY_PASSES && !tn_debug(s->t, 'o')) return 0;
  tiny_bytes text = {s->t, NULL, 0, 0};
  tn_opt_print(&text, o);
  if (TN_VERIFY_PASSES) tiny_fail(s->t, TINY_E_INTERNAL, "an illegal opt was chosen: %s", text.data);
  else tn_log(s->t, "an opt that is not legal was left out: %s", text.data);
  return 0;
}

static tn_opt tn_opt_of(const tn_kernel_state *s, int kind, int n, tiny_uop *const *axes, int64_t amount) {
  tn_opt o;
  memset(&o, 0, sizeof o);
  o.kind = (uint8_t)kind; o.naxes = (uint8_t)n; o.amount = amount;
  for (int i = 0; i < n; i++) o.axis[i] = (int16_t)(axes[i] ? tn_axis_of(s, axes[i]) : -1);
  return o;
}
static void tn_opt_set_operand(tn_kernel_state *s, tn_opt *o, const tiny_uop *x) {
  const tn_list all = tn_kernel_collect(s, x->op);
  o->op = x->op; o->number = -1;
  for (int i = 0; i < all.n && i < INT16_MAX; i++) if (all.u[i] == x) o->number = (int16_t)i;
}

// A part of r of extent f, as the kind has it, is returned; *rest (may be NULL) is what is left, NULL: nothing.
static tiny_uop *tn_do_split(tn_kernel_state *s, int kind, tiny_uop *r, int64_t f, tiny_uop **rest) {
  const int64_t n = tn_range_extent(r), covered = tn_range_kind(r) == TN_REDUCE ? n - n % f : n;
  const int number = tn_axis_of(s, r), part = s->naxes;
  if (rest) *rest = NULL;
  if (f == n && kind == TN_OPT_SPLIT) return r;
  const tn_opt o = tn_opt_of(s, kind, 1, &r, f == n ? 0 : f);
  if (!tn_do(s, &o)) return r;
  if (covered == f) return s->axis[number];
  if (rest) *rest = s->axis[number];
  return s->axis[part];
}
// All of r, as the kind has it.
static tiny_uop *tn_do_kind(tn_kernel_state *s, int kind, tiny_uop *r) {
  return tn_do_split(s, kind, r, tn_range_extent(r), NULL);
}
static tiny_uop *tn_do_pad(tn_kernel_state *s, tiny_uop *r, int64_t m) {
  const int number = tn_axis_of(s, r);
  const tn_opt o = tn_opt_of(s, TN_OPT_PAD, 1, &r, m);
  return tn_range_extent(r) % m && tn_do(s, &o) ? s->axis[number] : r;
}
// NULL: it is not legal.
static tiny_uop *tn_do_fuse(tn_kernel_state *s, tiny_uop *a, tiny_uop *b) {
  tiny_uop *axes[2] = {a, b};
  const int number = tn_axis_of(s, a);
  const tn_opt o = tn_opt_of(s, TN_OPT_FUSE, 2, axes, 0);
  return tn_opt_apply(s, &o) ? s->axis[number] : NULL;
}
static void tn_do_swap(tn_kernel_state *s, tiny_uop *a, tiny_uop *b) {
  tiny_uop *axes[2] = {a, b};
  const tn_opt o = tn_opt_of(s, TN_OPT_SWAP, 2, axes, 0);
  tn_do(s, &o);
}
static void tn_do_order(tn_kernel_state *s, int n, tiny_uop *const *axes) {
  const tn_opt o = tn_opt_of(s, TN_OPT_ORDER, n, axes, 0);
  tn_do(s, &o);
}
// The ranges of the copy, in the order of inner[0..n-1], are returned; NULL: it is not legal, or there is no room.
static tiny_uop **tn_do_stage(tn_kernel_state *s, tiny_uop *x, int n, tiny_uop *const *inner, int64_t pad) {
  tn_opt o = tn_opt_of(s, TN_OPT_STAGE, n, inner, pad);
  const int first = s->naxes;
  if (!tn_opt_has_room(s, x, n, inner, pad)) return NULL;
  tn_opt_set_operand(s, &o, x);
  o.space = TN_SPACE_LOCAL;
  return tn_do(s, &o) ? &s->axis[first] : NULL;
}
static void tn_do_prefetch(tn_kernel_state *s, tiny_uop *load, tiny_uop *rows, int64_t ahead) {
  tn_opt o = tn_opt_of(s, TN_OPT_PREFETCH, 1, &rows, ahead);
  tn_opt_set_operand(s, &o, load);
  tn_do(s, &o);
}
static int tn_do_group(tn_kernel_state *s, tiny_uop *reduce, tiny_uop *r, int64_t g) {
  tn_opt o = tn_opt_of(s, TN_OPT_GROUP, 1, &r, g);
  tn_opt_set_operand(s, &o, reduce);
  return tn_do(s, &o);
}
// These may be illegal: then they are not wanted either.
static int tn_do_reuse(tn_kernel_state *s, tiny_uop *rows) {
  const tn_opt o = tn_opt_of(s, TN_OPT_REUSE, rows != NULL, &rows, 0);
  return tn_opt_apply(s, &o);
}
static int tn_do_plain(tn_kernel_state *s, int kind) {
  const tn_opt o = tn_opt_of(s, kind, 0, NULL, 0);
  return tn_opt_apply(s, &o);
}
#endif
