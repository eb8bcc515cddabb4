"""The labelled arrays of a run, and their names as data: `sequence 1 layer 2 head 1 weights` is a quantity and a place.

A kind adds each array where it computes it, with its labels; nothing declares an array a second time. The labels of
tokens are data too: `their#2` is the second `their`.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

import numpy as np

from hopattn.foundation.errors import InvalidInput, listed, nearest, shortened, unknown
from hopattn.foundation.other_words import by_word, clause_of
from hopattn.results.labelled import Labelled
from hopattn.scenario.language.lines import Path
from hopattn.scenario.language.table import need, refusal

AnyArray = TypeVar("AnyArray")
_FORM = re.compile(
    r"(?:(?P<text>sequence \d+|(?:encoder|text)(?= layer )) )?(?:layer (?P<layer>\d+) )?(?:head (?P<head>\d+) )?"
    r"(?:step (?P<step>\d+) )?(?:(?P<stage>.+?) )??(?P<quantity>scaled scores|\S+)"
)
_NUMBERED = re.compile(r"(.+)#([1-9][0-9]{0,8})", re.DOTALL)
_LETTERS = by_word({"Q": {"queries": ""}, "K": {"keys": ""}, "V": {"values": ""}, "W": {"couplings": ""}})
"""The letters of formulas, each with the array that it stands for."""
Labels = Sequence[str] | Sequence[float] | np.ndarray
"""The labels along an axis: texts; the numbers of a scale; or nothing, for an axis that counts from 0."""


@dataclass(frozen=True)
class Name:
    """The name of one array: what it holds, and where in the computation.

    quantity: the last word, such as "weights", or "scaled scores". text: "encoder", "text" or "sequence 2"; empty
    where there is one text. layer, head, step: numbers from 1; None outside of layers, heads and steps. stage: the
    words before the quantity, such as the name of a program's step.

    >>> Name.parse("sequence 1 layer 2 head 1 weights")
    Name(quantity='weights', text='sequence 1', layer=2, head=1, step=None, stage='')
    >>> str(Name("weights", layer=2, head=1))
    'layer 2 head 1 weights'
    """

    quantity: str
    text: str = ""
    layer: int | None = None
    head: int | None = None
    step: int | None = None
    stage: str = ""

    @classmethod
    def parse(cls, name: str) -> "Name":
        """The parts of a name."""
        return _parsed(name)

    @property
    def place(self) -> str:
        """The name without the quantity, such as "layer 2 head 1"."""
        numbers = (("layer", self.layer), ("head", self.head), ("step", self.step))
        parts = [self.text, *(f"{word} {number}" for word, number in numbers if number is not None), self.stage]
        return " ".join(filter(None, parts))

    def __str__(self) -> str:
        return f"{self.place} {self.quantity}".lstrip()

    def is_at(self, layer: int | None = None, head: int | None = None) -> bool:
        """Whether the array belongs to this layer and this head, as far as they are given."""
        return layer in (None, self.layer) and head in (None, self.head)


@lru_cache(maxsize=4096)
def _parsed(name: str) -> Name:
    match = _FORM.fullmatch(name)
    if match is None:
        return Name(name)
    layer, head, step = (None if match[key] is None else int(match[key]) for key in ("layer", "head", "step"))
    return Name(match["quantity"], match["text"] or "", layer, head, step, match["stage"] or "")


def of_text(arrays: Mapping[str, AnyArray], text: str) -> dict[str, AnyArray]:
    """The arrays of one text, such as "encoder" or "sequence 1", by their names without it."""
    names = {name: Name.parse(name) for name in arrays}
    return {str(replace(names[name], text="")): array for name, array in arrays.items() if names[name].text == text}


def numbers(count: int) -> tuple[str, ...]:
    """The labels "1", "2", … of an axis."""
    return tuple(map(str, range(1, count + 1)))


def behind(noun: str, labels: Sequence[str]) -> tuple[str, ...]:
    """Labels behind a noun where they are the numbers 1, 2, …, so that a sum does not read as one of numbers.

    >>> behind("key", ["1", "2"]), behind("key", ["dog", "cat"])
    (('key 1', 'key 2'), ('dog', 'cat'))
    """
    return tuple(f"{noun} {label}" for label in labels) if (*labels,) == numbers(len(labels)) else (*labels,)


def labelled(values: Any, axes: Mapping[str, Labels], tiny: bool = False, hidden: Any = None) -> Labelled:
    """Values with their axes; an axis of numbers is a scale, and an axis without labels counts from 0."""
    array, labels, scales = np.asarray(values), [], dict[str, np.ndarray]()
    for (name, given), length in zip(axes.items(), array.shape, strict=True):
        if len(given) and not isinstance(given[0], str):
            scales[name] = np.asarray(given, dtype=float)
            given = [f"{value:.12g}" for value in scales[name]]
        labels.append(tuple(given) if len(given) else tuple(map(str, range(length))))
    return Labelled(array, tuple(axes), tuple(labels), tiny, hidden, scales)


class Arrays(dict[str, Labelled]):
    """The arrays of a run by the text of their names, and what expectations compare them with.

    words: the vector `(dim,)` of each word. parts: the slice of a vector that each named part takes. recallable: the
    words that an array of words may hold, by its name.
    """

    def __init__(self) -> None:
        super().__init__()
        self._places: dict[tuple[str, int | None], list[str]] = {}
        self.words: Mapping[str, np.ndarray] = {}
        self.parts: Mapping[str, slice] = {}
        self.recallable: dict[str, tuple[str, ...]] = {}
        self.drawn: set[str] = set()
        """The arrays that figures alone read: no expectation and no sweep may name them."""
        self.without_mean: set[str] = set()
        """The arrays of numbers whose mean says nothing."""
        self.shares: set[str] = set()
        """The numbers that are shares of outcomes, each of which is so or not, and the arrays of such outcomes."""
        self.right: set[str] = set()
        """The matrices W of W x that tables show as the file has them, as the W of x·W."""
        self.on_demand: dict[str, Callable[[], Labelled]] = {}
        """Large arrays that are computed each time they are asked for by name, and are not among the items."""
        self.absent: dict[str, str] = {}
        """The measures that this run does not have, each with the reason."""

    def __setitem__(self, name: str, array: Labelled) -> None:
        self._note_place(name)
        super().__setitem__(name, array)

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or name in self.on_demand

    def _note_place(self, name: str) -> None:
        """Note the quantity and the layers by which expectations look for an array."""
        if name not in self:
            one = Name.parse(name)
            for layer in dict.fromkeys((one.layer, None)):
                self._places.setdefault((one.quantity, layer), []).append(name)

    @classmethod
    def of(
        cls,
        arrays: Iterable[tuple[str, Labelled]],
        on_demand: Mapping[str, Callable[[], Labelled]] = MappingProxyType({}),
    ) -> "Arrays":
        """Arrays by their names."""
        result = cls()
        for name, array in arrays:
            result[name] = array
        for name, compute in on_demand.items():
            result.add_on_demand(name, compute)
        return result

    def __missing__(self, name: object) -> Labelled:
        if name in self.on_demand:
            return self.on_demand[str(name)]()
        raise InvalidInput(f"arrays: {unknown(str(name), [*self, *self.on_demand])}")

    def add_on_demand(self, name: str, compute: Callable[[], Labelled]) -> None:
        """Add an array that is computed each time it is asked for by its name."""
        self._note_place(name)
        self.on_demand[name] = compute

    def add(
        self,
        quantity: str,
        values: Any,
        axes: Mapping[str, Labels] | None = None,
        *,
        drawn: bool = False,
        mean: bool = True,
        tiny: bool = False,
        hidden: Any = None,
        right: bool = False,
        recallable: Iterable[str] = (),
        **place: Any,
    ) -> None:
        """Add an array.

        values: `(…)`, numbers or words; a `Labelled` has axes already. axes: the labels of each axis, by its name.
        drawn: whether figures alone read it. mean: whether its mean says something. tiny, hidden: as for `Labelled`.
        right: whether tables show the columns of a matrix as its rows. recallable: the words that it may hold.
        place: text, layer, head, step and stage, as for `Name`.
        """
        name = str(Name(quantity, **place))
        self[name] = values if isinstance(values, Labelled) else labelled(values, axes or {}, tiny, hidden)
        self.drawn |= {name} if drawn else set()
        self.without_mean |= set() if mean else {name}
        self.shares |= {name} if self[name].values.dtype == bool else set()
        self.right |= {name} if right else set()
        self.recallable |= {name: words} if (words := tuple(map(str, recallable))) else {}

    def add_means(self, **values: Any) -> None:
        """Add the mean of the numbers of each name; that of booleans `(n,)` is a share of n outcomes.

        Booleans of more axes, such as the bits of cues, give a fraction of each outcome: their mean is no such share.
        """
        for name, each in values.items():
            self.add(name, np.mean(each))
            self.shares |= {name} if np.asarray(each).dtype == bool and np.ndim(each) == 1 else set()

    def as_written(self, name: str) -> Labelled:
        """An array; a matrix that the file writes as the W of x·W has its rows and columns as there."""
        return self[name].T if name in self.right else self[name]

    @property
    def asked(self) -> list[str]:
        """The names of the arrays that an expectation may name."""
        return [name for name in (*self, *self.on_demand) if name not in self.drawn]

    def has_mean(self, name: str) -> bool:
        """Whether a sweep may record the mean of an array."""
        return name not in self.drawn | self.without_mean and self[name].values.dtype.kind in "biuf"

    @property
    def measures(self) -> list[str]:
        """The names of the numbers."""
        return [*(name for name, array in self.items() if not array.dims and self.has_mean(name)), *self.absent]

    @property
    def rows(self) -> tuple[str, ...]:
        """The labels of the tokens or cues of the run; none where it has neither."""
        names = ("input", "state", "probabilities", "tokens values")
        array = next((self[name] for name in names if name in self), None)
        return array.labels[0] if array is not None and array.labels else ()

    def find(self, quantity: str, layer: int | None = None, head: int | None = None) -> list[str]:
        """The names of the arrays of a quantity, such as `weights`, in all layers and heads or in those given.

        A whole name, such as `dense couplings`, is that of one array.
        """
        whole = [quantity] if quantity in self else []
        names = (name for name in self._places.get((quantity, layer), whole) if name not in self.drawn)
        return [name for name in names if Name.parse(name).is_at(layer, head)]

    def name(
        self, quantity: str, path: Path, layer: int | None = None, head: int | None = None, *, last: bool = False
    ) -> str:
        """The name of the one array that a quantity, layer and head mean; last: of several, the last is meant.

        Of several, the one whose whole name is the quantity is meant too. Raises `Refused` at `path` if there is none,
        or if there are several.
        """
        names = self.find(quantity, layer, head)
        if len(names) == 1 or (names and last):
            return names[-1]
        if quantity in names:
            return quantity
        if names:
            several = f"{len(names)} arrays are called '{shortened(quantity)}'"
            raise refusal(path, f"{several}; give the layer and head, or a whole name (arrays: {listed(names)})")
        if everywhere := self.find(quantity):
            raise refusal(path, f"there is no such layer or head (arrays: {listed(everywhere)})")
        known = {Name.parse(name).quantity for name in self.asked} | {*self.asked}
        near = nearest(quantity, sorted(known))
        hint = clause_of(_LETTERS, quantity, known.__contains__, "write '{}'") or (near and f"did you mean '{near}'?")
        hint = f"; {hint}" if hint else ""
        raise refusal(path, f"there is no array '{shortened(quantity)}' here{hint} (arrays: {listed(self.asked)})")

    def row(self, label: str, path: Path, rows: Sequence[str]) -> int:
        """The number of the row of a label.

        In a text with the rows `their#1` and `their#2`, the label `their` fits both. Raises `Refused` at `path` for a
        label that no row has, or several.
        """
        one = Occurrence.parse(label)
        for known in (label, one.word) if one.number == 1 else (label,):
            if known in rows:
                return rows.index(known)
        if several := [row for row in rows if Occurrence.parse(row).word == label]:
            choices = " or ".join(map(shortened, several[:4]))
            raise refusal(path, f"'{shortened(label)}' occurs {len(several)} times; write {choices}")
        if label in self.words:
            raise refusal(path, f"'{shortened(label)}' is a word, but does not occur in this text ({listed(rows)})")
        raise refusal(path, unknown(label, dict.fromkeys(rows), {Occurrence.parse(row).word for row in rows}))

    def word(self, word: str, path: Path) -> np.ndarray:
        """The vector of a word; raises `Refused` at `path` for a word that there is not."""
        need(word in self.words, path, lambda: unknown(word, self.words))
        return self.words[word]


class Occurrence(NamedTuple):
    """A word of a text, and which of its occurrences; 0 for a word that occurs once.

    >>> Occurrence.parse("their#2"), str(Occurrence("their", 2)), Occurrence.parse("C#")
    (Occurrence(word='their', number=2), 'their#2', Occurrence(word='C#', number=0))
    """

    word: str
    number: int = 0

    @classmethod
    def parse(cls, label: str) -> "Occurrence":
        """The word and the number of a label; a label without a number is the word itself."""
        found = _NUMBERED.fullmatch(label)
        return cls(label) if found is None else cls(found[1], int(found[2]))

    def __str__(self) -> str:
        return f"{self.word}#{self.number}" if self.number else self.word


def labels(tokens: Sequence[str]) -> tuple[str, ...]:
    """A label for each token: the word, followed by the number of its occurrence if the word occurs several times.

    >>> labels(["their", "dog", "their"])
    ('their#1', 'dog', 'their#2')
    """
    counts, so_far, result = Counter(tokens), Counter[str](), list[str]()
    for token in tokens:
        so_far[token] += 1
        result.append(str(Occurrence(token, so_far[token] if counts[token] > 1 else 0)))
    return tuple(result)


def occurrences(text: Sequence[str], words: Collection[str] = ()) -> tuple[Occurrence, ...]:
    """The tokens of a text by their labels.

    words: names that are words as they are. So is a label with a number whose word occurs once.

    >>> [one.word for one in occurrences(["their#1", "dog", "their#2", "A#4"])]
    ['their', 'dog', 'their', 'A#4']
    """
    parsed = [Occurrence(label) if label in words else Occurrence.parse(label) for label in text]
    counts = Counter(one.word for one in parsed if one.number)
    return tuple(one if counts[one.word] > 1 else Occurrence(label) for one, label in zip(parsed, text, strict=True))
