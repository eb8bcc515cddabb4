"""The comparison of committed results: it lets rounding pass, and nothing else."""

import base64
import io

import numpy as np
import pytest
from PIL import Image

from tests.committed import differences, figure_differences, same_print


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        *(("0.843", "0.844", True), ("0.843", "0.845", False), ("0.5", "0.4999", True), ("0.5", "0.499", True)),
        *(("0.5", "0.498", False), ("0", "0.4", False), ("0", "−0", True), ("1", "0.9999", True), ("1", "−1", False)),
        *(("1.2e-17", "0", True), ("3.1e-5", "3.2e-5", True), ("3.1e-5", "3.1e-4", False), ("4", "5", False)),
        *(("−0.25", "-0.25", True), (".8", "0.8", True), ("12", "12", True), ("1e3", "1000", True)),
    ],
)
def test_printed_numbers_are_equal_within_one_in_their_last_digit_and_whole_ones_exactly(one, other, same):
    assert same_print(one, other) is same_print(other, one) is same


@pytest.mark.parametrize(
    ("kept", "now", "count"),
    [
        ("R  0.25   0\nS 1", "R 0.251 0\nS 1", 0),
        ("R 0.25", "Q 0.25", 1),
        ("R 0.25", "R 0.25 0", 1),
        ("R 0.25", "R 0.35\n", 1),
        ("met", "met\nMISSED", 1),
        ("a − b = 3", "a + b = 3", 1),
        ("stopped after 2 steps", "stopped after 3 steps", 1),
    ],
)
def test_text_is_compared_as_text(kept, now, count):
    assert len(differences(kept, now)) == count


def picture(shade):
    buffer = io.BytesIO()
    pixels = np.zeros((8, 8, 3), np.uint8)
    pixels[0, 0] = shade
    Image.fromarray(pixels).save(buffer, "PNG")
    return base64.b64encode(buffer.getvalue()).decode()


SVG = '<path d="M 10.25 3.5 L 20 3.5"/>\n<text x="4.1">.84</text>\n<image href="data:image/png;base64,{}"/>'


@pytest.mark.parametrize(
    ("old", "new", "count"),
    [
        ("10.25", "10.2519", 0),
        ("10.25", "10.2531", 1),
        (" L 20", " L 20 3.4 L 20", 1),
        ("4.1", "4.1001", 0),
        (".84", ".85", 0),
        (".84", ".86", 1),
        ("path", "line", 1),
    ],
)
def test_a_figure_is_compared_by_its_shapes_coordinates_and_texts(old, new, count):
    svg = SVG.format(picture(0))
    assert len(figure_differences(svg, svg.replace(old, new))) == count


def test_an_image_in_a_figure_is_compared_by_its_pixels():
    assert figure_differences(SVG.format(picture(0)), SVG.format(picture(5))) == []
    assert figure_differences(SVG.format(picture(0)), SVG.format(picture(90))) == ["image 1"]
