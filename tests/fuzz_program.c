// Fuzzes what loads and runs saved programs, in a build that only runs: clang -g -O1 -fsanitize=fuzzer,address,undefined
// tests/fuzz_program.c -o fuzz_program -lm -lpthread. An input is a program of tiny_program_save, whose sums and names are
// made right before it is read, as anybody can make them who writes a file. It is never trusted. What loads is called,
// unless its loops are long: interpreted, and where the list keeps within its memory compiled; what lies around its
// inputs and outputs stays as it is.
// runs in make test: 6000
#define TINY_RUNTIME_ONLY
#include "../src/all.c"

enum { MOST_NBYTES = 1 << 16, MOST_WORK = 1 << 15, MOST_ENDS = 16, FENCE = 64, FENCED = 0xA7 };
#define FUZZ_CHECK(ok) do { if (!(ok)) { fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #ok); __builtin_trap(); } } while (0)

static void hush(void *user, const char *line) { (void)user; (void)line; }
static tiny_ctx *context(void) {
  static tiny_ctx *t;
  tiny_desc d;
  if (t) return t;
  memset(&d, 0, sizeof d);
  d.device = "CPU"; d.threads = 1; d.max_nbytes = (size_t)64 << 20; d.log.fn = hush;
  t = tiny_open(&d);
  FUZZ_CHECK(t && tiny_status(t) == TINY_OK);
  return t;
}
// Makes right what says that the bytes are a file of this release, and its sums.
static void mend(char *data, size_t n) {
  tn_saved_head *h = (tn_saved_head *)(void *)data;
  const uint64_t aligned = n / TN_SAVED_ALIGN * TN_SAVED_ALIGN;
  memcpy(h->magic, tn_saved_magic, sizeof h->magic);
  h->format = TN_SAVED_FORMAT; h->order = TN_CONTAINER_ORDER; h->nbytes = n;
  h->words = tn_saved_words();
  const tn_saved_part *code = &h->part[TN_SAVED_CODE], *contents = &h->part[TN_SAVED_CONTENTS];
  if (contents->at > aligned || contents->at < sizeof *h || contents->n > n - contents->at) return;
  if (code->at % TN_SAVED_ALIGN == 0 && code->at < contents->at && contents->at - code->at >= sizeof(tn_container_head)) {
    tn_container_head *c = (tn_container_head *)(void *)(data + code->at);
    memcpy(c->magic, tn_container_magic, sizeof c->magic);
    c->order = TN_CONTAINER_ORDER; c->format = TN_CONTAINER_FORMAT; c->nbytes = code->n;
  }
  memset(h->quick, 0, sizeof h->quick);
  tn_saved_quick(data + contents->at, (size_t)contents->n, h->quick);
  if (contents->at % TN_SAVED_ALIGN == 0 && contents->at >= 2 * TN_SAVED_ALIGN) tn_saved_front(data, contents->at, h->front);
}
// How often its kernels' innermost loops go round, at most.
static int64_t work_of(tiny_program *p) {
  const tn_saved *f = &p->o.f;
  const tn_container c = tn_saved_code(&p->o.f);
  int64_t all = 0, rounds = 1;
  for (int i = 0; i < f->n[TN_SAVED_TILES]; i++)
    for (int k = 0; k < f->tiles[i].n; k++) rounds = tn_clamp_mul(rounds, f->tiles[i].count[k]);
  for (int i = 0; i < f->n[TN_SAVED_KERNELS]; i++) {
    const tn_container_kernel *as = tn_opened_find(&c, &f->kernel[i], TN_SHIP_OWN_LIST, tn_cpu_features(&p->t->runtime->cpu));
    tn_wire_list list;
    if (!as) as = tn_opened_find(&c, &f->kernel[i], TN_SHIP_LIST, NULL);
    tn_nodes_begin(p->t);
    FUZZ_CHECK(!tn_wire_in(p->t, c.data + c.module[as->module].at, (size_t)c.module[as->module].nbytes, &list));
    int64_t times = tn_clamp_mul(p->kernel[i].tasks, list.n);
    for (int k = 0; k < list.n; k++)
      if (list.list[k]->op == TINY_OP_RANGE) times = tn_clamp_mul(times, tn_clamp_add(list.list[k]->vmax, 1));
    tn_nodes_leave(p->t);
    all = tn_clamp_add(all, times);
  }
  tn_scratch_reset(p->t, 0);
  return tn_clamp_mul(tn_clamp_mul(all, rounds), f->n[TN_SAVED_STEPS] + 1);
}
static unsigned char *fenced(tiny_dtype dtype, const tiny_shape *s, size_t *nbytes) {
  *nbytes = (size_t)tn_dims_nelem(s->ndim, s->dim) * tn_dtypes[dtype].nbytes;
  if (*nbytes > MOST_NBYTES) return NULL;
  unsigned char *p = (unsigned char *)malloc(*nbytes + 2 * FENCE);
  memset(p, FENCED, *nbytes + 2 * FENCE);
  for (size_t i = 0; i < *nbytes; i++) p[FENCE + i] = (unsigned char)(i * 7 % 5);
  return p + FENCE;
}
static void unfence(unsigned char *p, size_t nbytes, int given) {
  for (size_t i = 0; i < FENCE; i++) FUZZ_CHECK(p[nbytes + i] == FENCED && p[-1 - (int)i] == FENCED);
  for (size_t i = 0; given && i < nbytes; i++) FUZZ_CHECK(p[i] == i * 7 % 5);
  free(p - FENCE);
}
static void call(tiny_program *p) {
  void *in[MOST_ENDS], *out[MOST_ENDS];
  size_t nin[MOST_ENDS], nout[MOST_ENDS];
  int n = 0, m = 0, all = 1;
  tiny_dtype dtype;
  tiny_shape shape;
  for (; all && tiny_program_input(p, n, &dtype, &shape); n += all) all = n < MOST_ENDS && (in[n] = fenced(dtype, &shape, &nin[n])) != NULL;
  for (; all && tiny_program_output(p, m, &dtype, &shape); m += all) all = m < MOST_ENDS && (out[m] = fenced(dtype, &shape, &nout[m])) != NULL;
  if (all && work_of(p) < MOST_WORK) tiny_program_call(p, (const void *const *)in, out);
  for (int i = 0; i < n; i++) unfence((unsigned char *)in[i], nin[i], 1);
  for (int i = 0; i < m; i++) unfence((unsigned char *)out[i], nout[i], 0);
}

extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes);
extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes) {
  tiny_ctx *t = context();
  tiny_program_source from;
  char *own = (char *)malloc(nbytes + 1);
  memcpy(own, data, nbytes);
  if (nbytes >= sizeof(tn_saved_head)) mend(own, nbytes);
  memset(&from, 0, sizeof from);
  from.data = own; from.nbytes = nbytes;
  tiny_program *p = tiny_program_load(t, &from);
  FUZZ_CHECK((p != NULL) == (tiny_status(t) == TINY_OK));
  FUZZ_CHECK(p || tiny_status(t) == TINY_E_IO || tiny_status(t) == TINY_E_MEMORY);
  free(own);
  if (p) call(p);
  tiny_clear(t);
  tiny_program_free(p);
  FUZZ_CHECK(!t->runtime->programs && !t->stats.nbytes_live);
  return 0;
}
