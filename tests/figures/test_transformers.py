"""The figures of fast weights, gradients and messages draw the numbers of the result; odd results are drawn too."""

import numpy as np
import pytest
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.text import Annotation

import hopattn as ha
from hopattn.figures.gallery.fast_weights import FastWeights
from hopattn.figures.gallery.gradients import FLOOR, Gradients
from hopattn.figures.gallery.messages import Messages, _heights
from hopattn.figures.palette import LIGHT
from hopattn.figures.style import styled
from hopattn.foundation.errors import InvalidInput
from hopattn.scenario.loading import parse
from tests.figures.finished import drawn
from tests.runs import drawing_of, result_of


def figure_of(plot, result):
    return drawn(lambda figure: plot().draw(figure, result))


def shown(plot, scenario):
    return drawing_of(plot.name, scenario).figure


def written(name, changes):
    return ha.run(ha.load(name), overrides={"variant": [], "expect": [], **changes})


def test_each_matrix_is_the_memory_after_its_word_and_frames_stand_where_it_changed():
    panels = shown(FastWeights, "overwriting").axes
    assert len(panels) == 9
    runs = result_of("overwriting").runs
    for i, ax in enumerate(panels):
        memories = runs[i // 3].arrays["memories"].values[:, 2:]  # the rows of red and blue are 0
        np.testing.assert_array_equal(ax.images[0].get_array(), memories[i % 3])
        change = memories[i % 3] - (memories[i % 3 - 1] if i % 3 else 0)
        framed = {(round(p.get_y() + 0.44), round(p.get_x() + 0.46)) for p in ax.patches if isinstance(p, Rectangle)}
        assert framed == {(int(row), int(column)) for row, column in np.argwhere(change != 0)}
    assert {image.get_clim() for ax in panels for image in ax.images} == {(0, 1)}
    rows = [panels[3 * i].get_ylabel() for i in range(3)]
    assert rows == ["delta rule", "sum", "half the rate"]


def test_a_long_text_shows_its_first_words_and_says_so_and_negative_numbers_have_their_own_colours():
    words = ["red", "blue", "cyan"] * 4
    figure = figure_of(FastWeights, written("elu-features", {"input.tokens": words}))
    assert "the first 6 of 12 words" in figure.get_supxlabel().replace("\n", " ")
    image = figure.axes[2].images[0]
    assert image.norm.vmin == 0
    signed = {"fast_weights.features": "identity", "fast_weights.normalise": False, "input.tokens": ["cyan", "cyan"]}
    signed |= {"vocabulary.words.cyan": [-0.6, 0.8]}
    low, high = figure_of(FastWeights, written("elu-features", signed)).axes[1].images[0].get_clim()
    assert low == -high < 0


def test_a_memory_of_a_thousand_features_is_not_drawn():
    assert FastWeights().lacks(result_of("random-features")) == "a matrix of 3 × 4,096 cells cannot be read"


def test_the_curves_are_the_derivatives_and_the_norms_above_the_floor():
    axes = shown(Gradients, "vanishing-gradients").axes
    arrays = result_of("vanishing-gradients").runs[0].arrays
    for ax, name in zip(axes, ("derivative", "scores_norm"), strict=True):
        drawn = [line.get_ydata() for line in ax.lines if len(line.get_ydata()) == arrays[name].values.shape[1]]
        np.testing.assert_array_equal(drawn, np.maximum(arrays[name].values, FLOOR))
    labels = [tick.get_text() for ax in axes for tick in ax.get_yticklabels()]
    assert "≤ 10⁻¹²" in labels and "10⁶" in labels and not any("$" in label for label in labels)


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    "change",
    [
        {"gradients.magnitudes": [3.0]},
        {"gradients.magnitudes": list(np.geomspace(1e-3, 1e6, 40))},
        {"gradients.magnitudes": [5.0, 0.5], "gradients.stack": {"layers": 1, "draws": 1}},
        {"gradients.stack": {"layers": 60, "draws": 1, "dim": 8, "words": 2}},
    ],
)
def test_other_gradients_are_drawn(change):
    assert figure_of(Gradients, written("vanishing-gradients", change)).axes


def test_each_edge_is_a_line_and_those_to_one_query_are_arrows_with_their_weights():
    axes = shown(Messages, "messages").axes
    weights = [["1", ".6", ".8", "−.6"], ["1", ".6"], [".6"]]
    for ax, edges, of_query in zip(axes, (16, 10, 6), weights, strict=True):
        arrows = [text for text in ax.texts if isinstance(text, Annotation) and text.arrow_patch is not None]
        thin = [line for line in ax.lines if line.get_linestyle() == "-" and len(line.get_xdata()) == 2]
        assert (len(arrows), len(thin)) == (len(of_query), edges)
        ends = np.array([arrow.xy[1] for arrow in arrows])
        assert np.isclose(ends.mean(), _heights(4)[1]), "green has the most different edges"
        assert len({*ends}) == len(ends) and abs(ends - ends.mean()).max() <= 0.1 + 1e-9, "no arrowhead covers another"
        assert sorted(text.get_text() for text in ax.texts if text.get_text() in of_query) == sorted(of_query)
        inks = {line.get_color() for line in thin} | {arrow.arrow_patch.get_edgecolor() for arrow in arrows}
        assert inks <= {LIGHT.faint, to_rgba(LIGHT.ink)}, "no edge has the colour that a word names"
        assert ax.get_title().endswith(f"{edges} edges")
        assert all(arrow.get_position()[0] < arrow.xy[0] for arrow in arrows)  # from key to query


def test_two_rounds_have_three_columns_and_the_vectors_that_words_receive():
    ax = shown(Messages, "message-chain").axes[0]
    texts = [text.get_text() for text in ax.texts]
    assert texts.count("red") == texts.count("blue") == 3
    assert "(.48, .64)" in texts and "(2.27, 1.51)" in texts


def test_long_words_and_many_words_and_another_text_are_drawn_or_refused_with_a_reason():
    names = [f"a word of many letters {i}" for i in range(13)]
    vocabulary = "\n".join(f'"{name}" = [{i - 5}, 1, {i}]' for i, name in enumerate(names))
    text = f"""schema = 1
title = "odd"
source = "ours"
kind = "messages"
[vocabulary]
axes = ["x", "y", "z"]
magnitude = "free"
[vocabulary.words]
{vocabulary}
[input]
tokens = {names!r}
[[layer]]
[[layer.head]]
[[layer.head]]
"""
    scenario = parse(text, "odd.toml", "odd")
    assert "a graph of 13 words cannot be read" in Messages().lacks(ha.run(scenario))
    for tokens in (names[:12], names[:2], names[:1]):
        figure = figure_of(Messages, ha.run(scenario, overrides={"input.tokens": tokens}))
        assert figure.legends[0].get_title().get_text() == (
            "1 of 2 heads"  # three elements are not written
        )
    crossed = {"input.tokens": names[:3], "input.queries": names[7:9]}
    assert figure_of(Messages, ha.run(scenario, overrides=crossed)).axes


def test_the_messages_of_a_chosen_head_and_run_go_into_axes_of_your_own():
    with styled():
        ax = Figure().subplots()
        ha.plot(result_of("messages"), "messages", ax=ax, run="strict")
        arrows = [text for text in ax.texts if isinstance(text, Annotation) and text.arrow_patch is not None]
        assert len(arrows) == 2
        with pytest.raises(InvalidInput, match="there are 4 runs: choose one with run"):
            ha.plot(result_of("messages"), "messages", ax=Figure().subplots())


def test_the_messages_say_which_runs_and_layers_are_not_drawn():
    note = shown(Messages, "messages").legends[0].get_title().get_text()
    assert note.endswith("in brackets: sent on the left, then received · 3 of 4 runs")


def test_a_normalisation_has_one_colour_in_all_panels_of_the_gradients():
    figure = shown(Gradients, "vanishing-gradients")
    (legend,) = figure.legends
    texts = [text.get_text() for text in legend.get_texts()]
    assert texts[:2] == ["no normalisation", "scores / √dim"] and texts[-1] == "dashed: without residuals"
    meant = {key.get_color(): text for key, text in zip(legend.get_lines(), texts, strict=True)}
    assert len(meant) == len(texts), "a colour has one meaning"
    for ax in figure.axes:
        for line in (line for line in ax.lines if not line.get_label().startswith("_")):
            assert line.get_label().removesuffix(", no residuals") == meant[line.get_color()]
    ticks = [tick.get_text() for tick in figure.axes[1].get_xticklabels()]
    assert ticks == ["1", "3", "5", "7", "10"], "the last layer is named"
    note = legend.get_title().get_text()
    assert note.endswith("1 of 2 runs") and not note.startswith("\n")
