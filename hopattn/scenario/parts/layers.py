"""Layers of heads as a scenario writes them."""

from collections.abc import Iterator
from typing import Annotated

import numpy as np
from pydantic import Field

from hopattn.scenario.language.fields import Problem, Table
from hopattn.scenario.language.lines import Path
from hopattn.scenario.parts.heads import HeadTable
from hopattn.scenario.words.vocabulary import Encoding
from hopattn.transformer.layers import AttentionLayer
from hopattn.transformer.multi_head import MultiHead


class LayerTable(Table):
    """Heads side by side. Their output is added to the words, or takes their place."""

    head: Annotated[list[HeadTable], Field(min_length=1)]
    """The heads; their outputs are added up."""
    residual: bool = True
    """Whether the output is added to the words (true) or takes their place (false)."""

    def problems(self, encoding: Encoding, shape: tuple[int, int], crossed: bool, path: Path) -> Iterator[Problem]:
        """The problems of all heads; shape and crossed as for a head."""
        for i, head in enumerate(self.head):
            yield from head.problems(encoding, shape, crossed, (*path, "head", i))

    def build(self, encoding: Encoding, crossed: bool, shape: tuple[int, int]) -> AttentionLayer:
        """The layer; shape and crossed as for a head.

        The outputs of the heads are `(n, dim)` each. The output matrix (I I …) maps their concatenation to their sum.
        """
        heads = [head.build(encoding, crossed, shape, (i, len(self.head))) for i, head in enumerate(self.head)]
        return AttentionLayer(MultiHead(heads, np.tile(np.eye(encoding.dim), len(heads))), self.residual)
