"""A grid of points over any function: on all cores or on a cluster, resumable, the same whoever computes it."""

import hashlib
import json
import math
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from hopattn.cluster.connection import connected, lost_is_told
from hopattn.experiments.sweep.checkpoint import Points, opened
from hopattn.experiments.sweep.table import Sweep
from hopattn.foundation.errors import CannotDo, HopattnError, InvalidInput, shortened
from hopattn.foundation.grids import Values, in_order
from hopattn.foundation.scalars import whole
from hopattn.foundation.threads import alone
from hopattn.foundation.version import __version__

MOST = 1_000_000
"""The most points of a grid."""

Point = Mapping[str, int | float]
Trial = Callable[[Point, np.random.SeedSequence], Mapping[str, float]]
"""One trial at one point: numbers by name, from the point and a seed of its own."""
Report = Callable[[int, int], None]
"""Told how many points are finished, and how many there are."""


@dataclass(frozen=True)
class Plan:
    """What a sweep goes over, and what it is of.

    axes: the numbers of each quantity, rising; about: what the function is, as texts and numbers, so that a file of
    another one is told apart.
    """

    axes: Mapping[str, Values]
    trials: int = 1
    seed: int = 0
    about: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        whole(self.trials, "trials")
        whole(self.seed, "seed", least=0)
        if not self.axes:
            raise InvalidInput("sweep: there is nothing to go over; give at least one axis")
        for name, values in self.axes.items():
            in_order(values, name)
        if len(self) > MOST:
            raise InvalidInput(f"sweep: the grid has {len(self):,} points; at most {MOST:,} are gone over at once")

    @property
    def head(self) -> dict[str, Any]:
        """What a file of its points begins with."""
        versions = {"hopattn": __version__, "numpy": np.__version__}
        axes = {name: list(values) for name, values in self.axes.items()}
        return {
            "sweep": 1,
            "about": dict(self.about),
            "axes": axes,
            "trials": self.trials,
            "seed": self.seed,
            "versions": versions,
        }

    @property
    def points(self) -> Iterator[Point]:
        """Every point, the last axis running fastest."""
        for values in product(*self.axes.values()):
            yield dict(zip(self.axes, values, strict=True))

    def __len__(self) -> int:
        return math.prod(map(len, self.axes.values()))


def sweep(
    trial: Trial,
    axes: Mapping[str, Values],
    *,
    trials: int = 1,
    seed: int = 0,
    file: Any = None,
    workers: int | None = None,
    scheduler: str = "",
    about: Mapping[str, Any] | None = None,
    report: Report | None = None,
    note: Callable[[str], None] = lambda text: None,
) -> Sweep:
    """Apply a function at every point of a grid, several times at each with independent seeds.

    trial: called as trial(point, seed) with the numbers of a point by name and a `numpy.random.SeedSequence` that
    belongs to this point and trial alone; gives numbers by name, the same names everywhere; NaN stands for a number
    that this trial does not have. axes: the numbers of each quantity, rising. file: keeps finished points, so that the
    same sweep goes on where it was interrupted; None for nowhere. workers: processes of this machine, None for one on
    each core. scheduler: the address of a Dask cluster in their place. about: texts and numbers that tell this function
    from others, for the file. report: told of the progress. note: told, in a sentence, of a torn last line in
    the file that is cut off.

    Every trial is computed with one thread, so that the result is the same for any number of workers. Raises
    `InvalidInput` for axes that are empty or do not rise, and a file of another sweep; `CannotDo` where a worker ended,
    the file cannot be written, or no scheduler answers. An error of `trial` is raised with its point.

    >>> import hopattn as ha
    >>> found = ha.sweep(lambda point, seed: {"square": point["x"] ** 2}, {"x": (1, 2, 3)}, workers=1)
    >>> found.mean("square")
    array([1., 4., 9.])
    """
    plan = Plan(axes, trials, seed, about or {})
    with _kept(file, plan) as kept:
        points = {key_of(plan, point): point for point in plan.points}
        left = {key: point for key, point in points.items() if key not in kept.done}
        total = len(plan)
        if kept.repaired:
            note(f"{file}: the last line was torn; its point is computed anew")
        if report:
            report(total - len(left), total)
        for key, found in _computed(trial, plan, left, workers, scheduler):
            kept.keep(key, found)
            if report:
                report(len(kept.done), total)
        return Sweep.of(plan.axes, plan.trials, [kept.done[key]["numbers"] for key in points])


def key_of(plan: Plan, point: Point) -> str:
    """The name of a point: a hash of its numbers and of all that the sweep is but its other points."""
    told = {**plan.head, "axes": None, "point": dict(point)}
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:32]


class _Held:
    """Points that are kept nowhere but here."""

    def __init__(self) -> None:
        self.done: dict[str, Any] = {}
        self.repaired = False

    def keep(self, key: str, found: Any) -> None:
        self.done[key] = found


def _kept(file: Any, plan: Plan) -> AbstractContextManager[Points | _Held]:
    return nullcontext(_Held()) if file is None else opened(Path(file), plan.head)


def _computed(
    trial: Trial, plan: Plan, left: Mapping[str, Point], workers: int | None, scheduler: str
) -> Iterator[tuple[str, Any]]:
    """Each point's key and numbers, in the order in which they are finished."""
    tasks = [(trial, point, key, plan.trials, plan.seed) for key, point in left.items()]
    if not tasks:
        return
    count = workers if workers is None else whole(workers, "workers")
    if count == 1 and not scheduler:
        yield from (_point(*task) for task in tasks)
        return
    from joblib import Parallel, delayed
    from joblib.externals.loky.process_executor import BrokenProcessPool

    try:
        with _cluster(scheduler) if scheduler else _processes(count):
            together = Parallel(return_as="generator_unordered")
            yield from together(delayed(_point)(*task) for task in tasks)
    except BrokenProcessPool as error:
        told = f"a worker ended before its work was done ({shortened(error, 120)})"
        raise CannotDo(f"{told}; what a file keeps is not lost; take fewer workers") from None


def _processes(count: int | None) -> AbstractContextManager[Any]:
    """Within it, joblib works in so many processes of this machine, None for one on each core."""
    from joblib import parallel_config

    options = {"n_jobs": count or -1, "inner_max_num_threads": 1, "initializer": _leave_interruptions}
    how: AbstractContextManager[Any] = parallel_config(backend="loky", **options)
    return how


def _leave_interruptions() -> None:
    """Ctrl-C goes to all processes: the one that was asked stops, and stops its workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def _cluster(scheduler: str) -> Iterator[None]:
    """Within it, joblib works on the workers of a Dask cluster; a worker that is lost has its points computed anew."""
    from joblib import parallel_config

    client = connected(scheduler)
    try:
        with lost_is_told(client), parallel_config(backend="dask", client=client):
            yield
    finally:
        client.close()


def _point(trial: Trial, point: Point, key: str, trials: int, seed: int) -> tuple[str, dict[str, Any]]:
    """A finished point: its key, its own numbers, and those of all trials by name, None for one that is not there."""
    words = [int(key[i : i + 8], 16) for i in range(0, len(key), 8)]
    found: dict[str, list[float | None]] = {}
    with alone():
        for i in range(trials):
            numbers = _tried(trial, point, np.random.SeedSequence(seed, spawn_key=(*words, i)))
            if i and set(numbers) != set(found):
                raise InvalidInput(f"{told_point(point)}: gives {sorted(numbers)} now and {sorted(found)} before")
            for name, value in numbers.items():
                number = float(value)
                if math.isinf(number):
                    raise InvalidInput(f"{told_point(point)}: '{name}' is infinite")
                found.setdefault(name, []).append(None if math.isnan(number) else number)
    return key, {"point": dict(point), "numbers": found}


def _tried(trial: Trial, point: Point, seed: np.random.SeedSequence) -> Mapping[str, float]:
    try:
        return trial(point, seed)
    except HopattnError as error:
        sort = InvalidInput if isinstance(error, InvalidInput) else CannotDo
        raise sort(f"{told_point(point)}: {error}") from None


def told_point(point: Point) -> str:
    """A point as a message names it: load = 0.1, beta = 8."""
    return ", ".join(f"{name} = {value:g}" for name, value in point.items())
