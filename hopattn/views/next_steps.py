"""The ways on from a result: see it, follow its arithmetic, play with it."""

import shlex
from collections.abc import Iterator
from pathlib import Path

from hopattn.figures.favourites import favourite
from hopattn.foundation.sentences import say
from hopattn.scenario.loading import Scenario
from hopattn.scenario.result import Result

VIEWED = ("attention", "memory")
"""The kinds of scenario that the interactive page shows."""


def next_steps(scenario: Scenario, result: Result, given: str, explained: bool, drawn: bool) -> Iterator[str]:
    """The options and commands that go on from a result, each only where it is true of this scenario.

    given: the name or the file by which a command finds the scenario; empty where that would give another result.
    explained: whether the arithmetic is there already. drawn: whether figures are.
    """
    if not drawn:
        in_grid = scenario.spec.sweep is not None and result.figure.gallery is None
        if given and in_grid:  # a figure shows a single point of its grid
            yield say("see it: {}", f"hopattn sweep {shlex.quote(given)} --out {Path(given).stem}.svg")
        elif favourite(result) is not None:
            yield say("see it: {}", f"--out {shlex.quote(result.name)}.svg")
    if not explained:
        yield say("why: {}", "--explain")
    if given and result.kind in VIEWED:
        from hopattn.views.explorer.start import is_explorable

        if is_explorable(scenario, result.runs[0]):
            yield say("play: {}", f"hopattn explore {shlex.quote(given)}")
