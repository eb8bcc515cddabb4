"""From a file to a checked scenario."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Any, ClassVar, TypeVar

import numpy as np
from pydantic import ValidationError

from hopattn.foundation.argument_names import PublicObject
from hopattn.scenario.arrays import Arrays
from hopattn.scenario.checking import MOST_PROBLEMS, Checker, InvalidScenario, toml_of
from hopattn.scenario.files import read_text, resolve
from hopattn.scenario.kinds.base import Kind
from hopattn.scenario.language.lines import KeyLines, key_lines
from hopattn.scenario.language.messages import schema_problems
from hopattn.scenario.language.paths import settings
from hopattn.scenario.language.table import Problem, Table
from hopattn.scenario.sweep_and_figure import FigureTable

AnyTable = TypeVar("AnyTable", bound=Table)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Scenario(PublicObject):
    """A checked scenario.

    Parameters
    ----------
    name : the stem of its file.
    where : the file, as messages name it.
    text : the text of the file.
    runs : the specification of each run, by the name of its variant; the scenario as written has the empty name.
    lines : the tree of the file's keys; `lines.line_of(path)` is the line of a path, counted from 1.
    changes : values that were set after the file.
    """

    _noun: ClassVar[str] = "a Scenario from hopattn.load"
    name: str
    where: str
    text: str
    runs: Mapping[str, Kind]
    lines: KeyLines
    changes: Mapping[str, Any] = field(default_factory=dict)
    """The settings that overrides changed, by path; none if one of them is a title."""
    _computed: dict[str, Arrays] = field(default_factory=dict, init=False)
    """The arrays of the runs that the check has computed whole, until a run takes them."""

    def __repr__(self) -> str:
        variants = f", variants: {', '.join(filter(None, self.runs))}" if len(self.runs) > 1 else ""
        return f"Scenario({self.name!r}, kind {self.spec.kind}: {self.spec.title}{variants})"

    @property
    def spec(self) -> Kind:
        """The specification of the scenario as written, without a variant's changes."""
        return self.runs[""]

    @property
    def figure(self) -> FigureTable:
        """The content of the figures; changed settings become the title, since the title of the file may be wrong."""
        changed = {"title": f"{self.name}: {settings(self.changes)}"} if self.changes else {}
        return self.spec.figure.model_copy(update=changed)


def load_scenario(path: Any) -> Scenario:
    """Read and check a scenario: `ha.load` of a TOML file, or of the name of a scenario that comes with hopattn.

    Raises `InvalidScenario` (an `InvalidInput`) with all errors of the file, one a line: file, line, key, the text in
    question, and the expected one; an error of TOML's syntax comes alone.
    """
    file = resolve(path)
    return parse(read_text(file), str(file), FilePath(file).stem)


def parse(
    text: str, where: str, name: str, overrides: Mapping[str, Any] | None = None, *, ask: bool = True
) -> Scenario:
    """Check a scenario, given by its text, after the overrides are applied.

    where: the path of the file, for messages; files that the scenario names are looked for in the same folder. name:
    the name of the scenario. overrides: paths and values, as for `--set`. ask: whether its runs are computed, and their
    arrays asked for what the expectations name. Raises `InvalidScenario` as `load_scenario`.
    """
    try:
        with np.errstate(all="ignore"):
            checker = Checker(text, where)
            runs = checker.runs(overrides or {}, ask)
    except RecursionError:
        raise InvalidScenario([f"{where}:1: is nested too deeply to be read"]) from None
    scenario = Scenario(name=name, where=where, text=text, runs=runs, lines=checker.lines, changes=checker.changes)
    scenario._computed.update(checker.computed)
    return scenario


def load_table(file: FilePath, model: type[AnyTable]) -> tuple[AnyTable, KeyLines]:
    """Read and check a TOML file that is not a scenario: its table, and the tree of its lines.

    model: the table that it must be. Raises `InvalidScenario` with all errors of the file, as `load_scenario` does.
    """
    text = read_text(file)
    document, lines = toml_of(text, str(file)), key_lines(text)
    try:
        return model.model_validate(document), lines
    except ValidationError as error:
        problems = schema_problems(error, model, document, MOST_PROBLEMS)
        raise InvalidScenario(key_located(file, lines, one) for one in problems) from None


def key_located(file: FilePath, lines: KeyLines, problem: Problem) -> str:
    """A problem of a file as a message: file, line, key, and what is wrong."""
    key = f"{problem.path[-1]}: " if problem.path and isinstance(problem.path[-1], str) else ""
    return f"{file}:{lines.line_of(problem.path)}: {key}{problem.message}"
