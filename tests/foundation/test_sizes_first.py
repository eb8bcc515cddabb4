"""Files of many arrays: the size of all that is asked for is known before the first number is read."""

import numpy as np
import pytest
from safetensors.numpy import save_file

import hopattn as ha
from hopattn.foundation import array_headers, checks
from hopattn.foundation.array_files import arrays_of, described, numbers, numbers_below
from hopattn.foundation.errors import InvalidInput
from tests.array_bytes import entry, safetensors

ARRAYS = {"a.x": np.eye(3), "a.y": np.ones(4), "b.x": np.full((2, 2), np.nan), "b.z": np.ones((1, 1, 1))}


@pytest.fixture(params=["npz", "safetensors"])
def file(tmp_path, request):
    path = tmp_path / f"layers.{request.param}"
    np.savez(path, **ARRAYS) if request.param == "npz" else save_file(ARRAYS, path)
    return path


@pytest.fixture
def read(monkeypatch):
    """The names of the arrays that are read, in their order."""
    names = []
    own = array_headers.StoredArray.read
    monkeypatch.setattr(array_headers.StoredArray, "read", lambda array: names.append(array.name) or own(array))
    return names


def test_only_what_begins_as_asked_for_is_read(file, read):
    found = numbers_below(file, "a.", 2, 13)
    assert read == ["a.x", "a.y"]
    assert all(np.array_equal(found[name], ARRAYS[name]) for name in ("a.x", "a.y"))


def test_the_numbers_of_all_arrays_are_counted_before_one_is_read(file, read):
    with pytest.raises(InvalidInput, match=r"the 2 arrays hold 13 numbers; at most 12 can be read"):
        numbers_below(file, "a.", 2, 12)
    with pytest.raises(InvalidInput, match=r"'b\.z' holds an array of shape \(1, 1, 1\); expected 1 to 2 axes"):
        numbers_below(file, "", 2, 100)
    assert read == []


def test_a_shape_is_known_before_the_numbers_are_read(file, read):
    one = described(file, "b.x")
    assert (one.shape, read) == ((2, 2), [])
    with pytest.raises(InvalidInput, match="nan is at 1, 1; expected finite numbers"):
        one.read()
    assert np.array_equal(described(file, "a.x").read(), numbers(file, "a.x"))


@pytest.mark.quick(0)
def test_an_archive_that_memory_cannot_hold_is_refused_before_one_array_is_read(tmp_path, read, monkeypatch):
    np.savez_compressed(tmp_path / "many.npz", **{f"a{i}": np.zeros(2**21, np.int8) for i in range(100)})
    monkeypatch.setattr(checks.os, "sysconf", {"SC_PAGE_SIZE": 1, "SC_PHYS_PAGES": 2**27}.get)
    with pytest.raises(InvalidInput, match=r"'many\.npz': its arrays would take 0\.2 GiB; this machine has 0\.1 GiB"):
        arrays_of(tmp_path / "many.npz")
    assert read == []


def test_of_bfloat16_the_halves_are_counted_too(tmp_path, monkeypatch):
    (tmp_path / "a.safetensors").write_bytes(safetensors({"a": entry((4, 6), 0, 48, "BF16")}))
    asked = []
    monkeypatch.setattr(array_headers, "require_room", lambda size, what: asked.append(size))
    assert ha.mapped(tmp_path / "a.safetensors").dtype == np.float32
    assert asked == [24 * (4 + 2) // 8]
