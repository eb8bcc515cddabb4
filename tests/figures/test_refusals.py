"""What figures refuse to draw, with the reason."""

import pytest

from hopattn.figures.figure import gallery
from tests.runs import result_of


@pytest.mark.parametrize(
    ("figure", "scenario", "reason"),
    [
        ("basins", "letters", "no network of at most 12 spins"),
        ("returns", "letters", "no shares of damaged cues that return, and no 100 cues"),
        ("bifurcation", "letters", "no fixed points by β"),
        ("landscape", "letters", "no memory of two neurons"),
        ("course", "bank", "no energy by step"),
        ("course", "depth", "no energy by step"),
        ("course", "weight-matrix", "take one step"),
        ("recall", "bank", "recalls nothing"),
        ("recall", "landscape", "try the figure 'landscape'"),
        ("overlaps", "bank", "no overlaps"),
        ("overlaps", "spurious", "no overlap changes"),
        ("neurons", "letters", "try the figure 'recall'"),
        ("neurons", "spurious", "no neuron changes"),
        ("crosstalk", "letters", "no crosstalk"),
        ("fast_weights", "letters", "no memory that words are written into"),
        ("fast_weights", "random-features", "cannot be read"),
        ("tour", "letters", "minimises nothing"),
        ("induction", "bank", "try the figure 'flow'"),
        ("network", "weight-matrix", "the cue stays as it is"),
        ("course", "capacity", "hardly move, or take one step"),
    ],
)
def test_a_result_that_lacks_what_a_figure_shows_is_refused_with_the_reason(figure, scenario, reason):
    assert reason in gallery()[figure].lacks(result_of(scenario))
