"""How we compute a published number: a formula of `ha.theory`, a measure of a scenario, or a trial of `trials.py`.

Each way has `values`, one of a formula, or one of each seed; `command`, by which a shell computes a value; and
`working`, the formula with its source, or the arithmetic of a seed.
"""

import inspect
import re
import shlex
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from hopattn import theory
from hopattn.experiments.sweeps.of_scenario import measured
from hopattn.foundation.errors import InvalidInput, a_class, listed
from hopattn.papers import trials
from hopattn.scenario.files import shipped
from hopattn.scenario.kinds.simulation import simulations
from hopattn.scenario.language.table import NameIn, Table, Text
from hopattn.scenario.loading import Scenario, load_scenario, parse
from hopattn.scenario.running import once, run

MOST_LINES = 40
"""The most lines of the arithmetic of a scenario that are shown."""
TRIALS = {**simulations, **{name: one for name, one in vars(trials).items() if inspect.isfunction(one)}}
"""The functions that a record may name in `trial`."""
ScenarioName = Annotated[Text, NameIn(shipped())]


class Formula(Table):
    """The value of a function of `ha.theory`, or a part of it."""

    theory: Annotated[Text, NameIn(dict.fromkeys(dir(theory)))]
    given: dict[str, Any] = Field(default_factory=dict)
    """The arguments by their names."""
    part: Text | int | None = None
    """The part of the result that is meant: attributes, keys and indices with dots between them, such as "reach.0"."""

    def values(self) -> Iterator[float]:
        value = called(getattr(theory, self.theory), "given", **self.given)
        for step in str(self.part).split(".") if self.part is not None else ():
            value = _part(value, step)
        numbers = np.asarray(value, dtype=float)
        if numbers.size != 1:
            raise InvalidInput(f"theory: '{self.theory}' gives {numbers.size} numbers; choose one by `part`")
        yield float(numbers.reshape(()))

    @property
    def command(self) -> str:
        steps = [] if self.part is None else str(self.part).split(".")
        part = "".join(f"[{step}]" if step.isdigit() else f".{step}" for step in steps)
        return _python(f"import hopattn as ha; print(ha.theory.{_call(self.theory, self.given)}{part})")

    @property
    def working(self) -> str:
        function = getattr(theory, self.theory)
        about = re.split(r"\n\n(?:Examples\n-+\n)?>>>", inspect.getdoc(function) or "")[0]
        room = str(inspect.getdoc(inspect.getmodule(function)))
        return "\n\n".join([f"    ha.theory.{_call(self.theory, self.given)}", about, room])


class Measure(Table):
    """A measure of a shipped scenario, over the seeds from 0 on."""

    scenario: ScenarioName
    measure: Text
    set: dict[str, Any] = Field(default_factory=dict)
    """Changes of values, as for --set."""
    trials: Annotated[int, Field(ge=1, le=10_000)] = 1

    @property
    def changed(self) -> Scenario:
        """The scenario with its changes."""
        base = load_scenario(shipped()[self.scenario])
        return parse(base.text, base.where, base.name, self.set)

    def values(self) -> Iterator[float]:
        scenario = self.changed
        for seed in range(self.trials):
            yield measured(self.measure, *once(scenario, np.random.SeedSequence(seed)))

    @property
    def command(self) -> str:
        changes = (shlex.quote(f"{key}={_toml(value)}") for key, value in self.set.items())
        return " ".join([f"hopattn run {self.scenario} --seed 0", *(f"--set {change}" for change in changes)])

    @property
    def working(self) -> str:
        lines = [line for one in run(self.changed, rng=0, explain=True).runs if not one.name for line in one.working]
        more = [f"… {len(lines):,} lines; --explain writes all"] * (len(lines) > MOST_LINES)
        return "\n".join(f"    {line}" for line in (*islice(lines, MOST_LINES), *more))


class Trial(Table):
    """A simulation, or a function of `trials.py`, over the seeds from 0 on."""

    trial: Annotated[Text, NameIn(TRIALS)]
    given: dict[str, Any] = Field(default_factory=dict)
    trials: Annotated[int, Field(ge=1, le=10_000)] = 1

    def values(self) -> Iterator[float]:
        for seed in range(self.trials):
            yield float(called(TRIALS[self.trial], "given", np.random.default_rng(seed), **self.given))

    @property
    def command(self) -> str:
        made = _call(self.trial, self.given, "np.random.default_rng(0)")
        return _python(f"import numpy as np; from {TRIALS[self.trial].__module__} import {self.trial}; print({made})")

    @property
    def working(self) -> str:
        return inspect.getdoc(TRIALS[self.trial]) or ""


Way = Formula | Measure | Trial


def called(function: Any, key: str, *args: Any, **given: Any) -> Any:
    """The result of a function; raises `InvalidInput` for a keyword that it does not have or that is missing."""
    try:
        inspect.signature(function).bind(*args, **given)
    except TypeError as error:
        known = listed(inspect.signature(function).parameters)
        raise InvalidInput(f"{key}: {error}; {function.__name__} takes {known}") from None
    return function(*args, **given)


def _part(value: Any, step: str) -> Any:
    """An attribute, a key or an index of a value."""
    try:
        return value[int(step)] if step.isdigit() else value[step] if isinstance(value, dict) else getattr(value, step)
    except (AttributeError, LookupError, TypeError):
        raise InvalidInput(f"part: '{step}' is no part of {a_class(type(value))}") from None


def _python(code: str) -> str:
    return f"python -c {shlex.quote(code)}"


def _call(name: str, given: Mapping[str, Any], *args: str) -> str:
    """A call as Python writes it."""
    return f"{name}({', '.join([*args, *('='.join((key, repr(value))) for key, value in given.items())])})"


def _toml(value: Any) -> str:
    """A value of --set; a text needs no quotes if it is a word."""
    return value if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else f"{value}"
