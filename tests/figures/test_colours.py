"""Colours as they look on the background: in greyscale, as a deuteranope sees them, and their contrast."""

from itertools import combinations

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

import hopattn as ha
from hopattn.figures.palette import DARK, LIGHT
from hopattn.figures.style import coloured
from hopattn.figures.text import inked

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


def linear(colours):
    """Colours by name or as numbers in linear RGB, `(n, 3)`."""
    rgb = np.array([to_rgb(colour) for colour in colours])
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def lab(light):
    """Linear RGB in CIELAB; the first number, the lightness from 0 to 100, is what a print in greyscale keeps."""
    ratio = light @ XYZ.T / XYZ.sum(axis=1)
    f = np.where(ratio > (6 / 29) ** 3, np.cbrt(ratio), ratio / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.stack([116 * f[..., 1] - 16, 500 * (f[..., 0] - f[..., 1]), 200 * (f[..., 1] - f[..., 2])], axis=-1)


def contrasts(colours, sheet):
    y, paper = linear(colours) @ XYZ[1], float((linear([sheet]) @ XYZ[1])[0])
    return (np.maximum(y, paper) + 0.05) / (np.minimum(y, paper) + 0.05)


@SHEETS
def test_a_larger_weight_is_further_from_the_background_in_greyscale(palette):
    figure = Figure(facecolor=palette.paper)
    ax = figure.subplots()
    ax.set_facecolor(palette.paper)
    ha.plot(np.linspace(0, 1, 26)[None], "attention", ax=ax)
    shades = ax.images[0].to_rgba(np.linspace(0, 1, 26))[:, :3]
    tones = lab(linear(shades))[:, 0]
    assert lab(linear([palette.paper]))[0, 0] == pytest.approx(tones[0], abs=0.5)
    assert (np.diff(tones) * (-1 if palette is LIGHT else 1)).min() > 1, "each step of .04 is to be seen"
    assert np.ptp(tones) > 70 and shades[-1, 2] > shades[-1, 0], "the end is blue"


@SHEETS
def test_a_deuteranope_sees_colours_of_different_meanings_apart(palette):
    meanings = {name: getattr(palette, name) for name in ("query", "key", "value", "plus", "minus")}
    meanings |= {f"series {i}": colour for i, colour in enumerate(palette.series[:6])}
    assert (palette.plus, palette.minus) == palette.series[:2], "a number above 0 is the colour of the first line"
    names = list({colour: name for name, colour in reversed(meanings.items())}.values())
    seen = dict(zip(names, lab(linear([meanings[name] for name in names]) @ DEUTERANOPE.T), strict=True))
    close = {(a, b): float(np.linalg.norm(seen[a] - seen[b])) for a, b in combinations(names, 2)}
    assert len(names) == 9 and {pair: gap for pair, gap in close.items() if gap < APART} == {}


@SHEETS
def test_text_and_names_in_the_colours_of_their_lines_have_contrast_with_the_background(palette):
    names = [getattr(palette, name) for name in ("ink", "faint", "query", "key", "value")]
    with coloured(palette):
        names += [inked(colour) for colour in palette.series]
    assert contrasts(names, palette.paper).min() >= CONTRAST


def test_the_colours_of_the_test_are_those_of_the_standards():
    """Black on white is 21, white has no colour, a deuteranope sees greys as they are, and red is red."""
    black, grey, white = linear(["#000000", "#7f7f7f", "#ffffff"])
    assert contrasts(["black"], "white") == pytest.approx([21], abs=1e-3) and not black.any()
    assert lab(grey)[0] == pytest.approx(53.2, abs=0.1) and lab(white) == pytest.approx([100, 0, 0], abs=0.05)
    assert grey @ DEUTERANOPE.T == pytest.approx(grey, abs=1e-6)
    assert lab(np.array([1.0, 0.0, 0.0])) == pytest.approx(
        [53.24, 80.09, 67.20], abs=0.05
    )  # as colour science prints it
