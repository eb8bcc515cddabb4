"""Labelled arrays: their text, and the same array in xarray and pandas."""

import sys

import numpy as np
import pytest

from hopattn.foundation.errors import InvalidInput
from hopattn.results.labelled import Labelled

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


@pytest.mark.parametrize("extra", ["xarray", "pandas"])
def test_a_missing_extra_is_named_with_the_way_to_install_it(monkeypatch, extra):
    monkeypatch.setitem(sys.modules, extra, None)
    with pytest.raises(InvalidInput, match=f"to_{extra}: {extra} is not installed: pip install {extra}"):
        getattr(WEIGHTS, f"to_{extra}")()
