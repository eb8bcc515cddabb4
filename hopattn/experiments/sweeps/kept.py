"""Finished sweeps that come with hopattn: their figures need no new run."""

from pathlib import Path

from hopattn.experiments.sweeps.table import Sweep, load_sweep
from hopattn.scenario.loading import Scenario


def kept_folder() -> Path:
    """The folder of the finished points: inside the package in a wheel, in `docs` in a clone."""
    package = Path(__file__).resolve().parents[2]
    in_wheel = package / "sweeps"
    return in_wheel if in_wheel.is_dir() else package.parent / "docs" / "sweeps"


def kept_sweep(scenario: Scenario) -> Sweep:
    """The sweep of a scenario from the file of all its points, whatever version of NumPy computed them."""
    return load_sweep(kept_folder() / f"{scenario.name}.jsonl").with_scenario(scenario)
