"""Finished sweeps that come with hopattn."""

import hashlib
from dataclasses import replace
from typing import Any

from hopattn.experiments.sweeps.kept import kept_sweep
from hopattn.figures.figure import figure, need
from hopattn.figures.sheet import Sheet, say
from hopattn.figures.sweep import sweep_sheet
from hopattn.scenario.loading import load_scenario
from hopattn.scenario.result import Result

SWEPT = "sweep"
"""The kind of a result that stands for a finished sweep: it has the texts of its scenario alone."""


def swept(name: str) -> Result:
    """The result that stands for the finished sweep of a scenario."""
    scenario = load_scenario(name)
    spec, digest = scenario.spec, hashlib.sha256(scenario.text.encode()).hexdigest()
    texts: dict[str, Any] = {"title": spec.title, "source": spec.source or "", "note": spec.note, "seed": spec.seed}
    return Result(name=scenario.name, kind=SWEPT, digest=digest, figure=scenario.figure, **texts)


def _sheet(result: Result, name: str, title: str, measure: str | None = None) -> Sheet:
    reason = f"it shows the sweep of '{name}' instead of a single run; `hopattn figures {name}` draws it"
    need((result.kind, result.name) == (SWEPT, name), reason)
    return replace(sweep_sheet(kept_sweep(load_scenario(name)), measure=measure), title=title)


@figure(
    "how many patterns a Hopfield network holds: the load at which they are lost, with theory", "capacity", source=swept
)
def capacity(result: Result) -> Sheet:
    """The share of recalled patterns, by load."""
    title = say("in theory recall breaks at load .138; with 500 neurons it fades")
    return _sheet(result, "capacity", title, "recalled")


@figure("where a stored pattern stays: the overlap left by load and temperature, with theory", "phases", source=swept)
def phases(result: Result) -> Sheet:
    """The overlap that is left, over load and temperature."""
    return _sheet(result, "phases", say("in theory a pattern stays up to load .138, and less far in the heat"))
