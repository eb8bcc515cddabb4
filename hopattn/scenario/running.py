"""Running a checked scenario: first every run, then the verdict on every expectation."""

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from hopattn.foundation.boundary import public
from hopattn.foundation.checks import Seed, flag, whole_seed
from hopattn.foundation.errors import InvalidInput, placed, shortened, unknown
from hopattn.foundation.sentences import language
from hopattn.scenario.arrays import Arrays
from hopattn.scenario.checking import dotted_place, in_main_table, located, of_run
from hopattn.scenario.files import is_shipped
from hopattn.scenario.language.paths import require_changes
from hopattn.scenario.language.table import Problem, Refused, need
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
    The arithmetic and the expectations are in the language of `[figure]`; {"figure.lang": "de"} is an override.

    Raises `InvalidScenario` for an override that does not fit, and `InvalidInput` for numbers that overflow.

    Examples
    --------
    >>> import hopattn as ha
    >>> ha.run("bank").ok
    True
    """
    scenario = scenario if isinstance(scenario, Scenario) else load_scenario(scenario)
    flag(explain, "explain")
    changes = {} if overrides is None else require_changes(overrides)
    if changes:
        scenario = parse(scenario.text, scenario.where, scenario.name, changes)
    if rng is not None:
        seed = whole_seed(rng)
        runs = {name: spec.with_seed(seed) for name, spec in scenario.runs.items()}
        scenario = replace(scenario, runs=runs)
    spec, arrays = scenario.spec, {name: _computed(scenario, name) for name in scenario.runs}
    with np.errstate(all="ignore"), language(scenario.figure.lang):
        working, expectations = _working(scenario, arrays) if explain else {}, _judged(scenario, arrays)
        done = tuple(
            Run(name, own, of.shown(own), working.get(name, ()), tuple(of.strips(own)), of.heads)
            for (name, own), of in zip(arrays.items(), scenario.runs.values(), strict=True)
        )
    return Result(
        name=scenario.name,
        title=spec.title,
        source=spec.source or "",
        note=spec.note,
        kind=spec.kind,
        seed=spec.seed,
        digest=hashlib.sha256(scenario.text.encode()).hexdigest(),
        runs=done,
        expectations=expectations,
        figure=scenario.figure,
        words=tuple(dict.fromkeys(word for expectation in spec.expect for word in expectation.words)),
        reading="" if is_shipped(scenario.where) else spec.reading(),
    )


def _working(scenario: Scenario, arrays: Mapping[str, Arrays]) -> dict[str, tuple[str, ...]]:
    """The arithmetic of each run, by name; raises `InvalidInput` if it is too long to be read."""
    working, room = {}, MOST_LINES
    for name, own in arrays.items():
        with placed(scenario.where):
            working[name] = tuple(map(str, islice(scenario.runs[name].explain(own), room + 1)))
        room -= len(working[name])
        if room < 0:
            raise InvalidInput(
                f"{scenario.where}: the arithmetic has more than {MOST_LINES:,} lines; "
                "explain a scenario of fewer words, heads or variants"
            )
    return working


def once(scenario: Scenario, seed: np.random.SeedSequence) -> tuple[Arrays, tuple[Outcome, ...]]:
    """Run a scenario as written, without its variants: its arrays, and the verdicts on its own expectations."""
    arrays = _computed(scenario, "", seed)
    return arrays, _judged(scenario, {"": arrays})


def _computed(scenario: Scenario, name: str, seed: np.random.SeedSequence | None = None) -> Arrays:
    """The arrays of one run; raises `InvalidInput` for numbers that are not finite, with the name of their array."""
    spec, arrays = scenario.runs[name], scenario._computed.pop(name, None) if seed is None else None
    if arrays is None:
        try:
            with np.errstate(all="ignore"), in_main_table(spec):  # the loop below refuses what is not finite
                arrays = spec.run(np.random.default_rng(spec.seed if seed is None else seed))
        except Refused as refused:
            raise InvalidInput("\n".join(_located(scenario, name, one) for one in refused.problems)) from None
    for key, array in arrays.items():
        if array.values.dtype.kind == "f" and not np.all(np.isfinite(array.values)):
            cure = f"use smaller vectors{_largest_word(arrays)} or a smaller beta"
            message = f"the numbers grow out of range ('{key}'): {cure}"
            raise InvalidInput(_located(scenario, name, Problem((spec.main_table,), message)))
    return arrays


def _located(scenario: Scenario, run: str, problem: Problem) -> str:
    """The message of a problem of a run."""
    return "".join(located(scenario.where, scenario.lines, of_run(problem, scenario.spec.variant, run))[1:])


def _largest_word(arrays: Arrays) -> str:
    """The word whose vector has the largest number, for a message; empty if it is not large or there are no words."""
    largest = {word: float(np.abs(vector).max(initial=0)) for word, vector in arrays.words.items()}
    word = max(largest, key=lambda word: largest[word], default="")
    return f" ('{shortened(word)}' holds {largest[word]:.3g})" if word and largest[word] > LARGE else ""


def _judged(scenario: Scenario, arrays: Mapping[str, Arrays]) -> tuple[Outcome, ...]:
    """The verdict on each expectation in each of its runs, as far as the run is among the arrays.

    After an override, an expectation may refer to something that the run does not have; it is skipped.
    """
    outcomes = []
    for i, expectation in enumerate(scenario.spec.expect):
        sentence, line = expectation.sentence(), scenario.lines.line_of(("expect", i))
        for name in expectation.variants:
            if name in scenario.runs and name not in arrays:
                continue
            try:
                need(name in arrays, "variant", partial(unknown, name, [*filter(None, arrays)]))
                met, expected, computed, note, _ = expectation.judge(arrays[name])
                outcomes.append(Outcome(name, sentence, expected, computed, met, line, note))
            except Refused as refused:
                path, message = refused.problems[0].path, refused.problems[0].message
                reason = ": ".join(filter(None, (dotted_place(path), message.partition(" (choices: ")[0])))
                outcomes.append(Outcome(name, sentence, "", "", None, line, f"skipped: {reason}"))
    return tuple(outcomes)
