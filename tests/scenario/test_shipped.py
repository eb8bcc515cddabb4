"""The scenarios that come with hopattn: their expectations are met, and their numbers agree with another computation.

Each names its source and is short, computes the arrays that its kind declares, and can explain itself.
"""

import itertools
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopattn as ha
from hopattn.foundation import sentences
from hopattn.scenario.arrays import Name
from hopattn.scenario.files import shipped
from tests.draws import count
from tests.html_page import Page
from tests.runs import scenario_of

NAMES = list(shipped())
TEXTS = {name: path.read_text(encoding="utf-8") for name, path in shipped().items()}
KINDS = {name: re.search(r'^kind = "(.*)"', text, re.MULTILINE)[1] for name, text in TEXTS.items()}
ONE_OF_EACH_KIND = {kind: name for name, kind in reversed(KINDS.items())}


DECIMAL_POINT = re.compile(r"(?<![\w.])\d*\.(?!\d{3}(?!\d))\d")
"""A decimal point; a point with three digits behind it may part thousands."""


@pytest.mark.parametrize("name", NAMES)
def test_it_meets_what_it_expects_has_the_arrays_that_its_check_asks_and_a_page_and_german(name, results, monkeypatch):
    assert results[name].expectations and results[name].source
    assert [outcome for outcome in results[name].expectations if not outcome.met] == []
    for run in results[name].runs:
        spec = scenario_of(name).runs[run.name]
        if (least := spec.least()) is not spec:
            assert_checked_by(least.run(np.random.default_rng(spec.seed)), run.arrays)
    if count(True, False) or name in ONE_OF_EACH_KIND.values():
        assert_explained(name, results[name])
    monkeypatch.setattr("hopattn.views.notebook._picture", lambda sheet: f"<p>{sheet.title}</p>")
    assert results[name].title in Page(ha.html(results[name])).words
    assert_german(name, {run.name: run.arrays for run in results[name].runs}, monkeypatch)


class Forms(dict):
    """The German forms of sentences, which note the English ones that have none."""

    def get(self, template, default):
        if template not in self and re.search("[a-z]{3}", re.sub(r"{.*?}", "", template)):
            self.lacking.add(template)
        return super().get(template, default)


def assert_german(name, arrays, monkeypatch):
    """The arithmetic and the expectations have no English sentence in German, and no decimal point."""
    scenario, lines, forms = scenario_of(name), [], Forms(sentences.sentences("de"))
    forms.lacking = set()
    monkeypatch.setattr(sentences, "sentences", {"de": forms}.get)
    with sentences.language("de"), np.errstate(all="ignore"):
        for run, own in arrays.items():
            lines += [*scenario.runs[run].explain(own), *(strip.sentence for strip in scenario.runs[run].strips(own))]
        for expectation in scenario.spec.expect:
            expectation.sentence()
            verdict = expectation.judge(arrays[expectation.variants[0]])
            lines += [verdict.expected, verdict.computed]
    assert forms.lacking == set()
    named = {label for own in arrays.values() for array in own.values() for labels in array.labels for label in labels}
    tokens = [label for label in named if DECIMAL_POINT.search(label)]
    assert [line for line in lines if DECIMAL_POINT.search(line) and not any(map(line.__contains__, tokens))] == []


def assert_checked_by(least, arrays):
    """The arrays that a check asks are those of the whole run: their names, axes and labels, and the words."""
    assert [*least] == [*arrays] and least.asked == arrays.asked
    assert [*least.words] == [*arrays.words] and least.parts == arrays.parts and least.recallable == arrays.recallable
    assert least.measures == arrays.measures and least.rows == arrays.rows
    for name, array in arrays.items():
        assert str(Name.parse(name)) == name
        assert least[name].dims == array.dims
        assert {*array.scales} <= {*array.dims}
        assert all(len(labels) == length for labels, length in zip(array.labels, array.values.shape, strict=True))


def assert_explained(name, result):
    """A scenario explains itself in full, and computes the same bytes then."""
    explained = ha.run(scenario_of(name), explain=True)
    for run in explained.runs:
        assert run.working
        assert not any("nan" in line.split() or "inf" in line.split() for line in run.working)
    without = replace(explained, runs=tuple(replace(run, working=()) for run in explained.runs))
    assert without.to_json() == result.to_json()


def test_each_names_its_source_and_is_short_and_each_variant_has_an_expectation():
    faults = []
    for name, text in TEXTS.items():
        spec = scenario_of(name).spec
        expected = {variant for expectation in spec.expect for variant in expectation.variants}
        faults += [f"{name}: has no source"] if not spec.source else []
        faults += [f"{name}: is longer than 60 lines"] if text.count("\n") > 60 else []
        faults += [f"{name}: nothing is expected of {one.name}" for one in spec.variant if one.name not in expected]
    assert faults == []


def test_names_are_unique_across_folders():
    folder = shipped()[NAMES[0]].parent.parent
    assert len(NAMES) == len(list(folder.glob("*/*.toml")))


# The tests below compute the lecture's numbers from its vectors, without the code of the package.

IN, FINANCIAL, MARKETS, RIVER = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0.8, 0, 0.6], [0, 0, 1, 0]])
BANKS = np.array([0.1, 0.7, 0.7, 0.1])


def cosines(vector):
    return [vector @ word / np.linalg.norm(vector) for word in (FINANCIAL, RIVER)]


def test_the_numbers_of_the_bank_example(results):
    output = sum((BANKS @ word) * word for word in (IN, FINANCIAL, MARKETS))
    state = BANKS + output
    itself = output + BANKS  # under a causal mask banks attends to itself with weight 1
    np.testing.assert_allclose(cosines(BANKS), [0.7, 0.7], atol=1e-15)
    np.testing.assert_allclose(cosines(output), [0.952, 0], atol=5e-4)
    np.testing.assert_allclose(cosines(state), [0.909, 0.336], atol=5e-4)
    np.testing.assert_allclose(cosines(BANKS + itself), [0.86, 0.464], atol=5e-4)
    strict, causal = results["bank-mask"].runs
    np.testing.assert_allclose(strict.arrays["layer 1 output"].values[3], output, rtol=1e-12)
    np.testing.assert_allclose(strict.arrays["layer 1 state"].values[3], state, rtol=1e-12)
    np.testing.assert_allclose(causal.arrays["layer 1 output"].values[3], itself, rtol=1e-12)
    np.testing.assert_allclose(causal.arrays["layer 1 state"].values[3], BANKS + itself, rtol=1e-12)


def test_the_attention_matrix_of_practice_7_2(results):
    words = np.array([IN, FINANCIAL, MARKETS, BANKS])
    found = results["practice-7-2"].arrays
    np.testing.assert_allclose(found["layer 1 head 1 scores"].values, words @ words.T, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(found["layer 1 head 1 weights"].values, np.tril(words @ words.T), rtol=1e-12, atol=1e-15)


def test_the_three_steps_of_aaba(results):
    base_3, true_e, averaging = results["aaba"].runs
    scores = np.array([0, 0, 1, 0])
    embeddings = np.array([[1, 0], [1, 0], [0, 1], [1, 0]])
    for run, base in ((base_3, 3), (true_e, np.e)):
        weights = base**scores / np.sum(base**scores)
        np.testing.assert_allclose(run.arrays["layer 1 head 1 weights"].values[0], weights, rtol=1e-12)
        np.testing.assert_allclose(run.arrays["layer 1 state"].values[0], weights @ embeddings, rtol=1e-12)
    np.testing.assert_allclose(averaging.arrays["layer 1 state"].values[0], embeddings.mean(0), rtol=1e-12)


def expected_word(mask, turn, unit):
    """The induction circuit on their dog chased their, written out with loops."""
    words, n = np.eye(3)[[0, 1, 2, 0]], 4
    sees = [[j < i or (j == i and mask == "causal") for j in range(n)] for i in range(n)]
    previous = np.zeros((n, 3))
    for i in range(n):
        for j in range(n):
            if sees[i][j]:
                previous[i] += np.cos(i * turn - (j + 1) * turn) * words[j]
        length = np.linalg.norm(previous[i])
        if unit and length > 1e-9:
            previous[i] /= length
    return sum((words[3] @ previous[j]) * words[j] for j in range(n) if sees[3][j])


def test_the_induction_head_its_failure_and_its_cure(results):
    cure, cure_half = results["induction"].runs
    trap, trap_quarter, _ = results["induction-trap"].runs
    for run, mask, turn in (
        (cure, "strict", np.pi / 2),
        (cure_half, "strict", 0.5),
        (trap, "causal", 0.5),
        (trap_quarter, "causal", np.pi / 2),
    ):
        found = run.arrays["layer 2 state"].values[3, 8:]
        np.testing.assert_allclose(found, expected_word(mask, turn, unit=True), rtol=1e-9, atol=1e-12)


@given(turn=st.floats(5, 175))
def test_the_strict_mask_lets_the_induction_head_predict_the_word_at_any_angle(turn):
    result = ha.run(ha.load("induction"), overrides={"positions.turn": turn})
    expected = result.arrays["layer 2 state"].values[3, 8:]
    assert np.argmax(expected) == 1


@settings(max_examples=count(60, 6))
@given(seed=st.integers(0, 2**32 - 1))
def test_words_never_seen_before_are_predicted_whatever_the_seed(seed):
    result = ha.run(ha.load("induction-unseen"), rng=seed, overrides={"task.induction.count": 20})
    assert result.arrays["accuracy"].values == 1


def test_the_induction_task_is_failed_by_a_head_that_looks_three_words_back():
    """So the offset matters. Keys without rotation work too: of the words before, the previous one is the nearest."""
    result = ha.run(ha.load("induction-unseen"), overrides={"layer.1.head.key.rotate": 3})
    assert result.arrays["accuracy"].values < 0.2
    assert not result.ok


def softmax(scores):
    powers = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def weights(result, run=0):
    return result.runs[run].arrays["layer 1 head 1 weights"].values


def state(result, run=0):
    return result.runs[run].arrays["layer 1 state"].values


KIM = {"orange": [0, 3, 0], "phone": [4, 0, 0], "apple": [2, 2, 0], "and": [0, 0, 2], "an": [0, 0, 3]}


def cosine_table(words):
    vectors = np.array([KIM[word] for word in words], dtype=float)
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors, units @ units.T


def test_the_tables_of_kim(results):
    _, five = cosine_table(KIM)
    np.testing.assert_allclose(weights(results["similarity-table"]), five, atol=1e-12)
    vectors, four = cosine_table(["orange", "apple", "and", "an"])
    np.testing.assert_allclose(state(results["apple"]), four @ vectors, atol=1e-12)
    np.testing.assert_allclose(weights(results["softmax-table"]), softmax(four), atol=1e-12)
    seen = np.where(four > 0.5, four, -np.inf)
    np.testing.assert_allclose(weights(results["scaling"]), softmax(seen), atol=1e-12)
    five_vectors, _ = cosine_table(KIM)
    np.testing.assert_allclose(weights(results["dot-product"]), five_vectors @ five_vectors.T, atol=1e-12)
    np.testing.assert_allclose(weights(results["dot-product"], 1), five_vectors @ five_vectors.T / 3**0.5, rtol=1e-12)


def test_the_causal_mask_of_at6_renormalises_the_printed_rows(results):
    table = np.array([[0.91, 0.04, 0.05], [0.03, 0.74, 0.23], [0.01, 0.41, 0.58]])
    kept = np.tril(table)
    np.testing.assert_allclose(weights(results["causal-mask"], 1), kept / kept.sum(1, keepdims=True), rtol=1e-12)


def test_the_two_bigs_and_what_positions_do_to_them(results):
    words = {"dog": [0.8, 0.6, 0, 0], "big": [0, 1, 0, 0], "saw": [0, 0, 1, 0], "cat": [1, 0, 0, 0]}
    text = np.array([words[word] for word in ("big", "dog", "saw", "big", "cat")])
    angle = np.radians(20 * np.arange(5))
    points = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    twice = np.concatenate([points, points], axis=1)
    np.testing.assert_allclose(weights(results["two-bigs"]), softmax(text @ text.T), rtol=1e-12)
    joined = (text + twice, text * twice, np.concatenate([points, text], axis=1))
    for run, vectors in enumerate(joined):
        found = weights(results["positions-joined"], run)
        np.testing.assert_allclose(found, softmax(vectors @ vectors.T), rtol=1e-12)


def test_linear_attention_can_sum_the_text_first(results):
    text = np.array([[1, 0], [0.6, 0.8], [0, 1]])
    np.testing.assert_allclose(state(results["linear-attention"]), text @ (text.T @ text), rtol=1e-12)
    np.testing.assert_allclose(state(results["linear-attention"], 1), softmax(text @ text.T) @ text, rtol=1e-12)


def test_texts_of_a_batch_never_meet(results):
    alone, together = results["batch"].runs
    for name, array in alone.arrays.items():
        np.testing.assert_allclose(together.arrays[name].values, array.values, rtol=1e-12, err_msg=name)
    overrides = {"input.batch": [["blue", "blue", "blue"], ["red", "red", "green"]]}
    other = ha.run(ha.load("batch"), overrides=overrides).runs[0]
    np.testing.assert_allclose(other.arrays["layer 2 state"].values, alone.arrays["layer 2 state"].values, rtol=1e-12)


def test_the_hopfield_update_and_the_attention_step_of_the_note(results):
    patterns = np.array([[1, -1] * 4, [1] * 4 + [-1] * 4, [1, 1, -1, -1] * 2], dtype=float)
    cue = np.array([1, 1, 1, 1, -1, -1, -1, 1.0])
    couplings = patterns.T @ patterns / 8
    hopfield, attention = results["hopfield-beside-attention"].runs
    np.testing.assert_allclose(hopfield.arrays["step 1 output"].values[0], np.sign(couplings @ cue))
    np.testing.assert_allclose(attention.arrays["state"].values[0], softmax(patterns @ cue) @ patterns, rtol=1e-12)


def test_the_models_of_the_a_b_task_by_enumeration(results):
    texts = [[*text, "B" if "B" in text else "A"] for text in itertools.product("AB", repeat=4)]
    pairs = [(a, b) for text in texts for a, b in itertools.pairwise(text)]
    likeliest = {a: max("AB", key=lambda b: pairs.count((a, b))) for a in "AB"}
    counted = sum(likeliest[text[3]] == text[4] for text in texts) / 16
    assert {run.name: float(run.arrays["accuracy"].values) for run in results["all-a-any-b"].runs} == {
        "": 1,
        "averaging": 1,
        "counted pairs": counted,
        "ten words": 1,
        "averaging ten words": 1014 / 1024,
    }


def test_the_counts_of_the_hot_dog(results):
    near = {("hot", "dog"): "bun", ("big", "dog"): "barks", ("old", "dog"): "barks"}
    far = {(first, "and", "sad", second): answer for (first, second), answer in near.items()}

    def right(texts, n):
        runs = [(*text, answer)[end - n : end] for text, answer in texts.items() for end in range(n, len(text) + 2)]
        guesses = {text: max(("bun", "barks"), key=lambda word: runs.count((*text[1 - n :], word))) for text in texts}
        return sum(guesses[text] == answer for text, answer in texts.items()) / len(texts)

    found = {run.name: float(run.arrays["accuracy"].values) for run in results["hot-dog"].runs}
    assert found["pairs"] == right(near, 2) == pytest.approx(2 / 3)
    assert found["triples"] == right(near, 3) == 1
    assert found["triples, two words between"] == right(far, 3) == pytest.approx(2 / 3)


DRAWN = ["letters", "modern", "exponential", "forgetting", "hopfield", "spurious", "capacity", "dense-capacity"]
"""Shipped scenarios that draw, and whose expectations are statistical or an outcome of a draw; those that are quick."""


@pytest.mark.parametrize("name", [*DRAWN, *count(["vanishing-gradients", "ising-ring", "capacity-by-size"], [])])
def test_an_expectation_does_not_rest_on_one_lucky_seed(name):
    scenario, seeds = ha.load(name), range(1, count(41, 6))
    missed = [[outcome.met is False for outcome in ha.run(scenario, rng=seed).expectations] for seed in seeds]
    assert np.sum(missed, axis=0).max() <= 1
