"""The result of a scenario: labelled arrays for each run, and the verdict on each expectation."""

import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from itertools import product
from typing import Any, ClassVar, Self

import numpy as np

from hopattn.dynamics.likeness import Spurious
from hopattn.foundation.checks import instance, path_of
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.sentences import say
from hopattn.foundation.version import __version__
from hopattn.results.dataset import Dataset, plain
from hopattn.results.files import json_text, write_folder
from hopattn.results.labelled import Labelled
from hopattn.scenario.arrays import Arrays, Name
from hopattn.scenario.sweep_and_figure import FigureTable
from hopattn.scenario.words.pictures import Strip
from hopattn.transformer.heads import Head

WRITTEN = "as written"
"""The name of the run without a variant."""


def recalled(word: str, of: str, spurious: str) -> str:
    """The pattern that a cue recalls, with those that a spurious state is made of.

    >>> recalled("nothing", "x1", "reversed")
    'nothing (x1 reversed)'
    """
    how = "reversed" if spurious == Spurious.REVERSED else "mixed"
    return say(f"{{}} ({{}} {how})", named(word), of) if of else named(word)


def named(word: Any) -> str:
    """The name of what a cue recalls, a word of the user's; or the word for nothing."""
    return say("nothing") if word == "nothing" else str(word)


@dataclass(frozen=True)
class Outcome:
    """The verdict on one expectation in one run.

    run: the name of the run. expectation: its sentence. expected, computed: both values as text. met: None if the
    expectation does not apply after an override. line: its line in the file. note: a remark on the number
    that the source prints.
    """

    run: str
    expectation: str
    expected: str
    computed: str
    met: bool | None
    line: int
    note: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """One run of a scenario: as written, with the empty name, or with a variant's changes."""

    name: str
    arrays: Arrays
    shown: tuple[str, ...] = ()
    """The names of the arrays that a terminal shows."""
    working: tuple[str, ...] = ()
    """The arithmetic, line by line; empty unless the run was made with `explain`."""
    strips: tuple[Strip, ...] = ()
    """The pictures that a terminal shows."""
    heads: Callable[[], Mapping[str, Head]] = dict
    """Builds the heads, each with the name of its place, such as `layer 1 head 1`; none where no one text is read."""

    def __repr__(self) -> str:
        return f"Run({self.name!r}: {', '.join(self.arrays)})"

    def table(self, name: str) -> Labelled:
        """An array as tables show it.

        A matrix is as the file has it, weights have a column "rest" for a sink, and a spurious state that is recalled
        has the patterns that it is made of.
        """
        if name == "recalls" and "of" in self.arrays:
            ends = zip(*(self.arrays[part].values for part in ("recalls", "of", "spurious")), strict=True)
            return replace(self.arrays[name], values=np.array([recalled(*end) for end in ends]))
        array, place = self.arrays.as_written(name), name.removesuffix("weights")
        rest = self.arrays.get(f"{place}rest") if name.endswith("weights") else None
        if rest is None:
            return array
        rows, columns = array.labels
        values = np.column_stack([array.values, rest.values])
        hidden = None if array.hidden is None else np.pad(array.hidden, ((0, 0), (0, 1)))
        return Labelled(values, array.dims, (rows, (*columns, "rest")), array.tiny, hidden)

    def find(self, quantity: str, layer: int | None = None, head: int | None = None) -> list[tuple[Name, Labelled]]:
        """The arrays of a quantity, such as "weights", in all layers and heads or in those given."""
        names = ((Name.parse(name), array) for name, array in self.arrays.items())
        return [(name, array) for name, array in names if name.quantity == quantity and name.is_at(layer, head)]


@dataclass(frozen=True, eq=False, repr=False)
class ShownArrays(Dataset):
    """Arrays of runs. about: where they come from.

    One array is a table as the terminal shows it, those of several runs below each other; several arrays are a table
    with a row for each number.
    """

    arrays: Mapping[tuple[str, str], Labelled]
    about: Mapping[str, Any]

    @classmethod
    def of(cls, runs: Sequence[Run], names: Sequence[str], about: Mapping[str, Any]) -> Self:
        """The arrays of these names, of every run that has them; without names, those that a terminal shows.

        names: as in an expectation; the name of a run and a slash before them choose the run. Raises `InvalidInput` for
        a name that no run has, and for one that several arrays of a run have.
        """
        if not names:
            return cls({(run.name, name): run.table(name) for run in runs for name in run.shown}, about)
        arrays: dict[tuple[str, str], Labelled] = {}
        for name in names:
            alone = [run for run in runs if name.startswith(f"{run.name or WRITTEN}/")]
            arrays |= dict(_named(alone or runs, name.partition("/")[2] if alone else name))
        return cls(arrays, about)

    def table(self) -> list[dict[str, Any]]:
        """The rows of one array with their labels; of several arrays a row for each number."""
        runs, names = ({part[i] for part in self.arrays} for i in (0, 1))
        rows: list[dict[str, Any]] = []
        for (run, name), array in self.arrays.items():
            start = {"run": run or WRITTEN} if len(runs) > 1 else {}
            if len(names) == 1:
                rows += [start | row for row in array.table()]
                continue
            for labels, value in zip(product(*array.every_label), plain(array.values.reshape(-1)), strict=True):
                row, column = (labels[:-1], labels[-1]) if array.values.ndim > 1 else (labels, "")
                rows.append({**start, "array": name, "row": " ".join(row), "column": column, "value": value})
        return rows

    def to_dict(self) -> dict[str, Any]:
        """The arrays of each run, with their names and labels."""
        runs: dict[str, dict[str, Any]] = {}
        for (run, name), array in self.arrays.items():
            runs.setdefault(run, {})[name] = array.to_dict()
        return {**self.about, "runs": [{"name": run, "arrays": arrays} for run, arrays in runs.items()]}

    def _arrays(self) -> Mapping[str, Labelled]:
        return {f"{run}/{name}" if run else name: array for (run, name), array in self.arrays.items()}

    def _attributes(self) -> Mapping[str, Any]:
        return self.about


def _named(runs: Sequence[Run], name: str) -> Iterator[tuple[tuple[str, str], Labelled]]:
    """The array of a name in each run that has it; the arrays that figures alone read have their whole names."""
    refused: InvalidInput | None = None
    count = 0
    for run in runs:
        try:
            whole = name if name in run.arrays.drawn else run.arrays.name(name, ())
        except InvalidInput as error:
            refused = refused or error
        else:
            count += 1
            yield (run.name, whole), run.arrays.as_written(whole)
    if refused is not None and not count:
        raise refused


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Result(Dataset):
    """All runs of a scenario and the verdict on each of its expectations.

    Attributes
    ----------
    name, title, source, note, kind, seed, figure : as the file of the scenario has them; the note may be missing.
    digest : of its text.
    runs : with their numbers and arrays.
    expectations : with their verdicts.
    words : those that the expectations name.
    reading : how matrices were read that could be meant otherwise.
    """

    name: str
    kind: str
    title: str = ""
    source: str = ""
    note: str | None = None
    seed: int = 0
    digest: str = ""
    """The SHA-256 of the scenario's text."""
    runs: tuple[Run, ...] = ()
    expectations: tuple[Outcome, ...] = ()
    figure: FigureTable = field(default_factory=FigureTable)
    """The content of the figures, as the scenario says."""
    words: tuple[str, ...] = ()
    """The words that the expectations name, in their order."""
    reading: str = ""
    """How matrices were read that could be meant otherwise; empty for a scenario that comes with hopattn."""
    _columns: ClassVar[tuple[str, ...]] = tuple(column.name for column in fields(Outcome))

    def __repr__(self) -> str:
        verdicts = [outcome.met for outcome in self.expectations]
        counts = f"{verdicts.count(True)} expectations met, {verdicts.count(False)} missed"
        runs = [run.name or WRITTEN for run in self.runs]
        return f"Result({self.name!r}, kind {self.kind}, seed {self.seed}: {counts}; runs: {', '.join(runs)})"

    @property
    def ok(self) -> bool:
        """Whether no expectation was missed."""
        return all(outcome.met is not False for outcome in self.expectations)

    @property
    def arrays(self) -> Arrays:
        """Every array of every run by name; the arrays of a variant are named `variant/array`.

        Large arrays, such as the couplings of many neurons, are computed when you ask for them by name.
        """
        runs = [(f"{run.name}/" if run.name else "", run.arrays) for run in self.runs]
        return Arrays.of(
            ((f"{run}{name}", array) for run, arrays in runs for name, array in arrays.items()),
            {f"{run}{name}": compute for run, arrays in runs for name, compute in arrays.on_demand.items()},
        )

    def table(self) -> list[dict[str, Any]]:
        """One row for each expectation: run, expectation, expected, computed, met, line, note."""
        return [asdict(outcome) for outcome in self.expectations]

    def to_dict(self) -> dict[str, Any]:
        """The whole result as dictionaries, lists, texts and numbers."""
        about = {name: getattr(self, name) for name in ("name", "title", "source", "note", "kind", "seed", "ok")}
        runs = [
            {"name": run.name, "arrays": {name: array.to_dict() for name, array in run.arrays.items()}}
            | ({"working": list(run.working)} if run.working else {})
            for run in self.runs
        ]
        return {**about, "expectations": self.table(), "runs": runs}

    def _arrays(self) -> Arrays:
        return self.arrays

    def _attributes(self) -> Mapping[str, Any]:
        return self.provenance()

    def shown(self, *names: str) -> Dataset:
        """The arrays of these names, of every run, with a column for the run; without names, those of a terminal.

        names: as in an expectation, such as "weights"; "river/weights" is that of the variant `river`, and "as
        written/weights" that of the scenario as written. One array keeps its rows and columns; several have a row for
        each number: run, array, row, column, value. Raises `InvalidInput` for a name that no run has, and for one that
        several arrays of a run have.
        """
        for name in names:
            instance(name, str, "shown", "the name of an array")
        return ShownArrays.of(self.runs, names, self.provenance())

    def provenance(self, command: str = "") -> dict[str, Any]:
        """The origin of the numbers: versions, seed, hash of the scenario, command."""
        instance(command, str, "command", "a text")
        versions = {"hopattn": __version__, "numpy": np.__version__, "python": platform.python_version()}
        about = {"scenario": self.name, "source": self.source, "sha256": self.digest, "seed": self.seed}
        return {**about, "versions": versions, "machine": platform.machine(), "command": command}

    def save(self, folder: Any, command: str = "") -> None:
        """Write arrays, result, expectations and provenance into a new folder: all files or none.

        `arrays.npz` holds the arrays by the names of `arrays`, `result.json` the text of `to_json`, `expectations.csv`
        the rows of `table`, and `provenance.json` versions, seed, the scenario's hash and `command`. Raises
        `InvalidInput` for a folder that exists and is not empty, and `CannotDo` if it cannot be written.
        """
        files = {
            "arrays.npz": self.to_npz(),
            "result.json": f"{self.to_json()}\n".encode(),
            "expectations.csv": self.to_csv().encode(),
            "provenance.json": f"{json_text(self.provenance(command))}\n".encode(),
        }
        write_folder(path_of(folder, "folder"), files)
