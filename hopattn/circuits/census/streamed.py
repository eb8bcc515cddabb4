"""The measures of the attention of one head, in chunks of queries: no matrix of all scores is held.

Each measure is a sum over rows of the weights. A chunk holds whole rows, so that every formula is that of the plain
form: `circuits/scores.py`, `retrieval/free_energies.py`, `retrieval/weight_spread.py`.

A head can be iterated in three ways: on its keys, q ← ∇Φ(Kᵀ p); through its values and the next query; through the
whole layer and the residual stream. The census follows the first one, whose energy never rises.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hopattn.foundation.arrays import widened
from hopattn.foundation.errors import InvalidInput, quoted
from hopattn.foundation.threads import blocks
from hopattn.foundation.vectors import nonzero
from hopattn.positions.distance_biases import Alibi
from hopattn.retrieval.free_energies import free_energy
from hopattn.retrieval.masks import MaskRule, NoMask, PositionRule, Without, rows_taken, split_bias, spread, terms_of
from hopattn.retrieval.separation.base import Separation, biased, with_sink
from hopattn.retrieval.step import Step
from hopattn.retrieval.weight_spread import FEWEST_KEYS, class_of, least_number
from hopattn.transformer.heads import Head
from hopattn.transformer.scaled_dot_product import own_bias

SCORES_OF_CHUNK = 2**18
"""The number of scores of a chunk: 2 MiB in double precision."""
STEPS_TO_FIXED_POINT = 100
"""The most steps to a fixed point."""
FIXED_POINT = 1e-6
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
        entry, place = np.nonzero(self.codes[rows][:, None] == self.codes[: rows[-1] + 1])
        earlier = place < rows[entry]
        return entry[earlier], place[earlier]


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
    step: Step
    queries: np.ndarray
    keys: np.ndarray
    values: np.ndarray

    @classmethod
    def of(cls, head: Head, states: np.ndarray) -> "StreamedHead":
        """The head for a text `(n, dim)`; raises `InvalidInput` where one row of its attention needs all others."""
        step = head.retrieval
        rules = [part for part in terms_of(head.mask) if isinstance(part, MaskRule) and not isinstance(part, Without)]
        if not step.similarity.by_pairs or not all(rule.by_pairs for rule in rules):
            part = next((rule for rule in rules if not rule.by_pairs), step.similarity)
            raise InvalidInput(f"census: {quoted(part)} cannot be computed for a chunk of queries")
        if (sink := step.separation.sink) is not None:
            step = Step(step.similarity, with_sink(step.separation, float(sink)), step.activation)
        return cls(head, step, *map(np.asarray, head.mapped(states)))

    @property
    def looks_back(self) -> bool:
        """Whether no query sees a later key, by a rule of positions."""
        ahead = -np.arange(1, len(self.keys))
        rules = [mask for mask in terms_of(self.head.mask) if isinstance(mask, PositionRule)]
        return any(not rule.sees(ahead).any() for rule in rules)

    def weigh(self, cues: np.ndarray, rows: np.ndarray, last: int) -> Weighed:
        """The attention of cues `(c, dim)` at these rows of the text, over the keys before `last`."""
        keys, separation = self.keys[:last], self.step._effective_separation
        scores = self.step.scores(cues, keys)
        where = self._where(cues, rows, keys, scores)
        if self.head.bias is not None:
            visible, finite = split_bias(self._bias(rows, last))
            scores, separation = biased(scores, finite, separation)
            where = where if visible is None else visible if where is None else where & visible
        weights = separation.weights(scores, where)
        return Weighed(weights, scores, where, separation, separation.beta / self.step._effective_separation.beta)

    def _bias(self, rows: np.ndarray, last: int) -> np.ndarray:
        """The head's own bias of these rows, `(c, last)`."""
        if isinstance(self.head.bias, Alibi):
            return self.head.bias.at(rows[:, None] - np.arange(last))
        return np.asarray(own_bias(self.head.bias, (len(self.keys), len(self.keys)))[rows, :last])

    def _where(self, cues: np.ndarray, rows: np.ndarray, keys: np.ndarray, scores: np.ndarray) -> np.ndarray | None:
        """The mask of these rows, `(c, last)`, without that of a bias; None where nothing is masked."""
        where: np.ndarray | None = None
        n, last = len(self.keys), len(keys)
        for mask in terms_of(self.head.mask):
            if isinstance(mask, NoMask):
                continue
            if isinstance(mask, PositionRule):
                visible = mask.sees(rows[:, None] - np.arange(last))
            elif isinstance(mask, Without):
                at = np.isin(rows, np.arange(n) if mask.at is None else rows_taken(mask.at, n, "at"))
                visible = ~(at[:, None] & np.isin(np.arange(last), rows_taken(mask.keys, n, "token")))
            elif isinstance(mask, MaskRule):
                visible = np.asarray(self.step._on_scores(mask, scores, cues, keys)[0])
            else:
                visible = spread(mask, (n, n))[rows, :last]
            where = visible if where is None else where & visible
        return where


def measures_of(
    head: Head, w_out: np.ndarray | None, states: np.ndarray, pairs: TokenPairs, followed: int
) -> tuple[dict[str, float], dict[str, float], str]:
    """The measures of the attention of one head, their values by chance, and its operating class.

    w_out: the columns of the layer's output matrix that belong to the head, or None. states: `(n, dim)`. followed: the
    number of queries, evenly spaced, that are followed to a fixed point.
    """
    stream, n = StreamedHead.of(head, states), len(states)
    lengths = _written_lengths(stream.values, w_out)
    looks_back, has_entropy = stream.looks_back, not stream.step._effective_separation.why_no_entropy
    sums, chance_sums, energy_sums, null_weight = np.zeros(5), np.zeros(5), np.zeros(4), 0.0
    least, visible = np.zeros(n, np.int64), np.zeros(n, np.int64)
    for chunk in blocks(n, max(SCORES_OF_CHUNK // n, 1)):
        rows = np.arange(n)[chunk]
        last = rows[-1] + 1 if looks_back else n
        attention, copies = stream.weigh(stream.queries[chunk], rows, int(last)), pairs.copies(rows)
        sums += _row_sums(attention.weights, rows, copies, lengths)
        mask = np.ones(attention.weights.shape, bool) if attention.where is None else attention.where
        visible[chunk] = mask.sum(axis=1)
        chance_sums += _row_sums(mask / np.maximum(visible[chunk], 1)[:, None], rows, copies, lengths)
        if attention.separation.sink is not None:
            null_weight += attention.separation.rest(attention.scores, attention.where).sum(dtype=np.float64)
        if has_entropy:
            least[chunk] = least_number(attention.weights)
            energy_sums += _free_energy_sums(attention)
    counts = np.array([max(n - 1, 1), pairs.repeated or np.nan, pairs.repeated or np.nan, n, n])
    names = ("energy", "entropy", "free_energy", "effective_keys")
    values = dict(zip(OF_ATTENTION, (sums / counts).tolist(), strict=True))
    values |= dict(zip(names, (energy_sums / n if has_entropy else np.full(4, np.nan)).tolist(), strict=True))
    values["null_weight"] = float(null_weight / n) if stream.step.separation.sink is not None else np.nan
    if has_entropy and followed and stream.step.similarity.linear:
        values |= _at_fixed_points(stream, followed)
    chances = dict(zip(OF_ATTENTION, (chance_sums / counts).tolist(), strict=True))
    chances["effective_keys"] = float(visible.mean())
    has_class = has_entropy and np.any((least > 0) & (visible >= FEWEST_KEYS))
    return values, chances, str(class_of(least, visible)) if has_class else ""


def _row_sums(
    weights: np.ndarray, rows: np.ndarray, copies: tuple[np.ndarray, np.ndarray], lengths: np.ndarray
) -> np.ndarray:
    """The sums over rows of the weights `(c, m)` of each measure of `OF_ATTENTION`."""
    entry, place = copies
    later = np.flatnonzero(rows > 0)
    sink, total = weights[:, 0], weights @ lengths[: weights.shape[1]]
    parts = (
        weights[later, rows[later] - 1],
        weights[entry, place],
        weights[entry, place + 1],
        sink,
        sink * lengths[0] / nonzero(total),
    )
    return np.array([part.sum(dtype=np.float64) for part in parts])


def _written_lengths(values: np.ndarray, w_out: np.ndarray | None) -> np.ndarray:
    """|W_O v| of each value, `(n,)`, or |v| without W_O."""
    wide = widened(values)
    if w_out is None:
        return np.asarray(np.linalg.norm(wide, axis=1))
    parts = blocks(len(wide), max(SCORES_OF_CHUNK // len(w_out), 1))
    return np.concatenate([np.linalg.norm(wide[part] @ w_out.T, axis=1) for part in parts])


def _free_energy_sums(attention: Weighed) -> np.ndarray:
    """The sums over rows of U, S, F and the effective keys."""
    terms = free_energy(attention.separation, attention.scores, attention.where)
    parts = terms.energy * attention.unit, terms.entropy, terms.free * attention.unit, terms.effective_keys
    return np.array([part.sum(dtype=np.float64) for part in parts])


def _at_fixed_points(stream: StreamedHead, followed: int) -> dict[str, float]:
    """The measures of one step beside the fixed point: means over the queries that come to one."""
    n = len(stream.keys)
    places = np.unique(np.linspace(0, n - 1, min(followed, n)).round().astype(np.int64))
    changes, keys, n_still = list[np.ndarray](), list[np.ndarray](), 0
    for chunk in blocks(len(places), max(SCORES_OF_CHUNK // n, 1)):
        rows = places[chunk]
        start = widened(stream.queries[rows])
        end, still = _followed(stream, start, rows)
        step, limit = (stream.weigh(cues[still], rows[still], n) for cues in (start, end))
        changes.append(0.5 * np.abs(step.weights - limit.weights).sum(axis=1))
        keys.append(free_energy(limit.separation, limit.scores, limit.where).effective_keys)
        n_still += int(still.sum())
    values = [float(np.concatenate(parts).mean()) if n_still else np.nan for parts in (changes, keys)]
    return {
        "fixed_point_change": values[0],
        "fixed_point_keys": values[1],
        "fixed_point_reached": n_still / len(places),
    }


def _followed(stream: StreamedHead, cues: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The cues `(c, dim)` after q ← ∇Φ(Kᵀ p) until a step is short, and whether each came to that."""
    step, keys = stream.step, widened(stream.keys)
    still = np.zeros(len(cues), bool)
    for _ in range(STEPS_TO_FIXED_POINT):
        weights = stream.weigh(cues, rows, len(keys)).weights
        ends = np.where(still[:, None], cues, step._activate(weights @ keys, 1.0, cues))
        distances = np.linalg.norm(ends - cues, axis=1)
        still |= distances <= FIXED_POINT * np.linalg.norm(ends, axis=1)
        cues = ends
        if still.all():
            break
    return cues, still
