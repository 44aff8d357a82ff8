// amd_show: a list of machine instructions as text, with registers that are virtual: v%12 is one dword, v%12:4 are all
// four of a tuple, v%12+1 its second.
//
// In:  a list, before or behind any pass. Out: lines of the context's log, letter d.
#ifndef TN_ISA_AMD_SHOW
#define TN_ISA_AMD_SHOW
#ifndef TINY_AMALGAMATED
#include "amd_uses.c"
#include "amd_text.c"
#endif

static int tn_amd_shows_virtual(const tn_amd_line *line) {
  if (line->kind == TN_AMD_LINE_COPY) return 1;
  for (int i = 0; i < line->ins.n; i++) if (tn_amd_is_virtual(&line->ins.o[i])) return 1;
  for (int i = 0; i < line->ins.n_y; i++) if (tn_amd_is_virtual(&line->ins.y[i])) return 1;
  return 0;
}
static void tn_amd_put_virtual(tn_amd_text *t, const tn_amd_ins *ins, const tn_amd_operand *o, char what) {
  char s[32];
  if (!tn_amd_is_virtual(o)) { tn_amd_put_operand(t, ins, o, what); return; }
  const char file = o->kind == TN_AMD_VGPR ? 'v' : o->kind == TN_AMD_SGPR ? 's' : 'a';
  snprintf(s, sizeof s, "%s%c%%%d", o->neg ? "-" : "", file, o->reg - TN_AMD_VIRTUAL);
  tn_amd_put(t, s);
  if (o->sub) { snprintf(s, sizeof s, "+%d", o->sub); tn_amd_put(t, s); }
  if (o->dwords != 1) { snprintf(s, sizeof s, ":%d", o->dwords); tn_amd_put(t, s); }
}
static void tn_amd_put_virtual_operands(tn_amd_text *t, const tn_amd_ins *ins) {
  const tn_amd_form form = tn_amd_form_of(ins->op, ins->family);
  for (int i = 0, n = 0; i < ins->n; i++) {
    const tn_amd_operand *const o = &ins->o[i];
    if (o->kind == TN_AMD_NONE) continue;
    tn_amd_put(t, n++ ? ", " : " ");
    if (o->kind == TN_AMD_OFF) tn_amd_put(t, "off");
    else if (o->kind == TN_AMD_NUMBER) tn_amd_put_int(t, (long)(int16_t)o->value);
    else tn_amd_put_virtual(t, ins, o, i < form.n ? form.operands[2 * i + 1] : '1');
  }
}
// A line, without its end, of at most cap - 1 bytes and a 0.
static void tn_amd_line_text(const tn_amd_line *line, char *out, size_t cap) {
  tn_amd_text t = {out, 0, cap};
  const tn_amd_ins *const ins = &line->ins;
  size_t n;
  if (line->kind == TN_AMD_LINE_LABEL) snprintf(out, cap, "L%d:", (int)line->label);
  else if (line->kind == TN_AMD_LINE_LOOP) snprintf(out, cap, "loop of %d", (int)line->times);
  else if (line->kind == TN_AMD_LINE_LOOP_END) snprintf(out, cap, "end of loop");
  else if (line->kind == TN_AMD_LINE_INS && line->label >= 0 && tn_amd_is_branch(ins->op)) {
    const char *const name = tn_amd_name(ins->op, ins->family, &n);
    snprintf(out, cap, "%.*s L%d", (int)n, name, (int)line->label);
  } else if (!tn_amd_shows_virtual(line)) tn_amd_print(ins, out, cap);
  else {
    const char *const name = line->kind == TN_AMD_LINE_COPY ? "copy" : tn_amd_name(ins->op, ins->family, &n);
    tn_amd_put_n(&t, name, line->kind == TN_AMD_LINE_COPY ? 4 : n);
    tn_amd_put_virtual_operands(&t, ins);
    out[t.n < cap ? t.n : cap - 1] = 0;
  }
}
static void tn_amd_show(const tn_amd_list *l, const char *title) {
  if (!tiny_log_line(l->t, 'd', "%s: %d lines", title, l->n)) return;
  for (int i = 0; i < l->n; i++) {
    char text[400];
    tn_amd_line_text(&l->line[i], text, sizeof text);
    tiny_log_line(l->t, 'd', "%s%s", l->line[i].kind == TN_AMD_LINE_LABEL ? "" : "  ", text);
  }
}
#endif
