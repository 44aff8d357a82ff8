from vectors import *
import math
LAST = [T(5), T(3, 4), T(2, 1, 7), T(0, 3)]
for name in ("softmax", "log_softmax", "softmin"):
    f = getattr(F, name)
    op("tiny_" + name, "tiny_%s({0}, -1)" % name, lambda x, f=f: f(x, -1), LAST, dtypes=FLOATS, tol=8)
    op("tiny_" + name, "tiny_%s({0}, -1)" % name, lambda x, f=f: f(x, -1), [T()], dtypes=FLOATS, grad=False)
    op("tiny_" + name, "tiny_%s({0}, 0)" % name, lambda x, f=f: f(x, 0), [T(4, 3), T(2, 3, 2)], dtypes=["f32"], tol=64)
    op("tiny_" + name, "tiny_%s({0}, 1)" % name, lambda x, f=f: f(x.float(), 1), [T(2, 3)], dtypes=INTS + BOOLS, tol=8)
op("tiny_softmax", "tiny_softmax({0}, TINY_ALL)", lambda x: torch.softmax(x.reshape(-1), 0).reshape(x.shape), [T(2, 3)], dtypes=["f32", "f64"])
op("tiny_softmax", "tiny_softmax({0}, -1)", lambda x: torch.softmax(x, -1), [T(2, 3, values=[[1, -math.inf, 2], [300, 0, -300]])], dtypes=["f32"], grad=False)
op("tiny_logsumexp", "tiny_logsumexp({0}, -1, 0)", lambda x: torch.logsumexp(x, -1), [T(5), T(3, 4), T(2, 1, 7)], dtypes=FLOATS)
op("tiny_logsumexp", "tiny_logsumexp({0}, 0, 1)", lambda x: torch.logsumexp(x, 0, keepdim=True), [T(5), T(3, 4)], dtypes=["f32", "f64"])
op("tiny_logsumexp", "tiny_logsumexp({0}, 0, 0)", lambda x: torch.logsumexp(x, 0), [T(3, 2, values=[[-math.inf, 500], [-math.inf, 499], [-math.inf, -500]])], grad=False)

op("tiny_layer_norm", "tiny_layer_norm({0}, 1, {1}, {2}, 1e-5)", lambda x, w, b: F.layer_norm(x, x.shape[-1:], w, b), [(T(5), T(5), T(5)), (T(3, 4), T(4), T(4)), (T(2, 1, 7), T(7), T(7)), (T(0, 3), T(3), T(3))], dtypes=FLOATS, tol=16)
op("tiny_layer_norm", "tiny_layer_norm({0}, 2, {1}, NULL, 1e-3)", lambda x, w: F.layer_norm(x, x.shape[-2:], w, None, 1e-3), [(T(2, 3, 4), T(3, 4))], dtypes=FLOATS, tol=16)
op("tiny_layer_norm", "tiny_layer_norm({0}, 1, NULL, NULL, 1e-5)", lambda x: F.layer_norm(x, x.shape[-1:]), [T(3, 5)], dtypes=["f32", "f64"], tol=16)
def rms(x, w, n=1, eps=1e-6):
    axes = tuple(range(-n, 0))
    y = x / torch.sqrt((x * x).mean(axes, keepdim=True) + eps)
    return y if w is None else y * w
op("tiny_rms_norm", "tiny_rms_norm({0}, 1, {1}, 1e-6)", rms, [(T(5), T(5)), (T(3, 4), T(4)), (T(2, 1, 7), T(7)), (T(0, 3), T(3))], dtypes=FLOATS, tol=16)
op("tiny_rms_norm", "tiny_rms_norm({0}, 2, NULL, 1e-2)", lambda x: rms(x, None, 2, 1e-2), [T(2, 3, 4)], dtypes=["f32", "f64"], tol=16)
op("tiny_group_norm", "tiny_group_norm({0}, 2, {1}, {2}, 1e-5)", lambda x, w, b: F.group_norm(x, 2, w, b), [(T(2, 4, 3), T(4), T(4)), (T(3, 6), T(6), T(6)), (T(1, 4, 2, 3), T(4), T(4))], dtypes=FLOATS, tol=16)
op("tiny_group_norm", "tiny_group_norm({0}, 1, NULL, NULL, 1e-5)", lambda x: F.group_norm(x, 1), [T(2, 3, 2)], dtypes=["f32", "f64"], tol=16)
op("tiny_instance_norm", "tiny_instance_norm({0}, {1}, {2}, 1e-5)", lambda x, w, b: F.instance_norm(x, None, None, w, b), [(T(2, 3, 5), T(3), T(3)), (T(1, 2, 3, 3), T(2), T(2))], dtypes=FLOATS, tol=16)
op("tiny_instance_norm", "tiny_instance_norm({0}, NULL, NULL, 1e-2)", lambda x: F.instance_norm(x, eps=1e-2), [T(2, 3, 5)], dtypes=["f32", "f64"], tol=16)
STATE = "tiny_batch_norm_state s; memset(&s, 0, sizeof s); "
op("tiny_batch_norm", STATE + "s.weight = {1}; s.bias = {2}; out[0] = tiny_batch_norm({0}, &s, 1); return 1;", lambda x, w, b: F.batch_norm(x, None, None, w, b, True), [(T(5, 3), T(3), T(3)), (T(2, 3, 4), T(3), T(3)), (T(2, 2, 3, 2), T(2), T(2))], dtypes=FLOATS, tol=16)
op("tiny_batch_norm", STATE + "s.mean = {1}; s.var = {2}; s.weight = {3}; s.bias = {4}; s.eps = 1e-3; out[0] = tiny_batch_norm({0}, &s, 0); return 1;", lambda x, *s: (lambda m, v, w, b: (x - m) / torch.sqrt(v + 1e-3) * w + b)(*(y.reshape([-1] + [1] * (x.dim() - 2)) for y in s)), [(T(5, 3), T(3), T(3, lo=0.5), T(3), T(3)), (T(2, 3, 4), T(3), T(3, lo=0.5), T(3), T(3))], dtypes=FLOATS, tol=16)
def lrn(size, alpha, beta, k):
    def f(x):
        square = F.pad((x * x).transpose(1, -1), (size // 2, (size - 1) // 2)).transpose(1, -1)
        mean = sum(square[:, i:i + x.shape[1]] for i in range(size)) / size
        return x / (k + alpha * mean) ** beta
    return f
op("tiny_local_response_norm", "tiny_local_response_norm({0}, 3, 1e-1, 0.75, 1)", lrn(3, 1e-1, 0.75, 1), [T(2, 5), T(2, 4, 3), T(1, 6, 2, 2)], dtypes=FLOATS, tol=16)
op("tiny_local_response_norm", "tiny_local_response_norm({0}, 4, 0.5, 0.5, 2)", lambda x: F.local_response_norm(x, 4, 0.5, 0.5, 2), [T(2, 5, 3)], dtypes=["f32", "f64"], tol=16)

for p, c in ((2, "2"), (1, "1"), (3, "3"), (1.5, "1.5"), (math.inf, "HUGE_VAL")):
    op("tiny_normalize", "tiny_normalize({0}, %s, -1, 1e-12)" % c, lambda x, p=p: F.normalize(x, p, -1), [T(5, distinct=True), T(3, 4, distinct=True)] + [T(2, 1, 7, distinct=True), T(0, 3)] * (p == 2), dtypes=FLOATS if p == 2 else ["f32", "f64"], tol=16)
    op("tiny_pairwise_distance", "tiny_pairwise_distance({0}, {1}, %s, 1e-6, 0)" % c, lambda a, b, p=p: F.pairwise_distance(a, b, p), [(T(3, 4, distinct=True), T(3, 4, lo=0.5, hi=0.6)), (T(2, 5, distinct=True), T(1, 5, lo=0.5, hi=0.6))], dtypes=FLOATS if p == 2 else ["f32", "f64"], tol=32)
op("tiny_normalize", "tiny_normalize({0}, 2, 0, 0.5)", lambda x: F.normalize(x, 2, 0, 0.5), [T(2, 3, values=[[0.25, 0, 3], [0.125, 0, 4]])], dtypes=["f32", "f64"])
op("tiny_pairwise_distance", "tiny_pairwise_distance({0}, {1}, 2, TINY_ZERO, 1)", lambda a, b: F.pairwise_distance(a, b, 2, 0, True), [(T(3, 4), T(3, 4))], dtypes=["f32", "f64"], tol=16)
op("tiny_cosine_similarity", "tiny_cosine_similarity({0}, {1}, -1, 1e-8)", lambda a, b: F.cosine_similarity(a, b, -1), [(T(5), T(5)), (T(3, 4), T(3, 4)), (T(2, 1, 5), T(3, 5))], dtypes=FLOATS, tol=16)
op("tiny_cosine_similarity", "tiny_cosine_similarity({0}, {1}, 1, 1e-8)", lambda a, b: F.cosine_similarity(a, b, 1), [(T(2, 3, 4), T(2, 3, 4))], dtypes=["f32", "f64"], tol=16)
op("tiny_cosine_similarity", "tiny_cosine_similarity({0}, {1}, -1, 1e-8)", lambda a, b: F.cosine_similarity(a, b, -1), [(T(lo=1), T(lo=1)), (T(0, 3), T(0, 3))], grad=False)
op("tiny_bilinear", "tiny_bilinear({0}, {1}, {2}, {3})", F.bilinear, [(T(2, 3), T(2, 4), T(5, 3, 4), T(5)), (T(2, 1, 3), T(2, 1, 2), T(1, 3, 2), T(1))], dtypes=["f32", "f64"], tol=16)
op("tiny_bilinear", "tiny_bilinear({0}, {1}, {2}, NULL)", lambda x, z, w: torch.einsum("...i,oij,...j->...o", x, w, z), [(T(3), T(4), T(5, 3, 4))], dtypes=["f32", "f64"], tol=16)
