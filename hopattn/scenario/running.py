"""Running a checked scenario: first every run, then the verdict on every expectation."""

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from hopattn.foundation.boundary import public
from hopattn.foundation.checks import Seed, flag, whole_seed
from hopattn.foundation.errors import InvalidInput, placed, shortened
from hopattn.results.labelled import Labelled
from hopattn.scenario.kinds.base import Spec
from hopattn.scenario.language.lines import line_of
from hopattn.scenario.language.overrides import require_changes
from hopattn.scenario.loading import Scenario, load_scenario, parse
from hopattn.scenario.result import Outcome, Result, Run

MOST_LINES = 10_000
"""The largest number of lines of arithmetic: about as many as a book of 200 pages has."""
LARGE = 1e6
"""A vector with an entry of at least this size is named by the message that numbers grow out of range."""


@public
def run(
    scenario: Scenario | str | Path,
    rng: Seed = None,
    overrides: Mapping[str, Any] | None = None,
    *,
    explain: bool = False,
) -> Result:
    """Run a scenario and all its variants, and compare the results with its expectations.

    Parameters
    ----------
    scenario
        from `hopattn.load`, or what `load` takes: the path of a file, or the name of a scenario that comes with
        hopattn.
    rng : a seed instead of the file's; a generator gives one that is drawn from it.
    overrides : paths and values, as for `--set`: {"layer.head.separation": "softmax"}.
    explain : also write out the arithmetic, into `working` of each run.

    Notes
    -----
    Raises `InvalidScenario` for an override that does not fit, and `InvalidInput` for numbers that overflow.

    Examples
    --------
    >>> import hopattn as ha
    >>> ha.run("bank").ok
    True
    """
    scenario = scenario if isinstance(scenario, Scenario) else load_scenario(scenario)
    flag(explain, "explain")
    if overrides is not None:
        require_changes(overrides)
    if overrides:
        scenario = parse(scenario.text, scenario.where, scenario.name, overrides)
    if rng is not None:
        seed = whole_seed(rng)
        scenario = replace(scenario, runs={name: spec.with_seed(seed) for name, spec in scenario.runs.items()})
    spec, arrays = scenario.spec, {}
    for name in scenario.runs:
        arrays[name] = _computed(scenario, name)
    with np.errstate(all="ignore"):
        working = _working(scenario, arrays) if explain else {}
        runs = tuple(
            Run(name, own, of.shown(own), working.get(name, ()), tuple(of.strips(own)), of.heads)
            for (name, own), of in zip(arrays.items(), scenario.runs.values(), strict=True)
        )
    return Result(
        name=scenario.name,
        title=spec.title,
        source=spec.source,
        note=spec.note,
        kind=spec.kind,
        seed=spec.seed,
        digest=hashlib.sha256(scenario.text.encode()).hexdigest(),
        runs=runs,
        expectations=_judged(scenario, arrays),
        figure=scenario.figure,
        words=tuple(dict.fromkeys(word for expectation in spec.expect for word in expectation.words)),
    )


def _working(scenario: Scenario, arrays: Mapping[str, dict[str, Labelled]]) -> dict[str, tuple[str, ...]]:
    """The arithmetic of each run, by name; raises `InvalidInput` if it is too long to be read."""
    working, room = {}, MOST_LINES
    for name, own in arrays.items():
        with placed(scenario.where):
            working[name] = tuple(islice(scenario.runs[name].explain(own), room + 1))
        room -= len(working[name])
        if room < 0:
            raise InvalidInput(
                f"{scenario.where}: the arithmetic has more than {MOST_LINES:,} lines; "
                "explain a scenario of fewer words, heads or variants"
            )
    return working


def once(scenario: Scenario, seed: np.random.SeedSequence) -> tuple[dict[str, Labelled], tuple[Outcome, ...]]:
    """Run a scenario as written, without its variants: its arrays, and the verdicts on its own expectations."""
    arrays = _computed(scenario, "", seed)
    return arrays, _judged(scenario, {"": arrays})


def _computed(scenario: Scenario, name: str, seed: np.random.SeedSequence | None = None) -> dict[str, Labelled]:
    """The arrays of one run; raises `InvalidInput` for numbers that are not finite, with the name of their array."""
    spec, line = scenario.runs[name], line_of(scenario.lines, (scenario.spec.main_table,))
    where = f"{scenario.where}:{line}" + (f": variant '{name}'" if name else "")
    with placed(where), np.errstate(all="ignore"):  # the loop below refuses numbers that are not finite
        arrays = spec.run(np.random.default_rng(spec.seed if seed is None else seed))
    for key, array in arrays.items():
        if array.values.dtype.kind == "f" and not np.all(np.isfinite(array.values)):
            message = f"use smaller vectors{_largest_word(spec)} or a smaller beta"
            raise InvalidInput(f"{where}: the numbers grow out of range ('{key}'): {message}")
    return arrays


def _largest_word(spec: Spec) -> str:
    """The word whose vector has the largest number, for a message; empty if it is not large or there are no words."""
    largest = {word: float(np.abs(vector).max(initial=0)) for word, vector in spec.layout().words.items()}
    word = max(largest, key=lambda word: largest[word], default="")
    return f" ('{shortened(word)}' holds {largest[word]:.3g})" if word and largest[word] > LARGE else ""


def _judged(scenario: Scenario, arrays: Mapping[str, Mapping[str, Labelled]]) -> tuple[Outcome, ...]:
    """The verdict on each expectation in each of its runs, as far as the run is among the arrays."""
    outcomes = []
    layouts = {name: scenario.runs[name].layout() for name in arrays} if scenario.spec.expect else {}
    for i, expectation in enumerate(scenario.spec.expect):
        gone = {name for name in expectation.variants if name not in scenario.runs}  # by an override
        for name in (name for name in expectation.variants if name in {*arrays, *gone}):
            sentence, line = expectation.sentence(), scenario.lines.get(("expect", i), 1)
            if reason := scenario.not_applicable.get((i, name)):
                outcomes.append(Outcome(name, sentence, "", "", None, line, f"skipped: {reason}"))
            else:
                met, expected, computed, note, _ = expectation.judge(arrays[name], layouts[name])
                outcomes.append(Outcome(name, sentence, expected, computed, met, line, note))
    return tuple(outcomes)
