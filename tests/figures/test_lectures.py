"""The figures of the lectures draw the numbers of the result, for every scenario that they can draw."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.text import Annotation, Text

import hopattn as ha
from hopattn.figures.choice import chosen
from hopattn.figures.gallery.beside import Beside
from hopattn.figures.gallery.flow import Flow
from hopattn.figures.gallery.induction import Induction
from hopattn.figures.gallery.masks import Masks
from hopattn.figures.gallery.moved import Moved
from hopattn.figures.gallery.neuron import Neuron
from hopattn.figures.gallery.offsets import Offsets
from hopattn.figures.gallery.plane import Plane
from hopattn.figures.gallery.positions import Positions
from hopattn.figures.gallery.projection import Projection
from hopattn.figures.gallery.similarity import Similarity
from hopattn.figures.gallery.steps import Steps
from hopattn.figures.style import DPI, SIZE, styled
from hopattn.figures.text import short, width
from hopattn.scenario.loading import parse
from tests.counts import spread
from tests.figures.finished import drawn
from tests.runs import Results, drawing_of, result_of

PLOTS = (Beside, Flow, Induction, Masks, Moved, Neuron, Offsets, Plane, Positions, Projection, Similarity, Steps)


def figure_of(plot, result):
    return drawn(lambda figure: plot().draw(figure, result))


def shown(plot, scenario):
    return drawing_of(plot.name, scenario).figure


def texts(ax):
    return [text.get_text() for text in ax.texts]


def arrows(ax):
    """The start and the end of each arrow; the line from a label to its point is none."""
    annotations = [text for text in ax.texts if isinstance(text, Annotation) and text.arrow_patch is not None]
    annotations = [text for text in annotations if not text.get_text()]
    return [(np.array(arrow.get_position()), np.array(arrow.xy)) for arrow in annotations]


def shaded_cells(patch):
    """The number of cells of a table that a shape of rectangles covers."""
    corners = patch.get_path().vertices.reshape(-1, 5, 2)
    return round(np.prod(corners.max(axis=1) - corners.min(axis=1), axis=1).sum())


def ticks(axis):
    return [tick.get_text() for tick in axis.get_ticklabels()]


def points(ax, colour):
    return [tuple(point) for line in ax.lines for point in line.get_xydata() if line.get_color() == colour]


@pytest.mark.parametrize("plot", PLOTS)
def test_a_figure_draws_the_scenario_of_its_gallery_without_a_warning(plot):
    result = result_of(plot.scenario)
    assert plot().lacks(result) == ""
    assert shown(plot, plot.scenario).axes


@pytest.mark.quick(4)
@pytest.mark.parametrize("plot", PLOTS)
def test_a_figure_draws_a_result_or_gives_a_reason(plot):
    results = Results()
    names = dict.fromkeys([*spread(results, 10), plot.scenario])
    drawable = [results[name] for name in names if not plot().lacks(results[name])]
    assert 0 < len(drawable) < len(results)
    for result in spread(drawable, 1):
        with styled():
            plot().draw(Figure(figsize=SIZE, layout="constrained"), result)


def test_a_neuron_has_the_numbers_of_the_lecture_for_each_of_its_cues():
    axes = shown(Neuron, "similarity").axes
    assert [ax.get_title() for ax in axes] == ["same", "opposite", "orthogonal", "between"]
    assert [ax.get_xlabel() for ax in axes] == [
        ".8 × .8 + .6 × .6 = 1",
        ".8 × (−.8) + .6 × (−.6) = −1",
        ".8 × (−.6) + .6 × .8 = 0",
        ".8 × 1 + .6 × 0 = .8",
    ]
    written = texts(axes[0])
    assert written.count("× .8") == written.count("× .6") == written.count(".8") == written.count(".6") == 1
    assert [text.get_text() for ax in axes for text in ax.texts if text.get_weight() == "bold"] == [
        "1",
        "−1",
        "0",
        ".8",
    ]


def test_a_larger_layer_is_drawn_with_one_cue_and_says_so():
    figure = shown(Neuron, "positions")
    assert len(figure.axes) == 1 and figure.get_supxlabel() == "1 of 4 cues"
    other = figure_of(Neuron, chosen(result_of("positions"), {"query": "position 2"}))
    assert other.axes[0].get_title() == "position 2"


def test_a_weight_below_zero_has_a_dashed_line():
    (ax,) = shown(Neuron, "practice-7-3").axes
    dashed = [line for line in ax.lines if line.get_linestyle() == "--"]
    assert texts(ax).count("× −1") == len(dashed) == 1


def test_each_cue_has_its_circle_angle_output_and_perpendicular():
    axes = shown(Similarity, "similarity").axes
    written = [texts(ax) for ax in axes]
    assert [lines[-2] for lines in written] == ["same: 1", "opposite: −1", "orthogonal: 0", "between: .8"]
    assert [lines[-1].split("\n")[0] for lines in written] == ["angle 0°", "angle 180°", "angle 90°", "angle 37°"]
    assert written[1][-1].endswith("w · a\n= .8 × (−.8) + .6 × (−.6)\n= −1")
    arrays = result_of("similarity").runs[0].arrays
    cues, (w,) = arrays["input"].values, arrays["network"].values
    for ax, cue in zip(axes, cues, strict=True):
        weights, activations = arrows(ax)
        assert np.allclose(weights[1], (0.8, 0.6)) and np.allclose(activations[1], cue)
        first, second = (text for text in ax.texts if text.get_text() in ("first", "second"))
        assert first.xy[0] > 1 and second.xy[1] > 1, "an axis has its name at its positive end, outside of the circle"
        assert first.xyann[1] < 0, "the name of the first axis is on the same side of it in each circle"
    dashed = [line.get_xydata() for line in axes[3].lines if len(line.get_xydata()) and line.is_dashed()]
    ((start, end),) = dashed
    assert np.allclose(start, cues[3]) and (start - end) @ w == pytest.approx(0) and np.allclose(end, (0.64, 0.48))


def test_the_cosine_is_the_adjacent_side_over_the_hypotenuse():
    """By hand: from (1, 0) onto (.8, .6), the adjacent side is .8 long, the hypotenuse 1."""
    figure = shown(Projection, "similarity")
    assert figure.get_suptitle() == "the product .8 is the length of the shadow of a on w"
    (ax,) = figure.axes
    lines = ["= .8 × 1 + .6 × 0", "= |w| |a| cos 37°", "= 1 × 1 × .8 = .8"]
    assert {"adjacent .8", "hypotenuse 1", "cos 37°", "= adjacent / hypotenuse", "= .8 / 1 = .8", *lines} <= {
        *texts(ax)
    }
    heights = [text.get_position()[1] for text in ax.texts if text.get_text() in lines]
    assert heights[0] - heights[1] == pytest.approx(heights[1] - heights[2]) and heights[0] > heights[1]
    opposite = figure_of(Projection, chosen(result_of("similarity"), {"query": "opposite"}))
    assert "= 1 × 1 × (−1) = −1" in texts(opposite.axes[0])[-1]
    assert opposite.get_suptitle() == "cosine = adjacent / hypotenuse = −1 / 1 = −1"
    assert Projection().lacks(result_of("bank")) == "it has no neuron that is cued"


@pytest.mark.parametrize("name", ["similarity", "neuron", "projection"])
def test_axes_of_your_own_hold_one_cue(name):
    ax = Figure().subplots()
    assert ha.plot(result_of("similarity"), name, ax=ax, query="between") is ax
    assert any(".8 × 1" in text for text in [*texts(ax), ax.get_xlabel()])


def test_banks_moves_along_money_and_along_river():
    financial, river = shown(Moved, "bank").axes
    assert (financial.get_xlabel(), financial.get_ylabel()) == ("money", "river")
    assert [ax.get_title() for ax in (financial, river)] == [
        "in financial markets banks\ncosine with financial: .7 → .91\nin this plane: .71 → .94",
        "in muddy rivers banks\ncosine with muddy: .7 → .91\nin this plane: .71 → .94",
    ]
    for ax, run in zip((financial, river), result_of("bank").runs, strict=True):
        before, after = (run.arrays[name].values[:, 1:3] for name in ("input", "layer 1 state"))
        moving = np.flatnonzero(np.any(before != after, axis=1))
        assert len(moving) == 2
        for arrow, i in zip(arrows(ax), moving, strict=True):
            assert np.allclose(arrow, [before[i], after[i]])
        assert {label for label in texts(ax) if label} == set(run.arrays["input"].labels[0])


def test_the_labels_of_moved_words_do_not_overlap():
    figure = shown(Moved, "bank")
    for ax in figure.axes:
        boxes = [text.get_window_extent() for text in ax.texts if text.get_text()]
        assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


CROWD = """schema = 1
title = "a crowd"
source = "ours"
kind = "attention"
[vocabulary]
magnitude = "normalise"
axes = ["money", "river"]
[vocabulary.words]
"WWWWWWWWWW" = [1, 0.1]
"financial" = [1, 0.05]
"Donaudampfschifffahrtsgesellschaft" = [1, 0.15]
"banks" = [0.7, 0.7]
"muddy" = [0.05, 1]
"mmmmmm" = [0.9, 0.4]
"the" = [0.8, 0.6]
[input]
tokens = ["the", "WWWWWWWWWW", "financial", "Donaudampfschifffahrtsgesellschaft", "banks", "muddy", "mmmmmm", "the"]
[[layer]]
[[layer.head]]
beta = 4
mask = "strict"
"""


@pytest.mark.quick(0)
def test_the_labels_of_a_crowd_of_similar_words_do_not_overlap():
    (ax,) = figure_of(Moved, ha.run(parse(CROWD, "crowd.toml", "crowd"))).axes
    labels = [text for text in ax.texts if text.get_text()]
    assert len(labels) == 8 and any(text.arrow_patch is not None for text in labels)
    ax.figure.draw_without_rendering()
    boxes = [Text.get_window_extent(text) for text in labels]
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


@given(st.text(min_size=1, max_size=80), st.integers(2, 30))
def test_a_short_text_fits_and_is_the_beginning_of_the_whole(token, room):
    text = short(token, room)
    assert width(text) <= room
    whole = "".join(c if c.isprintable() else "□" for c in token)
    assert text == whole if width(whole) <= room else text[-1] == "…" and whole.startswith(text[:-1])


def test_wide_letters_are_as_wide_as_they_are_drawn():
    figure = Figure(figsize=SIZE, dpi=DPI)
    with styled():
        lengths = {c: figure.text(0, 0, c * 10).get_window_extent().width for c in "namWMw@%"}
    for letter, length in lengths.items():
        assert width(letter) == pytest.approx(length / lengths["n"], abs=0.35)


def test_an_arc_leads_to_each_word_from_the_word_that_it_attends_to():
    first, second = shown(Flow, "induction").axes
    for ax, layer in ((first, 1), (second, 2)):
        weights = result_of("induction").runs[0].arrays[f"layer {layer} head 1 weights"].values
        (arcs,) = (part for part in ax.collections if isinstance(part, LineCollection))
        ends = {(round(arc[-1][0]), round(arc[0][0])) for arc in arcs.get_segments()}
        assert ends == set(map(tuple, np.argwhere(weights).tolist()))
        names = ["their₁", "dog", "chased", "their₂"]
        assert [text for text in texts(ax) if text in names] == names
    assert sorted(texts(first)[:4]) == ["1", "1", "1", "−1"] and texts(second)[0] == "1"


def test_the_rotation_moves_each_position_to_the_next():
    circle, matrix, network = shown(Positions, "positions").axes
    run = result_of("positions").runs[0]
    assert circle.get_title() == "one step turns by 90°"
    assert [text for text in texts(matrix) if " " not in text] == ["0", "−1", "1", "0"]
    assert {"× 0", "× 1", "× −1"} <= set(texts(network))
    assert "90°" in texts(circle)
    heads = [end / np.linalg.norm(end) for _, end in arrows(circle)]
    for head, state in zip(heads, run.arrays["state"].values, strict=True):
        assert head @ state > 0.95
    assert set(run.arrays["input"].labels[0]) <= set(texts(circle))


def test_a_step_back_is_a_turn_by_minus_ninety_degrees():
    assert shown(Positions, "practice-7-3").axes[0].get_title() == "one step turns by −90°"


def test_the_induction_head_writes_what_is_expected_last():
    (ax,) = shown(Induction, "induction").axes
    run = result_of("induction").runs[0]
    stages = [run.arrays[name].values for name in ("input", "layer 1 state", "layer 2 state")]
    cells = sum(int(np.sum(np.round(stage, 2) != 0)) for stage in stages)
    numbers = [text for text in texts(ax) if text.lstrip("−.").isdigit()]
    assert len(numbers) == cells + 4, "the four arcs that lead to the last word"
    assert texts(ax).count("their₂") == 3
    assert {"position", "word", "previous", "expected", "layer 1\n→", "layer 2\n→"} <= set(texts(ax))
    assert ticks(ax.yaxis)[-2:] == ["dog", "chased"]


def test_the_three_steps_have_the_numbers_of_the_lecture():
    axes = shown(Steps, "aaba").axes
    assert texts(axes[0]) == ["0", "0", "1", "0"]
    assert texts(axes[1]) == ["1/6", "1/6", "1/2", "1/6"]
    assert texts(axes[2])[-2:] == ["1/2", "1/2"]
    assert texts(axes[4]) == ["1/4"] * 4
    assert texts(axes[5])[-2:] == ["3/4", "1/4"]
    assert ticks(axes[0].yaxis) == ["A₁", "A₂", "B", "A₃"]


def test_a_masked_word_has_no_score():
    axes = shown(Steps, "bank").axes
    assert texts(axes[0]) == [".1", ".7", ".62", "·  masked"]


def test_apple_takes_from_orange_and_from_phone():
    axes = shown(Plane, "apple").axes
    assert [ax.get_xlabel() for ax in axes] == ["technology"] * 2 and axes[0].get_ylabel() == "fruitness"
    for ax, run in zip(axes, result_of("apple").runs, strict=True):
        words = dict(zip(run.arrays["input"].labels[0], run.arrays["input"].values[:, :2], strict=True))
        other = "phone" if run.name else "orange"
        pulls = [(start.tolist(), end.tolist()) for start, end in arrows(ax)]
        assert sorted(pulls) == sorted(
            (words[a].tolist(), words[b].tolist()) for a, b in (("apple", other), (other, "apple"))
        )
        assert texts(ax).count(".71") == 2


def dots(ax):
    """The points of a panel of offsets, sorted."""
    return sorted(tuple(point) for line in ax.lines if line.get_marker() == "o" for point in line.get_xydata())


def verdict(ax):
    """The verdict above a panel of offsets."""
    return ax.texts[0].get_text()


def test_the_offset_alone_counts_where_all_scores_at_an_offset_are_one():
    """The shift law decides, not the drawing: the scores of the figure's scenario, moved by one place."""
    figure = shown(Offsets, "offsets")
    verdicts = [verdict(ax) for ax in figure.axes]
    assert verdicts == ["no place counts"] + ["only the offset counts"] * 4 + ["the place counts too"] * 3
    assert figure.axes[0].get_title() == "no positions"
    for ax, run in zip(figure.axes, result_of("offsets").runs, strict=True):
        kind = "bias" if "layer 1 head 1 bias" in run.arrays else "scores"
        values = run.arrays[f"layer 1 head 1 {kind}"].values
        moved = np.allclose(values[1:, 1:], values[:-1, :-1])
        assert moved == (verdict(ax) != "the place counts too")
        assert np.allclose(dots(ax), sorted((j - i, value) for (i, j), value in np.ndenumerate(values)))
        assert "each panel has its own scale" in figure.get_supxlabel()


def test_few_panels_of_offsets_have_one_scale_and_say_that_one_head_of_several_is_drawn():
    figure = shown(Offsets, "alibi")
    slopes = {ax.get_title(): dict(dots(ax))[-3] for ax in figure.axes}
    assert slopes["as written: bias"] == -1.5 and slopes["slope given: bias"] == -0.75
    assert len({ax.get_ylim() for ax in figure.axes}) == 1
    assert figure.get_supxlabel().endswith("1 of 8 heads")
    assert "heads" not in shown(Offsets, "offsets").get_supxlabel()


OF_ONE_WORD = """schema = 1
title = "a title"
source = "ours"
kind = "attention"
[vocabulary]
axes = ["x", "y"]
magnitude = "free"
[vocabulary.words]
a = [1000, -3000]
[input]
tokens = [TOKENS]
[[layer]]
[[layer.head]]
rope = true
"""


def of_words(count):
    return ha.run(parse(OF_ONE_WORD.replace("TOKENS", ", ".join(['"a"'] * count)), "file.toml", "file"))


def test_offsets_of_large_scores_are_judged_by_their_size():
    (ax,) = figure_of(Offsets, of_words(4)).axes
    assert verdict(ax) == "only the offset counts" and len(dots(ax)) == 16
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("offset: key − query", "score")
    reason = "its texts are not one word, three times or more"
    assert reason in Offsets().lacks(of_words(2))
    assert reason in Offsets().lacks(result_of("bank"))
    assert Offsets().lacks(result_of("letters")) == "it has no scores of attention"


def test_offsets_of_many_words_are_a_band():
    (ax,) = figure_of(Offsets, of_words(25)).axes
    assert dots(ax) == [] and len(ax.collections) == 1


def test_masks_show_hidden_cells():
    free, causal = shown(Masks, "two-bigs").axes
    assert [shaded_cells(patch) for patch in free.patches] == [5 * 5, 0]
    assert [shaded_cells(patch) for patch in causal.patches] == [15, 10]
    assert [patch.get_hatch() for patch in causal.patches] == [None, "///"]


def test_hopfield_and_attention_stand_beside_each_other():
    axes = shown(Beside, "hopfield-beside-attention").axes
    assert texts(axes[0]) == texts(axes[3]) == ["−2", "6", "−2"]
    assert texts(axes[1]) == ["−.25", ".75", "−.25"] and texts(axes[4]) == ["0", "1", "0"]
    assert axes[1].get_xlim() == axes[4].get_xlim() and axes[0].get_xlim() == axes[3].get_xlim()
    assert [axes[k].get_ylabel() for k in (0, 3)] == ["Hopfield", "attention"]
    runs = result_of("hopfield-beside-attention").runs
    for ax, run in zip((axes[2], axes[5]), runs, strict=True):
        picture = np.asarray(ax.images[0].get_array())
        assert np.array_equal(picture, np.vstack([run.arrays["input"].values, run.arrays["state"].values]))


def test_a_ring_is_around_the_neuron_that_was_flipped():
    """`damaged` is `halves`, its last neuron flipped."""
    for ax in (shown(Beside, "hopfield-beside-attention").axes[k] for k in (2, 5)):
        rings = [line.get_xydata().tolist() for line in ax.lines if line.get_marker() == "o" and len(line.get_xydata())]
        assert rings == [[[7, 0]]]


def test_memories_beside_each_other_are_compared_by_shares_and_pictures_are_black_and_white():
    figure = shown(Beside, "dense")
    assert figure.axes[1].get_title() == "shares of weight"
    runs = result_of("dense").runs
    for ax, run in zip((figure.axes[1], figure.axes[4]), runs[:2], strict=True):
        weights = run.arrays["step 1 weights"].values[0]
        names = run.arrays["step 1 weights"].labels[1]
        chosen = [names.index(name) for name in ticks(ax.yaxis)]
        assert np.allclose([bar.get_width() for bar in ax.patches], weights[chosen] / weights.sum())
    assert figure.get_supxlabel().endswith("10 of 36 patterns · 2 of 3 runs")
    assert [len(ticks(shown(Beside, "letters").axes[k].yaxis)) for k in (0, 3)] == [5, 10], "each has its own patterns"
    picture = figure.axes[2].images[0]
    assert picture.get_clim() == (-1, 1)
    assert np.allclose(picture.to_rgba(np.array([-1.0, 1.0]))[:, :3], [(1, 1, 1), (26 / 255,) * 3])


@pytest.mark.quick(0)
def test_a_figure_keeps_within_its_page():
    for plot in PLOTS:
        figure = shown(plot, plot.scenario)
        box = figure.get_tightbbox()
        assert box.x0 >= -0.05 and box.y0 >= -0.05 and box.x1 <= SIZE[0] + 0.05 and box.y1 <= SIZE[1] + 0.05, plot
