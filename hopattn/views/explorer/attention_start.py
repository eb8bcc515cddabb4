"""A scenario with layers of attention, as the page holds it: in the attention view, or in the induction view."""

from typing import Any

import numpy as np

from hopattn.foundation.errors import InvalidInput
from hopattn.foundation.registry import name_of
from hopattn.retrieval.masks import MaskRule
from hopattn.scenario.kinds.attention import Attention
from hopattn.scenario.kinds.layers import Projection
from hopattn.scenario.words.vocabulary import WORD
from hopattn.transformer.heads import Head
from hopattn.views.explorer.controls import require_names, require_size, require_within, separated, widest_axes

START = "<start>"
"""The token before the text in the induction view."""

PARTS = {"position", WORD, "previous", "expected"}
PROJECTIONS: tuple[dict[str, dict[str, Any]], ...] = (
    {
        "query": {"from": "position"},
        "key": {"from": "position", "rotate": 1},
        "value": {"from": WORD, "to": "previous"},
    },
    {"query": {"from": WORD}, "key": {"from": "previous"}, "value": {"from": WORD, "to": "expected"}},
)
"""The projections of the two layers of the induction head."""


def attention_state(spec: Attention) -> dict[str, Any]:
    """The attention view of a text, its words and its heads.

    Raises `InvalidInput` for a scenario with parts that the view does not have.
    """
    _require_plain(spec)
    heads = [_head(head, name) for name, head in spec.heads().items()]
    per_layer = len(spec.layer[0].head)
    layers = [heads[i : i + per_layer] for i in range(0, len(heads), per_layer)]
    if any(layer != layers[0] for layer in layers) or len({layer.residual for layer in spec.layer}) > 1:
        raise InvalidInput("layer: the layers differ; the attention view repeats one layer")
    words, axes = spec.encoding.words, list(spec.encoding.axes)
    for size, count in (("axes", len(axes)), ("words", len(words)), ("tokens", len(spec.input.tokens))):
        require_size(size, count, size)
    require_size("heads", per_layer, "layer.head")
    require_names([*axes, *words], "names")
    unit = all(abs(float(np.linalg.norm(vector)) - 1) <= 1e-6 for vector in words.values())
    state = {"steps": len(layers), "residual": spec.layer[0].residual, "unit": unit}
    require_within("attention", state, "layer")
    across, up = _plane(spec, axes)
    token = _hero(spec)
    return state | {
        "axes": axes,
        "words": [[word, vector.tolist()] for word, vector in words.items()],
        "tokens": spec.input.tokens,
        "heads": layers[0],
        "head": 0,
        "across": across,
        "up": up,
        "token": token,
        "key": max(0, token - 1),
    }


def _hero(spec: Attention) -> int:
    """The token of interest: a word that its figures or expectations name, or else the last."""
    tokens = spec.input.tokens
    named = [*spec.figure.highlight, *(word for expectation in spec.expect for word in expectation.words)]
    hero = next((word for word in named if word in tokens), tokens[-1])
    return len(tokens) - 1 - tokens[::-1].index(hero)


def _require_plain(spec: Attention) -> None:
    """Raise `InvalidInput` for a part of a scenario that the attention view does not have."""
    for key in ("queries", "padding", "batch"):
        if getattr(spec.input, key) is not None:
            raise InvalidInput(f"input.{key}: the attention view has one text that attends to itself")
    if spec.positions is not None or set(spec.encoding.parts) != {WORD}:
        raise InvalidInput("positions: the attention view has words without positions")
    if any(layer.full for layer in spec.layer) or len({len(layer.head) for layer in spec.layer}) > 1:
        raise InvalidInput("layer: the attention view has heads alone, the same number in each layer")


def _head(head: Head, name: str) -> dict[str, Any]:
    """The settings and matrices of a head; a matrix that changes nothing is None."""
    if head.position is not None or head.bias is not None or not isinstance(head.mask, MaskRule):
        raise InvalidInput(f"{name}: the page has no rotary positions, no bias, and no mask given as a table")
    width, dim = head.value.dims
    if width != dim:
        raise InvalidInput(f"{name}: the page has values of as many numbers as a word has, {dim}, not {width}")
    parts = head.retrieval
    settings = {
        "similarity": name_of(parts.similarity),
        **separated(parts.separation, f"{name}: the page"),
        "mask": getattr(head.mask, "name", name_of(head.mask)),
        "activation": name_of(parts.activation),
    }
    require_within("head", settings, name)
    matrices = {"query": head.w_query, "key": head.w_key, "value": head.w_value}
    for role, matrix in matrices.items():
        settings[role] = None if np.array_equal(matrix, np.eye(len(matrix))) else np.asarray(matrix).tolist()
    return settings


def _plane(spec: Attention, axes: list[str]) -> tuple[int, int]:
    """The two axes of the plane: those of the scenario's figures, or the two on which the words differ most."""
    if spec.figure.axes is not None and set(spec.figure.axes) <= set(axes):
        across, up = spec.figure.axes
        return axes.index(across), axes.index(up)
    return widest_axes(spec.encoding.words)


def induction_state(spec: Attention) -> dict[str, Any]:
    """The induction view of a text; raises `InvalidInput` unless the scenario is an induction head of two layers."""
    turn = None if spec.positions is None else spec.positions.turn
    if set(spec.spaces) != PARTS or turn is None or [len(layer.head) for layer in spec.layer] != [1, 1]:
        raise InvalidInput("layer: positions are only shown for the induction head of two layers")
    first, second = (layer.head[0] for layer in spec.layer)
    for head, wanted in zip((first, second), PROJECTIONS, strict=True):
        if any(head.projection(role) != Projection(**given) for role, given in wanted.items()):
            raise InvalidInput("layer.head: the induction view has the projections of the scenario 'induction'")
    one, two = (_head(head, name) for name, head in spec.heads().items())
    shared = {key: one[key] for key in ("separation", "beta", "mask")}
    if any(two[key] != value for key, value in shared.items()) or two["activation"] != "identity":
        raise InvalidInput("layer.head: the two heads of the induction view have the same separation, β and mask")
    tokens = list(spec.input.tokens)
    start = tokens[0] == START
    state = {**shared, "turn": turn, "start": start, "activation": one["activation"]}
    require_within("induction", state, "layer")
    require_size("inductionTokens", len(tokens) - start, "input.tokens")
    require_names(tokens, "input.tokens")
    return state | {"tokens": tokens[start:]}
