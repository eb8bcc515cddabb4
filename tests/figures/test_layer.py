"""The figure of a transformer's layer: its numbers, its ways, and what it does not draw."""

import numpy as np
import pytest
from matplotlib.text import Annotation

import hopattn as ha
from hopattn.figures.gallery.layer import Layer
from hopattn.scenario.loading import parse
from tests.figures import finished
from tests.runs import drawing_of, result_of

TEXT = """schema = 1
title = "$x_1$"
source = "ours"
kind = "attention"
[vocabulary]
axes = ["$a_1$", "AXIS", "c"]
magnitude = "free"
[vocabulary.words]
"$x$" = [-1.234, 12.5, 0]
"WORD" = [3, -0.01, 2]
[input]
tokens = ["$x$", "WORD", "$x$"]
[[layer]]
KEYS
feed_forward = { inner = [[1, 0, 1], [0, -9, 0]], outer = [[1, 0], [0, 1], [1, 1]] }
[[layer.head]]
[[layer.head]]
[[layer.head]]
"""


def drawn(keys=""):
    text = TEXT.replace("KEYS", keys).replace("WORD", "Ω" * 40).replace("AXIS", "W" * 40)
    result = ha.run(parse(text, "odd.toml", "odd"))
    assert Layer().lacks(result) == ""
    return finished.drawn(lambda figure: Layer().draw(figure, result))


def texts(ax):
    return [text.get_text() for text in ax.texts]


def straight(ax):
    """The number of arrows along the straight way that end at a place where something is added."""
    arrows = [text for text in ax.texts if isinstance(text, Annotation) and text.arrow_patch is not None]
    pluses = [text.get_position()[0] for text in ax.texts if text.get_text() == "+"]
    return sum(abs(arrow.xy[0] - (plus - 2)) < 1e-9 for arrow in arrows for plus in pluses)


def test_it_has_the_numbers_of_the_layer():
    figure = drawing_of("layer", "transformer-layer").figure
    (ax,) = figure.axes
    written = texts(ax)
    arrays = result_of("transformer-layer").runs[2].arrays
    heads = [f"layer 1 head {j} {name}" for name in ("weights", "output") for j in (1, 2)]
    own = [f"layer 1 {name}" for name in ("output", "attended", "hidden", "fed", "state")]
    cells = np.concatenate([arrays[name].values.ravel() for name in ("input", *heads, *own)])
    assert sum(text.replace("−", "").replace(".", "").isdigit() for text in written) == len(cells)
    assert written.count("7") == np.sum(cells == 7) == 1 and written.count("−2") == np.sum(cells == -2) == 2
    titles = {"attention adds", "feed-forward adds", "hidden neurons"}
    assert titles | {"head 1:\nweights", "head 2:\nweights", "weights × values,\nside by side"} <= set(written)
    joined = np.hstack([arrays[name].values for name in heads[2:]])
    assert not np.isin(joined, [0.25, 0.75]).any(), "nobody can take the outputs of the heads for their weights"
    assert "norm" not in written and straight(ax) == 2
    assert "no room" not in figure.get_supxlabel()


def test_heads_stand_side_by_side_before_a_matrix_maps_them_back():
    """Weights of both heads of 'multi-head', times the values of technology and of fruitness."""
    (ax,) = drawing_of("layer", "multi-head").figure.axes
    joined = np.array([[24 / 7, 5 / 3], [20 / 7, 32 / 13], [2, 193 / 73]])
    written = texts(ax)
    for value in (24 / 7, 20 / 7, 32 / 13):
        assert written.count(f"{value:.2f}") == 2, "in the output of a head and, by W_O, in that of the attention"
    arrays = result_of("multi-head").runs[0].arrays
    outputs = np.hstack([arrays[f"layer 1 head {j} output"].values for j in (1, 2)])
    assert outputs == pytest.approx(joined, abs=0.01)
    assert {"weights × values,\nside by side", "attention adds", "after the layer"} <= set(written)
    assert "hidden neurons" not in written and straight(ax) == 1


def test_a_table_without_numbers_is_said():
    assert "no room for the numbers" in drawing_of("layer", "pytorch-layer").figure.get_supxlabel()


@pytest.mark.parametrize(
    ("keys", "norms", "added"),
    [
        ("", 0, 2),
        ("residual = false", 0, 0),
        ('norm = "layer"', 2, 2),
        ('norm = "layer"\nresidual = false', 2, 0),
        ('norm = "rms"\nnorm_first = true', 2, 2),
    ],
)
def test_norms_and_residuals_stand_where_they_are(keys, norms, added):
    figure = drawn(keys)
    (ax,) = figure.axes
    assert texts(ax).count("norm") == norms and straight(ax) == texts(ax).count("+") == added
    assert "2 of 3 heads" in figure.get_supxlabel()
    assert ("attention adds" in texts(ax)) == bool(added)


@pytest.mark.parametrize(
    ("scenario", "reason"),
    [
        ("bank", "it has no layer with an output matrix or a feed-forward layer"),
        ("layer-norm", "it has no layer with an output matrix or a feed-forward layer"),
        ("letters", "it has no layer with an output matrix or a feed-forward layer"),
    ],
)
def test_what_it_does_not_draw(scenario, reason):
    assert Layer().lacks(result_of(scenario)) == reason


def test_a_text_that_is_too_long_is_not_drawn():
    text = TEXT.replace("KEYS", "").replace('tokens = ["$x$", ', 'tokens = ["$x$", "$x$", "$x$", "$x$", "$x$", ')
    reason = Layer().lacks(ha.run(parse(text, "odd.toml", "odd")))
    assert reason == "it has 7 words of 3 elements and 2 hidden neurons; there is room for 6 of 8 and 12"


@pytest.mark.quick(0)
def test_no_texts_overlap_and_none_is_cut_off():
    for figure in (drawing_of("layer", name).figure for name in ("transformer-layer", "pytorch-layer", "feed-forward")):
        boxes = [
            text.get_window_extent() for text in figure.axes[0].texts if text.get_text() and not text.get_rotation()
        ]
        assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
        page = figure.get_tightbbox()
        assert page.x0 >= -0.05 and page.x1 <= 12.85 and page.y0 >= -0.05 and page.y1 <= 7.25
