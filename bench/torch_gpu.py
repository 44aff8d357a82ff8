#!/usr/bin/env python3
"""torch_gpu: what bench/gpu.c compares with, in PyTorch on the GPU: a line for each figure, its name and seconds."""
import sys
import time

import torch
import torch.nn.functional as F

import torch_peer


def seconds(run, passes=10):
    """Of the median pass, after three that do not count."""
    took = []
    for _ in range(3 + passes):
        torch.cuda.synchronize()
        start = time.perf_counter()
        run()
        torch.cuda.synchronize()
        took.append(time.perf_counter() - start)
    return sorted(took[3:])[passes // 2]


def say(name, run):
    try:
        print(name, seconds(run()), flush=True)
    except Exception as e:                 # what this PyTorch cannot do is named, and left out
        print("torch_gpu: %s: %s" % (name, str(e).splitlines()[0] if str(e) else type(e).__name__), file=sys.stderr)


def attention(grad):
    def make():
        q, k, v = (torch.rand(4, 16, 4096, 64, device="cuda", dtype=torch.float16, requires_grad=grad) for _ in range(3))

        def run():
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            return torch.autograd.grad(y.float().sum(), (q, k, v)) if grad else y
        return run
    return make


def embedding_grad():
    table = torch.zeros(50257, 768, device="cuda", requires_grad=True)
    ids, g = torch.randint(50257, (8192,), device="cuda"), torch.rand(8192, 768, device="cuda")
    return lambda: torch.autograd.grad((F.embedding(ids, table) * g).sum(), table)


def index_add():
    table = torch.zeros(50257, 768, device="cuda")
    ids, x = torch.randint(50257, (8192,), device="cuda"), torch.rand(8192, 768, device="cuda")
    return lambda: table.index_add(0, ids, x)


def bincount():
    x = torch.randint(4096, (1 << 22,), device="cuda", dtype=torch.int32)
    return lambda: torch.bincount(x, minlength=4096)


def training(compiled):
    def make():
        torch.set_default_device("cuda")
        on_gpu = torch_peer.numbers
        torch_peer.numbers = lambda *args: on_gpu(*args).cuda()
        try:
            step = torch_peer.transformer()
        finally:
            torch_peer.numbers = on_gpu
        return torch.compile(step) if compiled else step
    return make


def main():
    if not torch.cuda.is_available():
        print("torch_gpu: PyTorch has no GPU", file=sys.stderr)
        return 1
    say("attention", attention(False))
    say("attention_grad", attention(True))
    say("embedding_grad", embedding_grad)
    say("index_add", index_add)
    say("bincount", bincount)
    say("training", training(False))
    say("training_compiled", training(True))
    return 0


sys.exit(main())
