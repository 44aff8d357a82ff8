// tensor: the handle that users hold, the frames that free it, and assignment in place.
//
// A tensor is a slot: a node of the graph and a place in one of two lists: tensors outside of frames, and tensors in
// frames, newest first, so that closing a frame pops from the front. Slots lie in chunks that stay until the context is
// closed, 128 bytes apart, and are given again: making a tensor costs a few nanoseconds. The context's one poisoned
// tensor stands for every failed operator.
//
// What users hold, a tiny_tensor *, is nobody's address: it is the slot's, with the slot's generation in the bits that
// are zero in such addresses. A slot that is freed gets its next generation when it is given again, after TN_SLOTS_WAIT
// others, so that what was freed is told from what lives as long as the context does: tn_live. No room reads a slot but
// through the functions below.
//
// Assignment makes a new state (ASSIGN base view value) of the memory under a tensor. The handles of that memory, those
// whose graph is the base, a reshape or a VIEW of it, move on to the new state; what was built from the old one keeps
// it. An index finds them: tensors by the node whose elements they are. It is filled when it is asked, so that what
// lives and dies between costs nothing. t->tensors->pending[0..npending) are the states that tiny_end must run; the
// runtime empties the list.
//
// Identity: nodes are hash-consed, but two tensors of zeros are two parameters, and two scalars may change apart. Nodes
// that must stay apart carry a number in ptr, which equality compares and the structural hash leaves out.
#ifndef TN_TENSOR_TENSOR
#define TN_TENSOR_TENSOR
#ifndef TINY_AMALGAMATED
#include "../ir/special.c"
#include "../rules/shard.c"
#include "../shape/view.c"
#endif

enum { TN_SLOT_NBYTES = 128, TN_SLOTS_WAIT = 1024 };
enum { TN_DIMS_TEXT = 224 };               // enough for tn_dims_text to tell most shapes

// Memory, as BUFFERs name it; runtime/storage.c allocates it. It is what assignments, tiny_write and captured programs
// agree on: its contents change, BUFFERs stand for the contents that they were made for. Several BUFFERs share it; all
// but those from serial `since` on, and those that are BOUND, name contents that are gone.
typedef struct tn_storage {
  struct tn_storage *prev, *next;          // all of the context, or the spares of a size class
  struct tn_device *device;                // whose memory it is
  void *mem; size_t nbytes;                // nbytes as allocated: a size class
  int refs, borrowed;                      // refs: BUFFERs; borrowed: caller's memory
  int loose;                               // the only reference is that of the call that made it
  void *pages; size_t pages_nbytes;        // borrowed from a file: what is unmapped with it
  uint64_t written;                        // by how many steps of plans that did not make it, and calls of tiny_write
  tiny_uop *state; int64_t since;          // the BUFFER that names what it holds now, NULL: none lives
  struct tn_storage *later;                // not NULL: it holds what this memory held before, and a reference to it
  int bound, updated;                      // BUFFERs by which programs name it; programs that assign to it
  uint64_t left;                           // tensors bound to it that were given other memory
  uint32_t seen, read;                     // private to walks
} tn_storage;


typedef struct tn_tensor {                 // a slot
  tiny_ctx *t;
  tiny_uop *uop;                           // tn_tensor_set alone changes it
  struct tn_tensor *prev, *next;           // of its list
  const tiny_uop *memory;                  // by which it is in the index; NULL: it is among those that are not
  struct tn_tensor *before, *after;        // there
  uintptr_t handle, last;                  // 0: the slot is free; the handle that it had last
  uint32_t ended;                          // free: the number of the tiny_end that freed it; 0: tiny_free did
  int frame;                               // depth of the frame that it is in, or was in
} tn_tensor;

typedef struct tn_tensor_chunk { struct tn_tensor_chunk *older; } tn_tensor_chunk;    // in front of its slots
#define TN_TENSOR_CHUNK (sizeof(tn_tensor_chunk) + (TN_FIRST_SLOTS + 1) * TN_SLOT_NBYTES)

enum { TN_FRAMES = 64 };
struct tn_tensors {
  tn_tensor *poison;
  tn_tensor *kept, *framed;                // outside of frames; in frames
  tn_tensor *unused, *newest; int nunused; // freed: the one that waits longest, and the last
  tn_tensor_chunk *chunks;
  int untaken, nslots;                     // slots of the newest chunk that were never given; of all chunks
  tn_tensor **index, *unindexed;           // heads of lists, at least as many as slots, a power of two
  int nindex;
  int depth;                               // of open frames
  uint32_t ends;                           // calls of tiny_end that closed a frame
  int freed;                               // handles freed since nodes were last collected
  int refuse;                              // 1: the context did not open well, every operator gives poison
  tiny_uop **pending; int npending, cappending;
  uintptr_t identity;                      // the last one given
  uint32_t random;                         // calls of the random number generator so far
  uint32_t begun[TN_FRAMES];               // and when each frame was opened; deeper ones count to the last
  int earlier[TN_FRAMES];                  // so many of pending are from before that, by frame
  uint32_t number[TN_FRAMES], frames;      // its number, counted from 1; that of the last
};

// ** generations **

// Bits 0 to 6 of a slot's address are zero, and bits 48 to 63 where bit 0 of the handle says so: on most systems of 64
// bits, if nobody tags addresses. Generations count up through bits 1 to 6, then 48 to 63.
#ifndef TN_WIDE_HANDLES                    // 0 in a test: as on systems of 32 bits
  #define TN_WIDE_HANDLES (UINTPTR_MAX > 0xffffffffu)
#endif
#define TN_HANDLE_HIGH ((uintptr_t)(TN_WIDE_HANDLES ? 0xffff000000000000u : 0))
#define TN_HANDLE_LOW ((uintptr_t)TN_SLOT_NBYTES - 1)

static uintptr_t tn_handle_first(const tn_tensor *x) {
  const uintptr_t at = (uintptr_t)x;
  return TN_WIDE_HANDLES && !(at & TN_HANDLE_HIGH) ? at | 1 : at;
}
static uintptr_t tn_handle_next(uintptr_t handle) {
  if ((handle & TN_HANDLE_LOW) < TN_HANDLE_LOW - 1) return handle + 2;
  const uintptr_t first = handle & ~(TN_HANDLE_LOW - 1);
  return handle & 1 ? first + (TN_HANDLE_HIGH & (~TN_HANDLE_HIGH + 1)) : first;
}
// Where the slot of a handle is, whatever lives there.
static inline tn_tensor *tn_slot(const tiny_tensor *x) {
  const uintptr_t at = (uintptr_t)x;
  return (tn_tensor *)(at & ~(TN_HANDLE_LOW | (at & 1 ? TN_HANDLE_HIGH : 0)));
}
// The slot of a tensor that was not freed, or NULL.
static inline tn_tensor *tn_live(const tiny_tensor *x) {
  tn_tensor *slot = tn_slot(x);
  return slot && slot->handle == (uintptr_t)x ? slot : NULL;
}
static inline tiny_tensor *tn_handle(const tn_tensor *slot) { return (tiny_tensor *)slot->handle; }

// The context of a tensor, freed or not; NULL for NULL.
static inline tiny_ctx *tn_ctx_of(const tiny_tensor *x) { return x ? tn_slot(x)->t : NULL; }
// How a tensor that is not NULL died, for a message.
enum { TN_DEATH_TEXT = 96 };
static const char *tn_death_text(const tiny_tensor *x, char *out) {
  const tn_tensor *slot = tn_slot(x);
  if (slot->last != (uintptr_t)x) return "was freed a while ago";
  if (!slot->ended) return "was freed by tiny_free";
  snprintf(out, TN_DEATH_TEXT, "was freed with its frame, of depth %d, by tiny_end number %u", slot->frame,
           (unsigned)slot->ended);
  return out;
}
// Operators ask tn_usable first, and name themselves; this is for what an optimiser, a module or a list holds.
static tiny_uop *tn_uop_of_dead(const tiny_tensor *x) {
  char text[TN_DEATH_TEXT];
  tiny_ctx *t = tn_slot(x)->t;
  tiny_fail(t, TINY_E_STATE, "a tensor that is still in use %s", tn_death_text(x, text));
  return &t->ir->bad;
}
// The graph of a tensor that is not NULL; the failed node if it is poison, and after an error if it was freed.
static inline tiny_uop *tn_uop_of(const tiny_tensor *x) {
  const tn_tensor *slot = tn_live(x);
  return slot ? slot->uop : tn_uop_of_dead(x);
}

// ** the index: tensors by the memory that they are **

// The node whose elements u is, in order or as a VIEW takes them, whether anything is computed or not.
static const tiny_uop *tn_index_key(const tiny_uop *u) {
  while (u->op == TINY_OP_RESHAPE || u->op == TINY_OP_VIEW || u->op == TINY_OP_DETACH) u = u->src[0];
  return u;
}
static tn_tensor **tn_index_at(struct tn_tensors *all, const tiny_uop *memory) {
  if (!memory) return &all->unindexed;
  const uint64_t hash = (uint64_t)(uintptr_t)memory * UINT64_C(0x9E3779B97F4A7C15) >> 32;
  return &all->index[hash & (uint64_t)(all->nindex - 1)];
}
static void tn_index_link(tn_tensor *x, const tiny_uop *memory) {
  tn_tensor **head = tn_index_at(x->t->tensors, memory);
  x->memory = memory;
  x->before = NULL; x->after = *head;
  if (*head) (*head)->before = x;
  *head = x;
}
static void tn_index_unlink(tn_tensor *x) {
  if (x->before) x->before->after = x->after;
  else *tn_index_at(x->t->tensors, x->memory) = x->after;
  if (x->after) x->after->before = x->before;
}
// Room for n tensors; 0: there is none.
static int tn_index_grow(tiny_ctx *t, int n) {
  struct tn_tensors *all = t->tensors;
  tn_tensor **old = all->index;
  const int nold = all->nindex;
  int cap = nold ? nold : 1;
  while (cap < n) cap *= 2;
  if (cap == nold) return 1;
  tn_tensor **grown = (tn_tensor **)tn_alloc(t, (size_t)cap * sizeof *grown);
  if (!grown) return 0;
  all->index = grown; all->nindex = cap;
  for (int i = 0; i < nold; i++) for (tn_tensor *x = old[i], *after; x; x = after) {
    after = x->after;
    tn_index_link(x, x->memory);
  }
  tn_release(t, old, (size_t)nold * sizeof *old);
  return 1;
}

// The one way to give a tensor another graph.
static void tn_tensor_set(tn_tensor *x, tiny_uop *u) {
  const int same = x->uop == u;
  x->uop = u;
  if (same || !x->memory) return;
  tn_index_unlink(x);
  tn_index_link(x, NULL);
}
// x, or the first tensor after it, that is memory.
static tn_tensor *tn_index_from(tn_tensor *x, const tiny_uop *memory) {
  while (x && x->memory != memory) x = x->after;
  return x;
}
// The tensors whose elements are those of memory, a tn_index_key: the first one, and the one after x.
static tn_tensor *tn_index_first(tiny_ctx *t, const tiny_uop *memory) {
  struct tn_tensors *all = t->tensors;
  for (tn_tensor *x; (x = all->unindexed) != NULL;) {
    tn_index_unlink(x);
    tn_index_link(x, tn_index_key(x->uop));
  }
  return tn_index_from(*tn_index_at(all, memory), memory);
}
static tn_tensor *tn_index_next(const tn_tensor *x) { return tn_index_from(x->after, x->memory); }

// ** slots **

static int tn_tensors_more(tiny_ctx *t) {
  if (!tn_index_grow(t, t->tensors->nslots + TN_FIRST_SLOTS)) return 0;
  tn_tensor_chunk *chunk = (tn_tensor_chunk *)tn_alloc(t, TN_TENSOR_CHUNK);
  if (!chunk) return 0;
  chunk->older = t->tensors->chunks;
  t->tensors->chunks = chunk;
  t->tensors->untaken = TN_FIRST_SLOTS;
  t->tensors->nslots += TN_FIRST_SLOTS;
  return 1;
}
// A free slot, or NULL: one that waited long enough, one that was never given.
static tn_tensor *tn_slot_new(tiny_ctx *t) {
  struct tn_tensors *all = t->tensors;
  tn_tensor *x = all->unused;
  if (all->nunused >= TN_SLOTS_WAIT) {
    all->unused = x->next;
    all->nunused--;
    x->handle = tn_handle_next(x->last);
  } else {
    if (!all->untaken && !tn_tensors_more(t)) return NULL;
    const uintptr_t slots = ((uintptr_t)(all->chunks + 1) + TN_HANDLE_LOW) & ~TN_HANDLE_LOW;
    x = (tn_tensor *)(slots + (uintptr_t)--all->untaken * TN_SLOT_NBYTES);
    x->t = t;
    x->handle = tn_handle_first(x);
  }
  x->last = x->handle;
  return x;
}
// ended: the number of the tiny_end that frees it, or 0.
static void tn_slot_free(tn_tensor *x, uint32_t ended) {
  struct tn_tensors *all = x->t->tensors;
  if (all->nunused++) all->newest->next = x; else all->unused = x;
  all->newest = x;
  x->next = NULL; x->uop = NULL;
  x->handle = 0; x->ended = ended;
}

static void tn_tensors_close(tiny_ctx *t) {
  struct tn_tensors *all = t->tensors;
  if (!all) return;
  while (all->chunks) {
    tn_tensor_chunk *older = all->chunks->older;
    tn_release(t, all->chunks, TN_TENSOR_CHUNK);
    all->chunks = older;
  }
  tn_release(t, all->index, (size_t)all->nindex * sizeof *all->index);
  tn_release(t, all->pending, (size_t)all->cappending * sizeof *all->pending);
  tn_release(t, all, sizeof *all);
  t->tensors = NULL;
}

static int tn_tensors_open(tiny_ctx *t) {
  t->tensors = (struct tn_tensors *)tn_alloc(t, sizeof *t->tensors);
  if (!t->tensors) return 0;
  t->tensors->refuse = 1;                  // until the context is open
  t->tensors->identity = 16;               // below: the library's own scalars
  t->tensors->poison = tn_slot_new(t);
  if (!t->tensors->poison) { tn_tensors_close(t); return 0; }
  t->tensors->poison->uop = &t->ir->bad;
  return 1;
}

// ** handles **

static tiny_tensor *tn_poison(tiny_ctx *t) {
  return t && t->tensors && t->tensors->poison ? tn_handle(t->tensors->poison) : NULL;
}

// A number that a caller gave: 0 is the usual one, TINY_ZERO is 0.
static double tn_or_default(double x, double usual) { return x == 0 ? usual : x == TINY_ZERO ? 0 : x; }

// Records an error and gives poison: what an operator returns when its arguments are wrong.
static tiny_tensor *tn_wrong(tiny_ctx *t, tiny_code code, const char *format, ...) TN_PRINTF(3, 4);
static tiny_tensor *tn_wrong(tiny_ctx *t, tiny_code code, const char *format, ...) {
  char message[512];
  va_list args;
  va_start(args, format);
  tn_number_list(message, sizeof message, format, args);
  va_end(args);
  tiny_fail(t, code, "%s", message);
  return tn_poison(t);
}

static void tn_tensor_link(tn_tensor **list, tn_tensor *x) {
  x->prev = NULL; x->next = *list;
  if (*list) (*list)->prev = x;
  *list = x;
}
static void tn_tensor_unlink(tn_tensor *x) {
  struct tn_tensors *all = x->t->tensors;
  if (x->prev) x->prev->next = x->next;
  else if (x->frame) all->framed = x->next;
  else all->kept = x->next;
  if (x->next) x->next->prev = x->prev;
}

static void tn_say_gathered(tiny_ctx *t) {
  struct tn_ir *ir = t->ir;
  char text[TN_DIMS_TEXT];
  if (tn_debug(t, 'g') && ir->gathered_node)
    tn_log(t, "shard: %s %s is gathered along axis %d from %u devices%s", ir->gathered_by,
           tn_dims_text(text, sizeof text, ir->gathered_node->ndim, ir->gathered_node->dim),
           tn_shard_axis(ir->gathered_node), (unsigned)ir->gathered_node->nsrc,
           ir->gathered > 1 ? ", and others for the same operator" : "");
  ir->gathered = 0;
  ir->gathered_node = NULL;
}
// A handle of u in the innermost frame; poison when u or the handle could not be made.
static tiny_tensor *tn_tensor_new(tiny_ctx *t, tiny_uop *u) {
  if (!t || !t->tensors) return NULL;
  struct tn_tensors *all = t->tensors;
  if (t->ir->gathered) tn_say_gathered(t);
  if (tn_bad(t, u) || all->refuse) return tn_poison(t);
  tn_tensor *x = tn_slot_new(t);
  if (!x) return tn_poison(t);
  x->uop = u; x->frame = all->depth;
  tn_tensor_link(x->frame ? &all->framed : &all->kept, x);
  tn_index_link(x, NULL);
  return tn_handle(x);
}

// A handle of what an operator computed from x[0..n-1]. One that has nothing to do (a sum along an axis of 1, the floor
// of integers) gives an operand's own node or a reshape of it; a cast to its own dtype makes a value of that, which
// assignments to the operand do not reach.
static tiny_tensor *tn_value_new(tiny_ctx *t, tiny_uop *u, int n, tiny_tensor *const *x) {
  int same = 0;
  if (tn_bad(t, u)) return tn_tensor_new(t, u);
  for (int i = 0; i < n; i++)
    same |= u == tn_uop_of(x[i]) || (u->op == TINY_OP_RESHAPE && u->src[0] == tn_uop_of(x[i]));
  return tn_tensor_new(t, same ? tn_uop_make(t, TINY_OP_CAST, u->dtype, 1, 1, &u, 0, 0, NULL) : u);
}

static int tn_poisoned(const tiny_tensor *x) { return tn_slot(x) == tn_slot(x)->t->tensors->poison; }

static void tn_tensor_free(tn_tensor *x, uint32_t ended) {
  tn_tensor_unlink(x);
  tn_index_unlink(x);
  x->t->tensors->freed++;
  tn_slot_free(x, ended);
}
TINY_API void tiny_free(tiny_tensor *x) {  // a second tiny_free of x does nothing
  if (tiny_ok(x)) tn_tensor_free(tn_slot(x), 0);
}

static int tn_usable(const char *name, int n, tiny_tensor *const *x, tiny_tensor **out);
TINY_API tiny_tensor *tiny_keep(tiny_tensor *x) {
  tiny_tensor *out;
  if (!tn_usable("keep", 1, &x, &out)) return out;
  tn_tensor *slot = tn_slot(x);
  if (!slot->frame) return x;
  tn_tensor_unlink(slot);
  slot->frame = 0;
  tn_tensor_link(&slot->t->tensors->kept, slot);
  return x;
}

TINY_API void tiny_begin(tiny_ctx *t) {
  if (!t || !t->tensors) return;
  struct tn_tensors *all = t->tensors;
  if (all->depth < TN_FRAMES) {
    all->begun[all->depth] = all->random; all->earlier[all->depth] = all->npending;
    all->frames = all->frames + 1 < TN_ASKED_OUTSIDE ? all->frames + 1 : 1;
    t->ir->frame = all->number[all->depth] = all->frames;
  }
  all->depth++;
}
// The number of the innermost open frame; 0: none is.
static uint32_t tn_frame_number(const struct tn_tensors *all) {
  return !all->depth ? 0 : all->number[(all->depth < TN_FRAMES ? all->depth : TN_FRAMES) - 1];
}

// Frees the tensors of the innermost frame. 0: no frame is open.
static int tn_frame_close(tiny_ctx *t) {
  struct tn_tensors *all = t->tensors;
  if (!all->depth) return 0;
  if (!++all->ends) all->ends = 1;
  while (all->framed && all->framed->frame == all->depth) tn_tensor_free(all->framed, all->ends);
  all->depth--;
  t->ir->frame = tn_frame_number(all);
  return 1;
}

// The live tensor after x in some order, or the first for NULL. x may have been given another uop, not freed.
static tn_tensor *tn_tensor_next(tiny_ctx *t, const tn_tensor *x) {
  if (!x) return t->tensors->framed ? t->tensors->framed : t->tensors->kept;
  return x->next ? x->next : x->frame ? t->tensors->kept : NULL;
}

// Every node that a live tensor or a pending assignment holds. Heavy code only.
static void tn_tensors_roots(tiny_ctx *t, tn_list *roots) {
  for (tn_tensor *x = tn_tensor_next(t, NULL); x; x = tn_tensor_next(t, x)) tn_push(t, roots, x->uop);
  for (int i = 0; i < t->tensors->npending; i++) tn_push(t, roots, t->tensors->pending[i]);
}

TINY_API int tiny_ok(const tiny_tensor *x) { return tn_live(x) && !tn_poisoned(x); }
TINY_API tiny_ctx *tiny_ctx_of(const tiny_tensor *x) { return tn_ctx_of(x); }
TINY_API tiny_uop *tiny_uop_of(const tiny_tensor *x) { return tiny_ok(x) ? tn_uop_of(x) : NULL; }
TINY_API tiny_dtype tiny_dtype_of(const tiny_tensor *x) {
  return tiny_ok(x) ? (tiny_dtype)tn_uop_of(x)->dtype : TINY_VOID;
}
TINY_API int64_t tiny_nelem_of(const tiny_tensor *x) {
  return tiny_ok(x) ? tn_dims_nelem(tn_uop_of(x)->ndim, tn_uop_of(x)->dim) : 0;
}
TINY_API tiny_shape tiny_shape_of(const tiny_tensor *x) {
  tiny_shape s;
  memset(&s, 0, sizeof s);
  if (!tiny_ok(x)) return s;
  const tiny_uop *u = tn_uop_of(x);
  s.ndim = u->ndim;
  for (int i = 0; i < s.ndim; i++) s.dim[i] = u->dim[i];
  return s;
}

// ** what operators check first **

// Why x, argument `at` of a call, cannot be used: it is not a tensor that lives in t.
static void tn_unusable(tiny_ctx *t, const char *name, int at, const tiny_tensor *x) {
  char text[TN_DEATH_TEXT];
  if (!x) tiny_fail(t, TINY_E_ARG, "%s: tensor argument %d is NULL", name, at);
  else if (tn_ctx_of(x) != t) tiny_fail(t, TINY_E_ARG, "%s: argument %d belongs to another context", name, at);
  else tiny_fail(t, TINY_E_STATE, "%s: argument %d %s", name, at, tn_death_text(x, text));
}
// Are x[0..n-1] live tensors of t (NULL: of any one context)? If not, *out is what the operator returns: poison, or
// NULL when nothing tells the context. A poisoned argument leaves the first error alone.
// As the calls of these names, of which tiny_cancel ends none: within others.
static tiny_code tn_realize_whole(tiny_tensor *const *x, int n);                 // runtime/realize.c
static double tn_item_whole(tiny_tensor *x);
static int tn_takes_lengths(tiny_ctx *t, const char *name, const tiny_uop *u);   // length.c
static int tn_axis_whole(tiny_ctx *t, const char *name, const tiny_uop *u, int axis);
static int tn_axis_whole_for(tiny_ctx *t, const char *name, const tiny_uop *u, int axis, const char *what);
static int tn_usable_in(tiny_ctx *t, const char *name, int n, tiny_tensor *const *x, tiny_tensor **out) {
  int wrong = 0, poisoned = 0;
  for (int i = 0; i < n && !t; i++) t = tn_ctx_of(x[i]);
  *out = tn_poison(t);
  if (!t || !*out) return 0;
  for (int i = n; i-- > 0;) {
    const tn_tensor *slot = tn_live(x[i]);
    if (!slot || slot->t != t) wrong = i + 1;
    else poisoned |= slot == t->tensors->poison;
  }
  if (wrong && !poisoned) tn_unusable(t, name, wrong, x[wrong - 1]);
  if (wrong || poisoned) return 0;
  for (int i = 0; i < n; i++) {
    const tiny_uop *u = tn_slot(x[i])->uop;
    if (u->extent && !tn_takes_lengths(t, name, u)) return 0;
  }
  return 1;
}
// Do they live on one device? What lives on none fits all.
static int tn_on_one_device(const char *name, int n, tiny_tensor *const *x) {
  tiny_ctx *t = tn_ctx_of(x[0]);
  int first = -1;
  for (int i = 0; i < n; i++) {
    const int device = tn_uop_of(x[i])->device;
    if (!device) continue;
    if (first < 0) first = i;
    const int had = tn_uop_of(x[first])->device;
    if (device == had) continue;
    tiny_fail(t, TINY_E_DEVICE, "%s: argument %d lives on %s, argument %d on %s; %s", name, first + 1,
              tn_place_name(t, had), i + 1, tn_place_name(t, device),
              had == TN_SEVERAL || device == TN_SEVERAL ? "tiny_replicate puts one on several, tiny_to brings it to one"
                                                        : "tiny_to copies one to the other");
    return 0;
  }
  return 1;
}
// What every operator asks of its tensors.
static int tn_usable(const char *name, int n, tiny_tensor *const *x, tiny_tensor **out) {
  return tn_usable_in(NULL, name, n, x, out) && (tn_ctx_of(x[0])->ndevice < 2 || tn_on_one_device(name, n, x));
}
// tn_usable for operators whose last arguments may be NULL.
static int tn_usable_some(const char *name, int needed, int n, tiny_tensor *const *x, tiny_tensor **out) {
  tiny_tensor *in[TINY_MAX_DIMS];
  int m = 0;
  for (int i = 0; i < n; i++) if (i < needed || x[i]) in[m++] = x[i];
  return tn_usable(name, m, in, out);
}

static const char *tn_text_of(const tiny_uop *u, char *out) {
  return tn_dims_text(out, TN_DIMS_TEXT, u->ndim, u->dim);
}

// Is s a shape: dims within bounds and fewer than 2^60 elements?
static int tn_shape_valid(tiny_ctx *t, const char *name, const tiny_shape *s) {
  TN_FLOAT_MODE;
  char text[TN_DIMS_TEXT];
  if (s->ndim < 0 || s->ndim > TINY_MAX_DIMS) {
    tiny_fail(t, TINY_E_SHAPE, "%s: %d dims, but shapes have 0 to %d", name, s->ndim, TINY_MAX_DIMS);
    return 0;
  }
  double nelem = 1;
  for (int i = 0; i < s->ndim; i++) {
    if (s->dim[i] < 0) {
      tiny_fail(t, TINY_E_SHAPE, "%s: negative size in %s", name,
                tn_dims_text(text, sizeof text, s->ndim, s->dim));
      return 0;
    }
    nelem *= s->dim[i] ? (double)s->dim[i] : 1;
  }
  if (nelem < 1152921504606846976.0) return 1;
  tiny_fail(t, TINY_E_SHAPE, "%s: too many elements in %s", name,
            tn_dims_text(text, sizeof text, s->ndim, s->dim));
  return 0;
}

static int tn_dtype_check(tiny_ctx *t, const char *name, tiny_dtype d) {
  if (tn_dtype_valid(d)) return 1;
  tiny_fail(t, TINY_E_DTYPE, "%s: %d is no dtype of tensors", name, (int)d);
  return 0;
}

// Axis counted from the front; -1 after an error. 0-d tensors take axis 0 and -1, as in PyTorch.
static int tn_axis(tiny_ctx *t, const char *name, const tiny_uop *u, int axis) {
  char text[TN_DIMS_TEXT];
  const int n = u->ndim ? u->ndim : 1, at = axis < 0 ? axis + n : axis;
  if (at >= 0 && at < n) return at;
  tiny_fail(t, TINY_E_ARG, "%s: axis %d is out of range for %s", name, axis, tn_text_of(u, text));
  return -1;
}

// u as a node of its own, unequal to every other.
static tiny_uop *tn_unique(tiny_ctx *t, int op, tiny_uop *u, int nv, const int64_t *v) {
  if (tn_bad(t, u)) return u;
  return tn_uop_make_with(t, op, u->dtype, 1, 1, &u, 0, nv, v, (void *)++t->tensors->identity);
}
// Memory of its own for the value of u. recalls: a handle of it stays with u when the value is there, so that gradients
// flow on to what u was computed from; else the handle then knows the memory alone.
static tiny_uop *tn_memory_of(tiny_ctx *t, tiny_uop *u, int recalls) {
  if (tn_bad(t, u)) return u;
  return tn_uop_make_with(t, TINY_OP_CONTIGUOUS, u->dtype, 1, 1, &u, recalls, 0, NULL,
                          (void *)++t->tensors->identity);
}

// ** assignment **

enum { TN_MAX_CHAIN = 64 };                // movement ops whose views are folded at once
// The movement ops that make a tensor from its memory, the last one first, in scratch memory that the caller rewinds.
typedef struct tn_chain { tiny_uop **link; int n; tiny_uop *bottom; } tn_chain;

static int tn_is_movement(const tiny_uop *u) { return tn_op_is(u->op, TINY_MOVEMENT) || u->op == TINY_OP_DETACH; }
// Padding is in no memory, and what EXPAND repeats is there once: a view has neither, but for what is cut off again.
static int tn_breaks_view(const tiny_uop *u) { return u->op == TINY_OP_PAD || u->op == TINY_OP_EXPAND; }
static int tn_is_view_of(const tn_chain *c) {
  tiny_views v = tn_views_over(c->bottom->ndim, c->bottom->dim);
  for (int i = c->n - 1; i >= 0; i--) if (tn_views_move(&v, c->link[i]) != TINY_OK) return 0;
  for (int i = 0; i < v.n; i++)
    for (int d = 0; d < v.v[i].ndim; d++) {
      const tiny_view *w = &v.v[i];
      if (w->begin[d] || w->end[d] != w->dim[d] || (w->dim[d] > 1 && !w->stride[d])) return 0;
    }
  return 1;
}
// Does this node stand for memory that nothing else computes? A CONTIGUOUS with an identity was made by an assignment.
static int tn_is_memory(const tiny_uop *u) {
  return u->op == TINY_OP_BUFFER || u->op == TINY_OP_ASSIGN || (u->op == TINY_OP_CONTIGUOUS && u->ptr);
}
// The movement ops that make u, a view, and what they start from; `read`: past those whose own values are known. 0: no
// memory.
static int tn_chain_down(tiny_ctx *t, tiny_uop *u, int read, tn_chain *c) {
  int tries = 0;
  c->n = 0; c->link = NULL; c->bottom = u;
  for (; (read || !c->bottom->realized) && tn_is_movement(c->bottom); c->bottom = c->bottom->src[0]) c->n++;
  if (c->n) c->link = (tiny_uop **)tn_scratch_bare(t, (size_t)c->n * sizeof *c->link);
  if (c->n && !c->link) return 0;
  for (int i = 0; i < c->n; i++, u = u->src[0]) c->link[i] = u;
  for (int i = c->n - 1; i >= 0; i--) {    // the longest part that is a view; of long chains, what is one for certain
    if (!tn_breaks_view(c->link[i])) continue;
    if (tries++ < TN_MAX_CHAIN && tn_is_view_of(c)) break;
    c->bottom = c->link[i]; c->n = i;
  }
  return 1;
}
static int tn_chain_of(tiny_ctx *t, tiny_uop *u, tn_chain *c) { return tn_chain_down(t, u, 0, c); }
// The same movement of another bottom.
static tiny_uop *tn_chain_apply(tiny_ctx *t, const tn_chain *c, tiny_uop *x) {
  for (int i = c->n - 1; i >= 0 && !tn_bad(t, x); i--)
    if (c->link[i]->op != TINY_OP_DETACH)
      x = tn_move_as(t, c->link[i], x);
  return x;
}

static int tn_pending_add(tiny_ctx *t, tiny_uop *u) {
  struct tn_tensors *all = t->tensors;
  if (all->npending == all->cappending) {
    const int cap = all->cappending ? all->cappending * 2 : TN_FIRST_SLOTS;
    tiny_uop **grown = (tiny_uop **)tn_realloc(t, all->pending, (size_t)all->cappending * sizeof *grown,
                                               (size_t)cap * sizeof *grown);
    if (!grown) return 0;
    all->pending = grown; all->cappending = cap;
  }
  all->pending[all->npending++] = u;
  return 1;
}

// Drops the pending assignments that are realized or have one of the flags, or all of them.
static void tn_pending_drop(struct tn_tensors *all, int flags, int every) {
  const int depth = all->depth < TN_FRAMES ? all->depth : TN_FRAMES;
  int n = 0;
  for (int i = 0, d = 0; i <= all->npending; i++) {
    while (d < depth && all->earlier[d] == i) all->earlier[d++] = n;
    if (i == all->npending || every || all->pending[i]->realized || (all->pending[i]->flags & flags)) continue;
    all->pending[n++] = all->pending[i];
  }
  all->npending = n;
}

// Does the caller, or a program, write it whenever they like? What is computed from it is computed anew each time.
static int tn_storage_is_callers(const tn_storage *s) { return s->borrowed && !s->pages; }
// Were the contents that u, a BUFFER, was made for overwritten? What the caller writes is promised to nobody.
static int tn_buffer_is_gone(const tiny_uop *u) {
  const tn_storage *s = (const tn_storage *)u->ptr;
  return u->k < s->since && !(u->flags & TN_NODE_BOUND) && !tn_storage_is_callers(s);
}
// The newest state of the memory that `state` names, or once named: a BUFFER, or an assignment that is pending.
static tiny_uop *tn_newest_state(tiny_ctx *t, tiny_uop *state) {
  const struct tn_tensors *all = t->tensors;
  if (state->op == TINY_OP_BUFFER) {
    const tn_storage *s = (const tn_storage *)state->ptr;
    const int kept = s->later != NULL;
    while (s->later) s = s->later;
    if (s->state && (kept || tn_buffer_is_gone(state))) state = s->state;
  }
  for (int i = 0; (state->flags & TN_NODE_ONCE) && i < all->npending; i++) {
    tiny_uop *next = all->pending[i];
    if (next->op != TINY_OP_ASSIGN || next->realized) continue;
    if (next->src[0] == state || next->src[0]->realized == state) state = next;
  }
  return state;
}
// A chain that begins at another node of as many elements.
static int tn_chain_from(tiny_ctx *t, tn_chain *c, tiny_uop *bottom) {
  const tiny_uop *was = c->bottom;
  tiny_uop *x = tn_firsts_of(t, tn_reshape(t, bottom, was->ndim, was->dim), was), **link;
  int n = c->n;
  if (tn_bad(t, x)) return 0;
  for (const tiny_uop *y = x; y != bottom; y = y->src[0]) n++;
  link = (tiny_uop **)tn_scratch_bare(t, ((size_t)n + 1) * sizeof *link);
  if (!link) return 0;
  if (c->n) memcpy(link, c->link, (size_t)c->n * sizeof *link);
  for (int i = c->n; i < n; i++, x = x->src[0]) link[i] = x;
  c->link = link; c->n = n; c->bottom = bottom;
  return 1;
}
// What a tensor's elements are read from: x past what neither moves nor leaves out elements.
static tiny_uop *tn_memory_under(tiny_uop *u) {
  while (!u->realized && (u->op == TINY_OP_RESHAPE || u->op == TINY_OP_VIEW || u->op == TINY_OP_DETACH)) u = u->src[0];
  return u;
}
static int tn_has_owner(tiny_ctx *t, const tiny_uop *memory) {
  for (tn_tensor *x = tn_index_first(t, tn_index_key(memory)); x; x = tn_index_next(x))
    if (tn_memory_under(x->uop) == memory) return 1;
  return 0;
}
// The same for what is to be written. A part of memory stays one whoever has read it, and when the memory went on: what
// is written there goes to the newest state.
static int tn_chain_to_write(tiny_ctx *t, tiny_uop *u, tn_chain *c) {
  tn_chain whole;
  if (!tn_chain_of(t, u, c) || !tn_chain_down(t, u, 1, &whole)) return 0;
  tiny_uop *below = whole.bottom, *state = below->realized ? below->realized : below;
  const int computed = below->realized && (!tn_is_memory(below) || (below->op == TINY_OP_CONTIGUOUS && below->k));
  if (!computed && !tn_is_memory(below)) return 1;
  tiny_uop *newest = tn_newest_state(t, state);
  if (newest == state && (below == c->bottom || (computed && !tn_has_owner(t, below)))) return 1;
  if (newest->dtype != below->dtype ||
      tn_dims_nelem(newest->ndim, newest->dim) != tn_dims_nelem(below->ndim, below->dim))
    return 1;
  *c = whole;
  return newest == state || tn_chain_from(t, c, newest);
}

// Is dst a part of what another live tensor stands for? A constant has no parts.
static int tn_is_part(tiny_ctx *t, const tn_tensor *dst, const tn_chain *c) {
  const uint32_t seen = ++t->ir->epoch;
  const tiny_uop *memory = NULL;
  for (int i = 1; i < c->n; i++) c->link[i]->mark = seen;
  if (c->n && !tn_is_const(c->bottom)) c->bottom->mark = seen;
  for (int i = 1; i <= c->n; i++) {
    const tiny_uop *key = tn_index_key(i < c->n ? c->link[i] : c->bottom);
    if (key == memory) continue;
    memory = key;
    for (tn_tensor *x = tn_index_first(t, memory); x; x = tn_index_next(x))
      if (x != dst && x->uop != dst->uop && x->uop->mark == seen) return 1;
  }
  return 0;
}
// Programs that are bound to the memory of u, which is computed, no longer follow a tensor that leaves it.
static void tn_memory_left(const tiny_uop *u) {
  tn_storage *s = u->realized ? (tn_storage *)u->realized->ptr : NULL;
  if (s && s->bound) s->left++;
}
// A computed value that a single tensor stands for is that tensor's memory from its first assignment on: programs that
// were bound to it follow. Where equal operators gave several tensors one node, each gets new memory instead. Returns 0
// when nodes could not be made.
static int tn_own_memory(tiny_ctx *t, tn_tensor *dst, tn_chain *c) {
  tiny_uop *u = c->bottom;
  tn_tensor *owner = NULL;
  tn_chain of;
  int owners = 0;
  if ((tn_is_memory(u) && !(u->op == TINY_OP_CONTIGUOUS && u->k)) || !u->realized) return 1;
  const tn_storage *s = (const tn_storage *)u->realized->ptr;
  for (tn_tensor *x = tn_index_first(t, tn_index_key(u)); x && owners < 2; x = tn_index_next(x))
    if (tn_memory_under(x->uop) == u) { owner = x; owners++; }
  if (owners != 1 || s->refs != 1 + s->bound || !tn_chain_of(t, owner->uop, &of)) { tn_memory_left(u); return 1; }
  tiny_uop *own = tn_firsts_of(t, tn_reshape(t, u->realized, u->ndim, u->dim), u), *whole = tn_chain_apply(t, &of, own),
           *view = tn_chain_apply(t, c, own);
  if (tn_bad(t, whole) || tn_bad(t, view)) return 0;
  u->flags |= TN_NODE_ONCE;
  tn_tensor_set(owner, whole);
  tn_tensor_set(dst, view);
  return tn_chain_of(t, view, c);
}
// A tensor whose value was not computed yet gets new memory.
static tiny_tensor *tn_assign_fresh(tiny_ctx *t, tn_tensor *dst, tiny_uop *value, int recalls) {
  tiny_uop *state = tn_memory_of(t, value, recalls);
  if (tn_bad(t, state) || !tn_pending_add(t, state)) return tn_poison(t);
  tn_tensor_set(dst, state);
  return tn_handle(dst);
}
static tiny_tensor *tn_assign_in_place(tiny_ctx *t, tn_tensor *dst, const tn_chain *c, tiny_uop *value) {
  tiny_uop *old = c->bottom, *base = tn_is_memory(old) ? old : tn_memory_of(t, old, 0);
  tiny_uop *src[3] = {base, tn_chain_apply(t, c, base), value};
  tiny_uop *state = tn_uop_make(t, TINY_OP_ASSIGN, base->dtype, 1, 3, src, 0, 0, NULL),
           *view = tn_chain_apply(t, c, state);
  if (tn_bad(t, state) || tn_bad(t, view) || !tn_pending_add(t, state)) return tn_poison(t);
  base->flags |= TN_NODE_ONCE;
  for (tn_tensor *x = tn_index_first(t, tn_index_key(old)), *next; x; x = next) {
    next = tn_index_next(x);
    if (x->uop == old) tn_tensor_set(x, state);
    else if ((x->uop->op == TINY_OP_RESHAPE || x->uop->op == TINY_OP_VIEW) && x->uop->src[0] == old &&
             x != dst) {
      tiny_uop *u = tn_move(t, x->uop->op, state, x->uop->k, x->uop->nv, x->uop->v);
      if (tn_bad(t, u)) return tn_poison(t);
      tn_tensor_set(x, u);
    }
  }
  tn_tensor_set(dst, view);
  return tn_handle(dst);
}

// The next state of dst, of its dims and dtype.
static tiny_tensor *tn_assign_state(tn_tensor *dst, tiny_uop *value, const tn_chain *c, int recalls) {
  char text[TN_DIMS_TEXT];
  tiny_ctx *t = dst->t;
  if (tn_is_memory(c->bottom)) return tn_assign_in_place(t, dst, c, value);
  if (!tn_is_part(t, dst, c)) return tn_assign_fresh(t, dst, value, recalls);
  if (c->bottom->realized) return tn_assign_in_place(t, dst, c, value);
  return tn_wrong(t, TINY_E_ARG, "assign: %s is a view of a tensor that is not computed yet; realize that first",
                  tn_text_of(dst->uop, text));
}

static tiny_tensor *tn_assign_value(tiny_tensor *dst, tiny_uop *v, int recalls);
// The next state of dst, which lies on several devices: of each of its parts. v has dst's dims.
static tiny_tensor *tn_assign_parts(tiny_tensor *dst, tiny_uop *v, int recalls) {
  tiny_ctx *t = tn_ctx_of(dst);
  tiny_uop *u = tn_uop_of(dst), *part[TINY_MAX_DEVICES] = {NULL};
  const int axis = tn_shard_axis(u);
  if (v->device && (!tn_is_shard(v) || !tn_shards_meet(u, v)))
    return tn_wrong(t, TINY_E_DEVICE, "assign: a tensor of several devices takes a value of none, or of the same ones; "
                    "tiny_shard and tiny_replicate put it there");
  if (tn_is_shard(v) && tn_shard_axis(v) != axis) v = tn_all_gather(t, v, "assign");
  for (uint32_t i = 0; i < u->nsrc; i++) {
    tiny_uop *now = tn_bad(t, v) ? v : tn_part_on(t, tn_part_of(t, v, u, axis, (int)i), u, (int)i);
    tiny_tensor *x = tn_tensor_new(t, u->src[i]);            // for the moment: parts have no handles
    if (tn_bad(t, now) || !tiny_ok(x) || !tiny_ok(tn_assign_value(x, now, recalls))) return tn_poison(t);
    part[i] = tn_uop_of(x);
    tiny_free(x);
  }
  tiny_uop *now = tn_shard_of(t, axis, (int)u->nsrc, part);
  if (tn_bad(t, now)) return tn_poison(t);
  tn_tensor_set(tn_slot(dst), now);
  return dst;
}

// The next state of dst is v, broadcast and cast.
static tiny_tensor *tn_assign_value(tiny_tensor *dst, tiny_uop *v, int recalls) {
  char a[TN_DIMS_TEXT], b[TN_DIMS_TEXT];
  tn_tensor *slot = tn_slot(dst);
  tiny_ctx *t = slot->t;
  tiny_uop *u = tn_uop_of(dst);
  tiny_shape s = tiny_shape_of(dst);
  if (tn_bad(t, u) || tn_bad(t, v)) return tn_poison(t);
  if (!tn_broadcast_dims(v->ndim, v->dim, &s.ndim, s.dim) || !tn_has_dims(u, s.ndim, s.dim))
    return tn_wrong(t, TINY_E_SHAPE, "assign: %s does not broadcast to %s", tn_text_of(v, b),
                    tn_text_of(u, a));
  if (v == u) return dst;
  for (int d = 0; v->extent && d < v->ndim; d++)
    if (v->extent[d] && tn_extent_of(u, u->ndim - v->ndim + d) != v->extent[d])
      return tn_wrong(t, TINY_E_SHAPE,
                      "assign: of dim %d of the value only a length is meant; take tiny_slice_to of %s",
                      d, tn_text_of(u, a));
  const tn_mark mark = tn_scratch_mark(t);
  tn_chain c;
  v = tn_expand(t, tn_cast(t, v, u->dtype), s.ndim, s.dim);
  tiny_tensor *out = tn_poison(t);
  if (tn_is_shard(u)) { if (!tn_bad(t, v)) out = tn_assign_parts(dst, v, recalls); }
  else if (!tn_bad(t, v) && tn_chain_to_write(t, u, &c) && tn_own_memory(t, slot, &c))
    out = tn_assign_state(slot, v, &c, recalls);
  tn_scratch_rewind(t, mark);
  return out;
}
// The library's own: of states whose history nobody asks for, a parameter's or an average's.
static tiny_tensor *tn_assign(tiny_tensor *dst, tiny_uop *v) { return tn_assign_value(dst, v, 0); }
TINY_API tiny_tensor *tiny_assign(tiny_tensor *dst, tiny_tensor *value) {
  tiny_tensor *out, *in[2] = {dst, value};
  return tn_usable("assign", 2, in, &out) ? tn_assign_value(dst, tn_uop_of(value), 1) : out;
}
#endif
