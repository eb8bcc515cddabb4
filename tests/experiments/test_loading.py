"""One way to load: every kind of file comes as its own reader gives it, and everything else ends in one message."""

import json
import os
import re
import tempfile
import tomllib
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import hopattn as ha
from hopattn.checkpoints.checkpoint import Checkpoint
from hopattn.circuits.emergence.record import Recipe, Training
from hopattn.experiments.loading import JSON
from hopattn.experiments.sweeps.table import load_sweep
from hopattn.foundation.array_files import mapped, numbers, vectors_in
from hopattn.foundation.endings import ENDINGS
from hopattn.memories.saved import load_memory
from hopattn.results.files import npz, safetensors
from hopattn.scenario.files import shipped
from hopattn.scenario.loading import load_scenario
from tests.checkpoints.written import GPT2, state_of, write
from tests.refusal import refused

ROWS = np.array([[0.5, -1.0, 2.0], [0.25, 3.0, -4.0]])
SAVED = {"a.memory.npz": "a saved memory", "a.training.npz": "a training"}


def memory(file):
    ha.memories.sparse(ROWS, alpha=1.5, beta=4.0).save(file)


def network(file):
    layers = [ha.networks.Layer("a", 3, "tanh"), ha.networks.Layer("b", 2, "tanh")]
    ha.networks.Network(layers, [ha.networks.Dense(ROWS.T).on("a", "b")]).save(file)


def training(file):
    Training.begun(Recipe(layers=1, dim=4, heads=1, words=6, length=8, shortest=2, longest=3, steps=2)).save(file)


def sweep(file):
    ha.sweep(lambda point, seed: {"y": point["x"]}, {"x": [1, 2]}, trials=2, workers=1, file=file)


def model(folder):
    folder.mkdir()
    write(folder, GPT2, state_of(GPT2))


def scenario(file):
    file.write_bytes(shipped()["bank"].read_bytes())


def bytes_of(data):
    return lambda file: file.write_bytes(data)


def table(mark):
    return lambda file: np.savetxt(file, ROWS, delimiter=mark)


ARRAYS = {"a": ROWS, "b": 2 * ROWS}
KINDS = {
    "a.toml": (scenario, load_scenario),
    "scenario": (scenario, load_scenario),
    "a.memory.npz": (memory, load_memory),
    "network.npz": (network, load_memory),
    "a.training.npz": (training, Training.load),
    "a.training": (training, Training.load),
    "a.jsonl": (sweep, load_sweep),
    "points": (sweep, load_sweep),
    "model": (model, Checkpoint),
    "a.npy": (lambda file: np.save(file, ROWS.astype(np.float32)), mapped),
    "one row.npy": (lambda file: np.save(file, ROWS[0]), mapped),
    "a.safetensors": (bytes_of(safetensors({"x": ROWS})), mapped),
    "named.safetensors": (bytes_of(safetensors({"bias": ROWS[0], "keys": ROWS})), partial(mapped, name="keys")),
    "a.npz": (bytes_of(npz({"x": ROWS})), numbers),
    "header.npz": (bytes_of(npz({"header": ROWS})), numbers),
    "several.npz": (bytes_of(npz(ARRAYS)), vectors_in),
    "several.safetensors": (bytes_of(safetensors(ARRAYS)), vectors_in),
    **{f"a{ending}": (table(mark), numbers) for ending, mark in ((".csv", ","), (".tsv", "\t"), (".txt", " "))},
}
"""Each kind of file that hopattn writes or reads: how one is made, and its own reader."""
every = pytest.mark.parametrize("name", KINDS)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("files")
    for name, (write_one, _) in KINDS.items():
        write_one(place / name)
    return place


def content(thing):
    """All that an object holds, in a form that can be compared."""
    match thing:
        case np.ndarray():
            return type(thing), thing.dtype, thing.tolist()
        case ha.Checkpoint():
            return repr(thing), thing.plan, thing.run([1, 2]).logits.tolist()
        case ha.Scenario():
            return thing.where, thing.text, tuple(thing.runs)
        case ha.Sweep():
            return repr(thing), thing.about, thing.to_npz()
        case _:  # a memory or a training
            with tempfile.TemporaryDirectory() as folder:
                thing.save(Path(folder, "again.npz"))
                return type(thing), Path(folder, "again.npz").read_bytes()


def test_every_kind_of_array_and_table_is_tried():
    assert set(ENDINGS) <= {Path(name).suffix for name in KINDS}


@every
def test_what_a_file_holds_comes_as_its_own_reader_gives_it(folder, name):
    _, read = KINDS[name]
    expected = content(read(folder / name))
    for path in (folder / name, str(folder / name)):
        assert content(ha.load(path)) == expected


def test_the_name_of_a_shipped_scenario_is_that_scenario(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bank").mkdir()
    assert content(ha.load("bank")) == content(load_scenario("bank"))


def test_a_folder_with_the_name_of_a_scenario_is_read_where_it_is_written_as_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bank").mkdir()
    (tmp_path / "bank" / "config.json").write_text("{}", encoding="utf-8")
    refused(lambda: ha.load("./bank"), "", "model_type")
    assert isinstance(ha.load("bank"), ha.Scenario)


@every
@pytest.mark.parametrize("damage", ["missing", "empty", "cut off"])
def test_a_file_that_is_missing_or_damaged_ends_in_one_message(folder, tmp_path, name, damage):
    source, file = folder / name, tmp_path / name
    if source.is_dir():
        file.mkdir()
        (file / "config.json").write_bytes((source / "config.json").read_bytes())
        source, file = source / "model.safetensors", file / "model.safetensors"
    whole = source.read_bytes()
    if damage != "missing":
        file.write_bytes(b"" if damage == "empty" else whole[: len(whole) - 70])
    if damage == "cut off" and source.suffix in (".toml", ".csv", ".tsv", ".txt", ""):
        return  # a text may end anywhere
    if damage == "cut off" and source.suffix == ".jsonl":
        assert np.isnan(ha.load(file).values["y"]).any()  # the last point is lost alone
        return
    with pytest.raises(ha.InvalidInput) as caught:
        ha.load(tmp_path / name)
    assert re.search(rf"'?{re.escape(file.name)}'?", str(caught.value)) and "\n" not in str(caught.value)


READERS = {
    "Memory": ha.Memory,
    "values": partial(ha.Memory, ROWS),
    "memories.modern": ha.memories.modern,
    "memories.hopfield": ha.memories.hopfield,
    "explore": ha.explore,
}


@pytest.mark.parametrize("name", SAVED)
@pytest.mark.parametrize("reader", READERS)
def test_what_reads_patterns_refuses_a_saved_memory_and_a_training(folder, name, reader, monkeypatch):
    monkeypatch.chdir(folder)
    refused(lambda: READERS[reader](name), f"'{name}'", SAVED[name], f'ha.load("{name}")')


@pytest.mark.parametrize("name", SAVED)
def test_commands_refuse_them_too(hopattn, folder, name, monkeypatch):
    monkeypatch.chdir(folder)
    for command in ("compare", "separation", "explore"):
        code, _, errors = hopattn(command, name)
        assert (code, f'ha.load("{name}")' in errors) == (2, True), errors


def test_an_array_of_a_saved_memory_that_is_asked_for_is_read(folder, hopattn):
    code, _, errors = hopattn("separation", str(folder / "a.memory.npz"), "--array", "keys")
    assert (code, errors) == (0, "")


@pytest.mark.parametrize(
    "start", ["[[layer]]", "[a]", "[ a . b ]", '["a"]', "[[a.'b, c']]", "[x] # 1, 2", "a = [1, 2]", ""]
)
def test_a_table_of_toml_is_no_json(start):
    assert not JSON.match(start.encode()) and tomllib.loads(start) is not None


@pytest.mark.parametrize(
    "text", ["[1, 2]", "[[1.5e3, -2], [3, 4]]", '["a", "b"]', "[\n  [true, false]]", '[{"a": 1}]', "{}"]
)
def test_json_of_several_entries_is_no_toml(text):
    assert JSON.match(text.encode()) and json.loads(text) is not None
    with pytest.raises(tomllib.TOMLDecodeError):
        tomllib.loads(text)


def test_options_go_to_the_reader_that_has_them(folder):
    assert np.array_equal(ha.load(folder / "several.safetensors", name="b"), 2 * ROWS)
    assert ha.load(folder / "model", dtype="float64").run([1, 2]).logits.dtype == np.float64
    for name, options in (
        ("a.memory.npz", {"name": "keys"}),
        ("a.npy", {"dtype": "float32"}),
        ("a.toml", {"missing": {}}),
        ("model", {"name": "keys"}),
        ("points", {"unread": ("a",)}),
    ):
        (option,) = options
        refused(
            lambda name=name, options=options: ha.load(folder / name, **options), f"{option}: ", name, "leave it out"
        )


def test_what_is_none_of_them_ends_in_what_was_expected(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("empty").mkdir()
    Path("data.dat").write_bytes(b"\x00\x01\x02")
    Path("other.json").write_text(json.dumps({"a": 1}))
    Path("m.pt").write_bytes(b"PK\x03\x04")
    sweep(Path("points.jsonl"))
    Path("list.json").write_text("[1]")
    Path("rows").write_text("[[1, 2],\n [3, 4]]")
    Path("spaced.json").write_text(' {"a": 1}')
    Path("archive").write_bytes(npz({"x": ROWS}))
    with Path("array").open("wb") as stream:
        np.save(stream, ROWS)
    for path, *words in (
        ("empty", "is a folder without config.json", ".toml", ".npz", ".jsonl", ".npy"),
        ("data.dat", "is no text", ".toml", ".npz", ".jsonl", ".npy"),
        ("other.json", "the points of a sweep"),
        ("m.pt", "torch.load"),
        ("nothing", "no scenario or file 'nothing'"),
        ("point.jsonl", "there is no file 'point.jsonl' in '.'; did you mean 'points.jsonl'?"),
        ("list.json", "is JSON", ".npy", "`np.save('list.npy', json.load(open('list.json')))`"),
        ("rows", "is JSON", ".npy"),
        ("spaced.json", "is JSON", ".jsonl"),
        ("archive", "'archive': begins as a .npz does; expected a name that ends in .npz"),
        ("array", "'array': begins as a .npy does; expected a name that ends in .npy"),
    ):
        refused(lambda path=path: ha.load(path), "", path, *words)
    for path in (3, None, b"bank", "", "a\0b"):
        refused(lambda path=path: ha.load(path), "path: ")
    if os.geteuid():  # root may read all
        Path("data.dat").chmod(0)
        refused(lambda: ha.load("data.dat"), "", "data.dat", "Permission denied")
