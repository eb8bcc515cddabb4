"""`hopattn heads`: a model on disk, its text, the table, the files, and wrong usage."""

import csv
import json
import re
import sys
from pathlib import Path
from types import ModuleType

import matplotlib
import numpy as np
import pytest

import hopattn as ha
from hopattn.experiments.model_heads import _ids_in
from hopattn.foundation.errors import InvalidInput
from tests.checkpoints.written import GPT2, LLAMA, state_of, write
from tests.committed import differences, figure_differences

HOME = Path(__file__).parents[2]
TRAINED, PAGE = str(HOME / "scenarios/circuits/two-layers.npz"), str(HOME / "README.md")


@pytest.fixture
def folder(tmp_path):
    """The folder of a checkpoint with random weights."""
    (tmp_path / "tiny").mkdir()
    config = {**LLAMA, "vocab_size": 60, "num_attention_heads": 2}
    return write(tmp_path / "tiny", config, state_of(config))


def test_csv_json_and_figure_hold_the_same_census(hopattn, tmp_path):
    table, picture = tmp_path / "heads.csv", tmp_path / "heads.svg"
    code, out, err = hopattn("heads", TRAINED, "--json", "--out", str(table), "--out", str(picture))
    assert code == 0 and str(picture) in err
    found = json.loads(out)
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert [float(row["copying"]) for row in rows] == [row["copying"] for row in found["rows"]]
    assert found["rows"][0]["key_composition"] is None and rows[0]["key_composition"] == ""
    svg, kept = picture.read_text(encoding="utf-8"), (HOME / "figures/census.svg").read_text(encoding="utf-8")
    assert all(name in svg for name in ("prefix matching", "operating class", "white: by chance"))
    assert differences(*("\n".join(sorted(re.findall(r"<text[^>]*>([^<]*)", one))) for one in (kept, svg))) == []
    if f"<!-- made with matplotlib {matplotlib.__version__} -->" in (HOME / "figures/README.md").read_text("utf-8"):
        assert figure_differences(kept, svg) == [], "make figures"  # the README shows it


def test_the_cures_for_a_refused_configuration_work(hopattn, folder):
    table = json.loads((folder / "config.json").read_text())
    del table["vocab_size"], table["rope_theta"]
    table |= {"quantization_config": {}, "is_llama_config": True, "rope_scaling": {"type": "linear"}}
    (folder / "config.json").write_text(json.dumps(table))
    code, out, err = hopattn("heads", str(folder), "--json")
    assert code == 2 and "--unread quantization_config)" in err and "(--set vocab_size=…)" in err
    cures = "--unread", "quantization_config", "--set", "vocab_size=60", "--set", "rope_scaling.factor=2.0"
    code, out, err = hopattn("heads", str(folder), "--json", *cures)
    assert code == 0 and len(json.loads(out)["rows"]) == 4
    said = ("is_llama_config", "rope_theta = 10000.0")
    assert err.count("\n") == 1 and all(word in err for word in said)
    for option in (("--unread", "a"), ("--set", "a=1")):
        code, _, err = hopattn("heads", TRAINED, *option)
        assert code == 2 and err.startswith(f"{option[0]}:") and "config.json" in err
    assert "NAME=VALUE" in hopattn("heads", str(folder), "--set", "a")[2]


@pytest.mark.parametrize(
    ("options", "about"),
    [
        ((), "25 random tokens, 4 times"),
        (("--repeats", "5x3"), "5 random tokens, 3 times"),
        (("--length", "40"), "20 random tokens, 2 times"),
    ],
)
def test_a_checkpoint_is_read_for_random_tokens(hopattn, folder, options, about):
    code, out, _ = hopattn("heads", str(folder), "--json", *options)
    assert code == 0
    found = json.loads(out)
    assert (found["about"], found["copied"]) == (f"tiny: {about}", "words")
    assert [(row["layer"], row["head"]) for row in found["rows"]] == [(1, 1), (1, 2), (2, 1), (2, 2)]


@pytest.mark.parametrize("name", ["ids.npy", "ids.txt", "ids.json", "ids.csv"])
def test_ids_of_a_file(hopattn, folder, tmp_path, name):
    ids, file = np.arange(50) % 7, tmp_path / name
    if name.endswith(".npy"):
        np.save(file, ids)
    else:
        file.write_text(json.dumps(ids.tolist()) if name.endswith("json") else "\n".join(map(str, ids)))
    code, out, _ = hopattn("heads", str(folder), "--json", "--ids", str(file), "--length", "30")
    assert code == 0
    found, model = json.loads(out), ha.Checkpoint(folder)
    tables = {"embed": model.embedding, "unembed": model.unembedding}
    expected = ha.circuits.head_census(model.layers(ids[:30]), ids[:30], **tables)
    assert found["about"] == f"tiny: 30 tokens of {name}"
    assert found["rows"] == expected.to_dict()["rows"]


def test_an_id_beyond_the_vocabulary_and_a_file_that_is_too_short(hopattn, folder, tmp_path):
    file = tmp_path / "ids.txt"
    file.write_text("3 4 60 5")
    assert "got the id 60; expected 0 to 59" in hopattn("heads", str(folder), "--ids", str(file))[2]
    assert "has 4 tokens; expected at least 9" in hopattn("heads", str(folder), "--ids", str(file), "--length", "9")[2]


def test_a_text_needs_the_package_and_the_tokenizer_of_the_model(hopattn, folder, tmp_path, monkeypatch):
    file = tmp_path / "text.txt"
    file.write_text("abcabc")
    assert "has no tokenizer; give the ids" in hopattn("heads", TRAINED, "--text", str(file))[2]
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    code, _, err = hopattn("heads", str(folder), "--text", str(file))
    assert (code, err) == (2, "the tokens of a text: tokenizers is not installed: pip install tokenizers\n")
    monkeypatch.setitem(sys.modules, "tokenizers", ModuleType("tokenizers"))
    assert "has no tokenizer.json" in hopattn("heads", str(folder), "--text", str(file))[2]
    file.write_bytes(b"abc\xff")
    code, _, err = hopattn("heads", str(folder), "--text", str(file))
    assert (code, err) == (2, "'text.txt':1: is not UTF-8 text (byte 0xff); save the file as UTF-8 in your editor\n")


def test_a_text_is_read_whole_by_the_models_own_tokenizer(hopattn, tmp_path):
    """Whatever the file says of padding and truncation."""
    tokenizers = pytest.importorskip("tokenizers")
    letters = tokenizers.Tokenizer(tokenizers.models.BPE({one: i for i, one in enumerate("abcdefghijk")}, []))
    letters.enable_padding(length=5)
    letters.enable_truncation(4)
    config, file = {**GPT2, "n_positions": 8}, tmp_path / "text.txt"
    letters.save(str(write(tmp_path, config, state_of(config)) / "tokenizer.json"))
    command = "heads", str(tmp_path), "--json", "--text", str(file)
    for text in ("abc", "abcabcab"):
        file.write_text(text)
        found = json.loads(hopattn(*command)[1])
        assert (found["words"], found["about"]) == (list(text), f"{tmp_path.name}: {len(text)} tokens of text.txt")
        model = ha.Checkpoint(tmp_path)
        assert found["rows"] == model.census(text).to_dict()["rows"]
        assert model.census(text).table() == model.census(model.tokens(text).ids).table()
    file.write_text("abcabcabc")
    code, _, err = hopattn(*command)
    assert code == 2 and err.startswith("'text.txt': tokens: got 9; the model has learned 8 positions; --length 8 ")
    assert json.loads(hopattn(*command, "--length", "8")[1])["words"] == list("abcabcab")
    (tmp_path / "tokenizer.json").write_text("{")
    code, _, err = hopattn(*command)
    assert code == 2 and err.startswith("'tokenizer.json': ") and "line 1 column 1" in err


def test_a_trained_model_is_saved_as_a_folder_that_shows_its_induction_heads_first(hopattn, tmp_path):
    (code, out, err), folder = hopattn("heads", TRAINED, "--out", str(tmp_path / "model")), tmp_path / "model"
    assert code == 0 and err.endswith(f"{folder}\n")
    shares = [line for line in out.splitlines() if line.startswith(("previous", "duplicate", "prefix", "copying"))]
    code, again, _ = hopattn("heads", str(folder))
    assert code == 0 and again.startswith("model: 16 random tokens, 4 times (2 layers, 8 heads, 64 tokens)")
    assert [line for line in again.splitlines() if line in shares] == shares
    assert "of words" in again


def test_a_long_text_of_ids_is_looked_at_once(tmp_path):
    (tmp_path / "ids.txt").write_text("1 " * 100_000 + "x")  # in the square of its length this would take minutes
    with pytest.raises(InvalidInput, match=r"'ids\.txt': got 'x'"):
        _ids_in(tmp_path / "ids.txt")


@pytest.mark.parametrize(("name", "arrays", "words"), [
    ("ids.npy", [1e160, 2.0], ["'ids.npy': got 1e+160", "ids of a vocabulary"]),
    ("ids.npy", [-1e160, 2.0], ["'ids.npy': got -1e+160", "ids of a vocabulary"]),
    ("ids.npy", [1], ["'ids.npy': got 1 token; expected at least two"]),
    ("x.npz", {"a": [1, 2], "b": [3]}, ["'x.npz' holds a, b; expected one array, or one called ids"]),
    ("x.npz", {"a": [1, 2], "ids": [3, 4, 60]}, ["got the id 60"]),
    ("x.npz", {"words": np.array(["a"]), "a": [3, 60]}, ["got the id 60"]),
])  # fmt: skip
def test_ids_of_no_vocabulary_and_arrays_that_are_no_ids_are_named(hopattn, folder, tmp_path, name, arrays, words):
    file = tmp_path / name
    np.save(file, arrays) if name.endswith("npy") else np.savez(file, **arrays)
    code, _, err = hopattn("heads", str(folder), "--ids", str(file))
    assert code == 2 and all(word in err for word in words), err


def test_a_path_that_is_no_model_is_told_what_it_is(hopattn, tmp_path):
    (tmp_path / "x.pt").write_bytes(b"\x80")
    code, _, err = hopattn("heads", "two-layers", "--ids", str(tmp_path / "x.pt"))
    assert code == 2 and "'x.pt' holds Python objects" in err, err
    code, _, err = hopattn("heads", "a" * 300)  # longer than the name of any file
    assert code == 2 and "is not there" in err
    names = err.strip().partition("train`, or ")[2].split(", ")
    assert len(names) > 2
    for name in names:
        assert hopattn("heads", name, "--repeats", "4x2", "--json")[0] == 0, name
