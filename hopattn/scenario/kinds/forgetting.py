"""kind = "forgetting": how well the first word of a random text is read out, with attention and without it."""

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, partial
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field, Tag

from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.writing import number
from hopattn.results.labelled import Labelled
from hopattn.scenario.explain.arithmetic import equals, written
from hopattn.scenario.grids import axis_values
from hopattn.scenario.kinds.base import Spec
from hopattn.scenario.language.array_layout import ArraySpec
from hopattn.scenario.language.common_problems import refusals
from hopattn.scenario.language.fields import ByTomlType, Count, Problem, Table, Text, Tolerance
from hopattn.scenario.words.damaged_cues import Fraction
from hopattn.transformer.first_word import FirstWord, measured_by_length

READERS = {"with attention": True, "without attention": False}
"""The two readers, and whether each attends."""
QUANTITIES = ("accuracy", "cosine")
MEASURES = tuple(f"{quantity} {reader}" for quantity in QUANTITIES for reader in READERS)
"""The measures of a run: each quantity of each reader, after the longest text."""
AXIS = "words after the first"


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

    @cached_property
    def after(self) -> tuple[int, ...]:
        """The numbers of words after the first; raises `InvalidInput` unless they are whole and in rising order."""
        values = axis_values(self.lengths, "lengths")
        if wrong := [value for value in values if value != int(value) or value < 0]:
            raise InvalidInput(f"lengths: got {wrong[0]:g}; expected whole numbers from 0 up")
        return tuple(map(int, values))

    @property
    def model(self) -> FirstWord:
        """The networks, and their law."""
        return FirstWord(self.dim, carry=self.carry, beta=self.beta)

    def problems(self) -> Iterator[Problem]:
        """Lengths that are not whole, or not in rising order."""
        yield from refusals(("forgetting", "lengths"), lambda: self.after)


class Forgetting(Spec):
    """Random texts, and two readers that are asked for the first word."""

    shown_arrays: ClassVar[tuple[str, ...]] = (*QUANTITIES, *(f"{quantity}-law" for quantity in QUANTITIES))
    main_table: ClassVar[str] = "forgetting"
    kind: Literal["forgetting"]
    forgetting: ForgettingTable
    """The networks, the names, the texts."""

    def part_problems(self) -> Iterator[Problem]:
        return self.forgetting.problems()

    def size(self) -> int:
        table = self.forgetting
        return 6 * table.trials * (max(table.after) + table.names + 2) * (table.dim + 1) + 4 * (table.dim + 1) ** 2

    def declared_arrays(self) -> Iterator[ArraySpec]:
        yield from map(ArraySpec, MEASURES)
        curve = (("reader", tuple(READERS)), (AXIS, tuple(map(str, self.forgetting.after))))
        yield from (ArraySpec(f"{name}{kind}", curve) for name in QUANTITIES for kind in ("", "-law", "-error"))

    def compute(self, rng: np.random.Generator) -> Mapping[str, Any]:
        table, model = self.forgetting, self.forgetting.model
        texts = measured_by_length(model, table.after, table.names, table.trials, int(rng.integers(2**63)))
        laws: dict[str, Callable[..., float]] = {
            "accuracy": partial(model.accuracy, names=table.names),
            "cosine": model.cosine,
        }
        arrays: dict[str, Any] = {}
        for name, law in laws.items():
            trials = np.array([[numbers[f"{name} {reader}"] for numbers in texts] for reader in READERS])
            arrays[name] = trials.mean(axis=-1)
            arrays[f"{name}-error"] = trials.std(axis=-1, ddof=1) / np.sqrt(table.trials)
            arrays[f"{name}-law"] = [[law(n, attention=attends) for n in table.after] for attends in READERS.values()]
            arrays |= {f"{name} {reader}": row[-1] for reader, row in zip(READERS, arrays[name], strict=True)}
        return arrays

    def explain(self, arrays: Mapping[str, Labelled]) -> Iterator[str]:
        table, model = self.forgetting, self.forgetting.model
        yield f"{table.trials} random texts of each length; words of {table.dim} elements, {table.names} names"
        for i, n in enumerate(table.after):
            yield f"{n} words after the first:"
            for row, (reader, attends) in enumerate(READERS.items()):
                shares = model.shares(n, attention=attends)
                first, length = float(shares[0]), float(np.linalg.norm(shares))
                cosine, accuracy = (float(arrays[f"{name}-law"].values[row, i]) for name in ("cosine", "accuracy"))
                sign = equals(cosine, written(first) / written(length))
                quotient = f"{number(first)}/{number(length)} {sign} {number(cosine)}"
                yield f"  {reader}: a₀ = {number(first)} of the first word is read, and √Σa² = {number(length)} of all"
                yield f"    cosine: by the law {quotient}, {_found(arrays, 'cosine', row, i)}"
                yield f"    accuracy: by the law {number(accuracy)}, {_found(arrays, 'accuracy', row, i)}"


def _found(arrays: Mapping[str, Labelled], quantity: str, row: int, i: int) -> str:
    """The measured mean of a quantity with its standard error."""
    mean, error = (float(arrays[f"{quantity}{kind}"].values[row, i]) for kind in ("", "-error"))
    return f"measured {number(mean)} ± {number(error)}"
