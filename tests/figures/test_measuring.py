"""Ticks are computed once in each measurement of axes, and the layout of a figure is the one of matplotlib alone."""

import numpy as np
import pytest
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from hopattn.figures.measuring import measured_once, unmoved
from hopattn.figures.style import DPI, SIZE, styled


def crowd():
    """Axes of every kind: with labels on top, a scale of their own, cells that stay square, and a bar of colours."""
    rng = np.random.default_rng(0)
    figure = Figure(figsize=SIZE, dpi=DPI, layout="constrained")
    FigureCanvasAgg(figure)
    (curve, matrix), (scale, shared) = figure.subplots(2, 2)
    curve.plot(1e7 * rng.normal(size=50))
    curve.set(title="a curve", xlabel="step", ylabel="energy")
    matrix.xaxis.tick_top()
    figure.colorbar(matrix.imshow(rng.random((3, 9))), ax=matrix)
    matrix.set_title("a matrix")
    scale.loglog(np.logspace(-3, 5, 30))
    scale.set_xlabel("on a logarithmic scale")
    shared.sharex(curve)
    shared.set_ylabel("a longer label")
    shared.twinx().plot([1, 20000])
    figure.legend(["a"], loc="outside lower center")
    return figure


def places(figure):
    return [ax.get_position().bounds for ax in figure.axes]


@pytest.mark.parametrize("name", ["_update_ticks", "_get_ticklabel_bboxes"])
def test_the_layout_is_that_of_matplotlib_and_ticks_are_measured_once_for_each_measurement_of_axes(name, monkeypatch):
    calls = []
    computed = getattr(Axis, name)
    monkeypatch.setattr(Axis, name, lambda axis, *args: calls.append(axis) or computed(axis, *args))
    with styled():
        alone, figure = crowd(), crowd()
        alone.get_layout_engine().execute(alone)
        often = len(calls)
        calls.clear()
        with measured_once(figure):
            figure.get_layout_engine().execute(figure)
    assert places(figure) == places(alone)
    passes = 2  # of the constrained layout
    own = 2 * passes * len(figure.axes)
    assert own * 0.9 <= len(calls) < 1.2 * own < often, "a twin also asks for the ticks of its sibling"


def test_a_change_between_two_measurements_is_seen():
    with styled():
        alone, figure = crowd(), crowd()
        with measured_once(figure):
            figure.get_layout_engine().execute(figure)
            figure.axes[0].set_yticks([0], ["a very long name of a tick"])
            figure.get_layout_engine().execute(figure)
        alone.axes[0].set_yticks([0], ["a very long name of a tick"])
        alone.get_layout_engine().execute(alone)
    assert figure.axes[0].get_position().x0 == pytest.approx(alone.axes[0].get_position().x0, abs=0.01)


def test_axes_are_as_they_were_after_it_and_after_an_error():
    figure = crowd()
    before = [{*vars(part)} for ax in figure.axes for part in (ax, ax.xaxis, ax.yaxis)]
    with pytest.raises(ZeroDivisionError), measured_once(figure), unmoved(figure.axes):
        raise ZeroDivisionError
    assert [{*vars(part)} for ax in figure.axes for part in (ax, ax.xaxis, ax.yaxis)] == before


def test_a_picture_without_movement_is_the_same_bytes():
    """The boxes of the labels are kept for one renderer: each picture has a context of its own."""
    with styled():
        figure = crowd()
        figure.get_layout_engine().execute(figure)
        figure.set_layout_engine("none")
        figure.canvas.draw()
        alone = np.asarray(figure.canvas.buffer_rgba()).copy()
        with unmoved(figure.axes):
            figure.canvas.draw()
    assert np.array_equal(alone, np.asarray(figure.canvas.buffer_rgba()))
