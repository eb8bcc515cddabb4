"""Padding of any content: a NaN or an infinity in a word that nobody may attend to changes nothing."""

import numpy as np
import pytest

import hopattn as ha
from hopattn.transformer import FeedForward, LayerNorm, stack

RNG = np.random.default_rng(4)
LENGTHS = [3, 5, 1]
TEXTS = RNG.normal(size=(3, 5, 4))
SEEN = np.arange(5) < np.array(LENGTHS)[:, None]
MATRICES = RNG.normal(size=(4, 3, 4))

JOIN, NEURONS = RNG.normal(size=(4, 6)), RNG.normal(size=(7, 4))


def padded(value):
    return np.where(SEEN[..., None], TEXTS, value)


def layers(library):
    """Functions of texts and a mask."""
    maps, join = [library.array(one) for one in MATRICES[:3]], library.array(RNG.normal(size=(4, 6)))
    head = ha.Head(*maps, mask="none", beta=0.6)
    heads = ha.MultiHead([head, ha.Head(*maps, separation="sparsemax", sink=0.2, mask="causal")], join)
    bias = library.array(np.where(SEEN[:, None, None, :], 0.3, -np.inf))
    return {
        "attention": lambda x, mask: ha.attention(x, x, x, mask=mask),
        "head": head,
        "trace": lambda x, mask: head.trace(x, mask).output,
        "heads": heads,
        "heads by a bias": lambda x, _: heads(x, bias=bias),
        "block": ha.Block(heads),
    }


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e300])
def test_what_the_padding_holds_changes_no_word(library, value):
    rule = ha.padding(LENGTHS)
    mask = library.array(rule.array(5))
    for name, layer in layers(library).items():
        with np.errstate(all="ignore"):
            plain, *others = (
                library.numpy(layer(library.array(padded(one)), seen))[SEEN]
                for one, seen in ((0.0, mask), (value, mask), (value, rule))
            )
        for other in others:
            np.testing.assert_allclose(other, plain, rtol=1e-12, atol=1e-14, err_msg=name)


def test_what_the_padding_holds_changes_no_derivative(torch, jax):
    mask, queries = ha.padding(LENGTHS).array(5), np.where(SEEN[..., None], TEXTS, 0.0)

    def of_torch(value):
        q, k = (torch.asarray(one).requires_grad_() for one in (queries, padded(value)))
        (ha.attention(q, k, k, mask=torch.asarray(mask)) ** 2).sum().backward()
        return q.grad.numpy(), k.grad.numpy()

    def of_jax(value):
        def total(q, k):
            return (ha.attention(q, k, k, mask=jax.numpy.asarray(mask)) ** 2).sum()

        return jax.grad(total, (0, 1))(jax.numpy.asarray(queries), jax.numpy.asarray(padded(value)))

    for derivatives in (of_torch, of_jax):
        for value in (np.nan, 1.7e308):
            for own, other in zip(derivatives(0.0), derivatives(value), strict=True):
                np.testing.assert_allclose(other, own, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("value", [np.nan, -np.inf, 1e300])
@pytest.mark.parametrize("name", ["head", "heads", "heads by a bias", "block", "stack", "attention of one text"])
def test_what_the_padding_holds_changes_no_derivative_of_a_layer(torch, name, value):
    """By each matrix, gain and bias, and by the words that are seen; the padding's own derivatives are 0."""

    def derivatives(padding):
        maps = [torch.asarray(one).requires_grad_() for one in MATRICES[:3]]
        join = torch.asarray(JOIN).requires_grad_()
        hidden = [torch.asarray(one).requires_grad_() for one in (NEURONS, NEURONS.T)]
        x = torch.asarray(padded(padding)).requires_grad_()
        heads = ha.MultiHead(
            [ha.Head(*maps, mask="none", beta=0.6), ha.Head(*maps, separation="sparsemax", mask="causal")], join
        )
        block = ha.Block(heads, FeedForward(*hidden, activation="gelu"), norms=[LayerNorm()] * 2)
        mask, bias = (
            torch.asarray(ha.padding(LENGTHS).array(5)),
            torch.asarray(np.where(SEEN[:, None, None, :], 0.3, -np.inf)),
        )
        output = {
            "head": lambda: heads.heads[0](x, mask),
            "heads": lambda: heads(x, mask),
            "heads by a bias": lambda: heads(x, bias=bias),
            "block": lambda: block(x, mask),
            "stack": lambda: stack([block, block], x, mask)[-1].state,
            "attention of one text": lambda: ha.attention(x, x, x, mask=mask),
        }[name]()
        (output[torch.asarray(SEEN)] ** 2).sum().backward()
        arrays = [array.grad for array in (x, join, *maps, *hidden) if array.grad is not None]
        return [array.numpy() for array in arrays]

    for plain, other in zip(derivatives(0.0), derivatives(value), strict=True):
        np.testing.assert_allclose(other, plain, rtol=1e-9, atol=1e-12)


def test_what_the_padding_holds_changes_no_derivative_of_a_block_of_jax(jax):
    maps, neurons = [jax.numpy.asarray(one) for one in (*MATRICES[:3], np.eye(4, 3))], jax.numpy.asarray(NEURONS)
    mask, seen = jax.numpy.asarray(ha.padding(LENGTHS).array(5)), jax.numpy.asarray(SEEN)

    def total(x, query, key, value, join, inner):
        heads = ha.MultiHead([ha.Head(query, key, value, mask="none")], join)
        block = ha.Block(heads, FeedForward(inner, neurons.T, activation="gelu"), norms=[LayerNorm()] * 2)
        return (jax.numpy.where(seen[..., None], block(x, mask), 0.0) ** 2).sum()

    derivatives = jax.jit(jax.grad(total, range(6)))
    plain, other = (derivatives(jax.numpy.asarray(padded(one)), *maps, neurons) for one in (0.0, np.nan))
    for right, derivative in zip(plain, other, strict=True):
        np.testing.assert_allclose(derivative, right, rtol=1e-9, atol=1e-12)


def test_a_trace_shows_the_keys_of_hidden_words_as_they_are():
    query, key, value, _ = MATRICES
    trace = ha.Head(query, key, value, mask="none").trace(TEXTS, mask=ha.padding(LENGTHS).array(5))
    np.testing.assert_allclose(trace.keys, TEXTS @ key.T, rtol=1e-12)
    np.testing.assert_allclose(trace.values, TEXTS @ value.T, rtol=1e-12)
    np.testing.assert_allclose(trace.scores, (TEXTS @ query.T) @ (TEXTS @ key.T).mT, rtol=1e-12)


def test_an_array_that_does_not_fit_is_named_beside_one_that_does():
    x, own = TEXTS[0], np.eye(4)
    fits, odd = np.ones((5, 5), dtype=bool), np.ones((2, 2), dtype=bool)
    head = ha.Head(own, own, own, mask=fits)
    refusals = [
        (lambda: ha.attention(x, x, x, mask=fits, bias=np.zeros((2, 2))), "bias"),
        (lambda: ha.attention(x, x, x, mask=odd, bias=np.zeros((5, 5))), "mask"),
        (lambda: ha.attention(x, x, x, bias=np.zeros((2, 2))), "bias"),
        (lambda: head(x, mask=odd), "mask"),
        (lambda: head.trace(x, mask=odd), "mask"),
        (lambda: ha.Head(own, own, own, mask=odd)(x, mask=fits), "mask"),
    ]
    for call, what in refusals:
        with pytest.raises(ha.InvalidInput, match=rf"^{what}: shape \(2, 2\) does not fit scores of shape \(5, 5\)"):
            call()
