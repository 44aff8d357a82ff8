// mock_comgr: libamd_comgr for machines without ROCm: the functions that src/amd/comgr.c calls, as AMD's header has
// them, done by this machine's clang. What the header forbids (handles that are gone, data changed after an action read
// it, an action without a target or a language) ends the process, and so does what is not given back when it ends.
//
// MOCK_COMGR_MAJOR=3: numbers of languages and actions as version 3 has them, instead of 2. MOCK_COMGR_FAIL=n: the n-th
// call behind the last for the version is refused for want of memory. MOCK_COMGR_UNKNOWN: a target that it does
// not know. MOCK_COMGR_CLANG: the compiler.
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
typedef struct { uint64_t handle; } handle;
enum { DATA = 1, SET, ACTION };                            // what a handle is of
enum { SOURCE = 1, LOG = 5, BITCODE = 6, RELOCATABLE = 7 };
enum { GOOD, ERROR, INVALID, MEMORY };
enum { THINGS = 4096, HELD = 8 };

typedef struct { int what, kind, count, read; char *bytes, name[80]; size_t nbytes; } data_thing;
typedef struct { int n, held[HELD]; } set_thing;
typedef struct { unsigned language; char isa[80], options[1000]; bool described, logging; } action_thing;
typedef struct { int what; data_thing data; set_thing set; action_thing action; } thing;
static thing things[THINGS];                               // a handle is never used again
static int made, live;
static long calls, fail_at;

static void wrong(const char *format, ...) {
  va_list args;
  va_start(args, format);
  fprintf(stderr, "mock_comgr: ");
  vfprintf(stderr, format, args);
  fprintf(stderr, "\n");
  va_end(args);
  _exit(98);
}
__attribute__((destructor)) static void end(void) { if (live) wrong("%d handles are left", live); }
static int fails(void) { return ++calls == fail_at; }
static handle make(int what) {
  if (++made == THINGS) wrong("too many handles");
  things[made].what = what;
  live++;
  return (handle){(uint64_t)made << 8 | (uint64_t)what};
}
static thing *at(handle h, int what) {
  const uint64_t i = h.handle >> 8;
  if ((h.handle & 255) != (uint64_t)what || !i || i > (uint64_t)made || things[i].what != what)
    wrong("%llx is no handle of %s", (unsigned long long)h.handle,
          what == DATA ? "data" : what == SET ? "a set" : "an action");
  return &things[i];
}
static void drop(thing *t) { t->what = 0; live--; }
static void unhold(thing *t) {
  if (--t->data.count) return;
  free(t->data.bytes);
  drop(t);
}

EXPORT void amd_comgr_get_version(size_t *major, size_t *minor) {
  const char *asked = getenv("MOCK_COMGR_MAJOR"), *fail = getenv("MOCK_COMGR_FAIL");
  *major = asked ? (size_t)atoi(asked) : 2;
  *minor = *major == 2 ? 8 : 0;
  fail_at = fail ? atol(fail) : 0;
  calls = 0;
}

// ** data **

EXPORT unsigned amd_comgr_create_data(unsigned kind, handle *out) {
  if (kind < 1 || kind > 9) return INVALID;
  if (fails()) return MEMORY;
  *out = make(DATA);
  thing *const t = at(*out, DATA);
  t->data.kind = (int)kind;
  t->data.count = 1;
  return GOOD;
}
EXPORT unsigned amd_comgr_release_data(handle data) { unhold(at(data, DATA)); return GOOD; }
static unsigned set_bytes(thing *t, size_t nbytes, const char *bytes) {
  free(t->data.bytes);
  t->data.bytes = (char *)malloc(nbytes + 1);
  memcpy(t->data.bytes, bytes, nbytes);
  t->data.nbytes = nbytes;
  return GOOD;
}
EXPORT unsigned amd_comgr_set_data(handle data, size_t nbytes, const char *bytes) {
  thing *const t = at(data, DATA);
  if (t->data.read) wrong("data is changed that an action has read or made");
  return fails() ? (unsigned)MEMORY : set_bytes(t, nbytes, bytes);
}
EXPORT unsigned amd_comgr_set_data_name(handle data, const char *name) {
  thing *const t = at(data, DATA);
  if (t->data.read) wrong("data is named that an action has read or made");
  if (fails()) return MEMORY;
  snprintf(t->data.name, sizeof t->data.name, "%s", name ? name : "");
  return GOOD;
}
EXPORT unsigned amd_comgr_get_data(handle data, size_t *nbytes, char *out) {
  thing *const t = at(data, DATA);
  if (fails()) return MEMORY;
  if (!out) { *nbytes = t->data.nbytes; return GOOD; }
  if (*nbytes > t->data.nbytes) wrong("%zu bytes are asked for of %zu", *nbytes, t->data.nbytes);
  memcpy(out, t->data.bytes, *nbytes);
  return GOOD;
}

// ** sets **

EXPORT unsigned amd_comgr_create_data_set(handle *out) {
  if (fails()) return MEMORY;
  *out = make(SET);
  return GOOD;
}
EXPORT unsigned amd_comgr_destroy_data_set(handle set) {
  thing *const t = at(set, SET);
  for (int i = 0; i < t->set.n; i++) unhold(&things[t->set.held[i]]);
  drop(t);
  return GOOD;
}
EXPORT unsigned amd_comgr_data_set_add(handle set, handle data) {
  thing *const t = at(set, SET), *const d = at(data, DATA);
  if (t->set.n == HELD) wrong("too much in a set");
  if (fails()) return MEMORY;
  t->set.held[t->set.n++] = (int)(d - things);
  d->data.count++;
  return GOOD;
}
// The i-th of a kind; NULL: there are no more.
static thing *in_set(thing *set, unsigned kind, size_t i) {
  for (int k = 0; k < set->set.n; k++) {
    thing *const d = &things[set->set.held[k]];
    if (d->data.kind == (int)kind && !i--) return d;
  }
  return NULL;
}
EXPORT unsigned amd_comgr_action_data_count(handle set, unsigned kind, size_t *out) {
  thing *const t = at(set, SET);
  if (fails()) return MEMORY;
  for (*out = 0; in_set(t, kind, *out); ) ++*out;
  return GOOD;
}
EXPORT unsigned amd_comgr_action_data_get_data(handle set, unsigned kind, size_t i, handle *out) {
  thing *const d = in_set(at(set, SET), kind, i);
  if (!d) return INVALID;
  if (fails()) return MEMORY;
  d->data.count++;
  out->handle = (uint64_t)(d - things) << 8 | DATA;
  return GOOD;
}
static void put(thing *set, int kind, const char *name, const char *bytes, size_t nbytes) {
  const handle h = make(DATA);
  thing *const d = at(h, DATA);
  d->data.kind = kind; d->data.count = 1; d->data.read = 1;
  snprintf(d->data.name, sizeof d->data.name, "%s", name);
  set_bytes(d, nbytes, bytes);
  if (set->set.n == HELD) wrong("too much in a set");
  set->set.held[set->set.n++] = (int)(d - things);
}

// ** actions **

EXPORT unsigned amd_comgr_create_action_info(handle *out) {
  if (fails()) return MEMORY;
  *out = make(ACTION);
  return GOOD;
}
EXPORT unsigned amd_comgr_destroy_action_info(handle action) { drop(at(action, ACTION)); return GOOD; }
EXPORT unsigned amd_comgr_action_info_set_language(handle action, unsigned language) {
  thing *const t = at(action, ACTION);
  if (fails()) return MEMORY;
  t->action.language = language;
  return GOOD;
}
EXPORT unsigned amd_comgr_action_info_set_isa_name(handle action, const char *name) {
  static const char prefix[] = "amdgcn-amd-amdhsa--gfx";
  thing *const t = at(action, ACTION);
  const char *unknown = getenv("MOCK_COMGR_UNKNOWN");
  if (strncmp(name, prefix, sizeof prefix - 1) || (unknown && strstr(name, unknown))) return INVALID;
  if (fails()) return MEMORY;
  snprintf(t->action.isa, sizeof t->action.isa, "%s", name + sizeof prefix - 4);
  return GOOD;
}
EXPORT unsigned amd_comgr_action_info_set_option_list(handle action, const char **options, size_t n) {
  thing *const t = at(action, ACTION);
  if (fails()) return MEMORY;
  t->action.options[0] = 0;
  for (size_t i = 0; i < n; i++) {
    const size_t had = strlen(t->action.options);
    if (strpbrk(options[i], " '\"$;|&")) wrong("an option is several words: %s", options[i]);
    snprintf(t->action.options + had, sizeof t->action.options - had, " %s", options[i]);
  }
  t->action.described = true;
  return GOOD;
}
EXPORT unsigned amd_comgr_action_info_set_logging(handle action, bool logging) {
  thing *const t = at(action, ACTION);
  if (fails()) return MEMORY;
  t->action.logging = logging;
  return GOOD;
}

// ** done **

static char *whole(const char *path, size_t *nbytes) {
  FILE *const f = fopen(path, "rb");
  char *const all = (char *)malloc(1 << 24);
  *nbytes = f ? fread(all, 1, 1 << 24, f) : 0;
  if (f) fclose(f);
  return all;
}
static unsigned compile(thing *action, const thing *from, thing *to, int kind) {
  const char *const given = getenv("MOCK_COMGR_CLANG"), *const clang = given ? given : "clang";
  const char *const ends = kind == BITCODE ? ".bc" : ".o";
  char folder[] = "/tmp/mock_comgr_XXXXXX", in[200], out[200], said[200], name[90], line[3000];
  size_t n;
  if (!mkdtemp(folder)) wrong("no folder");
  snprintf(name, sizeof name, "%.*s%s", (int)strcspn(from->data.name, "."), from->data.name, ends);
  snprintf(in, sizeof in, "%s/%s", folder, from->data.name);
  snprintf(out, sizeof out, "%s/out%s", folder, ends);
  snprintf(said, sizeof said, "%s/log", folder);
  FILE *const f = fopen(in, "wb");
  if (!f || fwrite(from->data.bytes, 1, from->data.nbytes, f) != from->data.nbytes || fclose(f)) wrong("%s", in);
  if (kind == BITCODE)
    snprintf(line, sizeof line, "%s --offload-arch=%s%s -x hip --cuda-device-only -c -emit-llvm -o %s %s 2>%s",
             clang, action->action.isa, action->action.options, out, in, said);
  else
    snprintf(line, sizeof line, "%s -target amdgcn-amd-amdhsa -mcpu=%s%s -c -o %s %s 2>%s", clang, action->action.isa,
             action->action.options, out, in, said);
  const int result = system(line);
  char *bytes = whole(said, &n);
  if (action->action.logging) put(to, LOG, "comgr.log", bytes, n);
  free(bytes);
  bytes = whole(out, &n);
  if (!result) put(to, kind, name, bytes, n);
  free(bytes);
  unlink(in); unlink(out); unlink(said); rmdir(folder);
  return result ? ERROR : GOOD;
}
EXPORT unsigned amd_comgr_do_action(unsigned kind, handle action, handle input, handle result) {
  const char *const asked = getenv("MOCK_COMGR_MAJOR");
  const int major = asked ? atoi(asked) : 2;
  const unsigned hip = major == 2 ? 4 : 3;
  thing *const a = at(action, ACTION), *const from = at(input, SET), *const to = at(result, SET);
  const int first = kind == 2, second = kind == (major == 2 ? 6u : 4u);
  thing *const source = in_set(from, first ? SOURCE : BITCODE, 0);
  if (!first && !second) return INVALID;
  if (!a->action.isa[0] || !a->action.described) wrong("an action without a target or options");
  if (first && a->action.language != hip) wrong("language %u", a->action.language);
  if (!source || in_set(from, first ? SOURCE : BITCODE, 1)) wrong("an action wants one input here");
  if (from == to) wrong("an action writes what it reads");
  if (!source->data.name[0]) wrong("what is compiled has no name");
  if (fails()) return MEMORY;
  source->data.read = 1;
  return compile(a, source, to, first ? BITCODE : RELOCATABLE);
}
