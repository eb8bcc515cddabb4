"""A paper, the record of one of its numbers, and the judgement by verdict.

With the standard error s of ours over independent seeds, 0 for a formula, ours may differ by `within` + 4 s. A verdict
that many numbers would meet, such as a bound, has a reference too: what ours is by another program or a closed form.
"""

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Discriminator, Field, PrivateAttr, Tag

from hopattn.foundation.errors import InvalidInput, quoted
from hopattn.papers.ways import Formula, Measure, ScenarioName, Trial, Way
from hopattn.results.dataset import Dataset, Rows
from hopattn.scenario.language.table import Number, Problem, Table, Text, Tolerance

ERRORS = 4
"""The standard errors by which a simulated number may differ."""
Verdict = Literal["exact", "asymptotic", "bound", "kinetic", "superseded", "does not hold", "not checked"]
VERDICTS: dict[str, str] = {
    "exact": "ours is the published number",
    "asymptotic": "the published number is a limit; ours is the value at this size",
    "bound": "ours is on the right side of the published bound",
    "kinetic": "a crossover at finite time and no transition; ours is the value at this time",
    "superseded": "ours differs: another record has the number that holds",
    "does not hold": "ours differs: the number does not hold as printed",
    "not checked": "no number of ours",
}
"""The meaning of each verdict."""
ONLY = {"bound": "bound", "superseded": "superseded_by", "does not hold": "erratum"}
"""The key that a verdict needs and that no other has."""
LOOSE = ("bound", "superseded", "does not hold")
"""The verdicts that many numbers would meet, which need a reference."""
AT_THIS_SIZE = ("asymptotic", "kinetic")
"""The verdicts that may have a value at this size; the first one needs it."""


class Source(Table):
    """A paper: authors, year, title, and where it was published."""

    authors: Text
    year: Annotated[int, Field(ge=1900, le=2100)]
    title: Text
    where: Text

    @property
    def short(self) -> str:
        """Authors and year."""
        return f"{self.authors} {self.year}"


class Reference(Table):
    """What ours is: a value that hopattn did not compute, with its tolerance and where it comes from."""

    value: Number
    within: Tolerance = 0.0
    because: Text


class Record(Table):
    """One published number; `compute` computes ours and judges it. This class is that of a number that is not checked.

    name: unique, lower case with hyphens. says, at, setting: what the number is, its place in the paper, and of which
    system. published: the number; kind: "printed" in the paper, or "computed" by another program from the paper's
    formula or equations. within, because: the tolerance and its derivation, or why the number is not checked. checks:
    what can make it fail, a part of hopattn, or nothing but the paper: a simulation that uses no part of hopattn.
    The other keys are described in CONTRIBUTING.md.
    """

    name: Text
    says: Text
    at: Text
    setting: Text
    published: Number
    kind: Literal["printed", "computed"] = "printed"
    within: Tolerance = 0.0
    because: Text
    verdict: Verdict
    reference: Reference | None = None
    checks: Literal["hopattn", "paper"] = "hopattn"
    at_this_size: Formula | None = None
    bound: Literal["ours is at least", "ours is at most"] | None = None
    superseded_by: Text | None = None
    erratum: Text | None = None
    shown_by: ScenarioName | None = None
    _source: Source = PrivateAttr()
    _group: str = PrivateAttr(default="")

    @property
    def source(self) -> Source:
        """The paper."""
        return self._source

    @property
    def group(self) -> str:
        """The group of the paper's records, such as "hopfield-1982"."""
        return self._group

    @property
    def way(self) -> Way | None:
        """How ours is computed; None for a number that is not checked."""
        return self if isinstance(self, Way) else None

    @property
    def figure(self) -> str | None:
        """The scenario whose figure shows the number."""
        return self.shown_by or getattr(self, "scenario", None)

    def to_dict(self) -> dict[str, Any]:
        """The keys that are given, the paper and the command, as texts and numbers."""
        command = {} if self.way is None else {"command": self.way.command}
        return self.model_dump(exclude_none=True) | {"source": self.source.model_dump()} | command

    def problems(self) -> Iterator[Problem]:
        """Keys that do not fit the verdict, and names that are not known."""
        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", self.name):
            yield Problem(("name",), f"got {quoted(self.name)}; expected lower-case words with hyphens between them")
        if (self.way is None) != (self.verdict == "not checked"):
            has = "no way" if self.way is None else "a way"
            wanted = f"{'one' if self.way is None else 'none'} of theory, scenario, trial"
            yield Problem((), f"got {has} to compute it; verdict = {quoted(self.verdict)} expected {wanted}")
        for verdict, key in ONLY.items():
            if (getattr(self, key) is not None) != (verdict == self.verdict):
                fault = "is missing; it" if verdict == self.verdict else f"verdict = {quoted(self.verdict)}; the key"
                yield Problem((key,), f"{fault} belongs to verdict = {quoted(verdict)}")
        if self.at_this_size is None and self.verdict == AT_THIS_SIZE[0]:
            yield Problem(("at_this_size",), "is missing; an asymptotic number has a value at this size")
        if self.at_this_size is not None and self.verdict not in AT_THIS_SIZE:
            yield Problem(("at_this_size",), f"belongs to verdicts {' and '.join(AT_THIS_SIZE)}")
        if self.reference is None and self.verdict in LOOSE:
            yield Problem(("reference",), f"is missing; verdict = {quoted(self.verdict)} says too little about ours")
        if self.reference is not None and self.way is None:
            yield Problem(("reference",), "is that of a number of ours; there is none")
        if self.checks == "paper" and (not isinstance(self.way, Trial) or self.at_this_size is not None):
            yield Problem(("checks",), "'paper' belongs to a trial alone; formulas and scenarios are parts of hopattn")

    def compute(self) -> "Computed":
        """Compute ours and judge it; raises `InvalidInput` for arguments that do not fit, with the name of the record.

        >>> from hopattn.papers import records
        >>> records()["critical-load"].compute().holds
        True
        """
        try:
            values = [] if self.way is None else [*self.way.values()]
            here = None if self.at_this_size is None else next(self.at_this_size.values())
        except InvalidInput as fault:
            raise InvalidInput(f"{self.name}: {fault}") from None
        error = float(np.std(values, ddof=1) / math.sqrt(len(values))) if len(values) > 1 else 0.0
        return Computed(self, float(np.mean(values)) if values else None, error, here)


class OfFormula(Formula, Record):
    """A number that a formula gives."""


class OfScenario(Measure, Record):
    """A number that a scenario measures."""


class OfTrial(Trial, Record):
    """A number that a trial gives."""


WAYS: dict[str, type[Record]] = {"theory": OfFormula, "scenario": OfScenario, "trial": OfTrial}
"""The classes of records, by the key that says how ours is computed."""


def _class_of(table: Any) -> str:
    """The name of the class of a table of a file: `Record` if it has none of the keys."""
    found = (kind for key, kind in WAYS.items() if isinstance(table, dict) and key in table)
    return next(found, Record).__name__


AnyRecord = Annotated[
    Annotated[OfFormula, Tag("OfFormula")]
    | Annotated[OfScenario, Tag("OfScenario")]
    | Annotated[OfTrial, Tag("OfTrial")]
    | Annotated[Record, Tag("Record")],
    Discriminator(_class_of),
]


@dataclass(frozen=True)
class Computed:
    """Our number beside a published one.

    ours: the mean over the seeds; None for a number that is not checked. error: its standard error, 0 for a formula.
    here: the value that applies at this size, None if the published one does.
    """

    record: Record
    ours: float | None
    error: float
    here: float | None

    def to_dict(self) -> dict[str, Any]:
        """The record and what was computed, as texts and numbers."""
        names = ("ours", "error", "here", "holds")
        return {**self.record.to_dict(), **{name: getattr(self, name) for name in names}}

    @property
    def target(self) -> float:
        """The number that ours is compared with."""
        return self.record.published if self.here is None else self.here

    @property
    def allowed(self) -> float:
        """The difference that is allowed."""
        return self.record.within + ERRORS * self.error

    @property
    def holds(self) -> bool | None:
        """Whether ours is as the verdict says and near the reference; None for a number that is not checked."""
        return None if self.ours is None else self.referred and self._judged(self.ours)

    @property
    def referred(self) -> bool:
        """Whether ours is within the tolerance of the reference; true without one."""
        reference = self.record.reference
        return reference is None or (
            self.ours is not None and abs(self.ours - reference.value) <= reference.within + ERRORS * self.error
        )

    def _judged(self, ours: float) -> bool:
        """Whether ours is as the verdict says."""
        above = ours - self.target
        if self.record.verdict == "bound":
            return (above if self.record.bound == "ours is at least" else -above) >= -self.allowed
        if self.record.verdict in ("superseded", "does not hold"):
            return abs(above) > self.allowed
        return abs(above) <= self.allowed


def verdicts(found: Iterable[Record | Computed]) -> Dataset:
    """The verdicts of records as a dataset: a row for each, with ours where it was computed again.

    >>> from hopattn.papers import records
    >>> verdicts([records()["critical-load"]]).table()[0]["verdict"]
    'exact'
    """
    rows = []
    for one in found:
        cells = one.to_dict()
        source = cells.pop("source")
        plain = {name: cell for name, cell in cells.items() if not isinstance(cell, dict)}
        rows.append({**plain, "paper": source["title"]})
    return Rows(rows, ("name",))
