"""A figure of parts states what it draws; its base draws the grid, the titles and the notes, and refuses the rest."""

from dataclasses import replace

import pytest
from matplotlib.figure import Figure

import hopattn as ha
from hopattn.figures.panels import Panels, Together
from tests.figures.finished import drawn
from tests.runs import result_of


class Densities(Panels):
    name = "densities"
    shows = "the densities of the crosstalk"
    scenario = "crosstalk"
    needs = "crosstalk"
    lack = "it has no crosstalk"
    most = 3
    in_a_row = 2
    shared = {"sharex": True, "sharey": True}

    def panel_of(self, ax, part, shown):
        ax.plot(part.arrays["crosstalk"].values)
        ax.set(xlabel="crosstalk", ylabel="density")


class AllDensities(Together):
    needs = "crosstalk"
    most = 2

    def draw_into(self, ax, shown):
        for run in shown.parts:
            ax.plot(run.arrays["crosstalk"].values)


@pytest.fixture
def four_runs():
    result = result_of("crosstalk")
    return replace(result, runs=tuple(replace(result.runs[0], name=f"run {i}") for i in range(1, 5)))


def test_a_figure_draws_its_first_parts_and_says_how_many_it_leaves_out(four_runs):
    figure = drawn(lambda figure: Densities().draw(figure, four_runs))
    assert [ax.get_title() for ax in figure.axes] == ["run 1", "run 2", "run 3"]
    assert [ax.get_ylabel() for ax in figure.axes[:3]] == ["density", "", "density"]
    assert [ax.get_xlabel() for ax in figure.axes[:3]] == ["", "crosstalk", "crosstalk"]
    assert figure.get_supxlabel() == "3 of 4 runs"


def test_a_single_part_fills_axes_and_several_are_refused(four_runs):
    ax = Figure().subplots()
    with pytest.raises(ha.InvalidInput, match="there are 4 runs: choose one with run"):
        Densities().panel(ax, four_runs)
    Densities().panel(ax, replace(four_runs, runs=four_runs.runs[:1]))
    assert len(ax.lines) == 1 and not ax.get_title()


def test_a_result_without_parts_has_the_reason_of_the_figure():
    assert Densities().lacks(result_of("similarity")) == "it has no crosstalk"
    assert Densities().lacks(result_of("crosstalk")) == ""


def test_parts_that_are_drawn_together_fill_one_panel(four_runs):
    figure = drawn(lambda figure: AllDensities().draw(figure, four_runs))
    assert [len(ax.lines) for ax in figure.axes] == [2]
    assert figure.get_supxlabel() == "2 of 4 runs"
