"""Defaults: β, masks and random numbers are the same where the thing is the same, and one table has them all."""

import ast
import inspect
import re
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import hopattn as ha
from docs.builder import defaults
from hopattn.foundation.shown_types import spelled_out
from tools import signatures

EYE = np.eye(4)
ABSENT = [extra for extra in ("torch", "jax") if find_spec(extra) is None]
whole_table = pytest.mark.skipif(bool(ABSENT), reason=f"the table has the layers of {' and '.join(ABSENT)} too")
REFERENCE = Path(__file__).parents[1] / "docs/reference"
PAGE, CHANGES = (REFERENCE.joinpath(name).read_text(encoding="utf-8") for name in ("defaults.md", "changes.md"))
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
    "ha.Head.from_right": lambda: ha.Head.from_right(EYE, EYE, EYE).retrieval.separation.beta,
    "ha.jax.Hopfield.init": None,  # tests/jax has the layers beside JAX's attention
    "ha.jax.largest_eigenvalue": None,
    "ha.jax.recall": None,
    "ha.torch.Hopfield": lambda: ha.torch.Hopfield(4, maps=()).beta,
    "ha.torch.Hopfield.from_state": None,  # tests/torch has the layers beside PyTorch's
    "ha.torch.HopfieldLayer": lambda: ha.torch.HopfieldLayer(4, maps=()).beta,
    "ha.torch.HopfieldPooling": lambda: ha.torch.HopfieldPooling(4, maps=()).beta,
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


@whole_table
def test_what_none_stands_for_is_what_the_table_says():
    words = {"1": 1.0, defaults.IN_ATTENTION: 0.5}
    unnamed = {name for name, key in NAMED if key == "beta" and CALLS[name][key] is None}
    told = {name: defaults.OTHERWISE.get((name, "beta"), "1") for name in unnamed}
    assert {name for name in unnamed if told[name] in words} == {*MADE}
    for name, made in MADE.items():
        assert made is None or made() == pytest.approx(words[told[name]]), name


@whole_table
def test_each_exception_is_in_the_table():
    rows = dict(defaults.rows())
    columns = {key: column for column, keys in defaults.NAMES.items() for key in keys}
    for (name, key), told in defaults.OTHERWISE.items():
        assert told in rows[name][columns[key]], (name, key)


@whole_table
def test_the_page_has_the_table():
    assert defaults.table() in PAGE


SEEDS = {
    "comparison.seed": lambda rng: ha.compare(EYE, EYE, memories=["modern"], rng=rng),
    'sweep.about["seed"]': lambda rng: ha.sweep(lambda point, seed: {"y": 1.0}, {"x": [1]}, workers=1, rng=rng),
    "certificate.seeds": lambda rng: ha.certify("modern", count=1, rng=rng),
    "features.rng": lambda rng: ha.retrieval.RandomFeatures(4, rng=rng),
    "recipe.seed": lambda rng: ha.circuits.Recipe(seed=rng),
}


@pytest.mark.parametrize("place", SEEDS)
def test_the_seed_is_kept_where_the_page_says(place):
    assert f"`{place}`" in PAGE
    name = place.partition(".")[0]
    for rng in (7, None):
        seed = eval(place, {name: SEEDS[place](rng)})
        (seed,) = seed if place == "certificate.seeds" else [seed]
        assert seed == rng if rng is not None else isinstance(seed, int)


def test_the_lines_of_now_are_calls_that_there_are():
    """Each line of the page of changes that calls a name of `ha` has arguments that the name takes."""
    tried, names = 0, {"ha": ha}
    for line in re.findall(r"(?m)^\|[^|]*\| `(ha\.[^`|]*\))`", CHANGES):
        call = ast.parse(line, mode="eval").body
        if not isinstance(call, ast.Call) or "…" in line:
            continue
        taken = spelled_out(inspect.signature(eval(ast.unparse(call.func), names)))
        taken.bind(*call.args, **{keyword.arg: keyword.value for keyword in call.keywords})
        tried += 1
    assert tried > 40


def test_words_of_given_weights_are_given_by_name():
    assert '`ha.explore(weights, tokens=["a"])`' in CHANGES
    assert ha.explore([[1.0]], tokens=["a"]) is not None
