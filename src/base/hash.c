// hash: mixing for structural hashes, and maps from pointers, and pairs of them, to pointers in scratch memory for the
// passes.
#ifndef TN_BASE_HASH
#define TN_BASE_HASH
#ifndef TINY_AMALGAMATED
#include "memory.c"
#endif

// The finaliser of splitmix64 (Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", 2014).
static uint64_t tn_hash_mix(uint64_t h, uint64_t v) {
  h += v + 0x9E3779B97F4A7C15ull;
  h = (h ^ (h >> 30)) * 0xBF58476D1CE4E5B9ull;
  h = (h ^ (h >> 27)) * 0x94D049BB133111EBull;
  return h ^ (h >> 31);
}

static uint64_t tn_hash_bytes(uint64_t h, const void *data, size_t nbytes) {
  const unsigned char *p = (const unsigned char *)data;
  for (; nbytes >= 8; p += 8, nbytes -= 8) { uint64_t v; memcpy(&v, p, 8); h = tn_hash_mix(h, v); }
  uint64_t tail = nbytes;
  for (size_t i = 0; i < nbytes; i++) tail |= (uint64_t)p[i] << (8 * (i + 1) & 63);
  return tn_hash_mix(h, tail);
}

typedef struct tn_map_row { const void *key; void *value; } tn_map_row;
typedef struct tn_map { tn_map_row *row; int n, cap; } tn_map;

static tn_map_row *tn_map_find(const tn_map *m, const void *key) {
  // Fibonacci hashing (Knuth, The Art of Computer Programming, vol. 3, 6.4): the product's high bits
  int i = (int)((uint64_t)(uintptr_t)key * 0x9E3779B97F4A7C15ull >> 32 & (uint64_t)(m->cap - 1));
  while (m->row[i].key && m->row[i].key != key) i = (i + 1) & (m->cap - 1);
  return &m->row[i];
}
static void *tn_map_get(const tn_map *m, const void *key) {
  return m->cap ? tn_map_find(m, key)->value : NULL;
}
static int tn_map_has(const tn_map *m, const void *key) {
  return m->cap && tn_map_find(m, key)->key != NULL;
}
static void tn_map_set(tiny_ctx *t, tn_map *m, const void *key, void *value) {
  if (m->n * 2 >= m->cap) {
    const tn_map old = *m;
    m->cap = old.cap ? old.cap * 2 : TN_FIRST_SLOTS;
    m->row = (tn_map_row *)tn_scratch(t, (size_t)m->cap * sizeof *m->row);
    for (int i = 0; i < old.cap; i++) if (old.row[i].key) *tn_map_find(m, old.row[i].key) = old.row[i];
  }
  tn_map_row *row = tn_map_find(m, key);
  if (!row->key) { row->key = key; m->n++; }
  row->value = value;
}
// Empties m; its memory is used again unless it has become large for little.
static void tn_map_clear(tn_map *m) {
  if (m->cap > 16 * TN_FIRST_SLOTS && m->n * 16 < m->cap) { m->row = NULL; m->cap = 0; }
  else if (m->n) memset(m->row, 0, (size_t)m->cap * sizeof *m->row);
  m->n = 0;
}

typedef struct tn_pair_row { const void *a, *b; void *value; } tn_pair_row;
typedef struct tn_pairs { tn_pair_row *row; int n, cap; } tn_pairs;

static tn_pair_row *tn_pairs_find(const tn_pairs *m, const void *a, const void *b) {
  const uint64_t mixed = (uint64_t)(uintptr_t)a * 0x9E3779B97F4A7C15ull ^ (uint64_t)(uintptr_t)b * 0xC2B2AE3D27D4EB4Full;
  int i = (int)(mixed >> 32 & (uint64_t)(m->cap - 1));
  while (m->row[i].a && (m->row[i].a != a || m->row[i].b != b)) i = (i + 1) & (m->cap - 1);
  return &m->row[i];
}
static void *tn_pairs_get(const tn_pairs *m, const void *a, const void *b) {
  return m->cap ? tn_pairs_find(m, a, b)->value : NULL;
}
static void tn_pairs_set(tiny_ctx *t, tn_pairs *m, const void *a, const void *b, void *value) {
  if (m->n * 2 >= m->cap) {
    const tn_pairs old = *m;
    m->cap = old.cap ? old.cap * 2 : TN_FIRST_SLOTS;
    m->row = (tn_pair_row *)tn_scratch(t, (size_t)m->cap * sizeof *m->row);
    for (int i = 0; i < old.cap; i++)
      if (old.row[i].a) *tn_pairs_find(m, old.row[i].a, old.row[i].b) = old.row[i];
  }
  tn_pair_row *row = tn_pairs_find(m, a, b);
  if (!row->a) { row->a = a; row->b = b; m->n++; }
  row->value = value;
}
static void tn_pairs_clear(tn_pairs *m) {
  if (m->cap > 16 * TN_FIRST_SLOTS && m->n * 16 < m->cap) { m->row = NULL; m->cap = 0; }
  else if (m->n) memset(m->row, 0, (size_t)m->cap * sizeof *m->row);
  m->n = 0;
}
#endif
