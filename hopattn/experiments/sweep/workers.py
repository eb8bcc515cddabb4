"""The workers of a sweep: they compute the trials of each point, on processes of this machine or on a cluster."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

import numpy as np

from hopattn.dynamics.own_parts import packed, register_packed
from hopattn.experiments.processes import results_of
from hopattn.experiments.sweep.plan import Plan, Point, Trial, point_text
from hopattn.foundation.checks import function, instance, path_of, whole
from hopattn.foundation.errors import CannotDo, HopattnError, InvalidInput, quoted
from hopattn.foundation.threads import single_threaded

Report = Callable[[int, int], None]
"""Called with the number of finished points and the number of all points."""
Note = Callable[[str], None]
"""Called with a sentence for the user."""


MOST_WORKERS = 1000
"""The most processes of one machine."""


class WorkerOptions(TypedDict, total=False):
    """The keywords of a sweep that become its `Workers`."""

    file: Any
    workers: int | None
    scheduler: str
    report: Report | None
    note: Note


@dataclass(frozen=True)
class Workers:
    """The workers of a sweep, its checkpoint, and the functions that are informed of its progress.

    file: the checkpoint, None for none. workers: processes of this machine, None for one on each core. scheduler: the
    address of a Dask cluster, used instead of processes; empty for none. report: called at the start and after
    each finished point, None for nothing. note: called if the incomplete last line of a checkpoint was cut off.
    """

    file: Path | None = None
    workers: int | None = None
    scheduler: str = ""
    report: Report | None = None
    note: Note = lambda text: None

    @classmethod
    def of(cls, options: WorkerOptions) -> "Workers":
        """The workers that the keywords of a sweep describe; raises `InvalidInput` for keywords of another sort."""
        file, workers, report = (options.get(name) for name in ("file", "workers", "report"))
        scheduler = options.get("scheduler")
        return cls(
            None if file is None else path_of(file, "file"),
            None if workers is None else whole(workers, "workers", most=MOST_WORKERS),
            cls.scheduler if scheduler is None else scheduler,
            None if report is None else function(report, "report"),
            function(options.get("note", cls.note), "note"),
        )


@dataclass(frozen=True, eq=False)
class Task:
    """Some trials at one point: everything that a worker needs to know."""

    trial: Trial
    trials: range
    seed: int
    point: Point
    key: str
    parts: bytes = b""
    """The classes of the user's own that are registered where the sweep was started."""


def compute(
    trial: Trial, plan: Plan, points: Mapping[str, Point], workers: Workers, known: Mapping[str, int]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """The key and the result of each point, in the order in which the points are finished.

    points: the points that are still to be computed, by key. known: how many first trials of a point are known. Raises
    `CannotDo` if a worker process ends, or if the cluster is lost or does not answer; an error of a trial is raised
    with its point.
    """
    parts = packed()
    tasks = [
        Task(trial, range(known.get(key, 0), plan.trials), plan.seed, point, key, parts)
        for key, point in points.items()
    ]
    if tasks:
        yield from results_of(compute_point, tasks, workers.workers, cluster=workers.scheduler)


def compute_point(task: Task) -> tuple[str, dict[str, Any]]:
    """The key of a point, and its result as the checkpoint holds it.

    The result has the point, and for each name the numbers of all trials, None for NaN. Raises `InvalidInput` if a
    number is infinite, or if the trials have different names.
    """
    register_packed(task.parts)
    words = [int(task.key[i : i + 8], 16) for i in range(0, len(task.key), 8)]
    by_name: dict[str, list[float | None]] = {}
    place = point_text(task.point)
    with single_threaded():
        for i in task.trials:
            numbers = _run_trial(task, np.random.SeedSequence(task.seed, spawn_key=(*words, i)))
            if by_name and set(numbers) != set(by_name):
                raise InvalidInput(f"{place}: gives {sorted(numbers)} now and {sorted(by_name)} before")
            for name, value in numbers.items():
                number = _number(value, f"{place}: '{name}'")
                if math.isinf(number):
                    raise InvalidInput(f"{place}: '{name}' is infinite")
                by_name.setdefault(name, []).append(None if math.isnan(number) else number)
    return task.key, {"point": dict(task.point), "numbers": by_name}


def trials_in(found: Mapping[str, Any]) -> int:
    """The number of trials in the result of a point."""
    return min((len(numbers) for numbers in found["numbers"].values()), default=0)


def with_more(before: Mapping[str, Any] | None, more: dict[str, Any]) -> dict[str, Any]:
    """The result of a point with its later trials; raises `InvalidInput` if these have other names."""
    if before is None:
        return more
    earlier, later = before["numbers"], more["numbers"]
    if set(earlier) != set(later):
        raise InvalidInput(f"{point_text(more['point'])}: gives {sorted(later)} now and {sorted(earlier)} before")
    return {**more, "numbers": {name: [*earlier[name], *later[name]] for name in later}}


def _number(value: Any, what: str) -> float:
    """A number as a float, which may be NaN; raises `InvalidInput` for anything else."""
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise InvalidInput(f"{what}: expected a number, not {quoted(value)}") from None


def _run_trial(task: Task, seed: np.random.SeedSequence) -> Mapping[str, float]:
    try:
        found = task.trial(task.point, seed)
        return instance(found, Mapping, "the result of the trial", "numbers by name")
    except HopattnError as error:
        kind = InvalidInput if isinstance(error, InvalidInput) else CannotDo
        raise kind(f"{point_text(task.point)}: {error}") from None
