"""Every result in every form: the same numbers, and where they come from."""

import csv
import json
import sys
from io import BytesIO, StringIO
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import hopattn as ha
from hopattn.circuits import head_census
from hopattn.experiments.model_heads import trained
from hopattn.experiments.separation import Separation, SeparationReport
from hopattn.foundation.errors import InvalidInput
from hopattn.papers import records, verdicts
from hopattn.results.labelled import Labelled
from hopattn.theory.separation import margins
from tests.refusal import refused

PATTERNS = np.random.default_rng(0).choice([-1.0, 1.0], (3, 20))


def sweep():
    over = {"rule": "hebb,storkey", "load": (0.1, 0.2)}
    return ha.experiments.sweep_scenario(
        ha.load("capacity"), over, trials=2, overrides={"ensemble.neurons": 20}, measures=["overlap"], workers=1, rng=5
    )


THINGS = {
    "sweep": sweep,
    "result": lambda: ha.run(ha.load("hopfield")),
    "recall": lambda: ha.memories.hopfield(PATTERNS).recall(
        PATTERNS[:2], update="async", rng=0, keep=("overlaps", "trajectory")
    ),
    "comparison": lambda: ha.experiments.compare_random(
        {"load": [0.2, 0.4]}, memories=["modern", "nearest"], dim=8, trials=1, rng=3
    ),
}


@pytest.mark.parametrize("name", THINGS)
def test_what_they_hold_and_where_it_comes_from(name):
    pytest.importorskip("pandas")
    pytest.importorskip("xarray")
    thing = THINGS[name]()
    frame, arrays = thing.to_pandas(), thing.to_xarray()
    for found, versions in (
        (frame.attrs, frame.attrs["versions"]),
        (arrays.attrs, json.loads(arrays.attrs["versions"])),
    ):
        assert (versions["hopattn"], versions["numpy"]) == (ha.__version__, np.__version__)
        assert name == "recall" or isinstance(found["seed"], int)
    if name == "sweep":
        assert frame.attrs["seed"] == 5 and frame.attrs["trials"] == 2 and frame.attrs["scenario"] == "capacity"
        assert frame.loc[("storkey", 0.2), "overlap"] == thing.mean("overlap")[1, 1]
        assert arrays["overlap"].sel(rule="hebb", load=0.1).values.tolist() == thing.values["overlap"][0, 0].tolist()
    elif name == "result":
        assert frame["met"].tolist() == [row["met"] for row in thing.table()]
        assert set(arrays) == set(thing.arrays)
        assert all(np.array_equal(arrays[key].values, array.values) for key, array in thing.arrays.items())
    elif name == "recall":
        assert frame["matched"].tolist() == [0, 1] and frame["last energy"].tolist() == thing.energies[-1].tolist()
        assert arrays["overlaps"].dims == ("step", "cue", "pattern") and arrays["state"].shape == (2, 20)
    else:
        assert frame["recalled"].tolist() == [row["recalled"] for row in thing.table()]
        assert arrays["recalled"].sel(memory="nearest", load=0.375).values.tolist() == [frame["recalled"].iloc[-1]]


MARGINS = margins(np.eye(3) + 0.1)
DATASETS = THINGS | {
    "census": lambda: head_census([(ha.MultiHead([ha.Head(*[np.eye(20)] * 3)], np.eye(20)), PATTERNS)], [*"aba"]),
    "training": lambda: trained(Path("two-layers")),
    "separation": lambda: Separation((SeparationReport("head 1", MARGINS, 0.01), SeparationReport("", MARGINS, 0.1))),
    "report": lambda: SeparationReport("", MARGINS, 0.01),
    "papers": lambda: verdicts(records().values()),
    "array": lambda: WEIGHTS,
    "shown": lambda: ha.run(ha.load("bank")).shown(),
}


@pytest.mark.parametrize("name", DATASETS)
def test_every_form_holds_the_rows_of_the_table(name):
    thing = DATASETS[name]()
    table, sheet = thing.table(), [*csv.DictReader(StringIO(thing.to_csv()))]
    assert len(sheet) == len(table)
    for row, line in zip(table, sheet, strict=True):
        for column, value in row.items():
            if isinstance(value, int | float):
                assert line[thing._titles.get(column, column)] == str(value)
    whole = json.loads(thing.to_json())
    assert whole == json.loads(json.dumps(thing.to_dict(), allow_nan=False))
    if thing._rows in whole:
        assert whole[thing._rows] == json.loads(json.dumps(table))
    with np.load(BytesIO(thing.to_npz())) as arrays:
        columns = {column for row in table for column in row}
        assert {*(thing._arrays() or columns)} <= {*arrays.files}
        assert all(np.array_equal(arrays[one], np.asarray(array)) for one, array in thing._arrays().items())
    pytest.importorskip("pandas")
    frame = thing.to_pandas()
    assert len(frame) == len(table) and ("<table" in ha.html(thing) or name == "training")
    pytest.importorskip("xarray")
    thing.to_xarray()


@pytest.mark.parametrize("name", THINGS)
def test_arrays_are_saved_as_netcdf(name, tmp_path):
    xarray = pytest.importorskip("xarray")
    arrays = THINGS[name]().to_xarray()
    arrays.to_netcdf(tmp_path / "found.nc", engine="scipy")
    read = xarray.load_dataset(tmp_path / "found.nc", engine="scipy")
    assert read.attrs == arrays.attrs and set(read) == set(arrays)


def test_a_recall_of_one_cue_has_no_dim_cue():
    pytest.importorskip("xarray")
    found = ha.memories.hopfield(PATTERNS).recall(PATTERNS[0], update="async", rng=0)
    assert found.to_xarray()["state"].dims == ("neuron",) and len(found.to_pandas()) == 1


@pytest.mark.parametrize("method", ["to_pandas", "to_xarray"])
def test_without_the_library_a_message_says_what_to_install(method, monkeypatch):
    library = method.removeprefix("to_")
    monkeypatch.setitem(sys.modules, library, None)
    for thing in (THINGS["recall"](), THINGS["comparison"]()):
        refused(getattr(thing, method), method, f"{library} is not installed: pip install {library}")


WORDS = ("the", "dog", "the#2")
WEIGHTS = Labelled(np.arange(9.0).reshape(3, 3), ("token", "token"), (WORDS, WORDS))
CUBE = Labelled(np.arange(12).reshape(2, 2, 3), ("head", "query", "key"), (("1", "2"), ("a", "b"), WORDS))


def test_the_text_has_the_axes_and_the_numbers_without_the_labels():
    assert repr(WEIGHTS).splitlines()[0] == "Labelled(token: 3 × token 2: 3)"
    assert len(repr(Labelled(np.zeros((400, 400)), ("a", "b"), (("x",) * 400, ("y",) * 400)))) < 600


def test_xarray_finds_a_number_by_its_labels():
    xarray = pytest.importorskip("xarray", reason="xarray is an extra")
    array = WEIGHTS.to_xarray()
    assert isinstance(array, xarray.DataArray)
    assert float(array.sel({"token": "dog", "token 2": "the#2"})) == 5
    assert CUBE.to_xarray().dims == CUBE.dims
    assert Labelled(np.array(2.0)).to_xarray().item() == 2
    array[0, 0] = 7
    assert WEIGHTS.values[0, 0] == 0


def test_pandas_has_a_column_for_each_label_of_the_last_axis():
    pandas = pytest.importorskip("pandas", reason="pandas comes with the extra xarray")
    for array in (WEIGHTS, CUBE, Labelled(np.eye(3)[0], ("key",), (WORDS,)), Labelled(np.array(2.0))):
        frame = array.to_pandas()
        assert isinstance(frame, pandas.DataFrame)
        assert frame.to_numpy().ravel().tolist() == array.values.ravel().tolist()
    assert WEIGHTS.to_pandas().loc["dog", "the#2"] == 5
    assert CUBE.to_pandas().loc[("2", "a"), "dog"] == 7
    assert Labelled(np.eye(3)[0], ("key",), (WORDS,)).to_pandas().loc["the", "value"] == 1
    assert Labelled(np.zeros((2, 0)), ("key", "bin"), (("a", "b"), ())).to_pandas().shape == (2, 0)


def test_csv_is_the_table_of_pandas():
    pandas = pytest.importorskip("pandas", reason="pandas comes with the extra xarray")
    for array in (WEIGHTS, CUBE, Labelled(np.eye(3)[0], ("key",), (WORDS,)), Labelled(np.array(2.0))):
        read, levels = pandas.read_csv(StringIO(array.to_csv())), max(array.values.ndim - 1, min(array.values.ndim, 1))
        assert read.iloc[:, levels:].to_numpy().tolist() == array.to_pandas().to_numpy().tolist()
        labels = [tuple(map(str, row)) for row in read.iloc[:, :levels].itertuples(index=False)]
        assert labels == [*product(*([*array.labels][:levels]))]
    assert Labelled(np.zeros((2, 0)), ("key", "bin"), (("a", "b"), ())).to_csv() == "key\na\nb\n"


@pytest.mark.parametrize("extra", ["xarray", "pandas"])
def test_a_missing_extra_is_named_with_the_way_to_install_it(monkeypatch, extra):
    monkeypatch.setitem(sys.modules, extra, None)
    with pytest.raises(InvalidInput, match=f"to_{extra}: {extra} is not installed: pip install {extra}"):
        getattr(WEIGHTS, f"to_{extra}")()
