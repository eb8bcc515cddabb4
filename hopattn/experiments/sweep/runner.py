"""The sweep of a function over a grid; its result does not depend on the number of workers or on interruptions."""

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from typing import Any, Unpack

from hopattn.experiments.sweep.checkpoint import open_checkpoint
from hopattn.experiments.sweep.code import code_of
from hopattn.experiments.sweep.plan import Plan, Trial, key_of
from hopattn.experiments.sweep.table import Sweep, described
from hopattn.experiments.sweep.workers import WorkerOptions, Workers, compute, trials_in, with_more
from hopattn.foundation.checks import Seed, function, whole_seed
from hopattn.foundation.errors import reject_unknown
from hopattn.scenario.grids import Grid, axes_of


class SweepOptions(WorkerOptions, total=False):
    """The keywords of `sweep`."""

    trials: int
    rng: Seed
    about: Mapping[str, Any] | None


def sweep(trial: Trial, axes: Mapping[str, Grid], **options: Unpack[SweepOptions]) -> Sweep:
    """Apply a function at every point of a grid, in several independent trials at each point.

    trial: the function, called as trial(point, seed). `point` has the numbers of the point by name. `seed` is a
    `numpy.random.SeedSequence` of this point and this trial alone. It returns numbers by name, with the same names
    everywhere; NaN means that this trial has no such number.
    axes: the numbers of each axis, in rising order, or words, or a text such as "0.1:32:log20" or "hebb,storkey".

    trials: trials at each point (1).
    rng: the seed of all trials; a generator gives one that is drawn from it (0).
    file: the checkpoint; it keeps the finished points, so that an interrupted sweep can be continued, or given more
    trials, by the same function: one of the same name, with the same operations and numbers (None: none).
    workers: processes of this machine (None: one on each core).
    scheduler: the address of a Dask cluster, used instead of processes ("": none).
    about: texts and numbers that describe the function; a checkpoint with others is refused. State here what the code
    of the function does not show, such as the data and the settings that it reads from elsewhere (None: none).
    report: called as report(finished points, all points) (None: nothing).
    note: called with a sentence if an incomplete last line of the checkpoint was cut off (default: nothing happens).

    Every trial runs in one thread, so that the result is the same for any number of workers. Raises `InvalidInput` for
    axes that are empty or do not rise, a file of another sweep or of another function, and an unknown keyword. Raises
    `CannotDo` if a worker ends, the file cannot be written, or no scheduler answers. An error of `trial` is raised with
    its point.

    >>> import hopattn as ha
    >>> result = ha.sweep(lambda point, seed: {"square": point["x"] ** 2}, {"x": (1, 2, 3)}, workers=1)
    >>> result.mean("square")
    array([1., 4., 9.])
    """
    reject_unknown("sweep", options, SweepOptions.__annotations__)
    function(trial, "trial")
    trials, seed = options.get("trials", Plan.trials), whole_seed(options.get("rng"), default=Plan.seed)
    about = options.get("about")
    plan = Plan(axes_of(axes, "axes", words=True), trials, seed, {} if about is None else about)
    return run_plan(trial, plan, Workers.of(options), code=code_of(trial))


def run_plan(trial: Trial, plan: Plan, workers: Workers, **more: Any) -> Sweep:
    """The table of a plan: the trials of the checkpoint as they are, all others computed.

    more: entries of the head of the checkpoint on which no random number depends.
    """
    kept = nullcontext(_InMemory()) if workers.file is None else open_checkpoint(workers.file, {**plan.head, **more})
    with kept as checkpoint:
        points = {key_of(plan, point): point for point in plan.points}
        known = {key: trials_in(found) for key, found in checkpoint.finished.items()}
        remaining = {key: point for key, point in points.items() if known.get(key, 0) < plan.trials}
        total = done = len(plan)
        done -= len(remaining)
        if checkpoint.repaired:
            workers.note(f"{workers.file}: the last line was incomplete; its point is computed again")
        if workers.report:
            workers.report(done, total)
        for key, result in compute(trial, plan, remaining, workers, known):
            checkpoint.add(key, with_more(checkpoint.finished.get(key), result))
            done += 1
            if workers.report:
                workers.report(done, total)
        table = Sweep.of(plan.axes, plan.trials, [checkpoint.finished[key]["numbers"] for key in points])
        return replace(table, about=described(plan.head))


class _InMemory:
    """The finished points of a sweep without a file."""

    def __init__(self) -> None:
        self.finished: dict[str, Any] = {}
        self.repaired = False

    def add(self, key: str, result: Any) -> None:
        self.finished[key] = result
