"""Headers of `.npy` files: each is read as NumPy reads it, or refused with what was found and what was expected."""

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.foundation.array_files import numbers
from hopattn.foundation.errors import InvalidInput
from tests.array_bytes import GOOD, mutated, npy, refusal
from tests.each import each


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return tmp_path_factory.mktemp("headers") / "a.npy"


def saved(array, version=(1, 0)):
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, version)
    return stream.getvalue()


@each("dtype", ["<f8", ">f4", "<f2", "|i1", ">i8", "<u4", "|b1"])
@each("version", [(1, 0), (2, 0), (3, 0)])
@each("order", ["C", "F"])
def test_an_npy_file_of_any_version_gives_its_numbers(file, dtype, version, order):
    array = np.asarray(np.arange(12).reshape(2, 3, 2), dtype=dtype, order=order)
    file.write_bytes(saved(array, version))
    assert np.array_equal(numbers(file), np.where(array, 1.0, -1.0) if dtype == "|b1" else array)


def test_a_header_of_python_2_in_another_order_is_read(file):
    header = '{"shape": (2L, 3L), "fortran_order": False, "descr": "<f8"}'
    file.write_bytes(npy(header))
    assert np.array_equal(numbers(file), np.arange(6.0).reshape(2, 3))


NONE = "is not a .npy array, or is truncated: it begins with"


def shaped(shape):
    return npy(GOOD.replace("(2, 3)", shape))


@each(
    ("data", "message"),
    [
        (shaped("(True, True)"), NONE),
        (shaped("(" + 9000 * "-" + "2, 3)"), NONE),
        (shaped("(-2, -3)"), NONE),
        (shaped("(2.0, 3)"), NONE),
        (shaped("(٢, 3)"), NONE),
        (shaped("(6)"), NONE),
        (shaped("[2, 3]"), NONE),
        (shaped("(2, 3) + (1,)"), NONE),
        (shaped("(" * 5000 + ")" * 4000), NONE),
        (shaped("(1_0, 3)"), "is truncated or damaged: its header promises 30 numbers"),
        (shaped("(2, 3" + 3000 * ", 3" + ")"), "has 3002 axes; expected at most 32"),
        (
            shaped("(2, 4)"),
            "is truncated or damaged: its header promises 8 numbers, which take 64 bytes, and 48 bytes follow",
        ),
        (shaped("(2, 2)"), "its header promises 4 numbers, which take 32 bytes, and 48 bytes follow"),
        (shaped(f"({2**62}, 3)"), "is of shape (4611686018427387904, 3), larger than any file"),
        (shaped(f"({10**40}, 3)"), f"is of shape ({10**40}, 3), larger than any file"),
        (shaped(f"({2**62}, {2**62}, 0)"), "larger than any file"),
        (shaped("(0, 3)"), "is truncated or damaged: its header promises 0 numbers"),
        (npy(GOOD.replace("'<f8'", "'|O'")), "holds Python objects; expected real numbers; they are never loaded"),
        (
            npy(GOOD.replace("'<f8'", "[('a', '<f4'), ('b', '<f4')]")),
            "holds [('a', '<f4'), ('b', '<f4')]; expected real numbers",
        ),
        (npy(GOOD.replace("<f8", "<c8")), "holds complex64; expected real numbers"),
        (npy(GOOD.replace("<f8", "<U2")), "holds <U2; expected real numbers"),
        (npy(GOOD.replace("<f8", "<M8[ns]")), "holds datetime64[ns]; expected real numbers"),
        (npy(GOOD.replace("<f8", "<f4,<f4")), "holds [('f0', '<f4'), ('f1', '<f4')]; expected real numbers"),
        (npy(GOOD.replace("<f8", "(2,)<f4")), "holds ('<f4', (2,)); expected real numbers"),
        (npy(GOOD.replace("<f8", "<f3")), NONE),
        (npy(GOOD.replace("<f8", 5000 * "f")), NONE),
        (npy(GOOD.replace("False", "0")), NONE),
        (npy(GOOD.replace("'shape'", "'descr'")), NONE),
        (npy(GOOD.replace("}", "'descr': '<f4'}")), "its header promises 6 numbers, which take 24 bytes, and 48"),
        (npy(GOOD.replace("}", "'more': 1}")), NONE),
        (npy("{}"), r"it begins with b'\x93NUMPY\x01\x00\x02\x00{}\x00"),
        (npy("__import__('os').system('true')"), NONE),
        (npy(b"\xff\xfe\x1b[31m"), NONE),
        (npy(version=(4, 0)), NONE),
        (npy(version=(1, 1)), NONE),
        (npy(GOOD + 10_000 * " "), NONE),
        (npy(GOOD)[:40], "it begins with"),
        (
            npy(magic=b"PK\x03\x04\x00\x00"),
            "expected a header such as {'descr': '<f8', 'fortran_order': False, 'shape'",
        ),
    ],
)
def test_an_npy_header_that_is_none_is_refused_with_what_was_found(file, data, message):
    assert message in refusal(file, data, numbers)
    assert message.replace("real numbers", "floating-point numbers") in refusal(file, data, ha.mapped)


@given(st.data())
def test_what_is_read_of_a_damaged_npy_file_is_what_numpy_reads(file, data):
    file.write_bytes(mutated(data.draw, npy()))
    try:
        found = ha.mapped(file)
    except InvalidInput as error:
        assert str(error).startswith("'a.npy'")
    else:
        wanted = np.load(file, allow_pickle=False)
        assert found.dtype == wanted.dtype
        np.testing.assert_array_equal(found, wanted)
