// brief: plain
// What an element of an op is on AMD's GPUs (src/isa/amd_arithmetic.c), on the emulator beside src/ir/alu.c: each op of
// each dtype that the generator is given, of operands of vector registers, of scalar ones and of constants.
#include "amd_test.h"
#include "../src/isa/amd_parse.c"
#include "../src/isa/amd_fused.c"
#include <math.h>

enum { ITEMS = 256, SOURCES = 3, FIRST_V = 10, FIRST_S = 24 };
static const int chips[3] = {0, 7, 8};     // gfx1100, gfx1201, gfx942
static int rounds, only_chip = 7;

// ** values **

static uint64_t rng;
static uint64_t next(void) {               // splitmix64, as in rnd.h
  uint64_t z = (rng += 0x9E3779B97F4A7C15u);
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return z ^ z >> 31;
}

static uint64_t specials_of(int d, uint64_t r) {
  static const double numbers[] = {0, -0.0, 1, -1, 0.5, 2, 3, 255, 256, -127, -128, -129, 127, 128, 32767, 32768, 65504,
    65519.9, 65520, 65535, 65536, 2147483647, 2147483648., 4294967295., 4294967296., 9223372036854775807., -9.3e18,
    1.8446744073709552e19, 1e20, 1e-45, 1.1754943508222875e-38, 1.1e-38, 3.4028234663852886e38, 3.5e38, 1e300, 5e-324,
    2.2250738585072014e-308, 6.1e-5, 6e-8, 2.9802322387695312e-08, 2.99e-8, 1.5, 2.5, 448, 464, 465, 57344, 61439.5,
    61440, 1.0 / 512, 1.0 / 1024, 3.0 / 2048, 1.0 / 65536, -126, -149, -150, 1024, 16777217, 1e-40,
    1.7976931348623157e308};
  static const int64_t wholes[] = {0, 1, -1, 2, 3, 7, 10, 31, 63, 127, 128, 255, 256, 32767, 32768, 65535, 65536,
    16777215, 16777216, 2147483647, 2147483648, 4294967295, 4294967296, INT64_MAX, INT64_MIN, -128, -129, -32768,
    INT32_MIN};
  const int n = (int)(sizeof numbers / sizeof *numbers), m = (int)(sizeof wholes / sizeof *wholes);
  unsigned char raw[8] = {0};
  uint64_t bits = 0;
  const uint64_t pick = r >> 8;
  if (tn_is_float(d)) {
    const int k = (int)(pick % (unsigned)(n + 3));
    const double v = k == n ? (double)NAN : k == n + 1 ? (double)INFINITY : k > n ? -(double)INFINITY : numbers[k];
    tn_dtype_store(d, raw, tn_from_f64(tn_dtype_round(d, v)));
  } else tn_dtype_store(d, raw, tn_dtype_wrap(d, wholes[pick % (unsigned)m]));
  memcpy(&bits, raw, 8);
  return bits;
}
static uint64_t random_of(int d) {
  const uint64_t kind = next(), bits = next();
  if (d == TINY_BOOL) return bits >> 5 & 1;
  if (kind % 4 == 0) return specials_of(d, bits);
  if (kind % 4 == 1 && tn_is_float(d)) {                   // of sizes that are met
    unsigned char raw[8] = {0};
    uint64_t out = 0;
    const double size = ldexp((double)(int64_t)bits, -63 + (int)(kind >> 8 & 15) - 8);
    tn_dtype_store(d, raw, tn_from_f64(tn_dtype_round(d, size)));
    memcpy(&out, raw, 8);
    return out;
  }
  if (kind % 4 == 1) return bits >> (kind >> 8 & 63);      // small
  return bits;
}
static int64_t value_of(int d, uint64_t bits) {
  unsigned char raw[8];
  memcpy(raw, &bits, 8);
  return d == TINY_BOOL ? (int64_t)(bits & 1) : tn_dtype_load(d, raw);
}
static uint64_t bits_of(int d, int64_t k) {
  unsigned char raw[8] = {0};
  uint64_t bits = 0;
  tn_dtype_store(d, raw, k);
  memcpy(&bits, raw, 8);
  return bits;
}
// As a register holds it: narrow integers with their sign, above narrow floats whatever there is.
static uint64_t held(int d, uint64_t bits, uint64_t above) {
  const int n = tn_bits(d);
  if (d == TINY_BOOL) return bits & 1;
  if (tn_is_int(d)) return n == 64 ? bits : (uint64_t)(uint32_t)tn_dtype_wrap(d, (int64_t)bits);
  return n >= 32 ? bits : (bits & ((1u << n) - 1)) | (above << n & 0xFFFFFFFF);
}

// ** from a list to words: every virtual register is one of its own until its last use **

typedef struct registers { tn_amd_list *l; int *last; uint8_t taken[2][512]; } registers;

static void place(registers *r, int kind, int vreg) {
  tn_amd_vreg *const v = &r->l->vreg[vreg];
  const int s = kind == TN_AMD_SGPR, most = s ? 100 : 250, n = v->dwords, step = n > 1 ? 2 : 1;
  if (v->reg >= 0) return;
  for (int at = s ? FIRST_S : FIRST_V; at + n <= most; at += step) {
    int is_free = 1;
    for (int i = 0; i < n; i++) is_free &= !r->taken[s][at + i];
    if (!is_free) continue;
    memset(&r->taken[s][at], 1, (size_t)n);
    v->reg = (int16_t)at;
    return;
  }
  tn_amd_list_refuse(r->l, "the test has too few registers");
}
static void use(registers *r, tn_amd_operand *o) {
  if (!tn_amd_is_virtual(o)) return;
  const int vreg = o->reg - TN_AMD_VIRTUAL;
  place(r, o->kind, vreg);
  o->reg = (uint16_t)(r->l->vreg[vreg].reg + o->sub);
  o->sub = 0;
}
static void release(registers *r, const tn_amd_line *line, int at) {
  for (int i = 0; i < line->ins.n; i++) {
    const tn_amd_operand *const o = &line->ins.o[i];
    if (!tn_amd_is_virtual(o)) continue;
    const int vreg = o->reg - TN_AMD_VIRTUAL;
    tn_amd_vreg *const v = &r->l->vreg[vreg];
    if (r->last[vreg] == at) memset(&r->taken[o->kind == TN_AMD_SGPR][v->reg], 0, v->dwords);
  }
}
static int ninstructions;
static void put(tiny_bytes *out, int family, const tn_amd_ins *of) {
  uint32_t words[TN_AMD_MOST_WORDS];
  tn_amd_ins ins = *of;
  char text[200];
  tn_amd_error e;
  int n = tn_amd_encode(family, &ins, words);
  if (!n) { ins.long_form = 1; n = tn_amd_encode(family, &ins, words); }
  CHECK(n > 0);
  CHECK(!n || !tn_amd_broken_rule(&ins));
  if (!n) fprintf(stderr, "    %s\n", tn_amd_rows[ins.op].names);
  if (n && tn_amd_broken_rule(&ins))
    fprintf(stderr, "    %s: %s\n", tn_amd_rows[ins.op].names, tn_amd_broken_rule(&ins));
  tiny_bytes_add(out, words, 4 * (size_t)n);
  ninstructions++;
  snprintf(text, sizeof text, family == TN_AMD_GFX9 ? "s_nop 7" : family == TN_AMD_GFX12 ? "s_wait_alu 0x0" :
           "s_waitcnt_depctr 0x0");
  if (tn_amd_unit(&(tn_amd_line){.ins = ins}) != TN_AMD_U_SALU || family == TN_AMD_GFX9)
    CHECK(tn_amd_assemble(family, text, strlen(text), out, &e));
}
static void put_copy(tiny_bytes *out, int family, const tn_amd_ins *of) {
  for (int i = 0; i < of->o[0].dwords; i++) {
    tn_amd_ins ins = *of;
    ins.op = (uint16_t)(of->o[0].kind == TN_AMD_SGPR ? TN_AMD_S_MOV_B32 : TN_AMD_V_MOV_B32);
    ins.o[0] = tn_amd_slice(of->o[0], i, 1);
    ins.o[1] = tn_amd_is_constant(&of->o[1]) ? of->o[1] : tn_amd_slice(of->o[1], i, 1);
    ins.o[1].dwords = 1;
    put(out, family, &ins);
  }
}
static void put_list(tn_amd_list *l, tiny_bytes *out) {
  registers r = {l, (int *)calloc((size_t)l->nvreg + 1, sizeof(int)), {{0}}};
  for (int i = 0; i < l->n; i++)
    for (int j = 0; j < l->line[i].ins.n; j++)
      if (tn_amd_is_virtual(&l->line[i].ins.o[j])) r.last[l->line[i].ins.o[j].reg - TN_AMD_VIRTUAL] = i;
  for (int i = 0; i < l->n && !l->refused; i++) {
    tn_amd_ins ins = l->line[i].ins;
    if (l->line[i].kind != TN_AMD_LINE_INS && l->line[i].kind != TN_AMD_LINE_COPY) continue;
    for (int j = 0; j < ins.n; j++) use(&r, &ins.o[j]);
    release(&r, &l->line[i], i);
    if (l->line[i].kind == TN_AMD_LINE_COPY) put_copy(out, l->family, &ins);
    else put(out, l->family, &ins);
  }
  free(r.last);
}

// ** a kernel **

// how: of each source: 'v' vector registers, 's' scalar ones, 'k' a constant
typedef struct unit { tiny_uop *u, *arg[SOURCES]; const char *how; } unit;

static const char *const waits[3] = {"s_waitcnt 0x0\n", "s_wait_loadcnt 0x0\ns_wait_kmcnt 0x0\n", "s_waitcnt 0x0\n"};
static int put_text(tiny_bytes *out, int family, const char *text) {
  tn_amd_error e;
  const int done = tn_amd_assemble(family, text, strlen(text), out, &e);
  CHECK(done);
  if (!done) fprintf(stderr, "    %d: %s in\n%s\n", e.line, e.sentence, text);
  return done;
}
static void put_begin(tiny_ctx *t, tiny_bytes *out, int family, const unit *k) {
  tiny_bytes text = {t, NULL, 0, 0};
  const int nine = family == TN_AMD_GFX9;
  tn_text_add(&text, "%s s[4:11], s[0:1], 0x0\n%sv_lshlrev_b32 v1, 3, v0\nv_mov_b32 v9, 0\n",
              nine ? "s_load_dwordx8" : "s_load_b256", waits[family]);
  for (int j = 0; j < SOURCES; j++)
    tn_text_add(&text, "%s v[%d:%d], v1, s[%d:%d]\n%s s[%d:%d], s[%d:%d], 0x0\n",
                nine ? "global_load_dwordx2" : "global_load_b64", 2 + 2 * j, 3 + 2 * j, 4 + 2 * j, 5 + 2 * j,
                nine ? "s_load_dwordx2" : "s_load_b64", 12 + 2 * j, 13 + 2 * j, 4 + 2 * j, 5 + 2 * j);
  tn_text_put(&text, waits[family]);
  for (int j = 0; j < SOURCES && k->arg[j]; j++) if (k->arg[j]->dtype == TINY_BOOL)
    tn_text_add(&text, nine ? "v_cmp_ne_u32_e64 s[%d:%d], 0, v%d\n" : "v_cmp_ne_u32_e64 s%d, 0, v%d\n", 18 + 2 * j,
                nine ? 19 + 2 * j : 2 + 2 * j, 2 + 2 * j);
  if (nine) tn_text_put(&text, "s_nop 7\n");
  tiny_bytes_add(&text, "", 1);
  put_text(out, family, text.data);
}
static tn_amd_operand operand_of(tn_amd_selection *x, const unit *k, const tiny_uop *source) {
  int j = 0, d = source->dtype;
  while (j < SOURCES - 1 && k->arg[j] != source) j++;
  const int n = tn_bits(d) == 64 ? 2 : 1;
  if (source->op == TINY_OP_CONST) return tn_amd_constant(x, d, source->k);
  if (d == TINY_BOOL) return tn_amd_s(18 + 2 * j, x->l->mask);
  return k->how[j] == 's' ? tn_amd_s(12 + 2 * j, n) : tn_amd_v(2 + 2 * j, n);
}
// 0: it is refused.
static int put_kernel(tiny_ctx *t, int chip, const unit *k, tiny_bytes *out) {
  tn_amd_list l;
  tn_amd_selection x;
  tn_amd_operand o[SOURCES];
  const tn_amd_chip *const of = &tn_amd_chips[chips[chip]];
  memset(&x, 0, sizeof x);
  CHECK(tn_amd_list_open(&l, t, of));
  x.t = t; x.l = &l; x.family = of->family;
  for (uint32_t j = 0; j < k->u->nsrc; j++) o[j] = operand_of(&x, k, k->u->src[j]);
  const tn_amd_operand y = tn_amd_alu(&x, k->u, o);
  if (k->u->dtype == TINY_BOOL) tn_amd_do4(&l, TN_AMD_V_CNDMASK_B32, tn_amd_v(8, 1), tn_amd_int(0), tn_amd_int(1), y);
  else for (int i = 0; i < (tn_bits(k->u->dtype) == 64 ? 2 : 1); i++)
    tn_amd_copy(&l, tn_amd_v(8 + i, 1), tn_amd_is_register(&y) ? tn_amd_slice(y, i, 1) : y);
  put_begin(t, out, of->family, k);
  put_list(&l, out);
  put_text(out, of->family, of->family == TN_AMD_GFX9 ? "global_store_dwordx2 v1, v[8:9], s[10:11]\ns_endpgm\n" :
                                                        "global_store_b64 v1, v[8:9], s[10:11]\ns_endpgm\n");
  CHECK(!l.refused);
  if (l.refused) fprintf(stderr, "    refused: %s\n", l.refused);
  return !l.refused;
}
static uint64_t *slots(int j) { return (uint64_t *)(void *)amd_space.m.data + j * ITEMS; }
static int run(int chip) {
  amd_dispatch d;
  amd_range range[3];
  const tn_amd_chip *const of = &tn_amd_chips[chips[chip]];
  const int nine = of->family == TN_AMD_GFX9;
  uint64_t args[4];
  memset(&d, 0, sizeof d);
  amd_ranges(&d, range);
  for (int j = 0; j < 4; j++) args[j] = (uint64_t)(uintptr_t)slots(j);
  memcpy(amd_space.m.kernarg, args, sizeof args);
  d.chip = atoi(of->name + 3); d.entry = (uint64_t)(uintptr_t)amd_space.m.code;
  d.rsrc1 = 31u | 0xFu << 16 | (of->family == TN_AMD_GFX12 ? 0 : 1u << 21 | 1u << 23);
  d.rsrc2 = 2 << 1; d.rsrc3 = nine ? 63 : 0;
  d.properties = (uint16_t)(8 | !nine << 10);
  d.grid[0] = d.group[0] = ITEMS;
  d.max_steps = 1000000;
  return amd_emulate(&d, &report);
}

// ** beside src/ir/alu.c **

static double ulps; static int either_zero;
static int is_right(int d, int64_t got, int64_t want) {
  if (got == want) return 1;
  if (!tn_is_float(d)) return 0;
  const double a = tn_to_f64(got), b = tn_to_f64(want);
  if (either_zero && a == 0 && b == 0) return 1;
  if (ulps <= 0 || a != a || b != b || isinf(b)) return 0;
  return fabs(a - b) <= ulps * ldexp(1, (fabs(b) < 1.17549435e-38 ? -126 : ilogb(b)) - 23);
}
static int wrong_shown;
static int check_item(int chip, const unit *k, const int64_t *v, int item) {
  const int d = k->u->dtype;
  int64_t s[SOURCES] = {0, 0, 0};
  for (uint32_t j = 0; j < k->u->nsrc; j++)
    for (int i = 0; i < SOURCES; i++) if (k->arg[i] == k->u->src[j]) s[j] = v[i];
  const uint64_t out = slots(3)[item];
  const int64_t want = tn_alu(k->u->op, d, k->u->src[0]->dtype, k->u->k, s, (int)k->u->nsrc), got = value_of(d, out);
  const uint64_t ones = tn_bits(d) < 64 ? ((uint64_t)1 << tn_bits(d)) - 1 : ~(uint64_t)0;
  const int of_bits = k->u->op == TINY_OP_BITCAST;
  const int extends = !tn_is_int(d) || tn_bits(d) == 64 || (uint32_t)out == (uint32_t)want;
  const int ok = of_bits ? !((out ^ slots(0)[item]) & ones) : is_right(d, got, want) && extends;
  CHECK(ok);
  if (!ok && wrong_shown++ < 12)
    fprintf(stderr, "    %s: of %llx %llx %llx: %llx (%g), wanted %llx (%g)\n", tn_amd_chips[chips[chip]].name,
            (unsigned long long)s[0], (unsigned long long)s[1], (unsigned long long)s[2], (unsigned long long)out,
            tn_to_f64(got), (unsigned long long)bits_of(d, want), tn_to_f64(want));
  return ok;
}
// How the bits of source j are made fit: shifts are below the width, divisors are safe; NULL: as they are.
typedef uint64_t fit(int j, int d, uint64_t bits, const uint64_t *others);
static void fill(const unit *k, fit *fits, int64_t v[ITEMS][SOURCES]) {
  for (int i = 0; i < ITEMS; i++) {
    uint64_t bits[SOURCES] = {0, 0, 0};
    for (int j = 0; j < SOURCES; j++) {
      const tiny_uop *const a = k->arg[j];
      if (!a) { slots(j)[i] = 0; continue; }
      bits[j] = random_of(a->dtype);
      if (k->how[j] == 's' && a->dtype != TINY_BOOL && i) bits[j] = bits_of(a->dtype, v[0][j]);
      if (a->op == TINY_OP_CONST) bits[j] = a->dtype == TINY_BOOL ? (uint64_t)a->k : bits_of(a->dtype, a->k);
      else if (fits) bits[j] = fits(j, a->dtype, bits[j], bits);
      v[i][j] = value_of(a->dtype, bits[j]);
      slots(j)[i] = held(a->dtype, bits[j], next());
    }
  }
}
static void check(tiny_ctx *t, int chip, const unit *k, fit *fits, int times, uint64_t seed) {
  tiny_bytes code = {t, NULL, 0, 0};
  static int64_t v[ITEMS][SOURCES];
  rng = seed;
  wrong_shown = 0; ninstructions = 0;
  if (!put_kernel(t, chip, k, &code)) return;
  memcpy(amd_space.m.code, code.data, code.n);
  for (int i = 0; i < times; i++) {
    fill(k, fits, v);
    const int failed = run(chip);
    CHECK(!failed);
    if (failed && test_shown()) fprintf(stderr, "    %s\n", report.error);
    if (failed) return;
    for (int item = 0; item < ITEMS; item++) check_item(chip, k, v[item], item);
  }
}
static tiny_uop *node(tiny_ctx *t, const unit *k, int op, int d, int64_t kind) {
  int n = 0;
  while (n < SOURCES && k->arg[n]) n++;
  return tn_uop_make(t, op, d, 1, n, k->arg, kind, 0, NULL);
}
static tiny_uop *source(tiny_ctx *t, int d, int j) { return tn_uop_make(t, TINY_OP_ARG, d, 1, 0, NULL, j, 0, NULL); }
static tiny_uop *bounded(tiny_ctx *t, int d, int j, int64_t low, int64_t top) {
  const int64_t v[2] = {low, top};
  return tn_uop_make(t, TINY_OP_ARG, d, 1, 0, NULL, j, 2, v);
}

// An op of dtypes of sources, in all ways.
static void check_op(tiny_ctx *t, int op, int d, const int *from, int64_t kind, fit *fits) {
  static const char *const ways[] = {"vvv", "svv", "vsv", "ssv", "sss", "vvs", "kvv", "vkv", "vvk", "ssk", "skk",
                                     "vkk"};
  for (int chip = 0; chip < 3; chip++) {
    const char *const only = getenv("TEST_CHIP");
    if ((only && atoi(only) != chip) || !(only_chip >> chip & 1)) continue;
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
      int constants = 0, skip = 0;
      unit k = {NULL, {NULL, NULL, NULL}, ways[w]};
      for (int j = 0; j < SOURCES; j++) {
        if (from[j] < 0) { skip |= ways[w][j] != 'v'; continue; }
        skip |= from[j] == TINY_BOOL && ways[w][j] == 's';
        constants |= ways[w][j] == 'k';
      }
      if (skip || !case_named("%s %s of %s %s %s %d: %s", tn_amd_chips[chips[chip]].name, tiny_op_name(op),
          tn_dtypes[d].name, tn_dtypes[from[0]].name, from[1] < 0 ? "" : tn_dtypes[from[1]].name, (int)kind, ways[w]))
        continue;
      const int s = strchr(ways[w], 's') != NULL;
      for (int again = 0; again < (constants ? 12 : 1); again++) {
        rng = (uint64_t)again * 977 + (uint64_t)op;
        for (int j = 0; j < SOURCES && from[j] >= 0; j++) {
          uint64_t bits = random_of(from[j]), none[3] = {0, 0, 0};
          if (fits) bits = fits(j, from[j], bits, none);
          const int64_t value = value_of(from[j], bits);
          k.arg[j] = ways[w][j] == 'k' ? tn_uop_make(t, TINY_OP_CONST, from[j], 1, 0, NULL, value, 0, NULL)
                                       : source(t, from[j], j);
        }
        k.u = node(t, &k, op, d, kind);
        check(t, chip, &k, fits, constants ? 1 : s ? 4 * rounds : rounds, (uint64_t)again + w * 100);
        if (!again && getenv("TEST_SIZES_SHOWN")) printf("%s: %d instructions\n", test_state.name, ninstructions);
      }
    }
    tn_scratch_reset(t, 0);
  }
}
static void unary(tiny_ctx *t, int op, int d, int from, int64_t kind) {
  const int of[SOURCES] = {from, -1, -1};
  check_op(t, op, d, of, kind, NULL);
}
static void binary(tiny_ctx *t, int op, int d, int from, fit *fits) {
  const int of[SOURCES] = {from, from, -1};
  check_op(t, op, d, of, 0, fits);
}

static uint64_t fit_shift(int j, int d, uint64_t bits, const uint64_t *others) {
  (void)others;
  return j == 1 ? bits % (uint64_t)tn_bits(d) : bits;
}
static uint64_t fit_divisor(int j, int d, uint64_t bits, const uint64_t *others) {
  (void)others;
  if (j != 1) return bits;
  const int64_t k = value_of(d, bits);
  return k == 0 || (tn_is_signed(d) && k == -1) ? 7 : bits;
}

static const int integers[] = {TINY_I32, TINY_U32, TINY_I8, TINY_U8, TINY_I16, TINY_U16, TINY_I64, TINY_U64};
static const int floats[] = {TINY_F32, TINY_F64, TINY_F16};
#define EACH(name, list) for (size_t name = 0; name < sizeof list / sizeof *list; name++)

static void test_integers(tiny_ctx *t) {
  static const int ops[] = {TINY_OP_ADD, TINY_OP_SUB, TINY_OP_MUL, TINY_OP_AND, TINY_OP_OR, TINY_OP_XOR, TINY_OP_MAX};
  EACH(i, integers) {
    const int d = integers[i];
    unary(t, TINY_OP_NEG, d, d, 0);
    EACH(k, ops) binary(t, ops[k], d, d, NULL);
    binary(t, TINY_OP_SHL, d, d, fit_shift);
    binary(t, TINY_OP_SHR, d, d, fit_shift);
    binary(t, TINY_OP_CDIV, d, d, fit_divisor);
    binary(t, TINY_OP_CMOD, d, d, fit_divisor);
  }
}
static void test_bools(tiny_ctx *t) {
  static const int ops[] = {TINY_OP_AND, TINY_OP_OR, TINY_OP_XOR, TINY_OP_NE, TINY_OP_EQ, TINY_OP_LT};
  const int all[SOURCES] = {TINY_BOOL, TINY_BOOL, TINY_BOOL};
  EACH(k, ops) binary(t, ops[k], TINY_BOOL, TINY_BOOL, NULL);
  check_op(t, TINY_OP_WHERE, TINY_BOOL, all, 0, NULL);
}
static void test_choices(tiny_ctx *t) {
  static const int ops[] = {TINY_OP_LT, TINY_OP_NE, TINY_OP_EQ};
  for (int d = TINY_I8; d <= TINY_F64; d++) {
    const int of[SOURCES] = {TINY_BOOL, d, d};
    check_op(t, TINY_OP_WHERE, d, of, 0, NULL);
    if (d == TINY_BF16 || d == TINY_F8E4M3 || d == TINY_F8E5M2) continue;
    EACH(k, ops) binary(t, ops[k], TINY_BOOL, d, NULL);
  }
}
static void test_floats(tiny_ctx *t) {
  static const int ops[] = {TINY_OP_ADD, TINY_OP_SUB, TINY_OP_MUL};
  EACH(i, floats) {
    const int d = floats[i], all[SOURCES] = {d, d, d};
    unary(t, TINY_OP_NEG, d, d, 0);
    EACH(k, ops) binary(t, ops[k], d, d, NULL);
    either_zero = 1;
    binary(t, TINY_OP_MAX, d, d, NULL);
    either_zero = 0;
    if (d == TINY_F16) continue;
    unary(t, TINY_OP_TRUNC, d, d, 0);
    check_op(t, TINY_OP_FMA, d, all, 0, NULL);
    unary(t, TINY_OP_SQRT, d, d, 0);
    binary(t, TINY_OP_FDIV, d, d, NULL);
  }
  unary(t, TINY_OP_NEG, TINY_BF16, TINY_BF16, 0);
  ulps = 1;
  unary(t, TINY_OP_EXP2, TINY_F32, TINY_F32, 0);
  ulps = 6;
  unary(t, TINY_OP_EXP2, TINY_F32, TINY_F32, TN_EXP_ROUNDED);
  ulps = 0;
}
static void test_casts(tiny_ctx *t) {
  for (int from = TINY_BOOL; from <= TINY_F64; from++)
    for (int to = TINY_BOOL; to <= TINY_F64; to++) {
      const int fp8 = from == TINY_F8E4M3 || from == TINY_F8E5M2 || to == TINY_F8E4M3 || to == TINY_F8E5M2;
      only_chip = fp8 ? 2 : 7;
      const int bools = from == TINY_BOOL || to == TINY_BOOL;
      if (from != to && !(fp8 && bools) && !(from == TINY_BF16 && to == TINY_BOOL)) unary(t, TINY_OP_CAST, to, from, 0);
      if (tn_bits(from) == tn_bits(to) && from != to && from != TINY_BOOL && to != TINY_BOOL)
        unary(t, TINY_OP_BITCAST, to, from, 0);
      only_chip = 7;
    }
}

// ** words of vectors (src/isa/amd_pairs.c) **

// Lanes of a vector: words from v(2 + 2 j) on, f32 a register each; what comes of it in v8 and v9: two dwords, from
// `at` on.
static void vector_operands(tn_amd_selection *x, const unit *k, int uniform) {
  const tiny_uop *const u = k->u;
  for (uint32_t j = 0; j < u->nsrc; j++) {
    tiny_uop *const s = k->u->src[j];
    const int f32 = s->dtype == TINY_F32, n = f32 ? s->lanes : tn_amd_nwords(s), first = tn_amd_take(x, n);
    s->seq = j + 1;
    for (int i = 0; i < n; i++)
      x->pool[first + i] = uniform ? tn_amd_s(12 + 2 * (int)j + i, 1) : tn_amd_v(2 + 2 * (int)j + i, 1);
    *(f32 ? &x->elements[j + 1] : &x->words[j + 1]) = first;
    if (!f32 || u->op == TINY_OP_CAST) continue;             // beside each other; the first one twice, where it says so
    const int twice = j == 0 && k->how[0] == 'b';
    const tn_amd_operand pair = uniform ? tn_amd_new_s(x->l, 2) : tn_amd_new_v(x->l, 2);
    tn_amd_copy(x->l, pair, uniform ? tn_amd_s(12 + 2 * (int)j, 2) : tn_amd_v(2 + 2 * (int)j, 2));
    for (int i = 0; i < 2; i++) x->pool[first + i] = tn_amd_slice(pair, twice || uniform ? 0 : i, 1);
  }
}
static int put_vector_kernel(tiny_ctx *t, int chip, const unit *k, int at, tiny_bytes *out) {
  tn_amd_list l;
  tn_amd_selection x;
  int elements[4] = {-1, -1, -1, -1}, words[4] = {-1, -1, -1, -1};
  uint8_t wants[4] = {TN_AMD_WORDS, 0, 0, 0};
  const tn_amd_chip *const of = &tn_amd_chips[chips[chip]];
  memset(&x, 0, sizeof x);
  CHECK(tn_amd_list_open(&l, t, of));
  x.t = t; x.l = &l; x.family = of->family; x.elements = elements; x.words = words; x.wants = wants;
  k->u->seq = 0;
  vector_operands(&x, k, k->how[0] == 's');
  const int done = tn_amd_alu_words(&x, k->u);
  const int from = words[0] >= 0 ? words[0] : elements[0];
  for (int i = 0; done && i < 2; i++) {
    const int n = words[0] >= 0 ? tn_amd_nwords(k->u) : k->u->lanes;
    if (at + i < n) tn_amd_copy(&l, tn_amd_v(8 + i, 1), x.pool[from + at + i]);
  }
  put_begin(t, out, of->family, k);
  put_list(&l, out);
  put_text(out, of->family, of->family == TN_AMD_GFX9 ? "global_store_dwordx2 v1, v[8:9], s[10:11]\ns_endpgm\n" :
                                                        "global_store_b64 v1, v[8:9], s[10:11]\ns_endpgm\n");
  CHECK(!l.refused);
  return done && !l.refused;
}
// Bits of lane i of a vector that lies in memory from p on.
static uint64_t lane_of(const void *p, int d, int i) {
  uint64_t bits = 0;
  memcpy(&bits, (const char *)p + i * tn_bits(d) / 8, (size_t)tn_bits(d) / 8);
  return bits;
}
static void check_vector_item(const unit *k, int at, int item) {
  const int d = k->u->dtype, n = 64 / tn_bits(d), first = at * 32 / tn_bits(d);
  for (int i = 0; i < n && first + i < k->u->lanes; i++) {
    int64_t v[SOURCES] = {0, 0, 0};
    for (uint32_t j = 0; j < k->u->nsrc; j++) {
      const int from = k->u->src[j]->dtype, lane = first + i, each = 64 / tn_bits(from);
      const int slot = k->u->nsrc > 1 ? (int)j : (int)j + lane / each,
                twice = from == TINY_F32 && d == TINY_F32 && (k->how[0] == 's' || (k->how[0] == 'b' && !j));
      v[j] = value_of(from, lane_of(&slots(slot)[item], from, twice ? 0 : lane % each));
    }
    const int64_t want = tn_alu(k->u->op, d, k->u->src[0]->dtype, k->u->k, v, (int)k->u->nsrc),
                  got = value_of(d, lane_of(&slots(3)[item], d, i));
    const int ok = is_right(d, got, want);
    CHECK(ok);
    if (!ok && wrong_shown++ < 5)
      fprintf(stderr, "    lane %d of %llx %llx: %llx, wanted %llx\n", first + i, (unsigned long long)v[0],
              (unsigned long long)v[1], (unsigned long long)bits_of(d, got), (unsigned long long)bits_of(d, want));
  }
}
static void check_vector(tiny_ctx *t, int chip, int op, int d, int from, int lanes, int at, const char *how) {
  tiny_bytes code = {t, NULL, 0, 0};
  unit k = {NULL, {NULL, NULL, NULL}, how};
  const int two = op == TINY_OP_FMA ? 2 : op != TINY_OP_CAST && op != TINY_OP_NEG;
  const int shift = op == TINY_OP_SHL || op == TINY_OP_SHR;
  if (!case_named("%s %s of %s %s, %d lanes from %d: %s", tn_amd_chips[chips[chip]].name, tiny_op_name(op),
      tn_dtypes[d].name, tn_dtypes[from].name, lanes, at, how)) return;
  for (int j = 0; j <= two; j++) {         // as what is loaded, in words
    k.arg[j] = tn_uop_make(t, TINY_OP_ARG, TINY_U32, lanes * tn_bits(from) / 32, 0, NULL, j, 0, NULL);
    if (from == TINY_F32) k.arg[j] = tn_uop_make(t, TINY_OP_ARG, from, lanes, 0, NULL, j, 0, NULL);
    else k.arg[j] = tn_uop_make(t, TINY_OP_BITCAST, from, lanes, 1, &k.arg[j], 0, 0, NULL);
  }
  k.u = tn_uop_make(t, op, d, lanes, 1 + two, k.arg, 0, 0, NULL);
  wrong_shown = 0;
  rng = (uint64_t)op;
  const int done = put_vector_kernel(t, chip, &k, at, &code);
  CHECK(done);
  memcpy(amd_space.m.code, code.data, code.n);
  for (int i = 0; i < (*how == 's' ? 4 : 1) * rounds && done; i++) {
    for (int at_all = 0; at_all < ITEMS * SOURCES; at_all++) for (int n = 0; n < 64; n += tn_bits(from)) {
      const int item = at_all / SOURCES, j = at_all % SOURCES;
      uint64_t bits = random_of(from), of = ((uint64_t)1 << tn_bits(from)) - 1;
      if (shift && j == 1) bits &= (uint64_t)tn_bits(from) - 1;
      bits = *how == 's' && item ? slots(j)[0] >> n : bits;
      slots(j)[item] = (slots(j)[item] & ~(of << n)) | (bits & of) << n;
    }
    const int failed = run(chip);
    CHECK(!failed);
    if (failed && test_shown()) fprintf(stderr, "    %s\n", report.error);
    for (int item = 0; item < ITEMS && !failed; item++) check_vector_item(&k, at, item);
  }
  tn_scratch_reset(t, 0);
}
static void test_vectors(tiny_ctx *t) {
  static const int ops[] = {TINY_OP_ADD, TINY_OP_SUB, TINY_OP_MUL, TINY_OP_MAX, TINY_OP_SHL, TINY_OP_SHR},
                   bits[] = {TINY_OP_AND, TINY_OP_OR, TINY_OP_XOR}, wholes[] = {TINY_I8, TINY_U8, TINY_I16, TINY_U16};
  for (int chip = 0; chip < 3; chip++) for (int s = 0; s < 2; s++) {
    const char *const how = s ? "sss" : "vvv";
    EACH(k, ops) {
      check_vector(t, chip, ops[k], TINY_I16, TINY_I16, 4, 0, how);
      check_vector(t, chip, ops[k], TINY_U16, TINY_U16, 4, 0, how);
      either_zero = ops[k] == TINY_OP_MAX;
      if (k < 3 || (k == 3 && chip == 1)) check_vector(t, chip, ops[k], TINY_F16, TINY_F16, 4, 0, how);
      either_zero = 0;
    }
    check_vector(t, chip, TINY_OP_NEG, TINY_F16, TINY_F16, 4, 0, how);
    for (int k = 0; k < 3 && chip == 2 && !s; k++) {
      check_vector(t, chip, ops[k], TINY_F32, TINY_F32, 2, 0, "vvv");
      check_vector(t, chip, ops[k], TINY_F32, TINY_F32, 2, 0, "bvv");
    }
    if (chip == 2 && !s) check_vector(t, chip, TINY_OP_FMA, TINY_F32, TINY_F32, 2, 0, "vvv");
    if (chip == 2 && !s) check_vector(t, chip, TINY_OP_FMA, TINY_F32, TINY_F32, 2, 0, "bvv");
    EACH(k, bits) EACH(i, wholes) check_vector(t, chip, bits[k], wholes[i], wholes[i], 64 / tn_bits(wholes[i]), 0, how);
    check_vector(t, chip, TINY_OP_CAST, TINY_BF16, TINY_F32, 4, 0, how);
    for (int at = 0; at < 4; at += 2) {
      check_vector(t, chip, TINY_OP_CAST, TINY_F32, TINY_F16, 4, at, how);
      check_vector(t, chip, TINY_OP_CAST, TINY_F32, TINY_BF16, 4, at, how);
      check_vector(t, chip, TINY_OP_CAST, TINY_F32, TINY_U8, 4, at, how);
      if (chip == 1) check_vector(t, chip, TINY_OP_CAST, TINY_F32, TINY_F8E4M3, 4, at, how);
      if (chip == 1) check_vector(t, chip, TINY_OP_CAST, TINY_F32, TINY_F8E5M2, 4, at, how);
    }
    if (chip == 1) check_vector(t, chip, TINY_OP_CAST, TINY_F8E4M3, TINY_F32, 4, 0, how);
    if (chip == 1) check_vector(t, chip, TINY_OP_CAST, TINY_F8E5M2, TINY_F32, 4, 0, how);
  }
}
// ** two ops by one instruction (src/isa/amd_fused.c) **

enum { TREE = 24 };
typedef struct tree { tiny_uop *node[TREE]; int n; int64_t value[TREE]; } tree;
static void collect(tree *r, tiny_uop *u) {
  for (int i = 0; i < r->n; i++) if (r->node[i] == u) return;
  for (uint32_t j = 0; j < u->nsrc; j++) collect(r, u->src[j]);
  u->seq = (uint32_t)r->n;
  r->node[r->n++] = u;
}
static int64_t tree_value(tree *r, const unit *k, const int64_t *v) {
  for (int i = 0; i < r->n; i++) {
    const tiny_uop *u = r->node[i];
    int64_t s[SOURCES] = {0, 0, 0};
    for (uint32_t j = 0; j < u->nsrc; j++) s[j] = r->value[u->src[j]->seq];
    for (int j = 0; j < SOURCES; j++) if (k->arg[j] == u) r->value[i] = v[j];
    if (u->op == TINY_OP_CONST) r->value[i] = u->k;
    else if (u->nsrc) r->value[i] = tn_alu(u->op, u->dtype, u->src[0]->dtype, u->k, s, (int)u->nsrc);
  }
  return r->value[r->n - 1];
}
static int put_tree_kernel(tiny_ctx *t, int chip, const unit *k, tree *r, tiny_bytes *out) {
  tn_amd_list l;
  tn_amd_selection x;
  int elements[TREE], words[TREE];
  uint8_t uses[TREE] = {0};
  tn_amd_operand y = tn_amd_off();
  const tn_amd_chip *const of = &tn_amd_chips[chips[chip]];
  memset(&x, 0, sizeof x);
  CHECK(tn_amd_list_open(&l, t, of));
  x.t = t; x.l = &l; x.family = of->family; x.elements = elements; x.words = words; x.uses = uses;
  const tiny_listing listing = {.list = r->node, .n = r->n};
  x.k = &listing;
  tn_amd_count_uses(&x);
  for (int i = 0; i < r->n && !l.refused; i++) {
    tiny_uop *const u = r->node[i];
    words[i] = -1;
    elements[i] = tn_amd_take(&x, 1);
    y = u->nsrc ? tn_amd_alu_at(&x, u, 0) : operand_of(&x, k, u);
    x.pool[elements[i]] = y;
  }
  if (k->u->dtype == TINY_BOOL) tn_amd_do4(&l, TN_AMD_V_CNDMASK_B32, tn_amd_v(8, 1), tn_amd_int(0), tn_amd_int(1), y);
  else for (int i = 0; i < (tn_bits(k->u->dtype) == 64 ? 2 : 1); i++)
    tn_amd_copy(&l, tn_amd_v(8 + i, 1), tn_amd_is_register(&y) ? tn_amd_slice(y, i, 1) : y);
  put_begin(t, out, of->family, k);
  put_list(&l, out);
  put_text(out, of->family, of->family == TN_AMD_GFX9 ? "global_store_dwordx2 v1, v[8:9], s[10:11]\ns_endpgm\n" :
                                                        "global_store_b64 v1, v[8:9], s[10:11]\ns_endpgm\n");
  CHECK(!l.refused);
  return !l.refused;
}
static uint64_t fit_bounds(int j, int d, uint64_t bits, const uint64_t *others) {
  (void)others; (void)d;
  return j < 2 ? bits & 0x7FFFFF : bits;   // of bounded args: the first two
}
static void check_tree(tiny_ctx *t, tiny_uop *const *arg, tiny_uop *u, fit *fits) {
  static const char *const ways[] = {"vvv", "svv", "vsv", "ssv", "sss"};
  static int64_t v[ITEMS][SOURCES];
  static int serial;
  serial++;
  for (int chip = 0; chip < 3; chip++) for (int w = 0; w < 5; w++) {
    tree r = {{NULL}, 0, {0}};
    tiny_bytes code = {t, NULL, 0, 0};
    const unit k = {u, {arg[0], arg[1], arg[2]}, ways[w]};
    if (!case_named("%s %d: %s of %s: %s", tn_amd_chips[chips[chip]].name, serial, tiny_op_name(u->op),
        tiny_op_name(u->src[0]->op), ways[w])) continue;
    collect(&r, u);
    rng = (uint64_t)serial;
    wrong_shown = 0;
    if (!put_tree_kernel(t, chip, &k, &r, &code)) continue;
    memcpy(amd_space.m.code, code.data, code.n);
    for (int i = 0; i < (w ? 4 : 1) * rounds; i++) {
      fill(&k, fits, v);
      const int failed = run(chip);
      CHECK(!failed);
      if (failed && test_shown()) fprintf(stderr, "    %s\n", report.error);
      for (int item = 0; item < ITEMS && !failed; item++) {
        const int64_t want = tree_value(&r, &k, v[item]), got = value_of(u->dtype, slots(3)[item]);
        const int ok = is_right(u->dtype, got, want);
        CHECK(ok);
        if (!ok && wrong_shown++ < 3)
          fprintf(stderr, "    of %llx %llx %llx: %llx, wanted %llx\n", (unsigned long long)v[item][0],
                  (unsigned long long)v[item][1], (unsigned long long)v[item][2], (unsigned long long)slots(3)[item],
                  (unsigned long long)bits_of(u->dtype, want));
      }
    }
    tn_scratch_reset(t, 0);
  }
}
#define U2(op, a, b) tn_u2(t, TINY_OP_##op, a, b)
#define U3(op, a, b, c) tn_u3(t, TINY_OP_##op, a, b, c)
static void test_fused_integers(tiny_ctx *t) {
  for (int d = TINY_I32; d <= TINY_U32; d++) {
    tiny_uop *const s[3] = {source(t, d, 0), source(t, d, 1), source(t, d, 2)};
    tiny_uop *const a = s[0], *const b = s[1], *const c = s[2];
    tiny_uop *const little[3] = {bounded(t, d, 0, 0, 0x7FFFFF), bounded(t, d, 1, 0, 0x7FFFFF), c};
    tiny_uop *const roots[] = {
      U2(ADD, U2(SHL, a, tn_int(t, d, 3)), b), U2(ADD, U2(MUL, a, tn_int(t, d, 16)), b), U2(ADD, U2(ADD, a, b), c),
      U2(ADD, U2(XOR, a, b), c), U2(OR, U2(SHL, a, tn_int(t, d, 3)), b), U2(OR, U2(AND, a, b), c),
      U2(OR, U2(OR, a, b), c), U2(XOR, U2(XOR, a, b), c), U2(SHL, U2(ADD, a, b), tn_int(t, d, 4)),
      U2(MUL, U2(ADD, a, b), tn_int(t, d, 4)), U2(AND, U2(SHR, a, tn_int(t, d, 5)), tn_int(t, d, 255)),
      U2(AND, U2(SHR, a, tn_int(t, d, 28)), tn_int(t, d, 255)), U2(XOR, U2(LT, a, b), tn_bool(t, 1)),
      U2(XOR, U2(NE, a, b), tn_bool(t, 1)), U2(XOR, U2(EQ, a, b), tn_bool(t, 1)), U3(WHERE, U2(LT, a, b), a, b),
      U3(WHERE, U2(LT, a, b), b, a), U3(WHERE, U2(LT, a, b), c, a),
      U3(WHERE, U2(EQ, a, b), tn_int(t, d, 1000), tn_int(t, d, 2000)),
      U2(ADD, U2(ADD, a, b), U2(SHL, a, tn_int(t, d, 2))), U2(SUB, U2(ADD, a, b), tn_int(t, d, 77777)),
      U2(ADD, a, tn_int(t, d, 0x12345)), U2(OR, U2(SHL, a, tn_int(t, d, 13)), U2(SHR, a, tn_int(t, d, 19))),
      U2(OR, U2(SHR, b, tn_int(t, d, 31)), U2(SHL, a, tn_int(t, d, 1))), U2(AND, U2(XOR, a, tn_int(t, d, -1)), b),
      U2(AND, b, U2(XOR, U2(AND, a, c), tn_int(t, d, -1)))};
    EACH(i, roots) check_tree(t, s, roots[i], NULL);
    check_tree(t, little, U2(ADD, U2(MUL, little[0], little[1]), c), fit_bounds);
    check_tree(t, little, U2(MUL, little[0], little[1]), fit_bounds);
    check_tree(t, little, U2(AND, U2(LT, tn_int(t, d, -1), c), U2(LT, c, little[0])), fit_bounds);
    check_tree(t, little, U2(CDIV, little[0], U2(ADD, little[1], tn_int(t, d, 1))), fit_bounds);
    check_tree(t, little, U2(CMOD, little[0], U2(ADD, little[1], tn_int(t, d, 1))), fit_bounds);
  }
}
static void test_fused_floats(tiny_ctx *t) {
  tiny_uop *const s[3] = {source(t, TINY_F32, 0), source(t, TINY_F32, 1), source(t, TINY_F32, 2)}, *const a = s[0],
           *const b = s[1], *const c = s[2], *const na = tn_u1(t, TINY_OP_NEG, a), *const nb = tn_u1(t, TINY_OP_NEG, b);
  tiny_uop *const h[3] = {source(t, TINY_F16, 0), source(t, TINY_F16, 1), c}, *const ha = tn_cast(t, h[0], TINY_F32),
           *const hb = tn_cast(t, h[1], TINY_F32);
  tiny_uop *const size = tn_bitcast(t, U2(AND, tn_bitcast(t, a, TINY_I32), tn_int(t, TINY_I32, 0x7FFFFFFF)), TINY_F32);
  tiny_uop *const roots[] = {
    U3(FMA, na, b, c), U3(FMA, na, nb, c), U3(FMA, a, b, tn_u1(t, TINY_OP_NEG, c)), U2(MUL, na, b), U2(ADD, na, c),
    U2(ADD, na, nb), U2(SUB, na, b),
    U2(SUB, a, nb), U2(LT, na, b), U2(ADD, size, b), U2(LT, size, b), U2(MUL, tn_u1(t, TINY_OP_NEG, size), b),
    U2(XOR, U2(LT, a, b), tn_bool(t, 1)), U2(XOR, U2(NE, a, b), tn_bool(t, 1)), U2(XOR, U2(EQ, a, b), tn_bool(t, 1)),
    U3(WHERE, U2(LT, a, b), c, a), U3(WHERE, U2(NE, a, a), c, a), U2(MUL, na, tn_number(t, TINY_F32, 3.7)),
    U3(WHERE, U2(LT, a, tn_number(t, TINY_F32, 0)), na, a), U3(WHERE, U2(LT, a, b), size, nb)};
  tiny_uop *const maxima[] = {U2(MAX, U2(MAX, a, b), c), U2(MAX, a, U2(MAX, c, b)),
    U2(MAX, U2(MAX, a, c), U2(MAX, b, U2(ADD, a, b))), U2(MAX, U2(MAX, U2(MAX, na, c), U2(MAX, a, b)), U2(ADD, a, b))};
  either_zero = 1;
  EACH(i, maxima) check_tree(t, s, maxima[i], NULL);
  either_zero = 0;
  EACH(i, roots) check_tree(t, s, roots[i], NULL);
  tiny_uop *const halves[] = {U3(FMA, ha, hb, c), U3(FMA, ha, c, hb), U2(MUL, ha, hb), U2(MUL, ha, c),
    U2(ADD, ha, hb), U2(SUB, ha, hb),
    U2(SUB, c, hb), U3(FMA, tn_u1(t, TINY_OP_NEG, ha), hb, c), U2(MUL, ha, tn_number(t, TINY_F32, 0.3)),
    U3(FMA, ha, tn_number(t, TINY_F32, 0.3), tn_number(t, TINY_F32, 0.7))};
  EACH(i, halves) check_tree(t, h, halves[i], NULL);
  tiny_uop *const x = U2(MUL, a, tn_number(t, TINY_F32, 1.4426950408889634));
  ulps = 6;
  check_tree(t, s, tn_uop_make(t, TINY_OP_EXP2, TINY_F32, 1, 1, &x, TN_EXP_ROUNDED, 0, NULL), NULL);
  ulps = 0;
}

// Sums of neighbours: words are bits.
static void test_dots(tiny_ctx *t) {
  static const int kinds[] = {TINY_DOT_I8, TINY_DOT_U8, TINY_DOT_U8_I8, TINY_DOT_I16};
  const int of[SOURCES] = {TINY_U32, TINY_U32, TINY_I32};
  for (int chip = 0; chip < 3; chip++) EACH(i, kinds) {
    only_chip = 1 << chip;
    if (i < 2 || (i == 2) == (chip < 2)) check_op(t, TINY_OP_DOT, TINY_I32, of, kinds[i], NULL);
  }
  only_chip = 7;
}

int main(int argc, char **argv) {
  (void)argc; (void)argv;
  rounds = getenv("TEST_ROUNDS") ? atoi(getenv("TEST_ROUNDS")) : 1;
  tiny_ctx *t = tiny_open(&(tiny_desc){.device = "CPU", .cache_dir = "", .threads = 1});
  CHECK(tiny_status(t) == TINY_OK);
  test_integers(t);
  test_bools(t);
  test_choices(t);
  test_floats(t);
  test_casts(t);
  test_vectors(t);
  test_dots(t);
  test_fused_integers(t);
  test_fused_floats(t);
  tiny_close(t);
  return test_report();
}
