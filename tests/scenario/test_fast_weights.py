"""Fast weights: memories and outputs against loops over the words, random features against closed forms, messages."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays as drawn

import hopattn as ha
from hopattn.scenario.kinds import kinds
from hopattn.scenario.loading import parse
from tests.counts import count
from tests.each import each
from tests.refusal import assert_refused, problems

TEXT = """schema = 1
title = "fast weights"
source = "ours"
kind = "fast_weights"
[vocabulary]
axes = ["x", "y"]
magnitude = "free"
[vocabulary.words]
a = [1, 0]
b = [0.5, 2]
c = [-1, 1]
[input]
tokens = ["a", "b", "c", "a"]
[fast_weights]
"""
PHI = {
    "identity": lambda x: x,
    "relu": lambda x: np.maximum(x, 0),
    "elu": lambda x: np.where(x > 0, x + 1, np.exp(np.minimum(x, 0))),
}
vectors = drawn(float, (4, 2), elements=st.floats(-2, 2).map(lambda x: round(x, 3)))


def found(text, changes=None):
    return ha.run(parse(text, "f.toml", "f"), overrides=changes).arrays


def words(rows):
    return {f"vocabulary.words.{name}": row for name, row in zip("abc", rows.tolist(), strict=False)}


def test_positions_and_parts_are_read_as_the_attention_without_softmax_reads_them():
    """Linear attention over words with positions: the same as kind attention with raw scores as weights."""
    coded = TEXT.replace("[fast_weights]\n", "[positions]\nturn = 30\n")
    coded += '[spaces]\nposition = ["cos", "sin"]\nword = "vocabulary"\n'
    maps = 'query = {from = "position"}\nkey = {from = "position"}\nvalue = {from = "word"}\n'
    own = found(f"{coded}[fast_weights]\n{maps}")
    head = f'[[layer]]\n[[layer.head]]\nseparation = "identity"\n{maps}'
    layered = found(coded.replace('kind = "fast_weights"', 'kind = "attention"') + head)
    np.testing.assert_allclose(own["keys"].values, layered["layer 1 head 1 keys"].values)
    np.testing.assert_allclose(own["output"].values, layered["layer 1 head 1 output"].values, atol=1e-12)


@settings(max_examples=count(60, 10), deadline=None)
@given(rows=vectors, phi=st.sampled_from(list(PHI)), normalise=st.booleans())
def test_a_sum_is_the_sum_of_outer_products(rows, phi, normalise):
    normalise = normalise and phi != "identity"
    changes = words(rows) | {"fast_weights.features": phi, "fast_weights.normalise": normalise}
    arrays = found(TEXT, changes)
    matrix, total = np.zeros((2, 2)), np.zeros(2)
    for i, word in enumerate(rows[[0, 1, 2, 0]]):
        features = PHI[phi](word)
        matrix, total = matrix + np.outer(word, features), total + features
        divisor = total @ features
        output = matrix @ features / (divisor if divisor else 1.0) if normalise else matrix @ features
        np.testing.assert_allclose(arrays["memories"].values[i][:2], matrix, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(arrays["output"].values[i], output, rtol=1e-9, atol=1e-11)
        np.testing.assert_allclose(arrays["sums"].values[i], divisor, rtol=1e-9, atol=1e-11)
    if normalise:
        np.testing.assert_allclose(arrays["memory"].values[2], total, rtol=1e-12, atol=1e-12)
    assert arrays["difference"].values < 1e-10


@settings(max_examples=count(60, 10), deadline=None)
@given(rows=vectors, rate=st.floats(0.05, 1.9))
def test_the_delta_rule_is_that_of_widrow_and_hoff(rows, rate):
    arrays = found(TEXT, words(rows) | {"fast_weights.rule": "delta", "fast_weights.rate": rate})
    matrix = np.zeros((2, 2))
    for i, word in enumerate(rows[[0, 1, 2, 0]]):
        if word.any():
            matrix = matrix + rate * np.outer(word - matrix @ word, word) / (word @ word)
        np.testing.assert_allclose(arrays["memories"].values[i], matrix, rtol=1e-8, atol=1e-8)
        np.testing.assert_allclose(arrays["output"].values[i], matrix @ word, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("rule", ["sum", "delta"])
def test_other_words_read_the_memory_of_the_whole_text(rule):
    text = TEXT.replace('"a"]\n', '"a"]\nqueries = ["c", "b"]\n') + f'rule = "{rule}"\n'
    arrays = found(text)
    matrix = arrays["memory"].values
    np.testing.assert_allclose(arrays["output"].values, np.array([[-1, 1], [0.5, 2]]) @ matrix.T, rtol=1e-12)
    assert arrays["memory"].values.tolist() == arrays["memories"].values[-1].tolist()
    assert arrays["difference"].values < 1e-12


def test_the_mean_over_seeds_of_a_random_score_is_the_exponential():
    """exp(q·k) of a = (.5, 0) and b = (.3, .4); 200 or 40 seeds of 8 features: within 4 standard errors."""
    trials = count(200, 40)
    changes = {"vocabulary.words.a": [0.5, 0.0], "vocabulary.words.b": [0.3, 0.4], "input.tokens": ["a", "b"]}
    changes["fast_weights.features"] = {"name": "random_features", "n": 8, "orthogonal": False}
    scenario = parse(TEXT, "f.toml", "f")
    scores = [ha.run(scenario, seed, changes).arrays["scores"].values[1, 0] for seed in range(trials)]
    error = np.exp(0.15) * np.sqrt((np.exp(0.8) - 1) / (8 * trials))
    assert abs(np.mean(scores) - np.exp(0.15)) < 4 * error
    assert len(set(scores)) == trials


def test_four_times_as_many_random_features_halve_the_errors_in_the_shipped_draw_and_on_average():
    exact, scenario = np.exp([0.15, 0.2, 0.25]), ha.load("random-features")
    draws = [ha.run(scenario, seed) for seed in (None, *range(30))]
    errors = np.array([[run.arrays["scores"].values[0] - exact for run in draw.runs] for draw in draws])
    sizes = np.abs(errors[0])
    np.testing.assert_array_less(sizes[1], 0.7 * sizes[0])
    np.testing.assert_allclose(np.sqrt(np.mean(errors[1:] ** 2, axis=(0, 2))), [0.0467, 0.0233], rtol=0.3)


def test_without_normalisation_random_features_estimate_the_sum_of_exponentials():
    changes = {"fast_weights.features": {"name": "random_features", "n": 64, "beta": 0.5}}
    arrays = found(TEXT, changes)
    text = np.array([[1, 0], [0.5, 2], [-1, 1], [1, 0]])
    exact = np.tril(np.exp(0.5 * text @ text.T)) @ text
    np.testing.assert_allclose(arrays["softmax"].values, exact, rtol=1e-12)
    assert arrays["error"].values == pytest.approx(np.abs(arrays["output"].values - exact).max())
    assert arrays["difference"].values < 1e-9 and arrays["positive"].values == 1


def test_the_same_seed_gives_the_same_bytes_and_another_one_other_features():
    scenario = parse(TEXT + 'features = "random_features"\n', "f.toml", "f")
    one, same, other = (ha.run(scenario, seed).to_json() for seed in (1, 1, 2))
    assert one == same != other.replace('"seed": 2', '"seed": 1')


@each(
    ("line", "message"),
    [
        ("rate = 0.5", '15: fast_weights.rate: belongs to rule = "delta"; a sum has no rate'),
        ('rule = "delta"\nrate = 2', "16: fast_weights.rate: got 2; expected less than 2"),
        ('rule = "delta"\nnormalise = true', '16: fast_weights.normalise: belongs to rule = "sum"'),
        ("normalise = true", "15: fast_weights.normalise: features 'identity' may be negative; choose 'relu'"),
        ('features = "elo"', "15: fast_weights.features: 'elo' is unknown; did you mean 'elu'?"),
        ('features = { name = "random_features", n = 0 }', "15: fast_weights.features: n: expected"),
        (
            'features = { name = "random_features", n = 100000 }',
            "15: fast_weights.features.n: got 100,000; expected at most 65,536 random features",
        ),
        ('rule = "some"', "15: fast_weights.rule: 'some' is unknown (choices: delta, sum)"),
        ("key = [[1, 0]]", "15: fast_weights.key: gives 1 numbers, but the query gives 2"),
        ("value = [[1, 0]]", "15: fast_weights.value: needs 2 rows"),
        ('key = { from = "nowhere" }', "15: fast_weights.key.from: 'nowhere' is unknown"),
        ("sede = 1", "15: fast_weights.sede"),
    ],
)
def test_values_that_do_not_fit_are_reported_with_their_line(line, message):
    assert_refused(TEXT + line + "\n", message)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('"c", "a"]', '"d", "a"]'), "'d' is unknown"),
        (('"a"]\n', '"a"]\npadding = "a"\n'), "only kind 'attention' has padding"),
        (("[fast_weights]\n", '[fast_weights]\nfeatures = { name = "random_features", n = 2000000 }\n'), "GiB"),
        (("a = [1, 0]", "a = [1, 0, 0]"), "3 numbers do not fit the 2 axes"),
    ],
)
def test_texts_that_do_not_fit_are_reported(change, message):
    assert any(message in line for line in problems(TEXT.replace(*change)))


def test_the_explanation_has_the_memory_and_the_sums_of_each_word():
    def lines(change):
        return "\n".join(ha.run(parse(TEXT, "f.toml", "f"), overrides=change, explain=True).runs[0].working)

    assert "row x of W: (1, 0)" in lines({"input.tokens": ["a"]})
    assert "1×value(a) + .5×value(b) = " not in lines({"input.tokens": ["a", "b"]})
    assert ".5×value(a) + 4.25×value(b) = (2.625, 8.5)" in lines({"input.tokens": ["a", "b"]})
    elu = {"fast_weights.features": "elu", "fast_weights.normalise": True, "input.tokens": ["a"]}
    assert "divided by the sum of its scores, 5: (1, 0)" in lines(elu)
    assert "W φ(q) = (1, 0)" in lines({"fast_weights.rule": "delta", "input.tokens": ["a"]})


def test_the_matrix_of_a_state_has_nothing_divided_out():
    keys, values = np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([[3.0], [5.0]])
    phi = ha.retrieval.RandomFeatures(16, 0)
    matrix = ha.transformer.LinearState(phi).extended(keys, values).matrix
    features = phi(keys)
    np.testing.assert_allclose(matrix, np.stack([values[:, 0] @ features, features.sum(axis=0)]), rtol=1e-12)
    with pytest.raises(ha.InvalidInput, match="it holds no keys yet"):
        ha.transformer.LinearState().matrix  # noqa: B018


def explained(**changes):
    text = parse(kinds["fast_weights"].template(), "f.toml", "f")
    overrides = {key.replace("__", "."): value for key, value in changes.items()}
    return ha.run(text, overrides=overrides, explain=True).runs[0].working


def test_the_delta_rule_is_worked_out_with_the_rows_that_it_empties():
    lines = explained()
    place = lines.index("  red-fire: key (1, 0), value (0, 0, 0, 0, 1)")
    error = "v − W φ(k) = (0, 0, 0, 0, 1) − (0, 0, 1, 0, 0) = (0, 0, −1, 0, 1)"
    assert lines[place + 1] == f"    W φ(k) = (0, 0, 1, 0, 0); {error}"
    assert lines[place + 2] == "    row apple of W: (0, 0)"


def test_features_are_shown_where_they_are_not_the_keys():
    assert "  red-apple: key (1, 0), φ(k) = (2, 1), value (0, 0, 1, 0, 0)" in explained(fast_weights__features="elu")
    (read,) = (line for line in explained(fast_weights__features="elu") if line.startswith("  red: query"))
    assert read.startswith("  red: query (1, 0), φ(q) = (2, 1); ")
    assert any("|φ(k)|² = 5" in line for line in explained(fast_weights__features="elu"))
