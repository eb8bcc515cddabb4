"""Comparisons reproduce the known behaviour of each memory, by referees that share no code with it."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import hadamard

import hopattn as ha
from hopattn.experiments.comparison.contenders import DEFAULT, OTHER_NAMES, contenders
from hopattn.experiments.comparison.result import Comparison
from hopattn.experiments.comparison.row import Row
from hopattn.experiments.comparison.stored_numbers import stored_numbers
from hopattn.foundation.errors import InvalidInput
from hopattn.memories.models import named_memories
from hopattn.views.comparison_text import SCREEN, comparison_table, legend, show_comparison
from tests.draws import betas, stores
from tests.each import each

HADAMARD = np.array([[1.0, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]])


def words(made, axes=()):
    return Comparison("x", tuple(made), axes, 0, ()).words()


def rows(found):
    return {row.memory: row for row in found.rows}


@pytest.mark.parametrize("name", contenders)
def test_every_memory_recalls_orthogonal_patterns_from_themselves(name):
    # The patterns of a Hadamard matrix are fixed points of Hebb's rule below saturation (Hopfield 1982), and the leads
    # of their scores, 4, are beyond the margins of sparsemax, entmax and normmax at β = 8.
    row = rows(ha.compare(HADAMARD[:3], HADAMARD[:3], targets=[0, 1, 2], memories=name, beta=8.0))[name]
    assert (row.refusal, row.recalled, row.recalled_first) == ("", 1.0, 1.0)
    assert row.cosine == pytest.approx(1.0)
    if name != "linear":  # it grows fourfold with each step
        assert row.at_rest == 1.0
        assert row.distance == pytest.approx(0.0, abs=1e-9)


def test_one_key_more_than_a_memory_can_tell_apart_is_seen():
    keys = np.array([[1.0, 0.0], [0.0, 1.0]])
    found = rows(ha.compare(keys, [[0.9, 0.3]], targets=[0], memories=["modern", "nearest"], beta=0.01))
    assert (found["modern"].recalled, found["nearest"].recalled) == (0.0, 1.0)
    assert found["modern"].entropy == pytest.approx(math.log(2), abs=1e-4)
    assert found["modern"].cosine == pytest.approx(0.5**0.5, abs=1e-2)  # it averages


@given(store=stores(), beta=betas, seed=st.integers(0, 9))
def test_one_step_of_softmax_is_attention_whatever_the_mask_and_the_values(store, beta, seed):
    keys, cues, mask = store
    mask[:, 0] = True
    values = np.random.default_rng(seed).normal(size=(len(keys), 3))
    for read in (None, values):
        (row,) = ha.compare(keys, cues, read, memories="modern", beta=beta, mask=mask, max_steps=2).rows
        assert row.is_attention, (row.difference, row.bound)


def test_a_softmax_that_is_none_is_found_out():
    keys = np.array([[1.0, 2.0], [0.5, -1.0]])
    found = ha.compare(keys, keys, memories={"ours": ha.Memory(keys, beta=2.0)}).rows[0]
    assert found.is_attention  # at the beta that the object carries
    off = Row("modern", "", {"beta": 1.0}, 2, 2, 1, difference=1e-3, bound=1e-12)
    assert off.is_attention is False
    assert words([off]) == "One step of modern differs from attention by up to 1.0e-03, which is more than rounding."


def test_the_energy_falls_by_what_scipy_says():
    from scipy.special import logsumexp

    keys, beta = np.array([[1.0, 0.2], [-0.4, 0.9], [0.3, -1.0]]), 4.0
    cue = np.array([0.5, 0.5])
    row = ha.compare(keys, cue, memories="modern", beta=beta).rows[0]
    end = ha.Memory(keys, beta=beta).recall(cue).state
    energy = [0.5 * x @ x - logsumexp(beta * keys @ x) / beta for x in (cue, end)]
    assert row.energy_fall == pytest.approx(energy[0] - energy[1], rel=1e-9)
    assert row.energy_fall > 0


def test_linear_is_the_head_of_the_lecture():
    found = ha.run(ha.load("bank"))
    head = {what: found.arrays[f"layer 1 head 1 {what}"].values for what in ("queries", "keys", "values", "mask")}
    words = found.arrays["layer 1 head 1 output"].values
    memory = contenders["linear"].build(head["keys"], 1.0)
    np.testing.assert_allclose(memory.step(head["queries"], head["mask"].astype(bool)), words, atol=1e-12)


def test_values_are_read_out_at_the_key_that_was_recalled():
    labels = np.eye(4)[:3]
    cues = HADAMARD[:3] * [[1, 1, 1, -1]] * 1.0
    found = rows(ha.compare(HADAMARD[:3], cues, labels, targets=[0, 1, 2], beta=8.0, memories=["nearest", "sparse"]))
    for row in found.values():
        assert (row.refusal, row.at_rest) == ("", 1.0)
    exact = ha.compare(HADAMARD[:3], HADAMARD[:3], labels, targets=[0, 1, 2], beta=8.0)
    for row in exact.rows:
        assert (row.memory, row.refusal, row.recalled_first) == (row.memory, "", 1.0)


def test_a_value_that_occurs_twice_is_the_same_answer():
    keys, labels = np.eye(3), np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    (row,) = ha.compare(keys, keys, labels, targets=[0, 1, 2], memories="nearest").rows
    assert row.recalled == 1.0


def test_a_memory_that_cannot_take_part_says_why_in_its_row():
    found = ha.compare([[0.5, 1.0], [1.0, 0.0]], [[1.0, 1.0]], memories=DEFAULT)
    refused = {row.memory: row.refusal for row in found.rows if row.refusal}
    assert set(refused) == {"hopfield", "dense"}
    assert all("row 0 holds 0.5; the neurons are spins" in text for text in refused.values())
    assert all(row.recalled is None and row.cosine is None for row in found.rows)
    assert "hopfield and dense could not take part (patterns: row 0 holds 0.5" in found.words()
    masked = ha.compare(HADAMARD, HADAMARD, memories="hopfield", mask=np.tri(4, dtype=bool)).rows[0]
    assert masked.refusal == "mask: a network of couplings has no patterns to mask"


def test_a_memory_that_took_part_elsewhere_says_in_how_many_rows_it_could_not():
    def row(memory, where, refusal=""):
        return Row(memory, where, {"beta": 1.0}, 2, 2, 1, refusal=refusal)

    reason = "patterns: row 0 holds 0.1; the neurons are spins"
    everywhere = [row(name, where, reason) for name in ("hopfield", "dense") for where in "ab"]
    assert words(everywhere) == f"hopfield and dense could not take part ({reason})."
    some = [row("dense", "a", reason), row("dense", "b"), row("dense", "c", reason), row("nearest", "a", "no")]
    assert words(some) == f"dense could not take part in 2 of 3 rows ({reason}); nearest could not take part (no)."


def test_cues_that_may_see_no_key_are_counted():
    strict = np.tri(4, k=-1, dtype=bool)
    about = ha.compare(HADAMARD, HADAMARD, mask=strict).about
    assert about == "3 cues and 4 keys of dim 4; 1 cue that may see no key is left out"
    assert "left out" not in ha.compare(HADAMARD, HADAMARD).about


def test_a_recall_that_diverges_is_reported_without_nan():
    (row,) = ha.compare(3 * np.eye(2), [[1.0, 0.5]], targets=[0], memories="linear").rows
    assert (row.at_rest, row.steps, row.distance, row.energy_fall) == (0.0, None, None, None)
    assert row.notes["steps"] == "no cue converged"
    for beta in (1e-300, 1e300):
        result = ha.compare(HADAMARD, HADAMARD, targets=[0, 1, 2, 3], beta=beta, memories=["modern", "sparse"])
        assert "NaN" not in result.to_json()
    json.loads(ha.compare(1e200 * np.eye(2), [[1.0, 0.5]], targets=[0], beta=1.0).to_json())


def test_scores_beyond_the_numbers_are_reported_and_not_compared():
    (row,) = ha.compare(HADAMARD, HADAMARD, beta=1e308, memories="modern").rows
    assert row.refusal or (row.difference is None and "beyond the numbers" in row.notes["difference"])


def test_a_cue_that_weighs_nothing_has_no_part_in_the_class():
    # A cue opposite to all keys: rectified powers weigh nothing; the other cue weighs one key of 32, which is IV.
    keys = hadamard(32).astype(float)
    (row,) = ha.compare(keys, [-np.eye(32)[0], keys[0]], memories="dense").rows
    assert (row.operating_class, row.least_number, row.entropy) == ("IV", 1.0, 0.0)


def test_below_32_keys_there_is_no_class_and_the_reason_is_given():
    rows = {n: ha.compare(np.eye(n), np.eye(n)[:2], memories="modern", beta=9.0).rows[0] for n in (31, 32)}
    assert (rows[31].operating_class, rows[32].operating_class) == (None, "IV")
    assert rows[31].least_number == rows[32].least_number == 1.0
    assert rows[31].notes["operating_class"] == "not defined below 32 keys" and "operating_class" not in rows[32].notes


def test_the_spread_of_the_weights_is_that_of_scipy():
    from scipy.special import softmax
    from scipy.stats import entropy

    keys = np.random.default_rng(5).normal(size=(40, 6))
    cues = np.random.default_rng(6).normal(size=(7, 6))
    (row,) = ha.compare(keys, cues, memories="modern", beta=0.7).rows
    weights = softmax(0.7 * cues @ keys.T, axis=1)
    assert row.entropy == pytest.approx(np.mean(entropy(weights, axis=1)))
    assert row.operating_class == ha.retrieval.operating_class(weights)
    counted = [next(k for k in range(41) if np.sort(row)[::-1][:k].sum() >= 0.9) for row in weights]
    assert row.least_number == np.median(counted)
    assert row.effective_keys == pytest.approx(np.mean(np.exp(entropy(weights, axis=1))))


def test_the_free_energy_is_that_of_scipy_where_the_weights_are_a_distribution():
    from scipy.special import logsumexp

    keys, mask = np.random.default_rng(5).normal(size=(40, 6)), np.arange(40) < 30
    cues = np.random.default_rng(6).normal(size=(7, 6))
    found = ha.compare(keys, cues, memories=["modern", "sparse", "linear", "nearest"], beta=0.7, mask=mask)
    modern, sparse, linear, nearest = found.rows
    assert modern.free_energy == pytest.approx(np.mean(-logsumexp(0.7 * cues @ keys[:30].T, axis=1) / 0.7))
    least = ha.Memory(keys[:30], separation="sparsemax", beta=0.7).free_energy(cues)
    assert (sparse.free_energy, sparse.effective_keys) == pytest.approx(
        (least.free.mean(), least.effective_keys.mean())
    )
    distances = np.linalg.norm(cues[:, None] - keys[:30], axis=-1)
    assert nearest.free_energy == pytest.approx(distances.min(axis=1).mean())
    assert linear.free_energy is None and "they need not sum to 1" in linear.notes["free_energy"]
    assert found.table()[0]["free_energy"] == modern.free_energy
    assert "effective keys,free energy" in found.to_csv()


def test_a_grid_may_be_run_in_any_order_and_a_point_alone():
    whole = ha.experiments.compare_random(
        {"load": "0.1:0.3:3", "noise": [0.0, 0.2]}, trials=2, dim=20, memories=["hopfield"]
    )
    alone = ha.experiments.compare_random({"noise": [0.2]}, load=0.3, trials=2, dim=20, memories=["hopfield"])
    (at,) = [row for row in whole.rows if row.point["load"] == 0.3 and row.point["noise"] == 0.2]
    for name in ("recalled", "cosine", "steps", "energy_fall"):
        assert getattr(at, name) == getattr(alone.rows[0], name)


def test_the_standard_error_is_that_of_the_draws():
    more = {"dim": 20, "load": 0.3, "memories": ["hopfield"]}
    row = ha.experiments.compare_random(trials=6, **more).rows[0]
    # Trials are the same whatever their number, so that the sums of 1 … 6 trials give the shares of each.
    sums = [0.0] + [ha.experiments.compare_random(trials=n, **more).rows[0].recalled * n for n in range(1, 7)]
    shares = np.diff(sums)
    assert row.recalled == pytest.approx(shares.mean())
    assert row.recalled_error == pytest.approx(shares.std(ddof=1) / 6**0.5)
    assert ha.experiments.compare_random(trials=1, **more).rows[0].recalled_error is None
    (third,) = ha.experiments.compare_patterns(np.random.default_rng(0).normal(size=(6, 8)), memories=["modern"]).rows
    assert (round(third.recalled, 3), third.recalled_error) == (0.333, 0)  # all trials agree, and a third has no digits


def test_beyond_its_capacity_the_classical_network_forgets_and_the_dense_one_does_not():
    # Amit, Gutfreund & Sompolinsky (1985): nothing is recalled at loads well above 0.138; Krotov & Hopfield (2016):
    # n = 3 holds of the order N² patterns. 4 draws of 50 patterns each, fixed seed.
    found = rows(ha.experiments.compare_random(dim=100, load=0.5, trials=4, memories=["hopfield", "dense"], noise=0.05))
    assert found["hopfield"].recalled < 0.05 < 0.95 < found["dense"].recalled


def test_one_step_may_recall_what_the_fixed_point_forgets():
    # Ramsauer et al. (2021), section 2: where β is small for the patterns, the one fixed point is near their mean, and
    # one step is still on its way there. 32 unit vectors in 64 dims, β = 4, 3 draws of 32 cues each, fixed seed: after
    # one step the weight of the own pattern is about e⁴ / (e⁴ + 31) = .64, the rest spread over 31 directions.
    (row,) = ha.experiments.compare_random(patterns="unit", load=0.5, beta=4.0, trials=3, memories="modern").rows
    assert row.recalled_first > 0.95 > 0.05 > row.recalled
    assert row.cosine < 0.3  # the mean of 32 nearly orthogonal patterns has a cosine of about 1/√32 with each


def test_table_json_and_csv_say_the_same(tmp_path):
    found = ha.experiments.compare_random(
        {"beta": [0.1, 1.0]}, trials=2, dim=10, patterns="unit", memories=["dense", "modern"]
    )
    parsed = json.loads(found.to_json())
    assert [row["memory"] for row in parsed["rows"]] == ["dense", "modern"] * 2
    assert parsed["words"] == found.words()
    lines = found.to_csv().splitlines()
    assert len(lines) == 5
    assert lines[0].split(",")[:3] == ["memory", "of", "beta"]
    assert found.table()[1]["recalled"] == parsed["rows"][1]["recalled"]
    assert "NaN" not in found.to_json()
    assert (
        found.to_json()
        == ha.experiments.compare_random(
            {"beta": [0.1, 1.0]}, trials=2, dim=10, patterns="unit", memories=["dense", "modern"]
        ).to_json()
    )


@each(
    ("more", "message"),
    [
        ({"memories": ["softmx"]}, "memories: 'softmx' is unknown; did you mean 'softmax'"),
        ({"memories": []}, "memories: name at least one of"),
        ({"memories": ["linear", "linear"]}, "memories: 'linear' is listed twice"),
        ({"memories": 3}, "memories: expected names or memories, not 3"),
        ({"memories": [3]}, "memories: expected a name, a memory or a function of keys, not 3"),
        ({"memories": {"soft": "softmx"}}, "memories: 'softmx' is unknown; did you mean 'softmax'"),
        ({"beta": 0.0}, "beta: expected a positive finite number"),
        ({"beta": "1,0.5"}, "beta: 0.5 comes after 1"),
        ({"beta": [-1.0, 2.0]}, "beta: expected a positive finite number, not -1"),
        ({"beta": []}, "beta: is empty"),
        ({"max_steps": 0}, "max_steps: expected a whole number"),
        ({"rng": -1}, "rng: expected a seed of at least 0"),
    ],
)
def test_wrong_arguments_are_refused(more, message):
    with pytest.raises(InvalidInput, match=message):
        ha.compare(np.eye(2), np.eye(2), **more)


@each(
    ("over", "more", "message"),
    [
        ({"bta": [1.0]}, {}, "over: 'bta' is unknown; did you mean 'beta'"),
        ({"load": "0.5:0.1:3"}, {}, "write the smaller end first"),
        ({"load": []}, {}, "load: is empty"),
        ({"load": ["a"]}, {}, "load: 'a' is not a finite number"),
        ({"load": 3}, {}, "load: expected numbers in rising order, not 3"),
        ({"noise": [0.5, 2]}, {}, "noise: expected the fraction"),
        ({"beta": [1.0, 2.0]}, {"beta": 1.0}, "beta: is given both as a number and as an axis"),
        ({"load": [0.1, 0.2]}, {"n_patterns": 3}, "load: n_patterns says how many"),
        ({"dim": [10, 10.5]}, {}, "dim: 10.5 is not a whole number"),
        ({"load": "0.1:0.2:100", "noise": "0:0.1:100"}, {}, "recalls .* at most 20,000"),
        ([("load", 1)], {}, "over: expected the numbers of each axis"),
        ({}, {"trials": 0}, "trials: expected a whole number"),
    ],
)
def test_wrong_grids_are_refused(over, more, message):
    with pytest.raises(InvalidInput, match=message):
        ha.experiments.compare_random(over, **more)


@pytest.mark.parametrize(("given", "printed"), [("classical", "hopfield"), ("softmax", "modern"), ("modern", "modern")])
def test_a_memory_is_printed_by_the_name_of_the_list_and_accepted_by_another(given, printed):
    (row,) = ha.compare(HADAMARD[:3], HADAMARD[:3], memories=given).rows
    assert row.memory == printed
    with pytest.raises(InvalidInput, match=f"memories: '{printed}' is listed twice"):
        ha.compare(HADAMARD, HADAMARD, memories=[given, printed])


def test_every_default_memory_is_one_of_the_list():
    assert set(DEFAULT) <= set(named_memories) and set(OTHER_NAMES.values()) <= set(named_memories)


def test_the_table_drops_what_could_not_take_part_and_a_sentence_names_it():
    found = ha.compare([[0.5, 1.0], [1.0, 0.0]], [[1.0, 1.0]], targets=[0])
    assert [row[0] for row in comparison_table(found).rows] == ["modern", "sparse", "linear", "nearest"]
    assert found.words().count("hopfield and dense could not take part") == 1
    assert not comparison_table(ha.compare([[0.5, 1.0]], [[1.0, 1.0]], memories="hopfield")).headings


def test_the_csv_has_the_headings_of_the_table_and_every_heading_is_explained_in_one_line():
    found = ha.experiments.compare_random(trials=2, dim=10)
    headings = comparison_table(found).headings
    assert set(headings) <= set(found.to_csv().splitlines()[0].split(","))
    assert [line.partition(":")[0] for line in legend(headings)] == [*headings[1:]]  # all but the memory's name
    assert max(map(len, legend(headings))) <= SCREEN.columns


def printed(capsys, found, whole=False):
    show_comparison(found, whole)
    return capsys.readouterr().out.splitlines()


def test_a_grid_that_is_longer_than_the_screen_is_one_measure_of_all_memories(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(SCREEN.columns))
    made = [
        Row(name, "", {"load": i / 100, "beta": 1.0}, 2, 4, 2, recalled=share, recalled_error=0.1, steps=2.0)
        for i in range(1, 31)
        for name, share in (("hopfield", 1 / i), ("modern", 1.0))
    ]
    few, many = (Comparison("this", tuple(made[:n]), ("load",), 0, ()) for n in (4, 60))
    assert printed(capsys, few)[1].split() == ["memory", "load", "one", "step", "fixed", "point", "steps"]
    lines = printed(capsys, many)
    assert len(lines) == SCREEN.lines - 2  # the command and the next prompt
    assert [line.split() for line in lines[1:4]] == [
        ["load", "hopfield", "modern"],
        [".01", "1", "1"],
        [".02", "0.5", "1"],
    ]
    left = 30 - sum(line.startswith(".") for line in map(str.strip, lines))
    assert lines[-1] == f"--all shows every measure, and {left} more points"
    whole = printed(capsys, many, whole=True)
    assert sum(line.startswith(("hopfield", "modern")) for line in whole) == 60
    assert not any("--all" in line for line in whole)


@each(
    ("shares", "words"),
    [
        (
            [("modern", 1.0, 0.114, 6.06), ("sparse", 1.0, 0.01, 1.15), ("linear", 0.5, 0.45, 1.15)],
            "Iterating can hurt: after one step sparse recalls all of the cues, at the fixed point 1 % (β = 1.15); "
            "modern all, then 11 % (β = 6.06).",
        ),
        (
            [("hopfield", 0.62, 1.0, 1.0), ("hopfield", 0.2, 0.25, 2.0)],
            "Iterating helps: after one step hopfield recalls 62 % of the cues, at the fixed point all (β = 1).",
        ),
        ([("modern", 0.95, 1.0, 1.0), ("sparse", None, None, 1.0)], ""),
    ],
)
def test_a_sentence_says_what_iterating_does(shares, words):
    rows = tuple(
        Row(name, "", {"beta": beta}, 2, 4, 2, recalled_first=first, recalled=end) for name, first, end, beta in shares
    )
    assert Comparison("this", rows, ("beta",), 0, ()).words() == words


def test_a_memory_of_other_keys_is_not_compared():
    row = ha.compare(np.eye(2), np.eye(2), memories=[ha.memories.modern(2 * np.eye(2))]).rows[0]
    assert (row.memory, row.refusal) == ("memory 1", "it stores other keys than those that are compared")
    network = ha.compare(HADAMARD, HADAMARD, 2 * HADAMARD, memories={"mine": ha.memories.hopfield(HADAMARD)}).rows[0]
    assert network.refusal == "it has no weights to read values out with"


def test_patterns_of_ones_own_are_damaged_as_spins_or_by_noise():
    own = ha.experiments.compare_patterns(HADAMARD, {"noise": [0.0, 0.5]}, memories=["nearest"], trials=3)
    assert own.rows[0].recalled == 1.0
    (real,) = ha.experiments.compare_patterns(
        np.random.default_rng(1).normal(size=(5, 30)), memories=["nearest"], trials=2
    ).rows
    assert real.recalled == 1.0  # the noise, a tenth of a length, is far from half the way to another pattern
    with pytest.raises(InvalidInput, match="patterns: got shape"):
        ha.experiments.compare_patterns([])


def test_of_many_given_patterns_some_are_drawn_as_cues_whatever_their_order():
    rng = np.random.default_rng(0)
    easy = rng.choice([-1.0, 1.0], size=(100, 64))
    near = np.tile(easy[0], (100, 1))
    near[range(60), range(60)] *= -1  # about .44 of them are recalled, and all of the others
    results = [
        ha.experiments.compare_patterns(np.vstack(order), memories=["nearest"], trials=2)
        for order in ((easy, near), (near, easy))
    ]
    for found in results:
        assert 0.57 < found.rows[0].recalled < 0.87
        assert found.rows[0].n_cues == 200
        assert found.about.startswith("200 patterns of dim 64, 100 of them drawn as cues, 6 of the entries")
    few = ha.experiments.compare_patterns(easy, memories=["nearest"], trials=2)
    assert few.about.startswith("100 patterns of dim 64, 6 of the entries")


def test_where_rounding_may_exceed_the_values_nothing_is_compared_with_attention():
    keys = np.random.default_rng(0).normal(size=(20, 4))
    found = ha.compare(keys, keys[:3] + 0.1, beta=1e20, memories=["modern"])
    assert found.rows[0].is_attention is None
    assert "One step of modern cannot be compared with attention: rounding may exceed the values; use" in found.words()
    some = ha.compare(keys, keys[:3] + 0.1, beta=[1e6, 1e20], memories=["modern"]).words()
    assert "One step of modern is attention, up to rounding; 1 of 2 rows cannot be compared: rounding may" in some


def test_the_subject_counts_the_neurons_that_are_reversed():
    for dim, count in ((4, 0), (64, 6)):
        about = ha.experiments.compare_random(dim=dim, n_patterns=2, hidden=0.4, memories=["nearest"], trials=2).about
        assert f"of {dim} neurons, {count} of the neurons reversed, {round(0.4 * dim)} of the neurons hidden" in about
    about = ha.experiments.compare_random({"dim": [4, 8]}, memories=["nearest"], trials=2).about
    assert "0.1 of the neurons, rounded to whole ones, reversed" in about
    assert (
        "6 of the entries reversed"
        in ha.experiments.compare_patterns(np.eye(64) * 2 - 1, memories=["nearest"], trials=2).about
    )
    assert "noise of 0.1" in ha.experiments.compare_patterns(np.eye(64), memories=["nearest"], trials=2).about


def test_a_memory_by_name_and_as_an_object_is_recalled_alike():
    """Cosines of Hebb's network and of dense memories, whose neurons change one by one, and of the softmax."""
    patterns = np.random.default_rng(0).choice([-1.0, 1.0], size=(8, 20))
    objects = {
        "hopfield": ha.memories.hopfield(patterns),
        "dense": ha.memories.dense(patterns),
        "modern": ha.memories.modern(patterns, beta=0.1),
    }
    named, given = (
        ha.experiments.compare_patterns(patterns, memories=each, beta=0.1) for each in ([*objects], objects)
    )
    for one, same in zip(named.rows, given.rows, strict=True):
        assert (one.recalled, one.at_rest, one.steps) == (same.recalled, same.at_rest, same.steps)


def test_functions_of_the_keys_take_part_as_memories_of_ones_own():
    own = {"mine": lambda keys: ha.Memory(keys, separation="sparsemax"), "net": ha.memories.hopfield}
    found = ha.experiments.compare_random({"load": [0.1, 0.4]}, memories=own, dim=20, trials=3, rng=1)
    theirs = ha.experiments.compare_random(
        {"load": [0.1, 0.4]}, memories=["sparse", "hopfield"], dim=20, beta=1, trials=3, rng=1
    )
    assert [row.memory for row in found.rows[:2]] == ["mine", "net"]
    for row, same in zip(found.rows, theirs.rows, strict=True):
        assert (row.recalled, row.steps, row.energy_fall) == (same.recalled, same.steps, same.energy_fall)
    values = np.eye(4, 2)
    (row,) = ha.compare(np.eye(4), np.eye(4), values, memories=ha.memories.modern).rows
    assert row.memory == "modern" and row.is_attention
    (row,) = ha.compare(np.eye(4), np.eye(4), memories=lambda keys: keys).rows
    assert "expected a memory from the function" in str(row)


@each(
    ("memory", "count"),
    [
        (ha.memories.hopfield(HADAMARD[1:]), 4 * 3 // 2),
        (ha.memories.hopfield(HADAMARD[1:3], self_coupling=True), 4 * 3 // 2 + 4),
        (ha.Hopfield([[0, 1, 2], [3, 0, 4], [5, 6, 0]]), 3 * 2),
        (ha.Hopfield([[1, 2], [3, 4]], bias=1.0), 2 * 2 + 2),
        (ha.memories.bam([[1, 1, -1, 1]], [[1, -1, 1]]), 4 * 3),
        (ha.memories.modern(HADAMARD[:3]), 3 * 4),
        (ha.Memory(HADAMARD[:3], np.ones((3, 7))), 3 * 4 + 3 * 7),
    ],
)
def test_stored_numbers_are_those_that_one_counts_by_hand(memory, count):
    assert stored_numbers(memory) == count
    assert stored_numbers(memory, memory) == 2 * count
    assert stored_numbers(memory, object()) is None


def test_memories_are_compared_at_equal_numbers_of_parameters():
    # Couplings of N neurons are as many numbers as (N − 1)/2 patterns: 7 of 15 neurons are 105 on both sides.
    one, many = (
        rows(ha.experiments.compare_random(n_patterns=n, dim=15, noise=0.0, trials=3, memories=["hopfield", "dense"]))
        for n in (1, 7)
    )
    assert (many["hopfield"].parameters, many["dense"].parameters) == (105, 105)
    assert (one["hopfield"].recalled_per_number, one["dense"].recalled_per_number) == (15 / 105, 1.0)
    assert many["dense"].recalled_per_number > many["hopfield"].recalled_per_number
    for row in many.values():
        assert row.recalled_per_number == pytest.approx(row.recalled * 7 * 15 / 105)
    apart = ha.compare(HADAMARD[:3], HADAMARD[:3], np.eye(3, 2), targets=[0, 1, 2], memories=["hopfield", "modern"])
    assert [row.parameters for row in apart.rows] == [6 + 18, 18]
    assert ha.compare(HADAMARD, HADAMARD, memories="modern").rows[0].recalled_per_number is None


def test_a_name_may_have_another_name():
    row, other = ha.experiments.compare_random(
        dim=8, trials=1, memories={"soft": "softmax", "modern": ha.memories.modern}, beta=8
    ).rows
    assert (row.memory, row.cosine) == ("soft", other.cosine)
