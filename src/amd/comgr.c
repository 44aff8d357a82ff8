// comgr: HIP C -> a code object, by AMD's Code Object Manager, which is clang in a library, loaded at run time.
//
// In:    a text, a target (gfx1100), options of clang. Out: a relocatable object, or what the compiler says.
// Holds: two steps, to LLVM's bitcode and to an object, which every version has: no linker is run, and no library of
//        ROCm's is linked with. The library stays loaded: LLVM in it is not made to leave before the process does.
//        It may be called by several threads, each with handles of its own.
// What is what: ROCm/llvm-project, amd/comgr/include/amd_comgr.h.in: declarations of our own. Version 3 dropped a
// language and several actions, and counts those behind anew; a data set holds what is added to it, by a count.
#ifndef TN_KFD_COMGR
#define TN_KFD_COMGR
#ifndef TINY_AMALGAMATED
#include "../base/library.c"
#include "../base/tool.c"
#endif
#ifdef __cplusplus
typedef bool tn_comgr_bool;
#else
typedef _Bool tn_comgr_bool;
#endif

// Handles are structures there, which some systems hand over in other ways than numbers.
typedef struct tn_comgr_data { uint64_t handle; } tn_comgr_data;
typedef struct tn_comgr_set { uint64_t handle; } tn_comgr_set;
typedef struct tn_comgr_action { uint64_t handle; } tn_comgr_action;

enum { TN_COMGR_SOURCE = 1, TN_COMGR_LOG = 5, TN_COMGR_BITCODE = 6, TN_COMGR_RELOCATABLE = 7 };        // kinds of data
enum { TN_COMGR_INVALID_ARGUMENT = 2 };                                    // a status; 0: well

// member, parameters; in the library amd_comgr_member. They return a status.
#define TN_COMGR_FUNCTIONS(F) \
  F(create_data, (unsigned kind, tn_comgr_data *out)) \
  F(release_data, (tn_comgr_data data)) \
  F(set_data, (tn_comgr_data data, size_t nbytes, const char *bytes)) \
  F(set_data_name, (tn_comgr_data data, const char *name)) \
  F(get_data, (tn_comgr_data data, size_t *nbytes, char *out)) \
  F(create_data_set, (tn_comgr_set *out)) \
  F(destroy_data_set, (tn_comgr_set set)) \
  F(data_set_add, (tn_comgr_set set, tn_comgr_data data)) \
  F(action_data_count, (tn_comgr_set set, unsigned kind, size_t *out)) \
  F(action_data_get_data, (tn_comgr_set set, unsigned kind, size_t i, tn_comgr_data *out)) \
  F(create_action_info, (tn_comgr_action *out)) \
  F(destroy_action_info, (tn_comgr_action action)) \
  F(action_info_set_language, (tn_comgr_action action, unsigned language)) \
  F(action_info_set_isa_name, (tn_comgr_action action, const char *name)) \
  F(action_info_set_option_list, (tn_comgr_action action, const char **options, size_t n)) \
  F(action_info_set_logging, (tn_comgr_action action, tn_comgr_bool logging)) \
  F(do_action, (unsigned kind, tn_comgr_action action, tn_comgr_set input, tn_comgr_set result))

// library: NULL where there is none that can be used; `why` tells then.
#define TN_COMGR_MEMBER(name, parameters) unsigned (*name) parameters;
typedef struct tn_comgr {
  void *library;
  size_t major, minor;
  char why[200];
  TN_COMGR_FUNCTIONS(TN_COMGR_MEMBER)
} tn_comgr;
#undef TN_COMGR_MEMBER

// ** found **

typedef struct tn_comgr_symbol { const char *name; size_t at; } tn_comgr_symbol;
#define TN_COMGR_SYMBOL(name, parameters) {"amd_comgr_" #name, offsetof(tn_comgr, name)},
static int tn_comgr_link(tn_comgr *c, void *library) {
  static const tn_comgr_symbol symbols[] = {TN_COMGR_FUNCTIONS(TN_COMGR_SYMBOL)};
  void (*version)(size_t *, size_t *);
  void *found = tn_library_symbol(library, "amd_comgr_get_version");
  memcpy(&version, &found, sizeof found);
  if (found) version(&c->major, &c->minor);
  if (c->major != 2 && c->major != 3) {
    snprintf(c->why, sizeof c->why, "which is of version %d here, and 2 and 3 are known", (int)c->major);
    return 0;
  }
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
    found = tn_library_symbol(library, symbols[i].name);
    if (!found) snprintf(c->why, sizeof c->why, "which has no %s here", symbols[i].name);
    if (!found) return 0;
    memcpy((char *)c + symbols[i].at, &found, sizeof found);
  }
  return 1;
}
#undef TN_COMGR_SYMBOL
// The file that is named, else the one of TINY_AMD_COMGR, else what the system's loader finds, or ROCm's. 0: none.
static int tn_comgr_open(tn_comgr *c, const char *named) {
  static const char *const names[] = {"libamd_comgr.so.3", "libamd_comgr.so.2", "/opt/rocm/lib/libamd_comgr.so.3",
    "/opt/rocm/lib/libamd_comgr.so.2", NULL};
  if (!*named) named = getenv("TINY_AMD_COMGR");
  const char *const one[] = {named, NULL};
  void *const library = tn_library_open(named && *named ? one : names);
  if (!library) snprintf(c->why, sizeof c->why, "and there is no %.100s", named && *named ? named
                         : "libamd_comgr.so.3 or .so.2");
  else if (tn_comgr_link(c, library)) c->library = library;
  else tn_library_close(library);
  return c->library != NULL;
}

// ** compiled **

enum { TN_COMGR_TEXT, TN_COMGR_BETWEEN, TN_COMGR_MADE, TN_COMGR_SETS };
typedef struct tn_comgr_job {
  const tn_comgr *c;
  const char *target;
  tn_comgr_action action; int has_action;
  tn_comgr_set set[TN_COMGR_SETS]; int nsets;
  tn_tool_made *out;
} tn_comgr_job;

// -> the status is good; else it is said why not, if it is not yet.
static int tn_comgr_check(tn_comgr_job *j, unsigned status, const char *what) {
  if (status && !j->out->log[0])
    snprintf(j->out->log, sizeof j->out->log, "COMGR %d.%d: %s: status %u", (int)j->c->major, (int)j->c->minor, what,
             status);
  return !status;
}
static int tn_comgr_begin(tn_comgr_job *j) {
  for (; j->nsets < TN_COMGR_SETS; j->nsets++)
    if (!tn_comgr_check(j, j->c->create_data_set(&j->set[j->nsets]), "a data set")) return 0;
  j->has_action = tn_comgr_check(j, j->c->create_action_info(&j->action), "an action");
  return j->has_action;
}
static void tn_comgr_end(tn_comgr_job *j) {
  while (j->nsets) j->c->destroy_data_set(j->set[--j->nsets]);
  if (j->has_action) j->c->destroy_action_info(j->action);
}
// Bitcode and objects get its name, with .bc and .o in the place of .hip, by which clang knows what they are.
static int tn_comgr_give(tn_comgr_job *j, const char *hip) {
  tn_comgr_data source;
  if (!tn_comgr_check(j, j->c->create_data(TN_COMGR_SOURCE, &source), "data")) return 0;
  unsigned status = j->c->set_data(source, strlen(hip), hip);
  if (!status) status = j->c->set_data_name(source, "kernels.hip");
  if (!status) status = j->c->data_set_add(j->set[TN_COMGR_TEXT], source);
  j->c->release_data(source);
  return tn_comgr_check(j, status, "the source");
}
static int tn_comgr_describe(tn_comgr_job *j, const char *const *options, size_t n) {
  enum { HIP_2 = 4, HIP_3 = 3, MOST = 16 };
  const char *option[MOST];
  char isa[80];
  for (size_t i = 0; i < n && i < MOST; i++) option[i] = options[i];
  snprintf(isa, sizeof isa, "amdgcn-amd-amdhsa--%s", j->target);
  const unsigned known = j->c->action_info_set_isa_name(j->action, isa);
  if (known == TN_COMGR_INVALID_ARGUMENT)
    snprintf(j->out->log, sizeof j->out->log, "COMGR %d.%d does not know it: install a newer ROCm's", (int)j->c->major,
             (int)j->c->minor);
  unsigned status = known;
  if (!status) status = j->c->action_info_set_language(j->action, j->c->major == 2 ? HIP_2 : HIP_3);
  if (!status) status = j->c->action_info_set_option_list(j->action, option, n < MOST ? n : (size_t)MOST);
  if (!status) status = j->c->action_info_set_logging(j->action, 1);
  return tn_comgr_check(j, status, "an action's description");
}
// Data of a set: at most `most` bytes, into out, or (out NULL) by malloc with a 0 behind. NULL: it is not there.
static char *tn_comgr_take(tn_comgr_job *j, int set, unsigned kind, char *out, size_t most, size_t *nbytes) {
  size_t n = 0;
  tn_comgr_data data;
  char *taken = NULL;
  if (j->c->action_data_count(j->set[set], kind, &n) || !n) return NULL;
  if (j->c->action_data_get_data(j->set[set], kind, 0, &data)) return NULL;
  if (!j->c->get_data(data, &n, NULL) && n) {
    if (out && n > most) n = most;
    taken = out ? out : (char *)malloc(n + 1);
    if (taken && j->c->get_data(data, &n, taken)) { if (!out) free(taken); taken = NULL; }         // n bytes of it
    if (taken) { taken[n] = 0; *nbytes = n; }
  }
  j->c->release_data(data);
  return taken;
}
static int tn_comgr_act(tn_comgr_job *j, unsigned kind, int from, int to, const char *what) {
  const unsigned status = j->c->do_action(kind, j->action, j->set[from], j->set[to]);
  tn_tool_made *const out = j->out;
  size_t n;
  if (status && !tn_comgr_take(j, to, TN_COMGR_LOG, out->log, sizeof out->log - 1, &n)) out->log[0] = 0;
  return tn_comgr_check(j, status, what);
}
// 0: out->bytes by malloc; else out->log says why not.
static int tn_comgr_compile(const tn_comgr *c, const char *hip, const char *target, const char *const *options,
                            size_t n, tn_tool_made *out) {
  enum { SOURCE_TO_BITCODE = 2, BITCODE_TO_RELOCATABLE_2 = 6, BITCODE_TO_RELOCATABLE_3 = 4 };
  const unsigned second = c->major == 2 ? BITCODE_TO_RELOCATABLE_2 : BITCODE_TO_RELOCATABLE_3;
  tn_comgr_job j;
  memset(&j, 0, sizeof j);
  j.c = c; j.target = target; j.out = out;
  if (tn_comgr_begin(&j) && tn_comgr_give(&j, hip) && tn_comgr_describe(&j, options, n) &&
      tn_comgr_act(&j, SOURCE_TO_BITCODE, TN_COMGR_TEXT, TN_COMGR_BETWEEN, "to bitcode") &&
      tn_comgr_act(&j, second, TN_COMGR_BETWEEN, TN_COMGR_MADE, "to an object"))
    out->bytes = tn_comgr_take(&j, TN_COMGR_MADE, TN_COMGR_RELOCATABLE, NULL, 0, &out->nbytes);
  if (!out->bytes) tn_comgr_check(&j, 1, "it gives no object");
  tn_comgr_end(&j);
  return !out->bytes;
}
#endif
