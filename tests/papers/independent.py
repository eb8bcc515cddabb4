"""Numbers of the records by programs that share nothing with hopattn: SciPy, exact counts, other simulations."""

import math

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq, minimize_scalar
from scipy.spatial.distance import cdist
from scipy.special import erf, gammaln, iv, softmax
from scipy.stats import binom, hypergeom, ncx2, norm


def peak(function, low, high):
    return minimize_scalar(lambda y: -function(y), bounds=(low, high), method="bounded", options={"xatol": 1e-12}).x


def width(y, n=1):
    """√(2α) of a mixture of n patterns at T = 0, y = m/√(2αr): Amit, Gutfreund & Sompolinsky 1987."""
    z = [(abs(2 * k - n), binom.pmf(k, n, 0.5)) for k in range(n + 1)]
    return sum(p * (a * erf(a * y) / n / y - 2 * math.exp(-((a * y) ** 2)) / math.sqrt(math.pi)) for a, p in z)


def load(n=1):
    return width(peak(lambda y: width(y, n), 1, 3), n) ** 2 / 2


def depth(load):
    """The energy of a pattern less that of the spin glass at T = 0."""
    y = brentq(lambda y: width(y) - math.sqrt(2 * load), peak(width, 1, 3), 9)
    pattern = erf(y), 2 * y * math.exp(-y * y) / math.sqrt(math.pi) / erf(y)
    found = []
    for m, c in (pattern, (0.0, 1 / (1 + math.sqrt(load * math.pi / 2)))):
        s = math.sqrt(load) / (1 - c)
        field = s * math.sqrt(2 / math.pi) * math.exp(-((m / s) ** 2) / 2) + m * erf(m / s / math.sqrt(2))
        found.append(m * m / 2 + load / 2 * (2 * c - 1) / (1 - c) ** 2 - field)
    return found[0] - found[1]


def sphere(beta):
    def mean(f):
        return math.log(1 - f * f) / 2 + beta * f

    return beta - mean(peak(mean, 0, 1 - 1e-15))


def sphere_error():
    """The posterior mean on a sphere of 9 components: radius 1, noise .1."""

    def squared(t):
        return (iv(4.5, math.sqrt(10 * t)) / iv(3.5, math.sqrt(10 * t))) ** 2 * ncx2.pdf(t, 9, 10)

    return 1 - quad(squared, 0, 150, limit=300, epsabs=1e-12)[0]


def promised(beta):
    return brentq(lambda a: a - beta * (1 - math.sqrt(-math.expm1(-2 * a))), 1e-9, beta)


def gardner(margin):
    return 1 / quad(lambda t: norm.pdf(t) * (t + margin) ** 2, -margin, 40)[0]


def exponent(dim, scale):
    """a + ln b of theorem 3 of Ramsauer et al., β = 1 and p = .001."""
    return 2 / (dim - 1) * (1 + math.log(0.002 * scale**2 * (dim - 1))) + math.log(0.4 * scale**2)


def above(term, share, count, level):
    """P(sum of `count` independent whole numbers ±term > level), by Fourier's transform of their distribution."""
    size = 2**20
    one = np.zeros(size)
    np.add.at(one, np.append(term, -term) % size, np.append(share, share) / 2)
    return np.fft.irfft(np.fft.rfft(one) ** count, size)[level + 1 : size // 2].sum()


def dense(neurons, patterns, n, unit):
    """A turn changes the energy of another pattern by ±([a + 1]₊ⁿ − [a − 1]₊ⁿ), a the sum of N − 1 signs."""
    a, share = 2 * np.arange(neurons) - neurons + 1, binom.pmf(np.arange(neurons), neurons - 1, 0.5)
    term = (np.maximum(a + 1, 0) ** n - np.maximum(a - 1, 0) ** n) // unit
    return above(term, share, patterns - 1, (neurons**n - (neurons - 2) ** n) // unit)


def sequence(neurons, patterns, n):
    a, share = 2 * np.arange(neurons) - neurons + 1, binom.pmf(np.arange(neurons), neurons - 1, 0.5)
    return above(a**n, share, patterns - 1, (neurons - 1) ** n)


def critical_distance():
    """Kanerva's memory: locations near both points by hypergeometric counts, then the normal sum."""
    bits, radius, locations, words = 1000, 451, 10**6, 10**4
    x, d = np.arange(radius + 1), np.arange(bits + 1)
    near = np.array([binom.pmf(x, bits, 0.5) @ hypergeom.sf(np.ceil((x + i - radius) / 2) - 1, bits, x, i) for i in d])
    shared, random = locations * near, binom.pmf(d, bits, 0.5)
    spread = shared * (1 - near)
    root = np.sqrt(spread + (words - 1) * (random @ (spread + shared**2)))
    cue = (words - 1) * (random @ (shared * (1 - 2 * d / bits)))
    wrong = (1 - d / bits) * norm.cdf(-(shared + cue) / root) + d / bits * norm.cdf(-(shared - cue) / root)
    return brentq(lambda i: i - bits * np.interp(i, d, wrong), 100, 400)


def sparse(at, a=0.01):
    """The load of Tsodyks & Feigel'man at the distances x₁ and x₀ from the threshold, where C < 1."""
    (one, other), f = norm.cdf(at), norm.pdf(at)
    sigma = (one - other) / (at[0] - at[1])
    c = (a * f[0] + (1 - a) * f[1]) / sigma
    return sigma**2 * (1 - c) ** 2 / (a * one + (1 - a) * other) if c < 1 else 0.0


def orthogonal(d=16, m=16):
    """The squared error of m = d orthogonal features: the mean over two directions and two lengths, |q + k| = 1."""
    x, w = np.polynomial.legendre.leggauss(200)
    r = 10 * (x + 1)
    length = 10 * w * np.exp((d - 1) * np.log(r) - r * r / 2 - (d / 2 - 1) * math.log(2) - gammaln(d / 2))
    each = np.exp(np.outer(x, r)) @ length
    both = np.outer(w, w) * np.maximum(1 - x[:, None] ** 2 - x**2, 0) ** (d / 2 - 2)
    return (math.e - 1) / m + (m - 1) / m * (each @ both @ each / both.sum() / math.e - 1)


def step(patterns, beta, state):
    return np.einsum("ki,kid->kd", softmax(beta * np.einsum("kid,kd->ki", patterns, state), axis=1), patterns)


def update(contraction):
    """Theorems 4 and 5 of Ramsauer et al. at the instances of the record, whose draws come in the same order."""
    rng, largest = np.random.default_rng(0), 0.0
    for _ in range(40):
        x = rng.standard_normal((250, rng.integers(2, 11), rng.integers(2, 17)))
        x /= np.sqrt((x * x).sum(2, keepdims=True))
        beta, r, meant, n = 10 ** rng.uniform(-1, 2), rng.uniform(0, 0.3), x[:, 0], x.shape[1]
        away = rng.standard_normal((250, 1, x.shape[2]))[:, 0]
        cue = meant + r * away / np.sqrt((away * away).sum(1, keepdims=True))
        after, rest = step(x, beta, cue), meant
        for _ in range(100):
            rest = step(x, beta, rest)
        delta = 1 - np.einsum("kid,kd->ki", x[:, 1:], meant).max(1)
        weight = 2 * (n - 1) * np.exp(-beta * (delta - 2 * np.maximum(r, np.sqrt(((rest - meant) ** 2).sum(1)))))
        error = np.sqrt(((after - (rest if contraction else meant)) ** 2).sum(1))
        part = error / np.sqrt(((cue - rest) ** 2).sum(1)) / (beta * n) if contraction else error
        largest = max(largest, (part / weight).max())
    return largest


def hopfield(rng):
    """The share of patterns without an error of 50 networks of 0 and 1: 100 neurons, ten patterns."""
    found = []
    for _ in range(50):
        v = rng.integers(0, 2, (10, 100))
        couplings = np.tensordot(2 * v - 1, 2 * v - 1, (0, 0))
        np.fill_diagonal(couplings, 0)
        fields = v @ couplings
        found.append(np.mean(~np.any(((fields > 0) & (v == 0)) | ((fields < 0) & (v == 1)), axis=1)))
    return np.mean(found)


def stable(rng, patterns, rule):
    """The share of patterns of 256 neurons without an error; Storkey's rule as he writes it."""
    x, couplings = rng.choice([-1.0, 1.0], (patterns, 256)), np.zeros((256, 256))
    for y in x:
        h = np.zeros((256, 256))
        if rule == "storkey":
            h = (couplings @ y - np.diag(couplings) * y)[:, None] - couplings * y
            h[np.diag_indices(256)] += np.diag(couplings) * y
        couplings += (np.outer(y, y) - y[:, None] * h.T - h * y) / 256
    np.fill_diagonal(couplings, 0)
    return np.mean(np.all(x @ couplings.T * x > 0, axis=1))


def ground(rng, n=12):
    """The mean least energy of 200 spin glasses, by single turns in the order of Gray's code."""
    couplings = np.triu(rng.standard_normal((200, n, n)) / math.sqrt(n), 1)
    couplings += couplings.swapaxes(1, 2)
    state, fields = np.ones((200, n)), couplings.sum(2)
    energy = -fields.sum(1) / 2
    least = energy.copy()
    for code in range(1, 2 ** (n - 1)):
        i = (code & -code).bit_length() - 1
        energy += 2 * state[:, i] * fields[:, i]
        fields -= 2 * couplings[:, :, i] * state[:, i : i + 1]
        state[:, i] *= -1
        least = np.minimum(least, energy)
    return least.mean() / n


def gain(rng):
    patterns = (rng.random((500, 64)) < 0.1).astype(float)
    cues = patterns + rng.normal(0, 0.5, patterns.shape)
    near, large = cdist(cues, patterns).argmin(1), (cues @ patterns.T).argmax(1)
    return np.mean(near == np.arange(500)) - np.mean(large == np.arange(500))


def worst(rng):
    """The largest error of sparsemax in units of softmax's, over 300 cues about the middle one of three patterns."""
    angle = np.array([0, 0.5, -0.5])
    x, beta = np.stack([np.cos(angle), np.sin(angle)], axis=1), 1.25 / (1 - math.cos(0.5))
    turn, away = rng.uniform(0, 2 * math.pi, 300), 0.999 * math.sin(0.25) * np.sqrt(rng.random(300))
    scores = beta * (x[0] + away[:, None] * np.stack([np.cos(turn), np.sin(turn)], axis=1)) @ x.T
    order = -np.sort(-scores, axis=1)
    lead = (np.cumsum(order, axis=1) - 1) / [1, 2, 3]
    level = np.max(lead, axis=1, keepdims=True)  # the threshold is the largest of these means
    errors = [np.linalg.norm(p @ x - x[0], axis=1) for p in (np.maximum(scores - level, 0), softmax(scores, axis=1))]
    return np.max(errors[0] / errors[1])


def denoised(rng):
    """The squared error of one softmax step over 500 points of a sphere of 9 components, 20 cues."""
    points = rng.standard_normal((520, 9))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    cues = points[500:] + math.sqrt(0.1) * rng.standard_normal((20, 9))
    return np.mean(np.sum((softmax(10 * cues @ points[:500].T, axis=1) @ points[:500] - points[500:]) ** 2, axis=1))
