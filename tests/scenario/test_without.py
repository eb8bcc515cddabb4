"""`[[without]]`: a run without a pattern or a token, its formulas beside what is measured."""

import numpy as np
import pytest

import hopattn as ha
from hopattn.views.result_text import show_result
from tests.refusal import assert_refused
from tests.texts import parsed

HEAD = (
    'schema = 1\ntitle = "without"\nsource = "ours"\n[vocabulary]\naxes = ["animal", "purrs", "barks"]\n'
    'magnitude = "normalise"\nwords = { cat = [0.6, 0.8, 0], dog = [0.6, 0, 0.8], pet = [0.7, 0.4, 0.6] }\n'
    "[input]\n"
)
TEXT = f"""kind = "attention"\n{HEAD}tokens = ["cat", "dog", "pet", "dog"]
[[layer]]
[[layer.head]]
beta = 2
(head)
[[layer.head]]
[[layer]]
[[layer.head]]
"""
MEMORY = f"""kind = "memory"\n{HEAD}tokens = ["cat", "pet"]
[memory]
patterns = ["cat", "dog", "pet"]
(memory)
"""
SPINS = MEMORY.replace("normalise", "free").replace(
    HEAD[HEAD.index("words =") : HEAD.index("[input]")],
    "words = { cat = [1, 1, 1], dog = [1, -1, 1], pet = [-1, 1, 1] }\n",
)


def of_text(more, head=""):
    return ha.run(parsed(TEXT.replace("(head)", head) + more), explain=True)


def of_memory(more, memory="beta = 4"):
    text = SPINS if any(name in memory for name in ("hopfield", "dense", "sdm", "log_sum")) else MEMORY
    return ha.run(parsed(text.replace("(memory)", memory) + more), explain=True)


def same(arrays, place):
    """The answer by the formula is the one that is measured."""
    np.testing.assert_allclose(arrays[f"{place} closed"].values, arrays[f"{place} measured"].values, atol=1e-14)


def test_a_token_is_hidden_in_every_head_and_its_worth_is_beside_what_is_measured():
    result = of_text('[[without]]\ntoken = "dog#1"\n')
    (whole, found), x = result.runs, result.runs[0].arrays["input"].values
    assert [run["name"] for run in result.to_dict()["runs"]] == ["", "without dog#1"]
    for place in ("layer 1 head 1", "layer 1 head 2", "layer 2 head 1"):
        assert np.all(found.arrays[f"{place} weights"].values[:, 1] == 0)
        same(found.arrays, place)
        worth = found.arrays[f"{place} worth"]
        assert worth.labels[1] == ("weight", "potential fall", "measured fall")
        np.testing.assert_allclose(worth.values[:, 1], worth.values[:, 2], atol=1e-14)
    weights, worth = whole.arrays["layer 1 head 1 weights"].values[:, 1], found.arrays["layer 1 head 1 worth"].values
    np.testing.assert_array_equal(worth[:, 0], weights)
    np.testing.assert_allclose(worth[2:, 1], -np.log1p(-weights[2:]) / 2, atol=1e-14)
    head = ha.Head(*[np.eye(3)] * 3, beta=2, mask="causal").without(1)
    np.testing.assert_allclose(found.arrays["layer 1 head 1 measured"].values, head(x), atol=1e-14)
    assert not [name for name in whole.arrays if name.split()[-1] in ("worth", "closed", "measured")]
    assert any("/2 ≈" in line and line.strip().startswith("potential falls by −log(") for line in found.working)


def test_a_token_may_be_taken_from_one_head_or_one_word_alone():
    result = of_text('[[without]]\ntoken = ["cat", "dog#1"]\nlayer = 1\nhead = 2\nat = "pet"\n')
    whole, found = (one.arrays for one in result.runs)
    for head, rows in (("head 1", []), ("head 2", [2])):
        name = f"layer 1 {head} weights"
        assert np.flatnonzero(~np.isclose(found[name].values, whole[name].values).all(axis=1)).tolist() == rows
    assert [name for name in found if name.endswith("worth")] == ["layer 1 head 2 worth"]
    assert found["layer 1 head 2 worth"].labels[0] == ("pet",)
    same(found, "layer 1 head 2")


@pytest.mark.parametrize(
    "head", ['separation = "sparsemax"', 'separation = "identity"', "sink = 0", 'bias = "alibi"', "rope = false"]
)
def test_heads_of_every_kind_say_what_they_have(head):
    found = of_text('[[without]]\ntoken = "cat"\nlayer = 1\nhead = 1\n', head).runs[1]
    assert ("layer 1 head 1 closed" not in found.arrays) == ("sparsemax" in head)
    assert any("no formula gives" in line for line in found.working) == ("sparsemax" in head)
    if "sparsemax" not in head:
        same(found.arrays, "layer 1 head 1")


def test_a_memory_forgets_a_pattern():
    result = of_memory('[[without]]\npattern = "dog"\n')
    whole, found = (one.arrays for one in result.runs)
    assert found["step 1 weights"].labels[1] == ("cat", "pet")
    weights, worth = whole["step 1 weights"].values[:, 1], found["step 1 worth"]
    rise = -np.log1p(-weights) / 4
    assert worth.labels[1] == ("weight", "energy rise", "measured rise")
    np.testing.assert_allclose(worth.values, np.stack([weights, rise, rise], axis=1), atol=1e-14)
    np.testing.assert_allclose(found["energy"].values[:, 0] - whole["energy"].values[:, 0], rise, atol=1e-14)
    np.testing.assert_allclose(found["step 1 closed"].values, found["step 1 output"].values, atol=1e-14)
    assert {"fixed closed", "fixed measured"} <= {*found}
    lines = result.runs[1].working
    assert any("energy rises by −log(" in line and "/4" in line for line in lines)
    assert any("fixed point" in line and "to first order" in line for line in lines)


@pytest.mark.parametrize(
    ("memory", "arrays"),
    [
        ('model = "dense"', {"worth", "closed", "measured"}),
        ('separation = "sparsemax"', {"worth", "measured"}),
        ('model = { name = "linear", normalise = true, feature_map = "relu" }', {"worth", "closed", "measured"}),
        ('model = "hopfield"', set()),
        ('values = ["dog", "pet", "cat"]', {"worth", "closed", "measured"}),
    ],
)
def test_every_memory_is_run_again_and_has_the_formulas_that_it_has(memory, arrays):
    found = of_memory('[[without]]\npattern = "dog"\n', memory).runs[1].arrays
    assert {name for name in ("worth", "closed", "measured") if f"step 1 {name}" in found} == arrays
    if "closed" in arrays:
        same(found, "step 1")


def test_expectations_call_a_run_by_its_name_and_a_seed_keeps_it():
    table = '[[without]]\nname = "no dog"\npattern = "dog"\n[[expect]]\nvariant = "no dog"\nmatrix = "worth"\n'
    table += "within = 0.1\nis = [[0.05, 0.01, 0.01], [0.3, 0.1, 0.1]]\n"
    scenario = parsed(MEMORY.replace("(memory)", "beta = 4") + table)
    for result in (ha.run(scenario), ha.run(scenario, rng=3)):
        assert [outcome.met for outcome in result.expectations] == [True]


def test_the_tables_of_answers_say_what_they_hold(capsys):
    show_result(of_text('[[without]]\ntoken = "cat"\nlayer = 1\nhead = 1\n'))
    show_result(of_memory('[[without]]\nname = "two left"\npattern = "dog"\n'))
    shown = capsys.readouterr().out
    assert "\nlayer 1 head 1 closed, the answer without cat, by the formula (left out" in shown
    assert "\nlayer 1 head 1 measured, the answer without cat, as measured: as layer 1 head 1 closed\n" in shown
    assert "\nfixed closed, the end of a recall of two left, by the formula" in shown


SDM = 'model = { name = "sdm", radius = 1, locations = 20 }\nvalues = ["cat", "dog", "pet"]'


@pytest.mark.parametrize(
    ("memory", "reason"),
    [
        ('model = "hopfield"', "the couplings"),
        (SDM, "those of locations"),
        ('model = "log_sum_relu"', "keys and values"),
    ],
)
def test_a_memory_without_weights_says_why_it_has_no_worth(capsys, memory, reason):
    result = of_memory('[[without]]\npattern = "dog"\n', memory)
    why = str(result.runs[1].arrays["worth"].values)
    assert reason in why and "worth" not in result.runs[0].arrays
    show_result(result)
    assert f"worth: {why}" in capsys.readouterr().out.split("variant: without dog")[1]
    assert f"worth: {why}" in result.runs[1].working


def test_an_expectation_of_a_run_that_an_override_renames_is_skipped_with_the_reason():
    result = ha.run("bank-without", overrides={"without.1.token": "banks"})
    assert [run.name for run in result.runs] == ["", "without banks", "without the"]
    (skipped,) = {outcome.note for outcome in result.expectations if outcome.met is None}
    assert "'without financial' is unknown" in skipped
    assert len(result.expectations) == 6


def test_a_pattern_that_the_memory_looks_at_between_others_stays():
    spins = SPINS.replace("(memory)", 'model = "hopfield"\nbetween = ["cat", "pet"]')
    assert "without dog" in parsed(f'{spins}[[without]]\npattern = "dog"\n').runs
    assert_refused(f'{spins}[[without]]\npattern = "pet"\n', "16: without.1.pattern:", "'pet'", "memory.between")
