// params: lists of named tensors: what a network consists of.
//
// In: tensors and parts of names, from the modules' own functions. Out: names like "layers.0.weight" in the
// order of the calls, and the trainable tensors, each once, as tiny_grad and the optimisers take them. The
// names that were entered stand in one string; length[] tells where each begins. Handles are not owned: what
// changes a parameter changes what its handle holds (tensor.c).
#ifndef TN_TENSOR_PARAMS
#define TN_TENSOR_PARAMS
#ifndef TINY_AMALGAMATED
#include "tensor.c"
#endif

// Puts "a.b" or, if one is empty, the other into out, which may be a. 0: too long.
static int tn_name_join(char *out, const char *a, const char *b) {
  const size_t n = a ? strlen(a) : 0, m = b ? strlen(b) : 0, dot = n && m;
  if (n + dot + m >= TINY_NAME_SIZE) return 0;
  if (n && out != a) memcpy(out, a, n);
  if (dot) out[n] = '.';
  if (m) memcpy(out + n + dot, b, m);
  out[n + dot + m] = 0;
  return 1;
}

// Room for one more element of size bytes in *list, which holds n and has room for *cap.
static int tn_params_grow(tiny_ctx *t, void **list, int n, int *cap, size_t size) {
  if (n < *cap) return 1;
  const int more = *cap ? 2 * *cap : TN_FIRST_SLOTS;
  void *grown = tn_owned_grow(t, *list, (size_t)more * size);
  if (!grown) return 0;
  *list = grown; *cap = more;
  return 1;
}

TINY_API tiny_tensor *tiny_params_find(const tiny_params *p, const char *name) {
  for (int i = 0; p && name && i < p->n; i++) if (!strcmp(p->param[i].name, name)) return p->param[i].tensor;
  return NULL;
}

TINY_API tiny_code tiny_params_add(tiny_params *p, const char *prefix, const char *name, tiny_tensor *tensor,
                                   int trainable) {
  char whole[TINY_NAME_SIZE];
  tiny_tensor *out;
  if (!p || !name) return TINY_E_ARG;
  if (!tensor) return TINY_OK;
  if (!tn_usable_in(p->t, "params_add", 1, &tensor, &out))
    return out && tn_ctx_of(out)->code ? tn_ctx_of(out)->code : TINY_E_STATE;
  tiny_ctx *t = tn_ctx_of(tensor);
  if (!tn_name_join(whole, p->path, prefix) || !tn_name_join(whole, whole, name))
    return tiny_fail(t, TINY_E_ARG, "params_add: the name of %s is longer than %d", name, TINY_NAME_SIZE - 1);
  if (tiny_params_find(p, whole))
    return tiny_fail(t, TINY_E_ARG, "params_add: two tensors are named %s", whole);
  void *param = p->param, *list = p->trainable;
  int listed = !trainable;
  for (int i = 0; i < p->ntrainable && !listed; i++) listed = p->trainable[i] == tensor;
  const int grown = tn_params_grow(t, &param, p->n, &p->cap, sizeof *p->param) &&
      (listed || tn_params_grow(t, &list, p->ntrainable, &p->captrainable, sizeof *p->trainable));
  p->t = t; p->param = (tiny_param *)param; p->trainable = (tiny_tensor **)list;
  if (!grown) return t->code;
  if (!listed) p->trainable[p->ntrainable++] = tensor;
  tiny_param *to = &p->param[p->n++];
  memcpy(to->name, whole, sizeof whole);
  to->tensor = tensor; to->trainable = trainable;
  return TINY_OK;
}

// A path that is too long is cut: the names below it are then too long as well, and say so.
TINY_API void tiny_params_enter(tiny_params *p, const char *name) {
  const int deepest = (int)(sizeof p->length / sizeof *p->length);
  if (!p) return;
  if (p->depth < deepest) p->length[p->depth] = (int)strlen(p->path);
  p->depth++;
  if (tn_name_join(p->path, p->path, name) && p->depth <= deepest) return;
  const size_t used = strlen(p->path);
  memset(p->path + used, '.', TINY_NAME_SIZE - 1 - used);
  p->path[TINY_NAME_SIZE - 1] = 0;
}
TINY_API void tiny_params_leave(tiny_params *p) {
  if (!p || !p->depth) return;
  p->depth--;
  if (p->depth < (int)(sizeof p->length / sizeof *p->length)) p->path[p->length[p->depth]] = 0;
}

TINY_API void tiny_params_free(tiny_params *p) {
  if (!p) return;
  tn_owned_free(p->param);
  tn_owned_free(p->trainable);
  memset(p, 0, sizeof *p);
}
#endif
