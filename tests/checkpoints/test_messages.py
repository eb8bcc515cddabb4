"""What checkpoints refuse: the place that the message names, and the words without which it helps little."""

import json
from functools import partial

import numpy as np
import pytest

import hopattn as ha
from tests.array_bytes import entry, safetensors
from tests.checkpoints.written import GPT2, LLAMA, arrays_file, state_of, write, write_shards
from tests.refusal import refused

IDS = [3, 1, 4, 1, 5]
CONFIGURATIONS = [
    ({"model_type": "gpt3"}, "model_type: 'gpt3' is a family that is not read", "bert, camembert"),
    ({"model_type": ...}, "'model_type' is missing", "missing={'model_type': '…'}", "--set model_type=…", "gpt2"),
    ({"rope_theta": None}, "rope_theta:", "positive", "None"),
    ({"hidden_size": ...}, "'hidden_size' is missing", "missing={'hidden_size': …} (--set hidden_size=…)"),
    ({"vocab_size": ..., "vocabulary_size": 11}, "'vocab_size' is missing, and 'vocabulary_size' is there"),
    ({"hidden_act": "mish"}, "hidden_act:", "'mish'", "unread=['hidden_act'] (--unread hidden_act)"),
    ({"hidden_act": ["silu"]}, "hidden_act:", "['silu']", "a text"),
    ({"num_attention_heads": 3}, "3 heads", "2 heads of keys"),
    ({"hidden_size": 9, "num_key_value_heads": 4}, "dim 9", "4 heads"),
    ({"attention_bias": True}, "arrays: missing: layers.0.self_attn.q_proj.bias, "),
    ({"num_hidden_layers": 3}, "arrays: missing: layers.2."),
    ({"num_hidden_layers": 1}, "'layers.1.", "is of layer 1", "n_layers = 1"),
    ({"num_hidden_layers": 0}, "num_hidden_layers:", "from 1 to 10000"),
    ({"num_hidden_layers": 10**9}, "num_hidden_layers:", "from 1 to 10000"),
    ({"intermediate_size": 6}, "(5, 8)", "(6, 8)"),
    ({"rope_scaling": {"rope_type": "dynamic", "factor": 2.0}}, "rope_scaling.rope_type:", "'dynamic'"),
    ({"rope_scaling": {"type": "linear"}}, "'rope_scaling.factor' is missing", "missing={'rope_scaling.factor': …}"),
    ({"rope_scaling": 3}, "rope_scaling:", "a table", "3"),
    ({"is_causal": False}, "is_causal:", "False", "True"),
    ({"quantization_config": {}}, "quantization_config:", "{}", "None"),
    ({"partial_rotary_factor": 0.5}, "partial_rotary_factor:", "0.5", "1.0"),
]


def reading(folder, **options):
    return lambda: ha.Checkpoint(folder, **options).run(IDS)


@pytest.mark.parametrize("row", CONFIGURATIONS)
def test_a_configuration_that_is_not_understood_is_refused(row, tmp_path):
    changes, *words = row
    config = {name: value for name, value in {**LLAMA, **changes}.items() if value is not ...}
    refused(reading(write(tmp_path, config, state_of(LLAMA))), "", *words)


def test_all_faults_of_a_configuration_are_in_one_message_whose_cures_work(tmp_path):
    config = {**LLAMA, "quantization_config": {}, "hidden_act": "mish", "rope_scaling": {"type": "linear"}}
    folder = write(tmp_path, {name: one for name, one in config.items() if name != "vocab_size"}, state_of(LLAMA))
    words = "quantization_config", "'mish'", "'vocab_size' is missing", "'rope_scaling.factor' is missing"
    refused(reading(folder), "config.json:", *words, "unread=['hidden_act', 'quantization_config']")
    cures = {"missing": {"vocab_size": 11, "rope_scaling.factor": 2.0}, "unread": ["hidden_act", "quantization_config"]}
    found = ha.Checkpoint(folder, **cures)
    assert found.plan.activation == "silu" and found.plan.positions[0].scaling.factor == 2


def test_a_field_to_leave_unread_that_the_file_lacks_is_refused(tmp_path):
    folder = write(tmp_path, LLAMA, state_of(LLAMA))
    refused(reading(folder, unread=["hiden_act"]), "unread:", "'hiden_act'", "'hidden_act'")
    refused(reading(folder, unread=["rope_scaling.factor"]), "unread:", "no table 'rope_scaling'")
    refused(reading(folder, unread="hidden_act"), "unread:", "a list")
    refused(reading(folder, dtype="float16"), "dtype:", "'float32' or 'float64'", "'float16'")


def test_a_field_of_the_caller_that_the_file_has_is_refused(tmp_path):
    folder = write(tmp_path, LLAMA, state_of(LLAMA))
    refused(reading(folder, missing={"hidden_act": "relu"}), "", "'hidden_act'", "leave it out")
    nested = {"rope_scaling": {"type": "linear", "factor": 2.0}}
    folder = write(tmp_path, LLAMA | nested, state_of(LLAMA))
    refused(reading(folder, missing={"rope_scaling.factor": 3.0}), "missing:", "'rope_scaling.factor'", "leave it out")


def test_what_no_loader_reads_and_what_is_assumed_is_said_in_one_line(tmp_path, capsys):
    config = {**LLAMA, "is_llama_config": True, "rope_interleaved": False, "max_length": 20}
    del config["rope_theta"], config["rms_norm_eps"]
    ha.Checkpoint(write(tmp_path, config, state_of(LLAMA)))
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("config.json: no loader reads is_llama_config, rope_interleaved, max_length; left out")
    assert line.endswith("taken as every loader does: rms_norm_eps = 1e-06, rope_theta = 10000.0")
    ha.Checkpoint(write(tmp_path, LLAMA, state_of(LLAMA)))
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("model.gguf", ["of GGUF", "gguf_file='model.gguf'"]),
        ("pytorch_model.bin", ["never loaded", "save_pretrained"]),
        ("tf_model.h5", ["TensorFlow", "from_tf=True", "transformers < 5"]),
        ("flax_model.msgpack", ["Flax", "from_flax=True"]),
        ("onnx/model.onnx", ["ONNX"]),
        ("adapter_model.safetensors", ["an adapter of another model", "merge_and_unload"]),
        ("model-00001-of-00002.safetensors", ["other arrays", "model.safetensors.index.json"]),
        ("consolidated.00.pth", ["the authors' own form"]),
        ("snapshots/0f3c/config.json", ["a cache of the Hub", "snapshots/0f3c"]),
    ],
)
def test_a_folder_with_files_of_other_programs_alone_says_what_is_there_first(file, words, tmp_path):
    (tmp_path / file).parent.mkdir(exist_ok=True, parents=True)
    (tmp_path / file).write_bytes(b"")
    for table in ("", "{", '{"model_type": "falcon"}', '{"architectures": ["GPT2LMHeadModel"]}'):
        (tmp_path / "config.json").write_text(table)
        there = () if file.startswith("snapshots") else (f"has no model.safetensors, but {file}",)
        refused(reading(tmp_path), "", *there, *words)
    if "save_pretrained" in words:
        refused(reading(tmp_path), "", f"transformers.GPT2LMHeadModel.from_pretrained('{tmp_path}')")


def test_what_stands_in_the_place_of_a_model_is_named(tmp_path, capsys):
    folder = write(tmp_path, LLAMA, state_of(LLAMA))
    refused(reading(folder / "model.safetensors"), "path:", "is a file; give its folder")
    refused(reading(folder, missing={"rope_thetta": 5.0}), "missing:", "'rope_thetta'", "'rope_theta'")
    (folder / "adapter_config.json").write_text("{}")
    ha.Checkpoint(folder)
    assert capsys.readouterr().err == "the adapter in the folder is not applied\n"
    state = {f"_orig_mod.{name}": array for name, array in state_of(LLAMA).items()}
    refused(reading(write(tmp_path, LLAMA, state)), "", "arrays: missing:", "the file has _orig_mod.")
    config = {name: one for name, one in {**LLAMA, "model_type": "mistral"}.items() if name != "num_key_value_heads"}
    refused(
        reading(write(tmp_path, config | {"num_attention_heads": 8}, state_of(LLAMA))), "", "num_key_value_heads = 8"
    )
    for name in ("config.json", "model.safetensors"):
        write(tmp_path, LLAMA, state_of(LLAMA))
        (folder / name).write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 3\n")
        refused(reading(folder), "", f"'{name}' is a pointer of Git LFS", "git lfs pull")


@pytest.mark.parametrize("name", ["classifier.dense.weight", "qa_outputs.bias", "score.weight", "pooler.dense.bias"])
@pytest.mark.parametrize("config", [GPT2, LLAMA])
def test_arrays_of_heads_for_tasks_are_not_read(config, name, tmp_path):
    state = state_of(config)
    plain = ha.Checkpoint(write(tmp_path, config, state)).run(IDS)
    found = ha.Checkpoint(write(tmp_path, config, {name: np.ones((2, 3)), **state})).run(IDS)
    np.testing.assert_array_equal(found.logits, plain.logits)


@pytest.mark.parametrize("config", [GPT2, LLAMA])
def test_each_array_that_is_missing_not_known_or_not_of_numbers_is_refused(config, tmp_path):
    state = state_of(config)
    for name in state:
        if name != "lm_head.weight":
            others = {other: array for other, array in state.items() if other != name}
            refused(reading(write(tmp_path, config, others)), "'model.safetensors'", f"arrays: missing: {name}")
    refused(reading(write(tmp_path, config, state | {"extra.weight": np.ones(2)})), "", "'extra.weight' is not known")
    wrong = next(iter(state))
    nan = {**state, wrong: np.full_like(state[wrong], np.nan)}
    refused(reading(write(tmp_path, config, nan)), "'model.safetensors'", f"{wrong}': row 0", "NaN")
    file = write(tmp_path, config, state) / "model.safetensors"
    file.write_bytes(file.read_bytes().replace(b'"F64"', b'"I64"', 1))
    refused(reading(tmp_path), "", "floating-point numbers")


def test_a_folder_whose_files_are_damaged_is_refused(tmp_path):
    config, arrays = tmp_path / "config.json", tmp_path / "model.safetensors"
    refused(reading(tmp_path / "missing"), "", "no folder")
    refused(reading(tmp_path), "", "no file 'config.json'")
    for text, *words in (
        ('{"model_type": "gpt2", "model_type": "bert"}', "'model_type' is given twice"),
        ("[1]", "[1]", "a table"),
        ("{", "not a file in JSON"),
    ):
        config.write_text(text)
        refused(reading(tmp_path), "", "'config.json'", *words)
    config.write_text(json.dumps(GPT2))
    refused(reading(tmp_path), "", "no file 'model.safetensors'")
    (tmp_path / "pytorch_model.bin").write_bytes(b"")
    refused(reading(tmp_path), "", "pytorch_model.bin", "never loaded")
    arrays.write_bytes(arrays_file(state_of(GPT2))[:-8])
    refused(reading(tmp_path), "", "truncated")
    overlapping = {"wte.weight": entry((2, 3), 0, 48), "wpe.weight": entry((2, 3), 40, 88)}
    arrays.write_bytes(safetensors(overlapping, bytes(88)))
    refused(reading(tmp_path), "", "invalid offset for tensor `w")


def test_an_index_that_does_not_say_what_the_files_hold_is_refused(tmp_path):
    index = write_shards(tmp_path, GPT2, state_of(GPT2)) / "model.safetensors.index.json"
    good = json.loads(index.read_text())["weight_map"]
    name = next(iter(good))
    for places, *words in (
        ({**good, "extra": "part-0.safetensors"}, "'part-0.safetensors' holds extra"),
        ({key: file for key, file in good.items() if key != name}, f"holds {name}", "the index does not name"),
        ({**good, "extra": "part-2.safetensors"}, "no file 'part-2.safetensors'"),
        ({**good, name: "../part-0.safetensors"}, "without a folder"),
        ([], "'weight_map'"),
    ):
        index.write_text(json.dumps({"weight_map": places}))
        refused(reading(tmp_path), "", *words)


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """Those of two families, the second with one layer."""
    folder = tmp_path_factory.mktemp("models")
    for config, name in ((GPT2, "gpt2"), (LLAMA, "llama"), ({**LLAMA, "num_hidden_layers": 1}, "short")):
        (folder / name).mkdir()
        write(folder / name, config, state_of(config))
    return [ha.Checkpoint(folder / name) for name in ("gpt2", "llama", "short")]


PATCHES = [
    ({"place": "heads"}, "place:", "'heads'", "'head'"),
    ({"layer": 2}, "layer:", "from 0 to 1", "2"),
    ({"place": "residual", "layer": 3}, "layer:", "from 0 to 2", "3"),
    ({"place": "head"}, "head:", "from 0 to 3", "None"),
    ({"place": "head", "head": 4}, "head:", "from 0 to 3", "4"),
    ({"head": 1}, "head:", "'attention'", "leave it out"),
    ({"at": 5}, "at:", "5", "0 to 4"),
    ({"at": "dog"}, "at:", "'dog'", "number"),
    ({"value": "median"}, "value:", "'median'", "'mean'"),
    ({"value": [1.0, 2.0]}, "value:", "(2,)", "a number, (8,) or (5, 8)"),
    ({"value": np.nan}, "value:", "NaN"),
    ({"place": "keys"}, "at:", "is missing"),
    ({"place": "keys", "at": 1, "value": "mean"}, "value:", "keys are left out"),
]


@pytest.mark.parametrize("row", PATCHES)
def test_a_patch_that_does_not_fit_is_refused(row, models):
    options, place, *words = row
    model, start = models[1], {"place": "attention", "layer": 0}
    refused(lambda: model.run(IDS, patches=[model.patch(**start | options)]), place, *words)


CALLS = [
    (lambda gpt2, *_: gpt2.run([3, 11]), "ids: entry 1", "11", "0 to 10"),
    (lambda gpt2, *_: gpt2.layers([-1]), "ids: entry 0", "-1", "0 to 10"),
    (lambda gpt2, *_: gpt2.run([0.5]), "ids:", "float64 of shape (1,)", "whole numbers (n,)"),
    (lambda gpt2, *_: gpt2.layers([[1, 2]]), "ids:", "(1, 2)"),
    (lambda gpt2, *_: gpt2.run([1] * 7), "ids:", "7 tokens", "6 positions"),
    (lambda gpt2, *_: gpt2.run([1], kinds=[0]), "kinds:", "gpt2"),
    (lambda gpt2, *_: gpt2.multi_head(2), "layer:", "from 0 to 1"),
    (lambda gpt2, *_: gpt2.head(0, 2), "head:", "from 0 to 1"),
    (lambda gpt2, *_: gpt2.layer(0, np.zeros((2, 3))), "states:", "dim = 8"),
    (lambda gpt2, _, short: gpt2.patch("head", 0, 0, value=short.run(IDS)), "value:", "another model"),
    (lambda gpt2, llama, _: llama.run(IDS, patches=[llama.patch("attention", 0, value=llama.run([3, 1]))]), "value:",
     "2 tokens", "5"),
    (lambda gpt2, _, short: short.run(IDS, patches=[gpt2.patch("head", 1, 0)]), "layer:", "from 0 to 0"),
    (lambda gpt2, *_: gpt2.run(IDS, patches=gpt2.patch("head", 0, 0)), "patches:", "a list", "Patch"),
    (lambda gpt2, *_: gpt2.run(IDS, patches=["head"]), "patches: entry 0:", "Patch", "'head'"),
    (lambda gpt2, *_: gpt2.effects(IDS, 3), "measure:", "function", "3"),
    (lambda gpt2, *_: gpt2.effects(IDS, lambda run: run.logits[-1]), "measure:", "finite number"),
    (lambda gpt2, *_: gpt2.effects(IDS, lambda run: 0.0, "layer"), "place:", "'layer'"),
    (lambda gpt2, *_: gpt2.effects(IDS, lambda run: 0.0, at=9), "at:", "9"),
    (lambda gpt2, *_: gpt2.attribution(IDS, 11), "token: entry 0", "11", "0 to 10"),
    (lambda gpt2, *_: gpt2.attribution(IDS, [1, 2, 3]), "token:", "3", "one, or two"),
    (lambda gpt2, *_: gpt2.attribution(IDS, 1, at=5), "at:", "from -5 to 4"),
]  # fmt: skip


@pytest.mark.parametrize("row", CALLS)
def test_a_wrong_call_is_refused_with_its_place_and_the_cure(row, models):
    call, place, *words = row
    refused(partial(call, *models), place, *words)
