"""The errors of a student by name, each as changes of the scenario: a wrong answer is the answer of a run with them.

`hopattn/practice/texts.toml` says them in words. Add an error by adding a line here, and one there.
"""

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from hopattn.foundation.registry import Choices
from hopattn.scenario.arrays import numbers
from hopattn.scenario.language.lines import dotted

Document = Mapping[str, Any]
"""A scenario with all its defaults."""
Changes = dict[str, Any]
"""Values by their paths, as for `--set`; empty where the error changes nothing."""
MASKS = None, "causal", "strict"
"""The masks that hide the words that follow; the causal one is the default."""


class Tables:
    """The tables of a scenario by name, as in `tables.memory`; one that is not there is empty.

    head: the first head; mask, separation, query, key, value, weights and bias are its own. tokens, patterns, values,
    edges: of the file; none where it has none.
    """

    def __init__(self, document: Document) -> None:
        self.document = document
        self.layers: list[Any] = document.get("layer") or []
        self.head: Mapping[str, Any] = next((head for layer in self.layers for head in layer.get("head") or []), {})
        self.wordless = bool(self.head.get("values"))
        self.separation, self.weights = self.head.get("separation"), self.head.get("weights")
        self.mask = self.head.get("mask") or ("none" if self.wordless or self.weights or not self.head else None)
        self.query, self.key, self.value = (self.head.get(self.role(name)) for name in ("query", "key", "value"))
        self.bias: Any = bias if isinstance(bias := self.head.get("bias"), Mapping) else {}
        self.tokens = list(self.input.get("tokens") or [])
        self.patterns, self.values = (self.memory.get(name) or [] for name in ("patterns", "values"))
        self.model = model if isinstance(model := self.memory.get("model"), Mapping) else {}
        self.update = update if isinstance(update := self.memory.get("update"), Mapping) else {"name": update}
        self.edges = self.graph.get("edges") or []

    def __getattr__(self, name: str) -> Any:
        return self.document.get(name) or {}

    def role(self, name: str) -> str:
        """The key of a query, key or value: where a sheet prints what the maps give, that of all queries, keys, …"""
        return {"query": "queries", "key": "keys", "value": "values"}.get(name, name) if self.wordless else name

    def heads(self, **values: Any) -> Changes:
        """New values of all heads, by their keys."""
        return {f"layer.head.{self.role(key)}": value for key, value in values.items()}

    def pairs(self, of: Callable[[int, int], Any]) -> list[list[Any]]:
        """A value for each query i and key j of the text."""
        return [[of(i, j) for j in range(len(self.tokens))] for i in range(len(self.tokens))]

    def separated(self, name: str, *of_heads: str) -> Changes:
        """Another separation of a memory with the softmax, or of heads with one of some."""
        if self.memory.get("separation") == "softmax":
            return {"memory.separation": name}
        return self.heads(separation=name) if self.separation in of_heads else {}

    def fed(self, *keys: str) -> Changes:
        """The present values of the feed-forward layers by their paths."""
        tables = {f"layer.{i}.feed_forward": layer.get("feed_forward") or {} for i, layer in enumerate(self.layers, 1)}
        return {f"{path}.{key}": table[key] for path, table in tables.items() for key in keys if table.get(key)}

    def moved(self, change: Callable[[float], float]) -> Changes:
        """A change of the steps of each query and key that is a position moved."""
        return {
            f"layer.{i}.head.{j}.{role}": {key: one for key, one in place.items() if one is not None}
            | {"rotate": change(place["rotate"])}
            for i, layer in enumerate(self.layers, start=1)
            for j, head in enumerate(layer.get("head") or [], start=1)
            for role in ("query", "key")
            if isinstance(place := head.get(role), Mapping) and place.get("rotate")
        }

    def some(self, start: int | None, stop: int | None) -> Changes:
        """A memory of some of its patterns; those of numbers become words, which keep their names as cues."""
        some, names = slice(start, stop), numbers(len(self.patterns))
        if len(names) < 2:
            return {}
        changes = {"memory.patterns": self.patterns[some]} | (
            {"memory.values": self.values[some]} if self.values else {}
        )
        if not all(isinstance(one, list) for one in self.patterns):
            return changes
        words = {"axes": [*numbers(len(self.patterns[0]))], **self.vocabulary, "magnitude": "free"}
        words["words"] = {**(words.get("words") or {}), **dict(zip(names, self.patterns, strict=True))}
        return changes | {"vocabulary": words, "memory.patterns": [*names[some]]}

    def states(self, of: Callable[[list[float]], list[float]]) -> Changes:
        """Other states of the cues that are given as numbers."""
        cues = {name: cue["state"] for name, cue in self.cue.items() if cue.get("state")}
        return {dotted(("cue", name, "state")): of(state) for name, state in cues.items()}

    def zeros(self) -> Changes:
        """The couplings of patterns of 0 and 1 whose zeros stay 0: Σ V Vᵀ without its diagonal."""
        if (self.model.get("name"), self.model.get("rule"), self.model.get("activation")) != (
            "hopfield",
            "hebb",
            "step",
        ):
            return {}
        words = self.vocabulary.get("words") or {}
        rows = [one if isinstance(one, list) else words[one] for one in self.patterns]
        n = range(len(rows[0]))
        couplings = [[sum(row[i] * row[j] for row in rows) * (i != j) for j in n] for i in n]
        own = {name: self.memory[name] for name in ("patterns", "update", "max_steps")}
        own |= {name: self.model[name] or None for name in ("bias", "threshold")}
        kept = {name: value for name, value in own.items() if value is not None}
        return {"memory": {"couplings": couplings, "activation": "step", **kept}}

    def shifted(self, factor: float) -> Changes:
        """What is added to the field of each neuron times a factor."""
        tables = {"memory": self.memory, "memory.model": self.model}
        shifts = {f"{place}.{key}": table.get(key) for place, table in tables.items() for key in ("bias", "threshold")}
        lists = {path: shift if isinstance(shift, list) else [shift] for path, shift in shifts.items() if shift}
        times = {path: [factor * one for one in numbers] for path, numbers in lists.items()}
        return {path: row if isinstance(shifts[path], list) else row[0] for path, row in times.items()}

    def backwards(self) -> Changes:
        """The order of neurons that change one after the other, from the last to the first."""
        patterns = next((one for one in self.patterns if isinstance(one, list)), self.vocabulary.get("axes") or [])
        vector = self.memory.get("couplings") or patterns
        order = order if isinstance(order := self.update.get("order"), list) else [*range(1, len(vector) + 1)]
        own = self.memory and order and self.update["name"] in (None, "async")
        return {"memory.update": {**self.update, "name": "async", "order": order[::-1]}} if own else {}

    def neurons(self, change: Callable[[list[float]], list[float]]) -> Changes:
        """A change of the weights of each neuron, or of each query that the file gives."""
        places = {"network.matrix": self.network.get("matrix"), "memory.couplings": self.memory.get("couplings")}
        for i, layer in enumerate(self.layers, start=1):
            places |= {
                f"layer.{i}.head.{j}.queries": head.get("queries") for j, head in enumerate(layer["head"], start=1)
            }
        if changes := {place: [change(list(row)) for row in matrix] for place, matrix in places.items() if matrix}:
            return changes
        neurons = {name: change(list(weights)) for name, weights in (self.network.get("neurons") or {}).items()}
        free = {"vocabulary.magnitude": "free"} if self.vocabulary.get("magnitude") == "unit" else {}
        return {"network.neurons": neurons, **free} if neurons else {}

    def transposed(self) -> Changes:
        """Each square matrix of heads and feed-forward layers, or that of a network, with its columns as rows."""
        if self.network.get("rotate"):
            return {"network.rotate": -self.network["rotate"]}
        roles = {"layer.head.query": self.query, "layer.head.key": self.key, "layer.head.value": self.value}
        lists = {path: own for path, own in roles.items() if isinstance(own, list) and not self.wordless}
        lists |= self.fed("inner", "outer")
        square = {path: own for path, own in lists.items() if len(own) == len(own[0])}
        matrices = {"network.matrix": self.network["matrix"]} if self.network.get("matrix") else square
        return {path: [list(column) for column in zip(*own, strict=True)] for path, own in matrices.items()}


_ERRORS: dict[str, Callable[[Tables], Any]] = {
    "mask-forgotten": lambda t: t.mask != "none" and t.heads(mask="none"),
    "future-seen": lambda t: t.mask in MASKS and t.heads(mask=t.pairs(lambda i, j: j - i >= (t.mask == "strict"))),
    "mask-added": lambda t: t.head and t.mask == "none" and t.heads(mask="causal"),
    "all-words-alike": lambda t: (
        t.separation in ("softmax", "identity")
        and t.heads(scores=[[1.0] * len(t.tokens) for _ in t.input.get("queries") or t.tokens], separation="softmax")
    ),
    "shares-not-scaled": lambda t: (
        t.mask == "causal"
        and t.weights
        and t.heads(
            weights=[[w if j <= i else 0.0 for j, w in enumerate(row)] for i, row in enumerate(t.weights)], mask="none"
        )
    ),
    "edges-backwards": lambda t: t.edges and {"graph.edges": [edge[::-1] for edge in t.edges]},
    "word-itself-counted": lambda t: (
        {"graph.edges": [*t.edges, *([word, word] for word in t.tokens)]}
        if t.edges
        else t.mask == "strict" and t.heads(mask="causal")
    ),
    "word-itself-left-out": lambda t: (
        (t.mask in (None, "causal") and t.heads(mask="strict"))
        or (t.head and t.mask == "none" and t.heads(mask=t.pairs(lambda i, j: i != j)))
    ),
    "softmax-for-similarity": lambda t: t.separation == "identity" and t.heads(separation="softmax"),
    "similarity-for-softmax": lambda t: (
        (one := t.separated("identity", "softmax"))
        and one | ({"memory.beta": 1.0} if t.memory else t.heads(base=math.e) if t.head.get("base") else {})
    ),
    "not-divided-by-the-sum": lambda t: t.separated("exponential", "softmax"),
    "largest-alone": lambda t: t.separated("argmax", "softmax", "identity"),
    "base-forgotten": lambda t: (
        {"memory.beta": 1.0}
        if t.memory.get("separation") == "softmax" and t.memory.get("beta", 1) != 1
        else t.head.get("base") and t.heads(base=math.e)
    ),
    "bias-forgotten": lambda t: t.bias and t.heads(bias=t.pairs(lambda i, j: 0.0)),
    "bias-added": lambda t: t.bias.get("slope") and t.heads(bias=t.pairs(lambda i, j: t.bias["slope"] * abs(i - j))),
    "scale-forgotten": lambda t: (
        {"memory.beta": 1.0}
        if t.memory.get("separation", "softmax") != "softmax" and t.memory.get("beta", 1) != 1
        else t.head.get("beta") not in (None, 1.0) and t.heads(beta=1.0)
    ),
    "biases-forgotten": lambda t: dict.fromkeys(t.fed("inner_bias", "outer_bias")),
    "negatives-kept": lambda t: dict.fromkeys(t.fed("activation"), "identity"),
    "word-not-added": lambda t: t.layers and t.layers[0].get("residual") is True and {"layer.residual": False},
    "word-added": lambda t: t.layers and t.layers[0].get("residual") is False and {"layer.residual": True},
    "values-for-keys": lambda t: t.value and t.value != t.key and t.heads(key=t.value),
    "keys-for-values": lambda t: t.key and t.value != t.key and t.heads(value=t.key),
    "queries-for-keys": lambda t: t.query and t.key and t.query != t.key and t.heads(query=t.key, key=t.query),
    "positions-forgotten": lambda t: t.positions and t.heads(query={"from": "word"}, key={"from": "word"}),
    "positions-alone": lambda t: t.positions and t.heads(query={"from": "position"}, key={"from": "position"}),
    "transposed-matrix": lambda t: t.transposed(),
    "steps-backwards": lambda t: t.moved(lambda steps: -steps),
    "no-step": lambda t: {"network.rotate": 360} if t.network.get("rotate") else t.moved(lambda steps: 0),
    "dot-product-for-cosine": lambda t: t.head.get("similarity") == "cosine" and t.heads(similarity="dot"),
    "cosine-for-dot-product": lambda t: (
        t.head.get("similarity") == "dot" and t.heads(similarity="cosine")
        if t.head
        else t.vocabulary.get("magnitude") == "free" and {"vocabulary.magnitude": "normalise"}
    ),
    "last-number-left-out": lambda t: t.neurons(lambda weights: [*weights[:-1], 0]),
    "first-product-alone": lambda t: t.neurons(lambda weights: [weights[0], *[0] * (len(weights) - 1)]),
    "sign-exchanged": lambda t: t.neurons(lambda weights: [-weight for weight in weights]),
    "numbers-in-another-order": lambda t: t.neurons(lambda weights: weights[::-1]),
    "signs-lost": lambda t: t.neurons(lambda weights: [abs(weight) for weight in weights]),
    "synchronous-for-asynchronous": lambda t: t.memory and t.update["name"] != "sync" and {"memory.update": "sync"},
    "asynchronous-for-synchronous": lambda t: t.memory and t.update["name"] != "async" and {"memory.update": "async"},
    "order-reversed": lambda t: t.backwards(),
    "one-step-only": lambda t: t.memory and {"memory.max_steps": 1},
    "values-forgotten": lambda t: t.states(lambda state: [1.0] * len(state)),
    "last-neuron-left-out": lambda t: t.states(lambda state: [*state[:-1], 0.0]),
    "zeros-kept": lambda t: t.zeros(),
    "threshold-forgotten": lambda t: t.shifted(0.0),
    "threshold-with-the-other-sign": lambda t: t.shifted(-1.0),
    "self-coupling-kept": lambda t: "self_coupling" in t.model and {"memory.model.self_coupling": True},
    "not-divided-by-n": lambda t: t.model.get("rule") == "hebb" and {"memory.model.rule": "outer_products"},
    "first-pattern-alone": lambda t: t.some(None, 1),
    "last-pattern-alone": lambda t: t.some(-1, None),
    "last-pattern-left-out": lambda t: t.some(None, -1),
    "values-exchanged": lambda t: len(t.values) > 1 and {"memory.values": [*t.values[1:], t.values[0]]},
    "pattern-for-cue": lambda t: (
        t.patterns
        and (
            t.states(lambda _: t.patterns[0])
            if isinstance(t.patterns[0], list)
            else t.tokens and {"input.tokens": t.patterns[:1] * len(t.tokens)}
        )
    ),
}


def _changes(error: Callable[[Tables], Any], document: Document) -> Changes:
    """The changes of an error, which gives something false where it changes nothing."""
    return error(Tables(document)) or {}


mistakes: Choices[Callable[[Document], Changes]] = Choices(
    "error", {name: partial(_changes, error) for name, error in _ERRORS.items()}
)
"""The errors by name."""
