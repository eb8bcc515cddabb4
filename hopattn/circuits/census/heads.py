"""The census of layers: every measure of every head, one layer in memory at a time."""

from collections.abc import Callable, Iterable, Iterator
from typing import Annotated, Any, NamedTuple

import numpy as np

from hopattn.circuits.attention_only import AttentionOnly
from hopattn.circuits.census.matrices import Written, columns_of, compositions, head_copying, wide, written_by
from hopattn.circuits.census.measures import PARTNER
from hopattn.circuits.census.streamed import TokenPairs, measures_of
from hopattn.circuits.census.table import Census, HeadRow
from hopattn.circuits.scores import as_tokens
from hopattn.foundation.arrays import Array, as_numpy, max_safe_entry, require_finite, shaped, widened
from hopattn.foundation.boundary import Flag, Of, public
from hopattn.foundation.checks import each, entries_of, function, instance, whole
from hopattn.foundation.errors import InvalidInput, quoted
from hopattn.foundation.threads import blocks, workers
from hopattn.transformer.multi_head import MultiHead

FOLLOWED = 32
"""The number of queries of each head that are followed to a fixed point."""

WORDS_AT_ONCE = 4096
"""The number of words of a vocabulary that are read at once."""


class Layer(NamedTuple):
    """One layer as the census reads it. heads: its attention. states: the text that its heads read, `(n, dim)`."""

    number: int
    heads: MultiHead
    states: np.ndarray


@public
def head_census(
    layers: Any,
    tokens: Array,
    *,
    embed: Annotated[Array, Of("n_words dim")] = None,
    unembed: Annotated[Array, Of("n_words dim")] = None,
    composed: Flag = True,
    followed: Annotated[int, lambda value, what: whole(value, what, least=0)] = FOLLOWED,
    words: Annotated[Iterable[str] | None, lambda value, what: each(value, str, what)] = None,
    about: Annotated[str, lambda value, what: instance(value, str, what)] = "",
    report: Annotated[Callable[[int], object] | None, function] = None,
) -> Census:
    """Every measure of every head of a model for one text, each beside its value by chance.

    Parameters
    ----------
    layers
        a model of attention alone; or the layers in their order, each an object with `heads` (a `MultiHead`), `states`
        (the vectors that the heads read, `(n, dim)`) and, where it has one, `number`; or pairs of heads and states. A
        generator keeps one layer in memory at a time.
    tokens : of the text, `(n,)`, n ≥ 2, numbers or words; the measures of repeats are NaN where no token occurs twice.
    embed, unembed : (n_words, dim)
        for copying of words; one alone stands for both; without both, copying is that of the vectors.
    composed : whether heads are compared with those of earlier layers, whose matrices are kept.
    followed
        the number of queries of a head that are followed to a fixed point on its keys, where scores are dot products; 0
        for none.
    words : of the tokens, n texts; by default the tokens as text.
    about : the title of the table.
    report : called with the number of layers that are done.

    Raises
    ------
    InvalidInput : for layers and tokens that do not fit.

    Notes
    -----
    Scores, free energies and classes are those of `head_scores`, `Memory.free_energy` and
    `hopattn.retrieval.operating_class`, computed in chunks of queries: beside the states, one head's queries, keys and
    values, and a fixed number of scores are held. Source: Olsson et al. (2022), Elhage et al. (2021), Gu et al. (2025),
    Ramsauer et al. (2021) for the measures; Kobayashi et al. (2020), EMNLP, for the length of what a weighted value
    writes.

    Examples
    --------
    >>> import hopattn as ha
    >>> heads = ha.MultiHead([ha.Head(*[np.eye(2)] * 3, beta=1.0, mask="causal")], np.eye(2))
    >>> census = head_census([(heads, np.eye(2)[[0, 1, 0, 1]])], ["a", "b", "a", "b"])
    >>> round(census.matrix("duplicate_token").item(), 3), round(census.matrix("prefix_matching").item(), 3)
    (0.394, 0.145)
    """
    text = as_tokens(tokens)
    if text.ndim != 1 or len(text) < 2:
        raise InvalidInput(f"tokens: got shape {text.shape}; expected (n,) with at least two tokens")
    names = tuple(map(str, text.tolist())) if words is None else tuple(words)
    if len(names) != len(text):
        raise InvalidInput(f"words: got {len(names)}; expected {len(text)}, one for each token")
    pairs, through, earlier, rows = TokenPairs.of(text), _through(embed, unembed), list[Written](), list[HeadRow]()
    for layer in _layers(layers, text):
        columns, reads = columns_of(layer.heads), layer.heads.heads[0].query.dims[1]
        if through is not None:
            shaped(through, "embed", "dim dim", dim=reads)

        def row_of(i: int, layer: Layer = layer, columns: list[np.ndarray] = columns) -> HeadRow:
            head = layer.heads.heads[i]
            values, chances, operating_class = measures_of(head, columns[i], layer.states, pairs, followed)
            fits = columns[i].shape[0] == head.value.dims[1]
            values["copying"] = head_copying(head, columns[i], through) if fits else np.nan
            return HeadRow(layer.number, i, values, chances | {"copying": 0.0}, {}, operating_class)

        with workers() as share:  # with one thread of BLAS, which is slow on many small matrices
            layer_rows = share(row_of, [(i,) for i in range(len(columns))])
            if composed and earlier and len(layer.heads.w_out) == reads == len(earlier[-1].matrices):
                for name, (scores, partners) in compositions(layer.heads, earlier, share).items():
                    for row, score, partner in zip(layer_rows, scores.tolist(), partners, strict=True):
                        row.values[name], row.chances[name] = score, reads**-0.5
                        row.partners[f"{name}{PARTNER}"] = partner
            if composed:
                earlier.append(written_by(layer.number, layer.heads))
        rows += layer_rows
        if report is not None:
            report(len({row.layer for row in rows}))
    if not rows:
        raise InvalidInput("layers: expected at least one layer")
    return Census(
        about=about, tokens=len(text), rows=tuple(rows), copied="vectors" if through is None else "words", words=names
    )


def _layers(layers: Any, words: np.ndarray) -> Iterator[Layer]:
    """The layers, one after the other; raises `InvalidInput` for other objects, and for states that do not fit."""
    entries = layers.inputs(words) if isinstance(layers, AttentionOnly) else entries_of(layers, "layers")
    for i, entry in enumerate(entries):
        pair = (
            entry
            if isinstance(entry, tuple) and len(entry) == 2
            else (getattr(entry, "heads", entry), getattr(entry, "states", None))
        )
        heads, states = pair
        if not isinstance(heads, MultiHead):
            raise InvalidInput(f"layers: entry {i}: got {quoted(heads)}; expected a MultiHead and the states it reads")
        fit = heads.heads[0]._fit({"dim"})
        fit.sizes["n"] = len(words), "the tokens"
        text = fit(states, f"layers: entry {i}: states", Of("n dim", finite=True))
        yield Layer(int(getattr(entry, "number", i)), heads, as_numpy(text, f"layers: entry {i}: states"))


def _through(embed: Any, unembed: Any) -> np.ndarray | None:
    """EᵀU, `(dim, dim)`; None without both."""
    matrices = {name: matrix for name, matrix in (("embed", embed), ("unembed", unembed)) if matrix is not None}
    if not matrices:
        return None
    embed, unembed = ([*matrices.values()] * 2)[:2]
    for name, matrix in matrices.items():
        require_finite(matrix, name, max_safe_entry(matrix))
    parts = blocks(len(embed), WORDS_AT_ONCE)
    return np.asarray(sum(wide(widened(embed[part]).T @ widened(unembed[part])) for part in parts))
