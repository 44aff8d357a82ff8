// memory: buffers of the device, and bytes from the host and to it.
//
// In:    sizes, places, bytes. Out: id<MTLBuffer>s, which is what tiny_mem.base is; copies in the device's order.
// Holds: where GPU and host share memory, buffers are shared, and the host copies itself what nothing uses any more; a
//        GPU with memory of its own has private buffers, and bytes go by way of chunks that both see. Of each buffer is
//        known which command buffer used it last; one of the host's, which is not known before it is used, may be of
//        any storage mode.
#ifndef TN_METAL_MEMORY
#define TN_METAL_MEMORY
#ifndef TINY_AMALGAMATED
#include "queue.m"
#endif

static id<MTLBuffer> tn_metal_buffer(const void *base) { return TN_OBJECT(id<MTLBuffer>, (void *)(uintptr_t)base); }

// ** blocks: a table by address, open addressing **

static size_t tn_metal_home(const tn_metal *d, const void *base) {
  return (size_t)(((uint64_t)(uintptr_t)base >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> 32) & (d->cap - 1);
}
static tn_metal_block *tn_metal_block_find(const tn_metal *d, const void *base) {
  if (!d->cap) return NULL;
  for (size_t i = tn_metal_home(d, base); d->blocks[i].base; i = (i + 1) & (d->cap - 1))
    if (d->blocks[i].base == base) return &d->blocks[i];
  return NULL;
}
static tn_metal_block *tn_metal_block_put(tn_metal *d, tn_metal_block b) {
  size_t i = tn_metal_home(d, b.base);
  while (d->blocks[i].base) i = (i + 1) & (d->cap - 1);
  d->blocks[i] = b;
  d->nblock++;
  return &d->blocks[i];
}
// A larger table, without those of the host's that nothing uses now: they may be gone. 0: memory was refused.
static int tn_metal_blocks_grow(tn_metal *d) {
  const size_t cap = d->cap, more = cap ? cap * 2 : 64;
  tn_metal_block *was = d->blocks, *now = (tn_metal_block *)tiny_realloc(d->t, NULL, 0, more * sizeof *now);
  if (!now) return 0;
  memset(now, 0, more * sizeof *now);
  d->blocks = now; d->cap = more; d->nblock = 0;
  for (size_t i = 0; i < cap; i++)
    if (was[i].base && (was[i].own || was[i].used > d->done)) tn_metal_block_put(d, was[i]);
  if (was) tiny_realloc(d->t, was, cap * sizeof *was, 0);
  return 1;
}
static tn_metal_block *tn_metal_block_add(tn_metal *d, void *base, size_t nbytes, int own) {
  enum { BETWEEN = 1 << 12 };              // numbers of one block are no other's, also behind its end
  if (d->nblock * 2 >= d->cap && !tn_metal_blocks_grow(d)) return NULL;
  tn_metal_block b;
  memset(&b, 0, sizeof b);
  b.base = base; b.nbytes = nbytes; b.own = own;
  b.va = d->next_va + BETWEEN;
  d->next_va = b.va + nbytes;
  return tn_metal_block_put(d, b);
}
// Those behind it move up, so that each is still found from its home.
static void tn_metal_block_drop(tn_metal *d, tn_metal_block *b) {
  b->base = NULL;
  d->nblock--;
  for (size_t i = ((size_t)(b - d->blocks) + 1) & (d->cap - 1); d->blocks[i].base; i = (i + 1) & (d->cap - 1)) {
    const tn_metal_block moved = d->blocks[i];
    d->blocks[i].base = NULL;
    d->nblock--;
    tn_metal_block_put(d, moved);
  }
}
// Where the host sees a buffer; NULL: it does not, or has a copy of its own.
static char *tn_metal_seen(id<MTLBuffer> buffer) {
  return [buffer storageMode] == MTLStorageModeShared ? (char *)[buffer contents] : NULL;
}
// Of memory that is now used: one of the host's is taken up. NULL after an error.
static tn_metal_block *tn_metal_block_of(tn_metal *d, tiny_mem m) {
  tn_metal_block *b = tn_metal_block_find(d, m.base);
  if (b && b->own) return b;
  const size_t nbytes = (size_t)[tn_metal_buffer(m.base) length];
  if (b && b->nbytes != nbytes && b->used <= d->done) { tn_metal_block_drop(d, b); b = NULL; }
  if (!b) b = tn_metal_block_add(d, m.base, nbytes, 0);
  if (!b) tiny_fail(d->t, TINY_E_MEMORY, "%s: no memory for what is known of a buffer", d->name);
  else b->host = tn_metal_seen(tn_metal_buffer(m.base));
  return b;
}
// What is encoded next uses it.
static tiny_code tn_metal_use(tn_metal *d, tiny_mem m) {
  tn_metal_block *b = tn_metal_block_of(d, m);
  if (!b) return TINY_E_MEMORY;
  b->used = d->number;
  return TINY_OK;
}

// ** alloc, free, map **

// Is there room by what the system says that the GPU should have at once? Frees that were put off come first.
static int tn_metal_has_room(tn_metal *d, size_t nbytes) {
  if (!d->most || (size_t)[d->gpu currentAllocatedSize] + nbytes <= d->most) return 1;
  if (!tn_metal_hosts_waits(d)) tn_metal_wait_for(d, d->number);
  return (size_t)[d->gpu currentAllocatedSize] + nbytes <= d->most;
}
static void *tn_metal_alloc_now(tn_metal *d, size_t nbytes) {
  if (d->lost) { tn_metal_lost(d); return NULL; }
  if (d->one && nbytes > d->one) {
    tiny_fail(d->t, TINY_E_MEMORY, "%s: %llu bytes in one piece, the GPU has up to %llu (maxBufferLength): split the "
              "tensor", d->name, (unsigned long long)nbytes, (unsigned long long)d->one);
    return NULL;
  }
  if (!tn_metal_has_room(d, nbytes)) return NULL;
  id<MTLBuffer> buffer = TN_NEW(id<MTLBuffer>, [d->gpu newBufferWithLength:nbytes ? nbytes : 1
      options:d->unified ? MTLResourceStorageModeShared : MTLResourceStorageModePrivate]);
  if (!buffer) {
    if (tn_metal_is_gone(d)) tn_metal_lost(d);
    return NULL;
  }
  tn_metal_block *b = tn_metal_block_add(d, TN_POINTER(buffer), nbytes, 1);
  if (!b) { TN_DROP(buffer); return NULL; }
  b->host = d->unified ? (char *)[buffer contents] : NULL;
  tn_metal_residency_add(d, buffer);
  return TN_POINTER(buffer);
}
// NULL where there is no room.
static void *tn_metal_alloc(void *dev, size_t nbytes) {
  void *mem;
  TN_POOL mem = tn_metal_alloc_now((tn_metal *)dev, nbytes); TN_POOL_END
  return mem;
}
static void tn_metal_free(void *dev, void *mem, size_t nbytes) {
  tn_metal *d = (tn_metal *)dev;
  tn_metal_block *b = tn_metal_block_find(d, mem);
  const uint64_t used = b ? b->used : d->number;
  (void)nbytes;
  if (b) tn_metal_block_drop(d, b);
  TN_POOL tn_metal_later(d, tn_metal_buffer(mem), used, 1); TN_POOL_END
}
static void *tn_metal_map(void *dev, tiny_mem mem, size_t nbytes) {
  const tn_metal *d = (const tn_metal *)dev;
  const tn_metal_block *b = tn_metal_block_find(d, mem.base);
  char *host;
  (void)nbytes;
  if (b && b->own) return b->host ? b->host + mem.offset : NULL;
  TN_POOL host = tn_metal_seen(tn_metal_buffer(mem.base)); TN_POOL_END
  return host ? host + mem.offset : NULL;
}

// ** chunks: a ring **

// The next chunk, when what was in it has been copied. NULL after an error.
static tn_metal_chunk *tn_metal_chunk_next(tn_metal *d) {
  tn_metal_chunk *c = &d->chunk[d->chunk_now = (d->chunk_now + 1) % TN_METAL_CHUNKS];
  if (!c->buffer) {
    c->buffer = TN_NEW(id<MTLBuffer>, [d->gpu newBufferWithLength:d->chunk_nbytes
                                                          options:MTLResourceStorageModeShared]);
    if (!c->buffer) { tn_metal_none(d, "buffer for copies"); return NULL; }
    tn_metal_residency_add(d, c->buffer);
  }
  if (c->used > d->done && tn_metal_wait_for(d, c->used) != TINY_OK) return NULL;
  c->fill = 0;
  return c;
}
// Room in a chunk for some of nbytes, at least one. NULL after an error.
static tn_metal_chunk *tn_metal_chunk_room(tn_metal *d, size_t *nbytes) {
  tn_metal_chunk *c = &d->chunk[d->chunk_now];
  if (c->used <= d->done) c->fill = 0;
  if (!c->buffer || c->fill == d->chunk_nbytes) c = tn_metal_chunk_next(d);
  if (c && *nbytes > d->chunk_nbytes - c->fill) *nbytes = d->chunk_nbytes - c->fill;
  return c;
}
static void tn_metal_chunk_took(tn_metal *d, tn_metal_chunk *c, size_t nbytes) {
  enum { ALIGNED = 256 };
  c->fill += (nbytes + ALIGNED - 1) / ALIGNED * ALIGNED;
  if (c->fill > d->chunk_nbytes) c->fill = d->chunk_nbytes;
  c->used = d->number;
}

// ** copies: blits are of whole words (MTLBlitCommandEncoder, on macOS) **

enum { TN_METAL_WORD = 4 };

// Whole words of the host's to a place, by chunks.
static tiny_code tn_metal_words_in(tn_metal *d, tiny_mem dst, const char *src, size_t nbytes) {
  for (size_t at = 0, n; at < nbytes; at += n) {
    n = nbytes - at;
    tn_metal_chunk *c = tn_metal_chunk_room(d, &n);
    if (!c) return tiny_status(d->t);
    const tiny_code code = tn_metal_blit(d);
    if (code != TINY_OK) return code;
    memcpy((char *)[c->buffer contents] + c->fill, src + at, n);
    [d->blit copyFromBuffer:c->buffer sourceOffset:c->fill toBuffer:tn_metal_buffer(dst.base)
          destinationOffset:dst.offset + at size:n];
    tn_metal_chunk_took(d, c, n);
  }
  return tn_metal_use(d, dst);
}
// From a buffer that the host does not see: as many chunks at a time as there are. What is around it is read as well.
static tiny_code tn_metal_staged_out(tn_metal *d, char *dst, tiny_mem src, size_t nbytes) {
  tiny_code code = TINY_OK;
  const size_t before = src.offset % TN_METAL_WORD, end = before + nbytes;
  src.offset -= before;
  for (size_t at = 0; at < end && code == TINY_OK; ) {
    tn_metal_chunk *took[TN_METAL_CHUNKS];
    const size_t first = at;
    int k = 0;
    for (; k < TN_METAL_CHUNKS && at < end; k++, at += d->chunk_nbytes) {
      const size_t left = (end - at + TN_METAL_WORD - 1) / TN_METAL_WORD * TN_METAL_WORD;
      if (!(took[k] = tn_metal_chunk_next(d))) return tiny_status(d->t);
      if ((code = tn_metal_blit(d)) != TINY_OK) return code;
      [d->blit copyFromBuffer:tn_metal_buffer(src.base) sourceOffset:src.offset + at toBuffer:took[k]->buffer
            destinationOffset:0 size:left < d->chunk_nbytes ? left : d->chunk_nbytes];
      tn_metal_chunk_took(d, took[k], d->chunk_nbytes);
    }
    code = tn_metal_use(d, src);
    if (code == TINY_OK) code = tn_metal_wait_for(d, d->number);
    if (code == TINY_OK) code = tn_metal_tell(d);
    for (int i = 0; i < k && code == TINY_OK; i++) {
      const size_t from = first + (size_t)i * d->chunk_nbytes, skip = from ? 0 : before;
      const size_t to = from + d->chunk_nbytes < end ? from + d->chunk_nbytes : end;
      memcpy(dst + from + skip - before, (const char *)[took[i]->buffer contents] + skip, to - from - skip);
    }
  }
  return code;
}
// Bytes within one word: those beside them stay.
static tiny_code tn_metal_part_in(tn_metal *d, tiny_mem dst, const char *src, size_t nbytes) {
  char word[TN_METAL_WORD];
  const size_t skip = dst.offset % TN_METAL_WORD;
  dst.offset -= skip;
  const tiny_code code = tn_metal_staged_out(d, word, dst, sizeof word);
  memcpy(word + skip, src, nbytes);
  return code == TINY_OK ? tn_metal_words_in(d, dst, word, sizeof word) : code;
}
static tiny_code tn_metal_staged_in(tn_metal *d, tiny_mem dst, const char *src, size_t nbytes) {
  const size_t skip = dst.offset % TN_METAL_WORD;
  size_t head = skip ? TN_METAL_WORD - skip : 0;
  if (head > nbytes) head = nbytes;
  const size_t tail = (nbytes - head) % TN_METAL_WORD, whole = nbytes - head - tail;
  tiny_code code = head ? tn_metal_part_in(d, dst, src, head) : TINY_OK;
  dst.offset += head;
  if (code == TINY_OK && whole) code = tn_metal_words_in(d, dst, src + head, whole);
  dst.offset += whole;
  return code == TINY_OK && tail ? tn_metal_part_in(d, dst, src + head + whole, tail) : code;
}
// 1: the host writes it itself, when nothing uses it any more. What is not whole words it waits for.
static int tn_metal_by_host(tn_metal *d, const tn_metal_block *b, tiny_mem dst, size_t nbytes, tiny_code *code) {
  const uint64_t used = b->used;
  tn_metal_reap(d);
  *code = TINY_OK;
  if (!b->host) return 0;
  if (used <= d->done) return 1;
  if (!(dst.offset % TN_METAL_WORD) && !(nbytes % TN_METAL_WORD)) return 0;
  *code = tn_metal_wait_for(d, used);
  return 1;
}
static tiny_code tn_metal_copy_in_now(tn_metal *d, tiny_mem dst, const void *src, size_t nbytes) {
  tiny_code code;
  if (!nbytes) return TINY_OK;
  if (d->lost) return tn_metal_lost(d);
  tn_metal_block *b = tn_metal_block_of(d, dst);
  if (!b) return TINY_E_MEMORY;
  char *const host = b->host;
  if (!tn_metal_by_host(d, b, dst, nbytes, &code)) return tn_metal_staged_in(d, dst, (const char *)src, nbytes);
  if (code == TINY_OK) memcpy(host + dst.offset, src, nbytes);
  return code;
}
static tiny_code tn_metal_copy_in(void *dev, tiny_mem dst, const void *src, size_t nbytes) {
  tiny_code code;
  TN_POOL code = tn_metal_copy_in_now((tn_metal *)dev, dst, src, nbytes); TN_POOL_END
  return code;
}

static tiny_code tn_metal_copy_out_now(tn_metal *d, char *dst, tiny_mem src, size_t nbytes) {
  if (d->into_host) return tn_metal_not_committed(d);
  const tn_metal_block *b = tn_metal_block_of(d, src);
  if (!b) return TINY_E_MEMORY;
  if (!b->host && nbytes) return tn_metal_staged_out(d, dst, src, nbytes);
  char *const host = b->host;
  tiny_code code = tn_metal_wait_for(d, b->used);
  if (code == TINY_OK) code = tn_metal_commit(d);
  if (code == TINY_OK) code = tn_metal_tell(d);
  if (code == TINY_OK && nbytes) memcpy(dst, host + src.offset, nbytes);
  return code;
}
static tiny_code tn_metal_copy_out(void *dev, void *dst, tiny_mem src, size_t nbytes) {
  tiny_code code;
  TN_POOL code = tn_metal_copy_out_now((tn_metal *)dev, (char *)dst, src, nbytes); TN_POOL_END
  return code;
}

// Within one GPU its blits copy whole words; else bytes go by way of the host.
static tiny_code tn_metal_copy_from_now(tn_metal *d, tiny_mem dst, tn_metal *other, tiny_mem src, size_t nbytes) {
  if (!nbytes) return TINY_OK;
  if (d->gpu != other->gpu || (dst.offset | src.offset | nbytes) % TN_METAL_WORD) {
    char *const between = (char *)tiny_realloc(d->t, NULL, 0, nbytes);
    if (!between)
      return tiny_fail(d->t, TINY_E_MEMORY, "%s: no memory for %llu bytes on their way", d->name,
                       (unsigned long long)nbytes);
    tiny_code code = tn_metal_copy_out_now(other, between, src, nbytes);
    if (code == TINY_OK) code = tn_metal_copy_in_now(d, dst, between, nbytes);
    tiny_realloc(d->t, between, nbytes, 0);
    return code;
  }
  tiny_code code = tn_metal_blit(d);
  if (code != TINY_OK) return code;
  [d->blit copyFromBuffer:tn_metal_buffer(src.base) sourceOffset:src.offset toBuffer:tn_metal_buffer(dst.base)
        destinationOffset:dst.offset size:nbytes];
  return tn_metal_use(d, dst);
}
static tiny_code tn_metal_copy_from(void *dev, tiny_mem dst, void *from, tiny_mem src, size_t nbytes) {
  tiny_code code;
  TN_POOL code = tn_metal_copy_from_now((tn_metal *)dev, dst, (tn_metal *)from, src, nbytes); TN_POOL_END
  return code;
}
#endif
