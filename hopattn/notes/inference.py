"""What a text gives, computed anew from what else it gives, in the conventions of courses; the best one is kept.

**The rule of rounding.** A printed number agrees if the right value, computed from the nearest printed numbers, rounds
to its decimals. Where these follow from others, each that was rounded may be off by half a unit of its last decimal,
and the right value by what follows. Numbers that the text gives are exact if they have at most one decimal; with more
they may be rounded too, but change a right value by no more than a unit of the last printed decimal.
"""

import re
import sys
from bisect import bisect
from collections.abc import Iterator, Mapping, Sequence
from functools import partial, reduce
from itertools import accumulate, islice, product
from typing import NamedTuple

import numpy as np

from hopattn.foundation.writing import number
from hopattn.notes.claims import Claim
from hopattn.notes.formulas import RULES, TOGETHER, Formula, softmax
from hopattn.notes.known import VOCABULARY, Known
from hopattn.notes.matrices import Matrix, called, matrices
from hopattn.notes.numbers import Printed
from hopattn.notes.products import Term, bare, parse, short, sum_of, symbol
from hopattn.notes.reading import Block
from hopattn.results.labelled import Labelled
from hopattn.scenario.expectations.base import EXACT

CANDIDATES = 5
"""The most printed matrices of one name that are tried as an input, the nearest first."""
MOST = 400
"""The most chains of formulas that are tried for a matrix, and the most numbers that a chain may start from."""
MASKED = -1e4
"""What is lower is the mask of a score, and is not compared: text also prints −10,000 for −∞."""
SHOWN = 8
"""The most numbers that a message names of a matrix that follows from nothing."""
_RESULTS = {rule.result for rule in RULES} | {"entries"}
_ATTENTION = {form for rule in RULES if rule.result in ("scores", "weights", "output") for form in rule.readings}
_WEIGHTS = r"softmax|attention[ -](?:weights|matrix|table)|aufmerksamkeitsgewichte"
_NO_WEIGHTS = r"\b(?:before|without|no softmax|raw|scores?|ohne|vor)\b|unnormali|\blogit|similarit|instead"
_CHANGED = re.compile(
    r"\b(?:after|new|updat|add|chang|becom|remov|another|other|third|initial|start|nach|neu)|^\s*#|Δ",
    re.I | re.MULTILINE,
)
"""Words between a matrix and an entry that may be one of another matrix."""


class Reading(NamedTuple):
    """How the numbers of a matrix were read: at a line, its name, the formula, its inputs, and how many agree.

    is_stated: whether the text states the formula for this matrix. differing: the numbers that differ, each with its
    place in the matrix and the right one; none where they are claims.
    """

    line: int
    name: str
    form: str
    inputs: str
    agreeing: int
    compared: int
    is_claimed: bool
    is_stated: bool
    differing: tuple[str, ...]

    @property
    def is_wrong(self) -> bool:
        """Whether the matrix is wrong as a whole."""
        return self.is_stated and not self.is_claimed

    @property
    def sentence(self) -> str:
        """What is said of a matrix most of whose numbers differ."""
        form = f"{'By' if self.is_stated else 'By the nearest,'} {self.form}{self.inputs}"
        more = f"; and {len(self.differing) - SHOWN} more" * (len(self.differing) > SHOWN)
        wrong = f"{self.compared - self.agreeing} of {self.compared} numbers differ"
        says = f"{self.name} does not follow from what the text gives, in any form that is tried"
        return f"{says}. {form}, {wrong}: {'; '.join(self.differing[:SHOWN])}{more}"


class _Chain(NamedTuple):
    """A value that follows from printed matrices.

    form: the last formula. choices: the reading of each convention. is_stated: whether the text states it for a matrix.
    """

    leaves: tuple[Matrix, ...]
    compute: Formula
    form: str
    inputs: str
    choices: Mapping[str, str]
    labels: tuple[str, ...]
    is_stated: bool = False


class _Fit(NamedTuple):
    """The right values beside the numbers of a matrix, and which of these agree; a guess: the row is not known."""

    chain: _Chain
    right: np.ndarray
    agree: np.ndarray
    is_guess: bool

    def telling(self, matrix: Matrix) -> tuple[int, int]:
        """How many of the numbers that are not 0 on both sides agree, and how many there are."""
        telling = (abs(self.right) > EXACT) | (matrix.values != 0)
        return int(self.agree[telling].sum()), int(telling.sum())


class Inference:
    """The matrices of a text; the numbers that follow from others in it, compared; and how each matrix was read.

    text: its lines, and places: where each stands in the file. tables: those of the text.
    """

    def __init__(self, text: str, places: Sequence[str], tables: Sequence[Block]) -> None:
        self._text = text
        self._starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
        self.matrices, statements = matrices(text, self._starts, tables)
        self._named: dict[str, list[tuple[Matrix, int | None]]] = {}
        for one in (one for one in reversed(self.matrices) if not one.at):
            rows = [(f"{one.group.removesuffix('(t)')}{label}", i) for i, label in enumerate(one.labels)]
            for name, i in [(one.name, None), *rows]:
                if symbol(name):
                    self._named.setdefault(symbol(name), []).append((one, i))
        vectors = (one for one in statements if len(one.numbers) == 1 and "energy" not in one.quantities)
        self._states = [one for one in vectors if np.all((abs(one.values) == 1) | (one.values == 0))]
        self._places = places
        has_bias = any("thresholds" in one.quantities for one in self.matrices)
        self._is_biased = not has_bias and re.search(r"(?:thresh|bias|θ|theta|schwell)[^.\n]{0,40}[1-9]", text, re.I)
        self._says_energy = bool(re.search(r"energ|hopfield", text, re.I))
        self._right: dict[tuple[tuple[int, ...], ...], np.ndarray] = {}
        self._better: dict[tuple[tuple[int, ...], ...], _Chain] = {}
        self.readings: list[Reading] = []
        claims: dict[int, Claim] = {}
        stated = [one for one in self.matrices if not one.is_supposed]
        results = [one for one in stated if one.is_whole and (_RESULTS & {*one.quantities} or one.expressions)]
        computed = [one for one in statements if one.sides and "energy" not in one.quantities and not one.is_supposed]
        for one in sorted([*computed, *results], key=lambda one: (one.place, not one.sides)):
            claims = self._claims(one) | claims
        self.claims = [claims[place] for place in sorted(claims)]

    def names(self) -> list[str]:
        """The matrices, each with its place in the file."""
        return [self._placed(one) for one in self.matrices if one.is_whole]

    def words(self) -> list[Known]:
        """The vectors of words as a run, if there are any; those of two decimals and more may be rounded."""
        found: dict[str, list[tuple[np.ndarray, float]]] = {}
        for one in self.matrices:
            if one.is_whole and {"X", "word"} & {*one.quantities}:
                for label, values, row in zip(one.labels, one.values, one.numbers, strict=True):
                    room = max(number.room if (number.decimals or 0) > 1 else 0.0 for number in row)
                    if re.fullmatch(r"[^\W\d]{2,}", label):
                        found.setdefault(label, []).append((values, room))
        alike = {word: several[0] for word, several in found.items() if len({one.tobytes() for one, _ in several}) == 1}
        size = max((len(values) for values, _ in alike.values()), default=0)
        vectors = {word: values for word, (values, _) in alike.items() if len(values) == size}
        axes = (tuple(vectors), tuple(map(str, range(1, size + 1))))
        arrays = {VOCABULARY: Labelled(np.array([*vectors.values()]), ("word", "axis"), axes)}
        rooms = {word: room for word, (_, room) in alike.items()}
        return [Known("the vectors in the text", arrays, vectors, (), rooms)] if len(vectors) > 1 else []

    def _line(self, place: int) -> int:
        return bisect(self._starts, place)

    def _placed(self, matrix: Matrix) -> str:
        place = self._places[self._line(matrix.places[0][0]) - 1]
        return f"{matrix.called} ({'line ' * place.isdigit()}{place})"

    def _claims(self, matrix: Matrix) -> dict[int, Claim]:
        """The numbers of a matrix by their places, compared with the best chain; or sums of weights if none is sure."""
        fit = self._best(matrix, self._chains(matrix))
        if fit is None:
            return dict(self._sums(matrix))
        claims, is_sure, chain = dict(self._compared(matrix, fit)), _is_sure(matrix, fit), fit.chain
        count, agreeing = fit.agree.size, int(fit.agree.sum())
        if not matrix.sides and agreeing < count:
            self._better[matrix.places] = chain._replace(choices={}, is_stated=False)
        names = [short(one.group or one.name) for one in chain.leaves]
        is_direct = len(chain.choices) < 2 and "update" not in chain.choices
        is_again = any(one.place < matrix.place and np.array_equal(one.values, matrix.values) for one in self.matrices)
        is_titled = len(matrix.numbers) > 1 and chain.form in _ATTENTION and bool(called(matrix.name))
        is_named = matrix.is_stated and all(one in short("".join(matrix.expressions[1:])) for one in names)
        is_stated = chain.is_stated or (is_direct and is_named)
        is_hebb = matrix.is_stated and "hebb" in chain.choices
        is_near = is_direct and not is_again and (is_named or is_hebb or is_titled)
        is_told = is_sure or is_stated or is_near or 2 * fit.telling(matrix)[0] > fit.telling(matrix)[1] > 3
        if chain.form and is_told:
            about = (self._line(matrix.places[0][0]), matrix.called)
            wrong = [one for one in claims.values() if one.origin and not is_sure]
            differing = [f"{one.about}: {one.stands} instead of {one.right}" for one in wrong]
            differing = [one.removeprefix(f"{matrix.called}, ") for one in differing]
            reading = Reading(*about, chain.form, chain.inputs, agreeing, count, is_sure, is_stated, tuple(differing))
            self.readings += [] if self.readings and self.readings[-1][:2] == about and not is_sure else [reading]
        if is_sure:
            self._right[matrix.places] = self._exact(fit)
        if matrix.at and not is_sure:
            return self._entries(matrix)
        return claims if is_sure else dict(self._sums(matrix))

    def _entries(self, matrix: Matrix) -> dict[int, Claim]:
        """Single entries, each compared by itself with the one network of this name that the text prints before it.

        None is compared where most differ, or where the text in between changes the network.
        """
        printed = [one for one in self.matrices if one.name.lower() == matrix.name.lower() and not one.at]
        first = printed[0] if printed else matrix
        if not printed or any(not np.array_equal(one.values, first.values) for one in printed):
            return {}
        if not self._is_network(first) or any("patterns" in one.quantities for one in self._between(first, matrix)):
            return {}
        right, claims = self._right.get(first.places, first.values), dict[int, Claim]()
        for (i, j), one, place in zip(matrix.at, matrix.numbers[0], matrix.places[0], strict=True):
            between = self._text[first.place : place]
            if first.place < place and min(i, j) > 0 and max(i, j) <= len(right) and not _CHANGED.search(between):
                values = [right[i - 1, j - 1], first.values[i - 1, j - 1]]
                values += [right[i, j]] if max(i, j) < len(right) else []  # of indices from 0
                claim = Claim(self._line(place), f"{matrix.called}_{i}{j}", one.text)
                wrong = claim._replace(right=one.written(values[0]), origin=self._placed(first), is_inferred=True)
                claims[place] = claim if any(map(one.agrees, values)) else wrong
        differing = sum(bool(claim.origin) for claim in claims.values())
        return claims if differing <= max(1, len(claims) - differing) else {}

    def _between(self, one: Matrix, other: Matrix) -> list[Matrix]:
        return [each for each in self.matrices if one.place < each.place < other.place]

    def _chains(self, matrix: Matrix) -> list[_Chain]:
        """What a matrix may be: what its statement computes, what its names say, and what follows by the rules."""
        place = matrix.places[0][0]
        if "energy" in matrix.quantities:
            return self._energies(matrix)
        if matrix.sides:
            return [_of_sides(matrix)]
        if matrix.at:
            chains = self._values("couplings", place, 2) or self._values("couplings", sys.maxsize, 0)
            return [*chains, *self._derived("couplings", place, 2)]
        chains = [*islice(self._by_names(matrix), MOST)]
        for name in matrix.quantities:
            chains += islice(self._derived(name, place, 2), MOST)
        return [one for one in chains if not (matrix.is_stated and one.form.endswith("alone"))]  # of all neurons

    def _by_names(self, matrix: Matrix) -> Iterator[_Chain]:
        """What the expressions that a matrix is said to be equal to compute from the matrices that they name."""
        for expression in matrix.expressions:
            whole = short(bare(expression))  # W x is a product, even where an earlier W x is a name
            inside = [name for name in self._named if name in short(expression) and name != whole]
            known = {name: self._called(name, matrix.places[0][0]) for name in inside}
            form, function, terms = parse(expression, [name for name in known if known[name]]) or ("", "", [])
            factors = [known[name] for term in terms for name, _ in term.factors]
            for inputs in product(*factors) if form else ():
                for are_columns in (False, True):
                    formula = partial(_applied, function, partial(sum_of, terms, are_columns))
                    yield _combined(formula, inputs, form, {}, is_stated=True)
                if len(factors) > 1 and len(terms) == 1:  # the product of each entry, as NumPy writes it
                    yield _combined(_each, inputs, form, {"whole": form}, is_stated=True)

    def _called(self, name: str, place: int) -> list[_Chain]:
        """The matrices and the rows of a name before a place: the two nearest, and of the supposed ones the nearest."""
        before = [one for one in self._named.get(name, ()) if one[0].place < place]
        stated, supposed = ([one for one in before if one[0].is_supposed is wanted] for wanted in (False, True))
        return [self._leaf(*one) for one in (*stated[:2], *supposed[:1])]

    def _leaf(self, one: Matrix, i: int | None = None) -> _Chain:
        """A printed matrix, or one of its rows."""
        if i is None or len(one.labels) == 1:
            return _Chain((one,), lambda values: values, "", self._placed(one), {}, one.labels)
        name = f"row {one.labels[i] or i + 1} of {self._placed(one)}"
        return _Chain((one,), lambda values: values[[i]], "", name, {}, one.labels[i : i + 1])

    def _energies(self, matrix: Matrix) -> list[_Chain]:
        """The energies of the state that the text names or gives beside an energy, or of each state before it."""
        place = matrix.places[0][0]
        named = self._called(symbol(matrix.group), place) if matrix.group else []
        states = [self._leaf(one) for factors in matrix.sides for one in factors] or named
        is_sure = bool(states or not matrix.group) and not self._is_biased
        states = states or [self._leaf(one) for one in reversed(self._states) if one.place < place][:MOST]
        is_sure = is_sure and len({one.compute(one.leaves[0].values).tobytes() for one in states}) == 1
        chains = islice(self._derived("energy", place, 2, state=states), MOST)
        return [one._replace(is_stated=is_sure and self._is_network(one.leaves[0])) for one in chains]

    def _is_network(self, couplings: Matrix) -> bool:
        """Whether couplings are a Hopfield network's: symmetric, and 0 on the diagonal unless the text says so."""
        values = couplings.values
        return np.array_equal(values, values.T) and (self._says_energy or not np.any(np.diag(values)))

    def _compared(self, matrix: Matrix, fit: _Fit) -> Iterator[tuple[int, Claim]]:
        """Each number of a matrix, by its place."""
        exact, several = self._exact(fit) / matrix.factor, len(matrix.numbers) > 1
        for (i, j), agrees in np.ndenumerate(fit.agree):
            one, place, right = matrix.numbers[i][j], matrix.places[i][j], float(exact[i, j])
            row = f"row {matrix.labels[i] or i + 1}, column" if several or matrix.labels[i] else "number"
            about = f"{matrix.called}, {row} {j + 1}" if exact.size > 1 else matrix.called
            if matrix.at:
                about = "{}_{}{}".format(matrix.called, *matrix.at[j])
            claim = Claim(self._line(place), about, one.text)
            text = one.written(right) if np.isfinite(right) else "−∞"
            origin = f"{fit.chain.form}{fit.chain.inputs}"
            if one.text:
                is_right = agrees or one.agrees(right)
                yield place, claim if is_right else claim._replace(right=text, origin=origin, is_inferred=True)

    def _sums(self, matrix: Matrix) -> Iterator[tuple[int, Claim]]:
        """The rows of a matrix that is said to be one of softmax weights, each with its sum.

        If it is said to be one of attention weights only, a row of several must sum to 1, because raw similarities may
        be called so too. Where the columns sum to 1, these are the weights.
        """
        said = _said(matrix.name) if "weights" in matrix.quantities else ""
        shown = [[one for one in row if one.text] for row in matrix.numbers]
        values = [one.value for row in shown for one in row]
        are_shares = all(0 <= value <= 1 for value in values) and any(value % 1 for value in values)
        are_sure = said == "softmax" or any(_sum_to_one(row) for row in shown if sum(one.value > 0 for one in row) > 1)
        is_turned = len(shown) > 1 and all(map(_sum_to_one, zip(*matrix.numbers, strict=True)))
        if said and are_shares and are_sure and not is_turned and len(matrix.numbers[0]) > 1:
            for row, places, label in zip(shown, matrix.places, matrix.labels, strict=True):
                sums = f"{' + '.join(one.text for one in row)} = {number(sum(one.value for one in row))}"
                claim = Claim(self._line(places[0]), f"{matrix.called}{f', row {label}' if label else ''}", sums)
                yield places[0], claim if _sum_to_one(row) else claim._replace(right="1", origin="softmax")

    def _derived(self, name: str, place: int, depth: int, **known: list[_Chain]) -> Iterator[_Chain]:
        """The values of a quantity by the rules, from what is printed before a place, or from unprinted values.

        known: the values of some inputs.
        """
        for rule in (rule for rule in RULES if rule.result == name):
            for inputs in product(*(known.get(one) or self._values(one, place, depth) for one in rule.inputs)):
                each = [item for one in inputs for item in one.choices.items()]
                choices = dict(each)
                for reading, formula in rule.readings.items() if {*each} == {*choices.items()} else ():
                    if choices.get(rule.convention, reading) == reading:
                        yield _combined(formula, inputs, reading, choices | {rule.convention: reading})

    def _values(self, name: str, place: int, depth: int) -> list[_Chain]:
        """The printed matrices of a quantity before a place, nearest first, each also as it should be."""
        found, seen = list[_Chain](), set[int]()
        for one in reversed(self.matrices):
            if name in one.quantities and one.place < place and one.places[0][0] not in seen and len(seen) < CANDIDATES:
                seen.add(one.places[0][0])
                found.append(self._leaf(one))
                found += [self._better[one.places]] if one.places in self._better else []
        if not found and depth and name != "state":
            found = list(islice(self._derived(name, place, depth - 1), MOST))
        return found

    def _best(self, matrix: Matrix, chains: Sequence[_Chain]) -> _Fit | None:
        """The chain with which most numbers agree, the first of several."""
        fits = [
            _Fit(chain, rows, _agree(matrix, rows), is_guess or "whole" in chain.choices)
            for chain in chains
            for rows, is_guess in _rows(matrix, chain, _value(chain, [leaf.values for leaf in chain.leaves]))
        ]
        fits = [fit for fit in fits if fit.agree.all() or not fit.is_guess] or fits
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


def _said(text: str) -> str:
    """The word of a text that says that something is weights: "softmax", "attention weights"; empty if unsure."""
    found = [] if re.search(_NO_WEIGHTS, text, re.I) else re.findall(_WEIGHTS, text, re.I)
    return "softmax" if "softmax" in map(str.lower, found) else "".join(found[:1])


def _sum_to_one(numbers: Sequence[Printed]) -> bool:
    """Whether numbers sum to 1, as far as their rounding allows."""
    return abs(sum(one.value for one in numbers) - 1) <= sum(one.room for one in numbers) * (1 + 1e-9)


def _of_sides(matrix: Matrix) -> _Chain:
    """What the statement of a matrix computes it to be."""
    terms = [Term(1.0, tuple(("", one.is_column) for one in factors)) for factors in matrix.sides]
    leaves = tuple(one for factors in matrix.sides for one in factors)
    compute = partial(_applied, matrix.applied, partial(sum_of, terms, False))
    return _Chain(leaves, compute, matrix.applied or "the product or sum", " before it", {}, ("",), True)


def _each(*values: np.ndarray) -> np.ndarray:
    return reduce(np.multiply, values)


def _applied(function: str, formula: Formula, *values: np.ndarray) -> np.ndarray:
    """A function of what a formula gives."""
    right = formula(*values)
    return softmax(right) if function == "softmax" else np.sign(right) if function else right


def _combined(
    formula: Formula, inputs: Sequence[_Chain], form: str, choices: dict[str, str], is_stated: bool = False
) -> _Chain:
    """A formula of values that may follow themselves."""
    ends = [*accumulate((len(one.leaves) for one in inputs), initial=0)]

    def compute(*values: np.ndarray) -> np.ndarray:
        parts = (one.compute(*values[i:j]) for one, i, j in zip(inputs, ends, ends[1:], strict=False))
        return formula(*map(np.atleast_2d, parts))

    names = " and ".join(f"{one.form}{one.inputs}" for one in inputs)
    labels = inputs[-1 if {"field", "update"} & {*choices} else 0].labels
    leaves = tuple(leaf for one in inputs for leaf in one.leaves)
    return _Chain(leaves, compute, form, f" of {names}", choices, labels, is_stated)


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
    if right is not None and matrix.at:
        first = 0 if any(0 in at for at in matrix.at) else 1
        i, j = (np.array(matrix.at) - first).T
        right = right[i, j][None] if max(*i, *j) < min(right.shape) else None
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
    states the formula, of couplings by Hebb two thirds. Of these one number may differ from its mirror image. A state
    of a network, and a vector without a label, must agree whole; but a state that the text states to be sgn(W s) may
    have one wrong neuron in four.
    """
    if fit.agree.all():
        return fit.chain.is_stated or bool(np.any(abs(fit.right) > EXACT))
    good, count = fit.telling(matrix)
    if fit.is_guess or fit.chain.is_stated:
        return not fit.is_guess and (2 * good >= count or fit.agree.size == 1)
    if "update" in fit.chain.choices:
        return matrix.is_stated and fit.chain.form.startswith(TOGETHER) and 4 * good >= 3 * count
    if matrix.is_stated and "hebb" not in fit.chain.choices:
        return good > 1 and 2 * good >= count
    if fit.agree.size > 4 and fit.agree.size - fit.agree.sum() == 1 and "hebb" in fit.chain.choices:
        return good > 0
    is_whole = np.all(fit.right % 1 == 0) and not matrix.is_stated
    return good > 1 and (4 * good >= 3 * count if is_whole else 3 * good >= 2 * count)
