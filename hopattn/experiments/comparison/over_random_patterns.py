"""The comparison on random patterns, or on given patterns with random damage, over a grid."""

from collections.abc import Mapping
from itertools import product
from typing import Any, Unpack

from hopattn.experiments.comparison.compare import RecallOptions, RecallSettings, checked_axes, comparison, fixed_beta
from hopattn.experiments.comparison.cost import Admit, admit_all
from hopattn.experiments.comparison.result import Comparison
from hopattn.experiments.comparison.sampling import Draw
from hopattn.foundation.arrays import Array, as_numpy
from hopattn.foundation.boundary import public
from hopattn.foundation.checks import whole
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.writing import counted

AXES = ("beta", "load", "dim", "noise", "hidden", "correlation")
"""The axes that a grid may have."""
AXES_OF_GIVEN = ("beta", "noise", "hidden")
"""The axes that a grid may have if the patterns are given."""
DRAWN = ("dim", "load", "noise", "hidden", "correlation", "n_patterns")
"""The keywords that are fields of `Draw` by the same name."""
TRIALS = 20
"""The default number of trials at each point."""


class PatternOptions(RecallOptions, total=False):
    """The keywords of `compare_patterns`."""

    beta: float | None
    noise: float
    hidden: float
    trials: int


class RandomOptions(PatternOptions, total=False):
    """The keywords of `compare_random`."""

    dim: int
    load: float
    correlation: float
    n_patterns: int | None
    patterns: str


@public
def compare_random(over: Mapping[str, Any] | None = None, **options: Unpack[RandomOptions]) -> Comparison:
    """Compare several memories on random patterns, with cues that are damaged patterns, at each point of a grid.

    Parameters
    ----------
    over
        the axes of the grid by name, any of beta, load, dim, noise, hidden and correlation. Each has numbers in rising
        order, or a text such as "0.1:32:log5" (None: a single point).
    memories
        as for `compare` (hopfield, dense, modern, sparse, linear, nearest); one of your own as a function, such as
        `{"steep": lambda keys: ha.memories.sparse(keys, beta=9)}`, which is called with the patterns of each draw.
    beta
        the inverse temperature of modern, sparse, entmax and normmax (None: √dim over the mean squared length of a
        key).
    dim : the number of neurons (64).
    load : patterns per neuron (0.1).
    noise : of spins, the fraction that is reversed, 0 to 1; of unit vectors, the length of the normal noise (0.1).
    hidden : the fraction of entries of a cue that become 0 (unknown), from 0 to below 1 (0).
    correlation : the expected cosine of two patterns, from 0 to below 1 (0).
    n_patterns : the number of patterns, instead of a load (None).
    patterns : "spins" or "unit" ("spins").
    trials : independent draws at each point; their differences give the interval of what is recalled (20).
    max_steps : of each recall (100).
    rng : the seed of all random numbers, or a generator, which gives one (None: one is drawn). The comparison keeps it.
    report : called as `report(done, total)` after each recall of a memory (None).

    Raises
    ------
    InvalidInput : for an invalid grid or number, and an unknown keyword.

    Notes
    -----
    An axis replaces the keyword. A load of the result is P/N, with P a whole number of patterns, whatever was asked.

    Examples
    --------
    >>> import hopattn as ha
    >>> result = ha.experiments.compare_random({"load": [0.05, 0.5]}, memories=["hopfield"], trials=4, rng=0)
    >>> [row.recalled > 0.9 for row in result.rows]
    [True, False]
    """
    return compare_draws(over, options)


@public
def compare_patterns(
    patterns: Array, over: Mapping[str, Any] | None = None, **options: Unpack[PatternOptions]
) -> Comparison:
    """Compare several memories on given patterns, with cues that are damaged patterns, at each point of a grid.

    Of more than 100 patterns, each draw takes 100 at random as cues.

    Parameters
    ----------
    patterns : (n_patterns, dim)
    over : as for `compare_random`, any of beta, noise and hidden (None: a single point).
    memories : as for `compare` (hopfield, dense, modern, sparse, linear, nearest).
    beta
        the inverse temperature of modern, sparse, entmax and normmax (None: √dim over the mean squared length of a
        key).
    noise
        if all entries are ±1, the fraction that is reversed; else the length of the normal noise, relative to the
        length of the pattern (0.1).
    hidden : the fraction of entries of a cue that become 0 (unknown), from 0 to below 1 (0).
    trials : independent draws of cues and damage at each point (20).
    max_steps : of each recall (100).
    rng : the seed of all random numbers, or a generator, which gives one (None: one is drawn). The comparison keeps it.
    report : called as `report(done, total)` after each recall of a memory (None).

    Raises
    ------
    InvalidInput : for invalid patterns, an invalid grid or number, and an unknown keyword.

    Examples
    --------
    >>> import hopattn as ha
    >>> letters = [[1, 1, 1, -1, -1, -1], [1, -1, 1, -1, 1, -1]]
    >>> result = ha.experiments.compare_patterns(letters, noise=0.0, memories=["nearest"], rng=0)
    >>> result.rows[0].recalled
    1.0
    """
    return compare_draws(over, options, given=as_numpy(patterns, "patterns"))


def compare_draws(
    over: Mapping[str, Any] | None, options: Mapping[str, Any], admit: Admit = admit_all, given: Any = None
) -> Comparison:
    """As `compare_random`, or as `compare_patterns` of the patterns `given`; all numbers are checked before a recall.

    admit: called with the size of the problems at each point before patterns are drawn.
    """
    axes = checked_axes({} if over is None else over, AXES if given is None else AXES_OF_GIVEN)
    if options.get("n_patterns") is not None and "load" in axes:
        raise InvalidInput("load: n_patterns says how many are stored; give one of them")
    own = {name: options[name] for name in DRAWN if name in options}
    draw = Draw(**own, kind=options.get("patterns", Draw.kind), given=given)
    beta = fixed_beta(options.get("beta"), axes)
    trials = whole(options.get("trials", TRIALS), "trials")
    settings = RecallSettings.of(options)
    asked = [dict(zip(axes, numbers, strict=True)) for numbers in product(*axes.values())]
    settings.recalls(len(asked) * trials)
    draws: dict[tuple[float, ...], Draw] = {}
    for point in asked:  # two loads may be the same P/N
        one = draw.at(point)
        point |= {"load": one.count / one.dim} if "load" in axes else {}
        draws.setdefault(tuple(point.values()), one)
    recalls = settings.recalls(len(draws) * trials)
    admit([one.size._replace(draws=trials if given is None else 1) for one in draws.values()])
    ranges = [f"{name} from {numbers[0]:g} to {numbers[-1]:g}" for name, numbers in axes.items()]
    ending = f"{counted(trials, 'draw')}{' at each point' if axes else ''}"
    problems = (list(one.trials(trials, settings.seed)) for one in draws.values())
    numbers = [{"beta": beta, **dict(zip(axes, point, strict=True))} for point in draws]
    about = ", ".join([draw.about(axes), *ranges, ending])
    return comparison(about, axes, zip(problems, numbers, strict=True), settings, recalls)
