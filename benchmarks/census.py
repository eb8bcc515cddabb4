"""The census of all heads of a model of GPT-2's size: processor time, time beside full matrices, and memory.

The memory is that of NumPy's buffers in one thread, which tracemalloc counts, without the vectors that one head makes
of the text: queries, keys and values, and two more while they are made.
"""

import time
import tracemalloc
from collections.abc import Iterator
from functools import partial

import numpy as np

import hopattn as ha
from benchmarks.measuring import Measured, Options, Row, Target, Wrong, interleaved, measured_row, ratio
from hopattn.circuits.scores import even_attention
from hopattn.foundation.threads import thread_limit

LAYERS, HEADS, DIM, WORDS = 12, 12, 768, 50257
TOKENS, LONG = 1024, 16384
VECTORS = 5 * 4 * DIM // HEADS
"""The bytes of a token in one head."""
MEBIBYTE = 2**20


def rows(options: Options) -> Iterator[Row]:
    """The processor time of a census, its time beside full matrices, and the growth of its memory."""
    layers = 2 if options.quick else LAYERS
    work = f"processor seconds of a census, {layers} × {HEADS} heads, {TOKENS:,} tokens, float32"
    yield measured_row(work, Target("<", 5.0 * layers), partial(_seconds, layers))
    yield measured_row(
        f"full matrices / census, {HEADS} heads, {TOKENS:,} tokens, float32", None, partial(_plain, options)
    )
    least = LONG // 4 if options.quick else LONG
    work = f"memory of a census at {least:,} tokens / at {TOKENS:,}, without a head's own vectors"
    yield measured_row(work, Target("≤", 1.05), partial(_memory, least))


def _layer(rng: np.random.Generator, n: int, n_heads: int = HEADS) -> tuple[ha.MultiHead, np.ndarray]:
    """Random heads of GPT-2's size, and states as a normalisation gives them."""

    def matrix(rows: int, columns: int) -> np.ndarray:
        return np.asarray(rng.normal(size=(rows, columns)) * columns**-0.5, np.float32)

    dim = DIM // HEADS
    heads = [ha.Head(*(matrix(dim, DIM) for _ in range(3)), beta=dim**-0.5, mask="causal") for _ in range(n_heads)]
    return ha.MultiHead(heads, matrix(DIM, dim * n_heads)), rng.normal(size=(n, DIM)).astype(np.float32)


def _tokens(n: int) -> np.ndarray:
    return np.tile(np.random.default_rng(1).permutation(WORDS)[: n // 4], 4)


def _seconds(layers: int) -> Measured:
    rng = np.random.default_rng(0)
    table = rng.normal(size=(WORDS, DIM)).astype(np.float32)
    start = time.process_time()
    ha.circuits.head_census((_layer(rng, TOKENS) for _ in range(layers)), _tokens(TOKENS), unembed=table)
    took = time.process_time() - start
    return Measured(took, took, took, "the random matrices are drawn meanwhile")


def _plain(options: Options) -> Measured:
    """The same measures of the attention from full matrices, without those of matrices and fixed points."""
    (heads, states), tokens = _layer(np.random.default_rng(0), TOKENS), _tokens(TOKENS)

    def plain() -> list[float]:
        found = []
        for head in heads.heads:
            trace = head.trace(states)
            scores = [
                ha.circuits.head_scores(rows, tokens)
                for rows in (trace.weights, even_attention(np.asarray(trace.mask)))
            ]
            ha.retrieval.operating_class(trace.weights, trace.mask)
            head.retrieval._free_energy(trace.queries, trace.keys, trace.mask)
            found.append(float(scores[0]["prefix matching"]))
        return found

    def census() -> ha.circuits.Census:
        return ha.circuits.head_census([(heads, states)], tokens, followed=0)

    if not np.allclose(census().matrix("prefix_matching")[0], plain(), rtol=1e-4):
        raise Wrong("the census differs from full matrices")
    return ratio(interleaved({"full matrices": plain, "census": census}, options), "full matrices", "census")


def _memory(longest: int) -> Measured:
    peaks = []
    for n in (TOKENS, TOKENS, longest):  # the first one imports what it needs
        layer = _layer(np.random.default_rng(0), n, 1)
        tracemalloc.start()
        try:
            with thread_limit(1):
                ha.circuits.head_census([layer], _tokens(n))
            peaks.append((tracemalloc.get_traced_memory()[1] - VECTORS * n) / MEBIBYTE)
        finally:
            tracemalloc.stop()
    grown = peaks[2] / peaks[1]
    return Measured(grown, grown, grown, f"{TOKENS:,}: {peaks[1]:.1f} MiB; {longest:,}: {peaks[2]:.1f} MiB")
