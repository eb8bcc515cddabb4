"""Positions read out of random models: with a causal mask above chance, without a mask at chance."""

import re
from itertools import permutations, product

import numpy as np
import pytest

import hopattn as ha
from hopattn.circuits.position_probe import PositionProbe
from tests.counts import count
from tests.each import each


def model(seed, n_texts, length=6, dim=32, n_layers=2, common=1.0, norm_first=False):
    rng = np.random.default_rng(seed)
    blocks = ha.circuits.random_blocks(n_layers, dim, 2, norm_first=norm_first, rng=rng)
    return blocks, ha.circuits.random_texts(n_texts, length, 1000, dim, common=common, rng=rng)


def errors(probe, accuracy):
    """An accuracy in standard errors from chance."""
    return (accuracy - probe.chance) / probe.standard_error


@each("n", [2, 3, 4])
def test_chance_and_its_standard_error_by_enumeration(n):
    """Whatever a probe answers for exchangeable words: one is right on average, with a variance of at most 1."""
    orders = list(permutations(range(n)))
    largest = 0.0
    for answers in product(range(n), repeat=n):
        right = [sum(a == b for a, b in zip(answers, order, strict=True)) for order in orders]
        assert np.mean(right) == pytest.approx(1)
        counts = np.bincount(answers, minlength=n)
        assert np.var(right) == pytest.approx((n - np.sum(counts**2) / n) / (n - 1))
        largest = max(largest, float(np.var(right)))
    assert largest == pytest.approx(1)
    probe = PositionProbe(*[np.zeros((1,))] * 4, np.zeros((1, n)), np.zeros((1, n)), 25)
    assert probe.chance == 1 / n
    assert probe.standard_error == pytest.approx(np.sqrt(largest / 25) / n)


@each("seed", range(count(5, 1)))
def test_a_causal_mask_tells_the_position_and_no_mask_does_not(seed):
    blocks, texts = model(seed, count(4000, 600))
    causal, free = (ha.circuits.position_probe(blocks, texts, mask=mask) for mask in ("causal", None))
    assert abs(errors(causal, causal.accuracy[0])) < 4  # the words alone
    assert errors(causal, causal.accuracy[-1]) > count(12, 4.5)
    assert errors(causal, causal.line[-1]) > count(8, 3)
    assert np.all(np.abs(errors(free, np.concatenate([free.accuracy, free.line, free.rest]))) < 4.5)
    assert causal.distance[-1] < free.distance[-1]


def test_the_line_holds_most_of_what_the_probe_reads():
    """The mean vectors move along one line, in the order of the positions, and grow as the words' own parts cancel."""
    blocks, texts = model(1, count(4000, 1200), n_layers=3)
    causal, free = (ha.circuits.position_probe(blocks, texts, mask=mask) for mask in ("causal", None))
    assert np.all(np.diff(causal.component[-1]) > 0)
    assert np.all(np.diff(causal.mean_length[-1]) > 0)
    gained = causal.accuracy[-1] - causal.chance
    assert causal.line[-1] - causal.chance > 0.5 * gained
    assert causal.rest[-1] - causal.chance < 0.4 * gained
    assert np.ptp(free.mean_length[-1]) < 0.25 * np.ptp(causal.mean_length[-1])


def test_equal_weights_under_a_causal_mask_average_more_words_at_later_positions():
    """The law behind it, in its purest form: the spread of the average of t words is 1/√t of that of the first."""
    dim, length, n_texts = 8, 6, count(40_000, 6000)
    texts = ha.circuits.random_texts(n_texts, length, 100_000, dim, common=2.0, rng=0)
    zeros = np.zeros((1, dim))
    average = ha.MultiHead([ha.Head(zeros, zeros, np.eye(dim), mask="none")], np.eye(dim))(texts, mask="causal")
    spread = average.std(axis=0).mean(axis=1)
    np.testing.assert_allclose(spread * np.sqrt(np.arange(1, length + 1)), spread[0], rtol=count(0.01, 0.03))
    np.testing.assert_allclose(
        average.mean(axis=0), np.tile(texts.mean(axis=(0, 1)), (length, 1)), atol=count(0.03, 0.07)
    )


def test_attention_layers_and_the_blocks_of_pytorch_can_be_probed():
    _, texts = model(0, 40, length=3, dim=4)
    layer = ha.transformer.AttentionLayer(
        ha.MultiHead([ha.Head(np.eye(4), np.eye(4), np.eye(4), mask="none")], np.eye(4))
    )
    assert ha.circuits.position_probe([layer], texts).accuracy.shape == (2,)
    torch = pytest.importorskip("torch")
    module = torch.nn.TransformerEncoderLayer(4, 2, 8, dtype=torch.float64)
    block = ha.Block.from_torch({name: array.numpy() for name, array in module.state_dict().items()}, 2)
    found = ha.circuits.position_probe([block, block], texts)
    assert found.component.shape == (3, 3)
    assert found.n_texts == 20
    own = ha.Block.from_torch({name: array.requires_grad_() for name, array in module.state_dict().items()}, 2)
    of_torch = ha.circuits.position_probe([own, own], torch.tensor(texts))
    np.testing.assert_allclose(of_torch.component, found.component, atol=1e-9)
    half = ha.Block.from_torch({name: array.detach().half() for name, array in module.state_dict().items()}, 2)
    assert ha.circuits.position_probe([half], torch.tensor(texts).half()).n_texts == 20


def test_the_model_and_the_texts_stay_as_they_are():
    blocks, texts = model(0, 40, length=3, dim=4)
    before, weights = texts.copy(), blocks[0].attention.w_out.copy()
    ha.circuits.position_probe(blocks, texts)
    np.testing.assert_array_equal(texts, before)
    np.testing.assert_array_equal(blocks[0].attention.w_out, weights)


def test_the_random_model_has_the_variances_that_it_states():
    block = ha.circuits.random_blocks(1, 64, 2, rng=0)[0]
    head = block.attention.heads[0]
    for matrix, variance in (
        (head.w_query, 1 / 64),
        (head.w_value, 1 / 64),
        (block.attention.w_out, 1 / 64),
        (block.feed_forward.inner.weight, 2 / 64),
        (block.feed_forward.outer.weight, 1 / 256),
    ):
        assert np.var(matrix) == pytest.approx(variance, rel=0.1)
    assert head.retrieval.separation.beta == pytest.approx(32**-0.5)
    texts = ha.circuits.random_texts(500, 4, 5, 3, common=0.0, rng=0)
    assert len(np.unique(texts.reshape(-1, 3), axis=0)) == 5


def test_texts_in_half_precision_are_read_in_single_precision():
    blocks, texts = model(0, 40, dim=8, n_layers=1)
    half = texts.astype(np.float16)
    found, expected = (
        ha.circuits.position_probe(blocks, half),
        ha.circuits.position_probe(blocks, half.astype(np.float32)),
    )
    np.testing.assert_array_equal(found.accuracy, expected.accuracy)


@each(
    ("call", "message"),
    [
        (
            lambda: ha.circuits.position_probe([], np.zeros((4, 1, 2))),
            "at least 4 texts of at least 2 words",
        ),
        (
            lambda: ha.circuits.position_probe([], np.zeros((3, 2, 2))),
            "at least 4 texts of at least 2 words",
        ),
        (
            lambda: ha.circuits.position_probe([], np.zeros((4, 2))),
            "at least 4 texts of at least 2 words",
        ),
        (
            lambda: ha.circuits.position_probe([], np.zeros((4, 2, 2)), penalty=0),
            "penalty: expected a positive finite number",
        ),
        (
            lambda: ha.circuits.position_probe([], np.full((4, 2, 2), np.nan)),
            "texts: row 0, 0 holds a NaN or an infinity",
        ),
        (
            lambda: ha.circuits.position_probe([], np.zeros((4, 2, 0))),
            "at least 4 texts of at least 2 words",
        ),
        (lambda: ha.circuits.position_probe(3, np.zeros((4, 2, 2))), "layers: expected a list, not 3"),
        (lambda: ha.circuits.position_probe([3], np.zeros((4, 2, 2))), "layers: entry 0: expected a function, not 3"),
        (lambda: ha.circuits.random_blocks(1, 5, 2), "dim: 5 is not a multiple of 2 heads"),
        (
            lambda: ha.circuits.random_texts(1, 2, 3, 2, common=-1),
            "common: expected a finite number of at least 0, not -1",
        ),
        (lambda: ha.circuits.random_texts(1, 2, 0, 2), "n_words: expected a whole number of at least 1, not 0"),
    ],
)
def test_what_does_not_fit_is_refused(call, message):
    with pytest.raises(ha.InvalidInput, match=re.escape(message)):
        call()
