"""Layers of a transformer as a scenario writes them: heads, their output matrix, a feed-forward layer, norms."""

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from pydantic import Field

from hopattn.scenario.language.common_problems import matrix_problems, unused_problems
from hopattn.scenario.language.fields import Matrix, Problem, Table
from hopattn.scenario.language.lines import Path
from hopattn.scenario.parts.heads import HeadTable
from hopattn.scenario.parts.sublayers import FeedForwardTable, NormChoice, NormTable, norm_of
from hopattn.scenario.parts.torch_layers import TorchTable
from hopattn.scenario.words.vocabulary import Encoding
from hopattn.transformer.blocks import AttentionLayer, Block
from hopattn.transformer.multi_head import MultiHead


class LayerTable(Table):
    """Heads side by side, and a feed-forward layer behind them if there is one."""

    head: list[HeadTable] = Field(default_factory=list)
    """The heads; their outputs are added up, unless `output` maps them."""
    output: Matrix | None = None
    """The matrix W_O, (dim, sum of the heads' widths), that maps the heads' outputs, side by side, back to a vector; by
    default they are added up. A head is as wide as its value."""
    residual: bool = True
    """Whether the output is added to the words (true) or replaces them (false); the same for the feed-forward
    layer."""
    feed_forward: FeedForwardTable | None = None
    """The feed-forward layer."""
    norm: NormChoice = "none"
    """The normalisation of each vector, for attention and feed-forward layer alike: "layer" (mean 0, variance 1), "rms"
    (mean square 1), "none", or a table."""
    norm_first: bool = False
    """Whether the norm comes before attention and feed-forward layer, or after the residual of each."""
    from_torch: TorchTable | None = None
    """The weights of a PyTorch layer from a file, instead of all other keys."""

    @property
    def full(self) -> bool:
        """Whether the layer has more than heads and a residual: an output matrix, a feed-forward layer or a norm."""
        return self.mapped or self.feed_forward is not None or self.norm != "none"

    @property
    def mapped(self) -> bool:
        """Whether an output matrix maps the heads' outputs, each as wide as its value, back to a vector."""
        return self.output is not None or self.from_torch is not None

    @property
    def n_heads(self) -> int:
        """The number of heads, known before a file is read."""
        return len(self.head) if self.from_torch is None else self.from_torch.heads

    @cached_property
    def heads(self) -> list[HeadTable]:
        """The heads, of the file too; `problems` must have found none."""
        return self.head if self.from_torch is None else self.from_torch.head_tables()

    def own_arrays(self) -> tuple[str, ...]:
        """The arrays between the heads' output and the state, by name, in the order of their computation.

        They are in `layer_arrays.INSIDE`; those that would repeat another array are left out.
        """
        if not self.full:
            return ()
        torch = self.from_torch
        first = self.norm_first if torch is None else torch.norm_first
        fed = torch is not None or self.feed_forward is not None
        last = not first and (torch is not None or self.norm != "none")
        given = {"normed": first, "summed": last, "attended": fed, "renormed": first and fed, "hidden": fed, "fed": fed}
        return tuple(name for name, is_given in given.items() if is_given)

    def hidden(self) -> int:
        """The number of hidden neurons of the feed-forward layer, 0 without one; `problems` must have found none."""
        if self.from_torch is not None:
            fed = self.from_torch.block.feed_forward
            return 0 if fed is None else fed.inner.dims[0]
        return 0 if self.feed_forward is None else len(self.feed_forward.inner)

    def width(self, head: HeadTable, encoding: Encoding) -> int:
        """The number of elements of a head's output; `problems` must have found none."""
        return len(head.projection("value").array(encoding)) if self.mapped else encoding.dim

    def problems(self, encoding: Encoding, shape: tuple[int, int], crossed: bool, path: Path) -> Iterator[Problem]:
        """The problems of all parts; shape and crossed as for a head."""
        if self.from_torch is not None:
            own = ("head", "output", "residual", "feed_forward", "norm", "norm_first")
            yield from unused_problems(self, own, path, "comes from the file of `from_torch`; leave one of them out")
            yield from self.from_torch.problems(encoding, shape, crossed, (*path, "from_torch"))
            return
        if not self.head:
            yield Problem(path, "has no head; begin one with [[layer.head]], or give from_torch")
        head_problems = [
            problem
            for i, head in enumerate(self.head)
            for problem in head.problems(encoding, shape, crossed, (*path, "head", i), mapped=self.mapped)
        ]
        yield from head_problems
        if self.output is not None and not head_problems:
            widths = [self.width(head, encoding) for head in self.head]
            sum_ = f" ({' + '.join(map(str, widths))})" if len(widths) > 1 else ""
            columns = sum(widths), f"one for each element of the heads' outputs{sum_}"
            rows = encoding.dim, "one for each element of a vector"
            yield from matrix_problems(self.output, (*path, "output"), columns, rows)
        if self.feed_forward is not None:
            yield from self.feed_forward.problems(encoding.dim, (*path, "feed_forward"))
        if isinstance(self.norm, NormTable):
            yield from self.norm.problems(encoding.dim, (*path, "norm"))
        if self.norm_first and self.norm == "none":
            yield Problem((*path, "norm_first"), 'says where the norm is, but there is none; give norm = "layer"')

    def build(self, encoding: Encoding, crossed: bool, shape: tuple[int, int]) -> Block:
        """The layer; shape and crossed as for a head.

        Without an output matrix the outputs of the heads are `(n, dim)` each, and the matrix (I I …) maps their
        concatenation to their sum.
        """
        if self.from_torch is not None:
            return self.from_torch.build(encoding, shape)
        heads = [
            head.build(encoding, crossed, shape, (i, len(self.head)), mapped=self.mapped)
            for i, head in enumerate(self.head)
        ]
        sum_ = np.tile(np.eye(encoding.dim), len(heads))
        attention = MultiHead(heads, sum_ if self.output is None else np.array(self.output, dtype=float))
        if not self.full:
            return AttentionLayer(attention, residual=self.residual)
        fed = None if self.feed_forward is None else self.feed_forward.build()
        norms = [norm_of(self.norm)] * (1 if fed is None else 2)
        return Block(attention, fed, norms=norms, norm_first=self.norm_first, residual=self.residual)
