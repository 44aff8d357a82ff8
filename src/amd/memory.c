// memory: bytes to the GPU's memory and from it, by its copy engines; from other GPUs.
//
// In:    what the backend is asked. Out: blocks, which is what tiny_mem.base is; submissions on the queues of copies.
// Holds: bytes go to a block that no submission of launches uses any more while kernels before them run. Bytes from the
//        host are in memory of both when the call returns.
#ifndef TN_KFD_MEMORY
#define TN_KFD_MEMORY
#ifndef TINY_AMALGAMATED
#include "peer.c"
#endif

enum { TN_KFD_STAGE = 2 << 20 };           // bytes of a chunk

static uint64_t tn_kfd_at(tiny_mem m) { return ((const tn_device_block *)m.base)->va + m.offset; }
static void tn_kfd_use(tn_kfd *d, tiny_mem m) {
  ((tn_device_block *)m.base)->used = d->queue[TN_KFD_COMPUTE].given + 1;
}

// ** blocks **

static void *tn_kfd_blocks_make(void *user, uint64_t nbytes, uint64_t *va, uint64_t *got) {
  tn_kfd_memory *m = tn_kfd_memory_make((tn_kfd *)user, nbytes, 0);
  if (m) { *va = m->va; *got = m->nbytes; }
  return m;
}
static void tn_kfd_blocks_drop(void *user, void *memory) {
  tn_kfd_memory *m = (tn_kfd_memory *)memory;
  if (m->ngpu > 1) tn_kfd_unshare((tn_kfd *)user);
  tn_kfd_memory_free((tn_kfd *)user, m);
}
// When memory has run out, what is free goes back to the driver and it is tried again.
static void *tn_kfd_alloc_block(void *dev, size_t nbytes) {
  tn_kfd *d = (tn_kfd *)dev;
  if (tn_kfd_enter(d) != TINY_OK) return NULL;
  tn_device_block *b = tn_device_block_of(&d->blocks, nbytes);
  if (!b && tn_kfd_wait_all(d) == TINY_OK) {
    tn_device_regions_close(&d->blocks, 0);
    b = tn_device_block_of(&d->blocks, nbytes);
  }
  if (!b) { if (d->k.code != TINY_E_MEMORY) tn_kfd_failed(d); return NULL; }
  const uint64_t now = d->queue[TN_KFD_COMPUTE].given;
  if (b->used < now) b->used = now;        // what launches before did with it
  return b;
}
static void tn_kfd_free_block(void *dev, void *mem, size_t nbytes) {
  (void)nbytes;
  tn_device_block_give(&((tn_kfd *)dev)->blocks, (tn_device_block *)mem);
}

// ** copies **

static tiny_code tn_kfd_copy_words(tn_kfd *d, int queue, uint64_t to, uint64_t from, size_t nbytes) {
  const tiny_code code = tn_kfd_room(d, queue, 8);
  tn_kfd_words w;
  w.n = 0;
  tn_sdma_copy(&w, to, from, nbytes);
  if (code == TINY_OK) tn_kfd_push(&d->queue[queue], &w);
  return code;
}
// A chunk of staging is on its way to the block.
static tiny_code tn_kfd_copy_in_some(tn_kfd *d, uint64_t to, const char *src, size_t nbytes, uint64_t used) {
  char *const at = tn_kfd_ring_take(d, &d->stage_in, nbytes, 64);
  if (!at) return TINY_E_DEVICE;
  memcpy(at, src, nbytes);
  tiny_code code = tn_kfd_after(d, TN_KFD_IN, TN_KFD_COMPUTE, used);
  if (code == TINY_OK) code = tn_kfd_copy_words(d, TN_KFD_IN, to, tn_kfd_ring_va(&d->stage_in, at), nbytes);
  return code == TINY_OK ? tn_kfd_submit_words(d, TN_KFD_IN) : code;
}
static tiny_code tn_kfd_copy_in_at(tn_kfd *d, uint64_t to, const void *src, size_t nbytes, uint64_t used) {
  tiny_code code = TINY_OK;
  for (size_t at = 0, n; at < nbytes && code == TINY_OK; at += n) {
    n = nbytes - at < TN_KFD_STAGE ? nbytes - at : (size_t)TN_KFD_STAGE;
    code = tn_kfd_copy_in_some(d, to + at, (const char *)src + at, n, used);
  }
  return code;
}
static tiny_code tn_kfd_copy_in(void *dev, tiny_mem dst, const void *src, size_t nbytes) {
  tn_kfd *d = (tn_kfd *)dev;
  const tiny_code code = tn_kfd_enter(d);
  if (code != TINY_OK) return code;
  return tn_kfd_check(d, tn_kfd_copy_in_at(d, tn_kfd_at(dst), src, nbytes, ((const tn_device_block *)dst.base)->used));
}

// A piece on its way to the host: what the queue's submission `value` brings.
typedef struct tn_kfd_piece { char *at, *to; size_t nbytes; uint64_t value; } tn_kfd_piece;
static tiny_code tn_kfd_copy_out_begin(tn_kfd *d, tn_kfd_piece *p, uint64_t from) {
  p->at = tn_kfd_ring_take(d, &d->stage_out, p->nbytes, 64);
  if (!p->at) return TINY_E_DEVICE;
  tiny_code code = tn_kfd_after(d, TN_KFD_OUT, TN_KFD_COMPUTE, d->queue[TN_KFD_COMPUTE].given);
  if (code == TINY_OK) code = tn_kfd_after(d, TN_KFD_OUT, TN_KFD_IN, d->queue[TN_KFD_IN].given);
  if (code == TINY_OK) code = tn_kfd_copy_words(d, TN_KFD_OUT, tn_kfd_ring_va(&d->stage_out, p->at), from, p->nbytes);
  if (code == TINY_OK) code = tn_kfd_submit_words(d, TN_KFD_OUT);
  p->value = d->queue[TN_KFD_OUT].given;
  return code;
}
static tiny_code tn_kfd_copy_out_end(tn_kfd *d, const tn_kfd_piece *p) {
  const tiny_code code = tn_kfd_wait_for(d, TN_KFD_OUT, p->value);
  if (code == TINY_OK) memcpy(p->to, p->at, p->nbytes);
  return code;
}
// One is on its way while the host empties the one before.
static tiny_code tn_kfd_copy_out(void *dev, void *dst, tiny_mem src, size_t nbytes) {
  tn_kfd *d = (tn_kfd *)dev;
  tn_kfd_piece before = {NULL, NULL, 0, 0};
  tiny_code code = tn_kfd_enter(d);
  if (code != TINY_OK) return code;
  for (size_t at = 0; at < nbytes && code == TINY_OK; ) {
    tn_kfd_piece p = {NULL, (char *)dst + at, nbytes - at < TN_KFD_STAGE ? nbytes - at : (size_t)TN_KFD_STAGE, 0};
    code = tn_kfd_copy_out_begin(d, &p, tn_kfd_at(src) + at);
    if (code == TINY_OK && before.nbytes) code = tn_kfd_copy_out_end(d, &before);
    at += p.nbytes;
    before = p;
  }
  if (code == TINY_OK) code = before.nbytes ? tn_kfd_copy_out_end(d, &before) : tn_kfd_wait_all(d);
  if (code == TINY_OK && tn_kfd_is_lost(d)) code = TINY_E_DEVICE;
  return tn_kfd_check(d, code);
}

// ** from another device **

static tiny_code tn_kfd_copy_by_host(tn_kfd *d, tiny_mem dst, tn_kfd *from, tiny_mem src, size_t nbytes) {
  const size_t most = nbytes < TN_KFD_STAGE ? nbytes : (size_t)TN_KFD_STAGE;
  char *between = (char *)tiny_realloc(d->t, NULL, 0, most + !most);
  tiny_code code = TINY_OK;
  if (!between) return tiny_fail(d->t, TINY_E_MEMORY, "%s: no memory for a copy between devices", d->name);
  for (size_t n; nbytes && code == TINY_OK; nbytes -= n, dst.offset += n, src.offset += n) {
    n = nbytes < most ? nbytes : most;
    code = tn_kfd_copy_out(from, between, src, n);
    if (code == TINY_OK) code = tn_kfd_copy_in(d, dst, between, n);
  }
  tiny_realloc(d->t, between, most + !most, 0);
  return code;
}
static tiny_code tn_kfd_copy_between(tn_kfd *d, uint64_t to, uint64_t from, size_t nbytes, uint64_t used) {
  tiny_code code = tn_kfd_after(d, TN_KFD_IN, TN_KFD_COMPUTE, used);
  for (size_t at = 0, n; at < nbytes && code == TINY_OK; at += n) {
    n = nbytes - at < TN_SDMA_COPY_MOST ? nbytes - at : (size_t)TN_SDMA_COPY_MOST;
    code = tn_kfd_copy_words(d, TN_KFD_IN, to + at, from + at, n);
  }
  return code == TINY_OK ? tn_kfd_submit_words(d, TN_KFD_IN) : code;
}
// By this GPU's copy engine, which reads the other's memory where it is let.
static tiny_code tn_kfd_copy_from(void *dev, tiny_mem dst, void *other, tiny_mem src, size_t nbytes) {
  tn_kfd *d = (tn_kfd *)dev, *from = (tn_kfd *)other;
  const tiny_code code = tn_kfd_enter(d);
  if (code != TINY_OK) return code;
  if (!tn_kfd_reaches(d, from, (tn_kfd_memory *)((const tn_device_block *)src.base)->region->memory))
    return tn_kfd_copy_by_host(d, dst, from, src, nbytes);
  return tn_kfd_check(d, tn_kfd_copy_between(d, tn_kfd_at(dst), tn_kfd_at(src), nbytes,
                                             ((const tn_device_block *)dst.base)->used));
}
#endif
