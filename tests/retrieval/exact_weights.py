"""Weights and potentials of any scores to forty digits: the definitions, in fractions and decimal numbers."""

from decimal import Decimal, localcontext
from fractions import Fraction

DIGITS = 120
"""The digits of a number, so that those of small scores beside an outlier are right too."""


def exact(name, parameters, scores, beta):
    """The weights p = ∇Ψ(s), and Ψ(s), of finite scores `(n,)`: decimal numbers."""
    with localcontext(prec=DIGITS, Emax=10**9, Emin=-(10**9)):
        given = [Fraction(float(s)) for s in scores]
        largest, beta = max(given), Fraction(beta)
        x = [_decimal(beta * (s - largest)) for s in given]  # the difference is exact, however large the scores
        p, above = FORMS[name](x, **{key: Fraction(value) for key, value in parameters.items()})
        return p, above / _decimal(beta) + sum(p) * _decimal(largest)


def _decimal(number):
    return Decimal(number.numerator) / Decimal(number.denominator)


def _softmax(x):
    parts = [s.exp() if s > -10000 else Decimal(0) for s in x]
    total = sum(parts)
    return [part / total for part in parts], total.ln()


def _entmax(x, alpha=Fraction(2)):
    if alpha == 1:
        return _softmax(x)
    order, a = _decimal(1 / (alpha - 1)), _decimal(alpha)
    halvings = 150 if alpha <= 8 else 340  # the reach of a weight is its power of α − 1
    t = _root(lambda t: sum(_power((a - 1) * s - t, order) for s in x) - 1, Decimal(-1), Decimal(0), halvings)
    p = _shares([_power((a - 1) * s - t, order) for s in x])
    return p, sum(q * s for q, s in zip(p, x, strict=True)) - (sum(_power(q, a) for q in p) - 1) / (a * (a - 1))


def _normmax(x, alpha):
    a = _decimal(alpha)
    t = _root(lambda t: sum(_power(s - t, a / (a - 1)) for s in x) - 1, Decimal(-1), Decimal(0))
    p = _shares([_power(s - t, 1 / (a - 1)) for s in x])
    return p, sum(q * s for q, s in zip(p, x, strict=True)) - _power(sum(_power(q, a) for q in p), 1 / a) + 1


def _sparsemax(x):
    """The support is that of the largest m scores for which 1 + m s_m > Σ of them."""
    ranked = sorted(x, reverse=True)
    m = max(m for m in range(1, len(x) + 1) if 1 + m * ranked[m - 1] > sum(ranked[:m]))
    t = (sum(ranked[:m]) - 1) / m
    p = [max(s - t, Decimal(0)) for s in x]
    return p, sum(q * s for q, s in zip(p, x, strict=True)) - sum(q * q for q in p) / 2 + Decimal(1) / 2


def _k_subsets(x, k):
    """The sum of the weights is a straight line in t between the places s and s − 1; of the two ends at k, exactly."""
    k = min(int(k), len(x))

    def held(t):
        return [min(max(s - t, Decimal(0)), Decimal(1)) for s in x]

    places = sorted({*x, *(s - 1 for s in x)})
    low = max(t for t in places if sum(held(t)) >= k)
    bent = sum(s > low and s - low <= 1 for s in x)  # the difference is rounded as the places are
    t = low + (sum(held(low)) - k) / bent if bent else low
    p = held(t)
    return p, sum(q * s for q, s in zip(p, x, strict=True)) - sum(q * q for q in p) / 2


def _power(x, exponent):
    return x**exponent if x > 0 else Decimal(0)


def _shares(parts):
    total = sum(parts)
    return [part / total for part in parts]


def _root(f, low, high, halvings=150):
    for _ in range(halvings):
        middle = (low + high) / 2
        low, high = (middle, high) if f(middle) > 0 else (low, middle)
    return (low + high) / 2


FORMS = {"softmax": _softmax, "entmax": _entmax, "sparsemax": _sparsemax, "normmax": _normmax, "k_subsets": _k_subsets}
