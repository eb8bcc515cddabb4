"""Expectations of a recall: what was recalled, how it ended, which way it took, what became of the energy."""

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from hopattn.foundation.errors import unknown
from hopattn.scenario.expectations.base import EXACT, Arrays, Expectation, Verdict
from hopattn.scenario.language.array_layout import Layout
from hopattn.scenario.language.fields import Problem, Text
from hopattn.scenario.language.lines import Path

_WORDS = ("recalls", "answers", "status", "spurious")
"""What is expected as one word of each cue, by the name of its array."""


class Ended(Expectation):
    """How the recall of a cue ended."""

    leading: ClassVar[tuple[str, ...]] = ("recalls", "answers", "status", "spurious", "visits", "energy")

    at: str
    """The cue."""
    recalls: Text | None = None
    """The stored pattern that it came to (a cosine of at least .95), or "nothing"."""
    answers: Text | None = None
    """The pattern that the other side of a bidirectional memory came to, or "nothing"."""
    status: Literal["converged", "cycle", "limit", "diverged"] | None = None
    """How it ended: at a fixed point, in a cycle of two, at max_steps, or growing without bound."""
    spurious: Literal["none", "reversed", "mixture", "other"] | None = None
    """What the state is that is no stored pattern: one with every neuron reversed, a mixture of three, or another."""
    visits: Annotated[list[Text], Field(min_length=1)] | None = None
    """The patterns that it came by, from the cue on, one for each step; "nothing" where it was at none."""
    energy: Literal["falls"] | None = None
    """The energy never rose on the way, and fell."""

    def problems(self, layout: Layout, path: Path) -> Iterator[Problem]:
        yield from layout.row_problem(self.at, (*path, "at"))
        for what in self._asked:
            if not layout.find(what):
                yield Problem((*path, what), f"there is no array '{what}' here (arrays: {', '.join(layout.arrays)})")
        known = ["nothing", *layout.columns]
        if self.recalls not in (None, *known):
            yield Problem((*path, "recalls"), unknown(self.recalls, known))
        for i, word in enumerate(self.visits or []):
            if word not in known:
                yield Problem((*path, "visits", i), unknown(word, known))

    def judge(self, arrays: Arrays, layout: Layout) -> Verdict:
        row = layout.index(self.at)
        verdicts = [(getattr(self, what), str(arrays[what].values[row])) for what in _WORDS if getattr(self, what)]
        met = all(word == computed for word, computed in verdicts)
        if self.visits is not None:
            came_by = [str(word) for word in arrays["visits"].values[row][: len(self.visits)]]
            met = met and came_by == self.visits
            verdicts.append((" → ".join(self.visits), " → ".join(came_by)))
        if self.energy is not None:
            energies = arrays["energy"].values[row]
            met = met and bool(np.all(np.diff(energies) <= EXACT) and energies[-1] < energies[0])
            verdicts.append((self.energy, f"{energies[0]:.4g} → {energies[-1]:.4g}"))
        expected, computed = ([str(verdict[side]) for verdict in verdicts] for side in (0, 1))
        return Verdict(met, ", ".join(expected), ", ".join(computed))

    def sentence(self) -> str:
        return f"{', '.join(self._asked)} of {self.at}"

    @property
    def _asked(self) -> list[Any]:
        return [what for what in self.leading if getattr(self, what) is not None]
