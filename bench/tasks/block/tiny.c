// block: a block of a transformer as block/torch_block.py has it, with PyTorch's weights.
#include "tiny.h"
#include <stdio.h>

typedef struct block {
  tiny_norm_layer norm1, norm2;
  tiny_attention_layer attention;
  tiny_linear_layer fc1, fc2;
} block;

static block block_new(tiny_ctx *t, int width, int heads) {
  block b;
  b.norm1 = tiny_norm_layer_new(t, TINY_LAYER_NORM, TINY_SHAPE(width), 0);
  b.norm2 = tiny_norm_layer_new(t, TINY_LAYER_NORM, TINY_SHAPE(width), 0);
  b.attention = tiny_attention_layer_new(t, width, heads, 1);
  b.fc1 = tiny_linear_layer_new(t, width, 4 * width, 1);
  b.fc2 = tiny_linear_layer_new(t, 4 * width, width, 1);
  return b;
}
// By the names of the file, whose attention is two linear layers.
static void block_params(const block *b, tiny_params *p) {
  const tiny_linear_layer qkv = {b->attention.in_proj_weight, b->attention.in_proj_bias};
  tiny_norm_layer_params(&b->norm1, p, "norm1");
  tiny_norm_layer_params(&b->norm2, p, "norm2");
  tiny_linear_layer_params(&qkv, p, "qkv");
  tiny_linear_layer_params(&b->attention.out_proj, p, "out");
  tiny_linear_layer_params(&b->fc1, p, "fc1");
  tiny_linear_layer_params(&b->fc2, p, "fc2");
}
static tiny_tensor *block_forward(const block *b, tiny_tensor *x) {
  const tiny_attention_desc causal = {.causal = 1};
  tiny_tensor *h = tiny_norm_layer_forward(&b->norm1, x, 0);
  x = tiny_add(x, tiny_attention_layer_forward(&b->attention, h, h, h, &causal));
  h = tiny_linear_layer_forward(&b->fc1, tiny_norm_layer_forward(&b->norm2, x, 0));
  return tiny_add(x, tiny_linear_layer_forward(&b->fc2, tiny_gelu(h)));
}

int main(void) {
  static const char path[] = "bench/tasks/block.safetensors";
  tiny_ctx *t = tiny_open(NULL);
  block b = block_new(t, 32, 4);
  tiny_params p = {0};
  block_params(&b, &p);
  tiny_state_load(path, &p, NULL, 0); // not strict: x and y are in the file as well
  tiny_archive *file = tiny_archive_open(t, path);
  tiny_tensor *x = tiny_archive_get(file, "x"), *y = tiny_archive_get(file, "y");
  tiny_tensor *apart = tiny_abs(tiny_sub(block_forward(&b, x), y));
  double difference = tiny_item(tiny_amax(apart, TINY_ALL, 0));
  printf("difference %g\n", difference);
  return tiny_finish(t);
}
