"""Sweeps: the gain of a second worker, and the overhead of a point."""

import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

import numpy as np

import hopattn as ha
from benchmarks.machine import cores
from benchmarks.measuring import Measured, Options, Row, Skip, Target, Wrong, interleaved, measured_row, ratio
from hopattn.scenario.loading import parse
from hopattn.scenario.running import once

POINTS, TRIALS, NEURONS = 24, 20, 500
"""The sweep over one and two workers: its points (loads of a Hopfield network), trials per point, and neurons."""
IDLE_POINTS, SCENARIO_POINTS = 2000, 200
"""The number of points of the sweep of an empty function, and of the sweep of a tiny scenario."""


def rows(options: Options) -> Iterator[Row]:
    """The ratio one worker / two, and the overhead of a point in ms, for an empty function and for a scenario."""
    size = f"{POINTS} points, {TRIALS} trials, {NEURONS} neurons"
    yield measured_row(f"one worker / two, {size}", Target("≥", 1.8), partial(_two_workers, options))
    for workers in (1, 2):
        work = f"a point beside its own work, ms, {workers} worker{'s' if workers > 1 else ''}"
        yield measured_row(work, Target("≤", 2), partial(_overhead, workers, options))
    yield measured_row("a scenario's point beside its own run, ms", Target("≤", 2), partial(_scenario, options))


def _two_workers(options: Options) -> Measured:
    if cores() < 2:
        raise Skip("there is one core only")
    scenario = ha.load("capacity")
    over = {"load": tuple(float(load) for load in np.linspace(0.05, 0.2, POINTS))}
    overrides = {"ensemble.neurons": NEURONS, "ensemble.cues": 1}

    def swept(workers: int) -> np.ndarray:
        sweep = ha.experiments.sweep_scenario(scenario, over, trials=TRIALS, overrides=overrides, workers=workers)
        return sweep.values["overlap"]

    if not np.array_equal(swept(1), swept(2)):
        raise Wrong("one worker and two come to other numbers")
    return ratio(interleaved({"one": partial(swept, 1), "two": partial(swept, 2)}, options), "one", "two")


def idle(point: Mapping[str, float], seed: np.random.SeedSequence) -> dict[str, float]:
    """A trial that does nothing."""
    return {"nothing": 0.0}


def _overhead(workers: int, options: Options) -> Measured:
    axes = {"x": tuple(range(IDLE_POINTS))}
    with tempfile.TemporaryDirectory() as folder:
        files = iter(Path(folder) / f"{i}.jsonl" for i in range(1000))
        return _per_point(lambda: ha.sweep(idle, axes, workers=workers, file=next(files), rng=0), IDLE_POINTS, options)


def _scenario(options: Options) -> Measured:
    """The time of a sweep beyond the runs of its points: reading and checking the scenario, and the sweep itself."""
    overrides = {"ensemble.neurons": 10, "ensemble.max_steps": 1}
    over = {"load": tuple(float(load) for load in np.linspace(0.1, 0.5, SCENARIO_POINTS))}
    scenario, seed = ha.load("capacity"), np.random.SeedSequence(0)
    parsed = [parse(scenario.text, scenario.where, "capacity", {**overrides, "ensemble.load": x}) for x in over["load"]]
    works = {
        "sweep": lambda: ha.experiments.sweep_scenario(scenario, over, trials=1, overrides=overrides, workers=1),
        "runs": lambda: [once(each, seed) for each in parsed],
    }
    times = interleaved(works, options)
    both = zip(times["sweep"], times["runs"], strict=True)
    overhead = [1e3 * (sweep - runs) / SCENARIO_POINTS for sweep, runs in both]
    low, middle, high = (float(each) for each in np.quantile(overhead, [0.25, 0.5, 0.75]))
    alone = 1e3 * np.median(times["runs"]) / SCENARIO_POINTS
    return Measured(middle, low, high, f"{SCENARIO_POINTS} points; the runs alone {alone:.2g} ms each")


def _per_point(work: Callable[[], object], points: int, options: Options) -> Measured:
    times = interleaved({"sweep": work}, options)["sweep"]
    low, middle, high = (1e3 / points * float(each) for each in np.quantile(times, [0.25, 0.5, 0.75]))
    return Measured(middle, low, high, f"{points:,} points")
