// saved: a program as one run of bytes: what it is given and gives, its memory, its steps, its kernels.
//
// In:    bytes, from wherever. Out: where their parts lie, or what is wrong with them.
// Holds: nothing is believed: every number is within what it counts, places lie within memory, arenas and inputs. Sums
//        are against accidents, and digests, which take longer, for who knows the one of his file: of the front, which
//        is all but the contents of memory, and of these. Parts are aligned to 64 bytes, so that
//        a mapped file is used where it lies. Numbers are little-endian; a program refers to no address.
//        TN_SAVED_FORMAT is raised when what stands here comes to mean something else; ops and dtypes go by number, so
//        a digest of their names is in the head.
//
//   head | rows of each kind | numbers | text | kernels (runtime/container.c) | contents of memory
//
// A kernel is known by its digest. The container has it for several targets: objects, for instruction sets and
// devices, and lists (ir/wire.c), from which the built-in compiler or the interpreter makes it where no object fits.
#ifndef TN_SHIP_SAVED
#define TN_SHIP_SAVED
#ifndef TINY_AMALGAMATED
#include "../ir/uop.c"
#include "../runtime/container.c"
#endif

// Targets of kernels that are no device's: what a kernel computes, lists for any processor, and for those of one kind.
#define TN_SHIP_KERNEL "KERNEL"
#define TN_SHIP_LIST "LIST"
#if defined(TN_OS_X86)
  #define TN_SHIP_OWN_LIST "LIST x86-64"
#elif defined(TN_OS_ARM64)
  #define TN_SHIP_OWN_LIST "LIST AArch64"
#else
  #define TN_SHIP_OWN_LIST "LIST of others"
#endif

enum { TN_SAVED_FORMAT = 1, TN_SAVED_ALIGN = 64, TN_SAVED_AXES = TINY_MAX_DIMS };
static const char tn_saved_magic[8] = {'t', 'i', 'n', 'y', 'p', 'r', 'o', 'g'};

// What a row of a place says where it lies: in memory number `index`, in input, output, or at `offset` of the arena.
enum { TN_SAVED_IN_LEAF, TN_SAVED_IN_OUTPUT, TN_SAVED_IN_ARENA };
enum { TN_SAVED_FIXED, TN_SAVED_INPUT, TN_SAVED_DRAW, TN_SAVED_SEED_LOW, TN_SAVED_SEED_HIGH };

typedef struct tn_saved_input { int64_t least, most; int32_t dtype, scalar, ndim, dim; } tn_saved_input;
// place: of the output, -1: it is input number `input` as it is
typedef struct tn_saved_output { int32_t place, input, dtype, ndim, dim, zero; } tn_saved_output;
// at: of the contents in the file's last part. name: in the text, -1: it has none. assigned: the program writes it.
// outside: the contents are those of this name in an archive.
typedef struct tn_saved_memory { uint64_t at; int64_t nelem; int32_t dtype, name, assigned, outside; } tn_saved_memory;
typedef struct tn_saved_leaf { int32_t input, memory; } tn_saved_leaf;         // one of them, the other is -1
typedef struct tn_saved_scalar { int64_t k, draw; int32_t dtype, kind, input, zero; } tn_saved_scalar;
typedef struct tn_saved_place { int64_t nbytes, offset; int32_t kind, index; } tn_saved_place;
// kernel: -1: nothing is done. mem and arg: nmem and narg numbers from there on: places; scalars, or -1 - axis of the
// tiles. tiled: number of the tiles, 0: it is done once. dim: of what it stores.
typedef struct tn_saved_step { int32_t kernel, mem, nmem, arg, narg, tiled, dtype, ndim, dim, zero; } tn_saved_step;
typedef struct tn_saved_tiles {
  int64_t from[TN_SAVED_AXES], step[TN_SAVED_AXES], count[TN_SAVED_AXES], n;
} tn_saved_tiles;

enum { TN_SAVED_INPUTS, TN_SAVED_OUTPUTS, TN_SAVED_MEMORIES, TN_SAVED_LEAVES, TN_SAVED_SCALARS, TN_SAVED_PLACES,
  TN_SAVED_STEPS, TN_SAVED_TILES, TN_SAVED_KERNELS, TN_SAVED_DIMS, TN_SAVED_NUMBERS, TN_SAVED_TEXT, TN_SAVED_CODE,
  TN_SAVED_CONTENTS,
  TN_SAVED_PARTS };
static const uint16_t tn_saved_row[TN_SAVED_PARTS] = {
  sizeof(tn_saved_input), sizeof(tn_saved_output), sizeof(tn_saved_memory), sizeof(tn_saved_leaf),
  sizeof(tn_saved_scalar),
  sizeof(tn_saved_place), sizeof(tn_saved_step), sizeof(tn_saved_tiles), sizeof(tn_digest), sizeof(int64_t),
  sizeof(int32_t), 1, 1, 1
};

typedef struct tn_saved_part { uint64_t at, n; } tn_saved_part;              // n: rows, or bytes
typedef struct tn_saved_head {
  char magic[8];
  uint32_t format, order;
  uint64_t nbytes;
  tn_digest words, sum, contents;          // of names; of the front, this and its quick sum as zeros; of the contents
  uint64_t front[4], quick[4];             // quick sums: of the front, this as zeros; of the contents
  int64_t arena_nbytes;
  uint32_t draws, noutput;                 // calls of random numbers of a run; results that have memory of their own
  tn_saved_part part[TN_SAVED_PARTS];
} tn_saved_head;

// Where the parts of a file lie.
typedef struct tn_saved {
  const tn_saved_head *head; const char *data;
  const tn_saved_input *input; const tn_saved_output *output; const tn_saved_memory *memory; const tn_saved_leaf *leaf;
  const tn_saved_scalar *scalar; const tn_saved_place *place; const tn_saved_step *step; const tn_saved_tiles *tiles;
  const tn_digest *kernel; const int64_t *dim; const int32_t *number; const char *text;
  int n[TN_SAVED_CODE];                     // rows of each part before the code
} tn_saved;

static const void *tn_saved_part_of(const char *data, const tn_saved_head *h, int part) {
  return data + h->part[part].at;
}
static tn_saved tn_saved_of(const void *bytes) {
  const char *const data = (const char *)bytes;
  const tn_saved_head *h = (const tn_saved_head *)bytes;
  tn_saved f;
  memset(&f, 0, sizeof f);
  f.head = h; f.data = data;
  f.input = (const tn_saved_input *)tn_saved_part_of(data, h, TN_SAVED_INPUTS);
  f.output = (const tn_saved_output *)tn_saved_part_of(data, h, TN_SAVED_OUTPUTS);
  f.memory = (const tn_saved_memory *)tn_saved_part_of(data, h, TN_SAVED_MEMORIES);
  f.leaf = (const tn_saved_leaf *)tn_saved_part_of(data, h, TN_SAVED_LEAVES);
  f.scalar = (const tn_saved_scalar *)tn_saved_part_of(data, h, TN_SAVED_SCALARS);
  f.place = (const tn_saved_place *)tn_saved_part_of(data, h, TN_SAVED_PLACES);
  f.step = (const tn_saved_step *)tn_saved_part_of(data, h, TN_SAVED_STEPS);
  f.tiles = (const tn_saved_tiles *)tn_saved_part_of(data, h, TN_SAVED_TILES);
  f.kernel = (const tn_digest *)tn_saved_part_of(data, h, TN_SAVED_KERNELS);
  f.dim = (const int64_t *)tn_saved_part_of(data, h, TN_SAVED_DIMS);
  f.number = (const int32_t *)tn_saved_part_of(data, h, TN_SAVED_NUMBERS);
  f.text = (const char *)tn_saved_part_of(data, h, TN_SAVED_TEXT);
  for (int i = 0; i < TN_SAVED_CODE; i++) f.n[i] = (int)h->part[i].n;
  return f;
}
static tn_container tn_saved_code(const tn_saved *f) {
  return tn_container_of(tn_saved_part_of(f->data, f->head, TN_SAVED_CODE));
}

// Of the names of ops and dtypes, which stand in lists by number.
static tn_digest tn_saved_words(void) {
  tn_digester d = tn_digest_open();
  for (int i = 0; i < TINY_OP_COUNT; i++) tn_digest_add_text(&d, tn_ops[i].name);
  for (int i = 0; i < TINY_DTYPE_COUNT; i++) tn_digest_add_text(&d, tn_dtypes[i].name);
  return tn_digest_close(&d);
}
// Of the front: all but the contents of memory, which come last.
static tn_digest tn_saved_sum(const char *data, uint64_t nbytes) {
  tn_saved_head head;
  tn_digester d = tn_digest_open();
  memcpy(&head, data, sizeof head);
  memset(&head.sum, 0, sizeof head.sum);
  memset(head.front, 0, sizeof head.front);
  tn_digest_add(&d, &head, sizeof head);
  tn_digest_add(&d, data + sizeof head, (size_t)(nbytes - sizeof head));
  return tn_digest_close(&d);
}
// Of the contents, whose size is a multiple of TN_SAVED_ALIGN: four sums, each of every fourth word, side by side; they
// begin as 0.
static void tn_saved_quick(const char *data, size_t nbytes, uint64_t *sum) {
  for (size_t i = 0; i + 32 <= nbytes; i += 32) for (int k = 0; k < 4; k++) {
    uint64_t word;
    memcpy(&word, data + i + 8 * (size_t)k, sizeof word);
    sum[k] = (sum[k] ^ word) * 0x9E3779B97F4A7C15ull;
    sum[k] ^= sum[k] >> 29;
  }
}

static void tn_saved_front(const char *data, uint64_t nbytes, uint64_t *sum) {
  enum { HEAD = (sizeof(tn_saved_head) + TN_SAVED_ALIGN - 1) / TN_SAVED_ALIGN * TN_SAVED_ALIGN };
  union { tn_saved_head h; char bytes[HEAD]; } first;
  memcpy(first.bytes, data, HEAD);
  memset(first.h.front, 0, sizeof first.h.front);
  memset(sum, 0, 4 * sizeof *sum);
  tn_saved_quick(first.bytes, HEAD, sum);
  tn_saved_quick(data + HEAD, (size_t)nbytes - HEAD, sum);
}

// ** bytes from outside **

static int tn_saved_dtype_nbytes(int dtype) {
  return dtype > TINY_VOID && dtype < TINY_DTYPE_COUNT && dtype != TINY_INDEX ? tn_dtypes[dtype].nbytes : 0;
}
static int tn_saved_within(int32_t at, int32_t n, int count) {
  return at >= 0 && n >= 0 && at <= count && n <= count - at;
}
// Bytes of a shape; -1: it is none.
static int64_t tn_saved_nbytes(const tn_saved *f, int dtype, int32_t ndim, int32_t dim) {
  const int each = tn_saved_dtype_nbytes(dtype);
  int64_t nelem = 1;
  if (!each || ndim > TINY_MAX_DIMS || !tn_saved_within(dim, ndim, f->n[TN_SAVED_DIMS])) return -1;
  for (int i = 0; i < ndim; i++) {
    const int64_t n = f->dim[dim + i];
    if (n < 0 || (n && nelem > ((int64_t)1 << 56) / n)) return -1;
    nelem *= n;
  }
  return nelem * each;
}
// Bytes that a leaf has; -1: it is none.
static int64_t tn_saved_leaf_nbytes(const tn_saved *f, const tn_saved_leaf *leaf) {
  if (leaf->memory >= 0) {
    const tn_saved_memory *m = leaf->memory < f->n[TN_SAVED_MEMORIES] ? &f->memory[leaf->memory] : NULL;
    return m && leaf->input == -1 ? m->nelem * tn_dtypes[m->dtype].nbytes : -1;
  }
  if (leaf->memory != -1 || leaf->input < 0 || leaf->input >= f->n[TN_SAVED_INPUTS] || f->input[leaf->input].scalar)
    return -1;
  const tn_saved_input *x = &f->input[leaf->input];
  return tn_saved_nbytes(f, x->dtype, x->ndim, x->dim);
}

static const char *tn_saved_memories_check(const tn_saved *f) {
  const uint64_t all = f->head->part[TN_SAVED_CONTENTS].n;
  for (int i = 0; i < f->n[TN_SAVED_MEMORIES]; i++) {
    const tn_saved_memory *m = &f->memory[i];
    const int each = tn_saved_dtype_nbytes(m->dtype);
    const int outside = m->outside == 1;
    if (!each || m->nelem < 0 || m->nelem > ((int64_t)1 << 56) / 8 || m->at % TN_SAVED_ALIGN || m->at > all ||
        (!outside && (uint64_t)m->nelem * (uint64_t)each > all - m->at))
      return "memory lies beyond its contents";
    if (m->name < -1 || m->name >= f->n[TN_SAVED_TEXT] || (outside && m->name < 0))
      return "memory has a name that is not there";
  }
  return NULL;
}
static const char *tn_saved_inputs_check(const tn_saved *f) {
  for (int i = 0; i < f->n[TN_SAVED_INPUTS]; i++) {
    const tn_saved_input *x = &f->input[i];
    if (tn_saved_nbytes(f, x->dtype, x->ndim, x->dim) < 0 || x->least > x->most) return "an input has no shape";
  }
  for (int i = 0; i < f->n[TN_SAVED_LEAVES]; i++)
    if (tn_saved_leaf_nbytes(f, &f->leaf[i]) < 0) return "what a step reads is not there";
  for (int i = 0; i < f->n[TN_SAVED_SCALARS]; i++) {
    const tn_saved_scalar *s = &f->scalar[i];
    const int given = s->kind == TN_SAVED_INPUT;
    if (!tn_saved_dtype_nbytes(s->dtype) || s->kind < TN_SAVED_FIXED || s->kind > TN_SAVED_SEED_HIGH ||
        (given && (s->input < 0 || s->input >= f->n[TN_SAVED_INPUTS] || !f->input[s->input].scalar)))
      return "a number comes from nowhere";
  }
  return NULL;
}
static const char *tn_saved_places_check(const tn_saved *f) {
  uint32_t outputs = 0;
  for (int i = 0; i < f->n[TN_SAVED_PLACES]; i++) {
    const tn_saved_place *p = &f->place[i];
    int64_t room = -1;
    if (p->kind == TN_SAVED_IN_LEAF && p->index >= 0 && p->index < f->n[TN_SAVED_LEAVES])
      room = tn_saved_leaf_nbytes(f, &f->leaf[p->index]);
    if (p->kind == TN_SAVED_IN_OUTPUT && p->index == (int32_t)outputs++) room = INT64_MAX;    // one place each
    if (p->kind == TN_SAVED_IN_ARENA) room = f->head->arena_nbytes;
    if (p->nbytes < 0 || p->offset < 0 || room < 0 || p->offset > room || p->nbytes > room - p->offset ||
        (p->kind != TN_SAVED_IN_ARENA && p->offset))
      return "a place lies beyond its memory";
  }
  if (outputs != f->head->noutput) return "its outputs are not all there";
  for (int i = 0; i < f->n[TN_SAVED_OUTPUTS]; i++) {
    const tn_saved_output *o = &f->output[i];
    const int64_t nbytes = tn_saved_nbytes(f, o->dtype, o->ndim, o->dim);
    const int made = o->place >= 0 && o->place < f->n[TN_SAVED_PLACES] && o->input == -1;
    const int given = o->place == -1 && o->input >= 0 && o->input < f->n[TN_SAVED_INPUTS];
    if (nbytes < 0 || made == given || (made && (f->place[o->place].kind != TN_SAVED_IN_OUTPUT ||
                                                 f->place[o->place].nbytes != nbytes)))
      return "an output is not made";
    const tn_saved_input *x = given ? &f->input[o->input] : NULL;
    if (x && (x->scalar || x->dtype != o->dtype || tn_saved_nbytes(f, x->dtype, x->ndim, x->dim) != nbytes))
      return "an output is not the input that it says";
  }
  return NULL;
}
static const char *tn_saved_steps_check(const tn_saved *f) {
  int last = 0;
  for (int i = 0; i < f->n[TN_SAVED_TILES]; i++) {
    const tn_saved_tiles *a = &f->tiles[i];
    if (a->n < 1 || a->n > TN_SAVED_AXES) return "tiles have no axis";
    for (int k = 0; k < a->n; k++) if (a->count[k] < 1 || a->count[k] > INT_MAX) return "tiles are not counted";
  }
  for (int i = 0; i < f->n[TN_SAVED_STEPS]; i++) {
    const tn_saved_step *s = &f->step[i];
    if (s->kernel < -1 || s->kernel >= f->n[TN_SAVED_KERNELS]) return "a step has no kernel";
    if (!tn_saved_within(s->mem, s->nmem, f->n[TN_SAVED_NUMBERS]) || s->nmem < 1 ||
        !tn_saved_within(s->arg, s->narg, f->n[TN_SAVED_NUMBERS]))
      return "a step is cut off";
    if (s->tiled < 0 || s->tiled > f->n[TN_SAVED_TILES] || (s->tiled && s->tiled != last && s->tiled < last))
      return "a step is in no tiles";
    if (s->tiled) last = s->tiled;
    if (tn_saved_nbytes(f, s->dtype, s->ndim, s->dim) < 0) return "a step stores no shape";
    for (int k = 0; k < s->nmem; k++)
      if (f->number[s->mem + k] < 0 || f->number[s->mem + k] >= f->n[TN_SAVED_PLACES]) return "a step reads no place";
    const int axes = s->tiled ? (int)f->tiles[s->tiled - 1].n : 0;
    for (int k = 0; k < s->narg; k++) {
      const int32_t arg = f->number[s->arg + k];
      if (arg >= f->n[TN_SAVED_SCALARS] || arg < -axes) return "a step takes no number";
    }
    const tn_saved_place *to = &f->place[f->number[s->mem]];
    if (s->kernel >= 0 && to->kind == TN_SAVED_IN_LEAF &&
        (f->leaf[to->index].memory < 0 || !f->memory[f->leaf[to->index].memory].assigned))
      return "a step writes what it may not";
  }
  return NULL;
}
// Each part within the bytes, behind the one before.
static const char *tn_saved_parts_check(const tn_saved_head *h, uint64_t nbytes) {
  uint64_t end = (sizeof *h + TN_SAVED_ALIGN - 1) / TN_SAVED_ALIGN * TN_SAVED_ALIGN;
  for (int i = 0; i < TN_SAVED_PARTS; i++) {
    const tn_saved_part *p = &h->part[i];
    if (p->at % TN_SAVED_ALIGN || p->at < end || p->at > nbytes || p->n > (nbytes - p->at) / tn_saved_row[i] ||
        (i < TN_SAVED_CODE && p->n > INT_MAX / 2))
      return "its parts do not follow each other";
    end = p->at + p->n * tn_saved_row[i];
  }
  return end == nbytes && h->part[TN_SAVED_CONTENTS].n % TN_SAVED_ALIGN == 0 ? NULL : "something follows it";
}
// What is wrong with the head of so many bytes; NULL: nothing. *front: bytes up to the contents.
static const char *tn_saved_head_check(const void *data, size_t nbytes, size_t *front) {
  const uint16_t one = 1;
  tn_saved_head h;
  if (nbytes < sizeof h) return "it is too short for a program";
  memcpy(&h, data, sizeof h);
  if (memcmp(h.magic, tn_saved_magic, sizeof h.magic)) return "it is no program of tiny_program_save";
  if (!*(const char *)&one || h.order != TN_CONTAINER_ORDER) return "it is for machines of the other byte order";
  if (h.format > TN_SAVED_FORMAT) return "it was saved by a newer tiny.h: update this one";
  const tn_digest words = tn_saved_words();
  if (h.format != TN_SAVED_FORMAT || !tn_digest_same(&words, &h.words))
    return "it was saved by a tiny.h whose kernels this one cannot read: save it again";
  if (h.nbytes != nbytes) return "it is cut off, or something follows it";
  *front = (size_t)h.part[TN_SAVED_CONTENTS].at;
  return tn_saved_parts_check(&h, nbytes);
}
// What is wrong with a program of so many bytes, whose front is here, aligned as memory is; NULL: nothing. Its head has
// passed tn_saved_head_check; what that looked at and may have changed since is looked at here, but for names and
// versions. exact: nobody can have made another front of its digest. The contents are not looked at.
static const char *tn_saved_check(const void *data, size_t front, size_t nbytes, int exact) {
  uint64_t quick[4];
  const tn_saved_head *h = (const tn_saved_head *)data;
  const char *wrong = tn_saved_parts_check(h, nbytes);
  if (wrong) return wrong;
  if (h->nbytes != nbytes || h->part[TN_SAVED_CONTENTS].at != front) return "it changes while it is read";
  const tn_saved f = tn_saved_of(data);
  tn_saved_front(f.data, front, quick);
  int same = !memcmp(quick, h->front, sizeof quick);
  if (same && exact) {
    const tn_digest sum = tn_saved_sum(f.data, front);
    same = tn_digest_same(&sum, &h->sum);
  }
  if (!same) return "its bytes are not what was saved";
  if (h->arena_nbytes < 0 || h->arena_nbytes > ((int64_t)1 << 56) || h->noutput > INT_MAX / 2 ||
      (f.n[TN_SAVED_TEXT] && f.text[f.n[TN_SAVED_TEXT] - 1]))
    return "its head says what cannot be";
  if (!(wrong = tn_saved_memories_check(&f)) && !(wrong = tn_saved_inputs_check(&f)) &&
      !(wrong = tn_saved_places_check(&f)))
    wrong = tn_saved_steps_check(&f);
  if (wrong) return wrong;
  const tn_container_head *code = (const tn_container_head *)tn_saved_part_of(f.data, h, TN_SAVED_CODE);
  const size_t code_nbytes = (size_t)h->part[TN_SAVED_CODE].n;
  return code_nbytes < sizeof *code ? "it has no kernels" : tn_container_check_parts(code, code_nbytes, &code->source);
}
#endif
