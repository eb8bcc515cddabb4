"""Spins in a file: sampled averages agree with exact ones where they should, and not elsewhere; errors are reported."""

import numpy as np
import pytest

import hopattn as ha
from hopattn.scenario.kinds.ising import Ising
from hopattn.scenario.loading import parse
from tests.counts import count
from tests.each import each
from tests.refusal import problems

TEXT = """schema = 1
title = "spins"
source = "ours"
kind = "ising"
[ising]
couplings = [[0, 1, 0], [1, 0, -1], [0, -1, 0]]
temperatures = [0.5, 2]
"""
PATTERNS = TEXT.replace("couplings = [[0, 1, 0], [1, 0, -1], [0, -1, 0]]", "patterns = [[1, 1, -1], [1, -1, 1]]")
MAGNET = TEXT.replace("couplings = [[0, 1, 0], [1, 0, -1], [0, -1, 0]]", "curie_weiss = 20")
ROW = f"[{', '.join(['1'] * 17)}]"


def arrays_of(text):
    return {name: array.values for name, array in ha.run(parse(text, "i.toml", "i")).arrays.items()}


def test_the_template_runs():
    assert ha.run(parse(Ising.template(), "t.toml", "t")).ok


@pytest.mark.parametrize("extra", ["", "bias = [0.3, 0, -0.1]\n"])
def test_the_averages_are_those_of_the_public_function(extra):
    arrays = arrays_of(TEXT + extra)
    bias = [0.3, 0, -0.1] if extra else 0.0
    exact = ha.networks.boltzmann(ha.Hopfield([[0, 1, 0], [1, 0, -1], [0, -1, 0]], bias=bias), [0.5, 2])
    np.testing.assert_allclose(arrays["thermal"][:, 0], exact.energy / 3, rtol=1e-12)
    np.testing.assert_allclose(arrays["thermal"][:, 1], exact.free_energy / 3, rtol=1e-12)
    assert "sampled" not in arrays and "deviation" not in arrays


@pytest.mark.quick(2)
@pytest.mark.parametrize("text", [TEXT, TEXT + "bias = [0.3, 0, -0.1]\n", PATTERNS, MAGNET])
def test_glaubers_averages_are_within_four_standard_errors(text):
    for seed in range(count(10, 2)):
        spec = text.replace('kind = "ising"', f'kind = "ising"\nseed = {seed}')
        assert arrays_of(spec + "sweeps = 60\nchains = 100\n")["deviation"] < 4


def test_a_wrong_temperature_of_the_chains_would_be_seen(monkeypatch):
    import hopattn.scenario.kinds.ising as kind

    monkeypatch.setattr(kind, "Glauber", lambda t: ha.Glauber(1.3 * t))
    assert arrays_of(MAGNET + "sweeps = 60\nchains = 100\n")["deviation"] > 6


def test_chains_that_never_change_have_an_error_above_zero():
    """Two spins of one sign at T = .02: no chain turns; the error is that of one event in 50 × 40 sweeps."""
    cold = TEXT.replace("[[0, 1, 0], [1, 0, -1], [0, -1, 0]]", "[[0, 1], [1, 0]]").replace("[0.5, 2]", "[0.02]")
    arrays = arrays_of(cold + "sweeps = 40\nburn_in = 60\n")
    assert (arrays["errors"] == 1 / 2000).all() and arrays["deviation"] < 1e-9


def test_the_curve_of_a_magnet_passes_through_its_averages():
    result = ha.run(parse(MAGNET.replace("[0.5, 2]", "[2, 0.5]"), "i.toml", "i"))
    curve = result.arrays["curve"]
    assert (curve.labels[0][0], curve.labels[0][-1]) == ("0.5", "2")
    np.testing.assert_allclose(curve.values[[-1, 0], 1], result.arrays["overlaps"].values[:, 0], rtol=1e-12)
    np.testing.assert_allclose(curve.values[[-1, 0], 0], result.arrays["mean-field"].values[:, 0], atol=1e-12)


@each(
    ("text", "message"),
    [
        (
            MAGNET.replace("curie_weiss = 20\n", ""),
            "5: ising: needs one of `couplings`, `patterns` and `curie_weiss`; none is given",
        ),
        (
            MAGNET + "patterns = [[1, 1]]\n",
            "5: ising: needs one of `couplings`, `patterns` and `curie_weiss`; `patterns` and `curie",
        ),
        (
            MAGNET + "patterns = [[1, -1]]\n",
            "5: ising: needs one of `couplings`, `patterns` and `curie_weiss`; `patterns` and `curie_weiss` are",
        ),
        (TEXT.replace("[0.5, 2]", "[1e-300]"), "7: ising.temperatures: 1e-300 is too small for an energy of"),
        (
            MAGNET.replace("[0.5, 2]", "[1, 1e301]"),
            "7: ising.temperatures: 1e+301 is too large; expected at most 1e+300",
        ),
        (MAGNET + "bias = [1]\n", "8: ising.bias: belongs to `couplings`, and `curie_weiss` is given"),
        (MAGNET + 'model = "dense"\n', "8: ising.model: belongs to `patterns`, and `curie_weiss` is given"),
        (TEXT.replace("[0.5, 2]", "[0.5, 0]"), "7: ising.temperatures.2: got 0; expected more than 0"),
        (TEXT.replace("[0.5, 2]", "[-1]"), "7: ising.temperatures.1: got -1; expected more than 0"),
        (TEXT.replace("-1, 0]]", "-1, 0, 1]]"), "6: ising.couplings.3: 4 numbers do not fit 3 spins"),
        (
            TEXT.replace("[0, -1, 0]]", "[0, 1, 0]]"),
            "6: ising.couplings: it has no energy: the couplings are not symmetric",
        ),
        (TEXT + "bias = [1, 2]\n", "8: ising.bias: shape (2,) does not fit 3 neurons"),
        (PATTERNS.replace("[[1, 1, -1]", "[[1, 0, -1]"), "6: ising.patterns: "),
        (PATTERNS + 'model = "modern"\n', "6: ising.patterns: its activation 'identity' gives no spins"),
        (PATTERNS + 'model = "sequence"\n', "6: ising.patterns: it has no energy"),
        (PATTERNS + 'model = "densse"\n', "8: ising.model: 'densse' is unknown; did you mean 'dense'?"),
        (
            PATTERNS.replace("[[1, 1, -1], [1, -1, 1]]", f"[{ROW}]"),
            "6: ising.patterns: 17 spins have 2^17 states; at most 16 spins are summed, or more with `curie_weiss`",
        ),
        (MAGNET.replace("20", "100000"), "7: ising.temperatures: 100,001 sums at 109 temperatures are 10,900,109"),
        (MAGNET.replace("20", "200") + "sweeps = 5\n", "8: ising.sweeps: 200 spins; at most 128 are drawn"),
        (
            MAGNET + "sweeps = 5000\n",
            "8: ising.sweeps: 5020 sweeps of 20 spins in 50 chains at 2 temperatures are about",
        ),
        (MAGNET + "sweeps = 5\nchains = 1\n", "9: ising.chains: got 1; expected at least 2"),
        (MAGNET + '[[expect]]\nmeasure = "deviation"\nis = 0\n', "9: expect.1.measure: 'deviation' is unknown"),
    ],
)
def test_a_wrong_file_is_refused(text, message):
    (found,) = problems(text)
    assert found.startswith(f"file.toml:{message}"), found


@pytest.mark.parametrize("model, needed", [("bam", "right"), ("input_driven", "input")])
def test_a_model_that_needs_more_than_patterns_is_refused_by_its_key(model, needed):
    problem = f"ising.model: '{model}' needs {needed}, which kind = \"memory\" has a key for"
    assert any(problem in line for line in problems(PATTERNS + f'model = "{model}"\n'))
