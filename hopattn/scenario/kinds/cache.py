"""kind = "cache": a text through layers of attention all at once, and word by word with kept keys and values."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from hopattn.foundation.writing import counted, number
from hopattn.results.labelled import Labelled
from hopattn.retrieval.masks import PositionRule, mask_rules
from hopattn.scenario.kinds.layered_text import TextSpec
from hopattn.scenario.language.array_layout import ArraySpec
from hopattn.scenario.language.common_problems import refusals
from hopattn.scenario.language.fields import Problem, Table
from hopattn.scenario.words.vocabulary import Encoding
from hopattn.transformer.blocks import Block
from hopattn.transformer.cache import KeyValueCache, multiplications, products

WAYS = {
    "word_cached": "for the last word, with the cache",
    "word_anew": "for the last word, without: the same as for the whole text at once",
    "text_cached": "for all words one after the other, with the cache",
    "text_anew": "for all words one after the other, without",
}
"""The counts of multiplications by their names, each with its meaning as `explain` writes it."""


class CacheTable(Table):
    """The texts for which multiplications are counted."""

    up_to: Annotated[int, Field(ge=2, le=2**30)] = 1024
    """The largest number of words for which multiplications are counted: texts of 1, 2, 4, 8, … words."""

    @property
    def lengths(self) -> list[int]:
        """The powers of two up to `up_to`."""
        return [2**k for k in range(self.up_to.bit_length())]


class Cache(TextSpec):
    """A text that grows word by word, and the work that kept keys and values save."""

    shown_arrays: ClassVar[tuple[str, ...]] = ("difference", "multiplications")
    kind: Literal["cache"]
    cache: CacheTable = Field(default_factory=CacheTable)
    """The texts for which multiplications are counted."""

    def text_problems(self, coding: Encoding) -> Iterator[Problem]:
        yield from self.input.problems_of_tokens(coding.words)
        problems = [*self.length_problems(len(self.input.tokens)), *self.layer_problems(coding, self._shape)]
        problems = problems or [*self._mask_problems()]
        yield from problems
        for i, layer in enumerate([] if problems else self.layers(coding, self._shape)):
            yield from refusals(("layer", i), partial(KeyValueCache, [layer]), "layers: layer 1: ")

    def _mask_problems(self) -> Iterator[Problem]:
        """Masks that let a word see later ones, or that fit texts of one length alone."""
        for i, layer in enumerate(self.layer):
            for j, head in enumerate(layer.heads):
                rule = getattr(head.mask, "name", head.mask)
                name = "causal" if rule is None and head.weights is None else rule
                if not isinstance(name, str) or not issubclass(mask_rules[name], PositionRule):
                    given = f"'{name}'" if isinstance(name, str) else "a table" if name else "'none'"
                    message = f'{given} does not fit a text that grows; a word may not see later ones: write "causal", '
                    yield Problem(("layer", i, "head", j, "mask"), f'{message}"strict" or a window')

    def size(self) -> int:
        n = len(self.input.tokens)
        return 2 * self.layers_size(n, n, 1)

    def declared_arrays(self) -> Iterator[ArraySpec]:
        words = (("token", self.rows), ("axis", self.encoding.axes))
        lengths = ("words", tuple(map(str, self.cache.lengths)))
        yield from (ArraySpec(name, words) for name in ("input", "state", "word by word"))
        yield from map(ArraySpec, ("difference", *WAYS, *(f"{way}_growth" for way in WAYS)))
        yield ArraySpec("multiplications", (lengths, ("way", tuple(WAYS))))

    def compute(self, rng: np.random.Generator) -> dict[str, Any]:
        coding = self.encoding
        text = coding.encode(self.input.tokens)
        layers = self.layers(coding, self._shape)
        whole = text
        for layer in layers:
            whole = np.asarray(layer(whole))
        grown, cache = [], KeyValueCache(layers)
        for word in text:
            output, cache = cache.append(word[None])
            grown.append(output)
        one_by_one = np.concatenate(grown)
        scale = max(1.0, float(np.abs(whole).max()))
        counts = _array([_counts(layers, n) for n in self.cache.lengths])
        own = dict(zip(WAYS, _array([_counts(layers, len(text))])[0], strict=True))
        growth = {f"{way}_growth": float(np.log2(counts[-1, j] / counts[-2, j])) for j, way in enumerate(WAYS)}
        arrays = {"input": text, "state": whole, "word by word": one_by_one, "multiplications": counts}
        return {**arrays, "difference": float(np.abs(one_by_one - whole).max()) / scale, **own, **growth}

    def explain(self, arrays: Mapping[str, Labelled]) -> Iterator[str]:
        n = len(self.input.tokens)
        for i, layer in enumerate(self.layers(self.encoding, self._shape), start=1):
            maps, pair = products(layer.attention)
            own = [*(one for group in layer.attention.groups for one in group.maps), layer.attention.out]
            matrices = " + ".join("×".join(map(str, one.dims)) for one in own)
            heads = counted(len(layer.attention.heads), "head")
            yield f"layer {i}: the query, key, value and output of a word take {matrices} = {maps} multiplications"
            yield f"  a pair of words takes {pair}: a score and a weighted value in {heads}"
            yield f"  word {n} with the cache: {maps} + {n}×{pair} = {maps + n * pair}"
            yield f"  word {n} without: {n}×({maps} + {n}×{pair}) = {n * (maps + n * pair)}"
        for way, meaning in WAYS.items():
            yield f"{way} = {int(arrays[way].values)}: multiplications {meaning}"
        longest = self.cache.lengths[-1]
        for way in WAYS:
            exponent = float(arrays[f"{way}_growth"].values)
            times = f"{number(2**exponent)} = 2^{number(exponent)}"
            yield f"{way}: from {longest // 2} words to {longest}, times {times}"
        yield f"the largest difference of the two ways: {arrays['difference'].values:.2g} of the largest number"


def _counts(layers: Sequence[Block], n: int) -> list[int]:
    """The multiplications of all layers for a text of n words, one number for each of `WAYS`."""
    counts = [multiplications(layer.attention, n) for layer in layers]
    return [sum(count[way] for count in counts) for way in WAYS]


def _array(counts: list[list[int]]) -> np.ndarray:
    """Counts as whole numbers, or as floats where 64 bits may not hold them."""
    return np.array(counts, dtype=np.int64 if max(map(max, counts)) < 2**53 else np.float64)
