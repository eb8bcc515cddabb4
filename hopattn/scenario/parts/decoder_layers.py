"""The layers of a decoder as a scenario writes them: heads over the words written so far, and heads over the source."""

from collections.abc import Iterator, Sequence

from pydantic import Field

from hopattn.foundation.arrays import Array
from hopattn.retrieval.masks import PositionRule, mask_rules
from hopattn.scenario.language.fields import Problem
from hopattn.scenario.language.lines import Path
from hopattn.scenario.parts.heads import HeadTable
from hopattn.scenario.parts.layers import LayerTable
from hopattn.scenario.words.vocabulary import Encoding
from hopattn.transformer.blocks import BlockTrace

FIXED = ("scores", "weights", "mask", "bias")
"""The keys of a head that may hold a table with one row for each query."""


class DecoderLayerTable(LayerTable):
    """Heads over the words written so far, then heads over the source."""

    head: list[HeadTable] = Field(default_factory=list)
    """The heads over the words written so far; without any, the layer reads the source alone. No word sees a later
    one: their mask is "causal", "strict" or a window."""
    cross: LayerTable
    """The layer over the source: its queries are the words written so far, its keys and values the source."""

    def problems(self, encoding: Encoding, shape: tuple[int, int], crossed: bool, path: Path) -> Iterator[Problem]:
        """The problems of both layers; shape: the largest number of words written, and the number of words read."""
        own = [
            problem
            for i, head in enumerate(self.head)
            for problem in _growing(head, (*path, "head", i), over_itself=True)
        ]
        read = [
            problem
            for i, head in enumerate(self.cross.head)
            for problem in _growing(head, (*path, "cross", "head", i), over_itself=False)
        ]
        if self.from_torch is not None:
            own.append(Problem((*path, "from_torch"), "holds an encoder's layer; write out the heads of a decoder"))
        yield from (*own, *read)
        if self.head and not own:
            yield from super().problems(encoding, (shape[0], shape[0]), False, path)
        if not read:
            yield from self.cross.problems(encoding, shape, True, (*path, "cross"))

    def traces(self, encoding: Encoding, words: Array, source: Array) -> tuple[BlockTrace | None, BlockTrace]:
        """The traces of the layer over the words written so far (None without heads) and of the one over the source.

        words: `(n, dim)`. source: `(m, dim)`. The state of the second trace is the input of the next layer.
        """
        n, m = len(words), len(source)
        own = self.build(encoding, False, (n, n)).trace(words) if self.head else None
        state = words if own is None else own.state
        return own, self.cross.build(encoding, True, (n, m)).trace(state, source=source)


def decoded(
    layers: Sequence[DecoderLayerTable], encoding: Encoding, words: Array, source: Array
) -> list[tuple[BlockTrace | None, BlockTrace]]:
    """The traces of all layers of a decoder; the output of each is the input of the next, and all read one source."""
    traces: list[tuple[BlockTrace | None, BlockTrace]] = []
    for layer in layers:
        traces.append(layer.traces(encoding, traces[-1][1].state if traces else words, source))
    return traces


def _growing(head: HeadTable, path: Path, over_itself: bool) -> Iterator[Problem]:
    """The keys that have no meaning in a decoder, whose text grows.

    over_itself: whether the head reads the words written so far, of which none may see a later one.
    """
    fixed = [key for key in FIXED if isinstance(getattr(head, key), list)]
    for key in fixed:
        yield Problem((*path, key), "has a fixed number of rows, but the text of a decoder grows word by word")
    rule = head.mask if isinstance(head.mask, str) else getattr(head.mask, "name", "causal")
    if over_itself and not fixed and not issubclass(mask_rules[rule], PositionRule):
        choices = "'causal', 'strict' or a window"
        yield Problem((*path, "mask"), f"no word may see a later one, which is not written yet; expected {choices}")
