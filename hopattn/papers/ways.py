"""How we compute a published number: a formula of `ha.theory`, a measure of a scenario, or a trial of `trials.py`.

A way gives values: one of a formula, or one of each seed of a scenario or a trial.
"""

import inspect
import shlex
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from hopattn import theory
from hopattn.experiments.sweep.of_scenario import measured
from hopattn.foundation.errors import InvalidInput, listed, unknown
from hopattn.papers import trials
from hopattn.scenario.files import shipped
from hopattn.scenario.language.fields import Table, Text
from hopattn.scenario.loading import Scenario, load, parse
from hopattn.scenario.running import once, run

MOST_LINES = 40
"""The most lines of the arithmetic of a scenario that are shown."""
TRIALS = {name: function for name, function in vars(trials).items() if inspect.isfunction(function)}
"""The functions that a record may name in `trial`."""


class Way(Table):
    """One way to compute a number."""

    @abstractmethod
    def problem(self) -> str:
        """The fault of a name that is not known, with its key; empty if there is none."""

    @abstractmethod
    def values(self) -> Iterator[float]:
        """The values, one of each seed."""

    @property
    @abstractmethod
    def command(self) -> str:
        """A command of a shell that computes a value."""

    @property
    @abstractmethod
    def working(self) -> str:
        """The formula with its source, or the arithmetic of the first seed."""


class Formula(Way):
    """The value of a function of `ha.theory`, or a part of it."""

    theory: Text
    given: dict[str, Any] = Field(default_factory=dict)
    """The arguments by their names."""
    part: Text | int | None = None
    """The part of the result that is meant: attributes, keys and indices with dots between them, such as "reach.0"."""

    def problem(self) -> str:
        return "" if self.theory in dir(theory) else f"theory: {unknown(self.theory, dir(theory))}"

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
        part = "".join(f"[{step}]" if _index(step) else f".{step}" for step in str(self.part or "").split(".") if step)
        return _python(f"import hopattn as ha; print(ha.theory.{_call(self.theory, self.given)}{part})")

    @property
    def working(self) -> str:
        function = getattr(theory, self.theory)
        docs = inspect.getdoc(inspect.getmodule(function)), (inspect.getdoc(function) or "").partition("\n\n>>>")[0]
        return "\n\n".join([str(docs[0]), f"ha.theory.{_call(self.theory, self.given)}", docs[1]])


class Measure(Way):
    """A measure of a shipped scenario, over the seeds from 0 on."""

    scenario: Text
    measure: Text
    set: dict[str, Any] = Field(default_factory=dict)
    """Changes of values, as for --set."""
    trials: Annotated[int, Field(ge=1)] = 1

    def problem(self) -> str:
        return "" if self.scenario in shipped() else f"scenario: {unknown(self.scenario, shipped())}"

    @property
    def changed(self) -> Scenario:
        """The scenario with its changes."""
        base = load(shipped()[self.scenario])
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
        return "\n".join([*islice(lines, MOST_LINES), *more])


class Trial(Way):
    """A function of `trials.py`, over the seeds from 0 on."""

    trial: Text
    given: dict[str, Any] = Field(default_factory=dict)
    trials: Annotated[int, Field(ge=1)] = 1

    def problem(self) -> str:
        return "" if self.trial in TRIALS else f"trial: {unknown(self.trial, TRIALS)}"

    def values(self) -> Iterator[float]:
        for seed in range(self.trials):
            yield float(called(TRIALS[self.trial], "given", np.random.default_rng(seed), **self.given))

    @property
    def command(self) -> str:
        made = _call(self.trial, self.given, "np.random.default_rng(0)")
        return _python(f"import numpy as np; from hopattn.papers.trials import {self.trial}; print({made})")

    @property
    def working(self) -> str:
        return inspect.getdoc(TRIALS[self.trial]) or ""


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
    if isinstance(value, Mapping):
        found = {str(key): one for key, one in value.items()}
    elif _index(step):
        found = {str(i): one for i, one in enumerate(value)}
    else:
        found = {name: getattr(value, name) for name in dir(value) if not name.startswith("_")}
    if step not in found:
        raise InvalidInput(f"part: {unknown(step, found)}")
    return found[step]


def _index(step: str) -> bool:
    return step.isdigit()


def _python(code: str) -> str:
    return f"python -c {shlex.quote(code)}"


def _call(name: str, given: Mapping[str, Any], *args: str) -> str:
    """A call as Python writes it."""
    return f"{name}({', '.join([*args, *('='.join((key, repr(value))) for key, value in given.items())])})"


def _toml(value: Any) -> str:
    """A value of --set; a text needs no quotes if it is a word."""
    return value if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else f"{value}"
