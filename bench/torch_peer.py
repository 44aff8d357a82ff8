#!/usr/bin/env python3
# torch_peer: what the bench compares with, in PyTorch. Reads lines, answers each with one line:
#   load NAME NUMBER..   makes the function of that name below ready       -> ok, or what went wrong
#   run                  one pass                                          -> its seconds
#   out                  one pass                                          -> the first 1000 values of its result
# A function takes the numbers, makes its inputs and returns what does one pass. Inputs are the bench's (numbers).
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F


def numbers(shape, seed, scale=1.0, shift=0.0):
    """The pseudorandom array `seed` of bench/measure.c: shift -scale/2 .. shift + scale/2."""
    h = np.arange(int(np.prod(shape)), dtype=np.uint32) + np.uint32(seed * 0x9E3779B9 & 0xFFFFFFFF)
    for shift_by, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        h ^= h >> np.uint32(shift_by)
        h *= np.uint32(factor)
    h ^= h >> np.uint32(16)
    x = (h >> np.uint32(8)).astype(np.float32) / np.float32(1 << 24) - np.float32(0.5)
    x *= np.float32(scale)
    x += np.float32(shift)
    return torch.from_numpy(x.reshape(shape))


# ** rows **

def softmax(m, n):
    x = numbers((m, n), 1, 8)
    return lambda: torch.softmax(x, -1)


def layer_norm(m, n):
    x, w, b = numbers((m, n), 1, 8), numbers((n,), 2, 1, 1), numbers((n,), 3)
    return lambda: F.layer_norm(x, (n,), w, b)


def cross_entropy(m, n):
    x, labels = numbers((m, n), 1, 8), torch.arange(m) * 7 % n
    return lambda: F.cross_entropy(x, labels)


def gelu(m, n):
    x = numbers((m, n), 1, 8)
    return lambda: F.gelu(x)


def gelu_tanh(m, n):
    x = numbers((m, n), 1, 8)
    return lambda: F.gelu(x, approximate="tanh")


# ** the conversation **

def serve():
    task = None
    for line in sys.stdin:
        word, *rest = line.split()
        try:
            if word == "load":
                task = None
                task = globals()[rest[0]](*[int(x) for x in rest[1:]])
                answer = "ok"
            elif word == "run":
                start = time.perf_counter()
                task()
                answer = "%.9f" % (time.perf_counter() - start)
            else:
                y = task()
                y = y if isinstance(y, torch.Tensor) else torch.tensor(y)
                answer = " ".join("%.9g" % v for v in y.detach().flatten()[:1000].tolist())
        except Exception as e:
            answer = "failed: " + " ".join(str(e).split())[:500]
        print(answer, flush=True)


if __name__ == "__main__":
    threads = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    torch.set_num_threads(threads)
    torch.set_grad_enabled(False)
    print("torch", torch.__version__, flush=True)
    serve()
