"""The reference values by which the page checks its own arithmetic: each formula, computed by hopattn with NumPy.

A case is `{"formula", "given", "expected"}`: the page computes the formula of that name from what is given, and
compares. Instead of what is given, `preset` is the number of a preset of the view that `formula` names. Numbers have
twelve digits, a thousand times as many as the page compares, so that the bytes of the page do not depend on the last
bits of a processor.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from hopattn.dynamics.updates.asynchronous import Asynchronous
from hopattn.foundation.errors import InvalidInput
from hopattn.memories.memory import Memory
from hopattn.memories.models.classical import hopfield
from hopattn.retrieval.separation import separations
from hopattn.retrieval.separation.base import Separation
from hopattn.transformer.heads import Head
from hopattn.views.explorer.controls import controls
from hopattn.views.explorer.start import Start

Case = dict[str, Any]

BASE = {"similarity": "dot", "separation": "softmax", "beta": 2.0, "alpha": 1.5, "n": 3, "mask": "causal"}
"""The settings of a head from which each case changes a few."""
BETAS = (0.3, 5.0)
ALPHAS: list[dict[str, float]] = [{"alpha": alpha} for alpha in (1.1, 1.5, 2.0)]
POWERS: list[dict[str, float]] = [{"n": n} for n in (2, 3, 5)]
OWN: dict[str, list[dict[str, float]]] = {"entmax": ALPHAS, "power": POWERS, "rectified_power": POWERS}
"""The values that are tried of the own parameter of a separation."""
NOTHING: list[dict[str, float]] = [{}]


def reference_values(starts: Mapping[str, Start]) -> list[Case]:
    """The cases of all formulas, and what `hopattn run` computes for the presets of the page."""
    cases = [*_heads(), *_energies(), *_couplings()]
    for view, start in starts.items():
        cases += [
            {"formula": view, "preset": i, "expected": start.expected[name]}
            for i, name in enumerate(start.presets)
            if start.expected[name]
        ]
    return [case | {"expected": _rounded(case["expected"])} for case in cases]


def settings_of(given: Mapping[str, Any]) -> Separation:
    """The separation that the settings of the page name, with β and its own parameter."""
    own = {key: given[key] for key in OWN.get(given["separation"], NOTHING)[0]}
    return separations.make(given["separation"], beta=given["beta"], **own)


def head_of(given: Mapping[str, Any], dim: int) -> Head:
    """The head that the settings of the page describe; a matrix that is not given changes nothing."""
    query, key, value = (
        np.eye(dim) if given.get(role) is None else np.array(given[role]) for role in ("query", "key", "value")
    )
    parts = {"similarity": given["similarity"], "separation": settings_of(given), "activation": given["activation"]}
    return Head(query, key, value, mask=given["mask"], **parts)


def _heads() -> Iterator[Case]:
    """A text of five words through one head: each choice of each control, and matrices."""
    rng = np.random.default_rng(7)
    words = rng.normal(size=(5, 3)).round(3)
    words[3] = words[1]  # a tie
    choices = controls()["head"]
    changes: list[dict[str, Any]] = [
        {key: choice} for key in ("similarity", "mask", "activation") for choice in choices[key]["choices"]
    ]
    for name in choices["separation"]["choices"]:
        changes += [{"separation": name, "beta": beta, **own} for beta in BETAS for own in OWN.get(name, NOTHING)]
    shapes = {"query": (2, 3), "key": (2, 3), "value": (3, 3)}
    changes.append({role: rng.normal(size=shape).round(3).tolist() for role, shape in shapes.items()})
    for change in changes:
        given = {**BASE, "activation": "identity", **change}
        trace = head_of(given, 3).trace(words)
        yield {
            "formula": "head",
            "given": {"head": given, "words": words.tolist()},
            "expected": {"weights": trace.weights.tolist(), "output": trace.output.tolist()},
        }


def _energies() -> Iterator[Case]:
    """The energy and the step of memories of four patterns, at four states."""
    rng = np.random.default_rng(8)
    patterns, states = rng.normal(size=(4, 3)).round(3), rng.normal(size=(4, 3)).round(3)
    for name in controls()["energy"]["separation"]["choices"]:
        for beta in BETAS:
            given = {"separation": name, "beta": beta, "alpha": 1.5, "n": 3}
            memory = Memory(patterns, separation=settings_of(given), activation="identity")
            yield {
                "formula": "memory",
                "given": given | {"patterns": patterns.tolist(), "states": states.tolist()},
                "expected": {"energies": memory.energy(states).tolist(), "steps": memory.step(states).tolist()},
            }


def _couplings() -> Iterator[Case]:
    """Each learning rule with and without self-couplings: fields, energy, and a sweep in order."""
    rng = np.random.default_rng(9)
    patterns, state = rng.choice([-1.0, 1.0], size=(3, 12)), rng.choice([-1.0, 1.0], size=12)
    for rule in controls()["spins"]["rule"]["choices"]:
        for own in (False, True):
            try:
                network = hopfield(patterns, rule=rule, self_coupling=own)
            except InvalidInput:
                continue  # the rule has no self-couplings
            sweep = network.recall(state, update=Asynchronous(), max_steps=1)
            energy = {} if network.why_not("energy") else {"energy": float(network.energy(state))}
            yield {
                "formula": "couplings",
                "given": {"rule": rule, "self_coupling": own, "patterns": patterns.tolist(), "state": state.tolist()},
                "expected": {"fields": network.field(state).tolist(), "swept": sweep.state.tolist(), **energy},
            }


def _rounded(value: Any) -> Any:
    """Numbers with twelve digits, in lists and tables too."""
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_rounded(each) for each in value]
    return float(f"{value:.12g}") + 0.0
