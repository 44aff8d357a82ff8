// memory: buffers of the device, and copies from the host and to it.
//
// In:    sizes, places, bytes of the host. Out: cl_mem, which is what tiny_mem.base is; copies in the queue's order.
// Holds: what is to be copied to the device is copied on the host first, so that the caller need not wait for what the
//        device is at; it lies there until its copy has happened. Much at a time is waited for instead.
#ifndef TN_CL_MEMORY
#define TN_CL_MEMORY
#ifndef TINY_AMALGAMATED
#include "device.c"
#endif

enum { TN_CL_STAGED_MOST = 32 << 20 };     // bytes on their way
struct tn_cl_staged { tn_cl_staged *next; void *event; size_t nbytes; };   // the bytes stand behind it

// NULL where there is no room. Many drivers take memory when it is first used: the device's size is what is counted by.
static void *tn_cl_alloc(void *dev, size_t nbytes) {
  tn_cl *d = (tn_cl *)dev;
  int error = 0;
  if ((d->one && nbytes > d->one) || (d->most && (d->live > d->most || nbytes > d->most - d->live))) return NULL;
  void *mem = d->cl.CreateBuffer(d->context, TN_CL_READ_WRITE, nbytes ? nbytes : 1, NULL, &error);
  if (mem) d->live += nbytes;
  else if (!tn_cl_is_memory(error)) tn_cl_fail(d, "CreateBuffer", error);
  return mem;
}
static void tn_cl_free(void *dev, void *mem, size_t nbytes) {
  tn_cl *d = (tn_cl *)dev;
  d->live -= nbytes;
  d->cl.ReleaseMemObject(mem);
}

// Gives back what has been copied; all: everything has.
static void tn_cl_staged_reap(tn_cl *d, int all) {
  for (tn_cl_staged **at = &d->staged, *s; (s = *at) != NULL; ) {
    int status = TN_CL_COMPLETE;
    if (!all && d->cl.GetEventInfo(s->event, TN_CL_EVENT_STATUS, sizeof status, &status, NULL) != 0) status = 1;
    if (status > TN_CL_COMPLETE) { at = &s->next; continue; }
    *at = s->next;
    d->cl.ReleaseEvent(s->event);
    d->nbytes_staged -= s->nbytes;
    tiny_realloc(d->t, s, sizeof *s + s->nbytes, 0);
  }
}

static tiny_code tn_cl_copy_in(void *dev, tiny_mem dst, const void *src, size_t nbytes) {
  tn_cl *d = (tn_cl *)dev;
  if (!nbytes) return TINY_OK;
  tn_cl_staged_reap(d, 0);
  tn_cl_staged *s = nbytes > TN_CL_STAGED_MOST - d->nbytes_staged ? NULL
      : (tn_cl_staged *)tiny_realloc(d->t, NULL, 0, sizeof *s + nbytes);
  void *event = NULL;
  const int error = d->cl.EnqueueWriteBuffer(d->queue, dst.base, !s, dst.offset, nbytes,
                                             s ? memcpy(s + 1, src, nbytes) : src, 0, NULL, s ? &event : NULL);
  if (error != 0) {
    if (s) tiny_realloc(d->t, s, sizeof *s + nbytes, 0);
    return tn_cl_fail(d, "EnqueueWriteBuffer", error);
  }
  if (!s) return TINY_OK;
  s->next = d->staged; s->event = event; s->nbytes = nbytes;
  d->staged = s;
  d->nbytes_staged += nbytes;
  const int flushed = d->cl.Flush(d->queue);
  return flushed == 0 ? TINY_OK : tn_cl_fail(d, "Flush", flushed);
}
static tiny_code tn_cl_copy_out(void *dev, void *dst, tiny_mem src, size_t nbytes) {
  tn_cl *d = (tn_cl *)dev;
  if (!nbytes) return TINY_OK;
  const int error = d->cl.EnqueueReadBuffer(d->queue, src.base, 1, src.offset, nbytes, dst, 0, NULL, NULL);
  return error == 0 ? TINY_OK : tn_cl_fail(d, "EnqueueReadBuffer", error);
}
#endif
