"""Running a scenario: overrides, variants, seeds, verdicts, results as JSON."""

import json

import numpy as np
import pytest

import hopattn as ha
from hopattn.foundation.errors import InvalidInput
from hopattn.results.labelled import Labelled
from hopattn.scenario.expectations.base import rounds_to
from hopattn.scenario.expectations.vectors import nearest_words
from hopattn.scenario.kinds import kinds
from hopattn.scenario.language.array_layout import ArraySpec, all_labelled
from hopattn.scenario.loading import parse
from tests.each import each
from tests.refusal import assert_refused
from tests.runs import result_of
from tests.texts import GOOD, HUGE


def outcomes(expect, text=GOOD):
    body = text[: text.index("[[expect]]")]
    return ha.run(parse(f"{body}[[expect]]\n{expect}", "file.toml", "file")).expectations


def test_an_expectation_can_be_missed():
    (missed,) = outcomes('at = "b"\nnearest = "a"')
    assert missed.met is False
    assert (missed.expected, missed.computed) == ("a", "b")


@each(
    ("expect", "met"),
    [
        ('cosine_to = "b"\nof = "input"\nis = 1', True),
        ('cosine_to = "b"\nof = "input"\nis = 1.00001', False),
        ('cosine_to = "b"\nof = "input"\nis = 1.01\nwithin = 0.01', True),
        ('cosine_to = "b"\nof = "input"\nis = 1.01\nwithin = 0.009', False),
        ('cosine_to = "a"\nof = "input"\nis = 0.6\nstated = 0.6', True),
        ('cosine_to = "a"\nof = "input"\nis = 0.6\nstated = 0.7', False),
        ('cosine_to = "a"\nof = "input"\nis = 0.6\nstated = 0.7\nerratum = "a slip"', True),
        ('cosine_to = "a"\nof = "input"\nis = 0.6\nstated = 0.6\nerratum = "none"', False),
        ('closer_to = "b"\nthan = "a"', True),
        ('closer_to = "a"\nthan = ["b"]', False),
        ('closer_to = "a"\nthan_before = true', True),
        ('closer_to = "b"\nthan_before = true', False),
        ('of = "input"\nis = [0.6, 0.8]', True),
        ('of = "input"\nis = [0.6, 0.81]', False),
        ('of = "input"\nis = [0.6, 0.8]\nstated = [0.6, 1]', True),
        ('of = "input"\nis = [0.6, 0.8]\nstated = [0.6, 0.7]\nerratum = "the second"', True),
    ],
)
def test_verdicts(expect, met):
    (outcome,) = outcomes(f'at = "b"\n{expect}')
    assert outcome.met is met


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
    (outcome,) = outcomes(f'at = "b"\nof = "input"\n{expect}')
    assert (outcome.expected, outcome.computed, outcome.note) == (expected, computed, note)


def test_a_tie_for_the_nearest_word_is_a_miss():
    words = {"a": np.array([1.0, 0.0]), "b": np.array([0.0, 1.0])}
    assert nearest_words(np.array([0.5, 0.5]), words) == ["a", "b"]
    assert nearest_words(np.array([0.6, 0.5]), words) == ["a"]
    assert nearest_words(np.array([0.0, 0.0]), words) == []


@each(
    ("value", "printed", "agrees"),
    [
        (0.7071, 0.71, True),
        (0.7071, 0.7, True),
        (0.7071, 0.72, False),
        (0.99995, 1, True),
        (0.4, 1, False),
        (0.125, 0.13, True),
        (0.125, 0.12, True),
        (12345.0, 12345, True),
        (1e-5, 0.00001, True),
        (3.0, 2, False),
    ],
)
def test_a_printed_number_agrees_if_the_value_rounds_to_it(value, printed, agrees):
    assert rounds_to(value, printed) is agrees


def test_overrides_change_the_run_and_nothing_else():
    scenario = ha.load("bank")
    before = ha.run(scenario).to_json()
    soft = ha.run(scenario, overrides={"layer.head.separation": "softmax"})
    assert not soft.ok
    np.testing.assert_allclose(soft.arrays["layer 1 head 1 weights"].values[3].sum(), 1)
    assert ha.run(scenario).to_json() == before


def test_expectations_that_lose_their_object_by_an_override_are_skipped():
    text = ha.load("bank").text + '[[expect]]\nweight = { from = "banks", to = "financial" }\nis = 0.7\n'
    bank = parse(text, "bank.toml", "bank")
    result = ha.run(bank, overrides={"input.tokens": ["in", "muddy", "rivers", "banks"]})
    assert [outcome.met for outcome in result.expectations] == [False, False, False, True, None]
    assert [outcome.note for outcome in result.expectations if outcome.met is None] == [
        "skipped: weight.to: 'financial' is a word, but does not occur in this text (in, muddy, rivers, banks)"
    ]


def test_an_override_of_an_expectation_is_checked_like_the_file():
    with pytest.raises(InvalidInput, match=r"--set expect\.1\.at: 'nope' is unknown"):
        ha.run(ha.load("bank"), overrides={"expect.1.at": "nope"})


def test_a_variant_may_have_its_own_seed():
    text = HUGE.replace("length = 3", "length = 20") + '[[variant]]\nname = "v"\nset = { seed = 5 }\n'
    base, variant = ha.run(parse(text, "file.toml", "file")).runs
    assert base.arrays["tokens"].values != variant.arrays["tokens"].values


def test_the_effect_of_a_projection_is_explained():
    text = GOOD.replace('mask = "causal"', "value = { matrix = [[0, 1], [1, 0]], scale = 2 }")
    working = ha.run(parse(text, "file.toml", "file"), explain=True).runs[0].working
    assert "  the value of each word times 2, by the matrix:" in working
    assert "    a#1: (0, 2)" in working
    assert any("×value(a#1)" in line for line in working)


def test_an_override_that_does_not_fit_is_refused_by_its_name():
    with pytest.raises(
        InvalidInput, match=r"--set layer\.head\.separation: 'softmx' is unknown; did you mean 'softmax'"
    ):
        ha.run(ha.load("bank"), overrides={"layer.head.separation": "softmx"})
    with pytest.raises(InvalidInput, match="--set layr: 'layr' is unknown; did you mean 'layer'"):
        ha.run(ha.load("bank"), overrides={"layr": 1})


def test_the_same_seed_gives_the_same_bytes_and_another_does_not():
    scenario = parse(HUGE, "file.toml", "file")
    assert ha.run(scenario).to_json() == ha.run(scenario).to_json()
    longer = parse(HUGE.replace("length = 3", "length = 20"), "file.toml", "file")
    assert ha.run(longer, rng=1).to_json() == ha.run(longer, rng=1).to_json()
    assert ha.run(longer, rng=1).arrays["tokens"].values != ha.run(longer, rng=2).arrays["tokens"].values
    with pytest.raises(InvalidInput, match="rng: expected a seed of at least 0"):
        ha.run(scenario, rng=-1)


def test_nothing_touches_the_global_random_state():
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    ha.run(ha.load("induction-unseen"))
    assert np.array_equal(before, np.random.get_state()[1])  # noqa: NPY002


def test_a_result_is_json_with_labels():
    result = ha.run(ha.load("bank"), explain=True)
    loaded = json.loads(result.to_json())
    weights = loaded["runs"][0]["arrays"]["layer 1 head 1 weights"]
    assert weights["labels"][0] == ["in", "financial", "markets", "banks"]
    assert weights["dims"] == ["query", "key"]
    assert loaded["expectations"] == result.table()
    assert loaded["runs"][0]["working"]
    assert "river/layer 1 state" in result.arrays


def test_numbers_that_grow_out_of_range_are_refused():
    text = GOOD.replace("[vocabulary]", '[vocabulary]\nmagnitude = "free"').replace("[1, 0]", "[1e200, 0]")
    text = text.replace('"softmax"', '"identity"')
    reported = r"file\.toml:13: the numbers grow out of range \('layer 1 head 1 scores'\): use smaller vectors"
    with pytest.raises(InvalidInput, match=reported + r" \('a' holds 1e\+200\)"):
        ha.run(parse(text, "file.toml", "file"))


def test_an_axis_without_labels_is_numbered_from_0_and_labelled_arrays_keep_theirs():
    declared = [ArraySpec("energy", (("cue", ("a", "b")), ("step", -1))), ArraySpec("map", (("x", 2),))]
    given = Labelled(np.zeros(2), ("x",), (("left", "right"),))
    arrays = all_labelled({"energy": np.zeros((2, 3)), "map": given}, declared)
    assert (declared[0].shape, declared[0].dims) == ((2, -1), ("cue", "step"))
    assert arrays["energy"].labels == (("a", "b"), ("0", "1", "2"))
    assert arrays["map"] is given


def test_an_array_that_is_not_declared_is_an_error():
    with pytest.raises(KeyError, match="state"):
        all_labelled({"state": np.zeros(2)}, [ArraySpec("states", (("x", 2),))])


def test_a_scenario_is_run_by_its_name_or_its_file_too(tmp_path):
    (tmp_path / "own.toml").write_text(ha.load("similarity").text, encoding="utf-8")
    assert ha.run("similarity").to_dict() == ha.run(ha.load("similarity")).to_dict()
    assert ha.run(tmp_path / "own.toml", rng=1).seed == 1
    for given, message in ((3, "the path of a scenario file"), ("similarty", "did you mean 'similarity'")):
        with pytest.raises(InvalidInput, match=message):
            ha.run(given)


MODERN = """schema = 1
title = "t"
source = "ours"
kind = "memory"
vocabulary = { axes = ["a", "b"], magnitude = "free", words = { x = [1, 0], y = [0.6, 0.8], cue = [0.5, 0.5] } }
memory = { patterns = ["x", "y"], max_steps = 1 }
input = { tokens = ["cue"] }
"""


def test_the_energy_is_worked_out_term_by_term():
    third = "x·h of the cue: 1×.3333 + 1×.3333 + (−1)×1 + (−1)×(−.3333) + (−1)×(−.3333) + (−1)×(−.3333)"
    cases = {
        kinds["memory"].template(): [third, "energy of the cue: −½×.6667 ≈ −.3333"],
        MODERN: ["energy of the cue: ½×.5 − log(e^.5 + e^.7) ≈ .25 − 1.2981 ≈ −1.0481"],
        MODERN.replace("max", 'beta = 2, separation = "identity", max'): ["½×.5 − ½×2×(.5² + .7²) = .25 − .74 = −.49"],
        MODERN.replace("max", 'separation = { name = "power", n = 3 }, max'): [
            "½×.5 − ((.5)^3 + (.7)^3)/3 = .25 − .156 = .094"
        ],
        MODERN.replace("max", 'separation = "sparsemax", max'): [],  # its potential is not a sum
    }
    for text, lines in cases.items():
        run = ha.run(parse(text, "f.toml", "f"), explain=True).runs[0]
        working = "\n".join(run.working)
        assert all(line in working for line in lines), working
        assert ("energy of" in working) == bool(lines)


def test_the_function_of_a_neuron_is_worked_out():
    text = ha.load("similarity").text
    lines = {
        "logistic": "= 1/(1 + e^(−1)) ≈ .7311",  # 1/(1 + 1/e) = .73106
        "relu": "= max(0, 1) = 1",
        "step": "step(1) = 1",
        "tanh": "tanh(1) ≈ .7616",
    }
    for f, line in lines.items():
        document = text.replace("[network.neurons]", f'[network]\nactivation = "{f}"\n[network.neurons]')
        run = ha.run(parse(document, "f.toml", "f"), explain=True).runs[0]
        assert any(line in written for written in run.working), run.working


MEMORY = """schema = 1
title = "t"
source = "ours"
kind = "memory"
[vocabulary]
axes = ["1", "2", "3", "4"]
magnitude = "free"
[vocabulary.words]
all  = [1, 1, 1, 1]
half = [1, 1, -1, -1]
cue  = [1, 1, 1, 0]
[memory]
patterns = ["all", "half"]
separation = "identity"
activation = "sign"
beta = 0.25
[input]
tokens = ["cue", "half"]
[[expect]]
at = "cue"
recalls = "all"
status = "converged"
energy = "falls"
[[expect]]
at = "half"
recalls = "all"
[[expect]]
at = "cue"
nearest = "all"
"""


def test_the_memory_kind():
    result = ha.run(parse(MEMORY, "file.toml", "file"), explain=True)
    assert [outcome.met for outcome in result.expectations] == [True, False, True]
    assert result.arrays["recalls"].values.tolist() == ["all", "half"]
    working = "\n".join(result.runs[0].working)
    assert "similarity to all: 1×1 + 1×1 + 1×1 + 0×1 = 1 + 1 + 1 + 0 = 3" in working
    assert "recalls: all" in working
    memory = ha.Memory([[1, 1, 1, 1], [1, 1, -1, -1]], separation="identity", activation="sign", beta=0.25)
    np.testing.assert_allclose(result.arrays["state"].values[0], memory.recall([1, 1, 1, 0]).state)


@each(
    ("old", "new", "message"),
    [
        ("cue  = [1, 1, 1, 0]", "cue  = [1, 1, 1, 0.5]", "18: input.tokens.1: 'cue' holds 0.5; spins are"),
        (
            'patterns = ["all", "half"]',
            'patterns = ["al"]',
            "13: memory.patterns.1: 'al' is unknown; did you mean 'all'",
        ),
        ('patterns = ["all", "half"]', "patterns = []", "13: memory.patterns: is empty"),
        (
            'separation = "identity"',
            'separation = { name = "power", n = 0 }',
            "14: memory.separation: n: expected",
        ),
        ("half", "nothing", "13: memory.patterns: 'nothing' is what a recall of no pattern is called"),
        ("beta = 0.25", "max_steps = 0", "16: memory.max_steps: got 0; expected at least 1"),
        ("beta = 0.25", "max_steps = 1000000", "16: memory.max_steps: got 1000000; expected at most 100000"),
        ('tokens = ["cue", "half"]', 'tokens = ["cue"]\nqueries = ["cue"]', "19: input.queries: only kind 'attention'"),
        ('recalls = "all"', 'recalls = "cue"', "21: expect.1.recalls: 'cue' is unknown (choices: all, half, nothing)"),
    ],
)
def test_faults_of_the_memory_kind(old, new, message):
    assert_refused(MEMORY.replace(old, new, -1 if old == "half" else 1), message)


CUE = """schema = 1
title = "t"
source = "ours"
kind = "cue"
[vocabulary]
axes = ["1", "2"]
[vocabulary.words]
a = [1, 0]
[input]
tokens = ["a"]
[network]
matrix = [[0.8, 0.6], [0, 1], [-1, 0]]
activation = "sign"
[[expect]]
at = "a"
is = [1, 0, -1]
"""


def test_the_cue_kind():
    assert ha.run(parse(CUE, "file.toml", "file")).ok


@each(
    ("old", "new", "message"),
    [
        (
            "matrix = [[0.8, 0.6], [0, 1], [-1, 0]]",
            "",
            "11: network: needs one of `neurons`, `matrix` and `rotate`; none is given",
        ),
        (
            "matrix = [[0.8, 0.6], [0, 1], [-1, 0]]",
            "matrix = [[1]]",
            "12: network.matrix: every row needs 2 numbers",
        ),
        (
            'activation = "sign"',
            "rotate = 90",
            "11: network: needs one of `neurons`, `matrix` and `rotate`; `matrix` and",
        ),
        (
            'activation = "sign"',
            'activation = "sing"',
            "13: network.activation: 'sing' is unknown; did you mean 'sign'",
        ),
        ("matrix = [[0.8, 0.6], [0, 1], [-1, 0]]", "neurons = { n = [1, 1] }", "12: network.neurons.n: has magnitude"),
        ("is = [1, 0, -1]", 'of = "input"\nis = [1, 0, -1]', "17: expect.1.is: 3 numbers do not fit the 2 elements"),
        ("is = [1, 0, -1]", 'nearest = "a"', "16: expect.1.nearest: 'a' has 2 elements, the vector has 3"),
    ],
)
def test_faults_of_the_cue_kind(old, new, message):
    assert_refused(CUE.replace(old, new, 1), message)


def test_the_task_kind_with_examples_written_out():
    text = HUGE.replace("word = { random = 8 }", 'word = ["a", "b"]').replace(
        "induction = { count = 1, length = 3 }",
        'example = [{ tokens = ["a", "b"], answer = "b" }, { tokens = ["b", "a"], answer = "b" }]',
    )
    text += 'separation = "argmax"\n[[expect]]\nmeasure = "accuracy"\nis = 0.5\n'
    result = ha.run(parse(text, "file.toml", "file"), explain=True)
    assert result.ok
    assert result.arrays["given"].values.tolist() == ["b", "a"]
    assert result.runs[0].working[-1] == "accuracy: 1 right of 2 = 0.5"


@pytest.mark.parametrize("seed", range(4))
def test_a_word_that_marks_the_start_never_comes_again(seed):
    text = HUGE.replace("length = 3", "length = 3, start = true") + 'separation = "argmax"\n'
    arrays = ha.run(parse(text, "file.toml", "file"), seed).arrays
    tokens = str(arrays["tokens"].values[0]).split()
    assert tokens[:4] == ["<start>", "w1", "w2", "w3"] and tokens[4] in ("w1", "w2")
    assert arrays["answer"].values[0] == {"w1": "w2", "w2": "w3"}[tokens[4]]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("induction = { count = 1, length = 3 }", "", "7: task: needs one of `induction`, `example` and `every`; none"),
        ("word = { random = 8 }", 'word = ["a"]', "8: task.induction: needs [spaces] with word = { random"),
        ("[task]", '[task]\nread = "wrod"', "8: task.read: 'wrod' is unknown; did you mean 'word'"),
        ("induction = { count = 1, length = 3 }", "example = []", "8: task.example: is empty"),
        ("length = 3", "length = 1", "8: task.induction.length: got 1; expected at least 2"),
    ],
)
def test_faults_of_the_task_kind(old, new, message):
    assert_refused(HUGE.replace(old, new, 1), message)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('batch = [["a", "b", "a", "b"]]', "12: input.batch.1: 4 words are more than the 3 tokens"),
        ('batch = [["a"]]', "12: input.batch.1: is shorter than the tokens, so it needs input.padding"),
        ('batch = [["a", "b", "c"]]', "12: input.batch.1.3: 'c' is unknown"),
        ('batch = [["a", "b", "a"]]\nqueries = ["a"]', "12: input.batch: a batch of queries is not supported"),
        ('padding = "c"', "12: input.padding: 'c' is unknown"),
    ],
)
def test_faults_of_a_text(line, message):
    text = GOOD.replace('tokens = ["a", "b", "a"]', f'tokens = ["a", "b", "a"]\n{line}')
    assert_refused(text, message)


@pytest.mark.parametrize(
    ("positions", "message"),
    [
        ('turn = 9\nhow = "ad"', "12: positions.how: 'ad' is unknown; did you mean 'add'?"),
        ("turn = 1e300", "11: positions.turn: got 1e+300; expected at most 1,000,000"),
        ("turn = 9", '10: positions: needs [spaces] with position = ["cos", "sin"]'),
    ],
)
def test_faults_of_positions(positions, message):
    text = GOOD.replace("[input]", f"[positions]\n{positions}\n[input]")
    assert_refused(text, message)


def test_a_task_explains_its_first_sequence():
    text = HUGE.replace("word = { random = 8 }", 'word = ["a", "b"]').replace(
        "induction = { count = 1, length = 3 }",
        'query = "a"\nexample = [{ tokens = ["a", "b"], answer = "a" }, { tokens = ["b"], answer = "b" }]',
    )
    result = ha.run(parse(text, "file.toml", "file"), explain=True)
    working = "\n".join(result.runs[0].working)
    assert "similarity to a: 1×1 + 0×0 = 1 + 0 = 1" in working
    assert "weights (softmax): a 2.7183/3.7183" in working
    assert "a b → " in working


def test_an_array_that_is_not_there_is_answered_with_the_nearest():
    result = result_of("bank")
    for arrays in (result.arrays, result.runs[0].arrays):
        with pytest.raises(InvalidInput, match="arrays: 'layer 1 outptu' is unknown; did you mean 'layer 1 output'"):
            arrays["layer 1 outptu"]
        assert arrays.get("layer 1 outptu") is None
