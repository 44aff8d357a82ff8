from vectors import *

REAL = ["f32", "f64"]
def complexes(f): return lambda x: torch.view_as_real(f(torch.view_as_complex(x.contiguous())).contiguous())
NORMS = (("TINY_FFT_BACKWARD", "backward"), ("TINY_FFT_ORTHO", "ortho"), ("TINY_FFT_FORWARD", "forward"))
F = torch.fft

for c, norm in NORMS:
    op("tiny_fft", "tiny_fft({0}, 0, -1, %s)" % c, complexes(lambda x, norm=norm: F.fft(x, norm=norm)), [T(5, 2), T(2, 8, 2)], dtypes=REAL, tol=16)
    op("tiny_ifft", "tiny_ifft({0}, 0, -1, %s)" % c, complexes(lambda x, norm=norm: F.ifft(x, norm=norm)), [T(6, 2), T(2, 3, 2)], dtypes=REAL, tol=16)
    op("tiny_rfft", "tiny_rfft({0}, 0, -1, %s)" % c, lambda x, norm=norm: torch.view_as_real(F.rfft(x, norm=norm)), [T(5), T(2, 8)], dtypes=REAL, tol=16)
    op("tiny_irfft", "tiny_irfft({0}, 0, -1, %s)" % c, lambda x, norm=norm: F.irfft(torch.view_as_complex(x), norm=norm), [T(5, 2), T(2, 4, 2)], dtypes=REAL, tol=16)
# Lengths: one, dense, two and three stages, a prime that is dense, one that is a chirp, a prime factor that is.
op("tiny_fft", "tiny_fft({0}, 0, 0, TINY_FFT_BACKWARD)", complexes(lambda x: F.fft(x, dim=0)), [T(n, 2) for n in (1, 2, 3, 13, 64, 66, 67, 100, 193, 200, 211)], dtypes=REAL, tol=64)
op("tiny_fft", "tiny_fft({0}, 0, 0, TINY_FFT_BACKWARD)", complexes(lambda x: F.fft(x, dim=0)), [T(422, 2), T(4100, 2)], dtypes=["f32"], grad=False, tol=64)
op("tiny_fft", "tiny_fft({0}, 0, 1, TINY_FFT_BACKWARD)", complexes(lambda x: F.fft(x, dim=1)), [T(2, 5, 3, 2), T(3, 4, 2)], dtypes=REAL, tol=16)
op("tiny_fft", "tiny_fft({0}, 0, -1, TINY_FFT_BACKWARD)", complexes(F.fft), [T(5, 2), T(0, 3, 2)], dtypes=["f16", "bf16"], grad=False, result=real, tol=8)
for n in (3, 7):
    op("tiny_fft", "tiny_fft({0}, %d, -1, TINY_FFT_BACKWARD)" % n, complexes(lambda x, n=n: F.fft(x, n)), [T(5, 2), T(2, 3, 2)], dtypes=REAL, tol=16)
    op("tiny_rfft", "tiny_rfft({0}, %d, 0, TINY_FFT_BACKWARD)" % n, lambda x, n=n: torch.view_as_real(F.rfft(x, n, dim=0).contiguous()), [T(5), T(4, 3)], dtypes=REAL, tol=16)
    op("tiny_irfft", "tiny_irfft({0}, %d, -1, TINY_FFT_BACKWARD)" % n, lambda x, n=n: F.irfft(torch.view_as_complex(x), n), [T(5, 2), T(2, 3, 2)], dtypes=REAL, tol=16)
op("tiny_rfft", "tiny_rfft({0}, 0, -1, TINY_FFT_BACKWARD)", lambda x: torch.view_as_real(F.rfft(x)), [T(1), T(2), T(100), T(211)], dtypes=["f32"], tol=64)
op("tiny_irfft", "tiny_irfft({0}, 0, -1, TINY_FFT_BACKWARD)", lambda x: F.irfft(torch.view_as_complex(x)), [T(51, 2)], dtypes=["f32"], tol=64)

op("tiny_fftn", "tiny_fftn({0}, TINY_SHAPE(-2, -1), TINY_FFT_BACKWARD)", complexes(F.fft2), [T(3, 4, 2), T(2, 2, 5, 2)], dtypes=REAL, tol=16)
op("tiny_fftn", "tiny_fftn({0}, TINY_SHAPE(TINY_ALL), TINY_FFT_ORTHO)", complexes(lambda x: F.fftn(x, norm="ortho")), [T(3, 2), T(2, 3, 4, 2)], dtypes=REAL, tol=16)
op("tiny_ifftn", "tiny_ifftn({0}, TINY_SHAPE(0, 2), TINY_FFT_BACKWARD)", complexes(lambda x: F.ifftn(x, dim=(0, 2))), [T(2, 3, 4, 2)], dtypes=REAL, tol=16)
op("tiny_rfftn", "tiny_rfftn({0}, TINY_SHAPE(0, 1), TINY_FFT_BACKWARD)", lambda x: torch.view_as_real(F.rfftn(x, dim=(0, 1)).contiguous()), [T(3, 4), T(2, 5, 3)], dtypes=REAL, tol=16)
op("tiny_irfftn", "tiny_irfftn({0}, 5, TINY_SHAPE(0, 1), TINY_FFT_BACKWARD)", lambda x: F.irfftn(torch.view_as_complex(x), s=(x.shape[0], 5), dim=(0, 1)), [T(3, 3, 2)], dtypes=REAL, tol=16)
op("tiny_irfftn", "tiny_irfftn({0}, 0, TINY_SHAPE(-2, -1), TINY_FFT_FORWARD)", lambda x: F.irfft2(torch.view_as_complex(x), norm="forward"), [T(2, 4, 3, 2)], dtypes=REAL, tol=16)

op("tiny_fftshift", "tiny_fftshift({0}, TINY_SHAPE(TINY_ALL))", F.fftshift, [T(5), T(3, 4), T(1), T(0, 3)], dtypes=["f32", "i32"])
op("tiny_fftshift", "tiny_fftshift({0}, TINY_SHAPE(-1))", lambda x: F.fftshift(x, -1), [T(2, 5)], dtypes=["f32", "bool"])
op("tiny_ifftshift", "tiny_ifftshift({0}, TINY_SHAPE(TINY_ALL))", F.ifftshift, [T(5), T(3, 4)], dtypes=["f32", "i32"])
for d in FP8 + FLOATS:
    for n in (1, 4, 7) if d in ("f32", "f64") else (7,):
        op("tiny_fftfreq", "tiny_fftfreq(t, %d, 0.5, TINY_%s)" % (n, d.upper()), lambda n=n: F.fftfreq(n, 0.5, dtype=torch.float64), [()], result=d)
        op("tiny_rfftfreq", "tiny_rfftfreq(t, %d, 2, TINY_%s)" % (n, d.upper()), lambda n=n: F.rfftfreq(n, 2, dtype=torch.float64), [()], result=d)

op("tiny_complex", "tiny_complex({0}, {1})", lambda a, b: torch.stack(torch.broadcast_tensors(a, b), -1), [(T(3), T(3)), (T(2, 1), T(3)), (T(), T()), (T(0), T(0))], dtypes=FLOATS, result=real)
op("tiny_complex", "tiny_complex({0}, NULL)", lambda a: torch.stack((a, torch.zeros_like(a)), -1), [T(3), T()], dtypes=FLOATS, result=real)
op("tiny_polar", "tiny_polar({0}, {1})", lambda r, p: torch.stack((r * p.cos(), r * p.sin()), -1), [(T(3), T(3)), (T(2, 1), T(3))], dtypes=FLOATS, tol=16)
op("tiny_real", "tiny_real({0})", lambda x: x[..., 0], [T(3, 2), T(2, 3, 2), T(2)], dtypes=FLOATS)
op("tiny_imag", "tiny_imag({0})", lambda x: x[..., 1], [T(3, 2), T(2)], dtypes=FLOATS)
op("tiny_conj", "tiny_conj({0})", lambda x: torch.stack((x[..., 0], -x[..., 1]), -1), [T(3, 2), T(2)], dtypes=FLOATS)
op("tiny_complex_mul", "tiny_complex_mul({0}, {1})", lambda a, b: torch.stack((a[..., 0] * b[..., 0] - a[..., 1] * b[..., 1], a[..., 0] * b[..., 1] + a[..., 1] * b[..., 0]), -1), [(T(3, 2), T(3, 2)), (T(2, 1, 2), T(3, 2)), (T(2), T(4, 2))], dtypes=FLOATS, result=real)
op("tiny_complex_abs", "tiny_complex_abs({0})", lambda x: (x * x).sum(-1).sqrt(), [T(3, 2, lo=1, hi=3), T(2, values=[3, 4])], dtypes=FLOATS)
