// save: a program of tiny_capture as bytes: its plan, what its memory holds, and its kernels for several processors.
//
// In:    a program, a tiny_ship_desc. Out: a run of bytes as ship/saved.c has it, to a file or a function.
// Holds: the program stays as it is. A kernel goes out as what it computes, from which any build that plans makes it
//        for any device; as lists for processors, from which a build that only runs compiles it; as machine code for
//        the levels that are asked for; and as what its own device has loaded.
#ifndef TN_SHIP_SAVE
#define TN_SHIP_SAVE
#ifndef TINY_AMALGAMATED
#include "saved.c"
#include "../io/state.c"
#endif

// Bytes that live until the call is over, the newest first.
typedef struct tn_saving_block { struct tn_saving_block *older; size_t nbytes; } tn_saving_block;
typedef struct tn_saving {
  tiny_ctx *t; tiny_program *p; const tiny_ship_desc *d;
  tiny_writer to; const char *name;        // name: of the file, for messages
  const char *earlier; size_t earlier_nbytes;                // a file of an earlier save; NULL: none
  struct tn_device *device;                // the one that it runs on
  tn_saving_block *blocks;
  tn_container_items code;
  tiny_bytes part[TN_SAVED_CODE];
  tn_saved_head head;
  tn_storage **memory; int nmemory;        // by number
  const tn_executable **kernel; int nkernel;
} tn_saving;

static int tn_saving_count(const tn_saving *s, int part) { return (int)(s->part[part].n / tn_saved_row[part]); }
static void tn_saving_row(tn_saving *s, int part, const void *row) {
  tiny_bytes_add(&s->part[part], row, tn_saved_row[part]);
}
static int32_t tn_saving_dims(tn_saving *s, int n, const int64_t *dim) {
  const int at = tn_saving_count(s, TN_SAVED_DIMS);
  tiny_bytes_add(&s->part[TN_SAVED_DIMS], dim, (size_t)n * sizeof *dim);
  return at;
}
static int32_t tn_saving_numbers(tn_saving *s, int n, const int *number) {
  const int at = tn_saving_count(s, TN_SAVED_NUMBERS);
  tiny_bytes_add(&s->part[TN_SAVED_NUMBERS], number, (size_t)n * sizeof *number);
  return at;
}
static int32_t tn_saving_text(tn_saving *s, const char *text) {
  const int at = tn_saving_count(s, TN_SAVED_TEXT);
  tiny_bytes_add(&s->part[TN_SAVED_TEXT], text, strlen(text) + 1);
  return at;
}

// ** the plan **

// What can be saved at all?
static tiny_code tn_saving_may(tn_saving *s) {
  tiny_ctx *t = s->t;
  const tiny_program *p = s->p;
  if (tn_program_is_bound(p, "program_save") != TINY_OK) return t->code;
  const tn_plan *plan = p->plan;
  int device = plan && plan->nplace ? plan->place[0].device : t->here;
  for (int i = 0; plan && i < plan->nplace; i++)
    if (plan->place[i].device != device)
      return tiny_fail(t, TINY_E_STATE, "program_save: the program runs on several devices; capture it on one");
  if (p->group) return tiny_fail(t, TINY_E_STATE, "program_save: an input or output is split over several devices");
  for (int i = 0; i < p->noutput; i++)
    if (p->output[i].meant)
      return tiny_fail(t, TINY_E_STATE, "program_save: output %d has a length that changes from run to run; give its "
                       "tiny_whole, and the length", i);
  s->device = t->device[device];
  return TINY_OK;
}
static void tn_saving_inputs(tn_saving *s) {
  for (int i = 0; i < s->p->ninput; i++) {
    const tn_bound_input *x = &s->p->input[i];
    const tn_saved_input row = {x->least, x->most, x->dtype, x->scalar, x->shape.ndim,
                               tn_saving_dims(s, x->shape.ndim, x->shape.dim)};
    tn_saving_row(s, TN_SAVED_INPUTS, &row);
  }
  for (int i = 0; i < s->p->noutput; i++) {
    const tn_bound_output *o = &s->p->output[i];
    const int given = o->row < 0;
    const tn_saved_output row = {given ? -1 : s->p->plan->output[o->row].place, given ? o->input : -1, o->dtype,
                                o->shape.ndim, tn_saving_dims(s, o->shape.ndim, o->shape.dim), 0};
    tn_saving_row(s, TN_SAVED_OUTPUTS, &row);
  }
}
static const char *tn_saving_name_of(const tn_saving *s, const tn_storage *memory) {
  for (int i = 0; s->d && i < s->d->n; i++) {
    const tiny_uop *u = tn_plain_buffer(tn_uop_of(s->d->tensors[i]));
    if (u && u->ptr == memory) return s->d->names[i];
  }
  for (int i = 0; i < s->p->nnamed; i++)   // of a program that was loaded
    if (tn_leaf_storage(s->p->leaf[s->p->named[i].leaf].memory) == memory) return s->p->named[i].name;
  return NULL;
}
// Number of the memory; what several leaves have is one.
static int tn_saving_memory(tn_saving *s, const tn_bound_leaf *leaf) {
  tn_storage *memory = tn_leaf_storage(leaf->memory);
  tn_saved_memory row;
  int at = 0;
  while (at < s->nmemory && s->memory[at] != memory) at++;
  if (at == s->nmemory) {
    const char *name = tn_saving_name_of(s, memory);
    memset(&row, 0, sizeof row);
    row.nelem = leaf->memory->dim[0]; row.dtype = leaf->memory->dtype; row.name = name ? tn_saving_text(s, name) : -1;
    row.outside = name && s->d && s->d->weights;
    s->memory[s->nmemory++] = memory;
    tn_saving_row(s, TN_SAVED_MEMORIES, &row);
  }
  tn_saved_memory *had = (tn_saved_memory *)(void *)s->part[TN_SAVED_MEMORIES].data + at;
  const int64_t nbytes = tn_node_nbytes(leaf->memory), each = tn_dtypes[had->dtype].nbytes;
  if (had->nelem * each < nbytes) had->nelem = (nbytes + each - 1) / each;
  had->assigned |= leaf->updated != 0;
  return at;
}
static void tn_saving_leaves(tn_saving *s) {
  s->memory = (tn_storage **)tn_scratch(s->t, ((size_t)s->p->nleaf + 1) * sizeof *s->memory);
  for (int i = 0; i < s->p->nleaf; i++) {
    const tn_bound_leaf *leaf = &s->p->leaf[i];
    tn_saved_leaf row = {leaf->input, -1};
    if (leaf->input < 0) row.memory = tn_saving_memory(s, leaf);
    tn_saving_row(s, TN_SAVED_LEAVES, &row);
  }
}
static void tn_saving_scalars(tn_saving *s) {
  static const int kinds[] = {TN_SAVED_FIXED, TN_SAVED_INPUT, TN_SAVED_DRAW};
  for (int i = 0; i < s->p->nscalar; i++) {
    const tn_bound_scalar *x = &s->p->scalar[i];
    tn_saved_scalar row;
    memset(&row, 0, sizeof row);
    row.k = x->u->k; row.dtype = x->u->dtype; row.input = x->kind == TN_SCALAR_INPUT ? x->input : -1;
    row.kind = x->kind != TN_SCALAR_SEED ? kinds[x->kind]
               : (uintptr_t)x->u->ptr == TN_SEED_LOW ? TN_SAVED_SEED_LOW : TN_SAVED_SEED_HIGH;
    if (row.kind == TN_SAVED_DRAW) row.draw = (uint32_t)((uint32_t)x->u->k - s->p->draw);
    tn_saving_row(s, TN_SAVED_SCALARS, &row);
  }
}
static int tn_saving_kernel(tn_saving *s, const tn_executable *e) {
  int at = 0;
  while (at < s->nkernel && s->kernel[at] != e) at++;
  if (at < s->nkernel) return at;
  s->kernel[s->nkernel++] = e;
  tn_saving_row(s, TN_SAVED_KERNELS, &e->key);
  return at;
}
static void tn_saving_steps(tn_saving *s) {
  static const int kinds[] = {TN_SAVED_IN_LEAF, TN_SAVED_IN_OUTPUT, TN_SAVED_IN_ARENA};
  const tn_plan *plan = s->p->plan;
  s->kernel = (const tn_executable **)tn_scratch(s->t, ((size_t)(plan ? plan->nstep : 0) + 1) * sizeof *s->kernel);
  for (int i = 0; plan && i < plan->nplace; i++) {           // outputs are numbered anew, without what lives in leaves
    const tn_place_row *p = &plan->place[i];
    const int index = p->kind == TN_PLACE_LEAF ? p->index : p->kind == TN_PLACE_OUTPUT ? (int)s->head.noutput++ : 0;
    const tn_saved_place row = {p->nbytes, p->kind == TN_PLACE_TEMP ? p->offset : 0, kinds[p->kind], index};
    tn_saving_row(s, TN_SAVED_PLACES, &row);
  }
  for (int i = 0; plan && i < plan->ntiled; i++) {
    tn_saved_tiles row;
    memset(&row, 0, sizeof row);
    row.n = plan->tiled[i].n;
    for (int k = 0; k < plan->tiled[i].n; k++) {
      const tn_tiled_axis *a = &plan->tiled[i].axis[k];
      row.from[k] = a->from; row.step[k] = a->step; row.count[k] = a->count;
    }
    tn_saving_row(s, TN_SAVED_TILES, &row);
  }
  for (int i = 0; plan && i < plan->nstep; i++) {
    const tn_step *x = &plan->step[i];
    if (!x->exe) continue;                 // there are no elements
    const tn_saved_step row = {tn_saving_kernel(s, x->exe), tn_saving_numbers(s, x->nmem, x->mem), x->nmem,
                              tn_saving_numbers(s, x->narg, x->arg), x->narg, x->tiled, x->dtype, x->ndim,
                              tn_saving_dims(s, x->ndim, x->dim), 0};
    tn_saving_row(s, TN_SAVED_STEPS, &row);
  }
  s->head.arena_nbytes = plan ? plan->arena[s->device->number] : 0;
  s->head.draws = s->p->ndraw;
}
// Before anything else is on the stack, as graphs are planned here: what memory of the program holds can be looked at
// afterwards.
static tiny_code tn_saving_settle(tiny_ctx *t, void *arg) {
  return tn_program_memory_now(t, ((const tn_saving *)arg)->p);
}
// The program as rows, if it can be shipped.
static tiny_code tn_saving_rows(tn_saving *s) {
  for (int i = 0; i < TN_SAVED_CODE; i++) s->part[i].t = s->t;
  if (tn_saving_may(s) != TINY_OK) return s->t->code;
  tn_saving_inputs(s);
  tn_saving_leaves(s);
  tn_saving_scalars(s);
  tn_saving_steps(s);
  return TINY_OK;
}

// ** kernels **

// A copy that outlives scratch memory.
static const void *tn_saving_keep(tn_saving *s, const void *data, size_t nbytes) {
  tn_saving_block *b = (tn_saving_block *)tn_realloc(s->t, NULL, 0, sizeof *b + nbytes);
  b->older = s->blocks; b->nbytes = sizeof *b + nbytes;
  s->blocks = b;
  return memcpy(b + 1, data, nbytes);
}
static void tn_saving_end(tn_saving *s) {
  tn_nodes_leave(s->t);
  while (s->blocks) {
    tn_saving_block *b = s->blocks;
    s->blocks = b->older;
    tn_release(s->t, b, b->nbytes);
  }
}
// The next kernel of the container: what e is launched with; the bytes are the caller's.
static tn_container_item *tn_saving_item(tn_saving *s, const tn_executable *e, const char *target, const void *data,
                                       size_t nbytes) {
  tn_container_item *item = tn_container_add(s->t, &s->code);
  item->kernel = tn_executable_in_container(e);
  if (target) snprintf(item->target.name, sizeof item->target.name, "%s", target);
  item->binary = data; item->nbytes = nbytes;
  return item;
}

#if TN_CPU_BUILTIN && !defined(TN_OS_PAGE)
// What a kernel is, for a processor of that level: a list, and its object unless code is 0.
static tiny_code tn_saving_level(tn_saving *s, const tn_executable *e, const tn_os_level *level, int base, int code) {
  tiny_ctx *t = s->t;
  const tn_mark mark = tn_scratch_mark(t);
  tn_cpu *cpu = (tn_cpu *)tn_scratch(t, sizeof *cpu);         // too large for a stack, both
  tiny_renderer *r = (tiny_renderer *)tn_scratch(t, sizeof *r);
  tiny_limits limits;
  tn_wire_list kernel;
  tn_lowered low;
  tiny_bytes list = {t, NULL, 0, 0}, object = {t, NULL, 0, 0};
  memset(&limits, 0, sizeof limits); memset(&low, 0, sizeof low);
  cpu->t = t; cpu->builtin = 1;
  cpu->facts = tn_os_cpu_get();
  tn_os_cpu_of(&cpu->facts, level);
  tn_cpu_renderer(cpu, r);
  limits.host_memory = limits.threads = 1;
  limits.vector_nbytes = level->vector_nbytes; limits.vector_registers = level->registers;
  tn_caches_get(limits.memory);
  limits.cache_nbytes = (size_t)tn_machine_near(&limits);
  tn_nodes_enter(t, tn_index(t, 0));
  const char *wrong = tn_wire_in(t, e->packed, e->npacked, &kernel);
  if (wrong) return tiny_fail(t, TINY_E_INTERNAL, "program_save: kernel %s: %s", e->name, wrong);
  const tn_target target = {r, &limits};
  if (tn_pipeline_run(t, kernel.list[kernel.n - 1], &target, NULL, 0, &low) != TINY_OK) return t->code;
  const tiny_listing k = {e->name, low.list, low.n, low.hints, low.local, low.local_nbytes};
  tn_wire_out(t, low.list, low.n, low.hints, &list);
  const char *refused = code ? TN_CPU_BUILTIN_OBJECT(t, &k, tn_cpu_level(cpu), &object) : "not asked for";
  tn_container_kernel as;
  memset(&as, 0, sizeof as);
  memcpy(as.global, low.global, sizeof as.global);
  tn_lowered_threads(&low, as.local);
  as.tasks = low.tasks; as.local_nbytes = low.local_nbytes; as.flops = low.flops; as.nbytes = low.nbytes;
  tn_nodes_leave(t);
  if (t->code != TINY_OK) return t->code;
  const void *const bytes[2] = {tn_saving_keep(s, list.data, list.n),
                                refused ? NULL : tn_saving_keep(s, object.data, object.n)};
  const size_t nbytes[2] = {list.n, refused ? 0 : object.n};
  char abi[TN_CONTAINER_NAME];
  snprintf(abi, sizeof abi, "CPU %s", tn_cpu_abi());
  tn_scratch_rewind(t, mark);
  for (int i = 0; i < 2; i++) {
    if (!bytes[i]) continue;
    const char *on = i ? abi : base ? TN_SHIP_LIST : TN_SHIP_OWN_LIST;
    tn_container_item *item = tn_saving_item(s, e, on, bytes[i], nbytes[i]);
    if (i || !base) memcpy(item->target.feature, level->features, sizeof level->features);
    as.key = item->kernel.key;
    memcpy(as.name, item->kernel.name, sizeof as.name);
    item->kernel = as;
  }
  return TINY_OK;
}
// Which levels are asked for, a bit each; -1: there is none of a name.
static int tn_saving_levels(tn_saving *s) {
  const char *at = s->d ? s->d->levels : NULL;
  const tn_os_cpu here = tn_os_cpu_get();
  int bits = 1, own = 0;
  for (int i = 0; i < TN_OS_LEVELS; i++)
    if (!tn_os_levels[i].tiles && tn_os_cpu_reaches(&here, &tn_os_levels[i])) own = i;
  if (!at) return bits | 1 << own;
  if (!strcmp(at, "none")) return 0;
  for (bits = 0; *at; at += *at == ',') {
    char name[16];
    const size_t n = strcspn(at, ",");
    snprintf(name, sizeof name, "%.*s", n < 15 ? (int)n : 15, at);
    const tn_os_level *l = tn_os_level_named(name);
    if (!strcmp(name, "all")) for (int i = 0; i < TN_OS_LEVELS; i++) bits |= !tn_os_levels[i].tiles << i;
    else if (l) bits |= 1 << (int)(l - tn_os_levels);
    else {
      tiny_fail(s->t, TINY_E_ARG, "program_save: there is no level %s; there are " TN_OS_LEVEL_NAMES ", all and none",
                name);
      return -1;
    }
    at += n;
  }
  return bits;
}
static tiny_code tn_saving_processors(tn_saving *s) {
  const int bits = tn_saving_levels(s);
  for (int i = 0; i < s->nkernel && bits >= 0; i++) for (int l = 0; l < TN_OS_LEVELS; l++) {
    if (!s->kernel[i]->packed || (l && !(bits >> l & 1))) continue;
    if (tn_saving_level(s, s->kernel[i], &tn_os_levels[l], l == 0, bits >> l & 1) != TINY_OK) return s->t->code;
  }
  return s->t->code;
}
#else
static tiny_code tn_saving_processors(tn_saving *s) { return s->t->code; }
#endif

static tiny_code tn_saving_kernels(tn_saving *s) {
  for (int i = 0; i < s->nkernel; i++) {
    const tn_executable *e = s->kernel[i];
    if (!e->packed && (!e->module || !e->module->binary))
      return tiny_fail(s->t, TINY_E_STATE, "program_save: kernel %s of your own has no binary to save", e->name);
    if (e->packed) tn_saving_item(s, e, TN_SHIP_KERNEL, e->packed, e->npacked);
    const int by_level = e->packed && !e->width && tn_is_cpu(s->device->backend);
    if (!e->module || !e->module->binary || by_level) continue;
    tn_container_item *item = tn_saving_item(s, e, NULL, e->module->binary, e->module->nbytes);
    item->target = e->module->target;
  }
  return tn_saving_processors(s);
}

// ** the file **

static const char tn_saving_zeros[TN_SAVED_ALIGN] = {0};
static uint64_t tn_saving_aligned(uint64_t n) { return (n + TN_SAVED_ALIGN - 1) / TN_SAVED_ALIGN * TN_SAVED_ALIGN; }
static size_t tn_saving_nbytes(const tn_saved_memory *m) { return (size_t)m->nelem * tn_dtypes[m->dtype].nbytes; }

// What memory holds, for the host to see; NULL after an error.
static const void *tn_saving_contents(tn_saving *s, int i, const tn_saved_memory *m) {
  struct tn_device *d = s->memory[i]->device;
  const tiny_mem from = {s->memory[i]->mem, 0};
  const size_t nbytes = tn_saving_nbytes(m);
  void *const seen = tn_storage_view(s->memory[i], nbytes);
  void *const copy = seen ? seen : tn_scratch_bare(s->t, nbytes + 1);
  tiny_code code = d->backend->sync(d->dev);
  if (code == TINY_OK && nbytes && !seen) code = d->backend->copy_out(d->dev, copy, from, nbytes);
  return code == TINY_OK ? copy : NULL;
}
// Adds bytes of the contents, and zeros up to a multiple of TN_SAVED_ALIGN, to the sums.
static void tn_saving_sum(tn_saving *s, tn_digester *exact, const char *data, size_t nbytes) {
  const size_t whole = nbytes / TN_SAVED_ALIGN * TN_SAVED_ALIGN;
  char last[TN_SAVED_ALIGN] = {0};
  tn_digest_add(exact, data, whole);
  tn_saved_quick(data, whole, s->head.quick);
  if (whole == nbytes) return;
  memcpy(last, data + whole, nbytes - whole);
  tn_digest_add(exact, last, sizeof last);
  tn_saved_quick(last, sizeof last, s->head.quick);
}
static int tn_saving_put(tn_sink *out, const void *data, size_t nbytes) {
  const size_t zeros = (size_t)(tn_saving_aligned(nbytes) - nbytes);
  return tn_sink_put(out, data, nbytes) && tn_sink_put(out, tn_saving_zeros, zeros);
}
// Kernels of an earlier file of the same program.
static void tn_saving_earlier_code(tn_saving *s) {
  size_t front;
  if (!s->earlier || tn_saved_head_check(s->earlier, s->earlier_nbytes, &front) ||
      tn_saved_check(s->earlier, front, s->earlier_nbytes, 0))
    return;
  const tn_saved f = tn_saved_of(s->earlier);
  const tiny_bytes *kernels = &s->part[TN_SAVED_KERNELS];
  const size_t nbytes = (size_t)f.n[TN_SAVED_KERNELS] * sizeof *f.kernel;
  if (nbytes != kernels->n || (nbytes && memcmp(f.kernel, kernels->data, nbytes))) return;
  const tn_container c = tn_saved_code(&f);
  tn_container_add_all(s->t, &s->code, &c);
}
static tiny_code tn_saving_write(tn_saving *s) {
  tiny_ctx *t = s->t;
  tn_saved_head *h = &s->head;
  tn_saved_memory *memory = (tn_saved_memory *)(void *)s->part[TN_SAVED_MEMORIES].data;
  const tn_digest source = tn_container_source(TN_SOURCE_ID);
  tiny_bytes code = {t, NULL, 0, 0};
  tn_digester exact = tn_digest_open(), all = tn_digest_open();
  tn_sink out = {t, "program_save", s->to, 0, 0};
  const void **contents = (const void **)tn_scratch(t, ((size_t)s->nmemory + 1) * sizeof *contents);
  uint64_t end = 0;
  tn_saving_earlier_code(s);
  tn_container_write(t, &s->code, &source, &code);
  for (int i = 0; i < s->nmemory; i++) if (!memory[i].outside) {
    memory[i].at = end;
    end = tn_saving_aligned(end + tn_saving_nbytes(&memory[i]));
    if (!(contents[i] = tn_saving_contents(s, i, &memory[i]))) return t->code;
    tn_saving_sum(s, &exact, (const char *)contents[i], tn_saving_nbytes(&memory[i]));
  }
  memcpy(h->magic, tn_saved_magic, sizeof h->magic);
  h->format = TN_SAVED_FORMAT; h->order = TN_CONTAINER_ORDER;
  h->words = tn_saved_words();
  h->contents = tn_digest_close(&exact);
  uint64_t at = tn_saving_aligned(sizeof *h);
  for (int i = 0; i < TN_SAVED_PARTS; i++) {
    const uint64_t nbytes = i == TN_SAVED_CONTENTS ? end : i == TN_SAVED_CODE ? code.n : s->part[i].n;
    h->part[i].at = at; h->part[i].n = nbytes / tn_saved_row[i];
    at = i == TN_SAVED_CONTENTS ? at + nbytes : tn_saving_aligned(at + nbytes);
  }
  h->nbytes = at;
  tiny_bytes front = {t, NULL, 0, 0};
  for (int i = -1; i < TN_SAVED_CONTENTS; i++) {
    const tiny_bytes *part = i == TN_SAVED_CODE ? &code : &s->part[i < 0 ? 0 : i];
    tiny_bytes_add(&front, i < 0 ? (const void *)h : part->data, i < 0 ? sizeof *h : part->n);
    tiny_bytes_add(&front, tn_saving_zeros, (size_t)(tn_saving_aligned(front.n) - front.n));
  }
  tn_digest_add(&all, front.data, front.n);
  h->sum = tn_digest_close(&all);
  memcpy(front.data, h, sizeof *h);
  tn_saved_front(front.data, front.n, h->front);
  memcpy(front.data, h, sizeof *h);
  if (!tn_sink_put(&out, front.data, front.n)) return t->code;
  for (int i = 0; i < s->nmemory; i++)
    if (!memory[i].outside && !tn_saving_put(&out, contents[i], tn_saving_nbytes(&memory[i]))) return t->code;
  return TINY_OK;
}

static tiny_code tn_saving_guarded(tiny_ctx *t, void *arg) {
  tn_saving *s = (tn_saving *)arg;
  const tiny_code code = tn_saving_rows(s);
  if (code != TINY_OK) return code;
  return tn_saving_kernels(s) == TINY_OK ? tn_saving_write(s) : t->code;
}
// What has a name, in an archive of its own.
static tiny_code tn_saving_weights(const tiny_ship_desc *d) {
  return d && d->weights ? tiny_save(d->weights, d->names, d->tensors, d->n) : TINY_OK;
}
static tiny_code tn_saving_to(tn_saving *s) {
  tiny_tensor *wrong;
  tiny_ctx *t = s->t;
  const tiny_ship_desc *d = s->d;
  if (!tn_runs(t)) return t->code;
  if (d && (d->n < 0 || (d->n && (!d->names || !d->tensors))))
    return tiny_fail(t, TINY_E_ARG, "program_save: %d names, but no names or no tensors", d->n);
  if (d && d->n && (!tn_usable_in(t, "program_save", d->n, d->tensors, &wrong) ||
                    tiny_realize(d->tensors, d->n) != TINY_OK))
    return t->code != TINY_OK ? t->code : TINY_E_ARG;
  if (tn_saving_weights(d) != TINY_OK) return t->code;
  tiny_code code = tn_guard(t, tn_saving_settle, s);
  if (code == TINY_OK) code = tn_guard(t, tn_saving_guarded, s);
  tn_saving_end(s);
  return code;
}
TINY_API tiny_code tiny_program_save_to(tiny_program *p, tiny_writer to, const tiny_ship_desc *d) {
  tn_saving s;
  if (!p) return TINY_E_ARG;
  memset(&s, 0, sizeof s);
  s.t = p->t; s.p = p; s.d = d; s.to = to; s.name = "the caller's function";
  return to.fn ? tn_saving_to(&s) : tiny_fail(p->t, TINY_E_ARG, "program_save_to: there is no function");
}
TINY_API tiny_code tiny_program_save(tiny_program *p, const char *path, const tiny_ship_desc *d) {
  tn_saving s;
  tn_os_facts earlier;
  if (!p) return TINY_E_ARG;
  if (!tn_source_path_check(p->t, "program_save", path)) return p->t->code;
  const char *const other = tn_os_in_the_way(path);
  if (other) return tiny_fail(p->t, TINY_E_IO, "program_save: %.200s: %s", path, other);
  tn_os_draft *const draft = (tn_os_draft *)tn_alloc(p->t, sizeof *draft);   // for a stack it is too large
  if (!draft) return p->t->code;
  memset(&s, 0, sizeof s);
  s.t = p->t; s.p = p; s.d = d; s.name = path;
  s.to.fn = tn_draft_fn; s.to.user = draft;
  const size_t had = tn_os_file(path, &earlier) && earlier.nbytes < SIZE_MAX / 2 ? (size_t)earlier.nbytes : 0;
  char *const data = had ? (char *)tn_alloc(p->t, had) : NULL;   // read, not mapped: somebody may write to it meanwhile
  if (data && tn_os_read_file(path, data, had)) { s.earlier = data; s.earlier_nbytes = had; }
  const int open = tn_os_draft_open(draft, path, TN_OS_ALL);
  tiny_code code = open ? tn_saving_to(&s) : TINY_E_IO;
  if (open && !tn_os_draft_close(draft, path, code == TINY_OK) && code == TINY_OK) code = TINY_E_IO;
  tn_release(p->t, data, had);
  tn_release(p->t, draft, sizeof *draft);
  return code == TINY_OK ? code : tiny_fail(p->t, code, "program_save: %.200s: it cannot be written", path);
}
#endif
