// deflate: compression by DEFLATE (RFC 1951): one block of the fixed codes, matches by hash chains.
//
// In:  bytes. Out: a stream that unpacks to them, at most an eighth longer than they are.
#ifndef TN_IO_DEFLATE
#define TN_IO_DEFLATE
#ifndef TINY_AMALGAMATED
#include "inflate.c"
#endif

enum { TN_MATCH_LEAST = 3, TN_MATCH_MOST = 258, TN_DEFLATE_WINDOW = 32768, TN_CHAIN_LINKS = 24 };

typedef struct tn_deflate {
  unsigned char *out; size_t put;
  uint64_t bits; int nbits;                // not written yet; the first one is the lowest
  uint32_t head[TN_DEFLATE_WINDOW];        // places modulo 2^32: the last of a hash
  uint32_t link[TN_DEFLATE_WINDOW];        // and the one before each
} tn_deflate;

// Bytes that n may take.
static size_t tn_deflate_most(size_t n) { return n + n / 8 + 16; }

static void tn_deflate_bits(tn_deflate *z, unsigned v, int n) {
  z->bits |= (uint64_t)v << z->nbits;
  z->nbits += n;
  for (; z->nbits >= 8; z->nbits -= 8, z->bits >>= 8) z->out[z->put++] = (unsigned char)z->bits;
}
// Codes come highest bit first.
static void tn_deflate_code(tn_deflate *z, unsigned code, int n) {
  unsigned turned = 0;
  for (int i = 0; i < n; i++) turned |= (code >> i & 1) << (n - 1 - i);
  tn_deflate_bits(z, turned, n);
}
// RFC 1951, 3.2.6.
static void tn_deflate_symbol(tn_deflate *z, unsigned s) {
  if (s < 144) tn_deflate_code(z, 0x30 + s, 8);
  else if (s < 256) tn_deflate_code(z, 0x190 + s - 144, 9);
  else if (s < 280) tn_deflate_code(z, s - 256, 7);
  else tn_deflate_code(z, 0xC0 + s - 280, 8);
}
static void tn_deflate_match(tn_deflate *z, size_t length, size_t distance) {
  unsigned l = 28, d = 29;
  while (tn_length_base[l] > length) l--;
  while (tn_distance_base[d] > distance) d--;
  tn_deflate_symbol(z, 257 + l);
  tn_deflate_bits(z, (unsigned)(length - tn_length_base[l]), tn_length_bits[l]);
  tn_deflate_code(z, d, 5);
  tn_deflate_bits(z, (unsigned)(distance - tn_distance_base[d]), tn_distance_bits[d]);
}

// Notes place `at`, of whose bytes three are there, and gives the last place of the same hash.
static uint32_t tn_deflate_note(tn_deflate *z, const unsigned char *in, size_t at) {
  const uint32_t hash = ((uint32_t)in[at] | (uint32_t)in[at + 1] << 8 | (uint32_t)in[at + 2] << 16) * 0x9E3779B1u >> 17;
  const uint32_t last = z->head[hash];
  z->link[at % TN_DEFLATE_WINDOW] = last;
  z->head[hash] = (uint32_t)at;
  return last;
}
// The longest match for what begins at `at`; its length, 0: none.
static size_t tn_deflate_find(const tn_deflate *z, const unsigned char *in, size_t n, size_t at, uint32_t place,
                              size_t *distance) {
  const size_t most = n - at < TN_MATCH_MOST ? n - at : (size_t)TN_MATCH_MOST;
  size_t best = TN_MATCH_LEAST - 1, before = 0;
  for (int links = 0; links < TN_CHAIN_LINKS && best < most; links++) {
    const size_t back = (uint32_t)at - place;              // a place that was overwritten is too near, or too far
    if (back <= before || back > at || back > TN_DEFLATE_WINDOW) break;
    size_t same = 0;
    while (same < most && in[at - back + same] == in[at + same]) same++;
    if (same > best) { best = same; *distance = back; }
    before = back;
    place = z->link[(at - back) % TN_DEFLATE_WINDOW];
  }
  return best >= TN_MATCH_LEAST ? best : 0;
}

// Packs n bytes into out, which has room for tn_deflate_most(n); how many it took.
static size_t tn_deflate_run(tn_deflate *z, const void *data, size_t n, void *out) {
  const unsigned char *in = (const unsigned char *)data;
  memset(z, 0, sizeof *z);
  z->out = (unsigned char *)out;
  tn_deflate_bits(z, 3, 3);                // the last block, fixed codes
  for (size_t at = 0; at < n;) {
    size_t distance = 0, length = 0;
    if (n - at >= TN_MATCH_LEAST) length = tn_deflate_find(z, in, n, at, tn_deflate_note(z, in, at), &distance);
    if (length) tn_deflate_match(z, length, distance); else tn_deflate_symbol(z, in[at]);
    const size_t end = at + (length ? length : 1);
    while (++at < end) if (n - at >= TN_MATCH_LEAST) tn_deflate_note(z, in, at);
  }
  tn_deflate_symbol(z, 256);
  tn_deflate_bits(z, 0, 7);                // the rest of the last byte
  return z->put;
}

// RFC 1950, 8.2.
static uint32_t tn_adler(const void *data, size_t n) {
  const unsigned char *p = (const unsigned char *)data;
  uint32_t a = 1, b = 0;
  while (n) {
    const size_t some = n < 5552 ? n : 5552; // so that b does not overflow
    for (size_t i = 0; i < some; i++) { a += p[i]; b += a; }
    a %= 65521; b %= 65521;
    p += some; n -= some;
  }
  return b << 16 | a;
}
#endif
