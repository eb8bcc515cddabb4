"""Declared checks: the annotation of a parameter or a field says what it must be.

    @checked
    def hebb(patterns: Rows, self_coupling: Flag = False): ...

    @dataclass(frozen=True)
    class Entmax(Declared):
        alpha: Annotated[float, partial(real, above=1)] = 1.5

A check takes the value and its name, and what it returns is put in. A value that is the default of its parameter is
left as it is, so that None may stand for "not given".
"""

import inspect
import sys
from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass
from functools import wraps
from typing import Annotated, Any, ClassVar, ParamSpec, TypeVar, get_origin

from hopattn.foundation.arrays import Array, stored_rows
from hopattn.foundation.arrays import shaped as shaped
from hopattn.foundation.checks import flag, moderate, positive, real, whole

Given = ParamSpec("Given")
Result = TypeVar("Result")
Check = Callable[[Any, str], Any]
PLACED = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD


@dataclass(frozen=True)
class Shape:
    """The check that an array has these axes, as `shaped` does it."""

    axes: str

    def __call__(self, value: Any, what: str) -> Array:
        return shaped(value, what, self.axes)


Positive = Annotated[float, positive]
Moderate = Annotated[float, moderate]
Real = Annotated[float, real]
Count = Annotated[int, whole]
Flag = Annotated[bool, flag]
Rows = Annotated[Any, stored_rows]


def check_of(annotation: Any) -> Check | None:
    """The check that an annotation declares, or None."""
    declared = annotation.__metadata__ if get_origin(annotation) is Annotated else ()
    return next(filter(callable, declared), None)


def checked(call: Callable[Given, Result]) -> Callable[Given, Result]:
    """A function that checks its arguments as their annotations declare; raises `InvalidInput` for a wrong one."""
    declared = [
        (i if one.kind in PLACED else sys.maxsize, one.name, check, one.default)
        for i, one in enumerate(inspect.signature(call).parameters.values())
        if (check := check_of(one.annotation))
    ]

    @wraps(call)
    def with_checks(*args: Given.args, **kwargs: Given.kwargs) -> Result:
        given: list[Any] = list(args)
        for i, name, check, default in declared:
            if i < len(given):
                if given[i] is not default:
                    given[i] = check(given[i], name)
            elif kwargs.get(name, default) is not default:
                kwargs[name] = check(kwargs[name], name)
        return call(*given, **kwargs)

    return with_checks


class Declared:
    """The base of a frozen dataclass whose fields declare their checks."""

    _checks: ClassVar[dict[str, tuple[Check, Any]]] = {}
    """The check of each field that has one, and its default; read once, so that PyTorch can trace the construction."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        inherited = [getattr(base, "_checks", {}) for base in reversed(cls.__bases__)]
        cls._checks = {name: one for checks in inherited for name, one in checks.items()}
        for name, annotation in inspect.get_annotations(cls).items():
            if check := check_of(annotation):
                default = vars(cls).get(name, MISSING)
                cls._checks[name] = check, default.default if isinstance(default, Field) else default

    def __post_init__(self) -> None:
        for name, (check, default) in self._checks.items():
            if (value := getattr(self, name)) is not default:
                object.__setattr__(self, name, check(value, name))
