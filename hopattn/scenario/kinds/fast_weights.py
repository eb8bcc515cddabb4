"""kind = "fast_weights": a text is written word by word into one matrix, and read from it.

    W_t = W_{t−1} + v_t φ(k_t)ᵀ          output = W φ(q)

The matrix does not grow with the text. Its rows are the elements of a value, its columns the features of a key.
"""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal

import numpy as np

from hopattn.foundation.writing import WRITTEN_AS_0, number
from hopattn.results.labelled import Labelled
from hopattn.scenario.explain.arithmetic import added, equals, vector, written
from hopattn.scenario.kinds.encoded import EncodedSpec, OneText
from hopattn.scenario.kinds.layer_arrays import axis_of
from hopattn.scenario.language.array_layout import ArraySpec, Axis, numbers
from hopattn.scenario.language.fields import Problem
from hopattn.scenario.language.occurrence import labels
from hopattn.scenario.parts.writing_rules import FastWeightsTable
from hopattn.scenario.words.vocabulary import Encoding

SHOWN_FEATURES = 8
"""The largest number of features for which the memory is written out."""


class FastWeights(OneText, EncodedSpec):
    """A text that is written word by word into one matrix, and read from it."""

    shown_arrays: ClassVar[tuple[str, ...]] = ("memory", "output", "sums", "difference", "positive", "error")
    main_table: ClassVar[str] = "fast_weights"
    kind: Literal["fast_weights"]
    fast_weights: FastWeightsTable
    """How words are written and read."""

    def text_problems(self, coding: Encoding) -> Iterator[Problem]:
        yield from self.input.problems(coding.words)
        yield from self.length_problems(max(len(self.rows), len(self.input.tokens)))
        yield from self.input.attention_key_problems(("padding", "batch"))
        yield from self.fast_weights.problems(coding, ("fast_weights",))

    def size(self) -> int:
        n, m, dim = len(self.input.tokens), len(self.rows), self.dim
        matrices = (self.fast_weights.projection(role).matrix or [] for role in ("query", "key", "value"))
        rows = max(dim, *map(len, matrices))
        features = max(rows, self.fast_weights.n_random)
        return 3 * n * (dim + 1) * features + 6 * n * max(n, m) + 8 * (n + m) * features + 4 * rows * dim

    def declared_arrays(self) -> Iterator[ArraySpec]:
        table, coding, written = self.fast_weights, self.encoding, labels(self.input.tokens)
        token: Axis = ("token", written)
        query: Axis = ("query", self.rows)
        axis: Axis = ("axis", coding.axes)
        compared = axis_of(len(table.projection("key").array(coding)), coding)
        feature: Axis = ("feature", numbers(table.n_random)) if table.random else compared
        row: Axis = ("value", (*coding.axes, "sum") if table.normalise else coding.axes)
        axes: dict[str, tuple[Axis, ...]] = {"input": (query, axis)}
        axes |= {"source": (token, axis)} if self.crossed else {}
        axes |= {"queries": (query, compared), "keys": (token, compared), "values": (token, axis)}
        axes |= {"scores": (query, ("key", written)), "sums": (query,), "memory": (row, feature)}
        axes |= dict.fromkeys(("output", "quadratic", *(["softmax"] if table.random else [])), (query, axis))
        yield from (ArraySpec(name, own, referable=name != "source") for name, own in axes.items())
        yield ArraySpec("memories", (token, row, feature), referable=False, measured=False)
        yield from map(ArraySpec, ("difference", "positive", *(["error"] if table.random else [])))

    def compute(self, rng: np.random.Generator) -> Mapping[str, Any]:
        table, coding, crossed = self.fast_weights, self.encoding, self.crossed
        text, phi = coding.encode(self.input.tokens), table.phi(rng)
        queried = coding.encode(self.input.queries) if self.input.queries else text
        full = table.head(coding, phi, crossed).trace(queried, source=text)
        q, k, v = full.queries, full.keys, full.values
        memories, output = table.written(q, k, v, phi, crossed)
        quadratic = full.output if table.rule == "sum" else table.at_once(q, k, v, phi, crossed)
        allowed = np.ones(full.scores.shape, bool) if full.mask is None else full.mask
        scores = np.where(allowed, full.scores, 0.0)
        sums = scores.sum(axis=-1)
        values: dict[str, Any] = {"input": queried, "queries": q, "keys": k, "values": v, "scores": scores}
        values |= {"sums": sums, "memories": memories, "memory": memories[-1], "output": output, "quadratic": quadratic}
        values |= {"difference": np.max(np.abs(output - quadratic)), "positive": np.mean(sums > 0)}
        if crossed:
            values["source"] = text
        if table.random:
            exact = table.softmax_head(coding, phi, crossed)(queried, source=text)
            values |= {"softmax": exact, "error": np.max(np.abs(output - exact))}
        return values

    def explain(self, arrays: Mapping[str, Labelled]) -> Iterator[str]:
        table, keys, values = self.fast_weights, arrays["keys"], arrays["values"]
        memories, read = arrays["memories"], arrays["output"].labels[0]
        rule = "W ← W + v φ(k)ᵀ" if table.rule == "sum" else "W ← W + η (v − W φ(k)) φ(k)ᵀ / |φ(k)|²"
        rate = f", η = {number(table.rate or 1)}" if table.rule == "delta" else ""
        yield f"written word by word, {rule}{rate}:"
        before = np.zeros_like(memories.values[0])
        for i, word in enumerate(keys.labels[0]):
            mapped = self._mapped("k", keys.values[i])
            yield f"  {word}: key {vector(keys.values[i])}{mapped}, value {vector(values.values[i])}"
            if memories.values.shape[2] <= SHOWN_FEATURES:
                yield from self._written(before, keys.values[i], values.values[i])
                for name, row, old in zip(memories.labels[1], memories.values[i], before, strict=True):
                    if np.any(row) or np.any(old):
                        yield f"    row {name} of W: {vector(row)}"
            before = memories.values[i]
        yield "read:"
        for i, word in enumerate(read):
            yield f"  {word}: {'; '.join(self._read(arrays, i))}"
        difference = number(float(arrays["difference"].values))
        yield f"the same from all scores: the largest difference is {difference}"

    def _features(self, given: np.ndarray) -> np.ndarray | None:
        """φ of a key or a query; None where it is drawn at random."""
        table = self.fast_weights
        return None if table.random else np.asarray(table.phi(np.random.default_rng(0))(given[None]))[0]

    def _mapped(self, letter: str, given: np.ndarray) -> str:
        """φ of a key or a query, to be written behind it; nothing where φ leaves it as it is, or is random."""
        features = self._features(given)
        if features is None or np.array_equal(features, given):
            return ""
        return f", φ({letter}) {equals(features)} {vector(features)}"

    def _written(self, before: np.ndarray, key: np.ndarray, value: np.ndarray) -> Iterator[str]:
        """The error that the delta rule corrects: the value without what the memory answers already."""
        features = self._features(key)
        if self.fast_weights.rule == "sum" or features is None:
            return
        answer, length = before @ features, float(features @ features)
        error = value - answer
        squared = "" if abs(length - 1) < WRITTEN_AS_0 else f"; |φ(k)|² {equals(length)} {number(length)}"
        by_hand = added(np.stack([written(value), -written(answer)], axis=-1))
        left = f"{vector(value)} − {vector(answer)} {equals(error, by_hand)} {vector(error)}"
        yield f"    W φ(k) {equals(answer)} {vector(answer)}; v − W φ(k) = {left}{squared}"

    def _read(self, arrays: Mapping[str, Labelled], i: int) -> Iterator[str]:
        """The arithmetic of what one query reads."""
        output, sums = arrays["output"].values[i], arrays["sums"].values
        query = arrays["queries"].values[i]
        yield f"query {vector(query)}{self._mapped('q', query)}"
        if self.fast_weights.rule == "sum" and not self.fast_weights.normalise:
            seen = [*np.flatnonzero(arrays["scores"].values[i])]
            names = arrays["scores"].labels[1]
            terms = " + ".join(f"{number(arrays['scores'].values[i, j])}×value({names[j]})" for j in seen[:8])
            yield f"{terms or '0'}{' + …' if len(seen) > 8 else ''} {equals(output)} {vector(output)}"
        elif self.fast_weights.normalise:
            yield f"divided by the sum of its scores, {number(sums[i])}: {vector(output)}"
        else:
            yield f"W φ(q) {equals(output)} {vector(output)}"
