"""Comparing on random patterns, or on patterns that are given with random damage, over a grid."""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from hopattn.experiments.comparison.compare import axes_of, counted, require_few, rows_at
from hopattn.experiments.comparison.contenders import DEFAULT, chosen
from hopattn.experiments.comparison.result import Comparison
from hopattn.experiments.comparison.row import Row
from hopattn.experiments.comparison.sampling import Draw, Stored
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.scalars import positive, whole

AXES = ("beta", "load", "dim", "noise", "hidden", "correlation")
"""What a grid may run over."""
OF_STORED = ("beta", "noise", "hidden")
"""What a grid may run over where the patterns are given."""


def compare_random(
    over: Mapping[str, Any] | None = None,
    *,
    memories: Any = DEFAULT,
    beta: float | None = None,
    dim: int = 64,
    load: float = 0.1,
    noise: float = 0.1,
    hidden: float = 0.0,
    correlation: float = 0.0,
    n_patterns: int | None = None,
    patterns: str = "spins",
    trials: int = 20,
    max_steps: int = 100,
    seed: int = 0,
) -> Comparison:
    """The same over random patterns and cues that are damaged patterns, at each point of a grid.

    over: the axes of the grid, each the numbers that it runs through, or a text such as "0.1:32:log5"; any of beta,
    load, dim, noise, hidden and correlation. What is not in the grid is as given; `Draw` in
    `sampling.py` describes each. n_patterns: in place of the load. patterns: "spins" or "unit". trials: how many draws at each point; the standard error of what is recalled comes from their spread. Raises `InvalidInput` for a
    grid or a number that cannot be.

    >>> import hopattn as ha
    >>> found = ha.compare_random({"load": [0.05, 0.5]}, memories=["classical"], trials=4)
    >>> [row.recalled > 0.9 for row in found.rows]
    [True, False]
    """
    axes = axes_of({} if over is None else over, AXES)
    if n_patterns is not None and "load" in axes:
        raise InvalidInput("load: n_patterns says how many are stored; give one of them")
    plan = Draw(dim, load, noise, hidden, correlation, patterns, n_patterns)
    return _over_grid(plan, axes, memories, beta, trials, max_steps, seed)


def compare_patterns(
    patterns: Any,
    over: Mapping[str, Any] | None = None,
    *,
    memories: Any = DEFAULT,
    beta: float | None = None,
    noise: float = 0.1,
    hidden: float = 0.0,
    trials: int = 20,
    max_steps: int = 100,
    seed: int = 0,
) -> Comparison:
    """The same over patterns `(n_patterns, dim)` that are given, with cues that are damaged patterns.

    over: as for `compare_random`, any of beta, noise and hidden. noise: where all patterns are ±1, the fraction of the
    entries that is reversed; else the length of the normal noise, relative to the pattern's. Raises `InvalidInput` for
    patterns, a grid or a number that cannot be.

    >>> import hopattn as ha
    >>> letters = [[1, 1, 1, -1, -1, -1], [1, -1, 1, -1, 1, -1]]
    >>> found = ha.compare_patterns(letters, noise=0.0, memories=["nearest"])
    >>> found.rows[0].recalled
    1.0
    """
    plan = Stored(patterns, noise, hidden)
    axes = axes_of({} if over is None else over, OF_STORED)
    return _over_grid(plan, axes, memories, beta, trials, max_steps, seed)


def _over_grid(
    plan: Draw | Stored,
    axes: Mapping[str, tuple[float, ...]],
    memories: Any,
    beta: float | None,
    trials: int,
    max_steps: int,
    seed: int,
) -> Comparison:
    """Every memory at every point; all numbers are checked before anything is computed."""
    if beta is not None and "beta" in axes:
        raise InvalidInput("beta: is given both as a number and as an axis; give one of them")
    own_beta = None if beta is None else positive(beta, "beta")
    whole(trials, "trials")
    whole(max_steps, "max_steps")
    whole(seed, "seed", least=0)
    points = [dict(zip(axes, numbers, strict=True)) for numbers in product(*axes.values())]
    contending = chosen(memories)
    require_few(len(contending) * len(points) * trials)
    plans = [plan.at(point) for point in points]
    rows: list[Row] = []
    names: tuple[str, ...] = ()
    for point, own in zip(points, plans, strict=True):
        questions = list(own.trials(trials, seed))
        some, held = rows_at(contending, questions, {"beta": own_beta, **point}, max_steps, seed)
        rows, names = [*rows, *some], held or names
    about = _stored(plan, axes) if isinstance(plan, Stored) else _drawn(plan, axes)
    runs = [f"{name} from {numbers[0]:g} to {numbers[-1]:g}" for name, numbers in axes.items()]
    ending = f"{counted(trials, 'draw')}{' at each point' if axes else ''}"
    return Comparison(", ".join([about, *runs, ending]), tuple(rows), tuple(axes), seed, names)


def _drawn(plan: Draw, axes: Mapping[str, Sequence[float]]) -> str:
    """What is drawn, in words; what the grid runs over is left to it."""
    named = {"spins": "of ±1", "unit": "of unit magnitude"}[plan.kind]
    many = (
        "random patterns"
        if {"load", "dim"} & {*axes} and not plan.n_patterns
        else counted(plan.count, "random pattern")
    )
    size = "" if "dim" in axes else f" of {counted(plan.dim, 'neuron')}"
    parts = [f"{many} {named}{size}"]
    if plan.noise and "noise" not in axes:
        told = f"{plan.noise:.3g} of the neurons reversed" if plan.kind == "spins" else f"noise of {plan.noise:.3g}"
        parts.append(told)
    if plan.hidden and "hidden" not in axes:
        parts.append(f"{plan.hidden:.3g} of the neurons hidden")
    if plan.correlation and "correlation" not in axes:
        parts.append(f"correlation {plan.correlation:.3g}")
    return ", ".join(parts)


def _stored(plan: Stored, axes: Mapping[str, Sequence[float]]) -> str:
    n, dim = plan.patterns.shape
    parts = [f"{counted(n, 'pattern')} of dim {dim}"]
    if plan.noise and "noise" not in axes:
        parts.append(
            f"{plan.noise:.3g} of the entries reversed" if plan.kind == "spins" else f"noise of {plan.noise:.3g}"
        )
    if plan.hidden and "hidden" not in axes:
        parts.append(f"{plan.hidden:.3g} of the entries hidden")
    return ", ".join(parts)
