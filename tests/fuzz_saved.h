// fuzz_saved: what the fuzzers of saved programs have in common (fuzz_saved, fuzz_program, fuzz_load): an input is a
// program of tiny_program_save, whose sums and names are made right before it is read, as anybody can make them who
// writes a file. Inputs are bred part by part (LLVMFuzzerCustomMutator): parts stay where they are, so that most inputs
// come as far as the checks of what is in them.
#ifndef FUZZ_SAVED_H
#define FUZZ_SAVED_H

enum { MOST_NBYTES = 1 << 16, MOST_WORK = 1 << 15, MOST_ENDS = 16, FENCE = 64, FENCED = 0xA7 };
#define FUZZ_CHECK(ok) \
  do { if (!(ok)) { fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #ok); __builtin_trap(); } } while (0)

static void hush(void *user, const char *line) { (void)user; (void)line; }
static tiny_ctx *open_context(const char *device, const char *compiler) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = device; d.compiler = compiler; d.threads = 1; d.max_nbytes = (size_t)64 << 20; d.log.fn = hush;
  tiny_ctx *t = tiny_open(&d);
  FUZZ_CHECK(t && tiny_status(t) == TINY_OK);
  return t;
}

// Makes right what says that the bytes are a file of this release, and its sums.
static void mend(char *data, size_t n) {
  static tn_digest words;
  static int known;
  tn_saved_head *h = (tn_saved_head *)(void *)data;
  const uint64_t aligned = n / TN_SAVED_ALIGN * TN_SAVED_ALIGN;
  if (!known++) words = tn_saved_words();
  memcpy(h->magic, tn_saved_magic, sizeof h->magic);
  h->format = TN_SAVED_FORMAT; h->order = TN_CONTAINER_ORDER; h->nbytes = n; h->words = words;
  const tn_saved_part *code = &h->part[TN_SAVED_CODE], *contents = &h->part[TN_SAVED_CONTENTS];
  if (contents->at > aligned || contents->at < sizeof *h || contents->n > n - contents->at) return;
  if (code->at % TN_SAVED_ALIGN == 0 && code->at < contents->at &&
      contents->at - code->at >= sizeof(tn_container_head)) {
    tn_container_head *c = (tn_container_head *)(void *)(data + code->at);
    memcpy(c->magic, tn_container_magic, sizeof c->magic);
    c->order = TN_CONTAINER_ORDER; c->format = TN_CONTAINER_FORMAT; c->nbytes = code->n;
  }
  memset(h->quick, 0, sizeof h->quick);
  tn_saved_quick(data + contents->at, (size_t)contents->n, h->quick);
  if (contents->at % TN_SAVED_ALIGN == 0 && contents->at >= 2 * TN_SAVED_ALIGN)
    tn_saved_front(data, contents->at, h->front);
}
// The input as a file in memory, aligned; to be freed.
static char *mended(const uint8_t *data, size_t nbytes) {
  char *own = (char *)malloc(nbytes + 1);
  memcpy(own, data, nbytes);
  if (nbytes >= sizeof(tn_saved_head)) mend(own, nbytes);
  return own;
}
// The input, loaded: NULL, and an error that says that the file is bad, or a program. *own: its bytes, to be freed.
static tiny_program *loaded(tiny_ctx *t, const uint8_t *data, size_t nbytes, char **own) {
  tiny_program_source from;
  memset(&from, 0, sizeof from);
  from.data = *own = mended(data, nbytes);
  from.nbytes = nbytes;
  tiny_program *p = tiny_program_load(t, &from);
  FUZZ_CHECK((p != NULL) == (tiny_status(t) == TINY_OK));
  FUZZ_CHECK(p || tiny_status(t) == TINY_E_IO || tiny_status(t) == TINY_E_MEMORY);
  return p;
}

// ** what has been loaded is called **

// How often the innermost loops of the program in these bytes, which was loaded, go round, at most.
static int64_t work_of(tiny_ctx *t, const char *data, const char *const *targets, const uint32_t *const *features) {
  const tn_saved f = tn_saved_of(data);
  const tn_container c = tn_saved_code(&f);
  int64_t all = 0, rounds = 1;
  for (int i = 0; i < f.n[TN_SAVED_TILES]; i++)
    for (int k = 0; k < f.tiles[i].n; k++) rounds = tn_clamp_mul(rounds, f.tiles[i].count[k]);
  for (int i = 0; i < f.n[TN_SAVED_KERNELS]; i++) {
    const tn_container_kernel *as = NULL;
    tn_wire_list list;
    for (int k = 0; targets[k] && !as; k++) as = tn_opened_find(&c, &f.kernel[i], targets[k], features[k]);
    if (!as) continue;
    tn_nodes_begin(t);
    FUZZ_CHECK(!tn_wire_in(t, c.data + c.module[as->module].at, (size_t)c.module[as->module].nbytes, &list));
    int64_t times = tn_clamp_mul(as->tasks < 1 ? 1 : as->tasks, list.n);
    for (int k = 0; k < list.n; k++)
      if (list.list[k]->op == TINY_OP_RANGE) times = tn_clamp_mul(times, tn_clamp_add(list.list[k]->vmax, 1));
    tn_nodes_leave(t);
    all = tn_clamp_add(all, times);
  }
  tn_scratch_reset(t, 0);
  return tn_clamp_mul(tn_clamp_mul(all, rounds), f.n[TN_SAVED_STEPS] + 1);
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
static void call(tiny_program *p, int64_t work) {
  void *in[MOST_ENDS], *out[MOST_ENDS];
  size_t nin[MOST_ENDS], nout[MOST_ENDS];
  int n = 0, m = 0, all = 1;
  tiny_dtype dtype;
  tiny_shape shape;
  for (; all && tiny_program_input(p, n, &dtype, &shape); n += all)
    all = n < MOST_ENDS && (in[n] = fenced(dtype, &shape, &nin[n])) != NULL;
  for (; all && tiny_program_output(p, m, &dtype, &shape); m += all)
    all = m < MOST_ENDS && (out[m] = fenced(dtype, &shape, &nout[m])) != NULL;
  if (all && work < MOST_WORK) tiny_program_call(p, (const void *const *)in, out);
  for (int i = 0; i < n; i++) unfence((unsigned char *)in[i], nin[i], 1);
  for (int i = 0; i < m; i++) unfence((unsigned char *)out[i], nout[i], 0);
}

// ** breeding **

extern size_t LLVMFuzzerMutate(uint8_t *data, size_t nbytes, size_t most);
extern size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t nbytes, size_t most, unsigned seed);

static uint32_t drawn_from(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}
// A few bytes at `data`, of n: other ones, one more or less, what integers end with, or what stands elsewhere in them.
static void change_some(uint8_t *data, size_t n, uint32_t *state) {
  static const int64_t ends[] = {0, 1, -1, 2, 16, 64, 255, INT_MAX, INT_MIN, UINT32_MAX, INT64_MAX, INT64_MIN,
    (int64_t)1 << 40};
  static const size_t widths[] = {1, 4, 4, 8};
  size_t width = widths[drawn_from(state) % 4];
  if (width > n) width = n;
  uint8_t *at = data + drawn_from(state) % (n / width) * width;
  int64_t k = 0;
  memcpy(&k, at, width);                   // of machines whose low bytes come first
  switch (drawn_from(state) % 4) {
    case 0: k = (int64_t)((uint64_t)k + drawn_from(state) % 9 - 4); break;
    case 1: k = ends[drawn_from(state) % (sizeof ends / sizeof *ends)]; break;
    case 2: memmove(&k, data + drawn_from(state) % (n / width) * width, width); break;
    default: LLVMFuzzerMutate(at, width, width); return;
  }
  memcpy(at, &k, width);
}
extern size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t nbytes, size_t most, unsigned seed) {
  uint32_t state = seed * 2654435761u + 1;
  const tn_saved_head *h = (const tn_saved_head *)(void *)data;
  if (nbytes < sizeof *h || drawn_from(&state) % 16 == 0) return LLVMFuzzerMutate(data, nbytes, most);
  for (int changes = 1 + (int)(drawn_from(&state) % 3); changes > 0; changes--) {
    const int i = (int)(drawn_from(&state) % (TN_SAVED_PARTS + 4));
    size_t at = 0, n = sizeof *h;
    if (i < TN_SAVED_CODE) { at = (size_t)h->part[i].at; n = (size_t)h->part[i].n * tn_saved_row[i]; }
    else if (i > TN_SAVED_CODE) { at = (size_t)h->part[TN_SAVED_CODE].at; n = (size_t)h->part[TN_SAVED_CODE].n; }
    if (h->part[i < TN_SAVED_PARTS ? i : 0].n < (1u << 30) && at < nbytes && n && n <= nbytes - at)
      change_some(data + at, n, &state);
  }
  return nbytes;
}
#endif
