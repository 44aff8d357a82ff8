from tinygrad import Tensor, nn


class Block:
    def __init__(self, width=32, heads=4):
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.fc1, self.fc2 = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def attention(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(x).reshape(b, t, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        y = q.scaled_dot_product_attention(k, v, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(b, t, c))

    def __call__(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.fc2(self.fc1(self.norm2(x)).gelu("none"))


weights = nn.state.safe_load("bench/tasks/block.safetensors")
x, y = weights.pop("x").to(None), weights.pop("y").to(None)
block = Block()
nn.state.load_state_dict(block, weights, verbose=False)
print("difference", (block(x) - y).abs().max().item())
