"""Every figure is legible on a slide, in a column of a paper and on a dark sheet, in any figure of matplotlib."""

import warnings

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from hopattn.figures.choice import chosen
from hopattn.figures.fitting import outside, overlapping
from hopattn.figures.gallery import plots
from hopattn.figures.palette import DARK
from hopattn.figures.rendering import fitted
from hopattn.figures.style import LEGIBLE, STYLES, styled
from tests.counts import spread
from tests.runs import drawing_of, result_of


def figure_of(name, style):
    plot = plots[name]()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return fitted(lambda figure: plot.draw(figure, chosen(result_of(plot.scenario))), style)


@pytest.mark.quick(6)
@pytest.mark.parametrize("name", plots)
def test_no_text_on_a_slide_is_small_cut_or_covered(name):
    figure = drawing_of(name, plots[name].scenario).figure
    figure.draw_without_rendering()  # an SVG was laid out for another number of pixels
    texts = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()]
    assert [(text.get_text(), text.get_fontsize()) for text in texts if text.get_fontsize() < LEGIBLE - 1e-6] == []
    assert overlapping(figure) == []
    assert outside(figure) == []


# A figure is drawn again in each smaller font that is tried.
@pytest.mark.quick(1)
@pytest.mark.parametrize("name", spread(plots, 3))
def test_no_text_in_a_column_of_a_paper_is_cut_or_covered(name):
    figure, style = figure_of(name, STYLES["paper"])
    with styled(style):  # ticks that are computed anew have the distances of the style
        assert overlapping(figure) == []
        assert outside(figure) == []
    assert style.font >= 4.5


@pytest.mark.quick(1)
@pytest.mark.parametrize("name", spread(plots, 3))
def test_a_dark_background_has_no_dark_text_on_it(name):
    figure, _ = figure_of(name, STYLES["dark"])
    assert figure.get_facecolor()[:3] == pytest.approx(tuple(int(DARK.paper[i : i + 2], 16) / 255 for i in (1, 3, 5)))
    figure.canvas.draw()
    pixels = np.asarray(figure.canvas.buffer_rgba())[..., :3] / 255
    near_sheet = np.abs(pixels - np.array(figure.get_facecolor()[:3])).max(axis=-1) < 0.25
    assert near_sheet.mean() > 0.3, "most of the background is dark"
    assert not np.any([text.get_color() == "black" for text in figure.findobj(Text)])


@pytest.mark.quick(1)
@pytest.mark.parametrize("name", spread(plots, 3))
def test_a_subfigure_and_a_figure_without_a_layout_engine_hold_it(name):
    plot = plots[name]()
    result = chosen(result_of(plot.scenario))
    with styled():
        plain = Figure(figsize=(12.8, 7.2))
        plot.draw(plain, result)
        plain.draw_without_rendering()
        left, _ = Figure(figsize=(12.8, 7.2), layout="constrained").subfigures(1, 2)
        plot.draw(left, result)
        left.get_figure(root=True).draw_without_rendering()
    assert plain.axes and left.axes
