// test_qmd: launch descriptors of NVIDIA GPUs (src/nv/qmd.c): each field stands where NVIDIA's headers have it, none
// over another; what is written is read back and changes nothing else.
#include "../src/all.c"
#include "../src/nv/qmd.c"
#include "test.h"
#include "nv_qmd_fields.h"

static const char *const versions[] = {"02_03", "03_00", "04_00", "04_01", "05_00"};
enum { FACTS = sizeof qmd_facts / sizeof *qmd_facts };

// What was set, less the bits that were shifted out.
static uint64_t get_at(const uint32_t *q, tn_qmd_version v, tn_qmd_field f, int i) {
  const tn_qmd_bits b = tn_qmd_rows[f].of[v];
  uint64_t value = 0;
  for (unsigned k = 0; k < b.n; k++) {
    const unsigned at = tn_qmd_lo(b, i) + k;
    value |= (uint64_t)(q[at / 32] >> at % 32 & 1) << k;
  }
  return value << b.shift;
}
// How many of a field there are: banks, releases, or one.
static int several(int f, int v) {
  if (!tn_qmd_rows[f].of[v].stride) return 1;
  return strncmp(tn_qmd_rows[f].name, "RELEASE", 7) ? 8 : 3;
}
static unsigned shift_of(const char *theirs) {
  const char *at = strstr(theirs, "SHIFTED");
  return !at ? 0 : at[7] ? (unsigned)(at[7] - '0') : 8;
}
static void positions(void) {
  int known = 0;
  for (int n = 0; n < FACTS; n++) {
    const struct qmd_fact *x = &qmd_facts[n];
    int v = 0, f = 0;
    while (strcmp(versions[v], x->version)) v++;
    while (f < TN_QMD_FIELD_COUNT && strcmp(tn_qmd_rows[f].name, x->name)) f++;
    CHECK(f < TN_QMD_FIELD_COUNT);
    if (f == TN_QMD_FIELD_COUNT) continue;
    const tn_qmd_bits b = tn_qmd_rows[f].of[v];
    CHECK_EQ((int)tn_qmd_lo(b, x->i), x->lo);
    CHECK_EQ(b.n, x->hi - x->lo + 1);
    if (test_shown()) fprintf(stderr, "    %s %s\n", x->version, x->name);
    if (!strstr(x->name, "UPPER") && !strstr(x->name, "POINTER")) CHECK_EQ(b.shift, shift_of(x->theirs));
    known++;
  }
  CHECK(known > 300);
  for (int v = 0; v < TN_QMD_VERSIONS; v++) for (int f = 0; f < TN_QMD_FIELD_COUNT; f++) {      // none is unknown
    int facts = 0;
    for (int n = 0; n < FACTS; n++)
      facts += !strcmp(qmd_facts[n].version, versions[v]) && !strcmp(qmd_facts[n].name, tn_qmd_rows[f].name);
    CHECK((facts > 0) == (tn_qmd_rows[f].of[v].n != 0));
    if (test_shown()) fprintf(stderr, "    %s %s: %d\n", versions[v], tn_qmd_rows[f].name, facts);
  }
}
static void apart(int version) {
  const tn_qmd_version v = (tn_qmd_version)version;
  static const char *owner[TN_QMD_WORDS * 32];
  memset(owner, 0, sizeof owner);
  for (int f = 0; f < TN_QMD_FIELD_COUNT; f++) for (int i = 0; i < several(f, version); i++) {
    const tn_qmd_bits b = tn_qmd_rows[f].of[v];
    for (int k = 0; k < b.n; k++) {
      const int at = (int)tn_qmd_lo(b, i) + k;
      CHECK(at < (int)tn_qmd_nbytes(v) * 8 && !owner[at]);
      if (owner[at]) fprintf(stderr, "    %s: bit %d is %s and %s\n", versions[v], at, owner[at], tn_qmd_rows[f].name);
      owner[at] = tn_qmd_rows[f].name;
    }
  }
}
static void there_and_back(int version) {
  const tn_qmd_version v = (tn_qmd_version)version;
  static uint32_t q[TN_QMD_WORDS], was[TN_QMD_WORDS];
  uint64_t seed = 12345;
  for (int f = 0; f < TN_QMD_FIELD_COUNT; f++) for (int i = 0; i < several(f, version); i++) {
    const tn_qmd_bits b = tn_qmd_rows[f].of[v];
    for (int fill = 0; fill < 3; fill++) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      memset(q, fill == 1 ? 255 : 0, sizeof q);
      memcpy(was, q, sizeof q);
      const uint64_t mask = b.n ? (UINT64_C(1) << b.n) - 1 : 0, value = fill == 1 ? 0 : fill ? seed >> 20 & mask : mask;
      tn_qmd_set_at(q, v, (tn_qmd_field)f, i, value << b.shift);
      CHECK_EQ(get_at(q, v, (tn_qmd_field)f, i), value << b.shift);
      int changed = 0, outside = 0;
      for (int at = 0; at < TN_QMD_WORDS * 32; at++) {
        const int differs = ((q[at / 32] ^ was[at / 32]) >> at % 32 & 1) != 0;
        changed += differs;
        outside += differs && (at < (int)tn_qmd_lo(b, i) || at >= (int)tn_qmd_lo(b, i) + b.n);
      }
      CHECK(!outside && (fill == 2 || changed == b.n));
    }
  }
}
// An address of 49 bits, and more: what its two halves say together.
static void addresses(tn_qmd_version v) {
  static uint32_t q[TN_QMD_WORDS];
  const uint64_t address = UINT64_C(0x1234567898700);
  memset(q, 0, sizeof q);
  tn_qmd_set_address(q, v, TN_QMD_PROGRAM_ADDRESS_LOWER, 0, address);
  tn_qmd_set_bank(q, v, 3, address, 100);
  const unsigned up = 32 + tn_qmd_rows[TN_QMD_PROGRAM_ADDRESS_LOWER].of[v].shift,
                 bank = 32 + tn_qmd_rows[TN_QMD_CONSTANT_BUFFER_ADDR_LOWER].of[v].shift;
  CHECK_EQ(get_at(q, v, TN_QMD_PROGRAM_ADDRESS_UPPER, 0) << up |
           get_at(q, v, TN_QMD_PROGRAM_ADDRESS_LOWER, 0), address);
  CHECK_EQ(get_at(q, v, TN_QMD_CONSTANT_BUFFER_ADDR_UPPER, 3) << bank |
           get_at(q, v, TN_QMD_CONSTANT_BUFFER_ADDR_LOWER, 3), address);
  CHECK_EQ(get_at(q, v, TN_QMD_CONSTANT_BUFFER_SIZE, 3), 112);
  CHECK_EQ(get_at(q, v, TN_QMD_CONSTANT_BUFFER_VALID, 3), 1);
  CHECK_EQ(get_at(q, v, TN_QMD_CONSTANT_BUFFER_VALID, 2), 0);
}

int main(void) {
  positions();
  for (int v = 0; v < TN_QMD_VERSIONS; v++) {
    apart(v);
    there_and_back(v);
    addresses((tn_qmd_version)v);
  }
  return test_report();
}
