"""What a scenario came to: labelled arrays for each run, and the verdict on each expectation."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class Labelled:
    """An array whose axes carry names and whose rows and columns carry labels (tokens, words, axes)."""

    values: np.ndarray
    dims: tuple[str, ...] = ()
    labels: tuple[tuple[str, ...], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Lists and labels, for JSON."""
        return {"dims": list(self.dims), "labels": [list(row) for row in self.labels], "values": self.values.tolist()}


@dataclass(frozen=True)
class Outcome:
    """What became of one expectation in one run; met is None where, after a change from outside, it does not apply."""

    run: str
    expectation: str
    expected: str
    computed: str
    met: bool | None
    line: int
    note: str = ""


@dataclass(frozen=True, eq=False)
class Run:
    """One run of a scenario: as it is written, or with a variant's changes."""

    name: str
    arrays: Mapping[str, Labelled]
    shown: tuple[str, ...] = ()
    """The names of the arrays that say most about the run, for a terminal."""
    working: tuple[str, ...] = ()
    """The arithmetic, line by line, where it was asked for."""


@dataclass(frozen=True, eq=False)
class Result:
    """All runs of a scenario and the verdict on what it expects."""

    name: str
    title: str
    source: str
    note: str | None
    kind: str
    seed: int
    runs: tuple[Run, ...]
    expectations: tuple[Outcome, ...]

    @property
    def ok(self) -> bool:
        """Whether no expectation was missed."""
        return all(outcome.met is not False for outcome in self.expectations)

    @property
    def arrays(self) -> dict[str, Labelled]:
        """Every array of every run by name; a variant's are named `variant/array`."""
        return {
            f"{run.name}/{name}" if run.name else name: array for run in self.runs for name, array in run.arrays.items()
        }

    def table(self) -> list[dict[str, Any]]:
        """The expectations, one row each: run, expectation, expected, computed, met, line, note."""
        return [asdict(outcome) for outcome in self.expectations]

    def to_dict(self) -> dict[str, Any]:
        """Everything in the result as dictionaries, lists, texts and numbers."""
        about = {name: getattr(self, name) for name in ("name", "title", "source", "note", "kind", "seed", "ok")}
        runs = [
            {"name": run.name, "arrays": {name: array.to_dict() for name, array in run.arrays.items()}}
            | ({"working": list(run.working)} if run.working else {})
            for run in self.runs
        ]
        return {**about, "expectations": self.table(), "runs": runs}

    def to_json(self) -> str:
        """The result as JSON: the same scenario, seed and versions give the same text."""
        return json_text(self.to_dict())


def json_text(value: Any) -> str:
    """A value as JSON; letters of every script stay readable, characters that could steer a terminal are escaped."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=1)
    return "".join(c if c.isprintable() or c == "\n" else f"\\u{ord(c):04x}" for c in text)
