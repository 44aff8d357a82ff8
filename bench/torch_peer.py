#!/usr/bin/env python3
# torch_peer: what the bench compares with, in PyTorch. Reads lines, answers each with one line:
#   load NAME NUMBER..   makes the function of that name below ready       -> ok, or what went wrong
#   run                  one pass                                          -> its seconds
#   drop                 forgets the function and its memory               -> ok
#   out                  one pass                                          -> the first 1000 values of its result
# A function takes the numbers, makes its inputs and returns what does one pass. Inputs are the bench's (numbers).
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F
from torch.utils import mkldnn as mkldnn_utils


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


# ** attention and a transformer, as in bench/attention.c and bench/training.c **

def hidden(length):
    """What is added to scores: -inf where the key is later than the query."""
    return torch.full((length, length), -torch.inf).triu_(1)


def attention(length, causal, backward):
    q, k, v, g = (numbers((8, length, 64), 1 + i, 2) for i in range(4))
    mask = hidden(length) if causal else torch.zeros(1)

    def forward():
        scores = torch.baddbmm(mask, q, k.transpose(1, 2), beta=causal, alpha=1 / 8)
        return torch.bmm(torch.softmax(scores, -1), v)

    def both():
        with torch.enable_grad():
            for x in (q, k, v):
                x.requires_grad_()
            return torch.autograd.grad(forward(), (q, k, v), g)[0]
    return both if backward else forward


def transformer():
    layers, width, batch, window, letters, heads = 6, 384, 8, 128, 256, 6
    params = []

    def new(shape, scale, shift=0.0):
        params.append(numbers(shape, len(params) + 1, scale, shift).requires_grad_())
        return params[-1]

    i = torch.arange(batch * window)
    ids, wanted = (i * 7919 % 251).reshape(batch, window), (i + 1) * 7919 % 251
    letter, place = new((letters, width), 0.1), new((window, width), 0.1)
    blocks = [[new((width,), 0.1, 1), new((width,), 0.1), new((3 * width, width), 0.1), new((3 * width,), 0.1),
               new((width, width), 0.1), new((width,), 0.1), new((width,), 0.1, 1), new((width,), 0.1),
               new((4 * width, width), 0.1), new((4 * width,), 0.1), new((width, 4 * width), 0.05), new((width,), 0.1)]
              for _ in range(layers)]
    norm, shift, head = new((width,), 0.1, 1), new((width,), 0.1), new((letters, width), 0.1)
    mask = hidden(window)
    adam = torch.optim.Adam(params, lr=1e-4)

    def forward():
        x = F.embedding(ids, letter) + place
        for w in blocks:
            y = F.linear(F.layer_norm(x, (width,), w[0], w[1]), w[2], w[3])
            q, k, v = y.reshape(batch, window, 3, heads, -1).permute(2, 0, 3, 1, 4).flatten(1, 2).unbind()
            y = torch.bmm(torch.softmax(torch.baddbmm(mask, q, k.transpose(1, 2), alpha=1 / 8), -1), v)
            y = y.reshape(batch, heads, window, -1).transpose(1, 2).reshape(batch, window, width)
            x = x + F.linear(y, w[4], w[5])
            y = F.gelu(F.linear(F.layer_norm(x, (width,), w[6], w[7]), w[8], w[9]))
            x = x + F.linear(y, w[10], w[11])
        return F.cross_entropy(F.linear(F.layer_norm(x, (width,), norm, shift), head).flatten(0, 1), wanted)

    def step():
        with torch.enable_grad():
            loss = forward()
            adam.zero_grad(set_to_none=True)
            loss.backward()
            adam.step()
        return loss.detach()
    return step


# ** networks, as in bench/networks.c: weights are numbered in the order they are made **

class Net:
    """Layers whose weights are numbered. folded: batch norms go into the weights; 1: all lies as oneDNN likes it, 2: as
    one pixel's channels side by side."""

    def __init__(self, folded):
        self.seed, self.folded = 2, folded

    def next(self, shape, scale, shift=0.0):
        self.seed += 1
        return numbers(shape, self.seed - 1, scale, shift)

    def conv(self, cin, cout, kernel, stride, groups=1):
        fan = cin // groups * kernel * kernel
        w = self.next((cout, cin // groups, kernel, kernel), np.sqrt(np.float32(24) / np.float32(fan)))
        weight, bias = self.next((cout,), 0.2, 1), self.next((cout,), 0.2)
        mean, var = self.next((cout,), 0.2), self.next((cout,), 0.5, 1)
        if not self.folded:
            return lambda x: F.batch_norm(F.conv2d(x, w, None, stride, kernel // 2, 1, groups), mean, var, weight, bias)
        scale = weight / torch.sqrt(var + 1e-5)
        m = torch.nn.Conv2d(cin, cout, kernel, stride, kernel // 2, 1, groups).eval()
        m.weight.data, m.bias.data = w * scale.reshape(-1, 1, 1, 1), bias - mean * scale
        return mkldnn_utils.to_mkldnn(m) if self.folded == 1 else m.to(memory_format=torch.channels_last)

    def head(self, cin, classes):
        w, b = self.next((classes, cin), np.sqrt(np.float32(12) / np.float32(cin))), self.next((classes,), 0.1)
        return lambda x: F.linear(plain(x).mean((2, 3)), w, b)


def plain(x):
    return x.to_dense() if x.is_mkldnn else x


def network(build, batch, folded):
    x = numbers((batch, 3, 224, 224), 1, 2)
    forward = build(Net(folded))
    if folded == 2:
        x = x.contiguous(memory_format=torch.channels_last)
    return lambda: forward(x.to_mkldnn() if folded == 1 else x)


def resnet18_layers(net):
    first, blocks, cin = net.conv(3, 64, 7, 2), [], 64
    for stage in range(4):
        for block in range(2):
            width, stride = 64 << stage, 2 if stage and not block else 1
            a, b = net.conv(cin, width, 3, stride), net.conv(width, width, 3, 1)
            blocks.append((a, b, net.conv(cin, width, 1, stride) if stride > 1 else None))
            cin = width
    head = net.head(512, 1000)

    def forward(x):
        x = torch.max_pool2d(torch.relu_(first(x)), 3, 2, 1)
        for a, b, down in blocks:
            y = b(torch.relu_(a(x)))
            x = torch.relu_(y.add_(down(x) if down else x))
        return head(x)
    return forward


def mobilenet2_layers(net):
    table = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1))
    relu6 = (lambda x: plain(x).clamp_(0, 6).to_mkldnn()) if net.folded == 1 else (lambda x: x.clamp_(0, 6))
    first, blocks, cin = net.conv(3, 32, 3, 2), [], 32
    for expand, cout, count, first_stride in table:
        for block in range(count):
            inner, stride = cin * expand, 1 if block else first_stride
            up = net.conv(cin, inner, 1, 1) if inner > cin else None
            across, down = net.conv(inner, inner, 3, stride, inner), net.conv(inner, cout, 1, 1)
            blocks.append((up, across, down, stride == 1 and cin == cout))
            cin = cout
    last, head = net.conv(cin, 1280, 1, 1), net.head(1280, 1000)

    def forward(x):
        x = relu6(first(x))
        for up, across, down, residual in blocks:
            y = down(relu6(across(relu6(up(x)) if up else x)))
            x = y.add_(x) if residual else y
        return head(relu6(last(x)))
    return forward


def resnet18(batch, folded):
    return network(resnet18_layers, batch, folded)


def mobilenet2(batch, folded):
    return network(mobilenet2_layers, batch, folded)


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
            elif word == "drop":
                task, answer = None, "ok"
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
