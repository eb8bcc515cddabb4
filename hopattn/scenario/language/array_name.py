"""The names of the arrays of a run, as data: `sequence 1 layer 2 head 1 weights` is a quantity and its place."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeVar

Array = TypeVar("Array")
_FORM = re.compile(
    r"(?:(?P<text>sequence \d+|(?:encoder|text)(?= layer )) )?(?:layer (?P<layer>\d+) )?(?:head (?P<head>\d+) )?"
    r"(?:step (?P<step>\d+) )?(?:(?P<stage>.+) )?(?P<quantity>\S+)"
)


@dataclass(frozen=True)
class ArrayName:
    """The name of one array: what it holds, and where in the computation.

    quantity: the last word, such as "weights". text: "encoder", "text" or "sequence 2"; empty where there is one text.
    layer, head, step: numbers from 1; None outside of layers, heads and steps. stage: the words before the quantity,
    such as the name of a program's step.

    >>> ArrayName.parse("sequence 1 layer 2 head 1 weights")
    ArrayName(quantity='weights', text='sequence 1', layer=2, head=1, step=None, stage='')
    >>> str(ArrayName("weights", layer=2, head=1))
    'layer 2 head 1 weights'
    """

    quantity: str
    text: str = ""
    layer: int | None = None
    head: int | None = None
    step: int | None = None
    stage: str = ""

    @classmethod
    def parse(cls, name: str) -> "ArrayName":
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


def of_text(arrays: Mapping[str, Array], text: str) -> dict[str, Array]:
    """The arrays of one text, such as "encoder" or "sequence 1", by their names without it."""
    names = {name: ArrayName.parse(name) for name in arrays}
    return {str(replace(names[name], text="")): array for name, array in arrays.items() if names[name].text == text}


@lru_cache(maxsize=4096)
def _parsed(name: str) -> ArrayName:
    found = _FORM.fullmatch(name)
    if found is None:
        return ArrayName(name)
    layer, head, step = (None if found[key] is None else int(found[key]) for key in ("layer", "head", "step"))
    return ArrayName(found["quantity"], found["text"] or "", layer, head, step, found["stage"] or "")
