// hash: mixing for structural hashes, digests for what is known by its contents alone, and maps from pointers, and
// pairs of them, to pointers in scratch memory for the passes.
//
// A structural hash orders and finds: who has two things with one hash compares them. Anybody can make such two.
// A digest stands for its bytes: kernels, modules and files are taken for each other when their digests are equal.
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

// ** digests: BLAKE2s-256 (RFC 7693), unkeyed **

typedef struct tn_digest { uint32_t word[8]; } tn_digest;
typedef struct tn_digester { uint32_t h[8]; uint64_t nbytes; unsigned char held[64]; } tn_digester;

static const uint32_t tn_digest_start[8] = {       // the initial values of SHA-256
  0x6A09E667u, 0xBB67AE85u, 0x3C6EF372u, 0xA54FF53Au, 0x510E527Fu, 0x9B05688Cu, 0x1F83D9ABu, 0x5BE0CD19u
};

static uint32_t tn_rotate(uint32_t x, int n) { return x >> n | x << (32 - n); }

static void tn_digest_block(tn_digester *d, const unsigned char *at, int last) {
  static const uint8_t order[10][16] = {   // of the message's words in each turn: RFC 7693, 2.7
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
    {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
    {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
    {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
    {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}
  };
  uint32_t m[16], v[16];
  for (int i = 0; i < 16; i++)
    m[i] = (uint32_t)at[4 * i] | (uint32_t)at[4 * i + 1] << 8 | (uint32_t)at[4 * i + 2] << 16 |
           (uint32_t)at[4 * i + 3] << 24;
  for (int i = 0; i < 8; i++) { v[i] = d->h[i]; v[i + 8] = tn_digest_start[i]; }
  v[12] ^= (uint32_t)d->nbytes; v[13] ^= (uint32_t)(d->nbytes >> 32);
  if (last) v[14] = ~v[14];
  // A macro: gcc -O2 makes a function of it, and v would lie in memory.
#define TN_QUARTER(a, b, c, d, x, y) \
  v[a] += v[b] + m[x]; v[d] = tn_rotate(v[d] ^ v[a], 16); \
  v[c] += v[d];        v[b] = tn_rotate(v[b] ^ v[c], 12); \
  v[a] += v[b] + m[y]; v[d] = tn_rotate(v[d] ^ v[a], 8); \
  v[c] += v[d];        v[b] = tn_rotate(v[b] ^ v[c], 7)
  for (int turn = 0; turn < 10; turn++) {
    const uint8_t *w = order[turn];
    TN_QUARTER(0, 4, 8, 12, w[0], w[1]);
    TN_QUARTER(1, 5, 9, 13, w[2], w[3]);
    TN_QUARTER(2, 6, 10, 14, w[4], w[5]);
    TN_QUARTER(3, 7, 11, 15, w[6], w[7]);
    TN_QUARTER(0, 5, 10, 15, w[8], w[9]);
    TN_QUARTER(1, 6, 11, 12, w[10], w[11]);
    TN_QUARTER(2, 7, 8, 13, w[12], w[13]);
    TN_QUARTER(3, 4, 9, 14, w[14], w[15]);
  }
#undef TN_QUARTER
  for (int i = 0; i < 8; i++) d->h[i] ^= v[i] ^ v[i + 8];
}

static TN_COLD tn_digester tn_digest_open(void) {
  tn_digester d;
  memset(&d, 0, sizeof d);
  memcpy(d.h, tn_digest_start, sizeof d.h);
  d.h[0] ^= 0x01010020u;                   // no key, 32 bytes
  return d;
}

// The last block is kept until more comes: it is marked as the last.
static void tn_digest_add(tn_digester *d, const void *data, size_t nbytes) {
  const unsigned char *at = (const unsigned char *)data;
  while (nbytes) {
    size_t held = (size_t)(d->nbytes % 64);
    if (!held && d->nbytes) { tn_digest_block(d, d->held, 0); memset(d->held, 0, sizeof d->held); }
    while (!held && nbytes > 64) {
      d->nbytes += 64;
      tn_digest_block(d, at, 0);
      at += 64; nbytes -= 64;
    }
    const size_t part = nbytes < 64 - held ? nbytes : 64 - held;
    memcpy(d->held + held, at, part);
    d->nbytes += part;
    at += part; nbytes -= part;
  }
}
// A text with its end: what follows cannot be taken for a part of it.
static void tn_digest_add_text(tn_digester *d, const char *text) { tn_digest_add(d, text, strlen(text) + 1); }
#ifndef TINY_NO_IO
// Its 32 bytes, as RFC 7693 has them.
static void tn_digest_bytes(const tn_digest *d, unsigned char *out) {
  for (int i = 0; i < 32; i++) out[i] = (unsigned char)(d->word[i / 4] >> 8 * (i % 4));
}
#endif

static tn_digest tn_digest_close(tn_digester *d) {
  tn_digest out;
  tn_digest_block(d, d->held, 1);
  memcpy(out.word, d->h, sizeof out.word);
  return out;
}

static int tn_digest_same(const tn_digest *a, const tn_digest *b) { return !memcmp(a, b, sizeof *a); }
// Its first 64 bits, to be shown.
static uint64_t tn_digest_head(const tn_digest *d) { return (uint64_t)d->word[0] << 32 | d->word[1]; }

enum { TN_DIGEST_TEXT = 65 };              // 64 hexadecimal digits and a 0
static const char *tn_digest_print(const tn_digest *d, char *out) {
  for (int i = 0; i < 32; i++) snprintf(out + 2 * i, 3, "%02x", (unsigned)(d->word[i / 4] >> 8 * (i % 4) & 255));
  return out;
}

// ** a map **

typedef struct tn_map_row { const void *key; void *value; } tn_map_row;
typedef struct tn_map { tn_map_row *row; int n, cap; } tn_map;

static tn_map_row *tn_map_find(const tn_map *m, const void *key) {
  // Fibonacci hashing (Knuth, The Art of Computer Programming, vol. 3, 6.4): the product's high bits
  int i = (int)((uint64_t)(uintptr_t)key * 0x9E3779B97F4A7C15u >> 32 & (unsigned)(m->cap - 1));
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
  const uint64_t mixed =
      (uint64_t)(uintptr_t)a * 0x9E3779B97F4A7C15ull ^ (uint64_t)(uintptr_t)b * 0xC2B2AE3D27D4EB4Full;
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
