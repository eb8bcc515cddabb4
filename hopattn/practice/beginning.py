"""A first table [practice] for a scenario: what it asks, what it draws anew, and mistakes that change the answer.

What may be drawn, and from which pools, stands beside each field, by `Told`. A first table is tried before it is given.
"""

import json
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import groupby
from random import Random
from typing import Any

import numpy as np

from hopattn.foundation.errors import InvalidInput, listed
from hopattn.practice.drawing import PROBLEMS, Draw, Exercise, cells, differ
from hopattn.practice.telling import KINDS
from hopattn.practice.wording import base_of, layers_before, quantity, used_words
from hopattn.scenario.arrays import Arrays
from hopattn.scenario.expectations.base import Numeric
from hopattn.scenario.expectations.numbers import MatrixIs, VectorIs
from hopattn.scenario.language.lines import dotted
from hopattn.scenario.language.table import PoolEntry, Table, Told
from hopattn.scenario.loading import Scenario, parse
from hopattn.scenario.mistakes import mistakes
from hopattn.scenario.practice_table import pools
from hopattn.scenario.running import run

Form = dict[str, Any]
"""The keys of an expectation and their values."""
DRAWS = 400
"""The number of draws by which a first table is tried."""
FIRST = 5
"""The number of draws one of which shows whether enough errors change the answer."""
ERRORS = 3, 5
"""The least and the largest number of errors that a question of a first table begins with."""
SLIPS = ("first-product-alone", "last-number-left-out", "numbers-in-another-order", "sign-exchanged", "signs-lost")
"""The errors of arithmetic, which come after those of the subject."""
MATRICES: tuple[Form, ...] = (
    TURNS := {"matrix": "turns", "columns": ["field", "after"]},
    *({"matrix": name} for name in ("field", "hidden", "weights", "scores")),
    COUPLINGS := {"matrix": "couplings"},
)
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
    every, reason = sorted(mistakes, key=lambda name: name in SLIPS), ""
    for questions in _questions(scenario):
        for vary in _vary_tables(scenario, questions[0]):
            try:
                exercise = Exercise(_with(scenario, questions, vary, every))
                reason = few
                if errors := _errors(exercise):
                    result = parse(_with(scenario, questions, vary, errors).text, where, scenario.name)
                    Exercise(result).draw_each()
                    return result.text.removeprefix(scenario.text)
            except InvalidInput as error:
                reason = reason or str(error).rpartition(": ")[2]
    raise InvalidInput(f"{where}: no practice problem was found: {reason or few}")


def _questions(scenario: Scenario) -> Iterator[list[Form]]:
    """Expectations of numbers that problems may ask for in turn: those of the file that are met, then others.

    Of couplings that the file prints, three: the flow neuron by neuron, the field of a neuron, and the energy.
    """
    spec: Any = scenario.spec
    entries, runs = tomllib.loads(scenario.text).get("expect", []), {one.name: one.arrays for one in run(scenario).runs}
    arrays, memory = runs[""], getattr(spec, "memory", None)
    tokens = [token for one in spec.expect if one.variants == [""] and (token := getattr(one, "at", None))]
    tokens += [arrays[name].labels[0][-1] for name in ("state", "layer 1 state") if name in arrays][:1]
    if memory is not None and memory.couplings:
        forms = (
            TURNS,
            {"matrix": "field", "columns": [*spec.vocabulary.axes[:2][-1:]]},
            {"matrix": "energy", "columns": ["0"]},
        )
        yield [question for form in forms if (question := _answered(form | {"at": tokens[0]}, arrays))]
    for entry, one in zip(entries, spec.expect, strict=True):
        if isinstance(one, Numeric) and not isinstance(one.variant, list) and one.judge(runs[one.variants[0]]).met:
            yield [{key: value for key, value in entry.items() if key not in ("stated", "erratum")}]
    of_head: tuple[Form, ...] = ({"of": "output"},) if getattr(spec, "layer", None) else ()
    vectors = [{"at": token, **of} for of in (*of_head, {}) for token in dict.fromkeys(tokens)]
    matrices = [form | {"at": tokens[0]} if form is TURNS else form for form in MATRICES]
    if memory is not None and (memory.has_own_side or {*spec.tokens} <= {*memory.patterns}):  # whose recall is no news
        vectors, matrices = [], [COUPLINGS, *MATRICES[1:]]
    for form in (*vectors, *matrices):
        if question := _answered(form, arrays):
            yield [question]


def _answered(form: Form, arrays: Arrays) -> Form:
    """A question with its answer, of the first layer and head where there are several; empty where there is none."""
    for place in ({}, {"layer": 1}, {"layer": 1, "head": 1}):
        with suppress(InvalidInput, ValueError):
            if "matrix" in form:
                turns = arrays["input"].values.shape[-1] if "input" in arrays else 1  # those of the first sweep
                values = MatrixIs.model_validate({**form, **place, "is": [[0.0]] * turns}).answer(arrays).values
            else:
                values = VectorIs.model_validate({**form, **place, "is": [0.0]}).answer(arrays).values
            return {**form, **place, "is": (np.round(values, 12) + 0.0).tolist()}
    return {}


def _vary_tables(scenario: Scenario, question: Form) -> Iterator[dict[str, PoolEntry]]:
    """Tables of what may be drawn anew, with the pools: all values, those of one table, or the last ones."""
    spec = scenario.spec
    words = {word for one in scenario.runs.values() for word in used_words(one)}
    words = {question["at"]} if spec.kind == "cue" and "at" in question else words
    of_0_and_1 = getattr(getattr(getattr(spec, "stored", None), "activation", None), "silent", None) == 0
    pairs = list[tuple[str, PoolEntry]]()
    for path, value, choices in _values(spec, (), words):
        if question.get("matrix") == COUPLINGS["matrix"] and path.startswith("cue."):  # which come after them
            continue
        choices = ("bits", *choices) if of_0_and_1 else choices
        pairs += [(path, pool) for pool in choices if _holds(pool, value)][:1]
    groups = [dict(group) for _, group in groupby(pairs, key=lambda one: one[0].partition(".")[0])]
    yield from [dict(pairs)] * bool(pairs)
    yield from groups if len(groups) > 1 else []
    yield from (dict(pairs[-n:]) for n in (2, 1) if len(pairs) > n)


def _values(table: Table, path: tuple[str, ...], words: set[str]) -> Iterator[tuple[str, Any, Sequence[PoolEntry]]]:
    """The values of a table and of those in it that may be drawn: the path, the value, and its pools.

    words: those of the vocabulary that a problem needs.
    """
    printed = getattr(table, "couplings", None) is not None  # so that no problem needs what is stored
    for key, field in type(table).model_fields.items():
        if printed and key == "stored":
            continue
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
        elif isinstance(value, list | dict):
            entries = value.items() if isinstance(value, dict) else enumerate(value, start=1)
            for name, one in entries:
                yield from _values(one, (*place, str(name)), words) if isinstance(one, Table) else ()


def _holds(pool: PoolEntry, value: Any) -> bool:
    """Whether a value may have been drawn from a pool."""
    if isinstance(pool, list):
        return value in pool
    options = {} if isinstance(pool, str) else {key: one for key, one in pool.items() if key != "name"}
    return pools.make(pool if isinstance(pool, str) else pool["name"], **options).holds(value)


def _with(
    scenario: Scenario, questions: Sequence[Form], vary: Mapping[str, PoolEntry], errors: Sequence[str]
) -> Scenario:
    """A scenario with expectations that are asked for, and a table [practice] at its end."""
    lines = [scenario.text.removesuffix("\n"), ""]
    for question in questions:
        lines += ["[[expect]]  # what a problem asks for"]
        lines += [*(f"{key} = {_toml(value)}" for key, value in question.items()), "asked = true", ""]
    lines += [
        *("[practice]  # the errors behind wrong answers", f"errors = {_toml(errors)}"),
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
    """The errors that change the answers to each question in most problems, each in another way; none where too few do.

    For each question there must be a sheet of friendly problems among `DRAWS` draws, and one problem among the first
    fifth.
    """
    errors = dict[str, None]()
    for asked in exercise.asked:
        if not (often := _errors_of(exercise, asked)):
            return []
        errors |= dict.fromkeys(often)
    return [*errors]


def _errors_of(exercise: Exercise, asked: Numeric) -> list[str]:
    """The errors that change the answers to one question."""
    least, most = ERRORS
    random, counts, sheet = Random(0), Counter[str](), list[Draw]()
    for i in range(DRAWS if _may_have_errors(exercise, asked) else 0):
        if len(sheet) == PROBLEMS or (not sheet and 5 * i > DRAWS):
            break
        draw = exercise.attempt(asked, random)
        if draw is not None and all(differ(draw.drawn, other.drawn) for other in sheet):
            sheet.append(draw)
            counts.update(name for name, _ in exercise.distinct(draw, exercise.table.errors))
    often = [name for name in exercise.table.errors if 2 * counts[name] > len(sheet)][:most]
    several = len({cells(draw.answers[""]) for draw in sheet}) > 1
    return often if len(sheet) == PROBLEMS and several and len(often) >= least else []


def _may_have_errors(exercise: Exercise, asked: Numeric) -> bool:
    """Whether enough errors change the answer to one of the first draws."""
    random = Random(0)
    for _ in range(FIRST):
        draw = exercise.started(asked, random)
        if (
            draw is not None
            and not _is_of_e(draw)
            and len([*exercise.distinct(draw, exercise.table.errors)]) >= ERRORS[0]
        ):
            return True
    return False


def _is_of_e(draw: Draw) -> bool:
    """Whether the answer needs the powers of e of a softmax, which are no short numbers."""
    layers, memory = layers_before(draw.asked, draw.spec), getattr(draw.spec, "memory", None)
    tables = [head for layer in layers for head in layer.head if head.weights is None]
    if quantity(draw.asked, draw.spec) == "scores":
        tables = tables[: -len(layers[-1].head)] if layers else []
    elif memory is not None and memory.model is None and memory.couplings is None:
        tables = [memory]
    return any(table.separation == "softmax" and base_of(table) is None for table in tables)
