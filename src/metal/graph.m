// graph: launches that are handed over together again and again, as an indirect command buffer (base/prepared.c).
//
// In:    the launches of a submit. Out: one executeCommandsInBuffer, of which only arguments that changed were set.
// Holds: a list is an MTLIndirectCommandBuffer of a command a launch, and a buffer with the numbers that are ARGs: such
//        commands take no bytes. What it uses is told to the encoder, which is its own, so that Metal orders it among
//        others. Commands wait for each other where launches would (launch.m).
//        Offsets of arguments end at 4 GiB. GPUs of families before Apple9 hang or fault where a pipeline state was not
//        set in the encoder that executes such a list: tinygrad's runtime/graph/metal.py tells of that, and of empty
//        dispatches as the way around it.
#ifndef TN_METAL_GRAPH
#define TN_METAL_GRAPH
#ifndef TINY_AMALGAMATED
#include "launch.m"
#endif

enum { TN_METAL_ARG = 256 };               // between numbers (Metal Feature Set Tables: alignment of constant memory)

// A launch in a list: what base/prepared.c takes for its arguments.
typedef struct tn_metal_command {
  struct tn_metal_list *list; int index, nargs, barrier; size_t args;          // args: bytes into the numbers
} tn_metal_command;
// kept: of the host's, retained, so that no other buffer comes to stand at its address while commands name it.
typedef struct tn_metal_used { void *base; int written; TN_UNOWNED id kept; } tn_metal_used;
typedef struct tn_metal_list {
  TN_UNOWNED id<MTLIndirectCommandBuffer> commands; TN_UNOWNED id<MTLBuffer> numbers;
  size_t nbytes, nnumbers; int n, changed; // nbytes: of this struct and what stands behind it
  tn_metal_used *used; int nused;
} tn_metal_list;

static const void *tn_metal_module_of(const void *kernel) { return ((const tn_metal_kernel *)kernel)->module; }
static size_t tn_metal_args_nbytes(const void *kernel) {
  (void)kernel;
  return sizeof(tn_metal_command);
}
static uint64_t tn_metal_value_of(const tiny_launch *l, int i) {
  if (i >= l->nmem) return (uint64_t)l->args[i - l->nmem];
  const tn_metal_block *b = tn_metal_block_find(((const tn_metal_kernel *)l->kernel)->device, l->mem[i].base);
  return (b ? b->va : 0) + l->mem[i].offset;
}
static tiny_code tn_metal_ready(void *user, const tiny_launch *l) { return tn_metal_fits((const tn_metal *)user, l); }

// ** commands **

static void tn_metal_set(const tiny_launch *l, int i, const tn_metal_command *c) {
  const tn_metal_list *list = c->list;
  id<MTLIndirectComputeCommand> command = [list->commands indirectComputeCommandAtIndex:(NSUInteger)c->index];
  if (i < l->nmem)
    [command setKernelBuffer:tn_metal_buffer(l->mem[i].base) offset:l->mem[i].offset atIndex:(NSUInteger)i];
  else {
    char *const to = (char *)[list->numbers contents] + c->args + (size_t)(i - l->nmem) * TN_METAL_ARG;
    memcpy(to, &l->args[i - l->nmem], sizeof *l->args);
  }
}
static void tn_metal_prepared_write(void *user, const tiny_launch *l, char *args, uint64_t va) {
  tn_metal *d = (tn_metal *)user;
  tn_metal_command *c = (tn_metal_command *)(void *)args;
  tn_metal_list *list = d->list_made;
  (void)va;
  c->list = list; c->index = list->n++; c->nargs = l->nargs; c->barrier = 0;
  c->args = list->nnumbers;
  list->nnumbers += (size_t)l->nargs * TN_METAL_ARG;
  list->changed = 1;
  id<MTLIndirectComputeCommand> command = [list->commands indirectComputeCommandAtIndex:(NSUInteger)c->index];
  [command setComputePipelineState:((const tn_metal_kernel *)l->kernel)->pipeline];
  for (int i = 0; i < l->nmem + l->nargs; i++) tn_metal_set(l, i, c);
  for (int i = 0; i < l->nargs; i++)
    [command setKernelBuffer:list->numbers offset:c->args + (size_t)i * TN_METAL_ARG
                     atIndex:(NSUInteger)(TN_METAL_BUFFERS - 1 - i)];
  [command concurrentDispatchThreadgroups:tn_metal_size(l->global) threadsPerThreadgroup:tn_metal_size(l->local)];
}
static void tn_metal_prepared_put(const tiny_launch *l, int i, uint64_t value, char *args) {
  tn_metal_command *c = (tn_metal_command *)(void *)args;
  (void)value;
  tn_metal_set(l, i, c);
  if (i < l->nmem) c->list->changed = 1;
}
static size_t tn_metal_prepared_command(void *user, const tiny_launch *l, int first, uint64_t args, uint32_t *at) {
  (void)user; (void)l; (void)first; (void)args; (void)at;
  return 0;                                // commands are Metal's
}

// ** lists **

static void tn_metal_list_forget(tn_metal_list *list) {
  for (int i = 0; i < list->nused; i++) if (list->used[i].kept) TN_DROP(list->used[i].kept);
  list->nused = 0;
}
static void tn_metal_prepared_drop(void *user, void *memory) {
  tn_metal *d = (tn_metal *)user;
  tn_metal_list *list = (tn_metal_list *)memory;
  tn_metal_list_forget(list);
  if (list->commands) tn_metal_later(d, list->commands, d->number, 0);
  if (list->numbers) tn_metal_later(d, list->numbers, d->number, 0);
  tiny_realloc(d->t, list, list->nbytes, 0);
}
static id<MTLIndirectCommandBuffer> tn_metal_commands_new(const tn_metal *d, int n) {
  MTLIndirectCommandBufferDescriptor *how = [[MTLIndirectCommandBufferDescriptor alloc] init];
  [how setCommandTypes:MTLIndirectCommandTypeConcurrentDispatch];
  [how setInheritBuffers:NO];
  [how setInheritPipelineState:NO];
  [how setMaxKernelBufferBindCount:TN_METAL_BUFFERS];
  id<MTLIndirectCommandBuffer> commands =
      [d->gpu newIndirectCommandBufferWithDescriptor:how maxCommandCount:(NSUInteger)n
                                             options:MTLResourceStorageModeShared];
#ifndef TN_METAL_ARC
  [how release];
#endif
  return commands;
}
// cpu: what tn_metal_command of each launch stands in. Memory behind it tells what the list uses.
static void *tn_metal_prepared_make(void *user, size_t nbytes, char **cpu, uint64_t *va) {
  tn_metal *d = (tn_metal *)user;
  const int n = (int)(nbytes / sizeof(tn_metal_command));
  const size_t nused = (size_t)d->list_uses, all = sizeof(tn_metal_list) + nbytes + nused * sizeof(tn_metal_used);
  tn_metal_list *list = (tn_metal_list *)tiny_realloc(d->t, NULL, 0, all);
  if (!list) { tiny_fail(d->t, TINY_E_MEMORY, "%s: no memory for a list of commands", d->name); return NULL; }
  memset(list, 0, sizeof *list);
  list->nbytes = all;
  *cpu = (char *)(list + 1);
  *va = (uint64_t)(uintptr_t)*cpu;
  list->used = (tn_metal_used *)(void *)(*cpu + nbytes);
  d->list_made = list;
  list->commands = TN_NEW(id<MTLIndirectCommandBuffer>, tn_metal_commands_new(d, n));
  if (list->commands && d->list_numbers)
    list->numbers = TN_NEW(id<MTLBuffer>, [d->gpu newBufferWithLength:d->list_numbers * TN_METAL_ARG
                                                              options:MTLResourceStorageModeShared]);
  if (list->commands && (list->numbers || !d->list_numbers)) return list;
  tn_metal_none(d, "indirect command buffer");
  tn_metal_prepared_drop(d, list);
  return NULL;
}
static uint64_t tn_metal_prepared_done(void *user) {
  tn_metal *d = (tn_metal *)user;
  tn_metal_reap(d);
  return d->done;
}
static tiny_code tn_metal_prepared_wait(void *user, uint64_t number) {
  return tn_metal_wait_for((tn_metal *)user, number);
}

static const tn_prepared_calls tn_metal_prepared_calls = {
  0, tn_metal_module_of, tn_metal_args_nbytes, tn_metal_value_of, tn_metal_ready, tn_metal_prepared_write,
  tn_metal_prepared_put, NULL, tn_metal_prepared_command, tn_metal_prepared_make, tn_metal_prepared_drop,
  tn_metal_prepared_done, tn_metal_prepared_wait
};

// ** executed **

static void tn_metal_list_uses(const tn_metal *d, tn_metal_list *list, void *base, int written) {
  int k = 0;
  while (k < list->nused && list->used[k].base != base) k++;
  if (k == list->nused) {
    const tn_metal_block *b = tn_metal_block_find(d, base);
    list->used[k].base = base;
    list->used[k].written = 0;
    list->used[k].kept = b && b->own ? nil : TN_RETAINED(id, tn_metal_buffer(base));
    list->nused++;
  }
  list->used[k].written |= written;
}
// Barriers and what is used, anew, as launches got other memory.
static void tn_metal_list_order(const tn_metal *d, const tn_prepared_graph *g, const tn_prepared_list *of,
                                const tiny_launch *l) {
  tn_metal_list *list = (tn_metal_list *)of->memory;
  tn_metal_touched touched[TN_METAL_TOUCHED];
  int n = 0;
  list->changed = 0;
  tn_metal_list_forget(list);
  for (int i = 0; i < g->n; i++) {
    tn_metal_command *c = (tn_metal_command *)(void *)(of->cpu + g->step[i].at);
    const int barrier = tn_metal_order(touched, &n, &l[i]);
    for (int k = 0; k < l[i].nmem; k++) tn_metal_list_uses(d, list, l[i].mem[k].base, tn_metal_writes_mem(&l[i], k));
    if (barrier == c->barrier) continue;
    id<MTLIndirectComputeCommand> command = [list->commands indirectComputeCommandAtIndex:(NSUInteger)i];
    if (barrier) [command setBarrier]; else [command clearBarrier];
    c->barrier = barrier;
  }
}
// Each pipeline state once, with nothing to do: see the head of this room.
static void tn_metal_list_pipelines(tn_metal *d, const tn_prepared_graph *g) {
  const MTLSize none = MTLSizeMake(0, 0, 0);
  for (int i = 0; i < g->n; i++) {
    int before = 0;
    while (g->step[before].kernel != g->step[i].kernel) before++;
    if (before < i) continue;
    [d->compute setComputePipelineState:((const tn_metal_kernel *)g->step[i].kernel)->pipeline];
    [d->compute dispatchThreadgroups:none threadsPerThreadgroup:none];
  }
}
static tiny_code tn_metal_list_execute(tn_metal *d, const tn_prepared_graph *g, tn_prepared_list *of,
                                       const tiny_launch *l) {
  tn_metal_list *list = (tn_metal_list *)of->memory;
  tn_metal_end(d);
  tiny_code code = tn_metal_compute(d);
  if (code != TINY_OK) return code;
  for (int i = 0; i < g->n; i++)
    for (int k = 0; k < l[i].nmem; k++) tn_metal_use(d, l[i].mem[k]);
  if (list->changed) tn_metal_list_order(d, g, of, l);
  for (int i = 0; i < list->nused; i++)
    [d->compute useResource:tn_metal_buffer(list->used[i].base)
                      usage:MTLResourceUsageRead | (list->used[i].written ? MTLResourceUsageWrite : 0)];
  if (list->numbers) [d->compute useResource:list->numbers usage:MTLResourceUsageRead];
  if (d->family && d->family < 9) tn_metal_list_pipelines(d, g);
  [d->compute executeCommandsInBuffer:list->commands withRange:NSMakeRange(0, (NSUInteger)g->n)];
  tn_metal_end(d);
  of->busy = d->number;
  d->ndispatch += g->n;
  return TINY_OK;
}

// What a list of these launches has room for, and whether there is to be one. Their memory is known from here on.
static int tn_metal_list_fits(tn_metal *d, const tiny_launch *l, int n) {
  int fits = d->indirect && !d->lost;
  d->list_uses = 0;
  d->list_numbers = 0;
  for (int i = 0; i < n && fits; i++) {
    d->list_uses += l[i].nmem;
    d->list_numbers += (size_t)l[i].nargs;
    for (int k = 0; k < l[i].nmem && fits; k++)
      fits = l[i].mem[k].offset <= UINT32_MAX && tn_metal_block_of(d, l[i].mem[k]) != NULL;
  }
  return fits;
}
static tiny_code tn_metal_submit_now(tn_metal *d, const tiny_launch *l, int n) {
  tn_prepared_graph *g = tn_metal_list_fits(d, l, n) ? tn_prepared_of(&d->prepared, l, n) : NULL;
  if (!g) return tn_metal_launch_all(d, l, n);
  tn_prepared_list *list = tn_prepared_list_of(&d->prepared, g, l);
  if (!list) return tiny_status(d->t);
  const tiny_code code = tn_metal_list_execute(d, g, list, l);
  return code == TINY_OK ? tn_metal_given(d) : code;
}
static tiny_code tn_metal_submit(void *dev, const tiny_launch *l, int n) {
  tiny_code code;
  TN_POOL code = tn_metal_submit_now((tn_metal *)dev, l, n); TN_POOL_END
  return code;
}
#endif
