"""The figure that shows a result best: the scenario names it, or the first that fits of a list."""

import subprocess
import sys

import pytest

import hopattn as ha
from hopattn.figures.gallery import plots
from hopattn.figures.rendering import favourite
from hopattn.foundation.errors import InvalidInput
from hopattn.scenario.language.figure_table import figure_names
from tests.runs import result_of, scenario_of


def named(figure):
    return ha.run(ha.load("bank"), overrides={"figure.gallery": figure})


def test_a_scenario_names_it():
    assert favourite(result_of("bank")).name == "moved"
    assert favourite(named("steps")).name == "steps"
    assert favourite(result_of("self-attention")).name == "qkv"


def test_a_figure_that_does_not_fit_is_refused_when_it_is_drawn():
    with pytest.raises(InvalidInput, match="figure 'neuron' cannot be drawn from 'bank'"):
        favourite(named("neuron"))


def test_an_unknown_figure_is_refused_when_the_file_is_read(tmp_path):
    text = scenario_of("bank").text.replace('gallery = "moved"', 'gallery = "atention"')
    line = 1 + text[: text.index("atention")].count("\n")
    (tmp_path / "b.toml").write_text(text)
    with pytest.raises(InvalidInput, match=rf"b\.toml:{line}: figure\.gallery: 'atention' .*did you mean 'attention'"):
        ha.load(tmp_path / "b.toml")
    with pytest.raises(InvalidInput, match=r"--set figure\.gallery: 'mask' is unknown; did you mean 'masks'"):
        named("mask")


def test_a_scenario_knows_the_names_of_the_figures_without_their_modules():
    assert figure_names() == [*plots]
    code = "import sys, hopattn as ha; ha.load('bank'); sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
