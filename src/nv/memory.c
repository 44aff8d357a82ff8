// memory: of the GPU, given out in blocks of larger regions; bytes to it and from it by its copy engines.
//
// In:    what the backend is asked. Out: blocks, which is what tiny_mem.base is; submissions on the channels of copies.
// Holds: bytes go to a block that no submission of launches uses any more while kernels before them run. Bytes from the
//        host are in memory of both when the call returns.
// What is what: NVIDIA/open-gpu-doc, classes/dma-copy/clc6b5.h to clcab5.h.
#ifndef TN_NV_MEMORY_ROOM
#define TN_NV_MEMORY_ROOM
#ifndef TINY_AMALGAMATED
#include "peer.c"
#endif

enum {
  TN_NV_STAGE = 2 << 20,                   // bytes of a chunk
  TN_NV_OFFSET_IN = 0x400, TN_NV_LINE_LENGTH = 0x418, TN_NV_LAUNCH_DMA = 0x300,
  TN_NV_DMA_LINEAR = 0x186                 // not pipelined, flushed, from pitch to pitch
};

static uint64_t tn_nv_at(tiny_mem m) { return ((const tn_device_block *)m.base)->va + m.offset; }
static void tn_nv_use(tn_nv *d, tiny_mem m) {
  ((tn_device_block *)m.base)->used = d->channel[TN_NV_LAUNCHES].given + 1;
}

// ** blocks **

static void *tn_nv_blocks_make(void *user, uint64_t nbytes, uint64_t *va, uint64_t *got) {
  tn_nv_memory *m = tn_nv_memory_make((tn_nv *)user, nbytes, 0);
  if (m) { *va = m->va; *got = m->nbytes; }
  return m;
}
static void tn_nv_blocks_drop(void *user, void *memory) {
  tn_nv_unshare((tn_nv *)user, ((tn_nv_memory *)memory)->handle);
  tn_nv_memory_free((tn_nv *)user, (tn_nv_memory *)memory);
}
static tiny_code tn_nv_wait_all(tn_nv *d) {
  tiny_code code = TINY_OK;
  for (int i = 0; i < TN_NV_CHANNELS && code == TINY_OK; i++) code = tn_nv_wait_for(d, i, d->channel[i].given);
  return code;
}
// When memory has run out, what is free goes back to the driver and it is tried again.
static void *tn_nv_alloc(void *dev, size_t nbytes) {
  tn_nv *d = (tn_nv *)dev;
  if (tn_nv_enter(d) != TINY_OK) return NULL;
  tn_device_block *b = tn_device_block_of(&d->blocks, nbytes);
  if (!b && tn_nv_wait_all(d) == TINY_OK) {
    tn_device_regions_close(&d->blocks, 0);
    b = tn_device_block_of(&d->blocks, nbytes);
  }
  if (!b) { if (d->rm.code != TINY_E_MEMORY) tn_nv_failed(d); return NULL; }
  const uint64_t now = d->channel[TN_NV_LAUNCHES].given;
  if (b->used < now) b->used = now;        // what launches before did with it
  return b;
}
static void tn_nv_free(void *dev, void *mem, size_t nbytes) {
  (void)nbytes;
  tn_device_block_give(&((tn_nv *)dev)->blocks, (tn_device_block *)mem);
}

// ** copies **

static void tn_nv_copy_words(tn_nv_channel *c, uint64_t to, uint64_t from, size_t nbytes) {
  tn_nv_method(c, TN_NV_ON_COPY, TN_NV_OFFSET_IN, 4);
  tn_nv_address(c, from);
  tn_nv_address(c, to);
  tn_nv_one(c, TN_NV_ON_COPY, TN_NV_LINE_LENGTH, (uint32_t)nbytes);
  tn_nv_one(c, TN_NV_ON_COPY, TN_NV_LAUNCH_DMA, TN_NV_DMA_LINEAR);
}
// A chunk of staging is on its way to the block.
static tiny_code tn_nv_copy_in_some(tn_nv *d, uint64_t to, const char *src, size_t nbytes, uint64_t used) {
  char *const at = tn_nv_ring_take(d, &d->stage_in, nbytes, 64);
  tiny_code code = at ? tn_nv_room(d, TN_NV_IN, 32) : TINY_E_DEVICE;
  if (code != TINY_OK) return code;
  memcpy(at, src, nbytes);
  tn_nv_after(d, TN_NV_IN, TN_NV_LAUNCHES, used);
  tn_nv_copy_words(&d->channel[TN_NV_IN], to, tn_nv_ring_va(&d->stage_in, at), nbytes);
  return tn_nv_submit_words(d, TN_NV_IN);
}
static tiny_code tn_nv_copy_in_at(tn_nv *d, uint64_t to, const void *src, size_t nbytes, uint64_t used) {
  tiny_code code = TINY_OK;
  for (size_t at = 0, n; at < nbytes && code == TINY_OK; at += n) {
    n = nbytes - at < TN_NV_STAGE ? nbytes - at : (size_t)TN_NV_STAGE;
    code = tn_nv_copy_in_some(d, to + at, (const char *)src + at, n, used);
  }
  return code;
}
static tiny_code tn_nv_copy_in(void *dev, tiny_mem dst, const void *src, size_t nbytes) {
  tn_nv *d = (tn_nv *)dev;
  const tiny_code code = tn_nv_enter(d);
  if (code != TINY_OK) return code;
  return tn_nv_check(d, tn_nv_copy_in_at(d, tn_nv_at(dst), src, nbytes, ((const tn_device_block *)dst.base)->used));
}

// A piece on its way to the host: what the channel's submission `value` brings.
typedef struct tn_nv_piece { char *at, *to; size_t nbytes; uint64_t value; } tn_nv_piece;
static tiny_code tn_nv_copy_out_begin(tn_nv *d, tn_nv_piece *p, uint64_t from) {
  p->at = tn_nv_ring_take(d, &d->stage_out, p->nbytes, 64);
  tiny_code code = p->at ? tn_nv_room(d, TN_NV_OUT, 32) : TINY_E_DEVICE;
  if (code != TINY_OK) return code;
  tn_nv_after(d, TN_NV_OUT, TN_NV_LAUNCHES, d->channel[TN_NV_LAUNCHES].given);
  tn_nv_after(d, TN_NV_OUT, TN_NV_IN, d->channel[TN_NV_IN].given);
  tn_nv_copy_words(&d->channel[TN_NV_OUT], tn_nv_ring_va(&d->stage_out, p->at), from, p->nbytes);
  code = tn_nv_submit_words(d, TN_NV_OUT);
  p->value = d->channel[TN_NV_OUT].given;
  return code;
}
static tiny_code tn_nv_copy_out_end(tn_nv *d, const tn_nv_piece *p) {
  const tiny_code code = tn_nv_wait_for(d, TN_NV_OUT, p->value);
  if (code == TINY_OK) memcpy(p->to, p->at, p->nbytes);
  return code;
}
// One is on its way while the host empties the one before.
static tiny_code tn_nv_copy_out(void *dev, void *dst, tiny_mem src, size_t nbytes) {
  tn_nv *d = (tn_nv *)dev;
  tn_nv_piece before = {NULL, NULL, 0, 0};
  tiny_code code = tn_nv_enter(d);
  if (code != TINY_OK) return code;
  for (size_t at = 0; at < nbytes && code == TINY_OK; ) {
    tn_nv_piece p = {NULL, (char *)dst + at, nbytes - at < TN_NV_STAGE ? nbytes - at : (size_t)TN_NV_STAGE, 0};
    code = tn_nv_copy_out_begin(d, &p, tn_nv_at(src) + at);
    if (code == TINY_OK && before.nbytes) code = tn_nv_copy_out_end(d, &before);
    at += p.nbytes;
    before = p;
  }
  if (code == TINY_OK) code = before.nbytes ? tn_nv_copy_out_end(d, &before) : tn_nv_wait_all(d);
  return tn_nv_check(d, code);
}

// ** from another device **

static tiny_code tn_nv_copy_by_host(tn_nv *d, tiny_mem dst, tn_nv *from, tiny_mem src, size_t nbytes) {
  const size_t most = nbytes < TN_NV_STAGE ? nbytes : (size_t)TN_NV_STAGE;
  char *between = (char *)tiny_realloc(d->t, NULL, 0, most + !most);
  tiny_code code = TINY_OK;
  if (!between) return tiny_fail(d->t, TINY_E_MEMORY, "%s: no memory for a copy between devices", d->name);
  for (size_t n; nbytes && code == TINY_OK; nbytes -= n, dst.offset += n, src.offset += n) {
    n = nbytes < most ? nbytes : most;
    code = tn_nv_copy_out(from, between, src, n);
    if (code == TINY_OK) code = tn_nv_copy_in(d, dst, between, n);
  }
  tiny_realloc(d->t, between, most + !most, 0);
  return code;
}
static tiny_code tn_nv_copy_between(tn_nv *d, uint64_t to, uint64_t from, size_t nbytes, uint64_t used) {
  enum { MOST = 1 << 30 };                 // bytes of a line
  tiny_code code = TINY_OK;
  for (size_t at = 0, n; at < nbytes && code == TINY_OK; at += n) {
    n = nbytes - at < MOST ? nbytes - at : (size_t)MOST;
    code = tn_nv_room(d, TN_NV_IN, 32);
    if (code != TINY_OK) break;
    tn_nv_after(d, TN_NV_IN, TN_NV_LAUNCHES, used);
    tn_nv_copy_words(&d->channel[TN_NV_IN], to + at, from + at, n);
  }
  return code == TINY_OK ? tn_nv_submit_words(d, TN_NV_IN) : code;
}
// By this GPU's copy engine, which reads the other's memory where it is let.
static tiny_code tn_nv_copy_from(void *dev, tiny_mem dst, void *other, tiny_mem src, size_t nbytes) {
  tn_nv *d = (tn_nv *)dev, *from = (tn_nv *)other;
  const tn_nv_memory *m = (const tn_nv_memory *)((const tn_device_block *)src.base)->region->memory;
  const tiny_code code = tn_nv_enter(d);
  if (code != TINY_OK) return code;
  const tn_nv_theirs theirs = tn_nv_theirs_of(from, m);
  const uint64_t view = tn_nv_view_of(d, &theirs);
  if (!view) return tn_nv_copy_by_host(d, dst, from, src, nbytes);
  tn_nv_meet(d, from);
  return tn_nv_check(d, tn_nv_copy_between(d, tn_nv_at(dst), view + (tn_nv_at(src) - m->va), nbytes,
                                           ((const tn_device_block *)dst.base)->used));
}
#endif
