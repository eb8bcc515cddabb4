"""A model that hopattn has trained, as a folder in GPT-2's form: the same model, for us and for `transformers`."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopattn as ha
from hopattn.circuits import head_census
from hopattn.circuits.emergence.record import Recipe, Training
from tests.refusal import refused

TRAINED = Path(__file__).parents[2] / "scenarios/circuits/two-layers.npz"
COMPOSITIONS = ("query_composition", "key_composition", "value_composition")
RESCALED = {"energy": 2**0.5, "free_energy": 2**0.5, **dict.fromkeys(COMPOSITIONS, 2**-0.5)}
"""The measures in other units: U and F, as 1/β, and compositions, as their value by chance."""


def in_double(training):
    """The model of a training, computed in double precision."""
    weights = {name: array.astype(np.float64) for name, array in training.state.weights.items()}
    return replace(training, state=replace(training.state, weights=weights)).model()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("own") / "model"
    Training.load(TRAINED).save_checkpoint(folder)
    return folder


@settings(max_examples=10)
@given(st.integers(1, 3), st.sampled_from([(4, 1), (6, 2), (6, 3)]), st.booleans(), st.integers(0, 2**31))
def test_any_model_has_the_same_weights_and_logits_as_a_checkpoint(layers, size, positions, seed):
    dim, heads = size
    sizes = {"words": 7, "length": 9, "shortest": 2, "longest": 3}
    training = Training.begun(Recipe(layers, dim, heads, positions=positions, seed=seed, **sizes))
    model, text = in_double(training), np.random.default_rng(seed).integers(7, size=9)
    with TemporaryDirectory() as place:
        training.save_checkpoint(Path(place, "model"))
        length = int.from_bytes(Path(place, "model", "model.safetensors").read_bytes()[:8], "little")
        assert length % 8 == 0, "the numbers begin at a multiple of their size"
        checkpoint = ha.Checkpoint(Path(place, "model"))
        np.testing.assert_allclose(checkpoint.run(text).logits, model(text), rtol=1e-12, atol=1e-12)
        for layer, trace in zip(checkpoint.layers(text), model.trace(text), strict=True):
            for own, other in zip(layer.heads.trace(layer.states).heads, trace.heads, strict=True):
                np.testing.assert_allclose(own.weights, other.weights, rtol=1e-12, atol=1e-12)


def test_the_trained_model_shows_its_induction_heads_first_and_the_same_census(folder):
    training = Training.load(TRAINED)
    model, text, checkpoint = in_double(training), training.recipe.held_out(1).tokens[0], ha.Checkpoint(folder)
    np.testing.assert_allclose(checkpoint.run(text).logits, model(text), rtol=1e-12, atol=1e-12)
    found = checkpoint.census(text)
    expected = head_census(model, text, embed=model.embed, unembed=model.unembed)
    assert {one.head for one in found.strongest("prefix_matching", 4)} == {"1.0", "1.1", "1.2", "1.3"}
    assert found.classes() == expected.classes() and found.measures == expected.measures
    for name in found.measures:
        factor, close = RESCALED.get(name, 1.0), 1e-4 if name.startswith("fixed_point") else 1e-9
        np.testing.assert_allclose(found.matrix(name), factor * expected.matrix(name), rtol=close, err_msg=name)
        if name in COMPOSITIONS:
            np.testing.assert_allclose(found.chance(name), factor * expected.chance(name), rtol=1e-12)


def test_transformers_reads_the_same_model(folder, monkeypatch):
    """Tools on top of it then see the same heads. It takes some seconds to import, here or in `test_families.py`."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    torch = pytest.importorskip("torch", reason="PyTorch is not installed (the extra `torch`)")
    transformers = pytest.importorskip("transformers", reason="not installed (the extra `models`)")
    training = Training.load(TRAINED)
    model, text = in_double(training), training.recipe.held_out(1).tokens[0]
    options = {"dtype": torch.float64, "attn_implementation": "eager", "local_files_only": True}
    other = transformers.GPT2LMHeadModel.from_pretrained(folder, **options)
    with torch.no_grad():
        answer = other(torch.tensor(text[None]), output_attentions=True)
    np.testing.assert_allclose(answer.logits[0], model(text), rtol=1e-12, atol=1e-12)
    for found, trace in zip(answer.attentions, model.trace(text), strict=True):
        weights = np.stack([head.weights for head in trace.heads])
        np.testing.assert_allclose(found[0], weights, rtol=1e-12, atol=1e-12)


def test_the_library_of_the_format_reads_the_arrays(folder):
    numpy = pytest.importorskip("safetensors.numpy", reason="safetensors is not installed (the extra `test`)")
    arrays = numpy.load_file(folder / "model.safetensors")
    embed = Training.load(TRAINED).state.weights["embed.weight"]
    np.testing.assert_array_equal(arrays["transformer.wte.weight"], np.hstack([embed, -embed]))
    assert {array.dtype for array in arrays.values()} == {np.dtype(np.float64)}


def test_a_folder_that_is_not_empty_stays_as_it_is(folder):
    refused(partial(Training.load(TRAINED).save_checkpoint, folder), "", "is there already")
    assert ha.Checkpoint(folder).plan.n_layers == 2
