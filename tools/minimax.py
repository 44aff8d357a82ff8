#!/usr/bin/env python3
"""minimax.py: the coefficients in src/rules/transcendental.c, and those of the normal distribution in src/ir/function.c.
Needs mpmath (apt: python3-mpmath).

Remez's exchange algorithm (E. Remez, 1934; see Muller, "Elementary Functions", 3rd ed., section 3.5) in 60 digits: the
polynomial P of degree n that minimises max |w(x) (P(x) - f(x))| on [a, b]. Coefficients are then rounded to the format one
after the other, lowest first, and the rest is fitted again with those fixed, so that rounding errors of the low
coefficients are taken up by the higher ones. Usage: tools/minimax.py prints all tables and the error of each."""
import struct
from mpmath import mp, mpf, matrix, lu_solve, cos, pi, log, sin, sqrt, floor

mp.dps = 60

def round_to(x, fmt):
    if fmt == 'f32': return mpf(struct.unpack('f', struct.pack('f', float(x)))[0])
    return mpf(float(x))

def remez(f, w, a, b, low, n, steps=12):
    """coefficients of x^low .. x^n of the best P for f with weight w on [a, b]"""
    m = n - low + 2
    xs = [(a + b) / 2 + (b - a) / 2 * cos(pi * (2 * i + 1) / (2 * m)) for i in range(m)]
    c = None
    for _ in range(steps):
        A, B = matrix(m, m), matrix(m, 1)
        for i, x in enumerate(xs):
            for j in range(low, n + 1): A[i, j - low] = w(x) * x ** j
            A[i, m - 1] = (-1) ** i
            B[i] = w(x) * f(x)
        s = lu_solve(A, B)
        c = [s[j] for j in range(m - 1)]
        err = lambda x: w(x) * (sum(c[j] * x ** (j + low) for j in range(m - 1)) - f(x))
        grid = [a + (b - a) * (1 - cos(pi * i / 400)) / 2 for i in range(401)]
        e = [err(x) for x in grid]
        peaks, best = [], None
        for i in range(401):                       # the largest |e| of every run of one sign
            if best is None or (e[i] > 0) == (e[best] > 0):
                if best is None or abs(e[i]) > abs(e[best]): best = i
            else:
                peaks.append(best); best = i
        peaks.append(best)
        while len(peaks) > m: peaks.pop(0 if abs(e[peaks[0]]) < abs(e[peaks[-1]]) else -1)
        if len(peaks) < m: break
        xs = [grid[i] for i in reversed(peaks)]
    return c

def squares(f, w, a, b, low, n):
    """the same by least squares at Chebyshev's points: where [a, b] crosses 0, x^low .. x^n with low > 0 do not alternate"""
    m = n - low + 1
    A, B = matrix(m, m), matrix(m, 1)
    for i in range(120):
        x = (a + b) / 2 + (b - a) / 2 * cos(pi * (2 * i + 1) / 240)
        row = [w(x) * x ** j for j in range(low, n + 1)]
        for j in range(m):
            B[j] += row[j] * w(x) * f(x)
            for k in range(m): A[j, k] += row[j] * row[k]
    return list(lu_solve(A, B))

def fit(name, f, w, a, b, n, fmt, fixed=()):
    fixed = [mpf(x) for x in fixed]
    while len(fixed) <= n:
        known = list(fixed)
        rest = lambda x: f(x) - sum(c * x ** j for j, c in enumerate(known))
        fixed.append(round_to((squares if a < 0 else remez)(rest, w, a, b, len(known), n)[0], fmt))
    grid = [a + (b - a) * mpf(i) / 2000 for i in range(1, 2001)]
    worst = max(abs(w(x) * (sum(c * x ** j for j, c in enumerate(fixed)) - f(x))) for x in grid)
    print('%s %s: weighted error 2^%.2f' % (name, fmt, float(log(worst, 2))))
    print('  {' + ', '.join(('%.9g' if fmt == 'f32' else '%.17g') % float(c) for c in fixed) + '}')

def ratio(name, f, a, b, n, m, fmt, rounds=12, npoints=160):
    """P(x) / (1 + x Q(x)), degrees n and m, by squares whose weights follow the error (Loeb 1957; Lawson 1961)"""
    xs = [a + (b - a) * ((1 - cos(pi * (2 * i + 1) / (2 * npoints))) / 2) ** mpf('1.5') for i in range(npoints)]
    fs, fixed = [f(x) for x in xs], {}
    order = [v for i in range(m + 1) for v in ([i] if i <= n else []) + ([n + i] if i else [])]
    known = lambda c, x: (sum(c[i] * x ** i for i in range(n + 1) if i in c), sum(c[n + i] * x ** i for i in range(1, m + 1) if n + i in c))
    while True:
        w, best, free = [1 / y for y in fs], None, [i for i in order if i not in fixed]
        for step in range(rounds if free else 1):
            k = len(free)
            A, B = matrix(k, k) if k else None, matrix(k, 1) if k else None
            for x, y, v in zip(xs, fs, w):
                p, q = known(fixed, x)
                row = [v * (x ** i if i <= n else -y * x ** (i - n)) for i in free]
                for i in range(k):
                    B[i] += row[i] * v * (y * (1 + q) - p)
                    for j in range(k): A[i, j] += row[i] * row[j]
            c = dict(fixed)
            if k: c.update(zip(free, lu_solve(A, B)))
            pq = [known(c, x) for x in xs]
            e = [abs(p / (1 + q) / y - 1) for (p, q), y in zip(pq, fs)]
            if best is None or max(e) < best[0]: best = (max(e), c)
            bad = [v * y * (1 + q) * sqrt(d / max(e) + mpf('.001')) for v, d, y, (p, q) in zip(w, e, fs, pq)]
            w = [(v if step > 2 else 1) / (y * (1 + q)) for v, y, (p, q) in zip(bad, fs, pq)]
        if not free: break
        fixed[free[0]] = round_to(best[1][free[0]], fmt)
    text = lambda r: '  {' + ', '.join(('%.9g' if fmt == 'f32' else '%.17g') % float(x) for x in r) + '}'
    print('%s %s: relative error 2^%.2f' % (name, fmt, float(log(best[0], 2))))
    print(text([fixed[i] for i in range(n + 1)]))
    print(text([1] + [fixed[n + i] for i in range(1, m + 1)]))

def pieces(name, x, bits):
    """x as a sum of pieces of so many bits each (the last as an f64)"""
    out = []
    for n in bits:
        if n is None: c = mpf(float(x))
        else:
            e = int(floor(log(abs(x), 2))) + 1 - n
            c = floor(x / mpf(2) ** e) * mpf(2) ** e
        out.append(float(c)); x -= c
    print(name + ': ' + ', '.join('%.17g' % c for c in out))

def words(name, x, width, n):
    v = int(floor(x * mpf(2) ** (width * n)))
    print(name + ': ' + ', '.join('0x%0*X' % (width // 4, v >> (width * (n - 1 - i)) & ((1 << width) - 1)) for i in range(n)))

tiny = mpf(10) ** -12
# 2^x = 1 + x P(x) on [-1/2, 1/2], relative error
exp2_f = lambda x: ((mpf(2) ** x - 1) / x if x else log(2))
fit('exp2', exp2_f, lambda x: x / mpf(2) ** x, -mpf('.5001'), mpf('.5001'), 5, 'f32')
fit('exp2', exp2_f, lambda x: x / mpf(2) ** x, -mpf('.5001'), mpf('.5001'), 10, 'f64')
# e^x = 1 + x P(x) on [-ln 2 / 2, ln 2 / 2], relative error
exp_f = lambda x: ((mp.exp(x) - 1) / x if x else mpf(1))
fit('exp', exp_f, lambda x: x / mp.exp(x), -mpf('.3467'), mpf('.3467'), 5, 'f32')
fit('exp', exp_f, lambda x: x / mp.exp(x), -mpf('.3467'), mpf('.3467'), 10, 'f64')
# log(1+f) = 2s + s z P(z), s = f / (2 + f), z = s^2; |s| <= 3 - 2 sqrt 2; the error relative to 2s
log_f = lambda z: ((log((1 + sqrt(z)) / (1 - sqrt(z))) / sqrt(z) - 2) / z if z > tiny else mpf(2) / 3 + z * 2 / 5)
top = (3 - 2 * sqrt(mpf(2))) ** 2 * mpf('1.001')
fit('log', log_f, lambda z: z / 2, mpf(0), top, 3, 'f32')
fit('log', log_f, lambda z: z / 2, mpf(0), top, 6, 'f64')
# sin r = r + r z P(z), z = r^2, |r| <= pi / 2 (f32, computed in f64) or pi / 4
sin_f = lambda z: ((sin(sqrt(z)) / sqrt(z) - 1) / z if z > tiny else -mpf(1) / 6 + z / 120)
half, quarter = (pi / 2) ** 2 * mpf('1.001'), (pi / 4) ** 2 * mpf('1.001')
fit('sin half', sin_f, lambda z: z * sqrt(z) / sin(sqrt(z)) if z else mpf(0), mpf(0), half, 4, 'f64')
fit('sin quarter', sin_f, lambda z: z * sqrt(z) / sin(sqrt(z)) if z else mpf(0), mpf(0), quarter, 5, 'f64')
fit('sin quarter', sin_f, lambda z: z * sqrt(z) / sin(sqrt(z)) if z else mpf(0), mpf(0), quarter, 3, 'f32')
# cos r = 1 - z / 2 + z^2 P(z)
cos_f = lambda z: ((cos(sqrt(z)) - 1 + z / 2) / z ** 2 if z > mpf(10) ** -9 else mpf(1) / 24 - z / 720)
fit('cos quarter', cos_f, lambda z: z ** 2 / cos(sqrt(z)), mpf(0), quarter, 5, 'f64')
fit('cos quarter', cos_f, lambda z: z ** 2 / cos(sqrt(z)), mpf(0), quarter, 2, 'f32')
pieces('pi, 12 bits and rest', pi, [12, None])
# 1 - Phi(x) = e^(-x^2/2) P(x) / Q(x), Phi the normal distribution; in f32 nothing is left beyond 14.5
ratio('normal tail', lambda x: mp.exp(x * x / 2) * mp.erfc(x / sqrt(2)) / 2, mpf(0), mpf('14.5'), 4, 5, 'f32')
pieces('1/ln 2, 12 bits and rest', 1 / log(mpf(2)), [12, None])
pieces('1/ln 2, 24 bits and rest', 1 / log(mpf(2)), [24, None])
pieces('ln 2, 15 bits and rest', log(mpf(2)), [15, None])
pieces('ln 2, 41 bits and rest', log(mpf(2)), [41, None])
pieces('pi, 28 bits', pi, [28, 28, None])
pieces('pi/2, 33 bits', pi / 2, [33, 33, 33, None])
pieces('pi/2, 26 bits', pi / 2, [26, None])
mp.dps = 450
words('1/(2 pi), 32 bits', 1 / (2 * pi), 32, 8)
words('2^-52/(2 pi), 64 bits', mpf(2) ** -52 / (2 * pi), 64, 19)
