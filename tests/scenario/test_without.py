"""`[[without]]`: a run without a pattern or a token, its formulas beside what is measured, and what is refused."""

import json

import numpy as np
import pytest

import hopattn as ha
from hopattn.foundation.errors import InvalidInput
from hopattn.scenario.loading import parse
from hopattn.scenario.running import run
from hopattn.views.result_text import show_result
from tests.each import each

WORDS = """
schema = 1
title = "without"
source = "ours"
[vocabulary]
axes = ["animal", "purrs", "barks"]
magnitude = "normalise"
[vocabulary.words]
cat = [0.6, 0.8, 0]
dog = [0.6, 0, 0.8]
pet = [0.7, 0.4, 0.6]
"""
TEXT = f"""kind = "attention"{WORDS}
[input]
tokens = ["cat", "dog", "pet", "dog"]
[[layer]]
[[layer.head]]
beta = 2
{{head}}
[[layer.head]]
[[layer]]
[[layer.head]]
"""
MEMORY = f"""kind = "memory"{WORDS}
[memory]
patterns = ["cat", "dog", "pet"]
{{memory}}
[input]
tokens = ["cat", "pet"]
"""


def of_text(more, head=""):
    return run(parse(TEXT.format(head=head) + more, "w.toml", "w"), explain=True)


def of_memory(more, memory="beta = 4"):
    return run(parse(MEMORY.format(memory=memory) + more, "w.toml", "w"), explain=True)


def test_a_token_is_hidden_in_every_head_and_its_worth_is_beside_what_is_measured():
    result = of_text('[[without]]\ntoken = "dog#1"\n')
    (whole, found), x = result.runs, result.runs[0].arrays["input"].values
    assert found.name == "without dog#1"
    for place in ("layer 1 head 1", "layer 1 head 2", "layer 2 head 1"):
        assert np.all(found.arrays[f"{place} weights"].values[:, 1] == 0)
        closed, measured = (found.arrays[f"{place} {name}"].values for name in ("closed", "measured"))
        np.testing.assert_allclose(closed, measured, atol=1e-14)
        worth = found.arrays[f"{place} worth"]
        assert worth.labels[1] == ("weight", "potential fall", "measured fall")
        np.testing.assert_allclose(worth.values[:, 1], worth.values[:, 2], atol=1e-14)
    weights = whole.arrays["layer 1 head 1 weights"].values
    np.testing.assert_array_equal(found.arrays["layer 1 head 1 worth"].values[:, 0], weights[:, 1])
    np.testing.assert_allclose(
        found.arrays["layer 1 head 1 worth"].values[2:, 1], -np.log1p(-weights[2:, 1]) / 2, atol=1e-14
    )
    head = ha.Head(*[np.eye(3)] * 3, beta=2).without(1)
    np.testing.assert_allclose(found.arrays["layer 1 head 1 measured"].values, head(x), atol=1e-14)
    assert not [name for name in whole.arrays if name.split()[-1] in ("worth", "closed", "measured")]
    assert any("/2 ≈" in line and line.strip().startswith("potential falls by −log(") for line in found.working)
    assert json.loads(result.to_json())["runs"][1]["name"] == "without dog#1"


def test_a_token_may_be_taken_from_one_head_or_one_word_alone():
    result = of_text('[[without]]\ntoken = ["cat", "dog#1"]\nlayer = 1\nhead = 2\nat = "pet"\n')
    whole, found = (one.arrays for one in result.runs)
    other, own = (f"layer 1 head {j} weights" for j in (1, 2))
    np.testing.assert_array_equal(found[other].values, whole[other].values)
    changed = ~np.isclose(found[own].values, whole[own].values).all(axis=1)
    assert changed.tolist() == [False, False, True, False]
    assert found["layer 1 head 2 worth"].labels[0] == ("pet",)
    np.testing.assert_allclose(
        found["layer 1 head 2 closed"].values, found["layer 1 head 2 measured"].values, atol=1e-14
    )
    assert [name for name in found if name.endswith("worth")] == ["layer 1 head 2 worth"]


@each("head", ['separation = "sparsemax"', 'separation = "identity"', "sink = 0", 'bias = "alibi"', "rope = false"])
def test_heads_of_every_kind_say_what_they_have(head):
    found = of_text('[[without]]\ntoken = "cat"\nlayer = 1\nhead = 1\n', head).runs[1]
    closed = found.arrays.get("layer 1 head 1 closed")
    assert (closed is None) == ("sparsemax" in head)
    assert any("no formula gives" in line for line in found.working) == ("sparsemax" in head)
    if closed is not None:
        np.testing.assert_allclose(closed.values, found.arrays["layer 1 head 1 measured"].values, atol=1e-14)


def test_a_memory_forgets_a_pattern():
    result = of_memory('[[without]]\npattern = "dog"\n')
    whole, found = (one.arrays for one in result.runs)
    assert found["step 1 weights"].labels[1] == ("cat", "pet")
    p = whole["step 1 weights"].values[:, 1]
    worth = found["step 1 worth"]
    assert worth.labels[1] == ("weight", "energy rise", "measured rise")
    np.testing.assert_allclose(worth.values, np.stack([p, *[-np.log1p(-p) / 4] * 2], axis=1), atol=1e-14)
    np.testing.assert_allclose(
        found["energy"].values[:, 0] - whole["energy"].values[:, 0], worth.values[:, 1], atol=1e-14
    )
    np.testing.assert_allclose(found["step 1 closed"].values, found["step 1 output"].values, atol=1e-14)
    assert {"fixed closed", "fixed measured"} <= {*found}
    lines = result.runs[1].working
    assert any("energy rises by −log(" in line and "/4" in line for line in lines)
    assert any("fixed point" in line and "to first order" in line for line in lines)


@each(
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
    text = MEMORY.format(memory=memory) + '[[without]]\npattern = "dog"\n'
    if "hopfield" in memory or "dense" in memory:
        text = text.replace('"normalise"', '"free"')
        for old, new in (
            ("[0.6, 0.8, 0]", "[1, 1, 1]"),
            ("[0.6, 0, 0.8]", "[1, -1, 1]"),
            ("[0.7, 0.4, 0.6]", "[-1, 1, 1]"),
        ):
            text = text.replace(old, new)
    found = run(parse(text, "w.toml", "w"), explain=True).runs[1]
    own = {name.removeprefix("step 1 ") for name in found.arrays if name.startswith("step 1 ")}
    assert own & {"worth", "closed", "measured"} == arrays
    if "closed" in arrays:
        closed, measured = (found.arrays[f"step 1 {name}"].values for name in ("closed", "measured"))
        np.testing.assert_allclose(closed, measured, atol=1e-14)


def test_expectations_call_a_run_by_its_name_and_a_seed_keeps_it():
    expect = (
        '[[expect]]\nvariant = "no dog"\nmatrix = "worth"\nwithin = 0.1\nis = [[0.05, 0.01, 0.01], [0.3, 0.1, 0.1]]\n'
    )
    text = MEMORY.format(memory="beta = 4") + f'[[without]]\nname = "no dog"\npattern = "dog"\n{expect}'
    for seed in (None, 3):
        result = run(parse(text, "w.toml", "w"), seed)
        assert [outcome.met for outcome in result.expectations] == [True]
        assert "step 1 worth" in result.runs[1].arrays
    with pytest.raises(InvalidInput, match="'no dgo' is unknown; did you mean 'no dog'"):
        parse(text.replace('variant = "no dog"', 'variant = "no dgo"'), "w.toml", "w")


@each(
    ("table", "message"),
    [
        ('token = "dgo"', r"w\.toml:\d+: without\.1\.token: 'dgo' is unknown; did you mean 'dog'"),
        ('token = "dog"', "'dog' occurs 2 times; write dog#1 or dog#2"),
        ('token = "cat"\nat = "dgo#1"', r"without\.1\.at: 'dgo#1' is unknown"),
        ('token = "cat"\nlayer = 3', r"without\.1\.layer: got 3; the last layer is 2"),
        ('token = "cat"\nlayer = 2\nhead = 2', r"without\.1\.head: got 2; the last head is 1"),
        (
            'pattern = "cat"',
            r'without\.1: `pattern` is for a memory, and this is a text with heads; write token = "cat"',
        ),
        ('token = ["cat", "dog#1", "pet", "dog#2"]', "takes every token away; leave at least one"),
        ('token = "cat"\n[[without]]\ntoken = "cat"', r"without\.2: 'without cat' is the name of two runs"),
        ("", r"without\.1\.token: is missing|without\.1: 'token' is missing"),
    ],
)
def test_a_wrong_token_is_refused_with_its_line(table, message):
    with pytest.raises(InvalidInput, match=message) as caught:
        of_text(f"[[without]]\n{table}\n")
    assert str(caught.value).count("\n") <= 1


@each(
    ("table", "message"),
    [
        ('pattern = "dgo"', r"without\.1\.pattern: 'dgo' is unknown; did you mean 'dog'"),
        ('pattern = ["cat", "dog", "pet"]', "takes every pattern away; leave at least one"),
        ('pattern = "cat"\nlayer = 1', "'layer' is unknown"),
        (
            'token = "cat"',
            r'without\.1: `token` is for a text with heads, and this is a memory; write pattern = "cat"',
        ),
    ],
)
def test_a_wrong_pattern_is_refused_with_its_line(table, message):
    with pytest.raises(InvalidInput, match=message):
        of_memory(f"[[without]]\n{table}\n")


@each("table", ['token = "caat"', 'token = "cat"\nlayer = 9', 'pattern = "cat"'])
def test_a_table_with_an_error_makes_no_second_error_at_its_expectations(table):
    expect = '[[expect]]\nvariant = "without cat"\nat = "pet"\nnearest = "cat"\n'
    with pytest.raises(InvalidInput) as caught:
        of_text(f"[[without]]\n{table}\n{expect}")
    assert len(caught.value.problems) == 1 and "without.1" in str(caught.value)


def shown(capsys, result):
    show_result(result)
    return capsys.readouterr().out


def test_the_tables_of_answers_say_what_they_hold(capsys):
    out = shown(capsys, of_text('[[without]]\ntoken = "cat"\nlayer = 1\nhead = 1\n'))
    assert "\nlayer 1 head 1 closed, the answer without cat, by the formula (left out" in out
    assert "\nlayer 1 head 1 measured, the answer without cat, as measured: as layer 1 head 1 closed\n" in out
    out = shown(capsys, of_memory('[[without]]\nname = "two left"\npattern = "dog"\n'))
    assert "\nfixed closed, the end of a recall of two left, by the formula" in out


@each(
    ("memory", "reason"),
    [
        ('model = "hopfield"', "none, since the couplings hold all patterns together"),
        (
            'model = { name = "sdm", radius = 1, locations = 20 }\nvalues = ["cat", "dog", "pet"]',
            "none, since the weights are those of locations",
        ),
        ('model = "log_sum_relu"', "none, since its formulas are for memories of keys and values"),
    ],
)
def test_a_memory_without_weights_says_why_it_has_no_worth(capsys, memory, reason):
    words = WORDS.replace("[0.6, 0.8, 0]", "[1, 1, 1]").replace("[0.6, 0, 0.8]", "[1, -1, 1]")
    words = words.replace("[0.7, 0.4, 0.6]", "[-1, 1, 1]").replace('"normalise"', '"free"')
    text = MEMORY.replace(WORDS, words).format(memory=memory) + '[[without]]\npattern = "dog"\n'
    result = run(parse(text, "w.toml", "w"), explain=True)
    assert f"worth: {reason}" in shown(capsys, result).split("variant: without dog")[1]
    assert any(line.startswith(f"worth: {reason}") for line in result.runs[1].working)
    assert "worth" not in result.runs[0].arrays


def test_an_expectation_of_a_run_that_an_override_renames_is_skipped_with_the_reason():
    result = ha.run("bank-without", overrides={"without.1.token": "banks"})
    assert [run.name for run in result.runs] == ["", "without banks", "without the"]
    (skipped,) = {outcome.note for outcome in result.expectations if outcome.met is None}
    assert "'without financial' is unknown" in skipped
    assert len(result.expectations) == 6


def test_other_kinds_have_no_without():
    with pytest.raises(InvalidInput, match='belongs to kind = "attention" or "memory"'):
        parse(ha.load("practice-7-1").text + '\n[[without]]\ntoken = "a"\n', "w.toml", "w")
