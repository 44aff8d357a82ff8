// handles: those that were freed are told from those that live, in every place where a handle can stand, for as long as their context
// is open; what lies in a slot that was given again is never reached through them.
#include "../src/all.c"
#include "test.h"

static tiny_ctx *t;

static int failed_with(tiny_code code, const char *part) {
  const int ok = tiny_status(t) == code && strstr(tiny_error(t), part) != NULL;
  if (!ok) printf("status %d, \"%s\"; wanted %d and \"%s\"\n", (int)tiny_status(t), tiny_error(t), (int)code, part);
  tiny_clear(t);
  return ok;
}
static tiny_tensor *floats(float a, float b) {
  const float v[2] = {a, b};
  return tiny_from(t, v, TINY_F32, TINY_SHAPE(2));
}
static tiny_tensor *dead_by_end(void) {
  tiny_begin(t);
  tiny_tensor *x = floats(1, 2);
  CHECK_EQ(tiny_end(t), TINY_OK);
  return x;
}

// ** what the error says **

static void check_place(void) {
  char want[128];
  tiny_begin(t);
  tiny_begin(t);
  tiny_tensor *x = floats(1, 2);
  CHECK_EQ(tiny_end(t), TINY_OK);
  snprintf(want, sizeof want, "relu: argument 1 was freed with its frame, of depth 2, by tiny_end number %d", (int)t->tensors->ends);
  CHECK(!tiny_ok(tiny_relu(x)));
  CHECK(failed_with(TINY_E_STATE, want));
  CHECK(tiny_relu(x) == tn_poison(t));
  CHECK(failed_with(TINY_E_STATE, want));
  CHECK_EQ(tiny_end(t), TINY_OK);
  tiny_tensor *y = floats(3, 4), *z = floats(5, 6);
  tiny_free(y);
  CHECK(!tiny_ok(tiny_add(z, y)));
  CHECK(failed_with(TINY_E_STATE, "add: argument 2 was freed by tiny_free"));
  CHECK(!tiny_ok(tiny_add(NULL, y)));
  CHECK(failed_with(TINY_E_ARG, "add: tensor argument 1 is NULL"));
  tiny_free(z);
}

// The slot of a handle is given again after a thousand others. Until then and afterwards the old handle is dead.
static void check_reuse(void) {
  tiny_tensor *old[64];
  float got[2] = {-1, -1};
  int given_again = 0;
  tiny_begin(t);
  for (int i = 0; i < 64; i++) old[i] = floats((float)i, 1);
  CHECK_EQ(tiny_end(t), TINY_OK);
  tiny_begin(t);
  for (int i = 0; i < 8 * TN_SLOTS_WAIT; i++) {
    tiny_tensor *x = floats(7, 7);
    for (int k = 0; k < 64; k += 9) {
      CHECK(!tiny_ok(old[k]) && x != old[k]);
      given_again += tn_slot(x) == tn_slot(old[k]);
    }
    if (i % 8 == 7) { CHECK_EQ(tiny_end(t), TINY_OK); tiny_begin(t); }
  }
  CHECK(given_again > 8);
  tiny_tensor *heir = NULL;
  for (int i = 0; i < 3 * TN_SLOTS_WAIT && !heir; i++) {
    tiny_tensor *x = floats(8, 9);
    if (tn_slot(x) == tn_slot(old[0])) heir = x; else tiny_free(x);
  }
  CHECK(tiny_ok(heir));
  CHECK_EQ(tiny_read(old[0], got, sizeof got), TINY_E_STATE);
  CHECK(got[0] == -1 && failed_with(TINY_E_STATE, "read: argument 1 was freed a while ago"));
  tiny_free(old[0]);                       // does not free the other tensor
  CHECK_EQ(tiny_read(heir, got, sizeof got), TINY_OK);
  CHECK(got[0] == 8 && got[1] == 9);
  CHECK_EQ(tiny_end(t), TINY_OK);
}
// No handle is given twice.
static void check_many(void) {
  enum { MANY = 16 * TN_SLOTS_WAIT };
  static uintptr_t seen[4 * MANY];
  int twice = 0;
  for (int i = 0; i < MANY; i++) {
    tiny_tensor *x = tiny_scalar(t, i, TINY_F32);
    size_t at = (size_t)(tn_hash_mix(1, (uint64_t)(uintptr_t)x) % (4 * MANY));
    while (seen[at] && seen[at] != (uintptr_t)x) at = (at + 1) % (4 * MANY);
    twice += seen[at] == (uintptr_t)x;
    seen[at] = (uintptr_t)x;
    tiny_free(x);
  }
  CHECK_EQ(twice, 0);
}

// ** wherever a handle can stand **

static void check_questions(void) {
  tiny_tensor *x = dead_by_end();
  CHECK(!tiny_ok(x) && tiny_ctx_of(x) == t && !tiny_uop_of(x));
  CHECK(tiny_nelem_of(x) == 0 && tiny_dtype_of(x) == TINY_VOID && tiny_shape_of(x).ndim == 0);
  tiny_free(x);
  tiny_free(x);
  CHECK_EQ(tiny_status(t), TINY_OK);
  CHECK(!tiny_ok(tiny_keep(x)) && failed_with(TINY_E_STATE, "keep: argument 1 was freed"));
  CHECK(tiny_ok(tn_poison(t)) == 0 && tiny_ctx_of(tn_poison(t)) == t && tiny_keep(tn_poison(t)) == tn_poison(t));
  tiny_free(tn_poison(t));
  CHECK(tiny_relu(tn_poison(t)) == tn_poison(t));
  CHECK_EQ(tiny_status(t), TINY_OK);
}
static void check_transfer(void) {
  float v[2] = {0, 0};
  tiny_tensor *x = dead_by_end(), *y = floats(1, 2), *list[2] = {y, x};
  CHECK_EQ(tiny_read(x, v, sizeof v), TINY_E_STATE);
  CHECK(failed_with(TINY_E_STATE, "read: argument 1 was freed"));
  CHECK_EQ(tiny_write(x, v, sizeof v), TINY_E_STATE);
  CHECK(failed_with(TINY_E_STATE, "write: argument 1 was freed"));
  CHECK_EQ(tiny_realize(list, 2), TINY_E_STATE);
  CHECK(failed_with(TINY_E_STATE, "realize: argument 2 was freed"));
  CHECK(isnan(tiny_item(x)) && failed_with(TINY_E_STATE, "item: argument 1 was freed"));
  CHECK(!tiny_ok(tiny_assign(y, x)) && failed_with(TINY_E_STATE, "assign: argument 2 was freed"));
  CHECK(!tiny_ok(tiny_assign(x, y)) && failed_with(TINY_E_STATE, "assign: argument 1 was freed"));
  CHECK(!tiny_ok(tiny_cat(list, 2, 0)) && failed_with(TINY_E_STATE, "cat: argument 2 was freed"));
  tiny_free(y);
}
static void check_training(void) {
  tiny_tensor *x = dead_by_end(), *w = floats(1, 2), *g = NULL, *params[2] = {w, x}, *grads[2] = {NULL, NULL};
  tiny_optim o;
  memset(&o, 0, sizeof o);
  o.momentum = 0.9;
  CHECK_EQ(tiny_grad(tiny_sum(w, TINY_ALL, 0), params, 2, grads), TINY_E_STATE);
  CHECK(grads[0] == tn_poison(t) && grads[1] == tn_poison(t) && failed_with(TINY_E_STATE, "was freed with its frame"));
  CHECK_EQ(tiny_grad(x, params, 1, grads), TINY_E_STATE);
  CHECK(failed_with(TINY_E_STATE, "grad: argument 1 was freed"));
  CHECK_EQ(tiny_optim_step(&o, params, params, 2), TINY_E_STATE);
  CHECK(failed_with(TINY_E_STATE, "was freed"));
  tiny_begin(t);
  CHECK_EQ(tiny_grad(tiny_sum(tiny_square(w), TINY_ALL, 0), &w, 1, &g), TINY_OK);
  CHECK_EQ(tiny_optim_step(&o, &w, &g, 1), TINY_OK);
  CHECK_EQ(tiny_end(t), TINY_OK);
  CHECK_EQ(tiny_optim_step(&o, &w, &g, 1), TINY_E_STATE);    // last step's gradient
  CHECK(failed_with(TINY_E_STATE, "was freed with its frame"));
  tiny_free(o.state[0]);                                     // the optimiser's own state, freed under it
  g = floats(1, 1);
  CHECK_EQ(tiny_optim_step(&o, &w, &g, 1), TINY_E_STATE);
  CHECK(failed_with(TINY_E_STATE, "was freed by tiny_free"));
  o.state[0] = NULL;
  o.when = x;
  CHECK(tiny_optim_step(&o, &w, &g, 1) != TINY_OK);
  tiny_clear(t);
  tiny_optim_free(&o);
  tiny_free(w); tiny_free(g);
}
static void check_programs(void) {
  tiny_tensor *dead = dead_by_end(), *x = floats(1, 2), *y = tiny_square(x), *out = NULL;
  CHECK(!tiny_capture(t, &dead, 1, &y, 1) && failed_with(TINY_E_STATE, "capture: argument 1 was freed"));
  CHECK(!tiny_capture(t, &x, 1, &dead, 1) && failed_with(TINY_E_STATE, "capture: argument 1 was freed"));
  tiny_program *p = tiny_capture(t, &x, 1, &y, 1);
  CHECK(p != NULL);
  CHECK_EQ(tiny_run(p, &dead, &out), TINY_E_STATE);
  CHECK(failed_with(TINY_E_STATE, "run: argument 1 was freed"));
  tiny_free(x); tiny_free(y);              // the program keeps what it needs
  x = floats(3, 4);
  CHECK_EQ(tiny_run(p, &x, &out), TINY_OK);
  float got[2];
  CHECK_EQ(tiny_read(out, got, sizeof got), TINY_OK);
  CHECK(got[0] == 9 && got[1] == 16);
  tiny_program_free(p);
  tiny_free(x); tiny_free(out);
}
static void check_modules(void) {
  tiny_linear_layer fc = tiny_linear_layer_new(t, 2, 3, 1);
  tiny_params p;
  memset(&p, 0, sizeof p);
  CHECK_EQ(tiny_linear_layer_params(&fc, &p, "fc"), TINY_OK);
  tiny_tensor *x = tiny_reshape(floats(1, 2), TINY_SHAPE(1, 2)), *loss = tiny_sum(tiny_linear_layer_forward(&fc, x), TINY_ALL, 0), *g[2];
  CHECK(tiny_ok(loss));
  tiny_free(fc.weight);
  CHECK(!tiny_ok(tiny_linear_layer_forward(&fc, x)) && failed_with(TINY_E_STATE, "was freed by tiny_free"));
  CHECK_EQ(tiny_grad(loss, p.trainable, p.ntrainable, g), TINY_E_STATE);
  CHECK(failed_with(TINY_E_STATE, "was freed by tiny_free"));
  CHECK_EQ(tiny_state_save("/nonexistent/x.safetensors", &p, NULL), TINY_E_STATE);
  CHECK(failed_with(TINY_E_STATE, "was freed by tiny_free"));
  tiny_params_free(&p);
}

static void check_all(const char *device) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = device; d.cache_dir = "";
  t = tiny_open(&d);
  CHECK_STR(tiny_error(t), "");
  check_place();
  check_reuse();
  check_many();
  check_questions();
  check_transfer();
  check_training();
  check_programs();
  check_modules();
  CHECK_STR(tiny_error(t), "");
  tiny_close(t);
}

int main(void) {
  check_all("INTERP");
  return test_report();
}
