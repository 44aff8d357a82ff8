// inflate: decompression of DEFLATE (RFC 1951), and CRC-32, for the entries of .npz files.
//
// In:  compressed bytes and the exact number of bytes that they stand for. Out: those bytes; or what is wrong, and
//      at which byte. Nothing is read or written outside of the two, whatever the input.
#ifndef TN_IO_INFLATE
#define TN_IO_INFLATE
#ifndef TINY_AMALGAMATED
#include "npy.c"
#endif

// ISO 3309's polynomial, reflected, as RFC 1952 section 8 has it; eight tables take eight bytes at once (Kounavis and
// Berry, "A systematic approach to building high performance software-based CRC generators", 2005).
typedef struct tn_crc { uint32_t table[8][256]; } tn_crc;

static void tn_crc_open(tn_crc *c) {
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t r = i;
    for (int bit = 0; bit < 8; bit++) r = r & 1 ? r >> 1 ^ 0xEDB88320u : r >> 1;
    c->table[0][i] = r;
  }
  for (int k = 1; k < 8; k++)
    for (int i = 0; i < 256; i++)
      c->table[k][i] = c->table[k - 1][i] >> 8 ^ c->table[0][c->table[k - 1][i] & 255];
}
static uint32_t tn_crc_of(const tn_crc *c, uint32_t crc, const void *data, size_t nbytes) {
  const unsigned char *p = (const unsigned char *)data;
  crc = ~crc;
  for (; nbytes >= 8; p += 8, nbytes -= 8) {
    const uint32_t low = crc ^ (uint32_t)tn_little(p, 4);
    crc = c->table[7][low & 255] ^ c->table[6][low >> 8 & 255] ^ c->table[5][low >> 16 & 255] ^
          c->table[4][low >> 24] ^ c->table[3][p[4]] ^ c->table[2][p[5]] ^ c->table[1][p[6]] ^
          c->table[0][p[7]];
  }
  for (; nbytes; p++, nbytes--) crc = crc >> 8 ^ c->table[0][(crc ^ *p) & 255];
  return ~crc;
}

enum { TN_FAST_BITS = 10, TN_CODE_BITS = 15, TN_SYMBOLS = 288 };
enum { TN_INFLATE_MOST = 1032 };           // bytes that a byte can stand for: 258 by two bits

// A canonical prefix code: codes of up to TN_FAST_BITS are looked up, longer ones are walked bit by bit.
typedef struct tn_prefix {
  uint16_t fast[1 << TN_FAST_BITS];        // symbol << 4 | length; 0: longer, or no code
  uint16_t count[TN_CODE_BITS + 1], symbol[TN_SYMBOLS];      // codes of a length; symbols by length, then number
} tn_prefix;

typedef struct tn_inflate {
  const unsigned char *in; size_t nin, at;
  unsigned char *head, *out; size_t nhead, nout, put;      // the first nhead of nout bytes go to head, others to out
  uint64_t bits; int nbits;                // taken from in, not used yet; the next one is the lowest
  const char *wrong;
  tn_prefix literal, distance;
} tn_inflate;

static const char tn_inflate_more[] = "more data than there should be";
static const char tn_inflate_less[] = "less data than there should be";

static int tn_inflate_fail(tn_inflate *z, const char *wrong) {
  if (!z->wrong) z->wrong = wrong;
  return 0;
}
// Where byte i of what is unpacked lies.
static unsigned char *tn_inflate_byte(const tn_inflate *z, size_t i) {
  return i < z->nhead ? z->head + i : z->out + (i - z->nhead);
}
// At least 15 bits where the input has them.
static void tn_inflate_fill(tn_inflate *z) {
  while (z->nbits <= 56 && z->at < z->nin) {
    z->bits |= (uint64_t)z->in[z->at++] << z->nbits;
    z->nbits += 8;
  }
}
static void tn_inflate_drop(tn_inflate *z, int n) { z->bits >>= n; z->nbits -= n; }
// n <= 16 bits; 0 and an error when the input ends.
static unsigned tn_inflate_bits(tn_inflate *z, int n) {
  tn_inflate_fill(z);
  if (z->nbits < n) return (unsigned)tn_inflate_fail(z, "the data ends early");
  const unsigned v = (unsigned)(z->bits & ((1u << n) - 1));
  tn_inflate_drop(z, n);
  return v;
}

// Codes from lengths. Every string of bits must be a code, unless there is at most one of one bit (RFC 1951, 3.2.7).
static int tn_prefix_build(tn_prefix *p, const uint8_t *length, int n) {
  unsigned code = 0, at[TN_CODE_BITS + 2] = {0}, first[TN_CODE_BITS + 1];
  int left = 1;
  memset(p, 0, sizeof *p);
  for (int i = 0; i < n; i++) p->count[length[i]]++;
  const int used = n - p->count[0];
  p->count[0] = 0;
  for (int b = 1; b <= TN_CODE_BITS; b++) {
    left = left * 2 - p->count[b];
    if (left < 0) return 0;
    code = (code + p->count[b - 1]) << 1;
    first[b] = code;
    at[b + 1] = at[b] + p->count[b];
  }
  if (left && !(used == 0 || (used == 1 && p->count[1] == 1))) return 0;
  for (int i = 0; i < n; i++) {
    const int b = length[i];
    if (!b) continue;
    p->symbol[at[b]++] = (uint16_t)i;
    const unsigned c = first[b]++;
    if (b > TN_FAST_BITS) continue;
    unsigned turned = 0;                   // codes come highest bit first
    for (int k = 0; k < b; k++) turned |= (c >> k & 1) << (b - 1 - k);
    for (; turned < 1u << TN_FAST_BITS; turned += 1u << b) p->fast[turned] = (uint16_t)(i << 4 | b);
  }
  return 1;
}

// The next symbol; -1 after an error.
static int tn_inflate_symbol(tn_inflate *z, const tn_prefix *p) {
  tn_inflate_fill(z);
  const unsigned fast = p->fast[z->bits & ((1u << TN_FAST_BITS) - 1)];
  if (fast && (int)(fast & 15) <= z->nbits) {
    tn_inflate_drop(z, (int)(fast & 15));
    return (int)(fast >> 4);
  }
  int code = 0, first = 0, index = 0;
  for (int b = 1; b <= TN_CODE_BITS && b <= z->nbits; b++) {
    code |= (int)(z->bits >> (b - 1) & 1);
    const int count = p->count[b];
    if (code - count < first) {
      tn_inflate_drop(z, b);
      return p->symbol[index + (code - first)];
    }
    index += count;
    first = (first + count) << 1;
    code <<= 1;
  }
  tn_inflate_fail(z, z->nbits < TN_CODE_BITS ? "the data ends early" : "a code that has no meaning");
  return -1;
}

static int tn_inflate_stored(tn_inflate *z) {
  tn_inflate_drop(z, z->nbits & 7);
  z->at -= (size_t)(z->nbits / 8);         // whole bytes go back
  z->bits = 0; z->nbits = 0;
  if (z->nin - z->at < 4) return tn_inflate_fail(z, "the data ends early");
  const size_t n = (size_t)tn_little(z->in + z->at, 2);
  if ((n ^ tn_little(z->in + z->at + 2, 2)) != 0xFFFF)
    return tn_inflate_fail(z, "a block's length and its complement differ");
  z->at += 4;
  if (z->nin - z->at < n) return tn_inflate_fail(z, "the data ends early");
  const size_t fits = z->nout - z->put < n ? z->nout - z->put : n;
  const size_t low = z->put < z->nhead ? (z->nhead - z->put < fits ? z->nhead - z->put : fits) : 0;
  if (low) memcpy(z->head + z->put, z->in + z->at, low);
  if (fits > low) memcpy(tn_inflate_byte(z, z->put + low), z->in + z->at + low, fits - low);
  z->at += n; z->put += fits;
  return fits == n ? 1 : tn_inflate_fail(z, tn_inflate_more);
}

// RFC 1951, 3.2.5: least value and extra bits of the symbols for lengths and distances.
static const uint16_t tn_length_base[29] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                            31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
static const uint8_t tn_length_bits[29] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                           2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
static const uint16_t tn_distance_base[30] = {1,   2,   3,   4,   5,   7,    9,    13,   17,   25,
                                              33,  49,  65,  97,  129, 193,  257,  385,  513,  769,
                                              1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
static const uint8_t tn_distance_bits[30] = {0, 0, 0, 0, 1, 1, 2, 2,  3,  3,  4,  4,  5,  5,  6,
                                             6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13};

static int tn_inflate_copy(tn_inflate *z, int symbol) {
  if (symbol > 285) return tn_inflate_fail(z, "a length that has no meaning");
  const size_t n = tn_length_base[symbol - 257] + tn_inflate_bits(z, tn_length_bits[symbol - 257]);
  const int d = tn_inflate_symbol(z, &z->distance);
  if (d < 0) return 0;
  if (d > 29) return tn_inflate_fail(z, "a distance that has no meaning");
  const size_t back = tn_distance_base[d] + tn_inflate_bits(z, tn_distance_bits[d]);
  if (z->wrong) return 0;
  if (back > z->put) return tn_inflate_fail(z, "a distance beyond the beginning");
  const size_t fits = z->nout - z->put < n ? z->nout - z->put : n;
  if (z->put - back >= z->nhead) {
    unsigned char *to = z->out + (z->put - z->nhead);
    for (size_t i = 0; i < fits; i++) to[i] = (to - back)[i];
    z->put += fits;
  } else for (size_t i = 0; i < fits; i++, z->put++) *tn_inflate_byte(z, z->put) = *tn_inflate_byte(z, z->put - back);
  return fits == n ? 1 : tn_inflate_fail(z, tn_inflate_more);
}
static int tn_inflate_codes(tn_inflate *z) {
  for (;;) {
    const int symbol = tn_inflate_symbol(z, &z->literal);
    if (symbol < 0) return 0;
    if (symbol == 256) return 1;
    if (symbol > 256) { if (!tn_inflate_copy(z, symbol)) return 0; continue; }
    if (z->put == z->nout) return tn_inflate_fail(z, tn_inflate_more);
    *tn_inflate_byte(z, z->put++) = (unsigned char)symbol;
  }
}

static int tn_inflate_fixed(tn_inflate *z) {
  uint8_t length[TN_SYMBOLS];
  for (int i = 0; i < TN_SYMBOLS; i++) length[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
  tn_prefix_build(&z->literal, length, TN_SYMBOLS);
  memset(length, 5, 32);
  tn_prefix_build(&z->distance, length, 32);
  return tn_inflate_codes(z);
}

// The lengths of both codes, themselves coded: RFC 1951, 3.2.7.
static int tn_inflate_lengths(tn_inflate *z, uint8_t *length, int n) {
  for (int at = 0; at < n;) {
    const int symbol = tn_inflate_symbol(z, &z->literal);
    if (symbol < 0) return 0;
    if (symbol < 16) { length[at++] = (uint8_t)symbol; continue; }
    if (symbol == 16 && !at) return tn_inflate_fail(z, "a repeated length without one before it");
    const uint8_t value = symbol == 16 ? length[at - 1] : 0;
    int times = symbol == 16  ? 3 + (int)tn_inflate_bits(z, 2) :
        symbol == 17 ? 3 + (int)tn_inflate_bits(z, 3) :
                       11 + (int)tn_inflate_bits(z, 7);
    if (z->wrong) return 0;
    if (times > n - at) return tn_inflate_fail(z, "more lengths than symbols");
    while (times--) length[at++] = value;
  }
  return 1;
}
static int tn_inflate_dynamic(tn_inflate *z) {
  static const uint8_t order[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
  uint8_t length[TN_SYMBOLS + 32] = {0};
  const int nliteral = 257 + (int)tn_inflate_bits(z, 5), ndistance = 1 + (int)tn_inflate_bits(z, 5),
            nlength = 4 + (int)tn_inflate_bits(z, 4);
  if (nliteral > 286 || ndistance > 30) return tn_inflate_fail(z, "too many symbols");
  for (int i = 0; i < nlength; i++) length[order[i]] = (uint8_t)tn_inflate_bits(z, 3);
  if (z->wrong) return 0;
  if (!tn_prefix_build(&z->literal, length, 19)) return tn_inflate_fail(z, "lengths that make no code");
  if (!tn_inflate_lengths(z, length, nliteral + ndistance)) return 0;
  if (!length[256]) return tn_inflate_fail(z, "no code for the end of the block");
  if (!tn_prefix_build(&z->literal, length, nliteral) ||
      !tn_prefix_build(&z->distance, length + nliteral, ndistance))
    return tn_inflate_fail(z, "lengths that make no code");
  return tn_inflate_codes(z);
}

// Unpacks in to exactly nhead bytes at head and nout at out. NULL: done; else what is wrong, near byte *at of in.
static const char *tn_inflate_split(tn_inflate *z, const void *in, size_t nin, void *head, size_t nhead, void *out,
                                    size_t nout, size_t *at) {
  z->in = (const unsigned char *)in; z->nin = nin; z->at = 0;
  z->head = (unsigned char *)head; z->nhead = nhead;
  z->out = (unsigned char *)out; z->nout = nhead + nout; z->put = 0;
  z->bits = 0; z->nbits = 0; z->wrong = NULL;
  for (unsigned last = 0; !last && !z->wrong;) {
    last = tn_inflate_bits(z, 1);
    const unsigned kind = tn_inflate_bits(z, 2);
    if (z->wrong) break;
    if (kind == 0) tn_inflate_stored(z);
    else if (kind == 1) tn_inflate_fixed(z);
    else if (kind == 2) tn_inflate_dynamic(z);
    else tn_inflate_fail(z, "a block of no known kind");
  }
  *at = z->at - (size_t)(z->nbits / 8);
  if (!z->wrong && z->put != z->nout) tn_inflate_fail(z, tn_inflate_less);
  if (!z->wrong && *at != nin) tn_inflate_fail(z, "bytes after the last block");
  return z->wrong;
}
static const char *tn_inflate_run(tn_inflate *z, const void *in, size_t nin, void *out, size_t nout, size_t *at) {
  return tn_inflate_split(z, in, nin, NULL, 0, out, nout, at);
}
// The first nout bytes, or all if there are fewer: *got. What comes after them is not looked at.
static const char *tn_inflate_first(tn_inflate *z, const void *in, size_t nin, void *out, size_t nout, size_t *got,
                                    size_t *at) {
  const char *wrong = tn_inflate_run(z, in, nin, out, nout, at);
  *got = z->put;
  return z->put == nout || wrong == tn_inflate_less ? NULL : wrong;
}
#endif
