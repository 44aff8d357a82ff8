// module: cubins in the GPU's memory, and the kernels in them, each with the descriptor that its launches begin from.
//
// In:    cubins, as ptxas writes them. Out: modules, kernels; a sentence for those of another generation.
// Holds: a module's memory goes back when the launches before have happened: at the next sync. Parameters of a module
//        with the symbol tiny_values are words, as generated kernels have them (render/ptx.c).
#ifndef TN_NV_MODULE
#define TN_NV_MODULE
#ifndef TINY_AMALGAMATED
#include "share.c"
#include "cubin.c"
#include "tensor_map.c"
#endif

// Words of parameters; bytes that the GPU may fetch behind code; bytes of local memory on top of what a kernel needs.
enum { TN_NV_WORDS = 128, TN_NV_PREFETCH = 4096, TN_NV_FRAME = 0x240 };

typedef struct tn_nv_kernel {
  struct tn_nv_kernel *next; struct tn_nv_module *module;
  char *name;
  int threads, nparam; tn_cubin_param *param;              // the most items of a group; of a foreign kernel
  uint32_t registers, shared, local, base, nbytes;         // nbytes: of constant bank 0
  uint32_t required[3];
  int nmap; uint32_t maps_at; uint64_t map[TN_PTX_MAPS][TN_PTX_MAP_WORDS];     // of words: render/ptx_maps.c
  uint32_t qmd[TN_QMD_WORDS];
} tn_nv_kernel;
typedef struct tn_nv_module {
  struct tn_nv_module *next;
  tn_device_block *code; tn_nv_kernel *kernels; int words;
} tn_nv_module;

// ** the descriptor that launches begin from **

enum {                                     // values of fields: classes/compute/cl*qmd.h
  TN_QMD_GRID_CTA = 2, TN_QMD_GROUP = 0x3F, TN_QMD_NO_CHECK = 1, TN_QMD_VIA_HEADER = 1, TN_QMD_SYSMEMBAR = 1
};
static const struct { tn_qmd_version of; uint8_t major, minor; } tn_nv_versions[] = {
  {TN_QMD_0203, 2, 3}, {TN_QMD_0300, 3, 0}, {TN_QMD_0400, 4, 0}, {TN_QMD_0401, 4, 1}, {TN_QMD_0500, 5, 0}
};
static void tn_nv_describe(tn_nv *d, const tn_cubin_kernel *c, uint64_t code, const uint64_t *where, tn_nv_kernel *k) {
  const tn_qmd_version v = d->generation->qmd;
  const struct { tn_qmd_field field; uint64_t value; } set[] = {
    {TN_QMD_QMD_MAJOR_VERSION, tn_nv_versions[v].major}, {TN_QMD_QMD_MINOR_VERSION, tn_nv_versions[v].minor},
    {TN_QMD_QMD_TYPE, TN_QMD_GRID_CTA}, {TN_QMD_QMD_GROUP_ID, TN_QMD_GROUP},
    {TN_QMD_SM_GLOBAL_CACHING_ENABLE, 1}, {TN_QMD_API_VISIBLE_CALL_LIMIT, TN_QMD_NO_CHECK},
    {TN_QMD_SAMPLER_INDEX, TN_QMD_VIA_HEADER}, {TN_QMD_CWD_MEMBAR_TYPE, TN_QMD_SYSMEMBAR},
    {TN_QMD_INVALIDATE_TEXTURE_HEADER_CACHE, 1}, {TN_QMD_INVALIDATE_TEXTURE_SAMPLER_CACHE, 1},
    {TN_QMD_INVALIDATE_TEXTURE_DATA_CACHE, 1}, {TN_QMD_INVALIDATE_SHADER_DATA_CACHE, 1},
    {TN_QMD_REGISTER_COUNT, c->registers}, {TN_QMD_BARRIER_COUNT, c->barriers},
    {TN_QMD_SASS_VERSION, d->sass},
    {TN_QMD_SHADER_LOCAL_MEMORY_HIGH_SIZE, k->local}
  };
  for (size_t i = 0; i < sizeof set / sizeof *set; i++) tn_qmd_set(k->qmd, v, set[i].field, set[i].value);
  tn_qmd_set_address(k->qmd, v, TN_QMD_PROGRAM_ADDRESS_LOWER, 0, code + where[c->text]);
}
// Banks but bank 0, which each launch has of its own.
static void tn_nv_describe_banks(tn_nv *d, const tn_cubin *c, const tn_cubin_kernel *k, uint64_t code,
                                 const uint64_t *where, uint32_t *qmd) {
  for (int i = 1; i < TN_CUBIN_BANKS; i++) {
    if (!k->bank[i] || where[k->bank[i]] == UINT64_MAX) continue;
    tn_qmd_set_bank(qmd, d->generation->qmd, i, code + where[k->bank[i]], tn_cubin_section_at(c, k->bank[i]).nbytes);
  }
}
// Registers are given to warps by 256; the SM has 65536 (CUDA C++ Programming Guide, Compute Capabilities).
static int tn_nv_threads(const tn_cubin_kernel *c) {
  const uint32_t of_warp = (c->registers * 32 + 255) / 256 * 256, warps = 65536 / of_warp / 4 * 4;
  const uint32_t most = warps * 32 < 1024 ? warps * 32 : 1024;
  return (int)(c->max_threads && c->max_threads < most ? c->max_threads : most);
}

// ** modules **

static void tn_nv_module_close(tn_nv *d, tn_nv_module *m) {
  for (tn_nv_kernel *k; (k = m->kernels) != NULL; ) {
    m->kernels = k->next;
    if (k->param) tiny_realloc(d->t, k->param, (size_t)k->nparam * sizeof *k->param, 0);
    if (k->name) tiny_realloc(d->t, k->name, strlen(k->name) + 1, 0);
    tiny_realloc(d->t, k, sizeof *k, 0);
  }
  if (m->code) tn_device_block_give(&d->blocks, m->code);
  tiny_realloc(d->t, m, sizeof *m, 0);
}
static void tn_nv_modules_close(tn_nv *d) {
  for (tn_nv_module *m; (m = d->gone) != NULL; ) { d->gone = m->next; tn_nv_module_close(d, m); }
}
static int tn_nv_no_room(tn_nv *d) {
  tiny_fail(d->t, TINY_E_MEMORY, "%s: no memory for a module", d->name);
  return 0;
}
// Of a foreign kernel: where each parameter stands.
static int tn_nv_take_params(tn_nv *d, const tn_cubin *c, const tn_cubin_kernel *from, tn_nv_kernel *k) {
  if (k->module->words || !from->nparam || from->nparam > 512) return 1;
  k->param = (tn_cubin_param *)tiny_realloc(d->t, NULL, 0, (size_t)from->nparam * sizeof *k->param);
  if (!k->param) return tn_nv_no_room(d);
  k->nparam = from->nparam;
  for (int i = 0; i < k->nparam; i++) {
    const tn_cubin_param none = {0, 0};
    k->param[i] = none;
    tn_cubin_param_at(c, from, i, &k->param[i]);
  }
  return 1;
}
// Of a generated kernel: tensors that it copies boxes of, and where their parameter stands. What is wrong; NULL:
// nothing.
static const char *tn_nv_take_maps(const tn_cubin *c, const tn_cubin_kernel *from, tn_nv_kernel *k) {
  char name[256];
  uint64_t nbytes = 0;
  tn_cubin_param p;
  const int length = snprintf(name, sizeof name, "%s_maps", from->name);
  const uint8_t *at = k->module->words && length < (int)sizeof name ? tn_cubin_variable(c, name, &nbytes) : NULL;
  if (!at) return NULL;
  const uint64_t n = nbytes / sizeof k->map[0];
  if (n > TN_PTX_MAPS || nbytes % sizeof k->map[0] || !tn_cubin_param_at(c, from, 1, &p) ||
      p.at + n * TN_PTX_MAP_NBYTES > from->param_nbytes)
    return "a kernel's tensors are more than it has parameters for";
  memcpy(k->map, at, (size_t)nbytes);
  k->nmap = (int)n;
  k->maps_at = p.at;
  for (int i = 0; i < k->nmap; i++)
    if (!tn_ptx_map_is_sound(k->map[i], TN_NV_WORDS)) return "a kernel copies boxes of what is no tensor";
  return NULL;
}
static tiny_code tn_nv_cubin_wrong(tn_nv *d, const char *wrong) {
  return tiny_fail(d->t, TINY_E_COMPILE, "%s: a cubin is refused: %s", d->name, wrong);
}
// 0: an error, which the context has.
static int tn_nv_add_kernel(tn_nv *d, tn_nv_module *m, const tn_cubin *c, const tn_cubin_kernel *from,
                            const uint64_t *where) {
  tn_nv_kernel *k = (tn_nv_kernel *)tiny_realloc(d->t, NULL, 0, sizeof *k);
  if (!k) return tn_nv_no_room(d);
  memset(k, 0, sizeof *k);
  k->next = m->kernels; k->module = m;
  m->kernels = k;
  const size_t length = strlen(from->name) + 1;
  k->name = (char *)tiny_realloc(d->t, NULL, 0, length);
  if (!k->name) return tn_nv_no_room(d);
  memcpy(k->name, from->name, length);
  k->threads = tn_nv_threads(from);
  k->registers = from->registers; k->shared = from->shared + d->generation->shared_kept;
  k->base = from->param_base; k->nbytes = (from->param_base + from->param_nbytes + 15) & ~15u;
  memcpy(k->required, from->required, sizeof k->required);
  const uint32_t stack = from->stack > from->frame ? from->stack : from->frame;
  k->local = stack ? (stack + TN_NV_FRAME + 31) & ~31u : 0;
  tn_nv_describe(d, from, m->code->va, where, k);
  tn_nv_describe_banks(d, c, from, m->code->va, where, k->qmd);
  const char *wrong = tn_nv_take_maps(c, from, k);
  if (wrong) { tn_nv_cubin_wrong(d, wrong); return 0; }
  return tn_nv_take_params(d, c, from, k);
}
static tiny_code tn_nv_kernel_fits(tn_nv *d, const tn_cubin_kernel *k) {
  const char *wrong =
      k->cluster[0] > 1 || k->cluster[1] > 1 || k->cluster[2] > 1 ? "kernels in clusters are not launched"
      : k->param_base != d->generation->bank0->base ? "its parameters are not where this GPU has them"
      : k->param_nbytes > 4096 ? "a kernel has more than 4096 bytes of parameters" : NULL;
  return wrong ? tn_nv_cubin_wrong(d, wrong) : TINY_OK;
}
static tiny_code tn_nv_add_kernels(tn_nv *d, tn_nv_module *m, const tn_cubin *c, const uint64_t *where) {
  tn_cubin_symbol s;
  tn_cubin_kernel k;
  for (int i = 0; tn_cubin_next_entry(c, &i, &s); ) {
    const char *wrong = tn_cubin_kernel_of(c, i - 1, &k);
    const tiny_code code = wrong ? tn_nv_cubin_wrong(d, wrong) : tn_nv_kernel_fits(d, &k);
    if (code != TINY_OK) return code;
    if (!tn_nv_add_kernel(d, m, c, &k, where)) return tiny_status(d->t);
  }
  return TINY_OK;
}
// The code is copied there behind what the channel of copies has; launches come after it.
static tiny_code tn_nv_upload(tn_nv *d, tn_nv_module *m, const tn_cubin *c, const uint64_t *where, uint64_t nbytes) {
  uint8_t *image = (uint8_t *)tiny_realloc(d->t, NULL, 0, (size_t)nbytes);
  if (!image) { tn_nv_no_room(d); return TINY_E_MEMORY; }
  memset(image, 0, (size_t)nbytes);
  const char *wrong = tn_cubin_image(c, where, m->code->va, image);
  tiny_code code = wrong ? tn_nv_cubin_wrong(d, wrong)
                         : tn_nv_check(d, tn_nv_copy_in_at(d, m->code->va, image, (size_t)nbytes, m->code->used));
  tiny_realloc(d->t, image, (size_t)nbytes, 0);
  d->code_is_new = 1;
  return code;
}
static tiny_code tn_nv_fill_module(tn_nv *d, tn_nv_module *m, const tn_cubin *c, uint64_t *where) {
  const uint64_t nbytes = tn_cubin_place(c, where);
  if (!nbytes || nbytes > (uint64_t)1 << 30) return tn_nv_cubin_wrong(d, "it has no code, or a GiB of it");
  m->words = tn_cubin_has_symbol(c, "tiny_values");
  m->code = (tn_device_block *)tn_nv_alloc(d, (size_t)nbytes + TN_NV_PREFETCH);
  if (!m->code) return tiny_fail(d->t, TINY_E_MEMORY, "%s: no memory on the GPU for a module", d->name);
  const tiny_code code = tn_nv_add_kernels(d, m, c, where);
  return code == TINY_OK ? tn_nv_upload(d, m, c, where, nbytes) : code;
}
// Code of one generation runs on later ones of the same number, but for that of "sm_90a" and the like, which ELF files
// do not tell from others (CUDA C++ Programming Guide, Binary Compatibility).
static tiny_code tn_nv_is_for_it(tn_nv *d, const tn_cubin *c) {
  if (c->sm / 10 == d->sm / 10 && c->sm <= d->sm) return TINY_OK;
  return tiny_fail(d->t, TINY_E_DEVICE, "%s: a cubin is for sm_%d, but the GPU is %s: compile it for that", d->name,
                   c->sm, d->target);
}
static void *tn_nv_load_cubin(tn_nv *d, const void *binary, size_t nbytes) {
  tn_cubin c;
  const char *wrong = tn_cubin_open(&c, binary, nbytes);
  if (wrong) { tn_nv_cubin_wrong(d, wrong); return NULL; }
  if (tn_nv_is_for_it(d, &c) != TINY_OK) return NULL;
  const size_t size = (size_t)c.n * sizeof(uint64_t);
  uint64_t *where = (uint64_t *)tiny_realloc(d->t, NULL, 0, size);
  tn_nv_module *m = (tn_nv_module *)tiny_realloc(d->t, NULL, 0, sizeof *m);
  tiny_code code = TINY_E_MEMORY;
  if (m) memset(m, 0, sizeof *m);
  if (where && m) code = tn_nv_fill_module(d, m, &c, where);
  else tn_nv_no_room(d);
  if (where) tiny_realloc(d->t, where, size, 0);
  if (code != TINY_OK && m) { tn_nv_module_close(d, m); m = NULL; }
  return m;
}

static void *tn_nv_find(void *dev, void *module, const char *name) {
  (void)dev;
  for (tn_nv_kernel *k = ((tn_nv_module *)module)->kernels; k; k = k->next) if (!strcmp(k->name, name)) return k;
  return NULL;
}
#endif
