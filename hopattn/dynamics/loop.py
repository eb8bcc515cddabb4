"""The loop of every recall: one step after another, until each cue rests, repeats, grows, or the steps are used up.

The states stay in their library, on their device. A few numbers of each cue and step come here and decide. An
accelerator takes `AHEAD` steps of all cues before it is asked for these numbers; the record leaves out what a cue did
after the step at which it stopped.

x₍t−1₎, x and x⁺ are three states of a cue, one after another; |·| is the largest magnitude of an entry. `size` is the
larger of |x⁺| and Σ|p||ξ| / Σ|p|, the mean size of the patterns with the weights that x⁺ gives them. A cue stops at the
first of

    growth:         |x⁺| > 2²⁰ · scale               scale the largest entry that the recall has a measure of
    a fixed point:  r ≤ tol · size                   r the residual: |x⁺ − x|, in continuous time |x⁺ − ∇Φ(h(x⁺))|
    a cycle of two: |x⁺ − x₍t−1₎| ≤ tol · size       x⁺ = x₍t−1₎ up to the tolerance
    a longer cycle: x⁺ = x₍a₎ bit by bit             a the last power of two before t, x₍a₎ the state after a steps

The scale is the largest entry of the cue, the patterns and values, the first state, a random move of the update, and
the bounds of the activation: a bounded state never diverges. A cue that has diverged keeps its last state. A cycle of
length λ that begins after μ steps is noticed before step 2 max(μ, λ) + λ (Brent 1980, BIT Numerical Mathematics 20,
176). An update that may leave a fixed point or a cycle does not stop there (`Update.ends`).
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from hopattn.dynamics.record import STATUS_DTYPE, Recall, Status
from hopattn.dynamics.updates.base import AssociativeMemory, StepContext, Update
from hopattn.foundation.arrays import Array, device_of, entries, namespace, on_host, require_finite_energy
from hopattn.foundation.errors import InvalidInput, quoted
from hopattn.foundation.traces import traced
from hopattn.foundation.vectors import largest_change, largest_entries

GROWTH = 2.0**20
"""A state that is this many times larger than the scale of its recall counts as diverged."""
TWO = 2
"""The length of the cycles that are noticed up to the tolerance."""
AHEAD = 4
"""The number of steps that are judged together on an accelerator, which is asked once for them, and of small work."""
SMALL = 2**16
"""The number of products of states and patterns up to which it takes longer to judge a step than to compute it."""
CUES_TO_DROP = 64
"""The number of cues from which a block leaves out those that have stopped; each new shape costs JAX a compilation."""
FIXED = "take a fixed number of steps instead: `for _ in range(n): x = memory.step(x)`"


def refuse_traced(*arrays: Array) -> None:
    """Raise `InvalidInput` for arrays that a library traces, for a derivative or a compilation."""
    if any(map(traced, arrays)):
        cure = f"{FIXED}; or give constants, under `torch.no_grad()` in PyTorch"
        raise InvalidInput(f"recall: the numbers decide where each cue stops, so that it cannot be traced; {cure}")


def is_far(x: Array) -> bool:
    """Whether an array lies on an accelerator; to ask it for a number takes longer than a small step."""
    return "cpu" not in str(device_of(x)).lower()


class Block(NamedTuple):
    """Steps of some cues, one after the other, as if none of them stopped.

    after, internal: the states and internal states after each step. numbers: the numbers by name that decide where a
    cue stops, each `(n_steps, n_cues)`. "size" is |x⁺|, "residual" r, "back" |x⁺ − x₍t−1₎|, "apart" |x⁺ − x₍a₎|, and
    "energy" E(x); "back", "apart" and "energy" may be lacking.
    """

    after: list[Array]
    internal: list[Array | None]
    numbers: dict[str, np.ndarray]


@dataclass(eq=False)
class Loop:
    """A recall of cues `(n, dim)` of any library.

    x: the present states. mask: `(n, n_patterns)`, or None. names: the arrays that the record keeps of every step. tol:
    as of `recall`. anchor, anchor_step: x₍a₎ and a. steps, status, residual, period: how each cue has ended, `(n,)`
    each. scale: that of `growth`, `(n,)`. far: whether the states lie on an accelerator. rests, cycles: whether a cue
    stops at a fixed point, and in a cycle. by_change: whether the residual is |x⁺ − x|. ahead: the number of steps of a
    block.
    """

    memory: AssociativeMemory
    rule: Update
    x: Array
    mask: Array | None
    names: tuple[str, ...]
    tol: float
    anchor: Array = field(init=False)
    anchor_step: int = 0

    def __post_init__(self) -> None:
        xp, n, dim = namespace(self.x), *map(int, self.x.shape)
        self.on_numpy, self.anchor, ends = isinstance(self.x, np.ndarray), self.x, self.rule.ends
        self.far = not self.on_numpy and is_far(self.x)
        self.rests, self.cycles, self.largest = Status.CONVERGED in ends, Status.CYCLE in ends, self.memory._largest
        self.by_change = type(self.rule).residual is Update.residual  # others take many evaluations in a step
        small = self.by_change and not self.rule.stochastic and n * dim * self.memory.n_patterns <= SMALL
        self.ahead = AHEAD if self.far or (small and self.rule.on_devices) else 1
        self.steps, self.status = np.zeros(n, dtype=int), np.full(n, Status.LIMIT, dtype=STATUS_DTYPE)
        self.residual, self.period = np.zeros(n), np.zeros(n, dtype=int)
        least = max(self.largest, self.rule.spread(dim))
        self.scale = np.maximum(on_host(xp.max(xp.abs(self.x), axis=-1)).astype(float), least)

    def run(self, max_steps: int, rng: np.random.Generator) -> Recall:
        """The record of at most so many steps; raises `InvalidInput` for an update that is of NumPy arrays alone.

        Cues by number: `live` go on, `rows` are computed in a block, among them all that are live, and `moves` take the
        state after a step. `places` are those of the live cues among the rows.
        """
        if not (self.on_numpy or self.rule.on_devices):
            choices = "give update='sync' or 'concave_convex', or NumPy arrays"
            raise InvalidInput(f"update: {quoted(self.rule)} is {self.rule.way}, for NumPy arrays alone; {choices}")
        n, t, before, energies = len(self.steps), 0, self.x, list[np.ndarray]()
        internal, live = self.rule.internal(self.memory, self.x), np.arange(n)
        internal = np.array(internal) if self.on_numpy and internal is not None else internal
        streams = rng.spawn(n) if self.rule.stochastic else []
        by_step, rows = [self._arrays()] if self.names else [], live
        with np.errstate(over="ignore", invalid="ignore"):  # a state that overflows is reported as diverged
            while t < max_steps and live.size:
                if self.on_numpy or len(rows) >= max(CUES_TO_DROP, 2 * live.size):
                    rows = live
                row_streams = tuple(streams[i] for i in rows) if streams else ()
                block = self._block(t, min(self.ahead, max_steps - t), rows, before, internal, rng, row_streams)
                first_stop = self._first_stop(t, block.numbers, rows, live)
                for i, after in enumerate(block.after):
                    t, moves = t + 1, live
                    places: Any = slice(None) if len(rows) == len(live) else np.searchsorted(rows, live)
                    if "energy" in block.numbers:
                        energies.append(np.zeros(n))
                        energies[-1][live] = block.numbers["energy"][i, places]
                    if i + 1 == first_stop:  # in case no later step is judged
                        self.steps[live], self.residual[live] = t, block.numbers["residual"][i, places]
                    elif i >= first_stop:
                        if energies:
                            require_finite_energy(energies[-1].astype(block.numbers["energy"].dtype), self.memory._cure)

                        def states(indices: np.ndarray, after: Array = after, places: Any = places) -> Array:
                            return _rows_of(after, indices if isinstance(places, slice) else places[indices])

                        numbers = {name: table[i, places] for name, table in block.numbers.items()}
                        growth = self._growth(live, numbers, states)
                        moves, live = live[~growth], live[~self._stops(t, live, numbers, growth, states)]
                    before, self.x = self.x, self._put(moves, rows, after, self.x)
                    internal = None if internal is None else self._put(moves, rows, block.internal[i], internal)
                    if t & (t - 1) == 0:  # compared with what comes later, to notice a cycle
                        self.anchor, self.anchor_step = self.x, t
                    by_step += [self._arrays()] if self.names else []
                    if not live.size:
                        break
        return self._record(energies, by_step)

    def _block(
        self,
        t: int,
        count: int,
        rows: np.ndarray,
        before: Array,
        internal: Array | None,
        rng: np.random.Generator,
        streams: tuple[np.random.Generator, ...],
    ) -> Block:
        """The next steps of the cues `rows`, from step t on; before: x₍t−1₎.

        All steps of a block are compared with one anchor x₍a₎: from step 4 on, a block ends at each power of two. Up to
        step 4, no state is compared with an anchor.
        """
        parts = self.x, before, self.anchor, self.mask, internal
        x, before, anchor, mask, internal = (
            parts if len(rows) == len(self.steps) else [_rows_of(array, rows) for array in parts]
        )
        path, internals, residuals, energies = [before, x], list[Any](), list[Array](), list[Array]()
        for number in range(t, t + count):
            context = StepContext(number, rng, streams, internal)
            after, energy = self.rule.step(self.memory, x, mask=mask, context=context)
            if self.on_numpy:
                after = np.asarray(after, dtype=self.x.dtype)
            elif number == t:
                refuse_traced(after)
            if not self.by_change:
                residuals.append(self.rule.residual(self.memory, x, after, mask=mask))
            if energy is not None:
                energies.append(energy)
            x, internal = after, context.internal
            path.append(after)
            internals.append(internal)
        if count == 1:  # without a copy
            earlier, last, now = (self._view(array[None, ...]) for array in path)
        else:
            states = self._view(namespace(x).stack(path))
            earlier, last, now = states[:-2, ...], states[1:-1, ...], states[2:, ...]
        measures = {"size": largest_entries(now)}
        measures["residual"] = largest_change(last, now) if self.by_change else namespace(residuals[0]).stack(residuals)
        lags = np.arange(t + 1, t + 1 + count) - self.anchor_step
        if self.cycles:
            measures["back"] = largest_change(earlier, now)
            if t and lags[-1] > TWO:
                measures["apart"] = largest_change(self._view(anchor[None, ...]), now)
        if energies:
            measures["energy"] = namespace(energies[0]).stack(energies)
        numbers = self._on_host(measures)
        if self.cycles and t == 0:
            numbers["back"] = np.where(np.arange(count)[:, None] == 0, np.inf, numbers["back"])
        if "apart" in numbers and lags[0] <= TWO:
            numbers["apart"] = np.where(lags[:, None] <= TWO, np.inf, numbers["apart"])
        return Block(path[2:], internals, numbers)

    def _view(self, array: Array) -> Array:
        """An array as its steps are judged: on an accelerator as it is, else of NumPy."""
        return array if self.far or self.on_numpy else on_host(array)

    def _on_host(self, numbers: dict[str, Array]) -> dict[str, np.ndarray]:
        """The numbers of a block as NumPy arrays; an accelerator is asked once for all of them."""
        if not self.far:
            return {name: on_host(array) for name, array in numbers.items()}
        xp, dtype = namespace(self.x), namespace(self.x).result_type(*numbers.values())
        columns = on_host(xp.stack([xp.astype(array, dtype) for array in numbers.values()]))
        return dict(zip(numbers, columns, strict=True))

    def _first_stop(self, t: int, numbers: dict[str, np.ndarray], rows: np.ndarray, live: np.ndarray) -> int:
        """The first step of a block, from 0, after which a live cue may stop; the number of steps where none may.

        In the first block, the scale takes in the first state.
        """
        numbers = (
            numbers
            if len(rows) == len(live)
            else {name: array[:, np.searchsorted(rows, live)] for name, array in numbers.items()}
        )
        size = numbers["size"].astype(float)
        if t == 0:
            self.scale = np.maximum(self.scale, np.where(np.isfinite(size[0]), size[0], 0))
        may_stop, bound = ~(size <= GROWTH * self.scale[live]), self.tol * np.maximum(size, self.largest)
        if self.rests:
            may_stop |= numbers["residual"] <= bound
        if self.cycles:
            may_stop |= numbers["back"] <= bound
        if "apart" in numbers:
            may_stop |= numbers["apart"] == 0
        if "energy" in numbers:
            may_stop |= ~np.isfinite(numbers["energy"])
        stops = may_stop.any(axis=1)
        return int(np.argmax(stops)) if stops.any() else len(stops)

    def _growth(
        self, live: np.ndarray, numbers: dict[str, np.ndarray], states: Callable[[np.ndarray], Array]
    ) -> np.ndarray:
        """Which of the live cues have grown without bound in a step, `(n_live,)`.

        In `numbers`, the residual of such a cue becomes that of x, its last state, and its size 0. states: the function
        that gives x⁺ of some of the live cues, by their places among these.
        """
        size = numbers["size"].astype(float)
        is_finite = np.isfinite(size)
        growth: np.ndarray = ~is_finite | (size > GROWTH * self.scale[live])
        if (large := np.flatnonzero(growth & is_finite)).size:
            bounds = on_host(self.memory.activation.bounds(states(large))).max(axis=-1)
            self.scale[live[large]] = np.maximum(self.scale[live[large]], bounds)
            growth[large] = size[large] > GROWTH * self.scale[live[large]]
        if growth.any():
            x, mask = _rows_of(self.x, live[growth]), _rows_of(self.mask, live[growth])
            numbers["size"] = np.where(growth, 0, numbers["size"])
            numbers["residual"] = np.array(numbers["residual"])
            numbers["residual"][growth] = on_host(self.rule.residual(self.memory, x, x, mask=mask))
        return growth

    def _stops(
        self,
        t: int,
        live: np.ndarray,
        numbers: dict[str, np.ndarray],
        growth: np.ndarray,
        states: Callable[[np.ndarray], Array],
    ) -> np.ndarray:
        """Which of the live cues stop after step t, `(n_live,)`; sets their steps, residual, period and status."""
        rests, period = np.zeros(len(live), dtype=bool), np.zeros(len(live), dtype=int)
        if self.rests:
            rests = self._small(numbers["residual"], numbers["size"], live, states)
        if "back" in numbers:
            back = np.where(rests, np.inf, numbers["back"])
            period[self._small(back, numbers["size"], live, states)] = TWO
        if "apart" in numbers:
            period[(period == 0) & (numbers["apart"] == 0)] = t - self.anchor_step
        period[rests | growth] = 0
        self.steps[live], self.period[live], self.residual[live] = t, period, numbers["residual"]
        stops: np.ndarray = rests | growth | (period > 0)
        if stops.any():
            self.status[live[rests]] = Status.CONVERGED
            self.status[live[growth]] = Status.DIVERGED
            self.status[live[period > 0]] = Status.CYCLE
        return stops

    def _small(
        self, change: np.ndarray, size: np.ndarray, live: np.ndarray, states: Callable[[np.ndarray], Array]
    ) -> np.ndarray:
        """Whether the changes `(n_live,)` that led to the states are at most tol · `size`, as the module says.

        size: |x⁺| alone. The size of the patterns that x⁺ reads is computed only where it can decide.
        """
        small = np.asarray(change <= self.tol * size)
        near = ~small & (change <= self.tol * self.largest)
        if near.any():
            unclear = np.flatnonzero(near)
            sizes = self.memory._size_read(states(unclear), _rows_of(self.mask, live[unclear]))
            small[unclear] = change[unclear] <= self.tol * on_host(sizes)
        return small

    def _put(self, moves: np.ndarray, rows: np.ndarray, after: Any, states: Any) -> Array:
        """The states `(n, dim)`, in which the cues `moves` have those after a step.

        after: the states after the step, `(n_rows, dim)`, of the cues `rows`.
        """
        if len(moves) == len(self.steps):
            return np.ascontiguousarray(after) if self.on_numpy else after
        places = np.searchsorted(rows, moves)
        if self.on_numpy:
            result = np.array(states)
            result[moves] = after[places]
            return result
        xp, place, where = (
            namespace(states),
            np.zeros(len(self.steps), dtype=int),
            np.zeros(len(self.steps), dtype=bool),
        )
        place[moves], where[moves] = places, True
        return xp.where(xp.asarray(where, device=device_of(states))[:, None], _rows_of(after, place), states)

    def _arrays(self) -> dict[str, Array]:
        """The arrays that the record keeps of the present states, by name."""
        memory, names, x = self.memory, self.names, self.x
        arrays = {"trajectory": x} if "trajectory" in names else {}
        arrays |= {"overlaps": memory._reference.overlaps(x)} if "overlaps" in names else {}
        return arrays | {"weights": memory.weights(x, self.mask)} if "weights" in names else arrays  # type: ignore[attr-defined]

    def _record(self, energies: list[np.ndarray], by_step: list[dict[str, Array]]) -> Recall:
        """The record of the recall; the status of a fixed point says whether a pattern takes part in its step."""
        xp, memory = namespace(self.x), self.memory
        table: Array | None = None
        if energies:
            table = self._energies(energies)
            table = table if self.on_numpy else xp.asarray(table, device=device_of(self.x))
        rests = self.status == Status.CONVERGED
        if rests.any():
            with np.errstate(over="ignore", invalid="ignore"):  # cues that are not at rest may overflow
                flags = on_host(memory._nothing_near(self.x, self.mask))
            self.status[flags & rests] = Status.NOTHING_NEAR
        arrays = {name: xp.stack([step[name] for step in by_step]) for name in self.names}
        return Recall(
            state=self.x,
            steps=self.steps,
            status=self.status,
            converged=self.status == Status.CONVERGED,
            residual=self.residual,
            period=self.period,
            energies=table,
            reference=memory._reference,
            asked_every=AHEAD if self.far else 1,
            **arrays,
        )

    def _energies(self, before: list[np.ndarray]) -> np.ndarray:
        """The energies of all states of the recall, `(T+1, n)`; before: those before each of T steps, `(n,)`.

        At a fixed point the energy is level: a change of the state by no more than √ε changes the energy by no more
        than ε. There the energy of the state before counts as that of the last state, which saves one evaluation.
        """
        eps = float(namespace(self.x).finfo(self.x.dtype).eps)
        last = np.stack(before)[self.steps - 1, np.arange(len(self.steps))]
        level = (self.status == Status.CONVERGED) & (self.tol <= eps**0.5)
        if not np.all(level):
            rows = np.flatnonzero(~level)
            with np.errstate(over="ignore", invalid="ignore"):
                energy = np.asarray(on_host(self.memory._energy_at(_rows_of(self.x, rows), _rows_of(self.mask, rows))))
            last[rows] = energy
            require_finite_energy(last.astype(energy.dtype), self.memory._cure)
        table = np.stack([*before, last])
        return np.where(np.arange(len(table))[:, None] >= self.steps, last, table)


def _rows_of(array: Any, numbers: np.ndarray) -> Any:
    """The rows of these numbers; None for None. All rows in order, and rows that are all the same, are not copied."""
    if array is None or (len(numbers) == array.shape[0] and (numbers == np.arange(len(numbers))).all()):
        return array
    if isinstance(array, np.ndarray):
        return array[numbers] if array.strides[0] else array[: len(numbers)]
    return entries(array, numbers, 0)
