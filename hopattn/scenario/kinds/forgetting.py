"""kind = "forgetting": how well the first word of a random text is read out, with attention and without it."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, Tag

from hopattn.foundation.intervals import mean_interval, share_interval
from hopattn.foundation.sentences import say
from hopattn.foundation.writing import number, with_interval
from hopattn.scenario.arithmetic import equals, written
from hopattn.scenario.arrays import Arrays, Labels
from hopattn.scenario.grids import axis_values
from hopattn.scenario.kinds.base import Kind
from hopattn.scenario.language.table import ByTomlType, Count, Table, Text, Tolerance, at, need, need_room
from hopattn.scenario.words.cues import Fraction
from hopattn.transformer.first_word import FirstWord, measured_by_length

READERS = {"with attention": True, "without attention": False}
"""The two readers, and whether each attends."""


class ForgettingTable(Table):
    """A recurrent network, its two readers, and the random texts."""

    dim: Annotated[Count, Field(le=512)] = 64
    """The number of elements of a word's vector."""
    carry: Fraction = 0.9
    """The factor by which the network's state shrinks with each word, from 0 to 1."""
    beta: Tolerance = 8.0
    """How sharply the reader with attention looks for the first word; at 0 it averages over all states."""
    names: Annotated[int, Field(ge=2, le=10**6)] = 16
    """The number of random names that the answer is compared with; one of them is the first word."""
    lengths: Annotated[
        Annotated[Text, Tag("text")]
        | Annotated[list[Annotated[int, Field(ge=0, le=10**6)]], Field(min_length=1), Tag("array")],
        ByTomlType,
    ]
    """The numbers of words after the first, in rising order: a list, or a text such as "0:100:11"."""
    trials: Annotated[Count, Field(ge=2)] = 100
    """The number of random texts of each length."""

    @property
    def after(self) -> tuple[int, ...]:
        """The numbers of words after the first; raises `Refused` or `InvalidInput` for others than whole ones."""
        values = axis_values(self.lengths, "lengths")
        odd = next((value for value in values if value != int(value) or value < 0), None)
        need(odd is None, "lengths", lambda: f"got {odd:g}; expected whole numbers from 0 up")
        return tuple(map(int, values))

    @property
    def model(self) -> FirstWord:
        """The networks, and their law."""
        return FirstWord(self.dim, carry=self.carry, beta=self.beta)


class Forgetting(Kind):
    """Random texts, and two readers that are asked for the first word."""

    shown_arrays: ClassVar[tuple[str, ...]] = ("accuracy", "cosine", "accuracy-law", "cosine-law")
    kind: Literal["forgetting"]
    forgetting: ForgettingTable
    """The networks, the names, the texts."""

    def need_bounds(self) -> None:
        table = self.forgetting
        with at("forgetting", table=table):
            words = max(table.after) + table.names + 2
            need_room(6 * table.trials * words * (table.dim + 1) + 4 * (table.dim + 1) ** 2)

    def least(self) -> Self:
        return self.changed(forgetting=self.forgetting.model_copy(update={"trials": 2}))

    def compute(self, arrays: Arrays, rng: np.random.Generator) -> None:
        table, model, after = self.forgetting, self.forgetting.model, self.forgetting.after
        arrays.add("trials", table.trials, drawn=True)
        arrays.shares.add("accuracy")
        texts = measured_by_length(model, after, table.names, table.trials, int(rng.integers(2**63)))
        curve: dict[str, Labels] = {"reader": tuple(READERS), "words after the first": after}
        laws: dict[str, Callable[..., float]]
        laws = {"accuracy": partial(model.accuracy, names=table.names), "cosine": model.cosine}
        for name, law in laws.items():
            trials = np.array([[numbers[f"{name} {reader}"] for numbers in texts] for reader in READERS])
            means = trials.mean(axis=-1)
            by_law = [[law(n, attention=attends) for n in after] for attends in READERS.values()]
            intervals = (share_interval if name == "accuracy" else mean_interval)(trials)[1]
            arrays.add(name, means, curve)
            for i, end in enumerate(("-low", "-high")):  # trials that agree have no interval
                arrays.add(f"{name}{end}", np.where(np.isnan(intervals[..., i]), means, intervals[..., i]), curve)
            arrays.add(f"{name}-law", by_law, curve)
            for reader, row in zip(READERS, means, strict=True):
                arrays.add(f"{name} {reader}", row[-1])

    def explain(self, arrays: Arrays) -> Iterator[str]:
        table, model = self.forgetting, self.forgetting.model
        sizes = map(str, (table.trials, table.dim, table.names))
        yield say("{} random texts of each length; words of {} elements, {} names", *sizes)
        yield say("[ ]: 95 % interval, Wilson's of the accuracy, Student's t of the cosine")
        for i, n in enumerate(table.after):
            yield say("{} words after the first:", str(n))
            for row, (reader, attends) in enumerate(READERS.items()):
                shares = model.shares(n, attention=attends)
                first, length = float(shares[0]), float(np.linalg.norm(shares))
                read = number(first), number(length)
                yield "  " + say("{}: a₀ = {} of the first word is read, and √Σa² = {} of all", say(reader), *read)
                for name in ("cosine", "accuracy"):
                    ends = ("-law", "", "-low", "-high")
                    law, mean, low, high = (float(arrays[f"{name}{end}"].values[row, i]) for end in ends)
                    ratio = f"{number(first)}/{number(length)} {equals(law, written(first) / written(length))} "
                    by_law = f"{ratio * (name == 'cosine')}{number(law)}"
                    measured = with_interval(mean, low, high)
                    yield "    " + say("{}: by the law {}, measured {}", say(name), by_law, measured)
