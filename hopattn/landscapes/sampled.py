"""The share of damaged cues that return to their pattern, by sampling, for any number of neurons."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import numpy as np

from hopattn.dynamics.recall import AssociativeMemory
from hopattn.dynamics.updates.base import Update
from hopattn.foundation.argument_names import PublicObject
from hopattn.foundation.arrays import Array, as_float64, on_host
from hopattn.foundation.boundary import Proportion, public
from hopattn.foundation.checks import REPEATED, Seed, function, generator, instance, require_room, whole
from hopattn.foundation.errors import InvalidInput, quoted
from hopattn.foundation.intervals import wilson
from hopattn.foundation.threads import blocks
from hopattn.foundation.vectors import normalised

CUE_NUMBERS_HELD = 2**22
"""The numbers of the cues that are recalled together."""
DAMAGES = 11
"""The number of damages that are tried where none are given."""
MOST_DAMAGE = 0.5, 2.0
"""The largest of these: half of the spins, and a noise twice as long as the pattern."""


def _increasing(values: Any, what: str, least: float = 0.0) -> np.ndarray:
    """Numbers of at least `least`, each larger than the one before, `(n,)`."""
    numbers = np.atleast_1d(as_float64(values, what))
    rising = numbers.ndim == 1 and numbers.size and np.all(np.isfinite(numbers)) and np.all(np.diff(numbers) > 0)
    if not rising or numbers[0] < least:
        raise InvalidInput(f"{what}: expected rising numbers of at least {least:g}, not {quoted(values)}")
    return numbers


Cues = Annotated[int, partial(whole, most=REPEATED)]
Damages = Annotated[Array, _increasing]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Returns(PublicObject):
    """The cues that return, by their damage.

    Attributes
    ----------
    damage : (n_d,)
        the fraction of the neurons that are reversed; of continuous states the length of the noise by that of the
        pattern.
    returned : (n_d,)
        of `cues` each.
    share : (n_d,)
    low, high : (n_d,)
        Wilson's interval of the share at `level`.
    by_memory : (n_m, n_d)
        `returned` of each memory that the cues come from.

    Notes
    -----
    Source: Wilson (1927), J. Am. Stat. Assoc. 22, 209.
    """

    damage: np.ndarray
    returned: np.ndarray
    cues: int
    level: float
    low: np.ndarray
    high: np.ndarray
    by_memory: np.ndarray

    @property
    def share(self) -> np.ndarray:
        """The share of the cues that return, `(n_d,)`."""
        return self.returned / self.cues

    @property
    def radius(self) -> float:
        """The damage up to which at least half of the cues return, on the line through the shares."""
        return self._half(self.share)

    @property
    def radius_interval(self) -> tuple[float, float]:
        """The damages at which the lower and the upper end of the interval fall below one half."""
        return self._half(self.low), self._half(self.high)

    @property
    def radius_error(self) -> float:
        """The standard error of the radius, from the radii of the memories; NaN for a single one."""
        shares = self.by_memory * (len(self.by_memory) / self.cues)
        spread = np.std([self._half(share) for share in shares], ddof=1) if len(shares) > 1 else np.nan
        return float(spread / np.sqrt(len(shares)))

    def __repr__(self) -> str:
        if np.all(self.share >= 0.5):
            return f"Returns(at least half return at every damage, up to {self.damage[-1]:.3g})"
        if self.share[0] < 0.5:
            return f"Returns(fewer than half return, even at a damage of {self.damage[0]:.3g})"
        low, high = self.radius_interval
        return f"Returns(half return up to {self.radius:.3g}, {self.level:.0%} from {low:.3g} to {high:.3g})"

    def _half(self, share: np.ndarray) -> float:
        """The first damage at which the share falls below one half; the last one if it never does."""
        below = np.flatnonzero(share < 0.5)
        if not below.size:
            return float(self.damage[-1])
        after = int(below[0])
        if after == 0:
            return 0.0
        (x, y), (a, b) = self.damage[after - 1 : after + 1], share[after - 1 : after + 1]
        return float(x + (y - x) * (a - 0.5) / (a - b))


@public
def returns(
    memory: AssociativeMemory,
    damage: Damages = None,
    *,
    cues: Cues = 400,
    update: str | Update | None = None,
    rng: Seed = None,
    max_steps: int = 100,
    level: Proportion = 0.95,
) -> Returns:
    """The share of damaged cues whose recall matches the pattern that was damaged, with an interval.

    Parameters
    ----------
    memory : a memory with patterns.
    damage
        rising numbers of 0 or more; by default 11 from 0 to 0.5 for spins, of which so many are reversed, and to 2 for
        continuous states, to which Gaussian noise of a fixed length is added.
    cues : the number at each damage, each of a random pattern.
    update, max_steps : as of a recall.
    level : of the interval.

    Raises
    ------
    InvalidInput : for other arguments, and for a memory without patterns.

    Notes
    -----
    A cue returns if its recall matches its pattern (`Recall.matched`), or an equal one.

    Examples
    --------
    >>> import hopattn as ha, numpy as np
    >>> patterns = np.random.default_rng(0).choice([-1.0, 1.0], size=(5, 100))
    >>> curve = returns(ha.memories.hopfield(patterns), [0.1, 0.2, 0.3, 0.4, 0.5], rng=0)
    >>> curve.share.round(2)
    array([1.  , 1.  , 0.97, 0.48, 0.  ])
    """
    return pooled([memory], damage, cues, (update, max_steps), generator(rng), level)


def pooled(
    memories: Iterable[AssociativeMemory],
    damage: np.ndarray | None,
    cues: int,
    rule: tuple[Any, int],
    rng: np.random.Generator,
    level: float = 0.95,
) -> Returns:
    """The returns of several memories of one size together, so many cues of each. rule: update and max_steps."""
    counts, fractions = [], np.zeros(0)
    for memory in memories:
        fractions = damages(memory.activation.discrete, int(memory._reference.shape[-1]), damage)
        counts.append(_returned(memory, fractions, cues, rule, rng))
    returned, every = np.sum(counts, axis=0), cues * len(counts)
    low, high = wilson(returned / every, every, level).T
    return Returns(
        damage=fractions, returned=returned, cues=every, level=level, low=low, high=high, by_memory=np.array(counts)
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class Radii(PublicObject):
    """The radius within which half of the cues return, by the load.

    Attributes
    ----------
    load : (n_l,)
        patterns a neuron.
    radius, low, high : (n_l,)
        with their interval.
    returns : a `Returns` for each.
    error : (n_l,)
        the standard error of the radius, from the memories of each load.
    """

    load: np.ndarray
    radius: np.ndarray
    low: np.ndarray
    high: np.ndarray
    returns: tuple[Returns, ...]

    @property
    def error(self) -> np.ndarray:
        """The standard error of each radius, `(n_l,)`; NaN for one memory a load."""
        return np.array([curve.radius_error for curve in self.returns])


@public
def radii(
    build: Callable[[np.ndarray], AssociativeMemory],
    load: Annotated[Array, _increasing],
    *,
    neurons: Annotated[int, partial(whole, least=2, most=100_000)] = 100,
    damage: Damages = None,
    cues: Cues = 400,
    memories: Cues = 4,
    update: str | Update | None = None,
    rng: Seed = None,
) -> Radii:
    """The radius within which half of the damaged cues return, against the load.

    Parameters
    ----------
    build : makes a memory from random patterns of ±1, `(n_patterns, neurons)`, such as `ha.memories.hopfield`.
    load : rising, patterns a neuron; at least one pattern is stored.
    cues
        the number at each load and damage, shared by so many `memories` of patterns of their own. The interval counts
        all cues alike, `Radii.error` the memories, which may differ more.
    damage, update : as of `returns`.

    Raises
    ------
    InvalidInput : for other arguments.

    Examples
    --------
    >>> import hopattn as ha
    >>> radii(ha.memories.hopfield, [0.02, 0.1], neurons=60, rng=0).radius.round(2)
    array([0.5 , 0.34])
    """
    function(build, "build")
    draws, each = generator(rng), -(-cues // memories)

    def samples(n: int) -> Iterable[AssociativeMemory]:
        for _ in range(memories):
            memory = build(draws.choice([-1.0, 1.0], size=(n, neurons)))
            yield instance(memory, AssociativeMemory, "build", f"a function that gives {AssociativeMemory._noun}")

    most = float(load[-1]) * neurons
    require_room(int(min(most * neurons, 2.0**62)), f"{most:,.0f} patterns of {neurons:,} neurons")
    stored = [max(1, round(float(alpha) * neurons)) for alpha in load]
    curves = [pooled(samples(n), damage, each, (update, 100), draws) for n in stored]
    ends = np.array([curve.radius_interval for curve in curves])
    return Radii(
        load=load,
        radius=np.array([curve.radius for curve in curves]),
        low=ends[:, 0],
        high=ends[:, 1],
        returns=tuple(curves),
    )


def damages(spins: bool, n: int, damage: np.ndarray | None) -> np.ndarray:
    """The damages of n neurons, or of states of n numbers; of spins those that whole numbers of neurons give."""
    damage = np.linspace(0, MOST_DAMAGE[not spins], DAMAGES) if damage is None else damage
    if not spins:
        return damage
    if damage[-1] > 1:
        raise InvalidInput(f"damage: expected fractions of the neurons, from 0 to 1, not {damage[-1]:g}")
    return np.unique(np.rint(damage * n)) / n


def _returned(
    memory: AssociativeMemory, damage: np.ndarray, cues: int, rule: tuple[Any, int], rng: np.random.Generator
) -> np.ndarray:
    """The number of cues that return, of so many at each damage, `(n_d,)`."""
    patterns = on_host(memory.patterns).astype(float)
    if not len(patterns):
        raise InvalidInput("memory: has no patterns to return to; give it `patterns`")
    targets = rng.integers(len(patterns), size=(len(damage), cues))
    damaged = [_damaged(memory, patterns[target], float(x), rng) for target, x in zip(targets, damage, strict=True)]
    counts = []
    for rows in blocks(
        len(damage), max(1, CUE_NUMBERS_HELD // (cues * patterns.shape[1]))
    ):  # several damages in one recall
        states = np.concatenate(damaged[rows])
        matched = memory.recall(states, update=rule[0], max_steps=rule[1], rng=rng).matched
        same = (matched >= 0) & np.all(patterns[matched] == patterns[targets[rows].ravel()], axis=1)
        counts += same.reshape(-1, cues).sum(axis=1).tolist()
    return np.array(counts)


def _damaged(memory: AssociativeMemory, states: np.ndarray, damage: float, rng: np.random.Generator) -> np.ndarray:
    """States `(n, N)` with so much damage, within the domain of the activation."""
    activation, draws = memory.activation, rng.normal(size=states.shape)
    if activation.discrete:
        reversed_ = draws.argsort(axis=1).argsort(axis=1) < round(damage * states.shape[1])
        return np.where(reversed_, activation.silent + 1 - states, states)
    noisy = states + damage * np.linalg.norm(states, axis=1, keepdims=True) * normalised(draws)
    outside = np.array([bool(activation.why_outside_domain(row)) for row in noisy])
    return np.asarray(np.where(outside[:, None], activation(noisy), noisy))
