"""A checkpoint: the folder of a released model, its heads, its layers for a text, its logits."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hopattn.checkpoints.families import FAMILIES
from hopattn.checkpoints.fields import Fields
from hopattn.checkpoints.folder import CONFIG, arrays_in, table_in
from hopattn.checkpoints.parts import Parts
from hopattn.checkpoints.plan import Plan
from hopattn.foundation.arrays import as_array, read_by_numpy
from hopattn.foundation.checks import instance, path_of, whole
from hopattn.foundation.declared import shaped
from hopattn.foundation.errors import InvalidInput, reject_unknown, shortened
from hopattn.foundation.in_range import in_range
from hopattn.transformer.blocks import Block
from hopattn.transformer.heads import Head
from hopattn.transformer.multi_head import MultiHead


@dataclass(frozen=True, eq=False)
class Layer:
    """A layer of a model, and the text as it comes in.

    number: of the layer, from 0. block: the layer. residual: the words before it, `(n, dim)`. states: the words that
    its heads read, `(n, dim)`: `layer.heads(layer.states)` is the output of the attention, and
    `layer.heads.trace(layer.states)` has its weights.
    """

    number: int
    block: Block
    residual: np.ndarray
    states: np.ndarray

    @property
    def heads(self) -> MultiHead:
        """The heads, with their masks, windows, positions, norms, sinks and caps."""
        return self.block.attention


@dataclass(frozen=True, eq=False)
class Run:
    """A model's answer to a text. states: the words before each layer and after the last, each `(n, dim)`.

    logits: `(n, n_tokens)`; None where the folder holds no arrays for them.
    """

    states: tuple[np.ndarray, ...]
    logits: np.ndarray | None


class Checkpoint:
    """A released model in a folder with `config.json` and `model.safetensors`, or the files that its index names.

    path: the folder. missing: values of fields that its `config.json` lacks, by name, as the model's authors state
    them. Families: GPT-2, GPT-NeoX and Pythia, Llama, Mistral, Qwen 2 and 3, Gemma 2, BERT; of gpt-oss the attention.

    Arrays are mapped into memory and read layer by layer; half precision (BF16, F16) is widened to single precision,
    in which the model is then computed. Nothing is downloaded, and pickles are never loaded. family: the `model_type`.
    plan: the sizes and options, such as `plan.n_layers`, `plan.n_heads` and `plan.dim`.

    Raises `InvalidInput` for a file that is missing, truncated or damaged; for another family; for a field that is
    missing, not known, or of a value that is not computed; for arrays that are missing, not known or of another shape.
    """

    def __init__(self, path: str | os.PathLike[str], *, missing: Mapping[str, Any] | None = None) -> None:
        folder = path_of(path, "path")
        if not folder.is_dir():
            raise InvalidInput(f"path: there is no folder '{shortened(folder)}'; nothing is downloaded")
        table = table_in(folder / CONFIG)
        for name, value in instance(missing or {}, Mapping, "missing", "values by the name of a field").items():
            if name in table:
                raise InvalidInput(f"missing: {CONFIG} has the field '{shortened(name)}'; leave it out")
            table[name] = value
        kind = str(table.get("model_type"))
        reject_unknown(f"{CONFIG}: model_type", [kind], FAMILIES)
        family = FAMILIES[kind]
        self.path, self.family = folder, kind
        self.plan = Plan.of(Fields(table, CONFIG, family.older), family)
        self._parts = Parts.of(family, self.plan, arrays_in(folder))

    def __repr__(self) -> str:
        plan = self.plan
        return f"Checkpoint({self.family}: {plan.n_layers} layers of {plan.n_heads} heads, dim {plan.dim})"

    def head(self, layer: int, head: int) -> Head:
        """One head of a layer, both counted from 0; it reads the `states` of a `Layer`."""
        return self.multi_head(layer).heads[whole(head, "head", least=0, most=self.plan.n_heads - 1)]

    def multi_head(self, layer: int) -> MultiHead:
        """All heads of a layer, counted from 0, with W_O."""
        return self._parts.multi_head(whole(layer, "layer", least=0, most=self.plan.n_layers - 1))

    def block(self, layer: int) -> Block:
        """A layer, counted from 0; raises `InvalidInput` for a family whose feed-forward layers are not read."""
        self._require_feeding()
        return self._parts.block(whole(layer, "layer", least=0, most=self.plan.n_layers - 1))

    def layers(self, ids: Any, kinds: Any = None) -> Iterator[Layer]:
        """The layers one after another, each with the words that reach it; no layer is kept.

        ids: the numbers of the text's tokens, `(n,)`. kinds: of each token, `(n,)`, for a family with such, 0 by
        default (BERT's token types). Raises `InvalidInput` for numbers that are no tokens, for a text longer than the
        learned positions, and for a family whose feed-forward layers are not read.
        """
        return self._walk(self._embedded(ids, kinds))

    def run(self, ids: Any, kinds: Any = None) -> Run:
        """The states and logits of a text; the arguments are those of `layers`."""
        states = [self._embedded(ids, kinds)]
        for number in range(self.plan.n_layers):
            states.append(np.asarray(self._parts.block(number)(states[-1])))
        return Run(tuple(states), self.logits(states[-1]) if self._parts.has_logits else None)

    @in_range
    def logits(self, states: Any) -> np.ndarray:
        """The logits `(n, n_tokens)` of words `(n, dim)` after the last layer; of those before, the logit lens.

        Raises `InvalidInput` where the folder holds no arrays for them.
        Source: nostalgebraist (2020), Interpreting GPT: the logit lens.
        """
        if not self._parts.has_logits:
            raise InvalidInput(f"logits: '{shortened(self.path)}' holds no arrays for them")
        return self._parts.logits(np.asarray(shaped(states, "states", "… dim", dim=self.plan.dim)))

    @property
    def embedding(self) -> np.ndarray:
        """The vector of each token, `(n_tokens, dim)`, as the file has it: without a scale or a position."""
        return self._parts.of_tokens("embedding")

    @property
    def unembedding(self) -> np.ndarray | None:
        """The vector by which the logit of each token is read, `(n_tokens, dim)`, without the norm before it.

        None where the folder holds no arrays for logits.
        """
        return self._parts.of_tokens(self._parts.unembedding) if self._parts.has_logits else None

    def _walk(self, words: np.ndarray) -> Iterator[Layer]:
        """Each layer with the words before it, which the layer before has computed."""
        for number in range(self.plan.n_layers):
            block = self._parts.block(number)
            yield Layer(number, block, words, np.asarray(block.norms[0](words) if block.norm_first else words))
            words = np.asarray(block(words))
            del block  # so that one layer is held at a time

    def _embedded(self, ids: Any, kinds: Any) -> np.ndarray:
        self._require_feeding()
        plan = self.plan
        tokens = _numbers(ids, "ids", plan.n_tokens)
        if plan.n_places is not None and len(tokens) > plan.n_places:
            raise InvalidInput(f"ids: got {len(tokens):,} tokens; the model has learned {plan.n_places:,} positions")
        if kinds is not None and plan.n_kinds is None:
            raise InvalidInput(f"kinds: {self.family} has no kinds of tokens; leave it out")
        of_tokens = None if kinds is None else _numbers(kinds, "kinds", plan.n_kinds or 0)
        if of_tokens is not None and len(of_tokens) != len(tokens):
            raise InvalidInput(f"kinds: got {len(of_tokens)}; expected {len(tokens)}, one for each token")
        return self._parts.embedded(tokens, of_tokens)

    def _require_feeding(self) -> None:
        if not self._parts.family.feeds:
            cure = "head and multi_head give its attention"
            raise InvalidInput(f"{self.family}: its feed-forward layers, which choose experts, are not read; {cure}")


def _numbers(values: Any, what: str, n: int) -> np.ndarray:
    """Whole numbers from 0 to n − 1, `(n_numbers,)`; raises `InvalidInput` for others, and for none."""
    given = read_by_numpy(as_array(values, what), what)
    if given.ndim != 1 or not given.size or given.dtype.kind not in "iu":
        raise InvalidInput(
            f"{what}: got {given.dtype} of shape {given.shape}; expected whole numbers (n,), at least one"
        )
    if (wrong := (given < 0) | (given >= n)).any():
        first = int(np.argmax(wrong))
        raise InvalidInput(f"{what}: entry {first} is {given[first]}; expected 0 to {n - 1:,}")
    return given.astype(np.int64)
