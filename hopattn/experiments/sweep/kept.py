"""Finished sweeps that come with hopattn: their figures need no new run."""

from dataclasses import replace
from itertools import product
from pathlib import Path

from hopattn.experiments.sweep.checkpoint import read_checkpoint
from hopattn.experiments.sweep.table import Sweep
from hopattn.scenario.loading import Scenario


def kept_folder() -> Path:
    """The folder of the finished points: inside the package in a wheel, in `docs` in a clone."""
    package = Path(__file__).resolve().parents[2]
    in_wheel = package / "sweeps"
    return in_wheel if in_wheel.is_dir() else package.parent / "docs" / "sweeps"


def kept_sweep(scenario: Scenario) -> Sweep:
    """The sweep of a scenario from the file of all its points, whatever version of NumPy computed them."""
    head, finished = read_checkpoint(kept_folder() / f"{scenario.name}.jsonl")
    numbers = {tuple(one["point"].values()): one["numbers"] for one in finished.values()}
    axes = {name: tuple(values) for name, values in head["axes"].items()}
    table = scenario.spec.sweep
    trials = table.trials if table else 1
    return replace(Sweep.of(axes, trials, [numbers.get(point) for point in product(*axes.values())]), scenario=scenario)
