#!/usr/bin/env python3
"""Writes tests/vectors/optim.inc: trajectories of torch.optim and learning rates of torch.optim.lr_scheduler, in float64.
LAMB, Lion and Muon, which this PyTorch lacks, are written out here in NumPy after their papers (see src/tensor/optim.c).

  tools/vectors_optim.py       needs PyTorch
"""
import os

import numpy as np
import torch

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
STEPS = 12


def start(shape):
    n = int(np.prod(shape))
    return (np.arange(n) * 7 % 5 - 2.0).reshape(shape) / 2 + 0.1


def gradient(p, step):
    """Of sum((p - 1)^2 * (1 + i % 3)) / 2 + step * 0.01 * p: what tests/test_optim.c computes."""
    i = np.arange(p.size).reshape(p.shape)
    return (p - 1) * (1 + i % 3) + step * 0.01


def by_torch(make, shape):
    p = torch.tensor(start(shape), requires_grad=True)
    o = make([p])
    for step in range(STEPS):
        p.grad = torch.tensor(gradient(p.detach().numpy(), step))
        o.step()
    return p.detach().numpy()


def by_hand(update, shape):
    p, state = start(shape), {}
    for step in range(STEPS):
        p = update(p, gradient(p, step), state, step + 1)
    return p


def lamb(lr, wd):
    def update(p, g, s, n):
        m = s["m"] = 0.9 * s.get("m", 0) + 0.1 * g
        v = s["v"] = 0.999 * s.get("v", 0) + 0.001 * g * g
        r = m / (1 - 0.9 ** n) / (np.sqrt(v / (1 - 0.999 ** n)) + 1e-6) + wd * p
        a, b = np.linalg.norm(p), np.linalg.norm(r)
        return p - lr * (a / b if a > 0 and b > 0 else 1) * r
    return update


def lion(lr, wd):
    def update(p, g, s, n):
        m = s.get("m", 0 * p)
        s["m"] = 0.99 * m + 0.01 * g
        return p * (1 - lr * wd) - lr * np.sign(0.9 * m + 0.1 * g)
    return update


def muon(lr, wd):
    def update(p, g, s, n):
        m = s["m"] = 0.95 * s.get("m", 0 * p) + 0.05 * g
        x = 0.95 * m + 0.05 * g
        tall = x.shape[0] > x.shape[1]
        x = x.T if tall else x
        x = x / max(np.linalg.norm(x), 1e-7)
        for _ in range(5):
            a = x @ x.T
            x = 3.4445 * x + (-4.7750 * a + 2.0315 * a @ a) @ x
        x = x.T if tall else x
        return p * (1 - lr * wd) - lr * max(1, p.shape[0] / p.shape[1]) ** 0.5 * x
    return update


O = torch.optim
# kind, settings as in tiny_optim, shape, reference
CASES = [
    ("TINY_SGD", "lr=0.1", (6,), lambda p: O.SGD(p, 0.1)),
    ("TINY_SGD", "lr=0.1 momentum=0.9 weight_decay=0.01", (6,), lambda p: O.SGD(p, 0.1, 0.9, weight_decay=0.01)),
    ("TINY_SGD", "lr=0.1 momentum=0.9 nesterov=1", (6,), lambda p: O.SGD(p, 0.1, 0.9, nesterov=True)),
    ("TINY_SGD", "lr=0.1 momentum=0.9 dampening=0.3", (6,), lambda p: O.SGD(p, 0.1, 0.9, dampening=0.3)),
    ("TINY_SGD", "lr=0.1 momentum=0.9 maximize=1", (6,), lambda p: O.SGD(p, 0.1, 0.9, maximize=True)),
    ("TINY_ADAM", "", (6,), lambda p: O.Adam(p)),
    ("TINY_ADAM", "lr=0.1 beta1=0.8 beta2=0.95 eps=0.001 weight_decay=0.1", (6,), lambda p: O.Adam(p, 0.1, (0.8, 0.95), 1e-3, 0.1)),
    ("TINY_ADAM", "lr=0.1 amsgrad=1", (6,), lambda p: O.Adam(p, 0.1, amsgrad=True)),
    ("TINY_ADAMW", "lr=0.1 weight_decay=0.05", (6,), lambda p: O.AdamW(p, 0.1, weight_decay=0.05)),
    ("TINY_ADAMW", "lr=0.1 amsgrad=1 maximize=1", (6,), lambda p: O.AdamW(p, 0.1, weight_decay=0, amsgrad=True, maximize=True)),
    ("TINY_ADAMAX", "", (6,), lambda p: O.Adamax(p)),
    ("TINY_ADAMAX", "lr=0.1 weight_decay=0.1", (6,), lambda p: O.Adamax(p, 0.1, weight_decay=0.1)),
    ("TINY_RMSPROP", "", (6,), lambda p: O.RMSprop(p)),
    ("TINY_RMSPROP", "lr=0.05 beta2=0.9 weight_decay=0.1", (6,), lambda p: O.RMSprop(p, 0.05, 0.9, weight_decay=0.1)),
    ("TINY_RMSPROP", "lr=0.05 momentum=0.8 centered=1", (6,), lambda p: O.RMSprop(p, 0.05, momentum=0.8, centered=True)),
    ("TINY_ADAGRAD", "", (6,), lambda p: O.Adagrad(p)),
    ("TINY_ADAGRAD", "lr=0.3 weight_decay=0.1", (6,), lambda p: O.Adagrad(p, 0.3, weight_decay=0.1)),
    ("TINY_ADADELTA", "", (6,), lambda p: O.Adadelta(p)),
    ("TINY_ADADELTA", "lr=2 beta2=0.8 weight_decay=0.1", (6,), lambda p: O.Adadelta(p, 2, 0.8, weight_decay=0.1)),
    ("TINY_LAMB", "lr=0.05 weight_decay=0.1", (6,), lamb(0.05, 0.1)),
    ("TINY_LAMB", "", (2, 3), lamb(1e-3, 0)),
    ("TINY_LION", "lr=0.05 weight_decay=0.1", (6,), lion(0.05, 0.1)),
    ("TINY_MUON", "lr=0.05 weight_decay=0.1", (3, 2), muon(0.05, 0.1)),
    ("TINY_MUON", "lr=0.05", (2, 5), muon(0.05, 0)),
]

S = O.lr_scheduler
RATES = [
    ("tiny_lr_step(0.5, i, 3, 0.1)", lambda o: S.StepLR(o, 3, 0.1)),
    ("tiny_lr_multistep(0.5, i, milestones, 3, 0.5)", lambda o: S.MultiStepLR(o, [2, 5, 9], 0.5)),
    ("tiny_lr_exponential(0.5, i, 0.9)", lambda o: S.ExponentialLR(o, 0.9)),
    ("tiny_lr_cosine(0.5, i, 8, 0.05)", lambda o: S.CosineAnnealingLR(o, 8, 0.05)),
    ("tiny_lr_cosine_restarts(0.5, i, 4, 2, 0.05)", lambda o: S.CosineAnnealingWarmRestarts(o, 4, 2, 0.05)),
    ("tiny_lr_cosine_restarts(0.5, i, 5, 1, 0)", lambda o: S.CosineAnnealingWarmRestarts(o, 5, 1, 0)),
    ("tiny_lr_linear(0.5, i, 5, 0.1, 1)", lambda o: S.LinearLR(o, 0.1, 1, 5)),
    ("tiny_lr_one_cycle(0.5, i, 20)", lambda o: S.OneCycleLR(o, 0.5, 20)),
    ("tiny_lr_polynomial(0.5, i, 10, 2)", lambda o: S.PolynomialLR(o, 10, 2)),
]


def rates(make):
    o = O.SGD([torch.zeros(1, requires_grad=True)], 0.5)
    s, out = make(o), []
    for _ in range(20):
        out.append(o.param_groups[0]["lr"])
        o.step()
        s.step()
    return out


def plateau():
    o = O.SGD([torch.zeros(1, requires_grad=True)], 0.5)
    s, out = S.ReduceLROnPlateau(o, factor=0.5, patience=2, min_lr=0.1), []
    for i in range(20):
        s.step([5, 4, 4, 4, 4, 3.9999, 3, 3][min(i, 7)])
        out.append(o.param_groups[0]["lr"])
    return out


def numbers(values):
    return "{" + ", ".join(repr(float(v)) for v in values) + "}"


def main():
    with open(os.path.join(ROOT, "tests/vectors/optim.inc"), "w") as f:
        f.write("// Written by tools/vectors_optim.py.\n#define OPTIM_STEPS %d\n" % STEPS)
        f.write("static const optim_case optim_cases[] = {\n")
        for kind, settings, shape, ref in CASES:
            by = by_hand if ref.__code__.co_name == "update" else by_torch
            dims = (list(shape) + [0])[:2]
            f.write('  {"%s", %s, "%s", {%d, %d}, %s},\n' % (kind, kind, settings, dims[0], dims[1], numbers(by(ref, shape).ravel())))
        f.write("};\nstatic const int64_t milestones[3] = {2, 5, 9};\n#define RATES(_) \\\n")
        for text, make in RATES:
            f.write("  _(%s, RATE(%s)) \\\n" % (text, numbers(rates(make)).strip("{}")))
        f.write("\nstatic const double plateau_rates[20] = %s;\n" % numbers(plateau()))


if __name__ == "__main__":
    main()
