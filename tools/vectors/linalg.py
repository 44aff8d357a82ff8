from vectors import *

def matrices(*dims, add=0.0, seed=0):
    """Random multiples of 1/32 with add times the identity: well conditioned where add is large."""
    rng = np.random.default_rng([seed, *dims])
    x = np.floor(rng.uniform(-64, 64, dims)) / 32
    return T(*dims, values=x + add * np.eye(dims[-2], dims[-1]))
def spread(*dims):
    """Matrices whose singular values lie well apart."""
    rng = np.random.default_rng([7, *dims])
    n, m = dims[-2:]
    q = np.linalg.qr(rng.standard_normal(dims[:-2] + (n, n)))[0]
    p = np.linalg.qr(rng.standard_normal(dims[:-2] + (m, m)))[0]
    k = min(n, m)
    return T(*dims, values=np.round((q[..., :k] * (1 + np.arange(k))) @ np.swapaxes(p[..., :k], -1, -2) * 256) / 256)
REAL = ["f32", "f64"]
WELL = [matrices(1, 1, add=3), matrices(2, 2, add=3), matrices(3, 3, add=4), matrices(2, 4, 4, add=5), T(0, 0), T(2, 0, 0)]
NUMBERS = ["i32", "i64"] + FLOATS

# ** products **
MATMULS = [(T(3, 4), T(4, 5)), (T(4), T(4)), (T(3, 4), T(4)), (T(4), T(4, 2)), (T(2, 1, 3, 4), T(3, 4, 2)), (T(0, 4), T(4, 2)), (T(3, 0), T(0, 2)), (T(1, 1), T(1, 1))]
op("tiny_matmul", "tiny_matmul({0}, {1})", torch.matmul, MATMULS, dtypes=NUMBERS, tol=8)
op("tiny_linear", "tiny_linear({0}, {1}, {2})", F.linear, [(T(2, 5), T(3, 5), T(3)), (T(2, 1, 4), T(3, 4), T(3)), (T(4), T(3, 4), T(3)), (T(0, 4), T(3, 4), T(3))], dtypes=FLOATS, tol=16)
op("tiny_linear", "tiny_linear({0}, {1}, NULL)", lambda x, w: x @ w.mT, [(T(2, 5), T(3, 5)), (T(2, 0), T(3, 0))], dtypes=["i32", "f32"], tol=16)
op("tiny_dot", "tiny_dot({0}, {1})", torch.dot, [(T(5), T(5)), (T(0), T(0)), (T(1), T(1))], dtypes=NUMBERS, tol=8)
op("tiny_vdot", "tiny_vdot({0}, {1})", lambda a, b: (a.flatten() * b.flatten()).sum().to(a.dtype), [(T(2, 3), T(2, 3)), (T(2, 3), T(6)), (T(), T(1))], dtypes=NUMBERS, tol=8)
op("tiny_vecdot", "tiny_vecdot({0}, {1}, -1)", lambda a, b: (a * b).sum(-1).to(a.dtype), [(T(5), T(5)), (T(2, 3), T(3)), (T(2, 1, 4), T(3, 4)), (T(2, 0), T(2, 0))], dtypes=FLOATS, tol=8)
op("tiny_vecdot", "tiny_vecdot({0}, {1}, 0)", lambda a, b: (a * b).sum(0).to(a.dtype), [(T(5, 2), T(5, 2)), (T(3, 4), T(4))], dtypes=FLOATS, tol=8)
op("tiny_inner", "tiny_inner({0}, {1})", torch.inner, [(T(4), T(4)), (T(2, 4), T(4)), (T(2, 4), T(3, 4)), (T(), T(3)), (T(2, 3, 4), T(5, 4))], dtypes=NUMBERS, tol=8)
op("tiny_outer", "tiny_outer({0}, {1})", lambda a, b: torch.outer(a.flatten(), b.flatten()), [(T(3), T(4)), (T(2, 3), T(2)), (T(0), T(3)), (T(), T(2))], dtypes=NUMBERS)
op("tiny_kron", "tiny_kron({0}, {1})", torch.kron, [(T(2, 3), T(3, 2)), (T(3), T(2, 2)), (T(2, 1, 3), T(2, 2)), (T(), T(2, 3)), (T(0, 2), T(2, 2))], dtypes=NUMBERS)
op("tiny_tensordot", "tiny_tensordot({0}, {1}, TINY_SHAPE(1), TINY_SHAPE(0))", lambda a, b: torch.tensordot(a, b, ([1], [0])), [(T(3, 4), T(4, 2)), (T(2, 3, 5), T(3, 4)), (T(2, 0), T(0, 3))], dtypes=NUMBERS, tol=8)
op("tiny_tensordot", "tiny_tensordot({0}, {1}, TINY_SHAPE(0, -1), TINY_SHAPE(1, 0))", lambda a, b: torch.tensordot(a, b, ([0, -1], [1, 0])), [(T(3, 4), T(4, 3)), (T(2, 5, 3), T(3, 2, 4))], dtypes=NUMBERS, tol=8)
op("tiny_tensordot", "tiny_tensordot({0}, {1}, TINY_SHAPE(), TINY_SHAPE())", lambda a, b: torch.tensordot(a, b, 0), [(T(2), T(3, 2))], dtypes=FLOATS)
op("tiny_multi_dot", "tiny_multi_dot(in, 3)", lambda a, b, c: torch.linalg.multi_dot([a, b, c]), [(T(3, 4), T(4, 2), T(2, 5)), (T(4), T(4, 3), T(3, 2)), (T(2, 4), T(4, 3), T(3)), (T(3), T(3, 4), T(4))], dtypes=REAL, tol=16)
op("tiny_multi_dot", "tiny_multi_dot(in, 4)", lambda a, b, c, d: torch.linalg.multi_dot([a, b, c, d]), [(T(2, 6), T(6, 1), T(1, 5), T(5, 3))], dtypes=FLOATS, tol=16)
for spec, sets in {
    "ij,jk->ik": [(T(3, 4), T(4, 2)), (T(3, 0), T(0, 2))], "ij,jk": [(T(3, 4), T(4, 2))], "ii->i": [(T(4, 4),)], "ii": [(T(4, 4),)], "ij->ji": [(T(2, 3),)], "ij->": [(T(2, 3),)],
    "ba": [(T(2, 3),)], "bij,bjk->bik": [(T(2, 3, 4), T(2, 4, 2)), (T(1, 3, 4), T(5, 4, 2))], "...ij,...jk->...ik": [(T(2, 1, 3, 4), T(5, 4, 2)), (T(3, 4), T(4, 2))],
    "...,...": [(T(2, 3), T(3)), (T(), T(2))], "i...->...": [(T(3, 2, 2),)], "...ii->...i": [(T(2, 3, 3),)], "iij,jk->k": [(T(3, 3, 2), T(2, 4))], "i,j->ij": [(T(3), T(4))],
    "ij,ij->i": [(T(3, 4), T(3, 4))], "bnd,bmd->bnm": [(T(2, 3, 5), T(2, 4, 5))], "ij,kl->": [(T(2, 3), T(3, 2))], "abc,cd,de->abe": [(T(2, 2, 3), T(3, 4), T(4, 2))],
    "ij,jk,kl,li->": [(T(2, 3), T(3, 4), T(4, 5), T(5, 2))], "ab , bc -> ca": [(T(2, 3), T(3, 2))], "i,i,i->i": [(T(4), T(4), T(4))], "Ab,bC->CA": [(T(2, 3), T(3, 2))], "iiii->i": [(T(2, 2, 2, 2),)],
}.items():
    op("tiny_einsum", 'tiny_einsum("%s", in, %d)' % (spec, len(sets[0])), lambda *x, spec=spec: torch.einsum(spec, *x), sets, dtypes=["f16", "f32", "f64"] if "," in spec else ["f32", "i64"], tol=16)
op("tiny_trace", "tiny_trace({0})", lambda x: torch.diagonal(x, 0, -2, -1).sum(-1), [T(3, 3), T(2, 4), T(2, 3, 2), T(0, 0), T(1, 1)], dtypes=FLOATS, tol=8, result=lambda d: d if is_float(d) or d == "u64" else "i64")
op("tiny_cross", "tiny_cross({0}, {1}, -1)", lambda a, b: torch.linalg.cross(a, b), [(T(3), T(3)), (T(4, 3), T(4, 3)), (T(2, 1, 3), T(1, 4, 3)), (T(0, 3), T(1, 3))], dtypes=NUMBERS)
op("tiny_cross", "tiny_cross({0}, {1}, 0)", lambda a, b: torch.linalg.cross(a, b, dim=0), [(T(3, 2), T(3, 2))], dtypes=NUMBERS)
for p in ("0", "1", "2", "3", "0.5", "HUGE_VAL"):
    value = float("inf") if p == "HUGE_VAL" else float(p)
    smooth = p in ("1", "2", "3", "HUGE_VAL")
    op("tiny_cdist", "tiny_cdist({0}, {1}, %s)" % p, lambda a, b, p=value: torch.cdist(a, b, p, compute_mode="donot_use_mm_for_euclid_dist"), [(T(3, 4, distinct=True), T(2, 4, lo=5, hi=9)), (T(2, 3, 2, distinct=True), T(2, 4, 2, lo=5, hi=9)), (T(0, 2), T(3, 2))], dtypes=REAL, grad=smooth, tol=32)

# ** inverses **
op("tiny_det", "tiny_det({0})", torch.linalg.det, WELL, dtypes=FLOATS, tol=64)
op("tiny_det", "tiny_det({0})", torch.linalg.det, [T(2, 2, values=[[1, 2], [2, 4]]), T(3, 3, values=[[0, 1, 0], [1, 0, 0], [0, 0, 1]])], dtypes=REAL, grad=False)
op("tiny_slogdet", "out[0] = tiny_slogdet({0}, &out[1]); return 2;", lambda x: tuple(torch.linalg.slogdet(x)), WELL, dtypes=FLOATS, tol=64)
op("tiny_slogdet", "out[0] = tiny_slogdet({0}, &out[1]); return 2;", lambda x: tuple(torch.linalg.slogdet(x)), [T(2, 2, values=[[1, 2], [2, 4]]), T(2, 2, values=[[0, 3], [2, 1]])], dtypes=REAL, grad=False)
op("tiny_inv", "tiny_inv({0})", torch.linalg.inv, WELL + [T(2, 2, values=[[0, 2], [4, 1]])], dtypes=FLOATS, tol=64)
op("tiny_solve", "tiny_solve({0}, {1})", torch.linalg.solve, [(matrices(3, 3, add=4), T(3, 2)), (matrices(3, 3, add=4), T(3)), (matrices(2, 3, 3, add=4), T(2, 3)), (matrices(1, 3, 3, add=4), T(4, 3, 1)), (matrices(3, 3, add=4), T(2, 3, 2)), (T(0, 0), T(0, 2)), (matrices(1, 1, add=3), T(1, 1))], dtypes=REAL, tol=64)
op("tiny_triangular_solve", "tiny_triangular_solve({0}, {1}, 0, 0)", lambda a, b: torch.linalg.solve_triangular(a.tril(), b, upper=False), [(matrices(3, 3, add=4), T(3, 2)), (matrices(2, 4, 4, add=5), T(4, 1))], dtypes=REAL, tol=64)
op("tiny_triangular_solve", "tiny_triangular_solve({0}, {1}, 1, 0)", lambda a, b: torch.linalg.solve_triangular(a.triu(), b, upper=True), [(matrices(3, 3, add=4), T(3, 2)), (T(0, 0), T(0, 1))], dtypes=REAL, tol=64)
op("tiny_triangular_solve", "tiny_triangular_solve({0}, {1}, 1, 1)", lambda a, b: torch.linalg.solve_triangular(a.triu(), b, upper=True, unitriangular=True), [(matrices(3, 3), T(3, 2))], dtypes=REAL, tol=64)
op("tiny_matrix_power", "tiny_matrix_power({0}, 5)", lambda x: torch.linalg.matrix_power(x, 5), [T(3, 3, lo=-1, hi=1), T(2, 2, 2, lo=-1, hi=1), T(0, 0)], dtypes=REAL, tol=64)
op("tiny_matrix_power", "tiny_matrix_power({0}, 0)", lambda x: torch.linalg.matrix_power(x, 0), [T(2, 3, 3)], dtypes=FLOATS, grad=False)
op("tiny_matrix_power", "tiny_matrix_power({0}, -2)", lambda x: torch.linalg.matrix_power(x, -2), [matrices(3, 3, add=4)], dtypes=REAL, tol=256)

# ** factorisations: what is compared does not depend on signs of vectors **
POSITIVE = "tiny_add(tiny_matmul({0}, tiny_transpose({0}, -1, -2)), tiny_mul(tiny_eye(t, %d, tiny_dtype_of({0})), tiny_like({0}, 2)))"
for n, sets in ((1, [T(1, 1)]), (3, [T(3, 3), T(2, 3, 3)]), (0, [T(0, 0)])):
    op("tiny_cholesky", "tiny_cholesky(%s, 0)" % (POSITIVE % n), lambda x: torch.linalg.cholesky(x @ x.mT + 2 * torch.eye(x.shape[-1], dtype=x.dtype)), sets, dtypes=REAL, tol=128)
op("tiny_cholesky", "tiny_cholesky({0}, 0)", lambda x: torch.linalg.cholesky(x.double()), [T(2, 2, values=[[4, 9], [0, 5]]), T(2, 2, values=[[1, 1], [0, 1]])], dtypes=EVERY, grad=False, result=real, tol=16)
op("tiny_cholesky", "tiny_cholesky(%s, 1)" % (POSITIVE % 3), lambda x: torch.linalg.cholesky(x @ x.mT + 2 * torch.eye(3, dtype=x.dtype)).mT, [T(3, 3)], dtypes=REAL, tol=128)
WHOLE = T(3, 3, values=[[2, 1, 0], [0, 5, 2], [1, 0, 9]])
op("tiny_lu", "out[0] = tiny_lu({0}, &out[1], &out[2]); return 3;", lambda x: tuple(torch.linalg.lu(x)), [matrices(3, 3, seed=1), matrices(2, 4, 4, seed=1), matrices(4, 2, seed=2), matrices(2, 4, seed=2), matrices(1, 1, add=3)], dtypes=REAL, tol=256)
op("tiny_qr", "out[0] = tiny_qr({0}, 0, &out[1]); return 2;", lambda x: tuple(torch.linalg.qr(x)), [matrices(3, 3, add=3), matrices(2, 4, 4, add=3), matrices(5, 2, add=3), matrices(2, 4, add=3)], dtypes=REAL, tol=256)
op("tiny_qr", "out[0] = tiny_qr({0}, 1, &out[1]); return 2;", lambda x: tuple(torch.linalg.qr(x, "complete")), [matrices(5, 2, add=3), matrices(1, 3, add=3)], dtypes=REAL, grad=False, tol=256)
SYMMETRIC = "tiny_add({0}, tiny_transpose({0}, -1, -2))"
op("tiny_eigh", "out[1] = tiny_eigh(%s, &out[0]); out[0] = tiny_square(out[0]); return 2;" % SYMMETRIC, lambda x: tuple(y(*torch.linalg.eigh(x + x.mT)) for y in (lambda w, v: v * v, lambda w, v: w)), [spread(3, 3), spread(2, 4, 4), T(1, 1)], dtypes=REAL, tol=1024)
op("tiny_eigh", "tiny_tensor *v; out[0] = tiny_eigh({0}, &v); return 1;", lambda x: torch.linalg.eigvalsh(x.double()), [WHOLE], dtypes=EVERY, grad=False, tol=1024, result=real)
def svd_invariant(x):
    u, s, v = torch.linalg.svd(x, full_matrices=False)
    return u * u, s, v * v, (u * s.unsqueeze(-2)) @ v
op("tiny_svd", "out[0] = tiny_svd({0}, &out[1], &out[2]); out[3] = tiny_matmul(tiny_mul(out[0], tiny_unsqueeze(out[1], -2)), out[2]); out[0] = tiny_square(out[0]); out[2] = tiny_square(out[2]); return 4;", svd_invariant, [spread(3, 3), spread(2, 4, 3), spread(2, 4)], dtypes=REAL, tol=1024)
op("tiny_pinv", "tiny_pinv({0}, 0)", torch.linalg.pinv, [matrices(3, 3, add=4), matrices(4, 2, add=3), matrices(2, 2, 3, add=3)], dtypes=REAL, tol=256)
op("tiny_pinv", "tiny_pinv({0}, 1e-5)", lambda x: torch.linalg.pinv(x, rtol=1e-5), [T(3, 3, values=[[1, 2, 3], [2, 4, 6], [1, 0, 1]])], dtypes=REAL, grad=False, tol=256)
op("tiny_lstsq", "tiny_lstsq({0}, {1})", lambda a, b: torch.linalg.pinv(a) @ b, [(matrices(4, 2, add=3), T(4, 2)), (matrices(2, 5, 3, add=3), T(2, 5, 1)), (matrices(2, 4, add=3), T(2, 3)), (matrices(3, 3, add=4), T(3, 1))], dtypes=REAL, tol=256)
op("tiny_matrix_rank", "tiny_matrix_rank({0}, 0)", lambda x: torch.linalg.matrix_rank(x).int(), [matrices(3, 3, add=4), T(3, 3, values=[[1, 2, 3], [2, 4, 6], [1, 0, 1]]), T(2, 2, values=[[0, 0], [0, 0]]), matrices(2, 2, 4)], dtypes=REAL, grad=False)
for order, p in (("FRO", "fro"), ("1", 1), ("INF", float("inf")), ("2", 2), ("NUC", "nuc")):
    op("tiny_matrix_norm", "tiny_matrix_norm({0}, TINY_NORM_%s)" % order, lambda x, p=p: torch.linalg.matrix_norm(x, p), [spread(3, 3), spread(2, 4, 3), spread(2, 4)], dtypes=REAL, tol=256)
    op("tiny_cond", "tiny_cond({0}, TINY_NORM_%s)" % order, lambda x, p=p: torch.linalg.matrix_norm(x, p) * torch.linalg.matrix_norm(torch.linalg.inv(x), p), [spread(3, 3)], dtypes=REAL, tol=1024)
op("tiny_cond", "tiny_cond({0}, TINY_NORM_2)", lambda x: torch.linalg.cond(x), [spread(2, 4, 3)], dtypes=REAL, tol=1024)

# ** tolerances, negative orders, systems of known factors, exponentials, covariance **
RANKS = [T(3, 3, values=[[4, 0, 0], [0, 2, 0], [0, 0, 0.5]]), T(2, 3, 2, values=[[[4, 0], [0, 0.5], [0, 0]], [[1, 0], [0, 0.25], [0, 0]]])]
for atol, rtol in ((0, "0.2"), (1, "TINY_ZERO"), (1, "0"), (0.375, "0.2"), (0, "0")):
    kw = dict(atol=atol or None, rtol={"0": None, "TINY_ZERO": 0.0}.get(rtol, 0.2))
    op("tiny_matrix_rank_within", "tiny_matrix_rank_within({0}, %g, %s)" % (atol, rtol), lambda x, kw=kw: torch.linalg.matrix_rank(x, **kw).int(), RANKS, dtypes=REAL, grad=False)
    op("tiny_pinv_within", "tiny_pinv_within({0}, %g, %s)" % (atol, rtol), lambda x, kw=kw: torch.linalg.pinv(x, **kw), RANKS, dtypes=REAL, grad=False, tol=64)
op("tiny_pinv_within", "tiny_pinv_within({0}, 0.125, 0)", lambda x: torch.linalg.pinv(x, atol=0.125), [matrices(3, 3, add=4), matrices(4, 2, add=3)], dtypes=REAL, tol=256)
for order, p in (("TINY_NORM_MIN_1", -1), ("TINY_NORM_MIN_INF", -float("inf")), ("TINY_NORM_MIN_2", -2)):
    op("tiny_matrix_norm", "tiny_matrix_norm({0}, %s)" % order, lambda x, p=p: torch.linalg.matrix_norm(x, p), [spread(3, 3), spread(2, 4, 3), spread(2, 4)], dtypes=REAL, tol=256)
    op("tiny_cond", "tiny_cond({0}, %s)" % order, lambda x, p=p: torch.linalg.cond(x, p) if p == -2 else torch.linalg.matrix_norm(x, p) * torch.linalg.matrix_norm(torch.linalg.inv(x), p), [spread(3, 3)], dtypes=REAL, tol=1024)
def lu_solve(a, b):
    return torch.linalg.solve(a, b)
op("tiny_lu_solve", "tiny_tensor *l, *u, *p = tiny_lu({0}, &l, &u); out[0] = tiny_lu_solve(p, l, u, {1}); return 1;", lu_solve, [(matrices(3, 3, add=4), T(3, 2)), (matrices(3, 3, seed=1), T(3)), (matrices(2, 3, 3, add=4), T(2, 3, 1)), (matrices(3, 3, add=4), T(2, 3, 2)), (T(0, 0), T(0, 2)), (matrices(1, 1, add=3), T(1, 1))], dtypes=REAL, tol=512)
op("tiny_cholesky_solve", "tiny_cholesky_solve({1}, {0}, 0)", lambda l, b: torch.cholesky_solve(b, l.tril()), [(matrices(3, 3, add=4), T(3, 2)), (matrices(2, 3, 3, add=4), T(2, 3, 1)), (matrices(1, 1, add=3), T(1, 1)), (matrices(3, 3, add=4), T(2, 3, 2))], dtypes=REAL, tol=256)
op("tiny_cholesky_solve", "tiny_cholesky_solve({1}, {0}, 1)", lambda l, b: torch.cholesky_solve(b, l.triu(), upper=True), [(matrices(3, 3, add=4), T(3, 2))], dtypes=REAL, tol=256)
op("tiny_matrix_exp", "tiny_matrix_exp({0})", torch.linalg.matrix_exp, [T(3, 3, lo=-1, hi=1), T(2, 4, 4), T(1, 1), T(0, 0), T(2, 2, values=[[0, 6], [-6, 0]]), T(2, 2, values=[[0, 0], [0, 0]]), T(2, 2, values=[[-49, 24], [-64, 31]]), T(2, 2, values=[[-200, 0], [3, -100]])], dtypes=FLOATS, tol=512)
COV = [T(3, 5), T(1, 4), T(6), T(2, 2)]
op("tiny_cov", "tiny_cov({0}, 1, NULL, NULL)", torch.cov, COV, dtypes=FLOATS, tol=64)
op("tiny_cov", "tiny_cov({0}, 0, NULL, NULL)", lambda x: torch.cov(x, correction=0), COV + [T()], dtypes=REAL, tol=64)
FREQUENCIES, WORTH = T(5, dtype="i64", values=[1, 3, 2, 1, 4]), T(5, values=[0.5, 2, 1, 0.25, 1.5])
op("tiny_cov", "tiny_cov({0}, 1, {1}, NULL)", lambda x, f: torch.cov(x, fweights=f.long()), [(T(3, 5), FREQUENCIES)], dtypes=REAL, tol=64)
op("tiny_cov", "tiny_cov({0}, 1, NULL, {1})", lambda x, a: torch.cov(x, aweights=a), [(T(3, 5), WORTH), (T(5), WORTH)], dtypes=REAL, tol=64)
op("tiny_cov", "tiny_cov({0}, 1, {1}, {2})", lambda x, f, a: torch.cov(x, fweights=f.long(), aweights=a), [(T(3, 5), FREQUENCIES, WORTH)], dtypes=REAL, tol=64)
op("tiny_corrcoef", "tiny_corrcoef({0})", torch.corrcoef, [T(3, 5), T(2, 4)], dtypes=FLOATS, tol=128)
op("tiny_corrcoef", "tiny_corrcoef({0})", torch.corrcoef, [T(6)], dtypes=REAL, grad=False, tol=64)
