"""Results within the range of numbers: a call whose result is not finite, though its arguments are, is refused."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import partial, wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np

from hopattn.foundation.arrays import is_foreign_array
from hopattn.foundation.errors import InvalidInput

Given = ParamSpec("Given")
Result = TypeVar("Result")


def in_range(call: Callable[Given, Result], may_be: Callable[[Any], Any] = np.isfinite) -> Callable[Given, Result]:
    """A function or a method that raises `InvalidInput` where its result is NaN or infinite, and its arguments are not.

    may_be: the numbers that a result may have; energies may be infinite. The message names the argument, or the field
    of the object, with the largest number. Arrays of PyTorch and JAX overflow as they do there. Where
    `np.errstate(over="ignore")` says that overflow is expected, results are unchanged. Nested calls are not checked;
    the outermost call is, and gives the message.
    """

    @wraps(call)
    def checked(*args: Given.args, **kwargs: Given.kwargs) -> Result:
        if any(map(is_foreign_array, (*args, *kwargs.values()))) or np.geterr()["over"] == "ignore":
            return call(*args, **kwargs)
        result: Any = None
        with np.errstate(over="ignore", invalid="ignore"):
            try:
                result = call(*args, **kwargs)
                failed = False
            except (OverflowError, np.linalg.LinAlgError):  # of Python's numbers; of an array that is not finite
                failed = True
        if failed or not all(may_be(array).all() for _, array in _arrays(result)):
            given = list(_arrays(inspect.signature(call).bind(*args, **kwargs).arguments))
            if failed or (given and all(np.isfinite(array).all() for _, array in given)):
                largest = partial(max, key=lambda one: float(np.abs(one[1]).max()))
                numbers = [one for one in given if one[1].ndim or "." not in one[0]]
                name, array = largest(numbers or given)
                message = f"numbers of size {np.abs(array).max():.3g} give a result beyond those of {array.dtype}"
                parameter, value = largest(given)  # that of a part, such as a power, has no dtype of its own
                cause = "" if parameter == name or value.ndim else f" with {parameter} = {value:g}"
                raise InvalidInput(f"{name}: {message}{cause}; expected smaller ones")
        return result  # type: ignore[no-any-return]

    return checked


def no_nan(call: Callable[Given, Result]) -> Callable[Given, Result]:
    """The same for a result that may be +∞, such as the energy of a state that cannot be; −∞ is an overflow."""
    return in_range(call, lambda array: array > -np.inf)


def _arrays(value: Any, name: str = "") -> Iterator[tuple[str, np.ndarray]]:
    """The arrays of numbers in a value, each with the name of the argument, or the path of the field, that holds it."""
    if isinstance(value, (np.ndarray, np.generic, float, int)):
        array = np.asarray(value)
        if array.dtype.kind in "iuf" and array.size:
            yield name, array
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield from _arrays(part, str(key))
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from _arrays(part, name)
    elif is_dataclass(value):
        whole = type(value).__name__ if name in ("", "self") else name
        for field in fields(value):
            yield from _arrays(getattr(value, field.name), f"{whole}.{field.name}")
