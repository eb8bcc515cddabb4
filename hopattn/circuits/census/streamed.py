"""The measures of the attention of one head, in chunks of queries: no matrix of all scores is held.

Each measure is a sum over rows of the weights. A chunk holds whole rows, so that every formula is that of the plain
form: `circuits/head_scores.py`, `retrieval/free_energy.py`, `retrieval/weight_spread.py`.

A head can be iterated in three ways: on its keys, q ← ∇Φ(Kᵀ p); through its values and the next query; through the
whole layer and the residual stream. The census follows the first one, whose energy never rises.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hopattn.foundation.arrays import in_numbers_of, widened
from hopattn.foundation.errors import InvalidInput, quoted
from hopattn.foundation.threads import blocks
from hopattn.foundation.vectors import nonzero
from hopattn.retrieval.free_energy import free_energy
from hopattn.retrieval.masks import MaskRule, NoMask, PositionRule, Without, masks_of, rows_taken, spread
from hopattn.retrieval.separation.base import Separation, with_sink
from hopattn.retrieval.step import Retrieval, biased
from hopattn.retrieval.weight_spread import FEWEST_KEYS, class_of, least_number
from hopattn.transformer.attention import own_bias, split_bias
from hopattn.transformer.heads import Head
from hopattn.transformer.positions.alibi import Alibi

SCORES_OF_CHUNK = 2**18
"""The number of scores of a chunk: 2 MiB in double precision."""
STEPS_TO_FIXED_POINT = 100
"""The most steps to a fixed point."""
STILL = 1e-6
"""The length of a step, beside that of the query, at which a query is at a fixed point."""
OF_ATTENTION = ("previous_token", "duplicate_token", "prefix_matching", "attention_sink", "sink_by_norm")
"""The measures that are linear in the weights of a row, each with the value of even attention as its chance."""


class TokenPairs(NamedTuple):
    """The tokens of a text as numbers, `(n,)`, and the number of tokens that occurred before."""

    codes: np.ndarray
    repeated: int

    @classmethod
    def of(cls, tokens: np.ndarray) -> "TokenPairs":
        """The pairs of a text `(n,)` of numbers or words."""
        words, codes = np.unique(tokens, return_inverse=True)
        return cls(codes.reshape(-1), len(codes) - len(words))

    def copies(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """For some rows, the pairs of an entry of `rows` and an earlier place with the same token."""
        own, place = np.nonzero(self.codes[rows][:, None] == self.codes[: rows[-1] + 1])
        earlier = place < rows[own]
        return own[earlier], place[earlier]


class Weighed(NamedTuple):
    """Rows of the attention of a head. weights, scores: `(c, m)`; where: their mask, or None.

    separation: whose weights of the scores these are. unit: its β over that of the head, 1 without a bias.
    """

    weights: np.ndarray
    scores: np.ndarray
    where: np.ndarray | None
    separation: Separation
    unit: float


@dataclass(frozen=True, eq=False)
class StreamedHead:
    """The queries, keys and values of a head for a text, `(n, …)`, and rows of its attention on demand."""

    head: Head
    step: Retrieval
    queries: np.ndarray
    keys: np.ndarray
    values: np.ndarray

    @classmethod
    def of(cls, head: Head, states: np.ndarray) -> "StreamedHead":
        """The head for a text `(n, dim)`; raises `InvalidInput` where one row of its attention needs all others."""
        step = head.retrieval
        rules = [part for part in masks_of(head.mask) if isinstance(part, MaskRule) and not isinstance(part, Without)]
        if not step.similarity.by_pairs or not all(rule.by_pairs for rule in rules):
            part = next((rule for rule in rules if not rule.by_pairs), step.similarity)
            raise InvalidInput(f"census: {quoted(part)} cannot be computed for a chunk of queries")
        if (sink := step.separation.sink) is not None:
            step = Retrieval(step.similarity, with_sink(step.separation, float(sink)), step.activation)
        return cls(head, step, *map(np.asarray, head.mapped(states)))

    @property
    def looks_back(self) -> bool:
        """Whether no query sees a later key, by a rule of positions."""
        ahead = -np.arange(1, len(self.keys))
        rules = [part for part in masks_of(self.head.mask) if isinstance(part, PositionRule)]
        return any(not rule.sees(ahead).any() for rule in rules)

    def weigh(self, cues: np.ndarray, rows: np.ndarray, last: int) -> Weighed:
        """The attention of cues `(c, dim)` at these rows of the text, over the keys before `last`."""
        stored, separation = self.keys[:last], self.step.effective_separation
        scores = self.step.scores(cues, stored)
        where = self._where(cues, rows, stored, scores)
        if self.head.bias is not None:
            allowed, finite = split_bias(self._bias(rows, last))
            scores, separation = biased(scores, in_numbers_of(scores, finite), separation)
            where = allowed if where is None else where & allowed
        weights = separation.weights(scores, where)
        return Weighed(weights, scores, where, separation, separation.beta / self.step.effective_separation.beta)

    def _bias(self, rows: np.ndarray, last: int) -> np.ndarray:
        """The head's own bias of these rows, `(c, last)`."""
        if isinstance(self.head.bias, Alibi):
            return self.head.bias.at(rows[:, None] - np.arange(last))
        return np.asarray(own_bias(self.head.bias, (len(self.keys), len(self.keys)))[rows, :last])

    def _where(self, cues: np.ndarray, rows: np.ndarray, stored: np.ndarray, scores: np.ndarray) -> np.ndarray | None:
        """The mask of these rows, `(c, last)`, without that of a bias; None where nothing is masked."""
        where: np.ndarray | None = None
        n, last = len(self.keys), len(stored)
        for part in masks_of(self.head.mask):
            if isinstance(part, NoMask):
                continue
            if isinstance(part, PositionRule):
                seen = part.sees(rows[:, None] - np.arange(last))
            elif isinstance(part, Without):
                asking = np.isin(rows, np.arange(n) if part.at is None else rows_taken(part.at, n, "at"))
                seen = ~(asking[:, None] & np.isin(np.arange(last), rows_taken(part.keys, n, "token")))
            elif isinstance(part, MaskRule):
                seen = np.asarray(self.step.allowed(part, scores, cues, stored))
            else:
                seen = spread(part, (n, n))[rows, :last]
            where = seen if where is None else where & seen
        return where


def measures_of(
    head: Head, w_out: np.ndarray | None, states: np.ndarray, pairs: TokenPairs, followed: int
) -> tuple[dict[str, float], dict[str, float], str]:
    """The measures of the attention of one head, their values by chance, and its operating class.

    w_out: the columns of the layer's output matrix that belong to the head, or None. states: `(n, dim)`. followed: the
    number of queries, evenly spaced, that are followed to a fixed point.
    """
    streamed, n = StreamedHead.of(head, states), len(states)
    lengths = _written_lengths(streamed.values, w_out)
    looks_back, has_entropy = streamed.looks_back, not streamed.step.effective_separation.why_no_entropy
    sums, even, others = np.zeros(5), np.zeros(5), np.zeros(5)
    least, visible = np.zeros(n, np.int64), np.zeros(n, np.int64)
    for chunk in blocks(n, max(SCORES_OF_CHUNK // n, 1)):
        rows = np.arange(n)[chunk]
        last = rows[-1] + 1 if looks_back else n
        found, copies = streamed.weigh(streamed.queries[chunk], rows, int(last)), pairs.copies(rows)
        sums += _row_sums(found.weights, rows, copies, lengths)
        seen = np.ones(found.weights.shape, bool) if found.where is None else found.where
        visible[chunk] = seen.sum(axis=1)
        even += _row_sums(seen / np.maximum(visible[chunk], 1)[:, None], rows, copies, lengths)
        if found.separation.sink is not None:
            others[4] += found.separation.rest(found.scores, found.where).sum(dtype=np.float64)
        if has_entropy:
            least[chunk] = least_number(found.weights)
            others[:4] += _free_energy_sums(found)
    counts = np.array([max(n - 1, 1), pairs.repeated or np.nan, pairs.repeated or np.nan, n, n])
    names = ("energy", "entropy", "free_energy", "effective_keys")
    values = dict(zip(OF_ATTENTION, (sums / counts).tolist(), strict=True))
    values |= dict(zip(names, (others[:4] / n if has_entropy else np.full(4, np.nan)).tolist(), strict=True))
    values["null_weight"] = float(others[4] / n) if streamed.step.separation.sink is not None else np.nan
    if has_entropy and followed and streamed.step.similarity.linear:
        values |= _at_fixed_points(streamed, followed)
    chances = dict(zip(OF_ATTENTION, (even / counts).tolist(), strict=True))
    chances["effective_keys"] = float(visible.mean())
    classed = has_entropy and np.any((least > 0) & (visible >= FEWEST_KEYS))
    return values, chances, str(class_of(least, visible)) if classed else ""


def _row_sums(
    weights: np.ndarray, rows: np.ndarray, copies: tuple[np.ndarray, np.ndarray], lengths: np.ndarray
) -> np.ndarray:
    """The sums over rows of the weights `(c, m)` of each measure of `OF_ATTENTION`."""
    own, place = copies
    later = np.flatnonzero(rows > 0)
    first, written = weights[:, 0], weights @ lengths[: weights.shape[1]]
    parts = (
        weights[later, rows[later] - 1],
        weights[own, place],
        weights[own, place + 1],
        first,
        first * lengths[0] / nonzero(written),
    )
    return np.array([part.sum(dtype=np.float64) for part in parts])


def _written_lengths(values: np.ndarray, w_out: np.ndarray | None) -> np.ndarray:
    """|W_O v| of each value, `(n,)`, or |v| without W_O."""
    wide = widened(values)
    if w_out is None:
        return np.asarray(np.linalg.norm(wide, axis=1))
    parts = blocks(len(wide), max(SCORES_OF_CHUNK // len(w_out), 1))
    return np.concatenate([np.linalg.norm(wide[part] @ w_out.T, axis=1) for part in parts])


def _free_energy_sums(found: Weighed) -> np.ndarray:
    """The sums over rows of U, S, F and the effective keys."""
    one = free_energy(found.separation, found.scores, found.where)
    parts = one.energy * found.unit, one.entropy, one.free * found.unit, one.effective_keys
    return np.array([part.sum(dtype=np.float64) for part in parts])


def _at_fixed_points(streamed: StreamedHead, followed: int) -> dict[str, float]:
    """The measures of one step beside the fixed point: means over the queries that come to one."""
    n = len(streamed.keys)
    rows = np.unique(np.linspace(0, n - 1, min(followed, n)).round().astype(np.int64))
    changes, keys, reached = list[np.ndarray](), list[np.ndarray](), 0
    for chunk in blocks(len(rows), max(SCORES_OF_CHUNK // n, 1)):
        some = rows[chunk]
        start = widened(streamed.queries[some])
        ended, still = _followed(streamed, start, some)
        one, last = (streamed.weigh(cues[still], some[still], n) for cues in (start, ended))
        changes.append(0.5 * np.abs(one.weights - last.weights).sum(axis=1))
        keys.append(free_energy(last.separation, last.scores, last.where).effective_keys)
        reached += int(still.sum())
    values = [float(np.concatenate(parts).mean()) if reached else np.nan for parts in (changes, keys)]
    return {
        "fixed_point_change": values[0],
        "fixed_point_keys": values[1],
        "fixed_point_reached": reached / len(rows),
    }


def _followed(streamed: StreamedHead, cues: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The cues `(c, dim)` after q ← ∇Φ(Kᵀ p) until a step is short, and whether each came to that."""
    step, keys = streamed.step, widened(streamed.keys)
    still = np.zeros(len(cues), bool)
    for _ in range(STEPS_TO_FIXED_POINT):
        weights = streamed.weigh(cues, rows, len(keys)).weights
        after = np.where(still[:, None], cues, step.activate(weights @ keys, 1.0, cues))
        moved = np.linalg.norm(after - cues, axis=1)
        still |= moved <= STILL * np.linalg.norm(after, axis=1)
        cues = after
        if still.all():
            break
    return cues, still
