"""Drawing practice problems from a scenario: the same seed gives the same problems on every machine.

A problem is drawn again until it is friendly, until its answer does not stand on the sheet, and until three errors give
different wrong answers.
"""

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice, takewhile
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from pydantic import ValidationError

from hopattn.foundation.checks import instance, whole
from hopattn.foundation.errors import InvalidInput, listed, shortened
from hopattn.foundation.sentences import language as in_language
from hopattn.foundation.sentences import say
from hopattn.foundation.writing import fractions, number
from hopattn.practice.friendly import (
    first_alike,
    holds,
    is_by_hand,
    is_short,
    numbers_in,
    reduced,
    relevant,
    up_to_layer,
    without_zero_fields,
)
from hopattn.practice.problem import Choice, Grid, Problem, Sheet
from hopattn.practice.telling import untold
from hopattn.practice.wording import given, layers_before, moves, quantity, question, texts
from hopattn.results.labelled import Labelled
from hopattn.scenario.arrays import Arrays
from hopattn.scenario.expectations.base import Expectation, Numeric
from hopattn.scenario.kinds.base import LISTS_OF_FILE, Kind
from hopattn.scenario.language.paths import changed
from hopattn.scenario.language.table import Refused
from hopattn.scenario.loading import Scenario, load_scenario
from hopattn.scenario.mistakes import mistakes
from hopattn.scenario.practice_table import MOST_PROBLEMS
from hopattn.scenario.running import run

PROBLEMS = 5
"""The number of problems that a sheet has by default."""
WRONG = 3
"""The number of wrong answers beside the right one."""
TRIES = 500
"""The number of draws after which a scenario is said to have no friendly problem."""
NEAR = 0.005
"""Two answers that differ less are one answer."""
PLACES = 3
"""The number of decimals of a wrong answer that is no short number."""

Run = tuple[Arrays, Kind]


def sheet(scenario: Scenario | str | Path, count: int = PROBLEMS, seed: int = 0, language: str = "en") -> Sheet:
    """A sheet of practice problems that are drawn from a scenario with a table [practice].

    scenario: from `hopattn.load`, or what `load` takes. count: the number of problems, at most 100. seed: the same seed
    gives the same problems on every machine; two seeds in a row differ in at least two numbers of each problem.
    language: "en" or "de". Raises `InvalidInput` for a scenario without [practice], for one that gives no friendly
    problem, and for an unknown language.
    """
    scenario = scenario if isinstance(scenario, Scenario) else load_scenario(scenario)
    whole(count, "count", 1, MOST_PROBLEMS)
    whole(seed, "seed", 0)
    instance(language, str, "language", "a text")
    own = texts(language)
    exercise = Exercise(scenario)
    with in_language(language):
        draws = [exercise.draw(seed, i) for i in range(1, count + 1)]
        problems = tuple(exercise.problem(draw, i, own) for i, draw in enumerate(draws, start=1))
    spec = scenario.spec
    options = f"--count {count} --seed {seed}" + (f" --lang {language}" if language != "en" else "")
    command = f"hopattn practice {scenario.name} {options}"
    return Sheet(scenario.name, spec.title, spec.source or "", seed, command, language, own, problems)


@dataclass(frozen=True, eq=False)
class Draw:
    """The drawn numbers of one problem.

    document, spec: the scenario with these numbers, as data and as the run that is asked for. asked: the expectation
    that the problem asks for. answers: the answer of the right run, by the empty name, and of the runs with an error,
    by the name of the error; in the order of the sheet. drawn: the values that were drawn. working: the arithmetic of
    the right answer.
    """

    document: Mapping[str, Any]
    spec: Kind
    asked: Numeric
    answers: Mapping[str, Labelled]
    drawn: tuple[Any, ...]
    working: tuple[str, ...]


class Exercise:
    """The practice problems of one scenario."""

    def __init__(self, scenario: Scenario) -> None:
        spec = scenario.spec
        if spec.practice is None:
            about = "has no table [practice], which says what is drawn anew: `hopattn new practice mine.toml` writes a "
            about += "first one for a file of yours, and `hopattn practice --list` shows the scenarios that have one"
            raise InvalidInput(f"{scenario.where}: '{shortened(scenario.name)}' {about}")
        self.name, self.spec, self.table = scenario.name, spec, spec.practice
        self.where = f"{scenario.where}:{scenario.lines.line_of(('practice',))}: practice"
        self.without = {table.run: table for table in spec.tables_without}
        self.asked = [one for one in spec.expect if isinstance(one, Numeric) and one.asked]
        for one in self.asked:
            without = ["without"] * (one.variants[0] in self.without)
            if keys := [*without, *untold(scenario.runs[one.variants[0]], one, texts("en"))]:
                reason = f"no sentence of a sheet tells {listed(keys)}; ask for a number that does not need it"
                raise InvalidInput(f"{self.where}: {reason}")
        self.lesson = [one for one in spec.expect if not isinstance(one, Numeric)]
        self.changes: dict[str, Mapping[str, Any]] = {variant.name: variant.changes for variant in spec.variant}
        self.changes[""] = {}
        self.context = {"folder": Path(scenario.where).parent}
        self.written = spec.written_out
        dropped = (*LISTS_OF_FILE, "sweep", "figure")
        self.document = {key: node for key, node in tomllib.loads(scenario.text).items() if key not in dropped}
        self.words = run(scenario).runs[0].arrays.words
        self.alike = first_alike(self.words)
        self.draw = lru_cache(4096)(self._draw)

    def draw_each(self) -> None:
        """Draw the first sheet, and a problem for each expectation that is asked for.

        Raises `InvalidInput` if one of them has no friendly problem.
        """
        for place in range(1, max(PROBLEMS, len(self.asked)) + 1):
            self.draw(0, place)

    def _draw(self, seed: int, place: int) -> Draw:
        """The problem of a place on the sheet of a seed; raises `InvalidInput` if there is none.

        It differs in at least two of the drawn values from the problems before it on the sheet. The problem of an odd
        seed also differs from those of the seeds beside it, in its answer too; these are even and look at no others.
        """
        before = [self.draw(seed, i) for i in range(1, place)]
        beside = [self.draw(seed + step, place) for step in (-1, 1) if seed % 2]
        random = Random(f"{self.name} {seed} {place}")
        asked = self.asked[(place - 1) % len(self.asked)]
        for _ in range(TRIES):
            found = self.attempt(asked, random)
            if found is None or not all(differ(found.drawn, other.drawn) for other in [*before, *beside]):
                continue
            if all(cells(found.answers[""]) != cells(other.answers[""]) for other in beside):
                return replace(found, answers=self._placed(found.answers, seed, place))
        idle = [name for name in self.table.errors if not mistakes[name](self._written(self.document, asked))]
        what = f"the errors {listed(idle)} change nothing here" if idle else "use larger pools, or further errors"
        raise InvalidInput(f"{self.where}: {TRIES:,} draws gave no problem number {place} that is friendly; {what}")

    def _tried(
        self, asked: Numeric, lesson: Sequence[Expectation], random: Random
    ) -> tuple[tuple[Any, ...], Mapping[str, Any], dict[str, Run]] | None:
        """The values of a draw, the document with them, and the runs of expectations; None if they do not fit."""
        values = self.table.drawn(self.written, self.spec.is_user_key, random)
        document = self._changed(self.document, values)
        pairs = [(one, name) for one in (asked, *lesson) for name in one.variants]
        runs = self.runs(document, {name for _, name in pairs})
        if runs is None or not all(_is_of(one, runs[name]) for one, name in pairs):
            return None
        return (*_leaves(values),), document, runs

    def started(self, asked: Numeric, random: Random) -> Draw | None:
        """The right answer of a draw that need not be friendly; None if its numbers do not fit together."""
        if (tried := self._tried(asked, (), random)) is None:
            return None
        values, document, runs = tried
        arrays, spec = runs[asked.variants[0]]
        return Draw(document, spec, asked, {"": asked.answer(arrays)}, values, ())

    def attempt(self, asked: Numeric, random: Random) -> Draw | None:
        """One draw; None if it is not friendly."""
        if (tried := self._tried(asked, self.lesson, random)) is None:
            return None
        values, document, runs = tried
        arrays, spec = runs[asked.variants[0]]
        right = asked.answer(arrays)
        judged = [one.judge(runs[name][0]) for one in self.lesson for name in one.variants]
        if not (
            np.any(right.values)
            and is_short(right.values)
            and (right.values.size == 1 or without_zero_fields(arrays, arrays.words))
            and holds(judged)
        ):
            return None
        if any(self.alike.get(one, one) != self.alike.get(two, two) for one, two in first_alike(arrays.words).items()):
            return None
        steps, layers = moves(asked, self.lesson), layers_before(asked, spec)
        if not all(step.is_exact(arrays) for step in steps):
            return None
        with fractions(), in_language("en"), np.errstate(all="ignore"):
            parts = (*given(spec, texts("en"), asked, self.lesson),)
            lines = [*up_to_layer(spec.explain(arrays), len(layers))]
            own = asked.words or [step.at for step in steps] or [getattr(asked, "at", None) or ""]
            last = quantity(asked, spec) if len(layers) < 2 else ""
            working = (*relevant(lines, own, last),)
            if last == "turns":
                sweeps = -(-len(right.values) // arrays["input"].values.shape[1])
                working = (*takewhile(lambda line: f"sweep {sweeps + 1}," not in line, working),)
            if is_told(cells(right), parts) or not is_by_hand(map(reduced, working)):
                return None
        with fractions(), np.errstate(all="ignore"):
            told = dict(zip(lines, spec.explain(arrays), strict=False))  # each line in the language of the sheet
            draw = Draw(document, spec, asked, {"": right}, values, tuple(reduced(told[line]) for line in working))
            wrong = dict(islice(self.distinct(draw, _shuffled(self.table.errors, random)), WRONG))
            return replace(draw, answers={**draw.answers, **wrong}) if len(wrong) == WRONG else None

    def distinct(self, draw: Draw, names: Sequence[str]) -> Iterator[tuple[str, Labelled]]:
        """The answers of the runs with these errors that differ from the right one and from each other."""
        seen = [draw.answers[""]]
        for name, answer in self.wrong_answers(draw, names):
            fits = answer.values.shape == seen[0].values.shape and np.any(answer.values)
            if fits and not any(np.all(np.abs(answer.values - one.values) <= NEAR) for one in seen):
                seen.append(answer)
                yield name, answer

    def _placed(self, answers: Mapping[str, Labelled], seed: int, place: int) -> dict[str, Labelled]:
        """The answers in the order of the sheet: four problems in a row have their right ones at four letters."""
        turn, i = divmod(place - 1, WRONG + 1)
        letter = _shuffled(range(WRONG + 1), Random(f"{self.name} {seed} letters {turn}"))[i]
        names = [name for name in answers if name]
        return {name: answers[name] for name in [*names[:letter], "", *names[letter:]]}

    def wrong_answers(self, draw: Draw, names: Sequence[str] = ()) -> Iterator[tuple[str, Labelled]]:
        """The answer of the run with each of these errors, by default those of the table; some are not on the sheet.

        An error that changes nothing, or whose run has no answer, is left out.
        """
        varied = self._changed(draw.document, self.changes[draw.asked.variants[0]])
        written = self._written(draw.document, draw.asked)
        for name in names or self.table.errors:
            changes = mistakes[name](written)
            try:
                runs = self.runs(self._changed(varied, changes), {""}) if changes else None
            except InvalidInput:  # a path that this scenario does not have
                continue
            if runs is not None and _is_of(draw.asked, runs[""]):
                yield name, draw.asked.answer(runs[""][0])

    def _written(self, document: Mapping[str, Any], asked: Numeric) -> dict[str, Any]:
        """The run that is asked for, with all its defaults."""
        varied = self._changed(document, self.changes[asked.variants[0]])
        return type(self.spec).model_validate(varied, context=self.context).written_out

    def runs(self, document: Mapping[str, Any], names: Iterable[str]) -> dict[str, Run] | None:
        """The runs of these names; None if the numbers do not fit together or grow out of range."""
        runs: dict[str, Run] = {}
        for name in names:
            try:
                varied = self._changed(document, self.changes.get(name, {}))
                spec = type(self.spec).model_validate(varied, context=self.context)
                if name in self.without:
                    spec = spec.run_without(self.without[name])
                with np.errstate(all="ignore"):
                    arrays = spec.run(np.random.default_rng(spec.seed))
            except (InvalidInput, ValidationError):
                return None
            numbers = [array.values for array in arrays.values() if array.values.dtype.kind == "f"]
            if not all(np.all(np.isfinite(values)) for values in numbers):
                return None
            runs[name] = arrays, spec
        return runs

    def _changed(self, document: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
        return changed(document, changes, self.written, self.spec.is_user_key)[0]

    def problem(self, draw: Draw, place: int, words: Mapping[str, Any]) -> Problem:
        """The problem of a draw in a language."""
        right = draw.answers[""]
        labels = [*right.labels, *(tuple(map(str, range(1, 1 + size))) for size in right.values.shape)]
        if quantity(draw.asked, draw.spec) == "turns":
            labels = [tuple(map(say, axis)) for axis in labels]
        rows, columns = ((), (), *labels[: right.values.ndim])[-2:]
        with fractions():
            parts = (self.table.text or "", *given(draw.spec, words, draw.asked, self.lesson))
            choices = tuple(
                Choice(cells(answer), name, words["error"][name] if name else "")
                for name, answer in draw.answers.items()
            )
        ask = question(draw.asked, draw.spec, words)
        return Problem(place, tuple(filter(None, parts)), ask, rows, columns, choices, draw.working)


def _is_of(expectation: Expectation, run: Run) -> bool:
    """Whether a run has the words and arrays of an expectation; a drawn text may have lost them."""
    try:
        expectation.judge(run[0])
    except Refused:
        return False
    return True


def is_told(answer: tuple[tuple[str, ...], ...], parts: Iterable[str | Grid]) -> bool:
    """Whether an answer stands on the sheet: a number among its numbers, or each row among the rows of its tables."""
    if len(answer) == len(answer[0]) == 1:
        return answer[0][0] in {*numbers_in(parts), "0", "1"}
    return {*answer} <= {row for part in parts if isinstance(part, Grid) for row in part.cells}


def cells(answer: Labelled) -> tuple[tuple[str, ...], ...]:
    """The numbers of an answer as texts, row by row; a number that is not short has three decimals."""
    rows = np.atleast_2d(np.asarray(answer.values, dtype=float)).tolist()
    return tuple(tuple(number(x if is_short(np.array(x)) else round(x, PLACES)) for x in row) for row in rows)


def _shuffled(entries: Sequence[Any], random: Random) -> list[Any]:
    """The entries in another order."""
    drawn = list(entries)
    random.shuffle(drawn)
    return drawn


def _leaves(value: Any) -> Iterator[Any]:
    """The numbers and words of nested tables and lists."""
    if isinstance(value, list | dict):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _leaves(one)
    else:
        yield value


def differ(one: Sequence[Any], other: Sequence[Any]) -> bool:
    """Whether two problems differ in at least two of their drawn values."""
    return len(one) != len(other) or sum(a != b for a, b in zip(one, other, strict=True)) >= 2
