// info: what the driver tells of its GPUs, without a context of the library's.
//
// In:    a system, or NULL. Out: a row for each GPU. Nothing is left open.
#ifndef TN_NV_INFO_ROOM
#define TN_NV_INFO_ROOM
#ifndef TINY_AMALGAMATED
#include "device.c"
#endif

static void tn_nv_uuid_text(const uint8_t uuid[16], char *out, size_t nbytes) {
  size_t at = (size_t)snprintf(out, nbytes, "GPU-");
  for (int i = 0; i < 16; i++)
    at += (size_t)snprintf(out + at, nbytes - at, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
}
static void tn_nv_tell(tn_nv *d, tiny_nv_gpu *out) {
  snprintf(out->name, sizeof out->name, "%s", d->gpu);
  snprintf(out->target, sizeof out->target, "%s", d->target);
  tn_nv_uuid_text(d->uuid, out->uuid, sizeof out->uuid);
  out->processors = d->processors; out->warps = d->warps;
  out->shared_nbytes = (size_t)d->generation->shared_block << 10;
  out->nbytes = d->nbytes; out->free_nbytes = d->free_nbytes; out->l2_nbytes = d->l2;
  out->compute = d->generation->compute; out->channel = d->fifo_class;
  out->copy = d->copy_class; out->doorbell = d->doorbell_class;
  out->partitioned = tn_nv_is_partitioned(d);
}
static void tn_nv_tell_card(tn_nv *d, const tn_nv_card *card, tiny_nv_gpu *out) {
  out->minor = (int)card->minor;
  snprintf(out->driver, sizeof out->driver, "%s", d->rm.version);
  snprintf(out->pci, sizeof out->pci, "%04x:%02x:%02x.%x", (unsigned)card->domain & 0xFFFF, card->bus, card->slot,
           card->function & 7u);
  d->gpu_id = card->gpu; d->minor = out->minor; d->device = 0;
  d->file = tn_nv_file(&d->rm, out->minor);
  if (d->file >= 0 && tn_nv_attach(d) == TINY_OK) tn_nv_tell(d, out);
  else snprintf(out->error, sizeof out->error, "%s", d->rm.why);
  tn_nv_drop(&d->rm, d->rm.root, d->device);
  if (d->file >= 0) d->rm.sys.close(d->rm.sys.user, d->file);
}
TINY_API int tiny_nv_gpus(const tiny_nv_system *system, tiny_nv_gpu *out, int n) {
  tn_nv d;
  tn_nv_card cards[TN_NV_CARDS];
  int found = 0;
  memset(&d, 0, sizeof d);
  if (n > 0) memset(out, 0, (size_t)n * sizeof *out);
  tiny_code code = tn_nv_rm_open(&d.rm, system);
  if (code == TINY_OK) code = tn_nv_cards(&d.rm, cards, &found);
  if (code == TINY_OK && !found) tn_nv_wrong(&d.rm, TINY_E_DEVICE, "the driver (%s) finds no GPU", d.rm.version);
  for (int i = 0; i < found && i < n && code == TINY_OK; i++) tn_nv_tell_card(&d, &cards[i], &out[i]);
  if (!found && n > 0) snprintf(out->error, sizeof out->error, "%s", d.rm.why);
  if (d.rm.control >= 0) tn_nv_rm_close(&d.rm);
  return code == TINY_OK ? found : 0;
}
#endif
