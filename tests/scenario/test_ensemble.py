"""Ensembles of random memories agree with mean-field theory, enumeration and loops over their own patterns."""

import json
from itertools import product

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad
from scipy.special import erf, erfc
from scipy.stats import beta

import hopattn as ha
from tests.refusal import refused
from tests.scenario.scenarios_of_kinds import FORGETTING, scenario
from tests.texts import parsed

RNG = np.random.default_rng


def text_of(**keys):
    """The text of an ensemble; a key that is None is left out."""
    lines = ["[ensemble]"]
    for key, value in ({"neurons": 100, "load": 0.05, "model": "hopfield"} | keys).items():
        parts = value.items() if isinstance(value, dict) else [("", value)]
        lines += [f"{key}{'.' * bool(part)}{part} = {json.dumps(one)}" for part, one in parts if one is not None]
    return scenario("ensemble", "\n".join([*lines, ""]))


def arrays_of(seed=None, **keys):
    return ha.run(parsed(text_of(**keys)), seed).arrays


def of_rows(folder, rows, array=None, **keys):
    """The file of a scenario that stores, and cues, the rows of a file beside it; `array`: one of several arrays."""
    np.savetxt(folder / "own.csv", rows, delimiter=",")
    np.savez(folder / "own.npz", others=rows[:1], mine=rows)
    own = {"neurons": None, "load": None, "file": "own.npz" if array else "own.csv", "array": array}
    (folder / "e.toml").write_text(text_of(**own | {"patterns": len(rows), "cues": len(rows)} | keys))
    return folder / "e.toml"


@pytest.mark.slow
@pytest.mark.parametrize(("load", "temperature"), [(0.05, 0), (0.08, 0), (0.1, 0), (0.12, 0), (0.05, 0.3), (0.02, 0.4)])
def test_the_overlap_at_the_end_is_that_of_the_theory(load, temperature):
    """10 networks of 1,000 neurons with 5 cues each; finite networks differ by a term of order 1/N, here 0.003."""
    glauber = {"update": {"name": "glauber", "temperature": temperature}, "max_steps": 20} if temperature else {}
    text = text_of(neurons=1000, load=load, cues=1 if temperature else 5, **glauber)
    sweep = ha.experiments.sweep_scenario(parsed(text), {"load": (load,)}, trials=10, measures=["overlap"], workers=1)
    error = np.std(sweep.values["overlap"]) / np.sqrt(10)
    assert abs(sweep.mean("overlap")[0] - ha.theory.overlap(load, temperature)) < 4 * error + 0.003


GLAUBER = {"neurons": 8, "load": 0.1, "update": {"name": "glauber", "temperature": 60}}


@pytest.mark.slow
def test_the_mean_overlap_after_the_burn_in_is_that_of_boltzmanns_distribution():
    """One pattern of 8 neurons, E = −[ξ·x]₊³/3, T = 60: the mean of m over all 2⁸ states, weighted by exp(−E/T).

    By the symmetry of ±ξ all patterns have the same mean. 800 sweeps, fixed seed; the last state alone has a standard
    deviation of .4.
    """
    states = np.array(list(product([-1, 1], repeat=8)))
    overlaps = states.mean(axis=1)  # with the pattern of ones
    weights = np.exp(np.maximum(states.sum(axis=1), 0) ** 3 / 3 / 60)
    exact = weights @ overlaps / weights.sum()
    arrays = arrays_of(**GLAUBER, max_steps=800, burn_in=10, model={"name": "dense", "n": 3})
    assert arrays["overlap"].values == arrays["overlaps"].values[0] == pytest.approx(exact, abs=0.04)
    assert 0.1 < exact < 0.2 and weights @ overlaps**2 / weights.sum() - exact**2 > 0.4**2


@pytest.mark.parametrize("burn_in", [0, 1, 3])
def test_the_overlap_after_a_burn_in_is_the_mean_over_all_later_sweeps_of_each_cues_own_pattern(burn_in):
    keys = GLAUBER | {"load": 0.25, "flips": [0, 0.25, 0.5], "cues": 2}
    by_sweep = [arrays_of(**keys, max_steps=n)["overlaps"].values for n in range(burn_in + 1, 5)]
    mean = arrays_of(**keys, max_steps=4, burn_in=burn_in)["overlaps"].values
    assert mean.shape == (6,)
    np.testing.assert_allclose(mean, np.mean(by_sweep, axis=0), atol=1e-12)
    cold = {"update": {"name": "glauber", "temperature": 1e-6}, "max_steps": 30}  # it comes to rest before
    assert arrays_of(cues=5, **cold, burn_in=burn_in)["overlaps"].values == pytest.approx(np.ones(5))


def test_each_cued_pattern_is_cued_once_with_each_fraction_of_flips():
    arrays = arrays_of(flips=[0, 0.1, 0.3], cues=2)
    assert arrays["start"].values == pytest.approx([1, 0.8, 0.4] * 2)
    assert arrays["overlaps"].values.shape == (6,) and arrays["overlaps"].values[[0, 1, 3, 4]] == pytest.approx(1)
    assert arrays["energy"].values.shape[0] == 6 and np.all(np.diff(arrays["energy"].values) <= 1e-9)
    assert arrays["status"].labels == (tuple("123456"),) and set(arrays["status"].values) == {"converged"}
    assert arrays["converged"].values == 1 and arrays["overlap"].values == arrays["overlaps"].values.mean()
    assert arrays_of(cues=9)["overlaps"].values.shape == (5,), "at most all patterns are cued"


@pytest.mark.parametrize(("key", "start"), [("flip", 1 - 2 * 0.3), ("hide", np.sqrt(0.7))])
def test_exactly_a_fraction_of_each_cue_is_damaged(key, start):
    assert arrays_of(**{key: 0.3}, cues=3)["start"].values == pytest.approx([start] * 3)


@pytest.mark.parametrize(
    ("key", "number", "stored"), [("load", 0.05, 5), ("load", 0.001, 1), ("patterns", 7, 7), ("exponent", 0.02, 7)]
)
def test_the_number_of_patterns_follows_from_one_of_three_keys(key, number, stored):
    assert len(arrays_of(**{"load": None, key: number}, cues=1000)["overlaps"].values) == stored


@pytest.mark.parametrize("model", ["modern", "nearest", "sparse", "spherical", "dense"])
def test_any_model_that_recalls_its_own_patterns_can_be_used(model):
    sharp = {"name": model, **({} if model in ("nearest", "dense") else {"beta": 30.0})}
    unit = {} if model == "dense" else {"sort": "unit", "noise": 0.01}
    assert arrays_of(model=sharp, cues=5, **unit)["recalled"].values == 1


def test_the_energy_is_kept_of_the_first_hundred_cues_and_empty_without_one():
    few = {"neurons": 20, "load": 6.0, "cues": 120, "max_steps": 2}
    assert arrays_of(**few)["energy"].values.shape[0] == 100
    assert ha.memories.nearest(np.eye(3)).why_not("energy")
    assert arrays_of(**few, model="nearest")["energy"].values.shape == (100, 0)


def returned_by_hand(rng, size, n_patterns, flips):
    """The share of cues that a network of other code brings back, by single neurons in a random order."""
    patterns = rng.choice([-1, 1], size=(n_patterns, size))
    couplings = patterns.T @ patterns / size
    np.fill_diagonal(couplings, 0)
    own = np.repeat(patterns, len(flips), axis=0)
    turned = rng.permuted(np.tile(np.arange(size), (len(own), 1)), axis=1) < size * np.tile(flips, n_patterns)[:, None]
    states = np.where(turned, -own, own).astype(float)
    for _ in range(50):
        for i in rng.permutation(size):
            fields = states @ couplings[i]
            states[:, i] = np.where(fields == 0, states[:, i], np.sign(fields))
    return np.mean(np.sum(states * own, axis=1) / size >= 0.95)


def test_the_basins_are_those_of_a_network_of_other_code():
    """4 networks of 200 neurons and 20 patterns, 60 cues each: the standard error of a difference is at most .046."""
    keys = {"neurons": 200, "load": 0.1, "flips": [0.25, 0.35, 0.45], "cues": 20}
    ours = np.mean([arrays_of(seed, **keys)["recalled"].values for seed in range(4)])
    theirs = np.mean([returned_by_hand(RNG(seed), 200, 20, keys["flips"]) for seed in range(4)])
    assert 0.2 < theirs < 0.8 and abs(ours - theirs) < 4 * 0.046


def test_the_first_step_leads_to_the_overlap_of_kinzel():
    """m' = erf(m/√(2α)) for each start overlap m; 20 cues of 1,000 neurons each, 4 standard errors of a share."""
    keys = {"flips": [0, 0.1, 0.2, 0.3, 0.4], "cues": 20, "update": "sync", "max_steps": 1}
    arrays = arrays_of(neurons=1000, load=0.1, **keys)
    start, end = arrays["start"].values.round(6), arrays["overlaps"].values
    for m in np.unique(start):
        assert end[start == m].mean() == pytest.approx(erf(m / np.sqrt(0.2)), abs=4 * 2 * 0.5 / np.sqrt(20_000) + 0.01)


@pytest.mark.parametrize("array", [None, "mine"])
def test_own_patterns_are_rows_of_a_file_other_ones_in_each_trial(tmp_path, array):
    """A memory of four rows: the sum of its energies at the rows differs from draw to draw."""
    rows = RNG(1).choice([-1.0, 1.0], (20, 40))
    path = of_rows(tmp_path, rows, array, patterns=4, cues=4)
    runs = [ha.run(path, seed).arrays for seed in range(5)]
    assert all(run["start"].values == pytest.approx(np.ones(4)) for run in runs)
    assert len({run["energy"].values[:, 0].sum() for run in runs}) == 5
    path = of_rows(tmp_path, rows, array, patterns=None, load=0.1)
    assert ha.run(path).arrays["overlaps"].values.shape == (4,)
    sweep = ha.experiments.sweep_scenario(
        ha.load(path), {"load": (0.1, 0.5)}, measures=["recalled"], trials=3, workers=1
    )
    assert sweep.mean("recalled")[0] > sweep.mean("recalled")[1]


def test_own_patterns_of_0_and_1_are_damaged_as_such(tmp_path):
    """Of a neuron of 0 that is reversed comes 1: the cosine of ξ and ξ without k and with n − k other neurons."""
    model = {"name": "hopfield", "rule": "covariance", "activation": "step", "bias": -0.3}
    path = of_rows(tmp_path, np.arange(30)[None] % 2, flips=[0.1, 0.2], max_steps=1, model=model)
    for start, n in zip(ha.run(path).arrays["start"].values, (3, 6), strict=True):
        possible = [(15 - k) / np.sqrt(15 * (15 - k + n - k)) for k in range(n + 1)]
        assert np.min(np.abs(start - possible)) < 1e-12


@pytest.mark.parametrize(
    ("keys", "place", "words"),
    [
        ({"patterns": 9}, "patterns", "asks for 9 patterns; 'own.csv' holds 5"),
        ({"patterns": None, "load": 2}, "load", "asks for 12 patterns; 'own.csv' holds 5"),
        ({"neurons": 6}, "neurons", "random patterns"),
        ({"sort": "unit"}, "sort", "random patterns"),
        ({"model": {"name": "hopfield", "activation": "step"}}, "file", "'own.csv' holds other numbers"),
    ],
)
def test_own_patterns_that_do_not_fit_are_refused(tmp_path, keys, place, words):
    with pytest.raises(ha.InvalidInput, match=rf":\d+: ensemble\.{place}: .*{words}"):
        ha.load(of_rows(tmp_path, np.full((5, 6), -1), **keys))


@pytest.fixture
def rows():
    """14 patterns of 60 spins, so many that neurons turn."""
    return RNG(3).choice([-1.0, 1.0], size=(14, 60))


def test_the_crosstalk_of_a_network_is_that_of_its_fields_by_loops(tmp_path, rows):
    arrays = ha.run(of_rows(tmp_path, rows, crosstalk=True)).arrays
    fields = [[sum(p[i] * (p @ own - p[i] * own[i]) for p in rows) / 60 for i in range(60)] for own in rows]
    towards = np.array(fields) * rows
    assert arrays["compared"].values == "fields" and arrays["theory"].values == 0, "a file has no theory"
    assert arrays["signal"].values == pytest.approx(np.mean(towards))
    assert arrays["spread"].values == pytest.approx(np.std(towards))
    assert arrays["wrong"].values == np.mean(towards < 0) > 0


def test_the_crosstalk_of_a_memory_is_that_of_its_scores_by_loops(tmp_path, rows):
    keys = {"crosstalk": True, "weights": True, "model": {"name": "modern", "beta": 0.1}}
    arrays = ha.run(of_rows(tmp_path, rows, **keys)).arrays
    others = (rows @ rows.T)[~np.eye(14, dtype=bool)] / 60
    assert arrays["compared"].values == "scores" and arrays["signal"].values == pytest.approx(1)
    assert arrays["spread"].values == pytest.approx(np.std(others)) and arrays["wrong"].values == 0
    weights = np.exp(0.1 * rows @ rows.T)
    assert arrays["weight"].values == pytest.approx(np.mean(np.diag(weights) / weights.sum(axis=1)))
    centres = np.array([float(label) for label in arrays["crosstalk"].labels[0]])
    width = np.diff(centres)[0]
    counts, _ = np.histogram(others, np.append(centres - width / 2, centres[-1] + width / 2))
    np.testing.assert_allclose(arrays["crosstalk"].values, counts / (14 * 13 * width), rtol=1e-4)
    twins = ha.run(of_rows(tmp_path, np.vstack([rows, rows[:1]]), **keys)).arrays
    assert twins["wrong"].values == pytest.approx(2 / (15 * 14)), "a score as large as the signal is wrong"
    assert ha.run(of_rows(tmp_path, rows, **keys, flip=0.1)).arrays["signal"].values == pytest.approx(0.8)


def test_random_patterns_have_the_crosstalk_of_the_theory_and_its_share_of_unstable_neurons():
    keys = {"neurons": 500, "load": 0.3, "crosstalk": True, "cues": 150, "max_steps": 1}
    fields, scores = arrays_of(**keys), arrays_of(**keys, model="modern")
    spread = np.sqrt(149 * 499) / 500
    assert fields["theory"].values == pytest.approx(spread) == pytest.approx(fields["spread"].values, rel=0.03)
    assert fields["wrong"].values == pytest.approx(erfc(1 / (spread * np.sqrt(2))) / 2, rel=0.1)
    assert (
        scores["theory"].values == pytest.approx(1 / np.sqrt(500)) == pytest.approx(scores["spread"].values, rel=0.03)
    )
    noisy = {"noise": 0.1, "sort": "unit", "model": "modern"}
    assert arrays_of(neurons=50, crosstalk=True, **noisy)["theory"].values == 0
    for key in ("correlation", "hide", "activity"):
        assert arrays_of(neurons=50, crosstalk=True, **{key: 0.1})["theory"].values == 0
    alone = arrays_of(neurons=4, crosstalk=True, model="modern")
    assert [alone[name].values for name in ("signal", "spread", "wrong")] == [1, 0, 0]


@pytest.mark.parametrize("model", ["hopfield", "dense", "exponential"])
def test_a_wrong_neuron_is_one_whose_turn_lowers_the_energy(tmp_path, rows, model):
    arrays = ha.run(of_rows(tmp_path, rows, bits=True, model=model)).arrays
    memory = getattr(ha.memories, model)(rows)
    turned = rows[:, None] * (1 - 2 * np.eye(60))
    wrong = np.asarray(memory.energy(rows))[:, None] - np.asarray(memory.energy(turned)) > 1e-9
    assert arrays["bit_error"].values == pytest.approx(wrong.mean())
    assert arrays["stable"].values == pytest.approx(np.mean(~wrong.any(axis=1)))


def test_of_a_sequence_the_next_pattern_is_the_right_one(tmp_path):
    """Three rows follow each other in one of two orders."""
    rows = RNG(1).choice([-1.0, 1.0], size=(3, 4))
    arrays = ha.run(of_rows(tmp_path, rows, bits=True, max_steps=1, model={"name": "sequence", "n": 2})).arrays
    possible = []
    for following in (np.roll(rows, -1, axis=0), np.roll(rows, 1, axis=0)):
        fields = np.maximum(rows @ rows.T, 0) @ following
        wrong = np.where(fields == 0, rows, np.sign(fields)) != following  # a spin without a field stays
        possible.append((wrong.mean(), np.mean(~wrong.any(axis=1))))
    assert any(np.allclose((arrays["bit_error"].values, arrays["stable"].values), one) for one in possible)
    assert min(possible)[0] > 0


def test_errors_are_distances_after_one_step_two_and_all(tmp_path, rows):
    arrays = ha.run(of_rows(tmp_path, rows, errors=True, update="sync", max_steps=3)).arrays
    memory, states, distances = ha.memories.hopfield(rows), rows, []
    for _ in range(3):
        states = np.asarray(memory.step(states))
        distances.append(np.linalg.norm(states - rows, axis=1) / np.sqrt(60))
    first, second, rest = distances
    for name, values in {"first": first, "second": second, "rest": rest, "gain": first - rest}.items():
        assert arrays[name].values == pytest.approx(values.mean()), name
    assert arrays["nearer"].values == np.mean(rest < first - 1e-9) and len({*first.round(6), *rest.round(6)}) > 3


def law(n, carry, beta, attention):
    """a_0/√Σa_i² with every a_i written out, a_i = Σ_{j ≥ i} p_j ρ^(j − i)."""
    weights = np.exp(beta * (np.arange(n + 1) == 0)) if attention else np.array([0.0] * n + [1.0])
    weights = weights / weights.sum()
    shares = [sum(weights[j] * carry ** (j - i) for j in range(i, n + 1)) for i in range(n + 1)]
    return shares[0] / np.linalg.norm(shares)


def test_the_arrays_hold_means_intervals_and_the_law_of_both_readers():
    arrays = ha.run(parsed(FORGETTING)).arrays
    readers = "with attention", "without attention"
    expected = [[law(n, 0.8, 3.0, attention) for n in (0, 3, 20)] for attention in (True, False)]
    np.testing.assert_allclose(arrays["cosine-law"].values, expected, rtol=1e-12)
    assert arrays["cosine"].labels == (readers, ("0", "3", "20"))
    off = np.abs(arrays["cosine"].values - expected)
    half = (arrays["cosine-high"].values - arrays["cosine-low"].values) / 2
    assert np.all(off <= 2 * np.nan_to_num(half) + 0.5 / 32), "trials that agree have no interval"
    off = np.abs(arrays["accuracy"].values - arrays["accuracy-law"].values)
    assert np.all(off <= 4 * np.sqrt(np.maximum(arrays["accuracy-law"].values, 0.02) / 50))
    for quantity in ("accuracy", "cosine"):
        for i, reader in enumerate(readers):
            assert arrays[f"{quantity} {reader}"].values == arrays[quantity].values[i, -1]
    share = arrays["accuracy"].values  # of 50 trials that are 0 or 1
    ends = np.stack([arrays[f"accuracy-{end}"].values for end in ("low", "high")], axis=-1)
    by_scipy = [stats.binomtest(round(50 * one), 50).proportion_ci(method="wilson") for one in share.ravel()]
    np.testing.assert_allclose(ends.reshape(-1, 2), by_scipy, atol=1e-12)


def test_the_law_of_the_accuracy_is_an_integral_over_all_directions():
    """ρ = .8, 3 words: the others add a part in a random direction. 7 names must be further from the sum.

    The cosine c of two random directions has the density (1 − c²)^((32 − 3)/2), so (1 + c)/2 has a beta distribution.
    """
    shares = 0.8 ** np.arange(3, -1, -1)
    first, noise = shares[0], np.linalg.norm(shares[1:])

    def wins(c):
        cosine = (first + noise * c) / np.sqrt(first**2 + noise**2 + 2 * first * noise * c)
        return (1 - c * c) ** 14.5 * beta.cdf((1 + cosine) / 2, 15.5, 15.5) ** 7

    accuracy = ha.run(parsed(FORGETTING)).arrays["accuracy-law"].values[1, 1]
    expected = quad(wins, -1, 1)[0] / quad(lambda c: (1 - c * c) ** 14.5, -1, 1)[0]
    assert accuracy == pytest.approx(expected, rel=1e-8)


def test_a_length_has_the_same_texts_whatever_the_others_are_and_another_seed_has_others():
    one, alone, other = (
        ha.run(parsed(FORGETTING.replace("[0, 3, 20]", lengths)), seed).arrays["cosine"].values[1, -1]
        for lengths, seed in (("[0, 3, 20]", 0), ('"20"', 0), ("[20]", 1))
    )
    assert one == alone != other


def test_numbers_of_a_file_that_no_memory_stores_are_refused_with_the_file(tmp_path):
    np.save(tmp_path / "x.npy", np.full((3, 4), 1e160))
    table = '[ensemble]\nfile = "x.npy"\npatterns = 2'
    (tmp_path / "s.toml").write_text(f'schema = 1\ntitle = "t"\nsource = "ours"\nkind = "ensemble"\n{table}\n')
    refused(lambda: ha.load(tmp_path / "s.toml"), f"{tmp_path}/s.toml:5: ensemble: 'x.npy': keys: row 0")


def test_a_memory_of_subsets_is_checked_with_as_many_patterns_as_a_subset_has():
    keys = {"neurons": 20, "load": None, "patterns": 5, "cues": 2}
    assert arrays_of(**keys, model="k_subsets")["overlaps"].values.shape == (2,)
    assert arrays_of(**keys, model={"name": "k_subsets", "k": 4})["status"].values.shape == (2,)
    text = text_of(**keys, model={"name": "k_subsets", "k": 6})
    refused(lambda: parsed(text), "file.toml:5: ensemble: k:", "from 1 to 5, not 6")


def test_patterns_that_are_no_cues_of_the_memory_are_refused_at_their_sort():
    refused(lambda: parsed(text_of(model="spherical")), "file.toml:5: ensemble.sort: a cue", "choose another sort")
    refused(lambda: parsed(text_of(model="spherical", hide=0.5)), "file.toml:9: ensemble.hide: a cue")
