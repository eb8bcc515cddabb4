"""Pictures from images: the darkness of each pixel, and one clear message for each file that cannot be used."""

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from hopattn.foundation.errors import InvalidInput
from hopattn.scenario.words import picture_files
from hopattn.scenario.words.character_pictures import Size
from hopattn.scenario.words.picture_files import image


def png(shades, mode=None):
    stream = io.BytesIO()
    Image.fromarray(np.asarray(shades), mode).save(stream, "PNG")
    return stream.getvalue()


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return tmp_path_factory.mktemp("pictures") / "a.png"


@pytest.fixture
def written(file):
    """A function that writes the file and returns its path."""

    def write(data):
        file.write_bytes(data)
        return file

    return write


def test_an_image_is_dark_where_it_is_black(written):
    shades = np.array([[0, 255, 51]], dtype=np.uint8)
    np.testing.assert_allclose(image(written(png(shades))), [[1, -1, 0.6]])
    deep = np.array([[0, 65535, 13107]], dtype=np.uint16)
    np.testing.assert_allclose(image(written(png(deep))), [[1, -1, 0.6]])
    clear = np.array([[[0, 0, 0, 255], [0, 0, 0, 0]]], dtype=np.uint8)
    np.testing.assert_allclose(image(written(png(clear))), [[1, -1]])
    np.testing.assert_allclose(image(written(png(shades[:, :2] > 9)), Size(4, 3)), [[1, 1, -1, -1]] * 3)


BOMB = png(np.zeros((3000, 3000), dtype=np.uint8))
WHOLE = png(np.random.default_rng(0).integers(0, 255, (7, 5), dtype=np.uint8))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"text", "'a.png' is not a PNG image, or is truncated"),
        (png(np.eye(40, dtype=np.uint8))[:60], "'a.png' is not a PNG image, or is truncated"),
        (BOMB, "'a.png' has 9,000,000 pixels or more; at most 8,388,608 can be read"),
    ],
    ids=["text", "torn", "bomb"],
)
def test_a_file_that_cannot_be_used(written, data, message):
    with pytest.raises(InvalidInput, match=message):
        image(written(data))


def test_no_more_is_read_than_the_limit(written, monkeypatch):
    monkeypatch.setattr(picture_files, "MAX_BYTES", 100)
    with pytest.raises(InvalidInput, match=r"'a.png' is larger than"):
        image(written(WHOLE))


@given(st.data())
def test_a_damaged_file_is_read_or_refused(file, data):
    """For any wrong bytes, the result is an array of finite numbers or one message."""
    torn = bytearray(WHOLE)
    for _ in range(data.draw(st.integers(1, 3))):
        torn[data.draw(st.integers(0, len(torn) - 1))] = data.draw(st.integers(0, 255))
    file.write_bytes(torn[: data.draw(st.integers(0, len(torn)))])
    try:
        result = image(file)
    except InvalidInput as error:
        assert "\n" not in str(error)
    else:
        assert np.isfinite(result).all()
