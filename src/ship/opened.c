// opened: the bytes of a saved program: mapped or given, compared with their sums, checked; what its steps give
// kernels.
//
// In:    a tiny_program_source. Out: where its parts lie, or what is wrong with it.
// Holds: the front is a copy of its own, so that nobody changes what was checked; the contents are the file's pages, or
//        the caller's bytes. What is here a build that plans and one that only runs have in common.
#ifndef TN_SHIP_OPENED
#define TN_SHIP_OPENED
#ifndef TINY_AMALGAMATED
#include "saved.c"
#include "../io/source.c"
#include "../ir/wire.c"
#endif

typedef struct tn_opened {
  const tiny_program_source *from;
  tn_source source; tn_os_mapping mapping; int mapped;
  char *front; size_t front_nbytes;        // aligned as memory is
  tn_saved f;                              // of the front
} tn_opened;

// Of memory of a program that is asked for by its name: has it as many bytes? has: NULL: there is none of the name.
static int tn_opened_fits(tiny_ctx *t, const char *call, const char *name, const void *data, const uint64_t *has,
                          size_t nbytes) {
  if (!name || !data) tiny_fail(t, TINY_E_ARG, "%s: there is no name or no data", call);
  else if (!has) tiny_fail(t, TINY_E_ARG, "%s: the program has no memory of that name", call);
  else if (*has != nbytes)
    tiny_fail(t, TINY_E_ARG, "%s: %.100s has %llu bytes, not %llu", call, name, (unsigned long long)*has,
              (unsigned long long)nbytes);
  else return 1;
  return 0;
}
static int tn_opened_wrong(const tn_opened *o, const char *name, const char *wrong) {
  const char *path = o->source.path ? o->source.path : "the caller's bytes";
  tiny_fail(o->source.t, TINY_E_IO, "%s: %.200s: %s", name, path, wrong);
  return 0;
}
// What went wrong with a kernel, as what is wrong with the file; what went wrong with the memory stays.
static const char *tn_opened_blame(tiny_ctx *t, char *said, size_t nbytes) {
  if (t->code == TINY_E_MEMORY) return NULL;
  snprintf(said, nbytes, "%s", t->message);
  t->code = TINY_OK;
  return said;
}
static void tn_opened_close(tn_opened *o) {
  if (o->mapped) tn_os_unmap_file(&o->mapping);
  tn_release(o->source.t, o->front, o->front_nbytes);
  o->mapped = 0; o->front = NULL;
}
// 0: an error; tn_opened_close gives back what there is. Light code.
static int tn_opened_open(tiny_ctx *t, const char *name, const tiny_program_source *from, tn_opened *o) {
  memset(o, 0, sizeof *o);
  o->from = from;
  o->source = tn_source_memory(t, NULL, 0);
  if (t->code != TINY_OK) return 0;
  if (!from || (!from->path == !from->data)) {
    tiny_fail(t, TINY_E_ARG, "%s: a path or data is wanted", name);
    return 0;
  }
  if (from->data) o->source = tn_source_memory(t, from->data, from->nbytes);
  else {
    o->source.path = from->path;
    if (!(o->mapped = tn_os_map_file(from->path, &o->mapping)))
      return tn_opened_wrong(o, name, tn_os_why_not(from->path));
    o->source.data = (const unsigned char *)o->mapping.data; o->source.nbytes = o->mapping.nbytes;
    o->source.mapping = &o->mapping;
  }
  size_t front = 0;
  const char *wrong = tn_saved_head_check(o->source.data, o->source.nbytes, &front);
  if (wrong) return tn_opened_wrong(o, name, wrong);
  if (!(o->front = (char *)tn_realloc(t, NULL, 0, front))) return 0;
  o->front_nbytes = front;
  memcpy(o->front, o->source.data, front);
  wrong = tn_saved_check(o->front, front, o->source.nbytes, from->digest != NULL);
  if (wrong) return tn_opened_wrong(o, name, wrong);
  o->f = tn_saved_of(o->front);
  return 1;
}
static const char *tn_opened_contents(const tn_opened *o) {
  return (const char *)o->source.data + o->f.head->part[TN_SAVED_CONTENTS].at;
}
// Is what memory holds what was saved? exact: nobody can have made it so.
static int tn_opened_contents_check(const tn_opened *o, const char *name, int exact) {
  const size_t nbytes = (size_t)o->f.head->part[TN_SAVED_CONTENTS].n;
  const char *data = tn_opened_contents(o);
  uint64_t quick[4] = {0, 0, 0, 0};
  int same = 1;
  if (exact) {
    tn_digester d = tn_digest_open();
    tn_digest_add(&d, data, nbytes);
    const tn_digest sum = tn_digest_close(&d);
    same = tn_digest_same(&sum, &o->f.head->contents);
  } else {
    tn_saved_quick(data, nbytes, quick);
    same = !memcmp(quick, o->f.head->quick, sizeof quick);
  }
  return same || tn_opened_wrong(o, name, "its contents are not what was saved");
}
static void tn_opened_digest(const tn_opened *o, unsigned char *out) {
  tn_digest_bytes(&o->f.head->sum, out);
}
// Is it the one that the caller means, whole?
static int tn_opened_is_meant(const tn_opened *o) {
  unsigned char digest[32];
  const int exact = o->from->digest != NULL;
  tn_opened_digest(o, digest);
  if (exact && memcmp(digest, o->from->digest, sizeof digest))
    return tn_opened_wrong(o, "program_load", "it is not the file of that digest");
  return (!exact && o->from->unchecked) || tn_opened_contents_check(o, "program_load", exact);
}

// ** what a step gives its kernel **

// Of a number that a step takes, what it may be.
static void tn_opened_range(const tn_saved *f, const tn_saved_step *s, int32_t arg, int64_t *least, int64_t *most) {
  *least = 0; *most = UINT32_MAX;          // calls of random numbers, halves of the seed
  if (arg < 0) {
    const tn_saved_tiles *tiles = &f->tiles[s->tiled - 1];
    const int64_t first = tiles->from[-1 - arg],
                  last = tn_clamp_add(first, tn_clamp_mul(tiles->step[-1 - arg], tiles->count[-1 - arg] - 1));
    *least = first < last ? first : last; *most = first < last ? last : first;
    return;
  }
  const tn_saved_scalar *x = &f->scalar[arg];
  if (x->kind == TN_SAVED_FIXED) *least = *most = x->k;
  if (x->kind != TN_SAVED_INPUT) return;
  const int64_t low = tn_dtype_min(x->dtype), high = tn_dtype_max(x->dtype);
  *least = f->input[x->input].least > low ? f->input[x->input].least : low;
  *most = f->input[x->input].most < high ? f->input[x->input].most : high;
}
// Is a kernel given a number of this dtype as it takes it? Of what a processor has no arithmetic for it takes the bits.
static int tn_opened_is_number(int dtype, int taken) {
  const int bits = tn_dtypes[dtype].nbytes == 1 ? TINY_U8 : TINY_U16;
  return taken == dtype || (taken == bits && (tn_is_narrow(dtype) || dtype == TINY_BOOL));
}
// Is a kernel given what it says that it is given?
static const char *tn_opened_step_check(const tn_saved *f, const tn_saved_step *s, const tn_wire_list *k) {
  for (int i = 0; i < k->n; i++) {
    const tiny_uop *u = k->list[i];
    if (u->op == TINY_OP_PARAM) {
      const tn_saved_place *p = u->k < s->nmem ? &f->place[f->number[s->mem + u->k]] : NULL;
      const int each = tn_saved_dtype_nbytes(u->dtype);
      if (!p || !each || u->lanes > 1 || u->v[0] > p->nbytes / each)
        return "a kernel wants more memory than it is given";
    }
    if (u->op != TINY_OP_ARG) continue;
    int64_t least, most;
    if (u->k < 0 || u->k >= s->narg) return "a kernel takes a number that it is not given";
    const int32_t arg = f->number[s->arg + u->k];
    const int dtype = arg < 0 ? TINY_I64 : f->scalar[arg].dtype;
    tn_opened_range(f, s, arg, &least, &most);
    if (!tn_opened_is_number(dtype, u->dtype) ||
        (TN_HAS_BOUNDS && tn_is_int(dtype) && (least < u->vmin || most > u->vmax)))
      return "a kernel takes a number of another kind";
  }
  return NULL;
}
static const tn_container_kernel *tn_opened_find(const tn_container *c, const tn_digest *key, const char *target,
                                                 const uint32_t *feature) {
  tn_container_target own;
  memset(&own, 0, sizeof own);
  snprintf(own.name, sizeof own.name, "%s", target);
  if (feature) memcpy(own.feature, feature, sizeof own.feature);
  return tn_container_find(c, key, &own);
}

TINY_API tiny_code tiny_program_digest(tiny_ctx *t, const tiny_program_source *from, unsigned char *digest) {
  tn_opened o;
  if (!t || !digest) return t ? tiny_fail(t, TINY_E_ARG, "program_digest: digest is NULL") : TINY_E_ARG;
  int done = tn_opened_open(t, "program_digest", from, &o) && tn_opened_contents_check(&o, "program_digest", 1);
  if (done) {
    const tn_digest sum = tn_saved_sum(o.f.data, o.front_nbytes);
    done = tn_digest_same(&sum, &o.f.head->sum) ||
           tn_opened_wrong(&o, "program_digest", "its bytes are not what was saved");
  }
  if (done) tn_opened_digest(&o, digest);
  tn_opened_close(&o);
  return done ? TINY_OK : t->code;
}
#endif
