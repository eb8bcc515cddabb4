"""Running a scenario: overrides, variants, seeds, verdicts, results as JSON."""

import hashlib
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopattn as ha
from hopattn.scenario.kinds import kinds
from tests.refusal import refused
from tests.scenario.scenarios_of_kinds import ATTENDED
from tests.texts import GOOD, HUGE, parsed

TEMPLATES = {name: kind.template() for name, kind in kinds.items()}


BODY = GOOD[: GOOD.index("[[expect]]")]


def outcome_of(expect, text=BODY):
    """The verdict on an expectation that is added to a scenario."""
    return ha.run(parsed(f"{text}\n[[expect]]\n{expect}\n")).expectations[-1]


@pytest.mark.parametrize(
    ("expect", "met"),
    [
        ('nearest = "b"', True),
        ('nearest = "a"', False),
        ('cosine_to = "a"\nof = "input"\nis = 0.6\nstated = 0.7\nerratum = "a slip"', True),
        ('cosine_to = "a"\nof = "input"\nis = 0.6\nstated = 0.6\nerratum = "none"', False),
        ('closer_to = "b"\nthan = "a"', True),
        ('closer_to = "a"\nthan_before = true', True),
        ('closer_to = "b"\nthan_before = true', False),
        ('closer_to = "b"\nthan = ["a", "b"]', False),
        ('of = "input"\nis = [0.6, 0.8]\nstated = [0.6, 0.7]\nerratum = "the second"', True),
    ],
)
def test_verdicts(expect, met):
    assert outcome_of(f'at = "b"\n{expect}').met is met


@pytest.mark.parametrize(
    ("expect", "expected", "computed", "note"),
    [
        ('cosine_to = "b"\nis = 1.01\nwithin = 0.009', "1.01 ± 0.009", "1", "off by .01"),
        ('cosine_to = "b"\nis = 1.01', "1.01", "1", "off by .01"),
        ("is = [0.6, 0.7]\nwithin = 0.01", "(0.6, 0.7) ± 0.01", "(0.6, 0.8)", "off by up to .1"),
        ('cosine_to = "b"\nis = 1.01\nwithin = 0.1', "1.01 ± 0.1", "1", ""),
        ('cosine_to = "b"\nis = 1.00000001', "1.00000001", "1", "off by 1e-08"),
        ('cosine_to = "b"\nis = 1', "1", "1", ""),
    ],
)
def test_a_missed_number_says_how_near_it_had_to_be_and_how_far_it_is(expect, expected, computed, note):
    outcome = outcome_of(f'at = "b"\nof = "input"\n{expect}')
    assert (outcome.expected, outcome.computed, outcome.note) == (expected, computed, note)


EDGES = [  # a scenario, an expectation, and the number or numbers that it is about
    (ha.load("bank").text, 'weight = { from = "banks", to = "financial" }', 0.7),
    (ha.load("bank").text, 'at = "banks"\nof = "input"\ncosine_to = "river"', 0.7),
    (ha.load("bank").text, 'at = "banks"\nof = "output"', [0.1, 1.196, 0, 0.372]),
    (TEMPLATES["attention"], 'matrix = "weights"', [[0, 0], [0.6, 0]]),
    (TEMPLATES["messages"], 'measure = "edges"', 3),
    (TEMPLATES["program"], 'step = "count"', [2, 1, 2, 1]),
    (GOOD.replace('"a", "b", "a"', '"a", "a"'), 'score = "attention sink"', 0.75),
]


@pytest.mark.parametrize(("text", "expect", "value"), EDGES, ids=[expect.split()[0] for _, expect, _ in EDGES])
@pytest.mark.parametrize("side", [1, -1])
def test_a_number_is_met_as_far_as_within_says_and_no_farther(text, expect, value, side):
    text = text[: text.index("[[expect]]")]
    values = np.array(value, float)
    values.flat[-1] += side * 0.25
    for within, met in ((0.25, True), (0.2499, False), (0.26, True)):
        outcome = outcome_of(f"{expect.replace('river', 'muddy')}\nis = {values.tolist()}\nwithin = {within}", text)
        assert outcome.met is met, outcome
    assert outcome_of(f"{expect.replace('river', 'muddy')}\nis = {value}", text).met


@given(st.floats(-100, 100), st.integers(0, 6), st.sampled_from([-1, 0, 1]))
def test_a_printed_number_agrees_if_the_value_rounds_to_it(value, decimals, off):
    """Zeros at its end do not count, so that 2.50 is printed with one decimal."""
    value, printed = round(value, 9), round(round(value, decimals) + off * 10.0**-decimals, decimals)
    digits = len(f"{printed:.6f}".rstrip("0").partition(".")[2])
    near = abs(value - printed)
    half = 0.5 * 10.0**-digits
    text = TEMPLATES["cue"].replace("[0.8, 0.6]\nopp", f"[{value!r}, 0]\nopp").replace('"unit"', '"free"')
    outcome = outcome_of(f'at = "same"\nof = "input"\nis = [{value!r}, 0]\nstated = [{printed!r}, 0]', text)
    assert outcome.met is (near < half * (1 + 1e-9)) or abs(near - half) < 1e-12
    assert f"which {'agrees' if outcome.met else 'is off'}" in outcome.note


@pytest.mark.parametrize(
    ("text", "computed"),
    [
        ("tokens = ['a', 'b', 't']", "a and b"),
        ("tokens = ['a', 't']", "a"),
        ("tokens = ['t', 'a']", "t"),
        ("tokens = ['zero', 't']", "nothing"),
        ("tokens = ['t']", "nothing"),
    ],
)
def test_a_tie_for_the_nearest_word_is_a_miss_and_zero_is_near_nothing(text, computed):
    layer = '[[layer]]\n[[layer.head]]\nseparation = "identity"\nmask = "strict"\n'
    words = "words = { a = [1, 0, 0], b = [0, 1, 0], t = [1, 1, 5], zero = [0, 0, 0] }"
    head = f'schema = 1\ntitle = "t"\nsource = "ours"\nkind = "attention"\ninput.{text}\n[vocabulary]\n{words}\n'
    head += 'axes = ["x", "y", "z"]\nmagnitude = "free"\n' + layer
    last = text.split("'")[-2]
    outcome = outcome_of(f'at = "{last}"\nof = "output"\nnearest = "a"', head)
    assert (outcome.computed, outcome.met) == (computed, computed == "a")


@given(st.lists(st.sampled_from(["a", "b", "C#", "#", "x#y", "#1", "word two"]), min_size=1, max_size=8))
def test_every_token_has_a_label_of_its_own_by_which_it_is_expected(tokens):
    words = {word: [i, 1] for i, word in enumerate(dict.fromkeys(tokens))}
    text = 'schema = 1\ntitle = "t"\nsource = "ours"\nkind = "attention"\n[vocabulary]\naxes = ["x", "y"]\n'
    text += 'magnitude = "free"\n[vocabulary.words]\n' + "".join(f'"{word}" = {row}\n' for word, row in words.items())
    text += f"[input]\ntokens = {json.dumps(tokens)}\n[[layer]]\n[[layer.head]]\n"
    labels = ha.run(parsed(text)).arrays["input"].labels[0]
    assert len({*labels}) == len(tokens) and all(
        one.startswith(token) for one, token in zip(labels, tokens, strict=True)
    )
    for label, token in zip(labels, tokens, strict=True):
        text += f'[[expect]]\nat = "{label}"\nof = "input"\nis = {words[token]}\n'
    assert ha.run(parsed(text)).ok


def test_expectations_that_lose_their_object_by_an_override_are_skipped():
    text = ha.load("bank").text + '[[expect]]\nweight = { from = "banks", to = "financial" }\nis = 0.7\n'
    result = ha.run(parsed(text), overrides={"input.tokens": ["in", "muddy", "rivers", "banks"]})
    assert [outcome.met for outcome in result.expectations] == [False, False, False, True, None]
    note = result.expectations[-1].note
    assert note.startswith("skipped: weight.to: 'financial'") and "(in, muddy, rivers, banks)" in note
    assert ha.run(parsed(text)).ok and not result.ok


def test_a_seed_gives_the_same_bytes_and_another_does_not_and_a_variant_may_have_its_own():
    text = HUGE.replace("length = 3", "length = 20") + '[[variant]]\nname = "v"\nset = { seed = 5 }\n'
    scenario = parsed(text)

    def tokens(seed, run=0):
        return str(ha.run(scenario, rng=seed).runs[run].arrays["tokens"].values)

    assert ha.run(scenario, rng=1).to_json() == ha.run(scenario, rng=1).to_json()
    assert tokens(None, 1) == tokens(5) == tokens(5, 1) != tokens(None) == tokens(0)
    assert (
        ha.run(scenario, rng=np.random.default_rng(1)).to_json()
        == ha.run(scenario, rng=np.random.default_rng(1)).to_json()
    )
    refused(lambda: ha.run(scenario, explain="yes"), "explain", "'yes'")
    assert (ha.run(scenario).seed, ha.run(scenario, rng=3).seed) == (0, 3)


def test_nothing_touches_the_global_random_state():
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    ha.run(ha.load("induction-unseen"))
    assert np.array_equal(before, np.random.get_state()[1])  # noqa: NPY002


def test_a_result_is_json_with_labels_and_says_where_it_comes_from():
    bank = ha.load("bank")
    result = ha.run(bank, explain=True)
    loaded = json.loads(result.to_json())
    weights = loaded["runs"][0]["arrays"]["layer 1 head 1 weights"]
    assert weights["labels"][0] == ["in", "financial", "markets", "banks"]
    assert weights["dims"] == ["query", "key"]
    assert loaded["expectations"] == result.table() and loaded["ok"] is True
    assert loaded["runs"][0]["working"] and "working" not in json.loads(ha.run(bank).to_json())["runs"][0]
    assert [run["name"] for run in loaded["runs"]] == ["", "river"] and "river/layer 1 state" in result.arrays
    assert (result.name, result.kind, result.seed) == ("bank", "attention", 0) and result.source in bank.text
    assert result.digest == hashlib.sha256(bank.text.encode()).hexdigest() and result.words == ("banks",)
    lines = bank.text.split("\n")
    assert {lines[outcome.line - 1][:10] for outcome in result.expectations} == {"[[expect]]"}


@pytest.mark.parametrize(("n", "rows"), [(12, 12), (13, 1)])
def test_of_a_long_text_the_last_word_alone_is_worked_out(n, rows):
    (run,) = ha.run(parsed(GOOD), overrides={"input.tokens": ["a", "b", *"a" * (n - 2)]}, explain=True).runs
    headings = [f"  {label}:" for label in run.arrays["input"].labels[0]]
    assert [line for line in run.working if line in headings] == headings[-rows:]


def test_the_effect_of_a_projection_is_explained():
    text = GOOD.replace('mask = "causal"', "value = { matrix = [[0, 1], [1, 0]], scale = 2 }")
    working = ha.run(parsed(text), explain=True).runs[0].working
    assert "  the value of each word times 2, by the matrix:" in working
    assert "    a#1: (0, 2)" in working
    assert any("×value(a#1)" in line for line in working)


def test_a_scenario_is_run_by_its_name_or_its_file_too(tmp_path):
    (tmp_path / "own.toml").write_text(ha.load("similarity").text, encoding="utf-8")
    assert ha.run("similarity").to_dict() == ha.run(ha.load("similarity")).to_dict()
    assert ha.run(tmp_path / "own.toml", rng=1).seed == 1


@pytest.mark.parametrize(
    ("activation", "line"),
    [
        ("logistic", "= 1/(1 + e^(−1)) ≈ .7311"),  # 1/(1 + 1/e) = .73106
        *(("relu", "= max(0, 1) = 1"), ("step", "step(1) = 1"), ("tanh", "tanh(1) ≈ .7616")),
    ],
)
def test_the_function_of_a_neuron_is_worked_out(activation, line):
    (run, *_) = ha.run("similarity", overrides={"network.activation": activation}, explain=True).runs
    assert any(line in written for written in run.working), run.working


SLOW = "emergence", "landscape"
DRAWN = {"emergence", "ensemble", "forgetting", "gradients", "ising", "landscape", "memory_circuit", "probe"}
DRAWN |= {"optimisation", "simulation", "walk"}
"""The kinds whose templates draw random numbers."""


@pytest.mark.parametrize("kind", [pytest.param(kind, marks=[pytest.mark.slow] * (kind in SLOW)) for kind in kinds])
def test_the_seed_decides_every_byte_of_a_kind_and_of_what_is_drawn_alone(kind):
    scenario = parsed(kinds[kind].template())
    assert ha.run(scenario).ok
    one, same = (ha.run(scenario, 1) for _ in range(2))
    assert one.to_json() == same.to_json() and one.seed == 1
    others = (ha.run(scenario, seed).to_json().replace(f'"seed": {seed}', '"seed": 1') for seed in (2, 3, 4))
    assert any(one.to_json() != other for other in others) is (kind in DRAWN)


SCORES = {
    "previous token": (0.25 + 0.5 + 0.5) / 3,
    "duplicate token": (0.125 + 0.25) / 2,
    "prefix matching": 0.5,
    "attention sink": 0.375,
}


def outcome(keys, text=ATTENDED):
    return ha.run(parsed(f"{text}[[expect]]\n{keys}\n")).expectations[0]


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize(("off", "met"), [(0, True), (0.04, True), (0.07, False), (-0.07, False)])
def test_scores_of_given_weights_are_met_within_their_tolerance(score, off, met):
    judged = outcome(f'score = "{score}"\nis = {SCORES[score] + off}\nwithin = 0.05')
    assert judged.met is met and judged.expectation == score
    assert judged.computed == f"{SCORES[score]:.6g}"


def test_weights_that_are_not_shares_miss_with_the_reason():
    text = ATTENDED[: ATTENDED.index("weights")] + 'separation = "identity"\n'
    judged = outcome('score = "attention sink"\nis = 1', text)
    assert judged.met is False and judged.computed == "no score"
    assert "attention: row 2 sums to 2; expected 1" in judged.note
