from vectors import *
import math
WIDE = ["f32", "f64"]
IDS = T(2, 3, dtype="i32", values=[[0, 4, 1], [1, 1, 3]])
TABLE = T(5, 3)
op("tiny_embedding", "tiny_embedding({0}, {1}, -1)", lambda i, w: F.embedding(i.long(), w), [(IDS, TABLE), (T(4, dtype="u8", values=[0, 1, 2, 2]), T(3, 1)), (T(dtype="i64", values=2), TABLE), (T(0, 2, dtype="i32"), TABLE)], dtypes=FLOATS)
op("tiny_embedding", "tiny_embedding({0}, {1}, 1)", lambda i, w: F.embedding(i.long(), w, 1), [(IDS, TABLE)], dtypes=WIDE)
for mode, constant in (("sum", "TINY_SUM"), ("mean", "TINY_MEAN"), ("max", "TINY_MAX")):
    distinct = T(5, 3, distinct=True)
    op("tiny_embedding_bag", "tiny_embedding_bag({0}, {1}, NULL, NULL, %s, -1)" % constant, lambda i, w, mode=mode: F.embedding_bag(i.long(), w, mode=mode), [(IDS, distinct)], dtypes=FLOATS if mode == "mean" else WIDE)
    op("tiny_embedding_bag", "tiny_embedding_bag({0}, {1}, NULL, NULL, %s, 1)" % constant, lambda i, w, mode=mode: F.embedding_bag(i.long(), w, mode=mode, padding_idx=1), [(T(3, 2, dtype="i32", values=[[1, 2], [1, 1], [0, 4]]), distinct)], dtypes=WIDE)
    op("tiny_embedding_bag", "tiny_embedding_bag({0}, {1}, {2}, NULL, %s, -1)" % constant, lambda i, w, o, mode=mode: F.embedding_bag(i.long(), w, o.long(), mode=mode), [(T(6, dtype="i32", values=[0, 4, 1, 1, 2, 3]), distinct, T(4, dtype="i32", values=[0, 2, 2, 5]))], dtypes=WIDE)
op("tiny_embedding_bag", "tiny_embedding_bag({0}, {1}, NULL, {2}, TINY_SUM, -1)", lambda i, w, s: (F.embedding(i.long(), w) * s[..., None]).sum(1), [(IDS, TABLE, T(2, 3))], dtypes=FLOATS, tol=8)

def attention(q, k, v, mask=None, causal=False, scale=None):
    if q.dim() > 2 and q.shape[-3] != k.shape[-3]:
        k, v = (x.repeat_interleave(q.shape[-3] // x.shape[-3], -3) for x in (k, v))
    s = q @ k.transpose(-1, -2) * (scale or 1 / math.sqrt(q.shape[-1]))
    seen = torch.ones(s.shape, dtype=torch.bool)
    if mask is not None and mask.dtype == torch.bool: seen = seen & mask
    elif mask is not None: s = s + mask
    if causal: seen = seen & torch.ones(s.shape[-2:], dtype=torch.bool).tril()
    blind = ~seen.any(-1, keepdim=True)
    p = torch.softmax(s.masked_fill(~(seen | blind), -math.inf), -1)
    return p.masked_fill(blind, 0) @ v
def desc(fields): return "tiny_attention_desc d; memset(&d, 0, sizeof d); %s out[0] = tiny_attention({0}, {1}, {2}, &d); return 1;" % fields
QKV = (T(2, 3, 4, lo=-2, hi=2), T(2, 5, 4, lo=-2, hi=2), T(2, 5, 3))
op("tiny_attention", "tiny_attention({0}, {1}, {2}, NULL)", attention, [QKV, (T(3, 4), T(2, 4), T(2, 4)), (T(2, 4, 3, 2), T(2, 2, 5, 2), T(2, 2, 5, 2)), (T(3, 2, 4), T(1, 5, 4), T(1, 5, 4))], dtypes=FLOATS, tol=32, result=real)
op("tiny_attention", desc("d.causal = 1; d.scale = 0.7;"), lambda q, k, v: attention(q, k, v, None, True, 0.7), [QKV, (T(5, 4), T(3, 4), T(3, 4))], dtypes=WIDE, tol=32)
op("tiny_attention", desc("d.causal = 1; d.scale = 0.7;"), lambda q, k, v: attention(q, k, v, None, True, 0.7), [(T(4, 2, 3), T(2, 3, 3), T(2, 3, 1))], dtypes=["f64"], tol=2048)
op("tiny_attention", desc("d.mask = {3};"), attention, [QKV + (T(3, 5, dtype="bool"),), QKV + (T(2, 3, 5, dtype="bool", values=[[[0] * 5, [1, 0, 0, 0, 0], [0, 1, 1, 1, 1]], [[1] * 5, [1] * 5, [0] * 5]]),), QKV + (T(3, 5),)], dtypes=WIDE, tol=32)

def rope(x, at=None, base=1e4, pairs=False):
    E = x.shape[-1]
    at = torch.arange(x.shape[-2]).double() if at is None else at.double()
    angle = at[..., None] * base ** (-torch.arange(0, E, 2).double() / E)
    c, s = torch.cos(angle).to(x.dtype), torch.sin(angle).to(x.dtype)
    a, b = (x[..., 0::2], x[..., 1::2]) if pairs else (x[..., :E // 2], x[..., E // 2:])
    a, b = a * c - b * s, b * c + a * s
    return torch.stack([a, b], -1).reshape(x.shape) if pairs else torch.cat([a, b], -1)
op("tiny_rope", "tiny_rope({0}, NULL, NULL)", rope, [T(3, 4), T(2, 2, 5, 6), T(4, 2)], dtypes=FLOATS, tol=32, result=real)
op("tiny_rope", "tiny_rope_desc d; memset(&d, 0, sizeof d); d.base = 100; d.interleaved = 1; out[0] = tiny_rope({0}, {1}, &d); return 1;", lambda x, at: rope(x, at, 100, True), [(T(2, 3, 4), T(3, dtype="i32", values=[5, 0, 40])), (T(2, 3, 4), T(2, 3, dtype="i64", lo=0, hi=30))], dtypes=WIDE, tol=64)
