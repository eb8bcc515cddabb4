"""Colours as they look on the background: in greyscale, as a deuteranope sees them, and their contrast.

Every test draws a figure, and reads its pixels.
"""

from itertools import combinations

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.patches import Rectangle

import hopattn as ha
from hopattn.figures.palette import DARK, LIGHT
from tests.figures.finished import drawn
from tests.runs import result_of

SHEETS = pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
APART = 15.0
"""The least distance of two colours in CIELAB (ΔE of 1976); one that is just noticeable is 2.3 (Mahy et al. 1994)."""
CONTRAST = 4.5
"""The least contrast of text: level AA of the Web Content Accessibility Guidelines 2.2, criterion 1.4.3."""
DEUTERANOPE = np.array(
    [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
)
"""Linear RGB as a deuteranope sees it: Machado, Oliveira & Fernandes 2009, IEEE TVCG 15(6), severity 1."""
XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
"""Linear RGB as XYZ, with the white D65: IEC 61966-2-1."""


def pixels_of(figure):
    """The pixels of a figure, `(height, width, 3)`, from 0 to 1, the lowest row first."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[::-1, :, :3] / 255


def linear(colours):
    return np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)


def luminance(colours):
    return linear(colours) @ XYZ[1]


def lightness(colours):
    """The lightness of CIELAB, from 0 to 100, which a print in greyscale keeps."""
    y = luminance(colours)
    return np.where(y > (6 / 29) ** 3, 116 * np.cbrt(y) - 16, y * (29 / 3) ** 3)


def lab(light):
    """Linear RGB in CIELAB."""
    ratio = light @ XYZ.T / XYZ.sum(axis=1)
    f = np.where(ratio > (6 / 29) ** 3, np.cbrt(ratio), ratio / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.stack([116 * f[..., 1] - 16, 500 * (f[..., 0] - f[..., 1]), 200 * (f[..., 1] - f[..., 2])], axis=-1)


def patches(colours):
    """The pixels of a figure with one square of each colour, read in the middle of the square."""

    def draw(figure):
        for i, colour in enumerate(colours):
            figure.add_artist(Rectangle((i / len(colours), 0), 1 / len(colours), 1, color=colour, lw=0))

    pixels = pixels_of(drawn(draw))
    height, width, _ = pixels.shape
    return pixels[height // 2, [int((i + 0.5) * width / len(colours)) for i in range(len(colours))]]


def cell(ax, pixels, row, column):
    """The pixels of a cell's upper left corner, where there is no number."""
    (x0, x1), (y0, y1) = (
        sorted(ax.transData.transform((column + along, row + along))[axis] for along in (-0.42, -0.22))
        for axis in (0, 1)
    )
    return pixels[int(y0) : int(y1), int(x0) : int(x1)]


@pytest.mark.quick(1)
@SHEETS
def test_a_larger_weight_is_further_from_the_background_in_greyscale(palette):
    weights = np.linspace(0, 1, 26)

    def draw(figure):
        figure.set_facecolor(palette.paper)
        ha.plot(weights[None], "attention", ax=figure)

    figure = drawn(draw)
    pixels = pixels_of(figure)
    shades = np.array([cell(figure.axes[0], pixels, 0, j).mean(axis=(0, 1)) for j in range(len(weights))])
    tones = lightness(shades)
    assert lightness(patches([palette.paper])) == pytest.approx(tones[:1], abs=0.5)
    steps = np.diff(tones) * (-1 if palette is LIGHT else 1)
    assert steps.min() > 1, "each step of .04 is to be seen"
    assert np.ptp(tones) > 70
    assert shades[-1, 2] > shades[-1, 0], "the end is blue"


@pytest.mark.quick(1)
@SHEETS
def test_a_masked_cell_is_hatched_and_a_weight_of_0_is_blank_in_greyscale(palette):
    run = result_of("practice-7-2").runs[0]
    weights, mask = (run.arrays[f"layer 1 head 1 {name}"].values for name in ("weights", "mask"))

    def draw(figure):
        figure.set_facecolor(palette.paper)
        ha.plot(result_of("practice-7-2"), "attention", ax=figure)

    figure = drawn(draw)
    pixels = pixels_of(figure)
    sheet = lightness(patches([palette.paper]))
    found = {"masked": 0, "zero": 0}
    for i, j in np.ndindex(weights.shape):
        far = np.abs(lightness(cell(figure.axes[0], pixels, i, j)) - sheet) > 15
        if not mask[i, j]:
            assert 0.05 < far.mean() < 0.6, "lines cross the cell"
        elif weights[i, j] == 0:
            assert not far.any()
        found["masked"] += not mask[i, j]
        found["zero"] += bool(mask[i, j] and weights[i, j] == 0)
    assert min(found.values()) > 0


@SHEETS
def test_a_deuteranope_sees_colours_of_different_meanings_apart(palette):
    meanings = {name: getattr(palette, name) for name in ("query", "key", "value", "plus", "minus")}
    meanings |= {f"series {i}": colour for i, colour in enumerate(palette.series[:6])}
    assert (palette.plus, palette.minus) == palette.series[:2], "a number above 0 is the colour of the first line"
    names = list({colour: name for name, colour in reversed(meanings.items())}.values())
    seen = dict(zip(names, lab(linear(patches([meanings[name] for name in names])) @ DEUTERANOPE.T), strict=True))
    close = {(a, b): float(np.linalg.norm(seen[a] - seen[b])) for a, b in combinations(names, 2)}
    assert len(names) == 9
    assert {pair: distance for pair, distance in close.items() if distance < APART} == {}


@SHEETS
def test_text_has_contrast_with_its_background(palette):
    names = ("ink", "faint", "query", "key", "value")
    *texts, sheet = luminance(patches([*(getattr(palette, name) for name in names), palette.paper]))
    ratios = {
        name: (max(text, sheet) + 0.05) / (min(text, sheet) + 0.05) for name, text in zip(names, texts, strict=True)
    }
    assert {name: ratio for name, ratio in ratios.items() if ratio < CONTRAST} == {}


def test_the_colours_of_the_test_are_those_of_the_standards():
    """Black on white is 21, white has no colour, a deuteranope sees greys as they are, and red is red."""
    black, grey, white = patches(["#000000", "#7f7f7f", "#ffffff"])
    assert (luminance(white) + 0.05) / (luminance(black) + 0.05) == pytest.approx(21, abs=1e-3)
    assert float(lightness(grey)) == pytest.approx(53.2, abs=0.1)
    assert lab(linear(white)) == pytest.approx([100, 0, 0], abs=0.05)
    assert linear(grey) @ DEUTERANOPE.T == pytest.approx(linear(grey), abs=1e-6)
    red = np.array([1.0, 0.0, 0.0])
    assert lab(red) == pytest.approx([53.24, 80.09, 67.20], abs=0.05)  # as colour science prints it
