"""A first table [practice] for a scenario: what it asks, what it draws anew, and mistakes that change the answer.

What may be drawn, and from which pools, stands beside each field, by `Told`. A first table is tried before it is given.
"""

import json
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from random import Random
from typing import Any

import numpy as np

from hopattn.foundation.errors import InvalidInput, listed
from hopattn.practice.drawing import PROBLEMS, Draw, Exercise, are_near, differ
from hopattn.practice.telling import KINDS
from hopattn.practice.wording import used_words
from hopattn.scenario.expectations.base import Numeric
from hopattn.scenario.expectations.numbers import MatrixIs, VectorIs
from hopattn.scenario.language.lines import dotted
from hopattn.scenario.language.table import PoolEntry, Table, Told
from hopattn.scenario.loading import Scenario, parse
from hopattn.scenario.mistakes import mistakes
from hopattn.scenario.practice_table import pools
from hopattn.scenario.running import run

DRAWS = 200
"""The number of draws by which a first table is tried."""
ERRORS = 3, 5
"""The least and the largest number of errors of a first table."""
POWERS_OF_E = "weights (softmax, β = "
"""What the working of a softmax of e holds; its weights are short numbers only where scores are large or alike."""
MATRICES = ("field", "weights", "scores", "couplings")
"""The matrices that a first table may ask for, the best first."""


def first_table(scenario: Scenario) -> str:
    """The text to add at the end of a scenario so that it has practice problems: an expectation, and [practice].

    Raises `InvalidInput` for a scenario that has the table already, or of which no sheet can be drawn.
    """
    spec, where = scenario.spec, scenario.where
    if spec.practice is not None:
        raise InvalidInput(f"{where}: has a table [practice] already, and is left as it is")
    if spec.kind not in KINDS:
        raise InvalidInput(f"{where}: kind '{spec.kind}' has no practice problems; sheets tell {listed(KINDS)}")
    problems = f"{PROBLEMS} different problems whose answers are short numbers and change with {ERRORS[0]} errors"
    few = f"no draws gave {problems}; use short numbers, and in a softmax base = 2 and whole scores"
    reason = ""
    for expectation in _expectations(scenario):
        document = scenario.runs[expectation.get("variant", "")].written_out
        every = [name for name in mistakes if mistakes[name](document)]
        for vary in _vary_tables(scenario, expectation):
            try:
                exercise = Exercise(_with(scenario, expectation, vary, every))
                reason = few
                if errors := _errors(exercise):
                    result = parse(_with(scenario, expectation, vary, errors).text, where, scenario.name)
                    Exercise(result).draw_each()
                    return result.text.removeprefix(scenario.text)
            except InvalidInput as error:
                reason = reason or str(error).rpartition(": ")[2]
    raise InvalidInput(f"{where}: no practice problem was found: {reason or few}")


def _expectations(scenario: Scenario) -> Iterator[dict[str, Any]]:
    """Expectations of numbers that a problem may ask for: those of the file that are met, then others."""
    entries, runs = tomllib.loads(scenario.text).get("expect", []), {one.name: one.arrays for one in run(scenario).runs}
    for entry, one in zip(entries, scenario.spec.expect, strict=True):
        if isinstance(one, Numeric) and not isinstance(one.variant, list) and one.judge(runs[one.variants[0]]).met:
            yield {key: value for key, value in entry.items() if key not in ("stated", "erratum")}
    arrays = runs[""]
    tokens = [getattr(one, "at", None) for one in scenario.spec.expect if one.variants == [""]]
    tokens += [arrays[name].labels[0][-1] for name in ("state", "layer 1 state") if name in arrays][:1]
    vectors = [{"at": token, **of} for of in ({"of": "output"}, {}) for token in dict.fromkeys(tokens) if token]
    for form in (*vectors, *({"matrix": name} for name in MATRICES)):
        for place in ({}, {"layer": 1}, {"layer": 1, "head": 1}):
            model, zeros = (MatrixIs, [[0.0]]) if "matrix" in form else (VectorIs, [0.0])
            try:
                values = model.model_validate({**form, **place, "is": zeros}).answer(arrays).values
            except (InvalidInput, ValueError):
                continue
            yield {**form, **place, "is": (np.round(values, 12) + 0.0).tolist()}
            break


def _vary_tables(scenario: Scenario, expectation: Mapping[str, Any]) -> Iterator[dict[str, PoolEntry]]:
    """Tables of what may be drawn anew, with the pools: all values, those of one table, or the last ones."""
    words = {word for one in scenario.runs.values() for word in used_words(one)}
    words = {expectation["at"]} if scenario.spec.kind == "cue" and "at" in expectation else words
    pairs = list[tuple[str, PoolEntry]]()
    for path, value, choices in _values(scenario.spec, (), words):
        pairs += [(path, pool) for pool in choices if _holds(pool, value)][:1]
    groups = [dict(group) for _, group in groupby(pairs, key=lambda one: one[0].partition(".")[0])]
    yield from [dict(pairs)] * bool(pairs)
    yield from groups if len(groups) > 1 else []
    yield from (dict(pairs[-n:]) for n in (2, 1) if len(pairs) > n)


def _values(table: Table, path: tuple[str, ...], words: set[str]) -> Iterator[tuple[str, Any, Sequence[PoolEntry]]]:
    """The values of a table and of those in it that may be drawn: the path, the value, and its pools.

    words: those of the vocabulary that a problem needs.
    """
    for key, field in type(table).model_fields.items():
        told, value = next((one for one in field.metadata if isinstance(one, Told)), None), getattr(table, key)
        if told is None or value is None:
            continue
        place = (*path, field.alias or key)
        if told.pools and isinstance(value, dict):
            vectors = {name: vector for name, vector in value.items() if key != "words" or name in words}
            choices = told.pools[:1] if _holds(told.pools[0], vectors) else told.pools[1:]
            yield from ((dotted((*place, name)), vector, choices) for name, vector in vectors.items())
        elif told.pools and not isinstance(value, Table):
            yield dotted(place), value, told.pools
        elif isinstance(value, Table):
            yield from _values(value, place, words)
        elif isinstance(value, list):
            for i, one in enumerate(value, start=1):
                yield from _values(one, (*place, str(i)), words) if isinstance(one, Table) else ()


def _holds(pool: PoolEntry, value: Any) -> bool:
    """Whether a value may have been drawn from a pool."""
    if isinstance(pool, list):
        return value in pool
    options = {} if isinstance(pool, str) else {key: one for key, one in pool.items() if key != "name"}
    return pools.make(pool if isinstance(pool, str) else pool["name"], **options).holds(value)


def _with(
    scenario: Scenario, expectation: Mapping[str, Any], vary: Mapping[str, PoolEntry], errors: Sequence[str]
) -> Scenario:
    """A scenario with an expectation that is asked for, and a table [practice] at its end."""
    lines = [
        *(scenario.text.removesuffix("\n"), "", "[[expect]]  # what a problem asks for"),
        *(f"{key} = {_toml(value)}" for key, value in expectation.items()),
        *("asked = true", "", "[practice]  # the errors behind wrong answers", f"errors = {_toml(errors)}"),
        "[practice.vary]  # what a problem draws anew, and from which pool",
        *(f"{_toml(path)} = {_toml(pool)}" for path, pool in vary.items()),
    ]
    return parse("\n".join([*lines, ""]), scenario.where, scenario.name, ask=False)


def _toml(value: Any) -> str:
    """A text, a number, a list or a table as TOML writes it."""
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{dotted([key])} = {_toml(one)}' for key, one in value.items())} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value, ensure_ascii=False)


def _errors(exercise: Exercise) -> list[str]:
    """The errors that change the answers of most problems, each in another way; none where too few do.

    Enough must change the answer to the file's own numbers. There must be a sheet of friendly problems among `DRAWS`
    draws, and one problem among the first third.
    """
    least, most = ERRORS
    asked = exercise.asked[0]
    runs = exercise.runs(exercise.document, asked.variants)
    if runs is None:
        return []
    ((arrays, spec),) = runs.values()
    start = Draw(exercise.document, spec, asked, {"": asked.answer(arrays)}, (), ())
    random, counts, sheet = Random(0), Counter[str](), list[Draw]()
    hidden = isinstance(asked, MatrixIs)  # a symmetric matrix may hide an error
    for i in range(DRAWS if len([*_distinct(exercise, start)]) + hidden >= least else 0):
        if len(sheet) == PROBLEMS or (not sheet and 3 * i > DRAWS):
            break
        draw = exercise.attempt(asked, random)
        if draw is None or any(POWERS_OF_E in line for line in draw.working):
            continue
        if all(differ(draw.drawn, other.drawn) for other in sheet):
            sheet.append(draw)
            counts.update(_distinct(exercise, draw))
    often = [name for name, count in counts.most_common(most) if 2 * count > len(sheet)]
    return often if len(sheet) == PROBLEMS and len(often) >= least else []


def _distinct(exercise: Exercise, draw: Draw) -> Iterator[str]:
    """The errors of a draw whose answers differ from the right one and from those of the errors before them."""
    seen = [draw.answers[""]]
    for name, answer in exercise.wrong_answers(draw):
        if answer.values.shape == seen[0].values.shape and not any(are_near(answer, one) for one in seen):
            seen.append(answer)
            yield name
