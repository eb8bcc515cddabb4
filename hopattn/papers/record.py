"""A paper, the record of one of its numbers, and the judgement by verdict.

With the standard error s of ours over independent seeds, 0 for a formula, ours may differ by `within` + 4 s.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, PrivateAttr

from hopattn.foundation.errors import InvalidInput, quoted, unknown
from hopattn.papers.ways import Formula, Measure, Trial, Way
from hopattn.scenario.files import shipped
from hopattn.scenario.language.fields import Number, Problem, Table, Text, Tolerance

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
WAYS: dict[str, type[Way]] = {"theory": Formula, "scenario": Measure, "trial": Trial}
"""The ways to compute ours, each by the key that names it."""
ONLY = {"bound": "bound", "superseded": "superseded_by", "does not hold": "erratum"}
"""The key that a verdict needs and that no other has."""
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


class Record(Table):
    """One published number; `compute` computes ours and judges it.

    name: unique, lower case with hyphens. says, at, setting: what the number is, its place in the paper, and of which
    system. published: as printed. within, because: the tolerance and its derivation, or why the number is not checked.
    The other keys are described in CONTRIBUTING.md.
    """

    name: Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
    says: Text
    at: Text
    setting: Text
    published: Number
    within: Tolerance = 0.0
    because: Text
    verdict: Verdict
    theory: Text | None = None
    scenario: Text | None = None
    trial: Text | None = None
    given: dict[str, Any] | None = None
    part: Text | int | None = None
    measure: Text | None = None
    set: dict[str, Any] | None = None
    trials: Annotated[int, Field(ge=1, le=10_000)] | None = None
    at_this_size: Formula | None = None
    bound: Literal["ours is at least", "ours is at most"] | None = None
    superseded_by: Text | None = None
    erratum: Text | None = None
    shown_by: Text | None = None
    _source: Source = PrivateAttr()

    @property
    def source(self) -> Source:
        """The paper."""
        return self._source

    @cached_property
    def way(self) -> Way | None:
        """How ours is computed; None for a number that is not checked."""
        key = next((key for key in WAYS if getattr(self, key) is not None), None)
        if key is None:
            return None
        given = {name: getattr(self, name) for name in WAYS[key].model_fields}
        return WAYS[key](**{name: value for name, value in given.items() if value is not None})

    @property
    def figure(self) -> str | None:
        """The scenario whose figure shows the number."""
        return self.shown_by or self.scenario

    def problems(self) -> Iterator[Problem]:
        """Keys that do not fit the verdict or each other, and names that are not known."""
        ways = [key for key in WAYS if getattr(self, key) is not None]
        if len(ways) != (self.verdict != "not checked"):
            wanted = f"{'none' if self.verdict == 'not checked' else 'exactly one'} of {', '.join(WAYS)}"
            yield Problem((), f"got {' and '.join(ways) or 'no way'} to compute it; expected {wanted}")
            return
        for verdict, key in ONLY.items():
            if (getattr(self, key) is not None) != (verdict == self.verdict):
                fault = "is missing; it" if verdict == self.verdict else f"verdict = {quoted(self.verdict)}; the key"
                yield Problem((key,), f"{fault} belongs to verdict = {quoted(verdict)}")
        if self.at_this_size is None and self.verdict == AT_THIS_SIZE[0]:
            yield Problem(("at_this_size",), "is missing; an asymptotic number has a value at this size")
        if self.at_this_size is not None and self.verdict not in AT_THIS_SIZE:
            yield Problem(("at_this_size",), f"belongs to verdicts {' and '.join(AT_THIS_SIZE)}")
        own = {*WAYS[ways[0]].model_fields} if ways else {*()}
        for key in {name for way in WAYS.values() for name in way.model_fields} - own:
            if getattr(self, key) is not None:
                yield Problem((key,), f"does not go with {ways[0] if ways else 'a number that is not checked'}")
        if self.scenario is not None and self.measure is None:
            yield Problem(("measure",), "is missing; a scenario needs the name of a measure")
            return
        for way in filter(None, (self.way, self.at_this_size)):
            if problem := way.problem():
                yield Problem(("at_this_size",) if way is self.at_this_size else (), problem)
        if self.shown_by is not None and self.shown_by not in shipped():
            yield Problem(("shown_by",), unknown(self.shown_by, shipped()))

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
        """Whether the record holds as its verdict says; None for a number that is not checked."""
        if self.ours is None:
            return None
        above = self.ours - self.target
        if self.record.verdict == "bound":
            return (above if self.record.bound == "ours is at least" else -above) >= -self.allowed
        if self.record.verdict in ("superseded", "does not hold"):
            return abs(above) > self.allowed
        return abs(above) <= self.allowed
