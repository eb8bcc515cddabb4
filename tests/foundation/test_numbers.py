"""Numbers from files of any format: the same numbers from each, and one clear message where they cannot be used."""

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from safetensors.numpy import save

from hopattn.foundation import array_files
from hopattn.foundation.array_files import numbers
from hopattn.foundation.errors import InvalidInput
from tests.each import each

rectangles = arrays(float, st.tuples(st.integers(1, 5), st.integers(1, 5)), elements=st.floats(-9, 9, width=32))


def npy(array):
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def npz(**named):
    stream = io.BytesIO()
    np.savez_compressed(stream, **named)
    return stream.getvalue()


@pytest.fixture
def folder(tmp_path):
    """A function that writes a file and returns its path."""

    def write(name, data):
        (tmp_path / name).write_bytes(data if isinstance(data, bytes) else data.encode())
        return tmp_path / name

    return write


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("patterns")


@given(rectangles)
def test_every_format_gives_the_same_numbers(place, table):
    (place / "a.npy").write_bytes(npy(table))
    (place / "b.npy").write_bytes(npy(np.asfortranarray(table)))
    (place / "c.npz").write_bytes(npz(x=table))
    (place / "d.csv").write_text("\n".join(",".join(map(repr, row)) for row in table.tolist()))
    (place / "e.safetensors").write_bytes(save({"x": table}))
    for name in ("a.npy", "b.npy", "c.npz", "d.csv", "e.safetensors"):
        np.testing.assert_array_equal(numbers(place / name), table)


def test_whole_numbers_and_truth_values_of_any_byte_order(folder):
    assert numbers(folder("a.npy", npy(np.array([[1, -1]], dtype=">i2")))).tolist() == [[1, -1]]
    assert numbers(folder("b.npy", npy(np.array([True, False])))).tolist() == [1, -1]
    assert numbers(folder("c.csv", "\ufeff1, 2\r\n\r\n3, 4\r\n")).tolist() == [[1, 2], [3, 4]]
    assert numbers(folder("d.npz", npz(a=np.ones(2), b=np.zeros(2))), "b").tolist() == [0, 0]


@each(
    ("text", "message"),
    [
        ("1,2\n3,x", "line 2, column 2: got 'x'; expected numbers such as -0.5 or 3e-2, with commas between"),
        ("1,2\n3,", "line 2, column 2: got ''; expected numbers such as"),
        ("1;2", "line 1, column 1: got '1;2'"),
        ("1,2\n\n3", "line 3: got 1 numbers; expected 2, as in line 1"),
        ("1\nnan", "line 2, column 1: got 'nan'; expected numbers"),
        ("1,-inf", "line 1, column 2: got '-inf'; expected numbers"),
        ("1,1e999", "line 1, column 2: got '1e999'; expected a finite number"),
        ("1,1_0", "line 1, column 2: got '1_0'; expected numbers"),
        ("1,2\n3,٣", "line 2, column 2: got '٣'; expected numbers"),
        ("１,2", "line 1, column 1: got '１'; expected numbers"),
        ("0x10", "line 1, column 1: got '0x10'; expected numbers"),
        ("1 2", "line 1, column 1: got '1 2'; expected numbers"),
        ('"1"', "line 1, column 1: got '\"1\"'; expected numbers"),
        ("\x1b[31m", r"line 1, column 1: got '\x1b[31m'; expected numbers"),
        ("1,2\n" + 5_000_000 * "9", f"line 2, column 1: got '{59 * '9'}…'; expected a finite number"),
        (b"1\n\xff", "line 2: is not UTF-8 text"),
    ],
)
def test_a_cell_that_is_not_a_number_is_named_by_line_and_column(folder, text, message):
    with pytest.raises(InvalidInput) as caught:
        numbers(folder("a.csv", text))
    assert str(caught.value).startswith(f"'a.csv', {message}")


def test_spaces_signs_and_points_are_read(folder):
    file = folder("a.csv", "\ufeff +1 ,\t-2.\r\n \n.5,3e-2\r\n\n")
    assert numbers(file).tolist() == [[1, -2], [0.5, 0.03]]


@given(st.text(alphabet="0123456789+-.eE_ infa٣,\n", min_size=1, max_size=12))
def test_a_table_is_read_exactly_if_each_cell_is_a_number_of_ascii_digits(place, text):
    (place / "f.csv").write_text(text)
    rows = [[cell.strip() for cell in line.split(",")] for line in text.split("\n") if line.strip()]
    try:
        if not text.isascii() or set(text) & set("_inf") - set("e") or len({len(row) for row in rows}) != 1:
            raise ValueError
        wanted = [[float(cell) for cell in row] for row in rows]
    except ValueError:
        with pytest.raises(InvalidInput):
            numbers(place / "f.csv")
    else:
        if np.isfinite(wanted).all():
            assert numbers(place / "f.csv").tolist() == wanted


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.csv", "\n", "'a.csv' holds no numbers; expected rows of numbers"),
        ("a.npy", npy(np.array([[1, np.inf]])), "'a.npy': inf is at 1, 2; expected finite numbers"),
        ("a.npy", npy(np.float64(1)), "'a.npy' holds an array of shape (); expected 1 to 3 axes, none of length 0"),
        ("a.npy", npy(np.zeros((0, 3))), "'a.npy' holds an array of shape (0, 3); expected 1 to 3 axes"),
        ("a.npy", npy(np.zeros((1, 1, 1, 1))), "'a.npy' holds an array of shape (1, 1, 1, 1); expected 1 to 3 axes"),
        ("a.npz", npz(a=np.ones(2), b=np.ones(2)), "'a.npz' holds 2 arrays; say by `array` which is meant: a, b"),
    ],
    ids=str,
)
def test_numbers_that_cannot_be_used_are_refused(folder, name, data, message):
    with pytest.raises(InvalidInput) as caught:
        numbers(folder(name, data))
    assert str(caught.value).startswith(message)


def test_an_unknown_array_is_refused_with_the_nearest_name(folder):
    with pytest.raises(InvalidInput, match=r"'a.npz': 'trian' is unknown; did you mean 'train'\? \(choices: test, tra"):
        numbers(folder("a.npz", npz(train=np.ones(2), test=np.ones(2))), "trian")


def test_a_missing_file_is_refused_with_the_nearest_name(folder):
    file = folder("cats.csv", "1")
    with pytest.raises(InvalidInput, match=r"there is no file 'cat.csv' in '.*'; did you mean 'cats.csv'"):
        numbers(file.with_name("cat.csv"))
    with pytest.raises(InvalidInput, match="there is no folder '"):
        numbers(file.parent / "none" / "cat.csv")
    with pytest.raises(InvalidInput, match="is not a plain file"):
        numbers(file.parent)
    with pytest.raises(InvalidInput, match="there is no file"):
        numbers(file.with_name("a\0.csv"))


def test_no_more_is_read_than_the_limit(folder, monkeypatch):
    for name, data in (("a.npy", npy(np.zeros(4))), ("a.npz", npz(a=np.zeros(4))), ("a.csv", "1,2,3,4")):
        monkeypatch.setattr(array_files, "MAX_NUMBERS", 4)
        assert len(numbers(folder(name, data)).ravel()) == 4
        monkeypatch.setattr(array_files, "MAX_NUMBERS", 3)
        with pytest.raises(InvalidInput, match=r"holds 4 numbers; at most 3 can be read|holds more than 3 numbers"):
            numbers(folder(name, data))
    monkeypatch.setattr(array_files, "MAX_TABLE", 1000)
    with pytest.raises(InvalidInput, match=r"'a.csv' is larger than"):
        numbers(folder("a.csv", "1," * 600))


def test_a_shape_beyond_the_limit_is_refused_before_its_numbers_are_read(folder):
    """The archive packs a hundred million zeros into a few kilobytes."""
    data = npz(a=np.zeros(10_000_000, np.int8))
    assert len(data) < 50_000
    with pytest.raises(InvalidInput, match=r"'a' holds 10,000,000 numbers; at most 8,388,608 can be read"):
        numbers(folder("a.npz", data))
