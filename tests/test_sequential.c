// test_sequential: stages do what their parts do one by one, in the order of the fields; names, scopes, errors, memory.
#include "../src/all.c"
#include "test.h"
#include "memory_test.h"

static tiny_ctx *open_on(const char *device) {
  tiny_desc d;
  memset(&d, 0, sizeof d);
  d.device = device; d.cache_dir = ""; d.seed = 7;
  return tiny_open(&d);
}
static int same(tiny_tensor *a, tiny_tensor *b) {
  return tiny_shape_of(a).ndim == tiny_shape_of(b).ndim && tiny_item(tiny_all(tiny_eq(a, b), TINY_ALL, 0)) == 1;
}
static tiny_tensor *twice(tiny_tensor *x) { return tiny_mul_scalar(x, 2); }

static void test_parts(const char *device) {
  tiny_ctx *t = open_on(device);
  tiny_stage s[4];
  tiny_conv_desc same_size;
  memset(s, 0, sizeof s); memset(&same_size, 0, sizeof same_size);
  same_size.same = 1;
  s[0].conv = tiny_conv_layer_new(t, 2, 4, TINY_SHAPE(3, 3), &same_size, 1);
  s[0].norm = tiny_norm_layer_new(t, TINY_BATCH_NORM, TINY_SHAPE(4), 0);
  s[0].apply = tiny_relu; s[0].max_pool = 2;
  s[1].avg_pool = 2; s[1].apply = twice;
  s[2].flatten = 1; s[2].linear = tiny_linear_layer_new(t, 16, 5, 1); s[2].dropout = 0.5; s[2].name = "out";
  tiny_tensor *x = tiny_randn(t, TINY_SHAPE(3, 2, 8, 8));
  tiny_realize(&x, 1);
  tiny_tensor *z = tiny_sequential(s, 4, x, 0);
  tiny_tensor *y = tiny_norm_layer_forward(&s[0].norm, tiny_conv_layer_forward(&s[0].conv, x), 0);
  y = tiny_avg_pool2d(twice(tiny_max_pool2d(tiny_relu(y), 2, 0, 0)), 2, 0, 0);
  y = tiny_linear_layer_forward(&s[2].linear, tiny_flatten(y, 1, -1));
  CHECK(tiny_shape_of(z).ndim == 2 && tiny_shape_of(z).dim[1] == 5);
  CHECK(same(y, z));
  CHECK_STR(tiny_label_of(z), "out");
  CHECK(tiny_sequential(s, 0, x, 0) == x && tiny_sequential(NULL, 0, x, 0) == x);
  // what is trained differs: dropout, and the statistics of the norm
  tiny_tensor *mean = s[0].norm.mean;
  CHECK(tiny_item(tiny_sum(tiny_abs(mean), TINY_ALL, 0)) == 0);
  tiny_begin(t);
  tiny_tensor *trained = tiny_sequential(s, 3, x, 1);
  CHECK(tiny_item(tiny_count_nonzero(trained, TINY_ALL, 0)) < 15);
  CHECK_EQ(tiny_end(t), TINY_OK);
  CHECK(tiny_item(tiny_sum(tiny_abs(mean), TINY_ALL, 0)) > 0);

  static const char *const names[] = {"net.0.weight", "net.0.bias", "net.0.norm.weight", "net.0.norm.bias", "net.0.norm.running_mean",
                                      "net.0.norm.running_var", "net.out.weight", "net.out.bias"};
  tiny_params p, q;
  memset(&p, 0, sizeof p); memset(&q, 0, sizeof q);
  CHECK_EQ(tiny_sequential_params(s, 4, &p, "net"), TINY_OK);
  CHECK_EQ(p.n, 8);
  CHECK_EQ(p.ntrainable, 6);
  for (int i = 0; i < p.n && i < 8; i++) CHECK_STR(p.param[i].name, names[i]);
  // alone, as PyTorch's nn.Sequential has it
  tiny_stage alone[3];
  memset(alone, 0, sizeof alone);
  alone[0].embedding = tiny_embedding_layer_new(t, 9, 4, -1);
  alone[1].norm = tiny_norm_layer_new(t, TINY_LAYER_NORM, TINY_SHAPE(4), 0);
  alone[2].norm = tiny_norm_layer_new(t, TINY_INSTANCE_NORM, TINY_SHAPE(4), 0);
  CHECK_EQ(tiny_sequential_params(alone, 3, &q, NULL), TINY_OK);
  CHECK(q.n == 3 && tiny_params_find(&q, "0.weight") && tiny_params_find(&q, "1.weight") && tiny_params_find(&q, "1.bias"));
  tiny_tensor *ids = tiny_cast(tiny_arange(t, 0, 8, 1, TINY_F32), TINY_I32);
  tiny_tensor *e = tiny_sequential(alone, 2, ids, 0);
  CHECK(same(e, tiny_norm_layer_forward(&alone[1].norm, tiny_embedding_layer_forward(&alone[0].embedding, ids), 0)));
  tiny_sequential_free(alone, 3);
  CHECK(!alone[0].embedding.weight && !alone[1].norm.weight);
  tiny_sequential_free(NULL, 3);
  CHECK_STR(tiny_error(t), "");
  tiny_close(t);
}

// It learns: y = relu.
static void test_learns(void) {
  tiny_ctx *t = open_on("CPU");
  tiny_stage net[2];
  tiny_params p;
  tiny_optim adam;
  memset(net, 0, sizeof net); memset(&p, 0, sizeof p); memset(&adam, 0, sizeof adam);
  net[0].linear = tiny_linear_layer_new(t, 1, 8, 1); net[0].apply = tiny_relu;
  net[1].linear = tiny_linear_layer_new(t, 8, 1, 1);
  adam.kind = TINY_ADAM; adam.lr = 0.05;
  tiny_sequential_params(net, 2, &p, NULL);
  tiny_tensor *x = tiny_reshape(tiny_linspace(t, -1, 1, 32, TINY_F32), TINY_SHAPE(32, 1)), *y = tiny_relu(x);
  tiny_realize(TINY_ARRAY(x, y));
  for (int i = 0; i < 200; i++) {
    tiny_begin(t);
    tiny_optim_minimize(&adam, tiny_mse_loss(tiny_sequential(net, 2, x, 1), y, TINY_MEAN), &p);
    CHECK_EQ(tiny_end(t), TINY_OK);
  }
  CHECK(tiny_item(tiny_mse_loss(tiny_sequential(net, 2, x, 0), y, TINY_MEAN)) < 1e-3);
  tiny_close(t);
}

static void test_wrong(void) {
  tiny_ctx *t = open_on("INTERP");
  tiny_stage s[2];
  tiny_params p;
  memset(s, 0, sizeof s); memset(&p, 0, sizeof p);
  tiny_tensor *x = tiny_zeros(t, TINY_F32, TINY_SHAPE(2, 3));
  s[0].name = "wide"; s[0].linear = tiny_linear_layer_new(t, 4, 2, 1);
  CHECK(!tiny_ok(tiny_sequential(s, 2, x, 0)) && tiny_status(t) == TINY_E_SHAPE);
  CHECK(strstr(tiny_error(t), "in wide: ") != NULL);
  tiny_clear(t);
  CHECK_EQ(tiny_scope_end(t), TINY_E_STATE);                 // the scope did not stay open
  tiny_clear(t);
  CHECK(!tiny_ok(tiny_sequential(NULL, 2, x, 0)) && tiny_status(t) == TINY_E_ARG);
  tiny_clear(t);
  CHECK(!tiny_ok(tiny_sequential(s, -1, x, 0)) && tiny_status(t) == TINY_E_ARG);
  tiny_clear(t);
  CHECK(!tiny_ok(tiny_sequential(s, 1, NULL, 0)));
  CHECK_EQ(tiny_sequential_params(s, 2, NULL, ""), TINY_E_ARG);
  CHECK_EQ(tiny_sequential_params(NULL, 2, &p, ""), TINY_E_ARG);
  s[1] = s[0];                             // of the same name
  CHECK_EQ(tiny_sequential_params(s, 2, &p, ""), TINY_E_ARG);
  CHECK(p.depth == 0 && !*p.path);
  tiny_clear(t);
  tiny_close(t);
}

static int refused_once(long n) {
  memory_count m = {0, n, 0, 0};
  tiny_desc d;
  tiny_stage s;
  tiny_params p;
  memset(&d, 0, sizeof d); memset(&s, 0, sizeof s); memset(&p, 0, sizeof p);
  d.device = "INTERP"; d.cache_dir = ""; d.alloc.fn = memory_fn; d.alloc.user = &m;
  tiny_ctx *t = tiny_open(&d);
  s.name = "one"; s.linear = tiny_linear_layer_new(t, 2, 2, 1); s.apply = tiny_tanh;
  tiny_sequential_params(&s, 1, &p, "net");
  tiny_tensor *y = tiny_sequential(&s, 1, tiny_ones(t, TINY_F32, TINY_SHAPE(1, 2)), 0);
  if (tiny_ok(y)) tiny_realize(&y, 1);
  CHECK(!t || tiny_status(t) == TINY_OK || tiny_status(t) == TINY_E_MEMORY);
  tiny_close(t);
  CHECK_EQ(m.live, 0);
  CHECK_EQ(m.wrong, 0);
  return m.calls < n;
}

int main(void) {
  long n = 1;
  test_parts("INTERP");
  test_parts("CPU");
  test_learns();
  test_wrong();
  while (!refused_once(n)) n++;
  return test_report();
}
