"""Optimisation by a network: an objective is the energy of a network, and recalls from many states go down it.

    f(x) = ½ xᵀQ x + cᵀx + f₀          x_i in {0, 1}, or in {−1, 1}

A class below is a problem: Q, c and f₀ by its coefficients, the states that count as an answer, and what they are
worth. `minimise` recalls from random states. Where a problem is small, the best answer is known by enumeration.
"""

import math
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Annotated, ClassVar, NamedTuple

import numpy as np

from hopattn.dynamics.record import Recall
from hopattn.dynamics.updates import updates
from hopattn.dynamics.updates.asynchronous import Asynchronous
from hopattn.dynamics.updates.base import Update
from hopattn.dynamics.updates.continuous_time import Time
from hopattn.foundation.argument_names import PublicObject
from hopattn.foundation.arrays import Array, as_float64
from hopattn.foundation.boundary import Count, Of, Owner, Proportion, Real, public
from hopattn.foundation.checks import REPEATED, Seed, each, generator, positive, real, require_room, whole
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.intervals import wilson
from hopattn.foundation.sentences import say
from hopattn.foundation.writing import listed, number
from hopattn.landscapes.enumerated import spins
from hopattn.networks.classical import Hopfield
from hopattn.retrieval.activation import Activation, Logistic, Tanh

MOST_ENUMERATED, MOST_CITIES = 16, 12
"""The largest numbers of neurons, and of cities, of which the best answer is found by enumeration."""
ALIKE = 1e-9
"""Two values are the same answer's where they differ by no more than this part of the larger."""
Matrix = Annotated[Array, as_float64, Of("n n", finite=True)]
States = Annotated[Array, as_float64, Of("n_states N")]
Coefficient = Annotated[float, partial(real, least=0.0)]


@dataclass(frozen=True, eq=False, init=False)
class Quadratic(Owner):
    """Any quadratic objective; every state is valid, and its value is the objective.

    Parameters
    ----------
    Q : (N, N)
    c : a number or `(N,)`.
    constant : f₀.
    states : "01" or "±1".

    Raises
    ------
    InvalidInput : as `ha.Hopfield.from_quadratic`.

    Examples
    --------
    >>> problem = Quadratic([[0, 3], [3, 0]], [-1, -2])
    >>> problem.objective([[1, 0], [0, 1], [1, 1]]), problem.optimum
    (array([-1., -2.,  0.]), -2.0)
    """

    measured: ClassVar[str] = "objective"
    """What the value of a state is called."""
    advice: ClassVar[str] = "take more starts, or an update that cools"
    """What to do where no state is valid."""
    start: ClassVar[float] = 0.5
    """The share of active neurons at the start of graded neurons."""
    Q: Annotated[Array, Of("N N")]
    c: Array
    constant: float
    states: str

    @public
    def __init__(
        self,
        Q: Matrix,  # noqa: N803
        c: Array = 0.0,
        constant: Real = 0.0,
        *,
        states: str = "01",
    ) -> None:
        for name, value in (("Q", Q), ("c", as_float64(c, "c")), ("constant", constant), ("states", states)):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "c", np.broadcast_to(self.c, self._spins.bias.shape))  # of the network that they fit

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self.Q)} neurons of {'0 and 1' if self.states == '01' else '±1'})"

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape in which a state is read, such as cities and positions."""
        return (len(self.Q),)

    def network(self, activation: str | Activation | None = None) -> Hopfield:
        """The network of this objective, of spins, or of graded neurons with an activation."""
        return self._spins if activation is None else self._network(activation)

    @cached_property
    def _spins(self) -> Hopfield:
        return self._network(None)

    def _network(self, activation: str | Activation | None) -> Hopfield:
        build = partial(Hopfield.from_quadratic, constant=self.constant, states=self.states)
        return build(self.Q, self.c, activation=activation)

    @public
    def objective(self, x: Annotated[Array, as_float64, Of("… N")]) -> np.ndarray:
        """f(x) of states `(…, N)`, `(…,)`."""
        return np.asarray(0.5 * np.vecdot(x @ self.Q, x) + x @ self.c + self.constant)

    @public
    def valid(self, x: States) -> np.ndarray:
        """Whether each state `(n_states, N)` of spins is an answer, `(n_states,)`."""
        return self._valid(x)

    @public
    def value(self, x: States) -> np.ndarray:
        """The value of each state `(n_states, N)`, `(n_states,)`; of valid ones, the lowest objective has the best."""
        return self._value(x)

    @public
    def said(self, x: Annotated[Array, as_float64, Of("N")], names: Sequence[str] = ()) -> str:
        """A valid state `(N,)` in words. names: of the neurons, cities or nodes; by default 1, 2, 3 …"""
        count = self.shape[0]
        known = each(names, str, "names") or tuple(map(str, range(1, count + 1)))
        if len(known) != count:
            raise InvalidInput(f"names: {len(known)} names do not fit; expected {count}")
        return say("{}, {} {}", self._said(x, known), say(self.measured), number(float(self._value(x[None])[0])))

    @public
    def terms(self, x: Annotated[Array, as_float64, Of("N")]) -> dict[str, float]:
        """The terms of f for a state `(N,)`, each by its formula; their sum is f(x)."""
        return self._terms(x)

    def _terms(self, x: np.ndarray) -> dict[str, float]:
        return {"½ xᵀQ x": float(0.5 * x @ self.Q @ x), "cᵀx": float(x @ self.c), "f₀": self.constant}

    def _valid(self, x: np.ndarray) -> np.ndarray:
        return np.ones(len(x), bool)

    def _value(self, x: np.ndarray) -> np.ndarray:
        return self.objective(x)

    def _said(self, x: np.ndarray, names: Sequence[str]) -> str:
        return f"({listed(map(number, x))})"

    @cached_property
    def optimum(self) -> float | None:
        """The value of the best answer, by enumeration; None for a problem that is too large for that."""
        if len(self.Q) > MOST_ENUMERATED:
            return None
        every = spins(len(self.Q), 0.0 if self.states == "01" else -1.0)
        return float(self.value(every[[np.argmin(self.objective(every))]])[0])


class _Permutation(Quadratic):
    """N² neurons of 0 and 1 in N rows and N columns; a valid state has a single 1 in each row and in each column."""

    @property
    def size(self) -> int:
        """N."""
        return math.isqrt(len(self.Q))

    @property
    def shape(self) -> tuple[int, ...]:
        return self.size, self.size

    @property
    def start(self) -> float:  # type: ignore[override]
        """1/N, so that N neurons of N² are active."""
        return 1 / self.size

    def _valid(self, x: np.ndarray) -> np.ndarray:
        tables = x.reshape(-1, *self.shape)
        return np.asarray(np.all(tables.sum(axis=1) == 1, axis=1) & np.all(tables.sum(axis=2) == 1, axis=1))


class TravellingSalesman(_Permutation):
    """The shortest closed tour through N cities, by N² neurons: V_Xi is 1 where city X is visited at position i.

        f = ½A Σ_X Σ_i Σ_{j≠i} V_Xi V_Xj  +  ½B Σ_i Σ_X Σ_{Y≠X} V_Xi V_Yi  +  ½C (Σ_X Σ_i V_Xi − n)²
            + ½D Σ_X Σ_Y Σ_i d_XY V_Xi (V_Y,i+1 + V_Y,i−1)

    A state is valid if it visits each city once, at a position of its own; its value is the length of the tour.

    Parameters
    ----------
    distances : (N, N)
        d, of at least three cities, 0 or more, symmetric.
    A, B, C, D : the coefficients of a city visited twice, of two cities at once, of the number of visits, of length.
    n
        the number of visits that the network aims at, by default 1.5 N: with n = N, the lengths outweigh the term of C,
        and too few cities are visited. The defaults are for distances below 1.

    Raises
    ------
    InvalidInput : for other distances and coefficients.

    Notes
    -----
    The defaults are those of the ten cities of the source: Hopfield & Tank (1985), Biol. Cybern. 52, 141. The
    best length is found by Held & Karp (1962), J. SIAM 10, 196, for up to 12 cities.

    Examples
    --------
    >>> square = TravellingSalesman([[0, 1, 2, 1], [1, 0, 1, 2], [2, 1, 0, 1], [1, 2, 1, 0]])
    >>> square.optimum, square.said(np.eye(4)[[0, 2, 1, 3]].ravel(), [*"ABCD"])
    (4.0, 'A → C → B → D, length 6')
    """

    measured: ClassVar[str] = "length"
    advice: ClassVar[str] = "take a smaller D, so that the length weighs less"
    distances: np.ndarray
    coefficients: tuple[float, float, float, float, float]
    """A, B, C, D and n."""

    @public
    def __init__(
        self,
        distances: Matrix,
        *,
        A: Coefficient = 500.0,  # noqa: N803
        B: Coefficient = 500.0,  # noqa: N803
        C: Coefficient = 200.0,  # noqa: N803
        D: Coefficient = 500.0,  # noqa: N803
        n: Annotated[float | None, partial(positive, most=1e6)] = None,
    ) -> None:
        cities = len(distances)
        require_room(cities**4, "the couplings of {:,} neurons", cities**2)
        if cities < 3 or np.any(distances < 0) or np.any(distances != distances.T) or np.any(np.diagonal(distances)):
            wanted = "at least three cities, the same numbers of 0 or more both ways, and 0 from a city to itself"
            raise InvalidInput(f"distances: expected {wanted}")
        one, every = np.eye(cities), np.ones((cities, cities))
        beside = np.roll(one, 1, axis=0) + np.roll(one, -1, axis=0)
        visits = 1.5 * cities if n is None else n
        quadratic = A * np.kron(one, every - one) + B * np.kron(every - one, one) + D * np.kron(distances, beside)
        super().__init__(quadratic + C, -C * visits, 0.5 * C * visits**2)
        object.__setattr__(self, "distances", distances)
        object.__setattr__(self, "coefficients", (A, B, C, D, visits))

    def _value(self, x: np.ndarray) -> np.ndarray:
        visits = x.reshape(-1, *self.shape)
        return np.asarray(np.sum(visits * (self.distances @ np.roll(visits, -1, axis=2)), axis=(1, 2)))

    def _terms(self, x: np.ndarray) -> dict[str, float]:
        visits, length, (a, b, c, d, n) = x.reshape(self.shape), float(self._value(x[None])[0]), self.coefficients
        pairs = [float(np.sum(visits.sum(axis=axis) ** 2) - np.sum(x * x)) for axis in (1, 0)]
        terms = {f"½A · {number(pairs[0])}": 0.5 * a * pairs[0], f"½B · {number(pairs[1])}": 0.5 * b * pairs[1]}
        off = f"½C ({number(float(x.sum()))} − {number(n)})²"
        return terms | {off: 0.5 * c * float(x.sum() - n) ** 2, f"D · {number(length)}": d * length}

    @cached_property
    def optimum(self) -> float | None:
        """The length of the shortest tour: the best way from city 0 through each set of others to each of its last."""
        d, others = self.distances, len(self.distances) - 1
        if others >= MOST_CITIES:
            return None
        bits, to = 1 << np.arange(others), d[1:, 1:]
        ways = np.full((1 << others, others), np.inf)
        ways[bits, np.arange(others)] = d[0, 1:]
        for visited in range(1, 1 << others):
            outside = np.flatnonzero(visited & bits == 0)
            ways[visited | bits[outside], outside] = (ways[visited][:, None] + to).min(axis=0)[outside]
        return float((ways[-1] + d[1:, 0]).min())

    def _said(self, x: np.ndarray, names: Sequence[str]) -> str:
        """The cities in their order from the first one, in the direction of its neighbour with the lower number."""
        tour = np.argmax(x.reshape(self.shape), axis=0)
        tour = np.roll(tour, -int(np.flatnonzero(tour == 0)[0]))
        tour = tour if tour[1] < tour[-1] else np.roll(tour[::-1], 1)
        return " → ".join(names[city] for city in tour)


class MaxCut(Quadratic):
    """The division of a graph's nodes into two parts with the largest weight of edges between them.

    x_i = ±1 is the part of node i; f = Σ_{i<j} w_ij (x_i x_j − 1) / 2 is minus the value, the weight that is cut.

    Parameters
    ----------
    weights : (N, N)
        w, symmetric, with a diagonal of 0; an edge that there is not has 0.

    Raises
    ------
    InvalidInput : for other weights.

    Notes
    -----
    Source: Barahona (1982), J. Phys. A 15, 3241, who reads a cut as the energy of spins.

    Examples
    --------
    >>> MaxCut([[0, 1, 1], [1, 0, 1], [1, 1, 0]]).optimum
    2.0
    """

    measured: ClassVar[str] = "cut"

    @public
    def __init__(self, weights: Matrix) -> None:
        if np.any(weights != weights.T) or np.any(np.diagonal(weights)):
            raise InvalidInput("weights: expected a symmetric matrix with a diagonal of 0")
        super().__init__(0.5 * weights, 0.0, -0.25 * float(weights.sum()), states="±1")

    def _value(self, x: np.ndarray) -> np.ndarray:
        return np.asarray(0 - self.objective(x))

    def _said(self, x: np.ndarray, names: Sequence[str]) -> str:
        """The nodes of the part of the first node, and the others."""
        parts = (" ".join(names[i] for i in np.flatnonzero(x == side).tolist()) for side in (x[0], -x[0]))
        return " | ".join(parts)


class Queens(_Permutation):
    """N queens on a board of N × N fields, none of which attacks another; V_ij is 1 where a queen is on field (i, j).

        f = ½A Σ_i (Σ_j V_ij − 1)²  +  ½B Σ_j (Σ_i V_ij − 1)²  +  C · (pairs of queens on one diagonal)

    A state is valid if f is 0.

    Parameters
    ----------
    size : N, at least 4: smaller boards have no answer, or a single queen.
    A, B, C : the coefficients of rows, columns and diagonals, above 0.

    Raises
    ------
    InvalidInput : for other numbers.

    Notes
    -----
    Source: Mańdziuk & Macukow (1992), Biol. Cybern. 66, 375, in another form.

    Examples
    --------
    >>> board = Queens(4)
    >>> x = np.eye(4)[[1, 3, 0, 2]].ravel()
    >>> bool(board.valid(x[None])[0]), board.said(x)
    (True, 'queens in columns 2 4 1 3, penalty 0')
    """

    measured: ClassVar[str] = "penalty"

    @public
    def __init__(
        self,
        size: Annotated[int, partial(whole, least=4, most=32)],
        *,
        A: Annotated[float, positive] = 1.0,  # noqa: N803
        B: Annotated[float, positive] = 1.0,  # noqa: N803
        C: Annotated[float, positive] = 1.0,  # noqa: N803
    ) -> None:
        one, every = np.eye(size), np.ones((size, size))
        row, column = np.divmod(np.arange(size**2), size)
        apart = [np.abs(np.subtract.outer(place, place)) for place in (row, column)]
        diagonal = (apart[0] == apart[1]) & (apart[0] > 0)
        quadratic = A * np.kron(one, every) + B * np.kron(every, one) + C * diagonal
        super().__init__(quadratic, -(A + B), 0.5 * (A + B) * size)

    def _valid(self, x: np.ndarray) -> np.ndarray:
        boards, n = x.reshape(-1, *self.shape), self.size
        both = boards, boards[:, :, ::-1]
        diagonals = [np.trace(one, k, axis1=1, axis2=2) for one in both for k in range(1 - n, n)]
        return np.asarray(super()._valid(x) & np.all(np.stack(diagonals) <= 1, axis=0))

    @property
    def optimum(self) -> float:
        """0: every board of at least four rows has an answer."""
        return 0.0

    def _said(self, x: np.ndarray, names: Sequence[str]) -> str:
        """The column of the queen in each row."""
        columns = np.argmax(x.reshape(self.shape), axis=1) + 1
        return say("queens in columns {}", " ".join(map(str, columns)))


class Search(NamedTuple):
    """Recalls from random states.

    cues: `(n_starts, N)`. low: the smaller value of a spin. graded: whether the neurons are rounded at the end.
    rng: as it is after the draw of the cues; the recalls go on with it.
    """

    network: Hopfield
    rule: Update
    cues: np.ndarray
    low: float
    graded: bool
    max_steps: int
    rng: np.random.Generator

    @property
    def alone(self) -> bool:
        """Whether each start has an order of neurons of its own; one order for all would make them alike."""
        return self.rule == Asynchronous("random")

    def ended(self) -> np.ndarray:
        """The last states, of spins, `(n_starts, N)`."""
        parts = np.array_split(self.cues, len(self.cues) if self.alone else 1)
        states = np.concatenate([self._recall(some, self.rule).state for some in parts])
        return np.asarray(self._recall(states, "async").state) if self.rule.stochastic else self._rounded(states)

    def way(self, i: int) -> np.ndarray:
        """The states of start `i`, `(n_steps + 1, N)`: its cue first, the last one as `ended` gives it.

        The generator must be as it was before the recalls.
        """
        if self.rule.stochastic:
            self.rng.spawn(i)  # the random numbers of the starts before it
        for k in range(0 if self.alone else i, i + 1):
            recall = self._recall(self.cues[[k]], self.rule, "trajectory")
        last = self._rounded(recall.state)[None]
        if self.rule.stochastic:
            last = self._recall(recall.state, "async", "trajectory").trajectory
        return np.concatenate([recall.trajectory[:-1], last])[:, 0]

    def _recall(self, cues: np.ndarray, rule: Update | str, keep: Sequence[str] = ()) -> Recall:
        """The recall of cues. A quench after neurons that turn by chance draws no numbers."""
        rng = self.rng if rule is self.rule else None
        return self.network.recall(cues, update=rule, max_steps=self.max_steps, rng=rng, keep=keep)

    def _rounded(self, states: np.ndarray) -> np.ndarray:
        """States of spins; of graded neurons the nearest ones."""
        return np.where(states > 0.5 * (1 + self.low), 1.0, self.low) if self.graded else states


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Minimised(PublicObject):
    """Where recalls from many states ended.

    Attributes
    ----------
    problem : the objective.
    ended : (n_starts, N)
        the last states, of spins; graded neurons are rounded.
    valid : (n_starts,)
        whether each is an answer.
    value : (n_valid,)
        of the valid states, in their order.
    shares : (2, 3)
        of the starts that end in a valid state, and in a best one, each with Wilson's interval at `level`.
    """

    problem: Quadratic
    ended: np.ndarray
    valid: np.ndarray
    value: np.ndarray
    level: float
    _search: Search

    @cached_property
    def best(self) -> np.ndarray:
        """Whether each start ended in a best answer, `(n_starts,)`; without an `optimum`, in the best one reached."""
        best, valid = np.zeros(len(self.valid), bool), self.ended[self.valid]
        if len(valid):
            optimum = self.problem.optimum
            top = self.problem.value(self.state[None])[0] if optimum is None else optimum
            best[self.valid] = np.abs(self.value - top) <= ALIKE * max(1.0, abs(top))
        return best

    @cached_property
    def state(self) -> np.ndarray:
        """The state of the lowest objective, of the valid ones if there are any, `(N,)`."""
        return np.asarray(self.ended[self._start])

    @cached_property
    def _start(self) -> int:
        """The number of the start that ended in `state`."""
        among = np.flatnonzero(self.valid | ~self.valid.any())
        return int(among[np.argmin(self.problem.objective(self.ended[among]))])

    @cached_property
    def trajectory(self) -> np.ndarray:
        """The way of the start that ended in `state`, `(n_steps + 1, N)`: from a random state, step by step.

        It is recalled once more, with the same random numbers.
        """
        return self._search._replace(rng=deepcopy(self._search.rng)).way(self._start)

    @cached_property
    def different(self) -> np.ndarray:
        """The valid states, each once, `(n, N)`."""
        return np.unique(self.ended[self.valid], axis=0)

    @cached_property
    def shares(self) -> np.ndarray:
        """The shares of valid and of best ends, and the ends of their intervals, `(2, 3)`."""
        shares = np.array([self.valid.mean(), self.best.mean()])
        return np.column_stack([shares, wilson(shares, len(self.valid), self.level)])

    def said(self, names: Sequence[str] = ()) -> str:
        """`state` in words, such as "A → C → B → D → E, length 2.67"."""
        none = f"no state is valid; {self.problem.advice}"
        return self.problem.said(self.state, names) if self.valid.any() else none

    def __repr__(self) -> str:
        counts = f"{self.valid.sum():,} of {len(self.valid):,} starts valid, {self.best.sum():,} best"
        return f"Minimised({counts}; {self.said()})"


@public
def minimise(
    problem: Quadratic,
    *,
    starts: Annotated[int, partial(whole, most=REPEATED)] = 1000,
    update: str | Update | None = None,
    u0: Annotated[float | None, positive] = None,
    max_steps: Count = 200,
    rng: Seed = None,
    level: Proportion = 0.95,
) -> Minimised:
    """Recalls from random states to minima of the objective.

    Parameters
    ----------
    problem : `Quadratic`, `TravellingSalesman`, `MaxCut` or `Queens`.
    starts : the number of states.
    update
        by default a quench, one neuron after another in a random order of each start. Where neurons turn by chance, as
        by `ha.Glauber(temperature, cooling=…)`, they go on one after another until none turns. Graded neurons by
        default take "time".
    u0
        graded neurons instead of spins, x = ½(1 + tanh(u/u0)), or tanh(u/u0) of ±1. Each starts at the mean activity of
        a valid state, with an equally distributed part of ±0.1 u0 added to u, and is rounded at the end.
    max_steps : the largest number of steps, of a spin's update of sweeps.
    level : of the intervals of `Minimised.shares`.

    Raises
    ------
    InvalidInput : for other arguments, and an update that does not fit the neurons.

    Notes
    -----
    Source: Hopfield & Tank (1985), Biol. Cybern. 52, 141; annealing: Kirkpatrick, Gelatt & Vecchi (1983), Science 220,
    671.

    Examples
    --------
    >>> ring = np.roll(np.eye(6), 1, axis=0) + np.roll(np.eye(6), -1, axis=0)
    >>> minimise(MaxCut(ring), starts=100, rng=0).said([*"abcdef"])
    'a c e | b d f, cut 6'
    """
    random, size = generator(rng), (starts, len(problem.Q))
    require_room(starts * len(problem.Q), "the starts")
    low = 0.0 if problem.states == "01" else -1.0
    smooth = Logistic(2 / (u0 or 1)) if problem.states == "01" else Tanh(1 / (u0 or 1))
    kinds = (None, smooth)
    network = problem.network(kinds[u0 is not None])
    rule = (Asynchronous("random") if u0 is None else Time()) if update is None else updates.make(update)
    if obstacle := rule.obstacle(network):
        cure = "; give u0 for graded neurons" if u0 is None else "; leave u0 out for spins"
        raise InvalidInput(f"update: {obstacle}{cure * (not rule.obstacle(problem.network(kinds[u0 is None])))}")
    if u0 is None:
        cues = random.choice([low, 1.0], size)
    else:
        mean = smooth.inverse(np.array(low + (1 - low) * problem.start))
        cues = smooth(mean + random.uniform(-0.1 * u0, 0.1 * u0, size))
    search = Search(network, rule, cues, low, u0 is not None, max_steps, deepcopy(random))
    ended = search._replace(rng=random).ended()
    valid, value = problem.valid(ended), problem.value(ended)
    return Minimised(problem=problem, ended=ended, valid=valid, value=value[valid], level=level, _search=search)
