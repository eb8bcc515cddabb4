"""Defaults: β, masks and random numbers are the same where the thing is the same, and one table has them all."""

import inspect
import re
from pathlib import Path

import numpy as np
import pytest

import hopattn as ha
from docs.builder import defaults
from tools import signatures

EYE = np.eye(4)
MASKS = {"ha.circuits.Training.model": "causal", "ha.circuits.induction_circuit": "strict"}
"""The masks that belong to what is made."""
NUMBERS = {
    "modern": 8.0, "spherical": 8.0, "graded": 4.0, "input_driven": 4.0, "FirstWord": 8.0, "memory_circuit": 20.0,
    "memory_curves": 20.0, "walk": 50.0, "of_pictures": 0.5,
}  # fmt: skip
"""β of the models that have a number of their own, in their signatures."""
CALLS = {name: defaults.defaults(call) for name, call in defaults.calls()}
NEEDED = inspect.Parameter.empty
KEYS = [key for keys in defaults.NAMES.values() for key in keys]
NAMED = [(name, key) for name, found in CALLS.items() for key in KEYS if found.get(key, NEEDED) is not NEEDED]


@pytest.mark.parametrize(("name", "key"), NAMED)
def test_the_same_thing_has_the_same_default(name, key):
    default = CALLS[name][key]
    if key in defaults.NAMES["mask"]:
        assert default == MASKS.get(name), name
    elif key in defaults.NAMES["rng"]:
        assert default is None, name
    else:
        assert default in (None, NUMBERS.get(name.split(".")[-1], 1.0)), name


def test_the_table_has_every_call_with_one_of_them():
    """Each line of `api.txt` with such a parameter is a row, or the same function as one."""
    shown = {name for name, _ in defaults.rows()}
    functions = {id(getattr(call, "__func__", call)) for name, call in defaults.calls() if name in shown}
    tried = 0
    for line in signatures.lines():
        name, _, parameters = line[12:].partition("(")
        if not re.search(rf"\b({'|'.join(KEYS)})=", parameters):
            continue
        tried, value = tried + 1, ha
        path = re.findall(r"\w+|\['[^']*'\]", name.removeprefix("ha"))
        for part in path:
            value = value[part[2:-2]] if part.startswith("[") else getattr(value, part)
        assert name in shown or id(getattr(value, "__func__", value)) in functions, line
    assert tried > 100


def head(**options):
    return ha.Head(EYE, EYE, EYE, **options)


MADE = {
    "ha.Memory": lambda: ha.Memory(EYE).separation.beta,
    "ha.Step": lambda: ha.Step().separation.beta,
    "ha.Head": lambda: head().retrieval.separation.beta,
    "ha.cluster.sharded": None,  # it needs a cluster; tests/cluster compares it with a `Memory`
    "ha.memories.universal": lambda: ha.memories.universal(EYE).separation.beta,
    "ha.networks.Layer": lambda: ha.networks.Layer("a", 4, "softmax").activation.separation.beta,
    "ha.networks.Stored": lambda: ha.networks.Stored(EYE).separation.beta,
    "ha.networks.Attention": lambda: ha.networks.Attention(EYE, EYE).separation.beta,
    "ha.networks.EnergyTransformer": lambda: ha.networks.EnergyTransformer(EYE[None], EYE[None], EYE).beta,
    "ha.transformer.RecurrentDecoder": lambda: decoder().retrieval.separation.beta,
    "ha.attention": lambda: beta_of(lambda: ha.attention(2 * EYE, EYE, EYE)),
    "ha.transformer.free_energy": lambda: (
        0.5 if np.allclose(*(ha.transformer.free_energy(EYE, EYE, **b).entropy for b in ({}, {"beta": 0.5}))) else None
    ),
}
"""β of an object that is made without one, whose signature says None."""


def beta_of(answer):
    """β of softmax weights of the scores 2 and 0."""
    weights = answer()
    return float(np.log(weights[0, 0] / weights[0, 1]) / 2)


def decoder():
    recurrent = ha.transformer.Recurrent(np.ones((2, 4)), np.eye(2))
    return ha.transformer.RecurrentDecoder(recurrent)


def test_what_none_stands_for_is_what_the_table_says():
    words = {"1": 1.0, defaults.IN_ATTENTION: 0.5}
    unnamed = {name for name, key in NAMED if key == "beta" and CALLS[name][key] is None}
    told = {name: defaults.OTHERWISE.get((name, "beta"), "1") for name in unnamed}
    assert {name for name in unnamed if told[name] in words} == {*MADE}
    for name, made in MADE.items():
        assert made is None or made() == pytest.approx(words[told[name]]), name
    assert {name for name, _ in defaults.OTHERWISE} <= {*CALLS}


def test_the_page_has_the_table():
    assert defaults.table() in (Path(__file__).parents[1] / "docs/reference/defaults.md").read_text(encoding="utf-8")
