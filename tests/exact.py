"""Cosines, sines and frequencies to fifty digits, in decimal arithmetic, for tests of positions."""

from decimal import Decimal, localcontext

PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899")
DIGITS = 60


def frequency(plane, dim, base=10000):
    """base^(−2·plane / dim)."""
    with localcontext(prec=DIGITS):
        return Decimal(base) ** (Decimal(-2 * plane) / dim)


def cos_sin(position, step):
    """cos(position · step) and sin(position · step) by Taylor's series, after whole turns are taken away."""
    with localcontext(prec=DIGITS):
        angle = Decimal(position) * step % (2 * PI)
        sums, term, k = [Decimal(0), Decimal(0)], Decimal(1), 0
        while abs(term) > Decimal("1e-52"):
            sums[k % 2] += term if k % 4 < 2 else -term
            k += 1
            term *= angle / k
        return tuple(sums)
