"""Positions read out of random models; the linear probe's fit against SciPy's, and its equal means."""

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import log_softmax

import hopattn as ha
from hopattn.circuits import position_probe, random_blocks, random_texts
from hopattn.circuits.position_probe import PositionProbe, fit_probe
from hopattn.transformer import AttentionLayer
from tests.draws import count


def model(seed, n_texts, length=6, dim=32, n_layers=2, common=1.0, norm_first=False):
    rng = np.random.default_rng(seed)
    blocks = random_blocks(n_layers, dim, 2, norm_first=norm_first, rng=rng)
    return blocks, random_texts(n_texts, length, 1000, dim, common=common, rng=rng)


def errors(probe, accuracy):
    """An accuracy in standard errors from chance."""
    return (accuracy - probe.chance) / probe.standard_error


@pytest.mark.parametrize("n", [2, 3, 4])
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


@pytest.mark.parametrize("seed", range(count(5, 1)))
def test_a_causal_mask_tells_the_position_and_no_mask_does_not(seed):
    blocks, texts = model(seed, count(4000, 600))
    causal, free = (position_probe(blocks, texts, mask=mask) for mask in ("causal", None))
    assert abs(errors(causal, causal.accuracy[0])) < 4  # the words alone
    assert errors(causal, causal.accuracy[-1]) > count(12, 4.5)
    assert errors(causal, causal.line[-1]) > count(8, 3)
    assert np.all(np.abs(errors(free, np.concatenate([free.accuracy, free.line, free.rest]))) < 4.5)
    assert causal.distance[-1] < free.distance[-1]


def test_the_line_holds_most_of_what_the_probe_reads():
    """The mean vectors move along one line, in the order of the positions, and grow as the words' own parts cancel."""
    blocks, texts = model(1, count(4000, 1200), n_layers=3)
    causal, free = (position_probe(blocks, texts, mask=mask) for mask in ("causal", None))
    assert np.all(np.diff(causal.component[-1]) > 0)
    assert np.all(np.diff(causal.mean_length[-1]) > 0)
    gained = causal.accuracy[-1] - causal.chance
    assert causal.line[-1] - causal.chance > 0.5 * gained
    assert causal.rest[-1] - causal.chance < 0.4 * gained
    assert np.ptp(free.mean_length[-1]) < 0.25 * np.ptp(causal.mean_length[-1])


def test_equal_weights_under_a_causal_mask_average_more_words_at_later_positions():
    """The law behind it, in its purest form: the spread of the average of t words is 1/√t of that of the first."""
    dim, length, n_texts = 8, 6, count(40_000, 6000)
    texts = random_texts(n_texts, length, 100_000, dim, common=2.0, rng=0)
    zeros = np.zeros((1, dim))
    average = ha.MultiHead([ha.Head(zeros, zeros, np.eye(dim), mask="none")], np.eye(dim))(texts, mask="causal")
    spread = average.std(axis=0).mean(axis=1)
    np.testing.assert_allclose(spread * np.sqrt(np.arange(1, length + 1)), spread[0], rtol=count(0.01, 0.03))
    np.testing.assert_allclose(
        average.mean(axis=0), np.tile(texts.mean(axis=(0, 1)), (length, 1)), atol=count(0.03, 0.07)
    )


def test_attention_layers_and_the_blocks_of_pytorch_can_be_probed():
    _, texts = model(0, 40, length=3, dim=4)
    layer = AttentionLayer(ha.MultiHead([ha.Head(np.eye(4), np.eye(4), np.eye(4), mask="none")], np.eye(4)))
    assert position_probe([layer], texts).accuracy.shape == (2,)
    torch = pytest.importorskip("torch")
    module = torch.nn.TransformerEncoderLayer(4, 2, 8, dtype=torch.float64)
    block = ha.Block.from_torch({name: array.numpy() for name, array in module.state_dict().items()}, 2)
    found = position_probe([block, block], texts)
    assert found.component.shape == (3, 3)
    assert found.n_texts == 20
    own = ha.Block.from_torch({name: array.requires_grad_() for name, array in module.state_dict().items()}, 2)
    of_torch = position_probe([own, own], torch.tensor(texts))
    np.testing.assert_allclose(of_torch.component, found.component, atol=1e-9)
    half = ha.Block.from_torch({name: array.detach().half() for name, array in module.state_dict().items()}, 2)
    assert position_probe([half], torch.tensor(texts).half()).n_texts == 20


def test_half_precision_is_read_in_single_precision_and_nothing_is_changed():
    blocks, texts = model(0, 40, dim=8, n_layers=1)
    half, weights = texts.astype(np.float16), blocks[0].attention.w_out.copy()
    plain, said = position_probe(blocks, half), position_probe(blocks, half.astype("f4"), mask="causal", penalty=1e-2)
    for part in ("accuracy", "line", "rest", "distance"):
        np.testing.assert_array_equal(getattr(plain, part), getattr(said, part))
    np.testing.assert_array_equal(half, texts.astype(np.float16))
    np.testing.assert_array_equal(blocks[0].attention.w_out, weights)


def test_the_random_model_has_the_variances_that_it_states():
    block = random_blocks(1, 64, 2, rng=0)[0]
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
    texts = random_texts(500, 4, 5, 3, common=0.0, rng=0)
    assert len(np.unique(texts.reshape(-1, 3), axis=0)) == 5


def problem(seed, n=40, dim=3, n_classes=4):
    rng = np.random.default_rng(seed)
    classes = rng.integers(n_classes, size=n)
    return rng.normal(size=(n, dim)) + 0.7 * classes[:, None], classes, n_classes


def reference(parameters, vectors, classes, n_classes, penalty):
    """The same loss from SciPy's log softmax, without the code of the package."""
    split = n_classes * vectors.shape[1]
    weight, bias = parameters[:split].reshape(n_classes, -1), parameters[split:]
    log_p = log_softmax(vectors @ weight.T + bias, axis=1)
    return -np.mean([row[label] for row, label in zip(log_p, classes, strict=True)]) + penalty / 2 * np.sum(weight**2)


def scaled(vectors):
    return (vectors - vectors.mean(0)) / vectors.std(0)


@pytest.mark.parametrize("seed", [0, 1])
def test_the_fit_is_that_of_scipy_with_numerical_gradients(seed):
    vectors, classes, n_classes = problem(seed)
    x = scaled(vectors)
    found = minimize(reference, np.zeros(16), (x, classes, n_classes, 0.05), method="BFGS", options={"gtol": 1e-6})
    weight, bias = found.x[:12].reshape(4, 3), found.x[12:]
    probe = fit_probe(vectors, classes, n_classes, 0.05)
    ours, theirs = log_softmax(probe.scores(vectors), axis=1), log_softmax(x @ weight.T + bias, axis=1)
    np.testing.assert_allclose(ours, theirs, atol=2e-3)
    assert (probe.classes(vectors) == np.argmax(theirs, axis=1)).mean() > 0.95


@pytest.mark.parametrize("size", [2.0**-1000, 1e-100, 1e-13, 1e13, 2.0**400])
def test_the_size_of_the_vectors_has_no_part_in_what_is_read(size):
    vectors, classes, n_classes = problem(2)
    expected = fit_probe(vectors, classes, n_classes).classes(vectors)
    assert (fit_probe(size * vectors, classes, n_classes).classes(size * vectors) == expected).all()


def test_an_element_without_variance_has_no_part():
    vectors, classes, n_classes = problem(2)
    still = np.column_stack([np.full(len(vectors), 1e5 / 3), np.zeros(len(vectors)), vectors])
    probe, alone = fit_probe(still, classes, n_classes), fit_probe(vectors, classes, n_classes)
    assert np.abs(probe.weight[:, :2]).max() < 1e-9
    np.testing.assert_allclose(probe.scores(still), alone.scores(vectors), atol=1e-2)


@given(seed=st.integers(0, 10**6))
def test_a_probe_reads_the_means_of_the_classes_and_nothing_else(seed):
    """Classes that differ in everything but their mean: the fit is W = 0, though their spreads differ by ten."""
    rng = np.random.default_rng(seed)
    parts = [spread * rng.normal(size=(30, 3)) for spread in (0.1, 1.0)]
    vectors = np.concatenate([part - part.mean(axis=0) for part in parts])
    classes = np.repeat([0, 1], 30)
    assert np.abs(fit_probe(vectors, classes, 2).weight).max() < 1e-6
    moved = vectors + 0.5 * classes[:, None]
    assert np.abs(fit_probe(moved, classes, 2).weight).max() > 0.1
