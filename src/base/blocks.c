// blocks: a device's memory, given out in blocks of larger regions, which are the driver's.
//
// In:    sizes. Out: blocks, which is what tiny_mem.base is.
// Holds: a region is kept when all of it is free, until memory runs out. Of each block is known which submission used
//        it last. It stands in companion headers, as library.c does, and uses what tiny.h shows to everyone.
#ifndef TN_BASE_BLOCKS
#define TN_BASE_BLOCKS
#ifndef TINY_API
#include "../api/api.h"
#endif
#include <string.h>

typedef struct tn_device_block {
  struct tn_device_block *next, *before;          // neighbours in the region, by address
  struct tn_device_region *region;
  uint64_t va, nbytes, used;               // used: submission of launches
  int taken;
} tn_device_block;
typedef struct tn_device_region {
  struct tn_device_region *next; void *memory; uint64_t va, nbytes; tn_device_block *first;
} tn_device_region;
typedef struct tn_device_blocks {
  tiny_ctx *t; void *user; tn_device_region *regions;
  // Memory, where it begins and what it has at least; NULL: there is none, and `user` knows why. drop gives it back.
  void *(*make)(void *user, uint64_t nbytes, uint64_t *va, uint64_t *got);
  void (*drop)(void *user, void *memory);
} tn_device_blocks;
enum { TN_DEVICE_BLOCK_LEAST = 256, TN_DEVICE_REGION_NBYTES = 32 << 20 };

static tn_device_block *tn_device_block_new(tn_device_blocks *p, tn_device_region *r, uint64_t va, uint64_t nbytes) {
  tn_device_block *b = (tn_device_block *)tiny_realloc(p->t, NULL, 0, sizeof *b);
  if (!b) return NULL;
  memset(b, 0, sizeof *b);
  b->region = r; b->va = va; b->nbytes = nbytes;
  return b;
}
static void tn_device_region_free(tn_device_blocks *p, tn_device_region *r) {
  for (tn_device_block *b; (b = r->first) != NULL; ) { r->first = b->next; tiny_realloc(p->t, b, sizeof *b, 0); }
  if (r->memory) p->drop(p->user, r->memory);
  tiny_realloc(p->t, r, sizeof *r, 0);
}
// A region of this memory, which is given back where it is not made. NULL: no memory.
static tn_device_region *tn_device_region_of(tn_device_blocks *p, void *memory, uint64_t va, uint64_t nbytes) {
  tn_device_region *r = (tn_device_region *)tiny_realloc(p->t, NULL, 0, sizeof *r);
  if (!r) { p->drop(p->user, memory); return NULL; }
  memset(r, 0, sizeof *r);
  r->memory = memory; r->va = va; r->nbytes = nbytes;
  r->first = tn_device_block_new(p, r, va, nbytes);
  if (!r->first) { tn_device_region_free(p, r); return NULL; }
  r->next = p->regions;
  return p->regions = r;
}
static tn_device_region *tn_device_region_make(tn_device_blocks *p, uint64_t nbytes) {
  uint64_t va = 0, got = 0;
  void *const memory =
      p->make(p->user, nbytes > TN_DEVICE_REGION_NBYTES / 2 ? nbytes : (uint64_t)TN_DEVICE_REGION_NBYTES, &va, &got);
  return memory ? tn_device_region_of(p, memory, va, got) : NULL;
}
// The one block of a region of its own. NULL: no memory, which is given back.
static tn_device_block *tn_device_block_alone(tn_device_blocks *p, void *memory, uint64_t va, uint64_t nbytes) {
  tn_device_region *r = tn_device_region_of(p, memory, va, nbytes);
  if (r) r->first->taken = 1;
  return r ? r->first : NULL;
}
static void tn_device_region_close(tn_device_blocks *p, tn_device_region *r) {
  for (tn_device_region **at = &p->regions; *at; at = &(*at)->next) if (*at == r) { *at = r->next; break; }
  tn_device_region_free(p, r);
}
static void tn_device_regions_close(tn_device_blocks *p, int all) {
  for (tn_device_region *r = p->regions, *next; r; r = next) {
    next = r->next;
    if (all || !(r->first->taken || r->first->next)) tn_device_region_close(p, r);
  }
}
// The first nbytes of a free block; the rest stays free.
static tn_device_block *tn_device_block_take(tn_device_blocks *p, tn_device_block *b, uint64_t nbytes) {
  if (b->nbytes > nbytes) {
    tn_device_block *rest = tn_device_block_new(p, b->region, b->va + nbytes, b->nbytes - nbytes);
    if (!rest) return NULL;
    rest->next = b->next; rest->before = b; rest->used = b->used;
    if (b->next) b->next->before = rest;
    b->next = rest;
    b->nbytes = nbytes;
  }
  b->taken = 1;
  return b;
}
static tn_device_block *tn_device_block_of(tn_device_blocks *p, size_t nbytes) {
  const uint64_t least = TN_DEVICE_BLOCK_LEAST, n = ((nbytes ? nbytes : 1) + least - 1) & ~(least - 1);
  if (n < nbytes) return NULL;
  for (tn_device_region *r = p->regions; r; r = r->next)
    for (tn_device_block *b = r->first; b; b = b->next)
      if (!b->taken && b->nbytes >= n) return tn_device_block_take(p, b, n);
  tn_device_region *r = tn_device_region_make(p, n);
  return r ? tn_device_block_take(p, r->first, n) : NULL;
}
// The one behind it becomes part of it.
static void tn_device_block_join(tn_device_blocks *p, tn_device_block *b) {
  tn_device_block *n = b->next;
  b->nbytes += n->nbytes;
  b->next = n->next;
  if (n->next) n->next->before = b;
  if (n->used > b->used) b->used = n->used;
  tiny_realloc(p->t, n, sizeof *n, 0);
}
static void tn_device_block_give(tn_device_blocks *p, tn_device_block *b) {
  b->taken = 0;
  if (b->next && !b->next->taken) tn_device_block_join(p, b);
  if (b->before && !b->before->taken) tn_device_block_join(p, b->before);
}
#endif
