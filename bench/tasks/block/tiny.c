// block: a block of a transformer as block/torch_block.py has it, with PyTorch's weights.
#include "tiny.h"
#include <stdio.h>

typedef struct block {
  tiny_attention_layer attention;
  tiny_stage stage[4];
} block;

static block block_new(tiny_ctx *t, int width, int heads) {
  return (block){
      tiny_attention_layer_new(t, width, heads, 1),
      {{"norm1", .norm = tiny_norm_layer_new(t, TINY_LAYER_NORM, TINY_SHAPE(width), 0)},
       {"norm2", .norm = tiny_norm_layer_new(t, TINY_LAYER_NORM, TINY_SHAPE(width), 0)},
       {"fc1", .linear = tiny_linear_layer_new(t, width, 4 * width, 1), .apply = tiny_gelu},
       {"fc2", .linear = tiny_linear_layer_new(t, 4 * width, width, 1)}}};
}
// By the names of the file, whose attention is two linear layers.
static void block_params(const block *b, tiny_params *p) {
  const tiny_linear_layer qkv = {b->attention.in_proj_weight, b->attention.in_proj_bias};
  tiny_linear_layer_params(&qkv, p, "qkv");
  tiny_linear_layer_params(&b->attention.out_proj, p, "out");
  tiny_sequential_params(b->stage, 4, p, NULL);
}
static tiny_tensor *block_forward(const block *b, tiny_tensor *x) {
  const tiny_attention_desc causal = {.causal = 1};
  tiny_tensor *h = tiny_sequential(b->stage, 1, x, 0);
  x = tiny_add(x, tiny_attention_layer_forward(&b->attention, h, h, h, &causal));
  return tiny_add(x, tiny_sequential(b->stage + 1, 3, x, 0));
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
  printf("difference %g\n", tiny_item(tiny_amax(apart, TINY_ALL, 0)));
  return tiny_finish(t);
}
