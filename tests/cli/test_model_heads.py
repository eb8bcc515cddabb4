"""`hopattn heads`: a model on disk, its text, the table, the files, and wrong usage."""

import csv
import json
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

import hopattn as ha
from tests.each import each

HOME = Path(__file__).parents[2]
TRAINED, PAGE = str(HOME / "scenarios/circuits/two-layers.npz"), str(HOME / "README.md")


class OtherCheckpoint:
    """A checkpoint of random heads, with the names of `hopattn.checkpoints.checkpoint.Checkpoint`."""

    def __init__(self, path):
        rng = np.random.default_rng(0)
        self.plan = SimpleNamespace(n_tokens=60, n_layers=2, n_places=None)
        self.table = rng.normal(size=(60, 8))
        matrices = [[rng.normal(size=(4, 8)) for _ in range(3)] for _ in range(4)]
        heads = [ha.Head(*own, beta=0.5, position="rope") for own in matrices]
        self.stack = [
            ha.MultiHead(heads[:2], rng.normal(size=(8, 8))),
            ha.MultiHead(heads[2:], rng.normal(size=(8, 8))),
        ]

    @property
    def unembedding(self):
        return self.table

    def layers(self, ids):
        words = self.table[ids]
        for number, heads in enumerate(self.stack):
            yield SimpleNamespace(number=number, heads=heads, states=words, residual=words)
            words = words + heads(words)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder of a checkpoint."""
    module = ModuleType("hopattn.checkpoints.checkpoint")
    module.Checkpoint = OtherCheckpoint
    monkeypatch.setitem(sys.modules, "hopattn.checkpoints", ModuleType("hopattn.checkpoints"))
    monkeypatch.setitem(sys.modules, "hopattn.checkpoints.checkpoint", module)
    (tmp_path / "tiny").mkdir()
    return tmp_path / "tiny"


def test_the_screen_names_the_induction_heads_of_the_trained_model(hopattn, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    code, out, _ = hopattn("heads", "two-layers")
    lines = out.splitlines()
    assert code == 0
    assert lines[0] == "two-layers: 16 random tokens, 4 times (2 layers, 8 heads, 64 tokens)"
    (prefix,) = [line.split() for line in lines if line.startswith("prefix matching")]
    assert prefix[2] == ".05" and prefix[3].startswith("1.") and float(prefix[4]) > 0.9
    (read,) = [line for line in lines if line.startswith("key composition")]
    assert read.count("←0.3") >= 3
    assert len(lines) <= 24 and max(map(len, lines)) <= 80
    _, whole, _ = hopattn("heads", TRAINED, "--all")
    assert [line.split()[0] for line in whole.splitlines()[2:] if line[:3].count(".") == 1][:8] == [
        f"{layer}.{head}" for layer in (0, 1) for head in range(4)
    ]


def test_csv_json_and_figure_hold_the_same_census(hopattn, tmp_path):
    table, picture = tmp_path / "heads.csv", tmp_path / "heads.svg"
    code, out, err = hopattn("heads", TRAINED, "--json", "--csv", str(table), "--figure", str(picture))
    assert code == 0 and str(picture) in err
    found = json.loads(out)
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert [float(row["copying"]) for row in rows] == [row["copying"] for row in found["rows"]]
    assert found["rows"][0]["key_composition"] is None and rows[0]["key_composition"] == ""
    svg = picture.read_text()
    assert all(name in svg for name in ("prefix matching", "operating class", "white: by chance"))


@each(
    ("options", "about"),
    [
        ((), "25 random tokens, 4 times"),
        (("--repeats", "5x3"), "5 random tokens, 3 times"),
        (("--long", "40"), "20 random tokens, 2 times"),
    ],
)
def test_a_checkpoint_is_read_for_random_tokens(hopattn, folder, options, about):
    code, out, _ = hopattn("heads", str(folder), "--json", *options)
    assert code == 0
    found = json.loads(out)
    assert (found["about"], found["copied"]) == (f"tiny: {about}", "words")
    assert [(row["layer"], row["head"]) for row in found["rows"]] == [(0, 0), (0, 1), (1, 0), (1, 1)]


@each("name", ["ids.npy", "ids.txt", "ids.json", "ids.csv"])
def test_ids_of_a_file(hopattn, folder, tmp_path, name):
    ids, file = np.arange(50) % 7, tmp_path / name
    if name.endswith(".npy"):
        np.save(file, ids)
    else:
        file.write_text(json.dumps(ids.tolist()) if name.endswith("json") else "\n".join(map(str, ids)))
    code, out, _ = hopattn("heads", str(folder), "--json", "--ids", str(file), "--long", "30")
    assert code == 0
    found, model = json.loads(out), OtherCheckpoint(folder)
    expected = ha.circuits.head_census(model.layers(ids[:30]), ids[:30], unembed=model.table)
    assert found["about"] == f"tiny: 30 tokens of {name}"
    assert found["rows"] == expected.table()


@each(
    ("options", "message"),
    [
        (["nowhere"], "'nowhere' is not there; expected a folder of a checkpoint, an .npz file"),
        ([PAGE], "is another file; expected a folder of a checkpoint"),
        ([TRAINED, "--repeats", "25by4"], "--repeats: got '25by4'; expected tokens x times, as in 25x4"),
        ([TRAINED, "--repeats", "49x2"], "--repeats: 49 different tokens do not exist among 48"),
        ([TRAINED, "--repeats", "40x2"], "tokens: got 80; the model has learned 64 positions"),
        ([TRAINED, "--repeats", "5x2", "--long", "9"], "--long: the length is that of --repeats"),
        ([TRAINED, "--repeats", "5x2", "--ids", PAGE], "--ids: the tokens are those of --repeats"),
        ([TRAINED, "--ids", PAGE], "expected ids, which are whole numbers"),
        ([TRAINED, "--figure", "heads.gif"], "--figure: heads.gif: expected a file that ends in .svg, .pdf or .png"),
    ],
)
def test_wrong_usage_has_one_clear_message(hopattn, options, message):
    code, out, err = hopattn("heads", *options)
    assert (code, out) == (2, "")
    assert message in err and "Traceback" not in err and err.count("\n") == 1


def test_an_id_beyond_the_vocabulary_and_a_file_that_is_too_short(hopattn, folder, tmp_path):
    file = tmp_path / "ids.txt"
    file.write_text("3 4 60 5")
    assert "got the id 60; expected 0 to 59" in hopattn("heads", str(folder), "--ids", str(file))[2]
    assert "has 4 tokens; expected at least 9" in hopattn("heads", str(folder), "--ids", str(file), "--long", "9")[2]


def test_a_text_is_read_by_the_models_own_tokenizer(hopattn, folder, tmp_path, monkeypatch):
    """By a double of `tokenizers`, whose tokens are the letters."""
    file = tmp_path / "text.txt"
    file.write_text("abcabc")
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    assert "--text: tokenizers is not installed" in hopattn("heads", str(folder), "--text", str(file))[2]
    encoder = SimpleNamespace(encode=lambda text: SimpleNamespace(ids=[ord(one) - ord("a") for one in text]))
    double = ModuleType("tokenizers")
    double.Tokenizer = SimpleNamespace(from_file=lambda path: encoder)
    monkeypatch.setitem(sys.modules, "tokenizers", double)
    assert "has no tokenizer.json" in hopattn("heads", str(folder), "--text", str(file))[2]
    (folder / "tokenizer.json").write_text("{}")
    code, out, _ = hopattn("heads", str(folder), "--text", str(file), "--json")
    assert code == 0 and json.loads(out)["about"] == "tiny: 6 tokens of text.txt"
