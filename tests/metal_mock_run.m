// metal_mock_run: the mock's GPU: the commands of a command buffer, one by one, kernels by tests/metal_kernel.h.
//
// In: a command buffer, and what its commands use. Out: memory, and a code of MTLCommandBufferError.
// Holds: what nothing orders is done in any order, and looked at, by what checked kernels really touched: two
//        dispatches of a concurrent encoder or of an indirect command buffer between two barriers may not touch the
//        same bytes where one writes; nor may two encoders, of one command buffer or of several, those of a resource
//        that Metal does not track, nor two queues those of any, unless an event or the host's waiting orders them.
#import "metal_mock_state.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// What was touched since the last barrier of the pass.
typedef struct mock_span {
  MockResource *resource;
  size_t begin, end;
  int writes;
  int command, run, epoch;                   // run: of indirect commands, 0: none; epoch: barriers within the run
} mock_span;

typedef struct mock_work {
  MockCommandBuffer *buffer;
  mock_span *span; int nspans, span_capacity;
  int pass, command, run, epoch, nruns;
  int code;                                  // of the error; 0: none
} mock_work;

#define SAID(...) mock_mistake(w->buffer, @selector(commit), __VA_ARGS__)

// Hazards. -----------------------------------------------------------------------------------------------------------

static int mock_ordered(const mock_work *w, const mock_past *p) {
  const MockCommandBuffer *b = w->buffer;
  if (p->done && p->done < b->committed_at) return 1;
  if (p->queue == b->queue && p->serial == b->serial && p->pass == w->pass) return 1;
  for (int i = 0; i < b->nafter; i++) {
    const mock_order *o = &b->after[i];
    if (o->queue == p->queue && (o->serial > p->serial || (o->serial == p->serial && o->pass > p->pass))) return 1;
  }
  return 0;
}

// What the command buffer names no more than by a residency set is noted, so that its completion is.
static void mock_note(MockCommandBuffer *b, MockResource *r) {
  if (r->stamp == b->serial) return;
  mock_command_uses(b, r);
  r->busy++;
}

// What encoders did with a resource: Metal tracks those of one queue, unless the resource is untracked; between queues
// it is for events, or for the host's waiting, to order them. Of what is tracked a queue has one note.
static void mock_touch_past(mock_work *w, MockResource *r, size_t begin, size_t end, int writes, int untracked,
                            const char *what) {
  const MockCommandBuffer *b = w->buffer;
  mock_past now = { b->queue, b->serial, w->pass, writes, begin, end, 0 };
  int kept = 0;
  mock_note(w->buffer, r);
  for (int i = 0; i < r->npast; i++) {
    const mock_past *p = &r->past[i];
    const int tracked = !untracked && p->queue == b->queue, ordered = tracked || mock_ordered(w, p);
    if (!ordered && begin < p->end && p->begin < end && (writes || p->writes))
      SAID("%s: %s a %s that %s%s, and no event orders them", what, writes ? "writes" : "reads", mock_kind(r),
           p->queue == b->queue ? "another encoder " : "another queue ", p->writes ? "writes" : "reads");
    if (tracked && p->writes == writes) {
      if (p->begin < now.begin) now.begin = p->begin;
      if (p->end > now.end) now.end = p->end;
    } else if (!(p->done && ordered)) r->past[kept++] = *p;
  }
  r->npast = kept;
  r->past = mock_grow(r->past, r->npast, &r->past_capacity, sizeof *r->past);
  r->past[r->npast++] = now;
}

static void mock_touch(mock_work *w, MockResource *r, size_t begin, size_t end, int writes, const char *what) {
  for (int i = 0; i < w->nspans; i++) {
    const mock_span *s = &w->span[i];
    if (s->resource != r || s->command == w->command || begin >= s->end || s->begin >= end) continue;
    if (!writes && !s->writes) continue;
    if (s->run && s->run == w->run && s->epoch != w->epoch) continue;
    SAID("%s: %s bytes %zu to %zu of a %s%s%s that dispatch %d before it %s, and no barrier is between them", what,
         writes ? "writes" : "reads", begin > s->begin ? begin : s->begin, end < s->end ? end : s->end, mock_kind(r),
         r->label ? " " : "", r->label ? [r->label UTF8String] : "", s->command, s->writes ? "writes" : "reads");
    break;
  }
  w->span = mock_grow(w->span, w->nspans, &w->span_capacity, sizeof *w->span);
  w->span[w->nspans++] = (mock_span){ r, begin, end, writes, w->command, w->run, w->epoch };
  mock_touch_past(w, r, begin, end, writes, [r hazardTrackingMode] == MTLHazardTrackingModeUntracked, what);
}

static void mock_barrier(mock_work *w, const mock_command *c) {
  int kept = 0;
  for (int i = 0; i < w->nspans; i++) {
    int named = !c || !c->only;
    for (int k = 0; !named && k < c->nonly; k++) named = c->only[k] == w->span[i].resource;
    if (!named) w->span[kept++] = w->span[i];
  }
  w->nspans = kept;
}

// Dispatches. --------------------------------------------------------------------------------------------------------

static const char *mock_launch_name(const mock_launch *l) { return [l->pipeline->function->name UTF8String]; }

static int mock_launch_alive(mock_work *w, const mock_launch *l) {
  if (!l->pipeline || mock_dead(l->pipeline)) {
    SAID("the pipeline of a dispatch was freed");
    return 0;
  }
  for (int i = 0; i < MOCK_SLOTS; i++) {
    const MockObject *buffer = l->slot[i].buffer, *texture = l->texture[i];
    if ((!buffer || !mock_dead(buffer)) && (!texture || !mock_dead(texture))) continue;
    SAID("%s: what is set at %d was freed", mock_launch_name(l), i);
    return 0;
  }
  return 1;
}

// What a buffer's argument is known to touch: what the run of a checked kernel saw; else, of the least that its type
// says, its first element. Several tensors may lie in one buffer.
static void mock_slot_touch(mock_work *w, const mock_launch *l, const metal_argument *a, const metal_touched *t) {
  const mock_slot *s = &l->slot[a->index];
  const char *name = mock_launch_name(l);
  if (t && a->kind == METAL_BUFFER) {
    if (t->read_end) mock_touch(w, s->buffer, s->offset + t->read_begin, s->offset + t->read_end, 0, name);
    if (t->write_end) mock_touch(w, s->buffer, s->offset + t->write_begin, s->offset + t->write_end, 1, name);
  } else mock_touch(w, s->buffer, s->offset, s->offset + (a->element ? a->element : 1), a->writes, name);
}

// touched: NULL, what the kernel did is not known.
static void mock_launch_touch(mock_work *w, const mock_launch *l, const metal_touched *touched) {
  const metal_argument *a = NULL;
  const int count = metal_function_arguments(l->pipeline->function->function, &a);
  for (int i = 0; i < count; i++) {
    const int at = a[i].index;
    if (a[i].kind == METAL_TEXTURE && l->texture[at])
      mock_touch(w, l->texture[at], 0, l->texture[at]->nbytes, a[i].writes, mock_launch_name(l));
    else if ((a[i].kind == METAL_BUFFER || a[i].kind == METAL_CONSTANT) && l->slot[at].buffer)
      mock_slot_touch(w, l, &a[i], touched ? &touched[at] : NULL);
  }
}

// Did the run see what it touched? A kernel that is not checked tells of nothing.
static int mock_seen(const metal_touched *t) {
  for (int i = 0; i < MOCK_SLOTS; i++) if (t[i].read_end || t[i].write_end) return 1;
  return 0;
}

static void mock_kernel(mock_work *w, const mock_launch *l, metal_touched *touched) {
  metal_dispatch d;
  metal_picture picture[MOCK_SLOTS];
  char said[1024] = "";
  memset(&d, 0, sizeof d);
  d.function = l->pipeline->function->function;
  for (int i = 0; i < MOCK_SLOTS; i++) {
    const mock_slot *s = &l->slot[i];
    if (s->bytes) d.buffer[i] = (metal_binding){ s->bytes, s->nbytes };
    else if (s->buffer) d.buffer[i] = (metal_binding){ s->buffer->gpu + s->offset, s->buffer->nbytes - s->offset };
    if (l->texture[i]) {
      picture[i] = mock_picture(l->texture[i]);
      d.texture[i] = &picture[i];
    }
    d.threadgroup_nbytes[i] = l->threadgroup[i];
  }
  memcpy(d.groups, l->groups, sizeof d.groups);
  memcpy(d.items, l->items, sizeof d.items);
  d.threads = 2;
  d.touched = touched;
  pthread_mutex_unlock(&mock.lock);
  const int failed = metal_run(&d, said, sizeof said);
  pthread_mutex_lock(&mock.lock);
  if (!failed) return;
  SAID("%s: %s", mock_launch_name(l), said);
  w->code = MTLCommandBufferErrorPageFault;
}

static void mock_dispatch_run(mock_work *w, const mock_launch *l) {
  metal_touched touched[MOCK_SLOTS];
  memset(touched, 0, sizeof touched);
  if (!mock_launch_alive(w, l)) { w->code = MTLCommandBufferErrorInvalidResource; return; }
  if (!mock.desc.no_kernels) mock_kernel(w, l, touched);
  mock_launch_touch(w, l, mock_seen(touched) ? touched : NULL);
}

// An order of count things: as they are, or any.
static int *mock_order_of(mock_work *w, int count) {
  int *order = malloc((size_t)(count ? count : 1) * sizeof *order);
  for (int i = 0; i < count; i++) order[i] = i;
  uint32_t *random = &w->buffer->queue->random;
  for (int i = count - 1; *random && i > 0; i--) {
    const int k = (int)(mock_random(random) % (uint32_t)(i + 1)), keep = order[i];
    order[i] = order[k];
    order[k] = keep;
  }
  return order;
}

// Indirect commands. -------------------------------------------------------------------------------------------------

static int mock_in_sets(const MockQueue *q, const MockResource *r) {
  for (int i = 0; i < q->nsets; i++)
    for (int k = 0; k < q->set[i]->nmembers; k++) if (q->set[i]->member[k] == r) return 1;
  return 0;
}

// Whether the pass was told of a resource that an indirect command uses. In a residency set it is there, and untracked.
static void mock_resident(mock_work *w, const mock_command *c, MockResource *r, int writes, const char *name, int at) {
  const mock_pass *p = &w->buffer->pass[c->pass];
  const MTLResourceUsage wanted = writes ? MTLResourceUsageWrite : MTLResourceUsageRead;
  MTLResourceUsage usage = 0;
  for (int i = 0; i < c->nuses; i++) if (p->use[i].resource == r) usage |= p->use[i].usage;
  if (usage & wanted) return;
  if (usage) SAID("%s: buffer %d is %s by an indirect command, and useResource did not say so", name, at,
                  writes ? "written" : "read");
  else if (mock_in_sets(w->buffer->queue, r)) mock_touch_past(w, r, 0, r->nbytes, writes, 1, name);
  else SAID("%s: buffer %d is used by an indirect command, and is neither named by useResource nor in a residency set "
            "of the queue", name, at);
}

static void mock_indirect_one(mock_work *w, const mock_command *c, MockIndirect *indirect, size_t at) {
  const mock_indirect_command *command = &indirect->command[at];
  if (command->state == 1) return;
  if (!command->state) {
    SAID("command %zu of an MTLIndirectCommandBuffer was never encoded", at);
    w->code = MTLCommandBufferErrorInvalidResource;
    return;
  }
  mock_launch l = command->launch;           // bytes are never set in one
  if (indirect->inherits_pipeline) l.pipeline = c->launch->pipeline;
  if (indirect->inherits_buffers) memcpy(l.slot, c->launch->slot, sizeof l.slot);
  if (!mock_launch_alive(w, &l)) { w->code = MTLCommandBufferErrorInvalidResource; return; }
  if (indirect->inherits_pipeline || indirect->inherits_buffers)
    mock_launch_check(indirect, @selector(executeCommandsInBuffer:withRange:), &l, indirect->of);
  const metal_argument *a = NULL;
  const int count = indirect->inherits_buffers ? 0 : metal_function_arguments(l.pipeline->function->function, &a);
  for (int i = 0; i < count; i++)
    if ((a[i].kind == METAL_BUFFER || a[i].kind == METAL_CONSTANT) && l.slot[a[i].index].buffer)
      mock_resident(w, c, l.slot[a[i].index].buffer, a[i].writes, mock_launch_name(&l), a[i].index);
  mock.counts.indirect_dispatches++;
  w->command++;
  mock_dispatch_run(w, &l);
}

// Between two barriers commands are done in any order.
static void mock_indirect_run(mock_work *w, const mock_command *c) {
  MockIndirect *indirect = (MockIndirect *)c->source;
  if (mock_dead(indirect)) {
    SAID("an MTLIndirectCommandBuffer was freed before it was executed");
    w->code = MTLCommandBufferErrorInvalidResource;
    return;
  }
  const size_t end = c->source_offset + c->nbytes;
  w->run = ++w->nruns;
  w->epoch = 0;
  for (size_t from = c->source_offset, to; from < end && !w->code; from = to, w->epoch++) {
    for (to = from + 1; to < end && !indirect->command[to].barrier;) to++;
    int *order = mock_order_of(w, (int)(to - from));
    for (size_t i = 0; i < to - from && !w->code; i++) mock_indirect_one(w, c, indirect, from + (size_t)order[i]);
    free(order);
  }
  w->run = 0;
}

// Blits. -------------------------------------------------------------------------------------------------------------

static void mock_rows(uint8_t *to, size_t to_row, const uint8_t *from, size_t from_row, size_t nbytes, size_t rows) {
  for (size_t y = 0; y < rows; y++) memmove(to + y * to_row, from + y * from_row, nbytes);
  mock.counts.copied_nbytes += nbytes * rows;
}

static void mock_blit_run(mock_work *w, const mock_command *c) {
  MockResource *from = (MockResource *)c->source, *to = (MockResource *)c->destination;
  if ((from && mock_dead(from)) || (to && mock_dead(to))) {
    SAID("a resource of a blit was freed");
    w->code = MTLCommandBufferErrorInvalidResource;
    return;
  }
  const MockTexture *texture = (MockTexture *)(c->kind == MOCK_FROM_TEXTURE ? from : to);
  const size_t pixel = c->row ? mock_pixel_nbytes(texture->format) : 1, span = c->size.width * pixel;
  const size_t at = c->row ? (c->origin.y * texture->columns + c->origin.x) * pixel : 0;
  const size_t row = c->row ? texture->columns * pixel : 0;
  const size_t extent = c->row ? (c->size.height - 1) * c->row + span : c->nbytes;
  if (from) mock_touch(w, from, c->kind == MOCK_FROM_TEXTURE ? 0 : c->source_offset,
                       c->kind == MOCK_FROM_TEXTURE ? from->nbytes : c->source_offset + extent, 0, "a blit");
  if (to) mock_touch(w, to, c->kind == MOCK_TO_TEXTURE ? 0 : c->destination_offset,
                     c->kind == MOCK_TO_TEXTURE ? to->nbytes : c->destination_offset + extent, 1, "a blit");
  switch (c->kind) {
    case MOCK_COPY: mock_rows(to->gpu + c->destination_offset, 0, from->gpu + c->source_offset, 0, c->nbytes, 1); break;
    case MOCK_FILL: memset(to->gpu + c->destination_offset, (int)c->value, c->nbytes); break;
    case MOCK_SYNCHRONIZE: mock_rows(from->host, 0, from->gpu, 0, from->nbytes, 1); break;
    case MOCK_FROM_TEXTURE:
      mock_rows(to->gpu + c->destination_offset, c->row, from->gpu + at, row, span, c->size.height);
      break;
    default: mock_rows(to->gpu + at, row, from->gpu + c->source_offset, c->row, span, c->size.height);
  }
}

// Events. ------------------------------------------------------------------------------------------------------------

static void mock_wait_run(mock_work *w, const mock_command *c) {
  MockEvent *e = (MockEvent *)c->source;
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += (time_t)(mock.desc.timeout_ms / 1000);
  until.tv_nsec += (long)(mock.desc.timeout_ms % 1000) * 1000000;
  if (until.tv_nsec >= 1000000000) { until.tv_sec++; until.tv_nsec -= 1000000000; }
  while (!mock_dead(e) && e->value < c->value && !w->buffer->queue->of->removed)
    if (pthread_cond_timedwait(&mock.change, &mock.lock, &until)) { w->code = MTLCommandBufferErrorTimeout; return; }
  if (mock_dead(e)) { w->code = MTLCommandBufferErrorInvalidResource; return; }
  MockCommandBuffer *b = w->buffer;
  for (int i = 0; i < e->nsignals; i++) {
    const mock_signal *s = &e->signal[i];
    if (s->value > c->value && i) continue;  // what it waited for, and what came before
    b->after = mock_grow(b->after, b->nafter, &b->after_capacity, sizeof *b->after);
    b->after[b->nafter++] = (mock_order){ s->queue, s->serial, s->pass };
  }
}

static void mock_signal_run(mock_work *w, const mock_command *c) {
  MockEvent *e = (MockEvent *)c->source;
  if (mock_dead(e)) { w->code = MTLCommandBufferErrorInvalidResource; return; }
  if (e->nsignals == 64) memmove(e->signal, e->signal + 32, (size_t)(e->nsignals -= 32) * sizeof *e->signal);
  e->signal = mock_grow(e->signal, e->nsignals, &e->signal_capacity, sizeof *e->signal);
  e->signal[e->nsignals++] = (mock_signal){ c->value, w->buffer->queue, w->buffer->serial, w->pass + 1 };
  if (c->value < e->value)
    SAID("an event's value goes back from %llu to %llu", (unsigned long long)e->value, (unsigned long long)c->value);
  mock_event_signal(e, c->value);
}

// The whole. ---------------------------------------------------------------------------------------------------------

static void mock_command_run(mock_work *w, const mock_command *c) {
  w->command++;
  switch (c->kind) {
    case MOCK_DISPATCH: mock_dispatch_run(w, c->launch); break;
    case MOCK_BARRIER: mock_barrier(w, c); break;
    case MOCK_INDIRECT: mock_indirect_run(w, c); break;
    case MOCK_WAIT: mock_wait_run(w, c); break;
    case MOCK_SIGNAL: mock_signal_run(w, c); break;
    default: mock_blit_run(w, c);
  }
}

// How many commands from one on nothing orders: those of a concurrent pass up to a barrier.
static int mock_unordered(const MockCommandBuffer *b, int from) {
  const mock_command *c = &b->command[from];
  int count = 1;
  if (c->pass < 0 || !b->pass[c->pass].concurrent || c->kind == MOCK_BARRIER) return 1;
  while (from + count < b->ncommands && b->command[from + count].pass == c->pass &&
         b->command[from + count].kind != MOCK_BARRIER) count++;
  return count;
}

int mock_execute(MockCommandBuffer *b) {
  mock_work work = { .buffer = b, .pass = -1 }, *w = &work;
  for (int from = 0, count; from < b->ncommands && !w->code; from += count) {
    const mock_command *c = &b->command[from];
    const int serial = c->pass < 0 || !b->pass[c->pass].concurrent;
    count = mock_unordered(b, from);
    if (serial || c->pass != w->pass) mock_barrier(w, NULL);
    if (c->pass >= 0) w->pass = c->pass;
    int *order = mock_order_of(w, count);
    for (int i = 0; i < count && !w->code; i++) mock_command_run(w, &b->command[from + order[i]]);
    free(order);
  }
  free(w->span);
  return w->code;
}
