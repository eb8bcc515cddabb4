"""Sweeps: what a second worker brings, and what a point costs beside its own work."""

import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

import numpy as np

import hopattn as ha
from benchmarks.measuring import Measured, Options, Row, Skip, Target, Wrong, attempted, cores, interleaved, ratio
from hopattn.scenario.loading import parse
from hopattn.scenario.running import once

POINTS, TRIALS, NEURONS = 24, 20, 500
"""The shared-out sweep: so many loads of a Hopfield network, each tried so often."""
IDLE, FEW = 2000, 200
"""Points at which nothing, or very little of a scenario, is computed."""


def rows(options: Options) -> Iterator[Row]:
    """One worker over two; milliseconds of a point of a function that does nothing, and of a scenario."""
    size = f"{POINTS} points, {TRIALS} trials, {NEURONS} neurons"
    yield attempted(f"one worker / two, {size}", Target("≥", 1.8), partial(_two_workers, options))
    for workers in (1, 2):
        work = f"a point beside its own work, ms, {workers} worker{'s' if workers > 1 else ''}"
        yield attempted(work, Target("≤", 2), partial(_overhead, workers, options))
    yield attempted("a scenario's point beside its own run, ms", Target("≤", 2), partial(_scenario, options))


def _two_workers(options: Options) -> Measured:
    if cores() < 2:
        raise Skip("there is one core only")
    scenario = ha.load("capacity")
    over = {"load": tuple(float(load) for load in np.linspace(0.05, 0.2, POINTS))}
    overrides = {"ensemble.neurons": NEURONS, "ensemble.cues": 1}

    def swept(workers: int) -> np.ndarray:
        found = ha.sweep_scenario(scenario, over, trials=TRIALS, overrides=overrides, workers=workers)
        return found.values["overlap"]

    if not np.array_equal(swept(1), swept(2)):
        raise Wrong("one worker and two come to other numbers")
    return ratio(interleaved({"one": partial(swept, 1), "two": partial(swept, 2)}, options), "one", "two")


def idle(point: Mapping[str, float], seed: np.random.SeedSequence) -> dict[str, float]:
    """A trial that does nothing."""
    return {"nothing": 0.0}


def _overhead(workers: int, options: Options) -> Measured:
    axes = {"x": tuple(range(IDLE))}
    with tempfile.TemporaryDirectory() as folder:
        files = iter(Path(folder) / f"{i}.jsonl" for i in range(1000))
        return _per_point(lambda: ha.sweep(idle, axes, workers=workers, file=next(files)), IDLE, options)


def _scenario(options: Options) -> Measured:
    """What a sweep takes beyond the runs at its points: to read and check the scenario at each, and all around it."""
    overrides = {"ensemble.neurons": 10, "ensemble.max_steps": 1}
    over = {"load": tuple(float(load) for load in np.linspace(0.1, 0.5, FEW))}
    scenario, seed = ha.load("capacity"), np.random.SeedSequence(0)
    read = [parse(scenario.text, scenario.where, "capacity", {**overrides, "ensemble.load": x}) for x in over["load"]]
    works = {
        "sweep": lambda: ha.sweep_scenario(scenario, over, trials=1, overrides=overrides, workers=1),
        "runs": lambda: [once(one, seed) for one in read],
    }
    times = interleaved(works, options)
    beyond = [1e3 * (whole - runs) / FEW for whole, runs in zip(times["sweep"], times["runs"], strict=True)]
    low, middle, high = (float(each) for each in np.quantile(beyond, [0.25, 0.5, 0.75]))
    return Measured(
        middle, low, high, f"{FEW} points; the runs alone {1e3 * np.median(times['runs']) / FEW:.2g} ms each"
    )


def _per_point(work: Callable[[], object], points: int, options: Options) -> Measured:
    times = interleaved({"sweep": work}, options)["sweep"]
    low, middle, high = (1e3 / points * float(each) for each in np.quantile(times, [0.25, 0.5, 0.75]))
    return Measured(middle, low, high, f"{points:,} points")
