// module: code objects in the GPU's memory, and the kernels in them.
//
// In:    code objects. Out: modules, kernels; a sentence for those of another GPU.
// Holds: a module's memory goes back when the launches before have happened: at the next sync. Parameters of a module
//        with the symbol tiny_values are words, as generated kernels have them (render/lang_cuda.c).
#ifndef TN_KFD_MODULE
#define TN_KFD_MODULE
#ifndef TINY_AMALGAMATED
#include "memory.c"
#include "../isa/amd_object.c"
#endif

// Words of parameters; bytes that the GPU may fetch behind code; items of a group.
enum { TN_KFD_VALUES = 128, TN_KFD_PREFETCH = 4096, TN_KFD_ITEMS = 1024 };

typedef struct tn_kfd_kernel {
  struct tn_kfd_kernel *next; struct tn_kfd_module *module;
  char *name; uint64_t at, entry, most_items; tn_amd_descriptor is;        // at: of the descriptor
} tn_kfd_kernel;
typedef struct tn_kfd_module {
  struct tn_kfd_module *next;
  tn_device_block *code; tn_kfd_kernel *kernels; int words;
} tn_kfd_module;

static void tn_kfd_module_close(tn_kfd *d, tn_kfd_module *m) {
  for (tn_kfd_kernel *k; (k = m->kernels) != NULL; ) {
    m->kernels = k->next;
    if (k->name) tiny_realloc(d->t, k->name, strlen(k->name) + 1, 0);
    tiny_realloc(d->t, k, sizeof *k, 0);
  }
  if (m->code) tn_device_block_give(&d->blocks, m->code);
  tiny_realloc(d->t, m, sizeof *m, 0);
}
static void tn_kfd_modules_close(tn_kfd *d) {
  for (tn_kfd_module *m; (m = d->gone) != NULL; ) { d->gone = m->next; tn_kfd_module_close(d, m); }
}
static tiny_code tn_kfd_no_room(tn_kfd *d) {
  return tiny_fail(d->t, TINY_E_MEMORY, "%s: no memory for a module", d->name);
}
static tiny_code tn_kfd_object_wrong(tn_kfd *d, const char *wrong) {
  return tiny_fail(d->t, TINY_E_COMPILE, "%s: a code object is refused: %s", d->name, wrong);
}
// What a packet can give a kernel. NULL, or what is wrong.
static const char *tn_kfd_kernel_wrong(const tn_kfd *d, const tn_amd_descriptor *is) {
  enum { USED = 0x47F, DYNAMIC_STACK = 1 << 11, MOST = 65536 };
  if (is->properties & ~(USED | DYNAMIC_STACK)) return "a kernel wants registers that are not known here";
  if (is->properties & DYNAMIC_STACK) return "a kernel has a stack of unknown size";
  if (is->args_nbytes > MOST || is->scratch > MOST * 4)
    return "a kernel wants too many parameters, or too much scratch";
  return (d->node.chip->warp == 64) == !(is->properties & TN_AMD_WAVE32) ? NULL
                                                                          : "a kernel is for waves of another width";
}
static tiny_code tn_kfd_add_kernel(tn_kfd *d, tn_kfd_module *m, const tn_amd_kernel *from) {
  tn_kfd_kernel *k = (tn_kfd_kernel *)tiny_realloc(d->t, NULL, 0, sizeof *k);
  if (!k) return tn_kfd_no_room(d);
  memset(k, 0, sizeof *k);
  k->next = m->kernels; k->module = m;
  m->kernels = k;
  k->name = (char *)tiny_realloc(d->t, NULL, 0, from->name_n + 1);
  if (!k->name) return tn_kfd_no_room(d);
  memcpy(k->name, from->name, from->name_n);
  k->name[from->name_n] = 0;
  k->is = from->descriptor;
  k->at = m->code->va + from->at;
  k->entry = m->code->va + from->entry;
  k->most_items = tn_amd_uint_at(from->metadata, ".max_flat_workgroup_size", TN_KFD_ITEMS);
  const char *wrong = tn_kfd_kernel_wrong(d, &k->is);
  return wrong ? tn_kfd_object_wrong(d, wrong) : TINY_OK;
}
static tiny_code tn_kfd_add_kernels(tn_kfd *d, tn_kfd_module *m, const tn_amd_object *o, const uint8_t *image) {
  tn_amd_kernel k;
  const char *wrong;
  for (uint64_t i = 0; tn_amd_object_next(o, image, &i, &k, &wrong); ) {
    const tiny_code code = tn_kfd_add_kernel(d, m, &k);
    if (code != TINY_OK) return code;
  }
  return wrong ? tn_kfd_object_wrong(d, wrong) : TINY_OK;
}
// The code is copied there behind what the queue of copies has; launches come after it.
static tiny_code tn_kfd_fill_module(tn_kfd *d, tn_kfd_module *m, const tn_amd_object *o) {
  const size_t nbytes = (size_t)o->image_nbytes;
  m->words = tn_amd_object_has(o, "tiny_values");
  m->code = (tn_device_block *)tn_kfd_alloc_block(d, nbytes + TN_KFD_PREFETCH);
  if (!m->code) return tiny_fail(d->t, TINY_E_MEMORY, "%s: no memory on the GPU for a module", d->name);
  uint8_t *image = (uint8_t *)tiny_realloc(d->t, NULL, 0, nbytes);
  if (!image) return tn_kfd_no_room(d);
  memset(image, 0, nbytes);
  const char *wrong = tn_amd_object_image(o, m->code->va, image);
  tiny_code code = wrong ? tn_kfd_object_wrong(d, wrong) : tn_kfd_add_kernels(d, m, o, image);
  if (code == TINY_OK) code = tn_kfd_check(d, tn_kfd_copy_in_at(d, m->code->va, image, nbytes, m->code->used));
  tiny_realloc(d->t, image, nbytes, 0);
  d->code_is_new = 1;
  return code;
}
static tiny_code tn_kfd_is_for_it(tn_kfd *d, const tn_amd_object *o) {
  if (o->chip && !strcmp(o->chip->name, d->node.chip->name)) return TINY_OK;
  return tiny_fail(d->t, TINY_E_DEVICE, "%s: a code object is for %s, but the GPU is %s: compile it for that", d->name,
                   o->chip ? o->chip->name : "a GPU that is not known here", d->node.chip->name);
}
static void *tn_kfd_load(void *dev, const void *binary, size_t nbytes) {
  tn_kfd *d = (tn_kfd *)dev;
  tn_amd_object o;
  if (tn_kfd_enter(d) != TINY_OK) return NULL;
  const char *wrong = tn_amd_object_open(&o, binary, nbytes);
  if (wrong) { tn_kfd_object_wrong(d, wrong); return NULL; }
  if (tn_kfd_is_for_it(d, &o) != TINY_OK) return NULL;
  const size_t size = (size_t)o.nsections * sizeof(uint64_t);
  uint64_t *where = (uint64_t *)tiny_realloc(d->t, NULL, 0, size);
  tn_kfd_module *m = (tn_kfd_module *)tiny_realloc(d->t, NULL, 0, sizeof *m);
  tiny_code code = where && m ? TINY_OK : tn_kfd_no_room(d);
  if (m) memset(m, 0, sizeof *m);
  if (code == TINY_OK) {
    wrong = tn_amd_object_place(&o, where);
    code = wrong ? tn_kfd_object_wrong(d, wrong) : tn_kfd_fill_module(d, m, &o);
  }
  if (where) tiny_realloc(d->t, where, size, 0);
  if (code != TINY_OK && m) { tn_kfd_module_close(d, m); m = NULL; }
  return m;
}
static void *tn_kfd_find(void *dev, void *module, const char *name) {
  (void)dev;
  for (tn_kfd_kernel *k = ((tn_kfd_module *)module)->kernels; k; k = k->next) if (!strcmp(k->name, name)) return k;
  return NULL;
}
#endif
