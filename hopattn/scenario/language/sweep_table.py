"""The table `[sweep]` of a scenario: its axes, the trials at each point, and the measures."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Annotated, Any

from pydantic import Field, Tag, WithJsonSchema

from hopattn.foundation.errors import InvalidInput, listed, reject_unknown, shortened, unknown
from hopattn.foundation.registry import is_path
from hopattn.scenario.grids import Values, axes_of, axis_values, of_words, require_few_points
from hopattn.scenario.language.array_layout import ArraySpec
from hopattn.scenario.language.common_problems import refusals
from hopattn.scenario.language.fields import NOT_IMPORTED, ByTomlType, Count, Number, Problem, Table, Text
from hopattn.scenario.language.lines import Path
from hopattn.scenario.language.paths import (
    IsUserKey,
    dotted,
    names_of,
    no_user_keys,
    parse_path,
    paths_in,
    places_of,
    whole_path,
    without_numbers,
)

_Entry = Annotated[int | Number | Text, WithJsonSchema({"anyOf": [{"type": "number"}, {"type": "string"}]})]
AxisValues = Annotated[
    Annotated[Text, Tag("text")] | Annotated[list[_Entry], Field(min_length=1), Tag("array")],
    ByTomlType,
]
NOT_SWEPT = frozenset(
    {"schema", "kind", "title", "source", "note", "seed", "variant", "expect", "sweep", "figure", "practice"}
)
"""The keys of a file that cannot be an axis of a sweep."""
MET = "met"
"""The measure that is the fraction of expectations that are met."""
_ENTRY = re.compile(r"(?P<array>.+?)\[(?P<labels>.+)\]")
MOST_AXES = 32
"""The most axes of a sweep, the most that an array may have; two values on each are 4 · 10⁹ points."""


class SweepTable(Table):
    """The axes of `hopattn sweep`, and the measures."""

    over: Annotated[dict[Text, AxisValues], Field(min_length=1, max_length=MOST_AXES)]
    """The axes: the key of a number in this file, such as "layer.head.beta", or `beta` if there is only one, and its
    values: "0.1:32:log20", "0:0.2:21", or a list. Words go too, for a key such as `model.rule`: "hebb,storkey"."""
    trials: Annotated[Count, Field(le=1_000_000)] = 1
    """The number of trials at each point; each trial has a seed of its own."""
    measures: Annotated[list[Text], Field(min_length=1)] | None = None
    """The results to record: the name of a number or of an array (its mean is recorded), an entry such as
    "weights[banks, financial]", or "met", the fraction of the expectations that are met."""

    @property
    def axes(self) -> dict[str, Values]:
        """The values of each axis, by its key; raises `InvalidInput` for values that are not numbers or do not rise."""
        return axes_of(self.over, "over", words=True)

    def problems(
        self, document: Mapping[str, Any], user_key: IsUserKey, declared: Sequence[ArraySpec]
    ) -> Iterator[Problem]:
        """Unknown keys, values that are not numbers or do not rise, too many points, and measures that have no mean.

        document: the file with all its defaults. user_key: which keys the author of the file chose. declared: the
        arrays of a run.
        """
        place: Path = ("sweep", "over")
        axes: dict[str, Values] = {}
        for key, axis in self.over.items():
            try:
                axes[key] = axis_values(axis, key, words=True)
                path_of(key, document, user_key, axes[key])
                if any(map(is_path, axes[key])):
                    raise InvalidInput(f"{key}: {NOT_IMPORTED}")
            except InvalidInput as error:
                yield Problem((*place, key), str(error).removeprefix(f"{key}: "))
        yield from refusals(place, partial(require_few_points, axes, "over"))
        means = with_means(declared)
        for i, name in enumerate(self.measures or ()):
            yield from refusals(("sweep", "measures", i), partial(require_measured, name, means), "measure: ")


def with_means(declared: Iterable[ArraySpec]) -> dict[str, bool]:
    """For each array that a measure may name, whether it has a mean."""
    return {array.name: array.measured for array in declared if array.referable} | {MET: True}


def require_measured(name: str, means: Mapping[str, bool]) -> None:
    """Raise `InvalidInput` for a measure that is not an array of the scenario, or an array that has no mean.

    means: as `with_means` gives them.
    """
    array = entry_of(name, means)[0]
    if means.get(array):
        return
    choices = [known for known, has_mean in means.items() if has_mean]
    if array in means:
        message = f"'{array}' has no mean (choices: {listed(sorted(choices))})"
        raise InvalidInput(f"measure '{shortened(name)}': {message}")
    reject_unknown("measure", [array], choices)


def entry_of(name: str, arrays: Iterable[str]) -> tuple[str, tuple[str, ...]]:
    """The array of a measure, and the labels of one entry of it; no labels for the array itself.

    arrays: the names of the arrays, which may hold brackets.
    """
    match = _ENTRY.fullmatch(name) if name not in arrays else None
    return (match["array"].strip(), tuple(map(str.strip, match["labels"].split(",")))) if match else (name, ())


def path_of(key: str, document: Mapping[str, Any], user_key: IsUserKey = no_user_keys, values: Values = (0,)) -> str:
    """The whole path of a key, such as layer.head.beta for `beta`.

    document: a file with all its defaults. user_key: which keys the author of the file chose; they are suggested only
    where no key of the format is near. values: of the axis, numbers or words. Raises `InvalidInput` for a key that the
    file does not have, or has several times, and for words where a number is expected.
    """
    document = {name: node for name, node in document.items() if name not in NOT_SWEPT}
    words = of_words(values)
    swept = dict.fromkeys(paths_in(document, _is_name if words else _is_number))
    keys = parse_path(key)
    if places_of(keys, document):
        path = whole_path(key, document)
        if without_numbers(path) in swept:
            return key if path == keys else dotted(path)
        if words and without_numbers(path) in paths_in(document, _is_number):
            raise InvalidInput(
                f"{shortened(key)}: '{shortened(values[0])}' is not a number; the file has numbers there"
            )
    names = names_of(swept, user_key, whole=len(keys) > 1)
    raise InvalidInput(f"{shortened(key)}: {unknown(dotted(keys), *names)}")


def _is_number(node: Any) -> bool:
    """Whether a value is a number, or is left out (None)."""
    return node is None or (isinstance(node, int | float) and not isinstance(node, bool))


def _is_name(node: Any) -> bool:
    """Whether a value is a text, is left out (None), or is a table with a name, as a model is."""
    return node is None or isinstance(node, str) or (isinstance(node, Mapping) and "name" in node)
