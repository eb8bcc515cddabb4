"""Networks of layers: neurons whose Lagrangians are activations, joined by synapses (a hypergraph).

E(g) = Σ_layers L*(g) − Σ_synapses F(g)          x = Σ ∂F/∂g, the field of a layer          g⁺ = ∇L(x)
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from os import PathLike
from typing import Any, ClassVar, Self

import numpy as np

from hopattn.dynamics.likeness import Likeness, ReferencePatterns
from hopattn.dynamics.recall import AssociativeMemory, Cues
from hopattn.dynamics.record import Recall
from hopattn.dynamics.updates.base import Update
from hopattn.dynamics.updates.layer_by_layer import Layers
from hopattn.foundation.arrays import (
    Array,
    Mask,
    as_array,
    as_float,
    device_of,
    in_numbers_of,
    namespace,
    on_host,
    require_finite,
    require_fitting,
    shaped,
    stored_rows,
)
from hopattn.foundation.boundary import Fit, not_minus_infinity, public
from hopattn.foundation.checks import Seed, each, instance
from hopattn.foundation.errors import InvalidInput, quoted, reject_unknown
from hopattn.foundation.ties import without_rounding
from hopattn.networks.classical import NO_PATTERNS
from hopattn.networks.layered_spins import LayeredSpins
from hopattn.networks.layers import Layer, LayerActivations, Separated, described, in_rows, parts_of
from hopattn.networks.synapses import Connection, Function, Stored
from hopattn.retrieval.activation import Activation
from hopattn.retrieval.masks import like

Parts = dict[str, Array]
"""The activities of each layer by its name, `(n, *shape)`."""


@dataclass(frozen=True, eq=False, kw_only=True)
class LayerPatterns(ReferencePatterns):
    """Patterns of one layer, with which the states of that layer are compared; dim: that of the whole states."""

    part: slice
    dim: int

    @property
    def shape(self) -> tuple[int, int]:
        return self.patterns.shape[0], self.dim

    def overlaps(self, states: Array) -> Array:
        return super().overlaps(states[..., self.part])

    def likeness(self, states: np.ndarray) -> Likeness:
        return super().likeness(states[..., self.part])


@dataclass(frozen=True, eq=False, init=False)
class Network(AssociativeMemory):
    """Layers of neurons joined by synapses, with the protocol of `Memory`; its default update cannot diverge.

        h = Σ ∂F/∂g          g⁺ = ∇L(h), clamped neurons stay          E(g) = Σ L*(g) − Σ F(g)

    A `step` is of all layers at once, and may raise the energy.

    Parameters
    ----------
    layers : `Layer` objects.
    synapses
        what `on` of a synapse gives, such as `Dense(W).on("hidden", "visible")`; the same synapse may be on several
        places, which then share its weights.
    patterns : (n_patterns, total)
        the states that recalled states are compared with, or those of one layer by its name, `{"visible": (n_patterns,
        *shape)}`.

    Raises
    ------
    InvalidInput
        for two layers of one name, a synapse on a layer that does not exist, weights that do not fit the layers, arrays
        of two libraries, and patterns that do not fit.

    Notes
    -----
    A state is one row `(total,)` of all layers, one after another: `join` makes it, `split` takes it apart. A recall
    takes a state, or the states of some layers by name; the others then begin with the activities that these give them.
    The default update `ha.updates.layers` sets one layer after another to the activation of its field. There is no step
    size, and the energy never rises where `descends` says so: where each alignment is linear or convex in each layer,
    or its negative curvature is known. `ha.updates.time` follows the flow with the time constants of the layers.

    Source: Krotov & Hopfield (2021), ICLR; Krotov (2021), arXiv 2107.06446 (their g is our state, their L our Φ);
    synapses of many layers: Hoover et al. (2022), HAMUX.

    Examples
    --------
    >>> import hopattn as ha
    >>> from hopattn.networks import Dense, Layer, Network
    >>> patterns = [[1.0, 1, 1, 1, -1, -1], [1, -1, 1, -1, 1, -1]]
    >>> layers = Layer("visible", 6, "tanh", beta=2), Layer("hidden", 2, "softmax", beta=4)
    >>> network = Network(layers, [Dense(patterns).on("hidden", "visible")], patterns={"visible": patterns})
    >>> recall = network.recall({"visible": [0.9, 0.8, 0.9, -0.2, -0.7, -0.9]})
    >>> str(recall.status), int(recall.matched), bool(network.descends())
    ('converged', 0, True)
    """

    _file_kind: ClassVar[str] = "Network"
    layers: tuple[Layer, ...]
    synapses: tuple[Connection, ...]
    patterns: Array
    patterns_of: str | None
    held: np.ndarray

    def __init__(self, layers: Sequence[Layer], synapses: Sequence[Connection], *, patterns: Array = None) -> None:
        nodes = each(layers, Layer, "layers", "a Layer")
        connections = each(
            synapses, Connection, "synapses", "a synapse on layers, as Dense(W).on('hidden', 'visible') gives it"
        )
        if not nodes:
            raise InvalidInput("layers: got none; expected at least one Layer")
        names = [layer.name for layer in nodes]
        if duplicate := next((name for name in names if names.count(name) > 1), None):
            raise InvalidInput(f"layers: two layers have the name '{duplicate}'; give one of them another name")
        object.__setattr__(self, "layers", nodes)
        object.__setattr__(self, "synapses", _with_names(connections, names))
        object.__setattr__(self, "held", np.zeros(self.total, dtype=bool))
        joined = []
        for connection in self.synapses:
            shapes = [self[name].shape for name in connection.layers]
            try:
                connection.synapse.require_fit(*shapes)
            except InvalidInput as error:
                raise InvalidInput(f"synapse '{connection.name}': {error}") from None
            joined.append(replace(connection, synapse=connection.synapse._fitted(*shapes)))
        object.__setattr__(self, "synapses", tuple(joined))
        arrays = [array for connection in connections for array in connection.synapse.arrays]
        object.__setattr__(self, "patterns", _zeros((0, self.total), arrays[0] if arrays else np.zeros(1)))
        object.__setattr__(self, "patterns_of", None)
        self._set_patterns(patterns)

    @staticmethod
    def _of_file(
        layers: Sequence[Layer],
        synapses: Sequence[Connection],
        patterns: np.ndarray,
        held: np.ndarray,
        patterns_of: str | None = None,
    ) -> "Network":
        """The network that `save` wrote: these patterns, of one layer by its name or of all, and these held neurons."""
        network = Network(layers, synapses)
        if patterns_of is not None:
            network._set_patterns({patterns_of: patterns.reshape(-1, *network[patterns_of].shape)})
        elif len(patterns):
            network._set_patterns(patterns)
        return network.clamped(held) if held.any() else network

    def save(self, path: str | PathLike[str]) -> None:
        """Write the network to a file, as of `Memory.save`; raises `InvalidInput` also for a `Function` synapse."""
        if connection := next(
            (connection for connection in self.synapses if isinstance(connection.synapse, Function)), None
        ):
            raise InvalidInput(f"save: the synapse '{connection.name}' is a Function, which a file cannot hold")
        super().save(path)

    def _set_patterns(self, patterns: Any) -> None:
        if patterns is None:
            return
        layer = None
        if isinstance(patterns, Mapping):
            self._require_layers(patterns, "patterns")
            if len(patterns) != 1:
                raise InvalidInput(
                    f"patterns: got those of {len(patterns)} layers; expected those of one layer, or whole states"
                )
            layer, patterns = next(iter(patterns.items()))
            activities = self._activities(layer, patterns, "patterns")
            patterns = namespace(activities).reshape(activities, (-1, self[layer].size))
        rows = stored_rows(as_float(patterns, "patterns", like=self.patterns), "patterns")
        if not layer:
            shaped(rows, "patterns", "n_patterns total", total=self.total)
        object.__setattr__(self, "patterns", rows)
        object.__setattr__(self, "patterns_of", layer)

    def __getitem__(self, name: str) -> Layer:
        """The layer of this name."""
        self._require_layers([name], "layer")
        return self._by_name[name]

    def __repr__(self) -> str:
        layers = ", ".join(
            f"{layer.name} ({'×'.join(map(str, layer.shape))}, {described(layer)})" for layer in self.layers
        )
        n = len(self.synapses)
        return f"Network({layers}; {n} synapse{'s' * (n != 1)})"

    @cached_property
    def total(self) -> int:
        """The number of neurons of all layers."""
        return sum(layer.size for layer in self.layers)

    @cached_property
    def parts(self) -> dict[str, slice]:
        """The part of each layer in a state `(total,)`, by its name."""
        return dict(zip((layer.name for layer in self.layers), parts_of(self.layers), strict=True))

    @cached_property
    def activation(self) -> LayerActivations:
        """The activations of all layers as one."""
        free = dict(self._free)
        return LayerActivations(self.layers, tuple(name in free for name in self.parts))

    @property
    def default_update(self) -> Update:
        """One layer after another."""
        return Layers()

    @property
    def _reference(self) -> ReferencePatterns:
        if self.patterns_of is None:
            return ReferencePatterns(self.patterns, self.activation)
        activation = LayerActivations((self[self.patterns_of],), (True,))
        return LayerPatterns(self.patterns, activation, part=self.parts[self.patterns_of], dim=self.total)

    @public
    def split(self, states: Cues) -> dict[str, Array]:
        """The activities of each layer by name, `(…, *shape)`, of states `(…, total)`."""
        return dict(zip(self.parts, self.activation.split(states), strict=True))

    @public
    def join(self, activities: Mapping[str, Any]) -> Array:
        """States `(…, total)` with these activities `(…, *shape)` of some layers, by name.

        Every other layer takes the activation of the field that its neighbours give it: first the neighbours of the
        layers that have activities, then the neighbours of these, and so on. Raises `InvalidInput` for an unknown
        layer, and for a shape that does not fit.
        """
        instance(activities, Mapping, "cues", "the activities of some layers by name")
        self._require_layers(activities, "cues")
        if not activities:
            raise InvalidInput("cues: got no layer; expected the activities of at least one")
        arrays = {name: self._activities(name, value, "cues") for name, value in activities.items()}
        leads = {name: tuple(value.shape[: value.ndim - len(self[name].shape)]) for name, value in arrays.items()}
        lead = max(leads.values(), key=len)
        if misfit := next((name for name in leads if leads[name] not in ((), lead)), None):
            raise InvalidInput(f"cues: the layer '{misfit}' has the leading axes {leads[misfit]}, another one {lead}")
        xp, template = namespace(*arrays.values()), next(iter(arrays.values()))
        parts: Parts = {}
        for name, layer in self._by_name.items():
            array = arrays[name] if name in arrays else layer.activation(_zeros(layer.shape, template))
            parts[name] = xp.reshape(xp.broadcast_to(array, (*lead, *layer.shape)), (-1, *layer.shape))
        front, others = list(arrays), dict.fromkeys(name for name in parts if name not in arrays)
        while others:
            beside = {name for source in front for connection, _ in self._on[source] for name in connection.layers}
            front = list(beside & others.keys()) or [next(iter(others))]
            fields = {name: self._field_of(name, parts) for name in front}
            for name, field in fields.items():
                parts[name] = self._by_name[name].activation(field, parts[name])
                del others[name]
        return xp.reshape(self.activation.flat(list(parts.values())), (*lead, self.total))

    @property
    def dim(self) -> int:
        return self.total

    def _fit(self, axes: Collection[str]) -> Fit:
        fit = Fit(("patterns", self.patterns))
        fit.sizes["dim"] = self.total, "layers"
        return fit

    def _field_at(self, x: Array, mask: Any) -> Array:
        parts = self._parts(x)
        return self._joined({name: self._field_of(name, parts) for name in parts}, x)

    def _energy_at(self, x: Array, mask: Any) -> Array:
        return self._energy(self._parts(x), {}, x)

    def _step_at(
        self, x: Array, mask: Any, *, energy: bool = False, in_turn: bool = False
    ) -> tuple[Array, Array | None]:
        parts, alignments = self._parts(x), Parts() if energy else None
        after = self._joined(self._step(parts, in_turn, alignments), x)
        return after, None if alignments is None else self._energy(parts, alignments, x)

    @public
    def step_of_layers(self, states: Cues, mask: Mask = None) -> Array:
        """One layer after another takes the activation of its field, with the new activities of those before it.

        Where the least curvature of the alignments in a layer is −λ < 0, it takes the proximal step of weight λ,
        if its activation has one.
        """
        self._require(mask)
        return self._step_at(states, None, in_turn=True)[0]

    def _step(self, before: Parts, in_turn: bool, alignments: Parts | None = None) -> Parts:
        """The activities after a step of all layers at once, or of one layer after another.

        alignments: as of `_field_of`. When the first layer of a synapse is updated, its other layers are as before the
        step. So the alignment that is computed then is that of the states before.
        """
        after = dict(before)
        for name, free in self._turns if in_turn else self._free:
            source, layer = after if in_turn else before, self._by_name[name]
            field, g = self._field_of(name, source, alignments), source[name]
            inertia = self.bends[name][0] if in_turn else 0.0
            if 0 < inertia < float("inf") and layer.has_inertia:
                activities = layer.activation.proximal(field + inertia * g, g, inertia)
            else:
                activities = layer.activation(field, g)
            after[name] = activities if free is None else namespace(g).where(like(free, g), activities, g)
        return after

    def _nothing_near(self, states: Array, mask: Any = None) -> Array:
        """Whether there are patterns, and none of them has a weight in a state, `(…,)`.

        Patterns are the neurons of a layer whose activation is a separation, and those of a `Stored` synapse.
        """
        self._require(mask)
        parts, xp = self._parts(states), namespace(states)
        shares = [parts[name] for name, layer in self._by_name.items() if isinstance(layer.activation, Separated)]
        shares += [
            connection.synapse.weights(*connection.of(parts))
            for connection in self.synapses
            if isinstance(connection.synapse, Stored)
        ]
        if not shares:
            return super()._nothing_near(states)
        flags = [xp.all(in_rows(share) == 0, axis=-1) for share in shares]
        return xp.reshape(xp.all(xp.stack(flags), axis=0), states.shape[:-1])

    @public(may_be=not_minus_infinity)
    def energies(self, states: Cues) -> dict[str, Array]:
        """Each part of the energy by name, `(…,)`: L*(g) of each layer, −F of each synapse; `energy` is their sum."""
        energies, xp = self._energies(self._parts(states), {}), namespace(states)
        return {name: xp.reshape(energy, states.shape[:-1]) for name, energy in energies.items()}

    def _energies(self, parts: Parts, alignments: Parts) -> Parts:
        """L*(g) of each layer and −F of each synapse by name, `(n,)`; alignments: the F that are known."""
        energies = {name: layer.energy(parts[name]) for name, layer in self._by_name.items()}
        for connection in self.synapses:
            if (alignment := alignments.get(name := str(connection.name))) is None:
                alignment = connection.synapse.alignment(*connection.of(parts))
            energies[name] = -alignment
        return energies

    def _energy(self, parts: Parts, alignments: Parts, x: Array) -> Array:
        """E of the states x, whose activities are the parts; alignments: as of `_energies`."""
        energy = sum(self._energies(parts, alignments).values())
        return energy if x.ndim == 2 else namespace(x).reshape(energy, x.shape[:-1])

    @public
    def recall(
        self,
        cues: Array,
        *,
        update: str | Update | None = None,
        max_steps: int = 100,
        tol: float | None = None,
        rng: Seed = None,
        mask: Mask = None,
        keep: Sequence[str] = (),
        clamp: Array = None,
    ) -> Recall:
        """As `Memory.recall`; cues: states `(n, total)` or `(total,)`, or the activities of some layers by name.

        Parameters
        ----------
        clamp : as of `clamped`; these neurons keep the values of the cue, or those that its layers give them.
        mask : None, because there are no patterns to mask.
        """
        network = self if clamp is None else self.clamped(clamp)
        states = self.join(cues) if isinstance(cues, Mapping) else cues
        return AssociativeMemory.recall(
            network, states, update=update, max_steps=max_steps, tol=tol, rng=rng, mask=mask, keep=keep
        )

    def clamped(self, clamp: Array) -> Self:
        """The network in which some neurons keep their activities under every update.

        Parameters
        ----------
        clamp
            the name of a layer, a list of names, booleans of the neurons of some layers by name, `{"visible":
            (*shape)}`, or booleans `(total,)`.

        Raises
        ------
        InvalidInput
            where all neurons are clamped, and for a part of neurons that depend on each other, such as those of a
            softmax, or of one token of a layer normalisation.
        """
        held = self.held | self._neurons(clamp)
        if held.all():
            raise InvalidInput("clamp: all neurons are clamped, so that nothing can move; leave a layer free")
        for layer in self.layers:
            rows = held[self.parts[layer.name]].reshape(-1, layer.shape[-1])
            if not layer.activation.elementwise and np.any(rows.any(axis=1) != rows.all(axis=1)):
                reason = f"the neurons of the layer '{layer.name}' ({described(layer)}) depend on each other"
                raise InvalidInput(f"clamp: {reason}; clamp all of them{' of a row' * (len(rows) > 1)} or none")
        network = object.__new__(type(self))
        vars(network).update({field.name: getattr(self, field.name) for field in fields(self)}, held=held)
        return network

    def _single_neuron_states(self, states: np.ndarray, mask: np.ndarray | None = None) -> LayeredSpins:
        """A batch of states whose spins are updated one at a time, each by the energies of its two sides."""
        return LayeredSpins(self, states)

    def graph(self) -> Any:
        """The network as a bipartite `networkx.MultiGraph`: nodes ("layer", name) and ("synapse", name).

        Layers have the attributes bipartite = 0, shape and activation, synapses bipartite = 1 and kind, and edges the
        place of the layer in the synapse.
        """
        import networkx

        graph = networkx.MultiGraph()
        for layer in self.layers:
            graph.add_node(("layer", layer.name), bipartite=0, shape=layer.shape, activation=described(layer))
        for connection in self.synapses:
            graph.add_node(("synapse", connection.name), bipartite=1, kind=type(connection.synapse).__name__)
            for place, name in enumerate(connection.layers):
                graph.add_edge(("synapse", connection.name), ("layer", name), place=place)
        return graph

    @cached_property
    def bends(self) -> dict[str, tuple[float, str]]:
        """The least known λ that makes all alignments together convex in each layer, and why it is not 0."""
        bends = {}
        for layer, on in self._on.items():
            terms = [(connection.name, *connection.synapse.bend(places)) for connection, places in on]
            reasons = (f"synapse '{name}' on the layer '{layer}': {why}" for name, bend, why in terms if bend > 0)
            bends[layer] = sum(bend for _, bend, _ in terms), next(reasons, "")
        return bends

    def _why_not(self, capability: str) -> str:
        free_layers = [self._by_name[name] for name, _ in self._free]
        match capability:
            case "convexity" if len(free_layers) > 1 or self.held.any():
                return "the alignments are not convex in all layers together"
            case "convexity" | "convexity of a layer":
                return next(filter(None, map(self._why_it_may_rise, free_layers)), "")
            case "single-neuron updates" if not self.activation.discrete:
                return "layers of graded neurons are updated as a whole"
            case "continuous time":
                return next(filter(None, (layer.why_it_jumps for layer in self.layers)), "")
            case "mask":
                return NO_PATTERNS
        return super()._why_not(capability)

    @property
    def _curvature(self) -> float:
        return float("inf") if self.why_not("convexity") else max(bend for bend, _ in self.bends.values())

    @cached_property
    def _time_constants(self) -> Array:
        """τ of each neuron, `(total,)`; infinite for one that is clamped."""
        tau = np.concatenate([np.full(layer.size, layer.tau) for layer in self.layers])
        return in_numbers_of(self.patterns, np.where(self.held, np.inf, tau))

    def _why_it_may_rise(self, layer: Layer) -> str:
        """Why the step of a layer may raise the energy, or an empty string."""
        bend, reason = self.bends[layer.name]
        return "" if bend == 0 or (bend < float("inf") and layer.has_inertia) else reason

    @cached_property
    def _by_name(self) -> dict[str, Layer]:
        return {layer.name: layer for layer in self.layers}

    @cached_property
    def _on(self) -> dict[str, list[tuple[Connection, tuple[int, ...]]]]:
        """The synapses on each layer by its name, each with the places at which the layer is."""
        return {
            layer: [
                (connection, tuple(place for place, name in enumerate(connection.layers) if name == layer))
                for connection in self.synapses
                if layer in connection.layers
            ]
            for layer in self.parts
        }

    @cached_property
    def _free(self) -> list[tuple[str, np.ndarray | None]]:
        """The layers with a neuron that is not clamped, each with booleans `(*shape)` of these; None for all."""
        flags = {name: ~self.held[part].reshape(self[name].shape) for name, part in self.parts.items()}
        return [(name, None if free.all() else free) for name, free in flags.items() if free.any()]

    @cached_property
    def _turns(self) -> list[tuple[str, np.ndarray | None]]:
        """The layers that a step in turn updates, in their order, as `_free` gives them."""
        return self._free

    def _require_layers(self, names: Any, what: str) -> None:
        reject_unknown(what, names, [layer.name for layer in self.layers], "the layer")

    def _field_of(self, name: str, parts: Parts, alignments: Parts | None = None) -> Array:
        """The field of a layer, `(n, *shape)`: the sum of the gradients of its synapses; 0 without one.

        For neurons that jump, a field that is no larger than its rounding is 0. alignments: F by the name of the
        synapse, or None; the F of each synapse on the layer is added to it, unless it is there.
        """
        field: Any = None
        for connection, places in self._on[name]:
            if alignments is None or connection.name in alignments:
                pull = connection.synapse.pull(places, *connection.of(parts))
            else:
                pull, alignments[str(connection.name)] = connection.synapse.answer(places, *connection.of(parts))
            field = pull if field is None else field + pull
        if field is None:
            return namespace(parts[name]).zeros_like(parts[name])
        if not self._by_name[name].activation.discrete:
            return field
        error = self._rounding_of(name, parts)
        for connection, places in self._on[name]:  # a graded neighbour carries on the rounding of its own field
            for place, other in enumerate(connection.layers):
                activation, activities = self._by_name[other].activation, connection.of(parts)
                if other != name and not activation.discrete:
                    field_there = self._field_of(other, parts), self._rounding_of(other, parts)
                    activities[place] = _change(activation, *field_there)
                    error = error + connection.synapse.carried(places, *activities)
        return without_rounding(field, error)

    def _rounding_of(self, name: str, parts: Parts) -> Array:
        """The rounding of the field of a layer, `(n, *shape)`, for activities exact up to their last digit."""
        return sum(connection.synapse.rounding(places, *connection.of(parts)) for connection, places in self._on[name])

    def _parts(self, states: Array) -> Parts:
        """The activities of each layer of states `(…, total)`."""
        if 0 in states.shape:
            raise InvalidInput(f"states: got shape {tuple(states.shape)}; expected at least one state")
        rows = states if states.ndim == 2 else namespace(states).reshape(states, (-1, self.total))
        return dict(zip(self.parts, self.activation.split(rows), strict=True))

    def _joined(self, parts: Parts, x: Array) -> Array:
        """States of the shape of x from the activities of each layer."""
        rows = self.activation.flat(list(parts.values()))
        return rows if x.ndim == 2 else namespace(x).reshape(rows, x.shape)

    def _activities(self, name: str, value: Any, what: str) -> Array:
        """The activities of a layer, `(…, *shape)`."""
        what = f"{what} of the layer '{name}'"
        array, shape = as_float(value, what, like=self.patterns), self[name].shape
        if tuple(array.shape[max(array.ndim - len(shape), 0) :]) != shape:
            raise InvalidInput(
                f"{what}: got shape {tuple(array.shape)}; expected (n, {', '.join(map(str, shape))}), or one without n"
            )
        require_fitting(array, self.patterns, what, "the weights")
        require_finite(array, what)
        return array

    def _neurons(self, clamp: Any) -> np.ndarray:
        """The neurons to clamp as booleans `(total,)`."""
        names = [clamp] if isinstance(clamp, str) else clamp
        if not isinstance(names, (Mapping, list, tuple, set)) or not all(isinstance(name, str) for name in names):
            return _booleans(clamp, (self.total,), "clamp")
        self._require_layers(names, "clamp")
        held = np.zeros(self.total, dtype=bool)
        for name in names:
            flags = names[name] if isinstance(names, Mapping) else np.ones(self[name].shape, dtype=bool)
            held[self.parts[name]] = _booleans(flags, self[name].shape, f"clamp of the layer '{name}'").ravel()
        return held


def _change(activation: Activation, field: Array, error: Array) -> Array:
    """The change of the activities by the error of a field; of neurons that depend on each other, β times the error."""
    if activation.elementwise:
        return abs(activation(field + error) - activation(field - error))
    return getattr(getattr(activation, "separation", activation), "beta", 1.0) * error


def _zeros(shape: tuple[int, ...], like: Array) -> Array:
    return namespace(like).zeros(shape, dtype=like.dtype, device=device_of(like))


def _booleans(value: Any, shape: tuple[int, ...], what: str) -> np.ndarray:
    flags = np.asarray(on_host(as_array(value, what)))
    if flags.dtype != bool or flags.shape != shape:
        got = f"got {flags.dtype} of shape {flags.shape}"
        raise InvalidInput(f"{what}: {got}; expected booleans of shape {shape}, True for a neuron that keeps its value")
    return flags


def _with_names(connections: Sequence[Connection], layers: list[str]) -> tuple[Connection, ...]:
    """The synapses, each with its own name: its layers, and a number where another one has this name."""
    names, copies = set(layers), []
    for i, connection in enumerate(connections):
        if not connection.layers:
            raise InvalidInput(f"synapses: entry {i} is on no layer; expected the names of layers, as in on('visible')")
        reject_unknown(f"synapses: entry {i}", connection.layers, layers, "the layer")
        base, number = connection.name or "–".join(connection.layers) + " synapse" * (len(connection.layers) == 1), 2
        if connection.name in names:
            raise InvalidInput(
                f"synapses: {quoted(connection.name)} is the name of two parts; give one of them another name"
            )
        name = base
        while name in names:
            name, number = f"{base} {number}", number + 1
        names.add(name)
        copies.append(replace(connection, name=name))
    return tuple(copies)
