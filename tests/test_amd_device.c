// brief: plain
// test_amd_device: what could not be proven without a GPU, item by item, each with a sentence: `make test-amd-device`
// for a person with a card. Without a driver each says "not there", and that nothing was proven, which is no failure.
// Run by itself, on GPUs that are played (amd_mock.h): so that the program is right before it meets a card.
#ifndef _GNU_SOURCE
  #define _GNU_SOURCE
#endif
#include "../src/all.c"
#define TEST_COMPANION "../src/amd/all.c"
#include "companion.h"
#include "test.h"
#include <math.h>
#include <time.h>
#include "amd_mock.c"
#include "amd_run.h"

// ** the GPU **

static amd_mock *played;                   // NULL: the machine's own
static const char *target;                 // "gfx1100"
static int gpus;
static char why[700];

static const char *say(const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(why, sizeof why, format, args);
  va_end(args);
  return why;
}
#define WANT(condition, ...) do { if (!(condition)) { result = say(__VA_ARGS__); goto end; } } while (0)
static const tiny_amd_system *on_system(void) { return played ? amd_mock_system(played) : NULL; }

// A device called as the library calls it. dev NULL: why says why.
typedef struct on { tiny_ctx *t; void *dev; tn_kfd *d; } on;
static const char *on_open(on *o) {
  tiny_limits limits;
  memset(&limits, 0, sizeof limits);
  o->t = tiny_open(&(tiny_desc){.device = "INTERP", .cache_dir = ""});
  o->dev = tiny_amd.open(o->t, tiny_amd_on(on_system(), 0).text + 4, &limits);
  o->d = (tn_kfd *)o->dev;
  return o->dev ? NULL : say("it does not open: %.500s", tiny_error(o->t));
}
static void on_close(on *o) {
  if (o->dev) tiny_amd.close(o->dev);
  tiny_close(o->t);
}
static tiny_ctx *context(const char *device, int beside) {
  char name[128];
  if (!device) {
    snprintf(name, sizeof name, "%s", tiny_amd_on(on_system(), 0).text);
    if (beside) snprintf(name + strlen(name), sizeof name - strlen(name), ",%s", tiny_amd_on(on_system(), 1).text);
  }
  return tiny_open(&(tiny_desc){.device = device ? device : name, .backends = {&tiny_amd}, .cache_dir = ""});
}

// ** kernels in assembly: @ and a letter is what differs between families **

static const char *word_of(char letter) {
  static const struct { char letter; const char *of[3]; } words[] = {      // gfx11, gfx12, gfx942
    {'l', {"s_load_b128", "s_load_b128", "s_load_dwordx4"}},
    {'k', {"s_waitcnt lgkmcnt(0)", "s_wait_kmcnt 0x0", "s_waitcnt lgkmcnt(0)"}},
    {'d', {"s_waitcnt lgkmcnt(0)", "s_wait_dscnt 0x0", "s_waitcnt lgkmcnt(0)"}},
    {'v', {"s_waitcnt vmcnt(0)", "s_wait_loadcnt 0x0", "s_waitcnt vmcnt(0)"}},
    {'e', {"s_waitcnt_vscnt null, 0x0", "s_wait_storecnt 0x0", "s_waitcnt vmcnt(0)"}},
    {'L', {"global_load_b32", "global_load_b32", "global_load_dword"}},
    {'S', {"global_store_b32", "global_store_b32", "global_store_dword"}},
    {'g', {"s2", "ttmp9", "s2"}}, {'a', {"v_add_nc_u32", "v_add_nc_u32", "v_add_u32"}},
    {'w', {"ds_store_b32", "ds_store_b32", "ds_write_b32"}}, {'r', {"ds_load_b32", "ds_load_b32", "ds_read_b32"}},
    {'b', {"s_barrier", "s_barrier_signal -1\n  s_barrier_wait -1", "s_barrier"}},
    {'x', {"scratch_store_b32", "scratch_store_b32", "scratch_store_dword"}},
    {'y', {"scratch_load_b32", "scratch_load_b32", "scratch_load_dword"}},
    {'A', {"global_atomic_add_u32", "global_atomic_add_u32", "global_atomic_add"}}};
  const int family = !strncmp(target, "gfx11", 5) ? 0 : !strncmp(target, "gfx12", 5) ? 1 : 2;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) if (words[i].letter == letter) return words[i].of[family];
  return "?";
}
static void text_of(char *out, size_t most, const char *body, int lds, int scratch) {
  const int nine = !strncmp(target, "gfx9", 4);
  size_t n = (size_t)snprintf(out, most, ".amdgcn_target \"amdgcn-amd-amdhsa--%s\"\n.amdhsa_kernel k\n"
                              "  .amdhsa_kernarg_size 16\n  .amdhsa_user_sgpr_kernarg_segment_ptr 1\n"
                              "  .amdhsa_next_free_vgpr 8\n  .amdhsa_next_free_sgpr 16\n%s"
                              "  .amdhsa_group_segment_fixed_size %d\n  .amdhsa_private_segment_fixed_size %d\n"
                              ".end_amdhsa_kernel\nk:\n", target, nine ? "  .amdhsa_accum_offset 8\n" : "", lds,
                              scratch);
  for (; *body && n + 64 < most; body++) {
    if (*body != '@') { out[n++] = *body; out[n] = 0; }
    else n += (size_t)snprintf(out + n, most - n, "%s", word_of(*++body));
  }
}
// s[4:5]: out, s[6:7]: in; v1: number of the item, of groups of 64; v2: where its word lies
#define BEGIN "  @l s[4:7], s[0:1], 0x0\n  v_and_b32 v0, 0x3ff, v0\n  s_lshl_b32 s8, @g, 6\n  @a v1, s8, v0\n" \
  "  v_lshlrev_b32 v2, 2, v1\n  @k\n"
#define END "  @S v2, v3, s[4:5]\n  s_endpgm\n"
static const char number[] = BEGIN "  @a v3, 0x3039, v1\n" END;            // 12345 + its number
static const char next[] = BEGIN "  @L v3, v2, s[6:7]\n  @v\n  @a v3, 1, v3\n" END;
static const char reversed[] = BEGIN                       // its group's, from the last on, by LDS
  "  v_lshlrev_b32 v4, 2, v0\n  v_xor_b32 v5, 0xfc, v4\n  @w v4, v1\n  @d\n  @b\n  @r v3, v5\n  @d\n" END;
static const char counted[] = BEGIN "  v_mov_b32 v4, 0\n  v_mov_b32 v5, 1\n  @A v4, v5, s[4:5]\n  s_endpgm\n";
static const char wild[] = BEGIN "  v_mov_b32 v4, 0\n  @L v3, v4, s[6:7]\n  @v\n" END;
static const char endless[] = BEGIN "again:\n  s_branch again\n  s_endpgm\n";
// Its number three times, a part of which was in scratch, at both ends.
static void scratch_of(char *out, size_t most, int nbytes) {
  snprintf(out, most, BEGIN "  v_lshlrev_b32 v4, 1, v1\n  @x off, v1, off offset:0\n  @x off, v4, off offset:%d\n  @e\n"
           "  @y v5, off, off offset:0\n  @y v6, off, off offset:%d\n  @v\n  @a v3, v5, v6\n" END, nbytes - 4,
           nbytes - 4);
}
typedef struct code { void *module, *kernel; } code;
static const char *code_make(on *o, code *c, const char *body, int lds, int scratch) {
  char text[4096];
  tiny_bytes source = {o->t, NULL, 0, 0}, object = {o->t, NULL, 0, 0}, log = {o->t, NULL, 0, 0};
  text_of(text, sizeof text, body, lds, scratch);
  tiny_bytes_add(&source, text, strlen(text));
  memset(c, 0, sizeof *c);
  if (tiny_amd.compile(o->dev, 1, &source, &object, &log) == TINY_OK)
    c->module = tiny_amd.load(o->dev, object.data, object.n);
  if (c->module) c->kernel = tiny_amd.find(o->dev, c->module, "k");
  return c->kernel ? NULL : say("its kernel is not taken: %.500s", tiny_error(o->t));
}
static tiny_code code_run(on *o, const code *c, void *out, void *in, int groups, uint64_t *stamp) {
  tiny_mem mem[2] = {{out, 0}, {in, 0}};
  tiny_launch l = {.kernel = c->kernel, .mem = mem, .nmem = 2, .global = {groups, 1, 1}, .local = {64, 1, 1},
                   .stamp = stamp};
  return tiny_amd.launch(o->dev, &l);
}
enum { WORDS = 4096 };
static tiny_code get(on *o, uint32_t *words, void *mem) {
  return tiny_amd.copy_out(o->dev, words, (tiny_mem){mem, 0}, WORDS * sizeof *words);
}
static tiny_code put(on *o, void *mem, const uint32_t *words) {
  return tiny_amd.copy_in(o->dev, (tiny_mem){mem, 0}, words, WORDS * sizeof *words);
}
// A kernel of WORDS items, whose words are to be what `is` says of their number. in: zeros.
static const char *kernel_gives(const char *body, int lds, int scratch, uint32_t (*is)(uint32_t)) {
  static uint32_t words[WORDS];
  const char *result;
  void *out = NULL, *in = NULL;
  code c = {NULL, NULL};
  on o;
  if ((result = on_open(&o)) != NULL || (result = code_make(&o, &c, body, lds, scratch)) != NULL) goto end;
  out = tiny_amd.alloc(o.dev, sizeof words); in = tiny_amd.alloc(o.dev, sizeof words);
  memset(words, 0, sizeof words);
  WANT(out && in && put(&o, in, words) == TINY_OK && put(&o, out, words) == TINY_OK, "memory: %.400s", tiny_error(o.t));
  WANT(code_run(&o, &c, out, in, WORDS / 64, NULL) == TINY_OK && get(&o, words, out) == TINY_OK, "%.500s",
       tiny_error(o.t));
  for (uint32_t i = 0; i < WORDS; i++) WANT(words[i] == is(i), "word %u is %u, not %u", i, words[i], is(i));
end:
  if (out) tiny_amd.free(o.dev, out, sizeof words);
  if (in) tiny_amd.free(o.dev, in, sizeof words);
  if (c.module) tiny_amd.unload(o.dev, c.module);
  on_close(&o);
  return result;
}

#include "amd_on_device.h"

// ** all of them **

static int list(int tells) {
  int failed = 0, passed = 0, absent = 0;
  for (size_t i = 0; i < sizeof items / sizeof *items; i++) {
    const char *const result = gpus ? items[i].does() : "not there: no GPU";
    const int is_absent = result && !strncmp(result, "not there", 9);
    if (!result) passed++;
    else if (is_absent) absent++;
    else failed++;
    if (tells || (result && !is_absent))
      printf("%2d  %-44s %s%s\n", (int)i + 1, items[i].name, !result ? "pass" : is_absent ? "" : "FAIL: ",
             result ? result : "");
    fflush(stdout);
  }
  if (tells) printf("%d pass, %d fail, %d not there\n", passed, failed, absent);
  return failed;
}
static int on_card(void) {
  static tiny_amd_gpu gpu;
  gpus = tiny_amd_gpus(NULL, &gpu, 1);
  if (gpu.error[0]) gpus = 0;
  target = gpu.target;
  if (gpus) printf("%s, %s, %d units, %.1f GB, KFD %d.%d\n", gpu.name, gpu.target, gpu.units, (double)gpu.nbytes / 1e9,
                   gpu.version[0], gpu.version[1]);
  const int failed = list(1);
  if (!gpus) printf("nothing was proven: %s\n", gpu.error);
  return failed != 0;
}
static void on_played(amd_mock_gpu gpu, uint32_t seed) {
  static const char *const targets[] = {"gfx1100", "gfx1201", "gfx942"};
  played = amd_mock_new(&(amd_mock_desc){.gpu = gpu, .ngpu = 2, .seed = seed, .run = amd_run,
                                         .vram_nbytes = UINT64_C(8) << 30});
  target = targets[gpu];
  gpus = 2;
  CHECK_EQ(list(0), 0);
  const char *const wrong = amd_mock_complaint(played);
  CHECK(!wrong && amd_mock_leaks(played) == 0);
  if (wrong) fprintf(stderr, "    %s\n", wrong);
  amd_mock_free(played);
}

int main(int argc, char **argv) {
  if (argc > 1 && !strcmp(argv[1], "card")) return on_card();
  for (int i = getenv("TEST_BRIEF") ? 2 : 0; i < 3; i++) on_played((amd_mock_gpu)i, i == 1 ? 7 : 0);
  return test_report();
}
