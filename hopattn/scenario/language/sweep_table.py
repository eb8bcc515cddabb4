"""The numbers of a scenario that a sweep goes over, and what is measured at each point."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import Field, Tag, WithJsonSchema

from hopattn.foundation.errors import InvalidInput, shortened, unknown
from hopattn.foundation.grids import Values, in_order, values_of
from hopattn.scenario.language.fields import BySort, Count, Number, Problem, Table, Text
from hopattn.scenario.language.lines import Path
from hopattn.scenario.language.overrides import dotted, parse_path

_Entry = Annotated[int | Number, WithJsonSchema({"type": "number"})]
Axis = Annotated[
    Annotated[Text, Tag("text")] | Annotated[list[_Entry], Field(min_length=1), Tag("array")],
    BySort,
]
LEFT_OUT = frozenset({"schema", "kind", "title", "source", "note", "seed", "variant", "expect", "sweep"})
"""The keys of a file that no sweep goes over."""


class SweepTable(Table):
    """What `hopattn sweep` goes over."""

    over: Annotated[dict[Text, Axis], Field(min_length=1)]
    """Numbers of this file by their keys, such as "layer.head.beta", or `beta` where there is only one, and what they
    run through: "0.1:32:log20", "0:0.2:21", or a list."""
    trials: Annotated[Count, Field(le=1_000_000)] = 1
    """How often each point is tried, each time with a seed of its own."""
    measures: Annotated[list[Text], Field(min_length=1)] | None = None
    """What is measured: the name of a number or of an array (its mean), an entry such as "weights[banks, financial]",
    or "met", the part of the expectations that are met."""

    @property
    def axes(self) -> dict[str, Values]:
        """The numbers of each key; raises `InvalidInput` where they are none, or do not rise."""
        return {
            key: values_of(axis, key) if isinstance(axis, str) else in_order(tuple(axis), key)
            for key, axis in self.over.items()
        }

    def problems(self, written: Mapping[str, Any]) -> Iterator[Problem]:
        """Keys that the file does not have, numbers that are none; `written` is the file with all its defaults."""
        for key, axis in self.over.items():
            place: Path = ("sweep", "over", key)
            try:
                path_of(key, written)
                values_of(axis, key) if isinstance(axis, str) else in_order(tuple(axis), key)
            except InvalidInput as error:
                yield Problem(place, str(error).removeprefix(f"{key}: "))


def path_of(key: str, written: Mapping[str, Any]) -> str:
    """The whole path of a key, such as layer.head.beta for `beta`.

    written: a file with all its defaults. Raises `InvalidInput` for a key that it does not have, or has several times.
    """
    keys = parse_path(key)
    known = dict.fromkeys(_leaves({name: node for name, node in written.items() if name not in LEFT_OUT}, ()))
    if tuple(part for part in keys if not part.isdigit()) in known:
        return key
    ends = [dotted(path) for path in known if path[-len(keys) :] == keys]
    if len(ends) == 1:
        return ends[0]
    if ends:
        raise InvalidInput(f"{shortened(key)}: stands there several times; write {' or '.join(ends[:5])}")
    near = known if len(keys) > 1 else dict.fromkeys(path[-1:] for path in known)
    raise InvalidInput(f"{shortened(key)}: {unknown(dotted(keys), map(dotted, near))}")


def _leaves(node: Any, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The paths of all that is a number or may be one; the entries of a list of tables share theirs."""
    if isinstance(node, Mapping):
        for key, below in node.items():
            yield from _leaves(below, (*path, str(key)))
    elif isinstance(node, list):
        for below in node:
            yield from _leaves(below, path)
    elif node is None or (isinstance(node, int | float) and not isinstance(node, bool)):
        yield path
