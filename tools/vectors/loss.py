from vectors import *
import math
WIDE = ["f32", "f64"]
TWO = [(T(3, 4), T(3, 4)), (T(5), T(5)), (T(), T())]
REDUCTIONS = [("mean", "TINY_MEAN"), ("sum", "TINY_SUM"), ("none", "TINY_NONE")]

def loss(name, c, python, inputs, dtypes=FLOATS, tol=16, **more):
    """All reductions; the mean in every dtype, the others in f32."""
    for r, constant in REDUCTIONS:
        op(name, "%s(%s, %s)" % (name, c, constant), lambda *x, r=r: python(*x, reduction=r), inputs, dtypes=dtypes if r == "mean" else ["f32"], tol=tol, **more)

SIGNS = T(3, 4, values=[[1, -1, 1, 1], [-1, -1, 1, -1], [1, 1, -1, -1]])
WHOLE = T(3, 4, dtype="i32", values=SIGNS.values)
FEW = T(3, values=[1, -1, 1])
UNIT = [(T(3, 4, lo=0.05, hi=0.95), T(3, 4, lo=0, hi=1)), (T(5, lo=0.05, hi=0.95), T(5, lo=0, hi=1))]
loss("tiny_mse_loss", "{0}, {1}", F.mse_loss, TWO + [(T(2, 3), T(3))])
loss("tiny_mse_loss", "{0}, {1}", lambda x, y, reduction: F.mse_loss(x.float(), y.float(), reduction=reduction), [(T(5), T(5))], dtypes=["i32", "u8", "bool"], grad=False)
op("tiny_mse_loss", "tiny_mse_loss({0}, {1}, TINY_BATCH_MEAN)", lambda x, y: F.mse_loss(x, y, reduction="sum") / 3, [(T(3, 4), T(3, 4))], dtypes=FLOATS, tol=16)
loss("tiny_l1_loss", "{0}, {1}", F.l1_loss, TWO)
loss("tiny_smooth_l1_loss", "{0}, {1}, 1", F.smooth_l1_loss, TWO)
loss("tiny_smooth_l1_loss", "{0}, {1}, 2.5", lambda x, y, reduction: F.smooth_l1_loss(x, y, beta=2.5, reduction=reduction), TWO[:1], dtypes=WIDE)
loss("tiny_smooth_l1_loss", "{0}, {1}, 0", lambda x, y, reduction: F.smooth_l1_loss(x, y, beta=0.0, reduction=reduction), TWO[:1], dtypes=WIDE)
loss("tiny_huber_loss", "{0}, {1}, 1.5", lambda x, y, reduction: F.huber_loss(x, y, delta=1.5, reduction=reduction), TWO)
loss("tiny_binary_cross_entropy", "{0}, {1}, NULL", F.binary_cross_entropy, UNIT, tol=32)
loss("tiny_binary_cross_entropy", "{0}, {1}, {2}", lambda x, y, w, reduction: F.binary_cross_entropy(x, y, w.detach(), reduction=reduction), [UNIT[0] + (T(3, 4, lo=0),)], dtypes=WIDE, grad=False)
op("tiny_binary_cross_entropy", "tiny_binary_cross_entropy({0}, {1}, NULL, TINY_NONE)", lambda x, y: F.binary_cross_entropy(x, y, reduction="none"), [(T(4, values=[0, 1, 0, 1]), T(4, values=[0, 0, 1, 1]))], dtypes=WIDE, grad=False)
loss("tiny_binary_cross_entropy_with_logits", "{0}, {1}, NULL, NULL", F.binary_cross_entropy_with_logits, [(T(3, 4), T(3, 4, lo=0, hi=1)), (T(5, lo=-60, hi=60), T(5, lo=0, hi=1))])
loss("tiny_binary_cross_entropy_with_logits", "{0}, {1}, {2}, {3}", lambda x, y, w, p, reduction: F.binary_cross_entropy_with_logits(x, y, w, reduction=reduction, pos_weight=p), [(T(3, 4), T(3, 4, lo=0, hi=1), T(4, lo=0), T(4, lo=0.1))], grad=False)
loss("tiny_binary_cross_entropy_with_logits", "{0}, {1}, NULL, {2}", lambda x, y, p, reduction: F.binary_cross_entropy_with_logits(x, y, reduction=reduction, pos_weight=p.detach()) + 0 * p.sum(), [(T(3, 4), T(3, 4, lo=0, hi=1), T(4, lo=0.1))], dtypes=["f16"], grad=False)
loss("tiny_soft_margin_loss", "{0}, {1}", lambda x, y, reduction: F.soft_margin_loss(x, y.to(x.dtype), reduction=reduction), [(T(3, 4), WHOLE), (T(5), T(5, dtype="i32"))])
loss("tiny_multilabel_soft_margin_loss", "{0}, {1}, NULL", F.multilabel_soft_margin_loss, [(T(3, 4), T(3, 4, lo=0, hi=1)), (T(5), T(5, lo=0, hi=1))])
loss("tiny_multilabel_soft_margin_loss", "{0}, {1}, {2}", lambda x, y, w, reduction: F.multilabel_soft_margin_loss(x, y, w, reduction=reduction), [(T(3, 4), T(3, 4, lo=0, hi=1), T(4, lo=0))], dtypes=WIDE)
loss("tiny_kl_div", "{0}, {1}, 0", F.kl_div, [(T(3, 4), T(3, 4, lo=0.1, hi=1)), (T(5), T(5, lo=0.1, hi=1))], tol=64)
loss("tiny_kl_div", "{0}, {1}, 1", lambda x, y, reduction: F.kl_div(x, y, log_target=True, reduction=reduction), TWO)
op("tiny_kl_div", "tiny_kl_div({0}, {1}, 0, TINY_BATCH_MEAN)", lambda x, y: F.kl_div(x, y, reduction="batchmean"), [(T(3, 2), T(3, 2, values=[[0, 1], [0.5, 0.5], [0, 0]]))], dtypes=FLOATS, grad=False)
VAR = T(3, 4, lo=0.1)
loss("tiny_gaussian_nll_loss", "{0}, {1}, {2}, 0, 1e-6", F.gaussian_nll_loss, [(T(3, 4), T(3, 4), VAR), (T(3, 4), T(3, 4), T(3, 1, lo=0.1))], dtypes=WIDE)
loss("tiny_gaussian_nll_loss", "{0}, {1}, {2}, 1, 0.5", lambda x, y, v, reduction: F.gaussian_nll_loss(x, y, v, full=True, eps=0.5, reduction=reduction), [(T(3, 4), T(3, 4), VAR)], grad=False)
loss("tiny_poisson_nll_loss", "{0}, {1}, 1, 0, 1e-8", lambda x, y, reduction: F.poisson_nll_loss(x, y, reduction=reduction), [(T(3, 4), T(3, 4, lo=0))])
loss("tiny_poisson_nll_loss", "{0}, {1}, 0, 1, 1e-8", lambda x, y, reduction: F.poisson_nll_loss(x, y.detach(), log_input=False, full=True, reduction=reduction), [(T(3, 4, lo=0.1), T(3, 4, lo=0, hi=6))], grad=False)
loss("tiny_hinge_embedding_loss", "{0}, {1}, 1", F.hinge_embedding_loss, [(T(3, 4), SIGNS), (T(3), FEW)], grad=False, result=real)
op("tiny_hinge_embedding_loss", "tiny_hinge_embedding_loss({0}, {1}, 1.5, TINY_NONE)", lambda x, y: F.hinge_embedding_loss(x, y, 1.5, reduction="none"), [(T(3, 4), WHOLE)], dtypes=WIDE, result=real)
loss("tiny_margin_ranking_loss", "{0}, {1}, {2}, 0.5", lambda a, b, y, reduction: F.margin_ranking_loss(a, b, y, 0.5, reduction=reduction), [(T(3), T(3), FEW), (T(5), T(5), T(5))])
loss("tiny_margin_ranking_loss", "{0}, {1}, {2}, 0", F.margin_ranking_loss, [(T(3), T(3), T(3, dtype="i32", values=FEW.values))], dtypes=WIDE)
loss("tiny_cosine_embedding_loss", "{0}, {1}, {2}, 0.1", lambda a, b, y, reduction: F.cosine_embedding_loss(a, b, y, 0.1, reduction=reduction), [(T(3, 4), T(3, 4), T(3, dtype="i32", values=FEW.values)), (T(4), T(4), T(dtype="i32", values=-1))], tol=64)
loss("tiny_triplet_margin_loss", "{0}, {1}, {2}, 1, 2, 0", F.triplet_margin_loss, [(T(3, 4), T(3, 4), T(3, 4)), (T(4), T(4), T(4))], tol=64)
loss("tiny_triplet_margin_loss", "{0}, {1}, {2}, 2.5, 1, 1", lambda a, p, n, reduction: F.triplet_margin_loss(a, p, n, 2.5, 1, swap=True, reduction=reduction), [(T(3, 4), T(3, 4), T(3, 4))], dtypes=WIDE, tol=64)

# ** classes **
LABELS = T(3, dtype="i32", values=[2, 0, 3])
SOME = T(3, dtype="i64", values=[2, -100, 3])
DEEP = T(2, 2, dtype="i32", values=[[2, 0], [1, -100]])
NONE_COUNTS = T(3, dtype="i64", values=[-100] * 3)
def desc(name, fields, labels="{1}"): return "tiny_cross_entropy_desc d; memset(&d, 0, sizeof d); %s out[0] = tiny_%s({0}, %s, &d); return 1;" % (fields, name, labels)
for name, f, scores in (("cross_entropy", F.cross_entropy, T), ("nll_loss", F.nll_loss, lambda *d: T(*d, lo=-4, hi=0))):
    op("tiny_" + name, "tiny_%s({0}, {1}, NULL)" % name, lambda x, y, f=f: f(x, y.long()), [(scores(3, 4), LABELS), (scores(3, 4), SOME), (scores(4), T(dtype="i32", values=1)), (scores(2, 3, 2), DEEP), (scores(3, 4), T(3, dtype="u8", values=[1, 2, 3]))], dtypes=FLOATS, tol=16)
    for r, constant in REDUCTIONS:
        op("tiny_" + name, desc(name, "d.reduction = %s; d.weight = {2};" % constant), lambda x, y, w, f=f, r=r: f(x, y.long(), w.detach(), reduction=r), [(scores(3, 4), SOME, T(4, lo=0)), (scores(2, 3, 2), DEEP, T(3, lo=0))], dtypes=FLOATS if r == "mean" else ["f32"], grad=False, tol=16)
        op("tiny_" + name, desc(name, "d.reduction = %s; d.ignores = 1; d.ignore_index = 2;" % constant), lambda x, y, f=f, r=r: f(x, y.long(), ignore_index=2, reduction=r), [(scores(3, 4), LABELS)], dtypes=WIDE, tol=16)
    op("tiny_" + name, "tiny_%s({0}, {1}, NULL)" % name, lambda x, y, f=f: f(x, y), [(scores(3, 4), NONE_COUNTS)], grad=False)
for r, constant in REDUCTIONS:
    op("tiny_cross_entropy", desc("cross_entropy", "d.reduction = %s; d.label_smoothing = 0.25;" % constant), lambda x, y, r=r: F.cross_entropy(x, y.long(), label_smoothing=0.25, reduction=r), [(T(3, 4), SOME), (T(2, 3, 2), DEEP)], dtypes=WIDE, tol=16)
    op("tiny_cross_entropy", desc("cross_entropy", "d.reduction = %s; d.label_smoothing = 0.25; d.weight = {2};" % constant), lambda x, y, w, r=r: F.cross_entropy(x, y.long(), w.detach(), label_smoothing=0.25, reduction=r), [(T(3, 4), SOME, T(4, lo=0))], dtypes=WIDE, grad=False, tol=16)
    op("tiny_cross_entropy", desc("cross_entropy", "d.reduction = %s; d.label_smoothing = 0.1; d.weight = {2};" % constant), lambda x, y, w, r=r: F.cross_entropy(x, y, w.detach(), label_smoothing=0.1, reduction=r), [(T(3, 4), T(3, 4, lo=0, hi=1), T(4, lo=0)), (T(2, 3, 2), T(2, 3, 2, lo=0, hi=1), T(3, lo=0))], dtypes=WIDE, grad=False, tol=16)
op("tiny_cross_entropy", "tiny_cross_entropy({0}, {1}, NULL)", F.cross_entropy, [(T(3, 4), T(3, 4, lo=0, hi=1)), (T(4), T(4, lo=0, hi=1)), (T(2, 3, 2), T(2, 3, 2, lo=0, hi=1))], dtypes=FLOATS, tol=16)
op("tiny_cross_entropy", "tiny_cross_entropy({0}, {1}, NULL)", lambda x, y: F.cross_entropy(x.double(), y.long()), [(T(3, 4), LABELS)], dtypes=BOOLS + INTS + UNSIGNED, tol=16, result="f32")
loss("tiny_multi_margin_loss", "{0}, {1}, 1, 1, NULL", lambda x, y, reduction: F.multi_margin_loss(x, y.long(), reduction=reduction), [(T(3, 4), LABELS), (T(4), T(dtype="i32", values=1))])
loss("tiny_multi_margin_loss", "{0}, {1}, 2, 0.5, {2}", lambda x, y, w, reduction: F.multi_margin_loss(x, y.long(), 2, 0.5, w.detach(), reduction=reduction), [(T(3, 4), LABELS, T(4, lo=0))], dtypes=WIDE, grad=False)

# ** CTC: the gradient by way of log_softmax, as PyTorch's own is only right there **
CTC = (T(6, 3, 4), T(3, 3, dtype="i32", values=[[1, 2, 3], [2, 2, 0], [3, 0, 0]]), T(3, dtype="i32", values=[6, 5, 4]), T(3, dtype="i32", values=[3, 2, 1]))
def ctc(x, y, frames, labels, **more): return F.ctc_loss(torch.log_softmax(x, -1), y.long(), frames.long(), labels.long(), **more)
for r, constant in REDUCTIONS:
    op("tiny_ctc_loss", "tiny_ctc_loss(tiny_log_softmax({0}, -1), {1}, {2}, {3}, 0, 0, %s)" % constant, lambda *a, r=r: ctc(*a, reduction=r), [CTC], dtypes=WIDE, tol=64, result=real)
op("tiny_ctc_loss", "tiny_ctc_loss(tiny_log_softmax({0}, -1), {1}, {2}, {3}, 2, 1, TINY_NONE)", lambda *a: ctc(*a, blank=2, zero_infinity=True, reduction="none"), [(T(4, 3, 3), T(3, 3, dtype="i32", values=[[1, 1, 1], [0, 0, 0], [1, 0, 1]]), T(3, dtype="i32", values=[4, 4, 2]), T(3, dtype="i32", values=[3, 0, 1]))], dtypes=WIDE, tol=64, result=real)
op("tiny_ctc_loss", "tiny_ctc_loss(tiny_log_softmax({0}, -1), {1}, {2}, {3}, 0, 0, TINY_NONE)", lambda *a: ctc(*a, reduction="none"), [(T(2, 2, 3), T(2, 3, dtype="i64", values=[[1, 1, 1], [1, 2, 0]]), T(2, dtype="i32", values=[2, 2]), T(2, dtype="i32", values=[3, 2]))], dtypes=["f16"] + WIDE, grad=False, tol=64, result=real)
op("tiny_ctc_loss", "tiny_ctc_loss(tiny_log_softmax({0}, -1), {1}, {2}, {3}, 0, 0, TINY_MEAN)", lambda x, y, f, n: F.ctc_loss(torch.log_softmax(x, -1).unsqueeze(1), y.long().unsqueeze(0), f.long().reshape(1), n.long().reshape(1)), [(T(5, 3), T(2, dtype="i32", values=[2, 1]), T(dtype="i32", values=5), T(dtype="i32", values=2))], dtypes=WIDE, tol=64, result=real)
