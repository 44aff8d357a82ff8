// topology: which GPUs there are, as /sys/devices/virtual/kfd/kfd/topology tells.
//
// In:    a driver. Out: a tn_kfd_node for each node with a GPU that this process may see.
// What is what: Linux, drivers/gpu/drm/amd/amdkfd/kfd_topology.c (a node that a container hides reads as gpu_id 0 or
// not at all).
#ifndef TN_KFD_TOPOLOGY
#define TN_KFD_TOPOLOGY
#ifndef TINY_AMALGAMATED
#include "kfd.c"
#include "chip.c"
#endif

enum { TN_KFD_NODES = 64, TN_KFD_GPUS = 32, TN_KFD_FIRST_MINOR = 128 };

typedef struct tn_kfd_node {
  char name[64];
  int number;
  uint32_t gpu, version, minor;            // gpu: KFD's id; minor: of /dev/dri/renderD<minor>
  uint32_t simds, simds_per_unit, arrays, arrays_per_engine, waves, scratch_slots, dies, shared_kib;
  uint64_t nbytes;
  const tn_kfd_chip *chip;                 // NULL: it is not known here
} tn_kfd_node;
static uint32_t tn_kfd_units(const tn_kfd_node *n) { return n->simds / n->simds_per_unit; }
static uint32_t tn_kfd_engines(const tn_kfd_node *n) { return n->arrays / n->arrays_per_engine; }

// Of lines "name value" the value; 0: there is no such line.
static uint64_t tn_kfd_property(const char *text, const char *name) {
  const size_t n = strlen(name);
  for (const char *at = text; *at; ) {
    if (!strncmp(at, name, n) && at[n] == ' ') return tn_digits_value(at + n + 1, 10, NULL);
    at += strcspn(at, "\n");
    at += *at == '\n';
  }
  return 0;
}
static int tn_kfd_node_read(tn_kfd_driver *k, int number, const char *file, char *out, size_t nbytes) {
  char path[96];
  snprintf(path, sizeof path, "/sys/devices/virtual/kfd/kfd/topology/nodes/%d/%s", number, file);
  out[0] = 0;
  return k->sys.read(k->sys.user, path, out, nbytes);
}
static uint32_t tn_kfd_at_least_1(uint64_t x) { return x ? (uint32_t)x : 1; }
static void tn_kfd_node_take(tn_kfd_node *n, const char *text) {
  static const char *const of_arrays[] = {"array_count", "simd_arrays_per_engine"};
  n->version = (uint32_t)tn_kfd_property(text, "gfx_target_version");
  n->minor = (uint32_t)tn_kfd_property(text, "drm_render_minor");
  n->simds = (uint32_t)tn_kfd_property(text, "simd_count");
  n->simds_per_unit = tn_kfd_at_least_1(tn_kfd_property(text, "simd_per_cu"));
  n->arrays = tn_kfd_at_least_1(tn_kfd_property(text, of_arrays[0]));
  n->arrays_per_engine = tn_kfd_at_least_1(tn_kfd_property(text, of_arrays[1]));
  n->waves = tn_kfd_at_least_1(tn_kfd_property(text, "max_waves_per_simd"));
  n->scratch_slots = tn_kfd_at_least_1(tn_kfd_property(text, "max_slots_scratch_cu"));
  n->dies = tn_kfd_at_least_1(tn_kfd_property(text, "num_xcc"));
  n->shared_kib = (uint32_t)tn_kfd_property(text, "lds_size_in_kb");
  n->nbytes = tn_kfd_property(text, "local_mem_size");
  n->chip = tn_kfd_chip_of(n->version);
}
// 1: it is a GPU's. 0: it is a CPU's, or hidden. Below 0: there is no node of this number.
static int tn_kfd_node_of(tn_kfd_driver *k, int number, tn_kfd_node *n) {
  char text[4096];
  memset(n, 0, sizeof *n);
  n->number = number;
  const int there = tn_kfd_node_read(k, number, "gpu_id", text, sizeof text);
  if (there == -1 || there == -13) return 0;
  if (there < 0) return there;
  n->gpu = (uint32_t)tn_digits_value(text, 10, NULL);
  if (!n->gpu || tn_kfd_node_read(k, number, "properties", text, sizeof text) <= 0) return 0;
  tn_kfd_node_take(n, text);
  if (tn_kfd_node_read(k, number, "mem_banks/0/properties", text, sizeof text) > 0 && !n->nbytes)
    n->nbytes = tn_kfd_property(text, "size_in_bytes");
  if (tn_kfd_node_read(k, number, "name", n->name, sizeof n->name) > 0) n->name[strcspn(n->name, "\n")] = 0;
  if (!n->name[0] && n->chip) snprintf(n->name, sizeof n->name, "%s", n->chip->card);
  return n->minor >= TN_KFD_FIRST_MINOR && n->simds ? 1 : 0;
}
// How many there are; the first n to out.
static int tn_kfd_nodes(tn_kfd_driver *k, tn_kfd_node *out, int n) {
  int found = 0;
  tn_kfd_node node;
  for (int i = 0; i < TN_KFD_NODES; i++) {
    const int there = tn_kfd_node_of(k, i, &node);
    if (there < 0) break;
    if (!there) continue;
    if (found < n) out[found] = node;
    found++;
  }
  return found;
}
// TINY_OK: kernels are made for it.
static tiny_code tn_kfd_known(tn_kfd_driver *k, const tn_kfd_node *n) {
  if (n->chip) return TINY_OK;
  return tn_kfd_wrong(k, TINY_E_DEVICE, "the GPU is gfx%u%u%x, which is not known here; known are gfx942, gfx1100 to "
                      "gfx1103, gfx1150, gfx1151, gfx1200, gfx1201", (unsigned)(n->version / 10000),
                      (unsigned)(n->version / 100 % 100), (unsigned)(n->version % 100));
}
#endif
