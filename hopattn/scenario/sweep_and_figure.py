"""The tables `[sweep]` and `[figure]` of a scenario: what is made of its runs."""

import re
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import Annotated, Any, Literal

from pydantic import Field, Tag, WithJsonSchema

from hopattn.foundation.errors import InvalidInput, listed, reject_unknown, shortened, unknown
from hopattn.foundation.registry import is_path
from hopattn.scenario.arrays import Arrays
from hopattn.scenario.grids import Values, axes_of, axis_values, of_words, require_few_points
from hopattn.scenario.language.lines import Path, dotted
from hopattn.scenario.language.paths import IsUserKey, names_of, parse_path, paths_in, place_of, without_numbers
from hopattn.scenario.language.table import (
    NOT_IMPORTED,
    ByTomlType,
    Count,
    Number,
    Parts,
    Refused,
    Table,
    Text,
    need,
    need_different,
    need_known,
    unnamed,
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

    def need_fit(self, document: Mapping[str, Any], user_key: IsUserKey, arrays: Arrays) -> None:
        """Refuse unknown keys, values that are not numbers or do not rise, too many points, measures without a mean.

        document: the file with all its defaults. user_key: which keys the author of the file chose. arrays: of a run.
        """
        axes: dict[str, Values] = {}
        with Parts() as parts:
            for key, axis in self.over.items():
                with parts.at("over", key), unnamed(key):
                    axes[key] = axis_values(axis, key, words=True)
                    path_of(key, document, user_key, axes[key])
                    need(not any(map(is_path, axes[key])), (), NOT_IMPORTED)
            with parts.at("over"), unnamed("over"):
                require_few_points(axes, "over")
            for i, name in enumerate(self.measures or ()):
                with parts.at("measures", i), unnamed("measure"):
                    require_measured(name, arrays)


def require_measured(name: str, arrays: Arrays) -> None:
    """Raise `InvalidInput` for a measure that is not an array of the run, or an array that has no mean."""
    array = entry_of(name, arrays)[0]
    if array in (MET, *arrays.absent) or (array in arrays and arrays.has_mean(array)):
        return
    choices = [known for known in arrays if arrays.has_mean(known)] + [MET]
    if array in arrays.asked:
        message = f"'{array}' has no mean (choices: {listed(sorted(choices))})"
        raise InvalidInput(f"measure '{shortened(name)}': {message}")
    reject_unknown("measure", [array], choices)


def entry_of(name: str, arrays: Iterable[str]) -> tuple[str, tuple[str, ...]]:
    """The array of a measure, and the labels of one entry of it; no labels for the array itself.

    arrays: the names of the arrays, which may hold brackets.
    """
    match = _ENTRY.fullmatch(name) if name not in arrays else None
    return (match["array"].strip(), tuple(map(str.strip, match["labels"].split(",")))) if match else (name, ())


def path_of(key: str, document: Mapping[str, Any], user_key: IsUserKey, values: Values) -> str:
    """The whole path of a key, such as layer.head.beta for `beta`.

    document: a file with all its defaults. user_key: which keys the author of the file chose; they are suggested only
    where no key of the format is near. values: of the axis, numbers or words. Raises `InvalidInput` for a key that the
    file does not have, or has several times, and for words where a number is expected.
    """
    document = {name: node for name, node in document.items() if name not in NOT_SWEPT}
    words, keys, path = of_words(values), parse_path(key), place_of(key, document)
    swept = dict.fromkeys(paths_in(document, _is_name if words else _is_number))
    if path and without_numbers(path) in swept:
        return key if path == keys else dotted(path)
    if path and words and without_numbers(path) in paths_in(document, _is_number):
        found = f"'{shortened(values[0])}' is not a number"
        raise InvalidInput(f"{shortened(key)}: {found}; the file has numbers there")
    raise InvalidInput(f"{shortened(key)}: {unknown(dotted(keys), *names_of(swept, user_key, whole=len(keys) > 1))}")


def _is_number(node: Any) -> bool:
    """Whether a value is a number, or is left out (None)."""
    return node is None or (isinstance(node, int | float) and not isinstance(node, bool))


def _is_name(node: Any) -> bool:
    """Whether a value is a text, is left out (None), or is a table with a name, as a model is."""
    return node is None or isinstance(node, str) or (isinstance(node, Mapping) and "name" in node)


def figure_names() -> list[str]:
    """The names of all figures, which lie above the scenarios and are loaded by name, as parts of one's own are."""
    return [*import_module("hopattn.figures.figure").gallery()]


class FigureTable(Table):
    """The content of the figures of a scenario. Every key may be left out."""

    title: str | None = None
    """The title above the figure that `gallery` names, else above each figure; an empty text leaves titles out."""
    gallery: Text | None = None
    """The figure that shows the scenario best, by its name: `hopattn.plot` draws it unless another one is named, and so
    do notebooks and the gallery. By default the first that fits of a list."""
    axes: Annotated[list[Text], Field(min_length=2, max_length=2)] | None = None
    """The two axes of the plane in which words are drawn."""
    highlight: list[Text] = Field(default_factory=list)
    """The words that stand out. By default those of the expectations."""
    lang: Literal["en", "de"] = "en"
    """The language of figures, arithmetic and verdicts. In German, numbers have a decimal comma; the words of the
    scenario stay as they are."""
    names: list[Text] = Field(default_factory=list)
    """The names of the runs in figures, in their order: first the scenario as written, then its variants. A single name
    is that of the scenario as written."""
    run: Text | None = None
    """The only run to draw, by the name of its variant or by its name in `names`."""
    layer: Count | None = None
    """The only layer to draw."""
    head: Count | None = None
    """The only head to draw, of each layer."""
    query: Text | None = None
    """The query to draw, where a figure shows one. By default a word of `highlight`, or else the last query."""

    def why_wrong_names(self, n_runs: int) -> str:
        """Why there are too many or too few names for the runs; empty if there are not."""
        if len(self.names) in (0, 1, n_runs):
            return ""
        each = f", for the scenario as written, or {n_runs}, one for each run" if n_runs > 1 else ""
        return f"holds {len(self.names)} names; expected 1{each}"

    def without_names(self, runs: Sequence[str]) -> "FigureTable":
        """The table without `names`; a run that is drawn alone by such a name has the one of its variant.

        runs: the names of the runs, the empty name first.
        """
        by_name = dict(zip(self.names, (name or "as written" for name in runs), strict=False))
        return self.model_copy(update={"names": [], "run": by_name.get(self.run or "", self.run)})

    def need_fit(self, runs: Mapping[str, Arrays]) -> None:
        """Refuse figures that do not exist, and runs, words and heads that the scenario does not have.

        runs: the arrays of each run by its name, the empty name first. A word may be in any of them.
        """
        known = dict.fromkeys([name or "as written" for name in runs] + self.names)
        words: dict[Path, str | None] = {("highlight", i): word for i, word in enumerate(self.highlight)}
        words[("query",)] = self.query
        with Parts() as parts:
            with parts.at("names"):
                need(not (message := self.why_wrong_names(len(runs))), (), message)
                need_different(self.names, (), "; each run has a name of its own")
            with parts.at("gallery"):
                if self.gallery is not None:
                    need_known(self.gallery, figure_names())
            with parts.at("run"):
                if self.run is not None:
                    need_known(self.run, known)
            with parts.at("axes"):
                need_different(self.axes or [], (), "; a plane has two axes")
            for path, word in words.items():
                with parts.at(*path):
                    _need_row(word, [arrays for arrays in runs.values() if arrays.rows])


def _need_row(word: str | None, runs: Sequence[Arrays]) -> None:
    """Refuse a word that no run has among its rows, with the reason of the first."""
    for i, arrays in reversed([*enumerate(runs)]):
        try:
            if word is not None:
                arrays.row(word, (), arrays.rows)
            return
        except Refused:
            if i == 0:
                raise
