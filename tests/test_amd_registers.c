// Registers of AMD's GPUs: lists of instructions with virtual registers, by hand and by chance, are executed by a small
// machine as they are, and again with the registers that they were given: what they store has to be the same. What is
// given is taken by the encoder. Copies that have to be gone, are; more values than there are registers; time.
// TEST_ROUNDS=10000: so many random lists of each family; TEST_FROM=n: from that seed on.
// brief: plain asan
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif
#include <time.h>
#include "../src/base/process.c"
#include "../src/isa/amd_parse.c"
#include "../src/isa/amd_registers.c"
#include "test.h"
#include "rnd.h"
#include "amd_virtual.h"

static tiny_ctx *open_context(tiny_ctx *t) {
  memset(t, 0, sizeof *t);
  t->alloc.fn = tn_default_alloc;
  return t;
}
static void close_context(tiny_ctx *t) { tn_scratch_reset(t, 1); }
static const tn_amd_chip *chip_of(int family) {
  for (int i = 0; i < TN_AMD_CHIPS; i++) if (tn_amd_chips[i].family == family) return &tn_amd_chips[i];
  return NULL;
}

// ** what holds of every list with registers **

static void show(const tn_amd_list *l) {
  if (!getenv("TEST_SHOW")) return;
  for (int i = 0; i < l->n; i++) {
    const tn_amd_line *const line = &l->line[i];
    static const char *const kinds[] = {"", "COPY", "LABEL", "LOOP", "LOOP_END"};
    static const char letters[] = "?vas?ccno";
    size_t n = 0;
    const char *const name = line->kind ? kinds[line->kind] : tn_amd_name(line->ins.op, l->family, &n);
    fprintf(stderr, "%4d %.*s %d", i, line->kind ? 20 : (int)n, name, line->label);
    for (int k = 0; k < line->ins.n; k++) {
      const tn_amd_operand *const o = &line->ins.o[k];
      if (!tn_amd_is_register(o)) fprintf(stderr, " #%d", (int)o->value);
      else fprintf(stderr, " %c%s%d.%d:%d", letters[o->kind], o->reg >= 1024 ? "%" : "",
                   o->reg >= 1024 ? o->reg - 1024 : o->reg, o->sub, o->dwords);
    }
    fprintf(stderr, "\n");
  }
}
static int encodes(const tn_amd_list *l) {
  for (int i = 0; i < l->n; i++) {
    uint32_t words[TN_AMD_MOST_WORDS];
    tn_amd_ins ins = l->line[i].ins;
    if (l->line[i].kind == TN_AMD_LINE_COPY) return 0;
    if (l->line[i].kind != TN_AMD_LINE_INS) continue;
    for (int k = 0; k < ins.n; k++) if (tn_amd_is_virtual(&ins.o[k])) return 0;
    int n = tn_amd_encode(l->family, &ins, words);
    ins.long_form = !n;
    if (!n) n = tn_amd_encode(l->family, &ins, words);
    char text[200];
    tn_amd_ins read;
    tn_amd_error e;
    uint32_t again[TN_AMD_MOST_WORDS];
    tn_amd_print(&ins, text, sizeof text);
    if (n && !tn_amd_broken_rule(&ins)) {
      if (l->line[i].label >= 0) continue;
      if (tn_amd_parse(l->family, text, strlen(text), &read, &e) && tn_amd_encode(l->family, &read, again) == n &&
          !memcmp(words, again, (size_t)n * sizeof *words)) continue;
    }
    fprintf(stderr, "line %d, %s: %s\n", i, text, n ? tn_amd_broken_rule(&ins) : "does not encode");
    return 0;
  }
  return 1;
}
static int named_within(const tn_amd_list *l) {
  for (int i = 0; i < l->n; i++)
    for (int k = 0; k < l->line[i].ins.n; k++) {
      const tn_amd_operand *const o = &l->line[i].ins.o[k];
      const int end = o->reg + o->dwords;
      if (o->kind == TN_AMD_VGPR && end > l->setup.vgprs) return 0;
      if (o->kind == TN_AMD_AGPR && end > l->setup.agprs) return 0;
      if (o->kind == TN_AMD_SGPR && o->reg < TN_AMD_VCC && end > l->setup.sgprs) return 0;
    }
  return 1;
}
// Allocates, after it has been executed; is executed again. 0: something is wrong.
static int check_list(tiny_ctx *t, tn_amd_list *l) {
  machine before, after;
  CHECK(!l->refused);
  run(&before, t, l, 12345);
  CHECK(!before.failed);
  CHECK(before.nstored > 0);
  show(l);
  tn_amd_allocate(l);
  CHECK(!l->refused);
  if (l->refused) { fprintf(stderr, "%s\n", l->refused); return 0; }
  show(l);
  const int coded = encodes(l), within = named_within(l);
  CHECK(coded);
  CHECK(within);
  run(&after, t, l, 987654321);
  CHECK(!after.failed);
  const int same = before.nstored == after.nstored &&
      !memcmp(before.stored, after.stored, (size_t)before.nstored * sizeof *before.stored);
  CHECK(same);
  return coded && within && same && !after.failed;
}

// ** lists by chance **

enum { MOST_VALUES = 4000, MOST_VARS = 64 };
typedef struct maker {
  tn_amd_list *l; tn_amd_operand v[MOST_VALUES], s[MOST_VALUES], var[MOST_VARS], base, address, item;
  int nv, ns, nvars, lines, held, depth;   // held: of values, one in so many is stored at the end
} maker;

static tn_amd_operand keep_v(maker *m, tn_amd_operand o) { if (m->nv < MOST_VALUES) m->v[m->nv++] = o; return o; }
static tn_amd_operand keep_s(maker *m, tn_amd_operand o) { if (m->ns < MOST_VALUES) m->s[m->ns++] = o; return o; }
static int pick(int n) { return rnd(2) ? rnd(n) : n - 1 - rnd(n < 6 ? n : 6); }
static tn_amd_operand some_s(maker *m) { return m->s[pick(m->ns)]; }
static tn_amd_operand some_v(maker *m) { return m->v[pick(m->nv)]; }
static tn_amd_operand some_source(maker *m) {
  switch (rnd(6)) {
    case 0: return tn_amd_int(rnd(40));
    case 1: return tn_amd_int(rnd(100000));
    case 2: return some_s(m);
    default: return some_v(m);
  }
}
static tn_amd_operand new_v(maker *m) { return tn_amd_new_v(m->l, 1); }
static void make_store(maker *m, tn_amd_operand o) {
  const int op = o.dwords == 4 ? TN_AMD_GLOBAL_STORE_B128 : o.dwords == 2 ? TN_AMD_GLOBAL_STORE_B64 :
      TN_AMD_GLOBAL_STORE_B32;
  tn_amd_do3(m->l, op, m->address, o, tn_amd_off());
}
// Dwords that are brought together, as for a wide store.
static tn_amd_operand make_stack(maker *m, int dwords) {
  const tn_amd_operand o = tn_amd_new_v(m->l, dwords);
  for (int k = 0; k < dwords; k++) tn_amd_copy(m->l, tn_amd_slice(o, k, 1), rnd(8) ? some_v(m) : some_source(m));
  return o;
}
static void make_matrix(maker *m) {
  const int nine = m->l->family == TN_AMD_GFX9, twelve = m->l->family == TN_AMD_GFX12;
  const int dwords = nine ? 16 : 8, ab = nine ? 2 : twelve ? 4 : 8;
  const int op = nine ? TN_AMD_V_MFMA_F32_32X32X8_F16 : TN_AMD_V_WMMA_F32_16X16X16_F16;
  const tn_amd_operand a = make_stack(m, ab), b = rnd(3) ? make_stack(m, ab) : a, c = make_stack(m, dwords);
  tn_amd_operand sum = c;
  for (int n = 1 + rnd(3); n > 0; n--) {
    const tn_amd_operand next = tn_amd_new_v(m->l, dwords);
    tn_amd_do4(m->l, op, next, a, b, rnd(8) ? sum : c);
    sum = next;
  }
  for (int k = 0; k < dwords; k += 3) keep_v(m, tn_amd_slice(sum, k, 1));
}
static void make_var(maker *m) {
  const int scalar = rnd(4) == 0, n = rnd(3) ? 1 : 4;
  if (m->nvars == MOST_VARS) return;
  const tn_amd_operand o = scalar ? tn_amd_new_s(m->l, n) : tn_amd_new_v(m->l, n);
  for (int k = 0; k < n; k++)
    tn_amd_copy(m->l, tn_amd_slice(o, k, 1), scalar ? some_s(m) : rnd(2) ? tn_amd_int(0) : some_v(m));
  m->var[m->nvars++] = o;
}
static void make_update(maker *m) {
  if (!m->nvars) return;
  const tn_amd_operand var = m->var[rnd(m->nvars)];
  const int k = rnd(var.dwords);
  const tn_amd_operand part = tn_amd_slice(var, k, 1);
  if (var.kind == TN_AMD_SGPR) {
    const tn_amd_operand was = tn_amd_new_s(m->l, 1), is = tn_amd_new_s(m->l, 1);
    tn_amd_copy(m->l, was, part);
    tn_amd_do3(m->l, TN_AMD_S_ADD_U32, is, was, some_s(m));
    tn_amd_copy(m->l, part, is);
    return;
  }
  if (var.dwords == 4 && rnd(2)) {
    const tn_amd_operand whole = tn_amd_new_v(m->l, 4);
    tn_amd_copy(m->l, whole, var);
    make_store(m, whole);
    for (int i = 0; i < 4; i++) keep_v(m, tn_amd_slice(whole, i, 1));
    if (rnd(2)) tn_amd_copy(m->l, var, whole);
    return;
  }
  const tn_amd_operand was = new_v(m), is = new_v(m);
  tn_amd_copy(m->l, was, part);
  if (rnd(4)) tn_amd_do4(m->l, TN_AMD_V_FMA_F32, is, some_v(m), some_v(m), was);
  else {
    tn_amd_copy(m->l, is, was);
    tn_amd_do3(m->l, TN_AMD_V_FMAC_F32, is, some_source(m), some_v(m));
  }
  tn_amd_copy(m->l, part, is);
  if (!rnd(3)) keep_v(m, was);
  if (!rnd(3)) keep_v(m, is);
}
static void make_lanes_load(maker *m);
static void make_one(maker *m) {
  tn_amd_list *const l = m->l;
  tn_amd_operand o;
  switch (rnd(14)) {
    case 0: tn_amd_copy(l, o = new_v(m), tn_amd_int(rnd(70000))); keep_v(m, o); break;
    case 1: tn_amd_copy(l, o = new_v(m), some_v(m)); keep_v(m, o); break;
    case 2: tn_amd_do3(l, TN_AMD_V_ADD_NC_U32, o = new_v(m), some_source(m), some_v(m)); keep_v(m, o); break;
    case 3: case 4: case 5:
      o = new_v(m);
      tn_amd_do4(l, TN_AMD_V_FMA_F32, o, some_source(m), some_v(m), some_source(m)); keep_v(m, o); break;
    case 6: tn_amd_do3(l, TN_AMD_S_ADD_U32, o = tn_amd_new_s(l, 1), some_s(m), some_s(m)); keep_s(m, o); break;
    case 7: tn_amd_copy(l, o = tn_amd_new_s(l, 1), rnd(3) ? tn_amd_int(rnd(500)) : some_s(m)); keep_s(m, o); break;
    case 8: {
      const int wide = rnd(2);
      const tn_amd_operand address = make_stack(m, 2);
      o = tn_amd_new_v(l, wide ? 4 : 2);
      tn_amd_do3(l, wide ? TN_AMD_GLOBAL_LOAD_B128 : TN_AMD_GLOBAL_LOAD_B64, o, address, tn_amd_off());
      for (int k = 0; k < o.dwords; k++) keep_v(m, tn_amd_slice(o, k, 1));
      break;
    }
    case 9: {
      const int n = 2 << rnd(3);
      const tn_amd_operand base = tn_amd_new_s(l, 2);
      tn_amd_copy(l, tn_amd_slice(base, 0, 1), some_s(m));
      tn_amd_copy(l, tn_amd_slice(base, 1, 1), rnd(2) ? some_s(m) : tn_amd_int(3));
      o = tn_amd_new_s(l, n);
      const int op = n == 2 ? TN_AMD_S_LOAD_B64 : n == 4 ? TN_AMD_S_LOAD_B128 : TN_AMD_S_LOAD_B256;
      tn_amd_do3(l, op, o, rnd(2) ? base : m->base, tn_amd_off());
      for (int k = 0; k < n; k++) keep_s(m, tn_amd_slice(o, k, 1));
      break;
    }
    case 10: make_store(m, make_stack(m, 1 << rnd(3))); break;
    case 11: if (rnd(4) == 0) make_matrix(m); else if (rnd(6) == 0) make_lanes_load(m); else make_update(m); break;
    case 12: {
      const tn_amd_operand mask = tn_amd_new_mask(l);
      tn_amd_do3(l, TN_AMD_V_CMP_LT_U32, mask, some_v(m), some_v(m));
      tn_amd_do4(l, TN_AMD_V_CNDMASK_B32, o = new_v(m), some_v(m), some_v(m), mask);
      keep_v(m, o);
      break;
    }
    default:
      if (l->family == TN_AMD_GFX9 && rnd(2)) {
        const tn_amd_operand a = tn_amd_new(l, TN_AMD_AGPR, 1);
        tn_amd_copy(l, a, some_source(m));
        tn_amd_copy(l, o = new_v(m), a);
        keep_v(m, o);
      } else if (rnd(6) == 0 && m->nv) {
        tn_amd_copy(l, o = tn_amd_new_s(l, 1), some_v(m));
        keep_s(m, o);
      } else make_update(m);
      break;
  }
}

static void make_some(maker *m, int n);
static void make_uniform_if(maker *m, int n) {
  const int skip = tn_amd_label_new(m->l), nv = m->nv, ns = m->ns, nvars = m->nvars;
  tn_amd_do2(m->l, TN_AMD_S_CMP_LT_U32, some_s(m), some_s(m));
  tn_amd_branch_to(m->l, rnd(2) ? TN_AMD_S_CBRANCH_SCC0 : TN_AMD_S_CBRANCH_SCC1, skip);
  make_some(m, n);
  if (rnd(2)) { tn_amd_line_new(m->l, TN_AMD_LINE_LABEL, skip); return; }
  const int end = tn_amd_label_new(m->l);
  tn_amd_branch_to(m->l, TN_AMD_S_BRANCH, end);
  tn_amd_line_new(m->l, TN_AMD_LINE_LABEL, skip);
  m->nv = nv; m->ns = ns; m->nvars = nvars;
  make_some(m, n);
  tn_amd_line_new(m->l, TN_AMD_LINE_LABEL, end);
}
static int and_saveexec(const maker *m) {
  return m->l->mask == 2 ? TN_AMD_S_AND_SAVEEXEC_B64 : TN_AMD_S_AND_SAVEEXEC_B32;
}
static tn_amd_operand exec_of(const maker *m) { return tn_amd_s(TN_AMD_EXEC, m->l->mask); }
// What is written in some lanes alone has a value in the others before.
static void make_lanes_if(maker *m, int n) {
  const int skip = tn_amd_label_new(m->l);
  const tn_amd_operand mask = tn_amd_new_mask(m->l), saved = tn_amd_new_mask(m->l), result = new_v(m);
  tn_amd_copy(m->l, result, rnd(2) ? tn_amd_int(7) : some_v(m));
  for (int k = rnd(6); k > 0; k--) make_one(m);
  tn_amd_do3(m->l, TN_AMD_V_CMP_LT_U32, mask, some_v(m), some_v(m));
  tn_amd_do2(m->l, and_saveexec(m), saved, mask);
  if (rnd(2)) tn_amd_branch_to(m->l, TN_AMD_S_CBRANCH_EXECZ, skip);
  const int nv = m->nv;
  make_some(m, n);
  if (m->nv > nv || rnd(2)) {
    const tn_amd_operand made = new_v(m);
    tn_amd_do3(m->l, TN_AMD_V_ADD_NC_U32, made, some_v(m), some_v(m));
    tn_amd_copy(m->l, result, made);
    if (rnd(2)) make_store(m, made);
  }
  tn_amd_line_new(m->l, TN_AMD_LINE_LABEL, skip);
  tn_amd_copy(m->l, exec_of(m), saved);
  keep_v(m, result);
}
static void make_loop(maker *m, int n) {
  const int head = tn_amd_label_new(m->l), out = tn_amd_label_new(m->l);
  const tn_amd_operand i = tn_amd_new_s(m->l, 1), was = tn_amd_new_s(m->l, 1), is = tn_amd_new_s(m->l, 1);
  make_var(m);
  tn_amd_copy(m->l, i, tn_amd_int(0));
  tn_amd_line_new(m->l, TN_AMD_LINE_LOOP, -1);
  tn_amd_line_new(m->l, TN_AMD_LINE_LABEL, head);
  make_some(m, n);
  if (rnd(3) == 0) {
    tn_amd_do2(m->l, TN_AMD_S_CMP_LT_U32, some_s(m), some_s(m));
    tn_amd_branch_to(m->l, TN_AMD_S_CBRANCH_SCC1, out);
    make_some(m, n / 2);
  }
  make_update(m);
  tn_amd_copy(m->l, was, i);
  tn_amd_do3(m->l, TN_AMD_S_ADD_U32, is, was, tn_amd_int(1));
  tn_amd_copy(m->l, i, is);
  tn_amd_do2(m->l, TN_AMD_S_CMP_LT_U32, rnd(2) ? i : is, tn_amd_int(3));
  tn_amd_branch_to(m->l, TN_AMD_S_CBRANCH_SCC1, head);
  tn_amd_line_new(m->l, TN_AMD_LINE_LOOP_END, -1);
  tn_amd_line_new(m->l, TN_AMD_LINE_LABEL, out);
}
// Lanes leave one after the other.
static void make_lanes_loop(maker *m, int n) {
  const int head = tn_amd_label_new(m->l);
  const tn_amd_operand saved = tn_amd_new_mask(m->l), mask = tn_amd_new_mask(m->l), gone = tn_amd_new_mask(m->l);
  const tn_amd_operand i = new_v(m), was = new_v(m), is = new_v(m), end = new_v(m);
  tn_amd_copy(m->l, saved, exec_of(m));
  make_var(m);
  tn_amd_copy(m->l, i, m->item);
  tn_amd_copy(m->l, end, tn_amd_int(1004));
  tn_amd_line_new(m->l, TN_AMD_LINE_LOOP, -1);
  tn_amd_line_new(m->l, TN_AMD_LINE_LABEL, head);
  make_some(m, n);
  make_update(m);
  tn_amd_copy(m->l, was, i);
  tn_amd_do3(m->l, TN_AMD_V_ADD_NC_U32, is, tn_amd_int(1), was);
  tn_amd_copy(m->l, i, is);
  tn_amd_do3(m->l, TN_AMD_V_CMP_LT_U32, mask, is, end);
  tn_amd_do2(m->l, and_saveexec(m), gone, mask);
  tn_amd_branch_to(m->l, TN_AMD_S_CBRANCH_EXECNZ, head);
  tn_amd_line_new(m->l, TN_AMD_LINE_LOOP_END, -1);
  tn_amd_copy(m->l, exec_of(m), saved);
  keep_v(m, i);
}
// The same, as the generator writes it (amd_control.c): EXEC is narrowed where the loop begins.
static void make_lanes_range(maker *m, int n) {
  const int head = tn_amd_label_new(m->l), out = tn_amd_label_new(m->l), wide = m->l->mask == 2;
  const tn_amd_operand kept = tn_amd_new_mask(m->l), mask = tn_amd_new_mask(m->l), i = new_v(m), end = new_v(m);
  tn_amd_copy(m->l, i, m->item);
  make_var(m);
  tn_amd_copy(m->l, end, tn_amd_int(1004));
  tn_amd_do2(m->l, wide ? TN_AMD_S_MOV_B64 : TN_AMD_S_MOV_B32, kept, exec_of(m));
  tn_amd_line_new(m->l, TN_AMD_LINE_LOOP, -1);
  tn_amd_line_new(m->l, TN_AMD_LINE_LABEL, head);
  tn_amd_do3(m->l, TN_AMD_V_CMP_LT_U32, mask, i, end);
  tn_amd_do3(m->l, wide ? TN_AMD_S_AND_B64 : TN_AMD_S_AND_B32, exec_of(m), exec_of(m), mask);
  tn_amd_branch_to(m->l, TN_AMD_S_CBRANCH_EXECZ, out);
  make_some(m, n);
  make_update(m);
  tn_amd_do3(m->l, TN_AMD_V_ADD_NC_U32, i, tn_amd_int(1), i);
  tn_amd_branch_to(m->l, TN_AMD_S_BRANCH, head);
  tn_amd_line_new(m->l, TN_AMD_LINE_LOOP_END, -1);
  tn_amd_line_new(m->l, TN_AMD_LINE_LABEL, out);
  tn_amd_copy(m->l, exec_of(m), kept);
  keep_v(m, i);
}
// A load of some lanes: others have zeros, which are written in all before each.
static void make_lanes_load(maker *m) {
  const tn_amd_operand kept = tn_amd_new_mask(m->l), mask = tn_amd_new_mask(m->l), address = make_stack(m, 2);
  tn_amd_do3(m->l, TN_AMD_V_CMP_LT_U32, mask, some_v(m), some_v(m));
  tn_amd_do2(m->l, and_saveexec(m), kept, mask);
  for (int n = 1 + rnd(2); n > 0; n--) {
    const tn_amd_operand to = tn_amd_new_v(m->l, 4);
    tn_amd_copy(m->l, exec_of(m), kept);
    tn_amd_copy(m->l, to, tn_amd_int(0));
    tn_amd_do3(m->l, m->l->mask == 2 ? TN_AMD_S_AND_B64 : TN_AMD_S_AND_B32, exec_of(m), kept, mask);
    tn_amd_do3(m->l, TN_AMD_GLOBAL_LOAD_B128, to, address, tn_amd_off());
    for (int k = 0; k < 4; k++) keep_v(m, tn_amd_slice(to, k, 1));
  }
  tn_amd_copy(m->l, exec_of(m), kept);
}
// What is made inside is not there behind, but what a variable holds.
static void make_some(maker *m, int n) {
  for (int k = 0; k < n && m->lines > 0; k++) {
    const int nv = m->nv, ns = m->ns, nvars = m->nvars, kind = m->depth < 3 ? rnd(30) : 30;
    m->lines--;
    if (kind > 3) { make_one(m); if (!rnd(12)) make_var(m); continue; }
    m->depth++;
    const tn_amd_operand before = m->nv ? m->v[m->nv - 1] : m->item;
    if (kind == 0) make_uniform_if(m, 1 + rnd(12));
    else if (kind == 1) make_lanes_if(m, 1 + rnd(12));
    else if (kind == 2) make_loop(m, 1 + rnd(12));
    else if (rnd(2)) make_lanes_loop(m, 1 + rnd(8));
    else make_lanes_range(m, 1 + rnd(8));
    m->depth--;
    const tn_amd_operand last = m->v[m->nv - 1];
    m->nv = nv; m->ns = ns; m->nvars = nvars;
    if (kind % 2) keep_v(m, last); else keep_v(m, before);
  }
}
static tn_amd_operand input(tn_amd_list *l, int kind, int dwords, int at) {
  const tn_amd_operand o = tn_amd_new(l, kind, dwords);
  l->vreg[o.reg - TN_AMD_VIRTUAL].fixed = (int16_t)at;
  return o;
}
static void make_list(tiny_ctx *t, tn_amd_list *l, maker *m, int family, int lines, int held) {
  tn_amd_list_open(l, t, chip_of(family));
  memset(m, 0, sizeof *m);
  m->l = l; m->lines = lines; m->held = held;
  m->base = input(l, TN_AMD_SGPR, 2, 0);
  keep_s(m, input(l, TN_AMD_SGPR, 1, 2)); keep_s(m, input(l, TN_AMD_SGPR, 1, 3));
  m->item = keep_v(m, input(l, TN_AMD_VGPR, 1, 0));
  m->address = make_stack(m, 2);
  while (m->lines > 0) make_some(m, 10);
  for (int i = 0; i < m->nv; i++) if (rnd(held) == 0) make_store(m, m->v[i]);
  for (int i = 0; i < m->ns; i++) {
    if (rnd(held)) continue;
    const tn_amd_operand o = new_v(m);
    tn_amd_copy(l, o, m->s[i]);
    make_store(m, o);
  }
  for (int i = 0; i < m->nvars; i++)
    for (int k = 0; k < m->var[i].dwords; k++) {
      const tn_amd_operand o = new_v(m);
      tn_amd_copy(l, o, tn_amd_slice(m->var[i], k, 1));
      make_store(m, o);
    }
  make_store(m, m->item);
  tn_amd_do1(l, TN_AMD_S_ENDPGM, tn_amd_imm(0));
}
static void test_random(void) {
  const int rounds = getenv("TEST_ROUNDS") ? atoi(getenv("TEST_ROUNDS")) : getenv("TEST_BRIEF") ? 60 : 300;
  static maker m;
  for (int family = 0; family < TN_AMD_FAMILIES; family++)
    for (uint64_t seed = test_from(1); seed < test_from(1) + (uint64_t)rounds; seed++) {
      tiny_ctx t;
      tn_amd_list l;
      rng = seed;
      case_seeded(seed, "TEST_ROUNDS=1 TEST_FROM=%llu");
      const int lines = 5 + rnd(rnd(8) ? 120 : 900), held = 1 + rnd(8);
      make_list(open_context(&t), &l, &m, family, getenv("TEST_LINES") ? atoi(getenv("TEST_LINES")) : lines, held);
      if (!check_list(&t, &l) && test_shown()) fprintf(stderr, "    of family %d\n", family);
      close_context(&t);
    }
  case_end();
}

// ** lists by hand **

// Moves between registers of a kind.
static int moves_of(const tn_amd_list *l) {
  int n = 0;
  for (int i = 0; i < l->n; i++) {
    const tn_amd_ins *const ins = &l->line[i].ins;
    const int op = ins->op, moves = op == TN_AMD_V_MOV_B32 || op == TN_AMD_S_MOV_B32 || op == TN_AMD_S_MOV_B64 ||
        op == TN_AMD_V_MOV_B64 || op == TN_AMD_V_ACCVGPR_MOV_B32;
    n += l->line[i].kind == TN_AMD_LINE_INS && moves && ins->o[0].kind == ins->o[1].kind && !is_exec(&ins->o[0]);
  }
  return n;
}
static const tn_amd_line *line_of(const tn_amd_list *l, int op) {
  for (int i = 0; i < l->n; i++) if (l->line[i].kind == TN_AMD_LINE_INS && l->line[i].ins.op == op) return &l->line[i];
  return NULL;
}
// A kernel's begin: a list with an address and an item's number.
static void begin_list(tiny_ctx *t, tn_amd_list *l, maker *m, int family) {
  tn_amd_list_open(l, open_context(t), chip_of(family));
  memset(m, 0, sizeof *m);
  m->l = l;
  m->base = input(l, TN_AMD_SGPR, 2, 0);
  m->item = keep_v(m, input(l, TN_AMD_VGPR, 1, 0));
  keep_s(m, input(l, TN_AMD_SGPR, 1, 2));
  m->address = tn_amd_new_v(l, 2);
  tn_amd_do3(l, TN_AMD_V_ADD_NC_U32, tn_amd_slice(m->address, 0, 1), tn_amd_int(5), m->item);
  tn_amd_do3(l, TN_AMD_V_ADD_NC_U32, tn_amd_slice(m->address, 1, 1), tn_amd_int(6), m->item);
}
typedef struct counter { tn_amd_operand i; int head; } counter;
static counter loop_begin(maker *m) {
  const counter c = {tn_amd_new_s(m->l, 1), tn_amd_label_new(m->l)};
  tn_amd_copy(m->l, c.i, tn_amd_int(0));
  tn_amd_line_new(m->l, TN_AMD_LINE_LOOP, -1);
  tn_amd_line_new(m->l, TN_AMD_LINE_LABEL, c.head);
  return c;
}
static void loop_end(maker *m, counter c) {
  const tn_amd_operand was = tn_amd_new_s(m->l, 1), is = tn_amd_new_s(m->l, 1);
  tn_amd_copy(m->l, was, c.i);
  tn_amd_do3(m->l, TN_AMD_S_ADD_U32, is, was, tn_amd_int(1));
  tn_amd_copy(m->l, c.i, is);
  tn_amd_do2(m->l, TN_AMD_S_CMP_LT_U32, is, tn_amd_int(4));
  tn_amd_branch_to(m->l, TN_AMD_S_CBRANCH_SCC1, c.head);
  tn_amd_line_new(m->l, TN_AMD_LINE_LOOP_END, -1);
}
// R = R + a b
static void add_product(maker *m, tn_amd_operand r, tn_amd_operand a, tn_amd_operand b) {
  const tn_amd_operand was = new_v(m), is = new_v(m);
  tn_amd_copy(m->l, was, r);
  tn_amd_do4(m->l, TN_AMD_V_FMA_F32, is, a, b, was);
  tn_amd_copy(m->l, r, is);
}
static void load_four(maker *m, tn_amd_operand out[4]) {
  const tn_amd_operand wide = tn_amd_new_v(m->l, 4);
  tn_amd_do3(m->l, TN_AMD_GLOBAL_LOAD_B128, wide, m->address, tn_amd_off());
  for (int k = 0; k < 4; k++) out[k] = tn_amd_slice(wide, k, 1);
}
// Sixteen sums in a loop, in the lanes of an if or in all: no move stays, and a sum is added to where it is.
static void test_sums(int family, int lanes) {
  static maker m;
  tiny_ctx t;
  tn_amd_list l;
  begin_list(&t, &l, &m, family);
  tn_amd_operand sum[4], a[4], b[4], mask, saved = m.item;
  for (int k = 0; k < 4; k++) {
    sum[k] = tn_amd_new_v(&l, 4);
    for (int i = 0; i < 4; i++) tn_amd_copy(&l, tn_amd_slice(sum[k], i, 1), tn_amd_int(0));
  }
  const counter c = loop_begin(&m);
  load_four(&m, a);
  load_four(&m, b);
  const int skip = tn_amd_label_new(&l);
  if (lanes) {
    mask = tn_amd_new_mask(&l); saved = tn_amd_new_mask(&l);
    tn_amd_do3(&l, TN_AMD_V_CMP_LT_U32, mask, a[0], b[1]);
    tn_amd_do2(&l, and_saveexec(&m), saved, mask);
    tn_amd_branch_to(&l, TN_AMD_S_CBRANCH_EXECZ, skip);
    tn_amd_do4(&l, TN_AMD_V_FMA_F32, a[0], a[1], b[0], b[3]);
    make_store(&m, a[0]);
    tn_amd_line_new(&l, TN_AMD_LINE_LABEL, skip);
    tn_amd_copy(&l, exec_of(&m), saved);
  }
  for (int i = 0; i < 16; i++) add_product(&m, tn_amd_slice(sum[i / 4], i % 4, 1), a[i / 4], b[i % 4]);
  loop_end(&m, c);
  for (int k = 0; k < 4; k++) make_store(&m, sum[k]);
  CHECK(check_list(&t, &l));
  CHECK_EQ(moves_of(&l), 0);
  for (int i = 0; i < l.n; i++) {
    const tn_amd_operand *const o = l.line[i].ins.o;
    if (l.line[i].ins.op == TN_AMD_V_FMA_F32 && o[3].reg != b[3].reg && !lanes) CHECK_EQ(o[0].reg, o[3].reg);
  }
  close_context(&t);
}
// Matrices that are added to in a loop stay where they are; operands are put together where they are made.
static void test_matrices(int family) {
  static maker m;
  tiny_ctx t;
  tn_amd_list l;
  begin_list(&t, &l, &m, family);
  const int nine = family == TN_AMD_GFX9, dwords = nine ? 16 : 8, ab = nine ? 2 : family == TN_AMD_GFX12 ? 4 : 8;
  const int op = nine ? TN_AMD_V_MFMA_F32_32X32X8_F16 : TN_AMD_V_WMMA_F32_16X16X16_F16;
  tn_amd_operand sum[4], side[4];
  for (int k = 0; k < 4; k++) {
    sum[k] = tn_amd_new(&l, nine ? TN_AMD_AGPR : TN_AMD_VGPR, dwords);
    tn_amd_copy(&l, sum[k], tn_amd_int(0));
  }
  const counter c = loop_begin(&m);
  for (int k = 0; k < 4; k++) {
    side[k] = tn_amd_new_v(&l, ab);
    for (int i = 0; i < ab; i++) {
      const tn_amd_operand x = new_v(&m);
      tn_amd_do3(&l, TN_AMD_V_ADD_NC_U32, x, tn_amd_int(3 * i + k), m.item);
      tn_amd_copy(&l, tn_amd_slice(side[k], i, 1), x);
    }
  }
  for (int k = 0; k < 4; k++) {
    const int kind = nine ? TN_AMD_AGPR : TN_AMD_VGPR;
    const tn_amd_operand was = tn_amd_new(&l, kind, dwords), is = tn_amd_new(&l, kind, dwords);
    tn_amd_copy(&l, was, sum[k]);
    tn_amd_do4(&l, op, is, side[k / 2], side[2 + k % 2], was);
    tn_amd_copy(&l, sum[k], is);
  }
  loop_end(&m, c);
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < dwords; i += 4) {
      const tn_amd_operand x = tn_amd_new_v(&l, 4);
      tn_amd_copy(&l, x, tn_amd_slice(sum[k], i, 4));
      make_store(&m, x);
    }
  CHECK(check_list(&t, &l));
  CHECK_EQ(moves_of(&l), 0);
  for (int i = 0; i < l.n; i++)
    if (l.line[i].ins.op == op) CHECK_EQ(l.line[i].ins.o[0].reg, l.line[i].ins.o[3].reg);
  CHECK_EQ(l.setup.agprs, nine ? 64 : 0);
  close_context(&t);
}
// A matrix that is read once more is not overwritten: result and what is added to lie apart.
static void test_apart(int family) {
  static maker m;
  tiny_ctx t;
  tn_amd_list l;
  begin_list(&t, &l, &m, family);
  const int nine = family == TN_AMD_GFX9, dwords = nine ? 16 : 8, ab = nine ? 2 : family == TN_AMD_GFX12 ? 4 : 8;
  const int op = nine ? TN_AMD_V_MFMA_F32_32X32X8_F16 : TN_AMD_V_WMMA_F32_16X16X16_F16;
  const tn_amd_operand a = tn_amd_new_v(&l, ab), c = tn_amd_new_v(&l, dwords), d = tn_amd_new_v(&l, dwords);
  const tn_amd_operand e = tn_amd_new_v(&l, dwords);
  for (int i = 0; i < ab; i++) tn_amd_do3(&l, TN_AMD_V_ADD_NC_U32, tn_amd_slice(a, i, 1), tn_amd_int(i), m.item);
  for (int i = 0; i < dwords; i++) tn_amd_do3(&l, TN_AMD_V_ADD_NC_U32, tn_amd_slice(c, i, 1), tn_amd_int(i), m.item);
  tn_amd_do4(&l, op, d, a, a, c);
  tn_amd_do4(&l, op, e, a, a, c);
  for (int i = 0; i < dwords; i += 4) { make_store(&m, tn_amd_slice(d, i, 4)); make_store(&m, tn_amd_slice(e, i, 4)); }
  CHECK(check_list(&t, &l));
  CHECK_EQ(moves_of(&l), 0);
  close_context(&t);
}
// Masks of comparisons are VCC; not, where it is taken.
static void test_masks(int family) {
  static maker m;
  tiny_ctx t;
  tn_amd_list l;
  begin_list(&t, &l, &m, family);
  const tn_amd_operand vcc = tn_amd_s(TN_AMD_VCC, l.mask), mask = tn_amd_new_mask(&l), last = tn_amd_new_mask(&l);
  tn_amd_operand x = new_v(&m), y = new_v(&m), z = new_v(&m);
  tn_amd_do3(&l, TN_AMD_V_CMP_LT_U32, vcc, tn_amd_int(1002), m.item);
  tn_amd_do3(&l, TN_AMD_V_CMP_LT_U32, mask, tn_amd_int(1003), m.item);
  tn_amd_do4(&l, TN_AMD_V_CNDMASK_B32, x, tn_amd_int(3), m.item, vcc);
  tn_amd_do4(&l, TN_AMD_V_CNDMASK_B32, y, x, m.item, mask);
  tn_amd_do3(&l, TN_AMD_V_CMP_LT_U32, last, tn_amd_int(1001), m.item);
  tn_amd_do4(&l, TN_AMD_V_CNDMASK_B32, z, y, x, last);
  make_store(&m, z);
  CHECK(check_list(&t, &l));
  int n = 0;
  for (int i = 0; i < l.n; i++) n += l.line[i].ins.op == TN_AMD_V_CMP_LT_U32 && l.line[i].ins.o[0].reg == TN_AMD_VCC;
  CHECK_EQ(n, 2);
  close_context(&t);
}
// Values that are there all the time, and once: as many waves as few registers let run, and no register more.
static void test_waves(int family) {
  static const int wants[] = {10, 90, 200};
  for (int w = 0; w < 3; w++) {
    static maker m;
    tiny_ctx t;
    tn_amd_list l;
    tn_amd_operand x[200];
    begin_list(&t, &l, &m, family);
    for (int i = 0; i < wants[w]; i++) {
      x[i] = new_v(&m);
      tn_amd_do3(&l, TN_AMD_V_ADD_NC_U32, x[i], tn_amd_int(i), m.item);
    }
    for (int i = 0; i < wants[w]; i++) {
      const tn_amd_operand y = new_v(&m);
      tn_amd_do3(&l, TN_AMD_V_ADD_NC_U32, y, x[i], m.item);
      make_store(&m, y);
    }
    CHECK(check_list(&t, &l));
    const int granule = l.chip->granule, least = (wants[w] + 4 + granule - 1) / granule * granule;
    const int waves = l.chip->vgprs / least < l.chip->waves ? l.chip->vgprs / least : l.chip->waves;
    CHECK(l.setup.vgprs >= wants[w]);
    CHECK(l.chip->vgprs / ((l.setup.vgprs + granule - 1) / granule * granule) >= waves);
    CHECK_EQ(l.setup.scratch, 0);
    close_context(&t);
  }
}
// 400 values at a time: in AGPRs where there are some, else in scratch; constants are made where they are used.
static void test_many(int family, int constants) {
  static maker m;
  tiny_ctx t;
  tn_amd_list l;
  tn_amd_operand x[400], sum;
  begin_list(&t, &l, &m, family);
  for (int i = 0; i < 400; i++) {
    x[i] = new_v(&m);
    if (constants) tn_amd_copy(&l, x[i], tn_amd_int(1000 * i + 77));
    else tn_amd_do3(&l, TN_AMD_V_ADD_NC_U32, x[i], tn_amd_int(i), m.item);
  }
  const counter c = loop_begin(&m);
  tn_amd_copy(&l, sum = new_v(&m), m.item);
  for (int i = 0; i < 400; i++) add_product(&m, sum, x[i], x[399 - i]);
  make_store(&m, sum);
  loop_end(&m, c);
  for (int i = 0; i < 400; i++) make_store(&m, x[i]);
  CHECK(check_list(&t, &l));
  CHECK(constants || family == TN_AMD_GFX9 || l.setup.scratch > 0);
  CHECK(!constants || (l.setup.scratch == 0 && l.setup.agprs == 0));
  CHECK(family != TN_AMD_GFX9 || constants || (l.setup.agprs > 100 && l.setup.scratch == 0));
  CHECK(moves_of(&l) <= 1);
  close_context(&t);
}
// 150 scalars at a time, in lanes; scratch whose place does not fit into an instruction.
static void test_scalars(int family) {
  static maker m;
  tiny_ctx t;
  tn_amd_list l;
  tn_amd_operand x[150];
  begin_list(&t, &l, &m, family);
  for (int i = 0; i < 150; i++) tn_amd_do3(&l, TN_AMD_S_ADD_U32, x[i] = tn_amd_new_s(&l, 1), m.s[0], tn_amd_int(i));
  for (int i = 0; i < 150; i++) {
    const tn_amd_operand y = new_v(&m);
    tn_amd_do3(&l, TN_AMD_V_ADD_NC_U32, y, x[i], m.item);
    make_store(&m, y);
  }
  CHECK(check_list(&t, &l));
  CHECK(line_of(&l, TN_AMD_V_WRITELANE_B32) != NULL);
  CHECK_EQ(l.setup.scratch, 0);
  close_context(&t);
}
static void test_wide_scratch(int family) {
  static maker m;
  tiny_ctx t;
  tn_amd_list l;
  tn_amd_operand x[2000];
  begin_list(&t, &l, &m, family);
  l.setup.scratch = 1021;
  for (int i = 0; i < 2000; i++) tn_amd_do3(&l, TN_AMD_V_ADD_NC_U32, x[i] = new_v(&m), tn_amd_int(i), m.item);
  for (int i = 0; i < 2000; i++) make_store(&m, x[i]);
  CHECK(check_list(&t, &l));
  CHECK(l.setup.scratch > 4096);
  close_context(&t);
}
// What cannot be is said.
static void test_refused(void) {
  static maker m;
  tiny_ctx t;
  tn_amd_list l;
  begin_list(&t, &l, &m, TN_AMD_GFX11);
  tn_amd_branch_to(&l, TN_AMD_S_BRANCH, 77);
  tn_amd_allocate(&l);
  CHECK(l.refused && !strcmp(l.refused, "a branch goes nowhere"));
  close_context(&t);
  begin_list(&t, &l, &m, TN_AMD_GFX11);
  const tn_amd_operand four = tn_amd_new_s(&l, 4);
  tn_amd_do3(&l, TN_AMD_S_LOAD_B128, four, m.base, tn_amd_off());
  tn_amd_do3(&l, TN_AMD_S_LOAD_B64, tn_amd_slice(four, 1, 2), m.base, tn_amd_off());
  tn_amd_allocate(&l);
  CHECK(l.refused != NULL);
  close_context(&t);
}
// Memory that is refused, the n-th time it is asked for.
static long allocations_left, allocated;
static void *failing(void *user, void *p, size_t old_nbytes, size_t new_nbytes) {
  (void)user;
  if (new_nbytes > old_nbytes && !allocations_left--) { allocations_left = 0; return NULL; }
  allocated += (long)new_nbytes - (long)old_nbytes;
  return tn_default_alloc(NULL, p, old_nbytes, new_nbytes);
}
static void test_memory(int family) {
  int done = 0;
  for (int n = 0; n < 200 && !done; n++) {
    static maker m;
    tiny_ctx t;
    tn_amd_list l;
    rng = 4;
    make_list(open_context(&t), &l, &m, family, 800, 1);
    const long before = t.scratch ? 1 : 0;
    allocations_left = n; allocated = 0;
    t.alloc.fn = failing;
    tn_amd_allocate(&l);
    done = !l.refused;
    CHECK(before && (done || strstr(l.refused, "memory")));
    close_context(&t);
  }
  CHECK(done);
}
static double now_ms(void) {
  struct timespec s;
  clock_gettime(CLOCK_MONOTONIC, &s);
  return (double)s.tv_sec * 1e3 + (double)s.tv_nsec * 1e-6;
}
// Twice as many lines take about twice as long.
static void test_time(void) {
  double ms[2] = {1e9, 1e9};
  for (int k = 0; k < 2; k++)
    for (int again = 0; again < 3; again++) {
      static maker m;
      tiny_ctx t;
      tn_amd_list l;
      begin_list(&t, &l, &m, TN_AMD_GFX11);
      tn_amd_operand sum = tn_amd_new_v(&l, 4), a[4], b[4];
      tn_amd_copy(&l, sum, tn_amd_int(0));
      for (int i = 0; i < 250 << k; i++) {
        load_four(&m, a);
        load_four(&m, b);
        for (int j = 0; j < 16; j++) add_product(&m, tn_amd_slice(sum, j % 4, 1), a[j / 4], b[j % 4]);
      }
      make_store(&m, sum);
      const int n = l.n;
      const double start = now_ms();
      tn_amd_allocate(&l);
      const double took = now_ms() - start;
      if (took < ms[k]) ms[k] = took;
      CHECK(!l.refused);
      CHECK_EQ(moves_of(&l), 0);
      if (getenv("TEST_SHOW")) fprintf(stderr, "%d lines: %.3f ms\n", n, took);
      close_context(&t);
    }
  CHECK(ms[1] < 4 * ms[0] + 1);
}

int main(void) {
  for (int family = 0; family < TN_AMD_FAMILIES; family++) {
    test_sums(family, 0); test_sums(family, 1);
    test_matrices(family);
    test_apart(family);
    test_masks(family);
    test_waves(family);
    test_many(family, 0); test_many(family, 1);
    test_scalars(family);
    test_wide_scratch(family);
    test_memory(family);
  }
  test_refused();
  test_time();
  test_random();
  return test_report();
}
