// fuzz_opts: whatever list of opts a file holds, a kernel after those that are legal has the value that it had.
//
// The first byte chooses one of the kernels of search_test.h, the second a machine and a way. As text: what parses
// prints and parses back; it is done as a list from disk is, all of it or none. As bytes: each opt is drawn from the next
// ones and done if it is legal; the list that comes of them, done again, gives the same kernel. The interpreter then
// finds the values that it finds without opts: the same bits, but for softmax. The last kernel takes seconds: not here.
// runs in make test: 300
#include "../src/all.c"
#define CHECK(x) ((x) ? (void)0 : __builtin_trap())
#define CHECK_EQ(a, b) CHECK((a) == (b))
#include "search_test.h"

enum { KERNELS = SUBJECTS - 1, MOST_OPTS = 24, MOST_NBYTES = 1 << 16 };
typedef struct input { const uint8_t *data; size_t n, at; int subject, machine, text; void *out; size_t nbytes; } input;

static int take(input *in) { return in->at < in->n ? in->data[in->at++] : 0; }

static tn_opt take_opt(input *in, const tn_kernel_state *s) {
  static const uint8_t ops[9] = {TINY_OP_LOAD, TINY_OP_REDUCE, TINY_OP_MUL, TINY_OP_ADD, TINY_OP_CAST, TINY_OP_EXP2,
    TINY_OP_MAX, TINY_OP_WHERE, TINY_OP_STAGE};
  tn_opt o;
  memset(&o, 0, sizeof o);
  o.kind = (uint8_t)(take(in) % TN_OPT_KINDS);
  const int has = tn_opt_kinds[o.kind].has, least = tn_opt_kinds[o.kind].least, most = tn_opt_kinds[o.kind].most;
  o.naxes = (uint8_t)(least == most ? least : least + take(in) % (most - least + 1));
  for (int i = 0; i < o.naxes; i++) o.axis[i] = (int16_t)(take(in) % (s->naxes + 1));
  if (o.kind == TN_OPT_MATRIX) for (int i = 0; i < o.naxes; i++) if (o.axis[i] == s->naxes) o.axis[i] = -1;
  if (has & TN_OPT_HAS_OPERAND) o.op = ops[take(in) % 9];
  if (has & (TN_OPT_HAS_OPERAND | TN_OPT_HAS_UNIT)) o.number = (int16_t)(take(in) % 4);
  if (has & TN_OPT_HAS_AMOUNT) o.amount = take(in) % 66;
  if (has & TN_OPT_HAS_SPACE) o.space = (uint8_t)(take(in) % 8 ? TN_SPACE_LOCAL : TN_SPACE_REG);
  return o;
}

static int parse_again(tiny_ctx *t, const tn_schedule *list) {
  static tn_schedule again;
  tiny_bytes text = {t, NULL, 0, 0};
  tn_schedule_print(&text, list);
  return tn_schedule_parse(text.data, &again) && !memcmp(&again, list, sizeof again);
}

static void opts_of_text(tiny_ctx *t, input *in, tn_kernel_state *s) {
  static tn_schedule list;
  char *text = (char *)tn_scratch(t, in->n - in->at + 1);
  const tn_kernel_state before = *s;
  memcpy(text, in->data + in->at, in->n - in->at);
  if (!tn_schedule_parse(text, &list)) return;
  CHECK(parse_again(t, &list));
  const int64_t serial = t->ir->serial;
  if (tn_take_schedule(s, &list)) return;
  *s = before;
  t->ir->serial = serial;
}

static void opts_of_bytes(tiny_ctx *t, input *in, tn_kernel_state *s) {
  static tn_kernel_state more;
  const tn_kernel_state first = *s;
  const int64_t serial = t->ir->serial;
  while (in->at < in->n && s->done.n < MOST_OPTS) {
    const tn_opt o = take_opt(in, s);
    const int64_t before = t->ir->serial;
    tn_cost cost;
    more = *s;
    if (tn_opt_apply(&more, &o) && tn_cost_of(t, more.sink, s->target->limits, &cost)) {
      CHECK(cost.cycles > 0);
      *s = more;
    } else t->ir->serial = before;
  }
  CHECK(parse_again(t, &s->done));
  const int64_t end = t->ir->serial;
  more = first;
  t->ir->serial = serial;
  CHECK(tn_schedule_apply(&more, &s->done) && more.sink == s->sink);
  t->ir->serial = end;
}

static tiny_code run_input(tiny_ctx *t, void *arg) {
  static tn_kernel_state s;
  input *in = (input *)arg;
  place p;
  const tn_kernel *k = kernel_of(t, subjects[in->subject].make(t), &in->nbytes);
  CHECK(k && in->nbytes <= MOST_NBYTES);
  place_at(t, &machines[in->machine], &p);
  tn_state_open(&s, t, tn_prepare(t, k->ast, &p.target), &p.target);
  if (in->text) opts_of_text(t, in, &s);
  else opts_of_bytes(t, in, &s);
  if (tn_verify(t, s.sink, TN_SPEC_KERNEL) != TINY_OK) return t->code;
  p.target.renderer = NULL;
  return run_kernel(t, k, s.sink, &p.target, in->out);
}

extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes);
extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes) {
  static char want[KERNELS][MOST_NBYTES], got[MOST_NBYTES];
  static size_t known[KERNELS];
  static tiny_ctx *t;
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = "INTERP"; d.cache_dir = "";
  if (!t) t = tiny_open(&d);
  if (nbytes < 2) return 0;
  input plain = {data, 0, 0, data[0] % KERNELS, 0, 0, NULL, 0}, in = plain;
  plain.out = want[plain.subject];
  in.n = nbytes; in.at = 2;
  in.machine = data[1] % MACHINES; in.text = data[1] >= 128;
  in.out = got;
  memset(got, 0x5A, sizeof got);
  tiny_begin(t);
  if (!known[plain.subject]) CHECK_EQ(tn_guard(t, run_input, &plain), TINY_OK);
  if (!known[plain.subject]) known[plain.subject] = plain.nbytes;
  if (tn_guard(t, run_input, &in) != TINY_OK) { fprintf(stderr, "%s\n", tiny_error(t)); CHECK(0); }
  if (!agree(want[in.subject], got, known[in.subject], subjects[in.subject].tolerance)) {
    fprintf(stderr, "other values: %s\n", subjects[in.subject].name);
    CHECK(0);
  }
  CHECK_EQ(tiny_end(t), TINY_OK);
  return 0;
}
