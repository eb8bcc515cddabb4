"""The result of a scenario: labelled arrays for each run, and the verdict on each expectation."""

import platform
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

import numpy as np

from hopattn.dynamics.likeness import Spurious
from hopattn.foundation.checks import instance, path_of
from hopattn.foundation.sentences import say
from hopattn.foundation.version import __version__
from hopattn.results.display import Drawable
from hopattn.results.files import csv_text, json_text, npz, write_folder
from hopattn.results.frames import data_frame, dataset
from hopattn.results.labelled import Labelled
from hopattn.scenario.arrays import Arrays, Name
from hopattn.scenario.sweep_and_figure import FigureTable
from hopattn.scenario.words.pictures import Strip
from hopattn.transformer.heads import Head


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


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Result(Drawable):
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

    def __repr__(self) -> str:
        verdicts = [outcome.met for outcome in self.expectations]
        counts = f"{verdicts.count(True)} expectations met, {verdicts.count(False)} missed"
        runs = [run.name or "as written" for run in self.runs]
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

    def to_json(self) -> str:
        """The whole result as JSON; the same scenario, seed and versions give the same text."""
        return json_text(self.to_dict())

    def to_csv(self) -> str:
        """The rows of `table` as CSV."""
        return csv_text([column.name for column in fields(Outcome)], (row.values() for row in self.table()))

    def to_pandas(self) -> Any:
        """A pandas DataFrame of `table`; raises `InvalidInput` if pandas is missing. `attrs` holds `provenance`.

        Each array has a `to_pandas` of its own: `result.arrays["state"].to_pandas()`.
        """
        return data_frame(self.table(), (), self.provenance())

    def to_xarray(self) -> Any:
        """An xarray Dataset of every array by name; raises `InvalidInput` if xarray is missing.

        The arrays of a variant are named `variant/array`. Where a dim has other labels than in an array before, or
        the name of an array, it is named after its own array. `attrs` holds the texts and numbers of `provenance`.
        """
        arrays: dict[str, Any] = {}
        known: dict[str, Any] = {}
        every = self.arrays
        for name, array in every.items():
            one = array.to_xarray()
            labels = {dim: one.coords[dim].values.tolist() if dim in one.coords else one.sizes[dim] for dim in one.dims}
            other = {
                dim: f"{dim} of {name}"
                for dim, own in labels.items()
                if dim in every or known.setdefault(dim, own) != own
            }
            arrays[name] = one.rename(other)
        return dataset(arrays, {}, self.provenance())

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
            "arrays.npz": npz({name: array.values for name, array in self.arrays.items()}),
            "result.json": f"{self.to_json()}\n".encode(),
            "expectations.csv": self.to_csv().encode(),
            "provenance.json": f"{json_text(self.provenance(command))}\n".encode(),
        }
        write_folder(path_of(folder, "folder"), files)
