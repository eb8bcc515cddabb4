"""The encoder and the decoder: one text is read whole, another is written word by word and attends to the first.

    memory = encoder(source)          words = decoder(target, memory)          scores = read-out(words)

The cross-attention of the decoder is one step of recall: its cues come from the target, its keys and values from the
source. Greedy decoding writes the word with the largest score each time.
"""

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from hopattn.foundation.argument_names import PublicObject
from hopattn.foundation.arrays import Array, Mask
from hopattn.foundation.boundary import public
from hopattn.foundation.checks import each, whole
from hopattn.foundation.errors import InvalidInput, quoted
from hopattn.retrieval.activation import Identity
from hopattn.transformer.blocks import Block, Stack, norm_state
from hopattn.transformer.feed_forward import Affine
from hopattn.transformer.from_torch import require_names, with_all_biases, with_options, with_prefix
from hopattn.transformer.normalisation import LayerNorm, Normalisation

SIDES = ("encoder", "decoder")
TIE = 1e-9
"""Scores that differ by less, relative to the largest of them, count as equal."""


@dataclass(frozen=True, eq=False)
class EncoderDecoder(PublicObject):
    """Blocks that read a source, and blocks with a cross-attention that write a target.

    Parameters
    ----------
    encoder : blocks without a cross-attention.
    decoder : blocks with one; their heads have the mask "causal", so that no word sees a later one.
    norms : a normalisation behind each side, or None.
    read_out : the map to one score for each word of a vocabulary, or None.

    Raises
    ------
    InvalidInput : for other blocks.

    Notes
    -----
    Source: Vaswani et al. (2017), 3.1.
    """

    encoder: tuple[Block, ...]
    decoder: tuple[Block, ...]
    _: KW_ONLY
    norms: tuple[Normalisation | None, Normalisation | None] = (None, None)
    read_out: Affine | None = None

    def __post_init__(self) -> None:
        for side, has_cross in zip(SIDES, (False, True), strict=True):
            blocks = each(getattr(self, side), Block, side)
            if not blocks:
                raise InvalidInput(f"{side}: expected at least one Block, in a list")
            for i, block in enumerate(blocks, start=1):
                if (block.cross is not None) != has_cross:
                    verb = "has no" if has_cross else "has a"
                    raise InvalidInput(f"{side}: block {i} {verb} cross-attention")
            object.__setattr__(self, side, blocks)

    @classmethod
    def from_torch(
        cls,
        module: Any,
        *,
        n_heads: int | None = None,
        norm_first: bool | None = None,
        activation: str | None = None,
        epsilon: float | None = None,
    ) -> "EncoderDecoder":
        """The layers of a `torch.nn.Transformer` in its eval mode, which has no read-out.

        Parameters
        ----------
        module : the module itself; or names and arrays of its `state_dict`.
        n_heads, norm_first, activation, epsilon : as in `Block.from_torch`, which says what is raised.

        Notes
        -----
        The decoder's heads get the mask "causal".
        """
        arguments = {"n_heads": n_heads, "norm_first": norm_first, "activation": activation, "epsilon": epsilon}
        state, options = with_options(module, ["Transformer"], **arguments)
        sides, norms = [], []
        for side, mask in zip(SIDES, ("none", "causal"), strict=True):
            side_state = with_prefix(state, side)
            layers = with_prefix(side_state, "layers")
            numbers = sorted({name.split(".")[0] for name in layers}, key=lambda name: (len(name), name))
            if numbers != [str(i) for i in range(len(numbers))] or not numbers:
                listing = ", ".join(numbers) or "none"
                raise InvalidInput(f"state: expected {side}.layers.0, {side}.layers.1, …, not {listing}")
            parts = [with_prefix(layers, number) for number in numbers]
            sides.append(tuple(Block.from_torch(part, **options, mask=mask) for part in parts))
            norms.append(
                LayerNorm.from_torch(side_state, "norm", options["epsilon"]) if "norm.weight" in side_state else None
            )
        names = [name for name in state if name.startswith(tuple(f"{side}.layers." for side in SIDES))]
        require_names(state, [], [*names, *(f"{side}.norm.{part}" for side in SIDES for part in ("weight", "bias"))])
        return cls(sides[0], sides[1], norms=(norms[0], norms[1]))

    def to_torch(self) -> dict[str, Array]:
        """The names and arrays of a `torch.nn.Transformer`; the inverse of `from_torch`.

        A state holds neither n_heads, norm_first and the activation, which PyTorch's class has once for all layers, nor
        a mask: give it to PyTorch's call (`tgt_mask`). A side without a norm needs a `custom_encoder` or
        `custom_decoder` of PyTorch. Raises `InvalidInput` for a read-out, for blocks that differ in one of these
        options, and for parts that `Block.to_torch` refuses.
        """
        if self.read_out is not None:
            raise InvalidInput("to_torch: PyTorch's transformer has no read-out; take the arrays of read_out apart")
        options = set()
        for block in (*self.encoder, *self.decoder):
            activation = getattr(block.feed_forward, "activation", None)
            for heads in filter(None, (block.attention, block.cross)):
                block_options = f"norm_first = {block.norm_first}, activation = '{activation}'"
                options.add(f"n_heads = {len(heads.heads)}, {block_options}")
        if len(options) > 1:
            raise InvalidInput(f"to_torch: expected one of these for all layers, not {'; '.join(sorted(options))}")
        state: dict[str, Array] = {}
        for side, norm in zip(SIDES, self.norms, strict=True):
            for i, block in enumerate(getattr(self, side)):
                try:
                    arrays = block.to_torch()
                except InvalidInput as error:
                    reason = str(error).removeprefix("to_torch: ")
                    raise InvalidInput(f"to_torch: {side}: block {i + 1}: {reason}") from None
                state |= {f"{side}.layers.{i}.{name}": array for name, array in arrays.items()}
            state |= {} if norm is None else norm_state(f"{side}.norm", norm, f"norm of the {side}")
        return with_all_biases(state)

    @public
    def memory(self, source: Array, mask: Mask = None) -> Array:
        """The source `(…, m, dim)` as its encoder gives it; mask: as in `MultiHead`, such as one for padding."""
        return Stack(Identity(), self.encoder, self.norms[0] or Identity())(source, mask)

    @public
    def __call__(self, source: Array, target: Array, *, source_mask: Mask = None, target_mask: Mask = None) -> Array:
        """The words after the decoder, `(…, n, dim)`, or the scores of a vocabulary, `(…, n, n_words)`.

        Parameters
        ----------
        source : (…, m, dim)
        target : (…, n, dim)
            the words so far.
        source_mask : for the encoder and for the cross-attention, such as `hopattn.padding`.
        target_mask : in addition to the heads' own mask.
        """
        norm, read_out = self.norms[1] or Identity(), self.read_out or Identity()
        decoder = Stack(Identity(), self.decoder, lambda words: read_out(norm(words)))
        return decoder(target, target_mask, source=self.memory(source, source_mask), source_mask=source_mask)


def greedy(next_scores: Callable[[Sequence[int]], Any], limit: int, end: int | None = None) -> tuple[int, ...]:
    """Write a text word by word, and return the numbers of its words, at most `limit` of them.

    next_scores: from the words written so far to one score for each word of a vocabulary, `(n_words,)`. end: the word
    that ends the text; it is the last one of the result. Of words with equal scores, up to rounding, the first is
    written. Raises `InvalidInput` for a limit below 1, and for scores that are not a vector of finite numbers.

    >>> greedy(lambda so_far: [1, 3 - len(so_far), 0], limit=9, end=0)
    (1, 1, 0)
    """
    limit = whole(limit, "limit", least=1)
    words: list[int] = []
    while len(words) < limit and (not words or words[-1] != end):
        scores = np.asarray(next_scores(tuple(words)), dtype=float)
        if scores.ndim != 1 or not scores.size or not np.all(np.isfinite(scores)):
            raise InvalidInput(f"next_scores: expected (n_words,) finite scores, not {quoted(scores)}")
        most = float(scores.max())
        words.append(int(np.argmax(scores >= most - TIE * abs(most))))
    return tuple(words)
