"""Patterns from files: the numbers of each format, and one clear message for each file that cannot be used."""

import io
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from PIL import Image

from hopattn.foundation.errors import InvalidInput
from hopattn.scenario.words import picture_files
from hopattn.scenario.words.character_pictures import Size
from hopattn.scenario.words.picture_files import image, numbers

tables = arrays(float, st.tuples(st.integers(1, 5), st.integers(1, 5)), elements=st.floats(-9, 9, width=32))


def png(shades, mode=None):
    stream = io.BytesIO()
    Image.fromarray(np.asarray(shades), mode).save(stream, "PNG")
    return stream.getvalue()


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


@given(tables)
def test_every_format_gives_the_same_numbers(place, table):
    (place / "a.npy").write_bytes(npy(table))
    (place / "b.npy").write_bytes(npy(np.asfortranarray(table)))
    (place / "c.npz").write_bytes(npz(x=table))
    (place / "d.csv").write_text("\n".join(",".join(map(repr, row)) for row in table.tolist()))
    for name in ("a.npy", "b.npy", "c.npz", "d.csv"):
        np.testing.assert_array_equal(numbers(place / name), table)


def test_whole_numbers_and_truth_values_of_any_byte_order(folder):
    assert numbers(folder("a.npy", npy(np.array([[1, -1]], dtype=">i2")))).tolist() == [[1, -1]]
    assert numbers(folder("b.npy", npy(np.array([True, False])))).tolist() == [1, -1]
    assert numbers(folder("c.csv", "\ufeff1, 2\r\n\r\n3, 4\r\n")).tolist() == [[1, 2], [3, 4]]
    assert numbers(folder("d.npz", npz(a=np.ones(2), b=np.zeros(2))), "b").tolist() == [0, 0]


def test_an_image_is_dark_where_it_is_black(folder):
    shades = np.array([[0, 255, 51]], dtype=np.uint8)
    np.testing.assert_allclose(image(folder("a.png", png(shades))), [[1, -1, 0.6]])
    deep = np.array([[0, 65535, 13107]], dtype=np.uint16)
    np.testing.assert_allclose(image(folder("b.png", png(deep))), [[1, -1, 0.6]])
    clear = np.array([[[0, 0, 0, 255], [0, 0, 0, 0]]], dtype=np.uint8)
    np.testing.assert_allclose(image(folder("c.png", png(clear))), [[1, -1]])
    np.testing.assert_allclose(image(folder("d.png", png(shades[:, :2] > 9)), Size(4, 3)), [[1, 1, -1, -1]] * 3)


BOMB = png(np.zeros((3000, 3000), dtype=np.uint8))
HEADER = npy(np.zeros(4))


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.csv", "1,2\n3,x", "'a.csv', line 2: 'x' stands there; expected numbers with commas between them"),
        ("a.csv", "1,2\n3,", "'a.csv', line 2: '' stands there"),
        ("a.csv", "1;2", "'a.csv', line 1: '1;2' stands there"),
        ("a.csv", "1,2\n\n3", "'a.csv', line 3: 1 numbers stand there; line 1 has 2"),
        ("a.csv", "1\nnan", "'a.csv', line 2: nan stands there; expected a finite number"),
        ("a.csv", "\n", "'a.csv' holds no numbers"),
        ("a.csv", b"1\n\xff", "'a.csv', line 2: is not UTF-8 text"),
        ("a.npy", b"", "'a.npy' is no .npy array, or a torn one"),
        ("a.npy", "text", "'a.npy' is no .npy array, or a torn one"),
        ("a.npy", HEADER[:-1], "'a.npy' is torn: its header promises 4 numbers"),
        ("a.npy", HEADER.replace(b"(4,)", b"(-4,)"), "'a.npy' is no .npy array|holds an array of shape"),
        ("a.npy", npy(np.array([{}])), "'a.npy' holds object; expected real numbers"),
        ("a.npy", npy(np.array([1j])), "'a.npy' holds complex128; expected real numbers"),
        ("a.npy", npy(np.array(["a"])), "'a.npy' holds <U1; expected real numbers"),
        ("a.npy", npy(np.array([[1, np.inf]])), "'a.npy': inf stands at 1, 2; expected finite numbers"),
        ("a.npy", npy(np.float64(1)), r"'a.npy' holds an array of shape \(\)"),
        ("a.npy", npy(np.zeros((0, 3))), r"'a.npy' holds an array of shape \(0, 3\)"),
        ("a.npz", "text", "'a.npz' is no .npz archive, or a torn one"),
        ("a.npz", npz(a=np.ones(2), b=np.ones(2)), r"'a.npz': say which array is meant, array = … \(a, b\)"),
        ("a.png", "text", "'a.png' is no PNG image, or a torn one"),
        ("a.png", png(np.eye(40, dtype=np.uint8))[:60], "'a.png' is no PNG image, or a torn one"),
        ("a.png", BOMB, "'a.png' has 9,000,000 pixels or more; at most 8,388,608 can be read"),
    ],
)
def test_a_file_that_cannot_be_used(folder, name, data, message):
    file = folder(name, data)
    with pytest.raises(InvalidInput, match=message):
        image(file) if name.endswith(".png") else numbers(file)


def test_an_unknown_array_is_refused_with_the_nearest_name(folder):
    with pytest.raises(InvalidInput, match=r"'a.npz': 'trian' is unknown; did you mean 'train'\? \(choices: test, tra"):
        numbers(folder("a.npz", npz(train=np.ones(2), test=np.ones(2))), "trian")


def test_a_missing_file_is_refused_with_the_nearest_name(folder):
    file = folder("cats.csv", "1")
    with pytest.raises(InvalidInput, match=r"there is no file 'cat.csv' in '.*'; did you mean 'cats.csv'"):
        numbers(file.with_name("cat.csv"))
    with pytest.raises(InvalidInput, match="there is no folder '"):
        numbers(file.parent / "none" / "cat.csv")
    with pytest.raises(InvalidInput, match="is no file"):
        numbers(file.parent)
    with pytest.raises(InvalidInput, match="there is no file"):
        numbers(file.with_name("a\0.csv"))


def test_no_more_is_read_than_the_limit(folder, monkeypatch):
    monkeypatch.setattr(picture_files, "MAX_BYTES", 1000)
    with pytest.raises(InvalidInput, match=r"'a.csv' is larger than"):
        numbers(folder("a.csv", "1," * 600))
    with pytest.raises(InvalidInput, match=r"'a.npz' is larger than .* when unpacked"):
        numbers(folder("a.npz", npz(a=np.zeros(900))))
    monkeypatch.setattr(picture_files, "MAX_NUMBERS", 3)
    with pytest.raises(InvalidInput, match=r"'a.npy' holds more than 3 numbers"):
        numbers(folder("a.npy", npy(np.zeros(4))))
    with pytest.raises(InvalidInput, match=r"'a.csv' holds more than 3 numbers"):
        numbers(folder("a.csv", "1,2,3,4"))


def test_an_archive_of_something_else_is_refused(folder):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("a.npy", "text")
    with pytest.raises(InvalidInput, match=r"is no .npy array"):
        numbers(folder("a.npz", stream.getvalue()))


WHOLE = {
    "a.png": png(np.random.default_rng(0).integers(0, 255, (7, 5), dtype=np.uint8)),
    "a.npy": npy(np.eye(3)),
    "a.npz": npz(x=np.eye(3)),
    "a.csv": b"1,2\n3,4\n",
}


@given(st.sampled_from(sorted(WHOLE)), st.data())
def test_a_damaged_file_is_read_or_refused(place, name, data):
    """For any wrong bytes, the result is an array of finite numbers or one message."""
    torn = bytearray(WHOLE[name])
    for _ in range(data.draw(st.integers(1, 3))):
        torn[data.draw(st.integers(0, len(torn) - 1))] = data.draw(st.integers(0, 255))
    (place / name).write_bytes(torn[: data.draw(st.integers(0, len(torn)))])
    try:
        result = image(place / name) if name == "a.png" else numbers(place / name)
    except InvalidInput as error:
        assert "\n" not in str(error)
    else:
        assert np.isfinite(result).all()
