"""Fields of spins in exact arithmetic: learning rules in fractions, steps and sweeps in whole numbers, no floats."""

from fractions import Fraction
from math import exp, lcm

import numpy as np


def all_states(n, silent=-1):
    """All states of n neurons in the order of binary numbers, `(2**n, n)`."""
    return np.where(np.arange(2**n)[:, None] >> np.arange(n - 1, -1, -1) & 1, 1, silent)


def hebb(p, own=False):
    w = p.T @ p / Fraction(p.shape[1])
    return w if own else w * (1 - np.eye(len(w), dtype=int))


def outer_products(p, own):
    return hebb(p, own) * p.shape[1]


def covariance(p, own):
    apart = p - p.sum() / Fraction(p.size)
    return hebb(apart, own) / ((apart * apart).sum() / p.size or 1)


def pseudo_inverse(p, own):
    """The projection on the patterns by Gram and Schmidt, or None for dependent patterns."""
    w = 0 * hebb(p)
    for x in p:
        if not (apart := x - w @ x).any():
            return None
        w = w + np.outer(apart, apart) / (apart @ apart)
    return w if own else w * (1 - np.eye(len(w), dtype=int))


def storkey(p, own):
    w = 0 * hebb(p)
    for x in p:
        h = (w @ x)[:, None] - w * x  # without the neurons i and j
        w = (w + (np.outer(x, x) - x[:, None] * h.T - h * x) / len(w)) * (1 - np.eye(len(w), dtype=int))
    return w


def perceptron(p, own):
    """Gardner's rule at a stability of 0, or None after 200 sweeps."""
    w, stable = hebb(p), 0
    for x in [*p] * 200:
        wrong = np.where(x * (w @ x) <= 0, x, 0)
        w = w + np.outer(wrong, x) * (1 - np.eye(len(x), dtype=int)) / Fraction(len(x))
        stable = 0 if wrong.any() else stable + 1
        if stable == len(p):
            return w
    return None


RULES = {rule.__name__: rule for rule in (hebb, outer_products, covariance, pseudo_inverse, storkey, perceptron)}


def learned(rule, patterns, own=False):
    """The couplings of patterns of whole numbers by a rule, in fractions, or None where it has none."""
    return RULES[rule](np.vectorize(Fraction, otypes=[object])(np.asarray(patterns).astype(object)), own)


class Spins:
    """Neurons of `silent` and 1 with exact fields.

    A model gives `fields` of all, and `alone`: the local field of one neuron and the energy that it saves by taking a
    side where it is unknown; with the size of their terms. One that is not 0 is clear above the `margin` of that.
    """

    silent, margin = -1, 0

    def signs(self, x):
        return np.sign(self.fields(x)[0]).astype(int)

    def clear(self, field, size):
        return ((field == 0) | (abs(field) > self.margin * size)).astype(bool)

    def step(self, x):
        """All at once: a neuron whose field is 0 stays; it is 0 where answers have another dim than cues."""
        s = self.signs(x)
        return np.where(s == 0, x if s.shape == x.shape else 0, np.where(s > 0, 1, self.silent))

    def sweep(self, x):
        """One after another, in sequence; and the rows that met clear fields alone."""
        x, clear = x.copy(), np.ones(len(x), bool)
        for i in range(x.shape[1]):
            (h, gain), size = self.alone(x, i)
            unknown = (x[:, i] == 0) & (self.silent == -1)
            clear &= self.clear(h, size) & (~unknown | self.clear(gain, size))
            x[:, i] = np.where((h == 0) | unknown & (gain < 0), x[:, i], np.where(h > 0, 1, self.silent))
        return x, clear

    def turns(self, x):
        """Whether each neuron turns if it is updated alone."""
        local = np.stack([self.alone(x, i)[0][0] for i in range(x.shape[1])], axis=1)
        return (local * np.where(x == 1, 1, -1) < 0).astype(bool)


class Couplings(Spins):
    """Couplings and biases of whole numbers or fractions, all times the least number that makes them whole."""

    def __init__(self, couplings, bias=0, silent=-1):
        w, b = np.asarray(couplings), np.broadcast_to(bias, len(couplings))
        unit = lcm(*(Fraction(number).denominator for number in (*w.ravel().tolist(), *b.tolist())))
        self.w, self.b, self.silent = (w * unit).astype(np.int64), (b * unit).astype(np.int64), silent

    def fields(self, x):
        return x @ self.w.T + self.b, 0

    def alone(self, x, i):
        own = self.w[i, i]
        h = 2 * (x @ self.w[i] - own * x[:, i] + self.b[i]) + (own if self.silent == 0 else 0)
        return (h, abs(h) + own), 0

    def with_inertia(self, x):
        """All at once with the inertia λ, minus the lowest eigenvalue; and where no number is next to its limit."""
        inertia, h = max(0.0, -np.linalg.eigvalsh(self.w)[0]), self.fields(x)[0]
        t = 2 * h + inertia * (2 * x if self.silent else 2 * x - 1)
        unknown = (x == 0) & (self.silent == -1)
        moved = np.where((h == 0) | unknown & (2 * abs(h) < inertia), x, np.where(t > 0, 1, self.silent))
        return moved, (h == 0) | (abs(t) > 1e-6) & (~unknown | (abs(2 * abs(h) - inertia) > 1e-6))


class Stored(Spins):
    """E = −Σ F(k·x) for keys of whole numbers; value: F, weight: F′ up to a factor, of arrays of Python's numbers."""

    def __init__(self, keys, value, weight, margin=1e-9):
        self.keys, self.value, self.weight = np.asarray(keys).astype(object), value, weight
        self.margin = Fraction(margin)

    @classmethod
    def powers(cls, keys, n, rectified=True, margin=1e-9):
        base = (lambda s: np.maximum(s, 0)) if rectified else (lambda s: s)
        return cls(keys, lambda s: base(s) ** n, lambda s: base(s) ** (n - 1), margin)

    @classmethod
    def exponentials(cls, keys, beta):
        """Of a fraction next to exp β, with many digits: as of exp β, its powers cancel only one by one."""
        return cls(keys, *[lambda s: np.power(Fraction(exp(beta)), s)] * 2)

    def fields(self, x):
        p = self.weight(x.astype(object) @ self.keys.T)
        return p @ self.keys, abs(p).sum(axis=1, keepdims=True) * abs(self.keys).max(axis=0)

    def alone(self, x, i):
        x, k = x.astype(object), self.keys[:, i]
        s = x @ self.keys.T - x[:, i : i + 1] * k
        terms = [self.value(s + side * k) for side in (x[:, i : i + 1], 1, -1)]
        now, up, down = (one.sum(axis=1) for one in terms)
        return (up - down, np.maximum(up, down) - now), sum(abs(one).sum(axis=1) for one in terms)
