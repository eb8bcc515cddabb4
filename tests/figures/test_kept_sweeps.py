"""The figures of finished sweeps: drawn by the command of all figures, from kept points, without a new run."""

import re
from functools import cache
from pathlib import Path

import matplotlib
import pytest

import hopattn as ha
from hopattn.figures.fitting import fitted, outside, overlapping
from hopattn.figures.kept_sweeps import KeptSweep, every_figure
from hopattn.figures.rendering import rendered_figure
from hopattn.figures.style import STYLES
from tests.committed import figure_differences
from tests.counts import count
from tests.runs import result_of

GALLERY = Path(__file__).parents[2] / "figures"
KEPT = [name for name, plot in every_figure.items() if issubclass(plot, KeptSweep)]


def test_they_are_among_the_figures_of_the_gallery():
    assert KEPT == ["capacity", "phases"]
    assert {path.stem for path in GALLERY.glob("*.svg")} == {*every_figure, "census"}  # drawn by `hopattn heads`


@cache
def on_slide(name):
    """The figure of the gallery as matplotlib holds it, its SVG, and notes on it."""
    figures = []

    class Seen(every_figure[name]):
        def draw(self, figure, result):
            figures.append(figure)
            super().draw(figure, result)

    return figures, *rendered_figure(Seen(), Seen().result())


@pytest.mark.parametrize("name", KEPT)
def test_the_gallery_equals_what_is_drawn_now(name):
    _, svg, notes = on_slide(name)
    assert (notes == () and b"theory" in svg) or name == "phases"
    if f"<!-- made with matplotlib {matplotlib.__version__} -->" in (GALLERY / "README.md").read_text("utf-8"):
        assert figure_differences((GALLERY / f"{name}.svg").read_text("utf-8"), svg.decode()) == [], "make figures"


@pytest.mark.parametrize("name", KEPT)
def test_the_command_of_all_figures_draws_them_without_a_run(name, hopattn, tmp_path, monkeypatch):
    monkeypatch.setattr("hopattn.figures.base.run", None)
    code, out, _ = hopattn("figures", name, "--lang", "de", "--no-title")
    assert (code, Path(out.strip())) == (0, Path("figures") / f"{name}.svg")
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", (tmp_path / "figures" / f"{name}.svg").read_text("utf-8"))
    assert not any("network" in text or "retrieval" in text for text in texts)
    assert any("Versuche" in text for text in texts)


def test_they_are_listed(hopattn):
    listed = hopattn("figures", "--list")[1]
    assert all(re.search(rf"^ *{name} ", listed, re.MULTILINE) for name in KEPT)


# A dark slide has the geometry of a light one.
@pytest.mark.parametrize("style", count([*STYLES], ["slide", "paper"]))
@pytest.mark.parametrize("name", KEPT)
def test_no_text_is_cut_or_covered(name, style):
    plot = every_figure[name]()
    if style == "slide":
        (figure,) = on_slide(name)[0]  # in the first font
    else:
        figure, _ = fitted(lambda at: plot.draw(at, plot.result()), STYLES[style])
    figure.draw_without_rendering()
    assert overlapping(figure) == [] and outside(figure) == []


def test_a_single_run_of_the_scenario_is_refused_with_the_command_that_draws_the_sweep(hopattn, tmp_path):
    with pytest.raises(ha.InvalidInput, match="it shows the sweep of 'capacity' instead of a single run; `hopattn fig"):
        ha.plot(result_of("capacity"), "capacity")
    code, _, errors = hopattn("run", "capacity", "--figures", "capacity")
    assert code == 2 and "`hopattn figures capacity` draws it" in errors
    assert not list(tmp_path.iterdir()), "the name of a figure is not a folder"


def test_the_command_runs_a_scenario_of_several_figures_once(hopattn, monkeypatch):
    runs = []
    monkeypatch.setattr(
        "hopattn.figures.base.run", lambda scenario: runs.append(scenario.name) or result_of("similarity")
    )
    assert hopattn("figures", "similarity", "neuron", "projection")[0] == 0
    assert runs == ["similarity"]
