// amd_fetch: bytes to instructions as they are executed: once for each address, then from a table; operands in the
// places where the rules look for them.
//
// Included by amd_emulate.c.
#ifndef AMD_FETCH_C
#define AMD_FETCH_C
#include "amd_rules.c"

static void amd_text(char *to, size_t n, const amd_ins *i) {
  tn_amd_ins x;
  uint32_t words[AMD_MOST_WORDS] = {0};
  memset(&x, 0, sizeof x);
  if (i->nwords) memcpy(words, (const void *)(uintptr_t)i->pc, (size_t)i->nwords * 4);
  snprintf(to, n, "?");
  if (i->nwords && tn_amd_decode(amd_tn_family(i->family), words, i->nwords, &x)) tn_amd_print(&x, to, n);
}

// ** operands **

static amd_operand amd_operand_of(const tn_amd_operand *o) {
  amd_operand r;
  memset(&r, 0, sizeof r);
  r.n = o->dwords; r.reg = o->reg; r.neg = o->neg; r.abs = o->abs; r.sel = o->op_sel; r.high = o->op_sel_hi;
  r.sext = o->sext;
  switch (o->kind) {
    case TN_AMD_VGPR: r.where = AMD_V; break;
    case TN_AMD_AGPR: r.where = AMD_V; r.reg = (uint16_t)(r.reg + AMD_AGPR); break;
    case TN_AMD_SGPR: case TN_AMD_SPECIAL: r.where = AMD_S; break;
    case TN_AMD_INLINE: r.where = AMD_K; r.value = o->reg; break;
    case TN_AMD_LITERAL: case TN_AMD_NUMBER: r.where = AMD_LIT; r.value = o->value; break;
    default: break;
  }
  return r;
}
// Where an operand of the letters goes: result, mask, source, address, data ..
static amd_operand *amd_slot(amd_ins *i, const char *letters, int format, int *sources) {
  const int memory = format >= TN_AMD_DS;    // and FLAT, SCRATCH, GLOBAL, MUBUF
  switch (letters[0]) {
    case 'd': case 'g': case 'r': case 'D': return &i->d;
    case 'e': return &i->e;
    case 'c': return memory ? &i->s[2] : &i->e;
    case 'a': return &i->s[0];
    case 'b': return &i->s[1];
    case 's': case 'R': return &i->s[2];
    case 'B': return &i->s[0];
    case 'o': return format == TN_AMD_SMEM ? &i->s[1] : &i->s[3];
    case '#': return NULL;
    default: return *sources < 4 ? &i->s[(*sources)++] : NULL;
  }
}
static void amd_operands(amd_ins *i, const tn_amd_operand *o, int n, int format) {
  const tn_amd_form form = tn_amd_form_of(i->op, amd_tn_family(i->family));
  int sources = 0;
  for (int k = 0; k < n && k < form.n; k++) {
    const char *letters = form.operands + 2 * k;
    if (letters[0] == '#') i->offset = (int16_t)o[k].value;
    amd_operand *to = amd_slot(i, letters, format, &sources);
    if (to && o[k].kind != TN_AMD_OFF) *to = amd_operand_of(&o[k]);
  }
  // what stands in no field: VCC of v_div_fmas and of short forms
  const char *types = strchr(i->rule->types, '=');
  for (int k = 0; types && types[k + 1]; k++)
    if (types[k + 1] == 'm' && k < 4 && i->s[k].where == AMD_NONE) { i->s[k].where = AMD_S; i->s[k].reg = AMD_VCC; }
  if (format == TN_AMD_MUBUF) i->d = i->s[1];
}

// ** modifiers **

static void amd_dpp_of(amd_ins *i, const tn_amd_ins *x) {
  if (x->lanes == TN_AMD_DPP16) {
    i->dpp = AMD_DPP16;
    i->ctrl = (uint16_t)x->m[TN_AMD_DPP_CTRL];
    i->bound = (uint8_t)x->m[TN_AMD_BOUND_CTRL];
    i->row_mask = (uint8_t)x->m[TN_AMD_ROW_MASK];
    i->bank_mask = (uint8_t)x->m[TN_AMD_BANK_MASK];
  } else if (x->lanes == TN_AMD_DPP8) {
    i->dpp = AMD_DPP8;
    for (int k = 0; k < 8; k++) i->select[k] = x->m[TN_AMD_LANES_8] >> 3 * k & 7;
  }
  i->fi = (uint8_t)x->m[TN_AMD_FI];
}
static void amd_sdwa_of(amd_ins *i, const tn_amd_ins *x) {
  if (x->lanes != TN_AMD_SDWA) return;
  i->sdwa_dst = (uint8_t)(i->d.where == AMD_V ? x->m[TN_AMD_DST_SEL] + 1 : 0);
  i->sdwa_unused = (uint8_t)x->m[TN_AMD_DST_UNUSED];
  i->s[0].sdwa = (uint8_t)(x->m[TN_AMD_SRC0_SEL] + 1);
  i->s[1].sdwa = (uint8_t)(x->m[TN_AMD_SRC1_SEL] + 1);
}
static void amd_modifiers(amd_ins *i, const tn_amd_ins *x, int format) {
  const int32_t *m = x->m;
  i->clamp = (uint8_t)m[TN_AMD_CLAMP]; i->omod = (uint8_t)m[TN_AMD_OMOD];
  if (format >= TN_AMD_DS || format == TN_AMD_SMEM) { i->offset = m[TN_AMD_OFFSET]; i->offset1 = m[TN_AMD_OFFSET1]; }
  i->byte = (uint8_t)m[TN_AMD_BYTE_SEL];
  i->offen = (uint8_t)m[TN_AMD_OFFEN]; i->idxen = (uint8_t)m[TN_AMD_IDXEN];
  i->returns = i->family == AMD_11 ? m[TN_AMD_GLC] != 0 : i->family == AMD_12 ? m[TN_AMD_TH] & 1 : m[TN_AMD_SC0] != 0;
  i->cbsz = (uint8_t)m[TN_AMD_CBSZ]; i->blgp = (uint8_t)m[TN_AMD_BLGP];
  i->abid = (uint8_t)(m[TN_AMD_ABID] | m[TN_AMD_INDEX_KEY]);
  i->seg = (uint8_t)(format == TN_AMD_FLAT ? AMD_FLAT : format == TN_AMD_SCRATCH ? AMD_SCRATCH_SEG : AMD_GLOBAL);
  i->dsel = i->d.sel;
  const tn_amd_form form = tn_amd_form_of(i->op, x->family);
  i->keeps = (uint8_t)tn_amd_takes(&form, 's');              // LLVM, GCNSubtarget::zeroesHigh16BitsOfDest
  if (i->op == TN_AMD_V_ACCVGPR_MOV_B32) { i->d.reg |= AMD_AGPR; i->s[0].reg |= AMD_AGPR; }
  if (format != TN_AMD_VOP3P && format != TN_AMD_MFMA)
    for (int k = 0; k < 4; k++) i->s[k].high = 1;
  i->d.high = 1;
  amd_dpp_of(i, x);
  amd_sdwa_of(i, x);
}

// ** what an instruction may not be, though it can be written in bits **

// Scalars that a vector instruction reads: each register or pair once, and a literal.
static int amd_scalars_read(const amd_ins *i, uint16_t seen[8], int n) {
  for (int k = 0; k < 4; k++) {
    const amd_operand *o = &i->s[k];
    const uint16_t what = o->where == AMD_S ? o->reg : 0xFFFF;
    int is = o->where != AMD_S && o->where != AMD_LIT;
    if (o->where == AMD_S && o->reg == AMD_NULL) continue;
    for (int j = 0; j < n && !is; j++) is = seen[j] == what;
    if (!is && n < 8) seen[n++] = what;
  }
  return n;
}
static void amd_scalar_limit(amd_wave *w, const amd_ins *i) {
  uint16_t seen[8];
  int n = amd_scalars_read(i, seen, 0);
  if (i->dual) n = amd_scalars_read(i->dual, seen, n);
  const int shift = i->op == TN_AMD_V_LSHLREV_B64 || i->op == TN_AMD_V_LSHRREV_B64 || i->op == TN_AMD_V_ASHRREV_I64;
  const int most = w->family == AMD_9 || shift ? 1 : 2;
  if (n > most) amd_stop(w, i, "it reads %d scalars, where %d may be", n, most);
}
static int amd_overlap(const amd_operand *a, const amd_operand *b) {
  return b->where == AMD_V && a->reg < b->reg + b->n && b->reg < a->reg + a->n;
}
static void amd_banks_of_dual(amd_wave *w, const amd_ins *i) {
  const amd_ins *y = i->dual;
  const int moves = i->op == TN_AMD_V_MOV_B32 && y->op == TN_AMD_V_MOV_B32;
  if ((i->d.reg ^ y->d.reg) % 2 == 0) amd_stop(w, i, "both halves write an even register, or an odd one");
  for (int k = 0; k < 2 && !(moves && w->family == AMD_12); k++)
    if (i->s[k].where == AMD_V && y->s[k].where == AMD_V && i->s[k].reg % 4 == y->s[k].reg % 4)
      amd_stop(w, i, "both halves read source %d from one bank", k);
}
static void amd_lawful(amd_wave *w, const amd_ins *i, int format) {
  const int mad = i->op == TN_AMD_V_MAD_U64_U32 || i->op == TN_AMD_V_MAD_I64_I32;
  if (i->rule->lanes) amd_scalar_limit(w, i);
  if (i->dual) amd_banks_of_dual(w, i);
  for (int k = 0; k < 2 && mad && w->family == AMD_11; k++)    // LLVM 19 lets the third source overlap
    if (amd_overlap(&i->d, &i->s[k])) amd_stop(w, i, "hazard: the result overlaps a source");
  if (w->family == AMD_11 && format == TN_AMD_SCRATCH && i->s[0].where == AMD_V && i->s[2].where == AMD_S)
    amd_stop(w, i, "hazard: scratch by a vector and a scalar address, which gfx11 swizzles wrongly");
}

// ** the table **

static amd_ins *amd_new_ins(amd_machine *m) {
  if (!m->block || m->block->used == sizeof m->block->ins / sizeof *m->block->ins) {
    amd_block *b = (amd_block *)calloc(1, sizeof *b);
    if (!b) return NULL;
    b->next = m->block;
    m->block = b;
  }
  return &m->block->ins[m->block->used++];
}
static amd_ins *amd_half_of(amd_wave *w, amd_ins *i, const tn_amd_ins *x, int op, const tn_amd_operand *o, int n) {
  const int format = tn_amd_format(op, x->family);
  i->op = op;
  i->rule = w->m->rule[op];
  if (!i->rule) amd_stop(w, i, "the emulator does not do this instruction");
  amd_operands(i, o, n, format);
  amd_modifiers(i, x, format);
  return i;
}
static amd_ins *amd_decoded(amd_wave *w, uint64_t pc) {
  amd_machine *m = w->m;
  amd_ins *i = amd_new_ins(m);
  amd_ins nothing;
  tn_amd_ins x;
  uint32_t words[AMD_MOST_WORDS] = {0};
  int n = AMD_MOST_WORDS;
  memset(&nothing, 0, sizeof nothing);
  nothing.pc = pc;
  if (!i) amd_stop(w, &nothing, "out of memory");
  if (pc & 3) amd_stop(w, &nothing, "an instruction at an odd address");
  while (n && !amd_range_of(m, pc, 4 * (uint64_t)n)) n--;
  if (!n) amd_stop(w, &nothing, "the code has run off its end");
  memcpy(words, (const void *)(uintptr_t)pc, 4 * (size_t)n);
  memset(&x, 0, sizeof x);
  i->pc = pc;
  i->family = m->family;
  i->nwords = tn_amd_decode(amd_tn_family(m->family), words, n, &x);
  if (!i->nwords) amd_stop(w, &nothing, "no instruction: %08x %08x", words[0], words[1]);
  if (x.op_y) {
    i->dual = amd_new_ins(m);
    if (!i->dual) amd_stop(w, i, "out of memory");
    i->dual->pc = pc; i->dual->nwords = i->nwords; i->dual->family = m->family;
    amd_half_of(w, i->dual, &x, x.op_y, x.y, x.n_y);
  }
  amd_half_of(w, i, &x, x.op, x.o, x.n);
  amd_lawful(w, i, tn_amd_format(x.op, x.family));
  return i;
}
static size_t amd_place_of(const amd_machine *m, uint64_t pc) {
  size_t k = (size_t)(pc / 4 * 0x9E3779B97F4A7C15ull >> 20) & (m->ntable - 1);
  while (m->table[k] && m->table[k]->pc != pc) k = (k + 1) & (m->ntable - 1);
  return k;
}
static int amd_table_grows(amd_machine *m) {
  amd_ins **old = m->table;
  const size_t n = m->ntable;
  m->ntable = n ? 2 * n : 1024;
  m->table = (amd_ins **)calloc(m->ntable, sizeof *m->table);
  if (!m->table) { m->table = old; m->ntable = n; return 0; }
  for (size_t k = 0; k < n; k++)
    if (old[k]) m->table[amd_place_of(m, old[k]->pc)] = old[k];
  free(old);
  return 1;
}
// The instruction at pc.
static amd_ins *amd_ins_at(amd_wave *w, uint64_t pc) {
  amd_machine *m = w->m;
  amd_ins nothing;
  memset(&nothing, 0, sizeof nothing);
  nothing.pc = pc;
  if (2 * m->nins >= m->ntable && !amd_table_grows(m)) amd_stop(w, &nothing, "out of memory");
  const size_t k = amd_place_of(m, pc);
  if (!m->table[k]) { m->table[k] = amd_decoded(w, pc); m->nins++; }
  return m->table[k];
}
#endif
