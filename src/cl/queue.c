// queue: launches, their times, events, and what went wrong later.
//
// In:    what struct tiny_launch says. Out: commands on one queue, which executes them in order.
// Holds: a command keeps what it uses until it has happened (The OpenCL Specification 1.2, 5.2.1 clReleaseMemObject,
//        5.7.1 clReleaseKernel). What a command failed with shows in its event alone: sync asks one behind all others.
#ifndef TN_CL_QUEUE
#define TN_CL_QUEUE
#ifndef TINY_AMALGAMATED
#include "program.c"
#include "memory.c"
#endif

struct tn_cl_stamp { tn_cl_stamp *next; uint64_t *out; void *event; };

// ** arguments **

// A part of memory as memory of its own, for foreign kernels, which know of no offset. *copied: the driver has no parts
// that begin here, and it is a copy. NULL after an error.
static void *tn_cl_part(tn_cl *d, tiny_mem m, size_t *nbytes, int *copied) {
  int error = 0;
  *nbytes = 0;
  error = d->cl.GetMemObjectInfo(m.base, TN_CL_MEM_SIZE, sizeof *nbytes, nbytes, NULL);
  if (error != 0) { tn_cl_fail(d, "GetMemObjectInfo", error); return NULL; }
  *nbytes -= m.offset;
  const size_t region[2] = {m.offset, *nbytes};
  *copied = m.offset % d->alignment != 0;
  void *part = *copied ? d->cl.CreateBuffer(d->context, TN_CL_READ_WRITE, *nbytes, NULL, &error)
                       : d->cl.CreateSubBuffer(m.base, TN_CL_READ_WRITE, TN_CL_REGION, region, &error);
  if (!part) { tn_cl_fail(d, *copied ? "CreateBuffer" : "CreateSubBuffer", error); return NULL; }
  if (*copied) error = d->cl.EnqueueCopyBuffer(d->queue, m.base, part, m.offset, 0, *nbytes, 0, NULL, NULL);
  if (error == 0) return part;
  d->cl.ReleaseMemObject(part);
  tn_cl_fail(d, "EnqueueCopyBuffer", error);
  return NULL;
}

static tiny_code tn_cl_set(tn_cl *d, const tn_cl_kernel *k, uint32_t at, size_t nbytes, const void *value) {
  const int error = d->cl.SetKernelArg(k->kernel, at, nbytes, value);
  return error == 0 ? TINY_OK : tn_cl_fail(d, "SetKernelArg", error);
}

// Of a kernel that the library wrote: its parameters say what they are.
static tiny_code tn_cl_set_own(tn_cl *d, const tn_cl_kernel *k, const tiny_launch *l) {
  tiny_code code = TINY_OK;
  uint32_t at = 0;
  for (int i = 0; i < k->n && code == TINY_OK; i++) {
    const tn_cl_parameter p = k->parameter[i];
    if (p.slot < 0 || p.slot >= (p.kind == 'p' ? l->nmem : l->nargs))
      return tiny_fail(d->t, TINY_E_INTERNAL, "CL: a kernel has parameter %c%d, its launch has not", p.kind, p.slot);
    const uint64_t bits = p.kind == 'p' ? (uint64_t)l->mem[p.slot].offset : (uint64_t)l->args[p.slot];
    if (p.kind == 'p') code = tn_cl_set(d, k, at++, sizeof(void *), &l->mem[p.slot].base);
    if (code == TINY_OK) code = tn_cl_set(d, k, at++, sizeof bits, &bits);
  }
  return code;
}

// ** launches **

static tiny_code tn_cl_stamp_add(tn_cl *d, uint64_t *out, void *event) {
  tn_cl_stamp *s = (tn_cl_stamp *)tiny_realloc(d->t, NULL, 0, sizeof *s);
  if (!s) {                                // the library takes the host's time instead
    d->cl.ReleaseEvent(event);
    return TINY_OK;
  }
  s->next = d->stamps; s->out = out; s->event = event;
  d->stamps = s;
  return TINY_OK;
}
// After sync: every stamp is written, where the queue takes times, and given back.
static void tn_cl_stamps_write(tn_cl *d) {
  for (tn_cl_stamp *s; (s = d->stamps) != NULL; ) {
    uint64_t begin = 0, end = 0;
    d->stamps = s->next;
    if (d->cl.GetEventProfilingInfo(s->event, TN_CL_PROFILING_START, sizeof begin, &begin, NULL) == 0 &&
        d->cl.GetEventProfilingInfo(s->event, TN_CL_PROFILING_END, sizeof end, &end, NULL) == 0) {
      s->out[0] = begin;
      s->out[1] = end;
    }
    d->cl.ReleaseEvent(s->event);
    tiny_realloc(d->t, s, sizeof *s, 0);
  }
}

static tiny_code tn_cl_enqueue(tn_cl *d, const tn_cl_kernel *k, const tiny_launch *l) {
  size_t global[3], local[3];
  double items = 1;
  for (int i = 0; i < 3; i++) {
    local[i] = (size_t)l->local[i];
    global[i] = (size_t)(l->global[i] * l->local[i]);
    items *= (double)l->local[i];
    if ((double)l->global[i] * (double)l->local[i] > (double)SIZE_MAX / 2)
      return tiny_fail(d->t, TINY_E_DEVICE, "CL: %lld work groups are more than %s runs", (long long)l->global[i],
                       d->name);
  }
  if (items > (double)d->work_items)
    return tiny_fail(d->t, TINY_E_DEVICE, "CL: a group of %.0f work items; %s runs up to %llu", items, d->name,
                     (unsigned long long)d->work_items);
  void *event = NULL;
  const int error = d->cl.EnqueueNDRangeKernel(d->queue, k->kernel, 3, NULL, global, local, 0, NULL,
                                               l->stamp ? &event : NULL);
  if (error != 0) return tn_cl_fail(d, "EnqueueNDRangeKernel", error);
  return l->stamp ? tn_cl_stamp_add(d, l->stamp, event) : TINY_OK;
}

// A foreign kernel: one parameter for each memory. Slot 0 alone is written.
static tiny_code tn_cl_launch_foreign(tn_cl *d, const tn_cl_kernel *k, const tiny_launch *l) {
  enum { MOST = 64 };                      // tiny_kernel takes 63 inputs
  void *part[MOST];
  size_t nbytes, first = 0;
  int copied, n = 0, back = 0;
  if (k->nforeign != l->nmem || l->nmem > MOST)
    return tiny_fail(d->t, TINY_E_ARG, "kernel: %s has %d parameters, but there are an output and %d inputs", k->name,
                     k->nforeign, l->nmem - 1);
  tiny_code code = TINY_OK;
  for (int i = 0; i < l->nmem && code == TINY_OK; i++) {
    void *mem = l->mem[i].base;
    if (l->mem[i].offset) {
      if (!(mem = tn_cl_part(d, l->mem[i], &nbytes, &copied))) { code = tiny_status(d->t); break; }
      part[n++] = mem;
      if (i == 0 && copied) { back = 1; first = nbytes; }
    }
    code = tn_cl_set(d, k, (uint32_t)i, sizeof mem, &mem);
  }
  if (code == TINY_OK) code = tn_cl_enqueue(d, k, l);
  if (code == TINY_OK && back) {
    const int error = d->cl.EnqueueCopyBuffer(d->queue, part[0], l->mem[0].base, 0, l->mem[0].offset, first, 0, NULL,
                                              NULL);
    if (error != 0) code = tn_cl_fail(d, "EnqueueCopyBuffer", error);
  }
  for (int i = 0; i < n; i++) d->cl.ReleaseMemObject(part[i]);
  return code;
}

// A kernel of tasks has a group of one item for each.
static tiny_code tn_cl_add(tn_cl *d, const tiny_launch *l) {
  const tn_cl_kernel *k = (const tn_cl_kernel *)l->kernel;
  for (int i = 0; i < 3; i++) if (l->global[i] < 1) return TINY_OK;
  if (k->nforeign >= 0) return tn_cl_launch_foreign(d, k, l);
  tiny_launch own = *l;
  if (l->tasks) own.global[0] = l->tasks;
  const tiny_code code = tn_cl_set_own(d, k, &own);
  return code == TINY_OK ? tn_cl_enqueue(d, k, &own) : code;
}
// They begin at once.
static tiny_code tn_cl_submit(void *dev, const tiny_launch *l, int n) {
  tn_cl *d = (tn_cl *)dev;
  tiny_code code = TINY_OK;
  for (int i = 0; i < n && code == TINY_OK; i++) code = tn_cl_add(d, &l[i]);
  const int error = d->cl.Flush(d->queue);
  return code == TINY_OK && error != 0 ? tn_cl_fail(d, "Flush", error) : code;
}
static tiny_code tn_cl_launch(void *dev, const tiny_launch *l) { return tn_cl_submit(dev, l, 1); }

// ** events, and waiting **

typedef struct tn_cl_event { void *event, *context; const tn_cl *of; } tn_cl_event;

static void *tn_cl_event_new(void *dev) {
  tn_cl *d = (tn_cl *)dev;
  tn_cl_event *e = (tn_cl_event *)tiny_realloc(d->t, NULL, 0, sizeof *e);
  if (!e) { tiny_fail(d->t, TINY_E_MEMORY, "CL: no memory for an event"); return NULL; }
  e->context = d->context; e->of = d;
  int error = d->cl.EnqueueMarkerWithWaitList(d->queue, 0, NULL, &e->event);
  if (error == 0 && (error = d->cl.Flush(d->queue)) != 0) d->cl.ReleaseEvent(e->event);
  if (error == 0) return e;
  tiny_realloc(d->t, e, sizeof *e, 0);
  tn_cl_fail(d, "EnqueueMarkerWithWaitList", error);
  return NULL;
}
// Events of one context of OpenCL order queues on the device; for another's the host waits. What failed there is told
// by the other device.
static tiny_code tn_cl_wait(void *dev, void *event) {
  tn_cl *d = (tn_cl *)dev;
  const tn_cl_event *e = (const tn_cl_event *)event;
  if (e->of == d) return TINY_OK;
  const int shared = e->context == d->context;
  const int error = shared ? d->cl.EnqueueBarrierWithWaitList(d->queue, 1, &e->event, NULL)
                           : d->cl.WaitForEvents(1, &e->event);
  if (error == 0 || error == TN_CL_EVENTS_FAILED) return TINY_OK;
  return tn_cl_fail(d, shared ? "EnqueueBarrierWithWaitList" : "WaitForEvents", error);
}
static void tn_cl_event_free(void *dev, void *event) {
  tn_cl *d = (tn_cl *)dev;
  d->cl.ReleaseEvent(((tn_cl_event *)event)->event);
  tiny_realloc(d->t, event, sizeof(tn_cl_event), 0);
}

static tiny_code tn_cl_sync(void *dev) {
  tn_cl *d = (tn_cl *)dev;
  void *last = NULL;
  int error = d->cl.EnqueueMarkerWithWaitList(d->queue, 0, NULL, &last);
  const char *call = error != 0 ? "EnqueueMarkerWithWaitList" : "WaitForEvents";
  if (error == 0) {
    error = d->cl.WaitForEvents(1, &last);
    d->cl.ReleaseEvent(last);
  }
  const int finished = d->cl.Finish(d->queue);
  if (error == 0 && finished != 0) { error = finished; call = "Finish"; }
  tn_cl_stamps_write(d);
  tn_cl_staged_reap(d, finished == 0);     // a driver that does not wait may be reading still
  return error == 0 ? TINY_OK : tn_cl_fail(d, call, error);
}
// A device that cannot be waited for any more is lost, and reads nothing.
static void tn_cl_close(void *dev) {
  tn_cl *d = (tn_cl *)dev;
  d->cl.Finish(d->queue);
  tn_cl_stamps_write(d);
  tn_cl_staged_reap(d, 1);
  tn_cl_give_back(d);
}
#endif
