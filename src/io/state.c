// state: the parameters of a network and the state of its optimiser, in one file.
//
// In:  a list of named parameters, and the optimiser that steps its trainable ones. Out: an archive of either
// format, in
//      which tensors have their names, and the optimiser's state those of "optim.m.NAME", "optim.v.NAME",
//      "optim.u.NAME" and "optim.left".
// Loading checks everything before it changes anything.
#ifndef TN_IO_STATE
#define TN_IO_STATE
#ifndef TINY_AMALGAMATED
#include "files.c"
#include "../tensor/params.c"
#include "../tensor/training.c"
#endif

#ifndef TINY_NO_NN
enum { TN_STATE_NAME = TINY_NAME_SIZE + 16 };
static const char tn_state_slots[TN_SLOTS + 1] = "mvu";

// One tensor of the state: its name and where it is held.
typedef struct tn_state_item { char name[TN_STATE_NAME]; tiny_tensor *x; } tn_state_item;
typedef struct tn_state { tiny_ctx *t; tn_state_item *item; int n, cap; } tn_state;

static const char *tn_state_name(const tiny_params *p, const tiny_tensor *x) {
  for (int i = 0; i < p->n; i++) if (p->param[i].tensor == x) return p->param[i].name;
  return "?";
}
static int tn_state_add(tn_state *s, tiny_tensor *x, const char *prefix, const char *name) {
  if (!x) return 1;
  tn_state_item *item = &s->item[s->n++];
  snprintf(item->name, sizeof item->name, "%s%s", prefix, name);
  item->x = x;
  return 1;
}
static void tn_state_free(tn_state *s) { tn_release(s->t, s->item, (size_t)s->cap * sizeof *s->item); }

// Everything that there is to save or load.
static int tn_state_collect(tn_state *s, const char *name, const tiny_params *p, const tiny_optim *o) {
  memset(s, 0, sizeof *s);
  s->t = p && p->n ? tn_ctx_of(p->param[0].tensor) : NULL;
  if (!s->t) return 0;
  if (o && o->n && o->n != p->ntrainable) {
    tiny_fail(s->t, TINY_E_ARG, "%s: an optimiser of %d parameters, but %d are trainable", name, o->n,
              p->ntrainable);
    return 0;
  }
  s->cap = p->n + TN_SLOTS * (o ? o->n : 0) + 1;
  s->item = (tn_state_item *)tn_alloc(s->t, (size_t)s->cap * sizeof *s->item);
  if (!s->item) return 0;
  for (int i = 0; i < p->n; i++) tn_state_add(s, p->param[i].tensor, "", p->param[i].name);
  for (int slot = 0; o && o->state && slot < TN_SLOTS; slot++) {
    const char prefix[] = {'o', 'p', 't', 'i', 'm', '.', tn_state_slots[slot], '.', 0};
    for (int i = 0; i < o->n; i++)
      tn_state_add(s, o->state[slot * o->n + i], prefix, tn_state_name(p, p->trainable[i]));
  }
  if (o && o->left) tn_state_add(s, o->left, "", "optim.left");
  tiny_tensor *out;
  for (int i = 0; i < s->n; i++) {
    if (tn_usable_in(s->t, name, 1, &s->item[i].x, &out)) continue;
    tn_state_free(s);
    return 0;
  }
  return 1;
}

TINY_API tiny_code tiny_state_save(const char *path, const tiny_params *p, const tiny_optim *o) {
  tn_state s;
  if (!tn_state_collect(&s, "state_save", p, o)) return s.t && s.t->code ? s.t->code : TINY_E_ARG;
  const size_t each = sizeof(char *) + sizeof(tiny_tensor *), nbytes = (size_t)s.n * each;
  const char **name = (const char **)tn_alloc(s.t, nbytes);
  tiny_code code = TINY_E_MEMORY;
  if (name) {
    tiny_tensor **x = (tiny_tensor **)(void *)(name + s.n);
    for (int i = 0; i < s.n; i++) { name[i] = s.item[i].name; x[i] = s.item[i].x; }
    code = tiny_save(path, name, x, s.n);
  }
  tn_release(s.t, (void *)(uintptr_t)name, nbytes);
  tn_state_free(&s);
  return code;
}

// ** loading **

// What an entry holds must fit the tensor; strict: and be there.
static int tn_state_fetch(const tn_state *s, const tiny_archive *a, const tn_state_item *item,
                          tiny_tensor **loaded, int strict) {
  char want[TN_DIMS_TEXT], have[TN_DIMS_TEXT];
  const char *path = a->path;
  *loaded = NULL;
  if (!tn_archive_find(a, item->name)) {
    if (strict) tiny_fail(s->t, TINY_E_IO, "state_load: %.200s has no tensor '%s'", path, item->name);
    return !strict;
  }
  *loaded = tiny_archive_get((tiny_archive *)(uintptr_t)a, item->name);
  if (!tiny_ok(*loaded)) return 0;
  tiny_uop *u = tn_uop_of(*loaded);
  if (tn_has_dims(tn_uop_of(item->x), u->ndim, u->dim)) {
    tn_slot(*loaded)->uop = u = tn_cast(s->t, u, tn_uop_of(item->x)->dtype);
    return !tn_bad(s->t, u);
  }
  tiny_fail(s->t, TINY_E_IO, "state_load: '%s' of %.200s is %s, the parameter %s", item->name, path,
            tn_text_of(u, have), tn_text_of(tn_uop_of(item->x), want));
  return 0;
}
// Entries that nothing takes.
static int tn_state_all_used(const tn_state *s, const tiny_archive *a, int optim) {
  for (int i = 0; i < a->n; i++) {
    int used = !optim && !strncmp(a->entry[i].name, "optim.", 6);
    for (int k = 0; k < s->n && !used; k++) used = !strcmp(s->item[k].name, a->entry[i].name);
    if (used) continue;
    tiny_fail(s->t, TINY_E_IO, "state_load: nothing here is called '%.100s', as a tensor of %.200s is",
              a->entry[i].name, a->path);
    return 0;
  }
  return 1;
}
typedef struct tn_state_load_call { const tn_state *s; tiny_tensor **loaded; } tn_state_load_call;
static tiny_code tn_state_take(tiny_ctx *t, void *arg) {
  const tn_state_load_call *c = (const tn_state_load_call *)arg;
  tiny_code code = TINY_OK;
  tn_list roots = {NULL, 0, 0};
  for (int i = 0; i < c->s->n; i++) if (c->loaded[i]) tn_push(t, &roots, tn_uop_of(c->loaded[i]));
  if (roots.n) code = tn_realize_roots(t, &roots);
  for (int i = 0; code == TINY_OK && i < c->s->n; i++)
    if (c->loaded[i]) code = tn_take_contents(t, c->s->item[i].x, tn_uop_of(c->loaded[i]));
  return code;
}
static int tn_state_read(const tn_state *s, const tiny_archive *a, int strict, int optim) {
  const size_t nbytes = (size_t)s->n * sizeof(tiny_tensor *);
  tiny_tensor **loaded = (tiny_tensor **)tn_alloc(s->t, nbytes);
  int done = loaded && (!strict || tn_state_all_used(s, a, optim));
  for (int i = 0; done && i < s->n; i++) done = tn_state_fetch(s, a, &s->item[i], &loaded[i], strict);
  tn_state_load_call call = {s, loaded};
  if (done) done = tn_guard(s->t, tn_state_take, &call) == TINY_OK;
  for (int i = 0; loaded && i < s->n; i++) tiny_free(loaded[i]);
  tn_release(s->t, loaded, nbytes);
  return done;
}

TINY_API tiny_code tiny_state_load(const char *path, const tiny_params *p, tiny_optim *o, int strict) {
  tn_state s;
  tiny_ctx *t = p && p->n ? tn_ctx_of(p->param[0].tensor) : NULL;
  if (!t) return TINY_E_ARG;
  // The state must exist to be loaded.
  if (o && o->t && o->t != t) return tiny_fail(t, TINY_E_ARG, "state_load: the optimiser belongs to another context");
  if (o && p->ntrainable &&
      (!tn_optim_known(t, "state_load", o) ||
       tn_step_check(t, "state_load", o->n, p->trainable, p->trainable, p->ntrainable) != TINY_OK ||
       !tn_optim_open(o, t, p->trainable, p->ntrainable)))
    return t->code;
  tiny_archive *a = tiny_archive_open(t, path);
  if (!a) return t->code ? t->code : TINY_E_IO;
  if (tn_state_collect(&s, "state_load", p, o)) {
    tn_state_read(&s, a, strict, o != NULL);
    tn_state_free(&s);
  }
  tiny_archive_close(a);
  return t->code;
}
#endif // TINY_NO_NN
#endif
