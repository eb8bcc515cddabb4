"""Expectations of a recall: the recalled pattern, the status, the patterns on the way, the course of the energy."""

from collections.abc import Iterator
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from hopattn.foundation.errors import listed, unknown
from hopattn.scenario.expectations.base import EXACT, Arrays, Expectation, Verdict
from hopattn.scenario.language.array_layout import ArrayLayout
from hopattn.scenario.language.fields import Problem, Text
from hopattn.scenario.language.lines import Path

_WORDS = ("recalls", "answers", "status", "spurious")
"""The keys that expect one word for each cue; an array has the same name."""


class Ended(Expectation):
    """The end of the recall of a cue."""

    leading: ClassVar[tuple[str, ...]] = ("recalls", "answers", "status", "spurious", "visits", "energy")

    at: str
    """The cue."""
    recalls: Text | None = None
    """The stored pattern that it reached (a cosine of at least .95), or "nothing"."""
    answers: Text | None = None
    """The pattern that the other side of a bidirectional memory reached, or "nothing"."""
    status: Literal["converged", "cycle", "limit", "diverged"] | None = None
    """The end of the recall: a fixed point, a cycle, max_steps, or growth without bound."""
    spurious: Literal["none", "reversed", "mixture", "other"] | None = None
    """The sort of a state that is no stored pattern: one with every neuron reversed, a mixture of three, or another."""
    visits: Annotated[list[Text], Field(min_length=1)] | None = None
    """The patterns that it visited, from the cue on, one for each step; "nothing" for a state that is no pattern."""
    energy: Literal["falls"] | None = None
    """The energy does not rise on the way: it falls, or stays level where the cue rests already."""

    def problems(self, layout: ArrayLayout, path: Path) -> Iterator[Problem]:
        yield from layout.row_problem(self.at, (*path, "at"))
        for key in self._given:
            if not layout.find(key):
                yield Problem((*path, key), f"there is no array '{key}' here (arrays: {listed(layout.arrays)})")
        known = ["nothing", *layout.recallable]
        if self.recalls not in (None, *known):
            yield Problem((*path, "recalls"), unknown(self.recalls, known))
        for i, word in enumerate(self.visits or []):
            if word not in known:
                yield Problem((*path, "visits", i), unknown(word, known))

    def judge(self, arrays: Arrays, layout: ArrayLayout) -> Verdict:
        row = layout.index(self.at)
        verdicts = [(getattr(self, key), str(arrays[key].values[row])) for key in _WORDS if getattr(self, key)]
        met = all(word == computed for word, computed in verdicts)
        if self.visits is not None:
            visited = [str(word) for word in arrays["visits"].values[row][: len(self.visits)]]
            met = met and visited == self.visits
            verdicts.append((" → ".join(self.visits), " → ".join(visited)))
        if self.energy is not None:
            energies = arrays["energy"].values[row]
            met = met and bool(np.all(np.diff(energies) <= EXACT))
            verdicts.append((self.energy, f"{energies[0]:.4g} → {energies[-1]:.4g}"))
        expected, computed = ([str(verdict[side]) for verdict in verdicts] for side in (0, 1))
        return Verdict(met, ", ".join(expected), ", ".join(computed))

    def sentence(self) -> str:
        return f"{', '.join(self._given)} of {self.at}"

    @property
    def _given(self) -> list[str]:
        """The leading keys that the file gives."""
        return [key for key in self.leading if getattr(self, key) is not None]
