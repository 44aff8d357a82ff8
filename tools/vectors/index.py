from vectors import *

SOME = ["bool", "u8", "i32", "i64", "f16", "bf16", "f32", "f64"]
REAL = ["i32", "f16", "f32", "f64"]
def I(values, dtype="i32"): return T(dtype=dtype, values=values)
def shaped(x, v): x.dims = tuple(np.shape(v)); return x
def ids(values, dtype="i32"): return shaped(I(values, dtype), values)
def mask(values): return shaped(I(values, "bool"), values)
def cut(s, i): return s[tuple(slice(n) for n in i.shape)]           # PyTorch gives longer sources no gradient
G2 = ids([[0, 2, 1, 1], [2, 0, 0, 1]])

op("tiny_one_hot", "tiny_one_hot({0}, 4)", lambda i: F.one_hot(i.long(), 4).bool(), [ids([0, 3, 1]), ids([[2, 2], [0, 1]], "u8"), ids(1, "i64"), T(0, 2, dtype="i32")] + [ids([0, 3, 1], d) for d in EVERY[1:9]], grad=False)
op("tiny_gather", "tiny_gather({0}, 0, {1})", lambda x, i: x.gather(0, i.long()), [(T(3, 4), G2), (T(3, 5), G2), (T(4, 4), ids([[3, 1]], "i64")), (T(3), ids([1, 1, 0, 2, 2], "u8")), (T(), ids(0)), (T(3, 2), T(0, 2, dtype="i32")), (T(2, 3, 4), ids([[[0, 1, 1, 0], [1, 1, 0, 0], [0, 0, 0, 1]]]))], dtypes=SOME)
op("tiny_gather", "tiny_gather({0}, -1, {1})", lambda x, i: x.gather(-1, i.long()), [(T(2, 5), G2), (T(2, 300), ids([[0, 299, 255], [256, 128, 1]]))], dtypes=REAL)
op("tiny_gather", "tiny_gather({0}, 1, {1})", lambda x, i: x.gather(1, i.long() % 5), [(T(2, 5), ids([[-1, 2, -5], [-2, 0, 1]])), (T(2, 5), ids([[-1, 2, -5], [-2, 0, 1]], "i8"))], dtypes=["f32"])
op("tiny_gather", "tiny_gather({0}, 0, {1})", lambda x, i: torch.cat([x, x[:1] * 0]).gather(0, i.long().clamp(0, 3)), [(T(3), ids([0, 3, 2, 100]))], dtypes=["f32", "i32"])
op("tiny_take_along_axis", "tiny_take_along_axis({0}, 1, {1})", lambda x, i: torch.take_along_dim(x, i.long(), 1), [(T(3, 4), ids([[0], [3], [1]])), (T(3, 4), ids([[0, 2, 2, 1, 3]])), (T(1, 4), ids([[0], [3]], "i64")), (T(2, 3, 2), ids([[[2, 1]]], "u8"))], dtypes=["i32", "f32", "f64"])
op("tiny_take_along_axis", "tiny_take_along_axis({0}, TINY_ALL, {1})", lambda x, i: torch.take_along_dim(x, i.long()), [(T(3, 4), ids([[0, 11], [7, 7]])), (T(5), ids(3))], dtypes=["f32"])
op("tiny_index_select", "tiny_index_select({0}, 0, {1})", lambda x, i: x.index_select(0, i.long()), [(T(3, 4), ids([2, 0, 2, 1])), (T(3), ids([1], "i64")), (T(3, 4), ids(1)), (T(3, 4), T(0, dtype="i32")), (T(), ids([0])), (T(2, 0), ids([1, 0, 1]))], dtypes=SOME)
op("tiny_index_select", "tiny_index_select({0}, -1, {1})", lambda x, i: x.index_select(-1, i.long()), [(T(2, 3, 4), ids([3, 3, 0])), (T(2, 1, 300), ids([255, 256, 0, 299], "i16"))], dtypes=["f32", "f64"])
op("tiny_take", "tiny_take({0}, {1})", lambda x, i: torch.take(x, i.long()), [(T(3, 4), ids([[0, 11], [-1, -12]])), (T(), ids([0, 0])), (T(5), ids(2)), (T(5), T(0, 3, dtype="i32"))], dtypes=SOME)

# ** tensors as indices **
def index(c, python, inputs, dtypes=("f32",), n=None, put=True):
    count = c.count(",") + 1
    out = "tiny_tensor *at[] = {{%s}}; out[0] = tiny_index({0}, at, %d); return 1;" % (c, count)
    op("tiny_index", out, python, inputs, dtypes=dtypes)
X = T(3, 4, 2)
index("{1}", lambda x, i: x[i.long()], [(X, ids([2, 0])), (X, ids([[2, 0], [-1, -3]])), (X, ids(1)), (T(3), ids([0, 0, 2])), (X, T(0, dtype="i32"))], SOME)
index("{1}, {2}", lambda x, i, j: x[i.long(), j.long()], [(X, ids([2, 0]), ids([3, -4])), (X, ids([[2], [0]]), ids([1, 2, 3], "u8")), (X, ids(1), ids(2, "i64")), (T(2, 2), ids([0, 1]), ids([1, 0]))], ["i32", "f16", "f32", "f64"])
index("NULL, {1}", lambda x, i: x[:, i.long()], [(X, ids([2, 0])), (X, ids([[2, 0], [-1, 3]]))], ["f32", "f64"])
index("NULL, {1}, {2}", lambda x, i, j: x[:, i.long(), j.long()], [(X, ids([2, 0]), ids([1, 1])), (T(2, 3, 2, 3), ids([2, 0]), ids([1, 1]))], ["f32"])
index("{1}, NULL, {2}", lambda x, i, j: x[i.long(), :, j.long()], [(X, ids([2, 0, 1]), ids([1, 1, 0])), (T(3, 2, 2, 5), ids([[2], [0]]), ids([1, 1, 0]))], ["f32", "f64"])
index("NULL, {1}, NULL, {2}", lambda x, i, j: x[:, i.long(), :, j.long()], [(T(2, 3, 4, 3), ids([2, 0]), ids([1, 1]))], ["f32"])
index("{1}", lambda x, m: x[m.bool()], [(X, mask([1, 0, 1])), (T(3, 2), mask([[1, 0], [0, 0], [1, 1]])), (T(3, 2, 2), mask([[1, 0], [0, 1], [1, 1]])), (T(3), mask([0, 0, 0]))], ["i32", "f32", "f64"])
index("{1}, {2}", lambda x, m, i: x[m.bool(), i.long()], [(X, mask([1, 0, 1]), ids([3, 1])), (X, mask([1, 1, 1]), ids(2))], ["f32"])

def put(c, python, inputs, dtypes=("f32",), accumulate=0, tol=4):
    count = c.count(",") + 1
    out = "tiny_tensor *at[] = {{%s}}; out[0] = tiny_index_put({0}, at, %d, {1}, %d); return 1;" % (c, count, accumulate)
    op("tiny_index_put", out, python, inputs, dtypes=dtypes, tol=tol)
for acc in (0, 1):
    # of duplicates PyTorch leaves it open which one stays
    put("{2}", lambda x, v, i, acc=acc: x.index_put((i.long(),), v.to(x.dtype), bool(acc)), [(X, T(2, 4, 2), ids([2, 0])), (X, T(2), ids([1, -1])), (X, T(), ids([0, 2])), (T(5), T(3), ids([4, 2, 0]))], ["i32", "f16", "f32", "f64"], acc)
    put("{2}, {3}", lambda x, v, i, j, acc=acc: x.index_put((i.long(), j.long()), v, bool(acc)), [(X, T(2, 2), ids([2, 0]), ids([3, -4])), (X, T(2, 3, 1), ids([[2], [0]]), ids([1, 2, 3], "u8"))], ["f32", "f64"], acc)
    def far(x, v, i, j, acc=acc):
        y = x.clone()
        if acc: y = y.permute(0, 2, 1).index_put((i.long(), j.long()), v.double() if v.dtype != x.dtype else v, True).permute(0, 2, 1)
        else: y[i.long(), :, j.long()] = v
        return y
    if not acc: put("{2}, NULL, {3}", far, [(X, T(2, 4), ids([2, 0]), ids([1, 0]))], ["f32"], acc)
    put("{2}", lambda x, v, m, acc=acc: x.index_put((m.bool(),), v, bool(acc)), [(T(3, 2), T(3), mask([[1, 0], [0, 1], [1, 0]])), (T(3, 2), T(2, 2), mask([1, 0, 1]))], ["f32"], acc)
put("{2}", lambda x, v, i: x.index_put((i.long(),), v, True), [(X, T(3, 4, 2), ids([2, 2, 2])), (T(4), T(5), ids([1, 1, 0, 1, 3]))], ["i32", "f32", "f64"], 1)

# ** scatters **
S2 = ids([[0, 2, 1], [1, 0, 0]])
op("tiny_scatter", "tiny_scatter({0}, 0, {1}, {2})", lambda x, i, s: x.scatter(0, i.long(), cut(s, i)), [(T(3, 4), S2, T(2, 3)), (T(3, 3), S2, T(4, 5)), (T(4), ids([3, 0, 1], "u8"), T(3)), (T(), ids(0), T()), (T(3, 2), T(0, 2, dtype="i32"), T(1, 2))], dtypes=SOME)
op("tiny_scatter", "tiny_scatter({0}, -1, {1}, {2})", lambda x, i, s: x.scatter(-1, i.long() % x.shape[-1], cut(s, i)), [(T(2, 3), ids([[-1, 0], [1, -3]]), T(2, 2)), (T(3, 3), ids([[2], [1]], "i64"), T(2, 2))], dtypes=REAL)
op("tiny_scatter", "tiny_scatter({0}, 1, {1}, {2})", lambda x, i, s: x.scatter(1, i.long(), s.expand(i.shape)), [(T(2, 3), ids([[0, 2], [1, 1]]), T())], dtypes=["i32", "f32"], grad=False)
def last(x, i, s):
    y = x.clone()
    for k in range(len(i)): y[i[k].item()] = s[k]
    return y
op("tiny_scatter", "tiny_scatter({0}, 0, {1}, {2})", last, [(T(4), ids([1, 1, 3, 1, 3, 0]), T(6))], dtypes=["i32", "f16", "f32", "f64"])
op("tiny_index_copy", "tiny_index_copy({0}, 0, {1}, {2})", last, [(T(4, 2), ids([1, 1, 3]), T(3, 2))], dtypes=["i32", "f32"])
ADD = [(T(3, 4), S2, T(2, 3)), (T(3, 3), S2, T(4, 5)), (T(4), ids([3, 3, 1, 3], "u8"), T(4)), (T(), ids(0), T()), (T(2, 3), T(2, 0, dtype="i32"), T(2, 0))]
op("tiny_scatter_add", "tiny_scatter_add({0}, 0, {1}, {2})", lambda x, i, s: x.scatter_add(0, i.long(), cut(s, i)), ADD[:4], dtypes=["i8", "u8", "i32", "i64"] + FLOATS)
op("tiny_scatter_add", "tiny_scatter_add({0}, 1, {1}, {2})", lambda x, i, s: x.scatter_add(1, i.long(), s), [(T(2, 5), ids([[0, 4, 4], [2, 2, 2]]), T(2, 3)), ADD[4]], dtypes=["f32", "f64"])
MODES = [("TINY_REDUCE_" + name.upper(), name) for name in ("sum", "prod", "amax", "amin", "mean")]
DIST = [(T(3, 4, distinct=True), S2, T(2, 3, distinct=True)), (T(4), ids([3, 3, 1, 3], "u8"), T(4)), (T(5), ids([0, 0, 2, 2, 2]), T(5, values=[1, 1, 2, 2, 0]))]
# without the old values PyTorch 1.13 still halves the gradient of what equals one of them: here none does
FAR = [(T(3, 4, lo=20, hi=30), S2, T(2, 3, distinct=True)), (T(4, lo=20, hi=30), ids([3, 3, 1, 3], "u8"), T(4))]
for c, name in MODES:
    for include in (1, 0):
        # PyTorch 1.13 has no prod gradient by its own formula for zeros: its inputs have none
        ins = [(T(3, 4, lo=1, hi=3), S2, T(2, 3, lo=1, hi=3)), (T(4, lo=1), ids([3, 3, 1, 3], "u8"), T(4, lo=1))] if name == "prod" else FAR if not include else DIST if name != "mean" else DIST[:2]
        whole = [] if name == "mean" else ["i32", "i64", "u8"]
        op("tiny_scatter_reduce", "tiny_scatter_reduce({0}, 0, {1}, {2}, %s, %d)" % (c, include), lambda x, i, s, name=name, include=include: x.scatter_reduce(0, i.long(), s, name, include_self=bool(include)), ins, dtypes=whole + ["f16", "f32", "f64"], tol=8)
        if name != "sum":
            op("tiny_index_reduce", "tiny_index_reduce({0}, 0, {1}, {2}, %s, %d)" % (c, include), lambda x, i, s, name=name, include=include: x.clone().index_reduce(0, i.long(), s, name, include_self=bool(include)), [(T(3, 2, lo=20, hi=30), ids([2, 0, 2, 2]), T(4, 2, lo=1, distinct=name[0] == "a"))], dtypes=["f32", "f64"], grad=name not in ("prod",), tol=8)
op("tiny_scatter_reduce", "tiny_scatter_reduce({0}, 0, {1}, {2}, TINY_REDUCE_AMAX, 1)", lambda x, i, s: x.scatter_reduce(0, i.long(), s, "amax"), [(T(3, values=[2, 1, 0]), ids([0, 0, 1, 2]), T(4, values=[2, 2, 3, -1]))], dtypes=["f32", "f64"])
op("tiny_index_add", "tiny_index_add({0}, 0, {1}, {2})", lambda x, i, s: x.index_add(0, i.long(), s), [(T(3, 4), ids([2, 0, 2]), T(3, 4)), (T(3), ids([1, 1], "i64"), T(2)), (T(3, 2), ids([], "i32"), T(0, 2))], dtypes=["i8", "u8", "i32", "i64"] + FLOATS)
op("tiny_index_add", "tiny_index_add({0}, -1, {1}, {2})", lambda x, i, s: x.index_add(-1, i.long(), s), [(T(2, 3, 4), ids([3, 0]), T(2, 3, 2))], dtypes=["f32"])
op("tiny_index_copy", "tiny_index_copy({0}, 1, {1}, {2})", lambda x, i, s: x.index_copy(1, i.long(), s), [(T(2, 3, 2), ids([2, 0]), T(2, 2, 2)), (T(3, 4), ids([1]), T(3, 1))], dtypes=["bool", "i32", "f16", "f32", "f64"])
op("tiny_index_fill", "tiny_index_fill({0}, 0, {1}, 2)", lambda x, i: x.index_fill(0, i.long(), 2), [(T(3, 4), ids([2, 0])), (T(3), ids([], "i32")), (T(3, 2), ids(1))], dtypes=["u8", "i32", "f16", "f32", "f64"])
for acc in (0, 1):
    op("tiny_put", "tiny_put({0}, {1}, {2}, %d)" % acc, lambda x, i, s, acc=acc: x.put(i.long(), s, bool(acc)), [(T(3, 4), ids([[0, 11], [-2, 3]]), T(2, 2)), (T(5), ids(2), T())], dtypes=["i32", "f32", "f64"])

# ** masks **
M = mask([[1, 0, 1, 1], [0, 0, 0, 1], [0, 1, 0, 0]])
op("tiny_masked_fill", "tiny_masked_fill({0}, {1}, 2)", lambda x, m: x.masked_fill(m.bool(), 2), [(T(3, 4), M), (T(3, 4), mask([1, 0, 0, 1])), (T(4), M), (T(), mask(1)), (T(0, 4), mask([1, 0, 0, 1]))], dtypes=["u8", "i32", "i64"] + FLOATS)
op("tiny_masked_select", "tiny_masked_select({0}, {1})", lambda x, m: x.masked_select(m.bool()), [(T(3, 4), M), (T(3, 4), mask([1, 0, 0, 1])), (T(4), M), (T(), mask(1)), (T(2), mask([0, 0])), (T(0, 4), mask([1, 0, 0, 1]))], dtypes=SOME)
op("tiny_masked_scatter", "tiny_masked_scatter({0}, {1}, {2})", lambda x, m, s: x.masked_scatter(m.bool(), s), [(T(3, 4), M, T(5)), (T(3, 4), mask([1, 0, 0, 1]), T(3, 2)), (T(), mask(1), T(3))], dtypes=["i32", "f16", "f32", "f64"])
op("tiny_nonzero", "tiny_nonzero({0})", lambda x: x.nonzero().int(), [T(7, lo=-1, hi=2), T(3, 4, lo=-1, hi=1), T(2, 3, 2, lo=0, hi=1), T(values=3), T(values=0), T(0, 3), T(3, values=[0, 0, 0])], dtypes=["bool", "i32", "f32"], grad=False)

# ** counting **
op("tiny_bincount", "tiny_bincount({0}, NULL, 0)", lambda x: torch.bincount(x.long()).int(), [ids([1, 4, 1, 0, 2, 4, 4]), ids([3], "u8"), T(0, dtype="i64")], grad=False)
op("tiny_bincount", "tiny_bincount({0}, NULL, 6)", lambda x: torch.bincount(x.long(), minlength=6).int(), [ids([1, 4, 1, 0, 2, 4, 4]), T(0, dtype="i32"), ids([8, 8])], grad=False)
op("tiny_bincount", "tiny_bincount({0}, {1}, 0)", lambda x, w: torch.bincount(x.long(), w), [(ids([1, 4, 1, 0, 2, 4, 4]), T(7))], dtypes=["i32", "f32", "f64"], grad=False, result=lambda i, w: "f32" if w == "f32" else "f64")
op("tiny_histc", "tiny_histc({0}, 5, -2, 2)", lambda x: torch.histc(x, 5, -2, 2), [T(40), T(3, 7), T(), T(0)], dtypes=["f32", "f64"], grad=False)
op("tiny_histc", "tiny_histc({0}, 4, 0, 0)", lambda x: torch.histc(x, 4), [T(40), T(3, values=[2, 2, 2])], dtypes=["f32", "f64"], grad=False)
