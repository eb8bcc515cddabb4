"""The figures of attention heads, read as they are drawn."""

import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex

from hopattn.figures.as_result import weights_as_result
from hopattn.figures.gallery import plots
from hopattn.figures.gallery.masks import Masks
from hopattn.figures.palette import LIGHT
from hopattn.figures.text import subscripted
from tests.figures.finished import finished
from tests.runs import drawing_of, result_of


def texts(ax):
    return [text.get_text() for text in ax.texts]


def arcs_of(ax):
    (arcs,) = (part for part in ax.collections if isinstance(part, LineCollection))
    return {(round(path[-1][0]), round(path[0][0])): path for path in arcs.get_segments()}, arcs


def test_arcs_there_and_back_lie_apart_and_both_weights_are_to_be_read():
    (ax,) = drawing_of("flow", "softmax-table").figure.axes
    weights = result_of("softmax-table").runs[0].arrays["layer 1 head 1 weights"].values
    arcs, _ = arcs_of(ax)
    assert len(arcs) == 16
    for (query, key), path in arcs.items():
        assert np.all(path[:, 1] > 0 if key <= query else path[:, 1] < 0), "looks back above, looks ahead below"
        if query != key:
            back = arcs[key, query]
            assert np.abs(np.sort(path[:, 1]) - np.sort(back[:, 1])).max() > 0.3
    assert round(weights[0, 3], 2) == 0.15 and round(weights[3, 0], 2) == 0.13
    assert texts(ax).count(".15") == 4 and texts(ax).count(".13") == 4


@pytest.mark.quick(0)
def test_the_numbers_of_arcs_do_not_lie_over_each_other():
    for name in ("softmax-table", "dot-product", "head-scores", "bank"):
        for ax in drawing_of("flow", name).figure.axes:
            boxes = [text.get_window_extent() for text in ax.texts if text.get_text().lstrip("−.").isdigit()]
            assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i]), name


def test_an_arc_has_the_colour_of_its_key_and_is_faint_below_0():
    first, _ = drawing_of("flow", "induction").figure.axes
    arcs, drawn = arcs_of(first)
    colours = dict(zip(arcs, map(to_hex, drawn.get_colors()), strict=True))
    assert colours[1, 0] == LIGHT.series[0] and colours[2, 1] == LIGHT.series[1]
    assert colours[3, 0] == LIGHT.faint
    widths = dict(zip(arcs, drawn.get_linewidths(), strict=True))
    assert widths[3, 0] < widths[1, 0] / 2, "a weight of −1 is less heavy than one of 1"


def test_flow_and_induction_have_their_arrowheads_at_the_query():
    """In layer 2 the last word takes what it expects from the second: the arrowhead is at the last."""
    _, second = drawing_of("flow", "induction").figure.axes
    heads = [line.get_xdata()[0] for line in second.lines if line.get_marker() == (3, 0, 180)]
    assert [round(x) for x in heads] == [3]


def frames(ax):
    """The column and the row of each cell with a frame."""
    return {(round(patch.get_x() + 0.45, 1), round(patch.get_y() + 0.43)) for patch in ax.patches}


def test_the_cells_that_are_copied_have_frames():
    """their₁ becomes the previous word of dog, chased that of their₂; dog becomes what their₂ expects."""
    figure = drawing_of("induction", "induction").figure
    (ax,) = figure.axes
    rows = result_of("induction").runs[0].arrays["input"].labels[1]
    row = {name: i for i, name in enumerate(rows)}
    assert frames(ax) == {
        (0.0, row["word: their"]),
        (2.0, row["word: chased"]),
        (6.2, row["previous: their"]),
        (6.2, row["word: dog"]),
        (8.2, row["previous: their"]),
        (8.2, row["previous: chased"]),
        (13.4, row["expected: dog"]),
    }
    (legend,) = figure.legends
    assert legend.get_title().get_text() == ("layer 1 scales what a word takes to length 1 · 1 of 2 runs")


def test_no_arc_of_the_induction_head_is_left_out():
    """Four arcs of layer 1, one of them beside the way to the last word, and one of layer 2."""
    (ax,) = drawing_of("induction", "induction").figure.axes
    heads = [line for line in ax.lines if line.get_marker() == (3, 0, 180)]
    assert len(heads) == 5 and sum(line.get_alpha() == 0.4 for line in heads) == 1


def test_arcs_that_have_no_line_are_counted():
    figure = drawing_of("induction", "induction-cures").figure
    assert "7 of 10 arcs" in figure.legends[0].get_title().get_text()


def test_a_mask_has_the_names_of_the_scenario_and_one_that_hides_nothing_is_not_a_figure():
    figure = drawing_of("masks", "causal-mask").figure
    assert [ax.get_title() for ax in figure.axes] == ["no mask", "causal mask"]
    assert [(ax.get_xlabel(), ax.get_ylabel()) for ax in figure.axes] == [("key", "query")] * 2
    for name in ("aaba", "apple"):
        assert Masks().lacks(result_of(name)) == "its masks hide nothing"


def test_a_mask_that_all_runs_share_is_drawn_once():
    figure = drawing_of("masks", "alibi").figure
    assert len(figure.axes) == 1
    assert figure.legends[0].get_title().get_text() == "the same in all 3 runs"


def test_hidden_cells_are_those_of_the_mask():
    for name in ("padding", "bank-mask"):
        for ax, run in zip(drawing_of("masks", name).figure.axes, result_of(name).runs, strict=True):
            _, hidden = ax.patches
            cells = set()
            for corners in hidden.get_path().vertices.reshape(-1, 5, 2):
                (left, top), (right, _) = corners.min(axis=0) + 0.5, corners.max(axis=0) + 0.5
                cells |= {(round(top), j) for j in range(round(left), round(right))}
            assert cells == set(map(tuple, np.argwhere(~run.arrays["layer 1 head 1 mask"].values).tolist()))


def head_of(n):
    weights = np.tril(np.random.default_rng(0).random((n, n)))
    return weights / weights.sum(axis=1, keepdims=True)


def test_a_head_of_many_words_is_drawn_with_few_shapes_and_says_what_it_leaves_out():
    result = weights_as_result(head_of(128))
    figure = finished(lambda figure: plots["attention"]().draw(figure, result))
    (ax,) = figure.axes
    assert ax.get_xlabel() == "key (128 without their names, the first on the left)"
    assert texts(ax) == [] and ax.images[0].get_clim() == (0, 1)
    assert [text.get_text() for text in figure.legends[0].texts] == ["0", ".25", ".5", ".75", "1"]
    figure = finished(lambda figure: plots["flow"]().draw(figure, result))
    assert figure.legends[0].get_title().get_text() == "the query: 128 · 5 of 128 keys"
    figure = finished(lambda figure: plots["attention"]().draw(figure, result_of("induction-angles")))
    hatched = [patch for ax in figure.axes for patch in ax.patches]
    assert len(hatched) == len(figure.axes), "one shape for all masked cells"


def test_an_index_counts_occurrences_and_leaves_other_names_as_they_are():
    assert subscripted(["their#1", "dog", "their#12"]) == ("their₁", "dog", "their₁₂")
    assert subscripted(["1", "2", "a#1", "#", "b#x"]) == ("1", "2", "a#1", "#", "b#x")
    assert subscripted(["chrysanthemum#1", "chrysanthemum#2"], 8) == ("chrysa…₁", "chrysa…₂")
