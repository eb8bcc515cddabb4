"""The comparison of several memories on given problems."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict, Unpack

import numpy as np

from hopattn.experiments.comparison.contenders import DEFAULT, Contender, contenders_named
from hopattn.experiments.comparison.measuring import Measured, measure, row_of
from hopattn.experiments.comparison.problem import RecallProblem, checked_problem, require_positive_betas
from hopattn.experiments.comparison.result import Comparison
from hopattn.experiments.comparison.row import Row
from hopattn.foundation.arrays import Array, Mask
from hopattn.foundation.boundary import public
from hopattn.foundation.checks import REPEATED, Seed, function, positive, whole, whole_seed
from hopattn.foundation.errors import InvalidInput, reject_unknown
from hopattn.foundation.writing import counted
from hopattn.scenario.grids import Values, axes_of

MOST = 20_000
"""The largest number of recalls of one comparison: memories × points × trials."""


Report = Callable[[int, int], None]
"""A function `report(done, total)` that is called after each recall of a memory."""


class RecallOptions(TypedDict, total=False):
    """The keywords of a comparison that become its `RecallSettings`."""

    memories: Any
    max_steps: int
    rng: Seed
    report: Report | None


@dataclass(frozen=True)
class RecallSettings:
    """The memories of a comparison and how they recall.

    contenders: the memories. seed: of all random numbers. max_steps: of each recall. report: called after each recall.
    """

    contenders: tuple[Contender, ...]
    seed: int
    max_steps: int = 100
    report: Report = lambda done, total: None

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> "RecallSettings":
        """The settings that the keywords describe; raises `InvalidInput` for an invalid number or memory."""
        max_steps = whole(options.get("max_steps", cls.max_steps), "max_steps", most=REPEATED)
        seed = whole_seed(options.get("rng"))
        report = cls.report if options.get("report") is None else function(options["report"], "report")
        return cls(contenders_named(options.get("memories", DEFAULT)), seed, max_steps, report)

    def recalls(self, n_problems: int) -> int:
        """The number of recalls of so many problems; raises `InvalidInput` if they are more than `MOST`."""
        require_few(count := len(self.contenders) * n_problems)
        return count


class CompareOptions(RecallOptions, total=False):
    """The keywords of `compare`."""

    beta: Any
    targets: Any
    mask: Mask


@public
def compare(keys: Array, cues: Array, values: Array = None, **options: Unpack[CompareOptions]) -> Comparison:
    """Compare several memories, and independent softmax attention, on the same keys, values and cues.

    Parameters
    ----------
    keys : (n_keys, dim)
    cues : (n_cues, dim)
    values
        `(n_keys, dim_out)` (None: the keys). A cue is recalled among the keys, and the final state reads out the
        values.
    memories
        names ("hopfield", "dense", "modern", "sparse", "linear", "nearest", "exponential", "entmax", "normmax"; also
        "classical" for hopfield and "softmax" for modern), memory objects that store these keys, functions of keys that
        give a memory, or a mapping from names to such objects and functions (the first six names). Spins with an energy
        change one at a time, all other neurons together.
    beta
        the inverse temperature of modern, sparse, entmax and normmax: a number, several numbers in rising order, or a
        text such as "0.1:32:log5" (None: √dim over the mean squared length of a key).
    targets : (n_cues,)
        the index of the key that each cue belongs to, −1 if it is not known (None: not known); only with targets can
        the rows say what was recalled.
    mask : as in `attention` (None: none).
    max_steps : of each recall (100).
    rng
        the seed of the random order in which spins change one after the other, or a generator, which gives one (None:
        one is drawn). The comparison keeps it.
    report : called as `report(done, total)` after each recall of a memory (None).

    Raises
    ------
    InvalidInput
        for arrays that do not fit, for more pairs than the machine's memory can hold, a mistyped name, a beta that is
        not positive, and an unknown keyword.

    Notes
    -----
    The row of a memory that cannot store these keys says why. The time of a recall grows with n_keys · n_cues · dim: on
    one core about a minute for 10,000 keys, 10,000 cues and dim 20. At least 16 bytes are held for each pair of a cue
    and a key.

    Examples
    --------
    >>> import hopattn as ha
    >>> spins = [[1.0, 1, 1, 1, -1, -1, -1, -1], [1, -1, 1, -1, 1, -1, 1, -1]]
    >>> cue = [1, 1, 1, -1, -1, -1, -1, -1]
    >>> result = ha.compare(spins, [cue], targets=[0], memories=["hopfield", "modern"], rng=0)
    >>> [(row.memory, row.recalled, row.is_attention) for row in result.rows]
    [('hopfield', 1.0, None), ('modern', 1.0, True)]
    """
    problem = checked_problem(keys, cues, values, options.get("targets"), options.get("mask"))
    n_keys, dim = problem.keys.shape
    about = f"{counted(len(problem.cues), 'cue')} and {counted(n_keys, 'key')} of dim {dim}"
    return compare_problems([problem], about, options)


def compare_problems(problems: Sequence[RecallProblem], about: str, options: Mapping[str, Any]) -> Comparison:
    """Compare memories on several problems, such as the heads of a model; one row for each memory, problem and beta.

    about: the subject of the comparison, in words. options: as for `compare`; `beta`, or the axis of beta in `over`,
    replaces those of all problems.
    """
    settings = RecallSettings.of(options)
    beta = options.get("beta")
    is_axis = not (beta is None or isinstance(beta, (int, float)))
    axes = checked_axes({"beta": beta} if is_axis else options.get("over", {}), ("beta",))
    numbers: Sequence[Any] = axes["beta"] if is_axis else axes.get("beta", [fixed_beta(beta, axes)])
    hidden = sum(problem.left_out for problem in problems)
    left_out = f"; {counted(hidden, 'cue')} that may see no key {'is' if hidden == 1 else 'are'} left out"
    points = [([problem], {"beta": number}) for problem in problems for number in numbers]
    return comparison(about + left_out * bool(hidden), axes, points, settings, settings.recalls(len(points)))


def comparison(
    about: str,
    axes: Iterable[str],
    points: Iterable[tuple[Sequence[RecallProblem], Mapping[str, Any]]],
    settings: RecallSettings,
    recalls: int,
) -> Comparison:
    """The comparison with one row for each memory at each point.

    points: the problems of a point, one for each trial, and its numbers: those of the axes, and beta, which is None for
    the default of the problem. recalls: the number of those of all points.
    """
    done, rows = 0, []
    independent: tuple[str, ...] = ()
    for problems, point in points:
        first = problems[0]
        beta = first.default_beta if point["beta"] is None else float(point["beta"])
        place = first.where, {**point, "beta": beta}, len(first.keys)
        for contender in settings.contenders:
            trials: list[Measured] = []
            try:
                for i, problem in enumerate(problems):
                    rng = np.random.default_rng(np.random.SeedSequence((settings.seed, i)))
                    trials.append(measure(contender, problem, beta, settings.max_steps, rng))
                    settings.report(done + len(trials), recalls)
            except InvalidInput as error:
                settings.report(done + len(problems), recalls)
                n_cues = sum(len(problem.cues) for problem in problems)
                rows.append(Row(contender.name, *place, n_cues, trials=len(problems), refusal=str(error)))
            else:
                rows.append(row_of(contender.name, *place, trials))
                independent = next((trial.referees for trial in trials if trial.referees), independent)
            done += len(problems)
    return Comparison(about=about, rows=tuple(rows), axes=tuple(axes), seed=settings.seed, referees=independent)


def checked_axes(over: Any, known: Sequence[str]) -> dict[str, Values]:
    """The numbers of each axis of a grid, checked.

    over: for each axis by name its numbers in rising order, or a text such as "0.1:32:log5". known: the axes that are
    allowed. Raises `InvalidInput` for an unknown axis and for invalid numbers.
    """
    if isinstance(over, Mapping):
        reject_unknown("over", over, known)
    axes = axes_of(over, "over")
    require_positive_betas(axes.get("beta", ()))
    return axes


def fixed_beta(beta: Any, axes: Iterable[str]) -> float | None:
    """The beta of all points, None for the default; raises `InvalidInput` for one that is also an axis."""
    if beta is not None and "beta" in axes:
        raise InvalidInput("beta: is given both as a number and as an axis; give one of them")
    return None if beta is None else positive(beta, "beta")


def require_few(n_recalls: int) -> None:
    """Raise `InvalidInput` if a comparison has more than `MOST` recalls."""
    if n_recalls > MOST:
        raise InvalidInput(
            f"the grid asks for {n_recalls:,} recalls (memories × points × trials); at most {MOST:,} are done at once"
        )
