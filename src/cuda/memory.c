// memory: of the device: given out and freed in the order of its stream; bytes to it, from it, between two devices.
//
// In:    what the backend is asked. Out: work in the device's stream, or in that of copies, which events order.
// Holds: handles are CUdeviceptrs. Of each block is known in which place of the order something used it last, so that
//        bytes go to a block that nothing uses any more while kernels before them run; what is not known, as memory of
//        the host's, counts as used now. Bytes from the host are in pinned memory when the call returns.
#ifndef TN_CUDA_MEMORY
#define TN_CUDA_MEMORY
#ifndef TINY_AMALGAMATED
#include "device.c"
#endif

static tn_cu_ptr tn_cuda_at(tiny_mem m) { return (tn_cu_ptr)(uintptr_t)m.base + m.offset; }

// ** blocks: a table by address, open addressing **

static size_t tn_cuda_home(const tn_cuda *d, tn_cu_ptr at) {
  return (size_t)((at >> 8) * 0x9E3779B97F4A7C15u >> 32) & (d->cap - 1);
}
static tn_cuda_block *tn_cuda_block_of(const tn_cuda *d, tn_cu_ptr at) {
  if (!d->cap) return NULL;
  for (size_t i = tn_cuda_home(d, at); d->blocks[i].at; i = (i + 1) & (d->cap - 1))
    if (d->blocks[i].at == at) return &d->blocks[i];
  return NULL;
}
static void tn_cuda_block_put(tn_cuda *d, tn_cuda_block b) {
  size_t i = tn_cuda_home(d, b.at);
  while (d->blocks[i].at) i = (i + 1) & (d->cap - 1);
  d->blocks[i] = b;
  d->nblock++;
}
// Where memory for a larger table is refused, the block is not known.
static void tn_cuda_block_add(tn_cuda *d, tn_cu_ptr at) {
  if (d->nblock * 2 >= d->cap) {
    const size_t cap = d->cap, more = cap ? cap * 2 : 64;
    tn_cuda_block *was = d->blocks, *now = (tn_cuda_block *)tiny_realloc(d->t, NULL, 0, more * sizeof *now);
    if (!now) return;
    memset(now, 0, more * sizeof *now);
    d->blocks = now; d->cap = more; d->nblock = 0;
    for (size_t i = 0; i < cap; i++) if (was[i].at) tn_cuda_block_put(d, was[i]);
    if (was) tiny_realloc(d->t, was, cap * sizeof *was, 0);
  }
  const tn_cuda_block b = {at, d->given};
  tn_cuda_block_put(d, b);
}
// Those behind it move up, so that each is still found from its home.
static void tn_cuda_block_drop(tn_cuda *d, tn_cu_ptr at) {
  tn_cuda_block *b = tn_cuda_block_of(d, at);
  if (!b) return;
  b->at = 0;
  d->nblock--;
  for (size_t i = ((size_t)(b - d->blocks) + 1) & (d->cap - 1); d->blocks[i].at; i = (i + 1) & (d->cap - 1)) {
    const tn_cuda_block moved = d->blocks[i];
    d->blocks[i].at = 0;
    d->nblock--;
    tn_cuda_block_put(d, moved);
  }
}
static void tn_cuda_use(tn_cuda *d, tiny_mem m) {
  tn_cuda_block *b = tn_cuda_block_of(d, (tn_cu_ptr)(uintptr_t)m.base);
  if (b) b->used = d->given;
}

// ** alloc and free **

static int tn_cuda_take(tn_cuda *d, size_t nbytes, tn_cu_ptr *out) {
  const int result = d->pools ? d->cu.pool_alloc(out, nbytes, d->stream) : d->cu.mem_alloc(out, nbytes);
  if (result != TN_CU_OUT_OF_MEMORY || d->cu.stream_sync(d->stream)) return result; // what is freed has come back now
  return d->pools ? d->cu.pool_alloc(out, nbytes, d->stream) : d->cu.mem_alloc(out, nbytes);
}
static void *tn_cuda_alloc(void *dev, size_t nbytes) {
  tn_cuda *d = (tn_cuda *)dev;
  tn_cu_ptr at = 0;
  if (tn_cuda_enter(d, "memory") != TINY_OK) return NULL;
  const int result = tn_cuda_take(d, nbytes, &at);
  if (result && result != TN_CU_OUT_OF_MEMORY) tn_cuda_failed(d, result, "memory");
  tn_cuda_leave(d, TINY_OK);
  if (result) return NULL;
  d->given++;
  tn_cuda_block_add(d, at);
  return (void *)(uintptr_t)at;
}
static void tn_cuda_free(void *dev, void *mem, size_t nbytes) {
  tn_cuda *d = (tn_cuda *)dev;
  const tn_cu_ptr at = (tn_cu_ptr)(uintptr_t)mem;
  (void)nbytes;
  tn_cuda_block_drop(d, at);
  if (d->lost || d->cu.ctx_push(d->ctx)) return;             // it goes with the context
  if (!d->pools) { d->cu.stream_sync(d->copies); d->cu.stream_sync(d->stream); }
  const int result = d->pools ? d->cu.pool_free(at, d->stream) : d->cu.mem_free(at);
  if (result) tn_cuda_failed(d, result, "freeing memory");
  tn_cuda_leave(d, TINY_OK);
}

// ** pinned memory between: a ring of chunks **

static int tn_cuda_chunk_make(tn_cuda *d, tn_cuda_chunk *c) {
  void *at = NULL;
  if (!c->event && d->cu.event_new(&c->event, TN_CU_NO_TIMING)) return 0;
  if (d->cu.host_alloc(&at, TN_CUDA_CHUNK, 0)) return 0;
  c->at = (char *)at;
  return 1;
}
// The next chunk, when what was in it has been copied. NULL: there is no pinned memory; the copies then wait.
static tn_cuda_chunk *tn_cuda_chunk_next(tn_cuda *d) {
  tn_cuda_chunk *c = &d->chunk[d->chunk_now];
  if (c->fill && !c->busy) c->busy = !d->cu.event_record(c->event, d->copies);
  d->chunk_now = (d->chunk_now + 1) % TN_CUDA_CHUNKS;
  c = &d->chunk[d->chunk_now];
  if (!c->at && !tn_cuda_chunk_make(d, c)) return NULL;
  if (c->busy && d->cu.event_sync(c->event)) return NULL;
  c->fill = 0;
  c->busy = 0;
  return c;
}

// ** copies **

// The stream of copies goes on when place `used` of the order has happened. A mark at each copy lets the next ones wait
// for less than all.
static int tn_cuda_copies_wait(tn_cuda *d, uint64_t used) {
  const tn_cuda_mark *behind = NULL;
  const int last = (d->marks + TN_CUDA_MARKS - 1) % TN_CUDA_MARKS;
  if (used < d->waited) used = d->waited;  // another device may read what is written
  if (!d->mark[last].event || d->mark[last].place != d->given) {
    tn_cuda_mark *m = &d->mark[d->marks % TN_CUDA_MARKS];
    int result = m->event ? 0 : d->cu.event_new(&m->event, TN_CU_NO_TIMING);
    if (!result) result = d->cu.event_record(m->event, d->stream);
    if (result) return result;
    m->place = d->given;
    d->marks = (d->marks + 1) % TN_CUDA_MARKS;
  }
  if (used <= d->done) return 0;
  for (int i = 0; i < TN_CUDA_MARKS; i++) {
    const tn_cuda_mark *m = &d->mark[i];
    if (m->event && m->place >= used && (!behind || m->place < behind->place)) behind = m;
  }
  return d->cu.stream_wait(d->copies, behind->event, 0);
}
static int tn_cuda_copy_piece(tn_cuda *d, tn_cu_ptr to, const char *from, size_t *nbytes) {
  tn_cuda_chunk *c = &d->chunk[d->chunk_now];
  if (!c->at || c->busy || c->fill == TN_CUDA_CHUNK) c = tn_cuda_chunk_next(d);
  if (!c) {
    const int result = d->cu.copy_in(to, from, *nbytes, d->copies);
    return result ? result : d->cu.stream_sync(d->copies);
  }
  if (*nbytes > TN_CUDA_CHUNK - c->fill) *nbytes = TN_CUDA_CHUNK - c->fill;
  char *const at = c->at + c->fill;
  memcpy(at, from, *nbytes);
  c->fill += *nbytes;
  return d->cu.copy_in(to, at, *nbytes, d->copies);
}
static tiny_code tn_cuda_copy_in(void *dev, tiny_mem dst, const void *src, size_t nbytes) {
  tn_cuda *d = (tn_cuda *)dev;
  const tn_cuda_block *b = tn_cuda_block_of(d, (tn_cu_ptr)(uintptr_t)dst.base);
  const tiny_code code = tn_cuda_enter(d, "copying to it");
  if (code != TINY_OK) return code;
  int result = tn_cuda_copies_wait(d, b ? b->used : d->given);
  for (size_t at = 0, n; at < nbytes && !result; at += n) {
    n = nbytes - at;
    result = tn_cuda_copy_piece(d, tn_cuda_at(dst) + at, (const char *)src + at, &n);
  }
  if (!result) result = d->cu.event_record(d->copied, d->copies);
  if (!result) result = d->cu.stream_wait(d->stream, d->copied, 0);
  if (result) d->cu.stream_sync(d->copies);                  // nothing is on its way that nobody waits for
  return tn_cuda_leave(d, tn_cuda_check(d, result, "copying to it"));
}

// A chunk is on its way while the host empties the one before.
static int tn_cuda_copy_out_pieces(tn_cuda *d, char *dst, tn_cu_ptr src, size_t nbytes) {
  tn_cuda_chunk *before = NULL;
  size_t at = 0;
  for (int result; at < nbytes || before; ) {
    tn_cuda_chunk *c = NULL;
    const size_t from = at, n = nbytes - at < (size_t)TN_CUDA_CHUNK ? nbytes - at : (size_t)TN_CUDA_CHUNK;
    if (n && (c = tn_cuda_chunk_next(d)) != NULL) {
      if ((result = d->cu.copy_out(c->at, src + at, n, d->stream)) != 0) return result;
      if ((result = d->cu.event_record(c->event, d->stream)) != 0) return result;
      c->fill = n;
      c->busy = 1;
      at += n;
    }
    if (before) {
      if ((result = d->cu.event_sync(before->event)) != 0) return result;
      before->busy = 0;
      memcpy(dst + from - before->fill, before->at, before->fill);
      before->fill = 0;
    }
    before = c;
    if (n && !c) break;
  }
  if (at == nbytes) return 0;
  const int result = d->cu.copy_out(dst + at, src + at, nbytes - at, d->stream);    // no pinned memory
  return result ? result : d->cu.stream_sync(d->stream);
}
static tiny_code tn_cuda_copy_out(void *dev, void *dst, tiny_mem src, size_t nbytes) {
  tn_cuda *d = (tn_cuda *)dev;
  const tiny_code code = tn_cuda_enter(d, "copying from it");
  if (code != TINY_OK) return code;
  const int result = nbytes ? tn_cuda_copy_out_pieces(d, (char *)dst, tn_cuda_at(src), nbytes)
                            : d->cu.stream_sync(d->stream);
  if (!result) d->done = d->given;
  return tn_cuda_leave(d, tn_cuda_check(d, result, "copying from it"));
}

// Directly, where the driver can; else it goes by way of the host. That a pair may is asked once.
static void tn_cuda_meet(tn_cuda *d, const tn_cuda *from) {
  int can = 0;
  const uint64_t bit = (uint64_t)1 << (from->device & 63);
  if (d->peers & bit || d->device == from->device) return;
  d->peers |= bit;
  if (!d->cu.can_access_peer(&can, d->device, from->device) && can) d->cu.enable_peer(from->ctx, 0);
}
static tiny_code tn_cuda_copy_from(void *dev, tiny_mem dst, void *from, tiny_mem src, size_t nbytes) {
  tn_cuda *d = (tn_cuda *)dev;
  const tn_cuda *other = (const tn_cuda *)from;
  const tiny_code code = tn_cuda_enter(d, "copying from another device");
  if (code != TINY_OK) return code;
  tn_cuda_meet(d, other);
  d->given++;
  tn_cuda_use(d, dst);
  const int result =
      nbytes ? d->cu.copy_peer(tn_cuda_at(dst), d->ctx, tn_cuda_at(src), other->ctx, nbytes, d->stream) : 0;
  return tn_cuda_leave(d, tn_cuda_check(d, result, "copying from another device"));
}
#endif
