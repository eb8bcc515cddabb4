"""Expectations of a recall: what was recalled, how it ended, what became of the energy."""

from collections.abc import Iterator
from typing import ClassVar, Literal

import numpy as np

from hopattn.errors import unknown
from hopattn.scenario.expectations.base import EXACT, Arrays, Expectation, Verdict
from hopattn.scenario.fields import Problem, Text
from hopattn.scenario.layout import Layout
from hopattn.scenario.lines import Path


class Ended(Expectation):
    """How the recall of a cue ended."""

    leading: ClassVar[tuple[str, ...]] = ("recalls", "status", "energy")

    at: str
    """The cue."""
    recalls: Text | None = None
    """The stored pattern that it came to (a cosine of at least .95), or "nothing"."""
    status: Literal["converged", "cycle", "limit", "diverged"] | None = None
    """How it ended: at a fixed point, in a cycle of two, at max_steps, or growing without bound."""
    energy: Literal["falls"] | None = None
    """The energy never rose on the way, and fell."""

    def problems(self, layout: Layout, path: Path) -> Iterator[Problem]:
        yield from layout.row_problem(self.at, (*path, "at"))
        for what in ("recalls", "status", "energy"):
            if getattr(self, what) is not None and not layout.find(what):
                yield Problem((*path, what), f"there is no array '{what}' here (arrays: {', '.join(layout.arrays)})")
        if self.recalls not in (None, "nothing", *layout.columns):
            yield Problem((*path, "recalls"), unknown(self.recalls, ["nothing", *layout.columns]))

    def judge(self, arrays: Arrays, layout: Layout) -> Verdict:
        row = layout.index(self.at)
        expected = {"recalls": self.recalls, "status": self.status}
        computed = {what: str(arrays[what].values[row]) for what, word in expected.items() if word is not None}
        met = all(computed[what] == expected[what] for what in computed)
        if self.energy is not None:
            energies = arrays["energy"].values[row]
            met = met and bool(np.all(np.diff(energies) <= EXACT) and energies[-1] < energies[0])
            computed["energy"] = f"{energies[0]:.4g} → {energies[-1]:.4g}"
        wanted = [word for word in (self.recalls, self.status, self.energy) if word is not None]
        return Verdict(met, ", ".join(wanted), ", ".join(computed.values()))

    def sentence(self) -> str:
        asked = [what for what in ("recalls", "status", "energy") if getattr(self, what) is not None]
        return f"{', '.join(asked)} of {self.at}"
