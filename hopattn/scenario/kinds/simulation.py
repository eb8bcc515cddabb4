"""kind = "simulation": the simulation of a published number, by its name, beside the formula that predicts it.

A published record may name a simulation, too. Each draws once, and gives one number. The first argument is the
generator; the others are keys of the file, within the bounds that their annotations state.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import Field

from hopattn import theory
from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.sentences import in_comma, say
from hopattn.foundation.threads import blocks
from hopattn.foundation.vectors import unit
from hopattn.foundation.writing import listed, number
from hopattn.memories.models.hidden import threshold_layer
from hopattn.retrieval.separation.softmax import Softmax
from hopattn.scenario.arrays import Arrays
from hopattn.scenario.kinds.base import Kind
from hopattn.scenario.language.table import EntryIn, NameIn, Number, Table, Text, at, need

Few = Annotated[int, Field(ge=1, le=200)]
Many = Annotated[int, Field(ge=1, le=20_000)]
Share = Annotated[float, Field(ge=0, le=1)]
Variance = Annotated[float, Field(ge=1e-6, le=1e6)]
AT_ONCE, BLOCK = 50_000, 1000
"""The number of locations that are drawn together, and of those that are filled together."""


def learnable(rng: np.random.Generator, points: Few, dim: Few) -> float:
    """1 if random answers to normal points have couplings w with s_μ (w·x_μ) ≥ 1 for all, by linear programming."""
    from scipy.optimize import linprog

    rows = rng.standard_normal((points, dim)) * rng.choice([-1.0, 1.0], (points, 1))
    return float(linprog(np.zeros(dim), A_ub=-rows, b_ub=-np.ones(points), bounds=(None, None)).status == 0)


def largest_margin(rng: np.random.Generator, load: Annotated[float, Field(gt=0, le=4)], dim: Few) -> float:
    """The largest margin κ with which couplings of length √N keep random answers to αN random ±1 patterns; 0 if none.

    αN is rounded. The shortest w with s_μ (w·x_μ) ≥ 1 has κ = 1/|w|. Its residual in the nonnegative least squares of
    Lawson & Hanson (1974), Solving Least Squares Problems, chapter 23.4, is proportional to (−w, 1).
    """
    from scipy.optimize import nnls

    if load * dim < 1:
        raise InvalidInput(f"load: got {load:g}; expected at least {1 / dim:g}, one pattern for {dim} neurons")
    shape = round(load * dim), dim
    rows = rng.choice([-1.0, 1.0], shape)  # a random answer turns the signs of a row, which are random already
    ahead = np.vstack([rows.T, np.ones(len(rows))])
    residual = np.eye(dim + 1)[-1] - ahead @ nnls(ahead, np.eye(dim + 1)[-1], maxiter=100 * len(rows))[0]
    return float(residual[-1] / np.linalg.norm(residual[:-1])) if residual[-1] > 1e-9 else 0.0


def diluted_overlap(rng: np.random.Generator, neurons: Many, patterns: Few, empty: Share, which: Few) -> float:
    """The overlap with pattern `which` of several in which a neuron is 0 with the probability `empty`.

    It starts where each neuron has the state of the first pattern in which it is not 0, and of none a random one; then
    each neuron is updated three times, after which few patterns are at a fixed point.
    """
    if which > patterns:
        raise InvalidInput(f"which: got {which}; expected at most {patterns}, the number of patterns")
    stored = rng.choice([-1.0, 1.0], (patterns, neurons)) * (rng.random((patterns, neurons)) >= empty)
    x = rng.choice([-1.0, 1.0], neurons)
    for row in stored[::-1]:
        x = np.where(row != 0, row, x)
    sums, columns = stored @ x, stored.T.copy()
    for i in rng.permutation(np.tile(np.arange(neurons), 3)):
        others = sums - columns[i] * x[i]
        x[i] = np.sign(columns[i] @ others) or x[i]
        sums = others + columns[i] * x[i]
    return float(stored[which - 1] @ x / neurons)


def denoised(
    rng: np.random.Generator,
    context: Annotated[int, Field(ge=1, le=2000)],
    predictor: Literal["linear", "projection", "softmax"],
    dim: Annotated[int, Field(ge=1, le=64)],
    signal: Variance,
    noise: Variance,
) -> float:
    """The mean squared error of 100 tasks of 20 cues: vectors of the dimension d with normal noise of variance σ_Z².

    predictor: "linear", attention to L clean normal vectors of variance σ₀² = `signal`; "projection", P X̃ of them;
    "softmax", one step with β = 1/σ_Z² over L vectors of the d-dimensional sphere of radius σ₀. Components without a
    signal are left out.
    """
    sphere = predictor == "softmax"
    clean = rng.standard_normal((100, context + 20, dim + sphere))
    clean = np.sqrt(signal) * (unit(clean) if sphere else clean)
    shown, meant = clean[:, :context], clean[:, context:]
    cues = meant + np.sqrt(noise) * rng.standard_normal(meant.shape)
    if predictor == "projection":
        guess = cues
    elif sphere:
        guess = Softmax().weights(cues @ shown.mT / noise) @ shown
    else:
        guess = cues @ shown.mT @ shown / ((signal + noise) * context)
    return float(np.mean(np.sum((guess - meant) ** 2, axis=2)))


def sdm_reading(
    rng: np.random.Generator,
    distance: Annotated[int, Field(ge=0, le=2000)],
    bits: Annotated[int, Field(ge=1, le=2000)],
    radius: Annotated[int, Field(ge=0, le=2000)],
    locations: Annotated[int, Field(ge=1, le=10**6)],
    words: Many,
) -> float:
    """The share of wrong bits of a reading, at `distance` bits from one of the words of a sparse distributed memory.

    The words are at their own addresses. Only the locations within the radius of the cue are read, so that only these
    are filled. No location near the cue gives a reading of −1 in every bit.
    """
    if distance > bits:
        raise InvalidInput(f"distance: got {distance}; expected at most {bits}, the number of bits")
    stored = rng.integers(0, 2, (words, bits), dtype=np.uint8)
    signs, copies = 2 * stored.astype(np.float32) - 1, np.zeros(words, np.float32)
    cue = stored[0] ^ (np.arange(bits) < distance)
    packed, length = np.packbits(cue), -(-bits // 8)
    unused = np.uint8(0xFF << (8 * length - bits) & 0xFF)
    for start in range(0, locations, AT_ONCE):
        drawn = np.frombuffer(rng.bytes(min(AT_ONCE, locations - start) * length), np.uint8).reshape(-1, length).copy()
        drawn[:, -1] &= unused
        near = drawn[np.bitwise_count(drawn ^ packed).sum(axis=1) <= radius]
        for rows in blocks(len(near), BLOCK):
            places = 2 * np.unpackbits(near[rows], axis=1, count=bits).astype(np.float32) - 1
            copies += (places @ signs.T >= bits - 2 * radius).sum(axis=0)
    return float(np.mean((copies @ signs > 0) != (stored[0] == 1)))


def sums_kept(rng: np.random.Generator, neurons: Many, parts: Few, threshold: Number) -> float:
    """The share of 200 sums of random parts of ±1, each part in half of them, that one threshold step keeps."""
    memory = threshold_layer(rng.choice([-1.0, 1.0], (parts, neurons)), threshold=threshold)
    hidden = (rng.random((200, parts)) < 0.5).astype(float)
    again = memory.weights(hidden @ memory.keys)
    return float(np.mean(np.all(again == hidden, axis=1)))


FORMULAS: Mapping[Callable[..., float], str] = {
    learnable: "separable_share",
    largest_margin: "gardner_margin",
    diluted_overlap: "shared_overlap",
    denoised: "linear_denoising_error",
    sdm_reading: "sdm_error",
    sums_kept: "kept_sums",
}
"""The simulations, each with the function of `ha.theory` that predicts it; it takes the arguments of the same names."""
SHARES = (learnable, sums_kept)
"""The simulations of shares of outcomes."""
simulations = {one.__name__: one for one in FORMULAS}
"""The simulations by their names."""


def arguments_of(simulation: Callable[..., float]) -> dict[str, tuple[Any, Any]]:
    """The arguments that a file gives, name → (type, default); the default of a required one is `...`."""
    parameters = [*inspect.signature(simulation).parameters.values()][1:]
    return {one.name: (one.annotation, ...) for one in parameters}


class SimulationTable(Table):
    """A simulation with its arguments, the name of what it measures, and its theory."""

    of: Annotated[Table, EntryIn(simulations, parameters=arguments_of, suffix="Simulation")]
    """The simulation by its name, and its arguments: { name = "learnable", points = 36, dim = 20 }."""
    measure: Text
    """The name of the number that it gives, in a few words; figures write it at the axis."""
    times: Annotated[int, Field(ge=2, le=1000)] = 10
    """The number of draws, of which a run gives the mean and its standard error."""
    theory: Annotated[Text, NameIn(dict.fromkeys(FORMULAS.values()))] | None = None
    """The function of `ha.theory` that predicts the number: of learnable separable_share, of largest_margin
    gardner_margin, of diluted_overlap shared_overlap, of sdm_reading sdm_error, of sums_kept kept_sums; of denoised
    linear_denoising_error, for the predictor "linear"."""

    @property
    def name(self) -> str:
        """The name of the simulation."""
        return str(getattr(self.of, "name", ""))

    @property
    def given(self) -> dict[str, Any]:
        """The arguments of the simulation."""
        return self.of.model_dump(exclude={"name"})

    @property
    def foreseen(self) -> set[str]:
        """The arguments of the simulation that the theory takes."""
        return {*self.given} & {*inspect.signature(getattr(theory, str(self.theory))).parameters}

    def predicted(self, **changed: Any) -> float:
        """The number that the theory gives, with some arguments changed; raises `Refused` for the theory of another."""
        formula, predictor = FORMULAS[simulations[self.name]], self.given.get("predictor", "linear")
        need(self.theory == formula, (), f"'{self.theory}' is not the formula of '{self.name}'; expected '{formula}'")
        need(predictor == "linear", (), f"'{formula}' is for predictor = 'linear', not '{predictor}'; leave it out")
        arguments = {**self.given, **changed}
        return float(getattr(theory, formula)(**{name: arguments[name] for name in self.foreseen}))


class Simulation(Kind):
    """The simulation of a published number, and its theory."""

    kind: Literal["simulation"]
    simulation: SimulationTable
    """What is simulated, and how often."""

    def least(self) -> Self:
        return self.changed(simulation=self.simulation.model_copy(update={"times": 2}))

    def compute(self, arrays: Arrays, rng: np.random.Generator) -> None:
        table = self.simulation
        beside = f"'{table.measure}' stands beside the measure; choose another name"
        need(table.measure not in ("standard error", "theory"), ("simulation", "measure"), beside)
        with at("simulation", "theory"):
            by_theory = table.theory and table.predicted()
        with at("simulation", "of", table=table.of):
            drawn = [simulations[table.name](one, **table.given) for one in rng.spawn(table.times)]
        arrays.add(table.measure, np.mean(drawn))
        arrays.shares |= {table.measure} if simulations[table.name] in SHARES else set()
        arrays.add("standard error", np.std(drawn, ddof=1) / np.sqrt(table.times), mean=False)
        if table.theory:
            arrays.add("theory", by_theory, mean=False)

    def shown(self, arrays: Arrays) -> tuple[str, ...]:
        return tuple(arrays)

    def explain(self, arrays: Arrays) -> Iterator[str]:
        table, numbers = self.simulation, {name: number(float(array.values)) for name, array in arrays.items()}
        about = (inspect.getdoc(simulations[table.name]) or "").partition("\n")[0]
        yield f"{table.name}: {say(about)}"
        yield listed(f"{key} = {in_comma(str(value))}" for key, value in table.given.items())
        mean = say("{}, the mean of {} draws", numbers[table.measure], str(table.times))
        yield say("{} = {}; its standard error is {}", table.measure, mean, numbers["standard error"])
        if table.theory:
            yield f"ha.theory.{table.theory}: {numbers['theory']}"
