"""The lines that theory predicts for the sweep of a scenario, where the scenario is one that the theory describes."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hopattn import theory
from hopattn.experiments.sweeps.table import Sweep
from hopattn.figures.quantities import SIZES, horizontal_axis, logarithmic, setting
from hopattn.figures.sheet import Nodes, say
from hopattn.figures.theory_lines import Line
from hopattn.memories.random_patterns import EVEN
from hopattn.scenario.grids import of_words
from hopattn.scenario.kinds.ensemble import EnsembleTable
from hopattn.scenario.kinds.simulation import SimulationTable
from hopattn.scenario.language.paths import last_keys
from hopattn.scenario.language.table import Table

FINE, COARSE = 200, 41
"""The number of points of a line, and of one whose points take long."""
COLD = 0.1
"""Maps over temperatures up to this one show the line at which replicas of a retrieved state begin to differ."""
STAYS = say("up to here a pattern stays")
"""The name of a line below which a state stays near a pattern."""
DEEPEST, FREEZE = say("up to here it is deepest"), say("up to here spins freeze")
"""The names of the lines below which patterns are the deepest states, and below which spins freeze."""
SMALL, LETTERS, WIDE = 0.02, 12, 1.5
"""The least part of a map that has a name; the letters of a line of it; its width as a part of its height."""
LIMIT = say("theory, N → ∞")
"""The name of a line for infinitely many neurons."""
MOST = 100
"""The logarithm of the largest number of patterns of a line."""
CAPACITIES = ("hebb", "storkey", "pseudo_inverse")
"""The learning rules whose absolute capacity is known."""
Lines = Mapping[str, Mapping[Any, Any]]
"""Lines by measure and name, as `lines_for` takes them."""


def predicted(sweep: Sweep, form: str) -> Lines:
    """The lines by measure and name; none for a sweep without a scenario, and for one that no theory here describes.

    form: of the figure: curve, map or capacity.

    The theory of the Hopfield network is that of random spins, whose cues are stored patterns, one spin changed at a
    time; that of sparse coding the same for neurons of 0 and 1. Over load and damage, the line is the critical load.
    """
    table = getattr(sweep.scenario and sweep.scenario.spec, "ensemble", None)
    keys = tuple(last_keys(sweep.axes).values())
    own = getattr(sweep.scenario and sweep.scenario.spec, "simulation", None)
    if isinstance(own, SimulationTable):
        return _simulated(sweep, keys, own) if form == "curve" and own.theory else {}
    if not isinstance(table, EnsembleTable) or table.file is not None or table.correlation or "correlation" in keys:
        return {}
    if table.bits:
        damage = table.flip or table.flips or table.noise or table.hide
        return {} if damage or form != "curve" else _one_update(sweep, keys, table)
    if any(map(of_words, sweep.axes.values())):
        return {}
    if table.sort == "unit":
        return _sphere(sweep, keys, table, form)
    if table.noise or table.hide or (table.flip and "flip" not in keys):
        return {}
    if table.sort == "binary":
        return _sparse(sweep, keys, table) if form == "curve" else {}
    if table.sort != "spins" or table.activity != EVEN or "activity" in keys:
        return {}
    if form == "capacity":
        return _dense(sweep, keys, table) if table.card is not None and table.card.name == "dense" else {}
    temperature = _temperature(table)
    if table.model != "hopfield" or temperature is None:
        return {}
    if form == "map":
        return _by_damage(sweep, keys) if temperature == 0 else _phases(sweep, keys)
    return _curves(sweep, keys, table, temperature)


def _simulated(sweep: Sweep, keys: tuple[str, ...], table: SimulationTable) -> Lines:
    """Along any argument of a simulation that its theory takes: one line, or one for each curve."""
    along = list(sweep.axes).index(horizontal_axis(sweep.axes))
    if not {*keys} <= table.foreseen:
        return {}
    numbers = _numbers(sweep, keys, keys[along])
    spaced = np.geomspace if logarithmic(numbers.tolist()) else np.linspace
    x = spaced(numbers[0], numbers[-1], FINE)
    x = np.unique(np.rint(x)).astype(int) if isinstance(table.given[keys[along]], int) else x
    others = [{key: value} for i, key in enumerate(keys) if i != along for value in list(sweep.axes.values())[i]]
    lines = {}
    for one in others or [{}]:
        name = say("theory, {}", setting(*next(iter(one.items())))) if one else say("theory")
        lines[name] = x, [table.predicted(**one, **{keys[along]: value}) for value in x.tolist()]
    return {table.measure: lines}


def _temperature(table: EnsembleTable) -> float | None:
    """The temperature of the update; None for an update without one, and for one that cools."""
    rng = np.random.default_rng(0)
    rule: Any = table.update_rule(table.build(table.drawn(rng, least=True), None, rng))
    name = type(rule).__name__
    if name == "Asynchronous":
        return 0.0
    return float(rule.temperature) if name == "Glauber" and rule.cooling == 1 else None


def _numbers(sweep: Sweep, keys: tuple[str, ...], key: str) -> np.ndarray:
    """The numbers of the axis with this last key."""
    return np.array(list(sweep.axes.values())[keys.index(key)], float)


def _phases(sweep: Sweep, keys: tuple[str, ...]) -> Lines:
    """Over load and temperature: the lines below which patterns stay, are the deepest states, and spins freeze.

    In the cold, where the line of patterns turns back, the line of de Almeida and Thouless is the last one instead.
    """
    if keys != ("load", "temperature"):
        return {}
    loads, warmest = _numbers(sweep, keys, "load"), _numbers(sweep, keys, "temperature")[-1]
    t = np.linspace(0, min(1.2 * warmest, 1), COARSE)
    lines = {
        STAYS: (theory.critical_load(t), t),
        DEEPEST: (theory.stable_load(t), t),
    }
    if warmest <= COLD:
        lines[say("below here replicas differ")] = theory.replica_load(t), t
    else:
        load = np.linspace(0, 1, COARSE) ** 2 * loads[-1]
        lines[FREEZE] = load, theory.glass_temperature(load)
    seen = {name: line for name, line in lines.items() if line[0].max() >= loads[0]}
    return dict.fromkeys(sweep.values, seen)


def phases(lines: Sequence[Line], x: tuple[float, float], y: tuple[float, float]) -> Nodes | None:
    """The names of the phases on a map with their three lines, each where its phase is wide; None on other maps.

    x, y: the ends of the map.
    """
    found = {line.name: line for line in lines}
    if not {STAYS, DEEPEST, FREEZE} <= {*found}:
        return None
    load, heat = (ends.ravel() for ends in np.meshgrid(np.linspace(*x, COARSE), np.linspace(*y, COARSE)))
    stays, deepest = (np.interp(heat, found[name].y, found[name].x, right=0.0) for name in (STAYS, DEEPEST))
    frozen = heat < np.interp(load, found[FREEZE].x, found[FREEZE].y)
    parts = {
        say("recall"): load < deepest,
        say("recall, not deepest"): (load >= deepest) & (load < stays),
        say("glass"): (load >= stays) & frozen,
        say("noise"): (load >= stays) & ~frozen,
    }
    if min(part.mean() for part in parts.values()) < SMALL:
        return None
    at, unit = np.stack([load, heat], axis=1), (WIDE * (x[1] - x[0]), y[1] - y[0])
    edge = np.isin(load, x) | np.isin(heat, y)
    places = []
    for part in parts.values():
        away = np.abs(at[part][:, None] - at[~part | edge]) / unit  # of each point in it from each one at its border
        places.append(at[part][away.max(axis=-1).min(axis=-1).argmax()])
    return Nodes(np.array(places), [*parts], "box", "faint", size=0.85, letters=LETTERS)


def _by_damage(sweep: Sweep, keys: tuple[str, ...]) -> Lines:
    """Over load and the share of neurons that were flipped: the critical load."""
    if set(keys) != {"load", "flip"}:
        return {}
    critical = float(theory.critical_load())
    ends = ([critical, critical], [-1.0, 2.0])
    points = ends if keys[0] == "load" else ends[::-1]
    name = say("α = {}: the capacity for N → ∞", f"{critical:.3f}")
    return {measure: {name: points} for measure in sweep.values}


def _curves(sweep: Sweep, keys: tuple[str, ...], table: EnsembleTable, temperature: float) -> Lines:
    """Over load or temperature: the overlap that stays; one line, or one for each curve."""
    axis = list(sweep.axes).index(horizontal_axis(sweep.axes))
    along, others = keys[axis], [key for key in keys if key not in (keys[axis], "neurons")]
    if along not in ("load", "temperature") or set(keys) - {"load", "temperature", "neurons"}:
        return {}
    numbers = _numbers(sweep, keys, along)
    given = {"load": table.stored / table.dim, "temperature": temperature}
    held = [{other: float(number)} for other in others for number in _numbers(sweep, keys, other)]
    names = [say("theory, {}", setting(*next(iter(one.items())))) for one in held] or [LIMIT]
    each = zip(names, held or [{}], strict=True)
    lines = {name: _line(along, numbers, given | one) for name, one in each}
    shares = {name: (x, np.where(m > 0, 1.0, 0.0)) for name, (x, m) in lines.items()} if temperature == 0 else {}
    return {name: kind for name, kind in {"overlap": lines, "recalled": shares}.items() if name in sweep.values}


def _line(along: str, numbers: np.ndarray, given: Mapping[str, float]) -> tuple[np.ndarray, np.ndarray]:
    """The overlap along load or temperature up to where it is lost, with its fall to 0 there.

    Beyond it the equations have no overlap, while a network that starts from a pattern keeps a part of it.
    """
    x = np.linspace(numbers[0], numbers[-1], FINE)
    if along == "load":
        end = float(theory.critical_load(given["temperature"]))
    else:
        end = float(theory.retrieval_temperature(given["load"]))
    lost = x[0] < end < x[-1]
    x = np.append(x[x < end], end * (1 - 1e-9)) if lost else x
    places = {"load": x, "temperature": x} | {key: value for key, value in given.items() if key != along}
    m = theory.overlap(**places)
    return (np.append(x, end), np.append(m, 0.0)) if lost else (x, m)


def _sparse(sweep: Sweep, keys: tuple[str, ...], table: EnsembleTable) -> Lines:
    """Over load: the overlap of sparse patterns, one line, or one for each activity or bias of a curve."""
    model: Any = table.model
    known = {"rule": "covariance", "activation": "step"}.items() <= dict(
        model if isinstance(model, Table) else {}
    ).items()
    along = keys[list(sweep.axes).index(horizontal_axis(sweep.axes))]
    others = [key for key in keys if key not in ("load", "neurons")]
    if not known or _temperature(table) != 0 or along != "load" or set(others) - {"activity", "bias"}:
        return {}
    numbers = _numbers(sweep, keys, "load")
    x = np.linspace(numbers[0], numbers[-1], FINE)
    held = [{other: float(number)} for other in others for number in _numbers(sweep, keys, other)]
    lines = {}
    for one in held or [{}]:
        given = {"activity": table.activity, "bias": model.bias} | one
        name = say("theory, {}", setting(*next(iter(one.items())))) if one else LIMIT
        lines[name] = (x, theory.sparse_overlap(x, given["activity"], -given["bias"]))
    return {"overlap": lines}


def _sphere(sweep: Sweep, keys: tuple[str, ...], table: EnsembleTable, form: str) -> Lines:
    """Over patterns or ln P/N: the weight of the own pattern; over ln P/N and the temperature: the spinodal; over the
    temperature: the overlap; over the β of a sparse memory: the share of exact recalls; over β and the noise of cues,
    or the load: from where on patterns are recalled.

    Patterns of unit length have N times the β, and 1/N of the temperature, of patterns of length √N.
    """
    n, beta = table.dim, getattr(table.model, "beta", table.beta) / table.dim
    if keys in (("beta", "noise"), ("beta", "load"), ("beta", "patterns")):
        if n < 2 or table.card is None or table.card.name != "modern":
            return {}
        ends = _numbers(sweep, keys, "beta")
        x = np.geomspace(ends[0], ends[-1], COARSE)
        loads = theory.sphere_load(x / n, neurons=n)
        patterns = np.exp(np.minimum(n * loads, MOST))
        if "noise" not in keys:
            edge = {STAYS: (x, patterns / n if "load" in keys else patterns)}
            return dict.fromkeys(sweep.values, edge)
        least = float(np.exp(np.interp(np.log(table.stored) / n, loads, np.log(x), np.nan, np.nan)))
        line = {say("from here on patterns are recalled"): ([least, least], [-1.0, 10.0])}
        return dict.fromkeys(sweep.values, line if np.isfinite(least) else {})
    if table.noise or table.hide or table.flip or table.flips or getattr(table.model, "sink", None) is not None:
        return {}
    if form == "curve" and keys == ("temperature",):
        return _warm(sweep, table, beta)
    if form == "curve" and "converged" in sweep.values and "beta" in keys:
        return _exact(sweep, keys, table)
    if form == "curve" and "weight" in sweep.values:
        return _weights(sweep, keys, {"neurons": float(n), "beta": beta * n})
    if keys == ("exponent", "temperature"):
        t = np.linspace(0, _numbers(sweep, keys, "temperature")[-1], FINE)
        return {"overlap": {STAYS: (theory.sphere_load(beta, n * t), t)}}
    return {}


def _warm(sweep: Sweep, table: EnsembleTable, beta: float) -> Lines:
    """Over the temperature: the overlap with the pattern in whose valley the states are, as far as there is one.

    In a valley the energy of an exponential separation is that of its pattern alone, whatever the β.
    """
    n, name = table.dim, table.card.name if table.card else ""
    if n < 2 or name != "spherical" or getattr(table.model, "separation", "") != "exponential":
        return {}
    ends = _numbers(sweep, ("temperature",), "temperature")
    t = np.linspace(ends[0], ends[-1], FINE)
    t = t[theory.sphere_load(beta, n * t) > np.log(table.stored) / n]
    return {"overlap": {say("theory, N = {}", n): (t, theory.sphere_overlap(n * t, neurons=n))}} if t.size else {}


def _exact(sweep: Sweep, keys: tuple[str, ...], table: EnsembleTable) -> Lines:
    """Over the β of a sparse memory: the share of patterns that one step gives back exactly; a line, or one for each α.

    They are those with no other pattern at a cosine above 1 − Δ, with Δ = 1/(α − 1)/β.
    """
    name = table.card.name if table.card else ""
    along = keys[list(sweep.axes).index(horizontal_axis(sweep.axes))]
    if name != "sparse" or table.steps != 1 or table.dim < 2 or along != "beta" or set(keys) - {"beta", "alpha"}:
        return {}
    from scipy.special import betainc

    ends, lines = _numbers(sweep, keys, "beta"), {}
    x = np.geomspace(ends[0], ends[-1], FINE)
    for alpha in _numbers(sweep, keys, "alpha").tolist() if "alpha" in keys else [getattr(table.model, "alpha", 2.0)]:
        nearest = np.maximum(1 - 1 / ((alpha - 1) * x), -1) if alpha > 1 else np.full(FINE, -1.0)
        below = 0.5 + 0.5 * np.sign(nearest) * betainc(0.5, (table.dim - 1) / 2, nearest**2)
        name = say("theory, {}", setting("alpha", alpha)) if "alpha" in keys else say("theory, N = {}", table.dim)
        lines[name] = x, below ** (table.stored - 1)
    return {"converged": lines}


def _weights(sweep: Sweep, keys: tuple[str, ...], given: dict[str, float]) -> Lines:
    """The weight of the own pattern in the first step: one line, or one for each dimension or β. given: N and β."""
    along = keys[list(sweep.axes).index(horizontal_axis(sweep.axes))]
    others = [key for key in keys if key != along]
    if along not in ("exponent", "patterns") or set(others) - {"neurons", "beta"}:
        return {}
    (first, last), lines = _numbers(sweep, keys, along)[[0, -1]].tolist(), {}
    x = np.linspace(first, last, COARSE) if along == "exponent" else np.geomspace(first, last, COARSE)
    for one in [{key: float(number)} for key in others for number in _numbers(sweep, keys, key)] or [{}]:
        n, beta = int((given | one)["neurons"]), (given | one)["beta"]
        name = say("theory, {}", setting(*next(iter(one.items())))) if one else say("theory, N = {}", n)
        lines[name] = x, theory.sphere_weight(x if along == "exponent" else np.log(x) / n, beta / n, n)
    return {"weight": lines}


def _dense(sweep: Sweep, keys: tuple[str, ...], table: EnsembleTable) -> Lines:
    """Over neurons and patterns: the capacity of dense memories, one line for each order n."""
    if set(keys) - {*SIZES, "n"}:
        return {}
    model: Any = table.model
    rectified = getattr(model, "rectified", True)
    orders = _numbers(sweep, keys, "n").astype(int).tolist() if "n" in keys else [getattr(model, "n", 3)]
    x = _numbers(sweep, keys, "neurons")
    x = np.geomspace(x[0], x[-1], FINE)
    lines = {say("slope {} in theory", n - 1): (x, theory.dense_capacity(x, n, rectified=rectified)) for n in orders}
    return {"recalled": lines}


def _one_update(sweep: Sweep, keys: tuple[str, ...], table: EnsembleTable) -> Lines:
    """Over load or patterns: the share of neurons that one update of a stored pattern turns, and of patterns of which
    it turns none; one line, or one for each order n. Curves of learning rules have their absolute capacities instead.
    """
    axis = list(sweep.axes).index(horizontal_axis(sweep.axes))
    along, others = keys[axis], {*keys} - {keys[axis]}
    model: Any = table.model
    name, neurons = table.card.name if table.card else "", table.dim
    if name == "exponential":
        return _exponential(sweep, keys, table)
    if along not in ("load", "patterns") or others - {"n", "rule"} or table.activity != EVEN:
        return {}
    per_pattern = neurons if along == "load" else 1
    if others == {"rule"} and name == "hopfield":
        rules = [rule for rule in list(sweep.axes.values())[1 - axis] if rule in CAPACITIES]
        ends = {rule: float(theory.faultless_patterns(neurons, rule=rule)) / per_pattern for rule in rules}
        return {"stable": {say("theory, {}", setting("rule", rule)): ([x, x], [-1.0, 2.0]) for rule, x in ends.items()}}
    first, last = _numbers(sweep, keys, along)[[0, -1]] * per_pattern
    counts = np.unique(np.rint(np.geomspace(max(first, 1), last, FINE)).astype(int))
    x = counts / per_pattern
    if name == "hopfield" and not others and getattr(model, "rule", "hebb") == "hebb":
        shares = [theory.faultless_share(count, neurons) for count in counts.tolist()]
        each = {"bit_error": theory.bit_error(counts / neurons, neurons), "stable": shares}
        return {key: {say("theory, N = {}", neurons): (x, y)} for key, y in each.items() if key in sweep.values}
    if name not in ("dense", "sequence") or others - {"n"}:
        return {}
    lines = {}
    for n in _numbers(sweep, keys, "n").astype(int).tolist() if others else [getattr(model, "n", 3)]:
        if name == "dense":
            y: Any = theory.dense_error(counts, neurons, n, rectified=getattr(model, "rectified", True))
        else:  # the scores of a sequence have each neuron's own part, as those of one more neuron without
            y = [theory.sequence_error(count, neurons + 1, n - 1, rectified=True) for count in counts.tolist()]
        lines[say("theory, {}", setting("n", n)) if others else say("theory, N = {}", neurons)] = x, y
    return {"bit_error": lines}


def _exponential(sweep: Sweep, keys: tuple[str, ...], table: EnsembleTable) -> Lines:
    """Over the exponent ln P/N: the share of neurons that turn; one line, or one for each number of neurons."""
    if set(keys) - {"exponent", "neurons"} or "exponent" not in keys or table.activity != EVEN:
        return {}
    ends = _numbers(sweep, keys, "exponent")
    x, beta = np.linspace(ends[0], ends[-1], FINE), getattr(table.model, "beta", 1.0)
    sizes = _numbers(sweep, keys, "neurons").astype(int).tolist() if "neurons" in keys else [table.dim]
    lines = {
        say("theory, {}", setting("neurons", n)): (x, theory.exponential_error(np.exp(x * n), n, beta=beta))
        for n in sizes
    }
    return {"bit_error": lines}
