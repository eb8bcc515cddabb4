"""Learning rules: the couplings of neurons that store patterns.

A rule takes patterns `(n_patterns, N)`, finite numbers, usually ±1, and returns the couplings of N neurons, `(N, N)`;
W[i, j] is the coupling from neuron j to neuron i. Without self-couplings the diagonal is 0. `associate` and `delta`
take pairs of patterns, and return the couplings from the first pattern of a pair to the second. Patterns of PyTorch and
JAX give couplings of their library, device and dtype, those of NumPy give float64.

Couplings are rounded: δW_ij is the error of W_ij, and a W_ij that is no larger counts as 0. `learned` gives the sum of
δW_ij over j too. Hebb's and Gardner's couplings are whole numbers over N for patterns of ±1, and have no error.
"""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from hopattn.foundation.arrays import (
    Array,
    Vectors,
    device_of,
    first_true,
    in_numbers_of,
    namespace,
    on_host,
    require_fitting,
    stored_rows,
    widened,
)
from hopattn.foundation.boundary import public
from hopattn.foundation.checks import REPEATED, flag, real, require_room, whole
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.lazy import refusal
from hopattn.foundation.threads import blocks
from hopattn.foundation.ties import DOUBLE, are_whole, eps_of, without_rounding
from hopattn.foundation.traces import detached, known_true, traced
from hopattn.foundation.vectors import largest_entry, nonzero, normalised, row_length

__all__ = [
    "associate",
    "covariance",
    "delta",
    "hebb",
    "outer_products",
    "perceptron",
    "perceptron_by_definition",
    "pseudo_inverse",
    "storkey",
    "storkey_by_definition",
]


Rule = TypeVar("Rule", bound=Callable[..., Any])
NEWTON = 3
"""The steps that make rows orthonormal: each squares what is left, from 3e-3 or less."""

rules: dict[str, Callable[..., Any]] = {}
"""The rules that store patterns in the couplings of one network, by name; `learning_rule` adds one."""


def learning_rule(rule: Rule) -> Rule:
    """Mark a function as a learning rule that networks and scenarios may name.

    Its first parameter takes the patterns; a parameter `self_coupling` says that it can keep the diagonal.
    """
    rules[rule.__name__] = call = public(rule)
    return call  # type: ignore[return-value]


errors: dict[str, Callable[..., tuple[Array, Array]]] = {}
"""For a rule, a function of its arguments that gives the couplings and Σ_j δW_ij, `(N,)`; any other rule is exact."""


def learned(rule: str, patterns: Any, **self_coupling: bool) -> tuple[Array, Any]:
    """The couplings that a rule, by its name, learns, and the error Σ_j δW_ij of each row, `(N,)` or 0."""
    if rule in errors:
        return errors[rule](patterns, **self_coupling)
    return rules[rule](patterns, **self_coupling), 0.0


@learning_rule
def outer_products(patterns: Vectors, *, self_coupling: bool = False) -> Array:
    """W_ij = Σ_μ ξ_i ξ_j: Hebb's rule without the factor 1/N, as many courses have it; the spins are those of `hebb`.

    Parameters
    ----------
    patterns : (n_patterns, N)
    self_coupling : whether the diagonal stays.

    Notes
    -----
    Source: Hopfield (1982), PNAS 79, 2554, eq. 2 (their 2V − 1 is our ξ).

    Examples
    --------
    >>> outer_products([[1, -1], [1, 1]], self_coupling=True)
    array([[2., 0.],
           [0., 2.]])
    """
    rows = _patterns(patterns)
    return _diagonal(rows.mT @ rows, self_coupling)


@learning_rule
def hebb(patterns: Vectors, *, self_coupling: bool = False) -> Array:
    """W_ij = (1/N) Σ_μ ξ_i ξ_j: neurons that are active together are coupled.

    Parameters
    ----------
    patterns : (n_patterns, N)
    self_coupling : whether the diagonal stays.

    Notes
    -----
    Source: Hopfield (1982), PNAS 79, 2554 (their 2V − 1 is our ξ; theirs is not divided by N).

    Examples
    --------
    >>> hebb([[1, -1], [1, 1]], self_coupling=True)
    array([[1., 0.],
           [0., 1.]])
    """
    couplings = outer_products(patterns, self_coupling=self_coupling)
    couplings /= couplings.shape[0]
    return couplings


@learning_rule
def covariance(patterns: Vectors, *, self_coupling: bool = False) -> Array:
    """W_ij = (1/Nv) Σ_μ (ξ_i − a)(ξ_j − a), a the mean and v the variance of all entries: for patterns mostly silent.

    Patterns of 0 and 1 have v = a(1 − a), and the couplings of the same patterns as ±1; for as many 1 as −1 it is
    Hebb's rule. Where all entries are equal, the couplings are 0. Patterns of 0 and 1 need neurons of 0 and 1 and a
    threshold: `ha.memories.hopfield(patterns, rule="covariance", activation="step", bias=-0.5)`.

    Parameters
    ----------
    self_coupling : whether the diagonal stays.

    Notes
    -----
    Source: Tsodyks & Feigel'man (1988), Europhys. Lett. 6, 101, for 0 and 1; Amit, Gutfreund & Sompolinsky (1987),
    Phys. Rev. A 35, 2293, for ±1 (their a is ours; theirs is not divided by v).
    """
    return _covariance(patterns, self_coupling)[0]


def _covariance(patterns: Any, self_coupling: bool = False) -> tuple[Array, Array]:
    """δW_ij is that of a sum over P patterns, and of the mean a: ξ − a is off by ε|a|, or by 2ε max |ξ| of fractions.

    The errors of a row have random signs but for that of the mean.
    """
    xi = _patterns(patterns)
    rows = widened(xi)
    xp, eps, (n_patterns, n) = namespace(rows), eps_of(rows), rows.shape
    mean = xp.mean(rows)
    apart = rows - mean
    variance, sizes = nonzero(xp.mean(apart**2)), xp.abs(detached(apart))
    whole, most = are_whole(detached(rows)), 2 * xp.max(xp.abs(detached(rows)))
    of_mean = xp.where(whole, xp.abs(detached(mean)), most) / (n * detached(variance)) * eps
    of_sum = (0.5 * min(n_patterns, 8 * n_patterns**0.5) + 12) / (n * detached(variance)) * eps
    length, total = row_length(sizes.mT), xp.sum(sizes, axis=0)
    error = of_sum * length[:, None] * length + of_mean * (total[:, None] + total)
    couplings = without_rounding(hebb(apart, self_coupling=self_coupling) / variance, error)
    spread = xp.sqrt(xp.sum(length * length))
    row = 4 * of_sum * length * spread + of_mean * (n * total + xp.sum(total))
    return in_numbers_of(xi, couplings), in_numbers_of(xi, row)


errors["covariance"] = _covariance


@learning_rule
def pseudo_inverse(patterns: Vectors, *, self_coupling: bool = True) -> Array:
    """W = (1/N) Σ_μν ξ^μ (Q⁻¹)_μν ξ^ν, Q_μν = ξ^μ·ξ^ν / N: the projection on the patterns, which are its fixed points.

    Parameters
    ----------
    self_coupling : whether the diagonal stays.

    Raises
    ------
    InvalidInput : if there is no Q⁻¹, naming the first pattern that depends on those before it.

    Notes
    -----
    Without self-couplings only the signs of a pattern are a fixed point. Source: Personnaz, Guyon & Dreyfus (1985), J.
    Physique Lett. 46, L359; without the diagonal, Kanter & Sompolinsky (1987), Phys. Rev. A 35, 380.
    """
    return _pseudo_inverse(patterns, self_coupling)[0]


def _pseudo_inverse(patterns: Any, self_coupling: bool = True) -> tuple[Array, Array]:
    """δW = ε κ √(W_ii W_jj), for the condition κ of the patterns; a row of it times x is at most ε κ √W_ii |x|."""
    rows = _patterns(patterns)
    basis, share = _orthonormal(widened(rows))
    lengths = row_length(detached(basis).mT)  # √W_ii = |L⁻¹ξ_i|
    couplings = without_rounding(basis.mT @ basis, share * lengths[:, None] * lengths)
    error = share * lengths * rows.shape[1] ** 0.5
    return in_numbers_of(rows, _diagonal(couplings, self_coupling)), in_numbers_of(rows, error)


errors["pseudo_inverse"] = _pseudo_inverse


@learning_rule
def storkey(patterns: Vectors) -> Array:
    """W_ij ← W_ij + (1/N)(ξ_i ξ_j − ξ_i h_ji − h_ij ξ_j), pattern by pattern, with h_ij = Σ_{k≠i,j} W_ik ξ_k.

    There are no self-couplings. The order of the patterns matters. `storkey_by_definition` is the rule as the paper
    writes it; this function gives the same couplings several times faster, for NumPy arrays.
    Source: Storkey & Valabregue (1999), Neural Networks 12, 869.
    """
    rows = _patterns(patterns)
    if not isinstance(rows, np.ndarray):
        return storkey_by_definition(rows)
    return _with_stored(np.zeros((rows.shape[1], rows.shape[1])), rows)


def _with_stored(couplings: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The couplings after these patterns; they are written over."""
    one_magnitude = bool(np.all(np.abs(rows) == np.abs(rows[0, 0])))
    growth = math.log1p(2 * float(rows[0, 0]) * float(rows[0, 0]) / len(couplings))  # infinite, and no error
    # Patterns of one magnitude are stored together, as many as let the couplings grow eightfold.
    together = min(64, int(math.log(8) / growth)) if one_magnitude and growth > 0 else 1
    for block in blocks(len(rows), max(together, 1)):
        _store(couplings, rows[block])
    return np.asarray(without_rounding(couplings, 4 * len(rows) * DOUBLE * largest_entry(couplings)))


def _storkey(patterns: Any) -> tuple[Array, Array]:
    """δW_ij = 4ε √P max |W| times the growth of an error, which the rule maps as it maps the couplings.

    The growth is that of random signs before the first pattern, which is at least that of an error on the way. The
    errors of a row have random signs: with N of them, √N times as much.
    """
    xi = _patterns(patterns)
    rows = widened(xi)
    couplings, n = storkey(rows), int(rows.shape[1])
    most = 4 * (rows.shape[0] * n) ** 0.5 * eps_of(rows)
    if not traced(rows):
        signs = np.triu(np.random.default_rng(0).choice([-1.0, 1.0], (n, n)), 1)
        doubles = on_host(rows).astype(float)
        ends = _with_stored(signs + signs.T, doubles) - _with_stored(np.zeros((n, n)), doubles)
        most *= max(1.0, largest_entry(ends))
    row = namespace(rows).broadcast_to(most * namespace(rows).max(abs(detached(couplings))), (n,))
    return in_numbers_of(xi, couplings), in_numbers_of(xi, row)


errors["storkey"] = _storkey


@public
def storkey_by_definition(patterns: Vectors) -> Array:
    """Storkey's rule as the paper writes it, one pattern after another: the definition of `storkey`.

        W_ij ← W_ij + (1/N)(ξ_i ξ_j − ξ_i h_ji − h_ij ξ_j)          h_ij = Σ_{k≠i,j} W_ik ξ_k

    >>> storkey_by_definition([[1, -1, 1]])
    array([[ 0.        , -0.33333333,  0.33333333],
           [-0.33333333,  0.        , -0.33333333],
           [ 0.33333333, -0.33333333,  0.        ]])
    """
    rows = _patterns(patterns)
    xp, n = namespace(rows), int(rows.shape[1])
    couplings = xp.zeros((n, n), dtype=rows.dtype, device=device_of(rows))
    for i in range(rows.shape[0]):
        pattern = rows[i, :]
        terms = couplings * pattern  # W_ik ξ_k; 0 for k = i
        h = xp.sum(terms, axis=1, keepdims=True) - terms
        pairs = xp.linalg.outer(pattern, pattern) - pattern[:, None] * h.mT - h * pattern
        couplings = _diagonal(couplings + pairs / n, self_coupling=False)
    return without_rounding(couplings, 4 * rows.shape[0] * eps_of(rows) * xp.max(abs(detached(couplings))))


def _store(couplings: np.ndarray, rows: np.ndarray) -> None:
    """Store patterns by Storkey's rule, in place: one pattern, or several whose entries all have one magnitude.

    With f = W ξ the field is h_ij = f_i − W_ij ξ_j, since W_ii = 0 and W is symmetric. The rule is then a growth of the
    couplings plus a symmetric matrix of rank two, without its diagonal:

        W_ij ← W_ij (1 + (ξ_i² + ξ_j²)/N) − (ξ_i u_j + u_i ξ_j)/N          u = f − ½ξ

    Where all entries have one magnitude, the growth is a number c. The field of each pattern then follows from W as it
    is at first, from the u of the patterns before it, times c for each pattern since, and from the diagonals that were
    left out. Entries above the diagonal are copied below it, as the growth would enlarge the rounding of two halves.
    """
    k, n = rows.shape
    sizes = rows[0] * rows[0] / n
    c = 1 + 2 * float(sizes[0])
    fields, u, diagonal = rows @ couplings, np.zeros_like(rows), np.zeros(n)
    for i, pattern in enumerate(rows):
        since = c ** np.arange(i - 1.0, -1.0, -1.0) / n
        u[i] = c**i * fields[i] - diagonal * pattern - 0.5 * pattern
        u[i] -= (since * (u[:i] @ pattern)) @ rows[:i] + (since * (rows[:i] @ pattern)) @ u[:i]
        diagonal = c * diagonal - 2 * pattern * u[i] / n
    since = c ** np.arange(k - 1.0, -1.0, -1.0)[:, None] / -n
    left, right = np.concatenate([rows, u]).T, np.concatenate([since * u, since * rows])
    for block in blocks(n, 64):  # blocks that stay in the cache
        part, size = couplings[block, block.start :], block.stop - block.start
        part *= c**k if k > 1 else 1 + sizes[block, None] + sizes[block.start :]
        part += left[block] @ right[:, block.start :]
        part[:, :size] = 0.5 * (part[:, :size] + part[:, :size].T)
        np.fill_diagonal(part[:, :size], 0)
        couplings[block.stop :, block] = part[:, size:].T


@learning_rule
def perceptron(patterns: Vectors, *, stability: float = 0.0, max_sweeps: int = 1000) -> Array:
    """W_i ← W_i + (1/N) ξ_i ξ for each pattern and neuron with ξ_i h_i ≤ κ |W_i|, until all patterns are stable.

    There are no self-couplings. The rule starts from Hebb's. Every neuron learns by itself, so that the couplings are
    not symmetric and have no energy.

    Parameters
    ----------
    stability : Gardner's κ, 0 or more.

    Raises
    ------
    InvalidInput
        for a pattern with an entry of 0, where ξ_i h_i is 0 whatever the couplings are, and if a pattern is still
        unstable after `max_sweeps`: couplings can store at most 2N random patterns at κ = 0, and fewer at a larger κ.

    Notes
    -----
    `perceptron_by_definition` corrects one pattern after another; this function gives the same couplings faster, for
    NumPy arrays. Patterns that PyTorch or JAX trace are refused, since the numbers decide when the rule ends. Source:
    Gardner (1988), J. Phys. A 21, 257, section 4.
    """
    return _stable(patterns, stability, max_sweeps, _correct)


@public
def perceptron_by_definition(patterns: Vectors, *, stability: float = 0.0, max_sweeps: int = 1000) -> Array:
    """Gardner's rule one pattern after another: the definition of `perceptron`.

    >>> 5 * perceptron_by_definition([[1, 1, 1, -1, 1], [1, -1, 1, 1, -1]])
    array([[ 0.,  0.,  2.,  0.,  0.],
           [ 0.,  0.,  0., -2.,  2.],
           [ 2.,  0.,  0.,  0.,  0.],
           [ 0., -2.,  0.,  0., -2.],
           [ 0.,  2.,  0., -2.,  0.]])
    """
    return _stable(patterns, stability, max_sweeps, _correct_by_definition)


def _stable(patterns: Any, stability: float, max_sweeps: int, correct: Callable[..., tuple[Array, Array]]) -> Array:
    """The couplings after as many sweeps of `correct` over blocks of patterns as make all of these stable."""
    rows = _patterns(patterns)
    if traced(rows):
        cure = "give x.detach(), or learn outside of what is traced"
        raise InvalidInput(f"patterns: the perceptron rule learns until all are stable, without a derivative; {cure}")
    if known_true(namespace(rows).any(rows == 0)):
        row, neuron = first_true(rows == 0).split(", ")
        reason = "no couplings make a neuron of 0 stable"
        raise InvalidInput(f"patterns: row {row} is 0 at neuron {neuron}; {reason}; expected entries such as −1 and 1")
    stability, n = real(stability, "stability", least=0.0), rows.shape[1]
    couplings = _diagonal(rows.mT @ rows, self_coupling=False)
    # N times the couplings: they are whole numbers for ±1 patterns, so that a field of 0 is exactly 0.
    for _ in range(whole(max_sweeps, "max_sweeps", most=REPEATED)):
        count: Any = 0
        for block in blocks(rows.shape[0], 64):
            couplings, more = correct(couplings, rows[block, :], stability)
            count = count + more
        if not int(count):  # a device is asked once a sweep
            return couplings / n
    raise InvalidInput(
        f"patterns: {rows.shape[0]} patterns of {n} neurons are not all stable after {max_sweeps} sweeps; "
        "store fewer, ask for less stability, or allow more sweeps"
    )


def _correct_by_definition(couplings: Array, rows: Array, stability: float) -> tuple[Array, Array]:
    """The couplings after one pattern after another, and the number of neurons that were unstable."""
    xp, count = namespace(rows), 0
    for i in range(rows.shape[0]):
        pattern = rows[i, :]
        unstable = pattern * (couplings @ pattern) <= stability * xp.linalg.vector_norm(couplings, axis=1)
        a = xp.where(unstable, pattern, 0.0)
        couplings = _diagonal(couplings + xp.linalg.outer(a, pattern), self_coupling=False)
        count = count + xp.count_nonzero(unstable)
    return couplings, count


def _correct(couplings: Array, rows: Array, stability: float) -> tuple[Array, Array]:
    """The couplings, corrected in place by one pattern after another, and the number of neurons that were unstable.

    One matrix product gives all fields; the changes by the patterns before are then added. Pattern μ adds a_i ξ_j to
    W_ij, j ≠ i, which changes h_i of pattern ν by a_i (ξ^μ·ξ^ν − ξ_i^μ ξ_i^ν), and |W_i|² accordingly.
    """
    if not isinstance(rows, np.ndarray):
        return _correct_by_definition(couplings, rows, stability)
    fields, products, squares = rows @ couplings.T, rows @ rows.T, rows * rows
    lengths = np.sum(couplings * couplings, axis=1) if stability else np.zeros(len(couplings))
    a, diagonal = np.zeros_like(rows), np.zeros(len(couplings))
    for k, pattern in enumerate(rows):
        fields[k] += products[k, :k] @ a[:k] - diagonal * pattern
        unstable = pattern * fields[k] <= stability * np.sqrt(np.maximum(lengths, 0))
        a[k, unstable] = pattern[unstable]
        diagonal += a[k] * pattern
        if stability:
            lengths += a[k] * (2 * fields[k] + a[k] * (products[k, k] - squares[k]))
    neurons = np.flatnonzero(a.any(axis=0))
    couplings[neurons] += a[:, neurons].T @ rows
    np.fill_diagonal(couplings, 0)
    return couplings, neurons.size


@public
def associate(left: Vectors, right: Vectors) -> Array:
    """W_ij = (1/N) Σ_μ y_i x_j: Hebb's rule for pairs of patterns x and y.

    Parameters
    ----------
    left : x, `(n_patterns, N)`.
    right : y, `(n_patterns, M)`.

    Returns
    -------
    `(M, N)`; with x = y it is Hebb's rule with self-couplings.

    Raises
    ------
    InvalidInput : if the sides differ in number.

    Notes
    -----
    Source: Kosko (1988), IEEE Trans. SMC 18, 49 (his M is the transpose of our W, and not divided by N).
    """
    cause, effect = _pairs(left, right)
    return effect.mT @ cause / cause.shape[1]


@public
def delta(keys: Vectors, values: Vectors, *, rate: float = 1.0, sweeps: int = 1) -> Array:
    """W ← W + η (v − W k) kᵀ / |k|², pair by pair: each pair corrects the error of the present answer W k.

    Parameters
    ----------
    keys : (n_patterns, dim)
        values: `(n_patterns, dim_out)`; returns `(dim_out, dim)`.
    rate : η, above 0 and below 2; at 1 one update stores a pair, and overwrites the value that its key had before.
    sweeps : passes over all pairs, 1 to 100,000; for independent keys all are stored in the limit (Kaczmarz's method).

    Raises
    ------
    InvalidInput : if the sides differ in number, a key is zero, or the rate or the sweeps are outside their range.

    Notes
    -----
    Source: Widrow & Hoff (1960); as fast weights Schlag, Irie & Schmidhuber (2021), ICML (their β is our η; they divide
    the features φ(k) of a key by the sum of its components, not by |k|, so that at their β = 1 a pair is not stored
    exactly).
    """
    k, v = _pairs(keys, values)
    cues, targets = widened(k), widened(v)
    rate = real(rate, "rate", above=0.0, below=2.0, cure="from 2 on errors grow")
    xp = namespace(cues)
    if known_true(xp.any(zero := xp.all(cues == 0, axis=1))):
        raise InvalidInput(f"keys: row {first_true(zero)} is zero; nothing can be learned from it")
    with np.errstate(over="ignore"):
        lengths = row_length(cues)
    if known_true(xp.any(long := ~xp.isfinite(lengths))):
        raise InvalidInput(f"keys: row {first_true(long)} is longer than the largest number; use smaller vectors")
    units, targets = normalised(cues), targets / lengths[:, None]
    couplings = xp.zeros((targets.shape[1], cues.shape[1]), dtype=cues.dtype, device=device_of(cues))
    for _ in range(whole(sweeps, "sweeps", most=100_000)):
        for block in blocks(units.shape[0], 64):
            errors = _errors(couplings, units[block, :], targets[block, :], rate)
            couplings = couplings + rate * errors.mT @ units[block, :]
    return in_numbers_of(k, couplings)


def _errors(couplings: Array, keys: Array, values: Array, rate: float) -> Array:
    """The error of each pair in turn, e_ν = v_ν − W k_ν − η Σ_{μ<ν} (k_μ·k_ν) e_μ, for keys of length 1."""
    xp, products = namespace(keys), keys @ keys.mT
    earlier = rate * xp.tril(products, k=-1)
    identity = xp.eye(keys.shape[0], dtype=keys.dtype, device=device_of(keys))
    return xp.linalg.solve(identity + earlier, values - keys @ couplings.mT)


def _pairs(left: Any, right: Any) -> tuple[Array, Array]:
    """Both sides as checked arrays with the same number of rows."""
    cause, effect = _patterns(left), _patterns(right)
    require_fitting(effect, cause, "one side", "the other side")
    if cause.shape[0] != effect.shape[0]:
        many = f"{cause.shape[0]} on one side, {effect.shape[0]} on the other"
        raise InvalidInput(f"patterns: {many}; expected pairs")
    return cause, effect


def _patterns(patterns: Any) -> Array:
    """Patterns as a checked array of floats; raises `InvalidInput` if their couplings would not fit into memory."""
    rows = stored_rows(patterns, "patterns")
    require_room(rows.shape[1] ** 2, f"couplings of {rows.shape[1]:,} neurons")
    return np.asarray(rows, dtype=float) if isinstance(rows, np.ndarray) else rows


def _diagonal(couplings: Array, self_coupling: bool) -> Array:
    """The couplings, with a diagonal of 0 unless there are self-couplings; a NumPy array is written over."""
    if flag(self_coupling, "self_coupling"):
        return couplings
    if isinstance(couplings, np.ndarray):
        np.fill_diagonal(couplings, 0)
        return couplings
    xp, n = namespace(couplings), couplings.shape[0]
    diagonal = xp.eye(n, dtype=xp.bool, device=device_of(couplings))
    return xp.where(diagonal, 0.0, couplings)


def _orthonormal(rows: Array) -> tuple[Array, Array]:
    """Orthonormal rows that span the patterns, `(n_patterns, N)`; raises `InvalidInput` naming a dependent pattern.

    The second is the error of such rows, 4ε κ for the condition κ of the patterns, each of length 1.

    With the overlaps Q = L Lᵀ these rows are L⁻¹ξ, if each pattern is far enough from the span of those before it: L_ii
    is that distance. Q has the squares of the distances, which lose half of the digits: Newton's steps B + ½(1 − BBᵀ)B
    make the rows orthonormal again. For patterns nearer than a thousandth of their length, the rows come from the QR
    decomposition of the patterns themselves.
    """
    xp, share = namespace(rows), 4 * eps_of(rows)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        overlaps = rows @ rows.mT
        try:
            root = xp.linalg.cholesky(overlaps)
            distant = xp.all(xp.linalg.diagonal(root) ** 2 > 1e-6 * xp.linalg.diagonal(overlaps))
            if not known_true(~distant):
                basis = xp.linalg.solve(root, rows)
                identity = xp.eye(basis.shape[0], dtype=basis.dtype, device=device_of(basis))
                for _ in range(NEWTON):
                    basis = basis + 0.5 * (identity - basis @ basis.mT) @ basis
                scales = xp.linalg.svdvals(normalised(detached(rows)))
                return basis, share * scales[0] / nonzero(scales[-1])
        except (np.linalg.LinAlgError, RuntimeError):  # PyTorch's error is a RuntimeError, and JAX gives NaN
            pass
    sizes = xp.max(xp.abs(rows), axis=1, keepdims=True)
    basis, upper = xp.linalg.qr((rows / nonzero(sizes)).mT)
    count, length = upper.shape[0], xp.linalg.vector_norm(upper, axis=0)
    distance = xp.abs(xp.linalg.diagonal(upper))
    if known_true(xp.any(dependent := distance <= 1e-10 * length[:count])) or count < rows.shape[0]:
        row = first_true(dependent) if known_true(xp.any(dependent)) else count
        raise InvalidInput(f"patterns: row {row} depends on those before it; leave it out")
    scales = xp.linalg.svdvals(detached(upper / length))
    return basis.mT, share * scales[0] / nonzero(scales[-1])


if not TYPE_CHECKING:  # type checkers know the names already, so that a mistyped one is an error to them
    __getattr__ = refusal(__name__)

    def __dir__() -> list[str]:
        return __all__
