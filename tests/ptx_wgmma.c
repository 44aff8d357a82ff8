// ptx_wgmma: matrices that four warps multiply, of shared memory, asynchronously.
//
// Each warp has 16 rows of the product. It is computed where it is asked for; until the wait its registers cannot be
// read, and what it reads of shared memory is looked at again when it is waited for. Source: PTX ISA,
// "wgmma.mma_async", "Matrix Descriptor Format", "Shared Memory Matrix Layout"; strides as CUTLASS's canonical layouts
// have them (cute/arch/mma_sm90_desc.hpp). Included by ptx_machine.c.
#ifndef PTX_WGMMA_C
#define PTX_WGMMA_C
#include "ptx_wide.c"

// A matrix of shared memory: rows of its m or n; turned: rows lie beside each other.
typedef struct ptx_descriptor { uint32_t at, leading, stride; int swizzle, turned, nbytes; } ptx_descriptor;
static ptx_descriptor ptx_described(ptx_machine *v, uint64_t bits, int turned, int nbytes) {
  static const int swizzles[] = {0, 3, 2, 1};                // 128, 64, 32 bytes
  const ptx_descriptor d = {(uint32_t)(bits & 0x3FFF) << 4, (uint32_t)(bits >> 16 & 0x3FFF) << 4,
                            (uint32_t)(bits >> 32 & 0x3FFF) << 4, swizzles[bits >> 62], turned, nbytes};
  if (bits >> 49 & 7) ptx_stop(v, 0, "a matrix descriptor with a base offset");
  if (turned && nbytes != 2) ptx_stop(v, 0, "a turned matrix of other elements than 16 bits");
  return d;
}
static uint32_t ptx_element_at(const ptx_descriptor *d, uint32_t row, uint32_t k) {
  const uint32_t span = 16u << d->swizzle, n = (uint32_t)d->nbytes;        // bytes beside each other
  uint64_t at = d->at;
  if (!d->turned) {
    const uint32_t byte = k * n;
    at += row / 8 * d->stride + row % 8 * span + (d->swizzle ? byte : byte / 16 * d->leading + byte % 16);
  } else {
    const uint32_t each = span / n;
    at += row / each * (d->swizzle ? d->leading : d->stride) + row % each * n + k % 8 * span +
      k / 8 * (d->swizzle ? d->stride : d->leading);
  }
  return (uint32_t)ptx_swizzled(at, d->swizzle);
}
static void ptx_described_tile(ptx_machine *v, ptx_warp *w, const ptx_descriptor *d, int type, int first, int rows,
                               int k, double *x) {
  for (int row = 0; row < rows; row++)
    for (int i = 0; i < k; i++) {
      const uint32_t at = ptx_element_at(d, (uint32_t)(first + row), (uint32_t)i);
      if (at + (uint32_t)d->nbytes > v->shared_nbytes)
        ptx_stop(v, 0, "a matrix in shared memory at %u, of %u", at, v->shared_nbytes);
      ptx_fenced_read(v, w, 0, w->group, at, (uint32_t)d->nbytes);
      const uint64_t bits = ptx_read(w->group->shared + at, d->nbytes);
      if (x) x[row * 64 + i] = ptx_is_float(type) ? ptx_value(bits, type) : (double)ptx_small(bits, type);
    }
}
// A product under way: instruction, its group, and what it reads again.
static void ptx_wgmma_again(ptx_machine *v, ptx_warp *w, const ptx_product_open *p) {
  const ptx_ins *at = v->ins;
  v->ins = &v->m->ins[p->ins];
  const int n = v->ins->shape >> 8 & 0xFFF, k = v->ins->shape & 0xFF, nbytes = ptx_bits(v->ins->type2) / 8;
  const ptx_descriptor b = ptx_described(v, p->b, p->turned_b, nbytes), a = ptx_described(v, p->a, p->turned_a, nbytes);
  ptx_described_tile(v, w, &b, v->ins->type3, 0, n, k, NULL);
  if (p->has_a) ptx_described_tile(v, w, &a, v->ins->type2, w->index % 4 * 16, 16, k, NULL);
  v->ins = at;
}
static void ptx_wgmma_wait(ptx_machine *v, ptx_warp *w, uint32_t newest) {
  int kept = 0;
  for (int i = 0; i < w->nproduct; i++) {
    const ptx_product_open p = w->product[i];
    if (!p.group || w->product_group - p.group < newest) { w->product[kept++] = p; continue; }
    ptx_wgmma_again(v, w, &p);
    const ptx_operand *d = &v->m->operand[v->m->ins[p.ins].o];
    for (int k = 0; k < d->n; k++) w->defined[v->m->operand[d->at + k].at] = PTX_ALL;
  }
  w->nproduct = kept;
  for (int i = 0; i < kept; i++) {         // registers of later ones are under way still
    const ptx_operand *d = &v->m->operand[v->m->ins[w->product[i].ins].o];
    for (int k = 0; k < d->n; k++) w->defined[v->m->operand[d->at + k].at] = 0;
  }
}
static int ptx_is_under_way(const ptx_machine *v, const ptx_warp *w, const ptx_operand *d) {
  for (int i = 0; i < w->nproduct; i++) {
    const ptx_operand *other = &v->m->operand[v->m->ins[w->product[i].ins].o];
    for (int k = 0; k < other->n; k++) if (v->m->operand[other->at + k].at == v->m->operand[d->at].at) return 1;
  }
  return 0;
}
static void ptx_wgmma_product(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, const ptx_operand *o) {
  const int m = ins->shape >> 20, n = ins->shape >> 8 & 0xFFF, k = ins->shape & 0xFF, d = ins->type,
            nbytes = ptx_bits(ins->type2) / 8;
  const int has_a = o[1].kind != PTX_LIST, whole = !ptx_is_float(d), sized = nbytes == 2;
  double *x = v->wide_a, *y = v->wide_b;
  if (m != 64 || n % 8 || n > 256 || k * nbytes != 32) ptx_stop(v, 0, "'wgmma' of this shape is not known");
  if (!w->product_fence) ptx_stop(v, 0, "'wgmma' without a wgmma.fence before it");
  if (v->counts) v->counts->matrix++;
  const int scale_d = (int)(ptx_bits_of(v, w, &o[3], PTX_ALL) & 1);
  ptx_product_open p;
  memset(&p, 0, sizeof p);
  p.ins = (int)(ins - v->m->ins); p.has_a = has_a;
#define PTX_IMMEDIATE(i) ((i) < ins->n ? (int)(int32_t)ptx_row(v, w, &o[i], PTX_ALL, 0)[0] : 0)
  const int scale_a = whole ? 1 : PTX_IMMEDIATE(4), scale_b = whole ? 1 : PTX_IMMEDIATE(5);
  p.turned_a = sized && has_a ? PTX_IMMEDIATE(6) : 0;
  p.turned_b = sized ? PTX_IMMEDIATE(has_a ? 7 : 6) : 0;
  p.b = ptx_row(v, w, &o[2], PTX_ALL, 0)[0];
  const ptx_descriptor b = ptx_described(v, p.b, p.turned_b, nbytes);
  ptx_described_tile(v, w, &b, ins->type3, 0, n, k, y);
  if (has_a) {
    p.a = ptx_row(v, w, &o[1], PTX_ALL, 0)[0];
    const ptx_descriptor a = ptx_described(v, p.a, p.turned_a, nbytes);
    ptx_described_tile(v, w, &a, ins->type2, w->index % 4 * 16, 16, k, x);
  } else {
    ptx_gather_tile(v, w, &o[1], ins->type2, 16, k, PTX_ALL, &v->a);
    for (int i = 0; i < 16 * k; i++)
      x[i / k * 64 + i % k] = ptx_is_float(ins->type2) ? v->a.x[i / k][i % k] : (double)v->a.i[i / k][i % k];
  }
  const int each = ptx_bits(d) == 16 ? 2 : 1, words = n / 2 / each, open = ptx_is_under_way(v, w, &o[0]);
  for (int r = 0; r < words; r++) {
    const ptx_operand *to = ptx_words_of(v, &o[0], r, words);
    if (scale_d && !open) ptx_row(v, w, to, PTX_ALL, 0);     // it was written
    uint64_t *row = w->reg + (size_t)to->at * PTX_WARP;
    for (int i = 0; i < PTX_WARP; i++) {
      uint64_t out = 0;
      for (int e = 0; e < each; e++) {
        const int q = r * each + e, line = i / 4 + 8 * (q / 2 % 2), column = q / 4 * 8 + i % 4 * 2 + q % 2;
        double sum = 0;
        for (int t = 0; t < k; t++) sum += x[line * 64 + t] * y[column * 64 + t];
        sum *= scale_a * scale_b;
        const uint64_t was = row[i] >> 16 * e & ptx_mask_of(32 / each);
        if (whole) {
          const int64_t total = (int64_t)sum + (scale_d ? (int32_t)was : 0);
          out = ins->sat ? ptx_clamp(total, 32, 1) : (uint64_t)total & 0xFFFFFFFF;
        } else out |= ptx_of_value(sum + (scale_d ? ptx_value(was, d) : 0), d, PTX_W_rn, 0) << 16 * e;
      }
      row[i] = out;
    }
    w->defined[to->at] = 0;
  }
  w->product = (ptx_product_open *)ptx_room(v, w->product, w->nproduct, &w->product_room, sizeof p);
  w->product[w->nproduct++] = p;
}
static void ptx_wgmma(ptx_machine *v, ptx_warp *w, const ptx_ins *ins, const ptx_operand *o) {
  if (ptx_has(ins, PTX_W_fence)) { w->product_fence = 1; return; }
  if (ptx_has(ins, PTX_W_commit_group)) {
    w->product_group++;
    for (int i = 0; i < w->nproduct; i++) if (!w->product[i].group) w->product[i].group = w->product_group;
    return;
  }
  if (ptx_has(ins, PTX_W_wait_group)) { ptx_wgmma_wait(v, w, (uint32_t)ptx_row(v, w, &o[0], PTX_ALL, 0)[0]); return; }
  if (v->group_warps % 4) ptx_stop(v, 0, "'wgmma' in a group of %d warps", v->group_warps);
  ptx_wgmma_product(v, w, ins, o);
}
#endif
