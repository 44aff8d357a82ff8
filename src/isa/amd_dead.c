// amd_dead: lines whose results nobody reads are left out.
//
// In:  a list of virtual registers. Out: the same, without lines that only compute what is not read.
// Holds: a line stays that writes memory, or a register of the processor; that somebody behind it reads SCC of, too.
#ifndef TN_ISA_AMD_DEAD
#define TN_ISA_AMD_DEAD
#ifndef TINY_AMALGAMATED
#include "amd_uses.c"
#endif

// Does it but compute, or load, what it names?
static int tn_amd_only_gives(const tn_amd_line *line) {
  switch (tn_amd_unit(line)) {
    case TN_AMD_U_SALU: case TN_AMD_U_SMEM: case TN_AMD_U_VALU: case TN_AMD_U_TRANS: case TN_AMD_U_MATRIX: return 1;
    case TN_AMD_U_LDS: case TN_AMD_U_VMEM:
      return tn_amd_is_named(&line->ins, "load") || tn_amd_is_named(&line->ins, "_read") ||
          line->ins.op == TN_AMD_DS_SWIZZLE_B32 || line->ins.op == TN_AMD_DS_BPERMUTE_B32;
    default: return 0;
  }
}
// scc: does somebody read it behind the line? *live: how often each virtual register is read by lines that stay.
static int tn_amd_is_dead(const tn_amd_line *line, const tn_amd_uses *u, const int *live, int scc) {
  int writes = 0;
  if (!tn_amd_only_gives(line) || tn_amd_stands(line)) return 0;
  for (int i = 0; i < u->n; i++) {
    if (!(u->of[i].role & TN_AMD_WRITES)) continue;
    writes = 1;
    if (u->of[i].kind == TN_AMD_SPECIAL && u->of[i].reg == TN_AMD_SCC) { if (scc) return 0; continue; }
    if (u->of[i].reg < TN_AMD_VIRTUAL || live[u->of[i].reg - TN_AMD_VIRTUAL]) return 0;
  }
  return writes;
}
static void tn_amd_remove_dead(tn_amd_list *l) {
  tn_amd_uses u;
  int *const live = (int *)tn_amd_room(l, (size_t)l->nvreg + 1, sizeof *live), scc = 0, kept = l->n;
  if (!live) return;
  for (int i = 0; i < l->n; i++) {
    tn_amd_uses_of(&l->line[i], &u);
    const int own = tn_amd_only_gives(&l->line[i]) ? TN_AMD_WRITES : 0;         // what it adds to keeps nobody alive
    for (int k = 0; k < u.n; k++)
      if (u.of[k].role & TN_AMD_READS && !(u.of[k].role & own) && u.of[k].reg >= TN_AMD_VIRTUAL)
        live[u.of[k].reg - TN_AMD_VIRTUAL]++;
  }
  for (int i = l->n - 1; i >= 0; i--) {
    tn_amd_uses_of(&l->line[i], &u);
    const int dead = tn_amd_is_dead(&l->line[i], &u, live, scc);
    for (int k = 0; k < u.n; k++) {
      const int is_scc = u.of[k].kind == TN_AMD_SPECIAL && u.of[k].reg == TN_AMD_SCC;
      if (dead && u.of[k].role == TN_AMD_READS && u.of[k].reg >= TN_AMD_VIRTUAL) live[u.of[k].reg - TN_AMD_VIRTUAL]--;
      if (!dead && is_scc) scc = u.of[k].role == TN_AMD_READS;
    }
    for (int k = 0; k < u.n && !dead; k++)
      if (u.of[k].kind == TN_AMD_SPECIAL && u.of[k].reg == TN_AMD_SCC && u.of[k].role & TN_AMD_READS) scc = 1;
    if (!dead) l->line[--kept] = l->line[i];
  }
  memmove(l->line, l->line + kept, (size_t)(l->n - kept) * sizeof *l->line);
  l->n -= kept;
}
#endif
