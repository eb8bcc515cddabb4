"""Checkpoints against `transformers`: the attention of every head, the states and the logits of tiny models.

Each model has two heads of keys in groups of two, rotated dims of at least four, a text longer than its window, and
every parameter moved; so no fault of a reader hides behind a start value.
"""

import ast
import inspect
import re
import warnings
from functools import partial
from importlib import import_module
from importlib.util import find_spec

import numpy as np
import pytest

import hopattn as ha
from hopattn.checkpoints.fields import INERT, Fields
from hopattn.checkpoints.plan import Plan
from hopattn.transformer.families import EVERY_COMPUTED, FAMILIES
from tests.checkpoints.published import PUBLISHED, REFUSED, tiny
from tests.checkpoints.referee import MODELS, ROTARY, TOKENS, made
from tests.checkpoints.written import write
from tests.refusal import refused


def differences(name, answer, within):
    """The arrays that differ from the model's: those of each layer's attention, of its input, and the logits."""
    one = made(name)
    checkpoint = ha.Checkpoint(one.path)
    found, given = {}, answer(one)
    for number, read in enumerate(given.read):
        trace = checkpoint.multi_head(number).trace(read)
        found[f"weights {number}"] = np.stack([head.weights for head in trace.heads]), given.weights[number]
        output = trace.output
        if checkpoint.family in (
            "bert",
            "roberta",
            "xlm-roberta",
        ):  # its module gives the state after the residual and the norm
            output = checkpoint.block(number).norms[0](read + output)
        found[f"output {number}"] = output, given.outputs[number]
    if FAMILIES[checkpoint.family].feeds:
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


@pytest.mark.parametrize("name", MODELS)
def test_attention_states_and_logits_are_those_of_transformers_in_double_precision(name):
    """The first test here takes some seconds to import `transformers`, and to make each model once for all tests."""
    assert len(made(name).double.read) == 2
    assert differences(name, lambda one: one.double, 1e-12) == []


@pytest.mark.parametrize("name", PUBLISHED)
def test_configurations_as_they_were_published_give_the_numbers_of_transformers(name):
    assert differences(name, lambda one: one.double, 1e-12) == []


YARNS = [
    {},
    {"mscale": 0.7, "mscale_all_dim": 1.3},
    {"mscale": 0.7},
    {"attention_factor": 1.5},
    {"beta_fast": 16.0, "beta_slow": 2.0},
    {"truncate": False},
    {"factor": 0.5},
    {"original_max_position_embeddings": None},
]


@pytest.mark.parametrize("options", YARNS)
def test_the_frequencies_of_yarn_are_those_of_transformers(options):
    import transformers
    from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

    rules = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 4096, **options}
    rules = {name: value for name, value in rules.items() if value is not None}
    table = PUBLISHED["meta-llama/Llama-2-7b-hf"] | {"rope_scaling": rules}
    expected, length = ROPE_INIT_FUNCTIONS["yarn"](transformers.LlamaConfig(**table), "cpu")
    family = FAMILIES["llama"]
    scaling = Plan.of(Fields(table, "config.json", family.defaults), family).positions[0].scaling
    found = scaling(10000.0 ** (-np.arange(64) / 64), 10000.0)
    np.testing.assert_allclose(found, expected.numpy(), rtol=1e-5)
    assert scaling.length == pytest.approx(length, rel=1e-12)


@pytest.mark.parametrize("name", REFUSED)
def test_a_configuration_of_other_numbers_is_refused_by_the_field_that_says_so(name, tmp_path):
    original, changes = REFUSED[name]
    write(tmp_path, tiny(PUBLISHED[original]) | changes, {})
    (field,) = changes
    refused(partial(ha.Checkpoint, tmp_path), "config.json:", field, f"unread=['{field}")


@pytest.mark.parametrize("name", ROTARY)
def test_they_are_those_of_transformers_as_it_is_up_to_its_single_precision(name):
    assert differences(name, lambda one: one.mixed, 5e-6) == []


ELSEWHERE = re.compile(
    r"For(?!CausalLM|MaskedLM)|Vision|MultiModal|CrossAttention|DoubleHeads|Flash|Summary|ClassificationHead|Gemma3Model"
    r"|PreTrained"
)
"""The classes of a family that compute nothing of a text's states and logits."""


def fields_read(module):
    """The names of the fields of a configuration that the classes of a module ask for."""
    names = set()

    def is_config(node):
        return getattr(node, "id", None) == "config" or getattr(node, "attr", None) == "config"

    for part in ast.parse(inspect.getsource(module)).body:
        for node in () if ELSEWHERE.search(getattr(part, "name", "")) else ast.walk(part):
            if isinstance(node, ast.Attribute) and is_config(node.value):
                names.add(node.attr)
            elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "getattr" and is_config(node.args[0]):
                names.add(node.args[1].value)
    return names


@pytest.mark.parametrize("name", FAMILIES)
def test_each_field_that_a_class_of_transformers_reads_is_used_refused_or_changes_no_number(name):
    room, family = name.replace("-", "_").removesuffix("_text"), FAMILIES[name]
    read = fields_read(import_module(f"transformers.models.{room}.modeling_{room}"))
    known = {*" ".join(family.fields.values()).split(), *family.computed, *EVERY_COMPUTED, *family.biased_if}
    others = read - known - {"tie_word_embeddings", "rope_parameters"}
    assert {"vocab_size"} <= read
    assert [one for one in others if not re.fullmatch(f"{INERT.pattern}|{family.inert}", one)] == []


@pytest.mark.parametrize("name", FAMILIES)
def test_the_defaults_of_a_family_are_those_of_its_configuration_in_transformers(name):
    import transformers

    family = FAMILIES[name]
    table = transformers.AutoConfig.for_model(name).to_dict()
    turns = table.get("rope_parameters") or {}
    of_turns = turns.get("full_attention", turns)
    names = {"rotary_emb_base": "rope_theta", "rotary_pct": "partial_rotary_factor"}
    for field, value in family.defaults.items():
        if field == "rope_local_base_freq":
            assert turns["sliding_attention"]["rope_theta"] == value
        elif field in of_turns or field in names:
            assert of_turns[names.get(field, field)] == value
        elif value is not None and field in table and not (field == "sliding_window" and "use_sliding_window" in table):
            assert table[field] == value, field


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("openai-community/gpt2-medium", "lm_head.weight"),
        ("google-bert/bert-base-uncased", "cls.predictions.decoder.weight"),
        ("google-bert/bert-base-uncased", "cls.predictions.decoder.bias"),
    ],
)
def test_an_array_of_its_own_reads_the_logits_whatever_the_configuration_says(name, array, tmp_path):
    """As transformers reads a file in which the two arrays of a tied model differ."""
    import torch
    import transformers
    from safetensors.numpy import load_file, save_file

    one = made(name)
    state = load_file(one.path / "model.safetensors")
    shape = (TOKENS,) if array.endswith("bias") else (TOKENS, 32)
    state[array] = np.random.default_rng(5).normal(size=shape)
    save_file(state, tmp_path / "model.safetensors", {"format": "pt"})
    (tmp_path / "config.json").write_text((one.path / "config.json").read_text())
    kind = transformers.AutoModelForMaskedLM if "bert" in name else transformers.AutoModelForCausalLM
    with warnings.catch_warnings(action="ignore"), torch.no_grad():
        model = kind.from_pretrained(tmp_path, dtype=torch.float64, local_files_only=True)
        expected = model(input_ids=torch.tensor(one.ids)[None]).logits[0].numpy()
    np.testing.assert_allclose(ha.Checkpoint(tmp_path).run(one.ids).logits, expected, rtol=1e-4, atol=1e-4)
    assert np.abs(ha.Checkpoint(one.path).run(one.ids).logits - expected).max() > 0.1


def test_narrow_vectors_of_tokens_are_widened_where_they_are_asked_for():
    one = made("opt with narrow words and the norm last")
    model = ha.Checkpoint(one.path)
    assert model.embedding.shape == model.unembedding.shape == (TOKENS, 24)
    run = model.run(one.ids)
    np.testing.assert_allclose(run.states[-1] @ model.unembedding.T, run.logits, rtol=1e-10, atol=1e-12)
    places = model.run(one.ids).states[0] - model.embedding[one.ids]
    np.testing.assert_allclose(model.run(one.ids[::-1]).states[0] - model.embedding[one.ids[::-1]], places, atol=1e-12)


def test_what_is_not_read_or_does_not_fit_is_refused():
    experts, bert = (made(name) for name in ("gpt_oss", "bert"))
    model = ha.Checkpoint(experts.path)
    for call in (partial(model.run, experts.ids), partial(model.layers, experts.ids), partial(model.block, 0)):
        refused(call, "gpt_oss:", "feed-forward", "not read", "multi_head")
    model, n = ha.Checkpoint(bert.path), len(bert.ids)
    refused(partial(model.run, bert.ids, bert.kinds[1:]), "kinds:", f"{n - 1}", f"{n}")
    refused(partial(model.run, bert.ids, 2 + bert.kinds), "kinds: entry 0", "0 to 1")


def test_tokens_are_of_kind_0_where_nothing_is_said():
    one = made("bert")
    model, zeros = ha.Checkpoint(one.path), np.zeros_like(one.ids)
    np.testing.assert_array_equal(model.run(one.ids).logits, model.run(one.ids, zeros).logits)
    assert np.abs(model.run(one.ids).logits - model.run(one.ids, 1 + zeros).logits).max() > 1e-6
    for layer, other in zip(model.layers(one.ids), model.layers(one.ids, zeros), strict=True):
        np.testing.assert_array_equal(layer.states, other.states)
