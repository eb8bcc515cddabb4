"""Figures of finished sweeps that come with hopattn; with those of results, all figures of the gallery by name."""

import hashlib
from typing import ClassVar

from hopattn.experiments.sweeps.kept import kept_sweep
from hopattn.figures.base import Figure, Plot
from hopattn.figures.gallery import plots
from hopattn.figures.sweep import View, draw_sweep
from hopattn.foundation.registry import Choices
from hopattn.scenario.loading import load_scenario
from hopattn.scenario.result import Result


class KeptSweep(Plot):
    """A figure of the finished sweep of a scenario; the result has its texts alone."""

    def result(self) -> Result:
        scenario = load_scenario(self.scenario)
        spec, digest = scenario.spec, hashlib.sha256(scenario.text.encode()).hexdigest()
        return Result(
            name=scenario.name,
            title=spec.title,
            source=spec.source or "",
            note=spec.note,
            kind="sweep",
            seed=spec.seed,
            digest=digest,
            figure=scenario.figure,
        )

    def lacks(self, result: Result) -> str:
        kept = (result.kind, result.name) == ("sweep", self.scenario)
        instead = f"it shows the sweep of '{self.scenario}' instead of a single run"
        return "" if kept else f"{instead}; `hopattn figures {self.name}` draws it"

    def draw(self, figure: Figure, result: Result) -> None:
        draw_sweep(figure, kept_sweep(load_scenario(self.scenario)), View(title=result.figure.title))


class Capacity(KeptSweep):
    """The overlap that is left, and the share of recalled patterns, by load."""

    shows: ClassVar[str] = "how many patterns a Hopfield network holds: the load at which they are lost, with theory"
    scenario: ClassVar[str] = "capacity"


class Phases(KeptSweep):
    """The overlap that is left, over load and temperature."""

    shows: ClassVar[str] = "where a stored pattern stays: the overlap left by load and temperature, with theory"
    scenario: ClassVar[str] = "phases"


every_figure: Choices[type[Plot]] = Choices("figure", {**plots, "capacity": Capacity, "phases": Phases})
"""All figures of the gallery."""
