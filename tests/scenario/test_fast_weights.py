"""Fast weights: memories and outputs against loops over the words, random features against closed forms."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays as drawn

import hopattn as ha
from hopattn.scenario.kinds import kinds
from tests.draws import count
from tests.scenario.scenarios_of_kinds import FAST_WEIGHTS, THREE_WORDS, scenario
from tests.texts import parsed

TEXT = np.array([[1, 0], [0.5, 2], [-1, 1], [1, 0]])
PHI = {
    "identity": lambda x: x,
    "relu": lambda x: np.maximum(x, 0),
    "elu": lambda x: np.where(x > 0, x + 1, np.exp(np.minimum(x, 0))),
}
vectors = drawn(float, (4, 2), elements=st.floats(-2, 2).map(lambda x: round(x, 3)))


def run(rows=(), text=FAST_WEIGHTS, **table):
    changes = {f"vocabulary.words.{name}": row.tolist() for name, row in zip("abc", rows, strict=False)}
    return ha.run(parsed(text), overrides=changes | {f"fast_weights.{key}": value for key, value in table.items()})


def close(array, values):
    np.testing.assert_allclose(array, values, rtol=1e-8, atol=1e-8)


def test_positions_and_parts_are_read_as_the_attention_without_softmax_reads_them():
    """Linear attention over words with positions: the same as kind attention with raw scores as weights."""
    coded = f'{THREE_WORDS}[positions]\nturn = 30\n[spaces]\nposition = ["cos", "sin"]\nword = "vocabulary"\n'
    maps = 'query = {from = "position"}\nkey = {from = "position"}\nvalue = {from = "word"}\n'
    ours = ha.run(parsed(scenario("fast_weights", f"{coded}[fast_weights]\n{maps}"))).arrays
    head = f'[[layer]]\n[[layer.head]]\nseparation = "identity"\n{maps}'
    layered = ha.run(parsed(scenario("attention", coded + head))).arrays
    for name in ("queries", "keys", "values", "output"):
        close(ours[name].values, layered[f"layer 1 head 1 {name}"].values)
    assert ours["keys"].labels == (("a#1", "b", "c", "a#2"), ("1", "2"))


@given(rows=vectors, phi=st.sampled_from(list(PHI)), normalise=st.booleans())
def test_a_sum_is_the_sum_of_outer_products(rows, phi, normalise):
    normalise = normalise and phi != "identity"
    arrays = run(rows, features=phi, normalise=normalise).arrays
    matrix, total = np.zeros((2, 2)), np.zeros(2)
    for i, word in enumerate(rows[[0, 1, 2, 0]]):
        features = PHI[phi](word)
        matrix, total = matrix + np.outer(word, features), total + features
        divisor = total @ features
        close(arrays["memories"].values[i][:2], matrix)
        close(arrays["output"].values[i], matrix @ features / (divisor if divisor and normalise else 1.0))
        close(arrays["sums"].values[i], divisor)
    if normalise:
        close(arrays["memory"].values[2], total)
    assert arrays["memory"].labels[0] == (("x", "y", "sum") if normalise else ("x", "y"))
    assert arrays["positive"].values == np.mean(arrays["sums"].values > 0)
    assert arrays["difference"].values < 1e-10


@given(rows=vectors, rate=st.one_of(st.none(), st.floats(0.05, 1.9)))
def test_the_delta_rule_is_that_of_widrow_and_hoff(rows, rate):
    arrays = run(rows, rule="delta", **({"rate": rate} if rate else {})).arrays
    matrix = np.zeros((2, 2))
    for i, word in enumerate(rows[[0, 1, 2, 0]]):
        if word.any():
            matrix = matrix + (rate or 1) * np.outer(word - matrix @ word, word) / (word @ word)
        close(arrays["memories"].values[i], matrix)
        close(arrays["output"].values[i], matrix @ word)
    assert arrays["difference"].values < 1e-8


@pytest.mark.parametrize("rule", ["sum", "delta"])
def test_other_words_read_the_memory_of_the_whole_text(rule):
    arrays = run(text=FAST_WEIGHTS.replace('"a"]\n', '"a"]\nqueries = ["c", "b"]\n'), rule=rule).arrays
    matrix = arrays["memory"].values
    close(arrays["output"].values, TEXT[[2, 1]] @ matrix.T)
    assert matrix.tolist() == arrays["memories"].values[-1].tolist() and arrays["output"].labels[0] == ("c", "b")
    assert arrays["source"].values.tolist() == TEXT.tolist() and arrays["difference"].values < 1e-12


def test_the_mean_over_seeds_of_a_random_score_is_the_exponential():
    """exp(q·k) of a = (.5, 0) and b = (.3, .4); 200 or 40 seeds of 8 features: within 4 standard errors."""
    trials = count(200, 40)
    changes = {"vocabulary.words.a": [0.5, 0.0], "vocabulary.words.b": [0.3, 0.4], "input.tokens": ["a", "b"]}
    changes["fast_weights.features"] = {"name": "random_features", "n": 8, "orthogonal": False}
    text = parsed(FAST_WEIGHTS)
    scores = [ha.run(text, seed, changes).arrays["scores"].values[1, 0] for seed in range(trials)]
    error = np.exp(0.15) * np.sqrt((np.exp(0.8) - 1) / (8 * trials))
    assert abs(np.mean(scores) - np.exp(0.15)) < 4 * error
    assert len(set(scores)) == trials


def test_four_times_as_many_random_features_halve_the_errors_in_the_shipped_draw_and_on_average():
    exact, random = np.exp([0.15, 0.2, 0.25]), ha.load("random-features")
    draws = [ha.run(random, seed) for seed in (None, *range(30))]
    errors = np.array([[run.arrays["scores"].values[0] - exact for run in draw.runs] for draw in draws])
    np.testing.assert_array_less(np.abs(errors[0, 1]), 0.7 * np.abs(errors[0, 0]))
    np.testing.assert_allclose(np.sqrt(np.mean(errors[1:] ** 2, axis=(0, 2))), [0.0467, 0.0233], rtol=0.3)


@pytest.mark.parametrize("normalise", [False, True])
def test_random_features_estimate_the_sum_of_exponentials_or_the_softmax(normalise):
    arrays = run(features={"name": "random_features", "n": 64, "beta": 0.5}, normalise=normalise).arrays
    weights = np.tril(np.exp(0.5 * TEXT @ TEXT.T))
    exact = (weights / weights.sum(axis=1, keepdims=True) if normalise else weights) @ TEXT
    close(arrays["softmax"].values, exact)
    assert arrays["error"].values == pytest.approx(np.abs(arrays["output"].values - exact).max())
    assert arrays["difference"].values < 1e-9 and arrays["positive"].values == 1
    assert len(arrays["memory"].labels[1]) == 64


def explained(text=FAST_WEIGHTS, **changes):
    overrides = {key.replace("__", "."): value for key, value in changes.items()}
    return ha.run(parsed(text), overrides=overrides, explain=True).runs[0].working


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"input__tokens": ["a"]}, "row x of W: (1, 0)"),
        ({"input__tokens": ["a", "b"]}, ".5×value(a) + 4.25×value(b) = (2.625, 8.5)"),
        (
            {"fast_weights__features": "elu", "fast_weights__normalise": True, "input__tokens": ["a"]},
            "divided by the sum of its scores, 5: (1, 0)",
        ),
        ({"fast_weights__rule": "delta", "input__tokens": ["a"]}, "W φ(q) = (1, 0)"),
        ({"fast_weights__rule": "delta", "fast_weights__rate": 0.5}, "η = .5:"),
        ({"fast_weights__features": "elu"}, "a#1: key (1, 0), φ(k) = (2, 1), value (1, 0)"),
        ({"fast_weights__features": "elu"}, "a#1: query (1, 0), φ(q) = (2, 1); "),
        ({"fast_weights__features": "elu", "fast_weights__rule": "delta"}, "|φ(k)|² = 5"),
    ],
)
def test_the_memory_and_the_sums_of_each_word_are_explained(changes, line):
    assert any(line in one for one in explained(**changes))


def test_the_delta_rule_is_worked_out_with_the_rows_that_it_empties():
    lines = explained(kinds["fast_weights"].template())
    place = lines.index("  red-fire: key (1, 0), value (0, 0, 0, 0, 1)")
    error = "v − W φ(k) = (0, 0, 0, 0, 1) − (0, 0, 1, 0, 0) = (0, 0, −1, 0, 1)"
    assert lines[place + 1] == f"    W φ(k) = (0, 0, 1, 0, 0); {error}"
    assert lines[place + 2] == "    row apple of W: (0, 0)"


def test_a_state_without_keys_has_no_matrix():
    with pytest.raises(ha.InvalidInput, match="it holds no keys yet"):
        ha.transformer.LinearState().matrix  # noqa: B018
