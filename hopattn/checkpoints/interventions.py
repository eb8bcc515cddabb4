"""Interventions in a model: what a layer computes is replaced or left out; the part of a logit that each head writes.

A place of a layer is an array `(n, width)`: the words before it, the outputs of its heads side by side before W_O, or
the output of a sub-layer before its residual. A patch puts other numbers into some rows, and for a head into its
columns. Keys that are left out are masked, as in `Head.without`.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import numpy as np

from hopattn.checkpoints.plan import Plan
from hopattn.checkpoints.runs import Layer, Run
from hopattn.circuits.census.table import head_name
from hopattn.foundation.arrays import NumberOrArray, as_numpy, require_finite
from hopattn.foundation.checks import whole
from hopattn.foundation.errors import InvalidInput, quoted, reject_unknown
from hopattn.retrieval.masks import rows_taken
from hopattn.transformer.blocks import Block
from hopattn.transformer.feed_forward import FeedForward
from hopattn.transformer.multi_head import MultiHead
from hopattn.transformer.normalisation import Normalisation

PLACES = ("residual", "head", "attention", "feed_forward", "keys")
"""The places of a patch, the arrays in the order in which a layer computes them; those of a head are "head", and "keys"
if the patch names one."""
OfRun = Callable[[Run], np.ndarray]
"""From a run to the array of a place of the patched layer."""


@dataclass(frozen=True, eq=False)
class Patch:
    """A change of what a layer computes; `Checkpoint.patch` makes it, and says what the fields are."""

    place: str
    layer: int
    head: int | None
    at: Any
    value: NumberOrArray

    @classmethod
    def of(cls, plan: Plan, place: str, layer: int, head: int | None, at: Any, value: NumberOrArray) -> "Patch":
        """The patch of a model; raises `InvalidInput` for a place, a layer, a head or a value that does not fit it."""
        reject_unknown("place", [place], PLACES)
        whole(layer, "layer", least=0, most=plan.n_layers - (place != "residual"))
        if place == "head" or (place == "keys" and head is not None):
            whole(head, "head", least=0, most=plan.n_heads - 1)
        elif head is not None:
            raise InvalidInput(f"head: the place {quoted(place)} is not that of a head; leave it out")
        if place == "keys" and (isinstance(value, (str, Run)) or np.any(value)):
            raise InvalidInput("value: keys are left out, and nothing replaces them; leave it out")
        if place == "keys" and at is None:
            raise InvalidInput("at: is missing; expected the positions of the keys that are left out")
        if isinstance(value, Run):
            if (len(value.states), value.states[0].shape[-1]) != (plan.n_layers + 1, plan.dim):
                raise InvalidInput("value: the run is of another model")
        elif isinstance(value, str):
            reject_unknown("value", [value], ["mean"])
        else:
            value = as_numpy(value, "value")
            require_finite(value, "value")
        return cls(place, layer, head, at, value)

    def rows(self, n: int) -> list[int]:
        """The positions of the patch in a text of n tokens; raises `InvalidInput` for those that it lacks."""
        return list(rows_taken(range(n) if self.at is None else self.at, n, "at"))

    def put_into(self, array: np.ndarray, n_heads: int, of_run: OfRun) -> np.ndarray:
        """The array of the place with the patch, for n_heads side by side in it; of_run: as in `with_patches`."""
        n, width = len(array), array.shape[-1] // n_heads
        rows, first = self.rows(n), width * (self.head or 0)
        columns, copy = slice(first, first + width), array.copy()
        if isinstance(self.value, Run):
            if (length := len(self.value.states[self.layer])) != n:
                raise InvalidInput(f"value: got a run of {length} tokens; expected {n}, as many as the text has")
            copy[rows, columns] = of_run(self.value)[rows, columns]
        elif isinstance(self.value, str):
            copy[rows, columns] = array[:, columns].mean(axis=0)
        else:
            if self.value.shape not in ((), (width,), (len(rows), width)):
                forms = f"a number, ({width},) or ({len(rows)}, {width})"
                raise InvalidInput(f"value: got shape {self.value.shape}; expected {forms}")
            copy[rows, columns] = self.value
        return copy


def with_patches(
    patches: Iterable[Patch], place: str, array: np.ndarray, of_run: OfRun, n_heads: int = 1
) -> np.ndarray:
    """The array of a place with the patches that are of this place.

    of_run: from a run to this array, for patches with the value of another run.
    """
    for patch in patches:
        if patch.place == place:
            array = patch.put_into(array, n_heads, of_run)
    return array


def patched(block: Block, words: np.ndarray, patches: Sequence[Patch]) -> Any:
    """The words after a layer that some patches within it change."""
    if not patches:
        return block(words)
    heads = list(block.attention.heads)
    for patch in patches:
        if patch.place == "keys":
            for i in range(len(heads)) if patch.head is None else [patch.head]:
                heads[i] = heads[i].without(patch.rows(len(words)))
    of_run = _of_runs(block, patches[0].layer)

    def change(place: str, compute: Callable[[], Any]) -> Any:
        n_heads = len(heads) if place == "head" else 1
        return with_patches(patches, place, compute(), partial(of_run, place), n_heads)

    return after(replace(block, attention=MultiHead(heads, block.attention.out)), words, change)


def alternatives(
    block: Block, words: np.ndarray, patches: Sequence[Patch]
) -> tuple[np.ndarray, Callable[[slice], Any], np.ndarray]:
    """A layer with one patch at a time: the words before it, a function to the words after it, and the idle patches.

    patches: of one place of this layer; patches of "keys" are of all heads. The words before the layer are `words`,
    `(n, dim)`, or `(n_patches, n, dim)` if the patches change them. The function takes a slice of the patches and
    returns the words after the layer, `(n_chunk, n, dim)`. The arrays up to the place are computed once. The last
    array, `(n_patches,)`, is True where a patch puts in what is there.
    """
    place, n = patches[0].place, len(words)
    if place == "keys":
        visible = np.ones((len(patches), 1, n), bool)
        for row, patch in zip(visible, patches, strict=True):
            row[:, patch.rows(n)] = False
        texts = np.broadcast_to(words, (len(patches), *words.shape))
        return words, lambda chunk: block(texts[chunk], visible[chunk]), np.zeros(len(patches), bool)
    arrays, of_run = places_of(block, words, place), partial(_of_runs(block, patches[0].layer), place)
    n_heads = len(block.attention.heads) if place == "head" else 1
    variants = np.stack([patch.put_into(arrays[place], n_heads, of_run) for patch in patches])

    def of_chunk(chunk: slice) -> Any:
        def change(name: str, compute: Callable[[], Any]) -> Any:
            return variants[chunk] if name == place else arrays[name] if name in arrays else compute()

        return after(block, words, change)

    return variants if place == "residual" else words, of_chunk, (variants == arrays[place]).all(axis=(1, 2))


def _of_runs(block: Block, layer: int) -> Callable[[str, Run], np.ndarray]:
    """From a place and a run to the array of a place of a layer, which is computed once."""
    return cache(lambda place, run: places_of(block, run.states[layer], place)[place])


def places_of(block: Block, words: np.ndarray, last: str = PLACES[3]) -> dict[str, np.ndarray]:
    """The arrays of the places of a layer up to the last one, for the words before it."""
    arrays = dict[str, np.ndarray]()

    def note(place: str, compute: Callable[[], Any]) -> Any:
        return words if last in arrays else arrays.setdefault(place, compute())

    after(block, words, note)
    return arrays


def after(block: Block, words: np.ndarray, change: Callable[[str, Callable[[], Any]], Any]) -> Any:
    """The words after a layer. change: from the name of a place, and a function that computes its array, to the array.

    Arrays of a batch `(n_texts, n, width)` make a batch of all that follows.
    """

    def attend(heads: MultiHead, *inputs: Any, **options: Any) -> Any:
        outputs = change("head", lambda: heads.outputs(*inputs, **options))
        return change("attention", lambda: heads.out(outputs))

    def feed(layer: FeedForward, states: Any) -> Any:
        return change("feed_forward", lambda: layer(states))

    return block.computed_with(attend, change("residual", lambda: words), feed=feed).state


def attributed(layer: Layer, place: int) -> dict[str, np.ndarray]:
    """The vectors `(dim,)` that the parts of a layer add to the word at a position, by name; their sum is its change.

    A norm after a sub-layer has its scale held, as `Normalisation.held` says.
    """
    heads, arrays = layer.heads, places_of(layer.block, layer.residual)
    n, out = len(heads.heads), heads.out
    outputs = arrays["head"][place].reshape(n, 1, -1)
    writings = (out.weight.reshape(out.dims[0], n, -1).swapaxes(0, 1) * outputs).sum(axis=-1)
    bias = np.zeros_like(writings[:1]) if out.bias is None else out.bias[None]
    norms = layer.block.norms_after
    rows = _held(norms[0], np.concatenate([writings, bias]), arrays["attention"][place])
    names = [*(head_name(layer.number, i) for i in range(n)), f"{layer.number + 1}.bias"]
    name, feed_forward = f"{layer.number + 1}.feed_forward", arrays["feed_forward"][place]
    return dict(zip(names, rows, strict=True)) | {name: _held(norms[1], feed_forward, feed_forward)}


def _held(norm: Any, parts: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """The parts after a norm with the scale of the whole; the parts themselves where there is no norm."""
    return norm.held(parts, whole) if isinstance(norm, Normalisation) else parts
