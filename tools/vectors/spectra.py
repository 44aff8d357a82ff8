# spectra of frames
from vectors import *

REAL = ["f32", "f64"]
def spectra(n, hop=None, center=True, zeros=False, normalized=False, onesided=True):
    def f(x, w=None):
        return torch.view_as_real(torch.stft(x.double(), n, hop, None if w is None else w.numel(), None if w is None else w.double(), center, "constant" if zeros else "reflect", normalized, onesided, return_complex=True).contiguous())
    return f
def samples(n, hop=None, center=True, normalized=False, onesided=True, length=None):
    def f(x, w=None):
        c = torch.view_as_complex(x.double().contiguous())
        return torch.istft(c, n, hop, None if w is None else w.numel(), None if w is None else w.double(), center, normalized, onesided, length)
    return f
def d(**fields): return "&(tiny_stft_desc){{%s}}" % ", ".join(".%s = %s" % f for f in fields.items()) if fields else "NULL"

W = T(8, lo=0.5, hi=2)
op("tiny_stft", "tiny_stft({0}, 8, NULL)", spectra(8), [T(16), T(2, 11)], dtypes=FLOATS, tol=32, result=real)
op("tiny_stft", "tiny_stft({0}, 8, %s)" % d(hop=3, window="{1}"), spectra(8, 3), [(T(13), W), (T(2, 9), T(5, lo=0.5, hi=2))], dtypes=REAL, tol=32, result=real)
op("tiny_stft", "tiny_stft({0}, 7, %s)" % d(hop=9, no_center=1, normalized=1), spectra(7, 9, False, normalized=True), [T(7), T(1, 25)], dtypes=REAL, tol=32, result=real)
op("tiny_stft", "tiny_stft({0}, 6, %s)" % d(zeros=1, two_sided=1), spectra(6, 1, True, True, onesided=False), [T(3), T(2, 5)], dtypes=REAL, tol=32, result=real)
op("tiny_stft", "tiny_stft({0}, 100, %s)" % d(hop=50), spectra(100, 50), [T(130)], dtypes=["f32"], tol=64, result=real)
op("tiny_stft", "tiny_stft({0}, 4, NULL)", spectra(4), [T(6)], dtypes=["u8", "i32", "i64"], result="f32", tol=32)
op("tiny_istft", "tiny_istft({0}, 8, NULL)", samples(8), [T(5, 6, 2), T(2, 5, 3, 2)], dtypes=FLOATS, tol=32, result=real)
op("tiny_istft", "tiny_istft({0}, 8, %s)" % d(hop=3, window="{1}", normalized=1), samples(8, 3, normalized=True), [(T(5, 4, 2), W), (T(1, 5, 3, 2), T(6, lo=0.5, hi=2))], dtypes=REAL, tol=64, result=real)
op("tiny_istft", "tiny_istft({0}, 7, %s)" % d(hop=7, no_center=1, two_sided=1), samples(7, 7, False, onesided=False), [T(7, 3, 2)], dtypes=REAL, tol=32, result=real)
for length in (9, 30): op("tiny_istft", "tiny_istft({0}, 8, %s)" % d(hop=2, length=length), samples(8, 2, length=length), [T(5, 7, 2)], dtypes=REAL, tol=32, result=real)
