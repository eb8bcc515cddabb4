"""Heads, layers and the cache: a head against attention alone, PyTorch's modules, and the products of a new word."""

import tracemalloc
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import hopattn as ha
from benchmarks.machine import cores
from benchmarks.measuring import (
    Measured,
    Options,
    Row,
    Target,
    import_or_skip,
    interleaved,
    measured_row,
    ratio,
    slope,
)
from benchmarks.plain import require_close

WORDS, DIM = 4096, 64
"""The text of one head."""
SINKS = 4
"""The number of heads that have a sink each."""
HEADS, LENGTH, WIDTH, HIDDEN = 12, 512, 768, 3072
"""The layer of a transformer: the size of BERT-base and GPT-2."""
CACHED = 2048
"""The number of words in the cache when a word is added."""


def rows(options: Options) -> Iterator[Row]:
    """The ratios head / attention, PyTorch / heads, PyTorch / layer, new word / products, and the growth of memory."""
    size = f"{WORDS:,} × {DIM}, causal"
    yield measured_row(f"head / attention, {size}", Target("≤", 1.3), partial(_head, options))
    yield measured_row(f"attention with sinks / without, {SINKS} × {size}", Target("≤", 1.1), partial(_sinks, options))
    yield measured_row("peak memory of a head ∝ wordsᵇ", Target("≤", 1.1), _memory)
    layer = f"{HEADS} × {LENGTH} × {WIDTH}, float32"
    yield measured_row(f"PyTorch / heads, {layer}", Target("≥", 0.7), partial(_heads, options))
    yield measured_row(f"PyTorch / heads with gradient, {layer}", Target("≥", 0.95), partial(_gradient, options))
    yield measured_row(f"PyTorch / encoder layer, {layer}", Target("≥", 0.7), partial(_layer, options))
    word = f"a word with cache / its products, {CACHED:,} words × {WIDTH}"
    yield measured_row(word, Target("≤", 1.5), partial(_word, options))


def _own_head(words: int) -> tuple[ha.Head, np.ndarray]:
    rng = np.random.default_rng(0)
    weights = (rng.normal(size=(3, DIM, DIM)) / DIM**0.5).astype(np.float32)
    return ha.Head(*weights, beta=DIM**-0.5, mask="causal"), rng.normal(size=(words, DIM)).astype(np.float32)


def _head(options: Options) -> Measured:
    head, x = _own_head(WORDS)
    texts = [head.query(x), head.key(x), head.value(x)]
    works = {"head": lambda: head(x), "attention": lambda: ha.attention(*texts, mask="causal")}
    require_close(works["head"](), works["attention"]())
    return ratio(interleaved(works, options), "head", "attention")


def _sinks(options: Options) -> Measured:
    q, k, v = np.random.default_rng(0).normal(size=(3, SINKS, WORDS, DIM)).astype(np.float32)
    works = {
        "with": lambda: ha.attention(q, k, v, mask="causal", sink=np.arange(SINKS)),
        "without": lambda: ha.attention(q, k, v, mask="causal"),
    }
    return ratio(interleaved(works, options), "with", "without")


def _memory() -> Measured:
    peaks = {}
    for words in (2048, 4096, 8192, 16384):
        head, x = _own_head(words)
        head(x[:10])
        tracemalloc.start()
        head(x)
        peaks[words] = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    note = "; ".join(f"{words:,}: {peak / 2**20:.1f} MiB" for words, peak in peaks.items())
    return slope(list(peaks), list(peaks.values()), note)


def _against(module: Any, own: Callable[[Any], Any], theirs: Callable[[Any], Any], options: Options) -> Measured:
    torch = import_or_skip("torch")
    torch.set_num_threads(cores())
    x = torch.randn(1, LENGTH, WIDTH)
    words = x[0].numpy()

    def computed() -> Any:
        with torch.inference_mode():
            return theirs(x)

    works = {"PyTorch": computed, "hopattn": lambda: own(words)}
    require_close(own(words), computed()[0])
    return ratio(interleaved(works, options), "PyTorch", "hopattn")


def _state(module: Any) -> dict[str, np.ndarray]:
    return {name: array.numpy() for name, array in module.state_dict().items()}


def _heads(options: Options) -> Measured:
    torch = import_or_skip("torch")
    torch.manual_seed(0)
    module = torch.nn.MultiheadAttention(WIDTH, HEADS, batch_first=True).eval()
    own = ha.MultiHead.from_torch(_state(module), HEADS)
    return _against(module, own, lambda x: module(x, x, x, need_weights=False)[0], options)


def _gradient(options: Options) -> Measured:
    torch = import_or_skip("torch")
    torch.set_num_threads(cores())
    torch.manual_seed(0)
    module = torch.nn.MultiheadAttention(WIDTH, HEADS, batch_first=True).eval()
    heads, x = ha.MultiHead.from_torch(module), torch.randn(1, LENGTH, WIDTH, requires_grad=True)

    def derivative(output: Any) -> Any:
        return torch.autograd.grad(output.square().sum(), x)[0]

    works = {
        "PyTorch": lambda: derivative(module(x, x, x, need_weights=False)[0]),
        "hopattn": lambda: derivative(heads(x)),
    }
    require_close(works["hopattn"](), works["PyTorch"]())
    return ratio(interleaved(works, options), "PyTorch", "hopattn")


def _layer(options: Options) -> Measured:
    torch = import_or_skip("torch")
    torch.manual_seed(0)
    module = torch.nn.TransformerEncoderLayer(WIDTH, HEADS, HIDDEN, dropout=0.0, batch_first=True).eval()
    return _against(module, ha.Block.from_torch(_state(module), n_heads=HEADS), module, options)


def _word(options: Options) -> Measured:
    rng, dim = np.random.default_rng(0), WIDTH // HEADS
    state = {
        "in_proj_weight": (rng.normal(size=(3 * WIDTH, WIDTH)) / WIDTH**0.5).astype(np.float32),
        "out_proj.weight": (rng.normal(size=(WIDTH, WIDTH)) / WIDTH**0.5).astype(np.float32),
    }
    layer = ha.transformer.AttentionLayer(ha.MultiHead.from_torch(state, HEADS, mask="causal"))
    text = rng.normal(size=(CACHED, WIDTH)).astype(np.float32)
    _, cache = ha.KeyValueCache([layer]).append(text)
    word = rng.normal(size=(1, WIDTH)).astype(np.float32)
    keys, values = (rng.normal(size=(HEADS, CACHED, dim)).astype(np.float32) for _ in range(2))

    def next_word() -> Any:
        nonlocal cache
        output, cache = cache.append(word)
        return output

    def products() -> Any:
        q = np.stack([word @ state["in_proj_weight"][i * WIDTH : (i + 1) * WIDTH].T for i in range(3)])
        scores = keys @ q[0].reshape(HEADS, dim, 1)
        return (scores.mT @ values).reshape(1, WIDTH) @ state["out_proj.weight"].T

    return ratio(interleaved({"word": next_word, "products": products}, options), "word", "products")
