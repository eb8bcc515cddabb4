"""Numbers and sums as a lecture writes them: `.8×.8 + .6×.6 = .64 + .36 = 1`."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from hopattn.foundation.registry import name_of
from hopattn.foundation.sentences import language, say
from hopattn.foundation.writing import DIGITS, WRITTEN_AS_0, listed, number
from hopattn.retrieval.separation.base import Separation

LARGE = 20
"""The largest exponent with which the powers of a softmax are written out."""
ROUNDED = 12
"""The number of decimals of a sum that are free of rounding errors."""
LINES = 12
"""The largest number of neurons or words of which each has a line, and of energies that are all written."""
MANY = 8
"""The number of terms from which zero terms are left out; a vector of more than twice as many elements is cut."""


def factor(value: float) -> str:
    """A number as a factor or after a plus: negative numbers get brackets."""
    text = number(value)
    return f"({text})" if text.startswith("−") else text


def written(values: Any) -> np.ndarray:
    """Numbers as a reader sees them, with the digits that `number` shows."""
    flat = np.asarray(values, dtype=float)
    with language("en"):
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
        shown = [*shown[:3], say("… {} elements", str(len(values)))]
    return f"({listed(shown)})"


def addition(texts: Iterable[str], terms: Any, result: Any, shown: Callable[[Any], str] = vector) -> str:
    """A sum and its result.

    texts: the terms as they are written; none for a sum of 0. terms: what each gives, `(…, n_terms)`. shown: writes the
    result, `(…,)`.

    >>> addition(["2×.8", "(−.5)"], [1.6, -0.5], 1.1, number)
    '2×.8 + (−.5) = 1.1'
    """
    return f"{' + '.join(texts) or '0'} {equals(result, added(terms))} {shown(result)}"


def total(terms: Any) -> str:
    """The sum of numbers, `(n_terms,)`, or of vectors, `(n_terms, dim)`, and its result; one number is its own sum.

    >>> total([0.8, -0.5]), total([0.8]), total([[1, 0], [0, -1]])
    ('.8 + (−.5) = .3', '.8', '(1, 0) + (0, −1) = (1, −1)')
    """
    if np.ndim(terms) > 1:
        return addition(map(vector, terms), written(terms).T, np.sum(terms, axis=0))
    texts = [factor(term) if i else number(term) for i, term in enumerate(terms)]
    return addition(texts, written(terms), sum(terms), number) if len(texts) > 1 else texts[0]


def dot(left: Any, right: Any) -> str:
    """A dot product with its arithmetic.

    >>> dot([0.8, 0.6], [-0.8, -0.6])
    '.8×(−.8) + .6×(−.6) = −.64 + (−.36) = −1'
    >>> dot([0.8, 0.6], [1, 0])
    '.8×1 + .6×0 = .8 + 0 = .8'
    """
    pairs = [(float(a), float(b)) for a, b in zip(left, right, strict=True)]
    terms = pairs if len(pairs) < MANY else [pair for pair in pairs if pair[0] * pair[1] != 0]
    values = [a * b for a, b in terms]
    if not terms:
        return "0"
    if len(terms) > 2 * MANY:
        return say("sum of {} products {} {}", str(len(terms)), equals(sum(values)), number(sum(values)))
    products = " + ".join(f"{factor(a) if i else number(a)}×{factor(b)}" for i, (a, b) in enumerate(terms))
    return f"{products} {equals(values, written(terms).prod(axis=1))} {total(values)}"


def product(matrix: Any, x: Any, bias: Any = None, *, right: bool = False) -> list[str]:
    """The elements of W x + b with their arithmetic: each row of the matrix W times the vector x, then the bias.

    right: whether the vector stands before the matrix, as in x·W, whose columns are these rows.

    >>> product([[1, 0], [0, 2]], [3, 4], [0, -1])
    ['1×3 + 0×4 = 3 + 0 = 3; with the bias 3 + 0 = 3', '0×3 + 2×4 = 0 + 8 = 8; with the bias 8 + (−1) = 7']
    """
    lines = [dot(x, row) if right else dot(row, x) for row in matrix]
    if bias is None:
        return lines
    fields = [sum(np.multiply(row, x).tolist()) for row in matrix]  # as `dot` adds them
    return [say("{}; with the bias {}", line, total(terms)) for line, *terms in zip(lines, fields, bias, strict=True)]


def weighted_sum(
    weights: Any, names: Sequence[str] = (), vectors: Any = None, bias: Any = None, shown: Callable[[Any], str] = vector
) -> str:
    """A weighted sum of named vectors, without those of weight 0, and its result where the vectors are given.

    vectors: `(n_vectors, dim)`, written out where they have no names. bias: a vector that is added, `(dim,)`.

    >>> weighted_sum([0.6, 0, 2], "abc"), weighted_sum([0.6, 2], "ab", [[1, 0], [0, 1]])
    ('.6×a + 2×c', '.6×a + 2×b = (.6, 2)')
    """
    nonzero = np.flatnonzero(np.abs(weights) > WRITTEN_AS_0).tolist()
    texts = [f"{factor(weights[i])}×{names[i] if names else vector(vectors[i])}" for i in nonzero]
    if vectors is None:
        return " + ".join(texts) or "0"
    w, v = np.asarray(weights)[nonzero], np.asarray(vectors)[nonzero]
    terms, result = [*(written(w)[:, None] * (v if names else written(v)))], w @ v
    if bias is not None:
        texts, terms, result = [*texts, vector(bias)], [*terms, written(bias)], result + np.asarray(bias)
    return addition(texts, np.stack(terms or [0 * result], axis=-1), result, shown)


def rotated(matrix: np.ndarray, point: Any) -> str:
    """The rotation of a point with its arithmetic: each row of the matrix times the point."""
    return f"{'; '.join(product(matrix, point))}: {vector(matrix @ np.asarray(point))}"


def rotation_rows(degrees: float, matrix: np.ndarray) -> str:
    """The cosine, the sine and the rows of a rotation matrix.

    >>> rotation_rows(90, np.array([[0, -1], [1, 0]]))
    'cos 90° = 0, sin 90° = 1; the rows of the matrix are (0, −1) and (1, 0)'
    """
    angle = number(degrees)
    cos, sin = matrix[0, 0], matrix[1, 0]
    parts = listed(f"{f} {angle}° {equals(value)} {number(value)}" for f, value in (("cos", cos), ("sin", sin)))
    return say("{}; the rows of the matrix are {} and {}", parts, *map(vector, matrix))


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
        yield say("nothing to attend to: the output is 0")
        return
    given = np.asarray(scores, dtype=float)
    weights = separation.weights(given)
    if separation.sink is not None:  # the null pattern comes last
        scores, names = [*scores, separation.sink / separation.beta], [*names, say("rest")]
        weights = np.append(weights, separation.rest(given))
    kind, beta, means = name_of(separation), separation.beta, ""
    if kind == "softmax":
        yield from _softmax(beta, scores, weights, names)
        return
    shown = _named(names, weights)
    if kind == "identity":
        means = say("the similarity itself") if beta == 1 else say("{} times the similarity", number(beta))
    elif isinstance(n := getattr(separation, "n", None), int):
        opening, closing = ("[", "]₊") if kind == "rectified_power" else ("(", ")")
        bases, times = written(beta) * written(scores), "" if beta == 1 else f"{number(beta)}×"
        by_hand = (np.maximum(bases, 0) if kind == "rectified_power" else bases) ** (n - 1)
        shown = listed(
            f"{name} {opening}{times}{number(score)}{closing}^{n - 1} {equals(weight, power)} {number(weight)}"
            for name, score, weight, power in zip(names, scores, weights, by_hand, strict=True)
        )
    yield say("weights ({}): {}", means or kind.replace("_", " "), shown)


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
        sum_ = float(powers.sum())
        left = " + ".join(f"{symbol}^{factor(exponent)}" for exponent in exponents)
        by_hand = np.power(math.e if base is None else base, written(exponents))
        named = "" if times == 1 else say("powers of e, β = {}: ", number(beta))
        yield f"{named}{left} {equals(powers, by_hand)} {total(powers)}"
        quotients = listed(
            f"{name} {number(power)}/{number(sum_)} {equals(weight, written(power) / written(sum_))} {number(weight)}"
            for name, power, weight in zip(names, powers, weights, strict=True)
        )
        yield say("weights ({}): {}", "softmax", quotients)
    else:
        yield say("weights ({}): {}", f"softmax, β = {number(beta)}", _named(names, weights))


def _named(names: Sequence[str], values: Any) -> str:
    shown = [f"{name} {number(value)}" for name, value in zip(names, values, strict=True)]
    return listed(shown if len(shown) <= 2 * MANY else [*shown[:MANY], say("… {} in all", str(len(shown)))])
