"""Ensembles of random memories agree with the mean-field theory of the Hopfield network; errors are reported."""

from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import erf

import hopattn as ha
from hopattn.scenario.loading import parse
from tests.counts import count, spread
from tests.each import each
from tests.refusal import problems

TEXT = """schema = 1
title = "an ensemble"
source = "ours"
kind = "ensemble"
[ensemble]
neurons = 100
load = 0.05
model = "hopfield"
"""
GLAUBER = (
    TEXT.replace("neurons = 100\nload = 0.05", "neurons = 8\npatterns = 1")
    + 'update = { name = "glauber", temperature = 60 }\n'
)
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(80)


def overlap_at_rest(load):
    """m at T = 0 for infinitely many neurons: y(√(2α) + 2/√π exp(−y²)) = erf y = m (Amit et al. 1985)."""

    def excess(y):
        return y * (np.sqrt(2 * load) + 2 / np.sqrt(np.pi) * np.exp(-(y**2))) - erf(y)

    grid = np.linspace(6, 0.5, 2000)
    after = next(i for i in range(1, 2000) if excess(grid[i - 1]) > 0 >= excess(grid[i]))
    return erf(brentq(excess, grid[after], grid[after - 1]))


def overlap_at(load, temperature):
    """m at T > 0, from Amit et al. 1985: m and q iterated from 1."""
    beta, m, q = 1 / temperature, 1.0, 1.0
    for _ in range(2000):
        r = q / (1 - beta * (1 - q)) ** 2
        thermal = np.tanh(beta * (m + np.sqrt(load * r) * NODES))
        m, q = (WEIGHTS @ thermal / WEIGHTS.sum(), WEIGHTS @ thermal**2 / WEIGHTS.sum())
    return m


@pytest.mark.quick(1)
@pytest.mark.parametrize("load", spread([0.05, 0.08, 0.1, 0.12], 2))
def test_the_overlap_at_the_fixed_point_is_that_of_the_theory(load):
    """10 networks of 1,000 neurons with 5 cues each; finite networks differ by a term of order 1/N, here 0.003."""
    axes = {"load": (load,)}
    overrides = {"ensemble.neurons": 1000, "ensemble.cues": 5}
    sweep = ha.experiments.sweep_scenario(
        parse(TEXT, "e.toml", "e"), axes, trials=10, measures=["overlap"], overrides=overrides, workers=1
    )
    error = np.std(sweep.values["overlap"]) / np.sqrt(10)
    assert abs(sweep.mean("overlap")[0] - overlap_at_rest(load)) < 4 * error + 0.003


@pytest.mark.parametrize(("load", "temperature"), spread([(0.05, 0.3), (0.02, 0.4)], 1))
def test_the_overlap_at_a_temperature_is_that_of_the_theory(load, temperature):
    """10 networks of 1,000 neurons after 20 sweeps."""
    overrides = {"ensemble.neurons": 1000, "ensemble.update": {"name": "glauber", "temperature": temperature}}
    overrides |= {"ensemble.max_steps": 20}
    sweep = ha.experiments.sweep_scenario(
        parse(TEXT, "e.toml", "e"), {"load": (load,)}, trials=10, measures=["overlap"], overrides=overrides, workers=1
    )
    error = np.std(sweep.values["overlap"]) / np.sqrt(10)
    assert abs(sweep.mean("overlap")[0] - overlap_at(load, temperature)) < 4 * error + 0.003


@pytest.mark.quick(0)
def test_the_mean_overlap_after_the_burn_in_is_that_of_boltzmanns_distribution():
    """One pattern of 8 neurons, E = −[ξ·x]₊³/3, T = 60: the mean of m over all 2⁸ states, weighted by exp(−E/T).

    By the symmetry of ±ξ all patterns have the same mean. 800 sweeps, fixed seed; the last state alone has a standard
    deviation of .4.
    """
    states = np.array(list(product([-1, 1], repeat=8)))
    overlaps = states.mean(axis=1)  # with the pattern of ones
    weights = np.exp(np.maximum(states.sum(axis=1), 0) ** 3 / 3 / 60)
    exact = weights @ overlaps / weights.sum()
    text = GLAUBER.replace('"hopfield"', '{ name = "dense", n = 3 }') + "max_steps = 800\nburn_in = 10\n"
    arrays = ha.run(parse(text, "e.toml", "e")).arrays
    assert arrays["overlap"].values == arrays["overlaps"].values[0] == pytest.approx(exact, abs=0.04)
    assert 0.1 < exact < 0.2 and weights @ overlaps**2 / weights.sum() - exact**2 > 0.4**2


def test_the_burn_in_is_left_out_of_the_mean():
    table = parse(GLAUBER + "max_steps = 4\nburn_in = 2\n", "e.toml", "e").spec.ensemble
    overlaps = np.array([0.0, 0.1, 0.2, 0.4, 0.8])[:, None, None]
    record = SimpleNamespace(overlaps=overlaps)
    assert table.overlaps(record, np.ones((1, 8))) == pytest.approx([0.6])
    stopped = SimpleNamespace(overlaps=overlaps[:3])  # at a fixed point, which later sweeps keep
    assert table.overlaps(stopped, np.ones((1, 8))) == pytest.approx([0.2])


def test_a_run_has_the_overlap_and_the_status_of_every_cue():
    result = ha.run(parse(TEXT + 'cues = 3\nflip = 0.1\n[[expect]]\nmeasure = "recalled"\nis = 1\n', "e.toml", "e"))
    assert result.ok
    arrays = result.arrays
    assert arrays["overlaps"].values.shape == (3,) and arrays["overlap"].values == arrays["overlaps"].values.mean()
    assert set(arrays["status"].values) == {"converged"} and arrays["converged"].values == 1


def test_the_same_seed_gives_the_same_json_and_another_seed_does_not():
    text = TEXT.replace('"hopfield"', '"modern"') + 'sort = "unit"\nnoise = 0.1\n'
    one, same, other = (ha.run(parse(text, "e.toml", "e"), seed).to_json() for seed in (1, 1, 2))
    assert one == same != other.replace('"seed": 2', '"seed": 1')


@pytest.mark.parametrize("model", ['"modern"', '"nearest"', '{ name = "dense", n = 4 }', '"sparse"', '"spherical"'])
def test_any_model_that_recalls_its_own_patterns_can_be_used(model):
    text = TEXT.replace('"hopfield"', model) + ('sort = "unit"\nnoise = 0.01\n' if "dense" not in model else "")
    result = ha.run(parse(text, "e.toml", "e"))
    assert 0 <= result.arrays["recalled"].values <= 1


@each(
    ("change", "message"),
    [
        (("load = 0.05", ""), "ensemble: needs one of `patterns`, `load` and `exponent`; none is given"),
        (
            ("load = 0.05", "load = 0.05\npatterns = 3"),
            "needs one of `patterns`, `load` and `exponent`; `patterns` and `load` are given",
        ),
        (("load = 0.05", "load = -1"), "load: got -1; expected more than 0"),
        (("neurons = 100", "neurons = 0"), "neurons: got 0"),
        (("neurons = 100", "neurons = 1000000"), "would take about"),
        (("load = 0.05", "load = 0.05\nflip = 2"), "flip: got 2; expected at most 1"),
        (("load = 0.05", "load = 0.05\nnoise = 0.1"), "or 0 for unknown; use `flip`"),
        (("load = 0.05", "load = 0.05\ncorrelation = 1"), "at 1 all patterns are one"),
        (('"hopfield"', '"hopfeld"'), "did you mean 'hopfield'"),
        (('"hopfield"', '"sdm"'), "needs"),
        (('"hopfield"', '"hopfield"\nupdate = "graded"'), "update: graded neurons need an activation"),
        (('"hopfield"', '"hopfield"\nbeta = 2'), "is a part of the model 'hopfield'"),
        (
            ("load = 0.05", "load = 0.05\nburn_in = 5"),
            "burn_in: 'asynchronous' converges; expected an update by chance",
        ),
        (("load = 0.05", "load = 0.05\nburn_in = 100"), "burn_in: 100 of 100 sweeps leave none to average"),
        (("load = 0.05", "load = 0.05\nburn_in = -1"), "burn_in: got -1"),
        (("load = 0.05", "lode = 0.05"), "did you mean 'load'"),
    ],
)
def test_values_that_do_not_fit_are_reported(change, message):
    assert any(message in line for line in problems(TEXT.replace(*change)))


FLIPS = "flips = [0, 0.1, 0.3]\ncues = 2\n"


def test_each_cued_pattern_is_cued_once_with_each_fraction_of_flips():
    arrays = ha.run(parse(TEXT + FLIPS, "e.toml", "e")).arrays
    assert arrays["start"].values == pytest.approx([1, 0.8, 0.4] * 2)
    assert arrays["overlaps"].values.shape == (6,) and arrays["overlaps"].values[[0, 1, 3, 4]] == pytest.approx(1)
    assert arrays["energy"].values.shape[0] == 6
    assert np.all(np.diff(arrays["energy"].values) <= 1e-9)


def test_the_mean_after_the_burn_in_is_that_of_the_own_pattern_of_each_cue():
    table = parse(
        GLAUBER.replace("patterns = 1", "patterns = 2") + FLIPS + "max_steps = 2\nburn_in = 1\n", "e.toml", "e"
    )
    overlaps = np.arange(3 * 6 * 2.0).reshape(3, 6, 2)
    found = table.spec.ensemble.overlaps(SimpleNamespace(overlaps=overlaps), np.ones((6, 8)))
    assert found.tolist() == [24, 26, 28, 31, 33, 35]


def test_flip_and_flips_together_are_refused():
    assert any("`flips` is given too" in line for line in problems(TEXT + FLIPS + "flip = 0.1\n"))


def test_the_energy_is_kept_of_the_first_hundred_cues_and_empty_without_one():
    text = TEXT.replace("neurons = 100\nload = 0.05", "neurons = 20\npatterns = 120") + "cues = 120\nmax_steps = 2\n"
    assert ha.run(parse(text, "e.toml", "e")).arrays["energy"].values.shape[0] == 100
    text = text.replace('"hopfield"', '"nearest"')
    assert "energy" in ha.memories.nearest(np.eye(3)).lacks
    assert ha.run(parse(text, "e.toml", "e")).arrays["energy"].values.shape == (100, 0)


def by_hand(rng, size, count, flips, cued):
    """The share of cues that a network of other code brings back, by single neurons in a random order."""
    patterns = rng.choice([-1, 1], size=(count, size))
    couplings = patterns.T @ patterns / size
    np.fill_diagonal(couplings, 0)
    found = []
    for own in patterns[:cued]:
        for flip in flips:
            state, before = own.astype(float), None
            state[rng.choice(size, round(flip * size), replace=False)] *= -1
            while before is None or not np.array_equal(before, state):
                before = state.copy()
                for i in rng.permutation(size):
                    state[i] = np.sign(couplings[i] @ state) or state[i]
            found.append(state @ own / size >= 0.95)
    return np.mean(found)


def test_the_basins_are_those_of_a_network_of_other_code(results):
    """The scenario states the means over six networks of this code; here is one network with fewer cues."""
    rng = np.random.default_rng(5)
    for run, load in zip(results["attraction"].runs[:2], (0.05, 0.1), strict=True):
        other = by_hand(rng, 500, round(500 * load), np.linspace(0, 0.5, 11), count(10, 2))
        assert float(run.arrays["recalled"].values) == pytest.approx(other, abs=0.2)


def test_the_first_step_leads_to_the_overlap_of_kinzel(results):
    """m' = erf(m/√(2α)), for each start overlap m."""
    arrays = results["attraction"].runs[3].arrays
    start, end = arrays["start"].values, arrays["overlaps"].values
    for m in np.unique(start.round(6)):
        assert end[np.isclose(start, m)].mean() == pytest.approx(erf(m / np.sqrt(0.2)), abs=0.05)


def own(tmp_path, rows, more="patterns = 3", ending=".csv"):
    """An ensemble of the rows of a file, which lies beside the scenario."""
    if ending == ".csv":
        (tmp_path / "own.csv").write_text("".join(",".join(f"{x:g}" for x in row) + "\n" for row in rows))
    else:
        np.savez(tmp_path / f"own{ending}", others=rows[:1], mine=rows)
    text = TEXT.replace("neurons = 100\nload = 0.05", f'file = "own{ending}"\n{more}')
    return text, str(tmp_path / "e.toml")


@each("ending", [".csv", ".npz"])
def test_own_patterns_are_rows_of_a_file_other_ones_in_each_trial(tmp_path, ending):
    rows = np.random.default_rng(1).choice([-1.0, 1.0], (20, 40))
    more = "load = 0.1\ncues = 4\n" + 'array = "mine"\n' * (ending == ".npz")
    text, where = own(tmp_path, rows, more, ending)
    table = parse(text, where, "e").spec.ensemble
    one, other = (table.drawn(np.random.default_rng(seed)) for seed in (1, 2))
    assert one.shape == (4, 40) and not np.array_equal(one, other)
    assert all(any(np.array_equal(row, mine) for mine in rows) for row in (*one, *other))
    assert len(np.unique(one, axis=0)) == 4
    assert ha.run(parse(text, where, "e")).arrays["recalled"].values == 1
    sweep = ha.experiments.sweep_scenario(
        parse(text, where, "e"), {"load": (0.1, 0.5)}, measures=["recalled"], trials=3, workers=1
    )
    assert sweep.mean("recalled")[0] > sweep.mean("recalled")[1]


def test_own_patterns_of_0_and_1_are_damaged_as_such(tmp_path):
    rows = (np.random.default_rng(1).random((6, 30)) < 0.3) * 1.0
    model = '{ name = "hopfield", rule = "covariance", activation = "step", bias = -0.3 }'
    text, where = own(tmp_path, rows, "patterns = 2\nflip = 0.1")
    table = parse(text.replace('"hopfield"', model), where, "e").spec.ensemble
    cues = table.cued(rows[:2], np.random.default_rng(0))
    assert np.isin(cues, (0, 1)).all() and np.all(np.sum(cues != rows[:2], axis=1) == 3)


@each(
    ("more", "message"),
    [
        ("patterns = 9", "patterns: asks for 9 patterns; the file holds 5"),
        ("patterns = 2\nneurons = 6", "neurons: is for random patterns; leave it out, or `file`"),
        ('patterns = 2\narray = "mine"', "array: is for .npz and .safetensors files; a .csv holds one array"),
    ],
)
def test_own_patterns_that_do_not_fit_are_reported(tmp_path, more, message):
    text, where = own(tmp_path, np.ones((5, 6)), more)
    with pytest.raises(ha.InvalidInput) as caught:
        parse(text, where, "e")
    assert message in str(caught.value)
    with pytest.raises(ha.InvalidInput, match="there is no file 'own"):
        parse(text.replace(more, "patterns = 2"), "elsewhere.toml", "e")


@each(
    ("change", "message"),
    [
        (("neurons = 100\n", ""), "ensemble: needs one of `neurons` and `file`"),
        (("load = 0.05", 'load = 0.05\nactivity = 0.1\nsort = "unit"'), "activity: directions have none"),
        (("load = 0.05", "load = 0.05\nactivity = 1.5"), "activity: got 1.5"),
        (("load = 0.05", "load = 0.05\nactivity = 0.1\ncorrelation = 0.2"), "correlation: is for spins with an act"),
        (('"hopfield"', '{ name = "hopfield", activation = "step" }'), 'sort: the neurons of activation "step" are 0'),
        (("load = 0.05", 'load = 0.05\nsort = "binary"'), "row 0 holds 0"),
    ],
)
def test_sparse_patterns_that_do_not_fit_are_reported(change, message):
    assert any(message in line for line in problems(TEXT.replace(*change)))
