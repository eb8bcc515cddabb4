"""A file has one meaning, whoever reads it, and an array in a file has that of the array."""

import json
import pickle
import re
import string
import sys

import numpy as np
import PIL.Image
import pytest
import scipy.io
from safetensors.numpy import save_file

import hopattn as ha
from hopattn.foundation.array_files import numbers
from tests.refusal import refused

RNG = np.random.default_rng(5)
SPINS = RNG.choice([-1, 1], (4, 9))
KINDS = ("bool", "int8", "int64", "uint8", "float16", "float32", "float64")
LETTERS = {name: RNG.choice([-1.0, 1.0], (10, 10)) for name in string.ascii_uppercase}


def rows_as(kind):
    return (SPINS > 0).astype(kind) if kind in ("bool", "uint8") else SPINS.astype(kind)


def written(folder, ending, rows):
    file = folder / f"x{ending}"
    if ending == ".npy":
        np.save(file, rows)
    elif ending == ".npz":
        np.savez(file, rows)
    elif ending == ".safetensors":
        save_file({"x": rows}, file)
    else:
        np.savetxt(file, rows, fmt="%g", delimiter=",")
    return file


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("ending", [".npy", ".npz", ".safetensors", ".csv"])
def test_a_file_gives_the_numbers_of_its_array_to_every_reader(hopattn, tmp_path, ending, kind):
    rows = rows_as(kind)
    wanted, file = rows.astype(float), written(tmp_path, ending, rows)
    assert np.array_equal(numbers(file), wanted)
    assert np.array_equal(ha.Memory(file).keys, wanted) and np.array_equal(ha.Memory(file, file).values, wanted)
    _, out, _ = hopattn("separation", str(file), "--json")
    np.testing.assert_allclose(json.loads(out)["heads"][0]["delta"], ha.theory.margins(rows).delta)
    words = scenario_words(f'size = [3, 3]\nfiles = {{ x = "{file.name}" }}', tmp_path, "x 1", "x 4")
    assert np.array_equal(words, wanted[[0, 3]])


FORMS = {
    "one called patterns": {"labels": np.arange(4), "patterns": SPINS, "words": np.array(list("abcd"))},
    "one of numbers": {"words": np.array(list("abcd")), "x": SPINS},
    "a vector each": dict(zip(["", "b", "c,d", "q,k,v"], SPINS, strict=True)),
    "a picture each": dict(zip("abcd", SPINS.reshape(4, 3, 3), strict=True)),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_every_reader_finds_the_same_patterns_among_the_arrays_of_an_archive(hopattn, tmp_path, form):
    file = tmp_path / "x.npz"
    np.savez(file, **FORMS[form])
    assert np.array_equal(ha.Memory(file).keys, SPINS)
    (report,) = json.loads(hopattn("separation", str(file), "--json")[1])["heads"]
    np.testing.assert_allclose(report["delta"], ha.theory.margins(SPINS).delta)
    few = ("--models", "nearest", "--trials", "1", "--set", "noise=0", "--json")
    assert json.loads(hopattn("compare", str(file), *few)[1])["rows"][0]["n_keys"] == 4
    table = '[ensemble]\nfile = "x.npz"\npatterns = 4\nmodel = "nearest"'
    (tmp_path / "e.toml").write_text(f'schema = 1\ntitle = "t"\nsource = "ours"\nkind = "ensemble"\n{table}\n')
    assert np.array_equal(ha.load(tmp_path / "e.toml").spec.ensemble.rows, SPINS)
    if "" not in FORMS[form]:  # no word is without a letter
        names = "ad" if len(FORMS[form]) == 4 else ("p 1", "p 4")
        words = scenario_words('size = [3, 3]\nfiles = { p = "x.npz" }', tmp_path, *names)
        assert np.array_equal(words, SPINS[[0, 3]])


def scenario_words(pictures, folder, *names):
    """The rows of these words in a scenario with a table of pictures."""
    tokens = json.dumps(names)
    head = 'schema = 1\ntitle = "t"\nsource = "ours"\nkind = "memory"'
    memory = f"[memory]\npatterns = {tokens}\n[input]\ntokens = {tokens}"
    (folder / "s.toml").write_text(f"{head}\n{memory}\n[pictures]\n{pictures}\n")
    return ha.run(folder / "s.toml").arrays["input"].values


@pytest.fixture
def alphabet(tmp_path):
    """An archive with an array for each letter, and the letters as rows."""
    np.savez(tmp_path / "letters.npz", **LETTERS)
    return tmp_path / "letters.npz", np.array([letter.ravel() for letter in LETTERS.values()])


def test_arrays_of_one_shape_are_patterns_with_their_names(hopattn, alphabet, tmp_path):
    file, rows = alphabet
    assert np.array_equal(ha.Memory(file).keys, rows)
    (report,) = json.loads(hopattn("separation", str(file), "--json")[1])["heads"]
    assert report["names"] == list(LETTERS) and report["where"] == ""
    np.testing.assert_allclose(report["delta"], ha.theory.margins(rows).delta)
    lines = hopattn("separation", str(file))[1].splitlines()[1:27]
    rivals = [list(LETTERS)[i] for i in ha.theory.margins(rows).rival]
    assert [line.split()[0:3:2] for line in lines] == [list(pair) for pair in zip(LETTERS, rivals, strict=True)]
    few = ("--models", "nearest", "--trials", "2", "--set", "noise=0", "--json")
    found = json.loads(hopattn("compare", str(file), *few)[1])["rows"][0]
    assert (found["recalled"], found["n_keys"]) == (1, len(LETTERS))
    assert np.array_equal(scenario_words('files = { abc = "letters.npz" }', tmp_path, "A", "V"), rows[[0, 21]])
    one = 'files = { first = { file = "letters.npz", array = "A" } }\nsize = [10, 10]'
    assert np.array_equal(scenario_words(one, tmp_path, "first"), rows[:1])


def test_queries_keys_and_values_are_a_head_where_they_are_alone_or_asked_for(hopattn, tmp_path):
    head = {name: RNG.normal(size=(6, 4)) for name in "qkv"}
    np.savez(tmp_path / "alone.npz", tokens=np.array(list("abcdef")), **head)
    np.savez(tmp_path / "more.npz", x=RNG.normal(size=(6, 4)), **head)
    asked = [("alone.npz",), ("more.npz", "--array", "q, k, v"), ("more.npz",)]
    reports = [
        json.loads(hopattn("separation", str(tmp_path / name), *more, "--json")[1])["heads"] for name, *more in asked
    ]
    assert [report[0]["n_patterns"] for report in reports] == [6, 6, 4]
    reports = [json.loads(hopattn("compare", str(tmp_path / name), *more, "--json")[1]) for name, *more in asked]
    assert [report["rows"][0]["n_keys"] for report in reports] == [6, 6, 4]
    message = "'alone.npz' holds arrays of a head: q, k, v"
    refused(lambda: ha.Memory(tmp_path / "alone.npz"), message, 'ha.load("alone.npz", name="q")')
    page = ha.explore(tmp_path / "more.npz", array="q,k,v")
    assert "1 head of attention" in page.html


@pytest.mark.parametrize("form", ["(layers, heads, n, n)", "a list", "one text each", "named arrays"])
def test_attention_of_a_whole_model_is_explored_and_drawn(tmp_path, form):
    weights = RNG.dirichlet(np.ones(4), (2, 3, 4))
    given = {"a list": list(weights), "one text each": [layer[None] for layer in weights]}.get(form, weights)
    if form == "named arrays":
        np.savez(tmp_path / "w.npz", layer_0=weights[0], layer_1=weights[1], tokens=np.array(list("abcd")))
        given = tmp_path / "w.npz"
    page = ha.explore(given)
    for name in ("layer 1 head 1", "layer 2 head 3", f"{weights[1, 2, 3, 0]:.4g}"):
        assert name in page.html
    if form != "named arrays":
        (ax,) = ha.plot(given, "attention", layer=2, head=3).axes
        shown = ax.collections[0].get_array() if ax.collections else ax.images[0].get_array()
        np.testing.assert_allclose(np.asarray(shown).reshape(4, 4), weights[1, 2])


def test_the_words_of_an_archive_of_weights_are_read_beside_arrays_of_any_kind(tmp_path):
    weights = RNG.dirichlet(np.ones(3), 3)
    np.savez(tmp_path / "w.npz", weights=weights, tokens=np.array(["an", "old", "oak"]), more=np.array([1j]))
    assert "an" in ha.explore(tmp_path / "w.npz").html


def array_in_pickle(file, array):
    file.write_bytes(pickle.dumps(array))


def array_in_checkpoint(file, array):
    pytest.importorskip("torch").save({"NAME": pytest.importorskip("torch").asarray(array)}, file)


def array_in_picture(file, array):
    PIL.Image.fromarray((255 * (array > 0)).astype(np.uint8)).save(file)


FOREIGN = {
    "x.pkl": array_in_pickle,
    "x.pickle": array_in_pickle,
    "x.pt": array_in_checkpoint,
    "x.mat": lambda file, array: scipy.io.savemat(file, {"NAME": array}),
    "x.png": array_in_picture,
    "x.gif": array_in_picture,
}


@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning", "ignore:Exception ignored in")
@pytest.mark.parametrize("name", FOREIGN)
def test_the_cure_for_a_file_of_another_program_works(hopattn, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    FOREIGN[name](tmp_path / name, SPINS.astype(float))
    _, _, message = hopattn("separation", name)
    libraries = {"np": np, "scipy": scipy, "PIL": PIL, "torch": sys.modules.get("torch")}
    exec(re.search(r"`(np\.save\(.*\))`", message)[1], libraries)
    rows = numbers(tmp_path / "x.npy")
    assert np.array_equal(rows > 0, SPINS.reshape(rows.shape) > 0)
    assert hopattn("separation", "x.npy")[0] == 0


@pytest.mark.parametrize(("name", "words"), [
    ("x.mat", ["scipy.io.loadmat('x.mat')"]), ("x.jpg", ["is an image", "PIL.Image.open('x.jpg')"]),
    ("x.pt", ["Python objects", "torch.load('x.pt'"]), ("x.xlsx", ["save its sheet as CSV"]), ("x.h5", ["h5py"]),
    ("x.gz", ["unpack"]), ("x.odd", [".npy, .npz, .safetensors, .csv"]),
])  # fmt: skip
def test_a_file_of_another_program_is_named_with_the_cure(hopattn, tmp_path, name, words):
    file = tmp_path / name
    file.write_bytes(b"\x00\xff\x01")
    lines = [hopattn("separation", str(file)), *[hopattn(one, str(file)) for one in ("compare", "explore", "run")]]
    for code, _, err in lines if name != "x.odd" else lines[:1]:
        assert code == 2 and name in err and all(word in err for word in words), err
    refused(lambda: ha.Memory(file), f"'{name}'", *words)
