"""Checkpoints against `transformers`: the attention of every head, the states and the logits of tiny models.

Each model has two heads of keys in groups of two, rotated dims of at least four, a text longer than its window, and
every parameter moved; so no fault hides behind a start value. Faults that readers of such files really make are then
put in one at a time, and each must show.
"""

from importlib.util import find_spec

import numpy as np
import pytest

import hopattn as ha
from hopattn.foundation.errors import InvalidInput
from tests.checkpoints.faults import FAULTS
from tests.checkpoints.referee import MODELS, ROTARY, made
from tests.each import each


def differences(name, answer, within):
    """The arrays that differ from the model's: those of each layer's attention, of its input, and the logits."""
    one = made(name)
    checkpoint = ha.Checkpoint(one.path)
    found, given = {}, answer(one)
    for number, read in enumerate(given.read):
        trace = checkpoint.multi_head(number).trace(read)
        found[f"weights {number}"] = np.stack([head.weights for head in trace.heads]), given.weights[number]
        output = trace.output
        if checkpoint.family == "bert":  # its module gives the state after the residual and the norm
            output = checkpoint.block(number).norms[0](read + output)
        found[f"output {number}"] = output, given.outputs[number]
    if checkpoint.family != "gpt_oss":
        for layer in checkpoint.layers(one.ids, one.kinds):
            found[f"residual {layer.number}"] = layer.residual, given.states[layer.number]
            found[f"states {layer.number}"] = layer.states, given.read[layer.number]
        found["logits"] = checkpoint.run(one.ids, one.kinds).logits, given.logits
    return [what for what, (own, others) in found.items() if not np.allclose(own, others, rtol=within, atol=within)]


@pytest.fixture(autouse=True, scope="module")
def transformers():
    """Skip where the referee is not installed."""
    for package in ("torch", "transformers"):
        if find_spec(package) is None:
            pytest.skip(f"{package} is not installed (the extras `torch` and `models`)")


@each("name", MODELS)
def test_attention_states_and_logits_are_those_of_transformers_in_double_precision(name):
    """The first test here takes some seconds to import `transformers`, and to make each model once for all tests."""
    assert len(made(name).double.read) == 2
    assert differences(name, lambda one: one.double, 1e-12) == []


@each("name", ROTARY)
def test_they_are_those_of_transformers_as_it_is_up_to_its_single_precision(name):
    assert differences(name, lambda one: one.mixed, 5e-6) == []


@each("fault", FAULTS)
def test_each_fault_that_readers_make_shows(fault, monkeypatch):
    """It shows in the attention, the states or the logits, far above rounding; or the reader refuses the model."""
    name, install = FAULTS[fault]
    install(monkeypatch)
    try:
        found = differences(name, lambda one: one.double, 1e-5)
    except InvalidInput as error:
        found = [str(error)]
    assert found
