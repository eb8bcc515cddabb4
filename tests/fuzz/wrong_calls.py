"""Wrong calls: each public function and method, with hostile values instead of arguments that work.

A case is plain data: {"call": "attention", "arguments": {"beta": "float('nan')"}}.
"""

import dataclasses
import inspect
import warnings
from contextlib import suppress
from functools import cache
from typing import get_args

import numpy as np
from hypothesis import strategies as st
from matplotlib import pyplot

from hopattn.foundation.shown_types import declared
from tests.fuzz.calls import functions
from tests.fuzz.hostile import NOT_FINITE, VALUES
from tests.fuzz.methods import methods
from tests.fuzz.missing import show

MOST = 3
"""The most arguments of a case that are replaced."""
LONG = {("circuits.train", "recipe", "None")}
"""Calls that work, and take a minute."""

TEMPERATURES = ("retrieval_temperature", "retrieval_temperatures", "stable_temperature", "stable_temperatures")
MAY_GIVE_NAN = {"Sweep.interval", "Sweep.mean"} | {
    f"theory.{name}" for name in (*TEMPERATURES, "replica_temperature", "sphere_temperature", "free_energy")
}
"""Calls that give NaN where there is no such number, as their docstrings say."""


@cache
def calls():
    """Every call by its name: a function that gives what is called, and arguments with which it works."""
    return {**functions(), **methods()}


@cache
def parameters(call):
    """The names of the parameters of a call, and of its options."""
    called, _ = calls()[call]()
    found = []
    for one in declared(called).parameters.values():
        options = get_args(one.annotation) if one.kind is one.VAR_KEYWORD else ()
        found += [*options[0].__annotations__] if options else [one.name]
    return tuple(found)


def values(call, name):
    """The names of the values that an argument may be replaced with."""
    return [value for value in VALUES if (call, name, value) not in LONG]


def cases():
    """Cases with one to three arguments replaced."""
    return st.sampled_from([call for call in calls() if parameters(call)]).flatmap(_cases_of)


def _cases_of(call):
    replaced = st.lists(st.sampled_from(parameters(call)), min_size=1, max_size=MOST, unique=True)
    arguments = replaced.flatmap(
        lambda names: st.fixed_dictionaries({name: st.sampled_from(values(call, name)) for name in names})
    )
    return st.fixed_dictionaries({"call": st.just(call), "arguments": arguments})


def prepare():
    """Make all calls ready, with the libraries of arrays that they take: array-api-compat looks into these."""
    show()
    with suppress(ImportError):
        import torch

        torch.set_num_threads(1)  # threads that it has started are missing in a forked process, which waits for them
    calls()


def attempt(case):
    """Make the call of a case. Raises `GaveNaN` where it gives NaN, and no argument holds one or an infinity."""
    called, arguments = calls()[case["call"]]()
    arguments |= {name: VALUES[value]() for name, value in case["arguments"].items()}
    several = [one.name for one in inspect.signature(called).parameters.values() if one.kind is one.VAR_POSITIONAL]
    finite = not any(odd in value for value in case["arguments"].values() for odd in NOT_FINITE)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = called(*[arguments.pop(name) for name in several if name in arguments], **arguments)
        computes = case["call"] not in MAY_GIVE_NAN and not inspect.isclass(called)
        if finite and computes and any(np.isnan(array).any() for array in arrays_in(result)):
            raise GaveNaN(case["call"])
    finally:
        pyplot.close("all")


class GaveNaN(ArithmeticError):
    """A call of finite numbers gave NaN."""


def arrays_in(result):
    """The arrays of floating-point numbers in a result, in lists and in objects of ours."""
    if isinstance(result, (np.ndarray, np.generic, float)):
        yield from [array for array in [np.asarray(result)] if array.dtype.kind == "f"]
    elif isinstance(result, (list, tuple)):
        for part in result:
            yield from arrays_in(part)
    elif dataclasses.is_dataclass(result) and not isinstance(result, type):
        for field in dataclasses.fields(result):
            yield from arrays_in(getattr(result, field.name))
