import torch
from torch_block import Block

weights = torch.load("build/tasks/block.pt")
x, y = weights.pop("x"), weights.pop("y")
block = Block()
block.load_state_dict(weights)
print("difference", (block(x) - y).abs().max().item())
