// test_unpack: a compressed array takes the memory of the array, once, and is refused before any of that is taken when
// it does not fit: a small file may claim a thousand times its size.
#include "../src/all.c"
#include "test.h"

enum { MEGABYTES = 64, ELEMENTS = MEGABYTES << 18, HEAD = 128 };

static size_t live, peak;
static void *counted(void *user, void *ptr, size_t old_nbytes, size_t new_nbytes) {
  (void)user;
  void *p = new_nbytes ? realloc(ptr, new_nbytes) : NULL;
  if (!new_nbytes) free(ptr);
  if (new_nbytes && !p) return NULL;
  live += new_nbytes - old_nbytes;
  if (live > peak) peak = live;
  return p;
}

// Bits of a deflated block, the lowest of a byte first.
static unsigned char *zip;
static size_t nzip, nbit;
static void put(uint64_t v, int nbytes) { tn_put_little(zip + nzip, v, nbytes); nzip += (size_t)nbytes; }
static void bits(unsigned v, int n) {
  for (int i = 0; i < n; i++, nbit++) {
    if (nbit % 8 == 0) zip[nzip++] = 0;
    zip[nzip - 1] = (unsigned char)(zip[nzip - 1] | (v >> i & 1) << nbit % 8);
  }
}
// A byte in the fixed code of RFC 1951, 3.2.6, whose codes begin with their highest bit.
static void literal(unsigned byte) {
  const unsigned code = byte < 144 ? 0x30 + byte : 0x190 + byte - 144;
  for (int i = byte < 144 ? 7 : 8; i >= 0; i--) bits(code >> i & 1, 1);
}

// An archive with one array of zeros, `a` of `descr`, whose header tells `shape`.
static void make_zip(const char *descr, const char *shape, size_t nbytes, uint32_t crc) {
  char head[HEAD + 1];
  const size_t whole = HEAD + nbytes;
  memset(head, ' ', sizeof head);
  memcpy(head, "\x93NUMPY\1\0", 8);
  tn_put_little((unsigned char *)head + 8, HEAD - 10, 2);
  const int n = snprintf(head + 10, HEAD - 10, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr, shape);
  head[10 + n] = ' ';
  head[HEAD - 1] = '\n';
  nzip = nbit = 0;
  for (int central = 0, local = 0; central < 2; central++) {
    static size_t packed, data;
    if (central) local = (int)nzip;
    put(central ? 0x02014B50 : 0x04034B50, 4);
    if (central) put(20, 2);
    put(20, 2); put(0, 2); put(8, 2); put(0, 4); put(crc, 4);
    const size_t sizes = nzip;
    put(packed, 4); put(whole, 4); put(5, 2); put(0, 2);
    if (central) { put(0, 2); put(0, 2); put(0, 2); put(0, 4); put(0, 4); }
    memcpy(zip + nzip, "a.npy", 5); nzip += 5;
    if (!central) {
      data = nzip;
      bits(1, 1); bits(1, 2);
      for (int i = 0; i < HEAD; i++) literal((unsigned char)head[i]);
      size_t left = nbytes;
      if (left) { literal(0); left--; }
      for (; left >= 258; left -= 258) { bits(0xA3, 8); bits(0, 5); }    // 258 bytes (symbol 285), from 1 byte back
      while (left--) literal(0);
      bits(0, 7);
      packed = nzip - data;
      tn_put_little(zip + sizes, packed, 4);
      continue;
    }
    const size_t end = nzip;
    put(0x06054B50, 4); put(0, 4); put(1, 2); put(1, 2); put(end - (size_t)local, 4); put((uint64_t)local, 4); put(0, 2);
  }
}

static tiny_tensor *load(tiny_ctx *t) {
  tiny_archive *a = tiny_archive_from(t, zip, nzip);
  tiny_tensor *x = a ? tiny_archive_get(a, "a") : NULL;
  tiny_archive_close(a);
  return x;
}
static uint32_t crc_of(const char *descr, const char *shape, size_t nbytes) {
  static tn_inflate z;
  tn_crc crc;
  size_t at;
  tn_crc_open(&crc);
  make_zip(descr, shape, nbytes, 0);
  unsigned char *whole = (unsigned char *)malloc(HEAD + nbytes);
  CHECK(!tn_inflate_run(&z, zip + 35, nzip - 35 - 22 - 51, whole, HEAD + nbytes, &at));
  const uint32_t sum = tn_crc_of(&crc, 0, whole, HEAD + nbytes);
  free(whole);
  return sum;
}

int main(void) {
  char shape[40];
  zip = (unsigned char *)malloc(1 << 20);
  snprintf(shape, sizeof shape, "(%d,)", ELEMENTS);
  const uint32_t crc[2] = {crc_of("<f4", shape, (size_t)ELEMENTS * 4), crc_of(">f4", shape, (size_t)ELEMENTS * 4)};
  for (int device = 0; device < 2; device++) for (int swapped = 0; swapped < 2; swapped++) {
    tiny_desc d;
    memset(&d, 0, sizeof d);
    d.device = device ? "CPU" : "INTERP"; d.alloc.fn = counted; d.cache_dir = "";
    const char *descr = swapped ? ">f4" : "<f4";
    make_zip(descr, shape, (size_t)ELEMENTS * 4, crc[swapped]);
    tiny_ctx *t = tiny_open(&d);
    peak = live;
    const size_t before = live;
    tiny_tensor *x = load(t);
    CHECK_STR(tiny_error(t), "");
    CHECK_EQ(tiny_nelem_of(x), ELEMENTS);
    const size_t buffers = (size_t)tiny_stats_of(t).nbytes_live;
    CHECK(buffers >= (size_t)ELEMENTS * 4 && buffers < (size_t)ELEMENTS * 4 * 17 / 16);
    CHECK(peak - before < buffers + (1 << 18));              // and where big buffers come from the system: far less
    tiny_close(t);
    CHECK_EQ(live, 0);

    d.max_nbytes = 1 << 20;                                  // refused, and before anything is unpacked
    t = tiny_open(&d);
    peak = live;
    const size_t capped = live;
    CHECK(!tiny_ok(load(t)));
    CHECK_EQ(tiny_status(t), TINY_E_MEMORY);
    CHECK(peak - capped < 1 << 19);
    tiny_close(t);
    CHECK_EQ(live, 0);
  }
  tiny_ctx *t = tiny_open(NULL);           // another length than the shape's; a wrong checksum; bools that are none
  make_zip("<f4", "(5,)", 24, 0);
  CHECK(!tiny_ok(load(t)) && strstr(tiny_error(t), "24 bytes, but 5 elements of f32 take 20"));
  tiny_clear(t);
  make_zip("<f4", "(6,)", 24, 1);
  CHECK(!tiny_ok(load(t)) && strstr(tiny_error(t), "checksum: 'a' is damaged"));
  tiny_close(t);
  free(zip);
  return test_report();
}
