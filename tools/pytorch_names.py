#!/usr/bin/env python3
"""Writes docs/from-pytorch-names.md: what PyTorch's names are called here, from the marks [torch.name] of src/api/ and the table below.

  tools/pytorch_names.py            write it
  tools/pytorch_names.py --check    exit 1 when the page does not read as it would be written now, or names what there is not
"""
import os
import re
import sys

from api import PARTS

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, "docs/from-pytorch-names.md")

# What PyTorch has under names of its own, and how it is written here.
WRITTEN = {
    "torch.absolute": "tiny_abs(x)", "torch.arccos": "tiny_acos(x)", "torch.arcsin": "tiny_asin(x)", "torch.arctan": "tiny_atan(x)",
    "torch.arctan2": "tiny_atan2(y, x)", "torch.arccosh": "tiny_acosh(x)", "torch.arcsinh": "tiny_asinh(x)", "torch.arctanh": "tiny_atanh(x)",
    "torch.clip": "tiny_clamp(x, lo, hi)", "torch.negative": "tiny_neg(x)", "torch.fix": "tiny_trunc(x)", "torch.sgn": "tiny_sign(x)",
    "torch.multiply": "tiny_mul(a, b)", "torch.divide": "tiny_div(a, b)", "torch.true_divide": "tiny_div(a, b)", "torch.subtract": "tiny_sub(a, b)",
    "torch.greater": "tiny_gt(a, b)", "torch.greater_equal": "tiny_ge(a, b)", "torch.less": "tiny_lt(a, b)", "torch.less_equal": "tiny_le(a, b)",
    "torch.not_equal": "tiny_ne(a, b)", "torch.equal": "tiny_item(tiny_all(tiny_eq(a, b), TINY_ALL, 0))",
    "torch.mm": "tiny_matmul(a, b)", "torch.bmm": "tiny_matmul(a, b)", "torch.mv": "tiny_matmul(a, v)", "torch.ger": "tiny_outer(a, b)",
    "torch.addmm": "tiny_add(x, tiny_matmul(a, b))", "torch.baddbmm": "tiny_add(x, tiny_matmul(a, b))", "torch.addmv": "tiny_add(x, tiny_matmul(a, v))",
    "torch.chain_matmul": "tiny_multi_dot(TINY_ARRAY(a, b, c))", "torch.inverse": "tiny_inv(x)", "torch.pinverse": "tiny_pinv(x, 0)",
    "torch.logdet": "tiny_log(tiny_det(x))", "torch.norm": "tiny_norm(x, 2, TINY_ALL, 0)", "torch.trace": "tiny_trace(x)",
    "torch.Tensor.t": "tiny_transpose(x, 0, 1)", "torch.Tensor.T": "tiny_transpose(x, 0, 1)", "torch.Tensor.mT": "tiny_transpose(x, -2, -1)",
    "torch.swapaxes": "tiny_transpose(x, a, b)", "torch.moveaxis": "tiny_movedim(x, from, to)", "torch.ravel": "tiny_flatten(x, 0, -1)",
    "torch.Tensor.view(shape)": "tiny_reshape(x, shape)", "torch.Tensor.view_as": "tiny_reshape(x, tiny_shape_of(y))",
    "torch.Tensor.expand": "tiny_expand(x, shape)", "torch.Tensor.contiguous": "tiny_contiguous(x)",
    "torch.concat": "tiny_cat(TINY_ARRAY(a, b), axis)", "torch.concatenate": "tiny_cat(TINY_ARRAY(a, b), axis)",
    "torch.vstack": "tiny_cat(TINY_ARRAY(a, b), 0)", "torch.hstack": "tiny_cat(TINY_ARRAY(a, b), 1)", "torch.dstack": "tiny_cat(TINY_ARRAY(a, b), 2)",
    "torch.fliplr": "tiny_flip(x, TINY_SHAPE(1))", "torch.flipud": "tiny_flip(x, TINY_SHAPE(0))", "torch.argwhere": "tiny_nonzero(x)",
    "torch.tensor(data)": "tiny_from(t, data, dtype, shape)", "torch.from_numpy": "tiny_blob(t, data, dtype, shape, NULL)",
    "torch.empty": "tiny_zeros(t, dtype, shape)", "torch.empty_like": "tiny_zeros_like(x)", "torch.numel": "tiny_nelem_of(x)",
    "torch.Tensor.shape": "tiny_shape_of(x)", "torch.Tensor.dim": "tiny_shape_of(x).ndim", "torch.Tensor.dtype": "tiny_dtype_of(x)",
    "torch.Tensor.device": "tiny_device_of(x)", "torch.Tensor.item": "tiny_item(x)", "torch.Tensor.tolist": "tiny_read(x, out, sizeof out)",
    "torch.Tensor.numpy": "tiny_read(x, out, sizeof out)", "torch.Tensor.float": "tiny_cast(x, TINY_F32)", "torch.Tensor.half": "tiny_cast(x, TINY_F16)",
    "torch.Tensor.double": "tiny_cast(x, TINY_F64)", "torch.Tensor.int": "tiny_cast(x, TINY_I32)", "torch.Tensor.long": "tiny_cast(x, TINY_I64)",
    "torch.Tensor.bool": "tiny_cast(x, TINY_BOOL)", "torch.Tensor.type_as": "tiny_cast(x, tiny_dtype_of(y))", "torch.Tensor.cuda": "tiny_to(x, device)",
    "torch.Tensor.cpu": "tiny_to(x, device)", "torch.Tensor.copy_": "tiny_assign(x, value)", "torch.Tensor.add_": "tiny_assign(x, tiny_add(x, y))",
    "torch.Tensor.fill_": "tiny_assign(x, tiny_full_like(x, value))", "torch.Tensor.zero_": "tiny_assign(x, tiny_zeros_like(x))",
    "torch.Tensor.backward": "tiny_grad(loss, params, n, grads)", "torch.promote_types": "tiny_promote(a, b)",
    "torch.Tensor.__getitem__": "tiny_index(x, TINY_ARRAY(i, j)), tiny_slice(x, axis, start, stop, step), tiny_select(x, axis, i)",
    "torch.cuda.synchronize": "tiny_sync(t)", "torch.nn.ReLU": "tiny_relu(x)", "torch.nn.Dropout": "tiny_dropout(x, p, train)",
    "torch.nn.LayerNorm": "tiny_norm_layer_new(t, TINY_LAYER_NORM, size, 0)", "torch.nn.RMSNorm": "tiny_norm_layer_new(t, TINY_RMS_NORM, size, 0)",
    "torch.nn.GroupNorm": "tiny_norm_layer_new(t, TINY_GROUP_NORM, size, groups)",     "torch.nn.Module.parameters": "tiny_params, tiny_params_add(p, prefix, name, x, 1)", "torch.no_grad": "nothing: gradients are made by tiny_grad alone",
    "torch.optim.Optimizer.zero_grad": "nothing: gradients are new tensors",
}
NOT_HERE = "nothing: "

HEAD = """# PyTorch's names

Written by `tools/pytorch_names.py` from the comments in [src/api](../src/api) and its own table; not edited by hand. Left what PyTorch calls it,
right what it is here. A function alone takes what its comment says; where PyTorch has several names for one thing, or a method for what is
a line here, that line is shown: `t` is the context, `x`, `a`, `b` are tensors, `axis` and `shape` are what PyTorch calls dim and size.

| PyTorch | tiny.h |
|---|---|
"""


def marks():
    """{PyTorch's name: [function or optimiser that is marked with it]}, every public name."""
    found, public = {}, set()
    for part in sorted(os.listdir(os.path.join(ROOT, "src/api")), key=lambda p: (p != "core.h", p != "operators.h", p)):
        text = open(os.path.join(ROOT, "src/api", part), encoding="utf-8").read()
        public |= set(re.findall(r"\btiny_\w+", re.sub(r"//[^\n]*", "", text))) | set(re.findall(r"\bTINY_\w+", re.sub(r"//[^\n]*", "", text)))
        waiting = []
        for line in text.split("\n"):
            names = re.findall(r"\[(torch[\w.]*\.[^\[\]]+)\]", line)
            if (m := re.match(r"\s+(TINY_\w+),", line)) and names:
                for name in names: found.setdefault(name, []).append(m.group(1))
            elif line.startswith("//"):
                waiting += names
            elif m := re.search(r"\b(tiny_\w+)\(", line):
                for name in waiting + names: found.setdefault(name, []).append(m.group(1))
                waiting = []
    return found, public


def page():
    found, public = marks()
    rows = {name: ", ".join("`%s`" % f for f in dict.fromkeys(functions)) for name, functions in found.items()}
    for name, how in WRITTEN.items():
        for word in re.findall(r"\b(?:tiny|TINY)_\w+", how):
            if word not in public: raise SystemExit("%s: there is no %s" % (name, word))
        if name in rows: raise SystemExit("%s is marked in src/api already" % name)
        rows[name] = how if how.startswith(NOT_HERE) else "`%s`" % how
    return HEAD + "".join("| `%s` | %s |\n" % (name, rows[name]) for name in sorted(rows, key=lambda n: (n.rsplit(".", 1)[-1].lower(), n)))


def main():
    text = page()
    if "--check" in sys.argv:
        same = os.path.exists(PAGE) and open(PAGE, encoding="utf-8").read() == text
        print("%d passed, %d failed" % (same, not same))
        if not same: print("docs/from-pytorch-names.md is not what tools/pytorch_names.py writes: run it")
        return not same
    open(PAGE, "w", encoding="utf-8").write(text)
    return 0


sys.exit(main())
