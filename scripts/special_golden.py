"""Golden values and coefficient tables for crates/rfvm/src/{special,family}.rs.

    python scripts/special_golden.py > crates/rfvm/tests/data/special.json
    python scripts/special_golden.py --tables   # the constants in special.rs

Everything is computed with mpmath at 60 digits from the defining formulas, at
inputs that are exact doubles, and rounded once to double.
"""

import json
import math
import random
import sys

import mpmath as mp

mp.mp.dps = 60
SQRT2 = mp.sqrt(2)
PSI_ROOT = mp.findroot(mp.digamma, mp.mpf("1.4616321449683623"))


def erfcx(x):
    if x > 1e3:  # Laplace continued fraction; exp(x^2) would be absurd here
        k = mp.mpf(0)
        for n in range(60, 0, -1):
            k = (mp.mpf(n) / 2) / (x + k)
        return 1 / (mp.sqrt(mp.pi) * (x + k))
    return mp.exp(x * x) * mp.erfc(x)


def upper(z):
    return mp.erfc(z / SQRT2) / 2


def log_ndtr(z):
    return mp.log1p(-upper(z)) if z > 0 else mp.log(upper(-z))


def density(z):
    return mp.exp(-z * z / 2) / mp.sqrt(2 * mp.pi)


def hazard(z):
    return density(z) / upper(-z)


def jj_lambda(x):
    return mp.tanh(x / 2) / (4 * x) if x else mp.mpf(1) / 8


def softplus(x):
    return mp.log1p(mp.exp(x))


def sigmoid(x):
    return mp.exp(x) / (1 + mp.exp(x))


def log_cosh_mean(r):
    """C(r) = E ln(2 cosh(r u)) for u = |N(r, 1)|, over u >= 0."""
    f = lambda u: (density(u - r) + density(u + r)) * (r * u + mp.log1p(mp.exp(-2 * r * u)))
    near = {mp.mpf(0), r / 4, r / 2}
    return mp.quad(f, sorted(near | {max(r + k, mp.mpf(0)) for k in range(-18, 19, 2)}))


def folded(mu, s2):
    s = mp.sqrt(s2)
    r = abs(mu) / s
    mean = s * (2 * density(r) + r * mp.erf(r / SQRT2))
    entropy = mp.log(2 * mp.pi * mp.e * s2) / 2 + r * r - log_cosh_mean(r)
    return mean, s2 + mu * mu - mean * mean, entropy


def truncated(mu, s2):
    s = mp.sqrt(s2)
    z = mu / s
    h = hazard(z)
    entropy = mp.log(2 * mp.pi * mp.e * s2) / 2 + log_ndtr(z) - z * h / 2
    return mu + s * h, s2 * (1 - h * (z + h)), entropy


def beside(points):
    """Each point with its neighbours a few ulp and 1e-9 away."""
    out = []
    for p in points:
        out += [p, math.nextafter(p, math.inf), math.nextafter(p, -math.inf)]
        out += [p * (1 + 1e-9), p * (1 - 1e-9)]
    return out


def grids():
    rng = random.Random(20240607)
    edges = [64.0 / k - 4.0 for k in range(1, 17)]  # pieces of the tail table
    z = [i / 4 for i in range(-160, 161)] + [rng.uniform(-40, 40) for _ in range(60)]
    z += [rng.uniform(-3, 3) for _ in range(60)]
    z += [s * e for s in (-1, 1) for e in beside(e for e in edges if e <= 40)]
    z += [s * 10.0**-k for s in (-1, 1) for k in (1, 3, 6, 9, 17, 300)]
    z = sorted(set(z))
    wide = sorted({x for x in z} | {s * x for s in (-1, 1) for x in (100.0, 500.0, 700.0)})
    ex = sorted({x for x in z if x >= -26} | {10.0**k for k in range(2, 301, 20)} | {1e300})
    psi = [10 ** (k / 8) for k in range(-64, 65)] + [1 + k / 40 for k in range(400)]
    root = float(PSI_ROOT)
    psi += beside([root - 0.125, root + 0.125, 10.0, 9.0, 1.0, 2.0])
    psi += [root + s * d for s in (-1, 1) for d in (0, 1e-12, 1e-6, 1e-4, 9.9e-4, 1.1e-3, 0.01, 0.1)]
    return z, wide, ex, sorted(set(psi))


def rows(f, xs):
    return [[x, float(f(mp.mpf(x)))] for x in xs]


def golden():
    z, wide, ex, psi = grids()
    scales = [1.0, 1e-8, 0.37, 52.3, 1e10]
    pairs = []
    for i, zi in enumerate(z):
        s2 = scales[i % len(scales)]
        pairs.append((zi * math.sqrt(s2), s2))
    halves = sorted(set(list(beside(k / 2 for k in range(1, 20))) + [k / 7 for k in range(70)]))
    fold = [(zi, 1.0) for zi in halves] + pairs[:: 4]
    table = {
        "erfcx": rows(erfcx, ex),
        "ndtr": rows(lambda x: upper(-x), z),
        "log_ndtr": rows(log_ndtr, z),
        "inverse_mills": rows(hazard, z),
        "digamma": rows(mp.digamma, psi),
        "ln_gamma": rows(mp.loggamma, psi),
        "jj_lambda": rows(jj_lambda, wide),
        "log1p_exp": rows(softplus, wide),
        "sigmoid": rows(sigmoid, wide),
    }
    for name, f, at in (("truncated", truncated, pairs), ("folded", folded, fold)):
        table[name] = [[m, v] + [float(q) for q in f(mp.mpf(m), mp.mpf(v))] for m, v in at]
    print("{")
    for i, (name, values) in enumerate(table.items()):
        body = ",\n".join(json.dumps(v, separators=(",", ":")) for v in values)
        print(f'"{name}": [\n{body}\n]' + ("," if i + 1 < len(table) else ""))
    print("}")


def monomials(f, degree):
    """Coefficients in u of the Chebyshev interpolant of f on [-1/2, 1/2]."""
    n = degree + 1
    nodes = [mp.cos(mp.pi * (2 * k + 1) / (2 * n)) / 2 for k in range(n)]
    return list(mp.lu_solve(mp.matrix([[u**j for j in range(n)] for u in nodes]), mp.matrix([f(u) for u in nodes])))


def worst(f, c):
    at = [mp.mpf(q) / 100 for q in range(-49, 51)]
    return max(abs(mp.polyval(c[::-1], u) / f(u) - 1) for u in at)


def tail_piece(i):
    """K2(x) (x + 4) with x = 4/t - 4 and t = (i + 1/2 + u)/16."""

    def f(u):
        x = 64 / (i + mp.mpf(1) / 2 + u) - 4
        if x > 55:
            k = mp.mpf(0)
            for n in range(120, 1, -1):
                k = n / (x + k)
            return k * (x + 4)
        k1 = 1 / (mp.sqrt(mp.pi / 2) * erfcx(x / SQRT2)) - x
        return (1 / k1 - x) * (x + 4)

    return f


def tables():
    for i in range(16):
        c = monomials(tail_piece(i), 9)
        print("    [" + ", ".join(repr(float(v)) for v in c) + "],", "//", mp.nstr(worst(tail_piece(i), c), 2))
    hi = float(PSI_ROOT)
    print("root", repr(hi), repr(float(PSI_ROOT - hi)))
    f = lambda u: mp.digamma(PSI_ROOT + u / 4) / (u / 4) if u else mp.psi(1, PSI_ROOT)
    c = monomials(f, 11)
    print([float(v) for v in c], mp.nstr(worst(f, c), 2))


if __name__ == "__main__":
    tables() if "--tables" in sys.argv else golden()
