"""kind = "optimisation": an objective as the energy of a network, and what recalls from many states reach.

Each table of a problem has `problem`, the object of the core, `dims`, the axes of a solution, and perhaps `names`, the
labels of the first one.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property, partial
from itertools import product
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, PrivateAttr, Tag

from hopattn.foundation.sentences import say
from hopattn.foundation.writing import number
from hopattn.networks.optimisation import MaxCut, Minimised, Quadratic, Queens, TravellingSalesman, minimise
from hopattn.results.labelled import Labelled
from hopattn.scenario.arrays import Arrays, labelled, numbers
from hopattn.scenario.kinds.base import Kind
from hopattn.scenario.kinds.couplings import add_matrix
from hopattn.scenario.kinds.models import UpdateChoice, add_temperatures, update_entry
from hopattn.scenario.language.table import (
    ByTomlType,
    Count,
    Matrix,
    Number,
    PositiveNumber,
    Table,
    Text,
    Tolerance,
    Vector,
    at,
    fitting,
    need,
    need_one_of,
)

PROBLEMS = ("travelling_salesman", "max_cut", "queens", "quadratic")
"""The tables of which one says what is minimised."""
MAX_UPDATES = 100_000_000
"""The largest number of neurons, times starts and steps, that a run updates: about ten seconds."""


class TravellingSalesmanTable(Table):
    """Cities to visit on the shortest closed tour, and the coefficients of the energy."""

    dims: ClassVar[tuple[str, ...]] = "city", "position"
    cities: Annotated[dict[Text, Vector], Field(min_length=3, max_length=30)] | None = None
    """The place of each city, by its name: A = [0.4, 0.44]."""
    distances: Annotated[Matrix, Field(min_length=3, max_length=30)] | None = None
    """Instead of places, the distances between the cities, one row a city; the cities are then called 1, 2, 3 …"""
    A: Tolerance = 500.0
    """The coefficient of a city that is visited twice."""
    B: Tolerance = 500.0
    """The coefficient of two cities at one position."""
    C: Tolerance = 200.0
    """The coefficient of a number of visits other than n."""
    D: Tolerance = 500.0
    """The coefficient of the length; take a smaller one for distances far above 1, else no tour is valid."""
    n: PositiveNumber | None = None
    """The number of visits that the network aims at; by default 1.5 for each city, as 15 for ten."""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.cities or ())

    def problem(self) -> Quadratic:
        need_one_of(self, "cities", "distances")
        if self.cities is not None:
            first = len(next(iter(self.cities.values()))), "as the first city has"
            places = np.stack([fitting(place, ("cities", name), first) for name, place in self.cities.items()])
            distances = np.linalg.norm(places[:, None] - places, axis=-1)
        else:
            distances = fitting(self.distances, "distances", (len(self.distances or ()), "one for each city"))
        return TravellingSalesman(distances, A=self.A, B=self.B, C=self.C, D=self.D, n=self.n)


Node = Annotated[Annotated[Text, Tag("text")] | Annotated[int, Tag("number")], ByTomlType]
"""The name of a node."""


class MaxCutTable(Table):
    """A graph whose nodes are divided into two parts, with as many edges as possible between them."""

    dims: ClassVar[tuple[str, ...]] = ("node",)
    edges: Annotated[list[Annotated[list[Node], Field(min_length=2, max_length=2)]], Field(max_length=10_000)]
    """The edges, each by the names of its two nodes: [["a", "b"], ["b", "c"]]. Whole numbers are names too, and give
    the nodes their order: [[0, 1], [1, 2]]."""
    weights: Vector | None = None
    """The weight of each edge; by default 1."""

    @property
    def names(self) -> tuple[str, ...]:
        nodes = dict.fromkeys(node for edge in self.edges for node in edge)
        whole = all(isinstance(node, int) for node in nodes)
        return tuple(dict.fromkeys(map(str, sorted(nodes) if whole else nodes)))

    def problem(self) -> Quadratic:
        nodes = self.names
        need(0 < len(nodes) <= 1000, "edges", f"joins {len(nodes):,} nodes; expected from 2 to 1,000")
        weights = fitting(self.weights, "weights", (len(self.edges), "one for each edge"))
        graph, place = np.zeros((len(nodes), len(nodes))), {node: i for i, node in enumerate(nodes)}
        for i, (one, other) in enumerate(map(str, edge) for edge in self.edges):
            pair = [place[one], place[other]], [place[other], place[one]]
            need(one != other, ("edges", i), f"leads from '{one}' to itself, which no cut divides")
            need(not graph[pair].any(), ("edges", i), f"joins '{one}' and '{other}', as an edge before it")
            graph[pair] = 1.0 if weights is None else weights[i]
        return MaxCut(graph)


class QueensTable(Table):
    """Queens on a chess board, none of which attacks another."""

    dims: ClassVar[tuple[str, ...]] = "row", "column"
    size: Annotated[int, Field(ge=4, le=16)] = 8
    """The number of rows, of columns, and of queens."""
    A: PositiveNumber = 1.0
    """The coefficient of a row without a single queen."""
    B: PositiveNumber = 1.0
    """The coefficient of a column without a single queen."""
    C: PositiveNumber = 1.0
    """The coefficient of two queens on one diagonal."""

    def problem(self) -> Quadratic:
        return Queens(self.size, A=self.A, B=self.B, C=self.C)


class QuadraticTable(Table):
    """Any quadratic objective f(x) = ½ xᵀQ x + cᵀx + constant."""

    dims: ClassVar[tuple[str, ...]] = ("neuron",)
    Q: Annotated[Matrix, Field(max_length=1000)]
    """The matrix Q of f(x) = ½ xᵀQ x + cᵀx + constant, one row a neuron; only its symmetric part counts. Where your
    sheet minimises xᵀQ x, double every number of its Q."""
    c: Vector | None = None
    """The vector c; by default 0."""
    constant: Number = 0.0
    """The constant."""
    states: Literal["01", "±1"] = "01"
    """The two values of a neuron."""

    def problem(self) -> Quadratic:
        fit = len(self.Q), "one for each row of Q"
        linear = 0.0 if self.c is None else fitting(self.c, "c", fit)
        return Quadratic(fitting(self.Q, "Q", fit), linear, self.constant, states=self.states)


class SearchTable(Table):
    """The recalls that look for a minimum."""

    starts: Annotated[Count, Field(le=100_000)] = 1000
    """The number of recalls, each from a state at random."""
    update: UpdateChoice | None = None
    """The rule of a step; by default one neuron after another, in a random order. A cooling "glauber" is annealing."""
    u0: PositiveNumber | None = None
    """Graded neurons x = ½(1 + tanh(u/u0)) instead of spins; their update is "time" by default."""
    max_steps: Annotated[Count, Field(le=100_000)] = 200
    """The largest number of steps of a recall."""


class Optimisation(Kind):
    """A problem of optimisation, and what a network makes of it."""

    kind: Literal["optimisation"]
    travelling_salesman: TravellingSalesmanTable | None = None
    """The shortest tour through cities."""
    max_cut: MaxCutTable | None = None
    """The largest cut of a graph."""
    queens: QueensTable | None = None
    """Queens that do not attack each other."""
    quadratic: QuadraticTable | None = None
    """Any quadratic objective."""
    search: SearchTable = Field(default_factory=SearchTable)
    """The recalls."""

    _is_least: bool = PrivateAttr(default=False)
    """Whether a check asks for the names of the arrays, so that a value that means nothing is among them too."""

    def need_bounds(self) -> None:
        self._built  # noqa: B018

    def least(self) -> Self:
        least = self.changed(search=self.search.model_copy(update={"starts": 2, "max_steps": 2}))
        least._is_least = True
        return least

    @cached_property
    def _built(self) -> tuple[Any, Quadratic]:
        """The table of the problem, and the problem; refuses too much work."""
        need_one_of(self, *PROBLEMS)
        key = next(key for key in PROBLEMS if getattr(self, key) is not None)
        table, steps = getattr(self, key), self.search.max_steps
        with at(key, table=table):
            problem: Quadratic = table.problem()
        work, of = len(problem.Q) * self.search.starts * steps, f"{steps:,} steps of {len(problem.Q)} neurons"
        many = f"with {of} are {work:,} updates; expected at most {MAX_UPDATES:,}"
        need(work <= MAX_UPDATES, ("search", "starts"), many)
        return table, problem

    def compute(self, arrays: Arrays, rng: np.random.Generator) -> None:
        table, problem = self._built
        names, search = getattr(table, "names", ()) or numbers(problem.shape[0]), self.search
        axes = dict(zip(table.dims, [names, *map(numbers, problem.shape[1:])], strict=True))
        with at("search", table=search):
            update = None if search.update is None else update_entry(search.update)
            options: Any = {"starts": search.starts, "u0": search.u0, "max_steps": search.max_steps}
            found = minimise(problem, update=update, rng=rng, **options)
        arrays.add("shares", found.shares, {"starts": ("valid", "best"), "share": ("share", "from", "to")})
        arrays.add_means(valid=found.valid, best=found.best)
        arrays.add("different", len(found.different))
        if problem.optimum is not None:
            arrays.add("optimum", problem.optimum)
        if found.valid.any() or self._is_least:
            arrays.add(problem.measured, problem.value(found.state[None])[0])
        else:
            arrays.absent[problem.measured] = found.said(names)
        arrays.add("answer", np.array(found.said(names)))
        arrays.add("solution", found.state.reshape(problem.shape), axes, mean=False)
        arrays.add_on_demand("trajectory", partial(_way, found, axes))
        arrays.drawn.add("trajectory")
        add_temperatures(arrays, update, search.max_steps)
        if cities := getattr(table, "cities", None):
            places = np.array([*cities.values()])
            arrays.add("places", places, {"city": names, "axis": numbers(places.shape[1])}, drawn=True)
        neuron = tuple(map(" ".join, product(*axes.values())))
        add_matrix(arrays, partial(_couplings, problem), {"to": neuron, "from": neuron})

    def reading(self) -> str:
        half = "f(x) = ½ xᵀQ x + cᵀx + constant is minimised; double every number of Q for xᵀQ x"
        return half if self.quadratic is not None else ""

    def shown(self, arrays: Arrays) -> tuple[str, ...]:
        return tuple(name for name in arrays if name not in ("valid", "best"))

    def explain(self, arrays: Arrays) -> Iterator[str]:
        (table, problem), state, starts = self._built, arrays["solution"].values.ravel(), self.search.starts
        terms, is_valid = problem.terms(state), bool(arrays["valid"].values)
        answer = problem.said(state, getattr(table, "names", ())) if is_valid else say(str(arrays["answer"].values))
        sums = " + ".join(map(number, terms.values())).replace("+ −", "− ")
        yield say("f(x) = {} = {} = {} of the answer", " + ".join(terms), sums, number(sum(terms.values())))
        yield say("the answer: {}", answer)
        for name, (share, low, high) in zip(arrays["shares"].labels[0], arrays["shares"].values, strict=True):
            part = say("{} of {} starts = {}", round(share * starts), starts, number(share))
            yield say("{}: {}, Wilson's interval from {} to {}", say(name), part, number(low), number(high))


def _way(found: Minimised, axes: dict[str, Sequence[str]]) -> Labelled:
    return labelled(found.trajectory.reshape(-1, *found.problem.shape), {"step": (), **axes})


def _couplings(problem: Quadratic) -> np.ndarray:
    return np.asarray(problem.network().couplings)
