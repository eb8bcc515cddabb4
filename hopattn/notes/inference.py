"""What a text gives, computed anew from what else it gives, in the conventions of courses; the best one is kept.

**The rule of rounding.** A printed number agrees if the right value, computed from the nearest printed numbers, rounds
to its decimals. Where these follow from others, each that was rounded may be off by half a unit of its last decimal,
and the right value by what follows. Numbers that the text gives are exact if they have at most one decimal; with more
they may be rounded too, but change a right value by no more than a unit of the last printed decimal.
"""

import re
from bisect import bisect
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate, islice, product
from typing import NamedTuple

import numpy as np

from hopattn.notes.claims import Claim
from hopattn.notes.formulas import RULES, TOGETHER, softmax
from hopattn.notes.known import VOCABULARY, Known
from hopattn.notes.matrices import Matrix, called, matrices
from hopattn.notes.reading import Block
from hopattn.notes.tables import says_weights, sum_claim, sums_to_one
from hopattn.results.labelled import Labelled
from hopattn.scenario.expectations.base import EXACT

CANDIDATES = 5
"""The most printed matrices of one name that are tried as an input, the nearest first."""
MOST = 400
"""The most chains of formulas that are tried for a matrix, and the most numbers that a chain may start from."""
MASKED = -1e4
"""What is lower is the mask of a score, and is not compared."""
_RESULTS = {rule.result for rule in RULES}
_ATTENTION = {form for rule in RULES if rule.result in ("scores", "weights", "output") for form in rule.readings}


class Reading(NamedTuple):
    """How the numbers of a matrix were read: at a line, its name, the formula, its inputs, and how many agree."""

    line: int
    name: str
    form: str
    inputs: str
    agreeing: int
    compared: int
    is_claimed: bool

    @property
    def sentence(self) -> str:
        """What is said where nothing is claimed."""
        nearest = f"with the nearest, {self.form}{self.inputs}, {self.agreeing} of {self.compared} agree"
        return f"{self.name} fits no form that is known: {nearest}. Nothing is claimed of it"


class _Chain(NamedTuple):
    """A value that follows from printed matrices. form: the last formula. choices: the reading of each convention."""

    leaves: tuple[Matrix, ...]
    compute: Callable[..., np.ndarray]
    form: str
    inputs: str
    choices: Mapping[str, str]
    labels: tuple[str, ...]


class _Fit(NamedTuple):
    """The right values beside the numbers of a matrix, and which of these agree; a guess: the row is not known."""

    chain: _Chain
    right: np.ndarray
    agree: np.ndarray
    is_guess: bool


class Inference:
    """The matrices of a text; the numbers that follow from others in it, compared; and how each matrix was read.

    text: its lines, and places: where each stands in the file. tables: those of the text.
    """

    def __init__(self, text: str, places: Sequence[str], tables: Sequence[Block]) -> None:
        self.matrices, self.computed = matrices(text, tables)
        self._starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
        self._places = places
        self._right: dict[tuple[tuple[int, ...], ...], np.ndarray] = {}
        self._better: dict[tuple[tuple[int, ...], ...], _Chain] = {}
        self.readings: list[Reading] = []
        claims: dict[int, Claim] = {}
        results = [one for one in self.matrices if one.is_whole and _RESULTS & {*one.quantities}]
        for one in sorted([*self.computed, *results], key=lambda one: (one.place, not one.sides)):
            claims = self._claims(one) | claims
        self.claims = [claims[place] for place in sorted(claims)]

    def names(self) -> list[str]:
        """The matrices, each with its place in the file."""
        return [self._named(one) for one in self.matrices if one.is_whole]

    def words(self) -> list[Known]:
        """The vectors of words with at most one decimal, which are not rounded, as a run; if there are any."""
        found: dict[str, list[np.ndarray]] = {}
        for one in self.matrices:
            if one.is_whole and {"X", "word"} & {*one.quantities}:
                for label, values, row in zip(one.labels, one.values, one.numbers, strict=True):
                    is_exact = all(number.decimals is None or number.decimals < 2 for number in row)
                    if is_exact and re.fullmatch(r"[^\W\d]{2,}", label):
                        found.setdefault(label, []).append(values)
        alike = {word: several[0] for word, several in found.items() if len({one.tobytes() for one in several}) == 1}
        size = max(map(len, alike.values()), default=0)
        vectors = {word: values for word, values in alike.items() if len(values) == size}
        axes = (tuple(vectors), tuple(map(str, range(1, size + 1))))
        arrays = {VOCABULARY: Labelled(np.array([*vectors.values()]), ("word", "axis"), axes)}
        return [Known("the vectors in the text", arrays, vectors, ())] if len(vectors) > 1 else []

    def _line(self, matrix: Matrix) -> int:
        return bisect(self._starts, matrix.places[0][0])

    def _named(self, matrix: Matrix) -> str:
        place = self._places[self._line(matrix) - 1]
        return f"{matrix.called} ({'line ' * place.isdigit()}{place})"

    def _claims(self, matrix: Matrix) -> dict[int, Claim]:
        """The numbers of a matrix by their places, compared with the best chain; or sums of weights if none is sure."""
        chains = [_of_sides(matrix)] if matrix.sides else []
        for name in matrix.quantities if not chains else ():
            chains += islice(self._derived(name, matrix.places[0][0], 2), MOST)
        chains = [one for one in chains if not (matrix.is_stated and one.form.endswith("alone"))]  # of all neurons
        fit = self._best(matrix, chains)
        is_sure = fit is not None and _is_sure(matrix, fit)
        if fit is not None:
            count, agreeing, chain = fit.agree.size, int(fit.agree.sum()), fit.chain
            if not matrix.sides and agreeing < count:
                self._better[matrix.places] = chain._replace(choices={})
            named = len(matrix.numbers) > 1 and chain.form in _ATTENTION and called(matrix.name)
            is_near = matrix.is_stated or bool(matrix.sides) or (count > 3 and 2 * agreeing >= count)
            if is_sure or is_near or named:
                own = (self._line(matrix), matrix.called, chain.form, chain.inputs, agreeing, count, is_sure)
                again = self.readings and self.readings[-1][:2] == own[:2] and not is_sure
                self.readings += [] if again else [Reading(*own)]
            if is_sure:
                self._right[matrix.places] = self._exact(fit)
                return dict(self._compared(matrix, fit))
        return dict(self._sums(matrix))

    def _compared(self, matrix: Matrix, fit: _Fit) -> Iterator[tuple[int, Claim]]:
        """Each number of a matrix, by its place."""
        exact, several = self._exact(fit) / matrix.factor, len(matrix.numbers) > 1
        for (i, j), agrees in np.ndenumerate(fit.agree):
            one, place, right = matrix.numbers[i][j], matrix.places[i][j], float(exact[i, j])
            row = f"row {matrix.labels[i] or i + 1}, column" if several or matrix.labels[i] else "number"
            claim = Claim(bisect(self._starts, place), f"{matrix.called}, {row} {j + 1}", one.text)
            text = one.written(right) if np.isfinite(right) else "−∞"
            origin = f"{fit.chain.form}{fit.chain.inputs}"
            if one.text:
                yield place, claim if agrees else claim._replace(right=text, origin=origin, is_inferred=True)

    def _sums(self, matrix: Matrix) -> Iterator[tuple[int, Claim]]:
        """The rows of a matrix that is said to be one of softmax weights, each with its sum."""
        said = says_weights([matrix.name]) if "weights" in matrix.quantities else ""
        rows = [row for row in matrix.numbers if all(0 <= one.value <= 1 for one in row) and len(row) > 1]
        if len(rows) == len(matrix.numbers) and (said == "softmax" or (said and any(map(sums_to_one, rows)))):
            for row, places, label in zip(matrix.numbers, matrix.places, matrix.labels, strict=True):
                about = f"{matrix.called}{f', row {label}' if label else ''}"
                yield places[0], sum_claim(bisect(self._starts, places[0]), about, row)

    def _derived(self, name: str, place: int, depth: int) -> Iterator[_Chain]:
        """The values of a quantity by the rules, from what is printed before a place, or from unprinted values."""
        for rule in (rule for rule in RULES if rule.result == name):
            for inputs in product(*(self._values(one, place, depth) for one in rule.inputs)):
                choices = _merged([one.choices for one in inputs])
                for reading, formula in rule.readings.items() if choices is not None else ():
                    if choices is not None and choices.get(rule.convention, reading) == reading:
                        yield _combined(formula, inputs, reading, choices | {rule.convention: reading})

    def _values(self, name: str, place: int, depth: int) -> list[_Chain]:
        """The printed matrices of a quantity before a place, nearest first, each also as it should be."""
        found, seen = list[_Chain](), set[int]()
        for one in reversed(self.matrices):
            if name in one.quantities and one.place < place and one.places[0][0] not in seen and len(seen) < CANDIDATES:
                seen.add(one.places[0][0])
                found.append(_Chain((one,), lambda values: values, "", self._named(one), {}, one.labels))
                found += [self._better[one.places]] if one.places in self._better else []
        if not found and depth and name != "state":
            found = list(islice(self._derived(name, place, depth - 1), MOST))
        return found

    def _best(self, matrix: Matrix, chains: Sequence[_Chain]) -> _Fit | None:
        """The chain with which most numbers agree, the first of several."""
        fits = [
            _Fit(chain, rows, _agree(matrix, rows), is_guess)
            for chain in chains
            for rows, is_guess in _rows(matrix, chain, _value(chain, [leaf.values for leaf in chain.leaves]))
        ]
        fits.sort(key=lambda fit: -int(fit.agree.sum()))
        if not fits or fits[0].agree.all():
            return fits[0] if fits else None
        return max((self._rounded(matrix, fit) for fit in fits[:CANDIDATES]), key=lambda fit: int(fit.agree.sum()))

    def _exact(self, fit: _Fit) -> np.ndarray:
        """The right values, from what the inputs should be where these follow themselves."""
        exact = _value(fit.chain, [self._right.get(leaf.places, leaf.values) for leaf in fit.chain.leaves])
        return exact if exact is not None and exact.shape == fit.right.shape else fit.right

    def _rounded(self, matrix: Matrix, fit: _Fit) -> _Fit:
        """The same, with what the rounding of the inputs allows; of a state, what the exact inputs give."""
        values = [leaf.values for leaf in fit.chain.leaves]
        if "update" in fit.chain.choices:
            return fit._replace(agree=fit.agree | _agree(matrix, self._exact(fit)))
        if sum(value.size for value in values) > MOST:
            return fit._replace(is_guess=True)
        moves = np.zeros((2, *fit.right.shape))
        for k, leaf in enumerate(fit.chain.leaves):
            follows = leaf.places in self._right and bool(leaf.quantities)
            off = abs(self._right[leaf.places] - leaf.values) > EXACT if follows else np.zeros(0)
            for (i, j), value in np.ndenumerate(values[k]):
                one = leaf.numbers[i][j]
                if one.decimals is None or not (off[i, j] if follows else one.decimals > 1):
                    continue
                moved = np.zeros(fit.right.shape)
                for step in (-one.room, one.room):
                    other = values[k].copy()
                    other[i, j] = value + step * abs(leaf.factor)
                    right = _value(fit.chain, [*values[:k], other, *values[k + 1 :]])
                    with np.errstate(invalid="ignore"):
                        changes = [abs(rows - fit.right) for rows, _ in _rows(matrix, fit.chain, right)]
                    changes = [np.nan_to_num(change, nan=0.0, posinf=0.0) for change in changes]
                    moved = np.maximum(moved, min(changes, key=np.max, default=moved))
                moves[int(follows or bool(matrix.sides))] += moved
        return fit._replace(agree=_agree(matrix, fit.right, *moves))


def _of_sides(matrix: Matrix) -> _Chain:
    """What the statement of a matrix computes it to be."""

    def compute(*values: np.ndarray) -> np.ndarray:
        rest: list[np.ndarray] = list(values)
        total: np.ndarray = np.zeros((1, 1))
        for factors in matrix.sides:
            first, *more = [rest.pop(0).T if one.is_column else rest.pop(0) for one in factors]
            for value in more:
                is_turned = len(value) == 1 and first.shape[-1] == value.shape[-1] > 1  # two vectors written as rows
                first = first * value if first.size == 1 else first @ (value.T if is_turned else value)
            total = total + first
        total = total.T if total.shape[-1] == 1 else total
        return softmax(total) if matrix.applied == "softmax" else np.sign(total) if matrix.applied else total

    leaves = tuple(one for factors in matrix.sides for one in factors)
    return _Chain(leaves, compute, matrix.applied or "the product or sum", " before it", {}, ("",))


def _combined(
    formula: Callable[..., np.ndarray], inputs: Sequence[_Chain], form: str, choices: dict[str, str]
) -> _Chain:
    """A formula of values that may follow themselves."""
    ends = [*accumulate((len(one.leaves) for one in inputs), initial=0)]

    def compute(*values: np.ndarray) -> np.ndarray:
        parts = (one.compute(*values[i:j]) for one, i, j in zip(inputs, ends, ends[1:], strict=False))
        return formula(*map(np.atleast_2d, parts))

    names = " and ".join(f"{one.form}{one.inputs}" for one in inputs)
    labels = inputs[-1 if {"field", "update"} & {*choices} else 0].labels
    return _Chain(tuple(leaf for one in inputs for leaf in one.leaves), compute, form, f" of {names}", choices, labels)


def _merged(several: Sequence[Mapping[str, str]]) -> dict[str, str] | None:
    """The choices of several chains; none where they differ in one."""
    merged = {key: value for choices in several for key, value in choices.items()}
    return merged if all(merged[key] == value for choices in several for key, value in choices.items()) else None


def _value(chain: _Chain, values: Sequence[np.ndarray]) -> np.ndarray | None:
    """What a chain gives; none where the shapes do not fit, or it is no number."""
    with np.errstate(all="ignore"):
        try:
            right = np.atleast_2d(chain.compute(*values))
        except ValueError:
            return None
    return None if np.isnan(right).any() or np.isposinf(right).any() else right


def _rows(matrix: Matrix, chain: _Chain, right: np.ndarray | None) -> list[tuple[np.ndarray, bool]]:
    """The right rows for a matrix: all, those with its labels, or each as a guess for a vector without a label."""
    count, width = len(matrix.numbers), len(matrix.numbers[0])
    if right is not None and matrix.is_column and right.shape == (width, 1):
        right = right.T
    if right is None or right.shape[1] != width or len(right) < count:
        return []
    if len(right) == count:
        return [(right, False)]
    known, wanted = ([label.lower() for label in labels] for labels in (chain.labels, matrix.labels))
    at = [known.index(one) if one and one in known else int(one) - 1 if one.isdigit() else -1 for one in wanted]
    if all(0 <= i < len(right) for i in at):
        return [(right[at], False)]
    return [(right[i : i + 1], True) for i in range(len(right))] if count == 1 and not wanted[0] else []


def _agree(
    matrix: Matrix, right: np.ndarray, soft: np.ndarray | float = 0.0, hard: np.ndarray | float = 0.0
) -> np.ndarray:
    """Which numbers agree, with what rounding allows; whole numbers beside a formula whose values are not are exact."""
    is_whole = not matrix.sides and all(one.decimals == 0 for row in matrix.numbers for one in row)
    room = np.array([[EXACT if is_whole else one.room for one in row] for row in matrix.numbers]) * abs(matrix.factor)
    with np.errstate(invalid="ignore"):
        allowed = (room + hard + np.minimum(soft, 2 * room)) * (1 + 1e-9) + EXACT * (1 + abs(right))
        return np.asarray((abs(matrix.values - right) <= allowed) | (matrix.values <= MASKED))


def _is_sure(matrix: Matrix, fit: _Fit) -> bool:
    """Whether so many numbers agree that the others are wrong, and not the reading.

    Two thirds of those that are not 0 on both sides must agree, of whole numbers three quarters; half, where the text
    states the formula. A state of a network, and a vector without a label, must agree whole; but a state that the text
    states to be sgn(W s) may have one wrong neuron in four.
    """
    if fit.agree.all():
        return bool(matrix.sides) or bool(np.any(abs(fit.right) > EXACT))
    telling = (abs(fit.right) > EXACT) | (matrix.values != 0)
    good, count = int(fit.agree[telling].sum()), int(telling.sum())
    if fit.is_guess or matrix.sides:
        return not fit.is_guess and (2 * good >= count or fit.agree.size == 1)
    if "update" in fit.chain.choices:
        return matrix.is_stated and fit.chain.form.startswith(TOGETHER) and 4 * good >= 3 * count
    if matrix.is_stated:
        return good > 1 and 2 * good >= count
    return good > 1 and (4 * good >= 3 * count if np.all(fit.right % 1 == 0) else 3 * good >= 2 * count)
