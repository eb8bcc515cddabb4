"""The sweep of a function over a grid; its result does not depend on the number of workers or on interruptions."""

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from typing import Any, TypedDict, Unpack

from hopattn.dynamics.own_parts import packed, register_packed
from hopattn.experiments.processes import results_of
from hopattn.experiments.sweeps.checkpoint import open_checkpoint, seed_of_file
from hopattn.experiments.sweeps.code import code_of
from hopattn.experiments.sweeps.plan import Plan, Point, Trial, key_of, point_text, points_of, seed_of
from hopattn.experiments.sweeps.table import Sweep, described
from hopattn.foundation.boundary import public
from hopattn.foundation.checks import Seed, each, function, instance, path_of, whole, whole_seed
from hopattn.foundation.errors import CannotDo, HopattnError, InvalidInput, quoted, reject_unknown
from hopattn.foundation.threads import single_threaded
from hopattn.scenario.grids import Grid, axes_of

MOST_WORKERS = 1000
"""The most processes of one machine."""
Task = tuple[Point, range]
"""A point that a worker computes, and the numbers of the trials."""
Numbers = Mapping[str, list[float | None]]
"""The numbers of a point as the checkpoint holds them: for each name those of all trials, None for NaN."""


class WorkerOptions(TypedDict, total=False):
    """The keywords of a sweep that say where it is computed, and who is informed of its progress."""

    file: Any
    workers: int | None
    scheduler: str
    report: Callable[[int, int], None] | None
    note: Callable[[str], None]


class SweepOptions(WorkerOptions, total=False):
    """The keywords of `sweep`."""

    trials: int
    rng: Seed
    shares: Sequence[str]
    about: Mapping[str, Any] | None


@public
def sweep(trial: Trial, axes: Mapping[str, Grid], **options: Unpack[SweepOptions]) -> Sweep:
    """Apply a function at every point of a grid, in several independent trials at each point.

    Parameters
    ----------
    trial
        the function, called as trial(point, seed). `point` has the numbers of the point by name. `seed` is a
        `numpy.random.SeedSequence` of this point and this trial alone. It returns numbers by name, with the same names
        everywhere; NaN means that this trial has no such number.
    axes : the numbers of each axis, in rising order, or words, or a text such as "0.1:32:log20" or "hebb,storkey".
    trials : trials at each point (1).
    rng
        the seed of all trials; a generator gives one (None: that of the points in `file`, or one is drawn). The sweep
        keeps it in `about`.
    file
        the checkpoint; it keeps the finished points, so that an interrupted sweep can be continued, or given more
        trials, by the same function: one of the same name, with the same operations and numbers (None: none).
    workers : processes of this machine (None: one on each core).
    scheduler : the address of a Dask cluster, used instead of processes ("": none).
    shares
        the names of the numbers that are shares of outcomes, each of which is so or not: their intervals are Wilson's,
        all others Student's t (none).
    about
        texts and numbers that describe the function; a checkpoint with others is refused. State here what the code of
        the function does not show, such as the data and the settings that it reads from elsewhere (None: none).
    report : called as report(finished points, all points) (None: nothing).
    note : called with a sentence if an incomplete last line of the checkpoint was cut off (default: nothing happens).

    Raises
    ------
    InvalidInput
        for axes that are empty or do not rise, a file of another sweep or of another function, and an unknown keyword.
    CannotDo : if a worker ends, the file cannot be written, or no scheduler answers.

    Notes
    -----
    Every trial runs in one thread, so that the result is the same for any number of workers. An error of `trial` is
    raised with its point.

    Examples
    --------
    >>> import hopattn as ha
    >>> result = ha.sweep(lambda point, seed: {"square": point["x"] ** 2}, {"x": (1, 2, 3)}, workers=1)
    >>> result.mean("square")
    array([1., 4., 9.])
    """
    function(trial, "trial")
    trials, rng, about = options.get("trials", Plan.trials), options.get("rng"), options.get("about")
    file = options.get("file")
    kept = None if file is None or rng is not None else seed_of_file(path_of(file, "file"))
    seed = whole_seed(rng) if kept is None else kept
    plan = Plan(axes_of(axes, "axes", words=True), seed, trials, {} if about is None else about)
    shares = () if (named := options.get("shares")) is None else each(named, str, "shares", "the name of a share")
    return run_plan(trial, plan, options, code=code_of(trial), shares=list(shares))


def run_plan(trial: Trial, plan: Plan, options: Mapping[str, Any], **more: Any) -> Sweep:
    """The table of a plan: the trials of the checkpoint as they are, all others computed.

    options: those of `WorkerOptions`. more: entries of the head of the checkpoint on which no random number depends;
    of those, `shares` are the names of the numbers that are shares.
    Raises `InvalidInput` for an option of another sort, and `CannotDo` if a worker process ends, or if the cluster is
    lost or does not answer; an error of a trial is raised with its point.
    """
    given = {name: value for name, value in options.items() if value is not None}
    file = path_of(given["file"], "file") if "file" in given else None
    workers = whole(given["workers"], "workers", most=MOST_WORKERS) if "workers" in given else None
    report = function(given.get("report", lambda done, total: None), "report")
    note = function(options.get("note", lambda text: None), "note")
    kept: AbstractContextManager[Any] = nullcontext(_InMemory())
    with kept if file is None else open_checkpoint(file, {**plan.head, **more}) as checkpoint:
        tasks: list[Task] = []
        for point in points_of(plan.axes):
            numbers = checkpoint.finished.get(key_of(point), {})
            first = min(map(len, numbers.values()), default=0)
            if first < plan.trials:
                tasks.append((point, range(first, plan.trials)))
        if checkpoint.repaired:
            note(f"{file}: the last line was incomplete; its point is computed again")
        total = len(plan)
        done = total - len(tasks)
        report(done, total)
        if tasks:
            work = partial(compute_point, trial=trial, seed=plan.seed, parts=packed())
            for point, numbers in results_of(work, tasks, workers, cluster=given.get("scheduler", "")):
                reject_unknown("shares", more.get("shares", ()), numbers)
                checkpoint.add(point, _with_more(point, checkpoint.finished.get(key_of(point)), numbers))
                done += 1
                report(done, total)
        table = Sweep.of(plan.axes, plan.trials, [checkpoint.finished[key_of(point)] for point in points_of(plan.axes)])
        return replace(table, about=described(plan.head), shares=tuple(more.get("shares", ())))


class _InMemory:
    """The finished points of a sweep without a file."""

    def __init__(self) -> None:
        self.finished: dict[str, Any] = {}
        self.repaired = False

    def add(self, point: Point, numbers: Numbers) -> None:
        self.finished[key_of(point)] = numbers


def compute_point(task: Task, trial: Trial, seed: int, parts: bytes) -> tuple[Point, Numbers]:
    """A point, and its numbers as the checkpoint holds them.

    parts: the classes of the user's own that are registered where the sweep was started. Raises `InvalidInput` if a
    number is infinite, or if the trials have different names.
    """
    register_packed(parts)
    point, trials = task
    by_name: dict[str, list[float | None]] = {}
    place = point_text(point)
    with single_threaded():
        for i in trials:
            try:
                found = trial(point, seed_of(seed, point, i))
                numbers = instance(found, Mapping, "the result of the trial", "numbers by name")
            except HopattnError as error:
                kind = InvalidInput if isinstance(error, InvalidInput) else CannotDo
                raise kind(f"{place}: {error}") from None
            if by_name and set(numbers) != set(by_name):
                raise InvalidInput(f"{place}: gives {sorted(numbers)} now and {sorted(by_name)} before")
            for name, value in numbers.items():
                try:
                    number = float(value)
                except (TypeError, ValueError, OverflowError):
                    raise InvalidInput(f"{place}: '{name}': expected a number, not {quoted(value)}") from None
                if math.isinf(number):
                    raise InvalidInput(f"{place}: '{name}' is infinite")
                by_name.setdefault(name, []).append(None if math.isnan(number) else number)
    return point, by_name


def _with_more(point: Point, earlier: Numbers | None, later: Numbers) -> Numbers:
    """The numbers of a point with those of its later trials; raises `InvalidInput` if these have other names."""
    if earlier is None:
        return later
    if set(earlier) != set(later):
        raise InvalidInput(f"{point_text(point)}: gives {sorted(later)} now and {sorted(earlier)} before")
    return {name: [*earlier[name], *later[name]] for name in later}
