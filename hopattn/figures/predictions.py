"""The lines that theory predicts for the sweep of a scenario, where the scenario is one that the theory describes."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from hopattn import theory
from hopattn.experiments.sweeps.table import Sweep
from hopattn.figures.quantities import by_key, edges, setting, spaced
from hopattn.figures.sheet import Nodes, say
from hopattn.figures.text import number
from hopattn.figures.theory_lines import POINTS, Line, ensemble_of
from hopattn.memories.random_patterns import EVEN
from hopattn.scenario.kinds.ensemble import EnsembleTable
from hopattn.scenario.kinds.models import model_options
from hopattn.scenario.kinds.simulation import SimulationTable
from hopattn.theory.one_step import EXPONENTS

COARSE = 41
"""The number of points of a line whose points take long."""
COLD = 0.1
"""Maps over temperatures up to this one show the line at which replicas of a retrieved state begin to differ."""
STAYS, DEEPEST = say("up to here a pattern stays"), say("up to here it is deepest")
FREEZE = say("up to here spins freeze")
"""The names of lines: below them a state stays near a pattern, patterns are the deepest states, spins freeze."""
SMALL, LETTERS, WIDE = 0.02, 12, 1.5
"""The least part of a map that has a name; the letters of a line of it; its width as a part of its height."""
MOST = 100
"""The logarithm of the largest number of patterns of a line."""
PATTERNS: Mapping[str, Callable[[Any, Any], Any]] = {
    "patterns": lambda patterns, _: patterns,
    "load": np.multiply,
    "exponent": lambda exponent, neurons: np.exp(exponent * neurons),
}
"""The axes that give the number of patterns, which follows from them and from the number of neurons."""
COUNTS = ("load", "patterns")
Lines = dict[str, Any]


class Theory(NamedTuple):
    """What a theory describes, and its line.

    form: of the figure. sort: of the patterns; "bits" for one update of each neuron. memory: its name, or of one of
    parts the separation. along: the keys of axes that lines run along; of a map, of the horizontal one. measure: of a
    curve. line: from the values of the keys that it names, an axis as an array, to the numbers of a line, or to both
    coordinates; of a map, to lines by name. options: of the memory.
    """

    form: str
    sort: str
    memory: str
    along: tuple[str, ...]
    measure: str
    line: Callable[..., Any]
    options: Mapping[str, Any] = {}

    @property
    def keys(self) -> set[str]:
        """The keys whose values its line depends on."""
        return {*inspect.signature(self.line).parameters}

    def describes(self, form: str, table: EnsembleTable, axes: Mapping[str, Any], along: str, held: Any) -> bool:
        """Whether it does so for a sweep: its axes and the damage of cues are keys of the line, or N where N → ∞."""
        memory, sort = table.card.name if table.card else table.separation, "bits" if table.bits else table.sort
        damaged = any(getattr(table, key) for key in ("flip", "flips", "noise", "hide") if key not in self.keys)
        options = {"sink": None, **self.options}.items() <= {"sink": None, **held}.items()
        keys = self.keys | {*PATTERNS} if form == "capacity" or {"patterns", "load"} & self.keys else self.keys
        free = form != "map" and ("neurons" not in self.keys or {*PATTERNS} & {*axes})  # a file may hold P, or P/N
        keys = keys | {"neurons"} if free else keys - {"neurons"}
        fits = (self.form, self.sort, self.memory) == (form, sort, memory) and along in self.along
        return fits and options and not damaged and {*axes} <= keys

    def at(self, held: Mapping[str, Any]) -> Any:
        """Its line from the values of all keys."""
        return self.line(**{key: held[key] for key in self.keys if key in held})


def predicted(sweep: Sweep, form: str, along: str) -> Lines:
    """The lines as `lines_for` takes them; none for a sweep that no theory here describes.

    form: of the figure: curve, map or capacity. along: the last key of its horizontal axis.

    The theory of the Hopfield network is that of random spins, whose cues are stored patterns, one spin changed at a
    time; that of sparse coding the same for neurons of 0 and 1. Over load and damage, the line is the critical load.
    """
    axes, simulation = by_key(sweep.axes), getattr(sweep.scenario and sweep.scenario.spec, "simulation", None)
    if isinstance(simulation, SimulationTable):
        foreseen = form == "curve" and simulation.theory and {*axes} <= simulation.foreseen
        return {simulation.measure: _simulated(simulation, axes, along)} if foreseen else {}
    table = ensemble_of(sweep)
    if table is None or table.correlation or table.dim < 2 or (table.sort != "binary" and table.activity != EVEN):
        return {}
    held = _held(table)
    if np.isnan(held["temperature"]) and not (table.bits or table.sort == "unit"):
        return {}
    theories = [one for one in THEORIES if one.describes(form, table, axes, along, held)]
    if form == "map":
        return {name: line for one in theories for name, line in one.at({**held, **axes}).items()}
    return {one.measure: _each(one, axes, along, held) for one in theories if one.measure in sweep.values}


def _each(one: Theory, axes: Mapping[str, Sequence[Any]], along: str, held: Mapping[str, Any]) -> Lines:
    """A theory's only line, or one for each curve; where single updates are counted, at whole numbers of patterns."""
    x, unit = spaced(axes[along], POINTS), held["neurons"] if along == "load" else 1
    if one.sort == "bits" and along in COUNTS:
        x = np.unique(np.maximum(np.rint(x * unit), 1)) / unit
    of_size, count = "neurons" in one.keys, next((key for key in PATTERNS if key in axes), "patterns")
    only, lines = say("theory, N = {}", held["neurons"]) if of_size else say("theory, N → ∞"), {}
    ignored = "patterns" if one.form == "capacity" else "" if of_size else "neurons"
    for name, other in _others(axes, along, only, ignored):
        at = {**held, **other, along: x}
        patterns = PATTERNS[count](at[count], at["neurons"])
        if (line := one.at({**at, "patterns": patterns, "load": patterns / at["neurons"], "x": x})) is not None:
            slope = say("slope {} in theory", at["n"] - 1) if one.form == "capacity" else name
            lines[slope] = line if isinstance(line, tuple) else (x, line)
    return lines


def _others(axes: Mapping[str, Sequence[Any]], along: str, only: str, ignored: str = "") -> list[tuple[str, Any]]:
    """What another axis holds along each curve, with the name of its line. only: the name without such an axis."""
    others = [(key, value) for key in axes if key not in (along, ignored) for value in axes[key]]
    return [(say("theory, {}", setting(*one)), dict([one])) for one in others] or [(only, {})]


def _simulated(table: SimulationTable, axes: Mapping[str, Sequence[Any]], along: str) -> Lines:
    """Along any argument of a simulation that its theory takes: one line, or one for each curve."""
    x = spaced(axes[along], POINTS)
    x = np.unique(np.rint(x)).astype(int) if isinstance(table.given[along], int) else x
    others = _others(axes, along, say("theory"))
    return {name: (x, [table.predicted(**at, **{along: value}) for value in x.tolist()]) for name, at in others}


def _held(table: EnsembleTable) -> dict[str, Any]:
    """The sizes and the options of a memory of random patterns, by their keys; NaN for a temperature that is none."""
    options = model_options(table.card) if table.card else {}
    held = {"beta": table.beta} | {key: getattr(table.model, key, value) for key, (_, value) in options.items()}
    held |= {"neurons": table.dim, "patterns": table.stored, "load": table.stored / table.dim, "steps": table.steps}
    rng = np.random.default_rng(0)
    rule: Any = table.update_rule(table.build(table.drawn(rng, least=True), None, rng))
    warm = type(rule).__name__ == "Glauber" and rule.cooling == 1
    temperature = rule.temperature if warm else 0.0 if type(rule).__name__ == "Asynchronous" else np.nan
    return held | {"activity": table.activity, "temperature": float(temperature)}


def _phases(load: Any, temperature: Any) -> Lines:
    """Over load and temperature: the lines below which patterns stay, are the deepest states, and spins freeze.

    In the cold, where the line of patterns turns back, the line of de Almeida and Thouless is the last one instead.
    """
    warmest = temperature[-1]
    t = np.linspace(0, min(1.2 * warmest, 1), COARSE)
    lines = {STAYS: (theory.critical_load(t), t), DEEPEST: (theory.stable_load(t), t)}
    if warmest <= COLD:
        lines[say("below here replicas differ")] = theory.replica_load(t), t
    else:
        loads = np.linspace(0, 1, COARSE) ** 2 * load[-1]
        lines[FREEZE] = loads, theory.glass_temperature(loads)
    return {name: line for name, line in lines.items() if line[0].max() >= load[0]}


def phases(lines: Sequence[Line], loads: Sequence[Any], temperatures: Sequence[Any]) -> list[Nodes]:
    """The names of the phases on a map with their three lines, each where its phase is wide; none on other maps."""
    from scipy.ndimage import distance_transform_edt

    known = {line.name: line for line in lines}
    if not {STAYS, DEEPEST, FREEZE} <= {*known}:
        return []
    load, heat = np.meshgrid(*(spaced(edges(axis).tolist(), COARSE) for axis in (loads, temperatures)))
    stays, deepest = (np.interp(heat, known[name].y, known[name].x, right=0.0) for name in (STAYS, DEEPEST))
    frozen = heat < np.interp(load, known[FREEZE].x, known[FREEZE].y)
    parts = {
        say("recall"): load < deepest,
        say("metastable recall"): (load >= deepest) & (load < stays),
        say("glass"): (load >= stays) & frozen,
        say("noise"): (load >= stays) & ~frozen,
    }
    if min(part.mean() for part in parts.values()) < SMALL:
        return []
    at = [distance_transform_edt(np.pad(part, 1), (1, 1 / WIDE))[1:-1, 1:-1].argmax() for part in parts.values()]
    places = np.stack([load.flat[at], heat.flat[at]], axis=1)
    return [Nodes(places, [*parts], "box", "faint", size=0.85, letters=LETTERS)]


def _critical(load: Any, flip: Any) -> Lines:
    """Over load and the share of neurons that were flipped: the critical load."""
    critical = float(theory.critical_load())
    return {say("α = {}: the capacity for N → ∞", say(number(critical, 3))): ([critical, critical], [-1.0, 2.0])}


def _overlap(load: Any, temperature: Any) -> Any:
    """The overlap along load or temperature up to where it is lost, with its fall to 0 there.

    Beyond it the equations have no overlap, while a network that starts from a pattern keeps a part of it.
    """
    x = load if np.ndim(load) else temperature
    end = float(theory.critical_load(temperature) if np.ndim(load) else theory.retrieval_temperature(load))
    lost = [end] if x[0] < end < x[-1] else []
    x = np.append(x[x < end], end * (1 - 1e-9)) if lost else x
    m = theory.overlap(x, temperature) if np.ndim(load) else theory.overlap(load, x)
    return np.append(x, lost), np.append(m, np.zeros(len(lost)))


def _recalled(load: Any, temperature: Any) -> Any:
    """Whether an overlap stays: the share that is recalled at temperature 0."""
    x, m = _overlap(load, temperature)
    return x, np.sign(m)


def _from_beta(beta: Any, neurons: int, patterns: Any, load: Any, noise: Any = None) -> Lines:
    """Over β and the noise of cues, or the load: from where on patterns are recalled.

    Patterns of unit length have N times the β, and 1/N of the temperature, of patterns of length √N.
    """
    x = np.geomspace(beta[0], beta[-1], COARSE)
    loads = theory.sphere_load(x / neurons, neurons=neurons)
    most = np.exp(np.minimum(neurons * loads, MOST))
    if noise is None:
        return {STAYS: (x, most / neurons if np.ndim(load) else most)}
    least = float(np.exp(np.interp(np.log(patterns) / neurons, loads, np.log(x), np.nan, np.nan)))
    return {say("from here on patterns are recalled"): ([least, least], [-1.0, 10.0])} if np.isfinite(least) else {}


def _spinodal(exponent: Any, temperature: Any, neurons: int, beta: float) -> Lines:
    """Over ln P/N and the temperature: the load up to which a pattern stays."""
    t = np.linspace(0, temperature[-1], POINTS)
    return {STAYS: (theory.sphere_load(beta / neurons, neurons * t), t)}


def _warm(temperature: Any, neurons: int, beta: float, patterns: int) -> np.ndarray | None:
    """Over the temperature: the overlap with the pattern in whose valley the states are, NaN where there is none.

    In a valley the energy of an exponential separation is that of its pattern alone, whatever the β.
    """
    stays = theory.sphere_load(beta / neurons, neurons * temperature) > np.log(patterns) / neurons
    m = theory.sphere_overlap(neurons * temperature, neurons=neurons)
    return np.where(stays, m, np.nan) if stays.any() else None


def _exact(beta: Any, alpha: float, neurons: int, patterns: int) -> np.ndarray:
    """Over the β of a sparse memory: the share of patterns that one step gives back exactly.

    They are those with no other pattern at a cosine above 1 − Δ, with Δ = 1/(α − 1)/β.
    """
    from scipy.special import betainc

    nearest = np.maximum(1 - 1 / ((alpha - 1) * beta), -1) if alpha > 1 else np.full(len(beta), -1.0)
    below = 0.5 + 0.5 * np.sign(nearest) * betainc(0.5, (neurons - 1) / 2, nearest**2)
    return np.asarray(below ** (patterns - 1))


def _end(patterns: Any, x: Any, neurons: int, rule: str) -> Any:
    """Over load or patterns: the absolute capacity of a learning rule, across its curve; None for other rules."""
    if rule not in EXPONENTS:
        return None
    return [float(theory.faultless_patterns(neurons, rule=rule)) * x[-1] / patterns[-1]] * 2, [-1.0, 2.0]


def _stable(patterns: Any, neurons: int) -> list[float]:
    return [theory.faultless_share(round(count), neurons) for count in patterns.tolist()]


def _weight(patterns: Any, beta: float, neurons: int) -> np.ndarray:
    return theory.sphere_weight(np.log(patterns) / neurons, beta / neurons, neurons)


def _sparse(load: Any, activity: float, bias: float) -> np.ndarray:
    return theory.sparse_overlap(load, activity, -bias)


def _of_sequence(patterns: Any, neurons: int, n: int) -> list[float]:
    """As `dense_error`; scores have each neuron's own part, as those of one more neuron without."""
    return [theory.sequence_error(round(count), neurons + 1, n - 1, rectified=True) for count in patterns.tolist()]


HEBB = {"rule": "hebb", "self_coupling": False, "activation": "sign", "bias": 0.0, "threshold": 0.0}
COLD_HEBB, COLD_SPARSE = {**HEBB, "temperature": 0.0}, {"rule": "covariance", "activation": "step", "temperature": 0.0}
THEORIES = (
    Theory("map", "spins", "hopfield", ("load",), "", _phases, HEBB),
    Theory("map", "spins", "hopfield", ("load",), "", _critical, COLD_HEBB),
    Theory("curve", "spins", "hopfield", ("load", "temperature"), "overlap", _overlap, HEBB),
    Theory("curve", "spins", "hopfield", ("load", "temperature"), "recalled", _recalled, COLD_HEBB),
    Theory("curve", "binary", "hopfield", ("load",), "overlap", _sparse, COLD_SPARSE),
    Theory("capacity", "spins", "dense", ("neurons",), "recalled", theory.dense_capacity),
    Theory("map", "unit", "modern", ("beta",), "", _from_beta),
    Theory("map", "unit", "spherical", ("exponent",), "", _spinodal),
    Theory("curve", "unit", "spherical", ("temperature",), "overlap", _warm, {"separation": "exponential"}),
    Theory("curve", "unit", "sparse", ("beta",), "converged", _exact, {"steps": 1}),
    Theory("curve", "unit", "softmax", ("exponent", "patterns"), "weight", _weight),
    Theory("curve", "bits", "hopfield", COUNTS, "bit_error", theory.bit_error, {"rule": "hebb"}),
    Theory("curve", "bits", "hopfield", COUNTS, "stable", _end),
    Theory("curve", "bits", "hopfield", COUNTS, "stable", _stable, {"rule": "hebb"}),
    Theory("curve", "bits", "dense", COUNTS, "bit_error", theory.dense_error),
    Theory("curve", "bits", "sequence", COUNTS, "bit_error", _of_sequence),
    Theory("curve", "bits", "exponential", ("exponent",), "bit_error", theory.exponential_error),
)
"""The theories; of two of the same measure, the later one is drawn."""
