// amd_flow: what holds at each line of a list, over all ways that lead there; and a list that is written anew with it.
//
// In:  a list whose registers are real, a state of a pass, of bytes, all 0 where the kernel begins. Out: the states at
//      labels, at which nothing changes any more; then the list, with what the pass puts in front of its lines.
// Holds: step changes the state by a line, and is called with the same line and state in the last walk, in which it
//      may put lines in front (tn_amd_flow_put); join makes `to` hold of both, and only ever says more, so walks end.
// Source: Kildall, "A unified approach to global program optimization", POPL 1973.
#ifndef TN_ISA_AMD_FLOW
#define TN_ISA_AMD_FLOW
#ifndef TINY_AMALGAMATED
#include "amd_uses.c"
#endif

typedef struct tn_amd_flow tn_amd_flow;
// line, n, uses: the lines as they were; at: states of labels; has: which of them have one; passed: in this walk
struct tn_amd_flow {
  tn_amd_list *l; void *pass; size_t nbytes;
  int (*join)(void *to, const void *from);               // 1: `to` says more than before
  void (*step)(tn_amd_flow *f, void *state, int line);
  const tn_amd_line *line; int n, writes; tn_amd_uses *uses;
  char *at, *now; uint8_t *has, *passed;
};

static int tn_amd_flow_open(tn_amd_flow *f, tn_amd_list *l, size_t nbytes, void *pass) {
  const size_t labels = (size_t)l->labels + 1;
  memset(f, 0, sizeof *f);
  f->l = l; f->nbytes = nbytes; f->pass = pass; f->line = l->line; f->n = l->n;
  f->uses = (tn_amd_uses *)(void *)tn_amd_room_of(l, (size_t)l->n * sizeof *f->uses, 0);
  f->at = tn_amd_room_of(l, (labels + 1) * nbytes, 0);                         // of labels that have a state alone
  f->has = (uint8_t *)tn_amd_room(l, 2 * labels, 1);
  if (l->refused) return 0;
  f->now = f->at + labels * nbytes;
  f->passed = f->has + labels;
  for (int i = 0; i < l->n; i++) tn_amd_uses_of(&l->line[i], &f->uses[i]);
  return 1;
}
// Nothing is known of labels.
static void tn_amd_flow_forget(tn_amd_flow *f) { memset(f->has, 0, (size_t)f->l->labels); }
static char *tn_amd_flow_label(const tn_amd_flow *f, int label) { return f->at + (size_t)label * f->nbytes; }
// The state comes to a label. 1: one that the walk is past has changed.
static int tn_amd_flow_arrive(tn_amd_flow *f, int label) {
  int changed = !f->has[label];
  if (changed) memcpy(tn_amd_flow_label(f, label), f->now, f->nbytes);
  else changed = f->join(tn_amd_flow_label(f, label), f->now);
  f->has[label] = 1;
  return changed && f->passed[label];
}
static int tn_amd_goes_on(const tn_amd_line *line) {
  const int op = line->ins.op;
  return line->kind != TN_AMD_LINE_INS || (op != TN_AMD_S_BRANCH && op != TN_AMD_S_ENDPGM && op != TN_AMD_S_SETPC_B64);
}
static int tn_amd_goes_to(const tn_amd_line *line) {         // a label; -1: none
  return line->kind == TN_AMD_LINE_INS && tn_amd_is_branch(line->ins.op) && line->ins.op != TN_AMD_S_ENDPGM
       ? line->label : -1;
}
static void tn_amd_flow_copy(tn_amd_flow *f, int line) {
  if (!f->writes) return;
  tn_amd_line_again(f->l, &f->line[line]);
}
// All lines once. 1: states of labels have changed that it was past.
static int tn_amd_flow_walk(tn_amd_flow *f) {
  int changed = 0, reached = 1;
  memset(f->now, 0, f->nbytes);
  memset(f->passed, 0, (size_t)f->l->labels);
  for (int i = 0; i < f->n; i++) {
    const tn_amd_line *const line = &f->line[i];
    if (line->kind == TN_AMD_LINE_LABEL) {
      if (reached) tn_amd_flow_arrive(f, line->label);
      f->passed[line->label] = 1;
      reached = f->has[line->label];
      if (reached) memcpy(f->now, tn_amd_flow_label(f, line->label), f->nbytes);
    } else f->step(f, f->now, i);
    tn_amd_flow_copy(f, i);
    const int to = tn_amd_goes_to(line);
    if (to >= 0 && reached) changed |= tn_amd_flow_arrive(f, to);
    if (tn_amd_goes_on(line)) continue;
    reached = 0;
    memset(f->now, 0, f->nbytes);
  }
  return changed;
}
static void tn_amd_flow_settle(tn_amd_flow *f) { while (tn_amd_flow_walk(f)) continue; }
// The last walk, which writes the list. Its lines before are kept for those of the next pass.
static void tn_amd_flow_write(tn_amd_flow *f) {
  tn_amd_list *const l = f->l;
  int cap;
  tn_amd_line *const line = tn_amd_other_lines(l, l->n, &cap);
  if (!line) return;
  tn_amd_lines_are(l, line, 0, cap);
  f->writes = 1;
  tn_amd_flow_walk(f);
}
// A line in front of the one that is stepped over; NULL: nothing is written yet.
static tn_amd_line *tn_amd_flow_put(tn_amd_flow *f, int op, int n, const tn_amd_operand *o) {
  if (!f->writes) return NULL;
  tn_amd_line *const line = tn_amd_line_new(f->l, TN_AMD_LINE_INS, -1);
  line->ins.op = (uint16_t)op; line->ins.n = (uint8_t)n;
  if (n) memcpy(line->ins.o, o, (size_t)n * sizeof *o);
  return line;
}
static void tn_amd_flow_put_number(tn_amd_flow *f, int op, unsigned number) {
  const tn_amd_operand o = tn_amd_imm((int)number);
  tn_amd_flow_put(f, op, 1, &o);
}

// ** registers, numbered on: VGPRs, AGPRs, scalars by their codes **

enum { TN_AMD_FLOW_AGPR = 256, TN_AMD_FLOW_VECTORS = 512, TN_AMD_FLOW_SCALARS = 128 };
static int tn_amd_flow_vector(int kind, int reg) { return kind == TN_AMD_AGPR ? TN_AMD_FLOW_AGPR + reg : reg; }
#endif
