"""Whether a memory can tell given patterns apart: the margins of a file's patterns or heads, and what to take."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from hopattn.experiments.comparison.cost import REPORTED_SECONDS, Size, in_words
from hopattn.experiments.comparison.from_files import head_arrays, heads_of, patterns_of
from hopattn.experiments.comparison.problem import RecallProblem
from hopattn.foundation.array_files import named
from hopattn.foundation.checks import require_time
from hopattn.foundation.errors import in_file
from hopattn.foundation.writing import at_most
from hopattn.results.dataset import Dataset, plain
from hopattn.theory.separation import Margins, margins, multiplications

SPARE = 10.0
"""The factor of the least exact β that is advised: a tenth of each margin is given up, and of the radius with it."""
NAMED = 8
"""The most patterns that a sentence names."""


@dataclass(frozen=True, eq=False)
class SeparationReport(Dataset):
    """The margins of patterns, or of the keys of a head, and the advice that follows.

    where: the head, or "". margins: those of the patterns. error: the error of the softmax column, by the distance of
    the nearest pattern. names: of the patterns; empty for their numbers, from 0. lead: by how much the best key of a
    query leads, in the median; NaN for patterns. own_beta: β of attention, 1/√dim; NaN for patterns.
    """

    where: str
    margins: Margins
    error: float
    names: tuple[str, ...] = ()
    lead: float = math.nan
    own_beta: float = math.nan

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The names of the patterns, or their numbers, from 1."""
        return self.names or tuple(map(str, range(1, len(self.margins.patterns) + 1)))

    @cached_property
    def distinct(self) -> Margins:
        """The margins with each pattern once."""
        return margins(self.margins.patterns[self._once[0]]) if self.margins.twins.any() else self.margins

    @property
    def hidden(self) -> np.ndarray:
        """Whether another pattern that is not equal has as large a dot product with it, `(n,)`."""
        return np.asarray(self.distinct.lost[self._once[1]])

    @cached_property
    def _once(self) -> tuple[np.ndarray, np.ndarray]:
        """The first row of each pattern, `(n_distinct,)`, and for each row its number among these, `(n,)`."""
        _, first, number = np.unique(self.margins.patterns, axis=0, return_index=True, return_inverse=True)
        order = np.argsort(first)
        return first[order], np.argsort(order)[number.reshape(-1)]

    @property
    def beta(self) -> float | None:
        """The β that is advised for a sparse memory; None where patterns are hidden, or too near for any number."""
        return None if self.hidden.any() or math.isinf(beta := _spare_beta(self.distinct)) else beta

    @cached_property
    def softmax_beta(self) -> float | None:
        """The β that is advised for a softmax memory, twice the least one; None where no β gives the error."""
        least = float(self.distinct.softmax_beta(self.error).max())
        return _as_printed(2 * least or 1.0) if np.isfinite(least) else None

    @cached_property
    def columns(self) -> Mapping[str, np.ndarray]:
        """The numbers of each pattern, by name; radii are of the β that are advised. A rival counts from 1; 0: none."""
        m = self.margins
        found = {"delta": m.delta, "rival": m.rival + 1, "distance": m.distance, "reach": m.reach}
        found |= {"beta_sparse": m.exact_beta(), "beta_softmax": m.softmax_beta(self.error)}
        found |= {"beta_log_sum_relu": m.relu_beta(), "beta_ramsauer": m.well_separated_beta()}
        if self.beta is not None:
            found["radius_sparse"] = m.sparse_radius(self.beta)
        if self.softmax_beta is not None:
            found["radius_softmax"] = m.softmax_radius(self.softmax_beta)[0]
        return found

    @cached_property
    def advice(self) -> tuple[str, ...]:
        """Sentences: the patterns that cannot be told apart, and the memory and β to take, with the reason."""
        return (*self._apart(), *self._memories(), *self._queries())

    def _apart(self) -> Iterator[str]:
        """The patterns that cannot be told apart, and the cure."""
        m = self.margins
        if m.twins.any():
            number = self._once[1]
            groups = [" = ".join(self._labelled(number == i)) for i in np.unique(number[m.twins])]
            yield f"Equal patterns: {_some(groups)}. No memory tells them apart; keep one of each."
        if not self.hidden.any():
            return
        first, number = self._once
        rivals = first[self.distinct.rival[number]]
        yield (
            "Hidden, since a longer pattern has as large a dot product with it: "
            f"{_some([f'{self.labels[i]} by {self.labels[rivals[i]]}' for i in np.flatnonzero(self.hidden)])}."
        )
        sizes = np.linalg.norm(self.distinct.patterns, axis=1, keepdims=True)
        scaled = margins(self.distinct.patterns / np.where(sizes > 0, sizes, 1))
        if np.all(sizes > 0) and not scaled.lost.any():
            call = f"ha.memories.sparse(ha.unit(patterns), beta={_spare_beta(scaled):.4g})"
            yield f"Scale patterns and cues to unit length; then none is hidden: {call}."
        else:
            beta = self.distinct.relu_beta().max()
            call = f"ha.memories.log_sum_relu(patterns, beta={beta:.4g})"
            yield f"Compare by distance, which hides no pattern: {call}."

    def _labelled(self, flags: np.ndarray) -> list[str]:
        return [self.labels[i] for i in np.flatnonzero(flags)]

    def _memories(self) -> Iterator[str]:
        """The memories that recall every pattern, with their β, and why."""
        m, share = self.distinct, 1 - 1 / SPARE
        if len(m.delta) == 1:
            yield "A single pattern is recalled from every cue by a softmax or sparse memory."
        elif self.beta is None and not self.hidden.any():
            yield "No β is large enough, since the patterns are so small: take patterns / abs(patterns).max()."
        if self.beta is None or len(m.delta) == 1:
            return
        yield (
            f"{'With one of each, take' if self.margins.twins.any() else 'Take'} "
            f"ha.memories.sparse(patterns, beta={self.beta:.4g}): one step gives the pattern exactly from any cue "
            f"within {at_most(m.sparse_radius(self.beta).min())}, and at each pattern {share:.0%} of what a large β "
            "reaches."
        )
        if self.softmax_beta is not None:
            yield (
                f"Or, for softmax attention, ha.memories.modern(patterns, beta={self.softmax_beta:.4g}): a recall from "
                f"within {at_most(m.softmax_radius(self.softmax_beta)[0].min())} ends nearer to the pattern than "
                f"{self.error:.2g} of the distance to its neighbour."
            )

    def _queries(self) -> Iterator[str]:
        """By how much the best key leads, and what that asks of β."""
        if math.isnan(self.lead):
            return
        yield f"The best key of a query leads by {self.lead:.4g} in the median; β of attention is {self.own_beta:.4g}."
        if self.lead > 0:
            yield f"Sparsemax gives half of the queries a single key from β = {1 / self.lead:.4g} on."

    _index = ("pattern",)

    def table(self) -> list[dict[str, Any]]:
        """One row for each pattern, with its `columns` and whether it is `equal` to another one, or `hidden`."""
        columns = {"pattern": np.array(self.labels), **self.columns, "equal": self.margins.twins, "hidden": self.hidden}
        return [dict(zip(columns, row, strict=True)) for row in zip(*map(plain, columns.values()), strict=True)]

    def _attributes(self) -> Mapping[str, Any]:
        count, dim = self.margins.patterns.shape
        found: dict[str, Any] = {"where": self.where, "n_patterns": count, "dim": dim, "error": self.error}
        found |= {"beta": self.beta, "softmax_beta": self.softmax_beta, "names": list(self.names)}
        return found | {"lead": self.lead, "own_beta": self.own_beta, "advice": list(self.advice)}

    def to_dict(self) -> dict[str, Any]:
        """All of it as lists and numbers for JSON; a number that is infinite or unknown is None."""
        *about, advice = plain(dict(self._attributes())).items()
        columns = {"equal": self.margins.twins, "hidden": self.hidden, **self.columns}
        return dict([*about, *plain(columns).items(), advice])


@dataclass(frozen=True, eq=False)
class Separation(Dataset):
    """The reports of a file, in their order: one of its patterns, or one of each head. It is the sequence of them."""

    reports: tuple[SeparationReport, ...]
    _index = ("head", "pattern")

    def __len__(self) -> int:
        return len(self.reports)

    def __iter__(self) -> Iterator[SeparationReport]:
        return iter(self.reports)

    def __getitem__(self, i: int) -> SeparationReport:
        return self.reports[i]

    def table(self) -> list[dict[str, Any]]:
        """One row for each pattern of each head."""
        return [{"head": report.where, **row} for report in self.reports for row in report.table()]

    def to_dict(self) -> dict[str, Any]:
        """Each report as its `to_dict`."""
        return {**self._attributes(), "heads": [report.to_dict() for report in self.reports]}


def _spare_beta(apart: Margins) -> float:
    """The β of a sparse memory that keeps a part of each margin, and so of each radius, to spare."""
    return _as_printed(SPARE * float(apart.exact_beta().max()) or 1.0)


def _as_printed(beta: float) -> float:
    """A β as a sentence says it, so that the radii hold for those who copy it."""
    return float(f"{beta:.4g}")


def _some(names: list[str]) -> str:
    more = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {more} more" if more > 0 else "")


def separation_of_file(
    file: Path, error: float, array: str | None = None, note: Callable[[str], object] = lambda text: None
) -> Separation:
    """The report of the patterns of a file, or one of the keys of each head of a file with q, k and v alone.

    array: the name of the array of patterns, in a file with several, or three of a head, as in "q,k,v". note:
    called with a sentence about work that takes longer than `REPORTED_SECONDS`. Raises `InvalidInput` for a file that
    cannot be read, that holds neither, or whose margins would take more than ten minutes.
    """

    def admit(sizes: Sequence[Size]) -> None:
        work = sum(multiplications(size.n_keys, size.dim) for size in sizes)
        what = f"the margins of {sum(size.n_keys for size in sizes):,} patterns"
        require_time(work, what)
        if work / 1e9 > REPORTED_SECONDS:
            note(f"{named(file)}: {what} take about {in_words(work / 1e9)}")

    with in_file(named(file)):
        if (names := head_arrays(file, array)) is None:
            patterns = patterns_of(file, admit, array)
            return Separation((SeparationReport("", margins(patterns.read()), error, patterns.names),))
        return Separation(tuple(_of_head(head, error) for head in heads_of(file, names, admit=admit)))


def _of_head(head: RecallProblem, error: float) -> SeparationReport:
    """The report of the keys of a head."""
    scores = np.sort(head.cues @ head.keys.T, axis=1)
    leads = scores[:, -1] - scores[:, -2] if scores.shape[1] > 1 else np.full(len(scores), np.inf)
    return SeparationReport(
        head.where, margins(head.keys), error, (), float(np.median(leads)), head.own_beta or math.nan
    )
