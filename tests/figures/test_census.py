"""The figure of a census: a map for each measure, white at chance, also in axes of the user and in a notebook."""

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure

import hopattn as ha
from hopattn.figures.census import DRAWN
from hopattn.foundation.errors import InvalidInput


@pytest.fixture(scope="module")
def census():
    training = ha.circuits.Training.load("scenarios/circuits/two-layers.npz")
    model, text = training.model(), training.recipe.held_out(1).tokens[0]
    return ha.circuits.head_census(model, text, unembed=model.unembed, about="two layers")


def test_each_measure_has_a_map_whose_white_is_the_chance(census):
    figure = Figure(figsize=(12.8, 7.2), layout="constrained")
    axes = ha.plot(census, ax=figure)
    assert [ax.get_title() for ax in axes] == [name.replace("_", " ") for name in DRAWN]
    for ax, name in zip(axes, DRAWN, strict=True):
        (image,) = ax.images
        if name in ("prefix_matching", "attention_sink"):
            shown, low = image.get_array(), census.chance(name)
            np.testing.assert_allclose(shown, census.matrix(name) - low)
            assert image.norm.vmin == 0 and image.norm.vmax == pytest.approx(1 - low[0, 0])
            assert image.cmap(0.0)[:3] == (1, 1, 1)
    assert np.ma.masked_invalid(axes[4].images[0].get_array()).mask[0].all()
    scales = [ax for ax in figure.axes if ax.get_label() == "<colorbar>"]
    assert [text.get_text() for text in scales[2].get_yticklabels()] == [".03", "1"]
    assert [text.get_text() for text in scales[-1].get_yticklabels()] == ["I", "II", "III", "IV"]
    assert axes[-1].images[0].cmap.N == 4, "a colour for each class"


def test_one_measure_in_axes_of_the_user(census):
    ax = Figure().subplots()
    assert ha.plot(census, ax=ax, title="auto") is ax
    assert ax.get_title() == "prefix matching"
    assert ha.plot(census, ax=Figure().subplots(), measure="operating_class").images
    with pytest.raises(InvalidInput, match="measure: 'prefix' is unknown"):
        ha.plot(census, ax=Figure().subplots(), measure="prefix")
    with pytest.raises(InvalidInput, match="no head of this census has 'null_weight'"):
        ha.plot(census, measure="null_weight", ax=Figure())
    with pytest.raises(InvalidInput, match="theory: is an option for a sweep"):
        ha.plot(census, theory={}, ax=Figure())


def test_a_notebook_shows_the_strongest_heads_and_the_figure(census):
    before = matplotlib.rcParams["font.size"]
    page = census._repr_html_()
    assert "prefix matching" in page and "<img" in page and "two layers (2 layers, 8 heads, 64 tokens)" in page
    assert matplotlib.rcParams["font.size"] == before
