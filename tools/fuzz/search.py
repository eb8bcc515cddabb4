"""The search for cases that break the law. It is bounded in time, and makes what it finds as small as it can."""

import json
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random

from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.fuzz.corpus import executor
from tests.fuzz.judging import faults

BATCH = 60
"""The cases that are drawn from one seed."""
SHRINKING_SECONDS = 25.0
"""The time for making a case smaller."""


class Broken(Exception):
    """A case broke the law."""


@dataclass
class Search:
    """The search among the cases of one kind.

    worker: executes cases. drawn: gives their strategy. found: the smallest case of each fault, by the fault without
    its numbers. cases, seconds, mib: how many were tried, and the most that one took. refused: how many of them were.
    spent: the seconds in all.
    """

    worker: object
    name: str
    drawn: Callable
    found: dict[str, tuple[str, dict]] = field(default_factory=dict)
    cases: int = 0
    refused: int = 0
    seconds: float = 0.0
    mib: float = 0.0
    spent: float = 0.0

    def batch(self, number, until, most=BATCH):
        """Try the cases of one seed until a time; a case with a new fault is made smaller and noted in `found`."""
        self._until, self._known = until, set(self.found)
        self._told = {}

        @seed(number)
        @settings(
            max_examples=most,
            database=None,
            deadline=None,
            derandomize=False,
            phases=[Phase.generate, Phase.shrink],
            suppress_health_check=list(HealthCheck),
            report_multiple_bugs=False,
        )
        @given(self.drawn())
        def law_holds(case):
            self._require_law(case)

        begun = time.monotonic()
        with suppress(Broken):
            law_holds()
        self.spent += time.monotonic() - begun

    def _require_law(self, case):
        """Raise `Broken` for a case with a new fault. A case is executed once; when time is up, no other is."""
        text = json.dumps(case)
        if text not in self._told:
            if time.monotonic() > self._until:
                return
            self._told[text] = self._new_fault(case)
        fault = self._told[text]
        if fault:
            self._note(fault, text, case)
            raise Broken

    def _new_fault(self, case):
        outcome = self.worker.outcome(executor(self.name), case)
        self.cases += 1
        self.refused += outcome.ours or outcome.code > 1
        self.seconds, self.mib = max(self.seconds, outcome.seconds), max(self.mib, outcome.mib)
        return next((one for one in faults(outcome, case) if signature(one) not in self._known), None)

    def _note(self, fault, text, case):
        """Keep a case in `found` if it is the smallest with its fault; from the first on, time is for shrinking."""
        known = self.found.get(signature(fault))
        if known is None:
            self._until = time.monotonic() + SHRINKING_SECONDS
        if known is None or _size(text) < _size(json.dumps(known[1])):
            self.found[signature(fault)] = (fault, case)


def _size(text):
    return len(text), text


def signature(fault):
    """A fault without what differs from case to case: quoted parts and numbers."""
    return "".join(c for c in fault.partition("'")[0][:120] if not c.isdigit())


def seeds(first):
    """The seeds of the batches that follow from one seed."""
    random = Random(first)
    while True:
        yield random.randrange(2**32)
