"""The fixed points of a continuous memory, stable or not, and how they merge as a parameter changes.

    x = f(x), f the synchronous step          F(x) = f(x) − x          Newton: x ← x + (1 − J)⁻¹ F(x),  J = ∂f/∂x

A recall ends at stable points alone; Newton's method ends at saddles and maxima of the energy too.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import numpy as np

from hopattn.dynamics.recall import AssociativeMemory
from hopattn.dynamics.updates.synchronous import Synchronous
from hopattn.foundation.argument_names import PublicObject
from hopattn.foundation.arrays import Array, as_float64, shaped
from hopattn.foundation.boundary import Of, public
from hopattn.foundation.checks import Seed, function, generator, instance, require_time, whole
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.registry import name_of
from hopattn.foundation.threads import blocks
from hopattn.foundation.vectors import row_length

NEWTON_STEPS = 60
"""The steps of Newton's method from each start."""
RESIDUAL, APART = 1e-9, 1e-5
"""The largest |f(x) − x| of a fixed point, and the distance of two of them, by the longest pattern."""
MORE = 3
"""How often more starts are drawn, each time twice as many, while the index sum says that a point is missing."""
MARGINAL = 1e-6
"""An eigenvalue as near to 1 as this: the points merge, or form a line, and the index sum says nothing."""
JACOBIAN_NUMBERS_HELD = 2**21
"""The numbers of the Jacobians that are held together."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class FixedPoints(PublicObject):
    """K fixed points of the synchronous step, in the order of their energy, or of their first coordinates.

    Attributes
    ----------
    state : (K, dim)
    energy : (K,)
        None for a memory without one.
    eigenvalues : (K, dim)
        those of the Jacobian by falling size, complex where f is not a gradient.
    matched : (K,)
        the stored pattern that a recall would name there, −1 for none.
    """

    state: np.ndarray
    energy: np.ndarray | None
    eigenvalues: np.ndarray
    matched: np.ndarray

    @property
    def stable(self) -> np.ndarray:
        """Whether states nearby return under the synchronous update, `(K,)`: all |λ| < 1, by more than rounding."""
        return np.asarray(np.all(np.abs(self.eigenvalues) < 1 - MARGINAL, axis=-1))

    @property
    def index(self) -> np.ndarray:
        """The number of directions in which the energy falls away, real λ > 1, `(K,)`: 0 at a minimum."""
        real = np.abs(self.eigenvalues.imag) <= 1e-8 * np.abs(self.eigenvalues)
        return np.asarray(np.sum((self.eigenvalues.real > 1) & real, axis=-1))

    @property
    def index_sum(self) -> int:
        """Σ (−1)^index. It is 1 if no point was missed, where f maps a ball into itself and no λ is 1.

        So it is for softmax memories and graded neurons. Another number says that a point is missing; 1 does not prove
        that none is. Source: the index theorem of Lefschetz and Hopf.
        """
        return int(np.sum((-1) ** self.index))

    def __repr__(self) -> str:
        return f"FixedPoints({len(self.state)}, {int(self.stable.sum())} of them stable; index sum {self.index_sum})"


@public
def fixed_points(
    memory: Any, starts: Array = None, *, count: Annotated[int, partial(whole, most=100_000)] = 300, rng: Seed = None
) -> FixedPoints:
    """The fixed points of a continuous memory that Newton's method and recalls find from many starts.

    Parameters
    ----------
    memory : any whose states are not spins, of NumPy arrays: `ha.memories.modern`, `ha.memories.graded`, `ha.Memory`.
    starts : (n, dim)
        more of them.
    count
        the number of random ones, mixtures of some of the patterns; the patterns, the means of pairs and 0 are added,
        and more are drawn while `FixedPoints.index_sum` says that a point is missing.
    rng : a seed or a generator, of the random starts; by default every call draws others.

    Raises
    ------
    InvalidInput : for spins and other arguments.

    Notes
    -----
    The Jacobian is exact for softmax memories, otherwise of central differences.

    Examples
    --------
    >>> import hopattn as ha
    >>> points = fixed_points(ha.memories.modern([[1.0, 0.0], [-1.0, 0.0]], beta=2.0), rng=0)
    >>> points.state[:, 0].round(3) + 0.0, points.index
    (array([-0.958,  0.958,  0.   ]), array([0, 0, 1]))
    """
    memory, draws = _checked_memory(memory), generator(rng)
    patterns = np.asarray(memory.patterns, dtype=float)
    starts = np.zeros_like(patterns[:0]) if starts is None else np.atleast_2d(as_float64(starts, "starts"))
    shaped(starts, "starts", "… dim", dim=(patterns.shape[1], "patterns"))
    size = max(float(row_length(patterns).max()), 1e-300)
    states = _ends(memory, np.concatenate([starts, _starts(patterns, count, draws)]), size)
    for more in range(1, MORE + 1):
        points = _described(memory, states)
        level = np.any(np.abs(points.eigenvalues - 1) < MARGINAL)
        if points.index_sum == 1 or level or memory.activation.directional:
            break
        states = _apart(np.concatenate([states, _ends(memory, _starts(patterns, 2**more * count, draws), size)]), size)
    return points


def _ends(memory: AssociativeMemory, starts: np.ndarray, size: float) -> np.ndarray:
    """The fixed points at which Newton's method ends, from the starts and from the ends of their recalls."""
    n, dim = starts.shape
    require_time(2.0 * NEWTON_STEPS * n * dim**3, f"Newton's method from {n:,} starts of dim {dim}")
    inside = [row for row in starts if not memory.activation.why_outside_domain(row)]
    with np.errstate(all="ignore"):
        every = np.concatenate([starts, memory.recall(np.array(inside), update=Synchronous()).state])
        parts = blocks(len(every), max(1, JACOBIAN_NUMBERS_HELD // dim**2))
        x = np.concatenate([_newton(memory, every[rows], size) for rows in parts])
        residual = np.abs(np.asarray(memory.step(x)) - x).max(axis=-1)
        beside = x + 1e-9 * size  # where nothing is near and all states stay as they are, none is a point by itself
        alone = np.asarray(memory._nothing_near(x)) & np.all(np.asarray(memory.step(beside)) == beside, axis=-1)
    good = np.flatnonzero((residual <= RESIDUAL * size) & ~alone)
    return _apart(x[good[np.argsort(residual[good], kind="stable")]], size)


def _described(memory: AssociativeMemory, state: np.ndarray) -> FixedPoints:
    """The fixed points in their order, with all that is said of them."""
    if not len(state):
        raise InvalidInput("memory: no fixed point was found; give more starts, or other ones")
    energy = None if memory.why_not("energy") else np.asarray(memory.energy(state))
    order = np.lexsort((*state.T[::-1].round(9), *([] if energy is None else [energy.round(9)])))
    state, energy = state[order], None if energy is None else energy[order]
    eigenvalues = np.real_if_close(np.linalg.eigvals(jacobian(memory, state)), tol=1e8)
    by_size = np.take_along_axis(eigenvalues, np.argsort(-np.abs(eigenvalues), axis=-1), axis=-1)
    return FixedPoints(
        state=state, energy=energy, eigenvalues=by_size, matched=memory._reference.likeness(state).matched
    )


def jacobian(memory: AssociativeMemory, states: np.ndarray) -> np.ndarray:
    """∂x⁺/∂x at states `(n, dim)`, `(n, dim, dim)`: exact for softmax memories, else by central differences."""
    exact: Any = memory
    if hasattr(memory, "jacobian") and not exact.retrieval._why_no_jacobian:
        return np.asarray(exact.jacobian(states))
    n, dim = states.shape
    width = np.finfo(float).eps ** (1 / 3) * np.maximum(np.abs(states).max(axis=-1), 1e-3)[:, None, None]
    moved = states[:, None] + np.concatenate([width * np.eye(dim), -width * np.eye(dim)], axis=1)
    after = np.asarray(memory.step(moved.reshape(-1, dim))).reshape(n, 2, dim, dim)
    return np.asarray((after[:, 0] - after[:, 1]).swapaxes(-1, -2) / (2 * width))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Bifurcation(PublicObject):
    """The fixed points at each value of a parameter. value: `(n_v,)`. points: a `FixedPoints` for each value."""

    value: np.ndarray
    points: tuple[FixedPoints, ...]

    @property
    def count(self) -> np.ndarray:
        """The number of fixed points at each value, `(n_v,)`."""
        return np.array([len(points.state) for points in self.points])

    @property
    def stable(self) -> np.ndarray:
        """The number of stable ones, `(n_v,)`."""
        return np.array([int(points.stable.sum()) for points in self.points])

    @property
    def between(self) -> np.ndarray:
        """The pairs of neighbouring values between which the number of fixed points changes, `(n, 2)`."""
        changed = np.flatnonzero(np.diff(self.count))
        return np.column_stack([self.value[changed], self.value[changed + 1]])

    def __repr__(self) -> str:
        return f"Bifurcation({len(self.value)} values, from {self.count[0]} to {self.count[-1]} fixed points)"


@public
def bifurcation(
    build: Annotated[Callable[[float], AssociativeMemory], function],
    values: Annotated[Array, as_float64, Of("n", finite=True)],
    *,
    count: int = 300,
    rng: Seed = None,
) -> Bifurcation:
    """The fixed points of a memory against a parameter, such as β: how many, where, and how they merge.

    Parameters
    ----------
    build : makes the memory of a value, such as `lambda beta: ha.memories.modern(patterns, beta=beta)`.
    values : (n,)
        in the order in which they are followed; the points at one value are starts at the next.
    count, rng : as of `fixed_points`.

    Raises
    ------
    InvalidInput : for other arguments.

    Notes
    -----
    For two patterns v and −v, x = v tanh(β v·x): three points merge into one at β = 1/|v|².

    Examples
    --------
    >>> import hopattn as ha
    >>> build = lambda beta: ha.memories.modern([[1.0, 0.0], [-1.0, 0.0]], beta=beta)
    >>> course = bifurcation(build, [2.0, 1.1, 0.9, 0.5], rng=0)
    >>> course.count, course.stable
    (array([3, 3, 1, 1]), array([2, 2, 1, 1]))
    """
    draws, points, starts = generator(rng), [], None
    for value in values.tolist():
        points.append(fixed_points(build(value), starts, count=count, rng=draws))
        starts = points[-1].state
    return Bifurcation(value=values, points=tuple(points))


def _checked_memory(value: Any) -> AssociativeMemory:
    memory = instance(value, AssociativeMemory, "memory", "a memory, such as ha.memories.modern(patterns)")
    if memory.activation.discrete:
        name = name_of(memory.activation)
        raise InvalidInput(f"memory: its activation '{name}' gives spins; ha.landscapes.spin_states has their states")
    if reason := memory.why_not("recall"):
        raise InvalidInput(f"memory: {reason}")
    if not isinstance(memory.patterns, np.ndarray) or not len(memory.patterns):
        raise InvalidInput("memory: expected one with patterns of NumPy, from which the search starts")
    return memory


def _starts(patterns: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    """The patterns, the means of pairs, 0, and random mixtures of one to six patterns; at most `count` of each kind.

    Half of the mixtures have random signs: graded neurons have the reverse of each fixed point too.
    """
    n, dim = patterns.shape
    i, j = np.triu_indices(n, 1)
    pairs = np.sort(rng.choice(len(i), min(count, len(i)), replace=False)) if len(i) else i
    most = rng.integers(1, min(n, 6) + 1, size=count)
    shares = rng.exponential(size=(count, n)) * (rng.random((count, n)).argsort(axis=1) < most[:, None])
    shares[::2] *= rng.choice([-1.0, 1.0], size=shares[::2].shape)
    mixed = shares / np.abs(shares).sum(axis=1, keepdims=True) @ patterns
    means = (patterns[i[pairs]] + patterns[j[pairs]]) / 2
    return np.concatenate([patterns[:count], means, np.zeros((1, dim)), mixed])


def _newton(memory: AssociativeMemory, x: np.ndarray, size: float) -> np.ndarray:
    """The states after Newton's method, `(n, dim)`; a step is at most as long as the longest pattern."""
    same = (1 + 1e-13) * np.eye(x.shape[1])  # where 1 is an eigenvalue, the matrix still has an inverse
    for _ in range(NEWTON_STEPS):
        missing = np.asarray(memory.step(x)) - x
        slope = same - jacobian(memory, x)
        try:
            move = np.linalg.solve(slope, missing[..., None])[..., 0]
        except np.linalg.LinAlgError:  # an eigenvalue that rounding brings to 1
            move = (np.linalg.pinv(slope) @ missing[..., None])[..., 0]
        length = row_length(move)
        x = x + move * np.minimum(1, size / np.where(length > 0, length, 1))[:, None]
        if np.all(length <= 1e-14 * size):
            break
    return x


def _apart(states: np.ndarray, size: float) -> np.ndarray:
    """The states without those that are near an earlier one, `(K, dim)`."""
    points, candidates = [], states
    while len(candidates):
        points.append(candidates[0])
        candidates = candidates[row_length(candidates - candidates[0]) > APART * size]
    return np.array(points).reshape(-1, states.shape[1])
