"""Headers of `.safetensors` files: each is read as its library reads it, or refused with what was found."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors import SafetensorError
from safetensors.numpy import load, save

import hopattn as ha
from hopattn.foundation.array_files import names_in, numbers
from hopattn.foundation.errors import InvalidInput
from tests.array_bytes import DATA, entry, mutated, refusal, safetensors
from tests.each import each


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return tmp_path_factory.mktemp("headers") / "a.safetensors"


HALF = '"dtype": "F64", "shape": [3], "data_offsets": '


@each(
    ("data", "message"),
    [
        (safetensors({"a": entry(), "b": entry()}), "'b': its numbers begin at byte 0; expected byte 48, one array"),
        (
            safetensors({"a": entry((3,), 0, 24), "b": entry((4,), 16, 48)}),
            "'b': its numbers begin at byte 16; expected byte 24, one array after the other",
        ),
        (
            safetensors({"a": entry((3,), 0, 24), "b": entry((2,), 32, 48)}),
            "'b': its numbers begin at byte 32; expected byte 24",
        ),
        (safetensors({"a": entry((5,), 8, 48)}), "'a': its numbers begin at byte 8; expected byte 0"),
        (safetensors({"a": entry((5,), 0, 40)}), "or is truncated: its arrays end at byte 110, and the file has 118"),
        (safetensors({"a": entry((7,), 0, 56)}), "or is truncated: its arrays end at byte 126, and the file has 118"),
        (
            safetensors({"a": entry((2, 4))}),
            "'a' is truncated or damaged: its header promises 8 numbers, which take 64 bytes, and 48",
        ),
        (safetensors({"a": entry(start=48, end=0)}), "'a' has the data_offsets [48, 0]; expected its first byte and"),
        (safetensors({"a": entry(start=-8, end=40)}), "'a' has the data_offsets [-8, 40]"),
        (safetensors({"a": entry(end=48.0)}), "'a' has the data_offsets [0, 48.0]"),
        (safetensors({"a": entry(start=False)}), "'a' has the data_offsets [False, 48]"),
        (safetensors({"a": entry(end=2**64)}), "'a' has the data_offsets [0, 18446744073709551616]"),
        (safetensors({"a": entry((True, 6))}), "'a' has the shape [True, 6]; expected whole numbers"),
        (safetensors({"a": entry((-2, -3))}), "'a' has the shape [-2, -3]"),
        (safetensors({"a": entry(("2", 3))}), "'a' has the shape ['2', 3]"),
        (safetensors({"a": entry((2**62, 3))}), "'a' is of shape (4611686018427387904, 3), larger than any file"),
        (safetensors({"a": {**entry(), "shape": 6}}), "'a' has the shape 6"),
        (safetensors({"a": entry((1,) * 40, 0, 8)}), "'a' has 40 axes; expected at most 32"),
        (safetensors({"a": entry(dtype="F63")}), "'a' is of type F63; expected one of F64, F32, F16, BF16"),
        (safetensors({"a": entry(dtype=["F64"])}), "'a' is of type ['F64']"),
        (safetensors({"a": {"dtype": "F64", "shape": [2, 3]}}), "expected its dtype, shape and data_offsets"),
        (safetensors({"a": {**entry(), "more": 1}}), "expected its dtype, shape and data_offsets"),
        (safetensors({"a": 3}), "'a' is 3; expected its dtype, shape and data_offsets"),
        (safetensors(f'{{"a": {{{HALF}[0, 24]}}, "a": {{{HALF}[24, 48]}}}}'), "its header has 'a' twice; expected one"),
        (safetensors('{"a": {"dtype": "F64", "dtype": "F32"}}'), "its header has 'dtype' twice"),
        (safetensors({"__metadata__": {"a": 1}, "a": entry()}), "'__metadata__' is {'a': 1}; expected texts by name"),
        (safetensors({"__metadata__": [], "a": entry()}), "'__metadata__' is []"),
        (safetensors([]), "is not a .safetensors file, or is truncated: its header is []"),
        (safetensors(""), "is not a .safetensors file, or is truncated: its header is empty; expected a table in JSON"),
        (safetensors('{"a":'), "is not a .safetensors file, or is truncated: its header is {"),
        (safetensors('{"a":' * 50_000), "is not a .safetensors file, or is truncated: its header is {"),
        (safetensors('{"a": ' + "[" * 900 + "]" * 900 + "}"), "expected its dtype, shape and data_offsets"),
        (safetensors('{"a": ' + "9" * 9000 + "}"), "is not a .safetensors file, or is truncated: its header is {"),
        (safetensors({"a": entry()}, length=2**63), "its header would have 9,223,372,036,854,775,808 bytes"),
        (safetensors({"a": entry()})[:7], "is not a .safetensors file, or is truncated"),
        (safetensors({}, b""), "holds no array"),
        (
            safetensors(" " + json.dumps({"a": entry()})),
            "is not a .safetensors file, or is truncated: its header is  {",
        ),
    ],
)
def test_a_safetensors_header_that_lies_is_refused_with_what_was_found(file, data, message):
    assert message in refusal(file, data, numbers)
    assert message in refusal(file, data, ha.mapped)


@pytest.mark.parametrize("dtype", ["F8_E4M3", "F8_E5M2", "F8_E8M0", "F8_E4M3FNUZ", "F8_E5M2FNUZ"])
def test_numbers_of_8_bits_are_refused_by_name(file, dtype):
    """Beside them, an array that can be read is read."""
    data = safetensors({"a": entry((48,), dtype=dtype), "b": entry((6,), 48, 96)}, bytes(48) + DATA)
    reported = refusal(file, data, lambda file: ha.mapped(file, "a"))
    wanted = "expected floating-point numbers; convert them to F32, F16 or BF16"
    assert reported == f"'a.safetensors': 'a' holds {dtype}; {wanted}"
    assert np.array_equal(ha.mapped(file, "b"), np.arange(6.0))


@each("dtype", ["f8", "f4", "f2", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1"])
def test_a_safetensors_file_gives_what_its_library_wrote(file, dtype):
    arrays = {"b": np.arange(6, dtype=dtype).reshape(2, 3), "a": np.ones(1, dtype), "none": np.ones((0, 2), dtype)}
    file.write_bytes(save(arrays, {"made": "by a test"}))
    assert sorted(names_in(file)) == ["a", "b", "none"]
    for name in ("a", "b"):
        assert np.array_equal(numbers(file, name), arrays[name])


@given(st.data())
def test_what_is_read_of_a_damaged_safetensors_file_is_what_its_library_reads(file, data):
    good = safetensors({"a": entry((3,), 0, 24), "b": entry((3,), 24, 48)})
    file.write_bytes(mutated(data.draw, good))
    try:
        found = {name: ha.mapped(file, name) for name in names_in(file)}
    except InvalidInput as error:
        assert str(error).startswith("'a.safetensors'")
    else:
        wanted = load(file.read_bytes())
        assert list(found) == sorted(wanted)
        for name, array in found.items():
            np.testing.assert_array_equal(array, wanted[name])


@given(st.data())
def test_what_its_library_refuses_is_refused(file, data):
    good = safetensors({"a": entry((3,), 0, 24), "b": entry((3,), 24, 48)})
    file.write_bytes(damaged := mutated(data.draw, good))
    try:
        load(damaged)
    except (SafetensorError, KeyError, ValueError):
        with pytest.raises(InvalidInput):
            names_in(file)
