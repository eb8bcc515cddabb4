"""Numbers and sums as a lecture writes them: `.8×.8 + .6×.6 = .64 + .36 = 1`."""

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from hopattn.foundation.registry import name_of
from hopattn.foundation.writing import DIGITS, WRITTEN_AS_0, number
from hopattn.retrieval.separation.base import Separation

LARGE = 20
"""The largest exponent with which the powers of a softmax are written out."""
ROUNDED = 12
"""The number of decimals of a sum that are free of rounding errors."""
MANY = 8
"""The number of terms from which zero terms are left out; a vector of more than twice as many elements is cut."""


def factor(value: float) -> str:
    """A number as a factor or after a plus: negative numbers get brackets."""
    text = number(value)
    return f"({text})" if text.startswith("−") else text


def written(values: Any) -> np.ndarray:
    """Numbers as a reader sees them, with the digits that `number` shows."""
    flat = np.asarray(values, dtype=float)
    shown = [float(Fraction(number(value).replace("−", "-"))) for value in flat.ravel()]
    return np.array(shown).reshape(flat.shape)


def equals(results: Any, worked: Any = None) -> str:
    """`=` if a line is true as it is written and no digit of its results is cut, else `≈`.

    results: the numbers behind the sign. worked: what the numbers before it give as they are written (None: not known,
    so that the results alone decide).

    >>> equals(0.0, written(math.sqrt(0.28)) * 0), equals(0.28, written(math.sqrt(0.28)) ** 2)
    ('=', '≈')
    """
    shown = written(results)
    size = np.abs(shown)
    near = np.where(size < 10.0**-DIGITS, 1e-9 * size, WRITTEN_AS_0 * np.maximum(1, size))
    cut = np.abs(shown - results) > np.where(size == 0, WRITTEN_AS_0, near)
    return "≈" if np.any(cut) or (worked is not None and np.any(np.abs(shown - worked) > near)) else "="


def added(terms: Any) -> Any:
    """The sum of numbers as they are written, `(…, n_terms)` to `(…,)`, without the rounding errors of the sum."""
    return np.round(np.sum(terms, axis=-1), ROUNDED)


def vector(values: Any) -> str:
    """A vector in brackets; of a long one, the first elements and the number of all.

    >>> vector([0.8, 0.6])
    '(.8, .6)'
    """
    shown = [number(value) for value in values]
    if len(shown) > 2 * MANY:
        shown = [*shown[:3], f"… {len(values)} elements"]
    return f"({', '.join(shown)})"


def dot(left: Any, right: Any) -> str:
    """A dot product with its arithmetic.

    >>> dot([0.8, 0.6], [-0.8, -0.6])
    '.8×(−.8) + .6×(−.6) = −.64 + (−.36) = −1'
    >>> dot([0.8, 0.6], [1, 0])
    '.8×1 + .6×0 = .8 + 0 = .8'
    """
    pairs = [(float(a), float(b)) for a, b in zip(left, right, strict=True)]
    terms = pairs if len(pairs) < MANY else [pair for pair in pairs if pair[0] * pair[1] != 0]
    total = sum(a * b for a, b in pairs)
    if not terms:
        return "0"
    if len(terms) > 2 * MANY:
        return f"sum of {len(terms)} products {equals(total)} {number(total)}"
    products = " + ".join(f"{factor(a) if i else number(a)}×{factor(b)}" for i, (a, b) in enumerate(terms))
    values = [a * b for a, b in terms]
    left = f"{products} {equals(values, written(terms).prod(axis=1))}"
    if len(terms) > 1:
        sum_ = " + ".join(factor(value) if i else number(value) for i, value in enumerate(values))
        left = f"{left} {sum_} {equals(total, added(written(values)))}"
    return f"{left} {number(total)}"


def weighted_sum(weights: Sequence[float], names: Sequence[str]) -> str:
    """A weighted sum of named vectors, without those of weight 0: `.6×financial + .48×markets`."""
    terms = [
        f"{factor(weight)}×{name}" for weight, name in zip(weights, names, strict=True) if abs(weight) > WRITTEN_AS_0
    ]
    return " + ".join(terms) or "0"


def rotated(matrix: np.ndarray, point: Any) -> str:
    """The rotation of a point with its arithmetic: each row of the matrix times the point."""
    rows = "; ".join(dot(row, point) for row in matrix)
    return f"{rows}: {vector(matrix @ np.asarray(point))}"


def rotation_rows(degrees: float, matrix: np.ndarray) -> str:
    """The cosine, the sine and the rows of a rotation matrix.

    >>> rotation_rows(90, np.array([[0, -1], [1, 0]]))
    'cos 90° = 0, sin 90° = 1; the rows of the matrix are (0, −1) and (1, 0)'
    """
    angle = number(degrees)
    cos, sin = matrix[0, 0], matrix[1, 0]
    parts = f"cos {angle}° {equals(cos)} {number(cos)}, sin {angle}° {equals(sin)} {number(sin)}"
    return f"{parts}; the rows of the matrix are {' and '.join(vector(row) for row in matrix)}"


def in_parts(values: Any, parts: Mapping[str, slice]) -> str:
    """A vector by its named parts, without the parts that are zero.

    >>> in_parts([0, 1, 0.6, 0.8], {"position": slice(0, 2), "word": slice(2, 4)})
    'position (0, 1), word (.6, .8)'
    """
    if len(parts) == 1:
        return vector(values)
    filled = {name: values[part] for name, part in parts.items() if np.any(np.abs(values[part]) > WRITTEN_AS_0)}
    return ", ".join(f"{name} {vector(part)}" for name, part in filled.items()) or "0"


def weighing(separation: Separation, scores: Sequence[float], names: Sequence[str]) -> Iterator[str]:
    """The arithmetic from the scores of one row to its weights.

    scores, names: of the keys that the row may attend to. A sink is one more of them, by the name "rest".
    """
    if not names:
        yield "nothing to attend to: the output is 0"
        return
    given = np.asarray(scores, dtype=float)
    weights = separation.weights(given)
    if separation.sink is not None:  # the null pattern comes last
        scores, names = [*scores, separation.sink / separation.beta], [*names, "rest"]
        weights = np.append(weights, separation.rest(given))
    kind, beta, means = name_of(separation), separation.beta, ""
    if kind == "softmax":
        yield from _softmax(beta, scores, weights, names)
        return
    shown = _named(names, weights)
    if kind == "identity":
        means = "the similarity itself" if beta == 1 else f"{number(beta)} times the similarity"
    elif isinstance(n := getattr(separation, "n", None), int):
        opening, closing = ("[", "]₊") if kind == "rectified_power" else ("(", ")")
        bases, times = written(beta) * written(scores), "" if beta == 1 else f"{number(beta)}×"
        by_hand = (np.maximum(bases, 0) if kind == "rectified_power" else bases) ** (n - 1)
        shown = ", ".join(
            f"{name} {opening}{times}{number(score)}{closing}^{n - 1} {equals(weight, power)} {number(weight)}"
            for name, score, weight, power in zip(names, scores, weights, by_hand, strict=True)
        )
    yield f"weights ({means or kind.replace('_', ' ')}): {shown}"


def short_base(beta: float) -> float | None:
    """The base of the powers of a softmax if β is the logarithm of a short number, else None: the base is e.

    >>> short_base(math.log(2)), short_base(1.0)
    (2.0, None)
    """
    base = round(math.exp(min(beta, LARGE)), 2)
    return base if base > 1 and abs(math.log(base) - beta) < WRITTEN_AS_0 else None


def _softmax(beta: float, scores: Sequence[float], weights: np.ndarray, names: Sequence[str]) -> Iterator[str]:
    """The powers, their sum and the weights; if β is the logarithm of a short number, that number is the base."""
    base = short_base(beta)
    symbol, times = ("e", beta) if base is None else (factor(base) if base == round(base) else f"({number(base)})", 1.0)
    exponents = [score if times == 1 else times * score for score in scores]
    if len(names) <= MANY and max(map(abs, exponents)) <= LARGE:
        powers = np.exp(exponents) if base is None else np.power(base, exponents)
        total = float(powers.sum())
        left = " + ".join(f"{symbol}^{factor(exponent)}" for exponent in exponents)
        values = " + ".join(number(power) for power in powers)
        right = f" {equals(total, added(written(powers)))} {number(total)}" if len(names) > 1 else ""
        by_hand = np.power(math.e if base is None else base, written(exponents))
        named = "" if times == 1 else f"powers of e, β = {number(beta)}: "
        yield f"{named}{left} {equals(powers, by_hand)} {values}{right}"
        quotients = ", ".join(
            f"{name} {number(power)}/{number(total)} {equals(weight, written(power) / written(total))} {number(weight)}"
            for name, power, weight in zip(names, powers, weights, strict=True)
        )
        yield f"weights (softmax): {quotients}"
    else:
        yield f"weights (softmax, β = {number(beta)}): {_named(names, weights)}"


def _named(names: Sequence[str], values: Any) -> str:
    shown = [f"{name} {number(value)}" for name, value in zip(names, values, strict=True)]
    return ", ".join(shown if len(shown) <= 2 * MANY else [*shown[:MANY], f"… {len(shown)} in all"])
