"""What arguments, names and numbers are refused with: the place that is named, and the words that help."""

import numpy as np
import pytest

import hopattn as ha
from hopattn.dynamics.own_parts import REGISTRIES
from tests.refusal import refused

EYE, LARGE, MEMORY = np.eye(2), 1e200 * np.eye(2), ha.Memory(np.eye(3))
attention, hopfield, linear = ha.attention, ha.memories.hopfield, ha.transformer.linear_attention
gradients, learning = ha.gradients, ha.learning
SPINS = np.random.default_rng(0).choice([-1.0, 1.0], size=(3, 12))


def head(**matrices):
    return ha.Head(**{"w_query": EYE, "w_key": EYE, "w_value": EYE, **matrices})


CALLS = [
    (lambda: ha.unit([0, 0]), "unit: the vector", "zero"),
    (lambda: ha.unit([[1, 0], [np.nan, 0]]), "unit: row 1", "NaN"),
    (lambda: ha.unit([[[1, 0]], [[0, 0]]]), "unit: row 1, 0", "zero"),
    (lambda: ha.unit([]), "unit", "(0,)", "(…, dim)", "no axis of length 0"),
    (lambda: ha.unit(3), "unit", "()", "(…, dim)"),
    (lambda: ha.unit("abc"), "unit", "'abc'", "numbers such as"),
    (lambda: ha.unit([1j]), "unit", "real numbers", "complex"),
    (lambda: ha.unit(range(10**18)), "unit", "7,450,580,596.9 GiB"),
    (lambda: ha.unit(np.ma.masked_array([1.0, 2.0], [True, False])), "unit", "without a mask"),
    (lambda: ha.unit([[1, 2], [3]]), "unit", "unequal length"),
    (lambda: ha.Memory([1, 2]), "keys", "(2,)", "(n_patterns, dim)"),
    (lambda: ha.Memory(np.zeros((0, 2))), "keys", "(0, 2)"),
    (lambda: ha.Memory([[1.0], [2.0], [np.inf]]), "keys: row 2", "NaN or an infinity"),
    (lambda: ha.Memory(np.full((2, 2), 1e300)), "keys: row 0", "1e+300", "at most"),
    (lambda: MEMORY.step(np.ones(2)), "cues", "got shape (2,)", "dim = 3 of keys"),
    (lambda: MEMORY.step(3.0), "cues", "got shape ()", "dim = 3 of keys"),
    (lambda: MEMORY.recall(np.eye(3), max_steps=0), "max_steps", "at least 1", "0"),
    (lambda: MEMORY.recall(np.eye(3), max_steps=1.5), "max_steps", "whole", "1.5"),
    (lambda: MEMORY.recall(np.eye(3), tol=-1), "tol", "at least 0", "-1"),
    (lambda: ha.run(3), "", "scenario", "3"),
    (lambda: ha.load(3), "path", "3"),
    (lambda: ha.load(""), "path", "''"),
    (lambda: ha.load("a\0b.npy"), "path", "not a path"),
    (lambda: ha.load("a" * 300 + ".npy"), "path", "255"),
    (lambda: ha.memories.linear(EYE, normalise="no"), "normalise", "True or False", "'no'"),
    (lambda: ha.transformer.LayerNorm()(np.zeros((2, 0))), "x", "(2, 0)"),
    (lambda: ha.Memory(EYE, separation=object()), "separation", "Separation", "an object"),
    (lambda: ha.Memory(EYE, separation=ha.separations.softmax), "separation", "the class Softmax"),
    (lambda: ha.Memory(EYE, separation=3), "separation", "an int"),
    (lambda: ha.Memory(EYE, activation="mymodule"), "activation", "'mymodule'", "choices: "),
    (lambda: ha.Memory(EYE, activation="nowhere_at_all:Part"), "activation", "nowhere_at_all", "imported"),
    (lambda: ha.Memory(EYE, activation="math:Part"), "activation", "math", "'Part'"),
    (lambda: ha.Memory(EYE, activation="math:pi"), "activation", "'math:pi'", "Activation"),
    (lambda: ha.Memory(EYE, activation="1:2"), "activation", "'1:2'", "mymodule:"),
    (lambda: hopfield([[1, -1]]).recall([1, -1], update=object()), "update", "an Update", "an object"),
    (lambda: ha.memories.named_memories["moder"], "memory", "'moder'", "'modern'"),
    # overflow is refused with the name of the argument
    (lambda: ha.transformer.LinearState().attended(LARGE, LARGE, LARGE), "q: "),
    (lambda: ha.transformer.DeltaState().attended(EYE, EYE[[0, 0]], 1.7e308 * np.array([[1.0], [-1]])), "v: "),
    (lambda: attention(1e300 * EYE, LARGE, EYE), "q: ", "1e+300", "float64"),
    (lambda: linear(EYE, EYE, np.full((2, 2), 1e308)), "v: "),
    (lambda: head().trace(LARGE), "x: "),
    (lambda: head(w_query=1e150 * EYE)(LARGE), "x: "),
    (lambda: head(w_query=LARGE, w_key=1e150 * EYE).trace(EYE), "Head.w_query: "),
    (lambda: ha.MultiHead([head(w_query=1e300 * EYE, w_key=LARGE)], EYE)(EYE), "MultiHead.heads.w_query: "),
    (lambda: ha.Associator(1e150 * EYE).step([1e200, 1.0]), "cues: "),
    (lambda: ha.memories.modern(1e150 * EYE, beta=1.0).weights(np.full(2, 1e300)), "cues: "),
    (lambda: ha.Hopfield(1e150 * EYE).field([1e200, 1.0]), "cues: "),
    (lambda: learning.hebb(LARGE + 1e200), "patterns: "),
    (lambda: learning.storkey(1e150 * EYE + 1e150), "patterns: "),
    (lambda: ha.cue([1e150, 1e150], [1e200, 1.0]), "activation: "),
    (lambda: gradients.saturation_of([1e100, 0.0], [1e300]), "magnitudes: "),
    (lambda: ha.sinusoidal(3, 4000, base=5e-324), "base: "),
    (lambda: ha.Hopfield(EYE[::-1], bias=[1, -1], activation="identity").energy([1e200, 1e200]), "states: "),
    # what would take hours, or all memory, is refused at once
    (lambda: gradients.vanishing_gradients(10**6, rng=0), "stack_gradients: 1,000,000 layers", "would take"),
    (lambda: gradients.stack_gradients(n_words=10**6, rng=0), "stack_gradients: 12 layers", "would take"),
    (lambda: ha.circuits.random_texts(10**8, 100, n_words=2, dim=1, rng=0), "random_texts: 100,000,000", "would take"),
]  # fmt: skip


@pytest.mark.parametrize("row", range(len(CALLS)))
def test_what_cannot_be_is_refused_with_its_place_and_what_was_expected(row):
    refused(*CALLS[row])


def test_what_is_not_finite_before_and_what_numpy_expects_come_as_they_are():
    assert np.isnan(ha.memories.modern(EYE).step([np.nan, 1.0])).all()
    with np.errstate(over="ignore", invalid="ignore"):
        assert np.isinf(ha.Associator(LARGE).step([1e200, 1.0])[0])
    assert ha.Memory(3 * EYE, separation="identity").recall([1.0, 0.0], max_steps=1000).status == "diverged"


def test_arrays_of_two_libraries_and_two_dtypes_are_refused_where_there_is_no_product_of_them(torch, jax):
    wide, narrow, followed = torch.eye(3, dtype=torch.float64), torch.eye(3), torch.eye(3, requires_grad=True)
    of_wide = ha.Head(wide, wide, wide, mask="causal")
    for call, place, *words in (
        (lambda: attention(narrow, wide, wide), "k", "torch.float64", "q of torch.float32"),
        (lambda: attention(wide, wide, narrow), "v", "torch.float32", "q of torch.float64"),
        (lambda: of_wide(narrow), "x", "torch.float32", "torch.float64"),
        (lambda: ha.MultiHead([of_wide], wide)(wide, source=narrow), "source", "torch.float32"),
        (lambda: ha.Memory(wide).step(narrow[0]), "cues", "torch.float32", "keys of torch.float64"),
        (lambda: attention(wide, jax.numpy.eye(3), wide), "", "torch", "jax"),
        (lambda: attention(np.eye(3), wide, wide), "", "numpy", "torch.asarray(x)"),
    ):
        refused(call, place, *words)
    theirs = ha.theory.overlap, ha.experiments.compare_patterns, ha.retrieval.operating_class
    for use in (lambda x: ha.compare(x, x), *theirs):
        refused(lambda use=use: use(followed), "", "computed with NumPy", "x.detach()")
        refused(lambda use=use: jax.jit(use)(np.eye(3)), "", "computed with NumPy", "JAX traces")


NAMES = [
    ("", "Memoryy", "'Memory'?", "choices: "),
    ("", "modern", "ha.memories.modern?"),
    ("", "moderm", "ha.memories.modern?"),
    ("", "delta", "ha.learning.delta or ha.memories.delta?"),
    ("", "learnin", "'learning'?"),
    ("memories", "moddern", "hopattn.memories: ", "'modern'?"),
    ("learning", "heb", "hopattn.learning: ", "'hebb'?"),
    ("positions", "ropee", "hopattn.positions: ", "'rope'?"),
    ("circuits", "qqqqqq", "hopattn.circuits: ", "(choices: "),
    ("separations", "entmx", "separation: ", "'entmax'"),
    ("separations", "_repr_png_", "no attribute"),
    ("", "_private", "module 'hopattn' has no attribute '_private'"),
]


@pytest.mark.parametrize(("room", "name", "words"), [(room, name, words) for room, name, *words in NAMES])
def test_a_mistyped_attribute_names_the_nearest_wherever_it_is(room, name, words):
    with pytest.raises(AttributeError) as caught:
        getattr(getattr(ha, room) if room else ha, name)
    assert all(word in str(caught.value) for word in (name, *words))


def test_kernels_that_do_not_exist_are_refused(monkeypatch, hopattn):
    monkeypatch.setenv("HOPATTN_KERNELS", "nunpy")
    refused(lambda: ha.Memory(np.ones((2100, 2))).step(np.ones((2100, 2))), "HOPATTN_KERNELS", "'nunpy'", "'numpy'")
    code, out, err = hopattn("list")
    assert (code, out) == (2, "") and err.startswith("HOPATTN_KERNELS: 'nunpy'")


@pytest.mark.parametrize("registry", REGISTRIES, ids=lambda registry: registry.what)
def test_a_mistyped_key_of_any_registry_names_the_nearest(registry):
    for name in registry:
        if len(name) > 4:
            refused(lambda name=name: registry[name[:-1]], registry.what, f"'{name[:-1]}'", "did you mean")
    refused(lambda: registry[3], registry.what, "'3'")
