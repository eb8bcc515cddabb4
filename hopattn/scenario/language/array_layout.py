"""The arrays that a scenario will compute, known before it runs.

`ArraySpec` declares one array: its name, axes and labels. The declarations serve twice. Before the run, they check the
names and labels in an expectation, through `ArrayLayout`. After the run, they label the computed values.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from hopattn.foundation.errors import listed, nearest, shortened, unknown
from hopattn.results.labelled import Labelled
from hopattn.scenario.language.array_name import ArrayName
from hopattn.scenario.language.fields import Problem
from hopattn.scenario.language.lines import Path
from hopattn.scenario.language.occurrence import Occurrence

Labels = tuple[str, ...] | int
"""The labels along an axis, or only their number where the labels depend on the run; −1 where the number does too."""

Axis = tuple[str, Labels]
"""The name of an axis and its labels, such as `("token", ("their", "dog"))`."""


def numbers(count: int) -> tuple[str, ...]:
    """The labels "1", "2", … of an axis."""
    return tuple(map(str, range(1, count + 1)))


@dataclass(frozen=True)
class ArraySpec:
    """The declaration of one array of a run.

    axes: the name and labels of each axis; none for a scalar. referable: whether expectations may refer to the array.
    measured: whether a sweep may record it; no for words, and for numbers whose mean says nothing. tiny: as for
    `Labelled`, whether numbers near 0 are right as they are.
    """

    name: str
    axes: tuple[Axis, ...] = ()
    referable: bool = True
    measured: bool = True
    tiny: bool = False

    @property
    def dims(self) -> tuple[str, ...]:
        """The name of each axis."""
        return tuple(name for name, _ in self.axes)

    @property
    def shape(self) -> tuple[int, ...]:
        """The length of each axis; −1 where only the run decides it."""
        return tuple(labels if isinstance(labels, int) else len(labels) for _, labels in self.axes)

    def labelled(self, given: Any) -> Labelled:
        """Computed values with the declared axes; an axis that was declared without labels is numbered from 0."""
        values = np.asarray(given)
        labels = (
            own if not isinstance(own, int) else tuple(str(i) for i in range(length))
            for (_, own), length in zip(self.axes, values.shape, strict=True)
        )
        return Labelled(values, self.dims, tuple(labels), self.tiny)


def all_labelled(values: Mapping[str, Any], arrays: Iterable[ArraySpec]) -> dict[str, Labelled]:
    """Computed values by name, each with the axes of its declaration; values that have labels already keep them.

    The weights of a head whose mask is among the values know which of their cells it hides. Raises `KeyError` for a
    name that is not declared.
    """
    declared = {array.name: array for array in arrays}
    named = {
        name: value if isinstance(value, Labelled) else declared[name].labelled(value) for name, value in values.items()
    }
    for name, array in named.items():
        mask = named.get(f"{name.removesuffix('weights')}mask") if name.endswith("weights") else None
        if mask is not None and not np.all(mask.values):
            named[name] = replace(array, hidden=np.logical_not(mask.values))
    return named


@dataclass(frozen=True, eq=False)
class ArrayLayout:
    """The names, shapes and labels of the arrays of one run.

    rows: the labels of the rows, one for each token or cue. columns: the labels of the columns of scores and weights.
    words: the vectors `(dim,)` that a result is compared with. parts: the slice of a vector that each named part takes.
    arrays: the shape of each array by its name; −1 is a length that only the run decides. measures: the names of the
    scalar results. recallable: the words that a recall may give; a word that is stored twice is one of them.
    """

    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    words: Mapping[str, np.ndarray] = field(default_factory=dict)
    parts: Mapping[str, slice] = field(default_factory=dict)
    arrays: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    measures: tuple[str, ...] = ()
    recallable: tuple[str, ...] = ()

    @classmethod
    def of(cls, declared: Iterable[ArraySpec]) -> "ArrayLayout":
        """The layout of declared arrays, without words: the shapes, and as measures the scalars with a mean."""
        referable = [array for array in declared if array.referable]
        measures = tuple(array.name for array in referable if array.measured and not array.axes)
        return cls(arrays={array.name: array.shape for array in referable}, measures=measures)

    def row_problem(self, label: str, path: Path, rows: tuple[str, ...] | None = None) -> Iterator[Problem]:
        """The problem with the label of a token: it is unknown, or it fits several rows.

        In a text with the rows `their#1` and `their#2`, the label `their` fits both. rows: the labels to search in, by
        default `self.rows`.
        """
        known = self.rows if rows is None else rows
        if label in known or _of_one(label) in known:
            return
        several = [row for row in known if Occurrence.parse(row).word == label]
        if several:
            choices = " or ".join(map(shortened, several[:4]))
            yield Problem(path, f"'{shortened(label)}' occurs {len(several)} times; write {choices}")
        elif label in self.words:
            yield Problem(path, f"'{shortened(label)}' is a word, but does not occur in this text ({listed(known)})")
        else:
            words = {Occurrence.parse(row).word for row in known}
            yield Problem(path, unknown(label, dict.fromkeys(known), words))

    def index(self, label: str, rows: tuple[str, ...] | None = None) -> int:
        """The row number of a label; `row_problem` must have found no problem with it."""
        known = self.rows if rows is None else rows
        return known.index(label if label in known else _of_one(label))

    def find(self, quantity: str, layer: int | None = None, head: int | None = None) -> list[str]:
        """The names of the arrays of a quantity, such as `weights`, in all layers and heads or in those given."""
        names = self._of_layers.get((quantity, layer), [])
        return [name for name in names if ArrayName.parse(name).is_at(layer, head)]

    @cached_property
    def _of_layers(self) -> dict[tuple[str, int | None], list[str]]:
        """The names of the arrays of each quantity: in each layer, and in all of them under None."""
        found: dict[tuple[str, int | None], list[str]] = {}
        for name in self.arrays:
            one = ArrayName.parse(name)
            for layer in dict.fromkeys((one.layer, None)):
                found.setdefault((one.quantity, layer), []).append(name)
        return found

    def array_problem(
        self, quantity: str, layer: int | None, head: int | None, path: Path, several: bool
    ) -> Iterator[Problem]:
        """The problem with a reference to an array: there is no such array, or the reference fits several.

        several: a reference to several arrays is right; it means the last one, such as the state after all layers.
        """
        names = self.find(quantity, layer, head)
        if len(names) == 1 or (names and several):
            return
        if not self.find(quantity):
            near = nearest(quantity, {ArrayName.parse(name).quantity for name in self.arrays})
            hint = f"; did you mean '{near}'?" if near else ""
            yield Problem(path, f"there is no array '{shortened(quantity)}' here{hint} (arrays: {listed(self.arrays)})")
        elif not names:
            yield Problem(path, f"there is no such layer or head (arrays: {listed(self.find(quantity))})")
        else:
            yield Problem(path, f"say which layer and head is meant (arrays: {listed(names)})")


def _of_one(label: str) -> str:
    """The label of the same token in a text where its word occurs once: `dog` for `dog#1`."""
    token = Occurrence.parse(label)
    return token.word if token.number == 1 else label
