"""A layer whose weights come from a file: those of a `torch.nn.TransformerEncoderLayer`.

The file holds the names and arrays of the layer's `state_dict`. It is data: nothing in it is executed, and PyTorch is
not needed to read it.
"""

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path as FilePath
from typing import Any, Literal

import numpy as np

from hopattn.foundation.array_files import named, numbers_below
from hopattn.foundation.endings import NAMED
from hopattn.foundation.errors import InvalidInput, in_file, shortened
from hopattn.scenario.language.common_problems import refusals
from hopattn.scenario.language.fields import MAX_NUMBERS, Count, PositiveNumber, Problem, TableWithFiles, Text
from hopattn.scenario.language.lines import Path
from hopattn.scenario.parts.heads import HeadTable, Mask
from hopattn.scenario.words.vocabulary import Encoding
from hopattn.transformer.blocks import Block
from hopattn.transformer.from_torch import with_prefix


class TorchTable(TableWithFiles):
    """The weights of a `torch.nn.TransformerEncoderLayer`, from a file of the names and arrays of its `state_dict`."""

    file: Text
    """Its path, from the folder of this scenario: a .npz or a .safetensors."""
    heads: Count
    """The number of heads (`nhead`)."""
    prefix: Text | None = None
    """The beginning of the layer's names, where a file holds several layers: "layers.0" for `layers.0.norm1.weight`."""
    norm_first: bool = False
    """Whether the normalisations come before attention and feed-forward layer; PyTorch's argument of that name."""
    activation: Literal["relu", "gelu"] = "relu"
    """The function of the hidden neurons; PyTorch's argument of that name."""
    epsilon: PositiveNumber = 1e-5
    """PyTorch's `layer_norm_eps`."""
    mask: Mask = "none"
    """Which words may be attended to."""

    def problems(self, encoding: Encoding, shape: tuple[int, int], crossed: bool, path: Path) -> Iterator[Problem]:
        """A file that cannot be read, weights that do not fit, a text that reads another one, a mask that does not fit.

        shape and crossed as for a head.
        """
        if crossed:
            yield Problem(path, "an encoder's layer reads one text; leave it out, or the queries of the other text")
            return
        yield from HeadTable(mask=self.mask).problems(encoding, shape, crossed, path)
        unread = [*refusals(path, lambda: self.block)]
        yield from unread
        if not unread and (dim := self.block.attention.out.dims[0]) != encoding.dim:
            own = f"is for vectors of {dim} elements; those of this scenario have {encoding.dim}"
            message = f"{named(FilePath(self.file))} {own}"
            yield Problem((*path, "file"), message)

    @cached_property
    def block(self) -> Block:
        """The layer with its weights, without the mask; raises `InvalidInput` for a file that cannot be used."""
        block = self._block("none")
        if block.cross is not None:
            raise InvalidInput("block: has a cross-attention, as the layer of a decoder; expected that of an encoder")
        return block

    def _block(self, mask: Any) -> Block:
        with in_file(named(self._folder / self.file)):
            return Block.from_torch(
                self._state,
                n_heads=self.heads,
                norm_first=self.norm_first,
                activation=self.activation,
                mask=mask,
                epsilon=self.epsilon,
            )

    @cached_property
    def _state(self) -> dict[str, np.ndarray]:
        """The names, without the prefix, and the arrays of the layer."""
        file = self._folder / self.file
        if self.prefix is None:
            return _arrays_in(file, "")
        own = with_prefix(_arrays_in(file, f"{self.prefix}."), self.prefix)
        if not own:
            raise InvalidInput(f"{named(file)} holds no name that begins with '{shortened(self.prefix)}.'")
        return own

    def head_tables(self) -> list[HeadTable]:
        """The heads as tables with the matrices of the file, without the biases, which a table cannot hold."""
        return [
            HeadTable(
                query=head.w_query.tolist(),
                key=head.w_key.tolist(),
                value=head.w_value.tolist(),
                beta="1/sqrt(dim)",
                mask=self.mask,
            )
            for head in self.block.attention.heads
        ]

    def build(self, encoding: Encoding, shape: tuple[int, int]) -> Block:
        """The layer; `problems` must have found none."""
        return self._block(HeadTable(mask=self.mask).build(encoding, False, shape).mask)


def _arrays_in(file: FilePath, start: str) -> dict[str, np.ndarray]:
    """The arrays in a file whose names begin with `start`, by name, in float64.

    Raises `InvalidInput` for a file that cannot be read, and before it is read for more numbers than a scenario may
    take.
    """
    if file.suffix.lower() not in NAMED:
        raise InvalidInput(f"{named(file)} does not end in {' or '.join(NAMED)}")
    return numbers_below(file, start, most_axes=2, most=MAX_NUMBERS)
