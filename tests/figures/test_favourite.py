"""The figure that shows a result best: the scenario names it, or the first that fits of a list."""

import pytest

import hopattn as ha
from hopattn.figures.rendering import favourite
from hopattn.foundation.errors import InvalidInput
from tests.runs import result_of


def named(figure):
    return ha.run(ha.load("bank"), overrides={"figure.gallery": figure})


def test_a_scenario_names_it():
    assert favourite(result_of("bank")).name == "moved"
    assert favourite(named("steps")).name == "steps"
    assert favourite(result_of("self-attention")).name == "qkv"


@pytest.mark.parametrize(
    ("figure", "message"),
    [("mask", "bank: figure: gallery: .*'mask'.*'masks'"), ("neuron", "figure 'neuron' cannot be drawn from 'bank'")],
)
def test_a_figure_that_is_unknown_or_does_not_fit_is_refused(figure, message):
    with pytest.raises(InvalidInput, match=message):
        favourite(named(figure))
