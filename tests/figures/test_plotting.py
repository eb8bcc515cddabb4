"""`ha.plot`: any figure from Python, into axes, figures and subfigures of one's own."""

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import hopattn as ha
from hopattn.figures.fitting import outside, overlapping
from hopattn.figures.gallery import plots
from hopattn.results.labelled import Labelled
from tests.counts import spread
from tests.runs import result_of

WEIGHTS = [[1.0, 0.0], [0.4, 0.6]]


@pytest.fixture(autouse=True)
def closed():
    yield
    pyplot.close("all")


def labels(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


def test_a_result_is_drawn_into_axes_of_ones_own():
    _, (left, right) = pyplot.subplots(1, 2)
    gives = ha.plot(result_of("bank"), "attention", ax=right, run="river", title="beside the river")
    assert gives is right
    assert labels(right.xaxis) == ["in", "muddy", "rivers", "banks"]
    assert right.get_title() == "beside the river"
    assert not left.has_data()


def test_the_settings_of_the_user_stay_as_they_are():
    before = dict(matplotlib.rcParams)
    ha.plot(result_of("bank"), "attention", run="as written")
    ha.plot(result_of("bank"), "attention", run="river", style="dark")
    assert dict(matplotlib.rcParams) == before


def test_text_in_axes_of_ones_own_has_the_users_font_size():
    sizes = []
    for size in (10, 20):
        with matplotlib.rc_context({"font.size": size}):
            ax = Figure().subplots()
            ha.plot(result_of("bank"), "attention", ax=ax, run="river")
            sizes.append(ax.texts[0].get_fontsize())
    assert sizes[1] == pytest.approx(2 * sizes[0])


def test_axes_on_a_dark_figure_get_light_text():
    figure = Figure(facecolor="black")
    ax = figure.subplots()
    ax.set_facecolor("black")
    ha.plot(WEIGHTS, "attention", ax=ax)
    assert matplotlib.colors.to_rgb(ax.texts[1].get_color())[0] > 0.9


@pytest.mark.parametrize("weights", [WEIGHTS, np.float32(WEIGHTS), np.array([WEIGHTS]), tuple(map(tuple, WEIGHTS))])
def test_weights_of_any_origin_are_drawn(weights):
    ax = ha.plot(weights, "attention", tokens=["muddy", "banks"])
    assert isinstance(ax, Axes)
    assert labels(ax.yaxis) == ["muddy", "banks"]
    assert [text.get_text() for text in ax.texts] == ["1", "0", ".4", ".6"]


def test_an_array_without_labels_is_numbered():
    assert labels(ha.plot(np.full((2, 3), 1 / 3), "attention").xaxis) == ["1", "2", "3"]


def test_a_colour_bar_is_none_of_the_axes_that_a_drawing_gives():
    ax = ha.plot(result_of("sequence"), "overlaps")
    assert isinstance(ax, Axes)
    assert len(ax.figure.axes) == 2


def test_two_texts_have_labels_of_their_own():
    ax = ha.plot([[0.5, 0.25, 0.25]], "attention", tokens=(["cats"], ["kediler", "mavi", "balik"]))
    assert labels(ax.yaxis) == ["cats"] and labels(ax.xaxis) == ["kediler", "mavi", "balik"]


def test_labels_of_a_labelled_array_are_kept():
    weights = result_of("bank").arrays["layer 1 head 1 weights"]
    assert labels(weights.plot().yaxis) == list(weights.labels[0])


def test_several_heads_are_several_axes():
    assert len(ha.plot(np.full((3, 2, 2), 0.5), "attention")) == 3
    chosen = ha.plot(np.full((12, 2, 2), 0.5), "attention", head=11)
    assert isinstance(chosen, Axes) and chosen.get_title() == "layer 1 head 11"


def drawn_numbers(thing):
    ax = ha.plot(thing, "attention", head=1)
    return {text.get_position(): text.get_text() for text in ax.texts}


def test_weights_of_every_library_are_drawn(torch, jax):
    expected = drawn_numbers([WEIGHTS, WEIGHTS])
    tensor = torch.tensor([WEIGHTS, WEIGHTS], requires_grad=True)
    for weights in (tensor, tensor.bfloat16(), [*tensor], jax.numpy.asarray([WEIGHTS, WEIGHTS])):
        assert drawn_numbers(weights) == expected
    with pytest.raises(ha.InvalidInput, match=r"weights: expected real numbers, not torch\.complex64"):
        ha.plot(tensor.to(torch.complex64))


def test_the_trace_of_heads_is_drawn_with_its_mask(torch):
    eye = torch.eye(2)
    causal, free = ha.Head(eye, eye, eye, mask="causal"), ha.Head(eye, eye, eye, mask="none")
    assert len(drawn_numbers(causal.trace(eye))) == 3
    axes = ha.plot(ha.MultiHead([causal, free], torch.eye(2, 4)).trace(eye), "attention")
    assert [len(ax.texts) for ax in axes] == [3, 4]


@pytest.mark.parametrize("name", spread(plots, 5))
def test_a_figure_with_one_panel_is_drawn_into_axes_or_says_that_it_has_several(name):
    ax = Figure(figsize=(12.8, 7.2), layout="constrained").subplots()
    try:
        assert ha.plot(result_of(plots[name].scenario), name, ax=ax) is ax
    except ha.InvalidInput as refused:
        assert "panel" in str(refused)
    else:
        assert ax.has_data() or ax.texts or ax.patches
        ax.figure.draw_without_rendering()


@pytest.mark.parametrize(
    ("thing", "name", "options", "message"),
    [
        ("bank", "moovd", {}, "did you mean 'moved'"),
        ("bank", "attention", {"runn": "river"}, "option 'runn' is unknown; did you mean 'run'"),
        ("bank", "attention", {"run": "rivr"}, "did you mean 'river'"),
        ("bank", "attention", {"head": 7}, "there is no head 7"),
        ("bank", "attention", {"layer": 2}, "there is no layer 2"),
        ("bank", "moved", {"axes": ["money", "rivr"]}, "did you mean 'river'"),
        ("bank", "moved", {"axes": ["money"]}, "axes: expected the names of two axes"),
        ("bank", "moved", {"axes": "money"}, "expected the names of two axes, as in 'money,river', not 'money'"),
        ("bank", "moved", {"axes": "money, rivr"}, "axes: 'rivr' is unknown; did you mean 'river'"),
        ("bank", "moved", {"axes": 3}, "axes: expected a list of texts, not 3"),
        ("bank", "moved", {"highlight": "bankz"}, "highlight: 'bankz' is unknown; did you mean 'banks'"),
        ("bank", "moved", {"highlight": 3}, "highlight: expected a list of texts, not 3"),
        ("bank", "attention", {"query": True}, "query: expected a text, not True"),
        ("bank", "attention", {"size": "3by2"}, "plot: size '3by2': expected width and height in inches"),
        ("bank", "attention", {"size": 3}, "plot: size 3: expected width and height in inches"),
        ("bank", "attention", {"size": (3.4, 99)}, "a side has 0.5 to 40 inches, not 99"),
        ("bank", "attention", {"size": (3, 2), "ax": Figure()}, "plot: size: is for a new figure"),
        ("bank", "attention", {"mask": "causal"}, "plot: mask: is an option for an array of weights"),
        (WEIGHTS, "attention", {"mask": "casual"}, "mask: 'casual' is unknown; did you mean 'causal'"),
        (WEIGHTS, "attention", {"mask": [[1, 0], [1, 1]]}, "mask: expected booleans"),
        (WEIGHTS, "attention", {"mask": "strict", "tokens": ["a", "b"]}, "hides the weight 1 of query 'a' and key 'a'"),
        ("bank", "moved", {"title": 3}, "title: expected a text, not 3"),
        ("bank", "moved", {"run": 3}, "run: expected a text, not 3"),
        ("bank", "moved", {"head": "1"}, "head: expected a whole number from 1, not '1'"),
        ("bank", "moved", {"style": 3}, "'3' is unknown"),
        (WEIGHTS, "attention", {"tokens": 5}, "tokens: expected a list of words, not 5"),
        (WEIGHTS, "attention", {"tokens": "ab"}, "tokens: expected a list of words, not 'ab'"),
        ("bank", "attention", {"style": "slides"}, "did you mean 'slide'"),
        ("bank", "attention", {"ax": 3}, "ax: expected Axes, a Figure or a SubFigure, not int"),
        ("bank", "induction", {}, "cannot be drawn from 'bank'"),
        ("bank", "attention", {"theory": {}}, "theory"),
        ("two-heads", "attention", {"ax": Figure().subplots()}, "choose one with"),
        (WEIGHTS, "attention", {"tokens": ["one"]}, "tokens: 1 words for 2 queries"),
        (WEIGHTS, "induction", {}, "figure 'induction' cannot be drawn"),
        ([1.0, 2.0], "attention", {}, "expected numbers of shape"),
        ([["a"]], "attention", {}, "expected numbers of shape"),
        ([[float("nan")]], "attention", {}, "some are not a number, or not below 1e"),
        (3, "attention", {}, "not int"),
        (np.full((11, 1, 1), 1.0), "attention", {"head": 13}, "layer 1 head 9, layer 1 head 10"),
    ],
)
def test_a_wrong_choice_is_refused(thing, name, options, message):
    with pytest.raises(ha.InvalidInput, match=message.replace("(", r"\(")):
        ha.plot(result_of(thing) if isinstance(thing, str) else thing, name, **options)


# The figure is drawn again in each smaller font that is tried.
@pytest.mark.quick(0)
def test_a_column_of_a_paper_has_a_font_with_which_no_text_lies_over_another():
    weights = np.full((12, 12), 1 / 12)
    ax = ha.plot(weights, "attention", tokens=[f"longer word {i}" for i in range(12)], style="paper")
    ax.figure.draw_without_rendering()
    assert not outside(ax.figure)
    assert not [pair for pair in overlapping(ax.figure) if ".08" in pair]


def test_cues_and_patterns_of_a_recall_have_the_numbers_of_the_record():
    record = ha.memories.hopfield([[1, 1, 1, -1.0], [1, -1, 1, -1]]).recall(
        [[1, -1, 1, -1.0], [1, 1, 1, -1]], keep=["overlaps"]
    )
    assert record.matched.tolist() == [1, 0]
    ax = ha.plot(record, "overlaps", query="0")
    assert labels(ax.yaxis) == ["0", "1"] and ax.get_title() == "cue: 0"
    assert float(record.overlaps[-1, 0, 1]) == 1 and [text.get_text() for text in ax.texts][-1] == "1"


def test_a_labelled_array_names_its_own_axes():
    table = Labelled(np.eye(2), ("layer", "head"), (("0", "1"), ("0", "1")))
    axes = table.plot()
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("head", "layer")
    small = Labelled(np.array([[0.02, -0.01]]), ("layer", "head"), (("0",), ("0", "1")), tiny=True)
    assert small.plot().images[0].get_clim() == (-0.02, 0.02)  # the colours of shares end at 1
