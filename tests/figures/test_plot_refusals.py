"""`ha.plot` refuses in a sentence what it cannot draw, and every option that would change nothing."""

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.figure import Figure

import hopattn as ha
from tests.runs import result_of

WEIGHTS = [[1.0, 0.0], [0.4, 0.6]]


@pytest.fixture(autouse=True)
def closed():
    yield
    pyplot.close("all")


def recall():
    patterns = np.array([[1.0, 1, 1, 1, -1, -1, -1, -1], [1, -1, 1, -1, 1, -1, 1, -1]])
    return ha.memories.hopfield(patterns).recall(patterns, keep=["overlaps"])


def sweep():
    return ha.sweep(lambda point, seed: {"m": float(point["x"])}, {"x": [1, 2]}, trials=1, workers=1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"head": 0}, "head: expected a whole number from 1, not 0"),
        ({"layer": -1}, "layer: expected a whole number from 1, not -1"),
        ({"head": True}, "head: expected a whole number from 1, not True"),
        ({"query": "zebra"}, "query: 'zebra' is unknown"),
        ({"highlight": ["bankz"]}, "highlight: 'bankz' is unknown; did you mean 'banks'"),
        ({"axes": {"money": 1, "river": 2}}, "axes: expected a list of texts"),
        ({"axes": {"money", "river"}}, "axes: expected a list of texts"),
        ({"style": ["dark"]}, "style: .* is unknown"),
        ({"measure": "m"}, "measure: is an option for a sweep, a comparison or a census"),
        ({"tokens": ["a"]}, "tokens: is an option for an array of weights"),
    ],
)
def test_a_choice_that_a_result_does_not_have_is_refused(options, message):
    with pytest.raises(ha.InvalidInput, match=message):
        ha.plot(result_of("bank"), "attention", **options)


@pytest.mark.parametrize("name", ["recall", "energy", "overlap"])
@pytest.mark.parametrize("option", [{"query": "9"}, {"run": "x"}, {"head": 1}, {"tokens": ["a"]}, {"measure": "m"}])
def test_the_curves_of_a_recall_refuse_the_options_of_a_result(name, option):
    with pytest.raises(ha.InvalidInput, match="is an option for a result"):
        ha.plot(recall(), name, **option)


@pytest.mark.parametrize("option", [{"tokens": ["a"]}, {"run": "x"}, {"query": "x"}, {"axes": ["a", "b"]}])
def test_a_sweep_refuses_the_options_of_a_result(option):
    with pytest.raises(ha.InvalidInput, match="is an option for a result"):
        ha.plot(sweep(), **option)


def test_a_comparison_refuses_a_theory():
    with pytest.raises(ha.InvalidInput, match="theory: is an option for a sweep"):
        ha.plot(ha.compare(np.eye(3), np.eye(3), memories=["modern"]), theory={})


@pytest.mark.parametrize(
    ("weights", "tokens", "message"),
    [
        ([[1, 2], [3]], None, "the rows differ in length"),
        (WEIGHTS, (["a", "b"],) * 3, "a pair of lists"),
    ],
)
def test_arrays_and_words_of_no_shape_are_refused(weights, tokens, message):
    with pytest.raises(ha.InvalidInput, match=message):
        ha.plot(weights, "attention", tokens=tokens)


@pytest.mark.parametrize("projection", ["3d", "polar"])
def test_axes_that_are_not_flat_are_refused(projection):
    ax = Figure().add_subplot(projection=projection)
    with pytest.raises(ha.InvalidInput, match=f"not {projection} axes"):
        ha.plot(WEIGHTS, ax=ax)


@pytest.mark.parametrize("remove", [lambda ax: ax.remove(), lambda ax: ax.figure.clear()])
def test_axes_without_a_figure_are_refused(remove):
    ax = Figure().subplots()
    remove(ax)
    with pytest.raises(ha.InvalidInput, match="were removed from their figure"):
        ha.plot(WEIGHTS, ax=ax)


def test_axes_inside_others_are_drawn_into():
    inset = Figure().subplots().inset_axes([0.5, 0.5, 0.4, 0.4])
    assert ha.plot(WEIGHTS, ax=inset) is inset


def test_a_line_of_a_theory_without_a_point_is_refused():
    for points in (([], []), ([1, 2], [float("nan")] * 2)):
        with pytest.raises(ha.InvalidInput, match="'N': holds no point"):
            ha.plot(sweep(), theory={"N": points})


def test_numbers_of_numpy_choose_a_head():
    two = np.full((2, 2, 2), 0.5)
    assert ha.plot(two, "attention", head=np.int64(2)).texts


@pytest.mark.parametrize("name", ["recall", "energy", "overlap"])
def test_a_recall_takes_a_title(name):
    drawn = ha.plot(recall(), name, title="two letters")
    figure = (drawn[0] if isinstance(drawn, tuple) else drawn).figure
    assert figure.get_suptitle() == "two letters"


def test_what_a_masked_array_masks_is_hatched():
    masked = np.ma.masked_array(np.eye(2), mask=[[0, 1], [0, 0]])
    ax = ha.plot(masked)
    assert [text.get_text() for text in ax.texts] == ["1", "0", "1"]
    assert "hatched" in ax.figure.get_supxlabel()
