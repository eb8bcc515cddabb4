"""The ways on from a result: see it, follow its arithmetic, play with it."""

import shlex
from collections.abc import Iterator
from pathlib import Path

from hopattn.figures.base import Plot
from hopattn.figures.rendering import favourite
from hopattn.foundation.errors import InvalidInput
from hopattn.scenario.loading import Scenario
from hopattn.scenario.result import Result
from hopattn.views.explorer.explorer import is_explorable


def next_steps(scenario: Scenario, result: Result, given: str, explained: bool, drawn: bool) -> Iterator[str]:
    """The options and commands that go on from a result, each only where it is true of this scenario.

    given: the name or the file by which a command finds the scenario; empty where that would give another result.
    explained: whether the arithmetic is there already. drawn: whether figures are.
    """
    if not drawn:
        figure = _figure(result)
        own = figure is not None and (figure.scenario == result.name or result.figure.gallery is not None)
        if given and scenario.spec.sweep is not None and not own:  # another one shows a single point of its grid
            yield f"see it: hopattn sweep {shlex.quote(given)} --out {Path(given).stem}.svg"
        elif figure is not None:
            yield f"see it: --figures {figure.name}"
    if not explained:
        yield "why: --explain"
    if given and is_explorable(scenario, result):
        yield f"play: hopattn explore {shlex.quote(given)}"


def _figure(result: Result) -> Plot | None:
    """The figure that shows a result best, if there is one."""
    try:
        return favourite(result)
    except InvalidInput:  # a figure that the scenario names, and that a changed one does not have
        return None
