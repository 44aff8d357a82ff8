// hash: mixing for structural hashes, and a map from pointers to pointers in scratch memory for the passes.
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

typedef struct tn_map { const void **key; void **value; int n, cap; } tn_map;

static int tn_map_slot(const tn_map *m, const void *key) {
  // Fibonacci hashing (Knuth, The Art of Computer Programming, vol. 3, 6.4): the product's high bits
  int i = (int)((uint64_t)(uintptr_t)key * 0x9E3779B97F4A7C15ull >> 32 & (uint64_t)(m->cap - 1));
  while (m->key[i] && m->key[i] != key) i = (i + 1) & (m->cap - 1);
  return i;
}
static void *tn_map_get(const tn_map *m, const void *key) {
  return m->cap ? m->value[tn_map_slot(m, key)] : NULL;
}
static int tn_map_has(const tn_map *m, const void *key) {
  return m->cap && m->key[tn_map_slot(m, key)] != NULL;
}
static void tn_map_set(tiny_ctx *t, tn_map *m, const void *key, void *value) {
  if (m->n * 2 >= m->cap) {
    tn_map old = *m;
    m->cap = old.cap ? old.cap * 2 : TN_FIRST_SLOTS;
    m->key = (const void **)tn_scratch(t, (size_t)m->cap * sizeof *m->key);
    m->value = (void **)tn_scratch(t, (size_t)m->cap * sizeof *m->value);
    for (int i = 0; i < old.cap; i++) if (old.key[i]) {
      const int s = tn_map_slot(m, old.key[i]);
      m->key[s] = old.key[i]; m->value[s] = old.value[i];
    }
  }
  const int s = tn_map_slot(m, key);
  if (!m->key[s]) { m->key[s] = key; m->n++; }
  m->value[s] = value;
}
#endif
