// container: compiled kernels as one run of bytes, which is shipped with a program and read where there is no compiler.
//
// In:    kernels, each with the digest of what it computes, what a launch of it needs, the binary that it lies in, and
//        the target that this was compiled for. Out: bytes; and of bytes the kernels that fit a device.
// Holds: nothing in a key knows the compiler: a kernel is what it computes, a target the instructions that it needs and
//        what was known of the machine when the graph was cut into kernels. One container has kernels for several
//        targets; of those that fit, the one that needs most of the device is taken: its own, then the best subset.
//        Nothing is believed: all lengths, orders and texts, and a digest over everything, are looked at before the
//        first kernel is. That says that the bytes are what was written, not by whom: what they hold is executed.
//
//   head | targets | modules | kernels, by digest and target | binaries, each behind zeros up to 16 bytes
//
// Numbers are as the host has them; a container of the other byte order is refused. Programs that are saved hold their
// kernels so, too: plan and constants are runs of their own beside this one, which names kernels by their digests.
#ifndef TN_RUNTIME_CONTAINER
#define TN_RUNTIME_CONTAINER
#ifndef TINY_AMALGAMATED
#include "cache.c"
#endif

enum { TN_CONTAINER_FORMAT = 1, TN_CONTAINER_ORDER = 0x01020304, TN_CONTAINER_NAME = 32, TN_CONTAINER_FEATURES = 8,
  TN_CONTAINER_ALIGN = 16, TN_KERNEL_NAME = 64, TN_CONTAINER_LOCAL = 1 << 30 };

typedef struct tn_container_head {
  char magic[8];
  uint32_t order, format;
  tn_digest source, sum;                   // source: of the library that wrote it; sum: of all bytes, these as zeros
  uint64_t nbytes;
  uint32_t ntarget, nmodule, nkernel, zero;
} tn_container_head;

typedef struct tn_container_target {
  char name[TN_CONTAINER_NAME];            // of the backend, and how functions are called: "CPU x86-64 SysV"
  uint32_t feature[TN_CONTAINER_FEATURES]; // bits of instructions that the binaries may use
  tn_digest exact;                         // of a device that has no such bits: of what it says it is
  uint64_t near_nbytes, last_nbytes;       // bytes of caches and vectors, and units, for which graphs were cut
  uint32_t vector_nbytes, compute_units;
} tn_container_target;

typedef struct tn_container_module { uint64_t at, nbytes; uint32_t target, zero; } tn_container_module;

typedef struct tn_container_kernel {
  tn_digest key;
  int64_t global[3], local[3], tasks, local_nbytes;
  double flops, nbytes;
  uint32_t module, width, units, zero;     // width: of the search that found it; units: it multiplies tiles (WMMA)
  char name[TN_KERNEL_NAME];
} tn_container_kernel;

static const char tn_container_magic[8] = {'t', 'i', 'n', 'y', 'k', 'e', 'r', 'n'};

// Where the parts of a container lie.
typedef struct tn_container {
  const tn_container_head *head; const tn_container_target *target; const tn_container_module *module;
  const tn_container_kernel *kernel; const char *data;
} tn_container;

static tn_container tn_container_of(const void *data) {
  tn_container c;
  c.data = (const char *)data;
  c.head = (const tn_container_head *)data;
  c.target = (const tn_container_target *)(c.head + 1);
  c.module = (const tn_container_module *)(const void *)(c.target + c.head->ntarget);
  c.kernel = (const tn_container_kernel *)(const void *)(c.module + c.head->nmodule);
  return c;
}
static const tn_container_target *tn_container_target_of(const tn_container *c, const tn_container_kernel *k) {
  return &c->target[c->module[k->module].target];
}

// Of this release and build of the library: another one may number operators, or cut graphs, in another way.
static tn_digest tn_container_source(const char *id) {
  tn_digester d = tn_digest_open();
  tn_digest_add_text(&d, TINY_VERSION);
  tn_digest_add_text(&d, id);
  return tn_digest_close(&d);
}
static tn_digest tn_container_sum(const char *data, size_t nbytes) {
  tn_container_head head;
  tn_digester d = tn_digest_open();
  memcpy(&head, data, sizeof head);
  memset(&head.sum, 0, sizeof head.sum);
  tn_digest_add(&d, &head, sizeof head);
  tn_digest_add(&d, data + sizeof head, nbytes - sizeof head);
  return tn_digest_close(&d);
}

// ** bytes from outside **

static int tn_container_order(const tn_container *c, const tn_container_kernel *a, const tn_container_kernel *b) {
  const int by_key = memcmp(&a->key, &b->key, sizeof a->key);
  return by_key ? by_key : memcmp(tn_container_target_of(c, a), tn_container_target_of(c, b), sizeof *c->target);
}
static int tn_container_launches(const tn_container_kernel *k) {
  int ok = k->tasks >= 0 && k->tasks <= INT_MAX && k->local_nbytes >= 0 && k->local_nbytes <= TN_CONTAINER_LOCAL;
  for (int i = 0; i < 3; i++)
    ok &= k->global[i] >= 0 && k->global[i] <= INT_MAX && k->local[i] >= 0 && k->local[i] <= INT_MAX;
  return ok && k->units <= 1 && k->name[0] && memchr(k->name, 0, sizeof k->name);
}

// What is wrong with the bytes, which are aligned as memory is and were compared with a sum of them; NULL: nothing.
static const char *tn_container_check_parts(const void *data, size_t nbytes, const tn_digest *source) {
  tn_container_head head;
  if (nbytes < sizeof head) return "it is too short for a cache of kernels";
  memcpy(&head, data, sizeof head);
  if (memcmp(head.magic, tn_container_magic, sizeof head.magic)) return "it is no cache of kernels";
  if (head.order != TN_CONTAINER_ORDER) return "it was written by a machine of the other byte order";
  if (head.format != TN_CONTAINER_FORMAT || !tn_digest_same(&head.source, source))
    return "it was written by another version of tiny.h";
  if (head.nbytes != nbytes) return "it is cut off, or something follows it";
  const uint64_t room = nbytes - sizeof head, tables = head.ntarget * (uint64_t)sizeof(tn_container_target) +
      head.nmodule * (uint64_t)sizeof(tn_container_module) + head.nkernel * (uint64_t)sizeof(tn_container_kernel);
  if (tables > room) return "its tables are longer than it";
  const tn_container c = tn_container_of(data);
  for (uint32_t i = 0; i < head.ntarget; i++)
    if (!memchr(c.target[i].name, 0, sizeof c.target[i].name)) return "a target has no name";
  uint64_t end = sizeof head + tables;
  for (uint32_t i = 0; i < head.nmodule; i++) {
    const tn_container_module *m = &c.module[i];
    if (m->target >= head.ntarget) return "a module is for no target";
    if (m->at > nbytes || m->nbytes > nbytes - m->at || m->at % TN_CONTAINER_ALIGN)
      return "a module lies beyond its end";
    if (m->at < end || !m->nbytes) return "its modules do not follow each other";    // they are known by where they lie
    end = m->at + m->nbytes;
  }
  for (uint32_t i = 0; i < head.nkernel; i++) {
    if (c.kernel[i].module >= head.nmodule) return "a kernel is in no module";
    if (!tn_container_launches(&c.kernel[i])) return "a kernel cannot be launched as it says";
    if (i && tn_container_order(&c, &c.kernel[i - 1], &c.kernel[i]) >= 0) return "its kernels are not in order";
  }
  return NULL;
}
// The same of bytes from anywhere.
static const char *tn_container_check(const void *data, size_t nbytes, const tn_digest *source) {
  const tn_container_head *head = (const tn_container_head *)data;
  const char *wrong = tn_container_check_parts(data, nbytes, source);
  if (wrong) return wrong;
  const tn_digest sum = tn_container_sum((const char *)data, nbytes);
  return tn_digest_same(&sum, &head->sum) ? NULL : "its bytes are not what was written";
}

// ** what fits **

// -1: a device that is `own` cannot run it; else the more of the device it uses, the more it is.
static int tn_container_fit(const tn_container_target *target, const tn_container_target *own) {
  int fit = target->near_nbytes == own->near_nbytes && target->last_nbytes == own->last_nbytes &&
            target->vector_nbytes == own->vector_nbytes && target->compute_units == own->compute_units;
  if (strcmp(target->name, own->name) || !tn_digest_same(&target->exact, &own->exact)) return -1;
  for (int i = 0; i < TN_CONTAINER_FEATURES; i++) {
    if (target->feature[i] & ~own->feature[i]) return -1;
    for (uint32_t bits = target->feature[i]; bits; bits &= bits - 1) fit += 2;
  }
  return fit;
}
// The target of all that fits best; NULL: none does.
static const tn_container_target *tn_container_best(const tn_container *c, const tn_container_target *own) {
  const tn_container_target *best = NULL;
  for (uint32_t i = 0; i < c->head->ntarget; i++) {
    const int fit = tn_container_fit(&c->target[i], own);
    if (fit >= 0 && (!best || fit > tn_container_fit(best, own))) best = &c->target[i];
  }
  return best;
}
// The kernel of that digest for what fits best; NULL: there is none.
static const tn_container_kernel *tn_container_find(const tn_container *c, const tn_digest *key,
                                                    const tn_container_target *own) {
  uint32_t from = 0, to = c->head->nkernel;
  while (from < to) {
    const uint32_t middle = from + (to - from) / 2;
    if (memcmp(&c->kernel[middle].key, key, sizeof *key) < 0) from = middle + 1;
    else to = middle;
  }
  const tn_container_kernel *best = NULL;
  int best_fit = -1;
  for (; from < c->head->nkernel && tn_digest_same(&c->kernel[from].key, key); from++) {
    const int fit = tn_container_fit(tn_container_target_of(c, &c->kernel[from]), own);
    if (fit > best_fit) { best_fit = fit; best = &c->kernel[from]; }
  }
  return best;
}

// ** writing **

typedef struct tn_container_item {
  tn_container_kernel kernel; tn_container_target target;
  const void *binary; size_t nbytes;
  int turn;                                // of two that are alike the earlier one is kept
} tn_container_item;
typedef struct tn_container_items { tn_container_item *item; int n, cap; } tn_container_items;

static int tn_container_before(const void *a, const void *b) {
  const tn_container_item *x = (const tn_container_item *)a, *y = (const tn_container_item *)b;
  const int by_key = memcmp(&x->kernel.key, &y->kernel.key, sizeof x->kernel.key);
  const int by_target = by_key ? by_key : memcmp(&x->target, &y->target, sizeof x->target);
  return by_target ? by_target : x->turn - y->turn;
}
static tn_container_item *tn_container_add(tiny_ctx *t, tn_container_items *all) {
  tn_container_item *item = TN_PUSH(t, all->item, all->n, all->cap, tn_container_item);
  memset(item, 0, sizeof *item);
  item->turn = all->n;
  return item;
}
static void tn_container_add_all(tiny_ctx *t, tn_container_items *all, const tn_container *c) {
  for (uint32_t i = 0; i < c->head->nkernel; i++) {
    const tn_container_module *m = &c->module[c->kernel[i].module];
    tn_container_item *item = tn_container_add(t, all);
    item->kernel = c->kernel[i];
    item->target = c->target[m->target];
    item->binary = c->data + m->at; item->nbytes = (size_t)m->nbytes;
  }
}

// Sorts them and drops those that are there twice.
static void tn_container_sort(tn_container_items *all) {
  int n = 0;
  if (all->n) qsort(all->item, (size_t)all->n, sizeof *all->item, tn_container_before);
  for (int i = 0; i < all->n; i++) {
    const tn_container_item *now = &all->item[i], *last = n ? &all->item[n - 1] : NULL;
    if (last && tn_digest_same(&last->kernel.key, &now->kernel.key) &&
        !memcmp(&last->target, &now->target, sizeof now->target))
      continue;
    all->item[n++] = *now;
  }
  all->n = n;
}

static void tn_container_write(tiny_ctx *t, tn_container_items *all, const tn_digest *source, tiny_bytes *out) {
  tn_container_head head;
  tn_map known = {NULL, 0, 0};
  tn_container_sort(all);
  const size_t room = (size_t)all->n + 1;
  tn_container_target *target = (tn_container_target *)tn_scratch(t, room * sizeof *target);
  tn_container_module *module = (tn_container_module *)tn_scratch(t, room * sizeof *module);
  const void **binary = (const void **)tn_scratch(t, room * sizeof *binary);
  memset(&head, 0, sizeof head);
  memcpy(head.magic, tn_container_magic, sizeof head.magic);
  head.order = TN_CONTAINER_ORDER; head.format = TN_CONTAINER_FORMAT;
  head.source = *source;
  for (int i = 0; i < all->n; i++) {
    tn_container_item *x = &all->item[i];
    uint32_t at = (uint32_t)(uintptr_t)tn_map_get(&known, x->binary), of = 0;
    if (!at) {
      while (of < head.ntarget && memcmp(&target[of], &x->target, sizeof x->target)) of++;
      if (of == head.ntarget) target[head.ntarget++] = x->target;
      binary[head.nmodule] = x->binary;
      module[head.nmodule].nbytes = x->nbytes; module[head.nmodule].target = of;
      at = ++head.nmodule;
      tn_map_set(t, &known, x->binary, (void *)(uintptr_t)at);
    }
    x->kernel.module = at - 1;
  }
  head.nkernel = (uint32_t)all->n;
  uint64_t end = sizeof head + head.ntarget * sizeof *target + head.nmodule * sizeof *module +
                 head.nkernel * sizeof(tn_container_kernel);
  for (uint32_t i = 0; i < head.nmodule; i++) {
    module[i].at = (end + TN_CONTAINER_ALIGN - 1) / TN_CONTAINER_ALIGN * TN_CONTAINER_ALIGN;
    end = module[i].at + module[i].nbytes;
  }
  head.nbytes = end;
  tiny_bytes_add(out, &head, sizeof head);
  tiny_bytes_add(out, target, head.ntarget * sizeof *target);
  tiny_bytes_add(out, module, head.nmodule * sizeof *module);
  for (int i = 0; i < all->n; i++) tiny_bytes_add(out, &all->item[i].kernel, sizeof all->item[i].kernel);
  for (uint32_t i = 0; i < head.nmodule; i++) {
    static const char zeros[TN_CONTAINER_ALIGN] = {0};
    tiny_bytes_add(out, zeros, (size_t)(module[i].at - out->n));
    tiny_bytes_add(out, binary[i], (size_t)module[i].nbytes);
  }
  head.sum = tn_container_sum(out->data, out->n);
  memcpy(out->data, &head, sizeof head);
}
#endif
