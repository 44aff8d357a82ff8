// test_cubin: what src/nv/cubin.c reads of cubins, beside what ptxas itself says of them: files that are checked in,
// and where ptxas is, the same kernels for each target; cubins that are cut, changed, or of something else.
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif
#include "../src/all.c"
#include "../src/nv/cubin.c"
#include "test.h"

#define PTXAS "/usr/local/cuda/bin/ptxas"
enum { MOST = 1 << 16 };
typedef struct file { uint8_t data[MOST]; size_t nbytes; } file;

static int file_read(file *f, const char *path) {
  FILE *in = fopen(path, "rb");
  f->nbytes = in ? fread(f->data, 1, sizeof f->data, in) : 0;
  if (in) fclose(in);
  return f->nbytes > 0;
}
static int kernel_named(const tn_cubin *c, const char *name, tn_cubin_kernel *k) {
  tn_cubin_symbol s;
  for (int i = 0; tn_cubin_next_entry(c, &i, &s); ) {
    const char *wrong = tn_cubin_kernel_of(c, i - 1, k);
    if (wrong) fprintf(stderr, "    %s: %s\n", s.name, wrong);
    if (!wrong && !strcmp(k->name, name)) return 1;
  }
  return 0;
}

// ** what ptxas -v says: "Function properties for meets", "Used 12 registers, used 4 barriers, 1024 bytes smem" **

typedef struct said { unsigned registers, barriers, shared, stack; } said;
static unsigned number_before(const char *line, const char *word) {
  const char *at = strstr(line, word);
  unsigned n = 0, tens = 1;
  for (at = at ? at : line; at > line && at[-1] >= '0' && at[-1] <= '9'; at--) {
    n += tens * (unsigned)(at[-1] - '0');
    tens *= 10;
  }
  return n;
}
// of[0]: plain, of[1]: meets. 0: ptxas did not take it.
static int ptxas_says(const char *target, const char *out, said of[2]) {
  char command[400], line[400];
  int now = -1, heard = 0;
  memset(of, 0, 2 * sizeof *of);
  snprintf(command, sizeof command, PTXAS " -v -arch=%s tests/corpus/cubin/two.ptx -o %s 2>&1", target, out);
  FILE *in = popen(command, "r");
  while (in && fgets(line, sizeof line, in)) {
    if (strstr(line, "properties for")) now = strstr(line, "meets") != NULL;
    if (now >= 0 && strstr(line, "bytes stack frame")) of[now].stack = number_before(line, " bytes stack frame");
    if (now < 0 || !strstr(line, "registers")) continue;
    of[now].registers = number_before(line, " registers");
    of[now].barriers = number_before(line, " barriers");
    of[now].shared = number_before(line, " bytes smem");
    heard++;
  }
  return in && pclose(in) == 0 && heard == 2;
}
static void as_said(const tn_cubin *c, const said of[2]) {
  const char *const names[] = {"plain", "meets"};
  for (int i = 0; i < 2; i++) {
    tn_cubin_kernel k;
    const int there = kernel_named(c, names[i], &k);
    CHECK(there);
    if (!there) continue;
    CHECK_EQ(k.registers, of[i].registers);
    CHECK_EQ(k.barriers, of[i].barriers);
    CHECK_EQ(k.frame, of[i].stack);
    CHECK(k.stack >= k.frame);
    CHECK_EQ(k.shared - (c->sm >= 90 ? 0x400 : 0), of[i].shared);
  }
}

// ** what else stands there: of two.ptx **

static void as_written(const tn_cubin *c, int sm) {
  const uint32_t base = sm >= 100 ? 0x380 : sm >= 90 ? 0x210 : 0x160;
  static const tn_cubin_param wanted[] = {{0, 8}, {8, 8}, {16, 4}, {20, 4}};
  tn_cubin_kernel k;
  tn_cubin_param p;
  CHECK_EQ(c->sm, sm);
  CHECK(tn_cubin_has_symbol(c, "tiny_values") && !tn_cubin_has_symbol(c, "tiny_value"));
  const int plain = kernel_named(c, "plain", &k);
  CHECK(plain);
  if (!plain) return;
  CHECK_EQ(k.param_base, base); CHECK_EQ(k.param_nbytes, 24); CHECK_EQ(k.nparam, 4);
  CHECK_EQ(k.max_threads, 256); CHECK_EQ(k.required[0], 0); CHECK_EQ(k.cluster[0], 0);
  for (int i = 0; i < 4; i++)
    CHECK(tn_cubin_param_at(c, &k, i, &p) && p.at == wanted[i].at && p.nbytes == wanted[i].nbytes);
  CHECK(!tn_cubin_param_at(c, &k, 4, &p));
  CHECK(!kernel_named(c, "plai", &k) && !kernel_named(c, "", &k));
  const int meets = kernel_named(c, "meets", &k);
  CHECK(meets);
  if (!meets) return;
  CHECK_EQ(k.nparam, 1); CHECK_EQ(k.max_threads, 0); CHECK_EQ(k.param_nbytes, 8);
  CHECK(k.bank[0] && k.bank[3] && k.bank[4]);
  CHECK_EQ(tn_cubin_section_at(c, k.bank[3]).nbytes, 16);
}

// Each section stands where it was placed, and bank 4 has the addresses of the globals.
static void image_of(const tn_cubin *c) {
  static uint64_t where[TN_CUBIN_SECTIONS];
  static uint8_t image[MOST];
  const uint64_t address = UINT64_C(0x2000000000), n = tn_cubin_place(c, where);
  const int bank4 = tn_cubin_find(c, ".nv.constant4", ""), made = tn_cubin_find(c, ".nv.global.init", ""),
            zeros = tn_cubin_find(c, ".nv.global", "");
  int loaded = 0, found = 0;
  CHECK(n > 0 && n < sizeof image);
  memset(image, 0, sizeof image);
  CHECK(!tn_cubin_image(c, where, address, image));
  for (int i = 0; i < c->n; i++) {
    const tn_cubin_section s = tn_cubin_section_at(c, i);
    if (where[i] == UINT64_MAX) continue;
    loaded++;
    CHECK(where[i] % 256 == 0 && where[i] + s.nbytes <= n);
    if (i != bank4 && s.data) CHECK(!memcmp(image + where[i], s.data, (size_t)s.nbytes));
  }
  CHECK_EQ(loaded, 6);                     // two texts, banks 3 and 4, both kinds of globals
  CHECK(tn_cubin_read(image + where[made], 8) == 5);
  for (int i = 0; i < 2; i++) {
    const uint64_t at = tn_cubin_read(image + where[bank4] + 8 * i, 8);
    found |= at == address + where[made] ? 1 : at == address + where[zeros] ? 2 : 4;
  }
  CHECK_EQ(found, 3);
}

// ** what is no cubin, or was one **

static void look_at_all(const tn_cubin *c) {
  static uint64_t where[TN_CUBIN_SECTIONS];
  static uint8_t image[MOST];
  tn_cubin_kernel k;
  tn_cubin_symbol s;
  for (int i = 0; tn_cubin_next_entry(c, &i, &s); ) tn_cubin_kernel_of(c, i - 1, &k);
  if (tn_cubin_place(c, where) <= sizeof image) tn_cubin_image(c, where, 0, image);
}
// The bytes lie in memory of just that size: the sanitizer sees one too much.
static void damaged(const file *f) {
  tn_cubin c;
  int refused = 0;
  const size_t step = (size_t)test_brief(97, 7);
  for (size_t n = 0; n < f->nbytes; n += step) {
    uint8_t *part = (uint8_t *)malloc(n + 1);
    memcpy(part, f->data, n);
    if (tn_cubin_open(&c, part, n)) refused++; else look_at_all(&c);
    free(part);
  }
  CHECK(refused > 0);
  uint8_t *all = (uint8_t *)malloc(f->nbytes);
  for (size_t i = 0; i < f->nbytes; i += step) {
    for (int bit = 0; bit < 8; bit += 7) {
      memcpy(all, f->data, f->nbytes);
      all[i] ^= (uint8_t)(1 << bit);
      if (!tn_cubin_open(&c, all, f->nbytes)) look_at_all(&c);
    }
  }
  free(all);
}
static void refusals(file *f) {
  static const struct { size_t at; uint8_t to; const char *says; } changes[] = {
    {0, 0, "no ELF file"}, {4, 1, "no ELF file"}, {18, 62, "another kind of machine"}, {7, 0x42, "newer than CUDA 13"},
    {16, 1, "not linked"}, {60, 1, "cut off or none"}, {58, 32, "cut off or none"}, {47, 1, "cut off or none"},
    {62, 200, "cut off or none"}, {62, 4, "no names"}
  };
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    tn_cubin c;
    const uint8_t was = f->data[changes[i].at];
    f->data[changes[i].at] = changes[i].to;
    const char *wrong = tn_cubin_open(&c, f->data, f->nbytes);
    CHECK(wrong && strstr(wrong, changes[i].says));
    if (test_shown()) fprintf(stderr, "    %d: %s\n", (int)i, wrong ? wrong : "taken");
    f->data[changes[i].at] = was;
  }
}

int main(void) {
  static const struct { const char *target; int sm; said of[2]; } kept[] = {
    {"80", 80, {{10, 0, 0, 0}, {13, 4, 1024, 64}}}, {"90a", 90, {{10, 0, 0, 0}, {14, 4, 1024, 64}}},
    {"120a", 120, {{10, 0, 0, 0}, {14, 4, 1024, 64}}}
  };
  static const struct { const char *target; int sm; } targets[] = {
    {"sm_75", 75}, {"sm_80", 80}, {"sm_86", 86}, {"sm_89", 89}, {"sm_90", 90}, {"sm_90a", 90}, {"sm_100a", 100},
    {"sm_103a", 103}, {"sm_120a", 120}, {"sm_121", 121}
  };
  static file f;
  tn_cubin c;
  char path[200];
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
    snprintf(path, sizeof path, "tests/corpus/cubin/two_%s.cubin", kept[i].target);
    const int there = file_read(&f, path) && !tn_cubin_open(&c, f.data, f.nbytes);
    CHECK(there);
    if (!there) continue;
    as_said(&c, kept[i].of);
    as_written(&c, kept[i].sm);
    image_of(&c);
    damaged(&f);
    refusals(&f);
  }
  FILE *ptxas = fopen(PTXAS, "rb");
  if (!ptxas) printf("test_cubin: each target left out: there is no " PTXAS "\n");
  else fclose(ptxas);
  for (size_t i = 0; ptxas && i < sizeof targets / sizeof *targets; i++) {
    said of[2];
    snprintf(path, sizeof path, "build/test_cubin_%d.cubin", (int)getpid());
    if (!ptxas_says(targets[i].target, path, of)) continue;    // an older or newer one
    const int there = file_read(&f, path) && !tn_cubin_open(&c, f.data, f.nbytes);
    CHECK(there);
    if (there) { as_said(&c, of); as_written(&c, targets[i].sm); image_of(&c); }
    remove(path);
  }
  return test_report();
}
